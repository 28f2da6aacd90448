/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

base_status base_option_set(base_context *context, const base_option *option, const char *text) {
    bool good = true;
    const char *end = text;
    switch (option->kind) {
    case BASE_FLAG: *(bool *)option->value = true; break;
    case BASE_INTEGER: good = read_whole(&end, option->value) && *end == '\0'; break;
    case BASE_BYTES: good = read_bytes(text, option->value); break;
    case BASE_SECONDS: good = read_seconds(text, option->value); break;
    case BASE_REAL: good = read_real(text, &end, option->value) && *end == '\0'; break;
    case BASE_INPUT:
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
