/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm and the device kernels pack_…, which bring A from compressed rows into the
 * formats of common/gpu.h, on the device. A part of the rows can be taken: bands of 128, in which row `place`
 * of those taken has its number place % 128. Scratch arrays of counts have 64-bit words; those of two counts
 * have the second one in the upper half.
 *
 * Entries stand in no certain order inside a chunk or a tile; products do not depend on it. */
#ifndef SPMM_PACK_PACK_H
#define SPMM_PACK_PACK_H

#include "spmm/bands/contract.h"
#include "spmm/bstationary/contract.h"
#include "spmm/merge/contract.h"
#include "spmm/panels/contract.h"
#include "spmm/rowpairs/contract.h"
#include "spmm/rows/contract.h"
#include "spmm/rowwindows/contract.h"
#include "spmm/splits/contract.h"

enum {
    SPMM_PACK_BAND = 128, /* rows */
    SPMM_PACK_THREADS = 256,
    SPMM_PACK_WINDOW_THREADS = 128, /* at most */
    SPMM_PACK_LOW_ROWS = 8,         /* of the lowest windows */
    SPMM_PACK_SCAN_THREADS = 1024,
    SPMM_PACK_SCAN_COUNTS = 4 * SPMM_PACK_SCAN_THREADS,
    SPMM_PACK_PANEL_THREADS = 1024,
    SPMM_PACK_SUBTILE_ROWS = 16, /* of bands_… */
    SPMM_PACK_SUBTILES = SPMM_PACK_BAND / SPMM_PACK_SUBTILE_ROWS,
    SPMM_PACK_WORDS = 4096, /* of 32 columns, at most, that are marked at a time */
    SPMM_PACK_GROUP = 2     /* words for which ranks are kept */
};

typedef struct spmm_pack_matrix {
    const long long *start; /* [row], and the end */
    const int *column;
    const void *value; /* floats, or doubles for format 3 */
    long long nrow, ncol, nnz;
    const int *band;         /* [place / 128]: number of the band, ascending; 0: all are taken */
    const long long *before; /* [place / 128]: entries of the bands taken before; 0 if all are taken */
    long long place_count;   /* rows taken */
    int format;              /* 0 fp16, 1 bf16, 2 fp32, 3 fp64 */
    int unused;
} spmm_pack_matrix;

/* pack_entries: spmm_gpu_entry of all entries that are not doubles, and those behind them. pack_values:
 * 16 bits of each. */
typedef struct spmm_pack_entries {
    spmm_pack_matrix a;
    void *entry;
} spmm_pack_entries;

/* pack_scan turns counts into the sums of those before, and appends the sum of all; SPMM_PACK_SCAN_COUNTS of
 * them a block, `blocks` for an array. Where there are several, pack_scan_sums goes before it. */
typedef struct spmm_pack_scan {
    long long *count[2]; /* [length + 1] */
    long long *total;    /* [2]: the sums of all once more */
    long long *sum;      /* [array][blocks]: of the counts of each block */
    long long length, blocks;
} spmm_pack_scan;

/* pack_segments_count, pack_segments: the first leaves segments of each row, and long segments and parts, the
 * second wants the sums of them. Partitions are consecutive rows that begin in the same stretch of entries,
 * where a row counts as SPMM_PACK_MERGE_ROW more: pack_merge_count leaves them and parts in `count`. */
enum { SPMM_PACK_MERGE_ROW = 4 };
typedef struct spmm_pack_rows {
    spmm_pack_matrix a;
    int most, long_most;           /* entries of a segment, or partition; of a long one */
    int stretch, unused;           /* of partitions */
    long long *count, *long_count; /* [place] */
    long long long_total;
    void *worker; /* spmm_gpu_segment or spmm_gpu_merge_partition */
    spmm_gpu_part *part;
} spmm_pack_rows;

/* pack_rowwindows: a block a window, with dynamic shared memory for `words` and an int for each
 * SPMM_PACK_GROUP of them. It adds up chunks, pieces and parts of the windows before as it goes: those of all
 * are known in the end, and where the chunks exceed `room` that is all that was done. */
typedef struct spmm_pack_rowwindows {
    spmm_pack_matrix a;
    int height, dense, words;
    int most;                /* chunks of a piece */
    long long room;          /* chunks */
    unsigned long long *sum; /* [window][2]: starts as zeros */
    long long *total;        /* [2]: chunks; pieces and, in the upper half, parts */
    int *row, *column;
    long long *start;
    int *cursor; /* [chunk] */
    void *value;
    spmm_gpu_piece *piece;
    spmm_gpu_part *part;
} spmm_pack_rowwindows;

/* pack_panels: a block a band, with an int of dynamic shared memory for each step. pack_bands_count leaves
 * vectors of each SPMM_PACK_SUBTILE_ROWS rows (of whole bands), pack_bands wants the sums of them; a block of
 * both works on such rows, with an int for each step too. Pieces come in `parts` for a band. */
typedef struct spmm_pack_tiles {
    spmm_pack_matrix a;
    int depth, steps, parts;
    int unused;
    long long *count;         /* [SPMM_PACK_SUBTILE_ROWS rows] of bands_… */
    long long *start;         /* of panels_… */
    int *subtile_start;       /* of bands_… */
    unsigned short *position; /* of panels_… */
    void *value;              /* entries of bands_… */
    spmm_gpu_piece *piece;
    spmm_gpu_part *part;
} spmm_pack_tiles;

/* pack_dense: a block a row, with dynamic shared memory for `tile` numbers. */
typedef struct spmm_pack_dense {
    spmm_pack_matrix a;
    long long stride; /* numbers from row to row: whole vectors of 16 bytes */
    int tile;         /* such vectors as well */
    int unused;
    void *value;
} spmm_pack_dense;

/* pack_splits: a warp a row; `value` starts as zeros. */
typedef struct spmm_pack_splits {
    spmm_pack_matrix a;
    long long steps;
    void *value;
} spmm_pack_splits;

/* pack_tca_count leaves blocks of each SPMM_PACK_TCA_ROWS rows, pack_tca
 * wants the sums of them and gives each row its warps as tca/tca.h says; a thread for such rows. */
enum { SPMM_PACK_TCA_ROWS = 32 };
typedef struct spmm_pack_tca {
    spmm_pack_matrix a;
    int tiles;   /* of SPMM_TCA_TILE columns, at least 1 */
    int several; /* short rows share blocks */
    long long *count;
    int *row, *warps, *within; /* [block][SPMM_TCA_WARPS] */
} spmm_pack_tca;

/* pack_rowpairs_count leaves steps of each row pair; pack_rowpairs wants the sums of them. */
typedef struct spmm_pack_rowpairs {
    spmm_pack_matrix a;
    long long *count; /* [row pair] */
    int *start, *row;
    void *step;
} spmm_pack_rowpairs;

/* pack_bstationary_sort gives rows their places and leaves batches of each bundle; a block of
 * SPMM_PACK_THREADS rows. pack_bstationary wants the sums of them; a warp a place. Both do it for one chunk
 * of B after the other. */
typedef struct spmm_pack_bstationary {
    spmm_pack_matrix a;
    int chunk, chunks; /* rows of B in one; how many */
    const int *before; /* [chunk][row]: of pack_chunks; not read where there is one chunk */
    long long *count;  /* [chunk][bundle] */
    int *order;        /* [chunk][place]: row */
    int *start, *row;
    unsigned short *column;
    void *value;
} spmm_pack_bstationary;

/* pack_chunks: a thread for a row and a chunk of B. */
typedef struct spmm_pack_chunks {
    spmm_pack_matrix a; /* its columns ascending */
    int chunk, chunks;  /* rows of B in one; how many */
    int *before;        /* [chunk][row]: entries of the row before the chunk's end */
} spmm_pack_chunks;

/* All of them: f(x, kernel, type) for each, which has one argument of that type. */
/* clang-format off */
#define SPMM_PACK_KERNELS(f, x)                                                                              \
    f(x, pack_bands, spmm_pack_tiles)                                                                        \
    f(x, pack_bands_count, spmm_pack_tiles)                                                                  \
    f(x, pack_bstationary, spmm_pack_bstationary)                                                            \
    f(x, pack_bstationary_sort, spmm_pack_bstationary)                                                       \
    f(x, pack_chunks, spmm_pack_chunks)                                                                      \
    f(x, pack_dense, spmm_pack_dense)                                                                        \
    f(x, pack_entries, spmm_pack_entries)                                                                    \
    f(x, pack_merge, spmm_pack_rows)                                                                         \
    f(x, pack_merge_count, spmm_pack_rows)                                                                   \
    f(x, pack_panels, spmm_pack_tiles)                                                                       \
    f(x, pack_rowpairs, spmm_pack_rowpairs)                                                                  \
    f(x, pack_rowpairs_count, spmm_pack_rowpairs)                                                            \
    f(x, pack_rowwindows, spmm_pack_rowwindows)                                                              \
    f(x, pack_scan, spmm_pack_scan)                                                                          \
    f(x, pack_scan_sums, spmm_pack_scan)                                                                     \
    f(x, pack_segments, spmm_pack_rows)                                                                      \
    f(x, pack_segments_count, spmm_pack_rows)                                                                \
    f(x, pack_splits, spmm_pack_splits)                                                                      \
    f(x, pack_tca, spmm_pack_tca)                                                                            \
    f(x, pack_tca_count, spmm_pack_tca)                                                                      \
    f(x, pack_values, spmm_pack_entries)
/* clang-format on */

#endif
