/* SPDX-License-Identifier: MIT */
/* Emits reductions: the slots, the update at the end of a path's execution, and the owner's
 * final combination. See emit.h and reduction.h.
 *
 * An execution of the path starts with the operation's identity in the task's register for the
 * variable, and updates that register like the original. At its end one atomic operation
 * combines the register with the owner's slot, independently of the number of updates. For a
 * warpwide reduction, of which only the warp's total counts, the slot is a register of the
 * executing lane instead, which each execution reads and writes.
 *
 * Floating-point minimum and maximum are computed on the bit patterns. As integers, numbers with
 * a sign bit are ordered in reverse, so they use the opposite unsigned operation; the others use
 * the signed one. NaNs are skipped, as min and max do, and the identity loses against every
 * number. */
#include <stdio.h>
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"

static bool
reduction_is_float(const Reduction *r)
{
	return r->type == TYPE_F32 || r->type == TYPE_F64;
}

static uint32_t
reduction_bytes(const Reduction *r)
{
	return ptx_type_size(r->type);
}

/* Returns the PTX name of the operation, "add". */
static const char *
reduction_op(const Reduction *r)
{
	static const char *const names[OPERATOR_COUNT] = {
		[OPERATOR_ADD] = "add", [OPERATOR_MIN] = "min", [OPERATOR_MAX] = "max",
		[OPERATOR_BIT_AND] = "and", [OPERATOR_BIT_OR] = "or", [OPERATOR_BIT_XOR] = "xor",
	};

	return names[r->op];
}

const char *
reduction_fold(const Reduction *r, Arena *a)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%s.%s%s", reduction_op(r), r->ftz ? "ftz." : "",
		ptx_type_name(r->type));

	return arena_strndup(a, text, (size_t)n);
}

uint64_t
reduction_identity(const Reduction *r)
{
	uint64_t sign = UINT64_C(1) << (8 * reduction_bytes(r) - 1), all = sign | (sign - 1);
	bool is_signed = r->type == TYPE_S32 || r->type == TYPE_S64 || reduction_is_float(r);

	switch (r->op) {
	/* -0 + x is x for all x, including -0 */
	case OPERATOR_ADD: return reduction_is_float(r) ? sign : 0;
	case OPERATOR_MIN: return is_signed ? all - sign : all;
	case OPERATOR_MAX: return reduction_is_float(r) ? all : is_signed ? sign : 0;
	case OPERATOR_BIT_AND: return all;
	default: return 0;
	}
}

/* Returns the task's register of the variable. */
static const char *
path_register(const Emit *e, const Reduction *r)
{
	return emit_region_register(e, e->here.region, e->here.refolds ? r->in : r->out, 0);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Returns the first reduction of r's variable among all regions, because a lane has one
 * accumulator for each warpwide variable, and its number. Returns NULL if r has slots. */
static const Reduction *
first_of_variable(const Plan *x, const Reduction *r, uint32_t *number)
{
	*number = 0;
	for (uint32_t i = 0; r->warpwide && i < x->nregions; i++) {
		const Task *t = &x->regions[i].task;
		for (uint32_t k = 0; k < t->nreductions; k++, ++*number)
			if (t->reductions[k].warpwide &&
				bits_within(t->reductions[k].web, r->web) &&
				bits_within(r->web, t->reductions[k].web))
				return &t->reductions[k];
	}
	return NULL;
}

static bool
reduction_is_first(const Emit *e, const Reduction *r)
{
	uint32_t number;

	return first_of_variable(e->x, r, &number) == r;
}

/* Returns the lane's accumulator of a warpwide reduction. */
static const char *
warpwide_register(const Emit *e, const Reduction *r)
{
	char text[16];
	uint32_t number;

	first_of_variable(e->x, r, &number);
	int n = snprintf(text, sizeof text, "%%~all%u", (unsigned)number);
	return arena_strndup(e->arena, text, (size_t)n);
}

void
reduction_declare_registers(Emit *e, const Task_region *k)
{
	for (uint32_t i = 0; i < k->task.nreductions; i++) {
		const Reduction *r = &k->task.reductions[i];
		if (reduction_is_first(e, r))
			tpl_line(e->t, "\t.reg .b%u %s;", 8 * reduction_bytes(r), warpwide_register(e, r));
	}
}

/* Computes the addresses of a lane's slots, one for each width in use. */
static void
emit_slot_addresses(const Emit *e, const char *lane)
{
	for (uint32_t size = 4; size <= 8; size += 4)
		for (uint32_t i = 0; i < e->here.region->task.nreductions; i++)
			if (!e->here.region->task.reductions[i].warpwide &&
				reduction_bytes(&e->here.region->task.reductions[i]) == size) {
				tpl_line(e->t, "\tmad.lo.u32 %%~sum%u, %s, %u, %%~base;", size,
					lane, size);
				break;
			}
}

void
reduction_own_address(void *emit)
{
	const Emit *e = emit;

	if (!task_folds_into_owner(&e->here.region->task))
		return;
	tpl_line(e->t, "\tmov.u32 %%~n, %%laneid;");
	emit_slot_addresses(e, "%~n");
}

void
reduction_init_slots(void *emit)
{
	const Emit *e = emit;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		unsigned long long identity = reduction_identity(r);
		if (reduction_is_first(e, r))
			tpl_line(e->t, "\tmov.b%u %s, 0x%llx;", 8 * reduction_bytes(r), warpwide_register(e, r), identity);
		else if (!r->warpwide)
			tpl_line(e->t, "\tst.shared.b%u [%%~sum%u+%u], 0x%llx;", 8 * reduction_bytes(r),
				reduction_bytes(r), r->row, identity);
	}
}

/* Updates each register that holds the variable at some exit, or at the header if lanes may fall
 * back. */
void
reduction_collect_slots(void *emit)
{
	const Emit *e = emit;
	const Fn *fn = e->x->fn;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		if (r->warpwide && !reduction_is_first(e, r))
			continue;
		const char *all = r->warpwide ? warpwide_register(e, r) : path_register(e, r);
		if (!r->warpwide)
			tpl_line(e->t, "\tld.shared.b%u %s, [%%~sum%u+%u];", 8 * reduction_bytes(r), all,
				reduction_bytes(r), r->row);
		BITS_EACH(y, r->web) {
			const char *to = copy_name(fn, fn_sym(fn, y), e->arena);
			bool live = e->x->fallback.enabled &&
				bits_has(fn->live->in[plan_header(e->x)], y);
			for (uint32_t w = 0; w < e->x->common.nexits; w++)
				live |= bits_has(fn->live->in[e->x->common.exits[w].block], y);
			if (live)
				tpl_line(e->t, "\t%s %s, %s, %s;", reduction_fold(r, e->arena), to,
					to, all);
		}
	}
}

void
reduction_forward(void *emit)
{
	const Emit *e = emit;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		if (r->in != r->out)
			tpl_line(e->t, "\t%smov.b%u %s, %s;", emit_task_waits_in_registers(e) ? "" : "@%^want ",
				8 * reduction_bytes(r), copy_name(e->x->fn, r->out, e->arena),
				copy_name(e->x->fn, r->in, e->arena));
	}
}

/* ---- execution of the path ------------------------------------------------------------------- */

void
reduction_init_path(void *emit)
{
	const Emit *e = emit;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		const char *in = emit_region_register(e, e->here.region, r->in, 0);
		if (r->warpwide)
			tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * reduction_bytes(r), in, warpwide_register(e, r));
		else
			tpl_line(e->t, "\tmov.b%u %s, 0x%llx;", 8 * reduction_bytes(r), in,
				(unsigned long long)reduction_identity(r));
	}
}

static void
emit_float_order(const Emit *e, const Reduction *r)
{
	bool min = r->op == OPERATOR_MIN;
	uint32_t bits = 8 * reduction_bytes(r);

	tpl_line(e->t, "\ttestp.number.%s %%~number, %s;", ptx_type_name(r->type), path_register(e, r));
	tpl_line(e->t, "\tmov.b%u %%~word%u, %s;", bits, bits, path_register(e, r));
	tpl_line(e->t, "\tsetp.ge.and.s%u %%~above, %%~word%u, 0, %%~number;", bits, bits);
	tpl_line(e->t, "\tsetp.lt.and.s%u %%~below, %%~word%u, 0, %%~number;", bits, bits);
	tpl_line(e->t, "\t@%%~above red.shared.%s.s%u [%%~sum%u+%u], %%~word%u;",
		min ? "min" : "max", bits, bits / 8, r->row, bits);
	tpl_line(e->t, "\t@%%~below red.shared.%s.u%u [%%~sum%u+%u], %%~word%u;",
		min ? "max" : "min", bits, bits / 8, r->row, bits);
}

void
reduction_fold_into_owner(void *emit)
{
	const Emit *e = emit;

	if (task_folds_into_owner(&e->here.region->task))
		emit_slot_addresses(e, "%^owner");
	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		if (r->warpwide)
			tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * reduction_bytes(r), warpwide_register(e, r), path_register(e, r));
		else if (reduction_is_float(r) && r->op != OPERATOR_ADD)
			emit_float_order(e, r);
		else
			tpl_line(e->t, "\tred.shared.%s.%s [%%~sum%u+%u], %s;", reduction_op(r),
				ptx_type_name(r->type), reduction_bytes(r), r->row,
				path_register(e, r));
	}
}

void
reduction_refold_into_owner(void *emit)
{
	Emit *e = emit;
	const Here outer = e->here;

	e->here.refolds = true;
	reduction_fold_into_owner(e);
	e->here = outer;
}
