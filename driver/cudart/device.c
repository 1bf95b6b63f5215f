/* SPDX-License-Identifier: MIT */
/* The only device: selecting and querying it. */
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"

#define GET_PROPERTIES cudaGetDeviceProperties
#define PROPERTIES cudaDeviceProp
#include "driver/cudart/properties.def"

API cudaError_t
cudaDeviceGetAttribute(int *to, enum cudaDeviceAttr attr, int device)
{
	Runtime *rt = rt_enter();
	if (!to || device)
		return rt_leave(rt, to ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	return rt_leave(rt,
		device_attribute(rt, (int)attr, to) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static cudaError_t
return_number(int *to, int value)
{
	if (to)
		*to = value;
	return rt_leave(rt_enter(), to ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t
check_device(int device)
{
	return rt_leave(rt_enter(), device ? cudaErrorInvalidDevice : cudaSuccess);
}

API cudaError_t cudaGetDeviceCount(int *count) { return return_number(count, 1); }
API cudaError_t cudaGetDevice(int *device) { return return_number(device, 0); }
API cudaError_t cudaSetDevice(int device) { return check_device(device); }
API cudaError_t
cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	(void)device_flags, (void)flags;
	return check_device(device);
}
API cudaError_t
cudaSetValidDevices(int *devices, int n)
{
	(void)devices, (void)n;
	return check_device(0);
}
API cudaError_t
cudaChooseDevice(int *device, const cudaDeviceProp *p)
{
	(void)p;
	return return_number(device, 0);
}
API cudaError_t cudaGetDeviceFlags(unsigned *flags) { return return_number((int *)flags, 0); }
API cudaError_t cudaSetDeviceFlags(unsigned flags) { (void)flags; return check_device(0); }
API cudaError_t cudaDeviceGetCacheConfig(int *config) { return return_number(config, 0); }
API cudaError_t cudaDeviceSetCacheConfig(int config) { (void)config; return check_device(0); }
API cudaError_t cudaDeviceGetSharedMemConfig(int *config) { return return_number(config, 1); }
API cudaError_t cudaDeviceSetSharedMemConfig(int config) { (void)config; return check_device(0); }
API cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	(void)device, (void)peer;
	return return_number(can, 0);
}
API cudaError_t cudaRuntimeGetVersion(int *version) { return return_number(version, rt_version); }
API cudaError_t
cudaDriverGetVersion(int *version)
{
	return return_number(version, CUDART_VERSION);
}
API cudaError_t cudaProfilerStart(void) { return check_device(0); }
API cudaError_t cudaProfilerStop(void) { return check_device(0); }
API cudaError_t
cudaDeviceSynchronize(void)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, capture_forbids(rt, NULL));
}

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

static const char bus_id[] = DEVICE_BUS_ID;

API cudaError_t
cudaDeviceGetPCIBusId(char *id, int n, int device)
{
	if (!id || n < (int)sizeof bus_id || device)
		return rt_leave(
			rt_enter(), device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	memcpy(id, bus_id, sizeof bus_id);
	return check_device(0);
}

API cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	return id && !strcmp(id, bus_id) ? return_number(device, 0) :
					   rt_leave(rt_enter(), cudaErrorInvalidValue);
}

/* Memory is kept: host code may still hold pointers into it. */
API cudaError_t
cudaDeviceReset(void)
{
	Runtime *rt = rt_enter();
	rt->sticky = cudaSuccess;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	Runtime *rt = rt_enter();
	const size_t *is = device_limit((int)limit);
	if (!value || !is)
		return rt_leave(rt, value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
	*value = *is;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	Runtime *rt = rt_enter();
	size_t *is = device_limit((int)limit);
	if (!is)
		return rt_leave(rt, cudaErrorUnsupportedLimit);
	*is = value;
	return rt_leave(rt, cudaSuccess);
}
