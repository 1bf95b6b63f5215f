/* SPDX-License-Identifier: MIT */
/* Suffix of the names of untransformed kernels that are kept beside the transformed ones
 * (transform/output/clone_kernels.h). */
#ifndef BASE_UNTOUCHED_H
#define BASE_UNTOUCHED_H

#define UNTOUCHED_SUFFIX "_ccc_off"

#endif
