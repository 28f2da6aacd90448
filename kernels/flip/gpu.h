/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/flip/device/device.c and the device kernels that search flip graphs over F2
 * (kernel.h says what a flip is).
 *
 * The kernels do the search of lib/flip/search/search.h on the device: islands of walkers that share saved
 * schemes. A launch takes every island through the same number of steps, and no island reads what another
 * writes, so the result depends on the random numbers that the walkers start with and on the number of steps
 * alone.
 *
 * A stored scheme has its terms' factors in [position][rows], terms that are all zero stand for none. In
 * cyclic searches a row (a, b, c) stands for the three terms that turning it gives, and (a, a, a) for itself:
 * over F2 three equal terms are one. The tensor is then the cyclic one, the sum of e_ij ⊗ e_jk ⊗ e_ki. In
 * searches on reversed schemes (kernel.h) a row stands for these terms and their reversals, and (a, a, a) for
 * itself and its reversal if that is another one. */
#ifndef FLIP_GPU_H
#define FLIP_GPU_H

enum {
    FLIP_GPU_CHUNK = 32, /* steps between looks at the walkers' ranks */
    FLIP_GPU_LANES = 32, /* walkers of an island in the kernels with a walker a thread */
    FLIP_GPU_WARPS = 16  /* and in those with a walker a warp */
};

/* Bytes of a factor in a walker that is a thread: those of 40 bits have marks of 16. */
#define FLIP_GPU_LANE_BYTES(bits) ((bits) == 40 ? 7 : (bits) / 8)

/* What is the same for all islands; ranks count terms, not rows. */
typedef struct flip_gpu_rules {
    int rows;            /* of a stored scheme */
    int bits;            /* of a factor, in searches on reversed schemes */
    int start, lowest;   /* of the ranks that have a place for a saved scheme, the first place is start's;
                            a lower one goes to that of `lowest` */
    int target;          /* an island stops there */
    int low_rank;        /* where the rules of low ranks hold, and below */
    int plus_after[2];   /* steps without a drop before a plus; [1]: at low ranks */
    int reduce_after[2]; /* steps between looks for generalised reductions */
    int plus_limit;      /* ranks that pluses may rise */
    int match_rounds;    /* walkers a warp: draws of rows in a step that matches pairs, at least 1 */
    int step_back;       /* ranks */
    int most_steps;      /* back, behind which an island that comes no lower begins anew */
    int most;            /* rank of a saved scheme that this launch has room for */
    int list_rank;       /* walkers a warp: at this rank and below steps are taken from the list */
    int hold;            /* an island stays at its rank: walkers that drop start again (benchmarks) */
    int chunks;          /* of this launch */
    long long budget[2]; /* flips of an island before it steps back */
    long long walk;      /* and before its walkers go back to its scheme */
    int sink_rank; /* at this rank and below an island steps back after so many flips, by so many ranks */
    int sink_back;
    long long sink_budget;
} flip_gpu_rules;

typedef struct flip_gpu_island {
    int rank, best;          /* of what its walkers try to beat; the least it saw. 0: it is new */
    int steps, unused;       /* back since it began or saw its least rank */
    long long chunks, spent; /* so far; flips at this rank */
    long long flips;
} flip_gpu_island;

/* What a launch works on. */
typedef struct flip_gpu_state {
    flip_gpu_island *islands;
    unsigned long long *factors; /* [island][position][row][walker] */
    unsigned long long *random;  /* [island][walker] */
    int *since;                  /* [island][walker]: steps since the last plus or drop */
    unsigned long long *saved;   /* [island][start - rank][position][row], all zero: none yet */
    const unsigned long long
        *first; /* [start][position][row]: schemes that new islands start from, in turn */
    int first_count;
    int begin; /* number of the first island */
} flip_gpu_state;

#endif
