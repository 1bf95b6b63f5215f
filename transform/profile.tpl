# SPDX-License-Identifier: MIT
# profile.tpl: counts how often lanes come to the cuts of a function (generate.c; analysis/cuts.h). Nothing else changes.
#
# %^off          this block is not counted           %^mask %^lt %^first   lanes here together; their first one counts for all
# %^base         the copy of the counters that this block adds to: many adding to one place wait for each other
# %^at           the first copy, which alone has what is largest; or the counter of so many lanes
# %^trips<k>     how often this lane has come by what is number k, so far  %^top<k>    most that this lane has told of number k
# %^ran<c>       1: this lane has run the cut before                       %^then<k>   how often it came by number k, then

=== head
	#declare names
	mov.u32         %^n, %ctaid.x;
	mov.u32         %^mask, %ctaid.y;       # CANNOT: grids of the test have one dimension
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	mov.u32         %^mask, %ctaid.z;       # CANNOT: likewise
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	shr.u32         %^rest, %^n, <sampling>;        # CANNOT: any copy is right
	and.b32         %^rest, %^rest, <copies>;       # CANNOT: the test has two blocks
	mov.u64         %^base, <counters>;
	mad.wide.u32    %^base, %^rest, <apart>, %^base;        # CANNOT: any copy is right
#if sampled                                     # every 2^n-th block
	and.b32         %^n, %^n, <others>;     # CANNOT: the test has two blocks
	setp.ne.u32     %^off, %^n, 0;
#end

=== names
	.pred   off first more
	.b32    mask lt n sum most rest one square squares change changes
	.b64    at base wide

=== together                                    # lanes that come together are counted by their number
#if sampled
	@%^off bra.uni  $^past<place>;
#end
	#who
	popc.b32        %^n, %^mask;
	mad.wide.u32    %^at, %^n, 8, %^base;
	@%^first red.global.add.u64     [%^at+<offset>], 1;
#if sampled
$^past<place>:
#end

=== who
	activemask.b32  %^mask;
	mov.u32         %^lt, %lanemask_lt;
	and.b32         %^lt, %^lt, %^mask;
	setp.eq.u32     %^first, %^lt, 0;

=== no_trips
	mov.u32         %^trips<number>, 0;

=== no_top
	mov.u32         %^top<number>, 0;       # CANNOT: registers of the emulator begin with 0

=== no_then
	mov.u32         %^then<number>, 0;      # CANNOT: who has not run the cut before is not compared

=== no_runs
	mov.u32         %^ran<number>, 0;

=== launch                                      # the grid's first thread
	mov.u32         %^n, %tid.x;
	mov.u32         %^sum, %tid.y;          # CANNOT: blocks of the test have one dimension
	or.b32          %^n, %^n, %^sum;        # CANNOT: likewise
	mov.u32         %^sum, %tid.z;          # CANNOT: likewise
	or.b32          %^n, %^n, %^sum;        # CANNOT: likewise
	mov.u32         %^sum, %ctaid.x;
	or.b32          %^n, %^n, %^sum;
	mov.u32         %^sum, %ctaid.y;        # CANNOT: grids of the test have one dimension
	or.b32          %^n, %^n, %^sum;        # CANNOT: likewise
	mov.u32         %^sum, %ctaid.z;        # CANNOT: likewise
	or.b32          %^n, %^n, %^sum;        # CANNOT: likewise
	setp.ne.u32     %^more, %^n, 0;
	@%^more bra     $^begun;
	mov.u64         %^at, <counters>;
	red.global.add.u64      [%^at+<offset>], 1;

=== launched                                    # the largest of the launch before
	atom.global.exch.b64    %^wide, [%^at+<third>], 0;
	red.global.add.u64      [%^at+<fourth>], %^wide;
#if block
	red.global.max.u64      [%^at+<fifth>], %^wide;
#end

=== begun
$^begun:

=== trip
	add.u32         %^trips<number>, %^trips<number>, 1;

=== left                                        # lanes that leave together
#if sampled
	@%^off bra.uni  $^past<place>;
#end
	#who                                    # CANNOT: the lanes are those that came last
	mov.u64         %^at, <counters>;

=== trips                                       # the sum of all, and the largest; of a block the sums of squares, and of those of changes
#if block
	min.u32         %^square, %^trips<number>, 11585;
	mul.lo.u32      %^square, %^square, %^square;
#end
#if repeats
	sub.s32         %^n, %^trips<number>, %^then<number>;
	abs.s32         %^n, %^n;
	min.u32         %^change, %^n, 11585;
	mul.lo.u32      %^change, %^change, %^change;
	mul.lo.u32      %^change, %^change, %^ran<cut>;
	mov.u32         %^then<number>, %^trips<number>;
#end
#if redux
	redux.sync.add.u32      %^sum, %^trips<number>, %^mask;
	redux.sync.max.u32      %^most, %^trips<number>, %^mask;
#if block
	redux.sync.add.u32      %^squares, %^square, %^mask;
#end
#if repeats
	redux.sync.add.u32      %^changes, %^change, %^mask;
#end
#else
	mov.u32         %^sum, 0;
	mov.u32         %^most, 0;
	mov.u32         %^squares, 0;
	mov.u32         %^changes, 0;
	mov.u32         %^rest, %^mask;
$^lane<place>_<number>:
	brev.b32        %^n, %^rest;
	clz.b32         %^n, %^n;
	shfl.sync.idx.b32       %^one, %^trips<number>, %^n, 31, %^mask;
	add.u32         %^sum, %^sum, %^one;
	max.u32         %^most, %^most, %^one;
#if block
	shfl.sync.idx.b32       %^one, %^square, %^n, 31, %^mask;
	add.u32         %^squares, %^squares, %^one;
#end
#if repeats
	shfl.sync.idx.b32       %^one, %^change, %^n, 31, %^mask;
	add.u32         %^changes, %^changes, %^one;
#end
	sub.u32         %^n, %^rest, 1;
	and.b32         %^rest, %^rest, %^n;
	setp.ne.u32     %^more, %^rest, 0;
	@%^more bra.uni $^lane<place>_<number>;
#end
	mov.u32         %^trips<number>, 0;
	cvt.u64.u32     %^wide, %^sum;
	@%^first red.global.add.u64     [%^base+<offset>], %^wide;
	cvt.u64.u32     %^wide, %^most;
	@%^first red.global.add.u64     [%^base+<second>], %^wide;
	setp.gt.and.u32 %^more, %^most, %^top<number>, %^first;
	@%^more red.global.max.u64      [%^at+<third>], %^wide;
	max.u32         %^top<number>, %^top<number>, %^most;   # CANNOT: it is told once more
#if block
	cvt.u64.u32     %^wide, %^squares;
	@%^first red.global.add.u64     [%^base+<sixth>], %^wide;
#end
#if repeats
	cvt.u64.u32     %^wide, %^changes;
	@%^first red.global.add.u64     [%^base+<seventh>], %^wide;
#end

=== ran                                         # how many have run the cut before
	setp.ne.u32     %^more, %^ran<number>, 0;
	vote.sync.ballot.b32    %^n, %^more, %^mask;
	popc.b32        %^n, %^n;
	mov.u32         %^ran<number>, 1;
	cvt.u64.u32     %^wide, %^n;
	@%^first red.global.add.u64     [%^base+<offset>], %^wide;

=== past
#if sampled
$^past<place>:
#end
