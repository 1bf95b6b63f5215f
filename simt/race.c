/* The race check: two lanes of a block touch one word, one of them writes, and nothing orders them.
 *
 * What orders: the program order of a lane, bar.warp.sync between the lanes of its mask, and the block's barriers. Votes
 * and shuffles do not. A warp's time goes up by one at each such event. A lane knows, for each lane of its own warp and
 * for each other warp, up to which time their accesses come before its own (a vector clock of two levels; Flanagan and
 * Freund, FastTrack, PLDI 2009, for the idea of keeping single accesses where they do).
 *
 * A word keeps its last write and the last two groups of reads. Blocks are not compared with each other, and accesses
 * that are both strong (atomic, volatile, relaxed ...) do not race. Counted and not reported: writers that store what is
 * there; in global memory, reads beside the one write that changed the word, and strong accesses beside weak ones.
 */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "simt/sim.h"

typedef struct {
	uint32_t lanes, time, stmt;
	uint16_t warp;
	uint8_t bytes;          /* of the word: a bit each */
	bool strong;
} Access;

struct Word {
	uint32_t block;         /* whose accesses these are */
	uint8_t changes;        /* writes that changed it: 0, 1, 2 for more */
	bool racy;              /* a read was beside the one write */
	Access write, read[2];
};

Word *
race_words(size_t bytes)
{
	size_t n = bytes / 4 + 8;
	Word *w = calloc(n, sizeof *w); /* most pages are never touched */
	if (!w)
		die("out of memory");
	return w;
}

Word *race_word(Word *words, uint64_t at) { return words + at / 4; }
void race_clear(Word *words, size_t bytes) { memset(words, 0, (bytes / 4 + 8) * sizeof *words); }

/* ---- time -------------------------------------------------------------------------------------------------------------- */

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

/* The lanes learn all that one of them knows; what `known` did up to now comes before what they do next. */
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
					w->clock.warp[t * b->nwarps + v] = b->warps[v].clock.now + !b->warps[v].live;
	}
}

/* The lanes of an earlier access that do not come before what lane of w does now. */
static uint32_t
unordered(const Warp *w, uint32_t lane, const Access *a)
{
	uint32_t left = 0;
	if (a->warp != w->index)
		return a->time < w->clock.warp[lane * w->block->nwarps + a->warp] ? 0 : a->lanes;
	for EACH_LANE(u, a->lanes & ~(UINT32_C(1) << lane))
		left |= (uint32_t)(a->time >= w->clock.lane[lane][u]) << u;
	return left;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------------- */

static bool
shared(const Warp *w, const Word *at)
{
	return at >= w->block->words && at < w->block->words + w->sim->shared / 4 + 8;
}

static void
report(Warp *w, const Inst *i, uint32_t lane, const Access *a, uint32_t others, const char *what)
{
	Sim *s = w->sim;
	uint32_t line, col;
	Source *src = s->m->src;
	source_position(src, s->m->stmts[a->stmt].at.pos, &line, &col);
	sim_fault(w, i, lane, FAULT_RACE, "%s by lane %u of warp %u at line %u, and nothing orders the two", what, low_bit(others),
		a->warp, line);
}

static void
conflict(Warp *w, const Inst *i, uint32_t lane, Word *at, const Access *a, const char *what, bool benign)
{
	bool strong = i->flags & F_STRONG, in_shared = shared(w, at);
	uint32_t others = unordered(w, lane, a);
	if (!others || (strong && a->strong))
		return;
	if (!in_shared && (strong || a->strong))
		benign = true;
	if (benign && !w->sim->l->strict)
		tally(w->sim, i)->benign_races++;
	else
		report(w, i, lane, a, others, what);
}

static Word *
fresh(const Warp *w, Word *at)
{
	if (at->block != w->block->number) {
		memset(at, 0, sizeof *at);
		at->block = w->block->number;
	}
	return at;
}

/* The bytes of its words that an access of size bytes touches, the first at offset skip of the word. */
static uint8_t
bytes_of(uint32_t size, uint64_t skip)
{
	return (uint8_t)(size >= 4 ? 15u : (((1u << size) - 1) << skip) & 15);
}

static void
one_read(Warp *w, const Inst *i, uint32_t lane, Word *at, uint8_t bytes)
{
	Access *r = at->read, now = { UINT32_C(1) << lane, w->clock.now, i->stmt, (uint16_t)w->index, bytes, (i->flags & F_STRONG) != 0 };
	if (at->write.lanes && at->write.bytes & bytes) {
		bool lone = !shared(w, at) && at->changes < 2;
		at->racy |= lone && unordered(w, lane, &at->write);
		conflict(w, i, lane, at, &at->write, "written", lone);
	}
	for (uint32_t k = 0; k < 2; k++)
		if (r[k].lanes && r[k].warp == now.warp && r[k].time == now.time && r[k].strong == now.strong) {
			r[k].lanes |= now.lanes;
			r[k].bytes |= bytes;
			r[k].stmt = i->stmt;
			return;
		}
	if (r[0].lanes && unordered(w, lane, &r[0]))
		r[1] = r[0];
	r[0] = now;
}

void
race_read(Warp *w, const Inst *i, uint32_t lane, Word *at, uint32_t size)
{
	uint32_t n = size < 4 ? 1 : size / 4;
	for (uint32_t k = 0; k < n; k++)
		one_read(w, i, lane, fresh(w, at + k), bytes_of(size, w->offset & 3));
}

static void
one_write(Warp *w, const Inst *i, uint32_t lane, Word *at, uint8_t bytes, bool silent)
{
	bool in_shared = shared(w, at);
	if (!silent && at->changes < 2)
		at->changes++;
	if (at->write.lanes && at->write.bytes & bytes)
		conflict(w, i, lane, at, &at->write, "written", silent);
	for (uint32_t k = 0; k < 2; k++)
		if (at->read[k].lanes && at->read[k].bytes & bytes) {
			at->racy |= !in_shared && at->changes < 2 && unordered(w, lane, &at->read[k]);
			conflict(w, i, lane, at, &at->read[k], "read", silent || (!in_shared && at->changes < 2));
		}
	bool strong = (i->flags & F_STRONG) != 0;
	at->write = (Access){ UINT32_C(1) << lane, w->clock.now, i->stmt, (uint16_t)w->index, bytes, strong };
}

void
race_write(Warp *w, const Inst *i, uint32_t lane, Word *at, uint32_t size, const uint8_t *from, const uint8_t *to)
{
	uint32_t n = size < 4 ? 1 : size / 4;
	for (uint32_t k = 0; k < n; k++) {
		bool silent = to && !memcmp(from + 4 * k, to + 4 * k, size < 4 ? size : 4);
		one_write(w, i, lane, fresh(w, at + k), bytes_of(size, w->offset & 3), silent);
	}
}
