/* SPDX-License-Identifier: MIT */
/* The attributes and limits of the only device (device.def). */
#include "driver/rt/rt.h"

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". An architecture
 * without a row has the limits of the newest older one. */
/* architecture, threads, blocks, shared memory, part of it reserved per block */
static const Limits limits[] = { { 50, 2048, 32, 64, 16 }, { 70, 2048, 32, 96, 0 },
	{ 75, 1024, 16, 64, 0 }, { 80, 2048, 32, 164, 1 }, { 86, 1536, 16, 100, 1 },
	{ 87, 1536, 16, 164, 1 }, { 89, 1536, 24, 100, 1 }, { 90, 2048, 32, 228, 1 },
	{ 120, 1536, 24, 100, 1 } };

Limits
device_limits(uint32_t arch)
{
	Limits best = limits[0];
	for (size_t i = 1; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].arch <= arch)
			best = limits[i];
	best.arch = arch;
	return best;
}

bool
device_attribute(const Runtime *rt, int attr, int *value)
{
	const Limits l = device_limits(rt->arch), *a = &l;
	int sms = rt->sms;
	switch (attr) {
#define DEVICE(number, field, value_) case number: *value = (int)(value_); break;
#include "driver/rt/device.def"
#undef DEVICE
	default: *value = 0; break;
	}
	return attr > 0 && attr < 150;
}

size_t *
device_limit(int limit)
{
	/* protected by the lock */
	static size_t values[] = { 1024, 1 << 20, 8 << 20, 2, 2048, 128, 0 };
	return limit >= 0 && limit < (int)(sizeof values / sizeof *values) ? &values[limit] : NULL;
}
