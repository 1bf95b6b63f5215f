#!/bin/sh
# SPDX-License-Identifier: MIT
# cccnvcc: nvcc, with the annotations of CUDA sources (#pragma ccc ...) compiled.
#
# All arguments except --ccc-... are passed to the real nvcc unchanged, or to clang (cccnvcc clang++ ...). There are two ways to make it run `ccc-annotate --hook`
# (annotate/hook.c) instead of cicc; the hook does everything else:
#
#	prefix  an additional first argument, nvcc's option --cicc-prefix
#	farm    a folder of links that looks like the toolkit, except that bin/nvcc and nvvm/bin/cicc link to this script; the
#	        originals are nvcc.real and cicc.real next to them. nvcc finds its tools relative to its own path, so nvcc.real
#	        runs that cicc.
#
# --ccc-farm creates a farm; for an nvcc without that option, one is created in the cache folder. See cccnvcc(1).
#
# Build @ID@: ccache and sccache identify a compiler by its file, so this line changes with the programs that the script runs.
id=@ID@ # and by nvcc's command line, if one follows this script
set -u

# end_by_signals COMMAND: if a signal ends this script, runs COMMAND first.
end_by_signals() {
	for signal in HUP INT TERM; do
		# shellcheck disable=SC2064
		trap "$1; trap - EXIT $signal; kill -$signal \$\$; exit 1" "$signal"
	done
}

say() { printf 'cccnvcc: %s\n' "$*" >&2; }
fatal() { say "error: $*"; exit 2; }

# ---- this script's folder, symbolic links resolved; the farm that it was called from --------------------------------------
self=$0
case $self in
*/*) ;;
*) self=$(command -v -- "$self") || self=./$0 ;;
esac
farm= # its nvcc.real
cicc=
while :; do
	dir=${self%/*}
	case $dir in
	/*) ;;
	*) dir=$PWD/$dir ;;
	esac
	[ -L "$dir/nvcc.real" ] && farm=$dir/nvcc.real
	[ -L "$dir/cicc.real" ] && cicc=$dir/cicc.real
	[ -L "$self" ] && link=$(readlink -- "$self") || break
	case $link in
	/*) self=$link ;;
	*) self=$dir/$link ;;
	esac
done
self=$dir/${self##*/}

# ---- a step of clang, which calls its compiler by this script's name (run_clang) -----------------------------------------
case ${1:-} in
-cc1)
	case " $* " in
	*" -fcuda-is-device "*) eval "exec \"\$dir/ccc-annotate\" --hook $CCC_HOOK -- \"\$CCC_CLANG\" \"\$@\"" ;;
	esac
	exec "$CCC_CLANG" "$@" ;;
-cc1*) exec "$CCC_CLANG" "$@" ;;
esac

# ---- the real nvcc: CCC_NVCC, else PATH but never this script, else the usual places -------------------------------------
behind_farm() { # a farm's nvcc leads here: take the one behind it
	[ ! -L "${nvcc%/*}/nvcc.real" ] || nvcc=$(readlink -- "${nvcc%/*}/nvcc.real")
}

find_nvcc() {
	if [ -n "${CCC_NVCC:-}" ]; then
		nvcc=$CCC_NVCC
		case $nvcc in
		*/*) [ -x "$nvcc" ] || fatal "CCC_NVCC: there is no program '$nvcc'" ;;
		*) nvcc=$(command -v -- "$nvcc") || fatal "CCC_NVCC: there is no program '$CCC_NVCC' on PATH" ;;
		esac
		behind_farm
		return
	fi
	beside= # NVIDIA's wheels, if pip has installed them beside this script
	for d in "$dir"/../lib/python3*/*-packages/nvidia/cu[0-9]*/bin; do
		[ ! -x "$d/nvcc" ] || beside=$d
	done
	ifs=$IFS
	IFS=:
	set -f
	for d in $PATH "${CUDA_HOME:-}/bin" "${CUDA_PATH:-}/bin" ${beside:+"$beside"} /usr/local/cuda/bin /opt/cuda/bin /usr/lib/cuda/bin \
		/usr/lib/nvidia-cuda-toolkit/bin; do
		nvcc=${d:-.}/nvcc
		behind_farm
		if [ -f "$nvcc" ] && [ -x "$nvcc" ] && ! [ "$nvcc" -ef "$self" ]; then
			IFS=$ifs
			set +f
			return
		fi
	done
	fatal "no nvcc on PATH nor in /usr/local/cuda: install the CUDA toolkit (beside the wheel of ptxccc: pip install nvidia-cuda-nvcc nvidia-cuda-cccl), or set CCC_NVCC to nvcc's path"
}

# ---- how to hook it: asked once for each nvcc, remembered in the cache folder -----------------------------------------------
cache=
case ${XDG_CACHE_HOME:-} in
/*) cache=$XDG_CACHE_HOME/ptxccc ;;
*)
	case ${HOME:-} in
	/*) cache=$HOME/.cache/ptxccc ;;
	esac
	;;
esac

dryrun() { # what nvcc would do with a source; the source need not exist
	env -u NVCC_PREPEND_FLAGS -u NVCC_APPEND_FLAGS CCC_DEPTH=4 "$@" --dryrun -c self-test.cu 2>&1
}

choose_way() { # sets $way: prefixes, prefix (without --ptxas-prefix) or farm
	answer=$(stat -L -c 'ways-%d-%i-%s-%Y' -- "$nvcc" 2>/dev/null) && [ -n "$cache" ] && answer=$cache/$answer || answer=
	way=
	[ -z "$answer" ] || ! [ -f "$answer" ] || read -r way <"$answer"
	case $way in
	prefixes | prefix | farm) return ;;
	esac
	way=prefixes
	case $(dryrun "$nvcc" --cicc-prefix=ccc-self-test --ptxas-prefix=ccc-self-ptxas) in
	*"ccc-self-test "*"ccc-self-ptxas "*) ;;
	*) way=prefix ;;
	esac
	[ $way = prefixes ] || case $(dryrun "$nvcc" --cicc-prefix=ccc-self-test) in
	*"$back"*) fatal "$back" ;;
	*"ccc-self-test "*) ;;
	*cicc*) way=farm ;;
	*) return ;; # this nvcc does not run: it shall say so itself
	esac
	[ -n "$answer" ] || return 0
	end_by_signals 'rm -f -- "$answer.$$"'
	{ mkdir -p "$cache" && echo $way >"$answer.$$" && mv -- "$answer.$$" "$answer"; } 2>/dev/null
	trap - HUP INT TERM
}

# ---- farms ----------------------------------------------------------------------------------------------------------------
find_toolkit() { # sets $top, the toolkit's folder
	top=$(dryrun "$nvcc" | sed -n 's/^#\$ TOP=//p')
	top=$(cd -- "${top:-/nowhere}" 2>/dev/null && pwd) || fatal "'$nvcc --dryrun' does not tell where its toolkit is"
}

fill_farm() { # fill_farm DIR
	mkdir -p -- "$1" && ln -s -- "$top"/* "$1/" && rm -f -- "$1/bin" "$1/nvvm" && mkdir -- "$1/bin" "$1/nvvm" &&
		ln -s -- "$top"/bin/* "$1/bin/" && ln -s -- "$top"/nvvm/* "$1/nvvm/" &&
		rm -f -- "$1/nvvm/bin" && mkdir -- "$1/nvvm/bin" && ln -s -- "$top"/nvvm/bin/* "$1/nvvm/bin/" &&
		mv -- "$1/bin/nvcc" "$1/bin/nvcc.real" && mv -- "$1/nvvm/bin/cicc" "$1/nvvm/bin/cicc.real" &&
		ln -s -- "$self" "$1/bin/nvcc" && ln -s -- "$self" "$1/nvvm/bin/cicc"
}

# Created next to its place and then moved, so that concurrent builds see a complete farm or none. A valid farm is not changed.
make_farm() { # make_farm DIR
	[ -L "$1/bin/nvcc.real" ] || ! [ -e "$1" ] || rmdir -- "$1" 2>/dev/null ||
		fatal "'$1' is not empty and is no farm of cccnvcc: name another folder"
	find_toolkit
	new=$1.$$
	trap 'rm -rf -- "$new" "$new.old"' EXIT
	end_by_signals 'rm -rf -- "$new" "$new.old"'
	said=$(fill_farm "$new" 2>&1) || fatal "cannot make a farm of '$top' in '$1': $said"
	case $(dryrun "$new/bin/nvcc.real") in
	*"CICC_PATH=$new/"*) ;;
	*) fatal "cannot make a farm of '$top': its nvcc does not look for cicc beside itself" ;;
	esac
	if [ -e "$1" ] && ! diff -r --no-dereference -- "$new" "$1" >/dev/null 2>&1; then
		mv -T -- "$1" "$new.old" 2>/dev/null
	fi
	# One that has come there since is another's, who may be using it: it stays.
	[ -e "$1" ] || mv -T -- "$new" "$1" 2>/dev/null || [ -L "$1/bin/nvcc.real" ] || fatal "cannot make '$1'"
	rm -rf -- "$new" "$new.old"
	trap - EXIT HUP INT TERM
}

cached_farm() { # for an nvcc without --cicc-prefix
	find_toolkit
	[ -n "$cache" ] || fatal "'$nvcc' has no --cicc-prefix: make a farm (cccnvcc --ccc-farm DIR) and use DIR/bin/nvcc"
	farm=$cache/farm-$(printf %s "$top" | cksum | tr ' ' -)
	if ! [ "$farm/nvvm/bin/cicc" -ef "$self" ]; then
		mkdir -p -- "$cache" 2>/dev/null || fatal "cannot make '$cache' for a farm: set XDG_CACHE_HOME to another folder"
		make_farm "$farm"
	fi
	farm=$farm/bin/nvcc.real
}

# ---- own options -------------------------------------------------------------------------------------------------------
own_help() {
	cat <<'EOF'
cccnvcc: nvcc with the annotations `#pragma ccc ...` compiled (see cccnvcc(1) and docs/annotations.md).

  --ccc-report[=FILE]   report what was transformed: on standard error; for a whole build in one FILE.html, .json, .sarif,
                        .opt.yaml or .txt; or appended as text to a FILE of another name
  --ccc-off             plain nvcc (as does CCC_DISABLE=1)
  --ccc-strict          an annotation that could not be followed is an error
  --ccc-policy=P        policy of annotations that name none: auto, stack, queue, expand, converge, ahead, wait, majority, live, cycle or flatten
  --ccc-choose=HOW      where no policy is named: best (default; none if none is expected to gain), always (the best even then),
                        first (expand, else stack)
  --ccc-retreat=HOW     warps that do not gain fall back to the original loop: auto (default; where no policy is named), always,
                        never, or after N rounds
  --ccc-fp=HOW          bit-exact floating-point results: promised (default; where the annotation promises nothing, as with
                        --ccc-auto), exact (in every loop), or relaxed (nowhere)
  --ccc-occupancy=HOW   keep (default): do not reduce occupancy by shared memory or a few registers; or ignore
  --ccc-threads=N       threads of the largest block, where the source does not say
  --ccc-max-regs=N      register limit of transformed kernels
  --ccc-no-compress     save values in tasks that could be recomputed, or stored once a lane
  --ccc-no-costliest    give shared memory to paths in textual order, not to the costliest first
  --ccc-dynamic-shared=BYTES  most dynamic shared memory that launches of annotated kernels ask for
  --ccc-grid            as if '#pragma ccc grid' were before each kernel with a path outside annotated loops
  --ccc-grid-blocks=N   blocks for each multiprocessor that remain in such a kernel; --ccc-sms=N  multiprocessors of the GPU, if not as many as it has
  --ccc-profile-generate[=FILE]  transform nothing; the program counts executions of paths, and writes a profile when it ends;
                        --ccc-profile-sampling=N  count in one block of 2^N (3)
  --ccc-check-promise[=N]  transform nothing; the program checks that iterations of annotated loops are independent, and reports
                        at its end; it records up to 2^N accesses (21)
  --ccc-profile-use=FILE  choose policies by a profile; FILE may be a folder of profiles (docs/profiles.md)
  --ccc-W...            a -W option of ptxccc: --ccc-Wno-NAME, --ccc-Werror=NAME
  --ccc-suggest[=WHAT]  suggest annotations, with the expected gain; annotations in the source are disregarded
                        fix: print a patch with them, for patch -p1; try=COMMAND: with those that gain when COMMAND is run
  --ccc-auto            for files without annotations: transform what needs no promise and is expected to gain; with a profile, name
                        what would gain with a promise. Implies --ccc-timed, unless --ccc-no-timed is given
  --ccc-switchable      the program also contains the original kernels, and runs them if CCC_DISABLE=1 is set when it starts
  --ccc-timed           where the gain is uncertain, the program also contains the original kernels, times both at their first
                        launches, and continues with the faster ones
  --ccc-markers-only    translate annotations to markers in the PTX, and transform nothing
  --ccc-keep            keep NAME.ccc.ii, NAME.orig.ptx and NAME.ptx
  --ccc-verbose         show the commands run
  --ccc-farm DIR        make DIR a toolkit with this compiler as its bin/nvcc, and do nothing else
  --ccc-version         print this program's version
  --ccc-help            print this text
  CCC_PROFILE_USE, CCC_REPORT  a further profile, the report's file: as if --ccc-profile-use and --ccc-report were given last
  CCC_FLAGS             options to insert before these;  CCC_NVCC  the nvcc, or clang++, to run;  CCC_PTXAS  the ptxas to ask (empty: none)

EOF
}

quote() { # sets $quoted
	quoted=
	rest=$1
	while :; do
		case $rest in
		*\'*) quoted="$quoted${rest%%\'*}'\\''" rest=${rest#*\'} ;;
		*) break ;;
		esac
	done
	quoted="'$quoted$rest'"
}

check_number() { # ptxccc knows what is in range
	[ -z "${CCC_PTXCCC:-}" ] && [ -x "$dir/ptxccc" ] || return 0
	"$dir/ptxccc" "--${1#--ccc-}" --version >/dev/null 2>&1 || fatal "'$1': not a number in range"
}

check_warning() { # ptxccc knows their names
	[ -z "${CCC_PTXCCC:-}" ] && [ -x "$dir/ptxccc" ] || return 0
	"$dir/ptxccc" "-${1#--ccc-}" --version >/dev/null 2>&1 || fatal "'$1': there is no such warning (docs/diagnostics.md has them)"
}

nearest() { # nearest OPTION: prints "; did you mean ...?" if the name of another option is within a few edits
	own_help | grep -o -e '--ccc-[a-z-]*[a-z]' | awk -v given="${1%%=*}" '
		function least(a, b) { return a < b ? a : b }
		function distance(a, b,   d, i, j) {
			for (i = 0; i <= length(a); i++)
				for (j = 0; j <= length(b); j++)
					d[i, j] = !i || !j ? i + j : least(least(d[i - 1, j], d[i, j - 1]) + 1,
						d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
			return d[length(a), length(b)]
		}
		{ far = distance(given, $0) }
		!best || far < closest { best = $0; closest = far }
		END { if (closest <= 1 + (length(given) - 6) / 4) printf "; did you mean \047%s\047?", best }'
}

off=
case ${CCC_DISABLE:-0} in
0) ;;
*) off=1 ;;
esac
hook=
generate= sampling=3 checks=
fixes= try=
farm_dir=
own() { # own OPTION: with two hyphens
	case $1 in
	--ccc-off) off=1 ;;
	--ccc-help) own_help; exit 0 ;;
	--ccc-version) exec "$dir/ccc-annotate" --version ;;
	--ccc-policy=auto | --ccc-policy=stack | --ccc-policy=queue | --ccc-policy=expand | --ccc-policy=converge | \
		--ccc-policy=ahead | --ccc-policy=wait | --ccc-policy=majority | --ccc-policy=live | --ccc-policy=cycle | --ccc-policy=flatten)
		quote "$1"; hook="$hook $quoted" ;;
	--ccc-policy=queue\([0-9]*\) | --ccc-policy=ahead\([0-9]*\) | --ccc-policy=wait\([0-9]*\)) quote "$1"; hook="$hook $quoted" ;;
	--ccc-policy*) fatal "'$1': the policies are auto, stack, queue, expand, converge, ahead, wait, majority, live, cycle and flatten" ;;
	--ccc-choose=best | --ccc-choose=always | --ccc-choose=first | --ccc-retreat=auto | --ccc-retreat=always | --ccc-retreat=never | --ccc-occupancy=keep | --ccc-occupancy=ignore | --ccc-fp=promised | --ccc-fp=exact | --ccc-fp=relaxed) hook="$hook $1" ;;
	--ccc-choose*) fatal "'$1': best, always or first" ;;
	--ccc-occupancy*) fatal "'$1': keep or ignore" ;;
	--ccc-threads=*)
		threads=${1#*=}
		while [ "$threads" != "${threads#0}" ]; do threads=${threads#0}; done
		case $threads in
		'' | *[!0-9]* | ?????*) threads=0 ;;
		esac
		[ "$threads" -ge 1 ] && [ "$threads" -le 1024 ] || fatal "'$1': not a number from 1 to 1024"
		hook="$hook --ccc-threads=$threads" ;;
	--ccc-retreat=[1-9]* | --ccc-max-regs=* | --ccc-dynamic-shared=* | --ccc-grid-blocks=* | --ccc-sms=*) check_number "$1"; quote "$1"; hook="$hook $quoted" ;;
	--ccc-retreat*) fatal "'$1': auto, always, never or a number from 1 to 1024" ;;
	--ccc-profile-generate=) fatal "'$1': the file's name is missing" ;;
	--ccc-profile-generate | --ccc-profile-generate=*) generate=1; quote "$1"; hook="$hook $quoted" ;;
	--ccc-check-promise | --ccc-check-promise=*) check_number "$1"; checks=1 generate=1 sampling=0; quote "$1"; hook="$hook $quoted" ;;
	--ccc-profile-sampling=*) check_number "$1"; sampling=${1#*=} ;;
	--ccc-profile-use=?*)
		[ -r "${1#*=}" ] || fatal "cannot open '${1#*=}': $([ -e "${1#*=}" ] && echo 'Permission denied' || echo 'No such file or directory')"
		quote "$1"; hook="$hook $quoted" ;;
	--ccc-profile-use | --ccc-profile-use=) fatal "'$1': the file's name is missing" ;;
	--ccc-W?*) check_warning "$1"; quote "$1"; hook="$hook $quoted" ;;
	--ccc-farm=?*) farm_dir=${1#*=} ;;
	--ccc-farm | --ccc-farm=) fatal "'$1': the folder's name is missing" ;;
	--ccc-report=) fatal "'$1': the file's name is missing" ;;
	--ccc-report=json | --ccc-report=text) fatal "'$1': names a file, not a format; say --ccc-report=FILE.json, or ./${1#*=} for a file of that name" ;;
	--ccc-suggest=fix) fixes=--fixes hook="$hook $1" ;;
	--ccc-suggest=apply) hook="$hook $1" ;; # for ccc-tune --suggest
	--ccc-suggest=try=?*) try=${1#*=try=} ;;
	--ccc-suggest=try | --ccc-suggest=try=) fatal "'$1': the program's command line is missing, as in --ccc-suggest=try='./program arguments'" ;;
	--ccc-suggest=*) fatal "'$1': fix or try=COMMAND" ;;
	--ccc-report | --ccc-report=* | --ccc-strict | --ccc-suggest | --ccc-auto | --ccc-switchable | --ccc-timed | --ccc-no-timed | --ccc-grid | --ccc-no-compress | --ccc-no-costliest | --ccc-keep | --ccc-keep-ptx | --ccc-markers-only | --ccc-verbose)
		quote "$1"; hook="$hook $quoted" ;;
	*) fatal "unknown option '$1'$(nearest "$1") (cccnvcc --ccc-help shows all)" ;;
	esac
}

if [ -n "${CCC_FLAGS:-}" ]; then
	set -f
	for a in $CCC_FLAGS; do
		case $a in
		-ccc-*) a=-$a ;;
		esac
		own "$a"
	done
	set +f
fi
case $* in
*-ccc-*)
	i=0
	others=
	last=
	for a; do
		i=$((i + 1))
		case $last$a in
		--ccc-farm) last=--ccc-farm= ;;
		--ccc-*) own "$last$a"; last= ;;
		-ccc-farm) last=--ccc-farm= ;;
		-ccc-*) own "-$a" ;;
		*) others="$others \"\${$i}\"" ;;
		esac
	done
	[ -z "$last" ] || own "$last"
	eval "set -- $others"
	;;
esac
[ -z "$generate" ] || hook="$hook --ccc-profile-sampling=$sampling"
if [ -z "$cicc" ]; then # of the whole build: what ccc-tune asks for comes last, and so before what the build says
	[ -z "${CCC_PROFILE_USE:-}" ] || own "--ccc-profile-use=$CCC_PROFILE_USE"
	[ -z "${CCC_REPORT:-}" ] || own "--ccc-report=$CCC_REPORT"
fi
if [ -n "$cicc" ]; then # nvcc's cicc step, in a farm
	[ -z "$off" ] || exec "$cicc" "$@"
	eval "exec \"\$dir/ccc-annotate\" --hook$hook ${CCC_HOOK:-} -- \"\$cicc\" \"\$@\""
fi

# Used as a launcher: the first argument is the compiler.
clang=
is_clang() {
	case ${1##*/} in
	clang | clang++ | clang-[0-9]* | clang++-[0-9]*) return 0 ;;
	esac
	return 1
}
! is_clang "${CCC_NVCC:-}" || clang=$CCC_NVCC
case ${1:-} in
-*) ;;
*clang*)
	if is_clang "$1"; then
		clang=$1
		shift
	fi ;;
nvcc | */nvcc | cccnvcc | */cccnvcc)
	launched=$(command -v -- "$1") || fatal "there is no program '$1'"
	[ "$launched" -ef "$self" ] || CCC_NVCC=$launched
	shift ;;
esac

if [ -n "$clang" ]; then
	clang=$(command -v -- "$clang") || fatal "there is no program '$clang'"
	case "$farm_dir $hook $* " in
	[!\ ]* | *" '--ccc-switchable' "* | *" '--ccc-timed' "*) fatal "--ccc-farm, --ccc-switchable and --ccc-timed: not with clang" ;;
	*" -save-temps"* | *" --save-temps"*) fatal "-save-temps: not with clang, which then compiles no preprocessed source to PTX; --ccc-keep keeps the PTX" ;;
	esac
	nvcc=$clang
	way=clang
elif [ -n "$farm" ]; then
	nvcc=$(readlink -- "$farm")
	way=farm
else
	find_nvcc
	# A script on PATH that is called nvcc and runs cccnvcc must not loop for ever.
	back="'$nvcc' leads back to cccnvcc: set CCC_NVCC to the real nvcc"
	CCC_DEPTH=$((${CCC_DEPTH:-0} + 1))
	export CCC_DEPTH
	[ "$CCC_DEPTH" -le 4 ] || fatal "$back"
	choose_way
fi
if [ -n "$farm_dir" ]; then
	case $farm_dir in
	/*) ;;
	*) farm_dir=$PWD/$farm_dir ;;
	esac
	farm_dir=${farm_dir%/}
	[ ! -L "$farm_dir" ] || farm_dir=$(readlink -f -- "$farm_dir") || fatal "'$farm_dir' leads nowhere"
	make_farm "$farm_dir"
	exit 0
fi

# Makes <ccc.h> available, by an environment variable, so that the command line does not change.
if [ -f "$dir/../include/ptxccc/ccc.h" ]; then
	CPLUS_INCLUDE_PATH=${CPLUS_INCLUDE_PATH:+$CPLUS_INCLUDE_PATH:}$dir/../include/ptxccc
	export CPLUS_INCLUDE_PATH
fi

[ -z "$off" ] || exec "$nvcc" "$@"

# Advised annotations are tried by ccc-tune, which repeats this build with them.
if [ -n "$try" ]; then
	quote "$self"
	build=$quoted$hook
	for a; do
		quote "$a"
		build="$build $quoted"
	done
	set -f
	# shellcheck disable=SC2086
	set -- $try
	set +f
	CCC_NVCC=$nvcc
	export CCC_NVCC
	unset CCC_DEPTH
	"$dir/ccc-tune" --suggest --build="$build" -- "$@"
	status=$?
	[ $status != 1 ] || exit 0 # nothing gains
	exit $status
fi

# Instrumented programs include the variable for the counters and the code that writes the profile.
if [ -n "$generate" ]; then
	counts=$dir/../include/ptxccc/ccc_profile.h
	[ -f "$counts" ] || fatal "'$counts' is missing: build with 'make', or install again"
	set -- -include "$counts" "$@"
	case "$checks $* " in # positions of accesses
	1*" -lineinfo "* | 1*" --generate-line-info "* | 1*" -G "* | 1*" --device-debug "*) ;;
	1*) if [ $way = clang ]; then set -- -gline-directives-only "$@"; else set -- -lineinfo "$@"; fi ;;
	esac
fi

# ---- what the hook would not see ----------------------------------------------------------------------------------------
case "$way $* ${NVCC_PREPEND_FLAGS:-} ${NVCC_APPEND_FLAGS:-} " in
prefix*-cicc-prefix*) say "warning: another --cicc-prefix is given, which nvcc prefers: annotations are not compiled" ;;
esac
case " $* " in
*" --keep "* | *" -keep "* | *" --save-temps "* | *" -save-temps "*) hook="$hook --ccc-keep-ptx" ;;
esac
case " $* " in
*" --help "* | *" -h "* | *" -help "*) own_help ;;
esac
case "$* " in
*.ptx\ *)
	last=
	for a; do
		case $last:$a in
		-o:* | --output-file:*) ;;
		*.ptx)
			if [ -f "$a" ] && grep -q '^[[:space:]]*// \.ccc begin ' "$a" 2>/dev/null; then
				say "warning: '$a' has annotations that only ptxccc can compile: run 'ptxccc -o OUT.ptx $a' first"
			fi
			;;
		esac
		last=$a
	done
	;;
esac

# The CCC paper's syntax, `#CCC for const`, must be rewritten before gcc sees it. Sources are recognised by their names; with
# -x cu any file may be one. Option files, nested ones too, and nvcc's environment variables are searched as well.
words_in_files() { # sets $found, the words of the option files among the arguments
	last=
	found=
	for a; do
		case $a in
		-optf=* | --options-file=*) last=-optf a=${a#*=} ;;
		esac
		case $last in
		-optf | --options-file) [ ! -f "$a" ] || found="$found $(tr -s '[:space:]"' ' ' <"$a")" ;;
		esac
		last=$a
	done
}
words=$(printf '%s ' "${NVCC_PREPEND_FLAGS:-} ${NVCC_APPEND_FLAGS:-}" | tr -s '[:space:]"' ' ')
set -f
# shellcheck disable=SC2086
words_in_files "$@" $words
for _ in 1 2 3 4 5 6 7 8; do # files that name one another end here
	[ -n "$found" ] || break
	words="$words $found"
	# shellcheck disable=SC2086
	words_in_files $found
done
set +f
# The optimisation level that ptxas is given, which decides what it contracts.
case "$* $words " in
*ptxas*-O[0-3]* | *ptxas*-opt-level=[0-3]*)
	level=$(printf '%s ' "$@" "$words" | sed -E -n 's/.*-(Xptxas|Xcuda-ptxas|-ptxas-options)[ =][^ ]*(-O|-opt-level=)([0-3]).*/\3/p')
	[ -z "$level" ] || hook="$hook --ccc-ptxas-level=$level" ;;
esac
cu=
case " $* $words " in
*" -x cu "* | *" -x=cu "* | *" --x cu "* | *" --x=cu "*) cu=1 ;;
esac
paper=
look_into() {
	for a; do
		case $cu:$a in
		1:* | *.cu | *.cpp | *.cc | *.cxx)
			if [ -f "$a" ] && grep -q '^[[:blank:]]*#[[:blank:]]*CCC[[:blank:]]' "$a" 2>/dev/null; then
				paper=1
			fi
			;;
		esac
	done
}
look_into "$@"
set -f
# shellcheck disable=SC2086
look_into $words
set +f

# In a farm, the options for the hook are in cicc's own command line, where caches see them; file names, which nvcc would not
# pass on unchanged, are in the environment.
hand_on() {
	for a; do
		case $a in
		*[!A-Za-z0-9=_-]*) quote "$a"; CCC_HOOK="$CCC_HOOK $quoted" ;;
		*) words="$words -Xcicc $a" ;;
		esac
	done
}

# sccache requests the steps of a build and runs those whose programs it knows itself. In a farm they have nvcc's names.
# If no farm can be created, the steps are printed unchanged.
plan=
case " $* " in
*" --dryrun "* | *" -dryrun "*)
	plan=1
	[ $way = farm ] || ! (cached_farm) 2>/dev/null || way=farm
	;;
esac

# nvcc's temporary files are removed when it ends, even by a signal. A program that it runs (-run) keeps the user's TMPDIR.
around=
case "$plan $* " in
1*) ;;
*" -run "* | *" --run "*) [ -z "$fixes" ] || fatal "--ccc-suggest=fix: not with -run" ;;
*) around=1 ;;
esac
run_nvcc() {
	[ -z "$around" ] || exec "$dir/ccc-annotate" --nvcc $fixes -- "$@"
	exec "$@"
}

# clang's driver runs the program that it was called as for each of its steps, if it is not to resolve links.
if [ $way = clang ]; then
	mode=gcc
	case ${clang##*/} in clang++*) mode=g++ ;; esac
	CCC_HOOK="--ccc-id=$id$hook"
	CCC_CLANG=$clang
	export CCC_HOOK CCC_CLANG
	installed=$("$clang" --version | sed -n 's/^InstalledDir: //p')
	exec "$dir/ccc-annotate" --nvcc $fixes --as="$self" -- "$clang" --driver-mode=$mode -no-canonical-prefixes -fno-integrated-cc1 \
		-resource-dir "$("$clang" -print-resource-dir)" -ccc-install-dir "$installed" "$@"
fi

quote "$dir/ccc-annotate"
[ -z "$paper" ] || set -- --cpp-prefix="$quoted --hook-cpp --" "$@"
if [ $way = farm ]; then
	[ -n "$farm" ] || cached_farm
	CCC_HOOK=
	words=
	eval "hand_on$hook"
	export CCC_HOOK
	[ -z "$plan" ] || [ -z "$CCC_HOOK" ] || printf '#$ CCC_HOOK=%s\n' "$CCC_HOOK" >&2
	# shellcheck disable=SC2086
	run_nvcc "$farm" $words "$@"
fi
# ptxas is hooked only under ccc-annotate --nvcc, whose folder has the code that ptxccc keeps.
case "$around$way $* $words" in
*-ptxas-prefix* | *-all-prefix*) ;;
1prefixes*) set -- --ptxas-prefix="$quoted --hook-ptxas --" "$@" ;;
esac
run_nvcc "$nvcc" --cicc-prefix="$quoted --hook --ccc-id=$id$hook --" "$@"
