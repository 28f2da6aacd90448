/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[BASE_FAULT_KINDS] = {"alloc",  "read", "write", "sync",  "rename",
                                                         "thread", "map",  "chunk", "kernel"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int armed_kind = -1;
static bool for_good;
static atomic_long countdown;

static void read_environment(void) {
    const char *text = getenv("MMPIPE_FAULT");
    if (text == NULL)
        return;
    for (int kind = 0; kind < BASE_FAULT_KINDS; kind++) {
        size_t length = strlen(kind_names[kind]);
        if (strncmp(text, kind_names[kind], length) == 0 && text[length] == ':') {
            char *end;
            atomic_store(&countdown, strtol(text + length + 1, &end, 10));
            for_good = *end == '+';
            armed_kind = kind;
        }
    }
}

bool base_fault(base_fault_kind kind) {
    pthread_once(&once, read_environment);
    if ((int)kind != armed_kind)
        return false;
    const long left = atomic_fetch_sub(&countdown, 1);
    return left == 1 || (for_good && left < 1);
}
