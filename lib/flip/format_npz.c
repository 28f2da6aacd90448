/* NumPy arrays in a zip archive. A member is one array (3, entries, rank) of integers, or an object array of
 * three (entries, rank), which NumPy pickles: of the pickle only the arrays' shapes, orders and bytes are
 * read, nothing in it is executed. */
#include "base/memory.h"
#include "flip/formats_private.h"
#include "mm/zip.h"
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

/* One array (3, entries, rank); only square formats can have it. */
static base_status read_array(base_context *context, const char *header, const char *data, size_t size,
                              flip_entries *entries) {
    base_status status = BASE_OK;
    const char *type = strstr(header, "'descr': '"), *shape = strstr(header, "'shape': (");
    array all = {0};
    long long three, nrow, ncol;
    if (type == NULL || shape == NULL || strchr("<|=", type[10]) == NULL || !read_type(type + 11, &all) ||
        strstr(header, "'fortran_order': False") == NULL ||
        sscanf(shape, "'shape': (%lld, %9lld, %9lld", &three, &nrow, &ncol) != 3 || three != 3 || nrow < 1 ||
        ncol < 1 || (uint64_t)(3 * nrow * ncol * all.bytes) != size)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "not an array of numbers of the shape (3, entries, rank)"));
    all.nrow = nrow;
    all.ncol = ncol;
    entries->terms = ncol;
    for (int k = 0; k < 3; k++) {
        all.data = data + k * nrow * ncol * all.bytes;
        BASE_TRY(add_array(context, &all, k, entries));
    }
done:
    return status;
}

base_status flip_read_npz(base_context *context, const char *data, size_t size, int64_t index,
                          flip_entries *entries, bool *found) {
    base_status status = BASE_OK;
    char *name = NULL, *content = NULL;
    size_t bytes;
    BASE_TRY(
        mm_zip_read(context, data, size, index, FLIP_LARGEST_FILE_BYTES, &name, &content, &bytes, found));
    if (!*found)
        goto done;
    long long n, m, p;
    if (sscanf(name, "%4lld,%4lld,%4lld", &n, &m, &p) != 3 || n < 1 || m < 1 || p < 1)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%.80s' is not named n,m,p", name));
    entries->size[0] = n, entries->size[1] = m, entries->size[2] = p;
    size_t start = bytes >= 10 ? 10 + (size_t)read_little(content + 8, 2) : 0;
    if (bytes < 10 || memcmp(content, "\x93NUMPY\1", 7) != 0 || start > bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "member '%.80s' is no NumPy array", name));
    content[start - 1] = '\0';
    if (strstr(content + 10, "'|O'") != NULL)
        BASE_TRY(read_pickle(context, content + start, bytes - start, entries));
    else
        BASE_TRY(read_array(context, content + 10, content + start, bytes - start, entries));
done:
    free(name);
    free(content);
    return status;
}

base_status flip_write_npz(base_context *context, const flip_scheme *scheme, base_output *output) {
    enum { HEADER_BYTES = 128 };
    base_status status = BASE_OK;
    char name[100], *content = NULL;
    int64_t length = flip_length(scheme->size, 0);
    if (scheme->denominator != 1 || flip_length(scheme->size, 1) != length ||
        flip_length(scheme->size, 2) != length)
        BASE_TRY(base_fail(context, BASE_FAILED, "npz holds schemes of square formats with whole numbers"));
    int64_t bytes = HEADER_BYTES + 3 * length * scheme->rank * 8;
    content = base_alloc(context, bytes, 1);
    if (content == NULL)
        BASE_TRY(BASE_MACHINE);
    memset(content, ' ', HEADER_BYTES);
    memcpy(content, "\x93NUMPY\1\0v\0", 10);
    int used = snprintf(content + 10, HEADER_BYTES - 10,
                        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, %lld, %lld), }",
                        (long long)length, (long long)scheme->rank);
    content[10 + used] = ' ';
    content[HEADER_BYTES - 1] = '\n';
    char *at = content + HEADER_BYTES;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < length; e++)
            for (int64_t r = 0; r < scheme->rank; r++) {
                int64_t nrow, ncol, value, one;
                flip_published_shape(scheme->size, k, &nrow, &ncol);
                flip_published_entry(scheme, r, k, e / ncol, e % ncol, &value, &one);
                for (int byte = 0; byte < 8; byte++)
                    *at++ = (char)((uint64_t)value >> 8 * byte);
            }
    snprintf(name, sizeof name, "%lld,%lld,%lld.npy", (long long)scheme->size[0], (long long)scheme->size[1],
             (long long)scheme->size[2]);
    BASE_TRY(mm_zip_write(context, output, name, content, (size_t)bytes));
done:
    free(content);
    return status;
}
