/* SPDX-License-Identifier: BSD-3-Clause */
// Moves of fixed terms of cyclic schemes: they are joined to other rows, split off and released; part of
// lane_gpu_moves.h.

// Whether a fixed row (a, a, a) can be joined to another or flip. Of a reversed scheme, one that is its own
// reversal cannot: it stands for one term, where other rows have two that reversing exchanges (gpu.h).
__device__ __forceinline__ bool LANE_NAME(is_free)(const LANE_NAME(walker) * walker, LANE_WORD a) {
    return !LANE_REVERSED || a != LANE_NAME(reverse)(walker, a);
}

// Finds a row that is not fixed and has the factor a at the positions p and q; -1 if there is none.
__device__ __forceinline__ int LANE_NAME(find_double)(const LANE_NAME(walker) * walker, LANE_WORD a, int p,
                                                      int q) {
    unsigned at_p[LANE_SETS], at_q[LANE_SETS];
    int row = -1;
    LANE_NAME(find)(walker, p, a, a, at_p);
    LANE_NAME(find)(walker, q, a, a, at_q);
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++) {
        const unsigned both = at_p[s] & at_q[s] & walker->rows[s] & ~walker->fixed[s];
        row = both != 0 ? 32 * s + __ffs(both) - 1 : row;
    }
    return row;
}

// The orbit of (a, a, a + c) is that of (a, a, c) and three times (a, a, a), which over F2 is once. So the
// fixed row `gone` is added to a row (a, a, c).
__device__ __forceinline__ bool LANE_NAME(join)(LANE_NAME(walker) * walker, int gone, LANE_WORD a) {
    for (int p = 0; p < 3; p++) {
        const int row = LANE_NAME(find_double)(walker, a, p, (p + 1) % 3), third = (p + 2) % 3;
        if (row < 0)
            continue;
        LANE_NAME(remove)(walker, gone);
        LANE_NAME(add)(walker, third, row, a);
        LANE_NAME(enter)(walker, third, row, LANE_NAME(get)(walker->column, third, row));
        LANE_NAME(simplify)(walker, row);
        return true;
    }
    return false;
}

__device__ __noinline__ bool LANE_NAME(reduce)(LANE_NAME(walker) * walker) {
    for (int s = 0; s < LANE_SETS; s++)
        for (unsigned rest = walker->fixed[s]; rest != 0; rest &= rest - 1) {
            const int gone = 32 * s + __ffs(rest) - 1;
            const LANE_WORD a = LANE_NAME(get)(walker->column, 0, gone);
            if (!LANE_NAME(is_free)(walker, a))
                continue;
            if (LANE_NAME(join)(walker, gone, a) ||
                (LANE_REVERSED && LANE_NAME(join)(walker, gone, LANE_NAME(reverse)(walker, a))))
                return true;
        }
    return false;
}

// The reverse of join for a row that was drawn: (a, a, c) becomes (a, a, a + c) and (a, a, a). False where
// the row has no two equal factors.
__device__ __forceinline__ bool LANE_NAME(split)(LANE_NAME(walker) * walker, int row, int empty) {
    for (int p = 0; p < 3; p++) {
        const int third = (p + 2) % 3;
        const LANE_WORD a = LANE_NAME(get)(walker->column, p, row);
        if (a != LANE_NAME(get)(walker->column, (p + 1) % 3, row) || !LANE_NAME(is_free)(walker, a))
            continue;
        LANE_NAME(add)(walker, third, row, a);
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++)
            walker->rows[s] |= LANE_NAME(bit)(empty, s);
        for (int k = 0; k < 3; k++)
            LANE_NAME(add)(walker, k, empty, a);
        LANE_NAME(enter)(walker, third, row, LANE_NAME(get)(walker->column, third, row));
        LANE_NAME(simplify)(walker, row);
        LANE_NAME(simplify)(walker, empty);
        return true;
    }
    return false;
}

// Flips a fixed term with another row: as an orbit of three equal terms, which over F2 are one, it flips as
// any other, and is fixed no more.
__device__ __forceinline__ bool LANE_NAME(release)(LANE_NAME(walker) * walker) {
    unsigned found[LANE_POSITIONS][LANE_SETS];
    const int row = LANE_NAME(draw_row)(walker, walker->fixed);
    const LANE_WORD a = LANE_NAME(get)(walker->column, 0, row);
    const unsigned draw = flip_gpu_draw(&walker->random);
    if (!LANE_NAME(is_free)(walker, a) || LANE_NAME(partners)(walker, 0, row, a, found) == 0)
        return false;
    const unsigned partners = LANE_NAME(count)(found[0], LANE_POSITIONS * LANE_SETS);
    const int other = LANE_NAME(select)(found[0], LANE_POSITIONS * LANE_SETS, __umulhi(draw, partners));
    const int j = other % (32 * LANE_SETS), at_j = other / (32 * LANE_SETS);
    if (!LANE_NAME(is_partner)(walker, a, j, at_j))
        return false;
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++)
        walker->fixed[s] &= ~LANE_NAME(bit)(row, s);
    LANE_NAME(enter)(walker, 0, row, a);
    LANE_NAME(enter)(walker, 1, row, a);
    LANE_NAME(flip)(walker, a, row, 0, j, at_j, LANE_NAME(is_turned)(walker, a, j, at_j, draw));
    return true;
}
