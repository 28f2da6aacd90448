/* SPDX-License-Identifier: BSD-3-Clause */
/* Control characters in text from outside, which a terminal would obey: C0 and DEL, C1 (U+0080 to U+009F,
 * also as lone bytes), the separators of lines and paragraphs, and the marks that turn the direction of
 * writing (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). Other bytes are letters of some encoding. */
#ifndef BASE_CORE_CONTROL_H
#define BASE_CORE_CONTROL_H

#include <stddef.h>

/* Puts '?' in the place of each. */
void base_control_flatten(char *text);

/* A copy for a message: each of them as \n, \x1b or \u0085; what does not fit is left out. `size` is at
 * least 1. */
void base_control_escape(const char *text, char *escaped, size_t size);

#endif
