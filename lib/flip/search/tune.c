/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/tune.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name, member) {name, offsetof(flip_search_options, member)},

static const struct {
    const char *key;
    size_t offset; /* of its int64_t in the options */
} keys[] = {FLIP_TUNE_KEYS(ROW)};

enum { KEYS = sizeof keys / sizeof *keys };

static base_status refuse_key(base_context *context, const char *text, size_t length) {
    char list[256] = "";
    for (int k = 0; k < KEYS; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k > 0 ? ", " : "", keys[k].key);
    return base_fail(context, BASE_USAGE, "--numbers: unknown key '%.*s'. Known keys: %s", (int)length, text,
                     list);
}

base_status flip_tune(base_context *context, const char *text, flip_search_options *options) {
    for (;;) {
        const size_t item = strcspn(text, ","), length = strcspn(text, "=,");
        char *end;
        int k = 0;
        while (k < KEYS && (strlen(keys[k].key) != length || strncmp(keys[k].key, text, length) != 0))
            k++;
        if (k == KEYS)
            return refuse_key(context, text, length);
        errno = 0;
        const char *digits = text + length + 1;
        const int64_t number =
            length < item && isdigit((unsigned char)*digits) ? strtoll(digits, &end, 10) : -1;
        if (number < 0 || errno != 0 || end != text + item)
            return base_fail(context, BASE_USAGE, "--numbers: '%.*s' is not %s=N", (int)item, text,
                             keys[k].key);
        memcpy((char *)options + keys[k].offset, &number, sizeof number);
        if (text[item] == '\0')
            return BASE_OK;
        text += item + 1;
    }
}
