/* SPDX-License-Identifier: MIT */
/* The CUDA runtime on the emulator: what its modules share. Internal to driver/cudart/.
 *
 * A CUDA program that was linked with -cudart shared finds this library in place of NVIDIA's
 * libcudart. Its host code runs as it is; kernels run in simt/, from the PTX in the program's fat
 * binaries. All work is done when it is asked for, on the calling thread, so every stream is in
 * order and every wait is over at once.
 *
 *	register.c  what nvcc's start-up code registers: fat binaries, kernels, variables
 *	fatbin.c    the PTX in a fat binary (fatbin.h)
 *	module.c    PTX to a decoded kernel, or the address of a variable
 *	memory.c    allocation; copy.c: copies, sets, symbols
 *	launch.c    launches; function.c: attributes of kernels, occupancy
 *	stream.c    streams, events, callbacks
 *	device.c    the device; error.c: errors; other.c: calls that fail with a message
 *	cuda12.c, cuda13.c    what the libraries of the two versions have of their own
 *	runtime.c   the state of the process, options, the report to ptxrun (report.h)
 */
#ifndef DRIVER_CUDART_CUDART_H
#define DRIVER_CUDART_CUDART_H

#include <pthread.h>
#include "base/heap.h"
#include "base/vec.h"
#include "driver/cudart/fatbin.h"
#include "driver/cudart/host/cuda_runtime.h"
#include "simt/simt.h"

#define API __attribute__((visibility("default")))
/* The same call with a thread's own default stream as stream 0: all streams are in order here. In
 * the same file as name. */
#define ALSO(name, other) API extern __typeof__(name) other __attribute__((alias(#name)));

/* ---- what the program registered ------------------------------------------------------------- */

/* A fat binary (or the file of --module), and its PTX once that is needed. */
typedef struct {
	const void *fatbin;     /* NULL: --module */
	const char *file;       /* of --module */
	bool tried;
	Source src;
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

/* A kernel; what cudaKernel_t points to. */
typedef struct {
	const void *host;       /* the host function that stands for it */
	const char *name;       /* in the PTX */
	const char *shown;      /* as in the source */
	Binary *binary;
	bool tried;
	Sim_kernel *kernel;     /* NULL until decoded, or if it cannot be */
	Needs needs;            /* once decoded */
	int max_dynamic;        /* bytes of shared memory, from cudaFuncSetAttribute; 0: not set */
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
	char program[64];       /* for messages */
	Source empty;           /* a module of nothing, whose Sim owns the memory */
	Sim *memory;
	size_t used;            /* bytes of device memory */
	uint32_t allocations;
	VEC(Binary *) binaries;
	VEC(Function *) functions;
	VEC(Variable) variables;
	VEC(Host_memory) host;
	cudaError_t sticky;     /* what every call says after a kernel was stopped */
} Runtime;

/* ---- runtime.c ------------------------------------------------------------------------------- */

/* The runtime's own version, 1000 * major + 10 * minor (cuda12.c, cuda13.c). */
extern const int rt_version;

/* Every call: Runtime *rt = rt_enter(); ... return rt_leave(rt, error). The lock is held
 * between. */
Runtime *rt_enter(void);
cudaError_t rt_leave(Runtime *rt, cudaError_t e);
/* A line of the standard error output that begins with "ptxrun: ". */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For a call that the emulator lacks: says so, unless *said, and fails (other.c). */
cudaError_t rt_refuse(const char *name, bool *said);
/* Appends to ptxrun's report: one launch. */
void rt_end(const Runtime *rt); /* the process ends: writes what is written at the end */
void rt_report(const Runtime *rt, const Function *f, const Sim_counts *c);
/* The last error of this thread's calls, which clear forgets; the one that stays, if there is. */
cudaError_t rt_last_error(bool clear);

/* ---- module.c -------------------------------------------------------------------------------- */

/* The kernel that a host function, or a cudaKernel_t, stands for, decoded; NULL: *e says why,
 * messages are printed. */
Function *module_function(Runtime *rt, const void *func, cudaError_t *e);
/* The kernel alone, not decoded; NULL: there is none. */
Function *module_find(Runtime *rt, const void *func);
/* The address of the variable that a host variable stands for, and its size; 0: there is none. */
uint64_t module_variable(Runtime *rt, const void *symbol, size_t *n);
/* Gives the managed variables of a binary (NULL: of all) their addresses on the host. */
void module_managed(Runtime *rt, const Binary *b);
/* Picks the device's architecture anew: a program may have PTX for newer ones only. */
void module_target(Runtime *rt, const Binary *b);

/* ---- function.c, launch.c, device.c ---------------------------------------------------------- */

/* of a multiprocessor; shared memory in KiB */
typedef struct { uint32_t arch; int threads, blocks, shared, reserved; } Limits;
Limits device_limits(uint32_t arch);
#define DEVICE_NAME "ptxrun: SIMT emulator on the CPU"

Needs function_needs(const Function *f);
/* bytes of dynamic shared memory that a launch may have */
size_t function_most_dynamic(const Function *f);
/* How many blocks of so many threads, with dynamic bytes of dynamic shared memory, a multiprocessor
 * holds at once. */
int function_resident(const Function *f, uint32_t arch, int threads, size_t dynamic);

/* ---- memory.c -------------------------------------------------------------------------------- */

#define MEMORY_BYTES (UINT64_C(16) << 30) /* of the device */

/* Is it an address of the device's, that the host cannot use? */
bool memory_device(const void *p);

#endif
