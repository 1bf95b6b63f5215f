/* SPDX-License-Identifier: MIT */
/* What the passes are asked to do. */
#ifndef TRANSFORM_PLAN_OPTIONS_H
#define TRANSFORM_PLAN_OPTIONS_H

#include "analysis/region/execution_counts.h"
#include "base/annot.h"
#include "base/diag.h"
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
/* The step of that name; STEP_COUNT: there is none. */
Step step_named(const char *name);

/* What the passes knew of a function: for who reads what they wrote (validate/). */
typedef struct {
	Arena *arena;
	const struct Fn *fn;
	const struct Regions *rs;
	uint32_t report;        /* of its first site */
} Fact;
typedef VEC(Fact) Facts;
void facts_clear(Facts *f);

/* What `auto` takes of the plans that are legal (select_policy.h). */
typedef enum {
	CHOOSE_BEST,            /* the one that gains most; none, if none is expected to gain */
	CHOOSE_ALWAYS,          /* that, whether or not it is expected to gain */
	CHOOSE_FIRST            /* expand, else stack */
} Choose;

/* May warps that do not gain go on in the loop as it was (runtime_fallback.c)? */
typedef enum {
	RETREAT_AUTO,           /* where `auto` has chosen, and no profile knows the site */
	RETREAT_ALWAYS,
	RETREAT_NEVER
} Retreat_how;

/* Must floating-point results be those of the original loop to the last bit? */
typedef enum {
	FP_PROMISED,            /* of loops whose annotation promises nothing (`proven`) */
	FP_EXACT,               /* of all */
	FP_RELAXED              /* of none: ptxas may contract where it did not, and conversely */
} Fp_mode;

typedef struct {
	Annot_policy policy;    /* what annotations without a policy() clause get */
	uint32_t policy_n;      /* its N; 0: none is given */
	Choose choose;
	Fp_mode fp;
	/* by Func: other multiplications and additions are fused in it than in that of `plain`;
	 * NULL: in none */
	const bool *fused_otherwise;
	Retreat_how retreat;    /* where no clause says */
	/* after so many rounds that lose as much as they can; 0: as runtime_fallback.c has it */
	uint32_t retreat_rounds;
	/* `auto` may take so much shared memory that fewer warps have room */
	bool ignore_occupancy;
	/* largest block where neither the PTX nor a clause says; 0 = 1024 */
	uint32_t threads;
	/* what could be computed from a task's other values is saved, too */
	bool no_compress;
	/* paths have shared memory in the order of the text, not the costliest first */
	bool no_costliest;
	/* kernels with a transformed loop are held to as many registers a thread; 0: they are
	 * not */
	uint32_t max_regs;
	const uint32_t *most;   /* the same for single kernels, by Func; NULL: none */
	/* by Func: why its loops stay as they were, NULL: they need not; NULL: none need */
	const char *const *leave;
	bool dynamic_known;     /* launches ask for no more dynamic shared memory than */
	uint32_t dynamic;       /* so many bytes a block */
	bool grid;              /* kernels with paths outside of annotated loops get a task loop */
	/* blocks a multiprocessor that take part in one; 0: as many as there is room for */
	uint32_t grid_blocks;
	/* multiprocessors of the GPU; 0: as the target's largest GPU in wide use has */
	uint32_t sms;
	/* by Func: of its paths outside of annotated loops all is said; NULL: of none */
	const bool *strays_told;

	/* of code that counts (instrument_module.h): one block of 2^n does; where the program
	 * writes what it counted, NULL: the usual file */
	uint32_t profile_sampling;
	const char *profile_to;
	/* the module of the source without annotations: what blocks run that do not count (NULL:
	 * copies of what counts), and what floating-point results are compared with */
	const Module *plain;
	/* a profile, by which output_make sets the next two; NULL: there is none */
	const Profile *profile;
	/* how often paths and inner loops are come to; NULL: nobody has measured it */
	Frequency_of *frequency;
	/* its user: the keys of the cuts, too, and what was chosen (profile_lookup.h) */
	void *measured;

	/* what is written is read again, beside the input, to show that it is right (validate/) */
	bool validate;
	/* gets what is known of functions with transformed loops; NULL: nothing */
	Facts *facts;
	/* by Marker: what was wrong with the text of the site that begins there; NULL: nothing */
	const char *const *faults;

	/* For those who work on the program: */
	uint32_t stop_after;    /* the step's number and one; 0: none */
	bool show[STEP_COUNT];  /* behind which steps to add to `shown` */
	bool dot;               /* plans as a graph */
	Buf *shown;
	bool verify;            /* look at barriers and votes, too */
	bool one_copy;          /* of each loop, for all groups */
	Tpl_place omit;         /* line of a template that is left out */
} Pass_options;
/* How often the cut is come to; NULL: nobody has measured it. */
static inline const Frequency *
pass_frequency(const Pass_options *o, const Fn *fn, const Region *cut)
{
	return o->frequency ? o->frequency(o->measured, fn, cut) : NULL;
}

static inline bool
pass_goes_on(const Pass_options *o, Step behind)
{
	return !o->stop_after || o->stop_after > behind + 1u;
}

#endif
