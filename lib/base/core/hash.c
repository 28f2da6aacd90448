#include "base/core/hash.h"

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

void base_hash_text(const void *data, size_t bytes, char hash[BASE_HASH_TEXT]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, bytes));
    base_hash_digits(canonical.digest, hash);
}
