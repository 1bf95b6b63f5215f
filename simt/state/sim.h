/* SPDX-License-Identifier: MIT */
/* The state of the machine, which all rooms see: memories, blocks, warps, groups of lanes. The
 * functions on it are in the rooms (docs/design.md 7). Internal to simt/. */
#ifndef SIMT_STATE_SIM_H
#define SIMT_STATE_SIM_H

#include "simt/state/faults.h"
#include "simt/state/instruction.h"
#include "simt/sass/listing.h"

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
typedef struct Cache Cache;

/* An annotated path or inner loop of the module, and how often lanes entered it
 * (profile_counts.c). Of
 * counts, all but what follows from the others is used. Or any loop, of which only trips are
 * counted. */
typedef struct {
	const Fn *fn;
	const Region *region;   /* NULL: any loop */
	uint32_t loop;          /* that */
	Bits own;               /* its blocks, without cuts inside; do they have such accesses? */
	bool atomics, loads;
	uint64_t warps;         /* in all launches */
	Frequency counts;
	/* in this launch by a lane in a run: trips; runs of blocks. counts has the launches
	 * before */
	uint64_t most, most_of[FREQUENCY_BLOCKS];
	/* numbers among all that lanes count for themselves: of its trips, if it is an inner loop;
	 * of its blocks, and of the same in the run before; of its runs. 0: there is none */
	uint32_t rounds, blocks[FREQUENCY_BLOCKS], before[FREQUENCY_BLOCKS], runs;
} Sim_cut;

/* As many as instrumented code has: transform/instrument/instrument.h. */
enum { NEAR_COPIES = 16 };
/* Of a statement, in all launches (cache_model.c). */
typedef struct {
	uint64_t sectors, missed;
	uint64_t atomics, compared, same;
	uint64_t last[NEAR_COPIES]; /* the last lines, as cache_model.c has it; 0: none yet */
} Near;

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

/* IPDOM: where lanes meet again that a branch, or returning from a call, has parted. */
struct Node {
	Node *parent;           /* or the next free node */
	Frame *frame;
	uint32_t pc;
	uint32_t expected, arrived;
	bool opened;            /* by I_OPEN */
	Node *made;             /* the one made before */
};

struct Frame {
	uint8_t *regs;
	Frame *parent, *child, *next;   /* child: of those called from here, by next */
	uint32_t code;
	uint32_t bytes;
	uint32_t base;          /* where its local memory begins */
	uint32_t back[LANES];   /* where a lane returns to */
	uint32_t top[LANES];    /* how high a lane's stack (alloca) was at the call */
};

/* ---- warps, blocks --------------------------------------------------------------------------- */

/* What a lane knows of the others' past, for the race check: see race.c. */
typedef struct {
	uint32_t now;                   /* the warp's time: goes up at each event that orders */
	/* [t][u]: what lane u did before this time comes before what lane t does now */
	uint32_t lane[LANES][LANES];
	uint32_t *warp;                 /* [t * nwarps + v]: the same for all lanes of warp v */
	bool same;                      /* all lanes have the same row of warp[] */
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
	uint64_t ready;         /* a bit for each group that is READY */
	Node *nodes;            /* free ones */
	Node *made;             /* all */
	uint8_t *local;         /* local memory: LANES times local_bytes */
	uint32_t local_bytes;
	uint8_t *stack;         /* likewise: what alloca gives */
	uint32_t stack_bytes, top[LANES];
	uint32_t alone;         /* IPDOM: instructions since another group of the warp last ran */
	/* registers that hold what nobody wrote: uninitialised_reads.c */
	struct { Mark *at; uint32_t n, cap; } marks;
	Clock clock;
	Warp_causality *causal;      /* race check; NULL: not wanted */
	/* by what is counted and lane: how often so far (profile_counts.c); NULL: none yet */
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
	Shadow *shadow;         /* race check of shared memory; NULL: not wanted */
	/* race check: when each thread last had a fence (causality.c); NULL: none had */
	uint32_t *fences;
	Barrier bars[BARRIERS];
	Cache *cache;           /* NULL: nobody asks */
	Known *known;           /* race check: what the arrivals at mbarriers order */
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct Buffer {
	uint64_t at;
	size_t n;
	uint8_t *bytes;         /* NULL: freed */
	Shadow *shadow;         /* race check; NULL until needed */
	/* likewise of each that runs blocks: copy_on_write.c */
	Shadow **workers; uint32_t nworkers;
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
	VEC(Sim_texture) textures;  /* at: 0: freed */
	VEC(Shadow *) shadows;      /* race check: of shared memory of blocks that are over */
	uint64_t heap;              /* bytes that malloc in kernels gave and nobody freed */
	uint32_t number;            /* of the block started last, over all launches */
} Memory;

/* What an H200 has for %reserved_smem_offset_begin to _end, and to _cap. */
enum { RESERVED = 288, RESERVED_CAP = 1024 };

struct Sim_kernel { uint32_t func, code; uint32_t *offset, *size; uint32_t nparams, bytes;
	bool alone; };          /* its blocks are not independent: parallel_launch.c */

struct Sim {
	const Module *m;
	Arena *arena;
	Prog prog;
	Memory *memory;             /* own, or that of another Sim */
	Memory own;
	uint32_t *kernel_named;     /* by name id: the Func, 0 = no kernel; NULL until needed */
	/* the launch */
	const Sim_launch *l;
	Sim_kernel *k;
	uint32_t shared;            /* bytes of a block, dynamic ones included */
	/* where the RESERVED bytes of the system begin, in shared memory behind the block's */
	uint32_t reserved;
	/* the address of the grid's barrier; 0: there was no cooperative launch yet */
	uint64_t workspace;
	uint64_t issued;
	uint64_t state;             /* of the random numbers */
	uint32_t blocks;            /* started */
	uint32_t epoch;             /* number of its first block: tells launches apart */
	/* race check: what fences and strong accesses order; NULL: not wanted */
	Causality *causality;
	/* set in each of several workers that run this launch; NULL: one thread runs it */
	Overlay *overlay;
	Pool *pool;
	bool quiet;                 /* another worker reports progress */
	uint64_t ticks;             /* calls of launch_tick */
	uint64_t turns;             /* SCHED_RANDOM: so far */
	/* SCHED_RANDOM: about one in `split` instructions parts a group (0: none does), the next
	 * one in so many; a turn has at most `run` instructions; of groups that could be joined,
	 * one in `join` is */
	uint32_t split, split_in, run, join;
	bool favour;                /* and prefers the same lanes for EPOCH turns */
	/* blocks may see each other: they run several at a time, which they do not at first */
	bool together;
	bool stop;                  /* the launch has met a fault that ends it */
	bool over;                  /* SCHED_RANDOM: a block has ended, another may begin */
	Cta *fallen;                /* .keep_going: that block alone ends; NULL: none does */
	Sim_counts counts;
	Sim_counts *by_stmt;        /* the same by statement; NULL: not wanted */
	/* the sum of by_stmt over all launches that had it; NULL: none had */
	Sim_counts *so_far;
	Sass *sass;                 /* machine code of the module; NULL: not known */
	bool count_cuts, count_loops;
	Near *near;                 /* by statement; NULL: not counted */
	Cache *cache;               /* the whole one */
	VEC(Sim_cut) cuts;
	uint32_t nturns;            /* inner loops among them, and blocks of them */
	const Effects *effects;     /* NULL until needed */
	Faults faults;
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
/* Copies the bits of lanes into a predicate row. */
static inline void
pred_put(const Warp *w, uint32_t off, uint32_t lanes, uint32_t bits)
{
	uint32_t *p = row32(w, off);
	*p = (*p & ~lanes) | (bits & lanes);
}
static inline uint32_t low_bit(uint32_t x) { return (uint32_t)__builtin_ctz(x); }
static inline uint32_t high_bit(uint64_t x) { return 63 - (uint32_t)__builtin_clzll(x); }
static inline uint32_t
count_bits(uint32_t x)
{
#ifdef __POPCNT__
	return (uint32_t)__builtin_popcount(x); /* else this is a call */
#endif
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

#define EACH_LANE(l, lanes) \
	(uint32_t l##_left = (lanes), l; l##_left && (l = low_bit(l##_left), true); \
		l##_left &= l##_left - 1)

/* Where what an instruction counts is added: with .lines by statement, else to the launch. */
static inline Sim_counts *
tally(Sim *s, const Inst *i)
{
	return s->by_stmt ? &s->by_stmt[i->stmt] : &s->counts;
}

/* So many instructions by some lanes. */
static inline void
issue(Sim_counts *c, uint32_t n, uint32_t lanes)
{
	uint64_t threads = (uint64_t)n * count_bits(lanes);
	c->warp_insts += lanes ? n : 0;
	c->thread_insts += threads;
	c->active_insts += threads;
}

/* ---- all rooms call these (sim.c) ------------------------------------------------------------ */

/* The next of the launch's random numbers, of 48 bits (xorshift64*, Vigna 2016). */
static inline uint64_t
sim_random(Sim *s)
{
	uint64_t x = s->state;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	s->state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}
/* Reports what a lane of w did wrong at i. A fault after which the lane cannot go on stops the
 * launch. */
void sim_fault(Warp *w, const Inst *i, uint32_t lane, Fault kind, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* With .keep_going, after a fault has stopped the launch: ends the block at fault and lets the rest
 * go on. */
void sim_go_on(Sim *s);

/* ---- for workers: several threads that run a launch (sim.c) ---------------------------------- */

/* All workers stop, and one thread runs the launch again from its start. */
void pool_give_up(Sim *s);
/* Does one thread run the launch? If not, the worker gives up: blocks could see each other here. */
bool pool_alone(Sim *s);
uint32_t pool_blocks(const Sim *s);                 /* blocks that all workers have begun */
void pool_interrupt(Sim *s);                        /* the launch ends here, for all workers */
bool pool_next(Sim *s, uint32_t *n);                /* the next block to run; false: no more */

#endif
