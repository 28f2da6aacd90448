/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel of sieve_gpu.h, included once for each number of primes EXACT_PRIMES; EXACT_NAME(word) is
// the word with that number.
//
// Cost of a subset: four integer instructions for four rows; few subsets are left, wait in shared memory
// until a warp has one for each lane, and are multiplied as in gpu_body.h.

#define SIEVE_FLUSH EXACT_NAME(sieve_flush)

// The lanes multiply the first `count` subsets that wait, one each.
__device__ __forceinline__ void SIEVE_FLUSH(const sieve_gpu_tables *tables, const unsigned *queue, int count,
                                            const double *prime, const double *inverse, double *total) {
    const int lane = threadIdx.x % 32;
    if (lane < count) {
        double residue[EXACT_PRIMES] = {0};
        const unsigned *word = queue + lane * (SIEVE_GPU_WORDS + 1);
        for (int g = 0, row = 0; g < tables->group_count; g++) {
            double product = 1;
            for (; row < tables->group_end[g]; row++)
                product *= (double)((int)(word[row / 4] >> row % 4 * 8 & 255) - 128);
            EXACT_UNROLL
            for (int p = 0; p < EXACT_PRIMES; p++)
                residue[p] = g == 0 ? product : exact_gpu_multiply(residue[p], product, prime[p], inverse[p]);
        }
        EXACT_UNROLL
        for (int p = 0; p < EXACT_PRIMES; p++)
            total[p] = exact_gpu_reduce(word[SIEVE_GPU_WORDS] ? total[p] - residue[p] : total[p] + residue[p],
                                        prime[p], inverse[p]);
    }
    __syncwarp();
}

// Block b of the grid adds up threads (first + b) 128 … of `threads`.
SHIM_KERNEL void __launch_bounds__(GRAY_GPU_THREADS, 8)
    EXACT_NAME(sieve_gpu)(int n, int log2_steps, long long threads, long long first,
                          const sieve_gpu_tables *tables, long long *sums) {
    SHIM_DYNAMIC_SHARED(double, shared);
    const long long thread = (first + blockIdx.x) * GRAY_GPU_THREADS + threadIdx.x;
    const unsigned long long gray = (unsigned long long)(thread ^ thread >> 1);
    const int words = tables->words, fixed = SIEVE_GPU_INNER + log2_steps, lane = threadIdx.x % 32;
    unsigned *up = (unsigned *)shared;
    unsigned *queue =
        up + fixed * SIEVE_GPU_WORDS + threadIdx.x / 32 * SIEVE_GPU_QUEUE * (SIEVE_GPU_WORDS + 1);
    double prime[EXACT_PRIMES], inverse[EXACT_PRIMES], total[EXACT_PRIMES];
    unsigned x[SIEVE_GPU_WORDS];
    int waiting = 0;
    EXACT_UNROLL
    for (int p = 0; p < EXACT_PRIMES; p++) {
        prime[p] = tables->prime[p];
        inverse[p] = 1 / prime[p];
        total[p] = 0;
    }
    for (int at = threadIdx.x; at < fixed * SIEVE_GPU_WORDS; at += GRAY_GPU_THREADS)
        up[at] = tables->up[at / SIEVE_GPU_WORDS][at % SIEVE_GPU_WORDS];
    EXACT_UNROLL
    for (int w = 0; w < SIEVE_GPU_WORDS; w++) {
        x[w] = tables->start[w];
        for (int k = 0; fixed + k < n - 1; k++)
            if (gray >> k & 1)
                x[w] += tables->up[fixed + k][w];
    }
    __syncthreads();
    for (int at = 0; at < 1 << fixed; at++) {
        unsigned zero = thread >= threads ? 0x80808080u : 0;
        if (at > 0) {
            const int bit = __ffs(at) - 1, is_plus = (at ^ at >> 1) >> bit & 1;
            const unsigned *change = up + bit * SIEVE_GPU_WORDS, sign = is_plus ? 1 : ~0u;
            EXACT_UNROLL
            for (int w = 0; w < SIEVE_GPU_WORDS; w += 2)
                if (w < words) {
                    x[w] += sign * change[w];
                    x[w + 1] += sign * change[w + 1];
                }
        }
        EXACT_UNROLL
        for (int w = 0; w < SIEVE_GPU_WORDS; w++)
            if ((w & ~1) < words) {
                // The bytes are x + 128: flipping their top bits leaves x modulo 256. The lowest byte that is
                // 0 borrows in the subtraction and sets its top bit; without such a byte no top bit is set.
                const unsigned value = x[w] ^ 0x80808080u;
                zero |= (value - 0x01010101u) & ~value;
            }
        const int is_left = (zero & 0x80808080u) == 0;
        const unsigned left = __ballot_sync(0xffffffffu, is_left);
        if (left == 0)
            continue;
        if (is_left) {
            unsigned *place = queue + (waiting + __popc(left & ((1u << lane) - 1))) * (SIEVE_GPU_WORDS + 1);
            EXACT_UNROLL
            for (int w = 0; w < SIEVE_GPU_WORDS; w++)
                if ((w & ~1) < words)
                    place[w] = x[w];
            place[SIEVE_GPU_WORDS] = (at ^ (unsigned)thread) & 1;
        }
        waiting += __popc(left);
        __syncwarp();
        // At most 31 subsets waited and 32 have come: the queue of 64 never overflows.
        if (waiting >= 32) {
            waiting -= 32;
            SIEVE_FLUSH(tables, queue + waiting * (SIEVE_GPU_WORDS + 1), 32, prime, inverse, total);
        }
    }
    SIEVE_FLUSH(tables, queue, waiting, prime, inverse, total);
    EXACT_UNROLL
    for (int p = 0; p < EXACT_PRIMES; p++)
        exact_gpu_add_threads((long long)total[p], (long long)prime[p], (long long *)shared,
                              &sums[(long long)blockIdx.x * EXACT_PRIMES + p]);
}
