/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial results as JSON: the keys of each object, in tables that reading and writing share. */
#include "base/core/memory.h"
#include "perm/chunks/json_keys.h"
#include "perm/chunks/partial_result.h"

#include <string.h>

#define GROUP(keys, object) (&(perm_json_group){keys, (void *)(object)})

/* ---- sums ---- */

static json_t *write_share(base_context *context, const void *member) {
    const perm_sum *sum = member;
    (void)context;
    return json_pack("[I, I]", (json_int_t)sum->first, (json_int_t)sum->end);
}

static base_status read_share(base_context *context, const json_t *json, void *member) {
    perm_sum *sum = member;
    const json_t *first = json_array_get(json, 0), *end = json_array_get(json, 1);
    sum->first = json_integer_value(first);
    sum->end = json_integer_value(end);
    sum->left = sum->end - sum->first;
    if (json_array_size(json) != 2 || !json_is_integer(first) || !json_is_integer(end) || sum->first < 0 ||
        sum->left < 0 || sum->end > sum->chunks || sum->chunks > INT64_C(1) << 32)
        return BASE_FAILED;
    sum->done = base_alloc_zero(context, sum->left, 1);
    return sum->done != NULL ? BASE_OK : BASE_MACHINE;
}

/* The chunks that are done: first and end of each interval. */
static json_t *write_done(base_context *context, const void *member) {
    const perm_sum *sum = member;
    (void)context;
    json_t *array = json_array();
    for (int64_t k = 0, count = sum->end - sum->first; k < count;) {
        int64_t start = k;
        while (k < count && sum->done[k] == sum->done[start])
            k++;
        if (sum->done[start]) {
            json_array_append_new(array, json_integer(sum->first + start));
            json_array_append_new(array, json_integer(sum->first + k));
        }
    }
    return array;
}

static base_status read_done(base_context *context, const json_t *json, void *member) {
    perm_sum *sum = member;
    const size_t size = json_array_size(json);
    int64_t before = sum->first;
    (void)context;
    if (!json_is_array(json) || size % 2 != 0)
        return BASE_FAILED;
    for (size_t i = 0; i < size; i += 2) {
        const json_t *first = json_array_get(json, i), *behind = json_array_get(json, i + 1);
        const int64_t start = json_integer_value(first), end = json_integer_value(behind);
        if (!json_is_integer(first) || !json_is_integer(behind) || start < before || start >= end ||
            end > sum->end)
            return BASE_FAILED;
        memset(sum->done + (start - sum->first), 1, (size_t)(end - start));
        sum->left -= end - start;
        before = end + 1; /* intervals that touch are one */
    }
    return BASE_OK;
}

static const perm_json_type share = {write_share, read_share}, done_chunks = {write_done, read_done};

static const perm_json_key sample_keys[] = {
    {"error", &perm_json_bound, offsetof(perm_error_sample, error)},
    {"other", &perm_json_bound, offsetof(perm_error_sample, other)},
    {"magnitude", &perm_json_bound, offsetof(perm_error_sample, magnitude)},
    {"relative_error", &perm_json_real, offsetof(perm_error_sample, relative_error)},
    {"is_other", &perm_json_boolean, offsetof(perm_error_sample, is_other)},
    {NULL, NULL, 0},
};

static json_t *write_sample(base_context *context, const void *member) {
    return perm_json_write(context, GROUP(sample_keys, member), 1);
}

/* An estimate is divided by the magnitude and the relative error. */
static base_status read_sample(base_context *context, const json_t *json, void *member) {
    const perm_error_sample *sample = member;
    base_status status = perm_json_read(context, json, GROUP(sample_keys, member), 1);
    if (status == BASE_OK && sample->error.mantissa != 0 &&
        (sample->magnitude.mantissa == 0 || sample->relative_error == 0))
        return BASE_FAILED;
    return status;
}

static const perm_json_type sample = {write_sample, read_sample};

/* In this order: the share is checked against the chunks, the done chunks against the share. */
static const perm_json_key sum_keys[] = {
    {"chunks", &perm_json_natural, offsetof(perm_sum, chunks)},
    {"share", &share, 0},
    {"done", &done_chunks, 0},
    {"value", &perm_json_value, offsetof(perm_sum, value)},
    {"modulus", &perm_json_modulus, offsetof(perm_sum, modulus)},
    {"magnitude", &perm_json_value, offsetof(perm_sum, magnitude)},
    {"relative_error", &perm_json_real, offsetof(perm_sum, relative_error)},
    {"absolute_error", &perm_json_bound, offsetof(perm_sum, absolute_error)},
    {"sample", &sample, offsetof(perm_sum, sample)},
    {NULL, NULL, 0},
};

static json_t *write_sum(base_context *context, const void *member) {
    return perm_json_write(context, GROUP(sum_keys, member), 1);
}

static bool is_residue(const mpz_t number, const mpz_t modulus) {
    return mpz_sgn(number) >= 0 && mpz_cmp(number, modulus) < 0;
}

static base_status read_sum(base_context *context, const json_t *json, void *member) {
    const perm_sum *sum = member;
    base_status status = perm_json_read(context, json, GROUP(sum_keys, member), 1);
    if (status == BASE_OK && mpz_sgn(sum->modulus) != 0 &&
        !(is_residue(sum->value.re, sum->modulus) && is_residue(sum->value.im, sum->modulus)))
        return BASE_FAILED;
    return status;
}

static const perm_json_type sum_type = {write_sum, read_sum};

/* ---- runs and blocks ---- */

static json_t *write_method(base_context *context, const void *member) {
    (void)context;
    return json_string(member);
}

static base_status read_method(base_context *context, const json_t *json, void *member) {
    const char *method = json_string_value(json);
    (void)context;
    if (method == NULL || !*method || strlen(method) >= sizeof((perm_block_run *)NULL)->method)
        return BASE_FAILED;
    strcpy(member, method);
    return BASE_OK;
}

static const perm_json_type method = {write_method, read_method};

static const perm_json_key run_keys[] = {
    {"method", &method, offsetof(perm_block_run, method)},
    {"states", &perm_json_real, offsetof(perm_block_run, states)},
    {"transitions", &perm_json_real, offsetof(perm_block_run, transitions)},
    {"subsets", &perm_json_real, offsetof(perm_block_run, subsets)},
    {"bytes", &perm_json_natural, offsetof(perm_block_run, bytes)},
    {"sum", &sum_type, offsetof(perm_block_run, sum)},
    {NULL, NULL, 0},
};

static json_t *write_block_runs(base_context *context, const void *member) {
    const perm_block_result *block_result = member;
    json_t *array = json_array();
    for (int k = 0; k < block_result->block_runs; k++)
        if (json_array_append_new(
                array, perm_json_write(context, GROUP(run_keys, &block_result->block_run[k]), 1))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static base_status read_block_runs(base_context *context, const json_t *json, void *member) {
    perm_block_result *block_result = member;
    base_status status = BASE_OK;
    if (!json_is_array(json) || json_array_size(json) > 2)
        return BASE_FAILED;
    block_result->block_runs = (int)json_array_size(json);
    for (int k = 0; k < block_result->block_runs; k++)
        BASE_TRY(perm_json_read(context, json_array_get(json, (size_t)k),
                                GROUP(run_keys, &block_result->block_run[k]), 1));
done:
    return status;
}

static const perm_json_type block_runs = {write_block_runs, read_block_runs};

static const perm_json_key block_keys[] = {
    {"cost", &perm_json_real, offsetof(perm_block_result, cost_seconds)},
    {"bits", &perm_json_natural, offsetof(perm_block_result, bits)},
    {"done", &perm_json_boolean, offsetof(perm_block_result, is_done)},
    {"open", &perm_json_boolean, offsetof(perm_block_result, is_open)},
    {"runs", &block_runs, 0},
    {NULL, NULL, 0},
};

static json_t *write_blocks(base_context *context, const void *member) {
    const perm_partial_result *partial_result = member;
    json_t *array = json_array();
    for (int64_t i = 0; i < partial_result->count; i++)
        if (json_array_append_new(
                array, perm_json_write(context, GROUP(block_keys, &partial_result->block_result[i]), 1))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static base_status read_blocks(base_context *context, const json_t *json, void *member) {
    base_status status = BASE_OK;
    perm_partial_result *partial_result = member;
    if (!json_is_array(json))
        return BASE_FAILED;
    /* No more room than they need: all partial results of a stream may be held at once. */
    partial_result->capacity = (int64_t)json_array_size(json);
    BASE_TRY(base_resize(context, &partial_result->block_result, partial_result->capacity,
                         sizeof *partial_result->block_result));
    for (size_t i = 0; i < json_array_size(json); i++) {
        perm_block_result *block_result = perm_partial_result_block(context, partial_result, (int64_t)i);
        if (block_result == NULL)
            return BASE_MACHINE;
        BASE_TRY(perm_json_read(context, json_array_get(json, i), GROUP(block_keys, block_result), 1));
    }
done:
    return status;
}

static const perm_json_type blocks = {write_blocks, read_blocks};

/* ---- partial results ---- */

const perm_json_key perm_partial_result_keys[] = {
    {"record", &perm_json_positive, offsetof(perm_partial_result, record)},
    {"name", &perm_json_text, offsetof(perm_partial_result, name)},
    {"part", &perm_json_part, offsetof(perm_partial_result, part)},
    {"hash", &perm_json_hash, offsetof(perm_partial_result, hash)},
    {"field", &perm_json_field, offsetof(perm_partial_result, field)},
    {"n", &perm_json_natural, offsetof(perm_partial_result, n)},
    {"nnz", &perm_json_natural, offsetof(perm_partial_result, nnz)},
    {"whole", &perm_json_boolean, offsetof(perm_partial_result, is_whole)},
    {"singular", &perm_json_boolean, offsetof(perm_partial_result, is_singular)},
    {"factor", &perm_json_value, offsetof(perm_partial_result, factor)},
    {"rounded", &perm_json_bound, offsetof(perm_partial_result, rounded)},
    {"absolute", &perm_json_bound, offsetof(perm_partial_result, absolute)},
    {"ones", &perm_json_natural, offsetof(perm_partial_result, ones)},
    {"digits", &perm_json_digits, offsetof(perm_partial_result, digits)},
    {"blocks", &blocks, 0},
    {"seconds", &perm_json_seconds, offsetof(perm_partial_result, seconds)},
    {"comments", &perm_json_text, offsetof(perm_partial_result, comments)},
    {NULL, NULL, 0},
};

json_t *perm_partial_result_to_json(base_context *context, const perm_partial_result *partial_result) {
    return perm_json_write(context, GROUP(perm_partial_result_keys, partial_result), 1);
}

base_status perm_partial_result_from_json(base_context *context, const json_t *object,
                                          perm_partial_result *partial_result) {
    return perm_json_read(context, object, GROUP(perm_partial_result_keys, partial_result), 1);
}
