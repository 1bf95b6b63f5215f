// A program that uses Thrust and CUB: the orders of a shop, from raw records to classes of customers.
//
//	orders [N]              2^20 orders, or N
//
// Every step runs on the GPU and again on the CPU; all arithmetic is integer, so results must be equal. Prints a line and
// a digest for each step. Exit code: 0 all right, 1 wrong, 2 no GPU.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "orders: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

static int wrong;

template<typename T> static void step(const char *name, const std::vector<T> &got, const std::vector<T> &want)
{
	uint64_t digest = UINT64_C(14695981039346656037);
	for (const T &x : got)
		digest = (digest ^ (uint64_t)x) * UINT64_C(1099511628211);
	const bool ok = got == want;
	wrong += !ok;
	printf("%-28s %9zu values %016llx %s\n", name, got.size(), (unsigned long long)digest, ok ? "ok" : "WRONG");
}

template<typename T> static std::vector<T> host(const thrust::device_vector<T> &v)
{
	std::vector<T> h(v.size());
	thrust::copy(v.begin(), v.end(), h.begin());
	return h;
}

template<typename T> static T *raw(thrust::device_vector<T> &v)
{
	return thrust::raw_pointer_cast(v.data());
}

// Calls one of CUB's device-wide algorithms: once for the size of its memory, once to run.
template<typename F> static void cub_call(F f)
{
	size_t bytes = 0;
	CHECK(f(nullptr, bytes));
	thrust::device_vector<unsigned char> memory(bytes + 1);
	CHECK(f(raw(memory), bytes));
}

// ---- the orders ------------------------------------------------------------------------------------------------------

__host__ __device__ static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

struct Customer {
	uint32_t customers;
	__host__ __device__ uint32_t operator()(uint32_t order) const
	{
		const uint32_t a = mix(2 * order) % customers, b = mix(2 * order + 1) % customers;
		return a < b ? a : b;   // some buy more than others
	}
};
struct Price {
	__host__ __device__ uint32_t operator()(uint32_t order) const { return mix(order ^ 0x5bd1e995u) % 10000 + 1; }
};
struct Large {
	uint64_t limit;
	__host__ __device__ bool operator()(uint64_t sum) const { return sum > limit; }
};
struct Discounted {
	__host__ __device__ uint32_t operator()(uint32_t price, uint32_t customer) const { return price - price * (customer % 7) / 100; }
};

// A customer's class: most need only their sum, the large ones a long calculation.
__global__ void classify(int n, const uint64_t *sum, uint64_t limit, uint32_t *result)
{
#ifdef ANNOTATED
	#pragma ccc for
#endif
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#ifdef ANNOTATED
		#pragma ccc if
#endif
		if (sum[i] > limit) {
			uint32_t x = (uint32_t)sum[i];
			for (int k = 0; k < 64; ++k)
				x = mix(x + k);
			result[i] = x % 8 + 1;
		}
	}
}

static uint32_t classify_one(uint64_t sum, uint64_t limit)
{
	uint32_t x = (uint32_t)sum;
	if (sum <= limit)
		return 0;
	for (int k = 0; k < 64; ++k)
		x = mix(x + k);
	return x % 8 + 1;
}

// ---- the steps ---------------------------------------------------------------------------------------------------------

struct Orders {
	thrust::device_vector<uint32_t> customer, price;
	std::vector<uint32_t> h_customer, h_price;
};

static void make(Orders &o, uint32_t n, uint32_t customers)
{
	const auto first = thrust::make_counting_iterator<uint32_t>(0);
	o.customer.resize(n);
	o.price.resize(n);
	thrust::transform(first, first + n, o.customer.begin(), Customer{ customers });
	thrust::transform(first, first + n, o.price.begin(), Price());
	thrust::transform(o.price.begin(), o.price.end(), o.customer.begin(), o.price.begin(), Discounted());
	for (uint32_t i = 0; i < n; ++i) {
		o.h_customer.push_back(Customer{ customers }(i));
		o.h_price.push_back(Discounted()(Price()(i), o.h_customer[i]));
	}
	step("thrust::transform", host(o.customer), o.h_customer);
	step("thrust::transform, two inputs", host(o.price), o.h_price);
}

static void sums(Orders &o, thrust::device_vector<uint32_t> &keys, thrust::device_vector<uint64_t> &sum, std::map<uint32_t, uint64_t> &want)
{
	std::vector<uint32_t> want_keys, order(o.h_customer.size()), sorted;
	std::vector<uint64_t> want_sums;
	for (size_t i = 0; i < o.h_customer.size(); ++i)
		want[o.h_customer[i]] += o.h_price[i];
	for (const auto &w : want) {
		want_keys.push_back(w.first);
		want_sums.push_back(w.second);
	}
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return o.h_customer[a] < o.h_customer[b]; });
	for (uint32_t i : order)
		sorted.push_back(o.h_price[i]);

	thrust::stable_sort_by_key(o.customer.begin(), o.customer.end(), o.price.begin());
	step("thrust::stable_sort_by_key", host(o.price), sorted);
	keys.resize(o.customer.size());
	sum.resize(o.customer.size());
	const auto wide = thrust::make_transform_iterator(o.price.begin(), [] __host__ __device__(uint32_t p) { return (uint64_t)p; });
	const auto ends = thrust::reduce_by_key(o.customer.begin(), o.customer.end(), wide, keys.begin(), sum.begin());
	keys.erase(ends.first, keys.end());
	sum.erase(ends.second, sum.end());
	step("thrust::reduce_by_key, keys", host(keys), want_keys);
	step("thrust::reduce_by_key", host(sum), want_sums);
}

// Customers in descending order of their payments; the payments of all before them; those above the mean.
static void ranks(const thrust::device_vector<uint32_t> &keys, const thrust::device_vector<uint64_t> &sum)
{
	const int n = (int)keys.size();
	thrust::device_vector<uint32_t> by(n), large(n);
	thrust::device_vector<uint64_t> sorted(n), total(n);
	thrust::device_vector<int> count(1);
	std::vector<uint32_t> h_keys = host(keys), want(n), want_large, place(n);
	std::vector<uint64_t> h_sum = host(sum), want_sum(n), want_total(n);
	std::iota(place.begin(), place.end(), 0);
	std::stable_sort(place.begin(), place.end(), [&](uint32_t a, uint32_t b) { return h_sum[a] > h_sum[b]; });
	for (int i = 0; i < n; ++i) {
		want[i] = h_keys[place[i]];
		want_sum[i] = h_sum[place[i]];
	}
	std::partial_sum(want_sum.begin(), want_sum.end(), want_total.begin());

	const uint64_t *s = thrust::raw_pointer_cast(sum.data());
	const uint32_t *k = thrust::raw_pointer_cast(keys.data());
	cub_call([&](void *at, size_t &bytes) { return cub::DeviceRadixSort::SortPairsDescending(at, bytes, s, raw(sorted), k, raw(by), n); });
	step("cub::DeviceRadixSort", host(sorted), want_sum);
	step("cub::DeviceRadixSort, values", host(by), want);
	cub_call([&](void *at, size_t &bytes) { return cub::DeviceScan::InclusiveSum(at, bytes, raw(sorted), raw(total), n); });
	step("cub::DeviceScan", host(total), want_total);

	const uint64_t mean = want_total.back() / n;
	for (int i = 0; i < n; ++i)
		if (h_sum[i] > mean)
			want_large.push_back((uint32_t)h_sum[i]);
	cub_call([&](void *at, size_t &bytes) { return cub::DeviceSelect::If(at, bytes, s, raw(large), raw(count), n, Large{ mean }); });
	large.resize(count[0]);
	step("cub::DeviceSelect", host(large), want_large);

	thrust::device_vector<uint32_t> result(n);
	std::vector<uint32_t> want_class;
	for (uint64_t x : h_sum)
		want_class.push_back(classify_one(x, mean));
	classify<<<(n + 255) / 256 < 64 ? (n + 255) / 256 : 64, 256>>>(n, s, mean, raw(result));
	CHECK(cudaGetLastError());
	step("a kernel", host(result), want_class);

	thrust::device_vector<int> bins(9);
	std::vector<int> want_bins(9);
	for (uint32_t x : want_class)
		want_bins[x]++;
	cub_call([&](void *at, size_t &bytes) { return cub::DeviceHistogram::HistogramEven(at, bytes, raw(result), raw(bins), 10, 0, 9, n); });
	step("cub::DeviceHistogram", host(bins), want_bins);

	thrust::sort(result.begin(), result.end());
	std::sort(want_class.begin(), want_class.end());
	step("thrust::sort", host(result), want_class);
	cub_call([&](void *at, size_t &bytes) { return cub::DeviceRunLengthEncode::Encode(at, bytes, raw(result), raw(large), raw(bins), raw(count), n); });
	bins.resize(count[0]);
	want_bins.erase(std::remove(want_bins.begin(), want_bins.end(), 0), want_bins.end());
	step("cub::DeviceRunLengthEncode", host(bins), want_bins);
}

// Days of the orders: distinct prices, the highest one, the number below each limit.
static void prices(Orders &o)
{
	thrust::device_vector<uint32_t> p = o.price;
	std::vector<uint32_t> want = o.h_price;
	thrust::sort(p.begin(), p.end(), [] __host__ __device__(uint32_t a, uint32_t b) { return a > b; });
	std::sort(want.rbegin(), want.rend());
	step("thrust::sort, comparison", host(p), want);
	p.erase(thrust::unique(p.begin(), p.end()), p.end());
	want.erase(std::unique(want.begin(), want.end()), want.end());
	step("thrust::unique", host(p), want);
	const std::vector<uint64_t> got = { (uint64_t)*thrust::max_element(o.price.begin(), o.price.end()),
		(uint64_t)thrust::count_if(o.price.begin(), o.price.end(), [] __host__ __device__(uint32_t x) { return x % 100 == 99; }),
		thrust::transform_reduce(o.price.begin(), o.price.end(), [] __host__ __device__(uint32_t x) { return (uint64_t)x * x; },
			UINT64_C(0), thrust::plus<uint64_t>()) };
	uint64_t squares = 0;
	for (uint32_t x : o.h_price)
		squares += (uint64_t)x * x;
	step("thrust::transform_reduce", got, std::vector<uint64_t>{ *std::max_element(o.h_price.begin(), o.h_price.end()),
		(uint64_t)std::count_if(o.h_price.begin(), o.h_price.end(), [](uint32_t x) { return x % 100 == 99; }), squares });
	const auto even = [] __host__ __device__(uint32_t x) { return x % 2 == 0; };
	thrust::stable_partition(p.begin(), p.end(), even);
	std::stable_partition(want.begin(), want.end(), even);
	step("thrust::stable_partition", host(p), want);
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 1 << 20;
	int devices = 0;
	if (n < 64 || n > 1 << 28 || argc > 2) {
		fprintf(stderr, "usage: orders [N], N from 64\n");
		return 2;
	}
	if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
		fprintf(stderr, "orders: no GPU\n");
		return 2;
	}
	Orders o;
	thrust::device_vector<uint32_t> keys;
	thrust::device_vector<uint64_t> sum;
	std::map<uint32_t, uint64_t> want;
	make(o, (uint32_t)n, (uint32_t)n / 16);
	sums(o, keys, sum, want);
	ranks(keys, sum);
	prices(o);
	printf("%s\n", wrong ? "WRONG" : "ok");
	return wrong != 0;
}
// SPDX-License-Identifier: MIT
