/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- command line ---- */

typedef struct parser {
    base_context *context;
    const base_option *const *tables;
    int argc, index; /* of the word being parsed */
    char **argv;
    base_option_seen *seen;
    void *data;
} parser;

static base_status accept(parser *parser, const base_option *option, const char *argument) {
    base_status status = base_option_set(parser->context, option, argument);
    if (status == BASE_OK && parser->seen != NULL)
        status = parser->seen(parser->data, option, argument);
    return status;
}

static const base_option *find_letter(const parser *parser, char letter) {
    for (const base_option *const *table = parser->tables; *table != NULL; table++)
        for (const base_option *option = *table; option->name != NULL; option++)
            if (option->letter == letter)
                return option;
    return NULL;
}

enum { LONGEST_NAME = 40 };

/* Letters to insert, drop, replace or exchange with a neighbour to make one word of another (Damerau: A
 * technique for computer detection and correction of spelling errors, 1964). */
static int spelling_distance(const char *one, size_t one_length, const char *other, size_t other_length) {
    int rows[3][LONGEST_NAME + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= other_length; j++)
        above[j] = (int)j;
    for (size_t i = 1; i <= one_length; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= other_length; j++) {
            const int replaced = above[j - 1] + (one[i - 1] != other[j - 1]);
            const int dropped = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = replaced < dropped ? replaced : dropped;
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        int *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[other_length];
}

/* The option that the user may have meant: a third of its letters may be wrong. NULL: there is none. */
static const char *find_nearest(const parser *parser, const char *name, size_t length) {
    const char *nearest = NULL;
    int least = LONGEST_NAME;
    for (const base_option *const *table = parser->tables; length <= LONGEST_NAME && *table != NULL; table++)
        for (const base_option *option = *table; option->name != NULL; option++) {
            const size_t other = strlen(option->name);
            if (option->help == NULL || other > LONGEST_NAME)
                continue;
            const int distance = spelling_distance(name, length, option->name, other);
            if (distance < least && 3 * distance <= (int)(other > length ? other : length)) {
                least = distance;
                nearest = option->name;
            }
        }
    return nearest;
}

static base_status ambiguous(const parser *parser, const char *name, size_t length) {
    char list[256] = "";
    for (const base_option *const *table = parser->tables; *table != NULL; table++)
        for (const base_option *option = *table; option->name != NULL; option++)
            if (option->help != NULL && strncmp(option->name, name, length) == 0)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s--%s", *list ? ", " : "",
                         option->name);
    return base_fail(parser->context, BASE_USAGE, "ambiguous option --%.*s; these begin so: %s", (int)length,
                     name, list);
}

/* An exact name, or the only one that begins so. */
static base_status find_name(const parser *parser, const char *name, size_t length,
                             const base_option **found) {
    int candidates = 0;
    *found = NULL;
    for (const base_option *const *table = parser->tables; *table != NULL; table++)
        for (const base_option *option = *table; option->name != NULL; option++) {
            if (strncmp(option->name, name, length) != 0 ||
                (option->help == NULL && option->name[length] != '\0'))
                continue;
            *found = option;
            if (option->name[length] == '\0')
                return BASE_OK;
            candidates++;
        }
    if (candidates == 1)
        return BASE_OK;
    if (candidates > 0)
        return ambiguous(parser, name, length);
    const char *nearest = find_nearest(parser, name, length);
    return base_fail(parser->context, BASE_USAGE, "unknown option --%.*s%s%s", (int)length, name,
                     nearest != NULL ? "; the nearest is --" : "", nearest != NULL ? nearest : "");
}

/* The next word of the command line, NULL behind the last. */
static const char *next_word(parser *parser) {
    return parser->index + 1 < parser->argc ? parser->argv[++parser->index] : NULL;
}

static base_status parse_long(parser *parser) {
    const char *name = parser->argv[parser->index] + 2;
    size_t length = strcspn(name, "=");
    const char *argument = name[length] == '=' ? name + length + 1 : NULL;
    const base_option *option;
    base_status status = find_name(parser, name, length, &option);
    if (status != BASE_OK)
        return status;
    if (option->kind == BASE_FLAG && argument != NULL)
        return base_fail(parser->context, BASE_USAGE, "option --%s takes no argument", option->name);
    if (option->kind != BASE_FLAG && argument == NULL && (argument = next_word(parser)) == NULL)
        return base_fail(parser->context, BASE_USAGE, "option --%s needs an argument", option->name);
    return accept(parser, option, argument);
}

/* Flags may share a word; the rest of a word, or the next one, is the argument of an option that takes one.
 */
static base_status parse_letters(parser *parser) {
    for (const char *letter = parser->argv[parser->index] + 1; *letter != '\0'; letter++) {
        const base_option *option = find_letter(parser, *letter);
        if (option == NULL)
            return base_fail(parser->context, BASE_USAGE, "unknown option -%c", *letter);
        if (option->kind == BASE_FLAG) {
            const base_status status = accept(parser, option, NULL);
            if (status != BASE_OK)
                return status;
            continue;
        }
        const char *argument = letter[1] != '\0' ? letter + 1 : next_word(parser);
        if (argument == NULL)
            return base_fail(parser->context, BASE_USAGE, "option -%c needs an argument", *letter);
        return accept(parser, option, argument);
    }
    return BASE_OK;
}

base_status base_options_parse(base_context *context, const base_option *const *tables, int argc, char **argv,
                               int *operands, base_option_seen *seen, void *data) {
    parser parser = {context, tables, argc, 1, argv, seen, data};
    int count = 0;
    bool options_ended = false;
    for (; parser.index < argc; parser.index++) {
        char *word = argv[parser.index];
        base_status status = BASE_OK;
        if (options_ended || word[0] != '-' || word[1] == '\0')
            argv[1 + count++] = word;
        else if (strcmp(word, "--") == 0)
            options_ended = true;
        else
            status = word[1] == '-' ? parse_long(&parser) : parse_letters(&parser);
        if (status != BASE_OK)
            return status;
    }
    *operands = count;
    return BASE_OK;
}

base_status base_options_environment(base_context *context, const base_option *table) {
    for (const base_option *option = table; option->name != NULL; option++) {
        char name[64] = "MMPIPE_";
        size_t length = strlen(name);
        for (const char *c = option->name; *c != '\0' && length + 1 < sizeof name; c++)
            name[length++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
        name[length] = '\0';
        const char *text = getenv(name);
        if (text == NULL || *text == '\0')
            continue;
        base_status status = base_option_set(context, option, text);
        if (status != BASE_OK)
            return base_fail_after(context, "; the environment variable %s has it", name);
    }
    return BASE_OK;
}

/* ---- help ---- */

enum { HELP_COLUMN = 28 };

static base_status help_line(base_context *context, base_output *output, const base_option *option) {
    char left[128];
    int length = option->letter != '\0'
                     ? snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name)
                     : snprintf(left, sizeof left, "      --%s", option->name);
    if (option->argument != NULL)
        length += snprintf(left + length, sizeof left - (size_t)length, "=%s", option->argument);
    base_status status = BASE_OK;
    if (length + 1 < HELP_COLUMN)
        BASE_TRY(base_output_print(context, output, "%-*s", HELP_COLUMN, left));
    else
        BASE_TRY(base_output_print(context, output, "%s\n%*s", left, HELP_COLUMN, ""));
    for (const char *text = option->help; text != NULL;) {
        size_t line = strcspn(text, "\n");
        BASE_TRY(base_output_print(context, output, "%.*s\n", (int)line, text));
        text = text[line] == '\n' ? text + line + 1 : NULL;
        if (text != NULL)
            BASE_TRY(base_output_print(context, output, "%*s", HELP_COLUMN, ""));
    }
done:
    return status;
}

base_status base_options_help(base_context *context, base_output *output, const base_option *table) {
    base_status status = BASE_OK;
    for (const base_option *option = table; option->name != NULL && status == BASE_OK; option++)
        if (option->help != NULL)
            status = help_line(context, output, option);
    return status;
}
