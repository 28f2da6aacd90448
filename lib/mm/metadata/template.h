/* SPDX-License-Identifier: BSD-3-Clause */
/* Names from a template: {name} stands for the record's name, {number} for its number in the output. */
#ifndef MM_METADATA_TEMPLATE_H
#define MM_METADATA_TEMPLATE_H

#include "mm/record/record.h"

/* Fails with BASE_USAGE, naming the option, on other words in braces. */
base_status mm_template_check(base_context *context, const char *option, const char *text);

/* The text for a record, to be freed. With `safe` what is put in is fit for the name of a file: everything
 * but letters, digits and + - . _ becomes _, as does a dot in front. */
base_status mm_template_expand(base_context *context, const char *text, const mm_record *record,
                               int64_t number, bool safe, char **result);

#endif
