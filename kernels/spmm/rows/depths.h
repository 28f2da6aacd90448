// The kernels of body.h for a type, number of lanes and of teams.
#define ROWS_DEPTH 4
#include "spmm/rows/body.h"
#define ROWS_DEPTH 8
#include "spmm/rows/body.h"
#undef ROWS_LANES
#undef ROWS_TEAMS
