/* SPDX-License-Identifier: BSD-3-Clause */
/* From a list KERNELS(X) of X(kernel, argument, …), where AT(i, type) is argument number i: the functions
 * FAKE_HAS and FAKE_RUN of kernels.h. */

#define AT(i, type) *(type *)a[i]

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

static void thread(void *data) {
    const launch *it = data;
    void **a = it->arguments;
#define RUN(kernel, ...)                                                                                     \
    if (strcmp(it->name, #kernel) == 0)                                                                      \
        kernel(__VA_ARGS__);
    KERNELS(RUN)
#undef RUN
}

bool FAKE_HAS(const char *name) {
    bool found = false;
#define FIND(kernel, ...) found = found || strcmp(name, #kernel) == 0;
    KERNELS(FIND)
#undef FIND
    return found;
}

void FAKE_RUN(const char *name, const unsigned grid[2], unsigned block, unsigned shared_bytes,
              void **arguments) {
    launch it = {name, arguments};
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], 1}, (shim_index){block, 1, 1}, shared_bytes);
}
