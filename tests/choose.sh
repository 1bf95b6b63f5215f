#!/bin/sh
# SPDX-License-Identifier: MIT
# choose.sh [NAME...]: with a profile of the same data `auto` picks a plan that is near the best legal one: samples on the emulator, by
# issue slots, under each policy that is legal (ccc-tune --top=100). LIMIT: how much better the best one may be, in percent (5).
# Shared memory may be taken at will (--ccc-occupancy=ignore): the emulator knows no occupancy. Launches must be so long that queues
# fill, as the model takes it. By hand, minutes: nvcc runs once a policy.
set -u
cd "$(dirname "$0")/.." || exit 2
part=choose
. tests/t.sh
BIN=${BIN:-$PWD/build/bin} limit=${LIMIT:-5}
. tests/cuda.sh
tree=$PWD

near() { # NAME OPTIONS...
	[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
	name=$1
	shift
	mkdir "$tmp/$name" && cd "$tmp/$name" || return
	build="CCC_NVCC='$nvcc' '$BIN/cccnvcc' -O1 -arch=sm_75 --ccc-occupancy=ignore -lineinfo -cudart shared '$tree/samples/$name.cu' -o program"
	sh -c "$build --ccc-markers-only" && "$BIN/ptxrun" --no-races --no-unwritten --profile=p.cccprof -- ./program "$@" >/dev/null &&
		"$BIN/ptxccc" profile show p.cccprof || return
	"$BIN/ccc-tune" --no-stdout --timer=emulator --top=100 --export=json --build="$build --ccc-profile-use=p.cccprof" -- ./program "$@" >json
	[ $? -le 1 ] || return 1
	best=$(sed -n 's/^"worth": \([0-9.]*\),.*/\1/p' json)
	echo "$name: the best is worth $best of auto"
	echo "$name $best" >>"$tmp/worths"
	awk -v best="$best" -v limit="$limit" 'BEGIN { exit best > 1 + limit / 100 }'
}
row() { # NAME OPTIONS...
	case " ${names:-$1} " in *" $1 "*) t "$1" near "$@" ;; esac
}
names=$*
row primes --count 3000
row synthetic --items 400000 --length 20 --lanes 4
[ ! -f "$tmp/worths" ] || cat "$tmp/worths"
finish
