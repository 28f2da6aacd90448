/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_spmm_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The libraries' binary interfaces, as their reference manuals fix them. */
enum { TYPE_FP32 = 0, TYPE_FP64 = 1, TYPE_FP16 = 2, TYPE_BF16 = 14 };
enum { SPARSE_INDEX_32 = 2, SPARSE_ORDER_ROW = 2 };
enum { BLAS_COMPUTE_32 = 68, BLAS_COMPUTE_64 = 70, BLAS_COMPUTE_TF32 = 77, BLAS_DEFAULT = -1 };
static const int sparse_algorithm[BENCH_SPARSE_ALGORITHMS] = {4, 6, 12}; /* CSR 1, 2, 3 */

static struct {
    void *sparse, *blas; /* handles */
    int (*create)(void **handle);
    int (*create_csr)(void **matrix, int64_t rows, int64_t columns, int64_t nnz, void *start, void *column,
                      void *value, int start_type, int column_type, int base, int type);
    int (*create_dense)(void **matrix, int64_t rows, int64_t columns, int64_t stride, void *value, int type,
                        int order);
    int (*destroy_csr)(void *matrix);
    int (*destroy_dense)(void *matrix);
    int (*buffer_size)(void *handle, int a_operation, int b_operation, const void *alpha, void *a, void *b,
                       const void *beta, void *c, int compute, int algorithm, size_t *bytes);
    int (*preprocess)(void *handle, int a_operation, int b_operation, const void *alpha, void *a, void *b,
                      const void *beta, void *c, int compute, int algorithm, void *buffer);
    int (*multiply)(void *handle, int a_operation, int b_operation, const void *alpha, void *a, void *b,
                    const void *beta, void *c, int compute, int algorithm, void *buffer);
    int (*blas_create)(void **handle);
    int (*blas_multiply)(void *handle, int a_operation, int b_operation, int m, int n, int k,
                         const void *alpha, const void *a, int a_type, int a_stride, const void *b,
                         int b_type, int b_stride, const void *beta, void *c, int c_type, int c_stride,
                         int compute, int algorithm);
} cuda;

static struct {
    void *a, *b, *c;
    base_device_buffer buffer;
    int compute, algorithm;
} made;

static const float float_one = 1, float_zero = 0;
static const double double_one = 1, double_zero = 0;

static void *open_library(const char *name) {
    const char *folder = getenv("MMPIPE_CUDA_LIBRARIES");
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder != NULL ? folder : "", folder != NULL ? "/" : "", name);
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* Function pointers and object pointers are alike where dlsym exists. */
static bool find(void *library, const char *name, void *to) {
    *(void **)to = dlsym(library, name);
    return *(void **)to != NULL;
}

const char *bench_spmm_cuda_open(void) {
    open_library("libnvJitLink.so.13");
    open_library("libcublasLt.so.13");
    void *const sparse = open_library("libcusparse.so.12"), *const blas = open_library("libcublas.so.13");
    if (sparse == NULL || blas == NULL)
        return dlerror();
    if (!find(sparse, "cusparseCreate", &cuda.create) ||
        !find(sparse, "cusparseCreateCsr", &cuda.create_csr) ||
        !find(sparse, "cusparseCreateDnMat", &cuda.create_dense) ||
        !find(sparse, "cusparseDestroySpMat", &cuda.destroy_csr) ||
        !find(sparse, "cusparseDestroyDnMat", &cuda.destroy_dense) ||
        !find(sparse, "cusparseSpMM_bufferSize", &cuda.buffer_size) ||
        !find(sparse, "cusparseSpMM_preprocess", &cuda.preprocess) ||
        !find(sparse, "cusparseSpMM", &cuda.multiply) || !find(blas, "cublasCreate_v2", &cuda.blas_create) ||
        !find(blas, "cublasGemmEx", &cuda.blas_multiply))
        return "a function is missing";
    if (cuda.create(&cuda.sparse) != 0 || cuda.blas_create(&cuda.blas) != 0)
        return "no handle";
    return NULL;
}

static int type_of(spmm_precision precision) {
    return precision == SPMM_FP16   ? TYPE_FP16
           : precision == SPMM_BF16 ? TYPE_BF16
           : precision == SPMM_FP64 ? TYPE_FP64
                                    : TYPE_FP32;
}

static const void *one_of(int compute) {
    return compute == TYPE_FP64 || compute == BLAS_COMPUTE_64 ? (const void *)&double_one : &float_one;
}

static const void *zero_of(int compute) {
    return compute == TYPE_FP64 || compute == BLAS_COMPUTE_64 ? (const void *)&double_zero : &float_zero;
}

#define POINTER(address) ((void *)(uintptr_t)(address))

bool bench_spmm_sparse_prepare(base_context *context, base_device *device, const bench_spmm_case *it,
                               int algorithm) {
    const int type = type_of(it->precision);
    size_t bytes = 0;
    made.compute = type == TYPE_FP64 ? TYPE_FP64 : TYPE_FP32;
    made.algorithm = sparse_algorithm[algorithm];
    if (cuda.create_csr(&made.a, it->m, it->k, it->nnz, POINTER(it->start), POINTER(it->column),
                        POINTER(it->value), SPARSE_INDEX_32, SPARSE_INDEX_32, 0, type) != 0 ||
        cuda.create_dense(&made.b, it->k, it->n, it->n, POINTER(it->b), type, SPARSE_ORDER_ROW) != 0 ||
        cuda.create_dense(&made.c, it->m, it->n, it->n, POINTER(it->c), type, SPARSE_ORDER_ROW) != 0 ||
        cuda.buffer_size(cuda.sparse, 0, 0, one_of(made.compute), made.a, made.b, zero_of(made.compute),
                         made.c, made.compute, made.algorithm, &bytes) != 0 ||
        base_device_alloc(context, device, (int64_t)bytes + 16, 1, &made.buffer) != BASE_OK)
        return false;
    cuda.preprocess(cuda.sparse, 0, 0, one_of(made.compute), made.a, made.b, zero_of(made.compute), made.c,
                    made.compute, made.algorithm, POINTER(made.buffer.address));
    return true;
}

bool bench_spmm_sparse_run(void) {
    return cuda.multiply(cuda.sparse, 0, 0, one_of(made.compute), made.a, made.b, zero_of(made.compute),
                         made.c, made.compute, made.algorithm, POINTER(made.buffer.address)) == 0;
}

void bench_spmm_sparse_end(void) {
    if (made.a != NULL)
        cuda.destroy_csr(made.a);
    if (made.b != NULL)
        cuda.destroy_dense(made.b);
    if (made.c != NULL)
        cuda.destroy_dense(made.c);
    base_device_free(&made.buffer);
    made.a = made.b = made.c = NULL;
}

/* C' = B' A' by columns is C = A B by rows. */
bool bench_spmm_dense_run(const bench_spmm_case *it) {
    const int type = type_of(it->precision), compute = it->precision == SPMM_FP64   ? BLAS_COMPUTE_64
                                                       : it->precision == SPMM_TF32 ? BLAS_COMPUTE_TF32
                                                                                    : BLAS_COMPUTE_32;
    return cuda.blas_multiply(cuda.blas, 0, 0, (int)it->n, (int)it->m, (int)it->k, one_of(compute),
                              POINTER(it->b), type, (int)it->n, POINTER(it->dense), type, (int)it->k,
                              zero_of(compute), POINTER(it->c), type, (int)it->n, compute, BLAS_DEFAULT) == 0;
}
