/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any. See auto_annotate.h.
 *
 * First come branches with large, similar arms, which may be melded; then what needs no promise
 * (proven.c), by expected gain: a profile tells whether they gain. Last come those that need a
 * promise: they are counted too, so that their possible gain can be reported. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "suggest/auto_annotate.h"
#include "suggest/suggest_plan.h"

/* Minimal share of a kernel's issue slots in an arm to be melded. */
static const double LEAST_MELDED = 0.25;

/* Kinds of annotations, in the order in which they are tried. */
typedef enum { MELDED, PROVEN, PROMISED } Pick_sort;
typedef struct { const Suggestion *of; Pick_sort sort; } Pick;
typedef VEC(Pick) Picks;

static int
most_first(const void *a, const void *b)
{
	const Pick *x = a, *y = b;

	if (x->sort == MELDED)
		return x->of->share > y->of->share ? -1 : x->of->share < y->of->share;
	if (x->of->expected != y->of->expected)
		return x->of->expected > y->of->expected ? -1 : 1;
	return x->of->c->first < y->of->c->first ? -1 : x->of->c->first > y->of->c->first;
}

/* ---- similar arms ---------------------------------------------------------------------------- */

/* Counts the instructions of an arm by opcode; returns their number. */
static uint32_t
count_ops(const Candidate *c, uint32_t *of)
{
	uint32_t n = 0;

	BITS_EACH(b, c->blocks)
		FN_BLOCK_STMTS(c->fn, b, s) {
			const Stmt *st = fn_stmt(c->fn, s);
			if (st->kind != STMT_INSN)
				continue;
			of[ptx_op(c->fn->m, st)]++;
			n++;
		}
	return n;
}

/* Whether both arms have about the same numbers of each opcode. Then they may be meldable; whether
 * they are, and the gain, is known after melding. */
static bool
are_alike(const Candidate *a, const Candidate *b)
{
	uint32_t of[2][OP_COUNT] = { { 0 } }, both = 0;
	uint32_t all = count_ops(a, of[0]) + count_ops(b, of[1]);

	for (uint32_t i = 0; i < OP_COUNT; i++)
		both += of[0][i] < of[1][i] ? of[0][i] : of[1][i];
	return 2 * both * 5 >= all * 3;
}

/* Whether the arm is the first of two similar arms of a divergent branch with a large share of the
 * kernel. */
static bool
may_meld(const Suggestions *w, uint32_t func, const Suggestion *s)
{
	const Candidate *c = s->c;

	if (c->kind != ADVICE_BRANCH || c->share < LEAST_MELDED)
		return false;
	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++) {
		const Candidate *o = &w->all.at[i];
		if (o->kind == ADVICE_BRANCH && o->from == c->from && c->first < o->first)
			return are_alike(c, o);
	}
	return false;
}

/* ---- candidates of a function ---------------------------------------------------------------- */

static void
add_pick(const Suggestions *w, uint32_t func, Pick_sort sort, Picks *to)
{
	uint32_t n = to->n;

	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++)
		if (sort == MELDED ? may_meld(w, func, &w->of[i]) : w->of[i].done)
			*vec_push(to) = (Pick){ &w->of[i], sort };
	if (to->n > n)
		qsort(to->at + n, to->n - n, sizeof *to->at, most_first);
}

/* Whether one candidate's enclosing loop also encloses the other. Without an enclosing loop it is
 * the kernel's task loop. */
static bool
loops_nest(const Candidate *a, const Candidate *b)
{
	const Loops *l = a->fn->loops;

	return !a->loop || !b->loop || loop_contains(l, a->loop, l->loops[b->loop].header) ||
		loop_contains(l, b->loop, l->loops[a->loop].header);
}

static uint32_t
stmt_number(const Source_stmt *s)
{
	return s ? s->number : 0;
}

static void
write_annotation(const Candidate *c, Annot_kind kind, Buf *out)
{
	static const char *const parts[PART_COUNT] = { "head", "body", "other", "rest" };
	bool outer = kind != ANNOT_DISTRIBUTE;

	buf_printf(out, "%s %u %s %u %u\n", annot_kinds[kind].marker, c->in.site->number,
		kind == ANNOT_DISTRIBUTE ? "head" : parts[c->in.part],
		outer && c->loop ? c->in.around->number : 0,
		outer && !c->loop ? stmt_number(c->in.kernel) : 0);
}

/* Reports a place, once, that would be annotated if it had a statement. */
static void
write_missing(const Suggestion *s, Buf *out)
{
	const Candidate *c = s->c;
	const char *what = c->kind == ADVICE_LOOP ? "loop" : "branch";
	Buf line = { 0 };

	buf_printf(&line, "missing %s:%u\t%s not annotated: %s\n", c->at.at.file, c->at.at.line,
		what, c->in.missing);
	bool known = c->at.at.file != c->fn->m->src->name;
	if (known && advice_worth(s->expected) && (!out->n || !strstr(out->at, line.at)))
		buf_add(out, line.at, line.n);
	buf_free(&line);
}

static void
write_function(Picks *of, Buf *out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < of->n; i++) {
		uint32_t k = 0;
		while (k < kept && !loops_nest(of->at[i].of->c, of->at[k].of->c))
			k++;
		if (k < kept)
			continue;
		const Site_stmts *in = &of->at[i].of->c->in;
		/* melded arms need no loop around them */
		if (!in->site || (in->missing && of->at[i].sort != MELDED)) {
			write_missing(of->at[i].of, out);
			continue;
		}
		write_annotation(of->at[i].of->c,
			of->at[i].sort == MELDED ? ANNOT_DISTRIBUTE : of->at[i].of->c->annot, out);
		of->at[kept++] = of->at[i];
	}
}

void
auto_annotate(const Module *m, const Pass_options *opt, Buf *out)
{
	Pass_options plain = *opt;
	Suggestions shown, promised;

	plain.measured.profile = NULL;
	plain.auto_mode = AUTO_ALWAYS;
	suggestions_make(&shown, m, &plain, true);
	suggestions_make(&promised, m, &plain, false);
	for (uint32_t f = 1; f < m->nfuncs && shown.stmts.known; f++) {
		Picks picks = { 0 };
		add_pick(&shown, f, MELDED, &picks);
		add_pick(&shown, f, PROVEN, &picks);
		add_pick(&promised, f, PROMISED, &picks);
		write_function(&picks, out);
		vec_free(&picks);
	}
	suggestions_release(&shown);
	suggestions_release(&promised);
}
