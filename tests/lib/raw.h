#pragma once
static __device__ __forceinline__ int twice(int x) { return 2 * x; }
// SPDX-License-Identifier: MIT
