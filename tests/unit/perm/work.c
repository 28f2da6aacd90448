/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a stream of permanents, saved at any moment by another thread: it keeps every record that is
 * finished, and the message counts them, also while they are taken over from an earlier state one by one. */
#include "perm/chunks/work.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/mmpipe-work-XXXXXX";
static char path[sizeof folder + 16]; /* of the state */
static base_context context;
static base_identity identity;

/* The 1×1 matrix (value). */
static void make_record(int64_t value, mm_record *record) {
    mm_record_init(record);
    *record = (mm_record){.nrow = 1, .ncol = 1, .nnz = 1, .field = MM_INTEGER, .format = MM_ARRAY};
    if (mm_record_alloc(&context, record) != BASE_OK)
        exit(1);
    record->integer[0] = value;
}

static void open_work(perm_work *work) {
    *work = (perm_work){.identity = &identity};
    if (perm_work_open(&context, work, path) != BASE_OK)
        exit(1);
}

static bool says(perm_work *work, const char *wanted) {
    char said[BASE_SAID_BYTES] = "";
    const base_saver saver = perm_work_saver(work);
    if (saver.save(&context, saver.data, false, said) != BASE_OK)
        return false;
    if (strstr(said, wanted) == NULL)
        printf("# %s\n", said);
    return strstr(said, wanted) != NULL;
}

/* Begins the records 1 … count and ends them; *known: how many the state knew as finished. False where a
 * state that was saved in the middle of one has another number than `wanted`. */
static bool run_records(perm_work *work, int64_t count, const char *wanted, int64_t *known) {
    bool good = true;
    *known = 0;
    for (int64_t k = 1; k <= count; k++) {
        mm_record record;
        perm_partial_result result;
        make_record(k, &record);
        perm_partial_result_init(&result);
        if (perm_work_begin(&context, work, &record, &result) != BASE_OK)
            exit(1);
        *known += result.is_whole;
        good = good && (wanted == NULL || says(work, wanted));
        result.is_whole = true;
        good = good && perm_work_end(&context, work, false) == BASE_OK;
        good = good && (wanted == NULL || says(work, wanted));
        perm_partial_result_free(&result);
        mm_record_free(&record);
    }
    return good;
}

/* Records of a batch are solved by threads that share what is noted; without a state nobody writes there. */
static void test_batch(void) {
    perm_work work = {.identity = &identity};
    int adding = 0;
#pragma omp parallel for num_threads(4) reduction(+ : adding)
    for (int record = 0; record < 1000; record++) {
        perm_work_set_adding(&work, true);
        adding += work.is_adding;
        perm_work_set_adding(&work, false);
    }
    tap_ok(adding == 0, "threads that add chunks without a state leave no mark: %d of 1000 did", adding);
}

int main(void) {
    perm_work work;
    int64_t known;
    base_context_init(&context);
    if (mkdtemp(folder) == NULL || base_identity_start(&context, &identity, "work", "1") != BASE_OK)
        return 1;
    snprintf(path, sizeof path, "%s/state", folder);

    open_work(&work);
    tap_ok(run_records(&work, 3, NULL, &known) && known == 0, "three records without a state");
    tap_ok(says(&work, "has 3 finished records"), "three are saved");
    perm_work_close(&work);

    open_work(&work);
    tap_ok(says(&work, "has 3 finished records"), "a state that was loaded has three");
    tap_ok(run_records(&work, 3, "has 3 finished records", &known) && known == 3,
           "three at every moment while they are taken over");
    tap_ok(run_records(&work, 0, NULL, &known) && says(&work, "has 3 finished records"), "and behind that");
    perm_work_close(&work);

    test_batch();
    base_checkpoint_remove(path);
    rmdir(folder);
    base_identity_free(&identity);
    return tap_done();
}
