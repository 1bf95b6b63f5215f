/* SPDX-License-Identifier: MIT */
/* Lanes that look ahead: a lane's way through iterations that it looks at, notes and runs. See
 * checker.h, and transfer.c for what statements do on the way.
 *
 * A text of this form keeps two things apart. Looking is the own part of each iteration, on
 * registers of its own: the lane's place in the input is in the iteration that it looks at, and
 * where that comes to a path, the lane goes on behind it, and owes a note. Running is the input's
 * own code on the input's registers, one noted iteration after the other.
 *
 * What is held against each other:
 *
 * - A word of notes has bit w - o for each iteration w of the batch, from a up to b, that wants a
 *   path (TERM_NOTES). A look that ends adds its iteration to the word, whether it was wanted or
 *   not; so b follows the looks, and lanes of both kinds are alike again. Behind all looks, and
 *   shifted to iteration 0, the word is all that the lane owes (TERM_OWED).
 * - Who takes the lowest bit out of that must run the iteration of its number (TERM_CURRENT), and
 *   come past its path, before it takes the next one. Nothing may be owed when the next batch
 *   begins, or when the lane leaves.
 * - The registers that the loop writes hold nothing that counts when an iteration is run, but what
 *   paths alone write. So its counts must be set first, to what they were when the batch began,
 *   and the iteration's number times what an iteration adds: that is found where lanes look, as the
 *   difference of what a register holds at the end of an iteration and at its beginning, and must
 *   be the same in each.
 * - A lane whose look leaves the loop is done with looking (TERM_PASSED is the iteration). It runs
 *   what it owes, then that iteration once more, without a path, or noted like the others. That
 *   goes the same way as the look did if it reads the same: other iterations' paths write nothing
 *   that it reads (what the annotation promises); and if its own path has run by then, nothing that
 *   decides the way, or is read behind the loop, may come from memory that a path could write.
 *
 * So each iteration's path is run once, in their order, on the values that it has in the input, and
 * the lane leaves with those of its last iteration.
 */
#include <string.h>
#include "validate/lookahead/lookahead.h"

static bool has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* ---- what a lane has ------------------------------------------------------------------------- */

static Term_id
notes(Site *s, uint32_t from, uint32_t to, uint32_t origin)
{
	return term_make(&s->terms, TERM_NOTES, from, to, origin);
}

/* Is the term made of one that has the op? */
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

/* Registers of the text's own that hold something of that forget it. */
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

/* What the loop has written is of no iteration that is run next, but what paths alone write. */
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

/* ---- looking --------------------------------------------------------------------------------- */

/* The look is over: its iteration is one of those that the words speak of. */
static bool
count(Site *s, Lane *l)
{
	Ahead *a = s->ahead;
	uint32_t j = l->look.looks;

	if (l->look.pending)
		return site_fault(s, l->o, "an iteration that wants its path is not noted");
	if (j == 32)
		return site_fault(s, l->o, "a batch is longer than a word");
	if (j == 0) /* nothing reads it any more before it is set anew */
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

/* What the lane looks at leaves the loop. */
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
	l->at = a->start; /* what it knows of predicates the text asks for yet */
	l->ended = 0;
	l->look.begun = l->look.looked = l->look.noted = false;
	l->look.gone = true;
	l->look.looks = 0;
	l->look.sure = l->look.sure_begins = l->look.sure_at = 0;
	return true;
}

/* A batch is done with, or the first one begins. */
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

/* ---- where it is ----------------------------------------------------------------------------- */

/* The lane has come to the statement of the input. False: it has come to the end of its way. */
static bool
at_header(Lane *l)
{
	if (l->look.phase == PHASE_LAST)
		return false; /* the look has left the loop in this iteration */
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
			return false; /* as it looked at it, the iteration went on */
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

	for (uint32_t i = l->nassumed; i-- > 0;) /* but by which way it goes on from there */
		if (!at || fn_stmt(s->fn, at)->sym != l->assumed[i].sym)
			lane_unknow(l, l->assumed[i].sym);
	forget_facts(l);
	if (s->out->stmts[l->o].kind == STMT_LABEL)
		l->look.sure = l->look.sure_begins = l->look.sure_at = 0;
}

/* ---- votes, and what is owed ----------------------------------------------------------------- */

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

/* Are these all notes of the batch? A lane must have looked, or it would never come to an end. */
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
		return false; /* the iteration by which it leaves would be left */
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
