/* SPDX-License-Identifier: BSD-3-Clause */
/* Digits of decimal numbers, eight at a time. The hot loops of the text reader inline these, so they are here
 * and not behind a call; everything else reads numbers through decimal.h. All of them may load 8 bytes from
 * where they stand: the caller guarantees that MM_SCAN_PADDING bytes follow the newline that ends the text.
 */
#ifndef MM_DECIMAL_SCAN_H
#define MM_DECIMAL_SCAN_H

#include "mm/decimal/decimal.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MM_SCAN_PADDING = 32 };

#define MM_SCAN_INLINE static inline __attribute__((always_inline))

static const uint64_t mm_scan_tens[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
static const double mm_scan_exact_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Eight bytes, the first in the lowest, with each digit as its value. */
MM_SCAN_INLINE uint64_t mm_scan_load(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ UINT64_C(0x3030303030303030);
}

/* The number made by the first `bits` / 8 digits of a loaded word, 1 to 8 of them: they are moved to the end
 * of the word, behind zeros, and joined in pairs, fours and eights. */
MM_SCAN_INLINE uint64_t mm_scan_join(uint64_t word, unsigned bits) {
    word <<= 64 - bits;
    word = word * 10 + (word >> 8);
    return ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* The number made by the digits at `text`, at most 8 of them, and how many there are. Bytes are digits as
 * long as they are at most 9; adding 0x76 shows the first that is not in its top bit. */
MM_SCAN_INLINE uint64_t mm_scan_digits(const char *text, unsigned *count) {
    uint64_t word = mm_scan_load(text);
    uint64_t others = ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
    unsigned bits = others ? (unsigned)__builtin_ctzll(others) & ~7u : 64;
    *count = bits / 8;
    return bits ? mm_scan_join(word, bits) : 0;
}

/* Reads digits only, at most 18 of them; false (the text may have moved) on none or more. */
MM_SCAN_INLINE bool mm_scan_unsigned(const char **text, uint64_t *value) {
    unsigned count;
    *value = mm_scan_digits(*text, &count);
    *text += count;
    if (__builtin_expect(count == 8, 0)) {
        uint64_t more = mm_scan_digits(*text, &count);
        *value = *value * mm_scan_tens[count] + more;
        *text += count;
        if (count == 8) {
            more = mm_scan_digits(*text, &count);
            *value = *value * mm_scan_tens[count] + more;
            *text += count;
            return count <= 2;
        }
        return true;
    }
    return count > 0;
}

/* Reads a number of one or two digits with a blank or the line's end behind it; false, and nothing moved, on
 * anything else. */
MM_SCAN_INLINE bool mm_scan_few(const char **text, uint64_t *value) {
    const char *p = *text;
    const unsigned first = (unsigned char)(p[0] - '0'), second = (unsigned char)(p[1] - '0');
    const bool has_two = second <= 9; /* no branch: the lengths are hard to predict */
    p += 1 + has_two;
    *value = has_two ? 10 * first + second : first;
    if (first > 9 || (*p != ' ' && *p != '\n'))
        return false;
    *text = p;
    return true;
}

/* Reads two numbers of at most 8 digits with one blank between them, as most lines of a coordinate file
 * begin; false, and nothing moved, on anything else. Their ends come from one comparison of 32 bytes, so that
 * the next number can be started before these are joined. */
MM_SCAN_INLINE bool mm_scan_pair(const char **text, uint64_t *first, uint64_t *second) {
#ifdef __SSE2__
    const char *p = *text;
    const __m128i offset = _mm_set1_epi8((char)(0x80 - '0')), nine = _mm_set1_epi8((char)(0x80 + 9));
    __m128i low = _mm_add_epi8(_mm_loadu_si128((const __m128i *)p), offset);
    __m128i high = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(p + 16)), offset);
    uint32_t others = (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(low, nine)) |
                      (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(high, nine)) << 16;
    uint32_t behind = others & (others - 1);
    if (behind == 0)
        return false;
    unsigned blank = (unsigned)__builtin_ctz(others), end = (unsigned)__builtin_ctz(behind);
    unsigned length = end - blank - 1;
    if (blank - 1 >= 8 || length - 1 >= 8 || (p[blank] != ' ' && p[blank] != '\t'))
        return false;
    *first = mm_scan_join(mm_scan_load(p), 8 * blank);
    *second = mm_scan_join(mm_scan_load(p + blank + 1), 8 * length);
    *text = p + end;
    return true;
#else
    (void)text, (void)first, (void)second;
    return false;
#endif
}

/* Reads [+-] and at most 18 digits. */
MM_SCAN_INLINE bool mm_scan_integer(const char **text, int64_t *value) {
    bool negative = **text == '-';
    *text += negative | (**text == '+'); /* no branch: signs are hard to predict */
    uint64_t magnitude;
    bool read = mm_scan_unsigned(text, &magnitude);
    *value = (int64_t)((magnitude ^ (0 - (uint64_t)negative)) + negative);
    return read;
}

/* m · 10^q, correctly rounded, for any m; false when that is out of range. */
bool mm_decimal_round(uint64_t m, int64_t q, bool negative, double *value);

MM_SCAN_INLINE double mm_scan_sign(bool negative, double magnitude) {
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&magnitude, &bits, sizeof bits);
    return magnitude;
}

/* Reads what mm_decimal_read_double does; numbers of more than 19 digits are left to it. */
MM_SCAN_INLINE mm_decimal_status mm_scan_double(const char **text, double *value) {
    const char *p = *text;
    bool negative = *p == '-';
    p += negative | (*p == '+'); /* no branch: signs are hard to predict */
    const char *first = p;
    unsigned count;
    uint64_t m = mm_scan_digits(p, &count);
    p += count;
    while (__builtin_expect(count == 8, 0)) {
        uint64_t more = mm_scan_digits(p, &count);
        m = m * mm_scan_tens[count] + more;
        p += count;
    }
    int64_t digits = p - first, q = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        do {
            uint64_t more = mm_scan_digits(p, &count);
            m = m * mm_scan_tens[count] + more;
            p += count;
        } while (count == 8);
        q = fraction - p;
        digits -= q;
    }
    if (__builtin_expect(digits > 19 || digits == 0, 0))
        return mm_decimal_read_double(text, value);
    if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd') {
        p++;
        bool down = *p == '-';
        p += down | (*p == '+');
        uint64_t exponent = mm_scan_digits(p, &count);
        if (count == 0 || count == 8)
            return mm_decimal_read_double(text, value);
        p += count;
        q += down ? -(int64_t)exponent : (int64_t)exponent;
    }
    *text = p;
    if (m <= UINT64_C(1) << 53 && q >= -22 && q <= 22) {
        /* Both factors are exact, so one operation rounds once (Clinger 1990). */
        double magnitude = (double)m;
        magnitude = q < 0 ? magnitude / mm_scan_exact_tens[-q] : magnitude * mm_scan_exact_tens[q];
        *value = mm_scan_sign(negative, magnitude);
        return MM_DECIMAL_OK;
    }
    return mm_decimal_round(m, q, negative, value) ? MM_DECIMAL_OK : MM_DECIMAL_OUT_OF_RANGE;
}

#endif
