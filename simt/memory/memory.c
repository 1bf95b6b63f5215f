/* SPDX-License-Identifier: MIT */
/* Memory: maps addresses to bytes and checks them (PTX ISA 5.1).
 *
 * Every space has a window of generic addresses (instruction.h). Global memory is a list of
 * buffers: buffers.c. An access outside of its space, or at an address that is not a multiple of
 * its size, is a fault.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/memory/cache_model.h"
#include "simt/memory/traffic.h"
#include "simt/memory/copy_on_write.h"
#include "simt/state/shadow.h"

/* ---- memory of lanes ------------------------------------------------------------------------- */

void
lane_memory_grow(Lane_memory *m, uint32_t bytes)
{
	if (bytes <= m->bytes)
		return;
	uint32_t n = m->bytes ? m->bytes : 256;
	while (n < bytes)
		n *= 2;
	Lane_memory to = { xmalloc((size_t)n * LANES), n, m->fill };
	lane_memory_clear(&to);
	for (uint32_t l = 0; l < LANES && m->at; l++)
		memcpy(lane_memory(&to, l), lane_memory(m, l), m->bytes);
	xfree(m->at);
	*m = to;
}

void
lane_memory_clear(Lane_memory *m)
{
	if (m->at)
		memset(m->at, m->fill, (size_t)m->bytes * LANES);
}

/* ---- finding the bytes ----------------------------------------------------------------------- */

/* Reports an access outside of `what`, whose size is `end` (0: it does not exist). */
static uint8_t *
report_outside(Warp *w, const Access *x, const Access_target *p, const char *what, uint64_t end)
{
	const unsigned long long at = p->offset;
	if (end)
		sim_fault(w, x->i, p->lane, FAULT_BOUNDS, "%u bytes at 0x%llx of %s, which has %llu",
			x->size, at, what, (unsigned long long)end);
	else
		sim_fault(w, x->i, p->lane, FAULT_BOUNDS, "%u bytes at 0x%llx, which is not in %s",
			x->size, at, what);
	return NULL;
}

static uint8_t *
locate_global(Warp *w, const Access *x, Access_target *p)
{
	Buffer *b = buffer_find(w->sim, p->offset);
	if (!b)
		return report_outside(w, x, p, "memory", 0);
	p->offset = p->bit = p->offset - b->at;
	if (!b->bytes) {
		sim_fault(w, x->i, p->lane, FAULT_FREED, "%u bytes at 0x%llx of %s", x->size,
			(unsigned long long)p->offset, b->label);
		return NULL;
	}
	if (p->offset + x->size > b->n)
		return report_outside(w, x, p, b->label, b->n);
	const bool checked = memory_is_shadowed(w->sim);
	if (checked && !b->shadow && !w->sim->worker.overlay)
		b->shadow = shadow_new(b->n);
	p->shadow = checked ? b->shadow : NULL;
	p->buffer = b;
	p->written = b->written;
	return b->bytes + p->offset;
}

static uint8_t *
locate_shared(Warp *w, const Access *x, Access_target *p)
{
	Thread_block *b = w->block;
	uint64_t at = p->offset;
	if ((at + x->size > w->sim->launch.shared || at > w->sim->launch.shared) &&
		at - w->sim->launch.reserved > RESERVED - x->size)
		return report_outside(w, x, p, "shared memory", w->sim->launch.shared);
	p->shadow = b->shadow;
	p->written = b->written;
	p->bit = at;
	return b->shared + at;
}

/* Memory from alloca: lane_stack.c. Returns NULL if the access is outside. */
static uint8_t *
stack_address(Warp *w, uint32_t lane, uint64_t at, uint32_t size)
{
	at -= STACK_OWN;
	return at + size > w->top[lane] ? NULL : lane_memory(&w->stack, lane) + at;
}

static uint8_t *
locate_window(Warp *w, const Access *x, Access_target *p, Space space)
{
	uint64_t at = p->offset;
	const uint32_t size = x->size, constants = w->sim->memory->nconstants;
	if (space == SPACE_PARAM && at < PARAM_OWN) {
		if (at + size > w->sim->k->bytes)
			return report_outside(w, x, p, "kernel parameters", w->sim->k->bytes);
		/* cast is safe: no st can name kernel parameters */
		return (uint8_t *)(uintptr_t)(w->sim->l->params + at);
	}
	if (space == SPACE_CONST) {
		if (at + size > constants || at > constants)
			return report_outside(w, x, p, "constant memory", constants);
		return w->sim->memory->constants + at;
	}
	if (space == SPACE_LOCAL && at >= STACK_OWN) {
		uint8_t *bytes = stack_address(w, p->lane, at, size);
		p->offset -= STACK_OWN;
		return bytes ? bytes :
			       report_outside(w, x, p, "memory from alloca", w->top[p->lane]);
	}
	at -= space == SPACE_PARAM ? PARAM_OWN : 0;
	p->offset = at;
	uint32_t end = w->frame->base + w->sim->prog.codes.at[w->frame->code].local;
	if (at + size > end || at > end)
		return report_outside(w, x, p, "local memory", end);
	return lane_memory(&w->local, p->lane) + at;
}

uint8_t *
memory_locate(Warp *w, const Access *x, Access_target *p)
{
	uint64_t at = x->at[p->lane];
	if (at & (x->size - 1)) {
		sim_fault(w, x->i, p->lane, FAULT_ALIGN, "%u bytes at 0x%llx", x->size,
			(unsigned long long)at);
		return NULL;
	}
	Space space = memory_space(x->space, &at);
	p->offset = at;
	return p->bytes = space == SPACE_GLOBAL ? locate_global(w, x, p) :
			space == SPACE_SHARED   ? locate_shared(w, x, p) :
						  locate_window(w, x, p, space);
}

/* ---- accesses -------------------------------------------------------------------------------- */

uint8_t *
memory_access(Warp *w, const Access *x, Access_target *p)
{
	const Access_kind kind = p->reads ? ACCESS_READ : x->kind;
	const bool reads = kind <= ACCESS_READ;
	if (!memory_locate(w, x, p))
		return NULL;
	if (p->buffer && w->sim->worker.overlay && !overlay_at(w, x, p))
		return NULL;
	if (x->reach && p->buffer)
		w->sim->launch.together = true;
	if ((kind == ACCESS_READ || kind == ACCESS_ATOMIC) && p->written && !w->sim->l->unwritten &&
		!written_all(p->written, p->bit, x->size))
		sim_fault(w, x->i, p->lane, FAULT_UNWRITTEN, "%u bytes at 0x%llx of %s", x->size,
			(unsigned long long)p->offset,
			p->buffer ? p->buffer->label : "shared memory");
	if (p->shadow && w->iterations)
		promise_access(w, x, p);
	if (p->shadow && w->causal && reads)
		race_read(w, x, p);
	else if (p->shadow && w->causal)
		race_write(w, x, p);
	if (!reads && p->written)
		written_set(p->written, p->bit, x->size);
	if (p->from)
		memcpy(p->bytes, p->from, x->size);
	return p->bytes;
}

void
memory_begin(Warp *w, const Access *x)
{
	if (w->sim->l->traffic)
		count_access(w->sim, x);
	if (w->sim->stats.near)
		cache_access(w, x);
	if (w->causal && x->lanes & (x->lanes - 1))
		race_prepare(w, x);
	if (w->causal && x->reach && x->kind > ACCESS_READ)
		causality_before_access(w, x->order, x->lanes);
}

void
memory_end(Warp *w, const Access *x)
{
	if (w->causal && x->reach)
		causality_after_access(w, x->order, x->lanes);
}
