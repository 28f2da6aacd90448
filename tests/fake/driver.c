/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct CUctx_st fake_contexts[FAKE_DEVICES];
__thread cuda_context fake_current;
static long calls, fail_call, fail_result;
long fake_sticky, fake_pending;
static long device_calls[FAKE_DEVICES];
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

/* All that was created and not yet destroyed. */
static struct fake_object objects[FAKE_OBJECTS];

/* How many objects and contexts are alive; tests call it. */
int fake_alive(void) {
    int count = 0;
    for (int i = 0; i < FAKE_OBJECTS; i++)
        count += objects[i].pointer != NULL;
    for (int i = 0; i < FAKE_DEVICES; i++)
        count += fake_contexts[i].uses;
    return count + fake_count_memories();
}

/* Forgets all objects, as the end of a process does. */
void fake_reset(void) {
    for (int i = 0; i < FAKE_OBJECTS; i++)
        free(objects[i].pointer);
    memset(objects, 0, sizeof objects);
    memset(fake_contexts, 0, sizeof fake_contexts);
}

long fake_environment(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text != NULL ? atol(text) : otherwise;
}

static bool is_fault(long result) {
    return result == CUDA_ECC_UNCORRECTABLE || (result >= 700 && result < 720 && result != 701);
}

/* "DEVICE:N" of a variable: whether the current device has come to its N-th call. */
bool fake_has_come(const char *variable) {
    const char *text = getenv(variable);
    int device;
    long number;
    return text != NULL && fake_current != NULL && sscanf(text, "%d:%ld", &device, &number) == 2 &&
           device == fake_current->device && device_calls[device] >= number;
}

void fake_begin(void) {
    const char *fail = getenv("MMPIPE_FAKE_FAIL");
    calls = fail_call = fake_sticky = fake_pending = 0;
    if (fail != NULL)
        sscanf(fail, "%ld:%ld", &fail_call, &fail_result);
}

/* Counts a call; the result it must return at once, or CUDA_OK. */
cuda_result fake_enter(bool needs_context) {
    pthread_mutex_lock(&fake_lock);
    cuda_result result = (cuda_result)fake_sticky;
    if (result == CUDA_OK && ++calls == fail_call) {
        result = (cuda_result)fail_result;
        if (is_fault(result))
            fake_sticky = result;
    }
    if (needs_context && fake_current != NULL)
        device_calls[fake_current->device]++;
    pthread_mutex_unlock(&fake_lock);
    while (needs_context && fake_has_come("MMPIPE_FAKE_STALL"))
        pause();
    if (result == CUDA_OK && fake_has_come("MMPIPE_FAKE_LOST"))
        result = 719;
    if (result == CUDA_OK && needs_context && fake_current == NULL)
        result = 201;
    return result;
}

/* "FUNCTION:RESULT": what that function returns. */
cuda_result fake_refuse(const char *function) {
    const char *text = getenv("MMPIPE_FAKE_REFUSE");
    const size_t length = strlen(function);
    return text != NULL && strncmp(text, function, length) == 0 && text[length] == ':'
               ? atoi(text + length + 1)
               : CUDA_OK;
}

struct fake_object *fake_find_object(const void *pointer) {
    for (int i = 0; i < FAKE_OBJECTS; i++)
        if (objects[i].pointer == pointer)
            return &objects[i];
    return NULL;
}

void *fake_add_object(size_t size, size_t device_bytes) {
    pthread_mutex_lock(&fake_lock);
    struct fake_object *object = fake_find_object(NULL);
    if (object != NULL) {
        object->pointer = malloc(size);
        object->bytes = device_bytes;
        object->device = fake_current != NULL ? fake_current->device : -1;
    }
    pthread_mutex_unlock(&fake_lock);
    return object != NULL ? object->pointer : NULL;
}

/* Device memory counts in its context. */
cuda_result fake_remove_object(void *pointer) {
    pthread_mutex_lock(&fake_lock);
    struct fake_object *object = pointer != NULL ? fake_find_object(pointer) : NULL;
    if (object != NULL) {
        if (object->bytes > 0)
            fake_contexts[object->device].used_bytes -= object->bytes;
        free(object->pointer);
        object->pointer = NULL;
        object->bytes = 0;
    }
    pthread_mutex_unlock(&fake_lock);
    return object != NULL ? CUDA_OK : 400;
}

/* Whether the bytes lie in one allocation of the current device. */
bool fake_is_inside(cuda_pointer address, size_t bytes) {
    bool inside = false;
    pthread_mutex_lock(&fake_lock);
    for (int i = 0; i < FAKE_OBJECTS; i++) {
        const struct fake_object *o = &objects[i];
        cuda_pointer start = (cuda_pointer)(uintptr_t)o->pointer;
        inside |= o->bytes > 0 && o->device == fake_current->device && address >= start &&
                  address + bytes <= start + o->bytes;
    }
    pthread_mutex_unlock(&fake_lock);
    return inside || fake_is_in_range(address, bytes);
}

void fake_rest(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0)
        nanosleep(&time, NULL);
}
