/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/hdf5_library.h"
#include "base/core/library.h"

#include <pthread.h>

struct mm_hdf5 mm_hdf5;

static const base_symbol symbols[] = {
    {"H5open", &mm_hdf5.open},
    {"H5get_libversion", &mm_hdf5.get_version},
    {"H5Eset_auto2", &mm_hdf5.set_errors},
    {"H5Eclear2", &mm_hdf5.clear_errors},
    {"H5free_memory", &mm_hdf5.free_memory},
    {"H5Fopen", &mm_hdf5.open_file},
    {"H5Fcreate", &mm_hdf5.create_file},
    {"H5Fclose", &mm_hdf5.close_file},
    {"H5Oopen", &mm_hdf5.open_object},
    {"H5Oclose", &mm_hdf5.close_object},
    {"H5Gcreate2", &mm_hdf5.create_group},
    {"H5Gget_info", &mm_hdf5.get_group_info},
    {"H5Lget_name_by_idx", &mm_hdf5.get_link},
    {"H5Lexists", &mm_hdf5.has_link},
    {"H5Aexists", &mm_hdf5.has_attribute},
    {"H5Aopen", &mm_hdf5.open_attribute},
    {"H5Aget_type", &mm_hdf5.get_attribute_type},
    {"H5Aget_space", &mm_hdf5.get_attribute_space},
    {"H5Acreate2", &mm_hdf5.create_attribute},
    {"H5Aread", &mm_hdf5.read_attribute},
    {"H5Awrite", &mm_hdf5.write_attribute},
    {"H5Aclose", &mm_hdf5.close_attribute},
    {"H5Tcopy", &mm_hdf5.copy_type},
    {"H5Tset_size", &mm_hdf5.set_type_size},
    {"H5Tset_cset", &mm_hdf5.set_charset},
    {"H5Tclose", &mm_hdf5.close_type},
    {"H5Tis_variable_str", &mm_hdf5.is_variable},
    {"H5Tget_class", &mm_hdf5.get_class},
    {"H5Tget_order", &mm_hdf5.get_order},
    {"H5Tget_sign", &mm_hdf5.get_sign},
    {"H5Tget_nmembers", &mm_hdf5.get_members},
    {"H5Tget_size", &mm_hdf5.get_size},
    {"H5Screate", &mm_hdf5.create_space},
    {"H5Screate_simple", &mm_hdf5.create_simple},
    {"H5Sget_simple_extent_ndims", &mm_hdf5.get_rank},
    {"H5Sget_simple_extent_dims", &mm_hdf5.get_extent},
    {"H5Sget_simple_extent_npoints", &mm_hdf5.get_points},
    {"H5Sclose", &mm_hdf5.close_space},
    {"H5Dopen2", &mm_hdf5.open_data},
    {"H5Dget_space", &mm_hdf5.get_data_space},
    {"H5Dget_type", &mm_hdf5.get_data_type},
    {"H5Dget_create_plist", &mm_hdf5.get_data_list},
    {"H5Dcreate2", &mm_hdf5.create_data},
    {"H5Dget_offset", &mm_hdf5.get_offset},
    {"H5Dget_storage_size", &mm_hdf5.get_stored},
    {"H5Dget_chunk_info_by_coord", &mm_hdf5.get_chunk},
    {"H5Dread", &mm_hdf5.read_data},
    {"H5Dclose", &mm_hdf5.close_data},
    {"H5Pcreate", &mm_hdf5.create_list},
    {"H5Pget_layout", &mm_hdf5.get_layout},
    {"H5Pget_chunk", &mm_hdf5.get_chunk_size},
    {"H5Pget_nfilters", &mm_hdf5.get_filters},
    {"H5Pset_layout", &mm_hdf5.set_layout},
    {"H5Pset_alloc_time", &mm_hdf5.set_allocation},
    {"H5Pset_fill_time", &mm_hdf5.set_fill},
    {"H5Pset_obj_track_times", &mm_hdf5.set_times},
    {"H5Pset_fapl_stdio", &mm_hdf5.set_stdio},
    {"H5Pset_alignment", &mm_hdf5.set_alignment},
    {"H5Pset_link_creation_order", &mm_hdf5.set_order},
    {"H5Pclose", &mm_hdf5.close_list},
    {"H5T_C_S1_g", &mm_hdf5.text},
    {"H5P_CLS_DATASET_CREATE_ID_g", &mm_hdf5.list_of_data},
    {"H5P_CLS_FILE_ACCESS_ID_g", &mm_hdf5.list_of_access},
    {"H5P_CLS_FILE_CREATE_ID_g", &mm_hdf5.list_of_file},
    {"H5T_STD_U8LE_g", &mm_hdf5.u[0]},
    {"H5T_STD_U16LE_g", &mm_hdf5.u[1]},
    {"H5T_STD_U32LE_g", &mm_hdf5.u[2]},
    {"H5T_STD_U64LE_g", &mm_hdf5.u[3]},
    {"H5T_STD_I8LE_g", &mm_hdf5.i[0]},
    {"H5T_STD_I16LE_g", &mm_hdf5.i[1]},
    {"H5T_STD_I32LE_g", &mm_hdf5.i[2]},
    {"H5T_STD_I64LE_g", &mm_hdf5.i[3]},
    {"H5T_IEEE_F32LE_g", &mm_hdf5.f4},
    {"H5T_IEEE_F64LE_g", &mm_hdf5.f8},
    {NULL, NULL},
};

base_status mm_hdf5_load(base_context *context) {
    /* Debian's serial build, then the names of other distributions, by the versions of the interface. */
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310",
                                        "libhdf5.so.310",        "libhdf5.so.320", "libhdf5.so.200",
                                        "libhdf5_serial.so",     "libhdf5.so",     NULL};
    static const base_library library = {"HDF5", "MMPIPE_LIBHDF5", names, symbols};
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    base_status status = BASE_OK;
    pthread_mutex_lock(&lock);
    if (!loaded) {
        BASE_TRY(base_library_open(context, &library));
        if (mm_hdf5.open() < 0)
            BASE_TRY(base_fail(context, BASE_MACHINE, "the library HDF5 does not start"));
    }
    loaded = true;
    mm_hdf5.set_errors(0, NULL, NULL);
done:
    pthread_mutex_unlock(&lock);
    return status;
}

enum { LONG_BYTES = 1 << 16, ALIGNED_BYTES = 64 };

/* A file in memory has no path that HDF5's usual driver could make canonical; the one on top of C's streams
 * does not try. */
mm_hdf5_id mm_hdf5_open_file(const mm_whole *whole, bool create) {
    const mm_hdf5_id access = whole->owned ? mm_hdf5.create_list(*mm_hdf5.list_of_access) : 0;
    const mm_hdf5_id list = create ? mm_hdf5.create_list(*mm_hdf5.list_of_file) : 0;
    mm_hdf5_id file = -1;
    bool good = !whole->owned || (access >= 0 && mm_hdf5.set_stdio(access) >= 0);
    /* Who reads long datasets can map them (formats/binsparse.c). */
    if (create && whole->owned)
        good = good && mm_hdf5.set_alignment(access, LONG_BYTES, ALIGNED_BYTES) >= 0;
    /* Groups stay in the order in which they come, and no time is noted. */
    if (create)
        good = good && list >= 0 && mm_hdf5.set_order(list, MM_HDF5_TRACKED) >= 0 &&
               mm_hdf5.set_times(list, false) >= 0;
    if (good)
        file = create ? mm_hdf5.create_file(whole->path, MM_HDF5_TRUNCATE, list, access)
                      : mm_hdf5.open_file(whole->path, MM_HDF5_READ_ONLY, access);
    if (access > 0)
        mm_hdf5.close_list(access);
    if (list > 0)
        mm_hdf5.close_list(list);
    if (file < 0)
        mm_hdf5.clear_errors(0); /* which HDF5 keeps for each thread and loses with one that ends */
    return file;
}
