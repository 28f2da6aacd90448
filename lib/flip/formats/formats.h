/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats in which schemes are published, all with the third factor transposed (p×n):
 *
 *     exp    products of linear forms, one a line: (a11+a22)*(b11-b22)*(c11)
 *     m      Mathematica's nested lists {{A, B, C}, ...}
 *     json   {"n": [n, m, p], "u": [[...], ...], "v": ..., "w": ...}, rows are terms
 *     npz    NumPy arrays (3, entries, rank), or three of them in an object array, one scheme a member
 * "n,m,p" mpl    Maple: TriadSet([Triad([Matrix(n, m, [[...]]), ...]), ...])
 *
 * One file a format: exp.c, lists.c (Mathematica and Maple), json.c, npz.c with array.h and pickle.c,
 * npz_write.c. common.c has what they share. A format is a row of the table in formats.c. */
#ifndef FLIP_FORMATS_FORMATS_H
#define FLIP_FORMATS_FORMATS_H

#include "base/run/output.h"
#include "flip/scheme/scheme.h"
#include "mm/stream/reader.h"

typedef enum flip_format {
    FLIP_NO_FORMAT,
    FLIP_EXP,
    FLIP_MATHEMATICA,
    FLIP_JSON,
    FLIP_NPZ,
    FLIP_MAPLE
} flip_format;

enum { FLIP_DETECT_BYTES = 4096, FLIP_LARGEST_FILE_BYTES = 64 << 20 };

/* By the first FLIP_DETECT_BYTES bytes, or all of a shorter input. */
flip_format flip_format_detect(const char *data, size_t size);

/* Reads scheme `index` (from 0) of a whole file, *found false when there are no more. Fails with
 * BASE_DAMAGED. Whether the scheme is right is for flip_verify to say. */
base_status flip_import(base_context *context, const char *data, size_t size, int64_t index,
                        flip_scheme *scheme, bool *found);

/* The formats as a form of records for mm_reader_add_form. */
extern const mm_reader_form flip_reader_form;

/* Writes a file with this one scheme; JSON is one line, so that several make JSON lines. Fails with
 * BASE_FAILED where a format cannot hold the scheme. */
base_status flip_export(base_context *context, flip_format format, const flip_scheme *scheme,
                        base_output *output);

#endif
