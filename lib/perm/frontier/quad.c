/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/quad.h"

#include <float.h>
#include <math.h>

#ifdef __SIZEOF_FLOAT128__
const double perm_quad_unit = 0x1p-113, perm_quad_least_log2 = -16494;
const int perm_quad_max_exponent = 16384;
#else
const double perm_quad_unit = LDBL_EPSILON / 2, perm_quad_least_log2 = LDBL_MIN_EXP - LDBL_MANT_DIG;
const int perm_quad_max_exponent = LDBL_MAX_EXP;
#endif

int64_t perm_quad_lift(perm_quad *x) {
    int64_t exponent = 0;
    for (; *x != 0 && *x < 0x1p-500 && *x > -0x1p-500; exponent -= 500)
        *x *= 0x1p500;
    return exponent;
}

perm_quad perm_quad_power(int64_t exponent) {
    perm_quad power = 1;
    for (; exponent > 1000; exponent -= 1000)
        power *= 0x1p1000;
    for (; exponent < -1000 && power != 0; exponent += 1000)
        power *= 0x1p-1000;
    return power * (perm_quad)ldexp(1, exponent < -1000 ? -1000 : (int)exponent);
}

perm_quad perm_quad_size(perm_quad re, perm_quad im) {
    if (im == 0)
        return re < 0 ? -re : re;
    perm_quad larger = re < 0 ? -re : re;
    larger = im > larger ? im : -im > larger ? -im : larger;
    const int64_t exponent = perm_quad_lift(&larger);
    for (int64_t k = 0; k > exponent; k -= 500) {
        re *= 0x1p500;
        im *= 0x1p500;
    }
    return (perm_quad)hypot((double)re, (double)im) * perm_quad_power(exponent);
}

perm_quad perm_quad_of(mpz_srcptr integer, int64_t exponent) {
    perm_quad sum = 0;
    mpz_t rest, part;
    mpz_init_set(rest, integer);
    mpz_init(part);
    for (int i = 0; i < 3 && mpz_sgn(rest); i++) {
        long size;
        double leading = mpz_get_d_2exp(&size, rest);
        sum += leading * perm_quad_power(size + exponent);
        mpz_set_d(part, ldexp(leading, 53));
        if (size > 53)
            mpz_mul_2exp(part, part, (mp_bitcnt_t)(size - 53));
        else
            mpz_tdiv_q_2exp(part, part, (mp_bitcnt_t)(53 - size));
        mpz_sub(rest, rest, part);
    }
    mpz_clear(rest);
    mpz_clear(part);
    return sum;
}
