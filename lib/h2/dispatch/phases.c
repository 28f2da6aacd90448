/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --phases. */
#include "base/core/memory.h"
#include "h2/dispatch/dispatch.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

base_status h2_dispatch_open_phases(base_context *context, h2_dispatch *dispatch) {
    base_status status = BASE_OK;
    dispatch->phases_descriptor = -1;
    if (dispatch->phases_path == NULL)
        goto done;
    dispatch->phases_descriptor = open(dispatch->phases_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (dispatch->phases_descriptor < 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "%s: %s", dispatch->phases_path, strerror(errno)));
    dispatch->phases = base_alloc_zero(context, 1, sizeof *dispatch->phases);
    if (dispatch->phases == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(base_output_open_descriptor(context, dispatch->phases_descriptor, &dispatch->output));
    BASE_TRY(mm_report_open(context, false, true, &dispatch->report));
done:
    return status;
}

static base_status write_phase(base_context *context, const h2_dispatch *dispatch, const char *name,
                               const h2_phase *phase) {
    mm_report *report = dispatch->report;
    const bool known = phase->flop > 0 && phase->seconds > 0;
    mm_report_text(report, "name", name);
    mm_report_text(report, "phase", phase->name);
    mm_report_set_known(report, phase->level >= 0);
    mm_report_integer(report, "level", phase->level);
    mm_report_set_known(report, true);
    mm_report_real(report, "seconds", phase->seconds);
    mm_report_set_known(report, known);
    mm_report_integer(report, "bytes", (int64_t)phase->bytes);
    mm_report_real(report, "flop", phase->flop);
    mm_report_real(report, "gbytes_per_second", known ? phase->bytes / phase->seconds * 1e-9 : 0);
    mm_report_real(report, "gflops", known ? phase->flop / phase->seconds * 1e-9 : 0);
    return mm_report_write(context, report, dispatch->output);
}

base_status h2_dispatch_write_phases(base_context *context, h2_dispatch *dispatch, const mm_record *record) {
    base_status status = BASE_OK;
    h2_phases *phases = dispatch->phases;
    char *name = NULL;
    if (phases == NULL)
        goto done;
    BASE_TRY(mm_record_name(context, record, &name));
    for (int k = 0; k < phases->count; k++)
        if (phases->phase[k].level < 0 || phases->phase[k].bytes > 0)
            BASE_TRY(write_phase(context, dispatch, name, &phases->phase[k]));
    const h2_phase sum = h2_phases_sum(phases);
    BASE_TRY(write_phase(context, dispatch, name, &sum));
    if (base_output_flush(context, dispatch->output) != BASE_OK)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write %s", dispatch->phases_path));
    phases->count = 0;
done:
    free(name);
    return status;
}

base_status h2_dispatch_close_phases(base_context *context, h2_dispatch *dispatch) {
    base_status status = BASE_OK;
    mm_report_close(dispatch->report);
    free(dispatch->phases);
    base_output_discard(dispatch->output); /* all of it was flushed */
    if (dispatch->phases_path != NULL && dispatch->phases_descriptor >= 0 &&
        close(dispatch->phases_descriptor) != 0 && status == BASE_OK)
        status = base_fail(context, BASE_MACHINE, "%s: %s", dispatch->phases_path, strerror(errno));
    dispatch->report = NULL;
    dispatch->phases = NULL;
    dispatch->output = NULL;
    dispatch->phases_descriptor = -1;
    return status;
}
