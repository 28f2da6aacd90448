/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix times two dense ones: the plan is made once. */
#include <mmpipe/spmm.h>
#include <stdio.h>

enum { ROWS = 3, COLUMNS = 4, N = 2 };

/* [ 1 0 2 0 ]
 * [ 0 3 0 0 ]
 * [ 4 0 0 5 ] */
static const int64_t start[] = {0, 2, 3, 5};
static const int32_t index[] = {0, 2, 1, 0, 3};
static const double value[] = {1, 2, 3, 4, 5};

int main(void) {
    const mmpipe_csr a = {ROWS, COLUMNS, start, index, value};
    const mmpipe_spmm_options options = {.size = sizeof options, .products = 2};
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_spmm *spmm = NULL;
    double b[COLUMNS * N], c[ROWS * N];
    if (context == NULL)
        return 4;
    mmpipe_status status = mmpipe_spmm_open(context, &a, MMPIPE_FP64, N, &options, &spmm);
    for (int product = 0; status == MMPIPE_OK && product < 2; product++) {
        for (int k = 0; k < COLUMNS * N; k++)
            b[k] = k + product;
        const mmpipe_spmm_operands operands = {.b = b, .b_row = N, .c = c, .c_row = N, .alpha = 1};
        status = mmpipe_spmm_multiply(context, spmm, &operands);
        for (int k = 0; status == MMPIPE_OK && k < ROWS * N; k++)
            printf("%g%c", c[k], k % N == N - 1 ? '\n' : ' ');
    }
    if (status != MMPIPE_OK)
        fprintf(stderr, "spmm: %s\n", mmpipe_error(context));
    mmpipe_spmm_close(spmm);
    mmpipe_context_free(context);
    return (int)status;
}
