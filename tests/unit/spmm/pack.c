/* The formats of A that device kernels make, decoded: every entry in its place, once, and nothing else; cuts
 * that cover everything. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "tests/support/spmm_matrix.h"
#include "tests/support/spmm_pack.h"
#include "tests/support/tap.h"

enum { SEED = 41, MOST_ROWS = 300, MOST_COLUMNS = 500, ROUNDS = 3 };

static base_random numbers;
static int64_t start[MOST_ROWS + 1], before[8];
static int32_t index_of[MOST_ROWS * MOST_COLUMNS], band[8];
static double value[MOST_ROWS * MOST_COLUMNS]; /* or floats */
static unsigned char met[MOST_ROWS][MOST_COLUMNS];

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&numbers, (uint64_t)below);
}

/* ---- matrices ---- */

/* Some rows empty, some full, columns in a stretch or anywhere. */
static spmm_csr make_matrix(spmm_precision precision) {
    spmm_csr a = {1 + pick(MOST_ROWS), 1 + pick(MOST_COLUMNS), 0, start, index_of, value};
    const double share = base_random_uniform(&numbers) * base_random_uniform(&numbers) / 4;
    const bool narrow = pick(2) == 0;
    for (int64_t row = 0; row < a.nrow; row++) {
        const int64_t kind = pick(40), low = narrow ? row * a.ncol / a.nrow / 2 : 0,
                      high = narrow ? low + a.ncol / 2 : a.ncol;
        spmm_matrix_draw_row(&numbers, precision, row, low, high, kind < 3 ? 0 : kind == 3 ? 1 : share, &a);
    }
    return a;
}

/* All rows, or some bands of them. */
static spmm_pack_matrix take_bands(const spmm_csr *a, spmm_precision precision) {
    spmm_pack_matrix taken = pack_matrix_of(a, precision);
    int64_t count = 0, nnz = 0, rows = 0;
    if (pick(2) == 0)
        return taken;
    for (int64_t k = 0; k * SPMM_PACK_BAND < a->nrow; k++)
        if (pick(2) == 0) {
            const int64_t first = k * SPMM_PACK_BAND, left = a->nrow - first,
                          end = first + (left < SPMM_PACK_BAND ? left : SPMM_PACK_BAND);
            band[count] = (int32_t)k;
            before[count++] = nnz;
            nnz += start[end] - start[first];
            rows += end - first;
        }
    taken.band = band;
    taken.before = (const long long *)before;
    taken.place_count = rows;
    taken.nnz = nnz;
    return taken;
}

static bool is_taken(const spmm_pack_matrix *a, int64_t row) {
    for (int64_t k = 0; a->band != NULL && k * SPMM_PACK_BAND < a->place_count; k++)
        if (a->band[k] == row / SPMM_PACK_BAND)
            return true;
    return a->band == NULL;
}

/* ---- decoding ---- */

static void forget(void) {
    memset(met, 0, sizeof met);
}

/* That the matrix has this number there, which was not met before. */
static bool reduction(const spmm_csr *a, spmm_precision precision, int64_t row, int64_t column,
                      double number) {
    if (row < 0 || row >= a->nrow || column < 0 || column >= a->ncol || met[row][column]++ != 0)
        return false;
    for (int64_t k = start[row]; k < start[row + 1]; k++)
        if (index_of[k] == column)
            return spmm_matrix_get(a, precision, k) == number;
    return false;
}

static bool met_all(const spmm_pack_matrix *a) {
    int64_t count = 0;
    for (int64_t row = 0; row < a->nrow; row++)
        for (int64_t column = 0; column < a->ncol; column++)
            count += met[row][column];
    return count == a->nnz;
}

static bool good_part(const packed *it, int64_t number, int64_t target, int64_t before_it) {
    const spmm_gpu_part *part = &it->part[number];
    return number >= 0 && number < it->part_count && part->target == target && part->count > 1 &&
           part->first + before_it == number && before_it < part->count;
}

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

/* Pieces of at most `most` that cover chunk[w] … chunk[w + 1] - 1 of each window; what parts aim at. */
static bool check_pieces(const packed *it, const int64_t *chunk, const int64_t *target, int64_t most) {
    int64_t piece = 0;
    for (int64_t w = 0; w < it->windows; w++) {
        int64_t at = chunk[w];
        for (int64_t within = 0; within == 0 || at < chunk[w + 1]; within++, piece++) {
            const spmm_gpu_piece *p = (const spmm_gpu_piece *)it->worker + piece;
            if (piece >= it->worker_count || p->first != at || p->count > most || p->count < 0)
                return false;
            at += p->count;
            const bool whole = within == 0 && at == chunk[w + 1];
            if (whole ? p->window != target[w] : !good_part(it, -1 - p->window, target[w], within))
                return false;
        }
        if (at != chunk[w + 1])
            return false;
    }
    return piece == it->worker_count;
}

/* Whether the row at a place of a bundle has its entries there, and as many of them as can be had where
 * their columns belong. */
static bool check_bstationary_row(const spmm_csr *a, spmm_precision precision, const packed *it,
                                  int64_t place) {
    const int64_t bundle = place / SPMM_GPU_BSTATIONARY_ROWS, row = it->row[place],
                  places = (start[row + 1] - start[row] + 3) / 4;
    int64_t rest[4] = {0}, wrong = 0, over = 0;
    for (int64_t b = it->first_group[bundle]; b < it->first_group[bundle + 1]; b++)
        for (int k = 0; k < 4; k++) {
            const int64_t at = (b * SPMM_GPU_BSTATIONARY_ROWS + place % SPMM_GPU_BSTATIONARY_ROWS) * 4 + k,
                          column = it->position[at];
            const double number = spmm_unpack(spmm_format_of(precision), it->value, at);
            if (column >= a->ncol)
                return false;
            if (number == 0)
                continue;
            rest[column % 4]++;
            wrong += column % 4 != (k + b - it->first_group[bundle] + place) % 4;
            if (!reduction(a, precision, row, column, number))
                return false;
        }
    for (int r = 0; r < 4; r++)
        over += rest[r] > places ? rest[r] - places : 0;
    return wrong == over;
}

/* Each row once, among those that are sorted together by lengths. */
static bool check_bstationary(const spmm_csr *a, spmm_precision precision, const packed *it) {
    int64_t batch = 0, last = 0, sum = 0;
    forget();
    for (int64_t place = 0; place < a->nrow; place++) {
        const int64_t row = it->row[place], section = place / SPMM_GPU_BSTATIONARY_SORTED;
        if (row < 0 || row >= a->nrow || row / SPMM_GPU_BSTATIONARY_SORTED != section)
            return false;
        const int64_t length = start[row + 1] - start[row];
        if (place % SPMM_GPU_BSTATIONARY_SORTED != 0 &&
            (length > last || (length == last && row < it->row[place - 1])))
            return false;
        if (place % SPMM_GPU_BSTATIONARY_ROWS == 0) {
            if (it->first_group[place / SPMM_GPU_BSTATIONARY_ROWS] != batch)
                return false;
            batch += (length + 3) / 4;
            if (it->first_group[place / SPMM_GPU_BSTATIONARY_ROWS + 1] != batch)
                return false;
        }
        if (!check_bstationary_row(a, precision, it, place))
            return false;
        last = length;
        sum += row;
    }
    const spmm_pack_matrix all = pack_matrix_of(a, precision);
    return batch == it->chunks && sum == a->nrow * (a->nrow - 1) / 2 && met_all(&all);
}

static int64_t row_of(const spmm_pack_matrix *a, int64_t place) {
    return a->band == NULL
               ? place
               : (int64_t)a->band[place / SPMM_PACK_BAND] * SPMM_PACK_BAND + place % SPMM_PACK_BAND;
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
                    if (number != 0 && !reduction(a, precision, it->row[pair] + r, column, number))
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

/* Columns of the chunks of a window: ascending, each with an entry. */
static bool check_columns(const packed *it, int64_t chunk, int64_t end, const unsigned char *used,
                          int64_t ncol) {
    int64_t at = chunk * SPMM_GPU_CHUNK;
    for (int64_t column = 0; column < ncol; column++)
        if (used[column] && (at >= end * SPMM_GPU_CHUNK || it->column[at++] != column))
            return false;
    for (; at < end * SPMM_GPU_CHUNK; at++)
        if (it->column[at] != it->column[(end - 1) * SPMM_GPU_CHUNK])
            return false;
    return true;
}

static bool check_chunk(const spmm_csr *a, spmm_precision precision, const packed *it, int height, bool dense,
                        int64_t window, int64_t chunk) {
    const int bytes = (int)spmm_format_bytes(spmm_format_of(precision));
    static int place[SPMM_PACK_BAND * SPMM_GPU_CHUNK]; /* row * 16 + column by position */
    for (int k = 0; k < height * SPMM_GPU_CHUNK; k++)
        place[spmm_place_in_chunk(bytes, k / SPMM_GPU_CHUNK, k % SPMM_GPU_CHUNK)] = k;
    const int64_t tile = (int64_t)height * SPMM_GPU_CHUNK;
    for (int64_t k = dense ? 0 : it->start[chunk]; k < (dense ? tile : it->start[chunk + 1]); k++) {
        double number;
        int64_t position = k;
        if (dense)
            number = spmm_unpack(spmm_format_of(precision), it->value, chunk * tile + k);
        else if (bytes == 8) {
            position = ((const spmm_gpu_double_entry *)it->value)[k].column / 8;
            number = ((const spmm_gpu_double_entry *)it->value)[k].value;
        } else if (bytes == 4) {
            position = ((const spmm_gpu_entry *)it->value)[k].column / 4;
            number = (double)spmm_float(((const spmm_gpu_entry *)it->value)[k].value);
        } else {
            position = ((const uint16_t *)it->value)[2 * k] / 2;
            number = spmm_unpack(spmm_format_of(precision), it->value, 2 * k + 1);
        }
        if (position < 0 || position >= (height == 8 ? 2 * tile : tile))
            return false;
        const int row = place[position] / SPMM_GPU_CHUNK, column = place[position] % SPMM_GPU_CHUNK;
        if (number != 0 && !reduction(a, precision, it->row[window * height + row],
                                      it->column[chunk * SPMM_GPU_CHUNK + column], number))
            return false;
    }
    return true;
}

static bool check_windows(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision,
                          const packed *it, int height, bool dense, int64_t most) {
    int64_t chunk[MOST_ROWS / 8 + 2], target[MOST_ROWS / 8 + 2];
    forget();
    chunk[0] = 0;
    for (int64_t w = 0; w < it->windows; w++) {
        unsigned char used[MOST_COLUMNS] = {0};
        int64_t columns = 0;
        for (int64_t place = w * height; place < (w + 1) * height; place++) {
            const int64_t row = place < taken->place_count ? row_of(taken, place) : -1;
            if (it->row[place] != row)
                return false;
            for (int64_t k = row < 0 ? 0 : start[row]; row >= 0 && k < start[row + 1]; k++) {
                columns += !used[index_of[k]];
                used[index_of[k]] = 1;
            }
        }
        target[w] = w;
        chunk[w + 1] = chunk[w] + (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK;
        if (chunk[w + 1] > it->chunks || !check_columns(it, chunk[w], chunk[w + 1], used, a->ncol))
            return false;
        for (int64_t k = chunk[w]; k < chunk[w + 1]; k++)
            if (!check_chunk(a, precision, it, height, dense, w, k))
                return false;
    }
    return chunk[it->windows] == it->chunks && met_all(taken) && check_pieces(it, chunk, target, most);
}

static bool check_panels(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision,
                         const packed *it, int depth, int64_t most) {
    const int bytes = (int)spmm_format_bytes(spmm_format_of(precision));
    static int place[SPMM_GPU_PANEL_ROWS * 64];
    int64_t chunk[8], target[8];
    forget();
    for (int k = 0; k < SPMM_GPU_PANEL_ROWS * depth; k++)
        place[spmm_place_in_tile(bytes, k / depth, k % depth)] = k;
    for (int64_t w = 0; w <= it->windows; w++)
        chunk[w] = w * it->steps;
    for (int64_t w = 0; w < it->windows; w++) {
        target[w] = row_of(taken, w * SPMM_PACK_BAND) / SPMM_PACK_BAND;
        for (int64_t t = 0; t < it->steps; t++)
            for (int64_t k = it->start[chunk[w] + t]; k < it->start[chunk[w] + t + 1]; k++) {
                const int at = place[it->position[k]];
                if (!reduction(a, precision, target[w] * SPMM_PACK_BAND + at / depth, t * depth + at % depth,
                               spmm_unpack(spmm_format_of(precision), it->value, k)))
                    return false;
            }
    }
    return met_all(taken) && check_pieces(it, chunk, target, most);
}

/* An entry of bands_… and the one before it: positions and bits. */
static bool is_repeated(const packed *it, bool wide, int64_t at) {
    const unsigned *word = it->value;
    return at > 0 && (wide ? word[2 * at] == word[2 * at - 2] && word[2 * at + 1] == word[2 * at - 1]
                           : word[at] == word[at - 1]);
}

static bool check_bands(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision,
                        const packed *it, int64_t most) {
    const bool wide = taken->format == SPMM_FORMAT_FP32;
    const int many = wide ? 2 : 4, bytes = wide ? 4 : 2, depth = SPMM_GPU_BAND_BYTES / bytes;
    static int place[SPMM_PACK_SUBTILE_ROWS * SPMM_GPU_BAND_BYTES];
    int64_t chunk[8], target[8];
    forget();
    for (int k = 0; k < SPMM_PACK_SUBTILE_ROWS * SPMM_GPU_BAND_BYTES; k++)
        place[spmm_place_in_subtile(k / SPMM_GPU_BAND_BYTES, k % SPMM_GPU_BAND_BYTES)] = k;
    for (int64_t w = 0; w <= it->windows; w++)
        chunk[w] = w * it->steps;
    for (int64_t w = 0; w < it->windows; w++)
        target[w] = row_of(taken, w * SPMM_PACK_BAND) / SPMM_PACK_BAND;
    for (int64_t subtile = 0; subtile < it->windows * SPMM_PACK_SUBTILES * it->steps; subtile++) {
        const int64_t first = (int64_t)it->first_group[subtile] * many,
                      end = (int64_t)it->first_group[subtile + 1] * many, group = subtile / it->steps;
        for (int64_t k = first; k < end; k++) {
            const unsigned *word = (const unsigned *)it->value + (wide ? 2 * k : k);
            const unsigned position = wide ? word[0] : word[0] & 0xffff,
                           bits = wide ? word[1] : word[0] >> 16;
            if (k > first && end - k < many && is_repeated(it, wide, k))
                continue;
            const int at = place[position], column = at % SPMM_GPU_BAND_BYTES / bytes;
            if (!reduction(a, precision,
                           target[group / SPMM_PACK_SUBTILES] * SPMM_PACK_BAND +
                               group % SPMM_PACK_SUBTILES * SPMM_PACK_SUBTILE_ROWS + at / SPMM_GPU_BAND_BYTES,
                           subtile % it->steps * depth + column,
                           spmm_unpack(spmm_format_of(precision), &bits, 0)))
                return false;
        }
    }
    return (it->windows == 0 ||
            it->first_group[it->windows * SPMM_PACK_SUBTILES * it->steps] == it->chunks) &&
           met_all(taken) && check_pieces(it, chunk, target, most);
}

/* ---- tests ---- */

static bool test_rows(const spmm_csr *a, const spmm_pack_matrix *taken, bool merges) {
    const int most = 1 + (int)pick(100);
    packed it = packed_rows(taken, merges, most);
    const bool good = check_rows(a, taken, &it, merges, most);
    packed_free(&it);
    return good;
}

static bool test_windows(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision) {
    const int height = 8 << pick(5), most = 1 + (int)pick(20), dense = height > 8 && height < 128 && pick(2),
              words = SPMM_PACK_GROUP * (1 + (int)pick(5)), threads = 32 << pick(3);
    packed it = packed_rowwindows(taken, height, dense, most, words, threads);
    const bool good = check_windows(a, taken, precision, &it, height, dense, most);
    if (!good)
        tap_note("windows of %d rows, dense %d, %d words", height, dense, words);
    packed_free(&it);
    return good;
}

static bool test_panels(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision) {
    const int depth = pick(2) == 0 ? 32 : 64, steps = (int)(a->ncol + depth - 1) / depth;
    const int parts = 1 + (int)pick(steps < 4 ? steps : 4);
    packed it = packed_panels(taken, depth, parts);
    const bool good = check_panels(a, taken, precision, &it, depth, (it.steps + parts - 1) / parts);
    packed_free(&it);
    return good;
}

static bool test_bands(const spmm_csr *a, const spmm_pack_matrix *taken, spmm_precision precision) {
    const int depth = SPMM_GPU_BAND_BYTES / (int)spmm_format_bytes(spmm_format_of(precision)),
              steps = (int)(a->ncol + depth - 1) / depth, parts = 1 + (int)pick(steps < 4 ? steps : 4);
    if (precision == SPMM_FP64)
        return true; /* there are none */
    packed it = packed_bands(taken, parts);
    const bool good = check_bands(a, taken, precision, &it, (it.steps + parts - 1) / parts);
    packed_free(&it);
    return good;
}

static bool test_dense(const spmm_csr *a, const spmm_pack_matrix *all, spmm_precision precision) {
    packed it = packed_dense(all, 1 + (int)pick(40));
    bool good = true;
    forget();
    for (int64_t at = 0; at < a->nrow * it.steps; at++) {
        const double number = spmm_unpack(spmm_format_of(precision), it.value, at);
        good = good && (number == 0 || reduction(a, precision, at / it.steps, at % it.steps, number));
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
        int wrong[9] = {0};
        for (int round = 0; round < ROUNDS; round++) {
            const spmm_csr a = make_matrix(precision);
            const spmm_pack_matrix taken = take_bands(&a, precision), all = pack_matrix_of(&a, precision);
            packed bstationary = packed_bstationary(&all);
            wrong[0] += !test_entries(&a, &all, precision);
            wrong[1] += !test_rows(&a, &taken, false);
            wrong[2] += !test_rows(&a, &taken, true);
            wrong[3] += !check_bstationary(&a, precision, &bstationary);
            wrong[4] += !test_windows(&a, &taken, precision);
            wrong[5] += !test_panels(&a, &taken, precision);
            wrong[6] += !test_bands(&a, &taken, precision);
            wrong[7] += !test_dense(&a, &all, precision);
            wrong[8] += !test_rowpairs(&a, &taken, precision);
            packed_free(&bstationary);
        }
        static const char *const what[] = {"entries", "segments", "merge", "bstationary", "rowwindows",
                                           "panels",  "bands",    "dense", "rowpairs"};
        for (int k = 0; k < 9; k++)
            tap_ok(wrong[k] == 0, "%s, precision %d: %d matrices (%d wrong)", what[k], p, ROUNDS, wrong[k]);
    }
    return tap_done();
}
