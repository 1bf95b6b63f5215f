#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of bench/unseen, without annotations, on a GPU: compiled by nvcc, by `cccnvcc --ccc-auto`, and by the latter with
# a profile of the same data set. Prints a table in Markdown: the median time of the plain program, that time divided by the
# others' ("same" if the device code is nvcc's), and the policies of the profiled program or the first reason for none. Exit
# status 1 if a program fails or checksums differ.
#
#	bench/unseen.sh [NAME...]       default: the programs of SET
#
# Environment: SET (open) or held-out, all: see bench/unseen/README.md; ROUNDS (5) of alternating runs, REPEAT (5) launches in a
# run, WORK (build/bench/unseen), CCCNVCC (build/bin/cccnvcc), NVCC (nvcc), ARCH (native; sm_90 without a GPU), JOBS (number of
# processors), LAUNCH: a command before each program, for example "build/bin/ptxrun --" with UNSEEN_SCALE=0.001.
#
# STEP (all) does a part, for a GPU machine that has no nvcc; WORK travels between the machines:
#	build     nvcc: the plain, the automatic and the counting programs (*.counts, which only the next step needs)
#	profile   GPU: runs the counting programs; writes NAME.a.cccprof and NAME.b.cccprof
#	rebuild   nvcc: the programs with these profiles
#	run       GPU: the table
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} NVCC=${NVCC:-nvcc} WORK=${WORK:-build/bench/unseen} STEP=${STEP:-all}
ROUNDS=${ROUNDS:-5} REPEAT=${REPEAT:-5} LAUNCH=${LAUNCH:-}
if [ -z "${ARCH:-}" ]; then
	if nvidia-smi -L >/dev/null 2>&1; then ARCH=native; else ARCH=sm_90; fi
fi
FLAGS="-O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets"
export CCCNVCC NVCC WORK FLAGS

held_out=$(sed -n 's/^    held-out://p' bench/unseen/README.md)
if [ $# = 0 ]; then
	for file in bench/unseen/*.cu; do
		name=$(basename "$file" .cu)
		case "${SET:-open} $(echo $held_out | grep -c -w -e "$name")" in
		all\ ? | open\ 0 | held-out\ 1) set -- "$@" "$name" ;;
		open\ 1 | held-out\ 0) ;;
		*) echo "unseen.sh: SET is open, held-out or all" >&2; exit 2 ;;
		esac
	done
fi
for name; do
	[ -f "bench/unseen/$name.cu" ] || { echo "unseen.sh: no program bench/unseen/$name.cu" >&2; exit 2; }
done
mkdir -p "$WORK" || exit 2
status=0

each() { # COMMAND NAME...: the command for all names, several at a time; $1 is the name
	command=$1
	shift
	printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -c "$functions
		$command" sh '{}' || status=1
}
# For the shells of each(). compile PROGRAM COMMAND...: the log is PROGRAM.log; no program is left if it fails. same PROGRAM
# PLAIN: replaces a program that has the device code of the plain one by an empty file PROGRAM.same.
functions='
compile() {
	program=$1
	shift
	rm -f "$program" "$program.same"
	"$@" $FLAGS -o "$program" "bench/unseen/$name.cu" >"$program.log" 2>&1 ||
		{ echo "unseen.sh: $program: $(tail -n 1 "$program.log")" >&2; rm -f "$program"; return 1; }
}
same() {
	for each; do
		objcopy -O binary --only-section=.nv_fatbin "$each" "$each.fatbin" || return 1
	done
	cmp -s "$1.fatbin" "$2.fatbin" && rm "$1" && : >"$1.same"
	rm -f "$1.fatbin" "$2.fatbin"
}
name=$1 out=$WORK/$1
'
build() {
	each 'compile "$out.plain" "$NVCC" && compile "$out.auto" "$CCCNVCC" --ccc-auto && same "$out.auto" "$out.plain" &&
		compile "$out.counts" "$CCCNVCC" --ccc-auto --ccc-profile-generate --ccc-profile-sampling=0' "$@"
}
profile() {
	for name; do
		for data in a b; do
			file=$WORK/$name.$data.cccprof
			rm -f "$file"
			if ! CCC_PROFILE_FILE=$file timeout 300 $LAUNCH "$WORK/$name.counts" $data 1 >/dev/null; then
				echo "unseen.sh: $name.counts $data fails" >&2
				status=1
				rm -f "$file"
			elif [ ! -s "$file" ]; then
				echo 'cccprof 1' >"$file" # the program has nothing to count
			fi
		done
	done
}
rebuild() {
	each 'for data in a b; do
		[ -s "$out.$data.cccprof" ] || { echo "unseen.sh: no $out.$data.cccprof" >&2; exit 1; }
		rm -f "$out.$data.txt"
		compile "$out.$data" "$CCCNVCC" --ccc-auto --ccc-profile-use="$out.$data.cccprof" --ccc-report="$out.$data.txt" &&
			same "$out.$data" "$out.plain" || exit 1
	done' "$@"
}
choice() { # PROGRAM: the policies, or why there are none, by its report
	[ -f "$1" ] || [ -f "$1.same" ] || { echo "not built"; return; }
	[ -s "$1.txt" ] || { echo "nothing to transform"; return; }
	awk '/transformed, policy/ { sub(/.*transformed, policy */, ""); p = p (p ? ", " : "") $0 }
		/left unchanged:/ && !why { why = $0; sub(/.*left unchanged: */, "", why) }
		/^ *why:/ && !cause { cause = $0; sub(/^ *why: */, "", cause) }
		END { print substr(p ? p : why ? why : cause ? cause : "nothing to transform", 1, 160) }' "$1.txt" | tr '|' '/'
}
run() {
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/GPU: /;s/$/\n/;q'
	echo "| program | data | plain ms | plain/auto | plain/profiled | policy or reason |"
	echo "| --- | --- | --: | --: | --: | --- |"
	for name; do
		for data in a b; do
			: >"$WORK/lines"
			rounds=$ROUNDS # one if there is nothing to compare
			if [ -f "$WORK/$name.auto.same" ] && [ -f "$WORK/$name.$data.same" ]; then rounds=1; fi
			for _ in $(seq "$rounds"); do
				for way in plain auto "$data"; do
					program=$WORK/$name.$way
					if [ -f "$program.same" ]; then
						echo "$way same"
					elif [ -f "$program" ]; then
						timeout 300 $LAUNCH "$program" $data "$REPEAT" 2>"$WORK/errors" | awk -v way="$way" '
							$1 == "check" { check = $2 }
							$1 == "ms" { ms = $2 }
							END { print way, ms == "" ? "failed" : ms, check }'
					else
						echo "$way missing"
					fi
				done >>"$WORK/lines"
			done
			awk -v name="$name" -v data=$data -v why="$(choice "$WORK/$name.$data")" '
				function median(way,   i, j, n, t, v) {
					n = count[way]
					for (i = 1; i <= n; i++)
						v[i] = time[way, i] + 0
					for (i = 2; i <= n; i++)
						for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
					return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
				}
				function ratio(way) {
					if (word[way])
						return word[way]
					return median(way) > 0 ? sprintf("%.3f", median("plain") / median(way)) : "?"
				}
				$2 == "same" || $2 == "missing" || $2 == "failed" {
					if (!word[$1] || $2 == "failed") word[$1] = $2
					if ($2 != "same") bad = 1
					next
				}
				{
					if (check == "") check = $3
					if ($3 != check) { word[$1] = "WRONG"; bad = 1 }
					time[$1, ++count[$1]] = $2
				}
				END {
					printf "| %s | %s | %s | %s | %s | %s |\n", name, data, word["plain"] ? word["plain"] : sprintf("%.3f", median("plain")),
						word["plain"] ? "?" : ratio("auto"), word["plain"] ? "?" : ratio(data), why
					exit bad
				}' "$WORK/lines" || status=1
		done
	done
}
case $STEP in
build | profile | rebuild | run) $STEP "$@" ;;
all) build "$@" && profile "$@" && rebuild "$@" && run "$@" ;;
*) echo "unseen.sh: STEP is build, profile, rebuild, run or all" >&2; exit 2 ;;
esac
exit $status
