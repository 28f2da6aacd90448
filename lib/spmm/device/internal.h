/* Shared by the files device_*.c alone. */
#ifndef SPMM_DEVICE_INTERNAL_H
#define SPMM_DEVICE_INTERNAL_H

#include "spmm/device/product.h"
#include "spmm/device/table.h"

/* Bytes of a number of A and B. */
static inline int64_t spmm_device_number_bytes(const spmm_problem *problem) {
    return spmm_format_bytes(spmm_format_of(problem->precision));
}

static inline int spmm_device_product_bytes(const spmm_device_product *product) {
    return (int)spmm_format_bytes(spmm_format_of(product->precision));
}

/* The shape that suits a problem. */
void spmm_device_find_shape(spmm_device_family family, const base_device_properties *device,
                            const spmm_problem *problem, spmm_device_variant *v);

/* The rows of a window, and their index in spmm_height. */
static inline int spmm_device_window_rows(const spmm_device_variant *v) {
    return v->tall == 0 ? 8 : 16 * v->tall;
}
int spmm_device_height(const spmm_device_variant *v);

/* Entries of a row that has any, on average. */
double spmm_device_row_length(const spmm_problem *problem);

/* Whether no row is much longer than that. */
bool spmm_device_is_even(const spmm_problem *problem);

/* Whether there is device code for compute capability 9.0a and this device runs it. */
bool spmm_device_has_90a(const base_device_properties *device);

/* A part of a buffer. */
typedef struct spmm_device_slice {
    uint64_t *address;
    int64_t bytes;
} spmm_device_slice;

/* Slices in the room that is left with a matrix, or else in memory of their own. */
base_status spmm_device_take(base_context *context, spmm_device_matrix *matrix,
                             const spmm_device_slice *slices, int count, base_device_buffer *own);

/* Turns the first `length` counts of one array or two into sums of those before; total[array] gets the sums
 * of all. Waits for the device. */
base_status spmm_device_scan(base_context *context, const spmm_device_matrix *matrix, int64_t length,
                             int arrays, int64_t *total);

/* The sums of all that were left there. Waits for the device. */
base_status spmm_device_totals(base_context *context, const spmm_device_matrix *matrix, int arrays,
                               int64_t *total);

/* Fills a slice that was taken with zeros. */
base_status spmm_device_clear(base_context *context, const spmm_device_matrix *matrix,
                              const base_device_buffer *own, uint64_t address, int64_t bytes);

/* The product's grid in its variant, by so many tiles of columns. */
base_status spmm_device_submit(base_context *context, spmm_device_product *product,
                               const spmm_device_operands *operands, int64_t tiles,
                               base_device_stream *stream);

/* The device kernel of a variant, … */
base_status spmm_device_product_load(base_context *context, base_device *device, spmm_precision precision,
                                     const spmm_device_variant *variant, base_device_function *function);

/* … and that which goes with it: halves of B before splits, parts of rows and runs after these; none for the
 * others. */
base_status spmm_device_load_second(base_context *context, base_device *device, spmm_precision precision,
                                    const spmm_device_variant *variant, base_device_function *function);

/* Loads all kernels of kernels/spmm/pack/pack.h, … */
base_status spmm_device_load_packs(base_context *context, base_device *device);

/* … and submits one; none where the grid is empty. */
base_status spmm_device_pack(base_context *context, base_device *device, const char *name,
                             const base_device_shape *shape, void *argument);

/* Blocks of SPMM_PACK_THREADS for so many threads. */
static inline unsigned spmm_device_blocks(int64_t threads) {
    return (unsigned)((threads + SPMM_PACK_THREADS - 1) / SPMM_PACK_THREADS);
}

/* Words for the marks of windows (kernels/spmm/pack/pack.h): as many as the columns take, up to a limit. */
static inline int64_t spmm_device_words(int64_t columns) {
    const int64_t group = 32 * SPMM_PACK_GROUP, words = ((columns + group - 1) / group + 1) * SPMM_PACK_GROUP;
    return words < SPMM_PACK_WORDS ? words : SPMM_PACK_WORDS;
}

/* Brings A, or some bands of it (NULL: all), into the format of product->variant. */
base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix, const spmm_row_set *taken,
                                spmm_device_product *product);

/* Shared memory of a block: two tiles of A and three of B. */
int64_t spmm_device_panel_bytes(const spmm_device_product *product);

/* … some chunks of A and of its rows of B, for blocks_…. */
int64_t spmm_device_block_bytes(const spmm_device_product *product);

/* … a tile of B. */
static inline int64_t spmm_device_slab_bytes(const spmm_device_product *product) {
    return product->ncol * product->variant.lanes * product->variant.groups * 16;
}

/* … some tiles of A and of B in halves. */
int64_t spmm_device_split_bytes(void);

/* … and some tiles of A and of B. */
int64_t spmm_device_band_bytes(const spmm_device_product *product);

/* … and the chunks of a ring with their barriers. */
int64_t spmm_device_ring_bytes(const spmm_device_product *product);

/* Warps of a block of rings_… that multiply: one for 32 rows and 64 columns. */
int spmm_device_ring_workers(const spmm_device_variant *variant);

#endif
