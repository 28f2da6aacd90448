/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads of libmmpipe that want the same optional library at once: neither works with it before it has
 * been looked at. The library is one of this test, of a version that is refused, and takes its time to say
 * so. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/api/context.h"

enum { THREADS = 2 };

static const char source[] = "#include <unistd.h>\n"
                             "void Mat_GetLibraryVersion(int *a, int *b, int *c) {\n"
                             "    usleep(500000);\n"
                             "    *a = 2;\n"
                             "    *b = *c = 0;\n"
                             "}\n"
                             "void *Mat_Open(void) { return 0; }\n"
                             "void Mat_CreateVer(void) {}\n"
                             "void Mat_Close(void) {}\n"
                             "void Mat_VarReadNext(void) {}\n"
                             "void Mat_VarCreate(void) {}\n"
                             "void Mat_VarWrite(void) {}\n"
                             "void Mat_VarFree(void) {}\n"
                             "void Mat_VarGetStructFieldByName(void) {}\n";

static char folder[] = "/tmp/mmpipe-loading-XXXXXX", matrix[64];
static pthread_barrier_t start;

static bool write_text(const char *path, const char *text, size_t bytes) {
    FILE *file = fopen(path, "w");
    return file != NULL && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0;
}

static void *read_matrix(void *data) {
    char *message = data;
    const char *path = matrix;
    mmpipe_context *context = open_context();
    mmpipe_reader *reader = NULL;
    mmpipe_record *record = NULL;
    pthread_barrier_wait(&start);
    if (mmpipe_reader_open(context, &path, 1, 0, &reader) == MMPIPE_OK)
        mmpipe_reader_next(context, reader, &record);
    snprintf(message, 200, "%s", mmpipe_error(context));
    mmpipe_record_free(record);
    mmpipe_reader_close(reader);
    mmpipe_context_free(context);
    return NULL;
}

int main(void) {
    static const char head[600] = "MATLAB 5.0 MAT-file, Platform: none";
    char code[64], library[64], command[256], message[THREADS][200];
    pthread_t thread[THREADS];
    int refused = 0;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(matrix, sizeof matrix, "%s/a.mat", folder);
    snprintf(code, sizeof code, "%s/matio.c", folder);
    snprintf(library, sizeof library, "%s/matio.so", folder);
    snprintf(command, sizeof command, "cc -w -shared -fPIC -o %s %s 2>/dev/null", library, code);
    setenv("MMPIPE_LIBMATIO", library, 1);
    pthread_barrier_init(&start, NULL, THREADS);
    if (!write_text(matrix, head, sizeof head) || !write_text(code, source, strlen(source)) ||
        system(command) != 0) {
        tap_skip(1, "no compiler");
        return tap_done();
    }
    for (int k = 0; k < THREADS; k++)
        pthread_create(&thread[k], NULL, read_matrix, message[k]);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        refused +=
            strstr(message[k], "cannot be loaded") != NULL || strstr(message[k], "version 2.0") != NULL;
    }
    tap_ok(refused == THREADS, "both are told of the version: '%s', '%s'", message[0], message[1]);
    unlink(matrix);
    unlink(code);
    unlink(library);
    rmdir(folder);
    return tap_done();
}
