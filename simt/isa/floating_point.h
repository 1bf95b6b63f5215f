/* SPDX-License-Identifier: MIT */
/* Floating-point values as bits, and rounding. Internal to simt/. */
#ifndef SIMT_ISA_FLOATING_POINT_H
#define SIMT_ISA_FLOATING_POINT_H

#include <fenv.h>
#include <math.h>
#include "simt/state/numeric_casts.h"

enum { NAN32 = 0x7fffffff };

/* The C library's rounding mode for Inst.round: 0 nearest even, 1 zero, 2 down, 3 up. */
void float_round(uint32_t round);
/* Rounds x, which is not negative, to an integer, as a number of the given sign is rounded. */
double float_integral(double x, bool negative, uint32_t round);
static inline uint32_t
float_flush(uint32_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

/* What .relu makes of x: a NaN stays one, -0 becomes 0. */
static inline double float_relu(double x) { return x > 0 || x != x ? x : 0; }

/* Results that were rounded to double and shall be rounded once more, to fewer bits (Boldo and
 * Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", IEEE Transactions on Computers 57 (4), 2008). */
/* x + error, where x is that sum rounded to nearest: rounded to odd */
double float_odd(double x, double error);
/* x * y + z likewise, where the product is exact */
double float_fma_odd(double x, double y, double z);
/* Is x, rounded to 1 + bits bits, less than 2^least? That is when an H200's .ftz makes a result
 * 0. */
bool float_tiny(double x, int bits, int least, uint32_t round);

/* f16 and bf16, exactly, to double; and from it with one rounding. */
double half_get(uint32_t v, bool bf);
uint32_t half_put(double x, bool bf, uint32_t round);
static inline uint32_t
half_flush(uint32_t v, bool bf)
{
	return v & (bf ? 0x7f80u : 0x7c00u) ? v : v & 0x8000;
}

#endif
