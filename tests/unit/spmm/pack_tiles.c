/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats of A by windows and tiles that device kernels make, decoded: every entry in its place, once,
 * and nothing else; pieces that cover everything. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "tests/support/tap.h"
#include "tests/unit/spmm/packed.h"

enum { SEED = 42 };

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
        if (number != 0 && !is_entry(a, precision, it->row[window * height + row],
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
                if (!is_entry(a, precision, target[w] * SPMM_PACK_BAND + at / depth, t * depth + at % depth,
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
            if (!is_entry(a, precision,
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

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        static const char *const what[] = {"rowwindows", "panels", "bands"};
        int wrong[3] = {0};
        for (int round = 0; round < ROUNDS; round++) {
            const spmm_csr a = make_matrix(precision);
            const spmm_pack_matrix taken = take_bands(&a, precision);
            wrong[0] += !test_windows(&a, &taken, precision);
            wrong[1] += !test_panels(&a, &taken, precision);
            wrong[2] += !test_bands(&a, &taken, precision);
        }
        for (int k = 0; k < 3; k++)
            tap_ok(wrong[k] == 0, "%s, precision %d: %d matrices (%d wrong)", what[k], p, ROUNDS, wrong[k]);
    }
    return tap_done();
}
