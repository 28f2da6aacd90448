/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard algorithm over F2, for tests to start from. */
#ifndef TESTS_SUPPORT_FLIP_STANDARD_H
#define TESTS_SUPPORT_FLIP_STANDARD_H

#include <stdint.h>

/* The masks of a scheme n×m×p, its size, whose terms stand one after another; returns the rank. */
static inline int64_t make_standard(const int64_t size[3], uint64_t *masks) {
    int64_t r = 0, m = size[1], p = size[2];
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < p; k++, r++) {
                masks[3 * r] = UINT64_C(1) << (i * m + j);
                masks[3 * r + 1] = UINT64_C(1) << (j * p + k);
                masks[3 * r + 2] = UINT64_C(1) << (i * p + k);
            }
    return r;
}

#endif
