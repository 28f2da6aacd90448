/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions from their text: a parser by recursive descent. */
#include "base/core/memory.h"
#include "mm/where/internal.h"
#include "mm/where/scan.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 200, HEIGHT_LIMIT = 5000 };

typedef struct parser {
    where_scanner scanner;
    mm_where *where;
    int depth;
} parser;

static base_status mistake(parser *p, const char *cause) {
    return where_mistake(&p->scanner, cause);
}

/* A word that stands for nothing, where a name belongs. */
static base_status unknown_name(parser *p, const where_node *node) {
    char names[BASE_CAUSE_BYTES - 200] = "";
    return base_fail(p->scanner.context, BASE_USAGE,
                     "--where, column %d: unknown name '%.40s'. Known names: %s", node->place + 1, node->text,
                     where_list_names(p->where->columns, names, sizeof names));
}

static bool is_unknown(const where_node *node) {
    return node->action == WHERE_LITERAL && node->bare && node->variable == WHERE_NO_VARIABLE;
}

static bool is_token(const parser *p, where_token kind, const char *text) {
    return p->scanner.kind == kind && (int)strlen(text) == p->scanner.length &&
           memcmp(text, p->scanner.start, p->scanner.length) == 0;
}

static bool is_mark(const parser *p, const char *mark) {
    return is_token(p, WHERE_TOKEN_MARK, mark);
}
static bool is_word(const parser *p, const char *word) {
    return is_token(p, WHERE_TOKEN_WORD, word);
}

/* ---- the tree */

static base_status add_node(parser *p, where_node node, int *index) {
    mm_where *where = p->where;
    int left = 0, right = 0;
    if (node.action >= WHERE_NOT) {
        left = where->nodes[node.left].height;
        right = where->nodes[node.right].height;
    }
    node.height = 1 + (left > right ? left : right);
    base_status status = BASE_OK;
    if (node.height > HEIGHT_LIMIT)
        status = mistake(p, "nested too deeply");
    else
        status =
            base_reserve(p->scanner.context, &where->nodes, &where->capacity, where->count + 1, sizeof node);
    if (status != BASE_OK) {
        free(node.text);
        return status;
    }
    *index = (int)where->count;
    where->nodes[where->count++] = node;
    return BASE_OK;
}

static base_status add_operator(parser *p, where_operator action, where_type type, int left, int right,
                                int *index) {
    return add_node(p, (where_node){.action = action, .type = type, .left = left, .right = right}, index);
}

static base_status add_literal_text(parser *p, where_variable variable, bool bare, int *index) {
    char *text = base_copy_text(p->scanner.context, p->scanner.start, p->scanner.length);
    if (text == NULL)
        return BASE_MACHINE;
    where_node node = {.action = WHERE_LITERAL,
                       .type = WHERE_TEXT,
                       .variable = variable,
                       .bare = bare,
                       .place = (int)(p->scanner.start - p->scanner.text),
                       .text = text};
    return add_node(p, node, index);
}

/* Turns a Matrix Market word that stands alone into its condition; anything else must be one already. */
static base_status as_condition(parser *p, int *index) {
    const where_node node = p->where->nodes[*index];
    base_status status = BASE_OK;
    if (node.type == WHERE_CONDITION)
        return BASE_OK;
    if (is_unknown(&node))
        return unknown_name(p, &node);
    if (node.action != WHERE_LITERAL || !node.bare)
        return mistake(p, "a condition is missing before this");
    int variable = 0;
    BASE_TRY(add_node(
        p, (where_node){.action = WHERE_VALUE_OF, .type = WHERE_TEXT, .variable = node.variable}, &variable));
    BASE_TRY(add_operator(p, WHERE_EQUAL, WHERE_CONDITION, variable, *index, index));
done:
    return status;
}

static base_status check_number(parser *p, int *index) {
    const where_node *node = &p->where->nodes[*index];
    if (is_unknown(node))
        return unknown_name(p, node);
    return node->type == WHERE_NUMBER ? BASE_OK
                                      : mistake(p, "arithmetic takes numbers; names with / or - need quotes");
}

/* ---- the grammar, from loosely to tightly binding */

static base_status parse_or(parser *p, int *index);

static base_status parse_word(parser *p, int *index) {
    where_node node = {.action = WHERE_VALUE_OF};
    const mm_where_column *columns = p->where->columns;
    for (int64_t k = 0; columns[k].name != NULL; k++)
        if (is_word(p, columns[k].name))
            return add_node(p,
                            (where_node){.action = WHERE_VALUE_OF,
                                         .type = columns[k].is_text ? WHERE_TEXT : WHERE_NUMBER,
                                         .variable = WHERE_COLUMN,
                                         .number = k},
                            index);
    if (where_find_variable(p->scanner.start, (size_t)p->scanner.length, &node.variable, &node.type))
        return add_node(p, node, index);
    return add_literal_text(p, where_find_word(p->scanner.start, (size_t)p->scanner.length), true, index);
}

static base_status parse_primary(parser *p, int *index) {
    base_status status = BASE_OK;
    if (p->scanner.kind == WHERE_TOKEN_NUMBER)
        BASE_TRY(add_node(p,
                          (where_node){.action = WHERE_LITERAL,
                                       .type = WHERE_NUMBER,
                                       .number = p->scanner.number,
                                       .is_real = p->scanner.is_real,
                                       .real = p->scanner.real},
                          index));
    else if (p->scanner.kind == WHERE_TOKEN_STRING)
        BASE_TRY(add_literal_text(p, WHERE_NO_VARIABLE, false, index));
    else if (p->scanner.kind == WHERE_TOKEN_WORD)
        BASE_TRY(parse_word(p, index));
    else if (is_mark(p, "(")) {
        BASE_TRY(where_scan(&p->scanner));
        BASE_TRY(parse_or(p, index));
        if (!is_mark(p, ")"))
            BASE_TRY(mistake(p, "expected )"));
    } else
        BASE_TRY(mistake(p, p->scanner.kind == WHERE_TOKEN_END ? "something is missing at the end"
                                                               : "unexpected here"));
    status = where_scan(&p->scanner);
done:
    return status;
}

/* Every recursion of the grammar passes through here or parse_not, which bound it. */
static base_status parse_unary(parser *p, int *index) {
    base_status status = BASE_OK;
    if (++p->depth > 2 * DEPTH_LIMIT)
        BASE_TRY(mistake(p, "nested too deeply"));
    if (is_mark(p, "-")) {
        BASE_TRY(where_scan(&p->scanner));
        BASE_TRY(parse_unary(p, index));
        if (p->where->nodes[*index].type != WHERE_NUMBER)
            BASE_TRY(mistake(p, "only numbers have a sign"));
        BASE_TRY(add_operator(p, WHERE_NEGATE, WHERE_NUMBER, *index, *index, index));
    } else
        BASE_TRY(parse_primary(p, index));
    p->depth--;
done:
    return status;
}

typedef struct binary {
    const char *mark, *word; /* word NULL: none */
    where_operator action;
} binary;

static const binary *find_operator(const parser *p, const binary *table) {
    for (; table->mark != NULL; table++)
        if (is_mark(p, table->mark) || (table->word != NULL && is_word(p, table->word)))
            return table;
    return NULL;
}

/* Operators that bind equally, what stands between them, and what they make of it: conditions or numbers. */
typedef struct rank {
    binary table[3];
    base_status (*operand)(parser *, int *);
    base_status (*check)(parser *, int *); /* that an operand is such a thing; may make it one */
    where_type type;
} rank;

static base_status parse_rank(parser *p, const rank *rank, int *index) {
    const binary *found = NULL;
    base_status status = BASE_OK;
    BASE_TRY(rank->operand(p, index));
    while ((found = find_operator(p, rank->table)) != NULL) {
        int right = 0;
        BASE_TRY(rank->check(p, index));
        BASE_TRY(where_scan(&p->scanner));
        BASE_TRY(rank->operand(p, &right));
        BASE_TRY(rank->check(p, &right));
        BASE_TRY(add_operator(p, found->action, rank->type, *index, right, index));
    }
done:
    return status;
}

static base_status parse_product(parser *p, int *index) {
    static const rank rank = {
        {{"*", NULL, WHERE_MULTIPLY}, {"/", NULL, WHERE_DIVIDE}}, parse_unary, check_number, WHERE_NUMBER};
    return parse_rank(p, &rank, index);
}

static base_status parse_sum(parser *p, int *index) {
    static const rank rank = {
        {{"+", NULL, WHERE_ADD}, {"-", NULL, WHERE_SUBTRACT}}, parse_product, check_number, WHERE_NUMBER};
    return parse_rank(p, &rank, index);
}

/* A word beside a variable must be one of that variable's. */
static bool fits_variable(const where_node *literal, const where_node *variable) {
    if (literal->action != WHERE_LITERAL || variable->action != WHERE_VALUE_OF)
        return !literal->bare;
    if (variable->variable == WHERE_NAME || variable->variable == WHERE_COLUMN)
        return true;
    return where_find_word(literal->text, strlen(literal->text)) == variable->variable;
}

static base_status check_comparison(parser *p, where_operator action, int left_index, int right_index) {
    const where_node *left = &p->where->nodes[left_index], *right = &p->where->nodes[right_index];
    if (left->type != right->type && (is_unknown(left) || is_unknown(right)))
        return unknown_name(p, is_unknown(left) ? left : right);
    if (left->type != right->type)
        return mistake(
            p, "numbers compare with numbers, conditions with conditions, texts with texts in quotes");
    bool matches = action == WHERE_MATCHES || action == WHERE_MATCHES_NOT;
    if (matches && left->type != WHERE_TEXT)
        return mistake(p, "~ takes a text and a pattern");
    if (left->type != WHERE_NUMBER && action >= WHERE_LESS && action <= WHERE_GREATER_EQUAL)
        return mistake(p, "only numbers have an order");
    if (left->type != WHERE_TEXT || matches)
        return BASE_OK;
    if (is_unknown(left) && is_unknown(right))
        return unknown_name(p, left);
    if ((left->action == WHERE_LITERAL && !fits_variable(left, right)) ||
        (right->action == WHERE_LITERAL && !fits_variable(right, left)))
        return mistake(p, "a word that this name never has before here");
    return BASE_OK;
}

static base_status parse_comparison(parser *p, int *index) {
    static const binary table[] = {
        {"==", NULL, WHERE_EQUAL},         {"!=", NULL, WHERE_NOT_EQUAL},   {"<=", NULL, WHERE_LESS_EQUAL},
        {">=", NULL, WHERE_GREATER_EQUAL}, {"<", NULL, WHERE_LESS},         {">", NULL, WHERE_GREATER},
        {"~", NULL, WHERE_MATCHES},        {"!~", NULL, WHERE_MATCHES_NOT}, {NULL, NULL, 0}};
    int right = 0;
    base_status status = BASE_OK;
    BASE_TRY(parse_sum(p, index));
    const binary *found = find_operator(p, table);
    if (found == NULL)
        goto done;
    BASE_TRY(where_scan(&p->scanner));
    BASE_TRY(parse_sum(p, &right));
    BASE_TRY(check_comparison(p, found->action, *index, right));
    BASE_TRY(add_operator(p, found->action, WHERE_CONDITION, *index, right, index));
done:
    return status;
}

static base_status parse_not(parser *p, int *index) {
    base_status status = BASE_OK;
    if (++p->depth > 2 * DEPTH_LIMIT)
        BASE_TRY(mistake(p, "nested too deeply"));
    if (is_mark(p, "!") || is_word(p, "not")) {
        BASE_TRY(where_scan(&p->scanner));
        BASE_TRY(parse_not(p, index));
        BASE_TRY(as_condition(p, index));
        BASE_TRY(add_operator(p, WHERE_NOT, WHERE_CONDITION, *index, *index, index));
    } else
        BASE_TRY(parse_comparison(p, index));
    p->depth--;
done:
    return status;
}

static base_status parse_and(parser *p, int *index) {
    static const rank rank = {{{"&&", "and", WHERE_AND}}, parse_not, as_condition, WHERE_CONDITION};
    return parse_rank(p, &rank, index);
}

static base_status parse_or(parser *p, int *index) {
    static const rank rank = {{{"||", "or", WHERE_OR}}, parse_and, as_condition, WHERE_CONDITION};
    return parse_rank(p, &rank, index);
}

base_status mm_where_parse(base_context *context, const char *text, mm_where *where) {
    parser p = {.scanner = {.context = context, .text = text, .at = text, .start = text}, .where = where};
    base_status status = BASE_OK;
    BASE_TRY(where_scan(&p.scanner));
    BASE_TRY(parse_or(&p, &where->root));
    if (p.scanner.kind != WHERE_TOKEN_END)
        BASE_TRY(mistake(&p, "an operator is missing before this"));
    BASE_TRY(as_condition(&p, &where->root));
done:
    return status;
}
