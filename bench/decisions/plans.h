// SPDX-License-Identifier: MIT
// Shared by the programs of bench/decisions: unseen.h, annotations that are selected by number,
// and the size of a launch. In a program built with -DPLAN=N, PLANS(...) expands to
// `#pragma ccc` and its N-th argument, counted from 0. It is empty if that argument is empty or
// absent, and if PLAN is not defined.
#ifndef PLANS_H
#define PLANS_H

#include "../unseen/unseen.h"

#define PLANS(...) PLAN_NTH(__VA_ARGS__, , , , , )
#define PLAN_PRAGMA(x) _Pragma(#x)
#define PLAN_ANNOTATE(...) __VA_OPT__(PLAN_PRAGMA(ccc __VA_ARGS__))
#ifndef PLAN
#define PLAN_NTH(...)
#elif PLAN == 0
#define PLAN_NTH(a, ...) PLAN_ANNOTATE(a)
#elif PLAN == 1
#define PLAN_NTH(a, b, ...) PLAN_ANNOTATE(b)
#elif PLAN == 2
#define PLAN_NTH(a, b, c, ...) PLAN_ANNOTATE(c)
#elif PLAN == 3
#define PLAN_NTH(a, b, c, d, ...) PLAN_ANNOTATE(d)
#elif PLAN == 4
#define PLAN_NTH(a, b, c, d, e, ...) PLAN_ANNOTATE(e)
#endif

// Blocks of a loop over n items: 2048 threads a multiprocessor, each with 8 items or more.
inline int
loop_blocks(int n, int threads)
{
	int sms;
	CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	return std::max(1, std::min(sms * (2048 / threads), n / (threads * 8)));
}

#endif
