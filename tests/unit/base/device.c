/* SPDX-License-Identifier: BSD-3-Clause */
/* The device layer over tests/fake: what it computes, what it says when something fails, that it
 * releases everything. */
#include "base/device/device.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULT_OUT_OF_MEMORY = 2, RESULT_ECC = 214, RESULT_UNKNOWN = 9999 };

/* ---- one use of everything ---- */

enum { N = 100 };

typedef struct session {
    base_devices *devices;
    base_device_module *module;
    base_device_stream *stream;
    base_device_event *first, *last;
    base_device_buffer a, b;
    void *pinned;
    double sums[N];
    double seconds;
    int blocks;
    base_device_function_info info;
} session;

static base_status compute(base_context *context, session *s, base_device *device) {
    base_status status;
    double *host = s->pinned;
    for (int i = 0; i < N; i++)
        host[i] = i;
    BASE_TRY(base_device_upload(context, &s->a, 0, host, sizeof s->sums, s->stream));
    BASE_TRY(base_device_fill(context, &s->b, 0, 0, s->b.bytes, s->stream));
    BASE_TRY(base_device_copy(context, &s->b, 8, &s->a, 8, 8, s->stream));
    base_device_function add;
    BASE_TRY(base_device_get_function(context, s->module, "add", &add));
    BASE_TRY(base_device_get_function_info(context, &add, &s->info));
    BASE_TRY(base_device_allow_shared(context, &add, 65536));
    BASE_TRY(base_device_get_occupancy(context, &add, 128, 65536, &s->blocks));
    int64_t n = N;
    void *arguments[] = {&n, &s->a.address, &s->b.address};
    base_device_launch_config config = {.grid = {4}, .block = {32}, .shared_bytes = 65536};
    BASE_TRY(base_device_event_record(context, s->first, s->stream));
    BASE_TRY(base_device_launch(context, &add, &config, s->stream, arguments));
    BASE_TRY(base_device_event_record(context, s->last, s->stream));
    BASE_TRY(base_device_event_hold(context, s->last, NULL));
    BASE_TRY(base_device_stream_wait(context, s->stream));
    BASE_TRY(base_device_wait(context, device));
    BASE_TRY(base_device_download(context, &s->b, 0, s->sums, sizeof s->sums, NULL));
    BASE_TRY(base_device_event_seconds(context, s->first, s->last, &s->seconds));
done:
    return status;
}

static base_status run_session(base_context *context, session *s) {
    base_status status;
    memset(s, 0, sizeof *s);
    base_context_init(context);
    BASE_TRY(base_devices_open(context, BASE_DEVICE_CUDA, NULL, 0, &s->devices));
    base_device *device = base_devices_get(s->devices, 0);
    const base_device_fatbin fatbin = {"kernels/fake.cu", "FAKE add", 9};
    BASE_TRY(base_device_start(context, device));
    BASE_TRY(base_device_load_fatbin(context, device, &fatbin, &s->module));
    BASE_TRY(base_device_stream_open(context, device, &s->stream));
    BASE_TRY(base_device_event_open(context, device, &s->first));
    BASE_TRY(base_device_event_open(context, device, &s->last));
    BASE_TRY(base_device_alloc(context, device, N, sizeof(double), &s->a));
    BASE_TRY(base_device_alloc(context, device, N, sizeof(double), &s->b));
    BASE_TRY(base_device_alloc_pinned(context, device, N, sizeof(double), &s->pinned));
    BASE_TRY(compute(context, s, device));
done:
    if (s->devices != NULL)
        base_device_free_pinned(base_devices_get(s->devices, 0), s->pinned);
    base_device_free(&s->a);
    base_device_free(&s->b);
    base_device_event_close(s->first);
    base_device_event_close(s->last);
    base_device_stream_close(s->stream);
    base_device_module_close(s->module);
    base_devices_close(s->devices);
    return status;
}

static void test_session(void) {
    base_context context;
    session s;
    base_status status = run_session(&context, &s);
    bool right = status == BASE_OK;
    for (int i = 0; i < N && right; i++)
        right = s.sums[i] == (i == 1 ? 2 : i);
    tap_ok(right, "copies, fills and a kernel: %s", status == BASE_OK ? "b = a" : context.error.cause);
    tap_ok(s.seconds > 0.00199 && s.seconds < 0.00201, "time between events in seconds");
    tap_ok(s.blocks == 16 && s.info.registers == 104 && s.info.local_bytes == 103, "facts of a kernel");
    tap_ok(fake_alive() == 0, "everything is released");
}

/* The n-th call of the driver fails, for every n. What lies on a device in doubt is not released call by
 * call. */
static void test_failing_calls(int result, bool released) {
    base_context context;
    session s;
    char text[40];
    int n = 0, wrong = 0, left = 0;
    base_status status;
    do {
        snprintf(text, sizeof text, "%d:%d", ++n, result);
        setenv("MMPIPE_FAKE_FAIL", text, 1);
        status = run_session(&context, &s);
        bool explained = strstr(context.error.cause, "(FAKE_ERROR_") != NULL ||
                         strstr(context.error.cause, "out of device memory") != NULL;
        if (status != BASE_OK && (status != BASE_MACHINE || !explained)) {
            tap_note("call %d: status %d, %s", n, status, context.error.cause);
            wrong++;
        }
        left += status != BASE_OK ? fake_alive() : 0;
        fake_reset();
    } while (status != BASE_OK && n < 1000);
    unsetenv("MMPIPE_FAKE_FAIL");
    tap_ok(n > 60 && n < 1000 && wrong == 0, "each of %d calls fails with %d: status and cause", n - 1,
           result);
    if (released)
        tap_ok(left == 0, "and everything is released each time");
}

static void test_lost_device(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 2);
    base_device *first = base_devices_get(devices, 0), *second = base_devices_get(devices, 1);
    base_device_module *module = NULL;
    base_device_function fault;
    base_device_buffer buffer;
    base_device_launch_config config = {.shared_bytes = 0};
    bool ready = base_device_alloc(&context, first, 4, 8, &buffer) == BASE_OK &&
                 base_device_load_image(&context, first, "FAKE fault", "fake.cu", &module) == BASE_OK &&
                 base_device_get_function(&context, module, "fault", &fault) == BASE_OK &&
                 base_device_launch(&context, &fault, &config, NULL, NULL) == BASE_OK;
    tap_ok(ready, "a kernel that will fail is launched");
    tap_ok(base_device_wait(&context, first) == BASE_MACHINE &&
               fake_says(&context,
                         "cuda:1 (Fake GPU 1): waiting for its kernels (last kernel: fault): fake words "
                         "(FAKE_ERROR_700)"),
           "its failure names the device, the kernel and the driver's words");
    double value[4] = {0};
    tap_ok(base_device_download(&context, &buffer, 0, value, 32, NULL) == BASE_MACHINE &&
               fake_says(&context, "after an earlier failure: cuda:1 (Fake GPU 1): waiting for its kernels"),
           "later calls fail with the first cause");
    base_device_buffer other;
    tap_ok(base_device_alloc(&context, first, 1, 8, &other) == BASE_MACHINE && other.device == NULL,
           "nothing is allocated on a lost device");
    tap_ok(base_device_get_properties(second)->index == 0, "the other device is still known");
    base_device_free(&buffer);
    base_device_module_close(module);
    base_devices_close(devices);
    fake_reset();
}

static void test_memory(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    base_device_buffer a, b;
    int64_t free_bytes, used, peak;
    tap_ok(base_device_alloc(&context, device, 1 << 10, 600, &a) == BASE_OK, "600 KiB of 1 MiB");
    tap_ok(base_device_alloc(&context, device, 1 << 10, 600, &b) == BASE_MACHINE &&
               fake_says(&context,
                         "cuda:1 (Fake GPU 1): out of device memory: 600.0 KiB wanted, 424.0 KiB of 1.0 "
                         "MiB free, 600.0 KiB in use here"),
           "600 KiB more are refused with all sizes");
    tap_ok(base_device_alloc(&context, device, INT64_MAX, 8, &b) == BASE_MACHINE &&
               base_device_alloc(&context, device, -1, 8, &b) == BASE_MACHINE,
           "overflowing and negative sizes are refused");
    tap_ok(base_device_alloc(&context, device, 0, 8, &b) == BASE_OK && b.bytes == 0, "nothing is allowed");
    base_device_free(&b);
    tap_ok(base_device_get_memory(&context, device, &free_bytes, &used, &peak) == BASE_OK &&
               free_bytes == 424 << 10 && used == 600 << 10 && peak == 600 << 10,
           "accounts");
    base_device_free(&a);
    base_device_free(&a);
    tap_ok(base_device_get_memory(&context, device, &free_bytes, &used, &peak) == BASE_OK &&
               free_bytes == 1 << 20 && used == 0 && peak == 600 << 10,
           "accounts after release");

    char host[16] = {0};
    base_device_alloc(&context, device, 16, 1, &a);
    const struct {
        int64_t offset, bytes;
        bool good;
    } cases[] = {{0, 16, true},  {16, 0, true},  {0, 17, false},        {1, 16, false},       {-1, 1, false},
                 {0, -1, false}, {17, 0, false}, {INT64_MAX, 1, false}, {1, INT64_MAX, false}};
    bool right = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t offset = cases[i].offset, bytes = cases[i].bytes;
        base_status expected = cases[i].good ? BASE_OK : BASE_MACHINE;
        right &= base_device_upload(&context, &a, offset, host, bytes, NULL) == expected;
        right &= base_device_download(&context, &a, offset, host, bytes, NULL) == expected;
        right &= base_device_fill(&context, &a, offset, 1, bytes, NULL) == expected;
        right &= base_device_copy(&context, &a, offset, &a, offset, bytes, NULL) == expected;
    }
    tap_ok(right, "copies outside a buffer are refused");
    base_device_free(&a);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "everything is released");
}

/* ---- a thread per device ---- */

static base_status one_device(base_context *context, base_device *device, int position, void *data) {
    base_device_buffer *buffers = data;
    base_status status;
    BASE_TRY(base_device_alloc(context, device, 1000, position + 1, &buffers[position]));
    if (base_device_get_properties(device)->index != position)
        BASE_TRY(base_fail(context, BASE_FAILED, "wrong device"));
done:
    return status;
}

static base_status failing_device(base_context *context, base_device *device, int position, void *data) {
    (void)device;
    return data != NULL || position > 0 ? base_fail(context, BASE_FAILED, "position %d", position) : BASE_OK;
}

static void test_threads(void) {
    base_context context;
    base_devices *devices;
    base_device_buffer buffers[2];
    base_context_init(&context);
    base_devices_open(&context, BASE_DEVICE_AUTO, NULL, 0, &devices);
    tap_ok(base_devices_each(&context, devices, one_device, buffers) == BASE_OK && buffers[0].bytes == 1000 &&
               buffers[1].bytes == 2000,
           "each device has its thread");
    base_device_free(&buffers[0]);
    base_device_free(&buffers[1]);
    tap_ok(base_devices_each(&context, devices, failing_device, NULL) == BASE_FAILED &&
               fake_says(&context, "position 1"),
           "a failure in a thread is the failure of all");
    tap_ok(base_devices_each(&context, devices, failing_device, &context) == BASE_FAILED &&
               fake_says(&context, "position 0"),
           "of several the first counts");
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "everything is released");
}

static void test_start(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 2);
    base_device *first = base_devices_get(devices, 0), *second = base_devices_get(devices, 1);
    tap_ok(!base_device_is_started(first), "a device that was found is not started");
    tap_ok(base_device_start(&context, first) == BASE_OK && base_device_is_started(first), "... until it is");
    tap_ok(!base_device_is_started(second), "... alone");
    base_devices_close(devices);
}

int main(void) {
    if (!fake_load()) {
        tap_ok(false, "%s: %s", fake_path, dlerror());
        return tap_done();
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    setenv("MMPIPE_FAKE_DEVICES", "2", 1);
    test_start();
    test_session();
    test_failing_calls(RESULT_OUT_OF_MEMORY, true);
    test_failing_calls(RESULT_ECC, false);
    test_failing_calls(RESULT_UNKNOWN, false);
    test_lost_device();
    test_memory();
    test_threads();
    return tap_done();
}
