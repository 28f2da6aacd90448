/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/options.h"
#include "base/run/output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static base_status bad_value(base_context *context, const base_option *option, const char *text) {
    static const char *const wanted[] = {
        [BASE_INTEGER] = "a whole number of at least 0",
        [BASE_REAL] = "a number",
        [BASE_BYTES] = "a number of bytes, as 500M or 8G",
        [BASE_SECONDS] = "a time, as 90s, 5m, 2h or 1d",
        [BASE_PART] = "R/M with R from 1 to M, rank or array",
    };
    return base_fail(context, BASE_USAGE, "--%s: '%s' is not %s%s", option->name, text,
                     option->kind == BASE_CHOICE ? "one of " : "",
                     option->kind == BASE_CHOICE ? option->argument : wanted[option->kind]);
}

/* Reads digits at *text; false if there are none or they overflow. */
static bool read_whole(const char **text, int64_t *value) {
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool read_bytes(const char *text, int64_t *bytes) {
    static const char units[] = "kMGT";
    int64_t value;
    if (!read_whole(&text, &value))
        return false;
    const char *unit = *text != '\0' ? strchr(units, *text == 'K' ? 'k' : *text) : NULL;
    for (const char *u = units; unit != NULL && u <= unit; u++)
        if (__builtin_mul_overflow(value, 1024, &value))
            return false;
    if (unit != NULL)
        text++;
    *bytes = value;
    return *text == '\0';
}

static bool read_real(const char *text, const char **end, double *value) {
    char *rest;
    errno = 0;
    *value = strtod(text, &rest);
    *end = rest;
    return rest != text && errno == 0 && isfinite(*value);
}

static bool read_seconds(const char *text, double *seconds) {
    const char *end;
    if (!read_real(text, &end, seconds) || *seconds < 0)
        return false;
    switch (*end) {
    case 'd': *seconds *= 24; /* fall through */
    case 'h': *seconds *= 60; /* fall through */
    case 'm': *seconds *= 60; /* fall through */
    case 's': end++;
    }
    return *end == '\0';
}

/* The index of `text` among the words of a choice, -1 if it is none of them. */
static int find_word(const char *words, const char *text) {
    size_t length = strlen(text);
    for (int index = 0;; index++) {
        size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, length) == 0)
            return index;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

/* What starters of parallel programs tell each process in its environment: its number from 0, and how many.
 */
static const char *const rank_variables[][2] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI */
    {"SLURM_PROCID", "SLURM_NTASKS"},                 /* srun */
};

/* A variable of the environment with a whole number. */
static bool read_variable(const char *name, int64_t *value) {
    const char *text = getenv(name);
    return text != NULL && read_whole(&text, value) && *text == '\0';
}

static base_status read_rank(base_context *context, base_part *part) {
    for (size_t i = 0; i < sizeof rank_variables / sizeof *rank_variables; i++) {
        const char *const *names = rank_variables[i];
        const bool has_rank = read_variable(names[0], &part->index),
                   has_size = read_variable(names[1], &part->count);
        if (has_rank && has_size && part->index++ < part->count)
            return BASE_OK;
        if (has_rank || has_size)
            return base_fail(context, BASE_USAGE, "--part rank: %s=%s and %s=%s say no rank of a size",
                             names[0], getenv(names[0]) != NULL ? getenv(names[0]) : "", names[1],
                             getenv(names[1]) != NULL ? getenv(names[1]) : "");
    }
    return base_fail(context, BASE_USAGE,
                     "--part rank: this process has no rank: neither OMPI_COMM_WORLD_RANK (mpirun), PMI_RANK "
                     "(MPICH) nor SLURM_PROCID (srun) is set. Start the program by one of these, or say "
                     "--part R/M");
}

/* Numbers of the tasks of an array ascend by a step from any first one. */
static base_status read_array(base_context *context, base_part *part) {
    int64_t id, first, step = 1;
    const bool has_id = read_variable("SLURM_ARRAY_TASK_ID", &id),
               has_first = read_variable("SLURM_ARRAY_TASK_MIN", &first),
               has_count = read_variable("SLURM_ARRAY_TASK_COUNT", &part->count);
    if (!has_id || !has_count)
        return base_fail(
            context, BASE_USAGE,
            "--part array: %s is not set. Submit the job by sbatch --array=1-M, or say --part R/M",
            !has_id ? "SLURM_ARRAY_TASK_ID" : "SLURM_ARRAY_TASK_COUNT");
    read_variable("SLURM_ARRAY_TASK_STEP", &step);
    first = has_first ? first : 1;
    part->index = step > 0 ? (id - first) / step + 1 : 0;
    if (id < first || step < 1 || (id - first) % step != 0 || part->index > part->count)
        return base_fail(context, BASE_USAGE,
                         "--part array: task %lld is not one of %lld from %lld on in steps of %lld; an array "
                         "with gaps cannot be split",
                         (long long)id, (long long)part->count, (long long)first, (long long)step);
    return BASE_OK;
}

static base_status read_part(base_context *context, const base_option *option, const char *text,
                             base_part *part) {
    const char *at = text;
    if (strcmp(text, "rank") == 0)
        return read_rank(context, part);
    if (strcmp(text, "array") == 0)
        return read_array(context, part);
    if (read_whole(&at, &part->index) && *at++ == '/' && read_whole(&at, &part->count) && *at == '\0' &&
        part->index >= 1 && part->index <= part->count)
        return BASE_OK;
    return bad_value(context, option, text);
}

static base_status set_value(base_context *context, const base_option *option, const char *text) {
    bool good = true;
    const char *end = text;
    switch (option->kind) {
    case BASE_FLAG: *(bool *)option->value = true; break;
    case BASE_INTEGER: good = read_whole(&end, option->value) && *end == '\0'; break;
    case BASE_BYTES: good = read_bytes(text, option->value); break;
    case BASE_SECONDS: good = read_seconds(text, option->value); break;
    case BASE_REAL: good = read_real(text, &end, option->value) && *end == '\0'; break;
    case BASE_TEXT: *(const char **)option->value = text; break;
    case BASE_CHOICE: {
        int index = find_word(option->argument, text);
        good = index >= 0;
        if (good)
            *(int *)option->value = index;
        break;
    }
    case BASE_PART: return read_part(context, option, text, option->value);
    }
    return good ? BASE_OK : bad_value(context, option, text);
}

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
    base_status status = set_value(parser->context, option, argument);
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
        base_status status = set_value(context, option, text);
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
