#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of random statements with products, reductions and operands of fewer axes, beside NumPy.

  test/fuzz/programs.py [--seed N] [--programs N] [--batch N] [--jobs N] [--dtype T] [-- FLAG...]

A program is some statements, one after another, over tensors that they share. Program N is that of
seed N and of one main element type; --batch programs are compiled together, with $CXX (g++) and the
FLAGS; the default finds reads out of bounds. NumPy computes in double. It computes each program
several times, with errors of rounding added at random: how much that changes is the tolerance.
Needs NumPy. Prints the programs that differ, crash or do not compile; exits with 1 if there are
any. -- -O0 -fopenmp -DMSHADOW_DEBUG_KERNELS=1 leaves out the sanitizers, in half of the time.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True  # nothing beside the sources
import generator
from generator import Leaf, Node, Statement, replaced, shape_text, size_of
from statements import FLAGS

HALF = 'mshadow::half::half_t'
DTYPES = ('float', 'float', 'double', HALF, 'int32_t', 'uint8_t')
REAL = {'float': (2.0**-24, 1e15), 'double': (2.0**-53, 1e15), HALF: (2.0**-11, 3e4)}
BITS = {'uint8_t': 8, 'int32_t': 32, 'int64_t': 64, 'uint64_t': 64}
SAMPLES = 7  # the first without errors, the others in pairs of opposite ones

PROGRAM = r'''
#include <mshadow/tensor.h>
#include <mshadow/einsum.h>
#include <mshadow/nn.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <type_traits>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;
using half_t = mshadow::half::half_t;

struct Twice {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a) {
    return a * T(2) + T(1);
  }
};

std::FILE* out;
std::vector<std::function<bool()>> checks;

/// A tensor of the numbers low + step * n for n < count, `pad` elements between its rows. Nothing
/// follows the last one in memory; checks tell whether what lies between rows was written.
template <typename T, int dim>
Tensor<Device, dim, T> Make(Shape<dim> shape, unsigned seed, int pad, double low, double step,
                            unsigned count) {
  static std::deque<std::vector<T>> store;
  const size_t cols = shape[dim - 1], stride = cols + pad, skip = seed % 4;
  const size_t rows = cols == 0 ? 0 : shape.Size() / cols;
  const T gap = static_cast<T>(77.0f);
  store.emplace_back(skip + (rows == 0 ? 0 : (rows - 1) * stride + cols), gap);
  std::vector<T>& memory = store.back();
  T* const first = memory.data() + skip;
  for (size_t i = 0; i < rows * cols; ++i) {
    const unsigned long long hash = ((i + 1) * 2654435761ull + seed * 40503ull) & 0xffffffffull;
    const double value = low + step * static_cast<double>((hash >> 12) % count);
    first[i / cols * stride + i % cols] = static_cast<T>(static_cast<float>(value));
  }
  checks.push_back([&memory, skip, cols, stride, gap] {
    for (size_t i = 0; i < memory.size(); ++i) {
      const bool between = i < skip || (i - skip) % stride >= cols;
      if (between && !(memory[i] == gap)) return false;
    }
    return true;
  });
  return Tensor<Device, dim, T>(first, shape, stride, nullptr);
}

void Put(double value) { std::fwrite(&value, sizeof(value), 1, out); }

template <int dim, typename T>
void Emit(const Tensor<Device, dim, T>& t) {
  const size_t cols = t.shape_[dim - 1], size = t.shape_.Size();
  Put(static_cast<double>(size));
  for (size_t i = 0; i < size; ++i) {
    Put(static_cast<double>(t.dptr_[i / cols * t.stride_ + i % cols]));
  }
  std::fflush(out);
}
template <typename T, typename = std::enable_if_t<IsScalar<T>::value>>
void Emit(T value) {
  Put(1);
  Put(static_cast<double>(value));
  std::fflush(out);
}

@blocks
int main(int, char** argv) {
  out = std::fopen(argv[1], "wb");
  void (*const programs[])() = {@names};
  const int n = sizeof(programs) / sizeof(programs[0]);
  for (int i = std::atoi(argv[2]); i < n; ++i) {
    try {
      programs[i]();
      bool whole = true;
      for (const auto& check : checks) whole = check() && whole;
      Put(whole ? -1 : -2);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "program %d: %s\n", i, error.what());
      Put(-3);
    }
    std::fflush(out);
    checks.clear();
  }
  std::fclose(out);
}
'''


class Reject(Exception):
    """The statement leaves the numbers that can be compared."""


class Noise:
    """Errors of rounding of one sample."""

    def __init__(self, seed, sample):
        self.rng = np.random.default_rng(abs(hash((seed, (sample + 1) // 2))))
        self.sign = 0 if sample == 0 else 1 if sample % 2 else -1

    def append(self, what):
        """Node.value reports what it computed."""

    def of(self, v, unit, least=0.0):
        """Errors of `unit` of each element."""
        r = self.rng.uniform(0.5, 1.5, v.shape) * self.rng.choice((-1, 1), v.shape) * self.sign
        return r * np.where(v == 0, 0, np.abs(v) * unit + least)


def settled(v, dtype, noise, exact=True):
    """What elements of that type hold, with the errors of an operation on them."""
    v = np.asarray(v)
    if dtype in BITS:
        if v.dtype.kind == 'f':
            if not np.isfinite(v).all() or (np.abs(v) >= 2.0**31).any():
                raise Reject
            v = np.trunc(v)
        v = v.astype(np.int64)
        if dtype == 'uint8_t':
            return v & 255
        if dtype == 'int32_t':
            return ((v + 2**31) & (2**32 - 1)) - 2**31
        if (np.abs(v) > 2**53).any() or dtype == 'uint64_t' and (v < 0).any():
            raise Reject
        return v
    v = v.astype(np.float64)
    unit, largest = REAL[dtype]
    finite = v[~np.isnan(v)]
    if finite.size and np.abs(finite).max() > largest or finite.size < v.size and v.size > 9:
        raise Reject
    whole = (v == np.rint(v)) & (np.abs(v) < 1 / unit) & exact
    return v + np.where(whole, 0, noise.of(v, 2 * unit if exact else 4 * unit,
                                           6e-8 if dtype == HALF else 0))


class Term(Node):
    """An expression of a program: `full` and `lost` say which axes of how many a reduction lost.

    sums: elements are added up, each with an error; exact: whole numbers give whole numbers.
    """

    def __init__(self, text, function, *operands, dtype, shape, full=None, lost=0, exact=True,
                 sums=False):
        super().__init__(text, function, *operands)
        self.dtype, self.shape, self.exact, self.sums = dtype, tuple(shape), exact, sums
        self.full, self.lost = full if lost else len(self.shape), lost

    def value(self, arrays, seen=None):
        values = [a.value(arrays, seen) for a in self.operands]
        if self.sums:
            values = [settled(v, 'float', seen) if v.dtype.kind == 'f' and v.size and
                      np.abs(v[~np.isnan(v)]).max(initial=0) < 1e15 and self.dtype != 'double'
                      else v for v in values]
        with np.errstate(all='ignore'):
            return settled(self.function(*values), self.dtype, seen, self.exact)


class Variable(Leaf):
    """A tensor that the program makes, or that a statement has made: `kind` is view, const, owner
    or scalar."""
    full = property(lambda self: len(self.shape))
    lost = 0
    operands = ()

    def __init__(self, name, shape, dtype, rng, kind, below=None):
        super().__init__(name, shape, dtype, rng, below)
        self.kind, self.lines = kind, []
        if below is not None:
            self.range = (0, 1, below)
        elif dtype == 'uint8_t':
            self.range = rng.choice(((0, 1, 6), (0, 1, 256)))
        elif dtype in BITS:
            self.range = (-4, 1, 9)
        else:
            self.range = rng.choice(((-2, 1 / 64, 256), (-2, 1 / 64, 256), (-3, 1, 7),
                                     (0.25, 1 / 64, 100)))

    def data(self):
        i = np.arange(1, size_of(self.shape) + 1, dtype=np.uint64)
        hashes = (i * 2654435761 + self.seed * 40503) & 0xffffffff
        low, step, count = self.range
        v = low + step * ((hashes >> 12) % count).astype(np.float64).reshape(self.shape)
        return v.astype(np.int64) if self.dtype in BITS else v

    def declaration(self):
        low, step, count = self.range
        make = 'Make<%s>(%s, %d, %d, %r, %r, %d)' % (
            self.dtype, shape_text(self.shape), self.seed, self.pad, low, step, count)
        if self.kind == 'const':
            return 'const Tensor<Device, %d, const %s> %s = %s;' % (len(self.shape), self.dtype,
                                                                   self.name, make)
        return 'auto %s = %s;' % (self.name, make)


JOINED = 1 << 16  # in `lost`: a reduction was joined with a tensor, and may not be repeated


def repeated_axes(rank, a, others):
    """The axes along which the operand `a` is repeated, as bits; None where that is an error.
    `others`: full and lost of the operands of `rank` axes."""
    own, full, lost = len(a.shape), a.full, a.lost
    if lost & JOINED:
        return None
    if lost == (1 << (full - own)) - 1:
        return (1 << (rank - own)) - 1
    if full <= rank:
        return lost << (rank - full) | ((1 << (rank - full)) - 1)
    if full != others[0] or others[1] & ~JOINED & ~lost:
        return None
    kept = [i for i in range(full) if not others[1] >> i & 1]
    return sum((lost >> axis & 1) << k for k, axis in enumerate(kept))


def lost_axes(rank, operands):
    """full and lost of a map; None where operands lost different ones."""
    full, lost, plain, joined = 0, 0, False, 0
    for a in operands:
        if len(a.shape) != rank:
            plain = plain or 0 < len(a.shape) and a.full <= rank
            continue
        own, joined = a.lost & ~JOINED, joined | a.lost & JOINED
        plain = plain or not own
        if lost and own and (full, lost) != (a.full, own):
            return None
        if a.full > full or not lost and a.full == full:
            full, lost = a.full, own
    if plain and lost and lost != (1 << (full - rank)) - 1:
        joined = JOINED
    return full, lost | joined


def truncated(v, w):
    """Quotients as C++ has them; of integers and 0 they are 0."""
    if v.dtype.kind == 'f' or w.dtype.kind == 'f':
        return v / w
    return np.where(w == 0, 0, np.sign(v) * np.sign(w) * (np.abs(v) // np.maximum(np.abs(w), 1)))


def last(v, axes):
    """The axes at the end, joined."""
    others = [i for i in range(v.ndim) if i not in axes]
    v = np.transpose(v, others + sorted(axes))
    count = size_of(v.shape[len(others):])
    return v.reshape(v.shape[:len(others)] + (count,))


def logsumexp(v):
    if v.shape[-1] == 0:
        return np.full(v.shape[:-1], np.nan)
    top = v.max(-1)
    return top + np.log(np.exp(v - top[..., None]).sum(-1))


# name: function of the last axis, and what is said of the result: of elements, integer sums,
# fractions or indices.
REDUCTIONS = {
    'sum': (lambda v: v.sum(-1), 'sum'), 'prod': (lambda v: v.prod(-1), 'sum'),
    'mean': (lambda v: v.mean(-1), 'real'), 'var': (lambda v: v.var(-1), 'real'),
    'stddev': (lambda v: v.std(-1), 'real'),
    'norm': (lambda v: np.sqrt((v.astype(float)**2).sum(-1)), 'real'),
    'logsumexp': (lambda v: logsumexp(v.astype(float)), 'real'),
    'max': (lambda v: v.max(-1), 'same'), 'min': (lambda v: v.min(-1), 'same'),
    'any': (lambda v: (v != 0).any(-1), 'same'), 'all': (lambda v: (v != 0).all(-1), 'same'),
    'argmax': (lambda v: v.argmax(-1), 'index'), 'argmin': (lambda v: v.argmin(-1), 'index')}


def result_type(name, dtype):
    says = REDUCTIONS[name][1]
    if says == 'index':
        return 'int64_t'
    if dtype in REAL or says == 'same':
        return dtype
    return 'double' if says == 'real' else 'int64_t' if dtype == 'int32_t' else 'uint64_t'


BINARY = [('(%s + %s)', np.add), ('(%s - %s)', np.subtract), ('(%s * %s)', np.multiply),
          ('maximum(%s, %s)', np.maximum), ('minimum(%s, %s)', np.minimum),
          ('(%s < %s)', np.less), ('(%s == %s)', np.equal), ('(%s >= %s)', np.greater_equal),
          ('(%s && %s)', lambda v, w: (v != 0) & (w != 0)),
          ('(%s || %s)', lambda v, w: (v != 0) | (w != 0)),
          ('logical_xor(%s, %s)', lambda v, w: (v != 0) ^ (w != 0))]
UNARY = [('abs(%s)', np.abs), ('square(%s)', np.square), ('sign(%s)', np.sign),
         ('relu(%s)', lambda v: np.maximum(v, 0)), ('-%s', np.negative),
         ('!%s', lambda v: v == 0), ('F<Twice>(%s)', lambda v: 2 * v + 1),
         ('clip(%s, 1, 3)', lambda v: np.clip(v, 1, 3))]
UNARY_REAL = [('tanh(%s)', np.tanh), ('sigmoid(%s)', lambda v: 1 / (1 + np.exp(-v))),
              ('exp(minimum(%s, 2))', lambda v: np.exp(np.minimum(v, 2))),
              ('exp(%s)', np.exp), ('sin(%s)', np.sin),
              ('sqrt(abs(%s) + 0.25f)', lambda v: np.sqrt(np.abs(v) + 0.25)),
              ('log(abs(%s) + 0.5f)', lambda v: np.log(np.abs(v) + 0.5)),
              ('1 / (square(%s) + 0.5f)', lambda v: 1 / (v * v + 0.5)),
              ('rsqrt(%s * %s + 1)', None), ('floor(%s)', np.floor), ('ceil(%s)', np.ceil),
              ('trunc(%s)', np.trunc), ('silu(%s)', lambda v: v / (1 + np.exp(-v))),
              ('softplus(%s)', lambda v: np.log1p(np.exp(v))),
              ('pow(abs(%s) + 0.5f, 1.5f)', lambda v: (np.abs(v) + 0.5)**1.5),
              ('F([](auto a) { return a * a - a; }, %s)', lambda v: v * v - v)]

OPERATIONS = []  # (least rank, most rank, method, weight)


def operation(weight, least=1, most=4):
    def register(method):
        OPERATIONS.append((least, most, method, weight))
        return method
    return register


class Program(Statement):
    """Its lines, and what NumPy says that it emits: (expected, tolerance) of every emission."""
    weighted = True
    reduced_sizes = (1, 2, 3, 5, 9, 17, 40)

    # pylint: disable=super-init-not-called
    def __init__(self, seed, dtype):
        self.rng, self.seed = random.Random(seed), seed
        self.main = self.dtype = dtype or self.rng.choice(DTYPES)
        self.variables, self.samples = [], [{} for _ in range(SAMPLES)]
        self.lines, self.emissions, self.names = [], [], 0
        self.lazies, self.pending, self.allow_eval = [], [], True
        wanted, tries = self.rng.choice((2, 3, 4)), 0
        while len(self.emissions) < wanted and tries < 60:
            tries += 1
            self.try_statement()
        self.text = '\n'.join('  ' + line for line in self.lines)

    # ---- Tensors ----
    def name(self):
        self.names += 1
        return 't%d' % (self.names - 1)

    def new(self, shape, dtype=None, below=None):
        dtype, shape = dtype or self.dtype, tuple(shape)
        if below and below > {'uint8_t': 256, HALF: 2048}.get(dtype, below):
            raise Reject
        known = [v for v in self.variables + self.pending
                 if v.shape == shape and v.dtype == dtype and v.below == below and shape]
        if known and self.rng.random() < 0.6:
            return self.rng.choice(known)
        kind = 'const' if self.rng.random() < 0.07 and below is None else 'view'
        leaf = Variable(self.name(), shape, dtype, self.rng, kind, below)
        self.pending.append(leaf)
        return leaf

    def target(self, shape):
        """A tensor that may be written."""
        known = [v for v in self.variables + self.pending if v.shape == tuple(shape) and
                 v.dtype == self.dtype and v.below is None and v.kind in ('view', 'owner')]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        leaf = Variable(self.name(), shape, self.dtype, self.rng, 'view')
        self.pending.append(leaf)
        return leaf

    def shape(self):
        rank = self.rng.choice((1, 2, 2, 2, 3, 3, 4))
        sizes = (1, 2, 3, 4, 5, 6, 8) if rank > 2 else (1, 2, 3, 5, 8, 12, 17, 33)
        shape = [self.rng.choice(sizes) for _ in range(rank)]
        if self.rng.random() < 0.2:
            shape[-1] = self.rng.choice((16, 31, 64, 130, 600) if rank < 3 else (16, 40, 70))
        if self.rng.random() < 0.15:  # squares hide no axis
            shape[-2:] = shape[-1:] * len(shape[-2:])
        if self.rng.random() < 0.04:
            shape[self.rng.randrange(rank)] = 0
        return tuple(shape)

    def fits(self, node):
        return True

    def cast(self, v, dtype):
        return v * 1  # of a bool

    # ---- Expressions ----
    def expression(self, shape, depth):
        shape = tuple(shape)
        if self.lazies and self.rng.random() < 0.15:
            known = [e for e in self.lazies if e.shape == shape and e.dtype == self.dtype]
            if known:
                return self.rng.choice(known)
        self.operations = OPERATIONS if 0 in shape else OPERATIONS + MOVES
        node = super().expression(shape, depth)
        if not isinstance(node, (Term, Variable)):
            node = Term(node.text, node.function, *node.operands, dtype=self.dtype, shape=shape,
                        sums=True)
        return node

    def typed(self, dtype, shape, depth):
        """An expression of another element type."""
        before, self.dtype = self.dtype, dtype
        made = self.expression(shape, depth)
        self.dtype = before
        return made

    def plain(self, a):
        """`a` as a tensor, which remembers no reduction."""
        if not self.allow_eval:
            return self.new(a.shape)
        return Term(f'eval({a})', lambda v: v, a, dtype=a.dtype, shape=a.shape)

    def operands(self, shape, depth, count):
        """Operands of an element-wise node: one has that shape, others that or fewer axes."""
        rank = len(shape)
        first = self.expression(shape, depth)
        made, rest = [first], []
        for _ in range(1, count):
            how = self.rng.random()
            if how < 0.5 or rank == 1:
                b = self.expression(shape, depth - 1)
                if lost_axes(rank, made + [b]) is None:
                    b = self.plain(b)
                made.append(b)
            else:
                rest.append(how)
        for how in rest:
            others = lost_axes(rank, made)
            b = self.low(shape, depth - 1, others, how < 0.65)
            made.append(b)
        if not self.rng.randrange(2):
            made.reverse()
        return made, lost_axes(rank, made)

    def low(self, shape, depth, others, plain):
        """An operand of fewer axes beside one of that shape."""
        rank = len(shape)
        if plain:
            b = self.expression(shape[self.rng.randrange(1, rank):], depth)
        elif others[1] and self.rng.random() < 0.5:
            # Of what the other came from: more axes are lost.
            full, lost = others
            source, at = [], 0
            for i in range(full):
                source.append(self.rng.choice((2, 3)) if lost >> i & 1 else shape[at])
                at += 1 - (lost >> i & 1)
            more = [i for i in range(full) if not lost >> i & 1 and self.rng.random() < 0.5]
            axes = sorted([i for i in range(full) if lost >> i & 1] + more)
            b = self.reduced(tuple(source), axes, depth) if len(axes) < full else None
        else:
            full = self.rng.choice((rank, rank, self.rng.randrange(1, rank + 1)))
            axes = [i for i in range(full) if self.rng.random() < 0.5]
            source = list(shape[rank - full:])
            for i in axes:
                if self.rng.random() < 0.3:
                    source[i] = self.rng.choice((1, 2, 5))
            b = self.reduced(tuple(source), axes, depth) if 0 < len(axes) < full else None
        if b is None:
            b = self.new(shape[1:])
        axes = repeated_axes(rank, b, others)
        if axes is None or b.shape != tuple(n for i, n in enumerate(shape) if not axes >> i & 1):
            b = self.plain(b)
            if b.shape != tuple(shape[rank - len(b.shape):]):
                return self.new(shape[1:])
            axes = (1 << (rank - len(b.shape))) - 1
        # For NumPy, the axes that it is repeated along stay, with extent 1.
        aligned = tuple(1 if axes >> i & 1 else n for i, n in enumerate(shape))
        out = Term(b.text, lambda v: v.reshape(aligned), b, dtype=self.dtype, shape=b.shape,
                   full=b.full, lost=b.lost)
        return out

    def element_wise(self, text, function, shape, depth, count, exact=True):
        operands, (full, lost) = self.operands(shape, depth, count)
        return Term(text % tuple(operands), function, *operands, dtype=self.dtype, shape=shape,
                    full=full, lost=lost, exact=exact)

    @operation(14)
    def binary(self, shape, depth):
        text, function = self.rng.choice(BINARY[:5] + BINARY[:3] + BINARY)
        return self.element_wise(text, lambda v, w: function(v, w) * 1, shape, depth, 2)

    @operation(3)
    def quotient(self, shape, depth):
        if self.is_real():
            return self.element_wise('(%s / (abs(%s) + 1))', lambda v, w: v / (np.abs(w) + 1),
                                     shape, depth, 2, exact=False)
        return self.element_wise('(%s / %s)', truncated, shape, depth, 2)

    @operation(6)
    def unary(self, shape, depth):
        return self.mapped(self.expression(shape, depth))

    def mapped(self, a):
        text, function = self.rng.choice(UNARY + UNARY_REAL * 2 if self.is_real() else UNARY)
        if function is None:
            text, function = 'rsqrt(%s * %s + 1)' % (a, a), lambda v: 1 / np.sqrt(v * v + 1)
        else:
            if text[0] in '-!' and a.text[0] in '-!':
                return a
            text = text % a
        if text.startswith('1 /') or text[0] in '-!':
            text = f'({text})'
        return Term(text, lambda v: function(v) * 1, a, dtype=self.dtype, shape=a.shape,
                    full=a.full, lost=a.lost,
                    exact=not self.is_real() or text[:4] in ('abs(', 'relu', 'squa'))

    @operation(4)
    def with_scalar(self, shape, depth):
        a = self.expression(shape, depth)
        c = self.rng.choice((1, 2, 3))
        f = '.5f' if self.is_real() and self.rng.random() < 0.3 else ''
        k = c + 0.5 if f else c
        forms = [(f'({a} + {c}{f})', lambda v: v + k), (f'({a} * {c}{f})', lambda v: v * k),
                 (f'({c}{f} - {a})', lambda v: k - v), (f'({a} > {c}{f})', lambda v: (v > k) * 1),
                 (f'maximum({c}{f}, {a})', lambda v: np.maximum(k, v)),
                 (f'({a} / {c}{f})', lambda v: truncated(v, np.asarray(k)))]
        if not self.is_real():
            forms.append((f'({a} % 3)', lambda v: np.mod(v, 3)))
        text, function = self.rng.choice(forms)
        return Term(text, function, a, dtype=self.dtype, shape=shape, full=a.full, lost=a.lost,
                    exact=' / ' not in text[len(a.text):] or not self.is_real())

    @operation(3)
    def where(self, shape, depth):
        return self.element_wise('where(%s, %s, %s)', lambda u, v, w: np.where(u != 0, v, w),
                                 shape, depth, 3)

    @operation(2)
    def fma(self, shape, depth):
        if not self.is_real():
            return None
        return self.element_wise('F([](auto a, auto b) { return a * b + a; }, %s, %s)',
                                 lambda v, w: v * w + v, shape, depth, 2)

    @operation(2)
    def tcast(self, shape, depth):
        dtype = self.rng.choice([t for t in DTYPES if t != self.dtype])
        a = self.typed(dtype, shape, depth - 1)
        return self.cast_to(a, self.dtype)

    def cast_to(self, a, dtype):
        if a.dtype == dtype:
            return a
        return Term(f'tcast<{dtype}>({a})', lambda v: v, a, dtype=dtype, shape=a.shape,
                    full=a.full, lost=a.lost)

    @operation(1)
    def evaluated(self, shape, depth):
        if not self.allow_eval:
            return None
        return self.plain(self.expression(shape, depth))

    # ---- Reductions ----
    def reduction_name(self, dtype, source):
        names = [n for n in REDUCTIONS if 0 not in source or n in ('sum', 'prod', 'any', 'all')]
        if dtype not in REAL:
            names += ['sum', 'sum']
        return self.rng.choice(names)

    def reduced(self, source, axes, depth):
        """A reduction over these axes, as the element type that is asked for."""
        dtype = self.dtype if self.rng.random() < 0.9 else self.rng.choice(DTYPES)
        if size_of(source) > 30000:
            return None
        a = self.typed(dtype, source, depth)
        name = self.reduction_name(dtype, source)
        function = REDUCTIONS[name][0]
        named = [i if self.rng.random() < 0.7 else i - len(source) for i in axes]
        self.rng.shuffle(named)
        kept = tuple(n for i, n in enumerate(source) if i not in axes)
        out = Term('%s<%s>(%s)' % (name, ', '.join(map(str, named)), a),
                   lambda v: function(last(v, axes)) * 1, a, dtype=result_type(name, dtype),
                   shape=kept, full=len(source), lost=sum(1 << i for i in axes),
                   exact=REDUCTIONS[name][1] != 'real', sums=REDUCTIONS[name][1] in ('sum', 'real'))
        return self.cast_to(out, self.dtype)

    @operation(12, 1, 3)
    def reduction(self, shape, depth):
        full = self.rng.randrange(len(shape) + 1, min(len(shape) + 3, 5))
        axes = sorted(self.rng.sample(range(full), full - len(shape)))
        source = list(shape)
        for axis in axes:
            source.insert(axis, self.rng.choice(self.reduced_sizes))
        return self.reduced(tuple(source), axes, depth)

    @operation(3)
    def with_value(self, shape, depth):
        """Beside the reduction of all of something."""
        a = self.expression(shape, depth)
        source = shape if self.rng.random() < 0.5 else self.shape()
        if 0 in source or size_of(source) > 30000:
            return None
        b = self.expression(source, depth - 1)
        name = self.rng.choice(('max', 'min') if not self.is_real() else
                               ('max', 'min', 'mean', 'stddev', 'norm', 'sum'))
        axes = ''
        if self.rng.random() < 0.3:
            axes = '<%s>' % ', '.join(map(str, range(len(source))))
        value = Term(f'{name}{axes}({b})', lambda v: REDUCTIONS[name][0](v.reshape(-1)), b,
                     dtype=result_type(name, self.dtype), shape=(),
                     exact=REDUCTIONS[name][1] == 'same', sums=REDUCTIONS[name][1] != 'same')
        text, function = self.rng.choice(BINARY[:3])
        return Term(text % (a, value), function, a, value, dtype=self.dtype, shape=shape,
                    full=a.full, lost=a.lost)

    @operation(1, 1, 1)
    def sums_by_function(self, shape, depth):
        rank = self.rng.choice((2, 2, 3, 4))
        axis = self.rng.randrange(rank)
        source = [self.rng.choice((1, 2, 3, 5)) for _ in range(rank)]
        source[axis] = shape[0]
        if 0 in source:
            return None
        a = self.expression(source, depth)
        others = [i for i in range(rank) if i != axis]
        lost = sum(1 << i for i in others)
        text = f'sumall_except_dim<{axis}>({a})'
        if rank == 2 and axis == 1:
            text = f'sum_rows({a})'
        elif self.rng.random() < 0.4:
            name = self.rng.choice(('maximum', 'minimum'))
            return Term(f'reduce_except_dim<{axis}, red::{name}>({a})',
                        lambda v: getattr(last(v, others), name[:3])(-1), a, dtype=self.dtype,
                        shape=shape, full=rank, lost=lost)
        return Term(text, lambda v: last(v, others).sum(-1), a, dtype=self.dtype, shape=shape,
                    full=rank, lost=lost, sums=True)

    # ---- Products ----
    def factor(self, shape, depth):
        """A matrix, and whether it is transposed."""
        if len(shape) == 2 and self.rng.random() < 0.4:
            a = self.expression(shape[::-1], depth)
            return Term(f'{a}.T()' if re.fullmatch(r'\w+', a.text) else f'({a}).T()', np.transpose,
                        a, dtype=self.dtype, shape=shape)
        return self.expression(shape, depth)

    @operation(9, 1, 2)
    def dot(self, shape, depth):
        inner = self.rng.choice((1, 2, 3, 5, 8, 17, 40))
        if self.rng.random() < 0.02:
            inner = 0
        elif self.rng.random() < 0.4:
            inner = self.rng.choice(shape)
        if len(shape) == 2 and self.rng.random() < 0.1:
            a, b = (self.expression(n, depth) for n in (shape[:1], shape[1:]))
            return Term(f'dot(({a}).T(), {b})', np.outer, a, b, dtype=self.dtype, shape=shape)
        if len(shape) == 2:
            a, b = self.factor((shape[0], inner), depth), self.factor((inner, shape[1]), depth)
        elif self.rng.random() < 0.5:
            a, b = self.expression((inner,), depth), self.factor((inner, shape[0]), depth)
        else:
            a, b = self.factor((shape[0], inner), depth), self.expression((inner,), depth)
        return self.scaled(f'dot({a}, {b})', np.matmul, a, b, shape)

    def scaled(self, text, function, a, b, shape):
        if self.rng.random() < 0.2:
            return Term(f'(2 * {text})', lambda v, w: 2 * function(v, w), a, b, dtype=self.dtype,
                        shape=shape, sums=True)
        return Term(text, function, a, b, dtype=self.dtype, shape=shape, sums=True)

    @operation(4, 3, 3)
    def batch_dot(self, shape, depth):
        inner = self.rng.choice((1, 2, 5, 9))
        left, right = (self.rng.random() < 0.4 for _ in 'ab')
        swapped = [(2, 1) if t else (1, 2) for t in (left, right)]
        shapes = [(shape[0],) + tuple(s[i] for i in t) for t, s in zip(
            swapped, ((0, shape[1], inner), (0, inner, shape[2])))]
        a, b = (self.expression(s, depth) for s in shapes)

        def function(v, w):
            return np.matmul(*(np.swapaxes(u, 1, 2) if t else u
                               for u, t in ((v, left), (w, right))))
        return self.scaled('batch_dot<%s, %s>(%s, %s)' % (
            str(left).lower(), str(right).lower(), a, b), function, a, b, shape)

    @operation(6)
    def einsum(self, shape, depth):
        letters = self.rng.sample('abcdefghijk', 8)
        out = letters[:len(shape)]
        extents = dict(zip(out, shape))
        terms = [[] for _ in range(self.rng.choice((1, 2, 2, 2, 2, 3, 4)))]

        def place(letter, of_both):
            for t in self.rng.choice((terms, *of_both)):
                t.append(letter)
        for letter in out:
            place(letter, [[t] for t in terms])
        for letter in letters[len(shape):len(shape) + self.rng.choice((0, 1, 1, 2))]:
            extents[letter] = self.rng.choice((1, 2, 3, 7))
            place(letter, [terms, terms, *([t] for t in terms)])
        for t in terms:
            if t and self.rng.random() < 0.1:  # a diagonal
                t.append(self.rng.choice(t))
        if not all(1 <= len(t) <= 4 for t in terms):
            return None
        if self.rng.random() < 0.5:
            for t in terms:
                self.rng.shuffle(t)
        operands = [self.expression([extents[i] for i in t], depth) for t in terms]
        # Two at a time, each with an error of rounding.
        result, have = operands[0], terms[0]
        for i in range(1, max(2, len(terms))):
            wanted = out if i + 1 >= len(terms) else sorted(
                set(have + terms[i]) & set(sum(terms[i + 1:], out)))
            spec = '->'.join((','.join(map(''.join, [have, *terms[i:i + 1]])), ''.join(wanted)))
            result = Term('', lambda *v, spec=spec: np.einsum(spec, *v), result, *operands[i:i + 1],
                          dtype=self.dtype, shape=[extents[c] for c in wanted], sums=True)
            have = wanted
        result.text = 'MSHADOW_EINSUM("%s->%s", %s)' % (
            ','.join(map(''.join, terms)), ''.join(out), ', '.join(f'({e})' for e in operands))
        return result

    # ---- Steps ----
    @operation(3)
    def softmax(self, shape, depth):
        if not self.is_real() or 0 in shape:
            return None
        axis = self.rng.randrange(len(shape))
        named = axis if self.rng.random() < 0.5 else axis - len(shape)
        name, a = self.rng.choice(('softmax', 'log_softmax')), self.expression(shape, depth)

        def function(v):
            v = v - v.max(axis, keepdims=True)
            total = np.exp(v).sum(axis, keepdims=True)
            return np.exp(v) / total if name == 'softmax' else v - np.log(total)
        return Term(f'{name}<{named}>({a})', function, a, dtype=self.dtype, shape=shape,
                    exact=False, sums=True)

    @operation(2)
    def layer_norm(self, shape, depth):
        if not self.is_real() or 0 in shape:
            return None
        a = self.expression(shape, depth)
        g, b = (self.expression(shape[-1:], depth - 1) for _ in 'gb')

        def function(v, gamma, beta):
            v = v - v.mean(-1, keepdims=True)
            return v / np.sqrt((v * v).mean(-1, keepdims=True) + 0.01) * gamma + beta
        return Term(f'layer_norm({a}, {g}, {b}, 0.01)', function, a, g, b, dtype=self.dtype,
                    shape=shape, exact=False, sums=True)

    @operation(2, 1, 3)
    def column(self, shape, depth):
        n = self.rng.choice((1, 2, 5))
        j = self.rng.randrange(-n, n)
        a = self.expression(tuple(shape) + (n,), depth)
        return Term(f'Column({a}, {j})', lambda v: v[..., j], a, dtype=self.dtype, shape=shape)

    @operation(1, 1, 1)
    def row(self, shape, depth):
        del depth
        n = self.rng.choice((1, 2, 5))
        i, a = self.rng.randrange(n), self.new((n,) + tuple(shape))
        return Term(f'{a}[{i}]', lambda v: v[i], a, dtype=self.dtype, shape=shape)

    # ---- Statements ----
    def try_statement(self):
        self.pending, self.dtype, self.allow_eval = [], self.main, True
        names = self.names
        try:
            with np.errstate(all='ignore'):
                self.statement()
        except Reject:
            self.names = names

    def arrays(self, sample):
        """The values of all tensors, and of those that the statement makes."""
        known = dict(self.samples[sample])
        known.update((v, v.data()) for v in self.pending if v.kind in ('view', 'const'))
        return known

    def commit(self, line, changes, samples):
        """The line runs, and changes these variables."""
        used = set(re.findall(r'\bt\d+\b', line))
        for v in self.pending:
            if v.name in used and v.kind in ('view', 'const'):
                self.lines.append(v.declaration())
                self.variables.append(v)
        self.lines.append(line)
        for known, after in zip(self.samples, samples):
            known.update((v, a) for v, a in after.items() if v.name in used or v in known)
        for v in changes:
            values = [np.asarray(s[v], dtype=float).reshape(-1) for s in samples]
            self.lines.append(f'Emit({v});')
            spread = max((np.abs(w - values[0]) for w in values[1:]), key=lambda d: np.nansum(d))
            for w in values[1:]:
                spread = np.fmax(spread, np.abs(w - values[0]))
            unit = REAL[v.dtype][0] if v.dtype in REAL else 0
            spread = np.fmax(spread, 0.1 * np.nanmedian(spread)) if spread.size else spread
            self.emissions.append((values[0], 6 * spread + 8 * unit * np.abs(values[0]) +
                                   (2e-7 if v.dtype == HALF else 1e-30 if unit else 0)))
            if v not in self.variables:
                self.variables.append(v)

    def values(self, a, arrays, number):
        return [a.value(arrays[s], Noise((self.seed, len(self.lines), number), s))
                for s in range(SAMPLES)]

    def statement(self):
        kind = self.rng.choices(('assign', 'compound', 'make', 'value', 'lazy', 'part', 'fuse'),
                                (8, 5, 4, 3, 2, 3, 2))[0]
        getattr(self, 'to_' + kind)()

    def depth(self):
        return self.rng.choice((1, 2, 2, 3, 3))

    @staticmethod
    def short(a):
        """`a`, if it does not take too long to compile."""
        if a.count() > 14 or len(a.text) > 500:
            raise Reject
        return a

    def checked(self, a):
        """`a` as the right side of `=`, which would rebind a view to a mere tensor."""
        a = self.short(a)
        if isinstance(a, Variable) or a.text.startswith('eval(') or a.text.endswith(']'):
            return Term(f'({a} * 1)', lambda v: v, a, dtype=a.dtype, shape=a.shape, full=a.full,
                        lost=a.lost)
        return a

    def to_assign(self):
        shape = self.shape()
        a = self.checked(self.expression(shape, self.depth()))
        own = [v for v in dict.fromkeys(a.leaves()) if isinstance(v, Variable) and v.shape == shape
               and v.dtype == self.dtype and v.kind in ('view', 'owner') and v.below is None]
        leaf = self.rng.choice(own) if own and self.rng.random() < 0.6 else self.target(shape)
        self.save(leaf, str(leaf), ..., '=', a)

    def save(self, leaf, text, part, saver, a):
        """`text saver a`, where `text` is that part of the leaf."""
        arrays = [self.arrays(s) for s in range(SAMPLES)]
        values = self.values(a, arrays, 0)
        for s, (known, value) in enumerate(zip(arrays, values)):
            known[leaf] = self.saved(known[leaf], part, saver, value, s)
        self.commit(f'{text} {saver} {a};', [leaf], arrays)

    def saved(self, old, part, saver, value, sample):
        """The array `old` after `old[part] saver value`."""
        new, noise = old.copy(), Noise((self.seed, len(self.lines), 9), sample)
        before = old[part]
        after = {'=': lambda: np.broadcast_to(value, before.shape), '+=': lambda: before + value,
                 '-=': lambda: before - value, '*=': lambda: before * value,
                 '/=': lambda: truncated(before, value)}[saver]()
        new[part] = settled(after, self.dtype, noise, saver != '/=')
        return new

    def divisor(self, saver, a):
        """`a`, as a divisor that is far from 0 if `saver` divides."""
        if saver != '/=' or not self.is_real():
            return a
        return Term(f'(abs({a}) + 1)', lambda v: np.abs(v) + 1, a, dtype=self.dtype, shape=a.shape,
                    full=a.full, lost=a.lost)

    def saver(self):
        return self.rng.choice(('+=', '-=', '*=', '/=', '+='))

    def to_compound(self):
        shape = self.shape()
        leaf = self.target(shape)
        if len(shape) > 1 and self.rng.random() < 0.4:
            a = self.low(shape, self.depth(), (len(shape), 0), self.rng.random() < 0.3)
        else:
            a = self.expression(shape, self.depth())
        saver = self.saver()
        self.save(leaf, str(leaf), ..., saver, self.divisor(saver, self.short(a)))

    def to_make(self):
        shape = self.shape()
        a = self.checked(self.expression(shape, self.depth()))
        v = Variable(self.name(), shape, self.dtype, self.rng, 'owner')
        self.pending.append(v)
        arrays = [self.arrays(s) for s in range(SAMPLES)]
        for known, value in zip(arrays, self.values(a, arrays, 0)):
            known[v] = np.broadcast_to(value, shape).copy()
        form = self.rng.choice(('auto {v} = eval({a});', '{t} {v}({a});', '{t} {v} = {a};'))
        t = 'TensorContainer<Device, %d, %s>' % (len(shape), self.dtype)
        self.commit(form.format(v=v, a=a, t=t), [v], arrays)

    def to_value(self):
        source = self.shape()
        a = self.short(self.expression(source, self.depth()))
        name = self.reduction_name(self.dtype, source)
        dtype = result_type(name, self.dtype)
        axes = '<%s>' % ', '.join(map(str, range(len(source)))) if self.rng.random() < 0.2 else ''
        v = Variable(self.name(), (), dtype, self.rng, 'scalar')
        function = REDUCTIONS[name][0]
        value = Term(f'{name}{axes}({a})', lambda u: function(u.reshape(-1)) * 1, a, dtype=dtype,
                     shape=(), exact=REDUCTIONS[name][1] != 'real',
                     sums=REDUCTIONS[name][1] in ('sum', 'real'))
        self.pending.append(v)
        arrays = [self.arrays(s) for s in range(SAMPLES)]
        for known, one in zip(arrays, self.values(value, arrays, 0)):
            known[v] = one
        self.commit(f'const auto {v} = {value};', [v], arrays)

    def to_lazy(self):
        """An expression with a name, which later statements compute anew."""
        self.allow_eval = False
        a = self.expression(self.shape(), self.depth())
        self.allow_eval = True
        if a.count() > 6 or isinstance(a, Variable) or 'eval(' in a.text:
            raise Reject
        arrays = [self.arrays(s) for s in range(SAMPLES)]
        self.values(a, arrays, 0)
        name = self.name().replace('t', 'e')
        self.commit(f'const auto {name} = {a};', [], arrays)
        e = Term(name, a.function, *a.operands, dtype=a.dtype, shape=a.shape, full=a.full,
                 lost=a.lost, exact=getattr(a, 'exact', True), sums=getattr(a, 'sums', False))
        self.lazies.append(e)

    def to_part(self):
        shape = self.shape()
        if 0 in shape:
            raise Reject
        saver = self.rng.choice(('=', self.saver()))
        if len(shape) < 4 and self.rng.random() < 0.4:
            n = self.rng.choice((1, 2, 5))
            j = self.rng.randrange(-n, n)
            leaf = self.target(shape + (n,))
            text, part = f'Column({leaf}, {j})', (..., j)
        elif self.rng.random() < 0.3:
            begin = self.rng.randrange(3)
            leaf = self.target(replaced(shape, 0, begin + shape[0] + self.rng.randrange(2)))
            end = begin + shape[0]
            text, part = f'{leaf}.Slice({begin}, {end})', slice(begin, end)
        else:
            axis, begin = self.rng.randrange(len(shape)), self.rng.randrange(3)
            end = begin + shape[axis]
            leaf = self.target(replaced(shape, axis, end + self.rng.randrange(3)))
            text = f'slice<{axis}>({leaf}, {begin}, {end})'
            part = (slice(None),) * axis + (slice(begin, end),)
        a = self.checked(self.expression(shape, self.depth()))
        self.save(leaf, text, part, saver, self.divisor(saver, a))

    def to_fuse(self):
        shape = self.shape()
        leaves, parts = [], []
        arrays = [self.arrays(s) for s in range(SAMPLES)]
        for number in range(self.rng.choice((2, 2, 3))):
            self.allow_eval = False  # it would read before the statements write
            a = self.checked(self.expression(shape, self.rng.choice((1, 2))))
            self.allow_eval = True
            leaf = self.rng.choice(leaves) if leaves and self.rng.random() < 0.2 else \
                self.target(shape)
            saver = self.rng.choice(('=', '=', '+=', '-=', '*='))
            for s, known in enumerate(arrays):
                for v in self.pending:
                    if v not in known:
                        known[v] = v.data()
            for s, value in enumerate(self.values(a, arrays, number)):
                arrays[s][leaf] = self.saved(arrays[s][leaf], ..., saver, value, s)
            parts.append(f'lazy({leaf}) {saver} {a}')
            if leaf not in leaves:
                leaves.append(leaf)
        self.commit('Fuse(%s);' % ', '.join(parts), leaves, arrays)

    def block(self, number=0):
        return 'void P%d() {  // seed %d, %s\n%s\n}' % (number, self.seed, self.main, self.text)


# Not taken from generator.py: maps, for which there are others above, what takes an index from an
# expression, and what loses an axis that is known at run time only.
OMITTED = ('scalar', 'binary', 'unary', 'where', 'tcast', 'take', 'mask', 'one_hot',
           'reduce_with_axis')
MOVES = [(least, most, method, 0.4) for least, most, method, _ in generator.OPERATIONS
         if method.__name__ not in OMITTED]


class Batch:
    """Programs that are compiled together."""

    def __init__(self, programs, options, folder, text=PROGRAM):
        self.programs, self.text = programs, text
        self.options, self.folder, self.reports = options, folder, []

    def compile(self):
        """False if none of the programs is left."""
        root = pathlib.Path(__file__).resolve().parents[2]
        source, self.binary = self.folder / 'fuzz.cc', self.folder / 'fuzz'
        while self.programs:
            blocks = [p.block(i) for i, p in enumerate(self.programs)]
            head = self.text.split('@blocks', maxsplit=1)[0].count('\n')
            names = ', '.join('P%d' % i for i in range(len(blocks)))
            source.write_text(self.text.replace('@blocks', '\n'.join(blocks))
                              .replace('@names', names))
            command = [os.environ.get('CXX', 'g++'), '-std=c++17', '-I%s/include' % root,
                       '-DMSHADOW_USE_CBLAS=0', *(self.options.flags or FLAGS), str(source), '-o',
                       str(self.binary)]
            made = subprocess.run(command, check=False, capture_output=True, text=True)
            if made.returncode == 0:
                return True
            lines = {int(n) for n in re.findall(r'fuzz\.cc:(\d+):', made.stderr)}
            wrong, at = set(), head + 1
            for i, block in enumerate(blocks):
                n = block.count('\n') + 1
                if any(at <= line < at + n for line in lines):
                    wrong.add(i)
                at += n
            errors = [line for line in made.stderr.split('\n') if 'error' in line][:3]
            if not wrong:
                self.reports.append('no program is at fault:\n' + made.stderr[:3000])
                return False
            for i in sorted(wrong):
                self.reports.append('does not compile: %s\n%s' % ('\n'.join(errors), blocks[i]))
            self.programs = [p for i, p in enumerate(self.programs) if i not in wrong]
        return False

    def run(self):
        """Compiles and runs; the reports of what is wrong."""
        if not self.compile():
            return self.reports
        output, start = self.folder / 'fuzz.out', 0
        while start < len(self.programs):
            ran = subprocess.run([str(self.binary), str(output), str(start)], check=False,
                                 capture_output=True, text=True)
            values = np.fromfile(output)
            for i in range(start, len(self.programs)):
                problem, values, crashed = self.compare(self.programs[i], values)
                if problem:
                    said = ran.stderr[-3000:] if crashed else ran.stderr if 'throws' in problem \
                        else ''
                    self.reports.append('%s\n%s\n%s' % (problem, said,
                                                        self.programs[i].block(i)))
                start = i + 1
                if crashed:
                    break
        return self.reports

    @staticmethod
    def compare(program, values):
        """What is wrong, the values of what follows, and whether the program ended early."""
        problem = ''
        for number, (expected, tolerance) in enumerate(program.emissions):
            n = len(expected)
            if len(values) == 0 or values[0] >= 0 and len(values) < n + 1:
                return problem or 'crashes at emission %d' % number, values, True
            if values[0] < 0:
                return problem or 'throws at emission %d' % number, values[1:], False
            if values[0] != n:
                return 'emission %d has %d elements, not %d' % (number, values[0], n), values, True
            got, values = values[1:n + 1], values[n + 1:]
            with np.errstate(all='ignore'):
                differ = ~((np.abs(got - expected) <= tolerance) |
                           (np.isnan(got) & np.isnan(expected)) | np.isnan(tolerance))
            if differ.any() and not problem:
                at = np.flatnonzero(differ)
                problem = ('emission %d: %d of %d elements differ, the first at %d: %.9g instead '
                           'of %.9g, tolerance %.3g' % (number, at.size, n, at[0], got[at[0]],
                                                     expected[at[0]], tolerance[at[0]]))
        if len(values) == 0:
            return problem or 'crashes at its end', values, True
        if values[0] != -1 and not problem:
            problem = {-2: 'writes between rows', -3: 'throws'}.get(values[0], 'emits too much')
        return problem, values[1:], False


def run_batch(seeds, options):
    with tempfile.TemporaryDirectory() as folder:
        programs = [Program(seed, options.dtype) for seed in seeds]
        return Batch(programs, options, pathlib.Path(folder)).run()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--programs', type=int, default=12)
    parser.add_argument('--batch', type=int, default=6)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--dtype', default='', help='the main one, of all programs')
    parser.add_argument('--show', action='store_true', help='prints the programs alone')
    parser.add_argument('flags', nargs='*', help='of the compiler, after --')
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    if options.show:
        for seed in seeds:
            print(Program(seed, options.dtype).block(seed))
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
