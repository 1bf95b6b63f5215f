/* SPDX-License-Identifier: MIT */
/* Loads kernel `two` of a file of PTX, or of a fat binary, and prints a sum of what it computes.
 *
 *	program FILE HOW
 *
 * HOW: data, ex, fatbinary, library, link, jitlink, fork; or what is done to the module or its
 * context at the end: unload, unloadlibrary, destroy, reset, release.
 *
 * CUDA source is compiled to machine code by nvrtc and nvrtc-library; lto links it by link-time
 * optimization. OPTION is an option for the compiler or linker, OTHER a library with another NVRTC.
 *
 * LAUNCHES: the number of launches; AGAIN: one more at the very end.
 *
 * JIT_OPTION=NUMBER=VALUE is an option for the driver's compiler, with ex and library.
 *
 * With LINKED, the driver's functions are linked, with LINKED_NVRTC NVRTC's and with LINKED_JITLINK
 * nvJitLink's; else all are found by dlsym and cuGetProcAddress, as by a statically linked runtime.
 * With LIBRARY_ONLY, the program is a library that another one loads (its function `program`). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *Handle;
typedef unsigned long long Ptr;
#define FUNCTIONS(F) \
	F(cuInit, unsigned) F(cuDeviceGet, int *, int) F(cuDevicePrimaryCtxRetain, Handle *, int) \
	F(cuDevicePrimaryCtxRelease_v2, int) F(cuDevicePrimaryCtxReset_v2, int) \
	F(cuCtxCreate_v2, Handle *, unsigned, int) F(cuCtxDestroy_v2, Handle) \
	F(cuModuleUnload, Handle) F(cuLibraryUnload, Handle) \
	F(cuCtxSetCurrent, Handle) F(cuModuleLoadData, Handle *, const void *) \
	F(cuModuleLoadFatBinary, Handle *, const void *) \
	F(cuModuleLoadDataEx, Handle *, const void *, unsigned, int *, void **) \
	F(cuLibraryLoadData, Handle *, const void *, int *, void **, unsigned, int *, void **, \
		unsigned) \
	F(cuLibraryGetModule, Handle *, Handle) \
	F(cuModuleGetFunction, Handle *, Handle, const char *) \
	F(cuLinkCreate_v2, unsigned, int *, void **, Handle *) \
	F(cuLinkAddData_v2, Handle, int, void *, size_t, const char *, unsigned, int *, void **) \
	F(cuLinkComplete, Handle, void **, size_t *) F(cuMemAlloc_v2, Ptr *, size_t) \
	F(cuMemsetD8_v2, Ptr, unsigned char, size_t) F(cuMemcpyDtoH_v2, void *, Ptr, size_t) \
	F(cuLaunchKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
		unsigned, Handle, void **, void **)
#ifdef LINKED
#define F(name, ...) int name(__VA_ARGS__);
FUNCTIONS(F)
static void find_functions(void) {}
#else
static const char *
base_name(const char *name)
{
	static char base[64];
	const char *version = strstr(name, "_v2");
	snprintf(base, sizeof base, "%.*s", (int)(version ? version - name : 63), name);
	return base;
}

/* Functions that ptxccc-run replaces, among those used. */
static int
is_replaced(const char *name)
{
	return strstr(name, "Data") || strstr(name, "Unload") || strstr(name, "Destroy") ||
		strstr(name, "Release") || strstr(name, "Reset");
}

#define F(name, ...) static int (*name)(__VA_ARGS__);
FUNCTIONS(F)
static void
find_functions(void)
{
	Handle driver = dlopen("libcuda.so.1", RTLD_NOW), at;
	int (*get)(const char *, void **, int, uint64_t, int *) = NULL;
	int (*old_get)(const char *, void **, int, uint64_t) = NULL;
	/* the emulator's calls cuGetProcAddress_v2, which is not looked up yet */
	*(void **)(void *)&old_get = driver ? dlsym(driver, "cuGetProcAddress") : NULL;
	if (!old_get || old_get("cuInit", &at, 11030, 0))
		exit(3);
	*(void **)(void *)&get = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
	/* the base name of a versioned function; the older half is got by dlsym */
	if (!get || get("cuGetProcAddress", &at, 12000, 0, NULL))
		exit(3);
	*(void **)(void *)&get = at;
#undef F
#define F(name, ...) \
	if (!is_replaced(#name) || get(base_name(#name), &at, 12000, 0, NULL)) \
		at = dlsym(driver, #name); \
	*(void **)(void *)&name = at;
	FUNCTIONS(F)
}
#endif

static void
check(int failed, const char *what)
{
	if (failed) {
		printf("%s: error %d\n", what, failed);
		exit(1);
	}
}
#define C(call) check(call, #call)

/* ---- libraries that compile or link ---------------------------------------------------------- */

#ifdef LINKED_NVRTC
int nvrtcGetCUBIN(Handle program, char *code);
#endif
static Handle from; /* the library, or RTLD_DEFAULT */

static void *
look_up(const char *name)
{
#ifdef LINKED_JITLINK
#define J(f) \
	extern int __##f##_13_0(void); \
	if (strcmp(name, #f) == 0) \
		return (void *)(uintptr_t)__##f##_13_0
	J(nvJitLinkCreate);
	J(nvJitLinkAddData);
	J(nvJitLinkComplete);
	J(nvJitLinkGetLinkedCubinSize);
	J(nvJitLinkGetLinkedCubin);
	J(nvJitLinkDestroy);
#endif
	return dlsym(from, name);
}

/* Calls a function of the library. */
#define LIBRARY(name, types, arguments) \
	do { \
		int (*f) types; \
		*(void **)(void *)&f = look_up(name); \
		if (!f) \
			exit(3); \
		check(f arguments, name); \
	} while (0)

static void
open_library(const char *variable, bool global)
{
	Handle at = dlopen(getenv(variable), global ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW);

	if (!at)
		exit(3);
	from = global ? RTLD_DEFAULT : at;
}

static char *
result(Handle h, const char *size_function, const char *function, size_t *n)
{
	LIBRARY(size_function, (Handle, size_t *), (h, n));
	char *text = malloc(*n);
#ifdef LINKED_NVRTC
	if (strcmp(function, "nvrtcGetCUBIN") == 0) {
		C(nvrtcGetCUBIN(h, text));
		return text;
	}
#endif
	LIBRARY(function, (Handle, char *), (h, text));
	return text;
}

/* Links PTX (type 2) or the code of link-time optimization (type 3). */
static const void *
jit_link(int type, const char *data, size_t n, bool global)
{
	const char *options[] = { "-arch=sm_90", "-lto", getenv("OPTION") };
	Handle link;

	open_library("JITLINK", global);
	LIBRARY("nvJitLinkCreate", (Handle *, uint32_t, const char **),
		(&link, type == 2 ? 1 : 2 + (options[2] != NULL), options));
	LIBRARY("nvJitLinkAddData", (Handle, int, const void *, size_t, const char *),
		(link, type, data, n, "kernel"));
	LIBRARY("nvJitLinkComplete", (Handle), (link));
	const void *code = result(link, "nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedCubin", &n);
	LIBRARY("nvJitLinkDestroy", (Handle *), (&link));
	return code;
}

static void
try_other(Handle program)
{
	Handle other = dlopen(getenv("OTHER"), RTLD_NOW);
	int (*get)(Handle, char *);
	size_t n;

	free(result(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN", &n));
	*(void **)(void *)&get = other ? dlsym(other, "nvrtcGetCUBIN") : NULL;
	if (!get || get(program, NULL) != 77)
		exit(4);
}

static const void *
compile(const char *source, bool optimizes)
{
	const char *options[] = { optimizes ? "-arch=compute_90" : "-arch=sm_90",
		optimizes ? "-dlto" : getenv("OPTION") };
	Handle program;
	size_t n;

	open_library("NVRTC", false);
	LIBRARY("nvrtcCreateProgram",
		(Handle *, const char *, const char *, int, const char **, const char **),
		(&program, source, "two.cu", 0, NULL, NULL));
	LIBRARY("nvrtcCompileProgram", (Handle, int, const char **),
		(program, 1 + (options[1] != NULL), options));
	if (!optimizes && getenv("OTHER")) /* another version in the same program */
		try_other(program);
	if (!optimizes)
		return result(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN", &n);
	const char *code = result(program, "nvrtcGetLTOIRSize", "nvrtcGetLTOIR", &n);
	return jit_link(3, code, n, false);
}

/* ---- the module ------------------------------------------------------------------------------ */

static Handle library;

static Handle
load(char *text, size_t n, const char *how)
{
	Handle m = NULL, link, cubin;
	size_t len;
	const char *option = getenv("JIT_OPTION");
	int options[1] = { option ? atoi(option) : 0 };
	void *values[1] = { (void *)(uintptr_t)(option ? atoi(strchr(option, '=') + 1) : 0) };
	unsigned n_options = option != NULL;

	if (strcmp(how, "ex") == 0) {
		C(cuModuleLoadDataEx(&m, text, n_options, options, values));
	} else if (strcmp(how, "fatbinary") == 0) {
		C(cuModuleLoadFatBinary(&m, text));
	} else if (strncmp(how, "library", 7) == 0 || strncmp(how, "unloadlibrary", 13) == 0) {
		C(cuLibraryLoadData(&library, text, options, values, n_options, NULL, NULL, 0));
		C(cuLibraryGetModule(&m, library));
	} else if (strcmp(how, "link") == 0) {
		C(cuLinkCreate_v2(0, NULL, NULL, &link));
		C(cuLinkAddData_v2(link, 1, text, n + 1, "kernel.ptx", 0, NULL, NULL));
		C(cuLinkComplete(link, &cubin, &len));
		C(cuModuleLoadData(&m, cubin));
	} else if (strncmp(how, "jitlink", 7) == 0) {
		C(cuModuleLoadData(&m, jit_link(2, text, n + 1, how[7] != '\0')));
	} else if (strcmp(how, "nvrtc") == 0 || strcmp(how, "lto") == 0) {
		C(cuModuleLoadData(&m, compile(text, *how == 'l')));
	} else if (strcmp(how, "nvrtc-library") == 0) {
		C(cuLibraryLoadData(&library, compile(text, false), NULL, NULL, 0, NULL, NULL, 0));
		C(cuLibraryGetModule(&m, library));
	} else {
		C(cuModuleLoadData(&m, text));
	}
	return m;
}

static void
end(const char *how, Handle module, Handle context, int device)
{
	if (strcmp(how, "unload") == 0)
		C(cuModuleUnload(module));
	if (strcmp(how, "unloadlibrary") == 0)
		C(cuLibraryUnload(library));
	if (strcmp(how, "destroy") == 0)
		C(cuCtxDestroy_v2(context));
	if (strcmp(how, "release") == 0)
		C(cuDevicePrimaryCtxRelease_v2(device));
	if (strcmp(how, "reset") == 0)
		C(cuDevicePrimaryCtxReset_v2(device));
}

#ifdef LIBRARY_ONLY
#define main program
int program(int argc, char **argv);
#endif
int
main(int argc, char **argv)
{
	enum { N = 1000 };
	static char text[1 << 20];
	static unsigned out[N];
	FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
	Handle context, module, kernel;
	Ptr at;
	int device;

	if (!f)
		return 3;
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	find_functions();
	C(cuInit(0));
	C(cuDeviceGet(&device, 0));
	if (strcmp(argv[2], "destroy") == 0)
		C(cuCtxCreate_v2(&context, 0, device));
	else
		C(cuDevicePrimaryCtxRetain(&context, device));
	C(cuCtxSetCurrent(context));
	module = load(text, n, argv[2]);
	C(cuModuleGetFunction(&kernel, module, "two"));
	C(cuMemAlloc_v2(&at, sizeof out));
	C(cuMemsetD8_v2(at, 0, sizeof out));
	unsigned count = N, sum = 0;
	int launches = getenv("LAUNCHES") ? atoi(getenv("LAUNCHES")) : 1;
	void *arguments[] = { &count, &at };
	for (int i = 0; i < launches; i++)
		C(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
	C(cuMemcpyDtoH_v2(out, at, sizeof out));
	for (int i = 0; i < N; i++)
		sum = sum * 31 + out[i];
	if (strcmp(argv[2], "fork") == 0 && fork() == 0)
		exit(0);
	while (wait(NULL) > 0)
		continue;
	end(argv[2], module, context, device);
	if (getenv("AGAIN")) /* another kernel has the handle now */
		C(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
	printf("%08x\n", sum);
	return 0;
}
