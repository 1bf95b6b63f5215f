/* SPDX-License-Identifier: MIT */
/* Counting issue slots of statements that stand elsewhere. Internal to simt/. */
#ifndef SIMT_DECODE_SLOT_PLACEMENT_H
#define SIMT_DECODE_SLOT_PLACEMENT_H

#include "simt/operands/operand_decode.h"

/* A list has three words a statement: its number, slots, those of them that are on. This adds that
 * of a place to Prog.list, and counts one of n words. */
void slots_list(Head *h, const Machine_place *p);
void slots_count(Sim *s, const uint32_t *list, uint32_t n, uint32_t lanes);
/* Adds an instruction that counts what the machine code has at a place, under the guard of `as`,
 * whose statement it gets; false: there is nothing. */
bool slots_place(Head *h, Machine_place at, const Inst *as);
/* Likewise for the lanes that the guard of a statement leaves on. */
void slots_guarded(Head *h, uint32_t stmt);
/* Likewise for those whose operands take its slow path, and for the others: in front of it. */
void slots_slow(Head *h, uint32_t stmt);
/* Instructions from `from` on up to that of the statement, at `to`, learn its operands. */
void slots_operands(Head *h, uint32_t from, uint32_t to);
/* Likewise for the way of a branch to its target, behind all else: gives where the branch goes. */
uint32_t slots_detour(Head *h, Machine_place at, const Inst *from);

#endif
