#include "spmm/slabs.h"
#include "base/memory.h"
#include "spmm/format.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = SPMM_GPU_SLAB_GROUP };

/* Entries of a row with columns of each rest on division by 4, in the order they have. */
typedef struct rests {
    int64_t *entry[4], count[4], taken[4];
} rests;

/* The rest to take the next entry from: the wanted one, or else the one with most left. */
static int choose(const rests *rests, int wanted) {
    int best = wanted;
    if (rests->taken[wanted] < rests->count[wanted])
        return wanted;
    for (int r = 0; r < 4; r++)
        if (rests->count[r] - rests->taken[r] > rests->count[best] - rests->taken[best])
            best = r;
    return best;
}

static void fill_row(spmm_slabs *slabs, const spmm_csr *a, spmm_precision precision, int64_t row,
                     rests *rests) {
    memset(rests->count, 0, sizeof rests->count);
    memset(rests->taken, 0, sizeof rests->taken);
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
        const int rest = a->index[k] % 4;
        rests->entry[rest][rests->count[rest]++] = k;
    }
    for (int64_t at = slabs->start[row] * (int64_t)GROUP; at < slabs->start[row + 1] * (int64_t)GROUP; at++) {
        const int wanted = (int)(at / 4 % 4), rest = choose(rests, wanted);
        if (rests->taken[rest] == rests->count[rest]) {
            slabs->column[at] = (uint16_t)(wanted < a->ncol ? wanted : 0);
            continue; /* with the value 0 */
        }
        const int64_t entry = rests->entry[rest][rests->taken[rest]++];
        slabs->column[at] = (uint16_t)a->index[entry];
        spmm_pack_value(precision, a->value, entry, slabs->value, at);
    }
}

base_status spmm_slabs_init(base_context *context, const spmm_csr *a, spmm_precision precision,
                            spmm_slabs *slabs) {
    base_status status = BASE_MACHINE;
    int64_t longest = 0, groups = 0;
    rests rests = {.entry = {NULL}};
    *slabs = (spmm_slabs){.group_count = 0};
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t entries = a->start[row + 1] - a->start[row];
        groups += (entries + GROUP - 1) / GROUP;
        longest = entries > longest ? entries : longest;
    }
    if (a->ncol > 1 << 16 || groups > INT32_MAX)
        return base_fail(context, BASE_FAILED, "too many columns or entries for slabs");
    slabs->group_count = groups;
    slabs->start = base_alloc(context, a->nrow + 1, sizeof *slabs->start);
    slabs->column = base_alloc(context, groups * GROUP + 1, sizeof *slabs->column);
    slabs->value = base_alloc_zero(context, groups * GROUP + 1, spmm_format_bytes(spmm_format_of(precision)));
    rests.entry[0] = base_alloc(context, 4 * longest + 1, sizeof *rests.entry[0]);
    if (slabs->start == NULL || slabs->column == NULL || slabs->value == NULL || rests.entry[0] == NULL)
        goto done;
    for (int rest = 1; rest < 4; rest++)
        rests.entry[rest] = rests.entry[0] + rest * longest;
    slabs->start[0] = 0;
    for (int64_t row = 0; row < a->nrow; row++) {
        slabs->start[row + 1] =
            slabs->start[row] + (int32_t)((a->start[row + 1] - a->start[row] + GROUP - 1) / GROUP);
        fill_row(slabs, a, precision, row, &rests);
    }
    status = BASE_OK;
done:
    free(rests.entry[0]);
    if (status != BASE_OK)
        spmm_slabs_free(slabs);
    return status;
}

void spmm_slabs_free(spmm_slabs *slabs) {
    if (slabs == NULL)
        return;
    free(slabs->start);
    free(slabs->column);
    free(slabs->value);
    memset(slabs, 0, sizeof *slabs);
}
