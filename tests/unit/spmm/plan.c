/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice among prices: what reproduces a publication, to compare with, is taken by its name only. */
#include "spmm/product/plan.h"
#include "tests/support/tap.h"

#include <string.h>

/* All kernels at the same price, but for the one of that name, which is ten times cheaper. */
static spmm_plan make_plan(const char *cheap) {
    spmm_plan plan = {.count = 0};
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++) {
        const double seconds = strcmp((*kernel)->name, cheap) == 0 ? 0.1 : 1;
        plan.candidate[plan.count++] =
            (spmm_candidate){.kernel = *kernel, .price = {.seconds = seconds}, .total_seconds = seconds};
    }
    return plan;
}

static bool is_chosen(const spmm_plan *plan, const char *asked, const char *wanted) {
    const spmm_candidate *chosen = spmm_plan_choose(plan, asked);
    return chosen != NULL && strcmp(chosen->kernel->name, wanted) == 0;
}

int main(void) {
    static const char *const published[] = {"tca", "tca_row"}, *const others[] = {"rows", "portable"};
    for (int k = 0; k < 2; k++) {
        const spmm_plan plan = make_plan(published[k]);
        tap_ok(!is_chosen(&plan, NULL, published[k]), "%s at a tenth of the price is not chosen",
               published[k]);
        tap_ok(is_chosen(&plan, published[k], published[k]), "... but taken by its name");
    }
    for (int k = 0; k < 2; k++) {
        const spmm_plan plan = make_plan(others[k]);
        tap_ok(is_chosen(&plan, NULL, others[k]), "%s at a tenth of the price is chosen", others[k]);
    }
    spmm_plan divided = make_plan("rows");
    for (int k = 0; k < divided.count; k++)
        divided.candidate[k].is_divided = strcmp(divided.candidate[k].kernel->name, "rows") == 0;
    const spmm_candidate *chosen = spmm_plan_choose(&divided, NULL);
    tap_ok(chosen != NULL && !chosen->is_divided,
           "a kernel that exceeds the memory is not chosen where others fit");
    tap_ok(is_chosen(&divided, "rows", "rows"), "... but taken by its name");
    spmm_plan none = make_plan("rows");
    tap_ok(spmm_plan_choose(&none, "no-such") == NULL, "no kernel has the name");
    for (int k = 0; k < none.count; k++)
        none.candidate[k].price.seconds = 0;
    tap_ok(spmm_plan_choose(&none, NULL) == NULL, "none fits");
    return tap_done();
}
