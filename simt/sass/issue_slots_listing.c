/* SPDX-License-Identifier: MIT */
/* Builds Issue_slots from a listing of the machine code, instead of the rules of
 * issue_slots_rules.c.
 *
 * Each block of machine code is counted at its PTX location (block_map.h): an instruction with its
 * statement if that is at the location, otherwise apart from it. duplicate_blocks.h selects among
 * several copies of a location. */
#include <stdlib.h>
#include <string.h>
#include "simt/sass/duplicate_blocks.h"
#include "simt/sass/issue_slots.h"
#include "simt/sass/slow_paths.h"

typedef struct {
	const Cfg *g;
	Sass_flow *f;
	uint32_t *line_of; /* by ptx_local_stmt */
	Sass_block_map *block_map;
	Issue_slots *to;
	Unrolled_loops *unrolled;
	Bits chosen; /* blocks of machine code that are counted: duplicate_blocks.h */
	VEC(Slot_place) places;
	VEC(Slot_entry) extra;
	VEC(Open_reconvergence) open;
	VEC(Unrolled_count) loops;
} Slot_mapper;

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
map_lines(Slot_mapper *b, Arena *a)
{
	const Func *f = &b->g->m->funcs[b->g->func];
	const Sass_block *last = &b->f->blocks[b->f->nblocks - 1];
	uint32_t first = b->f->blocks[0].first, col;
	b->line_of = arena_array(a, f->nstmt + 1, sizeof *b->line_of);
	for (uint32_t i = 0; i < f->nstmt; i++)
		source_text_position(
			b->g->m->src, b->g->m->stmts[f->stmt + i].at.pos, &b->line_of[i], &col);
	b->f->stmt_of = arena_array(a, last->end - first + 1, sizeof *b->f->stmt_of);
	for (uint32_t i = first; i < last->end; i++)
		b->f->stmt_of[i - first] =
			statement_at(b->g, b->line_of, b->f->sass->insts.at[i].line);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static Slot_place *
place_of_location(Slot_mapper *b, uint32_t kind, Ptx_location h)
{
	Slot_place *p = b->places.n ? &b->places.at[b->places.n - 1] : NULL;
	if (!p || p->kind != kind || p->index != h.index || p->successor != h.successor) {
		p = vec_push(&b->places);
		*p = (Slot_place){ (uint8_t)kind, h.index, h.successor, b->extra.n, 0 };
	}
	return p;
}

static void
add_extra(Slot_mapper *b, Slot_place *p, uint32_t stmt, bool on)
{
	Slot_entry *x = NULL;
	for (uint32_t k = p->first; k < p->first + p->n && !x; k++)
		x = b->extra.at[k].stmt == stmt ? &b->extra.at[k] : NULL;
	if (!x) {
		x = vec_push(&b->extra);
		*x = (Slot_entry){ .stmt = stmt };
		p->n++;
	}
	x->slots++;
	x->active = (uint16_t)(x->active + on);
}

static const uint8_t kinds[] = { [LOCATION_BLOCK] = SLOT_BLOCK,
	[LOCATION_EDGE] = SLOT_EDGE,
	[LOCATION_GUARD] = SLOT_GUARD,
	[LOCATION_PREDICATED_OFF] = SLOT_PREDICATED_OFF,
	[LOCATION_SLOW_PATH] = SLOT_SLOW_PATH,
	[LOCATION_FAST_PATH] = SLOT_FAST_PATH,
	[LOCATION_UNROLLED] = SLOT_UNROLLED };

/* Whether the location is a statement, or executed only by some lanes of one. */
static bool
location_is_stmt(Ptx_location h)
{
	return h.kind >= LOCATION_GUARD && h.kind <= LOCATION_FAST_PATH;
}

/* Counts an instruction of a block at location h. An instruction that is predicated there, but not
 * in the PTX, is active when its statement is. */
static void
count_inst_at(Slot_mapper *b, uint32_t s, uint32_t inst, Ptx_location h)
{
	const Func *f = &b->g->m->funcs[b->g->func];
	uint32_t stmt = sass_stmt(b->f, inst);
	uint32_t block = location_is_stmt(h) ? cfg_block_of(b->g, h.index) : h.index;
	if (!stmt)
		stmt = b->g->blocks[block].stmt;
	uint32_t local = ptx_local_stmt(f, stmt);
	bool here = cfg_block_of(b->g, stmt) == block && h.kind == LOCATION_BLOCK;
	bool of_block = h.kind == LOCATION_BLOCK || h.kind == LOCATION_EDGE;
	bool predicated = !here && b->f->sass->insts.at[inst].guarded && of_block;
	if (bits_has(b->block_map->reconverging, s)) {
		b->to->reconvergence_slots[block]++;
	} else if (here) {
		b->to->slots[local]++;
		b->to->active_slots[local]++;
	} else {
		add_extra(b, place_of_location(b, kinds[h.kind], h), stmt, !predicated);
		b->to->active_slots[local] = (uint16_t)(b->to->active_slots[local] + predicated);
	}
}

/* Counts an instruction as it is executed: at a block where lanes reconverge after diverging at a
 * statement, by each of the groups. A routine that is not the slow path of its statement is called
 * by all arriving lanes. */
static void
count_inst(Slot_mapper *b, uint32_t s, uint32_t inst, Ptx_location h)
{
	const Sass_inst *i = &b->f->sass->insts.at[inst];
	const Ptx_location *some = &b->block_map->paths[s];
	/* a routine missing in the listing has no steps */
	uint32_t routine = i->nto ? b->f->sass->targets.at[i->to] : b->f->sass->insts.n;
	uint32_t stmt = sass_stmt(b->f, inst), steps = 0;
	if (some->kind) {
		uint8_t others = some->kind == LOCATION_SLOW_PATH ? LOCATION_FAST_PATH :
								    LOCATION_PREDICATED_OFF;
		count_inst_at(b, s, inst, *some);
		count_inst_at(
			b, s, inst, (Ptx_location){ others, some->index, some->successor, s });
		return;
	}
	if (i->kind == SASS_ROUTINE && h.kind == LOCATION_SLOW_PATH)
		b->to->routine[ptx_local_stmt(&b->g->m->funcs[b->g->func], h.index)] = routine + 1;
	else if (i->kind == SASS_ROUTINE && stmt)
		steps = slow_path_steps(b->f->sass, routine, 0, 0);
	for (uint32_t n = 0; n <= steps; n++)
		count_inst_at(b, s, inst, h);
}

static void
count_all(Slot_mapper *b)
{
	for (uint32_t n = 0; n < b->f->norder; n++) {
		uint32_t s = b->f->order[n];
		const Ptx_location h = b->unrolled->location[s].kind ? b->unrolled->location[s] :
								       b->block_map->location[s];
		if (b->unrolled->location[s].kind ? !h.index : !bits_has(b->chosen, s))
			continue;
		for (uint32_t i = b->f->blocks[s].first; i < b->f->blocks[s].end; i++)
			count_inst(b, s, i, h);
	}
}

int
issue_slots_compare_places(const Slot_place *a, const Slot_place *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->successor < b->successor ? -1 : a->successor > b->successor;
}

static int
by_place(const void *a, const void *b)
{
	return issue_slots_compare_places(a, b);
}

static int
by_place_and_number(const void *a, const void *b)
{
	const Open_reconvergence *x = a, *y = b;
	int order = issue_slots_compare_places(&x->at, &y->at);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

void
issue_slots_set_open(Issue_slots *to, const Open_reconvergence *open, uint32_t n, Arena *a)
{
	to->nopen = n;
	to->open = arena_array(a, n + 1, sizeof *to->open);
	for (uint32_t k = 0; k < n; k++) {
		to->open[k] = open[k];
		to->open[k].number = k;
	}
	qsort(to->open, n, sizeof *to->open, by_place_and_number);
}

/* Sorts the places and merges equal ones. */
static void
sort_places(Slot_mapper *b, Arena *a)
{
	Issue_slots *to = b->to;
	uint32_t extras = 0;
	to->places = arena_array(a, b->places.n + 1, sizeof *to->places);
	to->extra = arena_array(a, b->extra.n + 1, sizeof *to->extra);
	if (b->places.n)
		qsort(b->places.at, b->places.n, sizeof *b->places.at, by_place);
	for (uint32_t k = 0; k < b->places.n; k++) {
		const Slot_place *from = &b->places.at[k];
		if (!k || issue_slots_compare_places(from, &b->places.at[k - 1])) {
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
store_table(Slot_mapper *b, Arena *a)
{
	Issue_slots *to = b->to;
	sort_places(b, a);
	issue_slots_set_open(to, b->open.at, b->open.n, a);
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
find_missing_branches(Slot_mapper *b)
{
	for (uint32_t t = 1; t < b->g->nblocks; t++)
		bits_set(b->to->folded_branch, t);
	for (uint32_t s = 0; s < b->f->nblocks; s++)
		if (b->block_map->branch[s])
			bits_unset(b->to->folded_branch, b->block_map->branch[s]);
}

/* Counts the code for lanes that arrive diverged at a vote or warp barrier: each group executes the
 * code up to the wait, all together the code after it, up to the branch back. */
static void
count_divergent_collective(Slot_mapper *b, uint32_t inst)
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
	b->to->divergent_slots[ptx_local_stmt(f, stmt)] = (uint8_t)alone;
	/* plus the branch back, minus the instruction that this code replaces */
	b->to->converged_slots[ptx_local_stmt(f, stmt)] = (uint8_t)(n - alone);
}

static void
count_divergent_collectives(Slot_mapper *b)
{
	for (uint32_t n = 0; n < b->f->norder; n++) {
		const Sass_block *k = &b->f->blocks[b->f->order[n]];
		for (uint32_t i = k->first; i < k->end; i++)
			if (b->f->sass->insts.at[i].kind == SASS_APART &&
				b->f->sass->insts.at[i].nto)
				count_divergent_collective(b, i);
	}
}

/* ---- reconvergence --------------------------------------------------------------------------- */

static uint32_t
block_at(const Slot_mapper *b, uint32_t inst)
{
	uint32_t s = 0;
	while (s + 1 < b->f->nblocks && b->f->blocks[s].first != inst)
		s++;
	return s;
}

/* Returns the PTX block at whose beginning machine-code block m is; 0: unknown. */
static uint32_t
block_beginning_at(const Slot_mapper *b, uint32_t m)
{
	const Ptx_location *h = &b->block_map->location[m];
	return h->kind == LOCATION_BLOCK && bits_has(b->block_map->beginning, m) ? h->index : 0;
}

/* Returns the target of machine-code block m if that is only the branch back that ptxas adds at the
 * end of a loop with several back edges; else m. */
static uint32_t
skip_added_latch(const Slot_mapper *b, uint32_t m)
{
	const Sass_block *k = &b->f->blocks[m];
	const Sass_inst *i = &b->f->sass->insts.at[k->first];

	if (k->end != k->first + 1 || i->kind != SASS_BRA || i->guarded || !i->nto)
		return m;
	uint32_t to = block_at(b, b->f->sass->targets.at[i->to]);
	return sass_dominates(b->f, to, m) ? to : m;
}

/* Returns the PTX block at whose beginning lanes reconverge that continue at machine-code block m;
 * 0: unknown. Their BSYNC precedes m. */
static uint32_t
block_meets_at(const Slot_mapper *b, uint32_t m)
{
	uint32_t header = skip_added_latch(b, m), at = block_beginning_at(b, header);

	if (!at && header == m && m && bits_has(b->block_map->reconverging, m - 1))
		at = block_beginning_at(b, m - 1);
	return at;
}

static void
add_open_barrier(Slot_mapper *b, Ptx_location at, uint32_t meet)
{
	Open_reconvergence o = { { kinds[at.kind], at.index, at.successor, 0, 0 }, meet, 0 };
	for (uint32_t k = 0; k < b->open.n; k++)
		if (!issue_slots_compare_places(&b->open.at[k].at, &o.at) &&
			b->open.at[k].meet == meet)
			return;
	*vec_push(&b->open) = o;
}

/* A BSSY determines where lanes reconverge. Where the PTX block at its target is unknown, and at
 * branches that machine code lacks, the immediate post-dominator does. */
static void
find_reconvergence(Slot_mapper *b, const Dom *d)
{
	for (uint32_t t = 1; t < b->g->nblocks; t++)
		b->to->meet[t] = d->ipdom[t];
	for (uint32_t n = 0; n < b->f->norder; n++) {
		uint32_t s = b->f->order[n], t = b->block_map->branch[s], m = b->f->blocks[s].meet;
		const Ptx_location *h = &b->block_map->location[s];
		if (t && (!m || block_meets_at(b, m - 1)))
			b->to->meet[t] = 0;
		for (uint32_t i = b->f->blocks[s].first; i < b->f->blocks[s].end && h->kind; i++) {
			const Sass_inst *x = &b->f->sass->insts.at[i];
			uint32_t meet = x->kind == SASS_BSSY && x->nto ?
				block_meets_at(b, block_at(b, b->f->sass->targets.at[x->to])) :
				0;
			if (meet)
				add_open_barrier(b, *h, meet);
		}
	}
}

/* Finds where lanes arrive that leave an unrolled loop. */
static void
find_loops(Slot_mapper *b, const Loops *l)
{
	for (uint32_t k = 0; k < b->unrolled->loops.n; k++) {
		const Unrolled_loop *u = &b->unrolled->loops.at[k];
		BITS_EACH (x, l->loops[u->loop].blocks) {
			CFG_SUCC(b->g, x, to)
			{
				if (to && !loop_contains(l, u->loop, to))
					*vec_push(&b->loops) =
						(Unrolled_count){ u->block, to, u->first, 0 };
			}
		}
	}
}

static Issue_slots *
listed_new(const Cfg *g, Arena *a)
{
	Issue_slots *to = issue_slots_new(g, a);
	uint32_t n = g->m->funcs[g->func].nstmt;
	to->slots = arena_array(a, n + 1, sizeof *to->slots);
	to->divergent_slots = arena_array(a, n + 1, sizeof *to->divergent_slots);
	to->converged_slots = arena_array(a, n + 1, sizeof *to->converged_slots);
	to->active_slots = arena_array(a, n + 1, sizeof *to->active_slots);
	to->routine = arena_array(a, n + 1, sizeof *to->routine);
	to->meet = arena_array(a, g->nblocks, sizeof *to->meet);
	to->reconvergence_slots = arena_array(a, g->nblocks, sizeof *to->reconvergence_slots);
	return to;
}

/* Whether the PTX location and line of most of the code are known. */
static bool
is_understood(const Slot_mapper *b)
{
	uint32_t known = 0, all = 0;
	for (uint32_t n = 0; n < b->f->norder; n++) {
		const Sass_block *k = &b->f->blocks[b->f->order[n]];
		all += k->end - k->first;
		for (uint32_t i = k->first; i < k->end; i++)
			known += b->block_map->location[b->f->order[n]].kind &&
				b->f->sass->insts.at[i].line;
	}
	return known >= all - all / 10;
}

Issue_slots *
issue_slots_from_listing(const Sass *s, const Cfg *g, const Dom *d, Arena *a)
{
	size_t n;
	const char *name = ptx_name(g->m, g->m->funcs[g->func].sym, &n);
	const Sass_func *f = sass_find(s, name, n);
	Slot_mapper b = { .g = g, .f = f ? sass_flow(s, f, a) : NULL };
	if (!b.f)
		return NULL;
	map_lines(&b, a);
	b.block_map = sass_block_map_build(b.f, g, d, a);
	if (!is_understood(&b))
		return NULL;
	const Loops *l = loop_build(g, d, a);
	b.unrolled = unroll_detect(b.f, g, l, b.block_map, a);
	b.chosen = sass_duplicates_choose(b.f, b.block_map, b.unrolled, a);
	b.to = listed_new(g, a);
	count_all(&b);
	count_divergent_collectives(&b);
	find_missing_branches(&b);
	find_reconvergence(&b, d);
	find_loops(&b, l);
	store_table(&b, a);
	return b.to;
}
