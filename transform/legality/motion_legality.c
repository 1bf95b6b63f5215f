/* SPDX-License-Identifier: MIT */
/* Whether code may be moved. Effects (analysis/interproc/effects.h) tell what a statement does,
 * including the functions that it calls; a table tells which effect prevents which motion.
 *
 * An operation in the common code that names other lanes would exist in two copies of the loop, and
 * the lanes that it names may be in different copies, since a group that arrives alone runs the
 * original loop (LLVM: convergent operations must not become control dependent on additional
 * values). The same holds for bar.sync, which all lanes of a warp must execute at one place. And a
 * lane that would have ended its thread, which barriers then no longer wait for, is parked. */
#include "analysis/memory/definite_init.h"
#include "base/demangle.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/plan.h"

static const struct {
	uint32_t effect;
	unsigned how;           /* the motions that it prevents */
	Diag_kind kind;
	const char *what, *note;
} barred[] = {
	{ EFF_BARRIER, MOTION_DELAYED, D_BARRIER, "a block barrier in the path",
		"a task waits until the warp runs it: a barrier in it may wait for ever" },
	{ EFF_CROSS, MOTION_OTHER_LANE | MOTION_DELAYED, D_WARP_SYNC,
		"a warp-synchronous operation in the path", NULL },
	{ EFF_ASYNC, MOTION_OTHER_LANE, D_WARP_SYNC, "an asynchronous copy, or a wait for one, in the path",
		NULL },
	{ EFF_BARRIER, MOTION_DIVERGED, D_BARRIER, "a block barrier in the loop",
		"some lanes of a warp may run the original loop and others the transformed one, so they cannot synchronise there" },
	{ EFF_BARRIER, MOTION_WAITS, D_BARRIER, "a block barrier in the loop",
		"lanes of a warp wait for each other in the loop, and the barrier may wait for a waiting lane" },
	{ EFF_CROSS, MOTION_WAITS, D_WARP_SYNC, "a warp-synchronous operation in the loop",
		"lanes of a warp wait for each other in the loop, and the operation may wait for a waiting lane" },
	{ EFF_CROSS, MOTION_DIVERGED, D_WARP_SYNC, "a warp-synchronous operation in the loop",
		"some lanes of a warp may run the original loop and others the transformed one, so they cannot synchronise there" },
};

/* ---- calls ----------------------------------------------------------------------------------- */

/* Returns the demangled name of the called function. */
static const char *
callee_name(const Plan *x, uint32_t callee)
{
	size_t len;
	const char *s = ptx_name(x->fn->m, x->fn->m->funcs[callee].sym, &len);

	return demangle(x->arena, s, len);
}

uint32_t
effects_with_callees(const Plan *x, uint32_t s)
{
	const Fn *fn = x->fn;
	uint32_t eff = fn_effects(fn, s);

	if (!(eff & EFF_INDIRECT) || !x->remap || !bits_any(x->remap->key.callees))
		return eff;
	eff &= ~(uint32_t)EFF_INDIRECT;
	BITS_EACH(f, x->remap->key.callees)
		eff |= fn->effects->func[f];
	return eff;
}

/* Returns the function that the call names; through a pointer: one that may be reached and has the
 * effect. */
static uint32_t
callee_with(const Plan *x, uint32_t s, uint32_t effect)
{
	uint32_t callee = effects_callee(x->fn->m, s);

	if (!callee && x->remap)
		BITS_EACH(f, x->remap->key.callees)
			if (!callee && x->fn->effects->func[f] & effect)
				callee = f;
	return callee;
}

static Verdict
refuse_pointer(const Plan *x, uint32_t pos, const char *where)
{
	Verdict v = verdict(x->arena, D_CALL, pos, "a call through a pointer in the %s", where);

	if (!x->remap || !x->remap->key.buckets)
		return v;
	return verdict_note(v, x->arena, DIAG_NOWHERE, "%s",
		bits_any(x->remap->key.callees) ?
			"a function whose address is taken calls through a pointer, too, and may recurse" :
			"it may call functions of other modules: compile without '-rdc=true'");
}

static Verdict
check_call_movable(const Plan *x, uint32_t s, uint32_t eff, unsigned how)
{
	const Fn *fn = x->fn;
	uint32_t pos = fn_stmt(fn, s)->at.pos,
		 callee = callee_with(x, s, EFF_EXTERN | EFF_EXIT | EFF_RECURSE);
	const char *where = how & (MOTION_DIVERGED | MOTION_WAITS) ? "loop" : "path";

	if (eff & EFF_INDIRECT)
		return refuse_pointer(x, pos, where);
	const char *name = callee ? callee_name(x, callee) : "a function";
	if (eff & EFF_EXTERN)
		return verdict_note(
			verdict(x->arena, D_CALL, pos,
				"a call in the %s to '%s', %s body is not in this module", where,
				name,
				callee && fn->m->funcs[callee].body ?
					"which calls a function whose" :
					"whose"),
			x->arena, DIAG_NOWHERE,
			"make the function inline, or define it in the same file");
	if (eff & EFF_EXIT)
		return verdict(x->arena, D_CALL, pos,
			"a call in the %s to '%s', which may end the thread", where, name);
	if (eff & EFF_RECURSE)
		return verdict_note(
			verdict(x->arena, D_CALL, pos, "a call in the %s to '%s', which recurses",
				where, name),
			x->arena, DIAG_NOWHERE,
			"after a recursive call ptxas assumes that lanes have reconverged when they have not, and votes go wrong; write a loop instead");
	if (callee && (callee == fn->func || effects_reaches(fn->m, fn->effects, callee, fn->func)))
		return verdict(x->arena, D_CALL, pos,
			"a call in the %s to '%s' can come back to this function", where, name);
	return VERDICT_YES;
}

/* ---- thread-local memory --------------------------------------------------------------------- */

typedef struct {
	const Plan *x;
	/* names memory of the function's frame, or a register that may hold its address */
	bool own_frame;
	/* names other thread-local memory: a .func's parameter or result, a variable of the
	 * module */
	bool other;
	Address_origin from; /* origin of the address in the register */
} Local_use;

/* Adds what the statement names. */
static void
note_local_use(Local_use *u, uint32_t stmt)
{
	const Fn *fn = u->x->fn;

	FN_REFS(fn, stmt, r) {
		const Sym *y = &fn->m->syms[r->sym];
		Address_origin from = address_origin_of(u->x->locals, r->sym);
		/* The .param variables in a call's braces are the callee's arguments; the stores to
		 * them are checked instead. */
		if (y->space == SPACE_LOCAL)
			*(y->func == fn->func ? &u->own_frame : &u->other) = true;
		else if (y->kind != SYM_VAR && from.func) {
			u->own_frame = true;
			u->from = u->from.func ? u->from : from;
		}
		if (y->kind == SYM_PARAM && y->space == SPACE_PARAM && !fn->f->entry)
			u->other = true;
	}
}

/* Whether a call may find the address of thread-local memory in memory. */
static bool
call_may_find_local(const Plan *x, uint32_t stmt)
{
	return ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL &&
		fn_effects(x->fn, stmt) &
			(EFF_READ | EFF_GENERIC | EFF_LOCAL | EFF_EXTERN | EFF_INDIRECT) &&
		local_address_is_stored(x->locals).func;
}

/* The answer is mostly no, and then the whole function need not be searched. */
bool
blocks_use_local_memory(const Plan *x, Bits blocks)
{
	const Fn *fn = x->fn;
	Local_use u = { .x = x };

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (!u.own_frame && fn_stmt(fn, s)->kind == STMT_INSN) {
				note_local_use(&u, s);
				u.own_frame |= (fn_effects(fn, s) & EFF_LOCAL) != 0 ||
					call_may_find_local(x, s);
			}
	return u.own_frame;
}

/* Whether no other code accesses the frame's memory. What another run of the blocks left there does
 * not matter, since iterations are independent. */
static bool
local_is_private(const Plan *x, Bits blocks)
{
	const Fn *fn = x->fn;

	FN_STMTS(fn, s) {
		const Stmt *st = fn_stmt(fn, s);
		Local_use u = { .x = x };
		if (st->kind != STMT_INSN || bits_has(blocks, cfg_block_of(fn->cfg, s)))
			continue;
		uint32_t flags = ptx_flags(fn->m, st), eff = fn_effects(fn, s);
		note_local_use(&u, s);
		if (eff & EFF_STACK ||
			(flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC | OPF_CALL) &&
				(u.own_frame || eff & EFF_LOCAL)))
			return false;
	}
	return true;
}

/* Whether a `scratch` clause covers the blocks: the loop's, or that of the outermost path among
 * them. */
static bool
clause_says_scratch(const Plan *x, Bits blocks)
{
	if (annot_has(&plan_marker(x)->annot, CLAUSE_SCRATCH))
		return true;
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Region *p = x->site->paths[i], *around = p->parent;
		bool outer = bits_has(blocks, p->entry);
		for (; around && around->kind != REGION_LOOP; around = around->parent)
			outer &= !around->entry || !bits_has(blocks, around->entry);
		if (outer && annot_has(&x->fn->m->markers[p->marker].annot, CLAUSE_SCRATCH))
			return true;
	}
	return false;
}

/* Whether a lane may have run other lanes' code on an edge. That is possible where movable code is
 * entered or left, on all edges from the branch before it, since lanes vote there; at blocks that
 * every iteration executes; and where the loop is left or bypassed, since the lane then runs the
 * others' tasks: where control leaves the blocks that lead to the loop, even if it stays in the
 * region. */
typedef struct { const Plan *x; Bits blocks, leads; } Lane_switch;

static bool
edge_switches_lane(const Fn *fn, Bits blocks, uint32_t from, uint32_t to)
{
	bool before = false;

	FN_SUCC(fn, from, s)
		before |= s && bits_has(blocks, s);
	return bits_has(blocks, from) != (to && bits_has(blocks, to)) ||
		(before && !bits_has(blocks, from));
}

static bool
lane_switch_on_edge(void *user, uint32_t from, uint32_t to)
{
	const Lane_switch *w = user;
	const Fn *fn = w->x->fn;
	const Region *site = w->x->site;

	if (edge_switches_lane(fn, w->blocks, from, to))
		return true;
	for (uint32_t i = 0; i < site->npaths; i++)
		if (edge_switches_lane(fn, site->paths[i]->blocks, from, to))
			return true;
	for (uint32_t i = 0; i < site->ninner_loops; i++) {
		const Region *r = site->inner_loops[i];
		if (edge_switches_lane(fn, r->blocks, from, to) ||
			(r->loop && to == fn->loops->loops[r->loop].header))
			return true;
	}
	if (!site->loop)
		return false;
	return loop_contains(fn->loops, site->loop, from) !=
		(to && loop_contains(fn->loops, site->loop, to)) ||
		(bits_has(w->leads, from) && !(to && bits_has(w->leads, to))) ||
		(to && !bits_has(w->blocks, to) && loop_contains(fn->loops, site->loop, to) &&
			fn_in_every_iteration(fn, site->loop, to));
}

/* Returns the blocks of the region from which its loop is reached, if it has one. */
static Bits
blocks_before_loop(const Plan *x)
{
	Bits b = bits_new(x->scratch, x->fn->cfg->nblocks);

	if (x->site->loop)
		cfg_flood(x->fn->cfg, plan_header(x), true, x->site->blocks, b);
	return b;
}

/* If addresses of thread-local memory stay in registers, the lane that runs the code uses its own
 * memory at the same address. (The slow path of sinf and cosf is such code.) */
bool
blocks_local_is_scratch(const Plan *x, Bits blocks)
{
	if (!blocks_use_local_memory(x, blocks) || !local_memory_is_private(x->locals))
		return false;
	if (local_is_private(x, blocks) || clause_says_scratch(x, blocks))
		return true;
	Lane_switch w = { x, blocks, blocks_before_loop(x) };
	return definite_init_reads(x->fn, x->locals, lane_switch_on_edge, &w, x->scratch);
}

/* Whether the statement may use thread-local memory that is not scratch. A callee may find such an
 * address in memory if one was stored there. *from: the origin of the offending address. */
static bool
check_local_use(const Plan *x, uint32_t stmt, uint32_t eff, bool scratch, Address_origin *from)
{
	Local_use u = { .x = x };
	bool call = ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL;

	note_local_use(&u, stmt);
	*from = u.from;
	if (eff & EFF_STACK || u.other)
		return true;
	if ((u.own_frame || (!call && eff & EFF_LOCAL)) && !scratch)
		return true;
	*from = local_address_is_stored(x->locals);
	return call && eff & (EFF_GENERIC | EFF_LOCAL) && from->func;
}

/* Adds a note that says how the address of thread-local memory reaches the code, unless the
 * function takes the address itself. */
static Verdict
note_address_source(const Plan *x, Verdict v, Address_origin from)
{
	const Module *m = x->fn->m;
	const Stmt *s = &m->stmts[from.stmt];
	const char *does = "takes";

	if (!from.func)
		return v;
	uint32_t name = m->funcs[from.func].sym;
	if (!from.stmt)
		return verdict_note(v, x->arena, m->syms[name].pos,
			"other modules can call '%.*s', and pass or store the address of thread-local memory",
			PTX_NAME(m, name));
	if (ptx_op(m, s) == OP_CALL)
		does = "passes";
	else if (ptx_flags(m, s) & OPF_STORE)
		does = "stores";
	else if (from.func == x->fn->func)
		return v;
	return verdict_note(v, x->arena, s->at.pos,
		"'%.*s' %s the address of thread-local memory here", PTX_NAME(m, name), does);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether a statement other than a branch or call names a label, which has no address in PTX. */
static bool
stmt_takes_label(const Fn *fn, uint32_t stmt)
{
	if (ptx_flags(fn->m, fn_stmt(fn, stmt)) & (OPF_BRANCH | OPF_CALL))
		return false;
	FN_REFS(fn, stmt, r)
		if (fn->m->syms[r->sym].kind == SYM_LABEL)
			return true;
	return false;
}

/* Whether another lane may execute the statement. */
static Verdict
check_lane_specific(const Plan *x, uint32_t s, uint32_t eff, bool scratch)
{
	const Stmt *st = fn_stmt(x->fn, s);
	Op op = ptx_op(x->fn->m, st);
	Address_origin from;

	if (eff & EFF_LANE && op == OP_CALL)
		return verdict(x->arena, D_CALL, st->at.pos,
			"a call in the path to '%s', which reads the thread's own index or lane",
			callee_name(x, callee_with(x, s, EFF_LANE)));
	if (check_local_use(x, s, eff, scratch, &from)) {
		Verdict v = verdict(x->arena, D_LOCAL, st->at.pos,
			"it may access its owner's thread-local memory");
		return verdict_note(note_address_source(x, v, from), x->arena, DIAG_NOWHERE,
			"an array indexed at run time, or a variable whose address is taken, may be in the path alone; in the rest too, "
			"where each fills it before it reads it: if that is so but not seen, say 'scratch'");
	}
	if (op == OP_EXIT || op == OP_RET)
		return verdict(x->arena, D_CONTROL, st->at.pos, "the thread may end inside it");
	return VERDICT_YES;
}

Verdict
stmt_check_movable(const Plan *x, uint32_t s, unsigned how, bool scratch)
{
	const Module *m = x->fn->m;
	const Stmt *st = fn_stmt(x->fn, s);
	uint32_t eff = effects_with_callees(x, s);
	Verdict v;

	if (st->kind != STMT_INSN)
		return VERDICT_YES;
	if (stmt_takes_label(x->fn, s))
		return verdict(x->arena, D_OPCODE, st->head, "an instruction that is not a branch names a label");
	if (eff & EFF_UNKNOWN)
		return verdict(x->arena, D_OPCODE, st->head,
			"the opcode '%.*s' is not known to this program",
			(int)(st->head_end - st->head), m->src->text + st->head);
	if (ptx_op(m, st) == OP_CALL && verdict_is_no(v = check_call_movable(x, s, eff, how)))
		return v;
	for (size_t i = 0; i < sizeof barred / sizeof *barred; i++)
		if (eff & barred[i].effect && how & barred[i].how) {
			v = verdict(x->arena, barred[i].kind, st->at.pos, "%s", barred[i].what);
			return barred[i].note ?
				verdict_note(v, x->arena, DIAG_NOWHERE, "%s", barred[i].note) :
				v;
		}
	return how & MOTION_OTHER_LANE ? check_lane_specific(x, s, eff, scratch) : VERDICT_YES;
}

Verdict
block_check_movable(const Plan *x, uint32_t block, unsigned how, bool scratch)
{
	Verdict v = VERDICT_YES;

	for (uint32_t s = x->fn->cfg->blocks[block].stmt;
		s < x->fn->cfg->blocks[block].end && !verdict_is_no(v); s++)
		v = stmt_check_movable(x, s, how, scratch);
	return v;
}
