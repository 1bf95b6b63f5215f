/* SPDX-License-Identifier: MIT */
/* Causality order between lanes of different warps and blocks, established by fences and strong
 * accesses, for the race check (PTX ISA, Memory Consistency Model: release and acquire patterns).
 *
 * A strong write (atomic, volatile, relaxed, release ...), or the first write after a fence, which
 * many programs use like one, appends a Release to the log of its word: what its lane knew, and
 * which part of that preceded a fence. A strong read records which releases it may have seen: all
 * since the last write that was not an atomic operation. A fence after the read adds them to the
 * lane's knowledge; so does a barrier, which orders at least the block. An access of another warp
 * is ordered before a lane's next ones if the lane has seen a release whose lane knew of the access
 * before its fence; or knew of it without a fence, but the lane that made the access has executed a
 * fence itself (a barrier between the two then carries it). Releases seen before a fence are part
 * of what is released: logs link to logs.
 *
 * Where an exact answer would need too much memory the answer is "ordered": a race may be missed,
 * but none is invented.
 */
#include <string.h>
#include "simt/checks/causality.h"

enum { MOST_RELEASES = 1 << 19, MOST_LOGS = 1 << 18, MOST_SNAP_BYTES = 1 << 26 };

/* ---- state of a launch and of a warp --------------------------------------------------------- */

static void *
zero_alloc(size_t n, size_t size)
{
	return memset(xmalloc(n * size), 0, n * size);
}

Causality *
causality_new(void)
{
	Causality *o = zero_alloc(1, sizeof *o);
	o->arena = arena_new();
	*vec_push(&o->logs) = (Release_log){0};
	return o;
}

void
causality_free(Causality *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->logs.n; i++) {
		vec_free(&o->logs.at[i].all);
		vec_free(&o->logs.at[i].links);
	}
	vec_free(&o->logs);
	xfree(o->index);
	arena_free(o->arena);
	xfree(o);
}

Warp_causality *
causality_warp_new(void)
{
	return zero_alloc(1, sizeof(Warp_causality));
}

void
causality_warp_free(Warp_causality *x)
{
	for (uint32_t l = 0; x && l < LANES; l++) {
		vec_free(&x->lane[l].seen);
		vec_free(&x->lane[l].pending);
	}
	xfree(x);
}

void
causality_warp_start(Warp *w)
{
	w->causal->any = false;
	w->causal->last = NULL;
	for (uint32_t l = 0; l < LANES; l++) {
		Lane_causality *x = &w->causal->lane[l];
		x->seen.n = x->pending.n = 0;
		x->seen.all = x->pending.all = x->after_fence = false;
		x->snap = x->at_fence[IN_BLOCK] = x->at_fence[IN_ALL] = NULL;
	}
}

/* ---- sets of releases ------------------------------------------------------------------------ */

/* The order of a set's entries. */
static uint64_t
order_of(const Seen_release *x)
{
	return (uint64_t)x->log << 1 | (x->wide != 0);
}

/* Adds releases to a set, whose first i entries are of smaller logs; returns the entry's index. */
static uint32_t
seens_add(Seen_releases *s, Seen_release x, uint32_t i)
{
	while (i < s->n && order_of(&s->at[i]) < order_of(&x))
		i++;
	Seen_release *o = s->at + i;
	if (i < s->n && order_of(o) == order_of(&x)) {
		o->from = x.from < o->from ? x.from : o->from;
		o->to = x.to > o->to ? x.to : o->to;
	} else if (s->n == MOST_SEEN) {
		s->all = true;
	} else {
		vec_push(s);
		o = s->at + i;
		memmove(o + 1, o, (s->n - 1 - i) * sizeof *o);
		*o = x;
	}
	return i;
}

/* Adds releases, which order only the block unless `wide`. A set of all needs no entries. */
static void
seens_join(Seen_releases *to, const Seen_releases *from, bool wide)
{
	uint32_t at = 0;
	to->all = to->all || from->all;
	for (uint32_t i = 0; i < from->n && !to->all; i++) {
		Seen_release x = from->at[i];
		x.wide = x.wide && wide;
		at = seens_add(to, x, at);
	}
	if (to->all)
		to->n = 0;
}

/* A fence after strong reads, or a barrier: the lane now knows the releases that they saw. */
static void
acquire_releases(Lane_causality *l, bool wide)
{
	seens_join(&l->seen, &l->pending, wide);
	if (wide) /* otherwise they stay pending, because a wider fence may follow */
		l->pending.n = 0, l->pending.all = false;
	l->snap = NULL;
}

void
causality_join(Warp *warps, uint32_t n, const uint32_t *lanes)
{
	Seen_releases all = {0};
	for (uint32_t k = 0; k < n; k++)
		for EACH_LANE(l, lanes[k]) {
			Lane_causality *x = &warps[k].causal->lane[l];
			x->snap = NULL; /* the clocks have changed */
			if (!warps[k].causal->any)
				continue;
			acquire_releases(x, true);
			seens_join(&all, &x->seen, true);
		}
	for (uint32_t k = 0; k < n && (all.n || all.all); k++)
		for EACH_LANE(l, lanes[k]) {
			warps[k].causal->any = true;
			seens_join(&warps[k].causal->lane[l].seen, &all, true);
		}
	vec_free(&all);
}

void
causality_acquire(Warp *w, uint32_t lane)
{
	const Thread_block *b = w->block;
	Lane_causality *x = &w->causal->lane[lane];
	acquire_releases(x, true);
	for (uint32_t v = 0; v < b->nwarps; v++)
		for (uint32_t l = 0; l < LANES && b->warps[v].causal->any; l++)
			if (&b->warps[v].causal->lane[l] != x)
				seens_join(&x->seen, &b->warps[v].causal->lane[l].seen, true);
	w->causal->any = w->causal->any || x->seen.n || x->seen.all;
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static bool
snapshot_is_current(const Knowledge_snapshot *s, const Warp *w, uint32_t lane)
{
	const Seen_releases *seen = &w->causal->lane[lane].seen;
	uint32_t n = w->block->nwarps;
	return !memcmp(s->lane, w->clock.lane[lane], sizeof s->lane) &&
		!memcmp(s->warp, w->clock.warp + lane * n, n * sizeof *s->warp) &&
		s->nseen == seen->n && s->all == seen->all &&
		(!seen->n || !memcmp(s->seen, seen->at, seen->n * sizeof *s->seen));
}

static void *
copy_to_arena(Causality *o, const void *from, size_t n)
{
	o->snap_bytes += n;
	return n ? memcpy(arena_alloc(o->arena, n), from, n) : NULL;
}

/* Returns a lane's current knowledge; lanes with equal knowledge share the snapshot. */
static const Knowledge_snapshot *
take_snapshot(Warp *w, uint32_t lane)
{
	Causality *o = w->sim->causality;
	Lane_causality *l = &w->causal->lane[lane];
	uint32_t n = w->block->nwarps;
	if (l->snap)
		return l->snap;
	if (!w->causal->last || !snapshot_is_current(w->causal->last, w, lane)) {
		Knowledge_snapshot s = { .nseen = l->seen.n, .all = l->seen.all };
		memcpy(s.lane, w->clock.lane[lane], sizeof s.lane);
		s.warp = copy_to_arena(o, w->clock.warp + lane * n, n * sizeof *s.warp);
		s.seen = copy_to_arena(o, l->seen.at, l->seen.n * sizeof *s.seen);
		w->causal->last = copy_to_arena(o, &s, sizeof s);
		o->full = o->full || o->snap_bytes > MOST_SNAP_BYTES;
	}
	return l->snap = w->causal->last;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Executes a fence before the lanes' next accesses. */
static void
record_release(Warp *w, uint32_t lanes, bool wide)
{
	Thread_block *b = w->block;
	uint32_t threads = b->nwarps * LANES;
	if (!b->fences)
		b->fences =
			arena_array(w->sim->causality->arena, SCOPES * threads, sizeof *b->fences);
	w->clock.now++;
	for EACH_LANE(l, lanes)
		for (int scope = 0; scope < (wide ? SCOPES : IN_ALL); scope++) {
			b->fences[(uint32_t)scope * threads + w->index * LANES + l] = w->clock.now;
			w->causal->lane[l].at_fence[scope] = take_snapshot(w, l);
			w->causal->lane[l].after_fence = true;
		}
}

void
causality_before_access(Warp *w, uint32_t order, uint32_t lanes)
{
	if (w->sim->causality->full)
		return;
	if (order & ORDER_RELEASE)
		record_release(w, lanes, order & ORDER_WIDE);
	else
		w->clock.now++;
}

void
causality_after_access(Warp *w, uint32_t order, uint32_t lanes)
{
	if (order & ORDER_ACQUIRE && w->causal->any)
		for EACH_LANE(l, lanes)
			acquire_releases(&w->causal->lane[l], order & ORDER_WIDE);
}

void
causality_fence(Warp *w, uint32_t order, uint32_t lanes)
{
	if (!w->causal || !order)
		return;
	/* in this order, because what a fence acquires it also releases */
	causality_after_access(w, order, lanes);
	causality_before_access(w, order, lanes);
}

void
causality_read(Warp *w, const Access *x, uint32_t lane, const Shadow_word *at)
{
	const Causality *o = w->sim->causality;
	const Release_log *g = &o->logs.at[at->log];
	Seen_releases *s = &w->causal->lane[lane].pending;
	if (!o->full && g->first == g->all.n)
		return;
	w->causal->any = true;
	if (o->full)
		s->all = true;
	else
		seens_add(s, (Seen_release){ at->log, g->first, g->all.n, x->reach == REACH_ALL },
			0);
}

Index_entry *
causality_index_entry(const Causality *o, uint64_t key)
{
	uint32_t k = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (o->nindex - 1);
	while (o->index[k].key && o->index[k].key != key)
		k = (k + 1) & (o->nindex - 1);
	return &o->index[k];
}

/* Ensures room for one more entry. */
static void
index_grow(Causality *o)
{
	Index_entry *old = o->index;
	uint32_t n = o->nindex;
	if (o->used < n / 2)
		return;
	o->nindex = n ? 2 * n : 64;
	o->index = zero_alloc(o->nindex, sizeof *o->index);
	for (uint32_t k = 0; k < n; k++)
		if (old[k].key)
			*causality_index_entry(o, old[k].key) = old[k];
	xfree(old);
}

static bool
same_link(const Release_link *a, const Release_link *b)
{
	return a->seen.log == b->seen.log && a->seen.wide == b->seen.wide &&
		!memcmp(a->fenced, b->fenced, sizeof a->fenced);
}

/* Releases of a log have mostly the same links: the search begins with the one that followed the
 * previous link the last time. */
static void
add_release_link(Release_log *g, Release_link x)
{
	Release_link *all = g->links.at, *previous = g->link < g->links.n ? &all[g->link] : NULL;
	uint32_t i = previous ? previous->next : 0;
	if (i < g->first_link || i >= g->links.n || !same_link(&all[i], &x))
		for (i = g->first_link; i < g->links.n && !same_link(&all[i], &x); i++)
			;
	if (previous)
		previous->next = i;
	g->link = i;
	if (i == g->links.n) {
		*vec_push(&g->links) = x;
		return;
	}
	Seen_release *seen = &all[i].seen;
	seen->from = x.seen.from < seen->from ? x.seen.from : seen->from;
	seen->to = x.seen.to > seen->to ? x.seen.to : seen->to;
}

/* Links release `at` of a log to the releases that its lane had seen. The log's own releases need
 * no link: a lane that sees this one also sees them, except those that a plain write has hidden. */
static void
add_release_links(Release_log *g, uint32_t log, uint32_t at, const Knowledge_snapshot *s,
	bool block, bool all)
{
	if (s && s->all)
		add_release_link(g, (Release_link){ {0}, at, 0, { block, all } });
	for (uint32_t i = 0; s && i < s->nseen; i++)
		if (s->seen[i].log != log || s->seen[i].from < g->first)
			add_release_link(g, (Release_link){ s->seen[i], at, 0, { block, all } });
}

static bool
same_release(const Release *a, const Release *b)
{
	return a->block == b->block && a->warp == b->warp && a->now == b->now &&
		a->stmt == b->stmt && a->at == b->at &&
		a->at_fence[IN_BLOCK] == b->at_fence[IN_BLOCK] &&
		a->at_fence[IN_ALL] == b->at_fence[IN_ALL] &&
		a->fenced[IN_BLOCK] == b->fenced[IN_BLOCK] &&
		a->fenced[IN_ALL] == b->fenced[IN_ALL];
}

static Release
release_of(Warp *w, const Access *x, uint32_t lane)
{
	const Thread_block *b = w->block;
	const Lane_causality *l = &w->causal->lane[lane];
	uint32_t threads = b->nwarps * LANES, t = w->index * LANES + lane;
	Release r = { .block = b->number,
		.lanes = UINT32_C(1) << lane,
		.stmt = x->i->stmt,
		.now = w->clock.now,
		.warp = (uint16_t)w->index,
		.nwarps = (uint16_t)b->nwarps,
		.wide = x->reach != REACH_BLOCK,
		.at = take_snapshot(w, lane),
		.at_fence = { l->at_fence[IN_BLOCK], l->at_fence[IN_ALL] },
		.fences = b->fences };
	if (b->fences)
		for (uint32_t scope = 0; scope < SCOPES; scope++)
			r.fenced[scope] = b->fences[scope * threads + t];
	return r;
}

bool
causality_flag(const Warp *w, uint32_t lane)
{
	return w->causal->lane[lane].after_fence;
}

void
causality_write(Warp *w, const Access *x, const Access_target *p, Shadow_word *at)
{
	Causality *o = w->sim->causality;
	o->full = o->full || o->releases > MOST_RELEASES || o->logs.n > MOST_LOGS;
	if (o->full)
		return;
	w->causal->lane[p->lane].after_fence = false;
	if (!at->log) {
		at->log = o->logs.n;
		*vec_push(&o->logs) = (Release_log){0};
	}
	Release_log *g = &o->logs.at[at->log];
	Release r = release_of(w, x, p->lane);
	uint32_t n = g->all.n;
	bool same = n && same_release(&g->all.at[n - 1], &r);
	if (x->kind != ACCESS_ATOMIC) {
		g->first = same ? n - 1 : n;
		g->first_link = g->links.n;
	}
	if (same) {
		g->all.at[n - 1].lanes |= r.lanes;
		return;
	}
	index_grow(o);
	Index_entry *e = causality_index_entry(o, causality_index_key(at->log, r.block));
	o->used += e->key == 0;
	r.before = e->last;
	*e = (Index_entry){ causality_index_key(at->log, r.block), n + 1 };
	*vec_push(&g->all) = r;
	o->releases++;
	add_release_links(g, at->log, n, r.at_fence[IN_ALL], true, true);
	if (r.at_fence[IN_BLOCK] != r.at_fence[IN_ALL])
		add_release_links(g, at->log, n, r.at_fence[IN_BLOCK], true, false);
	if (r.at != r.at_fence[IN_BLOCK])
		add_release_links(g, at->log, n, r.at, false, false);
}
