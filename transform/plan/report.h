/* SPDX-License-Identifier: MIT */
/* What was transformed and what was not. lib/describe.c tells it to those outside. */
#ifndef TRANSFORM_PLAN_REPORT_H
#define TRANSFORM_PLAN_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "parser/ptx.h"
#include "transform/plan/gain.h"

typedef struct {
	char name[40];          /* register as the PTX names it, cut if longer */
	const char *type;       /* "b32" */
	uint32_t bytes;         /* a task; 0 for a predicate, which takes a bit */
	Cuda_pos at;            /* where it is computed; file NULL: not known */
} Report_value;

/* What ptxas makes of a kernel. */
typedef struct {
	uint32_t registers, spilled; /* a thread; registers 0: not known */
	uint32_t warps;         /* that a multiprocessor has room for */
} Report_machine;

/* An annotation; copies, or all of them together. */
typedef struct {
	uint32_t number;        /* as its markers have it */
	Cuda_pos at;
	uint32_t copies, followed;
} Report_annotation;

/* A path that is collected, or an inner loop that is expanded. */
typedef struct {
	Cuda_pos path;
	Cuda_pos inside;        /* the path in which it stands; file NULL: none */
	const char *policy;     /* "stack", "queue(4)" */
	Report_value *context; uint32_t ncontext;
	Report_value *kept; uint32_t nkept; /* by each lane, for its tasks */
	uint32_t context_bytes; /* a task */
	uint32_t uncompressed;  /* and if it saved what is computed from the rest; 0: nothing is */
	uint32_t owner_slice;   /* instructions of the path that the owner runs for itself */
	bool jump;              /* a task runs the rest of its iteration, too */
	/* registers that the path only folds into, with a slot for each lane */
	uint32_t reductions;
	uint32_t stay;          /* loads with which it began, that its owner runs (head.c) */
	uint32_t warpwide;      /* of those, the ones that stay with whoever runs the path */
	bool waits;             /* lanes wait for each other at the path */
	bool unified;           /* iterations are run by the side of a branch that they take */
	bool drawn;             /* iterations are drawn by whoever has none */
	bool steps;             /* it is an inner loop, a task of which is one iteration */
	const char *measured;   /* what a profile says of it, for people; NULL: nothing */
} Report_part;

/* A policy that the site could have. Issue slots of an iteration, and what it is worth, in
 * hundredths. */
typedef struct {
	const char *policy;     /* "queue(4)" */
	uint32_t before, after; /* after 0: nothing is known of it */
	uint32_t worth, least, most;
	bool measured;          /* by a profile */
} Report_option;

typedef struct {
	uint32_t func;          /* Func index */
	uint32_t number;        /* of the loop's annotation, as its markers have it */
	Cuda_pos loop;          /* the `for` annotation, or `grid` */
	/* the costliest path's, or inner loop's; file NULL when there is none */
	Cuda_pos path;
	const char *measured;   /* what a profile says of that path; NULL: nothing */
	const char *key;        /* by which a profile knows it (profile.h); NULL: by nothing */
	const char *choice;     /* of a profile, that was followed; NULL: none */
	Report_option *options; uint32_t noptions; /* of a site whose policy is open */
	bool done;              /* transformed */
	Report_part *parts; uint32_t nparts;
	/* why its tasks are not collected, or the inner loop is not expanded, if that was tried;
	 * NULL */
	const char *instead;
	bool reorders;          /* they would be, if floating-point sums might change their order */
	/* nothing moves between lanes: no context, no shared memory; one part */
	bool bound;
	const char *retreat;    /* where warps go on in the loop as it was, for people; NULL */
	/* all paths have one vote, in the copy for full warps (shared_vote.c) */
	bool shares_vote;
	/* predictions at which lanes wait, if more than one (predicted_wait_points.c) */
	uint32_t stops;
	bool lockstep;          /* lanes walk through the loop together, not apart (lockstep.c) */
	/* "yes", its text was shown to be right; or why not, behind "tried, " if it did the same
	 * with numbers made up; NULL: that was not asked for */
	const char *validated;
	/* the label in its text behind which all lanes meet in each round, "$ccc1_vote" */
	const char *meets;
	/* the same in the copy for full warps, which comes first; NULL: there is none */
	const char *meets_full;
	uint32_t shared;        /* bytes a block */
	uint32_t threads;       /* largest block that takes the transformed loop */
	uint32_t recomputed;    /* instructions computed again at the entry */
	bool grid;              /* a task loop */
	/* that is expected, also of one that was left because it is too little; after 0: not known
	 * */
	Gain gain;
	/* of one that was transformed: the blocks that take part, for people */
	const char *blocks;
	Report_machine before, after; /* where an assembler was asked; of a kernel */
	/* what it would take if it were not held to fewer; registers 0: it is not */
	Report_machine unheld;
	uint32_t block;         /* threads of the block that their warps are for */
	const char *lead;       /* with which that is diagnosed: "path left as it was: " */
	Verdict why;            /* why not, its texts in the arena; yes when done */
	Report_annotation *followed; uint32_t nfollowed; /* that the plan acts on */
} Report_site;

/* An annotated branch. */
typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;
	bool done;              /* its arms were melded */
	/* instructions of the arms, and those of them that are written once for two */
	uint32_t total, both;
	uint64_t before, after; /* issue slots of a warp with lanes for both */
	Verdict why;            /* why not */
} Report_branch;

/* A branch in front of which the threads of a block exchange work. */
typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;
	bool done;
	const char *policy;     /* "partition" */
	const char *meets;      /* the label in its text to which they come if work is exchanged */
	uint32_t paths;
	const char *come;       /* which threads come, for people */
	Report_value *context; uint32_t ncontext;
	uint32_t context_bytes; /* a task */
	Report_value *results; uint32_t nresults;
	uint32_t shared;        /* bytes a block */
	uint32_t threads;       /* largest block that exchanges */
	Verdict why;            /* why not */
} Report_remap;

typedef struct {
	Arena *arena;           /* of the strings and lists above */
	VEC(Report_site) sites;
	VEC(Report_branch) branches;
	VEC(Report_remap) remaps;
	VEC(Report_annotation) met; /* each copy */
} Report;

void report_init(Report *r);

void report_release(Report *r);
/* The place with its text in the arena. */
Cuda_pos report_place(Arena *a, Cuda_pos at);
/* The annotations met, by their numbers; in arena a. */
Report_annotation *report_annotations(const Report *r, Arena *a, uint32_t *n);
/* That of a begin marker. */
Report_annotation report_annotation(Arena *a, const Marker *k, bool followed);
#endif
