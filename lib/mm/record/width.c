/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/record/width.h"

#include <endian.h>
#include <string.h>

int mm_width_of(int64_t least, int64_t most) {
    if (least >= INT8_MIN && most <= INT8_MAX)
        return 1;
    if (least >= INT16_MIN && most <= INT16_MAX)
        return 2;
    return least >= INT32_MIN && most <= INT32_MAX ? 4 : 8;
}

int mm_width_of_values(const int64_t *values, int64_t count) {
    /* The bits in which some value differs from its sign. */
    uint64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        used |= (uint64_t)(values[i] ^ (values[i] >> 63));
    return mm_width_of(0, (int64_t)used);
}

static int8_t same(int8_t value) {
    return value;
}

#define NARROW(type, order)                                                                                  \
    for (int64_t i = 0; i < count; i++) {                                                                    \
        type value = (type)order(from[i]);                                                                   \
        memcpy(to + i * (int64_t)sizeof value, &value, sizeof value);                                        \
    }

#define WIDEN(type, order)                                                                                   \
    for (int64_t i = 0; i < count; i++) {                                                                    \
        type value;                                                                                          \
        memcpy(&value, from + i * (int64_t)sizeof value, sizeof value);                                      \
        to[i] = (type)order(value);                                                                          \
    }

void mm_narrow(char *to, const int64_t *from, int64_t count, int width) {
    switch (width) {
    case 1: NARROW(int8_t, same) break;
    case 2: NARROW(int16_t, htole16) break;
    case 4: NARROW(int32_t, htole32) break;
    case 8: NARROW(int64_t, htole64) break;
    }
}

void mm_widen(int64_t *to, const char *from, int64_t count, int width) {
    switch (width) {
    case 1: WIDEN(int8_t, same) break;
    case 2: WIDEN(int16_t, le16toh) break;
    case 4: WIDEN(int32_t, le32toh) break;
    case 8: WIDEN(int64_t, le64toh) break;
    }
}

void mm_put_doubles(char *to, const double *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        bits = htole64(bits);
        memcpy(to + 8 * i, &bits, sizeof bits);
    }
}

void mm_get_doubles(double *to, const char *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, from + 8 * i, sizeof bits);
        bits = le64toh(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

bool mm_all_below(const int64_t *index, int64_t count, int64_t limit) {
    uint64_t outside = 0; /* its sign bit */
    for (int64_t i = 0; i < count; i++)
        outside |= (uint64_t)index[i] | ((uint64_t)limit - 1 - (uint64_t)index[i]);
    return outside >> 63 == 0;
}

bool mm_all_numbers(const double *value, int64_t count) {
    uint64_t nan = 0; /* its sign bit: what is above infinity carries into it */
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        nan |= (bits & INT64_MAX) + (((uint64_t)1 << 52) - 1);
    }
    return nan >> 63 == 0;
}
