// The kernels of rows_body.h for a type, number of lanes and of teams.
#define ROWS_DEPTH 4
#include "spmm/rows_body.h"
#define ROWS_DEPTH 8
#include "spmm/rows_body.h"
#undef ROWS_LANES
#undef ROWS_TEAMS
