/* SPDX-License-Identifier: MIT */
/* The text of an expanded inner loop. The text itself is expand.tpl; here are its values and its pieces: how often a row goes round,
 * what a helper takes from its owner by shuffles, and what the owner computes behind the row.
 */
#include "transform/emit.h"
#include "transform/passes.h"
#include "transform/reduction.h"

static const Rounds *
rounds(const Emit *e)
{
	return e->k->rounds;
}

static const char *
own_name(const Emit *e, uint32_t sym)
{
	return copy_name(e->x->fn, sym, e->arena);
}

static uint32_t
bytes_of(const Emit *e, uint32_t sym)
{
	return ptx_type_size((Type)e->m->syms[sym].type);
}

/* ---- what helpers run ------------------------------------------------------------------------------------------------------- */

static bool
left_out(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return !bits_has(rounds(e)->runs, fn_local_stmt(e->x->fn, stmt));
}

static const char *
way(Emit *e, uint32_t to, const char *word, const char *done)
{
	return part_has(e->k, to) && to != e->k->path->entry ? emit_site_label(e, word, to) : done;
}

static const char *
long_way(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return way(user, to, "b", "~ran");
}

static const char *
short_way(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return way(user, to, "d", "~done");
}

/* The block with the test, without it. */
static void
put_last(Emit *e, Copy *c, const char *label, const char *following)
{
	const Trips *t = rounds(e)->trips;
	uint32_t to = e->k->path->entry;

	copy_new_line(e->t);
	tpl_text(e->t, "$%s:", label);
	copy_straight(c, t->last);
	if (t->top)
		FN_SUCC(e->x->fn, t->last, s)
			if (part_has(e->k, s))
				to = s;
	copy_branch(c, t->last, to, following);
}

/* One iteration; control goes on to `done`, which is behind it. word: of its blocks' labels. */
static void
put_iteration(Emit *e, Copy *c, const char *word, const char *done)
{
	Bits blocks = e->k->path->blocks;
	uint32_t entry = e->k->path->entry;

	if (bits_next(blocks, 0) != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_site_label(e, word, entry));
	for (uint32_t b = bits_next(blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(blocks, b + 1);
		const char *label = emit_site_label(e, word, b);
		const char *following = after == UINT32_MAX ? done : emit_site_label(e, word, after);
		if (b == rounds(e)->trips->last)
			put_last(e, c, label, following);
		else
			copy_block(c, b, label, following);
		b = after;
	}
}

static void
piece_path(void *user)
{
	Emit *e = user;

	put_iteration(e, &e->path, "b", "~ran");
}

static void
piece_path_again(void *user)
{
	Emit *e = user;

	put_iteration(e, &e->again_path, "d", "~done");
}

/* ---- the owner's code: up to the inner loop, and behind it -------------------------------------------------------------------- */

static const char *
own_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	if (to == e->k->path->entry)
		return "~want";
	if (to == plan_header(e->x) && loop_contains(e->x->fn->loops, e->x->site->loop, from))
		return "~meet";
	return bits_has(e->x->own, to) ? emit_site_label(e, "b", to) : emit_exit_label(e, emit_way(e->x, to, 0));
}

static const char *
gone_label(Emit *e, uint32_t k)
{
	e->gone[k] = true;
	return emit_site_label(e, "gone", k);
}

static const char *
rest_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	if (to == plan_header(e->x))
		return "~round";
	return bits_has(e->x->own, to) ? emit_site_label(e, "r", to) : gone_label(e, emit_way(e->x, to, 0));
}

static const char *
rest_end(void *user, uint32_t stmt)
{
	Emit *e = user;

	return gone_label(e, emit_way(e->x, 0, stmt));
}

/* Blocks of the own part: what lanes come to from `from` without the inner loop, and without going back. */
static Bits
own_blocks(const Emit *e, uint32_t from, bool header)
{
	const Cfg *g = e->x->fn->cfg;
	Bits within = bits_new(e->arena, g->nblocks), found = bits_new(e->arena, g->nblocks);

	bits_copy(within, e->x->own);
	if (!header)
		bits_unset(within, plan_header(e->x));
	cfg_flood(g, from, false, within, found);
	return found;
}

/* The blocks in text order. word: of their labels; `want` stands in place of the inner loop. */
static void
put_own(Emit *e, Copy *c, Bits blocks, const char *word)
{
	uint32_t n = e->x->fn->cfg->nblocks;

	FN_BLOCKS(e->x->fn, b) {
		uint32_t after = b + 1;
		bool want = b == e->k->path->entry && c == &e->own;
		while (after < n && !bits_has(blocks, after) && (after != e->k->path->entry || c != &e->own))
			after++;
		const char *following = after == n ? "" : after == e->k->path->entry ? "~want" : emit_site_label(e, word, after);
		copy_new_line(e->t);
		if (want)
			tpl_put(e->t, "want");
		else if (bits_has(blocks, b))
			copy_block(c, b, emit_site_label(e, word, b), following);
	}
}

static void
piece_own(void *user)
{
	Emit *e = user;

	put_own(e, &e->own, own_blocks(e, e->x->site->entry, true), "b");
}

static void
piece_rest(void *user)
{
	Emit *e = user;

	if (e->k->path->next != plan_header(e->x))
		put_own(e, &e->rest, own_blocks(e, e->k->path->next, false), "r");
}

static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "left", "exit");
	tpl_value(e->t, "left_to", "meet");
	emit_exits(e);
}

static void
piece_gone(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "left", "gone");
	tpl_value(e->t, "left_to", "round");
	e->way_used = e->gone;
	emit_exits(e);
}

/* ---- a row's values, from its owner ------------------------------------------------------------------------------------------- */

static void
shuffle(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tshfl.sync.idx.b32 %s, %s, %%~owner, 31, <mask>;", to, from);
}

static void
shuffle_wide(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tmov.b64 {%%~lo, %%~hi}, %s;", from);
	shuffle(e, "%~lo", "%~lo");
	shuffle(e, "%~hi", "%~hi");
	tpl_line(e->t, "\tmov.b64 %s, {%%~lo, %%~hi};", to);
}

/* By way of a word: what makes one of the value, and the value of one. */
static void
shuffle_narrow(Emit *e, const Slot *s, const char *to, const char *from)
{
	if (s->size == 0)
		tpl_line(e->t, "\tselp.b32 %%~lo, 1, 0, %s;", from);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 %%~lo, {%s, %s};", from, from);
	else
		tpl_line(e->t, "\tcvt.u32.u8 %%~lo, %s;", from);
	shuffle(e, "%~lo", "%~lo");
	if (s->size == 0)
		tpl_line(e->t, "\tsetp.ne.u32 %s, %%~lo, 0;", to);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 {%s, %%~half}, %%~lo;", to);
	else
		tpl_line(e->t, "\tcvt.u8.u32 %s, %%~lo;", to);
}

static void
piece_fetch(void *user)
{
	Emit *e = user;
	const Task *task = &e->k->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Slot *s = &task->slots[i];
		const char *to = emit_own(e, e->k, s->sym, s->sel), *from = own_name(e, s->sym);
		if (e->m->syms[s->sym].kind == SYM_SPECIAL) {
			task_read_special(e, s);
			from = to;
		}
		if (s->size == 4)
			shuffle(e, to, from);
		else if (s->size == 8)
			shuffle_wide(e, to, from);
		else
			shuffle_narrow(e, s, to, from);
	}
}

static void
piece_fetch_count(void *user)
{
	Emit *e = user;

	if (rounds(e)->trips->bytes == 4) {
		shuffle(e, "%~left", "%~n");
		tpl_line(e->t, "\tsub.s32 %%~left, %%~left, %%~lane;");
		return;
	}
	shuffle_wide(e, "%~wide_left", "%~wide_n");
	tpl_line(e->t, "\tcvt.u64.u32 %%~wide_from, %%~lane;");
	tpl_line(e->t, "\tsub.s64 %%~wide_left, %%~wide_left, %%~wide_from;");
}

/* Inductions of the path's own go on by as many steps as a register says, or one less where a step is copied with the iteration. */
static void
go_on(Emit *e, const char *many, const char *one_less)
{
	const Trips *t = rounds(e)->trips;

	for (uint32_t i = 0; i < t->nsteps; i++) {
		const Induction *n = &t->steps[i];
		const char *own = emit_own(e, e->k, n->sym, 0);
		bool copied = bits_has(rounds(e)->runs, fn_local_stmt(e->x->fn, n->stmt));
		if (e->k->task.from[fn_local(e->x->fn, n->sym)] != IN_SAVED)
			continue;
		tpl_line(e->t, "\tmad.%s.s32 %s, %s, %lld, %s;",
			bytes_of(e, n->sym) == 4 ? "lo" : "wide", own,
			copied ? one_less : many, (long long)n->step, own);
	}
}

static void
piece_at_lane(void *user)
{
	go_on(user, "%~lane", "%~lane");
}

static void
piece_at_next(void *user)
{
	go_on(user, "%~size", "%~last");
}

static void
piece_at_iteration(void *user)
{
	go_on(user, "%~bit", "%~bit");
}

/* ---- reductions ------------------------------------------------------------------------------------------------------------------ */

/* Another lane's value of the reduction at hand, into the word that is told as <other>. */
static void
shuffle_other(Emit *e, const char *how, const char *from)
{
	const char *own = emit_own(e, e->k, e->sum->out, 0);

	if (ptx_type_size(e->sum->type) == 4) {
		tpl_line(e->t, "\tshfl.sync.%s.b32 %%~lo, %s, %s, <mask>;", how, own, from);
		return;
	}
	tpl_line(e->t, "\tmov.b64 {%%~lo, %%~hi}, %s;", own);
	tpl_line(e->t, "\tshfl.sync.%s.b32 %%~lo, %%~lo, %s, <mask>;", how, from);
	tpl_line(e->t, "\tshfl.sync.%s.b32 %%~hi, %%~hi, %s, <mask>;", how, from);
	tpl_line(e->t, "\tmov.b64 %%~wide_other, {%%~lo, %%~hi};");
}

static void
piece_from_below(void *user)
{
	shuffle_other(user, "up", "<d>, 0");
}

static void
piece_from_last(void *user)
{
	shuffle_other(user, "idx", "%~from, <final>");
}

/* What lanes have folded goes to the rows' owners. */
static void
piece_fold(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = e->sum = &e->k->task.sums[i];
		tpl_value(e->t, "op", "%s", reduction_fold(r, e->arena));
		tpl_value(e->t, "own", "%s", emit_own(e, e->k, r->out, 0));
		tpl_value(e->t, "other", ptx_type_size(r->type) == 4 ? "%%~lo" : "%%~wide_other");
		tpl_value(e->t, "result", "%s", own_name(e, r->in));
		for (uint32_t d = 1; d < WARP; d *= 2) {
			tpl_value(e->t, "d", "%u", d);
			tpl_put(e->t, "scan");
		}
		tpl_put(e->t, "take");
	}
}

static void
put_identity(Emit *e, const Reduction *r, uint32_t sym)
{
	tpl_line(e->t, "\tmov.b%u %s, 0x%llx;", 8 * ptx_type_size(r->type), emit_own(e, e->k, sym, 0),
		(unsigned long long)reduction_identity(r));
}

static void
piece_identities(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = &e->k->task.sums[i];
		put_identity(e, r, r->in);
		if (r->in != r->out)
			put_identity(e, r, r->out);
	}
}

/* Between two iterations of a row in one lane the variable is called what it is called in front of the loop. */
static void
piece_carry_on(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = &e->k->task.sums[i];
		if (r->in != r->out)
			tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * ptx_type_size(r->type),
				emit_own(e, e->k, r->in, 0), emit_own(e, e->k, r->out, 0));
	}
}

/* And behind the loop what it is called there. */
static void
hand_on(Emit *e)
{
	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = &e->k->task.sums[i];
		if (r->in != r->out)
			tpl_line(e->t, "\t@%%~row mov.b%u %s, %s;", 8 * ptx_type_size(r->type),
				own_name(e, r->out), own_name(e, r->in));
	}
}

/* ---- behind a row ---------------------------------------------------------------------------------------------------------------- */

/* What a definition of the loop leaves, from the owner's induction and how often the row went round. */
static void
put_end(Emit *e, uint32_t def)
{
	const Trips *t = rounds(e)->trips;
	const char *to = own_name(e, fn_def(e->x->fn, def)->sym);
	Trips_value v = { 0 };
	bool known = trips_value(t, def, &v);
	const Induction *i = &t->steps[v.step];
	uint32_t bits = 8 * bytes_of(e, i->sym);
	const char *n = bits == 32 ? "%~n" : "%~wide_n";
	long long more = v.plus - (t->top ? 0 : i->step);

	ASSERT(known);
	if (bits == 32 && t->bytes == 8)
		tpl_line(e->t, "\tcvt.u32.u64 %s, %%~wide_n;", n = "%~lo");
	if (bits == 64 && t->bytes == 4)
		tpl_line(e->t, "\tcvt.u64.u32 %s, %%~n;", n = "%~wide_left");
	tpl_line(e->t, "\t@%%~row mad.lo.s%u %s, %s, %lld, %s;", bits, to, n, (long long)i->step,
		own_name(e, i->sym));
	if (more)
		tpl_line(e->t, "\t@%%~row add.s%u %s, %s, %lld;", bits, to, to, more);
}

static void
piece_ends(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < rounds(e)->nends; i++)
		put_end(e, rounds(e)->ends[i]);
	hand_on(e);
}

/* ---- steps over the lanes ------------------------------------------------------------------------------------------------------------ */

static void
piece_sums(void *user)
{
	Emit *e = user;

	for (uint32_t d = 1; d < WARP; d *= 2) {
		tpl_value(e->t, "d", "%u", d);
		tpl_put(e->t, "sum");
	}
}

static void
piece_search(void *user)
{
	Emit *e = user;

	for (uint32_t d = WARP / 2; d; d /= 2) {
		tpl_value(e->t, "d", "%u", d);
		tpl_put(e->t, "probe");
	}
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------------------- */

static const char *
bound_text(const Emit *e)
{
	const Opnd *o = &e->m->opnds[rounds(e)->trips->bound];

	return o->kind == OPND_SYM ? own_name(e, o->sym) :
		arena_strndup(e->arena, e->m->src->text + o->at.pos, o->at.end - o->at.pos);
}

/* How often does a row go round? */
static void
tell_count(Emit *e)
{
	static const char *const cmps[] = {
		[TRIPS_LT] = "lt", [TRIPS_LE] = "le", [TRIPS_GT] = "gt", [TRIPS_GE] = "ge", [TRIPS_NE] = "ne",
	};
	const Trips *t = rounds(e)->trips;
	const Induction *i = &t->steps[t->tested.step];
	const char *index = own_name(e, i->sym);
	uint64_t step = (uint64_t)(i->step < 0 ? -i->step : i->step), shift = 0;

	while (UINT64_C(1) << shift < step)
		shift++;
	tpl_value(e->t, "index", "%s", index);
	tpl_value(e->t, "from", "%s", !t->tested.plus ? index : t->bytes == 8 ? "%~wide_from" : "%~from");
	tpl_value(e->t, "ahead", "%lld", (long long)t->tested.plus);
	tpl_value(e->t, "bound", "%s", bound_text(e));
	tpl_value(e->t, "cmp", "%s.%c%u", cmps[t->cmp], t->is_signed ? 's' : 'u', 8 * t->bytes);
	tpl_value(e->t, "stride", "%llu", (unsigned long long)step);
	tpl_value(e->t, "shift", "%llu", (unsigned long long)shift);
	tpl_flag(e->t, "is_ahead", t->tested.plus != 0);
	tpl_flag(e->t, "up", i->step > 0);
	tpl_flag(e->t, "strides", step != 1);
	tpl_flag(e->t, "strict", t->cmp == TRIPS_LT || t->cmp == TRIPS_GT);
	tpl_flag(e->t, "inclusive", t->cmp == TRIPS_LE || t->cmp == TRIPS_GE);
	tpl_flag(e->t, "rounds_up", t->cmp != TRIPS_NE);
	tpl_flag(e->t, "shifts", UINT64_C(1) << shift == step);
	tpl_flag(e->t, "bottom", !t->top);
}

static void
tell_values(Emit *e)
{
	bool wide = rounds(e)->trips->bytes == 8;

	tpl_value(e->t, "loop_line", "%u", plan_marker(e->x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", part_marker(e->x, e->k)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->k->policy].name);
	tpl_flag(e->t, "many_exits", e->x->nways > 1);
	tpl_value(e->t, "w", wide ? "64" : "32");
	tpl_value(e->t, "n", wide ? "%%~wide_n" : "%%~n");
	tpl_value(e->t, "left_n", wide ? "%%~wide_left" : "%%~left");
	tpl_value(e->t, "size_w", wide ? "%%~wide_size" : "%%~size");
	tpl_value(e->t, "mask", "%%~mask");
	tpl_value(e->t, "size", "%%~size");
	tpl_value(e->t, "final", "%%~last");
	tpl_value(e->t, "header", "%s", emit_site_label(e, "b", plan_header(e->x)));
	tpl_value(e->t, "behind", "%s", rest_way(e, e->k->path->entry, e->k->path->next));
	tpl_flag(e->t, "wide", wide);
	tpl_flag(e->t, "reductions", e->k->task.nsums > 0);
	tell_count(e);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "registers", part_registers }, { "again", emit_again_values }, { "own", piece_own },
		{ "exits", piece_exits }, { "rest", piece_rest }, { "gone", piece_gone }, { "ways_out", emit_ways_out }, { "path", piece_path },
		{ "path_again", piece_path_again }, { "fetch", piece_fetch }, { "fetch_count", piece_fetch_count },
		{ "at_lane", piece_at_lane }, { "at_next", piece_at_next }, { "at_iteration", piece_at_iteration },
		{ "ends", piece_ends }, { "identities", piece_identities }, { "fold", piece_fold }, { "carry_on", piece_carry_on },
		{ "from_below", piece_from_below }, { "from_last", piece_from_last }, { "sums", piece_sums }, { "search", piece_search },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
}

void
expand_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	(void)b;
	emit_begin(&e, x, TEMPLATE_EXPAND, edits);
	e.k = &x->parts[0];
	emit_copies(&e);
	e.gone = arena_array(x->arena, x->nways + 1, sizeof *e.gone);
	e.rest = e.own;
	e.own.way = own_way;
	e.rest.way = rest_way;
	e.rest.end = rest_end;
	e.rest.table = "rtable";
	e.path.way = long_way;
	e.again_path.way = short_way;
	e.path.left_out = e.again_path.left_out = left_out;
	tell_values(&e);
	tell_pieces(&e);
	emit_end(&e, "loop");
}
