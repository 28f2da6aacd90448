/* What the things that a product does take on an H200 (141 GB); other devices are taken to be as balanced.
 *
 * The table is what pipelines/fit_spmm_prices.py makes of times of 22 matrices of different kinds with 32,
 * 128 and 512 columns; it says how. Whoever changes a kernel or what is counted of it replaces the lines by
 * those of
 *
 *     bench_gpu_spmm -a -k chosen,families > families.txt
 *     pipelines/fit_spmm_prices.py families.txt
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
    /* rates */
    {SPMM_FAMILY_ROWS, SHORT, false, {5.65, 0, 0, 0.0897, 0.0512, 6.88, 0, 0, 0.238, 0.39}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {4.64, 0, 0, 0.0868, 0.0333, 3.82, 0, 0, 0.148, 0.252}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {4.59, 0, 0, 0.0904, 0.0495, 6.69, 0, 0, 0.37, 0.407}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.041, 14.7, 0.105, 0.0792, 0, 30.8, 0, 0.05, 0.156}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4, 0.0219, 6.28, 0.0965, 0.0606, 0, 28.5, 0, 0.05, 0.119}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {4, 0.0506, 3.81, 0.103, 0.0748, 0, 41, 0, 0.05, 0.108}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {5.13, 0.172, 0, 0.1, 0.0587, 0, 26.2, 0, 0.113, 0.211}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {5.6, 0.0585, 0, 0.1, 0.0386, 0, 27.7, 0, 0.05, 0.157}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {7.47, 0.0932, 0, 0.101, 0.0581, 0, 0, 0, 0.195, 0.182}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4, 0.0205, 1.62, 0, 0.0597, 0, 64.8, 0, 0.122, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.29, 0.0125, 1.84, 0, 0.038, 0, 29.5, 0, 0.389, 0.1}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {6.31, 0.00622, 2.5, 0, 0.0477, 0, 17.2, 0, 0.334, 1.82}},
    {SPMM_FAMILY_PANELS, SHORT, false, {14.1, 0, 0, 0, 0, 0, 0, 4.7, 0.127, 2.51}},
    {SPMM_FAMILY_PANELS, TF32, false, {15.2, 0, 0, 0, 0, 0, 0, 8.61, 0.12, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.4, 0, 0, 0, 0, 0, 0, 23.1, 0.05, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.4, 0, 0, 0, 0, 0, 0, 30.3, 0.05, 0.292}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.45, 0, 0, 0, 0, 0, 0, 3.71, 0.179, 0.47}},
    {SPMM_FAMILY_BANDS, TF32, false, {10.4, 0, 0, 0, 0, 0, 0, 10.4, 0.187, 0.423}},
    {SPMM_FAMILY_BANDS, THREE, false, {9.76, 0, 0, 0, 0, 0, 0, 18.3, 0.172, 0.864}},
    {SPMM_FAMILY_SPLITS, THREE, false, {4, 0, 0, 0, 0, 0, 0, 7, 0.328, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {6.97, 0.361, 0, 0.226, 0.17, 0, 1770, 0, 0.05, 0.343}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {8.37, 0.269, 0, 0.267, 0.142, 0.534, 924, 0, 0.05, 0.262}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {8.38, 0.381, 0, 0.427, 0.288, 1.11, 0, 0, 0.138, 0.202}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {6.76, 0.549, 0, 0.527, 0, 0.434, 10800, 0, 0.05, 0.253}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {5.19, 0.176, 0, 0.154, 0.148, 0.608, 176, 0, 0.238, 0.256}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4, 0.246, 0, 0.154, 0.167, 0.431, 8.49, 0, 0.352, 0.346}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {6.69, 0.28, 0, 0.15, 0.0881, 3.34, 236, 0, 0.05, 0.248}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {8.22, 0.317, 0, 0.151, 0.0927, 3.57, 0, 0, 0.05, 0.32}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {7.79, 0.254, 0, 0.142, 0.0736, 4.64, 931, 0, 0.197, 0.126}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {5.45, 0.276, 0, 0.199, 0.117, 0.588, 762, 0, 0.0709, 0.361}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {7.9, 0.424, 0, 0.198, 0.114, 1.47, 0, 0, 0.05, 0.277}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {9.4, 0.304, 0, 0.236, 0.132, 1.68, 0, 0, 0.183, 0.398}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {10.5, 0.115, 0, 0.253, 0.169, 2.4, 426, 0, 0.224, 0.264}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {4, 0.44, 0, 0.26, 0.263, 1.23, 0, 0, 0.364, 0.566}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {15, 0.359, 0, 0.115, 0.0544, 0, 0, 0, 0.05, 0.186}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {4, 0.187, 0, 0.165, 0.112, 0, 0, 0, 0.176, 0.279}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4, 0.157, 0, 0.151, 0.115, 0, 514, 0, 0.05, 0.124}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {7.57, 0.0499, 0, 0.162, 0.143, 0, 509, 0, 0.05, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {7.33, 0.603, 0, 0.17, 0.158, 0, 0, 0, 0.116, 0.307}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {7.39, 0.0638, 0, 0.16, 0.13, 0, 967, 0, 0.165, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4, 0.253, 0, 0.118, 0.1, 0, 960, 0, 0.05, 0.211}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {6.51, 0.406, 0, 0.17, 0.131, 0, 551, 0, 0.05, 0.12}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {8.54, 0.293, 0, 0.297, 0.161, 0, 569, 0, 0.05, 0.167}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {4, 0.185, 0, 0.167, 0.306, 0, 1390, 0, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {7.92, 0, 0, 0, 0, 0, 0, 0.478, 0.05, 0.574}},
    {SPMM_FAMILY_DENSE, TF32, false, {4, 0, 0, 0, 0, 0, 0, 1.67, 0.514, 0.127}},
    {SPMM_FAMILY_DENSE, FULL, false, {7.98, 0, 0, 0, 0, 0, 0, 19.4, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {4, 0, 0, 0, 0, 0, 0, 14.9, 0.188, 0.158}},
    {SPMM_FAMILY_TCA, SHORT, false, {27.9, 0, 0, 0, 1.05, 0, 13.5, 0, 0.05, 0.1}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {24.7, 0, 0, 0, 0.809, 0, 55.9, 0, 0.05, 0.1}},
    /* end of rates */
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
