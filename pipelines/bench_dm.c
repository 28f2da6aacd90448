/* Times the Dulmage-Mendelsohn decomposition beside CXSparse's cs_dmperm, on the same compressed matrices:
 * bench_dm FILE... A line per matrix: name, rows, columns, entries, our seconds, theirs, ratio (above 1: ours
 * is faster); seconds are the least of at least three runs. */
#include "base/progress.h"
#include "dm/dm.h"
#include "mm/metadata.h"
#include "mm/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

typedef struct measured {
    double seconds;
    int64_t rank, blocks;
} measured;

/* Another run is worth it until there are three that took half a second together. */
static bool again(int runs, double seconds) {
    return runs < 3 || (seconds < 0.5 && runs < 100);
}

static base_status time_ours(base_context *context, const mm_sparse *matrix, measured *result) {
    double all = 0;
    result->seconds = INFINITY;
    for (int runs = 0; again(runs, all); runs++) {
        dm_decomposition decomposition;
        double start = base_clock_seconds();
        base_status status = dm_decompose(context, matrix, &decomposition);
        double seconds = base_clock_seconds() - start;
        if (status != BASE_OK)
            return status;
        result->rank = decomposition.structural_rank;
        result->blocks = decomposition.nblock;
        result->seconds = fmin(result->seconds, seconds);
        all += seconds;
        dm_free(&decomposition);
    }
    return BASE_OK;
}

static base_status time_theirs(base_context *context, const mm_sparse *matrix, measured *result) {
    cs_dl wrapped = {.nzmax = matrix->nnz,
                     .m = matrix->nrow,
                     .n = matrix->ncol,
                     .p = matrix->start,
                     .i = matrix->index,
                     .nz = -1};
    double all = 0;
    result->seconds = INFINITY;
    for (int runs = 0; again(runs, all); runs++) {
        double start = base_clock_seconds();
        cs_dld *decomposition = cs_dl_dmperm(&wrapped, 0);
        double seconds = base_clock_seconds() - start;
        if (decomposition == NULL)
            return base_fail(context, BASE_MACHINE, "cs_dmperm failed");
        result->rank = decomposition->rr[3];
        result->blocks = decomposition->nb;
        result->seconds = fmin(result->seconds, seconds);
        all += seconds;
        cs_dl_dfree(decomposition);
    }
    return BASE_OK;
}

static base_status measure(base_context *context, const mm_record *record) {
    mm_sparse matrix = {0};
    measured ours = {0}, theirs = {0};
    char name[256];
    base_status status;
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    BASE_TRY(time_ours(context, &matrix, &ours));
    BASE_TRY(time_theirs(context, &matrix, &theirs));
    mm_record_name(context, record, name, sizeof name);
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.6f\t%.6f\t%.2f%s\n", name, matrix.nrow, matrix.ncol,
           matrix.nnz, ours.seconds, theirs.seconds, theirs.seconds / ours.seconds,
           ours.rank == theirs.rank && ours.blocks == theirs.blocks ? "" : "\tDIFFERENT");
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
