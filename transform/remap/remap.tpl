# SPDX-License-Identifier: MIT
# remap.tpl: the threads of a block exchange work before a branch (remap_plan.c; docs/proofs/remap.md).
#
# %^path   the path that the thread reached; <paths>: none     %^thread its number in the block      %^block  threads of the block
# %^left   the exit that it took; <stays>: none                %^warp   its warp's number            %^lane   its lane
# %^want   it has a task                                       %^moved  tasks have been exchanged    %^base   the block's buffer
# %^run    the path that it executes                           %^owner  the owner of that task
# %^slot   a task's place in the order of paths                %^all    tasks of the block

=== head                                        # at the start of the kernel: all edges to `meet` use these
	#declare names
	#registers
	.shared .align 16 .b8 ^tasks[<bytes>];

=== names
	.pred   want is moved big first in found
	.b32    path left thread block nx ny nz ty tz warp lane base slot all gain run owner mine votes n k end at mask bits idle
	.b32    at1 at2 at4 at8 at16 head tail n0 n1 n2 n3
	.b32    count0 count1 count2 count3 count4 count5 count6 count7 # counts of the warp: a byte for each path, and one for the number of paths
	.b32    below0 below1 below2 below3 below4 below5 below6 below7 # a 1 in the byte of each path before the thread's
	.b32    upto0 upto1 upto2 upto3 upto4 upto5 upto6 upto7         # the same, and in the byte of its own path
	.b32    seen0 seen1 seen2 seen3 seen4 seen5 seen6 seen7         # a byte is not 0 if the block has tasks of this key

=== come                                        # replaces an arm's begin marker
#if keyed                                       # %^path is the key if that is small, else a hash of it
	mul.lo.u32      %^n, <key>, 0x9e3779b1;
	mul.hi.u32      %^n, %^n, <paths>;
	setp.lt.u32     %^is, <key>, <paths>;
	selp.b32        %^path, <key>, %^n, %^is; # R5, R10
#else
	mov.u32         %^path, <q>;
#end
#if holds_threads
	mov.u32         %^left, <stays>;
#end
	bra             $^meet;                 # R1

=== hold                                        # a thread leaves
$^hold<k>:
	mov.u32         %^path, <paths>;
	mov.u32         %^left, <k>;            # R1
	bra             $^meet;                 # R1

=== leaf                                        # an edge leads to a path that begins without a marker
$^leaf<q>:
	#come

=== body                                        # replaces the first arm's begin marker
#if is_path
	#come
#else                                           # other conditions follow in the arm
	bra             $^on;
#end
	#leaves                                 # R1, R9
#if bypass                                      # a thread bypasses all paths
$^none:
	mov.u32         %^path, <paths>;        # R1, R9
 #if holds_threads
	mov.u32         %^left, <stays>;
 #end
	bra             $^meet;
#end
	#hold_back                              # R1
$^meet:                                          // ccc: branch at line <line>, <paths> paths, policy <policy>
	#again                                  # R7
	mov.u32         %^thread, %tid.x;       # x + nx * (y + ny * z)
#if three_dims
	mov.u32         %^tz, %tid.z;
	mov.u32         %^ny, %ntid.y;
	mov.u32         %^ty, %tid.y;
	mad.lo.u32      %^ty, %^tz, %^ny, %^ty;
#end
#if two_dims
	mov.u32         %^ty, %tid.y;
#end
#if many_dims
	mov.u32         %^nx, %ntid.x;
	mad.lo.u32      %^thread, %^ty, %^nx, %^thread;
#end
	mov.u32         %^block, %ntid.x;
	mov.u32         %^ny, %ntid.y;
	mov.u32         %^nz, %ntid.z;
	mul.lo.u32      %^block, %^block, %^ny;
	mul.lo.u32      %^block, %^block, %^nz;
	mov.pred        %^moved, 0;             # R4
	setp.lt.u32     %^want, %^path, <paths>; # R5
#if check_threads                               # the buffer serves fewer threads
	setp.gt.u32     %^big, %^block, <threads>;
	@%^big bra.uni  $^plain;                # R4
#end
	shr.u32         %^warp, %^thread, 5;
	and.b32         %^lane, %^thread, 31;
	mov.u32         %^base, ^tasks;
	#sort                                   # R4
	bra             $^work;
$^plain:                                         # each thread executes the path that it reached
	mov.u32         %^run, %^path;
	#take_own                               # R7
$^work:
	#compute                                # R7: values that are not saved, from those that are
	#dispatch                               # R9
	bra             $^idle;
	#path_blocks                            # R7, R9
$^ran:
#if results
	@%^moved bra    $^give;
	#keep_results                           # R8
	bra             $^idle;
$^give:
	mov.u32         %^slot, %^owner;        # R8
	#result_addresses
	#give_results                           # R8
#end
$^idle:
#if waits_for_helpers
	@!%^moved bra.uni $^go;                 # R4
	barrier.sync    0;                      # R4, R6: what helpers wrote becomes visible
 #if results
	mov.u32         %^slot, %^thread;
	#result_addresses
	#take_results                           # R8
 #end
#end
$^go:
#if holds_threads
 #if arrives_repeatedly
	setp.ne.u32     %^is, %^left, <stays>;
  #if check_threads
	@%^big bra.uni  $^gone;
  #end
	@%^is bra       $^meet;                 # R1
$^gone:
 #end
	#ways_out
#end
	bra             <join>;
#if is_path
#else
$^on:
#end

# ---- partition: counts by ballots; the order of tasks within a path is preserved --------------------------------------------

=== partition
	setp.eq.u32     %^first, %^lane, 0;
	mov.u32         %^mine, 0;	# CANNOT: only threads with a task read it, and they set it
	mov.u32         %^k, 0;
#each word
	mov.u32         <count>, 0;
#end
#if partial_warps                               # lanes that the warp has
	and.b32         %^n, %^thread, -32;
	sub.u32         %^n, %^block, %^n;
	min.u32         %^n, %^n, 32;
	sub.u32         %^n, 32, %^n;
	mov.u32         %^mask, -1;
	shr.u32         %^mask, %^mask, %^n;	# CANNOT: a vote waits for existing lanes only
#end
#each path
	setp.eq.u32     %^is, %^path, <q>;
	vote.sync.ballot.b32    %^votes, %^is, <mask>; # R4
	@%^is mov.b32   %^mine, %^votes;        # R5
	popc.b32        %^n, %^votes;
	mad.lo.u32      <count>, %^n, <unit>, <count>; # R5
	min.u32         %^n, %^n, 1;
	add.u32         %^k, %^k, %^n;
#end
	mad.lo.u32      <last_count>, %^k, <last_unit>, <last_count>;
	mad.lo.u32      %^at, %^warp, <stride>, %^base;
#each word
	@%^first st.shared.u32  [%^at+<offset>], <count>; # R5
#end
	#all_come                               # R4
	shl.b32         %^n, %^path, 3;
#each word
 #if later
	sub.u32         %^n, %^n, 32;
 #end
	mov.u32         %^at, 1;
	shl.b32         <upto>, %^at, %^n;
 #if later
	max.s32         %^k, %^n, 0;
	shl.b32         <below>, %^at, %^k;
	sub.u32         <below>, <below>, 1;
 #else
	sub.u32         <below>, <upto>, 1;
 #end
	and.b32         <below>, <below>, 0x01010101;
	or.b32          <upto>, <upto>, <below>;
#end
	mov.u32         %^slot, 0;
	mov.u32         %^all, 0;
	mov.u32         %^gain, 0;
	mov.u32         %^k, 0;
#if keyed
 #each word
	mov.u32         <seen>, 0;
 #end
#end
	mov.u32         %^at, %^base;
	add.u32         %^end, %^block, 31;
	shr.u32         %^end, %^end, 5;
$^sum:                                           # over all warps' counts: those of earlier paths, and of its own path in earlier warps
	setp.lt.u32     %^is, %^k, %^warp;
#each word
	ld.shared.u32   <count>, [%^at+<offset>];
	selp.b32        %^n, <upto>, <below>, %^is;
	dp4a.u32.u32    %^slot, <count>, %^n, %^slot; # R5
	dp4a.u32.u32    %^all, <count>, <ones>, %^all; # R5
	dp4a.u32.s32    %^gain, <count>, <gains>, %^gain; # R4
 #if keyed
	or.b32          <seen>, <seen>, <count>;
 #end
#end
	add.u32         %^at, %^at, <stride>;
	add.u32         %^k, %^k, 1;
	setp.lt.u32     %^is, %^k, %^end;
	@%^is bra.uni   $^sum;
#if keyed                                       # only keys that the block has count
 #each word
	add.u32         %^n, <seen>, 0x7f7f7f7f; # the upper bit of a byte: it is not 0; it was below 64
	and.b32         %^n, %^n, <tops>;
	popc.b32        %^n, %^n;
	mad.lo.s32      %^gain, %^n, -32, %^gain;
 #end
	setp.ge.s32     %^is, %^gain, 0;
#else
	setp.ge.s32     %^is, %^gain, <least>;  # whether sorting reduces the number of pairs of a warp and a path
#end
	@%^is bra.uni   $^exchange;             # R4
	#stay
$^exchange:
	mov.u32         %^n, %lanemask_lt;
	and.b32         %^n, %^n, %^mine;
	popc.b32        %^n, %^n;
	add.u32         %^slot, %^slot, %^n;    # R5
	#put_task                               # R6, R7
	mov.pred        %^moved, -1;            # R4
	barrier.sync    0;                      # R4, R6
	setp.lt.u32     %^is, %^thread, %^all;  # R5
	@!%^is bra      $^idle;
	#take_task                              # R5, R7

# ---- hot: Head-or-Tail; tasks of one path from the front, those of the other from the back ----------------------------------

=== hot
	setp.eq.u32     %^first, %^thread, 0;
	sub.u32         %^tail, %^block, 1;
	@%^first st.shared.u32  [%^base+0], 0;
	@%^first st.shared.u32  [%^base+4], %^tail;
	#all_come                               # R4
	mov.u32         %^slot, 0;              # CANNOT: a thread without a task stores nothing there
	setp.eq.u32     %^is, %^path, 0;
	@%^is atom.shared.add.u32       %^slot, [%^base+0], 1; # R5
	setp.eq.u32     %^is, %^path, <other>;
	@%^is atom.shared.add.u32       %^slot, [%^base+4], -1; # R5
	#put_task                               # R6, R7
	barrier.sync    0;                      # R4, R6
	ld.shared.u32   %^head, [%^base+0];
	ld.shared.u32   %^tail, [%^base+4];
	setp.eq.u32     %^is, %^head, %^block;
	setp.eq.or.s32  %^is, %^tail, -1, %^is;
	@!%^is bra.uni  $^exchange;             # R4
	#stay                                   # all threads have the same path
$^exchange:
	mov.pred        %^moved, -1;            # R4
	setp.lt.u32     %^is, %^thread, %^head; # R5
	setp.gt.or.s32  %^is, %^thread, %^tail, %^is; # R5
	@!%^is bra      $^idle;
	#take_task                              # R5, R7

# ---- dgi: Data Group Indexing; tasks are counted by path and neighbourhood, and a thread searches for its task --------------

=== dgi
	mov.u32         %^k, %^thread;
$^zero:
	setp.ge.u32     %^is, %^k, <counters>;
	@%^is bra       $^zeroed;
	mad.lo.u32      %^at, %^k, 4, %^base;
	st.shared.u32   [%^at], 0;
	add.u32         %^k, %^k, %^block;
	bra             $^zero;
$^zeroed:
	add.u32         %^at, %^base, %^thread;
	st.shared.u8    [%^at+<pool>], %^path;  # R5
	mov.u32         %^slot, %^thread;
	#addresses
	#push                                   # R6, R7
	#all_come                               # R4
	shr.u32         %^n, %^thread, <shift>;
	mad.lo.u32      %^n, %^path, <groups>, %^n;
	mad.lo.u32      %^at, %^n, 4, %^base;
	@%^want red.shared.add.u32      [%^at], 1; # R5
	barrier.sync    0;                      # R4, R6
	mov.u32         %^run, <paths>;
	mov.u32         %^k, 0;
	mov.u32         %^at, %^base;
$^path:                                          # the path of the task with this number among all
	mov.u32         %^all, 0;
	mov.u32         %^n, 0;
$^group:
	ld.shared.v4.u32        {%^n0, %^n1, %^n2, %^n3}, [%^at];
	add.u32         %^all, %^all, %^n0;
	add.u32         %^all, %^all, %^n1;
	add.u32         %^all, %^all, %^n2;
	add.u32         %^all, %^all, %^n3;
	add.u32         %^at, %^at, 16;
	add.u32         %^n, %^n, 4;
	setp.lt.u32     %^is, %^n, <groups>;
	@%^is bra.uni   $^group;
	setp.eq.u32     %^is, %^all, %^block;
	@%^is bra.uni   $^agreed;               # R4
	setp.eq.u32     %^found, %^run, <paths>;
	setp.lt.and.u32 %^is, %^slot, %^all, %^found;
	@%^is mov.u32   %^run, %^k;             # R5
	setp.eq.u32     %^found, %^run, <paths>;
	@%^found sub.u32        %^slot, %^slot, %^all; # R5
	add.u32         %^k, %^k, 1;
	setp.lt.u32     %^is, %^k, <paths>;
	@%^is bra.uni   $^path;
	mov.pred        %^moved, -1;            # R4
	setp.eq.u32     %^is, %^run, <paths>;
	@%^is bra       $^idle;
	mul.lo.u32      %^at, %^run, <groups>;
	mad.lo.u32      %^at, %^at, 4, %^base;
	mov.u32         %^n, 0;
	mov.u32         %^owner, 0;
$^near:                                          # its neighbourhood
	ld.shared.u32   %^n0, [%^at];
	add.u32         %^n, %^n, %^n0;
	add.u32         %^at, %^at, 4;
	add.u32         %^owner, %^owner, <near>;
	setp.le.u32     %^is, %^n, %^slot;
	@%^is bra       $^near;                 # R5
	min.u32         %^owner, %^owner, %^block;
$^back:                                          # its owner
	sub.u32         %^owner, %^owner, 1;
	add.u32         %^at, %^base, %^owner;
	ld.shared.u8    %^mine, [%^at+<pool>];
	setp.eq.u32     %^is, %^mine, %^run;
	@%^is sub.u32   %^n, %^n, 1;
	setp.ne.u32     %^is, %^n, %^slot;
	@%^is bra       $^back;                 # R5
	mov.u32         %^slot, %^owner;
	#addresses
	#pop                                    # R7
	bra             $^work;
$^agreed:
	#stay

# ---- shared by the policies -------------------------------------------------------------------------------------------------

=== all_come
#if arrives_repeatedly                                       # only threads that left arrive: they continue
	setp.eq.u32     %^in, %^left, <stays>;
	barrier.red.popc.u32    %^n, 0, %^in;   # R1, R4
	setp.eq.u32     %^is, %^n, 0;
	@%^is bra.uni   $^gone;                 # R1
#else
	barrier.sync    0;                      # R4
#end

=== stay
#if loop
	barrier.sync    0;                      # R6: what the threads read here is written again in the next round
#end
	bra.uni         $^plain;

=== put_task
	#addresses
	#push                                   # R7
	mad.lo.u32      %^at, %^slot, <id_bytes>, %^base;
	shl.b32         %^n, %^path, 10;        # at most 1,024 threads, and 31 paths: 15 bits
	or.b32          %^n, %^n, %^thread;
	@%^want st.shared.u<id_bits>    [%^at+<pool>], %^n; # R5

=== take_task
	mad.lo.u32      %^at, %^thread, <id_bytes>, %^base;
	ld.shared.u<id_bits>    %^n, [%^at+<pool>]; # R5
	shr.u32         %^run, %^n, 10;
	and.b32         %^owner, %^n, 0x3ff;
	mov.u32         %^slot, %^thread;
	#addresses
	#pop                                    # R7

# ---- paths ------------------------------------------------------------------------------------------------------------------

=== dispatch
#if keyed
	setp.lt.u32     %^is, %^run, <paths>;
	@%^is bra       $<entry>;               # R9
#else
 #each path
	setp.eq.u32     %^is, %^run, <q>;
	@%^is bra       $<entry>;               # R9
 #end
#end

=== way_out
	setp.eq.u32     %^is, %^left, <k>;
	@%^is <go>;                             # R1
