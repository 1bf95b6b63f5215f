/* SPDX-License-Identifier: MIT */
/* Recursive functions as tasks of a warp: selection, legality and layout. See recursion.h. (The
 * store of a warp is that of Khorasani and others, MICRO-48 2015; tasks that make tasks as in Chen
 * and others, "Atos", ICPP 2022.)
 *
 *   needs:    effects, local_escape
 *   refuses:  results; functions that call it and that it calls; what another lane cannot execute
 *             (motion_legality.c); addresses of thread-local memory as arguments
 *   correct because: docs/proofs/recursion.md, T1 to T6
 *
 *   cost:     a call, an atomic and a store of each argument for each task; two barriers and a
 *             shuffle for each round
 *
 * The store is as large as fits beside the kernels' shared memory without fewer resident blocks,
 * and holds at least a warp of tasks. */
#include "analysis/analyse.h"
#include "transform/cost/launch_tasks.h"
#include "transform/legality/motion_legality.h"
#include "transform/rewrite/recursion.h"
#include "transform/task/shared_layout.h"
#include "transform/text/unique_names.h"

enum { STORE_HEAD = 16 }; /* bytes before a store's rows: the number of tasks */

typedef struct {
	const Module *m;
	const Pass_options *opt;
	const Effects *effects;
	const Threads *threads;
	Shared_usage shared;
	Arena *arena;           /* for reports */
	uint32_t number;
} Recursion_pass;

/* ---- legality -------------------------------------------------------------------------------- */

static bool
calls_itself(const Plan *x, uint32_t stmt)
{
	return effects_callee(x->fn->m, stmt) == x->fn->func &&
		ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL;
}

/* Whether the statement reads a parameter, which is an argument of the task. */
static bool
reads_parameter(const Plan *x, uint32_t stmt)
{
	const Stmt *s = fn_stmt(x->fn, stmt);

	return ptx_op(x->fn->m, s) == OP_LD && ptx_space(x->fn->m, s) == SPACE_PARAM;
}

static Verdict
check_statements(const Plan *x)
{
	const Module *m = x->fn->m;
	bool scratch = local_memory_is_private(x->locals), recurses = false;
	Verdict v = VERDICT_YES;

	FN_STMTS(x->fn, s) {
		const Stmt *st = fn_stmt(x->fn, s);
		if (verdict_is_no(v) || st->kind != STMT_INSN)
			continue;
		recurses |= calls_itself(x, s);
		if (ptx_op(m, st) != OP_CALL && fn_effects(x->fn, s) & EFF_LANE)
			return verdict(x->arena, D_CALL, st->at.pos,
				"it reads the thread's own index or lane; pass the index as an argument");
		if (ptx_op(m, st) != OP_RET && !calls_itself(x, s) && !reads_parameter(x, s))
			v = stmt_check_movable(x, s, MOTION_OTHER_LANE | MOTION_DELAYED, scratch);
	}
	if (verdict_is_no(v) || recurses)
		return v;
	return verdict_note(
		verdict(x->arena, D_PATH, DIAG_NOWHERE, "it does not call itself"), x->arena,
		DIAG_NOWHERE,
		"functions that call each other are not transformed; a loop is annotated by '#pragma ccc while' in an annotated loop");
}

static Verdict
check_parameters(const Plan *x)
{
	const Module *m = x->fn->m;
	const Func *f = x->fn->f;

	for (uint32_t y = f->param; y < f->param + f->nparam; y++) {
		Address_origin from = address_origin_of(x->locals, y);
		if (!from.func)
			continue;
		return verdict_note(
			verdict(x->arena, D_LOCAL,
				from.stmt ? m->stmts[from.stmt].at.pos : m->syms[y].pos,
				"an argument may be the address of its caller's thread-local memory"),
			x->arena, DIAG_NOWHERE,
			"another lane may run the call: pass values, or addresses of global or shared memory");
	}
	return VERDICT_YES;
}

static Verdict
check_function(const Plan *x)
{
	const Func *f = x->fn->f;

	if (f->entry)
		return verdict(x->arena, D_PATH, DIAG_NOWHERE,
			"the compiler inlined it into a kernel");
	if (f->nret)
		return verdict_note(
			verdict(x->arena, D_LIVE_OUT, x->fn->m->syms[f->ret].pos,
				"it returns a result, which its caller uses before the call has run"),
			x->arena, DIAG_NOWHERE,
			"make it void, and add each result to memory: atomicAdd(sum, x)");
	Verdict v = check_parameters(x);
	return verdict_is_no(v) ? v : check_statements(x);
}

/* ---- layout ---------------------------------------------------------------------------------- */

/* Adds the parts of the arguments that have that size: 1, 2, 4 or 8 bytes. */
static void
add_values(Recursion *r, uint32_t size)
{
	const Func *f = &r->m->funcs[r->func];

	for (uint32_t y = f->param; y < f->param + f->nparam; y++) {
		const Var *v = ptx_var(r->m, y);
		for (uint32_t at = 0; size == (v->align < 8 ? v->align : 8) && at < v->bytes;
			at += size)
			*vec_push(&r->values) = (Recursion_value){ .param = y,
				.number = y - f->param,
				.offset = at,
				.size = size };
	}
}

static uint32_t
task_bytes(const Recursion *r)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < r->values.n; i++)
		bytes += r->values.at[i].size;
	return bytes;
}

/* A row for each value: the capacity is a multiple of 32, so rows are aligned in any order. */
static void
lay_out_rows(Recursion *r)
{
	r->stride = STORE_HEAD;
	for (uint32_t i = 0; i < r->values.n; i++) {
		r->values.at[i].row = r->stride;
		r->stride += r->capacity * r->values.at[i].size;
	}
}

/* Sets the largest block that kernels which may call the function have. */
static void
set_threads(const Plan *x, Recursion *r)
{
	const Module *m = x->fn->m;
	const Annot *a = &plan_marker(x)->annot;
	Bits above = bits_new(x->scratch, m->nfuncs);
	uint64_t most = 0;

	effects_flood_callers(m, x->fn->effects, r->func, above);
	BITS_EACH(f, above) {
		const Func *k = &m->funcs[f];
		const uint32_t *n = k->reqntid[0] ? k->reqntid : k->maxntid;
		uint64_t threads = (uint64_t)n[0] * n[1] * n[2];
		if (k->entry && (threads == 0 || threads > most))
			most = threads ? threads : MAX_BLOCK;
	}
	uint64_t said = annot_has(a, CLAUSE_THREADS) ? a->number[CLAUSE_THREADS] :
						       x->opt->launch.threads;
	r->check_threads = said && said < most;
	r->threads = (uint32_t)(r->check_threads ? said : most);
	if (!r->threads || r->threads > MAX_BLOCK)
		r->threads = MAX_BLOCK;
}

static uint32_t
count_warps(const Recursion *r)
{
	return (r->threads + WARP - 1) / WARP;
}

static uint32_t
resident_blocks(const Plan *x, const Recursion *r, uint32_t shared)
{
	Occupancy o = launch_occupancy(x->fn->m, x->opt, 0, shared);

	return occupancy_blocks(&o, r->threads);
}

/* Selects the capacity: the largest that costs no resident block, or one warp of tasks. */
static Verdict
lay_out(const Plan *x, Recursion *r, Shared_usage *usage)
{
	Shared_budget budget = shared_budget(usage, x->fn, x->opt);
	uint32_t bytes = task_bytes(r) * WARP, used = MAX_SHARED - budget.shared;

	set_threads(x, r);
	if (budget.dynamic && !annot_has(&plan_marker(x)->annot, CLAUSE_THREADS))
		return verdict_note(
			verdict(x->arena, D_SHARED, DIAG_NOWHERE,
				"a kernel that calls it has dynamic shared memory too, and how much a launch asks for is not known"),
			x->arena, DIAG_NOWHERE,
			"say 'threads(N)' if there is room beside it, or give its size: --dynamic-shared=BYTES (cccnvcc: --ccc-dynamic-shared)");
	for (uint32_t groups = 1;; groups++) {
		uint32_t all = (STORE_HEAD + groups * bytes) * count_warps(r);
		if (all > budget.shared ||
			(groups > 1 && (!bytes || resident_blocks(x, r, used + all) <
						   resident_blocks(x, r, used))))
			break;
		r->capacity = groups * WARP;
	}
	if (!r->capacity)
		return verdict_note(
			verdict(x->arena, D_SHARED, DIAG_NOWHERE,
				"the tasks of %u threads need %u bytes of shared memory, and %u are left",
				r->threads, (STORE_HEAD + bytes) * count_warps(r), budget.shared),
			x->arena, DIAG_NOWHERE,
			"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
	lay_out_rows(r);
	usage->declared[r->func] += (uint64_t)r->stride * count_warps(r);
	return VERDICT_YES;
}

/* ---- one function ---------------------------------------------------------------------------- */

static void
run_function(Recursion_pass *w, uint32_t marker, Recursion_outcome *out, Edits *e)
{
	const Marker *k = &w->m->markers[marker];
	Arena *a = arena_new();
	const Fn *fn = fn_build(w->m, k->func, w->effects, a);
	Region site = { .marker = marker };
	Recursion r = { .m = w->m, .func = k->func, .number = w->number };
	Plan x = { .fn = fn,
		.site = &site,
		.locals = local_build(w->m, w->threads, k->func, a),
		.opt = w->opt,
		.arena = a,
		.scratch = a };
	Verdict v = annot_is_off(&k->annot) ? verdict_off(a) : check_function(&x);

	if (!verdict_is_no(v)) {
		for (uint32_t size = 8; size; size /= 2)
			add_values(&r, size);
		v = lay_out(&x, &r, &w->shared);
	}
	*out = (Recursion_outcome){ .marker = marker,
		.report = { .func = k->func, .done = !verdict_is_no(v) },
		.why = verdict_copy(&v, w->arena) };
	if (!verdict_is_no(v)) {
		Buf label = { 0 };
		buf_printf(&label, "$ccc%u_round", r.number);
		out->report.meeting_label = arena_strndup(w->arena, label.at, label.n);
		buf_free(&label);
		out->report.task_bytes = task_bytes(&r);
		out->report.shared = r.stride * count_warps(&r);
		out->report.threads = r.threads;
		recursion_write(&r, w->opt, e);
		w->number++;
	}
	vec_free(&r.values);
	arena_free(a);
}

static bool
is_annotated(const Module *m, const Pass_options *opt, uint32_t marker)
{
	const Marker *k = &m->markers[marker];

	return k->annot.kind == ANNOT_RECURSION && !k->end && !k->done &&
		(!k->wrong || annot_is_off(&k->annot)) &&
		!(opt->funcs.refused && opt->funcs.refused[k->func]);
}

bool
recursion_run(
	const Module *m, const Pass_options *opt, Arena *a, Recursion_outcomes *told, Edits *e)
{
	Recursion_pass w = { .m = m, .opt = opt, .arena = a };
	Arena *tables = arena_new();

	for (uint32_t i = 1; i < m->nmarkers; i++) {
		if (!is_annotated(m, opt, i))
			continue;
		if (!w.effects) {
			w.number = unique_first_number(m);
			w.effects = effects_build(m, tables);
			w.threads = threads_build(m, w.effects, tables);
			w.shared = shared_usage_build(m, tables);
		}
		run_function(&w, i, vec_push(told), e);
	}
	arena_free(tables);
	return edit_any(e);
}
