/* SPDX-License-Identifier: MIT */
/* A CUDA driver that executes nothing. For each image that it is given, it appends a line to the
 * file RECORD: how, and whether it is machine code, a fat binary, the original PTX or a transformed
 * one.
 *
 * JIT: a program that makes machine code of PTX (ptxas), with options for what is linked; with
 * JIT_LOADED, for what is loaded. The latter is kept in CUDA_CACHE_PATH. Neither is recorded there.
 *
 * EVENT_TIMES: the times of timed launches in milliseconds, one digit each; later ones do not end.
 * The kernels that are launched are then recorded.
 *
 * REJECT: the kinds of images that are not loaded. ARCHS: the architectures of the devices, "90 80";
 * the program uses the last one. DRIVER: the CUDA version. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
typedef unsigned long long Ptr;
static char object[64];

typedef struct { unsigned n; const int *options; void **values; } Options;

/* Records the length of the information log, and replaces it as the driver does. */
static void
record_log(FILE *f, Options o)
{
	for (unsigned i = 0; i < o.n; i++)
		if (o.options[i] == 4) {
			fprintf(f, ", log of %u", (unsigned)(uintptr_t)o.values[i]);
			o.values[i] = NULL;
		}
}

/* ---- a compiler ------------------------------------------------------------------------------ */

static char code[1 << 20];
static size_t code_bytes;

static int
compile(const char *how, const void *image)
{
	const char *compiler = getenv("JIT"), *folder = getenv("CUDA_CACHE_PATH");
	const char *options = getenv("JIT_LOADED");
	bool links = strcmp(how, "link") == 0;
	char name[256], command[1024];

	snprintf(name, sizeof name, "%s/%s.ptx", folder, links ? "linked" : "loaded");
	FILE *f = fopen(name, "w");
	fputs(image, f);
	fclose(f);
	snprintf(command, sizeof command,
		"cd '%s' && '%s' -arch=sm_90 %s %s -o %s >out 2>&1 && rm %s out", folder,
		compiler ? compiler : "",
		!links && options ? options : "", name, links ? "../linked" : "loaded", name);
	if (!compiler || system(command) != 0)
		return 218;
	if (links) {
		snprintf(name, sizeof name, "%s/../linked", folder);
		f = fopen(name, "r");
		code_bytes = fread(code, 1, sizeof code, f);
		fclose(f);
	}
	return 0;
}

static char *loaded; /* a copy of the last image, as far as it is text */

static int
load(const char *how, const void *image, Options o)
{
	if (getenv("CUDA_CACHE_PATH")) /* of ptxccc-run's own process */
		return compile(how, image);
	const char *kind = memcmp(image, "\177ELF", 4) == 0 ? "code" :
		memcmp(image, "\x50\xed\x55\xba", 4) == 0   ? "fatbin" :
		strstr(image, "%ccc")			    ? "transformed" :
							      "original";
	const char *reject = getenv("REJECT");
	free(loaded);
	loaded = strdup(image);
	FILE *f = fopen(getenv("RECORD"), "a");

	fprintf(f, "%s: %s", how, kind);
	record_log(f, o);
	fputc('\n', f);
	fclose(f);
	return reject && strstr(reject, kind) ? 209 : 0;
}

/* Returns the architecture of a device; 0 beyond the last one. */
static int
arch(int device)
{
	const char *s = getenv("ARCHS") ? getenv("ARCHS") : "90";

	for (; device > 0 && s; device--)
		s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL;
	return s ? atoi(s) : 0;
}

int
cuDeviceGetCount(int *n)
{
	for (*n = 0; arch(*n);)
		++*n;
	return 0;
}

int
cuCtxGetDevice(int *device)
{
	cuDeviceGetCount(device);
	--*device;
	return 0;
}

int
cuDeviceGetAttribute(int *value, int which, int device)
{
	*value = which == 75 ? arch(device) / 10 : arch(device) % 10;
	return which != 75 && which != 76;
}

int
cuDriverGetVersion(int *version)
{
	*version = getenv("DRIVER") ? atoi(getenv("DRIVER")) : 13000;
	return 0;
}

static int
give(Handle *to)
{
	*to = object;
	return 0;
}

int cuLinkDestroy(Handle link) { return !link; }
int cuInit(unsigned flags) { return flags != 0; }
int cuDeviceGet(int *device, int n) { return *device = n; }
int cuDevicePrimaryCtxRetain(Handle *c, int device) { return give(c) + 0 * device; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuDevicePrimaryCtxReset_v2(int device) { return device; }
int cuCtxCreate_v2(Handle *c, unsigned flags, int device) { return give(c) + 0 * (flags + device); }
int cuCtxDestroy_v2(Handle c) { return !c; }
int cuModuleUnload(Handle m) { return !m; }
int cuLibraryUnload(Handle l) { return !l; }
int cuCtxSetCurrent(Handle c) { return !c; }
int cuCtxGetCurrent(Handle *c) { return give(c); }

int
cuModuleLoadData(Handle *m, const void *image)
{
	return give(m) + load("data", image, (Options){ 0 });
}

int
cuModuleLoadFatBinary(Handle *m, const void *image)
{
	return give(m) + load("fat", image, (Options){ 0 });
}

int
cuModuleLoadDataEx(Handle *m, const void *image, unsigned n, int *options, void **values)
{
	return give(m) + load("ex", image, (Options){ n, options, values });
}

int
cuLibraryLoadData(Handle *l, const void *image, int *jit, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	return give(l) + load("library", image, (Options){ njit, jit, jit_values }) +
		0 * (!options + !values + n);
}

int cuLibraryGetModule(Handle *m, Handle l) { return give(m) + !l; }

/* Kernels are the same address in all modules. */
static char kernels[3][32] = { "two", "two_ccc_on", "two_ccc_off" };

int
cuModuleGetFunction(Handle *f, Handle m, const char *name)
{
	for (int i = 0; i < 3; i++)
		if (strcmp(kernels[i], name) == 0 && (i == 0 || strstr(loaded, name)))
			*f = kernels[i], m = object;
		else if (strcmp(kernels[i], name) == 0)
			return 500;
	return strncmp(name, "two", 3) == 0 ? !m : give(f);
}

int cuEventCreate(Handle *e, unsigned flags) { return give(e) + 0 * flags; }
int cuEventDestroy_v2(Handle e) { return !e; }
int cuEventRecord(Handle e, Handle stream) { return !e + 0 * !stream; }
int cuStreamIsCapturing(Handle stream, int *to) { return *to = 0 * !stream; }
int cuThreadExchangeStreamCaptureMode(int *mode) { return *mode = 0; }
int cuFuncGetAttribute(int *value, int which, Handle f) { return *value = 0 * (which + !f); }

int
cuEventElapsedTime(float *ms, Handle a, Handle b)
{
	static size_t n;
	const char *times = getenv("EVENT_TIMES");

	if (!times || n >= strlen(times))
		return 600;
	*ms = (float)(times[n++] - '0');
	return !a + !b;
}

int
cuLinkCreate_v2(unsigned n, int *options, void **values, Handle *link)
{
	return give(link) + 0 * (n + !options + !values);
}

int
cuLinkAddData_v2(Handle link, int type, void *data, size_t size, const char *name, unsigned n,
	int *options, void **values)
{
	return load("link", data, (Options){ 0 }) + !link + (type != 1) + !size + !name +
		0 * (n + !options + !values);
}

int
cuLinkComplete(Handle link, void **cubin, size_t *n)
{
	*cubin = code_bytes ? code : (char *)(uintptr_t)"\177ELF";
	*n = code_bytes ? code_bytes : 4;
	return !link;
}

int cuMemAlloc_v2(Ptr *p, size_t n) { return (*p = 64) + 0 * n - 64; }
int cuMemsetD8_v2(Ptr p, unsigned char value, size_t n) { return 0 * (p + value + n); }

int
cuMemcpyDtoH_v2(void *to, Ptr from, size_t n)
{
	memset(to, 0, n);
	return !from;
}

int
cuLaunchKernel(Handle f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, Handle stream, void **parameters, void **extra)
{
	FILE *record = getenv("EVENT_TIMES") ? fopen(getenv("RECORD"), "a") : NULL;

	if (record) {
		fprintf(record, "%s\n", (char *)f);
		fclose(record);
	}
	return !f + 0 * (x + y + z + bx + by + bz + shared + !stream + !parameters + !extra);
}

/* NVRTC and nvJitLink ask for a table of undocumented functions, and work without it. */
int
cuGetExportTable(const void **table, const void *id)
{
	*table = NULL;
	return 500 + 0 * !id;
}

int cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status);

int
cuGetProcAddress(const char *name, void **f, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(name, f, version, flags, NULL);
}

/* The functions that program.c looks up by their base names. */
int
cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status)
{
#define F(base, function) \
	if (strcmp(name, base) == 0) \
		return *(__typeof__(&function) *)f = function, 0
	F("cuInit", cuInit);
	F("cuModuleLoadData", cuModuleLoadData);
	F("cuModuleLoadDataEx", cuModuleLoadDataEx);
	F("cuLibraryLoadData", cuLibraryLoadData);
	F("cuLinkAddData", cuLinkAddData_v2);
	F("cuModuleUnload", cuModuleUnload);
	F("cuLibraryUnload", cuLibraryUnload);
	F("cuCtxDestroy", cuCtxDestroy_v2);
	F("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease_v2);
	F("cuDevicePrimaryCtxReset", cuDevicePrimaryCtxReset_v2);
	if (strcmp(name, "cuGetProcAddress") == 0)
		return *(__typeof__(&cuGetProcAddress_v2) *)f = cuGetProcAddress_v2, 0;
	return 500 + 0 * (version + (int)flags + !status);
}
