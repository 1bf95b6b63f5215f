#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of bench/decisions, on a GPU: what is chosen, compared with the plans that an expert would try. Each is compiled by
# nvcc; by `cccnvcc --ccc-auto`, without and with a profile of the same data; annotated (plan 0: no policy is named), without and
# with a profile; annotated as the first advice of `--ccc-suggest` for each kernel says; and by the plans that name a policy. Prints
# a table in Markdown: the median time of the plain program, and that time divided by the others' ("same" if the device code is
# nvcc's); the best; the policies of plan 0 with its profile, or the first reason for none; and that advice. Under it are the rows
# that miss a bar. Exit status 1 if a program fails or checksums differ.
#
#	bench/decisions.sh [NAME...]       default: all programs
#
# Environment: ROUNDS (2) of alternating runs, REPEAT (9) launches in a run, WORK (build/bench/decisions), CCCNVCC
# (build/bin/cccnvcc), NVCC (nvcc), ARCH (native; sm_90 without a GPU), JOBS (number of processors), TIMED=1: with timed
# launches (ways.sh), LAUNCH: a command before each program, for example "build/bin/ptxrun --" with UNSEEN_SCALE=0.001.
#
# STEP (all) does a part, for a GPU machine that has no nvcc; WORK travels between the machines:
#	build     nvcc: all but the programs with profiles; the counting programs (*.counts) are only for the next step
#	profile   GPU: runs the counting programs; writes NAME.DATA.cccprof and NAME.DATA.plan0.cccprof
#	rebuild   nvcc: the programs with these profiles
#	run       GPU: the table
cd "$(dirname "$0")/.." || exit 2
SOURCES=bench/decisions WORK=${WORK:-build/bench/decisions} ROUNDS=${ROUNDS:-2} REPEAT=${REPEAT:-9}
. bench/ways.sh

[ $# -gt 0 ] || set -- $(for file in $SOURCES/*.cu; do basename "$file" .cu; done)
for name; do
	[ -f "$SOURCES/$name.cu" ] || { echo "decisions.sh: no program $SOURCES/$name.cu" >&2; exit 2; }
done
listed() { # WHAT NAME: the numbers of a program's plans, or its data sets
	sed -n "s|^// $1 \\([a-z0-9]\\): .*|\\1|p" "$SOURCES/$2.cu"
}
pairs() { # WHAT NAME...: lines "NAME NUMBER"
	what=$1
	shift
	for name; do
		listed "$what" "$name" | sed "s/^/$name /"
	done
}
functions=$functions'
way=${1##* }
'
# awk: writes a source with the annotations of the first line "to do" of each kernel in a log of --ccc-suggest; fails if there
# is none.
follow='
	FNR == NR {
		if (match($0, /\.cu:[0-9]+(, inlined at .*)?: (loop|branch) in /)) {
			site = substr($0, RSTART + 4) + 0
			kernel = substr($0, RSTART + RLENGTH)
			sub(/<.*/, "", kernel)
		}
		if (advised[kernel] || !sub(/^ *to do: /, "") || !/^.#pragma/)
			next
		any = advised[kernel] = 1
		for (n = split($0, part, /.#pragma ccc /); n > 1; n--) {
			text = place = part[n]
			sub(/\047.*/, "", text)
			sub(/[^\047]*\047/, "", place)
			column = 0
			if (match(place, /column [0-9]+ of /))
				column = substr(place, RSTART + 7) + 0
			line = match(place, /line [0-9]+/) ? substr(place, RSTART + 5) + 0 : site
			if (column) {
				split_at[line] = column
				after[line] = text
			} else
				before[line] = before[line] "#pragma ccc " text "\n"
			if (match(place, /\047[}]\047 under line [0-9]+/)) {
				before[line] = before[line] "{\n"
				close_at[substr(place, RSTART + 15) + 0] = "}\n"
			}
		}
		next
	}
	{
		printf "%s", before[FNR]
		if (split_at[FNR])
			$0 = substr($0, 1, split_at[FNR] - 1) "\n#pragma ccc " after[FNR] "\n" substr($0, split_at[FNR])
		print
		printf "%s", close_at[FNR]
	}
	END { exit !any }'
export follow

build() {
	ways=$(for name; do
		printf "$name %s\n" plain auto counts plan0.counts suggested
		listed plan "$name" | sed "s/^/$name plan/"
	done)
	IFS='
'
	each 'case $way in
		plain) compile "$out.plain" "$NVCC" ;;
		auto) compile "$out.auto" "$CCCNVCC" $auto ;;
		counts) compile "$out.counts" "$CCCNVCC" --ccc-auto --ccc-profile-generate --ccc-profile-sampling=0 ;;
		plan0.counts) compile "$out.plan0.counts" "$CCCNVCC" -DPLAN=0 --ccc-profile-generate --ccc-profile-sampling=0 ;;
		suggested)
			rm -f "$out.suggested" "$out.suggested.same"
			"$CCCNVCC" --ccc-suggest $FLAGS -c -o "$out.o" "$source" >"$out.suggest" 2>&1
			if awk "$follow" "$out.suggest" "$source" >"$out.suggested.cu"; then
				source=$out.suggested.cu
				compile "$out.suggested" "$CCCNVCC" -I"$SOURCES"
			else
				: >"$out.suggested.same"
			fi ;;
		*) rm -f "$out.$way.txt"
			compile "$out.$way" "$CCCNVCC" -DPLAN=${way#plan} --ccc-report="$out.$way.txt" ;;
		esac' $ways
	each '[ ! -f "$out.$way" ] || case $way in
		auto | suggested | plan?) same "$out.$way" "$out.plain" ;;
		esac' $ways
	unset IFS
}
profile() {
	pairs data "$@" >"$WORK/pairs"
	while read -r name data; do
		for plan in "" .plan0; do
			count "$WORK/$name$plan.counts" "$data" "$WORK/$name.$data$plan.cccprof" </dev/null
		done
	done <"$WORK/pairs"
}
rebuild() {
	IFS='
'
	each 'for plan in "" .plan0; do
		built=$out.$way$plan
		[ -s "$built.cccprof" ] || { echo "decisions.sh: no $built.cccprof" >&2; exit 1; }
		rm -f "$built.txt"
		case $plan in
		"") option=$auto ;;
		*) option=-DPLAN=0 ;;
		esac
		compile "$built" "$CCCNVCC" $option --ccc-profile-use="$built.cccprof" --ccc-report="$built.txt" &&
			same "$built" "$out.plain" || exit 1
	done' $(pairs data "$@")
	unset IFS
}
advice() { # LOG: the first advice for each kernel, and its expected gain
	awk '/ (loop|branch) in / { gain = $4; kernel = $0; sub(/.* in /, "", kernel); sub(/<.*/, "", kernel)
			sub(/.*\.cu:/, ""); line = $1 + 0 }
		/^ *to do: .#pragma/ && !seen[kernel]++ { sub(/^ *to do: /, ""); printf "%s%s at line %d: %s", sep, gain, line, $0; sep = "; " }
		END { print sep ? "" : "none" }' "$1" | tr '|' '/'
}
run() {
	gpu
	echo "| program | data | plain ms | auto | auto, profile | annotated | annotated, profile | advice | plans by name | best | annotated, profile: policy or reason | advice |"
	echo "| --- | --- | --: | --: | --: | --: | --: | --: | --- | --- | --- | --- |"
	pairs data "$@" >"$WORK/pairs"
	: >"$WORK/rows"
	while read -r name data; do
		plans=$(listed plan "$name" | sed '/^0$/d; s/^/plan/')
		row=$(ratios "$name" "$data" auto "$data" plan0 "$data.plan0" suggested $plans </dev/null) || status=1
		echo "$name $data $row" >>"$WORK/rows"
		echo "$row" | awk -v name="$name" -v data="$data" -v why="$(choice "$WORK/$name.$data.plan0")" \
			-v advice="$(advice "$WORK/$name.suggest")" '{
			printf "| %s | %s | %s | %s | %s | %s | %s | %s |", name, data, $1, $2, $3, $4, $5, $6
			best = 1
			word = "plain"
			for (i = 2; i <= NF; i++) {
				if (i > 6)
					printf " %d: %s", i - 6, $i
				if ($i + 0 > best) {
					best = $i + 0
					word = i > 6 ? i - 6 : i == 6 ? "advice" : i > 3 ? "annotated" : "auto"
				}
			}
			printf " | %.3f %s | %s | %s |\n", best, word, why, advice
		}'
	done <"$WORK/pairs"
	awk 'function of(x) { return x == "same" ? 1 : x + 0 }
		function miss(bar) { missed[bar] = missed[bar] " " $1 "." $2; count[bar]++ }
		{
			best = 1
			for (i = 4; i <= NF; i++)
				if ($i + 0 > best) best = $i + 0
			if (of($7) < 0.95 * best) miss(1)
			for (i = 4; i <= 7; i++)
				if (of($i) < 0.98) { miss(2); break }
			if (of($8) < 1 + 0.9 * (best - 1) - 0.02) miss(3) # 0.02: noise
		}
		END {
			text[1] = "annotated, with a profile, below 0.95 of the best"
			text[2] = "below 0.98 of plain by auto or annotated, without or with a profile"
			text[3] = "advice below 0.9 of the best gain"
			for (bar = 1; bar <= 3; bar++)
				printf "\n%d of %d rows %s:%s\n", count[bar], NR, text[bar], missed[bar]
		}' "$WORK/rows"
}
case $STEP in
build | profile | rebuild | run) $STEP "$@" ;;
all) build "$@" && profile "$@" && rebuild "$@" && run "$@" ;;
*) echo "decisions.sh: STEP is build, profile, rebuild, run or all" >&2; exit 2 ;;
esac
exit $status
