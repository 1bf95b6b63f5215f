// SPDX-License-Identifier: MIT
// scatter.cu: lanes leave a loop at different times; one lane in 25 takes a path with nested loops and branches, in which a profile of the
// program without annotations counts many other candidates. tests/cost/make.sh makes scatter.ptx and scatter.off.ptx of it.
__device__ __forceinline__ unsigned draw(unsigned &s)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	return s;
}

__device__ __forceinline__ float unit(unsigned &s)
{
	return (draw(s) >> 8) * (1.0f / 16777216.0f);
}

// A point of the disc, by rejection.
__device__ __forceinline__ float disc(unsigned &s)
{
	float a, b, d;
	do {
		a = 2 * unit(s) - 1;
		b = 2 * unit(s) - 1;
		d = a * a + b * b;
	} while (d >= 1);
	return a * d;
}

__device__ __forceinline__ float turn(float v, unsigned &s)
{
	float x, y, z, most = fabsf(v) + 1;
	do {
		x = disc(s);
		y = disc(s);
		z = disc(s);
	} while (unit(s) * most > 0.5f + x * x + y * y + z * z);
	float length = sqrtf(x * x + y * y + z * z + 0.01f);
	if (x > 0.2f)
		v = (x / length + y / (1 + z * z)) / (2 + v * v) + sqrtf(length + v * v) / (1 + length);
	else if (y > 0.1f)
		v = x * sqrtf(1 + y * y) / (length + 1) - z / (2 + length * length) + sqrtf(v * v + 1) / 8;
	while (unit(s) > 0.75f)
		v = (v + z) / (1 + v * v);
	if (z > 0)
		v = v / (1 + z * length) + sqrtf(z + length) / (3 + v * v) - y / (4 + z);
	return v;
}

__global__ void scatter(float *out, int *hits, int steps, unsigned rare, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, hit = 0;
	if (i >= n)
		return;
	unsigned s = i * 747796405u + 12345;
	float x = 0.3f, v = 0.4f;
	#pragma ccc for
	for (int k = 0; k < steps; k++) {
		x = x * 0.98f + v * 0.05f;
		v = fminf(fmaxf(v * 0.99f + x * 0.02f, -1), 1);
		if (x > 0.2f && (draw(s) & 255) == 0)
			break;
		if (draw(s) < rare)
			#pragma ccc predict threshold(16)
			{
				v = turn(turn(v, s), s);
				hit++;
			}
	}
	out[i] = x + v;
	hits[i] = hit;
}
