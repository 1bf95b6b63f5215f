/* SPDX-License-Identifier: MIT */
/* Cluster launch control: a block takes over the work of one that has not started (PTX ISA
 * 9.7.13.17 and 9.7.13.18). Each block is a cluster here.
 *
 * A request takes the next block out of the launch at once. Its response becomes readable when a
 * lane has waited for the phase of the mbarrier that the request completes bytes in; until then the
 * memory contains SCRUB. So a missing wait is detected where the response is queried, or, on other
 * lanes, by the race check, for which the request is a store by its lane.
 *
 * A missing proxy fence between a read of a response and the next request is not detected.
 *
 * Hardware may refuse although blocks are left. Under random schedules one request in REFUSE is
 * refused for no reason.
 */
#include <string.h>
#include "simt/isa/handlers.h"

enum { BYTES = 16, SCRUB = 0xcd, REFUSE = 8 };
/* the response: x, y, z of the block, and one of these */
enum { REFUSED = 0x636c6300, CANCELED };
enum { WORD_Z = 2, WORD_TAG };

struct Cancel_response {
	Cancel_response *next;
	uint64_t at, barrier;           /* offsets in shared memory */
	bool odd;                       /* parity of the barrier's phase */
	uint32_t word[4];
};

void
launch_control_clear(Thread_block *b)
{
	for (Cancel_response *r = b->responses, *next; r; r = next) {
		next = r->next;
		xfree(r);
	}
	b->responses = NULL;
	b->refused = false;
}

void
launch_control_waited(Thread_block *b, uint64_t barrier, bool odd)
{
	for (Cancel_response **at = &b->responses, *r; (r = *at);) {
		if (r->barrier != barrier || r->odd != odd) {
			at = &r->next;
			continue;
		}
		memcpy(b->shared + r->at, r->word, BYTES);
		b->refused |= r->word[WORD_TAG] == REFUSED;
		*at = r->next;
		xfree(r);
	}
}

/* ---- try_cancel ------------------------------------------------------------------------------ */

static bool
is_in_shared_memory(Warp *w, const Access *x, uint32_t lane)
{
	uint64_t at = x->at[lane];
	if (memory_space(x->space, &at) == SPACE_SHARED)
		return true;
	sim_fault(w, x->i, lane, FAULT_LAUNCH_CONTROL,
		"0x%llx is not in the block's shared memory", (unsigned long long)x->at[lane]);
	return false;
}

/* Takes a block out of the launch and fills in the response. */
static void
cancel_block(Sim *s, Cancel_response *r)
{
	const uint32_t *g = s->l->grid, n = s->launch.blocks;
	bool refused = n >= (uint64_t)g[0] * g[1] * g[2] ||
		(s->l->sched == SCHED_RANDOM && sim_random(s) % REFUSE == 0);
	r->word[WORD_TAG] = refused ? REFUSED : CANCELED;
	if (refused)
		return;
	s->launch.blocks++;
	r->word[0] = n % g[0];
	r->word[1] = n / g[0] % g[1];
	r->word[WORD_Z] = n / g[0] / g[1];
}

/* One lane's request. to, barrier: its operands. Returns false after a fault. */
static bool
request_block(Warp *w, const Access *to, const Access *barrier, uint32_t lane)
{
	Thread_block *b = w->block;
	uint8_t scrub[BYTES];
	Access_target p = { .lane = lane, .from = scrub };
	Cancel_response r = { 0 };
	if (b->refused) {
		sim_fault(w, to->i, lane, FAULT_LAUNCH_CONTROL,
			"a request after one that the block saw fail");
		return false;
	}
	memset(scrub, SCRUB, sizeof scrub);
	if (!is_in_shared_memory(w, to, lane) || !is_in_shared_memory(w, barrier, lane) ||
		!memory_access(w, to, &p) ||
		!mbarrier_complete_bytes(w, barrier, lane, BYTES, &r.barrier, &r.odd))
		return false;
	cancel_block(w->sim, &r);
	r.at = p.offset;
	r.next = b->responses;
	b->responses = xmalloc(sizeof r);
	*b->responses = r;
	return true;
}

/* a, imm: the response's address; b, target: row and offset of the mbarrier's, F_HI: 32 bits. */
static void
run_try_cancel(Warp *w, const Inst *i, uint32_t lanes)
{
	Access to, barrier;
	if (!block_queue_run_serial(w->sim))
		return;
	w->sim->launch.together = true;
	to.kind = ACCESS_WRITE;
	to.size = BYTES;
	access_of(&to, w, i, lanes);
	to.reach = REACH_NONE;
	barrier.kind = ACCESS_ATOMIC;
	barrier.size = sizeof(uint64_t);
	access_of(&barrier, w, i, lanes);
	for EACH_LANE(l, lanes)
		barrier.at[l] = i->flags & F_HI ?
			row32(w, i->b)[l] + i->target :
			row64(w, i->b)[l] + (uint64_t)(int64_t)(int32_t)i->target;
	memory_begin(w, &to);
	for EACH_LANE(l, lanes)
		if (!request_block(w, &to, &barrier, l))
			return;
}

/* ---- query_cancel ---------------------------------------------------------------------------- */

/* Reads a response; false after a fault. */
static bool
read_response(Warp *w, const Inst *i, uint32_t lane, uint32_t word[4])
{
	memcpy(word, &row64(w, i->a)[lane], sizeof(uint64_t));
	memcpy(word + WORD_Z, &row64(w, i->a)[lane + LANES], sizeof(uint64_t));
	if (word[WORD_TAG] == CANCELED || word[WORD_TAG] == REFUSED)
		return true;
	sim_fault(w, i, lane, FAULT_LAUNCH_CONTROL,
		"not the response of a request that was waited for");
	return false;
}

static void
run_is_canceled(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t yes = 0, word[4];
	for EACH_LANE(l, lanes) {
		if (!read_response(w, i, l, word))
			return;
		yes |= (uint32_t)(word[WORD_TAG] == CANCELED) << l;
	}
	pred_put(w, i->d, lanes, yes);
}

/* imm: the first dimension; nlist: number of destinations. */
static void
run_first_ctaid(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t word[4];
	for EACH_LANE(l, lanes) {
		if (!read_response(w, i, l, word))
			return;
		if (word[WORD_TAG] == REFUSED) {
			sim_fault(w, i, l, FAULT_LAUNCH_CONTROL, "the request was refused");
			return;
		}
		for (uint32_t k = 0; k < i->nlist; k++)
			row32(w, row[k])[l] = word[(uint32_t)i->imm + k];
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool
decode_try_cancel(Opcode *h, Inst *i)
{
	Inst barrier = { 0 };
	operand_address(h, operand_next(h, 0), i);
	operand_address(h, operand_next(h, 1), &barrier);
	i->b = barrier.a;
	i->target = (uint32_t)barrier.imm;
	i->space = (uint8_t)ptx_space(h->m, h->s);
	i->flags |= F_STRONG | (barrier.flags & F_ADDR32 ? F_HI : 0);
	i->run = run_try_cancel;
	(void)opcode_has(h, "multicast::cluster::all"); /* to the cluster's only block */
	return opcode_has(h, "async") && opcode_has(h, "mbarrier::complete_tx::bytes") &&
		h->ntypes == 1 && h->type[0] == T_B128;
}

static void
add_result(Opcode *h, Inst *i, uint32_t opnd)
{
	uint32_t row = operand_dest(h, opnd, T_B32);
	*vec_push(&h->p->list) = row;
	i->nlist++;
}

static bool
decode_first_ctaid(Opcode *h, Inst *i)
{
	static const char *const dimensions[] = { "get_first_ctaid::x", "get_first_ctaid::y",
		"get_first_ctaid::z", "get_first_ctaid", NULL };
	int which = opcode_which(h, dimensions);
	uint32_t d = operand_next(h, 0), vector = h->m->opnds[d].kind == OPND_VEC;
	i->imm = which > WORD_Z ? 0 : which;
	i->list = h->p->list.n;
	i->run = run_first_ctaid;
	if (!vector)
		add_result(h, i, d);
	for (uint32_t o = d + 1; vector && o < d + h->m->opnds[d].tree; o += h->m->opnds[o].tree)
		add_result(h, i, o);
	return which >= 0 && h->ntypes == 2 && h->type[0] == T_B32 && h->type[1] == T_B128 &&
		i->nlist == (which > WORD_Z ? 4 : 1);
}

bool
launch_control_decode(Opcode *h, Inst *i)
{
	if (h->s->op == OP_CLC_TRY_CANCEL)
		return decode_try_cancel(h, i);
	i->a = operand_source(h, operand_next(h, 1), T_B128, NULL);
	if (!opcode_has(h, "is_canceled"))
		return decode_first_ctaid(h, i);
	i->d = operand_dest(h, operand_next(h, 0), T_PRED);
	i->run = run_is_canceled;
	return h->ntypes == 2 && h->type[0] == T_PRED && h->type[1] == T_B128;
}
