/* Products on a GPU with one of the device kernels of kernels/spmm/gpu.h. */
#ifndef SPMM_DEVICE_PRODUCT_H
#define SPMM_DEVICE_PRODUCT_H

#include "base/device.h"
#include "spmm/bands.h"
#include "spmm/panels.h"
#include "spmm/runs.h"
#include "spmm/segments.h"
#include "spmm/slabs.h"
#include "spmm/windows.h"

/* Which device kernel, and how A is cut for it. */
typedef struct spmm_device_variant {
    enum {
        SPMM_DEVICE_ROWS,
        SPMM_DEVICE_RUNS,
        SPMM_DEVICE_WINDOWS,
        SPMM_DEVICE_PANELS,
        SPMM_DEVICE_SLABS,
        SPMM_DEVICE_BANDS
    } kind;
    int lanes, teams, depth; /* rows_…; lanes and depth also runs_…, depth panels_… */
    int threads;             /* runs_…: of a block */
    int tall, width, groups; /* windows_…; width and groups also panels_…; width: columns of bands_… */
    bool dense;              /* windows */
    bool sorted;             /* rows: long segments first */
    bool tiles_first;        /* a tile of C for all of A after the other */
    int64_t most;            /* entries of a segment or run, chunks or tiles of a piece */
} spmm_device_variant;

enum { SPMM_DEVICE_MODULES = 7 };

/* The device kernels, loaded as they are wanted. */
typedef struct spmm_device_code {
    base_device *device;
    base_device_module *module[SPMM_DEVICE_MODULES];
} spmm_device_code;

void spmm_device_code_open(base_device *device, spmm_device_code *code);
void spmm_device_code_close(spmm_device_code *code); /* NULL is allowed */

/* Entries of A by rows on the device. */
typedef struct spmm_device_entries {
    base_device_buffer start, entry;
} spmm_device_entries;

base_status spmm_device_entries_init(base_context *context, base_device *device, const spmm_csr *a,
                                     spmm_precision precision, spmm_device_entries *entries);
void spmm_device_entries_free(spmm_device_entries *entries); /* NULL is allowed */

typedef struct spmm_device_product {
    spmm_device_variant variant;
    spmm_precision precision;
    base_device_function function;
    int64_t worker_count; /* segments or pieces */
    int64_t part_count, nrow, ncol;
    int64_t steps; /* of panels and bands */
    int resident;  /* slabs: blocks of a multiprocessor */
    base_device_buffer worker, part, partial, arrived;
    base_device_buffer row, column, start, position, value; /* of windows, panels, slabs, bands */
    spmm_device_entries entries;                            /* of rows and runs; borrowed */
    double prepare_seconds;                                 /* on the processor and for the transfer */
} spmm_device_product;

/* A in the variant's format. `entries` are needed for rows and runs and must stay. `order` is that of
 * windows.h. */
base_status spmm_device_product_init(base_context *context, spmm_device_code *code, const spmm_csr *a,
                                     spmm_precision precision, const spmm_device_variant *variant,
                                     const spmm_device_entries *entries, const int32_t *order,
                                     spmm_device_product *product);
void spmm_device_product_free(spmm_device_product *product); /* NULL is allowed */

/* Dense matrices on the device, rows at multiples of 16 bytes, that many bytes apart, padding included. */
typedef struct spmm_device_operands {
    uint64_t b, c;
    int64_t n; /* columns */
    int64_t b_stride, c_stride;
    double alpha, beta;
    bool wide; /* C in fp32 for fp16 and bf16 */
} spmm_device_operands;

/* Submits a product. The first for a number of columns allocates room for the sums of parts. */
base_status spmm_device_product_run(base_context *context, spmm_device_product *product,
                                    const spmm_device_operands *operands, base_device_stream *stream);

/* The kernel's name: rows_half_4_8_4. */
void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]);

/* Columns of a tile. */
int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant);

#endif
