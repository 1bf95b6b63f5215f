/* SPDX-License-Identifier: MIT */
/* Runs ptxas on PTX. Input and output are files in memory, which disappear however the process
 * ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/assembled.h"
#include "base/source.h"
#include "base/temporary.h"
#include "driver/ptxas.h"

/* Makes "-arch=sm_90a" from the module's .target, or from a later arch if every GPU from that
 * target on can run the module. */
static void
arch_option(const char *ptx, unsigned arch, char *to, size_t room)
{
	const char *target = strstr(ptx, ".target"), *sm = target ? strstr(target, "sm_") : NULL;
	char *end = NULL;

	if (sm && strtoul(sm + 3, &end, 10) < arch && *end != 'a' && *end != 'f') {
		snprintf(to, room, "-arch=sm_%u", arch);
		return;
	}
	snprintf(
		to, room, "-arch=%.*s", sm ? (int)strcspn(sm, ", \t\r\n/;") : 5, sm ? sm : "sm_75");
}

/* Collects the program and the options that affect the code, in nvcc's order. Returns their
 * number. */
static int
ptxas_command(const Ptxas *p, const char *ptx, const char **argv, char room[3][64])
{
	int n = 0;

	arch_option(ptx, p->arch, room[0], sizeof room[0]);
	argv[n++] = p->program;
	argv[n++] = room[0];
	argv[n++] = "-m64";
	if (p->maxrregcount) {
		snprintf(room[1], sizeof room[1], "-maxrregcount=%s", p->maxrregcount);
		argv[n++] = room[1];
	}
	if (p->level) {
		snprintf(room[2], sizeof room[2], "-O%s", p->level);
		argv[n++] = room[2];
	}
	argv[n] = NULL;
	return n;
}

/* relocatable: as for nvcc -rdc=true, so that functions of other modules may be called. */
static bool
run_ptxas(Ptxas *p, const char *ptx, const char *in, const char *out, bool relocatable)
{
	char room[3][64];
	const char *argv[12];
	int n = ptxas_command(p, ptx, argv, room);

	argv[n++] = "-v";
	if (relocatable)
		argv[n++] = "-c";
	argv[n++] = in;
	argv[n++] = "-o";
	argv[n++] = out;
	argv[n] = NULL;
	child_release(&p->said);
	Ended e = child_run((char *const *)(void *)argv, NULL, &p->said);
	buf_add(&p->said.err, p->said.out.at ? p->said.out.at : "", p->said.out.n);
	return e.code == 0 && e.signal == 0;
}

/* Remembers what was assembled, unless ptxas has warnings, which it prints again in nvcc's step. */
static void
remember_text(Ptxas *p, const char *ptx, size_t len)
{
	if (!strstr(p->said.err.at ? p->said.err.at : "", "warning"))
		buf_add(&p->text, ptx, len);
}

void
ptxas_keep_code(const Ptxas *p, const char *result, size_t len)
{
	char room[3][64];
	const char *command[12];

	if (!p->keep || !p->code.n || !len || p->text.n != len ||
		memcmp(p->text.at, result, len) != 0)
		return;
	ptxas_command(p, result, command, room);
	assembled_save(p->keep, command, &p->text, &p->code);
}

int
ptxas_assemble(void *user, const char *ptx, size_t len, const char **log)
{
	Ptxas *p = user;
	Memory_file in, out;
	bool ok = false;

	p->text.n = p->code.n = 0;
	p->whole = false;
	if (!memory_file(&in, ptx, len)) {
		perror("ptxccc: cannot make a temporary file");
	} else {
		if (!memory_file(&out, "", 0)) {
			perror("ptxccc: cannot make a temporary file");
		} else {
			p->whole = run_ptxas(p, ptx, in.path, out.path, false);
			ok = p->whole || run_ptxas(p, ptx, in.path, out.path, true);
			if (ok)
				(void)source_append(&p->code, out.path);
			if (p->whole)
				remember_text(p, ptx, len);
			close(out.fd);
		}
		close(in.fd);
	}
	*log = p->said.err.n ? p->said.err.at : "";
	return !ok;
}

const char *
ptxas_machine_code(void *user, size_t *len)
{
	const Ptxas *p = user;

	*len = p->code.n;
	return p->code.n ? p->code.at : NULL;
}

void
ptxas_release(Ptxas *p)
{
	child_release(&p->said);
	buf_free(&p->code);
	buf_free(&p->text);
}
