/* SPDX-License-Identifier: MIT */
/* Runs ptxas and nvdisasm. Their input is in temporary files, which are gone however this ends;
 * what they say comes through a pipe. See toolkit.h.
 *
 * The process may be the user's own program, under ptxrun: the tools get its environment without
 * what makes the loader put the emulator in front of CUDA's libraries.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/heap.h"
#include "driver/rt/toolkit.h"

extern char **environ;

enum { PATH_ROOM = 4096 };

/* ---- running --------------------------------------------------------------------------------- */

/* The environment without the loader's part of it. */
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

/* Adds all that can be read. */
static void
read_all(int fd, Buf *to)
{
	char part[1 << 14];
	for (ssize_t n; (n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
		if (n > 0)
			buf_add(to, part, (size_t)n);
}

/* Runs argv[0] with out[1] for its standard output and standard error output; 0 or an errno. */
static int
start(char *const *argv, const int out[2], pid_t *child)
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

/* False: adds to why what is wrong, with the first line of what it has said. */
static bool
run(const char **words, Buf *said, Buf *why)
{
	char *const *argv = (char *const *)(void *)words;
	int out[2], status = -1;
	pid_t child;
	if (pipe(out)) {
		buf_printf(why, "cannot make a pipe: %s", strerror(errno));
		return false;
	}
	int e = start(argv, out, &child);
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

/* "-arch=sm_90". */
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

/* nvdisasm beside ptxas, if that is a path and it is there. */
static void
disassembler(const char *ptxas, char *to, size_t room)
{
	static const char name[] = "nvdisasm";
	const char *slash = strrchr(ptxas, '/');
	int n = slash ? snprintf(to, room, "%.*s/%s", (int)(slash - ptxas), ptxas, name) : 0;
	if (n <= 0 || (size_t)n >= room || access(to, X_OK))
		snprintf(to, room, "%s", name);
}

static bool
temporary(char *name, Buf *why)
{
	const char *dir = getenv("TMPDIR");
	snprintf(name, PATH_ROOM, "%s/ptxrun-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkstemp(name);
	if (fd < 0)
		buf_printf(why, "cannot make a temporary file: %s", strerror(errno));
	else
		close(fd);
	return fd >= 0;
}

static bool
write_text(const char *name, const Source *ptx, Buf *why)
{
	FILE *f = fopen(name, "w");
	bool ok = f && fwrite(ptx->text, 1, ptx->len, f) == ptx->len;
	ok = f && !fclose(f) && ok;
	if (!ok)
		buf_printf(why, "cannot write '%s'", name);
	return ok;
}

static bool
has_code(const Buf *listing, Buf *why)
{
	bool ok = listing->n && strstr(listing->at, "\t.section\t.text.");
	if (!ok)
		buf_puts(why, "nvdisasm lists no function");
	return ok;
}

bool
toolkit_listing(const char *ptxas, const Source *ptx, uint32_t arch, Buf *listing, Buf *why)
{
	char in[PATH_ROOM], out[PATH_ROOM], dis[PATH_ROOM], option[64];
	const char *assemble[] = { ptxas, option, "-lineinfo", in, "-o", out, NULL };
	const char *list[] = { dis, "-gp", "-c", out, NULL };
	Buf said = { 0 };
	if (!temporary(in, why))
		return false;
	bool ok = false;
	if (temporary(out, why)) {
		arch_option(ptx, arch, option, sizeof option);
		disassembler(ptxas, dis, sizeof dis);
		ok = write_text(in, ptx, why) && run(assemble, &said, why) &&
			run(list, listing, why) && has_code(listing, why);
		unlink(out);
	}
	unlink(in);
	buf_free(&said);
	return ok;
}
