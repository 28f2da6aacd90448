/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of SUperman's table 4 on the CPU: exact permanents by each of them, the code for an order
 * beside the kernel that it is made from, and what CEG changes. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/superman/gpu.cu"

#include "base/core/random.h"
#include "perm/dense/superman.h"
#include "tests/support/device_sum.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <unistd.h>

enum { LARGEST = 15, CHUNKS = 64 };

static base_context context;
static base_random numbers;
static char folder[] = "/tmp/mmpipe-superman.XXXXXX";

/* ---- a device made of the shim ---- */

#define THREAD(name, ...)                                                                                    \
    static void thread_##name(void *launch) {                                                                \
        const device_sum_launch *it = launch;                                                                \
        superman_gpu_##name(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns,       \
                            it->sums);                                                                       \
    }
#define BOTH(name, ...) THREAD(name) THREAD(name##_ceg)
SUPERMAN_GPU_KERNELS(BOTH)

#define ROW(name, ...)                                                                                       \
    {"superman_gpu_" #name, thread_##name}, {"superman_gpu_" #name "_ceg", thread_##name##_ceg},
static const struct {
    const char *kernel;
    void (*thread)(void *launch);
} threads[] = {SUPERMAN_GPU_KERNELS(ROW)};

/* Compiles the code of a sum with the shim and runs its chunks. */
typedef void run_code(const void *sum, int64_t chunk_count, void *partial);

static run_code *compile(const perm_device_sum *sum, void **library) {
    char path[80], command[640];
    snprintf(path, sizeof path, "%s/%s-%d.c", folder, sum->kernel, sum->n);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return NULL;
    fprintf(
        file,
        "#define SHIM_STACK_BYTES (64 << 10)\n#include \"shim.h\"\n%s\n"
        "#undef add\n#include \"tests/support/device_sum.h\"\n"
        "static void thread(void *launch) {\n    const device_sum_launch *it = launch;\n"
        "    %s(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns, it->sums);\n}\n"
        "void run(const void *sum, int64_t count, void *partial) {\n"
        "    device_sum_run(sum, thread, count, 1 << 20, partial);\n}\n",
        sum->code, sum->kernel);
    if (fclose(file) != 0)
        return NULL;
    const char *source = getenv("srcdir") != NULL ? getenv("srcdir") : ".";
    snprintf(
        command, sizeof command,
        "cc -std=gnu11 -O1 -w -shared -fPIC -ffp-contract=off -I'%s' -I'%s/kernels' -I'%s/lib' -o %s.so %s",
        source, source, source, path, path);
    if (system(command) != 0)
        return NULL;
    strcat(path, ".so");
    *library = dlopen(path, RTLD_NOW);
    return *library != NULL ? (run_code *)(uintptr_t)dlsym(*library, "run") : NULL;
}

static bool run(const perm_superman_variant *variant, const perm_dense *dense, bool halved, int64_t most,
                perm_dense_partial *partial) {
    perm_device_sum sum;
    void *library = NULL;
    bool done = false;
    if (perm_superman_device_sum(&context, variant, dense, &sum) != BASE_OK)
        return false;
    if (halved)
        perm_device_sum_halve(&sum);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
        if (strcmp(threads[k].kernel, sum.kernel) == 0) {
            device_sum_run(&sum, threads[k].thread, dense->chunk_count, most, partial);
            done = true;
        }
    if (variant->is_code) {
        run_code *code = compile(&sum, &library);
        if (code != NULL)
            code(&sum, dense->chunk_count, partial);
        done = code != NULL;
        if (library != NULL)
            dlclose(library);
    }
    perm_device_sum_free(&sum);
    return done;
}

/* ---- known permanents ---- */

static double draw(int kind, int at, int n) {
    const double uniform = base_random_uniform(&numbers);
    switch (kind) {
    case 0: return 2 * uniform - 1;
    case 1: return floor(10 * uniform);
    default: return at % (n + 1) == 0 || uniform < 0.4 ? uniform : 0;
    }
}

/* Random matrices of all orders against their exact permanents, in one chunk. */
static void test_exact(const perm_superman_variant *variant) {
    int wrong = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int n = variant->is_code ? LARGEST - 1 : 1; n <= LARGEST; n++) {
        double entries[LARGEST * LARGEST], loss = 0;
        const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
        perm_dense dense;
        perm_dense_partial partial[CHUNKS];
        perm_dense_result result;
        for (int at = 0; at < n * n; at++)
            entries[at] = draw(n % 3, at, n);
        exact_of_doubles(n, false, entries, exact);
        const bool done = perm_dense_init(&context, &matrix, NULL, &dense) == BASE_OK &&
                          (dense.chunk_count == 0 || run(variant, &dense, false, 1 << 20, partial));
        if (done)
            perm_dense_fold(&dense, partial, &result);
        wrong += !done || !exact_within(result.high, result.low, result.error, result.exponent, exact, &loss);
        perm_dense_free(&dense);
    }
    tap_ok(wrong == 0, "%s: exact permanents within the bound, n up to %d", variant->name, LARGEST);
    mpq_clears(exact[0], exact[1], NULL);
}

/* n = 15 in two chunks. */
static void test_chunks(const perm_superman_variant *variant) {
    const int n = LARGEST;
    double entries[LARGEST * LARGEST], relative_error, absolute_error;
    const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
    perm_dense dense;
    perm_dense_partial reference[2], partial[3][2];
    for (int at = 0; at < n * n; at++)
        entries[at] = draw(0, at, n);
    bool done = perm_dense_init(&context, &matrix, "dense-ref", &dense) == BASE_OK;
    dense.chunk_count = 2;
    dense.chunk_blocks = INT64_C(1) << (n - 9);
    dense.chunk_subsets = ldexp(1, n - 2);
    perm_dense_run(&context, &dense, 0, 2, reference);
    perm_dense_error(&dense, &relative_error, &absolute_error);
    done = done && run(variant, &dense, false, 1 << 20, partial[0]) &&
           run(variant, &dense, true, 1 << 20, partial[1]) && run(variant, &dense, false, 1, partial[2]);
    int far = 0;
    for (int chunk = 0; done && chunk < 2; chunk++)
        for (int way = 0; way < 3; way++) {
            const perm_dense_partial *a = &partial[way][chunk], *b = &reference[chunk];
            far += !(fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <=
                     2 * relative_error * b->magnitude);
            far += !(fabs(a->magnitude - b->magnitude) <= 1e-12 * b->magnitude);
        }
    tap_ok(done && far == 0, "%s: chunks of any steps agree with the reference", variant->name);
    perm_dense_free(&dense);
}

/* ---- variants beside each other ---- */

/* The code does what the kernel does that it is made from. */
static void test_code(bool is_ceg) {
    const perm_superman_variant *code = NULL, *kernel = NULL;
    for (const perm_superman_variant *variant = perm_superman_variants; variant->name != NULL; variant++)
        if (!variant->is_x_shared && variant->is_matrix_shared && variant->is_ceg == is_ceg)
            *(variant->is_code ? &code : &kernel) = variant;
    const int n = LARGEST - 1;
    double entries[LARGEST * LARGEST];
    const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
    perm_dense dense;
    perm_dense_partial partial[2][CHUNKS];
    for (int at = 0; at < n * n; at++)
        entries[at] = draw(0, at, n);
    const bool done =
        code != NULL && kernel != NULL && perm_dense_init(&context, &matrix, NULL, &dense) == BASE_OK &&
        run(code, &dense, false, 1 << 20, partial[0]) && run(kernel, &dense, false, 1 << 20, partial[1]);
    tap_ok(done && memcmp(partial[0], partial[1], (size_t)dense.chunk_count * sizeof *partial[0]) == 0,
           "%s: the bits of the kernel without code", code->name);
    perm_dense_free(&dense);
}

static superman_gpu_run runs[2][SUPERMAN_GPU_THREADS];

static void take_run(void *is_ceg) {
    runs[*(int *)is_ceg][threadIdx.x] = superman_gpu_get_run(*(int *)is_ceg, 8, 1 << 20, 3);
}

/* With CEG the threads of a warp change one column in every step but the first, without it several; both go
 * through the same subsets, each of them once. */
static void test_columns(void) {
    int most[2] = {0, 0}, gaps = 0;
    for (int is_ceg = 0; is_ceg < 2; is_ceg++) {
        const superman_gpu_run *run = runs[is_ceg];
        shim_launch(take_run, &is_ceg, (shim_index){1, 1, 1}, (shim_index){SUPERMAN_GPU_THREADS, 1, 1}, 0);
        gaps += run[0].first != INT64_C(3) << 15 || run[SUPERMAN_GPU_THREADS - 1].end != INT64_C(4) << 15;
        for (int t = 1; t < SUPERMAN_GPU_THREADS; t++)
            gaps += run[t].first != run[t - 1].end;
        for (int step = 1; step < 100; step++) {
            unsigned columns = 0;
            for (int lane = 0; lane < 32; lane++)
                columns |= 1u << __builtin_ctzll((unsigned long long)(run[lane].first + step));
            if (__builtin_popcount(columns) > most[is_ceg])
                most[is_ceg] = __builtin_popcount(columns);
        }
    }
    tap_ok(gaps == 0, "the threads of a block go through its subsets, each of them once");
    tap_ok(most[1] == 1, "with CEG a warp changes one column at a time");
    tap_ok(most[0] >= 6, "without CEG it changes %d at a time", most[0]);
}

/* Whether cc makes what this program can load. That of a cross build makes code of another processor. */
static bool can_compile(void) {
    char command[128], path[64];
    snprintf(command, sizeof command, "echo 'int f;' | cc -shared -fPIC -xc -o %s/probe.so - 2>/dev/null",
             folder);
    snprintf(path, sizeof path, "%s/probe.so", folder);
    void *library = system(command) == 0 ? dlopen(path, RTLD_NOW) : NULL;
    if (library == NULL)
        return false;
    dlclose(library);
    return true;
}

/* n sums of each thread and n² entries in shared memory: (40·128 + 40²)·8 bytes, and not one less. */
static void test_memory(void) {
    const perm_dense dense = {.problem = {.n = 40}};
    const perm_superman_variant *variant = perm_superman_variants;
    tap_ok(variant->is_x_shared && variant->is_matrix_shared &&
               perm_superman_reason(variant, &dense, 53760) == NULL &&
               perm_superman_reason(variant, &dense, 53759) != NULL,
           "%s: order 40 takes 53760 bytes of shared memory", variant->name);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, 2026, 0);
    tap_note("seed 2026");
    if (mkdtemp(folder) == NULL)
        return 1;
    const bool has_compiler = can_compile();
    for (const perm_superman_variant *variant = perm_superman_variants; variant->name != NULL; variant++) {
        if (variant->is_code && !has_compiler) {
            tap_skip(2, "no compiler for this processor");
            continue;
        }
        test_exact(variant);
        test_chunks(variant);
    }
    for (int is_ceg = 0; is_ceg < 2 && has_compiler; is_ceg++)
        test_code(is_ceg);
    test_columns();
    test_memory();
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    tap_ok(system(command) == 0, "the folder is removed");
    return tap_done();
}
