/* SPDX-License-Identifier: MIT */
/* facts: checks that the facts in the comments of a PTX file are exactly those that the analyses
 * find.
 *
 *	facts FILE.ptx ...      prints what differs; exit status 1 if anything does
 *	facts -b FILE.ptx       prints the file with its facts written anew (bless: read the result
 *	                        before you believe it)
 *
 * The first line says which analyses are checked: "// CHECK: dom live". A comment belongs to the
 * last statement that begins before it; several facts in one comment are parted by semicolons;
 * other comments are prose. Facts about a block are next to its first statement (below it, if that
 * is a marker), live-out beside its last, those about a whole function beside the body's first.
 *
 *	cfg      to: $L_1 B3 successors: by label, else B and the number in text order, or exit
 *	         unreachable
 *	dom      idom: B1               ipdom: exit
 *	loop     loop: depth 2 header $L_3      innermost loop of the block
 *	         irreducible
 *	live     live-in: %r1 %rd3      live-out: %r1
 *	defuse   reaches: 12 17 lines of the uses that the definition reaches ("reaches %p1:" if
 *	         there are several)
 *	         undefined: %r7 read, and not defined on some way from the entry (parameters are)
 *	         merge: %r1             several definitions of a live register meet here
 *	uniform  varying a result or the branch condition; "varying: %r1" if only some of the
 *	         results
 *	         varying use: %r1       though all definitions that reach are uniform
 *	         divergent              only some lanes may run the block together
 *	         iterations differ at a loop's header: lanes may be in different iterations of it
 *	effects  effects: read write    of the statement
 *	         runs: write            of the function, with its callees
 *	reduction  reduction            the statement folds a value into the register it writes
 *	local    local: %rd1 (17)       may hold an address of thread-local memory, by the statement
 *	                                in that line; (outside f): by a caller of f in another
 *	                                module
 *	         given: x (17)          a parameter that may hold one
 *	         finds: 17              such a one may be in memory
 *	         private                the function knows no others' and gives none away
 *	contraction  contracted: always, never or unknown: of a product that an addition reads
 *	         rounds                 a copy of the statement has a rounding modifier
 *	carry    carry: 17              the carry flag is live into the block: line of what reads it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "tests/analysis/found.h"

static const char *const group_names[GROUPS] = { "cfg", "dom", "loop", "live", "defuse", "uniform",
	"effects", "carry", "reduction", "local", "contraction" };

static const struct { const char *word; Group group;
} kinds[] = {
	{ "to", CFG },
	{ "unreachable", CFG },
	{ "idom", DOM },
	{ "ipdom", DOM },
	{ "loop", LOOP },
	{ "irreducible", LOOP },
	{ "live-in", LIVE },
	{ "live-out", LIVE },
	{ "reaches", DEFUSE },
	{ "undefined", DEFUSE },
	{ "merge", DEFUSE },
	{ "varying", UNIFORM },
	{ "divergent", UNIFORM },
	{ "iterations differ", UNIFORM },
	{ "effects", EFFECTS },
	{ "runs", EFFECTS },
	{ "carry", CARRY },
	{ "reduction", REDUCTION },
	{ "local", LOCAL },
	{ "given", LOCAL },
	{ "finds", LOCAL },
	{ "private", LOCAL },
	{ "contracted", CONTRACTION },
	{ "rounds", CONTRACTION },
};

static void
free_facts(Facts *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		xfree(v->at[i].text);
	vec_free(v);
}

/* ---- what the file says ---------------------------------------------------------------------- */

static bool
blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Whether the text of len bytes is a fact of a kind that is checked. */
static bool
is_fact(const Check *c, const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t n = strlen(kinds[i].word);
		if (c->checked[kinds[i].group] && len >= n && !strncmp(s, kinds[i].word, n) &&
				(len == n || s[n] == ':' || s[n] == ' '))
			return true;
	}
	return false;
}

/* Calls back for each trimmed section of a comment between semicolons. */
typedef void See_part(Check *c, uint32_t stmt, const char *s, size_t len, void *user);

static void
parts(Check *c, uint32_t stmt, Span comment, See_part *see, void *user)
{
	const char *s = c->fn->m->src->text + comment.pos, *end = c->fn->m->src->text + comment.end;

	while (s < end && *s == '/')
		s++;
	while (s < end) {
		const char *stop = memchr(s, ';', (size_t)(end - s)), *from = s;
		if (!stop)
			stop = end;
		s = stop + 1;
		while (from < stop && blank(*from))
			from++;
		while (from < stop && blank(stop[-1]))
			stop--;
		if (from < stop)
			see(c, stmt, from, (size_t)(stop - from), user);
	}
}

static void
see_fact(Check *c, uint32_t stmt, const char *s, size_t len, void *user)
{
	Buf b = {0};

	(void)user;
	if (!is_fact(c, s, len))
		return;
	buf_add(&b, s, len);
	fact_add(&c->written, stmt, &b);
}

/* The comment of the line that begins at pos, slashes included; empty, at the line's end, if it has
 * none. */
static Span
comment_of(const Source *src, uint32_t pos)
{
	const char *end = memchr(src->text + pos, '\n', src->len - pos);
	uint32_t stop = end ? (uint32_t)(end - src->text) : src->len;

	for (uint32_t i = pos; i + 1 < stop; i++)
		if (src->text[i] == '/' && src->text[i + 1] == '/')
			return (Span){ i, stop };
	return (Span){ stop, stop };
}

/* The last statement of the function that begins before pos, 0 if none does. */
static uint32_t
stmt_before(const Fn *fn, uint32_t pos)
{
	uint32_t lo = fn->f->stmt, hi = lo + fn->f->nstmt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (fn_stmt(fn, mid)->at.pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > fn->f->stmt ? lo - 1 : 0;
}

static uint32_t
next_line(const Source *src, uint32_t pos)
{
	const char *end = memchr(src->text + pos, '\n', src->len - pos);

	return end ? (uint32_t)(end - src->text) + 1 : src->len;
}

static void
read_function(Check *c)
{
	const Source *src = c->fn->m->src;
	Span block = c->fn->f->block;

	for (uint32_t pos = block.pos; pos < block.end; pos = next_line(src, pos)) {
		Span comment = comment_of(src, pos);
		uint32_t stmt = stmt_before(c->fn, comment.pos);
		if (stmt && comment.pos < block.end)
			parts(c, stmt, comment, see_fact, NULL);
	}
}

/* ---- comparison ------------------------------------------------------------------------------ */

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the words after the colon: they are a set. */
static void
normalise(char *text)
{
	char *words[512], *at = strchr(text, ':'), *copy;
	size_t n = 0;

	if (!at || !strncmp(text, "loop:", 5))
		return;
	copy = xmalloc(strlen(at) + 1);
	strcpy(copy, at + 1);
	for (char *w = strtok(copy, " \t"); w && n < sizeof words / sizeof *words;
		w = strtok(NULL, " \t"))
		words[n++] = w;
	qsort(words, n, sizeof *words, by_text);
	for (size_t i = 0; i < n; i++) {
		*++at = ' ';
		at = strcpy(at + 1, words[i]) + strlen(words[i]) - 1;
	}
	xfree(copy);
}

static int
by_stmt(const void *a, const void *b)
{
	const Fact *x = a, *y = b;

	if (x->stmt != y->stmt)
		return x->stmt < y->stmt ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void
sort_facts(Facts *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		normalise(v->at[i].text);
	if (v->n)
		qsort(v->at, v->n, sizeof *v->at, by_stmt);
}

/* Prints the facts that only one side has, and returns their number. */
static uint32_t
compare_facts(Check *c, const char *file)
{
	const Module *m = c->fn->m;
	uint32_t i = 0, k = 0, bad = 0;

	sort_facts(&c->found);
	sort_facts(&c->written);
	while (i < c->found.n || k < c->written.n) {
		const Fact *f = i < c->found.n ? &c->found.at[i] : NULL,
			   *w = k < c->written.n ? &c->written.at[k] : NULL;
		int order = !f ? 1 : !w ? -1 : by_stmt(f, w);
		if (order < 0)
			printf("%s:%u: missing '%s'\n", file, dump_line(m, f->stmt), f->text);
		else if (order > 0)
			printf("%s:%u: wrong '%s'\n", file, dump_line(m, w->stmt), w->text);
		bad += order != 0;
		i += order <= 0;
		k += order >= 0;
	}
	return bad;
}

/* ---- blessing -------------------------------------------------------------------------------- */

typedef struct { Buf *out; const char *sep; } Bless;

static void
keep_prose(Check *c, uint32_t stmt, const char *s, size_t len, void *user)
{
	Bless *b = user;

	(void)stmt;
	if (is_fact(c, s, len))
		return;
	buf_puts(b->out, b->sep);
	buf_add(b->out, s, len);
	b->sep = "; ";
}

/* Returns an offset in the line to which the facts about a statement are added. A marker's last
 * line must not change. */
static uint32_t
fact_line(const Fn *fn, uint32_t stmt)
{
	uint32_t end = fn_stmt(fn, stmt)->at.end;

	return fn_stmt(fn, stmt)->kind == STMT_MARKER ? next_line(fn->m->src, end) + 1 : end;
}

/* Prints a line without its facts, then with those found about statements. */
static void
bless_line(Check *c, uint32_t pos, uint32_t next, Buf *out)
{
	const Fn *fn = c->fn;
	const char *text = fn->m->src->text;
	Span comment = comment_of(fn->m->src, pos);
	uint32_t code = comment.pos;
	Bless b = { out, "\t// " };

	while (code > pos && blank(text[code - 1]))
		code--;
	buf_add(out, text + pos, code - pos);
	if (comment.pos == pos)
		b.sep = "// ";
	parts(c, 0, comment, keep_prose, &b);
	for (uint32_t i = 0; i < c->found.n; i++) {
		uint32_t end = fact_line(fn, c->found.at[i].stmt);
		if (end <= pos || end > next - 1)
			continue;
		buf_puts(out, b.sep);
		buf_puts(out, c->found.at[i].text);
		b.sep = "; ";
	}
	buf_putc(out, '\n');
}

static void
bless_function(Check *c, uint32_t *at, Buf *out)
{
	const Source *src = c->fn->m->src;

	while (*at < c->fn->f->block.end) {
		uint32_t next = next_line(src, *at);
		if (*at < c->fn->f->block.pos)
			buf_add(out, src->text + *at, next - *at);
		else
			bless_line(c, *at, next, out);
		*at = next;
	}
}

/* ---- driver ---------------------------------------------------------------------------------- */

static bool
read_groups(Check *c, const Source *src)
{
	static const char head[] = "// CHECK:";
	char line[128];
	bool any = false;

	snprintf(line, sizeof line, "%.*s", (int)(strcspn(src->text, "\n")), src->text);
	if (strncmp(line, head, sizeof head - 1))
		return false;
	for (char *w = strtok(line + sizeof head - 1, " \t\r"); w; w = strtok(NULL, " \t\r")) {
		Group k = 0;
		while (k < GROUPS && strcmp(group_names[k], w))
			k++;
		if (k == GROUPS)
			return false;
		any = c->checked[k] = true;
	}
	return any;
}

static uint32_t
check_module(Check *c, const Module *m, const char *file, Buf *out)
{
	Arena *a = arena_new();
	uint32_t bad = 0, at = 0;

	c->effects = effects_build(m, a);
	const Threads *threads = threads_build(m, c->effects, a);
	const Locals *latest = NULL;
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		if (!m->funcs[f].body)
			continue;
		c->fn = fn_build(m, f, c->effects, a);
		c->locals = latest ? local_share(latest, threads, f, a) : NULL;
		if (!c->locals)
			c->locals = latest = local_build(m, threads, f, a);
		found_function(c);
		if (out) {
			bless_function(c, &at, out);
		} else {
			read_function(c);
			bad += compare_facts(c, file);
		}
		free_facts(&c->found);
		free_facts(&c->written);
	}
	if (out)
		buf_add(out, m->src->text + at, m->src->len - at);
	arena_free(a);
	return bad;
}

static int
check_file(const char *file, bool bless)
{
	Check c = {0};
	Source src;
	const char *why;
	uint32_t bad = 1;
	Buf out = {0};

	if (!source_read(&src, file, &why)) {
		printf("%s: %s\n", file, why);
		return 1;
	}
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	diags_print(d, stdout);
	if (!read_groups(&c, &src))
		printf("%s:1: no '// CHECK:' line with what to check\n", file);
	else if (m)
		bad = check_module(&c, m, file, bless ? &out : NULL);
	if (out.n)
		fwrite(out.at, 1, out.n, stdout);
	buf_free(&out);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return bad != 0;
}

int
main(int argc, char **argv)
{
	bool bless = argc > 1 && !strcmp(argv[1], "-b");
	int status = 0;

	for (int i = 1 + bless; i < argc; i++)
		status |= check_file(argv[i], bless);
	return status;
}
