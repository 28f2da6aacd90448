/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/device/cache.h"
#include "base/core/file.h"
#include "base/core/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* An entry: 8 bytes of magic, the key, the content's size (little-endian) and hash, the content. */
enum { MAGIC_BYTES = 8, HASH_BYTES = 16, HEADER_BYTES = MAGIC_BYTES + HASH_BYTES + 8 + HASH_BYTES };
static const unsigned char magic[MAGIC_BYTES] = {'m', 'm', 'c', 'a', 'c', 'h', 'e', '1'};

static void store_size(unsigned char bytes[8], uint64_t size) {
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(size >> 8 * i);
}

static void store_hash(unsigned char bytes[HASH_BYTES], XXH128_hash_t hash) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(bytes, canonical.digest, HASH_BYTES);
}

base_device_cache_key base_device_cache_make_key(const char *const *texts, int count) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    for (int i = 0; i < count; i++) {
        unsigned char size[8];
        store_size(size, strlen(texts[i]));
        XXH3_128bits_update(&state, size, sizeof size);
        XXH3_128bits_update(&state, texts[i], strlen(texts[i]));
    }
    base_device_cache_key key;
    store_hash(key.bytes, XXH3_128bits_digest(&state));
    return key;
}

/* The header that an entry with this content has; reading compares it whole. */
static void make_header(unsigned char header[HEADER_BYTES], const base_device_cache_key *key,
                        const void *data, int64_t bytes) {
    memcpy(header, magic, MAGIC_BYTES);
    memcpy(header + MAGIC_BYTES, key->bytes, HASH_BYTES);
    store_size(header + MAGIC_BYTES + HASH_BYTES, (uint64_t)bytes);
    store_hash(header + MAGIC_BYTES + HASH_BYTES + 8, XXH3_128bits(data, (size_t)bytes));
}

/* Path of the entry, with room for `extra` more characters; NULL without a cache. */
static char *make_path(base_context *context, const base_device_cache_key *key, int extra) {
    const char *folder = getenv("MMPIPE_CACHE"), *below = "";
    if (folder == NULL) {
        folder = getenv("XDG_CACHE_HOME");
        below = "/mmpipe";
        if (folder == NULL || folder[0] != '/') {
            folder = getenv("HOME");
            below = "/.cache/mmpipe";
        }
    }
    if (folder == NULL || folder[0] == '\0')
        return NULL;
    size_t length = strlen(folder) + strlen(below);
    char *path = base_alloc(context, (int64_t)length + 2 + 2 * HASH_BYTES + extra, 1);
    if (path == NULL)
        return NULL;
    char *next = path + sprintf(path, "%s%s/", folder, below);
    for (int i = 0; i < HASH_BYTES; i++)
        next += sprintf(next, "%02x", key->bytes[i]);
    return path;
}

/* The content's size if the file may be trusted to be ours: device code is run, so an entry that somebody
 * else could have put there does not count. -1 otherwise. */
static int64_t content_bytes(int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < HEADER_BYTES)
        return -1;
    if ((info.st_uid != geteuid() && info.st_uid != 0) || (info.st_mode & 022) != 0)
        return -1;
    return (int64_t)info.st_size - HEADER_BYTES;
}

bool base_device_cache_read(base_context *context, const base_device_cache_key *key, void **data,
                            int64_t *bytes) {
    unsigned char header[HEADER_BYTES], expected[HEADER_BYTES];
    bool hit = false;
    void *content = NULL;
    int descriptor = -1;
    char *path = make_path(context, key, 0);
    if (path == NULL)
        goto done;
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        goto done;
    int64_t size = content_bytes(descriptor);
    if (size < 0 || base_read_all(descriptor, header, HEADER_BYTES) != HEADER_BYTES)
        goto done;
    content = base_alloc(context, size, 1);
    if (content == NULL || base_read_all(descriptor, content, (size_t)size) != size)
        goto done;
    make_header(expected, key, content, size);
    hit = memcmp(header, expected, HEADER_BYTES) == 0;
    if (hit)
        futimens(descriptor, NULL); /* used now: trim_folder goes by this */
done:
    if (descriptor >= 0)
        close(descriptor);
    free(path);
    if (hit) {
        *data = content;
        *bytes = size;
    } else {
        free(content);
    }
    return hit;
}

/* ---- its size ---- */

typedef struct cache_file {
    char name[2 * HASH_BYTES + 16];
    int64_t bytes;
    struct timespec used;
} cache_file;

static int compare_use(const void *left, const void *right) {
    const struct timespec *a = &((const cache_file *)left)->used, *b = &((const cache_file *)right)->used;
    if (a->tv_sec != b->tv_sec)
        return a->tv_sec < b->tv_sec ? -1 : 1;
    return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* Entries, and what a writer that died left of one. Other people's files are none of ours. */
static bool is_cache_file(const char *name, const struct stat *info) {
    return strspn(name, "0123456789abcdef") == 2 * HASH_BYTES &&
           strlen(name) < sizeof((cache_file *)0)->name && S_ISREG(info->st_mode);
}

/* Lists the cache's files; *files is released by the caller. */
static int64_t list_files(base_context *context, DIR *directory, cache_file **files) {
    int64_t count = 0, capacity = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        struct stat info;
        if (fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !is_cache_file(entry->d_name, &info))
            continue;
        if (base_reserve(context, files, &capacity, count + 1, sizeof **files) != BASE_OK)
            return 0;
        cache_file *file = &(*files)[count++];
        strcpy(file->name, entry->d_name);
        file->bytes = info.st_size;
        file->used = info.st_mtim;
    }
    return count;
}

/* Beyond the limit, removes what was not used for longest until three quarters of it are left. */
static void trim_folder(base_context *context, const char *folder) {
    const char *text = getenv("MMPIPE_CACHE_BYTES");
    int64_t limit = text != NULL ? strtoll(text, NULL, 10) : 1 << 30, total = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    cache_file *files = NULL;
    int64_t count = list_files(context, directory, &files);
    for (int64_t i = 0; i < count; i++)
        total += files[i].bytes;
    if (total > limit) {
        qsort(files, (size_t)count, sizeof *files, compare_use);
        for (int64_t i = 0; i < count && total > limit - limit / 4; i++) {
            unlinkat(dirfd(directory), files[i].name, 0);
            total -= files[i].bytes;
        }
    }
    free(files);
    closedir(directory);
}

/* ---- writing ---- */

/* Makes the folders above `path`; those that exist are left alone. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

/* No fsync: a file that a crash leaves incomplete does not match its hash. */
static bool write_entry(int descriptor, const base_device_cache_key *key, const void *data, int64_t bytes) {
    unsigned char header[HEADER_BYTES];
    make_header(header, key, data, bytes);
    bool written =
        base_write(descriptor, header, HEADER_BYTES) == 0 && base_write(descriptor, data, (size_t)bytes) == 0;
    return close(descriptor) == 0 && written;
}

void base_device_cache_write(base_context *context, const base_device_cache_key *key, const void *data,
                             int64_t bytes) {
    static const char pattern[] = ".XXXXXX";
    char *temporary = NULL;
    char *path = make_path(context, key, 0);
    if (path == NULL)
        goto done;
    temporary = make_path(context, key, sizeof pattern);
    if (temporary == NULL)
        goto done;
    strcat(temporary, pattern);
    make_folders(path);
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0)
        goto done;
    if (!write_entry(descriptor, key, data, bytes) || base_rename(temporary, path) != 0)
        unlink(temporary);
    *strrchr(path, '/') = '\0';
    trim_folder(context, path);
done:
    free(temporary);
    free(path);
}
