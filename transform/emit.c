/* CCC: the text of the transformed loop (DESIGN 6.1, policy stack).
 *
 * The whole stands in front of the untouched loop, in a scope of its own:
 *
 *	<begin marker>
 *	{	entry       M, lanes below me, the warp's buffer; not contiguous from lane 0, or block too large: goto plain
 *		C           copies of the loop's blocks, on the owner's own registers; back edges lead to vote, the path's entry
 *		            to want, ways out to exit<k>
 *		want        the lane's context goes to the path's registers; the owner's slice; on behind the path
 *		exit<k>     the lane parks: in = false
 *		vote        ballot; enough tasks for all: pop, run, ran; else push; nobody left: drain, leave
 *		run         the path, once, on its own registers
 *		ran         lanes with iterations left begin the next one, parked lanes vote again
 *		leave       all of M go on, each where it left its loop
 *	}
 *	plain:          the untouched loop
 *
 * In the templates below, @ stands for "ccc<number>_", so that %@top is the register %ccc1_top. A register of the path is called
 * %ccc1$r5 after the %r5 it stands for; a value computed again at the entry, %ccc1u$r5.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "transform/ccc.h"

typedef enum { AS_OWNER, AS_PATH, AS_ENTRY, AS_SLICE } Role;

typedef struct {
	const Ccc *c;
	const Module *m;
	Buf out;
	Role role;
	uint32_t block;     /* whose statements are being copied */
} Emit;

static void put(Emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Emit *e, const char *fmt, ...)
{
	Buf line = {0};
	va_list ap;
	va_start(ap, fmt);
	buf_vprintf(&line, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i] == '@')
			buf_printf(&e->out, "ccc%u_", e->c->number);
		else
			buf_putc(&e->out, line.at[i]);
	buf_free(&line);
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* The new register that stands for sym (a component of it, if special); tag tells families apart. */
static const char *renamed(Emit *e, uint32_t sym, uint8_t sel, const char *tag)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len), *mark = *name == '%' ? "%" : "";
	Buf b = {0};
	buf_printf(&b, "%sccc%u%s$%.*s", mark, e->c->number, tag, (int)(len - strlen(mark)), name + strlen(mark));
	if (sel)
		buf_printf(&b, "_%c", sel);
	const char *s = arena_strndup(e->c->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

static const char *own(Emit *e, uint32_t sym, uint8_t sel) { return renamed(e, sym, sel, ""); }
static const char *recomputed(Emit *e, uint32_t sym) { return renamed(e, sym, 0, "u"); }

static bool owned(const Emit *e, uint32_t sym)
{
	return fn_is_reg(e->c->fn, sym) && bits_has(e->c->own, fn_local(e->c->fn, sym));
}

static Ccc_from from(const Emit *e, uint32_t sym) { return (Ccc_from)e->c->from[fn_local(e->c->fn, sym)]; }

/* The text that stands for an operand's symbol in the present role; NULL: its own. */
static const char *substitute(Emit *e, uint32_t sym, uint8_t sel)
{
	const Fn *fn = e->c->fn;
	if (e->role == AS_ENTRY && fn_is_reg(fn, sym) && bits_has(e->c->again_syms, fn_local(fn, sym)))
		return recomputed(e, sym);
	if (e->role != AS_PATH)
		return NULL;
	if (e->m->syms[sym].kind == SYM_SPECIAL && ptx_sregs[e->m->syms[sym].aux].flags & SREGF_LANE)
		return own(e, sym, sel);
	if (owned(e, sym))
		return own(e, sym, 0);
	if (fn_is_reg(fn, sym) && from(e, sym) == FROM_AGAIN)
		return recomputed(e, sym);
	return NULL;
}

static uint32_t exit_number(const Ccc *c, uint32_t block, uint32_t stmt)
{
	uint32_t k = 0;
	while (k < c->nexits && (c->exits[k].block != block || c->exits[k].stmt != stmt))
		k++;
	if (k == c->nexits)
		die("way out of the loop not found");
	return k;
}

/* Label (without the $) that an edge from block b to block s leads to in the copy. */
static const char *target(Emit *e, uint32_t s)
{
	const Ccc *c = e->c;
	Buf b = {0};
	if (e->role == AS_PATH)
		buf_printf(&b, ccc_in_path(c, s) ? "@b%u" : "@ran", s);
	else if (s == c->path->r.entry)
		buf_puts(&b, "@want");
	else if (s == ccc_header(c) && (ccc_in_path(c, e->block) || loop_contains(c->fn->loops, c->site->loop, e->block)))
		buf_puts(&b, "@vote");
	else if (bits_has(c->cloned, s))
		buf_printf(&b, "@b%u", s);
	else
		buf_printf(&b, "@exit%u", exit_number(c, s, 0));
	const char *text = arena_strndup(c->arena, b.at, b.n);
	buf_free(&b);
	return text;
}

/* ---- statements ------------------------------------------------------------------------------------------------------ */

static void copy(Emit *e, uint32_t pos, uint32_t end)
{
	buf_add(&e->out, e->m->src->text + pos, end - pos);
}

/* Opcode and modifiers. A path runs tasks of different iterations together: what was .uni may no longer be so. */
static void copy_head(Emit *e, const Stmt *s)
{
	const char *text = e->m->src->text;
	uint32_t pos = s->head;
	if (e->role == AS_PATH && s->guard)
		for (uint32_t i = s->head; i + 4 <= s->head_end; i++)
			if (!memcmp(text + i, ".uni", 4) && (i + 4 == s->head_end || !ptx_word_char(text[i + 4]))) {
				copy(e, pos, i);
				pos = i + 4;
			}
	copy(e, pos, s->head_end);
}

/* The guard: "@p " or "@!p ", renamed. */
static void copy_guard(Emit *e, const Stmt *s)
{
	const char *other = s->guard ? substitute(e, s->sym, 0) : NULL;
	if (other)
		buf_printf(&e->out, s->guard == 2 ? "@!%s " : "@%s ", other);
	else
		copy(e, s->at.pos, s->head);
}

/* One instruction with its symbols replaced; spans of operands ascend in the text. */
static void copy_insn(Emit *e, const Stmt *s)
{
	const Fn *fn = e->c->fn;
	copy_guard(e, s);
	copy_head(e, s);
	uint32_t pos = s->head_end, o = s->opnd;
	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t last = o + e->m->opnds[o].tree; o < last; o++) {
			const Opnd *x = &e->m->opnds[o];
			if (x->kind != OPND_SYM || x->at.pos < pos)
				continue;
			const Sym *y = &e->m->syms[x->sym];
			uint32_t label = y->kind == SYM_LABEL && x->sym >= fn->f->sym0 ? fn->cfg->block_of_label[fn_local(fn, x->sym)] : 0;
			const char *other = label ? NULL : substitute(e, x->sym, x->sel);
			if (!label && !other)
				continue;
			copy(e, pos, x->at.pos);
			if (label)
				put(e, "$%s", target(e, label));
			else
				buf_puts(&e->out, other);
			pos = y->kind == SYM_SPECIAL ? x->at.end : x->at.pos + (uint32_t)ptx_name_len(e->m, x->sym);
		}
	copy(e, pos, s->at.end);
}

/* brx.idx index, table: the table again, with this copy's labels, under a name of its own. */
static void copy_brx(Emit *e, uint32_t stmt)
{
	const Fn *fn = e->c->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *x = &e->m->opnds[ptx_operand(e->m, s, 1)];
	const Stmt *table = fn_stmt(fn, e->m->syms[x->sym].decl);
	put(e, "\n$@table%u: .branchtargets ", stmt);
	for (uint32_t k = 0; k < table->nopnd; k++) {
		uint32_t label = e->m->opnds[ptx_operand(e->m, table, k)].sym;
		put(e, "%s$%s", k ? ", " : "", target(e, fn->cfg->block_of_label[fn_local(fn, label)]));
	}
	buf_puts(&e->out, ";\n\t");
	copy_guard(e, s);
	copy_head(e, s);
	uint32_t index = ptx_operand(e->m, s, 0);
	const char *other = substitute(e, e->m->opnds[index].sym, 0);
	put(e, " \t%s", "");
	if (other)
		buf_puts(&e->out, other);
	else
		copy(e, e->m->opnds[index].at.pos, e->m->opnds[index].at.end);
	put(e, ", $@table%u;", stmt);
}

static void copy_stmt(Emit *e, uint32_t stmt)
{
	const Fn *fn = e->c->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(e->m, s) : OP_UNKNOWN;
	if (s->kind == STMT_LABEL || s->kind == STMT_MARKER || s->kind == STMT_TARGETS)
		return;
	copy(e, s[-1].at.end < s->at.pos ? s[-1].at.end : s->at.pos, s->at.pos);
	if (s->kind != STMT_INSN)
		copy(e, s->at.pos, s->at.end);
	else if (op == OP_brx)
		copy_brx(e, stmt);
	else if (e->role == AS_OWNER && (op == OP_ret || op == OP_exit)) {
		copy_guard(e, s);
		put(e, "bra \t$@exit%u;", exit_number(e->c, 0, stmt));
	} else
		copy_insn(e, s);
}

static void new_line(Emit *e)
{
	if (e->out.n && e->out.at[e->out.n - 1] != '\n')
		buf_putc(&e->out, '\n');
}

/* A block, and a branch to where control goes on from it unless that label follows. */
static void copy_block(Emit *e, uint32_t b, const char *following)
{
	const Block *k = &e->c->fn->cfg->blocks[b];
	e->block = b;
	new_line(e);
	put(e, "$@b%u:", b);
	for (uint32_t s = k->stmt; s < k->end; s++)
		copy_stmt(e, s);
	new_line(e);
	if (!k->falls)
		return;
	const char *to = target(e, b + 1);
	if (strcmp(to, following))
		put(e, "\tbra.uni \t$%s;\n", to);
}

/* ---- entry ------------------------------------------------------------------------------------------------------------ */

static void declare(Emit *e)
{
	const Ccc *c = e->c;
	put(e, "\t.reg .pred \t%%@off, %%@want, %%@in, %%@few, %%@more, %%@mine;\n"
		"\t.reg .b32 \t%%@mask, %%@lt, %%@size, %%@top, %%@base, %%@votes, %%@n, %%@idle, %%@slot, %%@bits, %%@exit;\n"
		"\t.reg .b32 \t%%@at1, %%@at2, %%@at4, %%@at8, %%@at16;\n");
	for (uint32_t i = 0; i < c->nslots; i++)
		if (e->m->syms[c->slots[i].sym].kind == SYM_SPECIAL)
			put(e, "\t.reg .b32 \t%s;\n", own(e, c->slots[i].sym, c->slots[i].sel));
	for (uint32_t i = 0; i < c->fn->f->nsym; i++) {
		uint32_t sym = c->fn->f->sym0 + i;
		const char *type = ptx_type_name((Type)e->m->syms[sym].type);
		const char *vec = e->m->syms[sym].vec == 2 ? ".v2 " : e->m->syms[sym].vec == 4 ? ".v4 " : "";
		if (bits_has(c->own, i))
			put(e, "\t.reg %s.%s \t%s;\n", vec, type, own(e, sym, 0));
		if (bits_has(c->again_syms, i))
			put(e, "\t.reg .%s \t%s;\n", type, recomputed(e, sym));
	}
}

/* The thread's number in its block, into %@n. */
static void thread_number(Emit *e)
{
	put(e, "\tmov.u32 \t%%@n, %%tid.x;\n");
	if (e->c->launch_dims > 2)
		put(e, "\tmov.u32 \t%%@at1, %%tid.z;\n\tmov.u32 \t%%@at2, %%ntid.y;\n\tmov.u32 \t%%@at4, %%tid.y;\n"
			"\tmad.lo.u32 \t%%@at4, %%@at1, %%@at2, %%@at4;\n");
	else if (e->c->launch_dims > 1)
		put(e, "\tmov.u32 \t%%@at4, %%tid.y;\n");
	if (e->c->launch_dims > 1)
		put(e, "\tmov.u32 \t%%@at1, %%ntid.x;\n\tmad.lo.u32 \t%%@n, %%@at4, %%@at1, %%@n;\n");
}

static void entry(Emit *e, const char *buffer)
{
	const Ccc *c = e->c;
	put(e, "\tactivemask.b32 \t%%@mask;\n\tadd.s32 \t%%@n, %%@mask, 1;\n\tand.b32 \t%%@n, %%@n, %%@mask;\n"
		"\tsetp.ne.s32 \t%%@off, %%@n, 0;\n\t@%%@off bra \t$@plain;\n");
	if (c->check_threads)
		put(e, "\tmov.u32 \t%%@n, %%ntid.x;\n\tmov.u32 \t%%@at1, %%ntid.y;\n\tmov.u32 \t%%@at2, %%ntid.z;\n"
			"\tmul.lo.u32 \t%%@n, %%@n, %%@at1;\n\tmul.lo.u32 \t%%@n, %%@n, %%@at2;\n"
			"\tsetp.gt.u32 \t%%@off, %%@n, %u;\n\t@%%@off bra \t$@plain;\n", c->threads);
	if (c->warp_bytes) {
		thread_number(e);
		put(e, "\tshr.u32 \t%%@n, %%@n, 5;\n\tmov.u32 \t%%@base, %s;\n\tmad.lo.u32 \t%%@base, %%@n, %u, %%@base;\n",
			buffer, c->warp_bytes);
	}
	put(e, "\tmov.u32 \t%%@lt, %%lanemask_lt;\n\tpopc.b32 \t%%@size, %%@mask;\n\tmov.u32 \t%%@top, 0;\n"
		"\tmov.pred \t%%@in, -1;\n\tmov.pred \t%%@want, 0;\n");
	e->role = AS_ENTRY;
	for (uint32_t i = 0; i < c->nagain; i++) {
		buf_putc(&e->out, '\t');
		copy_insn(e, fn_stmt(c->fn, c->again[i]));
		buf_putc(&e->out, '\n');
	}
}

/* ---- context ------------------------------------------------------------------------------------------------------------ */

/* Addresses of slot number %@slot in rows of each width in use. */
static void slot_addresses(Emit *e)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 16 };
	for (uint32_t k = 0; k < sizeof sizes; k++) {
		bool used = sizes[k] == 4 && e->c->npreds;
		for (uint32_t i = 0; i < e->c->nslots; i++)
			used |= e->c->slots[i].size == sizes[k];
		if (used)
			put(e, "\tmad.lo.u32 \t%%@at%u, %%@slot, %u, %%@base;\n", sizes[k], sizes[k]);
	}
}

/* Loads the context of slot %@slot + shift into the path's registers, on lanes where the guard holds. */
static void load_context(Emit *e, const char *guard, int shift)
{
	const Ccc *c = e->c;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (s->size)
			put(e, "\t%sld.shared.b%u \t%s, [%%@at%u+%d];\n", guard, 8u * s->size, own(e, s->sym, s->sel), s->size,
				(int)s->row + shift * s->size);
	}
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (s->size)
			continue;
		if (s->bit == 0)
			put(e, "\t%sld.shared.b32 \t%%@bits, [%%@at4+%d];\n", guard, (int)s->row + shift * 4);
		put(e, "\tand.b32 \t%%@n, %%@bits, %u;\n\t%ssetp.ne.u32 \t%s, %%@n, 0;\n", UINT32_C(1) << s->bit, guard, own(e, s->sym, 0));
	}
}

/* Stores the lane's context to slot %@slot, on lanes where %@want holds. */
static void store_context(Emit *e)
{
	const Ccc *c = e->c;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (s->size)
			put(e, "\t@%%@want st.shared.b%u \t[%%@at%u+%u], %s;\n", 8u * s->size, s->size, s->row, own(e, s->sym, s->sel));
	}
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (s->size)
			continue;
		put(e, "\tselp.b32 \t%%@%s, %u, 0, %s;\n", s->bit ? "n" : "bits", UINT32_C(1) << s->bit, own(e, s->sym, 0));
		if (s->bit)
			put(e, "\tor.b32 \t%%@bits, %%@bits, %%@n;\n");
		bool last = true;
		for (uint32_t k = i + 1; k < c->nslots; k++)
			last &= c->slots[k].size || c->slots[k].row != s->row;
		if (last)
			put(e, "\t@%%@want st.shared.b32 \t[%%@at4+%u], %%@bits;\n", s->row);
	}
}

static void move(Emit *e, uint32_t sym, const char *to, const char *what)
{
	uint32_t size = ptx_type_size((Type)e->m->syms[sym].type);
	if (e->m->syms[sym].type == TYPE_PRED)
		put(e, "\tmov.pred \t%s, %s;\n", to, what);
	else
		put(e, "\tmov.b%u \t%s, %s;\n", size == 1 ? 16 : 8 * size, to, what);
}

/* The place of the path in the owner's loop. */
static void want(Emit *e, const char *following)
{
	const Ccc *c = e->c;
	new_line(e);
	put(e, "$@want:\n");
	for (uint32_t i = 0; i < c->nslots; i++) {
		uint32_t sym = c->slots[i].sym;
		if (e->m->syms[sym].kind != SYM_SPECIAL)
			move(e, sym, own(e, sym, 0), arena_strndup(c->arena, ptx_name_text(e->m, sym), (size_t)ptx_name_len(e->m, sym)));
		else
			put(e, "\tmov.u32 \t%s, %.*s%s%.*s;\n", own(e, sym, c->slots[i].sel), PTX_NAME(e->m, sym),
				c->slots[i].sel ? "." : "", c->slots[i].sel != 0, (const char *)&c->slots[i].sel);
	}
	e->role = AS_SLICE;
	for (uint32_t i = 0; i < c->nslice; i++) {
		buf_putc(&e->out, '\t');
		copy_insn(e, fn_stmt(c->fn, c->slice[i]));
		buf_putc(&e->out, '\n');
	}
	e->role = AS_OWNER;
	put(e, "\tmov.pred \t%%@want, -1;\n");
	e->block = c->path->r.entry;
	const char *to = target(e, c->path->next);
	if (strcmp(to, following))
		put(e, "\tbra.uni \t$%s;\n", to);
}

/* ---- the parts -------------------------------------------------------------------------------------------------------- */

/* Label of the unit that follows block b in the owner's part: a copied block, want, or the first exit. */
static const char *owner_label_after(const Emit *e, uint32_t b, char label[16])
{
	const Ccc *c = e->c;
	while (++b < c->fn->cfg->nblocks) {
		if (b == c->path->r.entry)
			return "@want";
		snprintf(label, 16, "@b%u", b);
		if (bits_has(c->cloned, b))
			return label;
	}
	return c->nexits ? "@exit0" : "@vote";
}

static const char *path_label_after(const Emit *e, uint32_t b, char label[16])
{
	b = bits_next(e->c->path->r.blocks, b + 1);
	snprintf(label, 16, "@b%u", b);
	return b == UINT32_MAX ? "@ran" : label;
}

static void owner_blocks(Emit *e)
{
	const Ccc *c = e->c;
	char label[16];
	e->role = AS_OWNER;
	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++)
		if (b == c->path->r.entry)
			want(e, owner_label_after(e, b, label));
		else if (bits_has(c->cloned, b))
			copy_block(e, b, owner_label_after(e, b, label));
	for (uint32_t k = 0; k < c->nexits; k++) {
		put(e, "$@exit%u:\n\tmov.pred \t%%@in, 0;\n", k);
		if (c->nexits > 1)
			put(e, "\tmov.u32 \t%%@exit, %u;\n", k);
		if (k + 1 < c->nexits)
			put(e, "\tbra.uni \t$@vote;\n");
	}
}

static void path_blocks(Emit *e)
{
	const Ccc *c = e->c;
	char label[16];
	e->role = AS_PATH;
	put(e, "$@run:\n");
	for (uint32_t i = 0; i < c->fn->f->nsym; i++) {
		uint32_t sym = c->fn->f->sym0 + i;
		if (!bits_has(c->own, i) || (c->from[i] != FROM_ENTRY && c->from[i] != FROM_AGAIN))
			continue;
		const char *name = arena_strndup(c->arena, ptx_name_text(e->m, sym), (size_t)ptx_name_len(e->m, sym));
		move(e, sym, own(e, sym, 0), c->from[i] == FROM_AGAIN ? recomputed(e, sym) : name);
	}
	if (bits_next(c->path->r.blocks, 0) != c->path->r.entry)
		put(e, "\tbra.uni \t$@b%u;\n", c->path->r.entry);
	for (uint32_t b = bits_next(c->path->r.blocks, 0); b != UINT32_MAX; b = bits_next(c->path->r.blocks, b + 1))
		copy_block(e, b, path_label_after(e, b, label));
}

static void vote(Emit *e)
{
	put(e, "$@vote:\n"
		"\tvote.sync.ballot.b32 \t%%@votes, %%@want, %%@mask;\n"
		"\tbar.warp.sync \t%%@mask;\n"
		"\tpopc.b32 \t%%@n, %%@votes;\n"
		"\tsub.s32 \t%%@idle, %%@size, %%@n;\n"
		"\tsetp.lt.s32 \t%%@few, %%@top, %%@idle;\n"
		"\t@%%@few bra.uni \t$@push;\n");
	if (e->c->nslots) {
		put(e, "\tnot.b32 \t%%@slot, %%@votes;\n\tand.b32 \t%%@slot, %%@slot, %%@lt;\n\tpopc.b32 \t%%@slot, %%@slot;\n"
			"\tsub.s32 \t%%@slot, %%@top, %%@slot;\n");
		slot_addresses(e);
		load_context(e, "@!%@want ", -1);
	}
	put(e, "\tsub.s32 \t%%@top, %%@top, %%@idle;\n");
}

static void ran(Emit *e)
{
	put(e, "$@ran:\n\tmov.pred \t%%@want, 0;\n\t@%%@in bra \t$@b%u;\n\tbra \t$@vote;\n", ccc_header(e->c));
}

static void push(Emit *e)
{
	put(e, "$@push:\n");
	if (e->c->nslots) {
		put(e, "\tand.b32 \t%%@slot, %%@votes, %%@lt;\n\tpopc.b32 \t%%@slot, %%@slot;\n\tadd.s32 \t%%@slot, %%@top, %%@slot;\n");
		slot_addresses(e);
		store_context(e);
	}
	put(e, "\tadd.s32 \t%%@top, %%@top, %s;\n"
		"\tsetp.ne.u32 \t%%@more, %%@votes, 0;\n\t@%%@more bra.uni \t$@ran;\n"
		"\tvote.sync.any.pred \t%%@more, %%@in, %%@mask;\n\t@%%@more bra.uni \t$@ran;\n"
		"\tsetp.eq.s32 \t%%@more, %%@top, 0;\n\t@%%@more bra.uni \t$@leave;\n"
		"\tpopc.b32 \t%%@slot, %%@lt;\n\tsetp.lt.s32 \t%%@mine, %%@slot, %%@top;\n\tmov.u32 \t%%@top, 0;\n", "%@n");
	if (e->c->nslots) {
		slot_addresses(e);
		load_context(e, "@%@mine ", 0);
	}
	put(e, "\t@%%@mine bra \t$@run;\n\tbra \t$@vote;\n");
}

/* The first code label of a block, 0 if there is none. */
static uint32_t block_label(const Fn *fn, uint32_t b)
{
	for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}

static void leave(Emit *e, Edits *edits)
{
	const Ccc *c = e->c;
	put(e, "$@leave:\n\tbar.warp.sync \t%%@mask;\n");
	for (uint32_t k = c->nexits; k-- > 0;) {
		uint32_t b = c->exits[k].block;
		if (k)
			put(e, "\tsetp.eq.u32 \t%%@more, %%@exit, %u;\n\t@%%@more ", k);
		else
			buf_putc(&e->out, '\t');
		if (!b) {
			Op op = ptx_op(e->m, fn_stmt(c->fn, c->exits[k].stmt));
			put(e, "%s;\n", ptx_ops[op].name);
		} else if (block_label(c->fn, b)) {
			put(e, "bra \t%.*s;\n", PTX_NAME(e->m, block_label(c->fn, b)));
		} else {
			Buf label = {0};
			put(e, "bra \t$@out%u;\n", k);
			buf_printf(&label, "$ccc%u_out%u:\n\t", c->number, k);
			edit_insert(edits, fn_stmt(c->fn, c->fn->cfg->blocks[b].stmt)->at.pos, label.at, label.n);
			buf_free(&label);
		}
	}
}

/* ---- markers ------------------------------------------------------------------------------------------------------------- */

/* The marker's text with "done" for "begin" or "end". */
static void done_marker(const Module *m, const Marker *k, Buf *out)
{
	Span at = m->stmts[k->stmt].at;
	const char *text = m->src->text + at.pos, *word = strstr(text, k->end ? ".ccc end" : ".ccc begin");
	size_t lead = (size_t)(word - text) + 5, skip = lead + (k->end ? 3 : 5);
	buf_add(out, text, lead);
	buf_puts(out, "done");
	buf_add(out, text + skip, at.end - at.pos - skip);
}

/* Is the marker in the region, or one of its end markers? */
static bool belongs(const Ccc *c, const Marker *k)
{
	const Fn *fn = c->fn;
	const Marker *mine = &fn->m->markers[c->site->r.marker];
	uint32_t b = k->func == fn->func ? cfg_block_of(fn->cfg, k->stmt) : 0;
	if (!b || k->done)
		return false;
	if (bits_has(c->site->r.blocks, b))
		return true;
	for (uint32_t i = 0; k->end && k->id == mine->id && i < fn->cfg->blocks[b].npred; i++)
		if (bits_has(c->site->r.blocks, cfg_pred(fn->cfg, b)[i]))
			return true;
	return false;
}

void ccc_emit(const Ccc *c, const char *buffer, Edits *edits)
{
	const Module *m = c->fn->m;
	const Marker *loop = &m->markers[c->site->r.marker], *path = &m->markers[c->path->r.marker];
	Emit e = { c, m, {0}, AS_OWNER, 0 };
	for (uint32_t i = 1; i < m->nmarkers; i++) {
		if (!belongs(c, &m->markers[i]) || &m->markers[i] == loop)
			continue;
		Buf text = {0};
		done_marker(m, &m->markers[i], &text);
		edit_replace(edits, m->stmts[m->markers[i].stmt].at, text.at, text.n);
		buf_free(&text);
	}
	done_marker(m, loop, &e.out);
	put(&e, "\n\t{ // ccc: loop at line %u, path at line %u, policy %s\n", loop->cuda.line, path->cuda.line, c->report->policy);
	declare(&e);
	entry(&e, buffer);
	owner_blocks(&e);
	vote(&e);
	path_blocks(&e);
	ran(&e);
	push(&e);
	leave(&e, edits);
	put(&e, "\t}\n$@plain:");
	edit_replace(edits, m->stmts[loop->stmt].at, e.out.at, e.out.n);
	buf_free(&e.out);
}
