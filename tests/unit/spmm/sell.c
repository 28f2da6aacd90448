/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by slices beside those by rows: the same bits for random shapes, blocks, parts and columns; and
 * slices decoded back to the entries of A. */
#include "spmm/cpu/sell.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 11, SHAPES = 40 };

static base_context context;
static base_random randoms;

static int64_t pick(int64_t most) {
    return (int64_t)base_random_below(&randoms, (uint64_t)most + 1);
}

/* Rows of very different lengths, some of them empty. */
static spmm_csr draw_matrix(bool is_wide) {
    const int64_t nrow = 1 + pick(700), ncol = 1 + pick(300);
    int64_t *start = calloc((size_t)nrow + 1, sizeof *start);
    int32_t *index = malloc((size_t)(nrow * ncol) * sizeof *index);
    double *value = malloc((size_t)(nrow * ncol) * sizeof *value);
    int64_t nnz = 0;
    for (int64_t row = 0; row < nrow; row++) {
        const double share = pick(4) == 0 ? 0 : base_random_uniform(&randoms) * base_random_uniform(&randoms);
        for (int64_t k = 0; k < ncol; k++)
            if (base_random_uniform(&randoms) < share) {
                const double number = base_random_uniform(&randoms) - 0.5;
                index[nnz] = (int32_t)k;
                if (is_wide)
                    value[nnz++] = number;
                else
                    ((float *)value)[nnz++] = (float)number;
            }
        start[row + 1] = nnz;
    }
    return (spmm_csr){nrow, ncol, nnz, start, index, value};
}

static void free_matrix(spmm_csr *a) {
    free((void *)(uintptr_t)a->start);
    free((void *)(uintptr_t)a->index);
    free((void *)(uintptr_t)a->value);
}

/* Every entry of A once, in its row, block and order; nothing else but places without one. */
static bool decodes(const spmm_csr *a, const spmm_sell *slices, bool is_wide) {
    const int64_t bytes = is_wide ? 8 : 4, step_bytes = spmm_sell_step_bytes(is_wide);
    int64_t *next = malloc((size_t)a->nrow * sizeof *next), slice = 0;
    const char *entry = slices->entry;
    bool good = true;
    memcpy(next, a->start, (size_t)a->nrow * sizeof *next);
    for (int64_t b = 0; b < slices->blocks; b++)
        for (; good && slice < slices->first_slice[(b + 1) * slices->windows]; slice++) {
            const spmm_sell_slice *own = &slices->slice[slice];
            for (int32_t step = 0; step < own->steps; step++, entry += step_bytes)
                for (int i = 0; i < SPMM_SELL_ROWS; i++) {
                    uint16_t place;
                    memcpy(&place, entry + 2 * i, sizeof place);
                    const char *value = entry + 2 * SPMM_SELL_ROWS + i * bytes;
                    const int64_t column = b * slices->block_columns + place, row = own->row[i],
                                  k = i < own->rows ? next[row] : 0;
                    if (place == slices->block_columns)
                        continue;
                    good = good && i < own->rows && k < a->start[row + 1] && a->index[k] == column &&
                           memcmp(value, (const char *)a->value + k * bytes, (size_t)bytes) == 0;
                    next[row]++;
                }
        }
    for (int64_t row = 0; row < a->nrow; row++)
        good = good && next[row] == a->start[row + 1];
    free(next);
    return good;
}

/* All panels, in parts; C keeps a margin of the rows of its array. */
static bool multiplies(const spmm_rows_kernel *kernel, const spmm_csr *a, const spmm_sell *slices,
                       spmm_format format) {
    const bool is_wide = format == SPMM_FORMAT_FP64;
    const int64_t bytes = is_wide ? 8 : 4, n = 1 + pick(70), row = n + pick(20), many = 1 + pick(3),
                  size = (a->nrow + a->ncol + 1) * row, columns = spmm_sell_columns(is_wide);
    char *b = base_alloc_aligned(&context, size, bytes), *c = base_alloc_aligned(&context, size, bytes),
         *wanted = base_alloc_aligned(&context, size, bytes),
         *room = base_alloc_aligned(&context, spmm_sell_room_bytes(slices, many), 1);
    for (int64_t k = 0; k < size; k++) {
        const double number = base_random_uniform(&randoms) - 0.5;
        if (is_wide)
            ((double *)b)[k] = ((double *)c)[k] = number;
        else
            ((float *)b)[k] = ((float *)c)[k] = (float)number;
    }
    memcpy(wanted, c, (size_t)(size * bytes));
    const spmm_job job = {a, n, b, row, c, row, base_random_uniform(&randoms), pick(1) ? 0 : 0.75, NULL};
    spmm_job by_rows = job;
    by_rows.c = wanted;
    kernel->run[format](&by_rows, 0, a->nrow);
    memset(room, 0xa5, (size_t)spmm_sell_room_bytes(slices, many));
    for (int64_t first = 0; first < slices->windows; first += many)
        for (int64_t column = 0; column < n; column += columns)
            spmm_sell_run(slices, kernel, format, &job, column, first,
                          first + many < slices->windows ? first + many : slices->windows, room);
    const bool good = memcmp(c, wanted, (size_t)(size * bytes)) == 0;
    free(b);
    free(c);
    free(wanted);
    free(room);
    return good;
}

static void test(const spmm_rows_kernel *kernel, spmm_format format) {
    int wrong[2] = {0, 0};
    for (int k = 0; k < SHAPES; k++) {
        const bool is_wide = format == SPMM_FORMAT_FP64;
        spmm_csr a = draw_matrix(is_wide);
        spmm_sell slices;
        const bool made = spmm_sell_init(&context, &a, 1 + pick(a.ncol), is_wide, &slices) == BASE_OK;
        wrong[0] += !made || !decodes(&a, &slices, is_wide);
        wrong[1] += !made || !multiplies(kernel, &a, &slices, format);
        spmm_sell_free(&slices);
        free_matrix(&a);
    }
    tap_ok(wrong[0] == 0, "%s, format %d: entries come back (%d wrong)", kernel->name, (int)format, wrong[0]);
    tap_ok(wrong[1] == 0, "%s, format %d: the bits of products by rows (%d wrong)", kernel->name, (int)format,
           wrong[1]);
}

int main(void) {
    int tested = 0;
    base_context_init(&context);
    context.threads = 2;
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", (int)SEED);
    const struct {
        const spmm_rows_kernel *kernel;
        unsigned feature;
    } kernels[] = {
#if defined(__x86_64__)
        {&spmm_avx2, CPU_AVX2},
        {&spmm_avx512, CPU_AVX512},
#endif
        {NULL, 0}
    };
    for (int k = 0; kernels[k].kernel != NULL; k++) {
        if (!(base_cpu_features() & kernels[k].feature))
            continue;
        for (int format = SPMM_FORMAT_FP32; format <= SPMM_FORMAT_FP64; format++) {
            test(kernels[k].kernel, (spmm_format)format);
            tested++;
        }
    }
    if (tested == 0)
        tap_skip(1, "the processor has no instructions for slices");
    return tap_done();
}
