/* SPDX-License-Identifier: MIT */
/* Linking of PTX. The result is PTX, too: one text, which is loaded like any other. */
#include <string.h>
#include "driver/libcuda/cu.h"

typedef Link *CUlinkState;
enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY };

API CUresult cuLinkCreate_v2(unsigned n, int *options, void **values, CUlinkState *to);
API CUresult cuLinkAddData_v2(CUlinkState to, int type, void *data, size_t bytes, const char *name,
	unsigned n, int *options, void **values);
API CUresult cuLinkAddFile_v2(
	CUlinkState to, int type, const char *file, unsigned n, int *options, void **values);
API CUresult cuLinkComplete(CUlinkState l, void **image, size_t *bytes);
API CUresult cuLinkDestroy(CUlinkState l);

CUresult
cuLinkCreate_v2(unsigned n, int *options, void **values, CUlinkState *to)
{
	Runtime *rt = cu_enter();
	(void)n, (void)options, (void)values;
	if (!rt)
		return cu_outside();
	if (!to)
		return cu_leave(rt, cudaErrorInvalidValue);
	*to = link_new();
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuLinkCreate_v2, cuLinkCreate)

CUresult
cuLinkAddData_v2(CUlinkState to, int type, void *data, size_t bytes, const char *name, unsigned n,
	int *options, void **values)
{
	Runtime *rt = rt_enter();
	(void)n, (void)options, (void)values;
	if (!to || !data)
		return cu_leave(rt, cudaErrorInvalidValue);
	if (type != INPUT_PTX && type != INPUT_FATBINARY) {
		rt_say("'%s' is to be linked, and is no PTX: the emulator cannot link machine code",
			name ? name : "data");
		return cu_leave(rt, cudaErrorNoKernelImageForDevice);
	}
	return cu_leave(rt, link_add(rt, to, data, bytes));
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

CUresult
cuLinkComplete(CUlinkState l, void **image, size_t *bytes)
{
	Runtime *rt = rt_enter();
	if (!l || !image)
		return cu_leave(rt, cudaErrorInvalidValue);
	size_t n;
	*image = (void *)(uintptr_t)link_text(l, &n);
	if (bytes)
		*bytes = n;
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuLinkDestroy(CUlinkState l)
{
	Runtime *rt = rt_enter();
	link_free(l);
	return cu_leave(rt, cudaSuccess);
}
