/* SPDX-License-Identifier: MIT */
/* Copies and sets. Every copy consists of rows of bytes, possibly one. Both ends are checked
 * completely before any byte is copied. */
#include <string.h>
#include "driver/rt/rt.h"

/* Returns the distance from the first byte to the end of the last one. */
static size_t
box_extent(Copy_place p, Copy_extent b)
{
	return b.width && b.height && b.depth ?
		(b.depth - 1) * p.slice + (b.height - 1) * p.pitch + b.width :
		0;
}

/* Returns the host address of one end. device: the caller has declared it to be on the device. */
static uint8_t *
resolve_place(Runtime *rt, Copy_place p, Copy_extent b, bool device)
{
	uint64_t at = (uint64_t)(uintptr_t)p.at, start;
	uint8_t *bytes = sim_bytes(rt->memory, at, box_extent(p, b));
	if (bytes)
		return bytes;
	return device || memory_device(p.at) || sim_buffer(rt->memory, at, &start) ? NULL : p.at;
}

/* Marks the written bytes as initialised. */
static void
mark_written(Runtime *rt, Copy_place p, Copy_extent b)
{
	for (size_t z = 0; z < b.depth; z++)
		for (size_t y = 0; y < b.height; y++)
			sim_written(rt->memory,
				(uint64_t)(uintptr_t)p.at + z * p.slice + y * p.pitch, b.width);
}

cudaError_t
copy_box(Runtime *rt, Copy_place to, Copy_place from, Copy_extent b, enum cudaMemcpyKind kind)
{
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (b.height > 1 && (b.width > to.pitch || b.width > from.pitch))
		return cudaErrorInvalidPitchValue;
	bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	if (!box_extent(to, b))
		return cudaSuccess;
	uint8_t *d = resolve_place(rt, to, b, to_device);
	const uint8_t *s = resolve_place(rt, from, b, from_device);
	if (!d || !s || (!to_device && kind != cudaMemcpyDefault && memory_device(to.at)) ||
		(!from_device && kind != cudaMemcpyDefault && memory_device(from.at)))
		return cudaErrorInvalidValue;
	for (size_t z = 0; z < b.depth; z++)
		for (size_t y = 0; y < b.height; y++)
			memmove(d + z * to.slice + y * to.pitch,
				s + z * from.slice + y * from.pitch, b.width);
	mark_written(rt, to, b);
	return cudaSuccess;
}

/* Fills a row of n bytes with items, as many whole ones as fit. */
static void
fill_row(uint8_t *to, size_t n, Fill item)
{
	for (size_t k = 0; item.bytes > 1 && k < n; k += item.bytes)
		memcpy(to + k, &item.value, item.bytes);
	if (item.bytes == 1)
		memset(to, (int)item.value, n);
}

cudaError_t
copy_set(Runtime *rt, Copy_place to, Copy_extent b, Fill item)
{
	if (b.height > 1 && b.width > to.pitch)
		return cudaErrorInvalidPitchValue;
	uint8_t *d = box_extent(to, b) ? resolve_place(rt, to, b, true) : NULL;
	if (!d || (uintptr_t)to.at % item.bytes)
		return d || box_extent(to, b) ? cudaErrorInvalidValue : cudaSuccess;
	for (size_t z = 0; z < b.depth; z++)
		for (size_t y = 0; y < b.height; y++)
			fill_row(d + z * to.slice + y * to.pitch, b.width, item);
	mark_written(rt, to, b);
	return cudaSuccess;
}
