/* SPDX-License-Identifier: BSD-3-Clause */
/* Content that is handed over in memory (base/resident): the stream has its record's frame and one that tells
 * how much memory it is.
 *
 * The arrays stand there as programs have them, so that the next one works where they lie (memory.c). The
 * payload of an H2 matrix, which begins the memory, is the taker's to change; programs that make one do so in
 * memory that can be handed over (context->gives_memory). */
#include "base/core/memory.h"
#include "base/resident/memory.h"
#include "mm/binary/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- writing ---- */

static base_status hash_memory(base_context *context, int descriptor, base_resident_kind kind,
                               mm_binary_memory *memory) {
    base_status status;
    char *bytes = NULL;
    BASE_TRY(base_resident_map(context, descriptor, kind, memory->bytes, &bytes));
    memory->is_hashed = true;
    memory->hash = XXH3_64bits(bytes, (size_t)memory->bytes);
    munmap(bytes, (size_t)memory->bytes);
done:
    return status;
}

/* H2 matrices are large, and each program changes most of their bytes. */
static base_resident_kind kind_of(mm_kind kind) {
    return kind == MM_H2 ? BASE_RESIDENT_OWNED : BASE_RESIDENT_FIXED;
}

/* A copy of the arrays. */
static base_status make_memory(base_context *context, const mm_record *record, const mm_binary_header *header,
                               const mm_binary_layout *at, int *descriptor) {
    base_status status;
    const char *tail = record->payload != NULL ? record->payload : record->digits;
    const void *values = record->real != NULL ? (const void *)record->real : (const void *)record->integer;
    BASE_TRY(base_resident_create(context, at->bytes, descriptor));
    BASE_TRY(base_resident_write(context, *descriptor, at->row, record->row, at->index_bytes));
    BASE_TRY(base_resident_write(context, *descriptor, at->col, record->col, at->index_bytes));
    /* What lies on a device, all numbers of an array or the end of a payload, stays a hole in the file, which
     * takes no memory. */
    const bool is_elsewhere = record->on_device.descriptor > 0;
    if (!is_elsewhere)
        BASE_TRY(base_resident_write(context, *descriptor, at->value, values, at->value_bytes));
    BASE_TRY(base_resident_write(context, *descriptor, at->tail, tail,
                                 is_elsewhere ? record->on_device.first : header->tail_bytes));
done:
    return status;
}

/* Says who gives, and meets the taker; *gone as base_giver_connect has it. */
static base_status introduce(base_context *context, base_output *output, base_giver *giver, bool *gone) {
    base_status status;
    char frame[MM_BINARY_GIVER_BYTES];
    const size_t size = mm_binary_put_giver(frame, base_giver_name(giver));
    BASE_TRY(base_output_write(context, output, frame, size));
    BASE_TRY(base_output_flush(context, output));
    BASE_TRY(base_giver_connect(context, giver, gone));
done:
    return status;
}

static base_status give(base_context *context, base_giver *giver, const mm_record *record,
                        const mm_binary_header *header, const mm_binary_layout *at, bool hashed,
                        mm_binary_memory *memory) {
    base_status status;
    const base_resident_kind kind = kind_of(header->kind);
    int descriptor = (record->payload_descriptor > 0 ? record->payload_descriptor : record->descriptor) - 1;
    int made = -1;
    BASE_TRY(base_giver_wait(context, giver, at->bytes));
    if (descriptor < 0) {
        BASE_TRY(make_memory(context, record, header, at, &made));
        descriptor = made;
    }
    BASE_TRY(base_resident_seal(context, descriptor, kind));
    /* Numbers of before. The taker may fetch those of the device to their place, so not once it has come. */
    if (record->payload_descriptor > 0 && record->on_device.descriptor > 0)
        base_resident_trim(descriptor, record->on_device.first);
    if (hashed)
        BASE_TRY(hash_memory(context, descriptor, kind, memory));
    memory->device_first = record->on_device.first;
    memory->device_bytes = record->on_device.bytes;
    memcpy(memory->uuid, record->on_device.uuid, sizeof memory->uuid);
    BASE_TRY(base_giver_give(context, giver,
                             &(base_resident_gift){header->record_number, at->bytes, memory->device_bytes,
                                                   descriptor, record->on_device.descriptor - 1}));
done:
    if (made >= 0)
        close(made);
    return status;
}

base_status mm_binary_write_resident(base_context *context, base_output *output, base_giver *giver,
                                     const mm_record *record, int64_t record_number, bool hashed) {
    base_status status = BASE_OK;
    bool gone = false;
    char *frame = NULL, resident[MM_BINARY_RESIDENT_BYTES];
    mm_binary_header header;
    mm_binary_plan(record, record_number, &header);
    const mm_binary_layout at = mm_binary_lay_out(&header);
    mm_binary_memory memory = {.bytes = at.bytes};
    if (at.bytes < MM_BINARY_PLAIN_BYTES && record->on_device.descriptor == 0)
        return mm_binary_write(context, output, record, record_number, 0);
    BASE_TRY(mm_binary_make_record_frame(context, record, &header, &frame));
    if (!base_giver_is_connected(giver))
        BASE_TRY(introduce(context, output, giver, &gone));
    if (!gone)
        BASE_TRY(give(context, giver, record, &header, &at, hashed, &memory));
    BASE_TRY(
        base_output_write(context, output, frame, (size_t)(MM_BINARY_RECORD_BYTES + header.comments_bytes)));
    BASE_TRY(
        base_output_write(context, output, resident, mm_binary_put_resident(resident, &header, &memory)));
    BASE_TRY(base_output_flush(context, output));
    if (record->payload_descriptor > 0) /* while the taker works */
        base_resident_trim(record->payload_descriptor - 1, at.bytes);
done:
    free(frame);
    return status;
}

/* ---- reading ---- */

base_status mm_binary_check(base_context *context, const mm_record *record) {
    const int64_t piece = 1 << 16;
    int faults = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(+ : faults) if (record->nnz > piece)
    for (int64_t first = 0; first < record->nnz; first += piece)
        faults += mm_binary_check_entries(record, first,
                                          record->nnz - first < piece ? record->nnz - first : piece) != NULL;
    if (faults == 0)
        return BASE_OK;
    for (int64_t first = 0; first < record->nnz; first += piece) {
        const char *fault =
            mm_binary_check_entries(record, first, record->nnz - first < piece ? record->nnz - first : piece);
        if (fault != NULL)
            return base_fail(context, BASE_DAMAGED, "%s", fault);
    }
    return BASE_OK;
}

/* On a device there is the end of a payload, or an array of real numbers. */
static bool is_place_on_device(const mm_binary_header *header, const mm_binary_layout *at,
                               const mm_binary_memory *memory) {
    if (memory->device_bytes == 0 || header->kind == MM_H2)
        return true;
    return header->format == MM_ARRAY && header->field == MM_REAL && memory->device_first == at->value &&
           memory->device_bytes == at->value_bytes;
}

static base_status take(base_context *context, base_taker *taker, const mm_binary_header *header,
                        const mm_binary_memory *memory, mm_record *record, char **tail) {
    base_status status;
    base_resident_gift gift = {.number = header->record_number,
                               .bytes = memory->bytes,
                               .device_bytes = memory->device_bytes,
                               .descriptor = -1,
                               .device_descriptor = -1};
    char *bytes = NULL;
    const int64_t most = INT64_C(1) << 56;
    const char *cannot = "a resident frame says what cannot be";
    if (memory->bytes > most || header->nnz > memory->bytes || header->tail_bytes > memory->bytes)
        return base_fail(context, BASE_DAMAGED, "%s", cannot);
    const mm_binary_layout at = mm_binary_lay_out(header);
    if (at.bytes != memory->bytes || !is_place_on_device(header, &at, memory))
        return base_fail(context, BASE_DAMAGED, "%s", cannot);
    BASE_TRY(base_taker_take(context, taker, &gift));
    const base_resident_kind kind = kind_of(header->kind);
    BASE_TRY(base_resident_map(context, gift.descriptor, kind, memory->bytes, &bytes));
    *(kind == BASE_RESIDENT_OWNED ? &record->payload_descriptor : &record->descriptor) = gift.descriptor + 1;
    record->on_device =
        (mm_device_memory){gift.device_descriptor + 1, memory->device_first, memory->device_bytes, {0}};
    memcpy(record->on_device.uuid, memory->uuid, sizeof memory->uuid);
    gift.descriptor = gift.device_descriptor = -1;
    if (kind == BASE_RESIDENT_OWNED && memory->device_bytes == 0)
        base_resident_populate(context, bytes, memory->bytes);
    mm_binary_place_arrays(record, header, &at, bytes, tail);
    base_taker_thank(taker, header->record_number);
    if (memory->is_hashed && memory->hash != XXH3_64bits(bytes, (size_t)memory->bytes))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the memory that was handed over does not have its hash"));
    if (record->on_device.descriptor == 0)
        BASE_TRY(mm_binary_check(context, record));
done:
    if (gift.descriptor >= 0)
        close(gift.descriptor);
    if (gift.device_descriptor >= 0)
        close(gift.device_descriptor);
    return status;
}

static base_status refuse_resident(base_context *context) {
    return base_fail(context, BASE_DAMAGED,
                     "a stream in resident form: its records are in the memory of the program that wrote it "
                     "and can be taken once, through a pipe");
}

base_status mm_binary_read_resident(base_context *context, mm_source *source, const mm_binary_header *header,
                                    mm_record *record, char **tail) {
    base_status status;
    const char *window, *fault;
    size_t size;
    mm_binary_memory memory;
    base_taker *taker = mm_source_get_taker(source);
    BASE_TRY(mm_source_peek(context, source, MM_BINARY_RESIDENT_BYTES, &window, &size));
    if (size < MM_BINARY_RESIDENT_BYTES)
        BASE_TRY(mm_binary_cut_off(context, "a frame"));
    fault = mm_binary_get_resident(window, header, &memory);
    if (fault != NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%s", fault));
    if (taker == NULL)
        BASE_TRY(refuse_resident(context));
    mm_source_skip(source, MM_BINARY_RESIDENT_BYTES);
    BASE_TRY(take(context, taker, header, &memory, record, tail));
done:
    return status;
}

base_status mm_binary_meet_giver(base_context *context, mm_source *source, const char *frame) {
    base_resident_name name;
    base_taker *taker = mm_source_get_taker(source);
    const char *fault = mm_binary_get_giver(frame, &name);
    if (fault != NULL)
        return base_fail(context, BASE_DAMAGED, "%s", fault);
    return taker != NULL ? base_taker_meet(context, taker, &name) : refuse_resident(context);
}
