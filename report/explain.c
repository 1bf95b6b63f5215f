/* SPDX-License-Identifier: MIT */
/* The page of --explain. See explain.h.
 *
 * Rows of both texts have attributes for the script: data-l, the line of the input (0: none);
 * data-r, the numbers of the regions that contain it; data-b, in the output, the number of the
 * last label. An element with data-show highlights the rows of a line ("l12"), a region ("r3") or
 * a label ("b7"). Without the script the page is complete, except for highlighting. */
#include <stdlib.h>
#include <string.h>
#include "report/explain.h"
#include "report/page.h"

enum {
	WHOLE = 400,    /* lines of a function that is shown completely */
	AROUND = 8      /* else: lines shown around a region */
};

static const char style[] =
#include "explain.css.h"
	;


static const char script[] =
#include "explain.js.h"
	;


/* ---- invariants ------------------------------------------------------------------------------ */

/* generated from docs/proofs/ */
static const struct { const char *name, *page, *text; } proofs[] = {
#define PROOF(name, page, text) { name, page, text },
#include "proofs.h"
#undef PROOF
};

static void
write_invariant(Buf *out, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++)
		if (strlen(proofs[i].name) == n && memcmp(proofs[i].name, name, n) == 0) {
			buf_puts(out, "<abbr title=\"");
			page_text(out, proofs[i].text);
			buf_printf(out, " (docs/proofs/%s)\">%s</abbr>", proofs[i].page,
				proofs[i].name);
			return;
		}
	page_text_n(out, name, n);
}

/* Writes "collect.tpl:57 C5, C6". */
static void
write_template_line(Buf *out, const char *by)
{
	size_t n = strcspn(by, " ");

	page_text_n(out, by, n);
	while (by[n]) {
		size_t skip = strspn(by + n, " ,");
		buf_add(out, by + n, skip);
		by += n + skip;
		n = strcspn(by, " ,");
		write_invariant(out, by, n);
	}
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A function with its regions, which are numbered over its sites. */
typedef struct {
	const Explained *of;
	const Explained_func *f;
	VEC(const Explained_region *) regions;
	const char **by_line;   /* numbers of its regions, " 1 3"; by line from f->first */
	const char **role;      /* the last of their roles; NULL: none */
	bool *near;             /* the line is shown */
	uint32_t base;          /* number of the first line of the text that is written, minus 1 */
	uint32_t label;         /* number of the last label of the output */
	Arena *arena;
	Buf *out;
} Explain_func;

static bool
in_function(const Explain_func *w, uint32_t line)
{
	return line >= w->f->first && line <= w->f->last;
}

static void
add_region_line(Explain_func *w, uint32_t number, uint32_t line)
{
	uint32_t i = line - w->f->first, n = w->f->last - w->f->first + 1;
	const char *have = w->by_line[i] ? w->by_line[i] : "";
	Buf b = { 0 };

	buf_printf(&b, "%s%s%u", have, *have ? " " : "", number);
	w->by_line[i] = arena_strndup(w->arena, b.at, b.n);
	w->role[i] = w->regions.at[number]->role;
	for (uint32_t k = i > AROUND ? i - AROUND : 0; k < n && k <= i + AROUND; k++)
		w->near[k] = true;
	buf_free(&b);
}

static void
collect_regions(Explain_func *w)
{
	uint32_t n = w->f->last - w->f->first + 1;

	w->by_line = arena_array(w->arena, n, sizeof *w->by_line);
	w->role = arena_array(w->arena, n, sizeof *w->role);
	w->near = arena_array(w->arena, n, sizeof *w->near);
	for (uint32_t i = 0; i < n; i++)
		w->near[i] = n <= WHOLE;
	for (uint32_t i = 0; i < w->of->sites.n; i++) {
		const Explained_site *s = &w->of->sites.at[i];
		for (uint32_t k = 0; s->func == w->f->func && k < s->regions.n; k++) {
			const Explained_region *r = &s->regions.at[k];
			*vec_push(&w->regions) = r;
			for (uint32_t l = 0; l < r->lines.n; l++)
				if (in_function(w, r->lines.at[l]))
					add_region_line(w, w->regions.n - 1, r->lines.at[l]);
		}
	}
}

/* Writes the attributes of a row for input line `line`, 0: none. */
static void
write_attributes(const Explain_func *w, uint32_t line)
{
	buf_printf(w->out, " data-l=\"%u\"", line);
	if (line && in_function(w, line) && w->by_line[line - w->f->first])
		buf_printf(w->out, " data-r=\"%s\"", w->by_line[line - w->f->first]);
}

static const char *
role_of(const Explain_func *w, uint32_t line)
{
	const char *role = line && in_function(w, line) ? w->role[line - w->f->first] : NULL;

	return role ? role : "";
}

static bool
is_label(const char *s, size_t n)
{
	return n > 1 && s[0] == '$' && memchr(s, ':', n);
}

/* Returns the class of a row by its text. */
static const char *
class_of(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return n - i > 4 && memcmp(s + i, ".loc", 4) == 0 ? "loc " : is_label(s, n) ? "label " : "";
}

static bool
input_shown(void *user, unsigned line)
{
	const Explain_func *w = user;

	return w->near[line - 1];
}

static void
write_input_line(void *user, unsigned number, const char *s, size_t n)
{
	const Explain_func *w = user;
	uint32_t line = w->base + number;

	buf_printf(w->out, "<tr class=\"%s%s\"", class_of(s, n), role_of(w, line));
	write_attributes(w, line);
	buf_printf(w->out, " data-show=\"l%u\"><td>%u</td><td><pre>", line, line);
	page_text_n(w->out, s, n);
	buf_puts(w->out, "</pre></td></tr>\n");
}

static bool
output_shown(void *user, unsigned number)
{
	const Explain_func *w = user;
	const Explained_line *l = &w->of->lines.at[w->base + number - 1];

	return l->by || l->from != l->at || (in_function(w, l->at) && w->near[l->at - w->f->first]);
}

static void
write_output_line(void *user, unsigned number, const char *s, size_t n)
{
	Explain_func *w = user;
	const Explained_line *l = &w->of->lines.at[w->base + number - 1];
	bool label = is_label(s, n);

	w->label += label;
	buf_printf(w->out, "<tr class=\"%s%s%s\"", class_of(s, n), l->from ? "" : "new ",
		role_of(w, l->from));
	write_attributes(w, l->from);
	buf_printf(w->out, " data-b=\"%u\"", w->label);
	if (label)
		buf_printf(w->out, " data-show=\"b%u\"", w->label);
	else if (l->from)
		buf_printf(w->out, " data-show=\"l%u\"", l->from);
	buf_printf(w->out, "><td>%u</td><td><pre>", w->base + number);
	page_text_n(w->out, s, n);
	buf_puts(w->out, "</pre></td><td class=\"by\">");
	if (l->by)
		write_template_line(w->out, l->by);
	else if (l->from && l->from != l->at)
		buf_printf(w->out, "line %u", l->from);
	buf_puts(w->out, "</td></tr>\n");
}

/* Returns the position of a line of the text. */
static size_t
line_start(const char *s, size_t len, uint32_t line)
{
	size_t i = 0;

	for (const char *stop; --line && (stop = memchr(s + i, '\n', len - i));)
		i = (size_t)(stop - s) + 1;
	return line ? len : i;
}

static void
write_input(Explain_func *w)
{
	const Explained *e = w->of;
	size_t from = line_start(e->in, e->in_len, w->f->first),
	       end = line_start(e->in, e->in_len, w->f->last + 1);

	w->base = w->f->first - 1;
	buf_puts(w->out, "<div class=\"side\"><table class=\"source\">\n<tr><th colspan=\"2\">Input</th></tr>\n");
	page_source(w->out, &(Page_source){ e->in + from, end - from, 2, input_shown,
				    write_input_line, w });
	buf_puts(w->out, "</table></div>\n");
}

static void
write_output(Explain_func *w)
{
	const Explained *e = w->of;
	uint32_t first = 0, last;

	while (first < e->lines.n && !in_function(w, e->lines.at[first].at))
		first++;
	for (last = first; last < e->lines.n && in_function(w, e->lines.at[last].at);)
		last++;
	size_t from = line_start(e->out, e->out_len, first + 1),
	       end = line_start(e->out, e->out_len, last + 1);
	w->base = first;
	buf_puts(w->out,
		"<div class=\"side\"><table class=\"source\">\n<tr><th colspan=\"2\">Output</th><th class=\"by\">source</th></tr>\n");
	page_source(w->out, &(Page_source){ e->out + from, end - from, 3, output_shown,
				    write_output_line, w });
	buf_puts(w->out, "</table></div>\n");
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Writes the policies that were compared. */
static void
write_options(Buf *out, const Unit_site *s)
{
	if (!s->options.n)
		return;
	buf_puts(out,
		"<details><summary>Policies that were compared</summary><table class=\"compared\">\n"
		"<tr><th>Policy</th><th>Issue slots, before</th><th>after</th><th>Expected</th><th>at worst</th><th>at best</th></tr>\n");
	for (uint32_t i = 0; i < s->options.n; i++) {
		const Unit_option *o = &s->options.at[i];
		buf_puts(out, "<tr><td><code>");
		page_text(out, o->policy);
		if (o->after)
			buf_printf(out,
				"</code></td><td>%.0f</td><td>%.0f</td><td>%.2f&times;</td><td>%.2f&times;</td><td>%.2f&times;</td></tr>\n",
				o->before / 100.0, o->after / 100.0, o->worth / 100.0,
				o->least / 100.0, o->most / 100.0);
		else
			buf_puts(out, "</code></td><td colspan=\"5\">unknown</td></tr>\n");
	}
	buf_puts(out, "</table></details>\n");
}

static void
write_outcomes(const Explain_func *w, const Unit *u)
{
	bool any = false;

	for (uint32_t i = 0; i < u->sites.n; i++) {
		const Unit_site *s = &u->sites.at[i];
		if (strcmp(s->function, w->f->name) != 0)
			continue;
		any = true;
		buf_printf(w->out, "<div class=\"told %s\"><div>", s->done ? "done" : "left");
		html_site(s, u->arch, w->out);
		write_options(w->out, s);
		buf_puts(w->out, "</div></div>\n");
	}
	if (!any)
		buf_puts(w->out, "<p>Nothing was planned: the messages of ptxccc say why.</p>\n");
}

static void
write_regions(const Explain_func *w)
{
	buf_puts(w->out, w->regions.n ? "<ul class=\"roles\">\n" : "");
	for (uint32_t i = 0; i < w->regions.n; i++) {
		const Explained_region *r = w->regions.at[i];
		buf_printf(w->out,
			"<li><button class=\"role %s\" data-show=\"r%u\">%s</button><span>",
			r->role, i, r->role);
		page_text(w->out, r->text);
		if (r->lines.n)
			buf_printf(w->out, " <small>(input line%s %u",
				r->lines.n > 1 ? "s" : "", r->lines.at[0]);
		if (r->lines.n > 1)
			buf_printf(w->out, " to %u", r->lines.at[r->lines.n - 1]);
		buf_puts(w->out, r->lines.n ? ")</small></span></li>\n" : "</span></li>\n");
	}
	buf_puts(w->out, w->regions.n ? "</ul>\n" : "");
}

/* Writes the dump of a plan without the policies that were compared: they have a table. */
static void
write_plan(Buf *out, const char *plan)
{
	static const char compared[] = "\tauto:";

	for (size_t n; *plan; plan += n) {
		n = strcspn(plan, "\n");
		n += plan[n] == '\n';
		if (strncmp(plan, compared, sizeof compared - 1) != 0)
			page_text_n(out, plan, n);
	}
}

static void
write_plans(const Explain_func *w)
{
	for (uint32_t i = 0; i < w->of->sites.n; i++) {
		const Explained_site *s = &w->of->sites.at[i];
		if (s->func != w->f->func)
			continue;
		buf_puts(w->out, "<details><summary>The plan in detail, with the reasons");
		if (s->at.file) {
			buf_puts(w->out, ": ");
			page_text(w->out, s->at.file);
			buf_printf(w->out, ":%u", s->at.line);
		}
		buf_puts(w->out, "</summary><pre class=\"plan\">");
		write_plan(w->out, s->plan);
		buf_puts(w->out, "</pre></details>\n");
	}
}

static void
write_function(const Explained *e, const Explained_func *f, const Unit *u, Buf *out)
{
	Explain_func w = { .of = e, .f = f, .arena = arena_new(), .out = out };

	collect_regions(&w);
	buf_puts(out, "<section class=\"function\">\n<h2><code>");
	page_text(out, f->name);
	buf_puts(out, "</code></h2>\n");
	write_outcomes(&w, u);
	write_regions(&w);
	write_plans(&w);
	buf_puts(out, "<div class=\"sides\">\n");
	write_input(&w);
	write_output(&w);
	buf_puts(out, "</div>\n</section>\n");
	vec_free(&w.regions);
	arena_free(w.arena);
}

void
explain_html(const Explained *e, const Unit *u, Buf *out)
{
	Buf title = { 0 };

	buf_printf(&title, "ptxccc: %s", u->source);
	page_begin(out, title.at, style);
	buf_puts(out, e->funcs.n ?
		"<p class=\"intro\">Each function with an annotation, before and after the transformation. Point at a line, a region or a label of the output to "
		"highlight the lines that belong to it on both sides; click to keep the highlighting and to scroll the other side. Shaded lines of the output are new: "
		"next to them are the line of the compiler's template and the invariants of the correctness proof that depend on it (point at one to read it).</p>\n" :
		"<p>No function has an annotation.</p>\n");
	for (uint32_t i = 0; i < e->funcs.n; i++)
		write_function(e, &e->funcs.at[i], u, out);
	buf_puts(out, "<script>\n");
	buf_puts(out, script);
	buf_puts(out, "</script>\n");
	page_end(out);
	buf_free(&title);
}
