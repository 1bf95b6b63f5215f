/* SPDX-License-Identifier: MIT */
/* The SIMT emulator: runs the kernels of a PTX module on the CPU, warp by warp (docs/design.md 7).
 *
 *	Sim *s = sim_new(m);
 *	uint64_t at = sim_alloc(s, 4096);               global memory; sim_bytes(s, at, ...) is
 *	                                                where it lies on the host
 *	Sim_kernel *k = sim_kernel(s, "name", errors);  decoded once; NULL when an instruction is
 *	                                                not supported
 *	sim_launch(s, k, &launch, errors, &counts);     false when a check failed
 *
 * Lanes have program counters of their own. Under SCHED_IPDOM lanes that a branch parts meet again
 * at its immediate post-dominator, as a profiler would count them; under SCHED_RANDOM any lanes
 * that stand at the same instruction may run next, any group may be parted or joined at every
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

/* More than any device has, so that no sum of sizes runs over. */
enum {
	SIM_MOST_SHARED = 1 << 24,  /* bytes of shared, constant, local or parameter memory */
	SIM_MOST_TOGETHER = 1 << 16 /* blocks of a cooperative launch */
};

/* What the checks find. */
typedef enum {
	FAULT_NONE,
	FAULT_BOUNDS,
	FAULT_ALIGN,
	FAULT_UNWRITTEN,
	FAULT_RACE,
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
	FAULT_COUNT
} Fault;

/* A report that could be left out: of what, where in the PTX, in CUDA, and where that was inlined;
 * file NULL: not known. */
typedef struct {
	Fault kind;
	const char *kernel, *ptx, *cuda, *caller;
	uint32_t ptx_line, cuda_line, caller_line;
} Sim_found;

/* How far a launch is: blocks begun, of how many; warp instructions, 0: not known. */
typedef struct { uint64_t blocks, all, issued; } Sim_progress;

typedef struct {
	uint32_t grid[3], block[3];
	uint32_t shared;        /* bytes of dynamic shared memory */
	/* all blocks run at once and can wait for each other (grid_group of cooperative groups) */
	bool cooperative;
	Sched sched;
	uint64_t seed;          /* of SCHED_RANDOM */
	bool races;             /* look for data races */
	/* report also those that are only counted: all writers store one value, strong against
	 * weak */
	bool strict;
	bool unwritten;         /* reads of memory that nobody wrote are no fault */
	bool traffic;           /* count shared, global and local memory's too */
	bool lines;             /* all counts by statement: sim_lines */
	/* that run blocks, if those have nothing to do with each other; 0, 1: one does. What comes
	 * out is the same */
	uint32_t threads;
	uint64_t limit;         /* warp instructions after which the launch is given up; 0: none */
	/* bytes that malloc in kernels can give, over all launches; 0: 8 MiB */
	uint64_t heap;
	bool keep_going;        /* a fault ends its block only, not the launch */
	/* is a report not wanted? NULL: all are */
	bool (*silent)(void *silences, const Sim_found *f);
	void *silences;
	/* called now and then; false: the launch shall end. NULL: not called */
	bool (*tick)(void *user, const Sim_progress *at);
	void *user;
	Buf *text;              /* what printf in the kernel writes is added; NULL: lost */
	const uint8_t *params;  /* the kernel's parameters, laid out as sim_param says */
} Sim_launch;

/* What is counted, of a launch or of a line of source, as the machine code does (simt/machine.h). A
 * request is one memory instruction of one group of lanes. */
typedef struct {
	uint64_t warp_insts;    /* instructions issued, one for a group of lanes */
	uint64_t thread_insts;  /* summed over the lanes of the group */
	uint64_t active_insts;  /* likewise, without the lanes that a guard turns off */
	/* bra and brx.idx issued, without those that are predicated instead */
	uint64_t branches;
	uint64_t divergent;     /* those that lanes of the group left on different ways */
	/* with .traffic; docs/emulator.md says how the hardware's way is followed */
	uint64_t shared_requests, shared_wavefronts;
	uint64_t shared_ideal;  /* wavefronts without bank conflicts */
	/* sectors of 32 bytes, lines of 128 */
	uint64_t global_requests, global_sectors, global_lines;
	uint64_t local_requests, local_sectors;
	uint64_t benign_races;  /* races that are counted and not reported */
	uint64_t faults;        /* what the checks found */
	/* the fault that ended the launch before its time; FAULT_NONE: it ran to its end */
	Fault stopped;
} Sim_counts;

Sim *sim_new(const Module *m);
/* The simulator of another module of the same program: it shares the memory of `with`, which must
 * outlive it. */
Sim *sim_beside(const Module *m, Sim *with);
void sim_free(Sim *s); /* s may be NULL */

/* Global memory of n bytes, zeroed; its address in the global (and generic) space, 0 if there is
 * not so much. label: for messages; it must outlive s. */
uint64_t sim_alloc(Sim *s, size_t n, const char *label);
/* Likewise, but a kernel that reads bytes which neither a kernel nor sim_written wrote is
 * reported. */
uint64_t sim_alloc_unwritten(Sim *s, size_t n, const char *label);
/* The host wrote n bytes at a global address (or anybody else in the kernel's stead). */
void sim_written(Sim *s, uint64_t at, size_t n);
/* Frees the buffer that begins at an address; false if none does. An access to it is reported from
 * now on ("memory freed"): the address is not given again. Its label is still used. */
bool sim_release(Sim *s, uint64_t at);
/* n bytes of the host's own memory, which kernels then find at their address on the host. They stay
 * the caller's, and must outlive s or sim_unmap. Managed variables of a module lie in such memory
 * from the start. */
uint64_t sim_map(Sim *s, void *bytes, size_t n, const char *label);
/* Takes it away again; false if nothing is mapped at that address. */
bool sim_unmap(Sim *s, uint64_t at);
/* The bytes at a global, or generic constant, address; NULL unless n bytes lie there. */
uint8_t *sim_bytes(Sim *s, uint64_t at, size_t n);
/* The bytes that lie at an address and behind it, up to the end of the buffer; *start: where that
 * begins. 0: no buffer there. */
size_t sim_buffer(Sim *s, uint64_t at, uint64_t *start);
/* Is it an address that only kernels have: where sim_alloc and constants lie, and no process has
 * memory? */
bool sim_only(uint64_t at);
/* The generic address of a global or constant variable of the module, and its size in bytes; 0:
 * there is none of that name. */
uint64_t sim_variable(Sim *s, const char *name, size_t *bytes);

/* ---- textures and surfaces (simt/texture.c) -------------------------------------------------- */

/* With the numbers of CUDA's enumerations. */
typedef enum { SIM_WRAP, SIM_CLAMP, SIM_MIRROR, SIM_BORDER } Sim_edge;
typedef enum { SIM_SIGNED, SIM_UNSIGNED, SIM_FLOAT } Sim_channel;

/* Texels of 1, 2 or 4 channels in global memory. */
typedef struct {
	uint64_t at;            /* the first one's address */
	size_t pitch, slice;    /* bytes from row to row, from slice (or layer) to slice */
	uint32_t size[3];       /* in texels, of each dimension; 0: there is none */
	uint8_t bytes, channels;/* of a channel: 1, 2, 4 */
	Sim_channel channel;
	Sim_edge edge[3];
	bool linear, normalized;
	bool fraction;          /* integers are read as fractions of the largest one */
	float border[4];
} Sim_texture;

/* A texture or surface object, as kernels have it: its number. */
uint64_t sim_texture(Sim *s, const Sim_texture *t);
/* NULL: there is no such one, or no longer. */
const Sim_texture *sim_texture_of(const Sim *s, uint64_t handle);
bool sim_texture_free(Sim *s, uint64_t handle);

/* Decodes the kernel and all that it may call. Errors (no such kernel, instructions that are not
 * supported) are added to out and the answer is NULL; those of a function that several kernels call
 * are told once, and then referred to. */
Sim_kernel *sim_kernel(Sim *s, const char *name, Buf *out);
/* Number of parameters; offset and size in bytes of the k-th; bytes of all. */
uint32_t sim_nparams(const Sim_kernel *k);
void sim_param(const Sim_kernel *k, uint32_t i, uint32_t *offset, uint32_t *size);
uint32_t sim_param_bytes(const Sim_kernel *k);

/* Runs the kernel. What the checks find is added to out, each kind once for an instruction; false
 * if there was anything. Blocks that the kernel's .maxntid or .reqntid forbids are refused
 * (FAULT_LAUNCH), and nothing runs. */
bool sim_launch(Sim *s, Sim_kernel *k, const Sim_launch *l, Buf *out, Sim_counts *counts);
/* Has a launch with .threads shown that the blocks of this kernel must be run by one? */
bool sim_alone(const Sim_kernel *k);

/* ---- cuts (simt/cuts.c) ---------------------------------------------------------------------- */

/* Counts them, of kernels that are decoded from now on. */
void sim_count_cuts(Sim *s);
/* Adds what was counted so far to a profile. */
void sim_profile(const Sim *s, Profile *to);

/* ---- numbers (simt/numbers.c, simt/report.c) ------------------------------------------------- */

void sim_counts_add(Sim_counts *to, const Sim_counts *c);
/* Counts as lines of text. */
void sim_counts_print(const Sim_counts *c, Buf *out);

/* A line of source, and what was counted for its instructions. */
typedef struct {
	const char *file;       /* in the module's memory; NULL: the PTX itself */
	uint32_t line;
	Cuda_pos cuda;          /* of its first instruction; file NULL: not known */
	Cuda_pos caller;        /* where that was inlined; file NULL: it was not */
	Sim_counts counts;
} Sim_line;
typedef enum { LINES_BOTH, LINES_PTX, LINES_CUDA } Sim_lines_of;

/* The lines that all launches with .lines so far went through, in the order of the text; their
 * number. By line of the PTX, or with LINES_CUDA by line of the CUDA source and the place where it
 * was inlined. The caller frees *lines with xfree(). */
uint32_t sim_lines(const Sim *s, Sim_lines_of of, Sim_line **lines);
/* The same as a table, nothing if there are none, most warp instructions first, or most lost lanes.
 * Source text of CUDA lines is shown when the file can be read. */
void sim_lines_print(const Sim *s, Sim_lines_of of, bool by_lost, Buf *out);

#endif
