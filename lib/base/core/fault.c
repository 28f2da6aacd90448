#include "base/core/fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[BASE_FAULT_KINDS] = {"alloc",  "read",  "write", "sync",
                                                         "rename", "chunk", "kernel"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int armed_kind = -1;
static atomic_long countdown;

static void read_environment(void) {
    const char *text = getenv("MMPIPE_FAULT");
    if (text == NULL)
        return;
    for (int kind = 0; kind < BASE_FAULT_KINDS; kind++) {
        size_t length = strlen(kind_names[kind]);
        if (strncmp(text, kind_names[kind], length) == 0 && text[length] == ':') {
            atomic_store(&countdown, atol(text + length + 1));
            armed_kind = kind;
        }
    }
}

bool base_fault(base_fault_kind kind) {
    pthread_once(&once, read_environment);
    return (int)kind == armed_kind && atomic_fetch_sub(&countdown, 1) == 1;
}
