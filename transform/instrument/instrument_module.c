/* SPDX-License-Identifier: MIT */
/* Instruments a module: its functions count (instrument.c), and the program reads the counters; or
 * they check promises (promise.c), and the program reads what they report.
 *
 * The module declares the counters: an array, a table of the counters of each profile point, and
 * texts with the first lines of the records. Their addresses are in the variable __ccc_profile,
 * which ccc_profile.h declares in the program; the program reads them when it ends. */
#include <stdio.h>
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/cost/occupancy.h"
#include "transform/instrument/instrument.h"
#include "transform/instrument/instrument_module.h"
#include "transform/output/clone_function.h"
#include "transform/output/maxnreg.h"
#include "transform/output/ptxas_registers.h"
#include "transform/plan/plan.h"
#include "transform/text/unique_names.h"

enum { VERSION_OF_TABLE = 7, VERSION_OF_PROMISES = 8 };
/* Before them, other threads' writes cannot be read reliably, and there is no activemask. */
enum { PROMISE_TARGET = 70, PROMISE_VERSION = 62 };

/* Returns the variable that the program reads; NULL if there is none. */
static const Item *
find_profile_variable(const Module *m)
{
	static const char name[] = "__ccc_profile";

	for (uint32_t i = 0; i < m->nitems; i++) {
		const Item *v = &m->items[i];
		size_t n = sizeof name - 1, len;
		if (v->kind != ITEM_VAR || !v->ref)
			continue;
		const char *s = ptx_name(m, v->ref, &len);
		for (size_t k = 0; k + n <= len; k++)
			if (memcmp(s + k, name, n) == 0)
				return v;
	}
	return NULL;
}

/* Returns a position where variables can be declared for all functions. */
static uint32_t
declaration_position(const Module *m, const Item *v)
{
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_FUNC || &m->items[i] == v)
			return m->items[i].at.pos;
	return v->at.pos;
}

static void
write_bytes(const Buf *bytes, Buf *out)
{
	for (size_t i = 0; i < bytes->n; i++)
		buf_printf(out, "%s%u", i ? ", " : "", (unsigned)(unsigned char)bytes->at[i]);
}

/* Declares the counters, and stores their addresses in the program's variable. */
static void
write_variables(Instrumentation *w, const Item *v, const char *prefix)
{
	const char *text = w->m->src->text + v->at.pos;
	uint32_t n = (w->counters + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE * SIDE_BY_SIDE;
	const uint32_t check = w->opt->instrument.check_promise;
	Buf out = { 0 };

	if (check)
		promise_declare(w, prefix, &out);
	else
		buf_printf(&out, ".global .align 8 .u64 %scounters[%u];\n", prefix, COPIES * n);
	buf_printf(&out, ".global .align 4 .u32 %stable[%u] = {%s};\n", prefix,
		(check ? 1 : POINT_RECORD_NUMBERS) * w->points, w->table.at);
	buf_printf(&out, ".global .align 1 .b8 %stexts[%u] = {", prefix, (unsigned)w->texts.n);
	write_bytes(&w->texts, &out);
	buf_puts(&out, "};\n");
	edit_insert(w->edits, declaration_position(w->m, v), out.at, out.n);
	out.n = 0;
	buf_printf(&out,
		"%s.global .align 8 .u64 %.*s[8] = {%u, %u, %s%s, %u, %stable, %stexts, %u, %u};",
		strncmp(text, ".visible", 8) == 0 ? ".visible " : "", PTX_NAME(w->m, v->ref),
		check ? VERSION_OF_PROMISES : VERSION_OF_TABLE, w->points, prefix,
		check ? "state" : "counters", n, prefix, prefix, (unsigned)w->texts.n,
		check ? check : w->opt->instrument.sampling);
	edit_replace(w->edits, v->at, out.at, out.n);
	buf_free(&out);
}

/* Returns the function that runs in blocks that do not count. */
static const Fn *
uninstrumented_function(
	const Instrumentation *w, const Fn *fn, const Effects *effects, Arena *tables)
{
	uint32_t f = effects ? find_unannotated_func(fn, w->opt->unannotated) : 0;

	return f ? fn_build(w->opt->unannotated, f, effects, tables) : fn;
}

static void
instrument_all(Instrumentation *w, const Effects *effects, const char *prefix, Bits counts)
{
	const char *to = w->opt->instrument.path ? w->opt->instrument.path : "";

	buf_add(&w->texts, to, strlen(to) + 1);
	w->granule = promise_granule(w->m);
	const Effects *of_plain =
		w->opt->unannotated ? effects_build(w->opt->unannotated, w->arena) : NULL;
	w->counters = 1; /* 0 means no counter */
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		if (!w->m->funcs[f].body || !w->m->funcs[f].nmarkers)
			continue;
		Arena *tables = arena_new();
		uint32_t before = w->points;
		const Fn *fn = fn_build(w->m, f, effects, tables);
		if (w->opt->instrument.check_promise)
			promise_function(w, fn, prefix);
		else
			instrument_function(w, fn,
				uninstrumented_function(w, fn, of_plain, tables), prefix);
		if (w->points > before)
			effects_flood_callers(w->m, effects, f, counts);
		arena_free(tables);
	}
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Returns the largest number of registers per thread with the same occupancy. */
static uint32_t
max_registers_for(uint32_t target, uint32_t registers)
{
	uint32_t most = registers, warps = occupancy_of(target, registers, 0).warps;

	while (most < registers_max_per_thread(1) &&
		occupancy_of(target, most + 1, 0).warps == warps)
		most++;
	return most;
}

/* Limits counting kernels to a number of registers that keeps the original occupancy: so every
 * block size stays launchable, and blocks that do not count are as fast. Spills occur in the
 * counting code. Kernels that call unknown functions are not limited (register_budget.c). */
static void
limit_registers(
	Instrumentation *w, const Effects *effects, Assemble *assemble, void *user, Bits counts)
{
	Kernel_registers *before = arena_array(w->arena, w->m->nfuncs, sizeof *before);
	const Source *was = (w->opt->unannotated ? w->opt->unannotated : w->m)->src;
	Buf log = { 0 };

	if (assemble(user, was->text, was->len, &log, NULL))
		kernel_registers_parse(w->m, log.n ? log.at : "", before);
	BITS_EACH(f, counts)
		if (before[f].used && !(effects->func[f] & (EFF_EXTERN | EFF_INDIRECT)))
			maxnreg_limit(
				w->m, f, max_registers_for(w->m->target, before[f].used), w->edits);
	buf_free(&log);
}

/* ---- driver ---------------------------------------------------------------------------------- */

bool
generate_text(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Buf *out)
{
	Instrumentation w = { .m = m, .opt = opt, .arena = arena_new() };
	const bool old = opt->instrument.check_promise &&
		(m->target < PROMISE_TARGET || m->version < PROMISE_VERSION);
	const Item *v = m->address_size == 64 && !old ? find_profile_variable(m) : NULL;
	char prefix[32];

	snprintf(prefix, sizeof prefix, "ccc%u_", unique_first_number(m));
	w.edits = edit_new(w.arena);
	const Effects *effects = effects_build(m, w.arena);
	Bits counts = bits_new(w.arena, m->nfuncs); /* functions that may run a counting one */
	instrument_all(&w, effects, prefix, counts);
	bool ok = v || !w.points;
	if (assemble && v && w.points)
		limit_registers(&w, effects, assemble, user, counts);
	if (v && w.points)
		write_variables(&w, v, prefix);
	if (v && w.points)
		edit_apply(w.edits, m->src, out);
	else
		buf_add(out, m->src->text, m->src->len);
	if (opt->instrument.check_promise && !w.points)
		diag(d, D_PROMISE, DIAG_NOWHERE, "nothing is checked: no loop that accesses memory has an annotation that promises independent iterations");
	if (!ok && old) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE, "nothing is checked: the target is older than sm_70, or the PTX than 6.2");
	} else if (!ok) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE, "nothing is %s: the module has no variable '__ccc_profile', or addresses of 32 bits",
			opt->instrument.check_promise ? "checked" : "counted");
		diag_note(d, DIAG_NOWHERE, "ccc_profile.h has it, which cccnvcc --ccc-profile-generate and --ccc-check-promise include");
	}
	edit_release(w.edits);
	vec_free(&w.begins);
	vec_free(&w.numbers);
	vec_free(&w.flushes);
	buf_free(&w.table);
	buf_free(&w.texts);
	buf_free(&w.names);
	buf_free(&w.zeros);
	buf_free(&w.launched);
	arena_free(w.arena);
	return ok;
}
