/* SPDX-License-Identifier: BSD-3-Clause */
/* What the families of generated matrices share. A family is one row of the table in its file. */
#ifndef MM_GENERATE_INTERNAL_H
#define MM_GENERATE_INTERNAL_H

#include "base/core/random.h"
#include "mm/generate/generate.h"

typedef enum generate_values {
    GENERATE_CONSTANT, /* `low`, or `real_low` if the field is not integer */
    GENERATE_UNIFORM,  /* real_low … real_high */
    GENERATE_INTEGER,  /* low … high */
    GENERATE_PM1
} generate_values;

/* Options that only some families have. */
typedef enum generate_option {
    GENERATE_P = 1 << 0,
    GENERATE_DIAGONAL = 1 << 1,
    GENERATE_BANDWIDTH = 1 << 2,
    GENERATE_BLOCKS = 1 << 3,
    GENERATE_FILL = 1 << 4,
    GENERATE_EDGES = 1 << 5,
    GENERATE_PROBABILITIES = 1 << 6,
    GENERATE_OFFSETS = 1 << 7,
    GENERATE_GRID = 1 << 8,
    GENERATE_PERTURB = 1 << 9,
    GENERATE_F2 = 1 << 10
} generate_option;

typedef struct generate_family {
    const char *name;
    int least_sizes, most_sizes; /* how many numbers its size has; 0: at least 1, at most 2 */
    unsigned options;            /* generate_option flags */
    bool square;
    bool array; /* array format, unless it is a pattern */
    bool random_structure;
    bool any_symmetry;  /* random: the triangle below the diagonal may be drawn alone */
    bool symmetric;     /* it is symmetric anyway and may be stored so */
    bool fixed_entries; /* --values has no meaning */
    bool fixed_field;   /* it is always the default */
    mm_field field;     /* default */
    generate_values values;
    /* Checks its options and sets nrow, ncol and `expected`. NULL: nrow and ncol from the size, all entries
     * expected. */
    base_status (*plan)(mm_generator *generator);
    /* Pushes the entries by columns. NULL for arrays: all positions. */
    base_status (*emit)(mm_generator *generator);
} generate_family;

struct mm_generator {
    base_context *context;
    const mm_generate_options *options;
    const generate_family *family;
    int64_t size[3];
    int size_count;
    int64_t nrow, ncol;
    double expected; /* entries, about */
    mm_format format;
    mm_field field;
    mm_symmetry symmetry;
    generate_values values;
    int64_t low, high;
    double real_low, real_high;
    bool own_values;      /* --values was given: a family with fixed values uses them instead */
    int64_t below, above; /* of band */
    int64_t *offsets;     /* of circulant, 0 … n-1, ascending */
    int64_t offset_count;
    uint32_t quadrants[3]; /* of rmat: cumulative probabilities times 2^32 */

    /* the matrix in the making */
    base_random structure_random, value_random;
    mm_record *record;
    int64_t capacity;
};

extern const generate_family generate_trial_families[]; /* each ends with one without a name */
extern const generate_family generate_draw_families[];
extern const generate_family generate_fixed_families[];

/* Appends an entry with a value drawn; drops what the symmetry does not store. */
base_status generate_push(mm_generator *generator, int64_t row, int64_t col);

/* Appends an entry with a value of the family's own, unless the user asked for others. */
base_status generate_push_value(mm_generator *generator, int64_t row, int64_t col, int64_t value);

/* Draws value k of the record. */
void generate_draw(mm_generator *generator, int64_t k, bool real_only);

/* Fails with BASE_USAGE, naming the family. */
base_status generate_refuse(mm_generator *generator, const char *cause);

/* Reads `count` whole numbers between `separator`s, exactly; -1 otherwise, else how many there are. */
int generate_read_numbers(const char *text, char separator, int64_t *numbers, int most);

/* Reads doubles in the same way. */
int generate_read_reals(const char *text, char separator, double *reals, int most);

/* The unitary family, unitary.c. */
base_status generate_emit_unitary(mm_generator *generator);

/* Reads --values and sets the field. */
base_status generate_plan_values(mm_generator *generator);

#endif
