/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/emit.h"
#include "flip/scheme/forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct emitter {
    base_context *context;
    base_output *output;
    const char *type;
    bool binary;
    base_status status; /* of the first line that failed */
} emitter;

#define PRINT(emit, ...)                                                                                     \
    do {                                                                                                     \
        if ((emit)->status == BASE_OK)                                                                       \
            (emit)->status = base_output_print((emit)->context, (emit)->output, __VA_ARGS__);                \
    } while (0)

/* The names of a group of forms: inputs "a[3]" or "m3", sums "s3". */
typedef struct names {
    char input, sum;
    bool is_array;
} names;

static void print_variable(emitter *emit, const flip_forms *forms, names name, int64_t variable) {
    if (variable >= forms->inputs)
        PRINT(emit, "%c%" PRId64, name.sum, variable - forms->inputs);
    else if (name.is_array)
        PRINT(emit, "%c[%" PRId64 "]", name.input, variable);
    else
        PRINT(emit, "%c%" PRId64, name.input, variable);
}

static void print_sums(emitter *emit, const flip_forms *forms, names name) {
    for (int64_t k = 0; k < forms->sums; k++) {
        PRINT(emit, "    const %s %c%" PRId64 " = ", emit->type, name.sum, k);
        print_variable(emit, forms, name, forms->sum[k].x);
        PRINT(emit, emit->binary ? " ^ " : forms->sum[k].minus ? " - " : " + ");
        print_variable(emit, forms, name, forms->sum[k].y);
        PRINT(emit, ";\n");
    }
}

static void print_form(emitter *emit, const flip_forms *forms, names name, int64_t f) {
    const flip_form *form = &forms->form[f];
    if (form->count == 0)
        PRINT(emit, "0");
    for (int64_t k = 0; k < form->count; k++) {
        const int64_t value = form->part[k].coefficient;
        if (emit->binary)
            PRINT(emit, k > 0 ? " ^ " : "");
        else
            PRINT(emit, value < 0 ? (k > 0 ? " - " : "-") : (k > 0 ? " + " : ""));
        if (!emit->binary && value != 1 && value != -1)
            PRINT(emit, "%" PRId64 " * ", value < 0 ? -value : value);
        print_variable(emit, forms, name, form->part[k].variable);
    }
}

static void print_factor(emitter *emit, const flip_forms *forms, names name, int64_t f) {
    const flip_form *form = &forms->form[f];
    const bool single = form->count == 1 && (emit->binary || form->part[0].coefficient == 1);
    PRINT(emit, single ? "" : "(");
    print_form(emit, forms, name, f);
    PRINT(emit, single ? "" : ")");
}

static void print_function(emitter *emit, const flip_scheme *scheme, const flip_forms forms[3],
                           const char *function) {
    static const names name[3] = {{'a', 's', true}, {'b', 't', true}, {'m', 'w', false}};
    char format[64];
    int64_t additions = 0;
    for (int k = 0; k < 3; k++)
        additions += flip_forms_additions(&forms[k]);
    PRINT(emit, "/* c = a b for %s matrices, row by row: %" PRId64 " products, %" PRId64 " additions%s. */\n",
          flip_format_name(scheme->size, format), scheme->rank, additions,
          emit->binary ? "; each bit is a matrix over F2 of its own" : "");
    PRINT(emit, "void %s(const %s *a, const %s *b, %s *c) {\n", function, emit->type, emit->type, emit->type);
    print_sums(emit, &forms[0], name[0]);
    print_sums(emit, &forms[1], name[1]);
    for (int64_t r = 0; r < scheme->rank; r++) {
        PRINT(emit, "    const %s m%" PRId64 " = ", emit->type, r);
        print_factor(emit, &forms[0], name[0], r);
        PRINT(emit, emit->binary ? " & " : " * ");
        print_factor(emit, &forms[1], name[1], r);
        PRINT(emit, ";\n");
    }
    print_sums(emit, &forms[2], name[2]);
    for (int64_t e = 0; e < flip_length(scheme->size, 2); e++) {
        PRINT(emit, "    c[%" PRId64 "] = %s", e, scheme->denominator != 1 ? "(" : "");
        print_form(emit, &forms[2], name[2], e);
        if (scheme->denominator != 1)
            PRINT(emit, ") / %" PRId64, scheme->denominator);
        PRINT(emit, ";\n");
    }
    PRINT(emit, "}\n\n");
}

/* Small integers, which every type holds exactly. */
static void print_test(emitter *emit, const flip_scheme *scheme, const char *function) {
    const int64_t n = scheme->size[0], m = scheme->size[1], p = scheme->size[2];
    PRINT(emit, "#ifdef SELF_TEST\nstatic int %s_test(void) {\n", function);
    PRINT(emit, "    static %s a[%" PRId64 "], b[%" PRId64 "], c[%" PRId64 "];\n", emit->type, n * m, m * p,
          n * p);
    PRINT(emit, "    uint64_t random = 1;\n    for (int round = 0; round < 100; round++) {\n");
    for (int k = 0; k < 2; k++) {
        PRINT(emit, "        for (int e = 0; e < %" PRId64 "; e++) {\n", k == 0 ? n * m : m * p);
        PRINT(emit, "            random = random * 6364136223846793005u + 1442695040888963407u;\n");
        PRINT(emit,
              emit->binary ? "            %c[e] = random ^ random >> 29;\n        }\n"
                           : "            %c[e] = (int)(random >> 60) - 8;\n        }\n",
              "ab"[k]);
    }
    PRINT(emit, "        %s(a, b, c);\n", function);
    PRINT(emit, "        for (int i = 0; i < %" PRId64 "; i++)\n", n);
    PRINT(emit, "            for (int k = 0; k < %" PRId64 "; k++) {\n                %s sum = 0;\n", p,
          emit->type);
    PRINT(emit, "                for (int j = 0; j < %" PRId64 "; j++)\n", m);
    PRINT(emit, "                    sum %s= a[i * %" PRId64 " + j] %s b[j * %" PRId64 " + k];\n",
          emit->binary ? "^" : "+", m, emit->binary ? "&" : "*", p);
    PRINT(emit, "                if (c[i * %" PRId64 " + k] != sum)\n                    return 1;\n", p);
    PRINT(emit, "            }\n    }\n    return 0;\n}\n#endif\n\n");
}

base_status flip_emit(base_context *context, const flip_scheme *scheme, const char *name, const char *type,
                      base_output *output) {
    base_status status = BASE_OK;
    flip_forms forms[3] = {{0}};
    emitter emit = {context, output, type, scheme->field == FLIP_F2, BASE_OK};
    for (int k = 0; k < 3; k++) {
        BASE_TRY(flip_forms_from_scheme(context, scheme, k, &forms[k]));
        BASE_TRY(flip_forms_share(context, &forms[k]));
    }
    print_function(&emit, scheme, forms, name);
    print_test(&emit, scheme, name);
    status = emit.status;
done:
    for (int k = 0; k < 3; k++)
        flip_forms_close(&forms[k]);
    return status;
}
