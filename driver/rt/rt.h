/* SPDX-License-Identifier: MIT */
/* The emulated GPU of a process: what CUDA's runtime (driver/cudart/) and CUDA's driver interface
 * (driver/libcuda/) have in common. It is a library of its own, libptxrun.so: a program that uses
 * both has one device with one memory, whichever versions of the two it loads.
 *
 * A CUDA program finds these libraries in place of NVIDIA's. Its host code runs as it is; kernels
 * run in simt/, from the PTX that the program holds or makes. All work is done when it is asked
 * for, on the calling thread, so every stream is in order and every wait is over at once.
 *
 *	fatbin.c    the PTX in a fat binary (fatbin.h)
 *	module.c    PTX to a decoded kernel, or the address of a variable
 *	link.c      several texts of PTX to one
 *	memory.c    allocation; copy.c: copies, sets
 *	array.c     arrays, textures
 *	launch.c    launches; function.c: what kernels need, occupancy
 *	graph.h     graphs: work that is kept; what is asked of streams
 *	stream.c    streams, events; context.c: contexts; device.c: the device
 *	error.c     what errors are called, and say
 *	runtime.c   the state of the process, options, the report to ptxrun (report.h)
 *
 * Errors are the runtime's: the driver's have the same numbers, but that it lacks some.
 */
#ifndef DRIVER_RT_RT_H
#define DRIVER_RT_RT_H

#include <pthread.h>
#include <time.h>
#include "base/heap.h"
#include "base/vec.h"
#include "driver/cudart/host/cuda_runtime.h"
#include "driver/rt/fatbin.h"
#include "simt/simt.h"

/* What the library shows to the two others. */
#pragma GCC visibility push(default)

/* ---- what the program registered ------------------------------------------------------------- */

/* A fat binary, a file (--module) or a text, and its PTX once that is needed. */
typedef struct {
	const void *fatbin;     /* its wrapper; NULL: it is none */
	const char *file;       /* of --module */
	bool text;              /* src is there from the start */
	bool gone;              /* unloaded: its handles are no longer good, its numbers are */
	bool tried;
	Source src;
	Buf listing;            /* of its machine code; empty: rules count */
	Module *m;              /* NULL: it has none that can be used */
	Sim *sim;
} Binary;

/* Static shared memory, constants, local memory of a kernel with all it calls, in bytes; most
 * threads a block. */
typedef struct {
	size_t shared, constant, local;
	uint32_t threads;
	bool exact; /* no fewer either */
} Needs;

/* A kernel; what cudaKernel_t, CUfunction and CUkernel point to. */
typedef struct {
	const void *host;       /* the host function that stands for it; NULL: none */
	const char *name;       /* in the PTX */
	const char *shown;      /* as in the source */
	Binary *binary;
	bool tried;
	Sim_kernel *kernel;     /* NULL until decoded, or if it cannot be */
	Needs needs;            /* once decoded */
	int max_dynamic;        /* bytes of shared memory that a launch may have; 0: not set */
	uint32_t launches;
} Function;

typedef struct {
	const void *host;       /* what stands for it on the host */
	void **managed;         /* where the host keeps its address; NULL: not managed */
	const char *name;
	Binary *binary;
} Variable;

/* Memory of the host that kernels may use. */
typedef struct {
	void *at;
	size_t n;
	enum cudaMemoryType type;
	bool registered;
	unsigned flags;
} Host_memory;

typedef struct {
	pthread_mutex_t lock;
	bool ready;
	Sim_launch defaults;    /* schedule and checks, from the options */
	uint32_t arch;          /* of the device: 90 for sm_90 */
	bool arch_given;
	int sms;
	const char *report;     /* file that ptxrun reads afterwards; NULL: none */
	const char *profile;    /* file that a profile is appended to; NULL: none */
	const char *ptxas;      /* asked for machine code, to count by; NULL: rules do */
	bool advice;            /* wanted at the end */
	char program[64];       /* for messages */
	Source empty;           /* a module of nothing, whose Sim owns the memory */
	Sim *memory;
	size_t used;            /* bytes of device memory */
	uint32_t allocations;
	uint32_t texts;         /* modules of PTX text so far */
	VEC(Binary *) binaries;
	VEC(Function *) functions;
	VEC(Variable) variables;
	VEC(Host_memory) host;
	cudaError_t sticky;     /* what every call says after a kernel was stopped */
} Runtime;

/* ---- runtime.c ------------------------------------------------------------------------------- */

/* Every call: Runtime *rt = rt_enter(); ... return rt_unlock(rt, error). The lock is held
 * between. It gives back the error, or the one that stays. */
Runtime *rt_enter(void);
cudaError_t rt_unlock(Runtime *rt, cudaError_t e);
/* A line of the standard error output that begins with "ptxrun: ". */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_end(const Runtime *rt); /* the process ends: writes what is written at the end */
/* A file's bytes; false: *why says why not. */
bool rt_read(Source *src, const char *file, const char **why);
void rt_read_release(Source *src);
/* Appends to ptxrun's report: one launch. */
void rt_report(const Runtime *rt, const Function *f, const Sim_counts *c);

/* ---- module.c -------------------------------------------------------------------------------- */

/* Fat binaries that nvcc put into a program; kernels and variables of a binary. */
Binary *module_register(Runtime *rt, const void *wrapper);
void module_register_function(Runtime *rt, Binary *b, const void *host, const char *name);
void module_register_variable(Runtime *rt, Variable v);
/* A module of PTX text, or of what a program gives as an image of one: text, a fat binary, bare or
 * with its wrapper. It is read at once. NULL: *e says why, messages are printed. */
Binary *module_text(Runtime *rt, const char *text, size_t n, cudaError_t *e);
Binary *module_image(Runtime *rt, const void *image, cudaError_t *e);
/* The kernel of that name in a module, as a handle; NULL: there is none. */
Function *module_named(Runtime *rt, Binary *b, const char *name);
/* Are they handles that were given out, and are still good? */
bool module_is(const Runtime *rt, const void *binary);
bool module_is_function(const Runtime *rt, const void *function);
/* Decodes a kernel; messages are printed. */
cudaError_t module_decode(Runtime *rt, Function *f);

/* Up to room kernels of a module; how many it has. */
uint32_t module_kernels(Runtime *rt, Binary *b, Function **to, uint32_t room);
/* The address of a variable of the module, and its size; 0: there is none. */
uint64_t module_global(const Binary *b, const char *name, size_t *n);
/* The PTX of a fat binary that fits the device; false: *why says what is wrong. */
bool module_fatbin(const Runtime *rt, const void *fatbin, Source *src, const char **why);

/* The kernel that a host function, or a cudaKernel_t, stands for, decoded; NULL: *e says why,
 * messages are printed. */
Function *module_function(Runtime *rt, const void *func, cudaError_t *e);
/* The kernel alone, not decoded; NULL: there is none. */
Function *module_find(Runtime *rt, const void *func);
/* The address of the variable that a host variable stands for, and its size; 0: there is none. */
uint64_t module_variable(Runtime *rt, const void *symbol, size_t *n);
/* Gives the managed variables of a binary (NULL: of all) their addresses on the host. */
void module_managed(Runtime *rt, const Binary *b);

/* ---- function.c, launch.c, device.c, error.c ------------------------------------------------- */

enum { ASSUMED_REGISTERS = 32 };

/* of a multiprocessor; shared memory in KiB */
typedef struct { uint32_t arch; int threads, blocks, shared, reserved; } Limits;
Limits device_limits(uint32_t arch);
/* The value of an attribute (cudaDeviceAttr, CUdevice_attribute); false: there is none of that
 * number. */
bool device_attribute(const Runtime *rt, int attr, int *value);
#define DEVICE_NAME "ptxrun: SIMT emulator on the CPU"
#define DEVICE_BUS_ID "0000:00:00.0"
/* Limits by their number (cudaLimit, CUlimit): kept, and without effect. NULL: not one. */
size_t *device_limit(int limit);

Needs function_needs(const Function *f);
/* bytes of dynamic shared memory that a launch may have */
size_t function_most_dynamic(const Function *f);
/* Allows so many; false: the device has not so much. */
bool function_allow_dynamic(const Runtime *rt, Function *f, int bytes);
/* How many blocks of so many threads, with dynamic bytes of dynamic shared memory, a multiprocessor
 * holds at once. */
int function_resident(const Function *f, uint32_t arch, int threads, size_t dynamic);
/* Bytes of dynamic shared memory with which a multiprocessor still holds so many blocks. */
size_t function_available(const Runtime *rt, const Function *f, int blocks);

/* The place of the index-th parameter among the arguments, and its bytes; false: there is none. */
bool function_parameter(const Function *f, size_t index, size_t *offset, size_t *size);

typedef struct { dim3 grid, block; size_t shared; cudaStream_t stream; bool cooperative; } Config;
/* The arguments: where each lies, or, with args NULL, all as they stand in memory. */
typedef struct { void **args; const void *packed; size_t n; } Arguments;
/* What the driver interface's "extra" says: a list of names and values. False: of something that is
 * not known. */
bool launch_extra(Arguments *a, void **extra);
/* The arguments of a kernel, each at its place, and their bytes; for xfree. NULL: there are too
 * few. */
uint8_t *launch_arguments(const Sim_kernel *k, const Arguments *a, size_t *n);
/* Runs a decoded kernel. */
cudaError_t launch_run(Runtime *rt, Function *f, const Config *c, const Arguments *a);

/* Of a runtime's error of that number; NULL: there is none. */
const char *error_name(int code);
const char *error_text(int code);

/* ---- link.c ---------------------------------------------------------------------------------- */

typedef struct Link Link;
Link *link_new(void);
void link_free(Link *l); /* l may be NULL */
/* Takes the text away; false: it cannot be read, messages are printed. */
bool link_source(Link *l, Source *src);
/* A text of n bytes at most, or a fat binary with one. */
cudaError_t link_add(Runtime *rt, Link *l, const void *data, size_t n);
/* All in one, and its bytes with the NUL behind it. It is the link's. */
const char *link_text(Link *l, size_t *n);

/* ---- context.c ------------------------------------------------------------------------------- */

/* What CUcontext points to. */
typedef struct CUctx_st { bool primary; unsigned flags, retained; } Context;

Context *context_primary(void);
Context *context_new(unsigned flags);
/* Of the calling thread: the topmost of its stack, which may be NULL as well. */
Context *context_current(void);
bool context_push(Context *c); /* false: it has too many */
Context *context_pop(void);
/* Makes the primary one current where there is none. */
void context_use(void);

/* ---- stream.c -------------------------------------------------------------------------------- */

/* What the graph of a capture knows of them: capture.c. */
struct Capture;
struct CUgraphNode_st;
typedef VEC(struct CUgraphNode_st *) Last_nodes;

struct CUstream_st {
	unsigned flags;
	int priority;
	unsigned long long id;
	struct Capture *capture;
	Last_nodes last;
};
struct CUevent_st {
	unsigned flags;
	bool recorded;
	struct timespec at;
	struct Capture *capture;
	Last_nodes last;
};
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2, STREAM_LEAST = 0, STREAM_GREATEST = -5 };

/* Is it one that was made, not a name of the default stream? */
bool stream_made(cudaStream_t s);
cudaStream_t stream_new(unsigned flags, int priority);
void stream_free(cudaStream_t s);
unsigned long long stream_id(cudaStream_t s);
cudaEvent_t event_new(unsigned flags);
void event_free(cudaEvent_t event);
void event_record(cudaEvent_t event);
cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end);

/* ---- memory.c, copy.c ------------------------------------------------------------------------ */

#define MEMORY_BYTES (UINT64_C(16) << 30) /* of the device */

/* Is it an address of the device's, that the host cannot use? */
bool memory_device(const void *p);
/* n bytes of the device's. call: what messages call it by, "cudaMalloc". */
cudaError_t memory_new(Runtime *rt, void **p, size_t n, const char *call);
/* Rows of width bytes, and how far one is behind the other. */
cudaError_t memory_new_rows(Runtime *rt, void **p, size_t *pitch, const size_t size[2],
	const char *call);
/* Page-locked or managed memory: h says what, and how much. */
cudaError_t memory_new_host(Runtime *rt, void **p, Host_memory h, const char *call);
/* Memory that the program has already. */
cudaError_t memory_register(Runtime *rt, void *p, size_t n, unsigned flags);
cudaError_t memory_unregister(Runtime *rt, void *p);
cudaError_t memory_free(Runtime *rt, void *p); /* also managed memory */
cudaError_t memory_free_host(Runtime *rt, void *p);
/* That p points into; NULL: none. */
Host_memory *memory_host(const Runtime *rt, const void *p);
/* Of what type p is; where the memory that it points into begins, and its bytes, 0: not known. */
enum cudaMemoryType memory_of(Runtime *rt, const void *p, void **start, size_t *n);

typedef struct { size_t width, height, depth; } Box; /* bytes, rows, slices */
typedef struct { void *at; size_t pitch, slice; } Place;

cudaError_t copy_box(Runtime *rt, Place to, Place from, Box b, enum cudaMemcpyKind kind);
/* Sets each item (of 1, 2 or 4 bytes) to the value. */
typedef struct { uint32_t value; unsigned bytes; } Fill;
cudaError_t copy_set(Runtime *rt, Place to, Box b, Fill item);

/* ---- array.c --------------------------------------------------------------------------------- */

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_GATHER = 8 };
/* What cudaArray_t and CUarray point to. */
typedef struct cudaArray {
	void *at;
	size_t width, height, depth;    /* in elements; 0: it has not this dimension */
	cudaChannelFormatDesc desc;
	unsigned flags;
	size_t element, pitch, slice;   /* bytes: array_new sets them */
} Array;

/* Bytes of an element of that format; 0: there is none. */
size_t array_element(cudaChannelFormatDesc d);
cudaError_t array_new(Runtime *rt, Array **to, Array is);
cudaError_t array_free(Runtime *rt, Array *a); /* a may be NULL */
/* x: bytes. */
Place array_place(const Array *a, size_t x, size_t y, size_t z);

/* Memory as a texture: bytes in a row, or, with bytes 0, rows. */
typedef struct {
	const void *at;
	cudaChannelFormatDesc desc;
	size_t bytes, width, height, pitch;
} Rows_of;
/* What a texture or surface object is of; the rest of it is the caller's to set before. */
void texture_of_array(Sim_texture *t, const Array *a);
cudaError_t texture_of_memory(Sim_texture *t, Rows_of r);
cudaError_t texture_new(Runtime *rt, const Sim_texture *t, unsigned long long *to);
cudaError_t texture_free(Runtime *rt, unsigned long long object);

#pragma GCC visibility pop
#endif
