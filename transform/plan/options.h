/* SPDX-License-Identifier: MIT */
/* Options of the transformation. */
#ifndef TRANSFORM_PLAN_OPTIONS_H
#define TRANSFORM_PLAN_OPTIONS_H

#include "analysis/region/execution_counts.h"
#include "base/annot.h"
#include "base/diag.h"
#include "base/explained.h"
#include "base/vec.h"
#include "parser/ptx.h"
#include "profile/profile.h"
#include "transform/text/edit.h"
#include "transform/plan/report.h"
#include "transform/text/template.h"

typedef enum {
#define STEP(id, letter, name, shows) STEP_##id,
#include "transform/plan/steps.def"
#undef STEP
	STEP_COUNT
} Step;
typedef struct { char letter; const char *name, *shows; } Step_row;
extern const Step_row steps[STEP_COUNT];
/* Returns the step of that name; STEP_COUNT if there is none. */
Step step_by_name(const char *name);

/* The analyses of a transformed function, kept for the validator. */
typedef struct {
	Arena *arena;
	const struct Fn *fn;
	const struct Regions *rs;
	uint32_t report;        /* index of the report of its first site */
} Transformed_fn;
typedef VEC(Transformed_fn) Transformed_fns;
void transformed_fns_clear(Transformed_fns *f);

/* What `auto` selects among the legal plans (select_policy.h). */
typedef enum {
	/* the one with the largest expected gain; none if no gain is expected */
	AUTO_BEST,
	AUTO_ALWAYS,            /* the same, even if no gain is expected */
	AUTO_FIRST              /* expand if it is legal, else stack */
} Auto_mode;

/* Whether warps that do not gain may fall back to the original loop (runtime_fallback.c). */
typedef enum {
	/* where `auto` selected the policy and no profile covers the site */
	FALLBACK_AUTO,
	FALLBACK_ALWAYS,
	FALLBACK_NEVER
} Fallback_mode;

/* Which loops must keep floating-point results to the last bit. */
typedef enum {
	FP_PROMISED,            /* those whose annotation promises nothing (`proven`) */
	FP_EXACT,               /* all */
	FP_RELAXED              /* none: ptxas may contract differently */
} Fp_mode;

/* What is known or assumed of launches. */
typedef struct {
	/* largest block where neither the PTX nor a clause gives one; 0: 1024 */
	uint32_t threads;
	bool dynamic_known;     /* launches request no more dynamic shared memory than `dynamic` */
	uint32_t dynamic;       /* bytes of a block */
	/* blocks of a multiprocessor that take part in a task loop; 0: as many as fit */
	uint32_t grid_blocks;
	/* multiprocessors of the GPU; 0: a task loop asks the GPU, and estimates assume those of
	 * the target's largest widely used GPU */
	uint32_t sms;
	bool timed;             /* the program measures whether a kernel gains (ccc_timed.h) */
} Launch_options;

/* Settings of single functions: arrays by Func; NULL: of no function. */
typedef struct {
	/* the function has other fused multiply-adds than in Pass_options.unannotated */
	const bool *fused_otherwise;
	/* it is written with explicit products, as ptxas contracts them in `unannotated`, or else
	 * in the input (settle_rounding.c) */
	const bool *explicit_products;
	const uint32_t *max_regs; /* register limit of a kernel; 0: Pass_options.max_regs */
	/* why its loops are left unchanged; NULL entry: they need not be */
	const char *const *refused;
	/* its paths outside of annotated loops are all reported */
	const bool *strays_reported;
	/* a block size that is chosen for its plans (block_size.c) must be smaller; 0: any */
	const uint32_t *block_bound;
} Func_options;

/* Settings of counting code (instrument_module.h). */
typedef struct {
	uint32_t sampling;      /* one block of 2^n counts */
	const char *path;       /* file for the counts; NULL: the default */
	/* instead of counting, check the promises of annotations, with a table of 2^n entries */
	uint32_t check_promise;
} Instrument_options;

/* Measured execution counts. */
typedef struct {
	/* a profile, from which output_make sets the next two; NULL: none */
	const Profile *profile;
	bool keyless;           /* the report needs no keys, and no sizes of launches */
	/* annotations with this number and higher ones were inserted by suggest/: their records are
	 * matched by position (Profile_key.by_place); 0: none was */
	uint32_t inserted_from;
	/* returns execution counts of paths and inner loops; NULL: not measured */
	Execution_counts_of *counts_of;
	/* its user data, with the keys of the profile points and the recorded choices
	 * (profile_lookup.h) */
	void *lookup;
	/* for suggestions, by Stmt of the module: what the counted launches executed; NULL:
	 * unknown */
	const Stmt_counts *stmts;
} Measured_counts;

/* Proves which multiplications ptxas contracts in a function without annotations
 * (settle_rounding.c). prove NULL: that is impossible. */
typedef struct {
	bool (*prove)(void *user, const Module *m, uint32_t func);
	void *user;
} Contraction_prover;

/* Settings for development. */
typedef struct {
	uint32_t stop_after;    /* number of the step plus one; 0: none */
	bool show[STEP_COUNT];  /* the steps after which to append a dump to `dump` */
	bool dot;               /* dump plans as a graph */
	Buf *dump;
	bool verify;            /* also verify barriers and votes */
	bool one_copy;          /* one copy of each loop, for all groups */
	Tpl_place omit;         /* template line to leave out */
} Debug_options;

typedef struct {
	Annot_policy policy;    /* policy of annotations without a policy() clause */
	uint32_t policy_n;      /* its N; 0: not given */
	Auto_mode auto_mode;
	Fp_mode fp;
	Fallback_mode fallback; /* where no clause decides */
	/* fallback after this many rounds of maximal loss; 0: the default of runtime_fallback.c */
	uint32_t fallback_rounds;
	/* `auto` may reduce occupancy by its shared memory */
	bool ignore_occupancy;
	/* save context values that could be recomputed from others */
	bool no_compress;
	/* assign shared memory to paths in text order, not to the costliest first */
	bool no_costliest;
	/* register limit of kernels with a transformed loop, per thread; 0: none */
	uint32_t max_regs;
	/* the assembler gets the whole output, not only the kernels whose registers are counted */
	bool assemble_whole;
	bool remedies;          /* the report of --auto says what left sites would need */
	bool grid;              /* kernels with paths outside of annotated loops get a task loop */
	Launch_options launch;
	Func_options funcs;
	Instrument_options instrument;
	/* the module compiled without annotations: its code runs in blocks that do not count (NULL:
	 * copies of the counting code), and floating-point results are compared with it */
	const Module *unannotated;
	Measured_counts measured;
	Contraction_prover prover;      /* for the selection of annotations */
	const Diag_style *style;        /* reads CUDA sources; NULL: they are unknown */

	/* the validator compares the output with the input (validate/) */
	bool validate;
	/* receives the analyses of functions with transformed loops; NULL: not needed */
	Transformed_fns *facts;
	/* by Marker: the fault that verification found in the text of the site that begins there;
	 * NULL: none */
	const char *const *faults;

	/* receives what --explain shows; NULL: not requested */
	Explained *explained;

	Debug_options debug;
} Pass_options;
/* Returns the execution counts of the profile point; NULL if not measured. */
static inline const Execution_counts *
pass_frequency(const Pass_options *o, const Fn *fn, const Region *point)
{
	return o->measured.counts_of ? o->measured.counts_of(o->measured.lookup, fn, point) : NULL;
}

static inline bool
pass_continues(const Pass_options *o, Step behind)
{
	return !o->debug.stop_after || o->debug.stop_after > behind + 1u;
}

#endif
