# SPDX-License-Identifier: MIT
# cancel.tpl: a task loop whose blocks take blocks of the launch that have not started (launch_control.c; docs/proofs/grid.md).
#
# %^x %^y %^z    the block whose work the body executes      %^more   there is a next one
# %^first        this is the block's first thread            %^odd    parity of the mbarrier's phase
# %^apart        the block is one of a cluster               %^slot   address of this phase's response      %^done   a wait or a request succeeded
# ^slots         two responses of 16 bytes, used in turn, then the mbarrier
#
# The passes and the validator see the placeholder in section latch: a volatile load, which may return any values, and which each thread
# executes once in an iteration. Section next replaces each copy of it in the final text; <x> <y> <z> <more> are the copy's registers.

=== head
	.shared .align 16 .b8 ^slots[48];
	.reg .pred %^over, %^first, %^apart, %^done;
	.reg .b32 %^x, %^y, %^z, %^more, %^odd, %^slot;
	.reg .b128 %^response;
	mov.u32 	%^x, %ctaid.x; // ccc: blocks take the work of blocks that have not started
	mov.u32 	%^y, %ctaid.y;
	mov.u32 	%^z, %ctaid.z;
	mov.u32 	%^more, %tid.x;
	mov.u32 	%^odd, %tid.y;
	or.b32 	%^more, %^more, %^odd;
	mov.u32 	%^odd, %tid.z;
	or.b32 	%^more, %^more, %^odd;
	setp.eq.u32 	%^first, %^more, 0;
	mov.u32 	%^more, %ntid.x;
	mov.u32 	%^odd, %ntid.y;
	mul.lo.u32 	%^more, %^more, %^odd;
	mov.u32 	%^odd, %ntid.z;
	mul.lo.u32 	%^more, %^more, %^odd;
	@%^first mbarrier.init.shared::cta.b64 	[^slots+32], %^more;	# G8
	bar.sync 	0;	# G8
	mov.u32 	%^more, %cluster_nctarank;	# CANNOT: the emulator has no clusters; a line less, and validate/grid/ refuses the text
	setp.ne.u32 	%^apart, %^more, 1;	# G7
	mov.u32 	%^odd, 0;
$ccc__<id>_done_20grid_20<id>:	# CANNOT: the emulator counts the blocks that stay there
	#begin
$^block:
	#iteration      # CANNOT: it distinguishes this loop from one at the start of the body

=== latch
$^next:	# CANNOT: only kernels that end in several places branch to it; the validator requires it
	ld.volatile.shared.v4.u32 	{%^x, %^y, %^z, %^more}, [^slots];
	setp.ne.u32 	%^over, %^more, 0;
	@%^over bra 	$^block;
	#end_of_loop
	ret;            # CANNOT: the end of the body ends the thread, too

=== next
#if guarded
	@<guard> bra 	$^last<k>;	# G10
#end
	mov.u32 	<more>, 0;	# CANNOT: the emulator has no clusters
	@%^apart bra 	$^last<k>;	# G7 # CANNOT: the emulator has no clusters
	mov.u32 	%^slot, ^slots;
	mad.lo.u32 	%^slot, %^odd, 16, %^slot;	# G9
	fence.proxy.async.shared::cta;	# G9 # CANNOT: the emulator does not model proxies
	@%^first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 	[%^slot], [^slots+32];	# G7
	@%^first mbarrier.arrive.expect_tx.shared::cta.b64 	_, [^slots+32], 16;	# G8
	@!%^first mbarrier.arrive.shared::cta.b64 	_, [^slots+32];	# G8
$^wait<k>:
	mbarrier.try_wait.parity.shared::cta.b64 	%^done, [^slots+32], %^odd;	# G8
	@!%^done bra 	$^wait<k>;	# G8
	ld.shared.b128 	%^response, [%^slot];
	xor.b32 	%^odd, %^odd, 1;	# G9
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 	%^done, %^response;
	selp.u32 	<more>, 1, 0, %^done;
	@%^done clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 	{<x>, <y>, <z>, _}, %^response;	# G7
$^last<k>:
