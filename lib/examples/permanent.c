/* SPDX-License-Identifier: BSD-3-Clause */
/* The permanent of each matrix of a file, with what is known of its error:
 *
 *     cc permanent.c $(pkg-config --cflags --libs mmpipe) -o permanent && ./permanent HB.tar.gz */
#include <mmpipe/permanent.h>
#include <mmpipe/stream.h>
#include <stdio.h>

static mmpipe_status print_permanent(mmpipe_context *context, const mmpipe_record *record) {
    const mmpipe_permanent_options options = {.size = sizeof options, .max_seconds = 60};
    mmpipe_permanent *permanent;
    char *name = NULL;
    mmpipe_status status = mmpipe_permanent_compute(context, record, &options, &permanent);
    if (status == MMPIPE_OK)
        status = mmpipe_record_name(context, record, &name);
    if (status == MMPIPE_OK)
        printf("%s\t%s\t%s\t%s\n", name, mmpipe_permanent_text(permanent),
               mmpipe_permanent_is_exact(permanent) ? "exact" : mmpipe_permanent_bound_text(permanent),
               mmpipe_permanent_method(permanent));
    mmpipe_free(name);
    mmpipe_permanent_free(permanent);
    return status;
}

int main(int argc, char **argv) {
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_reader *reader = NULL;
    mmpipe_record *record = NULL;
    if (context == NULL)
        return 4;
    mmpipe_status status = mmpipe_reader_open(context, (const char *const *)argv + 1, argc - 1, 0, &reader);
    while (status == MMPIPE_OK) {
        status = mmpipe_reader_next(context, reader, &record);
        if (status != MMPIPE_OK || record == NULL)
            break;
        status = print_permanent(context, record);
        mmpipe_record_free(record);
    }
    if (status != MMPIPE_OK)
        fprintf(stderr, "permanent: %s\n", mmpipe_error(context));
    mmpipe_reader_close(reader);
    mmpipe_context_free(context);
    return (int)status;
}
