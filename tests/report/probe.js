// SPDX-License-Identifier: MIT
// probe.js: what a reader sees of a page of lines or of a report, as the browser laid it out: measured, not read from its text.
// tests/pages.sh puts it at a page's end, and reads what it leaves in the element "probe": a fact a line.
'use strict';
const facts = [];
const say = (...words) => facts.push(words.join(' '));
const all = (what, from = document) => [...from.querySelectorAll(what)];
const width = e => e.getBoundingClientRect().width;

// Colours as numbers; what is painted on nothing is on the browser's own canvas.
const canvas = document.createElement('div');
canvas.style.backgroundColor = 'Canvas';
document.body.append(canvas);
const rgba = s => { const n = s.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n.slice(0, 3), 1] : n; };
const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => a * c + (1 - a) * under[i]);
function behind(e) {
	const under = e.parentElement ? behind(e.parentElement) : rgba(getComputedStyle(canvas).backgroundColor).slice(0, 3);
	return over(rgba(getComputedStyle(e).backgroundColor), under);
}
function light(c) { // WCAG 2.1: relative luminance
	const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(e) {
	let see = 1;
	for (let p = e; p; p = p.parentElement)
		see *= getComputedStyle(p).opacity;
	const back = behind(e), ink = rgba(getComputedStyle(e).color);
	const [x, y] = [light(over([...ink.slice(0, 3), ink[3] * see], back)), light(back)].sort((p, q) => q - p);
	return (x + 0.05) / (y + 0.05);
}

function textLines(e) {
	const range = document.createRange();
	range.selectNodeContents(e);
	return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size;
}

// All text can be read: it is nowhere cut off at the right, no number or heading is in two lines, and it differs from
// what is behind it.
say('wide', document.scrollingElement.scrollWidth > innerWidth);
const pale = all('h1, h2, p, th, td, pre, code, b, small').filter(e => e.textContent.trim() && contrast(e) < 4.5);
say('pale', pale.length, ...pale.slice(0, 3).map(e => `${e.tagName}.${e.className}(${contrast(e).toFixed(1)}):${e.textContent.slice(0, 20)}`));
say('broken', all('th, .n, .sites td:nth-child(3)').filter(e => e.innerText.trim() && textLines(e) > 1).length);
say('dark', light(behind(document.body)) < 0.5);
say('scripts', all('script').length, document.title);

// Lines that cost: number, share and its bar, lanes and their bar, whether the bar warns.
const share = bar => Math.round(100 * width(bar.querySelector('i')) / width(bar));
const good = all('.bar:not(.few):not(.cost) i').map(i => getComputedStyle(i).backgroundColor);
for (const row of all('tr.cost')) {
	const [line, slots, , lanes] = all('td', row).map(cell => cell.textContent);
	const [cost, on] = all('.bar', row);
	const warns = !good.includes(getComputedStyle(on.querySelector('i')).backgroundColor);
	say('cost', line, parseFloat(slots), share(cost), lanes, share(on), warns ? 'few' : 'many');
}

// The sources, and behind which line each site stands.
for (const row of all('table.source tr')) {
	const text = row.querySelector('pre');
	if (text)
		say('source', row.cells[0].textContent + ':' + text.textContent);
	if (row.classList.contains('site')) {
		let line = row;
		while (line.classList.contains('site'))
			line = line.previousElementSibling;
		say('site', line.cells[0].textContent, row.classList.contains('done') ? 'done' : 'left',
			line.getBoundingClientRect().bottom <= row.getBoundingClientRect().top + 1, width(row) > 200);
	}
}
for (const row of all('.sites tr').slice(1))
	say('listed', row.cells[0].textContent.replace(/.*:/, ''), row.cells[4].className, getComputedStyle(row.cells[4]).color);

// A page of --explain: what a click on each region and on the first label with copies highlights, before and after, and whether
// the other side is scrolled to it.
const lit = side => all('tr.on', side).length;
const visible = side => all('tr.on', side).some(r => r.getBoundingClientRect().top < side.getBoundingClientRect().bottom &&
	r.getBoundingClientRect().bottom > side.getBoundingClientRect().top);
for (const fn of all('.function')) {
	const [before, after] = all('.side', fn);
	const copies = all('tr.label', after).find(l => all(`tr[data-b="${l.dataset.b}"]`, after).some(r => r.dataset.l != 0 && !r.classList.contains('label')));
	for (const e of [...all('.role', fn), ...(copies ? [copies] : [])]) {
		e.click();
		say('lit', e.classList.contains('role') ? e.textContent.replace(/\W.*/, '') : 'label', lit(before), lit(after), visible(before), all('.on', fn).length - lit(fn));
		e.click();
		say('dim', lit(fn));
	}
}

const out = document.createElement('pre');
out.id = 'probe';
out.textContent = '\n' + facts.join('\n') + '\n';
document.body.append(out);
