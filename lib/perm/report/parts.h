/* SPDX-License-Identifier: BSD-3-Clause */
/* A job split over machines: perm-gpu --part R/M writes a line of JSON for each record, with the exact sums
 * of its chunks (chunks/partial_result.h), and one at the end that tells how many records there were;
 * perm-fold reads the lines of all parts, of one job or several, in any order. A job is known by the hash of
 * its first record, and its parts must agree in what computed them. perm-gpu(1) describes the lines. */
#ifndef PERM_REPORT_PARTS_H
#define PERM_REPORT_PARTS_H

#include "perm/report/report.h"

/* Computes this part (options->work) of a record and writes its line. */
base_status perm_part_record(base_context *context, base_output *output, const mm_record *record,
                             const perm_options *options);

/* Writes the last line. */
base_status perm_part_end(base_context *context, base_output *output, const perm_work *work);

typedef struct perm_parts perm_parts;

base_status perm_parts_open(base_context *context, perm_parts **parts);
void perm_parts_close(perm_parts *parts); /* NULL is allowed */

/* Takes the lines of a file; "-" is standard input. Fails with BASE_DAMAGED for anything else in it. */
base_status perm_parts_read(base_context *context, perm_parts *parts, const char *path);

/* The same for several files, a line of each in turn: where they go alike, as those of one job do, records
 * are added up and written as soon as all their parts are there, so that the memory does not grow with the
 * records. */
base_status perm_parts_read_together(base_run *run, perm_parts *parts, const char *const *paths, int count);

/* Adds up and writes the records that have come whole, in their order, as far as no earlier one is missing.
 */
base_status perm_parts_fold_whole(base_run *run, perm_parts *parts);

/* Adds up the parts of every record that is left and writes the results as perm-gpu does for the whole, jobs
 * in the order they came in, records in their order. Fails with BASE_FAILED, and names, when parts are
 * missing, came twice, or do not belong together; under --keep-going such records are reported and passed
 * over. BASE_DAMAGED: a part has no end. */
base_status perm_parts_fold(base_run *run, perm_parts *parts);

#endif
