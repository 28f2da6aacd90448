// The kernels of strips_body.h for a type: tiles of 128, 256, 512 and 1024 bytes.
#if STRIPS_SIZE < 8
#define STRIPS_LANES 8
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT (STRIPS_SIZE == 2 ? 8 : 12)
#include "spmm/strips_body.h"
#define STRIPS_LANES 16
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT (STRIPS_SIZE == 2 ? 8 : 12)
#include "spmm/strips_body.h"
#define STRIPS_LANES 32
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT (STRIPS_SIZE == 2 ? 8 : 12)
#include "spmm/strips_body.h"
#else
#define STRIPS_LANES 8
#define STRIPS_GROUPS 2
#define STRIPS_RESIDENT 8
#include "spmm/strips_body.h"
#define STRIPS_LANES 16
#define STRIPS_GROUPS 2
#define STRIPS_RESIDENT 8
#include "spmm/strips_body.h"
#endif
#if STRIPS_SIZE > 2
#define STRIPS_LANES 32
#define STRIPS_GROUPS 2
#define STRIPS_RESIDENT 8
#include "spmm/strips_body.h"
#endif
#undef STRIPS_TYPE
#undef STRIPS_SIZE
#undef STRIPS_SUM
#undef STRIPS_COUNT
