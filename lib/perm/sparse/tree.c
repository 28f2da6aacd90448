/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/tree.h"

#include <math.h>
#include <string.h>

/* The number of ones, by sums of pairs, of fours and of bytes; the multiplication adds the bytes. Compilers
 * call a function for the builtin where they may not use the instruction. */
static int count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static double table_entries(uint64_t columns) {
    return (double)(UINT64_C(1) << count_bits(columns));
}

bool perm_sparse_node_changes(const perm_sparse_node *node, unsigned slice) {
    return slice == 0 || (node->slices >> __builtin_ctz(slice) & 1);
}

/* The operations of one node once, without the rows that it makes. */
static double count_operations(const perm_sparse_tree *tree, int at) {
    const perm_sparse_node *node = &tree->node[at];
    const double entries = table_entries(node->columns);
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
    if (node->row >= 0 && node->columns == 0 && node->slices == 0)
        return 0; /* it is x itself */
    return table_entries(node->columns) * (node->has_size ? 2 : 1);
}

static int add_node(perm_sparse_tree *tree, perm_sparse_node node) {
    tree->node[tree->count] = node;
    return tree->count++;
}

/* Entries, for all slices that make the table anew. Slices follow each other in the order of a Gray code, in
 * which bit b of `sliced` changes 2^(sliced - 1 - b) times. */
static double table_work(uint64_t columns, unsigned slices, int sliced) {
    unsigned times = 1;
    for (int bit = 0; bit < sliced; bit++)
        times += (slices >> bit & 1) << (sliced - 1 - bit);
    return table_entries(columns) * times;
}

/* Tables that are to be multiplied, each with the later one whose product grows least beside them. */
typedef struct product_list {
    const perm_sparse_tree *tree;
    int *table, count;
    int partner[64]; /* -1: there is no later one */
    double work[64], growth[64];
} product_list;

/* Sizes double the work of a product: such tables come last. */
static double growth_of(const product_list *list, int a, int b) {
    const perm_sparse_node *l = &list->tree->node[list->table[a]], *r = &list->tree->node[list->table[b]];
    /* 2^60 is more than any table's work. */
    return table_work(l->columns | r->columns, l->slices | r->slices, list->tree->sliced) - list->work[a] -
           list->work[b] + (l->has_size || r->has_size ? 0x1p60 : 0);
}

static void find_partner(product_list *list, int a) {
    list->growth[a] = INFINITY;
    list->partner[a] = -1;
    for (int b = a + 1; b < list->count; b++) {
        const double growth = growth_of(list, a, b);
        if (growth < list->growth[a]) {
            list->growth[a] = growth;
            list->partner[a] = b;
        }
    }
}

static void set_table(product_list *list, int a, int table) {
    const perm_sparse_node *node = &list->tree->node[table];
    list->table[a] = table;
    list->work[a] = table_work(node->columns, node->slices, list->tree->sliced);
}

/* The table `right` is gone, the last one is in its place, and `left` is another one. */
static void find_partners_again(product_list *list, int left, int right) {
    for (int a = 0; a < list->count; a++) {
        const int partner = list->partner[a];
        if (a == left || a == right || partner == left || partner == right || partner == list->count) {
            find_partner(list, a);
            continue;
        }
        for (int side = 0; side < 2; side++) {
            const int b = side == 0 ? left : right;
            if (a >= b || b >= list->count)
                continue;
            const double growth = growth_of(list, a, b);
            if (growth < list->growth[a] || (growth == list->growth[a] && b < list->partner[a])) {
                list->growth[a] = growth;
                list->partner[a] = b;
            }
        }
    }
}

/* Multiplies the tables, always the pair whose product grows least, until `rest` are left. */
static int multiply_tables(perm_sparse_tree *tree, int *table, int count, int rest) {
    product_list list = {.tree = tree, .table = table, .count = count};
    if (count <= rest)
        return count;
    for (int a = 0; a < count; a++)
        set_table(&list, a, table[a]);
    for (int a = 0; a < count; a++)
        find_partner(&list, a);
    while (list.count > rest) {
        int left = 0;
        for (int a = 1; a < list.count; a++)
            if (list.growth[a] < list.growth[left])
                left = a;
        const int right = list.partner[left];
        const perm_sparse_node *l = &tree->node[table[left]], *r = &tree->node[table[right]];
        const int product = add_node(tree, (perm_sparse_node){.columns = l->columns | r->columns,
                                                              .slices = l->slices | r->slices,
                                                              .left = (int16_t)table[left],
                                                              .right = (int16_t)table[right],
                                                              .row = -1,
                                                              .summed = -1,
                                                              .has_size = l->has_size || r->has_size});
        list.count--;
        set_table(&list, right, table[list.count]);
        set_table(&list, left, product);
        find_partners_again(&list, left, right);
    }
    return list.count;
}

/* Multiplies the tables that depend on the column and adds the product up over its two signs: f(x = 0) and
 * f(x = 1) become one entry, so the result does not depend on the column. The last product is part of the
 * sum, so that its table, of twice the size, is never stored. */
static int sum_out(perm_sparse_tree *tree, int *table, int count, int column) {
    multiply_tables(tree, table, count, 2);
    const perm_sparse_node *left = &tree->node[table[0]], *right = count > 1 ? &tree->node[table[1]] : left;
    return add_node(tree,
                    (perm_sparse_node){.columns = (left->columns | right->columns) & ~(UINT64_C(1) << column),
                                       .slices = left->slices | right->slices,
                                       .left = (int16_t)table[0],
                                       .right = (int16_t)(count > 1 ? table[1] : -1),
                                       .row = -1,
                                       .summed = (int16_t)column,
                                       .has_size = true});
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

/* Puts inputs before what is made of them: steps are numbered from the root backwards. */
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

/* Tables that wait in later slices for the one that they are multiplied with to be made anew. */
static double count_kept(const perm_sparse_tree *tree) {
    double kept = 0;
    for (int at = tree->row_count; at < tree->count; at++)
        for (int side = 0; side < 2; side++) {
            const int input = side == 0 ? tree->node[at].left : tree->node[at].right;
            if (input >= tree->row_count && tree->node[input].slices != tree->node[at].slices)
                kept += node_places(&tree->node[input]);
        }
    return kept;
}

/* A node and the rows that it uses, in the slice with these signs. */
static void price_node(perm_sparse_tree *tree, int at, unsigned signs) {
    const perm_sparse_node *node = &tree->node[at];
    tree->operations += count_operations(tree, at);
    tree->instructions++;
    for (int side = 0; side < 2; side++) {
        const int input = side == 0 ? node->left : node->right;
        if (input < 0 || input >= tree->row_count)
            continue;
        const perm_sparse_node *row = &tree->node[input];
        tree->operations += table_entries(row->columns) - 1 + ((row->slices & signs) != 0);
        tree->instructions += row->columns != 0 || row->slices != 0;
    }
}

static void price_tree(perm_sparse_tree *tree) {
    const unsigned slices = 1U << tree->sliced;
    double need[PERM_SPARSE_MOST_NODES] = {0};
    for (int at = 0; at < tree->count; at++) {
        perm_sparse_node *node = &tree->node[at];
        need[at] = node->row >= 0 ? node_places(node) : order_inputs(tree, node, need);
    }
    tree->entries = need[tree->root] + count_kept(tree) + (tree->sliced > 0 ? 2 * slices : 0);
    /* In the end the slices are added up. */
    tree->operations = 2 * (slices - 1);
    tree->instructions = tree->sliced;
    for (unsigned slice = 0; slice < slices; slice++)
        for (int at = tree->row_count; at < tree->count; at++)
            if (perm_sparse_node_changes(&tree->node[at], slice))
                price_node(tree, at, slice ^ slice >> 1);
}

static void count_updates(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                          perm_sparse_tree *tree) {
    /* By the Gray code's order the first of the outer columns changes in half of all steps, the next one in a
     * quarter; a change updates the sum of each row with an entry there. */
    double share = 0.5;
    tree->updates = 0;
    for (int j = order->low; j < pattern->n - 1; j++, share /= 2)
        tree->updates += share * count_bits(pattern->column[order->column[j]]);
}

static void add_rows(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                     perm_sparse_tree *tree) {
    const int tabled = order->low - order->sliced;
    uint64_t low = 0;
    for (int j = 0; j < tabled; j++)
        low |= UINT64_C(1) << order->column[j];
    for (int i = 0; i < pattern->n; i++) {
        unsigned slices = 0;
        for (int bit = 0; bit < order->sliced; bit++)
            slices |= (unsigned)(pattern->row[i] >> order->column[tabled + bit] & 1) << bit;
        add_node(tree, (perm_sparse_node){.columns = pattern->row[i] & low,
                                          .slices = (uint8_t)slices,
                                          .left = -1,
                                          .right = -1,
                                          .row = (int16_t)i,
                                          .summed = -1});
    }
    tree->row_count = tree->count;
}

bool perm_sparse_tree_make(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                           perm_sparse_tree *tree) {
    int open[PERM_SPARSE_MOST_NODES], open_count = pattern->n;
    tree->count = 0;
    tree->sliced = order->sliced;
    add_rows(pattern, order, tree);
    for (int k = 0; k < open_count; k++)
        open[k] = k;
    /* Bucket elimination (Dechter, Artificial Intelligence 113, 1999): the tables with a column are its
     * bucket, and one table without it takes their place. */
    for (int j = 0; j < order->low - order->sliced; j++) {
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
