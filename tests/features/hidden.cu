// SPDX-License-Identifier: MIT
// CCC: --ccc-dynamic-shared=4096
// One iteration writes what a later one of the same thread reads, by hidden ways: device variables through pointers, different names of one
// dynamic shared array, surfaces, pointers in memory, functions with annotated loops that are called in annotated loops.
#ifndef KERNELS
#define KERNELS "hidden.cu"
#define HEADERS "textures.cuh"
#include "features.cuh"
int main()
{
	RUN(variable_pointer); RUN(pointer_variable); RUN(constant_pointer); RUN(extern_names); RUN(extern_static_next); RUN(surface_next); RUN(loaded_pointer); RUN(loop_in_path); RUN(loop_in_own);
	RUN(loop_in_recursion); RUN(prints); RUN(static_in_function); RUN(local_through_memory); RUN(union_pointer); RUN(integer_pointer); RUN(managed_pointer); RUN(shared_through_global);
	RUN(offset_overlap); RUN(wide_overlap); RUN(atomic_then_load); RUN(volatile_then_load); RUN(memcpy_path); RUN(returned_pointer);
	return finish();
}
#else
__device__ unsigned var[N + 1200];
__global__ void clear_var()
{
	for (int i = threadIdx.x; i < N + 1200; i += blockDim.x)
		var[i] = mix(i);
}
__global__ void variable_pointer(G g, unsigned *p) // the test reads the variable, the path writes it through a pointer
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = var[i];
		LIF
		if (rare(x)) {
			unsigned y = work(x);
			p[i + threads()] = y & ~7u | (y & 64 ? 3 : 5);
			s += y;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_variable_pointer(const G &g, int blocks, int block)
{
	unsigned *p;
	cudaGetSymbolAddress((void **)&p, var);
	clear_var<<<1, 128>>>();
	variable_pointer<<<blocks, block>>>(g, p);
}
__global__ void pointer_variable(G g, const unsigned *p) // the other way round
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = p[i];
		LIF
		if (rare(x)) {
			unsigned y = work(x);
			var[i + threads()] = y & ~7u | (y & 64 ? 3 : 5);
			s += y;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_pointer_variable(const G &g, int blocks, int block)
{
	unsigned *p;
	cudaGetSymbolAddress((void **)&p, var);
	clear_var<<<1, 128>>>();
	pointer_variable<<<blocks, block>>>(g, p);
}
__device__ unsigned other[N + 1200];
__device__ unsigned *where[2];
__global__ void set_where() { where[0] = var, where[1] = other; }
__global__ void constant_pointer(G g) // the path writes through a pointer that is stored in memory
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = var[i];
		LIF
		if (rare(x)) {
			unsigned y = work(x);
			where[y >> 9 & 1][i + threads()] = y & ~7u | (y & 64 ? 3 : 5);
			s += y;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_constant_pointer(const G &g, int blocks, int block)
{
	set_where<<<1, 1>>>();
	clear_var<<<1, 128>>>();
	constant_pointer<<<blocks, block>>>(g);
}
extern __shared__ unsigned words_of[];
extern __shared__ float floats_of[];
__global__ void extern_names(G g)
{
	words_of[threadIdx.x] = mix(thread_id());
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = words_of[threadIdx.x] + i;
		LIF
		if (rare(x)) {
			s = work(s + x);
			floats_of[threadIdx.x] = (s & 1023) * 0.25f;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_extern_names(const G &g, int blocks, int block) { extern_names<<<blocks, block, 1024>>>(g); }
__global__ void extern_static_next(G g) // the pointer moves from one array into the other only if an access is out of bounds: they are two objects
{
	__shared__ unsigned fixed[128];
	fixed[threadIdx.x] = mix(thread_id()), words_of[threadIdx.x] = 1;
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = fixed[threadIdx.x] + i;
		LIF
		if (rare(x)) {
			s = work(s + x);
			words_of[threadIdx.x] += s;
		}
	}
	g.thread[thread_id()] = s ^ words_of[threadIdx.x];
}
inline void launch_extern_static_next(const G &g, int blocks, int block) { extern_static_next<<<blocks, block, 1024>>>(g); }
__global__ void surface_next(G g, cudaSurfaceObject_t s)
{
	unsigned sum = 0;
	LATER
	EACH(i) {
		unsigned x = surf2Dread<unsigned>(s, i % 64 * 4, i / 64);
		LIF
		if (rare(x)) {
			unsigned y = work(x);
			sum += y;
			surf2Dwrite(y & ~7u | (y & 64 ? 3 : 5), s, (i + threads()) % 64 * 4, (i + threads()) / 64);
		}
	}
	g.thread[thread_id()] = sum;
}
inline void launch_surface_next(const G &g, int blocks, int block)
{
	static unsigned v[64 * 32];
	for (int k = 0; k < 64 * 32; k++)
		v[k] = k * 2654435761u >> 3;
	cudaArray_t a;
	cudaChannelFormatDesc d = cudaCreateChannelDesc<unsigned>();
	CHECK_CALL(cudaMallocArray(&a, &d, 64, 32, cudaArraySurfaceLoadStore));
	CHECK_CALL(cudaMemcpy2DToArray(a, 0, 0, v, 256, 256, 32, cudaMemcpyHostToDevice));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray, r.res.array.array = a;
	cudaSurfaceObject_t s;
	CHECK_CALL(cudaCreateSurfaceObject(&s, &r));
	surface_next<<<blocks, block>>>(g, s);
	cudaDeviceSynchronize();
	cudaDestroySurfaceObject(s), cudaFreeArray(a);
}
struct Box {
	unsigned *p;
	const unsigned *q;
};
__global__ void loaded_pointer(G g, const Box *b) // both pointers are loaded from memory
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = b->q[i];
		LIF
		if (rare(x)) {
			unsigned y = work(x);
			b->p[i + threads()] = y & ~7u | (y & 64 ? 3 : 5);
			s += y;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_loaded_pointer(const G &g, int blocks, int block)
{
	unsigned *p;
	Box *b, h;
	cudaGetSymbolAddress((void **)&p, var);
	h.p = p, h.q = p;
	CHECK_CALL(cudaMalloc(&b, sizeof h));
	CHECK_CALL(cudaMemcpy(b, &h, sizeof h, cudaMemcpyHostToDevice));
	clear_var<<<1, 128>>>();
	loaded_pointer<<<blocks, block>>>(g, b);
	cudaDeviceSynchronize();
	cudaFree(b);
}
__device__ __noinline__ unsigned inner_loop(const unsigned *in, unsigned x, int n)
{
	unsigned s = 0;
	FOR
	for (int k = x & 7; k < n; k += 8) {
		unsigned y = in[k];
		IF
		if (rare(y))
			s += work(y + x);
	}
	return s;
}
__global__ void loop_in_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = inner_loop(g.in, x, 40);
	}
}
LAUNCH(loop_in_path)
__global__ void loop_in_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = inner_loop(g.in, g.in[i], 24 + (i & 7));
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(loop_in_own)
__device__ __noinline__ unsigned recursive_loop(const unsigned *in, unsigned x, int depth)
{
	unsigned s = 0;
	FOR
	for (int k = x & 3; k < 16; k += 4) {
		unsigned y = in[k];
		IF
		if (rare(y + depth))
			s += work(y + x);
	}
	if (depth > 0 && (x & 8))
		s += recursive_loop(in, mix(x), depth - 1);
	return s;
}
__global__ void loop_in_recursion(G g) { g.thread[thread_id()] = recursive_loop(g.in, mix(thread_id()), 4); }
LAUNCH(loop_in_recursion)
__global__ void prints(G g) // the printf is never executed
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			g.out[i] = work(x);
			if (x == 0xdeadbeef)
				printf("item %d: %u\n", i, x);
		}
	}
}
LAUNCH(prints)
__device__ __noinline__ unsigned with_static(unsigned x)
{
	__shared__ unsigned scratch[128];
	scratch[threadIdx.x] = x * 3;
	return scratch[threadIdx.x] + 1;
}
__global__ void static_in_function(G g) // each thread has its own element of the function's shared memory
{
	LATER
	EACH(i) {
		unsigned x = with_static(g.in[i]);
		LIF
		if (rare(x))
			g.out[i] = work(with_static(x));
	}
}
LAUNCH(static_in_function)
struct Link {
	unsigned *to;
};
__device__ __noinline__ void store_by(Link *l, unsigned v) { *l->to = v; }
__global__ void local_through_memory(G g) // the path writes a local variable through a pointer that it loads
{
	unsigned mine = mix(thread_id());
	Link l = { &mine };
	LATER
	EACH(i) {
		unsigned x = g.in[i] + mine;
		LIF
		if (rare(x))
			store_by(&l, work(x));
	}
	g.thread[thread_id()] = mine;
}
LAUNCH(local_through_memory)
__global__ void union_pointer(G g)
{
	union { unsigned *u; float *f; unsigned long long n; } a, b;
	a.u = g.out + thread_id(), b.n = a.n + 0;
	unsigned s = 0;
	LATER
	for (int i = thread_id(); i < g.n; i += threads()) {
		unsigned x = *b.u + g.in[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			*a.f = (float)(s & 0xffff);
		}
	}
	g.thread[thread_id()] = s;
}
LAUNCH(union_pointer)
__global__ void integer_pointer(G g, unsigned long long base) // a pointer that is passed as an integer
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = g.out[i] + g.in[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			if (i + threads() < g.n)
				((unsigned *)base)[i + threads()] = s;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_integer_pointer(const G &g, int blocks, int block) { integer_pointer<<<blocks, block>>>(g, (unsigned long long)g.out); }
__managed__ unsigned both[N + 1200];
__global__ void managed_pointer(G g, unsigned *p)
{
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = both[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			p[i + threads()] = s;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_managed_pointer(const G &g, int blocks, int block)
{
	cudaDeviceSynchronize();
	for (int i = 0; i < N + 1200; i++)
		both[i] = i * 2654435761u >> 5;
	managed_pointer<<<blocks, block>>>(g, both);
}
__global__ void shared_through_global(G g, unsigned **slot) // a pointer to shared memory is stored in global memory
{
	__shared__ unsigned s[128];
	s[threadIdx.x] = mix(thread_id());
	slot[thread_id()] = &s[threadIdx.x];
	unsigned sum = 0;
	LATER
	EACH(i) {
		unsigned x = s[threadIdx.x] + i;
		LIF
		if (rare(x)) {
			sum = work(sum + x);
			*slot[thread_id()] = sum;
		}
	}
	g.thread[thread_id()] = sum;
}
inline void launch_shared_through_global(const G &g, int blocks, int block)
{
	unsigned **slot;
	CHECK_CALL(cudaMalloc(&slot, 1024 * sizeof *slot));
	shared_through_global<<<blocks, block>>>(g, slot);
	cudaDeviceSynchronize();
	cudaFree(slot);
}
__global__ void offset_overlap(G g) // bytes that overlap the word of the next iteration
{
	unsigned char *b = (unsigned char *)(g.out + thread_id() * 8);
	unsigned s = 0;
	LATER
	for (int r = 0; r < 24; r++) {
		unsigned x = *(unsigned *)(b + (r & 7) * 4) + g.in[r];
		LIF
		if (rare(x)) {
			s = work(s + x);
			b[((r & 7) * 4 + 5) & 31] = s;
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_offset_overlap(const G &g, int blocks, int block) { offset_overlap<<<1, block>>>(g); }
__global__ void wide_overlap(G g) // 16 bytes are written, four read
{
	uint4 *w = (uint4 *)(g.out + thread_id() * 8);
	unsigned s = 0;
	LATER
	for (int r = 0; r < 24; r++) {
		unsigned x = ((unsigned *)w)[(r + 2) & 7] + g.in[r];
		LIF
		if (rare(x)) {
			s = work(s + x);
			w[r >> 1 & 1] = make_uint4(s, s + 1, s + 2, s + 3);
		}
	}
	g.thread[thread_id()] = s;
}
inline void launch_wide_overlap(const G &g, int blocks, int block) { wide_overlap<<<1, block>>>(g); }
__device__ unsigned mine_of[1024];
__global__ void atomic_then_load(G g) // the path changes by an atomic operation what the test reads by an ordinary load
{
	mine_of[thread_id()] = thread_id();
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = mine_of[thread_id()] + g.in[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			atomicExch(&mine_of[thread_id()], s);
		}
	}
	g.thread[thread_id()] = s;
}
LAUNCH(atomic_then_load)
__global__ void volatile_then_load(G g)
{
	mine_of[thread_id()] = thread_id();
	unsigned s = 0;
	LATER
	EACH(i) {
		unsigned x = mine_of[thread_id()] + g.in[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(&mine_of[thread_id()])), "r"(s) : "memory");
		}
	}
	g.thread[thread_id()] = s;
}
LAUNCH(volatile_then_load)
struct Blob {
	unsigned v[6];
};
__global__ void memcpy_path(G g)
{
	Blob *b = (Blob *)g.out;
	FOR
	for (int i = thread_id(); i < g.n / 6; i += threads()) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			Blob t;
			for (int k = 0; k < 6; k++)
				t.v[k] = work(x + k);
			memcpy(&b[i], &t, sizeof t);
		}
	}
}
LAUNCH(memcpy_path)
__device__ __noinline__ unsigned *place(unsigned *a, unsigned *b, unsigned k) { return k & 1 ? a : b; }
__global__ void returned_pointer(G g) // a pointer with unknown target
{
	unsigned *a = g.out + thread_id(), s = 0;
	LATER
	EACH(i) {
		unsigned x = *a + g.in[i];
		LIF
		if (rare(x)) {
			s = work(s + x);
			*place(a, g.thread + thread_id(), s) = s;
		}
	}
	g.thread[thread_id()] += s;
}
LAUNCH(returned_pointer)
#endif
