/* SPDX-License-Identifier: BSD-3-Clause */
/* Times products of the 22 matrices of bench_spmm_matrices.h, or of those in FILEs, with dense ones of 32,
 * 128 and 512 columns on a GPU: the kernel that the program chooses beside cuSPARSE (compressed rows, its
 * three algorithms) and, for matrices of at most 4096 rows, dense cuBLAS. What counts as fp32 may be three
 * products of tf32. Warm caches, median of MERGE. For each case a line with the time of the kernel chosen,
 * that of its preparation, cuSPARSE's, cuBLAS's and the fastest known (a file:
 * matrix,N,precision,microseconds,system,…); last, geometric means, and the cases in which we are behind.
 *
 *     bench_gpu_spmm [-m NAMES] [-n NUMBERS] [-p PRECISIONS] [-k KINDS] [-r MERGE] [-b BEST] [-a] [-t
 * THREADS] [FILE...]
 *
 * KINDS: chosen, cusparse, cublas, order (these by default; the last: the chosen kernel once more after
 * mm-order --for spmm, for matrices that it changes); tuned: what the program takes with --tune; families:
 * all that the program could have chosen, and how long they take to prepare; rows, merge, rowstaged,
 * rowpairs, rowwindows, panels, bands, rings, splits, bstationary: our device kernels in all variants. -a: a
 * line for each kernel too, and what fit_spmm_prices.py needs. NAMES may be those of smaller matrices, too,
 * or small for all these. NUMBERS: of columns, at most 8. FILEs are streams of matrices in any form that the
 * programs read, - being standard input. */
#include "pipelines/bench_gpu_spmm.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/reader.h"
#include "pipelines/bench_spmm_matrices.h"
#include "spmm/problem/format.h"
#include "spmm/problem/inspect.h"
#include "spmm/product/operands.h"

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

/* ---- precisions and matrices ---- */

static base_status run_columns(bench *it, double *natural, const spmm_device_entries *entries,
                               bench_spmm_case *library, spmm_device_product *products,
                               const spmm_device_variant *variants, int count) {
    base_status status;
    it->problem.precision = it->precision;
    it->problem.a = it->a;
    it->problem.n = it->n;
    BASE_TRY(bench_spmm_fill_b(it));
    bench_spmm_find_wanted(it);
    library->n = it->n;
    library->b = it->b.address;
    library->c = it->c.address;
    it->chosen = it->tuned = it->ours = it->sparse = it->dense = it->prepare_seconds = 0;
    it->chosen_name[0] = it->ours_name[0] = it->sparse_name[0] = 0;
    if (bench_spmm_among(it->kinds, "chosen"))
        BASE_TRY(bench_spmm_try_chosen(it));
    if (it->order_gain > 0) {
        bench_spmm_print_ordered(it, *natural);
        goto done;
    }
    *natural = it->chosen;
    if (bench_spmm_among(it->kinds, "tuned"))
        BASE_TRY(bench_spmm_try_tuned(it));
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
    spmm_device_entries entries = {0};
    spmm_device_product products[BENCH_SPMM_WINDOWS] = {{.worker_count = 0}};
    spmm_device_variant variants[BENCH_SPMM_WINDOWS];
    base_device_buffer start = {0}, column = {0}, values = {0}, dense = {0};
    bench_spmm_case library;
    const int count = bench_spmm_list_windows(it, variants);
    void *value = malloc((size_t)exact->nnz * sizeof(double));
    bench_spmm_round_values(it, exact, value);
    BASE_TRY(spmm_device_matrix_init(&it->context, it->device, &it->a, it->precision, 0, &it->matrix));
    BASE_TRY(spmm_device_entries_init(&it->context, &it->matrix, &entries));
    BASE_TRY(bench_spmm_fill_library(it, &start, &column, &values, &dense, &library));
    for (int k = 0; k < it->column_counts; k++) {
        it->n = it->columns[k];
        BASE_TRY(
            run_columns(it, &it->natural[it->precision][k], &entries, &library, products, variants, count));
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
    it->problem = (spmm_problem){.a = *exact, .narrow_c = true};
    BASE_TRY(spmm_inspect(&it->context, &it->problem));
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

static base_status run_matrix(bench *it, const char *name, const spmm_csr *exact) {
    base_status status;
    spmm_csr ordered = {0};
    const double begin = base_clock_seconds();
    it->name = name;
    it->order_gain = 0;
    BASE_TRY(run_rows(it, exact));
    if (bench_spmm_among(it->kinds, "order") && bench_spmm_among(it->kinds, "chosen"))
        BASE_TRY(bench_spmm_order(it, exact, &ordered));
    if (ordered.nrow > 0)
        BASE_TRY(run_rows(it, &ordered));
done:
    fprintf(stderr, "%s: %.1f s\n", it->name, base_clock_seconds() - begin);
    bench_spmm_matrix_free(&ordered);
    return status;
}

static base_status run_record(bench *it, const mm_record *record) {
    base_status status;
    char *name = NULL;
    spmm_matrix matrix = {.start = NULL};
    BASE_TRY(mm_record_name(&it->context, record, &name));
    BASE_TRY(spmm_matrix_from_record(&it->context, record, false, SPMM_FP32, &matrix));
    BASE_TRY(run_matrix(it, name, &matrix.csr));
done:
    free(name);
    spmm_matrix_free(&matrix);
    return status;
}

static base_status run_files(bench *it, const char *const *paths, int count) {
    base_status status;
    mm_reader *reader = NULL;
    mm_record record = {0};
    bool found;
    BASE_TRY(mm_reader_open(&it->context, paths, count, false, &reader));
    for (;;) {
        BASE_TRY(mm_reader_next(&it->context, reader, &record, &found));
        if (!found)
            break;
        BASE_TRY(run_record(it, &record));
        mm_record_free(&record);
    }
done:
    mm_record_free(&record);
    mm_reader_close(reader);
    return status;
}

static base_status run_own(bench *it) {
    base_status status = BASE_OK;
    for (int k = 0; k < BENCH_SPMM_MATRICES + (it->matrices != NULL ? BENCH_SPMM_SMALL : 0); k++) {
        const char *name = bench_spmm_names[k];
        spmm_csr exact;
        if (!bench_spmm_among(it->matrices, name) &&
            (k < BENCH_SPMM_MATRICES || !bench_spmm_among(it->matrices, "small")))
            continue;
        bench_spmm_matrix(k, &exact);
        status = run_matrix(it, name, &exact);
        bench_spmm_matrix_free(&exact);
        BASE_TRY(status);
    }
done:
    return status;
}

static base_status open_bench(bench *it, base_devices **devices) {
    base_status status;
    base_context *context = &it->context;
    int64_t most_columns = 1;
    for (int k = 0; k < it->column_counts; k++)
        most_columns = it->columns[k] > most_columns ? it->columns[k] : most_columns;
    BASE_TRY(base_devices_open(context, BASE_DEVICE_CUDA, (int[]){0}, 1, devices));
    it->device = base_devices_get(*devices, 0);
    BASE_TRY(base_device_start(context, it->device));
    for (int k = 0; k < 2 * it->runs; k++)
        BASE_TRY(base_device_event_open(context, it->device, &it->event[k]));
    BASE_TRY(base_device_alloc(context, it->device, INT64_C(1) << 29, 1, &it->scratch));
    it->numbers = base_alloc(context, TABLE, sizeof *it->numbers);
    it->wanted = base_alloc(context, CHECKED * most_columns, sizeof *it->wanted);
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

/* False: these are not at most MOST_COLUMNS numbers with commas. */
static bool parse_columns(bench *it, const char *text) {
    for (it->column_counts = 0; it->column_counts < MOST_COLUMNS; text++) {
        char *end;
        const int64_t columns = strtol(text, &end, 10);
        if (columns < 1)
            return false;
        it->columns[it->column_counts++] = columns;
        if (*end == 0)
            return true;
        text = end;
    }
    return false;
}

int main(int argc, char **argv) {
    static bench it = {
        .runs = 20, .kinds = "chosen,cusparse,cublas,order", .columns = {32, 128, 512}, .column_counts = 3};
    base_devices *devices = NULL;
    base_status status;
    base_context_init(&it.context);
    it.context.threads = 8;
    for (int option; (option = getopt(argc, argv, "m:n:p:k:r:b:t:a")) != -1;)
        switch (option) {
        case 'm': it.matrices = optarg; break;
        case 'n':
            if (!parse_columns(&it, optarg))
                return 2;
            break;
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
    if (optind < argc)
        BASE_TRY(run_files(&it, (const char *const *)argv + optind, argc - optind));
    else
        BASE_TRY(run_own(&it));
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
