/* SPDX-License-Identifier: MIT */
/* Compares a random kernel with its transformed form (fuzz_diff.c); shared with the mutation
 * tests (mutants.c). */
#ifndef GEN_FUZZ_H
#define GEN_FUZZ_H

#include "tests/gen/each.h"
#include "tests/gen/jobs.h"
#include "tests/gen/machine.h"
#include "transform/plan/plan.h"

/* A launch of the original kernel. */
typedef struct {
	uint32_t shape;
	uint64_t work;          /* in thread instructions */
} Measured_launch;

/* Memory that the original kernel leaves, so that it runs only once; empty if it has not run
 * yet. */
typedef struct {
	Buf memory[KERNEL_LAUNCHES];
	Measured_launch of[KERNEL_LAUNCHES];
} Kept;

typedef struct {
	uint64_t n, first;      /* kernels; the first one's seed */
	Each each;
	Job job;
	Totals sum;
	const char *dir;
	const char *hints;      /* the file with the seeds that notice lines; NULL: none */
	bool known;             /* only lines that these still notice, and marks, are tested */
	bool verbose;
	bool unasked;           /* kernels without annotations (alias.h) */
	Pass_options options;
	Annot_policy policy;    /* POLICY_AUTO: each policy in turn */
	uint64_t limit;         /* of a launch, in instructions */
	const Gen_info *info;   /* of the kernel */
	Machine plain, ccc;     /* original, and transformed */
	Entered_loops loops;    /* of the kernel */
	bool fault;             /* the text was dropped */
	Kept *kept;             /* of the kernel; NULL: none is recorded */
	uint64_t longest;       /* longest launch of a transformed kernel so far, in instructions */
	Buf why;                /* of the failure */
	Buf annotated;          /* the last kernel that was unannotated, with annotations */
} Run;

static inline void
run_release(Run *r)
{
	machine_free(&r->plain);
	machine_free(&r->ccc);
	vec_free(&r->loops);
	buf_free(&r->why);
	buf_free(&r->annotated);
}

/* Transforms the kernel with the options of its seed. Returns false on errors. */
bool fuzz_transform(Run *r, Machine *k, uint64_t seed, Buf *out, bool *changed);
/* Whether that text leaves the same memory as the kernel. If not, r->why describes the
 * difference. */
bool fuzz_compare(Run *r, Machine *k, uint64_t seed, const Buf *text);
/* Whether the transformed kernel leaves the same memory as the kernel. If not, r->why describes the
 * difference. */
bool fuzz_one(Run *r, uint64_t seed, const Buf *text);

/* The same for a kernel without annotations, transformed as by --ccc-auto (fuzz_unasked.c). */
bool fuzz_unasked(Run *r, uint64_t seed, const Buf *text);

/* Tests the lines at these places, up to NULL. Returns an exit status. */
int mutants_try(Run *r, char **places);

#endif
