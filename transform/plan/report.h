/* SPDX-License-Identifier: MIT */
/* The result of a compilation: what was transformed, what was not, and why. lib/describe.c exports
 * it. */
#ifndef TRANSFORM_PLAN_REPORT_H
#define TRANSFORM_PLAN_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "parser/ptx.h"
#include "transform/plan/gain.h"

typedef struct {
	char name[40];          /* register as the PTX names it, truncated */
	const char *type;       /* "b32" */
	uint32_t bytes;         /* bytes of a task; 0 for a predicate, which takes one bit */
	Cuda_pos at;            /* where it is computed; file NULL: unknown */
} Report_value;

/* Resources of a kernel as ptxas compiles it. */
typedef struct {
	uint32_t registers, spilled; /* per thread; registers 0: unknown */
	uint32_t warps;         /* resident warps of a multiprocessor */
} Report_machine;

/* An annotation: one copy of it, or the sum of all copies. */
typedef struct {
	uint32_t number;        /* as in its markers */
	Cuda_pos at;
	uint32_t copies, followed;
} Report_annotation;

/* A task region: a path that is collected, or an inner loop that is expanded. */
typedef struct {
	Cuda_pos path;
	Cuda_pos inside;        /* the enclosing path; file NULL: none */
	const char *policy;     /* "stack", "queue(4)" */
	Report_value *context; uint32_t ncontext;
	Report_value *invariants; uint32_t ninvariants; /* lane invariants */
	uint32_t context_bytes; /* bytes of a task */
	uint32_t uncompressed;  /* the same without recomputed values; 0: there are none */
	uint32_t owner_slice;   /* owner slice: instructions of the path that the owner runs too */
	bool jump;              /* tail capture: a task also runs the rest of its iteration */
	/* reductions, each with a slot for every lane */
	uint32_t reductions;
	uint32_t stay;          /* initial loads that the owner runs (coalesced_prefix.c) */
	/* reductions that stay with the lane that runs the path */
	uint32_t warpwide;
	bool is_waiting;        /* lanes wait for each other before the path */
	bool unified;           /* unification: iterations run ordered by the arm that they take */
	bool is_drawn;          /* iteration draw: lanes without an iteration take one */
	bool by_iteration;      /* an inner loop with one iteration per task */
	const char *measured;   /* execution counts from a profile, as text; NULL: none */
} Report_region;

/* A policy that the site could have. Issue slots of an iteration, and speedups in hundredths. */
typedef struct {
	const char *policy;     /* "queue(4)" */
	uint32_t before, after; /* `after` is 0 if unknown */
	uint32_t worth, least, most;
	bool measured;          /* based on a profile */
} Report_option;

/* The transformed loop. */
typedef struct {
	/* waiting policy: no context, no shared memory; one part */
	bool waits;
	const char *fallback;   /* when warps fall back to the original loop, as text; NULL */
	/* all paths share one vote in the copy for full warps (shared_vote.c) */
	bool shares_vote;
	/* number of predicted wait points, if more than one (predicted_wait_points.c) */
	uint32_t stops;
	bool lockstep;          /* the common code runs in lockstep (lockstep.c) */
	/* label of the block before which all lanes meet in each round, "$ccc1_vote" */
	const char *meeting_label;
	/* the same in the copy for full warps, which comes first; NULL: there is no such copy */
	const char *meeting_label_full;
	uint32_t shared;        /* bytes of a block */
	uint32_t threads;       /* largest block that runs the transformed loop */
	bool chosen_threads;    /* `auto` chose that size (block_size.c) */
	bool profiled_threads;  /* it serves all launches of the profile */
	uint32_t recomputed;    /* instructions recomputed at the entry */
	/* if transformed: which blocks take part, as text */
	const char *blocks;
} Report_code;

/* What a profile says of the costliest path. */
typedef struct {
	const char *measured;   /* its execution counts; NULL: none */
	const char *key;        /* its key (profile.h); NULL: none */
	const char *choice;     /* recorded choice that was followed; NULL: none */
} Report_profile;

/* Resources of the kernel, if an assembler was run. */
typedef struct {
	Report_machine before, after;
	/* after, without the register limit; registers 0: there is no limit */
	Report_machine unheld;
	uint32_t block;         /* threads of the block for which the warps are computed */
} Report_resources;

typedef struct Report_site {
	uint32_t func;          /* Func index */
	uint32_t number;        /* number of the loop's annotation, as in its markers */
	Cuda_pos loop;          /* location of the `for` or `grid` annotation */
	/* the costliest path or inner loop; file NULL if there is none */
	Cuda_pos path;
	Report_profile profile;
	/* the compared options, if no policy was requested */
	Report_option *options; uint32_t noptions;
	bool done;              /* transformed */
	Report_region *regions; uint32_t nregions;
	/* why collection or expansion was not possible, if it was tried; NULL */
	const char *instead;
	bool reorders;          /* it would be possible if floating-point sums could be reordered */
	Report_code code;
	/* "yes" if the validator accepted the text; else why not, after "tried, " if the trials
	 * passed; NULL: not requested */
	const char *validated;
	bool grid;              /* a task loop */
	bool found;             /* it is not annotated: --auto found it */
	bool unplanned;         /* the annotation is part of no loop that can be planned */
	/* `auto` selected the plan by the text alone, or for code that is not annotated: --timed
	 * keeps the original beside it */
	bool unsure;
	/* and without --timed the plan would have been refused: the kernel's name means the
	 * original */
	bool needs_timing;
	/* expected gain, also of a loop that was left because of it; `after` is 0 if unknown */
	Speedup gain;
	Report_resources resources;
	const char *lead;       /* prefix of the diagnostic: "path left unchanged: " */
	/* why it was not transformed, with texts in the arena; yes if done */
	Verdict why;
	Report_annotation *followed; uint32_t nfollowed; /* annotations that the plan implements */
} Report_site;

/* An annotated branch. */
typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;
	bool done;              /* the arms were melded */
	/* instructions of both arms; those that are written once for both */
	uint32_t total, both;
	uint64_t before, after; /* issue slots of a warp whose lanes take both arms */
	double saved;           /* issue slots that this saves in a profile's runs; 0: unknown */
	Verdict why;            /* why it was not melded */
} Report_branch;

/* A branch before which the threads of a block are remapped. */
typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;
	bool done;
	const char *policy;     /* "partition" */
	const char *meeting_label; /* label that remapped threads reach */
	uint32_t paths;
	uint32_t keys;          /* values of its key that are told apart; 0: it has none */
	const char *arrival;    /* which threads take part, as text */
	Report_value *context; uint32_t ncontext;
	uint32_t context_bytes; /* bytes of a task */
	Report_value *results; uint32_t nresults;
	uint32_t shared;        /* bytes of a block */
	uint32_t threads;       /* largest block that remaps */
	Verdict why;            /* why it was not remapped */
} Report_remap;

/* A recursive function whose calls become tasks. */
typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;
	bool done;
	const char *meeting_label; /* label that lanes reach between two tasks */
	uint32_t task_bytes;    /* of a task's arguments */
	uint32_t shared;        /* bytes of a block */
	uint32_t threads;       /* largest block that uses the store */
	Verdict why;            /* why not */
} Report_recursion;

typedef struct {
	Arena *arena;           /* owns the strings and lists */
	VEC(Report_site) sites;
	VEC(Report_branch) branches;
	VEC(Report_remap) remaps;
	VEC(Report_recursion) recursions;
	VEC(Report_annotation) met; /* every copy of every annotation */
} Report;

void report_init(Report *r);

void report_release(Report *r);
/* Copies the text of the place to the arena. */
Cuda_pos report_copy_place(Arena *a, Cuda_pos at);
/* Copies a text, or NULL, to the arena. */
const char *report_copy_text(const char *text, Arena *a);
Report_option *report_copy_options(const Report_option *of, uint32_t n, Arena *a);
/* Copies what a profile says of a site, its options and its expected gain, with their texts, to the
 * arena. */
void report_copy_choice(Report_site *to, const Report_site *from, Arena *a);
/* Returns all annotations by number, with their copies added up; allocated in arena a. */
Report_annotation *report_annotations(const Report *r, Arena *a, uint32_t *n);
/* Returns the annotation of a begin marker. */
Report_annotation report_annotation(Arena *a, const Marker *k, bool followed);
#endif
