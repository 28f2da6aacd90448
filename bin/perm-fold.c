/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/parts.h"

enum { MOST_TOGETHER = 256 }; /* files that are open at a time */

static const base_program program = {
    .name = "perm-fold",
    .operands = "[FILE...]",
    .summary = "Add up the parts of permanents that perm-gpu --part computed.",
    .common = BASE_HAS_KEEP_GOING | BASE_HAS_JSON,
};

static base_status fold_inputs(base_run *run) {
    base_status status;
    perm_parts *parts = NULL;
    BASE_TRY(perm_parts_open(&run->context, &parts));
    base_run_tell_of_terminal(run);
    const bool together = run->operand_count > 1 && run->operand_count <= MOST_TOGETHER;
    if (together)
        BASE_TRY(perm_parts_read_together(run, parts, run->operands, run->operand_count));
    for (int i = 0; i < run->operand_count && !together; i++)
        BASE_TRY(perm_parts_read(&run->context, parts, run->operands[i]));
    if (run->operand_count == 0)
        BASE_TRY(perm_parts_read(&run->context, parts, "-"));
    BASE_TRY(perm_parts_fold(run, parts));
done:
    perm_parts_close(parts);
    return status;
}

int main(int argc, char **argv) {
    static base_run run;
    if (!base_run_begin(&run, &program, argc, argv))
        return base_run_end(&run, run.context.error.status);
    return base_run_end(&run, fold_inputs(&run));
}
