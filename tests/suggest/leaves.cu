// SPDX-License-Identifier: MIT
// An inner loop that lanes leave in different iterations, and long code that only those execute.
__device__ float height(float x, float z) { return x * 0.31f - z * z * 0.07f; }

__global__ void march(const float4 *rays, float *image, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 r = rays[i];
		float t = 0, value = 0.5f;
		#pragma unroll 1
		for (int step = 0; step < 100; step++) {
			float h = r.y - t * r.w - height(r.x + t, r.z);
			if (h < 0.01f) {
				float light = 1;
				#pragma unroll 1
				for (int k = 1; k < 40; k++) {
					float above = r.w * k - height(r.x + t + 0.1f * k, r.z - 0.2f * k);
					if (above < 0)
						break;
					light = fminf(light, 8 * above / k);
				}
				value = light;
				break;
			}
			t += 0.02f + 0.3f * h;
		}
		image[i] = value;
	}
}
