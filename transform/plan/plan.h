/* SPDX-License-Identifier: MIT */
/* The plan of one annotated loop: everything that is decided about it before any text is written.
 *
 * Making a plan changes nothing in the module, so a plan can be judged and dropped. Checks return
 * verdicts (base/verdict.h), and their caller reports them (plan_driver.c). The pass that made an
 * accepted plan writes it. The steps, and the files that implement them:
 *
 *	plan_read_clauses reads the clauses of the annotations          (clauses.c)
 *	plan_select_regions selects the task regions; calls the next five (path_selection.c)
 *	task_region_check_legal whether other lanes may run the region  (legal.c)
 *	common_code_check_legal whether the common code may be copied   (legal.c)
 *	plan_check_exit_in_time whether the loop still terminates       (forward_progress.c)
 *	task_make       context, owner slice and reductions of a task   (task_inputs.c, liveout.c,
 *	                reduction.c)
 *	tail_extend     tail capture                                    (tail_capture.c)
 *	plan_lockstep   whether the common code runs in lockstep        (lockstep.c)
 *	plan_batch      batch size: iterations of common code per vote  (batch.c)
 *	plan_fallback   whether warps may fall back to the original     (runtime_fallback.c)
 *	frame_layout    layout of the warp's shared memory              (shared_layout.c)
 *	plan_warn_hazards warnings about what only the programmer knows (alias_warnings.c)
 *
 * docs/glossary.md defines the terms. A Part is a task region; the "own part" in names is the
 * common code. */
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
	MAX_BLOCK = 1024,           /* threads of a block, on every architecture so far */
	/* static shared memory of a block in bytes, on every architecture */
	MAX_SHARED = 48 << 10
};

/* ---- task regions, frame, lockstep ----------------------------------------------------------- */

/* The branch to a path; the place of the vote in lockstep. */
typedef struct {
	uint32_t stmt;          /* guarded bra */
	uint32_t block;
	bool path_falls_through; /* the path is the fall-through successor */
	uint32_t other_target;  /* successor that skips the path */
	Bits prefix;            /* blocks between the branch and the path's marker */
} Vote_branch;

/* A lane loop: an inner loop whose iterations are spread over the lanes. Says what a helper runs,
 * and which of the loop's live-outs the owner computes itself. */
typedef struct {
	const Trip_count *trips;
	/* statements that helpers run, by fn_local_stmt; without pure loop control */
	Bits executed;
	bool balances;          /* at run time, rows of similar length may stay with their owners */
	/* remainders shorter than a warp are concatenated; iterations write no memory */
	bool packs, read_only;
	bool conditional;       /* a branch other than the loop's own test may skip the loop */
	uint32_t unroll;        /* consecutive passes over a long row in the copy for full warps */
	/* by index into task.computed: values that are stepped along with the loop's index */
	Bits stepped;
	/* in a path: its blocks before and after the meeting point of the lane loop */
	Bits blocks_before, blocks_after;
	/* live-out definitions; induction variables come last */
	uint32_t *live_outs; uint32_t nlive_outs;
} Lane_loop;

/* A task region: a path that is collected, or an inner loop that is expanded. May be nested in the
 * path of another region. */
typedef struct {
	const Region *path;
	const Lane_loop *lane_loop; /* for an inner loop; NULL: a path */
	uint32_t outer;     /* number of the enclosing region, from 1; 0: the common code */
	/* A task is one iteration of an inner loop. The lane that has run it holds the next
	 * iteration as its new task. */
	bool by_iteration;
	/* blocks that a task runs: those of the path, and with tail capture those after it up to
	 * `join` */
	Bits task_blocks;
	/* with tail capture, the last block of the task, without the branch that ends it
	 * (tail_capture.c); 0: the owner continues after the path */
	uint32_t tail_end;
	/* with tail capture: statements of the span, by fn_local_stmt, that the task does not
	 * need */
	Bits dead;
	Bits blocks;        /* `span` without the blocks of nested regions */
	Annot_policy policy;
	uint32_t batch;     /* requested batch size: iterations of common code per vote */
	uint32_t threshold; /* lanes that must have a task before the region runs; 0: all */
	uint32_t slots;     /* capacity of the buffer, in tasks */
	Task task;
	/* for the fallback: change of a warp's credit in a round in which some lane has a task of
	 * this region, in a round in which none has, and for each run of the region */
	int32_t credit_wanted, credit_idle, credit_run;
	/* the function's .local memory that the path names is used by the path alone */
	bool scratch;
	bool independent;   /* clause: no code after the path reads what the path writes */
	Vote_branch vote_branch;
} Task_region;

/* The warp's part of the shared memory, and the block sizes that it serves. */
typedef struct {
	uint32_t warp_bytes;
	uint32_t threads;       /* largest block, in threads, that the buffer serves */
	bool check_threads;     /* a launch may have larger blocks: tested at run time */
	uint32_t block;         /* threads of every block; 0: not a constant */
	uint32_t dims;          /* number of block dimensions that may exceed 1 */
} Frame;

/* Lockstep: the common code is one chain of blocks, the votes replace the branches to the paths,
 * and parked lanes execute the chain predicated off. */
typedef struct {
	bool enabled;
	/* the loop's blocks in execution order */
	uint32_t *chain;
	uint32_t nchain;
	Bits prefix;            /* blocks between the branches and the markers of their paths */
	/* statements, by fn_local_stmt, predicated by %~in, or in a prefix by %^want */
	Bits predicated;
} Lockstep;

/* An induction variable: each iteration adds operand `by` to the register, or subtracts it. */
typedef struct {
	uint32_t sym;
	/* index into Module.opnds: a literal, or a loop-invariant register */
	uint32_t by;
	bool subtracts;
} Loop_counter;

/* Release rule: which lanes continue when lanes wait at several wait points. */
typedef enum {
	RULE_NONE,              /* no wait points */
	/* those at the cut if there are N of them, or if all lanes in the loop are there; else the
	 * others */
	RULE_N,
	/* the same with half of the lanes in the loop instead of N */
	RULE_HALF,
	RULE_SHARE,             /* those at the cut if they are N/32 of the lanes in the loop */
	/* those at the cut if there are N; after the first lane has left the loop, all */
	RULE_MAJORITY,
	/* those at the cut for N rounds, then the others for `second` rounds */
	RULE_ALTERNATE,
	/* with many wait points: the one with most lanes; each one for N rounds */
	RULE_LARGEST, RULE_ROTATE,
	/* the innermost one at which `least` lanes wait, else one whose lanes do not wait, else the
	 * outermost */
	RULE_INNERMOST
} Release_rule;

/* One of several wait points: lanes wait before the block. */
typedef struct {
	uint32_t block;
	/* RULE_INNERMOST: lanes needed to continue. Rank from 1, higher for inner points; 0: lanes
	 * do not wait here for others. */
	uint32_t threshold, rank;
} Wait_point;

/* Iteration draw: lanes take iterations from a sequence shared by all of M
 * (dynamic_assignment.c). */
typedef struct {
	/* the loop as a task region: values that a drawn iteration takes from its owner */
	Task_region *part;
	Bits executed;          /* statements, by fn_local_stmt, that the drawing lane runs */
	/* statements that advance the owner's registers to its next iteration, in order */
	uint32_t *advance; uint32_t nadvance;
	uint32_t test;          /* branch that ends an iteration */
	uint32_t test_block;    /* block of `test` */
	uint32_t exit_block;    /* successor of `test` outside the loop */
	bool loops_if_true;     /* the loop continues if the branch's predicate holds */
} Iteration_pool;

/* What a waiting policy needs (wait_plan.c). Every lane runs its own iterations, in order, and
 * waits for others before block `meet`. */
typedef struct {
	/* the annotated path or inner loop; NULL: the loop itself, or all paths */
	const Region *region;
	uint32_t meeting;       /* meeting point of all lanes */
	/* with two wait points, the other one: the entry of a path or the header of an inner
	 * loop */
	uint32_t wait_block;
	uint32_t wait_loop;     /* the inner loop that `cut` follows; 0: none */
	/* blocks that lanes execute before the first meeting, which have a separate copy; those
	 * between two meetings; for ahead: all of them */
	Bits first_blocks, round_blocks;
	/* regions at which lanes wait: the arms of a branch in order, or statements and loops; `at`
	 * is one of them */
	const Region **predicted; uint32_t npredicted;
	/* all wait points, if there are more than `meet` and `cut`; by falling rank */
	Wait_point *points; uint32_t npoints;
	Release_rule rule;
	const Iteration_pool *pool; /* iteration draw; NULL: every lane runs its own iterations */
	uint32_t n, second;     /* look-ahead iterations; parameters of the release rule */
} Wait_plan;

/* What `ahead` needs beyond a Wait_plan (lookahead_legality.c, lookahead_copies.c). Lanes execute
 * the common code of later iterations early, and select the iterations that take a path. */
typedef struct {
	/* registers that an iteration without a path changes */
	Loop_counter *counts; uint32_t ncounts;
	/* statements that each iteration executes afresh, to compute the steps of `counts` */
	uint32_t *recomputed; uint32_t nrecomputed;
	Bits path_only;         /* blocks of the paths, and blocks that only paths reach */
	/* for each region, the block after it at which look-ahead continues */
	uint32_t *resume;
	Bits copied;            /* registers with a separate look-ahead copy */
	/* look-ahead iterations per branch-free group; 0: branches as in the loop */
	uint32_t group_size;
	Bits guarded;           /* branch-free: statements, by fn_local_stmt, predicated by %^go */
	/* branch-free: trip count, which removes the tests within a group; NULL: unknown */
	const Trip_count *known_trips;
	uint32_t trip_count;    /* constant trip count where no N is requested; 0: unknown */
	/* a selected iteration runs only the slice that leads to the path, and the path */
	bool path_alone;
	/* lanes run the selected iterations of this region, then those of the others (unify.c);
	 * from 1; 0: iterations keep their order */
	uint32_t unified;
	bool meets_before_run;  /* lanes reconverge before each selected iteration */
} Lookahead_plan;

/* An exit edge of the common code. */
typedef struct {
	uint32_t block;         /* target in the original code; 0: the thread ends at `stmt` */
	uint32_t stmt;
} Exit_edge;

/* Fallback (runtime_fallback.c): a warp that does not gain continues in the original loop. Decided
 * by a credit, in quarters of issue slots, that every round changes. */
typedef struct {
	/* requested by a clause or an option, even if little can be lost */
	bool enabled, requested;
	int32_t start, max;     /* initial credit; upper limit */
	/* ahead, changes of the credit: for each iteration that some lane has selected; for each
	 * one that the lane with most has selected; for a batch */
	int32_t credit_saved, credit_selected, batch;
	/* active lanes, of 32, at which a round breaks even; for ahead: per cent */
	uint32_t break_even;
} Fallback;

/* Issue slots of a warp. */
typedef struct {
	uint64_t common;        /* an iteration of the common code */
	uint64_t path;          /* one execution of the path by all lanes that run it */
	uint64_t collecting;    /* overhead of a round: ballot, push, pop (docs/design.md 6) */
} Cost;

/* Copies of a loop in its text, as counted by Tpl_place: the one for full warps, and the other one
 * together with text outside of copies. */
enum { COPY_FULL = 1, COPY_PARTIAL };

/* ---- the plan -------------------------------------------------------------------------------- */

typedef VEC(Verdict) Verdicts;

/* A policy that the site could have, as annotations spell it, and its expected gain. */
typedef struct { const char *policy; Speedup gain; } Plan_option;

/* What an annotation requests besides its policy. */
typedef struct {
	/* the path or inner loop whose annotation names the policy; NULL: the loop's annotation, an
	 * option, or none */
	const Region *region;
	uint32_t n, second;     /* numbers of policy(name(...)); 0: none */
	uint32_t threshold;     /* clause; 0: none */
	bool has_retreat;       /* clause */
	/* losing rounds before the fallback; 0: no fallback; ANNOT_AUTO: not given */
	uint32_t retreat;
	/* clause: rounds without work are not skipped */
	bool idle;
} Policy_request;

typedef struct Plan {
	const Fn *fn;
	const Region *site;
	const Locals *locals;
	const Pass_options *opt;
	Arena *arena;           /* lives as long as the function */
	Arena *scratch;         /* lives until the plan is made */
	/* number of the site in the module once it is written; used in names */
	uint32_t number;

	/* policy of the costliest path; POLICY_AUTO only until the driver has selected one */
	Annot_policy policy;
	bool is_auto;           /* the driver selected the policy by its expected gain */
	Annot_policy default_policy; /* policy of paths that name none; selected likewise */
	uint32_t default_n;     /* its parameter N */
	/* inner loops without a policy of their own are expanded in the enclosing path
	 * (nested_expand.c) */
	bool nests;
	/* why the policy that the driver prefers has no plan; yes: there is none */
	Verdict why_not_better;
	Policy_request request; /* parameters of the policy */
	uint32_t max_threads;   /* clause: largest block; 0: not given */
	/* clause: the rest of the iteration does not read what the path writes */
	bool independent;
	/* clauses, bit op: floating-point reductions by this operator may be reordered */
	uint32_t reorder;

	Bits common;            /* blocks of the common code */
	Exit_edge *exits; uint32_t nexits;
	/* statements recomputed at the entry, in order */
	uint32_t *recomputed; uint32_t nrecomputed;
	Bits recomputed_syms;                   /* registers that they define */
	/* lane invariants, for tasks of all regions */
	Context_slot *invariants; uint32_t ninvariants;
	/* task regions in the order of their votes: a nested region after the enclosing one */
	Task_region *regions; uint32_t nregions;
	/* further regions after those: inner loops expanded in paths (nested_expand.c) */
	uint32_t nexpansions;
	uint32_t copied_insns;  /* instructions of a copy of the loop */
	/* one copy for full warps, with literal masks, and one for all other groups, not in
	 * lockstep */
	bool two_copies;
	Lockstep lockstep;      /* for the copy for full warps */
	uint32_t batch;         /* batch size in that copy: queue(U) */
	bool shares_vote;       /* in that copy all regions share a vote */
	/* registers of which each iteration of a batch has its own */
	Bits batch_registers;
	Wait_plan *wait;        /* for the waiting policies; NULL: another policy */
	Lookahead_plan *lookahead; /* for `ahead`; NULL: another policy */
	Fallback fallback;
	Remap *remap;           /* for a remapping; NULL: the plan is for a loop */
	Frame frame;
	Cost cost;
	Speedup gain;           /* expected gain; `after` is 0 if unknown */
	Plan_option *options; uint32_t noptions; /* the legal policies that `auto` compared */
	const char *profile_choice; /* decision of a profile: "queue(4)", "leave"; NULL */

	Verdict verdict;        /* why the plan is refused */
	Verdicts hints;         /* warnings that do not refuse it */
} Plan;

/* Returns the inner loop expanded in the path of region number `part`, from 1; NULL if none. */
static inline const Task_region *
plan_expansion_in(const Plan *x, uint32_t part)
{
	for (uint32_t i = x->nregions; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].outer == part)
			return &x->regions[i];
	return NULL;
}
/* Whether block b is in the path of the region, or of any region. */
static inline bool
task_region_has(const Task_region *k, uint32_t b)
{
	return bits_has(k->path->blocks, b);
}
static inline bool plan_block_in_region(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (task_region_has(&x->regions[i], b))
			return true;
	return false;
}
/* Issue slots for spreading the rows over the lanes. */
static inline uint64_t
expansion_overhead(const Task_region *k)
{
	return 64 + 4 * (uint64_t)k->task.nslots;
}
/* Returns the innermost region whose copy contains block b; NULL if none. */
static inline const Task_region *
plan_region_of_block(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (bits_has(x->regions[i].blocks, b))
			return &x->regions[i];
	return NULL;
}
/* Returns the region that begins with block b, among those nested in region `outer` (from 1; 0: the
 * common code); NULL if none. */
static inline const Task_region *
plan_region_entered_at(const Plan *x, uint32_t b, uint32_t outer)
{
	for (uint32_t i = 0; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].path->entry == b && x->regions[i].outer == outer)
			return &x->regions[i];
	return NULL;
}
/* Whether block b executes as part of a path. */
static inline bool
block_is_path_only(const Plan *x, uint32_t b)
{
	return bits_has(x->lookahead->path_only, b);
}
/* With unification, the group of path k: 0 for the one whose iterations run first, 1 for the
 * others. */
static inline uint32_t
unify_side(const Plan *x, uint32_t k)
{
	return x->lookahead->unified && x->lookahead->unified != k + 1;
}
/* Whether a task also runs the rest of its iteration. */
static inline bool
plan_has_tail_capture(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].tail_end)
			return true;
	return false;
}
/* Whether the tasks of some region are single iterations of an inner loop. */
static inline bool
plan_has_iteration_tasks(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].by_iteration)
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
task_region_marker(const Plan *x, const Task_region *k)
{
	return &x->fn->m->markers[k->path->marker];
}
/* Returns the annotation that messages refer to: the path's, or the loop's if it has no path or
 * none was examined. */
static inline const Marker *
plan_reported_marker(const Plan *x)
{
	const Wait_plan *w = x->wait;

	if (x->nregions)
		return task_region_marker(x, &x->regions[0]);
	return w && w->region ? &x->fn->m->markers[w->region->marker] : plan_marker(x);
}

/* Records what the clauses of the loop and its paths say. */
void plan_read_clauses(Plan *x);
/* Returns the policy that an annotation requests by its clause or kind; POLICY_AUTO if that is none
 * that a loop can have. */
Annot_policy policy_requested_by(const Annot *a);
/* Whether the policy allows lanes to draw iterations. */
bool policy_draws_iterations(Annot_policy policy);
/* Adds hints for clauses that the plan's policy ignores. */
void plan_hint_ignored_clauses(Plan *x);

/* task_region_has_loops: whether the path of the region contains loops. plan_tests_vote_first:
 * whether full warps first vote on whether any lane has a task. */
bool task_region_has_loops(const Plan *x, const Task_region *k);
bool plan_tests_vote_first(const Plan *x, const Task_region *k);
/* Whether the annotation of the loop, or of a path in it, has the clause `proven`. */
bool plan_has_proven_clause(const Plan *x);
/* Whether the iterations of the inner loop may run concurrently. Only 'for var' says so. */
bool plan_iterations_independent(const Plan *x, const Region *rounds);
/* Whether the inner loop's annotation requests expansion within a path that is collected. */
bool plan_expands_in_path(const Plan *x, const Region *rounds);

/* Returns the innermost annotated path around an inner loop; NULL if none. */
const Region *plan_path_around(const Plan *x, const Region *rounds);

/* ---- the text -------------------------------------------------------------------------------- */

/* The shared memory that all plans of a function use. */
typedef struct {
	const char *name;       /* name of the variable */
	uint32_t stride;        /* bytes of a warp's part */
	uint32_t warps;
} Buffer;

#endif
