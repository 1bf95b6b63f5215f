/* SPDX-License-Identifier: MIT */
/* Converts floating-point numbers to their bit patterns and back. Internal to simt/. */
#ifndef SIMT_STATE_NUMERIC_CASTS_H
#define SIMT_STATE_NUMERIC_CASTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float float_of(uint32_t v) { float f; memcpy(&f, &v, sizeof f); return f; }
static inline double double_of(uint64_t v) { double f; memcpy(&f, &v, sizeof f); return f; }
static inline uint32_t float_bits(float f) { uint32_t v; memcpy(&v, &f, sizeof v); return v; }
static inline uint64_t double_bits(double f) { uint64_t v; memcpy(&v, &f, sizeof v); return v; }

#endif
