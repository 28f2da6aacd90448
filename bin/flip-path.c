/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/memory.h"
#include "flip/formats/formats.h"
#include "flip/scheme/verify.h"
#include "flip/search/path.h"
#include "mm/stream/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *replayed;
static flip_scheme scheme[2]; /* from, to */
static uint64_t *masks[2];
static int64_t rank[2];
static int count;

static const base_option options[] = {
    {"replay", 0, BASE_TEXT, "PATH", "check that the moves in that file lead there", &replayed},
    {"replay", 'r', BASE_TEXT, "PATH", NULL, &replayed},
    BASE_OPTIONS_END,
};

static base_status take(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    if (record->kind != MM_SCHEME)
        goto done;
    if (count == 2)
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "this is a third scheme; a path leads from one to another, so give two"));
    flip_scheme *taken = &scheme[count];
    BASE_TRY(flip_scheme_from_record(context, record, taken));
    if (!flip_fits_masks(taken->size))
        BASE_TRY(base_fail(context, BASE_FAILED, "a factor has more than %d entries", FLIP_MASK_BITS));
    masks[count] = base_alloc(context, 3 * taken->rank, sizeof **masks);
    if (masks[count] == NULL)
        BASE_TRY(BASE_MACHINE);
    rank[count] = flip_scheme_get_masks(taken, masks[count]);
    if (taken->denominator % 2 == 0 || !flip_verify_masks(taken->size, rank[count], masks[count]))
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong over F2"));
    count++;
done:
    return status;
}

static base_status print_move(base_context *context, void *data, const flip_move *move) {
    return base_output_print(context, data, "%s %c %" PRId64 " %" PRId64 "\n",
                             move->is_plus ? "plus" : "flip", "abc"[move->position], move -> i, move -> j);
}

/* Reads a line of a path; false if it is none. */
static bool read_move(const char *line, flip_move *move) {
    char kind[5], position, end;
    if (sscanf(line, "%4s %c %" SCNd64 " %" SCNd64 " %c", kind, &position, &move->i, &move->j, &end) != 4)
        return false;
    move->is_plus = strcmp(kind, "plus") == 0;
    move->position = position - 'a';
    return (move->is_plus || strcmp(kind, "flip") == 0) && move->position >= 0 && move->position < 3;
}

static base_status replay_moves(base_context *context, FILE *file, flip_terms *terms) {
    base_status status = BASE_OK;
    char line[128];
    bool allowed = true;
    snprintf(context->place.file, sizeof context->place.file, "%s", replayed);
    for (context->place.line = 1; fgets(line, sizeof line, file) != NULL; context->place.line++) {
        flip_move move;
        if (!read_move(line, &move))
            BASE_TRY(
                base_fail(context, BASE_DAMAGED, "this is no move: %.*s", (int)strcspn(line, "\n"), line));
        BASE_TRY(flip_terms_move(context, terms, &move, &allowed));
        if (!allowed)
            BASE_TRY(base_fail(context, BASE_FAILED, "there is no such move here"));
    }
    if (ferror(file))
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read it"));
    memset(&context->place, 0, sizeof context->place);
done:
    return status;
}

static base_status replay(base_run *run) {
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_terms terms = {0};
    bool equal;
    FILE *file = fopen(replayed, "r");
    if (file == NULL)
        BASE_TRY(base_fail_errno(context, BASE_USAGE, "%s", replayed));
    BASE_TRY(flip_terms_open(context, rank[0], masks[0], &terms));
    BASE_TRY(replay_moves(context, file, &terms));
    BASE_TRY(flip_terms_are(context, &terms, rank[1], masks[1], &equal));
    if (!equal)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s leads to another scheme", replayed));
    BASE_TRY(base_output_print(context, run->output,
                               "flips\tpluses\tmost_terms\n%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n",
                               terms.flips, terms.pluses, terms.most_present));
done:
    if (file != NULL)
        fclose(file);
    flip_terms_close(&terms);
    return status;
}

static base_status end(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    char name[2][64];
    if (count < 2)
        return base_fail(context, BASE_USAGE, "a path leads from one scheme to another: two are needed");
    if (memcmp(scheme[0].size, scheme[1].size, sizeof scheme[0].size) != 0)
        return base_fail(context, BASE_FAILED, "no path leads from %s to %s",
                         flip_format_name(scheme[0].size, name[0]),
                         flip_format_name(scheme[1].size, name[1]));
    if (replayed != NULL)
        return replay(&filter->run);
    const uint64_t *const both[2] = {masks[0], masks[1]};
    return flip_path_find(context, scheme[0].size, rank, both, print_move, filter->run.output);
}

static void release(mm_filter_run *filter) {
    (void)filter;
    for (int k = 0; k < 2; k++) {
        flip_scheme_free(&scheme[k]);
        free(masks[k]);
    }
}

static const mm_filter program = {
    .program = {.name = "flip-path",
                .operands = "FROM TO",
                .summary =
                    "Print flips and pluses that lead from one scheme to another over F2, or check them.",
                .common = 0,
                .options = options},
    .record = take,
    .end = end,
    .release = release,
    .all_kinds = true,
    .kinds = 1U << MM_SCHEME,
    .kind_name = "schemes",
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
