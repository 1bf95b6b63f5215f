#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the emulator's memory counts with a GPU's. Runs kernels with one access each, by one warp, on ptxrun and under
# Nsight Compute. Prints a table in Markdown: wavefronts of shared memory, requests and sectors of global and local memory.
# Exit status 1 if any differ.
#
#	bench/simt-numbers.sh                 everything
#	bench/simt-numbers.sh --build         runs ptxrun only: copy build/simt-numbers to a GPU machine
#	                      --no-build      runs existing programs on the GPU
#
# Environment: B (build), NCU (ncu).
cd "$(dirname "$0")/.." || exit 2
B=${B:-build} NCU=${NCU:-ncu}
build=yes run=yes
for arg; do
	case $arg in
	--build) run= ;;
	--no-build) build= ;;
	*) sed -n '/^# [A-Z][a-z]/,/^$/{ /^$/q; s/^# \{0,1\}//p; }' "$0" >&2; exit 2 ;;
	esac
done
out=build/simt-numbers

# space op | stride in bytes, lanes, first byte | the access: A is the address, v a word, w two. The first has none: the GPU counts a
# wavefront for a kernel that has shared memory and does not touch it.
cases() {
	cat <<'END'
shared st|4 32 0|
shared st|4 32 0|st.shared.u32 [A], v
shared st|8 32 0|st.shared.u32 [A], v
shared st|12 32 0|st.shared.u32 [A], v
shared st|16 32 0|st.shared.u32 [A], v
shared st|128 32 0|st.shared.u32 [A], v
shared st|132 32 0|st.shared.u32 [A], v
shared st|128 5 0|st.shared.u32 [A], v
shared st|1 32 0|st.shared.u8 [A], v
shared st|8 32 0|st.shared.u64 [A], w
shared st|16 32 0|st.shared.u64 [A], w
shared st|8 16 0|st.shared.u64 [A], w
shared st|128 32 0|st.shared.u64 [A], w
shared st|16 32 0|st.shared.v4.u32 [A], {v, v, v, v}
shared st|32 32 0|st.shared.v4.u32 [A], {v, v, v, v}
shared st|16 9 0|st.shared.v4.u32 [A], {v, v, v, v}
shared ld|4 32 0|ld.shared.u32 v, [A]
shared ld|0 32 64|ld.shared.u32 v, [A]
shared ld|64 32 0|ld.shared.u32 v, [A]
shared ld|8 32 0|ld.shared.u64 w, [A]
shared ld|0 32 64|ld.shared.u64 w, [A]
shared ld|16 32 0|ld.shared.v4.u32 {v, v2, v3, v4}, [A]
shared ld|0 32 64|ld.shared.v4.u32 {v, v2, v3, v4}, [A]
shared atom|4 32 0|atom.shared.add.u32 v, [A], v
shared atom|64 32 0|atom.shared.add.u32 v, [A], v
shared atom|0 32 0|atom.shared.add.u32 v, [A], v
global st|4 32 0|st.global.u32 [A], v
global st|4 32 32|st.global.u32 [A], v
global st|4 32 4|st.global.u32 [A], v
global st|8 32 0|st.global.u32 [A], v
global st|128 32 0|st.global.u32 [A], v
global ld|4 32 0|ld.global.u32 v, [A]
global ld|4 32 4|ld.global.u32 v, [A]
global ld|0 32 100|ld.global.u32 v, [A]
global ld|36 32 0|ld.global.u32 v, [A]
global ld|4 9 0|ld.global.u32 v, [A]
global ld|8 32 0|ld.global.u64 w, [A]
global ld|16 32 0|ld.global.v4.u32 {v, v2, v3, v4}, [A]
global ld|64 32 16|ld.global.v4.u32 {v, v2, v3, v4}, [A]
global atom|4 32 0|atom.global.add.u32 v, [A], v
global atom|0 32 0|atom.global.add.u32 v, [A], v
global atom|4 32 0|atom.global.exch.b32 v, [A], v
global atom|0 32 0|atom.global.exch.b32 v, [A], v
global atom|4 32 0|atom.global.cas.b32 v, [A], v, 1
global atom|0 32 0|atom.global.cas.b32 v, [A], v, 1
local st|0 32 4|st.local.u32 [A], v
local st|0 9 4|st.local.u32 [A], v
local st|0 32 8|st.local.u64 [A], w
local st|0 32 16|st.local.v4.u32 [A], {v, v, v, v}
END
}

# The kernels c1, c2, ... The result is stored under a condition that is never true, so that no compiler removes the access.
module() {
	printf '.version 8.0\n.target sm_80\n.address_size 64\n'
	cases | awk -F '|' '{
		split($1, what, " ")
		wide = what[1] == "global"
		access = $3
		gsub(/\[A\]/, wide ? "[%rd2]" : "[%r3]", access)
		gsub(/v2/, "%r7", access); gsub(/v3/, "%r8", access); gsub(/v4}/, "%r9}", access); gsub(/ v,/, " %r6,", access)
		gsub(/{v,/, "{%r6,", access); gsub(/ v}/, " %r6}", access); gsub(/ v$/, " %r6", access)
		gsub(/ w,/, " %rd3,", access); gsub(/ w$/, " %rd3", access)
		printf ".visible .entry c%d(.param .u64 out, .param .u32 stride, .param .u32 lanes, .param .u32 first)\n{\n", NR
		print "\t.reg .pred %p<3>;\n\t.reg .b32 %r<13>;\n\t.reg .b64 %rd<6>;"
		if (what[1] == "shared") print "\t.shared .align 32 .b8 s[8192];"
		if (what[1] == "local") print "\t.local .align 16 .b8 s[64];"
		print "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [stride];\n\tld.param.u32 %r2, [lanes];\n\tld.param.u32 %r10, [first];"
		print "\tmov.u32 %r4, %tid.x;\n\tmad.lo.u32 %r5, %r4, %r1, %r10;\n\tadd.u32 %r6, %r4, 3;\n\tmov.u32 %r7, %r6;\n\tmov.u32 %r8, %r6;\n\tmov.u32 %r9, %r6;"
		print "\tcvt.u64.u32 %rd3, %r6;\n\tcvt.u64.u32 %rd2, %r5;\n\tadd.s64 %rd2, %rd1, %rd2;"
		if (!wide) print "\tmov.u32 %r3, s;\n\tadd.u32 %r3, %r3, %r5;"
		print "\tsetp.lt.u32 %p1, %r4, %r2;"
		if (access) print "\t@%p1 " access ";"
		if (what[1] == "local") print "\t@%p1 ld.local.u32 %r6, [%r3];"
		print "\txor.b32 %r6, %r6, %r7;\n\txor.b32 %r6, %r6, %r8;\n\txor.b32 %r6, %r6, %r9;\n\tmov.b64 {%r11, %r12}, %rd3;\n\txor.b32 %r6, %r6, %r11;\n\txor.b32 %r6, %r6, %r12;"
		print "\tsetp.eq.u32 %p2, %r6, 0x7fedcba9;\n\t@%p2 st.global.u32 [%rd1], %r6;\n\tret;\n}"
	}'
}

# counts SPACE OP: from ptxrun's output, "requests sectors" of a case; for shared memory "- wavefronts". A store to local memory
# is followed by a load, so the counts of its line are used.
counts() {
	case $1 in
	shared) echo "- $(sed -n 's/^shared memory: .* requests, \([0-9]*\) wavefronts.*/\1/p' $out/counts | grep . || echo 0)" ;;
	global) sed -n 's/^global memory: \([0-9]*\) requests, \([0-9]*\) sectors.*/\1 \2/p' $out/counts ;;
	local) awk '/@%p1 st\.local/ { print $9 + 0, "a request" }' $out/lines ;;
	esac
}

build() {
	rm -rf $out
	mkdir -p $out || exit 2
	make -s B="$B" all "$B/bench/simt_h200" || exit 2
	cp "$B/bench/simt_h200" $out
	module >$out/cases.ptx
	n=0
	cases | while IFS='|' read -r what where access; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		set -- $where
		echo "$out/cases.ptx c$n 1 32 0 - buf:8192 u32:$1 u32:$2 u32:$3" >>$out/list
		"$B/bin/ptxrun" --quiet --no-unwritten --counts $out/cases.ptx c$n --arg buf:8192 --arg u32:$1 --arg u32:$2 --arg u32:$3 >$out/counts || exit 2
		"$B/bin/ptxrun" --quiet --no-unwritten --lines=ptx $out/cases.ptx c$n --arg buf:8192 --arg u32:$1 --arg u32:$2 --arg u32:$3 >$out/lines || exit 2
		# shellcheck disable=SC2086
		echo "$what|$where|$access|$(counts $what)" >>$out/emulator
	done || exit 2
}

METRICS=l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
for op in global_op_ld global_op_st global_op_atom local_op_st; do
	METRICS=$METRICS,l1tex__t_requests_pipe_lsu_mem_$op.sum,l1tex__t_sectors_pipe_lsu_mem_$op.sum
done

run() {
	"$NCU" --csv --clock-control none --print-units base --metrics "$METRICS" $out/simt_h200 $out/list >$out/ncu || { cat $out/ncu >&2; exit 2; }
	# One line per launch: wavefronts, then requests and sectors by operation.
	awk -F '","' -v names="$METRICS" '
	BEGIN { n = split(names, name, ",") }
	/^"[0-9]+","/ {
		id = substr($1, 2) + 0; value = $NF; gsub(/[",]/, "", value)
		for (i = 1; i <= n; i++) if (index($0, "\"" name[i] "\"")) got[id, i] = value
		if (id > last) last = id
	}
	END { for (id = 0; id <= last; id++) { line = ""; for (i = 1; i <= n; i++) line = line " " (got[id, i] == "" ? "?" : got[id, i]); print substr(line, 2) } }' $out/ncu >$out/gpu
	paste -d '|' $out/emulator $out/gpu | awk -F '|' '
	BEGIN {
		print "| access | stride, lanes, first byte | emulator | GPU | |"
		print "| --- | --- | --: | --: | --- |"
		at["global ld"] = 2; at["global st"] = 4; at["global atom"] = 6; at["local st"] = 8
	}
	{
		split($5, g, " ")
		if (NR == 1) none = g[1]
		g[1] -= none
		k = at[$1]
		gpu = $1 ~ /^shared/ ? "- " g[1] : $1 ~ /^local/ ? g[k + 1] / (g[k] ? g[k] : 1) " a request" : g[k] " " g[k + 1]
		same = gpu == $4
		if (!same) bad = 1
		printf "| `%s` | %s | %s | %s | %s |\n", $3, $2, $4, gpu, same ? "" : "differs"
	}
	END { if (!NR) { print "no numbers"; bad = 1 } exit bad }'
}

[ -z "$build" ] || build
[ -z "$run" ] || run
