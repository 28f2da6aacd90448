/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies that go on beside the device's work, over tests/fake, which makes them when somebody waits: not
 * before, on another thread, as numbers of a record, and with every call failing in turn. */
#include "base/device/arrival.h"
#include "mm/record/record.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, BYTES = N * (int)sizeof(double), RESULT_OUT_OF_MEMORY = 2, RESULT_ECC = 214 };

typedef struct waiter {
    base_device_arrival *arrival;
    const double *numbers;
    base_status status;
} waiter;

static void *wait_for(void *data) {
    waiter *it = data;
    base_context context;
    void *room = NULL;
    base_context_init(&context);
    it->status = base_device_arrival_wait(&context, it->arrival, &room);
    it->numbers = room;
    return NULL;
}

static bool are_numbers(const double *number, double first) {
    for (int i = 0; i < N; i++)
        if (number[i] != first + i)
            return false;
    return true;
}

static base_status upload(base_context *context, const base_device_buffer *buffer, double first) {
    double number[N];
    for (int i = 0; i < N; i++)
        number[i] = first + i;
    return base_device_upload(context, buffer, 0, number, BYTES, NULL);
}

/* A copy of the numbers from 1 on, into room that is larger. */
static base_status begin(base_context *context, base_device *device, base_device_buffer *buffer,
                         base_device_arrival **arrival) {
    base_status status;
    BASE_TRY(base_device_alloc(context, device, N, sizeof(double), buffer));
    BASE_TRY(base_device_arrival_open(context, device, BYTES + 8, arrival));
    BASE_TRY(upload(context, buffer, 1));
    BASE_TRY(base_device_arrival_begin(context, *arrival, buffer, BYTES));
done:
    return status;
}

static void test_order(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device_buffer buffer = {.device = NULL};
    waiter it = {.numbers = NULL};
    pthread_t thread;
    tap_ok(begin(&context, base_devices_get(devices, 0), &buffer, &it.arrival) == BASE_OK &&
               base_device_arrival_room(it.arrival) == BYTES + 8 && base_device_arrival_room(NULL) == 0,
           "a copy begins");
    tap_ok(base_device_wait(&context, base_devices_get(devices, 0)) == BASE_OK,
           "... for which the device's own work does not wait");
    if (pthread_create(&thread, NULL, wait_for, &it) == 0)
        pthread_join(thread, NULL);
    tap_ok(it.status == BASE_OK && it.numbers != NULL && are_numbers(it.numbers, 1),
           "... and another thread gets the numbers");
    tap_ok(upload(&context, &buffer, 5) == BASE_OK && are_numbers(it.numbers, 1),
           "they stay where the buffer changes");
    tap_ok(base_device_arrival_begin(&context, it.arrival, &buffer, BYTES) == BASE_OK,
           "... until the next copy begins");
    wait_for(&it);
    tap_ok(are_numbers(it.numbers, 5), "... which brings its own");
    tap_ok(base_device_arrival_begin(&context, it.arrival, &buffer, BYTES + 16) == BASE_MACHINE,
           "more than there is room for is refused");
    base_device_arrival_close(it.arrival);
    base_device_arrival_close(NULL);
    base_device_free(&buffer);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "nothing is left");
}

static void test_record(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device_buffer buffer = {.device = NULL};
    base_device_arrival *arrival = NULL;
    mm_record record, moved;
    mm_record_init(&record);
    mm_record_init(&moved);
    bool good = begin(&context, base_devices_get(devices, 0), &buffer, &arrival) == BASE_OK;
    record.format = MM_ARRAY;
    record.nrow = record.nnz = N;
    record.ncol = 1;
    record.arriving = arrival;
    mm_record_move(&moved, &record);
    tap_ok(good && record.arriving == NULL && moved.real == NULL, "a record whose numbers are on their way");
    good = mm_record_fetch(&context, &moved) == BASE_OK && moved.real != NULL && are_numbers(moved.real, 1);
    tap_ok(good && mm_record_fetch(&context, &moved) == BASE_OK && are_numbers(moved.real, 1),
           "... is fetched, and once more");
    mm_record_free(&moved);
    tap_ok(moved.arriving == NULL && moved.real == NULL, "... and freed without them");
    base_device_arrival_close(arrival);
    base_device_free(&buffer);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "nothing is left");
}

/* Whether all of it works while call number `call` fails. */
static bool try_failing(int call, int result) {
    base_context context;
    char fail[32];
    waiter it = {.status = BASE_MACHINE};
    base_device_buffer buffer = {.device = NULL};
    snprintf(fail, sizeof fail, "%d:%d", call, result);
    base_context_init(&context);
    base_devices *devices = NULL;
    setenv("MMPIPE_FAKE_FAIL", fail, 1);
    if (base_devices_open(&context, BASE_DEVICE_CUDA, (const int[]){0}, 1, &devices) == BASE_OK &&
        begin(&context, base_devices_get(devices, 0), &buffer, &it.arrival) == BASE_OK)
        wait_for(&it);
    const bool good = it.status == BASE_OK && are_numbers(it.numbers, 1);
    base_device_arrival_close(it.arrival);
    base_device_free(&buffer);
    base_devices_close(devices);
    unsetenv("MMPIPE_FAKE_FAIL");
    return good;
}

/* The n-th call of the driver fails, for every n. What lies on a device in doubt is not released. */
static void test_failures(int result, bool released) {
    int call = 0, left = 0;
    bool good;
    do {
        good = try_failing(++call, result);
        left += good ? 0 : fake_alive();
        fake_reset();
    } while (!good && call < 1000);
    tap_ok(call > 20 && call < 1000, "each of %d calls fails with %d and is told", call - 1, result);
    if (released)
        tap_ok(left == 0, "... and nothing is left");
}

int main(void) {
    if (!fake_load()) {
        tap_ok(false, "%s: %s", fake_path, dlerror());
        return tap_done();
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    setenv("MMPIPE_FAKE_DEVICES", "2", 1);
    test_order();
    test_record();
    test_failures(RESULT_OUT_OF_MEMORY, true);
    test_failures(RESULT_ECC, false);
    return tap_done();
}
