#include "flip/cyclic.h"
#include "base/memory.h"

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

int64_t flip_cyclic_fold(const int64_t size[3], int64_t rank, const uint64_t *masks, uint64_t *rows) {
    int64_t count = rank, orbits = 0;
    if (size[0] != size[1] || size[1] != size[2])
        return -1;
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
        const int turns = row[0] == row[1] && row[1] == row[2] ? 1 : 3;
        for (int turn = 0; row[0] != 0 && turn < turns; turn++, rank++) {
            masks[3 * rank] = row[turn];
            masks[3 * rank + 1] = row[(turn + 1) % 3];
            masks[3 * rank + 2] = transpose(size[0], row[(turn + 2) % 3]);
        }
    }
    return rank;
}

/* Merges rows `into` and `from`, both of three equal factors, of `count`. */
static int64_t merge(uint64_t *rows, int64_t count, int64_t into, int64_t from) {
    const uint64_t a = rows[3 * into], b = rows[3 * from];
    const uint64_t merged[3][3] = {{a ^ b, a ^ b, a ^ b}, {a, a, b}, {a, b, b}};
    memcpy(rows + 3 * into, merged[0], sizeof merged[0]);
    memcpy(rows + 3 * from, merged[1], sizeof merged[1]);
    memcpy(rows + 3 * count, merged[2], sizeof merged[2]);
    return count + 1;
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
        if (rows[3 * r] == rows[3 * r + 1] && rows[3 * r] == rows[3 * r + 2])
            fixed[left++] = r;
    for (int64_t k = 0; sizes != NULL && k < count; k++)
        sum += sizes[k] >= 1 && sizes[k] <= left ? sizes[k] : left + 1;
    if (sizes != NULL && sum != left)
        BASE_TRY(base_fail(context, BASE_USAGE, "the scheme has %lld fixed terms", (long long)left));
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

base_status flip_cyclic_start(base_context *context, flip_scheme *scheme) {
    base_status status;
    flip_scheme merged = {0};
    const int64_t n = scheme->size[0];
    BASE_TRY(flip_cyclic_merge(context, scheme, NULL, 0, &merged));
    if (scheme->rank == n * n * n) {
        flip_scheme_free(scheme);
        *scheme = merged;
        merged = (flip_scheme){0};
    }
done:
    flip_scheme_free(&merged);
    return status;
}
