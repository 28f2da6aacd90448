/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/unpack.h"
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "mm/coding/gunzip.h"
#include "mm/source/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a block of the ring is. The last two stay at its front, so that asking again gives them again. */
enum { PART, DATA, PART_END, ALL_END, ERROR };

struct mm_unpack {
    mm_input input;
    mm_coding coding;
    int threads; /* that may decode */
    mm_ring ring;
    pthread_t thread;
    bool running;

    /* the consumer's */
    char *name;          /* of the current part */
    int64_t name_bytes;  /* room in it */
    size_t block_offset; /* bytes already taken of the block at the front */
    bool in_part;

    /* the thread's */
    mm_gunzip *gunzip;
    mm_archive *coded, *tar;
    mm_bytes decoded; /* the decompressed bytes … */
    size_t head_size; /* … after these, which were read to see what they are */
    char head[MM_TAR_BLOCK_BYTES];
};

/* ---- the thread: each function is false when it is time to stop ---- */

static bool put_text(mm_unpack *unpack, int tag, const char *text) {
    mm_ring_block *block = mm_ring_empty(&unpack->ring);
    if (block == NULL)
        return false;
    block->size = strnlen(text, MM_RING_BLOCK_BYTES - 1);
    memcpy(block->data, text, block->size);
    block->data[block->size] = 0;
    block->tag = tag;
    mm_ring_put(&unpack->ring);
    return true;
}

/* An error block: the status as a digit, then the message. */
static bool put_error(mm_unpack *unpack, const char *damage) {
    char text[512], cause[256];
    if (damage != NULL)
        snprintf(text, sizeof text, "%d%s", BASE_DAMAGED, damage);
    else
        snprintf(text, sizeof text, "%dcannot read: %s", BASE_MACHINE,
                 strerror_r(errno, cause, sizeof cause));
    put_text(unpack, ERROR, text);
    return false;
}

/* Whether there is libarchive, which only archives and three of the codings need. */
static bool find_archive(mm_unpack *unpack) {
    char text[512];
    const char *missing = mm_archive_missing();
    if (missing == NULL)
        return true;
    snprintf(text, sizeof text, "%d%s", BASE_MACHINE, missing);
    put_text(unpack, ERROR, text);
    return false;
}

static bool open_decoder(mm_unpack *unpack) {
    mm_bytes raw = mm_input_bytes(&unpack->input);
    if (unpack->coding == MM_CODING_PLAIN) {
        unpack->decoded = raw;
    } else if (unpack->coding == MM_CODING_GZIP) {
        unpack->gunzip = mm_gunzip_open(raw, unpack->threads);
        unpack->decoded = mm_gunzip_bytes(unpack->gunzip);
    } else {
        if (!find_archive(unpack))
            return false;
        unpack->coded = mm_archive_open_coded(raw, unpack->coding);
        unpack->decoded = mm_archive_bytes(unpack->coded);
    }
    errno = ENOMEM;
    return unpack->decoded.self != NULL ? true : put_error(unpack, NULL);
}

static bool read_head(mm_unpack *unpack) {
    while (unpack->head_size < sizeof unpack->head) {
        const char *damage;
        ssize_t count = unpack->decoded.read(unpack->decoded.self, unpack->head + unpack->head_size,
                                             sizeof unpack->head - unpack->head_size, &damage);
        if (count < 0)
            return put_error(unpack, damage);
        if (count == 0)
            break;
        unpack->head_size += (size_t)count;
    }
    return true;
}

/* The decompressed bytes from the beginning. */
static ssize_t read_decoded(void *self, void *buffer, size_t size, const char **damage) {
    mm_unpack *unpack = self;
    if (unpack->head_size == 0)
        return unpack->decoded.read(unpack->decoded.self, buffer, size, damage);
    *damage = NULL;
    size_t count = size < unpack->head_size ? size : unpack->head_size;
    memcpy(buffer, unpack->head, count);
    unpack->head_size -= count;
    memmove(unpack->head, unpack->head + count, unpack->head_size);
    return (ssize_t)count;
}

static bool put_part(mm_unpack *unpack, const char *name, mm_bytes from) {
    if (!put_text(unpack, PART, name))
        return false;
    for (;;) {
        const char *damage;
        mm_ring_block *block = mm_ring_empty(&unpack->ring);
        if (block == NULL)
            return false;
        ssize_t count = from.read(from.self, block->data, MM_RING_BLOCK_BYTES, &damage);
        if (count < 0)
            return put_error(unpack, damage);
        if (count == 0)
            return put_text(unpack, PART_END, "");
        block->size = (size_t)count;
        block->tag = DATA;
        mm_ring_put(&unpack->ring);
    }
}

static bool put_members(mm_unpack *unpack) {
    const char *name, *damage;
    int found;
    if (!find_archive(unpack))
        return false;
    unpack->tar = mm_archive_open_tar((mm_bytes){read_decoded, unpack});
    errno = ENOMEM;
    if (unpack->tar == NULL)
        return put_error(unpack, NULL);
    while ((found = mm_archive_next(unpack->tar, &name, &damage)) > 0)
        if (!put_part(unpack, name, mm_archive_bytes(unpack->tar)))
            return false;
    if (found < 0)
        return put_error(unpack, damage);
    /* Behind the archive's end mark, up to the checksums of the compressed data. */
    ssize_t count;
    do
        count = unpack->decoded.read(unpack->decoded.self, unpack->head, sizeof unpack->head, &damage);
    while (count > 0);
    return count < 0 ? put_error(unpack, damage) : true;
}

static void *run_thread(void *data) {
    mm_unpack *unpack = data;
    if (open_decoder(unpack) && read_head(unpack) &&
        (mm_tar_detect(unpack->head, unpack->head_size)
             ? put_members(unpack)
             : put_part(unpack, "", (mm_bytes){read_decoded, unpack})))
        put_text(unpack, ALL_END, "");
    mm_archive_close(unpack->tar);
    mm_archive_close(unpack->coded);
    mm_gunzip_close(unpack->gunzip);
    return NULL;
}

/* ---- the consumer ---- */

/* A pipe's bytes are decoded as they come, not ahead. */
static int count_threads(const base_context *context, int descriptor) {
    struct stat about;
    const bool is_file = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    return is_file && !base_threads_are_scarce() ? context->threads : 1;
}

base_status mm_unpack_open(base_context *context, const mm_input *input, mm_coding coding,
                           mm_unpack **unpack) {
    base_status status = BASE_OK;
    mm_unpack *made = base_alloc_zero(context, 1, sizeof *made);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    made->input = *input;
    made->coding = coding;
    made->threads = count_threads(context, input->descriptor);
    BASE_TRY(mm_ring_init(context, &made->ring));
    if (made->input.descriptor >= 0 && mm_input_make_interruptible(&made->input) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "no pipe for a thread"));
    errno = base_thread_start(&made->thread, run_thread, made);
    if (errno != 0)
        status = base_fail_errno(context, BASE_MACHINE, "cannot start a thread");
    else
        made->running = true;
done:
    if (status != BASE_OK) {
        mm_unpack_close(made);
        made = NULL;
    }
    *unpack = made;
    return status;
}

void mm_unpack_close(mm_unpack *unpack) {
    if (unpack == NULL)
        return;
    if (unpack->running) {
        mm_ring_close(&unpack->ring);
        mm_input_interrupt(&unpack->input);
        pthread_join(unpack->thread, NULL);
    }
    mm_input_close(&unpack->input);
    mm_ring_free(&unpack->ring);
    free(unpack->name);
    free(unpack);
}

static base_status fail_as_told(base_context *context, const mm_ring_block *block) {
    return base_fail(context, (base_status)(block->data[0] - '0'), "%s", block->data + 1);
}

base_status mm_unpack_read(base_context *context, mm_unpack *unpack, char *buffer, size_t size,
                           size_t *count) {
    *count = 0;
    if (!unpack->in_part)
        return BASE_OK;
    mm_ring_block *block = mm_ring_full(&unpack->ring);
    if (block->tag == ERROR)
        return fail_as_told(context, block);
    if (block->tag == PART_END) {
        unpack->in_part = false;
        mm_ring_give_back(&unpack->ring);
        return BASE_OK;
    }
    size_t left = block->size - unpack->block_offset;
    *count = size < left ? size : left;
    memcpy(buffer, block->data + unpack->block_offset, *count);
    unpack->block_offset += *count;
    if (unpack->block_offset == block->size) {
        unpack->block_offset = 0;
        mm_ring_give_back(&unpack->ring);
    }
    return BASE_OK;
}

base_status mm_unpack_next_part(base_context *context, mm_unpack *unpack, const char **name, bool *found) {
    base_status status = BASE_OK;
    *found = false;
    *name = NULL;
    unpack->block_offset = 0;
    unpack->in_part = false;
    while (!unpack->in_part) {
        mm_ring_block *block = mm_ring_full(&unpack->ring);
        if (block->tag == ALL_END)
            goto done;
        if (block->tag == ERROR) {
            status = fail_as_told(context, block);
            goto done;
        }
        if (block->tag == PART) {
            BASE_TRY(base_reserve(context, &unpack->name, &unpack->name_bytes, (int64_t)block->size + 1, 1));
            memcpy(unpack->name, block->data, block->size + 1);
            *name = block->size > 0 ? unpack->name : NULL;
            *found = unpack->in_part = true;
        }
        mm_ring_give_back(&unpack->ring);
    }
done:
    return status;
}
