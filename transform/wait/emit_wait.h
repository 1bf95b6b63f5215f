/* SPDX-License-Identifier: MIT */
/* Emission of loops with a waiting policy. */
#ifndef TRANSFORM_WAIT_EMIT_WAIT_H
#define TRANSFORM_WAIT_EMIT_WAIT_H

#include "transform/emit/emit.h"

/* Policy `ahead` (emit_lookahead.c): makes its copies, and sets the template's values and
 * pieces. */
void emit_lookahead(Emit *e);
/* `assign` (emit_assignment.c): emit_iteration_pool() makes the copies, emit_define_pool_pieces()
 * sets the template's values and pieces. */
void emit_iteration_pool(Emit *e);
void emit_define_pool_pieces(Emit *e, const Buffer *b);
/* The same for iterations of the whole block (emit_block_pool.c). */
void emit_define_block_pool(Emit *e, const Buffer *b);

#endif
