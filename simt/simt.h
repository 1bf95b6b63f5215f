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

/* A report that the user may not want: its kind, the kernel, the place in the PTX, that in CUDA,
 * and the place where that was inlined. A file is NULL where it is not known. */
typedef struct {
	Fault kind;
	const char *kernel, *ptx, *cuda, *caller;
	uint32_t ptx_line, cuda_line, caller_line;
} Sim_found;

/* How far a launch is: blocks begun, of how many; warp instructions issued (0: not known). */
typedef struct { uint64_t blocks, all, issued; } Sim_progress;

typedef struct {
	uint32_t grid[3], block[3];
	uint32_t shared;        /* bytes of dynamic shared memory */
	/* all blocks run at once and can wait for each other (grid_group of cooperative groups) */
	bool cooperative;
	Sched sched;
	uint64_t seed;          /* of SCHED_RANDOM */
	bool races;             /* look for data races */
	/* report also the races that are only counted: all writers store one value, or one access
	 * is strong and the other weak */
	bool strict;
	bool unwritten;         /* reads of memory that nobody wrote are no fault */
	bool traffic;           /* count accesses to shared, global and local memory, too */
	bool lines;             /* keep all counts by statement, for sim_lines */
	/* threads that run blocks, if the blocks are independent; 0 is 1. Results and reports do
	 * not depend on it */
	uint32_t threads;
	uint64_t limit;         /* warp instructions after which the launch is given up; 0: none */
	/* bytes that malloc in kernels can give away, over all launches; 0: 8 MiB */
	uint64_t heap;
	bool keep_going;        /* a fault ends its block only, not the launch */
	/* does the user not want this report? NULL: all are wanted */
	bool (*silent)(void *silences, const Sim_found *f);
	void *silences;
	/* called now and then; when it gives false the launch ends. May be NULL */
	bool (*tick)(void *user, const Sim_progress *at);
	void *user;
	Buf *text;              /* what printf in the kernel writes is added; NULL: lost */
	const uint8_t *params;  /* the kernel's parameters, laid out as sim_param says */
} Sim_launch;

/* What a launch, or a line of source, counts: instructions as the machine code has them
 * (simt/sass/issue_slots.h). A request is one memory instruction of one group of lanes. */
typedef struct {
	uint64_t warp_insts;    /* instructions issued, one for a group of lanes */
	uint64_t thread_insts;  /* summed over the lanes of the group */
	uint64_t active_insts;  /* likewise, without the lanes that a guard turns off */
	/* bra and brx.idx issued, without those that are predicated instead; guards of atomic
	 * operations */
	uint64_t branches;
	uint64_t divergent;     /* those that not all lanes of the group left the same way */
	/* with .traffic; docs/emulator.md says how the hardware's way is followed */
	uint64_t shared_requests, shared_wavefronts;
	uint64_t shared_ideal;  /* wavefronts without bank conflicts */
	/* sectors of 32 bytes, lines of 128 */
	uint64_t global_requests, global_sectors, global_lines;
	uint64_t local_requests, local_sectors;
	uint64_t benign_races;  /* races that are counted and not reported */
	uint64_t faults;        /* what the checks found */
	/* the fault that ended the launch early; FAULT_NONE: it ran to its end */
	Fault stopped;
} Sim_counts;

Sim *sim_new(const Module *m);
/* The simulator of another module of the same program: it shares the memory of `with`, which must
 * outlive it. */
Sim *sim_beside(const Module *m, Sim *with);
void sim_free(Sim *s); /* s may be NULL */

/* Allocates n zeroed bytes of global memory and gives their address in the global (and generic)
 * space; 0 if there is not enough. label is used in messages and must outlive s. */
uint64_t sim_alloc(Sim *s, size_t n, const char *label);
/* Likewise, but kernels that read bytes which neither a kernel nor sim_written has written are
 * reported. */
uint64_t sim_alloc_unwritten(Sim *s, size_t n, const char *label);
/* Says that n bytes at a global address have been written, by the host for one. */
void sim_written(Sim *s, uint64_t at, size_t n);
/* Frees the buffer that begins at an address; false if none does. An access to it is reported from
 * now on ("memory freed"): the address is not given again. Its label is still used. */
bool sim_release(Sim *s, uint64_t at);
/* Frees all that was allocated but the first n buffers, and gives the addresses again: for another
 * module, whose simulator comes after this one's. */
void sim_keep(Sim *s, uint32_t n);
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
/* Is this an address that means something to kernels only: one of sim_alloc or of a constant, where
 * no process has memory? */
bool sim_only(uint64_t at);
/* The generic address of a global or constant variable of the module, and its size in bytes; 0:
 * there is none of that name. */
uint64_t sim_variable(Sim *s, const char *name, size_t *bytes);

/* ---- textures and surfaces (simt/isa/textures.c) --------------------------------------------- */

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

/* Makes a texture or surface object; gives the handle by which kernels name it. */
uint64_t sim_texture(Sim *s, const Sim_texture *t);
/* NULL: there is no such object, or it was freed. */
const Sim_texture *sim_texture_of(const Sim *s, uint64_t handle);
bool sim_texture_free(Sim *s, uint64_t handle);

/* Decodes the kernel and all functions that it may call. On errors (no such kernel, instructions
 * that are not supported) adds messages to out and gives NULL; those of a function that several
 * kernels call are printed once, and later referred to. */
Sim_kernel *sim_kernel(Sim *s, const char *name, Buf *out);
/* The number of parameters; offset and size in bytes of the i-th; the size of all. */
uint32_t sim_nparams(const Sim_kernel *k);
void sim_param(const Sim_kernel *k, uint32_t i, uint32_t *offset, uint32_t *size);
uint32_t sim_param_bytes(const Sim_kernel *k);

/* The machine code of the module, as `nvdisasm -gp -c` lists what `ptxas -lineinfo` makes of its
 * text: kernels that are decoded from now on count its instructions, not those that rules expect,
 * and their lanes meet where it says, under SCHED_IPDOM (docs/emulator.md), but for functions that
 * are not in it, or not understood. The listing must outlive s. */
void sim_listing(Sim *s, const char *listing);

/* Runs the kernel. Adds to out what the checks find, each kind once for an instruction, and gives
 * false if they found anything. A block size that the kernel's .maxntid or .reqntid forbids is
 * refused (FAULT_LAUNCH): nothing runs. */
bool sim_launch(Sim *s, Sim_kernel *k, const Sim_launch *l, Buf *out, Sim_counts *counts);
/* Has a launch with .threads shown that one thread must run this kernel's blocks, as they are not
 * independent? */
bool sim_alone(const Sim_kernel *k);

/* ---- cuts (simt/decode/profile_counts.c) ----------------------------------------------------- */

/* From now on, kernels that are decoded count how often lanes enter annotated paths and loops. */
void sim_count_cuts(Sim *s);
/* Likewise, how often lanes go round any loop, in place of those: for sim_advice. */
void sim_count_loops(Sim *s);
/* Adds what was counted so far to a profile. */
void sim_profile(const Sim *s, Profile *to);

/* ---- numbers (simt/memory/traffic.c, simt/report/counts.c) ----------------------------------- */

void sim_counts_add(Sim_counts *to, const Sim_counts *c);
/* Counts as lines of text. */
void sim_counts_print(const Sim_counts *c, Buf *out);

/* A line of source, and what its instructions counted. */
typedef struct {
	const char *file;       /* in the module's memory; NULL: the PTX itself */
	uint32_t line;
	Cuda_pos cuda;          /* of its first instruction; file NULL: not known */
	Cuda_pos caller;        /* where that was inlined; file NULL: nowhere */
	Sim_counts counts;
} Sim_line;
typedef enum { LINES_BOTH, LINES_PTX, LINES_CUDA } Sim_lines_of;

/* The lines that launches with .lines have run so far, in the order of the text; gives their
 * number. They are lines of the PTX, or with LINES_CUDA of the CUDA source, one for each place
 * where a line was inlined. The caller frees *lines with xfree(). */
uint32_t sim_lines(const Sim *s, Sim_lines_of of, Sim_line **lines);
/* Prints them as a table, nothing if there are none: most warp instructions first, or with by_lost
 * most lost lanes. CUDA lines are shown with their text when the file can be read. */
void sim_lines_print(const Sim *s, Sim_lines_of of, bool by_lost, Buf *out);

#endif
