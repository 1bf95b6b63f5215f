/* SPDX-License-Identifier: MIT */
/* Included in the host code of programs whose kernels have an original next to the transformed one
 * (cccnvcc --ccc-timed), after the table ccc_kernels. The first launches of a kernel run one or the
 * other and are timed with events; later ones run the faster kernel. The program never waits for an
 * event. Launches other than by <<<>>> run the transformed kernel.
 *
 * Each kernel is launched once before, because the first launch may load its code. The timed ones
 * alternate as in the Thue-Morse sequence (t o o t o t t o ...), so that a trend in the launches'
 * work cancels out. After 4 timed launches or more the kernel whose slowest launch took less time
 * than the other's fastest one is selected, if the times of each differ by a fourth at most; after
 * CCC_TIMED of them that with the smaller sum. Launches that are captured in a graph are not
 * timed. */
#ifndef CCC_TIMED_H
#define CCC_TIMED_H

enum { CCC_LOAD = 2, CCC_LEAST = 4, CCC_TIMED = 16 };
enum { CCC_UNKNOWN, CCC_TRANSFORMED, CCC_ORIGINAL };

struct ccc_version {
	cudaKernel_t kernel;
	float sum, least, most;         /* milliseconds of a launch */
};
struct ccc_timed {
	const char *name, *original;    /* in the module */
	const void *host;               /* the runtime identifies the transformed kernel by it, */
	char key;                       /* and the original one by the address of this */
	char busy;                      /* a thread holds the members below */
	int selected;
	int device, launches, read;     /* launches so far; number of timed ones that were read */
	struct ccc_version version[2];
	cudaEvent_t begin[CCC_TIMED], end[CCC_TIMED];
};

static cudaError_t
ccc_get_kernel(struct ccc_timed *k, cudaKernel_t *kernel, const void *host)
{
	cudaError_t e = __cudaGetKernel(kernel, host);

	for (; k->name && e == cudaSuccess; k++)
		if (k->host == host &&
			__cudaGetKernel(&k->version[1].kernel, &k->key) == cudaSuccess)
			k->version[0].kernel = *kernel;
	return e;
}

static void
ccc_select(struct ccc_timed *k, int selected)
{
	for (int i = 0; i < k->launches - CCC_LOAD && i < CCC_TIMED; i++) {
		cudaEventDestroy(k->begin[i]);
		cudaEventDestroy(k->end[i]);
	}
	__atomic_store_n(&k->selected, selected, __ATOMIC_RELEASE);
}

static bool
ccc_is_faster(const struct ccc_version *a, const struct ccc_version *b)
{
	return a->most < b->least && a->most <= 1.25f * a->least && b->most <= 1.25f * b->least;
}

/* Reads the times of launches that have ended, and selects a kernel if they suffice. */
static void
ccc_read_times(struct ccc_timed *k)
{
	struct ccc_version *t = &k->version[0], *o = &k->version[1];

	while (!k->selected && k->read < CCC_TIMED && k->read < k->launches - CCC_LOAD) {
		struct ccc_version *v = &k->version[__builtin_parity((unsigned)k->read)];
		float ms;
		if (cudaEventElapsedTime(&ms, k->begin[k->read], k->end[k->read]) != cudaSuccess) {
			cudaGetLastError();     /* it has not ended */
			return;
		}
		v->sum += ms;
		v->least = k->read < 2 || ms < v->least ? ms : v->least;
		v->most = ms > v->most ? ms : v->most;
		k->read++;
		if (k->read == CCC_TIMED)
			ccc_select(k, o->sum < t->sum ? CCC_ORIGINAL : CCC_TRANSFORMED);
		else if (k->read >= CCC_LEAST && k->read % 2 == 0 && ccc_is_faster(t, o))
			ccc_select(k, CCC_TRANSFORMED);
		else if (k->read >= CCC_LEAST && k->read % 2 == 0 && ccc_is_faster(o, t))
			ccc_select(k, CCC_ORIGINAL);
	}
}

/* Whether this launch may be timed. */
static bool
ccc_can_time(struct ccc_timed *k, cudaStream_t stream)
{
	cudaStreamCaptureStatus status;
	int device;

	if (cudaPeekAtLastError() != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
		cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
		status != cudaStreamCaptureStatusNone)
		return false;
	if (k->launches == 0)
		k->device = device;
	return device == k->device;
}

static cudaError_t
ccc_timed_launch(struct ccc_timed *k, dim3 grid, dim3 block, void **args, size_t shared,
	cudaStream_t stream)
{
	cudaError_t e;
	bool can = ccc_can_time(k, stream);

	if (can)
		ccc_read_times(k);
	int n = k->launches - CCC_LOAD, which = n < 0 ? k->launches : __builtin_parity((unsigned)n);
	if (!can || k->selected || n >= CCC_TIMED) {
		which = k->selected == CCC_ORIGINAL;
		return __cudaLaunchKernel_helper(
			k->version[which].kernel, grid, block, args, shared, stream);
	}
	if (n >= 0 && (cudaEventCreate(&k->begin[n]) != cudaSuccess ||
			cudaEventCreate(&k->end[n]) != cudaSuccess ||
			cudaEventRecord(k->begin[n], stream) != cudaSuccess)) {
		cudaGetLastError();
		ccc_select(k, CCC_TRANSFORMED);
		which = 0;
	}
	e = __cudaLaunchKernel_helper(
		k->version[which].kernel, grid, block, args, shared, stream);
	if (n >= 0 && !k->selected && (e != cudaSuccess || cudaEventRecord(k->end[n], stream))) {
		cudaEventDestroy(k->begin[n]);
		cudaEventDestroy(k->end[n]);
		return e;
	}
	k->launches++;
	return e;
}

static cudaError_t
ccc_launch(struct ccc_timed *k, cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream)
{
	while (k->name && k->version[0].kernel != kernel)
		k++;
	int selected = k->name ? __atomic_load_n(&k->selected, __ATOMIC_ACQUIRE) : CCC_TRANSFORMED;
	if (selected == CCC_UNKNOWN && !__atomic_test_and_set(&k->busy, __ATOMIC_ACQUIRE)) {
		cudaError_t e = ccc_timed_launch(k, grid, block, args, shared, stream);
		__atomic_clear(&k->busy, __ATOMIC_RELEASE);
		return e;
	}
	return __cudaLaunchKernel_helper(selected == CCC_ORIGINAL ? k->version[1].kernel : kernel,
		grid, block, args, shared, stream);
}

#define __cudaRegisterFunction(handle, host_key, device, name_of, ...) \
	do { \
		__cudaRegisterFunction(handle, host_key, device, name_of, __VA_ARGS__); \
		for (struct ccc_timed *k = ccc_kernels; k->name; k++) \
			if (!__builtin_strcmp(k->name, name_of)) { \
				k->host = host_key; \
				__cudaRegisterFunction(handle, &k->key, (char *)k->original, \
					k->original, __VA_ARGS__); \
			} \
	} while (0)
#define __cudaGetKernel(kernel, host) ccc_get_kernel(ccc_kernels, kernel, host)
#define __cudaLaunchKernel_helper(...) ccc_launch(ccc_kernels, __VA_ARGS__)

#endif
