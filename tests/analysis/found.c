/* What the analyses find in a function, as facts; see found.h. */
#include "analysis/reduction.h"
#include "tests/analysis/found.h"

static const char *const effect_names[] = { "barrier", "cross", "local", "stack", "unknown", "exit", "extern", "indirect",
	"read", "write", "generic", "spin", "lane", "async" };

void
fact_add(Facts *v, uint32_t stmt, Buf *text)
{
	*vec_push(v) = (Fact){ stmt, text->at };
	*text = (Buf){0};
}

static void
say(Check *c, uint32_t stmt, const char *text)
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
		say(c, stmt, "unreachable");
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
		say(c, stmt, "irreducible");
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
		dump_sym(c->fn->m, c->fn->f->sym0 + i, &b);
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

/* How many definitions a statement has; *first is the first. */
static uint32_t
defs_of(const Fn *fn, uint32_t stmt, uint32_t *first)
{
	const Defuse *du = fn->defuse;
	uint32_t n = 0;

	*first = du->def_of_stmt[stmt - fn->f->stmt];
	while (*first && *first + n < du->ndefs && du->defs[*first + n].stmt == stmt)
		n++;
	return n;
}

static bool
reached_by(const Defuse *du, const Use *u, uint32_t def)
{
	for (uint32_t i = u->def; i < u->def + u->ndef; i++)
		if (du->reach[i] == def)
			return true;
	return false;
}

static void
say_reaches(Check *c, uint32_t stmt)
{
	const Defuse *du = c->fn->defuse;
	uint32_t first, n = defs_of(c->fn, stmt, &first);

	for (uint32_t d = first; d < first + n; d++) {
		Buf b = {0};
		uint32_t last = 0;
		buf_puts(&b, "reaches");
		if (n > 1) {
			buf_putc(&b, ' ');
			dump_sym(c->fn->m, du->defs[d].sym, &b);
		}
		buf_putc(&b, ':');
		for (uint32_t u = 1; u < du->nuses; u++) {
			uint32_t line = dump_line(c->fn->m, du->uses[u].stmt);
			if (line == last || !reached_by(du, &du->uses[u], d))
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
	const Defuse *du = c->fn->defuse;
	uint32_t u = du->use_of_stmt[stmt - c->fn->f->stmt];
	Buf b = {0};

	for (; u && u < du->nuses && du->uses[u].stmt == stmt; u++)
		for (uint32_t i = du->uses[u].def; i < du->uses[u].def + du->uses[u].ndef; i++) {
			if (du->defs[du->reach[i]].stmt || c->fn->m->syms[du->uses[u].sym].kind == SYM_PARAM)
				continue;
			buf_puts(&b, b.n ? " " : "undefined: ");
			dump_sym(c->fn->m, du->uses[u].sym, &b);
		}
	if (b.n)
		fact_add(&c->found, stmt, &b);
}

static void
say_varying(Check *c, uint32_t stmt)
{
	const Fn *fn = c->fn;
	uint32_t first, n = defs_of(fn, stmt, &first), vary = 0, block = cfg_block_of(fn->cfg, stmt);
	Buf b = {0};

	buf_puts(&b, "varying:");
	for (uint32_t d = first; d < first + n; d++)
		if (bits_has(fn->uniform->def, d)) {
			buf_putc(&b, ' ');
			dump_sym(fn->m, fn->defuse->defs[d].sym, &b);
			vary++;
		}
	if (vary && vary < n)
		fact_add(&c->found, stmt, &b);
	else if (vary || (cfg_terminator(fn->cfg, block) == stmt && bits_has(fn->uniform->branch, block)))
		say(c, stmt, "varying");
	buf_free(&b);
}

/* Uses that vary by temporal divergence alone. */
static void
say_varying_uses(Check *c, uint32_t stmt)
{
	const Defuse *du = c->fn->defuse;
	uint32_t u = du->use_of_stmt[stmt - c->fn->f->stmt];
	Buf b = {0};

	for (; u && u < du->nuses && du->uses[u].stmt == stmt; u++) {
		bool data = false;
		for (uint32_t i = du->uses[u].def; i < du->uses[u].def + du->uses[u].ndef; i++)
			data |= bits_has(c->fn->uniform->def, du->reach[i]);
		if (data || !bits_has(c->fn->uniform->use, u))
			continue;
		buf_puts(&b, b.n ? " " : "varying use: ");
		dump_sym(c->fn->m, du->uses[u].sym, &b);
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
say_reduction(Check *c, uint32_t stmt)
{
	uint32_t first, n = defs_of(c->fn, stmt, &first);

	for (uint32_t d = first; d < first + n; d++)
		if (reduction_is(c->fn, stmt, c->fn->defuse->defs[d].sym))
			say(c, stmt, "reduction");
}

/* ---- addresses of thread-local memory -------------------------------------------------------- */

static void
put_from(const Check *c, Local_from from, Buf *b)
{
	if (from.stmt) {
		buf_printf(b, "%u", dump_line(c->fn->m, from.stmt));
	} else {
		buf_puts(b, "outside ");
		dump_sym(c->fn->m, c->fn->m->funcs[from.func].sym, b);
	}
}

typedef struct { Check *c; bool store; Buf b; } Holders;

/* Registers and .param variables that a statement writes. */
static void
see_holder(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Holders *h = user;
	Local_from from = local_held(h->c->locals, sym);

	(void)opnd;
	if (!from.func || !(written || (h->store && h->c->fn->m->syms[sym].space == SPACE_PARAM)))
		return;
	buf_puts(&h->b, h->b.n ? " " : "local: ");
	dump_sym(h->c->fn->m, sym, &h->b);
	buf_puts(&h->b, " (");
	put_from(h->c, from, &h->b);
	buf_puts(&h->b, ")");
}

static void
say_local(Check *c, uint32_t stmt)
{
	const Stmt *s = fn_stmt(c->fn, stmt);
	Holders h = { c, ptx_flags(c->fn->m, s) & OPF_STORE, { 0 } };

	ptx_visit(c->fn->m, s, see_holder, &h);
	if (h.b.n)
		fact_add(&c->found, stmt, &h.b);
}

/* What comes to a function. */
static void
say_given(Check *c, uint32_t stmt)
{
	const Func *f = c->fn->f;
	Local_from found = local_stored(c->locals);

	for (uint32_t y = f->param; y < f->param + f->nparam; y++) {
		Buf b = { 0 };
		if (!local_held(c->locals, y).func)
			continue;
		buf_puts(&b, "given: ");
		dump_sym(c->fn->m, y, &b);
		buf_puts(&b, " (");
		put_from(c, local_held(c->locals, y), &b);
		buf_puts(&b, ")");
		fact_add(&c->found, stmt, &b);
	}
	if (found.func) {
		Buf b = { 0 };
		buf_puts(&b, "finds: ");
		put_from(c, found, &b);
		fact_add(&c->found, stmt, &b);
	}
	if (local_private(c->locals))
		say(c, stmt, "private");
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
		say(c, stmt, "divergent");
	if (loop && c->fn->loops->loops[loop].header == block && bits_has(c->fn->uniform->loop, loop))
		say(c, stmt, "iterations differ");
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
		[CFG] = say_cfg, [DOM] = say_dom, [LOOP] = say_loop, [DEFUSE] = say_merges, [UNIFORM] = say_uniform,
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
			say_set(c, g->blocks[b].end - 1, "live-out", c->fn->live->out[b]);
		}
		for (uint32_t s = g->blocks[b].stmt; s < g->blocks[b].end; s++)
			say_stmt(c, s);
	}
}
