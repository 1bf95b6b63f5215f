/* SPDX-License-Identifier: MIT */
/* Branch distribution (Han and Abdelrahman, GPGPU-4 2011, section 3.2; docs/design.md 8).
 *
 * needs:    cfg loop live effects region
 * refuses:  what meld.c says: operations between lanes, ends of threads, arms of different shapes, no gain
 * correct because (names of labels and sections are distribute.tpl's):
 *   - A lane comes to `meld` with %^then set for the arm that it would have run, from that arm's begin marker. Nodes correspond as
 *     graphs: at each branch it takes the way that its arm's branch takes (`branch`), so it walks through the pairs of its own
 *     arm's nodes.
 *   - In a pair each arm's instructions stand in their order. A lane runs those that both have with its own operands, those of its
 *     arm, and none of the other's: they are predicated with %^then, or jumped over. So it does what its arm did, in its order.
 *   - Registers: a register that stands for two (a place) is written by lanes of each arm for their own. It is set at `take` if it
 *     is live into the arm, and goes back at `leave` if it is live behind it. A register without a place is written by
 *     lanes of an arm that writes it, as before.
 *   - Lanes of both arms may run together or not; nothing depends on it.
 * cost:     a select where operands differ, moves where places come in and go out; registers: a place or less for each of the arms'
 * before / after: docs/transformation.md
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "transform/copy.h"
#include "transform/distribute.h"
#include "transform/meld.h"
#include "transform/plan.h"

enum { FEW = 4 }; /* instructions of one arm that are predicated one by one */

typedef struct {
	Meld meld;
	const Fn *fn;
	const Module *m;
	Arena *arena;
	Tpl *t;
	Edits *edits;
	uint32_t number;
	uint32_t pair, arm;     /* that is written */
	uint32_t run[2], behind; /* rows of one arm: from run[0] to behind, for arm run[1] */
	uint32_t skips;         /* labels o<n> that were used */
	uint32_t temporaries[TYPE_F64 + 1], most[TYPE_F64 + 1];
	bool *labelled;         /* blocks that got a label of our own */
} Writer;

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

static const char *format(const Writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A string in the arena. */
static const char *
format(const Writer *w, const char *fmt, ...)
{
	Buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	const char *s = arena_strndup(w->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

/* What stands for a leaf of an arm's instruction; NULL: its text. */
static const char *
name_of(const Writer *w, uint32_t arm, uint32_t sym)
{
	uint32_t p = sym ? meld_place(&w->meld, arm, sym) : 0;

	return p ? format(w, "%%^s%u", p) : NULL;
}

/* The same, for a register. */
static const char *
register_name(const Writer *w, uint32_t arm, uint32_t sym)
{
	const char *name = name_of(w, arm, sym);

	return name ? name : copy_name(w->fn, sym, w->arena);
}

static Type
type_of(const Writer *w, uint32_t sym)
{
	return (Type)w->m->syms[sym].type;
}

/* A register of the type for what a lane selects, until the next instruction. */
static const char *
temporary(Writer *w, Type type)
{
	uint32_t n = w->temporaries[type]++;

	if (w->temporaries[type] > w->most[type])
		w->most[type] = w->temporaries[type];
	return format(w, "%%^%s%u", ptx_type_name(type), n);
}

/* ---- instructions ------------------------------------------------------------------------------------------------------------ */

/* Writes an instruction on a line, with other texts for its leaves (NULL: their own). */
static void
put_insn(Writer *w, const Stmt *s, const char **leaf, const char *guard)
{
	Leaf l[LEAVES];
	uint32_t n = meld_leaves(w->m, s, l), pos = s->head;
	const char *text = w->m->src->text;

	buf_putc(&w->t->out, '\t');
	if (guard)
		tpl_text(w->t, "@%s ", guard);
	if (s->guard)
		tpl_text(w->t, s->guard == 2 ? "@!%s " : "@%s ",
			leaf[0] ? leaf[0] : copy_name(w->fn, s->sym, w->arena));
	for (uint32_t i = s->guard != 0; i < n; i++) {
		if (!leaf[i])
			continue;
		buf_add(&w->t->out, text + pos, l[i].at.pos - pos);
		tpl_text(w->t, "%s", leaf[i]);
		pos = l[i].at.end;
	}
	buf_add(&w->t->out, text + pos, s->at.end - pos);
	buf_putc(&w->t->out, '\n');
}

/* Writes an instruction as an arm has it. */
static void
put_of_arm(Writer *w, uint32_t arm, const Stmt *s, const char *guard)
{
	Leaf l[LEAVES];
	const char *text[LEAVES];
	uint32_t n = meld_leaves(w->m, s, l);

	for (uint32_t i = 0; i < n; i++)
		text[i] = name_of(w, arm, l[i].sym);
	put_insn(w, s, text, guard);
}

/* A statement that is no instruction. */
static void
put_plain(Writer *w, const Stmt *s)
{
	buf_putc(&w->t->out, '\t');
	buf_add(&w->t->out, w->m->src->text + s->at.pos, s->at.end - s->at.pos);
	buf_putc(&w->t->out, '\n');
}

static void
put_select(Writer *w, Type type, const char *to, const char *from[2])
{
	tpl_value(w->t, "to", "%s", to);
	tpl_value(w->t, "first", "%s", from[0]);
	tpl_value(w->t, "second", "%s", from[1]);
	tpl_value(w->t, "bits", "%u", 8 * ptx_type_size(type));
	tpl_put(w->t, type == TYPE_PRED ? "select_predicate" : "select");
}

/* Writes an instruction of both arms, behind what selects its operands. */
static void
put_both(Writer *w, const Stmt *a, const Stmt *b)
{
	Leaf la[LEAVES], lb[LEAVES];
	const char *text[LEAVES];
	uint32_t n = meld_leaves(w->m, a, la);

	memset(w->temporaries, 0, sizeof w->temporaries);
	meld_leaves(w->m, b, lb);
	for (uint32_t i = 0; i < n; i++) {
		text[i] = name_of(w, 0, la[i].sym);
		if (!meld_differs(&w->meld, &la[i], &lb[i]))
			continue;
		const char *from[2] = { register_name(w, 0, la[i].sym), register_name(w, 1, lb[i].sym) };
		text[i] = temporary(w, type_of(w, la[i].sym));
		put_select(w, type_of(w, la[i].sym), text[i], from);
	}
	put_insn(w, a, text, NULL);
}

static void
put_row_of_both(Writer *w, const Row *st)
{
	uint32_t b = st->of[1].first;

	for (uint32_t a = st->of[0].first; a <= st->of[0].last; a++) {
		const Stmt *s = fn_stmt(w->fn, a);
		while (s->kind == STMT_INSN && fn_stmt(w->fn, b)->kind != STMT_INSN)
			b++;
		if (s->kind == STMT_INSN)
			put_both(w, s, fn_stmt(w->fn, b++));
		else if (s->kind == STMT_OPEN || s->kind == STMT_CLOSE || s->kind == STMT_DECL)
			put_plain(w, s);
	}
}

/* ---- what one arm has alone ------------------------------------------------------------------------------------------------- */

static void
piece_statements(void *user)
{
	Writer *w = user;
	const Pair *p = &w->meld.pairs.at[w->pair];

	for (uint32_t i = w->run[0]; i < w->behind; i++) {
		Unit u = p->rows.at[i].of[w->run[1]];
		for (uint32_t s = u.first; u.first && s <= u.last; s++) {
			const Stmt *st = fn_stmt(w->fn, s);
			if (st->kind == STMT_INSN)
				put_of_arm(w, w->run[1], st, NULL);
			else if (st->kind == STMT_OPEN || st->kind == STMT_CLOSE || st->kind == STMT_DECL)
				put_plain(w, st);
		}
	}
}

/* Can each of these be predicated? */
static bool
few(const Writer *w, uint32_t *n)
{
	const Pair *p = &w->meld.pairs.at[w->pair];
	bool plain = true;

	*n = 0;
	for (uint32_t i = w->run[0]; i < w->behind; i++) {
		Unit u = p->rows.at[i].of[w->run[1]];
		if (!u.first)
			continue;
		const Stmt *s = fn_stmt(w->fn, u.first);
		++*n;
		plain &= u.first == u.last && s->kind == STMT_INSN && !s->guard &&
			!(ptx_flags(w->m, s) & OPF_CALL);
	}
	return plain && *n <= FEW;
}

/* The statements of the run that are of one arm. */
static void
put_one_arm(Writer *w, uint32_t arm)
{
	static const char *const mine[2] = { "%^then", "!%^then" };
	const Pair *p = &w->meld.pairs.at[w->pair];
	uint32_t n;

	w->run[1] = arm;
	bool predicate = few(w, &n);
	for (uint32_t i = w->run[0]; i < w->behind && predicate; i++)
		if (p->rows.at[i].of[arm].first)
			put_of_arm(w, arm, fn_stmt(w->fn, p->rows.at[i].of[arm].first), mine[arm]);
	if (predicate || n == 0)
		return;
	tpl_value(w->t, "others", "%s", mine[1 - arm]);
	tpl_value(w->t, "n", "%u", w->skips++);
	tpl_put(w->t, "one_arm");
}

static void
piece_rows(void *user)
{
	Writer *w = user;
	const Pair *p = &w->meld.pairs.at[w->pair];

	for (uint32_t i = 0; i < p->rows.n; i = w->behind) {
		w->run[0] = i;
		for (w->behind = i; w->behind < p->rows.n; w->behind++)
			if (p->rows.at[w->behind].of[0].first && p->rows.at[w->behind].of[1].first)
				break;
		put_one_arm(w, 0);
		put_one_arm(w, 1);
		if (w->behind < p->rows.n)
			put_row_of_both(w, &p->rows.at[w->behind++]);
	}
}

/* ---- ways -------------------------------------------------------------------------------------------------------------------- */

static uint32_t
pair_of(const Writer *w, uint32_t first)
{
	uint32_t i = 0;

	while (w->meld.pairs.at[i].node[0] != first)
		i++;
	return i;
}

/* The label of a block behind the arms, which gets one if it has none. */
static const char *
block_name(Writer *w, uint32_t b)
{
	Buf text = { 0 };

	FN_BLOCK_STMTS(w->fn, b, s)
		if (fn_stmt(w->fn, s)->kind == STMT_LABEL)
			return copy_name(w->fn, fn_stmt(w->fn, s)->sym, w->arena) + 1;
	if (!w->labelled[b]) {
		buf_printf(&text, "$ccc%u_out%u:\n\t", w->number, b);
		edit_insert(w->edits, fn_stmt(w->fn, w->fn->cfg->blocks[b].stmt)->at.pos, text.at, text.n);
		buf_free(&text);
	}
	w->labelled[b] = true;
	return format(w, "^out%u", b);
}

static void
put_move(Writer *w, const char *section, Type type, const char *const names[2])
{
	tpl_value(w->t, "to", "%s", names[0]);
	tpl_value(w->t, "from", "%s", names[1]);
	if (type == TYPE_PRED)
		tpl_value(w->t, "type", "pred");
	else
		tpl_value(w->t, "type", "b%u", 8 * ptx_type_size(type));
	tpl_put(w->t, section);
}

static bool
live_into(const Writer *w, uint32_t b, uint32_t sym)
{
	return bits_has(w->fn->live->in[b], fn_local(w->fn, sym));
}

/* Is the register, which is live into the other arm alone, set where lanes of this arm do not pass? */
static bool
set_aside(const Writer *w, uint32_t arm, uint32_t sym)
{
	const uint32_t mine = w->meld.arm[arm].region->entry, other = w->meld.arm[1 - arm].region->entry;

	if (!meld_movable(w->fn, sym) || live_into(w, mine, sym) || meld_place(&w->meld, 1 - arm, sym))
		return false;
	Reaching r = defuse_reaching(w->fn, other, sym);
	for (uint32_t i = 0; i < r.n; i++) {
		uint32_t s = fn_def(w->fn, r.at[i])->stmt;
		if (!s || !dom_dominates(w->fn->dom, fn_block(w->fn, s), mine))
			return true;
	}
	return false;
}

static void
put_zero(Writer *w, uint32_t sym)
{
	put_move(w, "come", type_of(w, sym), (const char *[2]){ copy_name(w->fn, sym, w->arena), "0" });
}

/* What comes in to an arm's places. What is written or read for lanes of one arm alone is set to 0 for the others, unless it is live
 * there: else it would seem to come from before, and around every loop, as a write under a predicate ends no life. */
static void
piece_take(void *user)
{
	Writer *w = user;
	uint32_t arm = w->arm, entry = w->meld.arm[arm].region->entry;

	for (uint32_t i = 1; i < w->meld.places.n; i++) {
		uint32_t sym = w->meld.places.at[i].sym[arm];
		if (!meld_place(&w->meld, arm, sym))
			continue;
		bool live = live_into(w, entry, sym);
		if (live || w->meld.places.at[i].weak)
			put_move(w, "come", type_of(w, sym),
				(const char *[2]){ name_of(w, arm, sym), live ? copy_name(w->fn, sym, w->arena) : "0" });
	}
	BITS_EACH(k, w->meld.weak)
		if (!live_into(w, entry, fn_sym(w->fn, k)))
			put_zero(w, fn_sym(w->fn, k));
	BITS_EACH(k, w->fn->live->in[w->meld.arm[1 - arm].region->entry])
		if (!bits_has(w->meld.weak, k) && set_aside(w, arm, fn_sym(w->fn, k)))
			put_zero(w, fn_sym(w->fn, k));
}

/* What is read in block b, behind the arms, goes from an arm's places to its own registers. */
static void
give_back(Writer *w, uint32_t arm, uint32_t b)
{
	tpl_value(w->t, "lane", "%s", arm ? "!%^then" : "%^then");
	for (uint32_t i = 1; i < w->meld.places.n; i++) {
		uint32_t sym = w->meld.places.at[i].sym[arm];
		if (meld_place(&w->meld, arm, sym) && live_into(w, b, sym))
			put_move(w, "back", type_of(w, sym),
				(const char *[2]){ copy_name(w->fn, sym, w->arena), name_of(w, arm, sym) });
	}
}

static const Node *
node_of(const Writer *w, uint32_t arm)
{
	return &w->meld.arm[arm].nodes.at[w->meld.pairs.at[w->pair].node[arm]];
}

static void
piece_give(void *user)
{
	Writer *w = user;

	for (uint32_t arm = 0; arm < 2; arm++)
		give_back(w, arm, node_of(w, arm)->goes);
}

/* The predicate, with a ! if need be, under which lanes go where the first arm's branch leads. */
static const char *
way_predicate(Writer *w)
{
	const Stmt *s[2] = { fn_stmt(w->fn, node_of(w, 0)->branch), fn_stmt(w->fn, node_of(w, 1)->branch) };
	const char *name[2] = { register_name(w, 0, s[0]->sym), register_name(w, 1, s[1]->sym) };
	bool negated[2] = { s[0]->guard == 2, (s[1]->guard == 2) != w->meld.pairs.at[w->pair].swapped };

	if (negated[0] == negated[1] && strcmp(name[0], name[1]) == 0)
		return negated[0] ? format(w, "!%s", name[0]) : name[0];
	memset(w->temporaries, 0, sizeof w->temporaries);
	const char *to = temporary(w, TYPE_PRED);
	tpl_value(w->t, "to", "%s", to);
	tpl_value(w->t, "first", "%s", name[0]);
	tpl_value(w->t, "second", "%s", name[1]);
	tpl_flag(w->t, "first_negated", negated[0]);
	tpl_flag(w->t, "second_negated", negated[1]);
	tpl_put(w->t, "select_way");
	return to;
}

static void
put_leave(Writer *w)
{
	const char *to[2] = { block_name(w, node_of(w, 0)->goes), block_name(w, node_of(w, 1)->goes) };

	tpl_flag(w->t, "ways_differ", strcmp(to[0], to[1]) != 0);
	tpl_value(w->t, "first", "%s", to[0]);
	tpl_value(w->t, "second", "%s", to[1]);
	tpl_put(w->t, "leave");
}

static void
piece_go(void *user)
{
	Writer *w = user;
	const Node *n = node_of(w, 0);

	if (n->leaves) {
		put_leave(w);
	} else if (n->nto == 2) {
		tpl_value(w->t, "p", "%s", way_predicate(w));
		tpl_value(w->t, "taken", "^m%u", pair_of(w, n->to[0]));
		tpl_value(w->t, "other", "^m%u", pair_of(w, n->to[1]));
		tpl_put(w->t, "branch");
	} else if (pair_of(w, n->to[0]) != w->pair + 1) {
		tpl_line(w->t, "\tbra $^m%u;", pair_of(w, n->to[0]));
	}
}

static void
piece_nodes(void *user)
{
	Writer *w = user;

	for (w->pair = 0; w->pair < w->meld.pairs.n; w->pair++) {
		tpl_value(w->t, "k", "%u", w->pair);
		tpl_put(w->t, "node");
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

/* The melded code's registers, at the head of the function: both arms name them. */
static void
put_declarations(Writer *w)
{
	Buf text = { 0 };

	buf_printf(&text, "\n\t.reg .pred %%ccc%u_then;", w->number);
	for (uint32_t i = 1; i < w->meld.places.n; i++)
		if (meld_place(&w->meld, 0, w->meld.places.at[i].sym[0]))
			buf_printf(&text, "\n\t.reg .%s %%ccc%u_s%u;", ptx_type_name(type_of(w, w->meld.places.at[i].sym[0])),
				w->number, i);
	for (uint32_t type = 0; type <= TYPE_F64; type++)
		for (uint32_t i = 0; i < w->most[type]; i++)
			buf_printf(&text, "\n\t.reg .%s %%ccc%u_%s%u;", ptx_type_name((Type)type), w->number,
				ptx_type_name((Type)type), i);
	edit_insert(w->edits, w->fn->f->block.pos + 1, text.at, text.n);
	buf_free(&text);
}

/* The arms' own code goes; labels stay, and what debuggers read. */
static void
remove_arm(Writer *w, const Region *r)
{
	BITS_EACH(b, r->blocks)
		FN_BLOCK_STMTS(w->fn, b, s) {
			const Stmt *st = fn_stmt(w->fn, s);
			if (st->kind == STMT_INSN || st->kind == STMT_OPEN || st->kind == STMT_CLOSE || st->kind == STMT_DECL)
				edit_replace(w->edits, st->at, "", 0);
		}
}

/* The end markers that the arms lead to say "done". */
static void
ends_done(Writer *w)
{
	Bits seen = bits_new(w->arena, w->fn->cfg->nblocks);

	for (uint32_t i = 0; i < w->meld.pairs.n; i++)
		for (uint32_t arm = 0; arm < 2; arm++) {
			uint32_t b = w->meld.arm[arm].nodes.at[w->meld.pairs.at[i].node[arm]].leaves;
			uint32_t s = w->fn->cfg->blocks[b].stmt;
			if (!b || bits_has(seen, b) || fn_stmt(w->fn, s)->kind != STMT_MARKER)
				continue;
			Buf text = { 0 };
			bits_set(seen, b);
			mark_done(w->m, &w->m->markers[fn_stmt(w->fn, s)->sym], &text);
			edit_replace(w->edits, fn_stmt(w->fn, s)->at, text.at, text.n);
			buf_free(&text);
		}
}

/* Puts a section in place of an arm's begin marker, which says "done". */
static void
put_section(Writer *w, uint32_t arm, const char *section)
{
	const Marker *k = &w->m->markers[w->meld.arm[arm].region->marker];

	w->t->out.n = 0;
	w->arm = arm;
	mark_done(w->m, k, &w->t->out);
	buf_putc(&w->t->out, '\n');
	tpl_put(w->t, section);
	edit_replace(w->edits, w->m->stmts[k->stmt].at, w->t->out.at, w->t->out.n - 1);
}

static void
tell(Writer *w)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "take", piece_take }, { "nodes", piece_nodes }, { "rows", piece_rows }, { "go", piece_go },
		{ "give", piece_give }, { "statements", piece_statements },
	};
	const Module *m = w->m;

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(w->t, pieces[i].name, pieces[i].f, w);
	tpl_value(w->t, "first_line", "%u", m->markers[w->meld.arm[0].region->marker].cuda.line);
	tpl_value(w->t, "second_line", "%u", m->markers[w->meld.arm[1].region->marker].cuda.line);
}

/* Writes the arms as one. */
static void
write_meld(Writer *w, const Pass_options *opt)
{
	char prefix[32];
	Tpl t;

	w->t = &t;
	w->labelled = arena_array(w->arena, w->fn->cfg->nblocks, sizeof *w->labelled);
	snprintf(prefix, sizeof prefix, "ccc%u_", w->number);
	tpl_init(&t, TEMPLATE_DISTRIBUTE, opt->omit, w->arena);
	tpl_begin(&t, prefix);
	tell(w);
	put_section(w, 0, "first");
	if (opt->show[STEP_WRITE])
		buf_add(opt->shown, t.out.at, t.out.n);
	put_section(w, 1, "second");
	for (uint32_t arm = 0; arm < 2; arm++)
		remove_arm(w, w->meld.arm[arm].region);
	ends_done(w);
	put_declarations(w);
	tpl_release(&t);
}

/* ---- sites ----------------------------------------------------------------------------------------------------------------------- */

static bool
has_arms(const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling)
		if (c->kind == REGION_ARM || has_arms(c))
			return true;
	return false;
}

/* The deepest block that dominates both. */
static uint32_t
common_dominator(const Dom *d, uint32_t a, uint32_t b)
{
	while (a && !dom_dominates(d, a, b))
		a = d->idom[a];
	return a;
}

/* The else arm of a then arm: guards are numbered in order, and of its copies it is the one that parts from it last. NULL: the
 * compiler left none. */
static const Region *
other_arm(const Fn *fn, const Region *r)
{
	const Marker *k = &fn->m->markers[r->marker];
	const Region *found = NULL;
	uint32_t last = 0;

	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = &fn->m->markers[o->marker];
		if (o->kind != REGION_ARM || l->id != k->id + 1 || l->cuda.line != k->cuda.line)
			continue;
		uint32_t at = common_dominator(fn->dom, r->entry, o->entry);
		if (found && dom_dominates(fn->dom, at, last))
			continue;
		found = o;
		last = at;
	}
	return found;
}

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;           /* of what is told */
	const Effects *effects;
	uint32_t number;
	Arms_told melded, left;
} Work;

static Arms
arms_of(const Work *w, const Meld *x, Verdict why)
{
	return (Arms){ .func = x->fn->func,
		.marker = { x->arm[0].region->marker, x->arm[1].region->marker },
		.total = x->total,
		.both = x->both,
		.before = x->before,
		.after = x->after,
		.why = verdict_copy(&why, w->arena) };
}

/* Melds the arms that begin with region r, if it is the first of two, and there are none within. */
static void
meld_arms(Work *w, const Fn *fn, const Region *r)
{
	const Region *other = has_arms(r) ? NULL : other_arm(fn, r);
	Writer x = { .fn = fn, .m = w->m, .arena = fn->arena, .edits = w->edits, .number = w->number };

	if (!other || has_arms(other))
		return;
	Verdict why = meld_make(&x.meld, fn, r, other, fn->arena);
	if (!verdict_no(why)) {
		write_meld(&x, w->opt);
		w->number++;
	}
	*vec_push(verdict_no(why) ? &w->left : &w->melded) = arms_of(w, &x.meld, why);
	meld_release(&x.meld);
}

static void
meld_regions(Work *w, const Fn *fn, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		if (c->kind == REGION_ARM)
			meld_arms(w, fn, c);
		meld_regions(w, fn, c);
	}
}

/* Has the function an annotation that can be followed? */
static bool
is_asked(const Work *w, uint32_t func)
{
	const Func *f = &w->m->funcs[func];

	if (w->opt->leave && w->opt->leave[func])
		return false;
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++)
		if (w->m->markers[i].annot.kind == ANNOT_DISTRIBUTE && !w->m->markers[i].end &&
			!w->m->markers[i].done && !w->m->markers[i].wrong)
			return true;
	return false;
}

static void
meld_function(Work *w, uint32_t func)
{
	Diags *quiet = diags_new(NULL); /* the passes say it */
	Arena *a = arena_new();
	const Fn *fn = fn_build(w->m, func, w->effects, a);

	meld_regions(w, fn, &region_build(fn, quiet, a)->kernel);
	arena_free(a);
	diags_free(quiet);
}

bool
distribute_run(const Module *m, const Pass_options *opt, Arena *a, Arms_told *told, Edits *e)
{
	Work w = { .m = m, .opt = opt, .edits = e, .arena = a };
	Arena *tables = arena_new();

	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!is_asked(&w, i))
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, tables);
			w.number = pass_first_number(m);
		}
		meld_function(&w, i);
	}
	bool any = w.melded.n > 0;
	const Arms_told *tell = any ? &w.melded : &w.left;
	for (uint32_t i = 0; i < tell->n; i++)
		*vec_push(told) = tell->at[i];
	vec_free(&w.melded);
	vec_free(&w.left);
	arena_free(tables);
	return any;
}
