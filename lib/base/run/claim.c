/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/claim.h"
#include "base/core/memory.h"
#include "base/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const suffixes[] = {"", ".old", ".new", ".lock"};
enum { OLD_NAME = 1, NEW_NAME, LOCK_NAME, SUFFIXES };

/* What a lock's file holds. */
static const char lock_text[] = "lock of an mmpipe program\n";

/* The files of the locks that are held, for base_claim_remove_locks. */
enum { LOCKS = 4 };
static char *volatile held[LOCKS];

void base_claim_remove_locks(void) {
    for (int k = 0; k < LOCKS; k++)
        if (held[k] != NULL)
            unlink(held[k]);
}

static void hold(char *lock_path) {
    for (int k = 0; k < LOCKS; k++)
        if (held[k] == NULL) {
            held[k] = lock_path;
            return;
        }
}

static void let_go(const char *lock_path) {
    for (int k = 0; k < LOCKS; k++)
        if (held[k] == lock_path)
            held[k] = NULL;
}

static bool is_equal(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Its folder and what stands behind that. */
static bool look_at_folder(const char *path, struct stat *folder, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL)
        return stat(".", folder) == 0;
    char *copy = base_copy_silent(path, slash - path + 1);
    const bool found = copy != NULL && stat(copy, folder) == 0;
    free(copy);
    return found;
}

static bool is_same(const char *a, const char *b) {
    struct stat one, other;
    const char *name[2];
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return is_equal(&one, &other);
    return look_at_folder(a, &one, &name[0]) && look_at_folder(b, &other, &name[1]) &&
           is_equal(&one, &other) && strcmp(name[0], name[1]) == 0;
}

static bool is_other(const char *path, const base_claim_other *other) {
    struct stat one, standard;
    if (other->path != NULL)
        return is_same(path, other->path);
    return stat(path, &one) == 0 && fstat(other->descriptor, &standard) == 0 && is_equal(&one, &standard);
}

/* The first bytes of a stream in binary form (mm/binary/internal.h), as far as the file goes. */
static bool begins_as_state(const char *path) {
    static const char magic[] = "\x5d\x2a\x4d\x18"; /* then the frame's size, then MMPB */
    char head[12];
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const ssize_t count = read(descriptor, head, sizeof head);
    close(descriptor);
    if (count < 4)
        return count >= 0 && memcmp(head, magic, (size_t)count) == 0;
    return memcmp(head, magic, 4) == 0 && (count <= 8 || memcmp(head + 8, "MMPB", (size_t)count - 8) == 0);
}

base_status base_claim_check_name(base_context *context, const char *option, const char *path,
                                  const base_claim_other *others, int count) {
    for (int i = 0; i < count; i++)
        if (is_other(path, &others[i]))
            return base_fail(context, BASE_USAGE, "%s: %s is %s, too; choose another name", option, path,
                             others[i].what);
    return BASE_OK;
}

static base_status check_names(base_context *context, const base_claim *claim, char *const *names,
                               bool is_binary, const base_claim_other *others, int count) {
    struct stat about;
    char option[64];
    snprintf(option, sizeof option, "--%s", claim->option);
    for (int k = 0; k < SUFFIXES; k++) {
        const base_status status = base_claim_check_name(context, option, names[k], others, count);
        if (status != BASE_OK)
            return status;
        if (lstat(names[k], &about) != 0)
            continue;
        if (!S_ISREG(about.st_mode))
            return base_fail(context, BASE_USAGE, "--%s: %s is no regular file; choose another name",
                             claim->option, names[k]);
        if ((k == OLD_NAME || k == NEW_NAME) && is_binary && !begins_as_state(names[k]))
            return base_fail(context, BASE_USAGE,
                             "--%s: %s is in the way and is no state; move it or choose another name",
                             claim->option, names[k]);
    }
    return BASE_OK;
}

/* ---- the lock ---- */

static base_status refuse_lock(base_context *context, const base_claim *claim, int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[64], name[64] = "another process";
    if (fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0)
        return base_fail(context, BASE_USAGE, "--%s: another process uses %s", claim->option, claim->path);
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)lock.l_pid);
    FILE *file = fopen(path, "re");
    if (file != NULL && fgets(name, sizeof name, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
    return base_fail(context, BASE_USAGE, "--%s: %s is in use by %s, process %ld", claim->option, claim->path,
                     name, (long)lock.l_pid);
}

/* Whether the file behind the descriptor is one that locks a state, or will be. */
static bool is_lock(int descriptor) {
    char text[sizeof lock_text];
    const ssize_t count = pread(descriptor, text, sizeof text, 0);
    return count >= 0 && count < (ssize_t)sizeof lock_text && memcmp(text, lock_text, (size_t)count) == 0;
}

/* fcntl(F_SETLK) for at most a second: a process that was killed holds its locks until it has quite ended. */
static int lock_soon(int descriptor, struct flock *lock) {
    const struct timespec pause = {.tv_nsec = 20000000};
    int failed = fcntl(descriptor, F_SETLK, lock);
    for (int k = 0; k < 50 && failed != 0 && (errno == EACCES || errno == EAGAIN); k++) {
        nanosleep(&pause, NULL);
        failed = fcntl(descriptor, F_SETLK, lock);
    }
    return failed;
}

/* One try; *again: the file was removed by the process that had the lock. */
static base_status take_lock(base_context *context, base_claim *claim, const char *path, bool *again) {
    base_status status = BASE_OK;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat opened, named;
    *again = false;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot save states: cannot create %s", path);
    if (!is_lock(descriptor))
        BASE_TRY(base_fail(context, BASE_USAGE, "--%s: %s is in the way and is no lock; choose another name",
                           claim->option, path));
    if (lock_soon(descriptor, &lock) != 0) {
        if (errno == EACCES || errno == EAGAIN)
            BASE_TRY(refuse_lock(context, claim, descriptor));
        unlink(path); /* no locks here */
        close(descriptor);
        return BASE_OK;
    }
    if (fstat(descriptor, &opened) != 0 || stat(path, &named) != 0 || !is_equal(&opened, &named)) {
        *again = true;
    } else {
        if (pwrite(descriptor, lock_text, strlen(lock_text), 0) < 0)
            BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write %s", path));
        claim->lock = descriptor;
        return BASE_OK;
    }
done:
    close(descriptor);
    return status;
}

base_status base_claim_open(base_context *context, const char *path, const char *option, bool is_binary,
                            const base_claim_other *others, int count, base_claim *claim) {
    base_status status;
    char *names[SUFFIXES] = {NULL};
    bool again = true;
    *claim = (base_claim){.option = option, .lock = -1};
    if (path[0] == '\0')
        BASE_TRY(base_fail(context, BASE_USAGE, "--%s: no name of a file", option));
    BASE_TRY(base_checkpoint_check(context, path));
    claim->path = base_copy_text(context, path, (int64_t)strlen(path));
    if (claim->path == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int k = 0; k < SUFFIXES; k++) {
        names[k] = base_checkpoint_sibling(context, path, suffixes[k]);
        if (names[k] == NULL)
            BASE_TRY(BASE_MACHINE);
    }
    BASE_TRY(check_names(context, claim, names, is_binary, others, count));
    while (again)
        BASE_TRY(take_lock(context, claim, names[LOCK_NAME], &again));
    unlink(names[NEW_NAME]);
    if (claim->lock >= 0) {
        claim->lock_path = names[LOCK_NAME];
        names[LOCK_NAME] = NULL;
        hold(claim->lock_path);
    }
done:
    for (int k = 0; k < SUFFIXES; k++)
        free(names[k]);
    if (status != BASE_OK) {
        free(claim->path);
        claim->path = NULL;
    }
    return status;
}

void base_claim_close(base_claim *claim) {
    if (claim == NULL || claim->path == NULL)
        return;
    if (claim->lock >= 0) {
        unlink(claim->lock_path);
        let_go(claim->lock_path);
        close(claim->lock);
        free(claim->lock_path);
    }
    free(claim->path);
    *claim = (base_claim){.lock = -1};
}
