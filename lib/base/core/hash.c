/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/hash.h"
#include "base/core/file.h"

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void base_hash_digits(const unsigned char digest[16], char hash[BASE_HASH_TEXT]) {
    static const char digit[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        hash[2 * i] = digit[digest[i] >> 4];
        hash[2 * i + 1] = digit[digest[i] & 15];
    }
    hash[BASE_HASH_TEXT - 1] = '\0';
}

static void take_digest(XXH128_hash_t digest, char hash[BASE_HASH_TEXT]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, digest);
    base_hash_digits(canonical.digest, hash);
}

void base_hash_text(const void *data, size_t bytes, char hash[BASE_HASH_TEXT]) {
    take_digest(XXH3_128bits(data, bytes), hash);
}

base_status base_hash_file(base_context *context, const char *path, char hash[BASE_HASH_TEXT]) {
    base_status status;
    int descriptor = -1;
    char buffer[32768];
    ssize_t count;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    BASE_TRY(base_open_read(context, path, &descriptor));
    while ((count = base_read(descriptor, buffer, sizeof buffer)) > 0)
        XXH3_128bits_update(&state, buffer, (size_t)count);
    if (count < 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "%s", path));
    take_digest(XXH3_128bits_digest(&state), hash);
done:
    if (descriptor >= 0)
        close(descriptor);
    return status;
}
