// Shapes of bands_body.h for half and bfloat.
#define BANDS_SIZE 2
#define BANDS_PARTS 1
#define BANDS_KEPT_A 3
#define BANDS_KEPT_B 4
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
#undef BANDS_STORE
#undef BANDS_SIZE
#undef BANDS_PARTS
#undef BANDS_KEPT_A
#undef BANDS_KEPT_B
