/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a file in memory: those that there are, and none beyond its end. */
#include "mm/arrays/whole.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    base_context context;
    mm_whole whole;
    char read[20];
    base_context_init(&context);
    if (mm_whole_create(&context, &whole) != BASE_OK || write(whole.descriptor, "0123456789", 10) != 10)
        abort();
    tap_ok(mm_whole_read(&context, &whole, 0, read, 10) == BASE_OK && memcmp(read, "0123456789", 10) == 0,
           "all of it");
    tap_ok(mm_whole_read(&context, &whole, 7, read, 3) == BASE_OK && memcmp(read, "789", 3) == 0, "its end");
    tap_ok(mm_whole_read(&context, &whole, 7, read, 4) == BASE_DAMAGED &&
               strstr(context.error.cause, "cut off") != NULL,
           "one byte more than there is");
    tap_ok(mm_whole_read(&context, &whole, 30, read, 1) == BASE_DAMAGED, "a byte behind its end");
    mm_whole_close(&whole);
    return tap_done();
}
