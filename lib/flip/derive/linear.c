/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/linear.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status flip_linear_open(base_context *context, int64_t equations, int64_t unknowns,
                             flip_linear *system) {
    base_status status = BASE_OK;
    *system = (flip_linear){.equations = equations, .unknowns = unknowns};
    system->words = (unknowns + 63) / 64;
    system->rhs_words = (equations + 63) / 64;
    int64_t least = equations < unknowns ? equations : unknowns;
    double bytes =
        8.0 * ((double)equations * (double)system->words + (double)least * (double)system->rhs_words);
    if (bytes > (double)context->memory_bytes)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "a system of %lld equations in %lld unknowns exceeds the memory limit",
                           (long long)equations, (long long)unknowns));
    system->row = base_alloc_zero(context, equations * system->words, sizeof *system->row);
    system->changed = base_alloc_zero(context, least * system->rhs_words, sizeof *system->changed);
    system->pivot_row = base_alloc(context, least, sizeof *system->pivot_row);
    system->pivot_unknown = base_alloc(context, least, sizeof *system->pivot_unknown);
    system->is_pivot = base_alloc_zero(context, equations, sizeof *system->is_pivot);
    system->free = base_alloc(context, system->words, sizeof *system->free);
    if (system->row == NULL || system->changed == NULL || system->pivot_row == NULL ||
        system->pivot_unknown == NULL || system->is_pivot == NULL || system->free == NULL)
        BASE_TRY(BASE_MACHINE);
done:
    if (status != BASE_OK)
        flip_linear_close(system);
    return status;
}

void flip_linear_close(flip_linear *system) {
    free(system->row);
    free(system->changed);
    free(system->pivot_row);
    free(system->pivot_unknown);
    free(system->is_pivot);
    free(system->free);
    memset(system, 0, sizeof *system);
}

base_status flip_linear_eliminate(base_context *context, flip_linear *system) {
    int64_t words = system->words;
    memset(system->free, 0xff, (size_t)words * sizeof *system->free);
    /* Gauss-Jordan over F2. `changed` notes for each pivot the rows to which its row was added, with which
     * solve repeats the elimination on any right side. */
    for (int64_t u = 0; u < system->unknowns; u++) {
        int64_t pivot = 0, word = u / 64;
        uint64_t bit = UINT64_C(1) << u % 64;
        while (pivot < system->equations &&
               (system->is_pivot[pivot] || !(system->row[pivot * words + word] & bit)))
            pivot++;
        if (pivot == system->equations)
            continue;
        uint64_t *changed = system->changed + system->rank * system->rhs_words;
        const uint64_t *from = system->row + pivot * words;
#pragma omp parallel for schedule(static) num_threads(context->threads)
        for (int64_t block = 0; block < system->rhs_words; block++)
            for (int64_t e = 64 * block; e < system->equations && e < 64 * block + 64; e++) {
                uint64_t *to = system->row + e * words;
                if (e == pivot || !(to[word] & bit))
                    continue;
                changed[block] |= UINT64_C(1) << e % 64;
                for (int64_t w = word; w < words; w++) /* words before are zero in the pivot's row */
                    to[w] ^= from[w];
            }
        system->is_pivot[pivot] = true;
        system->free[word] &= ~bit;
        system->pivot_row[system->rank] = pivot;
        system->pivot_unknown[system->rank++] = u;
    }
    return BASE_OK;
}

bool flip_linear_solve(const flip_linear *system, uint64_t *rhs, uint64_t *solution) {
    for (int64_t p = 0; p < system->rank; p++)
        solution[system->pivot_unknown[p] / 64] &= ~(UINT64_C(1) << system->pivot_unknown[p] % 64);
    for (int64_t p = 0; p < system->rank; p++) {
        int64_t row = system->pivot_row[p];
        if (rhs[row / 64] >> row % 64 & 1)
            for (int64_t w = 0; w < system->rhs_words; w++)
                rhs[w] ^= system->changed[p * system->rhs_words + w];
    }
    for (int64_t p = 0; p < system->rank; p++) {
        int64_t row = system->pivot_row[p], u = system->pivot_unknown[p];
        uint64_t value = rhs[row / 64] >> row % 64;
        for (int64_t w = u / 64; w < system->words; w++)
            value ^= (uint64_t)__builtin_parityll(system->row[row * system->words + w] & solution[w] &
                                                  system->free[w]);
        solution[u / 64] |= (value & 1) << u % 64;
        rhs[row / 64] &= ~(UINT64_C(1) << row % 64);
    }
    for (int64_t w = 0; w < system->rhs_words; w++)
        if (rhs[w] != 0)
            return false;
    return true;
}
