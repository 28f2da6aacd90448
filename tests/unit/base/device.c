/* The device layer over tests/fake/cuda.c: what it computes, what it says when something is missing or fails.
 */
#include "base/device/device.h"
#include "base/device/compile.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESULT_OUT_OF_MEMORY = 2, RESULT_ECC = 214, RESULT_UNKNOWN = 9999 };

extern const base_device_fatbin base_probe_fatbin;

static char fake_path[1024];
static int (*fake_alive)(void), (*fake_compilations)(void);
static void (*fake_reset)(void);

static bool says(const base_context *context, const char *text) {
    bool found = strstr(context->error.cause, text) != NULL;
    if (!found)
        tap_note("the cause is: %s", context->error.cause);
    return found;
}

/* Opening all devices must fail with this status and text. */
static void check_refused(const char *text, const int *indices, int count, base_status expected) {
    base_context context;
    base_devices *devices;
    base_context_init(&context);
    base_status status = base_devices_open(&context, BASE_DEVICE_CUDA, indices, count, &devices);
    tap_ok(status == expected && devices == NULL && says(&context, text), "refused: %s", text);
}

static void test_missing(void) {
    base_context context;
    base_devices *devices;
    base_context_init(&context);
    setenv("MMPIPE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    check_refused("no NVIDIA driver (/nowhere/libcuda.so.1 not found)", NULL, 0, BASE_MACHINE);
    base_fail(&context, BASE_FAILED, "before");
    tap_ok(base_devices_open(&context, BASE_DEVICE_AUTO, NULL, 0, &devices) == BASE_OK &&
               base_devices_count(devices) == 0 && strcmp(context.error.cause, "before") == 0,
           "auto without a driver: no device, no error");
    tap_ok(strcmp(base_devices_reason(devices), "no NVIDIA driver (/nowhere/libcuda.so.1 not found)") == 0,
           "auto says why");
    base_devices_close(devices);
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    tap_ok(base_devices_open(&context, BASE_DEVICE_CPU, NULL, 0, &devices) == BASE_OK &&
               base_devices_count(devices) == 0,
           "cpu: no device although there are some");
    base_devices_close(devices);

    unsetenv("MMPIPE_LIBCUDA");
    if (dlopen("libcuda.so.1", RTLD_LAZY) == NULL)
        check_refused("no NVIDIA driver (libcuda.so.1 not found)", NULL, 0, BASE_MACHINE);
    else
        tap_skip(1, "this machine has a driver");
    setenv("MMPIPE_LIBCUDA", "/etc/passwd", 1);
    check_refused("no NVIDIA driver (/etc/passwd: ", NULL, 0, BASE_MACHINE);
    setenv("MMPIPE_LIBCUDA", "libm.so.6", 1);
    check_refused("the NVIDIA driver is too old: it has no cuInit", NULL, 0, BASE_MACHINE);

    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    setenv("MMPIPE_FAKE_DEVICES", "0", 1);
    check_refused("no NVIDIA GPU", NULL, 0, BASE_MACHINE);
    setenv("MMPIPE_FAKE_DEVICES", "2", 1);
    setenv("MMPIPE_FAKE_FAIL", "1:803", 1);
    check_refused("the NVIDIA driver does not start: fake words (FAKE_ERROR_803)", NULL, 0, BASE_MACHINE);
    tap_ok(base_devices_open(&context, BASE_DEVICE_AUTO, NULL, 0, &devices) == BASE_OK &&
               base_devices_count(devices) == 0 && strstr(base_devices_reason(devices), "803") != NULL,
           "auto with a driver that does not start: no device");
    base_devices_close(devices);
    unsetenv("MMPIPE_FAKE_FAIL");
    check_refused("there is no cuda:5, only 2 NVIDIA GPUs here", (const int[]){1, 5}, 2, BASE_MACHINE);
    check_refused("cuda:1 is named twice", (const int[]){1, 0, 1}, 3, BASE_USAGE);
}

static base_devices *open_devices(base_context *context, int count) {
    static const int indices[] = {1, 0};
    base_devices *devices;
    base_context_init(context);
    if (base_devices_open(context, BASE_DEVICE_CUDA, indices, count, &devices) != BASE_OK)
        tap_ok(false, "open: %s", context->error.cause);
    return devices;
}

static void test_properties(void) {
    base_context context;
    base_devices *devices = open_devices(&context, 2);
    const base_device_properties *p = base_device_get_properties(base_devices_get(devices, 0));
    tap_ok(base_devices_count(devices) == 2 && p->index == 1 && strcmp(p->name, "Fake GPU 1") == 0,
           "devices come in the order asked for");
    tap_ok(p->architecture == 90 && p->warp_size == 32 && p->memory_bytes == 1 << 20 &&
               p->clock_hertz == 1e9 && p->shared_bytes_per_block == 232448 && p->driver_cuda == 13000,
           "properties have their units");
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "properties need no context");
}

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
    base_devices *devices = open_devices(&context, 2);
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
               says(&context, "cuda:1 (Fake GPU 1): waiting for its kernels (last kernel: fault): fake words "
                              "(FAKE_ERROR_700)"),
           "its failure names the device, the kernel and the driver's words");
    double value[4] = {0};
    tap_ok(base_device_download(&context, &buffer, 0, value, 32, NULL) == BASE_MACHINE &&
               says(&context, "after an earlier failure: cuda:1 (Fake GPU 1): waiting for its kernels"),
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
    base_devices *devices = open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    base_device_buffer a, b;
    int64_t free_bytes, used, peak;
    tap_ok(base_device_alloc(&context, device, 1 << 10, 600, &a) == BASE_OK, "600 KiB of 1 MiB");
    tap_ok(base_device_alloc(&context, device, 1 << 10, 600, &b) == BASE_MACHINE &&
               says(&context, "cuda:1 (Fake GPU 1): out of device memory: 600.0 KiB wanted, 424.0 KiB of 1.0 "
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

static void test_code(void) {
    base_context context;
    base_devices *devices = open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    base_device_module *module;
    const base_device_fatbin none = {"kernels/perm/dense.cu", NULL, 0};
    tap_ok(base_device_load_fatbin(&context, device, &none, &module) == BASE_MACHINE && module == NULL &&
               says(&context, "kernels/perm/dense.cu: built without CUDA kernels"),
           "a build without nvcc says so");
    tap_ok(base_device_load_image(&context, device, "OLD", "old.cu", &module) == BASE_MACHINE &&
               says(&context, "old.cu has no code for compute capability 9.0"),
           "code for another architecture");
    tap_ok(base_device_load_image(&context, device, "junk", "junk.cu", &module) == BASE_MACHINE &&
               says(&context, "loading junk.cu: fake log: fake words (FAKE_ERROR_200)"),
           "code that the driver refuses, with its log");
    base_device_function function;
    tap_ok(base_device_load_image(&context, device, "FAKE add", "fake.cu", &module) == BASE_OK,
           "none of these makes the device unusable");
    tap_ok(base_device_get_function(&context, module, "sub", &function) == BASE_MACHINE &&
               says(&context, "looking for the kernel sub in fake.cu"),
           "a kernel that is not there");
    int blocks;
    base_device_launch_config config = {.shared_bytes = 232449};
    tap_ok(base_device_get_function(&context, module, "add", &function) == BASE_OK &&
               base_device_launch(&context, &function, &config, NULL, NULL) == BASE_MACHINE &&
               says(&context, "add wants 232449 bytes of shared memory, a block has 232448") &&
               base_device_get_occupancy(&context, &function, 32, -1, &blocks) == BASE_MACHINE,
           "too much shared memory");
    base_device_module_close(module);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "everything is released");
}

/* A fatbin begins with a magic number, the bytes of this header and the bytes behind it. */
static void test_embedding(void) {
    if (base_probe_fatbin.image == NULL) {
        tap_ok(base_probe_fatbin.bytes == 0, "built without nvcc");
        tap_skip(1, "built without nvcc");
        return;
    }
    uint32_t magic;
    uint16_t header_bytes;
    uint64_t body_bytes;
    memcpy(&magic, base_probe_fatbin.image, sizeof magic);
    memcpy(&header_bytes, (const char *)base_probe_fatbin.image + 6, sizeof header_bytes);
    memcpy(&body_bytes, (const char *)base_probe_fatbin.image + 8, sizeof body_bytes);
    tap_ok(strcmp(base_probe_fatbin.name, "kernels/base/probe.cu") == 0 &&
               (uintptr_t)base_probe_fatbin.image % 8 == 0,
           "device code is embedded, aligned for the driver");
    tap_ok(magic == 0xba55ed50 && header_bytes + body_bytes == base_probe_fatbin.bytes, "and whole");
}

/* ---- compiling ---- */

static base_status build(base_context *context, base_device *device, const char *text,
                         const char *const *options, bool *from_cache) {
    const base_device_source source = {"generated.cu", text, options};
    base_device_module *module;
    base_status status = base_device_build(context, device, &source, &module, from_cache);
    base_device_module_close(module);
    return status;
}

static void test_build(const char *cache) {
    static const char *const no_fused[] = {"--fmad=false", NULL};
    base_context context;
    base_devices *devices = open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    bool hit = true;
    setenv("MMPIPE_CACHE", cache, 1);
    setenv("MMPIPE_LIBNVRTC", "/nowhere/libnvrtc.so", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_MACHINE &&
               says(&context, "no NVRTC to compile kernels with (/nowhere/libnvrtc.so not found)"),
           "no NVRTC");
    setenv("MMPIPE_LIBNVRTC", fake_path, 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit && fake_compilations() == 1,
           "compiled");
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && hit && fake_compilations() == 1,
           "from the cache");
    tap_ok(build(&context, device, "add ", NULL, &hit) == BASE_OK && !hit, "another source is compiled");
    tap_ok(build(&context, device, "add", no_fused, &hit) == BASE_OK && !hit, "other options");
    setenv("MMPIPE_FAKE_NVRTC", "12", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit, "another compiler");
    unsetenv("MMPIPE_FAKE_NVRTC");
    tap_ok(build(&context, device, "#error", NULL, &hit) == BASE_MACHINE &&
               says(&context, "NVRTC 13.0 cannot compile generated.cu: fake.cu(3): error: #error here"),
           "an error of the compiler comes with its log");
    setenv("MMPIPE_CACHE", "/dev/null/cache", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit &&
               build(&context, device, "add", NULL, &hit) == BASE_OK && !hit,
           "without a cache everything works");
    base_devices_close(devices);

    const base_device_source source = {"generated.cu", "add", NULL};
    const struct {
        int architecture;
        const char *target; /* NULL: refused */
    } targets[] = {{80, "sm_80"}, {90, "sm_90"}, {87, "compute_86"}, {120, "compute_90"}, {75, NULL}};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        void *image;
        int64_t bytes;
        base_status status = base_device_compile(&context, &source, targets[i].architecture, &image, &bytes);
        if (targets[i].target != NULL)
            tap_ok(status == BASE_OK && strstr(image, targets[i].target) != NULL, "code for %d is %s",
                   targets[i].architecture, targets[i].target);
        else
            tap_ok(status == BASE_MACHINE &&
                       says(&context, "NVRTC 13.0 does not support compute capability 7.5"),
                   "no code for %d", targets[i].architecture);
        free(image);
    }
}

/* The true NVRTC, where it is installed, needs no device. */
static void test_true_compiler(void) {
    static const char text[] =
        "extern \"C\" __global__ void square(double *a) { a[threadIdx.x] *= a[threadIdx.x]; }";
    base_context context;
    void *image;
    int64_t bytes;
    base_device_source source = {"square.cu", text, NULL};
    base_context_init(&context);
    unsetenv("MMPIPE_LIBNVRTC");
    base_status status = base_device_compile(&context, &source, 90, &image, &bytes);
    if (status != BASE_OK && strstr(context.error.cause, "no NVRTC") != NULL) {
        tap_skip(3, context.error.cause);
        return;
    }
    tap_ok(status == BASE_OK && bytes > 500 && memcmp(image, "\177ELF", 4) == 0,
           "NVRTC compiles to machine code: %s", status == BASE_OK ? "ELF" : context.error.cause);
    free(image);
    tap_ok(base_device_compile(&context, &source, 999, &image, &bytes) == BASE_OK &&
               strstr(image, ".entry square") != NULL,
           "and to PTX for devices to come");
    free(image);
    source.text = "extern \"C\" __global__ void broken() { undeclared = 1; }";
    tap_ok(base_device_compile(&context, &source, 90, &image, &bytes) == BASE_MACHINE &&
               says(&context, "identifier \"undeclared\" is undefined"),
           "and explains errors");
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
               says(&context, "position 1"),
           "a failure in a thread is the failure of all");
    tap_ok(base_devices_each(&context, devices, failing_device, &context) == BASE_FAILED &&
               says(&context, "position 0"),
           "of several the first counts");
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "everything is released");
}

static bool load_fake(void) {
    const char *build = getenv("MMPIPE_BUILD");
    snprintf(fake_path, sizeof fake_path, "%s/tests/fake/libcuda.so", build != NULL ? build : ".");
    void *fake = dlopen(fake_path, RTLD_NOW);
    if (fake == NULL)
        return false;
    void *entry = dlsym(fake, "fake_alive");
    memcpy(&fake_alive, &entry, sizeof entry);
    entry = dlsym(fake, "fake_compilations");
    memcpy(&fake_compilations, &entry, sizeof entry);
    entry = dlsym(fake, "fake_reset");
    memcpy(&fake_reset, &entry, sizeof entry);
    return true;
}

/* Found by a thread, with contexts, or not at all. */
static void test_early(void) {
    base_context context;
    base_device_search search = {.choice = BASE_DEVICE_CUDA};
    base_context_init(&context);
    base_devices_find_early(&context, &search);
    base_devices_find_early(&context, &search);
    tap_ok(base_devices_find(&context, &search) == BASE_OK && base_devices_count(search.found) == 2,
           "early: two devices");
    base_devices *found = search.found;
    tap_ok(base_devices_find(&context, &search) == BASE_OK && search.found == found, "... looked for once");
    tap_ok(base_device_wait(&context, base_devices_get(found, 1)) == BASE_OK, "... one is used at once");
    base_device_search_close(&search);
    tap_ok(fake_alive() == 0, "... closed");
    base_devices_find_early(&context, &search);
    base_device_search_close(&search);
    tap_ok(fake_alive() == 0 && search.found == NULL, "early, and not asked for: closed");
    base_devices_find_first_early(&context, &search);
    tap_ok(base_devices_find(&context, &search) == BASE_OK && base_devices_count(search.found) == 2 &&
               fake_alive() == 1,
           "the first alone early: one context of two");
    base_device_search_close(&search);
    search.starts_first = false;
    setenv("MMPIPE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    base_devices_find_early(&context, &search);
    tap_ok(base_devices_find(&context, &search) == BASE_MACHINE && says(&context, "no NVIDIA driver"),
           "early without a driver: its error");
    search.choice = BASE_DEVICE_AUTO;
    base_devices_find_early(&context, &search);
    tap_ok(base_devices_find(&context, &search) == BASE_OK && base_devices_count(search.found) == 0,
           "... and with auto none");
    base_device_search_close(&search);
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
}

/* The devices that a process of MPI or Slurm takes of `present`: first and count. */
static void check_share(const char *rank, const char *size, const char *present, int first, int count) {
    base_context context;
    base_device_search search = {.choice = BASE_DEVICE_CUDA};
    base_context_init(&context);
    setenv("MMPIPE_FAKE_DEVICES", present, 1);
    setenv("SLURM_LOCALID", rank, 1);
    setenv("SLURM_STEP_TASKS_PER_NODE", size, 1);
    tap_ok(base_devices_find(&context, &search) == BASE_OK && base_devices_count(search.found) == count &&
               base_device_get_properties(base_devices_get(search.found, 0))->index == first,
           "process %s of %s takes %d of %s devices", rank, size, count, present);
    base_device_search_close(&search);
    unsetenv("SLURM_LOCALID");
    unsetenv("SLURM_STEP_TASKS_PER_NODE");
    setenv("MMPIPE_FAKE_DEVICES", "2", 1);
}

static void test_shares(void) {
    check_share("0", "1", "4", 0, 4);
    check_share("2", "4(x3)", "4", 2, 1);
    check_share("1", "2", "4", 2, 2);
    check_share("2", "3", "4", 2, 2);
    check_share("5", "8", "4", 1, 1);
    check_share("7", "4", "2", 0, 2);
}

int main(void) {
    if (!load_fake()) {
        tap_ok(false, "%s: %s", fake_path, dlerror());
        return tap_done();
    }
    test_missing();
    test_properties();
    test_session();
    test_failing_calls(RESULT_OUT_OF_MEMORY, true);
    test_failing_calls(RESULT_ECC, false);
    test_failing_calls(RESULT_UNKNOWN, false);
    test_lost_device();
    test_memory();
    test_code();
    test_embedding();
    test_threads();
    test_early();
    test_shares();
    char cache[] = "/tmp/mmpipe-cache.XXXXXX", command[64];
    if (mkdtemp(cache) != NULL) {
        test_build(cache);
        snprintf(command, sizeof command, "rm -rf '%s'", cache);
        tap_ok(system(command) == 0, "remove %s", cache);
    }
    test_true_compiler();
    return tap_done();
}
