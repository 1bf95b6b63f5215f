/* CCC markers: the comments that annotations become (docs/markers.md).
 *
 *	// begin inline asm
 *	// .ccc begin if 7 "bfs.cu":14 policy(stack) threshold(24)
 *	// end inline asm
 *
 * The scanner takes the three lines as one token, whatever the middle one says behind ".ccc", and also when the
 * third is missing; here it is read. A byte that could end an asm string or a line stands as =XX.
 */
#include "parser/build.h"

typedef struct {
	const char *at, *end;
	const char *wrong; /* what is wrong, NULL: nothing */
} Line;

static void
blanks(Line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
		l->at++;
}

/* Takes a word followed by a blank or the end. */
static bool
take(Line *l, const char *word)
{
	size_t n = strlen(word), left = (size_t)(l->end - l->at);

	if (left < n || memcmp(l->at, word, n) != 0 || (left > n && l->at[n] != ' ' && l->at[n] != '\t'))
		return false;
	l->at += n;
	blanks(l);
	return true;
}

static uint32_t
number(Line *l)
{
	uint64_t v = 0;
	const char *start = l->at;

	while (l->at < l->end && *l->at >= '0' && *l->at <= '9' && v < UINT32_MAX)
		v = 10 * v + (uint64_t)(*l->at++ - '0');
	if (l->at == start || v > UINT32_MAX)
		l->wrong = "a number is missing or too large";
	return (uint32_t)v;
}

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A copy of [s, end) with =XX decoded, NUL-terminated. */
static const char *
decode(Line *l, Arena *a, const char *s, const char *end)
{
	char *to = arena_alloc(a, (size_t)(end - s) + 1), *w = to;

	for (; s < end; s++) {
		if (*s != '=') {
			*w++ = *s;
			continue;
		}
		if (end - s < 3 || hex(s[1]) < 0 || hex(s[2]) < 0 || (hex(s[1]) == 0 && hex(s[2]) == 0)) {
			l->wrong = "'=' stands before two hexadecimal digits, capital, not 00";
			break;
		}
		*w++ = (char)(hex(s[1]) << 4 | hex(s[2]));
		s += 2;
	}
	*w = '\0';
	return to;
}

/* "file":line */
static void
position(Line *l, Arena *a, Cuda_pos *at)
{
	const char *start = l->at + 1;

	while (++l->at < l->end && *l->at != '"')
		;
	if (l->end - l->at < 2 || l->at[1] != ':') {
		l->wrong = "expected \"file\":line";
		return;
	}
	at->file = decode(l, a, start, l->at);
	l->at += 2;
	at->line = number(l);
	blanks(l);
}

static void
read_line(Line *l, Arena *a, Marker *k)
{
	static const struct { const char *word; Mark_kind kind; } kinds[] = { { "for", MARK_FOR }, { "if", MARK_IF },
		{ "path", MARK_PATH }, { "switch", MARK_SWITCH }, { "for-var", MARK_FOR_VAR }, { "while", MARK_WHILE },
		{ "iteration", MARK_ITERATION } };
	size_t i;

	k->clauses = "";
	k->end = take(l, "end");
	if (!k->end && !take(l, "begin") && !(k->done = take(l, "done"))) {
		l->wrong = "expected 'begin', 'end' or 'done'";
		return;
	}
	for (i = 0; i < sizeof kinds / sizeof *kinds && !take(l, kinds[i].word); i++)
		;
	if (i == sizeof kinds / sizeof *kinds) {
		l->wrong = "expected 'for', 'if', 'path', 'switch', 'for-var', 'while' or 'iteration'";
		return;
	}
	k->kind = (uint8_t)kinds[i].kind;
	k->id = number(l);
	if (!l->wrong && l->at < l->end && *l->at != ' ' && *l->at != '\t')
		l->wrong = "expected a number";
	blanks(l);
	if (!l->wrong && l->at < l->end && *l->at == '"')
		position(l, a, &k->cuda);
	else if (!l->wrong && !k->end && !k->done && k->kind != MARK_ITERATION)
		l->wrong = "expected \"file\":line";
	if (!l->wrong)
		k->clauses = decode(l, a, l->at, l->end);
}

/* The second line from behind ".ccc" to its last byte that is no white space. */
static Line
second_line(Parser *p, Span at)
{
	const char *s = p->text + at.pos, *end = p->text + at.end;
	const char *second = (const char *)memchr(s, '\n', (size_t)(end - s)) + 1;
	const char *third = memchr(second, '\n', (size_t)(end - second));
	Line l = { second, third ? third : end, NULL };

	while (*l.at != '.')
		l.at++;
	l.at += 4;
	if (l.at < l.end && *l.at != ' ' && *l.at != '\t')
		l.wrong = "expected a blank behind '.ccc'";
	blanks(&l);
	while (l.end > l.at && (l.end[-1] == ' ' || l.end[-1] == '\t' || l.end[-1] == '\r'))
		l.end--;
	if (!third)
		l.wrong = "the line behind it must be '// end inline asm'";
	return l;
}

void
parser_marker(Parser *p, Span at)
{
	Marker k = { .func = p->func };
	Line l = second_line(p, at);

	if (!l.wrong)
		read_line(&l, p->m->arena, &k);
	if (l.wrong) {
		parser_error(p, D_MARKER, (uint32_t)(l.at - p->text), "malformed CCC marker: %s", l.wrong);
		return;
	}
	k.stmt = p->stmts.n;
	parser_stmt(p, STMT_MARKER, at);
	p->stmts.at[k.stmt].sym = p->markers.n;
	*vec_push(&p->markers) = k;
	Func *f = &p->funcs.at[p->func];
	if (f->nmarkers++ == 0)
		f->marker = p->markers.n - 1;
}

void
parser_stray_marker(Parser *p, Span at)
{
	parser_error(p, D_MARKER, at.pos, "a CCC marker outside of a function's body");
}
