/* SPDX-License-Identifier: MIT */
/* Rewrites preprocessed CUDA. See rewrite.h.
 *
 * A single pass over the tokens finds the annotations; a look-ahead finds the statement of each.
 * Insertions (guards.h) are collected as edits, and the guards' definitions as text for the top
 * of the file. */
#include <string.h>
#include "annotate/guards.h"
#include "annotate/source/kernel.h"
#include "annotate/pragma.h"
#include "annotate/raw.h"

/* ---- annotations ----------------------------------------------------------------------------- */

enum { MAX_ANNOTATION = 4000 };

/* Returns the line of an annotation. For a _Pragma, the preprocessor corrects the line number
 * only after the pragma. */
static uint32_t
annotation_line(const Rewrite *r, Cxx_token t)
{
	uint32_t i = t.end, line = t.place.line, n = 0;

	if (r->x.len - i < 4 || memcmp(r->x.text + i, "\n# ", 3) != 0)
		return line;
	for (i += 3; i < r->x.len && r->x.text[i] >= '0' && r->x.text[i] <= '9'; i++)
		n = 10 * n + (uint32_t)(r->x.text[i] - '0');
	return n && n < line ? n : line;
}

static const char *
suggestion(Stmt_sort sort)
{
	return sort == STMT_LOOP    ? "; did you mean '#pragma ccc for'?" :
		sort == STMT_IF     ? "; did you mean '#pragma ccc if'?" :
		sort == STMT_SWITCH ? "; did you mean '#pragma ccc switch'?" :
		sort == STMT_BLOCK  ? "; did you mean '#pragma ccc path'?" :
				      "";
}

/* Whether the statement may be a call: a function that ends by calling itself is a loop, too. */
static bool
may_call(const Site *s, Stmt_sort sort)
{
	return s->a.kind == ANNOT_WHILE && (sort == STMT_PLAIN || sort == STMT_UNSURE);
}

/* Whether an annotation that may apply to a switch or an `if` applies to the cases of a switch. */
static bool
has_cases(const Rewrite *r, const Site *s)
{
	return r->run.sort == STMT_SWITCH && annot_kinds[s->a.kind].before == BEFORE_ARMS;
}

/* Whether the annotation is allowed before its statement; reports an error if not. */
static bool
check_target(Rewrite *r, const Site *s)
{
	/* ORDER Annot_before */
	static const struct { Stmt_sort sort; const char *name; } wanted[] = {
		{ STMT_UNSURE, NULL },
		{ STMT_LOOP, "a for, while or do" },
		{ STMT_IF, "an if" },
		{ STMT_IF, "an if" },
		{ STMT_IF, "an if" },
		{ STMT_IF, "an if or switch" },
		{ STMT_IF, "an if" },
		{ STMT_SWITCH, "a switch" },
	};
	Stmt_sort sort = r->run.sort;
	Annot_before before = annot_before(&s->a);
	const char *words = annot_words(&s->a);

	if (sort == STMT_LABELLED)
		guard_error(r, s, "'#pragma ccc %s' is before a label; move it after the label",
			words);
	else if (cxx_is(&r->run.keyword.x, r->run.keyword.t, "else"))
		guard_error(r, s,
			"'#pragma ccc %s' is before 'else'; for the else statement write '#pragma ccc path' after 'else', "
			"for both '#pragma ccc if else' before the if",
			words);
	else if (sort == STMT_NOT)
		guard_error(r, s, "'#pragma ccc %s' has no statement after it", words);
	else if (before != BEFORE_ANY && sort != wanted[before].sort && !may_call(s, sort) &&
		!has_cases(r, s))
		guard_error(r, s, "'#pragma ccc %s' must be directly before %s statement%s",
			words, wanted[before].name,
			s->a.kind == ANNOT_REMAP ? "; 'remap key(EXPRESSION)' may precede any" :
						   suggestion(sort));
	else if (sort == STMT_DECLARATION)
		guard_error(r, s,
			"'#pragma ccc %s' is before a declaration; put braces around the path",
			words);
	else if (sort == STMT_UNSURE && r->run.place == PLACE_UNKNOWN)
		guard_error(r, s,
			"'#pragma ccc %s' may be before a declaration; put braces around the path",
			words);
	else
		return true;
	return false;
}

/* Inserts the guards of `if`: after the condition and after `else` if the annotation covers both
 * statements, otherwise only where requested. */
static void
guard_if(Rewrite *r, const Site *s, Stmt_walk *w)
{
	Annot_before before = annot_kinds[s->a.kind].before;
	bool arms = before == BEFORE_IF_ARMS || before == BEFORE_ARMS, ok = stmt_skip_if_head(w);

	if (ok) {
		guard_open(r, s, r->nguards, w->end, w->behind);
		ok = guard_close(r, s, r->nguards++, w);
	}
	if (ok && (s->a.both || arms)) {
		ok = stmt_skip(w);
		stmt_skip_directives(w);
		if (ok && arms && !cxx_is(&w->x, w->t, "else"))
			return;
		if (ok && !cxx_is(&w->x, w->t, "else")) {
			guard_error(r, s,
				"'#pragma ccc %s' before an if statement without else; did you mean '#pragma ccc if'?",
				annot_words(&s->a));
			return;
		}
		if (ok) {
			stmt_advance(w);
			guard_open(r, s, r->nguards, w->end, w->behind);
			ok = guard_close(r, s, r->nguards++, w);
		}
	}
	if (!ok && w->error)
		guard_error(r, s, "the annotated statement cannot be read: %s", w->error);
}

/* Whether it predicts an if: the statement after the condition is meant, because waiting before a
 * test that most lanes reach only costs. With an else either statement can be meant. */
static bool
predicts_if(Rewrite *r, const Site *s, Stmt_walk w)
{
	if (s->a.kind != ANNOT_PREDICT || r->run.sort != STMT_IF)
		return false;
	if (!stmt_skip_if_head(&w) || !stmt_skip(&w))
		return true; /* guard_if() says why */
	stmt_skip_directives(&w);
	if (!cxx_is(&w.x, w.t, "else"))
		return true;
	guard_warning(r, s, D_POLICY,
		"'#pragma ccc predict' before an if statement with else: lanes wait before its test; move it before one of the two statements");
	return false;
}

/* Skips `else`, and `if (...)` if it follows. The walk is after the if's statement. Returns
 * false if there is no else. */
static bool
next_arm(Stmt_walk *w, bool *condition)
{
	stmt_skip_directives(w);
	if (!cxx_is(&w->x, w->t, "else"))
		return false;
	stmt_advance(w);
	Stmt_walk behind = *w;
	stmt_skip_directives(w);
	*condition = cxx_is(&w->x, w->t, "if");
	if (*condition)
		return stmt_skip_if_head(w);
	*w = behind;
	return true;
}

/* Inserts the guards of an if and of each of its `else if` and `else`. They have consecutive
 * numbers, and only the first is of the annotation's own kind, which shows which of them belong
 * together. */
static void
guard_chain(Rewrite *r, const Site *s, Stmt_walk *w)
{
	Site arm = *s;
	bool condition = true, ok = stmt_skip_if_head(w);

	while (ok) {
		guard_open(r, &arm, r->nguards, w->end, w->behind);
		ok = guard_close(r, &arm, r->nguards++, w) && condition && stmt_skip(w) &&
			next_arm(w, &condition);
		if (annot_is_off(&s->a))
			break;
		arm.a = (Annot){ .kind = ANNOT_REMAP_ELSE }; /* the first guard has the clauses */
	}
	if (w->error)
		guard_error(r, s, "the annotated statement cannot be read: %s", w->error);
}

/* Marks the start of an iteration of annotated loop n, before the body. keyword: the walk at the
 * loop's keyword. */
static void
mark_iteration(Rewrite *r, const Site *s, uint32_t n, Stmt_walk keyword)
{
	Buf b = { 0 };

	if (!stmt_skip_loop_head(&keyword)) {
		guard_error(r, s, "the annotated statement cannot be read: %s", keyword.error);
		return;
	}
	edits_put_marker(&r->edits, &r->defs, s->at.place, s->line);
	buf_printf(&r->defs,
		GUARD_INLINE
		"bool __ccc_i%u() { asm volatile(\"// .ccc begin iteration %u\"); return false; }\n",
		n, n);
	buf_printf(&b, "if (%s::__ccc_i%u()) __builtin_unreachable(); else\n",
		s->function ? NOT_CONSTANT : "", n);
	edits_insert(&r->edits, keyword.end, keyword.behind, s->line, n, b.at);
	buf_free(&b);
}

/* A kernel has no guard, but a marker at the start of its body. */
static void
mark_kernel(Rewrite *r, const Site *s)
{
	Kernel_head head = kernel_head(r->run.statement.x, r->run.statement.t);
	Buf b = { 0 };

	if (head.wrong || r->run.loop) {
		guard_error(r, s,
			head.wrong ? "'#pragma ccc grid' %s" : "a second annotation of one kernel",
			head.wrong);
		return;
	}
	r->run.loop = true;
	uint32_t n = r->nguards++;
	if (guard_is_left_out(r, n))
		return;
	guard_write_asm(r, &b, s, true, n);
	buf_putc(&b, '\n');
	edits_insert(&r->edits, head.body, head.place, s->line, n, b.at);
	buf_free(&b);
}

/* Whether the annotation is a loop's. `predict` may precede a loop, and `while` a call. */
static bool
is_of_loop(const Rewrite *r, const Site *s)
{
	return r->run.sort == STMT_LOOP && (annot_is_loop(s->a.kind) || s->a.kind == ANNOT_PREDICT);
}

/* Makes the compiler unroll the loop as the annotation requests: by default not at all, because
 * each copy of the body would duplicate the paths. n: the guard's number. */
static void
put_unroll(Rewrite *r, const Site *s, uint32_t n)
{
	uint32_t times = annot_has(&s->a, CLAUSE_UNROLL) ? s->a.number[CLAUSE_UNROLL] : 1;
	Cxx_token keyword = r->run.keyword.t;
	Buf b = { 0 };

	if (!r->run.unrolled) {
		buf_printf(&b, "#pragma unroll %u\n", times);
		edits_insert(&r->edits, keyword.pos, keyword.place, 0, n, b.at);
		buf_free(&b);
	} else if (annot_has(&s->a, CLAUSE_UNROLL) && times != r->run.unroll) {
		guard_warning(r, s, D_POLICY,
			"clause 'unroll' is ignored: the loop has its own '#pragma unroll'");
	}
}

/* Inserts the guard of any other kind: before the statement and its pragmas. */
static void
guard_statement(Rewrite *r, const Site *s)
{
	uint32_t n = r->nguards++;

	guard_open(r, s, n, r->run.first.pos, r->run.first.place);
	bool loop = is_of_loop(r, s) && !guard_is_left_out(r, n);
	if (loop)
		put_unroll(r, s, n);
	else if (!is_of_loop(r, s) && annot_has(&s->a, CLAUSE_UNROLL))
		guard_warning(r, s, D_POLICY, "clause 'unroll' is ignored: there is no loop here");
	guard_close(r, s, n, &r->run.statement);
	if (loop)
		mark_iteration(r, s, n, r->run.keyword);
	if (s->a.kind == ANNOT_SWITCH)
		guard_cases(r, s, r->run.keyword);
}

/* Whether this is preprocessed CUDA, which contains CUDA's own device functions. In other text,
 * a macro may expand to __device__, or an option of NVRTC may make all functions device code. */
static bool
is_cuda(const Cxx *x)
{
	static const char word[] = "__attribute__((device))";
	const char *end = x->text + x->len, *s = x->text;

	while ((s = memchr(s, '_', (size_t)(end - s))) && (size_t)(end - s) >= sizeof word - 1)
		if (memcmp(s++, word, sizeof word - 1) == 0)
			return true;
	return false;
}

static void
place_guard(Rewrite *r, Site *s)
{
	Stmt_walk keyword = r->run.keyword;

	if (annot_kinds[s->a.kind].before == BEFORE_KERNEL) {
		mark_kernel(r, s);
		return;
	}
	if (guard_definition(r, s) || !check_target(r, s))
		return;
	if (is_of_loop(r, s)) {
		if (r->run.loop)
			guard_error(r, s, "a second annotation of one loop");
		r->run.loop = true;
	}
	s->function = enclosing_function(&r->around);
	if (!s->function && enclosing_scope_is_host(&r->around) && is_cuda(&r->x))
		guard_warning(r, s, D_HOST,
			"'#pragma ccc %s' in a host function has no effect: the function has no __device__ or __global__",
			annot_words(&s->a));
	s->form = r->run.sort == STMT_UNSURE && r->run.place == PLACE_LIST ? FORM_BARE :
		s->function || s->at.pos < r->cases_end ? FORM_BLOCK : FORM_OBJECT;
	if (s->function == FUNCTION_CONSTEVAL)
		return;
	Annot_before before = annot_before(&s->a);
	if (before == BEFORE_CHAIN)
		guard_chain(r, s, &keyword);
	else if (has_cases(r, s))
		guard_cases(r, s, keyword);
	else if (before == BEFORE_IF || before == BEFORE_IF_ELSE || before == BEFORE_IF_ARMS ||
		before == BEFORE_ARMS || predicts_if(r, s, keyword))
		guard_if(r, s, &keyword);
	else
		guard_statement(r, s);
}

static void
read_annotation(Rewrite *r, Cxx_token t, Pragma_sort sort, const char *text)
{
	Annot_error err;
	Site s = { .at = t, .line = annotation_line(r, t) };

	r->nannots++;
	edits_remove_directive(&r->edits, t);
	s.word = sort == PRAGMA_NEARLY ? text : NULL;
	if (sort == PRAGMA_NEARLY)
		guard_error(r, &s, "unknown pragma '%.*s'; did you mean '#pragma %s'?",
			(int)strcspn(text, " ("), text, pragma_intended_annotation(text));
	else if (strlen(text) > MAX_ANNOTATION - 40)
		guard_error(r, &s, "the annotation is too long");
	else if (annot_parse(text, (uint32_t)strlen(text), &s.a, &err))
		place_guard(r, &s);
	else {
		s.word = text + err.at;
		guard_error(r, &s, "%s", err.text);
	}
}

static void
start_run(Rewrite *r, Cxx_token t)
{
	char buf[64];
	const char *rest;
	Run run = { .first = t, .open = true };
	Cxx x = r->x;

	for (; t.kind == CXX_DIRECTIVE; t = cxx_next(&x)) {
		if (pragma_sort(&x, t, buf, sizeof buf, &rest) != PRAGMA_UNROLL)
			continue;
		run.unrolled = true;
		run.unroll = pragma_unroll(rest);
	}
	run.statement = run.keyword = stmt_at(x, t, false);
	run.sort = stmt_sort(&run.keyword);
	run.place = run.sort == STMT_UNSURE ? enclosing_scope_at(&r->around, t.pos) : PLACE_UNKNOWN;
	r->run = run;
}

static void
read_directive(Rewrite *r, Cxx_token t)
{
	char buf[MAX_ANNOTATION];
	const char *rest;
	Pragma_sort sort = pragma_sort(&r->x, t, buf, sizeof buf, &rest);

	if (sort == PRAGMA_NOT) {
		r->run.open = false;
		enclosing_scope_advance_directive(&r->around, &r->x, t);
	}
	if (sort == PRAGMA_NOT || sort == PRAGMA_OTHER)
		return;
	if (!r->run.open)
		start_run(r, t);
	if (sort != PRAGMA_UNROLL)
		read_annotation(r, t, sort, rest);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void
scan_source(Rewrite *r)
{
	r->around = enclosing_scope_open(r->x);
	for (Cxx_token t; (t = cxx_next(&r->x)).kind != CXX_END; ) {
		if (t.kind == CXX_DIRECTIVE) {
			read_directive(r, t);
			continue;
		}
		r->run.open = false;
		enclosing_scope_advance(&r->around, &r->x, t);
	}
}

/* Returns the file that the first line marker names, which is the one being compiled. */
static Cxx_place
main_file(const char *text, uint32_t len)
{
	Cxx_place p = { .line = 1 };
	uint32_t i = 0, end = 0;

	if (len < 3 || memcmp(text, "# ", 2) != 0 || text[2] < '0' || text[2] > '9')
		return p;
	while (end < len && text[end] != '\n')
		end++;
	while (i < end && text[i] != '"')
		i++;
	while (end > i && text[end] != '"')
		end--;
	if (i < end)
		p.file = (Span){ i + 1, end };
	return p;
}

static void
release_rewrite(Rewrite *r)
{
	buf_free(&r->defs);
	edits_release(&r->edits);
	enclosing_scope_release(&r->around);
}

/* Rewrites the text and returns the number of annotations. */
static uint32_t
rewrite_source(Rewrite r, Buf *out)
{
	Cxx_place first = main_file(r.x.text, r.x.len);

	scan_source(&r);
	if (r.nannots && diags_errors(r.d) == 0) {
		edits_put_marker(&r.edits, out, first, 1);
		buf_add(out, r.defs.at ? r.defs.at : "", r.defs.n);
		edits_put_marker(&r.edits, out, first, 1);
		edits_apply(&r.edits, out);
	}
	release_rewrite(&r);
	return r.nannots;
}

void
rewrite_pragmas(const char *name, const char *text, uint32_t len, Buf *out, uint32_t *n, Diags *d)
{
	*n = rewrite_source((Rewrite){ .edits = { .name = name, .text = text, .len = len },
			   .d = d,
			   .x = cxx_open(text, len) },
		out);
}

void
rewrite_without(const Source *src, Guards without, Buf *out, Diags *d)
{
	rewrite_source(
		(Rewrite){ .edits = { .name = src->name, .text = src->text, .len = src->len },
			.d = d,
			.x = cxx_open(src->text, src->len),
			.without = without },
		out);
}

/* A header may be included more than once, so the definitions need their own include guard, before
 * the header's. */
void
rewrite_raw(const char *name, const char *text, uint32_t len, uint32_t *guards, Buf *out, Diags *d)
{
	Buf spelt = { 0 };

	raw_spell_out(name, text, len, &spelt);
	Rewrite r = { .edits = { .name = name, .text = spelt.at, .len = (uint32_t)spelt.n }, .d = d,
		.x = cxx_open(spelt.at, (uint32_t)spelt.n), .nguards = *guards };
	scan_source(&r);
	if (r.defs.n && diags_errors(d) == 0) {
		buf_printf(out, "#ifndef CCC_GUARDS_%u\n#define CCC_GUARDS_%u\n%s#endif\n", *guards,
			*guards, r.defs.at);
		edits_put_marker(&r.edits, out, (Cxx_place){ .line = 1 }, 1);
	}
	if (diags_errors(d) == 0)
		edits_apply(&r.edits, out);
	*guards = r.nguards;
	release_rewrite(&r);
	buf_free(&spelt);
}
