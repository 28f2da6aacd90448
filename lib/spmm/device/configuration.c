/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/configuration.h"
#include "config.h"

#include <math.h>

int64_t spmm_device_round_up(int64_t x) {
    int64_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

int64_t spmm_device_vectors(const spmm_problem *problem) {
    return (problem->n * spmm_device_number_bytes(problem) + 15) / 16;
}

int spmm_device_lanes(const spmm_problem *problem, int64_t most) {
    return (int)spmm_device_clamp(spmm_device_round_up(spmm_device_vectors(problem)), 4, most);
}

int spmm_device_fit_lanes(const spmm_problem *problem, int lanes) {
    const int64_t vectors = spmm_device_vectors(problem);
    while (lanes > 8) {
        const int64_t tiles = (vectors + lanes - 1) / lanes, half_tiles = (2 * vectors + lanes - 1) / lanes;
        if (10 * half_tiles > 9 * 2 * tiles)
            break;
        lanes /= 2;
    }
    return lanes;
}

double spmm_device_row_length(const spmm_problem *problem) {
    return (double)problem->a.nnz / fmax(1, (double)problem->profile.rows_used);
}

bool spmm_device_is_even(const spmm_problem *problem) {
    return (double)problem->profile.longest_row < 4 * spmm_device_row_length(problem);
}

bool spmm_device_has_90a(const base_device_properties *device) {
    return MMPIPE_90A && device->architecture == 90;
}

const char *spmm_device_plain_type(spmm_precision precision) {
    static const char *const types[] = {"half", "bfloat", "float", "float", "float", "double"};
    return types[precision];
}

const char *spmm_device_matrix_type(spmm_precision precision) {
    static const char *const types[] = {"half", "bfloat", "tf32", "float", "float", "double"};
    return types[precision];
}
