/* SPDX-License-Identifier: MIT */
/* The only device. */
#include <string.h>
#include "driver/libcuda/cu.h"

typedef struct {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock,
		totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

/* Checks the arguments of a query about this device. */
static cudaError_t
check_query(const void *to, CUdevice device)
{
	return device ? cudaErrorInvalidDevice : to ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t
return_number(int *to, int value, CUdevice device)
{
	cudaError_t e = check_query(to, device);
	if (!e)
		*to = value;
	return e;
}

static cudaError_t
give_text(char *to, int room, CUdevice device, const char *text)
{
	cudaError_t e = check_query(room < 1 ? NULL : to, device);
	if (e)
		return e;
	*to = 0;
	strncat(to, text, (size_t)room - 1);
	return cudaSuccess;
}

DRIVER_READY(cuDeviceGet, (device, ordinal), CUdevice *device, int ordinal)
{
	return return_number(device, 0, ordinal);
}

DRIVER_READY(cuDeviceGetCount, (count), int *count)
{
	return return_number(count, 1, 0);
}

DRIVER_READY(cuDeviceGetName, (name, room, device), char *name, int room, CUdevice device)
{
	return give_text(name, room, device, DEVICE_NAME);
}

DRIVER_READY(cuDeviceGetUuid_v2, (id, device), CUuuid *id, CUdevice device)
{
	cudaError_t e = check_query(id, device);
	if (!e)
		memcpy(id->bytes, "ptxrun emulator ", sizeof id->bytes);
	return e;
}
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)

DRIVER_READY(cuDeviceTotalMem_v2, (bytes, device), size_t *bytes, CUdevice device)
{
	cudaError_t e = check_query(bytes, device);
	if (!e)
		*bytes = MEMORY_BYTES;
	return e;
}

DRIVER_READY(cuDeviceGetAttribute, (value, attr, device), int *value, int attr, CUdevice device)
{
	cudaError_t e = check_query(value, device);
	if (e)
		return e;
	bool known = device_attribute(rt, attr, value);
	return rt->sticky ? rt->sticky : known ? cudaSuccess : cudaErrorInvalidValue;
}

static int
value_of_attribute(const Runtime *rt, int attr)
{
	int value;
	device_attribute(rt, attr, &value);
	return value;
}

DRIVER_READY(cuDeviceGetProperties, (p, device), CUdevprop *p, CUdevice device)
{
	cudaError_t e = check_query(p, device);
	if (e)
		return e;
	*p = (CUdevprop){ .maxThreadsPerBlock = value_of_attribute(rt, 1),
		.maxThreadsDim = { value_of_attribute(rt, 2), value_of_attribute(rt, 3),
			value_of_attribute(rt, 4) },
		.maxGridSize = { value_of_attribute(rt, 5), value_of_attribute(rt, 6),
			value_of_attribute(rt, 7) },
		.sharedMemPerBlock = value_of_attribute(rt, 8),
		.totalConstantMemory = value_of_attribute(rt, 9),
		.SIMDWidth = value_of_attribute(rt, 10),
		.memPitch = value_of_attribute(rt, 11),
		.regsPerBlock = value_of_attribute(rt, 12),
		.textureAlign = value_of_attribute(rt, 14) };
	return cudaSuccess;
}

DRIVER_READY(cuDeviceComputeCapability, (major, minor, device), int *major, int *minor,
	CUdevice device)
{
	enum { MAJOR = 75, MINOR = 76 };
	cudaError_t e = return_number(major, value_of_attribute(rt, MAJOR), device);
	return e ? e : return_number(minor, value_of_attribute(rt, MINOR), device);
}

DRIVER_READY(cuDeviceGetPCIBusId, (id, room, device), char *id, int room, CUdevice device)
{
	return give_text(id, room, device, DEVICE_BUS_ID);
}

DRIVER_READY(cuDeviceGetByPCIBusId, (device, id), CUdevice *device, const char *id)
{
	return id && !strcmp(id, DEVICE_BUS_ID) ? return_number(device, 0, 0) :
						  cudaErrorInvalidValue;
}

DRIVER_READY(cuDeviceCanAccessPeer, (can, device, peer), int *can, CUdevice device, CUdevice peer)
{
	return return_number(can, 0, device ? device : peer);
}

/* There is no second device. */
DRIVER_READY(cuDeviceGetP2PAttribute, (value, attr, from, to), int *value, int attr, CUdevice from,
	CUdevice to)
{
	(void)value, (void)attr, (void)from, (void)to;
	return cudaErrorInvalidDevice;
}

DRIVER_READY(cuDeviceGetExecAffinitySupport, (supported, type, device), int *supported, int type,
	CUdevice device)
{
	(void)type;
	return return_number(supported, 0, device);
}

API CUresult cuProfilerStart(void);
API CUresult cuProfilerStop(void);
CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
