/* SPDX-License-Identifier: MIT */
/* Emits the iteration draw of a whole thread block (block_pool.c, wait.tpl). Each thread stores its
 * values at the loop's header; a lane that draws its iteration loads them, and adds the increments
 * of the earlier iterations. */
#include "transform/emit/emit.h"
#include "transform/wait/emit_wait.h"

/* Iterations that an owner counts at a time (docs/proofs/wait.md, W23). */
enum { MOST_TRIPS = 4096 };

static void
piece_put(void *user)
{
	task_load_own(user);
	task_push(user);
}

/* Whether tasks have the register, from their owner. */
static bool
register_is_fetched(const Task *t, uint32_t sym)
{
	for (uint32_t i = 0; i < t->nslots; i++)
		if (t->slots[i].sym == sym)
			return true;
	return false;
}

/* Returns the increment as the drawing lane reads it. */
static const char *
increment(Emit *e, const Opnd *o)
{
	const Module *m = e->m;
	const char *name = o->kind == OPND_SYM ?
		e->second_path.symbol_name(e->second_path.user, o->sym, 0) : NULL;

	return name ? name :
		o->kind == OPND_SYM ?
		copy_name(e->x->fn, o->sym, e->arena) :
		arena_strndup(e->arena, m->src->text + o->at.pos, o->at.end - o->at.pos);
}

/* Whether an increment is one of the values that lanes compute from others. */
static bool
increments_are_derived(const Emit *e)
{
	const Iteration_pool *p = e->x->wait->pool;
	const Task *t = &p->region->task;
	bool found = false;

	for (uint32_t i = 0; i < p->ncounts; i++) {
		const Opnd *o = &e->m->opnds[p->counts[i].by];
		found |= o->kind == OPND_SYM && task_input_kind(t, o->sym) == INPUT_DERIVED;
	}
	for (uint32_t i = 0; i < p->nrecomputed; i++)
		FN_USES_OF_STMT(e->x->fn, p->recomputed[i], u)
			found |= task_input_kind(t, fn_use(e->x->fn, u)->sym) == INPUT_DERIVED;
	return found;
}

static void
piece_forward(void *user)
{
	Emit *e = user;
	const Iteration_pool *p = e->x->wait->pool;

	for (uint32_t i = 0; increments_are_derived(e) && i < p->region->task.nderived; i++)
		copy_line(&e->second_path, p->region->task.derived[i]);
	for (uint32_t i = 0; i < p->nrecomputed; i++)
		copy_line(&e->second_path, p->recomputed[i]);
	for (uint32_t i = 0; i < p->ncounts; i++) {
		const Loop_counter *c = &p->counts[i];
		const Opnd *o = &e->m->opnds[c->by];
		if (!register_is_fetched(&p->region->task, c->sym))
			continue;
		const uint32_t size = ptx_type_size((Type)e->m->syms[c->sym].type);
		tpl_flag(e->t, "half", size == 2);
		tpl_flag(e->t, "word", size == 4);
		tpl_flag(e->t, "wide", size == 8);
		tpl_flag(e->t, "minus", c->subtracts);
		tpl_value(e->t, "reg", "%s", emit_region_register(e, p->region, c->sym, 0));
		tpl_value(e->t, "by", "%s", increment(e, o));
		tpl_write_section(e->t, "step");
	}
}

void
emit_define_block_pool(Emit *e, const Buffer *b)
{
	const Frame *f = &e->x->tasks.frame;
	const Iteration_pool *p = e->x->wait->pool;
	bool counts = !f->block || f->check_threads;

	tpl_piece(e->t, "addresses", task_addresses, e);
	tpl_piece(e->t, "put", piece_put, e);
	tpl_piece(e->t, "take", task_pop_selected, e);
	tpl_piece(e->t, "forward", piece_forward, e);
	tpl_value(e->t, "tasks", "%s", "%^base");
	tpl_value(e->t, "want", "%s", "%^rest");
	tpl_value(e->t, "buffer", "%s", b->name);
	tpl_value(e->t, "stride", "%u", b->stride);
	tpl_value(e->t, "threads", "%u", f->threads);
	if (counts)
		tpl_value(e->t, "block", "%s", "%^block");
	else
		tpl_value(e->t, "block", "%u", f->block);
	tpl_value(e->t, "trips_row", "%u", p->trips_row);
	tpl_value(e->t, "number_row", "%u", p->counter_row);
	tpl_value(e->t, "most_row", "%u", p->counter_row + 4);
	tpl_value(e->t, "most_trips", "%u", MOST_TRIPS);
	tpl_flag(e->t, "counts_block", counts);
	tpl_flag(e->t, "three_dims", f->dims > 2);
	tpl_flag(e->t, "two_dims", f->dims == 2);
	tpl_flag(e->t, "many_dims", f->dims > 1);
}
