// SPDX-License-Identifier: MIT
// Texture and surface objects: for arrays and linear memory, with each filter mode and address mode, and each kind of
// texel. Results are compared with the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), computed on the host.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static int failed;
static void
check(const char *what, double got, double want)
{
	bool same = std::fabs(got - want) <= 1e-5 * (1 + std::fabs(want));
	printf("%s %s: %g", same ? "ok" : "FAIL", what, got);
	printf(same ? "\n" : " instead of %g\n", want);
	failed |= !same;
}
#define OK(call) check(#call, call, cudaSuccess)

enum { W = 7, H = 5, D = 3, SAMPLES = 96 };

__global__ void fetch(cudaTextureObject_t t, float *out, int first)
{
	out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x + first);
}
__global__ void sample1(cudaTextureObject_t t, float *out, const float *x)
{
	out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]);
}
__global__ void sample2(cudaTextureObject_t t, float *out, const float *x, const float *y)
{
	out[threadIdx.x] = tex2D<float>(t, x[threadIdx.x], y[threadIdx.x]);
}
__global__ void sample3(cudaTextureObject_t t, float *out, const float *x, const float *y)
{
	int i = threadIdx.x;
	out[i] = tex3D<float>(t, x[i], y[i], x[i] + y[i]);
}
__global__ void layers(cudaTextureObject_t t, float *out, int layer)
{
	out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % W + 0.5f, threadIdx.x / W + 0.5f, layer);
}
__global__ void colours(cudaTextureObject_t t, float4 *out)
{
	out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 1.5f);
}
__global__ void bytes(cudaTextureObject_t t, uchar4 *out, cudaTextureObject_t s, short *shorts)
{
	out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x + 0.5f, 1.5f);
	shorts[threadIdx.x] = tex1D<short>(s, threadIdx.x + 0.5f);
}
__global__ void gather(cudaTextureObject_t t, float4 *out, float x, float y)
{
	*out = tex2Dgather<float4>(t, x, y, 0);
}
__global__ void surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
	float v, w;
	int x = threadIdx.x, y = threadIdx.y;
	surf2Dread(&v, from, x * 4, y);
	surf2Dread(&w, from, (x + 1) * 4, y, cudaBoundaryModeClamp);
	surf2Dwrite(v + w, to, x * 4, y);
	surf2Dwrite(-1.f, to, (x + W) * 4, y, cudaBoundaryModeZero);
}

// The model: a texel of a W x H x D grid, and a sample.
static int edge_mode;
static bool linear, normalized;
static float grid(int x, int y, int z) { return x + 10 * y + 100 * z + (x * y % 3) * 0.25f; }

static int
edge(int k, int n, bool *outside)
{
	int mode = normalized || edge_mode == cudaAddressModeBorder ? edge_mode : cudaAddressModeClamp;
	if (k >= 0 && k < n)
		return k;
	if (mode == cudaAddressModeBorder)
		*outside = true;
	if (mode == cudaAddressModeWrap)
		return (k % n + n) % n;
	if (mode == cudaAddressModeMirror) {
		k = (k % (2 * n) + 2 * n) % (2 * n);
		return k < n ? k : 2 * n - 1 - k;
	}
	return k < 0 ? 0 : n - 1;
}

static float
model(int dims, const float at[3])
{
	const int n[3] = { W, dims > 1 ? H : 1, dims > 2 ? D : 1 };
	float sum = 0;
	for (int k = 0; k < (linear ? 1 << dims : 1); k++) {
		float weight = 1;
		bool outside = false;
		int index[3] = { 0, 0, 0 };
		for (int d = 0; d < dims; d++) {
			float x = normalized ? at[d] * n[d] : at[d];
			if (linear) {
				x -= 0.5f;
				float a = floorf((x - floorf(x)) * 256 + 0.5f) / 256;
				weight *= k >> d & 1 ? a : 1 - a;
			}
			index[d] = edge((int)floorf(x) + (k >> d & 1), n[d], &outside);
		}
		sum += weight * (outside ? 7.5f : grid(index[0], index[1], index[2]));
	}
	return sum;
}

static cudaTextureDesc
how(int readMode)
{
	cudaTextureDesc d = {};
	for (int k = 0; k < 3; k++)
		d.addressMode[k] = (cudaTextureAddressMode)edge_mode;
	d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	d.normalizedCoords = normalized;
	d.readMode = (cudaTextureReadMode)readMode;
	for (float &b : d.borderColor)
		b = 7.5f;
	return d;
}

static cudaTextureObject_t
object(cudaArray_t a, int readMode)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = how(readMode);
	cudaTextureObject_t t = 0;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	if (cudaCreateTextureObject(&t, &r, &d, nullptr))
		check("a texture object", 0, 1);
	return t;
}

static cudaArray_t
filled(int w, int h, int d, unsigned flags)
{
	static float host[W * H * D];
	cudaArray_t a = nullptr;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				host[(z * H + y) * W + x] = grid(x, y, z);
	if (cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d), flags))
		check("an array", 0, 1);
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(host, W * sizeof(float), W, H);
	p.dstArray = a;
	p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
	p.kind = cudaMemcpyHostToDevice;
	if (cudaMemcpy3D(&p))
		check("a copy", 0, 1);
	return a;
}

static void
filters()
{
	float *x, *y, *out, host[2][SAMPLES], got[SAMPLES];
	cudaMalloc(&x, sizeof got), cudaMalloc(&y, sizeof got), cudaMalloc(&out, sizeof got);
	const char *const modes[] = { "wrap", "clamp", "mirror", "border" };
	cudaArray_t arrays[] = { filled(W, 0, 0, 0), filled(W, H, 0, 0), filled(W, H, D, 0) };
	for (int way = 0; way < 16; way++) {
		edge_mode = way & 3, linear = way >> 2 & 1, normalized = way >> 3;
		for (int i = 0; i < SAMPLES; i++) { // a power of two, so that the model's sums equal the kernel's
			host[0][i] = (i * 37 % 128 - 40) / (normalized ? 32.f : 4.f) + 1 / 128.f;
			host[1][i] = (i * 53 % 64 - 20) / (normalized ? 32.f : 4.f) + 1 / 128.f;
		}
		cudaMemcpy(x, host[0], sizeof got, cudaMemcpyDefault);
		cudaMemcpy(y, host[1], sizeof got, cudaMemcpyDefault);
		for (int dims = 1; dims <= 3; dims++) {
			cudaTextureObject_t t = object(arrays[dims - 1], cudaReadModeElementType);
			if (dims == 1)
				sample1<<<1, SAMPLES>>>(t, out, x);
			else if (dims == 2)
				sample2<<<1, SAMPLES>>>(t, out, x, y);
			else
				sample3<<<1, SAMPLES>>>(t, out, x, y);
			cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault);
			int wrong = 0;
			for (int i = 0; i < SAMPLES; i++) {
				const float at[] = { host[0][i], host[1][i], host[0][i] + host[1][i] };
				float want = model(dims, at);
				wrong += std::fabs(got[i] - want) > 1e-4f * (1 + std::fabs(want));
			}
			char what[96];
			snprintf(what, sizeof what, "%dD %s%s%s: samples that are wrong", dims, modes[edge_mode],
				linear ? ", linear" : "", normalized ? ", normalized" : "");
			check(what, wrong, 0);
			OK(cudaDestroyTextureObject(t));
		}
	}
	linear = normalized = false, edge_mode = cudaAddressModeClamp;
	cudaTextureObject_t t = object(arrays[1], cudaReadModeElementType);
	float4 *four, corner;
	cudaMalloc(&four, sizeof *four);
	gather<<<1, 1>>>(t, four, 3, 2);
	cudaMemcpy(&corner, four, sizeof corner, cudaMemcpyDefault);
	check("gather x", corner.x, grid(2, 2, 0));
	check("gather y", corner.y, grid(3, 2, 0));
	check("gather z", corner.z, grid(3, 1, 0));
	check("gather w", corner.w, grid(2, 1, 0));
	for (cudaArray_t a : arrays)
		OK(cudaFreeArray(a));
}

static void
memory()
{
	float *line, *out, host[64], got[64];
	for (int i = 0; i < 64; i++)
		host[i] = 3 * i;
	cudaMalloc(&line, sizeof host), cudaMalloc(&out, sizeof got);
	cudaMemcpy(line, host, sizeof host, cudaMemcpyDefault);
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t;
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = line;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = 32 * sizeof(float);
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	fetch<<<1, 32>>>(t, out, 8);
	cudaMemcpy(got, out, sizeof(float) * 32, cudaMemcpyDefault);
	check("tex1Dfetch", got[23], 3 * 31);
	check("behind the memory", got[24], 0);

	size_t pitch;
	float *rows, x[32], y[32];
	OK(cudaMallocPitch(&rows, &pitch, 8 * sizeof(float), 8));
	cudaMemcpy2D(rows, pitch, host, 8 * sizeof(float), 8 * sizeof(float), 8, cudaMemcpyDefault);
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = rows;
	r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
	r.res.pitch2D.width = r.res.pitch2D.height = 8;
	r.res.pitch2D.pitchInBytes = pitch;
	d.filterMode = cudaFilterModeLinear;
	d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	for (int i = 0; i < 32; i++)
		x[i] = 1 + i / 8.f, y[i] = 2.5f;
	cudaMemcpy(line, x, sizeof x, cudaMemcpyDefault);
	cudaMemcpy(line + 32, y, sizeof y, cudaMemcpyDefault);
	sample2<<<1, 32>>>(t, out, line, line + 32);
	cudaMemcpy(got, out, sizeof(float) * 32, cudaMemcpyDefault);
	check("rows, between two texels", got[0], 3 * (2 * 8 + 0.5));
	check("rows, a quarter on", got[2], 3 * (2 * 8 + 0.75));
}

static void
texels()
{
	uchar4 pixel[2][4], seen[4];
	short s[8], shorts[8];
	float4 *out, colour[4];
	void *four, *two;
	cudaArray_t a, b;
	for (int i = 0; i < 4; i++)
		pixel[0][i] = pixel[1][i] = make_uchar4(i, 51 * i, 255 - i, 255);
	for (int i = 0; i < 8; i++)
		s[i] = (short)(1000 * i - 4000);
	cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>(), g = cudaCreateChannelDesc<short>();
	OK(cudaMallocArray(&a, &f, 4, 2));
	OK(cudaMallocArray(&b, &g, 8));
	OK(cudaMemcpy2DToArray(a, 0, 0, pixel, sizeof pixel[0], sizeof pixel[0], 2, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DToArray(b, 0, 0, s, sizeof s, sizeof s, 1, cudaMemcpyHostToDevice));
	cudaMalloc(&out, sizeof colour), cudaMalloc(&four, sizeof seen), cudaMalloc(&two, sizeof shorts);
	linear = normalized = false;
	colours<<<1, 4>>>(object(a, cudaReadModeNormalizedFloat), out);
	cudaMemcpy(colour, out, sizeof colour, cudaMemcpyDefault);
	check("a fraction", colour[2].y, 102 / 255.);
	check("the largest", colour[3].w, 1);
	bytes<<<1, 4>>>(object(a, cudaReadModeElementType), (uchar4 *)four, object(b, cudaReadModeElementType), (short *)two);
	cudaMemcpy(seen, four, sizeof seen, cudaMemcpyDefault);
	cudaMemcpy(shorts, two, sizeof shorts, cudaMemcpyDefault);
	check("bytes", seen[3].y + 1000 * seen[3].z, 153 + 1000 * 252);
	check("a short", shorts[1], -3000);
	uchar4 back[4];
	OK(cudaMemcpy2DFromArray(back, sizeof back, a, 0, 1, sizeof back, 1, cudaMemcpyDeviceToHost));
	check("back from the array", memcmp(back, pixel[1], sizeof back), 0);
	cudaExtent e;
	unsigned flags;
	OK(cudaArrayGetInfo(&f, &e, &flags, b));
	check("what the array is", f.x + 100 * e.width + 10000 * f.f, 16 + 800);
}

static void
surfaces()
{
	cudaArray_t from = filled(W, H, 0, cudaArraySurfaceLoadStore), to = filled(W, H, 0, cudaArraySurfaceLoadStore);
	cudaResourceDesc r = {};
	cudaSurfaceObject_t s, t;
	float got[H][W];
	r.resType = cudaResourceTypeArray;
	r.res.array.array = from;
	OK(cudaCreateSurfaceObject(&s, &r));
	r.res.array.array = to;
	OK(cudaCreateSurfaceObject(&t, &r));
	surface<<<1, dim3(W, H)>>>(s, t);
	OK(cudaMemcpy2DFromArray(got, sizeof got[0], to, 0, 0, sizeof got[0], H, cudaMemcpyDeviceToHost));
	check("a surface", got[2][3], grid(3, 2, 0) + grid(4, 2, 0));
	check("a surface's edge", got[4][W - 1], 2 * grid(W - 1, 4, 0));
	OK(cudaDestroySurfaceObject(s));
	float *out, one[W * H];
	cudaArray_t stack = filled(W, H, D, cudaArrayLayered);
	cudaMalloc(&out, sizeof one);
	layers<<<1, W * H>>>(object(stack, cudaReadModeElementType), out, 2);
	cudaMemcpy(one, out, sizeof one, cudaMemcpyDefault);
	check("a layer", one[W + 3], grid(3, 1, 2));
}

int
main(int n, char **)
{
	filters();
	memory();
	texels();
	surfaces();
	OK(cudaGetLastError());
	if (n > 1) { // a destroyed object
		float *out;
		cudaMalloc(&out, 128);
		fetch<<<1, 32>>>(12345, out, 0);
		check("no object", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	}
	return failed;
}
