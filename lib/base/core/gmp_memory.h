/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of GMP, whose functions cannot report that there is none. */
#ifndef BASE_CORE_GMP_MEMORY_H
#define BASE_CORE_GMP_MEMORY_H

/* Lets GMP (and MPFR) allocate with injectable faults (fault.h), and call `no_memory`, which must not return,
 * where it would abort. For programs, once, before any other use of GMP. */
void base_gmp_memory_install(void (*no_memory)(void));

#endif
