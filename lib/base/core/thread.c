/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/thread.h"
#include "base/core/fault.h"
#include "base/core/memory.h"

#include <errno.h>
#include <malloc.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

int base_thread_start(pthread_t *thread, void *(*work)(void *), void *data) {
    return base_fault(BASE_FAULT_THREAD) ? EAGAIN : pthread_create(thread, NULL, work, data);
}

int base_thread_start_small(pthread_t *thread, void *(*work)(void *), void *data) {
    enum { STACK_BYTES = 128 << 10 };
    sigset_t all, before;
    pthread_attr_t small;
    if (base_fault(BASE_FAULT_THREAD))
        return EAGAIN;
    int error = pthread_attr_init(&small);
    if (error != 0)
        return error;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    error = pthread_create(thread, &small, work, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&small);
    return error;
}

/* ---- a worker ---- */

struct base_worker {
    void (*work)(void *data);
    void *data;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool is_busy, is_over; /* under the lock */
};

static void *work_on(void *data) {
    base_worker *it = data;
    pthread_mutex_lock(&it->lock);
    for (;;) {
        while (!it->is_busy && !it->is_over)
            pthread_cond_wait(&it->change, &it->lock);
        if (!it->is_busy)
            break;
        pthread_mutex_unlock(&it->lock);
        it->work(it->data);
        pthread_mutex_lock(&it->lock);
        it->is_busy = false;
        pthread_cond_broadcast(&it->change);
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

static void free_worker(base_worker *it) {
    pthread_mutex_destroy(&it->lock);
    pthread_cond_destroy(&it->change);
    free(it);
}

base_worker *base_worker_start(void (*work)(void *data), void *data) {
    base_worker *it = base_alloc_silent(1, sizeof *it);
    if (it == NULL)
        return NULL;
    *it = (base_worker){.work = work, .data = data};
    pthread_mutex_init(&it->lock, NULL);
    pthread_cond_init(&it->change, NULL);
    if (base_thread_start(&it->thread, work_on, it) == 0)
        return it;
    free_worker(it);
    return NULL;
}

static void tell(base_worker *it, bool *what) {
    pthread_mutex_lock(&it->lock);
    *what = true;
    pthread_cond_broadcast(&it->change);
    pthread_mutex_unlock(&it->lock);
}

void base_worker_begin(base_worker *it) {
    tell(it, &it->is_busy);
}

void base_worker_wait(base_worker *it) {
    pthread_mutex_lock(&it->lock);
    while (it->is_busy)
        pthread_cond_wait(&it->change, &it->lock);
    pthread_mutex_unlock(&it->lock);
}

bool base_worker_is_busy(base_worker *it) {
    pthread_mutex_lock(&it->lock);
    const bool is_busy = it->is_busy;
    pthread_mutex_unlock(&it->lock);
    return is_busy;
}

void base_worker_end(base_worker *it) {
    if (it == NULL)
        return;
    tell(it, &it->is_over);
    pthread_join(it->thread, NULL);
    free_worker(it);
}

/* ---- how many threads ---- */

/* The number behind the last '/' of /proc/loadavg's fourth word: all threads that there are. */
static int64_t count_threads(void) {
    char text[128] = "", *slash;
    FILE *file = fopen("/proc/loadavg", "re");
    if (file == NULL)
        return INT64_MAX / 2;
    if (fgets(text, sizeof text, file) == NULL)
        text[0] = '\0';
    fclose(file);
    slash = strchr(text, '/');
    return slash != NULL ? strtoll(slash + 1, NULL, 10) : INT64_MAX / 2;
}

/* The least that control groups (version 2) say about processes, from the own one up; *current what they
 * count there. A group that cannot be read has no limit that is known. */
static bool is_group_near(int64_t wanted) {
    char line[4096], path[8192], most[32], now[32];
    bool near = false;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, "0::", 3) == 0;
    fclose(file);
    if (!found)
        return false;
    char *group = line + 3;
    group[strcspn(group, "\n")] = '\0';
    for (char *end = group + strlen(group); end != NULL && !near; end = strrchr(group, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/pids.max", group);
        FILE *limit = fopen(path, "re");
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/pids.current", group);
        FILE *count = fopen(path, "re");
        if (limit != NULL && count != NULL && fgets(most, sizeof most, limit) != NULL &&
            fgets(now, sizeof now, count) != NULL && strncmp(most, "max", 3) != 0)
            near = strtoll(most, NULL, 10) - strtoll(now, NULL, 10) < 4 * wanted;
        if (limit != NULL)
            fclose(limit);
        if (count != NULL)
            fclose(count);
    }
    return near;
}

/* Whether a limit may keep so many threads from starting; the tables of the system are large. */
static bool is_limit_near(int wanted, int64_t *addresses) {
    const char *fault = getenv("MMPIPE_FAULT");
    struct rlimit limit;
    *addresses = 0;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        *addresses = (int64_t)limit.rlim_cur;
    if (*addresses > 0 || (fault != NULL && strncmp(fault, "thread", 6) == 0))
        return true;
    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (int64_t)limit.rlim_cur < count_threads() + 4 * (int64_t)wanted)
        return true;
    return is_group_near(wanted);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool is_open;
} gate;

static void *wait_at(void *data) {
    gate *gate = data;
    pthread_mutex_lock(&gate->lock);
    while (!gate->is_open)
        pthread_cond_wait(&gate->change, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return NULL;
}

/* How many of so many threads start beside each other. */
static int try_threads(int wanted) {
    gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_t *thread = base_alloc_silent(wanted, sizeof *thread);
    int started = 0;
    if (thread == NULL)
        return 0;
    while (started < wanted && base_thread_start(&thread[started], wait_at, &gate) == 0)
        started++;
    pthread_mutex_lock(&gate.lock);
    gate.is_open = true;
    pthread_cond_broadcast(&gate.change);
    pthread_mutex_unlock(&gate.lock);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    free(thread);
    return started;
}

static bool are_scarce;

bool base_threads_are_scarce(void) {
    return are_scarce;
}

int base_threads_probe(int wanted) {
    int64_t addresses;
    void *reserve = MAP_FAILED;
    int count;
    if (wanted < 2 || !is_limit_near(wanted, &addresses))
        return wanted;
    are_scarce = true;
    if (addresses > 0) {
        mallopt(M_ARENA_MAX, 1); /* an arena for each thread takes 64 MiB of addresses */
        reserve =
            mmap(NULL, (size_t)addresses / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    count = addresses > 0 && reserve == MAP_FAILED ? 1 : 1 + try_threads(wanted - 1);
    if (reserve != MAP_FAILED)
        munmap(reserve, (size_t)addresses / 2);
        /* What other processes start from now on does not take these away. */
#pragma omp parallel num_threads(count)
    { __asm__ volatile("" ::: "memory"); }
    return count;
}

bool base_threads_rest(void) {
    bool have_ended = false;
#if defined(__clang__) || __GNUC__ >= 9 /* OpenMP 5.0 */
    int64_t addresses;
    if (!are_scarce && !is_limit_near(omp_get_max_threads(), &addresses))
        have_ended = omp_pause_resource_all(omp_pause_soft) == 0;
#endif
#ifdef __clang__ /* libomp lets them sleep */
    have_ended = false;
#endif
    return have_ended;
}
