/* SPDX-License-Identifier: BSD-3-Clause */
/* What is used of the CUDA driver API: types, numbers and entry points as the driver's binary interface fixes
 * them (CUDA Driver API reference manual; 64-bit hosts, the versions "_v2" where there are two). Declared
 * here, so that a build needs no CUDA toolkit; tests/unit/base/cuda_driver.c compares with cuda.h where there
 * is one. */
#ifndef BASE_DEVICE_CUDA_DRIVER_H
#define BASE_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int cuda_result;
typedef int cuda_device;
typedef uint64_t cuda_pointer; /* an address of device memory */
typedef struct CUctx_st *cuda_context;
typedef struct CUmod_st *cuda_module;
typedef struct CUfunc_st *cuda_function;
typedef struct CUstream_st *cuda_stream;
typedef struct CUevent_st *cuda_event;
typedef uint64_t cuda_memory; /* a handle of physical memory */

enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_STUB_LIBRARY = 34,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_IMAGE = 200,
    CUDA_NO_BINARY_FOR_GPU = 209,
    CUDA_ECC_UNCORRECTABLE = 214,
    CUDA_INVALID_PTX = 218,
    CUDA_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_JIT_COMPILATION_DISABLED = 223,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_LAUNCH_FAILED = 719,
    CUDA_COOPERATIVE_TOO_LARGE = 720,
    CUDA_NOT_SUPPORTED = 801
};

enum {
    CUDA_DEVICE_THREADS_PER_BLOCK = 1,
    CUDA_DEVICE_CONSTANT_BYTES = 9,
    CUDA_DEVICE_WARP_SIZE = 10,
    CUDA_DEVICE_CLOCK_KILOHERTZ = 13,
    CUDA_DEVICE_MULTIPROCESSORS = 16,
    CUDA_DEVICE_ECC = 32,
    CUDA_DEVICE_MEMORY_CLOCK_KILOHERTZ = 36,
    CUDA_DEVICE_MEMORY_BUS_BITS = 37,
    CUDA_DEVICE_L2_BYTES = 38,
    CUDA_DEVICE_THREADS_PER_MULTIPROCESSOR = 39,
    CUDA_DEVICE_CAPABILITY_MAJOR = 75,
    CUDA_DEVICE_CAPABILITY_MINOR = 76,
    CUDA_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR = 81,
    CUDA_DEVICE_REGISTERS_PER_MULTIPROCESSOR = 82,
    CUDA_DEVICE_SHARED_BYTES_PER_BLOCK_OPTIN = 97,
    CUDA_DEVICE_VIRTUAL_MEMORY = 102,
    CUDA_DEVICE_MEMORY_DESCRIPTORS = 103
};

enum {
    CUDA_FUNCTION_THREADS_PER_BLOCK = 0,
    CUDA_FUNCTION_SHARED_BYTES = 1,
    CUDA_FUNCTION_CONSTANT_BYTES = 2,
    CUDA_FUNCTION_LOCAL_BYTES = 3,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_FUNCTION_DYNAMIC_SHARED_BYTES = 8
};

enum { CUDA_JIT_ERROR_LOG = 5, CUDA_JIT_ERROR_LOG_BYTES = 6 };
enum { CUDA_HOST_PORTABLE = 1 };
enum { CUDA_STREAM_APART = 1 }; /* the default stream does not wait for it */

typedef struct cuda_launch_attribute {
    int id, unused;
    union {
        int number;
        char bytes[64];
    } value;
} cuda_launch_attribute;

typedef struct cuda_launch {
    unsigned grid[3], block[3], shared_bytes;
    cuda_stream stream;
    cuda_launch_attribute *attributes;
    unsigned count;
} cuda_launch;

/* Physical memory and where it is mapped. */
enum { CUDA_MEMORY_PINNED = 1, CUDA_MEMORY_DESCRIPTOR = 1, CUDA_MEMORY_ON_DEVICE = 1 };
enum { CUDA_GRANULARITY_MINIMUM = 0, CUDA_ACCESS_READ_WRITE = 3 };

typedef struct cuda_memory_place {
    int type, device;
} cuda_memory_place;

typedef struct cuda_memory_kind {
    int type, handle_types;
    cuda_memory_place place;
    void *unused;
    unsigned char flags[8];
} cuda_memory_kind;

typedef struct cuda_memory_access {
    cuda_memory_place place;
    int access;
} cuda_memory_access;

typedef struct cuda_uuid {
    char bytes[16];
} cuda_uuid;

enum {
    CUDA_LAUNCH_COOPERATIVE = 2,
    CUDA_LAUNCH_FOLLOWS = 6
}; /* the latter: programmatic stream serialization */

/* F(name, symbol, parameters, arguments): `symbol` is what the library exports. */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                             \
    F(cuInit, cuInit, (unsigned flags), (flags))                                                             \
    F(cuGetErrorName, cuGetErrorName, (cuda_result result, const char **text), (result, text))               \
    F(cuGetErrorString, cuGetErrorString, (cuda_result result, const char **text), (result, text))           \
    F(cuDriverGetVersion, cuDriverGetVersion, (int *version), (version))                                     \
    F(cuDeviceGetCount, cuDeviceGetCount, (int *count), (count))                                             \
    F(cuDeviceGet, cuDeviceGet, (cuda_device * device, int index), (device, index))                          \
    F(cuDeviceGetName, cuDeviceGetName, (char *name, int size, cuda_device device), (name, size, device))    \
    F(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, cuda_device device), (bytes, device))          \
    F(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, cuda_device device),           \
      (value, attribute, device))                                                                            \
    F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (cuda_context * context, cuda_device device),      \
      (context, device))                                                                                     \
    F(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (cuda_device device), (device))               \
    F(cuCtxSetCurrent, cuCtxSetCurrent, (cuda_context context), (context))                                   \
    F(cuMemGetInfo, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes), (free_bytes, total_bytes)) \
    F(cuMemAlloc, cuMemAlloc_v2, (cuda_pointer * pointer, size_t bytes), (pointer, bytes))                   \
    F(cuMemFree, cuMemFree_v2, (cuda_pointer pointer), (pointer))                                            \
    F(cuDeviceGetUuid, cuDeviceGetUuid, (cuda_uuid * uuid, cuda_device device), (uuid, device))              \
    F(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity,                                          \
      (size_t * bytes, const cuda_memory_kind *kind, int option), (bytes, kind, option))                     \
    F(cuMemCreate, cuMemCreate,                                                                              \
      (cuda_memory * memory, size_t bytes, const cuda_memory_kind *kind, unsigned long long flags),          \
      (memory, bytes, kind, flags))                                                                          \
    F(cuMemRelease, cuMemRelease, (cuda_memory memory), (memory))                                            \
    F(cuMemAddressReserve, cuMemAddressReserve,                                                              \
      (cuda_pointer * pointer, size_t bytes, size_t alignment, cuda_pointer wanted,                          \
       unsigned long long flags),                                                                            \
      (pointer, bytes, alignment, wanted, flags))                                                            \
    F(cuMemAddressFree, cuMemAddressFree, (cuda_pointer pointer, size_t bytes), (pointer, bytes))            \
    F(cuMemMap, cuMemMap,                                                                                    \
      (cuda_pointer pointer, size_t bytes, size_t offset, cuda_memory memory, unsigned long long flags),     \
      (pointer, bytes, offset, memory, flags))                                                               \
    F(cuMemUnmap, cuMemUnmap, (cuda_pointer pointer, size_t bytes), (pointer, bytes))                        \
    F(cuMemSetAccess, cuMemSetAccess,                                                                        \
      (cuda_pointer pointer, size_t bytes, const cuda_memory_access *access, size_t count),                  \
      (pointer, bytes, access, count))                                                                       \
    F(cuMemExportToShareableHandle, cuMemExportToShareableHandle,                                            \
      (void *descriptor, cuda_memory memory, int type, unsigned long long flags),                            \
      (descriptor, memory, type, flags))                                                                     \
    F(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle,                                        \
      (cuda_memory * memory, void *descriptor, int type), (memory, descriptor, type))                        \
    F(cuMemHostAlloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags),                        \
      (pointer, bytes, flags))                                                                               \
    F(cuMemFreeHost, cuMemFreeHost, (void *pointer), (pointer))                                              \
    F(cuMemcpyHtoD, cuMemcpyHtoD_v2, (cuda_pointer to, const void *from, size_t bytes), (to, from, bytes))   \
    F(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *to, cuda_pointer from, size_t bytes), (to, from, bytes))         \
    F(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                               \
      (cuda_pointer to, const void *from, size_t bytes, cuda_stream stream), (to, from, bytes, stream))      \
    F(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                               \
      (void *to, cuda_pointer from, size_t bytes, cuda_stream stream), (to, from, bytes, stream))            \
    F(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                               \
      (cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream), (to, from, bytes, stream))     \
    F(cuMemsetD8Async, cuMemsetD8Async,                                                                      \
      (cuda_pointer to, unsigned char value, size_t bytes, cuda_stream stream), (to, value, bytes, stream))  \
    F(cuStreamCreate, cuStreamCreate, (cuda_stream * stream, unsigned flags), (stream, flags))               \
    F(cuStreamDestroy, cuStreamDestroy_v2, (cuda_stream stream), (stream))                                   \
    F(cuStreamQuery, cuStreamQuery, (cuda_stream stream), (stream))                                          \
    F(cuStreamSynchronize, cuStreamSynchronize, (cuda_stream stream), (stream))                              \
    F(cuStreamWaitEvent, cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags),          \
      (stream, event, flags))                                                                                \
    F(cuEventCreate, cuEventCreate, (cuda_event * event, unsigned flags), (event, flags))                    \
    F(cuEventDestroy, cuEventDestroy_v2, (cuda_event event), (event))                                        \
    F(cuEventRecord, cuEventRecord, (cuda_event event, cuda_stream stream), (event, stream))                 \
    F(cuEventQuery, cuEventQuery, (cuda_event event), (event))                                               \
    F(cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, cuda_event first, cuda_event last),      \
      (milliseconds, first, last))                                                                           \
    F(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                \
      (cuda_module * module, const void *image, unsigned options, int *option, void **value),                \
      (module, image, options, option, value))                                                               \
    F(cuModuleUnload, cuModuleUnload, (cuda_module module), (module))                                        \
    F(cuModuleGetFunction, cuModuleGetFunction,                                                              \
      (cuda_function * function, cuda_module module, const char *name), (function, module, name))            \
    F(cuFuncGetAttribute, cuFuncGetAttribute, (int *value, int attribute, cuda_function function),           \
      (value, attribute, function))                                                                          \
    F(cuFuncSetAttribute, cuFuncSetAttribute, (cuda_function function, int attribute, int value),            \
      (function, attribute, value))                                                                          \
    F(cuOccupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
      (int *blocks, cuda_function function, int threads, size_t shared_bytes),                               \
      (blocks, function, threads, shared_bytes))                                                             \
    F(cuLaunchKernelEx, cuLaunchKernelEx,                                                                    \
      (const cuda_launch *launch, cuda_function function, void **arguments, void **extra),                   \
      (launch, function, arguments, extra))

typedef struct cuda_driver {
#define CUDA_DRIVER_MEMBER(name, symbol, parameters, arguments) cuda_result(*name) parameters;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)
#undef CUDA_DRIVER_MEMBER
} cuda_driver;

#endif
