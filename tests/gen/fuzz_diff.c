/* SPDX-License-Identifier: MIT */
/* Random kernels, as they are and transformed, must leave the same memory (docs/design.md 8).
 *
 *	fuzz_diff [-n N] [-s SEED] [-o DIR] [-v]      N kernels from SEED on; the first that fails goes to DIR, exit status 1
 *	fuzz_diff -p SEED                             print a kernel
 *	fuzz_diff -l                                  print the places of the templates' lines that put text
 *	fuzz_diff -t FILE:LINE [-n N]                 does a kernel notice that this line is left out?
 *
 * generate -> parse -> transform -> parse -> run both under ipdom, the transformed one also under random schedules, in
 * blocks of several shapes. All in one process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/gen/entered.h"
#include "tests/gen/machine.h"
#include "transform/output.h"
#include "transform/plan.h"

enum { LIMIT = 20000000 };

/* Those from TASK_SHAPES on are for kernels with one task a thread. */
static const struct { uint32_t grid[3], block[3]; } shapes[] = {
	{ { 2, 1, 1 }, { 32, 1, 1 } }, { { 2, 1, 1 }, { 33, 1, 1 } }, { { 1, 1, 1 }, { 31, 1, 1 } },
	{ { 2, 1, 1 }, { 64, 1, 1 } }, { { 3, 1, 1 }, { 40, 1, 1 } }, { { 2, 1, 1 }, { 100, 1, 1 } },
	{ { 1, 1, 1 }, { 10, 7, 1 } }, { { 2, 1, 1 }, { 4, 5, 3 } }, { { 5, 1, 1 }, { 7, 1, 1 } },
	{ { 1, 1, 1 }, { 1, 1, 1 } }, { { 2, 1, 1 }, { 8, 16, 1 } }, { { 4, 1, 1 }, { 16, 2, 2 } },
	{ { 2, 1, 1 }, { 4, 4, 8 } },
	{ { 8, 1, 1 }, { 32, 1, 1 } }, { { 7, 1, 1 }, { 33, 1, 1 } }, { { 64, 1, 1 }, { 4, 1, 1 } },
	{ { 3, 2, 5 }, { 8, 1, 1 } }, { { 1, 7, 9 }, { 4, 1, 1 } }, { { 4, 4, 4 }, { 2, 2, 1 } },
	{ { 2, 3, 1 }, { 10, 2, 2 } }, { { 1, 1, 40 }, { 6, 1, 1 } }, { { 200, 1, 1 }, { 1, 1, 1 } },
	{ { 1, 2, 1 }, { 100, 1, 1 } }, { { 6, 3, 2 }, { 7, 1, 1 } }, { { 5, 50, 1 }, { 1, 1, 1 } },
};
enum {
	SHAPES = sizeof shapes / sizeof *shapes,
	TASK_SHAPES = 13,
	SHAPE_FIXED = SHAPES,   /* that of a kernel with .reqntid */
	SHAPE_COUNTED,          /* of several dimensions, and each loop has threads(N) */
	ALL_SHAPES
};

typedef struct {
	uint64_t n, first;
	const char *dir;
	bool verbose;
	Pass_options options;
	uint64_t limit;         /* of a launch, in instructions */
	uint64_t sites, done, nothing;
	const Gen_info *info;   /* of the kernel */
	Entered_loops loops;    /* of the kernel */
	Entered_shares entered; /* of copies of loops */
	Entered_share launches[ALL_SHAPES];     /* by shape */
	bool fault;             /* the text was dropped */
	Buf why;                /* of the failure */
} Run;

/* ---- one kernel -------------------------------------------------------------------------- */

static void
count_sites(Run *r, const Report *report)
{
	r->nothing += report->sites.n == 0;
	for (uint32_t i = 0; i < report->sites.n; i++) {
		r->sites++;
		r->done += report->sites.at[i].done;
		if (!report->sites.at[i].done && r->verbose)
			printf("refused: %s\n", report->sites.at[i].why.text);
	}
	entered_start(&r->loops, report);
}

/* By turns, the ones that this version has; and those that keep each lane's order. */
static const Annot_policy policies[] = { POLICY_STACK, POLICY_QUEUE, POLICY_CONVERGE, POLICY_EXPAND, POLICY_STACK, POLICY_QUEUE,
	POLICY_WAIT, POLICY_EXPAND, POLICY_MAJORITY };
static const Annot_policy in_order[] = { POLICY_AHEAD, POLICY_WAIT, POLICY_AHEAD, POLICY_AUTO, POLICY_MAJORITY, POLICY_CONVERGE };
enum { POLICIES = sizeof policies / sizeof *policies, IN_ORDER = sizeof in_order / sizeof *in_order };
enum { ONE_COPY = 5 };          /* one kernel in so many has one copy of each loop */

static Annot_policy
policy_of(const Run *r, uint64_t seed)
{
	if (r->info->flat)
		return POLICY_FLATTEN;
	return r->info->ordered ? in_order[seed % IN_ORDER] : policies[seed % POLICIES];
}

/* The options that go with a kernel. Few blocks take part in a task loop, so that they take several each. */
static Pass_options
options_of(const Run *r, uint64_t seed)
{
	Pass_options o = r->options;

	o.policy = policy_of(r, seed);
	o.one_copy = seed / POLICIES % ONE_COPY == 0;
	o.verify = true; /* lanes that leave before a vote of all may still end rightly */
	o.grid = r->info->task && !r->info->asks;
	o.sms = (uint32_t)(1 + seed / 2 % 3);
	o.grid_blocks = (uint32_t)(seed / 6 % 3);
	return o;
}

/* Did the net find a fault in the text? */
static bool
has_fault(const Report *report)
{
	for (uint32_t i = 0; i < report->sites.n; i++)
		if (report->sites.at[i].why.text && report->sites.at[i].why.kind == D_BUG)
			return true;
	return false;
}

static bool
transform(Run *r, Machine *k, uint64_t seed, Buf *out, bool *changed)
{
	Pass_options options = options_of(r, seed);
	Output o;

	output_make(k->m, &options, NULL, NULL, k->diags, &o);
	bool ok = !diags_errors(k->diags);
	r->fault = has_fault(&o.report);
	*changed = r->fault || o.text.n != k->src.len || memcmp(o.text.at, k->src.text, o.text.n) != 0;
	buf_add(out, o.text.at, o.text.n);
	count_sites(r, &o.report);
	if (!ok)
		buf_puts(&r->why, "errors from the transformation");
	output_release(&o);
	return ok;
}

static Sim_launch
launch(const Run *r, uint32_t shape)
{
	Sim_launch l = { .grid = { 2, 1, 1 }, .races = true, .limit = r->limit };

	memcpy(l.block, shape < SHAPES ? shapes[shape].block : r->info->block, sizeof l.block);
	if (shape < SHAPES)
		memcpy(l.grid, shapes[shape].grid, sizeof l.grid);
	else if (r->info->task)
		l.grid[1] = GEN_THREADS / 2 / (l.block[0] * l.block[1] * l.block[2]);
	return l;
}

/* One launch of the transformed kernel: does it leave the same memory? Under SCHED_IPDOM it is
 * noted which loops it enters. */
static bool
try(Run *r, Machine *plain, Machine *ccc, Sim_launch l, uint32_t row)
{
	const uint32_t *b = l.block;
	uint32_t threads = b[0] * b[1] * b[2];

	l.lines = l.sched == SCHED_IPDOM;
	if (!machine_run(ccc, l, r->info->in_seed, &r->why))
		return false;
	if (l.lines && !entered_launch(&r->loops, ccc->sim, threads, &r->launches[row]))
		buf_puts(&r->why, "a loop for smaller blocks was entered");
	else if (machines_agree(plain, ccc, &r->why))
		return true;
	buf_printf(&r->why, ": --grid %u,%u,%u --block %u,%u,%u --seed=%llu", l.grid[0], l.grid[1], l.grid[2], b[0],
		b[1], b[2], (unsigned long long)l.seed);
	return false;
}

/* Where launches of a shape are counted. */
static uint32_t
row_of(const Run *r, uint32_t shape)
{
	if (shape == SHAPE_FIXED || shapes[shape].block[1] == 1)
		return shape;
	for (uint32_t i = 0; i < r->loops.n; i++)
		if (r->loops.at[i].threads > GEN_MOST_COUNTED)
			return shape;
	return SHAPE_COUNTED;
}

static bool
compare(Run *r, Machine *plain, Machine *ccc, uint64_t seed)
{
	const Gen_info *info = r->info;
	uint64_t state = seed ^ 0x5eed;

	for (int s = 0; s < 2; s++) {
		uint32_t any = (uint32_t)gen_random(&state);
		any = info->task ? TASK_SHAPES + any % (SHAPES - TASK_SHAPES) : any % TASK_SHAPES;
		uint32_t shape = info->block[0] ? SHAPE_FIXED : any;
		Sim_launch l = launch(r, shape);
		if (!machine_run(plain, l, info->in_seed, &r->why))
			return false;
		for (int k = 0; k < 3; k++) {
			l.seed = k ? gen_random(&state) % 1000 + 1 : 0;
			l.sched = k ? SCHED_RANDOM : SCHED_IPDOM;
			if (!try(r, plain, ccc, l, row_of(r, shape)))
				return false;
		}
	}
	entered_count(&r->loops, &r->entered);
	return true;
}

static bool
one(Run *r, uint64_t seed, const Buf *text)
{
	Machine plain, ccc = { 0 };
	const Gen_info *info = r->info;
	Buf out = {0};
	bool changed = false;
	bool ok = machine_init(&plain, "plain", text, info, &r->why) && transform(r, &plain, seed, &out, &changed);
	if (ok && changed) {
		if (r->fault)
			buf_puts(&r->why, "a fault in the text");
		ok = !r->fault && machine_init(&ccc, "transformed", &out, info, &r->why);
		if (ok && !entered_find(&r->loops, ccc.m)) {
			buf_puts(&r->why, "a transformed loop without a vote");
			ok = false;
		}
		ok = ok && compare(r, &plain, &ccc, seed);
		machine_release(&ccc);
	}
	machine_release(&plain);
	buf_free(&out);
	return ok;
}

static void
report_failure(const Run *r, uint64_t seed, const Buf *text)
{
	Buf name = {0};
	const char *error;
	printf("seed %llu: %s\n", (unsigned long long)seed, r->why.at);
	if (r->dir) {
		buf_printf(&name, "%s/%llu.ptx", r->dir, (unsigned long long)seed);
		if (!source_write(name.at, text->at, text->n, &error))
			fprintf(stderr, "fuzz_diff: cannot write '%s': %s\n", name.at, error);
		else
			printf("kernel in %s\n", name.at);
	}
	buf_free(&name);
}

static int
print_kernel(uint64_t seed)
{
	Buf text = {0};
	Gen_info info;
	gen_kernel(seed, &text, &info);
	fputs(text.at, stdout);
	buf_free(&text);
	return 0;
}

/* All kernels; how many failed. */
static uint64_t
run_all(Run *r)
{
	uint64_t failed = 0;
	for (uint64_t k = 0; k < r->n; k++) {
		Buf text = {0};
		Gen_info info;
		uint64_t seed = r->first + k;
		gen_kernel(seed, &text, &info);
		r->why.n = 0;
		r->info = &info;
		if (!one(r, seed, &text)) {
			failed++;
			report_failure(r, seed, &text);
		}
		buf_free(&text);
	}
	return failed;
}

/* ---- the transformed loops ---------------------------------------------------------------- */

/* At least so many percent must be entered: of loops, by some launch; of launches of a shape, some
 * loop. The others stand behind a branch, lanes ended before, or there is no item for them. */
enum { LOOPS_ENTERED = 50, LAUNCHES_ENTERED = 40 };

static bool
report_share(const Entered_share *s, uint32_t percent, const char *what)
{
	if (s->may)
		printf("%s%.1f %%", what, entered_percent(s));
	if (entered_enough(s, percent))
		return true;
	printf("\nFAIL gen: that is less than %u %%\n", percent);
	return false;
}

static bool
report_entered(const Run *r)
{
	bool ok = report_share(&r->entered.lockstep, LOOPS_ENTERED, "entered: in step ");

	ok &= report_share(&r->entered.apart, LOOPS_ENTERED, "; apart ");
	ok &= report_share(&r->entered.others, LOOPS_ENTERED, "; by parts of warps ");
	ok &= report_share(
		&r->launches[SHAPE_FIXED], LAUNCHES_ENTERED, "; launches with .reqntid ");
	ok &= report_share(&r->launches[SHAPE_COUNTED], LAUNCHES_ENTERED,
		", with threads(N) in several dimensions ");
	for (uint32_t i = 0; i < SHAPES; i++) {
		Buf what = {0};
		const uint32_t *b = shapes[i].block;
		const uint32_t *n = shapes[i].grid;
		buf_printf(&what, ", %u,%u,%u x %u,%u,%u ", n[0], n[1], n[2], b[0], b[1], b[2]);
		ok &= report_share(&r->launches[i], LAUNCHES_ENTERED, what.at);
		buf_free(&what);
	}
	printf("\n");
	return ok;
}

/* ---- mutants: a line of the template is left out ------------------------------------------ */

/* A line is to be noticed in each walk that has it: in the copy of the loop for full warps, apart or in lockstep, and in the one for
 * others, which what is no copy is taken for. Where no test can notice it, marks say so: "# CANNOT: reason", "# CANNOT in
 * lockstep: reason", "# CANNOT apart: reason", "# CANNOT for others: reason"; then none may. A line without a mark gets MORE times as many kernels as one
 * with a mark before it passes for not noticed, and RARE times as many before it passes for one that the walk does not have. */
static const Tpl_place NO_LINE;
enum { APART, LOCKSTEP, OTHERS, WALKS };
enum { KERNELS = 80, RARE = 2, MORE = 40 };
static const char *const walks[WALKS] = { "apart", "in lockstep", "for others" };
typedef struct {
	bool marked;
	uint64_t had;           /* kernels that have the line */
	uint64_t by;            /* the first one that notices; 0: none */
} Walk;
typedef struct {
	Tpl_place line;         /* that is left out */
	uint64_t n;             /* kernels for a line with a mark */
	Walk walk[WALKS];
} Mutant;

static bool
puts_text(const char *line)
{
	static const char *const others[] = { "# ", "=== ", "#if ", "#each ", "#else", "#end" };

	line += strspn(line, " \t");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(line, others[i], strlen(others[i])) == 0)
			return false;
	return *line != '\0' && strcmp(line, "#") != 0;
}

static int
print_lines(void)
{
	for (uint32_t k = 0; k < TEMPLATE_COUNT; k++)
		for (uint32_t i = 0; templates[k].lines[i]; i++)
			if (puts_text(templates[k].lines[i]))
				printf("%s:%u\n", templates[k].name, i + 1);
	return 0;
}

/* The walk of a copy in all transformed loops of a kernel; WALKS: they differ. */
static uint32_t
walk_of(const Run *r, uint32_t copy)
{
	uint32_t lockstep = 0;

	for (uint32_t i = 0; i < r->loops.n; i++)
		lockstep += r->loops.at[i].lockstep;
	if (copy == COPY_OTHERS)
		return OTHERS;
	return lockstep == 0 ? APART : lockstep == r->loops.n ? LOCKSTEP : WALKS;
}

/* Into which walk of this kernel does the line put anything, in one copy of its loops? WALKS: into none, or they differ. */
static uint32_t
has_line(Run *r, uint64_t seed, const Buf *text, Tpl_place line)
{
	Machine k;
	Buf out[2] = { { 0 }, { 0 } };
	bool changed, ok = machine_init(&k, "plain", text, r->info, &r->why);

	for (uint32_t i = 0; ok && i < 2; i++) {
		r->options.omit = i ? NO_LINE : line; /* the walk is that of the whole text */
		ok = transform(r, &k, seed, &out[i], &changed);
	}
	bool same = !ok || (out[0].n == out[1].n && memcmp(out[0].at, out[1].at, out[0].n) == 0);
	machine_release(&k);
	buf_free(&out[0]);
	buf_free(&out[1]);
	return same ? (uint32_t)WALKS : walk_of(r, line.copy);
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

/* Does the kernel show that the line is missing? r->why says how. */
static bool
kernel_notices(Run *r, uint64_t seed, const Buf *text, Tpl_place line)
{
	r->options.omit = line;
	if (!one(r, seed, text))
		return true;
	uint64_t entered = loops_entered(r);
	r->options.omit = NO_LINE;
	if (!one(r, seed, text))
		return false;
	if (entered != loops_entered(r))
		buf_puts(&r->why, "a loop is never entered");
	return entered != loops_entered(r);
}

/* Has this been tried with enough kernels, of which k were looked at? */
static bool
enough(const Mutant *t, uint32_t walk, uint64_t k)
{
	const Walk *w = &t->walk[walk];

	return w->by || k >= (w->marked ? t->n : w->had ? MORE * t->n : RARE * t->n);
}

/* Tries a kernel without the line in one copy of its loops. */
static void
try_kernel(Run *r, uint64_t seed, const Buf *text, Mutant *t)
{
	r->why.n = 0;
	uint32_t w = has_line(r, seed, text, t->line);
	if (w == WALKS || enough(t, w, seed - r->first))
		return;
	t->walk[w].had++;
	if (!kernel_notices(r, seed, text, t->line))
		return;
	t->walk[w].by = seed;
	printf("%s: seed %llu: %.*s\n", walks[w], (unsigned long long)seed,
		(int)strcspn(r->why.at, "\n"), r->why.at);
}

static bool
all_known(const Mutant *t, uint64_t k)
{
	for (uint32_t w = 0; w < WALKS; w++)
		if (!enough(t, w, k))
			return false;
	return true;
}

/* Tries kernel after kernel until enough is known of each walk. */
static void
try_kernels(Run *r, Mutant *t)
{
	for (uint64_t k = 0; !all_known(t, k); k++) {
		Buf text = { 0 };
		Gen_info info;
		uint64_t seed = r->first + k;
		gen_kernel(seed, &text, &info);
		r->info = &info;
		for (t->line.copy = COPY_FULL; t->line.copy <= COPY_OTHERS; t->line.copy++)
			try_kernel(r, seed, &text, t);
		buf_free(&text);
	}
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

static int
try_mutant(Run *r, const char *where, uint64_t n)
{
	Mutant t = { .n = n };

	if (!tpl_place(where, &t.line))
		return 2;
	const char *text = templates[t.line.in].lines[t.line.line - 1];
	if (!puts_text(text))
		return 2;
	bool ok = read_marks(text, t.walk), any = false;
	r->limit = LIMIT / 10;
	try_kernels(r, &t);
	for (uint32_t w = 0; w < WALKS; w++) {
		const Walk *k = &t.walk[w];
		any |= k->had > 0;
		if (k->had == 0 || k->marked == !k->by)
			continue;
		ok = false;
		printf(k->by ? "%s: marked, but noticed\n" : "%s: not noticed by %llu kernels that have it\n",
			walks[w], (unsigned long long)k->had);
	}
	ok &= any;
	printf("%s %s:%s\n", ok ? "pass" : "FAIL", where, text);
	return !ok;
}

int
main(int argc, char **argv)
{
	Run r = { .first = 1, .limit = LIMIT };
	const char *line = NULL;

	for (int c; (c = getopt(argc, argv, "n:s:o:p:t:lv")) != -1;)
		switch (c) {
		case 'n': r.n = strtoull(optarg, NULL, 0); break;
		case 's': r.first = strtoull(optarg, NULL, 0); break;
		case 'o': r.dir = optarg; break;
		case 'v': r.verbose = true; break;
		case 'p': return print_kernel(strtoull(optarg, NULL, 0));
		case 'l': return print_lines();
		case 't': line = optarg; break;
		default: return 2;
		}
	if (line)
		return try_mutant(&r, line, r.n ? r.n : KERNELS);
	r.n = r.n ? r.n : 300;
	clock_t start = clock();
	uint64_t failed = run_all(&r);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	printf("%llu kernels in %.1f s (%.0f a second); %llu sites, %.1f %% transformed, %llu in step, %llu apart\n",
		(unsigned long long)r.n, seconds, (double)r.n / (seconds > 0 ? seconds : 1), (unsigned long long)r.sites,
		100.0 * (double)r.done / (double)(r.sites ? r.sites : 1), (unsigned long long)r.entered.lockstep.may,
		(unsigned long long)r.entered.apart.may);
	bool entered = report_entered(&r); /* a test of its own */
	failed += !entered;
	printf("gen: %llu passed, %llu failed\n", (unsigned long long)(r.n + 1 - failed),
		(unsigned long long)failed);
	vec_free(&r.loops);
	buf_free(&r.why);
	return failed != 0;
}
