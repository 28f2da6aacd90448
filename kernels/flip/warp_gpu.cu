// Searches with a walker a warp, for factors of up to 64 bits.
#include "shim.h"

#include "flip/gpu.h"

#ifdef __CUDACC__
#define WARP_ALL _Pragma("unroll")
#define WARP_NO_UNROLL _Pragma("unroll 1")
#else
#define WARP_ALL
#define WARP_NO_UNROLL
#endif

#include "flip/common_gpu.h"

#define WARP_NAME(word) word##_short_2
#define WARP_FACTOR unsigned
#define WARP_SLOTS 2
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include "flip/warp_gpu_body.h"

#define WARP_NAME(word) word##_short_4
#define WARP_FACTOR unsigned
#define WARP_SLOTS 4
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include "flip/warp_gpu_body.h"

#define WARP_NAME(word) word##_long_2
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 2
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include "flip/warp_gpu_body.h"

#define WARP_NAME(word) word##_long_5
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 5
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 1
#include "flip/warp_gpu_body.h"

#define WARP_NAME(word) word##_long_17
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 17
#define WARP_UNROLL WARP_NO_UNROLL
#define WARP_RESIDENT 1
#include "flip/warp_gpu_body.h"
