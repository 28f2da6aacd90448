/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the sum of a sparse permanent over all subsets of a run, one after the other in Gray code order: row
 * sums are variables, and the columns that change are cases of a switch, the same for all threads. In the
 * hybrid way the sums of some rows are in an array, with their product beside it, which columns without
 * entries in these rows leave alone. */
#include "perm/sparse/code.h"

#include <inttypes.h>

typedef struct gray_printer {
    const perm_sparse_problem *problem;
    FILE *text;
    uint64_t near; /* rows in registers */
    int far_count; /* the others */
    int place[64]; /* of these, in the array */
    int columns;   /* that change inside a run */
} gray_printer;

static bool is_near(const gray_printer *p, int row) {
    return p->near >> row & 1;
}

static void sort_rows(const perm_sparse_launch *launch, gray_printer *p) {
    const int n = (int)p->problem->n;
    p->near = launch->variant == PERM_SPARSE_HYBRID ? launch->register_rows : UINT64_MAX;
    for (int row = 0; row < n; row++)
        p->place[row] = is_near(p, row) ? -1 : p->far_count++;
}

static bool is_far(const gray_printer *p, int64_t column) {
    bool far = false;
    for (int64_t e = p->problem->column_start[column]; e < p->problem->column_start[column + 1]; e++)
        far = far || !is_near(p, p->problem->row[e]);
    return far;
}

/* The entries in the array's rows, as tables for loops, so that no compiler takes the array to pieces. */
static void print_far_tables(const gray_printer *p) {
    const perm_sparse_problem *problem = p->problem;
    const int n = (int)problem->n;
    int count = 0, start[65] = {0};
    fprintf(p->text,
            "#ifdef __CUDACC__\n#define GRAY_NO_UNROLL _Pragma(\"unroll 1\")\n#else\n"
            "#define GRAY_NO_UNROLL\n#endif\n__constant__ double far_start[%d] = {",
            p->far_count);
    for (int row = 0; row < n; row++)
        if (!is_near(p, row))
            fprintf(p->text, "%a, ", problem->start[row]);
    fprintf(p->text, "};\n__constant__ double far_twice[] = {");
    for (int j = 0; j < n; start[++j] = count)
        for (int64_t e = problem->column_start[j]; e < problem->column_start[j + 1]; e++)
            if (!is_near(p, problem->row[e])) {
                fprintf(p->text, "%a, ", problem->twice[e]);
                count++;
            }
    fprintf(p->text, "0};\n__constant__ int far_place[] = {");
    for (int64_t e = 0; e < problem->column_start[n]; e++)
        if (!is_near(p, problem->row[e]))
            fprintf(p->text, "%d, ", p->place[problem->row[e]]);
    fprintf(p->text, "0};\n__constant__ int far_column[%d] = {", n + 1);
    for (int j = 0; j <= n; j++)
        fprintf(p->text, "%d, ", start[j]);
    fprintf(p->text,
            "};\n\n__device__ __forceinline__ void change(double *x, int j, double factor) {\n"
            "    GRAY_NO_UNROLL\n    for (int e = far_column[j]; e < far_column[j + 1]; e++)\n"
            "        x[far_place[e]] = fma(factor, far_twice[e], x[far_place[e]]);\n}\n\n"
            "__device__ __forceinline__ double multiply(const double *x) {\n"
            "    double product = 1;\n    GRAY_NO_UNROLL\n"
            "    for (int k = 0; k < %d; k++)\n        product *= x[k];\n"
            "    return product;\n}\n\n",
            p->far_count);
}

static void print_column(const gray_printer *p, int64_t j) {
    const perm_sparse_problem *problem = p->problem;
    for (int64_t e = problem->column_start[j]; e < problem->column_start[j + 1]; e++)
        if (is_near(p, problem->row[e]))
            fprintf(p->text, "x%d = fma(factor, %a, x%d);\n", (int)problem->row[e], problem->twice[e],
                    (int)problem->row[e]);
    if (is_far(p, j))
        fprintf(p->text, "change(far, %d, factor);\n", (int)j);
}

/* Row sums of the first subset of the run. */
static void print_start(const gray_printer *p) {
    const perm_sparse_problem *problem = p->problem;
    const int n = (int)problem->n;
    for (int row = 0; row < n; row++)
        if (is_near(p, row))
            fprintf(p->text, "double x%d = %a;\n", row, problem->start[row]);
    if (p->far_count > 0)
        fprintf(p->text, "double far[%d];\nfor (int k = 0; k < %d; k++)\n    far[k] = far_start[k];\n",
                p->far_count, p->far_count);
    for (int j = p->columns; j < n - 1; j++) {
        fprintf(p->text, "if (run >> %d & 1) {\nconst double factor = 1;\n", j - p->columns);
        print_column(p, j);
        fprintf(p->text, "}\n");
    }
    fprintf(p->text, "double rest = %s;\n", p->far_count > 0 ? "multiply(far)" : "1");
}

static void print_switch(const gray_printer *p) {
    fprintf(p->text, "if (at > 0) {\n"
                     "const int bit = __ffsll(at) - 1;\n"
                     "const double factor = (at ^ at >> 1) >> bit & 1 ? 1.0 : -1.0;\n"
                     "switch (bit) {\n");
    for (int j = 0; j < p->columns; j++) {
        fprintf(p->text, "case %d: {\n", j);
        print_column(p, j);
        /* The product of the rows in memory changes with such a column only. */
        if (is_far(p, j))
            fprintf(p->text, "rest = multiply(far);\n");
        fprintf(p->text, "break;\n}\n");
    }
    fprintf(p->text, "}\n}\n");
}

/* The product of the registers as a tree: the multiplications of a level do not wait for each other. */
static void print_product(const gray_printer *p) {
    char factor[128][16];
    int count = 0, next = 0;
    if (p->far_count > 0)
        snprintf(factor[count++], sizeof factor[0], "rest");
    for (int row = 0; row < (int)p->problem->n; row++)
        if (is_near(p, row))
            snprintf(factor[count++], sizeof factor[0], "x%d", row);
    for (; next + 1 < count; next += 2) {
        fprintf(p->text, "const double p%d = %s * %s;\n", count, factor[next], factor[next + 1]);
        snprintf(factor[count], sizeof factor[0], "p%d", count);
        count++;
    }
    fprintf(p->text, "add(high0, low0, at & 1 ? -%s : %s);\nmagnitude += fabs(%s);\n", factor[next],
            factor[next], factor[next]);
}

void perm_sparse_print_gray(const perm_sparse_problem *problem, const perm_sparse_launch *launch,
                            FILE *text) {
    gray_printer p = {.problem = problem, .text = text, .columns = (int)(problem->low + problem->middle)};
    sort_rows(launch, &p);
    if (p.far_count > 0)
        print_far_tables(&p);
    fprintf(text,
            "SHIM_KERNEL void __launch_bounds__(%d, %d) perm_sparse(long long first, long long count, double "
            "*out) {\n"
            "const long long number = (long long)blockIdx.x * %d + threadIdx.x, run = first + number;\n"
            "double high0 = 0, low0 = 0, magnitude = 0;\n",
            launch->threads, launch->resident, launch->threads);
    print_start(&p);
    fprintf(text, "for (long long at = 0; at < %lldLL; at++) {\n", (long long)1 << p.columns);
    print_switch(&p);
    print_product(&p);
    fprintf(text, "}\nout[number] = high0;\nout[count + number] = low0;\nout[2 * count + number] = "
                  "magnitude;\n}\n");
}
