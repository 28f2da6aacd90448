/* SPDX-License-Identifier: BSD-3-Clause */
/* What a method for the permanent of a block is, to the planner and to those who run it. A method is a folder
 * or some files of its own and a row in plan/methods.c, which names its perm_method; nothing else knows what
 * there is.
 *
 * The planner asks each method for its price (prices.h): candidates, one for each kernel or a single one,
 * with seconds and bytes or the reason why it does not fit. A candidate that is chosen is run as a task.
 * Methods whose work divides make it a perm_chunked (chunks/chunks.h), which threads, devices and parts
 * share; the others do it at once. Methods see the rooms below, never each other.
 *
 * The room: prices.h is what a method sees of the planner, with weigh.c; precision.h reads --precision and
 * says what it asks for; names.c knows the former names of kernels; log.c writes the log. */
#ifndef PERM_METHOD_METHOD_H
#define PERM_METHOD_METHOD_H

#include "base/device/device.h"
#include "perm/chunks/chunks.h"
#include "perm/matrix/distinct.h"
#include "perm/method/precision.h"

typedef struct perm_method perm_method;
typedef struct perm_candidate perm_candidate;
typedef struct perm_prices perm_prices;
typedef struct perm_task perm_task;

/* When a method is priced: the planner stops as soon as nothing better is worth the time of a search. */
typedef enum perm_stage {
    PERM_STAGE_FRONTIER,       /* first: the order that the planner has searched gives its price */
    PERM_STAGE_MULTIPLICITIES, /* a look at the rows and columns */
    PERM_STAGE_SUMS,           /* a look at the entries */
    PERM_STAGE_DEVICES,        /* where devices are asked for, or the methods before take long */
    PERM_STAGE_SEARCH          /* searches for an order of its own, where the methods before take long */
} perm_stage;

/* What a method is like. */
enum {
    PERM_METHOD_SPLITS = 1 << 0,      /* its work divides among chunks: it has `open`, else `run` */
    PERM_METHOD_ON_DEVICE = 1 << 1,   /* devices run it */
    PERM_METHOD_IN_DOUBLES = 1 << 2,  /* a signed sum of doubles, which may leave few digits */
    PERM_METHOD_HAS_STATES = 1 << 3,  /* what it takes is said in states and transitions */
    PERM_METHOD_MORE_DIGITS = 1 << 4, /* may come after one that has left too few digits */
    PERM_METHOD_GIVES_WAY = 1 << 5,   /* to devices, where these are asked for and can do the same */
    PERM_METHOD_IS_BATCHED = 1 << 6,  /* small blocks of many records share launches (dense/batch.h) */
    PERM_METHOD_IS_PUBLISHED =
        1 << 7, /* reproduces a paper's algorithm: never priced unless named or listed */
    PERM_METHOD_NEEDS_PRECISION = 1 << 8, /* its family is meant only with a precision: without one the name
                                             of the family is that of a method */
    PERM_METHOD_IS_EXACT = 1 << 9         /* it never rounds */
};

/* What it computes: in the precisions that may be asked for, and where none is. */
#define PERM_COMPUTES(kind) (1u << (kind))
enum {
    PERM_COMPUTES_DOUBLE = 1 << PERM_PRECISION_DOUBLE,
    PERM_COMPUTES_KAHAN = 1 << PERM_PRECISION_KAHAN,
    PERM_COMPUTES_DD = 1 << PERM_PRECISION_DD,
    PERM_COMPUTES_MPFR = 1 << PERM_PRECISION_MPFR,
    PERM_COMPUTES_EXACT = 1 << PERM_PRECISION_EXACT,
    PERM_COMPUTES_INTEGERS = 1 << 16, /* of matrices of integers, if nothing is asked for */
    PERM_COMPUTES_NUMBERS = 1 << 17,  /* of others */
    PERM_COMPUTES_CERTIFIED = 1 << 18 /* of others with negative or imaginary entries, where digits count by
                                         certain bounds: most sums in doubles have few of these */
};

struct perm_method {
    const char *name;   /* for --kernel; that of its candidates, unless these have names of their kernels */
    const char *family; /* the name for the best of several; NULL: none */
    perm_stage stage;
    unsigned flags;    /* PERM_METHOD_… */
    unsigned computes; /* PERM_COMPUTES_… */
    int64_t largest;   /* of a device's method: the largest order; 0: any */

    /* Names of its kernels, and of families among these, by number from 0, ended by NULL; NULL: it has none.
     */
    const char *(*get_kernel)(int number);
    /* Adds its candidates. What does not fit is a candidate with a reason, not a failure. */
    base_status (*price)(base_context *context, const perm_method *method, perm_prices *prices);
    /* Makes chunks of a task, which the caller frees, after a failure too; with PERM_METHOD_SPLITS. */
    base_status (*open)(base_context *context, const perm_task *task, perm_chunked *chunked);
    /* Does a task, whose sum has one chunk, unless another part has it; without PERM_METHOD_SPLITS. */
    base_status (*run)(base_context *context, const perm_task *task, perm_block_run *block_run);
    /* The source that is compiled for a matrix, the caller's to free; NULL: there is none. */
    base_status (*emit)(base_context *context, const perm_matrix *matrix, char **source);
};

static inline bool perm_method_has(const perm_method *method, unsigned flags) {
    return (method->flags & flags) == flags;
}

/* The name of today of a kernel that may have an old one; NULL stays NULL. */
const char *perm_kernel_name(const char *name);

/* A way to compute the permanent, with what it would cost on one core or one device, that of its start
 * included. */
struct perm_candidate {
    const perm_method *method;
    const char *name, *family; /* NULL: none */
    double seconds;            /* 0: it does not fit, for the reason below */
    double start_seconds;      /* of these, before a device computes */
    double lacking_seconds;    /* what digits are worth that it may lack; not part of `seconds` */
    double bytes;
    char reason[96];
    /* The method's own. */
    int64_t parameter;
    double more_seconds; /* what more digits would take by the method itself; 0: not asked for, or none fit */
    const void *prepared;
};

/* The seconds of a candidate, with those for the digits that it lacks. */
static inline double perm_candidate_seconds_with_digits(const perm_candidate *candidate) {
    return candidate->seconds + candidate->lacking_seconds;
}

/* What the log has about a candidate for a block: its seconds are those of this machine. */
typedef struct perm_log_candidate {
    int64_t n, nnz; /* of the block */
    const perm_candidate *candidate;
    double seconds; /* 0: it does not fit */
    bool is_chosen;
} perm_log_candidate;

/* The log of what is done. `detail`: of interest to few. Candidates come as lines where `candidate` is NULL.
 */
typedef struct perm_log {
    void (*line)(void *data, bool detail, const char *line); /* NULL: nobody reads them */
    void *data;
    void (*candidate)(void *data, const perm_log_candidate *candidate);
} perm_log;

void perm_log_line(const perm_log *log, bool detail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What is to be computed, and how. */
struct perm_task {
    const perm_matrix *matrix;
    const perm_distinct *distinct; /* instead of a matrix; NULL: there is one */
    const perm_candidate *candidate;
    perm_precision precision;
    bool certify;          /* the bound of the error must be worth reading */
    base_devices *devices; /* that were found; NULL: none */
    perm_work *work;       /* holds the state; NULL: there is none */
    perm_work *notes;      /* `verify` and `note` of it are heeded; NULL: neither */
    bool verify;           /* notes->verify */
    perm_log log;
};

#endif
