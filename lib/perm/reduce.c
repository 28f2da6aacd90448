#include "perm/reduce.h"
#include "perm/elimination.h"

base_status perm_reduce(base_context *context, const perm_matrix *matrix, perm_matrix *reduced,
                        perm_value *factor) {
    base_status status;
    perm_elimination e;
    *reduced = (perm_matrix){0};
    BASE_TRY(perm_elimination_init(context, matrix, &e));
    BASE_TRY(perm_elimination_run(&e, 0));
    if (e.zero) {
        perm_value_set_integer(factor, 0);
        BASE_TRY(perm_matrix_alloc(context, 0, 0, matrix->field, reduced));
        goto done;
    }
    perm_product_finish(&e.factor, factor);
    BASE_TRY(perm_elimination_rest(&e, matrix->field, reduced));
done:
    perm_elimination_free(&e);
    return status;
}
