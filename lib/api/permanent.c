/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents: a fold that takes records, and results that own their texts. */
#include "mmpipe/permanent.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "perm/plan/plan.h"
#include "perm/report/fold.h"
#include "perm/solve/minors_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mmpipe_permanent {
    mm_field field;
    bool is_exact;
    double re, im, bound, estimate;
    int64_t blocks;
    char method[32], bound_text[40], estimate_text[40];
    char *text;
};

struct mmpipe_permanent_fold {
    perm_fold fold;
    perm_options options;
    perm_work notes; /* verify, and who hears of what was computed again */
};

static void note(void *data, const char *line) {
    api_log(data, line);
}

static void log_line(void *data, bool detail, const char *line) {
    if (!detail)
        api_log(data, line);
}

/* ---- options ---- */

static base_status set_options(mmpipe_context *context, const mmpipe_permanent_options *given,
                               mmpipe_permanent_fold *fold) {
    base_status status;
    base_context *base = &context->base;
    mmpipe_permanent_options wanted;
    perm_options *options = &fold->options;
    BASE_TRY(api_options(base, given, &wanted, sizeof wanted));
    const bool is_exact = wanted.precision != NULL && strcmp(wanted.precision, "exact") == 0;
    if (wanted.decimals && !is_exact)
        BASE_TRY(base_fail(base, BASE_USAGE, "decimals are for the precision exact"));
    fold->notes = (perm_work){.verify = wanted.verify, .note = note, .data = context};
    *options =
        (perm_options){.kernel = perm_kernel_name(wanted.kernel),
                       .raw = wanted.raw,
                       .certify = wanted.certify,
                       .row_list = wanted.row_counts,
                       .column_list = wanted.col_counts,
                       .log = {log_line, context, NULL},
                       .devices = &context->devices,
                       .notes = &fold->notes,
                       .most_seconds = wanted.max_seconds > 0 ? wanted.max_seconds : PERM_USUAL_MOST_SECONDS};
    BASE_TRY(perm_precision_choose(base, wanted.precision, false, wanted.decimals, &options->precision));
    BASE_TRY(perm_plan_check_kernel(base, options->kernel, false));
    if (context->devices.choice == BASE_DEVICE_CUDA)
        BASE_TRY(base_devices_find(base, &context->devices));
done:
    return status;
}

/* ---- results ---- */

static double bound_to_double(perm_bound bound) {
    const int64_t exponent = bound.exponent > 4096 ? 4096 : bound.exponent < -4096 ? -4096 : bound.exponent;
    const double value = ldexp(bound.mantissa, (int)exponent);
    return value == 0 && bound.mantissa > 0 ? 0x1p-1074 : value;
}

static base_status take_result(base_context *context, const perm_fold *fold, mmpipe_permanent **permanent) {
    base_status status;
    const perm_value *value = &fold->result.value;
    mmpipe_permanent *made = base_alloc_zero(context, 1, sizeof *made);
    if (made == NULL)
        return BASE_MACHINE;
    const perm_bound estimate = perm_value_estimate(value);
    made->field = fold->field;
    made->is_exact = perm_value_is_exact(value);
    made->re = perm_value_to_double(value, value->re);
    made->im = perm_value_to_double(value, value->im);
    made->bound = bound_to_double(value->error);
    made->estimate = bound_to_double(estimate);
    made->blocks = fold->result.blocks;
    memcpy(made->method, fold->result.method, sizeof made->method);
    perm_bound_print(value->error, made->bound_text);
    perm_bound_print(estimate, made->estimate_text);
    BASE_TRY(perm_value_print_digits(context, value, fold->field, fold->digits, &made->text));
    *permanent = made;
    made = NULL;
done:
    mmpipe_permanent_free(made);
    return status;
}

void mmpipe_permanent_free(mmpipe_permanent *permanent) {
    if (permanent == NULL)
        return;
    free(permanent->text);
    free(permanent);
}

/* ---- folds ---- */

mmpipe_status mmpipe_permanent_fold_open(mmpipe_context *context, const mmpipe_permanent_options *options,
                                         mmpipe_permanent_fold **result) {
    base_status status;
    mmpipe_permanent_fold *fold = base_alloc_zero(&context->base, 1, sizeof *fold);
    *result = NULL;
    if (fold == NULL)
        return MMPIPE_MACHINE;
    perm_fold_init(&fold->fold);
    BASE_TRY(api_begin(context));
    BASE_TRY(set_options(context, options, fold));
    *result = fold;
done:
    if (status != BASE_OK)
        mmpipe_permanent_fold_close(fold);
    return api_status(status);
}

mmpipe_status mmpipe_permanent_fold_add(mmpipe_context *context, mmpipe_permanent_fold *fold,
                                        const mmpipe_record *record, mmpipe_permanent **permanent) {
    base_status status;
    bool complete;
    *permanent = NULL;
    BASE_TRY(api_begin(context));
    if (record->record.kind != MM_MATRIX)
        BASE_TRY(base_fail(&context->base, BASE_FAILED, "not a matrix"));
    BASE_TRY(perm_fold_check(&context->base, &fold->fold, &record->record));
    BASE_TRY(perm_fold_take(&context->base, &fold->fold, &record->record, &fold->options, &complete));
    if (complete)
        BASE_TRY(take_result(&context->base, &fold->fold, permanent));
done:
    return api_status(status);
}

void mmpipe_permanent_fold_close(mmpipe_permanent_fold *fold) {
    if (fold == NULL)
        return;
    perm_fold_free(&fold->fold);
    free(fold);
}

mmpipe_status mmpipe_permanent_compute(mmpipe_context *context, const mmpipe_record *record,
                                       const mmpipe_permanent_options *options,
                                       mmpipe_permanent **permanent) {
    mmpipe_permanent_fold *fold = NULL;
    *permanent = NULL;
    mmpipe_status status = mmpipe_permanent_fold_open(context, options, &fold);
    if (status == MMPIPE_OK)
        status = mmpipe_permanent_fold_add(context, fold, record, permanent);
    /* A piece that is not the whole leaves the fold waiting for the others. */
    if (status == MMPIPE_OK && *permanent == NULL)
        status = api_status(perm_fold_check(&context->base, &fold->fold, NULL));
    mmpipe_permanent_fold_close(fold);
    return status;
}

mmpipe_status mmpipe_permanent_minors(mmpipe_context *context, const mmpipe_record *record,
                                      const mmpipe_permanent_options *options, mmpipe_record **minors) {
    base_status status;
    mmpipe_permanent_fold fold = {.notes = {.verify = false}};
    mmpipe_record *made = api_record_new(&context->base);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    if (record->record.kind != MM_MATRIX)
        BASE_TRY(base_fail(&context->base, BASE_FAILED, "not a matrix"));
    BASE_TRY(set_options(context, options, &fold));
    BASE_TRY(perm_minors_record(&context->base, &record->record, &fold.options, &made->record));
done:
    return api_status(api_record_give(status, made, minors));
}

/* ---- what is in a result ---- */

const char *mmpipe_permanent_text(const mmpipe_permanent *permanent) {
    return permanent->text;
}

double mmpipe_permanent_real(const mmpipe_permanent *permanent) {
    return permanent->re;
}

double mmpipe_permanent_imag(const mmpipe_permanent *permanent) {
    return permanent->im;
}

mmpipe_field mmpipe_permanent_field(const mmpipe_permanent *permanent) {
    return (mmpipe_field)permanent->field;
}

bool mmpipe_permanent_is_exact(const mmpipe_permanent *permanent) {
    return permanent->is_exact;
}

double mmpipe_permanent_bound(const mmpipe_permanent *permanent) {
    return permanent->bound;
}

double mmpipe_permanent_estimate(const mmpipe_permanent *permanent) {
    return permanent->estimate;
}

const char *mmpipe_permanent_bound_text(const mmpipe_permanent *permanent) {
    return permanent->bound_text;
}

const char *mmpipe_permanent_estimate_text(const mmpipe_permanent *permanent) {
    return permanent->estimate_text;
}

const char *mmpipe_permanent_method(const mmpipe_permanent *permanent) {
    return permanent->method;
}

int64_t mmpipe_permanent_blocks(const mmpipe_permanent *permanent) {
    return permanent->blocks;
}
