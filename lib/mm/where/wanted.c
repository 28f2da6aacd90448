/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a user asks for, and which of them were there. */
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/where/where.h"

#include <stdlib.h>
#include <string.h>

struct mm_names {
    char *text;    /* each name ended by a NUL … */
    int64_t count; /* … so many */
    bool *found;
};

base_status mm_names_open(base_context *context, const char *list, mm_names **result) {
    base_status status = BASE_OK;
    mm_names *names = base_alloc_zero(context, 1, sizeof *names);
    if (names == NULL)
        BASE_TRY(BASE_MACHINE);
    names->text = base_copy_text(context, list, (int64_t)strlen(list));
    if (names->text == NULL)
        BASE_TRY(BASE_MACHINE);
    names->count = 1;
    for (char *comma = strchr(names->text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        *comma = '\0';
        names->count++;
    }
    names->found = base_alloc_zero(context, names->count, sizeof *names->found);
    if (names->found == NULL)
        BASE_TRY(BASE_MACHINE);
done:
    if (status != BASE_OK) {
        mm_names_close(names);
        names = NULL;
    }
    *result = names;
    return status;
}

void mm_names_close(mm_names *names) {
    if (names == NULL)
        return;
    free(names->text);
    free(names->found);
    free(names);
}

base_status mm_names_test(base_context *context, mm_names *names, const mm_record *record, bool *holds) {
    char *name;
    const char *pattern = names->text;
    const base_status status = mm_record_name(context, record, &name);
    *holds = false;
    if (status != BASE_OK)
        return status;
    for (int64_t i = 0; i < names->count; i++, pattern += strlen(pattern) + 1)
        if (mm_name_matches(pattern, name))
            *holds = names->found[i] = true;
    free(name);
    return BASE_OK;
}

const char *mm_names_missing(const mm_names *names) {
    const char *pattern = names->text;
    for (int64_t i = 0; i < names->count; i++, pattern += strlen(pattern) + 1)
        if (!names->found[i] && strpbrk(pattern, "*?[") == NULL)
            return pattern;
    return NULL;
}
