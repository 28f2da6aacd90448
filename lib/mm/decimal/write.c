/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary64 to the shortest decimal digits (Schubfach), and integers. */
#include "mm/decimal/decimal.h"
#include "mm/decimal/powers.h"

#include <string.h>

/* A word whose bytes are the eight decimal digits of a number below 10^8, the first digit in the lowest byte.
 * Halves, quarters and eighths are split off in parallel, each by a multiplication with a reciprocal that is
 * exact for so few digits. */
static inline uint64_t split_digits(uint32_t number) {
    uint64_t fours = number / 10000;
    fours |= (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = ((twos * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - tens * 10) << 8;
}

static inline void store(char *text, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(text, &word, sizeof word);
}

#define ZEROS UINT64_C(0x3030303030303030)

/* The first digits of a number without its leading zeros (a zero keeps one); writes 8 bytes. */
static inline char *write_leading(char *text, uint32_t number) {
    uint64_t word = split_digits(number);
    unsigned skipped = (unsigned)__builtin_ctzll(word | UINT64_C(1) << 56) & ~7u;
    store(text, (word | ZEROS) >> skipped);
    return text + (8 - skipped / 8);
}

static inline char *write_eight(char *text, uint32_t number) {
    store(text, split_digits(number) | ZEROS);
    return text + 8;
}

static char *write_unsigned(char *text, uint64_t value) {
    const uint64_t unit = 100000000;
    if (value < unit)
        return write_leading(text, (uint32_t)value);
    if (value < unit * unit) {
        text = write_leading(text, (uint32_t)(value / unit));
        return write_eight(text, (uint32_t)(value % unit));
    }
    text = write_leading(text, (uint32_t)(value / (unit * unit)));
    text = write_eight(text, (uint32_t)(value / unit % unit));
    return write_eight(text, (uint32_t)(value % unit));
}

int mm_decimal_write_int64(char *text, int64_t value) {
    char *p = text;
    if ((uint64_t)value < 100) { /* indices of small matrices */
        const unsigned tens = (unsigned)value / 10;
        text[0] = (char)('0' + tens);
        p += tens > 0;
        *p = (char)('0' + (unsigned)value % 10);
        return 1 + (tens > 0);
    }
    *p = '-';
    p += value < 0;
    return (int)(write_unsigned(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value) - text);
}

/* digits · 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* The product's integer part, its last bit set when anything lies behind it. */
static inline uint64_t multiply_to_odd(mm_power power, uint64_t number) {
    unsigned __int128 low = (unsigned __int128)power.low * number;
    unsigned __int128 high = (unsigned __int128)power.high * number + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal inside the interval of numbers that round to the double, the closest such (Giulietti,
 * The Schubfach way to render doubles, 2020, sections 8 and 9). `c` · 2^`q` is the double, `narrow` that the
 * double below it is only half as far as the one above. */
static decimal find_shortest(uint64_t c, int q, bool narrow) {
    /* floor(log10(2^q)), or of 3/4 of it when the interval is that much narrower */
    int k = (int)(((int64_t)q * 1262611 - (narrow ? 524031 : 0)) >> 22);
    int shift = q + (int)(((int64_t)-k * 1741647) >> 19) + 1;
    mm_power power = mm_powers()[-k - MM_POWER_FIRST];
    if (k > 0 || k < -55) { /* the powers that are not exact in 128 bits are rounded up */
        power.low++;
        power.high += power.low == 0;
    }
    uint64_t below = multiply_to_odd(power, (4 * c - 2 + narrow) << shift);
    uint64_t middle = multiply_to_odd(power, (4 * c) << shift);
    uint64_t above = multiply_to_odd(power, (4 * c + 2) << shift);
    below += c & 1; /* the ends themselves round to an even double only */
    above -= c & 1;
    uint64_t digits = middle / 4;
    if (digits >= 10) {
        uint64_t tens = digits / 10;
        bool down = below <= 40 * tens, up = 40 * tens + 40 <= above;
        if (down != up)
            return (decimal){tens + up, k + 1};
    }
    bool down = below <= 4 * digits, up = 4 * digits + 4 <= above;
    if (down == up) {
        uint64_t half = 4 * digits + 2;
        up = middle > half || (middle == half && (digits & 1));
    }
    return (decimal){digits + up, k};
}

/* Decimals of up to 17 digits as 17 characters with leading zeros, in one go; returns how many of them count
 * when zeros at the end do not. */
static inline int write_seventeen(char *text, uint64_t digits) {
    const uint64_t unit = 100000000;
    uint64_t rest = digits % (unit * unit);
    uint64_t middle = split_digits((uint32_t)(rest / unit)), last = split_digits((uint32_t)(rest % unit));
    *text = (char)('0' + digits / (unit * unit));
    store(text + 1, middle | ZEROS);
    store(text + 9, last | ZEROS);
    if (last)
        return 17 - __builtin_clzll(last) / 8;
    return middle ? 9 - __builtin_clzll(middle) / 8 : 1;
}

/* Lays out d.ddd·10^exponent, `count` digits at `digits`, in the shorter of the usual ways. */
static char *write_layout(char *text, const char *digits, int count, int exponent) {
    if (exponent >= count - 1 && exponent <= 15) {
        memset(text, '0', 16);
        memcpy(text, digits, (size_t)count);
        return text + exponent + 1;
    }
    if (exponent >= 0 && exponent <= 15) {
        memcpy(text, digits, 16);
        memcpy(text + exponent + 2, digits + exponent + 1, 16);
        text[exponent + 1] = '.';
        return text + count + 1;
    }
    if (exponent < 0 && exponent >= -4) {
        memcpy(text, "0.000000", 8);
        memcpy(text + 1 - exponent, digits, 17);
        return text + 1 - exponent + count;
    }
    *text++ = *digits;
    if (count > 1) {
        *text++ = '.';
        memcpy(text, digits + 1, 16);
        text += count - 1;
    }
    *text++ = 'e';
    *text = '-';
    text += exponent < 0;
    return write_unsigned(text, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

int mm_decimal_write_double(char *text, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    char *p = text;
    *p = '-';
    p += bits >> 63;
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    uint64_t c = exponent ? fraction | UINT64_C(1) << 52 : fraction;
    int q = exponent ? exponent - 1075 : -1074;
    if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
        return (int)(write_unsigned(p, c >> -q) - text);
    if (c == 0 || exponent == 0x7ff) {
        memcpy(p, c == 0 ? "0  " : "inf", 3);
        return (int)(p + (c == 0 ? 1 : 3) - text);
    }
    decimal shortest = find_shortest(c, q, fraction == 0 && exponent > 1);
    char digits[64];
    int count = write_seventeen(digits, shortest.digits), skipped = 0;
    while (digits[skipped] == '0')
        skipped++;
    return (int)(write_layout(p, digits + skipped, count - skipped, shortest.exponent + 16 - skipped) - text);
}
