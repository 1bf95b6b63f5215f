/* SPDX-License-Identifier: MIT */
/* Functions of NVRTC and nvJitLink for programs and libraries that are linked with them. The header
 * of nvJitLink gives each a name for each version, which are replaced from CUDA 12.0 to 13.9. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT */
#include <dlfcn.h>
#include <stdint.h>
#include "driver/load/load.h"

#define API __attribute__((visibility("default")))

/* Returns the function that a loaded object, or a library that it is linked with, has. */
static void *
find_in(const char *object, const char *name)
{
	Handle h = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
	void *f = h ? real_dlsym()(h, name) : NULL;

	if (h)
		dlclose(h);
	return f;
}

/* A caller that jumps to the function is not known: its own caller is, and the libraries' names. */
static void *
next_function(const char *name, void *caller)
{
	static const char *const libraries[] = {
		"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvrtc.so.13", "libnvrtc.so.12",
	};
	void *f = real_dlsym()(RTLD_NEXT, name);
	Dl_info i;

	if (!f && dladdr(caller, &i) && i.dli_fname)
		f = find_in(i.dli_fname, name);
	for (size_t n = 0; !f && n < sizeof libraries / sizeof *libraries; n++)
		f = find_in(libraries[n], name);
	return f;
}

bool
is_own_function(void *f)
{
	static const char here;
	Dl_info a, b;

	return f && dladdr(f, &a) && dladdr(&here, &b) && a.dli_fbase == b.dli_fbase;
}

/* The function of the library, or what compilers.c has in its place. */
#define FUNCTION(symbol, parameters, arguments) \
	API Result symbol parameters; \
	Result symbol parameters { \
		void *found = next_function(#symbol, __builtin_return_address(0)); \
		Result (*f) parameters; \
		*(void **)(void *)&f = compiler_replace(#symbol, found); \
		return f ? f arguments : 1; \
	}
#define FUNCTIONS(prefix, suffix) \
	FUNCTION(prefix##nvJitLinkCreate##suffix, (Handle *s, uint32_t n, const char **options), \
		(s, n, options)) \
	FUNCTION(prefix##nvJitLinkAddData##suffix, \
		(Handle s, int type, const void *data, size_t n, const char *name), \
		(s, type, data, n, name)) \
	FUNCTION(prefix##nvJitLinkAddFile##suffix, (Handle s, int type, const char *name), \
		(s, type, name)) \
	FUNCTION(prefix##nvJitLinkGetLinkedCubin##suffix, (Handle s, void *code), (s, code)) \
	FUNCTION(prefix##nvJitLinkDestroy##suffix, (Handle *s), (s))
#define VERSIONS(major) \
	FUNCTIONS(__, major##0) FUNCTIONS(__, major##1) FUNCTIONS(__, major##2) \
	FUNCTIONS(__, major##3) FUNCTIONS(__, major##4) FUNCTIONS(__, major##5) \
	FUNCTIONS(__, major##6) FUNCTIONS(__, major##7) FUNCTIONS(__, major##8) \
	FUNCTIONS(__, major##9)

FUNCTION(nvrtcGetCUBIN, (Handle program, char *code), (program, code))
FUNCTIONS(, )
VERSIONS(_12_)
VERSIONS(_13_)
