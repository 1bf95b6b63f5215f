/* SPDX-License-Identifier: MIT */
/* The room of execution: the decoder of each group of instructions, for decode.c, and calls and
 * frames, for scheduling. Internal to simt/. */
#ifndef SIMT_ISA_HANDLERS_H
#define SIMT_ISA_HANDLERS_H

#include "simt/operands/operand_decode.h"
#include "simt/memory/memory.h"

/* ---- decoders: false when they do not know the instruction ----------------------------------- */

bool int_decode(Head *h, Inst *i);
bool bit_decode(Head *h, Inst *i);
bool float_decode(Head *h, Inst *i);
bool half_decode(Head *h, Inst *i);
bool compare_decode(Head *h, Inst *i);
bool cvt_decode(Head *h, Inst *i);
bool move_decode(Head *h, Inst *i);
bool memory_decode(Head *h, Inst *i);
bool atomic_decode(Head *h, Inst *i);
bool lanes_decode(Head *h, Inst *i);
bool call_decode(Head *h, Inst *i);
bool pairs_decode(Head *h, Inst *i);
bool async_decode(Head *h, Inst *i);
bool mbarrier_decode(Head *h, Inst *i);
bool wide_decode(Head *h, Inst *i);
bool stack_decode(Head *h, Inst *i);
bool texture_decode(Head *h, Inst *i);
bool system_decode(Head *h, Inst *i, const Func *f);     /* a call of f, which has no body */

/* comparisons.c: reads the operands of set and setp, their relation (to imm) and boolean operator
 * (to
 * round); false: the relation is not known. */
bool compare_operands(Head *h, Inst *i, Ty t);
bool compare_holds(const Inst *i, double x, double y);

/* ---- frames.c, calls.c, mbarrier.c ----------------------------------------------------------- */

Frame *frame_new(Warp *w, uint32_t code, Frame *parent);
void frame_release(Warp *w, Frame *f);

/* Those of the lanes that call the same function at i as the lowest of them; *code becomes its
 * Code, 0 if there is no function at the address. */
uint32_t call_split(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *code);
bool call_enter(Warp *w, Group *g, const Inst *i, uint32_t code); /* false after a fault */
void call_results(Warp *w, const Inst *i, uint32_t lanes);

void mbarrier_clear(Cta *b);                            /* forgets the objects of a block */

#endif
