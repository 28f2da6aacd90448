// Shapes of body.h for half and bfloat.
#define WINDOWS_DENSE 0
#define WINDOWS_TALL 0
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 24
#include "spmm/windows/body.h"
#undef WINDOWS_GROUPS
#undef WINDOWS_RESIDENT
#define WINDOWS_DENSE 0
#define WINDOWS_GROUPS 2
#define WINDOWS_RESIDENT 16
#include "spmm/windows/body.h"
#undef WINDOWS_WIDTH
#undef WINDOWS_TALL
#undef WINDOWS_GROUPS
#undef WINDOWS_RESIDENT
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 2
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 24
#include "spmm/windows/variant.h"
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 20
#include "spmm/windows/variant.h"
#define WINDOWS_TALL 1
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 2
#define WINDOWS_RESIDENT 12
#include "spmm/windows/variant.h"
#define WINDOWS_TALL 2
#define WINDOWS_WIDTH 2
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 20
#include "spmm/windows/variant.h"
#define WINDOWS_TALL 2
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 16
#include "spmm/windows/variant.h"
#define WINDOWS_TALL 4
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 8
#include "spmm/windows/variant.h"

#include "spmm/windows/end.h"
