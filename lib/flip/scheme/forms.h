/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear forms with common parts taken out. */
#ifndef FLIP_SCHEME_FORMS_H
#define FLIP_SCHEME_FORMS_H

#include "flip/scheme/scheme.h"

typedef struct flip_part {
    int64_t variable; /* input, or inputs + k: part k */
    int64_t coefficient;
} flip_part;

/* x + y or x - y. */
typedef struct flip_sum {
    int64_t x, y;
    bool minus;
} flip_sum;

typedef struct flip_form {
    int64_t count;
    flip_part *part; /* by variable, coefficients not zero */
} flip_form;

typedef struct flip_forms {
    int64_t inputs, count, sums, sums_capacity;
    flip_form *form; /* count */
    flip_sum *sum;   /* sums; each is made of inputs and sums before it */
} flip_forms;

/* Forms over `inputs` variables: coefficient v of form f is at matrix[f · row_step + v · col_step]; of its
 * parity only, if `binary`. Released with flip_forms_close, in case of failure too. */
base_status flip_forms_open(base_context *context, const int64_t *matrix, int64_t count, int64_t inputs,
                            int64_t row_step, int64_t col_step, bool binary, flip_forms *forms);
void flip_forms_close(flip_forms *forms); /* leaves it empty */

/* The forms of a scheme at position 0 or 1, one for each term, over entries; or at 2, one for each entry of
 * C, over terms. */
base_status flip_forms_from_scheme(base_context *context, const flip_scheme *scheme, int position,
                                   flip_forms *forms);

/* Takes out sums and differences of two variables that several forms have (up to a factor), the most frequent
 * ones first, as long as there are any (Paar, Optimized arithmetic for Reed-Solomon encoders, ISIT 1997;
 * Brent, Algorithms for matrix multiplication, 1970, for the additions of a scheme). Greedy: not the least
 * number of additions. O(passes · pairs · log pairs), some ten passes. */
base_status flip_forms_share(base_context *context, flip_forms *forms);

/* Additions and subtractions that all forms need. */
int64_t flip_forms_additions(const flip_forms *forms);

#endif
