#include "spmm/device/table.h"
#include "spmm/cpu/cpu.h"

const spmm_kernel *const *spmm_kernels(void) {
    static const spmm_kernel *const kernels[] = {
        &spmm_cpu_ref,
        &spmm_cpu_portable,
#if defined(__x86_64__)
        &spmm_cpu_avx2,
        &spmm_cpu_avx512,
#endif
        &spmm_device_rows_kernel,
        &spmm_device_runs_kernel,
        &spmm_device_stages_kernel,
        &spmm_device_strips_kernel,
        &spmm_device_slabs_kernel,
        &spmm_device_panels_kernel,
        &spmm_device_bands_kernel,
        &spmm_device_rings16_kernel,
        &spmm_device_rings32_kernel,
        &spmm_device_rings64_kernel,
        &spmm_device_rings128_kernel,
        &spmm_device_windows8_kernel,
        &spmm_device_splits_kernel,
        &spmm_device_windows16_kernel,
        &spmm_device_windows32_kernel,
        &spmm_device_windows64_kernel,
        &spmm_device_blocks16_kernel,
        &spmm_device_blocks32_kernel,
        &spmm_device_dense_kernel,
        &spmm_device_mix_kernel,
        &spmm_device_tca_kernel,
        &spmm_device_tca_row_kernel,
        NULL,
    };
    return kernels;
}

const char *spmm_precision_name(spmm_precision precision) {
    static const char *const names[] = {"fp16", "bf16", "tf32", "3xtf32", "fp32", "fp64"};
    return names[precision];
}

int64_t spmm_c_bytes(const spmm_problem *problem) {
    if (problem->narrow_c)
        return spmm_format_bytes(spmm_format_of(problem->precision));
    return problem->precision == SPMM_FP64 ? 8 : 4;
}
