/* SPDX-License-Identifier: BSD-3-Clause */
/* Comment lines with keys: known answers for lines of every shape, and random ones against a search that goes
 * from line to line. */
#include "mm/metadata/metadata.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mm_record record_of(const char *comments) {
    mm_record record;
    mm_record_init(&record);
    record.comments = strdup(comments);
    return record;
}

static void expect(const char *comments, const char *key, const char *wanted) {
    mm_record record = record_of(comments);
    char value[64] = "";
    const bool found = mm_metadata_get(&record, key, value, sizeof value);
    tap_ok(found == (wanted != NULL) && (!found || strcmp(value, wanted) == 0), "%s: %s", key,
           wanted != NULL ? wanted : "is not there");
    if (found != (wanted != NULL))
        tap_note("in %s it is '%s'", comments, value);
    mm_record_free(&record);
}

static void test_get(void) {
    static const char lines[] = "% name: order.for: x\n%%  order.for :  perm \t\n% order.for2: no\n%\n"
                                "% in.order.c: 5\n% order.c\n% order.k:3\n% order.k: 4\n\t% last:";
    expect(lines, "name", "order.for: x");
    expect(lines, "order.for", "perm");
    expect(lines, "order.c", NULL);
    expect(lines, "order", NULL);
    expect(lines, "in.order.c", "5");
    expect(lines, "order.k", "3");
    expect(lines, "last", "");
    expect("", "name", NULL);
    expect("% namename: 1\n% name: 2\n", "name", "2");
    expect("% name name: 1\n", "name", NULL);
    mm_record none;
    mm_record_init(&none);
    tap_ok(!mm_metadata_get(&none, "name", NULL, 0), "a record without comments has no keys");
}

static void expect_comments(mm_record *record, const char *wanted, const char *what) {
    tap_ok(strcmp(record->comments, wanted) == 0, "%s", what);
    if (strcmp(record->comments, wanted) != 0)
        tap_note("'%s' where '%s' belongs", record->comments, wanted);
}

static void test_set(base_context *context) {
    mm_record record;
    char lengthy[1001], wanted[2000];
    mm_record_init(&record);
    bool good = mm_metadata_set(context, &record, "a", "%s", "x\ny\x7fz") == BASE_OK &&
                mm_metadata_set(context, &record, "b", "%lld", (long long)INT64_MIN) == BASE_OK &&
                mm_metadata_add(context, &record, "a", "%d of %s", 2, "two") == BASE_OK;
    tap_ok(good, "lines are set and added");
    expect_comments(&record, "% a: x?y?z\n% b: -9223372036854775808\n% a: 2 of two\n",
                    "... as they should be");
    good = mm_metadata_set(context, &record, "a", "%lld", 7LL) == BASE_OK &&
           mm_metadata_set(context, &record, "b", "%.3g", 0.125) == BASE_OK;
    tap_ok(good, "lines are replaced");
    expect_comments(&record, "% a: 7\n% b: 0.125\n% a: 2 of two\n", "... the first of its key");
    memset(lengthy, 'l', 1000);
    lengthy[1000] = '\0';
    snprintf(wanted, sizeof wanted, "%% a: 7\n%% b: %s!\n%% a: 2 of two\n", lengthy);
    good = mm_metadata_set(context, &record, "b", "%s!", lengthy) == BASE_OK;
    tap_ok(good, "a value of 1001 bytes");
    expect_comments(&record, wanted, "... is whole");
    mm_metadata_remove(&record, "a");
    snprintf(wanted, sizeof wanted, "%% b: %s!\n", lengthy);
    expect_comments(&record, wanted, "all lines of a key are removed");
    mm_record_free(&record);
}

/* The value of the first line with the key, from line to line. */
static const char *search(const char *line, const char *key) {
    for (; line != NULL && *line != '\0'; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL) {
        const char *text = line + strspn(line, "% \t\r");
        if (strncmp(text, key, strlen(key)) != 0)
            continue;
        text += strlen(key);
        text += strspn(text, " \t\r");
        if (*text == ':')
            return text + 1;
    }
    return NULL;
}

static void test_random(void) {
    static const char letters[] = "%% \n:aab\t";
    base_random random;
    int wrong = 0, found = 0;
    base_random_init(&random, tap_seed(), 0);
    for (int trial = 0; trial < 20000; trial++) {
        char text[40];
        const size_t length = (size_t)(base_random_bits(&random) % sizeof text);
        for (size_t k = 0; k < length; k++)
            text[k] = letters[base_random_bits(&random) % (sizeof letters - 1)];
        text[length] = '\0';
        mm_record record = record_of(text);
        for (int k = 0; k < 2; k++) {
            const char *key = k == 0 ? "a" : "ab", *wanted = search(text, key);
            size_t bytes;
            const char *value = mm_metadata_find(&record, key, &bytes);
            wrong += (value != NULL) != (wanted != NULL) ||
                     (value != NULL && value - record.comments != wanted + strspn(wanted, " \t\r") - text);
            found += value != NULL;
        }
        mm_record_free(&record);
    }
    tap_ok(wrong == 0 && found > 1000, "random comments: %d lines found, %d not as from line to line", found,
           wrong);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    test_get();
    test_set(&context);
    test_random();
    return tap_done();
}
