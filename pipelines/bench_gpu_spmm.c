/* SPDX-License-Identifier: BSD-3-Clause */
/* Times products of the 22 matrices of bench_spmm_matrices.h with dense ones of 32, 128 and 512 columns on a
 * GPU: the kernel that the program chooses beside cuSPARSE (compressed rows, its three algorithms) and, for
 * matrices of at most 4096 rows, dense cuBLAS. What counts as fp32 may be three products of tf32. Warm
 * caches, median of MERGE. For each case a line with the time of the kernel chosen, that of its preparation,
 * cuSPARSE's, cuBLAS's and the fastest known (a file: matrix,N,precision,microseconds,system,…); last,
 * geometric means, and the cases in which we are behind.
 *
 *     bench_gpu_spmm [-m NAMES] [-n NUMBERS] [-p PRECISIONS] [-k KINDS] [-r MERGE] [-b BEST] [-a] [-t
 * THREADS]
 *
 * KINDS: chosen, cusparse, cublas, order (these by default; the last: the chosen kernel once more after
 * mm-order --for spmm, for matrices that it changes); families: all that the program could have chosen, and
 * how long they take to prepare, with -a also what fit_spmm_prices.py needs; rows, merge, rowpairs,
 * rowwindows, panels, bands, rings, splits, bstationary: our device kernels in all variants. -a: a line for
 * each kernel too. NAMES may be those of smaller matrices, too, or small for all these. */
#include "pipelines/bench_gpu_spmm.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "pipelines/bench_spmm_matrices.h"
#include "spmm/problem/format.h"
#include "spmm/problem/spmm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_best(bench *it, const char *path) {
    FILE *file = fopen(path, "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL && it->best_count < MOST_BEST) {
        best_known *best = &it->best[it->best_count];
        it->best_count += sscanf(line, "%15[^,],%d,%7[^,],%lf,%31[^,]", best->matrix, &best->n,
                                 best->precision, &best->microseconds, best->system) == 5;
    }
    if (file != NULL)
        fclose(file);
}

/* ---- cases ---- */

static base_status send(bench *it, const void *from, int64_t bytes, base_device_buffer *buffer) {
    base_status status = base_device_alloc(&it->context, it->device, bytes + 16, 1, buffer);
    return status != BASE_OK ? status : base_device_upload(&it->context, buffer, 0, from, bytes, NULL);
}

/* B: the table over and over. */
static base_status fill_b(bench *it) {
    base_status status;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), all = it->a.ncol * it->n * bytes;
    void *packed = malloc((size_t)(TABLE * bytes));
    uint64_t state = 88172645463325252;
    for (int64_t i = 0; i < TABLE; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        it->numbers[i] = spmm_round(it->precision, (double)(state >> 11) * 0x1p-52 - 1);
    }
    spmm_pack(it->precision, it->numbers, 1, TABLE, packed);
    base_device_free(&it->b);
    base_device_free(&it->c);
    BASE_TRY(base_device_alloc(&it->context, it->device, all + 16, 1, &it->b));
    BASE_TRY(base_device_alloc(&it->context, it->device, it->a.nrow * it->n * bytes + 16, 1, &it->c));
    int64_t filled = all < TABLE * bytes ? all : TABLE * bytes;
    BASE_TRY(base_device_upload(&it->context, &it->b, 0, packed, filled, NULL));
    while (filled < all) {
        const int64_t some = all - filled < filled ? all - filled : filled;
        BASE_TRY(base_device_copy(&it->context, &it->b, filled, &it->b, 0, some, NULL));
        filled += some;
    }
done:
    free(packed);
    return status;
}

static void round_values(bench *it, const spmm_csr *exact, void *value) {
    it->a.value = value;
    for (int64_t k = 0; k < exact->nnz; k++) {
        const float number = ((const float *)exact->value)[k];
        if (it->precision == SPMM_FP64)
            ((double *)value)[k] = number;
        else if (it->precision == SPMM_FP32)
            ((float *)value)[k] = number;
        else
            ((float *)value)[k] = (float)spmm_round(it->precision, number);
    }
}

/* A as the libraries want it. */
static base_status fill_library(bench *it, base_device_buffer *start, base_device_buffer *column,
                                base_device_buffer *value, base_device_buffer *dense,
                                bench_spmm_case *library) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision));
    int32_t *narrow = malloc((size_t)(it->a.nrow + 1) * sizeof *narrow);
    void *full = NULL, *packed = malloc((size_t)(it->a.nnz * bytes) + 1);
    for (int64_t k = 0; k < it->a.nnz; k++)
        spmm_pack_value(it->precision, it->a.value, k, packed, k);
    BASE_TRY(send(it, it->a.index, it->a.nnz * 4, column));
    BASE_TRY(send(it, packed, it->a.nnz * bytes, value));
    for (int64_t row = 0; row <= it->a.nrow; row++)
        narrow[row] = (int32_t)it->a.start[row];
    BASE_TRY(send(it, narrow, (it->a.nrow + 1) * 4, start));
    *library = (bench_spmm_case){.precision = it->precision,
                                 .m = it->a.nrow,
                                 .k = it->a.ncol,
                                 .nnz = it->a.nnz,
                                 .start = start->address,
                                 .column = column->address,
                                 .value = value->address};
    if (it->a.nrow <= 4096 && bench_spmm_among(it->kinds, "cublas")) {
        full = calloc((size_t)(it->a.nrow * it->a.ncol), (size_t)bytes);
        for (int64_t row = 0; row < it->a.nrow; row++)
            for (int64_t k = it->a.start[row]; k < it->a.start[row + 1]; k++) {
                char *to = (char *)full + (row * it->a.ncol + it->a.index[k]) * bytes;
                const double number =
                    bytes == 8 ? ((const double *)it->a.value)[k] : (double)((const float *)it->a.value)[k];
                spmm_pack(it->precision, &number, 1, 1, to);
            }
        BASE_TRY(send(it, full, it->a.nrow * it->a.ncol * bytes, dense));
        library->dense = dense->address;
    }
done:
    free(narrow);
    free(packed);
    free(full);
    return status;
}

/* ---- precisions and matrices ---- */

static base_status run_columns(bench *it, double *natural, const spmm_device_entries *entries,
                               bench_spmm_case *library, spmm_device_product *products,
                               const spmm_device_variant *variants, int count) {
    base_status status;
    BASE_TRY(fill_b(it));
    bench_spmm_find_wanted(it);
    library->n = it->n;
    library->b = it->b.address;
    library->c = it->c.address;
    it->chosen = it->ours = it->sparse = it->dense = it->prepare_seconds = 0;
    it->chosen_name[0] = it->ours_name[0] = it->sparse_name[0] = 0;
    if (bench_spmm_among(it->kinds, "chosen"))
        BASE_TRY(bench_spmm_try_chosen(it));
    if (it->order_gain > 0) {
        bench_spmm_print_ordered(it, *natural);
        goto done;
    }
    *natural = it->chosen;
    if (bench_spmm_among(it->kinds, "families"))
        BASE_TRY(bench_spmm_try_families(it));
    BASE_TRY(bench_spmm_try_ours(it, entries, products, variants, count));
    for (int k = 0; k < BENCH_SPARSE_ALGORITHMS && bench_spmm_among(it->kinds, "cusparse"); k++) {
        char name[8];
        snprintf(name, sizeof name, "alg%d", k + 1);
        if (it->precision != SPMM_TF32 && bench_spmm_sparse_prepare(&it->context, it->device, library, k))
            bench_spmm_try(it, &(candidate){SPARSE, NULL, NULL, library}, name, 0);
        bench_spmm_sparse_end();
    }
    if (library->dense != 0)
        bench_spmm_try(it, &(candidate){DENSE, NULL, NULL, library}, "cublas", 0);
    bench_spmm_print_case(it);
done:
    return status;
}

static base_status run_precision(bench *it, const spmm_csr *exact) {
    base_status status;
    static const int64_t columns[COLUMN_COUNTS] = {32, 128, 512};
    spmm_device_entries entries = {0};
    spmm_device_product products[BENCH_SPMM_WINDOWS] = {{.worker_count = 0}};
    spmm_device_variant variants[BENCH_SPMM_WINDOWS];
    base_device_buffer start = {0}, column = {0}, values = {0}, dense = {0};
    bench_spmm_case library;
    const int count = bench_spmm_list_windows(it, variants);
    void *value = malloc((size_t)exact->nnz * sizeof(double));
    round_values(it, exact, value);
    BASE_TRY(spmm_device_matrix_init(&it->context, it->device, &it->a, it->precision, 0, &it->matrix));
    BASE_TRY(spmm_device_entries_init(&it->context, &it->matrix, &entries));
    BASE_TRY(fill_library(it, &start, &column, &values, &dense, &library));
    for (int k = 0; k < COLUMN_COUNTS; k++) {
        char digits[8];
        snprintf(digits, sizeof digits, "%lld", (long long)columns[k]);
        it->n = columns[k];
        if (bench_spmm_among(it->columns, digits))
            BASE_TRY(run_columns(it, &it->natural[it->precision][k], &entries, &library, products, variants,
                                 count));
    }
done:
    for (int k = 0; k < count; k++)
        spmm_device_product_free(&products[k]);
    spmm_device_entries_free(&entries);
    spmm_device_matrix_free(&it->matrix);
    base_device_free(&start);
    base_device_free(&column);
    base_device_free(&values);
    base_device_free(&dense);
    free(value);
    return status;
}

static base_status run_rows(bench *it, const spmm_csr *exact) {
    base_status status = BASE_OK;
    it->a = *exact;
    for (int r = 0; r < CHECKED; r++)
        it->checked[r] = (exact->nrow - 1) * r / (CHECKED - 1);
    for (int64_t row = 0; row < exact->nrow; row++)
        if (exact->start[row + 1] - exact->start[row] >
            exact->start[it->checked[1] + 1] - exact->start[it->checked[1]])
            it->checked[1] = row;
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        it->precision = (spmm_precision)p;
        if (p != SPMM_3XTF32 && bench_spmm_among(it->precisions, spmm_precision_name(it->precision)))
            BASE_TRY(run_precision(it, exact));
    }
done:
    return status;
}

static base_status run_matrix(bench *it, int number) {
    base_status status;
    spmm_csr exact, ordered = {0};
    const double begin = base_clock_seconds();
    bench_spmm_matrix(number, &exact);
    it->name = bench_spmm_names[number];
    it->order_gain = 0;
    BASE_TRY(run_rows(it, &exact));
    if (bench_spmm_among(it->kinds, "order") && bench_spmm_among(it->kinds, "chosen"))
        BASE_TRY(bench_spmm_order(it, &exact, &ordered));
    if (ordered.nrow > 0)
        BASE_TRY(run_rows(it, &ordered));
done:
    fprintf(stderr, "%s: %.1f s\n", it->name, base_clock_seconds() - begin);
    bench_spmm_matrix_free(&exact);
    bench_spmm_matrix_free(&ordered);
    return status;
}

static base_status open_bench(bench *it, base_devices **devices) {
    base_status status;
    base_context *context = &it->context;
    BASE_TRY(base_devices_open(context, BASE_DEVICE_CUDA, (int[]){0}, 1, devices));
    it->device = base_devices_get(*devices, 0);
    BASE_TRY(base_device_start(context, it->device));
    for (int k = 0; k < 2 * it->runs; k++)
        BASE_TRY(base_device_event_open(context, it->device, &it->event[k]));
    BASE_TRY(base_device_alloc(context, it->device, INT64_C(1) << 29, 1, &it->scratch));
    it->numbers = base_alloc(context, TABLE, sizeof *it->numbers);
    it->wanted = base_alloc(context, CHECKED * 512, sizeof *it->wanted);
    if (it->numbers == NULL || it->wanted == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    const char *missing = bench_spmm_cuda_open();
    if (missing != NULL) {
        printf("without cuSPARSE and cuBLAS: %s\n", missing);
        it->kinds = "chosen";
    }
done:
    return status;
}

int main(int argc, char **argv) {
    static bench it = {.runs = 20, .kinds = "chosen,cusparse,cublas,order"};
    base_devices *devices = NULL;
    base_status status;
    base_context_init(&it.context);
    it.context.threads = 8;
    for (int option; (option = getopt(argc, argv, "m:n:p:k:r:b:t:a")) != -1;)
        switch (option) {
        case 'm': it.matrices = optarg; break;
        case 'n': it.columns = optarg; break;
        case 'p': it.precisions = optarg; break;
        case 'k': it.kinds = optarg; break;
        case 'r': it.runs = (int)strtol(optarg, NULL, 10) % (MOST_RUNS + 1); break;
        case 'b': read_best(&it, optarg); break;
        case 't': it.context.threads = (int)strtol(optarg, NULL, 10); break;
        case 'a': it.all = true; break;
        default: return 2;
        }
    BASE_TRY(open_bench(&it, &devices));
    bench_spmm_print_header();
    for (int k = 0; k < BENCH_SPMM_MATRICES + (it.matrices != NULL ? BENCH_SPMM_SMALL : 0); k++)
        if (bench_spmm_among(it.matrices, bench_spmm_names[k]) ||
            (k >= BENCH_SPMM_MATRICES && bench_spmm_among(it.matrices, "small")))
            BASE_TRY(run_matrix(&it, k));
    bench_spmm_print_means(&it);
done:
    for (int k = 0; k < 2 * it.runs; k++)
        base_device_event_close(it.event[k]);
    base_device_free(&it.b);
    base_device_free(&it.c);
    base_device_free(&it.scratch);
    free(it.numbers);
    free(it.wanted);
    base_devices_close(devices);
    if (status != BASE_OK)
        fprintf(stderr, "bench_gpu_spmm: %s\n", it.context.error.cause);
    return (int)status;
}
