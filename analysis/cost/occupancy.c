/* SPDX-License-Identifier: MIT */
/* Resident blocks; see occupancy.h. */
#include <stddef.h>
#include "analysis/cost/occupancy.h"

enum {
	FILE_SIZE = 65536,      /* registers of a multiprocessor */
	UNIT = 8,               /* allocation unit of a thread's registers */
	/* partitions of a multiprocessor; each has its share of the registers and warps */
	PARTITIONS = 4,
	WARP = 32,
	SHARED_UNIT = 256,      /* allocation unit of shared memory, in bytes */
	MIDDLE = 40             /* registers per thread if unknown */
};

/* By compute capability: multiprocessors; then per multiprocessor: warps, blocks, KiB of shared
 * memory; bytes of a block's shared memory that the system reserves. */
static const struct { uint32_t target, sms, warps, blocks, kib, taken; } rows[] = {
	{ 70, 80, 64, 32, 96, 0 },        /* V100 */
	{ 72, 8, 64, 32, 96, 0 },         /* Xavier */
	{ 75, 72, 32, 16, 64, 0 },        /* Quadro RTX 8000 */
	{ 80, 108, 64, 32, 164, 1024 },   /* A100 */
	{ 86, 84, 48, 16, 100, 1024 },    /* A40 */
	{ 87, 16, 48, 16, 164, 1024 },    /* Orin */
	{ 89, 128, 48, 24, 100, 1024 },   /* RTX 4090 */
	{ 90, 132, 64, 32, 228, 1024 },   /* H100, H200 */
	{ 100, 148, 64, 32, 228, 1024 },  /* B200 */
	{ 103, 160, 64, 32, 228, 1024 },  /* B300 */
	{ 110, 20, 48, 24, 228, 1024 },   /* Thor */
	{ 120, 170, 48, 24, 100, 1024 },  /* RTX 5090 */
	{ 121, 48, 48, 24, 100, 1024 },   /* GB10 */
};

static uint32_t
round_up(uint32_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static uint32_t
min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t
warps_by_registers(uint32_t registers)
{
	uint32_t taken = round_up(registers ? registers : MIDDLE, UNIT) * WARP;

	return FILE_SIZE / PARTITIONS / taken * PARTITIONS;
}

Occupancy
occupancy_of(uint32_t target, uint32_t registers, uint32_t shared)
{
	size_t i = 0;

	while (i + 1 < sizeof rows / sizeof *rows && rows[i + 1].target <= target)
		i++;
	Occupancy o = { .sms = rows[i].sms, .warps = rows[i].warps, .blocks = rows[i].blocks };
	o.warps = min_u32(o.warps, warps_by_registers(registers));
	if (shared)
		o.blocks = min_u32(o.blocks,
			(rows[i].kib << 10) / round_up(shared + rows[i].taken, SHARED_UNIT));
	o.blocks += o.blocks == 0;
	return o;
}

uint32_t
occupancy_blocks(const Occupancy *o, uint32_t threads)
{
	uint32_t n = o->warps / ((threads + WARP - 1) / WARP);

	return n ? min_u32(n, o->blocks) : 1;
}
