/* SPDX-License-Identifier: BSD-3-Clause */
/* Result lines: `name<TAB>permanent`, or one JSON object a line.
 *
 * The room: report.c prints results, log.c what is done, fold.h adds up the pieces of a matrix that came as
 * records of their own (fold_tree.h), parts.h reads and writes the lines of perm-gpu --part (part_line.h) for
 * perm-fold. It is the top floor: bin/perm-gpu.c and bin/perm-fold.c see it and solve/. */
#ifndef PERM_REPORT_REPORT_H
#define PERM_REPORT_REPORT_H

#include "base/run/run.h"
#include "perm/report/fold.h"
#include "perm/solve/stream.h"

/* Takes a record into `fold` and writes the line of its matrix when that is complete. Under --keep-going
 * pieces that never came are reported and passed over. Keys of --json: name, n, nnz, field, permanent (text),
 * method, blocks, states, transitions, subsets, bytes, error_bound, error_estimate (text, "0" for an exact
 * value, the bound where there is no estimate), seconds; under --keep-going file, status and error too.
 */
base_status perm_report_record(base_run *run, perm_fold *fold, const mm_record *record,
                               const perm_options *options, double seconds);

/* The same for a record that was solved before, into `partial_result` or with a failure, which is in the
 * context. Under
 * --keep-going BASE_FAILED is reported and passed over. */
base_status perm_report_partial_result(base_run *run, perm_fold *fold, const mm_record *record,
                                       base_status status, perm_partial_result *partial_result,
                                       double seconds);

/* Writes the line of a record that failed under --keep-going, as the context's error has it: name, file,
 * status and error; where it is no JSON, `name<TAB>-<TAB>file<TAB>status<TAB>error`. The records that wait in
 * `before` (NULL: none) come first. */
base_status perm_report_failure(base_run *run, perm_stream *before);

/* For perm_options.log: what --explain and --verbose show, or the table of --kernel list. With --json each
 * line is an object: of a candidate name, file, record, n, nnz (of the block), kernel, seconds, price (the
 * seconds where methods were measured), bytes, digits_seconds (what digits are worth that it may lack),
 * chosen, reason (why it does not fit); of anything else note. */
perm_log perm_report_log(base_run *run, bool is_list);

/* For perm_stream_out.flush, `run` being its data: the lines go on their way. */
base_status perm_report_flush(base_context *context, void *run);

/* For perm_options.emit, `run` being its data: the source of a kernel. */
base_status perm_report_emit(base_context *context, void *run, const char *source);

/* Minors come out as records and are computed whole: BASE_USAGE for the options that cannot be meant with
 * them, `other` being one of perm-gpu's own. */
base_status perm_report_check_minors(base_run *run, bool other);

/* Ends the report after the last record. */
base_status perm_report_end(base_run *run, perm_fold *fold);

#endif
