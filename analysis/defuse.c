/* SPDX-License-Identifier: MIT */
/* Definitions and the uses they reach; see defuse.h.
 *
 * Reaching definitions, register by register: the register's live region is found backwards from the blocks that read it
 * first, then sets of its own definitions (mostly one, so a machine word) run forwards inside that region until nothing
 * changes. The time is near that of liveness; no set covers all definitions of the function.
 * Edges from unreachable blocks into reachable ones carry nothing.
 */
#include <string.h>
#include "analysis/fn.h"
#include "base/bits.h"
#include "base/vec.h"

typedef VEC(uint32_t) Ids;

struct Defuse_walk { Bits seen; uint32_t *stack, *found, n; };

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
	VEC(Users) users;       /* by index in reach: the uses that find the definition by this list */
	VEC(Merge) merges;
	uint32_t *uses_of_sym;  /* like defs_of_sym, into uses */
	uint32_t reg, ndefs;    /* the register at hand; its definitions, the pseudo-definition last */
	const uint32_t *defs;
} Build;

/* ---- numbering --------------------------------------------------------------------------------------------------- */

/* What a statement does with a register. */
typedef struct { bool reads, writes, kills; } Does;

static Does
does(const Build *b, const Refs *refs, uint32_t stmt, uint32_t sym)
{
	Does d = { false, false, false };

	REFS_EACH(refs, stmt, r) {
		if (r->sym != sym)
			continue;
		d.reads |= !r->written;
		d.writes |= r->written;
		d.kills |= refs_kills(b->g->m, stmt, r);
	}
	return d;
}

/* Is it the first time that the statement names the register? */
static bool
named_first(const Refs *refs, uint32_t stmt, const Ref *r)
{
	for (const Ref *x = refs_begin(refs, stmt); x < r; x++)
		if (x->sym == r->sym)
			return false;
	return true;
}

static void
number(Build *b, const Refs *refs, Arena *a)
{
	Defuse *du = b->du;
	uint32_t n = refs->of_stmt[b->f->nstmt];

	du->defs = arena_array(a, (size_t)n + 1 + b->f->nsym, sizeof *du->defs);
	du->uses = arena_array(a, n + 1u, sizeof *du->uses);
	du->def_of_stmt = arena_array(a, b->f->nstmt + 1u, sizeof *du->def_of_stmt);
	du->use_of_stmt = arena_array(a, b->f->nstmt + 1u, sizeof *du->use_of_stmt);
	du->ndefs = du->nuses = 1;
	PTX_STMTS(b->f, stmt) {
		du->def_of_stmt[ptx_local_stmt(b->f, stmt)] = du->ndefs;
		du->use_of_stmt[ptx_local_stmt(b->f, stmt)] = du->nuses;
		REFS_EACH(refs, stmt, r) {
			if (!ptx_is_reg_of(b->g->m, b->f, r->sym) || !named_first(refs, stmt, r))
				continue;
			Does d = does(b, refs, stmt, r->sym);
			if (d.writes)
				du->defs[du->ndefs++] = (Def){ stmt, r->sym, d.kills };
			if (d.reads)
				du->uses[du->nuses++] = (Use){ .stmt = stmt, .sym = r->sym };
		}
	}
	du->def_of_stmt[b->f->nstmt] = du->ndefs;
	du->use_of_stmt[b->f->nstmt] = du->nuses;
	PTX_SYMS(b->f, sym)
		if (ptx_is_reg_of(b->g->m, b->f, sym))
			du->defs[du->ndefs++] = (Def){ 0, sym, true };
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
	du->by_reg = arena_array(a, du->nuses, sizeof *du->by_reg);
	for (uint32_t i = 1; i < du->ndefs; i++)
		d[ptx_local_sym(b->f, du->defs[i].sym) + 2]++;
	for (uint32_t i = 1; i < du->nuses; i++)
		u[ptx_local_sym(b->f, du->uses[i].sym) + 2]++;
	for (uint32_t i = 2; i < n + 2; i++) {
		d[i] += d[i - 1];
		u[i] += u[i - 1];
	}
	for (uint32_t i = 1; i < du->ndefs; i++)
		du->by_sym[d[ptx_local_sym(b->f, du->defs[i].sym) + 1]++] = i;
	for (uint32_t i = 1; i < du->nuses; i++)
		du->by_reg[u[ptx_local_sym(b->f, du->uses[i].sym) + 1]++] = i;
}

/* ---- one register ------------------------------------------------------------------------------------------------- */

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
	Part *p = part_of(b, cfg_block_of(b->g, d->stmt));

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
		uint32_t stmt = b->du->uses[b->du->by_reg[i]].stmt;
		for (; k < end && b->du->defs[b->defs[k]].stmt < stmt; k++)
			note_def(b, k);
		Part *p = part_of(b, cfg_block_of(b->g, stmt));
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
		uint32_t block = cfg_block_of(b->g, b->du->uses[b->du->by_reg[i]].stmt);
		if (part_of(b, block)->read)
			enter_region(b, block);
	}
	for (uint32_t i = 0; i < b->region.n; i++) {
		CFG_PRED(b->g, b->region.at[i], p)
			if (!part_of(b, p)->kill)
				enter_region(b, p);
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
		Part *p = part_of(b, block);
		CFG_PRED(b->g, block, from)
			if (carries(b->g, from, block))
				add_range(p->in, part_of(b, from)->gen, part_of(b, from)->ngen);
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
		CFG_SUCC(b->g, block, to) {
			Part *t = part_of(b, to);
			if (!t->live || !carries(b->g, block, to) || !bits_or(t->in, p->in) || t->queued)
				continue;
			t->queued = true;
			*vec_push(&b->queue) = to;
		}
	}
}

/* Appends definition k to the list at hand; i: the first use that it reaches, in by_reg. */
static void
append(Build *b, uint32_t k, uint32_t i)
{
	*vec_push(&b->reach) = b->defs[k];
	*vec_push(&b->users) = (Users){ i, i };
}

/* A list of definitions grows from use to use. */
typedef struct {
	uint32_t block;
	uint32_t next;          /* the definition to look at next */
	uint32_t from;          /* the first one of the block that counts */
	uint32_t added;         /* those before it are in the list */
	uint32_t list;          /* where it begins in reach, */
	bool open;              /* if it does */
} Growing;

/* No use from i on has the list. */
static void
close_list(Build *b, Growing *l, uint32_t i)
{
	for (uint32_t k = l->list; l->open && k < b->reach.n; k++)
		b->users.at[k].end = i;
	l->open = false;
}

/* Comes past the definitions in front of a use. A kill ends the list, and so does the block. */
static void
come_to(Build *b, Growing *l, uint32_t i)
{
	uint32_t stmt = b->du->uses[b->du->by_reg[i]].stmt, block = cfg_block_of(b->g, stmt);
	uint32_t end = b->ndefs - 1;

	if (block != l->block) {
		close_list(b, l, i);
		l->block = block;
		while (l->next < end && cfg_block_of(b->g, b->du->defs[b->defs[l->next]].stmt) < block)
			l->next++;
		l->from = l->next;
	}
	for (; l->next < end && b->du->defs[b->defs[l->next]].stmt < stmt; l->next++)
		if (b->du->defs[b->defs[l->next]].kills) {
			close_list(b, l, i);
			l->from = l->next;
		}
}

/* Gives every use its definitions: those that come into its block, unless one in it kills, and those
 * in front of it there. */
static void
link_uses(Build *b)
{
	Growing l = { 0 };
	uint32_t end = b->uses_of_sym[b->reg + 1];

	for (uint32_t i = b->uses_of_sym[b->reg]; i < end; i++) {
		Use *u = &b->du->uses[b->du->by_reg[i]];
		come_to(b, &l, i);
		bool killed = l.from < l.next && b->du->defs[b->defs[l.from]].kills;
		Bits in = part_of(b, l.block)->in;
		if (!l.open) {
			l.list = b->reach.n;
			l.added = l.from;
			l.open = true;
			if (!killed)
				BITS_EACH(k, in)
					append(b, k, i);
		}
		for (; l.added < l.next; l.added++)
			if (killed || !bits_has(in, l.added))
				append(b, l.added, i);
		u->def = l.list;
		u->ndef = b->reach.n - l.list;
	}
	close_list(b, &l, end);
}

static void
find_merges(Build *b)
{
	for (uint32_t i = 0; i < b->region.n; i++) {
		uint32_t block = b->region.at[i], first = b->reach.n;
		if (b->g->blocks[block].npred + (block == 1) < 2)
			continue;
		Bits in = part_of(b, block)->in;
		BITS_EACH(k, in)
			append(b, k, 0);
		uint32_t n = b->reach.n - first;
		if (n < 2)
			b->reach.n = b->users.n = first;
		else
			*vec_push(&b->merges) = (Merge){ block, ptx_sym_at(b->f, b->reg), first, n };
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

/* Turns the lists of reaching definitions round. */
static void
find_users(Build *b, Arena *a)
{
	Defuse *du = b->du;
	uint32_t *first = du->users_of = arena_array(a, du->ndefs + 2u, sizeof *first);
	const Users *u = b->users.at;

	for (uint32_t i = 0; i < b->reach.n; i++)
		first[du->reach[i] + 2] += u[i].first < u[i].end;
	for (uint32_t d = 2; d < du->ndefs + 2; d++)
		first[d] += first[d - 1];
	du->users = arena_array(a, first[du->ndefs + 1], sizeof *du->users);
	for (uint32_t i = 0; i < b->reach.n; i++)
		if (u[i].first < u[i].end)
			du->users[first[du->reach[i] + 1]++] = u[i];
}

/* The most definitions that a register has. */
static uint32_t
most_defs(const Build *b)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < b->f->nsym; i++) {
		uint32_t n = b->du->defs_of_sym[i + 1] - b->du->defs_of_sym[i];
		most = n > most ? n : most;
	}
	return most;
}

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
	find_users(b, a);
	du->walk = arena_zalloc(a, sizeof *du->walk);
	du->walk->found = arena_array(a, most_defs(b), sizeof *du->walk->found);
	du->walk->seen = bits_new(a, nblocks);
	du->walk->stack = arena_array(a, nblocks + 1u, sizeof *du->walk->stack);
}

Defuse *
defuse_build(const Cfg *g, const Refs *refs, Arena *a)
{
	Build b = { .g = g, .f = &g->m->funcs[g->func], .tmp = arena_new() };

	b.du = arena_zalloc(a, sizeof *b.du);
	b.du->refs = refs;
	b.part = arena_array(b.tmp, g->nblocks, sizeof *b.part);
	number(&b, refs, a);
	group(&b, a);
	solve(&b);
	store(&b, a);
	vec_free(&b.region);
	vec_free(&b.queue);
	vec_free(&b.reach);
	vec_free(&b.users);
	vec_free(&b.merges);
	arena_free(b.tmp);
	return b.du;
}

/* ---- questions ------------------------------------------------------------------------------------------------------ */

uint32_t
defuse_use(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_USES_OF_STMT(fn, stmt, u)
		if (fn->defuse->uses[u].sym == sym)
			return u;
	return 0;
}

static void
found(Defuse *du, uint32_t def)
{
	du->walk->found[du->walk->n++] = def;
}

/* Adds the definitions of a register, by_sym[first .. end), that reach the end of block k from inside it; does one kill? */
static bool
from_block(Defuse *du, const Block *k, uint32_t first, uint32_t end)
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
		found(du, du->by_sym[lo]);
		if (du->defs[du->by_sym[lo]].kills)
			return true;
	}
	return false;
}

/* The definition that is a register's only one, if it stands on every way to the block; 0: it is another case. */
static uint32_t
only_def(const Fn *fn, uint32_t block, uint32_t sym)
{
	const Defuse *du = fn->defuse;
	const uint32_t *of = du->defs_of_sym + fn_local(fn, sym);

	if (of[1] - of[0] != 2) /* and the pseudo-definition */
		return 0;
	const Def *d = &du->defs[du->by_sym[of[0]]];
	uint32_t at = fn_block(fn, d->stmt);
	return d->kills && at != block && dom_dominates(fn->dom, at, block) ? du->by_sym[of[0]] : 0;
}

Reaching
defuse_reaching(const Fn *fn, uint32_t block, uint32_t sym)
{
	Defuse *du = fn->defuse;
	uint32_t only = only_def(fn, block, sym);
	const Cfg *g = fn->cfg;
	const uint32_t *of = du->defs_of_sym + fn_local(fn, sym);
	uint32_t first = of[0], end = of[1], n = 0;
	Bits seen = du->walk->seen;     /* blocks whose end was looked at */
	bool entry = false;

	du->walk->n = 0;
	if (only) {
		found(du, only);
		return (Reaching){ du->walk->found, 1 };
	}
	bits_clear(seen);
	if (first < end)
		du->walk->stack[n++] = block;
	while (n) {
		block = du->walk->stack[--n];
		if (block == 1 && !entry)
			found(du, du->by_sym[end - 1]);
		entry |= block == 1;
		CFG_PRED(g, block, p) {
			if (bits_has(seen, p) || !carries(g, p, block))
				continue;
			bits_set(seen, p);
			if (!from_block(du, &g->blocks[p], first, end - 1))
				du->walk->stack[n++] = p;
		}
	}
	return (Reaching){ du->walk->found, du->walk->n };
}
