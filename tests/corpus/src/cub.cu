/* corpus: CUB device-wide and block-wide primitives */
#include <cub/cub.cuh>

cudaError_t
sort(void *temp, size_t &bytes, const unsigned *in, unsigned *out, const float *vin, float *vout, int n)
{
	return cub::DeviceRadixSort::SortPairs(temp, bytes, in, out, vin, vout, n);
}

cudaError_t
sum(void *temp, size_t &bytes, const double *in, double *out, int n)
{
	return cub::DeviceReduce::Sum(temp, bytes, in, out, n);
}

cudaError_t
scan(void *temp, size_t &bytes, const long long *in, long long *out, int n)
{
	return cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
}

__global__ void
block(const int *in, int *out)
{
	typedef cub::BlockScan<int, 128> Scan;
	__shared__ Scan::TempStorage temp;
	int v = in[threadIdx.x], total;
	Scan(temp).ExclusiveSum(v, v, total);
	out[threadIdx.x] = v + total;
}
// SPDX-License-Identifier: MIT
