/* SPDX-License-Identifier: MIT */
/* Builds a Machine from a listing of the machine code, instead of the rules of issue_slots_rules.c.
 *
 * Each block of machine code is counted at its home (block_map.h): an instruction with its
 * statement if that is in the home, otherwise apart from it. duplicate_blocks.h selects among
 * several copies of a home.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/sass/duplicate_blocks.h"
#include "simt/sass/issue_slots.h"
#include "simt/sass/slow_paths.h"

typedef struct {
	const Cfg *g;
	Sass_flow *f;
	uint32_t *line_of; /* by ptx_local_stmt */
	Homes *homes;
	Machine *to;
	Unrolled *unrolled;
	Bits chosen; /* blocks of machine code that are counted: duplicate_blocks.h */
	VEC(Machine_place) places;
	VEC(Machine_extra) extra;
	VEC(Machine_open) open;
	VEC(Machine_loop) loops;
} Build;

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the last statement of the function that begins on or before a line; if several begin on
 * it, the first of them. 0: none. */
static uint32_t
statement_at(const Cfg *g, const uint32_t *line_of, uint32_t line)
{
	const Func *f = &g->m->funcs[g->func];
	uint32_t low = 0, high = f->nstmt;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (line_of[middle] < line)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == f->nstmt || line_of[low] > line)
		low -= low > 0;
	while (low < f->nstmt && g->m->stmts[f->stmt + low].kind != STMT_INSN)
		low++;
	return low < f->nstmt && line ? f->stmt + low : 0;
}

static void
find_statements(Build *b, Arena *a)
{
	const Func *f = &b->g->m->funcs[b->g->func];
	const Sass_block *last = &b->f->blocks[b->f->nblocks - 1];
	uint32_t first = b->f->blocks[0].first, col;
	b->line_of = arena_array(a, f->nstmt + 1, sizeof *b->line_of);
	for (uint32_t i = 0; i < f->nstmt; i++)
		source_position(
			b->g->m->src, b->g->m->stmts[f->stmt + i].at.pos, &b->line_of[i], &col);
	b->f->stmt_of = arena_array(a, last->end - first + 1, sizeof *b->f->stmt_of);
	for (uint32_t i = first; i < last->end; i++)
		b->f->stmt_of[i - first] =
			statement_at(b->g, b->line_of, b->f->sass->insts.at[i].line);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static Machine_place *
place_of(Build *b, uint32_t kind, Home h)
{
	Machine_place *p = b->places.n ? &b->places.at[b->places.n - 1] : NULL;
	if (!p || p->kind != kind || p->of != h.of || p->way != h.way) {
		p = vec_push(&b->places);
		*p = (Machine_place){ (uint8_t)kind, h.of, h.way, b->extra.n, 0 };
	}
	return p;
}

static void
add_extra(Build *b, Machine_place *p, uint32_t stmt, bool on)
{
	Machine_extra *x = NULL;
	for (uint32_t k = p->first; k < p->first + p->n && !x; k++)
		x = b->extra.at[k].stmt == stmt ? &b->extra.at[k] : NULL;
	if (!x) {
		x = vec_push(&b->extra);
		*x = (Machine_extra){ .stmt = stmt };
		p->n++;
	}
	x->slots++;
	x->on = (uint16_t)(x->on + on);
}

static const uint8_t kinds[] = { [HOME_BLOCK] = PLACE_BLOCK,
	[HOME_EDGE] = PLACE_EDGE,
	[HOME_GUARD] = PLACE_GUARD,
	[HOME_OFF] = PLACE_OFF,
	[HOME_SLOW] = PLACE_SLOW,
	[HOME_QUICK] = PLACE_QUICK,
	[HOME_TURNS] = PLACE_TURNS };

/* Whether a home contains only the lanes of one statement's path. */
static bool
of_statement(Home h)
{
	return h.kind >= HOME_GUARD && h.kind <= HOME_QUICK;
}

/* Counts an instruction of a block at home h. An instruction that is predicated there, but not in
 * the PTX, is active when its statement is. */
static void
count(Build *b, uint32_t s, uint32_t inst, Home h)
{
	const Func *f = &b->g->m->funcs[b->g->func];
	uint32_t stmt = sass_stmt(b->f, inst);
	uint32_t block = of_statement(h) ? cfg_block_of(b->g, h.of) : h.of;
	if (!stmt)
		stmt = b->g->blocks[block].stmt;
	uint32_t local = ptx_local_stmt(f, stmt);
	bool here = cfg_block_of(b->g, stmt) == block && h.kind == HOME_BLOCK;
	bool of_block = h.kind == HOME_BLOCK || h.kind == HOME_EDGE;
	bool predicated = !here && b->f->sass->insts.at[inst].guarded && of_block;
	if (bits_has(b->homes->arrives, s)) {
		b->to->arrive[block]++;
	} else if (here) {
		b->to->slots[local]++;
		b->to->on[local]++;
	} else {
		add_extra(b, place_of(b, kinds[h.kind], h), stmt, !predicated);
		b->to->on[local] = (uint16_t)(b->to->on[local] + predicated);
	}
}

/* Counts an instruction as it is executed: at a block where lanes reconverge after diverging at a
 * statement, by each of the groups. A routine that is not the slow path of its statement is called
 * by all arriving lanes. */
static void
count_inst(Build *b, uint32_t s, uint32_t inst, Home h)
{
	const Sass_inst *i = &b->f->sass->insts.at[inst];
	const Home *some = &b->homes->paths[s];
	/* a routine missing in the listing has no steps */
	uint32_t routine = i->nto ? b->f->sass->targets.at[i->to] : b->f->sass->insts.n;
	uint32_t stmt = sass_stmt(b->f, inst), steps = 0;
	if (some->kind) {
		uint8_t others = some->kind == HOME_SLOW ? HOME_QUICK : HOME_OFF;
		count(b, s, inst, *some);
		count(b, s, inst, (Home){ others, some->of, some->way, s });
		return;
	}
	if (i->kind == SASS_ROUTINE && h.kind == HOME_SLOW)
		b->to->routine[ptx_local_stmt(&b->g->m->funcs[b->g->func], h.of)] = routine + 1;
	else if (i->kind == SASS_ROUTINE && stmt)
		steps = slow_steps(b->f->sass, routine, 0, 0);
	for (uint32_t n = 0; n <= steps; n++)
		count(b, s, inst, h);
}

static void
count_all(Build *b)
{
	for (uint32_t n = 0; n < b->f->norder; n++) {
		uint32_t s = b->f->order[n];
		const Home h = b->unrolled->home[s].kind ? b->unrolled->home[s] : b->homes->home[s];
		if (b->unrolled->home[s].kind ? !h.of : !bits_has(b->chosen, s))
			continue;
		for (uint32_t i = b->f->blocks[s].first; i < b->f->blocks[s].end; i++)
			count_inst(b, s, i, h);
	}
}

int
machine_compare(const Machine_place *a, const Machine_place *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return a->way < b->way ? -1 : a->way > b->way;
}

static int
by_place(const void *a, const void *b)
{
	return machine_compare(a, b);
}

/* Sorts the places and merges equal ones. */
static void
keep_places(Build *b, Arena *a)
{
	Machine *to = b->to;
	uint32_t extras = 0;
	to->places = arena_array(a, b->places.n + 1, sizeof *to->places);
	to->extra = arena_array(a, b->extra.n + 1, sizeof *to->extra);
	if (b->places.n)
		qsort(b->places.at, b->places.n, sizeof *b->places.at, by_place);
	for (uint32_t k = 0; k < b->places.n; k++) {
		const Machine_place *from = &b->places.at[k];
		if (!k || machine_compare(from, &b->places.at[k - 1])) {
			to->places[to->nplaces] = *from;
			to->places[to->nplaces].first = extras;
			to->places[to->nplaces++].n = 0;
		}
		memcpy(to->extra + extras, b->extra.at + from->first, from->n * sizeof *to->extra);
		extras += from->n;
		to->places[to->nplaces - 1].n += from->n;
	}
}

static void
keep(Build *b, Arena *a)
{
	Machine *to = b->to;
	keep_places(b, a);
	to->nopen = b->open.n;
	to->open = arena_array(a, b->open.n + 1, sizeof *to->open);
	if (b->open.n)
		memcpy(to->open, b->open.at, b->open.n * sizeof *to->open);
	to->nloops = b->loops.n;
	to->loops = arena_array(a, b->loops.n + 1, sizeof *to->loops);
	if (b->loops.n)
		memcpy(to->loops, b->loops.at, b->loops.n * sizeof *to->loops);
	vec_free(&b->loops);
	vec_free(&b->unrolled->loops);
	vec_free(&b->open);
	vec_free(&b->places);
	vec_free(&b->extra);
}

/* ---- the whole function ---------------------------------------------------------------------- */

/* Finds PTX branches that the machine code lacks. */
static void
find_over(Build *b)
{
	for (uint32_t t = 1; t < b->g->nblocks; t++)
		bits_set(b->to->over, t);
	for (uint32_t s = 0; s < b->f->nblocks; s++)
		if (b->homes->branch[s])
			bits_unset(b->to->over, b->homes->branch[s]);
}

/* Counts the code for lanes that arrive diverged at a vote or warp barrier: each group executes the
 * code up to the wait, all together the code after it, up to the branch back. */
static void
count_apart(Build *b, uint32_t inst)
{
	enum { MOST = 64 };
	const Sass *s = b->f->sass;
	const Func *f = &b->g->m->funcs[b->g->func];
	uint32_t at = s->targets.at[s->insts.at[inst].to], alone = 0, n = 0;
	const Sass_inst *i = &s->insts.at[at];
	for (; at + n < s->insts.n && n < MOST && (i[n].kind != SASS_BRA || i[n].guarded); n++)
		if (i[n].kind == SASS_COLLECT && !alone)
			alone = n + 2; /* including the BSYNC that follows */
	uint32_t stmt = statement_at(b->g, b->line_of, i->line);
	if (!stmt || !alone || alone > n)
		return;
	b->to->alone[ptx_local_stmt(f, stmt)] = (uint8_t)alone;
	/* plus the branch back, minus the instruction that this code replaces */
	b->to->together[ptx_local_stmt(f, stmt)] = (uint8_t)(n - alone);
}

static void
count_all_apart(Build *b)
{
	for (uint32_t n = 0; n < b->f->norder; n++) {
		const Sass_block *k = &b->f->blocks[b->f->order[n]];
		for (uint32_t i = k->first; i < k->end; i++)
			if (b->f->sass->insts.at[i].kind == SASS_APART &&
				b->f->sass->insts.at[i].nto)
				count_apart(b, i);
	}
}

/* ---- reconvergence --------------------------------------------------------------------------- */

/* Returns the PTX block at whose beginning lanes reconverge that continue at machine-code block m;
 * 0: unknown. Their BSYNC precedes m. */
static uint32_t
begins(const Build *b, uint32_t m)
{
	uint32_t at = m && bits_has(b->homes->arrives, m - 1) ? m - 1 : m;
	const Home *h = &b->homes->home[at];
	return h->kind == HOME_BLOCK && h->copy == at ? h->of : 0;
}

static void
add_open(Build *b, Home at, uint32_t meet)
{
	Machine_open o = { { kinds[at.kind], at.of, at.way, 0, 0 }, meet };
	for (uint32_t k = 0; k < b->open.n; k++)
		if (!machine_compare(&b->open.at[k].at, &o.at) && b->open.at[k].meet == meet)
			return;
	*vec_push(&b->open) = o;
}

static uint32_t
block_at(const Build *b, uint32_t inst)
{
	uint32_t s = 0;
	while (s + 1 < b->f->nblocks && b->f->blocks[s].first != inst)
		s++;
	return s;
}

/* A BSSY determines where lanes reconverge. Where the PTX block at its target is unknown, and at
 * branches that machine code lacks, the immediate post-dominator does. */
static void
find_meetings(Build *b, const Dom *d)
{
	for (uint32_t t = 1; t < b->g->nblocks; t++)
		b->to->meet[t] = d->ipdom[t];
	for (uint32_t n = 0; n < b->f->norder; n++) {
		uint32_t s = b->f->order[n], t = b->homes->branch[s], m = b->f->blocks[s].meet;
		const Home *h = &b->homes->home[s];
		if (t && (!m || begins(b, m - 1)))
			b->to->meet[t] = 0;
		for (uint32_t i = b->f->blocks[s].first; i < b->f->blocks[s].end && h->kind; i++) {
			const Sass_inst *x = &b->f->sass->insts.at[i];
			uint32_t meet = x->kind == SASS_BSSY && x->nto ?
				begins(b, block_at(b, b->f->sass->targets.at[x->to])) :
				0;
			if (meet)
				add_open(b, *h, meet);
		}
	}
}

/* Finds where lanes arrive that leave an unrolled loop. */
static void
find_loops(Build *b, const Loops *l)
{
	for (uint32_t k = 0; k < b->unrolled->loops.n; k++) {
		const Unrolled_loop *u = &b->unrolled->loops.at[k];
		BITS_EACH (x, l->loops[u->loop].blocks) {
			CFG_SUCC(b->g, x, to)
			{
				if (to && !loop_contains(l, u->loop, to))
					*vec_push(&b->loops) =
						(Machine_loop){ u->block, to, u->first, 0 };
			}
		}
	}
}

static Machine *
listed_new(const Cfg *g, Arena *a)
{
	Machine *to = machine_new(g, a);
	uint32_t n = g->m->funcs[g->func].nstmt;
	to->slots = arena_array(a, n + 1, sizeof *to->slots);
	to->alone = arena_array(a, n + 1, sizeof *to->alone);
	to->together = arena_array(a, n + 1, sizeof *to->together);
	to->on = arena_array(a, n + 1, sizeof *to->on);
	to->routine = arena_array(a, n + 1, sizeof *to->routine);
	to->meet = arena_array(a, g->nblocks, sizeof *to->meet);
	to->arrive = arena_array(a, g->nblocks, sizeof *to->arrive);
	return to;
}

/* Whether the home and the PTX line of most of the code are known. */
static bool
is_understood(const Build *b)
{
	uint32_t known = 0, all = 0;
	for (uint32_t n = 0; n < b->f->norder; n++) {
		const Sass_block *k = &b->f->blocks[b->f->order[n]];
		all += k->end - k->first;
		for (uint32_t i = k->first; i < k->end; i++)
			known +=
				b->homes->home[b->f->order[n]].kind && b->f->sass->insts.at[i].line;
	}
	return known >= all - all / 10;
}

Machine *
machine_listed(const Sass *s, const Cfg *g, const Dom *d, Arena *a)
{
	size_t n;
	const char *name = ptx_name(g->m, g->m->funcs[g->func].sym, &n);
	const Sass_func *f = sass_find(s, name, n);
	Build b = { .g = g, .f = f ? sass_flow(s, f, a) : NULL };
	if (!b.f)
		return NULL;
	find_statements(&b, a);
	b.homes = homes_find(b.f, g, d, a);
	if (!is_understood(&b))
		return NULL;
	const Loops *l = loop_build(g, d, a);
	b.unrolled = unrolled_find(b.f, g, l, b.homes, a);
	b.chosen = copies_choose(b.f, b.homes, b.unrolled, a);
	b.to = listed_new(g, a);
	count_all(&b);
	count_all_apart(&b);
	find_over(&b);
	find_meetings(&b, d);
	find_loops(&b, l);
	keep(&b, a);
	return b.to;
}
