/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats of files other than Matrix Market text and the binary form: those of other collections and
 * programs. A format is one row of the table in formats.c and a file of its own:
 *
 *   boeing      boeing.c, with fortran.c and fortran_lines.c: Rutherford-Boeing and Harwell-Boeing
 *   smtx        smtx.c: the Deep Learning Matrix Collection
 *   binsparse   binsparse.c and binsparse_write.c, with descriptor.c for the JSON: Binsparse in HDF5
 *   npy         npy.c: an array of NumPy
 *   npz         npz.c, npz_sparse.c, npz_write.c: scipy.sparse.save_npz, numpy.savez
 *   mat         mat.c, mat_write.c: MATLAB
 *   edges, metis, csv   edges.c, metis.c, csv.c: text
 *
 * What they share lies in arrays/: numbers of any machine type, compressed rows and columns, words of lines,
 * files in memory, the libraries HDF5 and matio. stream/reader.c and stream/writer.c use the table. */
#ifndef MM_FORMATS_FORMATS_H
#define MM_FORMATS_FORMATS_H

#include "base/run/output.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

/* A file with any number of matrices. The caller closes what `open` leaves in *file, also where it fails. */
typedef struct mm_format_reader {
    base_status (*open)(base_context *context, mm_source *source, void **file);
    /* The next matrix; *found false after the last. */
    base_status (*next)(base_context *context, void *file, mm_record *record, bool *found);
    void (*close)(void *file); /* NULL is allowed */
    /* After `next` failed: whether it can be called again for what follows the damaged matrix. NULL: never.
     */
    bool (*goes_on)(const void *file);
} mm_format_reader;

/* The same for what is written. */
typedef struct mm_format_writer {
    base_status (*open)(base_context *context, base_output *output, void **file);
    /* `alone`: the file has this matrix and no other. The record may be changed or emptied. */
    base_status (*put)(base_context *context, void *file, mm_record *record, bool alone);
    base_status (*finish)(base_context *context, void *file);
    void (*close)(void *file); /* NULL is allowed */
} mm_format_writer;

enum { MM_FORMAT_NAME_BYTES = 64 };

/* What a writer takes; the caller converts. */
typedef enum mm_format_storage {
    MM_STORES_RECORDS, /* coordinate or array, with their symmetry */
    MM_STORES_SPARSE,  /* general coordinate matrices */
    MM_STORES_GRAPH,   /* symmetric coordinate matrices */
    MM_STORES_DENSE,   /* general arrays */
    MM_STORES_GENERAL  /* general matrices, coordinate or array */
} mm_format_storage;

typedef struct mm_file_format {
    const char *name;      /* of --from and --to */
    const char *extension; /* of its files, without a dot */
    const char *what;      /* for people */
    bool is_text;          /* fit for a terminal */

    /* By the first MM_FORMAT_DETECT_BYTES bytes, or all of a shorter input; NULL: read only when asked for.
     */
    bool (*detect)(const char *data, size_t size);

    /* How it is read: the one matrix of a file, or several; both NULL: not at all. */
    base_status (*read)(base_context *context, mm_source *source, mm_record *record);
    const mm_format_reader *reader;

    /* How it is written, likewise. */
    mm_format_storage storage;
    base_status (*write)(base_context *context, base_output *output, mm_record *record);
    const mm_format_writer *writer;
    bool takes_compressed; /* places instead of row and col (record/places.h) */
    /* The name as the format can write it. NULL: as it is, or not at all. */
    void (*write_name)(const char *name, char written[MM_FORMAT_NAME_BYTES]);
} mm_file_format;

enum { MM_FORMAT_DETECT_BYTES = 4096 };

/* The format of that name; NULL: there is none. */
const mm_file_format *mm_format_find(const char *name);

/* The format that the first bytes of a part tell; NULL: none of these. */
const mm_file_format *mm_format_detect(const char *data, size_t size);

/* The same for the argument of --from or --to; NULL gives NULL. Fails with BASE_USAGE and the names of those
 * that can be read, or written. */
base_status mm_format_ask(base_context *context, const char *option, const char *name,
                          const mm_file_format **format);

/* The table, `index` from 0; NULL behind its end. */
const mm_file_format *mm_format_row(int index);

/* The parts of the rows. A format that holds one matrix reads a whole part of a source. All fail with
 * BASE_DAMAGED on malformed input, and with BASE_FAILED on a record that the format cannot hold. */
bool mm_boeing_detect(const char *data, size_t size);
base_status mm_boeing_read(base_context *context, mm_source *source, mm_record *record);
bool mm_smtx_detect(const char *data, size_t size);
base_status mm_smtx_read(base_context *context, mm_source *source, mm_record *record);
bool mm_binsparse_detect(const char *data, size_t size);
extern const mm_format_reader mm_binsparse_reader;
extern const mm_format_writer mm_binsparse_writer;
bool mm_npy_detect(const char *data, size_t size);
base_status mm_npy_read(base_context *context, mm_source *source, mm_record *record);
base_status mm_npy_write(base_context *context, base_output *output, mm_record *record);
bool mm_npz_detect(const char *data, size_t size);
extern const mm_format_reader mm_npz_reader;
base_status mm_npz_write(base_context *context, base_output *output, mm_record *record);
bool mm_mat_detect(const char *data, size_t size);
extern const mm_format_reader mm_mat_reader;
extern const mm_format_writer mm_mat_writer;
void mm_mat_write_name(const char *name, char written[MM_FORMAT_NAME_BYTES]);
base_status mm_edges_read(base_context *context, mm_source *source, mm_record *record);
base_status mm_edges_read_from_0(base_context *context, mm_source *source, mm_record *record);
base_status mm_edges_write(base_context *context, base_output *output, mm_record *record);
base_status mm_edges_write_from_0(base_context *context, base_output *output, mm_record *record);
base_status mm_metis_read(base_context *context, mm_source *source, mm_record *record);
base_status mm_metis_write(base_context *context, base_output *output, mm_record *record);
base_status mm_csv_read(base_context *context, mm_source *source, mm_record *record);
base_status mm_csv_write(base_context *context, base_output *output, mm_record *record);

#endif
