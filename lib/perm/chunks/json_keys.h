/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON objects that mirror structures: a table of keys writes an object and reads it back. Each key of the
 * table must be there, with a value of its type and range, and no other; a further key is a further row. */
#ifndef PERM_CHUNKS_JSON_KEYS_H
#define PERM_CHUNKS_JSON_KEYS_H

#include "perm/value/value.h"

#include <jansson.h>
#include <stddef.h>

/* How a member becomes JSON and back. `write` gives a new reference; NULL without memory. `read` gives
 * BASE_FAILED, without a message, where the value is not of this type or out of range. */
typedef struct perm_json_type {
    json_t *(*write)(base_context *context, const void *member);
    base_status (*read)(base_context *context, const json_t *json, void *member);
} perm_json_type;

typedef struct perm_json_key {
    const char *name;
    const perm_json_type *type;
    size_t offset; /* of the member */
} perm_json_key;

/* Some keys of a JSON object, for one structure; a table ends with a key whose name is NULL. */
typedef struct perm_json_group {
    const perm_json_key *keys;
    void *object;
} perm_json_group;

/* One object from `count` groups, a new reference; NULL without memory. */
json_t *perm_json_write(base_context *context, const perm_json_group *groups, int count);

/* The way back. Fails with BASE_DAMAGED and names the key. The structures are initialised before. */
base_status perm_json_read(base_context *context, const json_t *json, const perm_json_group *groups,
                           int count);

/* int64_t: any, at least 0, at least 1, at least -1 */
extern const perm_json_type perm_json_integer, perm_json_natural, perm_json_positive, perm_json_digits;
extern const perm_json_type perm_json_boolean; /* bool */
/* double >= 0: as C's %a in a string, exactly, 0 as "0"; perm_json_seconds as a JSON number */
extern const perm_json_type perm_json_real, perm_json_seconds;
/* mpz_t >= 0 in hexadecimal digits */
extern const perm_json_type perm_json_modulus;
/* perm_bound: "MANTISSA EXPONENT", as perm_json_real and in decimal digits */
extern const perm_json_type perm_json_bound;
/* perm_value: "RE IM EXPONENT FIVES MANTISSA EXPONENT", re and im in hexadecimal digits, then the error;
 * exponents up to 2^40 either way */
extern const perm_json_type perm_json_value;
/* char *, read into new memory, NULL written as "": bytes that are '%' or no ASCII become '%' and two digits
 */
extern const perm_json_type perm_json_text;
extern const perm_json_type perm_json_hash;  /* char[BASE_HASH_TEXT] */
extern const perm_json_type perm_json_field; /* mm_field */
extern const perm_json_type perm_json_part;  /* base_part: "2/3", "0/0" */

#endif
