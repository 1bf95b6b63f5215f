/* SPDX-License-Identifier: MIT */
/* What is decided about one annotated loop, before a byte of it is written.
 *
 * A plan is made, judged and dropped without a trace: checks give verdicts (base/verdict.h), and
 * whoever decides reports them (plan_driver.c). One that stands is written by its pass.
 *
 *	plan_clauses    what the annotations ask for                            (clauses.c)
 *	plan_parts      which paths are collected; it asks the next five        (path_selection.c)
 *	part_legal      may the path be moved to other lanes?                   (legal.c)
 *	own_legal       may the rest of the loop be copied?                     (legal.c)
 *	plan_ends       does the loop end, though what ends it comes late?      (forward_progress.c)
 *	task_make       what a task is made of, and what flows out of it (task_inputs.c, liveout.c,
 *	                reduction.c)
 *	jump_widen      the rest of the iteration becomes a part of the task    (tail_capture.c)
 *	plan_lockstep   where the vote stands                                   (lockstep.c)
 *	plan_turns      how many own parts stand in front of the votes          (batch.c)
 *	plan_retreat    may warps that do not gain go on in the loop as it was?
 *	                                                              (runtime_fallback.c)
 *	frame_make      rows and slots of the warp's shared memory              (shared_layout.c)
 *	plan_hints      what is up to the programmer                            (alias_warnings.c)
 *
 * Words: the *owner* of a task is the lane whose iteration it belongs to, a *helper* runs somebody
 * else's; a *parked* lane has left its loop and stays to help. The *own part* is what every lane
 * runs for itself.
 */
#ifndef TRANSFORM_PLAN_PLAN_H
#define TRANSFORM_PLAN_PLAN_H

#include "analysis/interproc/local_escape.h"
#include "analysis/region/region.h"
#include "analysis/loops/trip_count.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/plan/remap_types.h"
#include "transform/plan/gain.h"
#include "transform/plan/options.h"
#include "transform/plan/task_types.h"

enum {
	WARP = 32,
	MAX_BLOCK = 1024,           /* threads a block, every architecture so far */
	MAX_SHARED = 48 << 10       /* static shared memory a block, in bytes, every architecture */
};

/* ---- parts, frame, lockstep ------------------------------------------------------------------ */

/* The branch to a path, where the vote stands in lockstep. */
typedef struct {
	uint32_t stmt;          /* a guarded bra */
	uint32_t block;
	bool want_falls;        /* the path is where it does not go */
	uint32_t pass_over;     /* the block that it leads to otherwise */
	Bits prefix;            /* blocks between it and the path's marker */
} Cut;

/* An inner loop whose iterations are laid over the lanes: what a helper runs, and what the owner
 * computes for itself of what flows out of the loop. */
typedef struct {
	const Trips *trips;
	Bits runs;              /* statements, by fn_local_stmt: not what counts alone */
	bool chooses;           /* rows of about one length stay with their owners */
	bool rests, quiet;      /* what fills no warp is laid end to end; iterations only read */
	bool sparse;            /* a branch leads past it, but for its own test */
	uint32_t laps;          /* of long rows, that stand in a row in the text for full warps */
	Bits along;             /* of what is computed, by number: what goes along with the index */
	Bits front, back;       /* in a path: its blocks in front of the meeting, and behind it */
	uint32_t *ends; uint32_t nends; /* definitions, those of inductions last */
} Rounds;

/* A path that is collected, or an inner loop that is expanded; may stand in the run of a path. */
typedef struct {
	const Region *path;
	const Rounds *rounds; /* of an inner loop; NULL: a path */
	uint32_t outer;     /* the part in whose path it stands, from 1; 0: in the own part */
	/* it is an inner loop of which a task is one iteration: the lane that has run it takes the
	 * next one to hand */
	bool steps;
	/* blocks that a task runs: the path's, and in a jump those behind it, the last of which
	 * is */
	Bits span;
	/* this one, but for the branch that ends it (tail_capture.c); 0: its owner goes on behind
	 * the path */
	uint32_t join;
	/* of a jump: statements of the span (by fn_local_stmt) that the task can do without */
	Bits idle;
	Bits blocks;        /* of the span, less those of the parts in it */
	Annot_policy policy;
	uint32_t turns;     /* asked for: own parts a round */
	uint32_t threshold; /* lanes that must have a task for it to run; 0: all */
	uint32_t slots;     /* tasks that may wait */
	Task task;
	/* of a retreat: what a warp's credit changes by in a round in which some lane wants the
	 * path, in one in which none does, and with each run of the path */
	int32_t gained, unwanted, spent;
	/* the frame's .local memory, which the path names, is the path's alone */
	bool scratch;
	bool independent;   /* clause: nothing behind the path reads what it writes */
	Cut cut;
} Part;

/* The warp's part of the shared memory, and which blocks there is room for. */
typedef struct {
	uint32_t warp_bytes;
	uint32_t threads;       /* largest block the buffer serves */
	bool check_threads;     /* a launch may have more: it looks at run time */
	uint32_t block;         /* threads that every block has; 0: that differs */
	uint32_t dims;          /* dimensions of the block that may be larger than 1 */
} Frame;

/* The votes stand at the paths' branches, and parked lanes run along: the loop is one chain of
 * blocks. */
typedef struct {
	bool on;
	/* the loop's blocks in the order in which every iteration runs them */
	uint32_t *chain;
	uint32_t nchain;
	Bits prefix;            /* blocks between branches and their paths' markers */
	/* statements (by fn_local_stmt) that run under %~in, or in a prefix under %^want */
	Bits predicated;
} Lockstep;

/* A register that counts iterations: each adds operand `by` to it, or subtracts it. */
typedef struct {
	uint32_t sym;
	/* index into Module.opnds: a literal, or a register that the loop does not change */
	uint32_t by;
	bool minus;
} Count;

/* Lanes stand at one of two places. Who goes on? */
typedef enum {
	RULE_NONE,              /* there are no such places */
	/* those at the cut if they are N, or nobody else is in; else the others */
	RULE_N,
	RULE_HALF,              /* likewise, half of those that are in */
	RULE_SHARE,             /* those at the cut if they are N of 32 of those that are in */
	RULE_MAJORITY,          /* those at the cut if they are N; once a lane has left, all do */
	RULE_TURNS,             /* those at the cut for N rounds, then the others for so many */
	RULE_MOST, RULE_ROUND,  /* of many places: where most stand; each for N rounds */
	/* the innermost of those where as many stand as its number says, else who waits for
	 * nobody, else the outermost */
	RULE_INNERMOST
} Bound_rule;

/* One of many places where lanes stand: in front of a block. */
typedef struct {
	uint32_t block;
	/* RULE_INNERMOST: so many go on; its rank, from 1: inner places have higher ones. 0: the
	 * lanes there wait for nobody. */
	uint32_t least, rank;
} Bound_place;

/* Iterations that lanes draw from a sequence that all of M have in common (dynamic_assignment.c).
 * */
typedef struct {
	/* the loop as what whoever draws runs: its values, which come from the owner */
	Part *part;
	Bits runs;              /* statements of an iteration, by fn_local_stmt, that it runs */
	/* statements by which the owner's registers go on to its next iteration, in order */
	uint32_t *advance; uint32_t nadvance;
	uint32_t test;          /* the branch that ends an iteration */
	uint32_t last;          /* its block */
	uint32_t behind;        /* where it leads out of the loop */
	bool stays;             /* another iteration follows if the branch's predicate holds */
} Pool;

/* What a bound policy needs (wait_plan.c): every lane runs its own iterations, in order, and waits
 * for others in front of `meet`. */
typedef struct {
	/* the path or inner loop that it is about; NULL: the loop itself, or all paths */
	const Region *at;
	uint32_t meet;          /* the loop's block in front of which all lanes meet */
	/* where lanes stand at one of two places: the other one, a path's entry or an inner loop's
	 * header */
	uint32_t cut;
	uint32_t behind;        /* the inner loop behind which that is; 0: it is none */
	/* blocks that lanes run before they meet for the first time, which have a copy of their
	 * own; those that they run from one meeting to the next; ahead: all of them */
	Bits first, later;
	/* at which lanes wait: arms of a branch in their order, or statements and loops; of which
	 * `at` is one */
	const Region **stops; uint32_t nstops;
	/* where they stand, if the two above are not all; by falling rank */
	Bound_place *places; uint32_t nplaces;
	Bound_rule rule;
	const Pool *pool;       /* NULL: every lane runs its own iterations */
	uint32_t n, second;     /* iterations that a lane looks ahead; the rule's numbers */
	Count *counts; uint32_t ncounts; /* ahead: what an iteration without the path changes */
	/* ahead: statements that the loop runs anew each time, for what counts go on by */
	uint32_t *anew; uint32_t nanew;
	Bits beyond;            /* ahead: blocks of the paths, and those that only they lead to */
	uint32_t *resume;       /* ahead: by part, where looking goes on behind it */
	Bits looks;             /* ahead: registers that looking ahead has copies of */
	uint32_t group;         /* ahead: looks in a row, without a branch; 0: as the loop does */
	Bits held;              /* ahead, in a row: by fn_local_stmt, what runs under %^go */
	/* ahead, in a row: how often the loop goes round, which spares a group of looks the tests;
	 * NULL */
	const Trips *sure;
	/* ahead: how often that always is, where nobody has asked for n; 0: nobody knows */
	uint32_t trips;
	/* ahead: of a noted iteration only what leads to the path is run, and the path */
	bool straight;
	/* ahead: lanes run the iterations of this part's path, then those of the others (unify.c);
	 * from 1; 0: iterations keep their order */
	uint32_t unified;
	bool gathers;           /* ahead: lanes meet in front of each noted iteration */
} Bound;

/* A way out of the own part. */
typedef struct {
	uint32_t block;         /* in the untouched code; 0: the thread ends by `stmt` */
	uint32_t stmt;
} Way;

/* A warp whose lanes do not gain goes on in the loop as it was (runtime_fallback.c): by its
 * credit, in quarters of issue slots, which changes with each round. */
typedef struct {
	bool on, asked;         /* by a clause or an option, however little there is to lose */
	int32_t start, most;    /* that it begins with; that it can have */
	/* ahead: for each iteration that some lane has noted; that a lane has noted; of a batch */
	int32_t saved, noted, batch;
	uint32_t even;          /* lanes of 32 with which a round gains nothing; ahead: per cent */
} Retreat;

/* Issue slots of a warp. */
typedef struct {
	uint64_t own;           /* an iteration without the path */
	uint64_t path;          /* the path, for all that run it together */
	uint64_t collecting;    /* what a round adds: ballot, push, pop (docs/design.md 6) */
} Cost;

/* Copies of a loop in its text, as Tpl_place counts them: the one for full warps; the other one,
 * with what is no copy. */
enum { COPY_FULL = 1, COPY_OTHERS };

/* ---- the plan -------------------------------------------------------------------------------- */

typedef VEC(Verdict) Verdicts;

/* A policy that a site could have, as annotations spell it, and what it is expected to gain. */
typedef struct { const char *policy; Gain gain; } Plan_option;

/* What an annotation asks for, beside its policy. */
typedef struct {
	/* whose annotation says the policy: a path or an inner loop; NULL: the loop's, an option,
	 * or nobody */
	const Region *by;
	uint32_t n, second;     /* the numbers of policy(name(...)); 0: none is given */
	uint32_t threshold;     /* clause; 0: none is given */
	bool says_retreat;      /* clause: */
	uint32_t retreat;       /* its rounds; 0: no retreat; ANNOT_AUTO: it says none */
	/* clause: rounds are not passed over in which nobody has anything to do */
	bool idle;
} Asked;

typedef struct Plan {
	const Fn *fn;
	const Region *site;
	const Locals *locals;
	const Pass_options *opt;
	Arena *arena;           /* until the function is done */
	Arena *scratch;         /* until the plan is made */
	/* of the site in the module, once it is to be written: names are made from it */
	uint32_t number;

	/* of the costliest path; POLICY_AUTO only until the driver has chosen */
	Annot_policy policy;
	bool open;              /* the driver has chosen it, by what it is expected to gain */
	Annot_policy otherwise; /* of paths that name none; likewise */
	uint32_t otherwise_n;   /* its N */
	/* inner loops that name no policy are expanded in the paths around them (nested_expand.c)
	 * */
	bool joins;
	/* why a policy that the driver likes better has no plan; a yes: none */
	Verdict instead;
	Asked asked;            /* what belongs to the policy */
	uint32_t says_threads;  /* clause: the largest block; 0: it says nothing */
	/* clause: the rest of the iteration does not read what the path writes */
	bool independent;
	/* clauses: bit op: floating-point reductions by this operator may change their order */
	uint32_t reorder;

	Bits own;               /* blocks of the own part */
	Way *ways; uint32_t nways;
	/* statements to compute again at the entry, in order */
	uint32_t *again; uint32_t nagain;
	Bits again_syms;                        /* registers they define */
	Slot *kept; uint32_t nkept;     /* by each lane, for tasks of all parts */
	/* in the order of their votes: a part behind the one in whose path it stands */
	Part *parts; uint32_t nparts;
	/* parts behind those: inner loops that are expanded in their paths (nested_expand.c) */
	uint32_t nrows;
	uint32_t copied;        /* instructions that a copy of the loop has */
	/* one for full warps, whose masks are literal, and one for all other groups, which stands
	 * apart */
	bool two_copies;
	Lockstep lockstep;      /* of the copy for full warps */
	uint32_t turns;         /* own parts a round of that copy: queue(U) */
	bool grouped;           /* in that copy all parts share a vote */
	/* registers of which each of several own parts a round has its own */
	Bits turned;
	Bound bound;            /* of the bound policies */
	Retreat retreat;
	Remap *remap;           /* of an exchange of work; NULL: the plan is a loop's */
	Frame frame;
	Cost cost;
	Gain gain;              /* that is expected; after 0: nothing is known of the policy */
	Plan_option *options; uint32_t noptions; /* that `auto` compared: those that are legal */
	const char *chosen;     /* the policy was, by a profile: "queue(4)", "leave"; NULL */

	Verdict why;            /* why it does not stand */
	Verdicts hints;         /* what does not stop it */
} Plan;

/* The inner loop that is expanded in the path of part number `part`, from 1; NULL: none is. */
static inline const Part *
plan_rows_in(const Plan *x, uint32_t part)
{
	for (uint32_t i = x->nparts; i < x->nparts + x->nrows; i++)
		if (x->parts[i].outer == part)
			return &x->parts[i];
	return NULL;
}
/* Is block b in the part's path; in any part's? */
static inline bool part_has(const Part *k, uint32_t b) { return bits_has(k->path->blocks, b); }
static inline bool plan_in_path(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (part_has(&x->parts[i], b))
			return true;
	return false;
}
/* Issue slots that laying rows over the lanes takes. */
static inline uint64_t rows_collecting(const Part *k) { return 64 + 4 * (uint64_t)k->task.nslots; }
/* The part of the copy in which block b stands: the innermost one; NULL: none. */
static inline const Part *
plan_part_of(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (bits_has(x->parts[i].blocks, b))
			return &x->parts[i];
	return NULL;
}
/* The part that begins with block b, among those cut out of part `outer` (from 1; 0: the own part);
 * NULL: none does. */
static inline const Part *
plan_cut_at(const Plan *x, uint32_t b, uint32_t outer)
{
	for (uint32_t i = 0; i < x->nparts + x->nrows; i++)
		if (x->parts[i].path->entry == b && x->parts[i].outer == outer)
			return &x->parts[i];
	return NULL;
}
/* Is block b run with a path? */
static inline bool
bound_beyond(const Plan *x, uint32_t b)
{
	return bits_has(x->bound.beyond, b);
}
/* Of unified paths: among which is path k, the first one's iterations or the others'? */
static inline uint32_t
bound_side(const Plan *x, uint32_t k)
{
	return x->bound.unified && x->bound.unified != k + 1;
}
/* Does a task run the rest of its iteration? */
static inline bool
plan_jumps(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].join)
			return true;
	return false;
}
/* Is an inner loop collected iteration by iteration? */
static inline bool
plan_steps(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].steps)
			return true;
	return false;
}
static inline uint32_t
plan_header(const Plan *x)
{
	return x->fn->loops->loops[x->site->loop].header;
}
static inline const Marker *
plan_marker(const Plan *x)
{
	return &x->fn->m->markers[x->site->marker];
}
static inline const Marker *
part_marker(const Plan *x, const Part *k)
{
	return &x->fn->m->markers[k->path->marker];
}
/* The annotation that messages speak of: the path's; the loop's, where it has none or is not looked
 * at. */
static inline const Marker *
plan_spoken_of(const Plan *x)
{
	if (x->nparts)
		return part_marker(x, &x->parts[0]);
	return x->bound.at ? &x->fn->m->markers[x->bound.at->marker] : plan_marker(x);
}

/* Fills what the clauses of the loop and of its paths say. */
void plan_clauses(Plan *x);
/* The policy that an annotation asks for, by its clause or by its kind; `auto`: none that this
 * version has. */
Annot_policy plan_asked(const Annot *a);
/* Can lanes run each other's iterations under the policy? */
bool plan_assigns(Annot_policy policy);
/* Adds hints for clauses that the plan's policy makes nothing of. */
void plan_clauses_ignored(Plan *x);

/* Has the part's path loops of its own? Do full warps ask first whether anybody wants it? */
bool plan_has_loops(const Plan *x, const Part *k);
bool plan_asks_first(const Plan *x, const Part *k);
/* Does the loop's annotation, or one of a path in it, say that nothing is promised? */
bool plan_promises_nothing(const Plan *x);
/* May the inner loop's iterations run at the same time? Only 'for var' says so. */
bool plan_run_apart(const Plan *x, const Region *rounds);
/* Does the annotation of the inner loop ask for that, and the path's for being collected? */
bool plan_asks_in_path(const Plan *x, const Region *rounds);

/* The innermost annotated path around an inner loop; NULL: none is. */
const Region *plan_path_around(const Plan *x, const Region *rounds);

/* ---- the text -------------------------------------------------------------------------------- */

/* The shared memory of all plans of a function. */
typedef struct {
	const char *name;       /* of the variable */
	uint32_t stride;        /* bytes of a warp's part */
	uint32_t warps;
} Buffer;

#endif
