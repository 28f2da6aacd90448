/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/fold_tree.h"
#include "base/core/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct perm_fold_node {
    mm_piece_kind kind;
    int64_t number;                       /* this split's own place in its parent */
    int64_t count, seen;                  /* pieces in all (0: not known yet) and complete ones */
    int64_t last;                         /* the largest number among them */
    uint64_t *here;                       /* a bit for each complete piece */
    int64_t capacity;                     /* words */
    perm_fold_part part;                  /* of the complete pieces */
    perm_fold_node *parent, *open, *next; /* open: splits of pieces that are not complete */
};

static bool is_here(const perm_fold_node *node, int64_t number) {
    int64_t word = (number - 1) / 64;
    return word < node->capacity && (node->here[word] >> ((number - 1) % 64) & 1) != 0;
}

static perm_fold_node *find_open(const perm_fold_node *node, int64_t number) {
    perm_fold_node *child = node->open;
    while (child != NULL && child->number != number)
        child = child->next;
    return child;
}

/* Frees what is below first; a split's depth is at most MM_PIECE_DEPTH. */
void perm_fold_tree_free(perm_fold_node *root) {
    while (root != NULL) {
        if (root->open != NULL) {
            root = root->open;
            continue;
        }
        perm_fold_node *above = root->next != NULL ? root->next : root->parent;
        if (root->parent != NULL)
            root->parent->open = root->next;
        perm_value_free(&root->part.value);
        free(root->here);
        free(root);
        root = above;
    }
}

base_status perm_fold_tree_check(base_context *context, const perm_fold_node *root, const mm_piece *piece,
                                 const char *name) {
    const perm_fold_node *node = root;
    for (int k = 0; k < piece->depth && node != NULL; k++) {
        mm_piece_step step = piece->step[k];
        const char *word = mm_piece_word(step.kind);
        if (node->kind != step.kind || (node->count && step.count && node->count != step.count) ||
            (node->count && step.number > node->count) || (step.count && node->last > step.count))
            return base_fail(context, BASE_FAILED, "%s %lld of %s does not fit the pieces that came before",
                             word, (long long)step.number, name);
        const perm_fold_node *below = find_open(node, step.number);
        if (is_here(node, step.number) || (below != NULL && k + 1 == piece->depth))
            return base_fail(context, BASE_FAILED, "%s %lld of %s came before", word, (long long)step.number,
                             name);
        node = below;
    }
    return BASE_OK;
}

static perm_fold_node *open_split(base_context *context, perm_fold_node *parent, mm_piece_kind kind,
                                  int64_t number) {
    perm_fold_node *node = base_alloc_zero(context, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->number = number;
    perm_value_init(&node->part.value);
    perm_value_set_integer(&node->part.value, kind == MM_BLOCK);
    node->parent = parent;
    if (parent != NULL) {
        node->next = parent->open;
        parent->open = node;
    }
    return node;
}

static base_status mark(base_context *context, perm_fold_node *node, int64_t number) {
    int64_t old = node->capacity, word = (number - 1) / 64;
    if (base_reserve(context, &node->here, &node->capacity, word + 1, sizeof *node->here) != BASE_OK)
        return BASE_MACHINE;
    for (; old < node->capacity; old++)
        node->here[old] = 0;
    node->here[word] |= (uint64_t)1 << ((number - 1) % 64);
    node->seen++;
    return BASE_OK;
}

static void combine(perm_fold_node *node, const perm_fold_part *part) {
    perm_fold_part *all = &node->part;
    all->field = part->field > all->field ? part->field : all->field;
    if (node->kind == MM_BLOCK) {
        perm_value_multiply(&all->value, &part->value);
        all->n += part->n;
        all->nnz += part->nnz;
        return;
    }
    perm_value_add(&all->value, &part->value);
    if (part->n > all->n || (part->n == all->n && part->nnz > all->nnz)) {
        all->n = part->n;
        all->nnz = part->nnz;
    }
}

/* Takes a complete split out of the tree; its part goes to *part. */
static void close_split(perm_fold_node *node, perm_fold_part *part) {
    perm_fold_node **link = node->parent != NULL ? &node->parent->open : NULL;
    while (link != NULL && *link != node)
        link = &(*link)->next;
    if (link != NULL)
        *link = node->next;
    perm_value_move(&part->value, &node->part.value);
    part->n = node->part.n;
    part->nnz = node->part.nnz;
    part->field = node->part.field;
    node->parent = node->next = NULL;
    perm_fold_tree_free(node);
}

base_status perm_fold_tree_add(base_context *context, perm_fold_node **root, const mm_piece *piece,
                               perm_fold_part *part, bool *complete) {
    perm_fold_node *node = *root;
    *complete = false;
    for (int k = 0; k < piece->depth; k++) {
        mm_piece_step step = piece->step[k];
        perm_fold_node *above = node;
        if (k > 0)
            node = find_open(above, piece->step[k - 1].number);
        if (node == NULL)
            node = open_split(context, above, step.kind, k > 0 ? piece->step[k - 1].number : 0);
        if (node == NULL)
            return BASE_MACHINE;
        if (k == 0)
            *root = node;
        node->count = step.count ? step.count : node->count;
        node->last = step.number > node->last ? step.number : node->last;
    }
    for (int k = piece->depth - 1; k >= 0; k--) {
        perm_fold_node *parent = node->parent;
        if (mark(context, node, piece->step[k].number) != BASE_OK)
            return BASE_MACHINE;
        combine(node, part);
        if (node->seen != node->count)
            return BASE_OK;
        close_split(node, part);
        node = parent;
    }
    *root = NULL;
    *complete = true;
    return BASE_OK;
}

void perm_fold_tree_missing(const perm_fold_node *root, char *text, size_t size) {
    while (root->open != NULL)
        root = root->open;
    const char *word = mm_piece_word(root->kind);
    if (root->count)
        snprintf(text, size, "%lld of its %lld %ss came", (long long)root->seen, (long long)root->count,
                 word);
    else
        snprintf(text, size, "%lld of its %ss came, the last is missing", (long long)root->seen, word);
}
