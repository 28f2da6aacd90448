/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/fine.h"
#include "base/run/progress.h"

#include <string.h>
#include <suitesparse/btf.h>

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "BTF's long version takes 64-bit integers");

/* S with rows and columns numbered by the place of their column in fine->column. `place`: ncol words of
 * workspace.
 */
static base_status extract_square(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                                  const dm_fine *fine, int64_t *place, mm_sparse *square) {
    base_status status;
    int64_t nnz = 0;
    *square = (mm_sparse){.nrow = fine->order, .ncol = fine->order, .field = MM_PATTERN};
    for (int64_t k = 0; k < fine->order; k++) {
        int64_t column = fine->column[k];
        place[column] = k;
        square->nnz += matrix->start[column + 1] - matrix->start[column];
    }
    BASE_TRY(mm_sparse_alloc(context, square, fine->order, false));
    for (int64_t k = 0; k < fine->order; k++) {
        int64_t column = fine->column[k];
        for (int64_t entry = matrix->start[column]; entry < matrix->start[column + 1]; entry++) {
            int64_t row = matrix->index[entry];
            if (coarse->row_part[row] == DM_SQUARE)
                square->index[nnz++] = place[coarse->matching.column_of_row[row]];
        }
        square->start[k + 1] = nnz;
    }
    square->nnz = nnz;
done:
    return status;
}

/* BTF's order within a component is that of its search; theirs become ascending columns here, so that an
 * irreducible matrix keeps its columns in place. `component` and `sorted` are workspace of `order` words. */
static void sort_components(dm_fine *fine, const int64_t *place, int64_t *component, int64_t *sorted) {
    for (int64_t b = 0; b < fine->nblock; b++)
        for (int64_t k = fine->start[b]; k < fine->start[b + 1]; k++)
            component[place[k]] = b;
    for (int64_t k = 0; k < fine->order; k++)
        sorted[fine->start[component[k]]++] = fine->column[k];
    for (int64_t b = fine->nblock; b > 0; b--)
        fine->start[b] = fine->start[b - 1];
    fine->start[0] = 0;
    memcpy(fine->column, sorted, (size_t)fine->order * sizeof *sorted);
}

/* `matched` is NULL where the matched entries stand on the diagonal of S already; otherwise the column
 * matched to each row, and S the whole matrix. */
static void find_components(base_context *context, const mm_sparse *square, const int64_t *matched,
                            int64_t *work, dm_fine *fine) {
    int64_t order = fine->order, *place = work + 4 * order, *column = NULL;
    if (matched != NULL) {
        column = work + 5 * order;
        memcpy(column, matched, (size_t)order * sizeof *column);
    }
    base_progress_start(context, "components", 0, NULL);
    fine->nblock = btf_l_strongcomp(order, square->start, square->index, column, place, fine->start, work);
    base_progress_finish(context);
    sort_components(fine, column != NULL ? column : place, work, work + order);
}

int64_t dm_fine_words(int64_t nrow, int64_t ncol) {
    int64_t order = nrow < ncol ? nrow : ncol;
    return 6 * order > ncol ? 6 * order : ncol;
}

base_status dm_fine_find(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                         int64_t *work, dm_fine *fine) {
    base_status status = BASE_OK;
    mm_sparse square = {0};
    fine->order = fine->nblock = 0;
    fine->start[0] = 0;
    for (int64_t j = 0; j < matrix->ncol; j++)
        if (coarse->column_part[j] == DM_SQUARE)
            fine->column[fine->order++] = j;
    if (fine->order == 0)
        goto done;
    if (fine->order == matrix->nrow && fine->order == matrix->ncol) {
        find_components(context, matrix, coarse->matching.column_of_row, work, fine);
    } else {
        BASE_TRY(extract_square(context, matrix, coarse, fine, work, &square));
        find_components(context, &square, NULL, work, fine);
    }
done:
    mm_sparse_free(&square);
    return status;
}
