/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels bstreamed_… for SpMM on the CPU, with B in several chunks and blocks that share them. */
#define SHIM_STACK_BYTES (96 << 10)
#define SPMM_PRODUCT_COLUMNS 2000
#include "shim.h"

#include "spmm/bstreamed/gpu.cu"

#include "tests/support/spmm_pack.h"
#include "tests/support/spmm_product.h"

#define BSTREAMED(type, lanes, rows) {#type, bstreamed_##type##_##lanes##_##rows, lanes, rows},
#define SPMM_ENTRY(type, lanes, rows) BSTREAMED(type, lanes, rows)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_bstreamed bstreamed);
    int lanes, rows;
} kernels[] = {
#define SPMM_EACH "spmm/bstreamed/entry.h"
#include "spmm/bstreamed/variants.h"
};
#undef SPMM_ENTRY

typedef struct launch {
    void (*run)(const spmm_gpu_bstreamed bstreamed);
    spmm_gpu_bstreamed argument;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    it->run(it->argument);
}

static bool run(const product *it, size_t kernel) {
    const int lanes = kernels[kernel].lanes, chunk = SPMM_GPU_BSTREAMED_CHUNK(lanes),
              chunks = (int)((it->a.ncol + chunk - 1) / chunk),
              parts = 1 + (int)base_random_below(&numbers, (uint64_t)chunks);
    const int64_t rows = SPMM_GPU_BSTREAMED_BLOCK(lanes, kernels[kernel].rows),
                  blocks = (it->a.nrow + rows - 1) / rows,
                  vectors = (it->n * spmm_format_bytes(spmm_format_of(it->precision)) + 15) / 16,
                  tiles = (vectors + lanes - 1) / lanes;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    int *before = packed_before(&a, chunk, chunks),
        *column = pack_room(a.nnz + SPMM_GPU_ENTRIES_BEHIND, sizeof *column);
    void *entry = packed_entries(&a);
    memcpy(column, a.column, (size_t)a.nnz * sizeof *column);
    sums sums = begin_sums(blocks * rows * parts, vectors * 16, tiles);
    launch launch = {.run = kernels[kernel].run,
                     .argument = {.start = (const long long *)it->start,
                                  .before = before,
                                  .entry = entry,
                                  .column = column,
                                  .nrow = (int)it->a.nrow,
                                  .ncol = (int)it->a.ncol,
                                  .chunks = chunks,
                                  .parts = parts,
                                  .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    shim_launch(thread, &launch, (shim_index){(unsigned)(blocks * parts * tiles), 1, 1},
                (shim_index){SPMM_GPU_BSTREAMED_THREADS, 1, 1}, 2 * SPMM_GPU_BSTREAMED_CHUNK_BYTES);
    free(before);
    free(column);
    free(entry);
    return end_sums(&sums);
}

static const char *name_of(size_t kernel) {
    return kernels[kernel].name;
}

/* Where each row's entries pass from chunk to chunk, counted one by one. */
static void test_pack(void) {
    static product it;
    enum { CHUNK = 192 };
    make_product(&it, SPMM_FP64, MOST_ROWS, 1000, 1, 0.1);
    const spmm_pack_matrix a = pack_matrix_of(&it.a, SPMM_FP64);
    const int chunks = 1000 / CHUNK + 1;
    int *before = packed_before(&a, CHUNK, chunks), wrong = 0;
    for (int64_t row = 0; row < it.a.nrow; row++)
        for (int chunk = 0; chunk < chunks; chunk++) {
            int wanted = 0;
            for (int64_t k = it.start[row]; k < it.start[row + 1]; k++)
                wanted += it.index[k] < (chunk + 1) * CHUNK;
            wrong += before[chunk * it.a.nrow + row] != wanted;
        }
    tap_ok(wrong == 0, "entries of a row before the end of a chunk: %d are wrong", wrong);
    free(before);
    free_product(&it);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    test_pack();
    for (int p = 0; p < SPMM_PRECISIONS; p++)
        if (spmm_format_bytes(spmm_format_of((spmm_precision)p)) > 2)
            for (int round = 0; round < 3; round++)
                test_family("bstreamed", (spmm_precision)p, row_types[p], sizeof kernels / sizeof *kernels,
                            name_of, run, MOST_N, 2);
    tap_note("seed %d", SEED);
    return tap_done();
}
