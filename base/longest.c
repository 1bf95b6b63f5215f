/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include "base/longest.h"

/* Returns the harmonic number minus its first term, interpolated linearly. */
double
expected_maximum_above(double lanes)
{
	double sum = 0;

	for (uint32_t n = 2; n < lanes + 1; n++)
		sum += (n <= lanes ? 1 : lanes - (n - 1)) / n;
	return sum;
}
