#!/bin/sh
# SPDX-License-Identifier: MIT
# conda.sh: the conda recipe (packaging/conda): checks its fields, runs its script in a separate prefix, and runs its tests
# there, again after moving the prefix as conda does. Also builds the package if conda-build is on PATH. Needs python3 with
# yaml to read the recipe.
set -u
cd "$(dirname "$0")/.." || exit 2
part=conda tree=$PWD
. tests/t.sh
python3 -c 'import yaml' 2>/dev/null || skip_all

# Evaluates the recipe's templates and selectors as conda-build does on Linux.
HOMEPAGE=https://host.invalid python3 - >"$tmp/fields" <<'END' || exit 2
import os, re, yaml
text = open('packaging/conda/meta.yaml').read()
known = dict(re.findall(r'{% set (\w+) = "([^"]*)" %}', text))
known.update((n, os.environ.get(v, '')) for n, v in re.findall(r'{% set (\w+) = environ.get\("(\w+)", ""\) %}', text))
text = re.sub(r'{% .* %}\n', '', text)
text = re.sub(r'{{ (\w+) }}', lambda m: known[m[1]], text)
text = re.sub(r"{{ (compiler|stdlib)\('(\w+)'\) }}", r'\2-\1', text)
text = '\n'.join(l for l in text.split('\n') if not re.search(r'# \[not linux\]', l))
r = yaml.safe_load(text)
print('name', r['package']['name'])
print('version', r['package']['version'])
print('home', r['about']['home'])
print('license', r['about']['license'], r['about']['license_file'])
print('source', r['source']['path'])
for n in r['requirements']['build']:
    print('needs', n)
for f in r['test']['files']:
    print('file', f)
for c in r['test']['commands']:
    print('run', c)
END
field() { sed -n "s/^$1 //p" "$tmp/fields"; }
fields() {
	cat "$tmp/fields"
	[ "$(field name)" = ptxccc ] && [ "$(field home)" = https://host.invalid ] && [ "$(field version)" = "$(sed -n 's/^VERSION = //p' Makefile)" ] && [ "$(field license)" = "MIT LICENSE" ] &&
		[ -f LICENSE ] && [ -f "packaging/conda/$(field source)/Makefile" ] && [ -x packaging/conda/build.sh ] || return 1
	for tool in flex bison make c-compiler c-stdlib; do field needs | grep -qx "$tool" || return 1; done # tests/need.sh asks for no other
	for f in $(field file); do [ -f "$f" ] || return 1; done
}
script() { SRC_DIR=$tree PREFIX=$1 CPU_COUNT=1 sh -e packaging/conda/build.sh; }
commands() { # commands PREFIX: in a folder with the test's files alone, nothing of this tree on PATH
	rm -rf "$tmp/at" && mkdir "$tmp/at" && for f in $(field file); do mkdir -p "$tmp/at/$(dirname "$f")" && cp "$f" "$tmp/at/$f" || return 1; done
	field run >"$tmp/commands"
	(cd "$tmp/at" && PREFIX=$1 PATH=$1/bin:/usr/bin:/bin sh -ex "$tmp/commands")
}
moved() { # conda writes the new prefix into texts that hold the old one
	mv "$tmp/prefix" "$tmp/elsewhere" && (grep -rIl "$tmp/prefix" "$tmp/elsewhere" || true) | while read -r f; do sed -i "s|$tmp/prefix|$tmp/elsewhere|g" "$f"; done &&
		! grep -rq "$tmp/prefix" "$tmp/elsewhere" && commands "$tmp/elsewhere"
}
package() {
	command -v conda-build >/dev/null 2>&1 || { echo "no conda-build"; return 77; }
	conda-build --no-anaconda-upload --output-folder "$tmp/channel" packaging/conda && ls "$tmp"/channel/linux-*/ptxccc-*
}
t fields fields
t script script "$tmp/prefix"
t commands commands "$tmp/prefix"
t "moved prefix" moved
t package package
finish
