/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/problem/format.h"
#include "spmm/problem/spmm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double error_limit[SPMM_PRECISIONS] = {1e-3, 5e-3, 1e-3, 1e-6, 1e-6, 1e-14};

bool bench_spmm_among(const char *list, const char *word) {
    const size_t length = strlen(word);
    if (list == NULL)
        return true;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

/* ---- correctness ---- */

void bench_spmm_find_wanted(bench *it) {
    for (int r = 0; r < CHECKED; r++) {
        const int64_t row = it->checked[r];
        double *wanted = it->wanted + r * it->n;
        memset(wanted, 0, (size_t)it->n * sizeof *wanted);
        for (int64_t k = it->a.start[row]; k < it->a.start[row + 1]; k++) {
            const double a = it->precision == SPMM_FP64 ? ((const double *)it->a.value)[k]
                                                        : (double)((const float *)it->a.value)[k];
            for (int64_t j = 0; j < it->n; j++)
                wanted[j] += a * it->numbers[(it->a.index[k] * it->n + j) % TABLE];
        }
    }
}

/* The relative error of the checked rows in the Frobenius norm; infinite if a number is missing. */
static double find_error(bench *it) {
    const spmm_format format = spmm_format_of(it->precision);
    const int64_t row_bytes = it->n * spmm_format_bytes(format);
    double difference = 0, size = 0;
    void *row = malloc((size_t)row_bytes);
    for (int r = 0; r < CHECKED; r++) {
        if (base_device_download(&it->context, &it->c, it->checked[r] * row_bytes, row, row_bytes, NULL) !=
            BASE_OK) {
            free(row);
            return INFINITY;
        }
        for (int64_t j = 0; j < it->n; j++) {
            const double wanted = it->wanted[r * it->n + j], distance = spmm_unpack(format, row, j) - wanted;
            difference += distance * distance;
            size += wanted * wanted;
        }
    }
    free(row);
    return isnan(difference) ? INFINITY : sqrt(difference / size);
}

/* ---- time ---- */

static base_status run_once(bench *it, const candidate *candidate) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision));
    const spmm_device_operands operands = {.b = it->b.address,
                                           .c = it->c.address,
                                           .n = it->n,
                                           .b_stride = it->n * bytes,
                                           .c_stride = it->n * bytes,
                                           .alpha = 1};
    bool ok = true;
    if (candidate->work != NULL)
        return spmm_device_work_run(&it->context, candidate->work, &operands);
    switch (candidate->kind) {
    case CHOSEN:
    case TUNED:
    case OURS: return spmm_device_product_run(&it->context, candidate->product, &operands, NULL);
    case SPARSE: ok = bench_spmm_sparse_run(); break;
    case DENSE: ok = bench_spmm_dense_run(candidate->library); break;
    }
    return ok ? BASE_OK : base_fail(&it->context, BASE_FAILED, "a library refuses");
}

int bench_spmm_compare(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Fills of the scratch that keep the device busy while runs are submitted: each takes it 150 microseconds,
 * and a call of a library takes up to 30 of the host. */
enum { FILLS = 8 };

/* All runs are submitted while the device is busy, so that it never waits for the host. */
static base_status time_runs(bench *it, const candidate *candidate, double *median) {
    base_status status;
    double seconds[MOST_RUNS];
    base_context *context = &it->context;
    BASE_TRY(run_once(it, candidate));
    BASE_TRY(base_device_wait(context, it->device));
    for (int k = 0; k < FILLS; k++)
        BASE_TRY(base_device_fill(context, &it->scratch, 0, 0, it->scratch.bytes, NULL));
    BASE_TRY(run_once(it, candidate));
    BASE_TRY(run_once(it, candidate));
    for (int k = 0; k < it->runs; k++) {
        BASE_TRY(base_device_event_record(context, it->event[2 * k], NULL));
        BASE_TRY(run_once(it, candidate));
        BASE_TRY(base_device_event_record(context, it->event[2 * k + 1], NULL));
    }
    for (int k = 0; k < it->runs; k++)
        BASE_TRY(base_device_event_seconds(context, it->event[2 * k], it->event[2 * k + 1], &seconds[k]));
    qsort(seconds, (size_t)it->runs, sizeof *seconds, bench_spmm_compare);
    *median = seconds[it->runs / 2];
done:
    return status;
}

/* Times and checks; the best is kept. */
base_status bench_spmm_try(bench *it, const candidate *candidate, const char *name, double prepare) {
    base_status status;
    double seconds, *best = candidate->kind == CHOSEN   ? &it->chosen
                            : candidate->kind == TUNED  ? &it->tuned
                            : candidate->kind == OURS   ? &it->ours
                            : candidate->kind == SPARSE ? &it->sparse
                                                        : &it->dense;
    char *names[] = {it->chosen_name, NULL, it->ours_name, it->sparse_name, NULL};
    const bool is_ours = candidate->kind <= OURS;
    BASE_TRY(base_device_fill(&it->context, &it->c, 0, 0xff, it->c.bytes, NULL));
    BASE_TRY(time_runs(it, candidate, &seconds));
    const double error = find_error(it);
    const bool good = error <= error_limit[it->precision] || !is_ours;
    if (it->all || !good)
        printf("  %s %lld %s %s %.1f us error %.2g%s prepare %.1f us\n", it->name, (long long)it->n,
               spmm_precision_name(it->precision), name, seconds * 1e6, error, good ? "" : " WRONG",
               prepare * 1e6);
    if (good && (*best == 0 || seconds < *best)) {
        *best = seconds;
        if (names[candidate->kind] != NULL)
            snprintf(names[candidate->kind],
                     candidate->kind == SPARSE ? sizeof it->sparse_name : sizeof it->ours_name, "%s", name);
    }
done:
    if (status != BASE_OK) {
        printf("  %s %lld %s %s: %s\n", it->name, (long long)it->n, spmm_precision_name(it->precision), name,
               it->context.error.cause);
        fflush(stdout);
    }
    return status;
}
