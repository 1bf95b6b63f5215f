/* SPDX-License-Identifier: MIT */
/* Compares a function of the output with the same one of the input.
 *
 * The statements of the input occur in the output in their order and unchanged. The text of a
 * transformed loop is a scope directly after its begin marker, which is then marked "done". Apart
 * from these there may be labels, and declarations at the head.
 */
#include <stdlib.h>
#include <string.h>
#include "validate/arms/arms.h"
#include "validate/draws/draws.h"
#include "validate/grid/grid.h"
#include "validate/disjoint_accesses.h"
#include "validate/explore/explore.h"
#include "validate/scheme_recognition.h"
#include "validate/trial/trial.h"
#include "validate/validate.h"

/* The text inserted for a loop: statements, from brace to brace. */
typedef struct { const Region *region; uint32_t open, close; } Inserted_range;

typedef struct {
	const Fn *fn;
	const Regions *rs;
	const Module *in, *out;
	const Func *f, *g;      /* of input and output */
	Arena *arena, *site;    /* site: for the current loop */
	uint32_t *origin, *label;
	Input_stmt *input;
	Output_reg *regs;
	uint32_t *first, *next, cap;    /* the input's registers by name */
	VEC(Inserted_range) inserted;
	Valid_func found;
} Function_check;

/* ---- names ----------------------------------------------------------------------------------- */

static void
index_names(Function_check *w)
{
	w->cap = 1;
	while (w->cap < 2 * w->f->nsym + 2)
		w->cap *= 2;
	w->first = arena_array(w->arena, w->cap, sizeof *w->first);
	w->next = arena_array(w->arena, w->f->nsym + 1, sizeof *w->next);
	for (uint32_t i = w->f->nsym; i-- > 0;) {
		uint32_t h = w->in->syms[ptx_sym_at(w->f, i)].name * 0x9e3779b1u & (w->cap - 1);
		w->next[i] = w->first[h];
		w->first[h] = i + 1;
	}
}

/* The input's register with a name that the local statement `decl` declares in a nested scope; 0
 * for decl: the one outside of nested scopes. */
static uint32_t
find_input_symbol(const Function_check *w, const char *name, size_t len, uint32_t decl)
{
	uint32_t id = intern_find(w->in->names, name, len), any = 0;

	for (uint32_t i = id ? w->first[id * 0x9e3779b1u & (w->cap - 1)] : 0; i;
		i = w->next[i - 1]) {
		uint32_t sym = ptx_sym_at(w->f, i - 1);
		const Sym *y = &w->in->syms[sym];
		if (y->name != id || !ptx_is_reg(w->in, sym))
			continue;
		any = any ? any : sym;
		if (decl && ptx_has_stmt(w->f, y->decl) && ptx_local_stmt(w->f, y->decl) == decl)
			return sym;
	}
	return decl ? 0 : any;
}

static uint32_t
read_digits(const char *name, size_t len, size_t *i)
{
	uint32_t n = 0;

	for (; *i < len && name[*i] >= '0' && name[*i] <= '9' && n < 100000000; ++*i)
		n = 10 * n + (uint32_t)(name[*i] - '0');
	return n;
}

/* The special register that a name ends with, such as tid_x. */
static uint32_t
parse_special_register(const Function_check *w, const char *name, size_t len, uint8_t *sel)
{
	char text[48] = "%";

	if (len > 2 && name[len - 2] == '_' && strchr("xyzw", name[len - 1])) {
		*sel = (uint8_t)name[len - 1];
		len -= 2;
	}
	if (len + 2 > sizeof text)
		return 0;
	memcpy(text + 1, name, len);
	uint32_t id = intern_find(w->in->names, text, len + 1);
	for (uint32_t i = 1; id && i < w->in->nsyms && i < 400; i++)
		if (w->in->syms[i].kind == SYM_SPECIAL && w->in->syms[i].name == id)
			return i;
	return 0;
}

/* A register named ccc<number>, the region, a letter for the kind, $, and the original name. */
static Output_reg
parse_copy_name(const Function_check *w, const char *name, size_t len)
{
	Output_reg r = { .kind = REG_EMITTED };
	size_t i = 3 + (*name == '%');
	char text[128] = "%";

	read_digits(name, len, &i);
	if (i < len && name[i] == 'p') {
		i++;
		r.region = (uint16_t)read_digits(name, len, &i);
	} else {
		r.region = 1;
	}
	char tag = i < len && strchr("ustw", name[i]) ? name[i++] : 0;
	r.batch_index = (uint8_t)(tag == 't' || tag == 'w' ? read_digits(name, len, &i) : 0);
	uint32_t decl = i < len && name[i] == 'b' ? (i++, read_digits(name, len, &i)) : 0;
	if (i >= len || name[i] != '$' || len - i > sizeof text - 1)
		return (Output_reg){ .kind = REG_EMITTED, .region = r.region };
	i++;
	memcpy(text + 1, name + i, len - i);
	r.kind = tag == 'u' ? REG_UNIFORM : tag == 't' ? REG_BATCH : REG_COPY;
	if (tag == 's')
		r.input_sym = parse_special_register(w, name + i, len - i, &r.sel);
	else if (!(r.input_sym = find_input_symbol(w, text, len - i + 1, decl)))
		r.input_sym = find_input_symbol(w, text + 1, len - i, decl);
	return r.input_sym ? r : (Output_reg){ .kind = REG_EMITTED };
}

/* The meaning of a register's name. */
static Output_reg
read_name(const Function_check *w, uint32_t sym)
{
	size_t len;
	const char *name = ptx_name(w->out, sym, &len);
	uint32_t in = find_input_symbol(w, name, len, 0);

	if (in)
		return (Output_reg){ .kind = REG_INPUT, .input_sym = in };
	if (len > 4 && memcmp(name + (*name == '%'), "ccc", 3) == 0)
		return parse_copy_name(w, name, len);
	return (Output_reg){ .kind = REG_EMITTED };
}

static void
name_registers(Function_check *w)
{
	w->regs = arena_alloc(w->arena, (w->g->nsym + 1) * sizeof *w->regs);
	for (uint32_t i = 0; i < w->g->nsym; i++) {
		uint32_t sym = ptx_sym_at(w->g, i);
		w->regs[i] = ptx_is_reg(w->out, sym) ? read_name(w, sym) : (Output_reg){ 0 };
	}
	w->regs[w->g->nsym] = (Output_reg){ 0 };
}

/* ---- the text between ------------------------------------------------------------------------ */

static uint32_t
closing_brace(const Function_check *w, uint32_t open)
{
	const Stmt *all = w->out->stmts, *end = all + w->g->stmt + w->g->nstmt;
	uint32_t depth = 0;

	for (const Stmt *t = all + open; t < end; t++)
		if (t->kind == STMT_OPEN)
			depth++;
		else if (t->kind == STMT_CLOSE && --depth == 0)
			return (uint32_t)(t - all);
	return 0;
}

static bool
text_fault(Function_check *w, uint32_t o, const char *why)
{
	uint32_t line = 0, col, last = w->g->stmt + w->g->nstmt - 1;

	source_position(w->out->src, w->out->stmts[o > last ? last : o].at.pos, &line, &col);
	w->found.why = why;
	w->found.line = line;
	return false;
}

static const Region *
region_of_marker(const Function_check *w, uint32_t marker)
{
	for (uint32_t i = 0; i < w->rs->nloops; i++)
		if (w->rs->loops[i]->marker == marker)
			return w->rs->loops[i];
	return NULL;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static Loop_check
loop_check_new(const Function_check *w, const Inserted_range *x)
{
	Loop_check s = { .arena = w->site,
		.in = { .fn = w->fn, .m = w->in, .stmts = w->input, .region = x->region },
		.out = { .m = w->out,
			.f = w->g,
			.begin = x->open + 1,
			.end = x->close,
			.origin = w->origin,
			.label = w->label,
			.regs = w->regs } };

	terms_init(&s.terms, w->site);
	return s;
}

static void
loop_check_free(Loop_check *s)
{
	terms_release(&s->terms);
	vec_free(&s->buffer.rows);
	vec_free(&s->observed.segments);
	vec_free(&s->observed.changes);
	vec_free(&s->observed.rounds);
	vec_free(&s->observed.wanted);
	vec_free(&s->defs.reaching);
	vec_free(&s->out.refs);
	vec_free(&s->paths.labels);
	vec_free(&s->owner.copies);
	vec_free(&s->series.at);
	vec_free(&s->series.slots);
	vec_free(&s->straight.runs);
	vec_free(&s->straight.ends);
	vec_free(&s->work.queue);
	vec_free(&s->visited.idle_edges);
	vec_free(&s->work.full_groups);
}

static bool
check_loop(Loop_check *s)
{
	s->observed.reached = bits_new(s->arena, s->out.f->nstmt);
	return scheme_read(s) && (decode_output(s), scheme_count_votes(s)) && input_init(s) &&
		reductions_init(s) && output_regs_init(s, path_may_begin) &&
		(!s->lookahead || lookahead_find_words(s)) && (!s->out.draws || draws_check(s)) &&
		(equivalent_copies_find(s), explore_loop(s)) &&
		(equivalent_copies_mark_reached(s), check_buffer(s));
}

/* Validates the text with its ambiguous paths in this order, or else in the other one. */
static Loop_check
check_path_orders(const Function_check *w, const Inserted_range *x)
{
	Loop_check s = loop_check_new(w, x);

	if (check_loop(&s) || !s.paths.ambiguous)
		return s;
	loop_check_free(&s);
	s = loop_check_new(w, x);
	s.paths.backward = true;
	if (!check_loop(&s) && !s.fault.unknown) {
		s.fault.why = "several paths on one source line";
		s.fault.unknown = true;
	}
	return s;
}

/* Tries a text of unknown form on random inputs. */
static Valid
run_trial(Loop_check *s, uint32_t *share)
{
	switch (trial_site(s, share)) {
	case TRIAL_SAME: return VALID_TRIED;
	case TRIAL_OTHER: return VALID_NO;
	case TRIAL_CANNOT: break;
	}
	return VALID_UNKNOWN;
}

/* The proof follows lanes one by one, so it cannot show that lanes that wait for each other
 * terminate. On random inputs they must terminate too. */
static bool
is_refuted(Loop_check *s)
{
	uint32_t share;

	if (trial_site(s, &share) == TRIAL_OTHER)
		return true;
	s->fault.why = NULL;
	return false;
}

static void
check_inserted(Function_check *w, const Inserted_range *x)
{
	Arena_mark mark = arena_mark(w->site);
	Loop_check s = check_path_orders(w, x);
	Valid_site *v = &w->found.sites[w->found.nsites++];
	uint32_t col;

	if ((!s.fault.why || s.fault.unknown) && !accesses_are_disjoint(&s)) {
		s.fault.why = "nothing is promised, nor shown by the code, of memory that paths share with code which no longer waits for them";
		s.fault.stmt = s.out.begin;
		s.fault.unknown = false;
	}
	*v = (Valid_site){ .marker = x->region->marker, .steps = s.steps };
	if (!s.fault.why && is_refuted(&s))
		v->valid = VALID_NO;
	else if (s.fault.why)
		v->valid = s.fault.unknown ? run_trial(&s, &v->share) : VALID_NO;
	if (s.fault.why)
		v->why = arena_strndup(w->arena, s.fault.why, strlen(s.fault.why));
	if (v->valid > VALID_TRIED)
		source_position(w->out->src, w->out->stmts[s.fault.stmt].at.pos, &v->line, &col);
	loop_check_free(&s);
	arena_release(w->site, mark);
}

/* Finds the inserted texts; everything else must be the input. */
static bool
align_texts(Function_check *w)
{
	uint32_t i = w->f->stmt, o = w->g->stmt, end = w->f->stmt + w->f->nstmt,
		 last = w->g->stmt + w->g->nstmt;

	for (; o < last; o++) {
		const Stmt *y = &w->out->stmts[o];
		if (i < end && stmt_is_unchanged(w->in, i, w->out, o)) {
			w->origin[ptx_local_stmt(w->g, o)] = i;
			const Marker *a = y->kind == STMT_MARKER ?
				&w->in->markers[w->in->stmts[i].sym] :
				NULL;
			i++;
			const Region *site =
				a && !a->done && !a->end && w->out->markers[y->sym].done ?
				region_of_marker(w, w->in->stmts[i - 1].sym) :
				NULL;
			uint32_t close =
				site && o + 1 < last && w->out->stmts[o + 1].kind == STMT_OPEN ?
				closing_brace(w, o + 1) :
				0;
			const char *text =
				close ? w->out->src->text + w->out->stmts[o + 1].at.pos : "";
			if (close && strncmp(text, "{ // ccc: ", 10) == 0) {
				*vec_push(&w->inserted) = (Inserted_range){ site, o + 1, close };
				o = close;
			}
		} else if (y->kind != STMT_LABEL && y->kind != STMT_DECL) {
			return text_fault(
				w, o, "the text between transformed loops is not the input's");
		}
	}
	return i == end || text_fault(w, last - 1, "a piece of the input is missing");
}

static void
find_labels(Function_check *w)
{
	const Stmt *all = w->out->stmts, *end = all + w->g->stmt + w->g->nstmt;

	w->label = arena_array(w->arena, w->g->nsym + 1, sizeof *w->label);
	for (const Stmt *t = all + w->g->stmt; t < end; t++)
		if (t->kind == STMT_LABEL)
			w->label[ptx_local_sym(w->g, t->sym)] = (uint32_t)(t - all);
}

Valid_func
validate_func(const Fn *fn, const Regions *rs, const Module *out, Arena *a)
{
	Function_check w = { .fn = fn,
		.rs = rs,
		.in = fn->m,
		.out = out,
		.f = fn->f,
		.g = &out->funcs[ptx_func_like(out, fn->m, fn->func)],
		.arena = a };

	w.found.sites = arena_array(a, rs->nloops + 1, sizeof *w.found.sites);
	w.origin = arena_array(a, w.g->nstmt + 1, sizeof *w.origin);
	if (align_texts(&w) && w.inserted.n) {
		index_names(&w);
		name_registers(&w);
		find_labels(&w);
		w.site = arena_new();
		w.input = input_read(fn, a);
		for (uint32_t i = 0; i < w.inserted.n; i++)
			check_inserted(&w, &w.inserted.at[i]);
		arena_free(w.site);
	}
	vec_free(&w.inserted);
	return w.found;
}

Valid_arms
validate_arms(const Fn *fn, const Regions *rs, const Module *out, const uint32_t *markers,
	uint32_t nmarkers)
{
	Arms_fault f = arms_check(fn, rs, out, markers, nmarkers);

	return (Valid_arms){ .valid = !f.why ? VALID_YES : f.unknown ? VALID_UNKNOWN : VALID_NO,
		.why = f.why,
		.line = f.line };
}

static Valid_grid
valid_grid(Grid_fault f)
{
	return (Valid_grid){ .valid = !f.why ? VALID_YES : f.unknown ? VALID_UNKNOWN : VALID_NO,
		.why = f.why,
		.line = f.line };
}

Valid_grid
validate_grid(const Module *in, const Module *out, uint32_t kernel, const Effects *effects)
{
	return valid_grid(grid_check(in, out, kernel, effects));
}

Valid_grid
validate_launch_control(const Module *in, const Module *out)
{
	return valid_grid(launch_control_check(in, out));
}
