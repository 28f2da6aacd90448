// The device kernels of orthogonalization: orthog_gpu.h.
#include "h2/tensor_gpu.h"

#include "h2/orthog_gpu.h"
#include "h2/reflect_gpu.h"

#define H2_REAL double
#define H2_NAME(word) word##_fp64

#include "h2/fetch_gpu_body.h"

#include "h2/stack_gpu_body.h"

#include "h2/orthog_gpu_body.h"

#include "h2/change_gpu_body.h"

#undef H2_REAL
#undef H2_NAME

#define H2_REAL float
#define H2_NAME(word) word##_fp32

#include "h2/fetch_gpu_body.h"

#include "h2/stack_gpu_body.h"

#include "h2/orthog_gpu_body.h"

#include "h2/change_gpu_body.h"

#undef H2_REAL
#undef H2_NAME
