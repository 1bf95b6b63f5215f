// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/std/utility>
