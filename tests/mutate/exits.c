/* SPDX-License-Identifier: BSD-3-Clause */
/* In a build with --coverage: what has been executed is written, too, where a program ends by _exit or by a
 * signal that it sends to itself. For the linker's --wrap. */
#include <signal.h>

void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
int __real_raise(int number);
void __wrap__exit(int status) __attribute__((noreturn));
int __wrap_raise(int number);

void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}

int __wrap_raise(int number) {
    __gcov_dump();
    return __real_raise(number);
}

/* A test that is stopped because it takes too long is asked to end. */
static void end(int number) {
    (void)number;
    __wrap__exit(1);
}

__attribute__((constructor)) static void write_when_stopped(void) {
    signal(SIGTERM, end);
}
