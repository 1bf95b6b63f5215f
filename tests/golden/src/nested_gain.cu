// The outer loop is planned a second time, for smaller blocks; the note on the inner one has the gain of that plan.
__global__ void nest(const float4 *a, const float4 *b, float *out, const int *row, int n, int *sums)
{
	int w = 0;
	float total = 0;
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 p = a[i], q = b[i];
#pragma ccc if reassociate
		if (p.x > q.x) {
			float t = 0;
#pragma unroll 1
			for (int k = 0; k < 60; k++) {
				t = t * p.x + q.y; t = t * q.z; t = t * p.y; t = t * p.w - p.z; t = t * q.x + q.w;
				t = t / (t * t + 1);
			}
			total += t;
		}
		int m = row[i];
#pragma ccc for
		for (int j = 0; j < 8; j++) {
			int x = row[m + j];
#pragma ccc if reduction(+: w)
			if (x & 1) {
				for (int k = 0; k < 20; k++)
					x = x * 1103515245 + (x >> 7) % 13;
				w += x;
			}
		}
	}
	sums[threadIdx.x] = w;
	out[threadIdx.x] = total;
}
