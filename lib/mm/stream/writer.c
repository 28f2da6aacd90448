#include "mm/stream/writer.h"
#include "base/core/memory.h"
#include "mm/binary/binary.h"
#include "mm/text/text.h"

#include <stdlib.h>

struct mm_writer {
    base_output *output;
    mm_form form;
    int level;
    int64_t count; /* records put */
    mm_record first;
    bool holds_first; /* text form: not known yet whether it is alone */
};

base_status mm_writer_open(base_context *context, base_output *output, mm_form form, int level,
                           mm_writer **result) {
    mm_writer *writer = base_alloc_zero(context, 1, sizeof *writer);
    *result = writer;
    if (writer == NULL)
        return BASE_MACHINE;
    writer->output = output;
    writer->form = form;
    writer->level = level;
    mm_record_init(&writer->first);
    return BASE_OK;
}

base_status mm_writer_put(base_context *context, mm_writer *writer, mm_record *record) {
    base_status status;
    writer->count++;
    if (writer->form == MM_BINARY) {
        BASE_TRY(mm_binary_write(context, writer->output, record, writer->count, writer->level));
    } else if (writer->count == 1) {
        mm_record_move(&writer->first, record);
        writer->holds_first = true;
        return BASE_OK;
    } else {
        if (writer->holds_first)
            BASE_TRY(mm_text_write(context, writer->output, &writer->first, 1));
        writer->holds_first = false;
        mm_record_free(&writer->first);
        BASE_TRY(mm_text_write(context, writer->output, record, writer->count));
    }
done:
    mm_record_free(record);
    return status;
}

base_status mm_writer_finish(base_context *context, mm_writer *writer) {
    if (writer->form == MM_BINARY)
        return mm_binary_write_end(context, writer->output, writer->count);
    if (writer->holds_first)
        return mm_text_write(context, writer->output, &writer->first, 0);
    return base_output_print(context, writer->output, "%%%%End %lld\n", (long long)writer->count);
}

void mm_writer_close(mm_writer *writer) {
    if (writer == NULL)
        return;
    mm_record_free(&writer->first);
    free(writer);
}
