# SPDX-License-Identifier: MIT
# draw_edits.awk TEXT: edits by sed, one a line, of the lines that are inserted for loops whose lanes draw iterations.
function edit(command) { print NR command }
/^\t\{/ { depth++ }
/^\t\}/ { depth-- }
depth && /^\t[a-z@].*;$/ {
	edit("d")
	if (/^\t@%/) { edit("s/@%/@!%/"); edit("s/@%[^ \t]*[ \t]*//") }
	if (/^\t@!%/) edit("s/@!%/@%/")
	if (/setp\.ge/) edit("s/setp\\.ge/setp.lt/")
	if (/setp\.lt/) edit("s/setp\\.lt/setp.le/")
	if (/setp\.gt/) edit("s/setp\\.gt/setp.le/")
	if (/setp\.eq/) edit("s/setp\\.eq/setp.ne/")
	if (/setp\.ne/) edit("s/setp\\.ne/setp.eq/")
	if (/\tadd\./) edit("s/add\\./sub./")
	if (/\tsub\./) edit("s/sub\\./add./")
	if (/and\.pred/) edit("s/and\\.pred/or.pred/")
	if (/or\.pred/) edit("s/or\\.pred/and.pred/")
	if (/not\.pred/) edit("s/not\\.pred/mov.pred/")
	if (/mov\.pred.*%p/) edit("s/mov\\.pred/not.pred/")
	if (/xor\.b32/) edit("s/xor\\.b32/and.b32/")
	if (/shf\.r/) edit("s/shf\\.r/shf.l/")
	if (/shfl/) { edit("s/\\.idx/.up/"); edit("s/, 31,/, 15,/") }
	if (/, -1;/) edit("s/, -1;/, 0;/")
	if (/, 0;/) edit("s/, 0;/, -1;/")
	if (/, 1;/) edit("s/, 1;/, 3;/")
	if (/, 31;/) edit("s/, 31;/, 15;/")
	if (/0xffffffff/) edit("s/0xffffffff/0x7fffffff/")
	if (/_mask;/) edit("s/_mask;/_lt;/")
	if (/_there/) edit("s/_there/_givers/")
	if (/_givers/) { edit("s/_givers/_there/"); edit("s/_givers/_next/2") }
	if (/_next/) edit("s/_next\\([,;]\\)/_from\\1/")
	if (/_from/) edit("s/_from\\([,;]\\)/_idle\\1/")
	if (/_idle/) edit("s/_idle\\([,;]\\)/_there\\1/")
	if (/_got/) edit("s/_got/_given/")
	if (/_given/) edit("s/_given/_got/")
	if (/_has/) edit("s/_has\\([,;]\\)/_in\\1/")
	if (/_in[,;]/) edit("s/_in\\([,;]\\)/_has\\1/")
	if (/_lane[,;]/) edit("s/_lane/_n/")
	if (/_lt;/) edit("s/_lt;/_mask;/")
	if (/%lanemask_lt/) edit("s/%lanemask_lt/%lanemask_le/")
	if (/%laneid/) edit("s/%laneid/%tid.x/")
	if (/_lo[,;}]/) edit("s/_lo\\([,;}]\\)/_n\\1/2")
	if (/%ccc[0-9]*\$/) { edit("s/%ccc[0-9]*\\$\\(r[0-9]\\)/%\\1/"); edit("s/\\(.*\\)%ccc[0-9]*\\$/\\1%/") }
	if (/%ccc[0-9]*u\$/) edit("s/%ccc[0-9]*u\\$/%/")
	if (/bra/) { edit("s/bra.*;/ret;/"); edit("s/_spent;/_meet;/"); edit("s/_meet;/_spent;/"); edit("s/_fill;/_ready;/"); edit("s/_nobody;/_leave;/"); edit("s/_leave;/_round;/"); edit("s/_round;/_nobody;/"); edit("s/_drawn;/_meet;/") }
	if (/(, %[^,;]*){2}/) edit("s/, \\([^,]*\\), \\([^,;]*\\)/, \\2, \\1/")
}
