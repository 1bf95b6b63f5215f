/* SPDX-License-Identifier: MIT */
/* The kernel switch in a program's host code. See switch.h.
 *
 * The host compiler compiles, after the user's code, a stub that cicc writes next to the PTX.
 * Before main() the stub registers with the CUDA runtime which kernel of the module implements
 * which function:
 *
 *	#include "crt/host_runtime.h"
 *	... __cudaRegisterEntry(handle, ((void (*)(int))k), _Z1ki, (-1)); ...
 *
 * After that #include line the hook inserts a table of the kernels whose module also contains
 * NAME_ccc_off, and a macro __cudaRegisterFunction, which the one in host_runtime.h expands to:
 * if CCC_DISABLE is set, it registers the original. The choice is made once, before main() and
 * without the GPU, and everything that the program does with the function (launches, graphs,
 * attributes, occupancy) applies to the kernel that runs.
 *
 * With --ccc-timed, the stub includes ccc_timed.h instead, whose macros registering and launching
 * expand to: the other version of each kernel, NAME_ccc_off or NAME_ccc_on, is registered, too,
 * under an address of its own. If the header is not found, as in a compiler cache's environment,
 * all launches run NAME.
 *
 * cicc runs once per architecture, perhaps concurrently, and each run writes a stub; the last
 * architecture's is compiled. A function has one name for all architectures, so each stub's
 * table lists the kernels that all modules can switch. The hooks of a compilation share their
 * data in the file that will later be the fat binary: it is empty until all of them have ended,
 * and nvcc removes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "annotate/switch.h"
#include "base/heap.h"
#include "base/source.h"
#include "base/vec.h"
#include "base/untouched.h"

static const char begin[] = "/* ccc: switch */\n", end[] = "/* ccc: end of switch */\n",
		  include[] = "#include \"crt/host_runtime.h\"\n",
		  known[] = "/* ccc: kernels that can be switched */\n";

/* ---- what a module has ----------------------------------------------------------------------- */

/* Returns the length of the suffix of a kernel beside another; 0 if it has none. */
static size_t
suffix_length(const char *name, size_t n)
{
	static const char *const suffixes[] = { UNTOUCHED_SUFFIX, TRANSFORMED_SUFFIX };

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t k = strlen(suffixes[i]);
		if (n > k && memcmp(name + n - k, suffixes[i], k) == 0)
			return k;
	}
	return 0;
}

void
switch_kernels(const char *ptx, bool timed, Buf *names)
{
	static const char word[] = ".entry ";
	Source src;
	const char *why;

	buf_puts(names, "");
	if (!source_read(&src, ptx, &why))
		return;
	for (const char *s = src.text; (s = strstr(s, word)) != NULL; ) {
		s += sizeof word - 1;
		size_t n = strcspn(s, "( \t\r\n"), suffix = suffix_length(s, n);
		if (suffix)
			buf_printf(names, "%.*s\n", (int)(timed ? n : n - suffix), s);
	}
	source_release(&src);
}

/* ---- lists of names, one a line -------------------------------------------------------------- */

static bool
has_line(const char *lines, const char *line, size_t n)
{
	for (const char *s = lines; *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (strncmp(s, line, n) == 0 && s[n] == '\n')
			return true;
	return false;
}

/* Appends the lines of a that b contains (both) or does not contain. */
static void
add_lines(const char *a, const char *b, bool both, Buf *to)
{
	for (const char *s = a; *s; ) {
		size_t n = strcspn(s, "\n");
		if (has_line(b, s, n) == both)
			buf_printf(to, "%.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

/* ---- what the hooks know --------------------------------------------------------------------- */

/* The stub of an architecture, and its kernels, one per line. */
typedef struct { char *stub; Buf names; } Arch_kernels;
typedef VEC(Arch_kernels) Arch_list;

static Arch_kernels *
new_arch(Arch_list *all, const char *stub, size_t n)
{
	Arch_kernels *a = vec_push(all);

	*a = (Arch_kernels){ .stub = xmalloc(n + 1) };
	memcpy(a->stub, stub, n);
	a->stub[n] = '\0';
	buf_puts(&a->names, "");
	return a;
}

static void
archs_free(Arch_list *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		xfree(all->at[i].stub);
		buf_free(&all->at[i].names);
	}
	vec_free(all);
}

/* Parses the data of other hooks. A file in another format is from an earlier compilation. */
static void
read_known(const char *text, Arch_list *all)
{
	if (strncmp(text, known, sizeof known - 1) != 0)
		return;
	for (const char *s = text + sizeof known - 1; *s; ) {
		size_t n = strcspn(s, "\n");
		if (*s != '\t')
			new_arch(all, s, n);
		else if (all->n)
			buf_printf(&all->at[all->n - 1].names, "%.*s\n", (int)n - 1, s + 1);
		s += n + (s[n] == '\n');
	}
}

static void
write_known(const Arch_list *all, Buf *to)
{
	buf_puts(to, known);
	for (uint32_t i = 0; i < all->n; i++) {
		buf_printf(to, "%s\n", all->at[i].stub);
		for (const char *s = all->at[i].names.at; *s; s += strcspn(s, "\n") + 1)
			buf_printf(to, "\t%.*s\n", (int)strcspn(s, "\n"), s);
	}
}

/* Adds this hook's data. both: receives the kernels that all architectures can switch; left:
 * those that only some can. */
static void
merge_arch(const Switch *s, Arch_list *all, Buf *both, Buf *left)
{
	Arch_kernels *own = NULL;
	Buf others = { 0 };
	bool any = false;

	buf_puts(both, "");
	buf_puts(&others, "");
	for (uint32_t i = 0; i < all->n; i++) {
		Arch_kernels *a = &all->at[i];
		if (strcmp(a->stub, s->stub) == 0) {
			own = a;
			continue;
		}
		Buf now = { 0 };
		buf_puts(&now, "");
		add_lines(a->names.at, any ? others.at : a->names.at, true, &now);
		buf_free(&others);
		others = now;
		any = true;
	}
	own = own ? own : new_arch(all, s->stub, strlen(s->stub));
	own->names.n = 0;
	buf_puts(&own->names, s->names);
	add_lines(s->names, any ? others.at : s->names, true, both);
	if (any) {
		add_lines(s->names, others.at, false, left);
		add_lines(others.at, s->names, false, left);
	}
	buf_free(&others);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool
report_cannot_edit(const Switch *s, const char *file, const char *why)
{
	fprintf(stderr, "%s: error: kernels cannot be switched: '%s': %s\n", s->source, file, why);
	return false;
}

/* A kernel in each row, and its other version, whose name has the suffix or else receives it. */
static void
write_rows(const char *names, const char *suffix, Buf *to)
{
	for (const char *s = names; *s; s += strcspn(s, "\n") + 1) {
		size_t n = strcspn(s, "\n");
		buf_printf(to, "\t\t{ \"%.*s\", \"%.*s%s\" },\n",
			(int)(*suffix ? n : n - suffix_length(s, n)), s, (int)n, s, suffix);
	}
}

static void
write_timed_table(const char *names, Buf *to)
{
	buf_puts(to, "#if !defined __NV_LEGACY_LAUNCH && defined __has_include\n"
		     "#if __has_include(<ccc_timed.h>)\n"
		     "#pragma GCC diagnostic ignored \"-Wmissing-field-initializers\"\n"
		     "#include <ccc_timed.h>\n"
		     "static struct ccc_timed ccc_kernels[] = {\n");
	write_rows(names, "", to);
	buf_puts(to, "\t{ 0 }\n};\n#endif\n#endif\n");
}

static void
write_table(const char *names, Buf *to)
{
	buf_puts(to,
		"extern \"C\" char *ccc_getenv(const char *) __asm__(\"getenv\");\n"
		"__attribute__((unused)) static char *ccc_kernel(const char *name)\n"
		"{\n"
		"\tstatic const char *const kernels[][2] = {\n");
	write_rows(names, UNTOUCHED_SUFFIX, to);
	buf_puts(to,
		"\t\t{ 0, 0 }\n"
		"\t};\n"
		"\tconst char *off = ccc_getenv(\"CCC_DISABLE\");\n"
		"\tfor (int i = 0; off && *off && __builtin_strcmp(off, \"0\") && kernels[i][0]; i++)\n"
		"\t\tif (!__builtin_strcmp(kernels[i][0], name))\n"
		"\t\t\treturn (char *)kernels[i][1];\n"
		"\treturn (char *)name;\n"
		"}\n"
		"#define __cudaRegisterFunction(handle, host, device, name, ...) \\\n"
		"\t__cudaRegisterFunction(handle, host, ccc_kernel(device), ccc_kernel(name), __VA_ARGS__)\n");
}

/* Inserts the table of these names into a stub's text, replacing an earlier one. Returns false
 * if the stub has an unexpected form. */
static bool
edit_text(const Switch *s, const char *stub, const char *names, Buf *to)
{
	const char *place = strstr(stub, include), *behind = place;

	if (!place)
		return false;
	place += sizeof include - 1;
	behind = place;
	if (strncmp(place, begin, sizeof begin - 1) == 0) {
		behind = strstr(place, end);
		behind = behind ? behind + sizeof end - 1 : place;
	}
	buf_add(to, stub, (size_t)(place - stub));
	if (*names) {
		buf_puts(to, begin);
		(s->timed ? write_timed_table : write_table)(names, to);
		buf_puts(to, end);
	}
	buf_puts(to, behind);
	return true;
}

static bool
edit_stub(const Switch *s, const char *stub, const char *names)
{
	Source src;
	Buf out = { 0 };
	const char *why;

	if (!source_read(&src, stub, &why))
		return true; /* cicc has not written it yet, and there is nothing to switch */
	bool known_form = edit_text(s, src.text, names, &out);
	bool same = !known_form || (out.n == src.len && memcmp(out.at, src.text, out.n) == 0);
	bool ok = known_form || !*names || report_cannot_edit(s, stub, "this nvcc writes it in another way");
	ok = ok && (same || file_write(stub, out.at, out.n) == 0);
	source_release(&src);
	buf_free(&out);
	return ok;
}

/* Updates the hooks' shared data, whose lock is held, and all stubs. */
static bool
update_stubs(const Switch *s, const char *file, int fd, Buf *left)
{
	Buf text = { 0 }, out = { 0 }, both = { 0 };
	Arch_list all = { 0 };
	char piece[8192];
	ssize_t n;

	buf_puts(&text, "");
	while ((n = read(fd, piece, sizeof piece)) > 0)
		buf_add(&text, piece, (size_t)n);
	read_known(text.at, &all);
	merge_arch(s, &all, &both, left);
	write_known(&all, &out);
	bool ok = n == 0 && ftruncate(fd, 0) == 0 && pwrite(fd, out.at, out.n, 0) == (ssize_t)out.n;
	ok = ok || report_cannot_edit(s, file, strerror(errno));
	for (uint32_t i = 0; ok && i < all.n; i++)
		ok = edit_stub(s, all.at[i].stub, both.at);
	archs_free(&all);
	buf_free(&text);
	buf_free(&both);
	buf_free(&out);
	return ok;
}

/* Gets the path of the file that the hooks share: next to the stub, under the name that it
 * includes. */
static void
shared_file(const Switch *s, Buf *to)
{
	const char *folder = strrchr(s->stub, '/'), *name = strrchr(s->include, '/');

	if (folder)
		buf_add(to, s->stub, (size_t)(folder + 1 - s->stub));
	buf_puts(to, name ? name + 1 : s->include);
}

bool
switch_update(const Switch *s, Buf *left)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	Buf file = { 0 };

	if (!s->stub || !s->include)
		return true;
	shared_file(s, &file);
	int fd = open(file.at, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	bool ok = fd >= 0 || report_cannot_edit(s, file.at, strerror(errno));
	while (ok && fcntl(fd, F_SETLKW, &whole) != 0 && errno == EINTR)
		;
	ok = ok && update_stubs(s, file.at, fd, left);
	if (fd >= 0)
		close(fd);
	buf_free(&file);
	return ok;
}
