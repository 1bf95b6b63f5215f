/* SPDX-License-Identifier: MIT */
/* Allocation. Device addresses are valid only in kernels: a host that accesses one crashes, as
 * with a GPU. Managed, page-locked and registered memory is host memory, with the same address
 * on both sides (simt.h, sim_map). */
#include <stdlib.h>
#include <string.h>
#include "driver/rt/rt.h"

enum { PITCH = 512, HOST_ALIGN = 4096 };

bool memory_device(const void *p) { return sim_only_buffer((uint64_t)(uintptr_t)p); }

Host_memory *
memory_host(const Runtime *rt, const void *p)
{
	for (uint32_t i = 0; i < rt->host.n; i++) {
		Host_memory *h = &rt->host.at[i];
		if ((const char *)p >= (const char *)h->at &&
			(size_t)((const char *)p - (const char *)h->at) < h->n)
			return h;
	}
	return NULL;
}

/* ---- device memory --------------------------------------------------------------------------- */

/* Makes the name of the memory in messages, "cudaMalloc number 3". Never freed, because the
 * emulator also keeps the names of freed memory. */
static const char *
allocation_label(Runtime *rt, const char *call)
{
	Buf name = {0};
	buf_printf(&name, "%s number %u", call, ++rt->allocations);
	return name.at;
}

cudaError_t
memory_new(Runtime *rt, void **p, size_t n, const char *call)
{
	if (!p)
		return cudaErrorInvalidValue;
	*p = NULL;
	if (n > MEMORY_BYTES - rt->used)
		return cudaErrorMemoryAllocation;
	if (n)
		*p = (void *)(uintptr_t)sim_alloc_unwritten(
			rt->memory, n, allocation_label(rt, call));
	if (n && !*p)
		return cudaErrorMemoryAllocation;
	rt->used += n;
	return cudaSuccess;
}

static size_t round_up(size_t n) { return (n + PITCH - 1) / PITCH * PITCH; }

cudaError_t
memory_new_rows(Runtime *rt, void **p, size_t *pitch, const size_t size[2], const char *call)
{
	size_t width = size[0], height = size[1];
	if (!pitch || width > MEMORY_BYTES || height > MEMORY_BYTES / (round_up(width) + 1))
		return pitch ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
	*pitch = round_up(width);
	return memory_new(rt, p, *pitch * height, call);
}

/* ---- the host's ------------------------------------------------------------------------------ */

static cudaError_t
host_add(Runtime *rt, Host_memory h, const char *call)
{
	*vec_push(&rt->host) = h;
	sim_map(rt->memory, h.at, h.n, allocation_label(rt, call));
	return cudaSuccess;
}

cudaError_t
memory_new_host(Runtime *rt, void **p, Host_memory h, const char *call)
{
	if (!p)
		return cudaErrorInvalidValue;
	*p = NULL;
	if (!h.n)
		return h.type == cudaMemoryTypeManaged ? cudaErrorInvalidValue : cudaSuccess;
	if (h.n > MEMORY_BYTES)
		return cudaErrorMemoryAllocation;
	h.at = aligned_alloc(HOST_ALIGN, (h.n + HOST_ALIGN - 1) / HOST_ALIGN * HOST_ALIGN);
	if (!h.at)
		return cudaErrorMemoryAllocation;
	memset(h.at, 0, h.n);
	*p = h.at;
	return host_add(rt, h, call);
}

cudaError_t
memory_register(Runtime *rt, void *p, size_t n, unsigned flags)
{
	if (!p || !n || memory_device(p))
		return cudaErrorInvalidValue;
	if (memory_host(rt, p) || memory_host(rt, (char *)p + n - 1))
		return cudaErrorHostMemoryAlreadyRegistered;
	Host_memory h = { p, n, cudaMemoryTypeHost, true, flags };
	return host_add(rt, h, "cudaHostRegister");
}

/* Removes the memory that starts at p if it is of that kind. */
static bool
host_remove(Runtime *rt, void *p, enum cudaMemoryType type, bool registered)
{
	Host_memory *h = memory_host(rt, p);
	if (!h || h->at != p || h->type != type || h->registered != registered)
		return false;
	sim_unmap(rt->memory, (uint64_t)(uintptr_t)p);
	if (!registered)
		free(p);
	*h = *vec_pop(&rt->host);
	return true;
}

cudaError_t
memory_unregister(Runtime *rt, void *p)
{
	bool was = host_remove(rt, p, cudaMemoryTypeHost, true);
	return was ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

cudaError_t
memory_free_host(Runtime *rt, void *p)
{
	bool was = !p || host_remove(rt, p, cudaMemoryTypeHost, false);
	return was ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
memory_free(Runtime *rt, void *p)
{
	uint64_t at = (uint64_t)(uintptr_t)p, start;
	if (!p || host_remove(rt, p, cudaMemoryTypeManaged, false))
		return cudaSuccess;
	size_t n = memory_device(p) ? sim_buffer(rt->memory, at, &start) : 0;
	if (!n || !sim_release(rt->memory, at))
		return cudaErrorInvalidValue;
	rt->used -= n;
	return cudaSuccess;
}

enum cudaMemoryType
memory_of(Runtime *rt, const void *p, void **start, size_t *n)
{
	const Host_memory *h = memory_host(rt, p);
	uint64_t at = (uint64_t)(uintptr_t)p, first = at;
	size_t behind = h ? 0 : sim_buffer(rt->memory, at, &first);
	*start = h ? h->at : (void *)(uintptr_t)first;
	*n = h ? h->n : behind ? (size_t)(at - first) + behind : 0;
	if (h || !behind)
		return h ? h->type : cudaMemoryTypeUnregistered;
	/* managed: a __managed__ variable */
	return memory_device(p) ? cudaMemoryTypeDevice : cudaMemoryTypeManaged;
}
