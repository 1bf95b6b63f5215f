/* SPDX-License-Identifier: MIT */
/* Counting of cuts on a GPU: what the emulator does in simt/cuts.c, as code.
 *
 * needs:    cfg dom loop region, by cuts.h
 * refuses:  nothing: what has no cuts is left as it is
 * correct because (labels are profile.tpl's):
 *   - Nothing of the program's is written: registers and counters are this text's own, and only
 *     added to, by atomic operations without a result.
 *   - Lanes that execute `who` together get one mask, which holds themselves; the first of them is
 *     one. Should they part behind it, each still has that mask, and all of it come to each .sync
 *     in `trips`: no branch of a lane's own stands between. %^off is the same in the whole block.
 *   - So each lane that comes to a place is counted once, with as many as came with it.
 *   - A block adds to one copy of the counters; what is largest stands in the first one alone. A
 *     lane tells of that only if it has not told of as much.
 *   - Each launch has one first thread, which takes the largest of the launch before to what is
 *     summed. A block of the same launch that has counted by then, or a launch beside it, is taken
 *     for a part of that; what the last launch has had the program adds.
 * cost:     a place: 8 instructions and an atomic operation a warp; of blocks that are not counted:
 *           a branch. An inner loop, and a block of a cut: one addition each time
 *
 * The counters are the module's: an array, a table that says which belong to which cut, and texts
 * with the records' first lines. The variable __ccc_profile, which ccc_profile.h puts into the
 * program, gets their addresses; the program reads them at its end.
 */
#include <stdio.h>
#include <string.h>
#include "analysis/cuts.h"
#include "transform/generate.h"
#include "transform/names.h"
#include "transform/tpl.h"

enum {
	BY_LANES = 33,          /* counters of a place: by number of lanes; [0] is never used */
	NO_TRIPS = 0, NO_ENTRIES = 0, NO_LAUNCHES = 0, NO_RUNS = 0,
	VERSION_OF_TABLE = 4,
	OF_LOOP = 4, OF_BLOCK = 7, /* counters */
	OF_CUT = 9,             /* numbers in its row */
	/* Counters stand COPIES times, SIDE_BY_SIDE of one copy beside those of the next
	 * (ccc_profile.h adds them up): blocks that run at the same time add to different ones. */
	COPIES = 16, SIDE_BY_SIDE = 64
};

/* The counters of places at which loops and iterations begin: those of one serve all its cuts. */
typedef struct { uint32_t func, block, counter; } Begun;

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;
	Tpl t;
	const Fn *fn;
	uint32_t counters, places, numbers, cuts;
	uint32_t launches;      /* the function's counter; NO_LAUNCHES: it is no kernel */
	VEC(Begun) begun;
	Buf table, texts, names;
	Buf zeros;              /* where what its lanes count for themselves begins */
	Buf launched;           /* what the first thread of a launch does */
} Work;

/* ---- counters -------------------------------------------------------------------------------- */

/* That many following ones, of which all of a copy are side by side; the first. */
static uint32_t
take_beside(Work *w, uint32_t n)
{
	uint32_t left = SIDE_BY_SIDE - w->counters % SIDE_BY_SIDE, first = w->counters;

	first += n > left ? left : 0;
	w->counters = first + n;
	return first;
}

/* Where a counter stands in the first copy, in bytes. */
static uint32_t
offset_of(uint32_t counter)
{
	return 8 * (counter / SIDE_BY_SIDE * COPIES * SIDE_BY_SIDE + counter % SIDE_BY_SIDE);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Where a block's counting stands: behind its labels and the marker that it begins with. */
static uint32_t
place(const Fn *fn, uint32_t block)
{
	const Block *b = &fn->cfg->blocks[block];
	uint32_t s = b->stmt;

	while (s < b->end && fn_stmt(fn, s)->kind == STMT_LABEL)
		s++;
	if (s < b->end && fn_stmt(fn, s)->kind == STMT_MARKER)
		return fn_stmt(fn, s)->at.end;
	return s > b->stmt ? fn_stmt(fn, s - 1)->at.end : fn_stmt(fn, s)->at.pos;
}

/* Begins what stands in front of what a block does. */
static size_t
begin(Work *w)
{
	tpl_value(&w->t, "place", "%u", ++w->places);
	buf_putc(&w->t.out, '\n');
	return w->t.out.n - 1;
}

/* Puts it there: what has been written since. */
static void
insert(Work *w, uint32_t block, size_t from)
{
	edit_insert(w->edits, place(w->fn, block), w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

/* Writes a section in front of what the block does. */
static void
put(Work *w, uint32_t block, const char *section)
{
	size_t from = begin(w);

	tpl_put(&w->t, section);
	insert(w, block, from);
}

static void
count_together(Work *w, uint32_t block, uint32_t counter)
{
	tpl_value(&w->t, "offset", "%u", offset_of(counter));
	put(w, block, "together");
}

/* The counters of places at which a loop, or an iteration of it, begins, and their counting, unless
 * another cut of the loop has it. */
static uint32_t
begun(Work *w, Block_list begins)
{
	uint32_t first = begins.at[0];

	for (uint32_t i = 0; i < w->begun.n; i++)
		if (w->begun.at[i].func == w->fn->func && w->begun.at[i].block == first)
			return w->begun.at[i].counter;
	uint32_t counter = take_beside(w, BY_LANES);
	*vec_push(&w->begun) = (Begun){ w->fn->func, first, counter };
	for (uint32_t i = 0; i < begins.n; i++)
		count_together(w, begins.at[i], counter);
	return counter;
}

/* Names what sections are about: a number of each lane's own, and the counters that it goes to. */
static void
about(Work *w, uint32_t number, uint32_t counter)
{
	static const char *const offsets[OF_BLOCK] = { "offset", "second", "third", "fourth",
		"fifth", "sixth", "seventh" };

	tpl_value(&w->t, "number", "%u", number);
	for (uint32_t i = 0; i < OF_BLOCK; i++)
		tpl_value(&w->t, offsets[i], "%u", offset_of(counter + i));
}

/* Moves what has been written since to where it belongs. */
static void
take(Work *w, size_t from, Buf *to)
{
	buf_add(to, w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

/* Declares a register of each lane's own, which begins with 0. */
static void
own_register(Work *w, const char *name, const char *zero)
{
	size_t from = w->t.out.n;

	about(w, w->numbers, 0);
	buf_printf(&w->names, "\n\t.reg .b32 \t%%%s%s%u;", w->t.prefix, name, w->numbers);
	tpl_put(&w->t, zero);
	take(w, from, &w->zeros);
}

/* Counts how often a lane comes by, in a register of its own. */
static void
count_turns(Work *w, Block_list turns)
{
	w->numbers++;
	own_register(w, "trips", "no_trips");
	own_register(w, "top", "no_top");
	for (uint32_t i = 0; i < turns.n; i++)
		put(w, turns.at[i], "trip");
}

/* Has the launch's first thread add up the largest number of the launch before. */
static void
add_launch(Work *w, uint32_t counter)
{
	size_t from = w->t.out.n;

	about(w, w->numbers, counter);
	tpl_put(&w->t, "launched");
	take(w, from, &w->launched);
}

/* Adds up n following numbers where lanes have left; each has `of` counters, one behind the
 * other. runs: where it is counted who has run the cut before; NO_RUNS: nowhere. */
static uint32_t
add_up(Work *w, Block_list where, uint32_t n, uint32_t runs)
{
	uint32_t of = n ? OF_BLOCK : OF_LOOP, all = n ? n : 1, counter = w->counters,
		 first = w->numbers - all + 1;

	w->counters += of * all;
	tpl_flag(&w->t, "block", n > 0);
	tpl_flag(&w->t, "repeats", runs != NO_RUNS);
	tpl_value(&w->t, "cut", "%u", w->numbers);
	for (uint32_t i = 0; i < where.n; i++) {
		size_t from = begin(w);
		tpl_put(&w->t, "left");
		for (uint32_t k = 0; k < all; k++) {
			about(w, first + k, counter + of * k);
			tpl_put(&w->t, "trips");
		}
		about(w, w->numbers, runs);
		if (runs != NO_RUNS)
			tpl_put(&w->t, "ran");
		tpl_put(&w->t, "past");
		insert(w, where.at[i], from);
	}
	for (uint32_t k = 0; w->launches != NO_LAUNCHES && k < all; k++)
		add_launch(w, counter + of * k);
	return counter;
}

/* The counters of an inner loop's trips. */
static uint32_t
trips(Work *w, const Cut_places *c)
{
	count_turns(w, c->turns);
	return add_up(w, c->leaves, 0, NO_RUNS);
}

/* Those of a cut's blocks; and of lanes that have run it before. */
static uint32_t
blocks(Work *w, const Cut_places *c, uint32_t *runs)
{
	*runs = c->repeats ? w->counters++ : NO_RUNS;
	for (uint32_t i = 0; i < c->nblocks; i++) {
		count_turns(w, c->blocks[i].turns);
		if (c->repeats)
			own_register(w, "then", "no_then");
	}
	if (c->repeats)
		own_register(w, "ran", "no_runs");
	return add_up(w, c->ends, c->nblocks, *runs);
}

/* ---- what the program reads ------------------------------------------------------------------ */

/* A row of the table, of OF_CUT numbers: where the record's first lines are, the counters, how many
 * blocks, and the counters of who comes to the loop, of launches, and of who has run it before. */
static void
tell_cut(Work *w, const Cut_places *c, const uint32_t *row)
{
	Profile_key key = profile_key(w->fn, c->region, w->arena);

	buf_printf(&w->table, "%s%u", w->cuts++ ? ", " : "", (unsigned)w->texts.n);
	for (uint32_t i = 1; i < OF_CUT; i++)
		buf_printf(&w->table, ", %u", row[i]);
	profile_put_key(&key, &w->texts);
	buf_putc(&w->texts, '\0');
}

/* Lanes come to an own part by each iteration, which is counted already. */
static void
count_cut(Work *w, const Cut_places *c)
{
	uint32_t row[OF_CUT] = { 0 };

	row[1] = row[2] = begun(w, c->begins);
	if (c->region->kind != REGION_LOOP) {
		row[2] = take_beside(w, BY_LANES);
		count_together(w, c->enters.at[0], row[2]);
	}
	row[3] = c->turns.n ? trips(w, c) : NO_TRIPS;
	row[4] = c->nblocks ? blocks(w, c, &row[8]) : NO_TRIPS;
	row[5] = c->nblocks;
	row[6] = c->comes.n ? begun(w, c->comes) : NO_ENTRIES;
	row[7] = w->launches;
	tell_cut(w, c, row);
}

/* Writes what a launch begins with, behind the rest of the head. */
static void
put_launch(Work *w)
{
	tpl_value(&w->t, "offset", "%u", offset_of(w->launches));
	tpl_put(&w->t, "launch");
	buf_add(&w->t.out, w->launched.at, w->launched.n);
	tpl_put(&w->t, "begun");
}

/* Puts what all places of a function need in front of its body. */
static void
put_head(Work *w)
{
	buf_add(&w->t.out, w->zeros.at, w->zeros.n);
	if (w->launches != NO_LAUNCHES)
		put_launch(w);
	tpl_end(&w->t);
	buf_add(&w->names, w->t.out.at, w->t.out.n);
	edit_insert(w->edits, w->fn->f->block.pos + 1, w->names.at, w->names.n);
}

static void
count_function(Work *w, const char *prefix)
{
	Cuts cuts = cuts_find(w->fn, w->arena);

	if (!cuts.n)
		return;
	tpl_init(&w->t, TEMPLATE_PROFILE, w->opt->omit, w->arena);
	tpl_begin(&w->t, prefix);
	tpl_flag(&w->t, "sampled", w->opt->profile_sampling > 0);
	tpl_flag(&w->t, "redux", w->m->target >= 80);
	tpl_value(&w->t, "counters", "%scounters", prefix);
	tpl_value(&w->t, "others", "%u", (1u << w->opt->profile_sampling) - 1);
	tpl_value(&w->t, "sampling", "%u", w->opt->profile_sampling);
	tpl_value(&w->t, "copies", "%u", COPIES - 1);
	tpl_value(&w->t, "apart", "%u", 8 * SIDE_BY_SIDE);
	w->names.n = w->zeros.n = w->launched.n = 0;
	w->launches = w->fn->f->entry ? w->counters++ : NO_LAUNCHES;
	buf_putc(&w->t.out, '\n');
	tpl_put(&w->t, "head");
	for (uint32_t i = 0; i < cuts.n; i++)
		count_cut(w, &cuts.at[i]);
	put_head(w);
	tpl_release(&w->t);
}

/* ---- the module ------------------------------------------------------------------------------ */

/* The variable that the program reads; NULL: there is none. */
static const Item *
variable(const Module *m)
{
	static const char name[] = "__ccc_profile";

	for (uint32_t i = 0; i < m->nitems; i++) {
		const Item *v = &m->items[i];
		size_t n = sizeof name - 1, len;
		if (v->kind != ITEM_VAR || !v->ref)
			continue;
		const char *s = ptx_name(m, v->ref, &len);
		for (size_t k = 0; k + n <= len; k++)
			if (memcmp(s + k, name, n) == 0)
				return v;
	}
	return NULL;
}

/* Where variables can be declared for all functions. */
static uint32_t
front(const Module *m, const Item *v)
{
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_FUNC || &m->items[i] == v)
			return m->items[i].at.pos;
	return v->at.pos;
}

static void
put_bytes(const Buf *bytes, Buf *out)
{
	for (size_t i = 0; i < bytes->n; i++)
		buf_printf(out, "%s%u", i ? ", " : "", (unsigned)(unsigned char)bytes->at[i]);
}

/* Declares the counters, and gives their addresses to the program's variable. */
static void
put_variables(Work *w, const Item *v, const char *prefix)
{
	const char *text = w->m->src->text + v->at.pos;
	uint32_t n = (w->counters + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE * SIDE_BY_SIDE;
	Buf out = { 0 };

	buf_printf(&out, ".global .align 8 .u64 %scounters[%u];\n", prefix, COPIES * n);
	buf_printf(&out, ".global .align 4 .u32 %stable[%u] = {%s};\n", prefix, OF_CUT * w->cuts,
		w->table.at);
	buf_printf(&out, ".global .align 1 .b8 %stexts[%u] = {", prefix, (unsigned)w->texts.n);
	put_bytes(&w->texts, &out);
	buf_puts(&out, "};\n");
	edit_insert(w->edits, front(w->m, v), out.at, out.n);
	out.n = 0;
	buf_printf(&out,
		"%s.global .align 8 .u64 %.*s[8] = {%u, %u, %scounters, %u, %stable, %stexts, %u, %u};",
		strncmp(text, ".visible", 8) == 0 ? ".visible " : "", PTX_NAME(w->m, v->ref),
		VERSION_OF_TABLE, w->cuts, prefix, n, prefix, prefix,
		(unsigned)w->texts.n, w->opt->profile_sampling);
	edit_replace(w->edits, v->at, out.at, out.n);
	buf_free(&out);
}

static void
count_all(Work *w, const char *prefix)
{
	const char *to = w->opt->profile_to ? w->opt->profile_to : "";
	const Effects *effects = effects_build(w->m, w->arena);

	buf_add(&w->texts, to, strlen(to) + 1);
	w->counters = 1; /* 0 is no counter */
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		if (!w->m->funcs[f].body || !w->m->funcs[f].nmarkers)
			continue;
		Arena *tables = arena_new();
		w->fn = fn_build(w->m, f, effects, tables);
		count_function(w, prefix);
		arena_free(tables);
	}
}

bool
generate_text(const Module *m, const Pass_options *opt, Diags *d, Buf *out)
{
	Work w = { .m = m, .opt = opt, .arena = arena_new() };
	const Item *v = m->address_size == 64 ? variable(m) : NULL;
	char prefix[32];

	snprintf(prefix, sizeof prefix, "ccc%u_", names_first_number(m));
	w.edits = edit_new(w.arena);
	count_all(&w, prefix);
	bool ok = v || !w.cuts;
	if (v && w.cuts)
		put_variables(&w, v, prefix);
	if (v && w.cuts)
		edit_apply(w.edits, m->src, out);
	else
		buf_add(out, m->src->text, m->src->len);
	if (!ok) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE, "nothing is counted: the module has no variable '__ccc_profile', or addresses of 32 bits");
		diag_note(d, DIAG_NOWHERE, "ccc_profile.h has it, which cccnvcc --ccc-profile-generate includes");
	}
	edit_release(w.edits);
	vec_free(&w.begun);
	buf_free(&w.table);
	buf_free(&w.texts);
	buf_free(&w.names);
	buf_free(&w.zeros);
	buf_free(&w.launched);
	arena_free(w.arena);
	return ok;
}
