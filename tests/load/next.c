/* SPDX-License-Identifier: MIT */
/* A library that is preloaded after others, and replaces a function of the C library: RTLD_NEXT
 * must mean the library after this one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

pid_t
getppid(void)
{
	pid_t (*next)(void);
	Dl_info i;

	*(void **)(void *)&next = dlsym(RTLD_NEXT, "getppid");
	return next && next != getppid && dladdr(*(void **)(void *)&next, &i) ? 77 : 0;
}

/* of another version of a compiler */
int nvrtcGetCUBIN(void *program, char *code);
int nvrtcGetCUBIN(void *program, char *code) { return 77 + 0 * (!program + !code); }
