#!/bin/sh
# SPDX-License-Identifier: MIT
# completion.sh: the completion of shells matches the programs' options. In bash, it offers every option of --help, and only
# values that the programs accept; in zsh, its file is valid and has every option. A missing shell is skipped.
set -u
cd "$(dirname "$0")/.." || exit 2
part=completion
. tests/t.sh
B=${B:-build}
made=$(readlink -m "$B")/share/completion
PATH=$(readlink -m "$B")/bin:$PATH

cat >"$tmp/ask.bash" <<'END'
# ask.bash WORD...: prints the completions of the last word; '=' is a separate word, as in readline
compopt() { :; }
. "$MADE/ptxccc.bash"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ptxccc "$1"
printf '%s\n' "${COMPREPLY[@]}"
END
ask() { MADE=$made bash "$tmp/ask.bash" "$@"; }
of_help() { # of_help PROGRAM
	{ [ "$1" = cccnvcc ] && cccnvcc --ccc-help || "$1" --help; } | grep '^  -' | grep -o -e '  *--[a-z][a-z-]*' -e '; *--[a-z-]*' | grep -o -e '--[a-z-]*[a-z]'
}
options() { # options PROGRAM [MORE-THAN]: all of them are offered, and no others
	ask "$1" -- | sed 's/=$//' | grep -e -- | sort -u >"$tmp/offered"
	of_help "$1" | sort -u | grep -v -x -e --ccc-W -e --ccc >"$tmp/want"
	grep -v -x -e --ccc-W "$tmp/offered" | diff "$tmp/want" - && [ "$(wc -l <"$tmp/want")" -gt "${2:-10}" ]
}
taken() { # taken OPTION: the program accepts the offered values
	words=$(ask ptxccc "$1" = '' | grep -v / | sort -u)
	[ "$(echo "$words" | wc -l)" -ge 2 ] || return 1
	for word in $words; do
		[ -e "$word" ] || ptxccc "$1=$word" --version || { echo "$1=$word"; return 1; }
	done
}
warnings() {
	[ "$(ask ptxccc -Wno-ccc-liv)" = -Wno-ccc-live-out ] && [ "$(ask cccnvcc --ccc-Werror=ccc-haz | tail -1)" = --ccc-Werror=ccc-hazard ] || return 1
	for word in $(ask ptxccc -W); do ptxccc "$word" --version || return 1; done
}
files() { cd "$tmp" && : >one.ptx && [ "$(ask ptxccc -o on)" = one.ptx ] && [ "$(ask ptxccc on)" = one.ptx ] && [ "$(ask cccnvcc --ccc-report = on)" = one.ptx ]; }
if command -v bash >/dev/null 2>&1; then
	for program in ptxccc ptxrun cccnvcc ccc-tune; do t "bash: options of $program" options $program; done
	t "bash: options of ptxccc-run" options ptxccc-run 1
	for option in --policy --dump --stop-after --excerpts --color --report; do t "bash: values of $option" taken $option; done
	t "bash: warnings" warnings
	t "bash: files" files
else
	skipped=$((skipped + 12))
fi

# Completes a line in a separate terminal, which zsh/zpty provides.
cat >"$tmp/ask.zsh" <<'END'
zmodload zsh/zpty || exit 77
zpty z zsh -f -i
send() { zpty -w z "$1" }
send "PS1=''; fpath=($MADE \$fpath); autoload -U compinit; compinit -u -D; zstyle ':completion:*' list-prompt ''; LISTMAX=1000; stty cols 400 rows 500; echo RE''ADY"
while zpty -r z line; do [[ $line == *READY* ]] && break; done
zpty -w -n z "$1"$'\t\t'
sleep 2
zpty -w -n z $'\C-u'
send "echo DO''NE"
while zpty -r z line; do print -r -- "$line"; [[ $line == *DONE* ]] && break; done
END
zsh_offers() {
	MADE=$made timeout 600 zsh -f "$tmp/ask.zsh" 'ptxccc --' >"$tmp/offered" || return
	cat "$tmp/offered"
	for option in $(of_help ptxccc); do grep -q -e "$option" "$tmp/offered" || { echo "no $option"; return 1; }; done
}
if command -v zsh >/dev/null 2>&1; then
	t "zsh: read" zsh -n "$made/_ptxccc"
	t "zsh: options" zsh_offers
else
	skipped=$((skipped + 2))
fi
finish
