/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the program of a sparse permanent as CUDA C: a block is code without loops, in which every entry of
 * a table is a variable, so that tables live in registers; row sums are in shared memory, where each is read
 * once per block. All threads of a warp take the same way. Numbers are printed as hexadecimal literals, exact
 * to the last bit. */
#include "perm/sparse/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct printer {
    const perm_sparse_problem *problem;
    const perm_sparse_launch *launch;
    FILE *text;
    int parts;
    int *variable; /* that a place holds; -1 - at: row sum number `at`, not loaded */
    int next;      /* variable */
} printer;

static int new_variable(printer *p, int place) {
    p->variable[place] = p->next;
    return p->next++;
}

/* The variable at a place; loads a row sum at its first use in the block. */
static int load_value(printer *p, int place) {
    if (p->variable[place] < 0) {
        const int at = -1 - p->variable[place];
        const int variable = new_variable(p, place);
        fprintf(p->text, "const double v%d = x[%d];\n", variable, at * p->launch->threads);
    }
    return p->variable[place];
}

/* Values of an entry: variable numbers of its parts. */
typedef struct entry {
    int part[2];
} entry;

static entry load_entry(printer *p, perm_sparse_table table, int number) {
    entry value = {{0}};
    for (int part = 0; part < p->parts; part++)
        value.part[part] = load_value(p, table.value + number * p->parts + part);
    return value;
}

/* Prints an expression for |value|. */
static void print_measure(printer *p, entry value) {
    if (p->parts == 2)
        fprintf(p->text, "measure(v%d, v%d)", value.part[0], value.part[1]);
    else
        fprintf(p->text, "fabs(v%d)", value.part[0]);
}

/* The same for the size of an entry. */
static void print_size(printer *p, perm_sparse_table table, int number) {
    if (table.size >= 0) {
        fprintf(p->text, "v%d", p->variable[table.size + number]);
        return;
    }
    print_measure(p, load_entry(p, table, number));
}

/* Declares the product of two entries: real part, imaginary part. */
static entry print_product(printer *p, entry l, entry r) {
    entry product = {{p->next, p->next + 1}};
    p->next += p->parts;
    if (p->parts == 2)
        fprintf(p->text, "const double v%d = fma(-v%d, v%d, v%d * v%d), v%d = fma(v%d, v%d, v%d * v%d);\n",
                product.part[0], l.part[1], r.part[1], l.part[0], r.part[0], product.part[1], l.part[1],
                r.part[0], l.part[0], r.part[1]);
    else
        fprintf(p->text, "const double v%d = v%d * v%d;\n", product.part[0], l.part[0], r.part[0]);
    return product;
}

static void print_row(printer *p, const perm_sparse_instruction *step) {
    const entry x = load_entry(p, step->left, 0);
    for (int e = 0; e < step->count; e++)
        for (int part = 0; part < p->parts; part++) {
            const int place = step->result.value + e * p->parts + part;
            const double constant = p->problem->constant[((int64_t)step->start + e) * p->parts + part];
            /* Adding 0 changes no bit: both names mean one variable. */
            if (constant == 0)
                p->variable[place] = x.part[part];
            else
                fprintf(p->text, "const double v%d = v%d + %a;\n", new_variable(p, place), x.part[part],
                        constant);
        }
}

static void print_multiply(printer *p, const perm_sparse_instruction *step) {
    const uint16_t *index = p->problem->index + step->start;
    for (int e = 0; e < step->count; e++, index += 2) {
        const entry l = load_entry(p, step->left, index[0]), r = load_entry(p, step->right, index[1]);
        const entry product = print_product(p, l, r);
        for (int part = 0; part < p->parts; part++)
            p->variable[step->result.value + e * p->parts + part] = product.part[part];
        if (step->result.size < 0)
            continue;
        fprintf(p->text, "const double v%d = ", new_variable(p, step->result.size + e));
        print_size(p, step->left, index[0]);
        fprintf(p->text, " * ");
        print_size(p, step->right, index[1]);
        fprintf(p->text, ";\n");
    }
}

/* Prints first - l1 r1 and returns l1 r1, which is a number of its own where values are complex. */
static entry print_sum_value(printer *p, int place, entry first, entry l1, entry r1) {
    if (p->parts == 2) {
        const entry second = print_product(p, l1, r1);
        for (int part = 0; part < 2; part++)
            fprintf(p->text, "const double v%d = v%d - v%d;\n", new_variable(p, place + part),
                    first.part[part], second.part[part]);
        return second;
    }
    fprintf(p->text, "const double v%d = fma(-v%d, v%d, v%d);\n", new_variable(p, place), l1.part[0],
            r1.part[0], first.part[0]);
    return first;
}

/* Prints the size of a sum. `first`, `second`: its products. */
static void print_sum_size(printer *p, const perm_sparse_instruction *step, const uint16_t *index,
                           entry first, entry second) {
    const perm_sparse_table left = step->left, right = step->right;
    const bool has_size = left.size >= 0 || right.size >= 0;
    if (!has_size && p->parts == 2) {
        print_measure(p, first);
        fprintf(p->text, " + ");
        print_measure(p, second);
        return;
    }
    fprintf(p->text, "fma(");
    print_size(p, left, index[2]);
    fprintf(p->text, ", ");
    print_size(p, right, index[3]);
    fprintf(p->text, ", ");
    /* |l0 r0| stands there already where sizes are absolute values of real numbers. */
    if (has_size) {
        print_size(p, left, index[0]);
        fprintf(p->text, " * ");
        print_size(p, right, index[1]);
    } else {
        print_measure(p, first);
    }
    fprintf(p->text, ")");
}

static void print_sum(printer *p, const perm_sparse_instruction *step) {
    const uint16_t *index = p->problem->index + step->start;
    for (int e = 0; e < step->count; e++, index += 4) {
        /* l0 r0 - l1 r1 for the column that is summed out; its sign is -1 where it is set (kernel.h). */
        const entry first =
            print_product(p, load_entry(p, step->left, index[0]), load_entry(p, step->right, index[1]));
        const entry second =
            print_sum_value(p, step->result.value + e * p->parts, first, load_entry(p, step->left, index[2]),
                            load_entry(p, step->right, index[3]));
        fprintf(p->text, "const double v%d = ", new_variable(p, step->result.size + e));
        print_sum_size(p, step, index, first, second);
        fprintf(p->text, ";\n");
    }
}

static void print_sum_one(printer *p, const perm_sparse_instruction *step) {
    const uint16_t *index = p->problem->index + step->start;
    for (int e = 0; e < step->count; e++, index += 2) {
        const entry l0 = load_entry(p, step->left, index[0]), l1 = load_entry(p, step->left, index[1]);
        for (int part = 0; part < p->parts; part++)
            fprintf(p->text, "const double v%d = v%d - v%d;\n",
                    new_variable(p, step->result.value + e * p->parts + part), l0.part[part], l1.part[part]);
        fprintf(p->text, "const double v%d = ", new_variable(p, step->result.size + e));
        print_size(p, step->left, index[0]);
        fprintf(p->text, " + ");
        print_size(p, step->left, index[1]);
        fprintf(p->text, ";\n");
    }
}

static void print_block(printer *p) {
    const perm_sparse_problem *problem = p->problem;
    /* The places of row sums hold no variable yet, but where the sum is in shared memory. */
    for (int at = 0; at < problem->n * p->parts; at++)
        p->variable[at] = -1 - at;
    for (int64_t k = 0; k < problem->instruction_count; k++) {
        const perm_sparse_instruction *step = &problem->instructions[k];
        switch (step->action) {
        case PERM_SPARSE_ROW: print_row(p, step); break;
        case PERM_SPARSE_MULTIPLY: print_multiply(p, step); break;
        case PERM_SPARSE_SUM: print_sum(p, step); break;
        case PERM_SPARSE_SUM_ONE: print_sum_one(p, step); break;
        }
    }
    for (int part = 0; part < p->parts; part++)
        fprintf(p->text, "add(high%d, low%d, sign * v%d);\n", part, part,
                p->variable[problem->root.value + part]);
    fprintf(p->text, "magnitude += v%d;\n", p->variable[problem->root.size]);
}

/* The columns above the block, as tables for loops. */
static void print_tables(printer *p) {
    const perm_sparse_problem *problem = p->problem;
    const int64_t begin = problem->column_start[problem->low], end = problem->column_start[problem->n];
    fprintf(p->text, "__constant__ double start[%d] = {", (int)problem->n * p->parts);
    for (int64_t at = 0; at < problem->n * p->parts; at++)
        fprintf(p->text, "%s%a", at > 0 ? ", " : "", problem->start[at]);
    fprintf(p->text, "};\n__constant__ double twice[%d] = {", (int)(end - begin) * p->parts);
    for (int64_t at = begin * p->parts; at < end * p->parts; at++)
        fprintf(p->text, "%s%a", at > begin * p->parts ? ", " : "", problem->twice[at]);
    fprintf(p->text, "};\n__constant__ int place[%d] = {", (int)(end - begin));
    for (int64_t e = begin; e < end; e++)
        fprintf(p->text, "%s%d", e > begin ? ", " : "", problem->row[e] * p->parts * p->launch->threads);
    fprintf(p->text, "};\n__constant__ int column[%d] = {", (int)(problem->n - problem->low) + 1);
    for (int64_t j = problem->low; j <= problem->n; j++)
        fprintf(p->text, "%s%" PRId64, j > problem->low ? ", " : "", problem->column_start[j] - begin);
    fprintf(p->text, "};\n\n");
}

void perm_sparse_print_head(FILE *text) {
    fprintf(text, "#ifdef __CUDACC__\n"
                  "#define SHIM_KERNEL extern \"C\" __global__\n"
                  "#define SHIM_DYNAMIC_SHARED(type, name) extern __shared__ type name[]\n"
                  "#endif\n\n"
                  "__device__ __forceinline__ void add_two(double *high, double *low, double value) {\n"
                  "    const double sum = *high + value, rest = sum - *high;\n"
                  "    *low += (*high - (sum - rest)) + (value - rest);\n"
                  "    *high = sum;\n"
                  "}\n"
                  "#define add(high, low, value) add_two(&high, &low, value)\n\n");
}

/* |re + i im| from above (kernel.h). */
static void print_measure_function(FILE *text) {
    fprintf(text,
            "__device__ __forceinline__ double measure(double re, double im) {\n"
            "    const double a = fabs(re), b = fabs(im);\n"
            "    return fma(%a, fabs(a - b), %a * (a + b));\n"
            "}\n\n",
            PERM_SPARSE_SIZE_GAP, PERM_SPARSE_SIZE_SUM);
}

/* x gains the column times the factor, which is -1, 0 or 1. */
static void print_functions(printer *p) {
    if (p->parts == 2)
        print_measure_function(p->text);
    fprintf(p->text, "__device__ __forceinline__ void change(double *x, int j, double factor) {\n"
                     "    for (int e = column[j]; e < column[j + 1]; e++) {\n");
    for (int part = 0; part < p->parts; part++)
        fprintf(p->text, "        x[place[e] + %d] = fma(factor, twice[%d * e + %d], x[place[e] + %d]);\n",
                part * p->launch->threads, p->parts, part, part * p->launch->threads);
    fprintf(p->text, "    }\n}\n\n");
}

/* The change of column low + bit as code: all loads before the first store. */
static void print_change(printer *p, int bit) {
    const perm_sparse_problem *problem = p->problem;
    const int64_t j = problem->low + bit, begin = problem->column_start[j],
                  end = problem->column_start[j + 1];
    fprintf(p->text, "case %d: {\n", bit);
    for (int64_t at = begin * p->parts; at < end * p->parts; at++)
        fprintf(p->text, "const double x%d = fma(factor, %a, x[%d]);\n", (int)(at - begin * p->parts),
                problem->twice[at],
                (int)((problem->row[at / p->parts] * p->parts + at % p->parts) * p->launch->threads));
    for (int64_t at = begin * p->parts; at < end * p->parts; at++)
        fprintf(p->text, "x[%d] = x%d;\n",
                (int)((problem->row[at / p->parts] * p->parts + at % p->parts) * p->launch->threads),
                (int)(at - begin * p->parts));
    fprintf(p->text, "break;\n}\n");
}

static void print_kernel(printer *p) {
    const perm_sparse_problem *problem = p->problem;
    const int threads = p->launch->threads, outer = (int)(problem->n - 1 - problem->low - problem->middle);
    /* A thread starts with all signs -1 but the last, turns the columns of its run's number, and goes from
     * block to block in Gray code order: the lowest bit of a block's number is the column that turns, to 1
     * where the code has it. */
    fprintf(p->text,
            "SHIM_KERNEL void __launch_bounds__(%d, %d) perm_sparse(long long first, long long count, double "
            "*out) {\n"
            "SHIM_DYNAMIC_SHARED(double, shared);\n"
            "double *x = shared + threadIdx.x;\n"
            "const long long number = (long long)blockIdx.x * %d + threadIdx.x, run = first + number;\n"
            "for (int at = 0; at < %d; at++)\n    x[at * %d] = start[at];\n"
            "for (int bit = 0; bit < %d; bit++)\n"
            "    change(x, %d + bit, run >> bit & 1 ? 1.0 : 0.0);\n"
            "double high0 = 0, low0 = 0, high1 = 0, low1 = 0, magnitude = 0;\n"
            "for (long long block = 0; block < %lldLL; block++) {\n"
            "const double sign = block & 1 ? -1.0 : 1.0;\n"
            "if (block > 0) {\n"
            "const int bit = __ffsll(block) - 1;\n"
            "const double factor = (block ^ block >> 1) >> bit & 1 ? 1.0 : -1.0;\n"
            "switch (bit) {\n",
            threads, p->launch->resident, threads, (int)problem->n * p->parts, threads, outer,
            (int)problem->middle, (long long)1 << problem->middle);
    for (int bit = 0; bit < p->launch->unrolled && bit < problem->middle; bit++)
        print_change(p, bit);
    fprintf(p->text, "default: change(x, bit, factor);\n}\n}\n");
    print_block(p);
    fprintf(p->text, "}\n");
    for (int part = 0; part < p->parts; part++)
        fprintf(p->text, "out[%d * count + number] = high%d;\nout[%d * count + number] = low%d;\n", 2 * part,
                part, 2 * part + 1, part);
    fprintf(p->text, "out[%d * count + number] = magnitude;\n}\n", 2 * p->parts);
}

char *perm_sparse_print_code(const perm_sparse_problem *problem, const perm_sparse_launch *launch) {
    char *text = NULL;
    size_t bytes = 0;
    printer p = {.problem = problem, .launch = launch, .parts = problem->is_complex ? 2 : 1};
    p.variable = malloc((size_t)problem->places * sizeof *p.variable);
    p.text = open_memstream(&text, &bytes);
    if (p.text != NULL)
        perm_sparse_print_head(p.text);
    if (p.text != NULL && launch->variant != PERM_SPARSE_TABLES) {
        perm_sparse_print_gray(problem, launch, p.text);
    } else if (p.variable != NULL && p.text != NULL) {
        print_tables(&p);
        print_functions(&p);
        print_kernel(&p);
    }
    const bool failed = p.variable == NULL || p.text == NULL || ferror(p.text) != 0;
    if (p.text != NULL && (fclose(p.text) != 0 || failed)) {
        free(text);
        text = NULL;
    }
    free(p.variable);
    return text;
}
