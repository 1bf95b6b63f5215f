# SPDX-License-Identifier: MIT
# grid_edits.awk TEXT: edits by sed, one a line, of the lines that are inserted for task loops, of those that name the position, and of
# the loops' other instructions.
function edit(command) { print NR command }
# two values that fit 32 bits in the first iterations or in small launches only: a register that the latch doubles, the block's number
/_x, %ccc[0-9]*_gx;/ { edit("s/.*\\(%ccc[0-9]*_\\)gx;/&\\n\\tshr.u64 \\1own, \\1wide, 32;\\n\\tcvt.u32.u64 \\1digit, \\1own;\\n\\tadd.u32 \\1x, \\1x, \\1digit;\\n\\tadd.u64 \\1wide, \\1wide, \\1wide;/") }
/_own, %ccc[0-9]*_own, %ccc[0-9]*_wide;/ && /add/ { edit("s/.*\\(%ccc[0-9]*_\\)wide;/&\\n\\tcvt.u64.u32 \\1own, \\1own;/") }
/^\$ccc[0-9]*_block:/ { inside = 1 }
/^\$ccc[0-9]*_next:/ { inside = 0 }
inside && /^\t[a-z@].*;$/ && !/%ccc/ { edit("d") }
/%ccc[0-9]*_|\$ccc[0-9]*_(next|block)/ && !/^\t\.reg|^\/\/|\.param/ {
	edit("d")
	if (/^\t@%/) edit("s/@%/@!%/")
	if (/^\t@!%/) edit("s/@!%/@%/")
	if (/setp\.ge/) { edit("s/setp\\.ge/setp.lt/"); edit("s/setp\\.ge/setp.gt/") }
	if (/setp\.lt/) { edit("s/setp\\.lt/setp.ge/"); edit("s/setp\\.lt/setp.le/") }
	if (/\tadd\./) edit("s/add\\./sub./")
	if (/\tsub\./) edit("s/sub\\./add./")
	if (/\tdiv\./) edit("s/div\\./rem./")
	if (/\trem\./) edit("s/rem\\./div./")
	if (/\tmin\./) edit("s/min\\./max./")
	if (/\tmax\./) edit("s/max\\./min./")
	if (/\tmul\.lo/) edit("s/mul\\.lo/mul.hi/")
	if (/, 0, %/) edit("s/, 0, %/, 1, %/")
	if (/, 1, 0, %/) edit("s/, 1, 0, %/, 2, 0, %/")
	if (/, 1;/) edit("s/, 1;/, 0;/")
	if (/%ccc[0-9]*_x[,;)]/) { edit("s/\\(%ccc[0-9]*_\\)x\\([,;)]\\)/\\1y\\2/"); edit("s/\\(%ccc[0-9]*_\\)x\\([,;)]\\)/\\1nx\\2/") }
	if (/%ccc[0-9]*_y[,;)]/) edit("s/\\(%ccc[0-9]*_\\)y\\([,;)]\\)/\\1z\\2/")
	if (/%ccc[0-9]*_z[,;)]/) edit("s/\\(%ccc[0-9]*_\\)z\\([,;)]\\)/\\1x\\2/")
	if (/%ccc[0-9]*_n?[xyz][,;)]/ && !/ctaid/) edit("s/%ccc[0-9]*_n*\\([xyz]\\)\\([,;)]\\)/%ctaid.\\1\\2/")
	if (/%ccc[0-9]*_gx/) edit("s/_gx/_gy/")
	if (/%ccc[0-9]*_gy/) edit("s/_gy/_gz/")
	if (/%ccc[0-9]*_gz/) edit("s/_gz/_gx/")
	if (/_step/) edit("s/_step/_nx/")
	if (/_digit/) edit("s/_digit/_step/")
	if (/%nctaid/) edit("s/%nctaid/%ntid/")
	if (/%ctaid/) edit("s/%ctaid/%nctaid/")
	if (/bra/) { edit("s/bra.*;/ret;/"); edit("s/_next;/_block;/"); edit("s/_block;/_next;/") }
	if (/(, %[^,;]*){2}/) edit("s/, \\([^,]*\\), \\([^,;]*\\)/, \\2, \\1/")
}
