/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake cuBLAS (cuda.c): a product is three loops. Matrices lie by columns; the numbers of types, of the
 * computation and of results are those of the manual of cuBLAS. */
#include "tests/fake/driver.h"

#include "shim.h"
#include "spmm/common/number.h"

enum { FP32 = 0, FP64 = 1, FP16 = 2, BF16 = 14 };
enum { COMPUTE_FP64 = 70 };
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7 };

typedef struct fake_dense {
    const void *number;
    int type, rows, cols, stride;
} fake_dense;

static size_t count_bytes(int type) {
    return type == FP64 ? 8 : type == FP32 ? 4 : 2;
}

/* Whether its columns are apart, and in the memory of the device. */
static bool is_there(const fake_dense *a) {
    const size_t numbers = (size_t)(a->cols - 1) * (size_t)a->stride + (size_t)a->rows;
    return a->rows > 0 && a->cols > 0 && a->stride >= a->rows &&
           fake_is_inside((cuda_pointer)(uintptr_t)a->number, numbers * count_bytes(a->type));
}

static double get(const fake_dense *a, int row, int col) {
    const size_t at = (size_t)col * (size_t)a->stride + (size_t)row;
    switch (a->type) {
    case FP16: return spmm_widen_half(((const unsigned short *)a->number)[at]);
    case BF16: return spmm_widen_bfloat(((const unsigned short *)a->number)[at]);
    case FP32: return ((const float *)a->number)[at];
    default: return ((const double *)a->number)[at];
    }
}

static void put(const fake_dense *a, int row, int col, double number) {
    const size_t at = (size_t)col * (size_t)a->stride + (size_t)row;
    void *to = (void *)(uintptr_t)a->number;
    switch (a->type) {
    case FP16: ((unsigned short *)to)[at] = spmm_narrow_half((float)number); break;
    case BF16: ((unsigned short *)to)[at] = spmm_narrow_bfloat((float)number); break;
    case FP32: ((float *)to)[at] = (float)number; break;
    default: ((double *)to)[at] = number; break;
    }
}

int cublasCreate_v2(void **handle) {
    *handle = fake_enter(true) == CUDA_OK ? fake_add_object(1, 0) : NULL;
    return *handle != NULL ? SUCCESS : NOT_INITIALIZED;
}

int cublasDestroy_v2(void *handle) {
    return fake_remove_object(handle) == CUDA_OK ? SUCCESS : NOT_INITIALIZED;
}

int cublasSetMathMode(void *handle, int mode) {
    (void)mode;
    return fake_find_object(handle) != NULL ? SUCCESS : NOT_INITIALIZED;
}

int cublasSetStream_v2(void *handle, cuda_stream stream) {
    const bool is_known = stream == NULL || fake_find_object(stream) != NULL;
    return fake_find_object(handle) == NULL ? NOT_INITIALIZED : is_known ? SUCCESS : INVALID_VALUE;
}

int cublasGemmEx(void *handle, int a_operation, int b_operation, int m, int n, int k, const void *alpha,
                 const void *a, int a_type, int a_stride, const void *b, int b_type, int b_stride,
                 const void *beta, void *c, int c_type, int c_stride, int compute, int algorithm) {
    const fake_dense left = {a, a_type, m, k, a_stride}, right = {b, b_type, k, n, b_stride},
                     result = {c, c_type, m, n, c_stride};
    const bool is_double = compute == COMPUTE_FP64;
    const double times = is_double ? *(const double *)alpha : *(const float *)alpha,
                 keeps = is_double ? *(const double *)beta : *(const float *)beta;
    (void)algorithm;
    if (fake_find_object(handle) == NULL)
        return NOT_INITIALIZED;
    if (a_operation != 0 || b_operation != 0 || a_type != b_type || is_double != (a_type == FP64) ||
        !is_there(&left) || !is_there(&right) || !is_there(&result))
        return INVALID_VALUE;
    for (int col = 0; col < n; col++)
        for (int row = 0; row < m; row++) {
            double sum = 0;
            for (int at = 0; at < k; at++)
                sum += get(&left, row, at) * get(&right, at, col);
            put(&result, row, col, times * sum + (keeps != 0 ? keeps * get(&result, row, col) : 0));
        }
    return SUCCESS;
}
