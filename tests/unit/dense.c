/* Dense permanents against exact arithmetic: closed forms, and random matrices whose entries are taken as the
 * dyadic rationals they are. */
#include "perm/dense.h"
#include "base/cpu.h"
#include "base/random.h"
#include "tests/tap.h"

#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 25, SHIFT = 1200 }; /* entries are multiples of 2^-SHIFT */

static base_context context;
static base_random numbers;

/* ---- exact permanents ---- */

/* perm over Gaussian integers, by f(S) = sum over j in S of a[|S|-1][j] f(S - j); 2^n n/2 products. */
static void exact_permanent(int n, mpz_t (*entry)[2], mpz_t result[2]) {
    mpz_t(*sum)[2] = malloc(sizeof(mpz_t[2]) << n);
    for (unsigned set = 0; set < 1u << n; set++) {
        mpz_init_set_ui(sum[set][0], set == 0);
        mpz_init(sum[set][1]);
        const int row = __builtin_popcount(set) - 1;
        for (int j = 0; j < n; j++) {
            if (!(set >> j & 1))
                continue;
            mpz_t *a = entry[j * n + row], *f = sum[set & ~(1u << j)];
            mpz_addmul(sum[set][0], a[0], f[0]);
            mpz_submul(sum[set][0], a[1], f[1]);
            mpz_addmul(sum[set][1], a[0], f[1]);
            mpz_addmul(sum[set][1], a[1], f[0]);
        }
    }
    for (int part = 0; part < 2; part++)
        mpz_set(result[part], sum[(1u << n) - 1][part]);
    for (unsigned set = 0; set < 1u << n; set++)
        mpz_clears(sum[set][0], sum[set][1], NULL);
    free(sum);
}

static void scale_rational(mpq_t value, int64_t exponent) {
    if (exponent >= 0)
        mpq_mul_2exp(value, value, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(value, value, (mp_bitcnt_t)-exponent);
}

/* The permanent of doubles as rationals. */
static void exact_of_doubles(int n, bool is_complex, const double *entries, mpq_t result[2]) {
    mpz_t(*entry)[2] = malloc(sizeof(mpz_t[2]) * (size_t)(n * n + 1)), whole[2];
    mpq_t number;
    mpq_init(number);
    mpz_inits(whole[0], whole[1], NULL);
    for (int at = 0; at < n * n; at++)
        for (int part = 0; part < 2; part++) {
            mpq_set_d(number, !is_complex ? (part == 0 ? entries[at] : 0) : entries[2 * at + part]);
            scale_rational(number, SHIFT);
            mpz_init_set(entry[at][part], mpq_numref(number));
        }
    exact_permanent(n, entry, whole);
    for (int part = 0; part < 2; part++) {
        mpq_set_z(result[part], whole[part]);
        scale_rational(result[part], -(int64_t)SHIFT * n);
    }
    for (int at = 0; at < n * n; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clear(number);
    free(entry);
}

/* |exact - result|^2 <= error^2; *loss: error over what it really was, where that is not 0. */
static bool within_bound(const perm_dense_result *result, const mpq_t exact[2], double *loss) {
    mpq_t distance, number, square;
    mpq_inits(distance, number, square, NULL);
    mpq_set_ui(square, 0, 1);
    for (int part = 0; part < 2; part++) {
        mpq_set_d(distance, result->high[part]);
        mpq_set_d(number, result->low[part]);
        mpq_add(distance, distance, number);
        mpq_set(number, exact[part]);
        scale_rational(number, -result->exponent);
        mpq_sub(distance, distance, number);
        mpq_mul(distance, distance, distance);
        mpq_add(square, square, distance);
    }
    mpq_set_d(number, result->error);
    mpq_mul(number, number, number);
    const bool within = mpq_cmp(square, number) <= 0;
    if (loss != NULL) {
        *loss = 0;
        if (mpq_sgn(square) != 0) {
            mpq_div(number, number, square);
            *loss = sqrt(mpq_get_d(number));
        }
    }
    mpq_clears(distance, number, square, NULL);
    return within;
}

/* ---- random matrices ---- */

static base_status permanent(int n, bool is_complex, const double *entries, const char *kernel,
                             perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0};
    return perm_dense_permanent(&context, &matrix, kernel, result);
}

static double uniform(double from, double to) {
    return from + (to - from) * base_random_uniform(&numbers);
}

static double random_sign(void) {
    return base_random_below(&numbers, 2) == 0 ? -1 : 1;
}

static double draw_positive(void) {
    return uniform(0, 1);
}
static double draw_signed(void) {
    return uniform(-1, 1);
}
static double draw_sign(void) {
    return random_sign();
}
static double draw_bit(void) {
    return base_random_below(&numbers, 3) == 0;
}
static double draw_integer(void) {
    return (double)base_random_below(&numbers, 201) - 100;
}
static double draw_wide(void) {
    return ldexp(uniform(-1, 1), (int)base_random_below(&numbers, 121) - 60);
}
static double draw_extreme(void) {
    return ldexp(uniform(-1, 1), (int)base_random_below(&numbers, 1997) - 998);
}
static double draw_sparse(void) {
    return base_random_below(&numbers, 2) == 0 ? 0 : uniform(-1, 1);
}
/* Columns nearly equal and opposite: row sums cancel. */
static double draw_cancelling(void) {
    return random_sign() * (1 + ldexp(uniform(-1, 1), -40));
}

static const struct {
    const char *name;
    double (*draw)(void);
} families[] = {{"uniform in [0, 1)", draw_positive},
                {"uniform in [-1, 1)", draw_signed},
                {"±1", draw_sign},
                {"0/1", draw_bit},
                {"integers", draw_integer},
                {"2^-60 to 2^60", draw_wide},
                {"1e-300 to 1e300", draw_extreme},
                {"half of them zeros", draw_sparse},
                {"nearly ±1", draw_cancelling}};
enum { FAMILIES = sizeof families / sizeof *families };

static void fill(double *entries, int count, double (*draw)(void)) {
    for (int at = 0; at < count; at++)
        entries[at] = draw();
}

static void test_bound(int family, bool is_complex) {
    enum { CASES = 150, ORDER = 9 };
    double entries[2 * ORDER * ORDER], worst = INFINITY;
    int wrong = 0, exact_results = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = number % 30 == 0 ? ORDER : number % 9;
        perm_dense_result result;
        double loss = 0;
        fill(entries, n * n * (1 + is_complex), families[family].draw);
        exact_of_doubles(n, is_complex, entries, exact);
        if (permanent(n, is_complex, entries, NULL, &result) != BASE_OK ||
            !within_bound(&result, exact, &loss))
            wrong++;
        exact_results += result.error == 0;
        if (loss > 0)
            worst = fmin(worst, loss);
    }
    tap_ok(wrong == 0, "%s%s: %d matrices within the bound", is_complex ? "complex, " : "",
           families[family].name, CASES);
    tap_note("%d of them exact; the bound is at least %.3g times the error", exact_results, worst);
    mpq_clears(exact[0], exact[1], NULL);
}

/* Entries of 90 bits in rows and columns of wildly different scale, given by the double next to each and an
 * exponent. */
static void test_inexact_entries(bool is_complex) {
    enum { CASES = 60, ORDER = 8 };
    int wrong = 0;
    mpq_t exact[2];
    mpz_t entry[ORDER * ORDER][2], whole[2];
    gmp_randstate_t state;
    gmp_randinit_default(state);
    gmp_randseed_ui(state, context.seed);
    mpz_inits(whole[0], whole[1], NULL);
    mpq_inits(exact[0], exact[1], NULL);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    for (int number = 0; number < CASES; number++) {
        double entries[2 * ORDER * ORDER] = {0};
        int64_t exponents[ORDER * ORDER], row[ORDER], column[ORDER], sum = 0;
        const int n = 1 + number % ORDER;
        for (int k = 0; k < n; k++) {
            row[k] = (int64_t)base_random_below(&numbers, 2000001) - 1000000;
            column[k] = (int64_t)base_random_below(&numbers, 20001) - 10000;
            sum += row[k] + column[k];
        }
        for (int at = 0; at < n * n; at++) {
            exponents[at] = row[at % n] + column[at / n];
            for (int part = 0; part <= is_complex; part++) {
                mpz_urandomb(entry[at][part], state, 90);
                entries[is_complex ? 2 * at + part : at] = mpz_get_d(entry[at][part]); /* rounds towards 0 */
            }
        }
        const perm_dense_matrix matrix = {n, is_complex, entries, exponents, 0x1p-52};
        perm_dense_result result;
        exact_permanent(n, entry, whole);
        for (int part = 0; part < 2; part++)
            mpq_set_z(exact[part], whole[part]);
        const base_status status = perm_dense_permanent(&context, &matrix, NULL, &result);
        result.exponent -= sum;
        wrong += status != BASE_OK || !within_bound(&result, exact, NULL) ||
                 result.error > 1e-9 * hypot(result.high[0], result.high[1]);
    }
    tap_ok(wrong == 0, "%sentries of 90 bits with exponents: %d matrices within a bound of 1e-9",
           is_complex ? "complex, " : "", CASES);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clears(exact[0], exact[1], NULL);
    gmp_randclear(state);
}

/* Orders of several blocks and lanes, with integers whose products do not fit. */
static void test_orders(bool is_complex) {
    enum { ORDER = 15 };
    double entries[2 * ORDER * ORDER] = {0};
    mpz_t entry[ORDER * ORDER][2], whole[2];
    mpq_t exact[2];
    int wrong = 0;
    mpz_inits(whole[0], whole[1], NULL);
    mpq_inits(exact[0], exact[1], NULL);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    for (int n = 8; n <= ORDER; n++) {
        perm_dense_result result;
        for (int at = 0; at < n * n; at++)
            for (int part = 0; part <= is_complex; part++) {
                const double value = rint(uniform(-0x1p40, 0x1p40));
                entries[is_complex ? 2 * at + part : at] = value;
                mpz_set_d(entry[at][part], value);
            }
        exact_permanent(n, entry, whole);
        for (int part = 0; part < 2; part++)
            mpq_set_z(exact[part], whole[part]);
        wrong += permanent(n, is_complex, entries, NULL, &result) != BASE_OK ||
                 !within_bound(&result, exact, NULL) ||
                 result.error > 1e-9 * hypot(result.high[0], result.high[1]);
    }
    tap_ok(wrong == 0, "%sintegers up to 2^40, n = 8 … %d, within a bound of 1e-9",
           is_complex ? "complex, " : "", ORDER);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clears(exact[0], exact[1], NULL);
}

/* ---- closed forms ---- */

static void test_constant(void) {
    static const double constants[] = {1, 3, 0.1, 1e300, 5e-324};
    double entries[LARGEST * LARGEST];
    mpz_t power;
    mpq_t exact[2], number;
    mpz_init(power);
    mpq_inits(exact[0], exact[1], number, NULL);
    for (int k = 0; k < 5; k++) {
        int wrong = 0, exact_results = 0;
        double largest = 0;
        for (int n = 0; n <= 24; n++) {
            perm_dense_result result;
            mpq_set_d(number, constants[k]);
            mpz_fac_ui(power, (unsigned long)n);
            mpq_set_z(exact[0], power);
            for (int at = 0; at < n * n; at++)
                entries[at] = constants[k];
            for (int i = 0; i < n; i++)
                mpq_mul(exact[0], exact[0], number);
            if (permanent(n, false, entries, NULL, &result) != BASE_OK || !within_bound(&result, exact, NULL))
                wrong++;
            exact_results += result.error == 0;
            largest = fmax(largest, result.error / fabs(result.high[0]));
        }
        tap_ok(wrong == 0 && largest < 1e-10,
               "constant %g: n! a^n for n = 0 … 24, relative bound at most %.3g", constants[k], largest);
        if (frexp(constants[k], &(int){0}) == 0.5) /* powers of two */
            tap_ok(exact_results >= 14, "constant %g: %d of them exact", constants[k], exact_results);
    }
    mpz_clear(power);
    mpq_clears(exact[0], exact[1], number, NULL);
}

/* D(n) = n D(n-1) + (-1)^n, below 2^62 up to n = 20. */
static void test_derangements(void) {
    double entries[20 * 20];
    int64_t derangements = 1;
    int wrong = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int n = 1; n <= 20; n++) {
        perm_dense_result result;
        derangements = n * derangements + (n % 2 == 0 ? 1 : -1);
        mpq_set_si(exact[0], derangements, 1);
        for (int at = 0; at < n * n; at++)
            entries[at] = at / n != at % n;
        if (permanent(n, false, entries, NULL, &result) != BASE_OK || !within_bound(&result, exact, NULL))
            wrong++;
    }
    tap_ok(wrong == 0, "J - I: derangements for n = 1 … 20");
    mpq_clears(exact[0], exact[1], NULL);
}

/* ---- kernels ---- */

/* Random whole numbers small enough for exact row sums. */
static perm_dense_problem random_problem(int n, bool is_complex, double **tables) {
    const int parts = 1 + is_complex, column = parts * n;
    double *start = calloc((size_t)(column * (1 + PERM_DENSE_INNER + 2 * n)), sizeof(double));
    double *inner = start + column, *up = inner + column * PERM_DENSE_INNER, *down = up + n * column;
    for (int j = 0; j < n; j++)
        for (int at = 0; at < column; at++) {
            const double value = rint(uniform(-1, 1) * 0x1p40) / (0x1p40 * n);
            const double a = rint(value * 0x1p46) * 0x1p-46;
            start[at] += j == n - 1 ? a : -a;
            up[j * column + at] = 2 * a;
            down[j * column + at] = -2 * a;
            if (j < PERM_DENSE_INNER)
                inner[(at % n * parts + at / n) * PERM_DENSE_INNER + j] = 2 * a;
        }
    *tables = start;
    return (perm_dense_problem){n, is_complex, start, inner, up, down};
}

static bool close_sums(const perm_dense_sums *left, const perm_dense_sums *right) {
    for (int lane = 0; lane < PERM_DENSE_LANES; lane++)
        for (int part = 0; part < 2; part++) {
            const double distance = fabs(left->high[part][lane] - right->high[part][lane]);
            if (!(distance <= 1e-14 * right->magnitude[lane]))
                return false;
        }
    return true;
}

static bool same_sums(const perm_dense_sums *left, const perm_dense_sums *right, int parts) {
    const size_t bytes = (size_t)parts * sizeof left->high[0];
    return memcmp(left->high, right->high, bytes) == 0 && memcmp(left->low, right->low, bytes) == 0 &&
           memcmp(left->magnitude, right->magnitude, sizeof left->magnitude) == 0;
}

static void test_kernel(const perm_dense_kernel *kernel, bool is_complex) {
    static const int orders[] = {8, 9, 10, 11, 12, 20, 40, 62, 63};
    int wrong = 0, different = 0;
    for (int k = 0; k < 9; k++) {
        double *tables;
        perm_dense_problem problem = random_problem(orders[k], is_complex, &tables);
        const int64_t blocks = INT64_C(1) << (orders[k] - 8);
        const int64_t count = blocks < 6 ? blocks : 6;
        const int64_t first = (int64_t)base_random_below(&numbers, (uint64_t)(blocks - count + 1));
        perm_dense_sums expected, sums;
        memset(&sums, 0xa5, sizeof sums);
        perm_dense_ref.run(&problem, first, count, &expected);
        kernel->run(&problem, first, count, &sums);
        wrong += !close_sums(&sums, &expected);
        different += !same_sums(&sums, &expected, 1 + is_complex);
        free(tables);
    }
    tap_ok(wrong == 0, "%s, %s: sums of blocks as in the reference", kernel->name,
           is_complex ? "complex" : "real");
    if (is_complex && strcmp(kernel->name, "dense-portable") == 0)
        tap_note("%d of 9 with other last bits, where there is no fma", different);
    else
        tap_ok(different == 0, "%s, %s: the same bits", kernel->name, is_complex ? "complex" : "real");
}

static void test_kernels(void) {
    const int cpu_level = base_cpu_has(BASE_CPU_AVX512) ? 2 : base_cpu_has(BASE_CPU_AVX2) ? 1 : 0;
    for (const perm_dense_kernel *const *entry = perm_dense_kernels(); *entry != NULL; entry++)
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            const perm_dense_problem problem = {.n = 10, .is_complex = is_complex};
            if ((*entry)->fits(&problem, cpu_level) > 0)
                test_kernel(*entry, is_complex);
            else
                tap_skip(2, "this processor cannot run the kernel");
        }
}

/* ---- chunks and threads ---- */

static void test_chunks(bool is_complex) {
    enum { ORDER = 24 };
    static double entries[2 * ORDER * ORDER];
    perm_dense dense;
    perm_dense_result one, four;
    fill(entries, ORDER * ORDER * (1 + is_complex), draw_signed);
    context.threads = 1;
    const perm_dense_matrix matrix = {ORDER, is_complex, entries, NULL, 0};
    perm_dense_init(&context, &matrix, NULL, &dense);
    perm_dense_partial *whole = calloc((size_t)dense.chunk_count, sizeof *whole);
    perm_dense_partial *parts = calloc((size_t)dense.chunk_count, sizeof *parts);
    perm_dense_run(&context, &dense, 0, dense.chunk_count, whole);
    perm_dense_fold(&dense, whole, &one);
    context.threads = 4;
    tap_ok(dense.chunk_count >= 4, "n = %d has %" PRId64 " chunks", ORDER, dense.chunk_count);
    perm_dense_run(&context, &dense, 0, 1, parts);
    perm_dense_run(&context, &dense, 1, dense.chunk_count - 1, parts + 1);
    tap_ok(memcmp(whole, parts, (size_t)dense.chunk_count * sizeof *whole) == 0,
           "chunks in two calls on four threads: the same bits");
    permanent(ORDER, is_complex, entries, NULL, &four);
    tap_ok(memcmp(&one, &four, sizeof one) == 0, "four threads: the same bits");
    context.threads = 1;
    free(whole);
    free(parts);
    perm_dense_free(&dense);
}

/* ---- special input ---- */

static void test_special(void) {
    double entries[64 * 64];
    const perm_dense_matrix large = {63, false, entries, NULL, 0};
    perm_dense_result result;
    perm_dense dense;
    fill(entries, 64 * 64, draw_positive);
    tap_ok(permanent(64, false, entries, NULL, &result) == BASE_FAILED, "n = 64 is refused");
    tap_ok(permanent(5, false, entries, "dense-abacus", &result) == BASE_USAGE,
           "an unknown kernel is refused");
    tap_ok(perm_dense_init(&context, &large, NULL, &dense) == BASE_OK &&
               dense.chunk_count == PERM_DENSE_MOST_CHUNKS && dense.chunk_blocks == INT64_C(1) << 39,
           "n = 63 is planned");
    perm_dense_free(&dense);
    for (int j = 0; j < 63; j++)
        entries[63 * j + 17] = 0;
    tap_ok(permanent(63, false, entries, NULL, &result) == BASE_OK && result.high[0] == 0 &&
               result.error == 0,
           "a row of zeros gives 0 at once");
    entries[100] = NAN;
    tap_ok(permanent(20, false, entries, NULL, &result) == BASE_FAILED, "NaN is refused");
    entries[100] = INFINITY;
    tap_ok(permanent(20, false, entries, NULL, &result) == BASE_FAILED, "infinity is refused");
    const double i_and_zeros[] = {0, 1, 0, 0, 0, 0, 0, 1}; /* diag(i, i) */
    tap_ok(permanent(2, true, i_and_zeros, NULL, &result) == BASE_OK &&
               ldexp(result.high[0], (int)result.exponent) == -1 && result.high[1] == 0 && result.error == 0,
           "diag(i, i) gives -1 exactly");
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    test_special();
    test_constant();
    test_derangements();
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        for (int family = 0; family < FAMILIES; family++)
            test_bound(family, is_complex);
        test_orders(is_complex);
        test_inexact_entries(is_complex);
        test_chunks(is_complex);
    }
    test_kernels();
    return tap_done();
}
