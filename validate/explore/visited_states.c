/* SPDX-License-Identifier: MIT */
/* The hash table of states in which lanes reached labels. */
#include <stddef.h>
#include <string.h>
#include "validate/explore/explore.h"

/* Drops everything that does not distinguish states at this label. The final value of a dead
 * counter is recorded, as the lane leaves with it. Who wrote a register matters only if some lanes
 * alone may have. */
void
lane_state_normalise(Loop_check *s, Lane_state *l)
{
	const uint64_t *live = s->out.stmts[l->at.output - s->out.begin].regs.live;
	uint32_t v;

	owner_drop_tasks(s, l);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint64_t dead = l->regs.defined[k] & ~live[k]; dead; dead &= dead - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(dead);
			if (!(term_is_const(&s->terms, l->env[i], &v) && v == 0))
				s->observed.left[k] |= dead & -dead;
			l->env[i] = 0;
		}
		l->regs.defined[k] &= live[k];
	}
	if (s->out.m->stmts[l->at.output].kind == STMT_LABEL) {
		memset(&l->assumed, 0, sizeof l->assumed);
		batch_forget(s, l);
	}
	for (uint32_t i = 0; i < 2; i++) {
		l->regs.varies[i] =
			(l->regs.varies[i] |
				(s->divergence.writes[i] & ~l->regs.written_by_all[i])) &
			live[i];
		l->regs.written_by_all[i] &= live[i] &
			(s->divergence.writes[i] | (s->lookahead ? s->divergence.possible[i] : 0));
		l->regs.written_by_some[i] &= s->lookahead ? UINT64_MAX : 0;
	}
}

/* Hashes 32 bytes at a time; the remainder is ignored. */
static uint64_t
hash_words(uint64_t h, const void *from, size_t size)
{
	const char *at = from, *end = at + size / 32 * 32;
	uint64_t w[4];

	for (; at < end; at += sizeof w) {
		memcpy(w, at, sizeof w); /* may be unaligned */
		h = (h ^ (w[0] + w[1] * UINT64_C(0xc2b2ae3d27d4eb4f))) *
				UINT64_C(0x9e3779b97f4a7c15) +
			(w[2] * UINT64_C(0x165667b19e3779f9) ^ w[3] * UINT64_C(0x27d4eb2f165667c5));
	}
	return h ^ h >> 29;
}

/* Hashes most of what distinguishes states. Levels are left out because they need not be equal,
 * saved task values because they rarely differ alone. */
static uint32_t
hash_state(const Loop_check *s, const Lane_state *l)
{
	size_t front = (s->layout.nenv + s->emitted.nlevels) * sizeof *l->env;
	uint64_t h = hash_words(l->facts.n ? l->facts.at[0] : 0, l, offsetof(Lane_state, regs));

	h = hash_words(h, l->env, s->emitted.n * sizeof *l->env);
	h = hash_words(h, (const char *)l->env + front,
		s->layout.size - offsetof(Lane_state, env) - front);
	return (uint32_t)(h >> 32);
}

static void
grow_table(Loop_check *s)
{
	Visited_state *old = s->visited.table;
	uint32_t n = s->visited.cap;

	s->visited.cap = n ? 2 * n : 256;
	s->visited.table = arena_array(s->arena, s->visited.cap, sizeof *s->visited.table);
	for (uint32_t i = 0; i < n; i++) {
		if (!old[i].lane)
			continue;
		uint32_t h = old[i].hash & (s->visited.cap - 1);
		while (s->visited.table[h].lane)
			h = (h + 1) & (s->visited.cap - 1);
		s->visited.table[h] = old[i];
	}
}

/* Whether the seen state assumes no more than this one. A smaller bound of a counter implies a
 * larger one (0: no bound), and what holds for any group holds for a full one. */
static bool
state_covers(const Loop_check *s, const Visited_state *x, const Lane_state *l, bool full)
{
	const Lane_state *seen = x->lane;
	const Term_id *a = seen->env + s->layout.nenv, *b = l->env + s->layout.nenv;
	size_t front = offsetof(Lane_state, env) + s->layout.nenv * sizeof *a,
	       levels = s->emitted.nlevels * sizeof *a;

	if (x->full > full || memcmp(seen, l, front) != 0 ||
		memcmp(a + s->emitted.nlevels, b + s->emitted.nlevels,
			s->layout.size - front - levels) != 0)
		return false;
	for (uint32_t i = 0; i < s->emitted.nlevels; i++)
		if (a[i] && (!b[i] || a[i] < b[i]))
			return false;
	return true;
}

/* Returns the number of the state. *yes: a lane was in it, or in one that covers it. */
static uint32_t
find_seen(Loop_check *s, const Lane_state *l, bool full, bool *yes)
{
	if (4 * s->visited.n >= 3 * s->visited.cap)
		grow_table(s);
	uint32_t k = hash_state(s, l), h = k & (s->visited.cap - 1);
	for (; s->visited.table[h].lane; h = (h + 1) & (s->visited.cap - 1))
		if (s->visited.table[h].hash == k &&
			state_covers(s, &s->visited.table[h], l, full)) {
			*yes = true;
			return s->visited.table[h].number;
		}
	*yes = false;
	s->visited.table[h] = (Visited_state){ lane_state_copy(s, l), k, s->visited.n, full };
	return s->visited.n++;
}

bool
lane_state_is_visited(Loop_check *s, Lane_state *l)
{
	uint32_t branches = l->branches, idle = l->idle;
	bool full = l->group.full, yes;

	l->branches = l->idle = 0;
	l->group.full = false;
	uint32_t number = find_seen(s, l, full, &yes);
	if (idle)
		*vec_push(&s->visited.idle_edges) =
			(Compute_edge){ idle - 1, number, l->at.output };
	l->idle = number + 1;
	l->group.full = full;
	l->branches = branches;
	return yes;
}

/* Removes the states that no idle way reaches, with the ways out of them, until nothing changes.
 * What is left contains a cycle without progress. */
bool
visited_states_progress(Loop_check *s)
{
	Arena_mark mark = arena_mark(s->arena);
	uint32_t *ways = arena_array(s->arena, s->visited.n + 1, sizeof *ways),
		 n = s->fault.why ? 0 : s->visited.idle_edges.n;
	bool changed = true;

	for (uint32_t i = 0; i < n; i++)
		ways[s->visited.idle_edges.at[i].to]++;
	while (n && changed) {
		changed = false;
		for (uint32_t i = n; i-- > 0;) {
			const Compute_edge *w = &s->visited.idle_edges.at[i];
			if (ways[w->from])
				continue;
			ways[w->to]--;
			s->visited.idle_edges.at[i] = s->visited.idle_edges.at[--n];
			changed = true;
		}
	}
	arena_release(s->arena, mark);
	return !n || loop_check_fault(s, s->visited.idle_edges.at[0].o,
		"a lane may loop here forever without executing any of the input");
}
