/* CCC: a task's context between registers and the buffer: pieces of ccc.tpl, whose user is an Emit.
 *
 * A row of the buffer holds one value of every slot; its place is in Ccc_slot. Predicates are packed
 * into one word on the way. %^slot is the number of a slot, %^base the warp's part of the buffer.
 */
#ifndef TRANSFORM_TASK_H
#define TRANSFORM_TASK_H

#include "transform/copy.h"

/* Addresses of slot %^slot in rows of each width in use, into %^at1 .. %^at16. */
void task_addresses(Tpl *t, void *emit);
/* Loads the context of slot %^slot - 1 into the path's registers, on lanes without a task of their own. */
void task_pop(Tpl *t, void *emit);
/* Loads that of slot %^slot, on all lanes that come here. */
void task_pop_left(Tpl *t, void *emit);
/* Stores the lane's own context to slot %^slot, on lanes where %^want holds. */
void task_push(Tpl *t, void *emit);
/* The lane's own context into the path's registers. */
void task_take_own(Tpl *t, void *emit);

#endif
