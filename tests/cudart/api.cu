// The CUDA runtime on the emulator, call by call: each check prints "ok NAME" or "FAIL NAME". nvcc compiles this with the
// toolkit's own headers; without a toolkit, g++ does with ptxrun's headers, and the kernels come from api.ptx (make.sh). On a GPU it
// reports where the emulator's runtime differs from NVIDIA's.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static int failures;
static bool emulated;
static void ok(const char *name, bool condition)
{
	printf("%s %s\n", condition ? "ok" : "FAIL", name);
	failures += !condition;
}
static void is(const char *name, cudaError_t want, cudaError_t got)
{
	ok(name, got == want);
	if (got != want)
		printf("\tit is %s\n", cudaGetErrorName(got));
}
#define OK(call) ok(#call, (call) == cudaSuccess)
#define IS(error, call) is(#call " is " #error, error, call)

struct Pair { int a; double b; };

__device__ int counter = 5;
__constant__ int table[4] = { 1, 2, 3, 4 };
__device__ int never_used[3];

__global__ void add(const int *in, int *out, int n, int what)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] + what + table[i % 4];
}
__global__ void structs(Pair p, char c, short s, double *out) { out[0] = p.a + p.b + c + s; }
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void __launch_bounds__(64) small(int *out) { out[threadIdx.x] = blockDim.x; }
__global__ void reverse(int *p)
{
	__shared__ int box[32];
	box[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = box[31 - threadIdx.x];
}

#ifdef __CUDACC__
__managed__ int both = 9;
__global__ void dynamic(int *out)
{
	extern __shared__ int s[];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void touch_both() { both += 1; }
template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#else
#define LAUNCH(kernel, grid, block, ...) cudart::launch(kernel, grid, block)(__VA_ARGS__)
#endif

static void test_memory()
{
	int host[100], *a, *b;
	for (int i = 0; i < 100; ++i)
		host[i] = i;
	OK(cudaMalloc(&a, sizeof host));
	OK(cudaMalloc(&b, sizeof host));
	OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
	LAUNCH(add, 4, 32, a, b, 100, 10);
	OK(cudaGetLastError());
	OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
	ok("add", host[0] == 11 && host[1] == 13 && host[99] == 113);
	OK(cudaMemcpy(a, b, sizeof host, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(host, a, 4, cudaMemcpyDefault));
	ok("device to device", host[0] == 11);
	OK(cudaMemset(a, 1, 8));
	OK(cudaMemcpy(host, a + 1, 8, cudaMemcpyDefault));
	ok("memset", host[0] == 0x01010101 && host[1] == 15);
	IS(cudaErrorInvalidValue, cudaMemcpy(a, host, sizeof host + 1, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidValue, cudaMemcpy(host, b, 4, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidValue, cudaMemcpy(a, host, 4, cudaMemcpyDeviceToHost));
	if (emulated) // a real runtime takes it for host memory, and crashes
		IS(cudaErrorInvalidValue, cudaMemcpy(host, a + 101, 4, cudaMemcpyDefault));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 4, (cudaMemcpyKind)7));
	IS(cudaErrorInvalidValue, cudaMemset(host, 0, 4));
	IS(cudaErrorInvalidValue, cudaPeekAtLastError());
	IS(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaGetLastError());
	size_t unused, total, after;
	OK(cudaMemGetInfo(&unused, &total));
	OK(cudaFree(a));
	OK(cudaMemGetInfo(&after, &total));
	ok("memory given back", !emulated || (after == unused + sizeof host && after < total)); // a GPU keeps its pages
	IS(cudaErrorInvalidValue, cudaFree(a));
	IS(cudaErrorInvalidValue, cudaFree(b + 1));
	IS(cudaErrorMemoryAllocation, cudaMalloc(&a, total + 1));
	OK(cudaFree(b));
	OK(cudaFree(nullptr));
	OK(cudaMalloc(&a, 0));
	ok("nothing is nowhere", !a);
	OK(cudaMallocAsync((void **)&a, 64, 0));
	OK(cudaMemsetAsync(a, 0, 64, 0));
	OK(cudaMemcpyAsync(host, a, 64, cudaMemcpyDeviceToHost, 0));
	ok("asynchronous calls", host[15] == 0 && host[16] == 27);
	OK(cudaFreeAsync(a, 0));
	cudaGetLastError();
}

static void test_rows()
{
	char host[12] = "abcdefghijk", back[12] = "";
	void *p;
	size_t pitch;
	OK(cudaMallocPitch(&p, &pitch, 4, 3));
	ok("pitch", pitch >= 4 && pitch % 32 == 0);
	OK(cudaMemset2D(p, pitch, '.', 4, 3));
	OK(cudaMemcpy2D(p, pitch, host, 4, 2, 3, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DAsync(back, 4, p, pitch, 4, 3, cudaMemcpyDeviceToHost));
	ok("rows", !memcmp(back, "ab..ef..ij..", 12));
	IS(cudaErrorInvalidPitchValue, cudaMemcpy2D(back, 4, p, pitch, 5, 3, cudaMemcpyDeviceToHost));
	OK(cudaFree(p));
	cudaPitchedPtr box;
	const cudaExtent extent = { 2, 2, 2 };
	OK(cudaMalloc3D(&box, extent));
	OK(cudaMemset3D(box, 'x', extent));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = { host, 2, 2, 2 };
	copy.dstPtr = box;
	copy.extent = { 1, 2, 2 };
	copy.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&copy));
	copy.srcPtr = box;
	copy.dstPtr = { back, 2, 2, 2 };
	copy.extent = extent;
	copy.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3DAsync(&copy));
	ok("slices", !memcmp(back, "axcxexgx", 8));
	OK(cudaFree(box.ptr));
	cudaGetLastError();
}

static void test_host_memory()
{
	int *p, *q;
	cudaPointerAttributes a;
	OK(cudaMallocManaged(&p, 128));
	OK(cudaMallocHost(&q, 128));
	for (int i = 0; i < 32; ++i)
		p[i] = i;
	LAUNCH(add, 1, 32, p, q, 32, 0);
	OK(cudaDeviceSynchronize());
	ok("managed and page-locked memory", q[0] == 1 && q[31] == 35);
	OK(cudaPointerGetAttributes(&a, p + 3));
	ok("attributes of managed memory", a.type == cudaMemoryTypeManaged && a.devicePointer == p + 3);
	OK(cudaPointerGetAttributes(&a, q));
	ok("attributes of page-locked memory", a.type == cudaMemoryTypeHost && a.hostPointer == q);
	OK(cudaPointerGetAttributes(&a, &a));
	ok("attributes of other memory", a.type == cudaMemoryTypeUnregistered && !a.devicePointer);
	OK(cudaFree(p));
	OK(cudaFreeHost(q));
	IS(cudaErrorInvalidValue, cudaFreeHost(q));
	std::vector<int> v(32, 7);
	OK(cudaHostRegister(v.data(), 128, cudaHostRegisterDefault));
	IS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(v.data(), 128, cudaHostRegisterDefault));
	void *d;
	OK(cudaHostGetDevicePointer(&d, v.data(), 0));
	LAUNCH(reverse, 1, 32, (int *)d);
	LAUNCH(add, 1, 32, (const int *)d, v.data(), 32, 1);
	OK(cudaDeviceSynchronize());
	ok("registered memory", v[0] == 9 && v[3] == 12);
	OK(cudaHostUnregister(v.data()));
	IS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(v.data()));
	OK(cudaHostAlloc((void **)&p, 64, cudaHostAllocMapped));
	unsigned flags;
	OK(cudaHostGetFlags(&flags, p));
	ok("flags of page-locked memory", flags == cudaHostAllocMapped);
	OK(cudaFreeHost(p));
	int *device;
	OK(cudaMalloc(&device, 64));
	OK(cudaPointerGetAttributes(&a, device + 1));
	ok("attributes of device memory", a.type == cudaMemoryTypeDevice && a.devicePointer == device + 1 && !a.hostPointer);
	OK(cudaFree(device));
	cudaGetLastError();
}

static void test_symbols()
{
	int x = 0, values[4] = { 10, 20, 30, 40 }, *p, *in, *out;
	size_t n;
	OK(cudaMemcpyFromSymbol(&x, (const void *)&counter, sizeof x, 0, cudaMemcpyDeviceToHost));
	ok("a variable's first value", x == 5);
	LAUNCH(count, 2, 32);
	OK(cudaMemcpyFromSymbol(&x, (const void *)&counter, sizeof x, 0, cudaMemcpyDeviceToHost));
	ok("a variable that a kernel changed", x == 69);
	OK(cudaGetSymbolAddress((void **)&p, (const void *)&counter));
	OK(cudaGetSymbolSize(&n, (const void *)table));
	ok("a variable's size", n == 16);
	x = 1;
	OK(cudaMemcpy(p, &x, 4, cudaMemcpyHostToDevice));
	OK(cudaMemcpyFromSymbolAsync(&x, (const void *)&counter, 4, 0, cudaMemcpyDeviceToHost, 0));
	ok("a variable by its address", x == 1);
	OK(cudaMemcpyToSymbol((const void *)table, values, 8, 8, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbolAsync((const void *)table, values + 1, 4, 0, cudaMemcpyHostToDevice, 0));
	OK(cudaMallocManaged(&in, 16));
	OK(cudaMallocManaged(&out, 16));
	LAUNCH(add, 1, 4, in, out, 4, 0);
	OK(cudaDeviceSynchronize());
	ok("a constant that the host changed", out[0] == 20 && out[1] == 2 && out[2] == 10 && out[3] == 20);
	IS(cudaErrorInvalidValue, cudaMemcpyToSymbol((const void *)table, values, 16, 4, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)values, values, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaFree(in));
	OK(cudaFree(out));
#ifdef __CUDACC__
	both = 20;
	touch_both<<<1, 1>>>();
	OK(cudaDeviceSynchronize());
	ok("a managed variable", both == 21);
	OK(cudaMemcpyFromSymbol(&x, both, 4));
	ok("a managed variable, copied", x == 21);
#endif
	cudaGetLastError();
}

static void host_function(void *x) { cudaGetLastError(), ++*(int *)x; }
static void callback(cudaStream_t, cudaError_t e, void *x) { *(int *)x += e == cudaSuccess ? 10 : 0; }

static void test_streams()
{
	cudaStream_t s, t;
	cudaEvent_t a, b, c;
	unsigned flags = 0;
	int priority, calls = 0, least, greatest;
	float ms = -1;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaStreamGetFlags(t, &flags));
	ok("a stream's flags", flags == cudaStreamNonBlocking);
	OK(cudaStreamDestroy(t));
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	OK(cudaStreamCreateWithPriority(&t, cudaStreamDefault, greatest));
	OK(cudaStreamGetPriority(t, &priority));
	ok("a stream's priority", priority == greatest && least > greatest);
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	OK(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
	IS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
	OK(cudaEventRecord(a, s));
	LAUNCH(count, 1, 32);
	OK(cudaEventRecord(b, s));
	OK(cudaEventRecord(c, s));
	OK(cudaStreamWaitEvent(t, b, 0));
	OK(cudaEventSynchronize(b));
	OK(cudaEventQuery(b));
	OK(cudaEventElapsedTime(&ms, a, b));
	ok("time passes", ms > 0);
	IS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, c));
	OK(cudaLaunchHostFunc(s, host_function, &calls));
	OK(cudaStreamAddCallback(s, callback, &calls, 0));
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamQuery(s));
	ok("callbacks", calls == 11);
	OK(cudaEventDestroy(a));
	OK(cudaEventDestroy(b));
	OK(cudaEventDestroy(c));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	cudaGetLastError();
}

static void test_device()
{
	int n = 0, device = 7, major = 0, sms = 0, runtime = 0, driver = 0;
	cudaDeviceProp p;
	size_t stack;
	OK(cudaGetDeviceCount(&n));
	ok("a device", n >= 1);
	OK(cudaSetDevice(0));
	IS(cudaErrorInvalidDevice, cudaSetDevice(n));
	OK(cudaGetDevice(&device));
	OK(cudaGetDeviceProperties(&p, 0));
	OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	emulated = strstr(p.name, "emulator");
	ok("properties", device == 0 && p.major == major && major >= 7 && p.multiProcessorCount == sms &&
	   p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.sharedMemPerBlock == 49152 && p.maxGridSize[0] == 2147483647 &&
	   p.totalConstMem == 65536 && p.managedMemory == 1 && p.unifiedAddressing == 1 && p.maxBlocksPerMultiProcessor >= 16 &&
	   p.sharedMemPerBlockOptin > 49152 && p.reserved[55] == 0);
	OK(cudaRuntimeGetVersion(&runtime));
	OK(cudaDriverGetVersion(&driver));
	ok("versions", runtime == driver && runtime / 1000 == CUDART_VERSION / 1000);
	OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
	OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
	ok("limits", stack == 4096);
	ok("an error's name", !strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
	ok("an error's text", !strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
	ok("no error's name", !strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	cudaGetLastError();
}

static void test_kernels()
{
	cudaFuncAttributes a;
	int blocks = 0, *out, host[64];
	double *sum, got = 0;
	size_t room = 0;
	OK(cudaFuncGetAttributes(&a, (const void *)reverse));
	ok("attributes of a kernel", a.sharedSizeBytes == 128 && a.maxThreadsPerBlock == 1024 && a.maxDynamicSharedSizeBytes == 49024 &&
	   a.ptxVersion >= 70);
	OK(cudaFuncGetAttributes(&a, (const void *)small));
	ok("launch bounds", a.maxThreadsPerBlock == 64 && a.sharedSizeBytes == 0);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
	ok("occupancy", blocks == 8);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 40960));
	ok("occupancy by shared memory", blocks >= 3 && blocks <= 5);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 128, 0));
	ok("occupancy beyond launch bounds", blocks == 16); // as for a kernel without launch bounds
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, (const void *)reverse, 8, 32));
	ok("shared memory left", room > 10000 && room < 32768);
	OK(cudaMalloc(&out, 256));
	LAUNCH(small, 1, 64, out);
	OK(cudaGetLastError());
	OK(cudaMemcpy(host, out, 256, cudaMemcpyDefault));
	ok("block shape", host[63] == 64);
	LAUNCH(small, 1, 65, out);
	IS(cudaErrorInvalidValue, cudaGetLastError());
	LAUNCH(small, 1, 1025, out);
	IS(cudaErrorInvalidValue, cudaGetLastError());
	LAUNCH(small, dim3(1, 70000), 1, out);
	IS(cudaErrorInvalidValue, cudaGetLastError());
	IS(cudaErrorInvalidResourceHandle, cudaLaunchKernel((const void *)test_device, dim3(1), dim3(1), nullptr, 0, nullptr));
	cudaGetLastError();
	OK(cudaMalloc(&sum, 8));
	LAUNCH(structs, 1, 1, Pair{ 1, 0.5 }, (char)-2, (short)300, sum);
	OK(cudaMemcpy(&got, sum, 8, cudaMemcpyDefault));
	ok("parameters of many sizes", got == 299.5);
	OK(cudaFree(sum));
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(1);
	config.blockDim = dim3(32);
	void *args[] = { &out };
	OK(cudaLaunchKernelExC(&config, (const void *)small, args));
	OK(cudaMemcpy(host, out, 128, cudaMemcpyDefault));
	ok("launch by a configuration", host[31] == 32);
#ifdef __CUDACC__
	OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
	dynamic<<<1, 64, 60000>>>(out);
	OK(cudaGetLastError());
	OK(cudaMemcpy(host, out, 256, cudaMemcpyDefault));
	ok("dynamic shared memory", host[0] == 63 && host[63] == 0);
	dynamic<<<1, 64, 65537>>>(out);
	IS(cudaErrorInvalidValue, cudaGetLastError());
	fill<float><<<1, 64>>>((float *)out, 1.5f);
	OK(cudaMemcpy(host, out, 256, cudaMemcpyDefault));
	ok("a template", host[5] == 0x3fc00000);
#endif
	OK(cudaFree(out));
	cudaGetLastError();
}

static void test_unsupported()
{
	if (!emulated)
		return;
#ifdef __CUDACC__
	cudaIpcMemHandle_t handle;
	IS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, nullptr));
	IS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, nullptr));
#endif
	OK(cudaLaunchCooperativeKernel((const void *)count, dim3(2), dim3(32), nullptr, 0, nullptr));
	IS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel((const void *)count, dim3(100000), dim3(32), nullptr, 0, nullptr));
	IS(cudaErrorCooperativeLaunchTooLarge, cudaGetLastError());
}

int main()
{
	test_device(); // first: it sets `emulated`
	test_memory();
	test_rows();
	test_host_memory();
	test_symbols();
	test_streams();
	test_kernels();
	test_unsupported();
	OK(cudaDeviceReset());
	return failures != 0;
}
// SPDX-License-Identifier: MIT
