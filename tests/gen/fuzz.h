/* SPDX-License-Identifier: MIT */
/* A random kernel, as it is and transformed (fuzz_diff.c), and what else is tried with that (mutants.c). */
#ifndef GEN_FUZZ_H
#define GEN_FUZZ_H

#include "tests/gen/entered.h"
#include "tests/gen/machine.h"
#include "transform/plan.h"

enum { ALL_SHAPES = 27 };

typedef struct {
	uint64_t n, first;
	const char *dir;
	bool verbose;
	Pass_options options;
	Annot_policy policy;    /* POLICY_AUTO: by turns */
	uint64_t limit;         /* of a launch, in instructions */
	uint64_t sites, done, nothing;
	const Gen_info *info;   /* of the kernel */
	Entered_loops loops;    /* of the kernel */
	Entered_shares entered; /* of copies of loops */
	Entered_share launches[ALL_SHAPES];     /* by shape */
	bool fault;             /* the text was dropped */
	Buf why;                /* of the failure */
} Run;

/* Transforms the kernel as it is done with this seed. False: errors. */
bool fuzz_transform(Run *r, Machine *k, uint64_t seed, Buf *out, bool *changed);
/* Does the transformed kernel leave the memory that the kernel leaves? Else r->why says what it does. */
bool fuzz_one(Run *r, uint64_t seed, const Buf *text);

/* Prints the places of the templates' lines that put text. */
int mutants_print(void);
/* Tries the lines at these places, up to NULL; an exit status. */
int mutants_try(Run *r, char **places);

#endif
