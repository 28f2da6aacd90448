// The kernels of body.h for a type: tiles of 32 bytes, and of 64.
#if SLABS_COUNT == 8
#define SLABS_SIDE 2
#define SLABS_EACH 1
#define SLABS_TEAMS 1
#include "spmm/slabs/body.h"
#define SLABS_TEAMS 4
#include "spmm/slabs/body.h"
#undef SLABS_SIDE
#undef SLABS_EACH
#else
#define SLABS_SIDE 1
#define SLABS_EACH 2
#define SLABS_TEAMS 1
#include "spmm/slabs/body.h"
#define SLABS_TEAMS 2
#include "spmm/slabs/body.h"
#define SLABS_TEAMS 4
#include "spmm/slabs/body.h"
#undef SLABS_SIDE
#undef SLABS_EACH
#define SLABS_SIDE 2
#define SLABS_EACH 2
#define SLABS_TEAMS 1
#include "spmm/slabs/body.h"
#define SLABS_TEAMS 2
#include "spmm/slabs/body.h"
#undef SLABS_SIDE
#undef SLABS_EACH
#endif
#undef SLABS_TYPE
#undef SLABS_VALUE
#undef SLABS_SUM
#undef SLABS_COUNT
