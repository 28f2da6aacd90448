#include "base/progress.h"
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREPARED = 5 }; /* preparations of which the median is taken */

/* The cheapest family, and what it costs; 0 seconds: none. */
static spmm_device_family choose(const base_device_properties *device, const spmm_problem *problem,
                                 spmm_price *least, char name[80]) {
    spmm_device_family best = SPMM_FAMILY_ROWS;
    *least = (spmm_price){0};
    for (int family = 0; family <= SPMM_FAMILY_MIX; family++) {
        spmm_device_variant variant;
        spmm_device_mix mix;
        spmm_price price;
        char parts[2][48];
        if (spmm_device_is_tca((spmm_device_family)family))
            continue;
        if (family == SPMM_FAMILY_MIX)
            spmm_device_mix_price(device, problem, &mix, &price);
        else
            spmm_device_price((spmm_device_family)family, device, problem, &variant, &price);
        if (price.seconds == 0 || (least->seconds > 0 && price.seconds >= least->seconds))
            continue;
        *least = price;
        best = (spmm_device_family)family;
        if (family == SPMM_FAMILY_MIX) {
            for (int k = 0; k < 2; k++)
                spmm_device_variant_name(problem->precision, &mix.variant[k], parts[k]);
            snprintf(name, 80, "%.30s + %.30s", parts[0], parts[1]);
        } else if (family == SPMM_FAMILY_DENSE)
            snprintf(name, 80, "dense");
        else
            spmm_device_variant_name(problem->precision, &variant, name);
    }
    return best;
}

base_status bench_spmm_try_chosen(bench *it) {
    base_status status;
    const base_device_properties *device = base_device_get_properties(it->device);
    spmm_problem problem = {.precision = it->precision, .a = it->a, .n = it->n, .narrow_c = true}, other;
    spmm_device_work work = {.device = NULL};
    spmm_preparation took;
    spmm_price price, second;
    double prepare[PREPARED];
    char name[80] = "", second_name[80] = "";
    const double start = base_clock_seconds();
    BASE_TRY(spmm_inspect(&it->context, &problem));
    spmm_device_family family = choose(device, &problem, &price, name);
    it->inspect_seconds = base_clock_seconds() - start;
    other = problem;
    other.precision = SPMM_3XTF32; /* counts as fp32 */
    const spmm_device_family second_family = choose(device, &other, &second, second_name);
    if (it->precision == SPMM_FP32 && second.seconds > 0 && second.seconds < price.seconds) {
        problem = other;
        family = second_family;
        memcpy(name, second_name, sizeof name);
    }
    for (int k = 0; k <= PREPARED; k++) { /* the first loads the code */
        spmm_device_work_free(&work);
        BASE_TRY(spmm_device_work_init(&it->context, it->device, &problem, family, &work, &took));
        if (k > 0)
            prepare[k - 1] = took.format_seconds;
    }
    qsort(prepare, PREPARED, sizeof *prepare, bench_spmm_compare);
    it->prepare_seconds = prepare[PREPARED / 2];
    BASE_TRY(bench_spmm_try(it, &(candidate){CHOSEN, &work, NULL, NULL}, name, it->prepare_seconds));
done:
    spmm_device_work_free(&work);
    return status;
}
