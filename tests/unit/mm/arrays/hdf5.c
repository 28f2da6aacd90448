/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets that go through a filter of HDF5, as other programs write them and mmpipe does not: decoded
 * exactly, and refused where they would exceed what is stored too far. */
#include "mm/arrays/hdf5.h"
#include "mm/arrays/hdf5_library.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100000, CHUNK = 1000, UNWRITTEN = 1 << 20 };

static base_context context;

/* Functions that only a program calls that writes such files. */
static int (*set_chunk)(mm_hdf5_id, int, const mm_hdf5_size *);
static int (*set_shuffle)(mm_hdf5_id);
static int (*write_data)(mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, const void *);

static bool find_functions(void) {
    Dl_info where;
    void *library = dladdr(*(void **)&mm_hdf5.open, &where) != 0 ? dlopen(where.dli_fname, RTLD_NOW) : NULL;
    if (library == NULL)
        return false;
    *(void **)&set_chunk = dlsym(library, "H5Pset_chunk");
    *(void **)&set_shuffle = dlsym(library, "H5Pset_shuffle");
    *(void **)&write_data = dlsym(library, "H5Dwrite");
    return set_chunk != NULL && set_shuffle != NULL && write_data != NULL;
}

/* In chunks whose bytes are shuffled; `values` NULL: nothing is written, and nothing stored. */
static bool make_data(mm_hdf5_id file, const char *name, int64_t count, const int64_t *values) {
    const mm_hdf5_size extent = (mm_hdf5_size)count, chunk = CHUNK;
    const mm_hdf5_id space = mm_hdf5.create_simple(1, &extent, NULL),
                     list = mm_hdf5.create_list(*mm_hdf5.list_of_data);
    bool good = set_chunk(list, 1, &chunk) >= 0 && set_shuffle(list) >= 0;
    const mm_hdf5_id data = mm_hdf5.create_data(file, name, *mm_hdf5.i[3], space, 0, list, 0);
    good = good && data >= 0 && (values == NULL || write_data(data, *mm_hdf5.i[3], 0, 0, 0, values) >= 0);
    return mm_hdf5.close_data(data) >= 0 && mm_hdf5.close_list(list) >= 0 &&
           mm_hdf5.close_space(space) >= 0 && good;
}

static void check_file(const mm_whole *whole) {
    mm_hdf5_id file = -1;
    mm_hdf5_data data;
    int64_t *values = malloc(COUNT * sizeof *values), *read = NULL;
    for (int64_t k = 0; k < COUNT; k++)
        values[k] = k * k * 1000003 % 65537 << k % 40;
    const bool made =
        mm_hdf5_create(&context, whole, &file) == BASE_OK && make_data(file, "values", COUNT, values) &&
        make_data(file, "unwritten", UNWRITTEN, NULL) && mm_hdf5_finish_file(&context, file) == BASE_OK;
    tap_ok(made && mm_hdf5_open(&context, whole, &file) == BASE_OK, "a file of another program");
    base_status status = mm_hdf5_open_data(&context, file, whole, "values", &data);
    tap_ok(status == BASE_OK && !data.is_plain && data.count == COUNT, "... with filtered numbers");
    mm_number_bytes bytes = mm_hdf5_bytes(&data);
    status = mm_numbers_read_whole(&context, &bytes, data.type, data.count, &read);
    tap_ok(status == BASE_OK && memcmp(read, values, COUNT * sizeof *values) == 0, "... which are decoded");
    free(read);
    mm_hdf5_close_data(&data);
    tap_ok(mm_hdf5_open_data(&context, file, whole, "unwritten", &data) == BASE_DAMAGED,
           "8 MiB of numbers that take no room are refused");
    mm_hdf5_close_data(&data);
    mm_hdf5_close_file(file);
    free(values);
}

int main(void) {
    mm_whole whole = {0};
    base_context_init(&context);
    if (mm_hdf5_load(&context) != BASE_OK || !find_functions()) {
        tap_skip(4, "there is no library HDF5");
        return tap_done();
    }
    if (mm_whole_create(&context, &whole) != BASE_OK)
        abort();
    check_file(&whole);
    mm_whole_close(&whole);
    return tap_done();
}
