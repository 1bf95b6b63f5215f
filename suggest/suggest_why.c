/* SPDX-License-Identifier: MIT */
/* Additional facts about a candidate. See suggest_why.h. Statements about arrays rely on
 * analysis/memory/underlying_objects.h, which assumes that different pointer parameters point to
 * different arrays. So the programmer is asked to confirm them. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/loops/reduction.h"
#include "analysis/memory/iteration_dependence.h"
#include "analysis/memory/underlying_objects.h"
#include "base/demangle.h"
#include "suggest/suggest_why.h"
#include "transform/plan/plan.h"

enum { NAMED = 3, OFTEN = 5, MOST_COMPARISONS = 1000 };

typedef struct {
	uint32_t stmt;
	bool in_site, writes, reads, atomic;
	Underlying_objects base;
} Array_access;
typedef VEC(Array_access) Array_accesses;

static bool
is_shared(Space s)
{
	return s == SPACE_GLOBAL || s == SPACE_GENERIC || s == SPACE_SHARED;
}

static void
add_block_accesses(const Candidate *c, uint32_t b, Array_accesses *to, Arena *tmp)
{
	const Fn *fn = c->fn;

	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		uint32_t eff = fn_effects(fn, s), flags = ptx_flags(fn->m, st);
		if (st->kind != STMT_INSN || !(eff & (EFF_READ | EFF_WRITE)) ||
			!(flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)) ||
			!is_shared(ptx_space(fn->m, st)))
			continue;
		*vec_push(to) = (Array_access){ .stmt = s,
			.in_site = bits_has(c->blocks, b),
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

typedef struct {
	const Candidate *c;
	Forms forms;
	uint32_t left;          /* comparisons of addresses, to bound the time */
	Array_accesses all;
} Confirm;

/* Whether another iteration of the loop around the branch may read what its path writes. Without a
 * loop the iterations are threads, which the original does not order either. */
static bool
path_reads_other_iteration(Confirm *w, uint32_t write, uint32_t read)
{
	uint32_t loop = w->c->loop;

	if (!loop || !w->left)
		return loop;
	w->left--;
	Iteration_access store = iteration_access(&w->forms, loop, write),
			 load = iteration_access(&w->forms, loop, read);
	return iteration_dependence(&w->forms, loop, &store, &load) != DEPENDENCE_NONE;
}

static bool
accesses_conflict(Confirm *w, const Array_access *write, const Array_access *read)
{
	return write->in_site && write->writes && read->reads &&
		!(write->atomic && read->atomic) &&
		objects_may_alias(&write->base, &read->base) &&
		(w->c->kind == ADVICE_LOOP || !read->in_site ||
			path_reads_other_iteration(w, write->stmt, read->stmt));
}

/* Collects the accesses of the site and of the loop around it, or of the function. Reads in an
 * inner loop are reported first, and those after a branch. */
static void
collect_accesses(Confirm *w, Arena *a)
{
	const Candidate *c = w->c;

	for (int pass = 0; pass < 2; pass++)
		FN_BLOCKS(c->fn, k) {
			bool in = bits_has(c->blocks, k),
			     now = (in == (c->kind == ADVICE_LOOP)) == (pass == 0);
			if (now && (in || !c->loop || loop_contains(c->fn->loops, c->loop, k)))
				add_block_accesses(c, k, &w->all, a);
		}
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
	Confirm w = { .c = c, .left = MOST_COMPARISONS };
	Underlying_objects named[NAMED];
	uint32_t n = 0;
	Buf b = { 0 };

	forms_init(&w.forms, fn, a);
	collect_accesses(&w, a);
	for (uint32_t i = 0; i < w.all.n; i++)
		for (uint32_t j = 0; j < w.all.n && n < NAMED; j++) {
			const Array_access *write = &w.all.at[i], *read = &w.all.at[j];
			if (!accesses_conflict(&w, write, read) ||
				array_was_named(&write->base, named, n))
				continue;
			buf_puts(&b, n ? ", and " : "it writes ");
			write_array_name(fn, &write->base, &b);
			write_read_place(c, read->stmt, &b);
			named[n++] = write->base;
		}
	forms_release(&w.forms);
	if (n == 0)
		buf_printf(&b, "judging by pointers and indices, no other %s reads what it writes",
			c->loop || c->annot == ANNOT_FOR_VAR ? "iteration" : "thread");
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	vec_free(&w.all);
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
