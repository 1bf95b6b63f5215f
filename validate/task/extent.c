/* SPDX-License-Identifier: MIT */
/* Determines the extent of a task: the path, or, if the text has copies of code after it (tail
 * capture), the path and that code up to the end of a post-dominator of the path.
 *
 * The owner continues with the branch that ends this block. Therefore only this block may have
 * edges out of the task, and the captured code must not share memory with what the owner executes
 * after the branch, because no annotation promises anything about that. A copy of the task may omit
 * statements without effect whose results only the owner uses, such as the branch condition.
 */
#include "validate/task/task.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint32_t
read_number(const char *at, size_t len, size_t *k)
{
	uint32_t n = 0;

	for (; *k < len && at[*k] >= '0' && at[*k] <= '9' && n < 100000000; ++*k)
		n = 10 * n + (uint32_t)(at[*k] - '0');
	return n;
}

/* Parses a label $ccc<site>[p<region>]_t<block> of a task's copy, which is a hint. Returns false if
 * the name is of another form. */
static bool
label_of_task(const Loop_check *s, uint32_t label, Task_label *is)
{
	size_t len, k = 4;
	const char *name = ptx_name(s->out.m, s->out.m->stmts[label].sym, &len);

	*is = (Task_label){ .region = 1 };
	if (len < 8 || name[0] != '$')
		return false;
	read_number(name, len, &k);
	if (k < len && name[k] == 'p') {
		k++;
		is->region = read_number(name, len, &k);
	}
	if (k + 2 >= len || name[k] != '_' || name[k + 1] != 't' || name[k + 2] < '0' ||
		name[k + 2] > '9')
		return false;
	k += 2;
	is->block = read_number(name, len, &k);
	return is->block < s->in.fn->cfg->nblocks && bits_has(s->paths.common, is->block);
}

void
task_labels_read(Loop_check *s)
{
	Task_label is;

	for (uint32_t i = s->out.begin; i < s->out.end; i++)
		if (s->out.m->stmts[i].kind == STMT_LABEL && label_of_task(s, i, &is))
			*vec_push(&s->paths.labels) = is;
}

/* Finds the blocks of the path, and those after it that the text has copies of. */
static void
find_blocks(Loop_check *s, Input_path *p)
{
	uint32_t region = 1 + (uint32_t)(p - s->paths.at);

	p->blocks = bits_new(s->arena, s->in.fn->cfg->nblocks);
	bits_copy(p->blocks, p->region->blocks);
	for (uint32_t i = 0; i < s->paths.labels.n; i++) {
		const Task_label *k = &s->paths.labels.at[i];
		if (k->region != region || bits_has(p->blocks, k->block))
			continue;
		bits_set(p->blocks, k->block);
		p->has_tail = true;
	}
}

/* The only block with edges out of the task; 0 if there are several or none. */
static uint32_t
find_join(const Fn *fn, const Input_path *p)
{
	uint32_t join = 0;

	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, to)
			if (!to || !bits_has(p->blocks, to)) {
				if (join && join != b)
					return 0;
				join = b;
			}
	return join;
}

/* Whether another collected path is in the captured code. */
static bool
path_follows_path(const Collected_paths *paths, const Input_path *p)
{
	for (uint32_t i = 0; i < paths->n; i++)
		BITS_EACH(b, paths->at[i].region->blocks)
			if (bits_has(p->blocks, b) && !bits_has(p->region->blocks, b))
				return true;
	return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bit set: 1 if the blocks' statements read memory other than parameters; 2 if they write it, or
 * have another visible effect. */
static uint32_t
memory_effects(const Fn *fn, Bits blocks, Bits but)
{
	uint32_t found = 0;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, i) {
			const Stmt *t = fn_stmt(fn, i);
			uint32_t flags = t->kind == STMT_INSN ? ptx_flags(fn->m, t) : OPF_PURE;
			if (flags & (OPF_PURE | OPF_BRANCH) || bits_has(but, b) ||
				(flags & OPF_LOAD && ptx_space(fn->m, t) == SPACE_PARAM))
				continue;
			bool reads = flags & OPF_LOAD && !(flags & (OPF_STORE | OPF_EFFECT));
			found |= reads ? 1 : 3;
		}
	return found;
}

/* Whether captured code may be reordered with what the owner executes after the join. */
static bool
tail_keeps_order(Loop_check *s, const Input_path *p, uint32_t join)
{
	const Fn *fn = s->in.fn;
	uint32_t header = fn->loops->loops[s->in.region->loop].header;
	Bits within = bits_new(s->arena, fn->cfg->nblocks),
	     behind = bits_new(s->arena, fn->cfg->nblocks);

	bits_copy(within, s->paths.common);
	bits_unset(within, header);
	FN_SUCC(fn, join, to)
		if (to != header)
			cfg_flood(fn->cfg, to, false, within, behind);
	uint32_t a = memory_effects(fn, p->blocks, p->region->blocks),
		 b = memory_effects(fn, behind, bits_new(s->arena, fn->cfg->nblocks));
	return !((a & 2 && b) || (b & 2 && a));
}

/* ---- what only the owner needs --------------------------------------------------------------- */

/* The path's registers that the text folds into slots of reductions, by local symbol. */
static Bits
find_folded(const Loop_check *s, const Input_path *p)
{
	Bits folded = bits_new(s->arena, s->in.fn->f->nsym);

	for (uint32_t i = s->out.begin; s->reductions.folds && i < s->out.end; i++) {
		const Output_stmt *k = output_stmt(&s->out, i);
		if (!k->buffer || (k->op != OP_RED && k->op != OP_ATOM))
			continue;
		const Output_reg *r = output_reg(
			&s->out, output_operand(&s->out, i, k->op == OP_ATOM ? 2 : 1)->sym);
		if (reg_path(&s->paths, r) == p - s->paths.at + 1 &&
			fn_is_reg(s->in.fn, r->input_sym))
			bits_set(folded, fn_local(s->in.fn, r->input_sym));
	}
	return folded;
}

/* Whether a task must execute the statement, even if nothing reads its result. */
static bool
stmt_is_live_root(const Fn *fn, Bits folded, uint32_t stmt)
{
	const Stmt *t = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, t);

	if (!(flags & OPF_PURE) || flags & (OPF_BRANCH | OPF_EXIT | OPF_CARRY))
		return true;
	FN_WRITES(fn, stmt, r)
		if (fn_is_reg(fn, r->sym) && bits_has(folded, fn_local(fn, r->sym)))
			return true;
	return false;
}

static bool
mark_live(const Fn *fn, const Input_path *p, uint32_t stmt)
{
	if (!stmt || stmt == p->next || !bits_has(p->blocks, fn_block(fn, stmt)) ||
		!bits_has(p->dead, fn_local_stmt(fn, stmt)))
		return false;
	bits_unset(p->dead, fn_local_stmt(fn, stmt));
	return true;
}

static void
find_idle(Loop_check *s, Input_path *p)
{
	p->dead = bits_new(s->arena, s->in.fn->f->nstmt);
	if (!p->has_tail)
		return;
	Bits folded = find_folded(s, p);
	uint32_t *needed = arena_alloc(s->arena, (s->in.fn->f->nstmt + 1) * sizeof *needed), n = 0;
	BITS_EACH(b, p->blocks)
		FN_BLOCK_STMTS(s->in.fn, b, i)
			if (fn_stmt(s->in.fn, i)->kind == STMT_INSN &&
				!stmt_is_live_root(s->in.fn, folded, i))
				bits_set(p->dead, fn_local_stmt(s->in.fn, i));
			else if (i != p->next)
				needed[n++] = i;
	while (n) { /* whatever these read is needed too */
		uint32_t i = needed[--n];
		FN_USES_OF_STMT(s->in.fn, i, u)
			FN_REACH(s->in.fn, u, d)
				if (mark_live(s->in.fn, p, fn_def(s->in.fn, d)->stmt))
					needed[n++] = fn_def(s->in.fn, d)->stmt;
	}
}

bool
task_stmt_is_dead(const Loop_check *s, uint32_t path, uint32_t stmt)
{
	const Input_path *p = &s->paths.at[path];

	return p->has_tail && stmt < input_end(&s->in) &&
		bits_has(p->dead, fn_local_stmt(s->in.fn, stmt));
}

/* ---- live-ins -------------------------------------------------------------------------------- */

/* Updates the set of live registers from the end of a block to its beginning, within the task. */
static void
read_block(const Fn *fn, const Input_path *p, uint32_t b, Bits live)
{
	for (uint32_t i = fn->cfg->blocks[b].end; i-- > fn->cfg->blocks[b].stmt;) {
		if (i == p->next || bits_has(p->dead, fn_local_stmt(fn, i)))
			continue;
		FN_DEFS_OF_STMT(fn, i, d)
			if (fn_def(fn, d)->kills)
				bits_unset(live, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, i, u)
			bits_set(live, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* Captured code may also be reached by other control flow, whose definitions do not reach a task.
 * So this is a separate liveness analysis of the task's blocks. */
static Bits
find_live_in_after(Loop_check *s, const Input_path *p)
{
	const Fn *fn = s->in.fn;
	Bits *in = arena_array(s->arena, fn->cfg->nblocks, sizeof *in),
	     live = bits_new(s->arena, fn->f->nsym);
	uint32_t *blocks = arena_array(s->arena, fn->cfg->nblocks, sizeof *blocks), n = 0;
	bool changed = true;

	BITS_EACH(b, p->blocks) {
		in[b] = bits_new(s->arena, fn->f->nsym);
		blocks[n++] = b;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = n; i-- > 0;) {
			uint32_t b = blocks[i];
			bits_clear(live);
			FN_SUCC(fn, b, to)
				if (to && bits_has(p->blocks, to))
					bits_or(live, in[to]);
			read_block(fn, p, b, live);
			changed |= bits_or(in[b], live);
		}
	}
	return in[p->region->entry];
}

/* Sets the live-ins, including special registers that depend on the thread. */
static void
find_inputs(Loop_check *s, Input_path *p)
{
	const Fn *fn = s->in.fn;
	Bits in = region_live_ins(fn, p->blocks, &p->defined, s->arena);
	if (p->has_tail)
		in = find_live_in_after(s, p);
	uint32_t cap = bits_count(in);

	BITS_EACH(b, p->blocks)
		FN_BLOCK_STMTS(fn, b, i)
			FN_READS(fn, i, r)
				cap += fn_sreg_has(fn, r->sym, SREGF_LANE);
	p->inputs = arena_array(s->arena, cap + 1, sizeof *p->inputs);
	p->sels = arena_array(s->arena, cap + 1, sizeof *p->sels);
	BITS_EACH(i, in)
		if (fn_is_reg(fn, fn_sym(fn, i)))
			p->inputs[p->ninputs++] = fn_sym(fn, i);
	BITS_EACH(b, p->blocks)
		FN_BLOCK_STMTS(fn, b, i)
			FN_READS(fn, i, r)
				if (fn_sreg_has(fn, r->sym, SREGF_LANE) &&
					!bits_has(p->dead, fn_local_stmt(fn, i))) {
					p->inputs[p->ninputs] = r->sym;
					p->sels[p->ninputs++] = fn->m->opnds[r->opnd].sel;
				}
}

/* Finds the statement at which the owner continues. */
static bool
find_next(Loop_check *s, Input_path *p)
{
	const Fn *fn = s->in.fn;
	uint32_t join = p->has_tail ? find_join(fn, p) : 0;

	if (!p->has_tail) {
		p->next = fn->cfg->blocks[p->region->next].stmt;
		return p->region->next || loop_check_unknown(s, s->out.begin,
			"a path that ends in several places");
	}
	if (!join || fn->cfg->blocks[join].nsucc == 0 || bits_has(p->region->blocks, join) ||
		bits_has(p->blocks, fn->loops->loops[s->in.region->loop].header) ||
		path_follows_path(&s->paths, p))
		return loop_check_unknown(s, s->out.begin, "a task that ends in several places");
	p->next = cfg_terminator(fn->cfg, join);
	if (p->next && ptx_op(s->in.m, fn_stmt(fn, p->next)) != OP_BRA)
		return loop_check_unknown(s, s->out.begin, "a task that ends in several places");
	if (!p->next)
		FN_SUCC(fn, join, to)
			p->next = to ? fn->cfg->blocks[to].stmt : 0;
	return (p->next && tail_keeps_order(s, p, join)) ||
		loop_check_unknown(s, s->out.begin, "a task that shares memory with what its owner does");
}

bool
task_extent_init(Loop_check *s, Input_path *p)
{
	find_blocks(s, p);
	if (!find_next(s, p))
		return false;
	find_idle(s, p);
	find_inputs(s, p);
	return true;
}
