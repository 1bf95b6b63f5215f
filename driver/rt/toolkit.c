/* SPDX-License-Identifier: MIT */
/* Runs ptxas and nvdisasm. Their inputs and outputs are files in memory, which disappear however
 * the process ends; their messages come through a pipe. See toolkit.h.
 *
 * Under ptxrun the process may be the user's program. The tools get its environment without the
 * variables that make the loader replace CUDA's libraries. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/temporary.h"
#include "driver/rt/toolkit.h"

extern char **environ;

enum { PATH_ROOM = 4096 };

/* ---- running --------------------------------------------------------------------------------- */

/* Returns the environment without the loader's variables. */
static char **
plain_environment(void)
{
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **to = xmalloc((n + 1) * sizeof *to);
	for (size_t k = 0; k < n; k++)
		if (strncmp(environ[k], "LD_PRELOAD=", 11) && strncmp(environ[k], "PTXRUN_", 7))
			to[kept++] = environ[k];
	to[kept] = NULL;
	return to;
}

/* Appends everything up to the end of the file. */
static void
read_all(int fd, Buf *to)
{
	char part[1 << 14];
	for (ssize_t n; (n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
		if (n > 0)
			buf_add(to, part, (size_t)n);
}

/* Starts argv[0] with out[1] as standard output and standard error. Returns 0 or an errno. */
static int
start_program(char *const *argv, const int out[2], pid_t *child)
{
	posix_spawn_file_actions_t fa;
	char **env = plain_environment();
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out[1], STDERR_FILENO);
	posix_spawn_file_actions_addclose(&fa, out[0]);
	posix_spawn_file_actions_addclose(&fa, out[1]);
	int e = posix_spawnp(child, argv[0], &fa, NULL, argv, env);
	posix_spawn_file_actions_destroy(&fa);
	xfree(env);
	return e;
}

/* Returns false on failure and appends the reason to why, with the first line of the tool's
 * output. */
static bool
run_program_for_output(const char **words, Buf *said, Buf *why)
{
	char *const *argv = (char *const *)(void *)words;
	int out[2], status = -1;
	pid_t child;
	if (pipe(out)) {
		buf_printf(why, "cannot make a pipe: %s", strerror(errno));
		return false;
	}
	int e = start_program(argv, out, &child);
	close(out[1]);
	if (!e)
		read_all(out[0], said);
	close(out[0]);
	while (!e && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (e)
		buf_printf(why, "cannot run '%s': %s", argv[0], strerror(e));
	else if (status)
		buf_printf(why, "'%s' failed: %.*s", argv[0],
			said->n ? (int)strcspn(said->at, "\n") : 0, said->n ? said->at : "");
	return !e && !status;
}

/* ---- the two tools --------------------------------------------------------------------------- */

/* Makes "-arch=sm_90". */
static void
arch_option(const Source *ptx, uint32_t arch, char *to, size_t room)
{
	const char *target = strstr(ptx->text, ".target"),
		   *sm = target ? strstr(target, "sm_") : NULL;
	char *end = NULL;
	unsigned long own = sm ? strtoul(sm + 3, &end, 10) : 0;
	if (own > arch || (end && (*end == 'a' || *end == 'f')))
		snprintf(to, room, "-arch=sm_%lu%.*s", own, *end == 'a' || *end == 'f', end);
	else
		snprintf(to, room, "-arch=sm_%u", arch);
}

/* Returns the nvdisasm next to ptxas, if ptxas is a path and nvdisasm exists there. */
static void
find_disassembler(const char *ptxas, char *to, size_t room)
{
	static const char name[] = "nvdisasm";
	const char *slash = strrchr(ptxas, '/');
	int n = slash ? snprintf(to, room, "%.*s/%s", (int)(slash - ptxas), ptxas, name) : 0;
	if (n <= 0 || (size_t)n >= room || access(to, X_OK))
		snprintf(to, room, "%s", name);
}

static bool
has_code(const Buf *listing, Buf *why)
{
	bool ok = listing->n && strstr(listing->at, "\t.section\t.text.");
	if (!ok)
		buf_puts(why, "nvdisasm lists no function");
	return ok;
}

/* Assembles `in` to `out`, and disassembles the result. */
static bool
list_code(const char *ptxas, const char *arch, const char *in, const char *out, Buf *listing,
	Buf *why)
{
	char dis[PATH_ROOM];
	const char *assemble[] = { ptxas, arch, "-lineinfo", in, "-o", out, NULL };
	const char *list[] = { dis, "-gp", "-c", out, NULL };
	Buf said = { 0 };
	find_disassembler(ptxas, dis, sizeof dis);
	bool ok = run_program_for_output(assemble, &said, why);
	if (ok && !(ok = run_program_for_output(list, listing, why)) &&
		strncmp(why->at, "cannot run", 10) == 0)
		buf_puts(why,
			" (it is in the toolkit's package cuda-nvdisasm, and in pip's "
			"nvidia-cuda-nvdisasm)");
	ok = ok && has_code(listing, why);
	buf_free(&said);
	return ok;
}

static bool
make_file(Memory_file *f, const char *text, size_t len, Buf *why)
{
	bool ok = memory_file(f, text, len);
	if (!ok)
		buf_printf(why, "cannot make a temporary file: %s", strerror(errno));
	return ok;
}

bool
toolkit_listing(const char *ptxas, const Source *ptx, uint32_t arch, Buf *listing, Buf *why)
{
	char option[64];
	Memory_file in, out;
	if (!make_file(&in, ptx->text, ptx->len, why))
		return false;
	bool ok = make_file(&out, "", 0, why);
	if (ok) {
		arch_option(ptx, arch, option, sizeof option);
		ok = list_code(ptxas, option, in.path, out.path, listing, why);
		close(out.fd);
	}
	close(in.fd);
	return ok;
}
