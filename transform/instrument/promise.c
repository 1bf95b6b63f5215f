/* SPDX-License-Identifier: MIT */
/* Instruments a function to check that iterations of annotated loops are independent: the
 * counterpart of the emulator's simt/checks/promise.c in generated code, with the same rules.
 *
 * - Needs cfg, dom, loop and region, via independent_loops.h.
 * - Refuses nothing. Accesses in called functions, copies and others without a plain address are
 *   reported as not checked when they are executed in such a loop.
 * - Cost: a call for each access and loop, with two atomic operations or more.
 *
 * A table in global memory has an entry for each granule (up to 8 bytes, the smallest access of the
 * module) and execution of a loop by a lane, and for loops without synchronisation one for the
 * lanes that entered the loop together. Entries are claimed by compare-and-swap, first of the
 * granule, then of the execution, and are never released. Only one lane uses an entry of the first
 * kind:
 *
 *	0       granule         8       execution, lane
 *	16      the current iteration, the classes of accesses in earlier ones and in this one
 *	24      by class: the site of the first access
 *
 * An access conflicts with those of earlier iterations whose class is in `against`: none is lost,
 * and it does not depend on the schedule. The entry of several lanes has at 16 the lanes that
 * read and those that wrote, at 24 and 32 sites of two lanes each. A lane first adds its site,
 * then itself, and sees the others that did before: of two lanes at least one sees the other.
 *
 * Correctness:
 * - No state of the program is written.
 * - Lanes that take a number for an execution are those of one activemask, which all of them reach
 *   the following shfl.sync with. Numbers are unique, so launches need not be distinguished.
 * - The pairs of the report are accesses of two iterations of one execution: it is never wrong.
 *   What finds no room is counted. */
#include <stdio.h>
#include <string.h>
#include "analysis/region/independent_loops.h"
#include "transform/instrument/instrument.h"

/* Classes of accesses outside of paths of a loop whose lanes are in step are these << UNMOVED. They
 * conflict only with accesses in paths. */
enum {
	READ = 1,
	FAILED = 2,             /* a compare-and-swap that only read */
	WRITE = 4,
	MARK = 8,               /* a write of one value by all iterations, which may be read */
	ATOMIC = 16,
	ATOMIC_READ = 32,       /* an atomic operation on what the iteration has read before */
	CLASSES = 63, UNMOVED = 6,
	READS = READ | FAILED
};
enum { ENTRY = 48, PROBES = 64, REPORTS = 64, STATE = 4 + REPORTS / 2, MOST_SITES = 65535 };
enum { MOST_PIECES = 32, INDEPENDENT_LANES = EFF_CROSS | EFF_BARRIER | EFF_ORDER | EFF_EXTERN |
	EFF_INDIRECT | EFF_UNKNOWN | EFF_ASYNC };

/* A function's loop. */
typedef struct {
	const Independent_loop *loop;
	Bits blocks;            /* in the loop */
	Bits moved;             /* of these, in paths of a loop whose lanes are in step */
	bool lanes;             /* nothing orders the lanes that enter it together */
} Checked_loop;

typedef struct {
	uint32_t opnd;          /* the address */
	uint32_t bytes;
	uint32_t class;
} Checked_access;

typedef struct {
	Instrumentation *w;
	Checked_loop *loops; uint32_t n;
	bool later;             /* some accesses are checked after they have happened */
} Checked_function;

/* ---- accesses -------------------------------------------------------------------------------- */

static bool
is_access(const Module *m, const Stmt *s)
{
	const Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;

	return op == OP_LD || op == OP_ST || op == OP_ATOM || op == OP_RED;
}

/* Returns the bytes of an access; 0 if they are not known. */
static uint32_t
access_bytes(const Module *m, const Stmt *s)
{
	uint32_t n = ptx_type_size((Type)ptx_insn_type(m, s));

	return n * (ptx_has(m, s, "v8") ? 8 : ptx_has(m, s, "v4") ? 4 : ptx_has(m, s, "v2") ? 2 : 1);
}

uint32_t
promise_granule(const Module *m)
{
	uint32_t least = 8;

	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].body && m->funcs[f].nmarkers)
			PTX_STMTS(&m->funcs[f], s) {
				uint32_t n = is_access(m, &m->stmts[s]) ?
					access_bytes(m, &m->stmts[s]) : 0;
				least = n && n < least ? n : least;
			}
	return least;
}

/* Whether the statement accesses memory that the check covers. */
static bool
touches_memory(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	const Space space = s->kind == STMT_INSN ? ptx_space(fn->m, s) : SPACE_NONE;

	if (is_access(fn->m, s))
		return (space == SPACE_GENERIC || space == SPACE_GLOBAL || space == SPACE_SHARED) &&
			!(ptx_op(fn->m, s) == OP_LD && ptx_has(fn->m, s, "nc"));
	return fn_effects(fn, stmt) & (EFF_READ | EFF_WRITE | EFF_ASYNC | EFF_UNKNOWN | EFF_EXTERN |
		EFF_INDIRECT) && !effects_is_runtime(fn->m, effects_callee(fn->m, stmt));
}

/* Describes a load, store or atomic operation; false if it cannot be checked. */
static bool
describe_access(const Fn *fn, uint32_t stmt, Checked_access *a)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	int64_t offset;

	*a = (Checked_access){ .bytes = access_bytes(m, s) };
	if (!is_access(m, s) || !a->bytes || a->bytes > MOST_PIECES || ptx_has(m, s, "cluster"))
		return false;
	PTX_OPNDS(m, s, k, o)
		if (m->opnds[o].kind == OPND_ADDR)
			a->opnd = o;
	if (!a->opnd || m->opnds[a->opnd + 1].kind != OPND_SYM ||
		!ptx_offset(m, &m->opnds[a->opnd], &offset))
		return false;
	a->class = ptx_op(m, s) == OP_LD ? READ : ptx_op(m, s) == OP_ST ? WRITE : ATOMIC;
	if (ptx_has(m, s, "cas"))
		return s->nopnd == 4 && a->bytes <= 8 &&
			ptx_is_reg(m, m->opnds[ptx_operand(m, s, 0)].sym);
	return true;
}

static uint32_t
classes_against(uint32_t class)
{
	switch (class) {
	case READ: return WRITE | ATOMIC;
	case FAILED: return WRITE;
	case WRITE: return CLASSES;
	case MARK: return CLASSES & ~(uint32_t)READS;
	default: return READ | WRITE | MARK;
	}
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void
put_position(Instrumentation *w, uint32_t stmt)
{
	const Cuda_pos at = ptx_place(w->m, stmt).at;
	uint32_t line, col;

	if (at.file) {
		buf_printf(&w->texts, "%s:%u", at.file, at.line);
	} else {
		source_position(w->m->src, w->m->stmts[stmt].at.pos, &line, &col);
		buf_printf(&w->texts, "%s:%u", w->m->src->name, line);
	}
	buf_putc(&w->texts, '\0');
}

/* Adds a site: the positions of a statement and of the annotation of the loop around it. Returns
 * its number; the last one also serves those that find no number. */
static uint32_t
add_site(Instrumentation *w, const Checked_loop *k, uint32_t stmt)
{
	const Marker *marker = &w->m->markers[k->loop->region->marker];

	if (w->points == MOST_SITES)
		return MOST_SITES;
	buf_printf(&w->table, "%s%u", w->points++ ? ", " : "", (unsigned)w->texts.n);
	put_position(w, stmt);
	buf_printf(&w->texts, "%s:%u", marker->cuda.file, marker->cuda.line);
	buf_putc(&w->texts, '\0');
	buf_printf(&w->texts, "#pragma ccc %s", annot_words(&marker->annot));
	buf_putc(&w->texts, '\0');
	return w->points;
}

/* ---- code ------------------------------------------------------------------------------------ */

static void
set_loop(Instrumentation *w, uint32_t k)
{
	tpl_value(&w->t, "k", "%u", k);
}

/* Inserts code that checks one piece of an access, for each loop around it. */
static void
check_piece(Checked_function *c, uint32_t stmt, const Checked_access *a, const uint32_t *sites)
{
	Instrumentation *w = c->w;
	const uint32_t block = fn_block(w->fn, stmt);
	const Space space = ptx_space(w->m, fn_stmt(w->fn, stmt));

	for (uint32_t k = 0; k < c->n; k++) {
		const Checked_loop *l = &c->loops[k];
		if (!bits_has(l->blocks, block))
			continue;
		const bool unmoved = l->loop->in_step && !bits_has(l->moved, block);
		const uint32_t against = classes_against(a->class);
		const uint32_t failed = classes_against(FAILED);
		set_loop(w, k);
		tpl_value(&w->t, "site", "%u", sites[k]);
		tpl_value(&w->t, "class", "%u", unmoved ? a->class << UNMOVED : a->class);
		tpl_value(&w->t, "against", "%u", unmoved ? against : against | against << UNMOVED);
		tpl_value(&w->t, "read", "%u", unmoved ? FAILED << UNMOVED : FAILED);
		tpl_value(&w->t, "againstread", "%u",
			unmoved ? failed : failed | failed << UNMOVED);
		tpl_flag(&w->t, "lanes",
			l->lanes && space != SPACE_SHARED && (a->class & (READ | WRITE)));
		if (ptx_has(w->m, fn_stmt(w->fn, stmt), "cas"))
			tpl_write_section(&w->t, "failed");
		tpl_write_section(&w->t, "access");
	}
}

/* Begins a piece of code that is skipped where the statement is. */
static size_t
begin_guarded(Instrumentation *w, const Stmt *s)
{
	size_t from = instrument_begin_text(w);

	tpl_flag(&w->t, "guarded", s->guard);
	if (s->guard)
		tpl_value(&w->t, "stays", "%s%.*s", s->guard == 1 ? "!" : "",
			PTX_NAME(w->m, s->sym));
	tpl_write_section(&w->t, "guard");
	return from;
}

static void
insert_guarded(Instrumentation *w, uint32_t pos, size_t from)
{
	tpl_write_section(&w->t, "past");
	instrument_insert(w, pos, from);
}

static void
write_address(Instrumentation *w, const Stmt *s, const Checked_access *a)
{
	const Opnd *base = &w->m->opnds[a->opnd + 1];
	int64_t offset = 0;

	(void)ptx_offset(w->m, &w->m->opnds[a->opnd], &offset);
	tpl_flag(&w->t, "narrow", ptx_is_reg(w->m, base->sym) &&
			ptx_type_size((Type)w->m->syms[base->sym].type) < 8);
	tpl_flag(&w->t, "offset", offset);
	tpl_flag(&w->t, "shared", ptx_space(w->m, s) == SPACE_SHARED);
	tpl_value(&w->t, "bytes", "%lld", (long long)offset);
	tpl_value(&w->t, "address", "%.*s", PTX_NAME(w->m, base->sym));
	tpl_write_section(&w->t, "address");
}

/* Writes a section for each granule of an access; with check, the code that checks it. */
static void
write_pieces(Checked_function *c, uint32_t stmt, const Checked_access *a, const uint32_t *sites,
	const char *before, const char *after)
{
	Instrumentation *w = c->w;

	for (uint32_t i = 0; i < a->bytes / w->granule; i++) {
		tpl_value(&w->t, "piece", "%u", i);
		tpl_value(&w->t, "at", "%u", i * w->granule);
		tpl_value(&w->t, "type", "u%u", 8 * w->granule);
		if (before)
			tpl_write_section(&w->t, before);
		if (sites)
			check_piece(c, stmt, a, sites);
		if (after)
			tpl_write_section(&w->t, after);
	}
}

/* Writes a section for an operand of a compare-and-swap. */
static void
write_operand(Instrumentation *w, const Stmt *s, uint32_t k, const char *section)
{
	const Span at = w->m->opnds[ptx_operand(w->m, s, k)].at;

	tpl_value(&w->t, "operand", "%.*s", (int)(at.end - at.pos), w->m->src->text + at.pos);
	if (section)
		tpl_write_section(&w->t, section);
}

static void
check_access(Checked_function *c, uint32_t stmt, Checked_access *a, const uint32_t *sites)
{
	Instrumentation *w = c->w;
	const Stmt *s = fn_stmt(w->fn, stmt);
	const bool swap = ptx_has(w->m, s, "cas"), later = swap || ptx_op(w->m, s) == OP_ST;
	size_t from = begin_guarded(w, s);

	tpl_flag(&w->t, "swap", swap);
	tpl_value(&w->t, "bits", "%u", 8 * a->bytes);
	write_address(w, s, a);
	if (swap)
		write_operand(w, s, 2, "expected");
	c->later |= later;
	if (later && !swap)
		write_pieces(c, stmt, a, NULL, "before", NULL);
	if (!later)
		write_pieces(c, stmt, a, sites, NULL, NULL);
	insert_guarded(w, s->at.pos, from);
	if (!later)
		return;
	from = begin_guarded(w, s);
	if (swap)
		write_operand(w, s, 0, NULL);
	write_pieces(c, stmt, a, sites, swap ? NULL : "after", swap ? NULL : "kept");
	insert_guarded(w, s->at.end, from);
}

/* Reports that a statement is not checked, if it is executed in the innermost loop around it. */
static void
report_unchecked(Checked_function *c, uint32_t stmt, const uint32_t *sites)
{
	Instrumentation *w = c->w;
	const Stmt *s = fn_stmt(w->fn, stmt);

	for (uint32_t k = 0; k < c->n; k++) {
		if (!sites[k])
			continue;
		size_t from = begin_guarded(w, s);
		set_loop(w, k);
		tpl_value(&w->t, "site", "%u", sites[k]);
		tpl_write_section(&w->t, "unchecked");
		insert_guarded(w, s->at.pos, from);
	}
}

static void
check_statement(Checked_function *c, uint32_t stmt, uint32_t *sites)
{
	const Fn *fn = c->w->fn;
	uint32_t outermost = 0;
	Checked_access a;
	bool any = false;

	memset(sites, 0, c->n * sizeof *sites);
	for (uint32_t k = 0; k < c->n; k++)
		any |= bits_has(c->loops[k].blocks, fn_block(fn, stmt));
	if (!any || !touches_memory(fn, stmt))
		return;
	for (uint32_t k = 0; k < c->n; k++)
		if (bits_has(c->loops[k].blocks, fn_block(fn, stmt))) {
			sites[k] = add_site(c->w, &c->loops[k], stmt);
			outermost = outermost ? outermost : c->loops[k].loop->loop;
		}
	if (!describe_access(fn, stmt, &a) || c->w->points == MOST_SITES) {
		report_unchecked(c, stmt, sites);
		return;
	}
	if (a.class == WRITE && independent_loop_marks(fn, outermost, stmt, c->w->arena))
		a.class = MARK;
	check_access(c, stmt, &a, sites);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void
describe_loop(const Instrumentation *w, const Independent_loop *l, Checked_loop *k)
{
	uint32_t effects = 0;

	*k = (Checked_loop){ .loop = l, .blocks = bits_new(w->arena, w->fn->cfg->nblocks),
		.moved = bits_new(w->arena, w->fn->cfg->nblocks) };
	bits_copy(k->blocks, w->fn->loops->loops[l->loop].blocks);
	bits_or(k->blocks, l->region->blocks);
	for (const Region *r = l->region->child; r; r = r->sibling)
		bits_or(k->moved, r->blocks);
	BITS_EACH(b, k->blocks)
		FN_BLOCK_STMTS(w->fn, b, s)
			effects |= fn_effects(w->fn, s);
	k->lanes = !(effects & INDEPENDENT_LANES);
}

static void
follow_loop(Instrumentation *w, const Independent_loop *l, uint32_t k)
{
	const uint32_t entry = fn_block(w->fn, w->m->markers[l->region->marker].stmt);

	set_loop(w, k);
	buf_printf(&w->names, "\n\t.reg .b64 \t%%%srun%u;\n\t.reg .b32 \t%%%sit%u;", w->t.prefix, k,
		w->t.prefix, k);
	instrument_section(w, entry, "outside");
	for (uint32_t i = 0; i < l->exits.n; i++)
		instrument_section(w, l->exits.at[i], "outside");
	for (uint32_t i = 0; i < l->starts.n; i++)
		instrument_section(w, l->starts.at[i], "begun");
}

static void
write_head(Checked_function *c)
{
	Instrumentation *w = c->w;

	if (c->later) {
		buf_printf(&w->names, "\n\t.reg .b64 \t%%%swas<%u>;", w->t.prefix, MOST_PIECES);
		for (uint32_t bits = 16; bits <= 64; bits *= 2)
			buf_printf(&w->names, "\n\t.reg .b%u \t%%%scmp%u;", bits, w->t.prefix, bits);
	}
	for (uint32_t k = 0; k < c->n; k++) {
		set_loop(w, k);
		tpl_write_section(&w->t, "zero");
	}
	tpl_end(&w->t);
	buf_add(&w->names, w->t.out.at, w->t.out.n);
	edit_insert(w->edits, w->fn->f->block.pos + 1, w->names.at, w->names.n);
}

/* ---- driver ---------------------------------------------------------------------------------- */

static void
begin_template(Instrumentation *w, const char *prefix)
{
	const uint32_t reads = READS | READS << UNMOVED;
	const uint32_t entries = w->opt->instrument.check_promise;

	tpl_init(&w->t, TEMPLATE_PROMISE, w->opt->debug.omit, w->arena);
	tpl_begin(&w->t, prefix);
	tpl_value(&w->t, "state", "%sstate", prefix);
	tpl_value(&w->t, "table", "%sentries", prefix);
	tpl_value(&w->t, "entry", "%u", ENTRY);
	tpl_value(&w->t, "probes", "%u", entries < 6 ? 1u << entries : PROBES);
	tpl_value(&w->t, "reports", "%u", REPORTS);
	tpl_value(&w->t, "last", "%u", (1u << entries) - 1);
	tpl_value(&w->t, "rest", "%u", 64 - entries);
	tpl_value(&w->t, "shift", "%u", w->granule == 8 ? 3 : w->granule / 2);
	tpl_value(&w->t, "reads", "%u", reads);
	tpl_value(&w->t, "unread", "%u", ~reads & (CLASSES | CLASSES << UNMOVED));
	tpl_value(&w->t, "atomics", "%u", ATOMIC | ATOMIC << UNMOVED);
	buf_putc(&w->t.out, '\n');
}

void
promise_function(Instrumentation *w, const Fn *fn, const char *prefix)
{
	Independent_loops loops = independent_loops_find(fn, w->arena);
	Checked_function c = { .w = w, .n = loops.n,
		.loops = arena_array(w->arena, loops.n + 1, sizeof *c.loops) };
	uint32_t *sites = arena_array(w->arena, loops.n + 1, sizeof *sites);

	if (!loops.n)
		return;
	w->fn = fn;
	w->names.n = 0;
	begin_template(w, prefix);
	tpl_write_section(&w->t, "head");
	for (uint32_t k = 0; k < c.n; k++) {
		describe_loop(w, &loops.at[k], &c.loops[k]);
		follow_loop(w, &loops.at[k], k);
	}
	FN_BLOCKS(fn, b)
		FN_BLOCK_STMTS(fn, b, s)
			check_statement(&c, s, sites);
	write_head(&c);
	tpl_release(&w->t);
}

void
promise_declare(Instrumentation *w, const char *prefix, Buf *out)
{
	begin_template(w, prefix);
	tpl_write_section(&w->t, "functions");
	buf_printf(out, ".global .align 8 .u64 %sstate[%u];\n", prefix, STATE);
	buf_printf(out, ".global .align 8 .b8 %sentries[%u];", prefix,
		ENTRY << w->opt->instrument.check_promise);
	buf_add(out, w->t.out.at, w->t.out.n);
	tpl_release(&w->t);
}
