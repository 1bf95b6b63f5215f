/* SPDX-License-Identifier: MIT */
/* Suffixes of the names of kernels that are kept beside others (transform/output/clone_kernels.h):
 * untransformed ones beside the transformed, or transformed ones beside the untransformed. */
#ifndef BASE_UNTOUCHED_H
#define BASE_UNTOUCHED_H

#define UNTOUCHED_SUFFIX "_ccc_off"
#define TRANSFORMED_SUFFIX "_ccc_on"

#endif
