/* SPDX-License-Identifier: MIT */
/* mbarrier: counted barriers in shared memory, with phases (PTX ISA 9.7.13.15). cuda::barrier and
 * cuda::pipeline use them from sm_80 on.
 *
 * The object's 64 bits are opaque to programs. Here they contain the pending arrivals of the
 * current phase, the arrivals of a full phase, the outstanding bytes of asynchronous copies, a tag
 * that identifies an object, and the parity of the phase. The state returned by an arrive is the
 * object's previous value. For the race check, an arrival, with everything that its lane knows,
 * precedes each wait that observes the end of its phase.
 */
#include <string.h>
#include "simt/isa/handlers.h"

typedef enum {
	MB_INIT,
	MB_INVAL,
	MB_ARRIVE,
	MB_DROP,
	MB_EXPECT,
	MB_COMPLETE,
	MB_STATE,
	MB_PARITY,
	MB_PENDING
} Mbarrier_operation;

enum { COUNT_BITS = 20, COUNT_MOST = (1 << COUNT_BITS) - 1 };

typedef struct {
	uint32_t pending, all;
	int32_t bytes;
	bool odd, valid;
} Mbarrier;

static Mbarrier
unpack_mbarrier(uint64_t v)
{
	Mbarrier o = { .pending = v & COUNT_MOST,
		.all = v >> COUNT_BITS & COUNT_MOST,
		.odd = v >> 63,
		.valid = (v >> 61 & 3) == 1 };
	uint32_t bytes = (uint32_t)(v >> 2 * COUNT_BITS) & 0x1fffff;
	o.bytes = (int32_t)bytes - (bytes >> COUNT_BITS ? 1 << (COUNT_BITS + 1) : 0);
	return o;
}

static uint64_t
pack_mbarrier(Mbarrier o)
{
	return o.pending | (uint64_t)o.all << COUNT_BITS |
		(uint64_t)((uint32_t)o.bytes & 0x1fffff) << 2 * COUNT_BITS |
		(uint64_t)o.valid << 61 | (uint64_t)o.odd << 63;
}

/* ---- order, for the race check --------------------------------------------------------------- */

struct Phase_order {
	Phase_order *next;
	uint64_t at;            /* address of the object */
	/* by lane: accesses before this time are ordered by arrivals in the current phase (now), in
	 * completed phases (done) */
	uint32_t *now, *done;
};

static Phase_order *
phase_order_of(Thread_block *b, uint64_t at)
{
	size_t n = (size_t)b->nwarps * LANES;
	Phase_order *k = b->known;
	while (k && k->at != at)
		k = k->next;
	if (k)
		return k;
	k = xmalloc(sizeof *k);
	*k = (Phase_order){ .next = b->known, .at = at, .now = xmalloc(2 * n * sizeof *k->now) };
	memset(k->now, 0, 2 * n * sizeof *k->now);
	k->done = k->now + n;
	return b->known = k;
}

void
mbarrier_clear(Thread_block *b)
{
	for (Phase_order *k = b->known, *next; k; k = next) {
		next = k->next;
		xfree(k->now);
		xfree(k);
	}
	b->known = NULL;
}

static void
raise_minimum(uint32_t *a, uint32_t b)
{
	*a = *a > b ? *a : b;
}

/* Records an arrival: lanes that wait will know what this lane knows, and its own accesses. */
static void
order_arrival(Warp *w, uint32_t lane, uint64_t at, bool ends)
{
	Thread_block *b = w->block;
	Clock *c = &w->clock;
	if (!w->sim->l->races)
		return;
	Phase_order *k = phase_order_of(b, at);
	c->now++;
	for (uint32_t v = 0; v < b->nwarps; v++)
		for (uint32_t u = 0; u < LANES; u++)
			raise_minimum(&k->now[v * LANES + u],
				v != w->index     ? c->warp[lane * b->nwarps + v] :
					u == lane ? c->now :
						    c->lane[lane][u]);
	if (ends)
		memcpy(k->done, k->now, (size_t)b->nwarps * LANES * sizeof *k->now);
}

static void
order_wait(Warp *w, uint32_t lane, uint64_t at)
{
	Thread_block *b = w->block;
	Clock *c = &w->clock;
	if (!w->sim->l->races)
		return;
	const Phase_order *k = phase_order_of(b, at);
	for (uint32_t v = 0; v < b->nwarps; v++)
		for (uint32_t u = 0; u < LANES; u++)
			raise_minimum(
				v == w->index ? &c->lane[lane][u] : &c->warp[lane * b->nwarps + v],
				k->done[v * LANES + u]);
	c->same = false;
	causality_acquire(w, lane);
}

/* ---- handlers -------------------------------------------------------------------------------- */

/* Reads the object at a lane's address; false after a fault. */
static bool
fetch_mbarrier(Warp *w, const Access *x, Access_target *p, Mbarrier *o)
{
	uint64_t v = 0;
	if (!memory_access(w, x, p))
		return false;
	memcpy(&v, p->bytes, sizeof v);
	*o = unpack_mbarrier(v);
	if (!o->valid)
		sim_fault(w, x->i, p->lane, FAULT_MBARRIER,
			"there is none at 0x%llx of shared memory", (unsigned long long)p->offset);
	return o->valid;
}

/* Applies one lane's arrival, count times, or a change of the expected bytes; false after a
 * fault. */
static bool
update_mbarrier(
	Warp *w, const Inst *i, const Access_target *p, Mbarrier *o, int64_t bytes, uint32_t count)
{
	if (count > o->pending || o->bytes + bytes > COUNT_MOST || o->bytes + bytes < -COUNT_MOST) {
		sim_fault(w, i, p->lane, FAULT_MBARRIER,
			count > o->pending ? "%u arrivals where %u are left" :
					     "the count of bytes goes beyond 2^20 - 1",
			count, o->pending);
		return false;
	}
	o->bytes += (int32_t)bytes;
	o->pending -= count;
	bool ends = !o->pending && !o->bytes;
	if (ends) {
		o->odd = !o->odd;
		o->pending = o->all;
	}
	order_arrival(w, p->lane, p->offset, ends);
	return true;
}

bool
mbarrier_complete_bytes(
	Warp *w, const Access *x, uint32_t lane, uint32_t bytes, uint64_t *offset, bool *odd)
{
	Access_target p = { .lane = lane };
	Mbarrier o;
	uint64_t after;
	if (!fetch_mbarrier(w, x, &p, &o))
		return false;
	*offset = p.offset;
	*odd = o.odd;
	if (!update_mbarrier(w, x->i, &p, &o, -(int64_t)bytes, 0))
		return false;
	after = pack_mbarrier(o);
	memcpy(p.bytes, &after, sizeof after);
	return true;
}

/* arrive and its variants. imm: number of arrivals if no operand specifies it. */
static void
run_arrive(Warp *w, const Inst *i, uint32_t lanes)
{
	Mbarrier_operation what = (Mbarrier_operation)i->op;
	Access x;
	x.kind = ACCESS_ATOMIC;
	x.size = sizeof(uint64_t);
	access_of(&x, w, i, lanes);
	for EACH_LANE(l, lanes) {
		Access_target p = { .lane = l };
		Mbarrier o;
		uint64_t before, after;
		uint32_t n = i->b ? row32(w, i->b)[l] : (uint32_t)i->imm;
		bool tx = i->flags & F_HI || what == MB_EXPECT,
		     arrives = what == MB_ARRIVE || what == MB_DROP;
		if (!fetch_mbarrier(w, &x, &p, &o))
			return;
		before = pack_mbarrier(o);
		o.all -= what == MB_DROP ? tx ? 1 : n : 0;
		if (!update_mbarrier(w, i, &p, &o,
			    tx                          ? (int64_t)n :
				    what == MB_COMPLETE ? -(int64_t)n :
							  0,
			    !arrives   ? 0 :
				    tx ? 1 :
					 n))
			return;
		after = pack_mbarrier(o);
		memcpy(p.bytes, &after, sizeof after);
		if (i->d)
			row64(w, i->d)[l] = before;
	}
}

static void
run_init(Warp *w, const Inst *i, uint32_t lanes)
{
	Access x;
	x.kind = ACCESS_WRITE;
	x.size = sizeof(uint64_t);
	access_of(&x, w, i, lanes);
	for EACH_LANE(l, lanes) {
		uint32_t n = i->op == MB_INIT ? row32(w, i->b)[l] : 1;
		uint64_t v = i->op == MB_INIT ?
			pack_mbarrier((Mbarrier){ .pending = n, .all = n, .valid = true }) :
			0;
		if (n < 1 || n > COUNT_MOST) {
			sim_fault(w, i, l, FAULT_MBARRIER, "a count of %u", n);
			return;
		}
		if (!memory_access(
			    w, &x, &(Access_target){ .lane = l, .from = (const uint8_t *)&v }))
			return;
	}
}

/* test_wait, try_wait: tests whether the phase with a given state or parity has completed. */
static void
run_test(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t yes = 0;
	Access x;
	x.kind = ACCESS_ATOMIC;
	x.size = sizeof(uint64_t);
	access_of(&x, w, i, lanes);
	for EACH_LANE(l, lanes) {
		Access_target p = { .lane = l };
		Mbarrier o;
		if (!fetch_mbarrier(w, &x, &p, &o))
			return;
		bool odd = i->op == MB_PARITY ? row32(w, i->b)[l] & 1 :
						unpack_mbarrier(row64(w, i->b)[l]).odd;
		if (o.odd == odd)
			continue;
		yes |= UINT32_C(1) << l;
		order_wait(w, l, p.offset);
		launch_control_waited(w->block, p.offset, odd);
	}
	pred_put(w, i->d, lanes, yes);
}

static void
run_pending(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = unpack_mbarrier(row64(w, i->a)[l]).pending;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static const struct { uint16_t op; uint8_t what; Run *run;
} rows[] = {
	{ OP_MBARRIER_INIT, MB_INIT, run_init }, { OP_MBARRIER_INVAL, MB_INVAL, run_init },
	{ OP_MBARRIER_ARRIVE, MB_ARRIVE, run_arrive },
	{ OP_MBARRIER_ARRIVE_DROP, MB_DROP, run_arrive },
	{ OP_MBARRIER_EXPECT_TX, MB_EXPECT, run_arrive },
	{ OP_MBARRIER_COMPLETE_TX, MB_COMPLETE, run_arrive },
	{ OP_MBARRIER_TEST_WAIT, MB_STATE, run_test }, { OP_MBARRIER_TRY_WAIT, MB_STATE, run_test },
	{ OP_MBARRIER_PENDING, MB_PENDING, run_pending },
	{ OP_CP_ASYNC_MBARRIER, MB_ARRIVE, run_arrive } /* .noinc */
};

bool
mbarrier_decode(Opcode *h, Inst *i)
{
	size_t n = sizeof rows / sizeof *rows, k = 0;
	while (k < n && rows[k].op != h->s->op)
		k++;
	if (k == n)
		return false;
	Mbarrier_operation what = (Mbarrier_operation)rows[k].what;
	i->run = rows[k].run;
	i->kind = rows[k].run == run_test ? I_YIELD : I_PLAIN;
	i->op = (uint8_t)(what == MB_STATE && opcode_has(h, "parity") ? MB_PARITY : what);
	i->space = (uint8_t)ptx_space(h->m, h->s);
	i->flags |= what == MB_INIT ? 0 : F_STRONG;
	i->flags |= opcode_has(h, "expect_tx") && what != MB_EXPECT ? F_HI : 0;
	i->imm = 1;
	uint32_t o = operand_next(h, 0);
	bool result = h->m->opnds[o].kind != OPND_ADDR;
	if (result)
		i->d = operand_dest(h, o,
			what == MB_PENDING       ? T_B32 :
				what == MB_STATE ? T_PRED :
						   T_B64);
	if (!result && (what == MB_PENDING || what == MB_STATE))
		return false;
	if (what == MB_PENDING) {
		i->a = operand_source(h, operand_next(h, 1), T_B64, NULL);
		return true;
	}
	int64_t count = i->imm;
	operand_address(h, operand_next(h, result), i);
	uint32_t last = operand_next(h, result + 1u);
	i->b = last ? operand_source(h, last, i->op == MB_STATE ? T_B64 : T_B32, NULL) :
		      operand_const(h, (uint64_t)count, 4);
	if (h->s->op == OP_CP_ASYNC_MBARRIER && !opcode_has(h, "noinc"))
		i->b = operand_const(
			/* without .noinc: increments the count and arrives, because the copies are
			 * already done */
			h, 0, 4);
	return h->ntypes == 1;
}
