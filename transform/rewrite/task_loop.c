/* SPDX-License-Identifier: MIT */
/* Task loops (Khorasani and others, MICRO-48 2015, section 3.1 and Figure 4, where they are
 * written by hand and the launch is changed).
 *
 *   needs:    cfg defuse region
 *   refuses:  shared memory, clusters, cooperative launches; reads of the block's number as a
 *             vector or as 16 bits, or in a function that cannot be copied (task_loop_calls.c);
 *             functions that end the thread; stack that grows. The collecting pass refuses
 *             block barriers, warp-synchronous code, and calls of unknown code.
 *   correct because: docs/proofs/grid.md; validate/grid/ proves it for each text.
 *   cost:     a block that leaves: 32 instructions; an iteration: 14; registers: 10
 *
 * G is the number of resident blocks of a multiprocessor times %nsmid, which is at least the GPU's
 * number of multiprocessors, and may be larger. The largest GPU of the target limits it: with
 * blocks that are not resident, the last ones would run alone.
 *
 * Dynamic: the GPU starts a new block as soon as another ends. To use this, more blocks stay than
 * are resident at a time, up to MOST times as many, as long as each has the work of at least
 * 2^SHARE blocks of the launch. This only makes G larger. A counter from which blocks fetch work
 * would have to be zeroed at each launch, and to be separate for overlapping launches of a kernel.
 * The drawback is that each block executes its last tasks with idle lanes. From sm_100 on, the
 * hardware has such a counter (launch_control.c). */
#include <stdio.h>
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/region/region.h"
#include "transform/cost/launch_tasks.h"
#include "transform/cost/profile_lookup.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/launch_control.h"
#include "transform/rewrite/task_loop.h"
#include "transform/text/unique_names.h"

/* dynamic: maximum factor of blocks that stay, and log2 of the least work of each. */
enum { MOST = 16, SHARE = 4 };

/* ---- legality -------------------------------------------------------------------------------- */

static Verdict
check_block_operand(const Module *m, const Stmt *s, const Opnd *o, Arena *a)
{
	if (o->sel < 'x' || o->sel > 'z')
		return verdict(a, D_CONTROL, s->at.pos, "'%%ctaid' read as a vector");
	if (ptx_type_size(ptx_insn_type(m, s)) != 4)
		return verdict(a, D_CONTROL, s->at.pos, "'%%ctaid' read as 16 or 64 bits");
	return VERDICT_YES;
}

static Verdict
check_special_operand(const Module *m, const Stmt *s, const Ptx_refs *r, Arena *a)
{
	uint32_t sreg = m->syms[r->sym].aux;

	if (sreg == SREG_CTAID)
		return check_block_operand(m, s, &m->opnds[r->opnd], a);
	if (sreg >= SREG_IS_EXPLICIT_CLUSTER && sreg <= SREG_CLUSTER_NCTARANK)
		return verdict(a, D_BARRIER, s->at.pos, "the kernel uses clusters");
	if (strncmp(ptx_sregs[sreg].name, "%envreg", 7) == 0)
		return verdict(a, D_BARRIER, s->at.pos,
			"the kernel reads state of the whole launch, as in cooperative launches");
	return VERDICT_YES;
}

static Verdict
shared_memory(uint32_t pos, Arena *a)
{
	return verdict_note(verdict(a, D_SHARED, pos, "the kernel uses shared memory"), a,
		DIAG_NOWHERE,
		"the warps of a block process tasks independently, and would have to synchronise there");
}

/* Checks a statement. callee: it is in a function that the kernel calls. */
static Verdict
check_stmt(const Module *m, const Stmt *s, bool callee, Arena *a)
{
	Verdict v = VERDICT_YES;

	if (s->kind != STMT_INSN)
		return v;
	if (ptx_flags(m, s) & (OPF_LOAD | OPF_STORE) && ptx_space(m, s) == SPACE_SHARED)
		return shared_memory(s->at.pos, a);
	if (!callee && ptx_flags(m, s) & OPF_STACK)
		return verdict(a, D_LOCAL, s->at.pos, "the kernel allocates stack memory at run time");
	if (callee && ptx_op(m, s) == OP_EXIT)
		return verdict(a, D_CALL, s->at.pos, "a function that is called ends the thread");
	PTX_REFS(m, s, r) {
		const Sym *y = &m->syms[r.sym];
		if (verdict_is_no(v))
			continue;
		if (y->space == SPACE_SHARED)
			v = shared_memory(s->at.pos, a);
		else if (y->kind == SYM_SPECIAL)
			v = check_special_operand(m, s, &r, a);
	}
	return v;
}

static bool
kernel_uses_clusters(const Module *m, const Func *f)
{
	static const char *const words[] = { ".explicitcluster", ".reqnctapercluster",
		".maxclusterrank" };
	Buf dirs = { 0 };
	bool found = false;

	buf_add(&dirs, m->src->text + f->dirs.pos, f->dirs.end - f->dirs.pos);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		found |= strstr(dirs.at, words[i]) != NULL;
	buf_free(&dirs);
	return found;
}

Verdict
task_loop_check_kernel(const Task_loop_calls *calls, uint32_t func, Arena *a)
{
	const Module *m = calls->m;
	Bits seen = bits_new(a, m->nfuncs);
	Verdict v = VERDICT_YES;

	if (kernel_uses_clusters(m, &m->funcs[func]))
		return verdict(
			a, D_BARRIER, m->funcs[func].dirs.pos, "the kernel uses clusters");
	effects_flood_any(m, calls->effects, func, seen);
	BITS_EACH(f, seen) {
		if (f != func && !verdict_is_no(v))
			v = task_loop_calls_check(calls, func, f, a);
		PTX_STMTS(&m->funcs[f], s)
			if (!verdict_is_no(v))
				v = check_stmt(m, &m->stmts[s], f != func, a);
	}
	return v;
}

/* ---- start of the loop ----------------------------------------------------------------------- */

static bool
marker_is_of_kernel(const Module *m, const Stmt *s)
{
	return s->kind == STMT_MARKER && m->markers[s->sym].annot.kind == ANNOT_GRID;
}

/* Whether the statement computes the same in all blocks, and nothing else writes its results. */
static bool
runs_once(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, s), *defs_of = fn->defuse->defs_of_sym;
	bool param = ptx_op(fn->m, s) == OP_LD && ptx_space(fn->m, s) == SPACE_PARAM;
	bool once =
		!s->guard && (param || (flags & OPF_PURE && !(flags & (OPF_CARRY | OPF_VARIES))));

	FN_REFS(fn, stmt, r) {
		const Sym *y = &fn->m->syms[r->sym];
		if (y->kind == SYM_SPECIAL)
			once &= y->aux != SREG_CTAID && !(ptx_sregs[y->aux].flags & SREGF_TIME);
		else if (r->written && fn_is_reg(fn, r->sym))
			once &= defs_of[fn_local(fn, r->sym) + 1] - defs_of[fn_local(fn, r->sym)] ==
				2;
	}
	return once;
}

/* Returns the first statement of the loop: after declarations and statements that are executed
 * once. */
static uint32_t
find_loop_start(const Fn *fn)
{
	uint32_t first = fn->f->stmt;

	FN_STMTS(fn, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (st->kind == STMT_DECL || (st->kind == STMT_INSN && runs_once(fn, s)))
			first = s + 1;
		else if (st->kind != STMT_LOC && !marker_is_of_kernel(fn->m, st))
			break;
	}
	return first;
}

/* ---- selection of kernels -------------------------------------------------------------------- */

static uint32_t
kernel_marker(const Module *m, const Func *f)
{
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++) {
		const Marker *k = &m->markers[i];
		if (k->annot.kind == ANNOT_GRID && !k->done && !k->end &&
			(!k->wrong || annot_is_off(&k->annot)))
			return i;
	}
	return 0;
}

/* Returns a number that no annotation has. It derives from the path's, so that recompiling the
 * source gives the same number. */
static uint32_t
new_id(const Module *m, const Marker *path)
{
	enum { FAR = 100000 };
	uint32_t id = path->id + FAR;

	for (uint32_t i = 1; i < m->nmarkers; i++)
		if (m->markers[i].id == id)
			return new_id(m, &(Marker){ .id = id });
	return id;
}

static Task_loop
analyse_kernel(const Fn *fn, const Regions *rs, Task_loop l, Arena *a)
{
	const Module *m = fn->m;

	l.requested = true;
	l.first = find_loop_start(fn);
	if (rs->nstrays) {
		const Marker *k = &m->markers[rs->strays[0]->marker];
		l.at = l.path = k->cuda;
		l.id = new_id(m, k);
	}
	for (uint32_t i = 0; i < rs->nstrays; i++)
		l.proven |= annot_has(&m->markers[rs->strays[i]->marker].annot, CLAUSE_PROVEN);
	if (l.marker) {
		l.at = m->markers[l.marker].cuda;
		l.id = m->markers[l.marker].id;
		l.dynamic = annot_has(&m->markers[l.marker].annot, CLAUSE_DYNAMIC);
		l.claims = l.dynamic && m->target >= LAUNCH_CONTROL_TARGET;
		l.unclaimed = l.claims ? launch_control_refuses(fn) : NULL;
		l.claims &= !l.unclaimed;
	}
	l.message_prefix = "kernel left unchanged: ";
	if (l.marker && annot_is_off(&m->markers[l.marker].annot))
		l.why = verdict_off(a);
	else if (rs->nstrays == 0)
		l.why = verdict_note(
			verdict(a, D_PATH, DIAG_NOWHERE,
				"it has no path outside its annotated loops"),
			a, DIAG_NOWHERE,
			rs->nloops ? "remove '#pragma ccc grid': annotations in these loops do not need it" :
				     "put '#pragma ccc if' over the divergent branch");
	else
		l.why = task_loop_check_kernel(l.calls, fn->func, a);
	l.enabled = !verdict_is_no(l.why);
	return l;
}

Task_loop *
task_loop_collect(const Module *m, const Pass_options *opt, Arena *a)
{
	Task_loop *loops = NULL;
	const Task_loop_calls *calls = NULL;

	for (uint32_t f = 1; f < m->nfuncs; f++) {
		uint32_t marker = kernel_marker(m, &m->funcs[f]);
		if (!m->funcs[f].entry || !m->funcs[f].nmarkers || !(marker || opt->grid))
			continue;
		if (!loops) {
			loops = arena_array(a, m->nfuncs, sizeof *loops);
			calls = task_loop_calls_build(m, effects_build(m, a), a);
		}
		Arena *tables = arena_new();
		Diags *quiet = diags_new(NULL);
		const Fn *known = profile_lookup_tables(opt->measured.lookup, m, f);
		const Fn *fn = known ? known : fn_build(m, f, calls->effects, tables);
		const Regions *rs = region_build(fn, quiet, tables);
		if (marker || rs->nstrays)
			loops[f] = analyse_kernel(
				fn, rs, (Task_loop){ .marker = marker, .calls = calls }, a);
		diags_free(quiet);
		arena_free(tables);
	}
	return loops;
}

/* ---- emission -------------------------------------------------------------------------------- */

typedef struct {
	const Module *m;
	const Task_loop *loop;
	const Func *f;
	Edits *edits;
	Tpl *t;                 /* grid.tpl, or cancel.tpl */
} Task_loop_writer;

/* Returns the position at which the indentation of a statement's line starts. */
static uint32_t
line_start(const Module *m, uint32_t pos)
{
	while (pos && (m->src->text[pos - 1] == ' ' || m->src->text[pos - 1] == '\t'))
		pos--;
	return pos;
}

static void
write_marker(Task_loop_writer *p, const char *what)
{
	tpl_text(p->t, "\t// begin inline asm\n\t// .ccc %s\n\t// end inline asm\n", what);
}

static void
piece_begin(void *user)
{
	Task_loop_writer *p = user;
	Buf b = { 0 };

	buf_printf(&b, "begin grid %u \"", p->loop->id);
	annot_put_escaped(&b, p->loop->at.file, strlen(p->loop->at.file), "");
	buf_printf(&b, "\":%u", p->loop->at.line);
	if (p->loop->marker)
		annot_put_clauses(&b, &p->m->markers[p->loop->marker].annot);
	else if (p->loop->proven)
		buf_printf(&b, " %s", annot_clauses[CLAUSE_PROVEN].name);
	write_marker(p, b.at);
	buf_free(&b);
}

static void
write_numbered_marker(Task_loop_writer *p, const char *what)
{
	Buf b = { 0 };

	buf_printf(&b, "%s %u", what, p->loop->id);
	write_marker(p, b.at);
	buf_free(&b);
}

static void
piece_iteration(void *user)
{
	write_numbered_marker(user, "begin iteration");
}

static void
piece_end(void *user)
{
	write_numbered_marker(user, "end grid");
}

static void
write_stmt(const Task_loop_writer *p, const Stmt *s, bool last)
{
	const Module *m = p->m;
	Op op = ptx_op(m, s);
	Buf b = { 0 };

	if (last && op == OP_RET && !s->guard) {
		edit_replace(p->edits, s->at, "", 0);
	} else if (op == OP_RET || op == OP_EXIT) {
		buf_printf(&b, "bra \t$%snext;", p->t->prefix);
		edit_replace(p->edits, (Span){ s->head, s->at.end }, b.at, b.n);
	}
	task_loop_calls_edit_stmt(p->loop->calls, s, p->t->prefix, 0, p->edits);
	buf_free(&b);
}

/* Makes the body read the number of the block whose work it executes, and turns ends of the
 * thread into ends of the iteration. */
static void
write_body(const Task_loop_writer *p)
{
	uint32_t end = p->f->stmt + p->f->nstmt;

	PTX_STMTS(p->f, s)
		if (p->m->stmts[s].kind == STMT_INSN)
			write_stmt(p, &p->m->stmts[s], s + 1 == end);
		else if (marker_is_of_kernel(p->m, &p->m->stmts[s]))
			edit_replace(p->edits, p->m->stmts[s].at, "", 0);
}

/* Returns the number of blocks that stay on a multiprocessor if it is a constant; 0: it depends on
 * the block's size. */
static uint32_t
fixed_blocks(const Func *f, const Pass_options *opt, const Occupancy *o)
{
	uint64_t threads = (uint64_t)f->reqntid[0] * (f->reqntid[1] ? f->reqntid[1] : 1) *
		(f->reqntid[2] ? f->reqntid[2] : 1);

	if (opt->launch.grid_blocks)
		return opt->launch.grid_blocks;
	return threads && threads <= MAX_BLOCK ? occupancy_blocks(o, (uint32_t)threads) : 0;
}

void
task_loop_describe_blocks(
	const Module *m, const Pass_options *opt, const Task_loop *l, uint32_t func, Buf *out)
{
	Occupancy o = launch_occupancy(m, opt, l->registers, l->shared);
	uint32_t fixed = fixed_blocks(&m->funcs[func], opt, &o);

	if (fixed)
		buf_printf(out, "%u", fixed);
	else
		buf_printf(out, "min(%u, %u / warps of a block)", o.blocks, o.warps);
	if (opt->launch.sms)
		buf_printf(out, " * %u", o.sms);
	else
		buf_printf(out, " * multiprocessors (at most %u)", o.sms);
	if (l->claims)
		buf_puts(out, " (dynamic: as many as are resident; cluster launch control)");
	else if (l->dynamic)
		buf_printf(out, " (dynamic: up to %u times as many%s%s)", MOST,
			l->unclaimed ? "; no cluster launch control: " : "",
			l->unclaimed ? l->unclaimed : "");
}

static void
define_values(Task_loop_writer *p, const Pass_options *opt)
{
	Occupancy o = launch_occupancy(p->m, opt, p->loop->registers, p->loop->shared);
	uint32_t fixed = fixed_blocks(p->f, opt, &o);
	Buf what = { 0 };

	task_loop_describe_blocks(p->m, opt, p->loop, (uint32_t)(p->f - p->m->funcs), &what);
	tpl_value(p->t, "what", "%s", what.at);
	tpl_flag(p->t, "dynamic", p->loop->dynamic);
	tpl_value(p->t, "share", "%u", SHARE);
	tpl_value(p->t, "most", "%u", MOST);
	tpl_flag(p->t, "fixed", fixed != 0);
	tpl_value(p->t, "fixed_blocks", "%u", fixed);
	tpl_flag(p->t, "sms", opt->launch.sms != 0);
	tpl_value(p->t, "most_sms", "%u", o.sms);
	tpl_value(p->t, "id", "%u", p->loop->id);
	tpl_value(p->t, "warps", "%u", o.warps);
	tpl_value(p->t, "blocks", "%u", o.blocks);
	tpl_piece(p->t, "begin", piece_begin, p);
	tpl_piece(p->t, "iteration", piece_iteration, p);
	tpl_piece(p->t, "end_of_loop", piece_end, p);
	buf_free(&what);
}

static void
write_section(Task_loop_writer *p, const Pass_options *opt, const char *section, uint32_t pos)
{
	tpl_begin(p->t, p->t->prefix);
	define_values(p, opt);
	tpl_write_section(p->t, section);
	tpl_end(p->t);
	edit_insert(p->edits, line_start(p->m, pos), p->t->out.at, p->t->out.n);
}

static void
write_loop(Task_loop_writer *p, const Pass_options *opt)
{
	write_section(p, opt, "head", p->m->stmts[p->loop->first].at.pos);
	write_body(p);
	write_section(p, opt, "latch", p->f->block.end - 1);
}

void
task_loop_write(const Module *m, const Pass_options *opt, const Task_loop *loops, Edits *e)
{
	Arena *a = arena_new();
	Bits needed = bits_new(a, m->nfuncs);
	uint32_t number = unique_first_number(m), first = 0;
	char prefix[32];
	Tpl t, claim;

	tpl_init(&t, TEMPLATE_GRID, opt->debug.omit, a);
	tpl_init(&claim, TEMPLATE_CANCEL, opt->debug.omit, a);
	t.prefix = claim.prefix = prefix;
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		Task_loop_writer p = { .m = m, .loop = &loops[f], .f = &m->funcs[f], .edits = e,
			.t = loops[f].claims ? &claim : &t };
		if (!loops[f].enabled)
			continue;
		snprintf(prefix, sizeof prefix, "ccc%u_", number++);
		first = first ? first : f;
		task_loop_calls_mark_needed(p.loop->calls, f, needed);
		write_loop(&p, opt);
	}
	if (first)
		task_loop_calls_write(loops[first].calls, needed, m->funcs[first].at.pos, e, &t);
	tpl_release(&t);
	tpl_release(&claim);
	arena_free(a);
}
