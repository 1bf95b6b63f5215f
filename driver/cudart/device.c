/* SPDX-License-Identifier: MIT */
/* The only device: selecting and querying it. */
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"
#include "driver/rt/settings.def"

#define GET_PROPERTIES cudaGetDeviceProperties
#define PROPERTIES cudaDeviceProp
#include "driver/cudart/properties.def"

RUNTIME(cudaDeviceGetAttribute, (to, attr, device), int *to, enum cudaDeviceAttr attr, int device)
{
	if (!to || device)
		return to ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	return device_attribute(rt, (int)attr, to) ? cudaSuccess : cudaErrorInvalidValue;
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

RUNTIME(cudaDeviceEnablePeerAccess, (peer, flags), int peer, unsigned flags)
{
	(void)peer, (void)flags;
	return cudaErrorInvalidDevice;
}

FORWARD(cudaError_t, cudaDeviceDisablePeerAccess, cudaDeviceEnablePeerAccess, (peer, 0), int peer)

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
