/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/journal.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "mm/binary/binary.h"
#include "mm/metadata/metadata.h"
#include "mm/record/hash.h"
#include "mm/stream/journal_source.h"
#include "mm/stream/state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZSTD_LEVEL = 1 };

struct mm_journal {
    base_checkpoint checkpoint;
    base_identity identity;

    /* what is written */
    pthread_mutex_t lock;
    bool is_loaded; /* it is known what the file has */
    int descriptor;
    base_output *output;
    int64_t start_bytes;   /* of the file, where the output began */
    int64_t whole_bytes;   /* of the file, up to the last end mark */
    int64_t whole_records; /* finished ones, up to there */
    int64_t pieces;        /* in the stream that is written; 0: none is */

    /* what was there when it was loaded, and is given again */
    mm_journal_source source;
    int64_t left;   /* finished records that it still has */
    int64_t number; /* of the first of them; 0: not read yet */
    char hash[BASE_HASH_TEXT];
};

base_status mm_journal_make(base_context *context, const char *path, const base_identity *identity,
                            const base_part *part, mm_journal **result) {
    mm_journal *journal = base_alloc_zero(context, 1, sizeof *journal);
    *result = journal;
    if (journal == NULL)
        return BASE_MACHINE;
    base_checkpoint_init(&journal->checkpoint, path);
    journal->descriptor = -1;
    pthread_mutex_init(&journal->lock, NULL);
    const base_status status =
        base_identity_copy_part(context, &journal->identity, identity, part->index, part->count);
    if (status != BASE_OK) {
        mm_journal_close(journal);
        *result = NULL;
    }
    return status;
}

void mm_journal_close(mm_journal *journal) {
    if (journal == NULL)
        return;
    mm_journal_source_close(&journal->source);
    base_output_discard(journal->output);
    if (journal->descriptor >= 0)
        close(journal->descriptor);
    base_identity_free(&journal->identity);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

/* ---- writing ---- */

/* Under the lock. What is no whole stream goes. */
static base_status cut(base_context *context, mm_journal *journal) {
    base_status status = BASE_OK;
    journal->pieces = 0;
    BASE_TRY(base_output_flush(context, journal->output));
    if (journal->start_bytes + base_output_position(journal->output) == journal->whole_bytes)
        goto done;
    if (ftruncate(journal->descriptor, journal->whole_bytes) != 0 ||
        lseek(journal->descriptor, journal->whole_bytes, SEEK_SET) < 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot cut %s", journal->checkpoint.path));
    journal->start_bytes = journal->whole_bytes - base_output_position(journal->output);
done:
    return status;
}

static base_status sync_file(base_context *context, mm_journal *journal) {
    if (base_sync(journal->descriptor) != 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot write %s", journal->checkpoint.path);
    journal->checkpoint.saved_seconds = base_clock_seconds();
    return BASE_OK;
}

/* Opens the file to append to it; what stands behind `whole_bytes` goes, and is told. */
static base_status append_to(base_context *context, mm_journal *journal, char note[512]) {
    base_status status;
    struct stat about;
    const char *path = journal->checkpoint.path;
    journal->descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (journal->descriptor < 0 || fstat(journal->descriptor, &about) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot open %s", path));
    if (journal->whole_bytes == 0)
        journal->whole_bytes = about.st_size; /* it was just made */
    if (about.st_size > journal->whole_bytes)
        snprintf(note, 512, "%.300s: what stands behind its %lld finished records is not whole, and goes",
                 path, (long long)journal->whole_records);
    journal->start_bytes = about.st_size;
    BASE_TRY(base_output_open_descriptor(context, journal->descriptor, &journal->output));
    BASE_TRY(cut(context, journal));
    if (lseek(journal->descriptor, 0, SEEK_END) < 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot append to %s", path));
done:
    return status;
}

/* Under the lock: a stop comes before the file or behind it, and leaves no half of it. */
static base_status make_file(base_context *context, mm_journal *journal) {
    pthread_mutex_lock(&journal->lock);
    const base_status status =
        mm_state_save(context, &journal->checkpoint, true, &journal->identity, "", 0, NULL, NULL);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

base_status mm_journal_load(base_context *context, mm_journal *journal, char note[512]) {
    base_status status = BASE_OK;
    const char *path = journal->checkpoint.path;
    note[0] = '\0';
    if (access(path, F_OK) == 0)
        BASE_TRY(mm_journal_source_measure(context, path, &journal->identity, &journal->whole_bytes,
                                           &journal->whole_records));
    else
        BASE_TRY(make_file(context, journal));
    BASE_TRY(append_to(context, journal, note));
    journal->left = journal->whole_records;
    if (journal->left > 0)
        BASE_TRY(mm_journal_source_open(context, path, &journal->identity, &journal->source));
    pthread_mutex_lock(&journal->lock);
    journal->is_loaded = true;
    pthread_mutex_unlock(&journal->lock);
done:
    return status;
}

/* Under the lock. */
static base_status put(base_context *context, mm_journal *journal, const mm_record *record) {
    return mm_binary_write(context, journal->output, record, ++journal->pieces, ZSTD_LEVEL);
}

/* Also of the name, which may be that of the file. */
static base_status hash_input(base_context *context, const mm_record *record, char hash[BASE_HASH_TEXT]) {
    base_status status;
    char *name = NULL, *text = NULL;
    mm_record_hash(record, hash);
    BASE_TRY(mm_record_name(context, record, &name));
    const int64_t size = (int64_t)strlen(name) + BASE_HASH_TEXT + 1;
    text = base_alloc(context, size, 1);
    if (text == NULL)
        BASE_TRY(BASE_MACHINE);
    base_hash_text(text, (size_t)snprintf(text, (size_t)size, "%s %s", hash, name), hash);
done:
    free(name);
    free(text);
    return status;
}

static base_status begin_stream(base_context *context, mm_journal *journal, int64_t number,
                                const char *hash) {
    base_status status;
    mm_record heading;
    mm_record_init(&heading);
    heading.kind = MM_STATE;
    BASE_TRY(mm_metadata_set(context, &heading, "journal.record", "%lld", (long long)number));
    BASE_TRY(mm_metadata_set(context, &heading, "journal.input", "%s", hash));
    pthread_mutex_lock(&journal->lock);
    status = cut(context, journal);
    if (status == BASE_OK)
        status = put(context, journal, &heading);
    pthread_mutex_unlock(&journal->lock);
done:
    mm_record_free(&heading);
    return status;
}

base_status mm_journal_begin(base_context *context, mm_journal *journal, const mm_record *record,
                             int64_t number, bool *known) {
    base_status status;
    char hash[BASE_HASH_TEXT];
    *known = false;
    BASE_TRY(hash_input(context, record, hash));
    if (journal->left == 0) {
        BASE_TRY(begin_stream(context, journal, number, hash));
        goto done;
    }
    if (journal->number == 0)
        BASE_TRY(mm_journal_source_begin(context, &journal->source, &journal->number, journal->hash));
    if (journal->number > number)
        goto done; /* this one failed before; should it not fail now, a later run finds it so again */
    if (journal->number < number || strcmp(journal->hash, hash) != 0)
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "%s is the state of another input: record %lld is not the same",
                           journal->checkpoint.path, (long long)journal->number));
    *known = true;
done:
    return status;
}

base_status mm_journal_next(base_context *context, mm_journal *journal, mm_record *given, bool *found) {
    base_status status;
    BASE_TRY(mm_journal_source_next(context, &journal->source, given, found));
    if (*found)
        goto done;
    journal->number = 0;
    if (--journal->left == 0)
        mm_journal_source_close(&journal->source);
done:
    return status;
}

base_status mm_journal_put(base_context *context, mm_journal *journal, const mm_record *given) {
    pthread_mutex_lock(&journal->lock);
    const base_status status = journal->pieces > 0 ? put(context, journal, given) : BASE_OK;
    pthread_mutex_unlock(&journal->lock);
    return status;
}

base_status mm_journal_end(base_context *context, mm_journal *journal) {
    base_status status = BASE_OK;
    pthread_mutex_lock(&journal->lock);
    if (journal->pieces == 0)
        goto done; /* it comes before finished ones that are given again */
    BASE_TRY(mm_binary_write_end(context, journal->output, journal->pieces));
    BASE_TRY(base_output_flush(context, journal->output)); /* SIGKILL takes what is not with the kernel */
    journal->pieces = 0;
    journal->whole_bytes = journal->start_bytes + base_output_position(journal->output);
    journal->whole_records++;
    if (base_checkpoint_is_due(&journal->checkpoint))
        BASE_TRY(sync_file(context, journal));
done:
    pthread_mutex_unlock(&journal->lock);
    return status;
}

base_status mm_journal_finish(base_context *context, const mm_journal *journal) {
    if (journal->left > 0)
        return base_fail(context, BASE_USAGE, "%s is the state of another input, which has more records",
                         journal->checkpoint.path);
    return BASE_OK;
}

/* ---- stops ---- */

static base_status save_at_any_moment(base_context *context, void *data, bool is_last,
                                      char said[BASE_SAID_BYTES]) {
    mm_journal *journal = data;
    base_status status = BASE_OK;
    pthread_mutex_lock(&journal->lock);
    if (!journal->is_loaded)
        goto done;
    BASE_TRY(cut(context, journal));
    BASE_TRY(sync_file(context, journal));
    snprintf(said, BASE_SAID_BYTES, "run it again to go on from %s, which has %lld finished record%s",
             journal->checkpoint.path, (long long)journal->whole_records,
             journal->whole_records == 1 ? "" : "s");
done:
    if (!is_last)
        pthread_mutex_unlock(&journal->lock);
    return status;
}

static void release(void *data) {
    mm_journal_close(data);
}

base_saver mm_journal_saver(mm_journal *journal) {
    return (base_saver){save_at_any_moment, release, journal};
}

base_status mm_journal_stop(base_context *context, mm_journal *journal) {
    char said[BASE_SAID_BYTES] = "";
    const base_status status = save_at_any_moment(context, journal, false, said);
    return status == BASE_OK ? base_fail(context, BASE_STOPPED, "stopped; %s", said) : status;
}
