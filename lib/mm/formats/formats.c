/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/formats.h"

#include <stdio.h>
#include <string.h>

static const mm_file_format formats[] = {
    {.name = "binsparse",
     .extension = "bsp.h5",
     .what = "Binsparse 0.1 in HDF5",
     .detect = mm_binsparse_detect,
     .reader = &mm_binsparse_reader,
     .writer = &mm_binsparse_writer,
     .takes_compressed = true},
    {.name = "npz",
     .extension = "npz",
     .what = "scipy.sparse.save_npz, numpy.savez",
     .detect = mm_npz_detect,
     .reader = &mm_npz_reader,
     .storage = MM_STORES_SPARSE,
     .write = mm_npz_write,
     .takes_compressed = true},
    {.name = "npy",
     .extension = "npy",
     .what = "an array of NumPy",
     .detect = mm_npy_detect,
     .read = mm_npy_read,
     .storage = MM_STORES_DENSE,
     .write = mm_npy_write},
    {.name = "mat",
     .extension = "mat",
     .what = "MATLAB",
     .detect = mm_mat_detect,
     .reader = &mm_mat_reader,
     .storage = MM_STORES_GENERAL,
     .writer = &mm_mat_writer,
     .write_name = mm_mat_write_name},
    {.name = "edges",
     .extension = "txt",
     .what = "edge list, vertices from 1",
     .is_text = true,
     .read = mm_edges_read,
     .storage = MM_STORES_SPARSE,
     .write = mm_edges_write},
    {.name = "edges0",
     .extension = "txt",
     .what = "edge list, vertices from 0",
     .is_text = true,
     .read = mm_edges_read_from_0,
     .storage = MM_STORES_SPARSE,
     .write = mm_edges_write_from_0},
    {.name = "metis",
     .extension = "graph",
     .what = "METIS graph",
     .is_text = true,
     .read = mm_metis_read,
     .storage = MM_STORES_GRAPH,
     .write = mm_metis_write},
    {.name = "csv",
     .extension = "csv",
     .what = "numbers in rows, with commas",
     .is_text = true,
     .read = mm_csv_read,
     .storage = MM_STORES_DENSE,
     .write = mm_csv_write},
    {.name = "boeing",
     .extension = "rb",
     .what = "Rutherford-Boeing, Harwell-Boeing",
     .is_text = true,
     .detect = mm_boeing_detect,
     .read = mm_boeing_read},
    {.name = "smtx",
     .extension = "smtx",
     .what = "Deep Learning Matrix Collection",
     .is_text = true,
     .detect = mm_smtx_detect,
     .read = mm_smtx_read},
};

const mm_file_format *mm_format_row(int index) {
    return index >= 0 && index < (int)(sizeof formats / sizeof *formats) ? &formats[index] : NULL;
}

const mm_file_format *mm_format_find(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const mm_file_format *mm_format_detect(const char *data, size_t size) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].detect != NULL && formats[i].detect(data, size))
            return &formats[i];
    return NULL;
}

static bool can(const mm_file_format *format, bool write) {
    return write ? format->write != NULL || format->writer != NULL
                 : format->read != NULL || format->reader != NULL;
}

base_status mm_format_ask(base_context *context, const char *option, const char *name,
                          const mm_file_format **format) {
    const bool write = strcmp(option, "to") == 0;
    char known[256] = "";
    size_t used = 0;
    *format = name != NULL ? mm_format_find(name) : NULL;
    if (name == NULL || (*format != NULL && can(*format, write)))
        return BASE_OK;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && used < sizeof known; i++)
        if (can(&formats[i], write))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "",
                                     formats[i].name);
    return base_fail(context, BASE_USAGE, "--%s: '%.40s' is none of %s", option, name, known);
}
