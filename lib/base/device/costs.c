/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/device/costs.h"
#include "base/core/memory.h"
#include "base/device/cache.h"
#include "base/device/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* The C library maps blocks of MAPPED_BYTES anew each time (DEFAULT_MMAP_THRESHOLD_MAX of mallopt(3)). */
enum { SAMPLE_BYTES = 16 << 20, REPEATS = 3, MAPPED_BYTES = 32 << 20 };

static const base_device_costs assumed = {.start_seconds = 0.25,
                                          .up_rate = 12e9,
                                          .down_rate = 12e9,
                                          .pinned_up = 50e9,
                                          .pinned_down = 50e9,
                                          .fresh_rate = 2.5e9};

/* ---- what is kept ---- */

static base_device_cache_key make_key(void) {
    struct utsname machine;
    const char *driver = getenv("MMPIPE_LIBCUDA");
    if (uname(&machine) != 0)
        machine.nodename[0] = '\0';
    return base_device_cache_make_key(
        (const char *[]){"device costs 2", machine.nodename, driver != NULL ? driver : ""}, 3);
}

static bool are_costs(const base_device_costs *costs) {
    return costs->start_seconds >= 0 && costs->start_seconds < 1e6 && costs->up_rate > 0 &&
           costs->down_rate > 0 && costs->pinned_up > 0 && costs->pinned_down > 0 && costs->fresh_rate > 0;
}

static bool parse_costs(const char *text, base_device_costs *costs) {
    base_device_costs read = {.is_measured = true, .fresh_rate = assumed.fresh_rate};
    int length = 0;
    sscanf(text, "%lf:%lf:%lf%n:%lf%n", &read.start_seconds, &read.up_rate, &read.down_rate, &length,
           &read.fresh_rate, &length);
    if (length == 0 || text[length] != '\0')
        return false;
    read.pinned_up = read.up_rate;
    read.pinned_down = read.down_rate;
    if (!are_costs(&read))
        return false;
    *costs = read;
    return true;
}

static bool read_kept(base_device_costs *costs) {
    base_context unheard;
    base_context_init(&unheard);
    const base_device_cache_key key = make_key();
    base_device_costs read;
    void *data;
    int64_t bytes;
    if (!base_device_cache_read(&unheard, &key, &data, &bytes))
        return false;
    const bool is_whole = bytes == sizeof read;
    if (is_whole)
        memcpy(&read, data, sizeof read);
    free(data);
    if (!is_whole || !are_costs(&read))
        return false;
    *costs = read;
    return true;
}

static void keep(const base_device_costs *costs) {
    base_context unheard;
    base_context_init(&unheard);
    const base_device_cache_key key = make_key();
    base_device_cache_write(&unheard, &key, costs, sizeof *costs);
}

base_device_costs base_device_read_costs(void) {
    base_device_costs costs = assumed;
    const char *text = getenv("MMPIPE_DEVICE_COSTS");
    if (text == NULL || !parse_costs(text, &costs))
        read_kept(&costs);
    return costs;
}

static base_device_costs found;

static void find(void) {
    found = base_device_read_costs();
}

const base_device_costs *base_device_get_costs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return &found;
}

double base_device_fresh_seconds(const base_device_costs *costs, double bytes) {
    return bytes < MAPPED_BYTES ? 0 : bytes / costs->fresh_rate;
}

/* ---- measuring ---- */

typedef base_status copy_function(base_context *context, const base_device_buffer *buffer, void *host);

static base_status copy_up(base_context *context, const base_device_buffer *buffer, void *host) {
    return base_device_upload_pieces(context, buffer, host, buffer->bytes);
}

static base_status copy_down(base_context *context, const base_device_buffer *buffer, void *host) {
    return base_device_download_pieces(context, buffer, host, buffer->bytes);
}

static base_status copy_up_pinned(base_context *context, const base_device_buffer *buffer, void *host) {
    return base_device_upload(context, buffer, 0, host, buffer->bytes, NULL);
}

static base_status copy_down_pinned(base_context *context, const base_device_buffer *buffer, void *host) {
    return base_device_download(context, buffer, 0, host, buffer->bytes, NULL);
}

/* The best of a few, after one that is not counted. */
static base_status time_copies(base_context *context, copy_function *copy, const base_device_buffer *buffer,
                               void *host, double *rate) {
    base_status status;
    *rate = 0;
    BASE_TRY(copy(context, buffer, host));
    for (int k = 0; k < REPEATS; k++) {
        const double start = base_device_clock();
        BASE_TRY(copy(context, buffer, host));
        const double seconds = base_device_clock() - start;
        const double now = (double)buffer->bytes / (seconds > 1e-6 ? seconds : 1e-6);
        *rate = now > *rate ? now : *rate;
    }
done:
    return status;
}

static base_status measure_copies(base_context *context, base_device *device, base_device_costs *costs) {
    base_status status;
    base_device_buffer buffer = {.device = NULL};
    void *pinned = NULL, *host = base_alloc_zero(context, SAMPLE_BYTES, 1);
    if (host == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(base_device_alloc(context, device, SAMPLE_BYTES, 1, &buffer));
    BASE_TRY(base_device_fill(context, &buffer, 0, 0, buffer.bytes, NULL));
    BASE_TRY(base_device_alloc_pinned(context, device, SAMPLE_BYTES, 1, &pinned));
    memset(pinned, 0, SAMPLE_BYTES);
    BASE_TRY(time_copies(context, copy_up, &buffer, host, &costs->up_rate));
    BASE_TRY(time_copies(context, copy_down, &buffer, host, &costs->down_rate));
    BASE_TRY(time_copies(context, copy_up_pinned, &buffer, pinned, &costs->pinned_up));
    BASE_TRY(time_copies(context, copy_down_pinned, &buffer, pinned, &costs->pinned_down));
done:
    base_device_free_pinned(device, pinned);
    base_device_free(&buffer);
    free(host);
    return status;
}

/* The system clears each page when it is written for the first time. The best of a few, as a virtual machine
 * may have to be given its own memory first. Threads are there before. */
static base_status measure_memory(base_context *context, base_device_costs *costs) {
    enum { PAGE = 4096 };
    costs->fresh_rate = 0;
#pragma omp parallel num_threads(context->threads)
    __asm__ volatile("");
    for (int k = 0; k < REPEATS; k++) {
        const double start = base_device_clock();
        char *memory = base_alloc(context, MAPPED_BYTES, 1);
        if (memory == NULL)
            return BASE_MACHINE;
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t byte = 0; byte < MAPPED_BYTES; byte += PAGE)
            memory[byte] = 1;
        __asm__ volatile("" : : "r"(memory) : "memory"); /* or the compiler leaves it out */
        free(memory);
        costs->fresh_rate = fmax(costs->fresh_rate, MAPPED_BYTES / (base_device_clock() - start));
    }
    return BASE_OK;
}

/* One that was started and may still be used; NULL: there is none. */
static base_device *find_started(base_devices *devices) {
    for (int k = 0; k < devices->count; k++) {
        base_device *device = &devices->device[k];
        if (device->hangs)
            return NULL;
        if (device->cuda != NULL && device->lost[0] == '\0')
            return device;
    }
    return NULL;
}

void base_device_measure_costs(base_devices *devices) {
    base_context unheard;
    base_device_costs known;
    base_device *device = find_started(devices);
    if (device == NULL || devices->is_aside || getenv("MMPIPE_DEVICE_COSTS") != NULL)
        return;
    const double start_seconds = devices->find_seconds + device->start_seconds + device->code_seconds;
    base_device_costs costs = {.start_seconds = start_seconds, .is_measured = true};
    if (read_kept(&known)) {
        if (start_seconds < 0.9 * known.start_seconds) {
            known.start_seconds = start_seconds;
            keep(&known);
        }
        return;
    }
    base_context_init(&unheard);
    unheard.threads = devices->threads;
    if (measure_copies(&unheard, device, &costs) == BASE_OK && measure_memory(&unheard, &costs) == BASE_OK &&
        are_costs(&costs))
        keep(&costs);
}
