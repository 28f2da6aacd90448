/* SPDX-License-Identifier: BSD-3-Clause */
/* Object arrays of three arrays, which NumPy pickles. Only the opcodes of Python's pickletools that NumPy
 * writes are known; what they would build is not built. */
#include "flip/formats/array.h"

#include <string.h>

typedef struct pickle {
    const char *at, *end;
    int64_t numbers[2]; /* the last two whole numbers */
    int64_t shape[2];   /* the last tuple of two numbers */
    bool flag;          /* the last truth value */
    char type[3];       /* the last text of two letters, as i8 */
} pickle;

/* The bytes of an opcode's argument. -1 and -4: a length of 1 or 4 bytes precedes an argument of that length;
 * -100: the opcode is not known here. */
static int argument_bytes(char code) {
    static const char plain[] = ")(tNR\x85\x86\x87\x88\x89\x93\x94"
                                "be]al.";
    if (memchr("K", code, 1) != NULL || memchr("qh", code, 2) != NULL)
        return 1;
    if (code == '\x80')
        return 1;
    if (code == 'M')
        return 2;
    if (memchr("Jrj", code, 3) != NULL)
        return 4;
    if (memchr("CU\x8c", code, 3) != NULL)
        return -1;
    if (memchr("BXT", code, 3) != NULL)
        return -4;
    if (code == '\x95')
        return 8;
    return memchr(plain, code, sizeof plain - 1) != NULL ? 0 : -100;
}

/* Goes on to the next string of bytes, which is an array's content, and remembers what shapes, orders and
 * types pass by. False at the end or at an unknown opcode. */
static bool next_bytes(pickle *from, const char **bytes, int64_t *size) {
    while (from->at < from->end) {
        char code = *from->at++;
        int argument = argument_bytes(code);
        int64_t left = from->end - from->at;
        if (code == 'c') { /* GLOBAL has two lines, the module and the name. */
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
            *size = (int64_t)flip_read_little(from->at, -argument);
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
            from->numbers[1] = (int64_t)flip_read_little(from->at, argument);
        }
        /* TUPLE2, then NEWTRUE and NEWFALSE. */
        if (code == '\x86')
            memcpy(from->shape, from->numbers, sizeof from->shape);
        if (code == '\x88' || code == '\x89')
            from->flag = code == '\x88';
        from->at += argument;
    }
    return false;
}

base_status flip_read_pickle(base_context *context, const char *data, size_t size, flip_entries *entries) {
    base_status status = BASE_OK;
    pickle from = {.at = data, .end = data + size};
    for (int k = 0; k < 3; k++) {
        flip_array found = {0};
        int64_t bytes;
        bool good = next_bytes(&from, &found.data, &bytes) && flip_array_read_type(from.type, &found);
        found.fortran = from.flag;
        found.nrow = from.shape[0];
        found.ncol = from.shape[1];
        good = good && found.nrow > 0 && found.nrow < 1 << 20 && found.ncol > 0 && found.ncol < 1 << 20 &&
               found.nrow * found.ncol * found.bytes == bytes;
        if (!good)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "not a pickle of three arrays"));
        entries->terms = k == 0 ? found.ncol : entries->terms;
        BASE_TRY(flip_array_add(context, &found, k, entries));
    }
done:
    return status;
}
