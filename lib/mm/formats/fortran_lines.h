/* SPDX-License-Identifier: BSD-3-Clause */
/* An input as lines of fixed-width fields. Private to boeing.c. */
#ifndef MM_FORMATS_FORTRAN_LINES_H
#define MM_FORMATS_FORTRAN_LINES_H

#include "mm/formats/fortran.h"
#include "mm/source/source.h"

typedef struct mm_fortran_lines {
    base_context *context;
    mm_source *source;
    char line[MM_FORTRAN_LINE_BYTES]; /* the current one, without its end and with a NUL */
    size_t length;
    bool line_ended; /* by a newline, not by the end of the file */
    int used;        /* fields of the line */
} mm_fortran_lines;

/* The next line; *found false behind the last. The other functions fail where there is none: all with
 * BASE_DAMAGED. */
base_status mm_fortran_try_line(mm_fortran_lines *lines, bool *found);
base_status mm_fortran_next_line(mm_fortran_lines *lines);

/* The next number of a section, whose `first` one begins a new line. */
base_status mm_fortran_next_integer(mm_fortran_lines *lines, const mm_fortran_format *format, bool first,
                                    int64_t *value);
base_status mm_fortran_next_double(mm_fortran_lines *lines, const mm_fortran_format *format, bool first,
                                   double *value);

/* The rest of the line behind a section's last number is blank. */
base_status mm_fortran_end_section(mm_fortran_lines *lines, const mm_fortran_format *format);

#endif
