/* SPDX-License-Identifier: MIT */
/* Reads the sites of a build from its report: the loops with a choice of policies. Checks
 * whether a plan was followed. A site is identified by its key; several copies with one key
 * (from several architectures) are one site. */
#include <stdlib.h>
#include <string.h>
#include "base/source.h"
#include "tune/tune.h"

const char LEAVE[] = "leave", AUTO[] = "auto";

Json *
report_read(Tune *t, const char *report)
{
	Source s;
	const char *why;
	Json *j = NULL;

	if (!source_read(&s, report, &why))
		return NULL;
	j = json_read(s.text, t->arena);
	source_release(&s);
	return j;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether the option is auto's choice, which the report gives without its number: `ahead` for
 * ahead(32) or ahead(8). If several match, the first one, which has the best expected speedup,
 * is meant. */
static bool
is_taken(const char *policy, const char *now, bool *found)
{
	size_t n = strlen(now);
	bool is = strncmp(policy, now, n) == 0 && (!policy[n] || (policy[n] == '(' && !*found));

	*found |= is;
	return is;
}

/* An option whose speedup is unknown comes before those that are expected to lose. */
static int
by_expected(const void *a, const void *b)
{
	const Option *x = a, *y = b;
	const double u = x->expected > 0 ? x->expected : 1, v = y->expected > 0 ? y->expected : 1;

	return (u < v) - (u > v);
}

void
options_sort(Option *of, uint32_t n)
{
	if (n)
		qsort(of, n, sizeof *of, by_expected);
}

static void
read_options(Tune *t, const Json *site, Site *s)
{
	const Json *list = json_member(site, "options");
	uint32_t n = 0;
	bool found = false;

	JSON_EACH(list, j)
		n++;
	s->options = arena_array(t->arena, n + 1u, sizeof *s->options);
	n = 0;
	JSON_EACH(list, j)
		if (json_text(j, "policy"))
			s->options[n++] = (Option){ json_text(j, "policy"),
				json_number(j, "expected") };
	options_sort(s->options, n);
	for (uint32_t i = 0; i < n; i++)
		if (!is_taken(s->options[i].policy, s->now, &found))
			s->options[s->noptions++] = s->options[i];
}

static const Site *
site_of(const Sites *all, const char *key)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (strcmp(all->at[i].key, key) == 0)
			return &all->at[i];
	return NULL;
}

/* Returns the place of a site in the report: its path, or its loop. */
static const Json *
place_of(const Json *site)
{
	const Json *at = json_member(site, "path");

	return json_text(at, "file") ? at : json_member(site, "loop");
}

/* Returns why a site without options is left unchanged, with what to do. */
static const char *
reason_left(Tune *t, const Json *site)
{
	const char *why = json_text(site, "reason"), *advice = NULL;

	JSON_EACH(json_member(site, "notes"), note)
		if (!advice && !json_text(json_member(note, "at"), "file"))
			advice = json_text(note, "text");
	return why && advice ? tune_printf(t, "%s; %s", why, advice) : why;
}

static void
read_site(Tune *t, const Json *j, Sites *to)
{
	const char *key = json_text(j, "key"), *policy = json_text(j, "policy");
	const Json *at = place_of(j), *options = json_member(j, "options");
	const bool open = options && options->child, done = json_true(j, "transformed");

	to = open ? to : &t->left;
	if (!key || (!open && done) || json_true(j, "further") || site_of(to, key))
		return;
	Site s = { .key = key,
		.name = json_text(j, "name"),
		.file = json_text(at, "file"),
		.line = (uint32_t)json_number(at, "line"),
		.now = done && policy ? policy : LEAVE };
	s.name = s.name ? s.name : json_text(j, "function");
	s.file = s.file ? s.file : "?";
	read_options(t, j, &s);
	s.left = open ? NULL : reason_left(t, j);
	*vec_push(to) = s;
}

bool
sites_read(Tune *t, const char *report, Sites *to)
{
	const Json *r = report_read(t, report);

	*to = t->left = (Sites){ 0 };
	EACH_SITE(r, unit, j)
		read_site(t, j, to);
	return r != NULL;
}

bool
sites_same(const Sites *a, const Sites *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const Site *x = &a->at[i], *y = &b->at[i];
		if (strcmp(x->key, y->key) != 0 || strcmp(x->now, y->now) != 0 ||
			x->noptions != y->noptions)
			return false;
		for (uint32_t k = 0; k < x->noptions; k++)
			if (strcmp(x->options[k].policy, y->options[k].policy) != 0)
				return false;
	}
	return true;
}

/* ---- was it followed? ------------------------------------------------------------------------ */

/* Whether the report says that the choice was followed. `auto` may leave a site unchanged. */
static bool
choice_is_followed(const Json *site, const char *choice)
{
	const char *chosen = json_text(site, "choice");

	return strcmp(choice, AUTO) == 0 ? json_true(site, "transformed") :
					   chosen && strcmp(chosen, choice) == 0;
}

static const char *
report_site_error(Tune *t, const Site *s, const char *choice, const Json *report)
{
	bool met = false;

	EACH_SITE(report, unit, j) {
		const char *key = json_text(j, "key");
		if (!key || strcmp(key, s->key) != 0)
			continue;
		met = true;
		if (choice_is_followed(j, choice))
			continue;
		if (json_text(j, "reason"))
			return tune_printf(t, "%s:%u was left unchanged: %s", s->file, s->line,
				json_text(j, "reason"));
		return tune_printf(t, "%s:%u was compiled, but not with policy %s", s->file,
			s->line, choice);
	}
	return met ? NULL : tune_printf(t, "%s:%u was not compiled", s->file, s->line);
}

const char *
sites_wrong(Tune *t, const char *report, Plan plan)
{
	const Json *r = report_read(t, report);
	const char *wrong = NULL;

	for (uint32_t i = 0; i < t->sites.n && plan != ORIGINAL && !wrong; i++)
		if (plan[i])
			wrong = report_site_error(t, &t->sites.at[i], plan[i], r);
	return wrong;
}

/* Whether the site is left unchanged because a loop around it is transformed. */
static bool
site_is_nested(const Site *s, const Json *report)
{
	EACH_SITE(report, unit, j) {
		const char *key = json_text(j, "key"), *why = json_text(j, "diagnostic");
		if (key && why && strcmp(key, s->key) == 0 && strcmp(why, "ccc-nested") == 0)
			return true;
	}
	return false;
}

void
sites_add_nests(Tune *t, const char *report, Plan plan)
{
	const Json *r = report_read(t, report);
	uint32_t n = 0, outer = 0;

	for (uint32_t i = 0; i < t->sites.n; i++)
		if (plan[i]) {
			outer = i;
			n++;
		}
	for (uint32_t i = 0; i < t->sites.n && n == 1; i++)
		if (i != outer && site_is_nested(&t->sites.at[i], r))
			*vec_push(&t->nests) = (Site_nest){ outer, i };
}

/* ---- plans ----------------------------------------------------------------------------------- */

Plan
plan_new(Tune *t)
{
	return arena_array(t->arena, t->sites.n + 1u, sizeof(const char *));
}

Plan
plan_with(Tune *t, Plan p, uint32_t site, const char *choice)
{
	Plan to = plan_new(t);

	memcpy(to, p, t->sites.n * sizeof *to);
	to[site] = choice;
	return to;
}

/* The choice at sites that a plan does not name. */
static const char *
default_choice(const Tune *t)
{
	return t->o.suggest ? LEAVE : AUTO;
}

Plan
plan_baseline(Tune *t)
{
	return t->o.suggest ? plan_new(t) : ORIGINAL;
}

const char *
plan_title(Tune *t, Plan p)
{
	bool any = false;

	if (p == ORIGINAL)
		return "the original: the build with --ccc-off";
	for (uint32_t i = 0; i < t->sites.n; i++)
		any |= p[i] != NULL;
	return t->o.suggest && !any ? "the sources without the advised annotations" :
				      plan_text(t, p);
}

const char *
plan_text(Tune *t, Plan p)
{
	Buf b = { 0 };

	buf_puts(&b, p == ORIGINAL ? "original" : "");
	for (uint32_t i = 0; i < t->sites.n && p != ORIGINAL; i++)
		buf_printf(&b, "%s%s", i ? " " : "", p[i] ? p[i] : default_choice(t));
	const char *text = arena_strndup(t->arena, b.at, b.n);
	buf_free(&b);
	return text;
}

void
plan_profile(const Tune *t, Plan p, bool every, Buf *out)
{
	buf_puts(out, "cccprof 2\n");
	for (uint32_t i = 0; i < t->sites.n && p != ORIGINAL; i++)
		for (const Site *s = &t->sites.at[i]; s && (p[i] || every); s = s->copy)
			buf_printf(out, "%schoice %s %s\nend\n", s->key,
				p[i] ? p[i] : default_choice(t), VERSION);
}

void
plan_annotations(const Tune *t, Plan p, Buf *out)
{
	for (uint32_t i = 0; i < t->sites.n; i++) {
		const Patch_fix *x = &t->fixes.at[t->fix_of.at[i]];
		if (p[i])
			buf_printf(out, "%s\t%s\n", x->loop, x->site);
	}
}
