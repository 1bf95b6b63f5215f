/* SPDX-License-Identifier: MIT */
/* Parses the options of a context. See ptxccc.h. */
#include <stdlib.h>
#include <string.h>
#include "lib/context.h"
#include "suggest/auto_layers.h"
#include "suggest/rolled.h"

typedef bool Option_handler(ptxccc *c, const char *value); /* false: the value is invalid */

/* Parses an integer from least to most. Returns false if the text is none. */
static bool
parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *n)
{
	char *behind;
	unsigned long v = strtoul(text, &behind, 10);

	if (v < least || v > most || *behind || *text < '0' || *text > '9')
		return false;
	*n = (uint32_t)v;
	return true;
}

/* Parses a policy's name with its number or word, if it takes one. */
static bool
take_policy(ptxccc *c, const char *value)
{
	Annot_policy policy;
	uint32_t n;

	if (!annot_policy_read(value, &policy, &n) || policy == POLICY_NONE)
		return false;
	c->pass.policy = policy;
	c->pass.policy_n = n;
	return true;
}

static bool
take_threads(ptxccc *c, const char *value)
{
	return parse_number(value, 1, 1024, &c->pass.launch.threads);
}

static bool
take_max_regs(ptxccc *c, const char *value)
{
	return parse_number(value, 16, 255, &c->pass.max_regs);
}

static bool
take_no_compress(ptxccc *c, const char *value)
{
	return c->pass.no_compress = *value == '\0';
}

static bool
take_no_costliest(ptxccc *c, const char *value)
{
	return c->pass.no_costliest = *value == '\0';
}

static bool
take_dynamic(ptxccc *c, const char *value)
{
	Launch_options *l = &c->pass.launch;
	return l->dynamic_known = parse_number(value, 0, 1 << 20, &l->dynamic);
}

static bool
take_grid(ptxccc *c, const char *value)
{
	return c->pass.grid = *value == '\0';
}

static bool
take_grid_blocks(ptxccc *c, const char *value)
{
	return parse_number(value, 1, 32, &c->pass.launch.grid_blocks);
}

static bool
take_sms(ptxccc *c, const char *value)
{
	return parse_number(value, 1, 4096, &c->pass.launch.sms);
}

static bool
take_suggest(ptxccc *c, const char *value)
{
	static const struct { const char *value; Suggest *what; } all[] = {
		{ "", suggest_write_table }, { "=layers", auto_layers_write }, { "=rolled", rolled_write },
		{ "=possible", possible_write },
		{ "=promises", suggest_write_promises },
		{ "=fixes", suggest_write_fixes },
	};

	c->suggest = NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(value, all[i].value) == 0)
			c->suggest = all[i].what;
	return c->suggest != NULL;
}

static bool
take_auto(ptxccc *c, const char *value)
{
	c->pass.remedies = strcmp(value, "=remedies") == 0;
	return c->automatic = *value == '\0' || c->pass.remedies;
}

/* Nothing, or "=" and a file name. */
static bool
take_generate(ptxccc *c, const char *value)
{
	size_t n = strlen(value) + 1;

	if (*value && (*value != '=' || !value[1]))
		return false;
	c->generates = true;
	c->generates_to = c->heap.allocate(
		c->heap.user, c->generates_to, sizeof *c->generates_to + n);
	if (c->generates_to)
		memcpy(c->generates_to->name, *value ? value + 1 : value, n - (*value != '\0'));
	return c->generates_to != NULL;
}

static bool
take_check_promise(ptxccc *c, const char *value)
{
	uint32_t n = 21;

	if (*value && (*value != '=' || !parse_number(value + 1, 1, 25, &n)))
		return false;
	c->pass.instrument.check_promise = n;
	c->generates = true;
	return true;
}

static bool
take_sampling(ptxccc *c, const char *value)
{
	return parse_number(value, 0, 16, &c->pass.instrument.sampling);
}

static bool
take_stop(ptxccc *c, const char *value)
{
	c->pass.debug.stop_after = step_by_name(value) + 1u;
	return c->pass.debug.stop_after <= STEP_COUNT;
}

/* Letters of steps; a capital P prints the plan as a graph. */
static bool
take_show(ptxccc *c, const char *value)
{
	for (const char *s = value; *s; s++) {
		bool known = false;
		for (uint32_t i = 0; i < STEP_COUNT; i++)
			if (steps[i].letter == (*s == 'P' ? 'p' : *s))
				known = c->pass.debug.show[i] = true;
		if (!known)
			return false;
		c->pass.debug.dot |= *s == 'P';
	}
	return *value != '\0';
}

static bool
take_explain(ptxccc *c, const char *value)
{
	return c->explains = *value == '\0';
}

static bool
take_verify(ptxccc *c, const char *value)
{
	return c->pass.debug.verify = *value == '\0';
}

static bool
take_validate(ptxccc *c, const char *value)
{
	return c->pass.validate = *value == '\0';
}

static bool
take_no_validate(ptxccc *c, const char *value)
{
	c->pass.validate = false;
	return *value == '\0';
}

static bool
take_omit(ptxccc *c, const char *value)
{
	return tpl_parse_place(value, &c->pass.debug.omit);
}

/* Returns the index of value in words; UINT32_MAX if it is none of them. */
static uint32_t
match_word(const char *value, const char *const *words)
{
	for (uint32_t i = 0; words[i]; i++)
		if (!strcmp(value, words[i]))
			return i;
	return UINT32_MAX;
}

static bool
take_choose(ptxccc *c, const char *value)
{
	static const char *const words[] = { "best", "always", "first", NULL }; /* ORDER Auto_mode */
	uint32_t i = match_word(value, words);

	if (i < UINT32_MAX)
		c->pass.auto_mode = (Auto_mode)i;
	return i < UINT32_MAX;
}

static bool
take_fp(ptxccc *c, const char *value)
{
	static const char *const words[] = { "promised", "exact", "relaxed", NULL }; /* ORDER Fp_mode */
	uint32_t i = match_word(value, words);

	if (i < UINT32_MAX)
		c->pass.fp = (Fp_mode)i;
	return i < UINT32_MAX;
}

/* A word, or a number of rounds. */
static bool
take_retreat(ptxccc *c, const char *value)
{
	static const char *const words[] = { "auto", "always", "never", NULL }; /* ORDER Fallback_mode */
	const Annot_range rounds = annot_clauses[CLAUSE_RETREAT].range;
	uint32_t i = match_word(value, words);

	if (i < UINT32_MAX) {
		c->pass.fallback = (Fallback_mode)i;
		return true;
	}
	c->pass.fallback = FALLBACK_ALWAYS;
	return parse_number(value, rounds.least, rounds.most, &c->pass.fallback_rounds);
}

static bool
take_occupancy(ptxccc *c, const char *value)
{
	static const char *const words[] = { "keep", "ignore", NULL };
	uint32_t i = match_word(value, words);

	c->pass.ignore_occupancy = i == 1;
	return i < UINT32_MAX;
}

static bool
take_strict(ptxccc *c, const char *value)
{
	if (*value)
		return false;
	diag_strict(&c->warnings);
	return true;
}

static bool
take_assemble_whole(ptxccc *c, const char *value)
{
	return c->pass.assemble_whole = *value == '\0';
}

static bool
take_other_assembler(ptxccc *c, const char *value)
{
	return c->other_assembler = *value == '\0';
}

static bool
take_no_other_assembler(ptxccc *c, const char *value)
{
	c->other_assembler &= *value != '\0';
	return *value == '\0';
}

static bool
take_strip(ptxccc *c, const char *value)
{
	return c->strip_lines = *value == '\0';
}

static bool
take_timed(ptxccc *c, const char *value)
{
	return c->pass.launch.timed = *value == '\0';
}

/* Nothing, or "=" and the name of a kernel. */
static bool
take_switchable(ptxccc *c, const char *value)
{
	size_t n = strlen(value) + 1;

	if (*value && (*value != '=' || !value[1]))
		return false;
	c->switchable = true;
	if (!*value)
		return true;
	Given_text *g = c->heap.allocate(c->heap.user, NULL, sizeof *g + n);
	if (!g)
		return false;
	*g = (Given_text){ .before = c->switched };
	memcpy(g->name, value + 1, n - 1);
	c->switched = g;
	return true;
}

static bool
take_color(ptxccc *c, const char *value)
{
	return c->style.color = *value == '\0';
}

static bool
take_excerpts(ptxccc *c, const char *value)
{
	static const char *const names[] = { "ptx", "cuda", "all" }; /* ORDER Diag_show */

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, names[i])) {
			c->style.show = (Diag_show)i;
			return true;
		}
	return false;
}

static bool
take_warning(ptxccc *c, const char *value)
{
	return diag_option(&c->warnings, value);
}

/* A name without '=' takes no value. */
static const struct { const char *name; Option_handler *take; } options[] = {
	{ "--policy=", take_policy },
	{ "--choose=", take_choose },
	{ "--retreat=", take_retreat },
	{ "--fp=", take_fp },
	{ "--occupancy=", take_occupancy },
	{ "--threads=", take_threads },
	{ "--max-regs=", take_max_regs },
	{ "--no-compress", take_no_compress },
	{ "--no-costliest", take_no_costliest },
	{ "--dynamic-shared=", take_dynamic },
	{ "--grid-blocks=", take_grid_blocks },
	{ "--grid", take_grid },
	{ "--sms=", take_sms },
	{ "--suggest", take_suggest },
	{ "--auto", take_auto },
	{ "--profile-generate", take_generate },
	{ "--profile-sampling=", take_sampling },
	{ "--check-promise", take_check_promise },
	{ "--stop-after=", take_stop },
	{ "--omit-line=", take_omit },
	{ "--explain", take_explain },
	{ "--verify", take_verify },
	{ "--validate", take_validate },
	{ "--no-validate", take_no_validate },
	{ "--assemble-whole", take_assemble_whole },
	{ "--other-assembler", take_other_assembler },
	{ "--no-other-assembler", take_no_other_assembler },
	{ "--strip-lines", take_strip },
	{ "--switchable", take_switchable },
	{ "--timed", take_timed },
	{ "--excerpts=", take_excerpts },
	{ "--color", take_color },
	{ "-d", take_show },
	{ "--strict", take_strict },
	{ "-W", take_warning },
};

ptxccc_status
ptxccc_option(ptxccc *c, const char *option)
{
	c->message[0] = '\0';
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		size_t n = strlen(options[i].name);
		if (strncmp(option, options[i].name, n) != 0)
			continue;
		if (options[i].take(c, option + n))
			return PTXCCC_OK;
		if (options[i].take == take_warning)
			return context_fail(c, PTXCCC_USAGE, "no such warning: '%s'", option + n);
		return context_fail(c, PTXCCC_USAGE, "cannot use the value of '%s'", option);
	}
	return context_fail(c, PTXCCC_USAGE, "unknown option '%s'", option);
}
