/* SPDX-License-Identifier: MIT */
/* Annotates a candidate: inserts markers on the edges into its blocks and out of them, and the same
 * for the enclosing loop. The text is planned and dropped, so it may have additional branches: an
 * edge with markers leads to a block at the end of the function,
 *
 *		@%p bra  $ccs5_1;               ...
 *		bra.uni  $ccs5_2;       $ccs5_1: marker
 *	$ccs5_b3:                               bra.uni  $L_7;
 *	$L__BB0_3:                      $ccs5_2: marker
 *		...                             bra.uni  $ccs5_b3;
 *
 * and all edges with the same target and markers share one, because a region has one entry. Labels
 * contain the candidate's number, so that a text can have several candidates of a function. */
#include <string.h>
#include "suggest/candidate.h"
#include "transform/plan/plan.h"

enum { MOST_MARKS = 3 };

typedef struct { bool end; Annot_kind kind; uint32_t id; } Edge_marker;
typedef struct { Edge_marker at[MOST_MARKS]; uint32_t n; } Edge_markers;

/* A block of markers before a block. */
typedef struct { uint32_t to; Edge_markers marks; } Marker_block;

typedef struct {
	const Candidate *c;
	const Fn *fn;
	Edits *edits;
	VEC(Marker_block) stops;
	Bits landed;            /* blocks with an additional label before them */
} Marker_writer;

/* ---- markers --------------------------------------------------------------------------------- */

static bool
block_is_in_loop(const Marker_writer *p, uint32_t b)
{
	return p->c->loop && b && loop_contains(p->fn->loops, p->c->loop, b);
}

static bool
block_is_in_site(const Marker_writer *p, uint32_t b)
{
	return b && bits_has(p->c->blocks, b);
}

static void
add_marker(Edge_markers *to, bool end, Annot_kind kind, uint32_t id)
{
	to->at[to->n++] = (Edge_marker){ end, kind, id };
}

/* Ends come first, the inner one before the outer one. */
static Edge_markers
markers_of_edge(const Marker_writer *p, uint32_t from, uint32_t to)
{
	const Candidate *c = p->c;
	Edge_markers k = { 0 };

	if (block_is_in_site(p, from) && !block_is_in_site(p, to))
		add_marker(&k, true, c->annot, c->id);
	if (block_is_in_loop(p, from) && !block_is_in_loop(p, to))
		add_marker(&k, true, ANNOT_FOR, c->id + 1);
	if (!block_is_in_loop(p, from) && block_is_in_loop(p, to))
		add_marker(&k, false, ANNOT_FOR, c->id + 1);
	if (!block_is_in_site(p, from) && block_is_in_site(p, to))
		add_marker(&k, false, c->annot, c->id);
	return k;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool
kind_allows_proven(Annot_kind kind)
{
	return annot_clauses[CLAUSE_PROVEN].kinds >> kind & 1;
}

uint32_t
candidate_threshold(const Candidate *c)
{
	enum { STATEMENT = 16, MERGE = 24 };

	return c->kind == ADVICE_LOOP ? MERGE : STATEMENT;
}

static void
write_clauses(const Marker_writer *p, Annot_kind kind, Buf *b)
{
	if (p->c->reorders && kind == p->c->annot)
		buf_printf(b, " %s", annot_clauses[CLAUSE_REASSOCIATE].name);
	if (kind == ANNOT_PREDICT)
		buf_printf(b, " %s(%u)", annot_clauses[CLAUSE_THRESHOLD].name,
			candidate_threshold(p->c));
	if (p->c->proven && kind_allows_proven(kind))
		buf_printf(b, " %s", annot_clauses[CLAUSE_PROVEN].name);
}

static void
write_markers(const Marker_writer *p, const Edge_markers *k, Buf *b)
{
	const Cuda_pos at = p->c->at.at;

	for (uint32_t i = 0; i < k->n; i++) {
		buf_printf(b, "\t// begin inline asm\n\t// .ccc %s %s %u",
			k->at[i].end ? "end" : "begin", annot_kinds[k->at[i].kind].marker,
			k->at[i].id);
		if (!k->at[i].end) {
			buf_puts(b, " \"");
			annot_put_escaped(b, at.file, strlen(at.file), "");
			buf_printf(b, "\":%u", at.line);
			write_clauses(p, (Annot_kind)k->at[i].kind, b);
		}
		buf_puts(b, "\n\t// end inline asm\n");
	}
}

static bool
markers_equal(const Edge_markers *a, const Edge_markers *b)
{
	bool is = a->n == b->n;

	for (uint32_t i = 0; is && i < a->n; i++)
		is = a->at[i].end == b->at[i].end && a->at[i].id == b->at[i].id;
	return is;
}

/* Returns the number of the marker block with these markers before block `to`. */
static uint32_t
marker_block_number(Marker_writer *p, uint32_t to, const Edge_markers *k)
{
	uint32_t i = 0;

	while (i < p->stops.n &&
		(p->stops.at[i].to != to || !markers_equal(&p->stops.at[i].marks, k)))
		i++;
	if (i == p->stops.n)
		*vec_push(&p->stops) = (Marker_block){ .to = to, .marks = *k };
	return i;
}

static void
insert_text(const Marker_writer *p, uint32_t stmt, const char *text, size_t len)
{
	edit_insert(p->edits, fn_stmt(p->fn, stmt)->at.pos, text, len);
}

/* Redirects the fall-through edge into the next block. */
static void
insert_on_fallthrough(Marker_writer *p, uint32_t to, uint32_t number)
{
	Buf b = { 0 };

	buf_printf(&b, "bra.uni \t$ccs%u_%u;\n$ccs%u_b%u:\n", p->c->id, number,
		p->c->id, to);
	insert_text(p, p->fn->cfg->blocks[to].stmt, b.at, b.n);
	bits_set(p->landed, to);
	buf_free(&b);
}

/* Redirects a branch to its target. */
static void
retarget_branch(Marker_writer *p, uint32_t branch, uint32_t number)
{
	const Module *m = p->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(p->fn, branch), 0)];
	Buf b = { 0 };

	buf_printf(&b, "$ccs%u_%u", p->c->id, number);
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
	write_markers(p, &k, &b);
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
	uint32_t number = marker_block_number(p, to, &k);
	if (last && ptx_op(m, fn_stmt(p->fn, last)) == OP_BRA) {
		const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(p->fn, last), 0)];
		if (o->kind == OPND_SYM && cfg_label_block(p->fn->cfg, o->sym) == to)
			retarget_branch(p, last, number);
	}
	if (p->fn->cfg->blocks[from].falls && from + 1 == to)
		insert_on_fallthrough(p, to, number);
}

static void
write_marker_blocks(Marker_writer *p)
{
	const Fn *fn = p->fn;
	Buf b = { 0 };

	buf_puts(&b, "\tret;\n");
	for (uint32_t i = 0; i < p->stops.n; i++) {
		const Marker_block *s = &p->stops.at[i];
		buf_printf(&b, "$ccs%u_%u:\n", p->c->id, i);
		write_markers(p, &s->marks, &b);
		if (bits_has(p->landed, s->to))
			buf_printf(&b, "\tbra.uni \t$ccs%u_b%u;\n", p->c->id, s->to);
		else
			buf_printf(&b, "\tbra.uni \t%.*s;\n",
				PTX_NAME(fn->m, fn_label(fn, s->to)));
	}
	edit_insert(p->edits, fn->f->block.end - 1, b.at, b.n);
	buf_free(&b);
}

/* Marks iterations, which makes a prediction apply to the loop. */
static void
write_iteration_marker(const Marker_writer *p)
{
	Buf b = { 0 };

	FN_BLOCK_STMTS(p->fn, p->c->first, s) {
		if (fn_stmt(p->fn, s)->kind == STMT_LABEL)
			continue;
		buf_printf(&b,
			"// begin inline asm\n\t// .ccc begin iteration %u\n\t// end inline asm\n\t",
			p->c->id);
		insert_text(p, s, b.at, b.n);
		break;
	}
	buf_free(&b);
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Whether all edges can have markers. Edges of a branch table cannot, nor exits of only some
 * lanes. */
static bool
can_mark_edges(const Candidate *c)
{
	const Fn *fn = c->fn;
	Marker_writer p = { .c = c, .fn = fn };

	FN_BLOCKS(fn, b) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		Op op = last ? ptx_op(fn->m, fn_stmt(fn, last)) : OP_UNKNOWN;
		FN_SUCC(fn, b, to) {
			if (fn->cfg->rpo_index[b] == UINT32_MAX ||
				markers_of_edge(&p, b, to).n == 0)
				continue;
			if (op == OP_BRX || (!to && op == OP_RET && fn_stmt(fn, last)->guard) ||
				(!to && op != OP_RET && op != OP_EXIT && op != OP_TRAP))
				return false;
		}
	}
	return true;
}

bool
candidate_annotate(const Candidate *c, Edits *e)
{
	Arena *tmp = arena_new();
	Marker_writer p = { .c = c, .fn = c->fn, .edits = e };
	bool can = can_mark_edges(c);

	p.landed = bits_new(tmp, c->fn->cfg->nblocks);
	FN_BLOCKS(c->fn, b)
		FN_SUCC(c->fn, b, to) {
			if (!can || c->fn->cfg->rpo_index[b] == UINT32_MAX)
				continue;
			if (to)
				insert_on_edge(&p, b, to);
			else
				insert_before_return(&p, b);
		}
	if (can && c->annot == ANNOT_PREDICT && c->kind == ADVICE_LOOP)
		write_iteration_marker(&p);
	if (p.stops.n)
		write_marker_blocks(&p);
	vec_free(&p.stops);
	arena_free(tmp);
	return can;
}
