/* SPDX-License-Identifier: MIT */
/* Emits inner loops that are expanded inside a collected path. The expansion itself is in
 * rows.tpl (emit_expand.c, emit_rows_exchange.c); this file connects it with the execution of
 * the path around it. */
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/plan/plan.h"

static uint32_t
number_of(const Emit *e, const Part *k)
{
	return (uint32_t)(k - e->x->parts) + 1;
}

/* Returns the label at which all lanes, with or without a task, continue after the meeting
 * point. */
static const char *
behind_fold(const Emit *e, const Part *path)
{
	return emit_of_part(e, number_of(e, path), e->turns ? "done" : "ran");
}

static const char *
back_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;
	const Part *rows = plan_rows_in(e->x, e->part);

	(void)from;
	return bits_has(rows->rounds->back, to) ? emit_label(e, "r", to) :
						  emit_of_part(e, number_of(e, rows), "round");
}

/* Emits the part of the path that follows the inner loop. */
static void
piece_back(void *user)
{
	Emit *e = user;
	uint32_t part = e->part;
	Bits back = e->k->rounds->back;
	const char *round = emit_of_part(e, part, "round");

	emit_take(e, e->k->outer);
	for (uint32_t b = bits_next(back, 0), after; b != UINT32_MAX; b = after) {
		after = bits_next(back, b + 1);
		copy_new_line(e->t);
		copy_block(&e->rest, b, emit_label(e, "r", b),
			after == UINT32_MAX ? round : emit_label(e, "r", after));
	}
	copy_new_line(e->t);
	emit_take(e, part);
}

/* Returns the label of the block after the inner loop in the enclosing path, if `blocks`
 * contains it, and `otherwise` if not. */
static const char *
in_path(Emit *e, Bits blocks, const char *word, const char *otherwise)
{
	const Part *rows = e->k;
	uint32_t part = e->part, b = rows->path->next;

	if (!bits_has(blocks, b))
		return otherwise;
	const char *label = emit_label(e, word, b);
	return emit_of_part(e, e->x->parts[part - 1].outer, label + 1);
}

/* Makes the expanded loop the current part, and sets its values and copies. */
static void
take(Emit *e, const Part *rows)
{
	const Part *path = &e->x->parts[rows->outer - 1];

	emit_take(e, number_of(e, rows));
	expand_tell(e);
	expand_tell_group(e, e->full);
	expand_copies(e);
	e->rest.way = back_way;
	tpl_value(e->t, "past", "%s", in_path(e, rows->rounds->front, "b", "^idle"));
	tpl_value(e->t, "behind", "%s", in_path(e, rows->rounds->back, "r", "^round"));
	tpl_value(e->t, "ran", "%s", behind_fold(e, path));
	tpl_flag(e->t, "folds", path->task.nsums > 0);
}

void
emit_rows_come(Emit *e, const Part *rows)
{
	uint32_t part = e->part;

	take(e, rows);
	copy_new_line(e->t);
	tpl_put(e->t, "come");
	emit_take(e, part);
}

void
emit_rows(Emit *e, const Part *rows)
{
	uint32_t part = e->part;

	take(e, rows);
	copy_new_line(e->t);
	tpl_put(e->t, "rows");
	emit_take(e, part);
}

bool
emit_drains_itself(const Plan *x)
{
	return x->nrows && x->nparts == 1;
}

void
emit_rows_tell(Emit *e)
{
	const Plan *x = e->x;
	bool wide = false;

	e->lap.table = "ltable";
	e->again_path.table = "atable";
	e->rest.table = "rtable";
	tpl_flag(e->t, "rows", x->nrows > 0);
	if (!x->nrows)
		return;
	emit_take(e, x->nparts + 1);
	expand_tell(e);
	emit_take(e, 0);
	for (uint32_t i = x->nparts; i < x->nparts + x->nrows; i++)
		wide |= x->parts[i].rounds->trips->bytes == 8;
	tpl_flag(e->t, "wide", wide);
	tpl_flag(e->t, "others_late", emit_drains_itself(x));
	tpl_flag(e->t, "others_early", !emit_drains_itself(x));
	tpl_piece(e->t, "back", piece_back, e);
}
