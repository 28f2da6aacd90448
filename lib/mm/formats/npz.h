/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of an archive of NumPy's that make one sparse matrix. Private to npz.c and npz_sparse.c. */
#ifndef MM_FORMATS_NPZ_H
#define MM_FORMATS_NPZ_H

#include "mm/formats/npy.h"

typedef enum mm_npz_part {
    MM_NPZ_DATA,
    MM_NPZ_SHAPE,
    MM_NPZ_INDICES,
    MM_NPZ_POINTERS,
    MM_NPZ_OFFSETS,
    MM_NPZ_ROW,
    MM_NPZ_COL,
    MM_NPZ_PARTS
} mm_npz_part;

extern const char *const mm_npz_part_names[MM_NPZ_PARTS];

/* A member whose header was read; `memory` is at its numbers. */
typedef struct mm_npz_member {
    bool is_there;
    char *made; /* its bytes, where these are not in the archive; to be freed */
    mm_npy npy;
    mm_number_memory memory;
    mm_number_bytes bytes;
} mm_npz_member;

/* The bytes of the member are there no more; what its header said is. */
void mm_npz_drop(mm_npz_member *member);

/* The matrix in one of SciPy's formats: csr, csc, coo, bsr, dia. Fails with BASE_DAMAGED where the arrays
 * contradict each other, with BASE_FAILED on another format.
 * Members are dropped when they have been read. */
base_status mm_npz_read_sparse(base_context *context, mm_npz_member members[MM_NPZ_PARTS], const char *format,
                               mm_record *record);

#endif
