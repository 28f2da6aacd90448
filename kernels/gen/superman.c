/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the kernel of a dense permanent of one order (perm/superman/code.h). */
#include "perm/sparse/code.h"
#include "perm/superman/code.h"
#include "perm/superman/gpu.h"

#include <stdlib.h>

static const char before[] =
    "SHIM_KERNEL void __launch_bounds__(%d) superman_gpu_code%s(int order, int log2_steps, long long "
    "threads,\n"
    "        long long first, const double *columns, double *sums) {\n"
    "SHIM_DYNAMIC_SHARED(double, shared);\n"
    "enum { N = %d, THREADS = %d };\n"
    "const int me = threadIdx.x;\n"
    "const long long start = (first + blockIdx.x) * THREADS, rest = threads - start,\n"
    "                whole = (rest < THREADS ? rest : THREADS) << log2_steps, base = start << log2_steps,\n"
    "                length = (1LL << log2_steps) + %d, from = me * length, to = from + length,\n"
    "                begin = base + (from < whole ? from : whole), end = base + (to < whole ? to : whole),\n"
    "                gray = begin ^ begin >> 1;\n"
    "double high = 0, low = 0, magnitude = 0;\n"
    "(void)order;\n"
    "for (int at = me; at < N * N; at += THREADS)\n    shared[at] = columns[at];\n"
    "__syncthreads();\n";

/* The tree of common/sums_gpu.h. */
static const char after[] = "__syncthreads();\n"
                            "shared[me] = high;\nshared[me + THREADS] = low;\n"
                            "shared[me + 2 * THREADS] = magnitude;\n"
                            "for (int half = THREADS / 2; half > 0; half /= 2) {\n"
                            "    __syncthreads();\n"
                            "    if (me >= half)\n        continue;\n"
                            "    add(shared[me], shared[me + THREADS], shared[me + half]);\n"
                            "    shared[me + THREADS] += shared[me + THREADS + half];\n"
                            "    shared[me + 2 * THREADS] += shared[me + 2 * THREADS + half];\n"
                            "}\n"
                            "if (me == 0) {\n"
                            "    double *sum = sums + 5LL * blockIdx.x;\n"
                            "    sum[0] = shared[0];\n    sum[2] = shared[THREADS];\n"
                            "    sum[1] = sum[3] = 0;\n    sum[4] = shared[2 * THREADS];\n"
                            "}\n}\n";

/* All row sums change by a column of the matrix in shared memory. */
static void print_change(int n, FILE *text) {
    for (int row = 0; row < n; row++)
        fprintf(text, "x%d += factor * column[%d];\n", row, row);
}

static void print_kernel(int n, bool is_ceg, FILE *text) {
    fprintf(text, before, SUPERMAN_GPU_THREADS, is_ceg ? "_ceg" : "", n, SUPERMAN_GPU_THREADS, !is_ceg);
    for (int row = 0; row < n; row++)
        fprintf(text, "double x%d = shared[%d];\n", row, row);
    fprintf(text, "for (int k = 0; k < N - 1; k++)\nif (gray >> k & 1) {\n"
                  "const double factor = 1, *column = shared + (k + 1) * N;\n");
    print_change(n, text);
    fprintf(text,
            "}\nfor (long long at = begin; at < end; at++) {\nif (at > begin) {\n"
            "const int bit = __ffsll(at) - 1;\n"
            "const double factor = (at ^ at >> 1) >> bit & 1 ? 1 : -1, *column = shared + (bit + 1) * N;\n");
    print_change(n, text);
    fprintf(text, "}\ndouble product = x0;\n");
    for (int row = 1; row < n; row++)
        fprintf(text, "product *= x%d;\n", row);
    fprintf(text, "add(high, low, at & 1 ? -product : product);\nmagnitude += fabs(product);\n}\n%s", after);
}

char *perm_superman_print_code(int n, bool is_ceg) {
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return NULL;
    perm_sparse_print_head(stream);
    print_kernel(n, is_ceg, stream);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
