/* SPDX-License-Identifier: BSD-3-Clause */
/* Real arrays whose numbers lie in the memory of a device, over tests/fake/cuda.c: they are fetched, handed
 * on or left there, and checked when they come. */
#include "base/device/device.h"
#include "mm/record/record.h"
#include "tests/support/handover.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 300, COUNT = ROWS * COLUMNS };

static base_context context;
static base_devices *devices;
static double number[COUNT];

static bool good(base_status status) {
    return handover_good(&context, status);
}

static bool make_array(mm_record *record) {
    base_device *device = base_devices_get(devices, 1);
    base_device_buffer buffer = {.device = NULL};
    int descriptor = -1;
    mm_record_init(record);
    record->format = MM_ARRAY;
    record->nrow = ROWS;
    record->ncol = COLUMNS;
    record->nnz = COUNT;
    const bool ok = good(base_device_alloc_shared(&context, device, COUNT, sizeof *number, &buffer)) &&
                    good(base_device_upload(&context, &buffer, 0, number, sizeof number, NULL)) &&
                    good(base_device_export(&context, &buffer, &descriptor)) && descriptor >= 0;
    record->on_device = (mm_device_memory){.descriptor = descriptor + 1, .bytes = sizeof number};
    memcpy(record->on_device.uuid, base_device_get_properties(device)->uuid, 16);
    base_device_free(&buffer);
    return ok;
}

static bool is_array(const mm_record *record) {
    return record->format == MM_ARRAY && record->nrow == ROWS && record->ncol == COLUMNS &&
           record->real != NULL && memcmp(record->real, number, sizeof number) == 0;
}

/* `missing`: bytes that the memory lacks. */
static bool send_array(int end, const void *missing) {
    mm_record record;
    const bool ok = make_array(&record);
    record.on_device.bytes -= *(const int64_t *)missing;
    return ok && handover_send(&context, end, false, &record);
}

static base_status pass(unsigned left, int64_t missing, mm_record *record) {
    return handover_pass(&context, send_array, &missing, left, record);
}

static void test_pass(void) {
    mm_record record;
    tap_ok(make_array(&record) && record.real == NULL && good(mm_record_fetch(&context, &record)) &&
               is_array(&record),
           "an array that was never on the host is fetched");
    tap_ok(record.on_device.descriptor == 0, "... once");
    mm_record_free(&record);
    tap_ok(good(pass(0, 0, &record)) && record.on_device.descriptor == 0 && is_array(&record),
           "a reader fetches it");
    mm_record_free(&record);
    tap_ok(good(pass(1U << MM_H2, 0, &record)) && record.on_device.descriptor == 0 && is_array(&record),
           "... and so does one that leaves other kinds there");
    mm_record_free(&record);
    tap_ok(good(pass(1U << MM_MATRIX, 0, &record)) && record.on_device.descriptor > 0 && !is_array(&record),
           "or leaves it on the device");
    tap_ok(good(mm_record_fetch(&context, &record)) && is_array(&record), "... from where it can be fetched");
    mm_record_free(&record);
}

static void test_bad(void) {
    mm_record record;
    mm_record_init(&record);
    tap_ok(pass(0, 8, &record) == BASE_DAMAGED && strstr(context.error.cause, "what cannot be") != NULL,
           "memory that is too short for the array is refused: %s", context.error.cause);
    mm_record_free(&record);
    const double was = number[COUNT - 1];
    number[COUNT - 1] = NAN;
    tap_ok(pass(0, 0, &record) == BASE_DAMAGED && strstr(context.error.cause, "not a number") != NULL,
           "NaN is refused when it comes: %s", context.error.cause);
    number[COUNT - 1] = was;
    mm_record_free(&record);
}

/* What mm-cat makes of it, as a program behind this one. */
static bool read_through(const char *build, const char *options, mm_record *record) {
    char commands[1200];
    snprintf(commands, sizeof commands, "'%s/bin/mm-cat' %s --form resident | '%s/bin/mm-cat' %s --form bin",
             build, options, build, options);
    return handover_through(&context, send_array, &(int64_t){0}, commands, record);
}

static void test_programs(const char *build) {
    mm_record record;
    char program[1100];
    snprintf(program, sizeof program, "%s/bin/mm-cat", build);
    if (tap_is_foreign(program)) {
        tap_skip(2, "this machine cannot run the programs, which are built for another processor");
        return;
    }
    mm_record_init(&record);
    tap_ok(read_through(build, "", &record) && is_array(&record), "mm-cat passes it on");
    mm_record_free(&record);
    tap_ok(read_through(build, "--transpose", &record) && is_array(&record),
           "... and looks at the numbers where it transposes, twice");
    mm_record_free(&record);
}

int main(void) {
    const char *build = getenv("MMPIPE_BUILD") != NULL ? getenv("MMPIPE_BUILD") : ".";
    char fake[1024];
    int (*fake_alive)(void);
    snprintf(fake, sizeof fake, "%s/tests/fake/libcuda.so", build);
    void *library = dlopen(fake, RTLD_NOW);
    if (library == NULL) {
        tap_skip(1, "no tests/fake/libcuda.so");
        return tap_done();
    }
    void *entry = dlsym(library, "fake_alive");
    memcpy(&fake_alive, &entry, sizeof entry);
    setenv("MMPIPE_LIBCUDA", fake, 1);
    setenv("MMPIPE_FAKE_BYTES", "100000000", 1);
    base_context_init(&context);
    for (int k = 0; k < COUNT; k++)
        number[k] = (double)(k * 7919 % 10007) / 10007;
    if (!good(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices)))
        return 1;
    test_pass();
    test_bad();
    test_programs(build);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "nothing is left on the devices");
    return tap_done();
}
