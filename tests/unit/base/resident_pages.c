/* SPDX-License-Identifier: BSD-3-Clause */
/* Huge pages of memory files: they are there where the system makes them, and change no content anywhere. */
#include "base/resident/memory.h"
#include "tests/support/handover.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HUGE = 2 << 20, THREADS = 3 };

static base_context context;

static int64_t taken_bytes(int descriptor) {
    struct stat about;
    return fstat(descriptor, &about) == 0 ? (int64_t)about.st_blocks * 512 : -1;
}

static bool is_aligned(const char *memory) {
    return (uintptr_t)memory % HUGE == 0;
}

static void fill(char *memory, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i++)
        memory[i] = (char)(i * 31 % 253);
}

static bool is_filled(const char *memory, int64_t bytes) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < bytes; i++)
        wrong += memory[i] != (char)(i * 31 % 253);
    return wrong == 0;
}

static bool is_zero(const char *memory, int64_t bytes) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < bytes; i++)
        wrong += memory[i] != 0;
    return wrong == 0;
}

/* Memory that is owned, and its file. */
typedef struct owned {
    char *memory;
    int64_t bytes;
    int descriptor;
} owned;

static owned make(int64_t bytes) {
    owned it = {.bytes = bytes};
    if (base_resident_alloc(&context, bytes, &it.memory, &it.descriptor) != BASE_OK)
        abort();
    return it;
}

static void drop(owned it) {
    munmap(it.memory, (size_t)it.bytes);
    close(it.descriptor);
}

static void test_addresses(void) {
    const int64_t sizes[] = {HUGE, HUGE + 1, 3 * HUGE - 4096};
    for (int i = 0; i < 3; i++) {
        char *again = NULL;
        owned it = make(sizes[i]);
        tap_ok(is_aligned(it.memory), "%lld bytes begin at a multiple of 2 MiB", (long long)sizes[i]);
        tap_ok(base_resident_seal(&context, it.descriptor, BASE_RESIDENT_OWNED) == BASE_OK &&
                   base_resident_map(&context, it.descriptor, BASE_RESIDENT_OWNED, sizes[i], &again) ==
                       BASE_OK &&
                   is_aligned(again) && again != it.memory,
               "... also for who takes them");
        munmap(again, (size_t)sizes[i]);
        drop(it);
    }
}

/* Extents that the memory has only a part of stay as they are. */
static void test_extents(void) {
    owned it = make(4 * HUGE);
    base_resident_prepare(&context, it.memory + 5000, 3 * HUGE - 5001);
    const int64_t taken = taken_bytes(it.descriptor);
    tap_ok(taken == HUGE || (taken == sysconf(_SC_PAGESIZE) && !handover_makes_huge_pages()),
           "one whole extent of three is made: %lld bytes", (long long)taken);
    base_resident_prepare(&context, it.memory + HUGE + 1, HUGE);
    base_resident_prepare(&context, it.memory + HUGE + 1, 1);
    tap_ok(taken_bytes(it.descriptor) == taken, "none of what lies between");
    tap_ok(is_zero(it.memory, it.bytes), "... and all of it is zero");
    drop(it);
}

static void test_content(void) {
    owned it = make(3 * HUGE + 12345);
    fill(it.memory, it.bytes);
    base_resident_prepare(&context, it.memory, it.bytes);
    tap_ok(is_filled(it.memory, it.bytes), "what was written before stays");
    drop(it);
}

/* Of a huge page, too, a part can be given up. */
static void test_trim(void) {
    enum { KEPT = HUGE + 12345 };
    owned it = make(4 * HUGE);
    base_resident_prepare(&context, it.memory, it.bytes);
    fill(it.memory, it.bytes);
    base_resident_trim(it.descriptor, KEPT);
    const int64_t page = sysconf(_SC_PAGESIZE), kept = (KEPT + page - 1) / page * page;
    tap_ok(taken_bytes(it.descriptor) <= 2 * HUGE, "what is given up takes no memory: %lld bytes are left",
           (long long)taken_bytes(it.descriptor));
    tap_ok(is_filled(it.memory, KEPT) && is_zero(it.memory + kept, it.bytes - kept),
           "... and the rest is there");
    drop(it);
}

static bool can_write(int64_t offset, int64_t bytes) {
    char *from = malloc((size_t)bytes), *memory = NULL;
    int descriptor;
    fill(from, bytes);
    const bool ok =
        base_resident_create(&context, offset + bytes, &descriptor) == BASE_OK &&
        base_resident_write(&context, descriptor, offset, from, bytes) == BASE_OK &&
        base_resident_seal(&context, descriptor, BASE_RESIDENT_FIXED) == BASE_OK &&
        base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, offset + bytes, &memory) == BASE_OK &&
        is_zero(memory, offset) && memcmp(memory + offset, from, (size_t)bytes) == 0;
    munmap(memory, (size_t)(offset + bytes));
    close(descriptor);
    free(from);
    return ok;
}

static void test_writing(void) {
    const int64_t sizes[] = {4 * HUGE, 4 * HUGE + 1, 5 * HUGE - 1, 5 * HUGE + 4097};
    const int64_t offsets[] = {0, 64, HUGE - 1, HUGE, HUGE + 4160};
    for (int size = 0; size < 4; size++)
        for (int i = 0; i < 5; i++)
            tap_ok(can_write(offsets[i], sizes[size]), "%lld bytes written from byte %lld on",
                   (long long)sizes[size], (long long)offsets[i]);
}

/* Who takes what was written maps its huge pages. */
static void test_taking(void) {
    enum { BYTES = 5 * HUGE };
    const base_resident_kind kinds[] = {BASE_RESIDENT_FIXED, BASE_RESIDENT_OWNED};
    char *from = malloc(BYTES), *memory = NULL;
    int descriptor;
    fill(from, BYTES);
    for (int i = 0; i < 2; i++) {
        const bool ok = base_resident_create(&context, BYTES, &descriptor) == BASE_OK &&
                        base_resident_write(&context, descriptor, 0, from, BYTES) == BASE_OK &&
                        base_resident_seal(&context, descriptor, kinds[i]) == BASE_OK &&
                        base_resident_map(&context, descriptor, kinds[i], BYTES, &memory) == BASE_OK;
        base_resident_populate(&context, memory, BYTES);
        const long huge = handover_huge_kilobytes();
        tap_ok(ok && (huge > 0 || !handover_makes_huge_pages()), "%ld KiB of %d are taken in huge pages",
               huge, BYTES / 1024);
        munmap(memory, BYTES);
        close(descriptor);
    }
    free(from);
}

/* Each thread tries once. */
static void test_refusal(void) {
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
        tap_skip(2, "the system does not let a process do without huge pages");
        return;
    }
    owned it = make(16 * HUGE);
    base_resident_prepare(&context, it.memory, it.bytes);
    tap_ok(taken_bytes(it.descriptor) <= THREADS * sysconf(_SC_PAGESIZE),
           "where none are made nothing happens: %lld bytes", (long long)taken_bytes(it.descriptor));
    drop(it);
    tap_ok(can_write(HUGE - 1, 5 * HUGE), "... and memory files are filled");
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

int main(void) {
    base_context_init(&context);
    context.threads = THREADS;
    test_addresses();
    test_extents();
    test_content();
    test_trim();
    test_writing();
    test_taking();
    context.threads = 1;
    tap_ok(can_write(64, 5 * HUGE), "one thread");
    context.threads = THREADS;
    test_refusal();
    return tap_done();
}
