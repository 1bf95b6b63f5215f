/* SPDX-License-Identifier: MIT */
/* The race check. A race is a pair of accesses by two lanes to one word, one of them a write, that
 * nothing orders.
 *
 * Accesses are ordered by a lane's program order, by bar.warp.sync between the lanes of its mask,
 * by the block's barriers, and by fences with strong accesses (causality.c). Votes and shuffles do
 * not order them. Each such event increments the warp's time. A lane knows, for each lane of its
 * own warp and for each other warp of its block, up to which time their accesses precede its own: a
 * vector clock of two levels. Recording single accesses where these suffice follows Flanagan and
 * Freund, FastTrack, PLDI 2009. Two strong accesses (atomic, volatile, relaxed ...) do not race if
 * the scope of each includes the other's thread.
 *
 * For each word of four bytes we record the last write and the last two groups of reads, in global
 * memory of the current launch and in shared memory of the current block. Once a part of a word is
 * accessed separately, its bytes are recorded separately.
 *
 * Some races are counted but not reported, because the program may be correct:
 *
 *	agree   a write that stores the value that is already there
 *	lone    in global memory, reads concurrent with the only write that changed the word: a
 *	        graph search that marks the nodes it reaches
 *	mixed   strong accesses concurrent with weak ones: a minimum that is read before an atomic
 *	        operation lowers it, a loop that waits for a flag. Within a block only if one of
 *	        the two polls (spin_loops.c) or the word was read before a strong write changed it:
 *	        otherwise the lanes could have used a barrier, which was probably forgotten
 *
 * lone and mixed races are reported after all if the lanes do communicate by a strong access and
 * only a fence is missing, unless the word was read before it was written, as such a search does.
 * The same holds for a strong read of a value passed by a strong store: this is no race, but the
 * reader may use other data too early.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/state/buffers.h"
#include "simt/checks/race.h"

Shadow *
race_shared(Sim *s)
{
	const size_t bytes = s->launch.reserved + RESERVED;
	Memory *m = s->memory;
	if (!memory_is_shadowed(s))
		return NULL;
	/* records carry their block's number, which is unique, so nothing needs to be cleared */
	if (!s->worker.pool && m->shadows.n) {
		Shadow *last = *vec_pop(&m->shadows);
		if (last->bytes >= bytes)
			return last;
		shadow_free(last);
	}
	return shadow_new(bytes);
}

void
race_shared_end(Sim *s, Shadow *shadow)
{
	if (shadow && !s->worker.pool)
		*vec_push(&s->memory->shadows) = shadow;
	else
		shadow_free(shadow);
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

/* Lets all these lanes learn what any of them knows, and that the accesses of the lanes `known` so
 * far precede their next ones. */
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
	causality_join(w, 1, &lanes);
}

void
race_barrier(Thread_block *b, const uint32_t *lanes)
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
	causality_join(b->warps, b->nwarps, lanes);
}

/* The lanes of an earlier access that no barrier orders before the next accesses of a lane of w. */
static uint32_t
unordered_lanes(const Warp *w, uint32_t lane, const Past_access *a)
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

/* Why a race may be harmless: see the head of this file. */
typedef enum { BENIGN_NOT, BENIGN_AGREE, BENIGN_LONE, BENIGN_MIXED } Benign;

/* Two accesses to one word: the current one of a lane of w (x), and an earlier one (a), which is
 * the word's last write if `wrote`, else a read. */
typedef struct {
	Warp *w;
	const Access *x;
	uint32_t lane;
	const Past_access *a;
	bool wrote;
} Access_pair;

static bool access_is_shared(const Access_target *p) { return !p->buffer; }

static uint32_t
line_of(const Sim *s, uint32_t stmt)
{
	uint32_t line, col;
	source_position(s->m->src, s->m->stmts[stmt].at.pos, &line, &col);
	return line;
}

/* Reports the race; lane u made the earlier access. If v is not KNOWN_NOT, the lanes do communicate
 * by a strong write, at stmt, and v says what is missing. */
static void
report_race(const Access_pair *r, uint32_t u, Verdict v, uint32_t stmt)
{
	static const struct { const char *front, *behind;
	} missing[] = {
		[KNOWN_BUT_BARRIER] = { "no barrier between that and line", "" },
		[KNOWN_BUT_RELEASE] = { "no fence between that and line", "" },
		[KNOWN_BUT_ACQUIRE] = { "no fence follows the read of the value that line", " wrote" },
		[KNOWN_BUT_REACH] = { "only a block is the scope of line",
			", its fences or the read of it" },
	};
	const Sim *s = r->w->sim;
	const uint32_t *g = s->l->grid, block = r->a->block - s->launch.epoch;
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

static bool
access_is_same_block(const Access_pair *r)
{
	return r->a->block == r->w->block->number;
}

/* Whether both are strong and the scope of each includes the other (morally strong in the PTX ISA).
 * Such accesses do not race. */
static bool
morally_strong(const Access_pair *r)
{
	return r->x->reach && r->a->strong &&
		(access_is_same_block(r) ||
			(r->x->reach == REACH_ALL && r->a->strong == REACH_ALL));
}

/* The order of the earlier access's lanes: the worst verdict, with its lane. KNOWN: all are
 * ordered. */
static Verdict
order_of_accesses(const Access_pair *r, uint32_t *lane, uint32_t *stmt)
{
	Verdict worst = KNOWN;
	for EACH_LANE(u, unordered_lanes(r->w, r->lane, r->a)) {
		uint32_t by = 0;
		Verdict v = happens_before(r->w, r->lane, r->a, u, &by);
		if (v < worst)
			worst = v, *lane = u, *stmt = by;
	}
	return worst;
}

/* Whether exactly one of the two is strong. */
static bool
strength_is_mixed(const Access_pair *r)
{
	return (r->x->reach == REACH_NONE) != (r->a->strong == REACH_NONE);
}

/* Whether one of the two polls, so that the word itself orders them. */
static bool
access_polls(const Access_pair *r)
{
	return r->x->polls || r->a->polls;
}

/* Whether a strong and a weak access may be mixed on purpose. Between blocks they may, because
 * there is no barrier that could have been forgotten. */
static bool
mixing_is_intended(const Access_pair *r, const Shadow_word *at)
{
	return !access_is_same_block(r) || access_polls(r) || at->searched;
}

static void
accesses_conflict(const Access_pair *r, const Shadow_word *at, Benign benign)
{
	uint32_t lane = 0, stmt = 0;
	bool handed = benign == BENIGN_LONE && !at->looked, strong = morally_strong(r);
	if (strong && (!handed || r->a->atomic || !r->wrote))
		return;
	Verdict v = order_of_accesses(r, &lane, &stmt);
	if (v == KNOWN || (strong && v != KNOWN_BUT_RELEASE && v != KNOWN_BUT_REACH))
		return;
	if (strength_is_mixed(r) && benign != BENIGN_AGREE) {
		benign = mixing_is_intended(r, at) ? BENIGN_MIXED : BENIGN_NOT;
		handed = !at->looked && !access_polls(r) &&
			!(access_is_same_block(r) && at->searched);
	}
	if (handed && v != KNOWN_NOT)
		benign = BENIGN_NOT;
	if (benign && !r->w->sim->l->strict)
		stmt_counts(r->w->sim, r->x->i)->benign_races++;
	else
		report_race(r, lane, v, stmt);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static Shadow_word *
shadow_is_fresh(const Warp *w, const Access_target *p, Shadow_word *at)
{
	uint32_t epoch = access_is_shared(p) ? w->block->number : w->sim->launch.epoch;
	if (at->epoch != epoch)
		*at = (Shadow_word){ .epoch = epoch,
			.parts = at->apart ? at->parts : 0,
			.apart = at->apart };
	return at;
}

/* Splits the record of a word into one per byte; returns that of the first byte. */
static Shadow_word *
split_shadow_word(Shadow *s, Shadow_word *at)
{
	if (!at->apart) {
		Shadow_word whole = *at;
		at->parts = s->parts.n;
		at->apart = true;
		for (uint32_t k = 0; k < 4; k++)
			*vec_push(&s->parts) = whole;
	}
	return s->parts.at + at->parts;
}

/* Returns the record for byte k of a lane's part of an access, of which size bytes remain: of a
 * whole word, with *n = 4, or of one byte, with *n = 1. */
static Shadow_word *
next_shadow_word(const Warp *w, const Access_target *p, uint32_t k, uint32_t size, uint32_t *n)
{
	uint64_t byte = p->offset + k;
	Shadow_word *at = shadow_is_fresh(w, p, p->shadow->word + byte / 4);
	*n = size >= 4 && !at->apart ? 4 : 1;
	return *n == 4 ? at : shadow_is_fresh(w, p, split_shadow_word(p->shadow, at) + byte % 4);
}

static Past_access
past_access(const Warp *w, const Access *x, const Access_target *p)
{
	return (Past_access){ .lanes = UINT32_C(1) << p->lane,
		.time = w->clock.now,
		.stmt = x->i->stmt,
		.block = w->block->number,
		.warp = w->index & 0xfff,
		.strong = x->reach & 3,
		.atomic = x->kind == ACCESS_ATOMIC && !p->reads,
		.polls = x->polls };
}

static void
check_read_word(Warp *w, const Access *x, const Access_target *p, Shadow_word *at)
{
	Past_access *r = at->read;
	if (at->write.lanes)
		accesses_conflict(&(Access_pair){ w, x, p->lane, &at->write, true }, at,
			!access_is_shared(p) && at->changes < 2 ? BENIGN_LONE : BENIGN_NOT);
	at->looked = at->looked || !at->changes;
	at->searched = at->searched || (!x->reach && !at->met);
	if (x->reach)
		causality_read(w, x, p->lane, at);
	for (uint32_t k = 0; k < 2; k++)
		if (r[k].lanes && r[k].warp == w->index && r[k].time == w->clock.now &&
			r[k].strong == x->reach && r[k].polls == x->polls &&
			r[k].block == w->block->number) {
			r[k].lanes |= UINT32_C(1) << p->lane;
			r[k].stmt = x->i->stmt;
			return;
		}
	if (r[0].lanes && unordered_lanes(w, p->lane, &r[0]))
		r[1] = r[0];
	r[0] = past_access(w, x, p);
}

bool
race_is_unordered(Warp *w, uint32_t lane, uint32_t other, const Shadow_word *at)
{
	const Past_access *of[] = { &at->write, &at->read[0], &at->read[1] };
	uint32_t stmt;

	if (at->epoch != w->sim->launch.epoch || at->apart)
		return false;
	for (uint32_t k = 0; k < 3; k++)
		if (of[k]->lanes >> other & 1 && of[k]->block == w->block->number &&
			of[k]->warp == w->index && unordered_lanes(w, lane, of[k]) >> other & 1 &&
			happens_before(w, lane, of[k], other, &stmt) != KNOWN)
			return true;
	return false;
}

void
race_prepare(const Warp *w, const Access *x)
{
	if (x->space != SPACE_GLOBAL && x->space != SPACE_GENERIC)
		return;
	for EACH_LANE(l, x->lanes) {
		const Buffer *b = buffer_find(w->sim, x->at[l]);
		uint64_t at = b ? x->at[l] - b->at : 0;
		if (!b || !b->shadow || at >= b->n)
			continue;
		__builtin_prefetch(b->shadow->word + at / 4);
		if (w->iterations && b->shadow->iterations)
			__builtin_prefetch(b->shadow->iterations + at / 4);
		__builtin_prefetch(b->bytes + at);
	}
}

void
race_read(Warp *w, const Access *x, const Access_target *p)
{
	for (uint32_t k = 0, n; k < x->size; k += n)
		check_read_word(w, x, p, next_shadow_word(w, p, k, x->size - k, &n));
}

/* silent: it stores the value that is already there. An atomic operation with a result also
 * reads. */
static void
check_write_word(const Access_pair *to, const Access_target *p, Shadow_word *at, bool silent)
{
	Warp *w = to->w;
	const Access *x = to->x;
	Past_access now = past_access(w, x, p);
	if (!silent && at->changes < 2)
		at->changes++;
	Benign lone = silent                  ? BENIGN_AGREE :
		!access_is_shared(p) && at->changes < 2 ? BENIGN_LONE :
						BENIGN_NOT;
	if (at->write.lanes)
		accesses_conflict(&(Access_pair){ w, x, p->lane, &at->write, true }, at,
			silent ? BENIGN_AGREE : BENIGN_NOT);
	for (uint32_t k = 0; k < 2; k++)
		if (at->read[k].lanes)
			accesses_conflict(
				&(Access_pair){ w, x, p->lane, &at->read[k], false }, at, lone);
	if (now.atomic && x->i->d)
		causality_read(w, x, p->lane, at);
	if (now.strong || causality_flag(w, p->lane))
		causality_write(w, x, p, at);
	at->met = now.strong && (at->met || !silent);
	at->searched = at->searched && now.strong;
	at->write = now;
}

void
race_write(Warp *w, const Access *x, const Access_target *p)
{
	const uint8_t *to = p->from;
	for (uint32_t k = 0, n; k < x->size; k += n) {
		Shadow_word *at = next_shadow_word(w, p, k, x->size - k, &n);
		check_write_word(&(Access_pair){ .w = w, .x = x }, p, at,
			to && !memcmp(p->bytes + k, to + k, n));
	}
}
