/* SPDX-License-Identifier: MIT */
/* Small random programs as data and as PTX text, and textbook facts about their flow: what the
 * analyses of the parsed text are compared with. Nothing here uses analysis/. */
#ifndef TESTS_ANALYSIS_MODEL_H
#define TESTS_ANALYSIS_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

enum {
	MAX_BLOCKS = 20,
	MAX_INSNS = 16,
	MAX_TARGETS = 4,
	NREGS = 6,
	NPREDS = 3,
	NALL = NREGS + NPREDS
};

typedef enum {
	I_LANE,
	I_CONST,
	I_PARAM,
	I_ADD,
	I_SETP,
	I_SETP2,
	I_SELP,
	I_BRA,
	I_BRX,
	I_RET,
	I_EXIT,
	I_TRAP
} Insn_kind;

/* Registers: 0 .. NREGS - 1 are %r0 ..., from NREGS on %p0 ... */
typedef struct {
	Insn_kind kind;
	uint32_t dst, dst2;     /* dst2: of SETP2 */
	uint32_t a, b, p;       /* operands; p: predicate of SELP */
	uint32_t k;             /* constant */
	uint32_t guard;         /* 0: none; 1: @; 2: @! */
	uint32_t gp;            /* its predicate */
	uint32_t to[MAX_TARGETS], nto;  /* targets: blocks */
} Insn;

typedef struct { Insn insn[MAX_INSNS]; uint32_t n; } Part;

/* Blocks are numbered as the analyses do: 0 is the virtual exit, 1 the entry. Sets of blocks are
 * masks. */
typedef struct {
	Part block[MAX_BLOCKS + 1];
	uint32_t n;                         /* blocks 0 .. n */
	uint32_t succ[MAX_BLOCKS + 1];
} Program;

typedef struct { uint64_t state; } Random;
uint32_t random_below(Random *r, uint32_t n);

void program_random(Program *p, Random *r);
void program_text(const Program *p, Buf *out);

/* Masks of the registers that an instruction reads and writes, the guard's predicate included. */
uint32_t insn_reads(const Insn *i);
uint32_t insn_writes(const Insn *i);

/* Blocks that can be reached from `from` (itself included) over edges succ, without passing through
 * a block of avoid. */
uint32_t flow_from(const uint32_t *succ, uint32_t n, uint32_t from, uint32_t avoid);
/* Immediate post-dominators, endless loops joined to the exit; of blocks reachable from the
 * entry. */
void naive_ipdom(const Program *p, uint32_t *ipdom);

#endif
