/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers to binary64 (Lemire 2021), exactly where 128 bits do not decide. */
#include "mm/decimal/powers.h"
#include "mm/decimal/scan.h"

#include <gmp.h>
#include <math.h>

/* Exponents are cut here: beyond it a number of any length that fits in memory is zero or out of range. */
#define EXPONENT_LIMIT INT64_C(1000000000000000)

/* The digits of a number, not copied. */
typedef struct scanned {
    bool negative;
    const char *digits, *digits_end; /* from the first digit to behind the last, a point among them */
    int64_t fraction;                /* digits behind the point */
    int64_t exponent;                /* as written */
} scanned;

/* A sign bit and the bits below it. */
static double make_double(bool negative, uint64_t bits) {
    double value;
    bits |= (uint64_t)negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') <= 9;
}

/* Byte by byte, as nothing may be read behind the number. */
static mm_decimal_status scan(const char **text, scanned *number) {
    const char *p = *text;
    number->negative = *p == '-';
    p += *p == '-' || *p == '+';
    number->digits = p;
    while (is_digit(*p))
        p++;
    int64_t count = p - number->digits;
    number->fraction = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        while (is_digit(*p))
            p++;
        number->fraction = p - fraction;
    }
    number->digits_end = p;
    if (count + number->fraction == 0)
        return MM_DECIMAL_MALFORMED;
    number->exponent = 0;
    if (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') {
        p++;
        bool negative = *p == '-';
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return MM_DECIMAL_MALFORMED;
        for (; is_digit(*p); p++)
            if (number->exponent < EXPONENT_LIMIT)
                number->exponent = number->exponent * 10 + (*p - '0');
        if (negative)
            number->exponent = -number->exponent;
    }
    *text = p;
    return MM_DECIMAL_OK;
}

/* Lemire, Number parsing at a gigabyte per second (2021), with the proof of Mushtak and Lemire (Fast number
 * parsing without fallback, 2022) that a 128-bit product decides every 64-bit m. */
bool mm_decimal_round(uint64_t m, int64_t q, bool negative, double *value) {
    if (m == 0 || q < MM_POWER_FIRST) {
        *value = make_double(negative, 0);
        return true;
    }
    if (q > 308)
        return false;
    mm_power power = mm_powers()[q - MM_POWER_FIRST];
    if (q < 0 && q >= -27)
        power.low++; /* the proof wants these reciprocals rounded up */
    int zeros = __builtin_clzll(m);
    unsigned __int128 product = (unsigned __int128)(m << zeros) * power.high;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) {
        uint64_t below = (uint64_t)(((unsigned __int128)(m << zeros) * power.low) >> 64);
        low += below;
        high += low < below;
    }
    int top = (int)(high >> 63), shift = top + 9;
    uint64_t bits = high >> shift; /* 53 bits and one to round by */
    /* floor(log2(10^q)) + 63 is the binary exponent of the power's top bit. */
    int64_t exponent = ((q * 217706) >> 16) + 63 + top - zeros + 1023;
    if (exponent <= 0) {
        if (exponent < -62) {
            *value = make_double(negative, 0);
            return true;
        }
        bits >>= 1 - exponent;
        bits = (bits + (bits & 1)) >> 1;
        *value = make_double(negative, bits); /* 2^52 is the smallest normal number by itself */
        return true;
    }
    /* A tie: the product is exact, and its bits behind the rounding bit are zero. */
    if (low <= 1 && q >= -4 && q <= 23 && (bits & 3) == 1 && bits << shift == high)
        bits &= ~UINT64_C(1);
    bits = (bits + (bits & 1)) >> 1;
    /* The hidden bit, or the carry out of it, adds itself to the exponent. */
    bits += (uint64_t)(exponent - 1) << 52;
    if (bits >= UINT64_C(0x7ff) << 52)
        return false;
    *value = make_double(negative, bits);
    return true;
}

/* Rounds numerator / denominator · 2^shift exactly. */
static bool round_quotient(mpz_t numerator, mpz_t denominator, bool negative, double *value) {
    /* Scale so that the quotient has 64 or 65 bits, then cut it to 53, or fewer if it is subnormal. */
    int64_t scale = 65 + (int64_t)mpz_sizeinbase(denominator, 2) - (int64_t)mpz_sizeinbase(numerator, 2);
    if (scale > 0)
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)scale);
    else
        mpz_mul_2exp(denominator, denominator, (mp_bitcnt_t)-scale);
    mpz_t quotient, rest;
    mpz_init(quotient);
    mpz_init(rest);
    mpz_fdiv_qr(quotient, rest, numerator, denominator);
    int64_t length = (int64_t)mpz_sizeinbase(quotient, 2);
    int64_t exponent = length - 1 - scale; /* of the top bit */
    int64_t kept = exponent >= -1022 ? 53 : exponent + 1075;
    uint64_t bits = 0;
    bool fits = true;
    if (kept >= 0) {
        mp_bitcnt_t cut = (mp_bitcnt_t)(length - kept);
        bool half = mpz_tstbit(quotient, cut - 1);
        bool below = mpz_sgn(rest) != 0 || mpz_scan1(quotient, 0) < cut - 1;
        mpz_fdiv_q_2exp(quotient, quotient, cut);
        bits = mpz_get_ui(quotient);
        bits += half && (below || (bits & 1));
        if (exponent >= -1022)
            bits += (uint64_t)(exponent + 1022) << 52;
        fits = exponent <= 1023 && bits < UINT64_C(0x7ff) << 52;
    }
    *value = make_double(negative, bits);
    mpz_clear(quotient);
    mpz_clear(rest);
    return fits;
}

/* No double and no midpoint of two has more significant digits than this; one more stands for all behind. */
enum { DIGITS_LIMIT = 800 };

/* Exact arithmetic, for numbers whose first 19 digits do not decide. `first` is the first digit that is not
 * zero, `power` the power of ten that it stands at. */
static bool round_exactly(const scanned *number, const char *first, int64_t power, double *value) {
    char digits[DIGITS_LIMIT + 2];
    int count = 0;
    const char *p = first;
    for (; p < number->digits_end && count < DIGITS_LIMIT; p++)
        if (*p != '.')
            digits[count++] = *p;
    for (; p < number->digits_end; p++)
        if (*p != '.' && *p != '0') {
            digits[count++] = '1';
            break;
        }
    digits[count] = '\0';
    mpz_t numerator, denominator;
    mpz_init_set_str(numerator, digits, 10);
    mpz_init_set_ui(denominator, 1);
    int64_t scale = power - (count - 1);
    if (scale >= 0) {
        mpz_ui_pow_ui(denominator, 10, (unsigned long)scale);
        mpz_mul(numerator, numerator, denominator);
        mpz_set_ui(denominator, 1);
    } else
        mpz_ui_pow_ui(denominator, 10, (unsigned long)-scale);
    bool fits = round_quotient(numerator, denominator, number->negative, value);
    mpz_clear(numerator);
    mpz_clear(denominator);
    return fits;
}

mm_decimal_status mm_decimal_read_double(const char **text, double *value) {
    scanned number;
    mm_decimal_status status = scan(text, &number);
    if (status != MM_DECIMAL_OK)
        return status;
    const char *p = number.digits;
    while (p < number.digits_end && (*p == '0' || *p == '.'))
        p++;
    const char *first = p;
    uint64_t m = 0;
    int count = 0;
    int64_t behind = number.digits_end - first; /* digits from the first that counts on */
    bool point = false, more = false;
    for (; p < number.digits_end; p++)
        if (*p == '.')
            point = true;
        else if (count < 19) {
            m = m * 10 + (uint64_t)(*p - '0');
            count++;
        } else if (*p != '0') {
            more = true;
            point = point || memchr(p, '.', (size_t)(number.digits_end - p)) != NULL;
            break;
        }
    behind -= point;
    int64_t power = behind - 1 - number.fraction + number.exponent;
    if (m == 0 || power < -330) {
        *value = make_double(number.negative, 0);
        return MM_DECIMAL_OK;
    }
    if (power > 310)
        return MM_DECIMAL_OUT_OF_RANGE;
    int64_t q = power - (count - 1);
    bool fits = mm_decimal_round(m, q, number.negative, value);
    if (more) {
        double above = 0;
        bool above_fits = mm_decimal_round(m + 1, q, number.negative, &above);
        if (fits != above_fits || (fits && above != *value))
            fits = round_exactly(&number, first, power, value);
    }
    return fits ? MM_DECIMAL_OK : MM_DECIMAL_OUT_OF_RANGE;
}

mm_decimal_status mm_decimal_read_int64(const char **text, int64_t *value) {
    const char *p = *text;
    bool negative = *p == '-', fits = true;
    p += *p == '-' || *p == '+';
    if (!is_digit(*p))
        return MM_DECIMAL_MALFORMED;
    uint64_t magnitude = 0, limit = (uint64_t)INT64_MAX + negative;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (magnitude > (limit - digit) / 10)
            fits = false;
        else
            magnitude = magnitude * 10 + digit;
    }
    *text = p;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return fits ? MM_DECIMAL_OK : MM_DECIMAL_OUT_OF_RANGE;
}
