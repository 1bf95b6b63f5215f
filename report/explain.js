// SPDX-License-Identifier: MIT
// explain.js: highlights lines of a page of ptxccc --explain; report/explain.c describes the attributes.
'use strict';
for (const fn of document.querySelectorAll('.function')) {
	const rows = [...fn.querySelectorAll('tr[data-l]')], sides = fn.querySelectorAll('.side');
	let kept = null;
	function paint(show) {
		const kind = show && show[0], key = show && show.slice(1);
		const copied = new Set(rows.filter(r => kind == 'b' && r.dataset.b == key && r.dataset.l != 0).map(r => r.dataset.l));
		for (const r of rows)
			r.classList.toggle('on', kind == 'l' ? r.dataset.l == key :
				kind == 'r' ? (r.dataset.r || '').split(' ').includes(key) :
				kind == 'b' && (r.dataset.b ? r.dataset.b == key : copied.has(r.dataset.l)));
		for (const r of fn.querySelectorAll('.role'))
			r.classList.toggle('on', r.dataset.show == show);
	}
	function reveal(side, row) {
		if (row)
			side.scrollTop += row.getBoundingClientRect().top - side.getBoundingClientRect().top - side.clientHeight / 4;
	}
	const shown = e => e.target.closest('[data-show]');
	fn.addEventListener('mouseover', e => kept || paint(shown(e) && shown(e).dataset.show));
	fn.addEventListener('mouseleave', () => kept || paint(null));
	fn.addEventListener('click', e => {
		const at = shown(e);
		if (!at && !kept)
			return;
		kept = at && at.dataset.show != kept ? at.dataset.show : null;
		paint(kept);
		for (const side of sides)
			if (kept && !side.contains(at))
				reveal(side, side.querySelector('.on'));
	});
	for (const side of sides)
		reveal(side, side.querySelector('.new.label, .loop'));
}
