# SPDX-License-Identifier: MIT
# recursion.tpl: the calls of a recursive function as tasks of a warp (recursion.c; docs/proofs/recursion.md).
#
# %~store  the warp's store: its number of tasks, then rows    %~mask  M, the lanes that called together     %~all   lanes of M
# %~slot   a task's place in the rows                          %~lead  the highest lane of M; %~leads: it is it
# %~n      tasks in the store; %~take: those taken now; %~left: those that remain                           %~rank  lanes of M below
# <name>   the function; <list> <bytes>: its parameters, and one more

=== globals                                     # before the first function
.func ~drive<list>;

=== names
	.pred   leads idle none alone full
	.b32    store mask all n take left lead lane rank slot at thread nx ny ty tz warp

=== load_param                                  # one value of a task, from the parameters
	ld.param.b<width>       %~v_<k>, [<param>+<offset>];
=== store_param
	st.param.b<width>       [~a_<i>+<offset>], %~v_<k>;
=== store_row
#if first
	mad.lo.u32      %~at, %~slot, <size>, %~store;
#end
	st.shared.b<width>      [%~at+<row>], %~v_<k>;
=== load_row
#if first
	mad.lo.u32      %~at, %~slot, <size>, %~store;
#end
	ld.shared.b<width>      %~v_<k>, [%~at+<row>];
=== value
	.reg .b<register>       %~v_<k>;

=== push                                        # a call from a task: a new task, or the call itself
.func ~push<more>
{
	#declare names
	#values
	ld.param.b32    %~store, [~store];
	#own
	atom.shared.add.u32     %~slot, [%~store], 1;   # T3
	setp.ge.u32     %~full, %~slot, <capacity>;     # T3
	@%~full bra     $~full;                         # T3
	#fill
	ret;
$~full:
	red.shared.add.u32      [%~store], -1;          # T3
	#call
	ret;                                    # CANNOT: the function ends here
}

=== drive                                       # a call from elsewhere
.func ~drive<list>
{
	#declare names
	#values
	.shared .align 16 .b8 ~tasks[<shared>];
	#own
	activemask.b32  %~mask;                         # T5
	popc.b32        %~all, %~mask;
	setp.le.u32     %~alone, %~all, 16;             # T1
	@%~alone bra    $~alone;                        # T1
	mov.u32         %~thread, %tid.x;               # x + nx * (y + ny * z)
	mov.u32         %~tz, %tid.z;
	mov.u32         %~ny, %ntid.y;
	mov.u32         %~ty, %tid.y;
	mad.lo.u32      %~ty, %~tz, %~ny, %~ty;
	mov.u32         %~nx, %ntid.x;
	mad.lo.u32      %~thread, %~ty, %~nx, %~thread;
	shr.u32         %~warp, %~thread, 5;
#if check_threads
	setp.ge.u32     %~alone, %~warp, <warps>;       # T1
	@%~alone bra    $~alone;                        # T1
#end
	mov.u32         %~store, ~tasks;
	mad.lo.u32      %~store, %~warp, <stride>, %~store;     # T1
	bfind.u32       %~lead, %~mask;
	mov.u32         %~lane, %laneid;
	setp.eq.u32     %~leads, %~lane, %~lead;
	mov.u32         %~rank, %lanemask_lt;
	and.b32         %~rank, %~rank, %~mask;
	popc.b32        %~rank, %~rank;
	mov.u32         %~n, 0;                         # CANNOT: the shuffle reads it in the leader only
	@%~leads st.shared.u32 [%~store], 0;            # T2
	bar.warp.sync   %~mask;                         # T2: the count before pushes
	bra             $~run;
$~round:
	bar.warp.sync   %~mask;                         # T4: pushes before pops
	@%~leads ld.shared.u32 %~n, [%~store];
	shfl.sync.idx.b32       %~n, %~n, %~lead, 31, %~mask;   # T5
	min.u32         %~take, %~n, %~all;
	sub.u32         %~left, %~n, %~take;
	setp.eq.u32     %~none, %~n, 0;
	@%~none bra     $~done;                         # T5
	@%~leads st.shared.u32 [%~store], %~left;
	setp.ge.u32     %~idle, %~rank, %~take;
	add.u32         %~slot, %~left, %~rank;
	#take                                           # an idle lane reads a slot below 32, and does not use it
	bar.warp.sync   %~mask;                         # T4: pops before pushes
	@%~idle bra     $~round;
$~run:
	#run
	bra             $~round;
$~done:
	bar.warp.sync   %~mask;                         # T6: the last read of the count before the next group's use
	ret;
$~alone:
	#call
	ret;                                    # CANNOT: the function ends here
}
