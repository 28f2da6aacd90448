/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a stream in binary form, with a comment added to each record: stream INPUT OUTPUT. */
#include <mmpipe/stream.h>
#include <stdio.h>

int main(int argc, char **argv) {
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_reader *reader = NULL;
    mmpipe_writer *writer = NULL;
    mmpipe_record *record = NULL;
    if (context == NULL || argc != 3)
        return 2;
    mmpipe_status status = mmpipe_reader_open(context, (const char *const *)argv + 1, 1, 0, &reader);
    if (status == MMPIPE_OK)
        status = mmpipe_writer_open(context, argv[2], MMPIPE_BINARY, 1, &writer);
    while (status == MMPIPE_OK) {
        status = mmpipe_reader_next(context, reader, &record);
        if (status != MMPIPE_OK || record == NULL)
            break;
        status = mmpipe_record_set(context, record, "copied", "yes");
        if (status == MMPIPE_OK)
            status = mmpipe_writer_put(context, writer, record); /* the record is empty now */
        mmpipe_record_free(record);
    }
    if (status == MMPIPE_OK)
        status = mmpipe_writer_finish(context, writer); /* the file appears */
    if (status != MMPIPE_OK)
        fprintf(stderr, "stream: %s\n", mmpipe_error(context));
    mmpipe_reader_close(reader);
    mmpipe_writer_close(writer);
    mmpipe_context_free(context);
    return (int)status;
}
