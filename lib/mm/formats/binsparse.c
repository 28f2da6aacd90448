/* Binsparse matrices in HDF5 (Brock, Davis, Kitchen, Welch, Vishwakarma, Ahrens: Binary Sparse Format
 * Specification 0.1), as the reference library for C writes them: the root or a group has the attribute
 * `binsparse`, JSON that describes its datasets. binsparse_matrix.h reads each of them. */
#include "base/core/memory.h"
#include "mm/formats/binsparse_matrix.h"
#include "mm/formats/formats.h"

#include <stdlib.h>
#include <string.h>

typedef struct file {
    mm_whole whole;
    mm_hdf5_id id;
    bool at_root;  /* the next matrix is that of the root */
    int64_t link;  /* the next group */
    int64_t count; /* matrices found */
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

static base_status next_matrix(base_context *context, void *opened, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    file *file = opened;
    char *name = NULL, *text = NULL;
    *found = false;
    while (!*found) {
        mm_hdf5_id group = file->id;
        if (!file->at_root) {
            BASE_TRY(mm_hdf5_link(context, file->id, file->link++, &name));
            if (name == NULL)
                break;
            BASE_TRY(mm_hdf5_open_group(context, file->id, name, &group));
        }
        status = group >= 0 ? mm_hdf5_read_text(context, group, "binsparse", &text) : BASE_OK;
        if (status == BASE_OK && text != NULL) {
            status =
                mm_binsparse_read(context, &file->whole, group, text, file->at_root ? NULL : name, record);
            *found = true;
            file->count++;
        }
        if (!file->at_root)
            mm_hdf5_close_group(group);
        file->at_root = false;
        free(name);
        free(text);
        name = text = NULL;
        BASE_TRY(status);
    }
    if (!*found && file->count == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED,
                           "an HDF5 file without a matrix: neither the root nor a group has the attribute "
                           "binsparse"));
done:
    free(name);
    free(text);
    return status;
}

const mm_format_reader mm_binsparse_reader = {open_file, next_matrix, close_file};
