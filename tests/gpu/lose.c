/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of a real GPU, which loses it in the middle: a library that stands before libcuda.so.1.
 *
 *   cc -shared -fPIC -o lose.so tests/gpu/lose.c -Itests/../lib -lcuda -ldl        (links the driver, so that
 * all else is found there) MMPIPE_LIBCUDA=./lose.so MMPIPE_LOSE=write:K perm-gpu ...
 *
 * MMPIPE_LOSE=write:K launches, before the K-th kernel, one that writes to address 0: the context is killed,
 * and every later call fails. loop:K launches one that never ends. bit:K flips a bit of the K-th copy to the
 * host. tests/gpu/lose.sh uses it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*launch_function)(const void *launch, void *function, void **arguments, void **extra);
typedef int (*copy_function)(void *to, unsigned long long from, size_t bytes, void *stream);
typedef int (*load_function)(void **module, const void *image);
typedef int (*get_function)(void **function, void *module, const char *name);
typedef int (*simple_launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b,
                             unsigned c, unsigned shared, void *stream, void **arguments, void **extra);
typedef int (*wait_function)(void *stream);

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry lose_write() {\n.reg .b64 %a;\n.reg .b32 %v;\n"
    "mov.u64 %a, 0;\nmov.u32 %v, 1;\nst.global.u32 [%a], %v;\nret;\n}\n"
    ".visible .entry lose_loop() {\n.reg .b32 %v;\nagain:\nmov.u32 %v, %clock;\nbra again;\n}\n";

/* Whether this call is the one that MMPIPE_LOSE names for this kind. */
static int is_the_call(const char *kind, atomic_int *calls) {
    const char *wanted = getenv("MMPIPE_LOSE");
    const size_t length = strlen(kind);
    return wanted != NULL && strncmp(wanted, kind, length) == 0 && wanted[length] == ':' &&
           atomic_fetch_add(calls, 1) + 1 == atoi(wanted + length + 1);
}

static void launch_bad(const char *name) {
    void *module, *function;
    const load_function load = (load_function)dlsym(RTLD_NEXT, "cuModuleLoadData");
    const get_function get = (get_function)dlsym(RTLD_NEXT, "cuModuleGetFunction");
    const simple_launch launch = (simple_launch)dlsym(RTLD_NEXT, "cuLaunchKernel");
    int result = load(&module, text);
    result = result != 0 ? result : get(&function, module, name);
    result = result != 0 ? result : launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    fprintf(stderr, "# %s: %d\n", name, result);
}

int cuLaunchKernelEx(const void *launch, void *function, void **arguments, void **extra) {
    static atomic_int writes, loops;
    const launch_function real = (launch_function)dlsym(RTLD_NEXT, "cuLaunchKernelEx");
    if (is_the_call("write", &writes))
        launch_bad("lose_write");
    if (is_the_call("loop", &loops))
        launch_bad("lose_loop");
    return real(launch, function, arguments, extra);
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) {
    static atomic_int copies;
    const copy_function real = (copy_function)dlsym(RTLD_NEXT, "cuMemcpyDtoHAsync_v2");
    const wait_function wait = (wait_function)dlsym(RTLD_NEXT, "cuStreamSynchronize");
    const int result = real(to, from, bytes, stream);
    if (result == 0 && is_the_call("bit", &copies) && wait(stream) == 0)
        ((unsigned char *)to)[bytes / 2] ^= 0x10;
    return result;
}
