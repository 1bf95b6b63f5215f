/* SPDX-License-Identifier: MIT */
/* Runs launches on a GPU and compares the memory they leave with what the emulator left. See
 * simt-h200.sh.
 *
 *	simt_h200 [--from N] [--keep PREFIX] LIST
 *
 * A line of LIST is a launch: MODULE KERNEL GRID BLOCK SHARED HASHES ARG..., all but HASHES as
 * ptxrun takes them. HASHES are those that ptxrun printed, for each argument one, with commas
 * between ("-": it is no buffer), or "-": nothing is compared. For each launch from the N-th on (1)
 * a line is printed, "equal", "differs", "fails" or "ran", with the launch. With --keep, each
 * buffer that differs is written to PREFIXN.ARG, to be compared with what ptxrun --save wrote. The
 * driver compiles a module as it is. Exit status: 0 at the end of LIST; 2 no GPU, or LIST cannot be
 * used; 3 after a launch that leaves the GPU unusable for this process (start again behind it).
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/source.h"
#include "driver/args.h"

enum { MAX_ARGS = 64, MAX_PARAM_BYTES = 4096, SECONDS = 20 };

typedef struct {
	uint32_t number;                /* in LIST, from 1 */
	const char *module, *kernel;
	uint32_t grid[3], block[3], shared;
	Arg args[MAX_ARGS]; uint32_t nargs;
	bool compared;
	uint64_t want[MAX_ARGS];
} Launch;

/* The module compiled last. Each launch loads it again: its variables start anew. */
typedef struct {
	char *name;
	CUlinkState link;
	void *cubin;
	char log[2048];
} Compiled;

/* ---- results --------------------------------------------------------------------------------- */

static void
print_result(const char *word, const Launch *l, const char *why)
{
	printf("%s %u %s %s --grid %u,%u,%u --block %u,%u,%u%s%s\n", word, l->number, l->module,
		l->kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2], *why ? ": " : "", why);
	fflush(stdout);
}

/* Nothing more can be done in this process. */
static void
give_up(const Launch *l, const char *why)
{
	print_result("fails", l, why);
	_Exit(l->number ? 3 : 2);
}

static void
check_call(CUresult r, const Launch *l, const char *call)
{
	const char *name = "?";
	char why[256];
	if (r == CUDA_SUCCESS)
		return;
	cuGetErrorName(r, &name);
	snprintf(why, sizeof why, "%s: %s", call, name);
	give_up(l, why);
}
#define CHECK(l, call) check_call(call, l, #call)

/* ---- the list -------------------------------------------------------------------------------- */

static bool
parse_hashes(Launch *l, const char *s)
{
	for (uint32_t i = 0; i < MAX_ARGS && s; i++) {
		const char *next = strchr(s, ',');
		l->want[i] = strtoull(s, NULL, 16);
		s = next ? next + 1 : NULL;
	}
	return !s;
}

/* Takes a line apart, in place. */
static bool
parse_launch(Launch *l, char *line)
{
	char *words[6 + MAX_ARGS], *save;
	uint32_t n = 0;
	for (char *w = strtok_r(line, " \n", &save); w && n < 6 + MAX_ARGS;
		w = strtok_r(NULL, " \n", &save))
		words[n++] = w;
	if (n < 6 || !arg_dims(l->grid, words[2]) || !arg_dims(l->block, words[3]) ||
		!parse_hashes(l, words[5]))
		return false;
	l->module = words[0];
	l->kernel = words[1];
	l->compared = strcmp(words[5], "-") != 0;
	l->shared = (uint32_t)strtoul(words[4], NULL, 0);
	l->nargs = n - 6;
	for (uint32_t i = 0; i < l->nargs; i++)
		if (!arg_parse(&l->args[i], words[6 + i]))
			return false;
	return true;
}

/* ---- a launch -------------------------------------------------------------------------------- */

static bool
compile_kernel(Compiled *c, const Launch *l)
{
	Source src;
	const char *why;
	size_t bytes;
	if (c->name && !strcmp(c->name, l->module))
		return c->cubin != NULL;
	if (c->name) {
		free(c->name);
		CHECK(l, cuLinkDestroy(c->link));
	}
	c->name = strdup(l->module);
	c->cubin = NULL;
	c->log[0] = 0;
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { c->log, (void *)(uintptr_t)sizeof c->log };
	if (!source_read(&src, l->module, &why))
		give_up(l, why);
	CHECK(l, cuLinkCreate(2, options, values, &c->link));
	if (cuLinkAddData(c->link, CU_JIT_INPUT_PTX, src.text, (size_t)src.len + 1, l->module, 0,
		    NULL, NULL) ||
		cuLinkComplete(c->link, &c->cubin, &bytes))
		c->cubin = NULL;
	c->log[strcspn(c->log, "\n")] = 0;
	source_release(&src);
	return c->cubin != NULL;
}

/* Waits for the kernel's end, but not for ever. */
static void
wait_for_kernel(const Launch *l)
{
	CUresult r;
	const time_t start = time(NULL);
	while ((r = cuStreamQuery(NULL)) == CUDA_ERROR_NOT_READY)
		if (time(NULL) - start > SECONDS)
			give_up(l, "it does not end");
	check_call(r, l, "the launch");
}

static void
make_buffers(Launch *l)
{
	for (uint32_t i = 0; i < l->nargs; i++) {
		Arg *a = &l->args[i];
		if (!a->buffer)
			continue;
		CUdeviceptr at;
		uint8_t *bytes = calloc(1, a->bytes);
		const char *why = bytes ? arg_fill(a, bytes) : "out of memory";
		if (why)
			give_up(l, why);
		CHECK(l, cuMemAlloc(&at, a->bytes));
		CHECK(l, cuMemcpyHtoD(at, bytes, a->bytes));
		a->bits = at;
		free(bytes);
	}
}

static void
lay_out(const Launch *l, CUfunction f, uint8_t *params, size_t *bytes)
{
	Arg_place places[MAX_ARGS];
	uint32_t n = 0;
	size_t offset, size;
	for (; n < MAX_ARGS && cuFuncGetParamInfo(f, n, &offset, &size) == CUDA_SUCCESS; n++) {
		places[n] = (Arg_place){ (uint32_t)offset, (uint32_t)size };
		*bytes = offset + size;
	}
	const char *why = *bytes > MAX_PARAM_BYTES ?
		"too many parameters" :
		args_lay_out(l->args, l->nargs, places, n, params);
	if (why)
		give_up(l, why);
}

/* Compares argument i with what the emulator left, and frees it. */
static bool
compare_argument(const Launch *l, uint32_t i, const char *keep)
{
	const Arg *a = &l->args[i];
	uint8_t *bytes = malloc(a->bytes + 1);
	char name[512];
	const char *why;
	if (!bytes)
		give_up(l, "out of memory");
	CHECK(l, cuMemcpyDtoH(bytes, a->bits, a->bytes));
	CHECK(l, cuMemFree(a->bits));
	const bool equal = !l->compared || arg_hash(bytes, a->bytes) == l->want[i];
	snprintf(name, sizeof name, "%s%u.%u", keep ? keep : "", l->number, i + 1);
	if (!equal && keep && !source_write(name, (const char *)bytes, a->bytes, &why))
		fprintf(stderr, "simt_h200: cannot write '%s': %s\n", name, why);
	free(bytes);
	return equal;
}

static void
run_launch(Launch *l, Compiled *c, const char *keep)
{
	CUmodule module;
	CUfunction f;
	_Alignas(16) uint8_t params[MAX_PARAM_BYTES] = {0};
	size_t bytes = 0;
	char why[512] = "";
	if (!compile_kernel(c, l)) {
		print_result("fails", l, c->log);
		return;
	}
	CHECK(l, cuModuleLoadData(&module, c->cubin));
	CHECK(l, cuModuleGetFunction(&f, module, l->kernel));
	if (l->shared) /* with the static bytes it may be more than 48 KB */
		CHECK(l,
			cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				(int)l->shared));
	make_buffers(l);
	lay_out(l, f, params, &bytes);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, params, CU_LAUNCH_PARAM_BUFFER_SIZE,
		&bytes, CU_LAUNCH_PARAM_END };
	check_call(cuLaunchKernel(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		      l->block[2], l->shared, NULL, NULL, extra),
		l, "cuLaunchKernel");
	wait_for_kernel(l);
	for (uint32_t i = 0; i < l->nargs; i++)
		if (l->args[i].buffer && !compare_argument(l, i, keep) && !*why)
			snprintf(why, sizeof why, "argument %u, %s", i + 1, l->args[i].label);
	CHECK(l, cuModuleUnload(module));
	print_result(!l->compared ? "ran" : *why ? "differs" : "equal", l, why);
}

int
main(int argc, char **argv)
{
	static Compiled compiled;
	static char line[8192];
	const Launch none = { .module = "(start)", .kernel = "" };
	const char *keep = NULL;
	uint32_t from = 1;
	CUdevice device;
	CUcontext context;
	int i = 1;
	for (; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--from"))
			from = (uint32_t)strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--keep"))
			keep = argv[i + 1];
		else
			break;
	FILE *list = i + 1 == argc ? fopen(argv[i], "r") : NULL;
	if (!list) {
		fprintf(stderr, "usage: simt_h200 [--from N] [--keep PREFIX] LIST\n");
		return 2;
	}
	CHECK(&none, cuInit(0));
	CHECK(&none, cuDeviceGet(&device, 0));
	CHECK(&none, cuDevicePrimaryCtxRetain(&context, device));
	CHECK(&none, cuCtxSetCurrent(context));
	CHECK(&none, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16 << 10));
	for (uint32_t n = 1; fgets(line, sizeof line, list); n++) {
		Launch l = { .number = n };
		if (n < from)
			continue;
		if (!parse_launch(&l, line)) {
			fprintf(stderr, "simt_h200: %s:%u: not a launch\n", argv[i], n);
			return 2;
		}
		run_launch(&l, &compiled, keep);
	}
	fclose(list);
	return 0;
}
