/* Records from a list of inputs, whatever their form: text or binary streams, compressed or not, archives,
 * Rutherford-Boeing, .smtx. Checks the stream's marks: numbers in order, the end mark where numbering was
 * seen. */
#ifndef MM_READER_H
#define MM_READER_H

#include "mm/form.h"

typedef struct mm_reader mm_reader;

/* `paths`: `count` names, "-" is standard input; none at all means standard input. They must outlive the
 * reader. */
base_status mm_reader_open(base_context *context, const char *const *paths, int count, bool lenient,
                           mm_reader **reader);

/* The next record, *found false after the last. A member of an archive that has no `% name` is named after
 * its path: HB/bcspwr02 for HB/bcspwr02.tar.gz as well as for a member HB/bcspwr02.mtx. Members that are no
 * matrices are passed over. The place of the context is that of the record, without a line. */
base_status mm_reader_next(base_context *context, mm_reader *reader, mm_record *record, bool *found);

/* Leaves the current input, after it turned out to be damaged; the next call goes on with the next one. */
void mm_reader_abandon_input(mm_reader *reader);

/* What the last record needed to be repaired (lenient reading), or NULL. */
const char *mm_reader_repair(const mm_reader *reader);

void mm_reader_close(mm_reader *reader);

#endif
