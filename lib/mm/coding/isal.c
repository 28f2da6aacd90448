/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/isal.h"
#include "config.h"

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

struct mm_isal {
    struct inflate_state state;
};

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

mm_isal *mm_isal_open(void) {
    pthread_once(&once, load);
    mm_isal *isal = is_there ? base_alloc_silent(1, sizeof *isal) : NULL;
    if (isal != NULL)
        mm_isal_begin(isal);
    return isal;
}

void mm_isal_close(mm_isal *isal) {
    free(isal);
}

void mm_isal_begin(mm_isal *isal) {
    library.init(&isal->state);
    isal->state.crc_flag = ISAL_GZIP;
}

mm_isal_result mm_isal_run(mm_isal *isal, const unsigned char **in, size_t *in_bytes, unsigned char **out,
                           size_t *out_bytes) {
    const size_t most = INT32_MAX;
    struct inflate_state *state = &isal->state;
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
        return MM_ISAL_DAMAGED;
    return state->block_state == ISAL_BLOCK_FINISH ? MM_ISAL_END : MM_ISAL_MORE;
}

#else

mm_isal *mm_isal_open(void) {
    return NULL;
}

void mm_isal_close(mm_isal *isal) {
    (void)isal;
}

void mm_isal_begin(mm_isal *isal) {
    (void)isal;
}

mm_isal_result mm_isal_run(mm_isal *isal, const unsigned char **in, size_t *in_bytes, unsigned char **out,
                           size_t *out_bytes) {
    (void)isal, (void)in, (void)in_bytes, (void)out, (void)out_bytes;
    return MM_ISAL_DAMAGED;
}

#endif
