#pragma once
template <class T> __device__ void in_header(int n, T *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc if
		if (p[i] > T(3))
			p[i] /= T(7);
	}
}
// SPDX-License-Identifier: MIT
