// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/utility>
inline void check(cudaError_t e, const char *what);
#define CHECK_LAUNCH(call) check(call, #call)
