/* SPDX-License-Identifier: MIT */
/* Finds the statements of a candidate in the source. See candidate_stmts.h. */
#include <string.h>
#include "analysis/analyse.h"
#include "base/arena.h"
#include "base/buf.h"
#include "suggest/candidate_stmts.h"

/* ---- statements ------------------------------------------------------------------------------ */

static const char is_newer[] =
	"its source is newer than the program, so its lines may have changed: build the program again";

static const char *
why_no_site(const Source_stmts *of, const Candidate *c, const Source_match *m)
{
	if (c->at.at.file == c->fn->m->src->name)
		return "its source line is not known";
	if (source_is_newer(of, &c->at))
		return is_newer;
	if (m->several)
		return "its line has several statements of this kind; write each on a separate line";
	return c->kind == ADVICE_LOOP ?
		"no 'for', 'while' or 'do' starts it: it is made of 'goto', or of calls of the function to itself, or it is in a library function" :
		"no 'if' tests its condition: it is part of an expression ('?:', '&&', a division, a library function), a 'switch' or a loop";
}

static Source_match
find_site(const Source_stmts *of, const Candidate *c, uint32_t stmt)
{
	if (c->kind == ADVICE_LOOP)
		return source_stmt_of_loop(of, c->fn, c->fn->loops->loop_of[c->first]);
	Source_match m = source_stmt_of_branch(of, c->fn, stmt);
	if (!m.stmt && !m.several) { /* shown at the line of the loop that it is the test of */
		Source_match loop = source_stmt_of_loop_test(of, c->fn, stmt);
		if (loop.stmt) {
			m.at = loop.at;
			m.at.at.line = loop.stmt->begin[PART_HEAD].line;
		}
	}
	return m;
}

/* Whether the arm contains another test of the statement's condition, such as that of `b` in
 * `if (a && b)`. An annotation marks what follows all tests, which fewer lanes execute. Unknown,
 * and false, if the body is in the same line. */
static bool
arm_tests_condition(const Source_stmts *of, const Candidate *c)
{
	BITS_EACH(b, c->blocks) {
		uint32_t branch = cfg_terminator(c->fn->cfg, b);
		if (!branch || c->fn->cfg->blocks[b].nsucc != 2)
			continue;
		const Source_match m = source_stmt_of_branch(of, c->fn, branch);
		if (m.stmt == c->in.site && m.at.caller.line == c->at.caller.line &&
			m.at.at.line < m.stmt->end[PART_BODY].line)
			return true;
	}
	return false;
}

/* Sets the candidate's statement, and its line. */
static void
set_site(const Source_stmts *of, Candidate *c, uint32_t stmt)
{
	const Source_match m = find_site(of, c, stmt);
	Site_stmts *in = &c->in;

	in->site = m.stmt;
	if (m.at.at.file)
		c->at = m.at;
	if (!m.stmt) {
		in->missing = why_no_site(of, c, &m);
		return;
	}
	c->at.at.line = m.stmt->begin[PART_HEAD].line;
	if (c->kind != ADVICE_LOOP)
		in->part = source_part_of_blocks(in->site, c->fn, c->blocks);
	in->tests_more = c->kind != ADVICE_LOOP && arm_tests_condition(of, c);
	if (in->tests_more)
		in->missing = "the condition has another test after this one ('&&', '||'), and an annotation marks only what follows both";
	else if (c->kind != ADVICE_LOOP && in->part == PART_HEAD)
		in->missing = "its code is not in an arm of the 'if', or both arms are on one line";
}

/* Returns the statement of the PTX by which the candidate's position is found. */
static uint32_t
positioned_stmt(const Candidate *c)
{
	return c->kind == ADVICE_LOOP ?
		fn_loop_stmt(c->fn, c->fn->loops->loop_of[c->first]) :
		cfg_terminator(c->fn->cfg, c->from);
}

void
candidate_find_stmts(const Source_stmts *of, Candidate *c)
{
	Site_stmts *in = &c->in;

	if (!of->known)
		return;
	uint32_t stmt = positioned_stmt(c);
	set_site(of, c, stmt);
	if (c->annot == ANNOT_FOR) {
		in->around = in->site;
		return;
	}
	if (!c->loop)
		in->kernel = source_stmt_of_kernel(of, c->fn, stmt);
	else
		in->around = source_stmt_of_loop(of, c->fn, c->loop).stmt;
	if (c->loop && (!in->around || in->around == in->site) && !in->missing) {
		const Diag_place loop = candidate_place(c->fn, fn_loop_stmt(c->fn, c->loop));
		in->missing = source_is_newer(of, &loop) ?
			is_newer : "no 'for', 'while' or 'do' starts the loop around it";
	}
	if (!in->missing && source_stmt_is_nested_deeper(of, c->fn, in->site, in->around))
		in->missing = "the compiler has moved it out of a loop that contains its statement; if 'break' or 'return' ends it, lanes run it together with '#pragma ccc for policy(converge)' over that loop";
}

/* ---- where to write -------------------------------------------------------------------------- */

Stmt_part
candidate_annotated_part(const Candidate *c)
{
	return c->in.part == PART_BODY && c->annot == ANNOT_IF ? PART_HEAD : c->in.part;
}

const char *
candidate_cannot_insert(const Candidate *c)
{
	const Site_stmts *in = &c->in;
	const Source_stmt *outer = c->loop ? in->around : in->kernel;

	if (!in->site || in->missing)
		return in->missing;
	char site = in->site->insert[candidate_annotated_part(c)],
	     other = outer ? outer->insert[PART_HEAD] : 'l';
	if (site == 'h' || other == 'h')
		return "it is in a header of the system or the toolkit";
	if (in->part == PART_REST && site == 'm')
		return "what follows the 'if' does not start, or end, with a line";
	return site == 'm' || other == 'm' ?
		"it is in a macro; write the annotation in the macro (ccc.h)" : NULL;
}

static const char *
to_text(Buf *b, Arena *a)
{
	const char *text = arena_strndup(a, b->at, b->n);

	buf_free(b);
	return text;
}

/* Appends where a line before a part of a statement goes. */
static void
put_insertion(const Source_stmt *s, Stmt_part part, Buf *to)
{
	if (s->insert[part] == 'l')
		buf_printf(to, "line %u", s->begin[part].line);
	else
		buf_printf(to, "column %u of line %u, on a separate line", s->begin[part].col,
			s->begin[part].line);
}

static bool
is_same_line(Cuda_pos a, Cuda_pos b)
{
	return a.line == b.line && (a.file == b.file ||
		(a.file && b.file && strcmp(a.file, b.file) == 0));
}

/* Returns the CUDA position of the arm's first statement, in the function of the branch; file NULL:
 * unknown. */
static Cuda_pos
arm_position(const Candidate *c)
{
	Cuda_pos at;

	BITS_EACH(b, c->blocks)
		FN_BLOCK_STMTS(c->fn, b, s) {
			if (fn_stmt(c->fn, s)->kind != STMT_INSN ||
				!ptx_cuda_pos(c->fn->m, s, &at))
				continue;
			const Diag_place p = candidate_place(c->fn, s);
			return p.caller.file && !is_same_line(p.caller, c->at.caller) ? p.caller :
											p.at;
		}
	return (Cuda_pos){ 0 };
}

/* Appends the start of the source text at a position, in quotes, if it is known. */
static void
put_source_text(Cuda_pos at, const Diag_style *style, Buf *to)
{
	enum { MOST = 32 };
	size_t n, skip = at.col ? at.col - 1 : 0;
	const char *s = style && at.col ? diag_line(style, at, &n) : NULL;

	if (s && skip < n)
		buf_printf(to, " '%.*s%s'", (int)(n - skip < MOST ? n - skip : MOST), s + skip,
			n - skip > MOST ? "..." : "");
}

/* Where a prediction of an arm goes if statements are not known: over its first one. */
static const char *
arm_text(const Candidate *c, const Diag_style *style, Arena *a)
{
	const Cuda_pos at = arm_position(c);
	Buf b = { 0 };

	if (!at.file)
		return NULL;
	buf_printf(&b, "over the statement at %u:%u", at.line, at.col);
	put_source_text(at, style, &b);
	return to_text(&b, a);
}

const char *
candidate_site_text(const Candidate *c, const Diag_style *style, Arena *a)
{
	const Source_stmt *s = c->in.site;
	Stmt_part part = candidate_annotated_part(c);
	Buf b = { 0 };

	if (!s)
		return c->annot == ANNOT_PREDICT && c->kind != ADVICE_LOOP ?
			arm_text(c, style, a) : NULL;
	if (part == PART_REST)
		buf_printf(&b, "and '{' over line %u, '}' under line %u", s->begin[part].line,
			s->end[part].line);
	else if (part == PART_HEAD && s->insert[part] == 'l')
		buf_puts(&b, "over it");
	else {
		buf_puts(&b, s->insert[part] == 'l' ? "over " : "before ");
		put_insertion(s, part, &b);
	}
	return to_text(&b, a);
}

const char *
candidate_outer_text(const Candidate *c, Arena *a)
{
	const Source_stmt *s = c->loop ? c->in.around : c->in.kernel;
	Buf b = { 0 };

	if (!s)
		return NULL;
	if (s->insert[PART_HEAD] != 'l')
		buf_puts(&b, "before ");
	put_insertion(s, PART_HEAD, &b);
	if (c->in.site && strcmp(s->file, c->in.site->file) != 0)
		buf_printf(&b, " of %s", s->file);
	return to_text(&b, a);
}

const char *
candidate_annotation_words(const Candidate *c)
{
	bool part = c->in.part == PART_OTHER || c->in.part == PART_REST;

	if (c->annot == ANNOT_FOR)
		return "for policy(converge)";
	return annot_kinds[c->annot == ANNOT_IF && part ? ANNOT_PATH : c->annot].words;
}
