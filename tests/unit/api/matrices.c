/* SPDX-License-Identifier: BSD-3-Clause */
/* libmmpipe's records, streams, block forms and orders, through its headers alone, against closed forms;
 * errors, interrupts, and contexts of several threads at once. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/api/context.h"

static char folder[] = "/tmp/mmpipe-api-XXXXXX";

/* ---- blocks ---- */

static void test_pieces(mmpipe_context *context) {
    const int64_t row[] = {0, 0, 1, 1, 2, 2, 3, 3}, col[] = {0, 1, 0, 1, 2, 3, 2, 3};
    mmpipe_record *record, *block;
    mmpipe_dm_splitter *splitter;
    mmpipe_permanent_fold *fold;
    mmpipe_permanent *permanent = NULL;
    int blocks = 0, early = 0;
    mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = 4, .ncol = 4}, 8, row, col, NULL,
                               MMPIPE_BORROW, &record);
    mmpipe_dm_split(context, record, false, &splitter);
    mmpipe_permanent_fold_open(context, NULL, &fold);
    while (mmpipe_dm_split_next(context, splitter, &block) == MMPIPE_OK && block != NULL) {
        early += permanent != NULL;
        mmpipe_permanent_fold_add(context, fold, block, &permanent);
        if (blocks++ == 0) {
            mmpipe_permanent *alone;
            const mmpipe_status status = mmpipe_permanent_compute(context, block, NULL, &alone);
            tap_refused(context, status == MMPIPE_FAILED && alone == NULL, "a block alone");
        }
        mmpipe_record_free(block);
    }
    tap_ok(blocks == 2 && early == 0 && permanent != NULL &&
               strcmp(mmpipe_permanent_text(permanent), "4") == 0,
           "two blocks of ones have the permanent 2 2");
    mmpipe_permanent_free(permanent);
    mmpipe_permanent_fold_close(fold);
    mmpipe_dm_split_close(splitter);
    mmpipe_record_free(record);
}

/* ---- records and streams ---- */

static mmpipe_record *make_record(mmpipe_context *context, mmpipe_owner owner) {
    static const int64_t row[] = {1, 0, 2}, col[] = {0, 2, 1};
    static const double value[] = {0.5, -2, 1e300};
    mmpipe_record *record;
    mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = 3, .ncol = 4, .field = MMPIPE_REAL}, 3, row,
                               col, value, owner, &record);
    return record;
}

static void test_streams(mmpipe_context *context, mmpipe_form form, const char *name) {
    char path[64];
    const char *paths[1] = {path};
    mmpipe_writer *writer;
    mmpipe_reader *reader;
    mmpipe_record *record = NULL;
    int count = 0;
    bool same = true;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mmpipe_status status = mmpipe_writer_open(context, path, form, 0, &writer);
    for (int k = 0; k < 2 && status == MMPIPE_OK; k++) {
        record = make_record(context, k == 0 ? MMPIPE_BORROW : MMPIPE_COPY);
        mmpipe_record_set(context, record, "number", k == 0 ? "one" : "two");
        status = mmpipe_writer_put(context, writer, record);
        same &= mmpipe_record_nnz(record) == 0;
        mmpipe_record_free(record);
    }
    tap_ok(status == MMPIPE_OK && access(path, F_OK) != 0, "%s: not there before it is finished", name);
    status = mmpipe_writer_finish(context, writer);
    mmpipe_writer_close(writer);
    tap_ok(status == MMPIPE_OK && access(path, F_OK) == 0, "%s: written", name);
    mmpipe_reader_open(context, paths, 1, 0, &reader);
    while (mmpipe_reader_next(context, reader, &record) == MMPIPE_OK && record != NULL) {
        char *value;
        mmpipe_record_get(context, record, "number", &value);
        same &= value != NULL && strcmp(value, count++ == 0 ? "one" : "two") == 0;
        same &= mmpipe_record_nnz(record) == 3 && mmpipe_record_real(record)[2] == 1e300 &&
                mmpipe_record_row(record)[2] == 2 && mmpipe_record_shape(record).ncol == 4;
        mmpipe_free(value);
        mmpipe_record_free(record);
    }
    tap_ok(same && count == 2, "%s: read as it was written", name);
    mmpipe_reader_close(reader);
    unlink(path);
}

static void test_damage(mmpipe_context *context) {
    char path[64];
    const char *paths[1] = {path}, *file;
    mmpipe_reader *reader;
    mmpipe_record *record;
    int64_t number, line;
    snprintf(path, sizeof path, "%s/bad.mtx", folder);
    FILE *bad = fopen(path, "w");
    fputs("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 5\n4 1 5\n", bad);
    fclose(bad);
    mmpipe_reader_open(context, paths, 1, 0, &reader);
    const mmpipe_status status = mmpipe_reader_next(context, reader, &record);
    mmpipe_error_place(context, &file, &number, &line);
    tap_refused(context,
                status == MMPIPE_DAMAGED && mmpipe_error_status(context) == status && record == NULL &&
                    number == 1 && line == 4 && strcmp(file, path) == 0,
                "damage has its place");
    mmpipe_reader_close(reader);
    unlink(path);
}

static void test_refused(mmpipe_context *context) {
    const int64_t row[] = {3}, col[] = {0};
    mmpipe_record *record;
    const mmpipe_shape square = {.nrow = 3, .ncol = 3}, lower = {3, 3, MMPIPE_PATTERN, MMPIPE_SYMMETRIC},
                       hermitian = {3, 3, MMPIPE_REAL, MMPIPE_HERMITIAN};
    tap_refused(context,
                mmpipe_record_from_entries(context, square, 1, row, col, NULL, MMPIPE_COPY, &record) ==
                        MMPIPE_USAGE &&
                    record == NULL,
                "an index beyond the shape");
    tap_refused(context,
                mmpipe_record_from_entries(context, lower, 1, col, (int64_t[]){1}, NULL, MMPIPE_COPY,
                                           &record) == MMPIPE_USAGE &&
                    record == NULL,
                "an entry above the diagonal");
    tap_refused(context,
                mmpipe_record_from_array(context, hermitian, (double[9]){0}, MMPIPE_COPY, &record) ==
                    MMPIPE_USAGE,
                "a real Hermitian matrix");
    record = make_record(context, MMPIPE_BORROW);
    tap_refused(context, mmpipe_order(context, record, "rcm") == MMPIPE_FAILED, "rcm");
    tap_refused(context, mmpipe_order(context, record, "best") == MMPIPE_USAGE, "no such order");
    tap_refused(context, mmpipe_record_permute(context, record, (int64_t[]){0, 0, 1}, NULL) == MMPIPE_USAGE,
                "permute");
    tap_ok(mmpipe_record_set(context, record, "a\nb", "c") == MMPIPE_USAGE, "a key of two lines");
    tap_refused(context, mmpipe_set_device(context, "gpu") == MMPIPE_USAGE, "device");
    tap_refused(context, mmpipe_set_threads(context, -1) == MMPIPE_USAGE, "threads");
    mmpipe_record_free(record);
}

static void test_orders(mmpipe_context *context) {
    int64_t *from_row, *from_col;
    const int64_t order[] = {2, 0, 1};
    mmpipe_record *record = make_record(context, MMPIPE_BORROW), *copy;
    mmpipe_record_permute(context, record, order, NULL);
    mmpipe_record_copy(context, record, &copy);
    mmpipe_record_origin(context, copy, &from_row, &from_col);
    tap_ok(memcmp(from_row, order, sizeof order) == 0 && from_col[0] == 0 && from_col[3] == 3,
           "a copy remembers whence rows come");
    /* (1, 0) is in row 2 now, and columns are sorted. */
    tap_ok(mmpipe_record_row(copy)[0] == 2 && mmpipe_record_col(copy)[0] == 0, "rows are in that order");
    mmpipe_free(from_row);
    mmpipe_free(from_col);
    tap_ok(mmpipe_record_restore(context, copy) == MMPIPE_OK && mmpipe_record_row(copy)[0] == 1, "restored");
    mmpipe_record_free(copy);
    mmpipe_record_free(record);
}

/* ---- threads and interrupts ---- */

static void *solve_alone(void *unused) {
    mmpipe_context *context = mmpipe_context_new();
    bool right = true;
    (void)unused;
    mmpipe_set_threads(context, 2);
    for (int n = 3; n < 15; n++) {
        static const double tridiagonal[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
        int64_t row[64], col[64], nnz = 0;
        mmpipe_record *record;
        mmpipe_permanent *permanent;
        for (int i = 0; i < n; i++)
            for (int j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++, nnz++) {
                row[nnz] = i;
                col[nnz] = j;
            }
        mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = n, .ncol = n}, nnz, row, col, NULL,
                                   MMPIPE_BORROW, &record);
        right &= mmpipe_permanent_compute(context, record, NULL, &permanent) == MMPIPE_OK &&
                 mmpipe_permanent_real(permanent) == tridiagonal[n];
        mmpipe_permanent_free(permanent);
        mmpipe_record_free(record);
    }
    mmpipe_context_free(context);
    return right ? context : NULL;
}

static void test_threads(void) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool right = true;
    for (int k = 0; k < THREADS; k++)
        pthread_create(&thread[k], NULL, solve_alone, NULL);
    for (int k = 0; k < THREADS; k++) {
        void *result;
        pthread_join(thread[k], &result);
        right &= result != NULL;
    }
    tap_ok(right, "contexts of four threads at once");
}

static void *interrupt(void *context) {
    usleep(100000);
    mmpipe_interrupt(context);
    return NULL;
}

/* Some hours of work, in short chunks. */
static void test_interrupt(mmpipe_context *context, const char *kernel) {
    enum { N = 40 };
    static double a[N * N];
    pthread_t thread;
    mmpipe_record *record;
    mmpipe_permanent *permanent;
    const mmpipe_permanent_options options = {.size = sizeof options, .kernel = kernel, .max_seconds = 1e18};
    for (int k = 0; k < N * N; k++)
        a[k] = cos(k);
    mmpipe_record_from_array(context, (mmpipe_shape){.nrow = N, .ncol = N, .field = MMPIPE_REAL}, a,
                             MMPIPE_BORROW, &record);
    pthread_create(&thread, NULL, interrupt, context);
    mmpipe_status status = mmpipe_permanent_compute(context, record, &options, &permanent);
    pthread_join(thread, NULL);
    tap_ok(status == MMPIPE_STOPPED && permanent == NULL, "%s is interrupted", kernel);
    tap_ok(mmpipe_record_expand(context, record) == MMPIPE_STOPPED, "and so is what comes after it");
    mmpipe_resume(context);
    tap_ok(mmpipe_record_expand(context, record) == MMPIPE_OK, "until it is resumed");
    mmpipe_record_free(record);
}

int main(void) {
    mmpipe_context *context = open_context();
    if (mkdtemp(folder) == NULL || context == NULL)
        return 1;
    tap_ok(strcmp(mmpipe_version(), MMPIPE_VERSION) == 0 && mmpipe_error(context)[0] == '\0', "a context");
    test_pieces(context);
    test_streams(context, MMPIPE_TEXT, "text.mtx");
    test_streams(context, MMPIPE_BINARY, "binary");
    test_damage(context);
    test_refused(context);
    test_orders(context);
    test_threads();
    test_interrupt(context, "dense");
    mmpipe_context_free(context);
    rmdir(folder);
    return tap_done();
}
