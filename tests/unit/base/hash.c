/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes as text: the published one of no bytes, the digits of a digest, and files. */
#include "base/core/hash.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The canonical XXH3 of 128 bits of no bytes, without a seed. */
static const char empty[] = "99aa06d3014798d86001c324468d497f";

int main(void) {
    base_context context;
    base_context_init(&context);
    char hash[BASE_HASH_TEXT], same[BASE_HASH_TEXT], room[2 * BASE_HASH_TEXT];
    base_hash_text("", 0, hash);
    tap_ok(strcmp(hash, empty) == 0, "no bytes: %s", hash);
    base_hash_text("a", 1, same);
    tap_ok(strlen(same) == strlen(empty) && strcmp(same, empty) != 0, "another text has another one");

    /* Another byte than those of the digest follows it. */
    unsigned char digest[17];
    for (int i = 0; i < 16; i++)
        digest[i] = (unsigned char)(17 * i);
    digest[16] = 0xab;
    memset(room, '-', sizeof room);
    base_hash_digits(digest, room);
    tap_ok(strcmp(room, "00112233445566778899aabbccddeeff") == 0, "the digits of a digest: %.32s", room);
    bool is_kept = true;
    for (size_t i = BASE_HASH_TEXT; i < sizeof room; i++)
        is_kept = is_kept && room[i] == '-';
    tap_ok(is_kept, "... with a NUL behind them, and no more");

    char path[] = "/tmp/hash.XXXXXX";
    const int descriptor = mkstemp(path);
    if (descriptor < 0 || write(descriptor, "a", 1) != 1)
        abort();
    close(descriptor);
    tap_ok(base_hash_file(&context, path, hash) == BASE_OK && strcmp(hash, same) == 0,
           "a file has that of its bytes");
    unlink(path);
    tap_ok(base_hash_file(&context, path, hash) == BASE_USAGE, "one that is not there has none");
    return tap_done();
}
