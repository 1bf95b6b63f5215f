/* SPDX-License-Identifier: MIT */
/* The one device: what it has (device.def), and the calls that choose or ask. */
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". A newer
 * architecture takes the last row that is not above it. */
/* arch, threads, blocks, shared memory, of which reserved a block */
static const Limits limits[] = { { 50, 2048, 32, 64, 16 }, { 70, 2048, 32, 96, 0 },
	{ 75, 1024, 16, 64, 0 }, { 80, 2048, 32, 164, 1 }, { 86, 1536, 16, 100, 1 },
	{ 87, 1536, 16, 164, 1 }, { 89, 1536, 24, 100, 1 }, { 90, 2048, 32, 228, 1 },
	{ 120, 1536, 24, 100, 1 } };

Limits
device_limits(uint32_t arch)
{
	Limits best = limits[0];
	for (size_t i = 1; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].arch <= arch)
			best = limits[i];
	best.arch = arch;
	return best;
}

#define GET_PROPERTIES cudaGetDeviceProperties
#define PROPERTIES cudaDeviceProp
#include "driver/cudart/properties.def"

API cudaError_t
cudaDeviceGetAttribute(int *to, enum cudaDeviceAttr attr, int device)
{
	Runtime *rt = rt_enter();
	if (!to || device)
		return rt_leave(rt, to ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	const Limits l = device_limits(rt->arch), *a = &l;
	int sms = rt->sms;
	switch ((int)attr) {
#define DEVICE(number, field, value) case number: *to = (int)(value); break;
#include "driver/cudart/device.def"
#undef DEVICE
	default: *to = 0; break;
	}
	return rt_leave(rt, attr > 0 && (int)attr < 150 ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static cudaError_t
give(int *to, int value)
{
	if (to)
		*to = value;
	return rt_leave(rt_enter(), to ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t
first(int device)
{
	return rt_leave(rt_enter(), device ? cudaErrorInvalidDevice : cudaSuccess);
}

API cudaError_t cudaGetDeviceCount(int *count) { return give(count, 1); }
API cudaError_t cudaGetDevice(int *device) { return give(device, 0); }
API cudaError_t cudaSetDevice(int device) { return first(device); }
API cudaError_t
cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	(void)device_flags, (void)flags;
	return first(device);
}
API cudaError_t
cudaSetValidDevices(int *devices, int n)
{
	(void)devices, (void)n;
	return first(0);
}
API cudaError_t
cudaChooseDevice(int *device, const cudaDeviceProp *p)
{
	(void)p;
	return give(device, 0);
}
API cudaError_t cudaGetDeviceFlags(unsigned *flags) { return give((int *)flags, 0); }
API cudaError_t cudaSetDeviceFlags(unsigned flags) { (void)flags; return first(0); }
API cudaError_t cudaDeviceGetCacheConfig(int *config) { return give(config, 0); }
API cudaError_t cudaDeviceSetCacheConfig(int config) { (void)config; return first(0); }
API cudaError_t cudaDeviceGetSharedMemConfig(int *config) { return give(config, 1); }
API cudaError_t cudaDeviceSetSharedMemConfig(int config) { (void)config; return first(0); }
API cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	(void)device, (void)peer;
	return give(can, 0);
}
API cudaError_t cudaRuntimeGetVersion(int *version) { return give(version, rt_version); }
API cudaError_t cudaDriverGetVersion(int *version) { return give(version, CUDART_VERSION); }
API cudaError_t cudaProfilerStart(void) { return first(0); }
API cudaError_t cudaProfilerStop(void) { return first(0); }
API cudaError_t cudaDeviceSynchronize(void) { return first(0); }

API cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer, (void)flags;
	return rt_leave(rt_enter(), cudaErrorInvalidDevice);
}

API cudaError_t
cudaDeviceDisablePeerAccess(int peer)
{
	return cudaDeviceEnablePeerAccess(peer, 0);
}

static const char bus_id[] = "0000:00:00.0";

API cudaError_t
cudaDeviceGetPCIBusId(char *id, int n, int device)
{
	if (!id || n < (int)sizeof bus_id || device)
		return rt_leave(
			rt_enter(), device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	memcpy(id, bus_id, sizeof bus_id);
	return first(0);
}

API cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	return id && !strcmp(id, bus_id) ? give(device, 0) :
					   rt_leave(rt_enter(), cudaErrorInvalidValue);
}

/* Memory stays as it is: pointers into it would dangle. */
API cudaError_t
cudaDeviceReset(void)
{
	Runtime *rt = rt_enter();
	rt->sticky = cudaSuccess;
	return rt_leave(rt, cudaSuccess);
}

/* ---- limits: kept, and without effect -------------------------------------------------------- */

enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };
/* under the lock */
static size_t limit_values[LIMITS] = { 1024, 1 << 20, 8 << 20, 2, 2048, 128, 0 };

API cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	Runtime *rt = rt_enter();
	if (!value || (unsigned)limit >= LIMITS)
		return rt_leave(rt, value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
	*value = limit_values[limit];
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	Runtime *rt = rt_enter();
	if ((unsigned)limit >= LIMITS)
		return rt_leave(rt, cudaErrorUnsupportedLimit);
	limit_values[limit] = value;
	return rt_leave(rt, cudaSuccess);
}
