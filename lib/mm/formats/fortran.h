/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in the fixed-width fields of Fortran's formatted output, as Rutherford-Boeing files have them.
 * Private to boeing.c and fortran_lines.c. */
#ifndef MM_FORMATS_FORTRAN_H
#define MM_FORMATS_FORTRAN_H

#include <stdbool.h>
#include <stdint.h>

enum { MM_FORTRAN_FIELD_BYTES = 64, MM_FORTRAN_LINE_BYTES = 1024 };

/* "(26I3)", "(1P,4D20.12)" */
typedef struct mm_fortran_format {
    int per_line, width; /* fields of a line, and bytes of each, less than MM_FORTRAN_FIELD_BYTES */
    char letter;         /* I, D, E, F, G */
    bool scaled;         /* kP with k other than 0 changes numbers without exponent … */
    bool pointed;        /* … and w.d with d other than 0 those without a point: neither is read */
} mm_fortran_format;

/* Reads the format at *text, after blanks, and moves behind it; false for what is not known. A line of the
 * format has less than MM_FORTRAN_LINE_BYTES. */
bool mm_fortran_read_format(const char **text, mm_fortran_format *format);

/* The number that is all of `field`; NULL, or what is wrong with it. The second may change the field, and has
 * room for one byte more. */
const char *mm_fortran_integer(const char *field, int64_t *value);
const char *mm_fortran_double(char *field, const mm_fortran_format *format, double *value);

#endif
