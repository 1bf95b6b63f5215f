# SPDX-License-Identifier: MIT
# profile.tpl: counts how often lanes come to the cuts of a function (instrument.c; analysis/region/profile_points.h). Nothing else changes.
#
# %^mask %^first lanes here together; their first one counts for all
# %^base         the copy of the counters that this block adds to: many adding to one place wait for each other
# %^at           the first copy, which alone has what is largest; or the counter of so many lanes
# <own>          a lane's own memory: of each number a row with what it has counted so far, and adds to the counters when it ends, or before a sum
#                has 32 bits:
# %^sum %^by             in all; of lanes that left together by that which came by most often, which their first one counts
# %^squares %^apart      of how often in a run; of how far from the run before
#
# %^trips<k>     how often this lane has come by what is number k, in this run  %^top<k> %^then<k>      most in a run; how often in the last one
# %^ran<k> %^again<k>    1: this lane has run the cut of number k; how often it came again
# %^like<k> %^times<k>   how many lanes came to cut k together when this one was the first of them, and how often in a row so many
# %^updates<k> %^compared<k> %^same<k>   atomic operations of cut k on global memory; those compared; those of them in the same line of 128 bytes
# %^beside       the copy beside this block's: in each copy a statement has a word for the last line of the blocks that add there
# %^lanes<k> %^warps<k>  how often this lane has come to place k; as the first one that came. %^come: 1: to any

=== head
	#declare names
	mov.u32         %^n, %ctaid.x;
	mov.u32         %^mask, %ctaid.y;       # CANNOT: grids of the test have one dimension
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	mov.u32         %^mask, %ctaid.z;       # CANNOT: likewise
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	shr.u32         %^rest, %^n, <sampling>;
#if sampled                                     # in each row of 2^n blocks another one counts, not all on few multiprocessors
	add.u32         %^n, %^n, %^rest;       # CANNOT: the test has two blocks
#end
	and.b32         %^rest, %^rest, <copies>;       # CANNOT: the test has two blocks
#if atomics
	xor.b32         %^beside, %^rest, 1;
#end
	mov.u64         %^base, <counters>;
	mad.wide.u32    %^base, %^rest, <apart>, %^base;
#if sampled                                     # the other blocks run the second body, which stands behind this one
	and.b32         %^n, %^n, <others>;     # CANNOT: the test has two blocks
	setp.ne.u32     %^more, %^n, 0;
	@%^more bra.uni $^plain;
#end

=== names
	.pred   first more
	.b32    mask lower come n most rest one sum by squares apart beside
	.b64    at base wide line other

=== who
	activemask.b32  %^mask;
	and.b32         %^n, %^mask, %^lower;
	setp.eq.u32     %^first, %^n, 0;

=== together                                    # lanes that come together are counted by their number, as many in a row at once
	#who
	popc.b32        %^n, %^mask;
	setp.ne.and.u32 %^more, %^n, %^like<k>, %^first;
	mad.wide.u32    %^at, %^like<k>, 8, %^base;
	@%^more red.global.add.u64      [%^at+<offset>], %^times<k>;
	@%^more mov.u64 %^times<k>, 0;
	@%^more mov.u32 %^like<k>, %^n;
	@%^first add.u64        %^times<k>, %^times<k>, 1;

=== begun                                       # lanes that come together, and how often any do
	#who
	mov.u32         %^come, 1;
	add.u32         %^lanes<number>, %^lanes<number>, 1;
	@%^first add.u32        %^warps<number>, %^warps<number>, 1;

=== begin
	mov.u32         %^lower, %lanemask_lt;
	mov.u32         %^come, 0;      # CANNOT: registers of the emulator begin with 0
	mov.u32         %^n, 0;         # CANNOT: likewise

=== zero
	mov.b<bits>     <mine>, 0;      # CANNOT: likewise

=== zero_row
#if block
	st.local.v4.u32 [<own>+<row>], {%^n, %^n, %^n, %^n};    # CANNOT: memory of the emulator begins with 0
#else
	st.local.v2.u32 [<own>+<row>], {%^n, %^n};              # CANNOT: likewise
#end

=== get
#if block
	ld.local.v4.u32 {%^sum, %^by, %^squares, %^apart}, [<own>+<row>];
#else
	ld.local.v2.u32 {%^sum, %^by}, [<own>+<row>];
#end

=== launch                                      # the grid's first thread
	mov.u32         %^n, %tid.x;
	mov.u32         %^one, %tid.y;          # CANNOT: blocks of the test have one dimension
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %tid.z;          # CANNOT: likewise
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %ctaid.x;
	or.b32          %^n, %^n, %^one;
	mov.u32         %^one, %ctaid.y;        # CANNOT: grids of the test have one dimension
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %ctaid.z;        # CANNOT: likewise
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
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

=== begun_launch
$^begun:

=== trip
	add.u32         %^trips<number>, %^trips<number>, 1;

=== update                                      # lanes that do an atomic operation together: are they where those of another block were last?
#if guarded
	@<stays> bra    $^past<place>;
#end
	mov.u64         %^line, <address>;
#if generic
	isspacep.global %^more, %^line;
	@!%^more bra    $^past<place>;
#end
	mov.u32         %^n, %warpid;                   # of a lane's one in 32 is compared, since that waits for a load;
	mad.lo.u32      %^n, %^n, 15, %^updates<k>;     # warps do not begin alike
	and.b32         %^n, %^n, 31;
	setp.ne.u32     %^more, %^n, 0;
	add.u32         %^updates<k>, %^updates<k>, 1;
	@%^more bra     $^past<place>;
#if offset
	add.s64         %^line, %^line, <bytes>;
#end
	shr.u64         %^line, %^line, 7;
	#who
	mov.u64         %^at, <counters>;
	mad.wide.u32    %^at, %^beside, <apart>, %^at;
	ld.relaxed.gpu.global.u64       %^other, [%^at+<last>];
	@%^first atom.global.exch.b64   %^wide, [%^base+<last>], %^line;
	setp.ne.u64     %^more, %^other, 0;
	@%^more add.u32 %^compared<k>, %^compared<k>, 1;
	setp.eq.u64     %^more, %^other, %^line;
	@%^more add.u32 %^same<k>, %^same<k>, 1;
$^past<place>:

=== left                                        # lanes that leave together
	#who                                    # CANNOT: the lanes are those that came last

=== trips                                       # of one number
	#most
	#get
	add.u32         %^sum, %^sum, %^trips<number>;
	@%^first add.u32        %^by, %^by, %^most;
	max.u32         %^top<number>, %^top<number>, %^trips<number>;
#if block
	min.u32         %^n, %^trips<number>, 11585;
	mad.lo.u32      %^squares, %^n, %^n, %^squares;
#if repeats
	sub.s32         %^n, %^trips<number>, %^then<number>;
	abs.s32         %^n, %^n;
	min.u32         %^n, %^n, 11585;        # CANNOT: no lane of the test is so far from its last run
	mul.lo.u32      %^one, %^n, %^ran<cut>;
	mad.lo.u32      %^apart, %^n, %^one, %^apart;
	mov.u32         %^then<number>, %^trips<number>;
#end
#end
	mov.u32         %^trips<number>, 0;
	or.b32          %^n, %^sum, %^by;       # CANNOT: no lane of the test counts so far
#if block
	or.b32          %^n, %^n, %^squares;    # CANNOT: likewise
	or.b32          %^n, %^n, %^apart;      # CANNOT: likewise
#end
	setp.ge.s32     %^more, %^n, 0;         # CANNOT: likewise
	@%^more bra     $^fits<place>_<number>;         # CANNOT: it is told before the end
	#spill                                  # CANNOT: no lane of the test counts so far
$^fits<place>_<number>:
#if block
	st.local.v4.u32 [<own>+<row>], {%^sum, %^by, %^squares, %^apart};
#else
	st.local.v2.u32 [<own>+<row>], {%^sum, %^by};
#end

=== spill                                       # a row, before it has too much
	cvt.u64.u32     %^wide, %^sum;          # CANNOT: no lane of the test counts so far
	red.global.add.u64      [%^base+<offset>], %^wide;      # CANNOT: likewise
	mov.u32         %^sum, 0;               # CANNOT: likewise
	cvt.u64.u32     %^wide, %^by;           # CANNOT: likewise
	red.global.add.u64      [%^base+<second>], %^wide;      # CANNOT: likewise
	mov.u32         %^by, 0;                # CANNOT: likewise
#if block
	cvt.u64.u32     %^wide, %^squares;      # CANNOT: likewise
	red.global.add.u64      [%^base+<sixth>], %^wide;       # CANNOT: likewise
	mov.u32         %^squares, 0;           # CANNOT: likewise
	cvt.u64.u32     %^wide, %^apart;        # CANNOT: likewise
	red.global.add.u64      [%^base+<seventh>], %^wide;     # CANNOT: likewise
	mov.u32         %^apart, 0;             # CANNOT: likewise
#end

=== ran
	add.u32         %^again<cut>, %^again<cut>, %^ran<cut>;
	mov.u32         %^ran<cut>, 1;

=== most                                        # of the lanes' <mine>, the largest
#if redux
	redux.sync.max.u32      %^most, <mine>, %^mask;
#else
	mov.u32         %^most, 0;
	mov.u32         %^rest, %^mask;
$^lane<place>_<number>:
	brev.b32        %^n, %^rest;
	clz.b32         %^n, %^n;
	shfl.sync.idx.b32       %^one, <mine>, %^n, 31, %^mask;
	max.u32         %^most, %^most, %^one;
	sub.u32         %^n, %^rest, 1;
	and.b32         %^rest, %^rest, %^n;
	setp.ne.u32     %^more, %^rest, 0;
	@%^more bra.uni $^lane<place>_<number>;
#end

=== ends                                        # lanes that end together
#if guarded
	@<stays> bra    $^told<place>;
#end
	setp.eq.u32     %^more, %^come, 0;
	@%^more bra     $^told<place>;          # CANNOT: they add 0
	#who
	mov.u64         %^at, <counters>;

=== tell                                        # their sum, unless it may be too much for 32 bits
#if redux
	redux.sync.add.u32      %^n, <mine>, %^mask;
	setp.gt.u32     %^more, <mine>, 0x7ffffff;              # CANNOT: no lane of the test counts so far
	vote.sync.any.pred      %^more, %^more, %^mask;         # CANNOT: likewise
	selp.b32        %^n, <mine>, %^n, %^more;               # CANNOT: likewise
	or.pred         %^more, %^more, %^first;
	cvt.u64.u32     %^wide, %^n;
	@%^more red.global.add.u64      [%^base+<offset>], %^wide;
#else
	cvt.u64.u32     %^wide, <mine>;
	red.global.add.u64      [%^base+<offset>], %^wide;
#end

=== tell_most
	#most
	cvt.u64.u32     %^wide, %^most;
	@%^first red.global.max.u64     [%^at+<offset>], %^wide;

=== tell_like                                   # of whom each has counted last
	setp.ne.u64     %^more, %^times<k>, 0;
	mad.wide.u32    %^wide, %^like<k>, 8, %^base;
	@%^more red.global.add.u64      [%^wide+<offset>], %^times<k>;

=== told
$^told<place>:

=== ended                                       # the text that counts, whose end another one stands behind
	ret;            # CANNOT: kernels of the test may run twice

=== plain
$^plain:
