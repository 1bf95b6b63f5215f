/* SPDX-License-Identifier: MIT */
/* Decodes a kernel and all functions that it may call, on first use, and reports what is
 * unsupported in them. */
#include <string.h>
#include "base/bits.h"
#include "simt/decode/decode.h"

/* The kernel with that name; 0: there is none. */
static uint32_t
find_function(Sim *s, const char *name)
{
	const Module *m = s->m;
	uint32_t id = intern_find(m->names, name, strlen(name));

	if (!s->kernel_named) {
		s->kernel_named = arena_array(
			s->arena, intern_count(m->names) + 1u, sizeof *s->kernel_named);
		for (uint32_t i = m->nfuncs; i-- > 1;)
			if (m->funcs[i].entry && m->funcs[i].body)
				s->kernel_named[m->syms[m->funcs[i].sym].name] = i;
	}
	return s->kernel_named[id];
}

static void
place_params(Sim *s, Sim_kernel *k)
{
	const Func *f = &s->m->funcs[k->func];
	k->nparams = f->nparam;
	k->offset = arena_array(s->arena, f->nparam + 1, sizeof *k->offset);
	k->size = arena_array(s->arena, f->nparam + 1, sizeof *k->size);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Var *v = ptx_var(s->m, f->param + i);
		k->offset[i] = (uint32_t)s->prog.address[f->param + i];
		k->size[i] = v ? (uint32_t)v->bytes : 0;
		k->bytes = k->offset[i] + k->size[i];
	}
}

/* The codes that a kernel may reach: direct callees and, if it contains an indirect call, every
 * function whose address is taken. */
static Bits
reachable_codes(Sim *s, uint32_t code)
{
	const Prog *p = &s->prog;
	Bits in = bits_new(s->arena, p->codes.n);
	VEC(uint32_t) work = { 0 };
	*vec_push(&work) = code;
	while (work.n) {
		uint32_t c = *vec_pop(&work);
		if (bits_has(in, c))
			continue;
		bits_set(in, c);
		for (uint32_t i = p->codes.at[c].entry; i < p->codes.at[c].end; i++) {
			if (p->insts.at[i].kind != I_CALL)
				continue;
			if (p->insts.at[i].target)
				*vec_push(&work) = p->insts.at[i].target;
			for (uint32_t t = 1; t < p->codes.n && !p->insts.at[i].target; t++)
				if (p->codes.at[t].taken)
					*vec_push(&work) = t;
		}
	}
	vec_free(&work);
	return in;
}

/* Prints the errors of all functions that the kernel may reach, each once; returns whether there
 * are any. */
static bool
write_errors(Sim *s, const Sim_kernel *k, const char *name, Buf *out)
{
	Arena_mark mark = arena_mark(s->arena);
	Bits in = reachable_codes(s, k->code);
	const Code *before = NULL;
	bool any = false, now = false;
	BITS_EACH(c, in) {
		Code *x = &s->prog.codes.at[c];
		if (!x->errors.n)
			continue;
		any = true;
		now = now || !x->told;
		before = x->told ? x : before;
		if (!x->told)
			buf_add(out, x->errors.at, x->errors.n);
		x->told = true;
	}
	arena_release(s->arena, mark);
	if (any && !now)
		buf_printf(out,
			"%s: error: kernel '%s' uses an unsupported feature, in '%.*s': see above\n",
			s->m->src->name, name, PTX_NAME(s->m, s->m->funcs[before->func].sym));
	return any;
}

Sim_kernel *
sim_kernel(Sim *s, const char *name, Buf *out)
{
	Opcode h = { .sim = s, .p = &s->prog, .m = s->m };
	uint32_t func = find_function(s, name);
	if (!func) {
		buf_printf(out, "%s: error: no kernel '%s'\n", s->m->src->name, name);
		return NULL;
	}
	Sim_kernel *k = arena_zalloc(s->arena, sizeof *k);
	k->func = func;
	k->code = call_code(&s->prog, func);
	bool first = s->prog.decoded < s->prog.codes.n;
	s->prog.own = 0;
	while (s->prog.decoded < s->prog.codes.n)
		decode_function(&h, s->prog.decoded++);
	if (first)
		s->prog.codes.at[k->code].shared =
			s->prog.own > s->prog.shared ? s->prog.own : s->prog.shared;
	vec_free(&h.added.counted);
	vec_free(&h.added.promised);
	place_params(s, k);
	return write_errors(s, k, name, out) ? NULL : k;
}

uint32_t
sim_nparams(const Sim_kernel *k)
{
	return k->nparams;
}
uint32_t
sim_param_bytes(const Sim_kernel *k)
{
	return k->bytes;
}

void
sim_param(const Sim_kernel *k, uint32_t i, uint32_t *offset, uint32_t *size)
{
	*offset = k->offset[i];
	*size = k->size[i];
}
