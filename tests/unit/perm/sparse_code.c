/* SPDX-License-Identifier: BSD-3-Clause */
/* The generated code of sparse permanents, compiled as C behind the shim: the same bits as the kernels. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "perm/sparse/code.h"
#include "perm/sparse/sparse.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 14 };

static base_context context;
static base_random numbers;
static char folder[] = "/tmp/mmpipe-code.XXXXXX";

static void draw(int n, bool is_complex, double density, double *entries) {
    const int parts = 1 + is_complex;
    for (int at = 0; at < n * n; at++) {
        const bool present = base_random_uniform(&numbers) < density || at % (n + 1) == 0;
        for (int part = 0; part < parts; part++)
            entries[at * parts + part] = present ? 2 * base_random_uniform(&numbers) - 1 : 0;
    }
}

static bool write_program(const perm_sparse *sparse, const perm_sparse_launch *launch) {
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs,
                  doubles = runs * perm_sparse_run_doubles(&sparse->problem);
    char path[64], *code = perm_sparse_print_code(&sparse->problem, launch);
    snprintf(path, sizeof path, "%s/code.c", folder);
    FILE *file = fopen(path, "w");
    if (code == NULL || file == NULL)
        return false;
    fprintf(file,
            "#include \"shim.h\"\n%s\nstatic double out[%" PRId64 "];\n"
            "static void thread(void *arguments) { (void)arguments; perm_sparse(0, %" PRId64 ", out); }\n"
            "int main(void) {\n"
            "    shim_launch(thread, 0, (shim_index){%" PRId64 ", 1, 1}, (shim_index){%d, 1, 1}, %" PRId64
            ");\n"
            "    return fwrite(out, sizeof out, 1, stdout) != 1;\n}\n",
            code, doubles, runs, runs / launch->threads, launch->threads,
            perm_sparse_shared_bytes(&sparse->problem, launch));
    free(code);
    return fclose(file) == 0;
}

/* What the program printed; false when it could not be compiled or run. */
static bool run_program(double *out, int64_t doubles) {
    char command[512], path[64];
    snprintf(
        command, sizeof command,
        "cc -std=gnu11 -O1 -w -ffp-contract=off -I'%s/kernels' -o %s/code %s/code.c -lm && %s/code >%s/out",
        getenv("srcdir") != NULL ? getenv("srcdir") : ".", folder, folder, folder, folder);
    if (system(command) != 0)
        return false;
    snprintf(path, sizeof path, "%s/out", folder);
    FILE *file = fopen(path, "r");
    const bool whole = file != NULL && fread(out, sizeof *out, (size_t)doubles, file) == (size_t)doubles;
    if (file != NULL)
        fclose(file);
    return whole;
}

static void add_runs(const perm_sparse *sparse, const double *out, perm_dense_partial *partial) {
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs;
    const int parts = sparse->problem.is_complex ? 2 : 1;
    for (int64_t run = 0; run < runs; run++) {
        double high[2] = {0}, low[2] = {0};
        for (int part = 0; part < parts; part++) {
            high[part] = out[2 * part * runs + run];
            low[part] = out[(2 * part + 1) * runs + run];
        }
        perm_sparse_add_run(sparse, run, high, low, out[2 * parts * runs + run],
                            &partial[run / sparse->chunk_runs]);
    }
}

static void test_matrix(int n, bool is_complex, double density) {
    static double entries[2 * LARGEST * LARGEST];
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    perm_sparse_launch launch = {8, 1, 2, PERM_SPARSE_TABLES, 0};
    perm_sparse sparse;
    draw(n, is_complex, density, entries);
    /* Generated code is by tables, also where subset by subset would be cheaper. */
    const char *kernel = base_cpu_features() & CPU_AVX512 ? "sparse-avx512" : "sparse-avx2";
    if (perm_sparse_init(&context, &matrix, kernel, &perm_sparse_device_gpu, NULL, &sparse) != BASE_OK) {
        tap_ok(false, "%s", context.error.cause);
        return;
    }
    const int64_t doubles = sparse.chunk_count * sparse.chunk_runs * perm_sparse_run_doubles(&sparse.problem);
    double *out = calloc((size_t)doubles, sizeof *out);
    perm_dense_partial *expected = calloc((size_t)sparse.chunk_count, sizeof *expected),
                       *partial = calloc((size_t)sparse.chunk_count, sizeof *partial);
    perm_sparse_run(&context, &sparse, 0, sparse.chunk_count, expected);
    const bool done = write_program(&sparse, &launch) && run_program(out, doubles);
    add_runs(&sparse, out, partial);
    tap_ok(done && memcmp(expected, partial, (size_t)sparse.chunk_count * sizeof *partial) == 0,
           "%s, n = %d, %d low columns: generated code gives the bits of %s", is_complex ? "complex" : "real",
           n, (int)sparse.problem.low, sparse.kernel->name);
    free(out);
    free(expected);
    free(partial);
    perm_sparse_free(&sparse);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    if (system("cc --version >/dev/null 2>&1") != 0) {
        tap_skip(1, "no compiler");
        return tap_done();
    }
    if (!(base_cpu_features() & CPU_AVX2)) {
        tap_skip(1, "no kernel for this processor uses fma, as generated code does");
        return tap_done();
    }
    if (mkdtemp(folder) == NULL)
        return 1;
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        test_matrix(8, is_complex, 0.2);
        test_matrix(11, is_complex, 0.3);
        test_matrix(13, is_complex, 0.5);
        test_matrix(14, is_complex, 0.9);
    }
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    tap_ok(system(command) == 0, "the folder is removed");
    return tap_done();
}
