/* SPDX-License-Identifier: MIT */
/* The machine state, which all subfolders share: memories, blocks, warps, groups of lanes. The
 * functions that work on it are in the subfolders (docs/design.md 7). Internal to simt/. */
#ifndef SIMT_STATE_SIM_H
#define SIMT_STATE_SIM_H

#include "simt/state/faults.h"
#include "simt/state/instruction.h"
#include "simt/sass/listing.h"

typedef struct Thread_block Thread_block;
typedef struct Shadow Shadow;
typedef struct Causality Causality;
typedef struct Warp_causality Warp_causality;
typedef struct Buffer Buffer;
typedef struct Unwritten_mark Unwritten_mark;
typedef struct Frame Frame;
typedef struct Reconvergence Reconvergence;
typedef struct Phase_order Phase_order;
typedef struct Cancel_response Cancel_response;
typedef struct Overlay Overlay;
typedef struct Block_queue Block_queue;
typedef struct Cache Cache;
typedef struct Warp_iterations Warp_iterations;

/* A profile point (an annotated path or inner loop of the module) and its execution counts
 * (profile_counts.c). Members of counts that follow from others are not maintained. */
typedef struct {
	const Fn *fn;
	const Region *region;
	/* its blocks without nested profile points, and whether they have such accesses */
	Bits own;
	bool atomics, loads;
	bool whole;             /* see Profile_point */
	Execution_counts counts;
	/* maximum of a lane in one execution, in the current launch: trips; executions of each
	 * block. counts holds the sums over earlier launches */
	uint64_t most, most_of[MAX_COUNTED_BLOCKS];
	/* indices of per-lane counters (Warp.trips), from 1; 0: none. They count the trips of an
	 * inner loop; the executions of each block, in the current execution of the region and in
	 * the previous one; executions of the region */
	uint32_t iterations, blocks[MAX_COUNTED_BLOCKS], before[MAX_COUNTED_BLOCKS], runs;
	/* counters of a warp, too. An entry is an execution by lanes that entered together. entry:
	 * number of a lane's entry, from 1; 0: none. maxima: the first counter of the maxima of
	 * each entry, for iterations and for each block */
	uint32_t entry, maxima;
} Sim_profile_point;

/* As in instrumented code: transform/instrument/instrument.h. */
enum { NEAR_COPIES = 16 };
/* Cache statistics of a statement, over all launches (cache_model.c). */
typedef struct {
	uint64_t sectors, missed;
	uint64_t atomics, compared, same;
	uint64_t last[NEAR_COPIES]; /* lines accessed last (cache_model.c); 0: none yet */
} Cache_counts;

/* ---- groups of lanes ------------------------------------------------------------------------- */

typedef enum { READY, AT_WARP, AT_BAR } Group_state;

/* Lanes that execute together: they are at the same instruction in the same frame. */
typedef struct {
	uint32_t lanes;
	uint32_t pc;
	Frame *frame;
	Reconvergence *node;    /* IPDOM: where they reconverge with others; NULL: nowhere */
	uint32_t mask;          /* AT_WARP: the lanes that they wait for */
	uint8_t state;
	uint8_t bar;            /* AT_BAR: barrier number */
} Group;

/* IPDOM: the point where lanes reconverge after they diverged at a branch or a return. */
struct Reconvergence {
	Reconvergence *parent;  /* or the next free node */
	Frame *frame;
	uint32_t pc;
	uint32_t expected, arrived;
	bool opened;            /* created by I_OPEN */
	Reconvergence *made;    /* the node allocated before it */
};

struct Frame {
	uint8_t *regs;
	Frame *parent, *child, *next;   /* child: frames of callees, linked by next */
	uint32_t code;
	uint32_t bytes;
	uint32_t base;          /* start of its local memory */
	uint32_t back[LANES];   /* return address of each lane */
	uint32_t top[LANES];    /* each lane's stack pointer (alloca) at the call */
};

/* ---- warps, blocks --------------------------------------------------------------------------- */

/* What a lane knows of other lanes' past accesses, for the race check: see race.c. */
typedef struct {
	uint32_t now;                   /* the warp's time, incremented at each ordering event */
	/* [t][u]: accesses of lane u before this time happen before lane t's next ones */
	uint32_t lane[LANES][LANES];
	uint32_t *warp;                 /* [t * nwarps + v]: the same for all lanes of warp v */
	bool same;                      /* all lanes have equal rows of warp[] */
} Clock;

/* Memory of the lanes of a warp. It grows on demand (memory.c). */
typedef struct {
	uint8_t *at;
	uint32_t bytes;         /* per lane */
	uint8_t fill;           /* the initial value of each byte */
} Lane_memory;

static inline uint8_t *
lane_memory(const Lane_memory *m, uint32_t lane)
{
	return m->at + (size_t)lane * m->bytes;
}

/* IPDOM: the reconvergence points allocated for a warp. */
typedef struct {
	Reconvergence *free;    /* unused ones, linked by .parent */
	Reconvergence *made;    /* all, linked by .made */
} Reconvergence_pool;

struct Warp {
	Sim *sim;
	Thread_block *block;
	uint8_t *regs;          /* of the current frame */
	Frame *frame;
	Frame *root;
	uint32_t index;
	uint32_t live;          /* lanes that have not exited */
	uint32_t carry;         /* carry flag of each lane */
	Group groups[LANES + 1]; uint32_t ngroups;
	uint64_t ready;         /* bit mask of the groups that are READY */
	Reconvergence_pool nodes;
	Lane_memory local;
	Lane_memory stack;      /* alloca's memory */
	uint32_t top[LANES];    /* each lane's stack pointer */
	uint32_t alone;         /* IPDOM: turns since another group of the warp last ran */
	/* registers that hold uninitialised values: uninitialised_reads.c */
	VEC(Unwritten_mark) marks;
	Clock clock;
	Warp_causality *causal;      /* race check; NULL: disabled */
	/* per-lane counters, by counter and lane (profile_counts.c); NULL: none yet */
	uint32_t *trips;
	/* the iterations of annotated loops that its lanes are in (promise.c); NULL: none yet */
	Warp_iterations *iterations;
};

enum { BARRIERS = 16 };
typedef struct {
	uint32_t *lanes;        /* by warp: lanes that have arrived */
	uint32_t count;         /* threads expected; 0: the whole block */
	bool used;
} Barrier;

struct Thread_block {
	Sim *sim;
	uint32_t id[3];
	uint32_t number;        /* from 1; identifies the block in the race check */
	Warp *warps; uint32_t nwarps;
	uint32_t live;          /* warps with live lanes */
	uint8_t *shared;
	uint8_t *written;       /* one bit per initialised byte of shared memory */
	Shadow *shadow;         /* of shared memory; NULL: accesses are not recorded */
	/* race check: time of each thread's last fence (causality.c); NULL: none */
	uint32_t *fences;
	Barrier bars[BARRIERS];
	Cache *cache;           /* NULL: not modelled */
	Phase_order *known;     /* race check: the order established by mbarrier arrivals */
	Cancel_response *responses; /* of requests that no lane has waited for */
	bool refused;           /* a lane has waited for a request that failed */
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct Buffer {
	uint64_t at;
	size_t n;
	uint8_t *bytes;         /* NULL: freed */
	Shadow *shadow;         /* NULL until needed */
	/* the same for each worker: copy_on_write.c */
	Shadow **workers; uint32_t nworkers;
	uint8_t *written;       /* one bit per initialised byte; NULL: all are */
	const char *label;
	bool host;              /* bytes belong to the host, and `at` is their host address */
};

/* Memory that the modules of a program share. */
typedef struct {
	VEC(Buffer) buffers;        /* index 0 unused */
	VEC(uint32_t) page;         /* buffer by (address - GLOBAL_BASE) >> PAGE_BITS */
	VEC(uint32_t) mapped;       /* buffers of host memory, in ascending address order */
	uint8_t *constants; uint32_t nconstants;
	VEC(Sim_texture) textures;  /* at: 0: freed */
	VEC(Shadow *) shadows; /* race check: shared-memory records of finished blocks, for reuse */
	uint64_t heap; /* bytes that malloc in kernels has handed out and that are not freed */
	uint32_t number;            /* number of the last block started, over all launches */
} Memory;

/* The values of %reserved_smem_offset_begin to _end, and _cap, on an H200. */
enum { RESERVED = 288, RESERVED_CAP = 1024 };

struct Sim_kernel { uint32_t func, code; uint32_t *offset, *size; uint32_t nparams, bytes;
	bool alone; };          /* blocks are not independent: parallel_launch.c */

/* The state of the launch in progress. */
typedef struct {
	uint32_t shared;            /* shared memory of a block in bytes, including dynamic */
	/* offset of the RESERVED system bytes, which follow the block's shared memory */
	uint32_t reserved;
	uint64_t issued;
	uint64_t ticks;             /* number of calls of launch_report_progress */
	uint32_t blocks;            /* blocks started, or cancelled (launch_control.c) */
	uint32_t epoch;             /* number of its first block; identifies the launch */
	/* blocks can observe each other, so several run in turns; initially false unless
	 * cooperative */
	bool together;
	bool stop;                  /* a fault has ended the launch */
	Thread_block *fallen; /* .keep_going: the faulting block, which alone ends; NULL: none */
} Launch_state;

/* SCHED_RANDOM: how the scheduler interleaves lanes and blocks. */
typedef struct {
	uint64_t random;            /* state of the random number generator */
	uint64_t turns;             /* turns so far */
	/* about one in `split` instructions splits a group (0: none), the next one after split_in
	 * instructions; a turn has at most `run` instructions; of the groups that could join, one
	 * in `join` does */
	uint32_t split, split_in, run, join;
	bool favour;                /* prefer the same lanes for EPOCH turns */
	bool over;                  /* a block has ended, and another may start */
} Random_schedule;

/* What a Sim has as one of several workers that run a launch; all 0 if one thread runs it. */
typedef struct {
	Overlay *overlay;
	Block_queue *pool;
	bool quiet;                 /* another worker reports progress */
} Worker_share;

/* Counts of instructions and of memory traffic. */
typedef struct {
	Sim_counts counts;          /* of the launch, if not by statement */
	Sim_counts *by_stmt;        /* the same by statement; NULL: not requested */
	/* sum of by_stmt over all launches that had it; NULL: none had */
	Sim_counts *so_far;
	Cache_counts *near;         /* by statement; NULL: not counted */
	Cache *cache;               /* model of the whole first-level cache */
} Statistics;

/* The profile points of the module, and what is counted at them. */
typedef struct {
	bool count_points;
	VEC(Sim_profile_point) points;
	uint32_t ncounters;         /* number of per-lane counters of Warp.trips */
} Sim_profile;

/* A loop whose annotation promises independent iterations: its begin marker; whether its code
 * outside of paths synchronises lanes, and so runs in the order of the iterations anyway; whether
 * it was executed. */
typedef struct { uint32_t marker; bool in_step, ran; } Promised_loop;
/* Those of the decoded functions; none if promises are not checked. */
typedef struct { bool check; VEC(Promised_loop) loops; } Promises;

struct Sim {
	const Module *m;
	Arena *arena;
	Prog prog;
	Memory *memory;             /* own, or that of another Sim */
	Memory own;
	uint32_t *kernel_named;     /* by name id: the Func, 0 = no kernel; NULL until needed */
	Sass *sass;                 /* machine code of the module; NULL: unknown */
	/* the text that m was made from, whose lanes reconverge elsewhere; NULL: m itself */
	struct { const Module *m; const uint32_t *origin; } original;
	const Effects *effects;     /* NULL until needed */
	/* address of the grid barrier; 0: no cooperative launch yet */
	uint64_t workspace;
	/* the launch in progress: its arguments, its kernel, its state */
	const Sim_launch *l;
	Sim_kernel *k;
	Launch_state launch;
	Random_schedule schedule;
	Worker_share worker;
	Statistics stats;
	Sim_profile profile;
	Promises promises;
	/* race check: the order established by fences and strong accesses; NULL: disabled */
	Causality *causality;
	Faults faults;
};
enum { PAGE_BITS = 16 };

/* Bytes of the kernel's static shared memory, which dynamic shared memory follows. */
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
/* Copies the given lanes' bits into a predicate row. */
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
	return (uint32_t)__builtin_popcount(x); /* otherwise the builtin is a call */
#endif
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

#define EACH_LANE(l, lanes) \
	(uint32_t l##_left = (lanes), l; l##_left && (l = low_bit(l##_left), true); \
		l##_left &= l##_left - 1)

/* Where the counts of an instruction go: with .lines to its statement, else to the launch. */
static inline Sim_counts *
stmt_counts(Sim *s, const Inst *i)
{
	return s->stats.by_stmt ? &s->stats.by_stmt[i->stmt] : &s->stats.counts;
}

/* Whether accesses are recorded, for the check of races or of promises. */
static inline bool
memory_is_shadowed(const Sim *s)
{
	return s->l->races || s->promises.loops.n;
}

/* Counts n instructions issued for some lanes. */
static inline void
count_issue(Sim_counts *c, uint32_t n, uint32_t lanes)
{
	uint64_t threads = (uint64_t)n * count_bits(lanes);
	c->warp_insts += lanes ? n : 0;
	c->thread_insts += threads;
	c->active_insts += threads;
}

/* ---- services of sim.c ----------------------------------------------------------------------- */

/* The launch's next random number, of 48 bits (xorshift64*, Vigna 2016). */
static inline uint64_t
sim_random(Sim *s)
{
	uint64_t x = s->schedule.random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	s->schedule.random = x;
	return x * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}
/* Reports a fault of a lane of w at i. Faults that the lane cannot survive stop the launch. */
void sim_fault(Warp *w, const Inst *i, uint32_t lane, Fault kind, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* With .keep_going, after a fault has stopped the launch: ends the faulting block and resumes the
 * others. */
void sim_may_continue(Sim *s);

/* ---- parallel workers (sim.c) ---------------------------------------------------------------- */

/* Stops all workers; one thread then runs the launch again from its start. */
void block_queue_cancel(Sim *s);
/* Whether one thread runs the launch. If not, the worker gives up, because blocks could observe
 * each other here. */
bool block_queue_run_serial(Sim *s);
uint32_t block_queue_count(const Sim *s);           /* blocks that the workers have started */
void block_queue_interrupted(Sim *s);               /* ends the launch for all workers */
bool block_queue_take(Sim *s, uint32_t *n);         /* the next block to run; false: none left */

#endif
