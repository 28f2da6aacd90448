/* SPDX-License-Identifier: BSD-3-Clause */
/* H² matrices that are handed over in a device's memory, over tests/fake: they arrive as they were,
 * are fetched by who has no use for a device, and nothing is left. A step works with one where it is, and
 * notes its phases. */
#include "base/core/memory.h"
#include "base/device/device.h"
#include "h2/build/build.h"
#include "h2/device/device.h"
#include "h2/dispatch/dispatch.h"
#include "h2/matrix/io.h"
#include "tests/support/handover.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3000, DIM = 2 };

static base_context context;
static base_devices *devices;
static char *original; /* the payload */
static int64_t original_bytes;
static int points = POINTS;
static int (*fake_alive)(void);

static bool good(base_status status) {
    return handover_good(&context, status);
}

/* A matrix whose numbers are on the device alone: in the payload they are overwritten. */
static bool make_matrix(h2_matrix *matrix) {
    double point[POINTS * DIM];
    h2_build_options options = h2_build_default;
    h2_device_matrix on_device = {.matrix = NULL};
    bool kept = false;
    for (int i = 0; i < points * DIM; i++)
        point[i] = (double)(i * 7919 % 10007) / 10007;
    bool ok = good(h2_build(&context, point, points, DIM, &options, matrix));
    original_bytes = matrix->payload_bytes;
    original = realloc(original, (size_t)original_bytes);
    memcpy(original, matrix->payload, (size_t)original_bytes);
    ok = ok && good(h2_device_alloc(&context, base_devices_get(devices, 1), matrix, &on_device)) &&
         good(h2_device_upload(&context, &on_device)) &&
         good(h2_device_leave(&context, &on_device, matrix, &kept)) && kept;
    h2_device_free(&on_device);
    memset(matrix->payload + matrix->on_device.first, 0xff,
           (size_t)(matrix->payload_bytes - matrix->on_device.first));
    return ok && matrix->on_device.descriptor > 0;
}

static bool is_original(const char *payload, int64_t bytes) {
    return bytes == original_bytes && memcmp(payload, original, (size_t)bytes) == 0;
}

/* Sends a matrix through a pipe whose reader is there already. */
static bool send_matrix(int write_end, const void *hashed) {
    h2_matrix matrix;
    mm_record record;
    mm_record_init(&record);
    return make_matrix(&matrix) && good(h2_to_record(&context, &matrix, &record)) &&
           handover_send(&context, write_end, *(const bool *)hashed, &record);
}

/* Sends one from another process and receives it in this one. */
static bool pass(bool leave, bool hashed, mm_record *record) {
    return good(handover_pass(&context, send_matrix, &hashed, leave ? 1U << MM_H2 : 0, record));
}

static void test_leave(void) {
    h2_matrix matrix = {0};
    tap_ok(make_matrix(&matrix), "a matrix on a device");
    tap_ok(!is_original(matrix.payload, matrix.payload_bytes), "... is not in the payload");
    tap_ok(good(h2_matrix_fetch(&context, &matrix)) && matrix.on_device.descriptor == 0 &&
               is_original(matrix.payload, matrix.payload_bytes),
           "... and can be fetched");
    h2_matrix_free(&matrix);
}

static void test_pass(void) {
    mm_record record;
    h2_matrix matrix = {0};
    h2_device_matrix on_device = {.matrix = NULL};
    mm_record_init(&record);
    tap_ok(pass(false, false, &record) && record.on_device.descriptor == 0 &&
               is_original(record.payload, record.payload_bytes),
           "a reader fetches it");
    tap_ok(pass(false, true, &record) && is_original(record.payload, record.payload_bytes),
           "with a hash it goes by way of the host's memory");
    tap_ok(pass(true, false, &record) && record.on_device.descriptor > 0, "or leaves it on the device");
    tap_ok(!is_original(record.payload, record.payload_bytes), "... and it is not in the payload");
    tap_ok(good(h2_from_record(&context, &record, &matrix)) &&
               good(h2_device_take(&context, base_devices_get(devices, 1), &matrix, &on_device)) &&
               good(h2_device_download(&context, &on_device)) &&
               is_original(matrix.payload, matrix.payload_bytes),
           "it is taken where it is");
    h2_device_free(&on_device);
    h2_matrix_free(&matrix);
    mm_record_free(&record);
}

/* The CPU has it do by way of the host's memory. */
static void test_cpu(void) {
    base_device_search search = {.choice = BASE_DEVICE_CPU};
    h2_dispatch dispatch = {.devices = &search};
    mm_record record;
    h2_matrix matrix = {0}, plain = {0};
    double x[POINTS], y[POINTS], want[POINTS];
    mm_record_init(&record);
    for (int i = 0; i < POINTS; i++)
        x[i] = (double)(i % 17) - 8;
    bool ok = pass(true, false, &record) && good(h2_from_record(&context, &record, &matrix)) &&
              good(h2_dispatch_mv(&context, &dispatch, &matrix, false, 1, x, 0, y, 1));
    char *copy = base_alloc_aligned(&context, original_bytes, 1);
    memcpy(copy, original, (size_t)original_bytes);
    ok = ok && good(h2_matrix_take(&context, copy, original_bytes, &plain)) &&
         good(h2_dispatch_mv(&context, &dispatch, &plain, false, 1, x, 0, want, 1));
    tap_ok(ok && memcmp(y, want, sizeof y) == 0, "--device cpu: the same product");
    h2_matrix_free(&matrix);
    h2_matrix_free(&plain);
    mm_record_free(&record);
    base_device_search_close(&search);
}

static bool is_of_all_levels(const h2_phase *phase, const char *name) {
    return strcmp(phase->name, name) == 0 && phase->level == -1 && phase->seconds > 0;
}

/* On a device a phase is one of all levels, -1 (h2/matrix/phases.h). */
static void test_phases(void) {
    base_device_search search = {.choice = BASE_DEVICE_CUDA};
    h2_phases phases = {.count = 0};
    h2_dispatch dispatch = {.devices = &search, .phases = &phases};
    h2_matrix matrix = {0};
    if (!h2_device_is_built()) {
        tap_skip(2, "built without CUDA kernels");
        return;
    }
    tap_ok(make_matrix(&matrix) && good(h2_dispatch_orthogonalize(&context, &dispatch, &matrix)) &&
               dispatch.note[0] == 0,
           "a matrix is made orthonormal where it is");
    tap_ok(phases.count == 2 && is_of_all_levels(&phases.phase[0], "bases") &&
               is_of_all_levels(&phases.phase[1], "blocks"),
           "... by two phases of all levels");
    h2_matrix_free(&matrix);
    base_device_search_close(&search);
}

static void test_small(void) {
    mm_record record;
    h2_matrix matrix = {0};
    mm_record_init(&record);
    points = 20;
    tap_ok(make_matrix(&matrix) && pass(false, false, &record) && original_bytes < 65536 &&
               is_original(record.payload, record.payload_bytes),
           "a matrix so small that the pipe would have its payload is handed over, too");
    h2_matrix_free(&matrix);
    mm_record_free(&record);
    points = POINTS;
    tap_ok(make_matrix(&matrix), "the larger matrix again");
    h2_matrix_free(&matrix);
}

/* Memory that was taken over is handed on by the descriptor it came with. */
static void test_hand_on(void) {
    mm_record record;
    h2_matrix matrix = {0};
    h2_device_matrix on_device = {.matrix = NULL};
    bool kept = false;
    mm_record_init(&record);
    bool ok = pass(true, false, &record) && good(h2_from_record(&context, &record, &matrix)) &&
              good(h2_device_take(&context, base_devices_get(devices, 1), &matrix, &on_device));
    setenv("MMPIPE_FAKE_REFUSE", "cuMemExportToShareableHandle:801", 1);
    tap_ok(ok && good(h2_device_leave(&context, &on_device, &matrix, &kept)) && kept,
           "memory that was taken over is left without a new descriptor");
    unsetenv("MMPIPE_FAKE_REFUSE");
    h2_device_free(&on_device);
    tap_ok(matrix.on_device.descriptor > 0 && good(h2_matrix_fetch(&context, &matrix)) &&
               is_original(matrix.payload, matrix.payload_bytes),
           "... and is there for the next one");
    h2_matrix_free(&matrix);
    mm_record_free(&record);
}

/* Drivers and containers that refuse a step: the matrix is on the device all the same, and is not left there.
 */
static void test_refused(const char *refused) {
    base_devices *own = NULL;
    h2_matrix matrix = {0};
    h2_device_matrix on_device = {.matrix = NULL};
    bool kept = true;
    bool ok = make_matrix(&matrix) && good(h2_matrix_fetch(&context, &matrix));
    setenv("MMPIPE_FAKE_REFUSE", refused, 1);
    ok = ok && good(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &own)) &&
         good(h2_device_alloc(&context, base_devices_get(own, 0), &matrix, &on_device)) &&
         good(h2_device_upload(&context, &on_device)) &&
         good(h2_device_leave(&context, &on_device, &matrix, &kept));
    tap_ok(ok && !kept && !base_device_get_properties(base_devices_get(own, 0))->gives_memory,
           "%s: not left on the device", refused);
    memset(matrix.payload + on_device.first, 0xff, (size_t)(matrix.payload_bytes - on_device.first));
    tap_ok(ok && good(h2_device_download(&context, &on_device)) && matrix.on_device.descriptor == 0 &&
               is_original(matrix.payload, matrix.payload_bytes),
           "... and brought back from there");
    unsetenv("MMPIPE_FAKE_REFUSE");
    h2_device_free(&on_device);
    h2_matrix_free(&matrix);
    base_devices_close(own);
}

static void test_elsewhere(void) {
    mm_record record;
    mm_record_init(&record);
    bool ok = pass(true, false, &record);
    record.on_device.uuid[0] ^= 1;
    tap_ok(ok && mm_record_fetch(&context, &record) == BASE_MACHINE &&
               strstr(context.error.cause, "a GPU that is not there") != NULL,
           "the device is not there: %s", context.error.cause);
    mm_record_free(&record);
}

static void test_no_driver(void) {
    const unsigned char uuid[16] = {0};
    char byte;
    setenv("MMPIPE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    tap_ok(base_device_fetch(&context, uuid, 0, 1, &byte) == BASE_MACHINE &&
               strstr(context.error.cause, "no NVIDIA driver") != NULL,
           "no driver: %s", context.error.cause);
}

/* mm-cat and h2-info between: other processes, which fetch or pass it on. */
static void test_programs(const char *build) {
    char commands[2400];
    mm_record record;
    snprintf(commands, sizeof commands, "%s/bin/mm-cat", build);
    if (tap_is_foreign(commands)) {
        tap_skip(1, "this machine cannot run the programs, which are built for another processor");
        return;
    }
    mm_record_init(&record);
    snprintf(commands, sizeof commands,
             "'%s/bin/mm-cat' --form resident | '%s/bin/mm-cat' --form bin --level 0", build, build);
    tap_ok(handover_through(&context, send_matrix, &(bool){false}, commands, &record) &&
               is_original(record.payload, record.payload_bytes),
           "a program passes it on, the next one writes it to a file");
    mm_record_free(&record);
}

int main(void) {
    const char *build = getenv("MMPIPE_BUILD") != NULL ? getenv("MMPIPE_BUILD") : ".";
    char fake[1024];
    snprintf(fake, sizeof fake, "%s/tests/fake/libcuda.so", build);
    void *library = dlopen(fake, RTLD_NOW);
    if (library == NULL) {
        tap_skip(1, "no tests/fake/libcuda.so");
        return tap_done();
    }
    void *entry = dlsym(library, "fake_alive");
    memcpy(&fake_alive, &entry, sizeof entry);
    setenv("MMPIPE_LIBCUDA", fake, 1);
    setenv("MMPIPE_FAKE_BYTES", "400000000", 1);
    base_context_init(&context);
    if (!good(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices)))
        return 1;
    test_leave();
    test_pass();
    test_cpu();
    test_programs(build);
    test_phases();
    test_small();
    test_hand_on();
    test_refused("cuDeviceGetUuid:801");
    test_refused("cuDeviceGetAttribute:1");
    test_refused("cuMemGetAllocationGranularity:801");
    test_refused("cuMemCreate:800");
    test_refused("cuMemAddressReserve:304");
    test_refused("cuMemMap:1");
    test_refused("cuMemSetAccess:800");
    test_refused("cuMemExportToShareableHandle:304");
    test_elsewhere();
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "nothing is left on the devices");
    test_no_driver();
    free(original);
    return tap_done();
}
