/* SPDX-License-Identifier: MIT */
/* What --explain shows. See explain.h. */
#include <stdlib.h>
#include <string.h>
#include "analysis/dump/dump.h"
#include "transform/output/explain.h"
#include "transform/plan/plan.h"
#include "transform/text/template.h"

/* ---- regions of a site ----------------------------------------------------------------------- */

typedef struct { Explained_site *to; const Plan *x; Arena *arena; } Site_writer;

/* Adds a region without lines. */
static Explained_region *
add_region(const Site_writer *w, const char *role, const Buf *text)
{
	Explained_region *r = vec_push(&w->to->regions);

	*r = (Explained_region){ .role = role, .text = arena_strndup(w->arena, text->at, text->n) };
	return r;
}

/* Adds the lines of a statement. */
static void
add_stmt(Explained_region *r, const Fn *fn, uint32_t stmt)
{
	Span at = fn_stmt(fn, stmt)->at;

	for (uint32_t i = at.pos; i < at.end; i++)
		if (i == at.pos || fn->m->src->text[i - 1] == '\n')
			*vec_push(&r->lines) = i;
}

static void
add_blocks(Explained_region *r, const Fn *fn, Bits blocks)
{
	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			add_stmt(r, fn, s);
}

static void
put_place(Buf *out, const Marker *k)
{
	if (k->cuda.file)
		buf_printf(out, " annotated at %s:%u", k->cuda.file, k->cuda.line);
}

/* Adds the branch that ends a block, with what follows from it. */
static void
add_branch(const Site_writer *w, uint32_t block, const char *what)
{
	uint32_t t = cfg_terminator(w->x->fn->cfg, block);
	Buf b = { 0 };

	if (!t)
		return;
	dump_stmt(w->x->fn->m, t, 60, &b);
	buf_printf(&b, " may diverge: %s", what);
	add_stmt(add_region(w, "branch", &b), w->x->fn, t);
	buf_free(&b);
}

/* Adds the branches that decide whether a lane takes the path. */
static void
add_path_branches(const Site_writer *w, uint32_t entry)
{
	const Cfg *g = w->x->fn->cfg;
	uint32_t at = entry;

	for (uint32_t n = 0; n < g->nblocks && g->blocks[at].npred == 1; n++) {
		uint32_t from = cfg_pred(g, at)[0];
		if (g->blocks[from].nsucc > 1)
			break;
		at = from;
	}
	FN_PRED(w->x->fn, at, from)
		if (g->blocks[from].nsucc > 1)
			add_branch(w, from, "only some lanes take the path");
}

/* Adds the branches that leave an inner loop. */
static void
add_exit_branches(const Site_writer *w, Bits blocks)
{
	BITS_EACH(b, blocks)
		FN_SUCC(w->x->fn, b, to)
			if (w->x->fn->cfg->blocks[b].nsucc > 1 && !bits_has(blocks, to)) {
				add_branch(w, b, "lanes leave the inner loop in different iterations");
				break;
			}
}

static void
add_block(const Site_writer *w, const char *role, uint32_t block, const char *what)
{
	const Fn *fn = w->x->fn;
	Buf b = { 0 };

	buf_puts(&b, what);
	if (fn_label(fn, block)) {
		buf_puts(&b, ": ");
		dump_block(fn->cfg, block, &b);
	}
	Explained_region *r = add_region(w, role, &b);
	FN_BLOCK_STMTS(fn, block, s)
		add_stmt(r, fn, s);
	buf_free(&b);
}

/* Adds a path or an inner loop. */
static void
add_part(const Site_writer *w, const Region *k)
{
	const Fn *fn = w->x->fn;
	bool inner = k->kind == REGION_INNER_LOOP;
	uint32_t after = k->entry;
	Buf b = { 0 };

	if (inner)
		add_exit_branches(w, k->loop ? fn->loops->loops[k->loop].blocks : k->blocks);
	else
		add_path_branches(w, k->entry);
	buf_puts(&b, inner ? "the inner loop" : "the code that only some lanes execute,");
	put_place(&b, &fn->m->markers[k->marker]);
	buf_printf(&b, "; one execution costs about %llu issue slots", (unsigned long long)k->cost);
	add_blocks(add_region(w, inner ? "inner loop" : "path", &b), fn, k->blocks);
	buf_free(&b);
	while (bits_has(k->blocks, after))
		after = fn->dom->ipdom[after];
	after = after ? region_first_nonempty(fn, w->x->site->loop, after) : 0;
	if (after)
		add_block(w, "post-dominator", after,
			inner ? "every lane that leaves the inner loop continues here" :
				"lanes that take the path and lanes that skip it continue here");
}

static void
add_loop(const Site_writer *w)
{
	const Plan *x = w->x;
	const Fn *fn = x->fn;
	Buf b = { 0 };

	buf_puts(&b, "the loop");
	put_place(&b, plan_marker(x));
	if (x->site->loop && fn_label(fn, plan_header(x))) {
		buf_puts(&b, "; an iteration begins at ");
		dump_block(fn->cfg, plan_header(x), &b);
	}
	add_blocks(add_region(w, "loop", &b), fn,
		x->site->loop ? fn->loops->loops[x->site->loop].blocks : x->site->blocks);
	buf_free(&b);
}

void
explain_begin(Explained *to, const Module *m)
{
	to->cites = strstr(m->src->text, TPL_CITE) == NULL;
}

void
explain_site(Explained *to, const Plan *x, const char *pass, Arena *a)
{
	const Region *site = x->site;
	Explained_site s = { .func = x->fn->func, .at = plan_marker(x)->cuda };
	Site_writer w = { &s, x, a };
	Buf plan = { 0 };

	if (s.at.file) /* the name is the text's, which is freed before the page is written */
		s.at.file = arena_strndup(a, s.at.file, strlen(s.at.file));
	add_loop(&w);
	for (uint32_t i = 0; i < site->npaths; i++)
		add_part(&w, site->paths[i]);
	for (uint32_t i = 0; i < site->ninner_loops; i++)
		add_part(&w, site->inner_loops[i]);
	if (pass && x->wait && x->wait->meeting)
		add_block(&w, "meeting point", x->wait->meeting, "all lanes meet before this code");
	if (pass && x->wait && x->wait->wait_block)
		add_block(&w, "wait point", x->wait->wait_block,
			"lanes wait for others before this code");
	plan_dump(x, pass, false, &plan);
	s.plan = arena_strndup(a, plan.at, plan.n);
	buf_free(&plan);
	*vec_push(&to->sites) = s;
}

void
explain_clear(Explained *e)
{
	for (uint32_t i = 0; i < e->sites.n; i++) {
		for (uint32_t k = 0; k < e->sites.at[i].regions.n; k++)
			vec_free(&e->sites.at[i].regions.at[k].lines);
		vec_free(&e->sites.at[i].regions);
	}
	vec_free(&e->sites);
	vec_free(&e->funcs);
	vec_free(&e->lines);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static uint32_t
line_of(const Module *m, uint32_t pos)
{
	uint32_t line, col;

	source_position(m->src, pos, &line, &col);
	return line;
}

/* Returns the input line of a position in the text that the passes read. */
static uint32_t
origin_line(const Explain_source *s, uint32_t pos)
{
	return line_of(s->m, s->edits ? s->origin(s->user, pos) : pos);
}

/* Returns the input line of a position in the text that the passes read; 0 if an earlier step has
 * written or changed that line. */
static uint32_t
unchanged_line(const Explain_source *s, uint32_t pos)
{
	uint32_t at = s->origin(s->user, pos);
	const char *now = s->now->src->text + pos, *in = s->m->src->text + at;
	size_t n = strcspn(now, "\n");

	return strcspn(in, "\n") == n && memcmp(now, in, n) == 0 ? line_of(s->m, at) : 0;
}

/* Reads and skips the comment of text/cite.c at s. */
static const char *
read_cite(const Explain_source *of, const char *s, Explained_line *l, Arena *a)
{
	const char *end = strstr(s, TPL_CITE_END);

	s += sizeof TPL_CITE - 1;
	if (*s == 'S')
		l->from = unchanged_line(of, (uint32_t)strtoul(s + 1, NULL, 10));
	else
		l->by = arena_strndup(a, s + 1, (size_t)(end - s) - 1);
	return end + sizeof TPL_CITE_END - 1;
}

/* Adds a line of the output without comments of text/cite.c to `out`. */
static void
finish_line(
	Explained_line *l, const Explain_source *of, const char *s, size_t n, Buf *out, Arena *a)
{
	const char *end = s + n;
	size_t start = out->n;

	while (s < end)
		if (strncmp(s, TPL_CITE, sizeof TPL_CITE - 1) == 0 && of->cites)
			s = read_cite(of, s, l, a);
		else
			buf_putc(out, *s++);
	Span in = source_line(of->m->src, of->m->src->line[l->at - 1]);
	size_t len = out->n - start - (out->n > start && out->at[out->n - 1] == '\n');
	if (!l->from && !l->by && in.end - in.pos == len &&
		memcmp(of->m->src->text + in.pos, out->at + start, len) == 0)
		l->from = l->at;
}

static void
finish_lines(Explained *to, const Explain_source *s, Buf *text, Arena *a)
{
	Buf out = { 0 };

	for (size_t i = 0, n; i < text->n; i += n) {
		const char *stop = memchr(text->at + i, '\n', text->n - i);
		uint32_t pos = (uint32_t)i;
		Explained_line l = { 0 };
		n = stop ? (size_t)(stop - text->at) + 1 - i : text->n - i;
		pos = s->finish ? edit_origin(s->finish, pos) : pos;
		l.at = origin_line(s, s->edits ? edit_origin(s->edits, pos) : pos);
		finish_line(&l, s, text->at + i, n, &out, a);
		*vec_push(&to->lines) = l;
	}
	buf_free(text);
	*text = out;
}

static void
finish_region(Explained_region *r, const Explain_source *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->lines.n; i++) {
		uint32_t line = unchanged_line(s, r->lines.at[i]);
		if (line && (!n || r->lines.at[n - 1] != line))
			r->lines.at[n++] = line;
	}
	r->lines.n = n;
}

/* Whether the function has an annotation that an earlier run has not transformed. */
static bool
is_annotated(const Module *m, const Func *f)
{
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++)
		if (!m->markers[i].end && !m->markers[i].done)
			return true;
	return false;
}

void
explain_finish(Explained *to, const Explain_source *s, Buf *text, Arena *a)
{
	const Module *m = s->m;

	for (uint32_t f = 1; f < m->nfuncs; f++) {
		size_t len;
		const char *name = ptx_name(m, m->funcs[f].sym, &len);
		if (is_annotated(m, &m->funcs[f]))
			*vec_push(&to->funcs) = (Explained_func){ arena_strndup(a, name, len), f,
				line_of(m, m->funcs[f].at.pos),
				line_of(m, m->funcs[f].at.end - 1) };
	}
	for (uint32_t i = 0; i < to->sites.n; i++)
		for (uint32_t k = 0; k < to->sites.at[i].regions.n; k++)
			finish_region(&to->sites.at[i].regions.at[k], s);
	finish_lines(to, s, text, a);
	to->in = m->src->text;
	to->in_len = m->src->len;
	to->out = arena_strndup(a, text->at, text->n);
	to->out_len = text->n;
}
