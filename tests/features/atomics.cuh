// SPDX-License-Identifier: MIT
#include <cuda/atomic>
