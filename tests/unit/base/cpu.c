/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of memory that control groups set, from files like those of Linux. */
#include "base/core/cpu.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/mmpipe-cpu-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static int64_t limit_of(const char *groups) {
    write_file("groups", groups);
    return base_memory_group_bytes(in_folder("groups"), folder);
}

int main(void) {
    static const char *const made[] = {"groups", "a/b/memory.max", "a/memory.max", "memory.max", "a/b", "a",
                                       ""};
    if (mkdtemp(folder) == NULL || mkdir(in_folder("a"), 0700) != 0 || mkdir(in_folder("a/b"), 0700) != 0)
        abort();
    write_file("a/b/memory.max", "max\n");
    tap_ok(limit_of("0::/a/b\n") == INT64_MAX, "no limit");
    write_file("a/memory.max", "5000000000\n");
    tap_ok(limit_of("0::/a/b\n") == 5000000000, "that of the group above");
    write_file("a/b/memory.max", "70000000\n");
    tap_ok(limit_of("0::/a/b\n") == 70000000, "the group's own, which is less");
    tap_ok(limit_of("0::/a\n") == 5000000000, "not that of a group below");
    write_file("memory.max", "1000\n");
    tap_ok(limit_of("0::/\n") == 1000, "that of a container, which sees its own group as the root");
    tap_ok(limit_of("0::/a/b\n") == 1000, "... or does not");
    tap_ok(limit_of("4:memory:/a\n") == INT64_MAX, "version 1 is not looked at");
    tap_ok(base_memory_group_bytes(in_folder("none"), folder) == INT64_MAX, "no control groups");
    tap_ok(base_memory_size_bytes() > 1 << 20, "this process may have some memory");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        remove(in_folder(made[i]));
    return tap_done();
}
