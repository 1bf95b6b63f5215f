/* SPDX-License-Identifier: MIT */
/* Arrays, textures and surfaces. An array is device memory in rows that start at multiples of
 * the pitch. Its layout is opaque to programs, so it can be copied as rows. */
#include "driver/rt/rt.h"

/* Sets the size of a channel, in bytes, and the number of channels. Returns false if a texture
 * cannot have this format. */
static bool
set_channels(cudaChannelFormatDesc d, Sim_texture *t)
{
	const int bits[] = { d.x, d.y, d.z, d.w };
	uint32_t n = 0;
	while (n < 4 && bits[n] && bits[n] == d.x)
		n++;
	for (uint32_t k = n; k < 4; k++)
		if (bits[k])
			return false;
	t->bytes = (uint8_t)(d.x / 8);
	t->channels = (uint8_t)n;
	t->channel = (Sim_channel)d.f;
	return (n == 1 || n == 2 || n == 4) && d.f <= cudaChannelFormatKindFloat &&
		(d.x == 8 || d.x == 16 || d.x == 32) &&
		!(d.f == cudaChannelFormatKindFloat && d.x == 8);
}

/* Returns the size of an element in bytes; 0 if the format is invalid. */
static size_t
array_element(cudaChannelFormatDesc d)
{
	Sim_texture t = { 0 };
	return set_channels(d, &t) ? (size_t)t.bytes * t.channels : 0;
}

cudaError_t
array_new(Runtime *rt, Array **to, Array is)
{
	const size_t most = UINT32_MAX;
	size_t height = is.height ? is.height : 1, depth = is.depth ? is.depth : 1;
	if (!to)
		return cudaErrorInvalidValue;
	*to = NULL;
	is.element = array_element(is.desc);
	if (is.flags & ~(unsigned)(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_GATHER)) {
		rt_say("arrays for cube maps, and those without all their memory, are not supported by "
		       "the emulator");
		return cudaErrorNotSupported;
	}
	if (!is.element || !is.width || is.width > most || height > most || depth > most)
		return cudaErrorInvalidValue;
	const size_t size[] = { is.width * is.element, height * depth };
	cudaError_t e = memory_new_rows(rt, &is.at, &is.pitch, size, "array");
	if (e)
		return e;
	is.slice = is.pitch * height;
	*to = xmalloc(sizeof **to);
	**to = is;
	return cudaSuccess;
}

cudaError_t
array_free(Runtime *rt, Array *a)
{
	cudaError_t e = a ? memory_free(rt, a->at) : cudaSuccess;
	xfree(a);
	return e;
}

Copy_place
array_place(const Array *a, size_t x, size_t y, size_t z)
{
	return (Copy_place){ (char *)a->at + z * a->slice + y * a->pitch + x, a->pitch, a->slice };
}

/* ---- objects --------------------------------------------------------------------------------- */

void
texture_of_array(Sim_texture *t, const Array *a)
{
	(void)set_channels(a->desc, t);
	t->at = (uint64_t)(uintptr_t)a->at;
	t->pitch = a->pitch;
	t->slice = a->slice;
	t->size[0] = (uint32_t)a->width;
	t->size[1] = (uint32_t)a->height;
	t->size[2] = (uint32_t)a->depth;
}

cudaError_t
texture_of_memory(Sim_texture *t, Rows_of r)
{
	if (!set_channels(r.desc, t) || !r.at)
		return cudaErrorInvalidValue;
	size_t element = (size_t)t->bytes * t->channels;
	t->at = (uint64_t)(uintptr_t)r.at;
	t->pitch = r.pitch;
	t->size[0] = (uint32_t)(r.bytes ? r.bytes / element : r.width);
	t->size[1] = (uint32_t)r.height;
	for (uint32_t k = 0; r.bytes && k < 3; k++)
		t->edge[k] = SIM_BORDER; /* reads beyond the memory return 0 */
	return cudaSuccess;
}

cudaError_t
texture_new(Runtime *rt, const Sim_texture *t, unsigned long long *to)
{
	if (!to)
		return cudaErrorInvalidValue;
	*to = sim_texture(rt->memory, t);
	return cudaSuccess;
}

cudaError_t
texture_free(Runtime *rt, unsigned long long object)
{
	bool was = !object || sim_texture_free(rt->memory, object);
	return was ? cudaSuccess : cudaErrorInvalidValue;
}
