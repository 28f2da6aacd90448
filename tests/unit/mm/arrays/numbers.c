/* SPDX-License-Identifier: BSD-3-Clause */
/* Which arrays of numbers may be indices: whole numbers of any width, never fractions. */
#include "mm/arrays/numbers.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static base_context context;

/* Reads two indices of at most 9; what was found, or NULL. */
static int64_t *read_two(mm_number_type type, const void *bytes, base_status *status) {
    int64_t *index = NULL;
    mm_number_memory memory = {bytes, (const char *)bytes + (size_t)type.bytes * 2};
    mm_number_bytes from = mm_number_bytes_of_memory(&memory);
    *status = mm_numbers_read_indices(&context, &from, type, 2, "column", 10, &index);
    return index;
}

static void check_whole(mm_number_type type, const void *bytes, int64_t first, int64_t second) {
    base_status status;
    int64_t *index = read_two(type, bytes, &status);
    tap_ok(status == BASE_OK && index != NULL && index[0] == first && index[1] == second, "%c%d: %d and %d",
           type.letter, type.bytes, (int)first, (int)second);
    free(index);
}

static void check_fractions(mm_number_type type) {
    base_status status;
    const char zeros[32] = {0};
    int64_t *index = read_two(type, zeros, &status);
    tap_ok(status == BASE_DAMAGED && index == NULL && strstr(context.error.cause, "no whole numbers") != NULL,
           "%c%d is refused, though the numbers are 0", type.letter, type.bytes);
    free(index);
}

int main(void) {
    base_context_init(&context);
    check_whole((mm_number_type){'u', 1, false}, "\x07\x09", 7, 9);
    check_whole((mm_number_type){'i', 2, true}, "\x00\x07\x00\x09", 7, 9);
    check_whole((mm_number_type){'i', 4, false}, "\x07\x00\x00\x00\x09\x00\x00\x00", 7, 9);
    check_whole((mm_number_type){'b', 1, false}, "\x01\x00", 1, 0);
    check_fractions((mm_number_type){'f', 4, false});
    check_fractions((mm_number_type){'f', 8, false});
    check_fractions((mm_number_type){'c', 16, false});
    return tap_done();
}
