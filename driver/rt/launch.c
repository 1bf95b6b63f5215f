/* SPDX-License-Identifier: MIT */
/* Launches: packs the arguments, runs the kernel, and reports the result to the program.
 *
 * A fault that stops the kernel is a sticky error, as on a GPU. A fault that does not (a race,
 * an uninitialised read) is reported on standard error and in ptxrun's exit status, but not to
 * the program. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "driver/rt/progress.h"
#include "driver/rt/rt.h"

static cudaError_t
check_launch(const Runtime *rt, const Function *f, const Config *c)
{
	uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	const Limits l = device_limits(rt->arch);
	if (!threads || !c->grid.x || !c->grid.y || !c->grid.z)
		return cudaErrorInvalidConfiguration;
	if (threads > 1024 || c->block.z > 64 || c->grid.x > INT32_MAX || c->grid.y > UINT16_MAX ||
		c->grid.z > UINT16_MAX || threads > f->needs.threads ||
		(f->needs.exact && threads != f->needs.threads) ||
		c->shared > function_most_dynamic(f) ||
		f->needs.shared + c->shared > (size_t)(l.shared - l.reserved) << 10)
		return cudaErrorInvalidValue;
	uint64_t room = (uint64_t)function_resident(f, rt->arch, (int)threads, c->shared) *
		(uint64_t)rt->sms;
	if (c->cooperative && (uint64_t)c->grid.x * c->grid.y * c->grid.z > room)
		return cudaErrorCooperativeLaunchTooLarge;
	return cudaSuccess;
}

static cudaError_t
error_of(Fault f)
{
	switch (f) {
	case FAULT_NONE: return cudaSuccess;
	case FAULT_BOUNDS: case FAULT_FREED: return cudaErrorIllegalAddress;
	case FAULT_ALIGN: return cudaErrorMisalignedAddress;
	case FAULT_STACK: return cudaErrorHardwareStackError;
	case FAULT_BRANCH: return cudaErrorInvalidPc;
	case FAULT_ASSERT: return cudaErrorAssert;
	case FAULT_DEADLOCK: case FAULT_LIMIT: return cudaErrorLaunchTimeout;
	default: return cudaErrorLaunchFailure;
	}
}

uint8_t *
launch_arguments(const Sim_kernel *k, const Arguments *a, size_t *bytes_of_all)
{
	uint32_t n = sim_nparams(k), room = sim_param_bytes(k), at, bytes, end = 0;
	if (n) {
		sim_param(k, n - 1, &at, &bytes);
		end = at + bytes;
	}
	*bytes_of_all = end;
	if (n && !a->args && (!a->packed || a->n < end))
		return NULL;
	uint8_t *params = xmalloc(room + 16u);
	memset(params, 0, room + 16u);
	if (!a->args && a->packed)
		memcpy(params, a->packed, end);
	for (uint32_t i = 0; a->args && i < n; i++) {
		sim_param(k, i, &at, &bytes);
		memcpy(params + at, a->args[i], bytes);
	}
	return params;
}

bool
launch_extra(Arguments *a, void **extra)
{
	enum { END, BUFFER, SIZE };
	for (; extra && (uintptr_t)extra[0] != END; extra += 2) {
		if ((uintptr_t)extra[0] == BUFFER)
			a->packed = extra[1];
		else if ((uintptr_t)extra[0] == SIZE)
			a->n = *(size_t *)extra[1];
		else
			return false;
	}
	return true;
}

static void
report_launch_start(const Function *f, const Config *c, const char *found)
{
	fputs(found, stderr);
	rt_say("found in launch %u of kernel '%s', grid (%u, %u, %u), block (%u, %u, %u)",
		f->launches, f->shown, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y,
		c->block.z);
}

cudaError_t
launch_run(Runtime *rt, Function *f, const Config *given, const Arguments *a)
{
	Config c = *given;
	cudaError_t e = check_launch(rt, f, &c);
	if (rt->sticky || e)
		return e;
	size_t nparams;
	uint8_t *params = launch_arguments(f->kernel, a, &nparams);
	if (!params)
		return cudaErrorInvalidValue;
	module_managed(rt, NULL);
	Sim_launch l = rt->defaults;
	Sim_counts counts = {0};
	Buf found = {0}, text = {0};
	const uint32_t grid[3] = { c.grid.x, c.grid.y, c.grid.z },
		       block[3] = { c.block.x, c.block.y, c.block.z };
	memcpy(l.grid, grid, sizeof grid);
	memcpy(l.block, block, sizeof block);
	l.shared = (uint32_t)c.shared;
	l.cooperative = c.cooperative;
	l.params = params;
	l.text = &text;
	Progress progress;
	l.tick = progress_tick;
	l.user = &progress;
	f->launches++;
	progress_begin(&progress, f->shown);
	sim_launch(f->binary->sim, f->kernel, &l, &found, &counts);
	bool interrupted = progress_end(&progress);
	rt->sticky = l.keep_going ? cudaSuccess : error_of(counts.stopped);
	rt->issued += counts.warp_insts;
	rt_report(rt, f, &counts);
	if (text.n)
		fwrite(text.at, 1, text.n, stdout);
	if (found.n) {
		report_launch_start(f, &c, found.at);
		rt_report_races(rt, found.at);
	}
	buf_free(&text);
	buf_free(&found);
	xfree(params);
	if (interrupted) {
		rt_end(rt);
		raise(SIGINT);
	}
	return rt->sticky;
}
