/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of parts: every flipped bit and every cut is damage, and so is a key that is missing, unknown or of
 * another type, under a right checksum too; what is of another format, version or set of options is refused
 * with the reason. */
#include "perm/report/parts.h"
#include "perm/report/part_line.h"
#include "tests/support/tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char path[40]; /* of a file in memory */
static int file;
static base_context context;

static const char hash[] = "0123456789abcdef0123456789abcdef";

/* A line as perm-gpu writes it, by hand: 6·2^3 = 48 in two chunks, the first of them this part's. */
static const char record_object[] =
    "{\"format\":4,\"by\":\"perm-gpu 0.1\",\"options\":\"0123456789abcdef0123456789abcdef\","
    "\"job\":\"0123456789abcdef0123456789abcdef\",\"record\":2,\"name\":\"a%25b\",\"part\":\"1/2\","
    "\"hash\":\"0123456789abcdef0123456789abcdef\",\"field\":\"real\",\"n\":3,\"nnz\":9,\"whole\":true,"
    "\"singular\":false,\"factor\":\"1 0 3 0 0 0\",\"rounded\":\"0 0\",\"absolute\":\"0 0\",\"ones\":0,"
    "\"digits\":0,\"blocks\":[{\"cost\":\"0x1p-20\",\"bits\":26,\"done\":true,\"open\":false,"
    "\"runs\":[{\"method\":\"dense-portable\",\"states\":\"0\",\"transitions\":\"0\","
    "\"subsets\":\"0x1p+3\",\"bytes\":0,\"sum\":{\"chunks\":2,\"share\":[0,1],\"done\":[0,1],"
    "\"value\":\"6 0 0 0 0 0\",\"modulus\":\"0\",\"magnitude\":\"8 0 0 0 0 0\","
    "\"relative_error\":\"0x1p-50\",\"absolute_error\":\"0 0\","
    "\"sample\":{\"error\":\"0x1p-1 -40\",\"other\":\"0x1p-1 -45\","
    "\"magnitude\":\"0x1p-1 5\",\"relative_error\":\"0x1p-50\",\"is_other\":false}}}]}],\"seconds\":0.5,"
    "\"comments\":\"\"}";
static const char end_object[] =
    "{\"format\":4,\"by\":\"perm-gpu 0.1\",\"options\":\"0123456789abcdef0123456789abcdef\","
    "\"job\":\"0123456789abcdef0123456789abcdef\",\"end\":\"1/2\",\"records\":2}";

static void spew(const char *text, size_t bytes) {
    if (ftruncate(file, 0) != 0 || pwrite(file, text, bytes, 0) != (ssize_t)bytes)
        exit(1);
}

/* Reads these bytes as a part. */
static base_status read_bytes(const char *text, size_t bytes) {
    perm_parts *parts = NULL;
    spew(text, bytes);
    context.error.cause[0] = '\0';
    base_status status = perm_parts_open(&context, &parts);
    if (status == BASE_OK)
        status = perm_parts_read(&context, parts, path);
    perm_parts_close(parts);
    return status;
}

static base_status read_text(const char *text) {
    return read_bytes(text, strlen(text));
}

/* The lines of these objects, with their checksums. */
static char *seal(const char *const *objects, int count) {
    char *text = calloc(1, 1);
    for (int k = 0; k < count; k++) {
        json_error_t error;
        char *line = perm_part_line_seal(&context, json_loads(objects[k], 0, &error));
        text = realloc(text, strlen(text) + strlen(line) + 2);
        strcat(strcat(text, line), "\n");
        free(line);
    }
    return text;
}

static base_status read_object(const char *object) {
    char *text = seal(&object, 1);
    const base_status status = read_text(text);
    free(text);
    return status;
}

/* The vector that xxHash publishes for the empty text, and the checksum of a line by that definition. */
static void test_checksum(const char *line) {
    char digits[BASE_HASH_TEXT];
    base_hash_text("", 0, digits);
    tap_ok(strcmp(digits, "99aa06d3014798d86001c324468d497f") == 0, "XXH3 of nothing: %s", digits);
    const char *checksum = strstr(line, ",\"checksum\":\"");
    base_hash_text(line, (size_t)(checksum - line), digits);
    tap_ok(strncmp(checksum + 13, digits, 32) == 0 && strcmp(checksum + 45, "\"}\n") == 0,
           "the checksum of a line is that of the bytes before it");
}

static void test_bits(const char *text) {
    const size_t bytes = strlen(text);
    char *copy = malloc(bytes + 1);
    int taken = 0, other = 0;
    memcpy(copy, text, bytes + 1);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        copy[bit / 8] ^= (char)(1 << bit % 8);
        const base_status status = read_bytes(copy, bytes);
        taken += status == BASE_OK;
        other += status != BASE_OK && status != BASE_DAMAGED;
        copy[bit / 8] ^= (char)(1 << bit % 8);
    }
    tap_ok(taken == 0, "each of %zu flipped bits is seen (%d are not)", 8 * bytes, taken);
    tap_ok(other == 0, "... as damage");
    taken = other = 0;
    for (size_t length = 1; length < bytes; length++) {
        const base_status status = read_bytes(copy, length);
        const bool is_whole = text[length - 1] == '\n'; /* without its end: seen when parts are added up */
        taken += status == BASE_OK && !is_whole;
        other += status != BASE_OK && status != BASE_DAMAGED;
    }
    tap_ok(taken == 0 && other == 0, "each of %zu cuts inside a line is damage", bytes);
    free(copy);
}

/* Whether this value, of way k, may stand under the key. */
static bool is_allowed(const char *key, const json_t *value, size_t k, const json_t *wrong) {
    static const char *const texts[] = {"by", "name", "comments", "method"};
    for (size_t i = 0; json_is_string(wrong) && i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i]) == 0)
            return true;
    return k > 0 && (json_equal(wrong, value) || (json_is_boolean(value) && json_is_boolean(wrong)) ||
                     (json_is_array(wrong) && strcmp(key, "blocks") == 0));
}

/* Without this key, and with other values of it: how many of these are read. */
static int count_taken(json_t *root, json_t *object, const char *key) {
    json_t *wrong[] = {NULL, json_null(), json_true(), json_integer(-7), json_string("x"), json_array()};
    json_t *value = json_incref(json_object_get(object, key));
    int taken = 0;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        if (k == 0)
            json_object_del(object, key);
        else
            json_object_set(object, key, wrong[k]);
        char *text = json_dumps(root, JSON_COMPACT);
        if (!is_allowed(key, value, k, wrong[k]) && read_object(text) != BASE_DAMAGED) {
            taken++;
            tap_note("%s, way %zu: taken", key, k);
        }
        free(text);
        json_decref(wrong[k]);
    }
    json_object_set_new(object, key, value);
    return taken;
}

/* Every key of an object and of those below it; a key more. */
static void count_refused(json_t *root, json_t *object, int *keys, int *taken) {
    enum { MOST = 40 };
    const char *name;
    char *key[MOST];
    json_t *value;
    int count = 0;
    json_object_set_new(object, "surplus", json_integer(1));
    char *text = json_dumps(root, JSON_COMPACT);
    *taken += read_object(text) != BASE_DAMAGED || strstr(context.error.cause, "surplus") == NULL;
    free(text);
    json_object_del(object, "surplus");
    json_object_foreach(object, name, value) {
        key[count++] = strdup(name);
    }
    *keys += count;
    for (int k = 0; k < count; k++) {
        *taken += count_taken(root, object, key[k]);
        value = json_object_get(object, key[k]);
        if (json_is_object(value))
            count_refused(root, value, keys, taken);
        for (size_t i = 0; i < json_array_size(value); i++)
            if (json_is_object(json_array_get(value, i)))
                count_refused(root, json_array_get(value, i), keys, taken);
        free(key[k]);
    }
}

static void test_keys(const char *object, int count) {
    json_error_t error;
    json_t *root = json_loads(object, 0, &error);
    int keys = 0, taken = 0;
    count_refused(root, root, &keys, &taken);
    tap_ok(taken == 0 && keys == count, "%d keys missing, unknown or of another type: %d taken", keys, taken);
    json_decref(root);
}

/* A part that reads well, with one place changed. */
static char *change(const char *object, const char *from, const char *to) {
    const char *at = strstr(object, from);
    char *text = malloc(strlen(object) + strlen(to) + 1);
    sprintf(text, "%.*s%s%s", (int)(at - object), object, to, at + strlen(from));
    return text;
}

static void test_ranges(void) {
    static const char *const changes[][2] = {
        {"\"chunks\":2", "\"chunks\":-2"},
        {"\"share\":[0,1]", "\"share\":[0,3]"},
        {"\"done\":[0,1]", "\"done\":[0,2]"},
        {"\"done\":[0,1]", "\"done\":[]"},
        {"\"done\":[0,1]", "\"done\":[0]"},
        {"\"value\":\"6 0", "\"value\":\"6g 0"},
        {"\"value\":\"6 0", "\"value\":\" 6 0"},
        {"\"value\":\"6 0 0", "\"value\":\"6 0 4611686018427387904"},
        {"\"value\":\"6 0 0", "\"value\":\"6 0 -9223372036854775808"},
        {"\"value\":\"6 0 0", "\"value\":\"6 0 1073741825"}, /* one beyond the range */
        {"\"modulus\":\"0\"", "\"modulus\":\"5\""},
        {"\"relative_error\":\"0x1p-50\"", "\"relative_error\":\"-0x1p-50\""},
        {"\"relative_error\":\"0x1p-50\"", "\"relative_error\":\"inf\""},
        {"\"relative_error\":\"0x1p-50\"", "\"relative_error\":\"\""},
        {"\"record\":2", "\"record\":0"},
        {"\"part\":\"1/2\"", "\"part\":\"3/2\""},
        {"\"part\":\"1/2\"", "\"part\":\"0/0\""},
        {"\"part\":\"1/2\"", "\"part\":\"1/99999999\""},
        {"\"digits\":0", "\"digits\":-2"},
        {"\"field\":\"real\"", "\"field\":\"royal\""},
        {"a%25b", "a%2"},
        {"a%25b", "a%41b"},
        {"\"whole\":true", "\"whole\":false"},
        {"\"bits\":26,\"done\":true", "\"bits\":26,\"done\":false"},
        {"\"seconds\":0.5", "\"seconds\":-0.5"},
        {"\"hash\":\"01", "\"hash\":\"0A"},
    };
    int taken = 0;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        char *object = change(record_object, changes[k][0], changes[k][1]);
        if (read_object(object) != BASE_DAMAGED) {
            taken++;
            tap_note("%s: taken", changes[k][1]);
        }
        free(object);
    }
    tap_ok(taken == 0, "numbers and texts out of range: %d taken", taken);
}

static void refused(const char *what, const char *first, const char *second, base_status status,
                    const char *message) {
    const char *const objects[] = {first, second};
    char *text = seal(objects, 2);
    const base_status got = read_text(text);
    tap_ok(got == status && strstr(context.error.cause, message) != NULL, "%s: status %d, '%s'", what,
           (int)got, context.error.cause);
    free(text);
}

static void test_others(void) {
    char *options = change(end_object, "\"options\":\"01", "\"options\":\"11"),
         *by = change(options, "perm-gpu 0.1", "perm-gpu 9.9 --raw"),
         *format = change(end_object, "\"format\":4", "\"format\":5"),
         *count = change(end_object, "1/2", "1/3"),
         *former = change(record_object, "\"absolute_error\":", "\"constant\":");
    refused("other options", record_object, by, BASE_FAILED, "by 'perm-gpu 0.1' and by 'perm-gpu 9.9 --raw'");
    refused("another number of parts", record_object, count, BASE_FAILED, "split into 2 and into 3");
    refused("an end that came twice", end_object, end_object, BASE_FAILED, "part 1/2 came twice");
    refused("a later format", record_object, format, BASE_DAMAGED, "a line of format 5");
    refused("a key by the name it once had", former, end_object, BASE_DAMAGED,
            "the key 'absolute_error' is missing");
    const char *old = "{\"by\":\"perm-gpu 0.1\",\"job\":\"0123456789abcdef0123456789abcdef\",\"end\":[1,2],"
                      "\"records\":2}\n";
    tap_ok(read_text(old) == BASE_DAMAGED && strstr(context.error.cause, "older version of perm-gpu") != NULL,
           "a line of the format before: '%s'", context.error.cause);
    free(options);
    free(by);
    free(format);
    free(count);
    free(former);
}

int main(void) {
    const char *const objects[] = {record_object, end_object};
    base_context_init(&context);
    file = memfd_create("part", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    char *text = seal(objects, 2), *line = seal(objects, 1);
    tap_ok(file >= 0 && read_text(text) == BASE_OK, "a part is read: %s", context.error.cause);
    tap_ok(strstr(text, hash) != NULL, "... which has hashes");
    test_checksum(line);
    test_bits(text);
    test_keys(record_object, 46);
    test_keys(end_object, 6);
    test_ranges();
    test_others();
    free(text);
    free(line);
    close(file);
    return tap_done();
}
