/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the programs by purpose, starts them by short names, and shows their pages. Unlike the other programs
 * it reads and writes no streams: it becomes the program or man(1) that it is asked for. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/core/context.h"
#include "config.h"

typedef struct entry {
    const char *purpose;    /* heading of the group that begins here, NULL: the group goes on */
    const char *name;       /* of the program and its page */
    const char *short_name; /* mmpipe SHORT_NAME starts it; NULL: only its name does */
    const char *does;
} entry;

static const entry entries[] = {
    {"Streams of matrices", "mm-cat", "cat", "convert, concatenate, pick, split and check"},
    {NULL, "mm-info", "info", "print a line about each matrix"},
    {NULL, "mm-spy", "spy", "show where the entries are, as text or picture"},
    {NULL, "mm-gen", "gen", "make test matrices, points and schemes"},
    {NULL, "mm-diff", "diff", "compare two streams"},
    {"Structure and orderings", "mm-dm", "dm", "Dulmage-Mendelsohn decomposition"},
    {NULL, "mm-order", "order", "permute rows and columns"},
    {"Permanents", "perm-gpu", "perm", "compute permanents, exactly or with their error"},
    {NULL, "perm-fold", "fold", "add up parts computed on several machines"},
    {NULL, "mm-fmdecompose", "fmdecompose", "decompose into smaller matrices (Forbert-Marx)"},
    {"Sparse times dense", "spmm-tc", "spmm", "multiply, on tensor cores or processors"},
    {"Hierarchical matrices", "h2-build", NULL, "build the H2 matrix of a function on points"},
    {NULL, "h2-orthog", NULL, "make the bases orthonormal"},
    {NULL, "h2-compress", NULL, "compress to a tolerance"},
    {NULL, "h2-mv", NULL, "multiply with vectors"},
    {NULL, "h2-info", NULL, "print structure, ranks, memory and error"},
    {"Fast matrix multiplication", "flipwalk", "walk", "search for schemes of small rank"},
    {NULL, "flip-check", NULL, "verify and convert schemes"},
    {NULL, "flip-lift", NULL, "lift schemes from F2 to the integers"},
    {NULL, "flip-combine", NULL, "make schemes for other formats"},
    {NULL, "flip-path", NULL, "find a path of moves between two schemes"},
    {NULL, "flip-emit", NULL, "write schemes as C functions"},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* Pages that belong to no program: mmpipe help NAME. */
static const char *const topics[][2] = {
    {"stream", "mm-stream.5"},
    {"options", "mmpipe.7"},
    {"optics", "mmpipe-optics.7"},
    {"bulk", "mmpipe-bulk.7"},
    {"covariance", "mmpipe-covariance.7"},
    {"graphs", "mmpipe-graphs.7"},
    {"schemes", "mmpipe-schemes.7"},
    {"performance", "mmpipe-performance.7"},
    {"experiments", "mmpipe-experiments.7"},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static void list(FILE *out) {
    fputs("Usage: mmpipe PROGRAM [ARGUMENT...]\n"
          "       mmpipe help [PROGRAM|TOPIC]\n",
          out);
    for (int i = 0; i < ENTRIES; i++) {
        if (entries[i].purpose)
            fprintf(out, "\n%s\n", entries[i].purpose);
        fprintf(out, "  %-15s%-13s%s\n", entries[i].name, entries[i].short_name ? entries[i].short_name : "",
                entries[i].does);
    }
    fputs("\nThe second column has short names: mmpipe perm a.mtx is perm-gpu a.mtx.\nTopics for help:\n ",
          out);
    for (int i = 0; i < TOPICS; i++)
        fprintf(out, " %s", topics[i][0]);
    fputs("\n", out);
}

static const entry *find(const char *name) {
    for (int i = 0; i < ENTRIES; i++)
        if (!strcmp(name, entries[i].name) || (entries[i].short_name && !strcmp(name, entries[i].short_name)))
            return &entries[i];
    return NULL;
}

static const char *find_page(const char *name) {
    static char page[NAME_MAX];
    for (int i = 0; i < TOPICS; i++)
        if (!strcmp(name, topics[i][0]))
            return topics[i][1];
    const entry *entry = find(name);
    if (!entry)
        return NULL;
    snprintf(page, sizeof page, "%s.1", entry->name);
    return page;
}

/* Puts FOLDER of this program/NAME into `path`; false where no such file is readable or, for programs,
 * executable. */
static bool beside(char *path, size_t size, const char *name, int mode) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    const size_t used = (size_t)(slash + 1 - path);
    return snprintf(slash + 1, size - used, "%s", name) < (int)(size - used) && access(path, mode) == 0;
}

/* Becomes man(1) on the page of this build or installation, or on what man(1) finds under the name. */
static int show_page(const char *page) {
    char path[PATH_MAX], place[NAME_MAX];
    const char section = page[strlen(page) - 1];
    snprintf(place, sizeof place, "../share/man/man%c/%s", section, page);
    if (!beside(path, sizeof path, place, R_OK)) {
        snprintf(place, sizeof place, "../man/%s", page);
        if (!beside(path, sizeof path, place, R_OK))
            snprintf(path, sizeof path, "%.*s", (int)strlen(page) - 2, page);
    }
    execlp("man", "man", path, (char *)NULL);
    fprintf(stderr, "mmpipe: man: %s; the page is %s\n", strerror(errno), path);
    return BASE_MACHINE;
}

static int start(const entry *entry, char **arguments) {
    char path[PATH_MAX];
    arguments[0] = (char *)entry->name;
    if (beside(path, sizeof path, entry->name, X_OK))
        execv(path, arguments);
    execvp(entry->name, arguments);
    fprintf(stderr, "mmpipe: %s: %s\n", entry->name, strerror(errno));
    return BASE_MACHINE;
}

static int unknown(const char *kind, const char *name) {
    fprintf(stderr, "mmpipe: unknown %s '%s'; 'mmpipe' without arguments lists what there is\n", kind, name);
    return BASE_USAGE;
}

int main(int argc, char **argv) {
    const char *const word = argc > 1 ? argv[1] : "--help";
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        return printf("mmpipe %s\n", PACKAGE_VERSION) < 0 || fflush(stdout) ? BASE_MACHINE : BASE_OK;
    if (!strcmp(word, "help") && argc > 2) {
        const char *page = find_page(argv[2]);
        return page ? show_page(page) : unknown("program or topic", argv[2]);
    }
    if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        list(stdout);
        return fflush(stdout) ? BASE_MACHINE : BASE_OK;
    }
    const entry *entry = find(word);
    return entry ? start(entry, argv + 1) : unknown("program", word);
}
