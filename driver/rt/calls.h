/* SPDX-License-Identifier: MIT */
/* Entry points. RUNTIME(name, (arguments), parameters) in driver/cudart/, and DRIVER in
 * driver/libcuda/, make the call `name`: it takes the lock, executes the body that follows, which
 * may use rt and returns a cudaError_t, and releases the lock. Calls that both libraries have are
 * in *.def files, in the form
 *
 *	BOTH(runtime's name, driver's name, (arguments), parameters)
 *	ANYWHERE(...)   the same, but the driver's needs no current context
 *	PTSZ(runtime's name, driver's name)     the variant for per-thread default streams
 *
 * with the types of driver/rt/ that CUDA's types are names of. */
#ifndef DRIVER_RT_CALLS_H
#define DRIVER_RT_CALLS_H

#define API __attribute__((visibility("default")))
/* An alias of a call, in the same file: another version of it, or the one that uses the
 * per-thread default stream as stream 0, which makes no difference because all streams are in
 * order. */
#define ALSO(name, other) API extern __typeof__(name) other __attribute__((alias(#name)));

#define UNPACK(...) __VA_ARGS__
#define ENTRY(type, name, args, enter, leave, ...) \
	API type name(__VA_ARGS__); \
	static cudaError_t do_##name(Runtime *rt, __VA_ARGS__); \
	type name(__VA_ARGS__) \
	{ \
		Runtime *rt = enter; \
		return leave(rt, do_##name(rt, UNPACK args)); \
	} \
	static cudaError_t do_##name(__attribute__((unused)) Runtime *rt, __VA_ARGS__)
/* A call that is another one with some arguments fixed. */
#define FORWARD(type, name, other, args, ...) \
	API type name(__VA_ARGS__); \
	type name(__VA_ARGS__) { return other args; }

#endif
