/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of every filter: options, inputs, one call per record, end mark, exit status. A new filter is a
 * table of options and a function.
 *
 * reader.h is what comes in, from any form that text/, binary/ and formats/ read, with the stream's marks
 * checked (marks.h); writer.h is what goes out; report.h writes lines about records instead; state.h keeps
 * the states of long runs, which are records too; journal.h is the state of a filter that has --checkpoint
 * and does not save states itself: what its finished records gave, records or lines of its report. Where
 * records were read and none was of the program's kinds, that is a failure, told after the records that were
 * passed on.
 *
 * To add a filter: bin/NAME.c with a table of options and the function `record`, its page man/NAME.1, a row
 * in bin/local.mk and one in man/local.mk. */
#ifndef MM_STREAM_FILTER_H
#define MM_STREAM_FILTER_H

#include "base/run/run.h"
#include "mm/stream/journal.h"
#include "mm/stream/reader.h"
#include "mm/stream/report.h"
#include "mm/stream/split.h"
#include "mm/stream/writer.h"

typedef struct mm_filter_run mm_filter_run;

typedef struct mm_filter {
    base_program program;
    bool writes_records; /* a stream comes out; otherwise the callbacks write lines to run.output */

    /* Called once after the options are read; checks them (BASE_USAGE). May be NULL. */
    base_status (*begin)(mm_filter_run *filter);
    /* Called for every matrix record; `record` is the callback's to change or to move away. Records of other
     * kinds pass through where a stream comes out, and are skipped where lines do. */
    base_status (*record)(mm_filter_run *filter, mm_record *record);
    /* Called after the last record. May be NULL. */
    base_status (*end)(mm_filter_run *filter);
    /* Called last, in any case. May be NULL. */
    void (*release)(mm_filter_run *filter);
    bool all_kinds;             /* `record` is called for schemes, h2 and state records too */
    const mm_reader_form *form; /* read too, besides what every program reads; may be NULL */
    unsigned kinds;             /* 1 << MM_H2 and so on: the kinds that the program works on; 0: matrices */
    const char *kind_name;      /* of these, in the plural, for a message; NULL: "matrices" */
    /* Writes a line about a record that failed under --keep-going, where that is not `report`; may be NULL.
     */
    base_status (*failed)(mm_filter_run *filter);
    unsigned left_on_device; /* kinds as above: what they have on a device stays there, or `record` fetches it
                              */
    bool own_part;           /* --part splits the work inside a record, not the records */
    void *data;              /* of the callbacks, where programs share them */
} mm_filter;

struct mm_filter_run {
    base_run run;
    const mm_filter *filter;
    mm_reader *reader;
    mm_writer *writer;
    bool lenient;                    /* set by `begin` to read leniently */
    bool check_only;                 /* set by `begin`: no stream comes out after all */
    const mm_file_format *from, *to; /* set by `begin`: formats of input and output; NULL: as they come */
    const char *split;               /* set by `begin`: a file for each record (split.h) */
    bool no_marks;                   /* set by `begin`: no numbers, no end mark */
    bool takes_compressed;           /* set by `begin`: matrices may have places instead of row and col */
    bool stop;                       /* set by `begin` or `record`: nothing is read, or nothing more */
    mm_split *splitter;
    bool all_members;  /* set by `begin` to read what goes with a matrix in an archive too (reader.h) */
    mm_report *report; /* opened by `begin` where lines about records come out, closed at the end */
    struct mm_filter_later *later; /* of mm_filter_put_later; NULL: not begun */
    mm_journal *journal; /* of --checkpoint, where the program does not save states of its own; else NULL */
    int64_t records;     /* read so far … */
    int64_t own;         /* … and of the program's kinds */
};

/* Runs the program. main is: return mm_filter_main(&filter, argc, argv); */
int mm_filter_main(const mm_filter *filter, int argc, char **argv);

/* Writes a record, adding the line of provenance `% by:`. Leaves it empty. */
base_status mm_filter_put(mm_filter_run *filter, mm_record *record);

/* The same by a thread, while the next records are computed: for those whose computation leaves the
 * processors time. The first record, what is large beside --memory, and what goes into a state or to another
 * program's memory is written at once, as is everything with one thread. A failure may be that of a record
 * before, which is told as such. */
base_status mm_filter_put_later(mm_filter_run *filter, mm_record *record);

/* Waits until all records are written; a failure is that of one of them. */
base_status mm_filter_settle(mm_filter_run *filter);

/* mm_filter_put without provenance, for records that did not change. */
base_status mm_filter_pass(mm_filter_run *filter, mm_record *record);

/* Under --keep-going: writes the line about the record whose failure is in the context, where lines come out.
 * The loop does that for failures that `record` returns. */
base_status mm_filter_tell_failure(mm_filter_run *filter);

/* ---- of filter.c alone ---- */

/* BASE_OK where a failure may be passed over, which is told then, behind those of records before; else what
 * ends the program. */
base_status mm_filter_go_on(mm_filter_run *filter, base_status status, bool while_reading);

/* Whether a record is on its way, and the output not to be touched. */
bool mm_filter_is_writing(mm_filter_run *filter);

/* Ends the thread that writes, when it has written what it has. */
void mm_filter_end_later(mm_filter_run *filter);

#endif
