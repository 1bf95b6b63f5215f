__global__ void k(int n, const float4 *a, const double *d, const short *s, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 v = a[i];
		double x = d[i];
		short h = s[i];
		bool odd = h & 1;
		#pragma ccc if
		if (v.x > 0.f) {
			double y = x * v.y + v.z * v.w;
			if (odd)
				y += h;
			b[i] = (int)y;
			if (!odd)
				b[i + 1] = h;
		}
	}
}
// SPDX-License-Identifier: MIT
