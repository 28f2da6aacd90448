/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the Dulmage-Mendelsohn decomposition beside CXSparse's cs_dmperm, on the same compressed matrices:
 * bench_dm FILE... A line per matrix: name, rows, columns, entries, our seconds, theirs, ratio (above 1: ours
 * is faster). Both run in turn; the seconds are the least of each, the ratio is the median of neighbouring
 * runs', which a change of the processor's clock does not disturb. */
#include "base/run/progress.h"
#include "dm/dm.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

enum { RUNS = 4001 };

typedef struct measured {
    double ours_seconds, theirs_seconds, ratio;
    bool same;
} measured;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool agree(const dm_decomposition *ours, const cs_dld *theirs) {
    return ours->nblock == theirs->nb && ours->horizontal_nrow == theirs->rr[1] &&
           ours->horizontal_ncol == theirs->cc[2] && ours->nrow - ours->vertical_nrow == theirs->rr[2];
}

/* At least nine runs of each and a twentieth of a second. */
static base_status time_both(base_context *context, mm_sparse *matrix, measured *result) {
    cs_dl wrapped = {.nzmax = matrix->nnz,
                     .m = matrix->nrow,
                     .n = matrix->ncol,
                     .p = matrix->start,
                     .i = matrix->index,
                     .nz = -1};
    dm_decomposition ours = {0};
    cs_dld *theirs = NULL;
    base_status status = BASE_OK;
    double ratios[RUNS], begin = base_clock_seconds();
    int runs = 0;
    result->ours_seconds = result->theirs_seconds = INFINITY;
    for (; runs < 9 || (runs < RUNS && base_clock_seconds() - begin < 0.05); runs++) {
        double start = base_clock_seconds();
        cs_dl_dfree(theirs);
        theirs = cs_dl_dmperm(&wrapped, 0);
        double middle = base_clock_seconds();
        dm_free(&ours);
        BASE_TRY(dm_decompose(context, matrix, &ours));
        double end = base_clock_seconds();
        result->theirs_seconds = fmin(result->theirs_seconds, middle - start);
        result->ours_seconds = fmin(result->ours_seconds, end - middle);
        ratios[runs] = (middle - start) / (end - middle);
    }
    qsort(ratios, (size_t)runs, sizeof *ratios, compare_doubles);
    result->ratio = ratios[runs / 2];
    result->same = theirs != NULL && agree(&ours, theirs);
done:
    cs_dl_dfree(theirs);
    dm_free(&ours);
    return status;
}

static base_status measure(base_context *context, const mm_record *record) {
    mm_sparse matrix = {0};
    measured result;
    char name[256];
    base_status status;
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    BASE_TRY(time_both(context, &matrix, &result));
    mm_record_name(context, record, name, sizeof name);
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.6f\t%.6f\t%.2f%s\n", name, matrix.nrow, matrix.ncol,
           matrix.nnz, result.ours_seconds, result.theirs_seconds, result.ratio,
           result.same ? "" : "\tDIFFERENT");
    fflush(stdout);
done:
    mm_sparse_free(&matrix);
    return status;
}

int main(int argc, char **argv) {
    base_context context;
    mm_reader *reader;
    mm_record record;
    bool found = true;
    base_status status;
    base_context_init(&context);
    mm_record_init(&record);
    BASE_TRY(mm_reader_open(&context, (const char *const *)argv + 1, argc - 1, false, &reader));
    while (found) {
        BASE_TRY(mm_reader_next(&context, reader, &record, &found));
        if (found)
            BASE_TRY(measure(&context, &record));
    }
done:
    if (status != BASE_OK)
        fprintf(stderr, "bench_dm: %s: %s\n", context.error.place.file, context.error.cause);
    mm_record_free(&record);
    mm_reader_close(reader);
    return (int)status;
}
