/* SPDX-License-Identifier: MIT */
/* An annotated loop: how it counts (count.c), where its paths are (path.c), and the rest of it
 * (site.c). */
#ifndef GEN_LOOP_H
#define GEN_LOOP_H

#include "tests/gen/inner.h"

enum { MAX_WAYS_OUT = 3 };
typedef enum { OUT_END, OUT_BLOCK, OUT_RETURN } Out_kind;
typedef struct { uint32_t label; Out_kind kind; Value *values; uint32_t nvalues; } Way_out;

/* How the loop goes on: the item's number steps through [gid, n) by the number of threads; or each
 * lane has items of its own, as many as a word of the input says; or as many as a value takes to be
 * shifted to zero. */
typedef enum { STRIDE, COUNT, SHIFT } Trip;

typedef struct {
	Trip trip;
	bool top;               /* tested at the top, not at the bottom behind a guard */
	bool turned;            /* and the top stands at the bottom: the loop is entered there */
	bool early;             /* the next counter and the test are computed before the path */
	/* the counter goes on before the path, whose end goes back to the top */
	bool first;
	bool once;              /* no guard: at least one iteration */
	bool negated;           /* what is tested is the contrary: @!p */
	bool falls;             /* the branch at the bottom leaves the loop */
	/* the loop goes on from a copy of the counter that each way makes (false live-out) */
	bool copied;
	bool inline_path;       /* else it stands behind the loop */
	bool has_else;
	uint32_t marker;        /* of the loop; the paths' are the next ones */
	uint32_t i, limit;      /* b32: counter, where it ends (SHIFT: the value) */
	uint32_t copy;          /* b64 */
	uint32_t next, more;    /* b32, p: with `early` */
	uint32_t wide, half;    /* b64, b16: they count, too; 0: there are none */
	uint32_t word;          /* b32: likewise */
	/* where one of these is in the end, and it is tested in place of the counter; 0: none */
	uint32_t wide_end, word_end;
	/* Beside the counter: by how much it goes on, compared with a literal in place of that; 0:
	 * there is none. As nvcc has it: compared before it goes on. */
	int by, bound; uint32_t index; bool wide_index, former;
	const char *up_to;      /* the comparison by which the loop goes on */
	bool back;              /* they go down */
	bool equal;             /* the test is for equality */
	uint32_t base;          /* b32: the item's number less the counter */
	/* labels: the loop, behind the path, the counting, the end marker, behind */
	uint32_t begin, rest, again, end, after;
	uint32_t body;          /* the iteration, where the loop is turned */
	Way_out out[MAX_WAYS_OUT]; uint32_t nout;
	Value saved[MAX_WAYS_OUT][MAX_VALUES];
	Buf tail;               /* text that stands behind the function's return */
} Loop;

/* count.c */
void count_start(Gen *g, Loop *l);
/* Is there another iteration, the counter being i? With `negated`: is there none? */
void count_test(Gen *g, const Loop *l, uint32_t p, uint32_t i);
/* The branch that leaves the loop when there is none. */
void count_end(Gen *g, const Loop *l, uint32_t p);
void count_step(Gen *g, const Loop *l, uint32_t to);
void count_more(Gen *g, const Loop *l);
/* At the end of the iteration, or of one way through it. */
void count_on(Gen *g, const Loop *l);

/* path.c */
/* Stores what flows out of the last path, if it is among the first n values. */
void path_flow(Gen *g, uint32_t n);
/* The branch to the path, and what lies beside it. */
void path_or_not(Gen *g, Loop *l);
/* Paths of which an iteration takes one, or where one falls through the next, too. */
void path_cases(Gen *g, Loop *l);
/* One more annotated path behind the first. */
void path_behind(Gen *g, Loop *l);
/* Perhaps a `continue`: to the counting, to a copy of it, or only over the path; the last is
 * told. */
bool path_go_on(Gen *g, const Loop *l);

#endif
