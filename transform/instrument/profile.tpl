# SPDX-License-Identifier: MIT
# profile.tpl: counts how often lanes reach the profile points of a function (instrument.c; analysis/region/profile_points.h). Nothing else changes.
#
# %^mask %^first lanes that are here together; the first of them counts for all
# %^base         the copy of the counters that this block updates, since atomic operations on one address are serialized
# %^at           the first copy, which alone contains maxima; or the counter for a number of lanes
# <own>          local memory: for each number a row of a lane's partial sums, which are added to the counters when the lane ends, or before a sum
#                exceeds 32 bits:
# %^sum %^by             total; this lane's part of the maxima over the lanes of an entry
# %^squares %^apart      squares of the executions in a run; squares of their difference from the previous run
#
# %^trips<k>     executions of number k by this lane in this run  %^top<k> %^then<k>      maximum over its runs; value of its last run
# %^ran<k> %^again<k>    1: this lane has run the profile point of number k; its repeated runs
# %^like<k> %^times<k>   lanes that reached profile point k together when this lane was first; consecutive arrivals with that number
# %^updates<k> %^compared<k> %^same<k>   atomic operations of profile point k on global memory; those compared; those in the same line of 128 bytes
# An entry is an execution of profile point k by lanes that began it together. Its maximum over these lanes is the sum of what each adds:
# %^began<k>     the lanes that began this lane's current entry; 0: it is in none
# %^key<k>       the entry's row of <rows>, from 1, and the row's use (upper 32 bits); 0: it has no row
# %^free<d>      likewise, a row for the next entry that this lane is the first of
# <rows>         a row: a word with its last use, and 0 if it is free, else 64 and the lanes that have left the entry; for each number a word with
#                the last use, and the maximum over the lanes that have left
# %^whole        1: every lane here that is in an entry is in the same one, whose lanes are all here
# %^rise         what this lane adds to the sum of the maxima
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
	.pred   first more whole
	.b32    mask lower come n most rest one sum by squares apart beside here rise
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

=== enter                                       # lanes that have entered together: they agree on a row, unless there is only one
	mov.u32         %^began<k>, %^mask;
	setp.eq.u32     %^more, %^n, 1;
	@%^more bra     $^entered<place>;       # CANNOT: an entry of one lane needs no row
	setp.ne.u64     %^more, %^free<d>, 0;
	not.pred        %^whole, %^first;
	or.pred         %^more, %^more, %^whole;
	@%^more bra     $^given<place>;
	#claim
$^given<place>:
	mov.b64         {%^n, %^one}, %^free<d>;
	brev.b32        %^rest, %^mask;
	clz.b32         %^rest, %^rest;
	shfl.sync.idx.b32       %^n, %^n, %^rest, 31, %^mask;
	shfl.sync.idx.b32       %^one, %^one, %^rest, 31, %^mask;
	mov.b64         %^key<k>, {%^n, %^one};
	@%^first mov.b64        %^free<d>, 0;
$^entered<place>:

=== claim                                       # a free row for this lane; none if 64 of them are in use
	mov.u32         %^n, %smid;             # CANNOT: the search may begin anywhere
	mov.u32         %^rest, %warpid;        # CANNOT: likewise
	mad.lo.u32      %^n, %^n, 64, %^rest;   # CANNOT: likewise
	popc.b32        %^rest, %^lower;        # CANNOT: likewise
	mad.lo.u32      %^n, %^n, 24571, %^rest;        # CANNOT: likewise
	mov.u32         %^rest, 64;
$^claim<place>:
	and.b32         %^n, %^n, <last_row>;
	mov.u64         %^at, <rows>;
	mad.wide.u32    %^at, %^n, 8, %^at;
	atom.global.or.b64      %^wide, [%^at], 0;
	add.u64         %^other, %^wide, 64;
	mov.b64         {%^one, %^most}, %^wide;
	setp.ne.u32     %^more, %^one, 0;
	@%^more bra     $^next<place>;
	atom.global.cas.b64     %^line, [%^at], %^wide, %^other;
	setp.ne.u64     %^more, %^line, %^wide;
	@%^more bra     $^next<place>;          # CANNOT: no other lane takes the row in between
	add.u32         %^n, %^n, 1;
	add.u32         %^most, %^most, 1;
	mov.b64         %^free<d>, {%^n, %^most};
	bra             $^given<place>;
$^next<place>:
	add.u32         %^n, %^n, 1;
	sub.u32         %^rest, %^rest, 1;      # CANNOT: there are enough rows
	setp.ne.u32     %^more, %^rest, 0;      # CANNOT: likewise
	@%^more bra     $^claim<place>;

=== free                                        # a row that no lane uses
	mov.b64         {%^n, %^one}, <held>;
	mov.u64         %^line, <rows>;
	mad.wide.u32    %^line, %^n, 8, %^line;
	mov.u32         %^n, 0;
	mov.b64         %^wide, {%^n, %^one};
	atom.global.exch.b64    %^wide, [%^line+-8], %^wide;

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
	#who
	setp.ne.u32     %^more, %^began<k>, 0;
	vote.sync.ballot.b32    %^here, %^more, %^mask; # CANNOT: the lanes would leave one by one, with equal counts
	setp.eq.u32     %^whole, %^began<k>, %^here;
	not.pred        %^more, %^more;
	or.pred         %^whole, %^whole, %^more;       # CANNOT: likewise
	vote.sync.all.pred      %^whole, %^whole, %^mask;

=== trips                                       # for one number
	@%^whole bra    $^whole<place>_<number>;
	#rise
	bra             $^risen<place>_<number>;
$^whole<place>_<number>:
	#most
	selp.b32        %^rise, %^most, 0, %^first;
$^risen<place>_<number>:
	#get
	add.u32         %^sum, %^sum, %^trips<number>;
	add.u32         %^by, %^by, %^rise;
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

=== rise                                        # by how much <mine> raises the maximum over the lanes that have left the entry
	mov.u32         %^rise, <mine>;
	setp.eq.u64     %^more, %^key<k>, 0;
	@%^more bra     $^risen<place>_<number>;
	mov.b64         {%^n, %^one}, %^key<k>;
	mov.u64         %^at, <rows>;
	mad.wide.u32    %^at, %^n, 8, %^at;
	mov.b64         %^wide, {<mine>, %^one};
	atom.global.max.u64     %^wide, [%^at+<word>], %^wide;
	mov.b64         {%^n, %^rest}, %^wide;
	setp.eq.u32     %^more, %^rest, %^one;  # else this lane is the first to leave
	min.u32         %^n, %^n, <mine>;
	@%^more sub.u32 %^rise, %^rise, %^n;

=== gone                                        # the first lane of a whole entry keeps the row, otherwise the last one frees it
	setp.eq.u64     %^more, %^key<k>, 0;
	@%^more bra     $^gone<place>;
	@%^whole bra    $^kept<place>;          # CANNOT: the row would be freed, and another one claimed
	#depart
	bra             $^gone<place>;
$^kept<place>:
	and.b32         %^n, %^began<k>, %^lower;
	setp.ne.u32     %^more, %^n, 0;
	@%^more bra     $^gone<place>;
	setp.ne.u64     %^more, %^free<d>, 0;   # CANNOT: no profile points of the test overlap without being nested
	@!%^more mov.b64        %^free<d>, %^key<k>;
	@!%^more bra    $^gone<place>;
	#free                                   # CANNOT: likewise
$^gone<place>:
	mov.u32         %^began<k>, 0;          # CANNOT: no lane of the test returns to `left` while others are in its last entry
	mov.b64         %^key<k>, 0;

=== depart                                      # a lane leaves its entry without the others
	mov.b64         {%^n, %^one}, %^key<k>;
	mov.u64         %^line, <rows>;
	mad.wide.u32    %^line, %^n, 8, %^line;
	membar.gl;                              # CANNOT: the emulator keeps the order
	atom.global.add.u64     %^wide, [%^line+-8], 1;
	cvt.u32.u64     %^n, %^wide;
	sub.u32         %^n, %^n, 63;           # it was 64 and the lanes that had left
	popc.b32        %^rest, %^began<k>;
	setp.ne.u32     %^more, %^n, %^rest;
	@%^more bra     $^<after><place>;
	#free

=== abandon                                     # a lane ends in an entry
	setp.eq.u64     %^more, %^key<k>, 0;
	@%^more bra     $^<after><place>;
	#depart
$^<after><place>:

=== release                                     # a lane's own row
	setp.eq.u64     %^more, <mine>, 0;
	@%^more bra     $^released<place>_<number>;
	#free
$^released<place>_<number>:

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
