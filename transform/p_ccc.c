/* Collaborative Context Collection (Khorasani, Gupta, Bhuyan: Efficient Warp Execution in
 * Presence of Divergence with Collaborative Context Collection, MICRO-48 2015, sections 2 and
 * 3.1; docs/design.md 6).
 *
 * needs:    cfg dom loop live carry defuse uniform effects threads local region
 * refuses:  what legal.c, context.c and layout.c say, and targets without independent thread scheduling
 * correct because:
 *   - M, the lanes that arrive together at the begin marker, all stay until all leave: every
 *     cross-lane operation names M, and every lane of M comes to each of them, because all of
 *     them stand in the vote block, all branches between them depend on the ballot, the second
 *     vote and `top` alone, and a lane comes back to the vote from everywhere else (back edge,
 *     exit, path).
 *   - The buffer belongs to the group that holds lane 0, of which there is one at a time (M
 *     contiguous from lane 0); others run the untouched loop. Between a push and a pop of the
 *     same slot stands a bar.warp.sync of the vote block, which all of M passes; so too between a
 *     pop and the next push. The pops of a run are ordered before the pushes of the next run on the
 *     same buffer, whose M may have more lanes, by the vote's barrier too: a run's first push comes
 *     behind its first vote, and lane 0 is in both groups; the lanes that popped and are not in the
 *     later M met lane 0 at the `leave` of the earlier run.
 *   - What helpers wrote in the path is seen by the owners that read it behind the loop: all of M
 *     meet at the bar.warp.sync of `leave`.
 *   - A task is run once: pushed and popped once, by counting: `top` and the ballot are the same
 *     in all lanes of M. 0 <= top < size always: a push happens only if top + n < size.
 *   - What a helper runs touches only the path's own registers, all of which are set from the
 *     task's context, or are uniform; the owner's registers are as if it had run the path itself,
 *     but for what flows out, see context.c.
 * cost:     an iteration: about 14 instructions and the context's loads or stores; registers: 7 and the context twice
 * before / after: docs/transformation.md
 */
#include <stdio.h>
#include <string.h>
#include "transform/ccc.h"

static void
read_clauses(Ccc *c, const Annot *a)
{
	Annot_policy p = annot_has(a, CLAUSE_POLICY) ? a->policy : c->opt->policy;

	if (!annot_policies[p].acts)
		ccc_warn(c, D_POLICY, DIAG_NOWHERE, "policy '%s' is not in this version: using 'stack'",
			annot_policies[p].name);
	for (uint32_t i = 0; i < CLAUSE_COUNT; i++)
		if (annot_has(a, (Annot_clause)i) && !annot_clauses[i].acts)
			ccc_warn(c, D_POLICY, DIAG_NOWHERE, "clause '%s' is not in this version: ignored",
				annot_clauses[i].name);
	c->independent |= annot_has(a, CLAUSE_INDEPENDENT);
	if (annot_has(a, CLAUSE_THREADS))
		c->threads = a->number[CLAUSE_THREADS];
}

static void
fill_report(Ccc *c, uint32_t shared)
{
	Report_site *r = c->report;
	const Module *m = c->fn->m;
	r->done = true;
	r->lockstep = c->in_step;
	r->shared = shared;
	r->threads = c->threads;
	r->recomputed = c->nagain;
	r->owner_slice = c->nslice;
	r->context = arena_array(c->keep, c->nslots, sizeof *r->context);
	r->ncontext = c->nslots;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Sym *y = &m->syms[c->slots[i].sym];
		Report_value *v = &r->context[i];
		int n = ptx_name_len(m, c->slots[i].sym);
		snprintf(v->name, sizeof v->name, c->slots[i].sel ? "%.*s.%c" : "%.*s",
			n < 32 ? n : 32, ptx_name_text(m, c->slots[i].sym), c->slots[i].sel);
		v->type = y->kind == SYM_SPECIAL ? "u32" : ptx_type_name((Type)y->type);
		v->bytes = c->slots[i].size;
		r->context_bytes += v->bytes;
	}
	r->context_bytes += (c->npreds + 31) / 32 * 4;
}

/* Paths that are not collected: one a loop in this version. */
static void
warn_other_paths(Ccc *c)
{
	for (uint32_t i = 1; i < c->site->npaths; i++) {
		const Marker *k = &c->fn->m->markers[c->site->paths[i].r.marker];
		diag_cuda(c->diags, D_NESTED, k->cuda, fn_stmt(c->fn, k->stmt)->at.pos,
			"path left as it was: the loop has a costlier one, and this version collects one path a loop");
	}
}

/* A buffer beside memory of which the launch decides the size may keep the kernel from being launched. */
static bool
refuse_dynamic(Ccc *c)
{
	ccc_refuse(c, D_SHARED, DIAG_NOWHERE,
		"the kernel has dynamic shared memory too, and how much a launch asks for is not known");
	diag_note(c->diags, DIAG_NOWHERE,
		"say 'threads(N)' if there is room for %u bytes for each 32 threads beside it, or give its size: --dynamic-shared=BYTES "
		"(cccnvcc: --ccc-dynamic-shared)", c->warp_bytes);
	return false;
}

/* Decides whether the site can be transformed, and how. shared: bytes for its buffer; dynamic: launches may take more shared
 * memory, it is not known how much. */
static bool
plan_site(Ccc *c, uint32_t shared, bool dynamic)
{
	const Marker *loop = &c->fn->m->markers[c->site->r.marker];
	const char *leave = c->opt->leave ? c->opt->leave[c->fn->func] : NULL;

	if (leave)
		return ccc_refuse(c, D_REGISTERS, DIAG_NOWHERE, "%s", leave);
	if (c->fn->m->target < 70 || c->fn->m->version < 62)
		return ccc_refuse(c, D_TARGET, DIAG_NOWHERE, "it needs sm_70 and PTX 6.2 or later");
	read_clauses(c, &loop->annot);
	read_clauses(c, &c->fn->m->markers[c->path->r.marker].annot);
	bool free_of_launch = c->threads || !dynamic;
	if (!ccc_legal(c) || !ccc_ends(c) || !ccc_context(c) || !ccc_layout(c, shared))
		return false;
	if (c->warp_bytes && !free_of_launch)
		return refuse_dynamic(c);
	ccc_hints(c);
	ccc_step(c);
	warn_other_paths(c);
	return true;
}

static bool
no_path(const Ccc *c)
{
	const Marker *k = &c->fn->m->markers[c->site->r.marker];
	c->report->refused = arena_strndup(c->keep, "no path in the loop", 19);
	if (c->site->refused_paths)
		return false;
	diag_cuda(c->diags, D_PATH, k->cuda, fn_stmt(c->fn, k->stmt)->at.pos,
		"loop left as it was: no path in it");
	diag_note(c->diags, DIAG_NOWHERE,
		"put '#pragma ccc if' over the divergent branch; if there is one, the compiler left no branch there");
	return false;
}

/* The site's clauses cannot be read, which region_build reported. */
static bool
refuse_misread(Ccc *c, const char *why)
{
	c->report->refused = arena_strndup(c->keep, why, strlen(why));
	return false;
}

/* The sites of one function, and how far they are. */
typedef struct {
	const Fn *fn;
	const Regions *rs;
	const Locals *locals;
	const Threads *threads;
	const Pass_options *opt;
	Report *report;
	uint32_t report0; /* of the first site */
	Diags *diags;
	Edits *edits;
	uint64_t *shared;     /* bytes of static shared memory by function, buffers added */
	uint32_t free_shared; /* of them, for this one */
	Bits dynamic_named;   /* see ccc_dynamic */
	bool dynamic;	 /* launches of this one may take shared memory, it is not known how much */
	uint32_t number;      /* of the next site that is transformed */
	Ccc *plans;	 /* by site */
	bool *seen, *done;
} Work;

static bool
in_done_site(const Work *w, const Site *s)
{
	for (uint32_t o = s->outer; o; o = w->rs->sites[o - 1].outer)
		if (w->done[o - 1])
			return true;
	return false;
}

static bool
refuse_inner(Ccc *c)
{
	const Marker *k = &c->fn->m->markers[c->site->r.marker];
	c->report->refused = arena_strndup(
		c->keep, "inside an annotated loop that was transformed", 45);
	diag_cuda(c->diags, D_NESTED, k->cuda, fn_stmt(c->fn, k->stmt)->at.pos,
		"loop left as it was: %s", c->report->refused);
	return false;
}

/* Plans site i, the site around it first. */
static void
run_site(Work *w, uint32_t i)
{
	const Site *s = &w->rs->sites[i];
	Ccc *c = &w->plans[i];
	if (w->seen[i])
		return;
	w->seen[i] = true;
	if (s->outer)
		run_site(w, s->outer - 1);
	*c = (Ccc){ .fn = w->fn,
		.site = s,
		.path = s->npaths ? &s->paths[0] : NULL,
		.locals = w->locals,
		.opt = w->opt,
		.arena = w->fn->arena,
		.keep = w->report->arena,
		.diags = w->diags,
		.report = &w->report->sites.at[w->report0 + i] };
	if (c->path)
		c->report->path = w->fn->m->markers[c->path->r.marker].cuda;
	const char *wrong = w->fn->m->markers[s->r.marker].wrong;
	w->done[i] = wrong ? refuse_misread(c, wrong) :
		in_done_site(w, s) ? refuse_inner(c) :
		!c->path ? no_path(c) : plan_site(c, w->free_shared, w->dynamic);
	if (w->done[i])
		c->number = w->number++;
}

/* Puts the sites that are planned into the text, and their common buffer. */
static void
emit_sites(Work *w, const char *buffer)
{
	Ccc_buffer b = { buffer, 0, 0 };
	Buf decl = { 0 };
	for (uint32_t i = 0; i < w->rs->nsites; i++)
		if (w->done[i])
			ccc_share(&w->plans[i], &b);
	uint32_t bytes = ccc_fit(&b, w->free_shared);
	for (uint32_t i = 0; i < w->rs->nsites; i++) {
		if (!w->done[i])
			continue;
		ccc_limit(&w->plans[i], &b);
		fill_report(&w->plans[i], bytes);
		ccc_emit(&w->plans[i], &b, w->edits);
	}
	w->shared[w->fn->func] += bytes;
	if (bytes) {
		buf_printf(&decl, "\n\t.shared .align 16 .b8 %s[%u];", buffer, bytes);
		edit_insert(w->edits, w->fn->f->block.pos + 1, decl.at, decl.n);
	}
	buf_free(&decl);
}

static void
run_function(Work *w)
{
	Buf name = { 0 };
	buf_printf(&name, "ccc%u_tasks", w->number);
	w->rs = region_build(w->fn, w->diags, w->fn->arena);
	w->plans = arena_array(w->fn->arena, w->rs->nsites + 1, sizeof *w->plans);
	w->seen = arena_array(w->fn->arena, w->rs->nsites + 1, sizeof *w->seen);
	w->done = arena_array(w->fn->arena, w->rs->nsites + 1, sizeof *w->done);
	if (w->rs->nsites)
		w->locals = local_build(w->fn->m, w->threads, w->fn->func, w->fn->arena);
	w->free_shared = w->rs->nsites ? ccc_shared_free(w->fn, w->shared) : 0;
	w->dynamic = w->rs->nsites && ccc_dynamic(w->fn, w->dynamic_named);
	if (w->dynamic && w->opt->dynamic_known) {
		uint64_t bytes = ccc_dynamic_bytes(w->fn->m, w->opt->dynamic);
		w->free_shared -= bytes < w->free_shared ? (uint32_t)bytes : w->free_shared;
		w->dynamic = false;
	}
	w->report0 = w->report->sites.n;
	for (uint32_t i = 0; i < w->rs->nsites; i++)
		*vec_push(&w->report->sites) = (Report_site){ .func = w->fn->func,
			.policy = "stack",
			.loop = w->fn->m->markers[w->rs->sites[i].r.marker].cuda };
	for (uint32_t i = 0; i < w->rs->nsites; i++)
		run_site(w, i);
	emit_sites(w, name.at);
	buf_free(&name);
}

/* One more than the largest number in names ccc<number>... that the module holds already. */
static uint32_t
first_number(const Module *m)
{
	uint32_t next = 1;
	for (uint32_t i = 1; i <= intern_count(m->names); i++) {
		size_t len;
		const char *s = intern_text(m->names, i, &len);
		size_t lead = len && (*s == '%' || *s == '$');
		if (len < lead + 4 || memcmp(s + lead, "ccc", 3))
			continue;
		uint32_t n = 0;
		for (size_t k = lead + 3; k < len && s[k] >= '0' && s[k] <= '9' && n < 100000000;
			k++)
			n = 10 * n + (uint32_t)(s[k] - '0');
		next = n >= next ? n + 1 : next;
	}
	return next;
}

/* Is it a constructor or destructor of one of cccnvcc's guards (_ZN8__ccc_g0C1Ev) that nothing calls? nvcc's -keep-device-functions
 * leaves those behind after they were inlined, each with one marker. If it is called, the markers are missing elsewhere. */
static bool
is_left_of_guard(const Module *m, const Effects *effects, uint32_t func)
{
	size_t len, k = 3;
	const char *s = intern_text(m->names, m->syms[m->funcs[func].sym].name, &len);

	if (len < 12 || memcmp(s, "_ZN", 3) != 0)
		return false;
	while (k < len && s[k] >= '0' && s[k] <= '9')
		k++;
	if (len - k < 7 || memcmp(s + k, "__ccc_g", 7) != 0)
		return false;
	for (uint32_t i = 0; i < effects->callee_of[m->nfuncs]; i++)
		if (effects->callees[i] == func)
			return false;
	return true;
}

/* Holds the kernels that can come to run a transformed loop to as many registers as the options say. */
static void
limit_registers(const Work *w, const Module *m, const Effects *effects, Arena *a)
{
	Bits seen = bits_new(a, m->nfuncs);

	for (uint32_t f = 1; f < m->nfuncs; f++) {
		uint32_t most = w->opt->most && w->opt->most[f] ? w->opt->most[f] : w->opt->max_regs;
		bool changed = false;
		if (!m->funcs[f].entry || !m->funcs[f].body || !most)
			continue;
		bits_clear(seen);
		effects_flood_any(m, effects, f, seen);
		for (uint32_t i = 0; i < w->report->sites.n; i++)
			changed |= w->report->sites.at[i].done && bits_has(seen, w->report->sites.at[i].func);
		if (changed)
			maxnreg_put(m, f, most, w->edits);
	}
}

Edits *
passes_run(const Module *m, const Pass_options *opt, Report *rep, Diags *d, Arena *a)
{
	Work w = { .opt = opt, .report = rep, .diags = d, .edits = edit_new(a) };
	Effects *effects = NULL;
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].nmarkers)
			continue;
		if (!effects) {
			effects = effects_build(m, a);
			w.threads = threads_build(m, effects, a);
			w.shared = ccc_shared_declared(m, a);
			w.dynamic_named = ccc_dynamic_named(m, a);
			w.number = first_number(m);
		}
		if (is_left_of_guard(m, effects, i))
			continue;
		Arena *tables = arena_new();
		w.fn = fn_build(m, i, effects, tables);
		run_function(&w);
		arena_free(tables);
	}
	if (effects)
		limit_registers(&w, m, effects, a);
	return w.edits;
}
