/* SPDX-License-Identifier: MIT */
/* Represents arms as graphs of nodes, which are chains of blocks. See meld.h. */
#include <string.h>
#include "transform/plan/plan.h"
#include "transform/rewrite/meld.h"

static uint32_t
new_node(Arm *arm)
{
	if (arm->nodes.n == 0)
		*vec_push(&arm->nodes) = (Arm_node){ 0 };
	*vec_push(&arm->nodes) = (Arm_node){ 0 };
	return arm->nodes.n - 1;
}

/* Whether block b has a single successor, in the arm, whose only predecessor is b. */
static bool
block_continues_node(const Fn *fn, const Arm *arm, uint32_t b)
{
	const Cfg *g = fn->cfg;

	return g->blocks[b].nsucc == 1 && bits_has(arm->region->blocks, cfg_succ(g, b)[0]) &&
		g->blocks[cfg_succ(g, b)[0]].npred == 1;
}

static void
add_units(const Fn *fn, Arm_node *n, uint32_t b)
{
	uint32_t t = cfg_terminator(fn->cfg, b), open = 0, depth = 0;

	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (s == t || meld_stmt_is_silent(st))
			continue;
		open = depth ? open : s;
		depth += st->kind == STMT_OPEN;
		depth -= st->kind == STMT_CLOSE;
		if (depth == 0)
			*vec_push(&n->units) = (Meld_unit){ open, s };
	}
}

/* Whether the block has a marker of another annotation. */
static bool
block_has_other_marker(const Fn *fn, const Arm *arm, uint32_t b)
{
	uint32_t id = fn->m->markers[arm->region->marker].id;

	FN_BLOCK_STMTS(fn, b, s)
		if (fn_stmt(fn, s)->kind == STMT_MARKER &&
			fn->m->markers[fn_stmt(fn, s)->sym].id != id)
			return true;
	return false;
}

/* Returns the first non-empty block reached from b, after the arm. Stops at markers of other
 * annotations, so that regions around the arm keep their ends. */
static uint32_t
skip_empty_after(const Fn *fn, const Arm *arm, uint32_t b)
{
	for (uint32_t i = 0; i < fn->cfg->nblocks; i++) {
		if (!cfg_block_empty(fn->cfg, b) || block_has_other_marker(fn, arm, b))
			break;
		b = cfg_succ(fn->cfg, b)[0];
	}
	return b;
}

/* Returns the first block reached from b that is not an empty block of the arm. */
static uint32_t
first_nonempty(const Fn *fn, const Arm *arm, uint32_t b)
{
	for (uint32_t i = 0; i < fn->cfg->nblocks; i++) {
		if (!bits_has(arm->region->blocks, b) || !cfg_block_empty(fn->cfg, b))
			break;
		b = cfg_succ(fn->cfg, b)[0];
	}
	return b;
}

/* Makes a node of the branch that ends node n, and returns it. */
static uint32_t
cut_branch(Arm *arm, uint32_t n)
{
	uint32_t branch = new_node(arm);
	Arm_node *p = &arm->nodes.at[n];

	arm->nodes.at[branch] = (Arm_node){
		.first = p->last, .last = p->last, .depth = p->depth, .is_cut = true
	};
	p->to[0] = branch;
	p->nto = 1;
	p->cut = true;
	return branch;
}

/* Returns the node that starts with block b; makes it, and all nodes reachable from it, if
 * needed. */
static uint32_t
node_from_block(const Fn *fn, Arm *arm, uint32_t b, uint32_t *of_block)
{
	if (of_block[b])
		return of_block[b];
	uint32_t n = of_block[b] = new_node(arm);
	if (!bits_has(arm->region->blocks, b)) {
		arm->nodes.at[n].exit_block = b;
		arm->nodes.at[n].exit_target = skip_empty_after(fn, arm, b);
		return n;
	}
	const Loops *l = fn->loops;
	arm->nodes.at[n].first = b;
	arm->nodes.at[n].depth = l->loops[l->loop_of[b]].depth -
		l->loops[l->loop_of[arm->region->entry]].depth;
	if (arm->nodes.at[n].depth && l->loops[l->loop_of[b]].header == b)
		arm->nodes.at[n].loop = l->loop_of[b];
	for (; block_continues_node(fn, arm, b); b = cfg_succ(fn->cfg, b)[0])
		add_units(fn, &arm->nodes.at[n], b);
	add_units(fn, &arm->nodes.at[n], b);
	arm->nodes.at[n].last = b;
	uint32_t t = cfg_terminator(fn->cfg, b), to[2], nto = fn->cfg->blocks[b].nsucc;
	uint32_t last = nto == 2 && arm->cut ? cut_branch(arm, n) : n;
	if (nto == 2)
		arm->nodes.at[last].branch = t;
	for (uint32_t i = 0; i < nto; i++)
		to[i] = node_from_block(
			fn, arm, first_nonempty(fn, arm, cfg_succ(fn->cfg, b)[i]), of_block);
	memcpy(arm->nodes.at[last].to, to, nto * sizeof *to);
	arm->nodes.at[last].nto = nto;
	return n;
}

/* Finds the node at which all paths from each node meet. */
static void
find_joins(const Fn *fn, Arm *arm, const uint32_t *of_block)
{
	BITS_EACH(b, arm->region->blocks) {
		if (!of_block[b])
			continue;
		Arm_node *n = &arm->nodes.at[of_block[b]];
		uint32_t join = first_nonempty(fn, arm, fn->dom->ipdom[n->last]);
		if (n->cut) {
			n->join = n->to[0];
			n = &arm->nodes.at[n->to[0]];
		}
		n->join = join ? of_block[join] : 0;
	}
}

/* Returns which kind of statement an arm may not contain (D5); NULL if s is allowed. */
static const char *
find_unmeldable(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(fn->m, s) : 0;
	uint32_t effects = s->kind == STMT_INSN ? fn_effects(fn, stmt) : 0;

	if (s->kind == STMT_INSN && ptx_op(fn->m, s) == OP_UNKNOWN)
		return "an instruction that is not known";
	if (effects & (EFF_BARRIER | EFF_CROSS))
		return "an operation between lanes";
	if (flags & (OPF_EXIT | OPF_STACK) || effects & EFF_EXIT)
		return "an instruction that ends the thread or moves its stack";
	if (flags & OPF_BRANCH && ptx_op(fn->m, s) == OP_BRX)
		return "a branch by a table";
	return NULL;
}

Verdict
meld_check_arm(const Meld *x, const Arm *arm)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, arm->region->blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			const char *what = find_unmeldable(fn, s);
			if (what)
				return verdict(x->arena, D_DISTRIBUTE, fn_stmt(fn, s)->at.pos,
					"an arm has %s", what);
		}
	return VERDICT_YES;
}

void
meld_build_arm(const Meld *x, Arm *arm)
{
	uint32_t *of_block = arena_array(x->arena, x->fn->cfg->nblocks, sizeof *of_block);

	arm->merged = arena_array(x->arena, x->fn->f->nsym, sizeof *arm->merged);
	node_from_block(x->fn, arm, arm->region->entry, of_block);
	find_joins(x->fn, arm, of_block);
}
