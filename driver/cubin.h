/* SPDX-License-Identifier: MIT */
/* Compares machine code. */
#ifndef DRIVER_CUBIN_H
#define DRIVER_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether two cubins have the same code and data: the sections that a GPU runs or reads (.text,
 * .nv.constant, .nv.global, .nv.shared, .nv.info, .rel). Those that describe the source are not
 * compared, because with -lineinfo they contain the PTX's text and lines. If not, *section receives
 * the name of the first section that differs; NULL if a cubin cannot be read. */
bool cubins_are_equal(
	const char *a, size_t a_len, const char *b, size_t b_len, const char **section);
/* Returns the register limit (-maxrregcount) with which functions of a cubin were compiled: those
 * without launch bounds. 0 if none was, limits differ, or the cubin cannot be read. */
unsigned cubin_register_limit(const char *at, size_t len);
/* Whether every kernel of a cubin without launch bounds can be launched with the blocks with which
 * the kernel of this name in another cubin can. Kernels that only one of them has are ignored.
 * arch: 90 for sm_90. */
bool cubin_launches_as(
	const char *at, size_t len, const char *other, size_t other_len, unsigned arch);
/* Whether the bytes contain the code of each function of a cubin. */
bool cubin_code_is_in(const char *at, size_t len, const char *bytes, size_t n);

#endif
