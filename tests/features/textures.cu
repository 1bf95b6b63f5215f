// SPDX-License-Identifier: MIT
// Textures, surfaces, graphs and streams, cooperative and other launches, host code for several devices.
#ifndef KERNELS
#define KERNELS "textures.cu"
#define HEADERS "textures.cuh"
#include "features.cuh"
int main()
{
	RUN(linear); RUN(two_dimensions); RUN(three_dimensions); RUN(surface_path); RUN(surface_own); RUN(layered); RUN(several); RUN(filtered); RUN(chosen); RUN(graph); RUN(captured); RUN(streams); RUN(shaped); RUN(launch_ex); RUN(gathered);
	return finish();
}
#else
struct Texture { // of words, 16 wide
	cudaArray_t array;
	cudaTextureObject_t tex;
	cudaSurfaceObject_t surf;
	Texture(const cudaChannelFormatDesc &format, const void *data, size_t bytes, dim3 size, unsigned flags = 0, cudaTextureFilterMode filter = cudaFilterModePoint)
	{
		cudaExtent e = make_cudaExtent(size.x, size.y, size.z);
		if (size.z || flags) {
			CHECK_CALL(cudaMalloc3DArray(&array, &format, e, flags));
			cudaMemcpy3DParms p = {};
			p.srcPtr = make_cudaPitchedPtr(const_cast<void *>(data), size.x * bytes, size.x, size.y ? size.y : 1);
			p.dstArray = array, p.kind = cudaMemcpyHostToDevice;
			p.extent = make_cudaExtent(size.x, size.y ? size.y : 1, size.z ? size.z : 1);
			CHECK_CALL(cudaMemcpy3D(&p));
		} else {
			CHECK_CALL(cudaMallocArray(&array, &format, size.x, size.y, flags));
			CHECK_CALL(cudaMemcpy2DToArray(array, 0, 0, data, size.x * bytes, size.x * bytes, size.y ? size.y : 1, cudaMemcpyHostToDevice));
		}
		cudaResourceDesc r = {};
		r.resType = cudaResourceTypeArray, r.res.array.array = array;
		cudaTextureDesc t = {};
		t.filterMode = filter, t.readMode = cudaReadModeElementType;
		t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
		CHECK_CALL(cudaCreateTextureObject(&tex, &r, &t, 0));
		surf = 0;
		if (flags & cudaArraySurfaceLoadStore)
			CHECK_CALL(cudaCreateSurfaceObject(&surf, &r));
	}
	~Texture()
	{
		cudaDeviceSynchronize();
		cudaDestroyTextureObject(tex);
		if (surf)
			cudaDestroySurfaceObject(surf);
		cudaFreeArray(array);
	}
};
inline const unsigned *numbers()
{
	static unsigned v[4096];
	for (int k = 0; k < 4096; k++)
		v[k] = k * 2654435761u >> 3;
	return v;
}
__global__ void linear(G g, cudaTextureObject_t t)
{
	FOR
	EACH(i) {
		unsigned x = tex1Dfetch<unsigned>(t, i);
		IF
		if (rare(x))
			g.out[i] = work(x) + tex1Dfetch<unsigned>(t, (i * 5) % g.n);
	}
}
inline void launch_linear(const G &g, int blocks, int block)
{
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = (void *)g.in, r.res.linear.desc = cudaCreateChannelDesc<unsigned>(), r.res.linear.sizeInBytes = g.n * 4;
	cudaTextureDesc d = {};
	d.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	CHECK_CALL(cudaCreateTextureObject(&t, &r, &d, 0));
	linear<<<blocks, block>>>(g, t);
	cudaDeviceSynchronize();
	cudaDestroyTextureObject(t);
}
__global__ void two_dimensions(G g, cudaTextureObject_t t)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + tex2D<unsigned>(t, (x >> 3 & 63) + 0.5f, (x >> 9 & 31) + 0.5f);
	}
}
inline void launch_two_dimensions(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(64, 32, 0));
	two_dimensions<<<blocks, block>>>(g, t.tex);
}
__global__ void three_dimensions(G g, cudaTextureObject_t t)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y = tex3D<unsigned>(t, (x & 7) + 0.5f, (x >> 3 & 7) + 0.5f, (x >> 6 & 3) + 0.5f);
		IF
		if (rare(y))
			g.out[i] = work(y) + tex3D<unsigned>(t, 3.5f, (x >> 8 & 7) + 0.5f, 1.5f);
	}
}
inline void launch_three_dimensions(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(8, 8, 4));
	three_dimensions<<<blocks, block>>>(g, t.tex);
}
__global__ void read_surface(G g, cudaSurfaceObject_t s)
{
	EACH(i)
		g.out[i] += surf2Dread<unsigned>(s, i % 64 * 4, i / 64);
}
__global__ void surface_path(G g, cudaSurfaceObject_t s)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			surf2Dwrite(work(x), s, i % 64 * 4, i / 64);
	}
}
inline void launch_surface_path(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(64, 16, 0), cudaArraySurfaceLoadStore);
	surface_path<<<blocks, block>>>(g, t.surf);
	read_surface<<<blocks, block>>>(g, t.surf);
}
__global__ void surface_own(G g, cudaSurfaceObject_t s) // the common code writes what the path has read
{
	SEQ
	EACH(i) {
		unsigned x = surf2Dread<unsigned>(s, i % 64 * 4, i / 64);
		SIF
		if (rare(x))
			g.out[i] = work(x) + surf2Dread<unsigned>(s, i % 64 * 4, i / 64);
		surf2Dwrite(x + 1, s, i % 64 * 4, i / 64);
	}
}
inline void launch_surface_own(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(64, 16, 0), cudaArraySurfaceLoadStore);
	surface_own<<<blocks, block>>>(g, t.surf);
	read_surface<<<blocks, block>>>(g, t.surf);
}
__global__ void layered(G g, cudaTextureObject_t t)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + tex2DLayered<unsigned>(t, (x >> 3 & 15) + 0.5f, (x >> 7 & 15) + 0.5f, x >> 12 & 3);
	}
}
inline void launch_layered(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(16, 16, 4), cudaArrayLayered);
	layered<<<blocks, block>>>(g, t.tex);
}
__global__ void several(G g, cudaTextureObject_t a, cudaTextureObject_t b) // the lane selects the texture
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		cudaTextureObject_t t = x & 32 ? a : b;
		IF
		if (rare(x)) {
			uint4 v = tex1D<uint4>(t, (x >> 8 & 15) + 0.5f);
			g.out[i] = work(v.x) + v.y * 3 + v.z * 5 + v.w;
		}
	}
}
inline void launch_several(const G &g, int blocks, int block)
{
	Texture a(cudaCreateChannelDesc<uint4>(), numbers(), 16, dim3(16, 0, 0)), b(cudaCreateChannelDesc<uint4>(), numbers() + 64, 16, dim3(16, 0, 0));
	several<<<blocks, block>>>(g, a.tex, b.tex);
}
__global__ void filtered(G g, cudaTextureObject_t t)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.f[i] = tex2D<float>(t, (x >> 3 & 63) / 4.f, (x >> 9 & 63) / 4.f) + (work(x) & 1);
	}
}
inline void launch_filtered(const G &g, int blocks, int block)
{
	static float v[256];
	for (int k = 0; k < 256; k++)
		v[k] = k;
	Texture t(cudaCreateChannelDesc<float>(), v, 4, dim3(16, 16, 0), 0, cudaFilterModeLinear);
	filtered<<<blocks, block>>>(g, t.tex);
}
struct Scene {
	cudaTextureObject_t t[3];
};
__global__ void chosen(G g, const __grid_constant__ Scene s) // the texture's handle is loaded in the path
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + tex2D<unsigned>(s.t[x % 3], (x >> 3 & 15) + 0.5f, (x >> 9 & 15) + 0.5f);
	}
}
inline void launch_chosen(const G &g, int blocks, int block)
{
	Texture a(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(16, 16, 0)), b(cudaCreateChannelDesc<unsigned>(), numbers() + 99, 4, dim3(16, 16, 0)), c(cudaCreateChannelDesc<unsigned>(), numbers() + 299, 4, dim3(16, 16, 0));
	chosen<<<blocks, block>>>(g, Scene { a.tex, b.tex, c.tex });
}
__global__ void graph(G g, unsigned salt)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i] + salt;
		IF
		if (rare(x))
			g.out[i] = g.out[i] * 3 + work(x);
	}
}
inline void launch_graph(const G &g, int blocks, int block) // nodes added by hand, one after the other
{
	cudaGraph_t gr;
	cudaGraphExec_t ex;
	cudaGraphNode_t node[3];
	CHECK_CALL(cudaGraphCreate(&gr, 0));
	for (int k = 0; k < 3; k++) {
		G copy = g;
		unsigned salt = k;
		void *args[] = { &copy, &salt };
		cudaKernelNodeParams p = {};
		p.func = (void *)graph, p.gridDim = dim3(blocks), p.blockDim = dim3(block), p.kernelParams = args;
		CHECK_CALL(cudaGraphAddKernelNode(&node[k], gr, k ? &node[k - 1] : nullptr, k ? 1 : 0, &p));
	}
	CHECK_CALL(cudaGraphInstantiate(&ex, gr, 0));
	CHECK_CALL(cudaGraphLaunch(ex, 0));
	CHECK_CALL(cudaGraphLaunch(ex, 0));
	CHECK_CALL(cudaDeviceSynchronize());
	cudaGraphExecDestroy(ex);
	cudaGraphDestroy(gr);
}
inline void launch_captured(const G &g, int blocks, int block)
{
	cudaStream_t s;
	cudaGraph_t gr;
	cudaGraphExec_t ex;
	CHECK_CALL(cudaStreamCreate(&s));
	CHECK_CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	graph<<<blocks, block, 0, s>>>(g, 1);
	graph<<<blocks, block, 0, s>>>(g, 2);
	CHECK_CALL(cudaStreamEndCapture(s, &gr));
	CHECK_CALL(cudaGraphInstantiate(&ex, gr, 0));
	CHECK_CALL(cudaGraphLaunch(ex, s));
	CHECK_CALL(cudaStreamSynchronize(s));
	cudaGraphExecDestroy(ex);
	cudaGraphDestroy(gr);
	cudaStreamDestroy(s);
}
inline void launch_streams(const G &g, int blocks, int block) // halves in two streams, then both
{
	cudaStream_t s[2];
	cudaEvent_t e;
	CHECK_CALL(cudaEventCreate(&e));
	for (int k = 0; k < 2; k++) {
		CHECK_CALL(cudaStreamCreate(&s[k]));
		G h = g;
		h.in += k * g.n / 2, h.out += k * g.n / 2, h.n /= 2;
		graph<<<blocks, block, 0, s[k]>>>(h, k);
	}
	CHECK_CALL(cudaEventRecord(e, s[0]));
	CHECK_CALL(cudaStreamWaitEvent(s[1], e, 0));
	graph<<<blocks, block, 0, s[1]>>>(g, 7);
	CHECK_CALL(cudaDeviceSynchronize());
	cudaStreamDestroy(s[0]), cudaStreamDestroy(s[1]), cudaEventDestroy(e);
}
__global__ void shaped(G g) // blocks and grids of three dimensions
{
	int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), size = blockDim.x * blockDim.y * blockDim.z;
	int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), grids = gridDim.x * gridDim.y * gridDim.z;
	FOR
	for (int i = b * size + t; i < g.n; i += size * grids) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + threadIdx.y;
	}
}
inline void launch_shaped(const G &g, int blocks, int block) { shaped<<<dim3(1, blocks, 2), dim3(5, 3, 3)>>>(g); }
inline void launch_launch_ex(const G &g, int blocks, int block)
{
	cudaLaunchConfig_t c = {};
	c.gridDim = dim3(blocks), c.blockDim = dim3(block);
	cudaLaunchAttribute a[1];
	a[0].id = cudaLaunchAttributePriority, a[0].val.priority = 0;
	c.attrs = a, c.numAttrs = 1;
	CHECK_CALL(cudaLaunchKernelEx(&c, graph, g, 5u));
}
__global__ void gathered(G g, cudaTextureObject_t t)
{
	unsigned s = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			uint4 v = tex2Dgather<uint4>(t, (x >> 3 & 15) + 1.f, (x >> 9 & 15) + 1.f, 0);
			s = work(s + v.x) + v.y * 3 + v.z * 5 + v.w;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_gathered(const G &g, int blocks, int block)
{
	Texture t(cudaCreateChannelDesc<unsigned>(), numbers(), 4, dim3(17, 17, 0), cudaArrayTextureGather);
	gathered<<<blocks, block>>>(g, t.tex);
}
#endif
