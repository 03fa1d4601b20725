#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gradients of random programs by the tape, beside those by PyTorch's autograd, in double.

  test/fuzz/gradients.py [--seed N] [--programs N] [--batch N] [--jobs N] [--show] [-- FLAG...]

A program is some statements over parameters, over constants and over what statements before have
computed; --batch programs are compiled together, with $CXX (g++) and the FLAGS; the default finds
reads out of bounds. PyTorch computes the same from the same numbers. Every value and every gradient
must agree to 1e-9 of the largest one, or of 1 where that is more. A program is drawn again where
rounding decides what its gradient is: near a jump, at equal extremes of a window, and where
operands that change by 1e-7 change a gradient by more than 1e-4.
Needs PyTorch. Prints the programs that differ, crash or do not compile; exits with 1 if there are
any. -- -O0 -fopenmp -DMSHADOW_DEBUG_KERNELS=1 leaves out the sanitizers, in half of the time.
"""
import argparse
import concurrent.futures
import pathlib
import random
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as nn

sys.dont_write_bytecode = True  # nothing beside the sources
import formulas
import generator
import programs
import speed
from generator import Leaf, Node, replaced, shape_text, size_of
from programs import Batch, Reject

TEXT = programs.PROGRAM.replace('#include <mshadow/tensor.h>', '''#include <mshadow/tensor.h>
#include <mshadow/grad.h>
#include <mshadow/linalg.h>
#include <mshadow/numpy.h>''').replace('struct Twice', '''struct Axes {  // of broadcast_multi_axes
  int count;
  index_t at[4];
  int ndim() const { return count; }
  index_t operator[](int i) const { return at[i]; }
};

struct Twice''')
TOLERANCE, LARGEST = 1e-9, 1e3
UFUNCS = {'absolute': 'abs', 'arcsin': 'asin', 'arccos': 'acos', 'arctan': 'atan',
          'arcsinh': 'asinh', 'arccosh': 'acosh', 'arctanh': 'atanh', 'arctan2': 'atan2',
          'equal': 'eq', 'not_equal': 'ne', 'less': 'lt', 'less_equal': 'le', 'greater': 'gt',
          'greater_equal': 'ge', 'power': 'pow', 'rint': 'round', 'invert': 'logical_not'}


def tensor_of(v):
    return v.t if isinstance(v, Traced) else torch.as_tensor(np.asarray(v))


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor of PyTorch to which NumPy hands its functions: nodes of generator.py and formulas.py
    compute with it."""

    def __init__(self, t):
        self.t = t

    shape = property(lambda self: tuple(self.t.shape))
    ndim = property(lambda self: self.t.ndim)
    size = property(lambda self: self.t.numel())
    dtype = np.dtype(np.float64)
    T = property(lambda self: self.transpose())

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if method == 'at':  # of np.add
            into, index, v = inputs
            into.t = into.t.index_put((torch.as_tensor(index),), v.t, accumulate=True)
            return None
        a = [tensor_of(v) for v in inputs]
        if method == 'reduce':
            name = {'add': 'sum', 'maximum': 'amax', 'minimum': 'amin'}[ufunc.__name__]
            return Traced(getattr(torch, name)(a[0], options['axis'],
                                               options.get('keepdims', False)))
        if ufunc.__name__ in ('maximum', 'minimum') and out and bool((a[0] == a[1]).any()):
            raise Reject  # equal extremes of a window
        if ufunc.__name__ == 'cbrt':
            return Traced(torch.sign(a[0]) * a[0].abs()**(1 / 3))
        return Traced(getattr(torch, UFUNCS.get(ufunc.__name__, ufunc.__name__))(*a))

    def __array_function__(self, function, types, args, kwargs):
        kwargs.pop('dtype', None)
        return FUNCTIONS[function.__name__](*args, **kwargs)

    @staticmethod
    def key(key):
        keys = key if isinstance(key, tuple) else (key,)
        return tuple(torch.as_tensor(k) if isinstance(k, np.ndarray) else k for k in keys)

    def __getitem__(self, key):
        keys = self.key(key)
        back = [k for k in keys if isinstance(k, slice) and k.step == -1]
        if not back:
            return Traced(self.t[keys])
        # Axes that are read backwards: PyTorch has no negative steps.
        axis = keys.index(back[0]) if Ellipsis not in keys else self.ndim - 1
        return Traced(self.t.flip(axis))

    def __setitem__(self, key, value):
        whole = self.t.clone()
        whole[self.key(key)] = tensor_of(value)
        self.t = whole

    def reshape(self, *shape):
        return Traced(self.t.reshape(*shape))

    def transpose(self, *axes):
        return Traced(self.t.permute(axes or tuple(range(self.ndim))[::-1]))

    def copy(self):
        return Traced(self.t.clone())

    def astype(self, dtype):
        del dtype
        return Traced(self.t.double())

    def repeat(self, n, axis):
        return Traced(self.t.repeat_interleave(n, axis))

    def take(self, index, axis):
        return Traced(self.t.index_select(axis, torch.as_tensor(index)))

    def sum(self, axis, keepdims=False):
        return Traced(self.t.sum(axis, keepdims))

    def mean(self, axis, keepdims=False):
        return Traced(self.t.mean(axis, keepdims))

    def var(self, axis, keepdims=False):
        return Traced(self.t.var(axis, False, keepdims))

    def max(self, axis, keepdims=False):
        return Traced(self.t.amax(axis, keepdims))


def by_torch(function):
    """As a function of a Node."""
    return lambda *a: Traced(function(*map(tensor_of, a)))


def reducing(function):
    def call(v, axis=None, keepdims=False):
        axis = tuple(range(v.ndim)) if axis is None else axis
        return Traced(function(v.t, axis if isinstance(axis, tuple) else (axis,), keepdims))
    return call


def any_of(t, axes, keepdims):
    for axis in axes:
        t = t.any(axis, True)
    return t if keepdims else t.squeeze(axes[0]) if len(axes) == 1 else t.reshape(
        [n for i, n in enumerate(t.shape) if i not in axes])


# What NumPy's functions do with a Traced.
FUNCTIONS = {
    'where': by_torch(lambda c, a, b: torch.where(c, a.double(), b.double())),
    'clip': lambda v, low, high: Traced(v.t.clamp(low, high)),
    'concatenate': lambda v, axis: Traced(torch.cat([tensor_of(a) for a in v], axis)),
    'broadcast_to': lambda v, shape: Traced(v.t.expand(shape)),
    'expand_dims': lambda v, axis: Traced(v.t.unsqueeze(axis)),
    'squeeze': lambda v, axis: Traced(v.t.reshape(
        [n for i, n in enumerate(v.shape) if i not in np.atleast_1d(axis)])),
    'swapaxes': lambda v, i, j: Traced(v.t.transpose(i, j)),
    'transpose': lambda v, axes=(): v.transpose(*axes),
    'flip': lambda v, axis: Traced(v.t.flip(axis)),
    'roll': lambda v, shift, axis: Traced(v.t.roll(shift, axis)),
    'tile': lambda v, reps: Traced(v.t.repeat(*reps)),
    'pad': lambda v, frame, constant_values=0: Traced(nn.pad(
        v.t, [n for pair in reversed(frame) for n in pair], value=float(constant_values))),
    'cumsum': lambda v, axis: Traced(v.t.cumsum(axis)),
    'einsum': lambda text, *a: Traced(torch.einsum(text, *map(tensor_of, a))),
    'argmax': lambda v, axis: Traced(v.t.argmax(axis)),
    'argmin': lambda v, axis: Traced(v.t.argmin(axis)),
    'sum': reducing(torch.sum), 'mean': reducing(torch.mean),
    'max': reducing(torch.amax), 'min': reducing(torch.amin), 'amax': reducing(torch.amax),
    'amin': reducing(torch.amin), 'any': reducing(lambda t, *by: any_of(t != 0, *by)),
    'all': reducing(lambda t, *by: ~any_of(t == 0, *by)),
    'var': reducing(lambda t, axes, keep: t.var(axes, False, keep)),
    'std': reducing(lambda t, axes, keep: t.std(axes, False, keep)),
}


class Numpy:
    """NumPy, whose new arrays autograd follows."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def zeros(shape, dtype):
        del dtype
        return Traced(torch.zeros(shape, dtype=torch.float64))


generator.np = formulas.np = Numpy()
speed.error_function = by_torch(torch.erf)


# ---- Operations that only gradients ask for, as PyTorch has them ----
OPERATIONS = []


def operation(least=1, most=4, weight=2):
    def register(function):
        OPERATIONS.append((least, most, function, weight))
        return function
    return register


@operation(2)
def prod(s, shape, depth):
    axis, a = s.rng.randrange(len(shape)), s.expression(shape, depth)
    product = by_torch(lambda t: t.prod(axis, True))
    if s.rng.random() < 0.3:
        a, zeros = s.new(shape), s.new(shape, 'int32_t', 3)
        a = Node(f'where({zeros}, {a}, 0.0f)',
                 lambda c, v: Traced(torch.where(torch.as_tensor(c != 0), v.t, 0.0)), zeros, a)
    r = Node(f'prod<{axis}>({a})', product, a)
    b = s.new(shape)
    return Node(f'({b} - {r})', np.subtract, b, r)


@operation(2)
def triangle(s, shape, depth):
    name, k, a = s.rng.choice(('tril', 'triu')), s.rng.randrange(-2, 3), s.expression(shape, depth)
    return Node(f'{name}({a}, {k})', by_torch(lambda t: getattr(t, name)(k)), a)


@operation(1, 1)
def cross_entropy(s, shape, depth):
    classes = s.rng.choice((1, 2, 7))
    a, labels = s.expression(shape + (classes,), depth), s.new(shape, 'int32_t', classes)
    return Node(f'cross_entropy({a}, {labels})',
                by_torch(lambda t, at: nn.cross_entropy(t, at.long(), reduction='none')), a, labels)


@operation()
def sum_to(s, shape, depth):
    front = [s.rng.choice((1, 2, 3)) for _ in range(s.rng.randrange(0, 5 - len(shape)))]
    full = tuple(front) + tuple(s.rng.choice((1, 4)) if n == 1 else n for n in shape)
    a = s.expression(full, depth)
    return Node(f'sum_to({a}, {shape_text(shape)})', by_torch(lambda t: t.sum_to_size(shape)), a)


@operation(2)
def expand_dims(s, shape, depth):
    ones = [i for i, n in enumerate(shape) if n == 1]
    if not ones:
        return None
    axis = s.rng.choice(ones)
    a = s.expression(shape[:axis] + shape[axis + 1:], depth)
    return Node(f'expand_dims({a}, {axis})', lambda v: np.expand_dims(v, axis), a)


@operation(2, 2)
def mask(s, shape, depth):
    factors, a = s.constant(shape[:1]), s.expression(shape, depth)
    return Node(f'mask({factors}, {a})', lambda at, v: v * at[:, None], factors, a)


@operation()
def lambda_of_two(s, shape, depth):
    a, b = s.expression(shape, depth), s.new(shape)
    return Node(f'F([](auto a, auto b) {{ return sin(a) * b + a / (b * b + 1.0); }}, {a}, {b})',
                lambda v, w: np.sin(v) * w + v / (w * w + 1), a, b)


@operation(1, 4)
def rms_norm(s, shape, depth):
    a, gamma = s.expression(shape, depth), s.new(shape[-1:])
    return Node(f'rms_norm({a}, {gamma}, 0.25)',
                by_torch(lambda t, g: t * torch.rsqrt((t * t).mean(-1, True) + 0.25) * g), a, gamma)


@operation(4, 4)
def norm_of_channels(s, shape, depth):
    a, gamma, beta = s.expression(shape, depth), s.new(shape[1:2]), s.new(shape[1:2])
    groups = s.rng.choice([n for n in (1, 2, 3) if shape[1] % n == 0])
    if s.rng.random() < 0.5:
        if size_of(shape) == shape[1]:
            return None  # which PyTorch refuses
        return Node(f'batch_norm({a}, {gamma}, {beta}, 0.25)', by_torch(
            lambda t, g, b: nn.batch_norm(t, None, None, g, b, True, 0.0, 0.25)), a, gamma, beta)
    return Node(f'group_norm({a}, {groups}, {gamma}, {beta}, 0.25)', by_torch(
        lambda t, g, b: nn.group_norm(t, groups, g, b, 0.25)), a, gamma, beta)


@operation(2, 4)
def layer_norm_of_torch(s, shape, depth):
    a, gamma, beta = s.expression(shape, depth), s.new(shape[-1:]), s.new(shape[-1:])
    return Node(f'layer_norm({a}, {gamma}, {beta}, 0.25)', by_torch(
        lambda t, g, b: nn.layer_norm(t, t.shape[-1:], g, b, 0.25)), a, gamma, beta)


def convolution(s, shape, depth):
    """conv1d or conv2d with strides, padding, dilation and groups, or what is transposed."""
    n = len(shape) - 2
    groups = s.rng.choice([g for g in (1, 1, 2) if shape[1] % g == 0])
    ins = groups * s.rng.choice((1, 2))
    sizes, strides, dilations = ([s.rng.choice(c) for _ in range(n)]
                                 for c in ((1, 2, 3), (1, 1, 2), (1, 1, 2)))
    reach = [d * (k - 1) for d, k in zip(dilations, sizes)]
    pads = [s.rng.randrange(r + 1) for r in reach]

    def text(numbers):
        return str(numbers[0]) if n == 1 else shape_text(numbers)
    if s.rng.random() < 0.6:
        image = tuple((m - 1) * t + r + 1 - 2 * p
                      for m, t, r, p in zip(shape[2:], strides, reach, pads))
        if min(image) < 1:
            return None
        x = s.expression((shape[0], ins) + image, min(depth, 1))
        w = s.new((shape[1], ins // groups, *sizes))
        name, call = 'conv%dd' % n, getattr(nn, 'conv%dd' % n)
        return Node('%s(%s, %s, %s, %s, %s, %d)' % (name, x, w, *map(text, (strides, pads,
                                                                          dilations)), groups),
                    by_torch(lambda t, u: call(t, u, None, strides, pads, dilations, groups)), x, w)
    more = [(m + 2 * p - r - 1) % t for m, p, r, t in zip(shape[2:], pads, reach, strides)]
    image = tuple((m + 2 * p - r - 1 - o) // t + 1
                  for m, p, r, t, o in zip(shape[2:], pads, reach, strides, more))
    if min(image) < 1:
        return None
    x = s.expression((shape[0], ins) + image, min(depth, 1))
    w = s.new((ins, shape[1] // groups, *sizes))
    name, call = 'conv_transpose%dd' % n, getattr(nn, 'conv_transpose%dd' % n)
    return Node('%s(%s, %s, %s, %s, %s, %d, %s)' % (name, x, w, *map(text, (strides, pads, more)),
                                                    groups, text(dilations)),
                by_torch(lambda t, u: call(t, u, None, strides, pads, more, groups, dilations)),
                x, w)


OPERATIONS += [(3, 4, convolution, 4)]
# Left out of those of times: casts, for which double is too exact; a reduction to a number;
# complex numbers and implicit_dot, which have no gradient; factors of mask that have none.
OMITTED = ('casts', 'tcast', 'branches', 'with_value', 'complex_numbers', 'more_of_complex',
           'implicit_dot', 'mask', 'one_hot')
UNSUPPORTED = ('reduce_except_dim',)


class Program(speed.SpeedStatement):
    """Its lines, and what PyTorch says that it emits: (expected, tolerance) of every emission."""
    reduced_sizes = (1, 2, 5, 9)
    table_rows = (1, 5, 12)
    main = 'double'
    operations = OPERATIONS + [o for o in speed.SpeedStatement.operations
                               if o[2].__name__ not in OMITTED] + [
        o for o in generator.OPERATIONS if o[2].__name__ == 'where']

    # pylint: disable=super-init-not-called
    def __init__(self, seed):
        self.seed, self.dtype, self.largest_size = seed, 'double', 3000
        self.discontinuous = self.has_numpy = False
        for attempt in range(1000):
            self.rng = random.Random(seed * 1000 + attempt)
            try:
                self.draw()
                return
            except Reject:
                pass
        raise RuntimeError(f'no program of seed {seed}')

    def draw(self):
        self.leaves, self.results, self.statements, self.names = [], [], [], 0
        wanted = self.rng.choice((1, 2, 3, 4, 5))
        while len(self.statements) < wanted:
            shape = self.rng.choice(self.results).shape if self.results and \
                self.rng.random() < 0.7 else self.shape()
            before = list(self.leaves)
            node = self.expression(shape, self.rng.choice((1, 1, 2, 2, 3)))
            if not isinstance(node, Leaf) and node.count() <= 8 and \
                    any(a.kind in ('parameter', 'view', 'result') for a in node.leaves()) and \
                    not any(name in node.text for name in UNSUPPORTED):
                self.statements.append(node)
                self.results.append(self.leaf('r%d' % len(self.results), shape, 'result'))
            else:
                self.leaves = before
        used = {a for node in self.statements for a in node.leaves()}
        self.leaves = [a for a in self.leaves if a in used]
        # What nothing reads is a part of the loss.
        self.ends = [r for r in self.results if r not in used]
        self.weights = [self.constant(r.shape) for r in self.ends]
        self.judge()

    def leaf(self, name, shape, kind, below=None):
        leaf = programs.Variable(name, shape, 'int32_t' if below else 'double', self.rng, kind,
                                 below)
        leaf.range = (0, 1, below) if below else (-1, 2.0**-19, 2**20)
        return leaf

    def add(self, shape, kind, below=None):
        self.names += 1
        self.leaves.append(self.leaf('t%d' % self.names, shape, kind, below))
        return self.leaves[-1]

    def new(self, shape, dtype=None, below=None):
        shape = tuple(shape)
        known = [r for r in self.results if r.shape == shape]
        if known and dtype is None and self.rng.random() < 0.8:
            return self.rng.choice(known)
        known = [a for a in self.leaves if a.shape == shape and a.below == below]
        if known and self.rng.random() < 0.3:
            return self.rng.choice(known)
        kind = 'const' if below else self.rng.choice(('parameter',) * 4 + ('view', 'view', 'const'))
        return self.add(shape, kind, below)

    def constant(self, shape):
        return self.add(shape, 'const')

    def shape(self):
        rank = self.rng.choice((1, 2, 2, 2, 3, 3, 4, 4))
        sizes = (1, 2, 3, 5, 7) if rank > 2 else (1, 2, 3, 5, 8, 17)
        return tuple(self.rng.choice(sizes) for _ in range(rank))

    def evaluated(self, change):
        """All values and gradients, of operands that are changed by that share."""
        noise, arrays, inputs = np.random.default_rng(self.seed), {}, {}
        for leaf in self.leaves:
            v = leaf.data()
            if leaf.below:
                arrays[leaf] = v
                continue
            v = v + change * noise.uniform(0.5, 1, v.shape) * noise.choice((-1, 1), v.shape)
            inputs[leaf] = torch.tensor(v, requires_grad=leaf.kind != 'const')
            arrays[leaf] = Traced(inputs[leaf])
        loss = 0
        for node, result in zip(self.statements, self.results):
            t = tensor_of(node.value(arrays)).double()
            if not (t.abs() < LARGEST).all():
                raise Reject
            if tuple(t.shape) != result.shape:
                raise RuntimeError('shape %s of %s' % (tuple(t.shape), node))
            arrays[result] = Traced(t)
        for r, w in zip(self.ends, self.weights):
            loss = loss + (arrays[r].t * arrays[w].t).sum()
        if not loss.requires_grad:
            raise Reject
        loss.backward()
        gradients = [torch.zeros_like(t) if t.grad is None else t.grad
                     for t in inputs.values() if t.requires_grad]
        return [t.detach().numpy().reshape(-1)
                for t in [arrays[r].t for r in self.results] + gradients]

    def judge(self):
        """Raises Reject, or says what is expected."""
        expected = self.evaluated(0.0)
        for change in (1e-7, -1e-7):
            for v, w in zip(expected, self.evaluated(change)):
                most = np.abs(v).max()
                if not most < 1e6 or not np.abs(v - w).max() <= 1e-4 * (1 + most):
                    raise Reject
        self.emissions = [(v, np.full(v.shape, TOLERANCE * max(1, np.abs(v).max())))
                          for v in expected]

    def block(self, number=0):
        lines = []
        for leaf in self.leaves:
            dim, made = len(leaf.shape), leaf.declaration().split(' = ', 1)[1][:-1]
            if leaf.kind == 'parameter':
                lines.append(f'Parameter<cpu, {dim}, double> {leaf}({made});')
            elif leaf.kind == 'view':
                zero = 'Make<double>(%s, 1, %d, 0, 0, 1)' % (shape_text(leaf.shape), leaf.pad + 1)
                lines.append(f'const Variable<cpu, {dim}, double> {leaf}({made}, {zero});')
            else:
                lines.append(leaf.declaration())
        lines.append('Tape tape;')
        for node, result in zip(self.statements, self.results):
            lines += [f'const auto {result} = tape({node});', f'Emit<{len(result.shape)}, double>'
                      f'({result}.value);']
        if len(self.ends) == 1:
            lines.append('tape.Backward(%s, %s * 1.0);' % (self.ends[0], self.weights[0]))
        else:
            loss = ' + '.join(f'sum_all({r} * {w})' for r, w in zip(self.ends, self.weights))
            lines.append(f'tape.Backward(tape({loss}));')
        lines += [f'Emit({leaf}.grad());' for leaf in self.leaves
                  if leaf.kind in ('parameter', 'view')]
        return 'void P%d() {  // seed %d\n  %s\n}' % (number, self.seed, '\n  '.join(lines))


def run_batch(seeds, options):
    with tempfile.TemporaryDirectory() as folder:
        return Batch([Program(seed) for seed in seeds], options, pathlib.Path(folder), TEXT).run()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--programs', type=int, default=12)
    parser.add_argument('--batch', type=int, default=6)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--show', action='store_true', help='prints the programs alone')
    parser.add_argument('flags', nargs='*', help='of the compiler, after --')
    options = parser.parse_args()
    torch.set_num_threads(1)
    seeds = range(options.seed, options.seed + options.programs)
    if options.show:
        for seed in seeds:
            print(Program(seed).block(seed))
        return 0
    batches = [seeds[i:i + options.batch] for i in range(0, len(seeds), options.batch)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for reports in pool.map(lambda batch: run_batch(batch, options), batches):
            wrong += len(reports)
            for report in reports:
                print(report, flush=True)
    print('%d programs, %d wrong' % (options.programs, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
