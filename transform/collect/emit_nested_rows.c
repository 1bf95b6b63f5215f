/* SPDX-License-Identifier: MIT */
/* Emits inner loops that are expanded inside a collected path. The expansion itself is in
 * rows.tpl (emit_expand.c, emit_rows_exchange.c); this file connects it with the execution of
 * the path around it. */
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/plan/plan.h"

static uint32_t
expansion_number(const Emit *e, const Task_region *k)
{
	return (uint32_t)(k - e->x->regions) + 1;
}

/* Returns the label at which all lanes, with or without a task, continue after the meeting
 * point. */
static const char *
label_after_fold(const Emit *e, const Task_region *path)
{
	return emit_region_label(e, expansion_number(e, path), e->here.batch ? "done" : "ran");
}

static const char *
tail_edge_label(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;
	const Task_region *rows = plan_expansion_in(e->x, e->here.region_number);

	(void)from;
	return bits_has(rows->lane_loop->blocks_after, to) ? emit_label(e, "r", to) :
						  emit_region_label(e, expansion_number(e, rows), "round");
}

/* Emits the part of the path that follows the inner loop. */
static void
piece_path_tail(void *user)
{
	Emit *e = user;
	uint32_t number = e->here.region_number;
	Bits back = e->here.region->lane_loop->blocks_after;
	const char *round = emit_region_label(e, number, "round");

	emit_select_region(e, e->here.region->outer);
	for (uint32_t b = bits_next(back, 0), after; b != UINT32_MAX; b = after) {
		after = bits_next(back, b + 1);
		copy_new_line(e->t);
		copy_block(&e->tail, b, emit_label(e, "r", b),
			after == UINT32_MAX ? round : emit_label(e, "r", after));
	}
	copy_new_line(e->t);
	emit_select_region(e, number);
}

/* Returns the label of the block after the inner loop in the enclosing path, if `blocks`
 * contains it, and `otherwise` if not. */
static const char *
path_block_label(Emit *e, Bits blocks, const char *word, const char *otherwise)
{
	const Task_region *rows = e->here.region;
	uint32_t number = e->here.region_number, b = rows->path->next;

	if (!bits_has(blocks, b))
		return otherwise;
	const char *label = emit_label(e, word, b);
	return emit_region_label(e, e->x->regions[number - 1].outer, label + 1);
}

/* Makes the expanded loop the current region, and sets its values and copies. */
static void
select_expansion(Emit *e, const Task_region *rows)
{
	const Task_region *path = &e->x->regions[rows->outer - 1];

	emit_select_region(e, expansion_number(e, rows));
	expand_define_names(e);
	expand_define_group(e, e->here.full);
	expand_init_copies(e);
	e->tail.edge_label = tail_edge_label;
	tpl_value(e->t, "past", "%s", path_block_label(e, rows->lane_loop->blocks_before, "b", "^idle"));
	tpl_value(e->t, "behind", "%s", path_block_label(e, rows->lane_loop->blocks_after, "r", "^round"));
	tpl_value(e->t, "ran", "%s", label_after_fold(e, path));
	tpl_flag(e->t, "folds_into_owner", path->task.nreductions > 0);
}

void
emit_expansion_arrival(Emit *e, const Task_region *rows)
{
	uint32_t number = e->here.region_number;

	select_expansion(e, rows);
	copy_new_line(e->t);
	tpl_write_section(e->t, "come");
	emit_select_region(e, number);
}

void
emit_expansion(Emit *e, const Task_region *rows)
{
	uint32_t number = e->here.region_number;

	select_expansion(e, rows);
	copy_new_line(e->t);
	tpl_write_section(e->t, "rows");
	emit_select_region(e, number);
}

bool
emit_full_copy_drains(const Plan *x)
{
	return x->nexpansions && x->nregions == 1;
}

void
emit_define_expansions(Emit *e)
{
	const Plan *x = e->x;
	bool wide = false;

	e->pass_copy.table = "ltable";
	e->second_path.table = "atable";
	e->tail.table = "rtable";
	tpl_flag(e->t, "expansions", x->nexpansions > 0);
	if (!x->nexpansions)
		return;
	emit_select_region(e, x->nregions + 1);
	expand_define_names(e);
	emit_select_region(e, 0);
	for (uint32_t i = x->nregions; i < x->nregions + x->nexpansions; i++)
		wide |= x->regions[i].lane_loop->trips->bytes == 8;
	tpl_flag(e->t, "wide", wide);
	tpl_flag(e->t, "partial_groups_last", emit_full_copy_drains(x));
	tpl_flag(e->t, "partial_groups_first", !emit_full_copy_drains(x));
	tpl_piece(e->t, "back", piece_path_tail, e);
}
