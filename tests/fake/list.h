/* SPDX-License-Identifier: BSD-3-Clause */
/* From a list KERNELS(X) of X(kernel, argument, …), where AT(i, type) is argument number i: the functions
 * FAKE_HAS and FAKE_RUN of kernels.h. A file that has tables of variants as well defines FAKE_VARIANT, a
 * function of a name and arguments: it says whether there is such a variant, and runs it unless the arguments
 * are NULL. */

#define AT(i, type) *(type *)a[i]

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

static void thread(void *data) {
    const launch *it = data;
    void **a = it->arguments;
#ifdef FAKE_VARIANT
    if (FAKE_VARIANT(it->name, a))
        return;
#endif
#define RUN(kernel, ...)                                                                                     \
    if (strcmp(it->name, #kernel) == 0)                                                                      \
        kernel(__VA_ARGS__);
    KERNELS(RUN)
#undef RUN
}

bool FAKE_HAS(const char *name) {
    bool found = false;
#ifdef FAKE_VARIANT
    found = FAKE_VARIANT(name, NULL);
#endif
#define FIND(kernel, ...) found = found || strcmp(name, #kernel) == 0;
    KERNELS(FIND)
#undef FIND
    return found;
}

void FAKE_RUN(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
              void **arguments) {
    launch it = {name, arguments};
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], grid[2]}, (shim_index){block, 1, 1},
                shared_bytes);
}
