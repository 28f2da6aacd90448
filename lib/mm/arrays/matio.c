/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/matio.h"
#include "base/core/library.h"

#include <pthread.h>
#include <string.h>

struct mm_matio mm_matio;

/* H5Eset_auto2 and H5Eclear2 of matio's HDF5; NULL where matio was built without. */
static int (*set_hdf5_errors)(int64_t stack, void *function, void *data), (*clear_hdf5_errors)(int64_t stack);

static base_status load(base_context *context) {
    static const char *const names[] = {"libmatio.so.11", "libmatio.so.12", "libmatio.so.13", "libmatio.so",
                                        NULL};
    static void (*get_version)(int *, int *, int *);
    static const base_symbol symbols[] = {
        {"Mat_GetLibraryVersion", &get_version},
        {"Mat_Open", &mm_matio.open},
        {"Mat_CreateVer", &mm_matio.create},
        {"Mat_Close", &mm_matio.close},
        {"Mat_VarReadNext", &mm_matio.read_next},
        {"Mat_VarCreate", &mm_matio.create_variable},
        {"Mat_VarWrite", &mm_matio.write},
        {"Mat_VarFree", &mm_matio.free},
        {"Mat_VarGetStructFieldByName", &mm_matio.field},
        {NULL, NULL},
    };
    static const base_library library = {"matio", "MMPIPE_LIBMATIO", names, symbols};
    base_status status;
    char tried[160];
    int major, minor, release;
    BASE_TRY(base_library_open(context, &library));
    get_version(&major, &minor, &release);
    if (major != 1 || minor != 5)
        BASE_TRY(
            base_fail(context, BASE_MACHINE, "the library matio is version %d.%d, not 1.5", major, minor));
    void *handle = base_library_load(library.variable, names, tried, sizeof tried);
    void *entry = base_library_find(handle, "H5Eset_auto2");
    memcpy(&set_hdf5_errors, &entry, sizeof entry);
    entry = base_library_find(handle, "H5Eclear2");
    memcpy(&clear_hdf5_errors, &entry, sizeof entry);
done:
    return status;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of loading, and of the pointers to HDF5 */

base_status mm_matio_load(base_context *context) {
    static bool loaded;
    base_status status = BASE_OK;
    pthread_mutex_lock(&lock);
    if (!loaded)
        BASE_TRY(load(context));
    loaded = true;
    if (set_hdf5_errors != NULL)
        set_hdf5_errors(0, NULL, NULL);
done:
    pthread_mutex_unlock(&lock);
    return status;
}

void mm_matio_forget_errors(void) {
    pthread_mutex_lock(&lock);
    if (clear_hdf5_errors != NULL)
        clear_hdf5_errors(0);
    pthread_mutex_unlock(&lock);
}
