/* SPDX-License-Identifier: BSD-3-Clause */
/* The H2 matrix of exp(-r/0.2) on a grid of the unit square, compressed, against the sums themselves. */
#include <math.h>
#include <mmpipe/h2.h>
#include <stdio.h>

enum { SIDE = 64, N = SIDE * SIDE };

static double point[2 * N], x[N], y[N];

static double sum_row(int i) {
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += exp(-hypot(point[2 * i] - point[2 * j], point[2 * i + 1] - point[2 * j + 1]) / 0.2) * x[j];
    return sum;
}

int main(void) {
    const mmpipe_h2_build_options options = {
        .size = sizeof options, .function = "exponential", .length = 0.2};
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_h2 *h2 = NULL;
    mmpipe_h2_info before, after;
    double worst = 0;
    if (context == NULL)
        return 4;
    for (int i = 0; i < N; i++) {
        point[2 * i] = (i % SIDE + 0.5) / SIDE;
        point[2 * i + 1] = (i / SIDE + 0.5) / SIDE;
        x[i] = 1;
    }
    mmpipe_status status = mmpipe_h2_build(context, point, N, 2, &options, &h2);
    if (status == MMPIPE_OK) {
        mmpipe_h2_get_info(h2, &before);
        status = mmpipe_h2_orthogonalize(context, h2);
    }
    if (status == MMPIPE_OK)
        status = mmpipe_h2_compress(context, h2, 1e-5, MMPIPE_H2_RELATIVE, NULL, NULL);
    if (status == MMPIPE_OK)
        status = mmpipe_h2_multiply(context, h2, false, 1, x, 0, y, 1);
    if (status == MMPIPE_OK) {
        mmpipe_h2_get_info(h2, &after);
        for (int i = 0; i < N; i += 97)
            worst = fmax(worst, fabs(y[i] / sum_row(i) - 1));
        printf("smaller: %s, error below 1e-4: %s\n", after.bytes < before.bytes ? "yes" : "no",
               worst < 1e-4 ? "yes" : "no");
    } else {
        fprintf(stderr, "h2: %s\n", mmpipe_error(context));
    }
    mmpipe_h2_free(h2);
    mmpipe_context_free(context);
    return (int)status;
}
