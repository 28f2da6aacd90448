/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of doubledouble.h on the processor. */
#include "base/core/memory.h"
#include "perm/doubledouble/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dd_method {
    perm_dd dd, other; /* `other` has another kernel */
} dd_method;

static void dd_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_dd_run(context, &((const dd_method *)self)->dd, chunk, 1, partial);
}

/* The lower parts have gathered the roundings of up to 2^13 additions of the parts above them. */
static bool dd_is_possible(const void *self, const void *numbers) {
    const dd_method *method = self;
    const perm_dd_partial *partial = numbers;
    const double most = partial->magnitude * (1 + 1e-6) + 0x1p-1000;
    bool possible = partial->magnitude >= 0 && partial->magnitude <= ldexp(method->dd.chunk_subsets, 63);
    for (int part = 0; part < 2; part++)
        possible = possible && fabs(partial->high[part]) <= most &&
                   fabs(partial->middle[part]) <= most * 0x1p-40 &&
                   fabs(partial->low[part]) <= most * 0x1p-80;
    return possible;
}

/* The bits of a sum are the same by every kernel. */
static bool dd_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    perm_dd_partial again;
    base_context silent = *context;
    silent.progress = NULL;
    perm_dd_run(&silent, &((const dd_method *)self)->other, chunk, 1, &again);
    return memcmp(&again, partial, sizeof again) == 0;
}

static void dd_prepare(const void *self, perm_sum *sum) {
    perm_dd_error(&((const dd_method *)self)->dd, &sum->relative_error, &sum->absolute_error);
}

static base_status dd_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                          perm_sum *sum) {
    perm_value value, magnitude;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&magnitude);
    perm_dd_chunk(&((const dd_method *)self)->dd, partial, &value, &magnitude);
    perm_sum_add(sum, chunk, &value, &magnitude);
    perm_value_free(&value);
    perm_value_free(&magnitude);
    return BASE_OK;
}

static void dd_release(void *self) {
    dd_method *method = self;
    perm_dd_free(&method->dd);
    perm_dd_free(&method->other);
    free(method);
}

base_status perm_dd_chunks(base_context *context, const perm_matrix *matrix, const char *kernel, bool verify,
                           perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    dd_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .partial_bytes = sizeof(perm_dd_partial),
                              .run = dd_run,
                              .is_possible = dd_is_possible,
                              .agrees = dd_agrees,
                              .prepare = dd_prepare,
                              .add = dd_add,
                              .release = dd_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_dd_init(context, matrix, kernel, &method->dd));
    if (verify)
        BASE_TRY(perm_dd_init(context, matrix, perm_dd_portable.name, &method->other));
    chunked->kernel = method->dd.kernel->name;
    chunked->chunks = method->dd.chunk_count;
    chunked->chunk_subsets = method->dd.chunk_subsets;
done:
    return status;
}

base_status perm_dd_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return perm_dd_chunks(context, task->matrix, task->candidate->name, task->verify, chunked);
}
