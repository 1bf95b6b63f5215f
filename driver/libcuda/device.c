/* SPDX-License-Identifier: MIT */
/* The only device. */
#include <string.h>
#include "driver/libcuda/cu.h"

typedef struct {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock,
		totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

API CUresult cuDeviceGet(CUdevice *device, int ordinal);
API CUresult cuDeviceGetCount(int *count);
API CUresult cuDeviceGetName(char *name, int room, CUdevice device);
API CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice device);
API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
API CUresult cuDeviceGetAttribute(int *value, int attr, CUdevice device);
API CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device);
API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
API CUresult cuDeviceGetPCIBusId(char *id, int room, CUdevice device);
API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id);
API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
API CUresult cuDeviceGetP2PAttribute(int *value, int attr, CUdevice from, CUdevice to);
API CUresult cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device);
API CUresult cuProfilerStart(void);
API CUresult cuProfilerStop(void);

/* Checks the arguments of a query about this device. */
static CUresult
asked(const void *to, CUdevice device)
{
	CUresult e = cu_outside();
	if (e == CUDA_ERROR_NOT_INITIALIZED)
		return e;
	return device ? CUDA_ERROR_INVALID_DEVICE : to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
give(int *to, int value, CUdevice device)
{
	CUresult e = asked(to, device);
	if (!e)
		*to = value;
	return e;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) { return give(device, 0, ordinal); }
CUresult cuDeviceGetCount(int *count) { return give(count, 1, 0); }

static CUresult
give_text(char *to, int room, const char *text)
{
	if (room < 1)
		return CUDA_ERROR_INVALID_VALUE;
	*to = 0;
	strncat(to, text, (size_t)room - 1);
	return CUDA_SUCCESS;
}

CUresult
cuDeviceGetName(char *name, int room, CUdevice device)
{
	CUresult e = asked(name, device);
	return e ? e : give_text(name, room, DEVICE_NAME);
}

CUresult
cuDeviceGetUuid_v2(CUuuid *id, CUdevice device)
{
	CUresult e = asked(id, device);
	if (!e)
		memcpy(id->bytes, "ptxrun emulator ", sizeof id->bytes);
	return e;
}
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)

CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult e = asked(bytes, device);
	if (!e)
		*bytes = MEMORY_BYTES;
	return e;
}

CUresult
cuDeviceGetAttribute(int *value, int attr, CUdevice device)
{
	CUresult e = asked(value, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	bool known = device_attribute(rt, attr, value);
	return cu_leave(rt, known ? cudaSuccess : cudaErrorInvalidValue);
}

static int
attribute(int attr)
{
	Runtime *rt = rt_enter();
	int value;
	device_attribute(rt, attr, &value);
	(void)rt_unlock(rt, cudaSuccess);
	return value;
}

CUresult
cuDeviceGetProperties(CUdevprop *p, CUdevice device)
{
	CUresult e = asked(p, device);
	if (e)
		return e;
	*p = (CUdevprop){ .maxThreadsPerBlock = attribute(1),
		.maxThreadsDim = { attribute(2), attribute(3), attribute(4) },
		.maxGridSize = { attribute(5), attribute(6), attribute(7) },
		.sharedMemPerBlock = attribute(8),
		.totalConstantMemory = attribute(9),
		.SIMDWidth = attribute(10),
		.memPitch = attribute(11),
		.regsPerBlock = attribute(12),
		.textureAlign = attribute(14) };
	return CUDA_SUCCESS;
}

CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	enum { MAJOR = 75, MINOR = 76 };
	CUresult e = give(major, attribute(MAJOR), device);
	return e ? e : give(minor, attribute(MINOR), device);
}

CUresult
cuDeviceGetPCIBusId(char *id, int room, CUdevice device)
{
	CUresult e = asked(id, device);
	return e ? e : give_text(id, room, DEVICE_BUS_ID);
}

CUresult
cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	return id && !strcmp(id, DEVICE_BUS_ID) ? give(device, 0, 0) : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	return give(can, 0, device ? device : peer);
}

CUresult
cuDeviceGetP2PAttribute(int *value, int attr, CUdevice from, CUdevice to)
{
	(void)value, (void)attr, (void)from, (void)to;
	return CUDA_ERROR_INVALID_DEVICE; /* there is no second device */
}

CUresult
cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device)
{
	(void)type;
	return give(supported, 0, device);
}

CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
