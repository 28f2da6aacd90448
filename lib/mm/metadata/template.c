/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/template.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"{name}", "{number}"};
enum { NAME, NUMBER, WORDS };

/* The word at `text`, or WORDS. */
static int find_word(const char *text) {
    int word = 0;
    while (word < WORDS && strncmp(text, words[word], strlen(words[word])) != 0)
        word++;
    return word;
}

base_status mm_template_check(base_context *context, const char *option, const char *text) {
    for (const char *brace = strchr(text, '{'); brace != NULL; brace = strchr(brace + 1, '{'))
        if (find_word(brace) == WORDS)
            return base_fail(context, BASE_USAGE, "--%s: '%.40s' is neither {name} nor {number}", option,
                             brace);
    return BASE_OK;
}

static void make_safe(char *name) {
    for (char *c = name; *c != '\0'; c++)
        if ((!isalnum((unsigned char)*c) && strchr("+-._", *c) == NULL) || (c == name && *c == '.'))
            *c = '_';
    if (strlen(name) > 200) /* a file's name has 255 bytes, with suffixes */
        name[200] = '\0';
}

base_status mm_template_expand(base_context *context, const char *text, const mm_record *record,
                               int64_t number, bool safe, char **result) {
    base_status status;
    char *name = NULL, digits[24];
    int64_t used = 0, capacity = 0;
    *result = NULL;
    BASE_TRY(mm_record_name(context, record, &name));
    if (safe)
        make_safe(name);
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    while (*text != '\0') {
        const int word = find_word(text);
        const char *piece = word == NAME ? name : word == NUMBER ? digits : text;
        const size_t length = word == WORDS ? 1 : strlen(piece);
        BASE_TRY(base_reserve(context, result, &capacity, used + (int64_t)length + 1, 1));
        memcpy(*result + used, piece, length);
        used += (int64_t)length;
        text += word == WORDS ? 1 : strlen(words[word]);
    }
    BASE_TRY(base_reserve(context, result, &capacity, used + 1, 1));
    (*result)[used] = '\0';
done:
    free(name);
    if (status != BASE_OK) {
        free(*result);
        *result = NULL;
    }
    return status;
}
