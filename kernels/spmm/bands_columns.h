// The kernels of bands_body.h for a type.
#define BANDS_COLUMNS 32
#define BANDS_RESIDENT 2
#include "spmm/bands_body.h"
#define BANDS_COLUMNS 64
#define BANDS_RESIDENT 2
#include "spmm/bands_body.h"
#define BANDS_COLUMNS 128
#define BANDS_RESIDENT 2
#include "spmm/bands_body.h"
#define BANDS_COLUMNS 256
#define BANDS_RESIDENT 1
#include "spmm/bands_body.h"
#undef BANDS_TYPE
