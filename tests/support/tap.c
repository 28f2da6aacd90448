/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/tap.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int tap_count, tap_failures;

/* Lines end at once, so that a crash later does not swallow them. */
static void tap_line(const char *start, const char *format, va_list arguments) {
    fputs(start, stdout);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
}

void tap_ok(bool ok, const char *format, ...) {
    char start[48];
    va_list arguments;
    tap_count++;
    if (!ok)
        tap_failures++;
    snprintf(start, sizeof start, "%s %d - ", ok ? "ok" : "not ok", tap_count);
    va_start(arguments, format);
    tap_line(start, format, arguments);
    va_end(arguments);
}

void tap_skip(int count, const char *why) {
    for (int i = 0; i < count; i++)
        printf("ok %d # SKIP %s\n", ++tap_count, why);
    fflush(stdout);
}

void tap_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tap_line("# ", format, arguments);
    va_end(arguments);
}

uint64_t tap_seed(void) {
    const char *text = getenv("MMPIPE_TEST_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    tap_note("seed %llu", (unsigned long long)seed);
    return seed;
}

int tap_done(void) {
    if (tap_failures > 0)
        printf("# %d of %d failed\n", tap_failures, tap_count);
    printf("1..%d\n", tap_count);
    fflush(stdout);
    return tap_failures > 0 || tap_count == 0;
}

bool tap_is_foreign(const char *program) {
    char command[1100];
    snprintf(command, sizeof command, "'%s' -V >/dev/null 2>&1", program);
    const int result = system(command);
    return WIFEXITED(result) && WEXITSTATUS(result) == 126;
}
