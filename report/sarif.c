/* SPDX-License-Identifier: MIT */
/* Units as SARIF 2.1.0 (OASIS standard), which code hosts and editors show at the source line.
 * See unit.h.
 *
 * A site that was not transformed is a result of level note, a transformed one is of kind pass.
 * Each kind of diagnostic is a rule. File names are relative to the compiler's working
 * directory, which is in originalUriBaseIds. */
#include <string.h>
#include "report/unit.h"

static const char *
rule_of(const Unit_site *s)
{
	return s->done  ? s->branch ? "melded" :
			 s->remap   ? "remapped" :
				      "transformed" :
		s->kind ? s->kind :
			  "left";
}

static const char *
rule_summary(const char *rule)
{
	static const struct { const char *name, *text; } rows[] = {
		{ "transformed", "the tasks of a divergent branch are collected" },
		{ "melded", "the arms of a branch are one piece of code" },
		{ "remapped", "the threads of a block exchange work before a branch" },
		{ "left", "left unchanged" },
#define DIAG(id, name, level, rule_summary) { name, rule_summary },
#include "base/diags.def"
#undef DIAG
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, rule) == 0)
			return rows[i].text;
	return rule;
}

/* Iterates over all sites with their units. */
#define EACH_SITE(r, u, s) \
	for (uint32_t u##_i = 0; u##_i < (r)->units->n; u##_i++) \
		for (const Unit *u = &(r)->units->at[u##_i], *u##_once = u; u##_once; \
			u##_once = NULL) \
			for (uint32_t s##_i = 0; s##_i < u->sites.n; s##_i++) \
				for (const Unit_site *s = &u->sites.at[s##_i], *s##_once = s; \
					s##_once; s##_once = NULL)

static void
write_rules(const Units_report *r, Buf *out)
{
	VEC(const char *) seen = { 0 };

	EACH_SITE(r, u, s) {
		const char *rule = rule_of(s);
		uint32_t i = 0;
		while (i < seen.n && strcmp(seen.at[i], rule) != 0)
			i++;
		if (i < seen.n)
			continue;
		*vec_push(&seen) = rule;
		buf_printf(out, "%s\n      {\"id\": ", i ? "," : "");
		json_string(out, rule);
		buf_puts(out, ", \"shortDescription\": {\"text\": ");
		json_string(out, rule_summary(rule));
		buf_puts(out, "}}");
	}
	vec_free(&seen);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Writes a file name as part of a URI. */
static void
write_uri(Buf *out, const char *s)
{
	for (; *s; s++)
		if (strchr("/._-~+,@=()!$&'*;", *s) || (*s >= '0' && *s <= '9') ||
			(*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z'))
			buf_putc(out, *s);
		else
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)*s);
}

/* Returns the number of a unit's folder among all folders; UINT32_MAX if it has none. */
static uint32_t
folder_number(const Units *all, const Unit *u)
{
	for (uint32_t i = 0; u->folder && i < all->n; i++)
		if (all->at[i].folder && strcmp(all->at[i].folder, u->folder) == 0)
			return i;
	return UINT32_MAX;
}

static void
write_folders(const Units_report *r, Buf *out)
{
	bool any = false;

	for (uint32_t i = 0; i < r->units->n; i++) {
		if (folder_number(r->units, &r->units->at[i]) != i)
			continue;
		buf_printf(out, "%s\n    \"FOLDER%u\": {\"uri\": \"file://", any ? "," : "", i);
		write_uri(out, r->units->at[i].folder);
		buf_puts(out, "/\"}");
		any = true;
	}
}

static void
write_physical_location(const Units_report *r, const Unit *u, Cuda_pos at, Buf *out)
{
	uint32_t folder = folder_number(r->units, u);

	buf_puts(out, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"");
	if (at.file[0] == '/')
		buf_puts(out, "file://");
	write_uri(out, at.file);
	buf_putc(out, '"');
	if (at.file[0] != '/' && folder != UINT32_MAX)
		buf_printf(out, ", \"uriBaseId\": \"FOLDER%u\"", folder);
	buf_printf(out, "}, \"region\": {\"startLine\": %u", at.line ? at.line : 1);
	if (at.col)
		buf_printf(out, ", \"startColumn\": %u", at.col);
	buf_puts(out, "}}");
}

static void
write_related_locations(const Units_report *r, const Unit *u, const Unit_site *s, Buf *out)
{
	bool any = false;

	for (uint32_t i = 0; i < s->notes.n; i++) {
		if (!s->notes.at[i].at.file)
			continue;
		buf_puts(out, any ? ", {" : ",\n     \"relatedLocations\": [{");
		write_physical_location(r, u, s->notes.at[i].at, out);
		buf_puts(out, ", \"message\": {\"text\": ");
		json_string(out, s->notes.at[i].text);
		buf_puts(out, "}}");
		any = true;
	}
	if (any)
		buf_putc(out, ']');
}

/* ---- results --------------------------------------------------------------------------------- */

static void
write_message(const Unit_site *s, Buf *out)
{
	Buf line = { 0 };

	site_line(s, &line);
	if (s->kernel)
		buf_printf(&line, " (in %s)", s->kernel);
	if (s->remedy)
		buf_printf(&line, "\n%s", s->remedy);
	json_string(out, line.at);
	buf_free(&line);
}

static void
write_result(const Units_report *r, const Unit *u, const Unit_site *s, Buf *out)
{
	Cuda_pos at = site_place(s);

	buf_puts(out, "\n    {\"ruleId\": ");
	json_string(out, rule_of(s));
	buf_puts(out,
		s->done ? ", \"kind\": \"pass\", \"level\": \"none\"" : ", \"level\": \"note\"");
	buf_puts(out, ", \"message\": {\"text\": ");
	write_message(s, out);
	buf_puts(out, "},\n     \"locations\": [{");
	if (at.file) {
		write_physical_location(r, u, at, out);
		buf_puts(out, ", ");
	}
	buf_puts(out, "\"logicalLocations\": [{\"kind\": \"function\", \"name\": ");
	json_string(out, s->kernel ? s->kernel : s->function);
	buf_puts(out, ", \"decoratedName\": ");
	json_string(out, s->function);
	buf_puts(out, "}]}]");
	write_related_locations(r, u, s, out);
	buf_puts(out, ",\n     \"properties\": {\"source\": ");
	json_string(out, u->source);
	buf_puts(out, ", \"arch\": ");
	json_string(out, u->arch);
	Buf site = { 0 };
	buf_putc(&site, '{');
	json_site(s, &site);
	buf_puts(out, ", ");
	buf_add(out, site.at + 1, site.n - 1);
	buf_free(&site);
	buf_puts(out, "}}");
}

void
units_sarif(const Units_report *r, Buf *out)
{
	bool any = false;

	buf_puts(out,
		"{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", \"runs\": [{\n"
		"  \"tool\": {\"driver\": {\"name\": \"ptxccc\", \"version\": ");
	json_string(out, r->version);
	buf_puts(out, ", \"rules\": [");
	write_rules(r, out);
	buf_puts(
		out, "]}},\n  \"columnKind\": \"unicodeCodePoints\",\n  \"originalUriBaseIds\": {");
	write_folders(r, out);
	buf_puts(out, "},\n  \"results\": [");
	EACH_SITE(r, u, s) {
		buf_puts(out, any ? "," : "");
		write_result(r, u, s, out);
		any = true;
	}
	buf_puts(out, "\n  ]\n}]}\n");
}
