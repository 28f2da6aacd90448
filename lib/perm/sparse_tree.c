#include "perm/sparse_tree.h"

#include <math.h>
#include <string.h>

static int count_bits(uint64_t bits) {
    return __builtin_popcountll(bits);
}

static double table_entries(uint64_t columns) {
    return (double)(UINT64_C(1) << count_bits(columns));
}

double perm_sparse_node_operations(const perm_sparse_tree *tree, int at) {
    const perm_sparse_node *node = &tree->node[at];
    const double entries = table_entries(node->columns);
    if (node->row >= 0)
        return entries - 1;
    if (node->summed < 0)
        return node->has_size ? 2 * entries : entries;
    if (node->right < 0)
        return 2 * entries;
    /* Without sizes below, |l0 r0| is there already. */
    const bool sized = tree->node[node->left].has_size || tree->node[node->right].has_size;
    return sized ? 4 * entries : 3 * entries;
}

/* Values and sizes that a table holds. */
static double node_places(const perm_sparse_node *node) {
    if (node->row >= 0 && node->columns == 0)
        return 0; /* it is x itself */
    return table_entries(node->columns) * (node->has_size ? 2 : 1);
}

static int add_node(perm_sparse_tree *tree, perm_sparse_node node) {
    tree->node[tree->count] = node;
    return tree->count++;
}

/* The pair whose product grows least. Sizes double the work of a product: such tables come last. */
static void find_pair(const perm_sparse_tree *tree, const int *table, int count, int *left, int *right) {
    double best = INFINITY;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            const perm_sparse_node *l = &tree->node[table[a]], *r = &tree->node[table[b]];
            double growth = table_entries(l->columns | r->columns) - table_entries(l->columns) -
                            table_entries(r->columns);
            if (l->has_size || r->has_size)
                growth += 0x1p60;
            if (growth < best) {
                best = growth;
                *left = a;
                *right = b;
            }
        }
}

/* Multiplies the tables until `rest` are left. */
static int multiply_tables(perm_sparse_tree *tree, int *table, int count, int rest) {
    while (count > rest) {
        int left = 0, right = 1;
        find_pair(tree, table, count, &left, &right);
        const perm_sparse_node *l = &tree->node[table[left]], *r = &tree->node[table[right]];
        table[left] = add_node(tree, (perm_sparse_node){l->columns | r->columns, (int16_t)table[left],
                                                        (int16_t)table[right], -1, -1,
                                                        l->has_size || r->has_size, false});
        table[right] = table[--count];
    }
    return count;
}

static int sum_out(perm_sparse_tree *tree, int *table, int count, int column) {
    multiply_tables(tree, table, count, 2);
    const int right = count > 1 ? table[1] : -1;
    uint64_t columns = tree->node[table[0]].columns;
    if (right >= 0)
        columns |= tree->node[right].columns;
    return add_node(tree, (perm_sparse_node){columns & ~(UINT64_C(1) << column), (int16_t)table[0],
                                             (int16_t)right, -1, (int16_t)column, true, false});
}

/* The larger input first: what it leaves waits for the other one (Sethi and Ullman, Journal of the ACM 17,
 * 1970). The table of a row is made just before it is used. Gives the places needed to make `node`. */
static double order_inputs(const perm_sparse_tree *tree, perm_sparse_node *node, const double *need) {
    const double own = node_places(node), left = node_places(&tree->node[node->left]);
    if (node->right < 0)
        return fmax(need[node->left], left + own);
    const double right = node_places(&tree->node[node->right]);
    const double left_first = fmax(need[node->left], left + need[node->right]),
                 right_first = fmax(need[node->right], right + need[node->left]);
    node->right_first = right_first < left_first;
    return fmax(fmin(left_first, right_first), left + right + own);
}

/* Inputs before what is made of them, from the root backwards. */
static void order_steps(perm_sparse_tree *tree) {
    int16_t open[PERM_SPARSE_MOST_NODES];
    int open_count = 0, at = tree->count - tree->row_count;
    tree->step_count = at;
    open[open_count++] = (int16_t)tree->root;
    while (open_count > 0) {
        const int16_t number = open[--open_count];
        const perm_sparse_node *node = &tree->node[number];
        if (node->row >= 0)
            continue;
        tree->step[--at] = number;
        open[open_count++] = node->right_first ? node->right : node->left;
        if (node->right >= 0)
            open[open_count++] = node->right_first ? node->left : node->right;
    }
}

static void price_tree(perm_sparse_tree *tree) {
    double need[PERM_SPARSE_MOST_NODES];
    tree->operations = 0;
    for (int at = 0; at < tree->count; at++) {
        perm_sparse_node *node = &tree->node[at];
        tree->operations += perm_sparse_node_operations(tree, at);
        need[at] = node->row >= 0 ? node_places(node) : order_inputs(tree, node, need);
    }
    tree->entries = need[tree->root];
}

static void count_updates(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                          perm_sparse_tree *tree) {
    double share = 0.5;
    tree->updates = 0;
    for (int j = order->low; j < pattern->n - 1; j++, share /= 2)
        tree->updates += share * count_bits(pattern->column[order->column[j]]);
}

bool perm_sparse_tree_make(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                           perm_sparse_tree *tree) {
    int open[PERM_SPARSE_MOST_NODES], open_count = 0;
    uint64_t low = 0;
    for (int j = 0; j < order->low; j++)
        low |= UINT64_C(1) << order->column[j];
    tree->count = 0;
    for (int i = 0; i < pattern->n; i++)
        open[open_count++] =
            add_node(tree, (perm_sparse_node){pattern->row[i] & low, -1, -1, (int16_t)i, -1, false, false});
    tree->row_count = tree->count;
    for (int j = 0; j < order->low; j++) {
        int bucket[PERM_SPARSE_MOST_NODES], bucket_count = 0, rest = 0;
        for (int k = 0; k < open_count; k++) {
            if (tree->node[open[k]].columns >> order->column[j] & 1)
                bucket[bucket_count++] = open[k];
            else
                open[rest++] = open[k];
        }
        if (bucket_count == 0)
            return false;
        open_count = rest;
        open[open_count++] = sum_out(tree, bucket, bucket_count, order->column[j]);
    }
    multiply_tables(tree, open, open_count, 1);
    tree->root = open[0];
    price_tree(tree);
    order_steps(tree);
    count_updates(pattern, order, tree);
    return true;
}
