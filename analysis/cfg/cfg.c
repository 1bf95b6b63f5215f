/* SPDX-License-Identifier: MIT */
/* Builds the control-flow graph; see cfg.h.
 *
 * Two passes over the statements: the first finds the leaders and creates the blocks, the second
 * adds the edges. Predecessor lists and reverse post-order follow from those. Unreachable blocks
 * stay in the graph, because a pass that copies text must see them. Source: PTX ISA 9.7.12 (control
 * flow instructions). */
#include "analysis/cfg/cfg.h"
#include "analysis/cfg/graph.h"
#include "base/marker_label.h"
#include "base/vec.h"

typedef VEC(uint32_t) Ids;

uint32_t
cfg_label_block(const Cfg *g, uint32_t sym)
{
	const Func *f = &g->m->funcs[g->func];
	return ptx_has_sym(f, sym) ? g->block_of_label[ptx_local_sym(f, sym)] : 0;
}

static bool
stmt_transfers_control(const Module *m, const Stmt *s)
{
	return s->kind == STMT_INSN && (ptx_flags(m, s) & (OPF_BRANCH | OPF_EXIT));
}

uint32_t
cfg_terminator(const Cfg *g, uint32_t b)
{
	const Block *k = &g->blocks[b];
	return k->stmt < k->end && stmt_transfers_control(g->m, &g->m->stmts[k->end - 1]) ?
		k->end - 1 :
		0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Returns the labels that some statement names, by local symbol. */
static Bits
named_labels(const Module *m, const Func *f, Arena *a)
{
	Bits named = bits_new(a, f->nsym);

	PTX_STMTS(f, stmt) {
		const Stmt *s = &m->stmts[stmt];
		PTX_OPNDS(m, s, k, at) {
			const Opnd *o = &m->opnds[at];
			if (o->kind == OPND_SYM && ptx_has_sym(f, o->sym))
				bits_set(named, ptx_local_sym(f, o->sym));
		}
	}
	return named;
}

/* Whether a label is a leader. A label that `cccnvcc --ccc-markers-only` added after a marker is
 * not, so that the code is the same without it. */
static bool
label_splits_blocks(const Module *m, const Func *f, uint32_t sym, Bits named)
{
	size_t len;
	const char *name = ptx_name(m, sym, &len);

	return bits_has(named, ptx_local_sym(f, sym)) || !marker_label_is(name, len);
}

/* Whether the statement is the begin marker of a path whose first loads may remain before it
 * (coalesced_prefix.c). */
static bool
marker_allows_stay(const Module *m, const Stmt *s)
{
	const Marker *k = s->kind == STMT_MARKER ? &m->markers[s->sym] : NULL;

	return k && !k->end && !k->done && annot_has(&k->annot, CLAUSE_COALESCED);
}

/* Numbers the blocks: sets point_block of every statement and block_of_label of every code label.
 */
static void
find_blocks(Cfg *g)
{
	const Func *f = &g->m->funcs[g->func];
	Arena *tmp = arena_new();
	Bits named = named_labels(g->m, f, tmp);
	uint32_t b = 0;
	bool leader = true, head = false;
	PTX_STMTS(f, stmt) {
		const Stmt *s = &g->m->stmts[stmt];
		bool parts = s->kind == STMT_LABEL && label_splits_blocks(g->m, f, s->sym, named);
		if (leader || parts || s->kind == STMT_MARKER)
			b++;
		g->block_of[ptx_local_stmt(f, stmt)] = b;
		if (s->kind == STMT_LABEL)
			g->block_of_label[ptx_local_sym(f, s->sym)] = b;
		head = marker_allows_stay(g->m, s) || (head && !parts);
		leader = stmt_transfers_control(g->m, s);
		head = head && !leader;
		leader |= head && s->kind == STMT_INSN && ptx_op(g->m, s) == OP_LD;
	}
	g->nblocks = (b ? b : 1) + 1;   /* an empty body has an entry block too */
	arena_free(tmp);
}

static void
make_blocks(Cfg *g, Arena *a)
{
	const Func *f = &g->m->funcs[g->func];
	g->blocks = arena_array(a, g->nblocks, sizeof *g->blocks);
	g->blocks[1].stmt = g->blocks[1].end = f->stmt;
	PTX_STMTS(f, stmt) {
		Block *k = &g->blocks[cfg_block_of(g, stmt)];
		if (!k->stmt)
			k->stmt = stmt;
		k->end = stmt + 1;
	}
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Edges found so far. last: for each block, the last block with an edge to it. */
typedef struct { Ids to; uint32_t *last; } Edges;

static void
add_edge(Cfg *g, uint32_t b, uint32_t to, Edges *edges)
{
	if (edges->last[to] == b)
		return;
	edges->last[to] = b;
	*vec_push(&edges->to) = to;
	g->blocks[b].nsucc++;
}

/* Adds edges to the code labels among a statement's operands; if tables, also to those of the
 * .branchtargets that it names. */
static void
add_targets(Cfg *g, uint32_t b, const Stmt *s, bool tables, Edges *edges)
{
	PTX_OPNDS(g->m, s, k, i) {
		const Opnd *o = &g->m->opnds[i];
		if (o->kind != OPND_SYM || g->m->syms[o->sym].kind != SYM_LABEL)
			continue;
		const Stmt *at = &g->m->stmts[g->m->syms[o->sym].decl];
		if (at->kind == STMT_LABEL)
			add_edge(g, b, cfg_label_block(g, o->sym), edges);
		else if (tables && at->kind == STMT_TARGETS)
			add_targets(g, b, at, false, edges);
	}
}

static void
add_edges(Cfg *g, uint32_t b, Edges *edges)
{
	uint32_t t = cfg_terminator(g, b);
	Block *k = &g->blocks[b];
	k->succ = edges->to.n;
	k->falls = !t || g->m->stmts[t].guard;
	if (t && (ptx_flags(g->m, &g->m->stmts[t]) & OPF_BRANCH))
		add_targets(g, b, &g->m->stmts[t], true, edges);
	else if (t)
		add_edge(g, b, 0, edges);
	if (k->falls)
		add_edge(g, b, b + 1 < g->nblocks ? b + 1 : 0, edges);
}

/* Stores successor and predecessor lists in one array. */
static void
store_edges(Cfg *g, const Ids *succ, Arena *a)
{
	uint32_t at = succ->n;
	g->edges = arena_array(a, 2 * (size_t)succ->n, sizeof *g->edges);
	for (uint32_t i = 0; i < succ->n; i++)
		g->blocks[g->edges[i] = succ->at[i]].npred++;
	for (uint32_t b = 0; b < g->nblocks; b++) {
		g->blocks[b].pred = at;
		at += g->blocks[b].npred;
		g->blocks[b].npred = 0;
	}
	for (uint32_t b = 0; b < g->nblocks; b++)
		CFG_SUCC(g, b, to)
			g->edges[g->blocks[to].pred + g->blocks[to].npred++] = b;
}

/* Computes the reverse post-order from the entry, without the virtual exit. */
static void
number_blocks(Cfg *g, Arena *a)
{
	Arena *tmp = arena_new();
	Graph flow = graph_of(g, tmp);
	Order o = order_new(g->nblocks, tmp);
	g->rpo = arena_array(a, g->nblocks, sizeof *g->rpo);
	g->rpo_index = arena_array(a, g->nblocks, sizeof *g->rpo_index);
	for (uint32_t b = 0; b < g->nblocks; b++)
		g->rpo_index[b] = UINT32_MAX;
	order_walk(&o, &flow, 1, FLOW_NONE);
	for (uint32_t i = 0; i < o.n; i++)
		if (o.node[i]) {
			g->rpo_index[o.node[i]] = g->nrpo;
			g->rpo[g->nrpo++] = o.node[i];
		}
	arena_free(tmp);
}

Cfg *
cfg_build(const Module *m, uint32_t func, Arena *a)
{
	const Func *f = &m->funcs[func];
	Cfg *g = arena_zalloc(a, sizeof *g);
	Arena *tmp = arena_new();
	ASSERT(f->body);
	g->m = m;
	g->func = func;
	g->block_of = arena_array(a, f->nstmt, sizeof *g->block_of);
	g->block_of_label = arena_array(a, f->nsym, sizeof *g->block_of_label);
	find_blocks(g);
	make_blocks(g, a);
	Edges edges = { .last = arena_array(tmp, g->nblocks, sizeof *edges.last) };
	for (uint32_t b = 1; b < g->nblocks; b++)
		add_edges(g, b, &edges);
	store_edges(g, &edges.to, a);
	number_blocks(g, a);
	vec_free(&edges.to);
	arena_free(tmp);
	return g;
}

void
cfg_flood(const Cfg *g, uint32_t from, bool back, Bits within, Bits seen)
{
	Ids todo = {0};

	if (!bits_has(within, from) || bits_has(seen, from))
		return;
	bits_set(seen, from);
	*vec_push(&todo) = from;
	while (todo.n) {
		uint32_t b = *vec_pop(&todo), n = back ? g->blocks[b].npred : g->blocks[b].nsucc;
		const uint32_t *next = back ? cfg_pred(g, b) : cfg_succ(g, b);
		for (uint32_t i = 0; i < n; i++)
			if (bits_has(within, next[i]) && !bits_has(seen, next[i])) {
				bits_set(seen, next[i]);
				*vec_push(&todo) = next[i];
			}
	}
	vec_free(&todo);
}

bool
cfg_block_empty(const Cfg *g, uint32_t b)
{
	if (g->blocks[b].nsucc != 1)
		return false;
	CFG_STMTS(g, b, s)
	{
		const Stmt *t = &g->m->stmts[s];
		if (t->kind == STMT_INSN && !(ptx_op(g->m, t) == OP_BRA && !t->guard))
			return false;
	}
	return true;
}

uint32_t
cfg_skip_empty(const Cfg *g, uint32_t b, uint32_t stop)
{
	for (uint32_t n = 0; n < g->nblocks && b != stop && b && cfg_block_empty(g, b); n++)
		b = cfg_succ(g, b)[0];
	return b;
}
