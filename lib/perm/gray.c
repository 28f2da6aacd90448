#include "perm/gray.h"
#include "base/memory.h"
#include "base/progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LIMBS = 80, LOG2_CHUNK = 14 };

typedef struct gray {
    int64_t n, limbs;
    int64_t *column; /* n columns of n entries */
} gray;

/* Words of the sum: 2^(n-1) times the permanent, and its sign. */
static base_status count_limbs(base_context *context, const perm_matrix *matrix, int64_t *limbs) {
    double bound;
    base_status status = perm_matrix_bound_log2(context, matrix, &bound);
    if (status == BASE_OK)
        *limbs = (int64_t)ceil((fmax(bound, 0) + (double)matrix->n + 1) / 64);
    return status;
}

/* Whether every line's sum of |entries| is below 2^62. */
static bool sums_fit(const perm_matrix *matrix) {
    for (int64_t i = 0; i < matrix->n; i++) {
        double sum = 0;
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            sum += exp2(fmin(perm_bound_log2(perm_bound_of(&matrix->entry[e])), 100));
        if (sum > 0x1p61)
            return false;
    }
    return true;
}

base_status perm_gray_price(base_context *context, const perm_matrix *matrix, double *seconds) {
    int64_t limbs;
    *seconds = 0;
    if (matrix->n == 0 || matrix->n > PERM_GRAY_LARGEST || !perm_matrix_look(matrix).integer ||
        !sums_fit(matrix))
        return BASE_OK;
    base_status status = count_limbs(context, matrix, &limbs);
    if (status == BASE_OK && limbs <= MOST_LIMBS)
        *seconds =
            ldexp((double)matrix->n, (int)matrix->n - 1) * (limbs <= 2 ? 1.2e-9 : 2e-9 * (double)limbs);
    return status;
}

/* Row sums of the subset numbered `index` in Gray code order; the last column always counts as +. */
static void start_sums(const gray *g, uint64_t index, int64_t *sum) {
    uint64_t code = index ^ index >> 1;
    memcpy(sum, g->column + (g->n - 1) * g->n, (size_t)g->n * sizeof *sum);
    for (int64_t j = 0; j < g->n - 1; j++)
        for (int64_t i = 0; i < g->n; i++)
            sum[i] += code >> j & 1 ? g->column[j * g->n + i] : -g->column[j * g->n + i];
}

static void next_sums(const gray *g, uint64_t index, int64_t *sum) {
    int j = __builtin_ctzll(index);
    const int64_t *column = g->column + j * g->n;
    int64_t twice = (index ^ index >> 1) >> j & 1 ? 2 : -2;
    for (int64_t i = 0; i < g->n; i++)
        sum[i] += twice * column[i];
}

static void product_of_two_words(const int64_t *sum, int64_t n, mp_limb_t *product) {
    unsigned __int128 wide = 1;
    for (int64_t i = 0; i < n; i++)
        wide *= (unsigned __int128)(__int128)sum[i];
    product[0] = (mp_limb_t)wide;
    product[1] = (mp_limb_t)(wide >> 64);
}

static void product_of_words(const int64_t *sum, int64_t n, mp_limb_t *product, int64_t limbs) {
    bool negative = false;
    memset(product, 0, (size_t)limbs * sizeof *product);
    product[0] = 1;
    for (int64_t i = 0; i < n; i++) {
        negative ^= sum[i] < 0;
        mpn_mul_1(product, product, (mp_size_t)limbs, (mp_limb_t)llabs(sum[i]));
    }
    if (negative)
        mpn_neg(product, product, (mp_size_t)limbs);
}

/* Subsets first … first+count-1; the sum is added to `total`. */
static void run_chunk(const gray *g, uint64_t first, uint64_t count, mp_limb_t *total) {
    int64_t sum[PERM_GRAY_LARGEST];
    mp_limb_t product[MOST_LIMBS];
    for (uint64_t index = first; index < first + count; index++) {
        if (index == first)
            start_sums(g, index, sum);
        else
            next_sums(g, index, sum);
        if (g->limbs <= 2)
            product_of_two_words(sum, g->n, product);
        else
            product_of_words(sum, g->n, product, g->limbs);
        /* The sign of a subset alternates along the code; that of the last one is +. */
        if ((index ^ (uint64_t)(g->n - 1)) & 1)
            mpn_sub_n(total, total, product, (mp_size_t)g->limbs);
        else
            mpn_add_n(total, total, product, (mp_size_t)g->limbs);
    }
}

/* The permanent from 2^(n-1) times it, in two's complement. */
static void read_total(const gray *g, mp_limb_t *total, perm_value *value) {
    bool negative = total[g->limbs - 1] >> 63;
    if (negative)
        mpn_neg(total, total, (mp_size_t)g->limbs);
    perm_value_set_integer(value, 0);
    mpz_import(value->re, (size_t)g->limbs, -1, sizeof *total, 0, 0, total);
    mpz_tdiv_q_2exp(value->re, value->re, (mp_bitcnt_t)(g->n - 1));
    if (negative)
        mpz_neg(value->re, value->re);
}

base_status perm_gray_run(base_context *context, const perm_matrix *matrix, perm_value *value) {
    base_status status = BASE_OK;
    gray g = {.n = matrix->n};
    mp_limb_t total[MOST_LIMBS] = {0};
    mpz_t integer;
    mpz_init(integer);
    BASE_TRY(count_limbs(context, matrix, &g.limbs));
    g.column = base_alloc_zero(context, g.n * g.n, sizeof *g.column);
    if (!g.column) {
        status = BASE_MACHINE;
        goto done;
    }
    g.limbs = g.limbs < 2 ? 2 : g.limbs;
    for (int64_t i = 0; i < g.n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            const perm_value *entry = &matrix->entry[e];
            if (entry->exponent >= 0)
                mpz_mul_2exp(integer, entry->re, (mp_bitcnt_t)entry->exponent);
            else
                mpz_tdiv_q_2exp(integer, entry->re, (mp_bitcnt_t)-entry->exponent);
            g.column[matrix->index[e] * g.n + i] = mpz_get_si(integer);
        }
    uint64_t subsets = (uint64_t)1 << (g.n - 1);
    uint64_t length = subsets < 1 << LOG2_CHUNK ? subsets : 1 << LOG2_CHUNK;
    int64_t chunks = (int64_t)(subsets / length);
    base_progress_start(context, "Gray code", (double)subsets, "subsets");
#pragma omp parallel num_threads(context->threads) if (chunks > 1)
    {
        mp_limb_t part[MOST_LIMBS] = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t chunk = 0; chunk < chunks; chunk++) {
            run_chunk(&g, (uint64_t)chunk * length, length, part);
            base_progress_add(context, (double)length);
        }
#pragma omp critical(perm_gray)
        mpn_add_n(total, total, part, (mp_size_t)g.limbs);
    }
    base_progress_finish(context);
    read_total(&g, total, value);
done:
    mpz_clear(integer);
    free(g.column);
    return status;
}
