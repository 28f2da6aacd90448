/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text as words, for the formats of graphs and tables. */
#ifndef MM_ARRAYS_WORDS_H
#define MM_ARRAYS_WORDS_H

#include "mm/record/record.h"
#include "mm/source/lines.h"

/* The words of the next line that is not empty and does not begin with one of `comments`; *found false at the
 * end. Blanks, tabs and a carriage return at the end are between words, and one of `separators`, too. The
 * line of the context's place is that of the line. With `empty`, empty lines count. */
typedef struct mm_words {
    mm_lines lines;
    const char *comments;
    char separator; /* besides blanks; 0: none. Between two of them is an empty word */
    bool empty;
    const char *at;
} mm_words;

void mm_words_init(mm_words *words, mm_source *source, const char *comments);
void mm_words_free(mm_words *words); /* NULL is allowed */
base_status mm_words_next_line(base_context *context, mm_words *words, bool *found);

/* The next word of the line; false at its end. */
bool mm_words_next(mm_words *words, const char **word, int *length);

/* A whole number from `least` to `most`; fails with BASE_DAMAGED, saying `what` it should be. */
base_status mm_words_whole(base_context *context, const char *what, const char *word, int length,
                           int64_t least, int64_t most, int64_t *value);

/* Values of which it is seen as they come whether they are all whole numbers. */
typedef struct mm_word_values {
    mm_record *record; /* its field and values are set; MM_INTEGER until a value is not whole */
    int64_t count, capacity;
} mm_word_values;
base_status mm_word_values_add(base_context *context, mm_word_values *values, const char *word, int length);

#endif
