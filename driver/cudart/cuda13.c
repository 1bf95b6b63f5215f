/* SPDX-License-Identifier: MIT */
/* What CUDA 13's runtime has otherwise than CUDA 12's. */
#include "driver/cudart/cudart.h"

const int rt_version = CUDART_VERSION;
