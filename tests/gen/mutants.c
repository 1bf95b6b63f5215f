/* SPDX-License-Identifier: MIT */
/* Mutants: a line of a template is left out, and random kernels must notice.
 *
 * A line is to be noticed in each walk that has it: in the copy of the loop for full warps, apart or in lockstep, and in the one
 * for others, which what is no copy is taken for. Where no test can notice it, marks say so: "# CANNOT: reason", "# CANNOT in
 * lockstep: reason", "# CANNOT apart: reason", "# CANNOT for others: reason"; then none may.
 *
 * Kernels and policies are those that write the template, and a kernel is tried with all lines at once, as far as its text has
 * them, so that it is made, and run as it is, only once.
 */
#include <stdio.h>
#include <string.h>
#include "tests/gen/fuzz.h"
#include "transform/tpl.h"

static const Tpl_place NO_LINE;
enum { APART, LOCKSTEP, OTHERS, WALKS };
/* Of kernels for a line with a mark. A line without one gets MORE times as many before it passes for not noticed, and RARE times
 * as many before it passes for one that the walk does not have. */
enum { KERNELS = 80, RARE = 4, MORE = 20 };
enum { LIMIT = 2000000 };
static const char *const walks[WALKS] = { "apart", "in lockstep", "for others" };
typedef struct {
	bool marked;
	uint64_t had;           /* kernels that have the line */
	uint64_t by;            /* the first one that notices; 0: none */
} Walk;
typedef struct {
	const char *where;
	Tpl_place line;         /* that is left out */
	bool ok, told;          /* its marks have reasons; what is known of it is printed */
	Walk walk[WALKS];
} Mutant;
typedef VEC(Mutant) Mutants;

/* A kernel, and what becomes of it with the template as it is. */
typedef struct {
	uint64_t seed, k;       /* k: its number among the kernels for this template */
	Buf text, out;
	Machine plain;
	uint32_t walk[COPY_OTHERS + 1]; /* of each copy; WALKS: loops differ, or there is no such copy */
	bool ran, ok;
	uint64_t entered;
} Kernel;

/* ---- lines ------------------------------------------------------------------------------- */

static bool
can_be_left_out(const Tpl_row *r)
{
	return r->kind == TPL_TEXT || r->kind == TPL_PIECE || r->kind == TPL_DECLARE || r->kind == TPL_DECLARED;
}

int
mutants_print(void)
{
	for (uint32_t k = 0; k < TEMPLATE_COUNT; k++)
		for (uint32_t i = 0; i < templates[k].n; i++)
			if (can_be_left_out(&templates[k].rows[i]))
				printf("%s:%u\n", templates[k].name, i + 1);
	return 0;
}

static const Tpl_row *
row_of(const Mutant *t)
{
	return &templates[t->line.in].rows[t->line.line - 1];
}

/* The marks of a line; false: one of them has no reason. */
static bool
read_marks(const char *text, Walk walk[WALKS])
{
	static const char mark[] = "# CANNOT";
	bool right = true;

	for (const char *at = text; (at = strstr(at, mark)) != NULL;) {
		const char *colon = strchr(at += sizeof mark - 1, ':');
		bool any = false;
		for (uint32_t w = 0; w < WALKS; w++) {
			bool named = *at == ':' || (*at == ' ' && strncmp(at + 1, walks[w], strlen(walks[w])) == 0);
			walk[w].marked |= named;
			any |= named;
		}
		right &= any && colon && colon[1] == ' ' && colon[2];
	}
	return right;
}

/* ---- kernels ----------------------------------------------------------------------------- */

/* Is it a kernel for this template? The policy that goes with it is taken. */
static bool
suits(Run *r, Template_id id, const Kernel *kernel)
{
	static const Annot_policy ccc[] = { POLICY_STACK, POLICY_QUEUE };
	static const Annot_policy bound[] = { POLICY_CONVERGE, POLICY_WAIT, POLICY_MAJORITY };
	const Gen_info *info = r->info;
	bool collected = !info->ordered && !info->flat;

	r->policy = POLICY_AUTO;
	if (id == TEMPLATE_CCC)
		r->policy = ccc[kernel->k % 2];
	else if (id == TEMPLATE_EXPAND)
		r->policy = POLICY_EXPAND;
	else if (id == TEMPLATE_BOUND && collected)
		r->policy = bound[kernel->k % 3];
	switch (id) {
	case TEMPLATE_GRID: return info->task;
	case TEMPLATE_CCC: return collected;
	case TEMPLATE_EXPAND: return collected && strstr(kernel->text.at, "for-var") != NULL;
	case TEMPLATE_BOUND: return !collected || kernel->seed % 4 == 0;
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
		two += r->loops.at[i].two_copies;
	}
	if (copy != COPY_FULL)
		return OTHERS;
	return two == 0 ? WALKS : lockstep == 0 ? APART : lockstep == r->loops.n ? LOCKSTEP : WALKS;
}

/* Makes the kernel and transforms it; false: nothing is transformed. */
static bool
kernel_start(Kernel *k, Run *r)
{
	bool changed;

	r->why.n = 0;
	r->options.omit = NO_LINE;
	if (!machine_init(&k->plain, "plain", &k->text, r->info, &r->why) ||
		!fuzz_transform(r, &k->plain, k->seed, &k->out, &changed))
		return false;
	for (uint32_t copy = 0; copy <= COPY_OTHERS; copy++)
		k->walk[copy] = walk_of(r, copy);
	return changed;
}

static void
kernel_end(Kernel *k)
{
	machine_release(&k->plain);
	buf_free(&k->text);
	buf_free(&k->out);
}

/* Which copies of loops are entered, a bit for each. */
static uint64_t
loops_entered(const Run *r)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < r->loops.n; i++)
		bits = bits << 2 | (uint64_t)(r->loops.at[i].full.did << 1 | r->loops.at[i].others.did);
	return bits;
}

/* Does the text have the line? */
static bool
has_line(Run *r, Kernel *k, Tpl_place line)
{
	Buf out = { 0 };
	bool changed;

	r->options.omit = line;
	bool same = fuzz_transform(r, &k->plain, k->seed, &out, &changed) && out.n == k->out.n &&
		memcmp(out.at, k->out.at, out.n) == 0;
	buf_free(&out);
	return !same;
}

/* Does the kernel show that the line is missing? r->why says how. */
static bool
notices(Run *r, Kernel *k, Tpl_place line)
{
	r->options.omit = line;
	if (!fuzz_one(r, k->seed, &k->text))
		return true;
	uint64_t entered = loops_entered(r);
	if (!k->ran) {
		r->options.omit = NO_LINE;
		k->ran = true;
		k->ok = fuzz_one(r, k->seed, &k->text);
		k->entered = loops_entered(r);
	}
	if (!k->ok || entered == k->entered)
		return false;
	buf_puts(&r->why, "a loop is never entered");
	return true;
}

/* ---- trying ------------------------------------------------------------------------------ */

/* Are a template's texts copies of loops? Else all that is put goes for others. */
static bool
has_copies(Template_id id)
{
	return id == TEMPLATE_CCC;
}

/* Has a line been tried in a walk with enough kernels, of which k were looked at? */
static bool
enough(const Run *r, const Mutant *t, uint32_t walk, uint64_t k)
{
	const Walk *w = &t->walk[walk];
	bool elsewhere = false;

	for (uint32_t i = 0; i < WALKS; i++)
		elsewhere |= t->walk[i].had > 0;
	if (w->by || (walk != OTHERS && !has_copies(t->line.in)))
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

/* Tries a kernel without the line in one copy of its loops. */
static void
try_copy(Run *r, Kernel *k, Mutant *t, uint32_t copy)
{
	t->line.copy = copy;
	r->why.n = 0;
	if (k->walk[copy] == WALKS || enough(r, t, k->walk[copy], k->k) || !has_line(r, k, t->line))
		return;
	Walk *w = &t->walk[k->walk[copy]];
	w->had++;
	if (!notices(r, k, t->line))
		return;
	w->by = k->seed;
	printf("%s %s: seed %llu: %.*s\n", t->where, walks[w - t->walk], (unsigned long long)k->seed,
		(int)strcspn(r->why.at, "\n"), r->why.at);
}

/* Prints what is known of a line; it is ok if that is right. */
static void
report(Mutant *t)
{
	bool ok = t->ok, any = false;

	for (uint32_t w = 0; w < WALKS; w++) {
		const Walk *k = &t->walk[w];
		any |= k->had > 0;
		if (k->had == 0 || k->marked == !k->by)
			continue;
		ok = false;
		if (k->by)
			printf("%s %s: marked, but noticed\n", t->where, walks[w]);
		else
			printf("%s %s: not noticed by %llu kernels that have it\n", t->where, walks[w],
				(unsigned long long)k->had);
	}
	ok &= any;
	const char *text = row_of(t)->text;
	printf("%s %s: %.*s\n", ok ? "pass" : any ? "FAIL" : "FAIL (no kernel has it)", t->where,
		(int)strcspn(text, "\n"), text);
	t->ok = ok;
	t->told = true;
}

/* Tries a kernel with each line that more must be known of; are there any? */
static bool
try_kernel(Run *r, Kernel *k, Mutants *all, Template_id id)
{
	bool more = false, has = kernel_start(k, r);
	bool copies = id != TEMPLATE_GRID && id != TEMPLATE_DISTRIBUTE; /* does its text know which it is? */

	for (uint32_t i = 0; i < all->n; i++) {
		Mutant *t = &all->at[i];
		if (t->line.in != id || t->told)
			continue;
		for (uint32_t copy = copies ? COPY_FULL : 0; has && copy <= (copies ? COPY_OTHERS : 0); copy++)
			try_copy(r, k, t, copy);
		if (all_known(r, t, k->k + 1))
			report(t);
		more |= !t->told;
	}
	kernel_end(k);
	return more;
}

/* Tries kernel after kernel until enough is known of each line of a template. */
static void
try_template(Run *r, Mutants *all, Template_id id)
{
	uint64_t k = 0;
	bool more = false;

	for (uint32_t i = 0; i < all->n; i++)
		more |= all->at[i].line.in == id;
	for (uint64_t seed = r->first; more; seed++) {
		Kernel kernel = { .seed = seed, .k = k };
		Gen_info info;
		gen_kernel(seed, &kernel.text, &info);
		r->info = &info;
		if (!suits(r, id, &kernel)) {
			buf_free(&kernel.text);
			continue;
		}
		more = try_kernel(r, &kernel, all, id);
		k++;
	}
}

int
mutants_try(Run *r, char **places)
{
	Mutants all = { 0 };
	bool ok = true;

	r->n = r->n ? r->n : KERNELS;
	r->limit = LIMIT;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; *places; places++) {
		Mutant t = { .where = *places };
		if (!tpl_place(*places, &t.line) || !can_be_left_out(row_of(&t)))
			return 2;
		t.ok = !row_of(&t)->marks || read_marks(row_of(&t)->marks, t.walk);
		*vec_push(&all) = t;
	}
	for (uint32_t id = 0; id < TEMPLATE_COUNT; id++)
		try_template(r, &all, (Template_id)id);
	for (uint32_t i = 0; i < all.n; i++)
		ok &= all.at[i].ok;
	vec_free(&all);
	return !ok;
}
