/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix multiplication schemes. */
#include "mmpipe/scheme.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "flip/scheme/scheme.h"
#include "flip/scheme/verify.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MMPIPE_F2 == FLIP_F2 && (int)MMPIPE_Q == FLIP_Q, "fields are the same");

struct mmpipe_scheme {
    flip_scheme scheme;
};

void mmpipe_scheme_free(mmpipe_scheme *scheme) {
    if (scheme == NULL)
        return;
    flip_scheme_free(&scheme->scheme);
    free(scheme);
}

static base_status give(base_status status, mmpipe_scheme *made, mmpipe_scheme **scheme) {
    if (status != BASE_OK) {
        mmpipe_scheme_free(made);
        made = NULL;
    }
    *scheme = made;
    return status;
}

static base_status check_info(base_context *context, const mmpipe_scheme_info *info) {
    const int64_t size[3] = {info->n, info->m, info->p};
    for (int i = 0; i < 3; i++)
        if (size[i] < 1 || size[i] > FLIP_LARGEST_SIZE)
            return base_fail(context, BASE_USAGE, "a size of %lld (1 to %d)", (long long)size[i],
                             (int)FLIP_LARGEST_SIZE);
    if (info->rank < 0 || info->rank > INT64_C(1) << 40 || (unsigned)info->field > MMPIPE_Q ||
        info->denominator < 1 || (info->denominator != 1 && info->field != MMPIPE_Q))
        return base_fail(context, BASE_USAGE, "rank %lld, field %d, denominator %lld", (long long)info->rank,
                         (int)info->field, (long long)info->denominator);
    if (info->rank > 0 && (info->u == NULL || info->v == NULL || info->w == NULL))
        return base_fail(context, BASE_USAGE, "a factor is missing");
    return BASE_OK;
}

mmpipe_status mmpipe_scheme_new(mmpipe_context *context, const mmpipe_scheme_info *info,
                                mmpipe_scheme **scheme) {
    base_status status;
    base_context *base = &context->base;
    const int64_t size[3] = {info->n, info->m, info->p}, *from[3] = {info->u, info->v, info->w};
    mmpipe_scheme *made = base_alloc_zero(base, 1, sizeof *made);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(check_info(base, info));
    BASE_TRY(flip_scheme_alloc(base, size, info->rank, &made->scheme));
    made->scheme.field = (flip_field)info->field;
    made->scheme.denominator = info->denominator;
    for (int position = 0; position < 3; position++) {
        const int64_t count = info->rank * flip_length(size, position);
        if (count > 0)
            memcpy(made->scheme.factor[position], from[position], (size_t)count * sizeof **from);
    }
done:
    return api_status(give(status, made, scheme));
}

mmpipe_status mmpipe_scheme_from_record(mmpipe_context *context, const mmpipe_record *record,
                                        mmpipe_scheme **scheme) {
    base_status status;
    mmpipe_scheme *made = base_alloc_zero(&context->base, 1, sizeof *made);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    if (record->record.kind != MM_SCHEME)
        BASE_TRY(base_fail(&context->base, BASE_FAILED, "not a scheme"));
    BASE_TRY(flip_scheme_from_record(&context->base, &record->record, &made->scheme));
done:
    return api_status(give(status, made, scheme));
}

mmpipe_status mmpipe_scheme_to_record(mmpipe_context *context, const mmpipe_scheme *scheme,
                                      mmpipe_record **record) {
    base_status status;
    mmpipe_record *made = api_record_new(&context->base);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(flip_scheme_to_record(&context->base, &scheme->scheme, &made->record));
done:
    return api_status(api_record_give(status, made, record));
}

void mmpipe_scheme_get_info(const mmpipe_scheme *scheme, mmpipe_scheme_info *info) {
    const flip_scheme *own = &scheme->scheme;
    *info = (mmpipe_scheme_info){.n = own->size[0],
                                 .m = own->size[1],
                                 .p = own->size[2],
                                 .rank = own->rank,
                                 .field = (mmpipe_scheme_field)own->field,
                                 .denominator = own->denominator,
                                 .u = own->factor[0],
                                 .v = own->factor[1],
                                 .w = own->factor[2]};
}

mmpipe_status mmpipe_scheme_verify(mmpipe_context *context, const mmpipe_scheme *scheme, int64_t modulus,
                                   bool *valid, char *fault, size_t fault_bytes) {
    base_status status;
    flip_fault found;
    *valid = false;
    BASE_TRY(api_begin(context));
    if (modulus < 0 || modulus == 1 || modulus > INT64_C(1) << 62)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "a modulus is 2 or more, and at most 2^62"));
    if (modulus == 0 && scheme->scheme.field == FLIP_F2)
        modulus = 2;
    BASE_TRY(flip_verify(&context->base, &scheme->scheme, modulus, valid, &found));
    if (fault != NULL && fault_bytes > 0) {
        fault[0] = '\0';
        if (!*valid)
            flip_fault_print(&found, fault, fault_bytes);
    }
done:
    return api_status(status);
}
