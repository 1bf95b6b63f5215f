// SPDX-License-Identifier: MIT
// Expensive functions for the programs in this folder, and a predicate that is inlined into conditions.
#pragma once
__device__ inline float work(float x)
{
	for (int j = 0; j < 60; j++)
		x = x * 0.99f + 0.5f;
	return x;
}
__device__ inline bool is_large(float a, float b)
{
	return a > b;
}
__device__ inline float clamped(float x)
{
	if (x > 0.5f) {
		x = work(x);
		x = work(x + 1);
	}
	return x;
}
