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
    {SPMM_FAMILY_ROWS, SHORT, false, {5.67, 0, 0, 0.0883, 0.0506, 6.68, 0, 0, 0.235, 0.384}},
    {SPMM_FAMILY_ROWS, SINGLE, false, {4.76, 0, 0, 0.0869, 0.0363, 3.84, 0, 0, 0.142, 0.266}},
    {SPMM_FAMILY_ROWS, DOUBLE, false, {4.98, 0, 0, 0.0936, 0.0513, 7.72, 0, 0, 0.22, 0.406}},
    {SPMM_FAMILY_RUNS, SHORT, false, {4, 0.0492, 11.8, 0.104, 0.0803, 0, 23.1, 0, 0.05, 0.168}},
    {SPMM_FAMILY_RUNS, SINGLE, false, {4, 0.0227, 5.16, 0.0986, 0.0599, 0, 28.5, 0, 0.05, 0.116}},
    {SPMM_FAMILY_RUNS, DOUBLE, false, {4.57, 0.0364, 3.03, 0.105, 0.0734, 0, 27.8, 0, 0.05, 0.124}},
    {SPMM_FAMILY_STAGES, SINGLE, false, {4.45, 0.0673, 0, 0.1, 0.03, 0, 29.6, 0, 0.05, 0.156}},
    {SPMM_FAMILY_STAGES, DOUBLE, false, {4, 0.16, 0, 0.1, 0.04, 0, 29, 0, 0.125, 0.17}},
    {SPMM_FAMILY_STRIPS, SHORT, false, {4, 0.152, 0, 0.104, 0.0584, 0, 40.1, 0, 0.168, 0.167}},
    {SPMM_FAMILY_STRIPS, SINGLE, false, {4.45, 0.0673, 0, 0.103, 0.0349, 0, 29.6, 0, 0.05, 0.156}},
    {SPMM_FAMILY_STRIPS, DOUBLE, false, {4, 0.16, 0, 0.102, 0.0569, 0, 29, 0, 0.125, 0.17}},
    {SPMM_FAMILY_SLABS, SHORT, false, {4, 0.0264, 1.33, 0, 0.0574, 0, 67.8, 0, 0.05, 0}},
    {SPMM_FAMILY_SLABS, SINGLE, false, {5.3, 0.0139, 1.78, 0, 0.0378, 0, 29.9, 0, 0.371, 0.1}},
    {SPMM_FAMILY_SLABS, DOUBLE, false, {5.86, 0.0101, 2.58, 0, 0.0481, 0, 20.9, 0, 0.287, 1.5}},
    {SPMM_FAMILY_PANELS, SHORT, false, {14.1, 0, 0, 0, 0, 0, 0, 4.72, 0.122, 3.11}},
    {SPMM_FAMILY_PANELS, TF32, false, {15, 0, 0, 0, 0, 0, 0, 8.63, 0.129, 0.1}},
    {SPMM_FAMILY_PANELS, THREE, false, {12.6, 0, 0, 0, 0, 0, 0, 22.9, 0.05, 0.1}},
    {SPMM_FAMILY_PANELS, DOUBLE, false, {13.5, 0, 0, 0, 0, 0, 0, 30.3, 0.05, 0.284}},
    {SPMM_FAMILY_BANDS, SHORT, false, {8.7, 0, 0, 0, 0, 0, 0, 3.67, 0.173, 0.625}},
    {SPMM_FAMILY_BANDS, TF32, false, {10.3, 0, 0, 0, 0, 0, 0, 10.3, 0.2, 0.353}},
    {SPMM_FAMILY_BANDS, THREE, false, {10.1, 0, 0, 0, 0, 0, 0, 18.4, 0.136, 0.936}},
    {SPMM_FAMILY_SPLITS, THREE, false, {13, 0, 0, 0, 0, 0, 0, 6.8, 0.05, 0.1}},
    {SPMM_FAMILY_RINGS16, SHORT, false, {6.56, 0.382, 0, 0.224, 0.162, 0, 1700, 0, 0.0983, 0.357}},
    {SPMM_FAMILY_RINGS32, SHORT, false, {8.37, 0.291, 0, 0.265, 0.145, 0.443, 689, 0, 0.0721, 0.283}},
    {SPMM_FAMILY_RINGS64, SHORT, false, {8.1, 0.404, 0, 0.42, 0.247, 0.947, 0, 0, 0.154, 0.233}},
    {SPMM_FAMILY_RINGS128, SHORT, false, {10.1, 0.487, 0, 0.585, 0, 0.886, 0, 0, 0.05, 0.335}},
    {SPMM_FAMILY_WINDOWS8, SHORT, false, {4.36, 0.216, 0, 0.153, 0.149, 0.75, 199, 0, 0.234, 0.257}},
    {SPMM_FAMILY_WINDOWS16, SHORT, false, {4.25, 0.245, 0, 0.154, 0.166, 0.439, 0, 0, 0.349, 0.349}},
    {SPMM_FAMILY_WINDOWS16, TF32, false, {5.47, 0.375, 0, 0.148, 0.0835, 3.35, 220, 0, 0.05, 0.264}},
    {SPMM_FAMILY_WINDOWS16, THREE, false, {7.66, 0.349, 0, 0.15, 0.0883, 3.64, 59.4, 0, 0.05, 0.317}},
    {SPMM_FAMILY_WINDOWS16, DOUBLE, false, {5.52, 0.446, 0, 0.139, 0.0679, 4.5, 238, 0, 0.129, 0.23}},
    {SPMM_FAMILY_WINDOWS32, SHORT, false, {6.19, 0.253, 0, 0.2, 0.117, 0.408, 364, 0, 0.124, 0.416}},
    {SPMM_FAMILY_WINDOWS32, TF32, false, {6.72, 0.469, 0, 0.197, 0.105, 1.57, 0, 0, 0.05, 0.281}},
    {SPMM_FAMILY_WINDOWS32, THREE, false, {8.64, 0.337, 0, 0.239, 0.133, 1.69, 0, 0, 0.165, 0.393}},
    {SPMM_FAMILY_WINDOWS32, DOUBLE, false, {7.64, 0.29, 0, 0.249, 0.146, 2.48, 0, 0, 0.114, 0.34}},
    {SPMM_FAMILY_WINDOWS64, SHORT, false, {4.01, 0.439, 0, 0.263, 0.268, 1.43, 0, 0, 0.305, 0.546}},
    {SPMM_FAMILY_BLOCKS16, SHORT, true, {15, 0.359, 0, 0.115, 0.0544, 0, 0, 0, 0.05, 0.186}},
    {SPMM_FAMILY_BLOCKS32, SHORT, true, {6.42, 0.17, 0, 0.164, 0.114, 0, 0, 0, 0.237, 0.264}},
    {SPMM_FAMILY_BLOCKS16, SHORT, false, {4, 0.162, 0, 0.15, 0.113, 0, 542, 0, 0.05, 0.123}},
    {SPMM_FAMILY_BLOCKS16, TF32, false, {5.65, 0.167, 0, 0.159, 0.141, 0, 614, 0, 0.0551, 0.1}},
    {SPMM_FAMILY_BLOCKS16, THREE, false, {6.81, 0.224, 0, 0.211, 0.178, 0, 613, 0, 0.05, 0.1}},
    {SPMM_FAMILY_BLOCKS16, DOUBLE, false, {5.08, 0.206, 0, 0.159, 0.131, 0, 1050, 0, 0.165, 0.1}},
    {SPMM_FAMILY_BLOCKS32, SHORT, false, {4, 0.255, 0, 0.118, 0.0988, 0, 972, 0, 0.05, 0.209}},
    {SPMM_FAMILY_BLOCKS32, TF32, false, {5.17, 0.471, 0, 0.17, 0.134, 0, 597, 0, 0.0661, 0.114}},
    {SPMM_FAMILY_BLOCKS32, THREE, false, {6.97, 0.179, 0, 0.3, 0.189, 0, 639, 0, 0.218, 0.139}},
    {SPMM_FAMILY_BLOCKS32, DOUBLE, false, {5.81, 0.177, 0, 0.166, 0.265, 0, 1710, 0, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, SHORT, false, {7.62, 0, 0, 0, 0, 0, 0, 0.546, 0.05, 0.484}},
    {SPMM_FAMILY_DENSE, TF32, false, {4, 0, 0, 0, 0, 0, 0, 1.76, 0.484, 0.137}},
    {SPMM_FAMILY_DENSE, FULL, false, {8.08, 0, 0, 0, 0, 0, 0, 19.2, 0.05, 0.1}},
    {SPMM_FAMILY_DENSE, DOUBLE, false, {7.52, 0, 0, 0, 0, 0, 0, 14.9, 0.084, 0.156}},
    {SPMM_FAMILY_TCA, SHORT, false, {27.2, 0, 0, 0, 1.06, 0, 13.2, 0, 0.05, 0.1}},
    {SPMM_FAMILY_TCA_ROW, SHORT, false, {24.6, 0, 0, 0, 0.812, 0, 54.7, 0, 0.05, 0.1}},
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
