// Thrust (and CUB under it) on the emulator, against the C++ library: one line per check, which ends with "ok" or "WRONG". nvcc takes
// half a minute to compile it: run.sh does so if LONG is set.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

static bool check(const char *what, bool ok)
{
	printf("%s %s\n", what, ok ? "ok" : "WRONG");
	return ok;
}

int main()
{
	std::vector<int> want(5000), got(want.size());
	unsigned x = 1;
	for (int &v : want)
		v = (int)((x = x * 1664525u + 1013904223u) >> 8);
	thrust::device_vector<int> d(want.begin(), want.end());
	bool ok = check("reduce", thrust::reduce(d.begin(), d.end(), 0LL) == std::accumulate(want.begin(), want.end(), 0LL));
	thrust::sort(d.begin(), d.end());
	std::sort(want.begin(), want.end());
	thrust::copy(d.begin(), d.end(), got.begin());
	ok = check("sort", got == want) && ok;
	thrust::inclusive_scan(d.begin(), d.end(), d.begin());
	std::partial_sum(want.begin(), want.end(), want.begin());
	thrust::copy(d.begin(), d.end(), got.begin());
	ok = check("scan", got == want) && ok;
	return !ok;
}
// SPDX-License-Identifier: MIT
