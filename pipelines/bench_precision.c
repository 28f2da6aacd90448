/* SPDX-License-Identifier: BSD-3-Clause */
/* Error and time of each precision on this processor for n! a^n, as table 3 of the SUperman paper has them
 * for n = 20 … 32: the relative error against the exact value, the bound that the method gives, processor
 * seconds.
 *
 *     bench_precision [-j THREADS] [-m LARGEST] [N...]
 *
 * on one thread, MPFR up to order 22, and of the orders 20 22 24 26 28 where nothing else is said: a minute.
 */
#include "base/core/context.h"
#include "perm/dense/dense.h"
#include "perm/doubledouble/doubledouble.h"
#include "perm/mpfr/multiprecision.h"
#include "perm/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MPFR_BITS = 256 };
static const double constants[] = {0.1, 0.7, 3};
static base_context context;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static base_status make_constant(int64_t n, double a, perm_matrix *matrix) {
    const base_status status = perm_matrix_alloc(&context, n, n * n, MM_REAL, matrix);
    for (int64_t e = 0; status == BASE_OK && e < n * n; e++) {
        perm_value_set_complex(&matrix->entry[e], a, 0);
        matrix->index[e] = e % n;
        matrix->start[e / n + 1] = (e / n + 1) * n;
    }
    return status;
}

/* n! a^n for the double a */
static void set_exact(int64_t n, double a, perm_value *exact) {
    perm_value factor;
    perm_value_init(&factor);
    perm_value_set_integer(exact, 1);
    for (int64_t k = 1; k <= n; k++) {
        perm_value_set_complex(&factor, a, 0);
        perm_value_multiply(exact, &factor);
        perm_value_set_integer(&factor, k);
        perm_value_multiply(exact, &factor);
    }
    perm_value_free(&factor);
}

static base_status by_double(const perm_matrix *matrix, perm_value *value) {
    base_status status;
    perm_dense_matrix entries = {.n = 0};
    perm_dense_result result;
    perm_value low;
    perm_value_init(&low);
    BASE_TRY(perm_dense_matrix_init(&context, matrix, &entries));
    BASE_TRY(perm_dense_permanent(&context, &entries, NULL, &result));
    perm_value_set_complex(value, result.high[0], 0);
    perm_value_set_complex(&low, result.low[0], 0);
    perm_value_add(value, &low);
    value->error = perm_bound_from_double(result.error);
    perm_value_scale(value, result.exponent);
done:
    perm_value_free(&low);
    perm_dense_matrix_free(&entries);
    return status;
}

static base_status by_dd(const perm_matrix *matrix, perm_value *value) {
    return perm_dd_permanent(&context, matrix, NULL, value);
}

static base_status by_arbitrary(const perm_matrix *matrix, perm_value *value) {
    return perm_multiprecision_permanent(&context, matrix, MPFR_BITS, value);
}

static struct {
    const char *name;
    base_status (*run)(const perm_matrix *matrix, perm_value *value);
    int64_t largest;
} methods[] = {{"double, compensated", by_double, PERM_DENSE_LARGEST},
               {"double-double", by_dd, PERM_DENSE_LARGEST},
               {"MPFR, 256 bits", by_arbitrary, 22}};
enum { METHODS = sizeof methods / sizeof *methods, CONSTANTS = sizeof constants / sizeof *constants };

static base_status time_method(int method, int64_t n, double a, const perm_matrix *matrix) {
    perm_value exact, value, minus_one;
    perm_value_init(&exact);
    perm_value_init(&value);
    perm_value_init(&minus_one);
    set_exact(n, a, &exact);
    const double size = perm_bound_log2(perm_bound_of(&exact)), start = processor_seconds();
    const base_status status = methods[method].run(matrix, &value);
    const double seconds = processor_seconds() - start;
    const double bound = exp2(perm_bound_log2(value.error) - size);
    perm_value_set_integer(&minus_one, -1);
    perm_value_multiply(&exact, &minus_one);
    value.error = perm_bound_from_double(0);
    perm_value_add(&value, &exact);
    const double error = exp2(perm_bound_log2(perm_bound_of(&value)) - size);
    if (status == BASE_OK)
        printf("%d\t%g\t%s\t%.3g\t%.3g\t%.4f\t%.4f\n", (int)n, a, methods[method].name, error, bound, seconds,
               1e9 * seconds / ldexp((double)n, (int)n - 1));
    fflush(stdout);
    perm_value_free(&exact);
    perm_value_free(&value);
    perm_value_free(&minus_one);
    return status;
}

static base_status time_order(int64_t n) {
    base_status status = BASE_OK;
    for (int c = 0; c < CONSTANTS && status == BASE_OK; c++) {
        perm_matrix matrix;
        status = make_constant(n, constants[c], &matrix);
        for (int method = 0; method < METHODS && status == BASE_OK; method++)
            if (n <= methods[method].largest)
                status = time_method(method, n, constants[c], &matrix);
        perm_matrix_free(&matrix);
    }
    return status;
}

int main(int argc, char **argv) {
    base_status status = BASE_OK;
    base_context_init(&context);
    for (int option; (option = getopt(argc, argv, "j:m:")) != -1;) {
        if (option == 'j')
            context.threads = atoi(optarg);
        else if (option == 'm')
            methods[METHODS - 1].largest = atoll(optarg);
        else
            return BASE_USAGE;
    }
    printf("n\ta\tprecision\trelative error\tbound\tseconds\tns/unit\n");
    for (int64_t n = 20; optind == argc && n <= 28 && status == BASE_OK; n += 2)
        status = time_order(n);
    for (int k = optind; k < argc && status == BASE_OK; k++)
        status = time_order(atoll(argv[k]));
    if (status != BASE_OK)
        fprintf(stderr, "bench_precision: %s\n", context.error.cause);
    return status;
}
