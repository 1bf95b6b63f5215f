// SPDX-License-Identifier: MIT
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
