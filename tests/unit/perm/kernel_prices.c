/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels for the processor say of their time: none where the processor lacks what they need; otherwise
 * between a picosecond and ten microseconds for a row of a subset, and no more than 2.3 times as much for
 * order 30 as for order 20: references take n times, or n^2 times, as many steps. */
#include "base/core/cpu.h"
#include "perm/doubledouble/kernel.h"
#include "perm/exact/kernel.h"
#include "perm/minors/kernel.h"
#include "perm/perturbation/kernel.h"
#include "perm/sparse/kernel.h"
#include "processor.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

/* The price of a kernel of a list, for a matrix of order n. */
typedef double price_of(int which, int64_t n, unsigned features);

#define ADDRESS(kernel) &kernel,

static const perm_dense_kernel *const dense[] = {PERM_DENSE_KERNELS(ADDRESS)};
static const perm_dd_kernel *const dd[] = {PERM_DD_KERNELS(ADDRESS)};
static const perm_minors_kernel *const minors[] = {PERM_MINORS_KERNELS(ADDRESS)};
static const perm_exact_kernel *const exact[] = {PERM_EXACT_KERNELS(ADDRESS)};
static const perm_sparse_kernel *const sparse[] = {PERM_SPARSE_KERNELS(ADDRESS)
                                                       PERM_SPARSE_EXACT_KERNELS(ADDRESS)};
static const perm_perturbation_kernel *const bounds[] = {PERM_PERTURBATION_KERNELS(ADDRESS)};

static double price_dense(int which, int64_t n, unsigned features) {
    return dense[which]->fits(&(perm_dense_problem){.n = n}, features);
}

static double price_complex(int which, int64_t n, unsigned features) {
    return dense[which]->fits(&(perm_dense_problem){.n = n, .is_complex = true}, features);
}

static double price_dd(int which, int64_t n, unsigned features) {
    return dd[which]->fits(&(perm_dense_problem){.n = n}, features);
}

static double price_minors(int which, int64_t n, unsigned features) {
    return minors[which]->fits(&(perm_minors_problem){.sum = {.n = n}}, features);
}

static double price_residues(int which, int64_t n, unsigned features) {
    return minors[which]->fits(&(perm_minors_problem){.sum = {.n = n}, .prime = 101}, features);
}

static double price_exact(int which, int64_t n, unsigned features) {
    return exact[which]->fits(&(perm_exact_problem){.sum = {.n = n},
                                                    .group_count = 1,
                                                    .group_end = {n},
                                                    .prime_count = 1,
                                                    .is_small = true,
                                                    .zeros = 0.5},
                              features);
}

/* Of a block without instructions, as the other kernels for subsets times rows. */
static double price_sparse(int which, int64_t n, unsigned features) {
    return sparse[which]->fits(&(perm_sparse_problem){.n = n, .prime = 101}, features) * (double)n *
           exp2((double)n - 1);
}

static double price_bound(int which, int64_t n, unsigned features) {
    return bounds[which]->fits(false, features) * (double)n * exp2((double)n - 1);
}

/* What the name of a kernel says that it needs. */
static unsigned needs(const char *name) {
    return strstr(name, "avx512") != NULL ? CPU_AVX2 | CPU_AVX512
           : strstr(name, "avx2") != NULL ? CPU_AVX2
           : strstr(name, "neon") != NULL ? CPU_NEON
                                          : 0;
}

static unsigned of_this_architecture(void) {
#if defined(__x86_64__)
    return CPU_AVX2 | CPU_AVX512;
#elif defined(__aarch64__)
    return CPU_NEON;
#else
    return 0;
#endif
}

static void check(const char *name, price_of *price, int which) {
    static const unsigned sets[] = {0, CPU_NEON, CPU_AVX2, CPU_AVX2 | CPU_AVX512};
    int wrong = 0;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const unsigned features = sets[k];
        const bool runs = (needs(name) & ~(features & of_this_architecture())) == 0;
        const double pairs = 20 * 0x1p19, small = price(which, 20, features) / pairs,
                     large = price(which, 30, features) / (pairs * 1024 * 30 / 20);
        wrong += runs ? !(small > 1e-12 && small < 1e-5 && fabs(large / small - 1) < 1.3)
                      : small != 0 || large != 0;
    }
    tap_ok(wrong == 0, "%s: its price with what the processor has (%d wrong)", name, wrong);
}

#define CHECK_ALL(kernels, price)                                                                            \
    for (size_t k = 0; k < sizeof(kernels) / sizeof *(kernels); k++)                                         \
    check((kernels)[k]->name, price, (int)k)

int main(void) {
    static const unsigned bits[] = {CPU_AVX2, CPU_AVX512, CPU_NEON};
    unsigned all = 0;
    bool are_different = true;
    for (size_t k = 0; k < sizeof bits / sizeof *bits; all |= bits[k++])
        are_different &= bits[k] != 0 && (all & bits[k]) == 0;
    tap_ok(are_different, "features have bits of their own");
    CHECK_ALL(dense, price_dense);
    CHECK_ALL(dense, price_complex);
    CHECK_ALL(dd, price_dd);
    CHECK_ALL(minors, price_minors);
    CHECK_ALL(minors, price_residues);
    CHECK_ALL(exact, price_exact);
    CHECK_ALL(sparse, price_sparse);
    CHECK_ALL(bounds, price_bound);
    return tap_done();
}
