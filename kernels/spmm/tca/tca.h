/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/tca.c and the device kernels tca_half and tca_bfloat: products by
 * the method of TCA-SpMM (matricised vectors), to compare with. body.h has the kernel, pack/tca.h gives rows
 * their warps. A block has 8 warps. A row of at most 8, 16, 32 or 64 entries has 1, 2, 4 or 8 of them, all in
 * one block; a longer one has whole blocks, which share the columns of C. */
#ifndef SPMM_TCA_TCA_H
#define SPMM_TCA_TCA_H

enum {
    SPMM_TCA_WARPS = 8,     /* of a block */
    SPMM_TCA_FRAGMENT = 64, /* entries of a row in a fragment */
    SPMM_TCA_TILE = 64      /* columns of C that a block works on at a time */
};

typedef struct spmm_tca_product {
    /* [warp] of all blocks */
    const int *row;         /* -1: the warp has none */
    const int *warps;       /* of the row: 1, 2, 4, 8, 16, 24, … */
    const int *within;      /* the warp's number among these */
    const long long *start; /* [row] and the end: A in compressed rows … */
    const int *column;
    const unsigned short *value;
    const void *b; /* … and B, C by rows as in common/gpu.h */
    void *c;
    int b_stride, c_stride; /* bytes from row to row */
    int vectors;            /* of 16 bytes in a row of B */
    int n;                  /* columns */
    int wide;               /* C in floats */
    int unused;
    double alpha, beta;
} spmm_tca_product;

#endif
