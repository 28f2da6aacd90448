/* SPDX-License-Identifier: BSD-3-Clause */
/* What report.c and log.c share. */
#ifndef PERM_REPORT_INTERNAL_H
#define PERM_REPORT_INTERNAL_H

#include <jansson.h>

/* A JSON string of any bytes: JSON has no others than UTF-8. NULL: out of memory. */
json_t *perm_report_text(const char *bytes);

#endif
