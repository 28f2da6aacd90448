/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of search/search.h on GPUs: islands, what they save and their steps back are on the devices too
 * (gpu.h), and the host reads after each launch how far they came.
 *
 * variants.h chooses among the kernels that were compiled; open.c brings a search to its devices; device.c
 * launches kernels and fetches schemes; state.c takes a search back for a checkpoint. */
#ifndef FLIP_DEVICE_DEVICE_H
#define FLIP_DEVICE_DEVICE_H

#include "base/device/device.h"
#include "flip/gpu.h"
#include "flip/search/pool.h"
#include "flip/search/search.h"

/* A kind of kernel. Each has variants for schemes of different sizes, of which every launch takes the one
 * that uses the device best. */
typedef struct flip_device_family flip_device_family;
typedef struct flip_device_kernel {
    const char *name;
    const char *what; /* one line for lists */
    const flip_device_family *family;
    int list_rank; /* at this rank and below it lists the pairs that match */
} flip_device_kernel;

extern const flip_device_kernel flip_device_kernels[];              /* ends with a name of NULL */
bool flip_device_is_built(void);                                    /* whether there is device code */
const flip_device_kernel *flip_device_get_kernel(const char *name); /* NULL: there is none */

typedef struct flip_device_options {
    const char *kernel;     /* NULL: flip-lanes where it fits, otherwise both others, by rank */
    flip_symmetry symmetry; /* of the schemes to walk on (scheme/cyclic.h) */
    bool hold;              /* walkers that get below their island's rank start again (benchmarks) */
    int64_t chunks;         /* of FLIP_GPU_CHUNK steps in a launch; 0: default */
} flip_device_options;

typedef struct flip_device_search flip_device_search;

/* A search on all the devices from schemes of one format that are right over F2: those of the least rank in
 * the pools, which islands start from in turn. Of the options keep, pool_size and steps are the caller's to
 * see to; the others are as for flip_search_open, with defaults for devices. Fails with BASE_USAGE when there
 * is no kernel of that name, with BASE_FAILED when none has room or a scheme has not the symmetry.
 * Random numbers from context->seed. */
base_status flip_device_open(base_context *context, base_devices *devices, const int64_t size[3],
                             const flip_pools *pools, const flip_search_options *options,
                             const flip_device_options *device_options, flip_device_search **search);
void flip_device_close(flip_device_search *search); /* NULL is allowed */

/* One launch on each device. Adds to the pools what islands found of the least rank, each scheme multiplied
 * out and compared with the tensor; above the target a few of them. */
base_status flip_device_run(base_context *context, flip_device_search *search, flip_pools *pools);

/* A search between two launches as bytes, with the pools; the first pools of one that was saved, to open it
 * with again; what it had come to, from there on (else BASE_DAMAGED). It goes on as if nothing had happened,
 * on any number of devices. The options and the seed are those of then. */
base_status flip_device_save(base_context *context, flip_device_search *search, const flip_pools *pools,
                             char **buffer, int64_t *bytes, int64_t *capacity);
base_status flip_device_read_first(base_context *context, const char *data, int64_t bytes, flip_pools *pools);
base_status flip_device_restore(base_context *context, flip_device_search *search, const char *data,
                                int64_t bytes, flip_pools *pools);

/* Whether each island has come to the target, where it stops: more launches change nothing. */
bool flip_device_is_over(const flip_device_search *search);

int64_t flip_device_flips(const flip_device_search *search);
int64_t flip_device_steps(const flip_device_search *search);
const char *flip_device_variant(const flip_device_search *search); /* of the last launch */

/* "islands at 49 to 53, 1.2e+09 flips" */
void flip_device_describe(const flip_device_search *search, char *line, size_t size);

#endif
