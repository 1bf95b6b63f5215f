/* SPDX-License-Identifier: MIT */
/* Internal to the library. CUDA's headers are not needed: handles are pointers, results and
 * enumerations are integers. */
#ifndef DRIVER_LOAD_LOAD_H
#define DRIVER_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>

typedef int Result; /* 0: success */
typedef void *Handle;

typedef void *Dlsym(void *, const char *);

/* rewrite.c */
/* Returns the C library's dlsym. */
Dlsym *real_dlsym(void);
/* Returns a function of the driver; NULL if the program has not loaded that. */
void *driver_function(const char *name);
/* Calls a function of the driver; the result is 1 if there is none. */
#define DRIVER_CALL(result, name, types, arguments) \
	do { \
		Result (*f) types; \
		*(void **)(void *)&f = driver_function(name); \
		(result) = f ? f arguments : 1; \
	} while (0)
/* How an image is loaded. */
typedef enum { LOADED_MODULE, LOADED_LIBRARY } Load_kind;
/* Options for the driver's compiler (CUjit_option) */
typedef struct { unsigned n; const int *options; void **values; } Jit_options;
/* What to load in place of an image, the code first; NULL: none. To be freed. */
typedef struct { char *code, *ptx; } Rewritten;
Rewritten rewrite_image(const void *image, Load_kind kind, const Jit_options *jit);
/* Returns the text that a linker is to link in place of PTX of `size` bytes, to be freed, and its
 * length without the terminating zero; NULL for the PTX itself. One text of a linker counts. */
char *rewrite_linked(Handle linker, const void *data, size_t size, size_t *len);

/* Whether PTX is transformed, or made to count. */
bool rewrites(void);

/* compilers.c: NVRTC and nvJitLink */
/* Whether the name is that of a function that is replaced. */
bool compiler_function(const char *name);
/* Returns what the program is to call in place of the function at `found`, which has that name. */
void *compiler_replace(const char *name, void *found);
/* linked.c: functions that a program is linked with */
/* Whether the function is this library's. */
bool is_own_function(void *f);

/* Machine code that a compiler in the program has made, and the PTX that it is made of. */
typedef struct Compiled {
	char *ptx, *code;
	size_t code_bytes;
	struct Compiled *next;
} Compiled;
/* Returns the entry of this machine code, which stays; NULL if there is none. */
const Compiled *compiled_find(const void *image);

/* counters.c: modules that count, for a profile */
/* Whether `ptxccc-run --profile` runs the program. */
bool counters_wanted(void);
/* A linker has a text that counts. Returns false if it has one already. */
bool counters_add_linker(Handle linker);
/* The linker is about to be destroyed. */
void linked_forget(Handle linker);
/* Whether the image, which is loaded as it is, is linked of a text that counts. */
bool linked_code_counts(const void *image);
/* Has the counters of a module or library written before it is unloaded, or the program ends. */
void counters_add(Load_kind kind, Handle h);
/* A module or library is about to be unloaded: its counters are written. */
void counters_unload(Handle h);
/* A context is about to be destroyed: the counters of its modules are written. */
void counters_destroy_context(Handle context);
/* The primary context of a device is about to be reset (gone) or released. */
void counters_reset_device(int device, bool gone);

/* timed.c: two versions of a kernel, which the program's launches time */
typedef Result Get_function(Handle *, Handle, const char *);
typedef Result Launch(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	Handle, void **, void **);
typedef struct { unsigned x, y, z, bx, by, bz, shared; } Grid; /* blocks, threads of a block */
/* Whether `ptxccc-run --timed` runs the program. */
bool timed_wanted(void);
/* A transformed module or library has been loaded. */
void timed_add_module(Load_kind kind, Handle module);
/* The program has got a kernel of a module; get: the driver's function for that. */
void timed_add(Load_kind kind, Handle module, const char *name, Handle own, Get_function *get);
/* A module or library is about to be unloaded. */
void timed_unload(Handle module);
/* A context is about to be destroyed; NULL: the current one. */
void timed_destroy_context(Handle context);
/* The primary context of a device was reset or released. */
void timed_reset_device(int device);
/* Launches one of the versions of f, or f. */
Result timed_launch(
	Launch *real, Handle f, const Grid *g, Handle stream, void **args, void **extra);

#endif
