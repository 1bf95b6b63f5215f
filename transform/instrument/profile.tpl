# SPDX-License-Identifier: MIT
# profile.tpl: counts how often lanes reach the profile points of a function (instrument.c; analysis/region/profile_points.h). Nothing else changes.
#
# %^mask %^first lanes that are here together; the first of them counts for all
# %^base         the copy of the counters that this block updates, since atomic operations on one address are serialized
# %^at           the first copy, which alone contains maxima; or the counter for a number of lanes
# <own>          local memory: for each number a row of a lane's partial sums, which are added to the counters when the lane ends, or before a sum
#                exceeds 32 bits:
# %^sum %^by             total; maxima over lanes that left together, which the first of them adds
# %^squares %^apart      squares of the executions in a run; squares of their difference from the previous run
#
# %^trips<k>     executions of number k by this lane in this run  %^top<k> %^then<k>      maximum over its runs; value of its last run
# %^ran<k> %^again<k>    1: this lane has run the profile point of number k; its repeated runs
# %^like<k> %^times<k>   lanes that reached profile point k together when this lane was first; consecutive arrivals with that number
# %^updates<k> %^compared<k> %^same<k>   atomic operations of profile point k on global memory; those compared; those in the same line of 128 bytes
# %^beside       the copy next to this block's: in each copy a statement has a word for the last line of the blocks that update it
# %^lanes<k> %^warps<k>  arrivals of this lane at place k; those as the first of its group. %^come: 1: it has reached any

=== head
	#declare names
	mov.u32         %^n, %ctaid.x;
	mov.u32         %^mask, %ctaid.y;       # CANNOT: the test has one-dimensional grids
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	mov.u32         %^mask, %ctaid.z;       # CANNOT: likewise
	add.u32         %^n, %^n, %^mask;       # CANNOT: likewise
	shr.u32         %^rest, %^n, <sampling>;
#if sampled                                     # in each group of 2^n blocks a different one counts, to spread them over multiprocessors
	add.u32         %^n, %^n, %^rest;       # CANNOT: the test has two blocks
#end
	and.b32         %^rest, %^rest, <copies>;       # CANNOT: the test has two blocks
#if atomics
	xor.b32         %^beside, %^rest, 1;
#end
	mov.u64         %^base, <counters>;
	mad.wide.u32    %^base, %^rest, <apart>, %^base;
#if sampled                                     # the other blocks run the second body, which follows this one
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

=== together                                    # arrivals are counted by their number of lanes, consecutive equal ones at once
	#who
	popc.b32        %^n, %^mask;
	setp.ne.and.u32 %^more, %^n, %^like<k>, %^first;
	mad.wide.u32    %^at, %^like<k>, 8, %^base;
	@%^more red.global.add.u64      [%^at+<offset>], %^times<k>;
	@%^more mov.u64 %^times<k>, 0;
	@%^more mov.u32 %^like<k>, %^n;
	@%^first add.u64        %^times<k>, %^times<k>, 1;

=== begun                                       # arrivals of lanes, and of groups of lanes
	#who
	mov.u32         %^come, 1;
	add.u32         %^lanes<number>, %^lanes<number>, 1;
	@%^first add.u32        %^warps<number>, %^warps<number>, 1;

=== begin
	mov.u32         %^lower, %lanemask_lt;
	mov.u32         %^come, 0;      # CANNOT: the emulator initialises registers with 0
	mov.u32         %^n, 0;         # CANNOT: likewise

=== zero
	mov.b<bits>     <mine>, 0;      # CANNOT: likewise

=== zero_row
#if block
	st.local.v4.u32 [<own>+<row>], {%^n, %^n, %^n, %^n};    # CANNOT: the emulator initialises memory with 0
#else
	st.local.v2.u32 [<own>+<row>], {%^n, %^n};              # CANNOT: likewise
#end

=== get
#if block
	ld.local.v4.u32 {%^sum, %^by, %^squares, %^apart}, [<own>+<row>];
#else
	ld.local.v2.u32 {%^sum, %^by}, [<own>+<row>];
#end

=== launch                                      # the first thread of the grid
	mov.u32         %^n, %tid.x;
	mov.u32         %^one, %tid.y;          # CANNOT: the test has one-dimensional blocks
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %tid.z;          # CANNOT: likewise
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %ctaid.x;
	or.b32          %^n, %^n, %^one;
	mov.u32         %^one, %ctaid.y;        # CANNOT: the test has one-dimensional grids
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %ctaid.z;        # CANNOT: likewise
	or.b32          %^n, %^n, %^one;        # CANNOT: likewise
	setp.ne.u32     %^more, %^n, 0;
	@%^more bra     $^begun;
	mov.u64         %^at, <counters>;
	red.global.add.u64      [%^at+<offset>], 1;
	mov.u32         %^n, %ntid.x;
	mov.u32         %^one, %ntid.y;         # CANNOT: the test has one-dimensional blocks
	mul.lo.u32      %^n, %^n, %^one;        # CANNOT: likewise
	mov.u32         %^one, %ntid.z;         # CANNOT: likewise
	mul.lo.u32      %^n, %^n, %^one;        # CANNOT: likewise
	cvt.u64.u32     %^wide, %^n;
	red.global.max.u64      [%^at+<largest>], %^wide;

=== launched                                    # the maximum of the previous launch
	atom.global.exch.b64    %^wide, [%^at+<third>], 0;
	red.global.add.u64      [%^at+<fourth>], %^wide;
#if block
	red.global.max.u64      [%^at+<fifth>], %^wide;
#end

=== begun_launch
$^begun:

=== trip
	add.u32         %^trips<number>, %^trips<number>, 1;

=== update                                      # atomic operation of a group of lanes: is its line the last one of another block?
#if guarded
	@<stays> bra    $^past<place>;
#end
	mov.u64         %^line, <address>;
#if generic
	isspacep.global %^more, %^line;
	@!%^more bra    $^past<place>;
#end
	mov.u32         %^n, %warpid;                   # one in 32 of a lane's is compared, because that waits for a load;
	mad.lo.u32      %^n, %^n, 15, %^updates<k>;     # warps start at different ones
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
	#who                                    # CANNOT: the group is still that of the last arrival

=== trips                                       # for one number
	#most
	#get
	add.u32         %^sum, %^sum, %^trips<number>;
	@%^first add.u32        %^by, %^by, %^most;
	max.u32         %^top<number>, %^top<number>, %^trips<number>;
#if block
	min.u32         %^n, %^trips<number>, 11585;
	mad.lo.u32      %^squares, %^n, %^n, %^squares;
#if comparable_runs
	sub.s32         %^n, %^trips<number>, %^then<number>;
	abs.s32         %^n, %^n;
	min.u32         %^n, %^n, 11585;        # CANNOT: no lane in the test differs that much from its last run
	mul.lo.u32      %^one, %^n, %^ran<cut>;
	mad.lo.u32      %^apart, %^n, %^one, %^apart;
	mov.u32         %^then<number>, %^trips<number>;
#end
#end
	mov.u32         %^trips<number>, 0;
	or.b32          %^n, %^sum, %^by;       # CANNOT: no lane in the test counts that far
#if block
	or.b32          %^n, %^n, %^squares;    # CANNOT: likewise
	or.b32          %^n, %^n, %^apart;      # CANNOT: likewise
#end
	setp.ge.s32     %^more, %^n, 0;         # CANNOT: likewise
	@%^more bra     $^fits<place>_<number>;         # CANNOT: the sum is then reported before the end
	#spill                                  # CANNOT: no lane in the test counts that far
$^fits<place>_<number>:
#if block
	st.local.v4.u32 [<own>+<row>], {%^sum, %^by, %^squares, %^apart};
#else
	st.local.v2.u32 [<own>+<row>], {%^sum, %^by};
#end

=== spill                                       # reports a row before it overflows
	cvt.u64.u32     %^wide, %^sum;          # CANNOT: no lane in the test counts that far
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

=== most                                        # maximum of <mine> over the lanes
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

=== tell                                        # reports their sum, separately if it may exceed 32 bits
#if redux
	redux.sync.add.u32      %^n, <mine>, %^mask;
	setp.gt.u32     %^more, <mine>, 0x7ffffff;              # CANNOT: no lane in the test counts that far
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

=== tell_like                                   # reports the last count of each lane
	setp.ne.u64     %^more, %^times<k>, 0;
	mad.wide.u32    %^wide, %^like<k>, 8, %^base;
	@%^more red.global.add.u64      [%^wide+<offset>], %^times<k>;

=== told
$^told<place>:

=== ended                                       # end of the counting body, which another one follows
	ret;            # CANNOT: the kernels in the test may run twice

=== plain
$^plain:
