/* SPDX-License-Identifier: MIT */
/* Computes which values are the same in all lanes of a warp; see uniformity.h.
 *
 * Variance spreads from its sources over three kinds of edges to a fixed point; each item is
 * visited once:
 *
 *	data	an instruction with a varying operand or guard has varying results
 *	control	two lanes that diverge at a varying branch b and meet again at x bring
 *		different values. They can do so if two paths from b to x have no block
 *		in common, that is, if x is an immediate child of b in the dominator tree,
 *		rooted at b, of the blocks between b and its immediate post-dominator
 *	time	if lanes diverge at b, and some get back to the header of a loop around b
 *		before b's post-dominator, they are in different iterations: values that
 *		the loop carries vary, and so do values defined in it at uses outside
 *
 * Source: J. Rosemann, S. Moll, S. Hack, "An Abstract Interpretation for SPMD Divergence on
 * Reducible Control Flow Graphs", 2021, for the rules; finding the paths by dominators is ours. In
 * irreducible control flow under a varying branch all definitions vary.
 *
 * If a branch dominates its region, which is the rule in structured code, the dominator tree of the
 * region is part of the function's tree, and the region is an interval of its pre-order. So nested
 * branches do not visit each other's blocks. Other regions are walked; the sum of their sizes is
 * limited, beyond which every merged value varies, so the time stays linear. */
#include "analysis/cfg/branch_regions.h"
#include "analysis/cfg/graph.h"
#include "analysis/dataflow/function.h"
#include "base/vec.h"

enum { WORK_LIMIT = 1 << 22 };  /* blocks visited in all walked regions together */

typedef VEC(uint32_t) Ids;

/* A set of indices into Defuse.by_reg that are done. Skips them quickly, since many definitions
 * reach the same uses. */
typedef struct {
	/* by index: an index up to which all are done; 0: this one is not done */
	uint32_t *to;
	Ids done;
} Skip_list;

typedef struct {
	const Cfg *g;
	const Module *m;
	const Func *f;
	const Dom *d;
	const Loops *l;
	const Defuse *du;
	Uniform *u;
	Skip_list varied;               /* uses that vary */
	Skip_list outside;              /* uses visited for the current loop */
	Ids defs, branches;             /* work lists of definitions and of blocks */
	Graph flow;
	Branch_regions regions;
	/* by position in pre-order of the dominator tree: number of regions that begin there, less
	 * those that end before it */
	int32_t *cover;
	uint32_t branch;                /* the current one */
	bool walked;                    /* its region is in `region`; else it dominates it */
	/* blocks between the current branch and its post-dominator */
	Order region;
	/* by position: the ancestor directly below the branch in the dominator tree */
	uint32_t *top;
	uint32_t work;
} Variance;

/* ---- uses, each visited once ----------------------------------------------------------------- */

/* Returns the first index from i on that is not done. */
static uint32_t
skip_next(Skip_list *k, uint32_t i)
{
	while (k->to[i]) {
		if (k->to[k->to[i]])
			k->to[i] = k->to[k->to[i]];
		i = k->to[i];
	}
	return i;
}

static void
skip_done(Skip_list *k, uint32_t i)
{
	k->to[i] = i + 1;
	*vec_push(&k->done) = i;
}

static void
skip_reset(Skip_list *k)
{
	while (k->done.n)
		k->to[*vec_pop(&k->done)] = 0;
}

/* Iterates over the indices i of uses that definition d reaches and that are not done. */
#define EACH_NOT_DONE(du, k, d, i) \
	for (uint32_t i##_of = (du)->users_of[d]; i##_of < (du)->users_of[(d) + 1]; i##_of++) \
		for (uint32_t i = skip_next(k, (du)->users[i##_of].first); \
			i < (du)->users[i##_of].end; i = skip_next(k, i + 1))

/* ---- sources --------------------------------------------------------------------------------- */

/* Properties of a statement's operands: one differs between lanes; one is an argument or result of
 * a call. */
typedef struct { bool varies, frame; } Operand_summary;

static Operand_summary
summarise_operands(const Variance *s, uint32_t stmt)
{
	Operand_summary o = { false, false };

	REFS_EACH(s->du->refs, stmt, r) {
		const Sym *y = &s->m->syms[r->sym];
		if (r->written)
			continue;
		if (y->kind == SYM_SPECIAL && (ptx_sregs[y->aux].flags & (SREGF_LANE | SREGF_TIME)))
			o.varies = true;
		if (ptx_is_reg(s->m, r->sym) && !ptx_is_reg_of(s->m, s->f, r->sym))
			o.varies = true;        /* a module-level register of old PTX */
		if (y->space == SPACE_PARAM && (y->kind == SYM_VAR || !s->f->entry))
			o.frame = true;
	}
	return o;
}

/* Whether lanes that load from the same address may get different values. */
static bool
load_varies(const Variance *s, uint32_t stmt)
{
	switch (ptx_space(s->m, &s->m->stmts[stmt])) {
	case SPACE_CONST:
		return false;
	case SPACE_PARAM:
		return summarise_operands(s, stmt).frame || !s->f->entry;
	case SPACE_GLOBAL:
		return !ptx_has(s->m, &s->m->stmts[stmt], "nc");
	default:
		return true;
	}
}

/* Whether the results of an instruction may differ between lanes whose operands are equal. */
static bool
source_varies(const Variance *s, uint32_t stmt)
{
	const Stmt *st = &s->m->stmts[stmt];
	uint32_t flags = ptx_flags(s->m, st);

	if (ptx_op(s->m, st) == OP_UNKNOWN ||
		(flags & (OPF_VARIES | OPF_ATOMIC | OPF_CROSS | OPF_EFFECT | OPF_CARRY)))
		return true;
	if (flags & OPF_LOAD)
		return load_varies(s, stmt);
	if (!(flags & OPF_PURE))
		return true;
	Operand_summary o = summarise_operands(s, stmt);
	return o.varies || o.frame;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void
vary_def(Variance *s, uint32_t def)
{
	if (bits_has(s->u->def, def))
		return;
	bits_set(s->u->def, def);
	*vec_push(&s->defs) = def;
}

static void
vary_results(Variance *s, uint32_t stmt)
{
	DEFUSE_DEFS_OF_STMT(s->du, s->f, stmt, d)
		vary_def(s, d);
}

static void
vary_use(Variance *s, uint32_t use)
{
	uint32_t stmt = s->du->uses[use].stmt, block = cfg_block_of(s->g, stmt);

	if (bits_has(s->u->use, use))
		return;
	bits_set(s->u->use, use);
	vary_results(s, stmt);
	if (cfg_terminator(s->g, block) != stmt || bits_has(s->u->branch, block))
		return;
	bits_set(s->u->branch, block);
	if (s->g->blocks[block].nsucc > 1 && s->g->rpo_index[block] != UINT32_MAX)
		*vec_push(&s->branches) = block;
}

static void
vary_users(Variance *s, uint32_t def)
{
	EACH_NOT_DONE(s->du, &s->varied, def, i) {
		skip_done(&s->varied, i);
		vary_use(s, s->du->by_reg[i]);
	}
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Makes all definitions in a block vary. */
static void
vary_block(Variance *s, uint32_t block)
{
	CFG_STMTS(s->g, block, stmt)
		vary_results(s, stmt);
}

/* Makes the definitions of a block of a loop vary at uses outside of the loop. */
static void
vary_outside(Variance *s, uint32_t block, uint32_t loop)
{
	CFG_STMTS(s->g, block, stmt)
		DEFUSE_DEFS_OF_STMT(s->du, s->f, stmt, d)
			EACH_NOT_DONE(s->du, &s->outside, d, i) {
				uint32_t u = s->du->by_reg[i];
				skip_done(&s->outside, i);
				if (!loop_contains(
					    s->l, loop, cfg_block_of(s->g, s->du->uses[u].stmt)))
					vary_use(s, u);
			}
}

/* Handles a loop whose lanes may be in different iterations. */
static void
vary_loop(Variance *s, uint32_t loop)
{
	const Loop *k = &s->l->loops[loop];
	const Defuse *du = s->du;

	if (bits_has(s->u->loop, loop))
		return;
	bits_set(s->u->loop, loop);
	for (uint32_t i = du->merge_of_block[k->header]; i < du->merge_of_block[k->header + 1]; i++)
		for (uint32_t r = du->merges[i].def; r < du->merges[i].def + du->merges[i].ndef;
			r++) {
			const Def *d = &du->defs[du->reach[r]];
			if (d->stmt && loop_contains(s->l, loop, cfg_block_of(s->g, d->stmt)))
				vary_def(s, du->reach[r]);
		}
	BITS_EACH(b, k->blocks)
		vary_outside(s, b, loop);
	skip_reset(&s->outside);
}

static void
vary_irreducible(Variance *s)
{
	BITS_EACH(b, s->l->irreducible)
		vary_block(s, b);
}

/* ---- control --------------------------------------------------------------------------------- */

/* Whether a block is on a path from the branch to its post-dominator, both exclusive. */
static bool
block_is_between(const Variance *s, uint32_t block)
{
	if (!s->walked)
		return branch_region_contains(s->d, s->branch, block);
	uint32_t at = s->region.at[block];
	return at != FLOW_NONE && at != 0 && block != s->region.stop;
}

/* Whether lanes that diverge at the branch may meet at the block at position i of its walked
 * region. That requires that the branch is its immediate dominator in the region, and that a
 * predecessor is reachable without passing through the block. */
static bool
is_join(const Variance *s, uint32_t i)
{
	const Order *o = &s->region;
	uint32_t x = o->node[i];

	if (o->idom[i] != 0)
		return false;
	CFG_PRED(s->g, x, from)
		if (block_is_between(s, from) && s->top[o->at[from]] != i)
			return true;
	return false;
}

/* The same for a child in the dominator tree of a branch that dominates its region. */
static bool
child_is_join(const Variance *s, uint32_t x)
{
	CFG_PRED(s->g, x, from)
		if (block_is_between(s, from) && !dom_dominates(s->d, x, from))
			return true;
	return false;
}

/* Makes the definitions vary that meet at block x and are on a path from the branch. */
static void
vary_merges(Variance *s, uint32_t x)
{
	const Defuse *du = s->du;

	for (uint32_t i = du->merge_of_block[x]; i < du->merge_of_block[x + 1]; i++)
		for (uint32_t r = du->merges[i].def; r < du->merges[i].def + du->merges[i].ndef;
			r++) {
			const Def *d = &du->defs[du->reach[r]];
			if (d->stmt && block_is_between(s, cfg_block_of(s->g, d->stmt)))
				vary_def(s, du->reach[r]);
		}
}

/* Whether a lane may get back to the branch, the root of the region, before it meets the others. */
static bool
lane_may_return(const Variance *s)
{
	CFG_PRED(s->g, s->branch, from)
		if (from == s->branch || block_is_between(s, from))
			return true;
	return false;
}

/* Handles the joins and the blocks of a region that the branch does not dominate. */
static void
vary_walked_region(Variance *s)
{
	Order *o = &s->region;

	order_walk(o, &s->flow, s->branch, s->d->ipdom[s->branch]);
	order_idom(o, &s->flow);
	s->work += o->n;
	for (uint32_t i = 1; i < o->n; i++) {
		s->top[i] = o->idom[i] ? s->top[o->idom[i]] : i;
		if (o->node[i] != o->stop)
			bits_set(s->u->block, o->node[i]);
	}
	for (uint32_t i = 1; i < o->n; i++)
		if (is_join(s, i))
			vary_merges(s, o->node[i]);
}

/* The same for a region that the branch dominates. */
static void
vary_dominated_region(Variance *s)
{
	const Dom *d = s->d;
	uint32_t b = s->branch, meet = d->ipdom[b];

	s->cover[d->in[b] + 1]++;
	s->cover[d->out[b] + 1]--;
	if (branch_dominates_meet(d, b)) {
		s->cover[d->in[meet]]--;
		s->cover[d->out[meet] + 1]++;
	}
	BRANCH_CHILDREN(&s->regions, b, x)
		if (child_is_join(s, x))
			vary_merges(s, x);
	if (bits_has(s->regions.joined, b))
		vary_merges(s, meet);
}

static void
vary_branch(Variance *s, uint32_t b)
{
	s->branch = b;
	s->walked = !bits_has(s->regions.dominated, b);
	if (s->walked)
		vary_walked_region(s);
	else
		vary_dominated_region(s);
	bool back = lane_may_return(s);
	if (back)
		bits_set(s->u->block, b);
	for (uint32_t loop = s->l->loop_of[b]; loop; loop = s->l->loops[loop].parent) {
		uint32_t h = s->l->loops[loop].header;
		if (h == b ? back : block_is_between(s, h))
			vary_loop(s, loop);
	}
	if (back && bits_has(s->l->irreducible, b))
		vary_irreducible(s);
	order_reset(&s->region);
}

/* Adds the blocks of the regions that were not walked to Uniform.block. */
static void
add_covered_blocks(Variance *s)
{
	int32_t open = 0;

	for (uint32_t i = 1; i <= s->d->out[1]; i++) {
		open += s->cover[i];
		if (open > 0)
			bits_set(s->u->block, s->regions.preorder[i]);
	}
}

/* Handles too many large regions: every merged value varies. */
static void
vary_everything(Variance *s)
{
	for (uint32_t i = 0; i < s->du->merge_of_block[s->g->nblocks]; i++)
		for (uint32_t r = 0; r < s->du->merges[i].ndef; r++)
			vary_def(s, s->du->reach[s->du->merges[i].def + r]);
	for (uint32_t loop = 1; loop < s->l->nloops; loop++)
		vary_loop(s, loop);
	for (uint32_t b = 1; b < s->g->nblocks; b++)
		bits_set(s->u->block, b);
}

/* ---- driver ---------------------------------------------------------------------------------- */

static void
propagate_variance(Variance *s)
{
	bool bounded = true;

	while (s->defs.n || s->branches.n) {
		if (s->defs.n) {
			vary_users(s, *vec_pop(&s->defs));
		} else if (s->work < WORK_LIMIT) {
			vary_branch(s, *vec_pop(&s->branches));
		} else {
			s->branches.n = 0;
			if (bounded)
				vary_everything(s);
			bounded = false;
		}
	}
}

Uniform *
uniform_build(const Cfg *g, const Dom *d, const Loops *l, const Defuse *du, Arena *a)
{
	Variance s = { .g = g, .m = g->m, .f = &g->m->funcs[g->func], .d = d, .l = l, .du = du };
	Arena *tmp = arena_new();

	s.u = arena_zalloc(a, sizeof *s.u);
	s.u->def = bits_new(a, du->ndefs);
	s.u->use = bits_new(a, du->nuses);
	s.u->branch = bits_new(a, g->nblocks);
	s.u->block = bits_new(a, g->nblocks);
	s.u->loop = bits_new(a, l->nloops);
	s.flow = graph_of(g, tmp);
	s.region = order_new(g->nblocks, tmp);
	s.varied.to = arena_array(tmp, du->nuses + 1u, sizeof *s.varied.to);
	s.outside.to = arena_array(tmp, du->nuses + 1u, sizeof *s.outside.to);
	s.top = arena_array(tmp, g->nblocks, sizeof *s.top);
	s.regions = branch_regions_build(g, d, tmp);
	s.cover = arena_array(tmp, g->nblocks + 2u, sizeof *s.cover);
	for (uint32_t i = 1; i < du->ndefs; i++)
		if (!du->defs[i].stmt || du->defs[i].crowded || source_varies(&s, du->defs[i].stmt))
			vary_def(&s, i);
	propagate_variance(&s);
	add_covered_blocks(&s);
	vec_free(&s.defs);
	vec_free(&s.branches);
	vec_free(&s.varied.done);
	vec_free(&s.outside.done);
	arena_free(tmp);
	return s.u;
}

bool
uniform_any(const Fn *fn, const uint32_t *defs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (bits_has(fn->uniform->def, defs[i]))
			return true;
	return false;
}

bool
uniform_varies_at(const Fn *fn, uint32_t block, uint32_t sym)
{
	Reaching r = defuse_reaching(fn, block, sym);

	return uniform_any(fn, r.at, r.n);
}
