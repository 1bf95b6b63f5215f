#!/bin/sh
# SPDX-License-Identifier: MIT
# checks.sh: tests fail when the program under test is broken. Runs the scripts with builds in which ptxccc or ptxrun does
# nothing and succeeds, or in which ptxccc copies its input; also the scripts that run and count tests, and those that
# measure. B must be an absolute path.
set -u
cd "$(dirname "$0")/.." || exit 2
part=checks
. tests/t.sh
real=$(readlink -m "${B:-build}")
unset PTXCCC BIN FACTS PARTS JUNIT
nothing() { printf '#!/bin/sh\nexit 0\n'; }
copy() {
	cat <<'END'
#!/bin/sh
for a; do
	case ${last:-}$a in -o*) to=$a ;; *) in=$a ;; esac
	[ "$a" = -o ] && last=-o || last=
done
[ -z "${to:-}" ] || exec cp "$in" "$to"
exec cat "$in"
END
}
build() { # build [PROGRAM WHAT]: $tmp/b, in which PROGRAM is replaced by a script, or no program is
	rm -rf "$tmp/b" && mkdir -p "$tmp/b/bin" && ln -s "$real"/* "$tmp/b/" 2>/dev/null
	ln -s "$real"/bin/* "$tmp/b/bin/" && { [ $# = 0 ] || { rm "$tmp/b/bin/$1" && "$2" >"$tmp/b/bin/$1" && chmod +x "$tmp/b/bin/$1"; }; }
}
with() { # with COMMAND...: on that build
	env B="$tmp/b" BIN="$tmp/b/bin" PTXCCC="$tmp/b/bin/ptxccc" "$@"
}
works() { build && with "$@"; }
fails() { # fails PROGRAM WHAT COMMAND...
	build "$1" "$2" || return
	shift 2
	! with "$@"
}
each() { # each NAME COMMAND...: passes, and fails without ptxccc or with one that copies
	name=$1
	shift
	t "$name" works "$@"
	t "$name, no ptxccc" fails ptxccc nothing "$@"
	t "$name, a copy" fails ptxccc copy "$@"
}
each golden sh tests/run.sh grid_stride.ptx
each diff sh tests/diff/run.sh left_over
each "diff that counts" env COUNT=1 sh tests/diff/run.sh left_over
each retreat sh tests/retreat.sh
each analysis sh tests/analysis/run.sh bfs.ptx
each papers sh tests/papers/run.sh ccc-fig1
t "papers, no ptxrun" fails ptxrun nothing sh tests/papers/run.sh ccc-fig1
t "docs, no ptxccc" fails ptxccc nothing sh tests/docs.sh
t "docs, no ptxrun" fails ptxrun nothing sh tests/docs.sh
t "corpus, no ptxccc" fails ptxccc nothing sh tests/corpus/run.sh tests/corpus/ptx/*.ptx
t "scale, no ptxccc" fails ptxccc nothing sh tests/scale.sh
t "report, no ptxccc" fails ptxccc nothing sh tests/report.sh
t "explain, no ptxccc" fails ptxccc nothing sh tests/explain.sh
t "diff, no kernel of that name" fails ptxccc copy sh tests/diff/run.sh none-of-these
for part_of in "diff/run.sh left_over" retreat.sh simt/run.sh simt/order.sh diff/faults.sh; do
	# shellcheck disable=SC2086
	t "$part_of, no ptxrun" fails ptxrun nothing sh tests/$part_of
done
no_thread() { # each of its tests fails
	fails ptxrun nothing sh tests/simt/threads.sh >"$tmp/threads" && tail -1 "$tmp/threads" && tail -1 "$tmp/threads" | grep -q '^threads: 0 passed'
}
t "threads.sh, no ptxrun" no_thread
t "simt-threads.sh, no ptxrun" fails ptxrun nothing sh bench/simt-threads.sh 1
arrows() { # folders that do not exist
	mkdir -p "$tmp/tree/tests" "$tmp/tree/docs" && cp tests/arrows.sh "$tmp/tree/tests/" && : >"$tmp/tree/docs/design.md" && ! sh "$tmp/tree/tests/arrows.sh"
}
t "arrows, no folders" arrows
prose() { # a phrase in a comment, in a message, in a document; none in code
	printf '/* The block that control comes to. */\n' >"$tmp/a.c" && printf 'f("left as it was");\n' >"$tmp/b.c" && printf 'Text.\n\n    code\n\nWhat nobody wrote.\n' >"$tmp/a.md" &&
		printf '# goes on\n' >"$tmp/a.sh" && printf 'x = goes + on; /* fine */\n' >"$tmp/c.c" && printf '    nobody\n\n`nobody`\n' >"$tmp/b.md" && sh tests/prose.sh "$tmp/c.c" "$tmp/b.md" || return 1
	for bad in a.c b.c a.md a.sh; do ! sh tests/prose.sh "$tmp/$bad" || return 1; done
	! sh tests/prose.sh "$tmp/none.c"
}
t "prose, phrases" prose

# ---- counting -----------------------------------------------------------------------------------------------------------------
counts() { # counts PASSED FAILED SKIPPED COMMAND
	rm -f "$tmp/results" "$tmp/results.skips" && sh tests/part.sh "$tmp/results" "$4" && cat "$tmp/results" && [ "$(cut -d ' ' -f 1-3 "$tmp/results")" = "$1 $2 $3" ]
}
t "a part that passes" counts 3 0 0 'echo "x: 3 passed, 0 failed"'
t "a part that is skipped" counts 0 0 2 'echo "x: 0 passed, 0 failed, 2 skipped"'
causes() { # one of three skipped tests gives its reason, the part gives that of the others
	counts 1 0 3 'echo "SKIP x a: no b"; echo "no c"; echo "x: 1 passed, 0 failed, 3 skipped"' &&
		[ "$(cat "$tmp/results.skips")" = "$(printf '1\tno b\n2\tno c')" ]
}
t "causes of skips" causes
failures() { # the last line of each
	printf 'FAIL x a\n\tone\n\ttwo\nFAIL x b: why\nSKIP x c\nx: 0 passed, 2 failed, 1 skipped\n' >"$tmp/part" && rm -f "$tmp/results.fails" &&
		sh tests/part.sh "$tmp/results" "cat '$tmp/part'" && [ "$(cat "$tmp/results.fails")" = "$(printf 'x a: two\nx b: why')" ]
}
t failures failures
junit() { # a suite for each part, with each test
	command -v python3 >/dev/null 2>&1 || { echo "no python3"; return 77; }
	printf 'FAIL x a <b> & "c"\n\twhy: 1 < 2\nSKIP x d: no e\nx: 2 passed, 2 failed, 1 skipped\n' >"$tmp/part" && rm -f "$tmp/results" && : >"$tmp/j.parts" &&
		JUNIT=$tmp/j sh tests/part.sh "$tmp/results" "cat '$tmp/part'" && JUNIT=$tmp/j sh tests/part.sh "$tmp/results" 'echo "y: 1 passed, 0 failed"' &&
		(echo '<all>' && cat "$tmp/j.parts" && echo '</all>') >"$tmp/j.xml" || return
	B=$real TIMES= JUNIT=$tmp/all.xml PARTS=arrows.sh sh tests/check.sh quick && python3 - "$tmp/j.xml" "$tmp/all.xml" <<'END'
import sys, xml.etree.ElementTree as E
suites = E.parse(sys.argv[1]).getroot()
counts = [(s.get("tests"), s.get("failures"), s.get("skipped"), len(s), len(s.findall("*/failure")), len(s.findall("*/skipped"))) for s in suites]
assert counts == [("5", "2", "1", 5, 2, 1), ("1", "0", "0", 1, 0, 0)], counts
failed = [t for t in suites[0] if t.find("failure") is not None]
assert failed[0].get("name") == 'x a <b> & "c"' and "why: 1 < 2" in failed[0].find("failure").text
whole = E.parse(sys.argv[2]).getroot()
assert whole.tag == "testsuites" and len(whole) == 1 and whole[0].get("name") == "sh tests/arrows.sh" and len(whole[0]) > 10
END
}
t "results as JUnit XML" junit
t "a part that counts nothing" counts 0 1 0 'echo "x: 0 passed, 0 failed"'
t "a part that says nothing" counts 0 1 0 true
t "a part that ends badly" counts 3 1 0 'echo "x: 3 passed, 0 failed"; exit 1'
ended() { # a script whose folder a signal removes does not continue
	cat >"$tmp/ended.sh" <<'END'
cd "$1" || exit 2
part=ended
. tests/t.sh
kill -TERM $$
echo "went on"
finish
END
	sh "$tmp/ended.sh" "$PWD" >"$tmp/said"
	[ $? = 1 ] && [ ! -s "$tmp/said" ] && ! grep -n "^[[:space:]]*trap .*EXIT.*\(INT\|TERM\)" tests/*.sh tests/*/*.sh bench/*.sh samples/*.sh
}
t "a script that a signal ends" ended
no_cccnvcc() { # a missing cccnvcc is no reason to skip its tests if nvcc works
	command -v g++ >/dev/null || { echo "no g++"; return 77; }
	build cccnvcc nothing && nothing >"$tmp/nvcc" && chmod +x "$tmp/nvcc" && printf '#!/bin/sh\nexit 1\n' >"$tmp/b/bin/cccnvcc" &&
		! CCC_NVCC=$tmp/nvcc with sh tests/nvcc/refused.sh
}
t "no cccnvcc" no_cccnvcc

# ---- bench/validate.sh ------------------------------------------------------------------------------------------------------
mkdir "$tmp/valgrind"
cat >"$tmp/valgrind/valgrind" <<'END'
#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift; done
"$@" && echo "Collected : 1000000" >&2
END
cat >"$tmp/valgrind/cccnvcc" <<'END'
#!/bin/sh
for a; do [ "${last:-}" != -o ] || cp samples/bfs.ptx "$a"; last=$a; done
END
chmod +x "$tmp"/valgrind/*
costs() { # costs [PROGRAM WHAT]: with a valgrind that counts a million
	build "$@" && rm "$tmp/b/bin/cccnvcc" && cp "$tmp/valgrind/cccnvcc" "$tmp/b/bin/" && PATH=$tmp/valgrind:$PATH B=$tmp/b sh bench/validate.sh bfs >"$tmp/costs"
}
costs_told() { costs && cat "$tmp/costs" && grep -q '^bfs.ptx: 1.0 million, ' "$tmp/costs" && grep -q '^together' "$tmp/costs"; }
costs_none() { ! costs ptxccc nothing; }
costs_no_valgrind() { printf '#!/bin/sh\nexit 1\n' >"$tmp/valgrind/valgrind" && ! costs; }
t "validate.sh" costs_told
t "validate.sh, no ptxccc" costs_none
t "validate.sh, no valgrind" costs_no_valgrind
finish
