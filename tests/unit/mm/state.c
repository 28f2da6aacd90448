/* SPDX-License-Identifier: BSD-3-Clause */
/* States: what is saved is loaded by the same options alone, to their last byte; states of older and later
 * formats are refused by name. */
#include "mm/stream/state.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/writer.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/mmpipe-state-XXXXXX";
static base_context context;

static base_status load(const base_identity *identity, char **payload) {
    int64_t bytes;
    bool damaged;
    char note[512];
    context.error.cause[0] = '\0';
    return mm_state_load(&context, path, identity, payload, &bytes, NULL, &damaged, note);
}

typedef struct metadata {
    const char *key, *value;
} metadata;

static base_status write_record(base_context *context, base_output *output, const void *data) {
    base_status status;
    mm_writer *writer = NULL;
    mm_record record;
    mm_record_init(&record);
    record.kind = MM_STATE;
    record.payload = strdup("payload");
    record.payload_bytes = 7;
    for (const metadata *line = data; line->key != NULL; line++)
        BASE_TRY(mm_metadata_set(context, &record, line->key, "%s", line->value));
    BASE_TRY(mm_writer_open(context, output, BASE_FORM_BINARY, true, false, &writer));
    BASE_TRY(mm_writer_put(context, writer, &record));
    BASE_TRY(mm_writer_finish(context, writer));
done:
    mm_writer_close(writer);
    mm_record_free(&record);
    return status;
}

/* A state with these metadata is refused with the message. */
static void refused(const char *what, const metadata *lines, const base_identity *identity,
                    const char *message) {
    base_checkpoint checkpoint;
    char *payload = NULL;
    base_checkpoint_init(&checkpoint, path);
    const bool is_written =
        base_checkpoint_save(&context, &checkpoint, false, write_record, lines) == BASE_OK;
    const base_status status = load(identity, &payload);
    tap_ok(is_written && status == BASE_USAGE && payload == NULL && strstr(context.error.cause, message),
           "%s: status %d, '%s'", what, (int)status, context.error.cause);
    free(payload);
}

static void test_options(void) {
    enum { LONG = 100000 };
    char *argument = malloc(LONG + 1), *payload = NULL;
    base_identity one, other;
    base_checkpoint checkpoint;
    memset(argument, '1', LONG);
    argument[LONG] = '\0';
    bool good = base_identity_start(&context, &one, "test", "1") == BASE_OK &&
                base_identity_copy(&context, &other, &one) == BASE_OK &&
                base_identity_add(&context, &one, "list", argument) == BASE_OK;
    argument[LONG - 1] = '2';
    good = good && base_identity_add(&context, &other, "list", argument) == BASE_OK;
    tap_ok(good && strlen(one.text) == strlen("test 1 --list ") + LONG, "an identity of 100 kB");
    base_checkpoint_init(&checkpoint, path);
    good = mm_state_save(&context, &checkpoint, false, &one, "payload", 7, NULL, NULL) == BASE_OK;
    tap_ok(good && load(&one, &payload) == BASE_OK && strcmp(payload, "payload") == 0, "a state is loaded");
    free(payload);
    tap_ok(load(&other, &payload) == BASE_USAGE && strstr(context.error.cause, "1111', not of '...1111"),
           "... not with options that differ in their last byte: %s", context.error.cause);
    base_identity_free(&one);
    base_identity_free(&other);
    free(argument);
}

/* "a", "bc" and "ab", "c"; a control character and the '?' that stands for it in the text. */
static void test_hashes(void) {
    static const char *const options[][2] = {{"a", "bc"}, {"ab", "c"}, {"a", "b"},
                                             {"a", NULL}, {"a", "?"},  {"a", "\n"}};
    enum { COUNT = sizeof options / sizeof *options };
    base_identity identity[COUNT];
    int same = 0;
    for (int k = 0; k < COUNT; k++) {
        base_identity_start(&context, &identity[k], "test", "1");
        base_identity_add(&context, &identity[k], options[k][0], options[k][1]);
        for (int before = 0; before < k; before++)
            same += strcmp(identity[k].hash, identity[before].hash) == 0;
    }
    tap_ok(same == 0, "other options have another hash");
    tap_ok(strcmp(identity[COUNT - 1].text, "test 1 --a ?") == 0, "... and a text of one line");
    for (int k = 0; k < COUNT; k++)
        base_identity_free(&identity[k]);
}

int main(void) {
    base_identity identity;
    close(mkstemp(path));
    base_context_init(&context);
    test_options();
    test_hashes();
    base_identity_start(&context, &identity, "test", "1");
    const metadata old[] = {{"state.of", "test 1"}, {NULL, NULL}},
                   later[] = {{"state.of", "test 1"}, {"state.format", "3"}, {NULL, NULL}},
                   hash[] = {{"state.of", "test 1"},
                             {"state.format", "2"},
                             {"state.options", "0"},
                             {NULL, NULL}},
                   none[] = {{"title", "test 1"}, {NULL, NULL}};
    refused("a state of an older version", old, &identity, "was saved by an older version of the program");
    refused("of a later one", later, &identity, "is a state of format 3; this version reads format 2");
    refused("with another hash", hash, &identity, "is the state of 'test 1', not of 'test 1'");
    refused("no state", none, &identity, "is no state of a computation");
    base_identity_free(&identity);
    base_checkpoint_remove(path);
    return tap_done();
}
