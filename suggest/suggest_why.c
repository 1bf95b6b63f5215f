/* SPDX-License-Identifier: MIT */
/* Additional facts about a candidate. See suggest_why.h. Statements about arrays rely on
 * analysis/memory/underlying_objects.h, which assumes that different pointer parameters point to
 * different arrays. So the programmer is asked to confirm them. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/loops/reduction.h"
#include "analysis/memory/underlying_objects.h"
#include "base/demangle.h"
#include "suggest/suggest_why.h"
#include "transform/plan/plan.h"

enum { NAMED = 3, OFTEN = 5 };

typedef struct { uint32_t stmt; bool writes, reads, atomic; Underlying_objects base; } Array_access;
typedef VEC(Array_access) Array_accesses;

static bool
is_shared(Space s)
{
	return s == SPACE_GLOBAL || s == SPACE_GENERIC || s == SPACE_SHARED;
}

static void
add_block_accesses(const Fn *fn, uint32_t b, Array_accesses *to, Arena *tmp)
{
	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		uint32_t eff = fn_effects(fn, s), flags = ptx_flags(fn->m, st);
		if (st->kind != STMT_INSN || !(eff & (EFF_READ | EFF_WRITE)) ||
			!(flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)) ||
			!is_shared(ptx_space(fn->m, st)))
			continue;
		*vec_push(to) = (Array_access){ .stmt = s,
			.writes = eff & EFF_WRITE,
			.reads = eff & EFF_READ,
			.atomic = flags & OPF_ATOMIC,
			.base = objects_of_access(fn, s, tmp) };
	}
}

/* Appends a description of an array. Kernel parameters are numbered, since PTX has no names for
 * them. */
static void
write_array_name(const Fn *fn, const Underlying_objects *b, Buf *to)
{
	uint32_t sym = b->n == 1 ? (uint32_t)(b->of[0] >> 32) : 0;

	if (!sym)
		buf_puts(to, "memory");
	else if (sym >= fn->f->param && sym < fn->f->param + fn->f->nparam)
		buf_printf(to, "memory reached through parameter %u", sym - fn->f->param + 1);
	else
		buf_printf(to, "'%.*s'", PTX_NAME(fn->m, sym));
}

static bool
array_was_named(const Underlying_objects *b, const Underlying_objects *named, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (named[i].n == b->n && (b->n == 0 || named[i].of[0] == b->of[0]))
			return true;
	return false;
}

static bool
arrays_conflict(const Array_access *site, const Array_access *rest)
{
	return site->writes && rest->reads && !(site->atomic && rest->atomic) &&
		objects_may_alias(&site->base, &rest->base);
}

/* Appends where the array is read, unless its line would be one of another text. */
static void
write_read_place(const Candidate *c, uint32_t stmt, Buf *to)
{
	const char *ptx = c->fn->m->src->name;
	const Diag_place p = candidate_place(c->fn, stmt);

	if ((p.at.file == ptx) == (c->at.at.file == ptx))
		buf_printf(to, ", which is read in line %u", p.at.line);
	else
		buf_puts(to, ", which is read there");
}

const char *
suggest_arrays_to_confirm(const Candidate *c, Arena *a)
{
	const Fn *fn = c->fn;
	Array_accesses site = { 0 }, rest = { 0 };
	Underlying_objects named[NAMED];
	uint32_t n = 0;
	Buf b = { 0 };

	FN_BLOCKS(fn, k) {
		bool in = bits_has(c->blocks, k);
		if (in)
			add_block_accesses(fn, k, &site, a);
		if (c->kind == ADVICE_LOOP ? in :
			!in && (!c->loop || loop_contains(fn->loops, c->loop, k)))
			add_block_accesses(fn, k, &rest, a);
	}
	for (uint32_t i = 0; i < site.n; i++)
		for (uint32_t j = 0; j < rest.n && n < NAMED; j++) {
			if (!arrays_conflict(&site.at[i], &rest.at[j]) ||
				array_was_named(&site.at[i].base, named, n))
				continue;
			buf_puts(&b, n ? ", and " : "it writes ");
			write_array_name(fn, &site.at[i].base, &b);
			write_read_place(c, rest.at[j].stmt, &b);
			named[n++] = site.at[i].base;
		}
	if (n == 0)
		buf_puts(&b, "judging by pointers, nothing that it writes is read there");
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	vec_free(&site);
	vec_free(&rest);
	return text;
}

const char *
suggest_note_waiting(const Candidate *c, Arena *a)
{
	const Fn *fn = c->fn;
	uint32_t memory = 0, all = 0;
	Buf b = { 0 };

	BITS_EACH(k, c->blocks)
		FN_BLOCK_STMTS(fn, k, s) {
			const Stmt *st = fn_stmt(fn, s);
			if (st->kind != STMT_INSN)
				continue;
			all++;
			memory += ptx_flags(fn->m, st) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC) &&
				(ptx_space(fn->m, st) == SPACE_GLOBAL ||
					ptx_space(fn->m, st) == SPACE_GENERIC);
		}
	if (memory * OFTEN < all)
		return NULL;
	buf_printf(&b,
		"%u of its %u instructions access memory; if it is memory-bound, it gains less",
		memory, all);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

const char *
suggest_note_extreme(const Candidate *c, Arena *a)
{
	Extreme e = reduction_extreme(c->fn, c->fn->loops->loop_of[c->first], 0);
	Buf b = { 0 };

	if (!e.compare)
		return NULL;
	buf_printf(&b,
		"line %u keeps the best value and its place; if one 64-bit key holds both (docs/annotations.md, Best values), '#pragma ccc for var' can expand the loop",
		candidate_place(c->fn, e.compare).at.line);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

uint32_t
suggest_loop_line(const Candidate *c)
{
	return candidate_place(c->fn, fn_loop_stmt(c->fn, c->loop)).at.line;
}
