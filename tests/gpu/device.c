/* SPDX-License-Identifier: BSD-3-Clause */
/* The device layer on a true GPU. Skips, with the reason, where there is none. */
#include "base/device/device.h"
#include "base/device/compile.h"
#include "base/run/progress.h"
#include "tests/support/gpu_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const base_device_fatbin base_probe_fatbin;

static const char square_source[] = "extern \"C\" __global__ void square(long long n, double *a) {\n"
                                    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < n)\n"
                                    "        a[i] *= a[i];\n"
                                    "}\n";

/* True if the call succeeded; else a note with the cause. */
static bool good(const base_context *context, base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context->error.cause);
    return status == BASE_OK;
}

static void show_device(base_context *context, base_device *device) {
    const base_device_properties *p = base_device_get_properties(device);
    int64_t free_bytes = 0;
    double start = base_clock_seconds();
    base_status status = base_device_start(context, device);
    double started = base_clock_seconds() - start;
    tap_ok(good(context, status), "cuda:%d starts", p->index);
    tap_ok(good(context, base_device_get_memory(context, device, &free_bytes, NULL, NULL)) &&
               free_bytes > 0 && free_bytes <= p->memory_bytes,
           "free memory");
    tap_note("cuda:%d %s, compute capability %d.%d, driver for CUDA %d.%d, started in %.3f s", p->index,
             p->name, p->architecture / 10, p->architecture % 10, p->driver_cuda / 1000,
             p->driver_cuda % 1000 / 10, started);
    tap_note(
        "%d multiprocessors at %.0f MHz, %d registers, %d threads, %lld bytes shared (%lld a block) each",
        p->multiprocessors, p->clock_hertz / 1e6, p->registers_per_multiprocessor,
        p->threads_per_multiprocessor, (long long)p->shared_bytes_per_multiprocessor,
        (long long)p->shared_bytes_per_block);
    tap_note("memory %.1f GiB, free %.1f GiB, L2 %.1f MiB, ECC %s", p->memory_bytes / 0x1p30,
             free_bytes / 0x1p30, p->l2_bytes / 0x1p20, p->ecc ? "on" : "off");
    tap_ok(p->architecture >= 50 && p->multiprocessors > 0 && p->warp_size == 32 && p->clock_hertz > 1e8 &&
               p->shared_bytes_per_block >= 48 << 10,
           "plausible properties");
}

/* ---- kernels compiled by nvcc ---- */

enum { N = 1 << 20, BLOCK = 256 };

static base_status add_vectors(base_context *context, base_device *device, base_device_module *module,
                               double *host) {
    base_status status;
    base_device_buffer a = {0}, b = {0};
    base_device_function add;
    int64_t n = N - 1;
    base_device_launch_config config = {.grid = {N / BLOCK}, .block = {BLOCK}};
    BASE_TRY(base_device_get_function(context, module, "probe_add", &add));
    BASE_TRY(base_device_alloc(context, device, N, sizeof *host, &a));
    BASE_TRY(base_device_alloc(context, device, N, sizeof *host, &b));
    BASE_TRY(base_device_upload(context, &a, 0, host, a.bytes, NULL));
    BASE_TRY(base_device_fill(context, &b, 0, 0, b.bytes, NULL));
    BASE_TRY(base_device_launch(context, &add, &config, NULL, (void *[]){&n, &a.address, &b.address}));
    BASE_TRY(base_device_launch(context, &add, &config, NULL, (void *[]){&n, &a.address, &b.address}));
    BASE_TRY(base_device_copy(context, &a, 0, &b, 0, b.bytes, NULL));
    BASE_TRY(base_device_download(context, &a, 0, host, a.bytes, NULL));
done:
    base_device_free(&a);
    base_device_free(&b);
    return status;
}

static base_status sum_blocks(base_context *context, base_device *device, base_device_module *module,
                              const double *host, double *total) {
    base_status status;
    base_device_buffer a = {0}, sums = {0};
    base_device_function sum;
    double factor = 3;
    double *partial = NULL;
    int64_t n = N, shared = 160 << 10;
    const base_device_properties *p = base_device_get_properties(device);
    if (shared > p->shared_bytes_per_block)
        shared = p->shared_bytes_per_block;
    BASE_TRY(base_device_get_function(context, module, "probe_sum", &sum));
    BASE_TRY(base_device_alloc(context, device, N, sizeof *host, &a));
    BASE_TRY(base_device_alloc(context, device, N / BLOCK, sizeof *host, &sums));
    BASE_TRY(base_device_alloc_pinned(context, device, N / BLOCK, sizeof *host, (void **)&partial));
    BASE_TRY(base_device_upload(context, &a, 0, host, a.bytes, NULL));
    BASE_TRY(base_device_allow_shared(context, &sum, shared));
    base_device_launch_config config = {.grid = {N / BLOCK}, .block = {BLOCK}, .shared_bytes = shared};
    BASE_TRY(
        base_device_launch(context, &sum, &config, NULL, (void *[]){&n, &factor, &a.address, &sums.address}));
    BASE_TRY(base_device_download(context, &sums, 0, partial, sums.bytes, NULL));
    *total = 0;
    for (int i = 0; i < N / BLOCK; i++)
        *total += partial[i];
done:
    base_device_free_pinned(device, partial);
    base_device_free(&a);
    base_device_free(&sums);
    return status;
}

static void check_widths(base_context *context, base_device *device, base_device_module *module) {
    base_device_buffer buffer = {0};
    base_device_function function;
    base_device_launch_config config = {.shared_bytes = 0};
    int width[5] = {0}, blocks = 0;
    base_device_function_info info = {0};
    base_status status;
    BASE_TRY(base_device_get_function(context, module, "probe_widths", &function));
    BASE_TRY(base_device_alloc(context, device, 5, sizeof(int), &buffer));
    BASE_TRY(base_device_launch(context, &function, &config, NULL, (void *[]){&buffer.address}));
    BASE_TRY(base_device_download(context, &buffer, 0, width, sizeof width, NULL));
    BASE_TRY(base_device_get_function_info(context, &function, &info));
    BASE_TRY(base_device_get_occupancy(context, &function, BLOCK, 0, &blocks));
done:
    tap_ok(good(context, status) && width[0] == 8 && width[1] == 8 && width[2] == 4 && width[3] == 32,
           "host and device agree on widths");
    tap_note("code for compute capability %d.%d", width[4] / 10, width[4] % 10);
    tap_ok(info.registers > 0 && info.threads_per_block >= BLOCK && info.local_bytes == 0 && blocks >= 1,
           "%d registers, %d blocks of %d threads fit", info.registers, blocks, BLOCK);
    base_device_free(&buffer);
}

static void test_fatbin(base_context *context, base_device *device) {
    base_device_module *module;
    if (base_probe_fatbin.image == NULL) {
        tap_ok(base_device_load_fatbin(context, device, &base_probe_fatbin, &module) == BASE_MACHINE &&
                   strstr(context->error.cause, "built without CUDA kernels") != NULL,
               "built without nvcc, and says so");
        return;
    }
    double *host = malloc(N * sizeof *host), total = 0;
    base_status status = base_device_load_fatbin(context, device, &base_probe_fatbin, &module);
    tap_ok(good(context, status), "load %s", base_probe_fatbin.name);
    if (status == BASE_OK && host != NULL) {
        bool right;
        for (int i = 0; i < N; i++)
            host[i] = i;
        right = good(context, add_vectors(context, device, module, host));
        for (int i = 0; i < N && right; i++)
            right = host[i] == (i < N - 1 ? 2.0 * i : 0);
        tap_ok(right, "vectors are added, within bounds");
        for (int i = 0; i < N; i++)
            host[i] = i;
        right = good(context, sum_blocks(context, device, module, host, &total));
        tap_ok(right && total == 3.0 * N * (N - 1) / 2,
               "sums with a constant, pinned and much shared memory");
        check_widths(context, device, module);
    }
    base_device_module_close(module);
    free(host);
}

/* ---- kernels compiled by NVRTC ---- */

static base_status square(base_context *context, base_device *device, base_device_module *module,
                          double *host, int64_t n, double *seconds) {
    base_status status;
    base_device_buffer a = {0};
    base_device_stream *stream = NULL;
    base_device_event *first = NULL, *last = NULL;
    base_device_function function;
    base_device_launch_config config = {.grid = {(unsigned)((n + BLOCK - 1) / BLOCK)}, .block = {BLOCK}};
    BASE_TRY(base_device_get_function(context, module, "square", &function));
    BASE_TRY(base_device_stream_open(context, device, &stream));
    BASE_TRY(base_device_event_open(context, device, &first));
    BASE_TRY(base_device_event_open(context, device, &last));
    BASE_TRY(base_device_alloc(context, device, n, sizeof *host, &a));
    BASE_TRY(base_device_upload(context, &a, 0, host, a.bytes, stream));
    BASE_TRY(base_device_event_record(context, first, stream));
    BASE_TRY(base_device_launch(context, &function, &config, stream, (void *[]){&n, &a.address}));
    BASE_TRY(base_device_event_record(context, last, stream));
    BASE_TRY(base_device_event_hold(context, last, NULL));
    BASE_TRY(base_device_download(context, &a, 0, host, a.bytes, stream));
    BASE_TRY(base_device_stream_wait(context, stream));
    BASE_TRY(base_device_event_seconds(context, first, last, seconds));
done:
    base_device_free(&a);
    base_device_event_close(first);
    base_device_event_close(last);
    base_device_stream_close(stream);
    return status;
}

static void test_compiled(base_context *context, base_device *device) {
    const base_device_source source = {"square.cu", square_source, NULL};
    for (int round = 0; round < 2; round++) {
        base_device_module *module;
        bool hit = false, right;
        double start = base_clock_seconds(), seconds = -1;
        base_status status = base_device_build(context, device, &source, &module, &hit);
        if (status != BASE_OK && strstr(context->error.cause, "no NVRTC") != NULL) {
            tap_skip(2 - round, context->error.cause);
            return;
        }
        tap_note("built in %.3f s", base_clock_seconds() - start);
        right = good(context, status) && hit == (round == 1);
        void *host = NULL;
        int64_t n = 1 << 20;
        if (right && base_device_alloc_pinned(context, device, n, sizeof(double), &host) == BASE_OK) {
            double *value = host;
            for (int64_t i = 0; i < n; i++)
                value[i] = (double)i;
            right = good(context, square(context, device, module, value, n, &seconds));
            for (int64_t i = 0; i < n && right; i++)
                right = value[i] == (double)i * (double)i;
            base_device_free_pinned(device, host);
            tap_note("kernel in %.1f microseconds, %.0f GB/s", 1e6 * seconds, 16e-9 * (double)n / seconds);
        }
        tap_ok(right && seconds > 0 && seconds < 1,
               round == 0 ? "NVRTC's code runs" : "and again from the cache");
        base_device_module_close(module);
    }
}

/* ---- memory ---- */

/* Other programs may take and free memory of the device meanwhile. */
static void test_memory(base_context *context, base_device *device) {
    enum { ROUNDS = 12 };
    base_device_buffer part = {0}, more;
    int64_t free_bytes = 0, used = -1, peak = -1;
    bool ok = good(context, base_device_get_memory(context, device, &free_bytes, NULL, NULL));
    const int64_t bytes = free_bytes / 4, total = base_device_get_properties(device)->memory_bytes;
    for (int round = 0; round < ROUNDS && ok; round++) {
        base_device_free(&part);
        ok = good(context, base_device_alloc(context, device, bytes, 1, &part));
    }
    tap_ok(ok, "a quarter of the free memory, %d times, each freed before the next", ROUNDS);
    base_device_get_memory(context, device, NULL, &used, NULL);
    tap_ok(used == bytes, "is accounted for");
    tap_ok(base_device_alloc(context, device, total, 1, &more) == BASE_MACHINE &&
               strstr(context->error.cause, "out of device memory") != NULL && more.address == 0,
           "all of the device's memory beside it is refused");
    tap_note("%s", context->error.cause);
    base_device_free(&part);
    base_device_get_memory(context, device, NULL, &used, &peak);
    tap_ok(used == 0 && peak >= bytes, "and nothing is in use afterwards");
}

/* ---- faults ---- */

/* In a child, which never touched the driver before: a kernel that writes to nowhere. Its exit status says
 * what came of it. */
static int cause_fault(void) {
    base_context context;
    base_devices *devices;
    base_device_module *module;
    base_device_function fault;
    base_device_buffer buffer;
    base_device_launch_config config = {.block = {32}};
    uint64_t nowhere = 0x10;
    char value[8];
    base_context_init(&context);
    if (base_devices_open(&context, BASE_DEVICE_CUDA, (const int[]){0}, 1, &devices) != BASE_OK)
        return 10;
    base_device *device = base_devices_get(devices, 0);
    if (base_device_load_fatbin(&context, device, &base_probe_fatbin, &module) != BASE_OK ||
        base_device_get_function(&context, module, "probe_fault", &fault) != BASE_OK ||
        base_device_alloc(&context, device, 8, 1, &buffer) != BASE_OK ||
        base_device_launch(&context, &fault, &config, NULL, (void *[]){&nowhere}) != BASE_OK)
        return 11;
    if (base_device_wait(&context, device) != BASE_MACHINE)
        return 12;
    tap_note("%s", context.error.cause);
    if (strstr(context.error.cause, "last kernel: probe_fault") == NULL)
        return 13;
    if (base_device_download(&context, &buffer, 0, value, 8, NULL) != BASE_MACHINE ||
        strstr(context.error.cause, "after an earlier failure: ") == NULL)
        return 14;
    base_device_free(&buffer);
    base_device_module_close(module);
    base_devices_close(devices);
    return 0;
}

/* Runs before this process starts the driver, which does not survive fork. */
static void test_fault(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(base_probe_fatbin.image != NULL ? cause_fault() : 99);
    int status = -1;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 10 || code == 99)
        tap_skip(1, code == 10 ? "no GPU" : "built without CUDA kernels");
    else
        tap_ok(code == 0, "an illegal address fails cleanly and for good (%d)", code);
}

/* ---- several devices ---- */

static base_status compute_sum(base_context *context, base_device *device, int position, void *data) {
    base_status status;
    base_device_module *module = NULL;
    double *host = malloc(N * sizeof *host), total = 0;
    BASE_TRY(host != NULL ? BASE_OK : base_fail(context, BASE_MACHINE, "no memory"));
    for (int i = 0; i < N; i++)
        host[i] = position + 1;
    BASE_TRY(base_device_load_fatbin(context, device, &base_probe_fatbin, &module));
    for (int round = 0; round < 20; round++) {
        BASE_TRY(sum_blocks(context, device, module, host, &total));
        if (total != 3.0 * N * (position + 1))
            BASE_TRY(base_fail(context, BASE_FAILED, "wrong sum %g at position %d", total, position));
    }
    ((double *)data)[position] = total;
done:
    base_device_module_close(module);
    free(host);
    return status;
}

static void test_several(base_context *context, base_devices *devices) {
    double totals[BASE_DEVICES] = {0};
    int count = base_devices_count(devices);
    if (base_probe_fatbin.image == NULL) {
        tap_skip(1, "built without CUDA kernels");
    } else {
        bool right = good(context, base_devices_each(context, devices, compute_sum, totals));
        for (int i = 0; i < count && right; i++)
            right = totals[i] == 3.0 * N * (i + 1);
        tap_ok(right, "%d device%s at the same time, a thread each", count, count == 1 ? "" : "s");
    }
}

int main(void) {
    base_context context;
    base_devices *devices;
    base_context_init(&context);
    test_fault();
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    char cache[] = "/tmp/mmpipe-cache.XXXXXX", command[64];
    if (mkdtemp(cache) == NULL)
        return 1;
    setenv("MMPIPE_CACHE", cache, 1);
    base_device *device = base_devices_get(devices, 0);
    for (int i = 0; i < base_devices_count(devices); i++)
        show_device(&context, base_devices_get(devices, i));
    test_fatbin(&context, device);
    test_compiled(&context, device);
    test_memory(&context, device);
    test_several(&context, devices);
    base_devices_close(devices);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    tap_ok(system(command) == 0, "remove the cache");
    return tap_done();
}
