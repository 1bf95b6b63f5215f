/* SPDX-License-Identifier: MIT */
/* Generates modules: the head, the functions, and the kernel with its sites. */
#include "tests/gen/inner.h"

static const char params[] =
	".param .u64 in, .param .u64 out, .param .u64 last, .param .u64 sums, .param .u32 n, .param .u32 x";

/* Begins a function with its own registers, values and text; labels are numbered across
 * functions. */
static Gen
function_start(const Gen *module, Buf *body)
{
	Gen g = { .task = module->task,
		.retreats = module->retreats,
		.ordered = module->ordered,
		.flat = module->flat,
		.looks = module->looks,
		.turns = module->turns,
		.cases = module->cases,
		.steps = module->steps,
		.joins = module->joins,
		.delays = module->delays,
		.waits = module->waits,
		.shares = module->shares,
		.alike = module->alike,
		.assigns = module->assigns,
		.unifies = module->unifies,
		.merges = module->merges,
		.nests = module->nests,
		.heads = module->heads,
		.pads = module->pads,
		.said = module->said,
		.stale = module->stale,
		.wordy = module->wordy,
		.together = module->together,
		.rows = module->rows,
		.ends = module->ends,
		.exits = module->exits,
		.literal = module->literal,
		.calls = module->calls,
		.commons = module->commons,
		.state = module->state,
		.labels = module->labels,
		.nmarkers = module->nmarkers,
		.nleaves = module->nleaves,
		.pair = module->pair,
		.more = module->more,
		.wording = module->wording,
		.salt = module->salt,
		.grown = module->grown,
		.body = body,
		.fuel = 45 };
	return g;
}

/* Writes the function: its head, declarations, text. */
static void
function_end(Gen *module, const Gen *g, const char *head, Buf *out)
{
	buf_printf(out, "%s\n{\n", head);
	static const char *const types[TY_COUNT] = { "b16", "b32", "b64", "f32", "f64", "pred" };
	for (int t = 0; t < TY_COUNT; t++)
		buf_printf(
			out, "\t.reg .%s \t%s<%u>;\n", types[t], reg_name((Ty)t), g->nregs[t] + 1);
	if (g->shared)
		buf_puts(out, "\t.shared .align 4 .b8 tile[1024];\n");
	if (g->depot)
		buf_puts(out, "\t.local .align 4 .b8 depot[16];\n");
	if (g->pad)
		buf_puts(out, "\t.local .align 4 .b8 pad[16];\n");
	buf_add(out, g->body->at, g->body->n);
	buf_puts(out, "}\n\n");
	buf_free(g->body);
	module->state = g->state;
	module->more = g->more;
	module->wording = g->wording;
	module->labels = g->labels;
	module->nmarkers = g->nmarkers;
}

/* .func leaf<k>(b32, sums) returns a b32. */
static void
leaf(Gen *module, uint32_t k, Buf *out)
{
	Buf body = {0}, head = {0};
	Gen g = function_start(module, &body);
	uint32_t r = fresh(&g, B32), result = fresh(&g, B32);
	g.place = LEAF;
	g.depth = 1;
	g.nleaves = k; /* those it may call */
	g.sums = fresh(&g, B64);
	g.in = fresh(&g, B64);
	line(&g, "ld.param.u32 \t%%r%u, [a]", r);
	line(&g, "ld.param.u64 \t%%rd%u, [b]", g.sums);
	line(&g, "mov.u64 \t%%rd%u, table", g.in);
	value_add(&g, B32, r, FIXED);
	stmt_some(&g, 1 + below(&g, 4));
	expr_to(&g, B32, result);
	if (chance(&g, g.calls ? 5 : 20)) { /* of the thread that runs it: no path may call it */
		uint32_t own = fresh(&g, B32);
		expr_special(&g, own);
		line(&g, "xor.b32 \t%%r%u, %%r%u, %%r%u", result, result, own);
	}
	if (g.task && chance(&g, g.calls ? 85 : 50)) { /* of the block that runs it */
		uint32_t block = fresh(&g, B32);
		line(&g, "mov.u32 \t%%r%u, %%ctaid.%c", block, "xyz"[below(&g, 3)]);
		line(&g, "add.u32 \t%%r%u, %%r%u, %%r%u", result, result, block);
	}
	line(&g, "st.param.b32 \t[r], %%r%u", result);
	line(&g, "ret");
	buf_printf(&head, ".func (.param .b32 r) leaf%u(.param .b32 a, .param .b64 b)", k);
	function_end(module, &g, head.at, out);
	buf_free(&head);
}

/* %ctaid.x, or of a kernel for grids of any shape the block's number. */
static void
block_number(Gen *g, uint32_t block)
{
	static const char *const names[] = { "%nctaid.y", "%ctaid.y", "%nctaid.x", "%ctaid.x" };

	line(g, "mov.u32 \t%%r%u, %s", block, g->task ? "%ctaid.z" : "%ctaid.x");
	for (int k = 0; g->task && k < 4; k++) {
		uint32_t r = fresh(g, B32);
		line(g, "mov.u32 \t%%r%u, %s", r, names[k]);
		line(g, "%s.s32 \t%%r%u, %%r%u, %%r%u", k % 2 ? "add" : "mul.lo", block, block, r);
	}
}

static void
thread_number(Gen *g)
{
	uint32_t t[7];
	static const char *const names[] = { "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y",
		"%ntid.z" };
	for (int k = 0; k < 6; k++)
		line(g, "mov.u32 \t%%r%u, %s", t[k] = fresh(g, B32), names[k]);
	block_number(g, t[6] = fresh(g, B32));
	g->gid = fresh(g, B32), g->threads = fresh(g, B32), g->tile = fresh(g, B32),
	g->round = fresh(g, B32);
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", g->gid, t[2], t[4], t[1]);
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", g->gid, g->gid, t[3], t[0]);
	line(g, "shl.b32 \t%%r%u, %%r%u, 2", g->tile, g->gid);
	line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", g->threads, t[3], t[4]);
	line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", g->threads, g->threads, t[5]);
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", g->gid, t[6], g->threads, g->gid);
	line(g, "mov.u32 \t%%r%u, %%nctaid.x", t[0]);
	line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", g->threads, g->threads, t[0]);
	line(g, "mov.u32 \t%%r%u, 0", g->round);
}

/* The code with which every function with a site begins. */
static void
prologue(Gen *g)
{
	uint32_t *const buffers[] = { &g->in, &g->out, &g->last, &g->sums };
	static const char *const names[] = { "in", "out", "last", "sums" };
	for (int k = 0; k < 4; k++) {
		uint32_t r = *buffers[k] = fresh(g, B64);
		line(g, "ld.param.u64 \t%%rd%u, [%s]", r, names[k]);
		line(g, "cvta.to.global.u64 \t%%rd%u, %%rd%u", r, r);
	}
	g->n = fresh(g, B32), g->x = fresh(g, B32);
	line(g, "ld.param.u32 \t%%r%u, [n]", g->n);
	line(g, "ld.param.u32 \t%%r%u, [x]", g->x);
	thread_number(g);
	g->shared = chance(g, 30) && !(g->task && chance(g, 95));
	if (g->shared) {
		uint32_t tile = fresh(g, B32);
		line(g, "mov.u32 \t%%r%u, tile", tile);
		line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", g->tile, g->tile, tile);
		line(g, "st.shared.u32 \t[%%r%u], %%r%u", g->tile, g->gid);
	}
	if (chance(g, 25)) {
		g->depot = fresh(g, B64);
		line(g, "mov.u64 \t%%rd%u, depot", g->depot);
		for (uint32_t k = 0; k < 16; k += 4)
			line(g, "st.local.u32 \t[%%rd%u+%u], %%r%u", g->depot, k, g->gid);
	}
	if (g->pads)
		pad_begin(g);
	value_add(g, B32, g->gid, FIXED);
	value_add(g, B32, g->n, FIXED);
	value_add(g, B32, g->x, FIXED);
	if (chance(g, 70))
		expr_uniform(g);
	stmt_some(g, 1 + below(g, 4));
}

/* A predicate that is false on the first lanes of each warp. These reach the loop together; a later
 * loop may be executed by all lanes, which is a larger group on the same buffer. */
static uint32_t
but_first_lanes(Gen *g)
{
	uint32_t lane = fresh(g, B32), p = fresh(g, PRED);

	line(g, "mov.u32 \t%%r%u, %%laneid", lane);
	line(g, "setp.ge.u32 \t%%p%u, %%r%u, %u", p, lane, 3 + below(g, 20));
	return p;
}

/* An annotated loop, possibly in an outer loop or under a branch, and code that uses its
 * results. */
static void
site(Gen *g, uint32_t number, Buf *tail)
{
	uint32_t scope = g->nvalues, skip = label(g), head = label(g), rounds = 0,
		 p = fresh(g, PRED);
	bool behind_branch = g->pair ? number == 0 : chance(g, 25),
	     outer = !g->pair && chance(g, 30), ragged = chance(g, 30);
	g->words = fresh(g, B64);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %u", g->words, g->out,
		number * GEN_ITEMS * GEN_SLOTS * 8);
	if (behind_branch)
		line(g, "@%%p%u bra \t$L%u",
			(g->pair || chance(g, 40)) ? but_first_lanes(g) : expr_cond(g, 30), skip);
	if (outer) {
		rounds = ragged ? expr_small(g, 1) : fresh(g, B32);
		if (ragged)
			line(g, "add.s32 \t%%r%u, %%r%u, 1", rounds, rounds);
		else
			line(g, "mov.u32 \t%%r%u, 2", rounds);
		line(g, "mov.u32 \t%%r%u, 0", g->round);
		place_label(g, head);
		if (chance(g, 50))
			expr_uniform(g);
		stmt_some(g, below(g, 2));
	}
	site_loop(g, tail);
	g->fuel += 3;
	stmt_some(g, 1 + below(g, 2));
	for (uint32_t n = 1 + below(g, 3); n; n--)
		stmt_last(g);
	if (outer) {
		line(g, "add.s32 \t%%r%u, %%r%u, 1", g->round, g->round);
		line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, g->round, rounds);
		line(g, "@%%p%u bra \t$L%u", p, head);
	}
	if (behind_branch)
		g->nvalues = scope;
	g->place = OUTSIDE;
	place_label(g, skip);
	if (outer)
		line(g, "mov.u32 \t%%r%u, 0", g->round);
}

/* .func site<k> with the kernel's parameters. */
static void
site_function(Gen *module, uint32_t k, Buf *out)
{
	Buf body = {0}, head = {0}, tail = {0};
	Gen g = function_start(module, &body);
	prologue(&g);
	site(&g, k, &tail);
	line(&g, "ret");
	if (tail.n)
		buf_add(&body, tail.at, tail.n);
	buf_printf(&head, ".func site%u(%s)", k, params);
	function_end(module, &g, head.at, out);
	buf_free(&head);
	buf_free(&tail);
}

static void
call_site(Gen *g, uint32_t k)
{
	const uint32_t buffers[] = { g->in, g->out, g->last, g->sums }, words[] = { g->n, g->x };
	uint32_t turn = fresh(g, B32), p = fresh(g, PRED), again = label(g);
	bool twice = chance(g, 20);
	if (twice) {
		line(g, "mov.u32 \t%%r%u, 0", turn);
		place_label(g, again);
	}
	buf_puts(g->body, "\t{\n");
	for (uint32_t i = 0; i < 6; i++) {
		buf_printf(g->body, "\t.param .b%u param%u;\n", i < 4 ? 64U : 32U, i);
		if (i < 4)
			line(g, "st.param.b64 \t[param%u], %%rd%u", i, buffers[i]);
		else
			line(g, "st.param.b32 \t[param%u], %%r%u", i, words[i - 4]);
	}
	line(g, "call.uni site%u, (param0, param1, param2, param3, param4, param5)", k);
	buf_puts(g->body, "\t}\n");
	if (twice) {
		line(g, "add.s32 \t%%r%u, %%r%u, 1", turn, turn);
		line(g, "setp.lt.u32 \t%%p%u, %%r%u, 2", p, turn);
		line(g, "@%%p%u bra \t$L%u", p, again);
	}
}

static void
kernel(Gen *module, Buf *out, const Gen_info *info, const bool *apart)
{
	Buf body = {0}, tail = {0}, head = {0};
	Gen g = function_start(module, &body);
	prologue(&g);
	const char *end = chance(&g, 50) ? "ret" : "exit";
	if (!g.task && chance(&g, 15))
		line(&g, "@%%p%u %s", expr_cond(&g, 20), end);
	if (info->task)
		task_kernel(&g, info->asks, &tail);
	if (info->exchanges)
		remap_kernel(&g);
	for (uint32_t n = g.commons ? 1 + below(&g, 2) : 0; n; n--)
		common_calls(&g);
	for (uint32_t k = 0; k < info->nsites; k++) {
		uint32_t skip = label(&g);
		if (!apart[k]) {
			site(&g, k, &tail);
			continue;
		}
		if (chance(&g, 40))
			line(&g, "@%%p%u bra \t$L%u", expr_cond(&g, 30), skip);
		call_site(&g, k);
		place_label(&g, skip);
	}
	if (!g.task && !info->exchanges)
		stmt_last(&g);
	line(&g, "ret");
	if (tail.n)
		buf_add(&body, tail.at, tail.n);
	buf_printf(&head, ".visible .entry k(%s)%s", params,
		!info->block[0] && chance(&g, 20) ? "\n.maxntid 128" : "");
	if (info->block[0])
		buf_printf(&head, "\n.reqntid %u, %u, %u", info->block[0], info->block[1],
			info->block[2]);
	function_end(module, &g, head.at, out);
	buf_free(&head);
	buf_free(&tail);
}

/* The table that functions without a pointer to the input read. */
static void
table(Gen *g, Buf *out)
{
	buf_printf(out, ".global .align 8 .b32 table[%u] = { ", GEN_IN_WORDS);
	for (int k = 0; k < 40; k++)
		buf_printf(out, "%s%u", k ? ", " : "", below(g, 100000));
	buf_puts(out, " };\n\n");
}

static void
launch_line(const Gen_info *info, Buf *out)
{
	buf_printf(out,
		"// LAUNCH: k --grid 2 --arg buf:%u:rand:%u --arg buf:%u --arg buf:%u --arg buf:%u --arg u32:%u --arg u32:%u",
		4 * GEN_IN_WORDS, info->in_seed, 8 * GEN_SITES * GEN_ITEMS * GEN_SLOTS,
		8 * GEN_THREADS * GEN_LAST, 4 * GEN_SUMS, info->n, info->x);
	if (info->block[0])
		buf_printf(
			out, " --block %u,%u,%u", info->block[0], info->block[1], info->block[2]);
	buf_puts(out, "\n");
}

void
gen_kernel(uint64_t seed, Buf *out, Gen_info *info)
{
	Gen g = choose(seed, info);
	bool apart[GEN_SITES];
	buf_printf(out, "// random kernel, seed %llu\n", (unsigned long long)seed);
	launch_line(info, out);
	buf_printf(out, ".version 8.0\n.target %s\n.address_size 64\n\n",
		info->old ? "sm_75" : "sm_80");
	if (g.ends)
		buf_puts(out,
			".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n\n");
	table(&g, out);
	for (uint32_t k = 0; k < g.nleaves; k++)
		leaf(&g, k, out);
	for (uint32_t k = 0; k < info->nsites; k++) {
		apart[k] = !g.pair && chance(&g, 20);
		if (apart[k])
			site_function(&g, k, out);
	}
	kernel(&g, out, info, apart);
}
