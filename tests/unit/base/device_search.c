/* SPDX-License-Identifier: BSD-3-Clause */
/* How devices are found, over tests/fake: what is said when a driver or a device is missing, by whom
 * they are found and which of them a process takes. */
#include "base/device/device.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Opening all devices must fail with this status and text. */
static void check_refused(const char *text, const int *indices, int count, base_status expected) {
    base_context context;
    base_devices *devices;
    base_context_init(&context);
    base_status status = base_devices_open(&context, BASE_DEVICE_CUDA, indices, count, &devices);
    tap_ok(status == expected && devices == NULL && fake_says(&context, text), "refused: %s", text);
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

static void test_properties(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 2);
    const base_device_properties *p = base_device_get_properties(base_devices_get(devices, 0));
    tap_ok(base_devices_count(devices) == 2 && p->index == 1 && strcmp(p->name, "Fake GPU 1") == 0,
           "devices come in the order asked for");
    tap_ok(p->architecture == 90 && p->warp_size == 32 && p->memory_bytes == 1 << 20 &&
               p->clock_hertz == 1e9 && p->memory_rate == 2 * 3.201e9 * 6144 / 8 &&
               p->shared_bytes_per_block == 232448 && p->driver_cuda == 13000,
           "properties have their units");
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "properties need no context");
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
    tap_ok(base_devices_find(&context, &search) == BASE_MACHINE && fake_says(&context, "no NVIDIA driver"),
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
    if (!fake_load()) {
        tap_ok(false, "%s: %s", fake_path, dlerror());
        return tap_done();
    }
    test_missing();
    test_properties();
    test_early();
    test_shares();
    return tap_done();
}
