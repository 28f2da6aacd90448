/* SPDX-License-Identifier: BSD-3-Clause */
/* libmmpipe from several threads at once, each with a context of its own: streams, permanents, block forms,
 * orders, products, H2 matrices, schemes and errors, in another order in each thread, against known answers.
 */
#include <math.h>
#include <mmpipe/mmpipe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { THREADS = 6, ROUNDS = 3, POINTS = 600 };

static char folder[] = "/tmp/mmpipe-threads-XXXXXX";

/* The tridiagonal matrix of ones, whose permanent is a Fibonacci number. */
static mmpipe_record *make_tridiagonal(mmpipe_context *context, int n) {
    int64_t row[128], col[128], nnz = 0;
    mmpipe_record *record = NULL;
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++, nnz++) {
            row[nnz] = i;
            col[nnz] = j;
        }
    mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = n, .ncol = n}, nnz, row, col, NULL,
                               MMPIPE_COPY, &record);
    return record;
}

static bool has_permanent(mmpipe_context *context, const mmpipe_record *record, double expected) {
    mmpipe_permanent *permanent = NULL;
    const bool right = mmpipe_permanent_compute(context, record, NULL, &permanent) == MMPIPE_OK &&
                       mmpipe_permanent_real(permanent) == expected;
    mmpipe_permanent_free(permanent);
    return right;
}

/* Written and read again, in both forms. */
static bool try_stream(mmpipe_context *context, int number) {
    static const double fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
    bool right = true;
    for (int form = MMPIPE_TEXT; form <= MMPIPE_BINARY; form++) {
        char path[80];
        const char *const paths[] = {path};
        mmpipe_writer *writer = NULL;
        mmpipe_reader *reader = NULL;
        mmpipe_record *record = NULL;
        int n = 4;
        snprintf(path, sizeof path, "%s/%d", folder, number);
        right &= mmpipe_writer_open(context, path, (mmpipe_form)form, 1, &writer) == MMPIPE_OK;
        for (; n < 10; n++) {
            record = make_tridiagonal(context, n);
            right &= mmpipe_writer_put(context, writer, record) == MMPIPE_OK;
            mmpipe_record_free(record);
        }
        right &= mmpipe_writer_finish(context, writer) == MMPIPE_OK;
        mmpipe_writer_close(writer);
        right &= mmpipe_reader_open(context, paths, 1, 0, &reader) == MMPIPE_OK;
        for (n = 4; mmpipe_reader_next(context, reader, &record) == MMPIPE_OK && record != NULL; n++) {
            right &= n < 10 && has_permanent(context, record, fibonacci[n]);
            mmpipe_record_free(record);
        }
        right &= n == 10;
        mmpipe_reader_close(reader);
        unlink(path);
    }
    return right;
}

/* Rows 0 and 1 share their only column: a structural rank of 2. Reverse Cuthill-McKee gives a permutation. */
static bool try_structure(mmpipe_context *context, int number) {
    static const int64_t row[] = {0, 1, 2, 2}, col[] = {0, 0, 1, 2};
    mmpipe_record *record = NULL;
    mmpipe_dm *dm = NULL;
    mmpipe_dm_form form = {0};
    int64_t *from_row = NULL, *from_col = NULL, sum = 0;
    (void)number;
    bool right = mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = 3, .ncol = 3}, 4, row, col, NULL,
                                            MMPIPE_BORROW, &record) == MMPIPE_OK &&
                 mmpipe_dm_decompose(context, record, false, &dm) == MMPIPE_OK;
    if (right)
        mmpipe_dm_get_form(dm, &form);
    right &= form.structural_rank == 2;
    mmpipe_dm_free(dm);
    mmpipe_record_free(record);
    record = make_tridiagonal(context, 20);
    right &= mmpipe_order(context, record, "rcm") == MMPIPE_OK &&
             mmpipe_record_origin(context, record, &from_row, &from_col) == MMPIPE_OK;
    for (int k = 0; right && k < 20; k++)
        sum += INT64_C(1) << from_row[k];
    mmpipe_free(from_row);
    mmpipe_free(from_col);
    mmpipe_record_free(record);
    return right && sum == (1 << 20) - 1;
}

/* Row i of A has i+1 and 1 on the diagonal and behind it. */
static bool try_product(mmpipe_context *context, int number) {
    enum { N = 50, COLUMNS = 3 };
    int64_t start[N + 1] = {0};
    int32_t index[2 * N];
    double value[2 * N], b[N * COLUMNS], c[N * COLUMNS];
    mmpipe_spmm *spmm = NULL;
    for (int i = 0; i < N; i++) {
        start[i + 1] = start[i];
        for (int j = i; j < N && j < i + 2; j++, start[i + 1]++) {
            index[start[i + 1]] = j;
            value[start[i + 1]] = j == i ? i + 1 : 1;
        }
    }
    for (int k = 0; k < N * COLUMNS; k++)
        b[k] = k + number;
    const mmpipe_csr a = {N, N, start, index, value};
    const mmpipe_spmm_options options = {.size = sizeof options};
    const mmpipe_spmm_operands operands = {.b = b, .b_row = COLUMNS, .c = c, .c_row = COLUMNS, .alpha = 1};
    bool right = mmpipe_spmm_open(context, &a, MMPIPE_FP64, COLUMNS, &options, &spmm) == MMPIPE_OK &&
                 mmpipe_spmm_multiply(context, spmm, &operands) == MMPIPE_OK;
    for (int k = 0; right && k < N * COLUMNS; k++)
        right = c[k] == (k / COLUMNS + 1) * b[k] + (k + COLUMNS < N * COLUMNS ? b[k + COLUMNS] : 0);
    mmpipe_spmm_close(spmm);
    return right;
}

/* exp(-r/0.2) on a line, by sums. */
static bool try_h2(mmpipe_context *context, int number) {
    double point[POINTS], x[POINTS], y[POINTS], worst = 0;
    const mmpipe_h2_build_options options = {
        .size = sizeof options, .function = "exponential", .length = 0.2};
    mmpipe_h2 *h2 = NULL;
    for (int i = 0; i < POINTS; i++) {
        point[i] = (i + 0.5) / POINTS;
        x[i] = 1 + number;
    }
    const bool done = mmpipe_h2_build(context, point, POINTS, 1, &options, &h2) == MMPIPE_OK &&
                      mmpipe_h2_orthogonalize(context, h2) == MMPIPE_OK &&
                      mmpipe_h2_compress(context, h2, 1e-7, MMPIPE_H2_RELATIVE, NULL, NULL) == MMPIPE_OK &&
                      mmpipe_h2_multiply(context, h2, false, 1, x, 0, y, 1) == MMPIPE_OK;
    for (int i = 0; done && i < POINTS; i += 41) {
        double sum = 0;
        for (int j = 0; j < POINTS; j++)
            sum += exp(-fabs(point[i] - point[j]) / 0.2) * x[j];
        worst = fmax(worst, fabs(y[i] / sum - 1));
    }
    mmpipe_h2_free(h2);
    return done && worst < 1e-5;
}

/* The product of two numbers, and a wrong one. */
static bool try_scheme(mmpipe_context *context, int number) {
    const int64_t one = 1, factor = number % 2 == 0 ? 1 : 2;
    const mmpipe_scheme_info info = {.n = 1,
                                     .m = 1,
                                     .p = 1,
                                     .rank = 1,
                                     .field = MMPIPE_Z,
                                     .denominator = 1,
                                     .u = &one,
                                     .v = &one,
                                     .w = &factor};
    mmpipe_scheme *scheme = NULL;
    bool valid = false;
    char fault[200];
    const bool done = mmpipe_scheme_new(context, &info, &scheme) == MMPIPE_OK &&
                      mmpipe_scheme_verify(context, scheme, 0, &valid, fault, sizeof fault) == MMPIPE_OK;
    mmpipe_scheme_free(scheme);
    return done && valid == (factor == 1);
}

/* A message is that of the context's own call. */
static bool try_error(mmpipe_context *context, int number) {
    char device[20], words[30];
    snprintf(device, sizeof device, "device-%d", number);
    snprintf(words, sizeof words, "'%s'", device);
    return mmpipe_set_device(context, device) == MMPIPE_USAGE && strstr(mmpipe_error(context), words) != NULL;
}

static const struct {
    const char *name;
    bool (*try)(mmpipe_context *context, int number);
} calls[] = {{"streams and permanents", try_stream},
             {"block forms and orders", try_structure},
             {"products", try_product},
             {"H2 matrices", try_h2},
             {"schemes", try_scheme},
             {"errors", try_error}};
enum { CALLS = sizeof calls / sizeof calls[0] };

typedef struct worker {
    pthread_t thread;
    int number;
    bool right[CALLS];
} worker;

static void *work(void *data) {
    worker *w = data;
    for (int round = 0; round < ROUNDS; round++) {
        mmpipe_context *context = mmpipe_context_new();
        mmpipe_set_threads(context, 1 + w->number % 2);
        mmpipe_set_device(context, "cpu");
        for (int k = 0; k < CALLS; k++) {
            const int call = (k + w->number) % CALLS;
            w->right[call] = (round == 0 || w->right[call]) && calls[call].try(context, w->number);
        }
        mmpipe_context_free(context);
    }
    return NULL;
}

/* ---- damage that other libraries find ---- */

typedef struct reading {
    const char *path;
    mmpipe_status status;
} reading;

static void *read_file(void *data) {
    reading *r = data;
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_reader *reader = NULL;
    mmpipe_record *record = NULL;
    r->status = mmpipe_reader_open(context, &r->path, 1, 0, &reader);
    if (r->status == MMPIPE_OK)
        r->status = mmpipe_reader_next(context, reader, &record);
    mmpipe_record_free(record);
    mmpipe_reader_close(reader);
    mmpipe_context_free(context);
    return NULL;
}

/* HDF5 prints its errors unless each thread tells it not to. What comes to descriptor 2 is read back. */
static void test_silence(const char *what, const char *head, size_t head_bytes) {
    static const char rest[600] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char path[64];
    reading reads[2] = {{.path = path}, {.path = path}};
    struct stat about = {.st_size = -1};
    pthread_t thread;
    snprintf(path, sizeof path, "%s/damaged", folder);
    FILE *file = fopen(path, "w"), *caught = tmpfile();
    const int error = dup(STDERR_FILENO);
    fwrite(head, 1, head_bytes, file);
    fwrite(rest, 1, sizeof rest, file);
    fclose(file);
    dup2(fileno(caught), STDERR_FILENO);
    read_file(&reads[0]);
    pthread_create(&thread, NULL, read_file, &reads[1]);
    pthread_join(thread, NULL);
    dup2(error, STDERR_FILENO);
    close(error);
    fstat(fileno(caught), &about);
    fclose(caught);
    unlink(path);
    if (reads[0].status == MMPIPE_MACHINE) {
        tap_skip(1, "no library for it");
        return;
    }
    tap_ok(reads[0].status == MMPIPE_DAMAGED && reads[1].status == MMPIPE_DAMAGED && about.st_size == 0,
           "%s: statuses %d and %d in two threads, %lld bytes printed", what, reads[0].status,
           reads[1].status, (long long)about.st_size);
}

int main(void) {
    static char version_7_3[512] = "MATLAB 7.3 MAT-file, Platform: none";
    memcpy(version_7_3 + 124, "\0\2IM", 4); /* the version and the order of bytes */
    worker workers[THREADS] = {{.number = 0}};
    if (mkdtemp(folder) == NULL)
        return 1;
    for (int k = 0; k < THREADS; k++) {
        workers[k].number = k;
        pthread_create(&workers[k].thread, NULL, work, &workers[k]);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(workers[k].thread, NULL);
    for (int call = 0; call < CALLS; call++) {
        int right = 0;
        for (int k = 0; k < THREADS; k++)
            right += workers[k].right[call];
        tap_ok(right == THREADS, "%s are right in %d of %d threads", calls[call].name, right, THREADS);
    }
    test_silence("a damaged Binsparse file", "", 0);
    test_silence("a damaged .mat file", version_7_3, sizeof version_7_3);
    rmdir(folder);
    return tap_done();
}
