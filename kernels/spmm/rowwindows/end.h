/* SPDX-License-Identifier: BSD-3-Clause */
// Ends the variants of body.h for a type.
#undef ROWWINDOWS_TYPE
#undef ROWWINDOWS_STORE
#undef ROWWINDOWS_SUM
#undef ROWWINDOWS_SIZE
#undef ROWWINDOWS_DENSE_RESIDENT
