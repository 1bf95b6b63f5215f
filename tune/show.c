/* SPDX-License-Identifier: MIT */
/* Prints the result. Its last line, as text and Markdown, is the flag to add to the build. */
#include <stdio.h>
#include <string.h>
#include "report/unit.h"
#include "tune/tune.h"

typedef struct { Tune *t; Plan base, best; } Result_view;

/* Returns the measurement of the plan with this choice at the site and auto elsewhere; NULL if
 * it was not tried. */
static const Measure *
find_tried(const Result_view *s, uint32_t site, const char *choice)
{
	Plan p = choice ? plan_with(s->t, s->base, site, choice) : s->base;

	return measure_known(s->t, plan_text(s->t, p));
}

static bool
is_best(const Result_view *s, uint32_t site, const char *choice)
{
	const char *c = s->best ? s->best[site] : NULL;

	return c == choice || (c && choice && strcmp(c, choice) == 0);
}

typedef void Row(const Result_view *s, uint32_t site, const Option *o, const Measure *m);

/* Calls row for auto's choice, for leaving the loop, and for each policy that was tried. */
static void
each_row(const Result_view *s, uint32_t site, Row *row)
{
	const Site *x = &s->t->sites.at[site];
	const Option now = { NULL, 0 }, leave = { LEAVE, 0 };

	row(s, site, &now, find_tried(s, site, NULL));
	if (find_tried(s, site, LEAVE))
		row(s, site, &leave, find_tried(s, site, LEAVE));
	for (uint32_t i = 0; i < x->noptions; i++)
		if (find_tried(s, site, x->options[i].policy))
			row(s, site, &x->options[i], find_tried(s, site, x->options[i].policy));
}

static double
original_time(Tune *t)
{
	return measure_known(t, plan_text(t, ORIGINAL))->time;
}

static const char *
name_of(const Result_view *s, uint32_t site, const Option *o)
{
	return o->policy ? o->policy : tune_printf(s->t, "auto: %s", s->t->sites.at[site].now);
}

static const char *
differs_flag(const Result_view *s)
{
	const char *to = s->t->o.to;
	bool plain = !to[strcspn(to, " \t'\"\\$`*?;&|<>(){}[]~#!")];

	return plain ? tune_printf(s->t, "--ccc-profile-use=%s", to) :
		       tune_printf(s->t, "--ccc-profile-use='%s'", to);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The expected speedup is relative to the original loop, not to auto's choice. */
static void
text_expected(const Result_view *s, uint32_t site, double expected, double time)
{
	const Measure *left = find_tried(s, site, LEAVE);

	if (left && left->tried == TRIED_WELL)
		printf("  (%.2fx of leave; %.2fx expected)", left->time / time, expected);
	else
		printf("  (%.2fx of leave expected)", expected);
}

static void
text_row(const Result_view *s, uint32_t site, const Option *o, const Measure *m)
{
	printf("  %c %-24s", is_best(s, site, o->policy) ? '*' : ' ', name_of(s, site, o));
	if (m->tried == TRIED_WELL)
		printf(" %16.0f  %6.3fx", m->time, search_worth(s->t, m));
	else
		printf(" %s: %s", tried_names[m->tried], m->why);
	if (o->expected > 0 && m->tried == TRIED_WELL)
		text_expected(s, site, o->expected, m->time);
	putchar('\n');
}

static void
md_row(const Result_view *s, uint32_t site, const Option *o, const Measure *m)
{
	const Site *x = &s->t->sites.at[site];

	printf("| `%s:%u` | %s | ", x->file, x->line, name_of(s, site, o));
	if (m->tried == TRIED_WELL)
		printf("%.0f | %.3f |", m->time, search_worth(s->t, m));
	else
		printf("%s: %s | |", tried_names[m->tried], m->why);
	puts(is_best(s, site, o->policy) ? " chosen |" : " |");
}

static void
show_text(const Result_view *s)
{
	printf("original (--ccc-off): %.0f %s\n", original_time(s->t), timer_unit(s->t));
	for (uint32_t i = 0; i < s->t->sites.n; i++) {
		const Site *x = &s->t->sites.at[i];
		printf("%s:%u: %s (%s)\n", x->file, x->line, x->name, timer_unit(s->t));
		each_row(s, i, text_row);
		if (x->alone)
			printf("    not with the others: %s\n", x->alone);
	}
}

void
show_left(const Tune *t)
{
	for (uint32_t i = 0; i < t->left.n; i++) {
		const Site *x = &t->left.at[i];
		printf("%s:%u: %s: nothing to try: %s\n", x->file, x->line, x->name,
			x->left ? x->left : "it is left unchanged");
	}
}

static void
show_md(const Result_view *s)
{
	printf("| loop | policy | %s | worth | |\n| --- | --- | --: | --: | --- |\n| | original (--ccc-off) | %.0f | %.3f | |\n",
		timer_unit(s->t), original_time(s->t),
		search_worth(s->t, measure_known(s->t, plan_text(s->t, ORIGINAL))));
	for (uint32_t i = 0; i < s->t->sites.n; i++)
		each_row(s, i, md_row);
	putchar('\n');
}

/* Returns why the runs were too small to show what a plan gains; NULL: they were not. */
static const char *
few_tasks(const Tune *t)
{
	for (uint32_t i = 0; i < t->measures.n; i++)
		if (t->measures.at[i].few)
			return t->measures.at[i].few;
	return NULL;
}

/* Returns the end of a verdict that some of the tried plans failed; "" if none did. */
static const char *
failed_text(Tune *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->measures.n; i++)
		n += t->measures.at[i].tried != TRIED_WELL;
	if (!n)
		return "";
	return tune_printf(t, "; %u of %u builds failed, and are not counted", n, t->measures.n);
}

/* Prints the conclusion in words. */
static void
show_end(const Result_view *s)
{
	const Measure *m = s->best ? measure_known(s->t, plan_text(s->t, s->best)) : NULL;

	if (s->t->over)
		puts("not everything was tried within --budget; run the same command to continue");
	if (s->t->o.any_rtol)
		printf("numbers in the output may differ by %g of the larger one (--rtol)\n",
			s->t->o.rtol);
	if (few_tasks(s->t))
		printf("not measurable here: %s\n", few_tasks(s->t));
	double gain = m ? 0 : search_auto_gain(s->t, s->base);
	if (gain > 0)
		printf("auto is %s: %.2fx of the original (noise %.2f %%)\n",
			s->t->over ? "the best choice so far" : "already the best choice", gain,
			100 * s->t->noise);
	else if (!m && !few_tasks(s->t))
		printf("nothing gained: no choice is better than the original by more than the noise, %.2f %%%s\n",
			100 * s->t->noise, failed_text(s->t));
	if (!m)
		return;
	printf("all together: %.0f %s, %.3fx of auto, %.2fx of the original (noise %.2f %%); add to the build:\n",
		m->time, timer_unit(s->t), search_worth(s->t, m), original_time(s->t) / m->time,
		100 * s->t->noise);
	puts(differs_flag(s));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void
json_row(const Result_view *s, uint32_t site, const Option *o, const Measure *m)
{
	Buf b = { 0 };

	buf_puts(&b, o->policy ? ", {\"choice\": " : "{\"choice\": ");
	json_string(&b, o->policy ? o->policy : "auto");
	buf_puts(&b, ", \"tried\": ");
	json_string(&b, tried_names[m->tried]);
	if (m->tried == TRIED_WELL) {
		buf_printf(&b, ", \"time\": %.17g, \"worth\": %.4f", m->time,
			search_worth(s->t, m));
	} else {
		buf_puts(&b, ", \"why\": ");
		json_string(&b, m->why);
	}
	if (o->expected > 0)
		buf_printf(&b, ", \"expected\": %.2f", o->expected);
	buf_printf(&b, ", \"chosen\": %s}", is_best(s, site, o->policy) ? "true" : "false");
	fputs(b.at, stdout);
	buf_free(&b);
}

static void
json_head(const Site *x)
{
	Buf b = { 0 };

	buf_puts(&b, "{\"file\": ");
	json_string(&b, x->file);
	buf_printf(&b, ", \"line\": %u, \"function\": ", x->line);
	json_string(&b, x->name);
	buf_puts(&b, ", \"auto\": ");
	json_string(&b, x->now);
	buf_puts(&b, ", \"tried\": [");
	fputs(b.at, stdout);
	buf_free(&b);
}

static void
show_json(const Result_view *s)
{
	const Measure *m = s->best ? measure_known(s->t, plan_text(s->t, s->best)) : NULL;
	Buf b = { 0 };

	printf("{\"unit\": \"%s\", \"noise\": %.6f, \"complete\": %s, \"original\": %.17g, \"sites\": [",
		timer_unit(s->t), s->t->noise, s->t->over ? "false" : "true",
		original_time(s->t));
	for (uint32_t i = 0; i < s->t->sites.n; i++) {
		fputs(i ? ",\n    " : "\n    ", stdout);
		json_head(&s->t->sites.at[i]);
		each_row(s, i, json_row);
		fputs("]}", stdout);
	}
	printf("],\n\"worth\": %.4f, \"flag\": ", m ? search_worth(s->t, m) : 1);
	json_string(&b, m ? differs_flag(s) : "");
	printf("%s}\n", b.at);
	buf_free(&b);
}

void
show_result(Tune *t, Plan best)
{
	const Result_view s = { t, plan_new(t), best };

	if (t->o.show == SHOW_JSON) {
		show_json(&s);
		return;
	}
	if (t->o.show == SHOW_MD)
		show_md(&s);
	else
		show_text(&s);
	show_left(t);
	show_end(&s);
}
