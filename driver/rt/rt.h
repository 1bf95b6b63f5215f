/* SPDX-License-Identifier: MIT */
/* The emulated GPU of a process: the common part of the CUDA runtime (driver/cudart/) and the
 * CUDA driver API (driver/libcuda/). It is a separate library, libptxrun.so, so that a program
 * that uses both has one device with one memory, whichever versions of the two it loads.
 *
 * A CUDA program loads these libraries instead of NVIDIA's. Its host code runs unchanged;
 * kernels run in simt/, from the PTX that the program contains or generates. All work is
 * executed synchronously on the calling thread, so every stream is in order and every wait
 * returns at once.
 *
 *	fatbin.c    the PTX in a fat binary (fatbin.h)
 *	module.c    from PTX to decoded kernels and addresses of variables
 *	link.c      links several PTX texts into one
 *	memory.c    allocation; copy.c: copies, sets
 *	array.c     arrays, textures
 *	launch.c    launches; function.c: attributes of kernels, occupancy
 *	graph.h     graphs; work requested of streams
 *	stream.c    streams, events; context.c: contexts; device.c: the device
 *	error.c     names and texts of errors
 *	runtime.c   the state of the process, options, the report to ptxrun (report.h)
 *
 * Errors are the runtime's. The driver's have the same numbers, but fewer of them. */
#ifndef DRIVER_RT_RT_H
#define DRIVER_RT_RT_H

#include <pthread.h>
#include "base/heap.h"
#include "base/vec.h"
#include "driver/cudart/host/cuda_runtime.h"
#include "driver/rt/fatbin.h"
#include "simt/simt.h"
#include "suggest/auto_output.h"

/* Symbols exported to the two other libraries. */
#pragma GCC visibility push(default)

/* ---- what the program registered ------------------------------------------------------------- */

/* A fat binary, file (--module) or text, and its PTX once loaded. */
typedef struct {
	const void *fatbin;     /* its wrapper; NULL if it is not a fat binary */
	const char *file;       /* of --module */
	bool text;              /* src was supplied as text */
	bool gone;              /* unloaded, or not loadable: its handles are invalid */
	bool tried;
	Source src;
	uint64_t hash;          /* of src, once loaded */
	/* with --profile and --advice: the module with counted candidates, if it has any */
	Auto_layers layers;
	Buf listing;            /* of the machine code; empty: issue slots by rules */
	Module *m;              /* NULL if there is no usable PTX */
	Sim *sim;
} Binary;

/* Resources of a kernel and all functions that it calls: static shared memory, constants and
 * local memory, in bytes; largest block size, in threads. */
typedef struct {
	size_t shared, constant, local;
	uint32_t threads;
	bool exact; /* the block size is also the smallest */
} Needs;

/* A kernel; what cudaKernel_t, CUfunction and CUkernel point to. */
typedef struct {
	const void *host;       /* the host function that represents it; NULL: none */
	const char *name;       /* in the PTX */
	const char *shown;      /* name in the source */
	/* if the module has the original and a transformed version (base/untouched.h): the name of
	 * the kernel in the source; NULL: it has one version */
	const char *versions_of;
	bool transformed;       /* of these two */
	Binary *binary;
	bool tried;
	Sim_kernel *kernel;     /* NULL if not decoded yet, or if decoding failed */
	Needs needs;            /* valid once decoded */
	int max_dynamic; /* limit of a launch's dynamic shared memory, in bytes; 0: not set */
	uint32_t launches;
} Function;

typedef struct {
	const void *host;       /* the host variable that represents it */
	void **managed;         /* where the host stores its address; NULL: not managed */
	const char *name;
	Binary *binary;
} Variable;

/* Host memory that kernels may access. */
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
	const char *report;     /* file that ptxrun reads at the end; NULL: none */
	bool promises;          /* check what annotations promise */
	const char *profile;    /* file that a profile is appended to; NULL: none */
	/* assembles the code whose machine instructions are counted; NULL: issue slots by rules */
	const char *ptxas;
	bool advice;            /* print advice at the end */
	char program[64];       /* for messages */
	Source empty;           /* an empty module, whose Sim owns the device memory */
	Sim *memory;
	size_t used;            /* allocated device memory, in bytes */
	uint32_t allocations;
	uint32_t texts;         /* number of modules loaded from PTX text */
	uint64_t issued;        /* warp instructions of all launches: the time of events */
	VEC(Binary *) binaries;
	VEC(Function *) functions;
	VEC(Variable) variables;
	VEC(Host_memory) host;
	cudaError_t sticky;     /* error that every call returns after a kernel was stopped */
} Runtime;

/* ---- runtime.c ------------------------------------------------------------------------------- */

/* Every call has the form: Runtime *rt = rt_enter(); ... return rt_unlock(rt, error). It holds
 * the lock in between. rt_unlock returns the error, or the sticky one. */
Runtime *rt_enter(void);
cudaError_t rt_unlock(Runtime *rt, cudaError_t e);
/* Prints a line that begins with "ptxrun: " to standard error. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_end(const Runtime *rt); /* called when the process ends: writes the reports */
/* Reads a file. Returns false on failure, with the reason in *why. */
bool rt_read(Source *src, const char *file, const char **why);
void rt_read_release(Source *src);
/* Appends a launch to ptxrun's report. */
void rt_report(const Runtime *rt, const Function *f, const Sim_counts *c);
/* Reports the number of races among the messages of a launch. */
void rt_report_races(const Runtime *rt, const char *found);

/* ---- module.c -------------------------------------------------------------------------------- */

/* Register the fat binaries that nvcc embeds in a program, and their kernels and variables. */
Binary *module_register(Runtime *rt, const void *wrapper);
void module_register_function(Runtime *rt, Binary *b, const void *host, const char *name);
void module_register_variable(Runtime *rt, Variable v);
/* Loads an image that the program supplies: PTX text, or a fat binary with or without its wrapper.
 * The module is parsed at once. On failure prints messages and returns NULL, with the error in
 * *e. */
Binary *module_image(Runtime *rt, const void *image, cudaError_t *e);
/* Returns the handle of the kernel of that name; NULL if the module has none. */
Function *module_named(Runtime *rt, Binary *b, const char *name);
/* Whether the argument is a valid handle. */
bool module_is(const Runtime *rt, const void *binary);
bool module_is_function(const Runtime *rt, const void *function);
/* Decodes a kernel; prints messages on failure. */
cudaError_t module_decode(Runtime *rt, Function *f);

/* Stores at most room kernels of a module and returns how many it has. */
uint32_t module_kernels(Runtime *rt, Binary *b, Function **to, uint32_t room);
/* Returns the device address of a variable of the module and its size; 0 if there is none. */
uint64_t module_global(const Binary *b, const char *name, size_t *n);
/* Selects the PTX of a fat binary that fits the device. Returns false on failure, with the
 * reason in *why. */
bool module_fatbin(const Runtime *rt, const void *fatbin, Source *src, const char **why);

/* Returns the decoded kernel that a host function or cudaKernel_t denotes. On failure, prints
 * messages and returns NULL, with the error in *e. */
Function *module_function(Runtime *rt, const void *func, cudaError_t *e);
/* The same without decoding; NULL if there is none. */
Function *module_find(Runtime *rt, const void *func);
/* Returns the device address of the variable that a host variable represents and its size; 0 if
 * there is none. */
uint64_t module_variable(Runtime *rt, const void *symbol, size_t *n);
/* Sets the host pointers of the managed variables of a binary (NULL: of all binaries). */
void module_managed(Runtime *rt, const Binary *b);

/* ---- function.c, launch.c, device.c, error.c ------------------------------------------------- */

enum { ASSUMED_REGISTERS = 32 };

/* limits of a multiprocessor; shared memory in KiB */
typedef struct { uint32_t arch; int threads, blocks, shared, reserved; } Limits;
Limits device_limits(uint32_t arch);
/* Gets the value of an attribute (cudaDeviceAttr, CUdevice_attribute). Returns false if the
 * number is unknown. */
bool device_attribute(const Runtime *rt, int attr, int *value);
#define DEVICE_NAME "ptxrun: SIMT emulator on the CPU"
#define DEVICE_BUS_ID "0000:00:00.0"
/* Returns the storage of a limit (cudaLimit, CUlimit), NULL if the number is unknown. Limits
 * have no effect. */
size_t *device_limit(int limit);

Needs function_needs(const Function *f);
/* largest dynamic shared memory of a launch, in bytes */
size_t function_most_dynamic(const Function *f);
/* Raises that limit. Returns false if it exceeds the device's. */
bool function_allow_dynamic(const Runtime *rt, Function *f, int bytes);
/* Returns how many blocks with the given number of threads and bytes of dynamic shared memory
 * are resident on a multiprocessor. */
int function_resident(const Function *f, uint32_t arch, int threads, size_t dynamic);
/* Returns the largest dynamic shared memory, in bytes, at which that many blocks are resident. */
size_t function_available(const Runtime *rt, const Function *f, int blocks);

/* Gets offset and size, in bytes, of a parameter. Returns false if the index is out of range. */
bool function_parameter(const Function *f, size_t index, size_t *offset, size_t *size);

typedef struct { dim3 grid, block; size_t shared; cudaStream_t stream; bool cooperative; } Config;
/* Arguments of a launch: a pointer to each, or, if args is NULL, n packed bytes. */
typedef struct { void **args; const void *packed; size_t n; } Arguments;
/* Parses the `extra` list of the driver API. Returns false if it has an unknown entry. */
bool launch_extra(Arguments *a, void **extra);
/* Returns the parameter block of a kernel, of *n bytes, to be freed with xfree. Returns NULL if
 * there are too few arguments. */
uint8_t *launch_arguments(const Sim_kernel *k, const Arguments *a, size_t *n);
/* Launches a decoded kernel and executes it. */
cudaError_t launch_run(Runtime *rt, Function *f, const Config *c, const Arguments *a);

/* Name and text of a runtime error; NULL if the number is unknown. */
const char *error_name(int code);
const char *error_text(int code);

/* ---- link.c ---------------------------------------------------------------------------------- */

typedef struct Link Link;
Link *link_new(void);
void link_free(Link *l); /* l may be NULL */
/* Adds a text and takes ownership of it. Returns false, after printing messages, if it cannot be
 * parsed. */
bool link_source(Link *l, Source *src);
/* Adds a text of at most n bytes, or the PTX of a fat binary. */
cudaError_t link_add(Runtime *rt, Link *l, const void *data, size_t n);
/* Links all texts. Returns the result, which the link owns, and its size including the NUL. */
const char *link_text(Link *l, size_t *n);

/* ---- context.c ------------------------------------------------------------------------------- */

/* What CUcontext points to. */
typedef struct CUctx_st { bool primary; unsigned flags, retained; } Context;

Context *context_primary(void);
Context *context_new(unsigned flags);
/* The top of the calling thread's stack, which may be NULL. */
Context *context_current(void);
bool context_push(Context *c); /* false if the stack is full */
Context *context_pop(void);
/* Makes the primary context current if there is no current context. */
void context_use(void);

/* ---- stream.c -------------------------------------------------------------------------------- */

/* Streams and events in a capture: see capture.c. */
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
	uint64_t at;            /* warp instructions issued so far */
	struct Capture *capture;
	Last_nodes last;
};
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2, STREAM_LEAST = 0, STREAM_GREATEST = -5 };

/* Whether s is a created stream, as opposed to a name of the default stream. */
bool stream_made(cudaStream_t s);
cudaStream_t stream_new(unsigned flags, int priority);
void stream_free(cudaStream_t s);
unsigned long long stream_id(cudaStream_t s);
cudaEvent_t event_new(unsigned flags);
void event_free(cudaEvent_t event);
void event_record(const Runtime *rt, cudaEvent_t event);
cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end);

/* ---- memory.c, copy.c ------------------------------------------------------------------------ */

#define MEMORY_BYTES (UINT64_C(16) << 30) /* memory of the device */

/* Whether p is a device address that the host cannot access. */
bool memory_device(const void *p);
/* Allocates n bytes of device memory. call: the function's name in messages, "cudaMalloc". */
cudaError_t memory_new(Runtime *rt, void **p, size_t n, const char *call);
/* Allocates size[1] rows of size[0] bytes. *pitch receives the distance between rows in bytes. */
cudaError_t memory_new_rows(Runtime *rt, void **p, size_t *pitch, const size_t size[2],
	const char *call);
/* Allocates page-locked or managed memory as described by h. */
cudaError_t memory_new_host(Runtime *rt, void **p, Host_memory h, const char *call);
/* Registers memory that the program has allocated. */
cudaError_t memory_register(Runtime *rt, void *p, size_t n, unsigned flags);
cudaError_t memory_unregister(Runtime *rt, void *p);
cudaError_t memory_free(Runtime *rt, void *p); /* also managed memory */
cudaError_t memory_free_host(Runtime *rt, void *p);
/* Returns the allocation that p points into; NULL if there is none. */
Host_memory *memory_host(const Runtime *rt, const void *p);
/* Returns the memory type of p; start and n receive start and size of the allocation that p
 * points into, 0 if unknown. */
enum cudaMemoryType memory_of(Runtime *rt, const void *p, void **start, size_t *n);

typedef struct { size_t width, height, depth; } Copy_extent; /* bytes, rows, slices */
typedef struct { void *at; size_t pitch, slice; } Copy_place;

cudaError_t copy_box(
	Runtime *rt, Copy_place to, Copy_place from, Copy_extent b, enum cudaMemcpyKind kind);
/* Sets each item of 1, 2 or 4 bytes to the value. */
typedef struct { uint32_t value; unsigned bytes; } Fill;
cudaError_t copy_set(Runtime *rt, Copy_place to, Copy_extent b, Fill item);

/* ---- array.c --------------------------------------------------------------------------------- */

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_GATHER = 8 };
/* What cudaArray_t and CUarray point to. */
typedef struct cudaArray {
	void *at;
	size_t width, height, depth;    /* in elements; 0 in absent dimensions */
	cudaChannelFormatDesc desc;
	unsigned flags;
	size_t element, pitch, slice;   /* in bytes; set by array_new */
} Array;

cudaError_t array_new(Runtime *rt, Array **to, Array is);
cudaError_t array_free(Runtime *rt, Array *a); /* a may be NULL */
/* x is in bytes. */
Copy_place array_place(const Array *a, size_t x, size_t y, size_t z);

/* Linear memory as a texture: `bytes` bytes in one row or, if bytes is 0, rows. */
typedef struct {
	const void *at;
	cudaChannelFormatDesc desc;
	size_t bytes, width, height, pitch;
} Rows_of;
/* Set the members of *t that describe the memory; the caller sets the others first. */
void texture_of_array(Sim_texture *t, const Array *a);
cudaError_t texture_of_memory(Sim_texture *t, Rows_of r);
cudaError_t texture_new(Runtime *rt, const Sim_texture *t, unsigned long long *to);
cudaError_t texture_free(Runtime *rt, unsigned long long object);

#pragma GCC visibility pop
#endif
