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
 * No start is below 4 microseconds (an empty kernel takes 4.35), of cuBLAS 8, no byte of A, B and C below
 * 0.05 ps or, beyond the cache, 0.1; 0 is what does not show. Half of the times are met within a tenth. */
#include "spmm/device/price.h"

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
    {SPMM_FAMILY_ROWS, SHORT, false, {6.103, 0, 0, 0.08891, 0.04875, 6.104, 0, 0, 0.2232, 0.3965}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {5.21, 0, 0, 0.08349, 0.04135, 3.674, 0, 0, 0.1314, 0.2978}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {5.335, 0, 0, 0.08834, 0.04355, 3.958, 0, 0, 0.1875, 0.4185}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.04814, 13.98, 0.1017, 0.08545, 0, 21.82, 0, 0.05, 0.163}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4.304, 0.03078, 4.783, 0.0968, 0.05902, 0, 24.91, 0, 0.05, 0.1273}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {4.412, 0.03424, 4.933, 0.09924, 0.06218, 0, 21.64, 0, 0.05, 0.1278}},
    {SPMM_FAMILY_STAGES, SINGLE, false, {4, 0.08002, 0, 0.0531, 0.015, 11.51, 0, 0, 0.08779, 0.2174}},
    {SPMM_FAMILY_STAGES, DOUBLE, false, {4, 0.06738, 0, 0.07823, 0.015, 3.381, 0, 0, 0.1057, 0.1932}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {4.027, 0.07717, 0, 0.09459, 0.05949, 0, 18.06, 0, 0.16, 0.2288}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {4.259, 0.05122, 0, 0.09087, 0.01782, 1.766, 30.09, 0, 0.05, 0.131}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {4.533, 0.06334, 0, 0.09234, 0.02547, 0, 16.43, 0, 0.05, 0.1739}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4, 0.03154, 0.9013, 0, 0.05302, 0, 71.19, 0, 0.05, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.463, 0.0156, 1.751, 0, 0.03604, 0, 25.83, 0, 0.3961, 0.1}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {5.497, 0.01423, 2.231, 0, 0.04571, 0, 19.9, 0, 0.3288, 1.977}},
    {SPMM_FAMILY_PANELS, SHORT, false, {13.48, 0, 0, 0, 0, 0, 0, 5.468, 0.1111, 0.4591}},
    {SPMM_FAMILY_PANELS, TF32, false, {15.64, 0, 0, 0, 0, 0, 0, 8.513, 0.1108, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.67, 0, 0, 0, 0, 0, 0, 22.71, 0.05, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.35, 0, 0, 0, 0, 0, 0, 30.31, 0.05, 0.2945}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.513, 0, 0, 0, 0, 0, 0, 3.763, 0.1711, 0.3067}},
    {SPMM_FAMILY_BANDS, TF32, false, {9.95, 0, 0, 0, 0, 0, 0, 10.48, 0.2666, 0.1759}},
    {SPMM_FAMILY_BANDS, THREE, false, {9.608, 0, 0, 0, 0, 0, 0, 18.48, 0.1502, 0.9647}},
    {SPMM_FAMILY_SPLITS, THREE, false, {13.28, 0, 0, 0, 0, 0, 0, 7.153, 0.05, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {4.734, 0.3938, 0, 0.226, 0.1764, 0, 2093, 0, 0.09224, 0.2902}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {5.742, 0.3262, 0, 0.2598, 0.177, 0.7276, 1530, 0, 0.06534, 0.248}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {6.771, 0.2606, 0, 0.4416, 0.3242, 1.494, 0, 0, 0.1967, 0.1572}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {9.596, 0.3186, 0, 0.5651, 0, 1.663, 0, 0, 0.05, 0.3377}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {4.225, 0.2329, 0, 0.153, 0.1507, 0.7396, 227.5, 0, 0.2058, 0.2467}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4.254, 0.2478, 0, 0.1537, 0.1518, 0.7264, 19.86, 0, 0.321, 0.339}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {5.234, 0.3666, 0, 0.1507, 0.1098, 3.022, 151.7, 0, 0.0925, 0.2578}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {6.044, 0.4214, 0, 0.1509, 0.1106, 3.47, 0, 0, 0.101, 0.3177}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {4.859, 0.4649, 0, 0.1411, 0.089, 4.302, 204.3, 0, 0.1533, 0.2306}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {5.19, 0.2826, 0, 0.1987, 0.1391, 0.6591, 841.6, 0, 0.05308, 0.3275}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {5.787, 0.548, 0, 0.1902, 0.1233, 1.564, 0, 0, 0.05, 0.2878}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {6.742, 0.4227, 0, 0.2345, 0.1338, 1.817, 0, 0, 0.2012, 0.4002}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {6.365, 0.3451, 0, 0.2477, 0.2052, 2.235, 0, 0, 0.1981, 0.3269}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {6.47, 0.3428, 0, 0.2744, 0.2255, 1.852, 0, 0, 0.1224, 0.5496}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {4.96, 0.6539, 0, 0.1195, 0.07666, 0, 0, 0, 0.1531, 0.2232}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4.038, 0.1754, 0, 0.1387, 0.107, 0, 508.4, 0, 0.05, 0.1397}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {6.215, 0.07412, 0, 0.1644, 0.1096, 0, 531.7, 0, 0.06769, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {5.709, 0.185, 0, 0.2202, 0.1394, 0, 460.7, 0, 0.09787, 0.1}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {4, 0.2132, 0, 0.1604, 0.1241, 0, 1057, 0, 0.2281, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {6.101, 0.1963, 0, 0.1667, 0.139, 0, 0, 0, 0.146, 0.2665}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4.589, 0.2271, 0, 0.1254, 0.1097, 0, 734.7, 0, 0.05, 0.2063}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {5.701, 0.4588, 0, 0.1694, 0.1708, 0, 345.9, 0, 0.06021, 0.1238}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {4.023, 0.3099, 0, 0.2911, 0.1995, 0, 455.4, 0, 0.2734, 0.1566}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {4.807, 0.1492, 0, 0.1721, 0.3001, 0, 1284, 0, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {8, 0, 0, 0, 0, 0, 0, 0.4662, 0.05558, 0.5105}},
    {SPMM_FAMILY_DENSE, TF32, false, {8, 0, 0, 0, 0, 0, 0, 1.807, 0.2726, 0.1898}},
    {SPMM_FAMILY_DENSE, FULL, false, {8.396, 0, 0, 0, 0, 0, 0, 19.17, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {8.245, 0, 0, 0, 0, 0, 0, 15.05, 0.05, 0.1475}},
    {SPMM_FAMILY_TCA, SHORT, false, {15.77, 0, 0, 0, 1.301, 0, 2.856, 0, 0, 0}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {19.58, 0, 0, 0, 1.081, 0, 0, 0, 0, 0}},
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
