/* SPDX-License-Identifier: MIT */
/* Mutation tests: a template line is omitted, and random kernels must notice.
 *
 * The omission must be noticed in each walk that has the line: in the loop's copy for full warps,
 * apart or in lockstep, and in the copy for other warps, which includes text without copies. If no
 * test can notice it, the line is marked "# CANNOT: reason", "# CANNOT in lockstep: reason", "#
 * CANNOT apart: reason" or "# CANNOT for others: reason"; then none may notice.
 *
 * The kernels and policies used are those whose text contains lines of the template. A kernel is
 * tried with all lines of its text at once, so that it is generated and run unchanged only once.
 * The kernels that noticed a line in an earlier run are tried first, for that line only
 * (lines.h: hints, the file mutants.seeds). Lines that these no longer notice, and new lines,
 * are tried with one kernel after another. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/fuzz.h"
#include "tests/gen/lines.h"

/* The number of kernels for a line with a mark. A line without one gets MORE times as many before
 * it counts as not noticed, and RARE times as many before it counts as missing in the walk. */
enum { KERNELS = 80, RARE = 4, MORE = 20 };
/* The limit of a kernel's original launches, in instructions; and how much longer one without a
 * line may be. */
enum { LIMIT = 20000000, LONGER = 4, LEAST = 20000 };
enum { TEMPLATE_LINES = 1000 };

/* A kernel, and its transformation by the unchanged template. */
typedef struct {
	uint64_t seed, k;       /* k: its number among the kernels for this template */
	Buf text, out;
	Machine plain;
	Gen_info info;
	Kept kept;
	/* of each copy; WALKS: loops differ, or there is no such copy */
	uint32_t walk[COPY_PARTIAL + 1];
	uint8_t seen[TEMPLATE_LINES];   /* the template's lines that it has: a bit for each copy */
	bool has;               /* whether anything is transformed */
	bool ran, ok;
	uint64_t entered, limit;
} Kernel;

/* ---- kernels ----------------------------------------------------------------------------- */

/* Whether the kernel suits this template. Sets the policy to use. */
static bool
kernel_suits_template(Run *r, Template_id id, const Kernel *kernel)
{
	static const Annot_policy ccc[] = { POLICY_STACK, POLICY_QUEUE };
	static const Annot_policy bound[] = { POLICY_CONVERGE, POLICY_WAIT, POLICY_MAJORITY };
	static const Annot_policy remap[] = { POLICY_PARTITION, POLICY_DGI, POLICY_HOT };
	const Gen_info *info = &kernel->info;
	bool collected = !info->ordered && !info->flat && !info->exchanges && !info->assigns;
	uint64_t turn = kernel->seed;

	r->policy = POLICY_AUTO;
	if (id == TEMPLATE_COLLECT)
		r->policy = ccc[gen_random(&turn) % 2];
	else if (id == TEMPLATE_REMAP)
		r->policy = remap[gen_random(&turn) % 3];
	else if (id == TEMPLATE_EXPAND || id == TEMPLATE_ROWS)
		r->policy = POLICY_EXPAND;
	else if (id == TEMPLATE_WAIT && collected)
		r->policy = bound[gen_random(&turn) % 3];
	else if (id == TEMPLATE_WAIT && info->looks && gen_random(&turn) % 4 != 0)
		r->policy = POLICY_AHEAD;
	switch (id) {
	case TEMPLATE_GRID: return info->task;
	case TEMPLATE_COLLECT: return collected;
	case TEMPLATE_EXPAND: case TEMPLATE_ROWS:
		return collected && strstr(kernel->text.at, "for-var") != NULL;
	case TEMPLATE_REMAP: return info->exchanges;
	case TEMPLATE_WAIT: return !collected || kernel->seed % 4 == 0;
	default: return true;
	}
}

/* The walk of a copy in all transformed loops; WALKS: they differ. */
static uint32_t
walk_of(const Run *r, uint32_t copy)
{
	uint32_t lockstep = 0, two = 0;

	for (uint32_t i = 0; i < r->loops.n; i++) {
		lockstep += r->loops.at[i].lockstep;
		two += *r->loops.at[i].full.label != 0;
	}
	if (copy != COPY_FULL)
		return OTHERS;
	return two == 0 ? WALKS : lockstep == 0 ? APART : lockstep == r->loops.n ? LOCKSTEP : WALKS;
}

/* Makes the kernel of a seed and transforms it; returns false if it does not suit the template. End
 * it in any case. */
static bool
kernel_start(Kernel *k, Run *r, Template_id id)
{
	bool changed;

	gen_kernel(k->seed, &k->text, &k->info);
	r->info = &k->info;
	r->kept = &k->kept;
	r->why.n = 0;
	r->options.debug.omit = (Tpl_place){ .in = id, .seen = k->seen };
	if (!kernel_suits_template(r, id, k))
		return false;
	if (!machine_init(&k->plain, "plain", &k->text, r->info, &r->why) ||
		!fuzz_transform(r, &k->plain, k->seed, &k->out, &changed))
		return true;
	for (uint32_t copy = 0; copy <= COPY_PARTIAL; copy++)
		k->walk[copy] = walk_of(r, copy);
	k->has = changed;
	return true;
}

static void
kernel_end(Kernel *k)
{
	machine_free(&k->plain);
	for (int i = 0; i < KERNEL_LAUNCHES; i++)
		buf_free(&k->kept.memory[i]);
	buf_free(&k->text);
	buf_free(&k->out);
}

/* Returns the copies of loops that are entered, a bit for each. */
static uint64_t
loops_entered(const Run *r)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < r->loops.n; i++)
		bits = bits << 2 |
			(uint64_t)(r->loops.at[i].full.did << 1 | r->loops.at[i].others.did);
	return bits;
}

/* Runs the kernel with the unchanged template. Returns false if that fails, so that lines cannot be
 * tested. */
static bool
kernel_run(Kernel *k, Run *r)
{
	Buf out = { 0 };
	bool changed;

	if (k->ran)
		return k->ok;
	k->ran = true;
	r->options.debug.omit = (Tpl_place){ 0 };
	r->limit = LIMIT;
	r->longest = 0;
	k->ok = fuzz_transform(r, &k->plain, k->seed, &out, &changed) &&
		fuzz_compare(r, &k->plain, k->seed, &out);
	k->entered = loops_entered(r);
	k->limit = LONGER * r->longest + LEAST;
	if (!k->ok)
		printf("seed %llu: fails as it is: %s\n", (unsigned long long)k->seed, r->why.at);
	buf_free(&out);
	return k->ok;
}

/* Whether the kernel has the line, and fails without it. r->why describes the failure. */
static bool
kernel_notices_line(Run *r, Kernel *k, Walk *w, Tpl_place line)
{
	Buf out = { 0 };
	bool changed;

	if (!kernel_run(k, r))
		return false;
	r->why.n = 0;
	r->options.debug.omit = line;
	r->limit = k->limit;
	bool ok = fuzz_transform(r, &k->plain, k->seed, &out, &changed);
	if (ok && out.n == k->out.n && memcmp(out.at, k->out.at, out.n) == 0) {
		buf_free(&out);
		return false;
	}
	w->had++;
	ok = ok && (!changed || fuzz_compare(r, &k->plain, k->seed, &out));
	buf_free(&out);
	if (ok && loops_entered(r) != k->entered) {
		buf_puts(&r->why, "a loop is never entered");
		ok = false;
	}
	return !ok;
}

/* ---- trying ------------------------------------------------------------------------------ */

/* Whether the template emits copies of loops. If not, all its text counts as other text. */
static bool
has_copies(Template_id id)
{
	return id == TEMPLATE_COLLECT;
}

/* The copy that contains a walk's lines; 0 if the text does not tell. */
static uint32_t
copy_of(Template_id id, uint32_t walk)
{
	if (id == TEMPLATE_GRID || id == TEMPLATE_DISTRIBUTE)
		return 0;
	return walk == OTHERS ? COPY_PARTIAL : COPY_FULL;
}

/* Whether a line has been tested in a walk with enough of the k kernels so far. */
static bool
enough(const Run *r, const Mutant *t, uint32_t walk, uint64_t k)
{
	const Walk *w = &t->walk[walk];
	bool elsewhere = false;

	for (uint32_t i = 0; i < WALKS; i++)
		elsewhere |= t->walk[i].had > 0;
	if (w->by || (r->known && !w->marked) || (walk != OTHERS && !has_copies(t->line.in)))
		return true;
	return k >= r->n * (w->marked && elsewhere ? 1 : w->had || !elsewhere ? MORE : RARE);
}

static bool
all_known(const Run *r, const Mutant *t, uint64_t k)
{
	for (uint32_t w = 0; w < WALKS; w++)
		if (!enough(r, t, w, k))
			return false;
	return true;
}

/* Tries a kernel without the line in one walk. */
static void
try_walk(Run *r, Kernel *k, Mutant *t, uint32_t walk)
{
	Walk *w = &t->walk[walk];

	t->line.copy = copy_of(t->line.in, walk);
	if (!k->has || k->walk[t->line.copy] != walk ||
		!(k->seen[t->line.line - 1] & 1u << t->line.copy) || enough(r, t, walk, k->k) ||
		!kernel_notices_line(r, k, w, t->line))
		return;
	w->by = k->seed;
	hint_print(t, walk);
	printf("%s %s: seed %llu: %.*s\n", t->where, walk_names[walk], (unsigned long long)k->seed,
		(int)strcspn(r->why.at, "\n"), r->why.at);
}

/* Whether the hints of a line still hold, so that it need not be tested further. */
static bool
is_known(const Mutant *t)
{
	bool any = false;

	for (uint32_t w = 0; w < WALKS; w++) {
		const Walk *k = &t->walk[w];
		if (k->hint && !k->by)
			return false;
		any |= k->by || k->marked;
	}
	return any;
}

static void
skip_unknown(Mutants *all, Template_id id)
{
	for (uint32_t i = 0; i < all->n; i++) {
		Mutant *t = &all->at[i];
		if (t->line.in != id || is_known(t))
			continue;
		printf("skip %s: no kernel is known that notices it\n", t->where);
		t->told = true;
	}
}

/* Prints the results of a line; sets ok if they are as required. */
static void
report_line(Mutant *t)
{
	bool ok = t->ok, any = false;

	for (uint32_t w = 0; w < WALKS; w++) {
		const Walk *k = &t->walk[w];
		any |= k->had > 0;
		if (k->had == 0 || k->marked == !k->by)
			continue;
		ok = false;
		if (k->by)
			printf("%s %s: marked, but noticed\n", t->where, walk_names[w]);
		else
			printf("%s %s: not noticed by %llu kernels that have it\n", t->where,
				walk_names[w], (unsigned long long)k->had);
	}
	ok &= any;
	const char *text = mutant_text(t);
	printf("%s %s: %.*s\n", ok ? "pass" : any ? "FAIL" : "FAIL (no kernel has it)", t->where,
		(int)strcspn(text, "\n"), text);
	t->ok = ok;
	t->told = true;
}

/* Tests a kernel with each line that is not decided. Returns whether there are any. */
static bool
try_kernel(Run *r, Kernel *k, Mutants *all, Template_id id)
{
	bool more = false;

	for (uint32_t i = 0; i < all->n; i++) {
		Mutant *t = &all->at[i];
		if (t->line.in != id || t->told)
			continue;
		for (uint32_t w = 0; w < WALKS; w++)
			try_walk(r, k, t, w);
		if (all_known(r, t, k->k + 1))
			report_line(t);
		more |= !t->told;
	}
	return more;
}

/* Tests one kernel after another until all lines of a template are decided. */
static void
try_template(Run *r, Mutants *all, Template_id id)
{
	uint64_t k = 0;
	bool more = false;

	for (uint32_t i = 0; i < all->n; i++)
		more |= all->at[i].line.in == id && !all->at[i].told;
	for (uint64_t seed = r->first; more; seed++) {
		Kernel kernel = { .seed = seed, .k = k };
		if (kernel_start(&kernel, r, id)) {
			more = try_kernel(r, &kernel, all, id);
			k++;
		}
		kernel_end(&kernel);
	}
}

/* ---- hints ------------------------------------------------------------------------------- */

/* Returns the lowest hint above `above` of a line of the template; 0: none. */
static uint64_t
next_hint(const Mutants *all, Template_id id, uint64_t above)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t w = 0; w < WALKS && all->at[i].line.in == id; w++) {
			uint64_t hint = all->at[i].walk[w].hint;
			if (hint > above && (!least || hint < least))
				least = hint;
		}
	return least;
}

static void
try_hints(Run *r, Mutants *all, Template_id id)
{
	for (uint64_t seed = 0; (seed = next_hint(all, id, seed)) != 0;) {
		Kernel kernel = { .seed = seed };
		bool suited = kernel_start(&kernel, r, id);
		for (uint32_t i = 0; suited && i < all->n; i++)
			for (uint32_t w = 0; w < WALKS && all->at[i].line.in == id; w++)
				if (all->at[i].walk[w].hint == seed)
					try_walk(r, &kernel, &all->at[i], w);
		kernel_end(&kernel);
	}
}

int
mutants_try(Run *r, char **places)
{
	Mutants all = { 0 };
	bool ok = true;

	r->n = r->n ? r->n : KERNELS;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; *places; places++)
		if (!mutant_init(vec_push(&all), *places))
			return 2;
	if (r->hints && !hints_read(r->hints, &all))
		return 2;
	for (uint32_t id = 0; id < TEMPLATE_COUNT; id++) {
		bool known = r->known;
		r->known = false;
		try_hints(r, &all, (Template_id)id);
		r->known = known;
		if (known)
			skip_unknown(&all, (Template_id)id);
		try_template(r, &all, (Template_id)id);
	}
	for (uint32_t i = 0; i < all.n; i++)
		ok &= all.at[i].ok;
	vec_free(&all);
	return !ok;
}
