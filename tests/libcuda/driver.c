/* SPDX-License-Identifier: MIT */
/* A program of the driver interface: asks each part of it and says what it got; or, with an
 * argument that names a fault, does that.
 *
 *	driver kernels.ptx [fault]
 *
 * TOOLKIT: compiled against the toolkit's cuda.h, linked with -lcuda. Otherwise nothing is needed,
 * and all functions are had by cuGetProcAddress of the library that is loaded while it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef TOOLKIT
#include <cuda.h>
#else
#include <dlfcn.h>
#include "own.h"
#endif

static int failed;

static void
check_result(int is, const char *what)
{
	printf("%s %s\n", is ? "ok" : "FAIL", what);
	failed |= !is;
}
#define OK(condition) check_result(condition, #condition)
#define GOOD(call) check_result((call) == CUDA_SUCCESS, #call)

static char *
text_of(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	return text;
}

/* ---- the parts ------------------------------------------------------------------------------- */

static void
device(void)
{
	CUdevice d = -1;
	int n = 0, major = 0, version = 0;
	char name[64];
	size_t bytes = 0;
	OK(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED);
	GOOD(cuInit(0));
	GOOD(cuDriverGetVersion(&version));
	OK(version >= 12000);
	OK(cuDeviceGetCount(&n) == CUDA_SUCCESS && n == 1);
	OK(cuDeviceGet(&d, 0) == CUDA_SUCCESS && d == 0);
	OK(cuDeviceGet(&d, 1) == CUDA_ERROR_INVALID_DEVICE);
	OK(cuDeviceGetName(name, sizeof name, 0) == CUDA_SUCCESS && strstr(name, "ptxrun"));
	OK(cuDeviceTotalMem(&bytes, 0) == CUDA_SUCCESS && bytes > 1 << 30);
	OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
			CUDA_SUCCESS &&
		major == 9);
}

static void
contexts(void)
{
	CUcontext primary, other, is = NULL;
	CUdeviceptr p;
	OK(cuMemAlloc(&p, 4) == CUDA_ERROR_INVALID_CONTEXT);
	GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
	GOOD(cuCtxSetCurrent(primary));
	OK(cuCtxGetCurrent(&is) == CUDA_SUCCESS && is == primary);
	GOOD(cuCtxPushCurrent(primary));
	OK(cuCtxPopCurrent(&other) == CUDA_SUCCESS && other == primary);
	GOOD(cuCtxSynchronize());
}

static void
memory(void)
{
	enum { N = 64 };
	unsigned in[N], out[N];
	CUdeviceptr p, q, start;
	size_t n, unused, total, pitch;
	unsigned type = 0;
	void *host;
	for (unsigned i = 0; i < N; i++)
		in[i] = i * i;
	GOOD(cuMemAlloc(&p, sizeof in));
	GOOD(cuMemcpyHtoD(p, in, sizeof in));
	GOOD(cuMemsetD32(p + 4, 7, 3));
	GOOD(cuMemsetD16(p + 16, 0x0102, 2));
	GOOD(cuMemsetD8(p + 20, 9, 4));
	GOOD(cuMemcpyDtoH(out, p, sizeof out));
	OK(out[0] == 0 && out[1] == 7 && out[3] == 7 && out[4] == 0x01020102);
	OK(out[5] == 0x09090909 && out[6] == 36);
	OK(cuMemcpyHtoD(p, in, sizeof in + 1) == CUDA_ERROR_INVALID_VALUE);
	OK(cuMemGetAddressRange(&start, &n, p + 8) == CUDA_SUCCESS && start == p && n == sizeof in);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) == CUDA_SUCCESS &&
		type == CU_MEMORYTYPE_DEVICE);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		   (CUdeviceptr)(size_t)in) == CUDA_ERROR_INVALID_VALUE);
	OK(cuMemGetInfo(&unused, &total) == CUDA_SUCCESS && unused < total);
	GOOD(cuMemAllocPitch(&q, &pitch, 16, 4, 4));
	CUDA_MEMCPY2D c = { 0 };
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = in;
	c.srcPitch = 32;
	c.srcXInBytes = 4;
	c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = q;
	c.dstPitch = pitch;
	c.dstY = 1;
	c.WidthInBytes = 12;
	c.Height = 2;
	GOOD(cuMemcpy2D(&c));
	GOOD(cuMemcpyDtoH(out, q + 2 * pitch, 12));
	OK(out[0] == 81 && out[1] == 100 && out[2] == 121);
	GOOD(cuMemFree(q));
	OK(cuMemFree(q) == CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemAllocHost(&host, 64));
	GOOD(cuMemFreeHost(host));
	GOOD(cuMemFree(p));
}

static CUmodule module;

static void
modules(const char *file)
{
	CUfunction f, g = NULL;
	CUmodule m = NULL;
	CUdeviceptr p;
	size_t n = 0;
	const char *name = NULL;
	char log[100] = "old";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof log };
	GOOD(cuModuleLoadData(&module, text_of(file)));
	GOOD(cuModuleLoad(&m, file));
	GOOD(cuModuleGetFunction(&f, m, "add"));
	GOOD(cuModuleUnload(m));
	OK(cuModuleGetFunction(&f, m, "add") == CUDA_ERROR_INVALID_HANDLE);
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuModuleLoadDataEx(&m, text_of(file), 2, options, values));
	OK(!*log);
	GOOD(cuModuleGetFunction(&f, module, "add"));
	OK(cuModuleGetFunction(&g, module, "none") == CUDA_ERROR_NOT_FOUND);
	OK(cuFuncGetName(&name, f) == CUDA_SUCCESS && !strcmp(name, "add"));
	OK(cuModuleGetGlobal(&p, &n, module, "counter") == CUDA_SUCCESS && n == 4);
	OK(cuModuleGetGlobal(&p, &n, module, "none") == CUDA_ERROR_NOT_FOUND);
	OK(cuModuleLoad(&m, "/none/at/all.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
	OK(cuModuleLoadData(&m, "\177ELF is machine code") == CUDA_ERROR_NO_BINARY_FOR_GPU);
	OK(cuModuleLoadData(&m, "is no PTX") == CUDA_ERROR_INVALID_PTX);
}

static void
libraries(const char *file)
{
	CUlibrary l;
	CUkernel k;
	CUfunction f;
	unsigned n = 0;
	int threads = 0;
	GOOD(cuLibraryLoadData(&l, text_of(file), NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernelCount(&n, l) == CUDA_SUCCESS && n == 5);
	GOOD(cuLibraryGetKernel(&k, l, "add"));
	GOOD(cuKernelGetFunction(&f, k));
	OK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0) ==
			CUDA_SUCCESS &&
		threads == 256);
	GOOD(cuLibraryUnload(l));
}

static void
links(const char *file)
{
	CUlinkState l;
	void *image;
	size_t n;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	int out = 0;
	static char caller[] =
		".version 7.0\n.target sm_52\n.address_size 64\n"
		".extern .func (.param .b32 r) twice (.param .b32 x);\n"
		".visible .entry call (.param .u64 to) {\n"
		".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
		"ld.param.u64 %rd1, [to];\n"
		"{ .param .b32 a; .param .b32 b; st.param.b32 [a], 21;\n"
		"call (b), twice, (a); ld.param.b32 %r1, [b]; }\n"
		"st.global.u32 [%rd1], %r1; ret; }\n";
	char *text = text_of(file);
	GOOD(cuLinkCreate(0, NULL, NULL, &l));
	GOOD(cuLinkAddData(l, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
	GOOD(cuLinkAddData(l, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "other", 0, NULL, NULL));
	GOOD(cuLinkComplete(l, &image, &n));
	GOOD(cuModuleLoadData(&m, image));
	GOOD(cuLinkDestroy(l));
	GOOD(cuModuleGetFunction(&f, m, "call"));
	GOOD(cuMemAlloc(&p, 4));
	void *args[] = { &p };
	GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	GOOD(cuMemcpyDtoH(&out, p, 4));
	OK(out == 42);
}

static void
launches(void)
{
	enum { N = 300 };
	int a[N], b[N], n = N, blocks = 0, grid = 0, block = 0, shared = 0;
	CUfunction f;
	CUdeviceptr p, q;
	for (int i = 0; i < N; i++)
		a[i] = i, b[i] = 1000 - 2 * i;
	GOOD(cuModuleGetFunction(&f, module, "add"));
	GOOD(cuMemAlloc(&p, sizeof a));
	GOOD(cuMemAlloc(&q, sizeof b));
	GOOD(cuMemcpyHtoD(p, a, sizeof a));
	GOOD(cuMemcpyHtoD(q, b, sizeof b));
	void *args[] = { &p, &q, &n };
	GOOD(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
	GOOD(cuMemcpyDtoH(b, q, sizeof b));
	OK(b[0] == 1000 && b[299] == 701);
	struct { CUdeviceptr p, q; int n; } packed = { p, q, n };
	size_t bytes = sizeof packed;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
		&bytes, CU_LAUNCH_PARAM_END };
	GOOD(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
	CUlaunchConfig c = { 0 };
	c.gridDimX = 3, c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
	c.blockDimX = 100;
	GOOD(cuLaunchKernelEx(&c, f, args, NULL));
	GOOD(cuMemcpyDtoH(b, q, sizeof b));
	OK(b[0] == 1000 && b[299] == 1299);
	OK(cuLaunchKernel(f, 1, 1, 1, 512, 1, 1, 0, NULL, args, NULL) == CUDA_ERROR_INVALID_VALUE);
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0) == CUDA_SUCCESS &&
		blocks == 8);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0) == CUDA_SUCCESS &&
		block == 256 && grid == 8);
	GOOD(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
	OK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f) ==
			CUDA_SUCCESS &&
		shared == 100000);
}

static int called;
static void
host_function(void *user)
{
	called += *(int *)user;
}

static void
streams(void)
{
	CUstream s;
	CUevent a, b;
	float ms = -1;
	int three = 3;
	GOOD(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	GOOD(cuEventCreate(&a, CU_EVENT_DEFAULT));
	GOOD(cuEventCreate(&b, CU_EVENT_DEFAULT));
	GOOD(cuEventRecord(a, s));
	GOOD(cuLaunchHostFunc(s, host_function, &three));
	GOOD(cuEventRecord(b, s));
	GOOD(cuStreamWaitEvent(s, b, 0));
	GOOD(cuStreamSynchronize(s));
	OK(called == 3);
	OK(cuEventElapsedTime(&ms, a, b) == CUDA_SUCCESS && ms >= 0);
	GOOD(cuEventDestroy(a));
	GOOD(cuStreamDestroy(s));
}

/* A graph that is captured, and one that is made by hand: n times b += a, from a set. */
static void
graphs(void)
{
	enum { N = 64 };
	int b[N], n = N, three = 3, was = called, before;
	CUstream s;
	CUgraph g, h;
	CUgraphExec x;
	CUgraphNode set, kernel, call;
	CUfunction f;
	CUdeviceptr p, q;
	size_t nodes = 0;
	CUstreamCaptureStatus status;
	GOOD(cuModuleGetFunction(&f, module, "add"));
	GOOD(cuMemAlloc(&p, sizeof b));
	GOOD(cuMemAlloc(&q, sizeof b));
	GOOD(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	void *args[] = { &p, &q, &n };
	GOOD(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	GOOD(cuMemsetD32Async(p, 5, N, s));
	GOOD(cuMemsetD32Async(q, 7, N, s));
	GOOD(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, args, NULL));
	GOOD(cuMemcpyDtoHAsync(b, q, sizeof b, s));
	GOOD(cuLaunchHostFunc(s, host_function, &three));
	OK(cuStreamIsCapturing(s, &status) == CUDA_SUCCESS && status == 1);
	GOOD(cuStreamEndCapture(s, &g));
	OK(called == was);
	OK(cuGraphGetNodes(g, NULL, &nodes) == CUDA_SUCCESS && nodes == 5);
	GOOD(cuGraphInstantiate(&x, g, 0));
	GOOD(cuGraphLaunch(x, s));
	GOOD(cuGraphLaunch(x, s));
	OK(called == was + 6 && b[0] == 12 && b[N - 1] == 12);
	GOOD(cuGraphExecDestroy(x));
	GOOD(cuGraphDestroy(g));

	CUDA_MEMSET_NODE_PARAMS m = { 0 };
	CUDA_KERNEL_NODE_PARAMS k = { 0 };
	CUDA_HOST_NODE_PARAMS c = { host_function, &three };
	m.dst = q, m.value = 100, m.elementSize = 4, m.width = N, m.height = 1;
	k.func = f, k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
	k.blockDimX = N, k.kernelParams = args;
	GOOD(cuGraphCreate(&h, 0));
	GOOD(cuGraphAddHostNode(&call, h, NULL, 0, &c));
	GOOD(cuGraphAddMemsetNode(&set, h, NULL, 0, &m, NULL));
	GOOD(cuGraphAddKernelNode(&kernel, h, &set, 1, &k));
	GOOD(cuGraphInstantiate(&x, h, 0));
	before = called;
	GOOD(cuGraphLaunch(x, s));
	GOOD(cuMemcpyDtoH(b, q, sizeof b));
	OK(called == before + 3 && b[N - 1] == 105);
	m.value = 200;
	GOOD(cuGraphExecMemsetNodeSetParams(x, set, &m, NULL));
	args[0] = &q;
	GOOD(cuGraphExecKernelNodeSetParams(x, kernel, &k));
	GOOD(cuGraphLaunch(x, s));
	GOOD(cuMemcpyDtoH(b, q, sizeof b));
	OK(b[0] == 400);
	GOOD(cuGraphExecDestroy(x));
	GOOD(cuGraphDestroy(h));
	GOOD(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamSynchronize(s) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	OK(cuStreamEndCapture(s, &g) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	GOOD(cuStreamSynchronize(s));
	GOOD(cuStreamDestroy(s));
}

/* A texture of an array of one dimension, one of plain memory, a surface. */
static void
textures(void)
{
	static char source[] =
		".version 7.0\n.target sm_52\n.address_size 64\n"
		".visible .entry look (.param .u64 t, .param .u64 s, .param .u64 to) {\n"
		".reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .f32 %f<9>;\n"
		"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [s]; ld.param.u64 %rd3, [to];\n"
		"mov.f32 %f1, 0f40000000;\n"
		"tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];\n"
		"mov.u32 %r1, 4;\n"
		"suld.b.1d.b32.trap {%r2}, [%rd2, {%r1}];\n"
		"st.global.f32 [%rd3], %f2; st.global.u32 [%rd3+4], %r2; ret; }\n";
	float host[4] = { 1, 2, 4, 8 }, out[2] = { 0 }, back[4] = { 0 };
	CUmodule m;
	CUfunction f;
	CUdeviceptr to;
	CUarray a;
	CUtexObject t;
	CUsurfObject s;
	CUDA_ARRAY_DESCRIPTOR d = { 0 };
	CUDA_RESOURCE_DESC r = { 0 };
	CUDA_TEXTURE_DESC how = { 0 };
	CUDA_MEMCPY2D c = { 0 };
	d.Width = 4, d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
	GOOD(cuArrayCreate(&a, &d));
	GOOD(cuMemcpyHtoA(a, 0, host, sizeof host));
	c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = a;
	c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back;
	c.WidthInBytes = sizeof back, c.Height = 1;
	GOOD(cuMemcpy2D(&c));
	OK(back[3] == 8);
	r.res.array.hArray = a;
	how.filterMode = CU_TR_FILTER_MODE_LINEAR;
	GOOD(cuTexObjectCreate(&t, &r, &how, NULL));
	GOOD(cuSurfObjectCreate(&s, &r));
	GOOD(cuModuleLoadData(&m, source));
	GOOD(cuModuleGetFunction(&f, m, "look"));
	GOOD(cuMemAlloc(&to, sizeof out));
	void *args[] = { &t, &s, &to };
	GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	GOOD(cuMemcpyDtoH(out, to, sizeof out));
	OK(out[0] == 3 && out[1] == 2);
	GOOD(cuTexObjectDestroy(t));
	GOOD(cuSurfObjectDestroy(s));
	OK(cuTexObjectDestroy(t) == CUDA_ERROR_INVALID_VALUE);
	GOOD(cuArrayDestroy(a));
}

static void
errors(void)
{
	const char *s = NULL;
	void *f = NULL;
	CUdriverProcAddressQueryResult found;
	CUipcMemHandle h;
	OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &s) == CUDA_SUCCESS &&
		!strcmp(s, "CUDA_ERROR_ILLEGAL_ADDRESS"));
	OK(cuGetErrorString(CUDA_ERROR_INVALID_PTX, &s) == CUDA_SUCCESS && strstr(s, "PTX"));
	OK(cuGetErrorName((CUresult)12345, &s) == CUDA_ERROR_INVALID_VALUE && !s);
	OK(cuGetProcAddress("cuCtxCreate", &f, 11000, 0, &found) == CUDA_SUCCESS && f);
	void *old = f;
	OK(cuGetProcAddress("cuCtxCreate", &f, 13000, 0, &found) == CUDA_SUCCESS && f != old);
	OK(cuGetProcAddress("cuNoSuchCall", &f, 13000, 0, &found) == CUDA_ERROR_NOT_FOUND && !f);
	OK(cuIpcGetMemHandle(&h, 0) == CUDA_ERROR_NOT_SUPPORTED);
	OK(cuIpcGetMemHandle(&h, 0) == CUDA_ERROR_NOT_SUPPORTED);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int
fault(const char *what, const char *file)
{
	CUcontext c;
	CUfunction f;
	CUdeviceptr p;
	const char *launched = NULL, *behind = NULL;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c) ||
		cuModuleLoadData(&module, text_of(file)) ||
		cuModuleGetFunction(&f, module, what) || cuMemAlloc(&p, 64))
		return 2;
	void *args[] = { &p };
	cuGetErrorName(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL), &launched);
	cuGetErrorName(cuCtxSynchronize(), &behind);
	printf("%s %s\n", launched, behind);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
#ifndef TOOLKIT
	own_load(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
#endif
	if (argc > 2)
		return fault(argv[2], argv[1]);
	device();
	contexts();
	memory();
	modules(argv[1]);
	libraries(argv[1]);
	links(argv[1]);
	launches();
	streams();
	graphs();
	textures();
	errors();
	return failed;
}
