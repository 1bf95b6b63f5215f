# SPDX-License-Identifier: MIT
"""CuPy on the emulator: kernels in CUDA, templates, variables; what CuPy makes itself (elementwise, reductions), and what it
has compiled already, by CUB and Thrust, in libraries with a static runtime. With ptxccc, an annotated kernel, before and after."""
import sys
import cupy as cp
import numpy as np

n = 1000
x, y = np.arange(n, dtype=np.float32), 2 * np.arange(n, dtype=np.float32)
a, b, c = cp.asarray(x), cp.asarray(y), cp.zeros(n, dtype=cp.float32)
good = True


def same(got, want):
    global good
    if not np.allclose(got.get() if isinstance(got, cp.ndarray) else got, want):
        print("WRONG", sys._getframe(1).f_lineno)
        good = False


add = cp.RawKernel(r'''
extern "C" __global__ void RawKernel_add(const float *a, const float *b, float *c, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}''', "RawKernel_add")
add((8,), (128,), (a, b, c, np.int32(n)))
same(c, x + y)
assert add.max_threads_per_block == 1024

module = cp.RawModule(code=r'''
template <class T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }''', options=("-std=c++17",), name_expressions=["twice<float>", "twice<int>"])
module.get_function("twice<float>")((1,), (32,), (c,))
same(c[:32], 2 * (x + y)[:32])
module.get_function("count")((2,), (32,), ())
assert int(cp.ndarray((1,), cp.int32, module.get_global("counter"))[0]) == 64

same(a * 2 + cp.sqrt(b), x * 2 + np.sqrt(y))
same(cp.where(a > 3, a, b), np.where(x > 3, x, y))
same(cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x > 3 ? x : -y", "choice")(a, b), np.where(x > 3, x, -y))
same(cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")(a), np.linalg.norm(x))
same(a.sum(), x.sum())
same(cp.cumsum(a), np.cumsum(x))
same(cp.sort(-a), np.sort(-x))
with cp.cuda.Stream():
    same(a.reshape(40, 25).T.copy(), x.reshape(40, 25).T)

try:
    import ptxccc
    code = r'''
extern "C" __global__ void search(const int *x, int *y, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int v = x[i];
		#pragma ccc if
		if (v % 8 == 3) {
			for (int j = 0; j < v % 50; j++)
				v = v * 3 + j;
			y[i] = v;
		}
	}
}'''
    v = cp.asarray(np.random.default_rng(1).integers(0, 1000, n, dtype=np.int32))
    before, after = cp.zeros(n, dtype=cp.int32), cp.zeros(n, dtype=cp.int32)
    cp.RawModule(code=code).get_function("search")((2,), (96,), (v, before, np.int32(n)))
    transformed = ptxccc.cupy_module(code, "search.cu")
    transformed.get_function("search")((2,), (96,), (v, after, np.int32(n)))
    assert transformed.ptxccc.transformed == 1
    same(after, before.get())
except ImportError:
    pass
print("ok" if good else "WRONG")
