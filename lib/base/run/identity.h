/* SPDX-License-Identifier: BSD-3-Clause */
/* What a result depends on besides its input: the program, its version and the options that change results.
 * Texts have any length; nothing is cut. */
#ifndef BASE_RUN_IDENTITY_H
#define BASE_RUN_IDENTITY_H

#include "base/core/context.h"
#include "base/core/hash.h"

typedef struct base_identity {
    char *text; /* one line for people, "perm-gpu 0.1 --raw"; control characters are '?' */
    /* Of the program and of every option with its argument, each byte as it was given: two identities are
     * the same where their hashes are. */
    char hash[BASE_HASH_TEXT];
} base_identity;

/* All zero is the identity of nothing. */
base_status base_identity_start(base_context *context, base_identity *identity, const char *program,
                                const char *version);
void base_identity_free(base_identity *identity); /* NULL is allowed */
base_status base_identity_copy(base_context *context, base_identity *to, const base_identity *from);

/* Adds an option; `argument` is NULL for a flag. */
base_status base_identity_add(base_context *context, base_identity *identity, const char *option,
                              const char *argument);

/* The identity of part `index` of `count`; 0/0: of the whole. */
base_status base_identity_copy_part(base_context *context, base_identity *to, const base_identity *from,
                                    int64_t index, int64_t count);

/* Two texts for one message, a line each of at most BASE_EXCERPT bytes with its NUL: all of them where both
 * are short, else what stands around their first difference, with "..." where something is left out. */
enum { BASE_EXCERPT = 160 };
void base_identity_excerpts(const char *one, const char *other, char excerpt[2][BASE_EXCERPT]);

#endif
