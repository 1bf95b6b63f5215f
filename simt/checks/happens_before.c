/* SPDX-License-Identifier: MIT */
/* Decides whether an access of another warp is ordered before a lane's next ones. causality.c
 * describes the records and why this is correct.
 *
 * We search for a release in the access's block whose lane knew of the access: first among the
 * releases that the lane itself has seen, then in the logs that these link to, and so on. A chain
 * of links is only as good as its worst link. A search that takes too long answers "ordered".
 */
#include "simt/checks/causality.h"

enum { MOST_STEPS = 256 };

/* The query: does lane u's part of access `a` precede the next accesses of a lane of block
 * `reader`? */
typedef struct { const Past_access *a; uint32_t u, reader; } Order_query;

static bool
snapshot_orders(const Knowledge_snapshot *s, const Release *r, const Order_query *q)
{
	return s && q->a->time < (q->a->warp == r->warp ? s->lane[q->u] : s->warp[q->a->warp]);
}

/* The verdict if the lane has seen this release, which was made in the access's block. */
static Verdict
order_by_release(const Release *r, bool wide, const Order_query *q)
{
	bool own = q->a->warp == r->warp && r->lanes >> q->u & 1, far = q->a->block != q->reader;
	uint32_t scope = far ? IN_ALL : IN_BLOCK, thread = q->a->warp * LANES + q->u;
	if (!(own ? q->a->time < r->now : snapshot_orders(r->at, r, q)))
		return q->a->warp == r->warp && q->a->time >= r->now ? KNOWN_NOT :
								       KNOWN_BUT_BARRIER;
	bool fenced[SCOPES];
	/* only the last fence of another lane is known, which may have come too late */
	for (uint32_t k = 0; k < SCOPES; k++)
		fenced[k] = snapshot_orders(r->at_fence[k], r, q) ||
			(own ? q->a->time < r->fenced[k] :
			       r->fences && q->a->time < r->fences[k * r->nwarps * LANES + thread]);
	if (!fenced[scope])
		return fenced[IN_BLOCK] ? KNOWN_BUT_REACH : KNOWN_BUT_RELEASE;
	return far && !(wide && r->wide) ? KNOWN_BUT_REACH : KNOWN;
}

/* The best verdict from the releases of one log. */
static Verdict
order_by_log(const Causality *o, const Seen_release *s, const Order_query *q, uint32_t *stmt)
{
	const Release_log *g = &o->logs.at[s->log];
	Verdict best = KNOWN_NOT;
	uint32_t steps = 0,
		 k = causality_index_entry(o, causality_index_key(s->log, q->a->block))->last;
	for (; k > s->from && best != KNOWN; k = g->all.at[k - 1].before) {
		Verdict r = k > s->to ? KNOWN_NOT : order_by_release(&g->all.at[k - 1], s->wide, q);
		if (r > best) {
			best = r;
			*stmt = g->all.at[k - 1].stmt;
		}
		if (++steps > MOST_STEPS)
			return KNOWN;
	}
	return best;
}

/* most: upper bound of the verdicts along this chain */
typedef struct { Seen_release seen; Verdict most; } Search_node;
typedef struct { Search_node at[MOST_SEEN * 2]; uint32_t n; } Search_queue;

static bool
enqueue_node(Search_queue *ways, Search_node x)
{
	for (uint32_t i = 0; i < ways->n; i++) {
		const Search_node *y = &ways->at[i];
		if (y->seen.log == x.seen.log && y->seen.from <= x.seen.from &&
			y->seen.to >= x.seen.to && y->seen.wide >= x.seen.wide && y->most >= x.most)
			return true;
	}
	if (ways->n == sizeof ways->at / sizeof *ways->at)
		return false;
	ways->at[ways->n++] = x;
	return true;
}

/* Adds the logs that the releases of x link to; false if there are too many. */
static bool
follow_links(const Causality *o, Search_queue *ways, Search_node x, const Order_query *q)
{
	const Release_log *g = &o->logs.at[x.seen.log];
	bool far = q->a->block != q->reader, room = true;
	for (uint32_t i = g->links.n; i-- > 0 && g->links.at[i].at >= x.seen.from && room;) {
		const Release_link *l = &g->links.at[i];
		Verdict most = l->fenced[far ? IN_ALL : IN_BLOCK] ? KNOWN : KNOWN_BUT_RELEASE;
		if (l->at < x.seen.to)
			room = l->seen.log &&
				enqueue_node(ways,
					(Search_node){ l->seen, most < x.most ? most : x.most });
	}
	return room;
}

static Verdict
order_by_seen(const Causality *o, const Seen_releases *s, const Order_query *q, uint32_t *stmt)
{
	Search_queue ways;
	Verdict best = KNOWN_NOT;
	ways.n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		enqueue_node(&ways, (Search_node){ s->at[i], KNOWN });
	for (uint32_t i = 0; i < ways.n; i++) {
		uint32_t by = 0;
		Search_node x = ways.at[i];
		Verdict r = order_by_log(o, &x.seen, q, &by);
		r = r < x.most ? r : x.most;
		if (r > best)
			best = r, *stmt = by;
		if (best == KNOWN || !follow_links(o, &ways, x, q))
			return KNOWN;
	}
	return best;
}

Verdict
happens_before(Warp *w, uint32_t lane, const Past_access *a, uint32_t u, uint32_t *stmt)
{
	const Causality *o = w->sim->causality;
	const Lane_causality *l = &w->causal->lane[lane];
	Order_query q = { a, u, w->block->number };
	if (!w->causal->any)
		return KNOWN_NOT;
	Verdict r = l->seen.all ? KNOWN : order_by_seen(o, &l->seen, &q, stmt);
	if (r != KNOWN && l->pending.n) {
		uint32_t by = 0;
		Verdict p = order_by_seen(o, &l->pending, &q, &by);
		p = p == KNOWN ? KNOWN_BUT_ACQUIRE : p == KNOWN_BUT_BARRIER ? KNOWN_NOT : p;
		if (p > r)
			r = p, *stmt = by;
	}
	return r;
}
