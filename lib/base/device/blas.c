/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/device/blas.h"
#include "base/core/library.h"
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* F(result, name, parameters): what is used of cuBLAS, as its manual declares it; result 0 is success. */
#define BLAS_FUNCTIONS(F)                                                                                    \
    F(int, cublasCreate_v2, (void **handle))                                                                 \
    F(int, cublasDestroy_v2, (void *handle))                                                                 \
    F(int, cublasSetMathMode, (void *handle, int mode))                                                      \
    F(int, cublasSetStream_v2, (void *handle, cuda_stream stream))                                           \
    F(int, cublasGemmEx,                                                                                     \
      (void *handle, int a_operation, int b_operation, int m, int n, int k, const void *alpha,               \
       const void *a, int a_type, int a_stride, const void *b, int b_type, int b_stride, const void *beta,   \
       void *c, int c_type, int c_stride, int compute, int algorithm))

enum { TYPE_FP32 = 0, TYPE_FP64 = 1, TYPE_FP16 = 2, TYPE_BF16 = 14 };
enum { NO_NARROW_SUMS = 16 };
enum { COMPUTE_FP32 = 68, COMPUTE_FP64 = 70, COMPUTE_TF32 = 77, DEFAULT_ALGORITHM = -1 };

static struct {
#define BLAS_MEMBER(result, name, parameters) result(*name) parameters;
    BLAS_FUNCTIONS(BLAS_MEMBER)
#undef BLAS_MEMBER
    char missing[256]; /* why there is none */
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct base_device_blas {
    base_device *device;
    void *handle;
};

/* ---- the library ---- */

static void *load(const char *variable, const char *stem, char *tried, size_t tried_bytes) {
    static const int versions[] = {13, 12, 11};
    enum { VERSIONS = 3, FOLDERS = 4 };
    const char *const roots[FOLDERS] = {NULL, getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char path[FOLDERS * VERSIONS][512];
    const char *names[FOLDERS * VERSIONS + 1];
    int count = 0;
    for (int i = 0; i < FOLDERS; i++)
        for (int k = 0; k < VERSIONS && (i == 0 || roots[i] != NULL); k++) {
            snprintf(path[count], sizeof path[count], "%s%s%s.so.%d", i > 0 ? roots[i] : "",
                     i > 0 ? "/lib64/" : "", stem, versions[k]);
            names[count] = path[count];
            count++;
        }
    names[count] = NULL;
    return base_library_load(variable, names, tried, tried_bytes);
}

/* libcublas needs libcublasLt, which it does not find by itself outside of the linker's folders. */
static void load_once(void) {
    char tried[160];
    load("MMPIPE_LIBCUBLASLT", "libcublasLt", tried, sizeof tried);
    void *handle = load("MMPIPE_LIBCUBLAS", "libcublas", tried, sizeof tried);
    void *entry;
    if (handle == NULL) {
        snprintf(library.missing, sizeof library.missing, "no cuBLAS (%s)", tried);
        return;
    }
#define LOAD(result, name, parameters)                                                                       \
    entry = dlsym(handle, #name);                                                                            \
    if (entry == NULL)                                                                                       \
        snprintf(library.missing, sizeof library.missing, "cuBLAS has no " #name);                           \
    memcpy(&library.name, &entry, sizeof entry);
    BLAS_FUNCTIONS(LOAD)
#undef LOAD
}

const char *base_device_blas_missing(void) {
    pthread_once(&once, load_once);
    return library.missing[0] != 0 ? library.missing : NULL;
}

base_status base_device_blas_open(base_context *context, base_device *device, base_device_blas **blas) {
    base_status status;
    const char *missing = base_device_blas_missing();
    *blas = NULL;
    if (missing != NULL)
        return base_fail(context, BASE_MACHINE, "%s", missing);
    BASE_TRY(base_device_enter(context, device));
    *blas = base_alloc_zero(context, 1, sizeof **blas);
    if (*blas == NULL)
        return BASE_MACHINE;
    (*blas)->device = device;
    base_device_call *call = base_device_call_begin("cublasCreate");
    int result = library.cublasCreate_v2(&(*blas)->handle);
    base_device_call_end(call);
    if (result != 0)
        (*blas)->handle = NULL;
    else
        result = library.cublasSetMathMode((*blas)->handle, NO_NARROW_SUMS);
    if (result != 0)
        status = base_fail(context, BASE_MACHINE, "cuBLAS cannot be used with the device (%d)", result);
done:
    if (status != BASE_OK) {
        base_device_blas_close(*blas);
        *blas = NULL;
    }
    return status;
}

void base_device_blas_close(base_device_blas *blas) {
    if (blas == NULL)
        return;
    if (blas->handle != NULL && base_device_enter_quietly(blas->device)) {
        base_device_call *call = base_device_call_begin("cublasDestroy");
        library.cublasDestroy_v2(blas->handle);
        base_device_call_end(call);
    }
    free(blas);
}

/* ---- products ---- */

static bool fits(int64_t number) {
    return number >= 0 && number <= INT32_MAX;
}

/* B' A' by columns is A B by rows. */
base_status base_device_blas_multiply(base_context *context, base_device_blas *blas,
                                      const base_device_gemm *gemm, base_device_stream *stream) {
    static const int types[] = {TYPE_FP16, TYPE_BF16, TYPE_FP32, TYPE_FP32, TYPE_FP64},
                     computes[] = {COMPUTE_FP32, COMPUTE_FP32, COMPUTE_TF32, COMPUTE_FP32, COMPUTE_FP64};
    base_status status;
    const float narrow[] = {(float)gemm->alpha, (float)gemm->beta};
    const double factor[] = {gemm->alpha, gemm->beta};
    const bool is_double = gemm->number == BASE_DEVICE_FP64;
    const int type = types[gemm->number], c_type = gemm->wide && !is_double ? TYPE_FP32 : type;
    if (!fits(gemm->m) || !fits(gemm->n) || !fits(gemm->k) || !fits(gemm->a_stride) ||
        !fits(gemm->b_stride) || !fits(gemm->c_stride))
        return base_fail(context, BASE_FAILED, "a dense matrix has 2^31 rows or columns");
    BASE_TRY(base_device_enter(context, blas->device));
    base_device_call *call = base_device_call_begin("cublasGemmEx");
    int result = library.cublasSetStream_v2(blas->handle, base_device_stream_handle(stream));
    if (result == 0)
        result = library.cublasGemmEx(
            blas->handle, 0, 0, (int)gemm->n, (int)gemm->m, (int)gemm->k,
            is_double ? (const void *)&factor[0] : &narrow[0], (const void *)(uintptr_t)gemm->b, type,
            (int)gemm->b_stride, (const void *)(uintptr_t)gemm->a, type, (int)gemm->a_stride,
            is_double ? (const void *)&factor[1] : &narrow[1], (void *)(uintptr_t)gemm->c, c_type,
            (int)gemm->c_stride, computes[gemm->number], DEFAULT_ALGORITHM);
    base_device_call_end(call);
    if (result != 0)
        status = base_fail(context, BASE_MACHINE, "cuBLAS refuses a product (%d)", result);
done:
    return status;
}
