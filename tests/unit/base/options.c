/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: every kind of option, prefixes, mistakes. */
#include "base/run/options.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    bool flag, other_flag;
    int64_t integer, bytes;
    double seconds, real;
    const char *text;
    int choice;
    base_part part;
} values;

static base_context context;
static values got;
static int operand_count;
static char *words[16];

/* Parses words separated by blanks. */
static base_status parse(const char *line) {
    static char buffer[256];
    strcpy(buffer, line);
    got = (values){.integer = -1};
    const base_option table[] = {
        {"flag", 'f', BASE_FLAG, NULL, "", &got.flag},
        {"flat", 'g', BASE_FLAG, NULL, "", &got.other_flag},
        {"integer", 'i', BASE_INTEGER, "N", "", &got.integer},
        {"bytes", 0, BASE_BYTES, "N", "", &got.bytes},
        {"seconds", 0, BASE_SECONDS, "TIME", "", &got.seconds},
        {"real", 0, BASE_REAL, "X", "", &got.real},
        {"text", 't', BASE_TEXT, "FILE", "", &got.text},
        {"choice", 0, BASE_CHOICE, "red|green|blue", "", &got.choice},
        {"part", 0, BASE_PART, "R/M", "", &got.part},
        BASE_OPTIONS_END,
    };
    const base_option *tables[] = {table, NULL};
    int argc = 0;
    words[argc++] = "program";
    for (char *word = strtok(buffer, " "); word != NULL; word = strtok(NULL, " "))
        words[argc++] = word;
    return base_options_parse(&context, tables, argc, words, &operand_count, NULL, NULL);
}

/* Tasks of Slurm arrays: 1-4, 0-7 in steps of 2, and what is no part. */
static void test_array(void) {
    static const struct {
        const char *id, *first, *step, *count;
        int64_t index; /* 0: refused */
    } cases[] = {{"1", "1", "1", "4", 1}, {"4", "1", "1", "4", 4},   {"0", "0", "2", "4", 1},
                 {"6", "0", "2", "4", 4}, {"3", NULL, NULL, "5", 3}, {"5", "1", "1", "4", 0},
                 {"3", "0", "2", "4", 0}, {"x", "1", "1", "4", 0},   {NULL, "1", "1", "4", 0},
                 {"1", "1", "1", NULL, 0}};
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const values[] = {cases[k].id, cases[k].first, cases[k].step, cases[k].count};
        for (int i = 0; i < 4; i++)
            values[i] != NULL ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
        const base_status status = parse("--part array");
        tap_ok(cases[k].index > 0 ? status == BASE_OK && got.part.index == cases[k].index &&
                                        got.part.count == atoi(cases[k].count)
                                  : status == BASE_USAGE,
               "task %s of %s, first %s, step %s", cases[k].id != NULL ? cases[k].id : "-",
               cases[k].count != NULL ? cases[k].count : "-", cases[k].first != NULL ? cases[k].first : "-",
               cases[k].step != NULL ? cases[k].step : "-");
    }
    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
    tap_ok(parse("--part array") == BASE_USAGE &&
               strstr(context.error.cause, "SLURM_ARRAY_TASK_ID is not set") != NULL,
           "no array: %s", context.error.cause);
}

static void test_values(void) {
    tap_ok(parse("--integer=5 -f a --text x b") == BASE_OK && got.integer == 5 && got.flag &&
               strcmp(got.text, "x") == 0 && operand_count == 2 && strcmp(words[2], "b") == 0,
           "options and operands mix");
    tap_ok(parse("-fgi7") == BASE_OK && got.flag && got.other_flag && got.integer == 7,
           "letters share a word");
    tap_ok(parse("-i 7 -- -f") == BASE_OK && !got.flag && operand_count == 1, "-- ends the options");
    tap_ok(parse("-") == BASE_OK && operand_count == 1, "- is an operand");
    tap_ok(parse("--bytes 3k") == BASE_OK && got.bytes == 3072, "3k is 3072 bytes");
    tap_ok(parse("--bytes 2G") == BASE_OK && got.bytes == (int64_t)2 << 30, "2G is 2^31 bytes");
    tap_ok(parse("--seconds 1.5h") == BASE_OK && got.seconds == 5400, "1.5h is 5400 seconds");
    tap_ok(parse("--real -2.5e3") == BASE_OK && got.real == -2500, "a real may be negative");
    tap_ok(parse("--choice blue") == BASE_OK && got.choice == 2, "a choice is an index");
    setenv("SLURM_PROCID", "2", 1);
    setenv("SLURM_NTASKS", "7", 1);
    tap_ok(parse("--part rank") == BASE_OK && got.part.index == 3 && got.part.count == 7, "a Slurm process");
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    tap_ok(parse("--part rank") == BASE_OK && got.part.index == 1 && got.part.count == 4,
           "a process of mpirun");
    setenv("OMPI_COMM_WORLD_RANK", "4", 1);
    tap_ok(parse("--part rank") == BASE_USAGE, "a rank beyond the size");
    for (const char *const *name =
             (const char *const[]){"SLURM_PROCID", "SLURM_NTASKS", "OMPI_COMM_WORLD_RANK",
                                   "OMPI_COMM_WORLD_SIZE", NULL};
         *name != NULL; name++)
        unsetenv(*name);
    tap_ok(parse("--part rank") == BASE_USAGE && strstr(context.error.cause, "OMPI_COMM_WORLD_RANK (mpirun)"),
           "no such process: %s", context.error.cause);
    setenv("PMI_RANK", "1", 1);
    tap_ok(parse("--part rank") == BASE_USAGE && strstr(context.error.cause, "PMI_RANK=1 and PMI_SIZE= "),
           "a rank without a size: %s", context.error.cause);
    unsetenv("PMI_RANK");
    test_array();
    tap_ok(parse("--part 2/3") == BASE_OK && got.part.index == 2 && got.part.count == 3, "a part");
    tap_ok(parse("--int 9") == BASE_OK && got.integer == 9, "an unambiguous prefix works");
    tap_ok(parse("--flag") == BASE_OK && got.flag, "an exact name works");
}

static void test_mistakes(void) {
    static const char *const mistakes[] = {
        "--fla",
        "--unknown",
        "-x",
        "--integer",
        "--integer=",
        "--integer x",
        "--integer -5",
        "--flag=1",
        "--bytes 3q",
        "--bytes 3kk",
        "--seconds -1",
        "--seconds 5y",
        "--real nan",
        "--real 1e999",
        "--choice r",
        "--choice red|green",
        "--part 0/3",
        "--part 4/3",
        "--part 1",
        "--part 1/3x",
        "--integer 99999999999999999999",
        "--bytes 9999999999999T",
        "-i",
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        tap_ok(parse(mistakes[i]) == BASE_USAGE && context.error.cause[0] != '\0', "refused: %s",
               mistakes[i]);
}

static void test_environment(void) {
    int64_t limit = 0;
    const base_option table[] = {{"time-limit", 0, BASE_INTEGER, "N", "", &limit}, BASE_OPTIONS_END};
    setenv("MMPIPE_TIME_LIMIT", "12", 1);
    tap_ok(base_options_environment(&context, table) == BASE_OK && limit == 12, "MMPIPE_TIME_LIMIT sets it");
    setenv("MMPIPE_TIME_LIMIT", "soon", 1);
    tap_ok(base_options_environment(&context, table) == BASE_USAGE, "a bad value is refused");
}

int main(void) {
    base_context_init(&context);
    test_values();
    test_mistakes();
    test_environment();
    return tap_done();
}
