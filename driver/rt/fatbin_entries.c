/* SPDX-License-Identifier: MIT */
/* The entries of a fat binary: device code for several architectures.
 *
 * A container has a header of 16 bytes { magic, version, size of the header, size of the rest },
 * then entries, each with its own header. The layout of entries is undocumented. These fields are
 * used, which nvcc 11 to 13 write:
 *
 *	 0 u16 kind: 1 PTX, 2 ELF        28 u32 architecture: 90
 *	 4 u32 size of this header       40 u64 flags: 0x2000 LZ4, 0x8000 Zstandard
 *	 8 u64 size of the contents      56 u64 size when decompressed
 *	16 u32 size when compressed
 */
#include <string.h>
#include "driver/rt/fatbin.h"

enum { CONTAINER_HEADER = 16 };

static uint64_t
read_little_endian(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, p, n); /* hosts of CUDA programs are little-endian */
	return v;
}

const uint8_t *
fatbin_open(const uint8_t *p, size_t room, const uint8_t **end)
{
	if (room < CONTAINER_HEADER || read_little_endian(p, 4) != FATBIN_MAGIC)
		return NULL;
	uint64_t header = read_little_endian(p + 6, 2), size = read_little_endian(p + 8, 8);
	if (header < CONTAINER_HEADER || header > room || size > room - header)
		return NULL;
	*end = p + header + size;
	return p + header;
}

bool
fatbin_next(const uint8_t **at, const uint8_t *end, Fatbin_entry *e)
{
	const uint8_t *p = *at;

	if (end - p < 64)
		return false;
	uint64_t header = read_little_endian(p + 4, 4), size = read_little_endian(p + 8, 8);
	if (header < 24 || header > (uint64_t)(end - p) || size > (uint64_t)(end - p) - header)
		return false;
	*e = (Fatbin_entry){ .kind = (uint32_t)read_little_endian(p, 2),
		.arch = (uint32_t)read_little_endian(p + 28, 4) };
	e->at = p + header;
	e->bytes = e->plain = size;
	if (header >= 64) {
		e->flags = read_little_endian(p + 40, 8);
		if (e->flags & (FATBIN_LZ4 | FATBIN_ZSTD)) {
			e->bytes = read_little_endian(p + 16, 4);
			e->plain = read_little_endian(p + 56, 8);
		}
	}
	*at = p + header + size;
	return e->bytes <= size;
}
