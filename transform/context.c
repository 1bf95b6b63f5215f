/* CCC: what a task is made of (docs/design.md 5.3).
 *
 * Context: the registers that R reads before it writes them, less those that every lane of M
 * holds with the same value in every iteration. Such a value is uniform and either computed
 * before the begin marker, where every lane of M passed (FROM_ENTRY), or a pure function of such
 * values, computed once more for all of M at the entry (FROM_AGAIN): a lane that skips the loop
 * by its guard has not come past the place where the compiler put it, and must help all the same.
 * Special registers that belong to the thread and are read in R are context too.
 */
#include <stdlib.h>
#include <string.h>
#include "transform/slice.h"

/* ---- what the path reads and writes ------------------------------------------------------ */

/* Does a definition outside of the path reach this use in it? Control comes into the path by its entry alone. */
static bool
comes_in(const Ccc *c, const Use *u)
{
	const Defuse *du = c->fn->defuse;
	for (uint32_t k = 0; k < u->ndef; k++) {
		uint32_t d = du->defs[du->reach[u->def + k]].stmt;
		if (!d || !ccc_in_path(c, cfg_block_of(c->fn->cfg, d)))
			return true;
	}
	return false;
}

/* Registers that come into the path, and those that it defines. */
static Bits
exposed(Ccc *c, Bits *defined)
{
	const Fn *fn = c->fn;
	const Defuse *du = fn->defuse;
	Bits live = bits_new(c->arena, fn->f->nsym);
	*defined = bits_new(c->arena, fn->f->nsym);
	BITS_EACH(b, c->path->r.blocks)
		for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++) {
			uint32_t d = du->def_of_stmt[s - fn->f->stmt], u = du->use_of_stmt[s - fn->f->stmt];
			for (; d && d < du->ndefs && du->defs[d].stmt == s; d++)
				bits_set(*defined, fn_local(fn, du->defs[d].sym));
			for (; u && u < du->nuses && du->uses[u].stmt == s; u++)
				if (comes_in(c, &du->uses[u]))
					bits_set(live, fn_local(fn, du->uses[u].sym));
		}
	return live;
}

/* ---- where a value comes from ------------------------------------------------------------ */

static bool
in_region(const Ccc *c, uint32_t stmt)
{
	return bits_has(c->site->r.blocks, cfg_block_of(c->fn->cfg, stmt));
}

/* Does some loop hold both the annotated loop and this statement? Lanes that arrive together may
 * have come by different iterations of it, so what is uniform in each iteration need not agree
 * between them. */
static bool
in_outer_loop(const Ccc *c, uint32_t stmt)
{
	const Loops *l = c->fn->loops;
	for (uint32_t i = l->loop_of[c->site->r.entry]; i; i = l->loops[i].parent)
		if (bits_has(l->loops[i].blocks, cfg_block_of(c->fn->cfg, stmt)))
			return true;
	return false;
}

/* Was the value computed before the begin marker, on every way to it, and once for all lanes that
 * arrive together? */
static bool
all_before(const Ccc *c, const uint32_t *defs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = c->fn->defuse->defs[defs[i]].stmt;
		if (s == 0 || in_region(c, s) || in_outer_loop(c, s))
			return false;
	}
	return n > 0;
}

static bool
use_varies(const Ccc *c, const Use *u)
{
	return bits_has(c->fn->uniform->use, (uint32_t)(u - c->fn->defuse->uses));
}

/* ---- computed again at the entry --------------------------------------------------------- */

static bool
lane_sreg(const Fn *fn, uint32_t stmt)
{
	return effects_stmt(fn->m, fn->effects, stmt) & EFF_LANE;
}

/* A load of an entry's parameter: the same for all threads, whenever it is done. */
static bool
param_load(const Fn *fn, uint32_t stmt)
{
	const Stmt *st = fn_stmt(fn, stmt);
	return fn->f->entry && st->kind == STMT_INSN && !st->guard && ptx_op(fn->m, st) == OP_LD &&
		ptx_space(fn->m, st) == SPACE_PARAM;
}

/* Has each register that the statement writes no other definition? Else one name at the entry would
 * stand for several values. */
static bool
defines_alone(const Fn *fn, uint32_t stmt)
{
	const Defuse *du = fn->defuse;
	for (uint32_t d = du->def_of_stmt[stmt - fn->f->stmt];
		d < du->ndefs && du->defs[d].stmt == stmt; d++) {
		uint32_t i = fn_local(fn, du->defs[d].sym);
		if (du->defs_of_sym[i + 1] - du->defs_of_sym[i] != 2) /* and the pseudo-definition */
			return false;
	}
	return true;
}

/* Adds to the slice what computes def's value from values that every lane has at the entry.
 * visiting: cycle guard by depth. */
static bool
again(Slice *s, uint32_t def, uint32_t depth)
{
	const Fn *fn = s->c->fn;
	uint32_t stmt = fn->defuse->defs[def].stmt;
	Slice_reads r;
	if (slice_has(s, stmt))
		return true;
	if (depth == 0 || s->n == MAX_SLICE ||
		(!slice_pure(s->c, &fn->defuse->defs[def]) && !param_load(fn, stmt)) ||
		lane_sreg(fn, stmt) || !defines_alone(fn, stmt))
		return false;
	slice_reads(fn, stmt, &r);
	for (uint32_t i = 0; i < r.n && r.ok; i++) {
		const Use *u = defuse_use(fn->cfg, fn->defuse, stmt, r.regs[i]);
		const uint32_t *defs = fn->defuse->reach + u->def;
		if (use_varies(s->c, u))
			r.ok = false;
		else if (!all_before(s->c, defs, u->ndef))
			r.ok = u->ndef == 1 && fn->defuse->defs[defs[0]].stmt &&
				again(s, defs[0], depth - 1);
	}
	if (!r.ok || s->n == MAX_SLICE)
		return false;
	s->list[s->n++] = stmt;
	return true;
}

static bool
can_compute_again(Ccc *c, uint32_t def)
{
	Slice s = { c, c->again, c->nagain };
	if (c->fn->defuse->defs[def].stmt == 0 || !again(&s, def, 16))
		return false;
	const Defuse *du = c->fn->defuse;
	for (uint32_t i = c->nagain; i < s.n; i++)
		for (uint32_t d = du->def_of_stmt[c->again[i] - c->fn->f->stmt];
			d < du->ndefs && du->defs[d].stmt == c->again[i]; d++)
			bits_set(c->again_syms, fn_local(c->fn, du->defs[d].sym));
	c->nagain = s.n;
	return true;
}

/* changed: the path defines it as well, so it needs a register of the path's own to come to. */
static Ccc_from
classify(Ccc *c, uint32_t sym, bool changed)
{
	uint32_t defs[64];
	uint32_t n = defuse_reaching(c->fn->cfg, c->fn->defuse, c->path->r.entry, sym, defs, 64);
	if (changed || n > 64 ||
		uniform_varies_at(c->fn->cfg, c->fn->defuse, c->fn->uniform, c->path->r.entry, sym))
		return FROM_CONTEXT;
	if (all_before(c, defs, n))
		return FROM_ENTRY;
	if (n == 1 && can_compute_again(c, defs[0]))
		return FROM_AGAIN;
	return FROM_CONTEXT;
}

/* ---- slots ------------------------------------------------------------------------------- */

static bool
add_slot(Ccc *c, uint32_t sym, uint8_t sel, uint32_t pos)
{
	const Sym *y = &c->fn->m->syms[sym];
	uint32_t size = ptx_type_size((Type)y->type);
	if (y->kind == SYM_SPECIAL)
		size = 4;
	else if (y->type == TYPE_PRED)
		size = 0;
	if (y->vec > 1)
		return ccc_refuse(c, D_CONTEXT, pos,
			"'%.*s' is a vector register and belongs to a task",
			PTX_NAME(c->fn->m, sym));
	for (uint32_t i = 0; i < c->nslots; i++)
		if (c->slots[i].sym == sym && c->slots[i].sel == sel)
			return true;
	c->slots[c->nslots++] = (Ccc_slot){ .sym = sym, .sel = sel, .size = (uint8_t)size };
	return true;
}

typedef struct {
	Ccc *c;
	const Stmt *stmt;
	bool ok;
} Special;
static void
see_special(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Special *s = user;
	const Module *m = s->c->fn->m;
	(void)written;
	if (!s->ok || m->syms[sym].kind != SYM_SPECIAL ||
		!(ptx_sregs[m->syms[sym].aux].flags & SREGF_LANE))
		return;
	uint8_t sel = m->opnds[opnd].sel;
	if (!sel && m->syms[sym].aux == SREG_TID)
		s->ok = ccc_refuse(
			s->c, D_CONTEXT, s->stmt->at.pos, "'%%tid' read as a vector in the path");
	else if (ptx_op(m, s->stmt) == OP_MOV && ptx_type_size(ptx_insn_type(m, s->stmt)) != 4)
		s->ok = ccc_refuse(s->c, D_CONTEXT, s->stmt->at.pos,
			"'%.*s' read as 16 bits in the path", PTX_NAME(m, sym));
	else
		s->ok = add_slot(s->c, sym, sel, s->stmt->at.pos);
}

bool
ccc_context(Ccc *c)
{
	const Fn *fn = c->fn;
	Bits defined, in = exposed(c, &defined);
	c->from = arena_array(c->arena, fn->f->nsym + 1, sizeof *c->from);
	c->own = bits_new(c->arena, fn->f->nsym);
	c->again_syms = bits_new(c->arena, fn->f->nsym);
	c->slots = arena_array(c->arena, fn->f->nsym + 16, sizeof *c->slots);
	c->again = arena_array(c->arena, MAX_SLICE, sizeof *c->again);
	c->slice = arena_array(c->arena, MAX_SLICE, sizeof *c->slice);
	BITS_EACH(i, in) {
		uint32_t sym = fn->f->sym0 + i;
		c->from[i] = (uint8_t)classify(c, sym, bits_has(defined, i));
		if (c->from[i] != FROM_CONTEXT)
			continue;
		bits_set(c->own, i);
		if (!add_slot(
				c, sym, 0, fn_stmt(fn, fn->cfg->blocks[c->path->r.entry].stmt)->at.pos))
			return false;
	}
	bits_or(c->own, defined);
	BITS_EACH(i, c->own)
		if (slice_declared_inside(c, fn->f->sym0 + i))
			bits_unset(c->own, i);
	BITS_EACH(b, c->path->r.blocks)
		for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++) {
			Special sp = { c, fn_stmt(fn, s), true };
			ptx_visit(fn->m, sp.stmt, see_special, &sp);
			if (!sp.ok)
				return false;
		}
	return ccc_live_outs(c, defined);
}
