/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources: every packing gives the same bytes, members come in order, memory stays bounded. */
#include "base/run/progress.h"
#include "tests/support/tap.h"
#include "tests/unit/mm/source_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void test_packings(const text *original) {
    static const struct {
        const char *name, *command;
    } packings[] = {{"plain", "cp plain.txt packed"},
                    {"gzip", "gzip -c plain.txt >packed"},
                    {"gzip, two members", "head -c 1000 plain.txt | gzip -c >packed; "
                                          "tail -c +1001 plain.txt | gzip -c >>packed"},
                    {"zstd", "zstd -q -c plain.txt >packed"},
                    {"zstd, two frames", "head -c 1000 plain.txt | zstd -c >packed; "
                                         "tail -c +1001 plain.txt | zstd -c >>packed"},
                    {"zstd after a skippable frame",
                     "printf '\\120\\052\\115\\030\\003\\000\\000\\000abc' >packed; "
                     "zstd -c plain.txt >>packed"},
                    {"bzip2", "bzip2 -c plain.txt >packed"},
                    {"xz", "xz -c plain.txt >packed"},
                    {"tar", "tar cf packed plain.txt"},
                    {"tar, old", "tar cf packed --format=v7 plain.txt"},
                    {"tar, pax", "tar cf packed --format=posix plain.txt"},
                    {"tar.gz", "tar czf packed plain.txt"},
                    {"tar.zst", "tar cf - plain.txt | zstd -c >packed"},
                    {"tar.xz", "tar cJf packed plain.txt"}};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        if (!shell("%s", packings[i].command)) {
            tap_skip(2, "the packing program is not there");
            continue;
        }
        mm_source *source;
        base_status status = mm_source_open(&context, path_of("packed"), &source);
        int parts = status == BASE_OK ? read_all(source, original, &status) : -1;
        tap_ok(status == BASE_OK && parts == 1, "%s: the same bytes", packings[i].name);
        mm_source_close(source);
        text packed = read_file("packed");
        status = status_of_bytes(packed.data, packed.size, original, &parts);
        tap_ok(status == BASE_OK && parts == 1, "%s: the same from memory", packings[i].name);
        free(packed.data);
    }
}

static void test_members(void) {
    const char *name;
    bool found, equal;
    mm_source *source = NULL;
    shell("rm -rf G && mkdir -p G/M && printf one >G/M/a.mtx && printf '' >G/M/empty && "
          "printf three >G/M/c.mtx && ln -s a.mtx G/M/link && ln G/M/a.mtx G/M/zhard && "
          "tar cf packed --sort=name ./G && tar cPf absolute /etc/hostname && "
          "tar cf dots --transform='s|G/M/a|G/../a|' G/M/a.mtx");
    char seen[200] = "";
    base_status status = mm_source_open(&context, path_of("packed"), &source);
    while (status == BASE_OK && (status = mm_source_next_part(&context, source, &name, &found)) == BASE_OK &&
           found) {
        const char *data;
        size_t size;
        status = mm_source_peek(&context, source, 100, &data, &size);
        size_t length = strlen(seen);
        snprintf(seen + length, sizeof seen - length, "%s=%.*s;", name, (int)size, data);
    }
    tap_ok(status == BASE_OK && strcmp(seen, "G/M/a.mtx=one;G/M/c.mtx=three;G/M/empty=;") == 0,
           "members: regular files in order, links and folders passed over (%s)", seen);
    mm_source_close(source);

    static const char *const hostile[] = {"absolute", "dots"};
    for (int i = 0; i < 2; i++) {
        status = mm_source_open(&context, path_of(hostile[i]), &source);
        status = status == BASE_OK ? mm_source_next_part(&context, source, &name, &found) : status;
        tap_ok(status == BASE_DAMAGED, "a member with a name that leaves the archive (%s) is refused: %s",
               hostile[i], context.error.cause);
        mm_source_close(source);
    }

    /* A part that is left unread is passed over. */
    status = mm_source_open(&context, path_of("packed"), &source);
    int parts = 0;
    while (status == BASE_OK && (status = mm_source_next_part(&context, source, &name, &found)) == BASE_OK &&
           found)
        parts++;
    tap_ok(status == BASE_OK && parts == 3, "parts that are not read are passed over");
    mm_source_close(source);

    /* Closing in the middle stops the thread. */
    text large = make_text(8 << 20);
    write_file("plain.txt", large.data, large.size);
    shell("gzip -1 -c plain.txt >packed");
    status = mm_source_open(&context, path_of("packed"), &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    mm_source_close(source);
    tap_ok(status == BASE_OK && found, "closed before its end");
    status = mm_source_open(&context, path_of("packed"), &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    tap_ok(status == BASE_OK && read_part(source, &large, &equal, 3 << 20) == BASE_OK && equal,
           "large windows over compressed data");
    mm_source_close(source);
    free(large.data);
}

/* Several threads read a large file; one that shrinks meanwhile ends early and does no harm. */
static void test_threads(void) {
    const char *name, *data;
    size_t size = 0;
    bool found, equal = false;
    mm_source *source = NULL;
    text large = make_text((16 << 20) + 12345);
    write_file("plain.txt", large.data, large.size);
    for (int threads = 2; threads <= 5; threads++) {
        context.threads = threads;
        base_status status = mm_source_open(&context, path_of("plain.txt"), &source);
        if (status == BASE_OK)
            status = mm_source_next_part(&context, source, &name, &found);
        tap_ok(status == BASE_OK && found && read_part(source, &large, &equal, 9 << 20) == BASE_OK && equal,
               "%d threads read the same bytes", threads);
        mm_source_close(source);
    }
    base_status status = mm_source_open(&context, path_of("plain.txt"), &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    if (status == BASE_OK)
        status = mm_source_peek(&context, source, 2 << 20, &data, &size);
    equal = truncate(path_of("plain.txt"), 5 << 20) == 0;
    if (status == BASE_OK)
        status = mm_source_peek(&context, source, large.size, &data, &size);
    tap_ok(status == BASE_OK && equal && size >= 5 << 20 && size < large.size &&
               memcmp(data, large.data, size) == 0,
           "a file that shrinks while it is read ends there");
    mm_source_close(source);
    context.threads = 1;
    free(large.data);
}

static void test_edges(void) {
    int parts = 0;
    text nothing = {(char[]){0}, 0};
    tap_ok(status_of_bytes("", 0, &nothing, &parts) == BASE_OK && parts == 1, "nothing is one empty part");
    write_file("plain.txt", "", 0);
    shell("gzip -c plain.txt >packed");
    text packed = read_file("packed");
    tap_ok(status_of_bytes(packed.data, packed.size, &nothing, &parts) == BASE_OK && parts == 1,
           "so is nothing compressed");
    char *padded = calloc(1, packed.size + 700);
    memcpy(padded, packed.data, packed.size);
    tap_ok(status_of_bytes(padded, packed.size + 700, &nothing, &parts) == BASE_OK,
           "zeros behind gzip data are padding");
    padded[packed.size + 600] = 'x';
    tap_ok(status_of_bytes(padded, packed.size + 700, &nothing, &parts) == BASE_DAMAGED,
           "anything else behind gzip data is refused: %s", context.error.cause);
    free(padded);
    free(packed.data);

    mm_source *source;
    const char *name;
    bool found;
    tap_ok(mm_source_open(&context, path_of("missing"), &source) == BASE_USAGE && source == NULL,
           "a file that is not there: %s", context.error.cause);
    base_status status = mm_source_open(&context, folder, &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    tap_ok(status == BASE_MACHINE || status == BASE_USAGE, "a folder: %s", context.error.cause);
    mm_source_close(source);

    /* A pipe that says nothing more must not keep a source from closing. */
    int ends[2];
    text small = make_text(5000);
    write_file("plain.txt", small.data, small.size);
    shell("gzip -c plain.txt >packed");
    packed = read_file("packed");
    char path[64];
    if (pipe(ends) == 0 && write(ends[1], packed.data, 1000) == 1000) {
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        status = mm_source_open(&context, path, &source);
        if (status == BASE_OK)
            status = mm_source_next_part(&context, source, &name, &found);
        mm_source_close(source);
        tap_ok(true, "a source closes though its pipe is silent");
        close(ends[0]);
        close(ends[1]);
    }
    free(packed.data);
    free(small.data);
}

/* A gigabyte of zeros in a few kilobytes passes through a bounded window. */
static void test_bomb(void) {
    shell("head -c 300000000 /dev/zero | gzip -9 | gzip -9 -c >packed.gz; gzip -dc packed.gz >packed");
    mm_source *source = NULL;
    const char *name, *data;
    size_t size, total = 0;
    bool found;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    base_status status = mm_source_open(&context, path_of("packed"), &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    while (status == BASE_OK && !mm_source_at_end(source)) {
        status = mm_source_peek(&context, source, 1 << 20, &data, &size);
        mm_source_skip(source, size);
        total += size;
    }
    getrusage(RUSAGE_SELF, &after);
    long grown = after.ru_maxrss - before.ru_maxrss;
    tap_ok(status == BASE_OK && total == 300000000, "much from little: %zu bytes", total);
    tap_ok(grown < 30000, "in %ld KiB more than before", grown);
    mm_source_close(source);
}

/* What was taken of a file is told, not what was read ahead. */
static void test_progress(void) {
    base_progress progress = {.program = "program"};
    mm_source *source = NULL;
    const char *data, *name;
    size_t size = 0;
    bool found;
    context.progress = &progress;
    bool good = mm_source_open(&context, path_of("plain.txt"), &source) == BASE_OK &&
                mm_source_next_part(&context, source, &name, &found) == BASE_OK &&
                mm_source_peek(&context, source, 5000, &data, &size) == BASE_OK;
    tap_ok(good && size > 1000 && progress.input_bytes == 0, "bytes that were read ahead are not told");
    mm_source_skip(source, 1000);
    mm_source_tell_progress(&context, source);
    tap_ok(progress.input_bytes == 1000, "bytes that were passed over are");
    mm_source_close(source);
    context.progress = NULL;
}

/* Peeks, skips and reads in turn give the bytes in order, and fewer only at the end. */
static void test_reads(const text *original) {
    static const char *const packings[] = {"cp plain.txt packed", "gzip -c plain.txt >packed",
                                           "mkfifo packed && (cat plain.txt >packed &)"};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        mm_source *source;
        const char *name, *data;
        size_t size, at = 0, wanted = 1;
        bool found, equal = shell("rm -f packed") && shell("%s", packings[i]);
        char *room = malloc(original->size + 1);
        base_status status = mm_source_open(&context, path_of("packed"), &source);
        status = status == BASE_OK ? mm_source_next_part(&context, source, &name, &found) : status;
        while (status == BASE_OK && wanted <= original->size) {
            status = mm_source_peek(&context, source, 7, &data, &size);
            if (status != BASE_OK || size < 7)
                break;
            mm_source_skip(source, 3);
            at += 3;
            status = mm_source_read(&context, source, room, wanted, &size);
            equal = equal && memcmp(room, original->data + at, size) == 0;
            at += size;
            if (size < wanted)
                break;
            wanted = 3 * wanted + 1;
        }
        if (status == BASE_OK)
            status = mm_source_read(&context, source, room, original->size + 1, &size);
        equal = equal && at + size == original->size && memcmp(room, original->data + at, size) == 0;
        tap_ok(status == BASE_OK && equal && mm_source_at_end(source), "reads and peeks in turn: %s",
               packings[i]);
        mm_source_close(source);
        free(room);
        shell("rm packed"); /* writing to a pipe that nobody reads would wait */
    }
}

int main(void) {
    if (!source_files_open())
        return 2;
    test_bomb();
    text original = make_text(1500000);
    write_file("plain.txt", original.data, original.size);
    test_packings(&original);
    test_reads(&original);
    free(original.data);
    test_progress();
    test_members();
    test_threads();
    test_edges();
    return source_files_close() ? tap_done() : 2;
}
