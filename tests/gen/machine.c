/* SPDX-License-Identifier: MIT */
/* Runs random kernels. See machine.h. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/machine.h"

static const uint32_t sizes[GEN_BUFFERS] = { 4 * GEN_IN_WORDS, 8 * GEN_SITES *GEN_ITEMS *GEN_SLOTS,
	8 * GEN_THREADS *GEN_LAST, 4 * GEN_SUMS };

/* launches on one memory: the emulator numbers blocks with 32 bits */
enum { MOST_KERNELS = 1 << 20 };

/* Makes the buffers, or reuses those of the previous kernel. */
static void
take_memory(Machine *k)
{
	static const Module nothing;

	if (k->memory && k->kernels++ < MOST_KERNELS)
		return;
	sim_free(k->memory);
	k->memory = sim_new(&nothing);
	k->kernels = 0;
	for (int i = 0; i < GEN_BUFFERS; i++)
		k->at[i] = sim_alloc(k->memory, sizes[i], "buffer");
}

bool
machine_init(Machine *k, const char *name, const Buf *text, const Gen_info *info, Buf *why)
{
	take_memory(k);
	source_from(&k->src, name, text->at, text->n);
	k->diags = diags_new(&k->src);
	k->m = ptx_parse(&k->src, k->diags);
	if (!k->m) {
		diags_print(k->diags, stderr);
		buf_printf(why, "%s: syntax", name);
		return false;
	}
	k->sim = sim_new_sharing(k->m, k->memory);
	k->kernel = sim_kernel(k->sim, "k", why);
	if (!k->kernel)
		return false;
	for (int i = 0; i < GEN_BUFFERS; i++)
		memcpy(k->params + 8 * i, &k->at[i], 8);
	memcpy(k->params + 8 * GEN_BUFFERS, &info->n, 4);
	memcpy(k->params + 8 * GEN_BUFFERS + 4, &info->x, 4);
	return true;
}

void
machine_release(Machine *k)
{
	sim_free(k->sim);
	if (k->memory)
		sim_keep_newest(k->memory, GEN_BUFFERS);
	ptx_free(k->m);
	diags_free(k->diags);
	source_release(&k->src);
	*k = (Machine){ .memory = k->memory, .kernels = k->kernels,
		.at = { k->at[0], k->at[1], k->at[2], k->at[3] } };
}

void
machine_free(Machine *k)
{
	machine_release(k);
	sim_free(k->memory);
	*k = (Machine){ 0 };
}

/* As ptxrun fills them: rand:SEED, and zeros. */
static void
machine_fill(Machine *k, uint32_t in_seed)
{
	uint64_t state = in_seed;
	for (int i = 0; i < GEN_BUFFERS; i++)
		memset(sim_bytes(k->sim, k->at[i], sizes[i]), 0, sizes[i]);
	uint8_t *in = sim_bytes(k->sim, k->at[0], sizes[0]);
	for (uint32_t i = 0; i < GEN_IN_WORDS; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint32_t v = (uint32_t)(state >> 33);
		memcpy(in + 4 * i, &v, 4);
	}
}

bool
machine_run(Machine *k, Sim_launch l, uint32_t in_seed, Buf *why)
{
	l.params = k->params;
	machine_fill(k, in_seed);
	if (sim_launch(k->sim, k->kernel, &l, why, &k->counts))
		return true;
	buf_printf(why, "%s: --grid %u --block %u,%u,%u", k->src.name, l.grid[0], l.block[0],
		l.block[1], l.block[2]);
	if (l.sched == SCHED_RANDOM)
		buf_printf(why, " --sched=random --seed=%llu", (unsigned long long)l.seed);
	return false;
}

void
machine_keep(Machine *k, Buf *memory)
{
	for (int i = 0; i < GEN_BUFFERS; i++)
		buf_add(memory, (const char *)sim_bytes(k->sim, k->at[i], sizes[i]), sizes[i]);
}

void
machine_restore(Machine *k, const Buf *memory)
{
	size_t at = 0;

	for (int i = 0; i < GEN_BUFFERS; at += sizes[i++])
		memcpy(sim_bytes(k->sim, k->at[i], sizes[i]), memory->at + at, sizes[i]);
}

bool
machines_agree(Machine *a, Machine *b, Buf *why)
{
	static const char *const names[GEN_BUFFERS] = { "in", "out", "last", "sums" };
	for (int i = 0; i < GEN_BUFFERS; i++) {
		const uint8_t *p = sim_bytes(a->sim, a->at[i], sizes[i]),
			      *q = sim_bytes(b->sim, b->at[i], sizes[i]);
		uint32_t k = 0;
		if (!memcmp(p, q, sizes[i]))
			continue;
		while (p[k] == q[k])
			k++;
		buf_printf(why, "buffer %s differs at byte %u", names[i], k);
		return false;
	}
	return true;
}
