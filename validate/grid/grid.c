/* SPDX-License-Identifier: MIT */
/* Checks a kernel with a task loop (grid.h; G3 and G4 in docs/proofs/grid.md). Registers and
 * thread-local memory that the body reads before it writes them are undefined in the input. */
#include <string.h>
#include "validate/grid/grid.h"
#include "validate/text/text.h"

bool
grid_fault(Grid_fault *f, const Grid_text *t, uint32_t stmt, bool unknown, const char *why)
{
	uint32_t col;

	if (f->why)
		return false;
	*f = (Grid_fault){ .why = why, .unknown = unknown };
	source_position(t->out->src, t->out->stmts[stmt].at.pos, &f->line, &col);
	return false;
}

static bool
kernel_fault(Grid_check *w, bool unknown, const char *why)
{
	const Grid_text *t = &w->texts.at[0];

	return grid_fault(&w->fault, t, t->g->stmt, unknown, why);
}

/* ---- what the body may not do ---------------------------------------------------------------- */

static bool
depends_on_block(const Module *m, const Stmt *s)
{
	bool shared = ptx_flags(m, s) & (OPF_LOAD | OPF_STORE) && ptx_space(m, s) == SPACE_SHARED;

	PTX_REFS (m, s, r) {
		const Sym *y = &m->syms[r.sym];
		shared |= y->space == SPACE_SHARED;
		if (y->kind == SYM_SPECIAL)
			shared |= (y->aux >= SREG_IS_EXPLICIT_CLUSTER &&
					  y->aux <= SREG_CLUSTER_NCTARANK) ||
				strncmp(ptx_sregs[y->aux].name, "%envreg", 7) == 0;
	}
	return shared;
}

static bool
check_function(Grid_check *w, uint32_t func, bool kernel)
{
	const Module *m = w->in;

	PTX_STMTS (&m->funcs[func], i) {
		const Stmt *s = &m->stmts[i];
		if (s->kind != STMT_INSN)
			continue;
		uint32_t flags = ptx_flags(m, s);
		if (flags & (OPF_CROSS | OPF_BARRIER) || (kernel && flags & OPF_STACK) ||
			ptx_op(m, s) == OP_UNKNOWN)
			return kernel_fault(w, true, "threads of a block may wait for each other");
		if (!kernel && ptx_op(m, s) == OP_EXIT)
			return kernel_fault(w, true, "a function that is called ends the thread");
		if (depends_on_block(m, s))
			return kernel_fault(w, true, "threads of a block share memory");
		PTX_REFS (m, s, r)
			if (m->syms[r.sym].kind == SYM_SPECIAL &&
				m->syms[r.sym].aux == SREG_CTAID)
				bits_set(w->readers, func);
	}
	return true;
}

static bool
is_unchanged(const Grid_check *w, uint32_t func)
{
	const Func *f = &w->in->funcs[func];
	uint32_t g = ptx_func_like(w->out, w->in, func);

	return g && texts_are_equal(w->in, f->at, w->out, w->out->funcs[g].at);
}

static bool
check_functions(Grid_check *w, uint32_t kernel)
{
	Bits seen = bits_new(w->arena, w->in->nfuncs);
	/* unknown code may read %ctaid; the functions of effects_is_runtime() do not */
	bool ok = !(w->effects->func[kernel] & (EFF_EXTERN | EFF_INDIRECT)) ||
		kernel_fault(w, true, "a function without a body, or unknown, is called");

	effects_flood(w->effects, kernel, seen);
	BITS_EACH (f, seen)
		ok = ok && check_function(w, f, f == kernel) &&
			(f == kernel || is_unchanged(w, f) ||
				kernel_fault(w, false, "a function is not the input's"));
	return ok;
}

/* ---- before the loop ------------------------------------------------------------------------- */

/* How often the kernel's registers are written, by local symbol. */
static uint32_t *
count_writes(const Grid_text *t, Arena *a)
{
	uint32_t *n = arena_array(a, t->f->nsym + 1, sizeof *n);

	PTX_STMTS (t->f, i)
		if (t->in->stmts[i].kind == STMT_INSN)
			PTX_REFS (t->in, &t->in->stmts[i], r)
				if (r.written && ptx_has_sym(t->f, r.sym))
					n[ptx_local_sym(t->f, r.sym)]++;
	return n;
}

/* Whether the statement computes the same in all blocks. writes: of count_writes(); written: the
 * registers written before it. */
static bool
is_same_in_blocks(const Grid_text *t, const Stmt *s, const uint32_t *writes, Bits written)
{
	const Module *m = t->in;
	uint32_t flags = ptx_flags(m, s);
	bool param = ptx_op(m, s) == OP_LD && ptx_space(m, s) == SPACE_PARAM,
	     same = !s->guard && !(flags & OPF_CROSS) &&
		(param || (flags & OPF_PURE && !(flags & (OPF_CARRY | OPF_VARIES))));

	PTX_REFS (m, s, r) {
		const Sym *y = &m->syms[r.sym];
		if (y->kind == SYM_SPECIAL)
			same &= y->aux != SREG_CTAID && !(ptx_sregs[y->aux].flags & SREGF_TIME);
		if (!ptx_is_reg_of(m, t->f, r.sym))
			continue;
		uint32_t sym = ptx_local_sym(t->f, r.sym);
		same &= r.written ? writes[sym] == 1 : bits_has(written, sym);
		if (r.written)
			bits_set(written, sym);
	}
	return same;
}

static bool
check_before(Grid_check *w)
{
	const Grid_text *t = &w->texts.at[0];
	Bits written = bits_new(w->arena, t->f->nsym + 1);
	const uint32_t *writes = count_writes(t, w->arena);
	bool ok = true;

	for (uint32_t i = t->f->stmt; i < t->before && ok; i++) {
		const Stmt *s = &w->in->stmts[i];
		ok = s->kind == STMT_INSN ? is_same_in_blocks(t, s, writes, written) :
			s->kind == STMT_DECL || s->kind == STMT_LOC || s->kind == STMT_MARKER;
	}
	return ok || kernel_fault(w, true, "code before the loop may differ between blocks");
}

/* ---- the check ------------------------------------------------------------------------------- */

static bool
same_head(Grid_check *w)
{
	const Grid_text *t = &w->texts.at[0];

	return texts_are_equal(w->in, (Span){ t->f->at.pos, t->f->block.pos }, w->out,
		       (Span){ t->g->at.pos, t->g->block.pos }) ||
		kernel_fault(w, false, "the kernel's header is not the input's");
}

Grid_fault
grid_check(const Module *in, const Module *out, uint32_t kernel, const Effects *effects)
{
	Arena *a = arena_new();
	Grid_check w = { .in = in, .out = out, .effects = effects, .arena = a };

	w.readers = bits_new(a, in->nfuncs);
	*vec_push(&w.texts) = (Grid_text){ .in = in, .out = out, .f = &in->funcs[kernel],
		.g = &out->funcs[ptx_func_like(out, in, kernel)] };
	bool ok = same_head(&w) && check_functions(&w, kernel);
	for (uint32_t i = 0; i < w.texts.n && ok; i++)
		ok = grid_check_body(&w, i);
	if (ok && check_before(&w))
		w.fault = launch_control_is_used(&w.texts.at[0]) ?
			launch_control_check_loop(&w.texts.at[0], kernel, effects) :
			positions_check(&w.texts.at[0]);
	vec_free(&w.texts);
	arena_free(a);
	return w.fault;
}
