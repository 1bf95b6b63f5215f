/* SPDX-License-Identifier: MIT */
/* Random kernels, original and transformed, must leave the same memory (docs/design.md 8).
 *
 *	fuzz_diff [-n N] [-s SEED] [-o DIR] [-v]      N kernels from SEED on; failing ones go to
 *	                                              DIR, exit status 1
 *	fuzz_diff -j JOBS [-w SECONDS] ...            in several processes; for that long, or until
 *	                                              an interrupt (jobs.h)
 *	fuzz_diff -e N [-a KIND]... [-s SEED] [-o DIR]
 *	                                              until each annotation, or each one of -a, was
 *	                                              in N transformed kernels (each.h)
 *	fuzz_diff [-m LINE] -f FILE -s SEED           use this text instead of the seed's kernel,
 *	                                              without the template's line -m; 0: it fails
 *	                                              (and prints why), else 1 (reduce.sh)
 *	fuzz_diff -u ...                              kernels without annotations (alias.h),
 *	                                              transformed without a promise
 *	fuzz_diff [-u] -p SEED                        print a kernel
 *	fuzz_diff -l                                  print the places of the template lines that
 *	                                              emit text
 *	fuzz_diff [-k] [-n N] [-i FILE] -t FILE:LINE...
 *	                                              whether a kernel notices the omission of this
 *	                                              line (mutants.c)
 *
 * generate -> parse -> transform -> parse -> run both under ipdom, the transformed one also under
 * a random schedule, in blocks of two shapes. All in one process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/gen/alias.h"
#include "tests/gen/fuzz.h"
#include "tests/gen/lines.h"
#include "tests/gen/shapes.h"
#include "transform/pipeline/pipeline.h"

enum { LIMIT = 50000000 };

/* A kernel whose original launch has more than MUCH thread instructions is launched only once; with
 * more warp instructions than TOO_MUCH, in a small shape. Otherwise one kernel in ten would take
 * half of the time. For the same reason each launch has one random schedule: of 1,500 template
 * lines left out, only 15 were noticed by such a schedule alone. */
enum { MUCH = 50000, TOO_MUCH = 20000 };

/* ---- one kernel -------------------------------------------------------------------------- */

static void
count_sites(Run *r, const Report *report)
{
	for (uint32_t i = 0; i < report->remaps.n; i++) {
		r->sum.remaps++;
		r->sum.remapped += report->remaps.at[i].done;
		if (!report->remaps.at[i].done && r->verbose)
			printf("not remapped: %s\n", report->remaps.at[i].why.text);
	}
	for (uint32_t i = 0; i < report->sites.n; i++) {
		r->sum.sites++;
		r->sum.done += report->sites.at[i].done;
		if (!report->sites.at[i].done && r->verbose)
			printf("refused: %s\n", report->sites.at[i].why.text);
	}
	entered_start(&r->loops, report);
}

/* Policies used in turn: all of this version; and those that keep each lane's order. */
static const Annot_policy policies[] = { POLICY_STACK, POLICY_QUEUE, POLICY_CONVERGE, POLICY_EXPAND,
	POLICY_STACK, POLICY_QUEUE, POLICY_WAIT, POLICY_EXPAND, POLICY_MAJORITY };
static const Annot_policy in_order[] = { POLICY_AHEAD, POLICY_WAIT, POLICY_AHEAD, POLICY_AUTO,
	POLICY_MAJORITY, POLICY_CONVERGE };
static const uint32_t queues[] = { 1, 2, 0, 3, 8, 4, 1, 5 };    /* batch sizes */
enum { QUEUES = sizeof queues / sizeof *queues };
static const Annot_policy assigned[] = { POLICY_CONVERGE, POLICY_WAIT, POLICY_LIVE, POLICY_MAJORITY,
	POLICY_AUTO, POLICY_CYCLE };
enum { ASSIGNED = sizeof assigned / sizeof *assigned };
static const Annot_policy exchanges[] = { POLICY_PARTITION, POLICY_DGI, POLICY_HOT };
enum {
	POLICIES = sizeof policies / sizeof *policies,
	IN_ORDER = sizeof in_order / sizeof *in_order
};
enum { ONE_COPY = 5 };          /* one kernel in this many has one copy of each loop */

static Annot_policy
policy_of(const Run *r, uint64_t seed)
{
	if (r->policy != POLICY_AUTO)
		return r->policy;
	if (r->info->exchanges)
		return exchanges[seed / 7 % 3];
	if (r->info->flat)
		return POLICY_FLATTEN;
	if (r->info->assigns)
		return assigned[seed / 11 % ASSIGNED];
	return r->info->ordered ? in_order[seed % IN_ORDER] : policies[seed % POLICIES];
}

/* The options of a kernel. Few blocks execute a task loop, so that each executes several tasks. */
static Pass_options
options_of(const Run *r, uint64_t seed)
{
	Pass_options o = r->options;

	o.auto_mode = AUTO_FIRST; /* independently of the expected gain */
	o.policy = policy_of(r, seed);
	o.policy_n = o.policy == POLICY_QUEUE ? queues[seed / 2 % QUEUES] :
		o.policy == POLICY_EXPAND     ? seed / POLICIES % 2 :
		o.policy == POLICY_FLATTEN    ? seed / 3 % 4 :
						0;
	o.debug.one_copy = seed / POLICIES % ONE_COPY == 0;
	/* a lane that exits before a vote of all lanes is not necessarily an error */
	o.debug.verify = true;
	o.grid = r->info->task && !r->info->asks;
	if (r->info->retreats && !r->info->says_retreat) {
		o.fallback = FALLBACK_ALWAYS;
		o.fallback_rounds = r->info->retreats;
	}
	o.launch.sms = (uint32_t)(seed / 2 % 4);
	o.launch.grid_blocks = (uint32_t)(seed / 6 % 3);
	return o;
}

/* Whether the output check found a fault in the text. */
static bool
has_fault(const Report *report)
{
	for (uint32_t i = 0; i < report->sites.n; i++)
		if (report->sites.at[i].why.text && report->sites.at[i].why.kind == D_BUG)
			return true;
	for (uint32_t i = 0; i < report->remaps.n; i++)
		if (report->remaps.at[i].why.text && report->remaps.at[i].why.kind == D_BUG)
			return true;
	return false;
}

bool
fuzz_transform(Run *r, Machine *k, uint64_t seed, Buf *out, bool *changed)
{
	Pass_options options = options_of(r, seed);
	Diags *diags = diags_new(&k->src);
	Output o;

	output_make(k->m, &options, NULL, NULL, diags, &o);
	bool ok = !diags_errors(diags);
	r->fault = has_fault(&o.report);
	*changed =
		r->fault || o.text.n != k->src.len || memcmp(o.text.at, k->src.text, o.text.n) != 0;
	buf_add(out, o.text.at, o.text.n);
	count_sites(r, &o.report);
	if (!ok)
		buf_puts(&r->why, "errors from the transformation");
	output_release(&o);
	diags_free(diags);
	return ok;
}

static Sim_launch
make_launch(const Run *r, uint32_t shape)
{
	Sim_launch l = { .grid = { 2, 1, 1 }, .races = true, .limit = r->limit };

	memcpy(l.block, shape < SHAPES ? shapes[shape].block : r->info->block, sizeof l.block);
	if (shape < SHAPES)
		memcpy(l.grid, shapes[shape].grid, sizeof l.grid);
	else if (r->info->task)
		l.grid[1] = GEN_THREADS / 2 / (l.block[0] * l.block[1] * l.block[2]);
	return l;
}

/* Launches the transformed kernel. Returns whether it leaves the same memory. Under SCHED_IPDOM the
 * loops that it enters are recorded. */
static bool
try_launch(Run *r, Machine *plain, Machine *ccc, Sim_launch l, uint32_t row)
{
	const uint32_t *b = l.block;
	uint32_t threads = b[0] * b[1] * b[2];

	l.lines = l.sched == SCHED_IPDOM;
	if (!machine_run(ccc, l, r->info->in_seed, &r->why))
		return false;
	if (ccc->counts.warp_insts > r->longest)
		r->longest = ccc->counts.warp_insts;
	if (l.lines && !entered_launch(&r->loops, ccc->sim, threads, &r->sum.launches[row]))
		buf_puts(&r->why, "a loop for smaller blocks was entered");
	else if (machines_agree(plain, ccc, &r->why))
		return true;
	buf_printf(&r->why, ": --grid %u,%u,%u --block %u,%u,%u --seed=%llu", l.grid[0], l.grid[1],
		l.grid[2], b[0], b[1], b[2], (unsigned long long)l.seed);
	return false;
}

/* Returns the index of a shape in the counts. */
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

/* Runs the original kernel; any: a random number, which selects the shape. */
static bool
run_plain(Run *r, Machine *plain, uint32_t any, Measured_launch *of)
{
	const Gen_info *info = r->info;
	bool small = !info->task && !info->block[0];
	uint32_t shape = info->task ? TASK_SHAPES + any % (SHAPES - TASK_SHAPES) :
				      any % SMALL_SHAPES;
	size_t said = r->why.n;
	Sim_launch l = make_launch(r, of->shape = info->block[0] ? SHAPE_FIXED : shape);

	if (small && l.limit > TOO_MUCH)
		l.limit = TOO_MUCH;
	bool ok = machine_run(plain, l, info->in_seed, &r->why);
	if (!ok && small && plain->counts.stopped == FAULT_LIMIT) {
		r->why.n = said;
		of->shape = SMALL_SHAPES + any % (TASK_SHAPES - SMALL_SHAPES);
		ok = machine_run(plain, make_launch(r, of->shape), info->in_seed, &r->why);
	}
	of->work = plain->counts.thread_insts;
	return ok;
}

/* Launch s of the original kernel. */
static bool
launch_plain(Run *r, Machine *plain, uint32_t any, int s, Measured_launch *of)
{
	Buf *kept = r->kept ? &r->kept->memory[s] : NULL;

	if (kept && kept->n) {
		machine_restore(plain, kept);
		*of = r->kept->of[s];
		return true;
	}
	if (!run_plain(r, plain, any, of))
		return false;
	if (kept) {
		machine_keep(plain, kept);
		r->kept->of[s] = *of;
	}
	return true;
}

static bool
compare_kernel(Run *r, Machine *plain, Machine *ccc, uint64_t seed)
{
	uint64_t state = seed ^ 0x5eed;
	Measured_launch of = { 0 };

	for (int s = 0; s < KERNEL_LAUNCHES && of.work <= MUCH; s++) {
		if (!launch_plain(r, plain, (uint32_t)gen_random(&state), s, &of))
			return false;
		Sim_launch l = make_launch(r, of.shape);
		if (!try_launch(r, plain, ccc, l, row_of(r, of.shape)))
			return false;
		l.sched = SCHED_RANDOM;
		l.seed = gen_random(&state) % 1000 + 1;
		if (!try_launch(r, plain, ccc, l, row_of(r, of.shape)))
			return false;
	}
	entered_count(&r->loops, &r->sum.entered);
	return true;
}

bool
fuzz_compare(Run *r, Machine *plain, uint64_t seed, const Buf *text)
{
	Machine *ccc = &r->ccc;

	if (r->fault) {
		buf_puts(&r->why, "a fault in the text");
		return false;
	}
	bool ok = machine_init(ccc, "transformed", text, r->info, &r->why);
	if (ok && !entered_find(&r->loops, ccc->m)) {
		buf_puts(&r->why, "a transformed loop without the label where its lanes meet");
		ok = false;
	}
	ok = ok && compare_kernel(r, plain, ccc, seed);
	machine_release(ccc);
	return ok;
}

bool
fuzz_one(Run *r, uint64_t seed, const Buf *text)
{
	Machine *plain = &r->plain;
	Buf out = {0};
	bool changed = false;
	bool ok = machine_init(plain, "plain", text, r->info, &r->why) &&
		fuzz_transform(r, plain, seed, &out, &changed);

	if (ok && changed)
		ok = fuzz_compare(r, plain, seed, &out);
	if (changed)
		each_count(&r->each, r->sum.kinds);
	machine_release(plain);
	buf_free(&out);
	return ok;
}

static void
make_kernel(const Run *r, uint64_t seed, Buf *text, Gen_info *info)
{
	if (r->unasked)
		alias_kernel(seed, text, info);
	else
		gen_kernel(seed, text, info);
}

/* Whether the original and the transformed kernel leave the same memory. */
static bool
is_right(Run *r, uint64_t seed, const Buf *text)
{
	r->annotated.n = 0;
	return r->unasked ? fuzz_unasked(r, seed, text) : fuzz_one(r, seed, text);
}

static void
report_failure(const Run *r, uint64_t seed, const Buf *text)
{
	Buf name = {0};
	const char *error;

	text = r->annotated.n ? &r->annotated : text;
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
print_kernel(const Run *r, uint64_t seed)
{
	Buf text = {0};
	Gen_info info;
	make_kernel(r, seed, &text, &info);
	fputs(text.at, stdout);
	buf_free(&text);
	return 0;
}

/* Uses a text instead of the seed's kernel. Returns whether it fails although the original runs. */
static bool
fails_as(Run *r, const char *file)
{
	Buf text = { 0 }, own = { 0 };
	Gen_info info;
	Machine *plain = &r->plain;
	Source src;
	const char *error;

	if (!source_read(&src, file, &error))
		return false;
	make_kernel(r, r->first, &own, &info);
	buf_add(&text, src.text, src.len);
	r->info = &info;
	bool runs = machine_init(plain, "plain", &text, &info, &r->why);
	for (uint32_t shape = 0; runs && !r->unasked && shape < SMALL_SHAPES; shape++)
		runs = machine_run(plain, make_launch(r, shape), info.in_seed, &r->why);
	machine_release(plain);
	bool fails = runs && !is_right(r, r->first, &text) &&
		strncmp(r->why.at, "plain", 5) != 0; /* otherwise the original does not run */
	if (fails)
		printf("%s\n", r->why.at);
	buf_free(&text);
	buf_free(&own);
	source_release(&src);
	return fails;
}

/* Whether there is another kernel to run. */
static bool
goes_on(const Run *r)
{
	return !jobs_stopped(&r->job) &&
		(r->each.most ? !each_done(&r->each, r->sum.kinds) : r->sum.ran < r->n);
}

/* Runs all kernels of a job, and sends the counts after each. */
static void
run_all(Run *r)
{
	for (uint64_t seed = r->first + r->job.number; goes_on(r); seed += r->job.of) {
		Buf text = {0};
		Gen_info info;
		make_kernel(r, seed, &text, &info);
		r->why.n = 0;
		r->info = &info;
		r->sum.last = seed;
		if (each_wants(&r->each, r->sum.kinds, text.at) || !r->each.most) {
			r->sum.ran++;
			if (!is_right(r, seed, &text)) {
				r->sum.failed++;
				report_failure(r, seed, &text);
			}
			jobs_tell(&r->job, &r->sum);
		}
		buf_free(&text);
	}
}

/* Runs a job's share of the requested kernels. */
static void
run_job(void *user, const Job *job)
{
	Run *r = user;

	r->job = *job;
	r->n = r->n / job->of + (r->n % job->of > job->number);
	r->each.most = (r->each.most + job->of - 1) / job->of;
	run_all(r);
	run_release(r);
}

int
main(int argc, char **argv)
{
	Run r = { .first = 1, .limit = LIMIT };
	Jobs jobs = { .n = 1 };
	Totals sum = { 0 };
	bool lines = false;
	const char *file = NULL;

	for (int c; (c = getopt(argc, argv, "n:e:a:s:o:p:i:f:m:j:w:kltuv")) != -1;)
		switch (c) {
		case 'n': r.n = strtoull(optarg, NULL, 0); break;
		case 'e': r.each.most = strtoull(optarg, NULL, 0); break;
		case 'a':
			if (!each_only(&r.each, optarg))
				return 2;
			break;
		case 's': r.first = strtoull(optarg, NULL, 0); break;
		case 'o': r.dir = optarg; break;
		case 'j': jobs.n = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'w': jobs.seconds = strtoull(optarg, NULL, 0); break;
		case 'i': r.hints = optarg; break;
		case 'f': file = optarg; break;
		case 'm':
			if (!tpl_parse_place(optarg, &r.options.debug.omit))
				return 2;
			break;
		case 'v': r.verbose = true; break;
		case 'u':
			r.unasked = true;
			r.options.fp = FP_RELAXED; /* the emulator contracts nothing */
			break;
		case 'p': return print_kernel(&r, strtoull(optarg, NULL, 0));
		case 'k': r.known = true; break;
		case 'l': return lines_print();
		case 't': lines = true; break;
		default: return 2;
		}
	if (lines) {
		int status = mutants_try(&r, argv + optind);
		run_release(&r);
		return status;
	}
	r.n = r.n ? r.n : jobs.seconds ? UINT64_MAX : 300;
	/* it refuses nothing that is correct */
	r.options.validate = !r.options.debug.omit.line;
	if (file) {
		bool fails = fails_as(&r, file);
		run_release(&r);
		return !fails;
	}
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	bool died = !jobs_run(&jobs, run_job, &r, &sum);
	clock_gettime(CLOCK_MONOTONIC, &end);
	double seconds = (double)(end.tv_sec - start.tv_sec) +
		(double)(end.tv_nsec - start.tv_nsec) / 1e9;
	bool right = r.unasked ? totals_print_unasked(&sum, r.first, seconds) :
				 totals_print(&sum, r.first, seconds);
	return !right || died;
}
