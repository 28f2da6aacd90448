/* SPDX-License-Identifier: BSD-3-Clause */
// Moves that are rarer than flips, one walker a warp; part of warp_gpu_body.h.

// Takes up a stored scheme whose factors are `stride` words apart; its terms close up.
__device__ __forceinline__ void WARP_NAME(load)(WARP_NAME(walker) * walker, int rows,
                                                const unsigned long long *scheme, int stride) {
    const int lane = walker->lane;
    int count = 0;
    __syncwarp();
    for (int at = lane; at < 3 * WARP_ROWS; at += 32)
        walker->factor[at] = 0;
    __syncwarp();
    for (int s = 0; s < rows / 32; s++) {
        const unsigned terms = __ballot_sync(~0u, scheme[(32LL * s + lane) * stride] != 0);
        const int row = count + __popc(terms & ((1u << lane) - 1));
        for (int p = 0; p < 3; p++)
            if ((terms >> lane & 1) != 0 && row < WARP_ROWS)
                walker->factor[p * WARP_ROWS + row] =
                    (WARP_FACTOR)scheme[((long long)p * rows + 32 * s + lane) * stride];
        count += __popc(terms);
    }
    walker->rank = count < WARP_ROWS ? count : WARP_ROWS;
    walker->is_indexed = false;
    __syncwarp();
}

// Splits a term in two (lib/flip/search/walk.h), if there are two terms that differ in every factor, and
// room.
__device__ __forceinline__ bool WARP_NAME(plus)(WARP_NAME(walker) * walker) {
    unsigned rows[WARP_SLOTS];
    int row = -1;
    WARP_NAME(scan)(walker, 0, 0, rows);
    WARP_UNROLL
    for (int s = WARP_SLOTS - 1; s >= 0; s--) {
        row = rows[s] != 0 ? 32 * s + __ffs((int)rows[s]) - 1 : row;
        rows[s] = ~rows[s];
    }
    if (row < 0 || walker->rank < 2)
        return false;
    WARP_NO_UNROLL
    for (int tries = 0; tries < 16; tries++) {
        const unsigned rank = (unsigned)walker->rank;
        const int i = WARP_NAME(select)(walker, rows, WARP_SLOTS, __umulhi(WARP_NAME(draw)(walker), rank)),
                  j = WARP_NAME(select)(walker, rows, WARP_SLOTS, __umulhi(WARP_NAME(draw)(walker), rank));
        const int first = (int)(WARP_NAME(draw)(walker) % 3), second = (first + 1) % 3,
                  third = (first + 2) % 3;
        const WARP_FACTOR a = WARP_NAME(get)(walker, first, i), other_a = WARP_NAME(get)(walker, first, j),
                          b = WARP_NAME(get)(walker, second, i), other_b = WARP_NAME(get)(walker, second, j),
                          c = WARP_NAME(get)(walker, third, i), other_c = WARP_NAME(get)(walker, third, j);
        if (a == other_a || b == other_b || c == other_c)
            continue;
        // abc + a'b'c' = a (b + b') c' + ab (c + c') + (a + a') b'c'.
        __syncwarp();
        WARP_NAME(put)(walker, first, row, a);
        WARP_NAME(put)(walker, second, row, b ^ other_b);
        WARP_NAME(put)(walker, third, row, other_c);
        WARP_NAME(put)(walker, third, i, c ^ other_c);
        WARP_NAME(put)(walker, first, j, a ^ other_a);
        walker->rank++;
        walker->is_indexed = false;
        __syncwarp();
        return true;
    }
    return false;
}

// Reduces at most five rows that share a factor: if the second factors of some of them add up to zero, the
// first of these rows goes (lib/flip/search/walk.h, generalised reductions). Each lane tries one of the 31
// subsets.
__device__ __forceinline__ bool WARP_NAME(reduce_group)(WARP_NAME(walker) * walker, int second, int third,
                                                        const int row[5], int count) {
    WARP_FACTOR sum = 0;
    int gone = -1;
    WARP_UNROLL
    for (int k = 0; k < 5; k++)
        if (k < count && (walker->lane >> k & 1) != 0)
            sum ^= WARP_NAME(get)(walker, second, row[k]);
    const unsigned dependent = __ballot_sync(~0u, sum == 0 && walker->lane != 0 && walker->lane < 1 << count);
    if (dependent == 0)
        return false;
    const int set = __ffs((int)dependent) - 1;
    // With b_g = Σ b_k over the others k of the subset, a ⊗ b_g ⊗ c_g = Σ a ⊗ b_k ⊗ c_g: c_g is added to c_k.
    WARP_FACTOR value = 0;
    WARP_UNROLL
    for (int k = 0; k < 5; k++) {
        if ((set >> k & 1) == 0)
            continue;
        const WARP_FACTOR mine = WARP_NAME(get)(walker, third, row[k]);
        __syncwarp();
        if (gone < 0) {
            gone = row[k];
            value = mine;
        } else {
            WARP_NAME(put)(walker, third, row[k], mine ^ value);
            __syncwarp();
            WARP_NAME(simplify)(walker, row[k]);
        }
    }
    WARP_NAME(remove)(walker, gone);
    return true;
}

// Makes one generalised reduction if it finds one. Of groups of more than five rows it tries the first five.
__device__ __forceinline__ bool WARP_NAME(reduce)(WARP_NAME(walker) * walker) {
    unsigned found[WARP_SLOTS], left[WARP_SLOTS];
    WARP_NAME(index)(walker);
    WARP_NO_UNROLL
    for (int p = 0; p < 3; p++) {
        WARP_UNROLL
        for (int s = 0; s < WARP_SLOTS; s++)
            left[s] = p == 0 ? walker->set[0][s] : p == 1 ? walker->set[1][s] : walker->set[2][s];
        WARP_NO_UNROLL
        for (;;) {
            int first = -1, row[5], count = 0;
            WARP_UNROLL
            for (int s = WARP_SLOTS - 1; s >= 0; s--)
                first = left[s] != 0 ? 32 * s + __ffs((int)left[s]) - 1 : first;
            if (first < 0)
                break;
            WARP_NAME(scan)(walker, p, WARP_NAME(get)(walker, p, first), found);
            WARP_UNROLL
            for (int s = 0; s < WARP_SLOTS; s++)
                left[s] &= ~found[s];
            if (WARP_NAME(count)(found, WARP_SLOTS) < 3)
                continue;
            WARP_UNROLL
            for (int k = 0; k < 5; k++) {
                row[k] = 0;
                WARP_UNROLL
                for (int s = 0; s < WARP_SLOTS; s++)
                    if (found[s] != 0 && count == k) {
                        row[k] = 32 * s + __ffs((int)found[s]) - 1;
                        found[s] &= found[s] - 1;
                        count++;
                    }
            }
            const int second = (p + 1) % 3, third = (p + 2) % 3;
            if (WARP_NAME(reduce_group)(walker, second, third, row, count) ||
                WARP_NAME(reduce_group)(walker, third, second, row, count))
                return true;
        }
    }
    return false;
}
