/* SPDX-License-Identifier: MIT */
/* Owner slices: live-outs of a path that its owner computes itself.
 *
 * The owner executes statements of the path that give the same result in every lane, from registers
 * that it had when it reached the path or has computed this way. Before it continues its iteration,
 * every live-out that is read there must be computed, by a definition that determines the value on
 * every way through the path.
 */
#include <string.h>
#include "validate/task/task.h"

/* Whether control can get from one statement of the path to another without leaving it. */
static bool
stmt_reaches_in_path(const Loop_check *s, uint32_t from, uint32_t to, Bits path)
{
	const Fn *fn = s->in.fn;
	uint32_t b = fn_block(fn, from);

	if (b == fn_block(fn, to) && from < to)
		return true;
	Arena_mark mark = arena_mark(s->arena);
	Bits seen = bits_new(s->arena, fn->cfg->nblocks);
	FN_SUCC(fn, b, k)
		cfg_flood(fn->cfg, k, false, path, seen);
	bool ok = bits_has(seen, fn_block(fn, to));
	arena_release(s->arena, mark);
	return ok;
}

/* Whether the definition alone reaches the statement from the beginning of the task. With tail
 * capture, other lanes' control flow reaches the code after the path as well; it does not count. */
static bool
def_reaches_stmt(const Loop_check *s, const Input_path *p, uint32_t def, uint32_t stmt)
{
	const Fn *fn = s->in.fn;
	uint32_t by = fn_block(fn, fn_def(fn, def)->stmt), to = fn_block(fn, stmt);
	Arena_mark mark = arena_mark(s->arena);
	Bits within = bits_new(s->arena, fn->cfg->nblocks),
	     seen = bits_new(s->arena, fn->cfg->nblocks);

	bits_copy(within, p->blocks);
	bits_unset(within, by);
	cfg_flood(fn->cfg, p->region->entry, false, within, seen);
	bool ok = by != to && fn_def(fn, def)->kills && !bits_has(seen, to);
	arena_release(s->arena, mark);
	return ok;
}

/* Iterates over the lane's latest definitions of the register, for paths nested in `stands`: one
 * for each statement that equals the executed one. The definition of the function's entry stands
 * for an unknown value that overwrote the register. */
#define EACH_SLICED(fn, slice, x, stands, d) \
	for (uint32_t d##_at = 0, d; d##_at < (slice)->n; d##_at++) \
		if (d = (slice)->defs[d##_at], (slice)->around[d##_at] == (stands) && \
			fn_def(fn, d)->sym == (x))

static bool
register_is_sliced(const Fn *fn, const Owner_slice *slice, uint32_t sym, uint32_t around)
{
	EACH_SLICED(fn, slice, sym, around, d)
		return true;
	return false;
}

/* Whether that definition is one of them. */
static bool
def_was_run(const Fn *fn, const Owner_slice *slice, uint32_t def, uint32_t around)
{
	EACH_SLICED(fn, slice, fn_def(fn, def)->sym, around, d)
		if (d == def)
			return true;
	return false;
}

/* Whether one of them reaches the statement in the path's task. */
static bool
any_def_reaches(const Loop_check *s, const Owner_slice *slice, const Input_path *p, uint32_t sym,
	uint32_t stmt)
{
	EACH_SLICED(s->in.fn, slice, sym, p->enclosing, d)
		if (fn_def(s->in.fn, d)->stmt && def_reaches_stmt(s, p, d, stmt))
			return true;
	return false;
}

/* Whether the owner can supply every register that the path's statement reads: unchanged since it
 * reached the path, live out of an earlier path and recomputed, or computed here. */
static bool
slice_reads(const Loop_check *s, const Lane_state *l, uint32_t stmt, const Input_path *p)
{
	const Fn *fn = s->in.fn;
	Bits blocks = p->blocks;
	uint32_t path = (uint32_t)(p - s->paths.at);

	FN_USES_OF_STMT(fn, stmt, u) {
		uint32_t sym = fn_use(fn, u)->sym;
		FN_REACH(fn, u, d) {
			uint32_t at = fn_def(fn, d)->stmt;
			bool inside = at && bits_has(blocks, fn_block(fn, at)) &&
				stmt_reaches_in_path(s, at, stmt, blocks);
			if (!inside && any_def_reaches(s, &l->slice, p, sym, stmt))
				continue;
			if (inside ? !def_was_run(fn, &l->slice, d, p->enclosing) :
				     !owner_register_is_intact(s, l, path, sym))
				return false;
		}
	}
	return true;
}

/* Name of the register of the input that is a statement's first operand; 0 if it is none. */
static uint32_t
defined_name(const Input_text *input, uint32_t in)
{
	const Stmt *t = fn_stmt(input->fn, in);
	const Opnd *o = &input->m->opnds[t->opnd];

	return t->nopnd && o->kind == OPND_SYM ? input->m->syms[o->sym].name : 0;
}

/* The same for the register that the first operand of an output statement stands for. */
static uint32_t
represented_name(const Loop_check *s, uint32_t stmt)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Opnd *o = &s->out.m->opnds[t->opnd];
	const Output_reg *r = output_reg(&s->out, t->nopnd && o->kind == OPND_SYM ? o->sym : 0);

	return r->input_sym ? s->in.m->syms[r->input_sym].name : 0;
}

/* Finds the statements of paths that an owner may execute itself, by opcode: those that give the
 * same result in every lane. */
static void
find_owned(Loop_check *s)
{
	uint32_t *last = arena_array(s->arena, OP_COUNT, sizeof *last);

	s->owner.by_op = arena_array(s->arena, OP_COUNT, sizeof *s->owner.by_op);
	for (uint32_t i = 0; i < s->paths.n; i++)
		BITS_EACH(b, s->paths.at[i].blocks)
			FN_BLOCK_STMTS(s->in.fn, b, in) {
				const Stmt *t = fn_stmt(s->in.fn, in);
				if (t->kind != STMT_INSN || t->guard ||
					!stmt_is_repeatable(s->in.fn, in))
					continue;
				uint32_t op = ptx_op(s->in.m, t);
				*vec_push(&s->owner.copies) =
					(Owner_copy){ i, in, 0, defined_name(&s->in, in) };
				*(last[op] ? &s->owner.copies.at[last[op] - 1].next :
					     &s->owner.by_op[op]) = s->owner.copies.n;
				last[op] = s->owner.copies.n;
			}
}

/* Finds those that the output's statement is a copy of. Depends only on the texts. */
static void
find_slices(Loop_check *s, uint32_t stmt)
{
	Output_stmt *k = first_identical_stmt(&s->out, stmt);
	uint32_t name = represented_name(s, stmt);

	if (!s->owner.by_op)
		find_owned(s);
	k->known.sliced = true;
	k->known.slices = s->owner.copies.n;
	for (uint32_t i = s->owner.by_op[k->op]; i; i = s->owner.copies.at[i - 1].next) {
		const Owner_copy x = s->owner.copies.at[i - 1];
		if (name && x.name && name != x.name)
			continue;
		uint32_t region = s->paths.at[x.path].enclosing;
		if (match_stmt(s, stmt, x.in, region, false))
			*vec_push(&s->owner.copies) = (Owner_copy){ x.path, x.in, 0, x.name };
	}
	k->known.nslices = s->owner.copies.n - k->known.slices;
}

/* Forgets the definitions of the register (0: of all) for paths nested in `around`. If the lane has
 * passed no path, it forgets everything. */
static void
invalidate_slice(const Fn *fn, Lane_state *l, uint32_t sym, uint32_t around)
{
	uint32_t n = 0, was = l->slice.n;

	for (uint32_t i = 0; l->tasks.fresh && i < was; i++) {
		if (l->slice.around[i] == around &&
			(!sym || fn_def(fn, l->slice.defs[i])->sym == sym))
			continue;
		l->slice.around[n] = l->slice.around[i];
		l->slice.defs[n++] = l->slice.defs[i];
	}
	l->slice.n = (uint8_t)n;
	for (; n < was; n++)
		l->slice.defs[n] = l->slice.around[n] = 0;
}

static bool
slice_add(Loop_check *s, Lane_state *l, uint32_t def, uint32_t around)
{
	if (l->slice.n == MAX_SLICED)
		return loop_check_unknown(s, l->at.output, "too many values that owners compute");
	l->slice.around[l->slice.n] = (uint8_t)around;
	l->slice.defs[l->slice.n++] = def;
	return true;
}

/* Whether a task of the path, or its owner slice, may use the register's value at the path's
 * entry. */
static bool
task_may_read(const Loop_check *s, uint32_t path, uint32_t sym)
{
	uint32_t local = fn_local(s->in.fn, sym);

	return bits_has(s->in.fn->live->in[s->paths.at[path].region->entry], local) ||
		bits_has(s->copies.of_task[path + 1], local);
}

bool
owner_overwrite(Loop_check *s, Lane_state *l, uint32_t sym)
{
	const Fn *fn = s->in.fn;
	bool ok = true;

	for (uint32_t left = l->tasks.fresh; left && ok && fn_is_reg(fn, sym); left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left), around = s->paths.at[p].enclosing;
		if (!register_is_sliced(fn, &l->slice, sym, around) && !task_may_read(s, p, sym))
			continue;
		invalidate_slice(fn, l, sym, around);
		FN_DEFS_OF_SYM(fn, sym, d)
			if (!fn_def(fn, d)->stmt)
				ok = slice_add(s, l, d, around);
	}
	return ok;
}

/* Statements of several paths may be equal: the statement then stands for each of them that would
 * read the same values here. */
bool
owner_run_slice(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = first_identical_stmt(&s->out, stmt);
	uint64_t of = 0;

	if (!k->known.sliced)
		find_slices(s, stmt);
	for (uint32_t i = 0; i < k->known.nslices && i < 64; i++) {
		const Owner_copy *x = &s->owner.copies.at[k->known.slices + i];
		if (l->tasks.fresh >> x->path & 1 && !reduction_is_touched(s, l, x->path, x->in) &&
			slice_reads(s, l, x->in, &s->paths.at[x->path]))
			of |= UINT64_C(1) << i;
	}
	for (uint64_t left = of; left; left &= left - 1) {
		const Owner_copy *x =
			&s->owner.copies.at[k->known.slices + (uint32_t)__builtin_ctzll(left)];
		FN_DEFS_OF_STMT(s->in.fn, x->in, d)
			invalidate_slice(s->in.fn, l, fn_def(s->in.fn, d)->sym,
				s->paths.at[x->path].enclosing);
	}
	for (uint64_t left = of; left; left &= left - 1) {
		const Owner_copy *x =
			&s->owner.copies.at[k->known.slices + (uint32_t)__builtin_ctzll(left)];
		FN_DEFS_OF_STMT(s->in.fn, x->in, d)
			if (!slice_add(s, l, d, s->paths.at[x->path].enclosing))
				return false;
	}
	return of != 0;
}

/* Whether another definition in the task reaches the point at which the owner continues. */
static bool
other_defs_reach(const Fn *fn, const Input_path *p, uint32_t sym, uint32_t def)
{
	uint32_t b = fn_block(fn, p->next);
	Reaching r = defuse_reaching(fn, b, sym);

	for (uint32_t i = p->next; i-- > fn->cfg->blocks[b].stmt;)
		FN_DEFS_OF_STMT(fn, i, d) {
			if (fn_def(fn, d)->sym == sym && d != def)
				return true;
			if (d == def && fn_def(fn, d)->kills)
				return false;
		}
	for (uint32_t i = 0; i < r.n; i++) {
		uint32_t at = fn_def(fn, r.at[i])->stmt;
		if (at && bits_has(p->blocks, fn_block(fn, at)) && r.at[i] != def)
			return true;
	}
	return false;
}

/* Whether every execution of the task reaches the block. Other lanes may also reach captured
 * code. */
static bool
task_always_executes(const Loop_check *s, const Input_path *p, uint32_t block)
{
	Arena_mark mark = arena_mark(s->arena);
	Bits within = bits_new(s->arena, s->in.fn->cfg->nblocks),
	     seen = bits_new(s->arena, s->in.fn->cfg->nblocks);
	bool ok = true;

	bits_copy(within, p->blocks);
	bits_unset(within, block);
	cfg_flood(s->in.fn->cfg, p->region->entry, false, within, seen);
	BITS_EACH(b, seen)
		FN_SUCC(s->in.fn, b, to)
			ok = ok && bits_has(p->blocks, to);
	arena_release(s->arena, mark);
	return ok;
}

/* Whether a definition in the task, in a block that every execution reaches, alone determines the
 * register's value after it. */
static bool
check_def_decides(const Loop_check *s, const Input_path *p, uint32_t def)
{
	const Fn *fn = s->in.fn;
	uint32_t block = fn_block(fn, fn_def(fn, def)->stmt);

	if (other_defs_reach(fn, p, fn_def(fn, def)->sym, def))
		return false;
	if (p->has_tail)
		return task_always_executes(s, p, block);
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, to)
			if (to && !bits_has(p->blocks, to) && !dom_dominates(fn->dom, block, b))
				return false;
	return true;
}

static bool
def_decides_value(const Loop_check *s, const Input_path *p, uint32_t def)
{
	uint8_t *known = &p->decides[def];

	if (!*known)
		*known = check_def_decides(s, p, def) ? 2 : 1;
	return *known == 2;
}

void
owner_find_live_outs(Loop_check *s, Input_path *p)
{
	p->live_outs = arena_array(s->arena, bits_count(p->defined) + 1, sizeof *p->live_outs);
	p->decides = arena_array(s->arena, s->in.fn->defuse->ndefs + 1, 1);
	Bits live = input_live_registers(&s->in, p->next, s->arena);
	BITS_EACH(i, p->defined) {
		uint32_t sym = fn_sym(s->in.fn, i);
		if (bits_has(live, i) && other_defs_reach(s->in.fn, p, sym, 0))
			p->live_outs[p->nlive_outs++] = sym;
	}
}

/* Whether one of the latest definitions does. */
static bool
run_def_decides(const Loop_check *s, const Owner_slice *slice, const Input_path *p, uint32_t sym)
{
	EACH_SLICED(s->in.fn, slice, sym, p->enclosing, d)
		if (fn_def(s->in.fn, d)->stmt && def_decides_value(s, p, d))
			return true;
	return false;
}

static bool
register_is_live_out(const Input_path *p, uint32_t sym)
{
	for (uint32_t i = 0; i < p->nlive_outs; i++)
		if (p->live_outs[i] == sym)
			return true;
	return false;
}

bool
owner_register_is_intact(const Loop_check *s, const Lane_state *l, uint32_t path, uint32_t sym)
{
	uint32_t around = s->paths.at[path].enclosing, from = 0;

	for (uint32_t p = 0; p < s->paths.n; p++)
		if ((l->tasks.fresh >> p & 1) && s->paths.at[p].enclosing == around &&
			l->tasks.order[p] < l->tasks.order[path] &&
			register_is_live_out(&s->paths.at[p], sym) &&
			!(reduction_has_output(&s->reductions, p, sym) &&
				reduction_is_forwarded(&s->reductions, &l->reductions, p, sym)) &&
			(!from || l->tasks.order[p] > l->tasks.order[from - 1]))
			from = p + 1;
	return from ? run_def_decides(s, &l->slice, &s->paths.at[from - 1], sym) :
		      !register_is_sliced(s->in.fn, &l->slice, sym, around);
}

/* Whether the register is also live out of another path that the owner passed later. */
static bool
flows_out_of_later_path(
	const Collected_paths *paths, const Lane_tasks *tasks, const Input_path *k, uint32_t sym)
{
	for (uint32_t p = 0; p < paths->n; p++)
		if ((tasks->fresh >> p & 1) && paths->at[p].enclosing == k->enclosing &&
			tasks->order[p] > tasks->order[k - paths->at] &&
			register_is_live_out(&paths->at[p], sym))
			return true;
	return false;
}

/* Index, from i on, of the first live-out of a path the owner passed that it has not computed;
 * nlive_outs if there is none. */
static uint32_t
find_missing_live_out(const Loop_check *s, const Lane_state *l, const Input_path *k, uint32_t i)
{
	uint32_t path = (uint32_t)(k - s->paths.at);

	for (; i < k->nlive_outs; i++) {
		uint32_t out = k->live_outs[i];
		if (reduction_has_output(&s->reductions, path, out)) {
			if (!reduction_is_forwarded(&s->reductions, &l->reductions, path, out))
				break;
		} else if (!flows_out_of_later_path(&s->paths, &l->tasks, k, out) &&
			!run_def_decides(s, &l->slice, k, out)) {
			break;
		}
	}
	return i;
}

/* A live-out that is missing where the owner continues; 0 if none. Live-outs that nothing reads
 * there are not missing: values that pending tasks took from them were checked when they were
 * set. */
static uint32_t
missing_live_out(const Loop_check *s, const Lane_state *l, const Input_path *k)
{
	uint32_t at = k->enclosing ? l->at.task_input : l->at.input,
		 path = (uint32_t)(k - s->paths.at);
	bool known = !k->enclosing || k->enclosing == l->at.task;

	for (uint32_t i = find_missing_live_out(s, l, k, 0); i < k->nlive_outs;
		i = find_missing_live_out(s, l, k, i + 1))
		if (!known || reduction_has_output(&s->reductions, path, k->live_outs[i]) ||
			input_register_is_live(&s->in, at, k->live_outs[i]))
			return k->live_outs[i];
	return 0;
}

bool
owner_lacks_live_out(const Loop_check *s, const Lane_state *l, uint32_t around)
{
	for (uint32_t p = 0; p < s->paths.n; p++)
		if ((l->tasks.fresh >> p & 1) && s->paths.at[p].enclosing == around &&
			find_missing_live_out(s, l, &s->paths.at[p], 0) < s->paths.at[p].nlive_outs)
			return true;
	return false;
}

static bool
path_has_reduction(const Reductions *reductions, uint32_t path)
{
	for (uint32_t i = 0; i < reductions->n; i++)
		if (reductions->at[i].path == path)
			return true;
	return false;
}

void
owner_drop_tasks(const Loop_check *s, Lane_state *l)
{
	for (uint32_t left = l->tasks.fresh; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);
		if (l->tasks.pending & tasks_of_path(s, p) ||
			path_has_reduction(&s->reductions, p) ||
			find_missing_live_out(s, l, &s->paths.at[p], 0) < s->paths.at[p].nlive_outs)
			return;
	}
	for (uint32_t left = l->tasks.fresh; left; left &= left - 1)
		l->tasks.order[__builtin_ctz(left)] = 0;
	l->tasks.fresh = 0;
	memset(&l->slice, 0, sizeof l->slice);
}

bool
owner_check_slice(Loop_check *s, Lane_state *l, uint32_t around)
{
	for (uint32_t left = l->tasks.fresh; left; left &= left - 1) {
		const Input_path *k = &s->paths.at[__builtin_ctz(left)];
		uint32_t sym = k->enclosing == around ? missing_live_out(s, l, k) : 0;
		if (sym)
			return loop_check_fault(s, l->at.output,
				"the owner continues without '%.*s', which the path computes",
				PTX_NAME(s->in.m, sym));
	}
	for (uint32_t left = l->tasks.fresh; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);
		if (s->paths.at[p].enclosing != around)
			continue;
		l->tasks.fresh &= ~(UINT32_C(1) << p);
		l->tasks.order[p] = 0;
		reduction_path_passed(&s->reductions, &l->reductions, p);
	}
	if (l->slice.n)
		invalidate_slice(s->in.fn, l, 0, around);
	return true;
}
