/* SPDX-License-Identifier: MIT */
/* Emission of expanded inner loops (emit_expand.c), and of the exchange between lanes
 * (emit_rows_exchange.c). */
#ifndef TRANSFORM_EXPAND_EMIT_EXPAND_H
#define TRANSFORM_EXPAND_EMIT_EXPAND_H

#include "transform/emit/emit.h"

static inline const Lane_loop *expand_lane_loop(const Emit *e) { return e->here.region->lane_loop; }
/* Returns the name of a register in the row's owner. */
static inline const char *
expand_owner_register(const Emit *e, uint32_t sym)
{
	return emit_owner_register(e, sym, 0);
}

/* Sets the values and pieces of rows.tpl for the current inner loop. */
void expand_define_names(Emit *e);
/* Sets the values of the current group: the whole warp, or any other. */
void expand_define_group(Emit *e, bool whole);
/* Sets the values for the computation of a row's trip count. */
void expand_define_count(Emit *e);
/* Makes the copies: two of an iteration, and one of the inner loop unchanged. */
void expand_init_copies(Emit *e);

/* ---- pieces of rows.tpl ---------------------------------------------------------------------- */
Tpl_piece expand_fetch;     /* fetches the values of the row of lane <whose> */
Tpl_piece expand_fetch_count; /* fetches its trip count */
Tpl_piece expand_load_bound;  /* statements that load its bound, for the owner of a row */
Tpl_piece expand_at_lane;   /* advances induction variables by the lane's number */
Tpl_piece expand_at_next;   /* advances them to the lane's next iteration */
Tpl_piece expand_index_next; /* the same, except values computed from the index */
Tpl_piece expand_at_iteration; /* advances them to the iteration that the lane takes */
/* recomputes the values computed from the index, before an iteration */
Tpl_piece expand_stepped_values;
Tpl_piece expand_from_below; /* fetches another lane's value in a scan */
Tpl_piece expand_from_last; /* fetches the value of the row's last lane */
Tpl_piece expand_fold;      /* combines reductions for the owners: sections scan and take */
Tpl_piece expand_identities; /* sets reductions to the identity */
Tpl_piece expand_live_outs; /* computes the owner's live-outs of a row */
Tpl_piece expand_empty_live_outs; /* the same for a row without iterations */
Tpl_piece expand_sums;      /* sections sum */
Tpl_piece expand_search;    /* sections probe */
Tpl_piece expand_nths;      /* sections nth */
Tpl_piece expand_below;     /* sections twice */

#endif
