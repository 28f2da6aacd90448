/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse permanents without tables, included after body.h. All subsets of the low and middle columns
 * in Gray code order, seen as a walk through a binary tree: a node on level m has the signs of the columns
 * from m on, and its two subtrees differ in the sign of column m-1, which is flipped between them. A row is
 * multiplied in at the level of its lowest column, once for the whole subtree (the products of "the rows
 * first touched by column m or later", of which only those below the flipped column change; Elbek and Kaya,
 * "Fully-automated code generation for efficient computation of sparse matrix permanents on GPUs", keep one
 * such product). Where a product is 0 in all lanes, the subtree is skipped: with entries 0 and ±1 few row
 * sums are odd, and most subsets have none that is left (Kaya, "Parallel algorithms for computing sparse
 * matrix permanents", 2019). Subtrees add up in pairs to the block, whose sum rounds as often as that of the
 * tables. */

/* Which columns and rows belong to which level. */
typedef struct walk {
    int columns; /* low and middle ones */
    int column[PERM_SPARSE_LARGEST];
    int row_start[PERM_SPARSE_LARGEST + 2]; /* of levels 0 … columns */
    int row[PERM_SPARSE_LARGEST];
    double operations; /* of a subset, on average */
} walk;

/* Rows of the column that no column of the walk had before. */
static int count_new_rows(const perm_sparse_problem *problem, int column, uint64_t touched) {
    int count = 0;
    for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
        count += !(touched >> problem->row[e] & 1);
    return count;
}

/* The low columns that touch few new rows come first: they change most often. */
static int pick_column(const perm_sparse_problem *problem, int level, uint64_t used, uint64_t touched) {
    int best = level, least = PERM_SPARSE_LARGEST + 1;
    for (int column = 0; level < problem->low && column < problem->low; column++) {
        const int count = count_new_rows(problem, column, touched);
        if (!(used >> column & 1) && count < least) {
            least = count;
            best = column;
        }
    }
    return best;
}

static void plan_walk(const perm_sparse_problem *problem, walk *plan) {
    uint64_t used = 0, touched = 0;
    double share = 1;
    int rows = 0;
    plan->columns = (int)(problem->low + problem->middle);
    plan->operations = 3;
    for (int level = 0; level <= plan->columns; level++, share /= 2) {
        plan->row_start[level] = rows;
        if (level == plan->columns) {
            for (int i = 0; i < problem->n; i++)
                if (!(touched >> i & 1))
                    plan->row[rows++] = i;
            break;
        }
        const int column = pick_column(problem, level, used, touched);
        plan->column[level] = column;
        used |= UINT64_C(1) << column;
        for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
            if (!(touched >> problem->row[e] & 1)) {
                touched |= UINT64_C(1) << problem->row[e];
                plan->row[rows++] = problem->row[e];
            }
        plan->operations +=
            share * (rows - plan->row_start[level]) +
            share / 2 * (double)(problem->column_start[column + 1] - problem->column_start[column]);
    }
    plan->row_start[plan->columns + 1] = rows;
}

/* Seconds for a block of 8 lanes, where an operation on all of them takes so long, and the way through the
 * tree as long as 12 for each leaf. What is skipped is not known beforehand. */
static inline double price_walk(const perm_sparse_problem *problem, double seconds) {
    walk plan;
    if (problem->column_start == NULL)
        return seconds; /* asked whether it runs at all */
    plan_walk(problem, &plan);
    return seconds * (plan.operations + 12) * (double)(INT64_C(1) << problem->low) *
           (problem->is_complex ? 3 : 1);
}

/* [level][group]: the product so far, and the sum of the first of two subtrees. */
typedef struct walk_state {
    vector product[PERM_SPARSE_LARGEST + 1][2][GROUPS], sum[PERM_SPARSE_LARGEST][2][GROUPS],
        size[PERM_SPARSE_LARGEST][GROUPS];
    bool is_second[PERM_SPARSE_LARGEST + 1]; /* of the two subtrees of its parent */
} walk_state;

/* Lower subtrees take less time than to look whether they are needed. */
enum { LEAST_SKIPPED = 2 };

SPARSE_INLINE bool is_zero(const vector *value, int count) {
    vector_bits any = {0};
    for (int at = 0; at < count; at++)
        any |= value[at] != 0;
    int64_t all = 0;
    for (int lane = 0; lane < SPARSE_WIDTH; lane++)
        all |= any[lane];
    return all == 0;
}

SPARSE_INLINE bool enter_level(const walk *plan, int level, const vector *x, walk_state *state,
                               const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        number product;
        product.re = level < plan->columns ? state->product[level + 1][0][group] : (vector){0} + 1;
        product.im = level < plan->columns && PARTS == 2 ? state->product[level + 1][1][group] : (vector){0};
        for (int at = plan->row_start[level]; at < plan->row_start[level + 1]; at++) {
            const vector *row = x + plan->row[at] * PARTS * GROUPS + group;
            number factor;
            factor.re = row[0];
            factor.im = PARTS == 2 ? row[GROUPS] : row[0];
            product = multiply(product, factor, PARTS);
        }
        state->product[level][0][group] = product.re;
        if (PARTS == 2)
            state->product[level][1][group] = product.im;
    }
    return level < LEAST_SKIPPED || !is_zero(state->product[level][0], PARTS * GROUPS);
}

SPARSE_INLINE void flip_column(const perm_sparse_problem *problem, int column, double sign, vector *x,
                               const int PARTS) {
    for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
        for (int part = 0; part < PARTS; part++)
            for (int group = 0; group < GROUPS; group++)
                x[(problem->row[e] * PARTS + part) * GROUPS + group] +=
                    sign * problem->twice[e * PARTS + part];
}

/* The sums of a subtree, with the signs of its columns. */
typedef struct subtree {
    vector value[2][GROUPS], size[GROUPS];
} subtree;

SPARSE_INLINE void add_first(const walk_state *state, int level, subtree *tree, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        for (int part = 0; part < PARTS; part++)
            tree->value[part][group] += state->sum[level][part][group];
        tree->size[group] += state->size[level][group];
    }
}

SPARSE_INLINE void keep_first(const subtree *tree, int level, walk_state *state, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        for (int part = 0; part < PARTS; part++)
            state->sum[level][part][group] = tree->value[part][group];
        state->size[level][group] = tree->size[group];
    }
}

SPARSE_INLINE void take_leaf(const walk_state *state, double sign, subtree *tree, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        const vector re = state->product[0][0][group], im = PARTS == 2 ? state->product[0][1][group] : re;
        tree->size[group] = measure((number){re, im}, PARTS);
        tree->value[0][group] = sign * re;
        if (PARTS == 2)
            tree->value[1][group] = sign * im;
    }
}

typedef struct totals {
    vector high[2 * GROUPS], low[2 * GROUPS], magnitude[GROUPS];
} totals;

SPARSE_INLINE void add_block(const subtree *tree, totals *sums, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        for (int part = 0; part < PARTS; part++)
            two_sum(&sums->high[part * GROUPS + group], &sums->low[part * GROUPS + group],
                    tree->value[part][group]);
        sums->magnitude[group] += tree->size[group];
    }
}

SPARSE_INLINE void walk_tree(const perm_sparse_problem *problem, const walk *plan, vector *x, totals *sums,
                             const int PARTS) {
    walk_state state;
    subtree tree;
    uint64_t up = 0; /* columns with the sign 1 */
    double sign = 1;
    int level = plan->columns;
    for (;;) {
        bool vanishes = !enter_level(plan, level, x, &state, PARTS);
        if (!vanishes && level > 0) {
            state.is_second[--level] = false;
            continue;
        }
        if (vanishes)
            memset(&tree, 0, sizeof tree);
        else
            take_leaf(&state, sign, &tree, PARTS);
        /* Up from second subtrees, whose parents are complete with them. */
        for (; level < plan->columns && state.is_second[level]; level++) {
            if (level < problem->low)
                add_first(&state, level, &tree, PARTS);
            else if (level == problem->low)
                add_block(&tree, sums, PARTS);
        }
        if (level == plan->columns)
            break;
        if (level < problem->low)
            keep_first(&tree, level, &state, PARTS);
        else if (level == problem->low)
            add_block(&tree, sums, PARTS);
        up ^= UINT64_C(1) << level;
        sign = -sign;
        flip_column(problem, plan->column[level], up >> level & 1 ? 1 : -1, x, PARTS);
        state.is_second[level] = true;
    }
    if (problem->low == plan->columns)
        add_block(&tree, sums, PARTS);
}

SPARSE_INLINE void walk_parts(const perm_sparse_problem *problem, vector *x, perm_sparse_sums *sums,
                              const int PARTS) {
    walk plan;
    totals total;
    memset(&total, 0, sizeof total);
    plan_walk(problem, &plan);
    walk_tree(problem, &plan, x, &total, PARTS);
    memcpy(sums->high, total.high, sizeof total.high);
    memcpy(sums->low, total.low, sizeof total.low);
    memcpy(sums->magnitude, total.magnitude, sizeof total.magnitude);
}

static SPARSE_TARGET void run_gray(const perm_sparse_problem *problem, int64_t first, double *work,
                                   perm_sparse_sums *sums) {
    start_lanes(problem, first, work);
    if (problem->is_complex)
        walk_parts(problem, (vector *)work, sums, 2);
    else
        walk_parts(problem, (vector *)work, sums, 1);
}
