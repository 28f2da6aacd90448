/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/verdict.h"
#include "flip/scheme/known.h"
#include "flip/scheme/measure.h"
#include "flip/scheme/types.h"
#include "flip/scheme/verify.h"

#include <stdio.h>
#include <string.h>

/* Appends a name to the list of rings in `over`. */
static void append(char *over, const char *name) {
    sprintf(over + strlen(over), "%s%s", *over != '\0' ? "," : "", name);
}

static base_status find_rings(base_context *context, const flip_scheme *scheme, int64_t modulus,
                              char over[80], bool *valid, flip_fault *fault) {
    base_status status = BASE_OK;
    bool right;
    flip_fault second;
    over[0] = '\0';
    BASE_TRY(flip_verify(context, scheme, 0, &right, fault));
    *valid = right && scheme->field != FLIP_F2;
    if (right)
        append(over, scheme->denominator == 1 ? "Z" : "Q");
    BASE_TRY(flip_verify(context, scheme, 2, &right, &second));
    if (right)
        append(over, "F2");
    if (scheme->field == FLIP_F2) {
        *valid = right;
        *fault = second;
    }
    if (modulus != 0) {
        char name[32];
        snprintf(name, sizeof name, "Z/%lld", (long long)modulus);
        BASE_TRY(flip_verify(context, scheme, modulus, &right, &second));
        if (right)
            append(over, name);
    }
done:
    return status;
}

static void report_known(const flip_scheme *scheme, bool valid, mm_report *report) {
    int64_t known = flip_known_rank(scheme->size, scheme->field, NULL);
    if (known == 0)
        mm_report_unknown(report, "known");
    else
        mm_report_integer(report, "known", known);
    if (known == 0 || !valid)
        mm_report_unknown(report, "than_known");
    else
        mm_report_text(report, "than_known",
                       scheme->rank < known    ? "better"
                       : scheme->rank == known ? "equal"
                                               : "worse");
}

base_status flip_report_verdict(base_context *context, const flip_scheme *scheme, int64_t modulus,
                                mm_report *report, bool *valid, char *text, size_t size) {
    base_status status = BASE_OK;
    char format[64], over[80], types[4096];
    flip_fault fault;
    flip_measures measures;
    BASE_TRY(find_rings(context, scheme, modulus, over, valid, &fault));
    BASE_TRY(flip_measure(context, scheme, &measures));
    BASE_TRY(flip_types_describe(context, scheme, types, sizeof types));
    flip_fault_print(&fault, text, size);
    mm_report_text(report, "format", flip_format_name(scheme->size, format));
    mm_report_integer(report, "rank", scheme->rank);
    mm_report_text(report, "field", flip_field_name(scheme->field));
    mm_report_text(report, "valid", *valid ? "yes" : "no");
    if (*over == '\0')
        mm_report_unknown(report, "over");
    else
        mm_report_text(report, "over", over);
    mm_report_integer(report, "nonzeros", measures.nonzeros);
    mm_report_integer(report, "additions", measures.additions);
    mm_report_integer(report, "distinct_u", measures.distinct[0]);
    mm_report_integer(report, "distinct_v", measures.distinct[1]);
    mm_report_integer(report, "distinct_w", measures.distinct[2]);
    mm_report_integer(report, "largest", measures.largest);
    mm_report_text(report, "cyclic", measures.cyclic ? "yes" : "no");
    report_known(scheme, *valid, report);
    mm_report_text(report, "transposed", measures.transposed ? "yes" : "no");
    mm_report_integer(report, "shared_additions", measures.shared_additions);
    mm_report_text(report, "types", types);
done:
    return status;
}
