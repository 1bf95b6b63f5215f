/* SPDX-License-Identifier: MIT */
/* Instruction execution: the decoders of all groups of instructions, for decode.c, and calls and
 * frames, for the scheduler. Internal to simt/. */
#ifndef SIMT_ISA_HANDLERS_H
#define SIMT_ISA_HANDLERS_H

#include "simt/operands/operand_decode.h"
#include "simt/memory/memory.h"

/* ---- decoders: return false if they do not support the instruction --------------------------- */

bool int_decode(Opcode *h, Inst *i);
bool bit_decode(Opcode *h, Inst *i);
bool float_decode(Opcode *h, Inst *i);
bool half_decode(Opcode *h, Inst *i);
bool compare_decode(Opcode *h, Inst *i);
bool cvt_decode(Opcode *h, Inst *i);
bool move_decode(Opcode *h, Inst *i);
bool memory_decode(Opcode *h, Inst *i);
bool lanes_decode(Opcode *h, Inst *i);
bool call_decode(Opcode *h, Inst *i);
bool pairs_decode(Opcode *h, Inst *i);
bool async_decode(Opcode *h, Inst *i);
bool mbarrier_decode(Opcode *h, Inst *i);
bool launch_control_decode(Opcode *h, Inst *i);
bool wide_decode(Opcode *h, Inst *i);
bool stack_decode(Opcode *h, Inst *i);
bool texture_decode(Opcode *h, Inst *i);
bool system_decode(Opcode *h, Inst *i, const Func *f);   /* a call of f, which has no body */

/* Reads the operands of set and setp, their relation (into imm) and boolean operator (into round);
 * false if the relation is unknown (comparisons.c). */
bool compare_operands(Opcode *h, Inst *i, Ty t);
bool compare_holds(const Inst *i, double x, double y);

/* ---- frames.c, calls.c, mbarrier.c ----------------------------------------------------------- */

Frame *frame_new(Warp *w, uint32_t code, Frame *parent);
void frame_release(Warp *w, Frame *f);

/* Returns those of the lanes that call the same function at i as the lowest one. Sets *code to its
 * Code, or to 0 if no function is at the address. */
uint32_t call_split(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *code);
bool call_enter(Warp *w, Group *g, const Inst *i, uint32_t code); /* false after a fault */
void call_results(Warp *w, const Inst *i, uint32_t lanes);

void mbarrier_clear(Thread_block *b); /* releases the records of the block's mbarriers */
/* Performs complete-tx on the mbarrier at a lane's address, for an asynchronous operation of the
 * lane. Sets its offset in shared memory and the parity of its phase. False after a fault. */
bool mbarrier_complete_bytes(
	Warp *w, const Access *x, uint32_t lane, uint32_t bytes, uint64_t *offset, bool *odd);

/* ---- launch_control.c ------------------------------------------------------------------------ */

/* Releases the block's responses. */
void launch_control_clear(Thread_block *b);
/* Makes the responses readable whose requests completed bytes in a phase that a lane has waited
 * for. */
void launch_control_waited(Thread_block *b, uint64_t barrier, bool odd);

#endif
