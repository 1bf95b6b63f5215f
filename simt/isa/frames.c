/* SPDX-License-Identifier: MIT */
/* Frames: a warp's registers in an activation of a function, and their initial values. */
#include <string.h>
#include "simt/isa/handlers.h"

/* In bytes: shared memory is allocated in multiples of SMEM_UNIT; registers are filled in units of
 * FILL. */
enum { SMEM_UNIT = 128, FILL = 32 };

static uint64_t
special_register(const Warp *w, const Row *r, uint32_t lane)
{
	const Sim *s = w->sim;
	const Thread_block *b = w->block;
	const uint32_t *n = s->l->block;
	uint32_t t = w->index * LANES + lane, axis = r->sel ? (uint32_t)(r->sel - 'x') : 0;
	uint32_t at[3] = { t % n[0], t / n[0] % n[1], t / n[0] / n[1] }, bit = UINT32_C(1) << lane;
	switch ((Sreg)r->value) {
	case SREG_TID: return axis < 3 ? at[axis] : 0;
	case SREG_NTID: return axis < 3 ? n[axis] : 0;
	case SREG_CTAID: return axis < 3 ? b->id[axis] : 0;
	case SREG_NCTAID: return axis < 3 ? s->l->grid[axis] : 0;
	case SREG_CLUSTERID: return axis < 3 ? b->id[axis] : 0;
	case SREG_NCLUSTERID: return axis < 3 ? s->l->grid[axis] : 0;
	case SREG_CLUSTER_NCTAID: return axis < 3;
	case SREG_CLUSTER_NCTARANK: return 1;
	case SREG_LANEID: return lane;
	case SREG_WARPID: return w->index;
	case SREG_NWARPID: return 64;
	case SREG_NSMID: return s->l->sms ? s->l->sms : 1;
	case SREG_LANEMASK_EQ: return bit;
	case SREG_LANEMASK_LT: return bit - 1;
	case SREG_LANEMASK_LE: return bit | (bit - 1);
	case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
	case SREG_LANEMASK_GE: return ~(bit - 1);
	case SREG_TOTAL_SMEM_SIZE:
		return (s->launch.shared + SMEM_UNIT - 1) / SMEM_UNIT * SMEM_UNIT;
	case SREG_AGGR_SMEM_SIZE: return s->launch.shared + RESERVED_CAP;
	case SREG_DYNAMIC_SMEM_SIZE: return s->l->shared;
	case SREG_RESERVED_SMEM_BEGIN: return s->launch.reserved;
	case SREG_RESERVED_SMEM_END: return s->launch.reserved + RESERVED;
	case SREG_RESERVED_SMEM_CAP: return RESERVED_CAP;
	case SREG_RESERVED_SMEM_0: return s->launch.reserved;
	case SREG_RESERVED_SMEM_1: return s->launch.reserved;
	case SREG_ENVREG1: return s->l->cooperative ? s->workspace >> 32 : 0;
	case SREG_ENVREG2: return s->l->cooperative ? (uint32_t)s->workspace : 0;
	/* index of the only grid, of the only multiprocessor, or within a cluster of one block */
	default: return 0;
	}
}

/* Fills a row with one value for all lanes, the most frequent case. */
static void
fill_row_uniform(const Frame *f, const Row *r, uint64_t v)
{
	uint8_t *at = f->regs + r->off;
	const uint32_t word = (uint32_t)v;
	if (r->width == 0)
		memset(at, v ? 0xff : 0, 4);
	else if (r->width > 4)
		for (uint32_t l = 0; l < LANES; l++)
			memcpy(at + 8 * l, &v, 8);
	else
		for (uint32_t l = 0; l < LANES; l++)
			memcpy(at + 4 * l, &word, 4);
}

static void
fill_special(const Warp *w, const Frame *f, const Row *r)
{
	uint8_t *at = f->regs + r->off;
	const uint32_t size = r->width > 4 ? 8 : 4;
	if (!r->width)
		fill_row_uniform(f, r, special_register(w, r, 0));
	for (uint32_t l = 0; l < LANES && r->width; l++) {
		uint64_t v = special_register(w, r, l);
		memcpy(at + size * l, &v, size);
	}
}

static void
fill_row(const Warp *w, const Frame *f, const Row *r)
{
	switch ((Row_kind)r->kind) {
	case ROW_CONST: fill_row_uniform(f, r, r->value); break;
	case ROW_LOCAL: fill_row_uniform(f, r, r->value + f->base); break;
	case ROW_DYNAMIC: fill_row_uniform(f, r, r->value + launch_static(w->sim)); break;
	case ROW_SREG: fill_special(w, f, r); break;
	}
}

/* Fills the registers with values that no program can rely on: an arithmetic progression from a
 * start that depends on seed, written several elements at a time. */
static void
fill_undefined(Frame *f, uint64_t seed)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x[FILL / 8];
	for (uint32_t i = 0; i < FILL / 8; i++)
		x[i] = seed * step + (i + 1) * UINT64_C(0xcdcdcdcdcdcdcdcd);
	for (uint32_t k = 0; k < f->bytes; k += FILL) {
		memcpy(f->regs + k, x, FILL);
		for (uint32_t i = 0; i < FILL / 8; i++)
			x[i] += step;
	}
}

static void
frame_fill(Warp *w, Frame *f)
{
	const Code *c = &w->sim->prog.codes.at[f->code];
	fill_undefined(f, w->sim->l->sched == SCHED_RANDOM ? sim_random(w->sim) : 0);
	memset(f->regs, 0, 256);
	memset(f->regs, 0xff, 4);
	for (uint32_t i = 0; i < c->rows.n; i++)
		fill_row(w, f, &c->rows.at[i]);
	lane_memory_grow(&w->local, f->base + c->local);
}

Frame *
frame_new(Warp *w, uint32_t code, Frame *parent)
{
	const Code *c = &w->sim->prog.codes.at[code];
	Frame *f = xmalloc(sizeof *f);
	uint32_t bytes = (c->bytes + FILL - 1) & ~(uint32_t)(FILL - 1);
	*f = (Frame){ .parent = parent, .code = code, .bytes = bytes };
	if (parent) {
		f->base = (parent->base + w->sim->prog.codes.at[parent->code].local + 15) &
			~UINT32_C(15);
		f->next = parent->child;
		parent->child = f;
	}
	f->regs = xmalloc(bytes);
	frame_fill(w, f);
	return f;
}

void
frame_release(Warp *w, Frame *f)
{
	while (f) {
		Frame *next = f->next;
		frame_release(w, f->child);
		xfree(f->regs);
		xfree(f);
		f = next;
	}
}
