/* SPDX-License-Identifier: MIT */
/* Checks that a kernel whose blocks execute the work of several blocks of the launch computes what
 * the input does (docs/proofs/grid.md). Internal to validate/grid/.
 *
 * The claim. The output's text is the input's in a loop, with other registers, the position, for
 * %ctaid. A launch has N = nx * ny * nz blocks; P(x, y, z) = x + nx * (y + ny * z) numbers them.
 * To show, for some G > 0 that is equal in all blocks:
 *
 *   head:   block b executes the body iff b < G, first at the position (x, y, z) of b
 *   latch:  from P(x, y, z) = b, with x < nx, y < ny and z < nz, to the same of b + G if b + G < N,
 *           and else to the end of the thread
 *
 * So the block b < G executes the body for b, b + G, b + 2G ..., which are all blocks, each once.
 *
 * The lattice (positions.c). A register holds the exact value of a polynomial with integer
 * coefficients in unknowns, and an interval that contains it. An unknown is a value of the
 * launch, of the block, or an operation's result, if only its interval is used;
 * it is *uniform* if it depends on uniform ones alone. A state is a value for each inserted
 * register, facts (polynomials that are at least 0 for each lane with the state), and equations
 * b * q = a - r. Two states are never joined: a comparison of unknown result is executed both
 * ways, each with a fact.
 *
 * The transfer function. [a, a'] is the interval of the polynomial p, [b, b'] that of q; W = 2^32
 * or 2^64; ? is a new unknown.
 *
 *   p + q       p + q in [a + b, a' + b'], if a' + b' < W, else ? in [0, W)
 *   p * q       p * q in [a * b, a' * b'], if a' * b' < W, else ? in [0, W)
 *   p - q       p - q in [max(a - b', 0), a' - b], if a >= b' or facts imply p - q >= 0,
 *               else ? in [0, W)
 *   p / q, p % q    ? = k in [a / b', a' / b] and ? = r in [0, b' - 1] if b > 0; if q is
 *               an unknown, with the equation q * k = p - r and the fact q - 1 - r >= 0
 *               if b = 0, both are any number
 *   min, max, p >> k    ? in the interval of the results
 *   p >= q      two states, one with the fact p - q >= 0, one with q - p - 1 >= 0
 *
 * "Imply" is: after replacing multiples of equations' left sides, the polynomial is the sum of at
 * most two facts and a constant that is at least 0. All of this holds for every launch, so a text
 * that is accepted is right for every launch. */
#ifndef VALIDATE_GRID_GRID_H
#define VALIDATE_GRID_GRID_H

#include "analysis/interproc/effects.h"
#include "base/vec.h"
#include "parser/ptx.h"
#include "validate/grid/polynomials.h"

/* The first fault or, if `unknown`, a form that the check does not know; the line of the output. */
typedef struct {
	const char *why;
	bool unknown;
	uint32_t line;
} Grid_fault;

/* A function of the output beside its input: inserted statements [head, body) and [latch, end). */
typedef struct {
	const Module *in, *out;
	const Func *f, *g;
	uint32_t head, body, latch, end;
	uint32_t place[3];      /* the registers for %ctaid.x, .y and .z; 0: not named */
	/* copies: the digits that the additional parameters have, in their order: 'x' ... */
	uint8_t digit[3];
	uint32_t ndigits;
	bool copy;
	uint32_t loads;         /* copies: the first statement after those of these parameters */
	uint32_t before;        /* the input's first statement in the loop */
	uint32_t next;          /* label that the ends of the thread lead to; 0: none */
} Grid_text;

/* Records the fault of a statement of the output, if it is the first one. Returns false. */
bool grid_fault(Grid_fault *f, const Grid_text *t, uint32_t stmt, bool unknown, const char *why);

/* ---- body.c ---------------------------------------------------------------------------------- */

/* What the bodies of kernels and copied functions are compared with. */
typedef struct {
	const Module *in, *out;
	const Effects *effects;
	VEC(Grid_text) texts;   /* the kernel, and functions that are copied for it */
	Bits readers;           /* functions that read %ctaid themselves */
	Arena *arena;
	Grid_fault fault;
} Grid_check;

/* Compares the i-th text's statements with the input's. Adds functions whose copies it calls. */
bool grid_check_body(Grid_check *w, uint32_t i);

/* ---- positions.c ----------------------------------------------------------------------------- */

/* Checks head and latch of a kernel. Returns no reason if they are right. */
Grid_fault positions_check(const Grid_text *t);

/* ---- launch_control.c ------------------------------------------------------------------------ */

/* Whether the kernel's loop has blocks take the launch's next ones by cluster launch control. */
bool launch_control_is_used(const Grid_text *t);
/* Checks its head and latch. effects: of the input. */
Grid_fault launch_control_check_loop(const Grid_text *t, uint32_t kernel, const Effects *effects);
/* See validate_launch_control(). */
Grid_fault launch_control_check(const Module *in, const Module *out);

/* ---- grid.c ---------------------------------------------------------------------------------- */

/* See validate_grid(). Returns no reason if the output is right. */
Grid_fault grid_check(
	const Module *in, const Module *out, uint32_t kernel, const Effects *effects);

#endif
