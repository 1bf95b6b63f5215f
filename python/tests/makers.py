# SPDX-License-Identifier: MIT
"""makers.py MAKER before|after: a divergent kernel of a maker, for ptxrun: under install() it is transformed, without it it is not,
and the results are equal. `before`: the maker is imported while the hooks are installed. Status 77: it cannot be done here."""
import contextlib
import ctypes
import importlib
import itertools
import sys

import ptxccc

N = 1000
MODULES = {"cuda.core": "cuda.core", "numba-cuda": "numba.cuda", "numba-cuda-mlir": "numba_cuda_mlir.cuda", "CuPy": "cupy", "Warp": "warp"}
CUDA = r'''
extern "C" __global__ void search(const int *x, int *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int v = x[i];
		if (v % 8 == 3) {
			for (int j = 0; j < v % 50; j++)
				v = v * 3 + j;
			y[i] = v;
		}
	}
}'''


class Memory:
    """N numbers in the device's memory, by the driver's interface."""

    def __init__(self):
        self._driver, self._at = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64()
        numbers = (ctypes.c_int * N)(*((i * 7919) % 1000 for i in range(N)))
        assert not self._driver.cuMemAlloc_v2(ctypes.byref(self._at), 4 * N)
        assert not self._driver.cuMemcpyHtoD_v2(self._at, numbers, 4 * N)
        self.address = self._at.value

    def get(self):
        numbers = (ctypes.c_int * N)()
        assert not self._driver.cuMemcpyDtoH_v2(numbers, self._at, 4 * N)
        return list(numbers)


def _numba(cuda, cache):
    """Returns a function that compiles a new copy of the kernel and runs it."""
    import numpy as np

    def search(x, y):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            v = x[i]
            if v % 8 == 3:
                for j in range(v % 50):
                    v = v * 3 + j
                y[i] = v

    def run():
        x = np.random.default_rng(1).integers(0, 1000, N, dtype=np.int32)
        y = cuda.to_device(np.zeros(N, dtype=np.int32))
        cuda.jit(search, cache=cache)[2, 96](cuda.to_device(x), y)
        return y.copy_to_host().tolist()
    return run


def numba_cuda():
    from numba import cuda
    return _numba(cuda, True)


def numba_cuda_mlir():
    from numba_cuda_mlir import cuda
    return _numba(cuda, True)


def cupy():
    import cupy as cp
    import numpy as np
    numbers = itertools.count()

    def run():
        x = cp.asarray(np.random.default_rng(1).integers(0, 1000, N, dtype=np.int32))
        y = cp.zeros(N, dtype=cp.int32)
        code = f"// {next(numbers)}\n" + CUDA  # CuPy keeps the modules of equal sources
        cp.RawModule(code=code).get_function("search")((2,), (96,), (x, y, np.int32(N)))
        return y.get().tolist()
    return run


def cuda_core():
    from cuda import core
    from cuda.core import Device, LaunchConfig, launch
    device = Device()
    device.set_current()
    stream = device.create_stream()

    def codes():
        """Yields the ways from source or text to a kernel."""
        arch = "sm_" + "".join(map(str, device.compute_capability))
        options = core.ProgramOptions(arch=arch)
        yield core.Program(CUDA, "c++", options).compile("cubin")
        yield core.Program(CUDA, "c++", options).compile("ptx")
        text = TEXT.code.decode()
        yield core.Program(text, "ptx", options).compile("cubin")
        yield core.ObjectCode.from_ptx(TEXT.code)
        yield core.Linker(TEXT, options=core.LinkerOptions(arch=arch)).link("cubin")

    def launched(code):
        x, y = Memory(), Memory()
        launch(stream, LaunchConfig(grid=2, block=96), code.get_kernel("search"), x.address, y.address, ctypes.c_int(N))
        stream.sync()
        return y.get()
    TEXT = core.Program(CUDA, "c++", core.ProgramOptions(arch="sm_80")).compile("ptx")
    return lambda: [launched(code) for code in codes()]


def warp():
    import warp as wp
    wp.config.cuda_output = "ptx"  # as by default, unless the driver is older than Warp's toolkit
    wp.config.quiet = True
    wp.init()
    runtime = getattr(wp, "_src", wp).context.runtime
    versions = [getattr(runtime, name) for name in ("driver_version", "toolkit_version")]
    if versions[0] < versions[1]:
        print(f"Warp {wp.__version__} assembles PTX itself: its toolkit, {versions[1]}, is newer than the driver, {versions[0]}")
        sys.exit(77)

    @wp.kernel
    def search(x: wp.array(dtype=wp.int32), y: wp.array(dtype=wp.int32)):
        i = wp.tid()
        while i < N:
            v = x[i]
            if v % 8 == 3:
                for j in range(v % 50):
                    v = v * 3 + j
                y[i] = v
            i += 192

    def run():
        search.module.unload()  # loads it again
        with wp.ScopedDevice("cuda:0"):
            x, y = Memory(), Memory()
            arrays = [wp.array(ptr=m.address, dtype=wp.int32, shape=N, capacity=4 * N) for m in (x, y)]
            wp.launch(search, dim=192, inputs=arrays)
            return y.get()
    return run


def main(maker, order):
    with ptxccc.installed(choose="always") if order == "before" else contextlib.nullcontext():
        try:
            importlib.import_module(MODULES[maker])
        except ModuleNotFoundError as e:
            print(f"no {maker}: {e}")
            return 77
    run = globals()[maker.lower().replace("-", "_").replace(".", "_")]()
    done = len(ptxccc.report()["modules"])
    plain = run()
    for first in (True, False):
        with ptxccc.installed(choose="always"):
            assert run() == plain, "the results differ"
            seen = ptxccc.report()
            made = [m for m in seen["modules"][done:] if m["maker"] == maker]
            assert all(m["transformed"] and not m["why"] for m in made), made
            assert made or not first, "nothing was found"  # Numba has kept it the second time
            assert maker in seen["hooked"] and maker not in seen["unsupported"], seen["unsupported"]
        done = len(seen["modules"])
        assert run() == plain and len(ptxccc.report()["modules"]) == done, "still transformed"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
