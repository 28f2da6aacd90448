/* A record's own arrays become those of a matrix: entries are sorted where they are, by columns with cycles
 * of exchanges, then inside each column. */
#include "base/core/memory.h"
#include "mm/matrix/sparse.h"

#include <stdlib.h>
#include <string.h>

/* An entry of at most two words of value, and where it goes. */
typedef struct entry {
    int64_t row, col;
    uint64_t value[2];
} entry;

typedef struct arrays {
    int64_t *row, *col;
    uint64_t *value; /* NULL: there are none */
    int words;       /* of a value */
} arrays;

static inline entry get(const arrays *a, int64_t k) {
    entry e = {a->row[k], a->col[k], {0, 0}};
    for (int w = 0; w < a->words; w++)
        e.value[w] = a->value[a->words * k + w];
    return e;
}

static inline void put(const arrays *a, int64_t k, const entry *e) {
    a->row[k] = e->row;
    a->col[k] = e->col;
    for (int w = 0; w < a->words; w++)
        a->value[a->words * k + w] = e->value[w];
}

/* Moves every entry to its column: next[j] is the first place of column j whose entry is not its own. */
static void sort_by_columns(const arrays *a, const int64_t *start, int64_t *next, int64_t ncol) {
    for (int64_t j = 0; j < ncol; j++)
        while (next[j] < start[j + 1]) {
            entry e = get(a, next[j]);
            while (e.col != j) {
                const int64_t to = next[e.col]++;
                const entry other = get(a, to);
                put(a, to, &e);
                e = other;
            }
            put(a, next[j]++, &e);
        }
}

static int compare_rows(const void *left, const void *right) {
    const int64_t a = ((const entry *)left)->row, b = ((const entry *)right)->row;
    return (a > b) - (a < b);
}

static bool is_sorted(const int64_t *row, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (row[k - 1] > row[k])
            return false;
    return true;
}

/* Of the columns that are not sorted; `room` for the longest of them. */
static void sort_columns(const arrays *a, const int64_t *start, int64_t ncol, entry *room) {
    for (int64_t j = 0; j < ncol; j++) {
        const int64_t count = start[j + 1] - start[j];
        if (is_sorted(a->row + start[j], count))
            continue;
        for (int64_t k = 0; k < count; k++)
            room[k] = get(a, start[j] + k);
        qsort(room, (size_t)count, sizeof *room, compare_rows);
        for (int64_t k = 0; k < count; k++)
            put(a, start[j] + k, &room[k]);
    }
}

static int64_t longest_unsorted(const arrays *a, const int64_t *start, int64_t ncol) {
    int64_t longest = 0;
    for (int64_t j = 0; j < ncol; j++) {
        const int64_t count = start[j + 1] - start[j];
        if (count > longest && !is_sorted(a->row + start[j], count))
            longest = count;
    }
    return longest;
}

bool mm_sparse_can_take(const mm_record *record) {
    return record->kind == MM_MATRIX && record->format == MM_COORDINATE && record->symmetry == MM_GENERAL &&
           record->digits == NULL && record->memory == NULL;
}

/* How many entries each column has, in start[j + 1]; whether the columns come in order. */
static bool count_columns(const mm_record *record, int64_t *start) {
    bool in_order = true;
    for (int64_t k = 0; k < record->nnz; k++) {
        start[record->col[k] + 1]++;
        in_order = in_order && (k == 0 || record->col[k - 1] <= record->col[k]);
    }
    for (int64_t j = 0; j < record->ncol; j++)
        start[j + 1] += start[j];
    return in_order;
}

base_status mm_sparse_sort_record(base_context *context, mm_record *record, int64_t *start) {
    base_status status = BASE_OK;
    int64_t *next = NULL;
    entry *room = NULL;
    const arrays a = {record->row, record->col,
                      record->integer != NULL ? (uint64_t *)record->integer : (uint64_t *)record->real,
                      mm_sparse_value_words(record->field)};
    const bool in_order = count_columns(record, start);
    if (!in_order) {
        next = base_alloc(context, record->ncol, sizeof *next);
        if (next == NULL)
            BASE_TRY(BASE_MACHINE);
        memcpy(next, start, (size_t)record->ncol * sizeof *next);
        sort_by_columns(&a, start, next, record->ncol);
    }
    const int64_t longest = longest_unsorted(&a, start, record->ncol);
    if (longest > 0) {
        room = base_alloc(context, longest, sizeof *room);
        if (room == NULL)
            BASE_TRY(BASE_MACHINE);
        sort_columns(&a, start, record->ncol, room);
    }
done:
    free(next);
    free(room);
    return status;
}
