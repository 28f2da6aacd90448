/* What more digits than those of doubles cost, in the price of a frontier (pricing.h). */
#include "perm/frontier/device.h"
#include "perm/frontier/pricing.h"

#include <math.h>

bool perm_frontier_may_need_more(const perm_matrix *matrix, const perm_frontier_choice *choice,
                                 const perm_candidate *candidate) {
    return choice->arithmetic == PERM_DOUBLE && candidate->seconds > 0 &&
           !perm_matrix_look(matrix).nonnegative;
}

void perm_frontier_add_more(double more_seconds, perm_candidate *candidate) {
    candidate->more_seconds = more_seconds;
    if (more_seconds > 0 && more_seconds < PERM_FEW_DIGITS_SECONDS)
        candidate->seconds += more_seconds;
    else
        candidate->lacking_seconds = fmax(more_seconds, PERM_FEW_DIGITS_SECONDS);
}

base_status perm_frontier_device_more(base_context *context, const base_device *device,
                                      const perm_matrix *matrix, const perm_frontier_choice *choice,
                                      double *more_seconds) {
    base_status status;
    perm_frontier_device_cost cost;
    *more_seconds = choice->more_seconds;
    BASE_TRY(perm_frontier_device_price(context, matrix, &choice->schedule, PERM_EXACT, &cost));
    if (perm_frontier_device_fits(device, &cost))
        *more_seconds = perm_frontier_device_seconds(&cost);
done:
    return status;
}
