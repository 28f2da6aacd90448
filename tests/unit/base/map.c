/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is cut off while it is mapped, and an address that has nothing to do with one. */
#include "base/core/map.h"
#include "base/core/context.h"
#include "base/run/signals.h"
#include "tests/support/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, BYTES = 4 * PAGE_BYTES };

/* A file of zeros without a name in the file system. */
static int make_file(void) {
    char path[] = "/tmp/mmpipe-map-XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    if (file < 0 || ftruncate(file, BYTES) != 0)
        abort();
    return file;
}

/* How a process ended that touched a page of a file after this one was cut off; what it said. */
static int touch(bool mapped, char *said, size_t size) {
    static base_progress progress = {.program = "program"};
    const int file = make_file();
    int ends[2], status = -1;
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        base_signals_install(&progress);
        char *memory = base_map_reserve("some.h2", BYTES);
        if (memory == NULL || !base_map_part(memory, file, 0, BYTES) || ftruncate(file, PAGE_BYTES) != 0)
            _exit(100);
        if (!mapped)
            raise(SIGBUS);
        _exit(memory[0] + *(volatile char *)(memory + 2 * PAGE_BYTES));
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t count; (count = read(ends[0], said + used, size - 1 - used)) > 0;)
        used += (size_t)count;
    said[used] = '\0';
    close(ends[0]);
    close(file);
    waitpid(child, &status, 0);
    return status;
}

static void test_cut(void) {
    char said[256];
    int status = touch(true, said, sizeof said);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == BASE_DAMAGED, "a file that is cut off: status 3");
    tap_ok(strcmp(said, "program: some.h2: cut off while it was read\n") == 0, "... with its name");
    status = touch(false, said, sizeof said);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS, "another error of the bus: dies of it");
    tap_ok(strstr(said, "program:") == NULL, "... without a message of its own"); /* an emulator has one */
}

static void test_names(void) {
    enum { MANY = 100 };
    char *memory[MANY];
    int mapped = 0;
    for (int i = 0; i < MANY; i++)
        mapped += (memory[i] = base_map_reserve(i % 2 == 0 ? "even" : "odd", BYTES)) != NULL;
    tap_ok(mapped > 1 && mapped < MANY, "not more files than can be told apart: %d", mapped);
    int wrong = 0;
    for (int i = 0; i < mapped; i++) {
        const char *want = i % 2 == 0 ? "even" : "odd";
        wrong += base_map_name(memory[i]) == NULL || strcmp(base_map_name(memory[i]), want) != 0;
        wrong += base_map_name(memory[i] + BYTES - 1) == NULL;
    }
    wrong += base_map_name(&wrong) != NULL;
    tap_ok(wrong == 0, "the names of their files");
    for (int i = 0; i < mapped; i++)
        base_free_mapped(memory[i], BYTES);
    tap_ok(base_map_name(memory[0]) == NULL, "no name for what was freed");
    char *again = base_map_reserve("again", BYTES);
    tap_ok(again != NULL && strcmp(base_map_name(again), "again") == 0, "... and room for others");
    base_free_mapped(again, BYTES);
}

/* What lies at the lowest addresses that a process may have: there is a program that is linked for them. */
static void test_nothing(void) {
    void *const lowest = (void *)(64 << 10);
    char *memory =
        mmap(lowest, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != lowest) {
        tap_skip(1, "no memory is to be had at the lowest addresses");
        return;
    }
    base_free_mapped(NULL, (64 << 10) + BYTES);
    unsigned char there[BYTES / PAGE_BYTES];
    tap_ok(mincore(memory, BYTES, there) == 0, "nothing that is mapped: nothing is unmapped");
    munmap(memory, BYTES);
}

int main(void) {
    test_names();
    test_nothing();
    test_cut();
    return tap_done();
}
