/* SPDX-License-Identifier: MIT */
/* What ptxccc reports about a compilation. See outcome.h. */
#include <unistd.h>
#include "annotate/files.h"
#include "annotate/gather.h"
#include "annotate/outcome.h"

Outcome
outcome_read(const Hook *h)
{
	Outcome o = { 0 };

	buf_puts(&o.followed, "");
	buf_puts(&o.report, "");
	file_read_and_remove(h->files.followed, &o.followed);
	file_read_and_remove(h->files.report_part, &o.report);
	return o;
}

void
outcome_release(Outcome *o)
{
	buf_free(&o->followed);
	buf_free(&o->report);
	buf_free(&o->again);
}

int
outcome_gather(Hook *h, const Outcome *o)
{
	Unit first, second, u;
	char here[4096];

	if (!unit_read(o->report.at, h->arena, &first))
		return 0;
	if (!o->again.n || !unit_read(o->again.at, h->arena, &second))
		u = first;
	else
		u = gather_both(&first, &second);
	u.source = h->cicc.source;
	u.folder = getcwd(here, sizeof here);
	int rc = gather_report(h->options.report_file, &u);
	Units all = { 0 };
	*vec_push(&all) = u;
	units_release(&all);
	return rc;
}
