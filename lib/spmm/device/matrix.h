/* A in compressed rows on a device, from which device kernels make the formats of the others
 * (kernels/spmm/pack/pack.h). */
#ifndef SPMM_DEVICE_MATRIX_H
#define SPMM_DEVICE_MATRIX_H

#include "base/device/device.h"
#include "spmm/common/kernel.h"
#include "spmm/pack/pack.h"

typedef struct spmm_device_matrix {
    base_device *device;
    base_device_buffer buffer; /* all of it, with room for counts and formats */
    spmm_pack_matrix a;        /* addresses inside, as are … */
    uint64_t count[2];         /* [nrow + 1] counts, … */
    uint64_t sum;              /* … [2] sums of SPMM_PACK_SCAN_COUNTS of them, … */
    uint64_t before;           /* … [nrow / 8][2] sums for pack_windows, … */
    uint64_t room;             /* … and the first byte that no format has taken */
    bool is_before_clear;
    int64_t *total;  /* [2] sums of all counts, on the host */
    int64_t waiting; /* entries that no product has taken */
    double send_seconds;
} spmm_device_matrix;

/* Copies A, and has room for so many bytes of formats, which take memory of their own when they exceed it. 8
 * bytes an entry (fp64: 12) and 24 a row beside these on the device. */
base_status spmm_device_matrix_init(base_context *context, base_device *device, const spmm_csr *a,
                                    spmm_precision precision, int64_t room_bytes, spmm_device_matrix *matrix);
void spmm_device_matrix_free(spmm_device_matrix *matrix); /* NULL and a zero one are allowed */

/* Bands of SPMM_PACK_BAND rows that a kernel takes, ascending. */
typedef struct spmm_row_set {
    int64_t count;
    int32_t *band;
    int64_t *before; /* entries of the bands before it here */
    int64_t rows, nnz;
} spmm_row_set;

/* Entries of A by rows on the device, for the kernels rows_… and runs_…; the matrix must stay. */
typedef struct spmm_device_entries {
    uint64_t start, entry, column; /* the last, and no format of their own: doubles */
    base_device_buffer own;        /* where there was no room with the matrix */
} spmm_device_entries;

base_status spmm_device_entries_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_device_entries *entries);
void spmm_device_entries_free(spmm_device_entries *entries); /* NULL is allowed */

#endif
