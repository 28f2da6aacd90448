/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a kernel that is made for a matrix, with a comment that says what it computes. */
#include "base/core/memory.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/sparse/device.h"
#include "perm/sparse/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The comment and the code. */
static base_status join(base_context *context, const perm_sparse *sparse, const perm_sparse_launch *launch,
                        const char *code, char **source) {
    const char *head =
        "/* A permanent of order %d: 2^%" PRId64 " times %sthe sum over runs r = 0 ... %" PRId64
        " of (-1)^(bits set in r)\n"
        " * (high + low), where perm_sparse(first, count, out) leaves those of run first + t in out[t],\n"
        " * out[count + t]%s. Blocks of %d threads, a run each, %" PRId64
        " bytes of dynamic shared memory; do not fuse. */\n%s";
    const bool negative = sparse->problem.n % 2 == 0;
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs;
    size_t bytes = strlen(head) + strlen(code) + 256;
    *source = base_alloc(context, (int64_t)bytes, 1);
    if (*source == NULL)
        return BASE_MACHINE;
    snprintf(*source, bytes, head, (int)sparse->problem.n, sparse->exponent, negative ? "-1 times " : "",
             runs - 1,
             sparse->problem.is_complex ? " and, imaginary, out[2 count + t], out[3 count + t]" : "",
             launch->threads, perm_sparse_shared_bytes(&sparse->problem, launch), code);
    return BASE_OK;
}

base_status perm_sparse_emit(base_context *context, perm_sparse_variant variant, const perm_matrix *matrix,
                             char **source) {
    base_status status;
    perm_dense_matrix entries = {.n = 0};
    perm_sparse sparse = {0};
    char *code = NULL;
    *source = NULL;
    if (matrix->n > PERM_SPARSE_LARGEST)
        BASE_TRY(base_fail(context, BASE_FAILED, "a block of order %" PRId64 " is too large for a kernel",
                           matrix->n));
    BASE_TRY(perm_dense_matrix_init(context, matrix, &entries));
    BASE_TRY(perm_sparse_cuda_prepare(context, &entries, variant, NULL, &sparse));
    if (sparse.chunk_count == 0 || (variant != PERM_SPARSE_TABLES && entries.is_complex))
        BASE_TRY(base_fail(context, BASE_FAILED, "no kernel for a block %s",
                           sparse.chunk_count == 0 ? "with an empty row or column" : "of complex numbers"));
    perm_sparse_launch launch = variant == PERM_SPARSE_TABLES
                                    ? perm_sparse_cuda_launch
                                    : perm_sparse_cuda_gray_launch(&sparse.problem, variant);
    launch = perm_sparse_cuda_fit(&sparse, &launch);
    code = perm_sparse_print_code(&sparse.problem, &launch);
    if (code == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "out of memory"));
    BASE_TRY(join(context, &sparse, &launch, code, source));
done:
    free(code);
    perm_sparse_free(&sparse);
    perm_dense_matrix_free(&entries);
    return status;
}
