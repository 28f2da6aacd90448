/* Estimates: what is remembered of this processor, and what is refused for it. */
#include "perm/estimate.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static char folder[] = "/tmp/mmpipe-estimate.XXXXXX";
    char command[64];
    base_context context;
    base_context_init(&context);
    if (mkdtemp(folder) == NULL)
        return 1;
    setenv("MMPIPE_CACHE", folder, 1);
    const double measured = perm_calibration(&context);
    tap_ok(measured >= 0.1 && measured <= 100, "a measurement: %.3g times the price", measured);
    tap_ok(perm_calibration(&context) == measured, "... is remembered to the last bit");

    tap_ok(perm_device_calibration(&context, NULL) == 1, "nothing is measured without a device");
    const perm_calibrations here = {3, 2};
    perm_candidate way = {.name = "dense", .method = PERM_DENSE, .seconds = 100};
    tap_ok(perm_estimate_seconds(&way, here) == 300, "a price on a processor of a third of the speed");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 1, 0) == BASE_OK, "no limit");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 10, 31) == BASE_OK, "ten cores are fast enough");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 1, 250) == BASE_FAILED, "one is not");
    tap_ok(strstr(context.error.cause, "5 minutes") != NULL &&
               strstr(context.error.cause, "4.17 minutes") != NULL,
           "... and the message says why: %s", context.error.cause);
    way.method = PERM_DENSE_CUDA;
    tap_ok(perm_estimate_seconds(&way, here) == 200, "... on a device of half the speed");

    snprintf(command, sizeof command, "rm -r %s", folder);
    return tap_done() | (system(command) != 0);
}
