/* SPDX-License-Identifier: MIT */
/* Profiles as text: a line with the version, then records of several lines each.
 *
 *	cccprof 10
 *	memory 4814304000 261360000
 *	cut if "bfs.cu":14:3 _Z3bfsPKi 0123456789abcdef
 *	inlined "main.cu":20:5
 *	iterations 4096 128
 *	entries 256 8
 *	exits 40 31
 *	launches 2 108
 *	threads 256
 *	sampling 3
 *	lanes 1:20 2:30 32:1
 *	trips 5000 900 140
 *	apart 120
 *	whole 5000 420
 *	again 60
 *	block 1 12000 700 150000 31 60 3000
 *	atomics 620 620 600 310
 *	sectors 620 1240 155
 *	choice queue(4) 0.2.0
 *	end
 *
 * Files can be concatenated: records of one profile point add up, and the version line may occur
 * again. So runs append to a file, each with one write, and an incomplete record of a killed run
 * does not affect others. A record has counts, or a choice and the ptxccc version that measured it,
 * or both; of several choices the last one counts. The memory bandwidth is outside of records.
 * Blank lines and lines that begin with '#' are ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "profile/profile.h"

/* ---- writing --------------------------------------------------------------------------------- */

typedef unsigned long long Ull; /* the type of printf's %llu */

static void
put_place(Cuda_pos at, Buf *out)
{
	buf_putc(out, '"');
	annot_put_escaped(out, at.file, strlen(at.file), "");
	buf_printf(out, "\":%u:%u", at.line, at.col);
}

void
profile_put_key(const Profile_key *k, Buf *out)
{
	buf_puts(out, "cut ");
	annot_put_escaped(out, k->kind, strlen(k->kind), "");
	buf_putc(out, ' ');
	put_place(k->at, out);
	buf_putc(out, ' ');
	annot_put_escaped(out, k->function, strlen(k->function), "$%");
	buf_printf(out, " %016llx\n", (Ull)k->hash);
	for (uint32_t i = 0; i < k->ninlined; i++) {
		buf_puts(out, "inlined ");
		put_place(k->inlined[i], out);
		buf_putc(out, '\n');
	}
}

static void
put_counts(const Execution_counts *f, Buf *out)
{
	buf_printf(out, "iterations %llu %llu\n", (Ull)f->iterations, (Ull)f->warp_iterations);
	if (f->entries)
		buf_printf(out, "entries %llu %llu\n", (Ull)f->entries, (Ull)f->warp_entries);
	if (f->exits)
		buf_printf(out, "exits %llu %llu\n", (Ull)f->exits, (Ull)f->warp_exits);
	if (f->launches && f->multiprocessors)
		buf_printf(out, "launches %llu %llu\n", (Ull)f->launches, (Ull)f->multiprocessors);
	else if (f->launches)
		buf_printf(out, "launches %llu\n", (Ull)f->launches);
	if (f->largest_block)
		buf_printf(out, "threads %llu\n", (Ull)f->largest_block);
	if (f->sampling)
		buf_printf(out, "sampling %llu\n", (Ull)f->sampling);
	if (f->warps) {
		buf_puts(out, "lanes");
		for (uint32_t k = 1; k < 33; k++)
			if (f->histogram[k])
				buf_printf(out, " %u:%llu", k, (Ull)f->histogram[k]);
		buf_putc(out, '\n');
	}
	if (f->trips && f->launch_maxima)
		buf_printf(out, "trips %llu %llu %llu\n", (Ull)f->trips, (Ull)f->longest, (Ull)f->launch_maxima);
	else if (f->trips)
		buf_printf(out, "trips %llu %llu\n", (Ull)f->trips, (Ull)f->longest);
	if (f->apart)
		buf_printf(out, "apart %llu\n", (Ull)f->apart);
	if (f->whole_trips)
		buf_printf(out, "whole %llu %llu\n", (Ull)f->whole_trips, (Ull)f->whole_longest);
	if (f->repeated)
		buf_printf(out, "again %llu\n", (Ull)f->repeated);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		const Block_counts *b = &f->blocks[k];
		buf_printf(out, "block %u %llu %llu %llu %llu", k + 1, (Ull)b->runs,
			(Ull)b->longest, (Ull)b->squares, (Ull)b->most);
		if (f->launches || f->repeated)
			buf_printf(out, " %llu %llu", (Ull)b->launch_maxima, (Ull)b->changes);
		buf_putc(out, '\n');
	}
	if (f->atomics.runs)
		buf_printf(out, "atomics %llu %llu %llu %llu\n", (Ull)f->atomics.runs,
			(Ull)f->atomics.done, (Ull)f->atomics.compared, (Ull)f->atomics.same);
	if (f->loads.runs)
		buf_printf(out, "sectors %llu %llu %llu\n", (Ull)f->loads.runs,
			(Ull)f->loads.sectors, (Ull)f->loads.missed);
}

static void
put_record(const Profile_record *r, Buf *out)
{
	profile_put_key(&r->key, out);
	if (r->counted)
		put_counts(&r->counts, out);
	if (r->choice) {
		buf_puts(out, "choice ");
		annot_put_escaped(out, r->choice, strlen(r->choice), "()");
		buf_putc(out, ' ');
		annot_put_escaped(out, r->by, strlen(r->by), "");
		buf_putc(out, '\n');
	}
	buf_puts(out, "end\n");
}

static uint32_t
version_of(const Profile_record *r)
{
	const Execution_counts *f = &r->counts;

	return f->launches && f->multiprocessors ? PROFILE_GPU :
		f->apart			? PROFILE_APART :
		f->sampling			? PROFILE_SAMPLED :
		f->exits || f->whole_trips	? PROFILE_EXITS :
		f->largest_block		? PROFILE_SIZES :
		f->atomics.runs || f->loads.runs ? PROFILE_PLACES :
		f->launches || f->repeated	? PROFILE_LAUNCHES :
		f->nblocks || f->entries	? PROFILE_BLOCKS :
		r->choice			? PROFILE_CHOICES : 1;
}

void
profile_write(const Profile *p, Buf *out)
{
	uint32_t version = p->memory.cycles ? PROFILE_MEMORY : 1;

	for (uint32_t i = 0; i < p->records.n; i++)
		if (version_of(&p->records.at[i]) > version)
			version = version_of(&p->records.at[i]);
	buf_printf(out, "cccprof %u\n", version);
	if (p->memory.cycles)
		buf_printf(out, "memory %llu %llu\n", (Ull)p->memory.bytes, (Ull)p->memory.cycles);
	for (uint32_t i = 0; i < p->records.n; i++)
		put_record(&p->records.at[i], out);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
	const char *at, *end;   /* current line */
	const char *wrong;      /* error in it, or NULL */
	Arena *arena;
} Profile_line;

static void
skip_blanks(Profile_line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

static void
report_wrong(Profile_line *l, const char *what)
{
	if (!l->wrong)
		l->wrong = what;
}

/* Reads a word up to a blank; "" if there is none. */
static const char *
read_word(Profile_line *l)
{
	const char *s = l->at;

	while (l->at < l->end && *l->at != ' ' && *l->at != '\t' && *l->at != '\r')
		l->at++;
	char *to = arena_alloc(l->arena, (size_t)(l->at - s) + 1);
	if (!annot_unescape(s, (size_t)(l->at - s), to))
		report_wrong(l, "'=' must be followed by two hexadecimal digits");
	skip_blanks(l);
	return to;
}

static uint64_t
read_number(Profile_line *l, int base)
{
	uint64_t v = 0;
	const char *s = l->at;

	for (; l->at < l->end; l->at++) {
		char c = *l->at;
		int d = c >= '0' && c <= '9' ? c - '0' :
			c >= 'a' && c <= 'f' ? c - 'a' + 10 :
					       base;
		if (d >= base)
			break;
		if (v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
			report_wrong(l, "the number is too large");
		v = v * (uint64_t)base + (uint64_t)d;
	}
	if (l->at == s)
		report_wrong(l, "a number is missing");
	return v;
}

static uint32_t
read_u32(Profile_line *l)
{
	uint64_t v = read_number(l, 10);

	if (v > UINT32_MAX)
		report_wrong(l, "the number is too large");
	return (uint32_t)v;
}

static void
accept_char(Profile_line *l, char c)
{
	if (l->at < l->end && *l->at == c)
		l->at++;
	else
		report_wrong(l, c == '"' ? "a file's name in quotes is missing" : "a colon is missing");
}

static Cuda_pos
read_place(Profile_line *l)
{
	Cuda_pos p = { .file = "" };

	accept_char(l, '"');
	const char *s = l->at;
	while (l->at < l->end && *l->at != '"')
		l->at++;
	char *file = arena_alloc(l->arena, (size_t)(l->at - s) + 1);
	if (!annot_unescape(s, (size_t)(l->at - s), file))
		report_wrong(l, "'=' must be followed by two hexadecimal digits");
	p.file = file;
	accept_char(l, '"');
	accept_char(l, ':');
	p.line = read_u32(l);
	accept_char(l, ':');
	p.col = read_u32(l);
	skip_blanks(l);
	return p;
}

static void
read_histogram(Profile_line *l, Execution_counts *f)
{
	while (l->at < l->end && !l->wrong) {
		uint32_t k = read_u32(l);
		accept_char(l, ':');
		uint64_t n = read_number(l, 10);
		skip_blanks(l);
		if (k < 1 || k > 32)
			report_wrong(l, "a warp has 1 to 32 lanes");
		else if (!l->wrong)
			f->histogram[k] = n;
	}
}

/* The current record. */
typedef struct {
	Profile_record r;
	VEC(Cuda_pos) inlined;
	bool open;              /* its end is missing so far */
} Profile_reader;

static void
read_key(Profile_line *l, Profile_key *k)
{
	*k = (Profile_key){ .kind = read_word(l) };
	k->at = read_place(l);
	k->function = read_word(l);
	k->hash = read_number(l, 16);
	if (!*k->kind || !*k->function)
		report_wrong(l, "a name is missing");
}

static void
read_pair(Profile_line *l, uint64_t *a, uint64_t *b)
{
	*a = read_number(l, 10);
	skip_blanks(l);
	*b = read_number(l, 10);
}

/* Whether the line continues. Older profiles have fewer numbers. */
static bool
line_has_more(Profile_line *l)
{
	skip_blanks(l);
	return l->at < l->end;
}

static void
read_trips(Profile_line *l, Execution_counts *f)
{
	read_pair(l, &f->trips, &f->longest);
	if (line_has_more(l))
		f->launch_maxima = read_number(l, 10);
}

/* Blocks must be in order. */
static void
read_block(Profile_line *l, Execution_counts *f)
{
	uint32_t k = read_u32(l);

	skip_blanks(l);
	if (k != f->nblocks + 1 || k > MAX_COUNTED_BLOCKS) {
		report_wrong(l, "a cut's blocks have numbers from 1 to 16, in order");
		return;
	}
	Block_counts *b = &f->blocks[f->nblocks++];
	read_pair(l, &b->runs, &b->longest);
	skip_blanks(l);
	read_pair(l, &b->squares, &b->most);
	if (line_has_more(l))
		read_pair(l, &b->launch_maxima, &b->changes);
}

static void
read_atomics(Profile_line *l, Atomic_counts *a)
{
	read_pair(l, &a->runs, &a->done);
	skip_blanks(l);
	read_pair(l, &a->compared, &a->same);
}

static void
read_sectors(Profile_line *l, Load_counts *f)
{
	read_pair(l, &f->runs, &f->sectors);
	skip_blanks(l);
	f->missed = read_number(l, 10);
}

static uint64_t
read_sampling(Profile_line *l)
{
	enum { MOST = 16 }; /* of --profile-sampling */
	uint64_t n = read_number(l, 10);

	if (!l->wrong && n > MOST)
		report_wrong(l, "the sampling is at most 16");
	return n > MOST ? 0 : n;
}

static void
read_choice(Profile_line *l, Profile_record *r)
{
	r->choice = read_word(l);
	r->by = read_word(l);
	if (!*r->choice || !*r->by)
		report_wrong(l, "a choice has a policy and a version");
}

/* Adds it immediately, since it belongs to no record. */
static void
read_memory(Profile_line *l, Profile *p)
{
	Profile_memory m;

	read_pair(l, &m.bytes, &m.cycles);
	if (!l->wrong && (!m.bytes || !m.cycles))
		report_wrong(l, "memory gives some bytes in some cycles");
	if (!l->wrong)
		profile_add_memory(p, m);
}

/* Adds a complete record. One without counts or choice is of code that did not run. */
static void
add_record(Profile_reader *x, Profile *p)
{
	Profile_record *r = &x->r;

	r->key.inlined = x->inlined.at;
	r->key.ninlined = x->inlined.n;
	if (r->counted || !r->choice)
		profile_add(p, &r->key, &r->counts);
	if (r->choice)
		profile_add_choice(p, &r->key, r->choice, r->by);
}

/* Reads a line of a record. */
static void
line_of_record(Profile_line *l, const char *what, Profile_reader *x)
{
	Execution_counts *f = &x->r.counts;

	if (!x->open)
		report_wrong(l, "no record, which 'cut' begins, is open");
	else if (strcmp(what, "inlined") == 0)
		*vec_push(&x->inlined) = read_place(l);
	else if (strcmp(what, "choice") == 0)
		read_choice(l, &x->r);
	else if (strcmp(what, "iterations") == 0)
		x->r.counted = true, read_pair(l, &f->iterations, &f->warp_iterations);
	else if (strcmp(what, "entries") == 0)
		x->r.counted = true, read_pair(l, &f->entries, &f->warp_entries);
	else if (strcmp(what, "exits") == 0)
		x->r.counted = true, read_pair(l, &f->exits, &f->warp_exits);
	else if (strcmp(what, "lanes") == 0)
		x->r.counted = true, read_histogram(l, f);
	else if (strcmp(what, "trips") == 0)
		x->r.counted = true, read_trips(l, f);
	else if (strcmp(what, "apart") == 0)
		x->r.counted = true, f->apart = read_number(l, 10);
	else if (strcmp(what, "whole") == 0)
		x->r.counted = true, read_pair(l, &f->whole_trips, &f->whole_longest);
	else if (strcmp(what, "launches") == 0)
		x->r.counted = true, f->launches = read_number(l, 10),
		f->multiprocessors = line_has_more(l) ? read_number(l, 10) : 0;
	else if (strcmp(what, "threads") == 0)
		x->r.counted = true, f->largest_block = read_number(l, 10);
	else if (strcmp(what, "sampling") == 0)
		x->r.counted = true, f->sampling = read_sampling(l);
	else if (strcmp(what, "again") == 0)
		x->r.counted = true, f->repeated = read_number(l, 10);
	else if (strcmp(what, "block") == 0)
		x->r.counted = true, read_block(l, f);
	else if (strcmp(what, "atomics") == 0)
		x->r.counted = true, read_atomics(l, &f->atomics);
	else if (strcmp(what, "sectors") == 0)
		x->r.counted = true, read_sectors(l, &f->loads);
	else if (strcmp(what, "end") == 0)
		x->open = false;
	else
		report_wrong(l,
			"expected 'memory', 'cut', 'inlined', 'iterations', 'entries', 'exits', 'launches', 'threads', 'sampling', 'lanes', 'trips', 'apart', 'whole', 'again', 'block', 'atomics', 'sectors', 'choice' or 'end'");
}

static void
read_line(Profile_line *l, Profile_reader *x, Profile *p)
{
	skip_blanks(l);
	if (l->at == l->end || *l->at == '#')
		return;
	const char *what = read_word(l);
	if (strcmp(what, "cccprof") == 0) {
		uint64_t version = read_number(l, 10);
		if (version < 1 || version > PROFILE_VERSIONS)
			report_wrong(l, "its version is none of 1 to 10: another ptxccc made it");
		x->open = false; /* a run was killed while writing */
	} else if (strcmp(what, "cut") == 0) {
		x->r = (Profile_record){ 0 };
		x->inlined.n = 0;
		x->open = true;
		read_key(l, &x->r.key);
	} else if (strcmp(what, "memory") == 0 && !x->open) {
		read_memory(l, p);
	} else {
		line_of_record(l, what, x);
	}
	skip_blanks(l);
	if (l->at < l->end)
		report_wrong(l, "there is more in the line than there should be");
	if (!l->wrong && strcmp(what, "end") == 0)
		add_record(x, p);
}

bool
profile_read(Profile *p, const char *text, size_t len, Buf *said)
{
	const char *end = text + len, *s = text;
	Profile_reader x = { .open = false };
	Profile_line l = { .arena = arena_new() };
	uint32_t n = 0;
	bool ours = len >= 8 && memcmp(text, "cccprof ", 8) == 0;

	if (!ours)
		buf_puts(said, "it is no profile: its first line is not 'cccprof 1'");
	for (const char *next; ours && s < end && !l.wrong; s = next) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		next = stop ? stop + 1 : end;
		l.at = s;
		l.end = stop ? stop : end;
		n++;
		read_line(&l, &x, p);
	}
	if (l.wrong)
		buf_printf(said, "line %u: %s", n, l.wrong);
	vec_free(&x.inlined);
	arena_free(l.arena);
	return ours && !l.wrong;
}
