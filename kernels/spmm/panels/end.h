/* SPDX-License-Identifier: BSD-3-Clause */
// Ends the variants of body.h for a type.
#undef PANELS_TYPE
#undef PANELS_STORE
#undef PANELS_VALUE
#undef PANELS_SUM
#undef PANELS_SIZE
