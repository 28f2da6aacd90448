/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of sums over tables modulo primes (exact.h). */
#include "base/core/memory.h"
#include "perm/sparse/exact.h"
#include "perm/sparse/internal.h"
#include "perm/subsets/primes.h"

#include <stdlib.h>
#include <string.h>

typedef struct sparse_method {
    perm_sparse_exact exact, other, check; /* another kernel, another prime; for --verify */
} sparse_method;

/* A chunk without memory for its work has a negative residue, which is impossible. */
static void sparse_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_sparse_exact_run(context, &((const sparse_method *)self)->exact, chunk, partial) != BASE_OK)
        *(int64_t *)partial = -1;
}

static bool sparse_is_possible(const void *self, const void *partial) {
    const perm_sparse_exact *exact = &((const sparse_method *)self)->exact;
    const int64_t *residue = partial;
    bool possible = true;
    for (int64_t k = 0; k < exact->prime_count; k++)
        possible = possible && residue[k] >= 0 && residue[k] < exact->prime[k];
    return possible;
}

/* Out of memory it does not agree, which is not silent. */
static bool sparse_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    const sparse_method *method = self;
    const size_t bytes = (size_t)method->other.prime_count * sizeof(int64_t);
    base_context silent = *context;
    silent.progress = NULL;
    int64_t *residue = base_alloc(&silent, method->other.prime_count, sizeof *residue);
    const bool same = residue != NULL &&
                      perm_sparse_exact_run(&silent, &method->other, chunk, residue) == BASE_OK &&
                      memcmp(residue, partial, bytes) == 0;
    free(residue);
    return same;
}

static void sparse_prepare(const void *self, perm_sum *sum) {
    const perm_sparse_exact *exact = &((const sparse_method *)self)->exact;
    mpz_set_ui(sum->modulus, 1);
    for (int64_t k = 0; k < exact->prime_count; k++)
        mpz_mul_si(sum->modulus, sum->modulus, (long)exact->prime[k]);
}

static base_status sparse_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                              perm_sum *sum) {
    const perm_sparse_exact *exact = &((const sparse_method *)self)->exact;
    perm_value value;
    int64_t *residue = base_alloc(context, exact->prime_count, sizeof *residue);
    if (residue == NULL)
        return BASE_MACHINE;
    memcpy(residue, partial, (size_t)exact->prime_count * sizeof *residue);
    perm_value_init(&value);
    perm_sparse_exact_value(exact, residue, &value);
    perm_sum_add(sum, chunk, &value, NULL);
    perm_value_free(&value);
    free(residue);
    return BASE_OK;
}

static base_status sparse_confirm(base_context *context, const void *self, const perm_value *value,
                                  bool *agrees) {
    base_status status = BASE_OK;
    const perm_sparse_exact *check = &((const sparse_method *)self)->check;
    const int64_t prime = check->prime[0];
    int64_t sum = 0;
    perm_value expected;
    perm_value_init(&expected);
    for (int64_t chunk = 0; chunk < check->sparse.chunk_count; chunk++) {
        int64_t residue;
        BASE_TRY(perm_sparse_exact_run(context, check, chunk, &residue));
        sum = (sum + residue) % prime;
    }
    perm_sparse_exact_value(check, &sum, &expected);
    *agrees = perm_prime_residue(value, 0, prime, 0) == perm_prime_residue(&expected, 0, prime, 0);
done:
    perm_value_free(&expected);
    return status;
}

static void sparse_release(void *self) {
    sparse_method *method = self;
    perm_sparse_exact_free(&method->exact);
    perm_sparse_exact_free(&method->other);
    perm_sparse_exact_free(&method->check);
    free(method);
}

base_status perm_sparse_exact_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const perm_matrix *matrix = task->matrix;
    const perm_sparse_plan *plan = task->candidate->prepared;
    const char *kernel = task->candidate->name;
    base_status status = BASE_MACHINE;
    sparse_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .run = sparse_run,
                              .is_possible = sparse_is_possible,
                              .agrees = sparse_agrees,
                              .prepare = sparse_prepare,
                              .add = sparse_add,
                              .confirm = sparse_confirm,
                              .release = sparse_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_sparse_exact_init(context, matrix, kernel, false, plan, &method->exact));
    const perm_sparse_kernel *used = method->exact.sparse.kernel;
    if (task->verify) {
        const char *other = used == &perm_sparse_exact_portable ? perm_sparse_exact_ref.name
                                                                : perm_sparse_exact_portable.name;
        BASE_TRY(perm_sparse_exact_init(context, matrix, other, false, plan, &method->other));
        BASE_TRY(perm_sparse_exact_init(context, matrix, kernel, true, plan, &method->check));
    }
    chunked->kernel = used->name;
    chunked->chunks = method->exact.sparse.chunk_count;
    chunked->partial_bytes = method->exact.prime_count * (int64_t)sizeof(int64_t);
    chunked->chunk_subsets = method->exact.sparse.chunk_subsets;
done:
    return status;
}
