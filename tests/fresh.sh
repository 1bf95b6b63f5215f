#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh: the README's two commands on a real bare system: a minimal Debian in a folder, made by debootstrap, with only git
# and make. Then the tests as an unprivileged user. Then both commands with this machine's CUDA toolkit in its usual place,
# but not on PATH and unknown to the loader. Needs root, debootstrap and a mirror (this machine's apt has it); mounts are in a
# separate namespace. Takes minutes. `make check-fresh` runs it, and writes a transcript, build/first-ten-minutes.md.
# FIRST=1: only the first system; PARTS=PATTERN: only these tests on it.
set -u
cd "$(dirname "$0")/.." || exit 2
[ -z "${PARTS:-}" ] || FIRST=1
none() {
	echo "fresh: $1" >&2
	echo "fresh: 0 passed, 0 failed, 1 skipped"
	exit 0
}
if [ $# = 0 ]; then # outside of the namespace
	[ "$(id -u)" = 0 ] || none "needs root"
	command -v debootstrap >/dev/null 2>&1 || none "needs debootstrap: apt-get install debootstrap"
	unshare -m true 2>/dev/null || none "no mounts are allowed here"
	git ls-files >/dev/null || exit 2
	top=$(mktemp -d /var/tmp/fresh.XXXXXX) || exit 2
	chmod 755 "$top"
	trap 'rm -rf --one-file-system "$top"' EXIT
	trap 'exit 1' HUP INT TERM
	unshare -m sh tests/fresh.sh "$top"
	exit
fi
part=fresh root=$1/root
. tests/t.sh

# ---- the machine -------------------------------------------------------------------------------
# The suite, the mirror from which apt gets Debian's main packages, and how it is reached.
source=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' \
	'Label: Debian' 'Component: main' | head -1)
[ -n "$source" ] || none "apt has no Debian packages here"
settings() {
	mkdir -p "$root/etc/apt/apt.conf.d" "$root/etc/apt/auth.conf.d" "$root/etc/ssl/certs"
	apt-config dump | grep -i '^Acquire::\(https\?\|Check-[a-z-]*\|Retries\|ForceIPv[46]\)\b' \
		>"$root/etc/apt/apt.conf.d/90here"
	for file in /etc/resolv.conf /etc/hosts /etc/apt/auth.conf /etc/apt/auth.conf.d/* \
		/etc/ssl/certs/ca-certificates.crt; do
		[ ! -f "$file" ] || cp -L "$file" "$root$file"
	done
}
machine() {
	debootstrap --variant=minbase --include=git,make "${source% *}" "$root" "${source#* }" &&
		settings && mount -t proc proc "$root/proc" && mkdir "$root/ptxccc" &&
		git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$root/ptxccc" &&
		chown -R 0:0 "$root/ptxccc"
}
on_it() { # on_it USER COMMAND
	chroot --userspec="$1" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		sh -c "cd /ptxccc && $2"
}

# ---- what must work there ----------------------------------------------------------------------
bare() {
	for tool in cc gcc ld flex bison ps cuobjdump nvcc; do
		! on_it 0:0 "command -v $tool" || return 1
	done
}
demo() { on_it 0:0 "make -j$(nproc) demo" >"$tmp/out" && grep 'estimated gain: 1\.' "$tmp/out"; }
failures() { grep -A 5 -e '^FAIL' -e error: -e '\*\*\*' "$1"; }
check() { # check USER
	on_it "$1" "make -j$(nproc) check" >"$tmp/out" 2>&1
	status=$?
	failures "$tmp/out"
	[ $status = 0 ] && tail -1 "$tmp/out" >&3
}
toolkit() { # read-only
	mkdir -p "$root/usr/local/cuda" &&
		mount --bind "$(readlink -f /usr/local/cuda)" "$root/usr/local/cuda" &&
		mount -o remount,bind,ro "$root/usr/local/cuda"
}

# ---- what a newcomer sees -----------------------------------------------------------------------
page=$tmp/page.md
# The build's commands and the output of apt-get are only counted.
brief() {
	awk '
	function rest() { if (n) printf "    [%d lines of %s]\n", n, what; n = 0 }
	function count(w) { if (what != w) rest(); what = w; n++ }
	/^(cc|ar|ld|awk|sed|bison|flex|objcopy|install|ln|id=[^ ]*|BIN=[^ ]*) / || /^\t/ || /^  [A-Z]+ +[^ ]+$/ { apt = 0; count("the build"); next }
	/^make(\[[0-9]+\])?: (Entering|Leaving)/ { next }
	/^(Reading|Building dep|The following|Suggested pack|Recommended pack|Get:|Hit:|Ign:|Fetched|Need to get|After this op|debconf:|E: Can not write log|Selecting prev|Preparing to|Unpacking|Setting up|Processing trig|\(Reading|update-alternatives|invoke-rc|[0-9]+ upgraded)/ {
		apt = 1; count("apt-get"); next
	}
	apt && /^ / { count("apt-get"); next }
	{ apt = 0 }
	{ rest(); print "    " $0 }
	/^installing / { apt = 1 }
	END { rest() }'
}
step() { # step TEXT COMMAND [FILTER]
	from=$(date +%s)
	on_it 0:0 "$2" >"$tmp/said" 2>&1
	status=$?
	took=$(($(date +%s) - from)) total=$((total + $(date +%s) - from))
	{
		printf '\n%s\n\n    # %s\n' "$1" "$2"
		eval "${3:-cat}" <"$tmp/said" | brief
		printf '\n(%d seconds; %d:%02d in all.)\n' $took $((total / 60)) $((total % 60))
	} >>"$page"
	[ $status = 0 ] || { failures "$tmp/said"; tail -20 "$tmp/said"; return 1; }
}
newcomer() {
	total=0
	cat >"$page" <<'END'
<!-- SPDX-License-Identifier: MIT -->
# The first ten minutes

A transcript of the first ten minutes on a bare Debian machine, without a GPU and without the CUDA toolkit, as root, after `git clone`.
`make check-fresh` (`tests/fresh.sh`) creates such a machine with debootstrap and writes this page.
END
	step "The machine: Debian's minimal system, git and make." \
		'. /etc/os-release; echo "$PRETTY_NAME"; nproc; for t in git make cc flex nvcc nvidia-smi; do command -v $t || echo "no $t"; done' &&
		step "The first command installs missing packages, builds, transforms the annotated breadth-first search, and runs the original and the transformed program on the emulator." \
			'make demo' &&
		grep -q 'estimated gain: 1\.' "$tmp/said" &&
		step "The lines in which most lanes idle, here of the PTX. With nvcc -lineinfo they are those of the CUDA source, and --html writes a page." \
			'build/bin/ptxrun --lines=ptx --sort=lost --module samples/bfs.ptx -- build/demo/bfs-host --scale 12 --reps 1' 'head -12' &&
		step "Suggested annotations for unannotated code." \
			"sed '/ccc begin/d; /ccc end/d' samples/bfs.ptx >/tmp/plain.ptx; build/bin/ptxccc --suggest -o /tmp/out.ptx /tmp/plain.ptx" 'head -16' &&
		step "The decision about each loop, and the values of a task." \
			'build/bin/ptxccc --report -o /tmp/out.ptx samples/bfs.ptx' &&
		step "A misspelt clause is not ignored." \
			"sed 's/ccc begin for .*/& treads(64)/' samples/bfs.ptx >/tmp/slip.ptx; build/bin/ptxccc -o /tmp/out.ptx /tmp/slip.ptx" &&
		step "The second command: the tests${PARTS:+, some of them}. Tests that need CUDA are skipped and counted." \
			"make check${PARTS:+ PARTS='$PARTS'}" 'tail -1' &&
		printf '\nNext: [the guide](../docs/guide/first-kernel.md), the [samples](../samples/README.md), and, with the CUDA toolkit, `build/bin/cccnvcc` instead of nvcc.\n' >>"$page" &&
		mkdir -p build && cp "$page" build/first-ten-minutes.md && tail -1 "$tmp/said" >&3
}

exec 3>&1
t machine machine
[ $failed = 0 ] || finish
t "nothing else" bare
t "make demo, make check" newcomer
if [ -z "${FIRST:-}" ]; then
	chown -R 65534:65534 "$root/ptxccc"
	t "make check by another user" check 65534:65534
fi
if [ -z "${FIRST:-}" ] && [ -x /usr/local/cuda/bin/nvcc ]; then
	chown -R 0:0 "$root/ptxccc"
	t toolkit toolkit
	t "make demo with it" demo
	t "make check with it" check 0:0
else
	skipped=$((skipped + 3))
fi
finish
