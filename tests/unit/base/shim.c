/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code on the CPU (kernels/shim.h): every thread runs once, barriers hold, warps exchange values as
 * the CUDA C++ Programming Guide says, mistakes stop the program. */
#include "shim.h"

#include "base/probe.cu"
#include "tests/support/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000 };

static shim_index size(unsigned x, unsigned y, unsigned z) {
    return (shim_index){x, y, z};
}

/* ---- the probe kernels ---- */

static double a[N], b[N];
static double sums[8];
static int widths[5];

static void add_thread(void *arguments) {
    probe_add(*(long long *)arguments, a, b);
}

static void sum_thread(void *arguments) {
    probe_sum(*(long long *)arguments, 2, a, sums);
}

static void widths_thread(void *arguments) {
    probe_widths(arguments);
}

static void test_probe(void) {
    long long n = N;
    bool right = true;
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 3;
    }
    shim_launch(add_thread, &n, size(8, 1, 1), size(128, 1, 1), 0);
    for (int i = 0; i < N; i++)
        right &= b[i] == i + 3;
    tap_ok(right, "a vector sum");
    shim_launch(sum_thread, &n, size(8, 1, 1), size(128, 1, 1), 128 * sizeof(double));
    double total = 0;
    for (int i = 0; i < 8; i++)
        total += sums[i];
    tap_ok(sums[0] == 127 * 128 && total == (double)N * (N - 1), "block sums through shared memory");
    shim_launch(widths_thread, widths, size(1, 1, 1), size(1, 1, 1), 0);
    tap_ok(widths[1] == 8 && widths[2] == 4 && widths[3] == 32, "widths");
}

/* ---- indices ---- */

static int visits[4][3][2][3][2][5];

static void visit_thread(void *arguments) {
    (void)arguments;
    visits[blockIdx.z][blockIdx.y][blockIdx.x][threadIdx.z][threadIdx.y][threadIdx.x]++;
    if (gridDim.x != 2 || gridDim.y != 3 || gridDim.z != 4 || blockDim.x != 5 || blockDim.y != 2 ||
        blockDim.z != 3)
        visits[0][0][0][0][0][0] = 99;
}

static void test_indices(void) {
    shim_launch(visit_thread, NULL, size(2, 3, 4), size(5, 2, 3), 0);
    const int *flat = &visits[0][0][0][0][0][0];
    bool once = true;
    for (size_t i = 0; i < sizeof visits / sizeof(int); i++)
        once &= flat[i] == 1;
    tap_ok(once, "each thread of each block runs once");
}

/* ---- warps ---- */

enum { THREADS = 64 };

static struct lane_results {
    double scan;
    long long butterfly;
    int neighbour, segment, above, below, nested;
    unsigned ballot, match;
    bool any, all, none;
} results[THREADS];

static void warp_thread(void *arguments) {
    (void)arguments;
    unsigned lane = threadIdx.x % 32;
    struct lane_results *r = &results[threadIdx.x];
    const double own = lane + 1;
    double scan = own;
    for (unsigned step = 1; step < 32; step *= 2) {
        double other = __shfl_up_sync(0xffffffffu, scan, step);
        if (lane >= step)
            scan += other;
    }
    r->scan = scan;
    long long sum = threadIdx.x;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    r->butterfly = sum;
    r->neighbour = __shfl_sync(0xffffffffu, (int)lane, (lane + 1) % 32);
    r->segment = __shfl_sync(0xffffffffu, (int)lane, 3, 8);
    r->above = __shfl_down_sync(0xffffffffu, (int)lane, 2, 8);
    r->below = __shfl_up_sync(0xffffffffu, (int)lane, 2, 8);
    r->nested =
        __shfl_sync(0xffffffffu, __shfl_sync(0xffffffffu, (int)lane, (lane + 1) % 32), (lane + 1) % 32);
    r->ballot = __ballot_sync(0xffffffffu, lane % 3 == 0);
    r->match = __match_any_sync(0xffffffffu, lane / 5);
    r->any = __any_sync(0xffffffffu, lane == 7);
    r->all = __all_sync(0xffffffffu, lane < 32);
    r->none = __all_sync(0xffffffffu, lane < 31);
    __syncwarp();
}

static void test_warps(void) {
    shim_launch(warp_thread, NULL, size(1, 1, 1), size(THREADS, 1, 1), 0);
    bool scan = true, butterfly = true, shuffle = true, vote = true, match = true;
    for (int i = 0; i < THREADS; i++) {
        const struct lane_results *r = &results[i];
        int lane = i % 32, start = lane / 8 * 8;
        scan &= r->scan == (lane + 1) * (lane + 2) / 2;
        butterfly &= r->butterfly == (i < 32 ? 31 * 32 / 2 : 63 * 64 / 2 - 31 * 32 / 2);
        shuffle &= r->neighbour == (lane + 1) % 32 && r->segment == start + 3 && r->nested == (lane + 2) % 32;
        shuffle &= r->above == (lane - start < 6 ? lane + 2 : lane);
        shuffle &= r->below == (lane - start >= 2 ? lane - 2 : lane);
        vote &= r->ballot == 0x49249249u && r->any && r->all && !r->none;
        unsigned group = 0;
        for (int k = 0; k < 32; k++)
            group |= (unsigned)(k / 5 == lane / 5) << k;
        match &= r->match == group;
    }
    tap_ok(scan, "a scan with __shfl_up_sync");
    tap_ok(butterfly, "a butterfly with __shfl_xor_sync");
    tap_ok(shuffle, "shuffles in segments");
    tap_ok(vote, "votes");
    tap_ok(match, "__match_any_sync");
}

static int divided[40];

/* Parts of a warp work apart; the second warp of the block has 8 lanes. */
static void divided_thread(void *arguments) {
    (void)arguments;
    unsigned lane = threadIdx.x % 32;
    int value = (int)lane, rounds = lane < 10 ? 3 : 1;
    unsigned mask = lane < 10 ? 0x3ffu : ~0x3ffu;
    if (threadIdx.x >= 32) {
        value = (int)__ballot_sync(0xffffffffu, 1);
    } else {
        for (int i = 0; i < rounds; i++)
            value = __shfl_sync(mask, value + 1, lane < 10 ? 0 : 31);
    }
    __syncthreads();
    divided[threadIdx.x] = value;
}

static void test_divided_warps(void) {
    shim_launch(divided_thread, NULL, size(1, 1, 1), size(40, 1, 1), 0);
    bool right = true;
    for (int i = 0; i < 40; i++)
        right &= divided[i] == (i < 10 ? 3 : i < 32 ? 32 : 0xff);
    tap_ok(right, "parts of a warp, and a warp that is not full");
}

/* ---- atomics and arithmetic ---- */

static int counter, slots[16], largest;
static unsigned long long bits;

static void atomic_thread(void *arguments) {
    (void)arguments;
    int number = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&counter, number);
    atomicMax(&largest, number);
    atomicOr(&bits, 1ull << number);
    for (int i = 0; i < 16; i++)
        if (atomicCAS(&slots[i], 0, number + 1) == 0)
            break;
}

static void test_atomics(void) {
    shim_launch(atomic_thread, NULL, size(2, 1, 1), size(8, 1, 1), 0);
    unsigned seen = 0;
    for (int i = 0; i < 16; i++)
        seen |= 1u << (slots[i] - 1);
    tap_ok(counter == 120 && largest == 15 && bits == 0xffff && seen == 0xffff, "atomics");
    tap_ok(__clz(0) == 32 && __clz(1) == 31 && __clzll(0) == 64 && __clzll(1) == 63 && __ffs(8) == 4 &&
               __popcll(~0ull) == 64,
           "bits");
    tap_ok(__umul64hi(~0ull, ~0ull) == ~0ull - 1 && __longlong_as_double(__double_as_longlong(-0.1)) == -0.1,
           "words");
}

/* ---- mistakes ---- */

static void lonely_thread(void *arguments) {
    (void)arguments;
    if (threadIdx.x < 5)
        __syncthreads();
}

static void outside_thread(void *arguments) {
    (void)arguments;
    if (threadIdx.x < 4)
        __shfl_sync(0xfu, (int)threadIdx.x, 7);
}

static void stranger_thread(void *arguments) {
    (void)arguments;
    __syncwarp(0xfu);
}

/* Whether launching this ends the process by abort(). */
static bool stops(void (*body)(void *)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        shim_launch(body, NULL, size(1, 1, 1), size(8, 1, 1), 0);
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}

static void test_mistakes(void) {
    tap_ok(stops(lonely_thread), "a barrier that not all threads reach stops the program");
    tap_ok(stops(outside_thread), "so does a shuffle from a lane outside the mask");
    tap_ok(stops(stranger_thread), "and a lane that is not in its own mask");
}

int main(void) {
    test_probe();
    test_indices();
    test_warps();
    test_divided_warps();
    test_atomics();
    test_mistakes();
    return tap_done();
}
