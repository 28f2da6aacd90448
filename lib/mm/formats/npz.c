/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy arrays in a zip archive: a sparse matrix as scipy.sparse.save_npz writes it, in one of five formats,
 * or any number of dense matrices, numpy.savez(name=array, ...). */
#include "mm/formats/npz.h"
#include "base/core/map.h"
#include "base/core/memory.h"
#include "mm/arrays/whole.h"
#include "mm/coding/zip.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

typedef mm_npz_member member;

typedef struct file {
    mm_whole whole;
    char *data;     /* all of it … */
    int64_t mapped; /* … mapped, if not 0 */
    int64_t next;   /* member */
    bool done;
    int64_t count; /* matrices found */
    member members[MM_NPZ_PARTS];
} file;

bool mm_npz_detect(const char *data, size_t size) {
    if (size < 30 || memcmp(data, "PK\3\4", 4) != 0)
        return false;
    const size_t length = (unsigned char)data[26] | (size_t)(unsigned char)data[27] << 8;
    return length > 4 && 30 + length <= size && memcmp(data + 30 + length - 4, ".npy", 4) == 0;
}

static void close_file(void *opened) {
    file *file = opened;
    if (file == NULL)
        return;
    for (int i = 0; i < MM_NPZ_PARTS; i++)
        mm_npz_drop(&file->members[i]);
    base_free_mapped(file->data, file->mapped);
    mm_whole_close(&file->whole);
    free(file);
}

static base_status open_file(base_context *context, mm_source *source, void **result) {
    base_status status = BASE_OK;
    file *file = base_alloc_zero(context, 1, sizeof *file);
    *result = file;
    if (file == NULL)
        return BASE_MACHINE;
    BASE_TRY(mm_whole_open(context, source, &file->whole));
    file->data = mm_whole_map(context, &file->whole);
    file->mapped = file->data != NULL ? file->whole.bytes : 0;
    if (file->data != NULL)
        goto done;
    if (file->whole.bytes > context->memory_bytes)
        BASE_TRY(base_fail(context, BASE_MACHINE, "an archive of more than the %lld bytes of --memory",
                           (long long)context->memory_bytes));
    file->data = base_alloc(context, file->whole.bytes, 1);
    if (file->data == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(mm_whole_read(context, &file->whole, 0, file->data, (size_t)file->whole.bytes));
done:
    return status;
}

/* ---- members ---- */

/* Reads member `index`; *name, without ".npy", is to be freed, NULL where there are no more. Members that are
 * no arrays have a rank of -1. */
static base_status read_member(base_context *context, const file *file, int64_t index, mm_npz_member *member,
                               char **name) {
    base_status status;
    mm_zip_content content;
    bool found;
    *member = (mm_npz_member){.is_there = false};
    BASE_TRY(mm_zip_find(context, file->data, (size_t)file->whole.bytes, index, (size_t)context->memory_bytes,
                         name, &content, &found));
    if (!found)
        goto done;
    member->is_there = true;
    member->made = content.made;
    char *suffix = strrchr(*name, '.');
    if (suffix == NULL || strcmp(suffix, ".npy") != 0) {
        member->npy.rank = -1;
        goto done;
    }
    *suffix = '\0';
    member->memory = (mm_number_memory){content.at, content.at + content.bytes};
    member->bytes = mm_number_bytes_of_memory(&member->memory);
    status = mm_npy_read_header(context, &member->bytes, &member->npy);
    if (status == BASE_FAILED) { /* an array of objects */
        status = BASE_OK;
        member->npy.rank = -1;
    }
    member->bytes = mm_number_bytes_of_memory(&member->memory);
done:
    return status;
}

/* Which of the arrays of a sparse matrix a member is, or -1. */
static int find_part(const char *name) {
    for (int i = 0; i < MM_NPZ_PARTS; i++)
        if (strcmp(mm_npz_part_names[i], name) == 0)
            return i;
    return -1;
}

/* Does something with an array of the archive, of which it may take the content; *stops ends the walk. */
typedef base_status visit(base_context *context, const char *name, mm_npz_member *member, void *data,
                          bool *stops);

/* Walks over the members from file->next on. */
static base_status walk(base_context *context, file *file, visit *visit, void *data) {
    base_status status = BASE_OK;
    mm_npz_member member = {0};
    char *name = NULL;
    for (bool stops = false; !stops;) {
        BASE_TRY(read_member(context, file, file->next++, &member, &name));
        if (name == NULL)
            break;
        BASE_TRY(visit(context, name, &member, data, &stops));
        mm_npz_drop(&member);
        free(name);
        name = NULL;
    }
done:
    mm_npz_drop(&member);
    free(name);
    return status;
}

/* ---- a sparse matrix ---- */

/* The arrays of a sparse matrix of SciPy, and the three letters of its format; empty if it is none. */
typedef struct sparse_parts {
    mm_npz_member *members;
    char format[4];
} sparse_parts;

static base_status take_part(base_context *context, const char *name, mm_npz_member *member, void *data,
                             bool *stops) {
    sparse_parts *parts = data;
    const int place = find_part(name), stride = member->npy.type.letter == 'U' ? 4 : 1;
    (void)context;
    (void)stops;
    if (strcmp(name, "format") == 0 && member->npy.rank == 0 &&
        member->memory.end - member->memory.at >= 3 * stride)
        for (int i = 0; i < 4; i++)
            parts->format[i] = i < 3 ? member->memory.at[i * stride] : '\0';
    if (place >= 0 && !parts->members[place].is_there) {
        parts->members[place] = *member;
        parts->members[place].bytes.self = &parts->members[place].memory;
        member->made = NULL;
    }
    return BASE_OK;
}

/* ---- dense matrices ---- */

typedef struct dense_search {
    mm_record *record;
    bool found;
} dense_search;

static base_status take_dense(base_context *context, const char *name, mm_npz_member *member, void *data,
                              bool *stops) {
    base_status status = BASE_OK;
    dense_search *search = data;
    if (member->npy.rank < 1 || member->npy.rank > 2 || !mm_number_type_is_known(member->npy.type))
        goto done;
    BASE_TRY(mm_npy_read_matrix(context, &member->bytes, &member->npy, search->record));
    BASE_TRY(mm_metadata_set(context, search->record, "name", "%s", name));
    search->found = *stops = true;
done:
    return status;
}

/* ---- the next matrix ---- */

static base_status next_matrix(base_context *context, void *opened, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    file *file = opened;
    sparse_parts parts = {.members = file->members};
    dense_search search = {.record = record};
    *found = false;
    if (file->done)
        goto done;
    if (file->count == 0) {
        BASE_TRY(walk(context, file, take_part, &parts));
        file->done = *found = parts.format[0] != '\0';
        file->next = 0;
    }
    if (*found) {
        BASE_TRY(mm_npz_read_sparse(context, file->members, parts.format, record));
    } else {
        BASE_TRY(walk(context, file, take_dense, &search));
        *found = search.found;
    }
    file->count += *found;
    if (!*found && file->count == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "an archive without a matrix"));
    file->done = file->done || !*found;
done:
    return status;
}

const mm_format_reader mm_npz_reader = {open_file, next_matrix, close_file, NULL};
