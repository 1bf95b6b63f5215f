#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: differential tests. Each kernel of tests/diff/*.ptx, as it is and transformed, runs on the emulator with blocks of
# many shapes, those that .maxntid allows; transformed, also under SEEDS (20) random schedules. All must end with the same
# memory and no check failed. Each copy of a transformed loop, for full warps and for others, must be entered by some launch: its
# votes, which the file as it is does not have, must be executed. So must each exchange of work: the load of what a thread is given.
#
#	// LAUNCH: KERNEL options of ptxrun      a kernel's launch; * for all kernels of the file
#	// XFAIL: KERNEL reason                  it is known to fail
#	// NEVER: FILE:LINE reason               no launch may enter the collected loop that is annotated there;
#	// NEVER: FILE:LINE:full reason          its copy for full warps need not be entered
#	// OPTIONS: options of ptxccc
#	// PTX: FILE                             the module, when it is another file (NAME.launch)
#
#	tests/diff/run.sh [NAME...]
#
# POLICY: for annotations that name none.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) SEEDS=${SEEDS:-2} ;; *) SEEDS=${SEEDS:-20} ;; esac
JOBS=${JOBS:-2}
SHAPES=${SHAPES:-1 31 32 33 96 100 10,7 4,5,3}
export B SEEDS SHAPES
PTXCCC=$B/bin/ptxccc PTXRUN=$B/bin/ptxrun

# Lines of the transformed module with a loop's vote, or where a thread is given work, and where that is annotated.
votes() { # ORIGINAL TRANSFORMED
	awk 'NR == FNR { own[$0]; next }
		/\.ccc done (for|grid|remap)/ { place = $6; bound = 0; remap = $4 == "remap" }
		remap && /ld\.shared\.u32[^,]*_n,/ {
			gsub(/"|[^"]*\//, "", place)
			print FNR, place, "remapped"
		}
		/ccc: loop at line [0-9]*, policy/ { bound = 1 }
		!remap && bound < 2 && (bound ? /vote\.sync/ : /vote\.sync\.ballot/) && !($0 in own) {
			gsub(/"|[^"]*\//, "", place)
			print FNR, place (/0xffffffff/ ? ":full" : ""), bound ? "bound" : "collected"
			bound *= 2
		}' "$1" "$2"
}

# Which loops were entered, by the tables of lines of all launches? Prints as one() does.
entered() { # FILE ORIGINAL TRANSFORMED TABLES
	sed -n -E "s~.*  $3:([0-9]*)  *(vote\.sync\.|ld\.shared\.u32).*~\1~p" "$4" | sort -u >"$4.ran"
	votes "$2" "$3" | while read -r line place kind; do
		never=$(grep -c "^// NEVER: $place " "$1")
		ran=$(grep -c -x "$line" "$4.ran")
		case $never$ran in
		00) echo "fail $1: the transformed loop of $place is never entered" ;;
		11)
			case $place,$kind in
			*:full,* | *,bound | *,remapped) echo "pass $1 $place" ;;
			*) echo "fail $1: the transformed loop of $place is entered" ;;
			esac ;;
		*) echo "pass $1 $place" ;;
		esac
	done
}

# One file: prints "pass KERNEL", "xfail KERNEL" or "fail KERNEL: why" for each launch.
one() {
	file=$1 dir=$2/$(basename "$1")
	mkdir -p "$dir"
	ptx=$(sed -n 's|^// PTX: ||p' "$file")
	ptx=${ptx:-$file}
	said=$(sed -n 's|^// OPTIONS: ||p' "$file")
	"$PTXCCC" ${POLICY:+--policy=$POLICY} $said --verify -Werror=ccc-bug "$ptx" -o "$dir/ccc.ptx" 2>"$dir/err" || { echo "fail $file: $(sed -n 1p "$dir/err")"; return; }
	sed -n 's|^// LAUNCH: ||p' "$file" | while read -r kernel options; do
		[ "$kernel" != '*' ] || kernel=$(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "$ptx")
		for k in $kernel; do
			why= blocks=
			most=$(awk -v k="$k" '/\.entry/ { on = index($0, k "(") } on && /^\.maxntid/ { print $2 + 0 }' "$ptx")
			case $options in *--block*) ;; *) for s in $SHAPES; do
				[ $(($(echo "$s" | tr , '*'))) -gt "${most:-1024}" ] || blocks="$blocks --block $s"
			done ;; esac
			$PTXRUN "$dir/ccc.ptx" "$k" $options $blocks --limit 10000000 --quiet --lines=ptx \
				>>"$dir/lines" 2>/dev/null
			if ! $PTXRUN "$ptx" "$k" $options $blocks --limit 10000000 >"$dir/want" 2>"$dir/err"; then
				why="the original: $(sed -n 1p "$dir/err")"
			elif ! $PTXRUN "$dir/ccc.ptx" "$k" $options $blocks --limit 10000000 --seeds "$SEEDS" >"$dir/got" 2>"$dir/err"; then
				why=$(sed -n '1p;/^ptxrun:/p' "$dir/err" | head -3 | tr '\n' ' ')
			elif ! cmp -s "$dir/want" "$dir/got"; then
				why="other memory: $(diff "$dir/want" "$dir/got" | sed -n 2p)"
			fi
			if [ -n "$why" ] && grep -q "^// XFAIL: $k " "$file"; then
				echo "xfail $file $k"
			else
				echo "${why:+fail }${why:-pass} $file $k"
			fi
		done
	done
	entered "$file" "$ptx" "$dir/ccc.ptx" "$dir/lines"
}
if [ "${1:-}" = --one ]; then
	one "$2" "$3"
	exit 0
fi

dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT INT TERM
files=
for f in tests/diff/*.ptx tests/diff/*.launch; do
	[ -f "$f" ] || continue
	case " $* " in "  " | *" $(basename "$f" | sed 's/\.[a-z]*$//') "*) files="$files $f" ;; esac
done
printf '%s\n' $files | xargs -P "$JOBS" -I{} sh tests/diff/run.sh --one {} "$dir" >"$dir/results" || echo "fail a job was ended" >>"$dir/results"
grep '^fail' "$dir/results" | sed 's/^fail/FAIL/'
passed=$(grep -c '^pass' "$dir/results")
failed=$(grep -c '^fail' "$dir/results")
known=$(grep -c '^xfail' "$dir/results")
echo "diff${POLICY:+ $POLICY}: $passed passed, $failed failed, $known skipped"
[ "$failed" = 0 ]
