/* SPDX-License-Identifier: BSD-3-Clause */
/* The writing half of hdf5.h. */
#include "mm/arrays/hdf5.h"
#include "mm/arrays/hdf5_library.h"

typedef mm_hdf5_id id;

static base_status unwritable(base_context *context) {
    return base_fail(context, BASE_MACHINE, "HDF5 cannot make the file");
}

base_status mm_hdf5_create(base_context *context, const mm_whole *whole, mm_hdf5_id *file) {
    *file = mm_hdf5_open_file(whole, true);
    return *file >= 0 ? BASE_OK : unwritable(context);
}

base_status mm_hdf5_finish_file(base_context *context, mm_hdf5_id file) {
    return mm_hdf5.close_file(file) >= 0 ? BASE_OK : unwritable(context);
}

base_status mm_hdf5_create_group(base_context *context, mm_hdf5_id file, const char *name,
                                 mm_hdf5_id *group) {
    *group = mm_hdf5.create_group(file, name, 0, 0, 0);
    return *group >= 0 ? BASE_OK : unwritable(context);
}

bool mm_hdf5_has_link(mm_hdf5_id group, const char *name) {
    return mm_hdf5.has_link(group, name, 0) > 0;
}

base_status mm_hdf5_write_text(base_context *context, mm_hdf5_id object, const char *name, const char *text) {
    const id type = mm_hdf5.copy_type(*mm_hdf5.text), space = mm_hdf5.create_space(MM_HDF5_SCALAR);
    id attribute = -1;
    bool good = type >= 0 && space >= 0 && mm_hdf5.set_type_size(type, MM_HDF5_VARIABLE) >= 0 &&
                mm_hdf5.set_charset(type, MM_HDF5_UTF8) >= 0;
    if (good)
        attribute = mm_hdf5.create_attribute(object, name, type, space, 0, 0);
    good = good && attribute >= 0 && mm_hdf5.write_attribute(attribute, type, &text) >= 0;
    if (attribute >= 0)
        mm_hdf5.close_attribute(attribute);
    if (space >= 0)
        mm_hdf5.close_space(space);
    if (type >= 0)
        mm_hdf5.close_type(type);
    return good ? BASE_OK : unwritable(context);
}

static id type_in_file(mm_number_type type) {
    const int place = type.bytes == 1 ? 0 : type.bytes == 2 ? 1 : type.bytes == 4 ? 2 : 3;
    return type.letter == 'f'   ? (type.bytes == 4 ? *mm_hdf5.f4 : *mm_hdf5.f8)
           : type.letter == 'i' ? *mm_hdf5.i[place]
                                : *mm_hdf5.u[place];
}

/* The room is given at once and stays unwritten, and no time is noted: the same matrix gives the same bytes.
 */
base_status mm_hdf5_create_data(base_context *context, mm_hdf5_id object, const char *name,
                                mm_number_type type, int64_t count, int64_t *offset) {
    const mm_hdf5_size extent = (mm_hdf5_size)count;
    const id space = mm_hdf5.create_simple(1, &extent, NULL),
             list = mm_hdf5.create_list(*mm_hdf5.list_of_data);
    id data = -1;
    bool good = space >= 0 && list >= 0 && mm_hdf5.set_layout(list, MM_HDF5_CONTIGUOUS) >= 0 &&
                mm_hdf5.set_allocation(list, MM_HDF5_EARLY) >= 0 &&
                mm_hdf5.set_fill(list, MM_HDF5_NEVER) >= 0 && mm_hdf5.set_times(list, false) >= 0;
    if (good)
        data = mm_hdf5.create_data(object, name, type_in_file(type), space, 0, list, 0);
    *offset = data >= 0 && count > 0 ? (int64_t)mm_hdf5.get_offset(data) : 0;
    good = data >= 0 && *offset >= 0 && mm_hdf5.close_data(data) >= 0;
    if (list >= 0)
        mm_hdf5.close_list(list);
    if (space >= 0)
        mm_hdf5.close_space(space);
    return good ? BASE_OK : unwritable(context);
}
