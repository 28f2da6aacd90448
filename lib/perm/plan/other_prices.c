/* Prices of the methods for chosen precisions and for repeated lines. */
#include "perm/doubledouble/doubledouble.h"
#include "perm/mpfr/multiprecision.h"
#include "perm/multiplicities/double.h"
#include "perm/plan/price.h"
#include <stdio.h>
#include <string.h>

/* Bits where a kernel is named but no precision. */
enum { USUAL_BITS = 128 };

static bool is_wanted(const perm_plan_options *options, perm_precision_kind kind) {
    return options->kernel || options->list || options->precision.kind == kind;
}

static void refuse(perm_candidate *candidate, const char *reason) {
    snprintf(candidate->reason, sizeof candidate->reason, "%s", reason);
}

base_status perm_plan_price_twofold(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan) {
    const bool all = options->kernel || options->list;
    if (!is_wanted(options, PERM_PRECISION_TWOFOLD))
        return BASE_OK;
    for (const perm_twofold_kernel *const *kernel = perm_twofold_kernels(); *kernel; kernel++) {
        perm_candidate *candidate = perm_plan_add(plan, (*kernel)->name, PERM_TWOFOLD);
        perm_twofold twofold;
        base_status status = BASE_FAILED;
        if (matrix->n > PERM_DENSE_LARGEST)
            refuse(candidate, "n is too large");
        else if ((status = perm_twofold_init(context, matrix, all ? (*kernel)->name : NULL, &twofold)) ==
                 BASE_OK) {
            candidate->name = twofold.kernel->name;
            perm_plan_set_price(candidate, twofold.seconds);
            perm_twofold_free(&twofold);
        } else if (status == BASE_MACHINE)
            return status;
        else
            refuse(candidate, perm_matrix_look(matrix).complex && (*kernel)->run != perm_twofold_ref.run
                                  ? "not for complex matrices"
                                  : "not on this processor");
        if (!all)
            break;
    }
    return BASE_OK;
}

/* Complex matrices have no double-double kernel, but MPFR takes as many bits. */
base_status perm_plan_price_arbitrary(base_context *context, const perm_matrix *matrix,
                                      const perm_plan_options *options, perm_plan *plan) {
    const perm_precision_kind kind = options->precision.kind;
    if (!is_wanted(options, PERM_PRECISION_MPFR) && kind != PERM_PRECISION_TWOFOLD)
        return BASE_OK;
    perm_candidate *candidate = perm_plan_add(plan, "mpfr", PERM_ARBITRARY);
    perm_arbitrary arbitrary;
    candidate->bits = kind == PERM_PRECISION_MPFR      ? options->precision.bits
                      : kind == PERM_PRECISION_TWOFOLD ? PERM_TWOFOLD_BITS
                                                       : USUAL_BITS;
    if (matrix->n > PERM_EXACT_LARGEST) {
        refuse(candidate, "n is too large");
        return BASE_OK;
    }
    const base_status status = perm_arbitrary_init(context, matrix, candidate->bits, &arbitrary);
    if (status != BASE_OK)
        return status;
    perm_plan_set_price(candidate, arbitrary.seconds);
    candidate->bytes = 8.0 * (double)(arbitrary.chunk_count * arbitrary.word_count);
    perm_arbitrary_free(&arbitrary);
    return BASE_OK;
}

static base_status price_exactly(base_context *context, const perm_lines *lines, perm_candidate *candidate) {
    perm_repeated repeated;
    base_status status = perm_repeated_init(context, lines, &repeated);
    if (status == BASE_OK) {
        perm_plan_set_price(candidate, repeated.seconds);
        candidate->bytes = 8.0 * (double)(repeated.chunk_count * repeated.word_count);
        perm_repeated_free(&repeated);
    } else if (status == BASE_FAILED) {
        refuse(candidate, "the sum has more than 2^62 terms");
        status = BASE_OK;
    }
    return status;
}

static base_status price_rounded(base_context *context, const perm_lines *lines, perm_candidate *candidate) {
    perm_repeated_double repeated;
    base_status status = perm_repeated_double_init(context, lines, &repeated);
    if (status == BASE_OK) {
        perm_plan_set_price(candidate, repeated.seconds);
        candidate->bytes = (double)repeated.exact.chunk_count * sizeof(perm_repeated_partial);
        perm_repeated_double_free(&repeated);
    } else if (status == BASE_FAILED) {
        refuse(candidate, "the sum has more than 2^62 terms");
        status = BASE_OK;
    }
    return status;
}

base_status perm_plan_price_repeated(base_context *context, const perm_matrix *matrix,
                                     const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_lines lines = {0};
    perm_candidate *rounded = perm_plan_add(plan, "repeated-double", PERM_REPEATED_DOUBLE),
                   *exact = perm_plan_add(plan, "repeated", PERM_REPEATED);
    if (matrix->n > PERM_PLAN_REPEATED_LARGEST) {
        refuse(rounded, "n is too large");
        refuse(exact, "n is too large");
        return BASE_OK;
    }
    BASE_TRY(perm_lines_from_matrix(context, matrix, &lines));
    perm_lines_group(&lines);
    if (lines.nrow == matrix->n && lines.ncol == matrix->n && !options->kernel) {
        refuse(rounded, "no rows or columns are equal");
        refuse(exact, "no rows or columns are equal");
        goto done;
    }
    BASE_TRY(price_rounded(context, &lines, rounded));
    BASE_TRY(price_exactly(context, &lines, exact));
done:
    perm_lines_free(&lines);
    return status;
}
