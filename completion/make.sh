#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh ptxccc.bash | _ptxccc: prints what bash or zsh completes for the programs below. Options, and what they take,
# come from the programs' own --help, in BIN; words that stand for a value from the tables they are read with, or from here
# (tests/completion.sh asks the programs whether they take them).
set -u
cd "$(dirname "$0")/.." || exit 2
BIN=${BIN:-build/bin}
programs='ptxccc ptxrun cccnvcc ccc-tune ptxccc-run'

# Lines of --help begin with two blanks and an option; ', ' or '; ' may bring another one. To: option, what its value is called and
# how it is joined to it, what it does; a tab between.
options() { # options PROGRAM
	case $1 in
	cccnvcc) "$BIN/cccnvcc" --ccc-help ;;
	*) "$BIN/$1" --help ;;
	esac | awk '
	function take(line,   name, how) {
		if (!match(line, /^-(-ccc-W|-[a-z][a-z]*(-[a-z]+)*|[odW])/))
			return
		name = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		how = "none"
		if (match(line, /^\[=[A-Z]+\]/))
			how = "maybe"
		else if (match(line, /^=[A-Z:]+/))
			how = "equals"
		else if (match(line, /^ [A-Z][A-Z\[\],:]*/))
			how = "next"
		else if (match(line, /^([A-Z]+|\.\.\.)/))
			how = "glued"
		else
			RLENGTH = 0
		line = substr(line, RLENGTH + 1)
		if (match(line, /^, -/)) {
			print name "\t" how "\t"
			take(substr(line, 3))
			return
		}
		sub(/^ +/, "", line)
		rest = ""
		if ((at = index(line, ";  -")) > 0)
			rest = substr(line, at + 3)
		else if ((at = index(line, "; -")) > 0)
			rest = substr(line, at + 2)
		if (at > 0)
			line = substr(line, 1, at - 1)
		if (!seen[name]++)
			print name "\t" how "\t" line
		if (rest != "")
			take(rest)
	}
	/^  -/ { take(substr($0, 3)) }'
}

policies() { sed -n '/^POLICY(NONE/d; s/^POLICY([A-Z_]*, *"\([^"]*\)".*/\1/p' base/annot.def | tr '\n' ' '; }
warnings() { sed -n 's/^DIAG([A-Z_]*, *"\([^"]*\)", *DIAG_WARNING.*/no-\1 error=\1/p' base/diags.def | tr '\n' ' '; }
values() { # values PROGRAM OPTION: words; FILE and FOLDER stand for such
	case $2 in
	--policy | --ccc-policy) policies ;;
	-W | --ccc-W) echo error no-all "$(warnings)" ;;
	--dump) [ "$1" = ptxrun ] || echo cfg dom loop live defuse uniform region plan ;;
	--stop-after) echo region plan write verify ;;
	--excerpts) echo cuda ptx all ;;
	--color) echo auto always never ;;
	--report) echo text json FILE ;;
	--explain) echo FILE ;;
	--sched) echo ipdom random ;;
	--lines) echo ptx cuda ;;
	--sort) echo warp lost ;;
	--ccc-suggest) echo fix try= ;;
	--timer) echo auto emulator cupti events ;;
	--export) echo md json ;;
	--ccc-farm) echo FOLDER ;;
	-o | --cache | --to | --output | --report-to | --assembled-to | --annotations | --save | --counts | --profile | --profile-use | --ccc-profile-use | --profile-generate | --ccc-profile-generate | --module | --ccc-report | --verify-ptxas) echo FILE ;;
	esac
}
tab=$(printf '\t')

# ---- bash --------------------------------------------------------------------------------------------------------------
bash_program() { # bash_program PROGRAM
	echo "_ptxccc_$1() {"
	echo "	local options='$(options "$1" | while IFS=$tab read -r name how _; do
		case $how in
		equals) printf '%s= ' "$name" ;;
		maybe) printf '%s %s= ' "$name" "$name" ;;
		*) printf '%s ' "$name" ;;
		esac
	done)'"
	echo '	case $_ptxccc_before in'
	options "$1" | while IFS=$tab read -r name how _; do
		[ "$how" = none ] || [ "$how" = glued ] || echo "	$name) _ptxccc_values '$(values "$1" "$name" | sed 's/ *$//')'; return ;;"
	done
	echo '	esac'
	options "$1" | while IFS=$tab read -r name how _; do
		[ "$how" != glued ] || [ -z "$(values "$1" "$name")" ] ||
			echo "	case \$_ptxccc_word in $name*) _ptxccc_glued $name '$(values "$1" "$name" | sed 's/ *$//')'; return ;; esac"
	done
	echo '	_ptxccc_options "$options"'
	echo '}'
}
bash_all() {
	cat <<'END'
# SPDX-License-Identifier: MIT
# bash completion for ptxccc and the programs around it. Made by completion/make.sh from what --help prints.
# bash takes '=' for a word of its own: the option stands one or two words before.
_ptxccc_values() {
	local words=" $1 "
	case $words in
	*' FILE '*) compopt -o filenames; COMPREPLY=($(compgen -f -- "$_ptxccc_word")) ;;
	*' FOLDER '*) compopt -o filenames; COMPREPLY=($(compgen -d -- "$_ptxccc_word")) ;;
	esac
	words=${words/ FILE / } words=${words/ FOLDER / }
	COMPREPLY+=($(compgen -W "$words" -- "$_ptxccc_word"))
}
_ptxccc_glued() {
	COMPREPLY=($(compgen -P "$1" -W "$2" -- "${_ptxccc_word#"$1"}"))
}
_ptxccc_options() {
	case $_ptxccc_word in
	-*)
		COMPREPLY=($(compgen -W "$1" -- "$_ptxccc_word"))
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace ;;
	*) compopt -o filenames; COMPREPLY=($(compgen -f -- "$_ptxccc_word")) ;;
	esac
}
_ptxccc() {
	local _ptxccc_word=${COMP_WORDS[COMP_CWORD]} _ptxccc_before=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if [[ $_ptxccc_word == = ]]; then
		_ptxccc_word=
	elif [[ $_ptxccc_before == = ]]; then
		_ptxccc_before=${COMP_WORDS[COMP_CWORD-2]}
	else
		case $_ptxccc_before in -o | --ccc-farm | --grid | --block | --shared | --arg | --module | --arch | --sms) ;; *) _ptxccc_before= ;; esac
	fi
	"_ptxccc_${1##*/}"
}
END
	for program in $programs; do bash_program "$program"; done
	echo "complete -F _ptxccc $programs"
}

# ---- zsh ---------------------------------------------------------------------------------------------------------------
zsh_values() { # zsh_values PROGRAM OPTION: what stands behind the option in a specification
	words=$(values "$1" "$2" | sed 's/ *$//')
	case " $words " in
	'  ') echo ':value: ' ;;
	*' FOLDER '*) echo ':folder:_directories' ;;
	' FILE ') echo ':file:_files' ;;
	*' FILE '*) echo ":file or word:_alternative \"words\\:word\\:(${words% FILE})\" \"files\\:file\\:_files\"" ;;
	*) echo ":value:($words)" ;;
	esac
}
# An apostrophe ends what zsh quotes; brackets and colons part a specification.
plain='s/'\''/&\\&&/g; s/[]:[]/\\&/g'
zsh_program() { # zsh_program PROGRAM
	echo "$1)"
	echo '	_arguments -S \'
	options "$1" | while IFS=$tab read -r name how help; do
		help=$(printf '%s\n' "$help" | sed "$plain")
		case $how in
		none) echo "		'$name[$help]' \\" ;;
		equals) echo "		'$name=[$help]$(zsh_values "$1" "$name")' \\" ;;
		maybe) echo "		'$name=-[$help]:$(zsh_values "$1" "$name")' \\" ;;
		next) echo "		'$name+[$help]$(zsh_values "$1" "$name")' \\" ;;
		glued) echo "		'*$name-[$help]$(zsh_values "$1" "$name")' \\" ;;
		esac
	done
	echo "		'*:file:_files' ;;"
}
zsh_all() {
	echo "#compdef $programs"
	cat <<'END'
# SPDX-License-Identifier: MIT
# zsh completion for ptxccc and the programs around it. Made by completion/make.sh from what --help prints.
case $service in
END
	for program in $programs; do zsh_program "$program"; done
	echo 'esac'
}

case ${1:-} in
ptxccc.bash) bash_all ;;
_ptxccc) zsh_all ;;
*) echo "usage: make.sh ptxccc.bash | _ptxccc" >&2; exit 2 ;;
esac
