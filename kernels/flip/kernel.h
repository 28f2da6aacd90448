/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/flip and the kernels that walk on flip graphs over F2. Kernels include nothing
 * else of this project.
 *
 * A walker holds one scheme, `rank` terms a ⊗ b ⊗ c of bit masks. A flip takes two terms i and j that have
 * the factor at one position in common, say a (Kauers and Moosbauer, Flip graphs for matrix multiplication,
 * 2022):
 *
 *     a ⊗ b_i ⊗ c_i + a ⊗ b_j ⊗ c_j = a ⊗ b_i ⊗ (c_i + c_j) + a ⊗ (b_j + b_i) ⊗ c_j;
 *
 * with a shared b the roles of (a, b, c) are those of (b, c, a), with a shared c of (c, a, b). A factor that
 * becomes zero removes its term: the rank drops.
 *
 * Terms are compared by marks of 16 bits, the factors' remainders modulo a polynomial over F2. Marks are
 * linear, so a flip adds them as it adds factors, and factors of at most 16 bits are their own marks. Of
 * longer ones two may have the same mark without being equal: such a pair is drawn and then left alone.
 *
 * A walker may be cyclic instead: each of its terms stands for a ⊗ b ⊗ c + b ⊗ c ⊗ a + c ⊗ a ⊗ b, factors
 * being of one length (lib/flip/scheme/cyclic.h). That is linear in each factor too, so a flip is as above,
 * but any factor of a term may be the one that it shares with another term. The factors a, b, c of term r are
 * entries 3r, 3r + 1, 3r + 2 of one position, the first; a pair of entries of one term is drawn and then left
 * alone. A term a ⊗ a ⊗ a stands for itself and goes to the fixed ones, where two equal ones cancel.
 *
 * Of a cyclic walker that is reversed, term 2r + 1 is term 2r with its factors reversed, as matrices in rows
 * and columns. A flip is then made on both; a pair of entries of these two terms is left alone as well. Two
 * such terms that are equal cancel.
 *
 * A step: draw d is the next number of the walker's generator. The terms that have a partner (another term of
 * the same mark) stand in bit sets, one a position. Its upper half picks i and the position, uniformly among
 * all of them in the order of positions and rows; its lower half picks j, uniformly among i's partners in the
 * order of rows: index = (32 bits of d) · count >> 32. Every kernel does the same steps.
 *
 * walk_body.h is the step on processors, compiled by portable.c, avx2.c and avx512.c; ref.c is the plain one
 * that all are tested against. On devices gpu.h is the contract: lane_gpu_*.h walk with a thread a walker,
 * warp_gpu_*.h with a warp. */
#ifndef FLIP_KERNEL_H
#define FLIP_KERNEL_H

#include "processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FLIP_WORDS = 9,
    FLIP_LARGEST_RANK = 64 * FLIP_WORDS, /* 8x8x8 has 512 terms before any search; the rest is for pluses */
    FLIP_MOST_FIXED = 64,
    FLIP_INTERLEAVE = 8 /* walkers in one call that keep a processor busy */
};

typedef enum flip_symmetry { FLIP_PLAIN, FLIP_CYCLIC, FLIP_REVERSED } flip_symmetry;

typedef struct flip_walker {
    uint64_t random; /* state of its generator, SplitMix64 */
    int64_t flips;   /* moves so far */
    int32_t rank;    /* terms without the fixed ones */
    flip_symmetry symmetry;
    int32_t fixed_count;
    uint64_t fixed[FLIP_MOST_FIXED];   /* cyclic: a of the terms a ⊗ a ⊗ a */
    uint64_t rows[FLIP_WORDS];         /* bit set: row r has a term, r < rank; cyclic: r < 3 · rank */
    uint64_t partnered[3][FLIP_WORDS]; /* bit sets: this row has a partner */
    uint16_t mark[3][FLIP_LARGEST_RANK] __attribute__((aligned(64)));
    uint64_t factor[3][FLIP_LARGEST_RANK];
} flip_walker;

typedef struct flip_kernel {
    const char *name, *device;
    /* `features`: of the processor (processor.h). */
    bool (*fits)(unsigned features);
    /* `steps` steps of each of `count` walkers; the rank may drop, in the end to 0 for schemes of zero. A
     * step without partners does nothing. All walkers of a call have one symmetry. */
    void (*run)(flip_walker *const *walkers, int count, int64_t steps);
    /* Makes `rows`, `mark` and `partnered` anew from rank and factors, after flip_walker_simplify. What
     * stands beyond the rank does not matter. */
    void (*index)(flip_walker *walker);
} flip_kernel;

extern const flip_kernel flip_ref, flip_portable, flip_avx2, flip_avx512;

/* Terms of an orbit, fixed ones apart. */
static inline int32_t flip_orbit(flip_symmetry symmetry) {
    return symmetry == FLIP_PLAIN ? 1 : symmetry == FLIP_CYCLIC ? 3 : 6;
}

/* Entries of each position that are compared with each other, and positions that have any. */
static inline int32_t flip_walker_entries(const flip_walker *walker) {
    return walker->symmetry == FLIP_PLAIN ? walker->rank : 3 * walker->rank;
}

static inline int flip_walker_positions(const flip_walker *walker) {
    return walker->symmetry == FLIP_PLAIN ? 3 : 1;
}

/* Terms that moves change together: those of an orbit that are stored. */
static inline int32_t flip_walker_copies(const flip_walker *walker) {
    return walker->symmetry == FLIP_REVERSED ? 2 : 1;
}

/* The entry of the factor after this one of the same term. */
static inline int32_t flip_next_entry(int32_t entry) {
    return entry % 3 == 2 ? entry - 2 : entry + 1;
}

/* The entry that is this one reversed. */
static inline int32_t flip_reversed_entry(int32_t entry) {
    return entry % 6 < 3 ? entry + 3 : entry - 3;
}

/* The mark of a factor: x mod t^16 + t^13 + t^12 + t^11 + t^10 + t^8 + t^6 + t^5 + t^2 + 1. Factors of 64
 * bits with the same mark differ in at least six (Koopman and Chakravarty, DSN 2004: this code has distance
 * 6). */
uint16_t flip_mark(uint64_t factor);

/* Removes terms with a zero factor, and the pairs of equal ones of a reversed walker; their places go to the
 * last ones. Terms of three equal factors become fixed ones, as long as there is room. */
void flip_walker_simplify(flip_walker *walker);

/* Adds a ⊗ a ⊗ a to the fixed terms, for which there must be room, or takes it away if it is one of them. */
void flip_walker_toggle_fixed(flip_walker *walker, uint64_t a);

/* The next number of a generator (Steele, Lea and Flood, Fast splittable pseudorandom number generators,
 * OOPSLA 2014). */
static inline uint64_t flip_draw(uint64_t *random) {
    uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
