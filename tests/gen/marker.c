/* SPDX-License-Identifier: MIT */
/* Annotations: markers and their clauses. */
#include <string.h>
#include "tests/gen/inner.h"

/* The line and the clauses of a wait point: the same for both arms of a branch. */
static void
begin_wait(Gen *g, const char *kind, uint32_t number)
{
	static const char *const delay[] = { "", " threshold(5)", " policy(live) threshold(20)",
		" policy(majority)", " policy(majority) threshold(3)", " policy(cycle)",
		" policy(cycle(2,3))", " policy(cycle(1,2)) idle", " policy(wait(6))" };
	static const char *const predict[] = { "", " threshold(8)", " threshold(24)",
		" threshold(2)" };
	static const char *const unify[] = { "", " policy(ahead(5))", " policy(ahead(9))",
		" policy(ahead(16))", "" };
	uint32_t at = *kind == 'p' ? number : g->arms, any = (at + g->salt) * 2654435761U >> 16;

	buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s\n", kind, number, 10 + at,
		*kind == 'd'         ? delay[any % 9] :
			*kind == 'u' ? unify[any % 5] :
				       predict[any % 4]);
}

/* The arms of a branch have the clauses of its annotation. */
static void
begin_any(Gen *g, const char *kind, uint32_t number, uint32_t at)
{
	bool arms = *kind == 'u' || !strcmp(kind, "delay");
	uint32_t line = arms ? 10 + g->arms : at;

	buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u", kind, number, line);
	clauses_any(g, kind, arms || !strcmp(kind, "distribute") ? line : 0);
	buf_puts(g->body, "\n");
}

/* Returns " warpwide" for the loop, or for its paths, by the salt. */
static const char *
warpwide(const Gen *g, const char *kind)
{
	bool path = !strcmp(kind, "if") || !strcmp(kind, "path") || !strcmp(kind, "case");

	return g->together && (g->salt % 2 ? !strcmp(kind, "for") : path) ? " warpwide" : "";
}

/* The policies of a path that is collected with its inner loops expanded, and of those loops. */
static const char *
joined(Gen *g, const char *kind, uint32_t number)
{
	static const char *const paths[] = { " policy(queue)", " policy(queue(2))",
		" policy(stack)", " policy(queue(4))", " policy(stack) threshold(20)",
		" policy(queue) threshold(3)" };

	if (!strcmp(kind, "for-var"))
		return number % 3 ? " policy(expand)" : " policy(expand(choose))";
	return paths[below(g, sizeof paths / sizeof *paths)];
}

static const char *
retreat(const Gen *g)
{
	static const char *const rounds[] = { "", " retreat(1)", " retreat(2)", " retreat(3)" };

	return rounds[g->retreats];
}

/* The policies of loops whose paths share a vote, and of those paths. */
static const char *
shared(const char *kind, uint32_t number)
{
	if (!strcmp(kind, "switch"))
		return " paths(64)";
	if (!strcmp(kind, "for"))
		return number % 2 ? " policy(queue)" : " policy(queue) threads(100)";
	return number % 3 ? "" : " reassociate";
}

bool
has_head(const Gen *g, const char *kind)
{
	return g->heads && (!strcmp(kind, "if") || !strcmp(kind, "path"));
}

/* The clause of an annotation; some loops draw iterations of the block. */
static const char *
of_block(const Gen *g, const char *kind, const char *clause)
{
	if (*kind != 'a' || g->salt / 64 % 2 == 0)
		return clause;
	return g->salt / 128 % 3 ? " policy(block)" : " policy(block) threads(40)";
}

void
stmt_marker(Gen *g, const char *what, const char *kind, uint32_t number)
{
	static const char *const clauses[] = { "", " threshold(24)", " reassociate", " independent",
		" policy(stack)", " policy(queue)", " threads(64)", " threads(100)", " threads(40)",
		" threshold(20)", " threshold(3)", " policy(queue(3))" };
	static const char *const ahead[] = { "", "", " policy(ahead(2))", " policy(ahead(5))",
		" policy(ahead(1))", " independent", " policy(stack)", " policy(majority)" };
	static const char *const turning[] = { "", "", " policy(ahead(16))", " policy(ahead(5))",
		" policy(ahead(24))", " independent", "", " policy(ahead(17))" };
	static const char *const assigned[] = { "", " threshold(5)", " policy(wait(3))",
		" policy(cycle)", " policy(live) threshold(9)", " policy(majority)" };
	static const char *const cases[] = { " paths(64)", " paths(64)", " paths(64)", " paths(2)",
		" paths(auto)", "" };
	bool loop = *kind == 'f' || *kind == 'g';
	static const char *const expanded[] = { " policy(expand)", " policy(expand)",
		" policy(expand)", " policy(expand(choose))" };
	bool rows = g->rows && !g->shares && !g->joins;
	const char *const *from = !strcmp(kind, "switch") ? cases :
		rows && loop                              ? expanded :
		g->assigns && !loop                       ? assigned :
		g->turns && loop                          ? turning :
		g->looks && loop                          ? ahead :
							    clauses;
	uint32_t at = 10 + (*kind == 'd' ? number & ~1u : number);
	/* of those with long rows, paths name no policy */
	uint32_t n = rows ? 4 : !loop ? 6 : from == ahead || from == turning ? 8 : 12;
	const char *order = *kind == 'f' && chance(g, 40) ? " reduction(+:=20s)" : "";
	buf_puts(g->body, "\t// begin inline asm\n");
	if (!strcmp(kind, "iteration"))
		buf_printf(g->body, "\t// .ccc begin iteration %u\n", number);
	else if (*what == 'b' && g->wordy)
		begin_any(g, kind, number, at);
	else if (*what == 'b' && (*kind == 'u' || !strcmp(kind, "delay") || !strcmp(kind, "predict")))
		begin_wait(g, kind, number);
	else if (*what == 'b' && g->shares && strcmp(kind, "for-var") != 0 && *kind != 'd')
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s%s%s\n", kind, number, at,
			shared(kind, number), order, warpwide(g, kind));
	else if (*what == 'b' && g->joins && !loop && strcmp(kind, "switch") != 0)
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s%s%s\n", kind, number, at,
			joined(g, kind, number), order, warpwide(g, kind));
	else if (*what == 'b' && g->joins && !strcmp(kind, "for-var"))
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s%s\n", kind, number, at,
			g->place == PATH ? joined(g, kind, number) : "", order);
	else if (*what == 'b')
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s%s%s%s%s%s%s\n", kind, number, at,
			strcmp(kind, "for-var") ? of_block(g, kind, from[below(g, n)]) : "",
			order, warpwide(g, kind),
			has_head(g, kind) ? " coalesced" : "",
			g->said && strcmp(kind, "for-var") ? " scratch" : "",
			*kind == 'g' && g->salt / 32 % 2 ? " dynamic" : "",
			loop && strcmp(kind, "for-var") != 0 ? retreat(g) : "");
	else
		buf_printf(g->body, "\t// .ccc end %s %u\n", kind, number);
	buf_puts(g->body, "\t// end inline asm\n");
}
