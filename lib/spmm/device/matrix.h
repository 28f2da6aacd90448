/* SPDX-License-Identifier: BSD-3-Clause */
/* A in compressed rows on a device, from which device kernels make the formats of the others
 * (kernels/spmm/pack/pack.h). */
#ifndef SPMM_DEVICE_MATRIX_H
#define SPMM_DEVICE_MATRIX_H

#include "base/device/device.h"
#include "spmm/common/kernel.h"
#include "spmm/pack/pack.h"

/* Whether there is device code: without it nothing gets beyond spmm_device_matrix_init. */
bool spmm_device_is_built(void);

typedef struct spmm_device_matrix {
    base_device *device;
    base_device_buffer buffer; /* all of it, with room for counts and formats */
    spmm_pack_matrix a;        /* addresses inside, as are … */
    uint64_t count[2];         /* [nrow + 1] counts, … */
    uint64_t sum;              /* … [2] sums of SPMM_PACK_SCAN_COUNTS of them, … */
    uint64_t before;           /* … [nrow / 8][2] sums for pack_rowwindows, … */
    uint64_t room;             /* … and the first byte that no format has taken */
    bool is_before_clear;
    int64_t *total; /* [2] sums of all counts, on the host */
    double send_seconds;
} spmm_device_matrix;

/* Copies A, and has room for so many bytes of formats, which take memory of their own when they exceed it. 8
 * bytes an entry (fp64: 12) and 24 a row beside these on the device. */
base_status spmm_device_matrix_init(base_context *context, base_device *device, const spmm_csr *a,
                                    spmm_precision precision, int64_t room_bytes, spmm_device_matrix *matrix);
void spmm_device_matrix_free(spmm_device_matrix *matrix); /* NULL and a zero one are allowed */

/* Entries of A by rows on the device, for the kernels rows_… and merge_…; the matrix must stay. */
typedef struct spmm_device_entries {
    uint64_t start, entry, column; /* the last, and no format of their own: doubles */
    base_device_buffer own;        /* where there was no room with the matrix */
} spmm_device_entries;

base_status spmm_device_entries_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_device_entries *entries);
void spmm_device_entries_free(spmm_device_entries *entries); /* NULL is allowed */

/* ---- room and scratch ---- */

/* A part of a buffer. */
typedef struct spmm_device_slice {
    uint64_t *address;
    int64_t bytes;
} spmm_device_slice;

/* Slices in the room that is left with a matrix, or else in memory of their own. */
base_status spmm_device_take(base_context *context, spmm_device_matrix *matrix,
                             const spmm_device_slice *slices, int count, base_device_buffer *own);

/* Turns the first `length` counts of one array or two into sums of those before; total[array] gets the sums
 * of all. Waits for the device. */
base_status spmm_device_scan(base_context *context, const spmm_device_matrix *matrix, int64_t length,
                             int arrays, int64_t *total);

/* The sums of all that were left there. Waits for the device. */
base_status spmm_device_totals(base_context *context, const spmm_device_matrix *matrix, int arrays,
                               int64_t *total);

/* Fills a slice that was taken with zeros. */
base_status spmm_device_clear(base_context *context, const spmm_device_matrix *matrix,
                              const base_device_buffer *own, uint64_t address, int64_t bytes);

/* ---- kernels of kernels/spmm/pack/pack.h ---- */

/* Loads all of them, … */
base_status spmm_device_load_packs(base_context *context, base_device *device);

/* … and submits one; none where the grid is empty. */
base_status spmm_device_pack(base_context *context, base_device *device, const char *name,
                             const base_device_launch_config *shape, void *argument);

/* Blocks of SPMM_PACK_THREADS for so many threads. */
static inline unsigned spmm_device_blocks(int64_t threads) {
    return (unsigned)((threads + SPMM_PACK_THREADS - 1) / SPMM_PACK_THREADS);
}

/* Words for the marks of windows: as many as the columns take, up to a limit. */
static inline int64_t spmm_device_words(int64_t columns) {
    const int64_t group = 32 * SPMM_PACK_GROUP, words = ((columns + group - 1) / group + 1) * SPMM_PACK_GROUP;
    return words < SPMM_PACK_WORDS ? words : SPMM_PACK_WORDS;
}

#endif
