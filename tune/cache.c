/* SPDX-License-Identifier: MIT */
/* Stores measurements as JSON, with the program that they belong to. The file is replaced by a
 * rename, so that it is complete however ccc-tune ends. If it belongs to a different program,
 * build or set of sites, it is discarded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/source.h"
#include "commit.h"
#include "report/unit.h"
#include "tune/tune.h"

static void
write_member(Buf *out, const char *name, const char *text)
{
	buf_printf(out, ", \"%s\": ", name);
	json_string(out, text);
}

/* Writes what the measurements belong to, on one line. */
static void
write_subject(const Tune *t, Buf *out)
{
	buf_puts(out, "{\"program\": \"ccc-tune\"");
	write_member(out, "version", VERSION COMMIT);
	write_member(out, "build", t->o.build);
	write_member(out, "timer", timer_names[t->o.timer]);
	buf_printf(out, ", \"runs\": %u", t->o.runs);
	buf_puts(out, ", \"command\": [");
	for (char **a = t->o.program; *a; a++) {
		buf_puts(out, a == t->o.program ? "" : ", ");
		json_string(out, *a);
	}
	buf_puts(out, "]");
	write_member(out, "check", t->o.check ? t->o.check : "");
	buf_printf(out, ", \"stdout\": %s, \"rtol\": %g, \"outputs\": [",
		t->o.no_stdout ? "false" : "true", t->o.any_rtol ? t->o.rtol : 0);
	for (uint32_t i = 0; i < t->o.outputs.n; i++) {
		buf_puts(out, i ? ", " : "");
		json_string(out, t->o.outputs.at[i]);
	}
	buf_puts(out, "]");
}

static void
put_site(const Site *s, Buf *out)
{
	buf_puts(out, "{\"key\": ");
	json_string(out, s->key);
	write_member(out, "function", s->name);
	write_member(out, "file", s->file);
	buf_printf(out, ", \"line\": %u", s->line);
	write_member(out, "now", s->now);
	buf_puts(out, ", \"options\": [");
	for (uint32_t i = 0; i < s->noptions; i++) {
		buf_puts(out, i ? ", {\"policy\": " : "{\"policy\": ");
		json_string(out, s->options[i].policy);
		buf_printf(out, ", \"expected\": %.2f}", s->options[i].expected);
	}
	buf_puts(out, "]}");
}

static void
put_measure(const Measure *m, Buf *out)
{
	buf_puts(out, "{\"plan\": ");
	json_string(out, m->plan);
	write_member(out, "tried", tried_names[m->tried]);
	if (m->tried == TRIED_WELL)
		buf_printf(out, ", \"time\": %.17g, \"spread\": %.17g", m->time, m->spread);
	else
		write_member(out, "why", m->why);
	if (m->few)
		write_member(out, "few", m->few);
	buf_putc(out, '}');
}

bool
cache_write(const Tune *t)
{
	Buf out = { 0 };
	const char *why;

	write_subject(t, &out);
	if (t->any_noise)
		buf_printf(&out, ",\n\"noise\": %.17g", t->noise);
	buf_puts(&out, ",\n\"sites\": [");
	for (uint32_t i = 0; i < t->sites.n; i++) {
		buf_puts(&out, i ? ",\n    " : "\n    ");
		put_site(&t->sites.at[i], &out);
	}
	buf_puts(&out, "],\n\"measurements\": [");
	for (uint32_t i = 0; i < t->measures.n; i++) {
		buf_puts(&out, i ? ",\n    " : "\n    ");
		put_measure(&t->measures.at[i], &out);
	}
	buf_puts(&out, "]}\n");
	bool ok = source_write(t->o.cache, out.at, out.n, &why);
	if (!ok)
		tune_say("cannot write '%s': %s", t->o.cache, why);
	buf_free(&out);
	return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void
read_sites(Tune *t, const Json *j, Sites *to)
{
	JSON_EACH(json_member(j, "sites"), k) {
		Site s = { .key = json_text(k, "key"), .now = json_text(k, "now") };
		uint32_t n = 0;
		if (!s.key || !s.now)
			continue;
		JSON_EACH(json_member(k, "options"), o)
			n++;
		s.options = arena_array(t->arena, n + 1u, sizeof *s.options);
		JSON_EACH(json_member(k, "options"), o)
			if (json_text(o, "policy"))
				s.options[s.noptions++].policy = json_text(o, "policy");
		*vec_push(to) = s;
	}
}

static void
read_measures(Tune *t, const Json *j)
{
	const Json *noise = json_member(j, "noise");

	t->any_noise = noise != NULL;
	t->noise = json_number(j, "noise");
	JSON_EACH(json_member(j, "measurements"), k) {
		Measure m = { .plan = json_text(k, "plan"), .why = json_text(k, "why"),
			.few = json_text(k, "few"), .time = json_number(k, "time"),
			.spread = json_number(k, "spread") };
		const char *tried = json_text(k, "tried");
		while (tried && m.tried < TRIED_OUTPUT && strcmp(tried, tried_names[m.tried]) != 0)
			m.tried++;
		if (m.plan && (m.tried == TRIED_WELL ? m.time > 0 : m.why != NULL))
			*vec_push(&t->measures) = m;
	}
}

/* Whether the file belongs to this program, these sites and this version of ccc-tune. */
static bool
cache_matches(Tune *t, const char *text, const Json *j)
{
	Sites sites = { 0 };
	Buf want = { 0 };

	write_subject(t, &want);
	bool same = strncmp(text, want.at, want.n) == 0;
	buf_free(&want);
	if (same)
		read_sites(t, j, &sites);
	same = same && sites_same(&sites, &t->sites);
	vec_free(&sites);
	return same;
}

void
cache_read(Tune *t)
{
	Source s;
	const char *why;

	if (!source_read(&s, t->o.cache, &why)) {
		outputs_forget(t);
		return;
	}
	const Json *j = json_read(s.text, t->arena);
	if (cache_matches(t, s.text, j)) {
		read_measures(t, j);
		tune_say("%u measurements are in '%s'", t->measures.n, t->o.cache);
	} else {
		tune_say("'%s' is of another program or build: it is begun anew", t->o.cache);
		outputs_forget(t);
	}
	source_release(&s);
}
