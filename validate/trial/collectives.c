/* SPDX-License-Identifier: MIT */
/* Interaction of a trial's lanes: votes, shuffles, barriers, and the inserted text's shared memory
 * (trial.h).
 *
 * Only a barrier orders memory accesses (PTX ISA 9.7.13, bar.warp.sync). For each word we track
 * which lanes accessed it since the last one; if two lanes did, neither may have written it.
 */
#include "validate/trial/trial.h"

/* ---- collectives ----------------------------------------------------------------------------- */

static uint32_t
shuffle_source(const Trial_insn *a, uint32_t lane, uint32_t b, uint32_t c, bool *is)
{
	uint32_t segment = c >> 8 & 31, least = lane & segment, most = least | (c & 31 & ~segment);
	int32_t j = (int32_t)lane;

	switch ((Modifier)a->code.how) {
	case HOW_UP: j -= (int32_t)(b & 31); break;
	case HOW_DOWN: j += (int32_t)(b & 31); break;
	case HOW_BFLY: j ^= (int32_t)(b & 31); break;
	default: j = (int32_t)(least | (b & 31 & ~segment)); break;
	}
	*is = a->code.how == HOW_UP ? j >= (int32_t)most : j <= (int32_t)most;
	return *is ? (uint32_t)j : lane;
}

/* The result of a collective over all lanes. */
static uint64_t
vote_result(const Trial_insn *a, uint32_t mask, const uint64_t *values)
{
	uint64_t v = 0, bits = 0;
	bool any = false;

	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		bits |= (values[i] & 1) << i;
		v = any ? trial_fold((Modifier)a->code.how, (Type)a->code.type, v, values[i]) :
			  values[i];
		any = true;
	}
	if (a->code.op == OP_REDUX)
		return v;
	return a->code.how == HOW_BALLOT ? bits :
		a->code.how == HOW_ALL   ? bits == mask :
		a->code.how == HOW_ANY   ? bits != 0 :
					   bits == 0 || bits == mask;
}

static uint64_t
lanes_with_value(uint32_t mask, const uint64_t *values, uint32_t lane)
{
	uint64_t same = 0;

	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		if (mask >> i & 1 && values[i] == values[lane])
			same |= UINT64_C(1) << i;
	return same;
}

/* shfl: the source lane, and whether it exists. */
static void
run_shuffle(Trial *t, const Trial_warp *w, const Trial_insn *a, const Lane_set *g,
	const uint64_t *values)
{
	uint64_t rooms[4][TRIAL_LANES];
	const uint64_t *b = trial_operand_values(t, w, &a->operands[1], g, rooms[0]),
		       *c = trial_operand_values(t, w, &a->operands[2], g, rooms[1]);
	uint64_t *to = trial_result_values(w, &a->results[0], g, rooms[2]),
		 *there = a->nresults > 1 ? trial_result_values(w, &a->results[1], g, rooms[3]) :
					    rooms[3],
		 bits = a->results[0].value;
	uint32_t mask = w->mask[g->lane[0]];

	LANE_SET_EACH(i, g) {
		bool is;
		uint32_t from = shuffle_source(a, i, (uint32_t)b[i], (uint32_t)c[i], &is);
		to[i] = (mask >> from & 1 ? values[from] : trial_mix(t->by.seed[i], i)) & bits;
		there[i] = is;
	}
}

static void
run_exchange(Trial *t, const Trial_warp *w, const Trial_insn *a, const Lane_set *g,
	const uint64_t *values)
{
	uint32_t mask = w->mask[g->lane[0]];

	if (a->code.op == OP_SHFL) {
		run_shuffle(t, w, a, g, values);
	} else if (a->code.op == OP_MATCH) {
		LANE_SET_EACH(i, g) {
			uint64_t same = lanes_with_value(mask, values, i);
			bool all = same == mask;
			trial_set_result(
				w, &a->results[0], i, a->code.how != HOW_ALL || all ? same : 0);
			if (a->nresults > 1)
				trial_set_result(w, &a->results[1], i, all);
		}
	} else if (a->code.op != OP_BAR_WARP) {
		uint64_t v = vote_result(a, mask, values) & a->results[0].value, room[TRIAL_LANES],
			 *to = trial_result_values(w, &a->results[0], g, room);
		LANE_SET_EACH(i, g)
			to[i] = v;
	}
}

/* The lanes that wait at the same place as the first one. */
static Trial_insn *
next_group(Trial_warp *w, uint32_t mask, Lane_set *g)
{
	uint32_t at = w->at[__builtin_ctz(mask)], these = 0;

	if (!(mask & ~w->last.mask)) {
		lane_set_make(g, mask);
		return trial_read(w->code, at);
	}
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		these |= w->at[__builtin_ctz(rest)] == at ? rest & -rest : 0;
	lane_set_make(g, these);
	return trial_read(w->code, at);
}

void
trial_run_collective(Trial *t, Trial_warp *w, uint32_t mask)
{
	uint64_t values[TRIAL_LANES] = { 0 }, room[TRIAL_LANES];
	Lane_set g;

	for (uint32_t rest = mask; rest; rest &= ~g.mask) {
		const Trial_insn *a = next_group(w, rest, &g);
		if (a->code.how == HOW_OTHER)
			trial_unknown(t, a->stmt, "an instruction");
		if (a->code.op == OP_BAR_WARP && mask != t->lanes)
			trial_wrong(t, a->stmt, "a barrier of some lanes alone");
		const uint64_t *v = trial_operand_values(t, w, &a->operands[0], &g, room);
		LANE_SET_EACH(i, &g)
			values[i] = v[i];
	}
	for (uint32_t rest = mask; rest; rest &= ~g.mask) {
		const Trial_insn *a = g.mask == mask ? trial_read(&t->out, w->at[g.lane[0]]) :
						next_group(w, rest, &g);
		run_exchange(t, w, a, &g, values);
		w->waits &= ~g.mask;
		trial_start_lanes(w, a->next, g.mask);
		t->buffer.epoch += a->code.op == OP_BAR_WARP && (rest & ~g.mask) == 0;
	}
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The word at an address, or a free one. */
static Buffer_word *
find_word(const Trial_buffer *buffer, uint32_t at)
{
	uint32_t h = (uint32_t)(trial_mix(at, 5) >> 20) & (buffer->words_cap - 1);

	while (buffer->words[h].run == buffer->run && buffer->words[h].at != at)
		h = (h + 1) & (buffer->words_cap - 1);
	return &buffer->words[h];
}

static void
grow_words(Trial_buffer *buffer, Arena *arena)
{
	Buffer_word *old = buffer->words;
	uint32_t n = buffer->words_cap;

	buffer->words_cap *= 2;
	buffer->words = arena_array(arena, buffer->words_cap, sizeof *buffer->words);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].run == buffer->run)
			*find_word(buffer, old[i].at) = old[i];
}

/* Parts of a word are separate words, because nothing is accessed in two sizes. */
static Buffer_word *
word_at(Trial *t, uint32_t at)
{
	if (2 * t->buffer.nwords >= t->buffer.words_cap && t->buffer.nwords < MOST_WORDS_USED)
		grow_words(&t->buffer, t->in.arena);
	Buffer_word *w = find_word(&t->buffer, at);
	if (w->run != t->buffer.run && ++t->buffer.nwords < MOST_WORDS_USED)
		*w = (Buffer_word){ .at = at, .run = t->buffer.run, .epoch = t->buffer.epoch,
			.value = (uint32_t)trial_mix(t->by.seed[0], at) };
	if (w->epoch != t->buffer.epoch) {
		w->epoch = t->buffer.epoch;
		w->readers = 0;
		w->wrote = w->atomic = false;
	}
	return w;
}

static void
note_access(Trial *t, Buffer_word *w, uint32_t lane, const Trial_insn *a)
{
	bool writes = a->code.op != OP_LD, atomic = a->code.op == OP_ATOM || a->code.op == OP_RED;
	uint32_t bit = UINT32_C(1) << lane;

	if ((w->wrote && w->writer != lane && !(atomic && w->atomic)) ||
		(writes && w->readers & ~bit))
		trial_wrong(t, a->stmt, "no barrier between accesses of two lanes");
	if (!writes) {
		w->readers |= bit;
		return;
	}
	w->writer = w->wrote && w->writer != lane ? TRIAL_LANES : (uint8_t)lane;
	w->atomic = atomic && (!w->wrote || w->atomic);
	w->wrote = true;
}

static uint64_t
read_words(Trial *t, uint32_t lane, const Trial_insn *a, uint32_t at, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < size; k += 4) {
		Buffer_word *w = word_at(t, at + k);
		note_access(t, w, lane, a);
		v |= (uint64_t)w->value << 8 * k;
	}
	return size < 4 ? v & ((UINT64_C(1) << 8 * size) - 1) : v;
}

static void
write_words(Trial *t, const Trial_insn *a, uint32_t lane, uint32_t at, uint64_t v)
{
	for (uint32_t k = 0; k < a->code.size; k += 4) {
		Buffer_word *w = word_at(t, at + k);
		note_access(t, w, lane, a);
		w->value = (uint32_t)(v >> 8 * k);
	}
}

static uint64_t
folded_value(Trial *t, const Trial_insn *a, uint64_t was, uint64_t x, uint64_t y)
{
	switch ((Modifier)a->code.how) {
	case HOW_EXCH: return x;
	case HOW_INC: return was >= x ? 0 : was + 1;
	case HOW_CAS: return was == x ? y : was;
	case HOW_OTHER: trial_unknown(t, a->stmt, "an instruction"); return 0;
	default: return trial_fold((Modifier)a->code.how, (Type)a->code.type, was, x);
	}
}

/* Extends the warp's part of the buffer by an access, which must be inside of a variable. */
static void
extend_range(Trial *t, const Trial_insn *a, uint64_t at, uint32_t size)
{
	Variable_range *w = &t->buffer.warps[t->block.first != 0];
	uint64_t end = at + size, last = w->at + w->bytes;
	bool within = false;

	for (uint32_t i = 0; i < t->out.nshared; i++) {
		const Variable_range *v = &t->out.shared[i];
		within |= at >= v->at && end <= v->at + v->bytes;
	}
	if (!within)
		trial_wrong(t, a->stmt, "an access outside of the buffer");
	if (!w->bytes)
		*w = (Variable_range){ at, size };
	w->at = w->at < at ? w->at : at;
	w->bytes = (last > end ? last : end) - w->at;
}

void
trial_access(Trial *t, const Trial_warp *w, const Trial_insn *a, uint32_t lane,
	const uint64_t *const *takes)
{
	uint32_t at = (uint32_t)takes[0][lane], size = a->code.size;
	uint32_t n = a->code.op == OP_LD ? a->nresults : a->noperands - 1u;

	extend_range(t, a, at, size * (n ? n : 1));
	if (at % (size ? size : 1))
		trial_wrong(t, a->stmt, "an address that is not aligned");
	if (a->code.op == OP_LD) {
		for (uint32_t k = 0; k < a->nresults; k++, at += size)
			trial_set_result(w, &a->results[k], lane, read_words(t, lane, a, at, size));
	} else if (a->code.op == OP_ST) {
		for (uint32_t k = 1; k < a->noperands; k++, at += size)
			write_words(t, a, lane, at, takes[k][lane]);
	} else {
		uint64_t x = takes[1][lane], y = a->noperands > 2 ? takes[2][lane] : 0;
		uint64_t was = read_words(
			t, lane, &(Trial_insn){ .code.op = a->code.op, .stmt = a->stmt }, at, size);
		write_words(t, a, lane, at, folded_value(t, a, was, x, y));
		if (a->nresults)
			trial_set_result(w, &a->results[0], lane, was);
	}
	if (t->buffer.nwords >= MOST_WORDS_USED)
		trial_unknown(t, a->stmt, "so much shared memory");
}
