/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/control.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The character at the front in UTF-8, -1 where it is none; *bytes: its length. There are no
 * control characters of four bytes. */
static int decode(const unsigned char *text, int *bytes) {
    *bytes = 1;
    if (text[0] < 0x80)
        return text[0];
    if (text[0] >= 0xc2 && text[0] < 0xe0 && (text[1] & 0xc0) == 0x80) {
        *bytes = 2;
        return (text[0] & 0x1f) << 6 | (text[1] & 0x3f);
    }
    if ((text[0] & 0xf0) == 0xe0 && (text[1] & 0xc0) == 0x80 && (text[2] & 0xc0) == 0x80) {
        *bytes = 3;
        return (text[0] & 0x0f) << 12 | (text[1] & 0x3f) << 6 | (text[2] & 0x3f);
    }
    if ((text[0] & 0xf8) == 0xf0 && (text[1] & 0xc0) == 0x80 && (text[2] & 0xc0) == 0x80 &&
        (text[3] & 0xc0) == 0x80) {
        *bytes = 4;
        return 0x10000;
    }
    return -1;
}

/* Whether a control character is at the front; *character: which, -1 for a lone byte. */
static bool find_control(const char *text, int *character, int *bytes) {
    const unsigned char byte = (unsigned char)*text;
    const int c = decode((const unsigned char *)text, bytes);
    *character = c;
    if (c < 0)
        return byte >= 0x80 && byte < 0xa0;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void base_control_flatten(char *text) {
    int character, bytes;
    while (*text >= 0x20 && *text < 0x7f) /* the rule: nothing moves */
        text++;
    char *to = text;
    while (*text != '\0') {
        const bool is_control = find_control(text, &character, &bytes);
        if (is_control)
            *to++ = '?';
        else
            for (int k = 0; k < bytes; k++)
                *to++ = text[k];
        text += bytes;
    }
    *to = '\0';
}

void base_control_escape(const char *text, char *escaped, size_t size) {
    size_t used = 0;
    int character, bytes;
    for (; *text != '\0'; text += bytes) {
        char piece[8];
        if (!find_control(text, &character, &bytes))
            snprintf(piece, sizeof piece, "%.*s", bytes, text);
        else if (character == '\n')
            strcpy(piece, "\\n");
        else if (character == '\t')
            strcpy(piece, "\\t");
        else if (character >= 0x80)
            snprintf(piece, sizeof piece, "\\u%04x", (unsigned)character & 0xffff);
        else
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)*text);
        if (used + strlen(piece) >= size)
            break;
        memcpy(escaped + used, piece, strlen(piece));
        used += strlen(piece);
    }
    escaped[used] = '\0';
}
