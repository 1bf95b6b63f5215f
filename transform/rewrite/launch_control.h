/* SPDX-License-Identifier: MIT */
/* Task loops whose blocks take over blocks of the launch that have not started, by cluster launch
 * control of sm_100. A placeholder represents the protocol until the text is final, because no pass
 * may change the protocol, and its waiting need not be understood by the validator. */
#ifndef TRANSFORM_REWRITE_LAUNCH_CONTROL_H
#define TRANSFORM_REWRITE_LAUNCH_CONTROL_H

#include "analysis/dataflow/function.h"
#include "transform/rewrite/task_loop.h"

enum { LAUNCH_CONTROL_TARGET = 100 };

/* Returns why a task loop of the kernel cannot use the target's cluster launch control; NULL if it
 * can. */
const char *launch_control_refuses(const Fn *fn);
/* Queues the edits that replace the placeholders in `text`, which the passes made of `in` with the
 * loops `of`. */
void launch_control_write(const Module *text, const Module *in, const Task_loop *of,
	Tpl_place omit, Edits *e);

#endif
