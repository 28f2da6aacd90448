/* Formats of collections that are no Matrix Market: one matrix a file, read as any other record and never
 * written.
 *
 * boeing.c reads Rutherford-Boeing and Harwell-Boeing files (Duff, Grimes, Lewis: The Rutherford-Boeing
 * Sparse Matrix Collection, 1997), with fortran.c for numbers in Fortran's fixed fields and fortran_lines.c
 * for their lines; smtx.c reads the .smtx files of DLMC (Gale, Zaharia, Young, Elsen 2020). Each has one
 * function that tells the format by its first bytes and one that reads it; stream/reader.c asks them in turn.
 */
#ifndef MM_FORMATS_FORMATS_H
#define MM_FORMATS_FORMATS_H

#include "mm/record/record.h"
#include "mm/source/source.h"

/* One matrix per part. To tell the formats apart takes their first 4 KiB, or all of a shorter input. */
bool mm_boeing_detect(const char *data, size_t size);
base_status mm_boeing_read(base_context *context, mm_source *source, mm_record *record);
bool mm_smtx_detect(const char *data, size_t size);
base_status mm_smtx_read(base_context *context, mm_source *source, mm_record *record);

#endif
