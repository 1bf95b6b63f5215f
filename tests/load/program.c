/* SPDX-License-Identifier: MIT */
/* Loads kernel `two` of a file of PTX, or of a fat binary, and prints a sum of what it computes.
 *
 *	program FILE HOW
 *
 * HOW: data, ex, fatbinary, library, link, jitlink, fork; or what is done to the module or its
 * context at the end: unload, unloadlibrary, destroy, reset, release.
 *
 * JIT_OPTION=NUMBER=VALUE is an option for the driver's compiler, with ex and library.
 *
 * With LINKED, the driver's functions are linked; else all are found by dlsym and
 * cuGetProcAddress, as by a statically linked runtime. */
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

/* Links by the function of libnvJitLink that is named, from the library that is named. */
static const void *
jit_link(char *text, size_t n, bool global)
{
	Handle library = dlopen(getenv("JITLINK"), global ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW), link;
	Handle from = global ? RTLD_DEFAULT : library;
	const char *options[] = { "-arch=sm_90" };
	int (*create)(Handle *, uint32_t, const char **);
	int (*add)(Handle, int, const void *, size_t, const char *);
	int (*complete)(Handle), (*size)(Handle, size_t *), (*get)(Handle, void *);
	size_t len;
	*(void **)(void *)&create = library ? dlsym(from, "nvJitLinkCreate") : NULL;
	if (!create)
		exit(3);
	*(void **)(void *)&add = dlsym(from, "nvJitLinkAddData");
	*(void **)(void *)&complete = dlsym(from, "nvJitLinkComplete");
	*(void **)(void *)&size = dlsym(from, "nvJitLinkGetLinkedCubinSize");
	*(void **)(void *)&get = dlsym(from, "nvJitLinkGetLinkedCubin");
	C(create(&link, 1, options));
	C(add(link, 2, text, n + 1, "kernel.ptx"));
	C(complete(link));
	C(size(link, &len));
	char *cubin = malloc(len);
	C(get(link, cubin));
	return cubin;
}

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
	} else if (strstr(how, "library")) {
		C(cuLibraryLoadData(&library, text, options, values, n_options, NULL, NULL, 0));
		C(cuLibraryGetModule(&m, library));
	} else if (strcmp(how, "link") == 0) {
		C(cuLinkCreate_v2(0, NULL, NULL, &link));
		C(cuLinkAddData_v2(link, 1, text, n + 1, "kernel.ptx", 0, NULL, NULL));
		C(cuLinkComplete(link, &cubin, &len));
		C(cuModuleLoadData(&m, cubin));
	} else if (strncmp(how, "jitlink", 7) == 0) {
		C(cuModuleLoadData(&m, jit_link(text, n, how[7] != '\0')));
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
	C(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &count, &at }, NULL));
	C(cuMemcpyDtoH_v2(out, at, sizeof out));
	for (int i = 0; i < N; i++)
		sum = sum * 31 + out[i];
	if (strcmp(argv[2], "fork") == 0 && fork() == 0)
		exit(0);
	while (wait(NULL) > 0)
		continue;
	end(argv[2], module, context, device);
	printf("%08x\n", sum);
	return 0;
}
