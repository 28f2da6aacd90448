/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/elimination.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

/* Merged entries beyond this size cost more than the line they save. */
enum { LARGEST_ENTRY_BITS = 8192 };

int64_t perm_elimination_opposite(const perm_elimination *e, int64_t entry, int64_t at) {
    return e->end[entry][at < e->n];
}

static void look_at(perm_elimination *e, int64_t at) {
    const perm_line *line = &e->lines[at];
    if (line->gone || e->stacked[at] || line->count > 2)
        return;
    e->stacked[at] = true;
    e->stack[e->stack_count++] = at;
}

/* The next line with one or two entries; -1 if there is none, or an empty one made the permanent 0. */
static int64_t pop_line(perm_elimination *e) {
    while (e->stack_count > 0 && !e->zero) {
        int64_t at = e->stack[--e->stack_count];
        e->stacked[at] = false;
        if (e->lines[at].gone || e->lines[at].count > 2)
            continue;
        if (e->lines[at].count > 0)
            return at;
        e->zero = true;
    }
    return -1;
}

static void drop_from(perm_elimination *e, int64_t at, int64_t entry) {
    perm_line *line = &e->lines[at];
    for (int64_t i = 0; i < line->count; i++)
        if (line->entry[i] == entry) {
            line->entry[i] = line->entry[--line->count];
            break;
        }
    look_at(e, at);
}

void perm_elimination_drop(perm_elimination *e, int64_t entry) {
    drop_from(e, e->end[entry][0], entry);
    drop_from(e, e->end[entry][1], entry);
}

/* Takes a line away with its entries. */
static void remove_line(perm_elimination *e, int64_t at) {
    perm_line *line = &e->lines[at];
    /* What is gone is not looked at again, however few entries are left of it. */
    line->gone = true;
    for (int64_t i = 0; i < line->count; i++)
        drop_from(e, perm_elimination_opposite(e, line->entry[i], at), line->entry[i]);
    line->count = 0;
}

void perm_eliminate_one(perm_elimination *e, int64_t at, int64_t entry) {
    int64_t opposite = perm_elimination_opposite(e, entry, at);
    perm_product_take(&e->factor, &e->entry[entry]);
    e->lines[opposite].gone = true;
    remove_line(e, at);
    remove_line(e, opposite);
    e->left--;
}

static size_t largest_bits(const perm_elimination *e, const perm_line *line) {
    size_t largest = 0;
    for (int64_t i = 0; i < line->count; i++) {
        const perm_value *value = &e->entry[line->entry[i]];
        size_t bits = mpz_sizeinbase(value->re, 2) + mpz_sizeinbase(value->im, 2);
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

/* False where the merged entries could have thousands of digits. */
static bool is_small(const perm_elimination *e, int64_t at, int64_t entry, int64_t other) {
    const perm_line *p = &e->lines[perm_elimination_opposite(e, entry, at)];
    const perm_line *q = &e->lines[perm_elimination_opposite(e, other, at)];
    return largest_bits(e, p) + largest_bits(e, q) <= LARGEST_ENTRY_BITS;
}

static void multiply_line(perm_elimination *e, int64_t at, int64_t but, const perm_value *by) {
    const perm_line *line = &e->lines[at];
    for (int64_t i = 0; i < line->count; i++)
        if (line->entry[i] != but)
            perm_value_multiply(&e->entry[line->entry[i]], by);
}

/* Adds line `from` to line `to`, entry by entry, and takes `from` away. */
static base_status add_line(perm_elimination *e, int64_t from, int64_t to) {
    base_status status = BASE_OK;
    perm_line *source = &e->lines[from], *target = &e->lines[to];
    source->gone = true;
    BASE_TRY(base_reserve(e->context, &target->entry, &target->capacity, target->count + source->count,
                          sizeof *target->entry));
    /* mark: the target's entry in each row, if the lines are columns. An entry of the source is added to it,
     * or moves over where there is none. */
    for (int64_t i = 0; i < target->count; i++)
        e->mark[perm_elimination_opposite(e, target->entry[i], to)] = target->entry[i];
    for (int64_t i = 0; i < source->count; i++) {
        int64_t entry = source->entry[i], at = perm_elimination_opposite(e, entry, from), same = e->mark[at];
        if (same < 0) {
            e->end[entry][to >= e->n] = to;
            target->entry[target->count++] = entry;
            continue;
        }
        perm_value_add(&e->entry[same], &e->entry[entry]);
        drop_from(e, at, entry);
    }
    for (int64_t i = 0; i < target->count; i++)
        e->mark[perm_elimination_opposite(e, target->entry[i], to)] = -1;
    /* Entries that cancelled go. From the end on, since the last entry fills each gap. */
    for (int64_t i = target->count - 1; i >= 0; i--) {
        int64_t entry = target->entry[i];
        if (!perm_value_is_zero(&e->entry[entry]))
            continue;
        target->entry[i] = target->entry[--target->count];
        drop_from(e, perm_elimination_opposite(e, entry, to), entry);
    }
    source->count = 0;
    look_at(e, to);
done:
    return status;
}

void perm_elimination_exchange(perm_elimination *e, int64_t a, int64_t b) {
    perm_line line = e->lines[a];
    e->lines[a] = e->lines[b];
    e->lines[b] = line;
    for (int64_t i = 0; i < e->lines[a].count; i++)
        e->end[e->lines[a].entry[i]][a >= e->n] = a;
    for (int64_t i = 0; i < e->lines[b].count; i++)
        e->end[e->lines[b].entry[i]][b >= e->n] = b;
}

base_status perm_eliminate_two(perm_elimination *e, int64_t at, int64_t entry, int64_t other) {
    base_status status;
    perm_line *line = &e->lines[at];
    int64_t p = perm_elimination_opposite(e, entry, at), q = perm_elimination_opposite(e, other, at);
    /* The entries a in p and b in q make b·p + a·q of both (reduce.h). */
    multiply_line(e, p, entry, &e->entry[other]);
    multiply_line(e, q, other, &e->entry[entry]);
    line->gone = true;
    for (int64_t i = 0; i < line->count; i++)
        drop_from(e, perm_elimination_opposite(e, line->entry[i], at), line->entry[i]);
    line->count = 0;
    e->left--;
    /* Going through the shorter one is cheaper. */
    int64_t low = p < q ? p : q, high = p < q ? q : p;
    if (e->lines[low].count < e->lines[high].count)
        perm_elimination_exchange(e, low, high);
    BASE_TRY(add_line(e, high, low));
done:
    return status;
}

base_status perm_elimination_run(perm_elimination *e, int64_t stop_n) {
    base_status status = BASE_OK;
    while (e->left > stop_n) {
        int64_t at = pop_line(e);
        if (at < 0)
            break;
        const perm_line *line = &e->lines[at];
        if (line->count == 1)
            perm_eliminate_one(e, at, line->entry[0]);
        /* A line that stays here comes back to the stack when it loses an entry. */
        else if (is_small(e, at, line->entry[0], line->entry[1]))
            BASE_TRY(perm_eliminate_two(e, at, line->entry[0], line->entry[1]));
    }
done:
    return status;
}

/* Lists of all lines, each as long as it begins, in one go. */
static base_status make_lines(perm_elimination *e, const perm_matrix *matrix) {
    base_status status = BASE_OK;
    int64_t n = e->n;
    for (int64_t k = 0; k < matrix->nnz; k++)
        e->lines[n + matrix->index[k]].capacity++;
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t length = i < n ? matrix->start[i + 1] - matrix->start[i] : e->lines[i].capacity;
        e->lines[i].capacity = 0;
        BASE_TRY(base_reserve(e->context, &e->lines[i].entry, &e->lines[i].capacity, length,
                              sizeof *e->lines[i].entry));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            e->end[k][0] = i;
            e->end[k][1] = n + matrix->index[k];
            for (int side = 0; side < 2; side++) {
                perm_line *line = &e->lines[e->end[k][side]];
                line->entry[line->count++] = k;
            }
        }
done:
    return status;
}

/* All but the entries. */
static base_status init(base_context *context, const perm_matrix *matrix, perm_elimination *e) {
    base_status status;
    int64_t n = matrix->n, nnz = matrix->nnz;
    *e = (perm_elimination){.context = context, .n = n, .left = n};
    perm_product_init(&e->factor);
    e->lines = base_alloc_zero(context, 2 * n, sizeof *e->lines);
    e->end = base_alloc(context, nnz, sizeof *e->end);
    e->mark = base_alloc(context, 2 * n, sizeof *e->mark);
    e->stack = base_alloc(context, 2 * n, sizeof *e->stack);
    e->stacked = base_alloc_zero(context, 2 * n, sizeof *e->stacked);
    e->entry = base_alloc(context, nnz, sizeof *e->entry);
    if (e->lines == NULL || e->end == NULL || e->mark == NULL || e->stack == NULL || e->stacked == NULL ||
        e->entry == NULL)
        BASE_TRY(BASE_MACHINE);
    for (; e->nnz < nnz; e->nnz++)
        perm_value_init(&e->entry[e->nnz]);
    memset(e->mark, -1, (size_t)(2 * n) * sizeof *e->mark);
    BASE_TRY(make_lines(e, matrix));
    for (int64_t at = 0; at < 2 * n; at++)
        look_at(e, at);
done:
    return status;
}

base_status perm_elimination_init(base_context *context, const perm_matrix *matrix, perm_elimination *e) {
    const base_status status = init(context, matrix, e);
    for (int64_t k = 0; k < e->nnz; k++)
        perm_value_copy(&e->entry[k], &matrix->entry[k]);
    return status;
}

base_status perm_elimination_init_taking(base_context *context, perm_matrix *matrix, perm_elimination *e) {
    const base_status status = init(context, matrix, e);
    for (int64_t k = 0; k < e->nnz; k++)
        perm_value_swap(&e->entry[k], &matrix->entry[k]);
    return status;
}

void perm_elimination_free(perm_elimination *e) {
    for (int64_t i = 0; e->lines != NULL && i < 2 * e->n; i++)
        free(e->lines[i].entry);
    for (int64_t k = 0; k < e->nnz; k++)
        perm_value_free(&e->entry[k]);
    free(e->lines);
    free(e->end);
    free(e->entry);
    free(e->mark);
    free(e->stack);
    free(e->stacked);
    perm_product_free(&e->factor);
    *e = (perm_elimination){.n = 0};
}
