/* SPDX-License-Identifier: MIT */
/* What kernels are called that stand beside transformed ones as they were
 * (transform/output/clone_kernels.h). */
#ifndef BASE_UNTOUCHED_H
#define BASE_UNTOUCHED_H

#define UNTOUCHED_SUFFIX "_ccc_off"

#endif
