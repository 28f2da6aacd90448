/* SPDX-License-Identifier: BSD-3-Clause */
/* libmmpipe's permanents, through its headers alone, against brute force and closed forms. */
#include <math.h>
#include <string.h>

#include "tests/unit/api/context.h"

static double complex_part(const double *a, int n, unsigned columns, int row, double *im) {
    double re = 0;
    *im = 0;
    if (row == n) {
        return 1;
    }
    for (int j = 0; j < n; j++) {
        double rest_im, rest;
        if ((columns >> j & 1) != 0)
            continue;
        rest = complex_part(a, n, columns | 1u << j, row + 1, &rest_im);
        const double x = a[2 * (j * n + row)], y = a[2 * (j * n + row) + 1];
        re += x * rest - y * rest_im;
        *im += x * rest_im + y * rest;
    }
    return re;
}

static void test_complex(mmpipe_context *context) {
    enum { N = 6 };
    const mmpipe_permanent_options options = {.size = sizeof options, .precision = "double"};
    double a[2 * N * N], im;
    mmpipe_record *record = NULL;
    mmpipe_permanent *permanent = NULL;
    for (int k = 0; k < 2 * N * N; k++)
        a[k] = sin(1.0 + k);
    const double re = complex_part(a, N, 0, 0, &im);
    mmpipe_status status = mmpipe_record_from_array(
        context, (mmpipe_shape){.nrow = N, .ncol = N, .field = MMPIPE_COMPLEX}, a, MMPIPE_BORROW, &record);
    status = status != MMPIPE_OK ? status : mmpipe_permanent_compute(context, record, &options, &permanent);
    tap_ok(status == MMPIPE_OK, "a complex permanent");
    const double error = hypot(mmpipe_permanent_real(permanent) - re, mmpipe_permanent_imag(permanent) - im);
    tap_ok(error < 1e-12 * hypot(re, im), "it is that of all permutations");
    tap_ok(mmpipe_permanent_bound(permanent) > 0 && mmpipe_permanent_bound(permanent) < 1e-9 &&
               mmpipe_permanent_estimate(permanent) <= mmpipe_permanent_bound(permanent) &&
               !mmpipe_permanent_is_exact(permanent),
           "with a bound, and an estimate no larger: %g, %g", mmpipe_permanent_bound(permanent),
           mmpipe_permanent_estimate(permanent));
    mmpipe_permanent_free(permanent);
    mmpipe_record_free(record);
}

/* n! 10^n: more digits than a double has. */
static void test_large(mmpipe_context *context) {
    enum { N = 22 };
    int64_t a[N * N];
    mmpipe_record *record = NULL;
    mmpipe_permanent *permanent = NULL;
    for (int k = 0; k < N * N; k++)
        a[k] = 10;
    mmpipe_record_from_array(context, (mmpipe_shape){.nrow = N, .ncol = N, .field = MMPIPE_INTEGER}, a,
                             MMPIPE_COPY, &record);
    memset(a, 0, sizeof a); /* the record has a copy */
    const mmpipe_status status = mmpipe_permanent_compute(context, record, NULL, &permanent);
    tap_ok(status == MMPIPE_OK &&
               strcmp(mmpipe_permanent_text(permanent), "11240007277776076800000000000000000000000000") ==
                   0 &&
               mmpipe_permanent_is_exact(permanent) && mmpipe_permanent_bound(permanent) == 0,
           "22! 10^22, exactly");
    tap_ok(fabs(mmpipe_permanent_real(permanent) / 1.12400072777760768e43 - 1) < 1e-15, "and as a double");
    mmpipe_permanent_free(permanent);
    mmpipe_record_free(record);
}

static void test_options(mmpipe_context *context) {
    const double tenth[] = {0.1, 0.25, 0.25, 0.1};
    mmpipe_record *record = NULL;
    mmpipe_permanent *permanent = NULL;
    mmpipe_permanent_options options = {.size = sizeof options, .precision = "exact", .decimals = true};
    mmpipe_record_from_array(context, (mmpipe_shape){.nrow = 2, .ncol = 2, .field = MMPIPE_REAL}, tenth,
                             MMPIPE_BORROW, &record);
    mmpipe_status status = mmpipe_permanent_compute(context, record, &options, &permanent);
    tap_ok(status == MMPIPE_OK && strcmp(mmpipe_permanent_text(permanent), "0.0725") == 0 &&
               mmpipe_permanent_real(permanent) == 0.0725 && mmpipe_permanent_is_exact(permanent),
           "decimals: 0.1^2 + 0.25^2 is 0.0725");
    mmpipe_permanent_free(permanent);
    options.size = 0;
    status = mmpipe_permanent_compute(context, record, &options, &permanent);
    tap_refused(context, status == MMPIPE_USAGE && permanent == NULL, "options without their size");
    /* As if of a version that knew the first three members. */
    options = (mmpipe_permanent_options){.size = offsetof(mmpipe_permanent_options, decimals),
                                         .row_counts = "not a list"};
    status = mmpipe_permanent_compute(context, record, &options, &permanent);
    tap_ok(status == MMPIPE_OK, "members beyond the caller's size are not looked at");
    mmpipe_permanent_free(permanent);
    options = (mmpipe_permanent_options){.size = sizeof options, .kernel = "none"};
    status = mmpipe_permanent_compute(context, record, &options, &permanent);
    tap_refused(context, status == MMPIPE_USAGE && strstr(mmpipe_error(context), "none") != NULL,
                "no such kernel");
    mmpipe_record_free(record);
}

/* perm [1 2; 3 4] without a row and a column: [4 3; 2 1]. */
static void test_minors(mmpipe_context *context) {
    const int64_t a[] = {1, 3, 2, 4}, expected[2][2] = {{4, 3}, {2, 1}};
    mmpipe_record *record, *minors;
    bool right = true;
    mmpipe_record_from_array(context, (mmpipe_shape){.nrow = 2, .ncol = 2, .field = MMPIPE_INTEGER}, a,
                             MMPIPE_COPY, &record);
    const mmpipe_status status = mmpipe_permanent_minors(context, record, NULL, &minors);
    for (int64_t k = 0; status == MMPIPE_OK && k < mmpipe_record_nnz(minors); k++)
        right &= mmpipe_record_integer(minors)[k] ==
                 expected[mmpipe_record_row(minors)[k]][mmpipe_record_col(minors)[k]];
    tap_ok(status == MMPIPE_OK && right && mmpipe_record_nnz(minors) == 4, "minors");
    mmpipe_record_free(minors);
    mmpipe_record_free(record);
}

int main(void) {
    mmpipe_context *context = open_context();
    if (context == NULL)
        return 1;
    test_complex(context);
    test_large(context);
    test_options(context);
    test_minors(context);
    mmpipe_context_free(context);
    return tap_done();
}
