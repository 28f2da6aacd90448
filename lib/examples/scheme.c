/* SPDX-License-Identifier: BSD-3-Clause */
/* Strassen's scheme for 2 x 2 matrices with seven products, and the same with one coefficient wrong. */
#include <mmpipe/scheme.h>
#include <stdio.h>

enum { RANK = 7 };

static const int64_t u[RANK * 4] = {1, 0, 0, 1, 0, 0, 1,  1, 1, 0, 0, 0, 0, 0,
                                    0, 1, 1, 1, 0, 0, -1, 0, 1, 0, 0, 1, 0, -1};
static const int64_t v[RANK * 4] = {1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, -1, -1, 0,
                                    1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0,  1,  1};
static int64_t w[RANK * 4] = {1, 0, 0,  1, 0, 0, 1, -1, 0, 1, 0, 1, 1, 0,
                              1, 0, -1, 1, 0, 0, 0, 0,  0, 1, 1, 0, 0, 0};

static mmpipe_status verify(mmpipe_context *context) {
    const mmpipe_scheme_info info = {
        .n = 2, .m = 2, .p = 2, .rank = RANK, .field = MMPIPE_Z, .denominator = 1, .u = u, .v = v, .w = w};
    mmpipe_scheme *scheme;
    bool valid = false;
    char fault[200] = "";
    mmpipe_status status = mmpipe_scheme_new(context, &info, &scheme);
    if (status == MMPIPE_OK)
        status = mmpipe_scheme_verify(context, scheme, 0, &valid, fault, sizeof fault);
    if (status == MMPIPE_OK)
        printf("%s%s\n", valid ? "right" : "wrong: ", fault);
    mmpipe_scheme_free(scheme);
    return status;
}

int main(void) {
    mmpipe_context *context = mmpipe_context_new();
    if (context == NULL)
        return 4;
    mmpipe_status status = verify(context);
    w[0] = 2; /* of the first product in c11 */
    if (status == MMPIPE_OK)
        status = verify(context);
    if (status != MMPIPE_OK)
        fprintf(stderr, "scheme: %s\n", mmpipe_error(context));
    mmpipe_context_free(context);
    return (int)status;
}
