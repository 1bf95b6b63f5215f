#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: differential tests. Each kernel of tests/diff/*.ptx, original and transformed, runs on the emulator with block
# shapes within .maxntid; the transformed one also under SEEDS (20) random schedules. All runs must end with the same memory
# and without a failed check. Some launch must enter each copy of a transformed loop (for full warps and for others): the code
# at its meeting points, which the report names, must be executed. The same applies to each exchange of work.
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
# POLICY: for annotations without a policy. RETREAT: number of rounds after which warps fall back to the original loop. Kernels whose
# text is the same without these two are not launched, since the run without them tests them; it prints their number. COUNT:
# kernels are instrumented instead of transformed (--profile-generate); COUNT=plain: blocks that do not count run the text
# without annotations. AUTO: the kernels without their annotations, transformed by `--auto --choose=always`.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) SEEDS=${SEEDS:-2} ;; *) SEEDS=${SEEDS:-20} ;; esac
JOBS=${JOBS:-2}
SHAPES=${SHAPES:-1 31 32 33 96 100 10,7 4,5,3}
export B SEEDS SHAPES
PTXCCC=$B/bin/ptxccc PTXRUN=$B/bin/ptxrun

# For each meeting point of the report, in a transformed loop or a remapping: its line in the transformed module, the place of the
# annotation (with ":full" for the copy for full warps), and the way in which lanes walk.
rounds() { # REPORT TRANSFORMED
	sed -n 's/.*"loop": {"file": "\([^"]*\)", "line": \([0-9]*\)}.*"walk": "\([a-z]*\)", "meets": "\([^"]*\)"\(, "meets_full": "\([^"]*\)"\)*.*/\1:\2 \3 \4 \6/p' \
		"$1" | awk '!($3 in seen); { seen[$3] }' | awk '!text {
			sub(/.*\//, "", $1)
			if ($4 != "") copies[$4] = $1 ":full " $2 "\n"
			copies[$3] = copies[$3] $1 " " $2 "\n"
			next
		}
		/^\$/ { name = $1; sub(/:.*/, "", name); if (name in copies) at = name }
		/^\tmov/ { next } # they may take no time, and are in no table then
		/^\t[a-z@]/ && at != "" && split(copies[at], copy, "\n") > 1 {
			print FNR, copy[1]
			copies[at] = substr(copies[at], length(copy[1]) + 2)
		}
		/^\t[a-z@]/ { at = "" }
		END { for (name in copies) if (copies[name] != "") print 0, copies[name] }' text=0 - text=1 "$2"
}

# Lists the loops that were entered, from the line tables of all launches, in the format of one().
entered() { # FILE REPORT TRANSFORMED TABLES
	awk -v at="  $3:" 'i = index($0, at) { n = substr($0, i + length(at)) + 0; if (!(n in ran)) print n; ran[n] }' "$4" >"$4.ran"
	rounds "$2" "$3" | awk 'same { from[++n] = $1; to[n] = $2; next }
		{ for (i = 1; i <= n; i++) if ($1 >= from[i] && $1 <= to[i]) next; print }' same=1 "${3%/*}/same" same= - | while read -r line place walk; do
		if [ "${AUTO:-}" ]; then # a candidate of a kernel's tail may need data that no launch here has
			! grep -q -x "$line" "$4.ran" || echo "pass entered $1 $place"
			continue
		fi
		never=$(grep -c "^// NEVER: $place " "$1")
		ran=$(grep -c -x "$line" "$4.ran")
		case $never$ran in
		00) echo "fail $1: the transformed loop of $place is never entered" ;;
		11)
			case $place,$walk in
			*:full,* | *,bound | *,remap) echo "pass $1 $place" ;;
			*) echo "fail $1: the transformed loop of $place is entered" ;;
			esac ;;
		*) echo "pass $1 $place" ;;
		esac
	done
}

# With COUNT, one of two blocks counts.
make() { # PTX OUTPUT OPTIONS
	ptx=$1 out=$2
	shift 2
	if [ "${COUNT:-}" ]; then
		sed '/^\.address_size/a .global .align 8 .b8 __ccc_profile[64];' "$ptx" >"$out.counts"
		sed 's|^\([ \t]*\)// [.]ccc |\1// |' "$out.counts" >"$out.plain"
		set --
		[ "$COUNT" != plain ] || set -- --plain="$out.plain"
		"$PTXCCC" --profile-generate --profile-sampling=1 "$@" -Werror=ccc-bug "$out.counts" -o "$out"
	elif [ "${AUTO:-}" ]; then
		sed '/^[ \t]*\/\/ [.]ccc /d' "$ptx" >"$out.bare"
		"$PTXCCC" --auto --choose=always --validate --verify -Werror --report=json "$out.bare" -o "$out"
	else
		"$PTXCCC" --choose=first --validate ${POLICY:+--policy=$POLICY} ${RETREAT:+--retreat=$RETREAT} "$@" --verify -Werror=ccc-bug --report=json "$ptx" -o "$out"
	fi
}

# One file: prints "pass KERNEL", "xfail KERNEL" or "fail KERNEL: why" for each launch.
one() {
	file=$1 dir=$2/$(basename "$1")
	mkdir -p "$dir"
	ptx=$(sed -n 's|^// PTX: ||p' "$file")
	ptx=${ptx:-$file}
	said=$(sed -n 's|^// OPTIONS: ||p' "$file")
	make "$ptx" "$dir/ccc.ptx" $said >"$dir/report" 2>"$dir/err" || { echo "fail $file: $(grep -m 1 error "$dir/err")"; return; }
	[ -z "${AUTO:-}" ] || ptx=$dir/ccc.ptx.bare
	: >"$dir/same" >"$dir/lines"
	if [ "${POLICY:-}${RETREAT:-}" ]; then
		(POLICY='' RETREAT='' && make "$ptx" "$dir/plain.ptx" $said) >/dev/null 2>&1
		awk -f tests/diff/same.awk "$dir/plain.ptx" "$dir/ccc.ptx" >"$dir/same"
	fi
	sed -n 's|^// LAUNCH: ||p' "$file" | while read -r kernel options; do
		[ "$kernel" != '*' ] || kernel=$(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "$ptx")
		for k in $kernel; do
			! grep -q -F -e " $k " "$dir/same" || { echo "same $file $k"; continue; }
			why= blocks=
			most=$(awk -v k="$k" '/\.entry/ { on = index($0, k "(") } on && /^\.maxntid/ { print $2 + 0 }' "$ptx")
			case $options in *--block*) ;; *) for s in $SHAPES; do
				[ $(($(echo "$s" | tr , '*'))) -gt "${most:-1024}" ] || blocks="$blocks --block $s"
			done ;; esac
			: >"$dir/got"
			if ! $PTXRUN "$ptx" "$k" $options $blocks --limit 40000000 >"$dir/want" 2>"$dir/err"; then
				why="the original: $(sed -n 1p "$dir/err")"
			elif ! $PTXRUN "$dir/ccc.ptx" "$k" $options $blocks --limit 40000000 --seeds "$SEEDS" --lines=ptx >"$dir/got" 2>"$dir/err"; then
				why=$(sed -n '1p;/^ptxrun:/p' "$dir/err" | head -3 | tr '\n' ' ')
			elif grep -v -e '^ ' -e '^instructions ' "$dir/got" >"$dir/memory"; ! cmp -s "$dir/want" "$dir/memory"; then
				why="other memory: $(diff "$dir/want" "$dir/memory" | sed -n 2p)"
			fi
			cat "$dir/got" >>"$dir/lines"
			if [ -n "$why" ] && grep -q "^// XFAIL: $k " "$file"; then
				echo "xfail $file $k"
			else
				echo "${why:+fail }${why:-pass} $file $k"
			fi
		done
	done
	grep -q '^// LAUNCH: ' "$file" || echo "fail $file: no kernel is launched"
	given=${COUNT:+$dir/ccc.ptx.counts}
	cmp -s "${given:-$ptx}" "$dir/ccc.ptx" || echo "changed $file"
	entered "$file" "$dir/report" "$dir/ccc.ptx" "$dir/lines"
}
if [ "${1:-}" = --one ]; then
	one "$2" "$3"
	exit 0
fi

dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
files=
for f in tests/diff/*.ptx tests/diff/*.launch; do
	[ -f "$f" ] || continue
	case " $* " in "  " | *" $(basename "$f" | sed 's/\.[a-z]*$//') "*) files="$files $f" ;; esac
done
printf '%s\n' $files | xargs -P "$JOBS" -I{} sh tests/diff/run.sh --one {} "$dir" >"$dir/results" || echo "fail a job was ended" >>"$dir/results"
[ -z "$files" ] || grep -q '^changed' "$dir/results" || echo 'fail all files: ptxccc changes none of them' >>"$dir/results"
[ -z "$files" ] || [ -z "${AUTO:-}" ] || grep -q '^pass entered' "$dir/results" || echo 'fail all files: no transformed loop is entered' >>"$dir/results"
grep '^fail' "$dir/results" | sed 's/^fail/FAIL/'
passed=$(grep -c '^pass' "$dir/results")
failed=$(grep -c '^fail' "$dir/results")
known=$(grep -c '^xfail' "$dir/results")
same=$(grep -c '^same' "$dir/results")
[ "$same" = 0 ] || echo "diff: $same launches as without POLICY and RETREAT"
echo "diff${POLICY:+ $POLICY}${COUNT:+ that counts}${AUTO:+ without annotations}: $passed passed, $failed failed, $known skipped"
[ "$failed" = 0 ] && [ $((passed + same)) -gt 0 ]
