/* SPDX-License-Identifier: BSD-3-Clause */
/* A watch over the calls of the driver. What waits for a kernel waits without an end for one that hangs, on
 * whichever device, and no call can be taken back: only the process can end. */
#include "base/core/thread.h"
#include "base/device/internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* At most so many calls at once are watched; a device has few threads. */
enum { CALLS = 2 * BASE_DEVICES, LOOKS = 16 };

/* `turn` is odd while a call is under way, and never the same again. On a cache line of its own. */
struct base_device_call {
    _Alignas(64) atomic_uint turn;
    const char *_Atomic name;
};
static struct base_device_call calls[CALLS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static base_device_hang *hang;
static void *hang_data;
static bool is_watching;
static cuda_driver real; /* does not change while somebody watches */

base_device_call *base_device_call_begin(const char *name) {
    static _Thread_local unsigned last; /* the place of this thread's call before */
    for (unsigned k = 0; k < CALLS; k++) {
        base_device_call *call = &calls[(last + k) % CALLS];
        unsigned turn = atomic_load_explicit(&call->turn, memory_order_relaxed);
        if (turn % 2 == 0 && atomic_compare_exchange_strong(&call->turn, &turn, turn + 1)) {
            atomic_store_explicit(&call->name, name, memory_order_relaxed);
            last = (last + k) % CALLS;
            return call;
        }
    }
    return NULL;
}

void base_device_call_end(base_device_call *call) {
    if (call != NULL)
        atomic_fetch_add(&call->turn, 1);
}

#define WATCHED(name, symbol, parameters, arguments)                                                         \
    static cuda_result watched_##name parameters {                                                           \
        base_device_call *call = base_device_call_begin(#symbol);                                            \
        const cuda_result answer = real.name arguments;                                                      \
        base_device_call_end(call);                                                                          \
        return answer;                                                                                       \
    }
CUDA_DRIVER_FUNCTIONS(WATCHED)
#undef WATCHED

static void tell(const char *name, double seconds) {
    char what[160];
    snprintf(what, sizeof what, "the NVIDIA driver has not come back from %s for %g seconds: a GPU hangs",
             name, seconds);
    pthread_mutex_lock(&lock);
    if (hang != NULL)
        hang(hang_data, what);
    pthread_mutex_unlock(&lock);
}

/* Counts its own looks, not the clock: a process that was halted has not waited. */
static void *watch(void *unused) {
    static unsigned seen[CALLS];
    static int looks[CALLS];
    const double limit = base_device_most_wait_seconds(), pause = limit < 10 * LOOKS ? limit / LOOKS : 10;
    const struct timespec wait = {.tv_sec = (time_t)pause, .tv_nsec = (long)(1e9 * (pause - (int)pause))};
    (void)unused;
    for (;;) {
        nanosleep(&wait, NULL);
        for (int i = 0; i < CALLS; i++) {
            const unsigned turn = atomic_load(&calls[i].turn);
            looks[i] = turn % 2 == 1 && turn == seen[i] ? looks[i] + 1 : 0;
            seen[i] = turn;
            if (looks[i] * pause > limit)
                tell(atomic_load(&calls[i].name), limit);
        }
    }
    return NULL;
}

base_status base_device_watch(base_context *context, cuda_driver *driver) {
    base_status status = BASE_OK;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    if (hang == NULL)
        goto done;
    if (!is_watching) {
        if (base_thread_start(&thread, watch, NULL) != 0)
            BASE_TRY(
                base_fail(context, BASE_MACHINE, "cannot start a thread that watches the NVIDIA driver"));
        pthread_detach(thread);
        real = *driver;
        is_watching = true;
    }
    if (driver->cuInit != real.cuInit)
        goto done; /* another library than the first one */
#define WATCH(name, symbol, parameters, arguments) driver->name = watched_##name;
    CUDA_DRIVER_FUNCTIONS(WATCH)
#undef WATCH
done:
    pthread_mutex_unlock(&lock);
    return status;
}

void base_devices_watch(base_device_hang *on_hang, void *data) {
    pthread_mutex_lock(&lock);
    hang = on_hang;
    hang_data = data;
    pthread_mutex_unlock(&lock);
}
