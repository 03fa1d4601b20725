#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the drawings of the guide.

  guide/pictures/draw.py [DIR]          writes them to DIR, the folder of this program if left out
  guide/pictures/draw.py --check        fails unless the files in that folder are what it writes
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Colours are classes, so that a page in dark mode gets others.
STYLE = '''<style>
.paper { fill: #ffffff } .ink { fill: #1f2328 } .quiet { fill: #59636e }
.line { stroke: #59636e; fill: none } .box { fill: #f6f8fa; stroke: #8c959f }
.a { fill: #cfe3ff; stroke: #3a6db5 } .b { fill: #d5f0d8; stroke: #3b8a4a }
.c { fill: #ffe3c2; stroke: #b0702a } .none { fill: #e6e8eb; stroke: #8c959f }
.frame { fill: none; stroke: #c4314b }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } .ink { fill: #e6edf3 } .quiet { fill: #9198a1 }
.line { stroke: #9198a1 } .box { fill: #161b22; stroke: #6e7681 }
.a { fill: #1d3557; stroke: #79a8e8 } .b { fill: #1c3d25; stroke: #6cc07c }
.c { fill: #4d3318; stroke: #e0a05a } .none { fill: #21262d; stroke: #6e7681 }
.frame { stroke: #ff7b8e }
}
</style>'''
CELL = 30


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
            f'<title>{escape(title)}</title>', STYLE,
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M1 1L7 4L1 7" class="line"/></marker></defs>',
            f'<rect width="{width}" height="{height}" class="paper"/>']

    def text(self, x, y, text, kind='ink', anchor='start', mono=False, bold=False):
        style = ' font-family="monospace"' if mono else ''
        style += ' font-weight="bold"' if bold else ''
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}"{style} '
                          f'xml:space="preserve">{escape(text)}</text>')

    def rect(self, x, y, width, height, kind, radius=0, dash=False, thick=1):
        style = f' rx="{radius}"' if radius else ''
        style += ' stroke-dasharray="4 3"' if dash else ''
        style += f' stroke-width="{thick}"' if thick != 1 else ''
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" '
                          f'class="{kind}"{style}/>')

    def line(self, x1, y1, x2, y2, arrow=False):
        end = ' marker-end="url(#head)"' if arrow else ''
        self.parts.append(f'<path d="M{x1} {y1}L{x2} {y2}" class="line"{end}/>')

    def box(self, x, y, width, lines, kind='box'):
        """Draws a box of lines of code, centred at x; returns the y of its lower edge."""
        height = 20 * len(lines) + 12
        self.rect(x - width / 2, y, width, height, kind, radius=5)
        for k, line in enumerate(lines):
            self.text(x, y + 21 + 20 * k, line, anchor='middle', mono=True)
        return y + height

    def cells(self, x, y, rows, kind, dash=False):
        """Draws a table with its upper left corner at (x, y); None leaves a cell out."""
        for i, row in enumerate(rows):
            for k, cell in enumerate(row):
                if cell is None:
                    continue
                left, top = x + CELL * k, y + CELL * i
                self.rect(left, top, CELL, CELL, kind, dash=dash)
                self.text(left + CELL / 2, top + 20, cell, 'quiet' if dash else 'ink', 'middle')

    def svg(self):
        return '\n'.join(self.parts) + '\n</svg>\n'


def escape(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def statement():
    """From the expression to the loop."""
    d = Drawing(1000, 416, 'a = b + c * d: nodes, a plan, a cursor, a loop')
    columns = ((165, '1. nodes', 'MakePlan', 'what: operands, shapes, types'),
               (500, '2. plan', 'Row(y)', 'how: Eval(y, x), no shapes'),
               (835, '3. cursor', '', 'one row: pointers, Eval(x)'))
    for x, title, _, what in columns:
        d.text(x, 28, title, anchor='middle', bold=True)
        d.text(x, 48, what, 'quiet', 'middle')
    contents = (
        (['BinaryMapExp', '<op::plus>'], ['BinaryMapExp', '<op::mul>'],
         [[x, 'dptr_', 'shape_', 'stride_'] for x in 'bcd']),
        (['op::plus'], ['op::mul'], [[x, 'dptr_', 'stride_'] for x in 'bcd']),
        (['op::plus'], ['op::mul'], [[x, 'dptr_ + y', '* stride_'] for x in 'bcd']))
    for (x, _, call, _), (top, below, leaves) in zip(columns, contents):
        first, second, third = x - 98, x + 4, x + 106
        middle = (second + third) / 2
        end = d.box(x, 66, 130, top)
        d.line(x, end, first, 222)
        d.line(x, end, middle, 144)
        end = d.box(middle, 144, 130, below)
        d.line(middle, end, second, 222)
        d.line(middle, end, third, 222)
        for at, leaf, kind in zip((first, second, third), leaves, 'abc'):
            d.box(at, 222, 98, leaf, kind)
        if call:
            d.line(x + 80, 92, x + 255, 92, arrow=True)
            d.text(x + 167, 84, call, anchor='middle', mono=True)
    d.rect(18, 342, 964, 56, 'box', radius=5)
    d.text(34, 375, '4. loop', bold=True)
    d.text(110, 366, 'for (x = 0; x < columns; ++x) to.REval(x) = from.Eval(x);', mono=True)
    d.text(110, 386, 'inlined:                      a[x] = b[x] + c[x] * d[x];', mono=True)
    d.line(839, 294, 839, 342, arrow=True)
    return d.svg()


def alignment():
    """Which axes an operand of lower rank lines up with."""
    d = Drawing(860, 246, 'Operands of lower rank are repeated along the axes that they lack')
    matrix = [['0', '1', '2'], ['3', '4', '5']]

    def example(x, title, other, out, note):
        d.text(x, 28, title, mono=True, bold=True)
        d.cells(x, 60, matrix, 'a')
        d.text(x + 105, 95, title[2], anchor='middle', mono=True)
        for rows, dash in other:
            d.cells(x + 120, 60, rows, 'b', dash)
        d.text(x + 225, 95, '=', anchor='middle', mono=True)
        d.cells(x + 240, 60, out, 'c')
        for k, line in enumerate(note):
            d.text(x, 150 + 20 * k, line, 'quiet')

    bias = ['10', '20', '30']
    example(30, 'x + bias', [([bias], False), ([[None] * 3, bias], True)],
            [['10', '21', '32'], ['13', '24', '35']],
            ['A tensor lines up with the last axes:', 'shape (3) with shape (2, 3).',
             'It is repeated along axis 0.'])
    example(460, 'x - mean<1>(x)', [([['1'], ['4']], False),
                                    ([[None, '1', '1'], [None, '4', '4']], True)],
            [['-1', '0', '1'], ['-1', '0', '1']],
            ['A reduction remembers the axis it lost:', 'shape (2), which is axis 0 of x.',
             'It is repeated along axis 1.'])
    d.rect(30, 216, 14, 14, 'b', dash=True)
    d.text(52, 228, 'repeated; no memory holds these copies', 'quiet')
    return d.svg()


def padding():
    """A padded matrix, and a part of it."""
    d = Drawing(640, 260, 'A matrix of 3 rows and 3 columns whose rows are 4 elements apart')
    d.text(30, 28, 't: shape_ (3,3), stride_ 4', mono=True)
    for i in range(3):
        row = [f'{3 * i + k}' for k in range(3)]
        d.cells(30 + 4 * CELL * i, 76, [row], 'abc'[i])
        d.cells(30 + 4 * CELL * i + 3 * CELL, 76, [['']], 'none')
        d.text(30 + 4 * CELL * i + 1.5 * CELL, 124, f't[{i}]', anchor='middle', mono=True)
    d.text(30 + 3.5 * CELL, 124, 'padding', 'quiet', 'middle')
    d.line(45, 58, 45, 74, arrow=True)
    d.text(30, 52, 't.dptr_', mono=True)
    d.line(165, 58, 165, 74, arrow=True)
    d.text(150, 52, 't.dptr_ + t.stride_', mono=True)
    d.text(410, 96, 'memory', 'quiet')
    top = 150
    for i in range(3):
        d.cells(30, top + CELL * i, [[f'{3 * i + k}' for k in range(3)]], 'abc'[i])
    d.text(140, 170, 't[y][x] is dptr_[y * stride_ + x]', mono=True)
    d.text(140, 200, 't.Slice(1, 3): dptr_ + 4, shape (2,3), stride_ 4', mono=True)
    d.text(140, 230, 'A view is these fields. Nothing is copied.', 'quiet')
    return d.svg()


def pooling():
    """Windows of pool and avg_pool."""
    d = Drawing(800, 276, 'Windows of pooling: whole ones, clipped ones, and with padding')

    def example(x, title, starts, note):
        d.text(x, 28, title, mono=True, bold=True)
        left, top, size = x + 24, 66, 24
        if starts[0] < 0:
            d.rect(left - size, top - size, 7 * size, 7 * size, 'none', dash=True)
        for i in range(5):
            for k in range(5):
                d.rect(left + size * k, top + size * i, size, size, 'a')
        for k, start in enumerate(starts):  # the windows of the first row
            d.rect(left + size * start + 3, top + size * starts[0] + 3, size * 3 - 6, size * 3 - 6,
                   'frame', thick=2, dash=k == 1)
        for k, line in enumerate(note):
            d.text(x, 236 + 20 * k, line, 'quiet')

    example(20, 'pool<R>(x, 3, 3, 2, 2)', [0, 2],
            ['(5,5) -> (2,2): whole windows,', '(5 - 3) / 2 + 1 along each axis.'])
    example(285, 'pool<R>(x, s, 3, 3, 2, 2)', [0, 2, 4],
            ['s = Shape2(3, 3): windows are', 'clipped at the end of the image.'])
    example(550, 'avg_pool(x, 3, 3, 2, 2, 1, 1)', [-1, 1, 3],
            ['(5,5) -> (3,3): padding moves the', 'windows and does not count.'])
    return d.svg()


PICTURES = {'statement.svg': statement, 'alignment.svg': alignment, 'padding.svg': padding,
            'pooling.svg': pooling}


def main():
    if sys.argv[1:] == ['--check']:
        wrong = [name for name, draw in PICTURES.items()
                 if not (HERE / name).exists() or (HERE / name).read_text() != draw()]
        extra = {path.name for path in HERE.glob('*.svg')} - set(PICTURES)
        if wrong or extra:
            sys.exit(f'run {pathlib.Path(__file__).name}; these differ from what it writes: '
                     f'{", ".join(sorted([*wrong, *extra]))}')
        print(f'{len(PICTURES)} drawings are as the program writes them')
        return
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw())


if __name__ == '__main__':
    main()
