/* SPDX-License-Identifier: MIT */
/* Included in the host code of programs that have two versions of a kernel (cccnvcc --ccc-timed),
 * before the table ccc_kernels. A kernel's own version has its name in the module, and is what
 * everything but <<<>>> means by it: cudaLaunchKernel and cudaLaunchKernelEx, cooperative launches,
 * launches by device code, attributes and occupancy. The first launches by <<<>>> run one version
 * or the other and are timed with events; later ones run the faster version. The program never
 * waits for an event.
 *
 * Launches are measured apart, in trials, by device, block size, dynamic shared memory and the
 * binary logarithm of the number of blocks. Beyond CCC_TRIALS of them, the kernel's own version
 * runs; and in launches that are captured before their trial has ended. A captured launch is never
 * timed.
 *
 * If the kernel's own version is the original (the other one's name ends in _ccc_on), a trial of a
 * slow version must be cheap: by the mean times so far, the other version's launches may last
 * longer than as many of the original by a CCC_PART-th of the time of all launches. Before one is
 * timed, it is taken to last twice as long, so the original has the first CCC_PART launches. When
 * it is the other version's turn and that would last too long, the original runs, CCC_PHASE
 * launches at a time, which keeps the order below in phase with periods that divide them.
 *
 * Each version is launched once before, because the first launch may load its code. ccc_order is
 * the order of the timed ones. Of the first 24, all that follow one another with a period of 2, 3,
 * 4 or 6 are divided evenly between the versions; of the first 6, those with a period of 2 or 3;
 * later ones are in random order, 12 of each version in every 24. From the 6th on, the version
 * whose slowest launch took less time than the other's fastest one is selected, if the times of
 * each differ by a fourth at most. If launches differ more, the versions are compared after 6, 12,
 * 24, 48, 96 and 192 by the rank-sum test (Mann and Whitney, 1947), because the sums may depend on
 * which version ran a few long launches: from 24 on the other version is selected if its times are
 * smaller by 2.5 standard deviations of that test, and so is their sum. The kernel's own version
 * runs if its times are smaller by one, which ends the trial of a slow version early, or if nothing
 * is selected after 192. */
#ifndef CCC_TIMED_H
#define CCC_TIMED_H

enum { CCC_LEAST = 6, CCC_EVENTS = 24, CCC_TIMED = 8 * CCC_EVENTS, CCC_TRIALS = 32 };
enum { CCC_PART = 48, CCC_PHASE = 12 };
enum { CCC_LOAD_OTHER = -1, CCC_LOAD_OWN = -2, CCC_WAITING = -3 };
static const unsigned ccc_order[] = {   /* bit n % 24 of n / 24: launch n runs the other version */
	0xab154e, 0x45e707, 0x1f11ce, 0x19baaa, 0x4957c9, 0x50ebe2, 0x7a94d1, 0x8f1176,
};
enum { CCC_UNKNOWN, CCC_OWN, CCC_OTHER };

struct ccc_version {
	float sum, least, most;         /* milliseconds of launches in ccc_order */
	float all;                      /* of all timed ones */
	int timed, launches;
};
struct ccc_event {
	cudaEvent_t begin, end;
	int step;
	bool other;
};
struct ccc_size {
	int device, blocks;             /* of the number of blocks, the binary logarithm */
	unsigned threads;               /* of a block */
	size_t shared;
};
struct ccc_trial {
	struct ccc_trial *next;
	struct ccc_size size;
	int selected;
	bool plain;                     /* the kernel's own version is the original */
	int step, wait;                 /* the next launch in ccc_order, and how many come before */
	struct ccc_version version[2];
	int read;                       /* number of those in ccc_order */
	float ms[CCC_TIMED];
	unsigned begun, ended;          /* launches with events; those whose times were read */
	struct ccc_event event[CCC_EVENTS];
};
struct ccc_timed {
	const char *name, *other;       /* in the module */
	const void *host;               /* the runtime identifies the kernel's own version by it, */
	char key;                       /* and the other one by the address of this */
	char busy;                      /* a thread reads or changes a trial that has not ended */
	cudaKernel_t kernel[2];
	struct ccc_trial *trials;
};
struct ccc_launch {
	dim3 grid, block;
	void **args;
	size_t shared;
	cudaStream_t stream;
};

static cudaError_t
ccc_get_kernel(struct ccc_timed *k, cudaKernel_t *kernel, const void *host)
{
	cudaError_t e = __cudaGetKernel(kernel, host);
	cudaKernel_t other;

	for (; k->name && e == cudaSuccess; k++)
		if (k->host == host) {
			if (__cudaGetKernel(&other, &k->key) == cudaSuccess) {
				__atomic_store_n(&k->kernel[1], other, __ATOMIC_RELEASE);
				__atomic_store_n(&k->kernel[0], *kernel, __ATOMIC_RELEASE);
			} else {
				cudaGetLastError();
			}
		}
	return e;
}

static cudaError_t
ccc_run(struct ccc_timed *k, bool other, const struct ccc_launch *l)
{
	return __cudaLaunchKernel_helper(
		k->kernel[other], l->grid, l->block, l->args, l->shared, l->stream);
}

/* ---- trials ---- */

static bool
ccc_get_size(const struct ccc_launch *l, struct ccc_size *size)
{
	unsigned long long blocks = (unsigned long long)l->grid.x * l->grid.y * l->grid.z;

	size->blocks = 63 - __builtin_clzll(blocks | 1);
	size->threads = l->block.x * l->block.y * l->block.z;
	size->shared = l->shared;
	return cudaGetDevice(&size->device) == cudaSuccess;
}

/* Returns the trial of launches of this size; NULL if there is none. *n: number of trials. */
static struct ccc_trial *
ccc_find_trial(struct ccc_timed *k, const struct ccc_size *size, int *n)
{
	struct ccc_trial *t = __atomic_load_n(&k->trials, __ATOMIC_ACQUIRE);

	for (*n = 0; t; t = t->next, ++*n)
		if (t->size.device == size->device && t->size.blocks == size->blocks &&
			t->size.threads == size->threads && t->size.shared == size->shared)
			break;
	return t;
}

static struct ccc_trial *
ccc_new_trial(struct ccc_timed *k, const struct ccc_size *size)
{
	static const char on[] = "_ccc_on";
	struct ccc_trial *t = (struct ccc_trial *)__builtin_calloc(1, sizeof *t);
	size_t n = __builtin_strlen(k->other);

	if (t) {
		t->plain = n >= sizeof on - 1 &&
			!__builtin_strcmp(k->other + n - sizeof on + 1, on);
		t->step = t->plain ? CCC_LOAD_OTHER : CCC_LOAD_OWN;
		t->wait = t->plain ? CCC_PART : 0;
		t->size = *size;
		t->next = k->trials;
		__atomic_store_n(&k->trials, t, __ATOMIC_RELEASE);
	}
	return t;
}

static bool
ccc_is_other(int n)
{
	return ccc_order[n / CCC_EVENTS] >> n % CCC_EVENTS & 1;
}

static void
ccc_destroy(struct ccc_event *e)
{
	if (e->begin)
		cudaEventDestroy(e->begin);
	if (e->end)
		cudaEventDestroy(e->end);
	e->begin = e->end = 0;
}

static void
ccc_select(struct ccc_trial *t, int selected)
{
	for (int i = 0; i < CCC_EVENTS; i++)
		ccc_destroy(&t->event[i]);
	cudaGetLastError();
	__atomic_store_n(&t->selected, selected, __ATOMIC_RELEASE);
}

static bool
ccc_is_faster(const struct ccc_version *a, const struct ccc_version *b)
{
	return a->most < b->least && a->most <= 1.25f * a->least && b->most <= 1.25f * b->least;
}

/* The version that the rank-sum test selects by the times read. The sum of signs of own * other
 * pairs has the variance own * other * (own + other + 1) / 3. */
static int
ccc_rank(const struct ccc_trial *t)
{
	double signs = 0, n[2] = { 0, 0 };

	for (int i = 0; i < t->read; i++) {
		n[ccc_is_other(i)]++;
		for (int j = 0; j < t->read && !ccc_is_other(i); j++)
			if (ccc_is_other(j))
				signs += (t->ms[i] > t->ms[j]) - (t->ms[i] < t->ms[j]);
	}
	const double variance = n[0] * n[1] * (t->read + 1) / 3;
	if (signs < 0 && signs * signs >= variance)
		return CCC_OWN;
	if (t->read >= CCC_EVENTS && signs > 0 && signs * signs >= 2.5 * 2.5 * variance)
		return t->version[1].sum < t->version[0].sum ? CCC_OTHER : CCC_OWN;
	return t->read == CCC_TIMED ? CCC_OWN : CCC_UNKNOWN;
}

static int
ccc_compare(const struct ccc_trial *t)
{
	const struct ccc_version *own = &t->version[0], *other = &t->version[1];

	if (t->read < CCC_LEAST || t->read % 2)
		return CCC_UNKNOWN;
	if (ccc_is_faster(own, other))
		return CCC_OWN;
	if (ccc_is_faster(other, own))
		return CCC_OTHER;
	for (int n = CCC_LEAST; n <= CCC_TIMED; n *= 2)
		if (n == t->read)
			return ccc_rank(t);
	return CCC_UNKNOWN;
}

static void
ccc_count_time(struct ccc_trial *t, const struct ccc_event *e, float ms)
{
	struct ccc_version *v = &t->version[e->other];

	v->all += ms;
	v->timed++;
	if (e->step < 0)
		return;
	v->least = v->sum == 0 || ms < v->least ? ms : v->least;
	v->most = ms > v->most ? ms : v->most;
	v->sum += ms;
	t->ms[t->read++] = ms;
	int selected = ccc_compare(t);
	if (selected)
		ccc_select(t, selected);
}

/* Reads the times of launches that have ended, and selects a version if they suffice. */
static void
ccc_read_times(struct ccc_trial *t)
{
	while (!t->selected && t->ended != t->begun) {
		struct ccc_event *e = &t->event[t->ended % CCC_EVENTS];
		float ms;
		if (cudaEventElapsedTime(&ms, e->begin, e->end) != cudaSuccess) {
			cudaGetLastError();     /* it has not ended */
			return;
		}
		ccc_destroy(e);
		t->ended++;
		ccc_count_time(t, e, ms);
	}
}

/* Whether another launch of the other version costs little enough. */
static bool
ccc_is_cheap(const struct ccc_trial *t)
{
	const struct ccc_version *own = &t->version[0], *other = &t->version[1];
	float longer = 1; /* by this part of the original's time */

	if (own->all > 0 && other->timed)
		longer = other->all / (float)other->timed * (float)own->timed / own->all - 1;
	return !t->plain || CCC_PART * longer * (float)(other->launches + 1) <=
		(float)(own->launches + other->launches);
}

/* Returns what the next launch is: a step of ccc_order, or one of the negative ones. */
static int
ccc_next(struct ccc_trial *t, bool *other)
{
	*other = false;
	if (!t->wait && (t->begun - t->ended == CCC_EVENTS || t->step == CCC_TIMED))
		t->wait = CCC_PHASE;
	if (!t->wait && (t->step >= 0 ? ccc_is_other(t->step) : t->step == CCC_LOAD_OTHER)) {
		*other = ccc_is_cheap(t);
		t->wait = *other ? 0 : CCC_PHASE;
	}
	return t->wait ? CCC_WAITING : t->step;
}

/* ---- launches ---- */

static bool
ccc_is_captured(cudaStream_t stream)
{
	cudaStreamCaptureStatus status;

	if (cudaStreamIsCapturing(stream, &status) == cudaSuccess)
		return status != cudaStreamCaptureStatusNone;
	cudaGetLastError();
	return true;
}

/* Gives the other version the attributes that the program has set for the kernel. Returns whether
 * both then run alike. */
static bool
ccc_copy_attributes(struct ccc_timed *k)
{
	cudaFuncAttributes own, other;

	return cudaFuncGetAttributes(&own, k->host) == cudaSuccess &&
		cudaFuncGetAttributes(&other, &k->key) == cudaSuccess &&
		own.clusterDimMustBeSet == other.clusterDimMustBeSet &&
		own.requiredClusterWidth == other.requiredClusterWidth &&
		own.requiredClusterHeight == other.requiredClusterHeight &&
		own.requiredClusterDepth == other.requiredClusterDepth &&
		(own.maxDynamicSharedSizeBytes <= other.maxDynamicSharedSizeBytes ||
			cudaFuncSetAttribute(&k->key, cudaFuncAttributeMaxDynamicSharedMemorySize,
				own.maxDynamicSharedSizeBytes) == cudaSuccess) &&
		(own.preferredShmemCarveout == other.preferredShmemCarveout ||
			cudaFuncSetAttribute(&k->key,
				cudaFuncAttributePreferredSharedMemoryCarveout,
				own.preferredShmemCarveout) == cudaSuccess);
}

/* Whether a launch is timed: of the original's while it waits, as many as there are events, without
 * the first one, which may load its code. */
static bool
ccc_is_timed(const struct ccc_trial *t, int step)
{
	if (step != CCC_WAITING)
		return step >= 0 || t->plain;
	return t->plain && t->version[0].launches && t->version[0].timed < CCC_EVENTS &&
		t->begun - t->ended < CCC_EVENTS;
}

static struct ccc_event *
ccc_begin(struct ccc_trial *t, int step, bool other, cudaStream_t stream)
{
	struct ccc_event *e = &t->event[t->begun % CCC_EVENTS];

	e->step = step;
	e->other = other;
	return cudaEventCreate(&e->begin) == cudaSuccess &&
			cudaEventCreate(&e->end) == cudaSuccess &&
			cudaEventRecord(e->begin, stream) == cudaSuccess ?
		e : 0;
}

/* Launches a version and times it, if there are not enough times yet. */
static cudaError_t
ccc_try(struct ccc_timed *k, struct ccc_trial *t, const struct ccc_launch *l)
{
	bool other;

	ccc_read_times(t);
	if (t->selected)
		return ccc_run(k, t->selected == CCC_OTHER, l);
	int step = ccc_next(t, &other);
	bool timed = ccc_is_timed(t, step);
	struct ccc_event *event = timed ? ccc_begin(t, step, other, l->stream) : 0;
	if ((other && !ccc_copy_attributes(k)) || (timed && !event)) {
		ccc_select(t, CCC_OWN);
		return ccc_run(k, false, l);
	}
	cudaError_t e = ccc_run(k, other, l);
	if (e != cudaSuccess && other) { /* too few registers or too little shared memory */
		ccc_select(t, CCC_OWN);
		return ccc_run(k, false, l);
	}
	if (e != cudaSuccess) {
		if (event)
			ccc_destroy(event);
		return e;
	}
	if (event && cudaEventRecord(event->end, l->stream) != cudaSuccess) {
		ccc_select(t, CCC_OWN);
		return e;
	}
	t->begun += timed;
	t->version[other].launches++;
	if (step == CCC_WAITING)
		t->wait--;
	else
		t->step++;
	return e;
}

/* The same, unless a trial is impossible now; other threads do not change trials meanwhile. */
static cudaError_t
ccc_try_size(struct ccc_timed *k, const struct ccc_size *size, const struct ccc_launch *l)
{
	/* another thread may be capturing a stream, which permits more calls in this mode only */
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	int n;

	if (cudaPeekAtLastError() != cudaSuccess || ccc_is_captured(l->stream))
		return ccc_run(k, false, l);
	struct ccc_trial *t = ccc_find_trial(k, size, &n);
	if (!t && n < CCC_TRIALS)
		t = ccc_new_trial(k, size);
	if (!t || cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess)
		return ccc_run(k, false, l);
	cudaError_t e = ccc_try(k, t, l);
	cudaThreadExchangeStreamCaptureMode(&mode);
	return e;
}

static cudaError_t
ccc_launch(struct ccc_timed *k, cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream)
{
	const struct ccc_launch l = { grid, block, args, shared, stream };
	struct ccc_size size;
	int n;

	while (k->name && (!kernel || __atomic_load_n(&k->kernel[0], __ATOMIC_ACQUIRE) != kernel))
		k++;
	if (!k->name || !ccc_get_size(&l, &size))
		return __cudaLaunchKernel_helper(kernel, grid, block, args, shared, stream);
	struct ccc_trial *t = ccc_find_trial(k, &size, &n);
	int selected = t ? __atomic_load_n(&t->selected, __ATOMIC_ACQUIRE) :
			   n < CCC_TRIALS ? CCC_UNKNOWN : CCC_OWN;
	if (selected || __atomic_test_and_set(&k->busy, __ATOMIC_ACQUIRE))
		return ccc_run(k, selected == CCC_OTHER, &l);
	cudaError_t e = ccc_try_size(k, &size, &l);
	__atomic_clear(&k->busy, __ATOMIC_RELEASE);
	return e;
}

#define __cudaRegisterFunction(handle, host_key, device, name_of, ...) \
	do { \
		__cudaRegisterFunction(handle, host_key, device, name_of, __VA_ARGS__); \
		for (struct ccc_timed *k = ccc_kernels; k->name; k++) \
			if (!__builtin_strcmp(k->name, name_of)) { \
				k->host = host_key; \
				__cudaRegisterFunction(handle, &k->key, (char *)k->other, \
					k->other, __VA_ARGS__); \
			} \
	} while (0)
#define __cudaGetKernel(kernel, host) ccc_get_kernel(ccc_kernels, kernel, host)
#define __cudaLaunchKernel_helper(...) ccc_launch(ccc_kernels, __VA_ARGS__)

#endif
