/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy arrays in a zip archive: three members u, v and w; or for each scheme one of its own, an array (3,
 * entries, rank) of integers or an object array of three (entries, rank), which NumPy pickles: of the pickle
 * only the arrays' shapes, orders and bytes are read, nothing in it is executed. */
#include "base/core/memory.h"
#include "flip/formats/array.h"
#include "mm/coding/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the header of a member that is `bytes` long, whose last character becomes a zero. `sizes` gets its
 * three or two dimensions, [2] being 0 for two. An object array has type O and no sizes. */
static base_status read_member(base_context *context, const char *name, char *content, size_t bytes,
                               flip_array *result, int64_t sizes[3]) {
    base_status status = BASE_OK;
    /* Magic of 6 bytes, version 1.x, then 2 bytes of the header's length. */
    const size_t start = bytes >= 10 ? 10 + (size_t)flip_read_little(content + 8, 2) : 0;
    long long size[3] = {0};
    if (bytes < 10 || memcmp(content, "\x93NUMPY\1", 7) != 0 || start > bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%.80s' is no NumPy array", name));
    content[start - 1] = '\0';
    *result = (flip_array){.type = 'O', .data = content + start};
    if (strstr(content + 10, "'|O'") != NULL)
        goto done;
    const char *type = strstr(content + 10, "'descr': '"), *shape = strstr(content + 10, "'shape': (");
    uint64_t count = 1;
    int dimensions = 0;
    if (shape != NULL)
        dimensions = sscanf(shape, "'shape': (%9lld, %9lld, %9lld", &size[0], &size[1], &size[2]);
    for (int k = 0; k < dimensions; k++)
        count *= size[k] > 0 && size[k] < 1 << 20 ? (uint64_t)size[k] : 0;
    if (type == NULL || dimensions < 2 || strchr("<|=", type[10]) == NULL ||
        !flip_array_read_type(type + 11, result) || count == 0 ||
        count * (uint64_t)result->bytes != bytes - start)
        BASE_TRY(
            base_fail(context, BASE_DAMAGED, "member '%.80s' is not an array of two or three sizes", name));
    result->fortran = strstr(content + 10, "'fortran_order': True") != NULL;
    for (int k = 0; k < 3; k++)
        sizes[k] = size[k];
done:
    return status;
}

/* Adds the factors of one array (3, entries, rank), which only square formats can have. */
static base_status add_slices(base_context *context, const flip_array *all, const int64_t sizes[3],
                              flip_entries *entries) {
    base_status status = BASE_OK;
    flip_array slice = *all;
    if (all->fortran || sizes[0] != 3 || sizes[2] == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "not an array of numbers of the shape (3, entries, rank)"));
    slice.nrow = sizes[1];
    slice.ncol = entries->terms = sizes[2];
    for (int k = 0; k < 3; k++) {
        slice.data = all->data + k * slice.nrow * slice.ncol * slice.bytes;
        BASE_TRY(flip_array_add(context, &slice, k, entries));
    }
done:
    return status;
}

/* Whether a member is one of u, v and w. */
static bool is_factor(const char *name) {
    return name[0] >= 'u' && name[0] <= 'w' && strcmp(name + 1, ".npy") == 0;
}

/* Finds the format n×m×p from its factors' lengths nm, mp and np. */
static base_status find_size(base_context *context, const flip_array factor[3], int64_t size[3]) {
    const int64_t nm = factor[0].nrow, mp = factor[1].nrow, np = factor[2].nrow;
    /* nm · np / n² = mp has one positive solution n at most. */
    for (int64_t n = 1; n <= FLIP_LARGEST_SIZE && n <= nm && n <= np; n++)
        if (nm % n == 0 && np % n == 0 && nm / n * (np / n) == mp) {
            size[0] = n, size[1] = nm / n, size[2] = np / n;
            return BASE_OK;
        }
    return base_fail(context, BASE_DAMAGED, "u, v and w have lengths of no format");
}

/* Reads three members u, v and w, each (entries, rank) or (rank, entries). The factors at a position span all
 * matrices of their shape, so that the rank is not less than their length: that tells the two apart. */
static base_status read_factors(base_context *context, const char *data, size_t size, flip_entries *entries) {
    base_status status = BASE_OK;
    char *name = NULL, *content[3] = {NULL};
    size_t bytes;
    flip_array factor[3] = {{0}};
    int64_t sizes[3];
    bool found, by_rank = false;
    for (int64_t index = 0; index < 3; index++) {
        char *text = NULL;
        free(name);
        name = NULL;
        BASE_TRY(
            mm_zip_read(context, data, size, index, FLIP_LARGEST_FILE_BYTES, &name, &text, &bytes, &found));
        const int k = found && is_factor(name) ? name[0] - 'u' : 0;
        if (!found || !is_factor(name) || content[k] != NULL) {
            free(text);
            BASE_TRY(base_fail(context, BASE_DAMAGED, "not three members u, v and w"));
        }
        content[k] = text;
        BASE_TRY(read_member(context, name, text, bytes, &factor[k], sizes));
        if (factor[k].type == 'O' || sizes[2] != 0)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%s' is no matrix of numbers", name));
        factor[k].nrow = sizes[0];
        factor[k].ncol = sizes[1];
    }
    for (int k = 0; k < 3; k++)
        by_rank |= factor[k].nrow > factor[k].ncol;
    for (int k = 0; k < 3 && by_rank; k++) {
        const int64_t rank = factor[k].nrow;
        factor[k].nrow = factor[k].ncol;
        factor[k].ncol = rank;
        factor[k].fortran = !factor[k].fortran;
    }
    BASE_TRY(find_size(context, factor, entries->size));
    entries->terms = factor[0].ncol;
    for (int k = 0; k < 3; k++)
        BASE_TRY(flip_array_add(context, &factor[k], k, entries));
done:
    free(name);
    for (int k = 0; k < 3; k++)
        free(content[k]);
    return status;
}

base_status flip_read_npz(flip_cursor *cursor, int64_t index, bool *found) {
    base_context *context = cursor->context;
    flip_entries *entries = cursor->entries;
    const char *data = cursor->at;
    const size_t size = (size_t)(cursor->end - cursor->at);
    base_status status = BASE_OK;
    char *name = NULL, *content = NULL;
    size_t bytes;
    flip_array all;
    int64_t sizes[3];
    long long n, m, p;
    BASE_TRY(
        mm_zip_read(context, data, size, index, FLIP_LARGEST_FILE_BYTES, &name, &content, &bytes, found));
    if (!*found)
        goto done;
    if (is_factor(name)) {
        *found = index == 0;
        status = *found ? read_factors(context, data, size, entries) : BASE_OK;
        goto done;
    }
    if (sscanf(name, "%4lld,%4lld,%4lld", &n, &m, &p) != 3 || n < 1 || m < 1 || p < 1)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%.80s' is not named u, v, w or n,m,p", name));
    entries->size[0] = n, entries->size[1] = m, entries->size[2] = p;
    BASE_TRY(read_member(context, name, content, bytes, &all, sizes));
    if (all.type == 'O')
        status = flip_read_pickle(context, all.data, (size_t)(content + bytes - all.data), entries);
    else
        status = add_slices(context, &all, sizes, entries);
done:
    free(name);
    free(content);
    return status;
}
