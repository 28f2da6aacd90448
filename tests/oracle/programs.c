/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn matrices through perm-gpu and perm-fold: the reader, the stream, JSON and parts. */
#include "tests/oracle/run.h"
#include "tests/support/tap.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Matrices of the stream that is killed, and how often it is. */
enum { FEW = 60, KILLS = 12 };

/* A way to compute all matrices of the stream. */
typedef struct job {
    const char *options; /* of perm-gpu */
    int parts;           /* 0: it is not split */
    int64_t digits;      /* that it prints, as for perm_value_print_digits */
    bool is_exact, is_decimal, is_certified;
    bool is_killed; /* again and again, and goes on from its state: the first matrices only */
} job;

static const job jobs[] = {{"", 0, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--raw -j2", 0, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--certify", 0, PERM_DIGITS_SHORTEST, false, false, true, false},
                           {"--precision double --raw", 0, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--verify --verify-share 1", 0, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--exact", 0, PERM_DIGITS_ALL, true, false, false, false},
                           {"--exact --decimal", 0, PERM_DIGITS_ALL, true, true, false, false},
                           {"--precision dd", 0, 31, false, false, false, false},
                           {"--precision mpfr:200", 0, 60, false, false, false, false},
                           {"", 2, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--raw", 3, PERM_DIGITS_SHORTEST, false, false, false, false},
                           {"--precision dd", 2, 31, false, false, false, false},
                           {"--exact", 3, PERM_DIGITS_ALL, true, false, false, false},
                           {"--raw --kernel frontier --verify", 0, PERM_DIGITS_SHORTEST, .is_killed = true},
                           {"--raw -j2", 0, PERM_DIGITS_SHORTEST, .is_killed = true},
                           {"--exact", 0, PERM_DIGITS_ALL, .is_exact = true, .is_killed = true}};
enum { JOBS = sizeof jobs / sizeof *jobs };

typedef struct programs {
    char folder[64];
    int64_t count;
    oracle_matrix *matrix;
    oracle_number **permanent, **of_decimals; /* the latter NULL where texts are too long */
} programs;

static int run_command(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run_command(const char *format, ...) {
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command);
}

/* ---- the stream ---- */

static int64_t count_of(const programs *programs, const job *job) {
    return job->is_killed && programs->count > FEW ? FEW : programs->count;
}

/* False if programs cannot be run. */
static bool draw(programs *programs, uint64_t seed) {
    char path[96], few_path[96], name[24];
    snprintf(path, sizeof path, "%s/stream.mtx", programs->folder);
    snprintf(few_path, sizeof few_path, "%s/few.mtx", programs->folder);
    FILE *file = fopen(path, "w"), *few = fopen(few_path, "w");
    if (!file || !few)
        abort();
    for (int64_t k = 0; k < programs->count; k++) {
        base_random random;
        oracle_matrix *matrix = &programs->matrix[k];
        base_random_init(&random, seed, (uint64_t)k);
        oracle_draw(&random, matrix);
        programs->permanent[k] = oracle_number_new();
        oracle_permanent(matrix, false, programs->permanent[k]);
        if (oracle_has_short_texts(matrix)) {
            programs->of_decimals[k] = oracle_number_new();
            oracle_permanent(matrix, true, programs->of_decimals[k]);
        }
        oracle_write(file, matrix, oracle_name(k, name), "");
        if (k < FEW)
            oracle_write(few, matrix, name, "");
    }
    if (fclose(file) != 0 || fclose(few) != 0)
        abort();
    /* Integers beyond 64 bits are read by mm-cat alone. */
    return run_command("mm-cat -q --lenient --form bin %s > %s/stream.bin", path, programs->folder) == 0 &&
           run_command("mm-cat -q --lenient --form bin %s > %s/few.bin", few_path, programs->folder) == 0;
}

/* Killed a little later each time, wherever it is then; the last run comes to the end. */
static bool compute_killed(const char *folder, const job *job, int *killed) {
    char command[1024];
    snprintf(command, sizeof command,
             "perm-gpu --device cpu --json %s --checkpoint %s/state -o %s/out.json %s/few.bin", job->options,
             folder, folder, folder);
    setenv("MMPIPE_CHECKPOINT_SECONDS", "0", 1);
    *killed = 0;
    for (int k = 1; k <= KILLS; k++)
        *killed += run_command("timeout -s KILL %d.%03d %s 2>/dev/null", k / 50, k % 50 * 20, command) != 0;
    const bool is_good = run_command("%s", command) == 0;
    unsetenv("MMPIPE_CHECKPOINT_SECONDS");
    return is_good;
}

static bool compute(const programs *programs, const job *job) {
    const char *folder = programs->folder;
    if (job->parts == 0)
        return run_command("perm-gpu --device cpu --json %s %s/stream.bin > %s/out.json", job->options,
                           folder, folder) == 0;
    bool is_good = true;
    for (int part = 1; part <= job->parts; part++)
        is_good = run_command("perm-gpu --device cpu %s --part %d/%d %s/stream.bin > %s/part-%d.json",
                              job->options, part, job->parts, folder, folder, part) == 0 &&
                  is_good;
    is_good = run_command("perm-fold --json %s/part-?.json > %s/out.json", folder, folder) == 0 && is_good;
    return run_command("rm -f %s/part-?.json", folder) == 0 && is_good;
}

/* ---- the results ---- */

static const char *check_line(const programs *programs, const job *job, int64_t k, json_t *line) {
    const char *name = json_string_value(json_object_get(line, "name")),
               *printed = json_string_value(json_object_get(line, "permanent")),
               *bound = json_string_value(json_object_get(line, "error_bound")),
               *estimate = json_string_value(json_object_get(line, "error_estimate"));
    char wanted[24];
    const mm_field field = programs->matrix[k].field;
    const oracle_number *permanent = job->is_decimal ? programs->of_decimals[k] : programs->permanent[k];
    if (!name || !printed || !bound || !estimate || strcmp(name, oracle_name(k, wanted)) != 0)
        return "no line of this matrix";
    if (!permanent)
        return NULL;
    const bool is_exact = strcmp(bound, "0") == 0, is_whole = field < MM_REAL;
    if (!is_exact && (job->is_exact || (is_whole && !strstr(job->options, "--precision"))))
        return "the value is not exact";
    if (job->is_certified && strcmp(estimate, bound) != 0)
        return "there is an estimate";
    return oracle_check_text(permanent, printed, bound, estimate,
                             is_exact && is_whole ? PERM_DIGITS_ALL : job->digits);
}

static int64_t check_lines(const programs *programs, const job *job, const char *how) {
    char path[96], name[24], line[1 << 16];
    int64_t wrong_count = 0;
    snprintf(path, sizeof path, "%s/out.json", programs->folder);
    FILE *file = fopen(path, "r");
    for (int64_t k = 0; k < count_of(programs, job); k++) {
        const bool is_there = file && fgets(line, sizeof line, file);
        json_t *object = is_there ? json_loads(line, 0, NULL) : NULL;
        const char *wrong = check_line(programs, job, k, object);
        if (wrong)
            oracle_tell(&programs->matrix[k], oracle_name(k, name), how, wrong, is_there ? line : "no line");
        wrong_count += wrong != NULL;
        json_decref(object);
    }
    if (file)
        fclose(file);
    return wrong_count;
}

void oracle_run_programs(uint64_t seed, int64_t count) {
    if (tap_is_foreign("mm-cat")) {
        tap_skip(1 + JOBS, "this machine cannot run the programs, which are built for another processor");
        return;
    }
    programs programs = {.folder = "/tmp/mmpipe-oracle-XXXXXX", .count = count};
    programs.matrix = calloc((size_t)count, sizeof *programs.matrix);
    programs.permanent = calloc((size_t)count, sizeof *programs.permanent);
    programs.of_decimals = calloc((size_t)count, sizeof *programs.of_decimals);
    if (!programs.matrix || !programs.permanent || !programs.of_decimals || !mkdtemp(programs.folder))
        abort();
    const bool is_drawn = draw(&programs, seed);
    tap_ok(is_drawn, "mm-cat reads %" PRId64 " matrices", count);
    for (int k = 0; is_drawn && k < JOBS; k++) {
        char how[96];
        int killed = 0;
        const bool is_done = jobs[k].is_killed ? compute_killed(programs.folder, &jobs[k], &killed)
                                               : compute(&programs, &jobs[k]);
        snprintf(how, sizeof how, "perm-gpu %s, %d parts, killed %d times", jobs[k].options, jobs[k].parts,
                 killed);
        const int64_t wrong = check_lines(&programs, &jobs[k], how);
        tap_ok(is_done && wrong == 0, "%s: %" PRId64 " of %" PRId64 " wrong%s", how, wrong,
               count_of(&programs, &jobs[k]), is_done ? "" : ", and a failure");
    }
    run_command("rm -r %s", programs.folder);
    for (int64_t k = 0; k < count; k++) {
        oracle_number_free(programs.permanent[k]);
        oracle_number_free(programs.of_decimals[k]);
    }
    free(programs.matrix);
    free(programs.permanent);
    free(programs.of_decimals);
}
