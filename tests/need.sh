#!/bin/sh
# need.sh TOOL...: makes sure that the tools are there. Installs what is missing with apt-get where that is allowed (root, or
# sudo without a password), else prints the exact command to type and fails.
set -u
packages=
for tool in "$@"; do
	command -v "$tool" >/dev/null 2>&1 && continue
	case $tool in
	cc | gcc) packages="$packages gcc libc6-dev" ;;
	*) packages="$packages $tool" ;;
	esac
done
[ -z "$packages" ] && exit 0

sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
if command -v apt-get >/dev/null 2>&1 && { [ -z "$sudo" ] || $sudo true 2>/dev/null; }; then
	echo "installing$packages" >&2
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	{ $sudo apt-get install -y -q $packages || { $sudo apt-get update -q && $sudo apt-get install -y -q $packages; }; } >&2 && exit 0
fi
echo "missing:$packages. Type:  sudo apt-get install$packages" >&2
exit 1
