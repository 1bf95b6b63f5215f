/* SPDX-License-Identifier: MIT */
/* Linking of PTX. The result is PTX, too: one text, which is loaded like any other. */
#include <string.h>
#include "driver/libcuda/cu.h"

typedef Link *CUlinkState;
enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY };

API CUresult cuLinkAddFile_v2(
	CUlinkState to, int type, const char *file, unsigned n, int *options, void **values);

DRIVER(cuLinkCreate_v2, (n, options, values, to), unsigned n, int *options, void **values,
	CUlinkState *to)
{
	(void)n, (void)options, (void)values;
	if (!to)
		return cudaErrorInvalidValue;
	*to = link_new();
	return cudaSuccess;
}
ALSO(cuLinkCreate_v2, cuLinkCreate)

DRIVER_ANYWHERE(cuLinkAddData_v2, (to, type, data, bytes, name, n, options, values), CUlinkState to,
	int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
	void **values)
{
	(void)n, (void)options, (void)values;
	if (!to || !data)
		return cudaErrorInvalidValue;
	if (type != INPUT_PTX && type != INPUT_FATBINARY) {
		rt_say("'%s' is to be linked, and is no PTX: the emulator cannot link machine code",
			name ? name : "data");
		return cudaErrorNoKernelImageForDevice;
	}
	return link_add(rt, to, data, bytes);
}
ALSO(cuLinkAddData_v2, cuLinkAddData)

CUresult
cuLinkAddFile_v2(
	CUlinkState to, int type, const char *file, unsigned n, int *options, void **values)
{
	const char *why;
	Source src = {0};
	if (!file)
		return CUDA_ERROR_INVALID_VALUE;
	if (!rt_read(&src, file, &why))
		return CUDA_ERROR_FILE_NOT_FOUND;
	CUresult e = cuLinkAddData_v2(
		to, type, (void *)(uintptr_t)src.text, src.len, file, n, options, values);
	rt_read_release(&src);
	return e;
}
ALSO(cuLinkAddFile_v2, cuLinkAddFile)

DRIVER_ANYWHERE(cuLinkComplete, (l, image, bytes), CUlinkState l, void **image, size_t *bytes)
{
	if (!l || !image)
		return cudaErrorInvalidValue;
	size_t n;
	*image = (void *)(uintptr_t)link_text(l, &n);
	if (bytes)
		*bytes = n;
	return cudaSuccess;
}

DRIVER_ANYWHERE(cuLinkDestroy, (l), CUlinkState l)
{
	link_free(l);
	return cudaSuccess;
}
