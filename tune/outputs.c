/* SPDX-License-Identifier: MIT */
/* Checks that the program's output does not change: standard output and the files of --output
 * must be identical, except for numbers within a tolerance (--rtol); or a command decides
 * (--check). The output of the first run is stored next to the cache. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/source.h"
#include "tune/tune.h"

static const char *
kept_file(Tune *t, uint32_t i)
{
	return tune_printf(t, "%s.outputs/%u", t->o.cache, i);
}

void
outputs_forget(Tune *t)
{
	for (uint32_t i = 0; i <= t->o.outputs.n; i++)
		unlink(kept_file(t, i));
}

/* ---- two texts ------------------------------------------------------------------------------- */

static bool
begins_number(const char *from, const char *s)
{
	const char *digit = s + (*s == '-' || *s == '+');

	digit += *digit == '.';
	if (*digit < '0' || *digit > '9')
		return false;
	return s == from || !((s[-1] >= '0' && s[-1] <= '9') || s[-1] == '.' ||
		(s[-1] >= 'a' && s[-1] <= 'z') || (s[-1] >= 'A' && s[-1] <= 'Z') || s[-1] == '_');
}

/* If both texts have numbers within the tolerance here, advances both past them. */
static bool
numbers_are_near(const char **a, const char **b, double rtol)
{
	char *p, *q;
	double x = strtod(*a, &p), y = strtod(*b, &q);
	double larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);

	if (!(x == y || fabs(x - y) <= rtol * larger))
		return false;
	*a = p;
	*b = q;
	return true;
}

/* Returns the offset in b at which the texts start to differ, and in *in_a that in a; -1 if they do
 * not. */
static long
find_difference(const Source *was, const Source *is, const Options *o, long *in_a)
{
	const char *a = was->text, *b = is->text;
	const char *const a_end = a + was->len, *const b_end = b + is->len;

	while (a < a_end && b < b_end) {
		const char *next_a = a, *next_b = b;
		const bool numbers = o->any_rtol && begins_number(was->text, a) &&
			begins_number(is->text, b);
		if (numbers ? !numbers_are_near(&next_a, &next_b, o->rtol) : *next_a++ != *next_b++)
			break;
		a = next_a;
		b = next_b;
	}
	*in_a = a - was->text;
	return a == a_end && b == b_end ? -1 : b - is->text;
}

/* Returns the line at an offset in quotes: the part around it, if the line is long. */
static const char *
quote_line(Tune *t, Source *s, long offset)
{
	enum { BEFORE = 24, MOST = 60 };
	const uint32_t at = (uint32_t)offset;
	Span l = s->len ? source_line(s, at < s->len ? at : s->len - 1) : (Span){ 0 };

	if (at >= s->len && (!s->len || s->text[s->len - 1] == '\n'))
		return "the end";
	const bool cut = l.end - l.pos > MOST && at > l.pos + BEFORE;
	const uint32_t from = cut ? at - BEFORE : l.pos, n = l.end - from;
	char *text = arena_strndup(t->arena, s->text + from, n < MOST ? n : MOST);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
	return tune_printf(t, "'%s%s%s'", cut ? "..." : "", text, n > MOST ? "..." : "");
}

/* ---- a file ---------------------------------------------------------------------------------- */

static const char *
compare_outputs(Tune *t, const char *was, const char *is, const char *name)
{
	Source a, b;
	const char *why;
	uint32_t line, col;

	if (!source_read(&b, is, &why))
		return tune_printf(t, "cannot read %s: %s", name, why);
	if (!source_read(&a, was, &why)) {
		source_release(&b);
		return tune_printf(t, "cannot read '%s': %s", was, why);
	}
	long in_a, at = find_difference(&a, &b, &t->o, &in_a);
	if (at >= 0) {
		source_position(&b, (uint32_t)at < b.len ? (uint32_t)at : b.len, &line, &col);
		why = tune_printf(t, "%s differs from line %u on: %s instead of %s", name, line,
			quote_line(t, &b, at), quote_line(t, &a, in_a));
	}
	source_release(&a);
	source_release(&b);
	return at < 0 ? NULL : why;
}

static const char *
check_one(Tune *t, uint32_t i, const char *file, const char *name)
{
	const char *was = kept_file(t, i);

	if (access(was, R_OK) == 0)
		return compare_outputs(t, was, file, name);
	if (access(file, R_OK) != 0)
		return tune_printf(t, "the program does not write %s", name);
	return file_copy(file, was) ? tune_printf(t, "cannot keep %s", name) : NULL;
}

static const char *
check_outputs(Tune *t, const char *out)
{
	const char *const env[] = { "CCC_TUNE_STDOUT", out, NULL };
	const char *command =
		tune_printf(t, "exec <\"$CCC_TUNE_STDOUT\"\n%s", t->o.check);
	Exit_status e = child_end(&(Child){ .command = command, .env = env, .out = "/dev/null" });

	return e.code || e.signal ? tune_printf(t, "'%s' says that it is wrong", t->o.check) : NULL;
}

const char *
outputs_compare(Tune *t, const char *out)
{
	const char *folder = tune_printf(t, "%s.outputs", t->o.cache), *wrong = NULL;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return tune_printf(t, "cannot make '%s': %s", folder, strerror(errno));
	if (t->o.check)
		wrong = check_outputs(t, out);
	else if (!t->o.no_stdout)
		wrong = check_one(t, 0, out, "standard output");
	for (uint32_t i = 0; i < t->o.outputs.n && !wrong; i++)
		wrong = check_one(t, i + 1, t->o.outputs.at[i],
			tune_printf(t, "'%s'", t->o.outputs.at[i]));
	return wrong;
}
