/* SPDX-License-Identifier: BSD-3-Clause */
// H2_EACH, the kernels or functions of a file, for numbers in double and in single precision: H2_REAL is the
// type, and H2_NAME(word) the word with its name, which lib/h2/device asks for (h2_device_get_function).
#define H2_REAL double
#define H2_NAME(word) word##_fp64
#include H2_EACH
#undef H2_REAL
#undef H2_NAME

#define H2_REAL float
#define H2_NAME(word) word##_fp32
#include H2_EACH
#undef H2_REAL
#undef H2_NAME
#undef H2_EACH
