// Shapes of body.h for float and double.
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
#define WINDOWS_WIDTH 4
#define WINDOWS_GROUPS 1
#define WINDOWS_RESIDENT 12
#include "spmm/windows/variant.h"

#include "spmm/windows/end.h"
