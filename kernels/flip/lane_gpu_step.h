/* SPDX-License-Identifier: BSD-3-Clause */
// A step of a walker: the flip that a draw chooses. A part of lane_gpu_body.h.

// Flips rows i and j (kernel.h), which have the factor a at positions at_i and at_j; where `turned`, j has it
// reversed, so that what one adds to the other is reversed, too.
__device__ __forceinline__ void LANE_NAME(flip)(LANE_NAME(walker) * walker, LANE_WORD a, int i, int at_i,
                                                int j, int at_j, bool turned) {
    const LANE_CELL *column = walker->column;
    const int second = at_j == 2 ? 0 : at_j + 1, third = at_i == 0 ? 2 : at_i - 1;
    const LANE_WORD b_i = LANE_NAME(get)(column, at_i == 2 ? 0 : at_i + 1, i),
                    c_j = LANE_NAME(get)(column, at_j == 0 ? 2 : at_j - 1, j);
    const LANE_WORD b_more = turned ? LANE_NAME(reverse)(walker, b_i) : b_i,
                    c_more = turned ? LANE_NAME(reverse)(walker, c_j) : c_j;
    const LANE_WORD b = LANE_NAME(get)(column, second, j) ^ b_more,
                    c = LANE_NAME(get)(column, third, i) ^ c_more;
    LANE_NAME(add)(walker, second, j, b_more);
    LANE_NAME(add)(walker, third, i, c_more);
    LANE_NAME(enter)(walker, second, j, b);
    LANE_NAME(enter)(walker, third, i, c);
    // A row may have become zero, fixed, or its own reversal.
    bool is_rare = b == 0 || c == 0;
#if LANE_REVERSED
    const LANE_WORD a_j = turned ? LANE_NAME(reverse)(walker, a) : a;
    const bool is_even = a == LANE_NAME(reverse)(walker, a);
    is_rare |= (a == b_i && a == c) || (a_j == b && a_j == c_j) ||
               (is_even && b == LANE_NAME(reverse)(walker, b) && c_j == LANE_NAME(reverse)(walker, c_j)) ||
               (is_even && c == LANE_NAME(reverse)(walker, c) && b_i == LANE_NAME(reverse)(walker, b_i));
#elif LANE_CYCLIC
    is_rare |= (a == b_i && a == c) || (a == b && a == c_j);
#endif
    (void)a;
    if (is_rare) {
        LANE_NAME(walker) aside = *walker;
        LANE_NAME(simplify)(&aside, j);
        LANE_NAME(simplify)(&aside, i);
        LANE_NAME(put_back)(walker, &aside);
    }
}

// Whether row j has the factor a reversed. Where a is its own reversal, half of the draws say so.
__device__ __forceinline__ bool LANE_NAME(is_turned)(const LANE_NAME(walker) * walker, LANE_WORD a, int j,
                                                     int at_j, unsigned draw) {
#if LANE_REVERSED
    return LANE_NAME(get)(walker->column, at_j, j) != a ||
           (a == LANE_NAME(reverse)(walker, a) && draw >> 31 != 0);
#else
    return (void)walker, (void)a, (void)j, (void)at_j, (void)draw, false;
#endif
}

// Whether row j has the factor a, or its reversal: always, but for marks that are equal by chance.
__device__ __forceinline__ bool LANE_NAME(is_partner)(const LANE_NAME(walker) * walker, LANE_WORD a, int j,
                                                      int at_j) {
#if LANE_MARKED
    const LANE_WORD other = LANE_NAME(get)(walker->column, at_j, j);
    return other == a || (LANE_REVERSED && other == LANE_NAME(reverse)(walker, a));
#else
    return (void)walker, (void)a, (void)j, (void)at_j, true;
#endif
}

// Makes one flip if the factor that was drawn has a partner; else the factor leaves the set.
__device__ __forceinline__ void LANE_NAME(step)(LANE_NAME(walker) * walker) {
    enum { ENTRIES = 32 * LANE_SETS }; // of a position
    unsigned found[LANE_POSITIONS][LANE_SETS];
    const unsigned draw = flip_gpu_draw(&walker->random);
    const unsigned count = LANE_NAME(count)(walker->set[0], 3 * LANE_SETS);
    if (count == 0)
        return;
    // What the first choice leaves of the draw makes the second one.
    const unsigned long long product = (unsigned long long)draw * count;
    const int entry = LANE_NAME(select)(walker->set[0], 3 * LANE_SETS, (unsigned)(product >> 32));
    const int first = entry / ENTRIES, i = entry % ENTRIES;
    const LANE_WORD a = LANE_NAME(get)(walker->column, first, i);
    if (LANE_NAME(partners)(walker, first, i, a, found) == 0) {
        LANE_UNROLL
        for (int p = 0; p < 3; p++) {
            LANE_UNROLL
            for (int s = 0; s < LANE_SETS; s++)
                walker->set[p][s] &= ~(p == first ? LANE_NAME(bit)(i, s) : 0);
        }
        return;
    }
    const unsigned partners = LANE_NAME(count)(found[0], LANE_POSITIONS * LANE_SETS);
    const unsigned long long rest = (unsigned long long)(unsigned)product * partners;
    const int other = LANE_NAME(select)(found[0], LANE_POSITIONS * LANE_SETS, (unsigned)(rest >> 32));
    const int j = other % ENTRIES, at_j = LANE_CYCLIC ? other / ENTRIES : first;
    if (!LANE_NAME(is_partner)(walker, a, j, at_j))
        return;
    walker->flips++;
    LANE_NAME(flip)(walker, a, i, first, j, at_j, LANE_NAME(is_turned)(walker, a, j, at_j, (unsigned)rest));
}
