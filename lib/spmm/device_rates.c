/* What the things that a product does take on an H200 (141 GB); other devices are taken to be as balanced.
 *
 * The table is what pipelines/fit_spmm_prices.py makes of times of 22 matrices of different kinds and some
 * small ones with 32, 128 and 512 columns; it says how. Whoever changes a kernel or what is counted of it
 * replaces the lines by those of
 *
 *     bench_gpu_spmm -a -k chosen,families > families.txt
 *     bench_gpu_spmm -a -k chosen,families -m small > small.txt
 *     pipelines/fit_spmm_prices.py --small small.txt families.txt
 *
 * No start is below 4 microseconds (an empty kernel takes 4.35), no byte of A, B and C below 0.05 ps or,
 * beyond the cache, 0.1; 0 is what does not show. Half of the times are met within a tenth. */
#include "spmm/device_price.h"

typedef struct rates_of {
    spmm_device_family family;
    unsigned precisions; /* a bit for each */
    bool in_rings;       /* blocks_… of which spmm_device_in_rings holds */
    double rate[SPMM_TERMS];
} rates_of;

enum {
    SHORT = 1 << SPMM_FP16 | 1 << SPMM_BF16,
    TF32 = 1 << SPMM_TF32,
    THREE = 1 << SPMM_3XTF32,
    FULL = THREE | 1 << SPMM_FP32,
    SINGLE = TF32 | FULL,
    DOUBLE = 1 << SPMM_FP64
};

/* start, chain and meet in microseconds; far, near, entry, step, flop, warm and cold in picoseconds */
/* clang-format off */
static const rates_of table[] = {
    {SPMM_FAMILY_ROWS, SHORT, false, {5.77, 0, 0, 0.0879, 0.053, 7.33, 0, 0, 0.212, 0.396}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {4.87, 0, 0, 0.0849, 0.0411, 3.6, 0, 0, 0.164, 0.283}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {5.23, 0, 0, 0.0897, 0.0437, 3.86, 0, 0, 0.183, 0.414}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.0482, 13.9, 0.102, 0.083, 0, 20.3, 0, 0.05, 0.169}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4.13, 0.0278, 5.45, 0.0959, 0.0604, 0, 23.7, 0, 0.05, 0.134}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {4.42, 0.0364, 4.35, 0.0994, 0.0633, 0, 16.2, 0, 0.05, 0.13}},
    {SPMM_FAMILY_STAGES, SINGLE, false, {4, 0.0751, 0, 0.0564, 0.015, 11.4, 0, 0, 0.0698, 0.212}},
    {SPMM_FAMILY_STAGES, DOUBLE, false, {4, 0.0676, 0, 0.0779, 0.015, 3.9, 0, 0, 0.0942, 0.193}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {4, 0.124, 0, 0.101, 0.0573, 0, 19.4, 0, 0.128, 0.231}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {4.54, 0.0332, 0, 0.0984, 0.0168, 1.39, 37.4, 0, 0.05, 0.101}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {4.79, 0.0641, 0, 0.0941, 0.0248, 0, 15.3, 0, 0.05, 0.174}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4, 0.0289, 1.36, 0, 0.0565, 0, 66.7, 0, 0.05, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.29, 0.0145, 1.81, 0, 0.0378, 0, 29.9, 0, 0.352, 0.1}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {5.61, 0.00993, 2.68, 0, 0.0467, 0, 19.7, 0, 0.347, 1.86}},
    {SPMM_FAMILY_PANELS, SHORT, false, {13.8, 0, 0, 0, 0, 0, 0, 5.29, 0.115, 1.41}},
    {SPMM_FAMILY_PANELS, TF32, false, {15.4, 0, 0, 0, 0, 0, 0, 8.57, 0.109, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.6, 0, 0, 0, 0, 0, 0, 22.7, 0.05, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.4, 0, 0, 0, 0, 0, 0, 30.3, 0.05, 0.289}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.6, 0, 0, 0, 0, 0, 0, 3.72, 0.171, 0.471}},
    {SPMM_FAMILY_BANDS, TF32, false, {10.3, 0, 0, 0, 0, 0, 0, 10.4, 0.169, 0.446}},
    {SPMM_FAMILY_BANDS, THREE, false, {9.73, 0, 0, 0, 0, 0, 0, 18.5, 0.142, 0.955}},
    {SPMM_FAMILY_SPLITS, THREE, false, {12.5, 0, 0, 0, 0, 0, 0, 6.94, 0.05, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {4.65, 0.408, 0, 0.227, 0.174, 0, 2160, 0, 0.0812, 0.284}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {5.69, 0.328, 0, 0.262, 0.164, 0.815, 1820, 0, 0.0605, 0.226}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {6.53, 0.303, 0, 0.437, 0.327, 1.54, 0, 0, 0.176, 0.168}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {10.7, 0.113, 0, 0.65, 0, 2.56, 0, 0, 0.05, 0.174}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {4.27, 0.222, 0, 0.154, 0.151, 0.667, 221, 0, 0.217, 0.244}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4.07, 0.253, 0, 0.154, 0.157, 0.507, 12.4, 0, 0.349, 0.337}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {5.88, 0.319, 0, 0.151, 0.0989, 3.2, 274, 0, 0.0606, 0.241}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {6.92, 0.372, 0, 0.15, 0.0993, 3.62, 0, 0, 0.0726, 0.321}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {5.72, 0.408, 0, 0.142, 0.0808, 4.36, 219, 0, 0.16, 0.226}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {5.24, 0.278, 0, 0.2, 0.125, 0.684, 828, 0, 0.05, 0.335}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {6.83, 0.485, 0, 0.193, 0.113, 1.59, 0, 0, 0.05, 0.277}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {7.97, 0.335, 0, 0.238, 0.119, 1.87, 0, 0, 0.215, 0.388}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {7.54, 0.268, 0, 0.25, 0.193, 2.21, 0, 0, 0.213, 0.328}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {5.31, 0.388, 0, 0.27, 0.238, 1.48, 0, 0, 0.238, 0.555}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {4.26, 0.666, 0, 0.119, 0.0717, 0, 0, 0, 0.174, 0.226}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4, 0.168, 0, 0.143, 0.112, 0, 505, 0, 0.05, 0.131}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {5.82, 0.108, 0, 0.161, 0.0997, 0, 604, 0, 0.107, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {6.1, 0.25, 0, 0.216, 0.18, 0, 535, 0, 0.05, 0.1}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {4.19, 0.154, 0, 0.163, 0.124, 0, 1020, 0, 0.238, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {6.3, 0.182, 0, 0.169, 0.142, 0, 0, 0, 0.134, 0.262}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4.09, 0.248, 0, 0.122, 0.103, 0, 917, 0, 0.05, 0.205}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {6.1, 0.438, 0, 0.171, 0.168, 0, 442, 0, 0.05, 0.116}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {5.31, 0.263, 0, 0.295, 0.178, 0, 562, 0, 0.246, 0.15}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {5.24, 0.131, 0, 0.179, 0.331, 0, 277, 0, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {7.49, 0, 0, 0, 0, 0, 0, 0.469, 0.0675, 0.533}},
    {SPMM_FAMILY_DENSE, TF32, false, {4, 0, 0, 0, 0, 0, 0, 1.67, 0.504, 0.134}},
    {SPMM_FAMILY_DENSE, FULL, false, {7.9, 0, 0, 0, 0, 0, 0, 19.4, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {8.25, 0, 0, 0, 0, 0, 0, 15, 0.05, 0.161}},
    {SPMM_FAMILY_TCA, SHORT, false, {16.9, 0, 0, 0, 1.27, 0, 3.6, 0, 0, 0}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {19.2, 0, 0, 0, 1.08, 0, 0, 0, 0, 0}},
};
/* clang-format on */

const double *spmm_device_rates(spmm_device_family family, spmm_precision precision,
                                const spmm_device_variant *v) {
    static const double none[SPMM_TERMS] = {0};
    const bool in_rings = spmm_device_in_rings(v);
    for (const rates_of *of = table; of < table + sizeof table / sizeof *table; of++)
        if (of->family == family && (of->precisions >> precision & 1) != 0 && of->in_rings == in_rings)
            return of->rate;
    return none;
}
