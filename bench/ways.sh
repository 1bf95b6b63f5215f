# SPDX-License-Identifier: MIT
# Sourced by unseen.sh and decisions.sh at the root of the tree, with SOURCES, the folder of the programs, and WORK, that of what is
# built. A program is built in several ways; WORK/NAME.WAY is one. Sets the programs to run and the architecture, from the
# environment or to defaults, and defines how to build, count and compare.
# TIMED=1: `--ccc-auto` as users have it, which times its choice (give REPEAT at least 101); else what the
# estimate alone chooses.
auto="--ccc-auto --ccc-no-timed"
[ -z "${TIMED:-}" ] || auto=--ccc-auto
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} NVCC=${NVCC:-nvcc} STEP=${STEP:-all}
ROUNDS=${ROUNDS:-5} REPEAT=${REPEAT:-5} LAUNCH=${LAUNCH:-}
if [ -z "${ARCH:-}" ]; then
	if nvidia-smi -L >/dev/null 2>&1; then ARCH=native; else ARCH=sm_90; fi
fi
FLAGS="-O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets"
export CCCNVCC NVCC SOURCES WORK FLAGS auto
mkdir -p "$WORK" || exit 2
status=0

each() { # COMMAND ARGUMENT...: the command for all arguments, several at a time; $1 is one; $name and $out are a program's
	command=$1
	shift
	printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -c "$functions
		$command" sh '{}' || status=1
}
# For the shells of each(). compile PROGRAM COMMAND...: compiles $source; the log is PROGRAM.log; no program is left if it fails.
# same PROGRAM PLAIN: replaces a program that has the device code of the plain one by an empty file PROGRAM.same.
functions='
compile() {
	program=$1
	shift
	rm -f "$program" "$program.same"
	"$@" $FLAGS -o "$program" "$source" >"$program.log" 2>&1 ||
		{ echo "$program: $(tail -n 1 "$program.log")" >&2; rm -f "$program"; return 1; }
}
same() {
	for each; do
		objcopy -O binary --only-section=.nv_fatbin "$each" "$each.fatbin" || return 1
	done
	cmp -s "$1.fatbin" "$2.fatbin" && rm "$1" && : >"$1.same"
	rm -f "$1.fatbin" "$2.fatbin"
}
name=${1%% *} out=$WORK/$name source=$SOURCES/$name.cu
'
count() { # COUNTING DATA FILE: runs a counting program; the file is its profile
	rm -f "$3"
	if ! CCC_PROFILE_FILE=$3 timeout 300 $LAUNCH "$1" "$2" 1 >/dev/null; then
		echo "$1 $2 fails" >&2
		status=1
		rm -f "$3"
	elif [ ! -s "$3" ]; then
		echo 'cccprof 1' >"$3" # the program has nothing to count
	fi
}
choice() { # PROGRAM: the policies, or why there are none, by its report
	[ -f "$1" ] || [ -f "$1.same" ] || { echo "not built"; return; }
	[ -s "$1.txt" ] || { echo "nothing to transform"; return; }
	awk '/(transformed|remapped), policy/ { sub(/.*, policy */, ""); sub(/;.*/, ""); p = p (p ? ", " : "") $0 }
		/left unchanged:/ && !why { why = $0; sub(/.*left unchanged: */, "", why) }
		/^ *why:/ && !cause { cause = $0; sub(/^ *why: */, "", cause) }
		END { print substr(p ? p : why ? why : cause ? cause : "nothing to transform", 1, 160) }' "$1.txt" | tr '|' '/'
}
gpu() { # the GPU's name for the table
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/GPU: /;s/$/\n/;q'
}
# ratios NAME DATA WAY...: runs the plain program and those ways in alternation, and prints a line: the median time of the plain
# program, and that time divided by each way's; or a word: same (the device code of the plain program), missing (not built),
# failed, WRONG (another checksum). Fails if there is one of the last three.
ratios() {
	of=$WORK/$1 data=$2
	shift 2
	rounds=1 # if there is nothing to compare
	for way; do
		[ -f "$of.$way.same" ] || rounds=$ROUNDS
	done
	for _ in $(seq "$rounds"); do
		for way in plain "$@"; do
			if [ -f "$of.$way.same" ]; then
				echo "$way same"
			elif [ -f "$of.$way" ]; then
				timeout 300 $LAUNCH "$of.$way" "$data" "$REPEAT" 2>"$WORK/errors" | awk -v way="$way" '
					$1 == "check" { check = $2 }
					$1 == "ms" { ms = $2 }
					END { print way, ms == "" ? "failed" : ms, check }'
			else
				echo "$way missing"
			fi
		done
	done >"$WORK/lines"
	awk -v ways="$*" '
		function median(way,   i, j, n, t, v) {
			n = count[way]
			for (i = 1; i <= n; i++)
				v[i] = time[way, i] + 0
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
			return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
		}
		function ratio(way) {
			if (word["plain"])
				return "?"
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
			line = word["plain"] ? word["plain"] : sprintf("%.3f", median("plain"))
			for (i = 1; i <= split(ways, way, " "); i++)
				line = line " " ratio(way[i])
			print line
			exit bad
		}' "$WORK/lines"
}
