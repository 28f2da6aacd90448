/* SPDX-License-Identifier: BSD-3-Clause */
/* The context that goes through every call of the library: the settings all code shares, and the error of the
 * call that failed. Library code returns a status and leaves the cause here; only the run module prints or
 * exits.
 *
 * core is what every file may use and what uses nothing: the context with the cause of a failure, memory
 * with injected faults (memory.h, fault.h; gmp_memory.h lets GMP share them), files and maps of them
 * (file.h, map.h), counted random numbers (random.h), hashes (hash.h), the abilities of the processor
 * (cpu.h).
 *
 * One way to fail: a function that can fail returns a base_status. It leaves by BASE_TRY to its one label
 * `done`, behind which it releases what it holds: BASE_TRY(call(...)), BASE_TRY(base_fail(...)), and after a
 * failed allocation, whose cause stands in the context already, BASE_TRY(BASE_MACHINE). A function that holds
 * nothing may return the status at once. */
#ifndef BASE_CORE_CONTEXT_H
#define BASE_CORE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Each status is also the exit status of a program that ends with it. */
typedef enum base_status {
    BASE_OK = 0,
    BASE_FAILED = 1,  /* a record failed, or the answer is "no" */
    BASE_USAGE = 2,   /* wrong options */
    BASE_DAMAGED = 3, /* the input is damaged or truncated */
    BASE_MACHINE = 4, /* memory, disk or device */
    BASE_STOPPED = 5  /* stopped with a checkpoint: run again */
} base_status;

/* A path that can be opened, with a member of an archive in parentheses. */
enum { BASE_PLACE_MEMBER = 1024, BASE_PLACE_FILE = 4096 + BASE_PLACE_MEMBER + 4 };

/* A place in the input. An empty file or name, record 0 and line 0 mean "not known". */
typedef struct base_place {
    char file[BASE_PLACE_FILE];
    int member;                   /* where in `file` the name of a member of an archive begins; 0: none */
    int64_t record;               /* counted from 1 in the file */
    int64_t line;                 /* counted from 1 in the file */
    char name[BASE_PLACE_MEMBER]; /* of the record, where it has one; a longer name is cut */
} base_place;

/* *to = *from, but for the bytes behind the ends of the texts: most places are short. */
void base_place_copy(base_place *to, const base_place *from);

enum { BASE_CAUSE_BYTES = 1024 };

typedef struct base_error {
    base_status status;
    base_place place;
    char cause[BASE_CAUSE_BYTES];
} base_error;

typedef struct base_progress base_progress;

typedef struct base_context {
    int threads;             /* at least 1 */
    int64_t memory_bytes;    /* limit of large workspaces */
    uint64_t seed;           /* of everything random */
    double deadline_seconds; /* when what is under way stops, on base_clock_seconds; 0: never */
    base_place place;        /* where the reader is; copied into the error of a failure */
    base_error error;        /* of the last failure */
    base_progress *progress; /* NULL: nobody is told */
    bool gives_memory; /* large results are made in memory files (resident/memory.h), which --form resident
                          hands to the next program as they are */
    bool copies_files; /* files are read, not mapped: one that is cut off meanwhile fails a call instead of
                          raising SIGBUS, which only programs have a handler for */
} base_context;

/* One thread, seed 1, half of the machine's memory, no error, no place. */
void base_context_init(base_context *context);

/* Records the failure, printf-style, at the context's place, and returns `status`. Not thread-safe: inside a
 * parallel region keep the cause aside and fail after it. */
base_status base_fail(base_context *context, base_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds to the message of the failure that is recorded, and returns its status. */
base_status base_fail_after(base_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like base_fail, with ": " and the text of errno behind the message. */
base_status base_fail_errno(base_context *context, base_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The failure for people, with what is known of the place: "west0067.mtx: record 3, line 812: row 70 exceeds
 * 67". */
enum { BASE_ERROR_TEXT = BASE_PLACE_FILE + BASE_PLACE_MEMBER + 128 + BASE_CAUSE_BYTES };
void base_error_print(const base_error *error, char text[BASE_ERROR_TEXT]);

/* Evaluates a call that returns a status; on failure goes to the function's one exit label, `done`.
 * The function has a local `base_status status`. */
#define BASE_TRY(call)                                                                                       \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != BASE_OK)                                                                               \
            goto done;                                                                                       \
    } while (0)

#endif
