/* NumPy arrays in a zip archive: three members u, v and w; or for each scheme one of its own, an array (3,
 * entries, rank) of integers or an object array of three (entries, rank), which NumPy pickles: of the pickle
 * only the arrays' shapes, orders and bytes are read, nothing in it is executed. */
#include "base/core/memory.h"
#include "flip/formats/internal.h"
#include "mm/source/zip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct array {
    char type; /* i, u, b, f */
    int bytes; /* of a number */
    bool fortran;
    int64_t nrow, ncol;
    const char *data;
} array;

static uint64_t read_little(const char *data, int bytes) {
    uint64_t value = 0;
    for (int k = 0; k < bytes; k++)
        value |= (uint64_t)(unsigned char)data[k] << 8 * k;
    return value;
}

/* Entry (i, j) of an array; false for a number that is not whole. */
static bool get(const array *from, int64_t i, int64_t j, int64_t *value) {
    int64_t at = from->fortran ? j * from->nrow + i : i * from->ncol + j;
    uint64_t bits = read_little(from->data + at * from->bytes, from->bytes);
    int unused = 64 - 8 * from->bytes;
    *value = (int64_t)bits;
    if (from->type == 'i')
        *value = (int64_t)(bits << unused) >> unused;
    if (from->type != 'f')
        return from->type != 'u' || bits <= INT64_MAX;
    double real;
    float small;
    memcpy(&real, &bits, 8);
    memcpy(&small, &bits, 4);
    real = from->bytes == 4 ? small : real;
    if (!(real > -0x1p53 && real < 0x1p53))
        return false;
    *value = (int64_t)real;
    return (double)*value == real;
}

static bool read_type(const char *text, array *result) {
    result->type = text[0];
    result->bytes = text[0] == 0 ? 0 : text[1] - '0';
    bool sized = result->bytes == 1 || result->bytes == 2 || result->bytes == 4 || result->bytes == 8;
    return sized && strchr("iubf", text[0]) != NULL && (text[0] != 'f' || result->bytes >= 4);
}

static base_status add_array(base_context *context, const array *from, int position, flip_entries *entries) {
    base_status status = BASE_OK;
    int64_t nrow, ncol;
    flip_published_shape(entries->size, position, &nrow, &ncol);
    if (from->nrow != nrow * ncol || from->ncol != entries->terms)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "an array's shape does not fit the scheme's format"));
    for (int64_t e = 0; e < from->nrow; e++)
        for (int64_t r = 0; r < from->ncol; r++) {
            flip_entry entry = {r, position, e / ncol, e % ncol, 0, 1};
            if (!get(from, e, r, &entry.numerator) || entry.numerator == INT64_MIN)
                BASE_TRY(base_fail(context, BASE_DAMAGED, "a coefficient that is no whole number"));
            if (entry.numerator != 0)
                BASE_TRY(flip_entries_add(context, entries, entry));
        }
done:
    return status;
}

/* ---- pickles ---- */

typedef struct pickle {
    const char *at, *end;
    int64_t numbers[2]; /* the last two whole numbers */
    int64_t shape[2];   /* the last tuple of two numbers */
    bool flag;          /* the last truth value */
    char type[3];       /* the last text of two letters, as i8 */
} pickle;

/* Bytes of an opcode's argument: fixed, or a length in so many bytes before that much (-1, -4), or -100: not
 * known here. */
static int argument_bytes(char code) {
    static const char plain[] = ")(tNR\x85\x86\x87\x88\x89\x93\x94"
                                "be]al.";
    if (memchr("K", code, 1) || memchr("qh", code, 2))
        return 1;
    if (code == '\x80')
        return 1;
    if (code == 'M')
        return 2;
    if (memchr("Jrj", code, 3))
        return 4;
    if (memchr("CU\x8c", code, 3))
        return -1;
    if (memchr("BXT", code, 3))
        return -4;
    if (code == '\x95')
        return 8;
    return memchr(plain, code, sizeof plain - 1) ? 0 : -100;
}

/* The next string of bytes; false at the end or when something unknown stands there. */
static bool next_bytes(pickle *from, const char **bytes, int64_t *size) {
    while (from->at < from->end) {
        char code = *from->at++;
        int argument = argument_bytes(code);
        int64_t left = from->end - from->at;
        if (code == 'c') { /* two lines: module and name */
            for (int line = 0; line < 2; line++) {
                const char *end = memchr(from->at, '\n', (size_t)(from->end - from->at));
                if (end == NULL)
                    return false;
                from->at = end + 1;
            }
            continue;
        }
        if (argument == -100 || (argument >= 0 ? argument : -argument) > left)
            return false;
        if (argument < 0) {
            *size = (int64_t)read_little(from->at, -argument);
            from->at -= argument;
            if (*size > from->end - from->at)
                return false;
            *bytes = from->at;
            from->at += *size;
            if (strchr("BCU", code) != NULL && *size > 1)
                return true;
            if (strchr("X\x8c", code) != NULL && *size == 2)
                memcpy(from->type, *bytes, 2);
            continue;
        }
        if (code == 'K' || code == 'M' || code == 'J') {
            from->numbers[0] = from->numbers[1];
            from->numbers[1] = (int64_t)read_little(from->at, argument);
        }
        if (code == '\x86')
            memcpy(from->shape, from->numbers, sizeof from->shape);
        if (code == '\x88' || code == '\x89')
            from->flag = code == '\x88';
        from->at += argument;
    }
    return false;
}

static base_status read_pickle(base_context *context, const char *data, size_t size, flip_entries *entries) {
    base_status status = BASE_OK;
    pickle from = {.at = data, .end = data + size};
    for (int k = 0; k < 3; k++) {
        array found = {0};
        int64_t bytes;
        bool good = next_bytes(&from, &found.data, &bytes) && read_type(from.type, &found);
        found.fortran = from.flag;
        found.nrow = from.shape[0];
        found.ncol = from.shape[1];
        good = good && found.nrow > 0 && found.nrow < 1 << 20 && found.ncol > 0 && found.ncol < 1 << 20 &&
               found.nrow * found.ncol * found.bytes == bytes;
        if (!good)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "not a pickle of three arrays"));
        entries->terms = k == 0 ? found.ncol : entries->terms;
        BASE_TRY(add_array(context, &found, k, entries));
    }
done:
    return status;
}

/* ---- members ---- */

/* The array of a member that is `bytes` long, which ends its header with a zero; `sizes` of its three or two
 * dimensions, [2] is 0 for two. An object array has type O. */
static base_status read_member(base_context *context, const char *name, char *content, size_t bytes,
                               array *result, int64_t sizes[3]) {
    base_status status = BASE_OK;
    const size_t start = bytes >= 10 ? 10 + (size_t)read_little(content + 8, 2) : 0;
    long long size[3] = {0};
    if (bytes < 10 || memcmp(content, "\x93NUMPY\1", 7) != 0 || start > bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%.80s' is no NumPy array", name));
    content[start - 1] = '\0';
    *result = (array){.type = 'O', .data = content + start};
    if (strstr(content + 10, "'|O'") != NULL)
        goto done;
    const char *type = strstr(content + 10, "'descr': '"), *shape = strstr(content + 10, "'shape': (");
    uint64_t count = 1;
    int dimensions = 0;
    if (shape != NULL)
        dimensions = sscanf(shape, "'shape': (%9lld, %9lld, %9lld", &size[0], &size[1], &size[2]);
    for (int k = 0; k < dimensions; k++)
        count *= size[k] > 0 && size[k] < 1 << 20 ? (uint64_t)size[k] : 0;
    if (type == NULL || dimensions < 2 || strchr("<|=", type[10]) == NULL || !read_type(type + 11, result) ||
        count == 0 || count * (uint64_t)result->bytes != bytes - start)
        BASE_TRY(
            base_fail(context, BASE_DAMAGED, "member '%.80s' is not an array of two or three sizes", name));
    result->fortran = strstr(content + 10, "'fortran_order': True") != NULL;
    for (int k = 0; k < 3; k++)
        sizes[k] = size[k];
done:
    return status;
}

/* One array (3, entries, rank); only square formats can have it. */
static base_status add_slices(base_context *context, const array *all, const int64_t sizes[3],
                              flip_entries *entries) {
    base_status status = BASE_OK;
    array slice = *all;
    if (all->fortran || sizes[0] != 3 || sizes[2] == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "not an array of numbers of the shape (3, entries, rank)"));
    slice.nrow = sizes[1];
    slice.ncol = entries->terms = sizes[2];
    for (int k = 0; k < 3; k++) {
        slice.data = all->data + k * slice.nrow * slice.ncol * slice.bytes;
        BASE_TRY(add_array(context, &slice, k, entries));
    }
done:
    return status;
}

/* Whether members are called u, v and w. */
static bool is_factor(const char *name) {
    return name[0] >= 'u' && name[0] <= 'w' && strcmp(name + 1, ".npy") == 0;
}

/* The format from its factors' lengths nm, mp and np. */
static base_status find_size(base_context *context, const array factor[3], int64_t size[3]) {
    const int64_t nm = factor[0].nrow, mp = factor[1].nrow, np = factor[2].nrow;
    for (int64_t n = 1; n <= FLIP_LARGEST_SIZE && n <= nm && n <= np; n++)
        if (nm % n == 0 && np % n == 0 && nm / n * (np / n) == mp) {
            size[0] = n, size[1] = nm / n, size[2] = np / n;
            return BASE_OK;
        }
    return base_fail(context, BASE_DAMAGED, "u, v and w have lengths of no format");
}

/* Three members u, v and w, each (entries, rank) or (rank, entries): the factors at a position span, so the
 * rank is not less than their length. */
static base_status read_factors(base_context *context, const char *data, size_t size, flip_entries *entries) {
    base_status status = BASE_OK;
    char *name = NULL, *content[3] = {NULL};
    size_t bytes;
    array factor[3] = {{0}};
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
        BASE_TRY(add_array(context, &factor[k], k, entries));
done:
    free(name);
    for (int k = 0; k < 3; k++)
        free(content[k]);
    return status;
}

base_status flip_read_npz(base_context *context, const char *data, size_t size, int64_t index,
                          flip_entries *entries, bool *found) {
    base_status status = BASE_OK;
    char *name = NULL, *content = NULL;
    size_t bytes;
    array all;
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
        status = read_pickle(context, all.data, (size_t)(content + bytes - all.data), entries);
    else
        status = add_slices(context, &all, sizes, entries);
done:
    free(name);
    free(content);
    return status;
}
