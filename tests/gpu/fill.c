/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that takes the memory of the first GPU, for tests/gpu/lose.sh.
 *
 *   cc -o fill tests/gpu/fill.c -lcuda
 *   fill MIB           leaves so many MiB, says "full" and waits to be ended
 *   fill MIB PERIOD    gives all back and takes it again after so many milliseconds, again and again */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *all_bytes);
int cuMemAlloc_v2(unsigned long long *address, size_t bytes);
int cuMemFree_v2(unsigned long long address);

enum { MOST = 4096 };
static unsigned long long taken[MOST];

/* Takes pieces that halve until nothing is left but `rest` bytes. Returns their count. */
static int take(size_t rest) {
    size_t left, all;
    int count = 0;
    if (cuMemGetInfo_v2(&left, &all) != 0)
        return 0;
    for (size_t piece = all; piece >= 1 << 20 && count < MOST;) {
        const int is_too_much = cuMemGetInfo_v2(&left, &all) != 0 || left < rest + piece;
        if (is_too_much || cuMemAlloc_v2(&taken[count], piece) != 0)
            piece /= 2;
        else
            count++;
    }
    return count;
}

int main(int argument_count, char **arguments) {
    const size_t rest = argument_count > 1 ? strtoull(arguments[1], NULL, 10) << 20 : 0;
    const long period = argument_count > 2 ? atol(arguments[2]) : 0;
    const struct timespec wait = {.tv_sec = period / 1000, .tv_nsec = period % 1000 * 1000000};
    void *context;
    int device;
    if (cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0 || cuDevicePrimaryCtxRetain(&context, device) != 0 ||
        cuCtxSetCurrent(context) != 0) {
        puts("there is no GPU");
        return 1;
    }
    int count = take(rest);
    puts("full");
    fflush(stdout);
    while (period == 0)
        pause();
    for (;;) {
        nanosleep(&wait, NULL);
        while (count > 0)
            cuMemFree_v2(taken[--count]);
        nanosleep(&wait, NULL);
        count = take(rest);
    }
}
