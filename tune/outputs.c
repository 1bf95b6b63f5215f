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

/* Returns the offset in b at which the texts start to differ; -1 if they do not. */
static long
find_difference(const Source *was, const Source *is, const Options *o)
{
	const char *a = was->text, *b = is->text;

	if (!o->any_rtol) {
		uint32_t i = 0;
		while (i < was->len && i < is->len && a[i] == b[i])
			i++;
		return i == was->len && i == is->len ? -1 : (long)i;
	}
	while (a < was->text + was->len && b < is->text + is->len) {
		if (begins_number(was->text, a) && begins_number(is->text, b)) {
			if (!numbers_are_near(&a, &b, o->rtol))
				return b - is->text;
		} else if (*a++ != *b++) {
			return b - 1 - is->text;
		}
	}
	return a == was->text + was->len && b == is->text + is->len ? -1 : b - is->text;
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
	long at = find_difference(&a, &b, &t->o);
	if (at >= 0)
		source_position(&b, (uint32_t)at < b.len ? (uint32_t)at : b.len, &line, &col);
	source_release(&a);
	source_release(&b);
	return at < 0 ? NULL : tune_printf(t, "%s differs from line %u on", name, line);
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
