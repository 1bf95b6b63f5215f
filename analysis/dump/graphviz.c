/* SPDX-License-Identifier: MIT */
/* The control-flow graph and the def-use graph in Graphviz form; see dump.h.
 *
 * The def-use graph is that of the CCC paper, section 5.1 and Fig. 10: nodes are registers; an edge
 * leads from a register to another that an instruction computes from it. Nodes reachable from the
 * thread's own special registers are outlined in bold; edges made inside a path are dashed; the
 * context of a path (live-ins that vary or are changed in it) is filled. */
#include <stdlib.h>
#include "analysis/dump/dump.h"
#include "analysis/region/region.h"
#include "base/vec.h"

typedef struct { uint32_t from, to; bool in_path; } Defuse_edge; /* symbols */

typedef struct {
	const Fn *fn;
	VEC(Defuse_edge) edges; /* sorted after find_edges */
	uint32_t *first;        /* by symbol: its edges are first[i] to first[i + 1] - 1 */
	/* by symbol: number of earlier nodes of the same name (from nested scopes) */
	uint32_t *twin;
	Bits path;              /* blocks inside a path */
	Bits context;           /* registers, by module symbol */
	Bits thread;            /* symbols that depend on the thread's special registers */
	Bits shown;             /* symbols that are nodes */
} Graph_dump;

/* ---- control flow ---------------------------------------------------------------------------- */

static void
quote_stmt(const Module *m, uint32_t stmt, Buf *out)
{
	Buf text = {0};

	dump_stmt(m, stmt, 72, &text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] == '"' || text.at[i] == '\\')
			buf_putc(out, '\\');
		buf_putc(out, text.at[i]);
	}
	buf_puts(out, "\\l");
	buf_free(&text);
}

void
dot_cfg(const Fn *fn, Diags *d, Buf *out)
{
	const Cfg *g = fn->cfg;

	(void)d;
	buf_printf(out, "digraph \"%.*s\" {\n\tnode [shape=box, fontname=monospace];\n",
		PTX_NAME(fn->m, fn->f->sym));
	buf_puts(out, "\tB0 [label=exit, shape=oval];\n");
	FN_BLOCKS(fn, b) {
		buf_printf(out, "\tB%u [label=\"", b);
		dump_block(g, b, out);
		buf_puts(out, "\\l");
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN)
				quote_stmt(fn->m, s, out);
		buf_printf(out, "\"%s];\n",
			bits_has(fn->uniform->block, b) ? ", style=filled, fillcolor=lightgrey" :
							  "");
	}
	FN_BLOCKS(fn, b)
		FN_SUCC(fn, b, to)
			buf_printf(out, "\tB%u -> B%u%s;\n", b, to,
				bits_has(fn->uniform->branch, b) ? " [style=bold]" : "");
	buf_puts(out, "}\n");
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const Marker *
marker_at(const Fn *fn, uint32_t block)
{
	const Block *b = &fn->cfg->blocks[block];
	const Stmt *s = fn_stmt(fn, b->stmt);

	return block && b->stmt < b->end && s->kind == STMT_MARKER ? &fn->m->markers[s->sym] : NULL;
}

static bool
is_path(const Marker *k)
{
	return k && !k->end &&
		(k->annot.kind == ANNOT_IF || k->annot.kind == ANNOT_PATH ||
			k->annot.kind == ANNOT_CASE || k->annot.kind == ANNOT_DELAY ||
			k->annot.kind == ANNOT_UNIFY ||
			k->annot.kind == ANNOT_PREDICT);
}

/* Adds the blocks from a path's begin marker to its end markers. */
static void
flood_path(const Graph_dump *g, uint32_t entry, const Marker *begin, Bits path)
{
	VEC(uint32_t) stack = {0};

	*vec_push(&stack) = entry;
	while (stack.n) {
		uint32_t b = *vec_pop(&stack);
		const Marker *k = marker_at(g->fn, b);
		if (!b || bits_has(path, b) || (k && k->end && k->id == begin->id))
			continue;
		bits_set(path, b);
		FN_SUCC(g->fn, b, to)
			*vec_push(&stack) = to;
	}
	vec_free(&stack);
}

static void
find_paths(Graph_dump *g)
{
	const Fn *fn = g->fn;

	FN_BLOCKS(fn, b) {
		if (!is_path(marker_at(fn, b)))
			continue;
		Bits path = bits_new(fn->arena, fn->cfg->nblocks), defined;
		flood_path(g, b, marker_at(fn, b), path);
		Bits in = region_live_ins(fn, path, &defined, fn->arena);
		BITS_EACH(i, in)
			if (bits_has(defined, i) || uniform_varies_at(fn, b, fn_sym(fn, i)))
				bits_set(g->context, fn_sym(fn, i));
		bits_or(g->path, path);
	}
}

/* ---- def-use --------------------------------------------------------------------------------- */

/* Whether the symbol is a node. Labels are not. */
static bool
is_node(const Module *m, uint32_t sym)
{
	return m->syms[sym].kind != SYM_LABEL;
}

static int
by_nodes(const void *a, const void *b)
{
	const Defuse_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->in_path - y->in_path;
}

/* Sorts the edges and removes duplicates. */
static void
sort_edges(Graph_dump *g)
{
	uint32_t n = 0;

	if (g->edges.n)
		qsort(g->edges.at, g->edges.n, sizeof *g->edges.at, by_nodes);
	for (uint32_t i = 0; i < g->edges.n; i++)
		if (!n || by_nodes(&g->edges.at[n - 1], &g->edges.at[i]))
			g->edges.at[n++] = g->edges.at[i];
	g->edges.n = n;
	for (uint32_t sym = 0, i = 0; sym < g->fn->m->nsyms; sym++) {
		g->first[sym] = i;
		while (i < n && g->edges.at[i].from == sym)
			i++;
		g->first[sym + 1] = i;
	}
}

static void
find_edges(Graph_dump *g)
{
	const Fn *fn = g->fn;

	FN_STMTS(fn, s)
		FN_WRITES(fn, s, w) {
			if (fn_stmt(fn, s)->kind != STMT_INSN || !is_node(fn->m, w->sym))
				continue;
			bits_set(g->shown, w->sym);
			FN_READS(fn, s, r) {
				if (!is_node(fn->m, r->sym))
					continue;
				bits_set(g->shown, r->sym);
				*vec_push(&g->edges) = (Defuse_edge){ r->sym, w->sym,
					bits_has(g->path, fn_block(fn, s)) };
			}
		}
	sort_edges(g);
}

/* Breadth-first search from the special registers that belong to the thread. */
static void
find_thread(Graph_dump *g)
{
	const Module *m = g->fn->m;
	VEC(uint32_t) queue = {0};

	BITS_EACH(i, g->shown)
		if (m->syms[i].kind == SYM_SPECIAL &&
			(ptx_sregs[m->syms[i].aux].flags & SREGF_LANE)) {
			bits_set(g->thread, i);
			*vec_push(&queue) = i;
		}
	for (uint32_t k = 0; k < queue.n; k++)
		for (uint32_t e = g->first[queue.at[k]]; e < g->first[queue.at[k] + 1]; e++) {
			uint32_t to = g->edges.at[e].to;
			if (bits_has(g->thread, to))
				continue;
			bits_set(g->thread, to);
			*vec_push(&queue) = to;
		}
	vec_free(&queue);
}

/* Numbers nodes that share a name: registers of nested scopes. */
static void
find_twins(Graph_dump *g, Arena *tmp)
{
	const Module *m = g->fn->m;
	uint32_t *seen = arena_array(tmp, intern_count(m->names) + 1u, sizeof *seen);

	BITS_EACH(i, g->shown)
		g->twin[i] = seen[m->syms[i].name]++;
}

static void
print_node(const Graph_dump *g, uint32_t sym, Buf *out)
{
	buf_printf(out, "\"%.*s", PTX_NAME(g->fn->m, sym));
	if (g->twin[sym])
		buf_printf(out, " #%u", g->twin[sym] + 1);
	buf_putc(out, '"');
}

static void
print_defuse(const Graph_dump *g, Buf *out)
{
	const Module *m = g->fn->m;

	buf_printf(out, "digraph \"%.*s\" {\n\tnode [fontname=monospace];\n",
		PTX_NAME(m, g->fn->f->sym));
	BITS_EACH(i, g->shown) {
		buf_putc(out, '\t');
		print_node(g, i, out);
		buf_printf(out, " [shape=%s%s%s];\n", ptx_is_reg(m, i) ? "ellipse" : "box",
			bits_has(g->thread, i) ? ", penwidth=2" : "",
			bits_has(g->context, i) ? ", style=filled, fillcolor=orange" : "");
	}
	for (uint32_t i = 0; i < g->edges.n; i++) {
		buf_putc(out, '\t');
		print_node(g, g->edges.at[i].from, out);
		buf_puts(out, " -> ");
		print_node(g, g->edges.at[i].to, out);
		buf_puts(out, g->edges.at[i].in_path ? " [style=dashed];\n" : ";\n");
	}
	buf_puts(out, "}\n");
}

void
dot_defuse(const Fn *fn, Diags *d, Buf *out)
{
	Arena *tmp = arena_new();
	Graph_dump g = { .fn = fn };

	(void)d;
	g.path = bits_new(tmp, fn->cfg->nblocks);
	g.context = bits_new(tmp, fn->m->nsyms);
	g.thread = bits_new(tmp, fn->m->nsyms);
	g.shown = bits_new(tmp, fn->m->nsyms);
	g.first = arena_array(tmp, fn->m->nsyms + 1u, sizeof *g.first);
	g.twin = arena_array(tmp, fn->m->nsyms, sizeof *g.twin);
	find_paths(&g);
	find_edges(&g);
	find_thread(&g);
	find_twins(&g, tmp);
	print_defuse(&g, out);
	vec_free(&g.edges);
	arena_free(tmp);
}
