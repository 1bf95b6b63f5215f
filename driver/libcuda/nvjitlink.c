/* SPDX-License-Identifier: MIT */
/* Replaces the part of nvJitLink that links PTX. driver/preload/ redirects nvJitLink's functions
 * to these, whose names have no version suffix. The result is PTX instead of machine code, as
 * for cuLinkComplete, and cuModuleLoadData accepts it. The version reported is CUDA 12.0, which
 * supports nothing else, so that Numba passes PTX and not NVVM IR. */
#include <string.h>
#include "driver/libcuda/cu.h"

typedef enum {
	NVJITLINK_SUCCESS = 0,
	NVJITLINK_ERROR_INVALID_INPUT = 3,
	NVJITLINK_ERROR_NULL_INPUT = 10
} nvJitLinkResult;
enum { INPUT_PTX = 2, INPUT_FATBIN = 4, INPUT_ANY = 10 };

API nvJitLinkResult ptxrun_nvJitLinkVersion(unsigned *major, unsigned *minor);
API nvJitLinkResult ptxrun_nvJitLinkCreate(Link **to, uint32_t n, const char *const *options);
API nvJitLinkResult ptxrun_nvJitLinkDestroy(Link **l);
API nvJitLinkResult ptxrun_nvJitLinkAddData(
	Link *l, int type, const void *data, size_t n, const char *name);
API nvJitLinkResult ptxrun_nvJitLinkAddFile(Link *l, int type, const char *file);
API nvJitLinkResult ptxrun_nvJitLinkComplete(Link *l);
API nvJitLinkResult ptxrun_nvJitLinkGetLinkedCubinSize(Link *l, size_t *n);
API nvJitLinkResult ptxrun_nvJitLinkGetLinkedCubin(Link *l, void *to);
API nvJitLinkResult ptxrun_nvJitLinkGetErrorLogSize(Link *l, size_t *n);
API nvJitLinkResult ptxrun_nvJitLinkGetErrorLog(Link *l, char *to);

nvJitLinkResult
ptxrun_nvJitLinkVersion(unsigned *major, unsigned *minor)
{
	if (!major || !minor)
		return NVJITLINK_ERROR_NULL_INPUT;
	*major = 12;
	*minor = 0;
	return NVJITLINK_SUCCESS;
}

nvJitLinkResult
ptxrun_nvJitLinkCreate(Link **to, uint32_t n, const char *const *options)
{
	(void)n, (void)options;
	if (!to)
		return NVJITLINK_ERROR_NULL_INPUT;
	*to = link_new();
	return NVJITLINK_SUCCESS;
}

nvJitLinkResult
ptxrun_nvJitLinkDestroy(Link **l)
{
	if (!l)
		return NVJITLINK_ERROR_NULL_INPUT;
	link_free(*l);
	*l = NULL;
	return NVJITLINK_SUCCESS;
}

nvJitLinkResult
ptxrun_nvJitLinkAddData(Link *l, int type, const void *data, size_t n, const char *name)
{
	if (!l || !data)
		return NVJITLINK_ERROR_NULL_INPUT;
	if (type != INPUT_PTX && type != INPUT_FATBIN && type != INPUT_ANY) {
		rt_say("'%s' is to be linked, and is no PTX: the emulator links nothing else",
			name ? name : "data");
		return NVJITLINK_ERROR_INVALID_INPUT;
	}
	Runtime *rt = rt_enter();
	CUresult e = cu_leave(rt, link_add(rt, l, data, n));
	return e ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_SUCCESS;
}

nvJitLinkResult
ptxrun_nvJitLinkAddFile(Link *l, int type, const char *file)
{
	const char *why;
	Source src = { 0 };
	if (!file || !rt_read(&src, file, &why))
		return file ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT;
	nvJitLinkResult e = ptxrun_nvJitLinkAddData(l, type, src.text, src.len, file);
	rt_read_release(&src);
	return e;
}

nvJitLinkResult
ptxrun_nvJitLinkComplete(Link *l)
{
	return l ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult
ptxrun_nvJitLinkGetLinkedCubinSize(Link *l, size_t *n)
{
	if (!l || !n)
		return NVJITLINK_ERROR_NULL_INPUT;
	(void)link_text(l, n);
	return NVJITLINK_SUCCESS;
}
ALSO(ptxrun_nvJitLinkGetLinkedCubinSize, ptxrun_nvJitLinkGetLinkedPtxSize)

nvJitLinkResult
ptxrun_nvJitLinkGetLinkedCubin(Link *l, void *to)
{
	size_t n;
	if (!l || !to)
		return NVJITLINK_ERROR_NULL_INPUT;
	const char *text = link_text(l, &n);
	memcpy(to, text, n);
	return NVJITLINK_SUCCESS;
}
ALSO(ptxrun_nvJitLinkGetLinkedCubin, ptxrun_nvJitLinkGetLinkedPtx)

/* Error messages go to standard error. */
nvJitLinkResult
ptxrun_nvJitLinkGetErrorLogSize(Link *l, size_t *n)
{
	if (!l || !n)
		return NVJITLINK_ERROR_NULL_INPUT;
	*n = 1;
	return NVJITLINK_SUCCESS;
}
ALSO(ptxrun_nvJitLinkGetErrorLogSize, ptxrun_nvJitLinkGetInfoLogSize)

nvJitLinkResult
ptxrun_nvJitLinkGetErrorLog(Link *l, char *to)
{
	if (!l || !to)
		return NVJITLINK_ERROR_NULL_INPUT;
	*to = 0;
	return NVJITLINK_SUCCESS;
}
ALSO(ptxrun_nvJitLinkGetErrorLog, ptxrun_nvJitLinkGetInfoLog)
