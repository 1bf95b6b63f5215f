/* SPDX-License-Identifier: MIT */
/* Runs ptxas on PTX. Input and output are files in memory, which disappear however the process
 * ends. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/temporary.h"
#include "driver/ptxas.h"

/* Makes "-arch=sm_90a" from the module's .target. */
static void
arch_option(const char *ptx, char *to, size_t room)
{
	const char *target = strstr(ptx, ".target"), *sm = target ? strstr(target, "sm_") : NULL;

	snprintf(
		to, room, "-arch=%.*s", sm ? (int)strcspn(sm, ", \t\r\n/;") : 5, sm ? sm : "sm_75");
}

/* relocatable: as for nvcc -rdc=true, so that functions of other modules may be called. */
static bool
run_ptxas(Ptxas *p, const char *ptx, const char *in, const char *out, bool relocatable)
{
	char arch[64], most[64];
	const char *argv[12] = { p->program, "-v", arch, in, "-o", out };
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
	Memory_file in, out;
	bool ok = false;

	if (!memory_file(&in, ptx, len)) {
		perror("ptxccc: cannot make a temporary file");
	} else {
		if (!memory_file(&out, "", 0)) {
			perror("ptxccc: cannot make a temporary file");
		} else {
			ok = run_ptxas(p, ptx, in.path, out.path, false) ||
				run_ptxas(p, ptx, in.path, out.path, true);
			close(out.fd);
		}
		close(in.fd);
	}
	*log = p->said.err.n ? p->said.err.at : "";
	return !ok;
}
