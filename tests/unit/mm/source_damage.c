/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources that are cut, have flipped bits, or cannot be read: damage is seen, and is not the machine's fault.
 */
#include "mm/coding/libarchive.h"
#include "mm/coding/zip.h"
#include "tests/support/tap.h"
#include "tests/unit/mm/source_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A text and what a command of the shell makes of it in the file packed. False: its program is not there, and
 * the test is skipped. */
static bool pack(size_t bytes, const char *command, text *small, text *packed) {
    *small = make_text(bytes);
    write_file("plain.txt", small->data, small->size);
    if (!shell("%s", command)) {
        tap_skip(1, "the packing program is not there");
        free(small->data);
        return false;
    }
    *packed = read_file("packed");
    return true;
}

/* Small inputs, cut at every byte: never taken for whole, unless nothing tells (plain bytes; a tar archive
 * cut within its padding of zeros). */
static void test_cut(const char *what, const char *command, size_t lossless_tail) {
    text small, packed;
    if (!pack(3000, command, &small, &packed))
        return;
    size_t unseen = 0, misread = 0;
    for (size_t size = 6; size + lossless_tail < packed.size; size++) {
        int parts = 0;
        base_status status = status_of_bytes(packed.data, size, &small, &parts);
        if (status == BASE_OK && parts >= 0)
            unseen++;
        else if (status != BASE_DAMAGED && parts != -2)
            misread++;
    }
    tap_ok(unseen == 0 && misread == 0, "%s cut at any of %zu bytes is damaged (%zu unseen)", what,
           packed.size, unseen);
    free(packed.data);
    free(small.data);
}

/* One bit of compressed data flipped: an error or the same bytes, never others. */
static void test_flips(const char *what, const char *command) {
    text small, packed;
    if (!pack(1000, command, &small, &packed))
        return;
    size_t unseen = 0;
    for (size_t bit = 8 * 6; bit < 8 * packed.size; bit++) {
        bool equal = true;
        mm_source *source;
        const char *name;
        bool found;
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
        if (mm_source_open_memory(&context, packed.data, packed.size, &source) == BASE_OK &&
            mm_source_next_part(&context, source, &name, &found) == BASE_OK && found &&
            read_part(source, &small, &equal, 5000) == BASE_OK && !equal &&
            mm_source_next_part(&context, source, &name, &found) == BASE_OK)
            unseen++;
        mm_source_close(source);
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    tap_ok(unseen == 0, "%s: no flipped bit of %zu gives other bytes", what, 8 * packed.size);
    free(packed.data);
    free(small.data);
}

/* A read that fails is the machine's fault, not the data's, wherever the bytes go. In a child, because the
 * fault is set once for a process. */
static void test_failing_read(const char *what, const char *command, const char *fault) {
    fflush(stdout);
    text small = make_text(400000);
    write_file("plain.txt", small.data, small.size);
    free(small.data);
    if (!shell("%s", command)) {
        tap_skip(1, "the packing program is not there");
        return;
    }
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        mm_source *source = NULL;
        base_status result = BASE_OK;
        setenv("MMPIPE_FAULT", fault, 1);
        if (mm_source_open(&context, path_of("packed"), &source) == BASE_OK)
            read_all(source, NULL, &result);
        mm_source_close(source);
        _exit((int)result);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == BASE_MACHINE, "%s: a failing read has status 4", what);
}

static int out_of_memory(struct archive *archive) {
    (void)archive;
    return ENOMEM;
}

/* A zip archive and an xz file that are cut: damaged; the machine's fault where libarchive lacked memory. */
static void test_unpacking_without_memory(void) {
    static const char zip[] = "PK\3\4\24\0\0\0\10\0";
    text small, packed;
    if (mm_libarchive_missing() != NULL) {
        tap_skip(2, "no libarchive");
        return;
    }
    __typeof__(mm_libarchive.archive_errno) real = mm_libarchive.archive_errno;
    base_status status[2];
    for (int k = 0; k < 2; k++) {
        char *name, *content;
        size_t bytes;
        bool found;
        status[k] = mm_zip_read(&context, zip, sizeof zip, 0, 1000, &name, &content, &bytes, &found);
        mm_libarchive.archive_errno = out_of_memory;
    }
    tap_ok(status[0] == BASE_DAMAGED && status[1] == BASE_MACHINE &&
               strcmp(context.error.cause, "out of memory") == 0,
           "a cut zip archive has status 3, and 4 without memory: %d, %d", (int)status[0], (int)status[1]);
    mm_libarchive.archive_errno = real;
    if (!pack(1000, "xz -c plain.txt >packed", &small, &packed))
        return;
    for (int k = 0; k < 2; k++) {
        int parts = 0;
        status[k] = status_of_bytes(packed.data, packed.size / 2, &small, &parts);
        mm_libarchive.archive_errno = k == 0 ? out_of_memory : real;
    }
    tap_ok(status[0] == BASE_DAMAGED && status[1] == BASE_MACHINE, "... and an xz file: %d, %d",
           (int)status[0], (int)status[1]);
    free(packed.data);
    free(small.data);
}

int main(void) {
    if (!source_files_open())
        return 2;
    test_failing_read("plain, first read", "cp plain.txt packed", "read:1");
    test_failing_read("plain, later read", "cp plain.txt packed", "read:2");
    context.threads = 2;
    test_failing_read("plain, several threads", "head -c 20000000 /dev/zero >packed", "read:7");
    context.threads = 1;
    test_failing_read("gzip", "gzip -1 -c plain.txt >packed", "read:2");
    test_failing_read("tar", "tar cf packed plain.txt", "read:2");
    test_failing_read("tar.zst", "tar cf - plain.txt | zstd -c >packed", "read:2");
    test_cut("gzip", "gzip -c plain.txt >packed", 0);
    test_cut("zstd", "zstd -c plain.txt >packed", 0);
    test_cut("xz", "xz -c plain.txt >packed", 0);
    test_cut("tar", "tar cf packed plain.txt", 10240 - 512 - 3072 - 511);
    test_cut("tar.gz", "tar czf packed plain.txt", 0);
    test_flips("gzip", "gzip -c plain.txt >packed");
    test_flips("zstd", "zstd -c plain.txt >packed");
    test_flips("tar.gz", "tar czf packed plain.txt");
    test_unpacking_without_memory();
    return source_files_close() ? tap_done() : 2;
}
