/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernel for dense real permanents by quadratic forms (pairs_gpu.h).
#include "shim.h"

#include "perm/common/sums_gpu.h"
#include "perm/dense/pairs_gpu.h"

#ifdef __CUDACC__
#define PAIRS_UNROLL _Pragma("unroll")
#define PAIRS_UNROLL_TWICE _Pragma("unroll 2")
#else
#define PAIRS_UNROLL
#define PAIRS_UNROLL_TWICE
#endif

// q of a thread where the bits of inner columns are 0, and its gains with each.
typedef struct pairs_form {
    double base, gain[PAIRS_GPU_INNER];
} pairs_form;

// Where a thread finds what it adds up.
typedef struct pairs_place {
    const double *lane, *warp;
    double bit[PAIRS_GPU_LANES]; // of its lane, 0 or 1
} pairs_place;

__device__ __forceinline__ pairs_form pairs_read(const pairs_place *place, int pair) {
    pairs_form form;
    const double2 *lane = (const double2 *)(place->lane + pair * PAIRS_GPU_LANE),
                  *warp = (const double2 *)(place->warp + pair * PAIRS_GPU_WARP);
    double own[2 + PAIRS_GPU_INNER], common[1 + PAIRS_GPU_FIRST_STEP];
    PAIRS_UNROLL
    for (int k = 0; k < (1 + PAIRS_GPU_FIRST_STEP) / 2; k++) {
        const double2 both = warp[k];
        common[2 * k] = both.x;
        common[2 * k + 1] = both.y;
    }
    PAIRS_UNROLL
    for (int k = 0; k < (2 + PAIRS_GPU_INNER) / 2; k++) {
        const double2 both = lane[k * 32];
        own[2 * k] = both.x;
        own[2 * k + 1] = both.y;
    }
    const double *gain = common + 1 + PAIRS_GPU_INNER;
    const double first =
        __fma_rn(place->bit[0], gain[0],
                 __fma_rn(place->bit[1], gain[1], __fma_rn(place->bit[2], gain[2], common[0])));
    form.base = first + __fma_rn(place->bit[3], gain[3], __fma_rn(place->bit[4], gain[4], own[0]));
    PAIRS_UNROLL
    for (int k = 0; k < PAIRS_GPU_INNER; k++)
        form.gain[k] = common[1 + k] + own[1 + k];
    return form;
}

// Multiplies the 16 values for the bits of the first four columns into as many products, or starts them. What
// q gains with a bit is a sum over the lower ones.
__device__ __forceinline__ void pairs_multiply_few(int start, double base, const double *gain,
                                                   const double *table, double *product) {
    double value[16], more[8];
    value[0] = base;
    PAIRS_UNROLL
    for (int bit = 0; bit < 4; bit++) {
        more[0] = gain[bit];
        PAIRS_UNROLL
        for (int k = 0; k < 8; k++)
            if (k < 1 << bit) {
                const int high = k >= 4 ? 2 : k >= 2 ? 1 : 0;
                if (k > 0)
                    more[k] = more[k & ~(1 << high)] + table[bit * (bit - 1) / 2 + high];
                value[(1 << bit) + k] = value[k] + more[k];
            }
    }
    PAIRS_UNROLL
    for (int k = 0; k < 16; k++)
        product[k] = start ? value[k] : product[k] * value[k];
}

// Multiplies a form into all 64 products, 16 for each choice of the last two bits.
__device__ __forceinline__ void pairs_multiply(int start, const pairs_form *form, const double *shared,
                                               double *product) {
    double table[PAIRS_GPU_TABLE], gain[4][4];
    PAIRS_UNROLL
    for (int k = 0; k < PAIRS_GPU_TABLE / 2; k++) {
        const double2 both = ((const double2 *)shared)[k];
        table[2 * k] = both.x;
        table[2 * k + 1] = both.y;
    }
    PAIRS_UNROLL
    for (int k = 0; k < 4; k++) {
        gain[0][k] = form->gain[k];
        gain[1][k] = gain[0][k] + table[PAIRS_GPU_FOURTH + k];
        gain[2][k] = gain[0][k] + table[PAIRS_GPU_FOURTH + 4 + k];
        gain[3][k] = gain[1][k] + table[PAIRS_GPU_FOURTH + 4 + k];
    }
    const double base = form->base + form->gain[4];
    pairs_multiply_few(start, form->base, gain[0], table, product);
    pairs_multiply_few(start, base, gain[1], table, product + 16);
    pairs_multiply_few(start, form->base + form->gain[5], gain[2], table, product + 32);
    pairs_multiply_few(start, base + (form->gain[5] + table[PAIRS_GPU_LAST]), gain[3], table, product + 48);
}

// The products of a step with their signs, pairwise, and their magnitudes.
__device__ __forceinline__ void pairs_add_products(double sign, const double *product, dense_gpu_sums *sums) {
    double sum[PAIRS_GPU_PRODUCTS / 8], magnitude[PAIRS_GPU_PRODUCTS / 8];
    PAIRS_UNROLL
    for (int k = 0; k < 8; k++) {
        const double *p = product + 8 * k;
        sum[k] = ((p[0] - p[1]) - (p[2] - p[3])) - ((p[4] - p[5]) - (p[6] - p[7]));
        magnitude[k] = ((fabs(p[0]) + fabs(p[1])) + (fabs(p[2]) + fabs(p[3]))) +
                       ((fabs(p[4]) + fabs(p[5])) + (fabs(p[6]) + fabs(p[7])));
    }
    sums_gpu_two_sum(&sums->high[0], &sums->low[0],
                     sign *
                         (((sum[0] - sum[1]) - (sum[2] - sum[3])) - ((sum[4] - sum[5]) - (sum[6] - sum[7]))));
    sums->magnitude += ((magnitude[0] + magnitude[1]) + (magnitude[2] + magnitude[3])) +
                       ((magnitude[4] + magnitude[5]) + (magnitude[6] + magnitude[7]));
}

// The tables of a block: `columns` are the driver's.
__device__ void pairs_fill_block(int n, const double *columns, double *table, double *lanes) {
    const int pairs = (n + 1) / 2, stride = pairs_gpu_form_doubles(n), width = n - 1;
    for (int at = threadIdx.x; at < pairs * PAIRS_GPU_TABLE; at += PAIRS_GPU_THREADS)
        table[at] = columns[at / PAIRS_GPU_TABLE * stride + at % PAIRS_GPU_TABLE];
    for (int at = threadIdx.x; at < pairs * 32; at += PAIRS_GPU_THREADS) {
        const int lane = at % 32;
        const double *second = columns + at / 32 * stride + PAIRS_GPU_TABLE + 1 + width;
        double sum[1 + PAIRS_GPU_INNER] = {0};
        for (int k = 0; k < PAIRS_GPU_LANES; k++) {
            const double *row = second + (PAIRS_GPU_INNER + k) * width;
            if (!(lane >> k & 1))
                continue;
            for (int inner = 0; inner < PAIRS_GPU_INNER; inner++)
                sum[1 + inner] += row[inner];
            for (int other = 0; other < k; other++)
                if (lane >> other & 1)
                    sum[0] += row[PAIRS_GPU_INNER + other];
        }
        for (int k = 0; k < 1 + PAIRS_GPU_INNER; k++)
            lanes[at / 32 * PAIRS_GPU_LANE + (k / 2 * 32 + lane) * 2 + k % 2] = sum[k];
    }
}

// q and the gains of a warp with the bits of its number and none of the steps'.
__device__ void pairs_fill_warp(int n, int steps, unsigned long long number, const double *columns,
                                double *warp) {
    const int pairs = (n + 1) / 2, stride = pairs_gpu_form_doubles(n), width = n - 1,
              fixed = PAIRS_GPU_FIRST_STEP + steps, lane = threadIdx.x % 32;
    for (int pair = lane; pair < pairs; pair += 32) {
        const double *first = columns + pair * stride + PAIRS_GPU_TABLE, *second = first + 1 + width;
        double base = first[0];
        for (int k = fixed; k < width; k++) {
            if (!(number >> (k - fixed) & 1))
                continue;
            base += first[1 + k];
            for (int other = fixed; other < k; other++)
                if (number >> (other - fixed) & 1)
                    base += second[k * width + other];
        }
        warp[pair * PAIRS_GPU_WARP] = base;
    }
    for (int pair = 0; pair < pairs && lane < fixed; pair++) {
        const double *first = columns + pair * stride + PAIRS_GPU_TABLE, *second = first + 1 + width;
        double gain = first[1 + lane];
        for (int k = fixed; k < width; k++)
            if (number >> (k - fixed) & 1)
                gain += second[k * width + lane];
        warp[pair * PAIRS_GPU_WARP + 1 + lane] = gain;
    }
    __syncwarp();
}

// What a lane does with each pair where a bit of the steps turns: it adds a second difference to a gain, or a
// gain to q.
typedef struct pairs_turn {
    const double *more;
    double *to;
    int stride; // of `more`, from pair to pair
    double sign;
    bool adds; // the others have nothing to do
} pairs_turn;

// For the turn that leads to a step; none behind the last one.
__device__ __forceinline__ pairs_turn pairs_find_turn(int n, int log2_steps, int step, const double *columns,
                                                      double *warp) {
    const int width = n - 1, lane = threadIdx.x % 32, bit = (__ffs(step) - 1) % log2_steps,
              column = PAIRS_GPU_FIRST_STEP + bit;
    pairs_turn turn = {warp + 1 + column, warp, PAIRS_GPU_WARP, (step ^ step >> 1) >> bit & 1 ? 1.0 : -1.0,
                       step >> log2_steps == 0 && lane <= PAIRS_GPU_FIRST_STEP + log2_steps};
    if (lane > 0 && turn.adds) {
        turn.more = columns + PAIRS_GPU_TABLE + 1 + width + column * width + lane - 1;
        turn.to = warp + lane;
        turn.stride = pairs_gpu_form_doubles(n);
    }
    return turn;
}

// Multiplies a pair into the products, or starts them with it, and leaves its tables for the next step.
__device__ __forceinline__ void pairs_take(int start, int pair, const pairs_place *place, const double *table,
                                           const pairs_turn *turn, double *product) {
    const pairs_form form = pairs_read(place, pair);
    double *to = turn->to + pair * PAIRS_GPU_WARP;
    const double more = turn->more[pair * turn->stride], old = *to;
    pairs_multiply(start, &form, table + pair * PAIRS_GPU_TABLE, product);
    __syncwarp();
    if (turn->adds)
        *to = __fma_rn(turn->sign, more, old);
}

// Block b of the grid adds up threads (first + b) 128 …; all blocks are whole. Shared memory: for each pair
// PAIRS_GPU_SHARED doubles.
SHIM_KERNEL void __launch_bounds__(PAIRS_GPU_THREADS, PAIRS_GPU_RESIDENT)
    pairs_gpu_real(int n, int log2_steps, long long threads, long long first, const double *columns,
                   dense_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const int pairs = (n + 1) / 2, lane = threadIdx.x % 32;
    const unsigned long long number =
        (unsigned long long)(first + blockIdx.x) * (PAIRS_GPU_THREADS / 32) + threadIdx.x / 32;
    double *table = (double *)shared, *lanes = table + pairs * PAIRS_GPU_TABLE,
           *warp = lanes + pairs * (PAIRS_GPU_LANE + threadIdx.x / 32 * PAIRS_GPU_WARP);
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    pairs_place place = {lanes + 2 * lane, warp, {0}};
    (void)threads;
    PAIRS_UNROLL
    for (int k = 0; k < PAIRS_GPU_LANES; k++)
        place.bit[k] = lane >> k & 1;
    pairs_fill_block(n, columns, table, lanes);
    pairs_fill_warp(n, log2_steps, number, columns, warp);
    __syncthreads();
    for (int step = 0; step < 1 << log2_steps; step++) {
        double product[PAIRS_GPU_PRODUCTS];
        const pairs_turn turn = pairs_find_turn(n, log2_steps, step + 1, columns, warp);
        pairs_take(1, 0, &place, table, &turn, product);
        PAIRS_UNROLL_TWICE
        for (int pair = 1; pair < pairs; pair++)
            pairs_take(0, pair, &place, table, &turn, product);
        __syncwarp();
        pairs_add_products(step & 1 ? -1 : 1, product, &sum);
    }
    const int odd = (__popc((unsigned)lane) + __popcll(number)) & 1;
    sums_gpu_add_threads(PAIRS_GPU_THREADS, 1, odd ? -1 : 1, sum, (double *)shared, &sums[blockIdx.x]);
}
