/* SPDX-License-Identifier: BSD-3-Clause */
/* Files on tmpfs that are written by way of a mapping: memory files are some, on any machine. */
#include "base/resident/tmpfs.h"
#include "base/core/context.h"
#include "base/resident/memory.h"
#include "base/run/signals.h"
#include "tests/support/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EXTENT = BASE_RESIDENT_EXTENT_BYTES,
    BYTES = 5 * EXTENT + 12345,
    OLD = 5000,
    PIECE = 1 << 20,
    THREADS = 3
};

/* What the first bytes of a file are before, and what is written. */
static char old_byte(int64_t i) {
    return i < OLD ? 'o' : '\0';
}

static char new_byte(int64_t i) {
    return (char)(i * 31 % 253);
}

/* A file of `bytes` bytes, whose offset is `offset`. */
static int make_file(int64_t bytes, int64_t offset) {
    const int file = memfd_create("tmpfs", MFD_CLOEXEC);
    bool ok = file >= 0;
    for (int64_t i = 0; ok && i < bytes && i < OLD; i++)
        ok = write(file, "o", 1) == 1;
    if (!ok || ftruncate(file, (off_t)bytes) != 0 || lseek(file, (off_t)offset, SEEK_SET) != (off_t)offset)
        abort();
    return file;
}

static int64_t size_of(int file) {
    struct stat about;
    return fstat(file, &about) == 0 ? (int64_t)about.st_size : -1;
}

/* By threads, in any order; how many pieces could not be written. */
static int write_pieces(base_tmpfs_part *part) {
    char *memory = base_tmpfs_memory(part);
    int refused = 0;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1) reduction(+ : refused)
    for (int64_t first = 0; first < part->bytes; first += PIECE) {
        const int64_t count = part->bytes - first < PIECE ? part->bytes - first : PIECE;
        const bool filled = base_tmpfs_fill(part, first, count);
        for (int64_t i = first; filled && i < first + count; i++)
            memory[i] = new_byte(i);
        refused += !filled;
    }
    return refused;
}

/* How many bytes of the file are not what they should be. */
static int64_t count_wrong(int file, int64_t old_bytes, int64_t offset) {
    const int64_t size = size_of(file);
    const char *memory = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0);
    int64_t wrong = 0;
    for (int64_t i = 0; i < size; i++) {
        const bool is_new = i >= offset && i < offset + BYTES;
        wrong += memory[i] != (is_new ? new_byte(i - offset) : i < old_bytes ? old_byte(i) : '\0');
    }
    munmap((void *)memory, (size_t)size);
    return wrong;
}

/* At any place: behind what was there, before its end, behind a hole. */
static void test_writing(void) {
    const int64_t offsets[] = {0, 1, 4096, EXTENT - 1, EXTENT, 2 * EXTENT + 777};
    const int64_t lengths[] = {0, OLD, EXTENT, 8 * EXTENT};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 4; k++) {
            base_tmpfs_part part;
            const int file = make_file(lengths[k], offsets[i]);
            const int64_t end = offsets[i] + BYTES, size = end > lengths[k] ? end : lengths[k];
            bool ok = base_tmpfs_map(&part, file, "a file", BYTES);
            ok = ok && ((uintptr_t)base_tmpfs_memory(&part) - (uintptr_t)offsets[i]) % EXTENT == 0;
            ok = ok && write_pieces(&part) == 0 && base_tmpfs_unmap(&part, true) == 0;
            tap_ok(ok && size_of(file) == size && lseek(file, 0, SEEK_CUR) == (off_t)end &&
                       count_wrong(file, lengths[k], offsets[i]) == 0,
                   "from byte %lld on, of a file of %lld bytes", (long long)offsets[i],
                   (long long)lengths[k]);
            close(file);
        }
}

/* A file that is open for writing alone, as a shell opens it. */
static void test_redirected(void) {
    char path[32];
    base_tmpfs_part part;
    const int file = make_file(0, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int write_only = open(path, O_WRONLY | O_CLOEXEC),
              append = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool ok = base_tmpfs_map(&part, write_only, "a file", BYTES);
    ok = ok && write_pieces(&part) == 0 && base_tmpfs_unmap(&part, true) == 0;
    tap_ok(ok && count_wrong(file, 0, 0) == 0 && lseek(write_only, 0, SEEK_CUR) == BYTES,
           "a file that is open for writing alone");
    tap_ok(!base_tmpfs_map(&part, append, "a file", BYTES), "not one to which bytes are appended");
    tap_ok(!base_tmpfs_map(&part, file, "a file", 4 * EXTENT - 1), "not less than 8 MiB");
    close(append);
    close(write_only);
    close(file);
}

static void test_others(void) {
    base_tmpfs_part part;
    int ends[2];
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC),
              self = open("/proc/self/comm", O_RDWR | O_CLOEXEC);
    if (pipe(ends) != 0)
        abort();
    tap_ok(!base_tmpfs_map(&part, ends[1], "a pipe", BYTES) &&
               !base_tmpfs_map(&part, null, "a device", BYTES) &&
               !base_tmpfs_map(&part, self, "a file of another system", BYTES),
           "not a pipe, a device, a file of another file system");
    close(ends[0]);
    close(ends[1]);
    close(null);
    close(self);
}

/* What cannot be written whole leaves the file's length and offset as they were. */
static void test_failures(void) {
    base_tmpfs_part part;
    int file = make_file(OLD, 3000);
    bool ok = base_tmpfs_map(&part, file, "a file", BYTES) && write_pieces(&part) == 0;
    tap_ok(ok && size_of(file) == 3000 + BYTES && base_tmpfs_unmap(&part, false) == 0 &&
               size_of(file) == OLD && lseek(file, 0, SEEK_CUR) == 3000,
           "what is given up leaves the file as long as it was");
    close(file);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 3 * EXTENT;
    signal(SIGXFSZ, SIG_IGN);
    file = make_file(OLD, OLD);
    setrlimit(RLIMIT_FSIZE, &limit);
    ok = base_tmpfs_map(&part, file, "a file", BYTES) && write_pieces(&part) > 0;
    errno = 0;
    tap_ok(ok && base_tmpfs_unmap(&part, true) == -1 && errno == EFBIG, "a limit of file sizes");
    tap_ok(size_of(file) == OLD && lseek(file, 0, SEEK_CUR) == OLD, "... leaves it as long as it was, too");
    setrlimit(RLIMIT_FSIZE, &before);
    close(file);
}

/* Somebody else cuts the file off. */
static void test_cut(void) {
    static base_progress progress = {.program = "program"};
    int ends[2], status = -1;
    char said[256];
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        base_tmpfs_part part;
        const int file = make_file(0, 0);
        dup2(ends[1], STDERR_FILENO);
        base_signals_install(&progress);
        if (!base_tmpfs_map(&part, file, "some.h2", BYTES) || !base_tmpfs_fill(&part, 0, BYTES) ||
            ftruncate(file, EXTENT) != 0)
            _exit(100);
        *(volatile char *)(base_tmpfs_memory(&part) + 2 * EXTENT) = 1;
        _exit(0);
    }
    close(ends[1]);
    const ssize_t count = read(ends[0], said, sizeof said - 1);
    size_t used = count > 0 ? (size_t)count : 0;
    for (ssize_t more; (more = read(ends[0], said + used, sizeof said - 1 - used)) > 0;)
        used += (size_t)more;
    said[used] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == BASE_MACHINE, "a file that is cut off: status 4");
    tap_ok(strcmp(said, "program: some.h2: cut off while it was written\n") == 0, "... with its name");
}

int main(void) {
    if (!base_resident_can_fill()) {
        tap_skip(1, "the system cannot say that memory is short (before Linux 5.14)");
        return tap_done();
    }
    test_writing();
    test_redirected();
    test_others();
    test_failures();
    test_cut();
    return tap_done();
}
