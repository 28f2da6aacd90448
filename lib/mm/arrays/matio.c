/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/matio.h"
#include "base/core/library.h"

struct mm_matio mm_matio;

base_status mm_matio_load(base_context *context) {
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
    int major, minor, release;
    if (get_version != NULL)
        return BASE_OK;
    const base_status status = base_library_open(context, &library);
    if (status != BASE_OK) {
        get_version = NULL;
        return status;
    }
    get_version(&major, &minor, &release);
    if (major == 1 && minor == 5)
        return BASE_OK;
    get_version = NULL;
    return base_fail(context, BASE_MACHINE, "the library matio is version %d.%d, not 1.5", major, minor);
}
