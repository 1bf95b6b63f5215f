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
check_query(const void *to, CUdevice device)
{
	CUresult e = cu_outside();
	if (e == CUDA_ERROR_NOT_INITIALIZED)
		return e;
	return device ? CUDA_ERROR_INVALID_DEVICE : to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
return_number(int *to, int value, CUdevice device)
{
	CUresult e = check_query(to, device);
	if (!e)
		*to = value;
	return e;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) { return return_number(device, 0, ordinal); }
CUresult cuDeviceGetCount(int *count) { return return_number(count, 1, 0); }

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
	CUresult e = check_query(name, device);
	return e ? e : give_text(name, room, DEVICE_NAME);
}

CUresult
cuDeviceGetUuid_v2(CUuuid *id, CUdevice device)
{
	CUresult e = check_query(id, device);
	if (!e)
		memcpy(id->bytes, "ptxrun emulator ", sizeof id->bytes);
	return e;
}
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)

CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult e = check_query(bytes, device);
	if (!e)
		*bytes = MEMORY_BYTES;
	return e;
}

CUresult
cuDeviceGetAttribute(int *value, int attr, CUdevice device)
{
	CUresult e = check_query(value, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	bool known = device_attribute(rt, attr, value);
	return cu_leave(rt, known ? cudaSuccess : cudaErrorInvalidValue);
}

static int
value_of_attribute(int attr)
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
	CUresult e = check_query(p, device);
	if (e)
		return e;
	*p = (CUdevprop){ .maxThreadsPerBlock = value_of_attribute(1),
		.maxThreadsDim = { value_of_attribute(2), value_of_attribute(3),
			value_of_attribute(4) },
		.maxGridSize = { value_of_attribute(5), value_of_attribute(6),
			value_of_attribute(7) },
		.sharedMemPerBlock = value_of_attribute(8),
		.totalConstantMemory = value_of_attribute(9),
		.SIMDWidth = value_of_attribute(10),
		.memPitch = value_of_attribute(11),
		.regsPerBlock = value_of_attribute(12),
		.textureAlign = value_of_attribute(14) };
	return CUDA_SUCCESS;
}

CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	enum { MAJOR = 75, MINOR = 76 };
	CUresult e = return_number(major, value_of_attribute(MAJOR), device);
	return e ? e : return_number(minor, value_of_attribute(MINOR), device);
}

CUresult
cuDeviceGetPCIBusId(char *id, int room, CUdevice device)
{
	CUresult e = check_query(id, device);
	return e ? e : give_text(id, room, DEVICE_BUS_ID);
}

CUresult
cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	return id && !strcmp(id, DEVICE_BUS_ID) ? return_number(device, 0, 0) :
						  CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	return return_number(can, 0, device ? device : peer);
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
	return return_number(supported, 0, device);
}

CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
