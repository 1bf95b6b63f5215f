/* SPDX-License-Identifier: MIT */
/* Whether addresses of variables are stored in memory; see escape.h.
 *
 * For each register and .param variable of the module, flow-insensitively, this finds whether the
 * address of a variable flows into it through any instruction except loads, until an address is
 * stored. The runtime's own functions, such as vprintf, keep none of the addresses that they are
 * passed. */
#include "analysis/interproc/effects.h"
#include "analysis/interproc/escape.h"

typedef struct {
	const Module *m;
	Bits holds;     /* symbols of registers and .param variables */
	bool local;     /* thread-local variables; false: all others */
	bool changed;
} Escape_walk;

/* Whether an initialiser names a variable or a function. */
static bool
initialiser_has_address(const Module *m, Span init)
{
	const char *text = m->src->text;
	bool in_word = false;

	for (uint32_t i = init.pos; i < init.end; i++) {
		char c = text[i];
		bool digit = c >= '0' && c <= '9', letter = (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
		if (letter && !in_word)
			return true;
		in_word = letter || digit || (in_word && c == '.');
	}
	return false;
}

/* Whether the statement reads an address from the symbol. Parameters and arguments of a .func whose
 * address is taken are thread-local memory too. */
static bool
is_address(const Escape_walk *w, const Stmt *s, uint32_t sym)
{
	const Sym *y = &w->m->syms[sym];
	bool taken = y->space == SPACE_PARAM && !(ptx_flags(w->m, s) & OPF_CALL) &&
		!(y->kind == SYM_PARAM && y->func && w->m->funcs[y->func].entry);

	if (y->kind == SYM_VAR && y->space != SPACE_PARAM)
		return (y->space == SPACE_LOCAL) == w->local;
	return (taken && w->local) || bits_has(w->holds, sym);
}

static void
mark_holder(Escape_walk *w, uint32_t sym)
{
	w->changed |= !bits_has(w->holds, sym);
	bits_set(w->holds, sym);
}

/* Whether a statement reads an address as a value. The address operand of an access does not
 * count. */
static bool
reads_address(const Escape_walk *w, const Stmt *s)
{
	const Module *m = w->m;
	bool access = ptx_flags(m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC);

	if (w->local && ptx_op(m, s) == OP_ALLOCA)
		return true;
	for (uint32_t k = 0; k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)], *end = o + o->tree;
		if (access && o->kind == OPND_ADDR)
			continue;
		for (; o < end; o++)
			if (o->kind == OPND_SYM && is_address(w, s, o->sym))
				return true;
	}
	return false;
}

/* Follows an address that a statement reads. Returns whether it escapes. */
static bool
follow_stmt_address(Escape_walk *w, uint32_t stmt)
{
	const Module *m = w->m;
	const Stmt *s = &m->stmts[stmt];
	uint32_t flags = ptx_flags(m, s);
	const Opnd *to = &m->opnds[ptx_operand(m, s, 0)];

	if (flags & OPF_CALL)
		return !effects_is_runtime(m, effects_callee(m, stmt));
	if (flags & OPF_STORE && ptx_space(m, s) == SPACE_PARAM && to->tree > 1 &&
		m->syms[to[1].sym].kind == SYM_VAR) {
		mark_holder(w, to[1].sym);
		return false;
	}
	if (flags & (OPF_STORE | OPF_ATOMIC) || ptx_op(m, s) == OP_UNKNOWN)
		return true;
	PTX_REFS(m, s, r)
		if (r.written && !(flags & OPF_LOAD))
			mark_holder(w, r.sym);
	return false;
}

static bool
address_escapes(const Module *m, bool local)
{
	Arena *tmp = arena_new();
	Escape_walk w = {
		.m = m, .holds = bits_new(tmp, m->nsyms), .local = local, .changed = true
	};
	bool found = false;

	for (uint32_t i = 0; i < m->nvars && !found && !local; i++)
		found = initialiser_has_address(m, m->vars[i].init);
	while (w.changed && !found) {
		w.changed = false;
		for (uint32_t f = 1; f < m->nfuncs && !found; f++)
			PTX_STMTS(&m->funcs[f], stmt)
				if (m->stmts[stmt].kind == STMT_INSN &&
					reads_address(&w, &m->stmts[stmt]))
					found |= follow_stmt_address(&w, stmt);
	}
	arena_free(tmp);
	return found;
}

bool
escape_any(const Module *m)
{
	return address_escapes(m, false);
}

bool
escape_local(const Module *m)
{
	return address_escapes(m, true);
}
