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
    {SPMM_FAMILY_ROWS, SHORT, false, {6.064, 0, 0, 0.08539, 0.05533, 7.654, 0, 0, 0.1914, 0.4163}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {5.03, 0, 0, 0.0849, 0.04242, 3.927, 0, 0, 0.1572, 0.2686}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {5.382, 0, 0, 0.08859, 0.04369, 3.725, 0, 0, 0.1808, 0.4171}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.04962, 13.78, 0.1019, 0.08248, 0, 19.96, 0, 0.05, 0.1739}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4.328, 0.02623, 5.263, 0.09484, 0.05994, 0, 23.87, 0, 0.05, 0.1417}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {4.456, 0.03532, 4.671, 0.09914, 0.06278, 0, 9.803, 0, 0.05, 0.14}},
    {SPMM_FAMILY_STAGES, SINGLE, false, {4, 0.07133, 0, 0.05708, 0.015, 10.84, 0, 0, 0.09373, 0.2137}},
    {SPMM_FAMILY_STAGES, DOUBLE, false, {4, 0.0653, 0, 0.07932, 0.015, 2.574, 0, 0, 0.1043, 0.2003}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {4, 0.1152, 0, 0.1018, 0.05728, 0, 16.27, 0, 0.1331, 0.2344}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {4.423, 0.02657, 0, 0.09977, 0.01622, 1.746, 36.33, 0, 0.05, 0.1}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {4.782, 0.05531, 0, 0.0922, 0.02699, 0, 14.26, 0, 0.05, 0.1795}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4, 0.03319, 1.034, 0, 0.05329, 0, 68.91, 0, 0.05, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.272, 0.01657, 1.785, 0, 0.03753, 0, 30.19, 0, 0.3201, 0.1}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {5.43, 0.01393, 2.517, 0, 0.04569, 0, 19.34, 0, 0.3459, 1.957}},
    {SPMM_FAMILY_PANELS, SHORT, false, {13.76, 0, 0, 0, 0, 0, 0, 5.319, 0.1137, 1.319}},
    {SPMM_FAMILY_PANELS, TF32, false, {15.37, 0, 0, 0, 0, 0, 0, 8.567, 0.1088, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.61, 0, 0, 0, 0, 0, 0, 22.71, 0.05, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.45, 0, 0, 0, 0, 0, 0, 30.26, 0.05, 0.2885}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.603, 0, 0, 0, 0, 0, 0, 3.76, 0.1676, 0.3874}},
    {SPMM_FAMILY_BANDS, TF32, false, {10.35, 0, 0, 0, 0, 0, 0, 10.44, 0.1675, 0.4492}},
    {SPMM_FAMILY_BANDS, THREE, false, {9.728, 0, 0, 0, 0, 0, 0, 18.51, 0.1399, 0.9589}},
    {SPMM_FAMILY_SPLITS, THREE, false, {12.45, 0, 0, 0, 0, 0, 0, 6.941, 0.05, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {4.614, 0.3988, 0, 0.2265, 0.1742, 0, 2329, 0, 0.08025, 0.2644}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {5.638, 0.3288, 0, 0.259, 0.1736, 0.758, 1619, 0, 0.07533, 0.2428}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {6.755, 0.271, 0, 0.441, 0.3187, 1.583, 0, 0, 0.1774, 0.1606}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {10.98, 0.1182, 0, 0.6404, 0, 2.391, 0, 0, 0.05, 0.1945}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {4.215, 0.239, 0, 0.1534, 0.1509, 0.6795, 229, 0, 0.204, 0.246}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4.187, 0.2542, 0, 0.1542, 0.1527, 0.6365, 24.36, 0, 0.3294, 0.3362}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {5.266, 0.3531, 0, 0.1516, 0.1091, 2.978, 171.1, 0, 0.09542, 0.2528}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {6.039, 0.4181, 0, 0.1506, 0.1094, 3.479, 0, 0, 0.1051, 0.3171}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {4.925, 0.4628, 0, 0.1419, 0.09034, 4.155, 175.9, 0, 0.1555, 0.2339}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {5.224, 0.2789, 0, 0.1996, 0.1357, 0.6518, 784.2, 0, 0.05955, 0.3358}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {5.929, 0.5361, 0, 0.1914, 0.1226, 1.598, 0, 0, 0.05, 0.2796}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {6.76, 0.4187, 0, 0.2347, 0.13, 1.825, 0, 0, 0.2082, 0.3977}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {6.347, 0.3391, 0, 0.2476, 0.2096, 2.222, 0, 0, 0.2037, 0.326}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {6.371, 0.3441, 0, 0.2765, 0.2204, 1.703, 0, 0, 0.1442, 0.5531}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {5.003, 0.672, 0, 0.1186, 0.06945, 0, 0, 0, 0.1512, 0.2297}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4, 0.1769, 0, 0.1402, 0.1089, 0, 520.7, 0, 0.05, 0.1327}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {5.396, 0.1111, 0, 0.1624, 0.09389, 0, 543.1, 0, 0.13, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {5.223, 0.2662, 0, 0.2177, 0.1744, 0, 500.6, 0, 0.08234, 0.1}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {4, 0.1708, 0, 0.1637, 0.1235, 0, 1049, 0, 0.2296, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {5.601, 0.2058, 0, 0.1672, 0.1495, 0, 0, 0, 0.1663, 0.2612}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4.587, 0.2297, 0, 0.1242, 0.1085, 0, 767.6, 0, 0.05, 0.2073}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {5.803, 0.4623, 0, 0.1708, 0.1772, 0, 348, 0, 0.05, 0.1199}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {4, 0.3065, 0, 0.2924, 0.184, 0, 353.6, 0, 0.2832, 0.1648}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {5.08, 0.1272, 0, 0.1786, 0.312, 0, 707, 0, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {7.26, 0, 0, 0, 0, 0, 0, 0.4929, 0.08727, 0.433}},
    {SPMM_FAMILY_DENSE, TF32, false, {4, 0, 0, 0, 0, 0, 0, 1.694, 0.4919, 0.1389}},
    {SPMM_FAMILY_DENSE, FULL, false, {7.901, 0, 0, 0, 0, 0, 0, 19.44, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {8.253, 0, 0, 0, 0, 0, 0, 15.04, 0.05, 0.1615}},
    {SPMM_FAMILY_TCA, SHORT, false, {15.79, 0, 0, 0, 1.315, 0, 2.734, 0, 0, 0}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {19.7, 0, 0, 0, 1.085, 0, 0, 0, 0, 0}},
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
