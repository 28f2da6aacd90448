// Shapes of body.h for half and bfloat.
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 2
#define RINGS_DENSE 0
#define RINGS_RESIDENT 6
#include "spmm/rings/body.h"
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 4
#define RINGS_DENSE 0
#define RINGS_RESIDENT 4
#include "spmm/rings/body.h"
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 2
#define RINGS_DENSE 0
#define RINGS_RESIDENT 4
#include "spmm/rings/body.h"
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 4
#define RINGS_DENSE 0
#define RINGS_RESIDENT 3
#include "spmm/rings/body.h"
#define RINGS_TALL 4
#define RINGS_EACH 2
#define RINGS_WIDE 2
#define RINGS_DENSE 0
#define RINGS_RESIDENT 3
#include "spmm/rings/body.h"
#define RINGS_TALL 4
#define RINGS_EACH 2
#define RINGS_WIDE 4
#define RINGS_DENSE 0
#define RINGS_RESIDENT 2
#include "spmm/rings/body.h"
#define RINGS_TALL 8
#define RINGS_EACH 2
#define RINGS_WIDE 2
#define RINGS_DENSE 0
#define RINGS_RESIDENT 2
#include "spmm/rings/body.h"
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 2
#define RINGS_DENSE 1
#define RINGS_RESIDENT 7
#include "spmm/rings/body.h"
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 4
#define RINGS_DENSE 1
#define RINGS_RESIDENT 5
#include "spmm/rings/body.h"
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 2
#define RINGS_DENSE 1
#define RINGS_RESIDENT 5
#include "spmm/rings/body.h"
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 4
#define RINGS_DENSE 1
#define RINGS_RESIDENT 3
#include "spmm/rings/body.h"
#undef RINGS_TYPE
