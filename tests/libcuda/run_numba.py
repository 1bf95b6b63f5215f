# SPDX-License-Identifier: MIT
"""Numba on the emulator: a kernel, shared memory, atomics, device functions, streams. With ptxccc, an annotated kernel, as Numba
compiles it and transformed."""
import math
import numpy as np
from numba import cuda, float32, int32

n = 1000
good = True


def same(got, want):
    global good
    good = good and np.allclose(got, want)
    if not good:
        print("WRONG", got[:5], want[:5])


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]


@cuda.jit(device=True)
def square(v):
    return v * v


@cuda.jit
def total(x, out):
    part = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    part[t] = square(x[cuda.grid(1)])
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0] + math.sqrt(part[0]) * 0)


x = np.arange(n, dtype=np.float32)
out = cuda.device_array_like(x)
add[8, 128](cuda.to_device(x), cuda.to_device(2 * x), out)
same(out.copy_to_host(), 3 * x)
h = np.zeros_like(x)
add[8, 128](x, x, h)
same(h, 2 * x)
sums = np.zeros(1, dtype=np.float32)
total[7, 128](x[:896].copy(), sums)
same(sums, [np.sum(x[:896] ** 2)])
stream = cuda.stream()
with stream.auto_synchronize():
    d = cuda.to_device(x, stream=stream)
    add[8, 128, stream](d, d, d)
    d.copy_to_host(h, stream=stream)
same(h, 2 * x)
pinned = cuda.pinned_array(n, dtype=np.float32)
pinned[:] = 5
same(cuda.to_device(pinned).copy_to_host(), np.full(n, 5))

try:
    import ptxccc.numba

    @ptxccc.numba.jit((int32[::1], int32[::1], int32))
    def search(x, y, every):
        # ccc for
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            v = x[i]
            # ccc if
            if v % every == 3:
                for j in range(v % 50):
                    v = v * 3 + j
                y[i] = v

    v = cuda.to_device(np.random.default_rng(1).integers(0, 1000, n, dtype=np.int32))
    before, after = (cuda.to_device(np.zeros(n, dtype=np.int32)) for _ in range(2))
    search.plain[2, 96](v, before, 8)
    search[2, 96](v, after, 8)
    assert search.result.transformed == 1
    assert before.copy_to_host().any()
    same(after.copy_to_host(), before.copy_to_host())
except ImportError:
    pass
print("ok" if good else "WRONG")
