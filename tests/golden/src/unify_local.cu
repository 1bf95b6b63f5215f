// SPDX-License-Identifier: MIT
// Two arms and thread-local memory: lanes run the iterations of one arm of the branch first.

// One arm reads what the other one wrote in an earlier iteration: left unchanged.
__global__ void slots(int n, const int *in, int *out)
{
	int last[8] = {}, i;

	#pragma ccc for
	for (i = threadIdx.x; i < n; i += 32) {
		int v = in[i];
		#pragma ccc unify
		if (v & 1) {
			last[v >> 1 & 7] = v * v;
			out[i] = v / 3;
		} else {
			out[i] = last[v >> 2 & 7] / 7;
		}
	}
}

// Each arm reads only its own data; that needs a clause, because the whole frame is treated as one object.
__global__ void pads(int n, const int *in, int *out)
{
	int i;

	#pragma ccc for scratch
	for (i = threadIdx.x; i < n; i += 32) {
		int v = in[i];
		#pragma ccc unify
		if (v & 1) {
			int pad[4] = { v, v * v, v / 3, v % 5 };
			out[i] = pad[v >> 1 & 3];
		} else {
			int pad[4] = { v / 7, v, v + 1, v * 9 };
			out[i] = pad[v >> 2 & 3];
		}
	}
}

// Only the first arm has thread-local memory: its iterations keep their order.
__global__ void first(int n, const int *in, int *out)
{
	int seen[8] = {}, i;

	#pragma ccc for
	for (i = threadIdx.x; i < n; i += 32) {
		int v = in[i];
		#pragma ccc unify
		if (v & 1)
			out[i] = seen[v >> 1 & 7]++;
		else
			out[i] = v / 7;
	}
}

// The slow path of sinf and cosf: one table, which each arm fills.
__global__ void table(int n, const float *in, float *out)
{
	int i;

	#pragma ccc for
	for (i = threadIdx.x; i < n; i += 32) {
		float v = in[i];
		#pragma ccc unify
		if (v > 1)
			out[i] = sinf(v) * v;
		else
			out[i] = cosf(v) + v;
	}
}
