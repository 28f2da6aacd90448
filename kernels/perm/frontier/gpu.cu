/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels for the frontier dynamic program (gpu.h).
#include "shim.h"

#include "perm/frontier/gpu.h"

#ifdef __CUDACC__
#define FRONTIER_UNROLL _Pragma("unroll")
#else
#define FRONTIER_UNROLL
#endif

typedef unsigned long long frontier_word;

// The states with `used` of `open` columns whose sets are below t << FRONTIER_GPU_LOW, for every t.
SHIM_KERNEL void __launch_bounds__(FRONTIER_GPU_THREADS)
    frontier_gpu_start(const frontier_gpu_tables *tables, int used, long long count, frontier_word *start) {
    for (long long t = (long long)blockIdx.x * FRONTIER_GPU_THREADS + threadIdx.x; t < count;
         t += (long long)gridDim.x * FRONTIER_GPU_THREADS) {
        frontier_word sum = 0;
        int left = used;
        for (long long rest = t; rest != 0 && left >= 0; left--) {
            const int bit = 63 - __clzll(rest);
            sum += tables->binomial[FRONTIER_GPU_LOW + bit][left];
            rest ^= 1LL << bit;
        }
        start[t] = sum;
    }
}

// The exponent that frexp gives; INT_MIN for 0.
__device__ __forceinline__ int frontier_exponent(double x) {
    const long long bits = __double_as_longlong(x) & 0x7fffffffffffffffLL;
    const int biased = (int)(bits >> 52);
    return biased > 0 ? biased - 1022 : bits != 0 ? 64 - __clzll(bits) - 1074 : -2147483647 - 1;
}

// sum += factor · value modulo 2^(64 words); sum -= … if `negate`.
__device__ __forceinline__ void frontier_add_words(int words, frontier_word *sum, const frontier_word *factor,
                                                   const frontier_word *value, int negate) {
    frontier_word product[FRONTIER_GPU_WORDS];
    frontier_word carry = negate;
    FRONTIER_UNROLL
    for (int k = 0; k < FRONTIER_GPU_WORDS; k++)
        product[k] = 0;
    FRONTIER_UNROLL
    for (int i = 0; i < words; i++) {
        frontier_word over = 0;
        FRONTIER_UNROLL
        for (int j = 0; i + j < words; j++) {
            const frontier_word low = factor[i] * value[j], high = __umul64hi(factor[i], value[j]);
            const frontier_word first = product[i + j] + low, second = first + over;
            over = high + (first < low) + (second < over);
            product[i + j] = second;
        }
    }
    FRONTIER_UNROLL
    for (int k = 0; k < words; k++) {
        const frontier_word term = negate ? ~product[k] : product[k];
        const frontier_word first = sum[k] + term, second = first + carry;
        carry = (first < term) + (second < carry);
        sum[k] = second;
    }
}

__device__ __forceinline__ void frontier_add_double(frontier_word *sum, double term) {
    *sum = (frontier_word)__double_as_longlong(__dadd_rn(__longlong_as_double((long long)*sum), term));
}

// Adds the product of an entry and the state at `rank`.
__device__ __forceinline__ void frontier_add(int kind, int parts, int words, const frontier_word *factor,
                                             const frontier_word *from, long long states,
                                             frontier_word *sum) {
    frontier_word value[2 * FRONTIER_GPU_WORDS];
    FRONTIER_UNROLL
    for (int k = 0; k < parts * words; k++)
        value[k] = from[k * states];
    if (kind == FRONTIER_WORDS) {
        frontier_add_words(words, sum, factor, value, 0);
        if (parts == 2) {
            frontier_add_words(words, sum, factor + words, value + words, 1);
            frontier_add_words(words, sum + words, factor, value + words, 0);
            frontier_add_words(words, sum + words, factor + words, value, 0);
        }
        return;
    }
    double f[3], v[3];
    FRONTIER_UNROLL
    for (int k = 0; k < parts; k++) {
        f[k] = __longlong_as_double((long long)factor[k]);
        v[k] = __longlong_as_double((long long)value[k]);
    }
    if (parts == 3) {
        frontier_add_double(&sum[0], __dadd_rn(__dmul_rn(f[0], v[0]), -__dmul_rn(f[1], v[1])));
        frontier_add_double(&sum[1], __dadd_rn(__dmul_rn(f[0], v[1]), __dmul_rn(f[1], v[0])));
        frontier_add_double(&sum[2], __dmul_rn(f[2], v[2]));
    } else {
        FRONTIER_UNROLL
        for (int k = 0; k < parts; k++)
            frontier_add_double(&sum[k], __dmul_rn(f[k], v[k]));
    }
}

// The set with the columns that the step closes, all used, put back.
__device__ __forceinline__ frontier_word frontier_widen(const frontier_gpu_step *step, frontier_word set) {
    for (int i = 0; i < step->close_count; i++) {
        const frontier_word bit = (frontier_word)1 << step->close[i];
        set = (set & ~(bit - 1)) << 1 | bit | (set & (bit - 1));
    }
    return set;
}

// A value is `parts` of `words` units. Blocks take the sets by their bits from FRONTIER_GPU_LOW on.
__device__ __forceinline__ void frontier_run(int kind, int parts, int words,
                                             const frontier_gpu_tables *tables,
                                             const frontier_gpu_step *given,
                                             const frontier_word *start_before, const frontier_word *start,
                                             const frontier_word *from, frontier_word *to, int *exponent) {
    __shared__ frontier_gpu_step step;
    __shared__ int largest;
    const int units = parts * words;
    int mine = -2147483647 - 1;
    for (int at = threadIdx.x; at < (int)(sizeof step / sizeof(int)); at += FRONTIER_GPU_THREADS)
        ((int *)&step)[at] = ((const int *)given)[at];
    if (threadIdx.x == 0)
        largest = mine;
    __syncthreads();
    const int low = step.open < FRONTIER_GPU_LOW ? step.open : FRONTIER_GPU_LOW;
    const frontier_word mask = ((frontier_word)1 << FRONTIER_GPU_LOW) - 1;
    for (long long t = step.first + blockIdx.x; t < step.end; t += gridDim.x) {
        const int bits = step.used - __popcll(t);
        if (bits < 0 || bits > low)
            continue;
        const unsigned short *sets = tables->set + tables->first[bits];
        const int count = (int)tables->binomial[low][bits];
        for (int i = threadIdx.x; i < count; i += FRONTIER_GPU_THREADS) {
            const frontier_word set = frontier_widen(&step, (frontier_word)t << FRONTIER_GPU_LOW | sets[i]);
            frontier_word sum[2 * FRONTIER_GPU_WORDS];
            FRONTIER_UNROLL
            for (int k = 0; k < units; k++)
                sum[k] = 0;
            for (int j = 0; j < step.entry_count; j++) {
                const frontier_word rest = set & ~((frontier_word)1 << step.bit[j]);
                if (rest == set || rest >> step.open_before != 0)
                    continue;
                const frontier_word rank = start_before[rest >> FRONTIER_GPU_LOW] + tables->rank[rest & mask];
                frontier_add(kind, parts, words, step.factor + j * units, from + rank, step.states_before,
                             sum);
            }
            FRONTIER_UNROLL
            for (int k = 0; k < units; k++)
                to[k * step.states + (long long)start[t] + i] = sum[k];
            if (kind == FRONTIER_DOUBLES) {
                const int raised = frontier_exponent(__longlong_as_double((long long)sum[units - 1]));
                mine = raised > mine ? raised : mine;
            }
        }
    }
    if (kind == FRONTIER_DOUBLES) {
        atomicMax(&largest, mine);
        __syncthreads();
        if (threadIdx.x == 0)
            atomicMax(exponent, largest);
    }
}

#define FRONTIER_KERNEL(name, kind, parts, words)                                                            \
    SHIM_KERNEL void __launch_bounds__(FRONTIER_GPU_THREADS) name(                                           \
        const frontier_gpu_tables *tables, const frontier_gpu_step *step, const frontier_word *start_before, \
        const frontier_word *start, const frontier_word *from, frontier_word *to, int *exponent) {           \
        frontier_run(kind, parts, words, tables, step, start_before, start, from, to, exponent);             \
    }
FRONTIER_GPU_KERNELS(FRONTIER_KERNEL)
