/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/decimal_digits.h"
#include "base/core/memory.h"

#include <mpfr.h>
#include <string.h>

char *perm_digits(mpz_srcptr mantissa, int64_t exponent, int64_t digits, bool up, int64_t *point) {
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_t number;
    mpfr_exp_t where;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_init2(number, (mpfr_prec_t)mpz_sizeinbase(mantissa, 2) + 1);
    mpfr_set_z_2exp(number, mantissa, exponent, MPFR_RNDN);
    mpfr_abs(number, number, MPFR_RNDN);
    char *text = mpfr_get_str(NULL, &where, 10, (size_t)digits, number, up ? MPFR_RNDU : MPFR_RNDN);
    mpfr_clear(number);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    *point = where;
    char *copy = text != NULL ? base_copy_silent(text, (int64_t)strlen(text)) : NULL;
    mpfr_free_str(text);
    return copy;
}
