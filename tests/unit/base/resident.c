/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory between two ends of a pipe: what is taken is what was given, and nothing else can be taken. */
#include "base/core/thread.h"
#include "base/resident/giver.h"
#include "base/resident/memory.h"
#include "base/resident/taker.h"
#include "tests/support/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 100000 };

static base_context context;

/* A pipe with a byte in it, as if a stream had begun. */
typedef struct pipe_ends {
    int read, write;
} pipe_ends;

static pipe_ends make_pipe(void) {
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        abort();
    return (pipe_ends){ends[0], ends[1]};
}

static void drain(pipe_ends ends) {
    char byte;
    if (read(ends.read, &byte, 1) != 1)
        abort();
}

static void close_pipe(pipe_ends ends) {
    close(ends.read);
    close(ends.write);
}

static int make_memory(int64_t bytes, bool sealed) {
    int descriptor;
    char *content = malloc((size_t)bytes);
    for (int64_t i = 0; i < bytes; i++)
        content[i] = (char)(i * 7 % 251);
    if (base_resident_create(&context, bytes, &descriptor) != BASE_OK ||
        base_resident_write(&context, descriptor, 0, content, bytes) != BASE_OK ||
        (sealed && base_resident_seal(&context, descriptor, BASE_RESIDENT_FIXED) != BASE_OK))
        abort();
    free(content);
    return descriptor;
}

static bool is_content(const char *memory) {
    int wrong = 0;
    for (int64_t i = 0; i < BYTES; i++)
        wrong += memory[i] != (char)(i * 7 % 251);
    return wrong == 0;
}

/* A giver and a taker that have met. */
typedef struct couple {
    pipe_ends pipe;
    base_giver *giver;
    base_taker *taker;
} couple;

static couple make_couple(void) {
    couple two = {.pipe = make_pipe()};
    bool gone;
    two.taker = base_taker_open(two.pipe.read);
    if (base_giver_open(&context, two.pipe.write, &two.giver) != BASE_OK || two.taker == NULL ||
        base_giver_connect(&context, two.giver, &gone) != BASE_OK || gone ||
        base_taker_meet(&context, two.taker, base_giver_name(two.giver)) != BASE_OK)
        abort();
    return two;
}

static void free_couple(couple *two) {
    base_giver_close(two->giver);
    base_taker_close(two->taker);
    close_pipe(two->pipe);
}

static void give(couple *two, int64_t number, int64_t bytes) {
    const int descriptor = make_memory(bytes, true);
    if (base_giver_give(&context, two->giver, &(base_resident_gift){number, bytes, 0, descriptor, -1}) !=
        BASE_OK)
        abort();
    close(descriptor);
}

static base_status take(base_taker *taker, int64_t number, int64_t bytes, int *descriptor) {
    base_resident_gift gift = {.number = number, .bytes = bytes};
    const base_status status = base_taker_take(&context, taker, &gift);
    *descriptor = gift.descriptor;
    return status;
}

static void test_memory(void) {
    char *memory = NULL, *other = NULL;
    const int descriptor = make_memory(BYTES, true), open = make_memory(BYTES, false);
    tap_ok(write(descriptor, "x", 1) < 0 && errno == EPERM, "what is sealed cannot be written");
    tap_ok(ftruncate(descriptor, 10) < 0 && errno == EPERM, "... nor shortened");
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES, &memory) == BASE_OK &&
               is_content(memory),
           "it is mapped");
    memory[0] = 77;
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES, &other) == BASE_OK &&
               is_content(other),
           "what one changes no other sees");
    munmap(memory, BYTES);
    munmap(other, BYTES);
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES + 1, &memory) == BASE_DAMAGED &&
               memory == NULL,
           "another size is refused");
    tap_ok(base_resident_map(&context, open, BASE_RESIDENT_FIXED, BYTES, &memory) == BASE_DAMAGED,
           "so is what is not sealed");
    tap_ok(base_resident_map(&context, STDOUT_FILENO, BASE_RESIDENT_FIXED, BYTES, &memory) == BASE_DAMAGED,
           "and what is no memory");
    close(descriptor);
    close(open);
}

/* Owned memory is worked on where it lies. */
static void test_owned(void) {
    enum { TRIMMED = 40000 };
    char *memory = NULL, *taken = NULL;
    struct stat before, after;
    int descriptor = -1;
    tap_ok(base_resident_alloc(&context, BYTES, &memory, &descriptor) == BASE_OK, "owned memory is made");
    for (int64_t i = 0; i < BYTES; i++)
        memory[i] = (char)(i * 7 % 251);
    munmap(memory, BYTES);
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_OWNED, BYTES, &memory) == BASE_DAMAGED,
           "... refused as long as it can be shortened");
    tap_ok(base_resident_seal(&context, descriptor, BASE_RESIDENT_OWNED) == BASE_OK &&
               ftruncate(descriptor, 10) < 0 && errno == EPERM,
           "... and sealed against that");
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_OWNED, BYTES, &memory) == BASE_OK &&
               is_content(memory),
           "... mapped, has what was written");
    memory[0] = 77;
    munmap(memory, BYTES);
    fstat(descriptor, &before);
    base_resident_trim(descriptor, TRIMMED);
    fstat(descriptor, &after);
    tap_ok(after.st_blocks < before.st_blocks && after.st_size == before.st_size,
           "... takes less memory when its end is given up");
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_OWNED, TRIMMED, &taken) == BASE_OK &&
               taken[0] == 77 && taken[TRIMMED - 1] == (char)((TRIMMED - 1) * 7 % 251),
           "... and has for the next one what the last one wrote");
    munmap(taken, TRIMMED);
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_OWNED, BYTES + 1, &taken) == BASE_DAMAGED,
           "... but not more than there is");
    tap_ok(base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES, &taken) == BASE_DAMAGED,
           "... and is not taken for fixed memory");
    close(descriptor);
}

/* Several threads copy what one call of write(2) would. */
static void test_threads(void) {
    enum { LARGE = (20 << 20) + 12345, OFFSET = 64 };
    const base_context before = context;
    char *from = malloc(LARGE), *memory = NULL;
    int descriptor;
    for (int64_t i = 0; i < LARGE; i++)
        from[i] = (char)(i * 31 % 253);
    context.threads = 3;
    tap_ok(base_resident_create(&context, OFFSET + LARGE, &descriptor) == BASE_OK &&
               base_resident_write(&context, descriptor, OFFSET, from, LARGE) == BASE_OK &&
               base_resident_seal(&context, descriptor, BASE_RESIDENT_FIXED) == BASE_OK &&
               base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, OFFSET + LARGE, &memory) ==
                   BASE_OK &&
               memcmp(memory + OFFSET, from, LARGE) == 0 && memory[0] == 0,
           "threads fill a memory file");
    munmap(memory, OFFSET + LARGE);
    close(descriptor);
    free(from);
    context = before;
}

static void test_handing_over(void) {
    couple two = make_couple();
    int descriptor;
    char *memory = NULL;
    give(&two, 1, BYTES);
    give(&two, 2, BYTES);
    tap_ok(take(two.taker, 1, BYTES, &descriptor) == BASE_OK &&
               base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES, &memory) == BASE_OK &&
               is_content(memory),
           "what is taken is what was given");
    munmap(memory, BYTES);
    close(descriptor);
    base_taker_thank(two.taker, 1);
    base_giver_close(two.giver);
    two.giver = NULL;
    tap_ok(take(two.taker, 2, BYTES, &descriptor) == BASE_OK &&
               base_resident_map(&context, descriptor, BASE_RESIDENT_FIXED, BYTES, &memory) == BASE_OK &&
               is_content(memory),
           "... also when the giver has ended");
    munmap(memory, BYTES);
    close(descriptor);
    tap_ok(take(two.taker, 3, BYTES, &descriptor) == BASE_DAMAGED && descriptor < 0,
           "what was not given cannot be taken");
    free_couple(&two);
}

/* A taker refuses whatever is not exactly what the frame says. */
static void test_refusals(void) {
    couple two = make_couple();
    int descriptor;
    give(&two, 1, BYTES);
    tap_ok(take(two.taker, 2, BYTES, &descriptor) == BASE_DAMAGED, "another record");
    free_couple(&two);
    two = make_couple();
    give(&two, 1, BYTES);
    tap_ok(take(two.taker, 1, BYTES - 1, &descriptor) == BASE_DAMAGED, "another size");
    free_couple(&two);
    two = make_couple();
    base_resident_name name = *base_giver_name(two.giver);
    name.token[15] ^= 1;
    tap_ok(base_taker_meet(&context, two.taker, &name) == BASE_OK, "a stream of another giver");
    give(&two, 1, BYTES);
    tap_ok(take(two.taker, 1, BYTES, &descriptor) == BASE_DAMAGED, "... with another token");
    name.inode++;
    tap_ok(base_taker_meet(&context, two.taker, &name) == BASE_DAMAGED, "a stream of another pipe");
    free_couple(&two);
}

/* Two descriptors: that of a device's memory comes second. */
static void test_device_memory(void) {
    couple two = make_couple();
    base_resident_gift gift = {1, BYTES, 2 * BYTES, make_memory(BYTES, true), make_memory(2 * BYTES, false)};
    tap_ok(base_giver_give(&context, two.giver, &gift) == BASE_OK, "memory of a device goes along");
    close(gift.descriptor);
    close(gift.device_descriptor);
    base_resident_gift taken = {.number = 1, .bytes = BYTES, .device_bytes = 2 * BYTES};
    tap_ok(base_taker_take(&context, two.taker, &taken) == BASE_OK && taken.descriptor >= 0 &&
               lseek(taken.device_descriptor, 0, SEEK_END) == 2 * BYTES,
           "... and arrives");
    close(taken.descriptor);
    close(taken.device_descriptor);
    gift.descriptor = make_memory(BYTES, true);
    gift.device_descriptor = -1;
    gift.number = 2;
    tap_ok(base_giver_give(&context, two.giver, &gift) == BASE_OK, "a packet that lacks it");
    close(gift.descriptor);
    taken.number = 2;
    tap_ok(base_taker_take(&context, two.taker, &taken) == BASE_DAMAGED && taken.descriptor < 0,
           "... is refused");
    free_couple(&two);
}

/* The giver that comes first is none, the second is. */
static void test_impostor(void) {
    pipe_ends ends = make_pipe();
    base_taker *taker = base_taker_open(ends.read);
    base_giver *first = NULL, *second = NULL;
    const int memory = make_memory(BYTES, true);
    bool gone;
    int descriptor = -1;
    base_giver_open(&context, ends.write, &first);
    base_giver_open(&context, ends.write, &second);
    base_giver_connect(&context, first, &gone);
    base_giver_give(&context, first, &(base_resident_gift){1, BYTES, 0, memory, -1});
    base_giver_connect(&context, second, &gone);
    base_giver_give(&context, second, &(base_resident_gift){1, BYTES, 0, memory, -1});
    base_taker_meet(&context, taker, base_giver_name(second));
    tap_ok(take(taker, 1, BYTES, &descriptor) == BASE_OK && descriptor >= 0,
           "a giver with another token is passed over");
    close(descriptor);
    close(memory);
    base_giver_close(first);
    base_giver_close(second);
    base_taker_close(taker);
    close_pipe(ends);
}

/* Who gives much leaves the processors to the taker: its threads end. */
static void test_threads_rest(void) {
    enum { LARGE = 64 << 20 };
    couple two = make_couple();
    int memory, threads = 0;
    struct stat tasks = {0};
    base_resident_create(&context, LARGE, &memory);
    base_resident_seal(&context, memory, BASE_RESIDENT_FIXED);
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads++;
    tap_ok(threads == 3 && base_giver_give(&context, two.giver,
                                           &(base_resident_gift){1, LARGE, 0, memory, -1}) == BASE_OK,
           "64 MiB are handed over");
    for (int i = 0; i < 1000 && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3; i++)
        usleep(1000);
    if (base_threads_rest())
        tap_ok(tasks.st_nlink == 3, "... and the giver has one thread: %d links", (int)tasks.st_nlink);
    else
        tap_skip(1, "threads of this OpenMP do not end, or a limit is near");
    close(memory);
    free_couple(&two);
}

static void test_no_taker(void) {
    pipe_ends ends = make_pipe();
    base_giver *giver = NULL;
    bool gone = true;
    tap_ok(base_giver_open(&context, ends.write, &giver) == BASE_OK, "a giver at a pipe");
    drain(ends);
    tap_ok(base_giver_connect(&context, giver, &gone) == BASE_FAILED && !gone, "whoever read it is no taker");
    close(ends.read);
    tap_ok(base_giver_connect(&context, giver, &gone) == BASE_OK && gone, "nobody reads it any more");
    base_giver_close(giver);
    close(ends.write);
    const int memory = make_memory(BYTES, true);
    tap_ok(base_giver_open(&context, memory, &giver) == BASE_FAILED && giver == NULL, "no giver at a file");
    tap_ok(base_taker_open(memory) == NULL, "no taker at a file");
    close(memory);
    ends = make_pipe();
    base_taker *taker = base_taker_open(ends.read);
    tap_ok(taker != NULL && base_taker_open(ends.read) == NULL, "one taker at a pipe");
    base_taker_close(taker);
    taker = base_taker_open(ends.read);
    tap_ok(taker != NULL, "... and another after it");
    base_taker_close(taker);
    close_pipe(ends);
}

/* The taker comes later than the first byte. */
static void test_late_taker(void) {
    pipe_ends ends = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        usleep(100000);
        base_taker *taker = base_taker_open(ends.read);
        drain(ends);
        usleep(100000);
        _exit(taker != NULL ? 0 : 1);
    }
    base_giver *giver = NULL;
    bool gone = true;
    int status = -1;
    base_giver_open(&context, ends.write, &giver);
    tap_ok(base_giver_connect(&context, giver, &gone) == BASE_OK && !gone, "a giver waits for its taker");
    waitpid(child, &status, 0);
    tap_ok(status == 0, "... which comes later");
    base_giver_close(giver);
    close_pipe(ends);
}

static void test_bounds(void) {
    couple two = make_couple();
    int64_t given = 0;
    context.memory_bytes = 4 * (3 * BYTES + BYTES / 2);
    while (given < 3) {
        tap_ok(base_giver_wait(&context, two.giver, BYTES) == BASE_OK, "room for record %d", (int)given + 1);
        give(&two, ++given, BYTES);
    }
    int descriptor;
    tap_ok(take(two.taker, 1, BYTES, &descriptor) == BASE_OK, "one is taken");
    close(descriptor);
    volatile bool *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        usleep(100000);
        *told = true;
        base_taker_thank(two.taker, 1);
        _exit(0);
    }
    int status = -1;
    tap_ok(base_giver_wait(&context, two.giver, BYTES) == BASE_OK && *told, "room for another ...");
    tap_ok(waitpid(child, &status, 0) == child && status == 0, "... once the giver is told");
    munmap((void *)told, sizeof *told);
    give(&two, ++given, BYTES);
    base_taker_close(two.taker);
    two.taker = NULL;
    tap_ok(base_giver_wait(&context, two.giver, BYTES) == BASE_FAILED, "the taker has ended");
    free_couple(&two);
    base_context_init(&context);
}

int main(void) {
    base_context_init(&context);
    test_memory();
    test_owned();
    test_threads();
    test_handing_over();
    test_refusals();
    test_device_memory();
    test_impostor();
    test_threads_rest();
    test_no_taker();
    test_late_taker();
    test_bounds();
    return tap_done();
}
