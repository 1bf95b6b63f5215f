/* SPDX-License-Identifier: MIT */
/* Decodes functions: registers become rows, variables get addresses, statements become
 * instructions.
 *
 * Reconvergence points come from the flow graph: a JOIN precedes each block that is the immediate
 * post-dominator of a block with two successors, and follows each call. An instruction that no
 * decoder supports is an error with its position; all such errors are found before anything
 * runs.
 */
#include <string.h>
#include "base/bits.h"
#include "simt/isa/atomic_contention.h"
#include "simt/decode/profile_counts.h"
#include "simt/decode/original_text.h"
#include "simt/decode/promised_loops.h"
#include "simt/decode/decode.h"
#include "simt/isa/handlers.h"
#include "simt/decode/spin_loops.h"
#include "simt/decode/slot_placement.h"
#include "simt/decode/unrolled_counts.h"

static void
refuse_opcode(Opcode *h, const char *why)
{
	uint32_t line, col;
	source_position(h->m->src, h->s->at.pos, &line, &col);
	buf_printf(h->out, "%s:%u:%u: error: '%.*s' is not supported by the emulator%s%s\n",
		h->m->src->name, line, col, (int)(h->s->head_end - h->s->head),
		h->m->src->text + h->s->head, why ? ": " : "", why ? why : "");
}

/* ---- rows and addresses of a function's symbols ---------------------------------------------- */

static uint32_t
reserve_bytes(Code *c, uint32_t bytes)
{
	uint32_t at = c->bytes;
	c->bytes += bytes;
	return at;
}

/* Places a variable or parameter at the next free, aligned offset; advances *end. */
static uint32_t
allocate_variable(Opcode *h, uint32_t *end, uint32_t sym)
{
	const Var *v = ptx_var(h->m, sym);
	uint32_t align = v && v->align ? v->align : 1, line, col;
	uint64_t at = ((uint64_t)*end + align - 1) / align * align, bytes = v ? v->bytes : 0;
	if (bytes > SIM_MOST_SHARED || at + bytes > SIM_MOST_SHARED) {
		source_position(h->m->src, h->m->syms[sym].pos, &line, &col);
		buf_printf(h->out,
			"%s:%u:%u: error: '%.*s': more of this memory than a device has\n",
			h->m->src->name, line, col, PTX_NAME(h->m, sym));
		return *end;
	}
	*end = (uint32_t)(at + bytes);
	return (uint32_t)at;
}

static void
assign_register(Opcode *h, Code *c, uint32_t sym)
{
	const Sym *y = &h->m->syms[sym];
	uint32_t size = ptx_type_size((Type)y->type),
		 row = size > 8 ? 512 :
		size > 4        ? 256 :
		size            ? 128 :
				  8;
	if (y->type != TYPE_TEXREF && y->type != TYPE_SURFREF && y->type != TYPE_SAMPLERREF &&
		y->vec <= 1)
		h->row_of[ptx_local_sym(h->f, sym)] = reserve_bytes(c, row);
}

static void
assign_local(Opcode *h, Code *c, uint32_t sym)
{
	h->local_of[ptx_local_sym(h->f, sym)] = 1 + allocate_variable(h, &c->local, sym);
}

static void
assign_formals(Opcode *h, Code *c)
{
	const Func *f = h->f;
	for (uint32_t k = 0; k < f->nparam + f->nret; k++) {
		uint32_t sym = k < f->nparam ? f->param + k : f->ret + k - f->nparam;
		const Sym *y = &h->m->syms[sym];
		bool memory = y->space != SPACE_REG;
		const Var *v = ptx_var(h->m, sym);
		if (memory)
			assign_local(h, c, sym);
		else
			assign_register(h, c, sym);
		*vec_push(&c->formals) = (Slot){ memory,
			memory ? h->local_of[ptx_local_sym(f, sym)] - 1 :
				 h->row_of[ptx_local_sym(f, sym)],
			memory && v ? (uint32_t)v->bytes : ptx_type_size((Type)y->type) };
	}
	c->nparam = f->nparam;
}

/* Places a kernel's parameters in the parameter bank. */
static void
assign_params(Opcode *h)
{
	uint32_t at = 0;
	for (uint32_t k = 0; k < h->f->nparam; k++) {
		h->p->address[h->f->param + k] = allocate_variable(h, &at, h->f->param + k);
		h->p->placed[h->f->param + k] = 1;
	}
}

static void
assign_symbols(Opcode *h)
{
	Code *c = &h->p->codes.at[h->code];
	c->bytes = 256; /* row 0 is always true, and read by unused operands */
	c->scratch = reserve_bytes(c, 512);
	if (h->f->entry)
		assign_params(h);
	else
		assign_formals(h, c);
	for (uint32_t i = 0; i < h->f->nsym; i++) {
		const Sym *y = &h->m->syms[h->f->sym0 + i];
		if (y->kind == SYM_REG)
			assign_register(h, c, h->f->sym0 + i);
		else if (y->kind == SYM_VAR && (y->space == SPACE_LOCAL || y->space == SPACE_PARAM))
			assign_local(h, c, h->f->sym0 + i);
	}
}

/* ---- control flow ---------------------------------------------------------------------------- */

/* Branch targets are statements at first; patch_targets() converts them to instructions. */
static bool
decode_table(Opcode *h, Inst *i)
{
	uint32_t label = h->m->opnds[operand_next(h, 1)].sym;
	i->a = operand_source(h, operand_next(h, 0), T_B32, NULL);
	const Stmt *t = &h->m->stmts[h->m->syms[label].decl];
	if (t->kind != STMT_TARGETS || t->sym != label)
		return false;
	i->list = h->p->list.n;
	PTX_OPNDS(h->m, t, k, o)
		*vec_push(&h->p->list) = h->m->syms[h->m->opnds[o].sym].decl;
	i->nlist = t->nopnd;
	return i->nlist > 0;
}

static bool
decode_control(Opcode *h, Inst *i)
{
	const Opnd *o = &h->m->opnds[operand_next(h, 0)];
	switch (i->op) {
	case OP_BRA:
		i->kind = I_BRA;
		i->flags = opcode_has(h, "uni") ? F_UNIFORM : 0;
		i->target = h->m->syms[o->sym].decl;
		return o->kind == OPND_SYM;
	case OP_BRX:
		i->kind = I_BRX;
		return opcode_has(h, "idx") && decode_table(h, i);
	case OP_RET:
		i->kind = h->f->entry ? I_EXIT : I_RET;
		return true;
	case OP_EXIT:
		i->kind = I_EXIT;
		return true;
	case OP_TRAP: case OP_BRKPT:
		i->kind = I_TRAP;
		return true;
	default:
		return false;
	}
}

/* ---- a statement ----------------------------------------------------------------------------- */

enum { MOST_DECODERS = 4 };
typedef bool Decoder(Opcode *h, Inst *i);
static Decoder *const decoders[OP_COUNT][MOST_DECODERS + 1] = {
#define DECODED(op, ...) [OP_##op] = { __VA_ARGS__ },
#include "simt/decode/decoders.def"
#undef DECODED
};

/* Tries the decoders of the opcode in turn; false if none supports the instruction. */
static bool
decode_instruction(Opcode *h, Inst *i)
{
	uint32_t types = h->used;
	for (Decoder *const *d = decoders[h->s->op]; *d && !h->bad; d++) {
		Inst copy = *i;
		h->used = types;
		if ((*d)(h, &copy)) {
			*i = copy;
			return true;
		}
	}
	return false;
}

static void
append_instruction(Opcode *h, Inst i)
{
	*vec_push(&h->p->insts) = i;
}

static void
set_slots(const Opcode *h, Inst *i)
{
	uint32_t local = ptx_local_stmt(h->f, i->stmt);
	if (h->machine->slots) {
		i->slots.all = h->machine->slots[local];
		i->slots.active = h->machine->active_slots[local];
		i->slots.divergent = h->machine->divergent_slots[local];
		i->slots.converged = h->machine->converged_slots[local];
	} else {
		i->slots.all = i->slots.active = (uint16_t)issue_slots_of_stmt(h->m, h->s);
	}
}

static void
decode_statement(Opcode *h, uint32_t stmt)
{
	const Stmt *s = &h->m->stmts[stmt];
	opcode_read(h, stmt);
	Inst i = { .stmt = stmt, .op = (uint8_t)s->op };
	set_slots(h, &i);
	i.guard = operand_guard(h, s);
	bool known = decode_instruction(h, &i);
	int unused = known && !h->bad ? opcode_first_unused(h) : -1;
	if (unused >= 0)
		opcode_error(h, "the modifier .%.*s", (int)h->word[unused].n, h->word[unused].s);
	if (!known || h->bad)
		refuse_opcode(h, h->bad);
	append_instruction(h, i);
	if (i.kind == I_CALL) {
		append_instruction(h, (Inst){ .kind = I_JOIN, .stmt = stmt });
		i.kind = I_RESULT;
		i.slots.all = i.slots.active = 0;
		append_instruction(h, i);
	}
}

/* ---- a function ------------------------------------------------------------------------------ */

static uint32_t
add_reconvergence(const Opcode *h, const Dom *d, uint32_t block)
{
	return h->machine->meet ? h->machine->meet[block] : d->ipdom[block];
}

/* The blocks that are reconvergence points: immediate post-dominators of branches, or as the
 * machine code says. */
static Bits
find_reconvergence(const Opcode *h, const Dom *d, Arena *a)
{
	const Cfg *g = h->cfg;
	Bits b = bits_new(a, g->nblocks);
	for (uint32_t i = 1; i < g->nblocks; i++)
		if (g->blocks[i].nsucc > 1 && add_reconvergence(h, d, i))
			bits_set(b, add_reconvergence(h, d, i));
	for (uint32_t i = 0; i < h->machine->nopen; i++)
		bits_set(b, h->machine->open[i].meet);
	for (uint32_t i = 1; i < g->nblocks && h->machine->reconvergence_slots; i++)
		if (h->machine->reconvergence_slots[i])
			bits_set(b, i);
	return b;
}

static void
run_mark(Warp *w, const Inst *i, uint32_t lanes) /* BSSY: only an issue slot */
{
	(void)w, (void)i, (void)lanes;
}

static void
run_task_loop(Warp *w, const Inst *i, uint32_t lanes) /* the threads that stay in it */
{
	stmt_counts(w->sim, i)->slots += count_bits(lanes);
}

/* Counts the threads that reach the kernel's task loop. Its marker may be there twice, as a comment
 * and as a label (base/marker_label.h). */
static void
decode_marker(Opcode *h, uint32_t stmt)
{
	const Marker *k = &h->m->markers[h->m->stmts[stmt].sym];
	const Marker *first = h->m->markers + h->f->marker;

	if (!k->done || k->annot.kind != ANNOT_GRID)
		return;
	while (first < k && !(first->done && first->annot.kind == ANNOT_GRID))
		first++;
	if (first == k)
		append_instruction(h, (Inst){ .run = run_task_loop, .stmt = stmt });
}

/* Whether diverged lanes reconverge immediately after a statement of a block. */
static bool
lanes_reconverge_after(const Opcode *h, uint32_t block, uint32_t stmt)
{
	const Block *k = &h->cfg->blocks[block];
	uint32_t end =
		bits_has(h->machine->folded_branch, block) ? cfg_terminator(h->cfg, block) : k->end;
	for (uint32_t s = stmt + 1; s < end; s++)
		if (h->m->stmts[s].kind == STMT_INSN)
			return false;
	return k->nsucc == 1 && bits_has(h->machine->join, *cfg_succ(h->cfg, block));
}

/* Decodes a statement of a block and sets its issue slots. */
static void
decode_block_statement(Opcode *h, uint32_t block, uint32_t stmt)
{
	const Issue_slots *x = h->machine;
	bool last = stmt == cfg_terminator(h->cfg, block);
	slots_guard_list(h, stmt);
	uint32_t slow = h->p->insts.n;
	slots_decode_slow_path(h, stmt);
	uint32_t first = h->p->insts.n;
	decode_statement(h, stmt);
	slots_decode_operands(h, slow, first);
	Inst *i = &h->p->insts.at[first];
	i->flags |= bits_has(h->polls, ptx_local_stmt(h->f, stmt)) ? F_POLL : 0;
	i->flags |= bits_has(h->added.marks, ptx_local_stmt(h->f, stmt)) ? F_MARK : 0;
	if (i->slots.form && x->slots)
		contention_is_listed(i, &h->atoms[ptx_local_stmt(h->f, stmt)]);
	else if (i->slots.form)
		contention_register(i, &h->atoms[ptx_local_stmt(h->f, stmt)],
			lanes_reconverge_after(h, block, stmt));
	if (last && i->kind == I_BRA && bits_has(x->folded_branch, block)) {
		i->kind = I_OVER;
		i->slots.all = i->slots.active = x->slots ? i->slots.all : 0;
	} else if (x->owner[block]) {
		i->slots.all = 0;
	} else if (last && bits_has(x->exits, block)) {
		i->slots.all = i->slots.active = !bits_has(h->meet, block);
	}
}

static void
decode_block(Opcode *h, uint32_t b)
{
	const Block *k = &h->cfg->blocks[b];
	const Issue_slots *x = h->machine;
	const uint16_t opens = (uint16_t)x->opens[b],
		       joins = x->reconvergence_slots ? x->reconvergence_slots[b] :
					   bits_has(x->join, b) || bits_has(x->exits, b);
	const Inst_slots open_slots = { .all = opens, .active = opens },
			 join_slots = { .all = joins, .active = joins };
	const Inst open = { .stmt = k->end - 1, .run = run_mark, .slots = open_slots },
		   join = { .kind = I_JOIN, .stmt = k->stmt, .slots = join_slots };
	uint32_t last = cfg_terminator(h->cfg, b);
	if (bits_has(h->meet, b))
		append_instruction(h, join);
	slots_decode_place(h, (Slot_place){ SLOT_BLOCK, b, 0, 0, 0 }, &open);
	unrolled_counts_decode(h, b, &open);
	profile_points_decode_block(h, b);
	promised_loops_decode_block(h, b);
	for (uint32_t s = k->stmt; s < k->end; s++) {
		if (s == last && opens)
			append_instruction(h, open);
		if (h->m->stmts[s].kind == STMT_INSN)
			decode_block_statement(h, b, s);
		else if (h->m->stmts[s].kind == STMT_MARKER)
			decode_marker(h, s);
	}
	if (!last && opens)
		append_instruction(h, open);
	if (k->falls && k->nsucc > 1)
		slots_decode_place(h, (Slot_place){ SLOT_EDGE, b, k->nsucc - 1, 0, 0 }, &open);
}

/* Tables of patch_targets(), by block. */
typedef struct {
	const uint32_t *at;     /* its first instruction */
	uint32_t *successor;    /* its index among the successors of the current block */
	/* first block that its branch skips (I_OVER); next block skipped by the same branch; 0:
	 * none */
	uint32_t *over, *next;
} Block_patches;

static Block_patches
blocks_of(const Opcode *h, const uint32_t *block_at)
{
	const uint32_t n = h->cfg->nblocks;
	Arena *a = h->sim->arena;
	Block_patches b = { .at = block_at,
		.successor = arena_array(a, n, sizeof *b.successor),
		.over = arena_array(a, n, sizeof *b.over),
		.next = arena_array(a, n, sizeof *b.next) };
	for (uint32_t x = n; x-- > 1;) {
		uint32_t *first = &b.over[h->machine->owner[x]];
		b.next[x] = *first;
		*first = x;
	}
	return b;
}

/* Lists the instructions that the branch at the end of a block skips, for count_skipped. */
static void
list_skipped(Opcode *h, Inst *i, uint32_t block, const Block_patches *b)
{
	i->list = h->p->list.n;
	for (uint32_t x = b->over[block]; x; x = b->next[x]) {
		*vec_push(&h->p->list) = b->at[x];
		*vec_push(&h->p->list) = b->at[x + 1];
		i->nlist += 2;
	}
}

/* Returns the instruction to which a branch goes, given its target statement. */
static uint32_t
branch_destination(Opcode *h, uint32_t stmt, uint32_t target, const Block_patches *b)
{
	const Cfg *g = h->cfg;
	uint32_t block = cfg_block_of(g, stmt), to = cfg_block_of(g, target);
	const Inst from = { .stmt = stmt, .target = b->at[to] };
	return g->blocks[block].nsucc < 2 ?
		from.target :
		slots_decode_detour(
			h, (Slot_place){ SLOT_EDGE, block, b->successor[to], 0, 0 }, &from);
}

/* Converts branch targets from statements to instructions, and sets each branch's reconvergence
 * point. */
static void
patch_targets(Opcode *h, const Dom *d, const Block_patches *b, uint32_t first)
{
	const uint32_t end = h->p->insts.n;
	for (uint32_t k = first; k < end; k++) {
		Inst i = h->p->insts.at[k];
		if (i.kind != I_BRA && i.kind != I_BRX && i.kind != I_OVER)
			continue;
		uint32_t block = cfg_block_of(h->cfg, i.stmt),
			 meet = add_reconvergence(h, d, block);
		i.meet = meet ? b->at[meet] : 0;
		for (uint32_t way = 0; way < h->cfg->blocks[block].nsucc; way++)
			b->successor[cfg_succ(h->cfg, block)[way]] = way;
		if (i.kind == I_BRA && bits_has(h->machine->leaves, block))
			i.target = end - 1; /* the exit without an issue slot */
		else if (i.kind != I_BRX)
			i.target = branch_destination(h, i.stmt, i.target, b);
		for (uint32_t t = 0; t < i.nlist; t++) {
			uint32_t to = branch_destination(h, i.stmt, h->p->list.at[i.list + t], b);
			h->p->list.at[i.list + t] = to;
		}
		if (i.kind == I_OVER)
			list_skipped(h, &i, block, b);
		h->p->insts.at[k] = i;
	}
	for (uint32_t k = first; k < h->p->insts.n; k++)
		if (h->p->insts.at[k].kind == I_OPEN)
			h->p->insts.at[k].meet = b->at[h->p->insts.at[k].target];
}

void
decode_function(Opcode *h, uint32_t code)
{
	Arena *a = h->sim->arena;
	Buf errors = {0};
	h->out = &errors;
	h->code = code;
	h->f = &h->m->funcs[h->p->codes.at[code].func];
	h->row_of = arena_array(a, h->f->nsym + 1, sizeof *h->row_of);
	h->local_of = arena_array(a, h->f->nsym + 1, sizeof *h->local_of);
	h->bucket = arena_array(a, h->f->nstmt + 1, sizeof *h->bucket);
	assign_symbols(h);
	Cfg *g = h->cfg = cfg_build(h->m, h->p->codes.at[code].func, a);
	Dom *d = dom_build(g, a);
	const Refs *refs = refs_build(h->m, h->f, a);
	h->machine = machine_code_of(h, d, refs);
	h->meet = find_reconvergence(h, d, a);
	h->polls = spin_loops_find(g, d, refs, a);
	h->atoms = atomic_uniformity_find(g, d, refs, a);
	uint32_t *block_at = arena_array(a, g->nblocks + 1, sizeof *block_at),
		 first = h->p->insts.n;
	h->p->codes.at[code].entry = first;
	profile_points_register(h);
	promised_loops_find(h);
	for (uint32_t b = 1; b < g->nblocks; b++) {
		block_at[b] = h->p->insts.n;
		decode_block(h, b);
	}
	block_at[g->nblocks] = h->p->insts.n;
	Inst end = { .kind = h->f->entry ? I_EXIT : I_RET,
		.stmt = h->f->stmt + h->f->nstmt - (h->f->nstmt ? 1 : 0) };
	end.slots.all = end.slots.active = !h->machine->slots;
	append_instruction(h, end);
	end.slots.all = end.slots.active = 0;
	/* target of branches to an exit, which have counted its slot themselves */
	append_instruction(h, end);
	const Block_patches blocks = blocks_of(h, block_at);
	patch_targets(h, d, &blocks, first);
	h->p->codes.at[code].end = h->p->insts.n;
	h->p->codes.at[code].errors = errors;
}
