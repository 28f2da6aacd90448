/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_gpu_spmm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATIOS = 7 };
static double ratio_sum[SPMM_PRECISIONS][RATIOS];
static int ratio_count[SPMM_PRECISIONS][RATIOS];

/* Cases for which something does not hold. */
typedef struct case_list {
    const char *what;
    char text[8192];
    int count, of;
} case_list;

static case_list late[] = {{.what = "slower than cuSPARSE"},
                           {.what = "slower than the best known"},
                           {.what = "prepared in more than ten products"},
                           {.what = "more than a tenth slower than our best"},
                           {.what = "slower than cuSPARSE with --tune"}};

static void count_ratio(spmm_precision precision, int which, double other, double ours) {
    if (other > 0 && ours > 0) {
        ratio_sum[precision][which] += log(other / ours);
        ratio_count[precision][which]++;
    }
}

static void count_case(const bench *it, case_list *list, double is, double limit) {
    const size_t length = strlen(list->text);
    if (is == 0 || limit == 0)
        return;
    list->of++;
    if (is <= limit)
        return;
    list->count++;
    snprintf(list->text + length, sizeof list->text - length, " %s/%lld/%s(%.2f)", it->name, (long long)it->n,
             spmm_precision_name(it->precision), is / limit);
}

/* What is known of a library, replaced by its time in this run where it has one. */
static double time_again(const bench *it, const char *system, double known) {
    static const char *const sparse[] = {"cusparse-default", "cusparse-alg1", "cusparse-alg2",
                                         "cusparse-alg3"};
    if (strcmp(system, "cublas-dense") == 0 && it->dense > 0)
        return it->dense;
    for (size_t k = 0; k < sizeof sparse / sizeof *sparse; k++)
        if (strcmp(system, sparse[k]) == 0 && it->sparse > 0)
            return it->sparse;
    return known;
}

void bench_spmm_print_header(void) {
    printf("%-8s %3s %-6s %8s %-32s %8s %5s %8s %-30s %8s %-5s %8s %8s %-20s %5s %5s\n", "matrix", "N", "",
           "us", "kernel chosen", "prep us", "/us", "best us", "of all of ours", "cuSPARSE", "", "cuBLAS",
           "known", "", "cuSP", "known");
}

void bench_spmm_print_case(bench *it) {
    const spmm_precision precision = it->precision;
    const char *name = spmm_precision_name(precision);
    double known = 0;
    const char *system = "";
    for (int k = 0; k < it->best_count; k++)
        if (strcmp(it->best[k].matrix, it->name) == 0 && strcmp(it->best[k].precision, name) == 0 &&
            it->best[k].n == it->n) {
            known = it->best[k].microseconds * 1e-6;
            system = it->best[k].system;
        }
    const double time = it->chosen > 0 ? it->chosen : it->ours, divisor = time > 0 ? time : 1;
    printf("%-8s %3lld %-6s %8.1f %-32s %8.1f %5.1f %8.1f %-30s %8.1f %-5s %8.1f %8.1f %-20s %5.2f %5.2f\n",
           it->name, (long long)it->n, name, it->chosen * 1e6, it->chosen_name, it->prepare_seconds * 1e6,
           it->prepare_seconds / divisor, it->ours * 1e6, it->ours_name, it->sparse * 1e6, it->sparse_name,
           it->dense * 1e6, known * 1e6, system, it->sparse / divisor, known / divisor);
    fflush(stdout);
    count_ratio(precision, 0, it->sparse, time);
    count_ratio(precision, 1, known, time);
    count_ratio(precision, 2, known, it->dense > 0 && it->dense < time ? it->dense : time);
    count_ratio(precision, 3, it->chosen, it->ours > 0 && it->ours < it->chosen ? it->ours : it->chosen);
    count_ratio(precision, 5, time_again(it, system, known), time);
    count_ratio(precision, 6, it->sparse, it->tuned);
    count_case(it, &late[0], time, it->sparse);
    count_case(it, &late[1], time, known);
    count_case(it, &late[2], it->prepare_seconds, 10 * it->chosen);
    count_case(it, &late[3], it->chosen, 1.1 * it->ours);
    count_case(it, &late[4], it->tuned, it->sparse);
}

void bench_spmm_print_ordered(const bench *it, double natural) {
    printf("%-8s %3lld %-6s %8.1f %-32s with its rows in order, which shares %.2f times as much: %.2f\n",
           it->name, (long long)it->n, spmm_precision_name(it->precision), it->chosen * 1e6, it->chosen_name,
           it->order_gain, natural / it->chosen);
    fflush(stdout);
    count_ratio(it->precision, 4, natural, it->chosen);
}

void bench_spmm_print_means(const bench *it) {
    static const char *const names[RATIOS] = {"cuSPARSE / ours",
                                              "best known / ours",
                                              "best known / ours or dense cuBLAS",
                                              "the kernel chosen / the best of ours",
                                              "as it is / ordered",
                                              "best known, libraries timed again / ours",
                                              "cuSPARSE / ours with --tune"};
    for (int k = 0; k < RATIOS; k++)
        for (int p = 0; p < SPMM_PRECISIONS; p++)
            if (ratio_count[p][k] > 0)
                printf("geometric mean of %s, %s: %.3f (%d)\n", names[k],
                       spmm_precision_name((spmm_precision)p), exp(ratio_sum[p][k] / ratio_count[p][k]),
                       ratio_count[p][k]);
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        printf("%s: %d of %d:%s\n", late[k].what, late[k].count, late[k].of, late[k].text);
    if (it->families > 0)
        printf("%s: %d of %d kernels:%s\n", late[2].what, it->late_families, it->families, it->late_names);
}
