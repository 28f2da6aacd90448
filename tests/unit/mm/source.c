/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources: every packing gives the same bytes, damage is seen, memory stays bounded. */
#include "mm/source/source.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "base/run/progress.h"
#include "tests/support/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static base_context context;
static char folder[] = "/tmp/mmpipe-source.XXXXXX";

typedef struct text {
    char *data;
    size_t size;
} text;

static text make_text(size_t size) {
    text made = {malloc(size + 1), size};
    base_random random;
    base_random_init(&random, context.seed, 1);
    for (size_t i = 0; i < size; i++)
        made.data[i] = (char)('a' + base_random_below(&random, i % 1000 < 500 ? 2 : 26));
    return made;
}

static char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *data, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

static text read_file(const char *name) {
    struct stat about;
    text made = {0};
    FILE *file = fopen(path_of(name), "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0)
        return made;
    made.data = malloc((size_t)about.st_size + 1);
    made.size = fread(made.data, 1, (size_t)about.st_size, file);
    fclose(file);
    return made;
}

static bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *format, ...) {
    char command[1024], whole[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd %s && { %s ; } >/dev/null 2>&1", folder, command);
    return system(whole) == 0;
}

/* Reads the part in pieces of random size and compares. */
static base_status read_part(mm_source *source, const text *expected, bool *equal, uint64_t largest) {
    base_random random;
    base_random_init(&random, context.seed, 2);
    size_t offset = 0, size;
    const char *data;
    *equal = true;
    while (!mm_source_at_end(source)) {
        size_t wanted = 1 + base_random_below(&random, largest);
        base_status status = mm_source_peek(&context, source, wanted, &data, &size);
        if (status != BASE_OK)
            return status;
        size_t take = size < wanted ? size : 1 + base_random_below(&random, wanted);
        if (expected != NULL &&
            (offset + size > expected->size || memcmp(data, expected->data + offset, size) != 0 ||
             (size < wanted && offset + size != expected->size)))
            *equal = false;
        mm_source_skip(source, take);
        offset += take;
    }
    if (expected != NULL && offset != expected->size)
        *equal = false;
    return BASE_OK;
}

/* All parts to their end; their number, or -1 with the status. */
static int read_all(mm_source *source, const text *expected, base_status *status) {
    int parts = 0;
    bool found = true, equal;
    const char *name;
    while ((*status = mm_source_next_part(&context, source, &name, &found)) == BASE_OK && found) {
        if ((*status = read_part(source, expected, &equal, 300000)) != BASE_OK)
            return -1;
        if (!equal)
            return -2;
        parts++;
    }
    return *status == BASE_OK ? parts : -1;
}

static base_status status_of_bytes(const char *data, size_t size, const text *expected, int *parts) {
    mm_source *source;
    base_status status = mm_source_open_memory(&context, data, size, &source);
    if (status != BASE_OK)
        return status;
    *parts = read_all(source, expected, &status);
    mm_source_close(source);
    return status;
}

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

/* Small inputs, cut at every byte: never taken for whole, unless nothing tells (plain bytes; a tar archive
 * cut within its padding of zeros). */
static void test_cut(const char *what, const char *command, size_t lossless_tail) {
    text small = make_text(3000);
    write_file("plain.txt", small.data, small.size);
    if (!shell("%s", command)) {
        tap_skip(1, "the packing program is not there");
        free(small.data);
        return;
    }
    text packed = read_file("packed");
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
    text small = make_text(1000);
    write_file("plain.txt", small.data, small.size);
    if (!shell("%s", command)) {
        tap_skip(1, "the packing program is not there");
        free(small.data);
        return;
    }
    text packed = read_file("packed");
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

int main(void) {
    base_context_init(&context);
    context.seed = 20240607;
    tap_note("seed %llu", (unsigned long long)context.seed);
    if (mkdtemp(folder) == NULL)
        return 2;
    test_failing_read("plain, first read", "cp plain.txt packed", "read:1");
    test_failing_read("plain, later read", "cp plain.txt packed", "read:2");
    context.threads = 2;
    test_failing_read("plain, several threads", "head -c 20000000 /dev/zero >packed", "read:7");
    context.threads = 1;
    test_failing_read("gzip", "gzip -1 -c plain.txt >packed", "read:2");
    test_failing_read("tar", "tar cf packed plain.txt", "read:2");
    test_failing_read("tar.zst", "tar cf - plain.txt | zstd -c >packed", "read:2");
    test_bomb();
    text original = make_text(1500000);
    write_file("plain.txt", original.data, original.size);
    test_packings(&original);
    free(original.data);
    test_progress();
    test_members();
    test_threads();
    test_edges();
    test_cut("gzip", "gzip -c plain.txt >packed", 0);
    test_cut("zstd", "zstd -c plain.txt >packed", 0);
    test_cut("xz", "xz -c plain.txt >packed", 0);
    test_cut("tar", "tar cf packed plain.txt", 10240 - 512 - 3072 - 511);
    test_cut("tar.gz", "tar czf packed plain.txt", 0);
    test_flips("gzip", "gzip -c plain.txt >packed");
    test_flips("zstd", "zstd -c plain.txt >packed");
    test_flips("tar.gz", "tar czf packed plain.txt");
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        return 2;
    return tap_done();
}
