/* SPDX-License-Identifier: MIT */
/* Data flow on the inserted text's control flow graph.
 *
 * Few statements are branches, targets or synchronization points. Each of these is a cut. The
 * statements from one cut to the next are summarized once, and the analyses iterate over the cuts
 * to a fixed point.
 */
#include <string.h>
#include "validate/text/text.h"

/* A cut, and the plain statements after it. */
typedef struct {
	uint32_t at, end;       /* statements [at, end) */
	uint64_t reads[2];      /* of the plain ones: upward-exposed */
	uint64_t kills[2];      /* written by all lanes */
	uint64_t writes[2];     /* written at all */
	uint64_t guarded[2];    /* written under a guard */
	/* written by some lanes only since the last vote or barrier, at the cut */
	uint64_t since[2];
	bool begins;            /* one of the plain statements is an action of a round */
	/* result for the cut and what follows: it may act in a round; lanes have diverged */
	bool loud, apart;
} Piece;

typedef struct {
	Site *s;
	May_begin *may_begin;
	Piece *list; uint32_t n;
	uint32_t *of;           /* by inserted statement: its cut */
	uint64_t counters[2];   /* registers that count, except predicates */
	uint64_t varying[2];    /* registers that may vary */
	uint32_t *own, nown;    /* statements that compute machine registers, without duplicates */
	uint32_t words;         /* of register sets */
} Flow;

/* Whether the group synchronizes at the statement. */
static bool
syncs(const Step *k)
{
	return k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_REDUX;
}

static bool
is_cut(const Site *s, uint32_t stmt)
{
	const Step *k = step_at(s, stmt);

	return stmt == s->begin || s->out->stmts[stmt].kind == STMT_LABEL || k->joins || k->ends ||
		k->op == OP_BRA || k->op == OP_BRX || syncs(k);
}

/* Whether the statement may act in a round: change a task counter, access the buffer, or begin a
 * path. */
static bool
is_loud(const Flow *f, uint32_t stmt)
{
	const Step *k = step_at(f->s, stmt);

	if (f->s->out->stmts[stmt].kind != STMT_INSN || k->ballot)
		return false;
	return (k->writes[0] & f->counters[0]) | (k->writes[1] & f->counters[1]) || k->buffer ||
		(bits_has(f->s->starts, k->op) && f->may_begin(f->s, stmt));
}

/* Summarizes the plain statements, backward. */
static void
sum_up(Site *s, Piece *p, uint32_t words)
{
	for (uint32_t i = p->end; i-- > p->at + 1;) {
		const Step *k = step_at(s, i);
		bool all = !s->out->stmts[i].guard;
		for (uint32_t j = 0; j < words; j++) {
			p->writes[j] |= k->writes[j];
			p->guarded[j] |= all ? 0 : k->writes[j];
			p->reads[j] = (p->reads[j] & ~(all ? k->writes[j] : 0)) | k->reads[j];
			p->kills[j] |= all ? k->writes[j] : 0;
		}
	}
}

static Flow
cut_up(Site *s, May_begin *may_begin)
{
	Flow f = { .s = s, .may_begin = may_begin, .words = (s->nmachine + 63) / 64 };
	uint32_t n = s->end - s->begin, *cuts = arena_alloc(s->arena, n * sizeof *cuts);

	f.of = arena_alloc(s->arena, n * sizeof *f.of);
	f.own = arena_alloc(s->arena, n * sizeof *f.own);
	for (uint32_t i = s->begin; i < s->end; i++) {
		const Step *k = step_at(s, i);
		if (is_cut(s, i)) {
			f.of[i - s->begin] = f.n;
			cuts[f.n++] = i;
		}
		if (k->own && k->like == i && !syncs(k) && k->op != OP_ACTIVEMASK)
			f.own[f.nown++] = i;
	}
	f.list = arena_alloc(s->arena, f.n * sizeof *f.list);
	for (uint32_t i = 0; i < f.n; i++) {
		f.list[i] = (Piece){ .at = cuts[i], .end = i + 1 < f.n ? cuts[i + 1] : s->end };
		sum_up(s, &f.list[i], f.words);
	}
	return f;
}

/* Liveness: backward, to a fixed point. */
static void
find_live(const Flow *f)
{
	Site *s = f->s;
	uint32_t words = f->words;
	bool changed = true;

	while (changed) {
		uint64_t now[2] = { 0, 0 };
		changed = false;
		for (uint32_t i = f->n; i-- > 0;) {
			const Piece *p = &f->list[i];
			Step *k = step_at(s, p->at);
			uint64_t behind[2] = { 0, 0 };
			bool guarded = s->out->stmts[p->at].guard;
			for (uint32_t n = 0, to; step_target(s, p->at, n, &to); n++)
				for (uint32_t j = 0; to && j < words; j++)
					behind[j] |= step_at(s, to)->live[j];
			for (uint32_t j = 0; j < words; j++) {
				now[j] = (now[j] & ~p->kills[j]) | p->reads[j];
				now[j] = ((k->ends ? 0 : now[j]) & ~(guarded ? 0 : k->writes[j])) |
					behind[j] | k->reads[j];
				changed |= now[j] != k->live[j];
				k->live[j] = now[j];
			}
		}
	}
	for (uint32_t i = 0; i < f->n; i++) {
		const Step *k = step_at(s, f->list[i].at);
		bool label = s->out->stmts[f->list[i].at].kind == STMT_LABEL || k->joins;
		for (uint32_t j = 0; j < words && label; j++)
			s->kept[j] |= k->live[j];
	}
}

/* Finds registers that may vary: only some lanes write them, or they are computed from varying
 * values. */
static void
find_varying(Flow *f)
{
	const Site *s = f->s;
	bool changed = true;

	for (uint32_t j = 0; j < f->words; j++)
		f->varying[j] |= s->apart[j];
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < f->nown; i++) {
			const Step *k = step_at(s, f->own[i]);
			uint64_t reads = 0, more = 0;
			for (uint32_t j = 0; j < f->words; j++) {
				reads |= k->reads[j] & f->varying[j];
				more |= k->writes[j] & ~f->varying[j];
			}
			if (!more || !(reads || k->alien || !(k->flags & OPF_PURE)))
				continue;
			for (uint32_t j = 0; j < f->words; j++)
				f->varying[j] |= k->writes[j];
			changed = true;
		}
	}
}

/* Whether the branch may make the lanes diverge. */
static bool
parts(const Flow *f, const Piece *p, const Step *k)
{
	const Site *s = f->s;
	const Stmt *t = &s->out->stmts[p->at];
	const Reg *r = t->guard ? site_reg(s, t->sym) : s->none;

	if (k->op == OP_BRX || k->op != OP_BRA || !t->guard || ptx_has(s->out, t, "uni"))
		return k->op == OP_BRX;
	return r->kind != REG_MACHINE || f->varying[r->index >> 6] >> (r->index & 63) & 1;
}

/* Collects what diverged lanes write, up to where they meet. */
static bool
spread_apart(const Flow *f)
{
	Site *s = f->s;
	bool changed = false;

	for (uint32_t i = 0; i < f->n; i++) {
		Piece *p = &f->list[i];
		const Step *k = step_at(s, p->at);
		bool alone = p->apart && !syncs(k) && !k->meets && !(k->closes && !s->ahead),
		     out = alone || parts(f, p, k);
		for (uint32_t m = 0, to; out && step_target(s, p->at, m, &to); m++) {
			Piece *q = to ? &f->list[f->of[to - s->begin]] : p;
			changed |= to && !q->apart && q < p;
			q->apart |= to != 0;
		}
		if (i + 1 < f->n)
			f->list[i + 1].apart |= out && !k->ends;
		for (uint32_t j = 0; j < f->words; j++)
			s->apart[j] |= (alone ? k->writes[j] : 0) |
				(out && !k->ends ? p->writes[j] : 0);
	}
	return changed;
}

/* Finds registers that only some lanes may write. The exploration checks this; a good estimate
 * saves a repetition. */
static void
find_apart(Flow *f)
{
	Site *s = f->s;
	uint64_t was[2];

	do {
		memcpy(was, s->apart, sizeof was);
		find_varying(f);
		while (spread_apart(f))
			;
	} while (memcmp(was, s->apart, sizeof was) != 0);
	memcpy(s->split, s->apart, sizeof s->split);
}

/* Those written since the last vote or barrier: forward, to a fixed point. */
static void
find_since(const Flow *f)
{
	Site *s = f->s;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < f->n; i++) {
			Piece *p = &f->list[i];
			const Step *k = step_at(s, p->at);
			bool sync = syncs(k), alone = p->apart && !sync,
			     behind = i + 1 < f->n && !k->ends;
			uint64_t guard = s->out->stmts[p->at].guard ? UINT64_MAX : 0;
			for (uint32_t j = 0; j < f->words; j++) {
				uint64_t out = (sync ? 0 : p->since[j]) | p->guarded[j] |
					(alone ? p->writes[j] : 0) |
					(alone || guard ? k->writes[j] : 0);
				for (uint32_t m = 0, to; step_target(s, p->at, m, &to); m++) {
					Piece *q = to ? &f->list[f->of[to - s->begin]] : p;
					changed |= to && (out & ~q->since[j]);
					q->since[j] |= to ? out : 0;
				}
				if (!behind)
					continue;
				changed |= (out & ~p[1].since[j]) != 0;
				p[1].since[j] |= out;
			}
		}
	}
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t j = 0; j < f->words; j++)
			step_at(s, f->list[i].at)->since[j] = f->list[i].since[j];
}

/* Finds statements after which the round does nothing: backward, to a fixed point. */
static void
find_quiet(Flow *f)
{
	Site *s = f->s;
	bool changed = true;

	for (uint32_t i = 0; i < s->nmachine; i++)
		if (s->out->syms[s->machine[i]].type != TYPE_PRED)
			f->counters[i >> 6] |= s->kept[i >> 6] & s->counts[i >> 6] &
				UINT64_C(1) << (i & 63);
	for (uint32_t i = 0; i < f->n; i++) {
		Piece *p = &f->list[i];
		p->loud = is_loud(f, p->at);
		for (uint32_t k = p->at + 1; k < p->end && !p->begins; k++)
			p->begins = is_loud(f, k);
	}
	while (changed) {
		changed = false;
		for (uint32_t i = f->n; i-- > 0;) {
			Piece *p = &f->list[i];
			const Step *k = step_at(s, p->at);
			bool next = p->begins || (i + 1 < f->n && f->list[i + 1].loud),
			     is = p->loud || (!k->ballot && !k->ends && next);
			for (uint32_t m = 0, to; step_target(s, p->at, m, &to); m++)
				is |= to && f->list[f->of[to - s->begin]].loud;
			changed |= is && !p->loud;
			p->loud = is;
		}
	}
	for (uint32_t i = 0; i < f->n; i++)
		step_at(s, f->list[i].at)->quiet = !f->list[i].loud;
}

void
flow_init(Site *s, May_begin *may_begin)
{
	Flow f = cut_up(s, may_begin);

	find_live(&f);
	find_apart(&f);
	if (s->ahead)
		find_since(&f);
	if (!s->bound)
		find_quiet(&f);
}
