/* SPDX-License-Identifier: MIT */
/* An annotated loop: how it counts (count.c), where its paths are (path.c), and the rest of it
 * (site.c). */
#ifndef GEN_LOOP_H
#define GEN_LOOP_H

#include "tests/gen/inner.h"

enum { MAX_WAYS_OUT = 3 };
typedef enum { OUT_END, OUT_BLOCK, OUT_RETURN } Out_kind;
typedef struct { uint32_t label; Out_kind kind; Value *values; uint32_t nvalues; } Way_out;

/* How the loop counts: the item's number steps through [gid, n) by the number of threads; or each
 * lane has its own items, whose number is a word of the input, or the number of shifts that make a
 * value zero. */
typedef enum { STRIDE, COUNT, SHIFT } Trip;

typedef struct {
	Trip trip;
	bool top;               /* tested at the top, not at the bottom after a guard */
	bool turned;            /* and the top is placed at the bottom: the loop is entered there */
	bool early;             /* the next counter and the test are computed before the path */
	/* the counter is updated before the path, which ends with the back edge */
	bool first;
	bool once;              /* no guard: at least one iteration */
	bool negated;           /* the test is inverted: @!p */
	bool falls;             /* the branch at the bottom leaves the loop */
	/* the loop continues from a copy of the counter that each path of control makes (false
	 * live-out) */
	bool copied;
	bool inline_path;       /* otherwise it is after the loop */
	bool has_else;
	uint32_t marker;        /* of the loop; the paths' are the next ones */
	uint32_t i, limit;      /* b32: counter, where it ends (SHIFT: the value) */
	uint32_t copy;          /* b64 */
	uint32_t next, more;    /* b32, p: with `early` */
	uint32_t wide, half;    /* b64, b16: further induction variables; 0: none */
	uint32_t word;          /* b32: another induction variable; 0: none */
	/* final value of one of these, which is tested instead of the counter; 0: none */
	uint32_t wide_end, word_end;
	/* A further index with its step, compared with a literal instead of the counter; 0: none.
	 * As in code of nvcc, it is compared before it is updated. */
	int by, bound; uint32_t index; bool wide_index, former;
	const char *up_to;      /* the comparison under which the loop continues */
	bool back;              /* they count down */
	bool equal;             /* the test is for equality */
	uint32_t base;          /* b32: the item's number less the counter */
	/* labels: the loop, after the path, the counting, the end marker, after the loop */
	uint32_t begin, rest, again, end, after;
	uint32_t body;          /* the iteration, if the loop is rotated */
	Way_out out[MAX_WAYS_OUT]; uint32_t nout;
	Value saved[MAX_WAYS_OUT][MAX_VALUES];
	Buf tail;               /* text that is placed after the function's return */
} Loop;

/* count.c */
void count_start(Gen *g, Loop *l);
/* Computes whether there is another iteration if the counter is i; with `negated`, whether there is
 * none. */
void count_test(Gen *g, const Loop *l, uint32_t p, uint32_t i);
/* The branch that leaves the loop when there is none. */
void count_end(Gen *g, const Loop *l, uint32_t p);
void count_step(Gen *g, const Loop *l, uint32_t to);
void count_more(Gen *g, const Loop *l);
/* At the end of the iteration, or of one path of control through it. */
void count_on(Gen *g, const Loop *l);

/* path.c */
/* Stores the live-out of the last path, if it is among the first n values. */
void path_flow(Gen *g, uint32_t n);
/* The branch to the path, and the code around it. */
void path_or_not(Gen *g, Loop *l);
/* Paths of which an iteration takes one, possibly with fall-through. */
void path_cases(Gen *g, Loop *l);
/* One more annotated path after the first. */
void path_behind(Gen *g, Loop *l);
/* Possibly a `continue`: to the counting, to a copy of it, or only past the path; returns true for
 * the last one. */
bool path_go_on(Gen *g, const Loop *l);

#endif
