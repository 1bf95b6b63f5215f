# SPDX-License-Identifier: MIT
"""explain.py PAGE: checks that a page of ptxccc --explain is well-formed, and that each data-show leads to rows or a button."""
import html.parser
import sys

VOID = {'br', 'meta'}
INSIDE = {'tr': {'table'}, 'td': {'tr'}, 'th': {'tr'}, 'li': {'ul'}, 'summary': {'details'}}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.shown, self.errors, self.rows = [], set(), [], [], 0

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag in INSIDE and (not self.open or self.open[-1] not in INSIDE[tag]):
            self.errors.append(f'{self.getpos()}: <{tag}> in {self.open[-1:]}')
        if tag == 'section':
            self.check()
        if tag == 'tr' and 'data-l' in a:
            self.rows += 1
            self.ids.add('l' + a['data-l'])
            self.ids.update('r' + r for r in a.get('data-r', '').split())
            if 'data-b' in a:
                self.ids.add('b' + a['data-b'])
        if 'data-show' in a:
            self.shown.append(a['data-show'])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f'{self.getpos()}: </{tag}>')

    def check(self):
        """Every function has its own lines, regions and labels."""
        self.errors += [f'nothing for {s}' for s in self.shown if s not in self.ids]
        self.ids, self.shown = set(), []


with open(sys.argv[1], encoding='utf-8') as f:
    text = f.read()
page = Page()
page.feed(text)
page.close()
page.check()
if page.open or not text.startswith('<!DOCTYPE html>\n<html lang="en">'):
    page.errors.append(f'not closed: {page.open}')
print('\n'.join(page.errors[:10]))
sys.exit(bool(page.errors) or (page.rows == 0) != ('<section' not in text))
