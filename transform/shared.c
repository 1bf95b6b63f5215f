/* CCC: how much static shared memory is left for tasks.
 *
 * A kernel takes what the module declares, what it declares itself, and what every function that it
 * can come to call declares: ptxas adds that up, and so must we, or two buffers that fit one by one
 * make a kernel that does not. Each variable counts up to the largest alignment of all, which is
 * no less than it takes in whatever order ptxas lays them out.
 */
#include "transform/ccc.h"

static uint64_t
round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

uint64_t *
ccc_shared_declared(const Module *m, Arena *a)
{
	uint64_t *bytes = arena_array(a, m->nfuncs + 1u, sizeof *bytes), align = 16;
	for (uint32_t i = 1; i < m->nvars; i++)
		if (m->syms[m->vars[i].sym].space == SPACE_SHARED && m->vars[i].align > align)
			align = m->vars[i].align;
	for (uint32_t i = 1; i < m->nvars; i++) {
		const Sym *y = &m->syms[m->vars[i].sym];
		uint64_t n = y->kind == SYM_BANK ? y->aux : 1;
		if (y->space == SPACE_SHARED)
			bytes[y->func] += n * round_up(m->vars[i].bytes, align);
	}
	return bytes;
}

/* Bytes that function `from` and all that it can come to call declare; 0 if it cannot come to fn. */
static uint64_t
taken(const Fn *fn, const uint64_t *declared, uint32_t from)
{
	const Module *m = fn->m;
	Bits seen = bits_new(fn->arena, m->nfuncs);
	uint64_t sum = 0;
	effects_flood(fn->effects, from, seen);
	for (uint32_t f = 1; fn->effects->func[from] & EFF_INDIRECT && f < m->nfuncs; f++)
		if (!m->funcs[f].entry)
			effects_flood(fn->effects, f, seen);
	BITS_EACH(f, seen)
		sum += declared[f];
	return bits_has(seen, fn->func) ? sum : 0;
}

uint32_t
ccc_shared_free(const Fn *fn, const uint64_t *declared)
{
	Arena_mark mark = arena_mark(fn->arena);
	uint64_t most = taken(fn, declared, fn->func);
	for (uint32_t f = 1; f < fn->m->nfuncs; f++) {
		uint64_t bytes = fn->m->funcs[f].entry ? taken(fn, declared, f) : 0;
		most = bytes > most ? bytes : most;
	}
	arena_release(fn->arena, mark);
	most += declared[0];
	return most < CCC_MAX_SHARED ? CCC_MAX_SHARED - (uint32_t)most : 0;
}
