/* corpus: Thrust */
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Square {
	__host__ __device__ float operator()(float x) const { return x * x; }
};

float
norm(const thrust::device_vector<float> &v)
{
	return thrust::transform_reduce(v.begin(), v.end(), Square(), 0.0f, thrust::plus<float>());
}

size_t
distinct(thrust::device_vector<int> &v)
{
	thrust::sort(v.begin(), v.end(), thrust::greater<int>());
	return thrust::unique(v.begin(), v.end()) - v.begin();
}
// SPDX-License-Identifier: MIT
