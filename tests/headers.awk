# SPDX-License-Identifier: MIT
# headers.awk README.md... SOURCE...: the includes of headers that are private to a folder. The README.md of a folder lists its
# public headers: after "Headers for others:", "Headers for other folders:" or "Interface:" in the text of that item, or in the list
# below "Headers for other folders:". "all" means all headers of the folder.
function folder(path) { sub(/\/?[^\/]*$/, "", path); return path }
FNR == 1 { dir = folder(FILENAME); item = list = 0 }
FILENAME ~ /README\.md$/ {
	if (/^- (Headers for other(s| folders)|Interface):/) { item = 1; if (/: all/) all[dir] = 1 }
	else if (/^Headers? for other folders:/) list = 1
	else if (/^- / && !list || (list && /^[A-Z`]/)) item = list = 0
	line = $0
	while ((item || list) && match(line, /`[a-z0-9_\/]+\.(h|def)`/)) {
		public[dir "/" substr(line, RSTART + 1, RLENGTH - 2)] = 1
		line = substr(line, RSTART + RLENGTH)
	}
	if (item || list) readmes[dir] = 1
	next
}
/^#include "[a-z_]+\// {
	header = $2
	gsub(/"/, "", header)
	to = folder(header)
	if (to == dir || header ~ /\.tpl\.h$/) next
	checked++
	if (header in public) next
	if (!(to in readmes)) print FILENAME ": " header ": " to "/README.md lists no headers"
	else if (!(to in all)) print FILENAME ": " header " is private to " to "/"
}
END { if (checked < 500) print "only " checked + 0 " includes of other folders were found" }
