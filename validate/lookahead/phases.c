/* SPDX-License-Identifier: MIT */
/* Lanes that look ahead: how a lane passes through look-ahead iterations, selects some and executes
 * them. transfer.c has the effects of statements.
 *
 * Such a text keeps two things apart. Look-ahead executes the common code of an iteration on
 * separate registers. The lane's position in the input is in that iteration; if it reaches a path,
 * the lane continues after the path, and must record the iteration. Execution is the input's code
 * on the input's registers, one selected iteration after the other.
 *
 * The proof checks:
 *
 * - A word of selected iterations has bit w - o for each iteration w of the batch, in [a, b), that
 *   needs a path (TERM_NOTES). The end of a look-ahead iteration extends the range by one whether
 *   or not the iteration needs a path, so that the states of both kinds are merged. After the last
 *   look-ahead iteration, and with origin 0, the word is the set of iterations to be executed
 *   (TERM_OWED).
 * - After the lowest bit is removed, the iteration with this number (TERM_CURRENT) must be
 *   executed, past its path, before the next bit is removed. The word must be empty when the next
 *   batch begins, and when the lane leaves.
 * - Registers that the loop writes have no known value when an iteration is executed, except those
 *   that only paths write. The loop's induction variables must therefore be set first: to their
 *   value at the start of the batch plus the iteration's number times the increment. The increment
 *   is found during look-ahead, as the difference of a register's value at the end of an iteration
 *   and at its start, and must be the same in each.
 * - A lane whose look-ahead leaves the loop looks no further (TERM_PASSED is the iteration). It
 *   executes its selected iterations, then its last one again, without a path, or selected like the
 *   others. That iteration takes the same way as in look-ahead if it reads the same values. Paths
 *   of other iterations write nothing that it reads, as the annotation promises. If its own path
 *   has run by then, nothing that decides its way, or is read after the loop, may come from memory
 *   that a path could write.
 *
 * So each iteration's path is run once, in the order of iterations, on the values that it has in
 * the input, and the lane leaves with the values of its last iteration.
 */
#include <string.h>
#include "validate/lookahead/lookahead.h"

static bool has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* ---- state of a lane ------------------------------------------------------------------------- */

static Term_id
notes(Site *s, uint32_t from, uint32_t to, uint32_t origin)
{
	return term_make(&s->terms, TERM_NOTES, from, to, origin);
}

/* Whether a term with the op occurs in the term. */
static bool
has_op(const Site *s, Term_id a, Term_op op)
{
	const Term *x = term_at(&s->terms, a);

	if (x->op == op)
		return true;
	for (uint32_t i = 0; x->op == TERM_SUM && i < x->n; i++)
		if (has_op(s, s->terms.atoms.at[x->first + i].atom, op))
			return true;
	switch ((Term_op)x->op) {
	case TERM_AND: case TERM_OR: case TERM_MUL: case TERM_BOTH:
		return has_op(s, x->a, op) || has_op(s, x->b, op);
	case TERM_ZERO: case TERM_NEGATIVE: case TERM_NOT: case TERM_WIDE: case TERM_LOWEST:
	case TERM_MIRROR: case TERM_BIT: return has_op(s, x->a, op);
	default: return false;
	}
}

/* Forgets the values of machine registers in which the op occurs. */
static void
forget(Site *s, Lane *l, Term_op op)
{
	for (uint32_t i = 0; i < s->nmachine; i++)
		if (l->env[i] && has_op(s, l->env[i], op))
			l->env[i] = term_make(&s->terms, TERM_UNKNOWN, UINT32_MAX, i, 1);
}

static void
forget_facts(Lane *l)
{
	memset(l->facts, 0, sizeof l->facts);
	l->nfacts = 0;
}

/* Forgets the values of registers that common code writes. Those that only paths write stay. */
static void
forget_own(Site *s, Lane *l)
{
	for (uint32_t k = 1; k <= s->ahead->n; k++)
		if (bits_has(s->ahead->own_writes, fn_local(s->fn, s->ahead->syms[k - 1])))
			*ahead_own(s, l, k) = 0;
}

static void
to_header(Site *s, Lane *l)
{
	l->at = s->ahead->start;
	l->ended = 0;
	l->look.begun = l->look.looked = false;
	memset(l->assumed, 0, sizeof l->assumed);
	l->nassumed = 0;
}

/* ---- look-ahead ------------------------------------------------------------------------------ */

/* A look-ahead iteration ends: extends the words by it. */
static bool
count(Site *s, Lane *l)
{
	Ahead *a = s->ahead;
	uint32_t j = l->look.looks;

	if (l->look.pending)
		return site_fault(s, l->o, "an iteration that wants its path is not noted");
	if (j == 32)
		return site_fault(s, l->o, "a batch is longer than a word");
	if (j == 0) /* these registers are set before the next read */
		forget_own(s, l);
	l->look.looks++;
	l->look.looked = l->look.begun = l->look.noted = false;
	for (uint32_t i = 0; i < s->nmachine; i++) {
		const Term x = *term_at(&s->terms, l->env[i]);
		if (has(a->notes, i) && x.op == TERM_NOTES && x.b == j)
			l->env[i] = notes(s, x.a, j + 1, x.c);
	}
	for (uint32_t k = 1; k <= a->n; k++) {
		Term_id *now = ahead_look(s, l, k), base;
		if (!bits_has(s->fn->live->in[a->header], fn_local(s->fn, a->syms[k - 1]))) {
			*now = 0;
			continue;
		}
		if (a->no_count[k - 1])
			continue;
		if (!*now) {
			a->no_count[k - 1] = true;
			continue;
		}
		base = ahead_base(s, k);
		Term_id d = term_sum(&s->terms, *now, base, UINT32_MAX);
		if (j == 0 && !a->step[k - 1] && !has_op(s, d, TERM_BASE) &&
			!has_op(s, d, TERM_HELD))
			a->step[k - 1] = d;
		if (!a->step[k - 1] ||
			*now != term_sum(&s->terms, base, a->step[k - 1], j + 1)) {
			a->no_count[k - 1] = true;
			if (a->used[k - 1])
				return site_fault(s, l->o,
					"an iteration does not add to '%.*s' what the text says",
					PTX_NAME(s->in, a->syms[k - 1]));
		}
	}
	return true;
}

/* The look-ahead iteration leaves the loop. */
static bool
go(Site *s, Lane *l)
{
	Ahead *a = s->ahead;
	uint32_t j = l->look.looks, v;

	if (l->look.pending)
		return site_fault(s, l->o, "an iteration that wants its path is not noted");
	for (uint32_t i = 0; i < s->nmachine; i++) {
		const Term x = *term_at(&s->terms, l->env[i]);
		if (has(a->notes, i) && x.op == TERM_NOTES && (x.b == j || x.b == j + 1))
			l->env[i] = notes(s, x.a, LOOKED_ALL, x.c);
		else if (has(s->apart, i) && (has(s->counts, i) || has(a->tallies, i)) &&
			!has(a->words, i) && s->out->syms[s->machine[i]].type != TYPE_PRED &&
			term_is_const(&s->terms, l->env[i], &v) && v == j)
			l->env[i] = ahead_atom(s, TERM_PASSED);
	}
	memset(ahead_look(s, l, 1), 0, a->n * sizeof(Term_id));
	forget_own(s, l);
	l->at = a->start; /* the text may still test predicates that the lane knows */
	l->ended = 0;
	l->look.begun = l->look.looked = l->look.noted = false;
	l->look.gone = true;
	l->look.looks = 0;
	l->look.sure = l->look.sure_begins = l->look.sure_at = 0;
	return true;
}

/* A batch is complete, or the first one begins. */
static void
rebase(Site *s, Lane *l)
{
	Ahead *a = s->ahead;

	for (uint32_t k = 1; k <= a->n; k++)
		if (*ahead_look(s, l, k))
			*ahead_look(s, l, k) = a->step[k - 1] && !a->no_count[k - 1] ?
				ahead_base(s, k) : ahead_atom(s, TERM_HELD);
	forget(s, l, TERM_BASE);
	forget(s, l, TERM_CURRENT);
	l->look = (Looking){ .phase = PHASE_LOOK, .owed = OWED_NONE };
	to_header(s, l);
}

/* ---- position -------------------------------------------------------------------------------- */

/* The lane has reached the loop header. Returns false if it ends here. */
static bool
at_header(Lane *l)
{
	if (l->look.phase == PHASE_LAST)
		return false; /* look-ahead left the loop in this iteration */
	if (l->look.phase == PHASE_LOOK)
		l->look.looked = true;
	l->look.ran |= l->look.due;
	l->look.begun = false;
	return true;
}

static bool
outside(Site *s, Lane *l)
{
	switch ((Phase)l->look.phase) {
	case PHASE_LOOK: return l->look.gone || go(s, l);
	case PHASE_RUN:
		if (!l->look.due)
			break;
		if (!l->look.gone || !l->look.ends)
			return false; /* in look-ahead, this iteration continued */
		for (uint32_t i = 0; i < s->nmachine; i++)
			if (l->env[i] && term_at(&s->terms, l->env[i])->op == TERM_OWED)
				l->env[i] = term_const(&s->terms, 0);
		l->look = (Looking){ .phase = PHASE_OUT, .owed = OWED_NONE };
		break;
	default: l->look = (Looking){ .phase = PHASE_OUT, .owed = OWED_NONE }; break;
	}
	return true;
}

bool
ahead_at(Site *s, Lane *l, bool *moved)
{
	Ahead *a = s->ahead;
	uint32_t stmt = l->at, b;

	*moved = false;
	if (l->look.phase == PHASE_FIRST || l->look.phase == PHASE_OUT)
		return true;
	if (!ahead_in_loop(s, stmt) || l->ended)
		return outside(s, l);
	b = input_at(s, stmt)->block;
	if (s->fn->cfg->blocks[b].stmt != stmt)
		return true;
	if (b == a->header && l->look.begun)
		return at_header(l);
	if (l->look.in_path && !bits_has(a->beyond, b)) {
		l->look.in_path = false;
		l->look.ran = !ahead_to_path(s, b);
	}
	if (!a->path_at[b])
		return true;
	if (l->look.phase == PHASE_RUN) {
		l->look.in_path = true;
		return true;
	}
	if (l->look.phase == PHASE_LOOK) {
		l->look.pending = l->look.noted ? 0 : (uint8_t)a->path_at[b];
		for (uint32_t k = 1; k <= a->n; k++)
			if (bits_has(a->writes[a->path_at[b] - 1],
				    fn_local(s->fn, a->syms[k - 1])))
				*ahead_look(s, l, k) = 0;
	}
	l->at = a->resume[a->path_at[b] - 1];
	*moved = true;
	return true;
}

bool
ahead_pause(Site *s, Lane *l)
{
	uint32_t at = l->look.sure ? cursor_branch(s, l) : 0;
	bool taken;

	if (at && ahead_stays(s, l, at, &taken) && !cursor_take(s, l, taken))
		return false;
	if (l->look.phase == PHASE_LOOK && l->look.looked && !l->look.pending && !count(s, l))
		return false;
	if (l->look.sure && !l->look.begun)
		l->look.sure_begins = *ahead_look(s, l, s->ahead->sure[l->look.sure_at].number);
	return true;
}

void
ahead_join(Site *s, Lane *l)
{
	uint32_t at = cursor_branch(s, l);

	for (uint32_t i = l->nassumed; i-- > 0;) /* except for the branch that the lane is at */
		if (!at || fn_stmt(s->fn, at)->sym != l->assumed[i].sym)
			lane_unknow(l, l->assumed[i].sym);
	forget_facts(l);
	if (s->out->stmts[l->o].kind == STMT_LABEL)
		l->look.sure = l->look.sure_begins = l->look.sure_at = 0;
}

/* ---- votes and selected iterations ----------------------------------------------------------- */

bool
ahead_vote(Site *s, Lane *l)
{
	forget_facts(l);
	if (l->look.phase == PHASE_LAST && l->look.begun)
		return site_fault(s, l->o, "a lane reaches a vote in its last iteration");
	if (l->look.phase != PHASE_FIRST)
		return true;
	if (!ahead_in_loop(s, l->at) || l->ended) {
		l->look.phase = PHASE_OUT;
		l->look.owed = OWED_NONE;
	} else if (l->at != s->ahead->start) {
		return site_unknown(
			s, l->o, "lanes that meet elsewhere than where iterations begin");
	} else {
		l->look = (Looking){ .phase = PHASE_LOOK, .owed = OWED_NONE };
		to_header(s, l);
	}
	return true;
}

/* Whether the term contains all selected iterations of the batch. The lane must have executed a
 * look-ahead iteration, or it might never terminate. */
static bool
are_all(const Lane *l, const Term *x)
{
	return l->look.phase == PHASE_LOOK && x->a == 0 && x->c == 0 &&
		(l->look.gone ? x->b == LOOKED_ALL :
				x->b == l->look.looks && x->b > 0 && !l->look.begun &&
					!l->look.pending);
}

static bool
has_run(Site *s, Lane *l)
{
	if (l->look.due && !l->look.ran)
		return site_fault(s, l->o, "a noted iteration is not run");
	l->look.due = l->look.ran = l->look.in_path = false;
	return true;
}

static bool
drained(Site *s, Lane *l)
{
	if (!has_run(s, l))
		return false;
	if (l->look.gone && l->look.ends)
		return false; /* the iteration in which it leaves would be lost */
	forget_own(s, l);
	if (!l->look.gone) {
		rebase(s, l);
		return true;
	}
	l->look = (Looking){ .phase = PHASE_LAST, .owed = OWED_NONE };
	to_header(s, l);
	return true;
}

bool
ahead_zero(Site *s, Lane *l, Term_id word, bool zero)
{
	const Term x = *term_at(&s->terms, word);

	if (x.op == TERM_OWED) {
		if (zero)
			return drained(s, l);
		l->look.owed = OWED_SOME;
	} else if (x.op == TERM_NOTES) {
		if (!are_all(l, &x))
			return site_fault(s, l->o, "these are not all notes of a batch");
		if (zero)
			return drained(s, l);
		for (uint32_t i = 0; i < s->nmachine; i++)
			if (l->env[i] == word)
				l->env[i] = ahead_atom(s, TERM_OWED);
		l->look.phase = PHASE_RUN;
		l->look.owed = OWED_SOME;
	}
	return true;
}

bool
ahead_take(Site *s, Lane *l)
{
	Term_id owed = ahead_atom(s, TERM_OWED),
		lowest = term_make(&s->terms, TERM_LOWEST, owed, 0, 0);

	if (l->look.phase != PHASE_RUN || l->look.owed != OWED_SOME)
		return site_fault(s, l->o, "an iteration is taken where none need be noted");
	if (!has_run(s, l))
		return false;
	forget(s, l, TERM_CURRENT);
	for (uint32_t i = 0; i < s->nmachine; i++)
		if (l->env[i] == lowest)
			l->env[i] = ahead_atom(s, TERM_CURRENT);
	forget(s, l, TERM_OWED);
	forget_facts(l);
	forget_own(s, l);
	l->look.due = true;
	l->look.owed = OWED_MAYBE;
	to_header(s, l);
	return true;
}

bool
ahead_leaves(Site *s, Lane *l, uint32_t in)
{
	bool begins = l->look.phase == PHASE_LOOK && !l->look.gone && !l->look.looks &&
		!l->look.begun && !l->look.looked;

	if (l->look.phase != PHASE_OUT && l->look.phase != PHASE_FIRST && !begins)
		return site_fault(s, l->o, "a lane leaves while it has iterations to run");
	for (uint32_t k = 1; k <= s->ahead->n; k++) {
		uint32_t sym = s->ahead->syms[k - 1];
		Term_id now = *ahead_own(s, l, k);
		if (now == ahead_atom(s, TERM_HELD) || !cursor_live(s, in, sym))
			continue;
		if (now == ahead_atom(s, TERM_READ))
			return site_unknown(s, l->o, "a last iteration that reads memory again");
		return site_fault(
			s, l->o, "a lane continues without its '%.*s'", PTX_NAME(s->in, sym));
	}
	return true;
}
