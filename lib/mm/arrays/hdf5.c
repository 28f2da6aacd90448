/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/hdf5.h"
#include "base/core/memory.h"
#include "mm/arrays/hdf5_library.h"

#include <stdlib.h>
#include <string.h>

typedef mm_hdf5_id id;

static base_status damaged(base_context *context, const char *what) {
    return base_fail(context, BASE_DAMAGED, "HDF5 cannot read %s: the file is damaged or no HDF5", what);
}

/* ---- files, groups and attributes ---- */

base_status mm_hdf5_open(base_context *context, const mm_whole *whole, mm_hdf5_id *file) {
    *file = mm_hdf5_open_file(whole, false);
    return *file >= 0 ? BASE_OK : damaged(context, "the file");
}

void mm_hdf5_close_file(mm_hdf5_id file) {
    if (file >= 0)
        mm_hdf5.close_file(file);
}

base_status mm_hdf5_open_object(base_context *context, mm_hdf5_id file, const char *name,
                                mm_hdf5_id *object) {
    *object = mm_hdf5.open_object(file, name, 0);
    return *object >= 0 ? BASE_OK : damaged(context, name);
}

void mm_hdf5_close_object(mm_hdf5_id object) {
    if (object >= 0)
        mm_hdf5.close_object(object);
}

base_status mm_hdf5_link(base_context *context, mm_hdf5_id group, int64_t index, char **name) {
    mm_hdf5_group info;
    *name = NULL;
    if (mm_hdf5.get_group_info(group, &info) < 0)
        return damaged(context, "a group");
    if (index >= (int64_t)info.links)
        return BASE_OK;
    int order = MM_HDF5_INDEX_CREATION;
    ssize_t length = mm_hdf5.get_link(group, ".", order, MM_HDF5_ASCENDING, (mm_hdf5_size)index, NULL, 0, 0);
    if (length < 0) { /* the file does not know */
        order = MM_HDF5_INDEX_NAME;
        length = mm_hdf5.get_link(group, ".", order, MM_HDF5_ASCENDING, (mm_hdf5_size)index, NULL, 0, 0);
    }
    if (length < 0)
        return damaged(context, "a group");
    *name = base_alloc(context, length + 1, 1);
    if (*name == NULL)
        return BASE_MACHINE;
    mm_hdf5.get_link(group, ".", order, MM_HDF5_ASCENDING, (mm_hdf5_size)index, *name, (size_t)length + 1, 0);
    return BASE_OK;
}

/* A text of any length that HDF5 allocates, or one of a fixed length. */
static base_status read_text(base_context *context, id attribute, id type, char **text) {
    base_status status = BASE_OK;
    char *made = NULL;
    if (mm_hdf5.is_variable(type) > 0) {
        if (mm_hdf5.read_attribute(attribute, type, &made) < 0 || made == NULL)
            BASE_TRY(damaged(context, "an attribute"));
        *text = base_copy_text(context, made, (int64_t)strlen(made));
        mm_hdf5.free_memory(made);
        return *text != NULL ? BASE_OK : BASE_MACHINE;
    }
    const size_t size = mm_hdf5.get_size(type);
    *text = base_alloc_zero(context, (int64_t)size + 1, 1);
    if (*text == NULL)
        BASE_TRY(BASE_MACHINE);
    if (mm_hdf5.read_attribute(attribute, type, *text) < 0)
        BASE_TRY(damaged(context, "an attribute"));
done:
    return status;
}

base_status mm_hdf5_read_text(base_context *context, mm_hdf5_id object, const char *name, char **text) {
    base_status status = BASE_OK;
    id attribute = -1, type = -1, space = -1;
    *text = NULL;
    const int there = mm_hdf5.has_attribute(object, name);
    if (there == 0)
        goto done;
    attribute = there > 0 ? mm_hdf5.open_attribute(object, name, 0) : -1;
    type = attribute >= 0 ? mm_hdf5.get_attribute_type(attribute) : -1;
    space = attribute >= 0 ? mm_hdf5.get_attribute_space(attribute) : -1;
    if (type < 0 || space < 0 || mm_hdf5.get_points(space) != 1 ||
        mm_hdf5.get_class(type) != MM_HDF5_CLASS_STRING)
        BASE_TRY(damaged(context, "an attribute"));
    BASE_TRY(read_text(context, attribute, type, text));
done:
    if (space >= 0)
        mm_hdf5.close_space(space);
    if (type >= 0)
        mm_hdf5.close_type(type);
    if (attribute >= 0)
        mm_hdf5.close_attribute(attribute);
    if (status != BASE_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* ---- datasets ---- */

static bool find_type(id type, mm_number_type *result) {
    const int class = mm_hdf5.get_class(type);
    const size_t size = mm_hdf5.get_size(type);
    if (size == 0 || size > 16)
        return false;
    *result = (mm_number_type){.letter = 'u', .bytes = (int)size};
    if (class == MM_HDF5_CLASS_FLOAT)
        result->letter = 'f';
    else if (class == MM_HDF5_CLASS_COMPOUND && mm_hdf5.get_members(type) == 2)
        result->letter = 'c'; /* two doubles or two floats, which is how h5py stores complex numbers */
    else if (class == MM_HDF5_CLASS_INTEGER)
        result->letter = mm_hdf5.get_sign(type) == 0 ? 'u' : 'i';
    else if (class != MM_HDF5_CLASS_ENUM || size != 1)
        return false;
    result->swapped = size > 1 && result->letter != 'c' && mm_hdf5.get_order(type) == MM_HDF5_ORDER_BIG;
    return mm_number_type_is_known(*result);
}

/* Decodes all numbers, in the type that the file has. */
static base_status decode(base_context *context, mm_hdf5_data *data, id type) {
    const int64_t bytes = data->count * data->type.bytes;
    if (bytes / 4096 > (int64_t)mm_hdf5.get_stored(data->id))
        return base_fail(context, BASE_DAMAGED, "%lld bytes of numbers from %llu stored ones",
                         (long long)bytes, mm_hdf5.get_stored(data->id));
    data->copy = base_alloc(context, bytes, 1);
    if (data->copy == NULL)
        return BASE_MACHINE;
    return mm_hdf5.read_data(data->id, type, 0, 0, 0, data->copy) >= 0 ? BASE_OK
                                                                       : damaged(context, "a dataset");
}

/* Whether numbers lie in the file as they are, and where. */
static void find_plain(mm_hdf5_data *data, id list) {
    mm_hdf5_size length = 0;
    const int layout = mm_hdf5.get_layout(list);
    const int64_t bytes = data->count * data->type.bytes;
    if (mm_hdf5.get_filters(list) != 0 || (int64_t)mm_hdf5.get_stored(data->id) < bytes)
        return;
    data->offset = layout == MM_HDF5_CONTIGUOUS ? (int64_t)mm_hdf5.get_offset(data->id) : -1;
    if (layout == MM_HDF5_CONTIGUOUS)
        data->is_plain = data->offset >= 0 && data->offset <= data->whole->bytes &&
                         bytes <= data->whole->bytes - data->offset;
    else if (layout == MM_HDF5_CHUNKED && mm_hdf5.get_chunk_size(list, 1, &length) == 1 && length > 0 &&
             length <= INT32_MAX)
        data->is_plain = bytes <= data->whole->bytes;
    data->chunk_length = (int64_t)length;
}

base_status mm_hdf5_open_data(base_context *context, mm_hdf5_id object, const mm_whole *whole,
                              const char *name, mm_hdf5_data *data) {
    base_status status = BASE_OK;
    id space = -1, type = -1, list = -1;
    mm_hdf5_size extent = 0;
    *data = (mm_hdf5_data){.id = -1, .whole = whole, .offset = -1};
    if (mm_hdf5.has_link(object, name, 0) <= 0)
        goto done;
    data->id = mm_hdf5.open_data(object, name, 0);
    if (data->id < 0)
        BASE_TRY(damaged(context, name));
    space = mm_hdf5.get_data_space(data->id);
    type = mm_hdf5.get_data_type(data->id);
    list = mm_hdf5.get_data_list(data->id);
    if (space < 0 || type < 0 || list < 0 || mm_hdf5.get_rank(space) != 1 ||
        mm_hdf5.get_extent(space, &extent, NULL) != 1 || extent > INT64_MAX / 16)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the dataset %s has not one dimension", name));
    if (!find_type(type, &data->type))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the dataset %s has no numbers of 8 to 64 bits", name));
    data->count = (int64_t)extent;
    find_plain(data, list);
    if (!data->is_plain && data->count > 0)
        BASE_TRY(decode(context, data, type));
done:
    if (list >= 0)
        mm_hdf5.close_list(list);
    if (type >= 0)
        mm_hdf5.close_type(type);
    if (space >= 0)
        mm_hdf5.close_space(space);
    if (status != BASE_OK)
        mm_hdf5_close_data(data);
    return status;
}

void mm_hdf5_close_data(mm_hdf5_data *data) {
    if (data == NULL)
        return;
    if (data->whole != NULL && data->id >= 0)
        mm_hdf5.close_data(data->id);
    free(data->copy);
    *data = (mm_hdf5_data){.id = -1};
}

/* Where the number at data->at lies, and how many bytes from there on lie together. */
static base_status find_run(base_context *context, const mm_hdf5_data *data, int64_t *offset,
                            int64_t *bytes) {
    if (data->offset >= 0) {
        *offset = data->offset + data->at;
        *bytes = INT64_MAX;
        return BASE_OK;
    }
    const int64_t chunk_bytes = data->chunk_length * data->type.bytes, inside = data->at % chunk_bytes;
    const mm_hdf5_size first = (mm_hdf5_size)(data->at / chunk_bytes * data->chunk_length);
    mm_hdf5_size place = 0, size = 0;
    unsigned mask = 0;
    if (mm_hdf5.get_chunk(data->id, &first, &mask, &place, &size) < 0 || (int64_t)place < 0 ||
        (int64_t)size != chunk_bytes)
        return damaged(context, "a chunk");
    *offset = (int64_t)place + inside;
    *bytes = chunk_bytes - inside;
    return BASE_OK;
}

static base_status read_bytes(base_context *context, void *self, char *to, size_t bytes) {
    mm_hdf5_data *data = self;
    base_status status = BASE_OK;
    if (!data->is_plain) {
        memcpy(to, data->copy + data->at, bytes);
        data->at += (int64_t)bytes;
        goto done;
    }
    while (bytes > 0) {
        int64_t offset = 0, run = 0;
        BASE_TRY(find_run(context, data, &offset, &run));
        const size_t some = run < (int64_t)bytes ? (size_t)run : bytes;
        BASE_TRY(mm_whole_read(context, data->whole, offset, to, some));
        data->at += (int64_t)some;
        to += some;
        bytes -= some;
    }
done:
    return status;
}

void *mm_hdf5_map_data(const base_context *context, const mm_hdf5_data *data, int bytes, mm_record *record) {
    enum { LEAST_BYTES = 4 << 20 };
    if (!data->is_plain || data->offset < 0 || data->offset % bytes != 0 || data->type.swapped ||
        data->type.bytes != bytes || data->count < LEAST_BYTES / bytes)
        return NULL;
    if (record->memory == NULL) {
        record->memory = mm_whole_map(context, data->whole);
        record->memory_bytes = record->memory != NULL ? data->whole->bytes : 0;
    }
    return record->memory != NULL ? record->memory + data->offset : NULL;
}

mm_number_bytes mm_hdf5_bytes(mm_hdf5_data *data) {
    return (mm_number_bytes){read_bytes, data, data->count * data->type.bytes};
}
