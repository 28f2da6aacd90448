/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for exact permanents (gpu.h), included once for each number of primes EXACT_PRIMES.
// EXACT_NAME(word) is the word with that number, EXACT_RESIDENT the blocks that a multiprocessor shall hold.
//
// Cost of a subset: an addition and a multiplication a row, then 6 instructions for each factor but the first
// and each prime. The arithmetic and its bounds are those of common/residue_body.h.

// Block b of the grid adds up threads (first + b) 128 … of `threads`.
SHIM_KERNEL void __launch_bounds__(GRAY_GPU_THREADS, EXACT_RESIDENT)
    EXACT_NAME(exact_gpu)(int n, int log2_steps, long long threads, long long first,
                          const exact_gpu_tables *tables, long long *sums) {
    SHIM_DYNAMIC_SHARED(double, shared);
    const long long thread = (first + blockIdx.x) * GRAY_GPU_THREADS + threadIdx.x;
    const int groups = tables->group_count, rows = tables->group_end[groups - 1], reduce = tables->reduce,
              fixed = EXACT_GPU_INNER + log2_steps;
    double prime[EXACT_PRIMES], inverse[EXACT_PRIMES], total[EXACT_PRIMES];
    double *x = shared + threadIdx.x;
    const double *steps = shared + rows * GRAY_GPU_THREADS;
    EXACT_UNROLL
    for (int p = 0; p < EXACT_PRIMES; p++) {
        prime[p] = tables->prime[p];
        inverse[p] = 1 / prime[p];
        total[p] = 0;
    }
    gray_gpu_fill(n, n, rows, fixed, thread, (const double *)(tables + 1), shared);
    for (int step = 0; step < 1 << log2_steps; step++) {
        const int bit = gray_gpu_bit(step);
        const double factor = gray_gpu_factor(step, bit);
        double residue[EXACT_PRIMES][EXACT_GPU_PRODUCTS], product[EXACT_GPU_PRODUCTS];
        int row = 0;
        EXACT_NO_UNROLL
        for (int g = 0; g < groups; g++) {
            const int end = tables->group_end[g];
            exact_gpu_multiply_row(1, factor, bit, steps + row * fixed, x + row * GRAY_GPU_THREADS, product);
            EXACT_NO_UNROLL
            for (row++; row < end; row++)
                exact_gpu_multiply_row(0, factor, bit, steps + row * fixed, x + row * GRAY_GPU_THREADS,
                                       product);
            EXACT_UNROLL
            for (int p = 0; p < EXACT_PRIMES; p++) {
                EXACT_UNROLL
                for (int k = 0; k < EXACT_GPU_PRODUCTS; k++)
                    residue[p][k] = g > 0
                                        ? exact_gpu_multiply(residue[p][k], product[k], prime[p], inverse[p])
                                    : reduce ? exact_gpu_reduce(product[k], prime[p], inverse[p])
                                             : product[k];
            }
        }
        EXACT_UNROLL
        for (int p = 0; p < EXACT_PRIMES; p++) {
            const double *r = residue[p];
            const double sum = ((r[0] - r[1]) - (r[2] - r[3])) - ((r[4] - r[5]) - (r[6] - r[7]));
            total[p] = exact_gpu_reduce(step & 1 ? total[p] - sum : total[p] + sum, prime[p], inverse[p]);
        }
    }
    EXACT_UNROLL
    for (int p = 0; p < EXACT_PRIMES; p++) {
        const long long value = thread >= threads ? 0 : (long long)(thread & 1 ? -total[p] : total[p]);
        exact_gpu_add_threads(value, (long long)prime[p], (long long *)shared,
                              &sums[(long long)blockIdx.x * EXACT_PRIMES + p]);
    }
}
