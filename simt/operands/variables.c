/* SPDX-License-Identifier: MIT */
/* Module variables: their addresses and initial values (PTX ISA 5.4).
 *
 * A variable is placed when an instruction, or another variable's initialiser, first refers to
 * it.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/state/access.h"
#include "simt/state/numeric_casts.h"
#include "simt/operands/operand_decode.h"

typedef struct {
	Sim *s;
	const char *at, *end;
	uint8_t *to;
	uint64_t n, room;
	uint32_t size;          /* element size in bytes */
	bool real;
} Init;

static bool
is_variable(const Module *m, uint32_t sym)
{
	return m->syms[sym].kind == SYM_VAR && !m->syms[sym].func;
}

/* Returns the definition of an .extern variable if the module contains it, otherwise the variable
 * itself. Modules linked as text contain both. */
static uint32_t
variable_definition(const Module *m, uint32_t sym)
{
	const Var *v = is_variable(m, sym) ? ptx_var(m, sym) : NULL;
	if (!v || v->linkage != LINK_EXTERN)
		return sym;
	for (uint32_t i = 1; i < m->nsyms; i++)
		if (m->syms[i].name == m->syms[sym].name && is_variable(m, i) &&
			ptx_var(m, i)->linkage != LINK_EXTERN)
			return i;
	return sym;
}

/* Returns the module-level symbol with this name; 0: none. */
static uint32_t
find_symbol(const Module *m, const char *name, size_t n)
{
	uint32_t id = intern_find(m->names, name, n);
	for (uint32_t i = 1; id && i < m->nsyms; i++)
		if (m->syms[i].name == id && (m->syms[i].kind == SYM_FUNC || is_variable(m, i)))
			return variable_definition(m, i);
	return 0;
}

static void
put_value(Init *in, uint64_t v)
{
	if (in->n + in->size <= in->room)
		memcpy(in->to + in->n, &v, in->size);
	in->n += in->size;
}

static uint64_t
parse_number(Init *in, const char *s, size_t n)
{
	char text[64] = "";
	char *end;
	memcpy(text, s, n < 63 ? n : 63);
	const char *digits = text + strspn(text, "-+");
	if (digits[0] == '0' && (digits[1] | 0x20) == 'f')
		return strtoull(digits + 2, NULL, 16);
	if (digits[0] == '0' && (digits[1] | 0x20) == 'd')
		return strtoull(digits + 2, NULL, 16);
	if (in->real) {
		double x = strtod(text, &end);
		return in->size == 4 ? float_bits((float)x) : double_bits(x);
	}
	uint64_t v = strtoull(digits, NULL, 0);
	return text[0] == '-' ? 0 - v : v;
}

static bool
name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		c == '_' || c == '$' || c == '%';
}

/* Adds a word of an initialiser: a number, or a name, whose value is its address in its own space,
 * or for generic(name) its generic address. */
static void
put_word(Init *in, const char *s, size_t n, bool generic)
{
	const Module *m = in->s->m;
	if ((s[0] >= '0' && s[0] <= '9') || s[0] == '-' || s[0] == '+') {
		put_value(in, parse_number(in, s, n));
		return;
	}
	uint32_t sym = find_symbol(m, s, n);
	if (!sym) {
		put_value(in, 0);
		return;
	}
	uint64_t at = m->syms[sym].kind == SYM_FUNC ?
		call_address(&in->s->prog, m->syms[sym].func) :
		memory_place_variable(in->s, sym);
	if (generic && m->syms[sym].kind != SYM_FUNC)
		at = memory_generic((Space)m->syms[sym].space, at);
	put_value(in, at);
}

/* Adds a constant to the last element: "name+8". */
static void
add_constant(Init *in, uint64_t v)
{
	uint64_t was = 0;
	if (in->n < in->size || in->n > in->room)
		return;
	memcpy(&was, in->to + in->n - in->size, in->size);
	was += v;
	memcpy(in->to + in->n - in->size, &was, in->size);
}

static void
parse_initialiser(Init *in)
{
	bool generic = false, named = false;
	while (in->at < in->end) {
		const char *s = in->at;
		if (!name_char(*s) && *s != '-' && *s != '+') {
			named = named && *s != ',';
			in->at++;
			continue;
		}
		in->at++;
		while (in->at < in->end && (name_char(*in->at) || *in->at == '.'))
			in->at++;
		size_t n = (size_t)(in->at - s);
		if (n == 7 && !memcmp(s, "generic", 7)) {
			generic = true;
		} else if (named && (*s == '+' || *s == '-')) {
			add_constant(in, parse_number(in, s, n));
		} else if (n > 1 || (*s != '+' && *s != '-')) {
			put_word(in, s, n, generic);
			named = true;
			generic = false;
		}
	}
}

static uint64_t
reserve_const(Memory *m, uint64_t bytes, uint32_t align)
{
	uint32_t at = (m->nconstants + align - 1) / align * align, n = at + (uint32_t)bytes;
	m->constants = xrealloc(m->constants, n + 16);
	memset(m->constants + m->nconstants, 0, n + 16 - m->nconstants);
	m->nconstants = n;
	return at;
}

/* Allocates a variable in global memory; a managed one in memory shared with the host. */
static uint64_t
reserve_global(Sim *s, const Var *v, const char *name)
{
	static const char managed[] = ".managed";
	size_t n = sizeof managed - 1;
	bool host = false;
	for (uint32_t at = v->attr.pos; at + n <= v->attr.end; at++)
		host = host || !memcmp(s->m->src->text + at, managed, n);
	uint64_t place = host ? 0 : sim_alloc(s, v->bytes, name);
	if (!host && !place)
		out_of_memory();
	if (!host)
		return place;
	uintptr_t align = v->align > 16 ? v->align : 16,
		  at = (uintptr_t)arena_alloc(s->arena, v->bytes + align);
	return sim_map(s, (void *)((at + align - 1) / align * align), v->bytes, name);
}

/* Places a variable in shared memory. Kernels do not run at the same time, so variables that they
 * declare themselves may overlap. A variable of the module or of a function has one address for all
 * kernels, after the variables of the first kernel that uses it. */
static uint64_t
place_shared(Prog *p, uint32_t sym, uint32_t align, uint32_t bytes)
{
	uint32_t func = p->m->syms[sym].func, at = p->own > p->shared ? p->own : p->shared;
	uint32_t *end = func && p->m->funcs[func].entry ? &p->own : &p->shared;
	p->address[sym] = at = (at + align - 1) / align * align;
	*end = at + bytes;
	return at;
}

/* Initialises a placed variable. The value is computed in a buffer first, because references to
 * other variables may move constant memory. */
static void
fill_variable(Sim *s, uint32_t sym, const Var *v)
{
	const Module *m = s->m;
	const Sym *y = &m->syms[sym];
	uint64_t at = s->prog.address[sym];
	uint32_t size = ptx_type_size((Type)y->type);
	uint64_t most = (uint64_t)(v->init.end - v->init.pos) * size;
	uint64_t n = v->bytes < most ? v->bytes : most;
	uint8_t *copy = memset(xmalloc(n + 16), 0, n + 16);
	Init in = { s, m->src->text + v->init.pos, m->src->text + v->init.end, copy, 0, n, size,
		y->type == TYPE_F32 || y->type == TYPE_F64 };
	parse_initialiser(&in);
	memcpy(y->space == SPACE_CONST ? s->memory->constants + at : sim_bytes(s, at, n), copy, n);
	xfree(copy);
}

uint64_t
memory_place_variable(Sim *s, uint32_t sym)
{
	const Module *m = s->m;
	const Sym *y = &m->syms[sym];
	const Var *v = ptx_var(m, sym);
	Prog *p = &s->prog;
	if (p->placed[sym] || !v)
		return p->address[sym];
	uint32_t align = v->align ? v->align : 1, other = variable_definition(m, sym);
	p->placed[sym] = 1;
	if (other != sym)
		return p->address[sym] = memory_place_variable(s, other);
	if (y->space == SPACE_SHARED) {
		return place_shared(p, sym, align, (uint32_t)v->bytes);
	}
	size_t n;
	const char *name = ptx_name(m, sym, &n);
	p->address[sym] = y->space == SPACE_CONST ? reserve_const(s->memory, v->bytes, align) :
		reserve_global(s, v, arena_strndup(s->arena, name, n));
	if (v->init.end > v->init.pos)
		fill_variable(s, sym, v);
	return p->address[sym];
}

uint64_t
sim_variable(Sim *s, const char *name, size_t *bytes)
{
	uint32_t sym = find_symbol(s->m, name, strlen(name));
	const Sym *y = &s->m->syms[sym];
	const Var *v = sym ? ptx_var(s->m, sym) : NULL;
	if (!v || (y->space != SPACE_GLOBAL && y->space != SPACE_CONST))
		return 0;
	*bytes = v->bytes;
	return memory_generic((Space)y->space, memory_place_variable(s, sym));
}
