#include "spmm/product.h"
#include "base/progress.h"

#include <string.h>

base_status spmm_pick(base_context *context, const char *name, const spmm_machine *machine,
                      const spmm_problem *problem, const spmm_kernel **kernel) {
    double best = 0;
    *kernel = NULL;
    for (const spmm_kernel *const *entry = spmm_kernels(); *entry != NULL; entry++) {
        spmm_price price;
        if (name != NULL && strcmp(name, (*entry)->name) != 0)
            continue;
        (*entry)->price(machine, problem, &price);
        if (name != NULL && price.seconds == 0)
            return base_fail(context, BASE_FAILED, "kernel %s: %s", name, price.reason);
        if (price.seconds > 0 && (*kernel == NULL || price.seconds < best)) {
            *kernel = *entry;
            best = price.seconds;
        }
    }
    if (*kernel == NULL)
        return base_fail(context, BASE_USAGE, "--kernel: there is no %s; see --kernel list", name);
    return BASE_OK;
}

base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product) {
    const double start = base_clock_seconds();
    *product = (spmm_product){.kernel = kernel, .problem = problem};
    const base_status status = kernel->prepare(context, machine, problem, &product->plan);
    product->prepare_seconds = base_clock_seconds() - start;
    if (status != BASE_OK)
        spmm_product_close(product);
    return status;
}

base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands) {
    base_status status = BASE_OK;
    if (product->problem->a.nrow == 0 || product->problem->n == 0)
        goto done;
    BASE_TRY(product->kernel->load(context, product->plan, operands));
    BASE_TRY(product->kernel->multiply(context, product->plan, false, NULL));
    BASE_TRY(product->kernel->store(context, product->plan));
done:
    return status;
}

void spmm_product_close(spmm_product *product) {
    if (product == NULL || product->kernel == NULL)
        return;
    product->kernel->release(product->plan);
    memset(product, 0, sizeof *product);
}
