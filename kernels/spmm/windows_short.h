// Shapes of windows_body.h for half and bfloat.
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 2
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 24
#include "spmm/windows_variant.h"
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 20
#include "spmm/windows_variant.h"
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 2
#define WINDOWS_RESIDENT 12
#include "spmm/windows_variant.h"
#define WINDOWS_TALL 2
#define WINDOWS_WIDTH 2
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 20
#include "spmm/windows_variant.h"
#define WINDOWS_TALL 2
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 16
#include "spmm/windows_variant.h"
#define WINDOWS_TALL 4
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 8
#include "spmm/windows_variant.h"
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE
