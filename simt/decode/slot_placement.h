/* SPDX-License-Identifier: MIT */
/* Counts issue slots away from the statements that they belong to. Internal to simt/. */
#ifndef SIMT_DECODE_SLOT_PLACEMENT_H
#define SIMT_DECODE_SLOT_PLACEMENT_H

#include "simt/operands/operand_decode.h"

/* A list has three words per statement: its number, its slots, and how many of these count as
 * active. slots_build_list appends that of a place to Prog.list; slots_count counts one of n words.
 */
void slots_build_list(Opcode *h, const Slot_place *p);
void slots_count(Sim *s, const uint32_t *list, uint32_t n, uint32_t lanes);
/* Adds an instruction that counts the slots of a place, with the statement and guard of `as`; false
 * if there are none. */
bool slots_decode_place(Opcode *h, Slot_place at, const Inst *as);
/* The same for places under the guard of a statement, with the lanes for which it is true and with
 * the others. */
void slots_guard_list(Opcode *h, uint32_t stmt);
/* The same ahead of a statement, for the lanes whose operands take its slow path, and for the
 * others. */
void slots_decode_slow_path(Opcode *h, uint32_t stmt);
/* Copies the operands of the statement at `to` to the instructions from `from` up to it. */
void slots_decode_operands(Opcode *h, uint32_t from, uint32_t to);
/* The same for the edge from a branch to its target, out of line: returns where the branch must
 * go. */
uint32_t slots_decode_detour(Opcode *h, Slot_place at, const Inst *from);

#endif
