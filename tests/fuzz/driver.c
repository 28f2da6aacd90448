/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target without a fuzzer: first every file that is named, then as many random changes of them as
 * FUZZ_RUNS says, from FUZZ_SEED. Prints TAP; a crash shows as a missing plan. */
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef struct input {
    unsigned char *data;
    size_t size;
} input;

enum { LARGEST_BYTES = 1 << 16, ROOM_BYTES = LARGEST_BYTES + 4096 };

static bool read_input(const char *path, input *result) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    result->data = malloc(ROOM_BYTES);
    result->size = result->data != NULL ? fread(result->data, 1, LARGEST_BYTES + 1, file) : 0;
    fclose(file);
    return result->data != NULL && result->size <= LARGEST_BYTES;
}

/* One to four of: a bit turned, a byte set to one that the formats care about, a piece left out, doubled, or
 * taken from another input, the end cut. */
static void change(base_random *random, const input *other, input *data) {
    static const unsigned char telling[] = "\n\r %0123456789-+.eE/\0\xff\x7f\x80";
    for (uint64_t left = 1 + base_random_below(random, 4); left > 0 && data->size > 0; left--) {
        size_t at = base_random_below(random, data->size);
        size_t length = 1 + base_random_below(random, data->size - at < 64 ? data->size - at : 64);
        switch (base_random_below(random, 6)) {
        case 0: data->data[at] ^= (unsigned char)(1u << base_random_below(random, 8)); break;
        case 1: data->data[at] = telling[base_random_below(random, sizeof telling - 1)]; break;
        case 2:
            memmove(data->data + at, data->data + at + length, data->size - at - length);
            data->size -= length;
            break;
        case 3:
            if (data->size + length <= ROOM_BYTES) {
                memmove(data->data + at + length, data->data + at, data->size - at);
                data->size += length;
            }
            break;
        case 4:
            if (length <= other->size) {
                size_t from = base_random_below(random, other->size - length + 1);
                memcpy(data->data + at, other->data + from, length);
            }
            break;
        case 5: data->size = at; break;
        }
    }
}

/* The target sees a block of exactly its size, so that a sanitizer notices the first byte beyond it. */
static void test(const input *data) {
    unsigned char *copy = malloc(data->size + (data->size == 0));
    if (copy == NULL)
        return;
    memcpy(copy, data->data, data->size);
    LLVMFuzzerTestOneInput(copy, data->size);
    free(copy);
}

static uint64_t environment_number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
    input *inputs = calloc((size_t)argc, sizeof *inputs);
    int count = 0;
    if (inputs == NULL)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (read_input(argv[i], &inputs[count]))
            test(&inputs[count++]);
        else
            free(inputs[count].data);
    }
    if (count == 0) {
        free(inputs);
        tap_ok(false, "there are inputs");
        return tap_done();
    }
    tap_ok(true, "%d inputs survived", count);

    uint64_t seed = environment_number("FUZZ_SEED", 1), runs = environment_number("FUZZ_RUNS", 20000);
    tap_note("FUZZ_SEED=%llu", (unsigned long long)seed);
    base_random random;
    base_random_init(&random, seed, 0);
    input changed = {malloc(ROOM_BYTES), 0};
    for (uint64_t run = 0; changed.data != NULL && run < runs; run++) {
        const input *from = &inputs[base_random_below(&random, (uint64_t)count)];
        const input *other = &inputs[base_random_below(&random, (uint64_t)count)];
        changed.size = from->size;
        memcpy(changed.data, from->data, from->size);
        change(&random, other, &changed);
        test(&changed);
    }
    tap_ok(true, "%llu changed inputs survived", (unsigned long long)runs);
    free(changed.data);
    for (int i = 0; i < count; i++)
        free(inputs[i].data);
    free(inputs);
    return tap_done();
}
