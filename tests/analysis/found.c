/* SPDX-License-Identifier: MIT */
/* What the analyses find in a function, as facts; see found.h. */
#include "analysis/loops/reduction.h"
#include "analysis/contraction/contraction.h"
#include "tests/analysis/found.h"

static const char *const effect_names[] = { "barrier", "cross", "local", "stack", "unknown", "exit",
	"extern", "indirect", "read", "write", "generic", "spin", "lane", "async",
	"recurse", "acquire", "release" };

void
fact_add(Facts *v, uint32_t stmt, Buf *text)
{
	*vec_push(v) = (Fact){ stmt, text->at };
	*text = (Buf){0};
}

static void
print_fact(Check *c, uint32_t stmt, const char *text)
{
	Buf b = {0};

	buf_puts(&b, text);
	fact_add(&c->found, stmt, &b);
}

static void
say_block(Check *c, uint32_t stmt, const char *kind, uint32_t block)
{
	Buf b = {0};

	buf_printf(&b, "%s: ", kind);
	dump_block(c->fn->cfg, block, &b);
	fact_add(&c->found, stmt, &b);
}

static void
say_cfg(Check *c, uint32_t block, uint32_t stmt)
{
	const Cfg *g = c->fn->cfg;
	Buf b = {0};

	buf_puts(&b, "to:");
	for (uint32_t i = 0; i < g->blocks[block].nsucc; i++) {
		buf_putc(&b, ' ');
		dump_block(g, cfg_succ(g, block)[i], &b);
	}
	fact_add(&c->found, stmt, &b);
	if (g->rpo_index[block] == UINT32_MAX)
		print_fact(c, stmt, "unreachable");
}

static void
say_dom(Check *c, uint32_t block, uint32_t stmt)
{
	if (c->fn->dom->idom[block])
		say_block(c, stmt, "idom", c->fn->dom->idom[block]);
	say_block(c, stmt, "ipdom", c->fn->dom->ipdom[block]);
}

static void
say_loop(Check *c, uint32_t block, uint32_t stmt)
{
	const Loops *l = c->fn->loops;
	Buf b = {0};

	if (l->loop_of[block]) {
		buf_printf(&b, "loop: depth %u header ", l->loops[l->loop_of[block]].depth);
		dump_block(c->fn->cfg, l->loops[l->loop_of[block]].header, &b);
		fact_add(&c->found, stmt, &b);
	}
	if (bits_has(l->irreducible, block))
		print_fact(c, stmt, "irreducible");
}

static void
say_set(Check *c, uint32_t stmt, const char *kind, Bits set)
{
	Buf b = {0};

	if (!bits_any(set))
		return;
	buf_printf(&b, "%s:", kind);
	for (uint32_t i = bits_next(set, 0); i != UINT32_MAX; i = bits_next(set, i + 1)) {
		buf_putc(&b, ' ');
		dump_sym(c->fn->m, fn_sym(c->fn, i), &b);
	}
	fact_add(&c->found, stmt, &b);
}

static void
say_merges(Check *c, uint32_t block, uint32_t stmt)
{
	const Defuse *du = c->fn->defuse;
	Buf b = {0};

	if (du->merge_of_block[block] == du->merge_of_block[block + 1])
		return;
	buf_puts(&b, "merge:");
	for (uint32_t i = du->merge_of_block[block]; i < du->merge_of_block[block + 1]; i++) {
		buf_putc(&b, ' ');
		dump_sym(c->fn->m, du->merges[i].sym, &b);
	}
	fact_add(&c->found, stmt, &b);
}

static uint32_t
count_defs(const Fn *fn, uint32_t stmt)
{
	uint32_t n = 0;

	FN_DEFS_OF_STMT(fn, stmt, d)
		n++;
	return n;
}

static void
say_reaches(Check *c, uint32_t stmt)
{
	FN_DEFS_OF_STMT(c->fn, stmt, d) {
		Buf b = {0};
		uint32_t last = 0;
		buf_puts(&b, "reaches");
		if (count_defs(c->fn, stmt) > 1) {
			buf_putc(&b, ' ');
			dump_sym(c->fn->m, fn_def(c->fn, d)->sym, &b);
		}
		buf_putc(&b, ':');
		FN_USES(c->fn, d, u) {
			uint32_t line = dump_line(c->fn->m, fn_use(c->fn, u)->stmt);
			if (line == last)
				continue;
			buf_printf(&b, " %u", line);
			last = line;
		}
		if (last)
			fact_add(&c->found, stmt, &b);
		buf_free(&b);
	}
}

static void
say_undefined(Check *c, uint32_t stmt)
{
	Buf b = {0};

	FN_USES_OF_STMT(c->fn, stmt, u)
		FN_REACH(c->fn, u, d) {
			if (fn_def(c->fn, d)->stmt ||
				c->fn->m->syms[fn_use(c->fn, u)->sym].kind == SYM_PARAM)
				continue;
			buf_puts(&b, b.n ? " " : "undefined: ");
			dump_sym(c->fn->m, fn_use(c->fn, u)->sym, &b);
		}
	if (b.n)
		fact_add(&c->found, stmt, &b);
}

static void
say_varying(Check *c, uint32_t stmt)
{
	const Fn *fn = c->fn;
	uint32_t n = count_defs(fn, stmt), vary = 0, block = fn_block(fn, stmt);
	Buf b = {0};

	buf_puts(&b, "varying:");
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (bits_has(fn->uniform->def, d)) {
			buf_putc(&b, ' ');
			dump_sym(fn->m, fn_def(fn, d)->sym, &b);
			vary++;
		}
	if (vary && vary < n)
		fact_add(&c->found, stmt, &b);
	else if (vary ||
		(cfg_terminator(fn->cfg, block) == stmt && bits_has(fn->uniform->branch, block)))
		print_fact(c, stmt, "varying");
	buf_free(&b);
}

/* Uses that vary by temporal divergence alone. */
static void
say_varying_uses(Check *c, uint32_t stmt)
{
	Buf b = {0};

	FN_USES_OF_STMT(c->fn, stmt, u) {
		bool data = false;
		FN_REACH(c->fn, u, d)
			data |= bits_has(c->fn->uniform->def, d);
		if (data || !bits_has(c->fn->uniform->use, u))
			continue;
		buf_puts(&b, b.n ? " " : "varying use: ");
		dump_sym(c->fn->m, fn_use(c->fn, u)->sym, &b);
	}
	if (b.n)
		fact_add(&c->found, stmt, &b);
}

static void
say_effects(Check *c, uint32_t stmt, const char *kind, uint32_t effects)
{
	Buf b = {0};

	if (!effects)
		return;
	buf_printf(&b, "%s:", kind);
	for (uint32_t i = 0; i < sizeof effect_names / sizeof *effect_names; i++)
		if (effects >> i & 1)
			buf_printf(&b, " %s", effect_names[i]);
	fact_add(&c->found, stmt, &b);
}

static void
say_contraction(Check *c, uint32_t stmt)
{
	static const char *const words[] = { NULL, "contracted: never", "contracted: always",
		"contracted: unknown" }; /* ORDER Contract */
	Contract is = contraction_of(c->fn, stmt);

	if (is != CONTRACT_NONE)
		print_fact(c, stmt, words[is]);
	if (contraction_rounds(c->fn, stmt))
		print_fact(c, stmt, "rounds");
}

static void
say_reduction(Check *c, uint32_t stmt)
{
	FN_DEFS_OF_STMT(c->fn, stmt, d)
		if (reduction_is(c->fn, stmt, fn_def(c->fn, d)->sym))
			print_fact(c, stmt, "reduction");
}

/* ---- addresses of thread-local memory -------------------------------------------------------- */

static void
put_from(const Check *c, Address_origin from, Buf *b)
{
	if (from.stmt) {
		buf_printf(b, "%u", dump_line(c->fn->m, from.stmt));
	} else {
		buf_puts(b, "outside ");
		dump_sym(c->fn->m, c->fn->m->funcs[from.func].sym, b);
	}
}

/* Registers and .param variables that a statement writes. */
static void
say_local(Check *c, uint32_t stmt)
{
	bool store = ptx_flags(c->fn->m, fn_stmt(c->fn, stmt)) & OPF_STORE;
	Buf b = { 0 };

	FN_REFS(c->fn, stmt, r) {
		Address_origin from = address_origin_of(c->locals, r->sym);
		if (!from.func ||
			!(r->written || (store && c->fn->m->syms[r->sym].space == SPACE_PARAM)))
			continue;
		buf_puts(&b, b.n ? " " : "local: ");
		dump_sym(c->fn->m, r->sym, &b);
		buf_puts(&b, " (");
		put_from(c, from, &b);
		buf_puts(&b, ")");
	}
	if (b.n)
		fact_add(&c->found, stmt, &b);
}

/* The facts at the entry of a function. */
static void
say_given(Check *c, uint32_t stmt)
{
	const Func *f = c->fn->f;
	Address_origin found = local_address_is_stored(c->locals);

	for (uint32_t y = f->param; y < f->param + f->nparam; y++) {
		Buf b = { 0 };
		if (!address_origin_of(c->locals, y).func)
			continue;
		buf_puts(&b, "given: ");
		dump_sym(c->fn->m, y, &b);
		buf_puts(&b, " (");
		put_from(c, address_origin_of(c->locals, y), &b);
		buf_puts(&b, ")");
		fact_add(&c->found, stmt, &b);
	}
	if (found.func) {
		Buf b = { 0 };
		buf_puts(&b, "finds: ");
		put_from(c, found, &b);
		fact_add(&c->found, stmt, &b);
	}
	if (local_memory_is_private(c->locals))
		print_fact(c, stmt, "private");
}

static void
say_stmt(Check *c, uint32_t stmt)
{
	if (fn_stmt(c->fn, stmt)->kind != STMT_INSN)
		return;
	if (c->checked[DEFUSE]) {
		say_reaches(c, stmt);
		say_undefined(c, stmt);
	}
	if (c->checked[UNIFORM]) {
		say_varying(c, stmt);
		say_varying_uses(c, stmt);
	}
	if (c->checked[REDUCTION])
		say_reduction(c, stmt);
	if (c->checked[CONTRACTION])
		say_contraction(c, stmt);
	if (c->checked[LOCAL])
		say_local(c, stmt);
	if (c->checked[EFFECTS])
		say_effects(c, stmt, "effects", effects_stmt(c->fn->m, c->effects, stmt));
}

static void
say_uniform(Check *c, uint32_t block, uint32_t stmt)
{
	uint32_t loop = c->fn->loops->loop_of[block];

	if (bits_has(c->fn->uniform->block, block))
		print_fact(c, stmt, "divergent");
	if (loop && c->fn->loops->loops[loop].header == block &&
		bits_has(c->fn->uniform->loop, loop))
		print_fact(c, stmt, "iterations differ");
}

static void
say_carry(Check *c, uint32_t block, uint32_t stmt)
{
	Buf b = {0};

	if (!c->fn->carry[block])
		return;
	buf_printf(&b, "carry: %u", dump_line(c->fn->m, c->fn->carry[block]));
	fact_add(&c->found, stmt, &b);
}

void
found_function(Check *c)
{
	static void (*const by_block[GROUPS])(Check *, uint32_t, uint32_t) = {
		[CFG] = say_cfg,
		[DOM] = say_dom,
		[LOOP] = say_loop,
		[DEFUSE] = say_merges,
		[UNIFORM] = say_uniform,
		[CARRY] = say_carry,
	};
	const Cfg *g = c->fn->cfg;

	if (c->checked[EFFECTS])
		say_effects(c, c->fn->f->stmt, "runs", c->effects->func[c->fn->func]);
	if (c->checked[LOCAL])
		say_given(c, c->fn->f->stmt);
	for (uint32_t b = 1; b < g->nblocks; b++) {
		if (g->blocks[b].stmt == g->blocks[b].end)
			continue;
		for (Group k = 0; k < GROUPS; k++)
			if (c->checked[k] && by_block[k])
				by_block[k](c, b, g->blocks[b].stmt);
		if (c->checked[LIVE]) {
			say_set(c, g->blocks[b].stmt, "live-in", c->fn->live->in[b]);
			say_set(c, g->blocks[b].end - 1, "live-out",
				live_out_of(c->fn->live, g, b, c->fn->arena));
		}
		for (uint32_t s = g->blocks[b].stmt; s < g->blocks[b].end; s++)
			say_stmt(c, s);
	}
}
