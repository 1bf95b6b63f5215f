// SPDX-License-Identifier: MIT
// CUDA graphs: captured streams, nodes that are added one by one, launches that are repeated, changed and updated. Every
// result is checked, and so is every call that must fail.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int symbol;

__global__ void
scale(int *a, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = a[i] * by + symbol;
}
__global__ void
add(int *a, const int *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] += b[i];
}

static int failed;
static void
check(const char *what, long got, long want)
{
	printf("%s %s: %ld\n", got == want ? "ok" : "FAIL", what, got);
	failed |= got != want;
}
#define OK(call) check(#call, call, cudaSuccess)

enum { N = 96, BYTES = N * sizeof(int) };
static int *a, *b, in[N], out[N], calls;
static void
count(void *n)
{
	calls += *(int *)n;
}

static long
sum()
{
	long all = 0;
	for (int i = 0; i < N; i++)
		all += out[i];
	return all;
}

// Two streams, the second of which joins by events; all kinds of work.
static cudaGraph_t
captured(cudaStream_t s, cudaStream_t t, int by)
{
	static int one = 1;
	cudaEvent_t fork, join;
	cudaGraph_t g = nullptr;
	cudaStreamCaptureStatus status;
	OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMemcpyAsync(a, in, BYTES, cudaMemcpyHostToDevice, s));
	OK(cudaEventRecord(fork, s));
	OK(cudaStreamWaitEvent(t, fork, 0));
	OK(cudaStreamIsCapturing(t, &status));
	check("the second stream is captured", status, cudaStreamCaptureStatusActive);
	OK(cudaMemsetAsync(b, 1, BYTES, t));
	scale<<<3, 32, 0, s>>>(a, N, by);
	OK(cudaEventRecord(join, t));
	OK(cudaStreamWaitEvent(s, join, 0));
	add<<<3, 32, 0, s>>>(a, b, N);
	OK(cudaMemcpyAsync(out, a, BYTES, cudaMemcpyDeviceToHost, s));
	OK(cudaLaunchHostFunc(s, count, &one));
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaEventDestroy(fork));
	OK(cudaEventDestroy(join));
	return g;
}

static void
captures(cudaStream_t s, cudaStream_t t)
{
	const long ones = 96L * 0x01010101, before = 95 * 96 / 2;
	cudaGraph_t g = captured(s, t, 2);
	cudaGraphExec_t x;
	size_t n = 0, edges = 0;
	check("nothing ran", sum() + calls, 0);
	OK(cudaGraphGetNodes(g, nullptr, &n));
	check("nodes", (long)n, 6);
#if CUDART_VERSION >= 13000
	OK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
#else
	OK(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
#endif
	check("edges", (long)edges, 6);
	OK(cudaGraphInstantiate(&x, g, 0));
	for (int k = 1; k <= 3; k++) {
		for (int i = 0; i < N; i++)
			in[i] = k * i;
		OK(cudaGraphLaunch(x, s));
		OK(cudaStreamSynchronize(s));
		check("a launch", sum(), 2 * k * before + ones);
	}
	check("calls of the host", calls, 3);

	cudaGraph_t other = captured(s, t, 5);
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphExecUpdate(x, other, &info));
	check("updated", info.result, cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(x, s));
	check("with other arguments", sum(), 5 * 3 * before + ones);

	// one node alone: the kernel scale
	cudaGraphNode_t nodes[6], kernel = nullptr;
	OK(cudaGraphGetNodes(g, nodes, &n));
	for (cudaGraphNode_t node : nodes) {
		cudaGraphNodeType type;
		cudaKernelNodeParams p;
		cudaGraphNodeGetType(node, &type);
		if (type != cudaGraphNodeTypeKernel)
			continue;
		cudaGraphKernelNodeGetParams(node, &p);
		if (p.func != (void *)scale)
			continue;
		kernel = node;
		check("an argument", *(int *)p.kernelParams[2], 2);
		int size = N, by = 7;
		void *args[] = { &a, &size, &by };
		p.kernelParams = args;
		OK(cudaGraphExecKernelNodeSetParams(x, kernel, &p));
	}
	OK(cudaGraphLaunch(x, s));
	check("a node's arguments", sum(), 7 * 3 * before + ones);
	OK(cudaGraphNodeSetEnabled(x, kernel, 0));
	OK(cudaGraphLaunch(x, s));
	check("a node turned off", sum(), 3 * before + ones);
	OK(cudaGraphExecDestroy(x));

	// a graph of a captured launch
	cudaGraph_t outer;
	OK(cudaGraphInstantiate(&x, other, 0));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaGraphLaunch(x, s));
	OK(cudaMemsetAsync(b, 0, sizeof *b, s));
	OK(cudaStreamEndCapture(s, &outer));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphInstantiate(&x, outer, 0));
	int was = calls;
	OK(cudaGraphLaunch(x, s));
	check("a graph in a graph", calls - was, 1);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(outer));
	OK(cudaGraphDestroy(other));
	OK(cudaGraphDestroy(g));
}

static void
by_hand(cudaStream_t s)
{
	cudaGraph_t g, child, clone;
	cudaGraphNode_t set, copy, kernel, host, empty, inner, back, twin;
	cudaGraphExec_t x;
	int size = N, by = 3, two = 2, value = 10, was = calls;
	void *args[] = { &a, &size, &by };
	OK(cudaGraphCreate(&g, 0));
	cudaMemsetParams m = {};
	m.dst = a, m.value = 4, m.elementSize = 4, m.width = N, m.height = 1;
	OK(cudaGraphAddMemcpyNode1D(&back, g, nullptr, 0, out, a, BYTES, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
	OK(cudaGraphAddMemcpyNodeToSymbol(&copy, g, nullptr, 0, symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphAddEmptyNode(&empty, g, nullptr, 0));
	cudaGraphNode_t both[] = { set, copy };
	cudaKernelNodeParams k = {};
	k.func = (void *)scale, k.gridDim = 3, k.blockDim = 32, k.kernelParams = args;
	OK(cudaGraphAddKernelNode(&kernel, g, both, 2, &k));
	by = 100; // the node has its own
	OK(cudaGraphCreate(&child, 0));
	cudaHostNodeParams h = { count, &two };
	OK(cudaGraphAddHostNode(&host, child, nullptr, 0, &h));
	OK(cudaGraphAddChildGraphNode(&inner, g, &kernel, 1, child));
#if CUDART_VERSION >= 13000
	OK(cudaGraphAddDependencies(g, &inner, &back, nullptr, 1));
#else
	OK(cudaGraphAddDependencies(g, &inner, &back, 1));
#endif
	size_t n = 0;
	OK(cudaGraphGetRootNodes(g, nullptr, &n));
	check("roots", (long)n, 3);
	OK(cudaGraphClone(&clone, g));
	OK(cudaGraphNodeFindInClone(&twin, kernel, clone));
	OK(cudaGraphInstantiateWithFlags(&x, clone, 0));
	OK(cudaGraphLaunch(x, s));
	check("by hand", sum(), N * (4 * 3 + 10));
	check("by hand: the host's function", calls - was, 2);
	m.value = 5;
	OK(cudaGraphMemsetNodeSetParams(set, &m));
	OK(cudaGraphLaunch(x, s));
	check("the clone stays", sum(), N * (4 * 3 + 10));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphInstantiate(&x, g, 0));
	OK(cudaGraphLaunch(x, nullptr));
	check("the graph has changed", sum(), N * (5 * 3 + 10));
	OK(cudaGraphExecMemcpyNodeSetParams1D(x, back, out, a, sizeof *out, cudaMemcpyDeviceToHost));
	m.value = 6;
	OK(cudaGraphExecMemsetNodeSetParams(x, set, &m));
	OK(cudaGraphLaunch(x, s));
	check("nodes of what can be launched", sum(), (N - 1) * (5 * 3 + 10) + 6 * 3 + 10);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroyNode(inner));
	OK(cudaGraphGetNodes(g, nullptr, &n));
	check("one node fewer", (long)n, 5);
#if CUDART_VERSION >= 13000
	OK(cudaGraphAddDependencies(g, &kernel, &set, nullptr, 1));
#else
	OK(cudaGraphAddDependencies(g, &kernel, &set, 1));
#endif
	check("a cycle", cudaGraphInstantiate(&x, g, 0) != cudaSuccess, 1);
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphDestroy(child));
	OK(cudaGraphDestroy(g));
}

static void
mistakes(cudaStream_t s, cudaStream_t t)
{
	cudaGraph_t g;
	cudaEvent_t e;
	OK(cudaEventCreate(&e));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	check("waiting", cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
	check("after it", cudaMemsetAsync(a, 0, BYTES, s), cudaErrorStreamCaptureInvalidated);
	check("the end", cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	check("the legacy stream", cudaMemsetAsync(a, 0, BYTES, 0), cudaErrorStreamCaptureImplicit);
	check("the end", cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	OK(cudaMemsetAsync(a, 0, BYTES, t));
	check("not joined", cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
	check("an event of a capture", cudaEventSynchronize(e), cudaErrorCapturedEvent);
	check("no capture", cudaStreamEndCapture(s, &g), cudaErrorIllegalState);
	OK(cudaMemsetAsync(a, 0, BYTES, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaEventDestroy(e));
}

int
main()
{
	cudaStream_t s, t;
	OK(cudaMalloc(&a, BYTES));
	OK(cudaMalloc(&b, BYTES));
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreate(&t));
	captures(s, t);
	by_hand(s);
	mistakes(s, t);
	OK(cudaStreamDestroy(t));
	OK(cudaStreamDestroy(s));
	cudaGetLastError();
	return failed;
}
