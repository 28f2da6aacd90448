/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of sparse matrices with dense ones, C = alpha A B + beta C: the problem, and the table of kernels
 * that solve it on processors and GPUs. kernels/spmm/common/kernel.h defines precisions and layouts.
 *
 * Work is done in steps that can be repeated: a kernel prepares a plan from A (its own format, on its
 * device), loads B and C, multiplies any number of times, and stores C.
 *
 * format.h rounds numbers to a precision and packs them; inspect.h finds the profile of A, the structure that
 * prices depend on. Entries of the table are in cpu/ and dispatch/, the table itself is plan/table.c. */
#ifndef SPMM_PROBLEM_SPMM_H
#define SPMM_PROBLEM_SPMM_H

#include "base/device/device.h"
#include "spmm/common/kernel.h"

/* ---- what is asked for ---- */

enum { SPMM_HEIGHTS = 5 };
extern const int spmm_height[SPMM_HEIGHTS]; /* 8, 16, 32, 64, 128 rows of a window */

enum { SPMM_BAND_ROWS = 128, SPMM_SAMPLE_BANDS = 64 };

/* What is known of a band of rows. */
typedef struct spmm_band {
    int64_t rows, rows_used, longest_row, nnz;
    int64_t span; /* columns from the first to the last; not of bands that a device counted */
    double vectors[SPMM_HEIGHTS];
    double pairs;
} spmm_band;

/* The structure of A, counted or estimated from a sample of bands; see inspect.h. */
typedef struct spmm_profile {
    int64_t rows_used;             /* rows with entries, exact */
    int64_t longest_row;           /* entries, exact */
    double columns_used;           /* columns with entries */
    double vectors[SPMM_HEIGHTS];  /* nv(H): distinct columns of each window of H rows, added up */
    double heaviest[SPMM_HEIGHTS]; /* most distinct columns in windows of H rows, a mean over a band */
    double pairs;                  /* as vectors, of two rows each; not of bands that a device counted */
    double span;                   /* columns from the first to the last of a band, the mean */
    bool sampled;                  /* false: all bands were counted */
    int sample_count;              /* bands that were, evenly spaced */
    spmm_band sample[SPMM_SAMPLE_BANDS];
} spmm_profile;

typedef struct spmm_problem {
    spmm_precision precision;
    spmm_csr a;
    int64_t n;            /* columns of B and C */
    bool narrow_c;        /* C has B's format; otherwise fp32 (fp64 for fp64) */
    int64_t products;     /* with this A that are expected; 0: many */
    int64_t power;        /* of which so many follow each other without a copy; 0: one */
    double above_seconds; /* take the cheapest variant whose price is above this; 0: of all */
    spmm_profile profile;
    const struct spmm_problem *whole; /* of which these are some rows or columns; NULL: of none. Kernels take
                                         the shape that suits the whole, and so add in the same order */
} spmm_problem;

/* What there is to compute with. */
typedef struct spmm_machine {
    unsigned features;     /* of the processors (processor.h) */
    int threads;           /* 0 stands for 1 */
    base_device *device;   /* the first, or that of a plan; NULL: none, … */
    const char *no_device; /* … for this reason */
    base_devices *devices; /* all that share the work; NULL: `device` alone */
    bool device_only;      /* kernels of processors are not wanted */
    bool prefers_device;   /* they are where no other fits: operands lie on the device */
    int64_t memory_bytes;  /* of a device for A, B, C and workspace; 0: no limit */
} spmm_machine;

struct spmm_device_array; /* device/array.h */

/* Operands in host memory. B is in the format of the precision, C as the problem says. */
typedef struct spmm_operands {
    const void *b; /* a.ncol rows; not read where b_array is set */
    int64_t b_row; /* numbers from row to row, at least n */
    void *c;       /* a.nrow rows; read only if beta is not 0 */
    int64_t c_row;
    double alpha, beta;
    const struct spmm_device_array *b_array; /* B as it is on the device already, of several devices one for
                                                each; or NULL */
} spmm_operands;

/* ---- what it costs ---- */

/* Of one product with everything in place; a kernel leaves at 0 what it does not know. */
typedef struct spmm_price {
    double seconds;        /* 0: it does not fit, for the reason below */
    double memory_seconds; /* its parts: A, B and C from and to memory, … */
    double gather_seconds; /* … rows of B on their way from the caches, for entries of A, … */
    double math_seconds;   /* … arithmetic beside that, … */
    double start_seconds;  /* … and what does not shrink with the number of rows */
    double prepare_seconds;
    int64_t format_bytes; /* of A in the kernel's format on a device */
    int64_t bytes;        /* on the device, or of workspace on a processor, with A, B and C */
    char reason[96];      /* why it does not fit */
} spmm_price;

/* What making a plan took. */
typedef struct spmm_preparation {
    double send_seconds;   /* A to the device */
    double format_seconds; /* A, where it is worked with, into the kernel's format */
} spmm_preparation;

/* ---- kernels ---- */

/* Gets a line for people. */
typedef void spmm_log(void *data, const char *line);

typedef struct spmm_kernel spmm_kernel;
struct spmm_kernel {
    const char *name, *device; /* "cpu" or "cuda" */
    const void *data;          /* the kernel's own */

    /* From the shape and the profile; nothing is allocated. */
    void (*price)(const spmm_kernel *kernel, const spmm_machine *machine, const spmm_problem *problem,
                  spmm_price *price);

    /* Brings A into the kernel's format, on its device; A has a row or more, n is positive, but there may be
     * no columns and no entries. `problem` must outlive the plan. `took` gets what it took beside the start
     * of the device and its code. On failure *plan is NULL or can be released. */
    base_status (*prepare)(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                           const spmm_problem *problem, void **plan, spmm_preparation *took);
    /* Takes B, and C if beta is not 0. The arrays must stay until the next load or store. */
    base_status (*load)(base_context *context, void *plan, const spmm_operands *operands);
    /* One product of what is loaded. With `seconds` it waits for the end and tells how long the product alone
     * took, after another one; `cold`: after the caches of the device were cleared. Repeating it, and
     * `seconds`, are meant for beta 0. */
    base_status (*multiply)(base_context *context, void *plan, bool cold, double *seconds);
    /* Multiplies what is loaded by A so many times, A being square: each product is rounded to B's format and
     * becomes the B of the next one, without alpha and C. NULL where that is not done on the kernel's device.
     */
    base_status (*advance)(base_context *context, void *plan, int64_t times);
    /* Waits for the product; C is in the operands' array when it returns. */
    base_status (*store)(base_context *context, void *plan);
    /* C as a record has it, in memory of the plan's device; *beyond: how many of its numbers are not finite.
     * NULL where there is no device. */
    base_status (*store_columns)(base_context *context, void *plan, const base_device_buffer *columns,
                                 int64_t *beyond);
    void (*release)(void *plan); /* NULL is allowed */
    /* Whether the last digits depend on which rows come together, which are then not shared out to devices;
     * NULL: they do not. */
    bool (*is_whole)(const spmm_kernel *kernel);
    /* The publication whose algorithm it reproduces, or NULL: such a kernel is priced, but taken only by its
     * name. NULL: it reproduces none. */
    const char *(*publication)(const spmm_kernel *kernel);
};

/* All kernels, ended by NULL: those of the processor and those of GPUs. */
const spmm_kernel *const *spmm_kernels(void);

/* The publication that a kernel reproduces, or NULL. */
const char *spmm_kernel_publication(const spmm_kernel *kernel);

/* How many devices of the machine share the rows of a product; 1 for a kernel of processors. */
int spmm_kernel_shares(const spmm_kernel *kernel, const spmm_machine *machine);

/* Whether a device that has all of A can make a record of A^power B in its own memory: the kernel can store
 * columns, and does powers there. */
bool spmm_kernel_makes_records(const spmm_kernel *kernel, const spmm_problem *problem, int64_t power);

/* What a kernel is called now that had this name in version 0.1; else the name itself. */
const char *spmm_kernel_name(const char *name);

/* ---- names and sizes ---- */

const char *spmm_precision_name(spmm_precision precision); /* fp16, …, as in --precision */

/* Bytes of a number of C. */
int64_t spmm_c_bytes(const spmm_problem *problem);

/* Bytes of A by rows, with positions of 32 bits; and of C. */
double spmm_count_a_bytes(const spmm_problem *problem);
double spmm_count_c_bytes(const spmm_problem *problem);

#endif
