/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/names.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files that the run has anyway: *inputs of *count are inputs, behind them stands the output. There is
 * room for the standard ones and the claims, too; to be freed. */
static base_claim_other *list_files(base_run *run, int *inputs, int *count) {
    static const base_option none[] = {BASE_OPTIONS_END};
    const base_option *own = run->program->options != NULL ? run->program->options : none;
    int options = 0;
    while (own[options].name != NULL)
        options++;
    base_claim_other *files =
        base_alloc(&run->context, run->operand_count + options + 3 + BASE_RUN_CLAIMS, sizeof *files);
    *inputs = *count = 0;
    if (files == NULL)
        return NULL;
    for (const base_option *option = own; option->name != NULL; option++) {
        const char *path = option->kind == BASE_INPUT ? *(const char *const *)option->value : NULL;
        if (path != NULL && strcmp(path, "-") != 0)
            files[(*inputs)++] = (base_claim_other){path, 0, "an input"};
    }
    for (int i = 0; i < run->operand_count; i++)
        if (strcmp(run->operands[i], "-") != 0)
            files[(*inputs)++] = (base_claim_other){run->operands[i], 0, "an input"};
    *count = *inputs;
    if (run->output_path != NULL && run->output_path[0] != '\0')
        files[(*count)++] = (base_claim_other){run->output_path, 0, "the output"};
    return files;
}

static base_status check_written(base_run *run, const char *path, const char *option,
                                 const base_claim_other *inputs, int count) {
    struct stat about;
    if (path == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return BASE_OK;
    return base_claim_check_name(&run->context, option, path, inputs, count);
}

base_status base_run_check_names(base_run *run) {
    base_status status = BASE_OK;
    int inputs, count;
    base_claim_other *files = NULL;
    if (run->output_path == NULL && run->phases == NULL)
        goto done;
    files = list_files(run, &inputs, &count);
    if (files == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(check_written(run, run->output_path, "-o", files, inputs));
    BASE_TRY(check_written(run, run->phases, "--phases", files, inputs));
    if (run->phases != NULL)
        BASE_TRY(
            base_claim_check_name(&run->context, "--phases", run->phases, files + inputs, count - inputs));
done:
    free(files);
    return status;
}

base_status base_run_claim(base_run *run, const char *path, const char *option, bool is_binary) {
    base_status status = BASE_OK;
    base_claim *claim = run->claim;
    int inputs, count;
    base_claim_other *files = list_files(run, &inputs, &count);
    if (files == NULL)
        BASE_TRY(BASE_MACHINE);
    files[count++] = (base_claim_other){NULL, STDIN_FILENO, "the standard input"};
    files[count++] = (base_claim_other){NULL, STDOUT_FILENO, "the standard output"};
    for (; claim->path != NULL; claim++)
        files[count++] = (base_claim_other){claim->path, 0, "a file of this run"};
    BASE_TRY(base_claim_open(&run->context, path, option, is_binary, files, count, claim));
done:
    free(files);
    return status;
}
