/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/cyclic.h"
#include "base/core/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static uint64_t transpose(int64_t n, uint64_t mask) {
    uint64_t result = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        int64_t bit = __builtin_ctzll(rest);
        result |= UINT64_C(1) << (bit % n * n + bit / n);
    }
    return result;
}

static bool is_term(const uint64_t *rows, int64_t r, uint64_t u, uint64_t v, uint64_t w) {
    return rows[3 * r] == u && rows[3 * r + 1] == v && rows[3 * r + 2] == w;
}

/* The row from `first` on that is (u, v, w), or -1. */
static int64_t find(const uint64_t *rows, int64_t count, int64_t first, uint64_t u, uint64_t v, uint64_t w) {
    for (int64_t r = first; r < count; r++)
        if (is_term(rows, r, u, v, w))
            return r;
    return -1;
}

static bool is_fixed(const uint64_t *row) {
    return row[0] == row[1] && row[1] == row[2];
}

int64_t flip_cyclic_fold(const int64_t size[3], int64_t rank, const uint64_t *masks, uint64_t *rows) {
    int64_t count = rank, orbits = 0;
    if (size[0] != size[1] || size[1] != size[2])
        return -1;
    /* With W transposed the tensor is Σ e_ij ⊗ e_jk ⊗ e_ki, which turning the factors leaves as it is. */
    for (int64_t r = 0; r < rank; r++) {
        rows[3 * r] = masks[3 * r];
        rows[3 * r + 1] = masks[3 * r + 1];
        rows[3 * r + 2] = transpose(size[0], masks[3 * r + 2]);
    }
    for (; orbits < count; orbits++) {
        uint64_t u = rows[3 * orbits], v = rows[3 * orbits + 1], w = rows[3 * orbits + 2];
        for (int turn = 0; turn < 2 && (u != v || v != w); turn++) {
            int64_t r =
                turn == 0 ? find(rows, count, orbits + 1, v, w, u) : find(rows, count, orbits + 1, w, u, v);
            if (r < 0)
                return -1;
            count--;
            memmove(rows + 3 * r, rows + 3 * (r + 1), (size_t)(3 * (count - r)) * sizeof *rows);
        }
    }
    return orbits;
}

int64_t flip_cyclic_unfold(const int64_t size[3], int64_t count, const uint64_t *rows, uint64_t *masks) {
    int64_t rank = 0;
    for (int64_t r = 0; r < count; r++) {
        const uint64_t *row = rows + 3 * r;
        const int turns = is_fixed(row) ? 1 : 3;
        for (int turn = 0; row[0] != 0 && turn < turns; turn++, rank++) {
            masks[3 * rank] = row[turn];
            masks[3 * rank + 1] = row[(turn + 1) % 3];
            masks[3 * rank + 2] = transpose(size[0], row[(turn + 2) % 3]);
        }
    }
    return rank;
}

/* The mask of an n×n matrix with its rows and columns reversed. */
static uint64_t reverse_mask(int64_t n, uint64_t mask) {
    uint64_t result = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
        result |= UINT64_C(1) << (n * n - 1 - __builtin_ctzll(rest));
    return result;
}

static void swap_rows(uint64_t *rows, int64_t r, int64_t other) {
    for (int k = 0; k < 3; k++) {
        const uint64_t held = rows[3 * r + k];
        rows[3 * r + k] = rows[3 * other + k];
        rows[3 * other + k] = held;
    }
}

bool flip_cyclic_pair(int64_t n, int64_t count, uint64_t *rows) {
    int64_t end = count;
    for (int64_t r = 0; r < end;)
        if (is_fixed(rows + 3 * r))
            swap_rows(rows, r, --end);
        else
            r++;
    for (int64_t r = end; r < count; r++) {
        const uint64_t a = reverse_mask(n, rows[3 * r]);
        if (find(rows, count, end, a, a, a) < 0)
            return false;
    }
    for (int64_t r = 0; r < end; r += 2) {
        uint64_t image[3];
        int64_t other = -1;
        for (int k = 0; k < 3; k++)
            image[k] = reverse_mask(n, rows[3 * r + k]);
        for (int turn = 0; turn < 3 && other < 0; turn++)
            other = find(rows, end, r + 1, image[turn], image[(turn + 1) % 3], image[(turn + 2) % 3]);
        if (other < 0)
            return false;
        swap_rows(rows, r + 1, other);
        memcpy(rows + 3 * (r + 1), image, sizeof image);
    }
    return true;
}

int64_t flip_cyclic_halve(int64_t n, int64_t count, uint64_t *rows) {
    int64_t left = 0;
    for (int64_t r = 0; r < count; r++) {
        const uint64_t *row = rows + 3 * r;
        const uint64_t a = reverse_mask(n, row[0]);
        if (is_fixed(row) ? find(rows, left, 0, a, a, a) >= 0 : r % 2 == 1)
            continue;
        memmove(rows + 3 * left++, row, 3 * sizeof *rows);
    }
    return left;
}

int64_t flip_cyclic_double(int64_t n, int64_t count, uint64_t *rows) {
    int64_t end = count;
    for (int64_t r = 0; r < count; r++) {
        const uint64_t *row = rows + 3 * r;
        if (is_fixed(row) && reverse_mask(n, row[0]) == row[0])
            continue;
        for (int k = 0; k < 3; k++)
            rows[3 * end + k] = reverse_mask(n, row[k]);
        end++;
    }
    return end;
}

/* Merges rows `into` and `from`, both of three equal factors, of `count`: over F2 a ⊗ a ⊗ a + b ⊗ b ⊗ b is
 * (a + b) ⊗ (a + b) ⊗ (a + b) and the orbits of a ⊗ a ⊗ b and a ⊗ b ⊗ b. */
static int64_t merge(uint64_t *rows, int64_t count, int64_t into, int64_t from) {
    const uint64_t a = rows[3 * into], b = rows[3 * from];
    const uint64_t merged[3][3] = {{a ^ b, a ^ b, a ^ b}, {a, a, b}, {a, b, b}};
    memcpy(rows + 3 * into, merged[0], sizeof merged[0]);
    memcpy(rows + 3 * from, merged[1], sizeof merged[1]);
    memcpy(rows + 3 * count, merged[2], sizeof merged[2]);
    return count + 1;
}

/* Orders an odd number of fixed terms for merging two by two: the first with the last and so on, the middle
 * one last. Reversing maps each such pair to itself; of an even number it maps neighbours to neighbours
 * anyway. */
static void pair_from_ends(int64_t count, int64_t *fixed) {
    int64_t order[FLIP_MASK_BITS];
    for (int64_t at = 0; at < count; at++)
        order[at] = at % 2 == 0 ? fixed[at / 2] : fixed[count - 1 - at / 2];
    memcpy(fixed, order, (size_t)count * sizeof *fixed);
}

base_status flip_cyclic_merge(base_context *context, const flip_scheme *scheme, const int64_t *sizes,
                              int64_t count, flip_scheme *merged) {
    base_status status = BASE_OK;
    int64_t fixed[FLIP_MASK_BITS], left = 0, sum = 0, rank = 0, rows_count = -1;
    uint64_t *masks = base_alloc(context, 24 * (scheme->rank + 1), sizeof *masks), *rows = NULL;
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    rows = masks + 18 * (scheme->rank + 1); /* at most twice as many, of three terms each */
    rank = flip_scheme_get_masks(scheme, masks);
    if (flip_fits_masks(scheme->size))
        rows_count = flip_cyclic_fold(scheme->size, rank, masks, rows);
    if (rows_count < 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is not cyclic"));
    for (int64_t r = 0; r < rows_count && left < FLIP_MASK_BITS; r++)
        if (is_fixed(rows + 3 * r))
            fixed[left++] = r;
    for (int64_t k = 0; sizes != NULL && k < count; k++)
        sum += sizes[k] >= 1 && sizes[k] <= left ? sizes[k] : left + 1;
    if (sizes != NULL && sum != left)
        BASE_TRY(base_fail(context, BASE_USAGE, "the scheme has %lld fixed terms", (long long)left));
    if (sizes == NULL && left % 2 == 1)
        pair_from_ends(left, fixed);
    for (int64_t at = 0, k = 0, size; at < left; at += size, k++) {
        size = sizes != NULL ? sizes[k] : at + 1 < left ? 2 : 1;
        for (int64_t e = 1; e < size; e++)
            rows_count = merge(rows, rows_count, fixed[at], fixed[at + e]);
    }
    rank = flip_cyclic_unfold(scheme->size, rows_count, rows, masks);
    BASE_TRY(flip_scheme_from_masks(context, scheme->size, rank, masks, merged));
done:
    free(masks);
    return status;
}

/* Rows of the matrices in groups: those of group g are `size[g]` of `row`, behind those of the groups before.
 */
typedef struct row_groups {
    int64_t row[FLIP_MASK_BITS], size[FLIP_MASK_BITS], group_of[FLIP_MASK_BITS], count;
} row_groups;

static void add_row(row_groups *it, int64_t row, int64_t place) {
    it->row[place] = row;
    it->group_of[row] = it->count - 1;
    it->size[it->count - 1]++;
}

/* Of "1+2,3" and four rows: rows 0 and 1, row 2, row 3. */
static base_status read_groups(base_context *context, const char *text, int64_t n, row_groups *it) {
    int64_t place = 0;
    *it = (row_groups){.count = 1};
    for (int64_t i = 0; i < n; i++)
        it->group_of[i] = -1;
    for (const char *at = text;; at++) {
        char *end = NULL;
        const long row = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
        if (row < 1 || row > n || it->group_of[row - 1] >= 0 || (*end != '\0' && *end != ',' && *end != '+'))
            return base_fail(
                context, BASE_USAGE,
                "--groups: '%s' at '%s': rows from 1 to %lld, each once, with + and , between them", text, at,
                (long long)n);
        add_row(it, row - 1, place++);
        at = end;
        if (*at == '\0')
            break;
        it->count += *at == ',';
    }
    for (int64_t i = 0; i < n; i++)
        if (it->group_of[i] < 0) {
            it->count++;
            add_row(it, i, place++);
        }
    return BASE_OK;
}

static bool is_reversible(int64_t n, const int64_t *group) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if ((group[i] == group[j]) != (group[n - 1 - i] == group[n - 1 - j]))
                return false;
    return true;
}

/* The standard algorithm with its fixed terms, which are n² + n + 1 terms apart, in the order of their
 * groups. */
static base_status merge_groups(base_context *context, const char *text, bool reversed,
                                const flip_scheme *scheme, flip_scheme *merged) {
    base_status status;
    const int64_t n = scheme->size[0], step = 3 * (n * n + n + 1);
    row_groups groups;
    flip_scheme ordered = {0};
    uint64_t *masks = base_alloc(context, 6 * scheme->rank, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    uint64_t *to = masks + 3 * scheme->rank;
    BASE_TRY(read_groups(context, text, n, &groups));
    if (reversed && !is_reversible(n, groups.group_of))
        BASE_TRY(base_fail(context, BASE_USAGE, "--groups: reversing does not map '%s' to groups", text));
    flip_scheme_get_masks(scheme, masks);
    memcpy(to, masks, 3 * (size_t)scheme->rank * sizeof *masks);
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * step, masks + groups.row[i] * step, 3 * sizeof *masks);
    BASE_TRY(flip_scheme_from_masks(context, scheme->size, scheme->rank, to, &ordered));
    BASE_TRY(flip_cyclic_merge(context, &ordered, groups.size, groups.count, merged));
done:
    flip_scheme_free(&ordered);
    free(masks);
    return status;
}

base_status flip_cyclic_start(base_context *context, const char *groups, bool reversed, flip_scheme *scheme) {
    base_status status;
    flip_scheme merged = {0};
    const int64_t n = scheme->size[0];
    const bool is_standard = scheme->rank == n * n * n;
    BASE_TRY(groups != NULL && is_standard && n <= FLIP_MASK_BITS && flip_fits_masks(scheme->size)
                 ? merge_groups(context, groups, reversed, scheme, &merged)
                 : flip_cyclic_merge(context, scheme, NULL, 0, &merged));
    if (is_standard) {
        flip_scheme_free(scheme);
        *scheme = merged;
        merged = (flip_scheme){0};
    }
done:
    flip_scheme_free(&merged);
    return status;
}
