// A device kernel for SpMM (gpu.h) without tensor cores, included once for each variant. Before it are
// defined
//
//     ROWS_TYPE      half, bfloat, float or double; ROWS_VALUE: unsigned or double, ROWS_SUM: float or double
//     ROWS_COUNT     numbers in 16 bytes
//     ROWS_LANES     threads side by side, 16 bytes each: the columns of a tile
//     ROWS_TEAMS     that share the entries of a segment
//     ROWS_DEPTH     loads of B under way in a thread
//
// Cost: one read of 16 bytes of B and ROWS_COUNT multiply-adds for an entry and thread; the columns of the
// next entries are read while these are under way. Where several segments share a warp each thread reads
// other entries and tells its neighbours, for a read from eight places takes the cache as long as eight rows
// of B. The kernel is rows_TYPE_LANES_TEAMS_DEPTH.

#define ROWS_PASTE2(a, b) a##b
#define ROWS_PASTE(a, b) ROWS_PASTE2(a, b)
#define ROWS_JOIN2(type, lanes, teams, depth) rows_##type##_##lanes##_##teams##_##depth
#define ROWS_JOIN(type, lanes, teams, depth) ROWS_JOIN2(type, lanes, teams, depth)
#define ROWS_NAME ROWS_JOIN(ROWS_TYPE, ROWS_LANES, ROWS_TEAMS, ROWS_DEPTH)
#define ROWS_TELL (ROWS_LANES <= 8 && ROWS_TEAMS == 1)
#define ROWS_TOLD (ROWS_DEPTH < ROWS_LANES ? ROWS_DEPTH : ROWS_LANES) /* entries of a segment in a read */
#define ROWS_OWN (ROWS_TELL ? ROWS_DEPTH / ROWS_TOLD : ROWS_DEPTH)    /* reads for ROWS_DEPTH of them */

// Adds the sums of all teams: every team has the total.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _add_teams)(unsigned mask, ROWS_SUM *sum) {
    (void)mask;
    (void)sum;
    SPMM_UNROLL
    for (int team = 1; team < ROWS_TEAMS; team *= 2) {
        SPMM_UNROLL
        for (int k = 0; k < ROWS_COUNT; k++)
            sum[k] += __shfl_xor_sync(mask, sum[k], team * ROWS_LANES);
    }
}

// The entries of this thread among the next ROWS_DEPTH of its team, …
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _read)(const void *entries, long long entry,
                                                             int *column, ROWS_VALUE *value) {
    const int first = ROWS_TELL ? threadIdx.x % ROWS_TOLD : 0, next = ROWS_TELL ? ROWS_TOLD : ROWS_TEAMS;
    SPMM_UNROLL
    for (int k = 0; k < ROWS_OWN; k++)
        column[k] = ROWS_PASTE(spmm_read_, ROWS_TYPE)(entries, entry + first + k * next, &value[k]);
}

// … and all of these; of a whole warp.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _tell)(const int *own_column,
                                                             const ROWS_VALUE *own_value, int *column,
                                                             ROWS_VALUE *value) {
    SPMM_UNROLL
    for (int k = 0; k < ROWS_DEPTH; k++) {
        column[k] = own_column[ROWS_TELL ? k / ROWS_TOLD : k];
        value[k] = own_value[ROWS_TELL ? k / ROWS_TOLD : k];
#if ROWS_TELL
        column[k] = __shfl_sync(0xffffffffu, column[k], k % ROWS_TOLD, ROWS_LANES);
        value[k] = __shfl_sync(0xffffffffu, value[k], k % ROWS_TOLD, ROWS_LANES);
#endif
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS) ROWS_NAME(const __grid_constant__ spmm_gpu_rows rows) {
    enum { WORKER = ROWS_LANES * ROWS_TEAMS };
    spmm_follow_allow();
    const long long worker = ((long long)blockIdx.x * SPMM_GPU_THREADS + threadIdx.x) / WORKER;
    const int lane = threadIdx.x % ROWS_LANES, team = threadIdx.x / ROWS_LANES % ROWS_TEAMS;
    const unsigned mask = (WORKER == 32 ? 0xffffffffu : (1u << WORKER % 32) - 1)
                          << threadIdx.x % 32 / WORKER * WORKER;
    const int idle = worker >= rows.segment_count * rows.operands.tiles;
    if (idle && !ROWS_TELL)
        return;
    const long long at = idle                        ? 0
                         : rows.operands.tiles_first ? worker % rows.segment_count
                                                     : worker / rows.operands.tiles;
    const int tile =
        (int)(rows.operands.tiles_first ? worker / rows.segment_count : worker % rows.operands.tiles);
    const spmm_gpu_segment segment = rows.segments[at];
    const int wanted = tile * ROWS_LANES + lane,
              vector = wanted < rows.operands.vectors ? wanted : rows.operands.vectors - 1;
    const int stores = wanted < rows.operands.vectors && team == 0;
    const char *b = (const char *)rows.operands.b + (long long)vector * 16;
    ROWS_SUM sum[ROWS_COUNT];
    int own_column[ROWS_OWN], column[ROWS_DEPTH];
    ROWS_VALUE own_value[ROWS_OWN], value[ROWS_DEPTH];
    long long entry = segment.first + team;
    int left = idle ? 0 : segment.count - team; /* of this team: (left + ROWS_TEAMS - 1) / ROWS_TEAMS */
    SPMM_UNROLL
    for (int k = 0; k < ROWS_COUNT; k++)
        sum[k] = 0;
    ROWS_PASTE(ROWS_NAME, _read)(rows.entry, entry, own_column, own_value);
    SPMM_NO_UNROLL
    for (;;) {
        const int whole = left > (ROWS_DEPTH - 1) * ROWS_TEAMS;
        if (ROWS_TELL ? !__any_sync(0xffffffffu, whole) : !whole)
            break;
        ROWS_PASTE(ROWS_NAME, _tell)(own_column, own_value, column, value);
        if (whole) {
            spmm_words words[ROWS_DEPTH];
            left -= ROWS_DEPTH * ROWS_TEAMS;
            entry += ROWS_DEPTH * ROWS_TEAMS;
            SPMM_UNROLL
            for (int k = 0; k < ROWS_DEPTH; k++)
                words[k] = spmm_load(b + (long long)column[k] * rows.operands.b_stride);
            ROWS_PASTE(ROWS_NAME, _read)(rows.entry, entry, own_column, own_value);
            SPMM_UNROLL
            for (int k = 0; k < ROWS_DEPTH; k++)
                ROWS_PASTE(spmm_add_, ROWS_TYPE)
            (sum, ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]), words[k]);
        }
    }
    ROWS_PASTE(ROWS_NAME, _tell)(own_column, own_value, column, value);
    if (idle)
        return;
    if (left > 0) { /* fewer than ROWS_DEPTH are left */
        spmm_words words[ROWS_DEPTH - 1];
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++) {
            words[k].word[0] = words[k].word[1] = words[k].word[2] = words[k].word[3] = 0;
            if (k * ROWS_TEAMS < left)
                words[k] = spmm_load(b + (long long)column[k] * rows.operands.b_stride);
        }
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++)
            if (k * ROWS_TEAMS < left)
                ROWS_PASTE(spmm_add_, ROWS_TYPE)
        (sum, ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]), words[k]);
    }
    ROWS_PASTE(ROWS_NAME, _add_teams)(mask, sum);
    if (!stores)
        return;
    if (segment.row < 0) {
        ROWS_PASTE(spmm_leave_, ROWS_TYPE)(&rows.operands, -1 - segment.row, vector, sum);
        return;
    }
    char *c = (char *)rows.operands.c + (long long)segment.row * rows.operands.c_stride;
    ROWS_PASTE(spmm_store_, ROWS_TYPE)
    (c, vector, sum, rows.operands.alpha, rows.operands.beta, rows.operands.wide);
}

#undef ROWS_PASTE
#undef ROWS_PASTE2
#undef ROWS_JOIN
#undef ROWS_JOIN2
#undef ROWS_NAME
#undef ROWS_TELL
#undef ROWS_TOLD
#undef ROWS_OWN
#undef ROWS_DEPTH
