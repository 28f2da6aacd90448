/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that one process hands to another in resident form. */
#ifndef TESTS_SUPPORT_HANDOVER_H
#define TESTS_SUPPORT_HANDOVER_H

#include "mm/record/record.h"

/* Whether it is BASE_OK; the cause is noted otherwise. */
bool handover_good(const base_context *context, base_status status);

/* Writes a stream of one record to a pipe; `hashed`: with a hash. */
bool handover_send(base_context *context, int end, bool hashed, mm_record *record);

/* The status of reading what `send` writes in another process; BASE_FAILED where it fails or there is no
 * record. Kinds of the set `left` stay on the device. */
typedef bool handover_sender(int end, const void *data);
base_status handover_pass(base_context *context, handover_sender *send, const void *data, unsigned left,
                          mm_record *record);

/* Hands what `send` writes to the commands of a shell, and reads the first record that they print. */
bool handover_through(base_context *context, handover_sender *send, const void *data, const char *commands,
                      mm_record *record);

/* Kilobytes of memory files that this process has mapped in huge pages; 0 where the system does not say. */
long handover_huge_kilobytes(void);

/* Whether the system makes huge pages of extents of a memory file that have one page each: of all of
 * several. */
bool handover_makes_huge_pages(void);

#endif
