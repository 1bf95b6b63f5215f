/* SPDX-License-Identifier: MIT */
/* The race check: two lanes touch one word, one of them writes, and nothing orders them.
 *
 * What orders: the program order of a lane, bar.warp.sync between the lanes of its mask, the
 * block's barriers, and fences with strong accesses (causality.c). Votes and shuffles do not. A
 * warp's time goes up by one at each such event. A lane knows, for each lane of its own warp and
 * for each other warp of its block, up to which time their accesses come before its own (a vector
 * clock of two levels; Flanagan and Freund, FastTrack, PLDI 2009, for the idea of keeping single
 * accesses where they do). Accesses that are both strong (atomic, volatile, relaxed ...) do not
 * race if both reach the other's block.
 *
 * A word of four bytes keeps its last write and the last two groups of reads, of the launch, or for
 * shared memory of the block; once a part of it is accessed alone, each of its bytes does. Counted
 * and not reported: writers that store what is there; in global memory, reads beside the one write
 * that changed the word; and strong accesses beside weak ones, in one block if one of the two polls
 * (polls.c) or the word was looked at before a strong write changed it. Such a program may be
 * right: a search that marks what it reaches, a least value that is looked at before an atomic
 * operation lowers it, a loop that waits for a flag. It is not, and so reported, when the lanes do
 * meet in a strong access and only a fence is missing, unless the word was looked at before it was
 * written, as such a search does; and where lanes of one block neither poll nor looked first: they
 * could have met at a barrier, and more likely one is missing. The same holds for strong reads of
 * what a strong store handed over: no race, but a read that may come too early.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/race.h"

Shadow *
race_shadow(size_t bytes)
{
	Shadow *s = xmalloc(sizeof *s);
	/* most pages are never touched */
	*s = (Shadow){ .word = calloc(bytes / 4 + 8, sizeof *s->word) };
	if (!s->word)
		out_of_memory();
	return s;
}

void
race_shadow_free(Shadow *s)
{
	if (!s)
		return;
	free(s->word);
	vec_free(&s->parts);
	xfree(s);
}

/* ---- time ------------------------------------------------------------------------------------ */

void
race_start(Warp *w)
{
	Clock *c = &w->clock;
	memset(c->lane, 0, sizeof c->lane);
	memset(c->warp, 0, sizeof *c->warp * LANES * w->block->nwarps);
	c->now = 1;
	c->same = true;
}

static void
join_warps(Warp *w, uint32_t lanes)
{
	Clock *c = &w->clock;
	uint32_t n = w->block->nwarps;
	for (uint32_t v = 0; v < n; v++) {
		uint32_t most = 0;
		for EACH_LANE(t, lanes)
			most = c->warp[t * n + v] > most ? c->warp[t * n + v] : most;
		for EACH_LANE(u, lanes)
			c->warp[u * n + v] = most;
	}
}

/* The lanes learn all that one of them knows; what `known` did up to now comes before what they do
 * next. */
static void
join_lanes(Clock *c, uint32_t lanes, uint32_t known)
{
	uint32_t row[LANES] = {0};
	for EACH_LANE(t, lanes)
		for (uint32_t u = 0; u < LANES; u++)
			row[u] = c->lane[t][u] > row[u] ? c->lane[t][u] : row[u];
	for EACH_LANE(k, known)
		row[k] = c->now;
	for EACH_LANE(to, lanes)
		memcpy(c->lane[to], row, sizeof row);
}

void
race_sync(Warp *w, uint32_t lanes)
{
	w->clock.now++;
	join_lanes(&w->clock, lanes, lanes);
	if (!w->clock.same)
		join_warps(w, lanes);
	causal_join(w, 1, &lanes);
}

void
race_barrier(Cta *b, const uint32_t *lanes)
{
	bool all = true;
	for (uint32_t i = 0; i < b->nwarps; i++)
		all = all && lanes[i] == b->warps[i].live;
	for (uint32_t i = 0; i < b->nwarps; i++)
		b->warps[i].clock.now += lanes[i] != 0;
	for (uint32_t i = 0; i < b->nwarps; i++) {
		Warp *w = &b->warps[i];
		if (!lanes[i])
			continue;
		join_lanes(&w->clock, lanes[i], lanes[i] | ~w->live);
		join_warps(w, lanes[i]);
		w->clock.same = w->clock.same && all;
		for (uint32_t v = 0; v < b->nwarps; v++)
			for EACH_LANE(t, lanes[i])
				if (lanes[v] || !b->warps[v].live)
					w->clock.warp[t * b->nwarps + v] =
						b->warps[v].clock.now + !b->warps[v].live;
	}
	causal_join(b->warps, b->nwarps, lanes);
}

/* The lanes of an earlier access that barriers do not put in front of what lane of w does now. */
static uint32_t
unordered(const Warp *w, uint32_t lane, const Past *a)
{
	uint32_t left = 0;
	if (a->block != w->block->number)
		return a->lanes;
	if (a->warp != w->index)
		return a->time < w->clock.warp[lane * w->block->nwarps + a->warp] ? 0 : a->lanes;
	for EACH_LANE(u, a->lanes & ~(UINT32_C(1) << lane))
		left |= (uint32_t)(a->time >= w->clock.lane[lane][u]) << u;
	return left;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

/* Why a race may be no fault of the program. */
typedef enum { BENIGN_NOT, BENIGN_AGREE, BENIGN_LONE, BENIGN_MIXED } Benign;

/* Of what lane of w does with an earlier access; wrote: that is the word's last write, else it
 * read. */
typedef struct { Warp *w; const Access *x; uint32_t lane; const Past *a; bool wrote; } Race;

static bool shared(const Spot *p) { return !p->buffer; }

static uint32_t
line_of(const Sim *s, uint32_t stmt)
{
	uint32_t line, col;
	source_position(s->m->src, s->m->stmts[stmt].at.pos, &line, &col);
	return line;
}

/* Lane u did the other access; stmt: the strong write by which the two meet, if the verdict says
 * that they do. */
static void
report(const Race *r, uint32_t u, Verdict v, uint32_t stmt)
{
	static const struct { const char *front, *behind;
	} missing[] = {
		[KNOWN_BUT_BARRIER] = { "no barrier stands between that and line", "" },
		[KNOWN_BUT_RELEASE] = { "no fence stands between that and line", "" },
		[KNOWN_BUT_ACQUIRE] = { "no fence stands behind the read of what line", " wrote" },
		[KNOWN_BUT_REACH] = { "only a block is the scope of line",
			", its fences or the read of it" },
	};
	const Sim *s = r->w->sim;
	const uint32_t *g = s->l->grid, block = r->a->block - s->epoch;
	char place[96] = "", why[160] = "nothing orders the two";
	if (r->a->block != r->w->block->number)
		snprintf(place, sizeof place, " of block (%u, %u, %u)", block % g[0],
			block / g[0] % g[1], block / g[0] / g[1]);
	if (v != KNOWN_NOT)
		snprintf(why, sizeof why, "%s %u%s", missing[v].front, line_of(s, stmt),
			missing[v].behind);
	sim_fault(r->w, r->x->i, r->lane, FAULT_RACE, "%s by lane %u of warp %u%s at line %u, and %s",
		r->wrote ? "written" : "read", u, r->a->warp, place, line_of(s, r->a->stmt), why);
}

static bool near(const Race *r) { return r->a->block == r->w->block->number; }

/* Both strong: they do not race, if each reaches the other. */
static bool
morally_strong(const Race *r)
{
	return r->x->reach && r->a->strong &&
		(near(r) || (r->x->reach == REACH_ALL && r->a->strong == REACH_ALL));
}

/* What orders the other access's lanes, the one that is ordered worst. KNOWN: all are. */
static Verdict
verdict(const Race *r, uint32_t *lane, uint32_t *stmt)
{
	Verdict worst = KNOWN;
	for EACH_LANE(u, unordered(r->w, r->lane, r->a)) {
		uint32_t by = 0;
		Verdict v = causal_known(r->w, r->lane, r->a, u, &by);
		if (v < worst)
			worst = v, *lane = u, *stmt = by;
	}
	return worst;
}

/* Is one strong, the other not? */
static bool
mixed(const Race *r)
{
	return (r->x->reach == REACH_NONE) != (r->a->strong == REACH_NONE);
}

/* Does one wait for others to write? Then the word itself is what orders the two. */
static bool
polled(const Race *r)
{
	return r->x->polls || r->a->polls;
}

/* One is strong; may that be meant? Between blocks there is no barrier that could have been
 * forgotten. */
static bool
mixed_for_good(const Race *r, const Word *at)
{
	return !near(r) || polled(r) || at->searched;
}

static void
conflict(const Race *r, const Word *at, Benign benign)
{
	uint32_t lane = 0, stmt = 0;
	bool handed = benign == BENIGN_LONE && !at->looked, strong = morally_strong(r);
	if (strong && (!handed || r->a->atomic || !r->wrote))
		return;
	Verdict v = verdict(r, &lane, &stmt);
	if (v == KNOWN || (strong && v != KNOWN_BUT_RELEASE && v != KNOWN_BUT_REACH))
		return;
	if (mixed(r) && benign != BENIGN_AGREE) {
		benign = mixed_for_good(r, at) ? BENIGN_MIXED : BENIGN_NOT;
		handed = !at->looked && !polled(r) && !(near(r) && at->searched);
	}
	if (handed && v != KNOWN_NOT)
		benign = BENIGN_NOT;
	if (benign && !r->w->sim->l->strict)
		tally(r->w->sim, r->x->i)->benign_races++;
	else
		report(r, lane, v, stmt);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static Word *
fresh(const Warp *w, const Spot *p, Word *at)
{
	uint32_t epoch = shared(p) ? w->block->number : w->sim->epoch;
	if (at->epoch != epoch)
		*at = (Word){ .epoch = epoch, .parts = at->parts };
	return at;
}

/* The first of a word's bytes. */
static Word *
parts(Shadow *s, Word *at)
{
	if (!at->parts) {
		if (!s->parts.n)
			*vec_push(&s->parts) = (Word){0}; /* none is number 0 */
		at->parts = s->parts.n;
		Word whole = *at;
		whole.parts = 0;
		for (uint32_t k = 0; k < 4; k++)
			*vec_push(&s->parts) = whole;
	}
	return s->parts.at + at->parts;
}

/* Byte k of a part of an access is the first of what to look at next: a word, *n = 4, or a byte of
 * one, *n = 1. size: what is left of the access. */
static Word *
next(const Warp *w, const Spot *p, uint32_t k, uint32_t size, uint32_t *n)
{
	uint64_t byte = p->offset + k;
	Word *at = fresh(w, p, p->shadow->word + byte / 4);
	*n = size >= 4 && !at->parts ? 4 : 1;
	return *n == 4 ? at : fresh(w, p, parts(p->shadow, at) + byte % 4);
}

static Past
past_of(const Warp *w, const Access *x, const Spot *p)
{
	return (Past){ .lanes = UINT32_C(1) << p->lane,
		.time = w->clock.now,
		.stmt = x->i->stmt,
		.block = w->block->number,
		.warp = (uint16_t)w->index,
		.strong = x->reach & 3,
		.atomic = x->kind == ACCESS_ATOMIC && !p->reads,
		.polls = x->polls };
}

static void
one_read(Warp *w, const Access *x, const Spot *p, Word *at)
{
	Past *r = at->read;
	if (at->write.lanes)
		conflict(&(Race){ w, x, p->lane, &at->write, true }, at,
			!shared(p) && at->changes < 2 ? BENIGN_LONE : BENIGN_NOT);
	at->looked = at->looked || !at->changes;
	at->searched = at->searched || (!x->reach && !at->met);
	if (x->reach)
		causal_read(w, x, p->lane, at);
	for (uint32_t k = 0; k < 2; k++)
		if (r[k].lanes && r[k].warp == w->index && r[k].time == w->clock.now &&
			r[k].strong == x->reach && r[k].polls == x->polls &&
			r[k].block == w->block->number) {
			r[k].lanes |= UINT32_C(1) << p->lane;
			r[k].stmt = x->i->stmt;
			return;
		}
	if (r[0].lanes && unordered(w, p->lane, &r[0]))
		r[1] = r[0];
	r[0] = past_of(w, x, p);
}

void
race_read(Warp *w, const Access *x, const Spot *p)
{
	for (uint32_t k = 0, n; k < x->size; k += n)
		one_read(w, x, p, next(w, p, k, x->size - k, &n));
}

/* silent: it stores what is there. An atomic operation reads the word too, if it has a result. */
static void
one_write(const Race *to, const Spot *p, Word *at, bool silent)
{
	Warp *w = to->w;
	const Access *x = to->x;
	Past now = past_of(w, x, p);
	if (!silent && at->changes < 2)
		at->changes++;
	Benign lone = silent                  ? BENIGN_AGREE :
		!shared(p) && at->changes < 2 ? BENIGN_LONE :
						BENIGN_NOT;
	if (at->write.lanes)
		conflict(&(Race){ w, x, p->lane, &at->write, true }, at,
			silent ? BENIGN_AGREE : BENIGN_NOT);
	for (uint32_t k = 0; k < 2; k++)
		if (at->read[k].lanes)
			conflict(&(Race){ w, x, p->lane, &at->read[k], false }, at, lone);
	if (now.atomic && x->i->d)
		causal_read(w, x, p->lane, at);
	if (now.strong || causal_flag(w, p->lane))
		causal_write(w, x, p, at);
	at->met = now.strong && (at->met || !silent);
	at->searched = at->searched && now.strong;
	at->write = now;
}

void
race_write(Warp *w, const Access *x, const Spot *p)
{
	const uint8_t *to = p->from;
	for (uint32_t k = 0, n; k < x->size; k += n) {
		Word *at = next(w, p, k, x->size - k, &n);
		one_write(&(Race){ .w = w, .x = x }, p, at, to && !memcmp(p->bytes + k, to + k, n));
	}
}
