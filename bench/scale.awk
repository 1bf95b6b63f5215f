# SPDX-License-Identifier: MIT
# Generates PTX of one shape and any size, as nvcc emits it, with new registers everywhere.
#	awk -v shape=SHAPE -v n=N [-v plain=1] -f scale.awk </dev/null
#
# With plain=1, no annotations.
#
#	sites       a kernel with n annotated loops, one behind the other
#	kernels     n kernels with an annotated loop each
#	paths       a loop with n paths of which an iteration takes one (a switch)
#	switch      the same as an annotated switch, of which the 64 costliest cases are collected
#	loops       annotated loops in one another, n deep, and in the innermost a path
#	nested      a loop with paths in one another, n deep
#	updates     a loop in which n guarded instructions update a register that flows out
#	branches    the same with n branches
#	targets     the same with a brx.idx of n targets
#	moves       the same with a product that n moves part from its sum
#	addresses   the same with n stores, each to twice the address before, and a local array
#	calls       a kernel with an annotated loop that calls a chain of n functions, and n that do so too

function param(kernel) {
	print ".visible .entry " kernel "(.param .u32 " kernel "_n, .param .u64 " kernel "_in, .param .u64 " kernel "_out)\n{"
	print "\t.reg .pred %p<" 8 * n + 99 ">;\n\t.reg .b32 %r<" 8 * n + 99 ">;\n\t.reg .b64 %rd<" 8 * n + 99 ">;"
	if (shape == "addresses")
		print "\t.local .align 4 .b8 array[4];"
	print "\tld.param.u32 %r1, [" kernel "_n];\n\tld.param.u64 %rd1, [" kernel "_in];\n\tld.param.u64 %rd2, [" kernel "_out];"
	print "\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %ctaid.x;\n\tmov.u32 %r4, %tid.x;\n\tmov.u32 %r5, %nctaid.x;"
	print "\tmul.lo.s32 %r6, %r5, %r2;\n\tmov.u32 %r7, 0;"
	r = 10; rd = 10; p = 1
}
function mark(what) { if (!plain) print "\t// begin inline asm\n\t// .ccc " what "\n\t// end inline asm" }
function begin(kind, clauses) { mark("begin " kind " " ++id " \"scale.cu\":" id " " clauses); return id }
# Opens a loop over a new index; the code that closes it needs its number.
function open_loop(    l) {
	l = ++labels
	at[l] = begin("for")
	index_of[l] = r
	print "\tmad.lo.s32 %r" r ", %r3, %r2, %r4;\n\tsetp.ge.s32 %p" p ", %r" r ", %r1;\n\t@%p" p " bra $E" l ";\n$L" l ":"
	mark("begin iteration " at[l])
	print "\tmul.wide.s32 %rd" rd ", %r" r ", 4;\n\tadd.s64 %rd" rd + 1 ", %rd1, %rd" rd ";\n\tadd.s64 %rd" rd + 2 ", %rd2, %rd" rd ";"
	print "\tld.global.u32 %r" r + 1 ", [%rd" rd + 1 "];"
	value = r + 1; out = rd + 2; r += 2; rd += 3; p++
	return l
}
function close_loop(l) {
	print "\tadd.s32 %r" index_of[l] ", %r" index_of[l] ", %r6;\n\tsetp.lt.s32 %p" p ", %r" index_of[l] ", %r1;\n\t@%p" p " bra $L" l ";\n$E" l ":"
	p++
	mark("end for " at[l])
}
# Opens a path, which is taken if the current value is not k.
function open_path(k,    l) {
	l = ++labels
	print "\tsetp.eq.s32 %p" p ", %r" value ", " k ";\n\t@%p" p " bra $E" l ";"
	at[l] = begin("if")
	p++
	return l
}
function close_path(l) { mark("end if " at[l]); print "$E" l ":" }
function work() {
	if (shape == "addresses")
		print "\tst.local.u32 [array], %r" value ";\n\tld.local.u32 %r" value ", [array];"
	print "\tmad.lo.s32 %r" r ", %r" value ", %r" value ", %r1;\n\tst.global.u32 [%rd" out "], %r" r ";"
	r++
}
function site(    l, c) {
	l = open_loop()
	c = open_path(3)
	work()
	close_path(c)
	close_loop(l)
}
function nest_loops(depth,    l, k) {
	for (k = 0; k < depth; k++)
		l[k] = open_loop()
	site()
	while (k--)
		close_loop(l[k])
}
function nest_paths(depth,    c, k) {
	for (k = depth; k; k--) {
		c[k] = open_path(k)
		work()
	}
	while (k++ < depth)
		close_path(c[k])
}
# The paths of a switch, as compares and branches.
function cases(    k, l, whole) {
	if (shape == "switch")
		whole = begin("switch", "paths(64)")
	for (k = 0; k < n; k++) {
		l = ++labels
		print "\tsetp.ne.s32 %p" p ", %r" value ", " k ";\n\t@%p" p " bra $N" l ";"
		p++
		at[l] = begin(whole ? "case" : "if")
		work()
		mark("end " (whole ? "case " : "if ") at[l])
		print "\tbra.uni $END;\n$N" l ":"
	}
	print "$END:"
	if (whole)
		mark("end switch " whole)
}
function updates(k) {
	for (k = 0; k < n; k++)
		if (shape == "updates") {
			print "\tsetp.gt.s32 %p" p ", %r" value ", " k ";\n\t@%p" p " xor.b32 %r7, %r7, " k ";"
			p++
		} else {
			print "\tsetp.gt.s32 %p" p ", %r" value ", " k ";\n\t@%p" p " bra $U" k ";\n\txor.b32 %r7, %r7, " k ";\n$U" k ":"
			p++
		}
}
# A jump table, each target of which updates a register that is live out.
function targets(    k) {
	print "\trem.u32 %r" r ", %r" value ", " n ";"
	printf "$T: .branchtargets"
	for (k = 0; k < n; k++)
		printf "%s$U%d", k ? ", " : " ", k
	print ";\n\tbrx.idx %r" r ", $T;"
	for (k = 0; k < n; k++)
		print "$U" k ":\n\txor.b32 %r7, %r7, " k ";\n\tbra.uni $J;"
	print "$J:"
	r++
}
# A product, moved n times, and added.
function moves(    k) {
	print "\tmul.f32 %r" r ", %r" value ", %r" value ";"
	for (k = 0; k < n; k++)
		print "\tmov.b32 %r" ++r ", %r" r - 1 ";"
	print "\tadd.f32 %r7, %r" r++ ", %r" value ";"
}
function addresses(    k) {
	print "\tst.local.u32 [array], %r7;\n\tld.local.u32 %r7, [array];"
	print "\tcvt.u64.u32 %rd" rd++ ", %r" value ";"
	for (k = 0; k < n; k++) {
		print "\tadd.s64 %rd" rd ", %rd" rd - 1 ", %rd" rd - 1 ";\n\tst.global.u32 [%rd" rd "], %r7;"
		rd++
	}
}
function with_updates(    l, c) {
	l = open_loop()
	if (shape == "targets")
		targets()
	else if (shape == "moves")
		moves()
	else if (shape == "addresses")
		addresses()
	else
		updates()
	c = open_path(3)
	work()
	close_path(c)
	close_loop(l)
	print "\tmad.lo.s32 %r8, %r3, %r2, %r4;\n\tadd.s32 %r8, %r8, %r1;\n\tmul.wide.s32 %rd3, %r8, 4;\n\tadd.s64 %rd3, %rd2, %rd3;\n\tst.global.u32 [%rd3], %r7;"
}
function calls(    k) {
	for (k = 0; k < n; k++) {
		print ".func f" k "()\n{"
		if (k)
			print "\tcall.uni f" k - 1 ", ();"
		print "\tret;\n}"
	}
	for (k = 0; k < n; k++) {
		param("k" k)
		print "\tcall.uni f" n - 1 - k ", ();"
		site()
		print "\tret;\n}"
	}
}

BEGIN {
	print ".version 8.0\n.target sm_80\n.address_size 64\n"
	if (shape == "calls") {
		calls()
		exit
	}
	if (shape == "kernels") {
		for (i = 0; i < n; i++) {
			param("k" i)
			site()
			print "\tret;\n}"
		}
		exit
	}
	param("k")
	if (shape == "sites")
		for (i = 0; i < n; i++)
			site()
	else if (shape == "loops")
		nest_loops(n - 1)
	else if (shape == "paths" || shape == "switch" || shape == "nested") {
		l = open_loop()
		if (shape != "nested")
			cases()
		else
			nest_paths(n)
		close_loop(l)
	} else
		with_updates()
	print "\tret;\n}"
}
