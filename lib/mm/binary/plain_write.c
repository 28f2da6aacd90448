/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes plain blocks (plain.c): one after another, or, where the output is a file on tmpfs, by all threads
 * to their places in it. */
#include "base/core/memory.h"
#include "base/device/device.h"
#include "base/run/progress.h"
#include "mm/binary/internal.h"
#include "mm/source/team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What stands before the bytes of a block: its head and zeros. */
typedef struct head {
    char bytes[MM_BINARY_PLAIN_HEAD_BYTES];
    size_t size;
} head;

typedef struct writing {
    base_context *context;
    base_output *output;
    const mm_record *record;
    const mm_binary_header *header;
    base_device_reader *reader; /* of the bytes that lie on a device; NULL: none do */
    int64_t position;           /* of the first block in the stream */
    char *memory;               /* of the file from there on; NULL: it is not mapped */
    int most;                   /* blocks of a batch */
} writing;

/* Blocks that threads are at work on. */
typedef struct batch {
    const writing *writing;
    int64_t first;
    const char *bytes; /* of the blocks, once they have arrived */
    head *heads;       /* NULL: the file is mapped */
    mm_team_loop loop;
} batch;

static const char *bytes_of(const batch *batch, int i) {
    return batch->bytes + i * (int64_t)MM_BINARY_BLOCK_BYTES;
}

/* The head of block i of a batch. All blocks but the first come behind a whole one. */
static size_t put_head(const batch *batch, int i, char *head) {
    const int64_t number = batch->first + i;
    return mm_binary_put_plain(head, batch->writing->header, number,
                               number == 0 ? batch->writing->position : 0, bytes_of(batch, i));
}

/* A thread's work where blocks are written: the head of one. */
static void make_head(void *data, int i) {
    const batch *batch = data;
    batch->heads[i].size = put_head(batch, i, batch->heads[i].bytes);
}

/* Where the bytes of a block begin, from the first head on. */
static int64_t place_of(const writing *writing, int64_t number) {
    return (int64_t)mm_binary_plain_bytes(writing->position) +
           number * (MM_BINARY_PAGE_BYTES + MM_BINARY_BLOCK_BYTES);
}

/* A thread's work where the file is mapped: a block with its head. */
static void place_block(void *data, int i) {
    const batch *batch = data;
    const writing *writing = batch->writing;
    const int64_t number = batch->first + i, place = place_of(writing, number),
                  begin = number == 0 ? 0 : place - MM_BINARY_PAGE_BYTES,
                  raw_bytes = mm_binary_block_raw_bytes(writing->header, number);
    if (!base_output_fill(writing->output, begin, place + raw_bytes - begin))
        return;
    put_head(batch, i, writing->memory + begin);
    memcpy(writing->memory + place, bytes_of(batch, i), (size_t)raw_bytes);
    base_progress_add(writing->context, 1);
}

static base_status put_block(const batch *batch, int i) {
    const writing *writing = batch->writing;
    const head *head = &batch->heads[i];
    base_status status;
    BASE_TRY(base_output_write(writing->context, writing->output, head->bytes, head->size));
    BASE_TRY(base_output_write(writing->context, writing->output, bytes_of(batch, i),
                               (size_t)mm_binary_block_raw_bytes(writing->header, batch->first + i)));
    base_progress_add(writing->context, 1);
done:
    return status;
}

static int piece_of(const batch *batch) {
    return (int)(batch->first / batch->writing->most % BASE_DEVICE_READER_PIECES);
}

/* Makes a batch of the blocks from `first` on. Its bytes lie in the payload, or in a piece of memory, to
 * which they begin to come from a device. */
static base_status bring(batch *batch, int64_t first) {
    const writing *writing = batch->writing;
    const mm_record *record = writing->record;
    const int64_t left = writing->header->blocks - first, device = record->on_device.first,
                  begin = first * MM_BINARY_BLOCK_BYTES;
    const int count = (int)(left < 0 ? 0 : left < writing->most ? left : writing->most);
    int64_t end = begin + count * (int64_t)MM_BINARY_BLOCK_BYTES;
    batch->first = first;
    batch->bytes = record->payload + begin;
    batch->loop = (mm_team_loop){
        .work = writing->memory != NULL ? place_block : make_head, .data = batch, .count = count};
    end = end < record->payload_bytes ? end : record->payload_bytes;
    if (writing->reader == NULL || begin >= end)
        return BASE_OK;
    char *room = base_device_reader_room(writing->reader, piece_of(batch));
    const int64_t split = device < begin ? begin : device < end ? device : end;
    memcpy(room, batch->bytes, (size_t)(split - begin));
    batch->bytes = room;
    return base_device_reader_begin(writing->context, writing->reader, piece_of(batch), split - device,
                                    split - begin, end - split);
}

/* Waits until the bytes of a batch have arrived. */
static base_status await(const batch *batch) {
    const writing *writing = batch->writing;
    return writing->reader == NULL
               ? BASE_OK
               : base_device_reader_wait(writing->context, writing->reader, piece_of(batch));
}

/* Heads are made, with the hashes of their blocks, while those of the batch before are written. What lies on
 * a device arrives meanwhile, and its heads are made behind that. */
static base_status write_batches(const writing *writing, batch *next, batch *made, mm_team *team) {
    base_status status = BASE_OK, written = BASE_OK;
    for (int64_t first = 0; first < writing->header->blocks + writing->most; first += writing->most) {
        BASE_TRY(bring(next, first));
        if (writing->reader == NULL)
            mm_team_start(team, &next->loop);
        for (int i = 0; i < made->loop.count && written == BASE_OK; i++)
            written = put_block(made, i);
        if (writing->reader != NULL) {
            BASE_TRY(await(next));
            mm_team_start(team, &next->loop);
        }
        mm_team_wait(team, &next->loop);
        BASE_TRY(written);
        batch *swapped = made;
        made = next;
        next = swapped;
    }
done:
    return status;
}

/* Threads place a batch while the next one arrives from a device. */
static base_status place_batches(const writing *writing, batch *next, batch *last, mm_team *team) {
    base_status status = BASE_OK;
    for (int64_t first = 0; first < writing->header->blocks; first += writing->most) {
        status = bring(next, first);
        mm_team_wait(team, &last->loop);
        BASE_TRY(status);
        BASE_TRY(await(next));
        mm_team_start(team, &next->loop);
        batch *swapped = last;
        last = next;
        next = swapped;
    }
    mm_team_wait(team, &last->loop);
done:
    return status;
}

static base_status open_device(writing *writing) {
    const mm_device_memory *on_device = &writing->record->on_device;
    return on_device->descriptor <= 0
               ? BASE_OK
               : base_device_reader_open(writing->context, on_device->uuid, on_device->descriptor - 1,
                                         on_device->bytes, writing->most * (int64_t)MM_BINARY_BLOCK_BYTES,
                                         &writing->reader);
}

/* Blocks that are in memory are all placed in one batch. Of those on a device few come at a time, as they
 * pass through pinned memory. */
static int count_most(const writing *writing) {
    enum { MOST_PINNED = 8 };
    const int64_t all = writing->header->blocks;
    int64_t most = writing->context->threads;
    if (writing->record->on_device.descriptor > 0)
        most = most < MOST_PINNED ? most : MOST_PINNED;
    else if (writing->memory != NULL)
        most = INT_MAX;
    return (int)(all < most ? all : most);
}

static base_status write_blocks(writing *writing) {
    base_context *context = writing->context;
    const int64_t all = writing->header->blocks;
    base_status status = BASE_OK;
    batch batches[2] = {{.writing = writing}, {.writing = writing}};
    head *heads = NULL;
    mm_team *team = NULL;
    writing->most = count_most(writing);
    BASE_TRY(open_device(writing));
    if (writing->memory == NULL) {
        heads = base_alloc(context, 2 * (int64_t)writing->most, sizeof *heads);
        if (heads == NULL)
            BASE_TRY(BASE_MACHINE);
        batches[0].heads = heads;
        batches[1].heads = heads + writing->most;
    }
    team = mm_team_open(all < context->threads ? (int)all : context->threads);
    base_progress_start(context, "write", (double)all, "blocks");
    status =
        (writing->memory == NULL ? write_batches : place_batches)(writing, &batches[0], &batches[1], team);
    base_progress_finish(context);
done:
    mm_team_close(team);
    base_device_reader_close(writing->reader);
    free(heads);
    return status;
}

base_status mm_binary_write_plain(base_context *context, base_output *output, const mm_record *record,
                                  const mm_binary_header *header) {
    base_status status, ended;
    writing writing = {context, output, record, header, .position = base_output_position(output)};
    const int64_t last = header->blocks - 1,
                  bytes = place_of(&writing, last) + mm_binary_block_raw_bytes(header, last);
    BASE_TRY(base_output_map(context, output, bytes, &writing.memory));
    status = write_blocks(&writing);
    if (writing.memory != NULL) {
        ended = base_output_unmap(context, output, status == BASE_OK);
        status = status == BASE_OK ? ended : status;
    }
done:
    return status;
}
