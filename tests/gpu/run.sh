#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: GPU tests of the transformation. Builds every program with cccnvcc, runs it, and prints a line for each and the
# total.
#
#	tests/gpu/run.sh [CCCNVCC [ARCH]]       build/bin/cccnvcc; native, or sm_90 without a GPU (then: build only)
#
#	tests/gpu/*.cu          all sites must be transformed (built with --ccc-strict unless marked "STRICT: no"), results correct
#	tests/gpu/refuse/*.cu   --ccc-strict must fail; without it the build warns (of each kind after "WARNS:") and succeeds, and
#	                        the results are correct
#	samples/*.cu            all sites must be transformed by the best plan, results correct
#
# Annotations without a policy get the first legal one, whatever its expected speedup (--ccc-choose=first); in samples the
# best one (always).
#
# Environment: ONLY=a,b names of tests; CCCFLAGS additional flags for cccnvcc; JOBS builds and RUNS (4) programs at once;
# SAN=1 runs compute-sanitizer's memcheck, racecheck and synccheck with small launches; STEP=build or STEP=run does only that
# (to run on a different machine); OUT (build/gpu) for programs and logs. Exit status 1 if a test failed.
cd "$(dirname "$0")/../.." || exit 2
CCCNVCC=${CCCNVCC:-${1:-build/bin/cccnvcc}} ARCH=${ARCH:-$2} OUT=${OUT:-build/gpu}
if nvidia-smi -L >/dev/null 2>&1; then gpu=yes; else gpu=; fi
[ -n "$ARCH" ] || ARCH=$([ -n "$gpu" ] && echo native || echo sm_90)
JOBS=${JOBS:-$(nproc)}
export CCCNVCC ARCH OUT CCCFLAGS SAN

name_of() {
	echo "$1" | sed 's|^tests/gpu/||; s|\.cu$||; s|/|-|g'
}

# Builds one program: leaves it in $OUT/NAME and the build's result in $OUT/NAME.built.
build() {
	name=$(name_of "$1") strict=--ccc-strict refuse= choose=first
	case $1 in
	tests/gpu/refuse/*) refuse=yes strict= ;;
	samples/*) choose=always ;;
	*) grep -q 'STRICT: no' "$1" && strict= ;;
	esac
	warns=$(sed -n 's/^\/\/ WARNS: //p' "$1")
	more=$(sed -n 's/^\/\/ FLAGS: //p' "$1" | sed 's|refuse/|tests/gpu/refuse/|g')
	set -- "$1" --ccc-choose=$choose -std=c++17 -O3 -arch="$ARCH" -Wno-deprecated-gpu-targets -diag-suppress 20199,177 $more $CCCFLAGS
	log=$OUT/$name.log
	rm -f "$OUT/$name"
	if ! "$CCCNVCC" $strict "$@" -o "$OUT/$name" >"$log" 2>&1; then
		echo "failed: does not build, see $log"
	elif [ -n "$refuse" ] && "$CCCNVCC" --ccc-strict "$@" -o "$OUT/$name.strict" >"$log.strict" 2>&1; then
		echo "failed: --ccc-strict should have refused it"
	else
		for w in $warns; do
			grep -q -e "-W$w\]" "$log" || { echo "failed: no warning [-W$w], see $log"; break; }
		done | grep . || echo built
	fi >"$OUT/$name.built"
	rm -f "$OUT/$name.strict"
}

run_once() {
	timeout -k 10 300 "$@" >"$log" 2>&1
	rc=$?
	case $rc in
	0) ;;
	124) echo "failed: no end after 300 s, see $log" ;;
	*) echo "failed: exit code $rc, see $log: $(grep -m1 -E 'WRONG|ERROR' "$log" || tail -n 1 "$log")" ;;
	esac
}
run() {
	name=$(name_of "$1") log=$OUT/$name.run
	[ "$(cat "$OUT/$name.built" 2>/dev/null)" = built ] || { cat "$OUT/$name.built"; return; }
	if [ -z "$SAN" ]; then
		fail=$(run_once "$OUT/$name")
	else
		GPU_TEST_SMALL=1; export GPU_TEST_SMALL
		case $name in
		samples-bfs) small="--scale 10 --reps 1 --threads 32,100" ;;
		samples-synthetic) small="--items 10000" ;;
		samples-primes) small="--count 10000" ;;
		samples-mandelbrot) small="--size 512" ;;
		samples-montecarlo) small="--particles 10000" ;;
		samples-delay) small="--photons 2000 --steps 20" ;;
		samples-predict) small="--particles 5000 --threads 1000" ;;
		samples-crosssections | samples-md) small="--particles 4000 --blocks 4" ;;
		samples-distribute | samples-rt) small="--rays 10000 --blocks 4" ;;
		samples-dqg) small="--points 3000 --blocks 4" ;;
		samples-emies) small="--observers 2000 --blocks 4" ;;
		samples-ff) small="--points 20000 --blocks 4" ;;
		samples-hash) small="--pairs 10000 --blocks 4" ;;
		samples-iefa) small="--numbers 10000 --blocks 4" ;;
		samples-ode) small="--systems 3000 --blocks 4" ;;
		samples-remap) small="--hits 20000" ;;
		samples-spmv) small="--rows 10000 --blocks 4" ;;
		samples-sssp) small="--vertices 3000 --blocks 4" ;;
		samples-strings) small="--strings 10000 --blocks 4" ;;
		*) small= ;;
		esac
		for tool in memcheck racecheck synccheck; do
			log=$OUT/$name.$tool
			fail=$(run_once compute-sanitizer --tool $tool --error-exitcode 9 "$OUT/$name" $small)
			[ -z "$fail" ] || break
		done
	fi
	echo "${fail:-passed}"
}

case $3 in
--build) build "$4"; exit 0 ;;
--run) run "$4" >"$OUT/$(name_of "$4").result"; exit 0 ;;
esac

mkdir -p "$OUT" || exit 2
tests=
for f in tests/gpu/*.cu tests/gpu/refuse/*.cu samples/*.cu; do
	case $(sed -n 1p "$f") in *PART.*) continue ;; esac
	case ",${ONLY:-$(name_of "$f")}," in *",$(name_of "$f"),"*) tests="$tests $f" ;; esac
done
each() {
	printf '%s\n' $tests | xargs -P "$2" -n 1 sh tests/gpu/run.sh "$CCCNVCC" "$ARCH" "$1"
}
[ "$STEP" = run ] || each --build "$JOBS"
[ "$STEP" = build ] || [ -z "$gpu" ] || each --run "${RUNS:-4}"

passed=0 failed=0 skipped=0
for f in $tests; do
	name=$(name_of "$f")
	result=$(cat "$OUT/$name.built" 2>/dev/null || echo "failed: not built")
	if [ "$result" = built ]; then
		if [ "$STEP" = build ] || [ -z "$gpu" ]; then result="skipped: built, not run"; else result=$(cat "$OUT/$name.result"); fi
	fi
	printf '%-24s %s\n' "$name" "$result"
	case $result in passed) passed=$((passed + 1)) ;; skipped*) skipped=$((skipped + 1)) ;; *) failed=$((failed + 1)) ;; esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
