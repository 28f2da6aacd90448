/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache on disk: hits, damage at every byte, folders that cannot be used, many writers at once. */
#include "base/device/cache.h"
#include "tests/support/tap.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mmpipe-cache.XXXXXX";

static base_device_cache_key make_key(const char *text) {
    return base_device_cache_make_key(&text, 1);
}

/* Whether the cache holds exactly these bytes under the key. */
static bool holds(const base_device_cache_key *key, const void *data, int64_t bytes) {
    base_context context;
    void *found = NULL;
    int64_t found_bytes = -1;
    base_context_init(&context);
    bool same = base_device_cache_read(&context, key, &found, &found_bytes) && found_bytes == bytes &&
                memcmp(found, data, (size_t)bytes) == 0;
    free(found);
    return same;
}

static bool misses(const base_device_cache_key *key) {
    base_context context;
    void *found = NULL;
    int64_t bytes;
    base_context_init(&context);
    bool hit = base_device_cache_read(&context, key, &found, &bytes);
    if (hit)
        free(found);
    return !hit;
}

static void store(const base_device_cache_key *key, const void *data, int64_t bytes) {
    base_context context;
    base_context_init(&context);
    base_device_cache_write(&context, key, data, bytes);
}

static void entry_path(const base_device_cache_key *key, char path[256]) {
    int length = snprintf(path, 256, "%s/", getenv("MMPIPE_CACHE"));
    for (int i = 0; i < 16; i++)
        length += snprintf(path + length, 256 - (size_t)length, "%02x", key->bytes[i]);
}

static void test_keys(void) {
    const char *const ab_c[] = {"ab", "c"}, *const a_bc[] = {"a", "bc"};
    base_device_cache_key first = base_device_cache_make_key(ab_c, 2);
    base_device_cache_key second = base_device_cache_make_key(a_bc, 2);
    base_device_cache_key again = base_device_cache_make_key(ab_c, 2);
    tap_ok(memcmp(&first, &second, sizeof first) != 0, "where a text ends is part of the key");
    tap_ok(memcmp(&first, &again, sizeof first) == 0, "the same texts give the same key");
}

static int64_t read_file(const char *path, unsigned char *data, size_t size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    size_t bytes = fread(data, 1, size, file);
    fclose(file);
    return (int64_t)bytes;
}

static bool write_file(const char *path, const unsigned char *data, int64_t bytes) {
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes && fclose(file) == 0;
}

static void test_damage(void) {
    static const char content[] = "machine code";
    unsigned char file[256];
    char path[256];
    base_device_cache_key key = make_key("damage");
    store(&key, content, sizeof content);
    entry_path(&key, path);
    int64_t bytes = read_file(path, file, sizeof file);
    tap_ok(bytes > (int64_t)sizeof content && holds(&key, content, sizeof content), "an entry is kept");
    bool flips = true, cuts = true;
    for (int64_t i = 0; i < 8 * bytes; i++) {
        file[i / 8] ^= (unsigned char)(1 << i % 8);
        flips &= write_file(path, file, bytes) && misses(&key);
        file[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    tap_ok(flips, "each of %lld bits flipped: the entry is missing", (long long)(8 * bytes));
    for (int64_t i = 0; i < bytes; i++)
        cuts &= write_file(path, file, i) && misses(&key);
    tap_ok(cuts, "cut at each byte: the entry is missing");
    file[bytes] = 0;
    tap_ok(write_file(path, file, bytes + 1) && misses(&key), "one byte more: the entry is missing");
    store(&key, content, sizeof content);
    tap_ok(holds(&key, content, sizeof content), "a damaged entry is written again");
    tap_ok(chmod(path, 0666) == 0 && misses(&key), "what anybody may write is not believed");
    unlink(path);
    tap_ok(mkdir(path, 0700) == 0 && misses(&key), "a folder in the place of an entry is not believed");
    store(&key, content, sizeof content);
    tap_ok(misses(&key) && rmdir(path) == 0, "and nothing is written over it");
    store(&key, "", 0);
    tap_ok(holds(&key, "", 0), "an empty entry");
}

static void test_folders(void) {
    base_device_cache_key key = make_key("folders");
    char path[300];
    snprintf(path, sizeof path, "%s/deep/er", folder);
    setenv("MMPIPE_CACHE", path, 1);
    store(&key, "x", 1);
    tap_ok(holds(&key, "x", 1), "folders are made");
    unsetenv("MMPIPE_CACHE");
    setenv("XDG_CACHE_HOME", folder, 1);
    store(&key, "xdg", 3);
    tap_ok(holds(&key, "xdg", 3), "XDG_CACHE_HOME");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", folder, 1);
    tap_ok(misses(&key), "a relative XDG_CACHE_HOME is none");
    store(&key, "home", 4);
    snprintf(path, sizeof path, "%s/.cache/mmpipe", folder);
    tap_ok(holds(&key, "home", 4) && access(path, F_OK) == 0, "HOME");
    setenv("MMPIPE_CACHE", "", 1);
    store(&key, "none", 4);
    tap_ok(misses(&key), "an empty MMPIPE_CACHE is no cache");
    setenv("MMPIPE_CACHE", "/dev/null/cache", 1);
    store(&key, "none", 4);
    tap_ok(misses(&key), "a folder that cannot be made is no cache");
    snprintf(path, sizeof path, "%s/locked", folder);
    setenv("MMPIPE_CACHE", path, 1);
    if (geteuid() == 0) {
        tap_skip(1, "root may write everywhere");
    } else {
        mkdir(path, 0500);
        store(&key, "none", 4);
        tap_ok(misses(&key), "a folder that cannot be written is no cache");
    }
    setenv("MMPIPE_CACHE", folder, 1);
}

enum { WRITERS = 8, ROUNDS = 50, CONTENT_BYTES = 20000 };

static char contents[WRITERS][CONTENT_BYTES];

/* Writes its own content again and again; what it reads is always some writer's whole content. */
static void *write_often(void *argument) {
    int own = *(int *)argument, wrong = 0;
    base_context context;
    base_context_init(&context);
    base_device_cache_key key = make_key("shared");
    for (int round = 0; round < ROUNDS; round++) {
        void *found;
        int64_t bytes;
        base_device_cache_write(&context, &key, contents[own], CONTENT_BYTES);
        if (!base_device_cache_read(&context, &key, &found, &bytes)) {
            wrong++;
            continue;
        }
        int writer = *(char *)found - 'a';
        wrong += bytes != CONTENT_BYTES || writer < 0 || writer >= WRITERS ||
                 memcmp(found, contents[writer], CONTENT_BYTES) != 0;
        free(found);
    }
    *(int *)argument = wrong;
    return NULL;
}

static int count_files(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static void test_writers(void) {
    pthread_t threads[WRITERS];
    int wrong[WRITERS], total = 0;
    base_device_cache_key key = make_key("shared");
    for (int i = 0; i < WRITERS; i++)
        memset(contents[i], 'a' + i, CONTENT_BYTES);
    store(&key, contents[0], CONTENT_BYTES);
    int before = count_files(folder);
    for (int i = 0; i < WRITERS; i++) {
        wrong[i] = i;
        pthread_create(&threads[i], NULL, write_often, &wrong[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        total += wrong[i];
    }
    tap_ok(total == 0, "%d threads write and read one entry: always whole", WRITERS);
    tap_ok(before == count_files(folder), "and leave no other file behind");
}

/* Until a file that is written has another time than one that was written before. */
static void wait_for_tick(void) {
    char path[300];
    struct stat before, now;
    snprintf(path, sizeof path, "%s/tick", folder);
    write_file(path, (const unsigned char *)contents[0], 1);
    if (stat(path, &before) != 0)
        abort();
    do {
        usleep(1000);
        write_file(path, (const unsigned char *)contents[0], 1);
        if (stat(path, &now) != 0)
            abort();
    } while (now.st_mtim.tv_sec == before.st_mtim.tv_sec && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    unlink(path);
}

/* Twelve entries of 1000 bytes and their headers in a folder of 10000 bytes. */
static void test_size(void) {
    char path[300], other[320], name[16];
    base_device_cache_key keys[12];
    bool stays = true;
    snprintf(path, sizeof path, "%s/small", folder);
    snprintf(other, sizeof other, "%s/other", path);
    setenv("MMPIPE_CACHE", path, 1);
    setenv("MMPIPE_CACHE_BYTES", "10000", 1);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "size %d", i);
        keys[i] = make_key(name);
        store(&keys[i], contents[0], 1000);
        if (i == 0)
            write_file(other, (const unsigned char *)contents[1], CONTENT_BYTES);
        wait_for_tick();
        stays &= holds(&keys[0], contents[0], 1000);
        wait_for_tick();
    }
    tap_ok(stays, "an entry that is used stays");
    int kept = 0;
    for (int i = 0; i < 12; i++)
        kept += !misses(&keys[i]);
    tap_ok(kept >= 7 && kept <= 9 && misses(&keys[1]) && !misses(&keys[11]),
           "%d entries are left, the newest", kept);
    tap_ok(access(other, F_OK) == 0, "a file that is not of the cache is left alone");
    unsetenv("MMPIPE_CACHE_BYTES");
    setenv("MMPIPE_CACHE", folder, 1);
}

int main(void) {
    if (mkdtemp(folder) == NULL) {
        tap_ok(false, "mkdtemp");
        return tap_done();
    }
    setenv("MMPIPE_CACHE", folder, 1);
    test_keys();
    test_damage();
    test_folders();
    test_writers();
    test_size();
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    tap_ok(system(command) == 0, "remove %s", folder);
    return tap_done();
}
