/* SPDX-License-Identifier: MIT */
/* Bit patterns of floating-point values, and rounding. Internal to simt/. */
#ifndef SIMT_ISA_FLOATING_POINT_H
#define SIMT_ISA_FLOATING_POINT_H

#include <fenv.h>
#include <math.h>
#include "simt/state/numeric_casts.h"

enum { NAN32 = 0x7fffffff };

/* Sets the C library's rounding mode from Inst.round: 0 to nearest even, 1 to zero, 2 down, 3
 * up. */
void float_round(uint32_t round);
/* Rounds x >= 0 to an integer, in the direction that applies to a number of the given sign. */
double float_integral(double x, bool negative, uint32_t round);
static inline uint32_t
float_flush(uint32_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

/* Applies .relu: a NaN stays a NaN, -0 becomes 0. */
static inline double float_relu(double x) { return x > 0 || x != x ? x : 0; }

/* Rounding to odd, for results that are rounded to double and then again to fewer bits (Boldo and
 * Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", IEEE Transactions on Computers 57 (4), 2008). */
/* x * y + z rounded to odd; the product must be exact */
double float_fma_odd(double x, double y, double z);
/* Whether x, rounded to 1 + bits bits, is less than 2^least. Then an H200's .ftz flushes the result
 * to 0. */
bool float_tiny(double x, int bits, int least, uint32_t round);

/* Converts f16 and bf16 to double, exactly, and back with one rounding. */
double half_get(uint32_t v, bool bf);
uint32_t half_put(double x, bool bf, uint32_t round);
static inline uint32_t
half_flush(uint32_t v, bool bf)
{
	return v & (bf ? 0x7f80u : 0x7c00u) ? v : v & 0x8000;
}

#endif
