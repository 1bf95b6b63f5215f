/* SPDX-License-Identifier: MIT */
/* The text of an expanded inner loop (emit_expand.c), and its pieces about rows
 * (emit_rows_exchange.c). */
#ifndef TRANSFORM_EXPAND_EMIT_EXPAND_H
#define TRANSFORM_EXPAND_EMIT_EXPAND_H

#include "transform/emit/emit.h"

static inline const Rounds *expand_rounds(const Emit *e) { return e->k->rounds; }
/* What a register is called at the row's owner. */
static inline const char *
expand_name(const Emit *e, uint32_t sym)
{
	return emit_owner(e, sym, 0);
}

/* Tells rows.tpl the values and pieces of the rows at hand. */
void expand_tell(Emit *e);
/* Tells it the group whose text is at hand: the whole warp, or any other. */
void expand_tell_group(Emit *e, bool whole);
/* Tells it how often a row goes round. */
void expand_tell_count(Emit *e);
/* The copies that rows have: of an iteration, twice, and of the inner loop as it is. */
void expand_copies(Emit *e);

/* Pieces of rows.tpl, whose user is an Emit. */
Tpl_piece expand_fetch;     /* the values of the row of lane <whose> */
Tpl_piece expand_fetch_count; /* how many iterations it has */
Tpl_piece expand_at_lane;   /* inductions go on by as many steps as the lane's number */
Tpl_piece expand_at_next;   /* from lap to lap */
Tpl_piece expand_index_next; /* the same, but what is computed from the index */
Tpl_piece expand_at_iteration; /* to the one that the lane takes */
Tpl_piece expand_along;     /* those that are computed from the index, in front of an iteration */
Tpl_piece expand_from_below; /* another lane's, in a scan */
Tpl_piece expand_from_last; /* that of the last lane of the row */
Tpl_piece expand_fold;      /* what lanes have folded goes to the owners: sections scan and take */
Tpl_piece expand_identities; /* what is folded into begins */
Tpl_piece expand_ends;      /* what the owner computes behind a row */
Tpl_piece expand_ends_at_once; /* behind one that is over at once */
Tpl_piece expand_sums;      /* sections sum */
Tpl_piece expand_search;    /* sections probe */
Tpl_piece expand_nths;      /* sections nth */
Tpl_piece expand_below;     /* sections twice */

#endif
