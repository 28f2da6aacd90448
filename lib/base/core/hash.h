/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes as text: XXH3 of 128 bits, in 32 hexadecimal digits. */
#ifndef BASE_CORE_HASH_H
#define BASE_CORE_HASH_H

#include "base/core/context.h"

#include <stddef.h>

enum { BASE_HASH_TEXT = 33 }; /* the digits and a NUL */

/* Of `bytes` bytes; O(bytes). */
void base_hash_text(const void *data, size_t bytes, char hash[BASE_HASH_TEXT]);

/* Of the bytes of a file. Fails with BASE_USAGE where it cannot be opened, with BASE_MACHINE where it cannot
 * be read. */
base_status base_hash_file(base_context *context, const char *path, char hash[BASE_HASH_TEXT]);

/* The digits of a digest in its canonical form (big-endian). */
void base_hash_digits(const unsigned char digest[16], char hash[BASE_HASH_TEXT]);

#endif
