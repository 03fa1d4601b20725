#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Geometric means of the speed of mshadow divided by that of others, of a table of benchmark_compare.

  examples/benchmark/summary.py [TABLE.md]        prints them, a line for each kind of statement
  examples/benchmark/summary.py --svg [TABLE.md]  prints a drawing of them
  examples/benchmark/summary.py --check           fails unless guide/comparison.md and .svg hold both

TABLE.md is guide/figures.md if left out.
"""
import math
import pathlib
import re
import sys

GUIDE = pathlib.Path(__file__).resolve().parents[2] / 'guide'
# The kinds of statements, and a regex of the rows `NAME/SIZE` of each. The first that fits counts.
KINDS = [
    ('64 elements', r'.*/64$'),
    ('`w = -eta*(g + lambda*w)`, momentum', r'w =|v =|the same'),
    ('`exp`, `tanh`, `sigmoid`, all three', r'exp|tanh|sigmoid'),
    ('`gelu`', r'gelu'),
    ('adding a bias', r'a \+ bias'),
    ('sums, mean and variance', r'sum|mean'),
    ('softmax of rows', r'softmax'),
    ('max pooling, its gradient', r'.*pooling'),
    ('patches', r'.*patches'),
    ('transposes', r'transpose|NCHW'),
    ('crop, pad, mirror, concat, slice, resize', r'crop|pad|mirror|concat|slice|bilinear'),
    ('casts to and from `half_t`', r'cast'),
    ('rows by index, one-hot', r'take|one_hot'),
    ('products, a training step', r'dot|batch of products|training'),
]
PEERS = ['eigen', 'xtensor', 'torch', 'hand']


def read(text):
    """The rows of the table of all libraries, as dicts."""
    rows, columns = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip('|\n').split('|')]
        if cells[0] == 'statement' and 'mshadow' in cells and 'ours/best peer' in cells:
            columns = cells
        elif columns and line.startswith('|') and not set(line) <= set('|-: '):
            rows.append(dict(zip(columns, cells)))
        elif not line.startswith('|'):
            columns = None
    return rows


def ratio(row, peer):
    """The speed of mshadow divided by that of `peer`; None if there is no such statement."""
    if row.get(peer, '-') == '-':
        return None
    ours, theirs = float(row['mshadow']), float(row[peer])
    return theirs / ours if row['unit'] == 'ns' else ours / theirs


def mean(values):
    values = [value for value in values if value is not None]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def best(row):
    return float(row['ours/best peer'].rstrip('* '))


def summary(rows):
    """(kind, [best with one thread, with two, the least, each peer]) of each kind, then of all."""
    of_kind = {kind: [] for kind, _ in KINDS}
    for row in rows:
        name = f"{row['statement']}/{row['size']}"
        of_kind[next(kind for kind, regex in KINDS if re.match(regex, name))].append(row)
    of_kind[f'**all {len(rows)} rows**'] = rows
    return [(kind, [mean(best(r) for r in part if r['threads'] == '1'),
                    mean(best(r) for r in part if r['threads'] != '1'),
                    min(best(r) for r in part)] +
             [mean(ratio(r, peer) for r in part) for peer in PEERS])
            for kind, part in of_kind.items() if part]


def number(value):
    if value is None:
        return '-'
    return f'{value:.2f}' if value < 9.995 else f'{value:.3g}'


def table(lines):
    return [f"| {kind} | {' | '.join(map(number, values))} |" for kind, values in lines]


def svg(lines):
    """The means on a logarithmic scale, as dots; right of the line at 1 mshadow is faster."""
    left, step, top, width = 300, 24, 60, 760
    peers = [('Eigen', 3, 'a'), ('xtensor', 4, 'b'), ('libtorch', 5, 'c'), ('loop by hand', 6, 'd')]
    x = lambda value: round(left + 65 * (1 + math.log2(min(max(value, 0.5), 64))), 1)
    height = top + step * len(lines) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 20} {height}" '
           f'width="{width + 20}" height="{height}" font-family="sans-serif" font-size="13">',
           '<title>Speed of mshadow divided by that of others</title>',
           '<style>.paper { fill: #ffffff } .ink { fill: #1f2328 } .grid { stroke: #d0d7de } '
           '.one { stroke: #1f2328 } .a { fill: #d95f02 } .b { fill: #1b9e77 } '
           '.c { fill: #7570b3 } .d { fill: none; stroke: #59636e; stroke-width: 2 } '
           '@media (prefers-color-scheme: dark) { .paper { fill: #0d1117 } .ink { fill: #e6edf3 } '
           '.grid { stroke: #30363d } .one { stroke: #e6edf3 } .d { stroke: #9198a1 } }</style>',
           f'<rect width="{width + 20}" height="{height}" class="paper"/>']
    for i, (name, _, kind) in enumerate(peers):
        out.append(f'<circle cx="{left + 10 + 105 * i}" cy="16" r="5" class="{kind}"/>'
                   f'<text x="{left + 20 + 105 * i}" y="20" class="ink">{name}</text>')
    for power in range(-1, 7):
        value = 2.0 ** power
        out.append(f'<line x1="{x(value)}" x2="{x(value)}" y1="{top - 14}" y2="{height - 8}" '
                   f'class="{"one" if power == 0 else "grid"}"/><text x="{x(value)}" '
                   f'y="{top - 18}" class="ink" text-anchor="middle">{value:g}</text>')
    for i, (kind, values) in enumerate(lines):
        y = top + step * i + 6
        out.append(f'<text x="{left - 10}" y="{y + 4}" class="ink" text-anchor="end">'
                   f'{re.sub("`|[*][*]", "", kind)}</text>')
        for name, column, mark in peers:
            if values[column] is not None:
                out.append(f'<circle cx="{x(values[column])}" cy="{y}" r="5" class="{mark}">'
                           f'<title>{name} {number(values[column])}</title></circle>')
    return '\n'.join(out + ['</svg>', ''])


def main():
    options = [word for word in sys.argv[1:] if word.startswith('--')]
    paths = [word for word in sys.argv[1:] if not word.startswith('--')]
    if set(options) - {'--svg', '--check'} or len(paths) > 1:
        sys.exit(__doc__)
    rows = read(pathlib.Path(paths[0] if paths else GUIDE / 'figures.md').read_text())
    if not rows:
        sys.exit('there is no table of benchmark_compare with other libraries')
    lines = summary(rows)
    if '--check' in options:
        page = (GUIDE / 'comparison.md').read_text().splitlines()
        missing = [line for line in table(lines) if line not in page]
        if missing:
            sys.exit('guide/comparison.md lacks\n' + '\n'.join(missing))
        if (GUIDE / 'comparison.svg').read_text() != svg(lines):
            sys.exit('guide/comparison.svg is not what summary.py --svg prints')
    else:
        sys.stdout.write(svg(lines) if '--svg' in options else '\n'.join(table(lines)) + '\n')


if __name__ == '__main__':
    main()
