/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of chunks: shares that tile, the same value for every order and grouping, through JSON and back,
 * against sums in long integers; residues against the number they came from. */
#include "perm/value/sum.h"
#include "base/core/random.h"
#include "perm/chunks/partial_result.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_random source;

static void test_shares(void) {
    bool tiled = true, fair = true;
    for (int i = 0; i < 2000; i++) {
        const int64_t chunks = (int64_t)base_random_below(&source, 70),
                      turn = (int64_t)base_random_below(&source, 9),
                      parts = 1 + (int64_t)base_random_below(&source, 12);
        int64_t times[70] = {0}, first, end;
        for (int64_t k = 1; k <= parts; k++) {
            perm_sum_share(chunks, (base_part){k, parts}, turn, &first, &end);
            fair = fair && llabs((end - first) * parts - chunks) < parts;
            for (int64_t chunk = first; chunk < end; chunk++)
                times[chunk]++;
        }
        for (int64_t chunk = 0; chunk < chunks; chunk++)
            tiled = tiled && times[chunk] == 1;
    }
    tap_ok(tiled, "the shares of all parts have each chunk once");
    tap_ok(fair, "... and differ by one chunk at most");
}

static double random_double(void) {
    return ldexp(base_random_uniform(&source) - 0.5, (int)base_random_below(&source, 600) - 300);
}

/* The answer with one sum, of the given chunks. */
static void make_part(base_context *context, base_part part, int64_t chunks, const double *number,
                      perm_partial_result *partial_result) {
    perm_partial_result_init(partial_result);
    partial_result->record = 1;
    strcpy(partial_result->hash, "0123456789abcdef0123456789abcdef");
    partial_result->part = part;
    partial_result->is_whole = true;
    perm_value_set_integer(&partial_result->factor, 1);
    perm_block_result *block_result = perm_partial_result_block(context, partial_result, 0);
    perm_sum *sum = &block_result->block_run[0].sum;
    block_result->block_runs = 1;
    strcpy(block_result->block_run[0].method, "test");
    perm_sum_start(context, sum, chunks, part, 1);
    sum->relative_error = 0x1p-50;
    sum->absolute_error = perm_bound_from_double(0x1p-400);
    sum->sample = (perm_error_sample){{0.7, 90}, {0.6, 80}, {0.5, 298}, 0x1p-51, true};
    int64_t step = 1 + (int64_t)base_random_below(&source, 5);
    while (sum->left % step == 0 && step > 1)
        step--;
    for (int64_t offset = 0; offset < step; offset++)
        for (int64_t chunk = sum->first + offset; chunk < sum->end; chunk += step) {
            perm_value value, magnitude;
            perm_value_init(&value);
            perm_value_init(&magnitude);
            perm_value_set_complex(&value, number[2 * chunk], number[2 * chunk + 1]);
            perm_value_set_complex(&magnitude, fabs(number[2 * chunk]), 0);
            perm_sum_add(sum, chunk, &value, &magnitude);
            perm_value_free(&value);
            perm_value_free(&magnitude);
        }
}

static bool through_json(base_context *context, perm_partial_result *partial_result) {
    perm_partial_result copy;
    perm_partial_result_init(&copy);
    json_t *object = perm_partial_result_to_json(context, partial_result);
    bool good = perm_partial_result_from_json(context, object, &copy) == BASE_OK;
    json_decref(object);
    perm_partial_result_free(partial_result);
    *partial_result = copy;
    return good;
}

static bool same_value(const perm_value *a, const perm_value *b) {
    return mpz_cmp(a->re, b->re) == 0 && mpz_cmp(a->im, b->im) == 0 && a->exponent == b->exponent &&
           a->error.mantissa == b->error.mantissa && a->error.exponent == b->error.exponent &&
           a->estimate.mantissa == b->estimate.mantissa && a->estimate.exponent == b->estimate.exponent;
}

static void test_grouping(void) {
    base_context context;
    base_context_init(&context);
    bool read = true, merged = true, same = true, estimated = false;
    for (int trial = 0; trial < 200; trial++) {
        double number[2 * 40];
        const int64_t chunks = 2 + (int64_t)base_random_below(&source, 38),
                      parts = 1 + (int64_t)base_random_below(&source, 9);
        for (int64_t i = 0; i < 2 * chunks; i++)
            number[i] = random_double();
        perm_partial_result whole, sum, part;
        perm_value want, got;
        int block_run;
        perm_value_init(&want);
        perm_value_init(&got);
        make_part(&context, (base_part){0, 0}, chunks, number, &whole);
        perm_block_result_value(&whole.block_result[0], &want, &block_run);
        const int64_t begin = (int64_t)base_random_below(&source, (uint64_t)parts);
        make_part(&context, (base_part){begin + 1, parts}, chunks, number, &sum);
        read = through_json(&context, &sum) && read;
        perm_partial_result_widen(&context, &sum);
        for (int64_t k = 1; k < parts; k++) {
            make_part(&context, (base_part){(begin + k) % parts + 1, parts}, chunks, number, &part);
            read = through_json(&context, &part) && read;
            merged = merged && perm_partial_result_merge(&context, &sum, &part) == BASE_OK;
            perm_partial_result_free(&part);
        }
        perm_block_result_value(&sum.block_result[0], &got, &block_run);
        merged = merged && perm_sum_is_complete(&sum.block_result[0].block_run[0].sum);
        same = same && same_value(&want, &got);
        estimated = estimated || want.estimate.mantissa != 0;
        perm_partial_result_free(&whole);
        perm_partial_result_free(&sum);
        perm_value_free(&want);
        perm_value_free(&got);
    }
    tap_ok(read, "parts are read from their JSON");
    tap_ok(merged, "... and put together");
    tap_ok(same, "... with the same bits in every grouping and order");
    tap_ok(estimated, "... and an estimate");
}

static void test_residues(void) {
    base_context context;
    base_context_init(&context);
    bool right = true;
    for (int trial = 0; trial < 500; trial++) {
        const int64_t chunks = 1 + (int64_t)base_random_below(&source, 9), modulus = 1000003;
        int64_t want = 0;
        perm_sum sum;
        perm_value value;
        perm_sum_init(&sum);
        perm_value_init(&value);
        perm_sum_start(&context, &sum, chunks, (base_part){0, 0}, 0);
        mpz_set_si(sum.modulus, modulus);
        for (int64_t chunk = chunks - 1; chunk >= 0; chunk--) {
            const int64_t one = (int64_t)base_random_below(&source, 10000) - 5000;
            want += one;
            perm_value_set_integer(&value, one + modulus * ((int64_t)base_random_below(&source, 9) - 4));
            perm_sum_add(&sum, chunk, &value, NULL);
        }
        perm_sum_finish(&sum, &value);
        perm_value_scale(&value, 0);
        mpz_mul_2exp(value.re, value.re, (mp_bitcnt_t)value.exponent);
        right = right && mpz_cmp_si(value.re, want) == 0 && perm_value_is_exact(&value);
        perm_sum_free(&sum);
        perm_value_free(&value);
    }
    tap_ok(right, "residues give the integer next to 0");
}

/* A sum that is started anew has nothing of what it was, and loses none of its memory (tests/cli/leaks.t). */
static void test_start_anew(void) {
    base_context context;
    perm_sum sum;
    perm_value value;
    base_context_init(&context);
    perm_sum_init(&sum);
    perm_value_init(&value);
    for (int k = 0; k < 2; k++) {
        perm_sum_start(&context, &sum, 3, (base_part){0, 0}, 0);
        for (int64_t chunk = 0; chunk < 2 + k; chunk++) {
            perm_value_set_integer(&value, k == 0 ? 100 : 1);
            perm_sum_add(&sum, chunk, &value, NULL);
        }
    }
    tap_ok(sum.left == 0 && mpz_cmp_si(sum.value.re, 3) == 0 && sum.value.exponent == 0,
           "started anew, a sum has its own chunks alone");
    perm_value_free(&value);
    perm_sum_free(&sum);
}

int main(void) {
    base_random_init(&source, tap_seed(), 0);
    test_shares();
    test_grouping();
    test_residues();
    test_start_anew();
    return tap_done();
}
