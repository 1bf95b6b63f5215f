/* SPDX-License-Identifier: MIT */
/* Annotates candidates: inserts markers on the edges into their blocks and out of them, and the
 * same for the enclosing loops. The text is planned and dropped, or it counts, so it may have
 * additional branches: an edge with markers leads to a block before its target,
 *
 *		@%p bra  $ccs5_1;
 *		bra.uni  $ccs5_2;
 *	$ccs5_1: marker
 *		bra.uni  $L__BB0_3;
 *	$ccs5_2: marker
 *		bra.uni  $L__BB0_3;
 *	$L__BB0_3:
 *		...
 *
 * An edge with several markers passes through a block for each. Edges share the blocks of the last
 * markers that they have in common, because a region has one entry, and lanes that leave a region
 * by different edges for the same block are counted together. The order of the other blocks is the
 * same whichever candidates are annotated, and with it the order of a profile point's counted
 * blocks.
 *
 * In layers, which are only counted, lanes that leave a region for different blocks pass through
 * one block with the end marker, where a GPU brings them together, and then branch by the edge that
 * they took. Lanes that leave a loop for an exit's own code (exit_code.h) are excepted.
 *
 *	$ccs5_1: mov.u32 %ccs5_way, 1;
 *		bra.uni  $ccs5_j3;
 *	$ccs5_2: mov.u32 %ccs5_way, 2;
 *		bra.uni  $ccs5_j3;
 *	$ccs5_j3: marker
 *		setp.eq.u32 %ccs5_took, %ccs5_way, 1;
 *		@%ccs5_took bra $ccs5_b3;
 *		bra.uni  $ccs5_b7; */
#include <stdlib.h>
#include <string.h>
#include "analysis/region/exit_code.h"
#include "suggest/candidate.h"
#include "transform/plan/plan.h"

enum { MOST_MARKS = 4 };        /* markers of a candidate on an edge */

/* size: number of blocks of the region. */
typedef struct {
	bool end;
	Annot_kind kind;
	uint32_t id, column, size;
	const Candidate *c;
} Edge_marker;
typedef struct { Edge_marker *at; uint32_t n; } Edge_markers;

/* A block with a marker, on the way to block `to`. next: number of the marker block behind it;
 * 0: none. join: number of the first of the blocks that share the marker (write_join); 0: it is the
 * only one. */
typedef struct { uint32_t to, next; Edge_marker marker; uint32_t join; } Marker_block;

typedef struct {
	const Candidate *of; uint32_t n; /* candidates of one function */
	const Fn *fn;
	Edits *edits;
	Arena *arena;
	VEC(Marker_block) stops; /* numbered from 1 */
	uint32_t *falls;        /* by block: number of the marker block for the edge from above */
	Edge_marker *scratch;   /* for the markers of an edge */
} Marker_writer;

/* ---- markers --------------------------------------------------------------------------------- */

/* Adds a marker if the edge leaves a set of blocks (end) or enters it. */
static void
add_marker(Edge_markers *k, Edge_marker marker, Bits blocks, uint32_t from, uint32_t to)
{
	bool leaves = from && bits_has(blocks, from), enters = to && bits_has(blocks, to);

	if (leaves == enters)
		return;
	marker.end = leaves;
	marker.size = bits_count(blocks);
	k->at[k->n++] = marker;
}

static void
add_candidate_markers(const Candidate *c, uint32_t from, uint32_t to, Edge_markers *k)
{
	Edge_marker site = { .kind = c->annot, .id = c->id, .column = c->first, .c = c },
		    next = { .kind = ANNOT_FOR, .id = c->id + 1, .column = c->first, .c = c };

	if (c->annot != ANNOT_FOR)
		add_marker(k, site, c->blocks, from, to);
	if (c->annot == ANNOT_DISTRIBUTE) {
		next.kind = ANNOT_DISTRIBUTE;
		next.column = c->first_other;
		add_marker(k, next, c->other, from, to);
	} else if (c->loop) {
		add_marker(k, next, c->fn->loops->loops[c->loop].blocks, from, to);
	}
}

/* Ends come first, those of inner regions before those of outer ones; begins in reverse. */
static int
inner_ends_first(const void *va, const void *vb)
{
	const Edge_marker *a = va, *b = vb;

	if (a->end != b->end)
		return a->end ? -1 : 1;
	if (a->size != b->size)
		return (a->size < b->size) == a->end ? -1 : 1;
	return (a->id < b->id) == a->end ? -1 : 1;
}

/* Returns the markers of an edge, valid until the next call. */
static Edge_markers
markers_of_edge(const Marker_writer *p, uint32_t from, uint32_t to)
{
	Edge_markers k = { p->scratch, 0 };

	for (uint32_t i = 0; i < p->n; i++)
		add_candidate_markers(&p->of[i], from, to, &k);
	if (k.n)
		qsort(k.at, k.n, sizeof *k.at, inner_ends_first);
	return k;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool
kind_allows_proven(Annot_kind kind)
{
	return annot_clauses[CLAUSE_PROVEN].kinds >> kind & 1;
}

static void
write_clauses(const Candidate *c, Annot_kind kind, Buf *b)
{
	if (c->reorders && kind != ANNOT_FOR)
		buf_printf(b, " %s", annot_clauses[CLAUSE_REASSOCIATE].name);
	if (kind == ANNOT_PREDICT)
		buf_printf(b, " %s(%u)", annot_clauses[CLAUSE_THRESHOLD].name, c->threshold);
	if (c->proven && kind_allows_proven(kind))
		buf_printf(b, " %s", annot_clauses[CLAUSE_PROVEN].name);
}

static void
write_marker(const Edge_marker *k, Buf *b)
{
	const Cuda_pos at = k->c->marked;

	buf_printf(b, "\t// begin inline asm\n\t// .ccc %s %s %u", k->end ? "end" : "begin",
		annot_kinds[k->kind].marker, k->id);
	if (!k->end) {
		buf_puts(b, " \"");
		annot_put_escaped(b, at.file, strlen(at.file), "");
		buf_printf(b, "\":%u:%u", at.line, k->column);
		write_clauses(k->c, k->kind, b);
	}
	buf_puts(b, "\n\t// end inline asm\n");
}

/* Returns the loop whose end the marker is; 0: it is the end of an arm, or of a kernel. */
static uint32_t
marked_loop(const Edge_marker *k)
{
	const Candidate *c = k->c;

	if (k->id != c->id)
		return k->kind == ANNOT_FOR ? c->loop : 0;
	return c->kind == ADVICE_LOOP ? c->fn->loops->loop_of[c->first] : 0;
}

/* Whether an edge to the block leaves the marker's loop for an exit's own code. */
static bool
leads_to_exit_code(const Marker_writer *p, const Edge_marker *k, uint32_t to)
{
	const Exit_codes codes = exit_codes_find(p->fn, marked_loop(k), p->arena);

	for (uint32_t i = 0; i < codes.n; i++)
		if (codes.at[i].first == to)
			return true;
	return false;
}

/* Returns the number of the block with this marker and what follows it. In layers, blocks of the
 * same end marker share it. */
static uint32_t
marker_block_number(Marker_writer *p, uint32_t to, const Edge_marker *k, uint32_t next)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < p->stops.n; i++) {
		const Marker_block *s = &p->stops.at[i];
		if (s->marker.end != k->end || s->marker.id != k->id)
			continue;
		if (s->to == to && s->next == next)
			return i + 1;
		if (!first && !leads_to_exit_code(p, k, s->to))
			first = i + 1;
	}
	if (p->of->id < LAYERS_OF_MARKERS || !k->end || leads_to_exit_code(p, k, to))
		first = 0;
	if (first)
		p->stops.at[first - 1].join = first;
	*vec_push(&p->stops) = (Marker_block){ to, next, *k, first };
	return p->stops.n;
}

static void
insert_text(const Marker_writer *p, uint32_t stmt, const char *text, size_t len)
{
	edit_insert(p->edits, fn_stmt(p->fn, stmt)->at.pos, text, len);
}

/* Redirects a branch to its target. */
static void
retarget_branch(Marker_writer *p, uint32_t branch, uint32_t number)
{
	const Module *m = p->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(p->fn, branch), 0)];
	Buf b = { 0 };

	buf_printf(&b, "$ccs%u_%u", p->of->id, number);
	edit_replace(p->edits, o->at, b.at, b.n);
	buf_free(&b);
}

/* Inserts markers where the thread ends in block `from`. */
static void
insert_before_return(Marker_writer *p, uint32_t from)
{
	const Edge_markers k = markers_of_edge(p, from, 0);
	uint32_t last = cfg_terminator(p->fn->cfg, from);
	Op op = last ? ptx_op(p->fn->m, fn_stmt(p->fn, last)) : OP_UNKNOWN;
	Buf b = { 0 };

	if (k.n == 0 || op != OP_RET)
		return;
	for (uint32_t i = 0; i < k.n; i++)
		write_marker(&k.at[i], &b);
	insert_text(p, last, b.at, b.n);
	buf_free(&b);
}

static void
insert_on_edge(Marker_writer *p, uint32_t from, uint32_t to)
{
	const Module *m = p->fn->m;
	const Edge_markers k = markers_of_edge(p, from, to);
	uint32_t last = cfg_terminator(p->fn->cfg, from);

	if (k.n == 0)
		return;
	uint32_t number = 0;
	for (uint32_t i = k.n; i-- > 0;)
		number = marker_block_number(p, to, &k.at[i], number);
	if (last && ptx_op(m, fn_stmt(p->fn, last)) == OP_BRA) {
		const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(p->fn, last), 0)];
		if (o->kind == OPND_SYM && cfg_label_block(p->fn->cfg, o->sym) == to)
			retarget_branch(p, last, number);
	}
	if (p->fn->cfg->blocks[from].falls && from + 1 == to)
		p->falls[to] = number;
}

/* Returns the label that a block begins with; 0: none. One that a marker makes may be within it. */
static uint32_t
first_label(const Marker_writer *p, uint32_t block)
{
	const Stmt *s = fn_stmt(p->fn, p->fn->cfg->blocks[block].stmt);

	return s->kind == STMT_LABEL ? s->sym : 0;
}

/* Writes a branch to a marker block, or to the block `to` if its number is 0, by the label that it
 * has: with a second one the back edges of a loop would lead to two blocks, and count two loops.
 * all: all lanes take it. */
static void
write_branch(const Marker_writer *p, uint32_t number, uint32_t to, bool all, Buf *b)
{
	uint32_t label = number ? 0 : first_label(p, to);
	size_t len = 0;
	const char *name = label ? ptx_name(p->fn->m, label, &len) : "";

	buf_printf(b, "bra%s \t", all ? ".uni" : "");
	if (label)
		buf_add(b, name, len);
	else
		buf_printf(b, "$ccs%u_%s%u", p->of->id, number ? "" : "b", number ? number : to);
	buf_puts(b, ";\n");
}

/* Writes the block with the marker that several marker blocks share. */
static void
write_join(const Marker_writer *p, uint32_t join, Buf *b)
{
	const Marker_block *first = &p->stops.at[join - 1];

	buf_printf(b, "$ccs%u_j%u:\n", p->of->id, join);
	write_marker(&first->marker, b);
	for (uint32_t i = join + 1; i <= p->stops.n; i++) {
		const Marker_block *s = &p->stops.at[i - 1];
		if (s->join != join)
			continue;
		buf_printf(b, "\tsetp.eq.u32 \t%%ccs%u_took, %%ccs%u_way, %u;\n\t@%%ccs%u_took ",
			p->of->id, p->of->id, i, p->of->id);
		write_branch(p, s->next, s->to, false, b);
	}
	buf_putc(b, '\t');
	write_branch(p, first->next, first->to, true, b);
}

static void
write_marker_block(const Marker_writer *p, uint32_t number, Buf *b)
{
	const Marker_block *s = &p->stops.at[number - 1];

	buf_printf(b, "$ccs%u_%u:\n", p->of->id, number);
	if (s->join) {
		buf_printf(b, "\tmov.u32 \t%%ccs%u_way, %u;\n\tbra.uni \t$ccs%u_j%u;\n", p->of->id,
			number, p->of->id, s->join);
		if (number == s->join)
			write_join(p, number, b);
		return;
	}
	write_marker(&s->marker, b);
	buf_putc(b, '\t');
	write_branch(p, s->next, s->to, true, b);
}

/* Writes the marker blocks before a block, and a label behind them if it has none. */
static void
write_marker_blocks(Marker_writer *p, uint32_t to)
{
	Buf b = { 0 };

	if (p->fn->cfg->blocks[to - 1].falls)
		write_branch(p, p->falls[to], to, true, &b);
	for (uint32_t i = 1; i <= p->stops.n; i++)
		if (p->stops.at[i - 1].to == to)
			write_marker_block(p, i, &b);
	if (!first_label(p, to))
		buf_printf(&b, "$ccs%u_b%u:\n\t", p->of->id, to);
	insert_text(p, p->fn->cfg->blocks[to].stmt, b.at, b.n);
	buf_free(&b);
}

/* Declares the registers of shared markers. */
static void
declare_registers(const Marker_writer *p)
{
	Buf b = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < p->stops.n; i++)
		any |= p->stops.at[i].join != 0;
	buf_printf(&b, ".reg .pred \t%%ccs%u_took;\n\t.reg .b32 \t%%ccs%u_way;\n\t", p->of->id,
		p->of->id);
	if (any)
		insert_text(p, p->fn->cfg->blocks[1].stmt, b.at, b.n);
	buf_free(&b);
}

static void
write_all_marker_blocks(Marker_writer *p)
{
	Bits seen = bits_new(p->arena, p->fn->cfg->nblocks);

	declare_registers(p);

	for (uint32_t i = 0; i < p->stops.n; i++) {
		uint32_t to = p->stops.at[i].to;
		if (!bits_has(seen, to))
			write_marker_blocks(p, to);
		bits_set(seen, to);
	}
}

/* Marks iterations, which makes a prediction apply to the loop. */
static void
write_iteration_marker(const Marker_writer *p, const Candidate *c)
{
	Buf b = { 0 };

	FN_BLOCK_STMTS(p->fn, c->first, s) {
		if (fn_stmt(p->fn, s)->kind == STMT_LABEL)
			continue;
		buf_printf(&b,
			"// begin inline asm\n\t// .ccc begin iteration %u\n\t// end inline asm\n\t",
			c->id);
		insert_text(p, s, b.at, b.n);
		break;
	}
	buf_free(&b);
}

/* Annotates the kernel, as for its path outside of loops. Without a marker it gets a task loop too,
 * whose proof is required only if the path itself has the clause `proven`. */
static void
write_grid_marker(const Marker_writer *p, const Candidate *c)
{
	const Edge_marker grid = {
		.kind = ANNOT_GRID, .id = c->id + 1, .column = c->first, .c = c
	};
	Buf b = { 0 };

	write_marker(&grid, &b);
	insert_text(p, p->fn->cfg->blocks[1].stmt, b.at, b.n);
	buf_free(&b);
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Whether the candidate's task loop needs a marker. Layers of markers are counted only. */
static bool
needs_grid_marker(const Candidate *c)
{
	return c->proven && !c->loop && c->annot != ANNOT_DISTRIBUTE && c->fn->f->entry &&
		c->id < LAYERS_OF_MARKERS;
}

/* Whether all edges can have markers. Edges of a branch table cannot, nor exits of only some
 * lanes. */
static bool
can_mark_edges(const Candidate *c)
{
	const Fn *fn = c->fn;
	Edge_marker scratch[MOST_MARKS];

	FN_BLOCKS(fn, b) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		Op op = last ? ptx_op(fn->m, fn_stmt(fn, last)) : OP_UNKNOWN;
		FN_SUCC(fn, b, to) {
			Edge_markers k = { scratch, 0 };
			add_candidate_markers(c, b, to, &k);
			if (fn->cfg->rpo_index[b] == UINT32_MAX || k.n == 0)
				continue;
			if (op == OP_BRX || (!to && op == OP_RET && fn_stmt(fn, last)->guard) ||
				(!to && op != OP_RET && op != OP_EXIT && op != OP_TRAP))
				return false;
		}
	}
	return true;
}

bool
candidates_annotate(const Candidate *c, uint32_t n, Edits *e)
{
	Arena *tmp = arena_new();
	Candidate *of = arena_array(tmp, n + 1u, sizeof *of);
	Marker_writer p = { .of = of, .fn = c->fn, .edits = e, .arena = tmp };

	for (uint32_t i = 0; i < n; i++)
		if (can_mark_edges(&c[i]))
			of[p.n++] = c[i];
	p.falls = arena_array(tmp, c->fn->cfg->nblocks, sizeof *p.falls);
	p.scratch = arena_array(tmp, (size_t)MOST_MARKS * n + 1, sizeof *p.scratch);
	FN_BLOCKS(c->fn, b)
		FN_SUCC(c->fn, b, to) {
			if (!p.n || c->fn->cfg->rpo_index[b] == UINT32_MAX)
				continue;
			if (to)
				insert_on_edge(&p, b, to);
			else
				insert_before_return(&p, b);
		}
	for (uint32_t i = 0; i < p.n; i++)
		if (of[i].annot == ANNOT_PREDICT && of[i].kind == ADVICE_LOOP)
			write_iteration_marker(&p, &of[i]);
	for (uint32_t i = 0; i < p.n; i++)
		if (needs_grid_marker(&of[i]))
			write_grid_marker(&p, &of[i]);
	write_all_marker_blocks(&p);
	vec_free(&p.stops);
	arena_free(tmp);
	return p.n > 0;
}
