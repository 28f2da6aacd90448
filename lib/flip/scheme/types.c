/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/types.h"
#include "base/core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* value^(prime - 2), which is the inverse by Fermat's little theorem. */
static int64_t invert(int64_t value, int64_t prime) {
    int64_t power = prime - 2, result = 1;
    for (; power > 0; power >>= 1, value = value * value % prime)
        if (power & 1)
            result = result * value % prime;
    return result;
}

/* Rank of a rows × cols matrix modulo a prime, by elimination in place. */
static int32_t find_rank(int64_t *matrix, int64_t rows, int64_t cols, int64_t prime) {
    int64_t rank = 0;
    for (int64_t j = 0; j < cols && rank < rows; j++) {
        int64_t pivot = rank;
        while (pivot < rows && matrix[pivot * cols + j] == 0)
            pivot++;
        if (pivot == rows)
            continue;
        for (int64_t k = 0; k < cols && pivot != rank; k++) {
            int64_t other = matrix[rank * cols + k];
            matrix[rank * cols + k] = matrix[pivot * cols + k];
            matrix[pivot * cols + k] = other;
        }
        const int64_t inverse = invert(matrix[rank * cols + j], prime);
        for (int64_t i = rank + 1; i < rows; i++) {
            const int64_t by = matrix[i * cols + j] * inverse % prime;
            for (int64_t k = j; k < cols && by != 0; k++)
                matrix[i * cols + k] =
                    (matrix[i * cols + k] + (prime - by) * matrix[rank * cols + k]) % prime;
        }
        rank++;
    }
    return (int32_t)rank;
}

typedef struct type {
    int32_t rank[3];
} type;

static int compare_ranks(const void *a, const void *b) {
    return *(const int32_t *)a - *(const int32_t *)b;
}

static int compare_types(const void *a, const void *b) {
    const type *left = a, *right = b;
    for (int k = 0; k < 3; k++)
        if (left->rank[k] != right->rank[k])
            return left->rank[k] - right->rank[k];
    return 0;
}

static void print_types(const type *types, int64_t count, char *text, size_t size) {
    size_t length = 0;
    *text = '\0';
    for (int64_t r = 0, same; r < count && length < size; r += same) {
        for (same = 1; r + same < count && compare_types(&types[r], &types[r + same]) == 0;)
            same++;
        snprintf(text + length, size - length, "%s%d-%d-%d:%lld", r > 0 ? "," : "", (int)types[r].rank[0],
                 (int)types[r].rank[1], (int)types[r].rank[2], (long long)same);
        length = strlen(text);
    }
}

base_status flip_types_describe(base_context *context, const flip_scheme *scheme, char *text, size_t size) {
    base_status status = BASE_OK;
    const int64_t prime = scheme->field == FLIP_F2 ? 2 : INT64_C(2147483647);
    int64_t longest = 0;
    int64_t *matrix = NULL;
    type *types = base_alloc(context, scheme->rank, sizeof *types);
    for (int k = 0; k < 3; k++)
        longest = flip_length(scheme->size, k) > longest ? flip_length(scheme->size, k) : longest;
    matrix = base_alloc(context, longest, sizeof *matrix);
    if (types == NULL || matrix == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t r = 0; r < scheme->rank; r++) {
        for (int k = 0; k < 3; k++) {
            const int64_t length = flip_length(scheme->size, k), rows = scheme->size[k == 1 ? 1 : 0];
            for (int64_t e = 0; e < length; e++) {
                const int64_t value = scheme->factor[k][r * length + e] % prime;
                matrix[e] = value < 0 ? value + prime : value;
            }
            types[r].rank[k] = find_rank(matrix, rows, length / rows, prime);
        }
        qsort(types[r].rank, 3, sizeof *types[r].rank, compare_ranks);
    }
    qsort(types, (size_t)scheme->rank, sizeof *types, compare_types);
    print_types(types, scheme->rank, text, size);
done:
    free(types);
    free(matrix);
    return status;
}
