# SPDX-License-Identifier: MIT
# grid.tpl: a kernel with one task per thread becomes a loop over the launch's blocks (task_loop.c; docs/proofs/grid.md).
#
# %^x %^y %^z    the block whose work the body executes      %^nx %^ny %^nz  the launch's grid
# %^step         G, the number of blocks that stay           %^gx %^gy %^gz  G as digits to the bases nx, ny, nz
# %^own          this block's number, by x, then y, then z   %^over %^digit  the carry to the next digit
#
# The next block's number is the sum of this one's and G, digit by digit. This needs no division, and no more than 32 bits.

=== head
	#declare names
	mov.u32 	%^x, %ctaid.x; // ccc: of the launch's blocks the first <what> run everybody's
	mov.u32 	%^y, %ctaid.y;
	mov.u32 	%^z, %ctaid.z;
	mov.u32 	%^nx, %nctaid.x;
	mov.u32 	%^ny, %nctaid.y;
	mov.u32 	%^nz, %nctaid.z;
#if fixed
	mov.u32 	%^step, <fixed_blocks>;	# CANNOT: any G is right
#else
	mov.u32 	%^warps, %ntid.x;	# CANNOT: any G is right
	mov.u32 	%^step, %ntid.y;	# CANNOT: any G is right
	mul.lo.u32 	%^warps, %^warps, %^step;	# CANNOT: any G is right
	mov.u32 	%^step, %ntid.z;	# CANNOT: any G is right
	mul.lo.u32 	%^warps, %^warps, %^step;	# CANNOT: any G is right
	add.u32 	%^warps, %^warps, 31;	# CANNOT: any G is right
	shr.u32 	%^warps, %^warps, 5;	# CANNOT: any G is right
	mov.u32 	%^step, <warps>;	# CANNOT: any G is right
	div.u32 	%^step, %^step, %^warps;	# CANNOT: any G is right
	max.u32 	%^step, %^step, 1;	# CANNOT: any G is right
	min.u32 	%^step, %^step, <blocks>;	# CANNOT: any G is right
#end
#if sms
	mul.lo.u32 	%^step, %^step, <most_sms>;	# CANNOT: any G is right
#else
	mov.u32 	%^digit, %nsmid;
	min.u32 	%^digit, %^digit, <most_sms>;	# CANNOT: z + gz < 2^32 needs a bound of %nsmid; the checker notices it, no launch does
	mul.lo.u32 	%^step, %^step, %^digit;	# CANNOT: any G is right
#end
#if dynamic
	mul.wide.u32 	%^own, %^nx, %^ny;	# CANNOT: any G is right
	cvt.u64.u32 	%^wide, %^nz;	# CANNOT: any G is right
	mul.lo.u64 	%^own, %^own, %^wide;	# CANNOT: any G is right
	shr.u64 	%^own, %^own, <share>;	# CANNOT: any G is right
	mul.wide.u32 	%^wide, %^step, <most>;	# CANNOT: any G is right
	min.u64 	%^own, %^own, %^wide;	# CANNOT: any G is right
	cvt.u64.u32 	%^wide, %^step;	# CANNOT: any G is right
	max.u64 	%^own, %^own, %^wide;
	cvt.u32.u64 	%^step, %^own;	# CANNOT: any G is right
#end
	mad.lo.u32 	%^digit, %^z, %^ny, %^y;
	mul.wide.u32 	%^own, %^digit, %^nx;
	cvt.u64.u32 	%^wide, %^x;
	add.u64 	%^own, %^own, %^wide;
	cvt.u64.u32 	%^wide, %^step;
	setp.ge.u64 	%^over, %^own, %^wide;
	@%^over ret;	# G1
	div.u32 	%^gy, %^step, %^nx;
	rem.u32 	%^gx, %^step, %^nx;
	div.u32 	%^gz, %^gy, %^ny;
	rem.u32 	%^gy, %^gy, %^ny;
$ccc__<id>_done_20grid_20<id>:	# CANNOT: the emulator counts the blocks that stay there
	#begin
$^block:
	#iteration      # CANNOT: it distinguishes this loop from one at the start of the body, which random kernels lack

=== called
	#declare names
#if x
	ld.param.b32 	%^x, [~of_x];
#end
#if y
	ld.param.b32 	%^y, [~of_y];
#end
#if z
	ld.param.b32 	%^z, [~of_z];
#end

=== names
	.pred 	over
	.b32 	x y z nx ny nz gx gy gz step warps digit
	.b64 	own wide

=== latch
$^next:
	add.u32 	%^x, %^x, %^gx;
	setp.ge.u32 	%^over, %^x, %^nx;
	selp.u32 	%^digit, %^nx, 0, %^over;
	sub.u32 	%^x, %^x, %^digit;	# G2
	selp.u32 	%^digit, 1, 0, %^over;
	add.u32 	%^y, %^y, %^gy;
	add.u32 	%^y, %^y, %^digit;
	setp.ge.u32 	%^over, %^y, %^ny;
	selp.u32 	%^digit, %^ny, 0, %^over;
	sub.u32 	%^y, %^y, %^digit;	# G2
	selp.u32 	%^digit, 1, 0, %^over;
	add.u32 	%^z, %^z, %^gz;
	add.u32 	%^z, %^z, %^digit;
	setp.lt.u32 	%^over, %^z, %^nz;
	@%^over bra 	$^block;	# G1
	#end_of_loop
	ret;            # CANNOT: the end of the body ends the thread, too
