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
/* Returns the text to load in place of an image, to be freed; NULL for the image itself. */
char *rewrite_image(const void *image);
/* Returns the text to link in place of PTX of `size` bytes, to be freed, and its length without the
 * terminating zero; NULL for the PTX itself. */
char *rewrite_linked(const void *data, size_t size, size_t *len);

/* counters.c: modules that count, for a profile */
typedef enum { COUNTED_MODULE, COUNTED_LIBRARY } Counted_kind;
/* Whether `ptxccc-run --profile` runs the program. */
bool counters_wanted(void);
/* Has the counters of a module or library written before it is unloaded, or the program ends. */
void counters_add(Counted_kind kind, Handle h);
/* A module or library is about to be unloaded: its counters are written. */
void counters_unload(Handle h);
/* A context is about to be destroyed: the counters of its modules are written. */
void counters_destroy_context(Handle context);
/* The primary context of a device is about to be reset (gone) or released. */
void counters_reset_device(int device, bool gone);

#endif
