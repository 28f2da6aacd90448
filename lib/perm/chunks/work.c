/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/chunks/work.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/metadata/metadata.h"
#include "mm/record/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

base_status perm_work_open(base_context *context, perm_work *work, const char *checkpoint) {
    base_status status;
    int64_t bytes;
    char note[512];
    if (checkpoint == NULL)
        return BASE_OK;
    pthread_mutex_init(&work->lock, NULL);
    base_checkpoint_init(&work->checkpoint, checkpoint);
    BASE_TRY(base_identity_copy_part(context, &work->state_of, work->identity, work->part.index,
                                     work->part.count));
    BASE_TRY(mm_state_load(context, checkpoint, &work->state_of, &work->resumed, &bytes,
                           &work->resumed_tables, &work->damaged, note));
    if (work->damaged && work->note != NULL)
        work->note(work->data, note);
    perm_work_lock(work);
    work->resumed_next = work->resumed;
    work->has_state = work->resumed != NULL;
    work->is_loaded = true;
    perm_work_unlock(work);
done:
    return status;
}

void perm_work_close(perm_work *work) {
    if (work->checkpoint.path != NULL)
        pthread_mutex_destroy(&work->lock);
    work->checkpoint.path = NULL;
    free(work->finished);
    free(work->resumed);
    base_identity_free(&work->state_of);
    mm_state_pieces_free(&work->resumed_tables);
    work->finished = work->resumed = NULL;
}

/* Appends a partial result as a line to a text. */
static base_status append(base_context *context, const perm_partial_result *partial_result, char **text,
                          int64_t *bytes, int64_t *capacity) {
    base_status status = BASE_OK;
    json_t *object = perm_partial_result_to_json(context, partial_result);
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    if (line == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "no memory for the state"));
    int64_t length = (int64_t)strlen(line);
    BASE_TRY(base_reserve(context, text, capacity, *bytes + length + 2, 1));
    memcpy(*text + *bytes, line, (size_t)length);
    memcpy(*text + *bytes + length, "\n", 2);
    *bytes += length + 1;
done:
    json_decref(object);
    free(line);
    return status;
}

void perm_work_lock(perm_work *work) {
    if (work != NULL && work->checkpoint.path != NULL)
        pthread_mutex_lock(&work->lock);
}

void perm_work_unlock(perm_work *work) {
    if (work != NULL && work->checkpoint.path != NULL)
        pthread_mutex_unlock(&work->lock);
}

void perm_work_set_adding(perm_work *work, bool is_adding) {
    if (work == NULL || work->checkpoint.path == NULL)
        return; /* nobody saves, and the threads of a batch have one `work` */
    perm_work_lock(work);
    work->is_adding = is_adding;
    perm_work_unlock(work);
}

static base_status append_text(base_context *context, const char *more, int64_t length, char **text,
                               int64_t *bytes, int64_t *capacity) {
    base_status status = base_reserve(context, text, capacity, *bytes + length + 1, 1);
    if (status != BASE_OK)
        return status;
    if (length > 0)
        memcpy(*text + *bytes, more, (size_t)length);
    *bytes += length;
    (*text)[*bytes] = '\0';
    return BASE_OK;
}

/* Under the lock. `is_steady`: the current result may be read; else what the last state had of it remains.
 * What that state has of records that are still to come remains, too. */
static base_status save(base_context *context, perm_work *work, bool is_steady) {
    base_status status = BASE_OK;
    char *text = NULL;
    int64_t bytes = 0, capacity = 0;
    BASE_TRY(append_text(context, work->finished, work->finished_bytes, &text, &bytes, &capacity));
    if (work->current != NULL && is_steady)
        BASE_TRY(append(context, work->current, &text, &bytes, &capacity));
    else if (work->resumed_line != NULL)
        BASE_TRY(append_text(context, work->resumed_line, work->resumed_next - work->resumed_line, &text,
                             &bytes, &capacity));
    if (work->resumed_next != NULL)
        BASE_TRY(append_text(context, work->resumed_next, (int64_t)strlen(work->resumed_next), &text, &bytes,
                             &capacity));
    BASE_TRY(mm_state_save(context, &work->checkpoint, !work->damaged, &work->state_of, text, bytes,
                           is_steady ? work->tables : NULL, work->tables_data));
    work->damaged = false;
    work->has_state = true;
    work->unsaved_records = 0;
done:
    free(text);
    return status;
}

/* Whether a line of a state is that of a whole record. */
static bool is_whole(const char *line) {
    const char *whole = strstr(line, "\"whole\":true");
    return whole != NULL && whole < strchr(line, '\n');
}

/* "run it again to go on from FILE, which has 3 finished records". The state's line of the current record and
 * those of records to come are still there. */
static void describe(const perm_work *work, bool has_part, char said[BASE_SAID_BYTES]) {
    const char *first = work->resumed_line != NULL ? work->resumed_line : work->resumed_next;
    int64_t records = work->finished_records;
    for (const char *line = first; line != NULL && *line; line = strchr(line, '\n') + 1)
        records += is_whole(line);
    has_part = has_part && !(work->resumed_line != NULL && is_whole(work->resumed_line));
    snprintf(said, BASE_SAID_BYTES, "run it again to go on from %s, which has %lld finished record%s%s",
             work->checkpoint.path, (long long)records, records == 1 ? "" : "s",
             has_part ? " and a part of the next" : "");
}

/* Only where the file has less than there is: it may hold more of the current record. */
static base_status save_at_any_moment(base_context *context, void *data, bool is_last,
                                      char said[BASE_SAID_BYTES]) {
    perm_work *work = data;
    base_status status = BASE_OK;
    if (work->checkpoint.path == NULL)
        return BASE_OK;
    perm_work_lock(work);
    if (work->is_loaded && (work->unsaved_records > 0 || work->is_adding || !work->has_state))
        status = save(context, work, work->is_adding);
    if (work->is_loaded)
        describe(work, work->current != NULL && (work->is_adding || work->resumed_line != NULL), said);
    if (!is_last)
        perm_work_unlock(work);
    return status;
}

void perm_work_rescue(base_context *context, perm_work *work) {
    const base_error first = context->error;
    if (work == NULL || work->checkpoint.path == NULL)
        return;
    perm_work_lock(work);
    save(context, work, true);
    perm_work_unlock(work);
    context->error = first;
}

static void release(void *data) {
    perm_work_close(data);
}

base_saver perm_work_saver(perm_work *work) {
    return (base_saver){save_at_any_moment, release, work};
}

/* Puts the file in front of what is wrong with it. */
static base_status name_state(base_context *context, const perm_work *work) {
    const base_error error = context->error;
    return base_fail(context, BASE_DAMAGED, "%s: %s", work->checkpoint.path, error.cause);
}

/* The line of the state that belongs to this record, if the state has come so far. */
static base_status resume(base_context *context, perm_work *work, perm_partial_result *partial_result) {
    base_status status = BASE_OK;
    json_error_t error;
    perm_partial_result known;
    const char *line = work->resumed_next, *end = line != NULL ? strchr(line, '\n') : NULL;
    if (end == NULL)
        return BASE_OK;
    perm_partial_result_init(&known);
    json_t *object = json_loadb(line, (size_t)(end - line), 0, &error);
    status = perm_partial_result_from_json(context, object, &known);
    if (status == BASE_DAMAGED)
        status = name_state(context, work);
    if (status != BASE_OK)
        goto done;
    if (known.record > partial_result->record)
        goto done; /* this one failed before, and will again */
    if (known.record != partial_result->record || strcmp(known.hash, partial_result->hash) != 0)
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "%s is the state of another input: record %lld is not the same",
                           work->checkpoint.path, (long long)partial_result->record));
    perm_work_lock(work);
    work->resumed_line = line;
    work->resumed_next = end + 1;
    perm_work_unlock(work);
    perm_partial_result old = *partial_result;
    *partial_result = known;
    known = old;
done:
    json_decref(object);
    perm_partial_result_free(&known);
    return status;
}

base_status perm_work_begin(base_context *context, perm_work *work, const mm_record *record,
                            perm_partial_result *partial_result) {
    base_status status = BASE_OK;
    const char *comments = record->comments != NULL ? record->comments : "";
    partial_result->record = ++work->records;
    partial_result->part = work->part;
    partial_result->field = record->field;
    mm_record_hash(record, partial_result->hash);
    if (partial_result->record == 1)
        memcpy(work->job, partial_result->hash, sizeof work->job);
    BASE_TRY(mm_record_name(context, record, &partial_result->name));
    partial_result->comments = base_copy_text(context, comments, (int64_t)strlen(comments));
    if (partial_result->comments == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(resume(context, work, partial_result));
    perm_work_lock(work);
    work->current = partial_result;
    work->was_whole = partial_result->is_whole;
    perm_work_unlock(work);
done:
    return status;
}

base_status perm_work_end(base_context *context, perm_work *work, bool failed) {
    base_status status = BASE_OK;
    perm_work_lock(work);
    if (!failed && work->checkpoint.path != NULL) {
        BASE_TRY(
            append(context, work->current, &work->finished, &work->finished_bytes, &work->finished_capacity));
        work->finished_records++;
        work->unsaved_records += !work->was_whole;
    }
done:
    work->current = NULL;
    work->resumed_line = NULL;
    perm_work_unlock(work);
    return status;
}

base_status perm_work_finish(base_context *context, const perm_work *work) {
    if (work->resumed_next != NULL && *work->resumed_next)
        return base_fail(context, BASE_USAGE, "%s is the state of another input, which has more records",
                         work->checkpoint.path);
    return BASE_OK;
}

static bool is_late(const perm_work *work) {
    return work->deadline_seconds > 0 && base_clock_seconds() >= work->deadline_seconds;
}

bool perm_work_has_state(const perm_work *work) {
    return work != NULL && work->checkpoint.path != NULL;
}

bool perm_work_is_stopping(const base_context *context, const perm_work *work) {
    return base_is_stopping(context) || base_is_overdue(context) ||
           (perm_work_has_state(work) && is_late(work));
}

void perm_work_keep(perm_work *work, mm_state_more *tables, void *data) {
    if (work == NULL)
        return;
    perm_work_lock(work);
    work->tables = tables;
    work->tables_data = data;
    perm_work_unlock(work);
}

base_status perm_work_pause(base_context *context, perm_work *work) {
    base_status status = BASE_OK;
    char said[BASE_SAID_BYTES];
    const bool stop = perm_work_is_stopping(context, work), overdue = base_is_overdue(context);
    if (!perm_work_has_state(work)) {
        BASE_TRY(base_stop_check(context));
        if (overdue)
            BASE_TRY(base_fail(context, BASE_STOPPED, "stopped: it takes longer than --max-time allows%s",
                               work != NULL && work->keep_going
                                   ? ""
                                   : ", and there is no --checkpoint to keep what was computed"));
        goto done;
    }
    const bool late = is_late(work);
    if (overdue && work->keep_going && !late && !base_is_stopping(context))
        BASE_TRY(base_fail(context, BASE_STOPPED,
                           "stopped: it takes longer than --max-time allows; with --keep-going nothing of it "
                           "is kept"));
    if (stop || base_checkpoint_is_due(&work->checkpoint)) {
        perm_work_lock(work);
        status = save(context, work, true);
        describe(work, work->current != NULL, said);
        perm_work_unlock(work);
        BASE_TRY(status);
    }
    if (stop)
        status = base_fail(context, BASE_STOPPED, "stopped%s; %s",
                           overdue ? ": it takes longer than --max-time allows"
                           : late  ? " at the time limit"
                                   : "",
                           said);
done:
    return status;
}
