/* SPDX-License-Identifier: MIT */
/* Local memory of a trial's lanes (trial.h).
 *
 * Each lane has its own, so that a path can keep a stack there. Words that were never written are
 * the same in all lanes. A loop that reads what was written before it needs the owner's task, which
 * this does not check.
 */
#include <string.h>
#include "validate/trial/trial.h"

void
trial_add_variable(
	Variable_range *list, uint32_t *n, const Trial_text *c, uint32_t sym, Space space)
{
	const Sym *y = &c->m->syms[sym];
	const Var *v = y->kind == SYM_VAR && y->space == space ? ptx_var(c->m, sym) : NULL;

	if (!v)
		return;
	Variable_range w = { trial_address(c, sym), v->bytes ? v->bytes : 1 };
	for (uint32_t i = 0; i < *n; i++)
		if (list[i].at == w.at)
			return;
	if (*n < TRIAL_WINDOWS)
		list[(*n)++] = w;
}

/* Finds the function's local variables. */
void
trial_local_init(Trial *t)
{
	t->local.cells_cap = FIRST_CELLS;
	t->local.cells = arena_array(t->in.arena, t->local.cells_cap, sizeof *t->local.cells);
	PTX_SYMS(t->in.f, sym)
		trial_add_variable(t->local.vars, &t->local.nvars, &t->in, sym, SPACE_LOCAL);
}

void
trial_local_clear(Trial_local_memory *memory)
{
	if (memory->ncells)
		memset(memory->cells, 0, memory->cells_cap * sizeof *memory->cells);
	memory->ncells = 0;
}

bool
trial_is_local(const Trial_local_memory *memory, const Trial_insn *a, uint64_t at)
{
	if (a->code.space != SPACE_GENERIC)
		return a->code.space == SPACE_LOCAL;
	for (uint32_t i = 0; i < memory->nvars; i++)
		if (at - memory->vars[i].at < memory->vars[i].bytes)
			return true;
	return false;
}

/* The cell of the key, or a free one. */
static Local_word *
find_cell(const Trial_local_memory *memory, uint64_t key)
{
	uint32_t h = (uint32_t)(trial_mix(key, 9) >> 20) & (memory->cells_cap - 1);

	while (memory->cells[h].key && memory->cells[h].key != key)
		h = (h + 1) & (memory->cells_cap - 1);
	return &memory->cells[h];
}

static void
grow_cells(Trial_local_memory *memory, Arena *arena)
{
	Local_word *old = memory->cells;
	uint32_t n = memory->cells_cap;

	memory->cells_cap *= 2;
	memory->cells = arena_array(arena, memory->cells_cap, sizeof *memory->cells);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].key)
			*find_cell(memory, old[i].key) = old[i];
}

static Local_word *
cell_at(Trial *t, uint32_t lane, uint64_t at)
{
	uint64_t key = (at & ~UINT64_C(3)) << 6 | lane << 1 | 1;

	if (2 * t->local.ncells >= t->local.cells_cap && t->local.ncells < MOST_CELLS)
		grow_cells(&t->local, t->in.arena);
	Local_word *c = find_cell(&t->local, key);
	if (!c->key && t->local.ncells < MOST_CELLS) {
		t->local.ncells++;
		uint64_t hash = trial_mix(t->by.seed[lane], at & ~UINT64_C(3));
		*c = (Local_word){ .key = key, .value = (uint32_t)trial_invent(&t->by, lane, hash,
			TYPE_U32, RANGE_SMALL) };
	} else if (!c->key) {
		trial_unknown(t, t->s->out.begin, "so much local memory");
	}
	return c;
}

uint64_t
trial_local_load(Trial *t, uint32_t lane, uint64_t at, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < size; k++)
		v |= (uint64_t)(cell_at(t, lane, at + k)->value >> 8 * ((at + k) & 3) & 255)
			<< 8 * k;
	return v;
}

void
trial_local_store(Trial *t, uint32_t lane, uint64_t at, uint32_t size, uint64_t v)
{
	for (uint32_t k = 0; k < size; k++) {
		Local_word *c = cell_at(t, lane, at + k);
		uint32_t shift = 8 * (uint32_t)((at + k) & 3);
		c->value = (c->value & ~(UINT32_C(255) << shift)) |
			(uint32_t)(v >> 8 * k & 255) << shift;
	}
}
