/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats of A by rows that device kernels make, decoded: every entry in its place, once, and nothing
 * else; cuts that cover everything. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "tests/support/tap.h"
#include "tests/unit/spmm/packed.h"

enum { SEED = 41 };

/* Segments and partitions: entries in order, cut where they exceed `most`; long segments 3 `most`. */
static bool check_rows(const spmm_csr *a, const spmm_pack_matrix *taken, const packed *it, bool merges,
                       int64_t most) {
    int64_t next[2] = {0, it->long_count}, parts = 0; /* long segments, the others */
    const int64_t end[2] = {it->long_count, it->long_count + it->worker_count};
    for (int64_t row = 0; row < a->nrow;) {
        if (!is_taken(taken, row)) {
            row++;
            continue;
        }
        int64_t rows = 1, entry = start[row], within = 0;
        const bool is_long = !merges && start[row + 1] - start[row] > most;
        for (bool last = false; !last; within++) {
            const int64_t worker = next[!is_long]++;
            if (worker >= end[!is_long])
                return false;
            const spmm_gpu_merge_partition *partition = (const spmm_gpu_merge_partition *)it->worker + worker;
            const spmm_gpu_segment *segment = (const spmm_gpu_segment *)it->worker + worker;
            const int64_t first = merges ? partition->first : segment->first,
                          count = merges ? partition->count : segment->count,
                          target = merges ? partition->row : segment->row;
            rows = merges ? partition->rows : 1;
            if (first != entry || row + rows > a->nrow || count < 0)
                return false;
            entry += count;
            last = entry == start[row + rows];
            if (last && within == 0 ? target != row : !good_part(it, -1 - target, row, within))
                return false;
            if (count > (is_long || rows > 1 ? 3 * most : most) || rows > 2 * most / SPMM_PACK_MERGE_ROW + 1)
                return false;
            parts += !last || within > 0;
        }
        row += rows;
    }
    return next[0] == end[0] && next[1] == end[1] && parts == it->part_count;
}

/* Entries of a row whose columns are among so many from `first` on. */
static int64_t count_between(const spmm_csr *a, int64_t row, int64_t first, int64_t columns) {
    int64_t count = 0;
    for (int64_t k = start[row]; k < start[row + 1]; k++)
        count += a->index[k] >= first && a->index[k] < first + columns;
    return count;
}

/* Chunks of so many columns, and the one at hand. */
typedef struct chunk {
    int64_t columns, number, bundles, first; /* bundles of a chunk; its first column */
} chunk;

/* Whether the row at a place of a bundle has its entries there, and as many of them as can be had where
 * their columns belong. */
static bool check_bstationary_row(const spmm_csr *a, spmm_precision precision, const packed *it,
                                  const chunk *chunk, int64_t place) {
    const int64_t bundle = chunk->number * chunk->bundles + place / SPMM_GPU_BSTATIONARY_ROWS,
                  row = it->row[chunk->number * a->nrow + place],
                  places = (count_between(a, row, chunk->first, chunk->columns) + 3) / 4;
    int64_t rest[4] = {0}, wrong = 0, over = 0;
    for (int64_t b = it->first_group[bundle]; b < it->first_group[bundle + 1]; b++)
        for (int k = 0; k < 4; k++) {
            const int64_t at = (b * SPMM_GPU_BSTATIONARY_ROWS + place % SPMM_GPU_BSTATIONARY_ROWS) * 4 + k,
                          column = it->position[at];
            const spmm_format format = spmm_format_of(precision);
            const double number =
                spmm_unpack(format, it->value, spmm_place_in_batch((int)spmm_format_bytes(format), at));
            if (column >= chunk->columns || chunk->first + column >= a->ncol)
                return false;
            if (number == 0)
                continue;
            rest[column % 4]++;
            wrong += column % 4 != (k + b - it->first_group[bundle] + place) % 4;
            if (!is_entry(a, precision, row, chunk->first + column, number))
                return false;
        }
    for (int r = 0; r < 4; r++)
        over += rest[r] > places ? rest[r] - places : 0;
    return wrong == over;
}

/* Each row once in a chunk, among those that are sorted together by lengths there. */
static bool check_bstationary_chunk(const spmm_csr *a, spmm_precision precision, const packed *it,
                                    const chunk *chunk, int64_t *batch) {
    int64_t last = 0, sum = 0;
    const int *rows = it->row + chunk->number * a->nrow;
    for (int64_t place = 0; place < a->nrow; place++) {
        const int64_t row = rows[place], section = place / SPMM_GPU_BSTATIONARY_SORTED;
        if (row < 0 || row >= a->nrow || row / SPMM_GPU_BSTATIONARY_SORTED != section)
            return false;
        const int64_t length = count_between(a, row, chunk->first, chunk->columns);
        if (place % SPMM_GPU_BSTATIONARY_SORTED != 0 &&
            (length > last || (length == last && row < rows[place - 1])))
            return false;
        if (place % SPMM_GPU_BSTATIONARY_ROWS == 0) {
            const int *group =
                it->first_group + chunk->number * chunk->bundles + place / SPMM_GPU_BSTATIONARY_ROWS;
            if (group[0] != *batch)
                return false;
            *batch += (length + 3) / 4;
            if (group[1] != *batch)
                return false;
        }
        if (!check_bstationary_row(a, precision, it, chunk, place))
            return false;
        last = length;
        sum += row;
    }
    return sum == a->nrow * (a->nrow - 1) / 2;
}

/* In chunks of so many columns, all entries are there. */
static bool check_bstationary(const spmm_csr *a, spmm_precision precision, int64_t columns) {
    const spmm_pack_matrix all = pack_matrix_of(a, precision);
    packed it = packed_bstationary(&all, (int)columns);
    chunk chunk = {.columns = columns,
                   .bundles = (a->nrow + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS};
    int64_t batch = 0;
    bool ok = true;
    forget();
    for (; ok && chunk.first < a->ncol; chunk.number++, chunk.first += columns)
        ok = check_bstationary_chunk(a, precision, &it, &chunk, &batch);
    ok = ok && batch == it.chunks && met_all(&all);
    packed_free(&it);
    return ok;
}

/* Ascending columns, the last one repeated up to the end of its step, with no numbers. */
static bool check_rowpairs(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision,
                           const packed *it) {
    const spmm_format format = spmm_format_of(precision);
    const int height = SPMM_GPU_ROWPAIR_ROWS;
    const int64_t step_bytes = 16 + 4 * height * spmm_format_bytes(format);
    int64_t step = 0;
    forget();
    for (int64_t pair = 0; pair < it->windows; pair++) {
        int last = -1;
        bool ended = false;
        if (it->first_group[pair] != step || it->row[pair] != row_of(taken, pair * height))
            return false;
        for (; step < it->first_group[pair + 1]; step++) {
            const char *at = (const char *)it->value + step * step_bytes;
            for (int k = 0; k < 4; k++) {
                int column, numbers = 0;
                memcpy(&column, at + 4 * k, sizeof column);
                for (int r = 0; r < height; r++) {
                    const double number = spmm_unpack(format, at + 16, k * height + r);
                    numbers += number != 0;
                    if (number != 0 && !is_entry(a, precision, it->row[pair] + r, column, number))
                        return false;
                }
                if (numbers > 0 ? column <= last || ended : column != last)
                    return false;
                ended = numbers == 0;
                last = column;
            }
        }
    }
    return step == it->steps && met_all(taken);
}

static bool test_rowpairs(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision) {
    packed rowpairs = packed_rowpairs(taken);
    const bool good = check_rowpairs(a, taken, precision, &rowpairs);
    packed_free(&rowpairs);
    return good;
}

/* ---- tests ---- */

static bool test_rows(const spmm_csr *a, const spmm_pack_matrix *taken, bool merges) {
    const int most = 1 + (int)pick(100);
    packed it = packed_rows(taken, merges, most);
    const bool good = check_rows(a, taken, &it, merges, most);
    packed_free(&it);
    return good;
}

static bool test_dense(const spmm_csr *a, const spmm_pack_matrix *all, spmm_precision precision) {
    packed it = packed_dense(all, 1 + (int)pick(40));
    bool good = true;
    forget();
    for (int64_t at = 0; at < a->nrow * it.steps; at++) {
        const double number = spmm_unpack(spmm_format_of(precision), it.value, at);
        good = good && (number == 0 || is_entry(a, precision, at / it.steps, at % it.steps, number));
    }
    packed_free(&it);
    return good && met_all(all);
}

static bool test_entries(const spmm_csr *a, const spmm_pack_matrix *all, spmm_precision precision) {
    void *entries = packed_entries(all);
    bool good = true;
    for (int64_t k = 0; k < a->nnz; k++)
        if (precision != SPMM_FP64) {
            const spmm_gpu_entry *entry = (const spmm_gpu_entry *)entries + k;
            good =
                good && entry->column == index_of[k] &&
                spmm_unpack(spmm_format_of(precision), &entry->value, 0) == spmm_matrix_get(a, precision, k);
        }
    free(entries);
    return good;
}

/* Sums before, over several blocks: of one array and of two. */
static void test_scan(void) {
    static const int64_t lengths[] = {0, 1, SPMM_PACK_SCAN_COUNTS, SPMM_PACK_SCAN_COUNTS + 1,
                                      3 * SPMM_PACK_SCAN_COUNTS + 77};
    int wrong = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const int64_t length = lengths[k];
        long long total[2] = {-1, -1}, sum[2] = {0, 0}, *count[2], *scanned[2];
        for (int a = 0; a < 2; a++) {
            count[a] = pack_room(length, 8);
            scanned[a] = pack_room(length + 1, 8);
            for (int64_t i = 0; i < length; i++)
                scanned[a][i] = count[a][i] = pick(1000) | pick(50) << 32;
        }
        pack_scan_counts(scanned[0], k % 2 == 0 ? scanned[1] : NULL, length, total);
        for (int a = 0; a < (k % 2 == 0 ? 2 : 1); a++) {
            for (int64_t i = 0; i < length; sum[a] += count[a][i++])
                wrong += scanned[a][i] != sum[a];
            wrong += scanned[a][length] != sum[a] || total[a] != sum[a];
        }
        for (int a = 0; a < 2; a++) {
            free(count[a]);
            free(scanned[a]);
        }
    }
    tap_ok(wrong == 0, "sums of counts over several blocks (%d wrong)", wrong);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    test_scan();
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        static const char *const what[] = {"entries",     "segments", "merge",
                                           "bstationary", "dense",    "rowpairs"};
        int wrong[6] = {0};
        for (int round = 0; round < ROUNDS; round++) {
            const spmm_csr a = make_matrix(precision);
            const spmm_pack_matrix taken = take_bands(&a, precision), all = pack_matrix_of(&a, precision);
            const int64_t fours = (a.ncol + 3) / 4, few = 1 + (int64_t)base_random_below(&numbers, 3);
            wrong[0] += !test_entries(&a, &all, precision);
            wrong[1] += !test_rows(&a, &taken, false);
            wrong[2] += !test_rows(&a, &taken, true);
            wrong[3] += !check_bstationary(&a, precision, 4 * fours);
            wrong[3] += !check_bstationary(&a, precision, 4 * ((fours + few) / (few + 1)));
            wrong[4] += !test_dense(&a, &all, precision);
            wrong[5] += !test_rowpairs(&a, &taken, precision);
        }
        for (int k = 0; k < 6; k++)
            tap_ok(wrong[k] == 0, "%s, precision %d: %d matrices (%d wrong)", what[k], p, ROUNDS, wrong[k]);
    }
    return tap_done();
}
