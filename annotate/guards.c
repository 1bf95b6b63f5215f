/* SPDX-License-Identifier: MIT */
/* The text of guards. See guards.h.
 *
 * A guard's definition has the line number of the annotation, so that profilers and debuggers
 * show that line.
 *
 * Where a guard object is impossible, two functions replace it, called before and after the
 * statement, and before each jump out of it:
 * - in constexpr functions, which must not have variables with destructors or asm statements; they
 *   are called only outside of constant evaluation;
 * - before what may be a declaration, which must stay in its block;
 * - around the statements of a case, which are not a block;
 * - inside a case: guards must end in the order of nesting, and an object would end after the case.
 * A consteval function never reaches PTX. */
#include <string.h>
#include "annotate/guards.h"
#include "annotate/pragma.h"
#include "annotate/source/kernel.h"

#define BEFORE_JUMP \
	((int64_t)2 * UINT32_MAX) /* less guard n: its end before a jump, among edits at one byte */

/* ---- messages -------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 0)))
static void
report_at_site(Rewrite *r, const Site *s, Diag_kind kind, const char *fmt, va_list ap)
{
	Buf file = { 0 }, text = { 0 };

	buf_vprintf(&text, fmt, ap);
	edits_put_file(&r->edits, &file, s->at.place);
	Cuda_pos at = { file.at, s->line, 0 };
	at.col = pragma_column(r->d, at, s->word);
	diag_cuda(r->d, kind, at, DIAG_NOWHERE, "%s", text.at);
	buf_free(&file);
	buf_free(&text);
}

void
guard_error(Rewrite *r, const Site *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_at_site(r, s, D_ANNOTATION, fmt, ap);
	va_end(ap);
}

void
guard_warning(Rewrite *r, const Site *s, Diag_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_at_site(r, s, kind, fmt, ap);
	va_end(ap);
}

/* ---- guards ---------------------------------------------------------------------------------- */

void
guard_write_asm(Rewrite *r, Buf *to, const Site *s, bool begin, uint32_t n)
{
	Buf file = { 0 };

	buf_printf(to, "asm volatile(\"// .ccc %s %s %u", begin ? "begin" : "end",
		annot_kinds[s->a.kind].marker, n);
	if (begin) {
		edits_put_file(&r->edits, &file, s->at.place);
		buf_puts(to, " \\\"");
		annot_put_escaped(to, file.at ? file.at : "", file.n, "");
		buf_printf(to, "\\\":%u", s->line);
		annot_put_clauses(to, &s->a);
		buf_free(&file);
	}
	buf_puts(to, "\"); ");
}

/* Writes the begin marker of a `remap` with a key: the instruction before it is a copy of the key,
 * in the same asm statement, so that nothing comes in between. */
static void
write_key_asm(Rewrite *r, Buf *to, const Site *s, uint32_t n)
{
	Buf marker = { 0 };

	guard_write_asm(r, &marker, s, true, n);
	buf_printf(to, "asm volatile(\"mov.b32 %%0, %%1;\\n\\t// begin inline asm\\n\\t%.*s\" : \"=r\"(k) : \"r\"(k)); ",
		(int)(strlen(marker.at) - strlen("asm volatile(\"") - strlen("\"); ")),
		marker.at + strlen("asm volatile(\""));
	buf_free(&marker);
}

static void
write_begin(Rewrite *r, Buf *to, const Site *s, uint32_t n)
{
	if (annot_has_key(&s->a))
		write_key_asm(r, to, s, n);
	else
		guard_write_asm(r, to, s, true, n);
}

/* Returns the parameter of a guard's begin. */
static const char *
begin_parameter(const Site *s)
{
	return annot_has_key(&s->a) ? "unsigned k" : "";
}

static void
define_guard(Rewrite *r, const Site *s, uint32_t n)
{
	Buf *to = &r->defs;

	edits_put_marker(&r->edits, to, s->at.place, s->line);
	if (s->form != FORM_OBJECT) {
		for (int begin = 1; begin >= 0; begin--) {
			buf_printf(to, GUARD_INLINE "bool __ccc_%c%u(%s) { ", begin ? 'b' : 'e', n,
				begin ? begin_parameter(s) : "");
			if (begin)
				write_begin(r, to, s, n);
			else
				guard_write_asm(r, to, s, false, n);
			buf_puts(to, "return false; } ");
		}
	} else {
		buf_printf(to, "struct __ccc_g%u { " GUARD_INLINE "__ccc_g%u(%s) { ", n, n,
			begin_parameter(s));
		write_begin(r, to, s, n);
		buf_printf(to, "} " GUARD_INLINE "~__ccc_g%u() { ", n);
		guard_write_asm(r, to, s, false, n);
		buf_puts(to, "} " GUARD_INLINE "operator bool() const { return false; } };");
	}
	buf_putc(to, '\n');
}

bool
guard_is_left_out(const Rewrite *r, uint32_t n)
{
	return n < r->without.n && r->without.at[n];
}

void
guard_open(Rewrite *r, const Site *s, uint32_t n, uint32_t pos, Cxx_place p)
{
	Buf b = { 0 }, key = { 0 };

	if (guard_is_left_out(r, n))
		return;
	define_guard(r, s, n);
	buf_puts(&key, "");
	if (annot_has_key(&s->a)) /* an integer, an enumerator or a pointer; in the user's scope */
		buf_printf(&key, "(unsigned)(unsigned long long)(%.*s)", (int)s->a.key.len,
			s->a.key.at);
	if (s->form == FORM_OBJECT)
		buf_printf(&b,
			"if (::__ccc_g%u __ccc_v = ::__ccc_g%u(%s)) __builtin_unreachable(); else\n",
			n, n, key.at);
	else
		buf_printf(&b, "if (%s::__ccc_b%u(%s)) __builtin_unreachable();%s\n",
			s->function ? NOT_CONSTANT : "", n, key.at,
			s->form == FORM_BLOCK ? " else {" : "");
	edits_insert(&r->edits, pos, p, s->line, n, b.at);
	buf_free(&key);
	buf_free(&b);
}

bool
guard_definition(Rewrite *r, Site *s)
{
	Kernel_head head = { .wrong = "" };
	Buf b = { 0 };

	if (s->a.kind == ANNOT_WHILE &&
		(r->run.sort == STMT_UNSURE || r->run.sort == STMT_DECLARATION ||
			r->run.sort == STMT_PLAIN))
		head = function_head(r->run.statement.x, r->run.statement.t);
	if (head.wrong)
		return false;
	s->a.kind = ANNOT_RECURSION;
	uint32_t n = r->nguards++;
	if (guard_is_left_out(r, n))
		return true;
	define_guard(r, s, n);
	edits_insert(&r->edits, head.first.pos, head.first.place, 0, n, "__attribute__((noinline))\n");
	buf_printf(&b, "::__ccc_g%u __ccc_f;\n", n);
	edits_insert(&r->edits, head.body, head.place, s->line, n, b.at);
	buf_free(&b);
	return true;
}

/* Closes guard n at the walk's position and before the jumps that the walk found. If several
 * guards end at one byte, the inner ones, which have higher numbers, are closed first. The order
 * at one byte: ends of statements, then openings (guard n has order n), then what precedes the
 * jump that follows, as in `if(x)return;`. */
static void
write_guard_ends(Rewrite *r, const Site *s, uint32_t n, const Stmt_walk *w)
{
	const char *test = s->function ? NOT_CONSTANT : "";
	Buf b = { 0 };

	buf_printf(&b, "if (%s::__ccc_e%u()) {}%s\n", test, n, s->form == FORM_BLOCK ? " }" : "");
	edits_insert(&r->edits, w->end, w->behind, 0, -(int64_t)n - 1, b.at);
	b.n = 0;
	buf_printf(&b, "if (%s::__ccc_e%u()) __builtin_unreachable(); else\n", test, n);
	for (uint32_t i = 0; i < w->exits.n; i++)
		edits_insert(&r->edits, w->exits.at[i].pos, w->exits.at[i].place, 0,
			BEFORE_JUMP - (int64_t)n, b.at);
	buf_free(&b);
}

bool
guard_close(Rewrite *r, const Site *s, uint32_t n, const Stmt_walk *at)
{
	if (s->form == FORM_OBJECT || guard_is_left_out(r, n))
		return true;
	Stmt_walk w = stmt_at(at->x, at->t, true);
	bool ok = stmt_skip(&w);

	if (!ok)
		guard_error(r, s, "the annotated statement cannot be read: %s", w.error);
	write_guard_ends(r, s, n, &w);
	stmt_release(&w);
	return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* A case has no statement that an object could guard, and the next case may use its
 * declarations. */
static void
guard_case(Rewrite *r, const Site *of, const Stmt_case *c, const Stmt_walk *w)
{
	Site s = *of;
	uint32_t n = r->nguards++;

	if (s.a.kind == ANNOT_SWITCH) {
		s.a.kind = ANNOT_CASE;
		s.at = c->label;
		s.line = c->label.place.line;
	} /* otherwise arms of one branch, which share its line */
	s.a.given &= ~(UINT32_C(1) << CLAUSE_PATHS);
	s.form = FORM_BARE;
	if (guard_is_left_out(r, n) || c->pos == c->end)
		return;
	guard_open(r, &s, n, c->pos, c->at);
	write_guard_ends(r, &s, n, w);
}

void
guard_cases(Rewrite *r, const Site *s, Stmt_walk keyword)
{
	Stmt_walk w = stmt_at(keyword.x, keyword.t, true);
	Stmt_case c;

	if (stmt_enter_switch(&w))
		while (stmt_next_case(&w, &c))
			guard_case(r, s, &c, &w);
	r->cases_end = r->cases_end < w.end ? w.end : r->cases_end;
	if (w.error)
		guard_error(r, s, "the annotated statement cannot be read: %s", w.error);
	else if (w.stray_case)
		guard_error(r, s,
			"a case label is nested in another statement of the switch; put '#pragma ccc path' before the code to be "
			"collected");
	stmt_release(&w);
}
