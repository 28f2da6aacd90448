// The kernels of body.h for a type and shape, with compressed and with dense windows.
#define ROWWINDOWS_DENSE 0
#include SPMM_EACH
#define ROWWINDOWS_DENSE 1
#include SPMM_EACH
#undef ROWWINDOWS_WIDTH
#undef ROWWINDOWS_TALL
#undef ROWWINDOWS_GROUPS
#undef ROWWINDOWS_RESIDENT
