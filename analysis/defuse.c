/* Definitions and the uses they reach; see defuse.h.
 *
 * Reaching definitions, register by register: the register's live region is found backwards from the blocks that read it
 * first, then sets of its own definitions (mostly one, so a machine word) run forwards inside that region until nothing
 * changes. The time is near that of liveness; no set covers all definitions of the function.
 * Edges from unreachable blocks into reachable ones carry nothing.
 */
#include <string.h>
#include "analysis/defuse.h"
#include "analysis/refs.h"
#include "base/bits.h"
#include "base/vec.h"

typedef VEC(uint32_t) Ids;

/* Scratch of defuse_reaching. */
struct Defuse_walk { Bits seen; uint32_t *stack; };

/* What one block does to the register at hand; indices count the register's definitions from 0. */
typedef struct {
	uint32_t reg;           /* 1 + the register this is about, else the entry is stale */
	bool live;              /* live into the block: in the region */
	bool read;              /* read before any killing definition */
	bool kill;
	bool queued;
	uint32_t gen, ngen;     /* definitions that reach the end of the block: gen .. gen + ngen */
	Bits in;                /* definitions that reach the start */
} Part;

typedef struct {
	const Cfg *g;
	const Func *f;
	Defuse *du;
	Arena *tmp;
	Part *part;             /* by block */
	Ids region, queue;      /* blocks */
	Ids reach;
	VEC(Merge) merges;
	uint32_t *uses_of_sym;  /* like defs_of_sym, into uses */
	uint32_t *uses;
	uint32_t reg, ndefs;    /* the register at hand; its definitions, the pseudo-definition last */
	const uint32_t *defs;
	Bits set;               /* scratch over them */
} Build;

/* ---- numbering --------------------------------------------------------------------------------------------------- */

static void
number(Build *b, const Refs *r, Arena *a)
{
	Defuse *du = b->du;
	uint32_t nregs = 0, ndefs = 1, nuses = 1;

	for (uint32_t i = 0; i < b->f->nsym; i++)
		nregs += ptx_is_reg_of(b->g->m, b->f, b->f->sym0 + i);
	for (uint32_t i = 0; i < r->nrefs; i++) {
		ndefs += (r->refs[i].flags & REF_WRITE) != 0;
		nuses += (r->refs[i].flags & REF_READ) != 0;
	}
	du->defs = arena_array(a, (size_t)ndefs + nregs, sizeof *du->defs);
	du->uses = arena_array(a, nuses, sizeof *du->uses);
	du->def_of_stmt = arena_array(a, b->f->nstmt, sizeof *du->def_of_stmt);
	du->use_of_stmt = arena_array(a, b->f->nstmt, sizeof *du->use_of_stmt);
	du->ndefs = du->nuses = 1;
	for (uint32_t i = 0; i < r->nrefs; i++) {
		const Ref *x = &r->refs[i];
		uint32_t at = x->stmt - b->f->stmt;
		if (x->flags & REF_WRITE) {
			if (!du->def_of_stmt[at])
				du->def_of_stmt[at] = du->ndefs;
			du->defs[du->ndefs++] = (Def){ x->stmt, x->sym, x->flags & REF_KILL };
		}
		if (x->flags & REF_READ) {
			if (!du->use_of_stmt[at])
				du->use_of_stmt[at] = du->nuses;
			du->uses[du->nuses++] = (Use){ .stmt = x->stmt, .sym = x->sym };
		}
	}
	for (uint32_t i = 0; i < b->f->nsym; i++)
		if (ptx_is_reg_of(b->g->m, b->f, b->f->sym0 + i))
			du->defs[du->ndefs++] = (Def){ 0, b->f->sym0 + i, true };
}

/* Groups definitions and uses by register; text order within a register, its pseudo-definition last. */
static void
group(Build *b, Arena *a)
{
	Defuse *du = b->du;
	uint32_t n = b->f->nsym, *d, *u;

	d = du->defs_of_sym = arena_array(a, n + 2u, sizeof *d);
	u = b->uses_of_sym = arena_array(b->tmp, n + 2u, sizeof *u);
	du->by_sym = arena_array(a, du->ndefs, sizeof *du->by_sym);
	b->uses = arena_array(b->tmp, du->nuses, sizeof *b->uses);
	for (uint32_t i = 1; i < du->ndefs; i++)
		d[du->defs[i].sym - b->f->sym0 + 2]++;
	for (uint32_t i = 1; i < du->nuses; i++)
		u[du->uses[i].sym - b->f->sym0 + 2]++;
	for (uint32_t i = 2; i < n + 2; i++) {
		d[i] += d[i - 1];
		u[i] += u[i - 1];
	}
	for (uint32_t i = 1; i < du->ndefs; i++)
		du->by_sym[d[du->defs[i].sym - b->f->sym0 + 1]++] = i;
	for (uint32_t i = 1; i < du->nuses; i++)
		b->uses[u[du->uses[i].sym - b->f->sym0 + 1]++] = i;
}

/* ---- one register ------------------------------------------------------------------------------------------------- */

static uint32_t
block_of(const Build *b, uint32_t stmt)
{
	return b->g->block_of[stmt - b->f->stmt];
}

static Part *
part_of(Build *b, uint32_t block)
{
	Part *p = &b->part[block];

	if (p->reg != b->reg + 1)
		*p = (Part){ .reg = b->reg + 1 };
	return p;
}

static void
note_def(Build *b, uint32_t k)
{
	const Def *d = &b->du->defs[b->defs[k]];
	Part *p = part_of(b, block_of(b, d->stmt));

	if (d->kills) {
		p->kill = true;
		p->ngen = 0;
	}
	if (!p->ngen)
		p->gen = k;
	p->ngen++;
}

/* Marks what the blocks do: definitions and uses in text order, a use before a definition of the same statement. */
static void
note_events(Build *b)
{
	uint32_t k = 0, end = b->ndefs - 1;     /* the pseudo-definition is no event */

	for (uint32_t i = b->uses_of_sym[b->reg]; i < b->uses_of_sym[b->reg + 1]; i++) {
		uint32_t stmt = b->du->uses[b->uses[i]].stmt;
		for (; k < end && b->du->defs[b->defs[k]].stmt < stmt; k++)
			note_def(b, k);
		Part *p = part_of(b, block_of(b, stmt));
		if (!p->kill)
			p->read = true;
	}
	for (; k < end; k++)
		note_def(b, k);
}

static void
enter_region(Build *b, uint32_t block)
{
	Part *p = part_of(b, block);

	if (p->live)
		return;
	p->live = true;
	p->in = bits_new(b->tmp, b->ndefs);
	*vec_push(&b->region) = block;
}

/* Does an edge from p to block carry definitions? */
static bool
carries(const Cfg *g, uint32_t p, uint32_t block)
{
	return g->rpo_index[p] != UINT32_MAX || g->rpo_index[block] == UINT32_MAX;
}

static void
find_region(Build *b)
{
	b->region.n = 0;
	for (uint32_t i = b->uses_of_sym[b->reg]; i < b->uses_of_sym[b->reg + 1]; i++) {
		uint32_t block = block_of(b, b->du->uses[b->uses[i]].stmt);
		if (part_of(b, block)->read)
			enter_region(b, block);
	}
	for (uint32_t i = 0; i < b->region.n; i++) {
		const Block *k = &b->g->blocks[b->region.at[i]];
		for (uint32_t e = k->pred; e < k->pred + k->npred; e++)
			if (!part_of(b, b->g->edges[e])->kill)
				enter_region(b, b->g->edges[e]);
	}
}

static void
add_range(Bits set, uint32_t first, uint32_t n)
{
	for (uint32_t k = first; k < first + n; k++)
		bits_set(set, k);
}

/* What enters the blocks of the region from the definitions themselves. */
static void
seed(Build *b)
{
	b->queue.n = 0;
	for (uint32_t i = 0; i < b->region.n; i++) {
		uint32_t block = b->region.at[i];
		const Block *k = &b->g->blocks[block];
		Part *p = part_of(b, block);
		for (uint32_t e = k->pred; e < k->pred + k->npred; e++) {
			const Part *from = part_of(b, b->g->edges[e]);
			if (carries(b->g, b->g->edges[e], block))
				add_range(p->in, from->gen, from->ngen);
		}
		if (block == 1)
			add_range(p->in, b->ndefs - 1, 1);
		p->queued = true;
		*vec_push(&b->queue) = block;
	}
}

/* Lets the sets run forwards through blocks that do not kill. */
static void
propagate(Build *b)
{
	while (b->queue.n) {
		uint32_t block = *vec_pop(&b->queue);
		Part *p = part_of(b, block);
		p->queued = false;
		if (p->kill)
			continue;
		for (uint32_t i = 0; i < b->g->blocks[block].nsucc; i++) {
			uint32_t to = cfg_succ(b->g, block)[i];
			Part *t = part_of(b, to);
			if (!t->live || !carries(b->g, block, to) || !bits_or(t->in, p->in) || t->queued)
				continue;
			t->queued = true;
			*vec_push(&b->queue) = to;
		}
	}
}

/* Appends a set to the lists; how many it has. */
static uint32_t
list_set(Build *b, Bits set)
{
	uint32_t before = b->reach.n;

	BITS_EACH(k, set)
		*vec_push(&b->reach) = b->defs[k];
	return b->reach.n - before;
}

/* The definitions that reach a use, from those of its block that count: from .. to. */
static void
link_use(Build *b, Use *u, uint32_t from, uint32_t to)
{
	bool killed = from < to && b->du->defs[b->defs[from]].kills;

	if (killed)
		bits_clear(b->set);
	else
		bits_copy(b->set, part_of(b, block_of(b, u->stmt))->in);
	add_range(b->set, from, to - from);
	u->def = b->reach.n;
	u->ndef = list_set(b, b->set);
}

/* Gives every use its definitions. Uses with nothing in between share a list. */
static void
link_uses(Build *b)
{
	uint32_t block = 0, from = 0, k = 0, end = b->ndefs - 1;
	const Use *last = NULL;

	for (uint32_t i = b->uses_of_sym[b->reg]; i < b->uses_of_sym[b->reg + 1]; i++) {
		Use *u = &b->du->uses[b->uses[i]];
		if (block_of(b, u->stmt) != block) {
			block = block_of(b, u->stmt);
			last = NULL;
			while (k < end && block_of(b, b->du->defs[b->defs[k]].stmt) < block)
				k++;
			from = k;
		}
		for (; k < end && b->du->defs[b->defs[k]].stmt < u->stmt; k++) {
			last = NULL;
			if (b->du->defs[b->defs[k]].kills)
				from = k;
		}
		if (last) {
			u->def = last->def;
			u->ndef = last->ndef;
		} else {
			link_use(b, u, from, k);
		}
		last = u;
	}
}

static void
find_merges(Build *b)
{
	for (uint32_t i = 0; i < b->region.n; i++) {
		uint32_t block = b->region.at[i], first = b->reach.n;
		if (b->g->blocks[block].npred + (block == 1) < 2)
			continue;
		uint32_t n = list_set(b, part_of(b, block)->in);
		if (n < 2)
			b->reach.n = first;
		else
			*vec_push(&b->merges) = (Merge){ block, b->f->sym0 + b->reg, first, n };
	}
}

static void
solve(Build *b)
{
	const uint32_t *first = b->du->defs_of_sym;

	for (b->reg = 0; b->reg < b->f->nsym; b->reg++) {
		Arena_mark mark = arena_mark(b->tmp);
		b->ndefs = first[b->reg + 1] - first[b->reg];
		if (!b->ndefs)
			continue;
		b->defs = b->du->by_sym + first[b->reg];
		b->set = bits_new(b->tmp, b->ndefs);
		note_events(b);
		find_region(b);
		seed(b);
		propagate(b);
		link_uses(b);
		find_merges(b);
		arena_release(b->tmp, mark);
	}
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

static void
store(Build *b, Arena *a)
{
	Defuse *du = b->du;
	uint32_t nblocks = b->g->nblocks, *first = arena_array(a, nblocks + 2u, sizeof *first);

	du->reach = arena_array(a, b->reach.n, sizeof *du->reach);
	if (b->reach.n)
		memcpy(du->reach, b->reach.at, b->reach.n * sizeof *du->reach);
	du->merge_of_block = first;
	du->merges = arena_array(a, b->merges.n, sizeof *du->merges);
	for (uint32_t i = 0; i < b->merges.n; i++)
		first[b->merges.at[i].block + 2]++;
	for (uint32_t i = 2; i < nblocks + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < b->merges.n; i++)
		du->merges[first[b->merges.at[i].block + 1]++] = b->merges.at[i];
	du->walk = arena_zalloc(a, sizeof *du->walk);
	du->walk->seen = bits_new(a, nblocks);
	du->walk->stack = arena_array(a, nblocks + 1u, sizeof *du->walk->stack);
}

Defuse *
defuse_build(const Cfg *g, Arena *a)
{
	Build b = { .g = g, .f = &g->m->funcs[g->func], .tmp = arena_new() };

	b.du = arena_zalloc(a, sizeof *b.du);
	b.part = arena_array(b.tmp, g->nblocks, sizeof *b.part);
	Refs r = refs_build(g->m, g->func, b.tmp);
	number(&b, &r, a);
	group(&b, a);
	solve(&b);
	store(&b, a);
	vec_free(&b.region);
	vec_free(&b.queue);
	vec_free(&b.reach);
	vec_free(&b.merges);
	arena_free(b.tmp);
	return b.du;
}

/* ---- questions ------------------------------------------------------------------------------------------------------ */

const Use *
defuse_use(const Cfg *g, const Defuse *du, uint32_t stmt, uint32_t sym)
{
	uint32_t i = du->use_of_stmt[stmt - g->m->funcs[g->func].stmt];

	for (; i && i < du->nuses && du->uses[i].stmt == stmt; i++)
		if (du->uses[i].sym == sym)
			return &du->uses[i];
	return NULL;
}

typedef struct { uint32_t *out, n, cap; } Found;

static void
found(Found *r, uint32_t def)
{
	if (r->n < r->cap)
		r->out[r->n] = def;
	r->n++;
}

/* Adds the definitions of a register, by_sym[first .. end), that reach the end of block k from inside it; does one kill? */
static bool
from_block(const Defuse *du, const Block *k, uint32_t first, uint32_t end, Found *r)
{
	uint32_t lo = first, hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (du->defs[du->by_sym[mid]].stmt < k->end)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- > first && du->defs[du->by_sym[lo]].stmt >= k->stmt) {
		found(r, du->by_sym[lo]);
		if (du->defs[du->by_sym[lo]].kills)
			return true;
	}
	return false;
}

uint32_t
defuse_reaching(const Cfg *g, const Defuse *du, uint32_t block, uint32_t sym, uint32_t *out, uint32_t cap)
{
	uint32_t i = sym - g->m->funcs[g->func].sym0, n = 0;
	uint32_t first = du->defs_of_sym[i], end = du->defs_of_sym[i + 1] - 1;
	Found r = { out, 0, cap };
	Bits seen = du->walk->seen;     /* blocks whose end was looked at */
	bool entry = false;

	if (du->defs_of_sym[i] == du->defs_of_sym[i + 1])
		return 0;
	bits_clear(seen);
	du->walk->stack[n++] = block;
	while (n) {
		const Block *k = &g->blocks[block = du->walk->stack[--n]];
		if (block == 1 && !entry)
			found(&r, du->by_sym[end]);
		entry |= block == 1;
		for (uint32_t e = k->pred; e < k->pred + k->npred; e++) {
			uint32_t p = g->edges[e];
			if (bits_has(seen, p) || !carries(g, p, block))
				continue;
			bits_set(seen, p);
			if (!from_block(du, &g->blocks[p], first, end, &r))
				du->walk->stack[n++] = p;
		}
	}
	return r.n;
}
