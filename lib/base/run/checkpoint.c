/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/checkpoint.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void base_checkpoint_init(base_checkpoint *checkpoint, const char *path) {
    const char *text = getenv("MMPIPE_CHECKPOINT_SECONDS");
    *checkpoint = (base_checkpoint){path, text != NULL ? strtod(text, NULL) : 60, base_clock_seconds()};
}

bool base_checkpoint_is_due(const base_checkpoint *checkpoint) {
    return checkpoint->path != NULL &&
           base_clock_seconds() - checkpoint->saved_seconds >= checkpoint->interval_seconds;
}

char *base_checkpoint_sibling(base_context *context, const char *path, const char *suffix) {
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *sibling = base_alloc(context, (int64_t)size, 1);
    if (sibling != NULL)
        snprintf(sibling, size, "%s%s", path, suffix);
    return sibling;
}

/* The folder of a file, in place. */
static const char *cut_to_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        slash[slash == path] = '\0';
    return slash != NULL ? path : ".";
}

base_status base_checkpoint_check(base_context *context, const char *path) {
    base_status status = BASE_OK;
    char *copy = base_copy_text(context, path, (int64_t)strlen(path));
    if (copy == NULL)
        BASE_TRY(BASE_MACHINE);
    const char *folder = cut_to_folder(copy);
    status = access(folder, W_OK | X_OK) == 0
                 ? BASE_OK
                 : base_fail_errno(context, BASE_MACHINE, "cannot save states in %s", folder);
done:
    free(copy);
    return status;
}

/* A rename lasts once the folder is synced. A file system that cannot do that has done what it can. */
static void sync_folder(char *path) {
    int descriptor = open(cut_to_folder(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

static base_status write_new(base_context *context, const char *path, base_checkpoint_write *write,
                             const void *data) {
    base_status status;
    base_output *output = NULL;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot create %s", path);
    BASE_TRY(base_output_open_descriptor(context, descriptor, &output));
    BASE_TRY(write(context, output, data));
    BASE_TRY(base_output_flush(context, output));
    if (base_sync(descriptor) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write %s", path));
done:
    base_output_discard(output);
    if (close(descriptor) != 0 && status == BASE_OK)
        status = base_fail_errno(context, BASE_MACHINE, "cannot write %s", path);
    if (status != BASE_OK)
        unlink(path);
    return status;
}

base_status base_checkpoint_save(base_context *context, base_checkpoint *checkpoint, bool replace,
                                 base_checkpoint_write *write, const void *data) {
    base_status status = BASE_OK;
    base_place place = context->place;
    const char *path = checkpoint->path;
    char *fresh = NULL, *old = NULL;
    context->place = (base_place){0};
    fresh = base_checkpoint_sibling(context, path, ".new");
    old = base_checkpoint_sibling(context, path, ".old");
    if (fresh == NULL || old == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(write_new(context, fresh, write, data));
    if (replace && base_rename(path, old) != 0 && errno != ENOENT) {
        base_fail_errno(context, BASE_MACHINE, "cannot rename %s to %s", path, old);
        unlink(fresh);
        BASE_TRY(BASE_MACHINE);
    }
    if (base_rename(fresh, path) != 0) {
        base_fail_errno(context, BASE_MACHINE, "cannot rename %s to %s", fresh, path);
        unlink(fresh);
        BASE_TRY(BASE_MACHINE);
    }
    checkpoint->saved_seconds = base_clock_seconds();
    sync_folder(fresh);
done:
    context->place = place;
    free(fresh);
    free(old);
    return status;
}

void base_checkpoint_remove(const char *path) {
    static const char *const suffixes[] = {".new", ".old", ""};
    size_t size = strlen(path) + 5;
    char *sibling = base_alloc_silent((int64_t)size, 1);
    for (size_t i = 0; sibling != NULL && i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(sibling, size, "%s%s", path, suffixes[i]);
        unlink(sibling);
    }
    free(sibling);
}
