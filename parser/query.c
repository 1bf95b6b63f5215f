/* SPDX-License-Identifier: MIT */
/* Queries of a view: names, operands, variables, constants, positions. */
#include "parser/build.h"

const char *
ptx_name(const Module *m, uint32_t sym, size_t *len)
{
	return intern_text(m->names, m->syms[sym].name, len);
}

int
ptx_name_len(const Module *m, uint32_t sym)
{
	size_t len;

	(void)ptx_name(m, sym, &len);
	return (int)len;
}

const char *
ptx_name_text(const Module *m, uint32_t sym)
{
	size_t len;

	return ptx_name(m, sym, &len);
}

bool
ptx_is_reg(const Module *m, uint32_t sym)
{
	const Sym *y = &m->syms[sym];

	return y->kind == SYM_REG || (y->kind == SYM_PARAM && y->space == SPACE_REG);
}

bool
ptx_is_reg_of(const Module *m, const Func *f, uint32_t sym)
{
	return ptx_has_sym(f, sym) && ptx_is_reg(m, sym);
}

uint32_t
ptx_operand(const Module *m, const Stmt *s, uint32_t k)
{
	uint32_t at = s->opnd;

	if (k >= s->nopnd)
		return 0;
	while (k-- > 0)
		at += m->opnds[at].tree;
	return at;
}

const Var *
ptx_var(const Module *m, uint32_t sym)
{
	uint32_t lo = 0, hi = m->nvars;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (m->vars[mid].sym < sym)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->nvars && m->vars[lo].sym == sym ? &m->vars[lo] : NULL;
}

bool
ptx_imm(const Module *m, const Opnd *o, uint64_t *value, bool *real)
{
	if (o->kind != OPND_IMM)
		return false;
	return expr_value(m->src->text, o->at, value, real);
}

bool
ptx_imm_sized(const Module *m, const Opnd *o, uint32_t size, uint64_t *value)
{
	const char *at = m->src->text + o->at.pos;
	bool real = false;

	if (!ptx_imm(m, o, value, &real))
		return false;
	at += strspn(at, "-+( ");
	if (real && size == 4 && !(at[0] == '0' && (at[1] | 0x20) == 'f')) { /* bits of a double */
		double d;
		memcpy(&d, value, sizeof d);
		float f = (float)d;
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		*value = bits;
	}
	return true;
}

uint32_t
ptx_offset_end(const Module *m, const Opnd *o)
{
	const Opnd *base = o + 1;
	uint32_t end = o->at.end;

	if (o->kind == OPND_SUM)
		return end;
	if (o->tree > 1 + base->tree) { /* up to the comma before the next operand */
		end = base[base->tree].at.pos;
		while (m->src->text[end - 1] != ',')
			end--;
	}
	return end - 1;
}

bool
ptx_offset(const Module *m, const Opnd *o, int64_t *value)
{
	const char *text = m->src->text;
	uint64_t v;
	bool real;

	*value = 0;
	if (o->kind != OPND_ADDR && o->kind != OPND_SUM)
		return false;
	if (o[1].kind != OPND_SYM)
		return true;
	uint32_t end = ptx_offset_end(m, o), pos = expr_skip(text, o[1].at.end, end);
	if (pos >= end || text[pos] != '+')
		return true;
	if (!expr_value(text, (Span){ pos + 1, end }, &v, &real) || real)
		return false;
	*value = (int64_t)v;
	return true;
}

/* Returns the name, without quotes, of a .file number; NULL if there is none. */
static const char *
file_name(const Module *m, uint64_t number)
{
	for (uint32_t i = 0; i < m->nitems; i++) {
		Span at = m->items[i].spec;
		if (m->items[i].kind == ITEM_FILE && m->items[i].ref == number)
			return arena_strndup(
				m->arena, m->src->text + at.pos + 1, at.end - at.pos - 2);
	}
	return NULL;
}

/* Returns the first statement of the function that contains a statement. */
static uint32_t
first_of_function(const Module *m, uint32_t stmt)
{
	uint32_t first = 1;

	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (m->funcs[i].body && m->funcs[i].stmt <= stmt)
			first = m->funcs[i].stmt;
	return first;
}

/* Returns the .loc that applies to a statement; 0 if there is none. */
static uint32_t
loc_of(const Module *m, uint32_t stmt)
{
	uint32_t first = first_of_function(m, stmt);

	while (stmt >= first && m->stmts[stmt].kind != STMT_LOC)
		stmt--;
	return stmt >= first ? stmt : 0;
}

/* Parses "FILE LINE COLUMN" at pos. */
static bool
parse_place(const Module *m, uint32_t pos, uint32_t end, Ptx_place *at)
{
	uint64_t v[3];
	Span number;

	for (int k = 0; k < 3; k++)
		if (!expr_next(m->src->text, &pos, end, &number) ||
			!expr_integer(m->src->text + number.pos, number.end - number.pos, &v[k]))
			return false;
	*at = (Ptx_place){ v[0], (uint32_t)v[1], (uint32_t)v[2] };
	return true;
}

bool
ptx_loc_place(const Module *m, uint32_t loc, Ptx_place *at)
{
	return parse_place(m, m->stmts[loc].at.pos + 4, m->stmts[loc].at.end, at);
}

bool
ptx_loc_caller(const Module *m, uint32_t loc, Ptx_place *at)
{
	static const char word[] = "inlined_at";
	uint32_t end = m->stmts[loc].at.end;

	for (uint32_t pos = m->stmts[loc].at.pos; pos + sizeof word <= end; pos++)
		if (memcmp(m->src->text + pos, word, sizeof word - 1) == 0)
			return parse_place(m, pos + (uint32_t)sizeof word - 1, end, at);
	return false;
}

static bool
to_cuda_pos(const Module *m, Ptx_place at, Cuda_pos *to)
{
	/* line 0: code of no line */
	const char *file = at.line ? file_name(m, at.file) : NULL;

	*to = file ? (Cuda_pos){ file, at.line, at.col } : (Cuda_pos){ 0 };
	return file != NULL;
}

bool
ptx_cuda_pos(const Module *m, uint32_t stmt, Cuda_pos *at)
{
	uint32_t loc = loc_of(m, stmt);
	Ptx_place p;

	return loc && ptx_loc_place(m, loc, &p) && to_cuda_pos(m, p, at);
}

bool
ptx_cuda_caller(const Module *m, uint32_t stmt, Cuda_pos *at)
{
	uint32_t loc = loc_of(m, stmt);
	Ptx_place p;

	return loc && ptx_loc_caller(m, loc, &p) && to_cuda_pos(m, p, at);
}
