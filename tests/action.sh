#!/bin/sh
# SPDX-License-Identifier: MIT
# action.sh: executes the steps of action.yml, as a runner would, on a program in its own folder: passing tests pass, a
# failing test fails, and a test with a race fails. Needs python3 with yaml, and g++.
set -u
cd "$(dirname "$0")/.." || exit 2
part=action
. tests/t.sh
python3 -c 'import yaml' 2>/dev/null && command -v g++ >/dev/null 2>&1 && command -v bash >/dev/null 2>&1 || skip_all
BIN=${BIN:-$PWD/build/bin} B=${B:-build}

# step.py NAME INPUT=VALUE...: prints the step's environment, with inputs substituted, as shell assignments, its folder and its commands.
cat >"$tmp/step.py" <<'END'
import re, shlex, sys, yaml
action = yaml.safe_load(open("action.yml"))
given = dict(a.split("=", 1) for a in sys.argv[2:])
unknown = set(given) - set(action["inputs"])
missing = [k for k, v in action["inputs"].items() if v.get("required") and k not in given]
assert action["runs"]["using"] == "composite" and not unknown and not missing, (unknown, missing)
values = {k: given.get(k, v.get("default", "")) for k, v in action["inputs"].items()}
def fill(text):
    return re.sub(r"\$\{\{ *(inputs|github)\.([a-z_-]+) *\}\}", lambda m: values[m[2]] if m[1] == "inputs" else ".", text)
step = next(s for s in action["runs"]["steps"] if s["name"] == sys.argv[1])
assert step["shell"] == "bash" and "${{" not in step["run"] # inputs come by the environment, not into the commands
for key, value in step.get("env", {}).items():
    print(f"export {key}={shlex.quote(fill(value))}")
print("cd", shlex.quote(fill(step.get("working-directory", "."))))
print(step["run"])
END
# A program that is not linked with the sanitizers must load their libraries first.
sanitizers=
case $B in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
step() { # step NAME INPUT=VALUE...
	python3 "$tmp/step.py" "$@" >"$tmp/step.sh" && PATH=$BIN:$PATH ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers bash --noprofile --norc -e -o pipefail "$tmp/step.sh"
}
mkdir "$tmp/project"
sh samples/launches.sh samples/bfs.cu >"$tmp/project/bfs.cc"
cat >"$tmp/project/Makefile" <<END
bfs: bfs.cc
	g++ -std=c++17 -O1 -rdynamic -I $PWD/driver/cudart/host -o bfs bfs.cc $(readlink -m "$B")/lib/ptxrun/libcudart.so.13 -pthread
test: bfs
	./bfs --scale 8 --reps 1
	./bfs --scale 6 --reps 1
END
in=working-directory=$tmp/project
installs() { # the wheel, where pip can
	python3 -m pip --version >/dev/null 2>&1 || { echo "no pip"; return 77; }
	${MAKE:-make} -s wheel WHEEL="$tmp/wheel" && : >"$tmp/path" && (export RUNNER_TEMP="$tmp/runner" GITHUB_PATH="$tmp/path" && step "Install ptxccc" test=true wheel="$(echo "$tmp"/wheel/*.whl)") &&
		at=$(cat "$tmp/path") && [ -d "$at" ] && "$at/ptxrun" -- true 2>&1 | grep 'did not use the CUDA runtime' && "$at/cccnvcc" --ccc-version
}
built() { # where there is no wheel of the release: by make
	mkdir -p "$tmp/stand-in" && printf '#!/bin/sh\necho "$@" >"%s/made"\n' "$tmp" >"$tmp/stand-in/make" && chmod +x "$tmp/stand-in/make" && : >"$tmp/path" &&
		(export RUNNER_TEMP="$tmp/runner2" GITHUB_PATH="$tmp/path" BIN="$tmp/stand-in:$BIN" && step "Install ptxccc" test=true) && [ "$(cat "$tmp/path")" = ./build/bin ] && grep -- '-C . -j.* all' "$tmp/made"
}
builds() { : >"$tmp/path" && GITHUB_PATH=$tmp/path step "Build the project" "$in" build='make -s bfs' test=true && [ -x "$tmp/project/bfs" ]; }
passes() { step "Run the tests" "$in" test='make -s test' options="--module $PWD/samples/bfs.ptx"; }
fails() { ! step "Run the tests" "$in" test='make -s test; false' options="--module $PWD/samples/bfs.ptx"; }
# The barrier between a write and a read of shared memory is missing.
races() { ! step "Run the tests" "$in" test='make -s test' options="--strict-races --module $PWD/samples/bfs.ptx" >"$tmp/said" 2>&1 && grep 'error: race' "$tmp/said"; }
flags() { step "Build the project" "$in" report=r.html build='echo "$CCC_FLAGS"' test=true | grep -qx -e "--ccc-report=$tmp/project/r.html"; }
t "install" installs
t "install without a wheel" built
t "build" builds
t "tests pass" passes
t "a test fails" fails
t "a race" races
t "report" flags
finish
