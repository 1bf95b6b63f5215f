/* Floating-point values as bits, and rounding. Internal to simt/. */
#ifndef SIMT_FLOAT_H
#define SIMT_FLOAT_H

#include <fenv.h>
#include <math.h>
#include <string.h>
#include "simt/sim.h"

enum { NAN32 = 0x7fffffff };

static inline float float_of(uint32_t v) { float f; memcpy(&f, &v, sizeof f); return f; }
static inline double double_of(uint64_t v) { double f; memcpy(&f, &v, sizeof f); return f; }
static inline uint32_t float_bits(float f) { uint32_t v; memcpy(&v, &f, sizeof v); return v; }
static inline uint64_t double_bits(double f) { uint64_t v; memcpy(&v, &f, sizeof v); return v; }

/* The C library's rounding mode for Inst.round: 0 nearest even, 1 zero, 2 down, 3 up. */
void float_round(uint32_t round);
static inline uint32_t
float_flush(uint32_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

/* f16 and bf16, exactly, to double; and from it with one rounding. */
double half_get(uint32_t v, bool bf);
uint32_t half_put(double x, bool bf, uint32_t round);

#endif
