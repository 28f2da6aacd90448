/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy arrays in a zip archive: (3, entries, rank) for square formats, which AlphaTensor's programs read;
 * three members u, v and w of (entries, rank) for others. */
#include "base/core/memory.h"
#include "flip/formats/internal.h"
#include "mm/coding/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 128 };

/* Writes a header of HEADER_BYTES for whole numbers of 8 bytes, and returns its end. Its length field, 'v'
 * and 0, says 118 = HEADER_BYTES - 10. */
static char *put_header(const char *shape, char *at) {
    memset(at, ' ', HEADER_BYTES);
    memcpy(at, "\x93NUMPY\1\0v\0", 10);
    const int used = snprintf(at + 10, HEADER_BYTES - 10,
                              "{'descr': '<i8', 'fortran_order': False, 'shape': (%s), }", shape);
    at[10 + used] = ' ';
    at[HEADER_BYTES - 1] = '\n';
    return at + HEADER_BYTES;
}

/* Writes a factor as (entries, rank), little-endian, and returns its end. */
static char *put_factor(const flip_scheme *scheme, int position, char *at) {
    int64_t nrow, ncol, value, one;
    flip_published_shape(scheme->size, position, &nrow, &ncol);
    for (int64_t e = 0; e < nrow * ncol; e++)
        for (int64_t r = 0; r < scheme->rank; r++) {
            flip_published_entry(scheme, r, position, e / ncol, e % ncol, &value, &one);
            for (int byte = 0; byte < 8; byte++)
                *at++ = (char)((uint64_t)value >> 8 * byte);
        }
    return at;
}

base_status flip_write_npz(base_context *context, const flip_scheme *scheme, base_output *output) {
    base_status status = BASE_OK;
    const int64_t *size = scheme->size;
    const bool is_square = size[0] == size[1] && size[1] == size[2];
    char name[100], shape[60], *content = NULL, *at;
    mm_zip_member member[3] = {{.name = is_square ? name : "u.npy"}, {.name = "v.npy"}, {.name = "w.npy"}};
    int64_t entries = 0;
    if (scheme->denominator != 1)
        BASE_TRY(base_fail(context, BASE_FAILED, "npz holds schemes with whole numbers"));
    for (int k = 0; k < 3; k++)
        entries += flip_length(size, k);
    content = base_alloc(context, 3 * HEADER_BYTES + entries * scheme->rank * 8, 1);
    if (content == NULL)
        BASE_TRY(BASE_MACHINE);
    at = content;
    snprintf(name, sizeof name, "%lld,%lld,%lld.npy", (long long)size[0], (long long)size[1],
             (long long)size[2]);
    for (int k = 0; k < 3; k++) {
        const long long length = flip_length(size, k), rank = scheme->rank;
        member[k].content = at;
        snprintf(shape, sizeof shape, is_square ? "3, %lld, %lld" : "%lld, %lld", length, rank);
        /* A square format has one member with one header, in which the three factors follow each other. */
        if (k == 0 || !is_square)
            at = put_header(shape, at);
        at = put_factor(scheme, k, at);
        member[is_square ? 0 : k].bytes = (size_t)(at - (const char *)member[is_square ? 0 : k].content);
    }
    BASE_TRY(mm_zip_write(context, output, member, is_square ? 1 : 3));
done:
    free(content);
    return status;
}
