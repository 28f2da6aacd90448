/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of every program: common options, output, exit status, signals. What a program does between
 * base_run_begin and base_run_end is its own; for filters of records it is mm_filter_main
 * (mm/stream/filter.h).
 *
 * options.h has the tables of options, from which help, completions and the checks of man pages come;
 * output.h writes to a file that appears whole or not at all; progress.h tells how far a run is;
 * checkpoint.h saves states that survive a kill at any moment; identity.h is the version and the options,
 * which a state or a part must share; claim.h keeps the names of states; signals.h turns signals into a flag,
 * and stop.h sees to it that the program ends soon. Only this room prints, exits or touches signals. */
#ifndef BASE_RUN_RUN_H
#define BASE_RUN_RUN_H

#include "base/device/device.h"
#include "base/run/claim.h"
#include "base/run/identity.h"
#include "base/run/options.h"
#include "base/run/output.h"
#include "base/run/progress.h"
#include "base/run/stop.h"

/* Which of the common options a program has; -o, -j, --memory, -q, -v, --help and --version are everyone's.
 */
typedef enum base_common {
    BASE_HAS_DEVICE = 1 << 0,      /* --device, --kernel */
    BASE_HAS_FORM = 1 << 1,        /* --form, --level, --verify */
    BASE_HAS_SEED = 1 << 2,        /* --seed */
    BASE_HAS_PART = 1 << 3,        /* --part */
    BASE_HAS_CHECKPOINT = 1 << 4,  /* --checkpoint, --time-limit that needs it */
    BASE_OWN_CHECKPOINT = 1 << 10, /* … and the program itself saves states and looks for the limit */
    BASE_HAS_KEEP_GOING = 1 << 5,  /* --keep-going */
    BASE_HAS_VERIFY = 1 << 6,      /* --verify, --verify-share */
    BASE_HAS_PROGRESS = 1 << 7,    /* --progress */
    BASE_HAS_JSON = 1 << 8,        /* --json */
    BASE_HAS_EXPLAIN = 1 << 9,     /* --explain */
    BASE_HAS_MAX_TIME = 1 << 11,   /* --max-time */
    BASE_HAS_TIME_LIMIT = 1 << 12, /* --time-limit that may end the work without a checkpoint */
    BASE_HAS_PLACE = 1 << 13,      /* --device alone */
    BASE_HAS_FORM_ALONE = 1 << 14, /* --form without --level, for records that have no text form */
    BASE_HAS_PHASES = 1 << 15      /* --phases */
} base_common;

typedef struct base_program {
    const char *name;           /* mm-order */
    const char *operands;       /* "[FILE...]" */
    const char *summary;        /* one sentence: what it does */
    unsigned common;            /* base_common flags */
    const base_option *options; /* its own; NULL if it has none */
} base_program;

enum { BASE_COMMON_OPTIONS = 25, BASE_RUN_CLAIMS = 2 };

typedef struct base_run {
    const base_program *program;
    base_context context;
    base_output *output;
    const char *const *operands;
    int operand_count;
    bool failed; /* a record failed and --keep-going went on: exit status 1 in the end */

    /* common options */
    const char *output_path;
    int form;           /* base_form */
    bool form_is_asked; /* on the command line; the environment's holds where it can */
    int64_t level;
    base_device_search devices; /* of --device; closed by base_run_end */
    const char *kernel;         /* NULL: the best */
    base_part part;
    const char *checkpoint;
    const char *phases;                          /* a file for what the phases of the work took */
    double time_limit_seconds, max_time_seconds; /* 0: none */
    double verify_share;                         /* 0: what --verify does without it */
    bool keep_going, verify, json, explain, quiet, verbose;
    base_identity by; /* "mm-order 0.1 --for perm": program, version and the options that change results */
    base_identity
        identity; /* the same for parts and states, which must agree in it: no --part, but --kernel */

    /* private */
    int usual_form; /* where nobody asks for another */
    base_option common_options[BASE_COMMON_OPTIONS];
    base_progress progress;
    base_stop stop;
    base_claim claim[BASE_RUN_CLAIMS];
    const char *device_text;
    int64_t threads, seed, memory_bytes;
    bool show_progress, show_help, show_version;
} base_run;

/* Parses options and environment, answers --help and --version, installs signal handlers, opens the output.
 * False when the program is over already; main returns base_run_end(run, run->context.error.status) in either
 * case. */
bool base_run_begin(base_run *run, const base_program *program, int argc, char **argv);

/* Claims the names of a file that is replaced while the run goes on (claim.h), until its end; --checkpoint's
 * are claimed already. The run's inputs, its output and what it has claimed before are no part of them. */
base_status base_run_claim(base_run *run, const char *path, const char *option, bool is_binary);

/* Where something is claimed, has the saver save what is finished when a signal or a failure ends the
 * program. In any case base_run_end releases its data. */
base_status base_run_saves(base_run *run, base_saver saver);

/* A run for another thread that writes the same output: options as they are, a context of its own. Nothing of
 * it is released; base_run_join takes over that records failed. Only one of the two may write at a time. */
void base_run_fork(const base_run *run, base_run *other);
void base_run_join(base_run *run, const base_run *other);

/* When --time-limit, which begins now, is over, on base_clock_seconds; 0: there is none. */
double base_run_deadline(const base_run *run);

/* Commits the output if `status` is BASE_OK and removes the state of --checkpoint, else discards it (what
 * standard output got stays there) and prints the error. Returns the exit status. */
int base_run_end(base_run *run, base_status status);

/* Prints the context's error on stderr: "mm-order: west0067.mtx: record 3, line 812: row 70 exceeds 67". */
void base_run_print_error(const base_run *run);

/* A remark on stderr, unless -q; and one only with -v. */
void base_run_note(const base_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void base_run_detail(const base_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remarks that a program which was given no file, or "-", reads from a terminal: it does nothing until
 * somebody types, which looks like one that works. */
void base_run_tell_of_terminal(const base_run *run);

/* A line for programs, as it is, unless --quiet. */
void base_run_tell(const base_run *run, const char *line);

/* The first remark, for those who tell lines to a function and a pointer: a base_run. */
void base_run_note_line(void *run, const char *line);

#endif
