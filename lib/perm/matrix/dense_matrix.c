#include "perm/matrix/dense_matrix.h"
#include "base/core/memory.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 63 };

base_status perm_dense_matrix_check(base_context *context, const char *method,
                                    const perm_dense_matrix *matrix) {
    const int64_t n = matrix->n;
    if (n < 0 || n > LARGEST)
        return base_fail(context, BASE_FAILED, "the %s method takes n up to %d, not %lld", method, LARGEST,
                         (long long)n);
    for (int64_t at = 0; at < n * n * (matrix->is_complex ? 2 : 1); at++)
        if (!isfinite(matrix->entries[at]))
            return base_fail(context, BASE_FAILED, "the matrix has an entry that is not finite");
    return BASE_OK;
}

base_status perm_dense_matrix_pad(base_context *context, const perm_dense_matrix *matrix, int64_t least,
                                  bool transpose, perm_dense_matrix *padded, double **entries,
                                  int64_t **exponents) {
    const int64_t n = matrix->n, parts = matrix->is_complex ? 2 : 1;
    *padded = *matrix;
    padded->n = n < least ? least : n;
    *entries = base_alloc_zero(context, padded->n * padded->n * parts, sizeof **entries);
    *exponents = base_alloc_zero(context, padded->n * padded->n, sizeof **exponents);
    if (*entries == NULL || *exponents == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = transpose ? i * n + j : j * n + i, to = j * padded->n + i;
            for (int64_t part = 0; part < parts; part++)
                (*entries)[to * parts + part] = matrix->entries[from * parts + part];
            (*exponents)[to] = matrix->exponents != NULL ? matrix->exponents[from] : 0;
        }
    for (int64_t j = n; j < padded->n; j++)
        (*entries)[(j * padded->n + j) * parts] = 1;
    padded->entries = *entries;
    padded->exponents = *exponents;
    return BASE_OK;
}

bool perm_dense_matrix_has_zero_line(const perm_dense_matrix *matrix) {
    bool row[LARGEST] = {false}, column[LARGEST] = {false};
    const int64_t n = matrix->n, parts = matrix->is_complex ? 2 : 1;
    for (int64_t at = 0; at < n * n * parts; at++)
        if (matrix->entries[at] != 0)
            row[at / parts % n] = column[at / parts / n] = true;
    for (int64_t k = 0; k < n; k++)
        if (!row[k] || !column[k])
            return true;
    return false;
}

void perm_dense_add(double *high, double *low, double more_high, double more_low) {
    const double sum = *high + more_high, rest = sum - *high;
    const double error = (*high - (sum - rest)) + (more_high - rest) + (*low + more_low);
    *high = sum + error;
    *low = error - (*high - sum);
}
