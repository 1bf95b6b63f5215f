/* SPDX-License-Identifier: MIT */
/* Prints the table of sites; see advice.h. */
#include "base/advice.h"

static const double WORTH = 1.03;

bool
advice_worth(double gain)
{
	return gain >= WORTH;
}

void
advice_write_head(Buf *out)
{
	buf_puts(out,
		"  slots   active     branch  expected\n"
		"  share    lanes efficiency      gain  site\n");
}

void
advice_write_none(Buf *out)
{
	buf_puts(out, "no branch or loop has a significant share of the issue slots\n");
}

static void
put_percent(double part, int width, Buf *out)
{
	if (part < 0)
		buf_printf(out, " %*s", width + 1, "-");
	else
		buf_printf(out, " %*.1f%%", width, 100 * part);
}

static void
put_place(const Advice *a, Buf *out)
{
	const char *what = a->kind == ADVICE_LOOP ? "loop" : "branch";

	if (!a->at.at.file) {
		buf_printf(out, "%s in %s (no source line)\n", what, a->function);
		return;
	}
	buf_printf(out, "%s:%u", a->at.at.file, a->at.at.line);
	if (a->at.caller.file)
		buf_printf(out, ", inlined at %s:%u", a->at.caller.file, a->at.caller.line);
	buf_printf(out, ": %s in %s\n", what, a->function);
}

static void
put_line(const char *what, const char *text, Buf *out)
{
	if (text)
		buf_printf(out, "         %s: %s\n", what, text);
}

const char *
advice_promise(Advice_kind kind, bool in_order, bool grid)
{
	if (in_order)
		return grid ? "no thread uses a result of another one, sums apart" :
			      "no iteration of the loop around it uses a result of another one, sums apart";
	if (kind == ADVICE_LOOP)
		return "its iterations are independent, and its bound does not change while it runs";
	return grid ? "no memory that it writes is used later in its thread, or by another thread" :
		      "no memory that it writes is used later in the iteration, or by another iteration";
}

static void
put_confirm(const Advice *a, Buf *out)
{
	buf_printf(out, "         to confirm: %s%s%s%s\n", advice_promise(a->kind, a->in_order, a->grid),
		a->confirm ? "; " : "", a->confirm ? a->confirm : "",
		a->reorders ? "; floating-point sums may come out in another order" : "");
}

static void
put_to_do(const Advice *a, Buf *out)
{
	const char *site = a->site ? a->site :
		a->waits && a->kind != ADVICE_LOOP ? "over the statement under it" : "over it";

	if (a->exits) {
		buf_printf(out, "         to do: '#pragma ccc %s' %s\n", a->pragma, site);
		return;
	}
	if (a->waits)
		buf_printf(out, "         to do: '#pragma ccc predict threshold(%u)' %s, and ", a->waits,
			site);
	else
		buf_printf(out, "         to do: '#pragma ccc %s%s' %s, and ", a->pragma,
			a->reorders ? " reassociate" : "", site);
	buf_puts(out,
		a->grid ? "'#pragma ccc grid' before the kernel" :
			  "'#pragma ccc for' over the loop around it");
	if (a->outer)
		buf_printf(out, ", %s", a->outer);
	else if (!a->grid && a->around)
		buf_printf(out, ", line %u", a->around);
	buf_putc(out, '\n');
}

/* Returns what to do about code without a plan that gains: for a loop, or for code outside of
 * loops, that is a large part of the program and has few active lanes, more than nothing. */
static const char *
without_gain(const Advice *a)
{
	const double FEW_LANES = 0.25, LARGE = 0.3;
	bool loses_much = a->lanes >= 0 && a->lanes < FEW_LANES && a->share > LARGE;

	if (a->unclear)
		return "count it with 'ptxrun --profile=FILE -- PROGRAM' or cccnvcc's --ccc-profile-generate: some shares of lanes and trip counts gain";
	if (a->limit)
		return a->limit;
	if (loses_much && a->grid)
		return "few lanes are active, but no annotation is expected to gain, not in larger launches either";
	if (loses_much && a->kind == ADVICE_LOOP)
		return "few lanes are active, but no annotation is expected to gain; if the loop is in another, write both as one 'while', so that a lane need not wait for others between them";
	return "nothing: the loss is smaller than the cost of collecting";
}

void
advice_write(const Advice *a, Buf *out)
{
	bool worth = advice_worth(a->gain) && a->kind != ADVICE_UNIFORM && !a->refused;

	buf_printf(out, "%6.1f%%", 100 * a->share);
	put_percent(a->lanes, 7, out);
	put_percent(a->efficiency, 10, out);
	if (worth && !a->unclear)
		buf_printf(out, " %8.2fx  ", a->gain);
	else
		buf_printf(out, " %9s  ", a->unclear ? "unclear" : "none");
	put_place(a, out);
	put_line("why", a->kind == ADVICE_UNIFORM ?
		"all lanes of a warp take the same edge: there is nothing to collect" : a->why, out);
	if (worth && a->unclear)
		buf_printf(out,
			"         expected: unclear, count it with 'ptxrun --profile=FILE -- PROGRAM': gains if %s\n",
			a->unclear);
	else if (worth && a->range.least < a->range.most)
		buf_printf(out, "         expected: %.2fx to %.2fx, by how many lanes take %s\n",
			a->range.least, a->range.most, a->exits ? "an exit with separate code" : "it");
	put_line("but", a->but, out);
	put_line("plan", a->plan, out);
	put_line("rewrite", a->rewrite, out);
	if (a->refused)
		put_line("why not", a->refused, out);
	else if (a->kind == ADVICE_UNIFORM)
		put_line("to do", "nothing; if the condition is loop-invariant, unswitch the loop: test it once, before two copies of the loop", out);
	else if (!worth)
		put_line("to do", without_gain(a), out);
	if (!worth)
		return;
	if (a->waits || a->exits)
		put_line("to confirm", "nothing: each lane runs its own iterations, in their order", out);
	else
		put_confirm(a, out);
	put_to_do(a, out);
}
