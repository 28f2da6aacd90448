#include "perm/reduce.h"
#include "base/memory.h"
#include "perm/product.h"
#include <stdlib.h>
#include <string.h>

/* Merged entries beyond this size cost more than the line they save. */
enum { LARGEST_ENTRY_BITS = 8192 };

typedef struct line {
    int64_t *entry; /* numbers of entries, in no order */
    int64_t count, capacity;
    bool gone;
} line;

/* Lines 0 … n-1 are the matrix's, n … 2n-1 those that cross them; an entry ends in one of each. */
typedef struct reduction {
    base_context *context;
    int64_t n;
    line *lines; /* 2n */
    int64_t (*end)[2];
    perm_value *entry;
    int64_t *mark;  /* 2n: the entry of the surviving line at a place, or -1 */
    int64_t *stack; /* lines to look at; each at most once */
    bool *stacked;
    int64_t stack_count;
    perm_product factor;
} reduction;

static int64_t other_end(const reduction *r, int64_t entry, int64_t at) {
    return r->end[entry][at < r->n];
}

static void look_at(reduction *r, int64_t at) {
    if (r->lines[at].gone || r->stacked[at] || r->lines[at].count > 2)
        return;
    r->stacked[at] = true;
    r->stack[r->stack_count++] = at;
}

static void drop_from(reduction *r, int64_t at, int64_t entry) {
    line *l = &r->lines[at];
    for (int64_t i = 0; i < l->count; i++)
        if (l->entry[i] == entry) {
            l->entry[i] = l->entry[--l->count];
            break;
        }
    look_at(r, at);
}

/* Takes a line away with its entries. */
static void remove_line(reduction *r, int64_t at) {
    line *l = &r->lines[at];
    l->gone = true;
    for (int64_t i = 0; i < l->count; i++)
        drop_from(r, other_end(r, l->entry[i], at), l->entry[i]);
    l->count = 0;
}

static size_t largest_bits(const reduction *r, const line *l) {
    size_t largest = 0;
    for (int64_t i = 0; i < l->count; i++) {
        const perm_value *value = &r->entry[l->entry[i]];
        size_t bits = mpz_sizeinbase(value->re, 2) + mpz_sizeinbase(value->im, 2);
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

static void multiply_line(reduction *r, int64_t at, int64_t but, const perm_value *by) {
    const line *l = &r->lines[at];
    for (int64_t i = 0; i < l->count; i++)
        if (l->entry[i] != but)
            perm_value_multiply(&r->entry[l->entry[i]], by);
}

/* Adds line `from` to line `to`, entry by entry, and takes `from` away. */
static base_status add_line(reduction *r, int64_t from, int64_t to) {
    base_status status = BASE_OK;
    line *source = &r->lines[from], *target = &r->lines[to];
    source->gone = true;
    for (int64_t i = 0; i < target->count; i++)
        r->mark[other_end(r, target->entry[i], to)] = target->entry[i];
    BASE_TRY(base_reserve(r->context, &target->entry, &target->capacity, target->count + source->count,
                          sizeof *target->entry));
    for (int64_t i = 0; i < source->count; i++) {
        int64_t entry = source->entry[i], at = other_end(r, entry, from), same = r->mark[at];
        if (same < 0) {
            r->end[entry][to >= r->n] = to;
            target->entry[target->count++] = entry;
            continue;
        }
        perm_value_add(&r->entry[same], &r->entry[entry]);
        drop_from(r, at, entry);
    }
    for (int64_t i = 0; i < target->count; i++)
        r->mark[other_end(r, target->entry[i], to)] = -1;
    for (int64_t i = target->count - 1; i >= 0; i--) {
        int64_t entry = target->entry[i];
        if (!perm_value_is_zero(&r->entry[entry]))
            continue;
        target->entry[i] = target->entry[--target->count];
        drop_from(r, other_end(r, entry, to), entry);
    }
    source->count = 0;
    look_at(r, to);
done:
    return status;
}

static base_status merge(reduction *r, int64_t at) {
    line *l = &r->lines[at];
    int64_t first = l->entry[0], second = l->entry[1];
    int64_t p = other_end(r, first, at), q = other_end(r, second, at);
    if (largest_bits(r, &r->lines[p]) + largest_bits(r, &r->lines[q]) > LARGEST_ENTRY_BITS)
        return BASE_OK;
    multiply_line(r, p, first, &r->entry[second]);
    multiply_line(r, q, second, &r->entry[first]);
    l->gone = true;
    l->count = 0;
    drop_from(r, p, first);
    drop_from(r, q, second);
    return r->lines[p].count < r->lines[q].count ? add_line(r, p, q) : add_line(r, q, p);
}

static base_status reduce_all(reduction *r) {
    base_status status = BASE_OK;
    for (int64_t at = 0; at < 2 * r->n; at++)
        look_at(r, at);
    while (r->stack_count > 0) {
        int64_t at = r->stack[--r->stack_count];
        line *l = &r->lines[at];
        r->stacked[at] = false;
        if (l->gone || l->count > 2)
            continue;
        if (l->count == 0) {
            perm_value zero;
            perm_value_init(&zero);
            perm_product_take(&r->factor, &zero);
            for (int64_t i = 0; i < 2 * r->n; i++)
                r->lines[i].gone = true;
            break;
        }
        if (l->count == 1) {
            int64_t entry = l->entry[0], cross = other_end(r, entry, at);
            perm_product_take(&r->factor, &r->entry[entry]);
            l->gone = true;
            l->count = 0;
            drop_from(r, cross, entry);
            remove_line(r, cross);
        } else {
            BASE_TRY(merge(r, at));
        }
    }
done:
    return status;
}

static int compare_pairs(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Writes what is left, renumbered, each line in ascending order. */
static base_status write_rest(reduction *r, mm_field field, perm_matrix *reduced) {
    base_status status = BASE_OK;
    int64_t n = 0, crossing = 0, nnz = 0, (*pair)[2] = NULL;
    int64_t *number = r->mark;
    for (int64_t i = 0; i < r->n; i++) {
        number[r->n + i] = r->lines[r->n + i].gone ? -1 : crossing++;
        if (!r->lines[i].gone) {
            n++;
            nnz += r->lines[i].count;
        }
    }
    BASE_TRY(perm_matrix_alloc(r->context, n, nnz, field, reduced));
    pair = base_alloc(r->context, n, sizeof *pair);
    if (!pair) {
        status = BASE_MACHINE;
        goto done;
    }
    int64_t at = 0, e = 0;
    for (int64_t i = 0; i < r->n; i++) {
        line *l = &r->lines[i];
        if (l->gone)
            continue;
        for (int64_t k = 0; k < l->count; k++) {
            pair[k][0] = number[other_end(r, l->entry[k], i)];
            pair[k][1] = l->entry[k];
        }
        qsort(pair, (size_t)l->count, sizeof *pair, compare_pairs);
        for (int64_t k = 0; k < l->count; k++, e++) {
            reduced->index[e] = pair[k][0];
            perm_value_move(&reduced->entry[e], &r->entry[pair[k][1]]);
        }
        reduced->start[++at] = e;
    }
done:
    free(pair);
    return status;
}

static base_status reduction_init(reduction *r, const perm_matrix *matrix) {
    base_context *context = r->context;
    int64_t n = matrix->n, nnz = matrix->nnz;
    r->n = n;
    r->lines = base_alloc_zero(context, 2 * n, sizeof *r->lines);
    r->end = base_alloc(context, nnz, sizeof *r->end);
    r->mark = base_alloc(context, 2 * n, sizeof *r->mark);
    r->stack = base_alloc(context, 2 * n, sizeof *r->stack);
    r->stacked = base_alloc_zero(context, 2 * n, sizeof *r->stacked);
    perm_value *entry = base_alloc(context, nnz, sizeof *r->entry);
    if (!r->lines || !r->end || !r->mark || !r->stack || !r->stacked || !entry) {
        free(entry);
        return BASE_MACHINE;
    }
    for (int64_t e = 0; e < nnz; e++) {
        perm_value_init(&entry[e]);
        perm_value_copy(&entry[e], &matrix->entry[e]);
    }
    r->entry = entry;
    memset(r->mark, -1, (size_t)(2 * n) * sizeof *r->mark);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            r->end[e][0] = i;
            r->end[e][1] = n + matrix->index[e];
            for (int side = 0; side < 2; side++) {
                line *l = &r->lines[r->end[e][side]];
                if (base_reserve(context, &l->entry, &l->capacity, l->count + 1, sizeof *l->entry) != BASE_OK)
                    return BASE_MACHINE;
                l->entry[l->count++] = e;
            }
        }
    return BASE_OK;
}

base_status perm_reduce(base_context *context, const perm_matrix *matrix, perm_matrix *reduced,
                        perm_value *factor) {
    base_status status = BASE_OK;
    reduction r = {.context = context};
    *reduced = (perm_matrix){0};
    perm_product_init(&r.factor);
    BASE_TRY(reduction_init(&r, matrix));
    BASE_TRY(reduce_all(&r));
    perm_product_finish(&r.factor, factor);
    BASE_TRY(write_rest(&r, matrix->field, reduced));
done:
    if (status != BASE_OK)
        perm_matrix_free(reduced);
    for (int64_t i = 0; r.lines && i < 2 * r.n; i++)
        free(r.lines[i].entry);
    for (int64_t e = 0; r.entry && e < matrix->nnz; e++)
        perm_value_free(&r.entry[e]);
    free(r.lines);
    free(r.end);
    free(r.entry);
    free(r.mark);
    free(r.stack);
    free(r.stacked);
    perm_product_free(&r.factor);
    return status;
}
