/* SPDX-License-Identifier: BSD-3-Clause */
/* ISA-L's gzip decoder. */
#include "config.h"
#include "mm/coding/inflate.h"

#ifdef HAVE_ISAL

#include "base/core/library.h"
#include "base/core/memory.h"

#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
    __typeof__(isal_inflate_init) *init;
    __typeof__(isal_inflate) *inflate;
} library;
static bool is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

typedef struct isal {
    mm_inflate inflate;
    struct inflate_state state;
} isal;

static void load(void) {
    static const char *const names[] = {"libisal.so.2", NULL};
    char tried[160];
    void *handle = base_library_load("MMPIPE_LIBISAL", names, tried, sizeof tried), *entry;
    if (handle == NULL)
        return;
    entry = base_library_find(handle, "isal_inflate_init");
    memcpy(&library.init, &entry, sizeof entry);
    entry = base_library_find(handle, "isal_inflate");
    memcpy(&library.inflate, &entry, sizeof entry);
    is_there = library.init != NULL && library.inflate != NULL;
}

static void begin(mm_inflate *inflate) {
    struct inflate_state *state = &((isal *)inflate)->state;
    library.init(state);
    state->crc_flag = ISAL_GZIP;
}

static mm_inflate_result run(mm_inflate *inflate, const unsigned char **in, size_t *in_bytes,
                             unsigned char **out, size_t *out_bytes) {
    const size_t most = INT32_MAX;
    struct inflate_state *state = &((isal *)inflate)->state;
    state->next_in = (uint8_t *)(uintptr_t)*in;
    state->avail_in = (uint32_t)(*in_bytes < most ? *in_bytes : most);
    state->next_out = *out;
    state->avail_out = (uint32_t)(*out_bytes < most ? *out_bytes : most);
    const int result = library.inflate(state);
    *in_bytes -= (size_t)(state->next_in - *in);
    *in = state->next_in;
    *out_bytes -= (size_t)(state->next_out - *out);
    *out = state->next_out;
    if (result < 0 || result == ISAL_NEED_DICT)
        return MM_INFLATE_DAMAGED;
    return state->block_state == ISAL_BLOCK_FINISH ? MM_INFLATE_END : MM_INFLATE_MORE;
}

static void close_isal(mm_inflate *inflate) {
    free(inflate);
}

mm_inflate *mm_inflate_open_isal(void) {
    pthread_once(&once, load);
    isal *own = is_there ? base_alloc_silent(1, sizeof *own) : NULL;
    if (own == NULL)
        return NULL;
    own->inflate = (mm_inflate){begin, run, close_isal};
    begin(&own->inflate);
    return &own->inflate;
}

#else

mm_inflate *mm_inflate_open_isal(void) {
    return NULL;
}

#endif
