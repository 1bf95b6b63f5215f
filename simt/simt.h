/* SPDX-License-Identifier: MIT */
/* The SIMT emulator: runs the kernels of a PTX module on the CPU, warp by warp (docs/design.md 7).
 *
 *	Sim *s = sim_new(m);
 *	uint64_t at = sim_alloc(s, 4096);               global memory; sim_bytes(s, at, ...) is
 *	                                                its address on the host
 *	Sim_kernel *k = sim_kernel(s, "name", errors);  decoded once; NULL if an instruction is
 *	                                                not supported
 *	sim_launch(s, k, &launch, errors, &counts);     false if a check failed
 *
 * Each lane has its own program counter. Under SCHED_IPDOM, lanes that diverge at a branch
 * reconverge at its immediate post-dominator, as a profiler would count them. Under SCHED_RANDOM,
 * any lanes at the same instruction may run next, any group may be split or joined at every
 * instruction, and warps and blocks interleave.
 */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include "base/buf.h"
#include "parser/ptx.h"
#include "profile/profile.h"

typedef struct Sim Sim;
typedef struct Sim_kernel Sim_kernel;

typedef enum { SCHED_IPDOM, SCHED_RANDOM } Sched;

/* Larger than any device allows, and small enough that sums of sizes cannot overflow. */
enum {
	SIM_MOST_SHARED = 1 << 24,  /* bytes of shared, constant, local or parameter memory */
	SIM_MAX_CONCURRENT = 1 << 16 /* blocks of a cooperative launch */
};

/* The checks. */
typedef enum {
	FAULT_NONE,
	FAULT_BOUNDS,
	FAULT_ALIGN,
	FAULT_UNWRITTEN,
	FAULT_RACE,
	FAULT_PROMISE,
	FAULT_MASK,
	FAULT_DEADLOCK,
	FAULT_TRAP,
	FAULT_STACK,
	FAULT_LIMIT,
	FAULT_BRANCH,
	FAULT_UNIFORM,
	FAULT_FREED,
	FAULT_ASSERT,
	FAULT_FREE,
	FAULT_MBARRIER,
	FAULT_LAUNCH,
	FAULT_LAUNCH_CONTROL,
	FAULT_COUNT
} Fault;

/* A fault that the user may want to silence: its kind, the kernel, the position in the PTX, the
 * position in the CUDA source, and the position of the inlined call. A file is NULL if unknown. */
typedef struct {
	Fault kind;
	const char *kernel, *ptx, *cuda, *caller;
	uint32_t ptx_line, cuda_line, caller_line;
} Sim_found;

/* Progress of a launch: blocks started, all blocks, warp instructions issued (0: unknown). */
typedef struct { uint64_t blocks, all, issued; } Sim_progress;

typedef struct {
	uint32_t grid[3], block[3];
	uint32_t shared;        /* bytes of dynamic shared memory */
	uint32_t sms;           /* multiprocessors of the GPU; 0 means 1 */
	/* all blocks are resident and can wait for each other (grid_group of cooperative groups) */
	bool cooperative;
	Sched sched;
	uint64_t seed;          /* for SCHED_RANDOM */
	bool races;             /* check for data races */
	/* also report the benign races, which are otherwise only counted: all writers store the
	 * same value, or one access is strong and the other weak */
	bool strict;
	bool unwritten;         /* reading uninitialised memory is no fault */
	bool traffic;           /* also count shared, global and local memory traffic */
	bool lines;             /* keep all counts by statement, for sim_lines */
	/* host threads that run blocks if the blocks are independent; 0 means 1. Results and
	 * reports do not depend on it */
	uint32_t threads;
	uint64_t limit;         /* maximum number of warp instructions; 0: unlimited */
	/* bytes available to malloc in kernels, over all launches; 0: 8 MiB */
	uint64_t heap;
	bool keep_going;        /* a fault ends its block, not the launch */
	/* whether the user has silenced this report; NULL: nothing is silenced */
	bool (*silent)(void *silences, const Sim_found *f);
	void *silences;
	/* called periodically; false ends the launch. May be NULL */
	bool (*tick)(void *user, const Sim_progress *at);
	void *user;
	Buf *text;              /* receives the output of printf in the kernel; NULL: discarded */
	const uint8_t *params;  /* the kernel's parameters, laid out as sim_param describes */
} Sim_launch;

/* Counts of a launch or of a source line. Instructions are those of the machine code
 * (simt/sass/issue_slots.h). A request is one memory instruction of one group of lanes. */
typedef struct {
	uint64_t warp_insts;    /* warp instructions issued, one per group of lanes */
	uint64_t thread_insts;  /* the same, summed over the lanes of the group */
	uint64_t active_insts;  /* the same, without predicated-off lanes */
	/* bra and brx.idx issued, excluding those that the machine code replaces by predication,
	 * and guards of atomic operations */
	uint64_t branches;
	uint64_t divergent;     /* those whose lanes diverged */
	/* with .traffic; docs/emulator.md describes the model */
	uint64_t shared_requests, shared_wavefronts;
	uint64_t shared_ideal;  /* wavefronts needed without bank conflicts */
	/* sectors have 32 bytes, lines 128 */
	uint64_t global_requests, global_sectors, global_lines;
	uint64_t local_requests, local_sectors;
	uint64_t benign_races;  /* races that are counted but not reported */
	uint64_t faults;        /* faults found by the checks */
	/* of a launch of a kernel with a task loop: its threads, and those that stay in the loop;
	 * the same if the kernel collects tasks, else 0 */
	uint64_t tasks, slots, collecting;
	/* the fault that ended the launch; FAULT_NONE: it completed */
	Fault stopped;
} Sim_counts;

Sim *sim_new(const Module *m);
/* Creates a simulator for another module of the same program. It shares the memory of `with`, which
 * must outlive it. */
Sim *sim_new_sharing(const Module *m, Sim *with);
void sim_free(Sim *s); /* s may be NULL */
/* Frees all memory and forgets reported faults, so that a launch gives what it gives on a new
 * simulator; kernels stay decoded, and counts by statement stay. False, and s is unchanged, if the
 * kernels use variables in global memory, which launches may have changed. Not for simulators that
 * share memory. */
bool sim_restart(Sim *s);

/* Allocates n zeroed bytes of global memory. Returns their address, which is both global and
 * generic, or 0 if memory is exhausted. label appears in messages and must outlive s. */
uint64_t sim_alloc(Sim *s, size_t n, const char *label);
/* The same, but reading bytes that neither a kernel nor sim_written has written is a fault. */
uint64_t sim_alloc_unwritten(Sim *s, size_t n, const char *label);
/* Marks n bytes at a global address as written, for example by the host. */
void sim_written(Sim *s, uint64_t at, size_t n);
/* Frees the buffer that begins at an address; false if there is none. Later accesses are reported
 * ("memory freed"), because the address is not reused. The label stays in use. */
bool sim_release(Sim *s, uint64_t at);
/* Frees all buffers but the first n and makes their addresses available again. For use between the
 * simulators of successive modules. */
void sim_keep_newest(Sim *s, uint32_t n);
/* Maps n bytes of host memory, which kernels access at their host address; returns that address.
 * The bytes remain the caller's and must outlive s or the call of sim_unmap. Managed variables of a
 * module are mapped like this from the start. */
uint64_t sim_map(Sim *s, void *bytes, size_t n, const char *label);
/* Unmaps them; false if nothing is mapped at that address. */
bool sim_unmap(Sim *s, uint64_t at);
/* Returns the host address of n bytes at a global, or generic constant, address; NULL unless all of
 * them are valid. */
uint8_t *sim_bytes(Sim *s, uint64_t at, size_t n);
/* Returns the number of bytes from an address to the end of its buffer, and the buffer's first
 * address in *start; 0 if no buffer is there. */
size_t sim_buffer(Sim *s, uint64_t at, uint64_t *start);
/* Whether the address is meaningful to kernels only: an address from sim_alloc or of a constant,
 * where no host process has memory. */
bool sim_only_buffer(uint64_t at);
/* Returns the generic address of a global or constant variable of the module and its size in bytes;
 * 0 if there is no such variable. */
uint64_t sim_variable(Sim *s, const char *name, size_t *bytes);

/* ---- textures and surfaces (simt/isa/textures.c) --------------------------------------------- */

/* Values as in CUDA's enumerations. */
typedef enum { SIM_WRAP, SIM_CLAMP, SIM_MIRROR, SIM_BORDER } Sim_edge;
typedef enum { SIM_SIGNED, SIM_UNSIGNED, SIM_FLOAT } Sim_channel;

/* Texels of 1, 2 or 4 channels in global memory. */
typedef struct {
	uint64_t at;            /* address of the first texel */
	size_t pitch, slice;    /* bytes between rows; between slices or layers */
	uint32_t size[3];       /* texels in each dimension; 0: dimension absent */
	uint8_t bytes, channels;/* bytes of a channel: 1, 2, 4 */
	Sim_channel channel;
	Sim_edge edge[3];
	bool linear, normalized;
	bool fraction;          /* integers are read as fractions of the largest value */
	float border[4];
} Sim_texture;

/* Creates a texture or surface object and returns the handle that kernels use. */
uint64_t sim_texture(Sim *s, const Sim_texture *t);
bool sim_texture_free(Sim *s, uint64_t handle);

/* Decodes the kernel and all functions that it may call. On errors (no such kernel, unsupported
 * instructions) appends messages to out and returns NULL. The messages of a function that several
 * kernels call are printed once; later ones refer to them. */
Sim_kernel *sim_kernel(Sim *s, const char *name, Buf *out);
/* The number of parameters; offset and size in bytes of parameter i; the size of all parameters. */
uint32_t sim_nparams(const Sim_kernel *k);
void sim_param(const Sim_kernel *k, uint32_t i, uint32_t *offset, uint32_t *size);
uint32_t sim_param_bytes(const Sim_kernel *k);

/* Provides the module's machine code, as `nvdisasm -gp -c` lists the output of `ptxas -lineinfo`.
 * For kernels decoded afterwards, the counts are those of its instructions instead of estimates by
 * rules, and under SCHED_IPDOM lanes reconverge where it says (docs/emulator.md). Functions that
 * are missing or not understood keep the rules. The listing must outlive s. */
void sim_listing(Sim *s, const char *listing);

/* Runs the kernel. Appends the faults found to out, each kind once per instruction, and returns
 * false if there are any. Refuses to run with a block size that the kernel's .maxntid or .reqntid
 * forbids (FAULT_LAUNCH). */
bool sim_launch(Sim *s, Sim_kernel *k, const Sim_launch *l, Buf *out, Sim_counts *counts);
/* Whether a launch with .threads has shown that the kernel's blocks are not independent, so that
 * only one thread may run them. */
bool sim_blocks_are_independent(const Sim_kernel *k);

/* Whether launches have too few tasks a thread for a task loop that collects them: that costs more
 * than it saves. */
bool sim_has_few_tasks(const Sim_counts *c);

/* Makes kernels decoded afterwards check that iterations of annotated loops do not depend on each
 * other, as the annotation promises (simt/checks/promise.c). */
void sim_check_promises(Sim *s);
/* Returns the number of annotated loops that were executed and checked. */
uint32_t sim_promised_loops(const Sim *s);

/* ---- profile points (simt/decode/profile_counts.c) ------------------------------------------- */

/* Makes kernels decoded afterwards count executions of annotated paths and loops. */
void sim_count_profile_points(Sim *s);
/* Makes lanes in kernels decoded afterwards reconverge as in the module from which the Sim's was
 * made by inserting markers. origin: by statement, that of the original; 0: it was inserted. Both
 * must live as long as the Sim. */
void sim_reconverge_as(Sim *s, const Module *original, const uint32_t *origin);
/* Adds the counts so far to a profile. */
void sim_profile(const Sim *s, Profile *to);

/* ---- counts (simt/memory/traffic.c, simt/report/counts.c) ------------------------------------ */

void sim_counts_add(Sim_counts *to, const Sim_counts *c);
/* Returns the counts by Stmt of all launches with .lines; NULL: there was none. */
const Sim_counts *sim_counts_by_stmt(const Sim *s);
/* Prints counts as lines of text. */
void sim_counts_print(const Sim_counts *c, Buf *out);

/* A source line and the counts of its instructions. */
typedef struct {
	const char *file;       /* in the module's memory; NULL: the PTX itself */
	uint32_t line;
	Cuda_pos cuda;          /* of its first instruction; file NULL: unknown */
	Cuda_pos caller;        /* position of the inlined call; file NULL: not inlined */
	Sim_counts counts;
} Sim_line;
typedef enum { LINES_BOTH, LINES_PTX, LINES_CUDA } Sim_lines_of;

/* Collects the lines executed so far by launches with .lines, in text order; returns their number.
 * They are PTX lines, or with LINES_CUDA lines of the CUDA source, one per inlined instance. The
 * caller frees *lines with xfree(). */
uint32_t sim_lines(const Sim *s, Sim_lines_of of, Sim_line **lines);
/* Prints them as a table, sorted by warp instructions or, with by_lost, by lost lanes, descending;
 * prints nothing if there are none. Shows the text of CUDA lines if the file is readable. */
void sim_lines_print(const Sim *s, Sim_lines_of of, bool by_lost, Buf *out);

#endif
