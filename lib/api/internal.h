/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. The room is libmmpipe: each function of <mmpipe/…> is a few calls of the
 * rooms below, in the file of its header's name. A function begins with api_begin and returns what its calls
 * return; mmpipe_status and base_status have the same numbers, as have all enumerations of both sides. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "base/device/device.h"
#include "base/run/progress.h"
#include "mm/record/record.h"
#include "mmpipe/record.h"

struct mmpipe_context {
    base_context base;
    base_progress progress; /* of which stop_signal alone is used */
    base_device_search devices;
    void (*log)(void *data, const char *text); /* NULL: nobody reads it */
    void *log_data;
    char message[BASE_ERROR_TEXT];
};

struct mmpipe_record {
    mm_record record;
    bool is_borrowed; /* its arrays of entries and values are the caller's */
    char *file_name; /* what it is called after the file that it was read from; NULL: it has a name or no file
                      */
};

/* Forgets the place of the call before; fails with BASE_STOPPED after mmpipe_interrupt. */
base_status api_begin(mmpipe_context *context);

/* A remark to whoever listens; nothing for an empty one. */
void api_log(mmpipe_context *context, const char *text);

/* An empty record. NULL without memory. */
mmpipe_record *api_record_new(base_context *context);
/* Makes borrowed arrays the record's own, before something changes or takes them. */
base_status api_record_own(base_context *context, mmpipe_record *record);
/* Hands over a new record if all went well; else frees it and leaves NULL. */
base_status api_record_give(base_status status, mmpipe_record *made, mmpipe_record **result);

/* Reads the next record of something into an empty one. */
typedef base_status api_next(base_context *context, void *from, mmpipe_record *record, bool *found);
/* A new record with what `next` reads; NULL at the end. */
mmpipe_status api_record_next(mmpipe_context *context, api_next *next, void *from, mmpipe_record **result);

/* The structure of options as the caller knows it, whose first member is its size, in ours: later members
 * become 0. NULL gives zeros. BASE_USAGE for a size that no version had. */
base_status api_options(base_context *context, const void *given, void *options, size_t size);

static inline mmpipe_status api_status(base_status status) {
    return (mmpipe_status)status;
}

#endif
