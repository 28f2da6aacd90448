#include "dm/fine.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/btf.h>

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "BTF's long version takes 64-bit integers");

/* S with rows and columns numbered by the place of their column in fine->column. */
typedef struct square {
    int64_t *start, *index;
} square;

static base_status extract_square(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                                  const dm_fine *fine, square *square) {
    base_status status = BASE_OK;
    int64_t nnz = 0, *place = base_alloc(context, matrix->ncol, sizeof *place);
    square->start = base_alloc(context, fine->order + 1, sizeof *square->start);
    if (place == NULL || square->start == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int64_t k = 0; k < fine->order; k++) {
        int64_t column = fine->column[k];
        place[column] = k;
        nnz += matrix->start[column + 1] - matrix->start[column];
    }
    square->index = base_alloc(context, nnz, sizeof *square->index);
    if (square->index == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    nnz = 0;
    for (int64_t k = 0; k < fine->order; k++) {
        int64_t column = fine->column[k];
        square->start[k] = nnz;
        for (int64_t entry = matrix->start[column]; entry < matrix->start[column + 1]; entry++) {
            int64_t row = matrix->index[entry];
            if (coarse->row_part[row] == DM_SQUARE)
                square->index[nnz++] = place[coarse->matching.column_of_row[row]];
        }
    }
    square->start[fine->order] = nnz;
done:
    free(place);
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
static base_status find_components(base_context *context, const square *square, const int64_t *matched,
                                   dm_fine *fine) {
    base_status status = BASE_OK;
    int64_t order = fine->order, *work = base_alloc(context, 6 * order, sizeof *work);
    if (work == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    int64_t *place = work + 4 * order, *column = NULL;
    if (matched != NULL) {
        column = work + 5 * order;
        memcpy(column, matched, (size_t)order * sizeof *column);
    }
    fine->nblock = btf_l_strongcomp(order, square->start, square->index, column, place, fine->start, work);
    sort_components(fine, column != NULL ? column : place, work, work + order);
done:
    free(work);
    return status;
}

base_status dm_fine_find(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                         dm_fine *fine) {
    base_status status = BASE_OK;
    square square = {NULL, NULL};
    *fine = (dm_fine){0};
    for (int64_t j = 0; j < matrix->ncol; j++)
        fine->order += coarse->column_part[j] == DM_SQUARE;
    fine->column = base_alloc(context, fine->order, sizeof *fine->column);
    fine->start = base_alloc(context, fine->order + 1, sizeof *fine->start);
    if (fine->column == NULL || fine->start == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int64_t j = 0, k = 0; j < matrix->ncol; j++)
        if (coarse->column_part[j] == DM_SQUARE)
            fine->column[k++] = j;
    fine->start[0] = 0;
    if (fine->order == 0)
        goto done;
    if (fine->order == matrix->nrow && fine->order == matrix->ncol) {
        struct square whole = {matrix->start, matrix->index};
        BASE_TRY(find_components(context, &whole, coarse->matching.column_of_row, fine));
    } else {
        BASE_TRY(extract_square(context, matrix, coarse, fine, &square));
        BASE_TRY(find_components(context, &square, NULL, fine));
    }
done:
    free(square.start);
    free(square.index);
    if (status != BASE_OK)
        dm_fine_free(fine);
    return status;
}

void dm_fine_free(dm_fine *fine) {
    if (fine == NULL)
        return;
    free(fine->column);
    free(fine->start);
    *fine = (dm_fine){0};
}
