// The kernels of body.h for a type and shape, with compressed and with dense windows.
#define WINDOWS_DENSE 0
#include "spmm/windows/body.h"
#define WINDOWS_DENSE 1
#include "spmm/windows/body.h"
#undef WINDOWS_WIDTH
#undef WINDOWS_TALL
#undef WINDOWS_GROUPS
#undef WINDOWS_RESIDENT
