/* SPDX-License-Identifier: MIT */
/* Asking ptxas about PTX: the text and what comes of it go through temporary files, which are gone
 * however this ends. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/heap.h"
#include "driver/ptxas.h"
#include "driver/temporary.h"

typedef struct { char in[4096], out[4096]; } Names;

/* A new, empty file among the temporary ones. */
static bool
make_file(char *name, size_t room)
{
	int fd = temporary_make(name, room, "ptxccc");

	if (fd < 0) {
		perror("ptxccc: cannot make a temporary file");
		return false;
	}
	close(fd);
	return true;
}

/* "-arch=sm_90a" after the module's .target. */
static void
arch_option(const char *ptx, char *to, size_t room)
{
	const char *target = strstr(ptx, ".target"), *sm = target ? strstr(target, "sm_") : NULL;

	snprintf(
		to, room, "-arch=%.*s", sm ? (int)strcspn(sm, ", \t\r\n/;") : 5, sm ? sm : "sm_75");
}

/* relocatable: as nvcc -rdc=true does, so that calls may go to functions of other modules. */
static bool
run(Ptxas *p, const char *ptx, const Names *f, bool relocatable)
{
	char arch[64], most[64];
	const char *argv[12] = { p->program, "-v", arch, f->in, "-o", f->out };
	int n = 6;

	arch_option(ptx, arch, sizeof arch);
	if (relocatable)
		argv[n++] = "-c";
	if (p->maxrregcount) {
		snprintf(most, sizeof most, "-maxrregcount=%s", p->maxrregcount);
		argv[n++] = most;
	}
	child_release(&p->said);
	p->said = (Caught){ 0 };
	Ended e = child_run((char *const *)(void *)argv, NULL, &p->said);
	buf_add(&p->said.err, p->said.out.at ? p->said.out.at : "", p->said.out.n);
	return e.code == 0 && e.signal == 0;
}

int
ptxas_assemble(void *user, const char *ptx, size_t len, const char **log)
{
	Ptxas *p = user;
	Names *f = xmalloc(sizeof *f);
	bool ok = false;

	if (make_file(f->in, sizeof f->in)) {
		child_temporary(f->in);
		if (make_file(f->out, sizeof f->out)) {
			child_temporary(f->out);
			ok = file_write_here(f->in, ptx, len) == 0 &&
				(run(p, ptx, f, false) || run(p, ptx, f, true));
			child_remove(f->out);
		}
		child_remove(f->in);
	}
	xfree(f);
	*log = p->said.err.n ? p->said.err.at : "";
	return !ok;
}
