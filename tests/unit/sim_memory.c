/* SPDX-License-Identifier: MIT */
/* Unit tests: operations of the host on global memory, and the faults of a kernel that reads it
 * afterwards. */
#include <string.h>
#include "base/diag.h"
#include "simt/simt.h"
#include "tests/unit/test.h"

static const char text[] =
	".version 8.3\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 at)\n{\n\t.reg .pred %p1;\n\t.reg .b32 %r1;\n\t.reg .b64 %rd1;\n\tld.param.u64 %rd1, [at];\n"
	"\tld.global.u32 %r1, [%rd1];\n\tsetp.eq.u32 %p1, %r1, 7;\n\t@%p1 bra e;\ne:\tret;\n}\n";

/* Returns the fault of a launch that reads four bytes at an address; "" if there is none. */
static const char *
fault_of_read(Sim *s, Sim_kernel *k, uint64_t at, Buf *out)
{
	Sim_launch l = { .grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.races = true,
		.params = (const uint8_t *)&at };
	Sim_counts counts;
	buf_free(out);
	buf_puts(out, "");
	sim_launch(s, k, &l, out, &counts);
	return out->at;
}

static void
check_unwritten(Sim *s, Sim_kernel *k, Buf *out)
{
	uint64_t at = sim_alloc_unwritten(s, 4096, "raw");
	sim_written(s, at + 1, 63);
	CHECK("the first byte is not written",
		strstr(fault_of_read(s, k, at, out), "uninitialised read: 4 bytes at 0x0 of raw"));
}

static void
check_written(Sim *s, Sim_kernel *k, Buf *out)
{
	uint64_t at = sim_alloc_unwritten(s, 4096, "raw");
	bool well = true;
	sim_written(s, at + 3, 62);
	for (uint64_t i = 4; i < 64; i += 4)
		well = well && !*fault_of_read(s, k, at + i, out);
	CHECK("the host wrote it", well);
	sim_written(s, at + 65, 1);
	sim_written(s, at + 66, 2);
	CHECK("the host wrote it byte by byte", !*fault_of_read(s, k, at + 64, out));
	CHECK("zeroed memory counts as written", !*fault_of_read(s, k, sim_alloc(s, 4, "zeros"), out));
}

static void
check_freed(Sim *s, Sim_kernel *k, Buf *out)
{
	uint64_t at = sim_alloc(s, 64, "b"), other;
	CHECK("only where a buffer begins", !sim_release(s, at + 4) && !*fault_of_read(s, k, at + 4, out));
	CHECK("released", sim_release(s, at) && !sim_bytes(s, at, 4));
	CHECK("not twice", !sim_release(s, at));
	other = sim_alloc(s, 64, "c");
	CHECK("its address is not given again", other != at && !*fault_of_read(s, k, other, out));
	CHECK("a read is told",
		strstr(fault_of_read(s, k, at + 4, out), "memory freed: 4 bytes at 0x4 of b"));
}

static void
check_only(Sim *s, Sim_kernel *k, Buf *out)
{
	static int own;
	(void)k, (void)out;
	uint64_t at = sim_alloc(s, 64, "o");
	CHECK("addresses of kernels alone",
		sim_only_buffer(at) && sim_only_buffer(UINT64_C(0x4fffffffffff)) &&
			!sim_only_buffer((uint64_t)(uintptr_t)&own));
}

int
main(void)
{
	Source src;
	Buf out = {0};
	source_from(&src, "k.ptx", text, sizeof text - 1);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	static void (*const checks[])(Sim *, Sim_kernel *, Buf *) = { check_unwritten,
		check_written, check_freed, check_only };
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		Sim *s = sim_new(m);
		Sim_kernel *k = sim_kernel(s, "k", &out);
		checks[i](s, k, &out);
		sim_free(s);
	}
	buf_free(&out);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return test_end();
}
