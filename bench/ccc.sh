#!/bin/sh
# SPDX-License-Identifier: MIT
# The evaluations of the CCC paper (section 6) and of the other papers on this machine's GPU. Writes tables to docs/measurements/results/,
# from which bench/results.py generates docs/measurements/results.md and its plots. Exit status 1 if a result is wrong.
#
#	bench/ccc.sh
#	                  --build      builds the programs only: copy build/bench to a GPU machine without a compiler
#	                  --no-build   runs existing programs
#	                  --quick      less work
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native; sm_90 without a GPU), REPS (7), NCU (ncu), OUT (docs/measurements/results).
cd "$(dirname "$0")/.." || exit 2
OUT=${OUT:-docs/measurements/results}
EIGHT="bfs sssp dqg emies ff hash iefa rt"
. bench/common.sh

# The eight programs with one part of the transformation switched off: a name, and cccnvcc's option.
switches() {
	cat <<'END'
uncompressed --ccc-no-compress
stack --ccc-policy=stack
queue --ccc-policy=queue
converge --ccc-policy=converge
END
}
if [ -n "$build" ]; then
	mkdir -p build/bench || exit 2
	{
		echo bench/ccc-policies.sh --build
		echo bench/ccc-basic.sh --build
		for p in $EIGHT spmv specrec md kato itdelay predict brdist tdr walk search sets paths wait tasks; do
			echo "PROGRAMS=$p bench/ccc-programs.sh --build"
		done
		switches | while read -r name option; do
			for p in $EIGHT; do
				echo "$CCCNVCC $option $FLAGS -o build/bench/ccc_$p.$name bench/ccc_$p.cu"
			done
		done
	} | xargs -P "${JOBS:-$(nproc)}" -d '\n' -n 1 sh -c || exit 2
fi
[ -n "$run" ] || exit 0

mkdir -p "$OUT" || exit 2
status=0
keep() { # FILE COMMAND ...: its output goes to the file; a line on standard error says how far it is
	file=$1
	shift
	echo "ccc.sh: $*" >&2
	case $file in *.md) echo "<!-- SPDX-License-Identifier: MIT -->" ;; esac >"$OUT/$file.new"
	"$@" >>"$OUT/$file.new" || status=$?
	mv "$OUT/$file.new" "$OUT/$file"
}
machine() {
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/\(.*\), \(.*\)/gpu: \1\ndriver: \2/;q'
	nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/toolkit: \1/p'
	echo "date: $(date -u +%Y-%m-%d)"
	echo "command: bench/ccc.sh $quick"
}
# Registers and static shared memory (bytes per block) of the original and the annotated kernels.
resources() {
	echo "| program | kernel | registers | shared |"
	echo "| --- | --- | --: | --: |"
	for p in $EIGHT; do
		cuobjdump -res-usage build/bench/ccc_$p >build/bench/resources 2>/dev/null || return 2
		awk -v p=$p '
			/Function/ { name = $2; sub(/:$/, "", name) }
			/REG:/ && name ~ /k_(base|ccc)/ {
				match(name, /k_(base|ccc)/)
				kernel = substr(name, RSTART)
				sub(/Ev?[0-9A-Z].*/, "", kernel)
				for (i = 1; i <= NF; i++) {
					if ($i ~ /^REG:/) reg = substr($i, 5)
					if ($i ~ /^SHARED:/) shared = substr($i, 8)
				}
				print "| " p " | " kernel " | " reg " | " shared " |"
			}' build/bench/resources | sort -u
	done
}
# Warp execution efficiency of the original and the annotated kernels: the mean over launches, weighted by instructions. Only a program's
# first launches: breadth-first search on streets has thousands.
efficiency() {
	echo "| program | kernel | efficiency |"
	echo "| --- | --- | --: |"
	ratio=smsp__thread_inst_executed_per_inst_executed.ratio count=smsp__inst_executed.sum
	for p in $EIGHT; do
		"$NCU" --csv --metrics $ratio,$count -k 'regex:^k_(base|ccc)' -c 48 build/bench/ccc_$p $quick --reps 1 >build/bench/ncu.csv || return 2
		awk -F '","' -v p=$p -v ratio=$ratio -v count=$count '
			/"ID"/ { for (i = 1; i <= NF; i++) { if ($i ~ /Kernel Name/) k = i; if ($i ~ /Metric Name/) m = i; if ($i ~ /Metric Value/) v = i } next }
			{ value = $v; gsub(/[",]/, "", value); name = $k; sub(/\(.*/, "", name); sub(/<.*/, "", name); sub(/.* /, "", name) }
			$m == ratio { r[$1] = value; who[$1] = name }
			$m == count { n[$1] = value; who[$1] = name }
			END {
				for (i in r) { sum[who[i]] += r[i] / 32 * n[i]; all[who[i]] += n[i] }
				for (w in sum) printf "| %s | %s | %.1f %% |\n", p, w, 100 * sum[w] / all[w]
			}' build/bench/ncu.csv | sort
	done
}
switched() {
	echo "| switch | program | data | base ms | ccc ms | by hand ms | ccc/base | by hand/base | ccc/by hand | results | one task a thread ms |"
	echo "| --- | --- | --- | --: | --: | --: | --: | --: | --: | --- | --: |"
	switches | while read -r name option; do
		for p in $EIGHT; do
			build/bench/ccc_$p.$name --reps 3 --quick >build/bench/rows || return 1
			sed "s/^/| $name /" build/bench/rows
		done
	done
}
keep machine.txt machine
keep resources.md resources
keep programs.md bench/ccc-programs.sh --no-build $quick
keep policies.md bench/ccc-policies.sh --no-build $quick
keep papers.md bench/papers.sh --no-build $quick
keep switches.md switched
if command -v "$NCU" >/dev/null 2>&1; then
	keep efficiency.md efficiency
	keep synthetic-efficiency.md bench/ccc-basic.sh --no-build --ncu
fi
exit $status
