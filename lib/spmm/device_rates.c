/* What the things that a product does take on an H200 (141 GB); other devices are taken to be as balanced.
 *
 * Measured: the table has the least relative errors for the times that `bench_gpu_spmm -a -k families` prints
 * for 22 matrices of different kinds with 32, 128 and 512 columns, for each kernel and format by itself.
 * Cases in which a kernel takes longer than the best one weigh that much less. No rate is below 0, no start
 * below 4 microseconds (an empty kernel takes 4.35), no byte beyond the cache below 0.1 ps; 0 is what does
 * not show. Half of the times are met within a tenth. */
#include "spmm/device_price.h"

typedef struct rates_of {
    spmm_device_family family;
    unsigned precisions; /* a bit for each */
    bool in_rings;       /* blocks_… whose kernel is one of rings_… */
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
    {SPMM_FAMILY_ROWS, SHORT, false, {6.09, 0, 0, 0.0911, 0.0513, 7.12, 0, 0, 0.204, 0.392}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {4.58, 0, 0, 0.0863, 0.0347, 3.65, 0, 0, 0.149, 0.266}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {4.55, 0, 0, 0.0902, 0.0496, 7.23, 0, 0, 0.384, 0.406}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.0407, 14.8, 0.106, 0.0828, 0, 31.3, 0, 0, 0.155}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4, 0.0256, 6.07, 0.098, 0.0616, 0, 35.7, 0, 0, 0.107}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {5.6, 0.0314, 3.58, 0.105, 0.0762, 0, 44.5, 0, 0, 0.1}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {4.71, 0.172, 0, 0.101, 0.0596, 0, 34, 0, 0.125, 0.184}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {7.07, 0.048, 0, 0.0998, 0.0388, 0, 24.8, 0, 0.0216, 0.16}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {7.99, 0.0884, 0, 0.102, 0.0604, 0, 0, 0, 0.171, 0.182}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4.14, 0.0501, 2.74, 0, 0.0644, 0, 0, 0, 0.497, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.36, 0.0274, 2.7, 0, 0.0428, 0, 0, 0, 0.423, 0.71}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {6.7, 0.0162, 2.57, 0, 0.0487, 0, 0, 0, 0.37, 1.72}},
    {SPMM_FAMILY_PANELS, SHORT, false, {14.1, 0, 0, 0, 0, 0, 0, 4.69, 0.128, 2.51}},
    {SPMM_FAMILY_PANELS, TF32, false, {15.2, 0, 0, 0, 0, 0, 0, 8.61, 0.12, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.8, 0, 0, 0, 0, 0, 0, 23.4, 0, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.9, 0, 0, 0, 0, 0, 0, 30.4, 0, 0.321}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.45, 0, 0, 0, 0, 0, 0, 3.71, 0.179, 0.473}},
    {SPMM_FAMILY_BANDS, TF32, false, {10.4, 0, 0, 0, 0, 0, 0, 10.4, 0.187, 0.422}},
    {SPMM_FAMILY_BANDS, THREE, false, {9.73, 0, 0, 0, 0, 0, 0, 18.2, 0.198, 0.803}},
    {SPMM_FAMILY_SPLITS, THREE, false, {4, 0, 0, 0, 0, 0, 0, 6.32, 0.329, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {4.36, 0.401, 0, 0.226, 0.178, 0, 2060, 0, 0.0821, 0.304}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {8.73, 0.259, 0, 0.269, 0.159, 0.663, 1210, 0, 0, 0.233}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {9.9, 0.364, 0, 0.432, 0.332, 1.31, 0, 0, 0.0651, 0.181}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {6.65, 0.535, 0, 0.536, 0, 0.84, 13100, 0, 0, 0.187}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {5.53, 0.16, 0, 0.155, 0.148, 0.604, 185, 0, 0.227, 0.25}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4, 0.244, 0, 0.155, 0.167, 0.441, 28.3, 0, 0.348, 0.34}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {7.08, 0.267, 0, 0.15, 0.0892, 3.35, 300, 0, 0.0362, 0.239}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {8.76, 0.311, 0, 0.151, 0.0951, 3.73, 78.3, 0, 0, 0.308}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {7.79, 0.254, 0, 0.142, 0.0736, 4.64, 931, 0, 0.197, 0.126}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {5.16, 0.285, 0, 0.2, 0.119, 0.701, 989, 0, 0.0341, 0.325}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {8.6, 0.429, 0, 0.196, 0.117, 1.53, 0, 0, 0, 0.282}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {9.98, 0.28, 0, 0.237, 0.138, 1.63, 0, 0, 0.19, 0.393}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {10.5, 0.115, 0, 0.253, 0.169, 2.4, 426, 0, 0.224, 0.264}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {4, 0.441, 0, 0.259, 0.263, 1.18, 0, 0, 0.377, 0.569}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {4, 0, 0, 0.143, 0.142, 0, 0, 0, 0, 0.389}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {4, 0.186, 0, 0.166, 0.134, 0, 0, 0, 0.17, 0.272}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4, 0.177, 0, 0.154, 0.113, 0, 641, 0, 0, 0.107}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {8.68, 0.0591, 0, 0.161, 0.143, 0, 571, 0, 0, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {8.68, 0.583, 0, 0.17, 0.161, 0, 0, 0, 0.0737, 0.306}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {7.38, 0.0586, 0, 0.161, 0.129, 0, 967, 0, 0.167, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4, 0.278, 0, 0.122, 0.0944, 0, 1320, 0, 0, 0.194}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {7.52, 0.41, 0, 0.169, 0.129, 0, 597, 0, 0, 0.123}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {9.71, 0.28, 0, 0.297, 0.162, 0, 661, 0, 0, 0.166}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {4.36, 0.224, 0, 0.166, 0.314, 0, 1690, 0, 0, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {8.56, 0, 0, 0, 0, 0, 0, 0.409, 0.00591, 0.788}},
    {SPMM_FAMILY_DENSE, TF32, false, {4, 0, 0, 0, 0, 0, 0, 1.64, 0.532, 0.118}},
    {SPMM_FAMILY_DENSE, FULL, false, {8.77, 0, 0, 0, 0, 0, 0, 19.6, 0, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {4, 0, 0, 0, 0, 0, 0, 14.9, 0.188, 0.158}},
    {SPMM_FAMILY_TCA, SHORT, false, {28, 0, 0, 0, 1.05, 0, 13.4, 0, 0, 0.1}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {24.6, 0, 0, 0, 0.81, 0, 55.8, 0, 0, 0.1}},
    /* end of rates */
};
/* clang-format on */

const double *spmm_device_rates(spmm_device_family family, spmm_precision precision,
                                const spmm_device_variant *v) {
    static const double none[SPMM_TERMS] = {0};
    const bool in_rings = v->kind == SPMM_DEVICE_RINGS && v->dense;
    for (const rates_of *of = table; of < table + sizeof table / sizeof *table; of++)
        if (of->family == family && (of->precisions >> precision & 1) != 0 && of->in_rings == in_rings)
            return of->rate;
    return none;
}
