/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/decimal/powers.h"

#include <gmp.h>
#include <pthread.h>

static mm_power powers[MM_POWER_LAST - MM_POWER_FIRST + 1];
static pthread_once_t powers_made = PTHREAD_ONCE_INIT;
_Atomic(const mm_power *) mm_powers_table;

/* The first 128 bits of a positive number; the binary point does not matter. */
static mm_power leading_bits(const mpz_t number, mpz_t work) {
    size_t bits = mpz_sizeinbase(number, 2);
    if (bits > 128)
        mpz_fdiv_q_2exp(work, number, bits - 128);
    else
        mpz_mul_2exp(work, number, 128 - bits);
    mm_power power = {0, 0};
    uint64_t words[2] = {0, 0};
    mpz_export(words, NULL, -1, sizeof words[0], 0, 0, work);
    power.low = words[0];
    power.high = words[1];
    return power;
}

static void make_powers(void) {
    mpz_t five, quotient, work;
    mpz_init_set_ui(five, 1);
    mpz_init(quotient);
    mpz_init(work);
    /* 10^q and 5^q differ by a power of two only, and so do their leading bits. */
    for (int q = 0; q <= MM_POWER_LAST || q <= -MM_POWER_FIRST; q++) {
        if (q <= MM_POWER_LAST)
            powers[q - MM_POWER_FIRST] = leading_bits(five, work);
        if (q > 0 && q <= -MM_POWER_FIRST) {
            mpz_set_ui(work, 0);
            mpz_setbit(work, mpz_sizeinbase(five, 2) + 128);
            mpz_fdiv_q(quotient, work, five);
            powers[-q - MM_POWER_FIRST] = leading_bits(quotient, work);
        }
        mpz_mul_ui(five, five, 5);
    }
    mpz_clear(five);
    mpz_clear(quotient);
    mpz_clear(work);
    atomic_store_explicit(&mm_powers_table, powers, memory_order_release);
}

const mm_power *mm_powers_make(void) {
    pthread_once(&powers_made, make_powers);
    return powers;
}
