/* SPDX-License-Identifier: MIT */
/* The report of a whole build. See gather.h.
 *
 * Compilations of a build run concurrently and know only themselves. Each writes its unit as a
 * file of records into the folder FILE.units. Then, holding a lock on the file `lock` there, it
 * regenerates FILE from all records. Therefore the last compilation sees all units, a killed one
 * holds no lock, and recompiling a source replaces its unit. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "annotate/files.h"
#include "annotate/gather.h"
#include "base/source.h"

/* Whether both are transformed sites, with the same place in the same function. */
static bool
is_copy(const Unit_site *a, const Unit_site *b)
{
	return a->done && b->done && a->further == b->further && a->loop.line == b->loop.line &&
		a->path.line == b->path.line && strcmp(a->function, b->function) == 0;
}

/* Returns the site of the second compilation that corresponds to the i-th one of the first; NULL
 * if there is none. */
static Unit_site *
find_in_second(const Unit *first, uint32_t i, Unit *second)
{
	uint32_t before = 0;

	for (uint32_t k = 0; k < i; k++)
		before += is_copy(&first->sites.at[k], &first->sites.at[i]);
	for (uint32_t k = 0; k < second->sites.n; k++)
		if (is_copy(&second->sites.at[k], &first->sites.at[i]) && before-- == 0)
			return &second->sites.at[k];
	return NULL;
}

/* Takes the profile keys and policy options of sites from the first compilation, which has all
 * annotations. */
static void
keep_known(Unit *first, Unit *second)
{
	for (uint32_t i = 0; i < first->sites.n; i++) {
		Unit_site *s = &first->sites.at[i],
			  *to = s->done ? find_in_second(first, i, second) : NULL;
		if (!to || !s->key)
			continue;
		vec_free(&to->options);
		to->key = s->key;
		to->options.at = s->options.at;
		to->options.n = s->options.n;
		to->options.cap = s->options.cap;
		memset(&s->options, 0, sizeof s->options);
	}
}

Unit
gather_both(Unit *first, Unit *second)
{
	Unit u = { .source = first->source, .folder = first->folder, .arch = first->arch };

	keep_known(first, second);
	for (int done = 0; done < 2; done++) {
		Unit *from = done ? second : first;
		for (uint32_t i = 0; i < from->sites.n; i++) {
			Unit_site *s = &from->sites.at[i];
			if (s->done == (done == 1)) {
				*vec_push(&u.sites) = *s;
				continue;
			}
			unit_site_release(s);
		}
		vec_free(&from->sites);
	}
	return u;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static void
hash_text(uint64_t *h, const char *s)
{
	for (s = s ? s : ""; *s; s++)
		*h = (*h ^ (unsigned char)*s) * UINT64_C(0x100000001b3); /* FNV-1a */
	*h *= UINT64_C(0x100000001b3);
}

static int
report_cannot_write(const char *path)
{
	fprintf(stderr, "%s: error: cannot write '%s': %s\n", message_name(), path, strerror(errno));
	return 2;
}

static int
write_unit(const char *folder, const Unit *u)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	Buf name = { 0 }, records = { 0 };

	hash_text(&h, u->source);
	hash_text(&h, u->folder);
	hash_text(&h, u->arch);
	/* a program may load several modules, which have no files */
	for (uint32_t i = 0; u->source && strcmp(u->source, "<stdin>") == 0 && i < u->sites.n; i++)
		hash_text(&h, u->sites.at[i].function);
	buf_printf(&name, "%s/%016llx.unit", folder, (unsigned long long)h);
	unit_write(u, &records);
	int rc = file_write(name.at, records.at, records.n);
	buf_free(&name);
	buf_free(&records);
	return rc;
}

static void
read_unit(const char *folder, const char *name, Arena *a, Units *all)
{
	Buf path = { 0 };
	Source s;
	const char *why;
	Unit u;

	buf_printf(&path, "%s/%s", folder, name);
	if (source_read(&s, path.at, &why)) {
		if (unit_read(s.text, a, &u))
			*vec_push(all) = u;
		source_release(&s);
	}
	buf_free(&path);
}

static int
compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int
by_source(const void *a, const void *b)
{
	const Unit *x = a, *y = b;
	int d = compare_texts(x->source, y->source);

	d = d ? d : compare_texts(x->folder, y->folder);
	return d ? d : compare_texts(x->arch, y->arch);
}

static Units
read_units(const char *folder, Arena *a)
{
	Units all = { 0 };
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		if (n > 5 && strcmp(e->d_name + n - 5, ".unit") == 0)
			read_unit(folder, e->d_name, a, &all);
	}
	if (d)
		closedir(d);
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_source);
	return all;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int
write_report(const char *file, const char *folder)
{
	Arena *a = arena_new();
	Units all = read_units(folder, a);
	Source last = { 0 };
	Buf out = { 0 };

	units_format(file)(&(Units_report){ &all, VERSION, source_read_shown, &last }, &out);
	int rc = file_write(file, out.at, out.n);
	buf_free(&out);
	source_release(&last);
	units_release(&all);
	arena_free(a);
	return rc;
}

/* Opens and locks path. Returns -1 on failure. */
static int
lock_file(const char *path)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT, 0666);

	while (fd >= 0 && fcntl(fd, F_SETLKW, &whole) != 0)
		if (errno != EINTR) {
			close(fd);
			return -1;
		}
	return fd;
}

int
gather_report(const char *file, const Unit *u)
{
	Buf folder = { 0 }, path = { 0 };
	int fd = -1, rc = 2;

	buf_printf(&folder, "%s.units", file);
	buf_printf(&path, "%s/lock", folder.at);
	if (mkdir(folder.at, 0777) != 0 && errno != EEXIST)
		report_cannot_write(file);
	else if ((fd = lock_file(path.at)) < 0)
		report_cannot_write(path.at);
	else if ((rc = write_unit(folder.at, u)) == 0)
		rc = write_report(file, folder.at);
	if (fd >= 0)
		close(fd);
	buf_free(&folder);
	buf_free(&path);
	return rc;
}
