/* SPDX-License-Identifier: BSD-3-Clause */
/* Binsparse matrices in HDF5 (Brock, Davis, Kitchen, Welch, Vishwakarma, Ahrens: Binary Sparse Format
 * Specification 0.1), as the reference library for C writes them: the root or a group has the attribute
 * `binsparse`, JSON that describes its datasets. binsparse_matrix.h reads each of them. */
#include "base/core/control.h"
#include "base/core/memory.h"
#include "mm/formats/binsparse_matrix.h"
#include "mm/formats/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    mm_whole whole;
    mm_hdf5_id id;
    bool at_root;  /* the next matrix is that of the root */
    int64_t link;  /* the next group */
    int64_t count; /* matrices found */
    bool goes_on;  /* the next call finds what follows, even if this one failed */
} file;

bool mm_binsparse_detect(const char *data, size_t size) {
    return size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static void close_file(void *opened) {
    file *file = opened;
    if (file == NULL)
        return;
    mm_hdf5_close_file(file->id);
    mm_whole_close(&file->whole);
    free(file);
}

static base_status open_file(base_context *context, mm_source *source, void **result) {
    base_status status;
    file *file = base_alloc_zero(context, 1, sizeof *file);
    *result = file;
    if (file == NULL)
        return BASE_MACHINE;
    file->id = -1;
    file->at_root = true;
    BASE_TRY(mm_hdf5_load(context));
    BASE_TRY(mm_whole_open(context, source, &file->whole));
    BASE_TRY(mm_hdf5_open(context, &file->whole, &file->id));
done:
    return status;
}

/* The matrix of the root (`name` NULL) or of a group, where it is one. */
static base_status read_object(base_context *context, file *file, const char *name, mm_record *record,
                               bool *found) {
    base_status status;
    char *text = NULL;
    mm_hdf5_id group = file->id;
    if (name != NULL) {
        snprintf(context->place.name, sizeof context->place.name, "%s", name);
        base_control_flatten(context->place.name);
        BASE_TRY(mm_hdf5_open_object(context, file->id, name, &group));
    }
    BASE_TRY(mm_hdf5_read_text(context, group, "binsparse", &text));
    *found = text != NULL;
    if (*found)
        BASE_TRY(mm_binsparse_read(context, &file->whole, group, text, name, record));
done:
    file->count += status != BASE_OK || *found;
    if (name != NULL)
        mm_hdf5_close_object(group);
    free(text);
    return status;
}

static base_status next_matrix(base_context *context, void *opened, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    file *file = opened;
    char *name = NULL;
    *found = file->goes_on = false;
    BASE_TRY(mm_hdf5_load(context));
    if (file->at_root) {
        file->at_root = false;
        file->goes_on = true;
        BASE_TRY(read_object(context, file, NULL, record, found));
    }
    while (!*found) {
        file->goes_on = false;
        BASE_TRY(mm_hdf5_link(context, file->id, file->link++, &name));
        if (name == NULL)
            break;
        file->goes_on = true;
        BASE_TRY(read_object(context, file, name, record, found));
        free(name);
        name = NULL;
    }
    if (*found)
        goto done;
    context->place.name[0] = '\0'; /* what follows is about the file */
    if (file->count == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED,
                           "an HDF5 file without a matrix: neither the root nor a group has the attribute "
                           "binsparse"));
done:
    free(name);
    return status;
}

/* A damaged group is one matrix that is lost; without a list of groups all that follow are. */
static bool goes_on(const void *opened) {
    const file *file = opened;
    return file->goes_on;
}

const mm_format_reader mm_binsparse_reader = {open_file, next_matrix, close_file, goes_on};
