/* SPDX-License-Identifier: MIT */
/* The machine: memories, blocks, warps, groups of lanes. Internal to simt/. */
#ifndef SIMT_SIM_H
#define SIMT_SIM_H

#include "simt/inst.h"

typedef struct Cta Cta;
typedef struct Shadow Shadow;
typedef struct Causality Causality;
typedef struct Warp_causality Warp_causality;
typedef struct Buffer Buffer;
typedef struct Mark Mark;
typedef struct Frame Frame;
typedef struct Node Node;
typedef struct Known Known;
typedef struct Overlay Overlay;
typedef struct Pool Pool;

/* An annotated path or inner loop of the module, and how often lanes came to it (cuts.c):
 * histogram, iterations, rounds and trips are counted. */
typedef struct {
	const Fn *fn;
	const Region *region;
	Frequency counts;
	uint32_t rounds;        /* its number among inner loops; 0: it is none */
} Sim_cut;

/* ---- groups of lanes ------------------------------------------------------------------------- */

typedef enum { READY, AT_WARP, AT_BAR } Group_state;

/* Lanes that stand at one instruction of one frame. */
typedef struct {
	uint32_t lanes;
	uint32_t pc;
	Frame *frame;
	Node *node;             /* IPDOM: where they meet others; NULL: nowhere */
	uint32_t mask;          /* AT_WARP: the lanes they wait for */
	uint8_t state;
	uint8_t bar;            /* AT_BAR: which */
} Group;

/* IPDOM: a meeting point of lanes that a branch, or a call's returns, part. */
struct Node {
	Node *parent;           /* or the next free node */
	Frame *frame;
	uint32_t pc;
	uint32_t expected, arrived;
	Node *made;             /* the one made before */
};

struct Frame {
	uint8_t *regs;
	Frame *parent, *child, *next;   /* child: of those called from here, by next */
	uint32_t code;
	uint32_t bytes;
	uint32_t base;          /* of its local memory */
	uint32_t back[LANES];   /* where a lane returns to */
	uint32_t top[LANES];    /* what its stack was at the call */
};

/* ---- warps, blocks --------------------------------------------------------------------------- */

/* What a lane knows of the others' past, for the race check: see race.c. */
typedef struct {
	uint32_t now;                   /* the warp's time: one more at each event that orders */
	/* [t][u]: what u did before this time is before what t does now */
	uint32_t lane[LANES][LANES];
	uint32_t *warp;                 /* [t * nwarps + v]: likewise of all lanes of warp v */
	bool same;                      /* the rows of warp[] are equal */
} Clock;

struct Warp {
	Sim *sim;
	Cta *block;
	uint8_t *regs;          /* of the frame that runs */
	Frame *frame;
	Frame *root;
	uint32_t index;
	uint32_t live;          /* lanes that have not exited */
	uint32_t carry;         /* the carry flag of each lane */
	Group groups[LANES + 1]; uint32_t ngroups;
	Node *nodes;            /* free ones */
	Node *made;             /* all */
	/* the access at hand, in shared memory or in a buffer: */
	uint64_t offset;
	uint64_t bit;           /* the first of its bits in written */
	const Buffer *buffer;   /* NULL: shared memory */
	Shadow *shadow;         /* of the buffer, of shared memory: race check; NULL: not checked */
	uint8_t *written;       /* likewise; NULL: written all over */
	uint8_t *local;         /* local memory: LANES times local_bytes */
	uint32_t local_bytes;
	uint8_t *stack;         /* likewise: what alloca gives */
	uint32_t stack_bytes, top[LANES];
	uint32_t alone;         /* IPDOM: instructions since another group of the warp last ran */
	/* registers that hold what nobody wrote: unwritten.c */
	struct { Mark *at; uint32_t n, cap; } marks;
	Clock clock;
	Warp_causality *causal;      /* race check; NULL: not wanted */
	/* by inner loop and lane: trips so far (cuts.c); NULL: none yet */
	uint32_t *trips;
};

enum { BARRIERS = 16 };
typedef struct {
	uint32_t *lanes;        /* by warp: those that came */
	uint32_t count;         /* threads expected; 0: all of the block */
	bool used;
} Barrier;

struct Cta {
	Sim *sim;
	uint32_t id[3];
	uint32_t number;        /* from 1; the race check tells blocks apart by it */
	Warp *warps; uint32_t nwarps;
	uint32_t live;          /* warps with live lanes */
	uint8_t *shared;
	uint8_t *written;       /* a bit for each shared byte that somebody wrote */
	Shadow *shadow;         /* race check of shared memory */
	/* race check: when each thread last had a fence (causality.c); NULL: none had */
	uint32_t *fences;
	Barrier bars[BARRIERS];
	Known *known;           /* race check: what the arrivals at mbarriers order */
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct Buffer {
	uint64_t at;
	size_t n;
	uint8_t *bytes;         /* NULL: freed */
	Shadow *shadow;         /* race check; NULL until needed */
	Shadow **workers; uint32_t nworkers; /* likewise of each that runs blocks: overlay.c */
	uint8_t *written;       /* a bit for each byte that somebody wrote; NULL: all */
	const char *label;
	bool host;              /* bytes are the host's own, and at is their address there */
};

/* What the modules of a program share. */
typedef struct {
	VEC(Buffer) buffers;        /* index 0 unused */
	VEC(uint32_t) page;         /* buffer by (address - GLOBAL_BASE) >> PAGE_BITS */
	VEC(uint32_t) mapped;       /* buffers of the host's memory, by rising address */
	uint8_t *constants; uint32_t nconstants;
	uint64_t heap;              /* bytes that malloc in kernels gave and nobody freed */
	uint32_t number;            /* of the block started last, over all launches */
} Memory;

/* What an H200 has for %reserved_smem_offset_begin to _end, and to _cap. */
enum { RESERVED = 288, RESERVED_CAP = 1024 };

struct Sim_kernel { uint32_t func, code; uint32_t *offset, *size; uint32_t nparams, bytes;
	bool alone; };          /* its blocks have to do with each other: parallel.c */

struct Sim {
	const Module *m;
	Arena *arena;
	Prog prog;
	Memory *memory;             /* own, or that of another Sim */
	Memory own;
	VEC(Sim_kernel *) kernels;
	/* the launch */
	const Sim_launch *l;
	Sim_kernel *k;
	uint32_t shared;            /* bytes of a block, dynamic ones included */
	/* where the system's own shared memory begins, RESERVED bytes, some way behind */
	uint32_t reserved;
	/* of a cooperative launch: the barrier of the grid; 0: none was yet */
	uint64_t workspace;
	uint64_t issued;
	uint64_t state;             /* of the random numbers */
	uint32_t blocks;            /* started */
	uint32_t epoch;             /* number of its first block: tells launches apart */
	/* race check: what fences and strong accesses order; NULL: not wanted */
	Causality *causality;
	/* a worker's, of several that run this launch; NULL: it is the only one */
	Overlay *overlay;
	Pool *pool;
	bool quiet;                 /* another one says how far the launch is */
	uint64_t ticks;             /* calls of launch_tick */
	uint64_t turns;             /* SCHED_RANDOM: so far */
	/* one in split instructions parts a group (0: none); longest run; one in join joins */
	uint32_t split, run, join;
	bool favour;                /* the same lanes first, for a while */
	bool stop;                  /* a fault that cannot be passed over */
	Cta *fallen;                /* the block that does not go on; NULL: there is none */
	Sim_counts counts;
	Sim_counts *by_stmt;        /* the same by statement; NULL: not wanted */
	/* by statement, of all launches that wanted it; NULL: there was none */
	Sim_counts *so_far;
	bool count_cuts;
	VEC(Sim_cut) cuts;
	uint32_t nrounds;           /* inner loops among them */
	const Effects *effects;     /* NULL until needed */
	Buf *out;
	/* faults, kind and statement: reported; those that are not wanted; those that are */
	VEC(uint64_t) seen, silenced, loud;
};
enum { PAGE_BITS = 16 };

/* Bytes of the kernel's static shared memory; dynamic shared memory begins there. */
static inline uint32_t
launch_static(const Sim *s)
{
	return (s->prog.codes.at[s->k->code].shared + 15) & ~UINT32_C(15);
}

static inline uint32_t *
row32(const Warp *w, uint32_t off)
{
	return (uint32_t *)(void *)(w->regs + off);
}
static inline uint64_t *
row64(const Warp *w, uint32_t off)
{
	return (uint64_t *)(void *)(w->regs + off);
}
static inline uint64_t
row_get(const Warp *w, uint32_t off, bool wide, uint32_t lane)
{
	return wide ? row64(w, off)[lane] : row32(w, off)[lane];
}
static inline void
row_put(const Warp *w, uint32_t off, bool wide, uint32_t lane, uint64_t v)
{
	if (wide)
		row64(w, off)[lane] = v;
	else
		row32(w, off)[lane] = (uint32_t)v;
}
/* Sets the bits of lanes in a predicate row. */
static inline void
pred_put(const Warp *w, uint32_t off, uint32_t lanes, uint32_t bits)
{
	uint32_t *p = row32(w, off);
	*p = (*p & ~lanes) | (bits & lanes);
}
static inline uint32_t low_bit(uint32_t x) { return (uint32_t)__builtin_ctz(x); }
static inline uint32_t
count_bits(uint32_t x) /* the builtin is a call where the target has no instruction for it */
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

#define EACH_LANE(l, lanes) \
	(uint32_t l##_left = (lanes), l; l##_left && (l = low_bit(l##_left), true); \
		l##_left &= l##_left - 1)

uint64_t sim_random(Sim *s);
/* Reports what lane of w did wrong at i. Faults after which a lane cannot go on stop the launch. */
void sim_fault(Warp *w, const Inst *i, uint32_t lane, Fault kind, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

const char *fault_name(Fault kind);
/* With .keep_going, when a fault has stopped the launch: it goes on without the fault's block. */
void fault_over(Sim *s);

/* Where the numbers of an instruction are kept. */
static inline Sim_counts *
tally(Sim *s, const Inst *i)
{
	return s->by_stmt ? &s->by_stmt[i->stmt] : &s->counts;
}
/* numbers.c: the traffic of an access of size bytes by each of the lanes. */
void numbers_access(Warp *w, const Inst *i, uint32_t lanes, uint32_t size, bool atomic);

/* buffers.c */
/* of a global address; it may have been freed. NULL: none there */
Buffer *buffer_find(Sim *s, uint64_t at);
void buffer_release(Buffer *b);
/* Are, become all of size bytes written: a power of two up to 32, `at` a multiple of it. */
bool written_all(const uint8_t *bits, uint64_t at, uint32_t size);
void written_set(uint8_t *bits, uint64_t at, uint32_t size);
void written_clear(uint8_t *bits, uint64_t at);         /* one byte */

/* memory.c */
/* that an instruction names, in its space */
uint64_t memory_address(const Warp *w, const Inst *i, uint32_t lane);
/* which one a generic address lies in; it becomes one of that space */
Space memory_space(const Inst *i, uint64_t *at);
void memory_local(Warp *w, uint32_t bytes);             /* makes room for so many bytes a lane */
uint64_t memory_generic(Space space, uint64_t at);      /* the generic address */
/* The host's bytes of an access, which becomes the one at hand; NULL after a fault. */
uint8_t *memory_at(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size);
/* places and fills the module's variables */
bool memory_init(Sim *s, Buf *out);
/* the address of a variable in its own space */
uint64_t memory_place(Sim *s, uint32_t sym);

typedef enum { ACCESS_LOAD, ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } Access_kind;
/* One lane's access with all checks: where the bytes lie, NULL after a fault. WRITE: stores those
 * of `from`; else it is NULL, and ATOMIC leaves the change to the caller. */
uint8_t *memory_access(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size,
	Access_kind kind, const uint8_t *from);
/* In front of, behind the accesses of size bytes by the lanes of an instruction: counts them;
 * fences and strong accesses. */
void memory_begin(Warp *w, const Inst *i, uint32_t lanes, uint32_t size, Access_kind kind);
void memory_end(Warp *w, const Inst *i, uint32_t lanes);

/* race.c */
Shadow *race_shadow(size_t bytes);                      /* of so many bytes of memory */
void race_shadow_free(Shadow *s);
/* The access at hand, of size bytes. */
void race_read(Warp *w, const Inst *i, uint32_t lane, uint32_t size);
/* from: what is there, to: what is stored (NULL: an atomic operation). */
void race_write(Warp *w, const Inst *i, uint32_t lane, uint32_t size, const uint8_t *from,
	const uint8_t *to);
void race_sync(Warp *w, uint32_t lanes);                /* bar.warp.sync */
void race_barrier(Cta *b, const uint32_t *lanes);     /* bar.sync of these lanes, by warp */
void race_start(Warp *w);

/* causality.c: what strong accesses and fences order, for the race check */
Causality *causal_new(void);                                 /* of a launch */
void causal_free(Causality *o);                              /* o may be NULL */
Warp_causality *causal_warp(void);                           /* of a warp */
void causal_warp_free(Warp_causality *x);                    /* x may be NULL */
void causal_start(Warp *w);
/* In front of a strong write by the lanes, behind a strong read, and both, for a fence (does
 * nothing without the check). */
void causal_before(Warp *w, const Inst *i, uint32_t lanes);
void causal_after(Warp *w, const Inst *i, uint32_t lanes);
void causal_fence(Warp *w, const Inst *i, uint32_t lanes);
/* it has waited for lanes of its block, otherwise than at a barrier */
void causal_learn(Warp *w, uint32_t lane);

/* unwritten.c: the access at hand, a lane's load of elements of size bytes, finds bytes that nobody
 * wrote. */
void unwritten_load(Warp *w, const Inst *i, uint32_t lane, uint32_t size);
/* With marked registers: the access at hand was a lane's store of elements of size bytes, which now
 * count as written. */
void unwritten_store(Warp *w, const Inst *i, uint32_t lane, uint32_t size);
/* With marked registers, in front of an instruction: what becomes of them. lanes: of the group;
 * active: without the guard's. */
void unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active);

/* group.c, sched.c */
void group_remove(Warp *w, uint32_t g);
uint32_t group_add(Warp *w, Group g);
Node *node_new(Warp *w, Node n);
void node_free(Warp *w, Node *n);
/* where the group, about to be parted, meets again */
Node *node_meet(Warp *w, const Group *g, uint32_t pc);
/* Lanes are no longer expected at n and outwards, up to the first node in another frame than `only`
 * (NULL: any); that node. */
Node *node_leave(Warp *w, Node *n, uint32_t lanes, const Frame *only);
/* group g is at a JOIN; false: it waits there and is no group now */
bool node_join(Warp *w, uint32_t g);
/* lets parked lanes go on; were there any? */
bool node_release(Warp *w);
Frame *frame_new(Warp *w, uint32_t code, Frame *parent);
void frame_release(Warp *w, Frame *f);
void sched_ipdom(Cta *blocks, uint32_t n);            /* runs the grid, n blocks at a time */
void sched_random(Cta *blocks, uint32_t n);           /* n at a time */

/* call.c */
/* a function's Code: one to be decoded, the first time */
uint32_t call_code(Prog *p, uint32_t func);
uint64_t call_address(Prog *p, uint32_t func);          /* its address, which somebody takes */
/* Those of the lanes that call at i what the lowest of them does; its Code to *code, 0: nothing is
 * there. */
uint32_t call_split(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *code);
bool call_enter(Warp *w, Group *g, const Inst *i, uint32_t code); /* false after a fault */
void call_results(Warp *w, const Inst *i, uint32_t lanes);

/* mbarrier.c */
void mbarrier_clear(Cta *b);                            /* a new block, or none any more */

/* stack.c */
uint8_t *stack_at(Warp *w, uint32_t lane, uint64_t at, uint32_t size); /* NULL: not there */

/* wait.c */
/* at an I_WARP; does the group go on? */
bool wait_warp(Warp *w, uint32_t g, const Inst *i, uint32_t active);
bool wait_bar(Warp *w, uint32_t g, const Inst *i, uint32_t active);
/* lanes exited: others may have waited for them */
void wait_exited(Warp *w);
void wait_deadlock(Cta *blocks, uint32_t n);          /* reports who waits where */

/* launch.c */
void block_init(Sim *s, Cta *b);                        /* b is all zeros */
void block_release(Cta *b);
bool block_next(Cta *b);                              /* the grid's next block; false: no more */

/* parallel.c, of a worker */
/* it can do the launch no longer, nor can the others */
void parallel_give_up(Sim *s);
bool parallel_alone(Sim *s);                            /* is it none? Else it gives up */
uint32_t parallel_blocks(const Sim *s);                 /* begun by all */
void parallel_interrupt(Sim *s);                        /* the launch ends here */
bool parallel_next(Sim *s, uint32_t *n);                /* block to be run; false: no more */

/* launch.c: says how far it is; false: the launch has been stopped */
bool launch_tick(Sim *s);

#endif
