// The device kernels of orthogonalization: gpu.h.
#include "h2/common/tensor_gpu.h"

#include "h2/orthog/gpu.h"
#include "h2/orthog/reflect_gpu.h"

#define H2_REAL double
#define H2_NAME(word) word##_fp64

#include "h2/product/fetch_gpu_body.h"

#include "h2/orthog/stack_gpu_body.h"

#include "h2/orthog/gpu_body.h"

#include "h2/orthog/change_gpu_body.h"

#undef H2_REAL
#undef H2_NAME

#define H2_REAL float
#define H2_NAME(word) word##_fp32

#include "h2/product/fetch_gpu_body.h"

#include "h2/orthog/stack_gpu_body.h"

#include "h2/orthog/gpu_body.h"

#include "h2/orthog/change_gpu_body.h"

#undef H2_REAL
#undef H2_NAME
