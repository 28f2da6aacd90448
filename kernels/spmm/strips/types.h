// The kernels of body.h for a type: tiles of 128, 256 and 512 bytes, and of 1024 but for 16 bits.
#if STRIPS_SIZE == 2
#define STRIPS_LANES 8
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT 8
#include "spmm/strips/body.h"
#define STRIPS_LANES 16
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT 8
#include "spmm/strips/body.h"
#define STRIPS_LANES 32
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT 8
#include "spmm/strips/body.h"
#else
#if STRIPS_SIZE == 4
#define STRIPS_LANES 8
#define STRIPS_GROUPS 1
#define STRIPS_RESIDENT 12
#include "spmm/strips/body.h"
#endif
#define STRIPS_LANES 8
#define STRIPS_GROUPS 2
#define STRIPS_RESIDENT 8
#include "spmm/strips/body.h"
#define STRIPS_LANES 8
#define STRIPS_GROUPS 4
#define STRIPS_RESIDENT 4
#include "spmm/strips/body.h"
#define STRIPS_LANES 16
#define STRIPS_GROUPS 4
#define STRIPS_RESIDENT 4
#include "spmm/strips/body.h"
#endif
#undef STRIPS_TYPE
#undef STRIPS_SIZE
#undef STRIPS_SUM
#undef STRIPS_COUNT
