/* SPDX-License-Identifier: MIT */
/* Owner slices: live-outs of a path that its owner computes itself.
 *
 * The owner executes statements of the path that give the same result in every lane, from registers
 * that it had when it reached the path or has computed this way. Before it continues its iteration,
 * every live-out that is read there must be computed, by a definition that determines the value on
 * every way through the path.
 */
#include "validate/task/task.h"

/* Whether control can get from one statement of the path to another without leaving it. */
static bool
comes_within(const Site *s, uint32_t from, uint32_t to, Bits path)
{
	const Fn *fn = s->fn;
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
comes_after(const Site *s, const Path *p, uint32_t def, uint32_t stmt)
{
	const Fn *fn = s->fn;
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
#define EACH_SLICED(s, l, x, stands, d) \
	for (uint32_t d##_at = 0, d; d##_at < (l)->nsliced; d##_at++) \
		if (d = (l)->sliced[d##_at], (l)->sliced_around[d##_at] == (stands) && \
			fn_def((s)->fn, d)->sym == (x))

static bool
is_sliced(const Site *s, const Lane *l, uint32_t sym, uint32_t around)
{
	EACH_SLICED(s, l, sym, around, d)
		return true;
	return false;
}

/* Whether that definition is one of them. */
static bool
has_run(const Site *s, const Lane *l, uint32_t def, uint32_t around)
{
	EACH_SLICED(s, l, fn_def(s->fn, def)->sym, around, d)
		if (d == def)
			return true;
	return false;
}

/* Whether one of them reaches the statement in the path's task. */
static bool
comes_after_any(const Site *s, const Lane *l, const Path *p, uint32_t sym, uint32_t stmt)
{
	EACH_SLICED(s, l, sym, p->around, d)
		if (fn_def(s->fn, d)->stmt && comes_after(s, p, d, stmt))
			return true;
	return false;
}

/* Whether the owner can supply every register that the path's statement reads: unchanged since it
 * reached the path, live out of an earlier path and recomputed, or computed here. */
static bool
slice_reads(const Site *s, const Lane *l, uint32_t stmt, const Path *p)
{
	const Fn *fn = s->fn;
	Bits blocks = p->blocks;
	uint32_t path = (uint32_t)(p - s->paths);

	FN_USES_OF_STMT(fn, stmt, u) {
		uint32_t sym = fn_use(fn, u)->sym;
		FN_REACH(fn, u, d) {
			uint32_t at = fn_def(fn, d)->stmt;
			bool inside = at && bits_has(blocks, fn_block(fn, at)) &&
				comes_within(s, at, stmt, blocks);
			if (!inside && comes_after_any(s, l, p, sym, stmt))
				continue;
			if (inside ? !has_run(s, l, d, p->around) : !owner_holds(s, l, path, sym))
				return false;
		}
	}
	return true;
}

/* Name of the register of the input that is a statement's first operand; 0 if it is none. */
static uint32_t
name_given(const Site *s, uint32_t in)
{
	const Stmt *t = fn_stmt(s->fn, in);
	const Opnd *o = &s->in->opnds[t->opnd];

	return t->nopnd && o->kind == OPND_SYM ? s->in->syms[o->sym].name : 0;
}

/* The same for the register that the first operand of an output statement stands for. */
static uint32_t
name_stood_for(const Site *s, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Opnd *o = &s->out->opnds[t->opnd];
	const Reg *r = t->nopnd && o->kind == OPND_SYM ? site_reg(s, o->sym) : s->none;

	return r->in ? s->in->syms[r->in].name : 0;
}

/* Finds the statements of paths that an owner may execute itself, by opcode: those that give the
 * same result in every lane. */
static void
find_owned(Site *s)
{
	uint32_t *last = arena_array(s->arena, OP_COUNT, sizeof *last);

	s->owned = arena_array(s->arena, OP_COUNT, sizeof *s->owned);
	for (uint32_t i = 0; i < s->npaths; i++)
		BITS_EACH(b, s->paths[i].blocks)
			FN_BLOCK_STMTS(s->fn, b, in) {
				const Stmt *t = fn_stmt(s->fn, in);
				if (t->kind != STMT_INSN || t->guard || !path_repeatable(s, in))
					continue;
				uint32_t op = ptx_op(s->in, t);
				*vec_push(&s->slices) = (Slice){ i, in, 0, name_given(s, in) };
				*(last[op] ? &s->slices.at[last[op] - 1].next :
					     &s->owned[op]) = s->slices.n;
				last[op] = s->slices.n;
			}
}

/* Finds those that the output's statement is a copy of. Depends only on the texts. */
static void
find_slices(Site *s, uint32_t stmt)
{
	Step *k = step_like(s, stmt);
	uint32_t name = name_stood_for(s, stmt);

	if (!s->owned)
		find_owned(s);
	k->sliced = true;
	k->slices = s->slices.n;
	for (uint32_t i = s->owned[k->op]; i; i = s->slices.at[i - 1].next) {
		const Slice x = s->slices.at[i - 1];
		if (name && x.name && name != x.name)
			continue;
		uint32_t part = s->part_of_path[s->paths[x.path].around];
		if (match_stmt(s, stmt, x.in, part, false))
			*vec_push(&s->slices) = (Slice){ x.path, x.in, 0, x.name };
	}
	k->nslices = s->slices.n - k->slices;
}

/* Forgets the definitions of the register (0: of all) for paths nested in `around`. If the lane has
 * passed no path, it forgets everything. */
static void
slice_over(const Site *s, Lane *l, uint32_t sym, uint32_t around)
{
	uint32_t n = 0, was = l->nsliced;

	for (uint32_t i = 0; l->fresh && i < was; i++) {
		if (l->sliced_around[i] == around &&
			(!sym || fn_def(s->fn, l->sliced[i])->sym == sym))
			continue;
		l->sliced_around[n] = l->sliced_around[i];
		l->sliced[n++] = l->sliced[i];
	}
	l->nsliced = (uint8_t)n;
	for (; n < was; n++)
		l->sliced[n] = l->sliced_around[n] = 0;
}

static bool
slice_add(Site *s, Lane *l, uint32_t def, uint32_t around)
{
	if (l->nsliced == MOST_SLICED)
		return site_unknown(s, l->o, "too many values that owners compute");
	l->sliced_around[l->nsliced] = (uint8_t)around;
	l->sliced[l->nsliced++] = def;
	return true;
}

/* Whether a task of the path, or its owner slice, may use the register's value at the path's
 * entry. */
static bool
may_take(const Site *s, uint32_t path, uint32_t sym)
{
	uint32_t local = fn_local(s->fn, sym);

	return bits_has(s->fn->live->in[s->paths[path].region->entry], local) ||
		bits_has(s->copied[s->part_of_path[path + 1]], local);
}

bool
owner_overwrites(Site *s, Lane *l, uint32_t sym)
{
	const Fn *fn = s->fn;
	bool ok = true;

	for (uint32_t left = l->fresh; left && ok && fn_is_reg(fn, sym); left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left), around = s->paths[p].around;
		if (!is_sliced(s, l, sym, around) && !may_take(s, p, sym))
			continue;
		slice_over(s, l, sym, around);
		FN_DEFS_OF_SYM(fn, sym, d)
			if (!fn_def(fn, d)->stmt)
				ok = slice_add(s, l, d, around);
	}
	return ok;
}

/* Statements of several paths may be equal: the statement then stands for each of them that would
 * read the same values here. */
bool
owner_slice(Site *s, Lane *l, uint32_t stmt)
{
	const Step *k = step_like(s, stmt);
	uint64_t of = 0;

	if (!k->sliced)
		find_slices(s, stmt);
	for (uint32_t i = 0; i < k->nslices && i < 64; i++) {
		const Slice *x = &s->slices.at[k->slices + i];
		if (l->fresh >> x->path & 1 && !sums_touched(s, l, x->path, x->in) &&
			slice_reads(s, l, x->in, &s->paths[x->path]))
			of |= UINT64_C(1) << i;
	}
	for (uint64_t left = of; left; left &= left - 1) {
		const Slice *x = &s->slices.at[k->slices + (uint32_t)__builtin_ctzll(left)];
		FN_DEFS_OF_STMT(s->fn, x->in, d)
			slice_over(s, l, fn_def(s->fn, d)->sym, s->paths[x->path].around);
	}
	for (uint64_t left = of; left; left &= left - 1) {
		const Slice *x = &s->slices.at[k->slices + (uint32_t)__builtin_ctzll(left)];
		FN_DEFS_OF_STMT(s->fn, x->in, d)
			if (!slice_add(s, l, d, s->paths[x->path].around))
				return false;
	}
	return of != 0;
}

/* Whether another definition in the task reaches the point at which the owner continues. */
static bool
others_reach(const Site *s, const Path *p, uint32_t sym, uint32_t def)
{
	const Fn *fn = s->fn;
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
comes_by(const Site *s, const Path *p, uint32_t block)
{
	Arena_mark mark = arena_mark(s->arena);
	Bits within = bits_new(s->arena, s->fn->cfg->nblocks),
	     seen = bits_new(s->arena, s->fn->cfg->nblocks);
	bool ok = true;

	bits_copy(within, p->blocks);
	bits_unset(within, block);
	cfg_flood(s->fn->cfg, p->region->entry, false, within, seen);
	BITS_EACH(b, seen)
		FN_SUCC(s->fn, b, to)
			ok = ok && bits_has(p->blocks, to);
	arena_release(s->arena, mark);
	return ok;
}

/* Whether a definition in the task, in a block that every execution reaches, alone determines the
 * register's value after it. */
static bool
find_decides(const Site *s, const Path *p, uint32_t def)
{
	const Fn *fn = s->fn;
	uint32_t block = fn_block(fn, fn_def(fn, def)->stmt);

	if (others_reach(s, p, fn_def(fn, def)->sym, def))
		return false;
	if (p->jumps)
		return comes_by(s, p, block);
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, to)
			if (to && !bits_has(p->blocks, to) && !dom_dominates(fn->dom, block, b))
				return false;
	return true;
}

static bool
decides(const Site *s, const Path *p, uint32_t def)
{
	uint8_t *known = &p->decides[def];

	if (!*known)
		*known = find_decides(s, p, def) ? 2 : 1;
	return *known == 2;
}

void
owner_init(Site *s, Path *p)
{
	p->flows = arena_array(s->arena, bits_count(p->defined) + 1, sizeof *p->flows);
	p->decides = arena_array(s->arena, s->fn->defuse->ndefs + 1, 1);
	Bits live = cursor_all_live(s, p->next);
	BITS_EACH(i, p->defined) {
		uint32_t sym = fn_sym(s->fn, i);
		if (bits_has(live, i) && others_reach(s, p, sym, 0))
			p->flows[p->nflows++] = sym;
	}
}

/* Whether one of the latest definitions does. */
static bool
decides_any(const Site *s, const Lane *l, const Path *p, uint32_t sym)
{
	EACH_SLICED(s, l, sym, p->around, d)
		if (fn_def(s->fn, d)->stmt && decides(s, p, d))
			return true;
	return false;
}

static bool
flows_out(const Path *p, uint32_t sym)
{
	for (uint32_t i = 0; i < p->nflows; i++)
		if (p->flows[i] == sym)
			return true;
	return false;
}

bool
owner_holds(const Site *s, const Lane *l, uint32_t path, uint32_t sym)
{
	uint32_t around = s->paths[path].around, from = 0;

	for (uint32_t p = 0; p < s->npaths; p++)
		if ((l->fresh >> p & 1) && s->paths[p].around == around &&
			l->order[p] < l->order[path] && flows_out(&s->paths[p], sym) &&
			!(sums_has(s, p, sym) && sums_handed(s, l, p, sym)) &&
			(!from || l->order[p] > l->order[from - 1]))
			from = p + 1;
	return from ? decides_any(s, l, &s->paths[from - 1], sym) :
		      !is_sliced(s, l, sym, around);
}

/* Whether the register is also live out of another path that the owner passed later. */
static bool
flows_later(const Site *s, const Lane *l, const Path *k, uint32_t sym)
{
	for (uint32_t p = 0; p < s->npaths; p++)
		if ((l->fresh >> p & 1) && s->paths[p].around == k->around &&
			l->order[p] > l->order[k - s->paths] && flows_out(&s->paths[p], sym))
			return true;
	return false;
}

/* Index, from i on, of the first live-out of a path the owner passed that it has not computed;
 * nflows if there is none. */
static uint32_t
owed(const Site *s, const Lane *l, const Path *k, uint32_t i)
{
	for (; i < k->nflows; i++) {
		uint32_t path = (uint32_t)(k - s->paths);
		if (sums_has(s, path, k->flows[i])) {
			if (!sums_handed(s, l, path, k->flows[i]))
				break;
			continue;
		}
		if (flows_later(s, l, k, k->flows[i]))
			continue;
		if (!decides_any(s, l, k, k->flows[i]))
			break;
	}
	return i;
}

/* A live-out that is missing where the owner continues; 0 if none. Live-outs that nothing reads
 * there are not missing: values that pending tasks took from them were checked when they were
 * set. */
static uint32_t
missing(const Site *s, const Lane *l, const Path *k)
{
	uint32_t at = k->around ? l->task_at : l->at;
	bool known = !k->around || k->around == l->task;

	for (uint32_t i = owed(s, l, k, 0); i < k->nflows; i = owed(s, l, k, i + 1))
		if (!known || sums_has(s, (uint32_t)(k - s->paths), k->flows[i]) ||
			cursor_live(s, at, k->flows[i]))
			return k->flows[i];
	return 0;
}

bool
owner_owes(const Site *s, const Lane *l, uint32_t around)
{
	for (uint32_t p = 0; p < s->npaths; p++)
		if ((l->fresh >> p & 1) && s->paths[p].around == around &&
			owed(s, l, &s->paths[p], 0) < s->paths[p].nflows)
			return true;
	return false;
}

static bool
has_sum(const Site *s, uint32_t path)
{
	for (uint32_t i = 0; i < s->nsums; i++)
		if (s->sums[i].path == path)
			return true;
	return false;
}

void
owner_forget(const Site *s, Lane *l)
{
	for (uint32_t left = l->fresh; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);
		if (l->hand & task_all(s, p) || has_sum(s, p) ||
			owed(s, l, &s->paths[p], 0) < s->paths[p].nflows)
			return;
	}
	for (uint32_t left = l->fresh; left; left &= left - 1)
		l->order[__builtin_ctz(left)] = 0;
	l->fresh = 0;
	for (uint32_t i = 0; i < l->nsliced; i++)
		l->sliced[i] = l->sliced_around[i] = 0;
	l->nsliced = 0;
}

bool
owner_sliced_all(Site *s, Lane *l, uint32_t around)
{
	for (uint32_t left = l->fresh; left; left &= left - 1) {
		const Path *k = &s->paths[__builtin_ctz(left)];
		uint32_t sym = k->around == around ? missing(s, l, k) : 0;
		if (sym)
			return site_fault(s, l->o,
				"the owner continues without '%.*s', which the path computes",
				PTX_NAME(s->in, sym));
	}
	for (uint32_t left = l->fresh; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);
		if (s->paths[p].around != around)
			continue;
		l->fresh &= ~(UINT32_C(1) << p);
		l->order[p] = 0;
		sums_passed(s, l, p);
	}
	if (l->nsliced)
		slice_over(s, l, 0, around);
	return true;
}
