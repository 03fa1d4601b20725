#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of random statements beside NumPy, beside the bytes they move, and of their compilation.

  test/fuzz/speed.py [--seed N] [--statements N] [--isa LIST] [--sizes LIST] [--dtype T]
                     [--together N] [--seconds S] [--json FILE] [-- FLAG...]
  test/fuzz/speed.py --report FILE...
  test/fuzz/speed.py --check BUDGET [--update]

Each statement is compiled alone, or several --together, with $CXX (g++) and the FLAGS (-O2
-fopenmp), and runs on every instruction set of --isa with one thread. NumPy computes the same from
the same memory, in the same process. The bytes' time is that of memcpy for as many bytes as the
statement reads and writes. The compile time is user seconds beyond those of an empty file. Values
are compared with NumPy's in double (integers: in their own type).

Prints the twenty worst statements: those that take over twice as long as NumPy, over twenty times
as long as their bytes, or over a second to compile. --json keeps all; --report prints the worst of
such files. --check compiles and runs the sample of CI: see check().
"""
import argparse
import ctypes
import json
import math
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

for variable in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[variable] = '1'

import numpy as np  # noqa: E402, after the number of its threads

sys.dont_write_bytecode = True  # nothing beside the sources
from formulas import FORMULAS, named, some_axes  # noqa: E402
from generator import (NUMPY_TYPES, OPERATIONS, REAL_TYPES, Leaf, Node, Statement,  # noqa: E402
                       size_of)

FLAGS = ['-O2', '-fopenmp']
ISAS = ('baseline', 'avx2', 'avx512')
BFLOAT = 'bfloat::bf16_t'
HALF = 'mshadow::half::half_t'
DTYPES = ('float',) * 8 + ('double', 'double', 'int32_t', 'uint8_t', HALF, BFLOAT, 'int64_t',
                         'int8_t', 'int16_t')
EPSILON = {'float': 2.0**-23, 'double': 2.0**-52, HALF: 2.0**-10, BFLOAT: 2.0**-7}
SIZES = (1000, 100000, 4000000)
ERROR_FUNCTION = np.vectorize(math.erf, otypes=[float])
TIMEOUT = 100  # seconds that the runs of a statement may take
COMPILE_LIMIT = 60  # user seconds

HEADER = r'''
#include <mshadow/einsum.h>
#include <mshadow/nn.h>
#include <mshadow/tensor.h>
#include <cmath>

using namespace mshadow;
using namespace mshadow::expr;

struct Operand {
  void* data;
  index_t shape[4];
  index_t stride;
  const void* before;  // not null: what it holds before each run
  size_t bytes;

  template <int dim, typename T>
  Tensor<cpu, dim, T> As() const {
    Shape<dim> s;
    for (int i = 0; i < dim; ++i) s[i] = shape[i];
    return Tensor<cpu, dim, T>(static_cast<T*>(data), s, stride, nullptr);
  }
};

/// The axes of broadcast_multi_axes, and their extents.
struct Axes {
  int count;
  index_t at[4];
  int ndim() const { return count; }
  index_t operator[](int i) const { return at[i]; }
};

// Ops of a user, with branches.
struct Twice {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a) {
    return a * T(2) + T(1);
  }
};
struct Huber {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a, T delta) {
    const T size = a < T(0) ? -a : a;
    return size < delta ? a * a / T(2) : delta * (size - delta / T(2));
  }
};
struct Leaky {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a) {
    if (a > T(0)) return a;
    return T(0.125f) * a;
  }
};
struct LeakyGrad {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a, T g) {
    return a > T(0) ? g : T(0.125f) * g;
  }
};
struct Elu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0.0f ? a : std::exp(a) - 1.0f; }
  MSHADOW_XINLINE static double Map(double a) { return a > 0.0 ? a : std::exp(a) - 1.0; }
};
struct Logistic {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + std::exp(-a)); }
  MSHADOW_XINLINE static double Map(double a) { return 1.0 / (1.0 + std::exp(-a)); }
};
'''

HARNESS = r'''
#include <algorithm>
#include <cstring>
#include <ctime>

namespace {

double Now(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least seconds of a run in about `seconds`; `before` each run, not timed.
template <typename Before, typename Run>
double Least(bool alone, double seconds, const Before& before, const Run& run) {
  // What takes long is interrupted by other programs: only its own time counts.
  clockid_t id = CLOCK_MONOTONIC;
  before();
  double start = Now(id);
  run();
  double least = Now(id) - start;
  if (least > 2e-4) id = CLOCK_THREAD_CPUTIME_ID;
  double clock = 1;
  for (int i = 0; i < 100; ++i) {
    start = Now(id);
    clock = std::min(clock, Now(id) - start);
  }
  const double end = Now(CLOCK_MONOTONIC) + seconds;
  do {
    // What is short runs as often as takes 20 microseconds.
    const int count = alone ? 1 : static_cast<int>(2e-5 / least) + 1;
    before();
    start = Now(id);
    for (int i = 0; i < count; ++i) run();
    least = std::min(least, std::max((Now(id) - start - clock) / count, 1e-10));
  } while (Now(CLOCK_MONOTONIC) < end);
  return least;
}

}  // namespace

extern "C" int SetIsa(int isa) { return simd::ForceIsa(static_cast<simd::Isa>(isa)); }

extern "C" double TimeOf(void (*statement)(Operand*), Operand* operands, int count,
                         double seconds) {
  const auto before = [&] {
    for (int i = 0; i < count; ++i) {
      if (operands[i].before) std::memcpy(operands[i].data, operands[i].before, operands[i].bytes);
    }
  };
  bool alone = false;
  for (int i = 0; i < count; ++i) alone = alone || operands[i].before;
  return Least(alone, seconds, before, [&] { statement(operands); });
}

extern "C" double TimeOfCopy(char* to, const char* from, size_t bytes, double seconds) {
  return Least(false, seconds, [] {}, [&] {
    std::memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
  });
}
'''


class Operand(ctypes.Structure):
    """As in HEADER."""
    _fields_ = [('data', ctypes.c_void_p), ('shape', ctypes.c_uint32 * 4),
                ('stride', ctypes.c_uint32), ('before', ctypes.c_void_p),
                ('bytes', ctypes.c_size_t)]


def error_function(v):
    """erf, which NumPy has not."""
    return ERROR_FUNCTION(v).astype(v.dtype)


def item_size(dtype):
    return 2 if dtype == BFLOAT else np.dtype(NUMPY_TYPES[dtype]).itemsize


class SpeedStatement(Statement):
    """A statement of ordinary numbers on tensors of about `size` elements."""
    exact = False
    has_dot = False
    weighted = True
    of_expressions = True
    reduced_sizes = (2, 5, 9, 40, 400)
    table_rows = (12, 200, 5000)
    depths = (1, 1, 2, 2, 3, 4)
    reference = False  # do casts make double?

    def __init__(self, rng, dtype, size):
        self.size = size
        self.largest_size = 4 * size if size < 10**6 else 2 * size
        self.own_dtype = dtype
        self.discontinuous = False
        self.has_numpy = dtype != BFLOAT
        super().__init__(rng, dtype)

    def make(self):
        self.dtype, self.has_numpy = self.own_dtype, self.own_dtype != BFLOAT
        super().make()

    def fits(self, node):
        return node.count() <= 14

    def cast(self, v, dtype):
        if self.reference and dtype in REAL_TYPES:
            return v.astype(np.float64)
        return v.astype(NUMPY_TYPES[dtype])

    def number_type(self, dtype):
        """The type in which NumPy computes what is of that element type."""
        real = dtype in REAL_TYPES
        return np.float64 if real and (self.reference or dtype == BFLOAT) else NUMPY_TYPES[dtype]

    def shape(self):
        """Last axes narrow, middling and long; images; few and many rows."""
        rng, rank = self.rng, self.rng.choice((1, 2, 2, 2, 3, 4, 4))
        if rank == 1:
            return (self.size,)
        narrow, middling = (1, 2, 3, 4, 5, 7, 9, 13, 16, 17), (28, 56, 60, 100, 128, 255)
        last = rng.choice(narrow if rng.random() < 0.4 else middling)
        if rank == 2:
            long = (rng.choice((500, 1000, 2001)), max(1, self.size // last))
            last = rng.choice((last, last, *long))
            return (max(1, self.size // last), last)
        if rank == 3:
            rows = rng.choice(narrow + middling)
            return (max(1, self.size // (rows * last)), rows, last)
        images = rng.choice(((3, 28, 28), (16, 14, 14), (64, 7, 7), (8, 56, 56), (3, 9, 5),
                             (2, 3, 4), (32, 1, 10)))
        return (max(1, self.size // size_of(images)),) + images

    # ---- What NumPy does in double, and this in the type of the elements ----
    def real(self, shape, depth, function):
        return function(self.expression(shape, depth)) if self.is_real() else None

    def functions(self, shape, depth):
        """Functions of one number."""
        def bounded(a):  # where a function of a larger number overflows
            return a if isinstance(a, Leaf) else Node(f'clip({a}, -8.0f, 3.0f)',
                                                      lambda v: np.clip(v, -8, 3), a)

        def inside(a):
            return Node(f'clip({a} * 0.25f, -0.875f, 0.875f)',
                        lambda v: np.clip(v * v.dtype.type(0.25), -0.875, 0.875), a)

        def above(a):
            return Node(f'(F<op::abs>({a}) + 1.5f)', lambda v: np.abs(v) + np.float16(1.5), a)

        def positive(a):
            return Node(f'(F<op::abs>({a}) + 0.5f)', lambda v: np.abs(v) + np.float32(0.5), a)
        choices = (
            ('exp', bounded, np.exp), ('expm1', bounded, np.expm1), ('exp2', bounded, np.exp2),
            ('tanh', None, np.tanh), ('sigmoid', bounded, lambda v: 1 / (1 + np.exp(-v))),
            ('log', positive, np.log), ('log1p', positive, np.log1p), ('sqrt', positive, np.sqrt),
            ('rsqrt', positive, lambda v: 1 / np.sqrt(v)), ('sin', None, np.sin),
            ('cos', None, np.cos), ('atan', None, np.arctan), ('cbrt', positive, np.cbrt),
            ('square', None, np.square), ('relu', None, lambda v: np.maximum(v, 0)),
            ('softplus', bounded, lambda v: np.log1p(np.exp(v))),
            ('silu', bounded, lambda v: v / (1 + np.exp(-v))), ('negate', None, np.negative),
            ('reciprocal', positive, np.reciprocal), ('floor', None, np.floor),
            ('sign', None, np.sign), ('identity', None, lambda v: v + 0),
            ('ceil', None, np.ceil), ('round', None, np.rint), ('trunc', None, np.trunc),
            ('log2', positive, np.log2), ('log10', positive, np.log10),
            ('tan', inside, np.tan), ('asin', inside, np.arcsin), ('acos', inside, np.arccos),
            ('sinh', bounded, np.sinh), ('cosh', bounded, np.cosh), ('asinh', None, np.arcsinh),
            ('acosh', above, np.arccosh), ('atanh', inside, np.arctanh),
            ('erf', None, error_function), ('erfc', bounded, lambda v: 1 - error_function(v)),
            ('gelu', bounded, lambda v: v * (1 + error_function(v / np.float32(2)**0.5)) / 2),
            ('hardswish', bounded, lambda v: v * np.clip(v + 3, 0, 6) / 6),
            ('leaky_relu', None, lambda v: np.where(v > 0, v, v * v.dtype.type(0.01))),
            ('logical_not', None, lambda v: (v == 0).astype(v.dtype)))
        name, prepare, function = self.rng.choice(choices)
        steps = ('floor', 'sign', 'ceil', 'round', 'trunc', 'logical_not')
        self.discontinuous |= name in steps
        # NumPy has no such functions: the library's times have no like.
        self.has_numpy &= name not in ('erf', 'erfc', 'gelu')
        cheap = steps + ('square', 'relu', 'negate', 'identity', 'hardswish', 'leaky_relu')

        def make(a):
            a = prepare(a) if prepare else a
            return Node(f'F<op::{name}>({a})', function, a, cost=1 if name in cheap else 10)
        return self.real(shape, depth, make)

    def branches(self, shape, depth):
        """A user's ops, and conditions that no predictor of branches learns."""
        name = self.rng.choice(('where', 'where', 'where0', 'Huber', 'Leaky', 'LeakyGrad', 'Elu',
                                'Logistic'))
        a = self.expression(shape, depth)
        if name.startswith('where'):
            c = self.rng.choice(('flag', 'lt', 'gt'))
            b = self.expression(shape, depth)
            if c == 'flag':
                condition = self.new(shape, below=2)
            else:
                self.discontinuous = True
                other = self.new(shape)
                less = np.less if c == 'lt' else np.greater
                condition = Node(f'F<op::{c}>({other}, {a})', less, other, a)
            if name == 'where0':
                return Node(f'where({condition}, {b}, 1.0f)',
                            lambda u, v: np.where(u != 0, v, v.dtype.type(1)), condition, b)
            if self.is_real() and self.rng.random() < 0.5:
                b = Node(f'0.125f * {b}', lambda v: v * v.dtype.type(0.125), b)
            return Node(f'where({condition}, {a}, {b})',
                        lambda u, v, w: np.where(u != 0, v, w), condition, a, b)
        if not self.is_real():
            return None
        eighth = np.float16(0.125)
        if name == 'Huber':
            return Node(f'F<Huber>({a}, 1.0f)',
                        lambda v: np.where(np.abs(v) < 1, v * v / 2, np.abs(v) - eighth * 4), a)
        if name == 'Leaky':
            return Node(f'F<Leaky>({a})', lambda v: np.where(v > 0, v, eighth * v), a)
        if name == 'LeakyGrad':
            g = self.expression(shape, depth)
            self.discontinuous = True
            return Node(f'F<LeakyGrad>({a}, {g})',
                        lambda v, w: np.where(v > 0, w, eighth * w), a, g)
        if self.dtype not in ('float', 'double'):
            return None
        a = Node(f'clip({a}, -8.0f, 8.0f)', lambda v: np.clip(v, -8, 8), a)
        if name == 'Elu':
            return Node(f'F<Elu>({a})', lambda v: np.where(v > 0, v, np.exp(v) - 1), a,
                        cost=10)
        return Node(f'F<Logistic>({a})', lambda v: 1 / (1 + np.exp(-v)), a, cost=10)

    def arithmetic(self, shape, depth):
        """Of two expressions, or of one that stands twice."""
        a, b = self.expression(shape, depth), self.expression(shape, depth)
        kind = self.rng.choice(('*', '*', '*', '*', 'min', 'lt', 'ge', 'eq', 'ne', 'and', 'or',
                                'fma', 'fma', '/', '/', 'mod', 'pow', 'atan2', 'hypot'))
        if kind == '*':
            return Node(f'{a} * {b}', np.multiply, a, b)
        if kind == 'min':
            return Node(f'F<op::min>({a}, {b})', np.minimum, a, b)
        truths = {'lt': np.less, 'ge': np.greater_equal, 'eq': np.equal, 'ne': np.not_equal,
                  'and': np.logical_and, 'or': np.logical_or}
        if kind in truths:
            self.discontinuous = True
            name = {'and': 'logical_and', 'or': 'logical_or'}.get(kind, kind)
            return Node(f'F<op::{name}>({a}, {b})',
                        lambda v, w: truths[kind](v, w).astype(v.dtype), a, b)
        if kind == 'fma':
            return Node(f'({a} * {b} + {b})', lambda v, w: v * w + w, a, b)
        if not self.is_real():
            return None
        if kind == '/':
            return Node(f'{a} / (F<op::abs>({b}) + 1.0f)', lambda v, w: v / (np.abs(w) + 1), a, b)
        if kind == 'mod':
            self.discontinuous = True
            return Node(f'F<op::mod>({a}, F<op::abs>({b}) + 1.0f)',
                        lambda v, w: np.mod(v, np.abs(w) + 1), a, b, cost=10)
        if kind == 'pow':
            return Node(f'F<op::pow>(clip(F<op::abs>({a}), 0.5f, 4.0f), clip({b}, -3.0f, 3.0f))',
                        lambda v, w: np.clip(np.abs(v), v.dtype.type(0.5), 4)**np.clip(w, -3, 3),
                        a, b, cost=30)
        if kind == 'atan2':
            self.discontinuous = True
            return Node(f'F<op::atan2>({a}, {b})', np.arctan2, a, b, cost=20)
        return Node(f'F<op::sqrt>({a} * {a} + {b} * {b})', lambda v, w: np.sqrt(v * v + w * w),
                    a, b)

    def casts(self, shape, depth):
        """An expression of another type."""
        outer = self.dtype
        types = [t for t in (REAL_TYPES if self.is_real() else ('int32_t', 'int64_t'))
                 if t != outer]
        if self.own_dtype == BFLOAT or outer == 'uint8_t':
            return None
        types = [t for t in types if t != BFLOAT]
        self.dtype = self.rng.choice(types)
        a = self.expression(shape, depth)
        self.dtype = outer
        return self.tcast_node(a)

    def kept(self, shape, depth):
        """A reduction that keeps its axis, repeated along it, as a normalisation has."""
        axis = self.rng.randrange(len(shape))
        name = self.rng.choice(('sum', 'maximum'))
        a = self.expression(shape, depth)
        ufunc = np.add if name == 'sum' else np.maximum
        return Node(f'broadcast_keepdim(reduce_keepdim<red::{name}, false>({a}, {axis}), {axis}, '
                    f'{shape[axis]})',
                    lambda v: np.broadcast_to(
                        ufunc.reduce(v, axis=axis, keepdims=True, dtype=v.dtype), shape), a)

    operations = [o for o in OPERATIONS if o[2].__name__ != 'where'] + [
        (1, 4, functions, 9), (1, 4, branches, 5), (1, 4, arithmetic, 8), (1, 4, casts, 3),
        (1, 4, kept, 2)] + FORMULAS

    def to_sums(self, a, shape, saver):
        """Or another reduction, of some axes."""
        if len(shape) < 2 or self.rng.random() < 0.4:
            return super().to_sums(a, shape, saver)
        axes = some_axes(self, len(shape))
        sums = named(self, a, axes, False)
        if sums is None or not self.fits(sums):
            return None
        leaf = self.new([n for i, n in enumerate(shape) if i not in axes])
        return self.to_part(leaf, leaf, ..., sums, saver)

    def to_flip(self, a, shape, saver):
        """Or to a column of a tensor of one more axis."""
        width = self.rng.choice((1, 3, 40))
        if len(shape) > 3 or self.is_large((*shape, width)) or self.rng.random() < 0.7:
            return super().to_flip(a, shape, saver)
        leaf, at = self.new((*shape, width)), self.rng.randrange(width)
        return self.to_part(f'Column({leaf}, {at})', leaf, (..., at), a, saver)

    # ---- Memory ----
    def bytes_moved(self):
        """Read once, written once."""
        saver = {leaf: saver for _, saver, places in self.assignments for leaf, _, _ in places}
        read = {leaf for node, _, _ in self.assignments for leaf in node.leaves()}
        total = 0
        for leaf in self.leaves:
            times = (leaf in saver) + (leaf in read or saver.get(leaf, '=') != '=')
            total += times * size_of(leaf.shape) * item_size(leaf.dtype)
        return total

    def reads_target(self):
        return any(saver != '=' for _, saver, _ in self.assignments) or any(
            leaf in self.targets for node, _, _ in self.assignments for leaf in node.leaves())

    def data(self, leaf, rng):
        """What the leaf holds, as double or integers."""
        if leaf.below is not None:
            return rng.integers(0, leaf.below, leaf.shape, dtype=np.int32)
        if leaf.dtype in REAL_TYPES:
            low = 0 if self.own_dtype == 'uint8_t' else -16
            whole_numbers = self.own_dtype not in REAL_TYPES
            numbers = rng.integers(low, 17, leaf.shape, dtype=np.int8)
            return numbers // 4 if whole_numbers else numbers / np.float32(8)
        low = 0 if 'uint8_t' in (self.own_dtype, leaf.dtype) else -4
        return rng.integers(low, 5, leaf.shape, dtype=np.int8)

    def source(self, name):
        lines = ['auto %s = operands[%d].As<%d, %s>();' % (leaf, i, len(leaf.shape), leaf.dtype)
                 for i, leaf in enumerate(self.leaves)]
        return 'extern "C" void %s(Operand* operands) {\n  %s\n  %s\n}\n' % (
            name, '\n  '.join(lines), self.text)

    def printed(self):
        """The statement and its tensors, as a report shows them."""
        lines = ['%s %s(%s)%s' % (leaf.dtype.split(':')[-1], leaf, ', '.join(map(str, leaf.shape)),
                                  ' of %d' % (leaf.shape[-1] + leaf.pad) if leaf.pad else '')
                 for leaf in self.leaves]
        return self.text + '  // ' + '; '.join(lines)


# ---- Running ----
class Memory:
    """The elements of a leaf, where C++ and NumPy find them."""

    def __init__(self, leaf, values):
        size, self.dtype = item_size(leaf.dtype), leaf.dtype
        cols = leaf.shape[-1]
        self.stride = cols + leaf.pad
        count = size_of(leaf.shape[:-1]) * self.stride
        raw = np.zeros(count * size + 128, np.uint8)
        start = -raw.ctypes.data % 64 + leaf.seed % 4 * size
        self.bytes = raw[start:start + count * size]
        stored = np.uint16 if leaf.dtype == BFLOAT else NUMPY_TYPES[leaf.dtype]
        self.view = self.bytes.view(stored).reshape(leaf.shape[:-1] + (self.stride,))[..., :cols]
        if leaf.dtype == BFLOAT:
            self.view[...] = values.astype(np.float32).view(np.uint32) >> 16
        else:
            self.view[...] = values
        self.before = None

    def values(self):
        """A copy, bfloat16 as float."""
        if self.dtype == BFLOAT:
            return (self.view.astype(np.uint32) << 16).view(np.float32)
        return self.view.copy()


def time_of_numpy(statement, arrays, seconds):
    """The least seconds of a run."""
    pristine = {leaf: arrays[leaf].copy() for leaf in statement.targets}
    restore = statement.reads_target()
    clock, least, end = time.perf_counter, 1e9, time.perf_counter() + seconds
    while True:
        if restore:
            for leaf, v in pristine.items():
                arrays[leaf] = v.copy()
        start = clock()
        statement.run(arrays)
        least = min(least, clock() - start)
        if time.perf_counter() > end:
            return least
        if least > 2e-4:
            clock = time.thread_time  # as in HARNESS


def difference(statement, got, expected, seen):
    """A line that says how the values differ, or ''."""
    dtype = statement.own_dtype
    if dtype not in REAL_TYPES:
        wrong = got != expected
    else:
        with np.errstate(all='ignore'):
            largest = max([float(np.nanmax(np.where(np.isfinite(v), np.abs(v), 0), initial=0))
                           for v, _ in seen if v.dtype.kind == 'f'] + [1.0])
            if dtype == HALF and largest > 3e4 or largest > 1e30:
                return ''
            epsilon = max(EPSILON.get(leaf.dtype, 0) for leaf in statement.leaves)
            epsilon = max(epsilon, 2.0**-10 if HALF in statement.text else 0)
            got, expected = got.astype(np.float64), expected.astype(np.float64)
            close = np.abs(got - expected) <= 200 * epsilon * largest
            wrong = ~(close | (got == expected) | (np.isnan(got) & np.isnan(expected)))
        # One rounding another way moves a jump.
        few = 0.02 if statement.discontinuous or 'red::max' in statement.text else 0.0
        if np.count_nonzero(wrong) <= few * wrong.size:
            return ''
    if not wrong.any():
        return ''
    at = tuple(int(i[0]) for i in np.nonzero(wrong))
    return '%d of %d elements differ, at %s %g instead of %g' % (
        np.count_nonzero(wrong), wrong.size, at, got[at], expected[at])


def measure(statement, library, name, options):
    """Times and values, by statement and library."""
    library = ctypes.CDLL(str(library))
    library.TimeOf.restype = library.TimeOfCopy.restype = ctypes.c_double
    rng = np.random.default_rng(statement.size + len(statement.text))
    memory = {leaf: Memory(leaf, statement.data(leaf, rng)) for leaf in statement.leaves}
    operands = (Operand * len(memory))()
    restore = statement.reads_target()
    before = {}
    for operand, (leaf, m) in zip(operands, memory.items()):
        operand.data, operand.stride = m.view.ctypes.data, m.stride
        operand.shape = (ctypes.c_uint32 * 4)(*leaf.shape)
        operand.bytes = m.bytes.size
        if restore and leaf in statement.targets:
            before[leaf] = m.bytes.copy()
            operand.before = before[leaf].ctypes.data
    arrays = {leaf: m.values() for leaf, m in memory.items()}

    out = {'times': {}, 'wrong': ''}
    with np.errstate(all='ignore'):
        # Doubles in place of reals; integers as they are.
        exact = {leaf: v.astype(np.float64) if leaf.dtype in REAL_TYPES else v
                 for leaf, v in arrays.items()}
        exact = {leaf: v.copy() for leaf, v in exact.items()}
        seen = []
        statement.reference = True
        statement.run(exact, seen)
        statement.reference = False
    out['work'] = int(sum(v.size * cost for v, cost in seen))
    function = library[name]
    copies = []
    half = max(1, statement.bytes_moved() // 2)
    source, sink = np.ones(half, np.uint8), np.ones(half, np.uint8)
    for part in range(options.rounds):
        for isa in options.isa:
            if not library.SetIsa(ISAS.index(isa)):
                continue
            if part == 0:
                for leaf, v in before.items():
                    memory[leaf].bytes[...] = v
                function(operands)
                for leaf in statement.targets:
                    out['wrong'] = out['wrong'] or difference(
                        statement, memory[leaf].values(), exact[leaf], seen)
            if options.seconds > 0:
                seconds = library.TimeOf(function, operands, len(memory),
                                         ctypes.c_double(options.seconds))
                out['times'][isa] = min(seconds, out['times'].get(isa, 1e9))
        if options.seconds > 0:
            copies.append(library.TimeOfCopy(
                sink.ctypes.data_as(ctypes.c_void_p), source.ctypes.data_as(ctypes.c_void_p),
                ctypes.c_size_t(half), ctypes.c_double(options.seconds / 2)))
            if statement.has_numpy and all(leaf.dtype != BFLOAT for leaf in statement.leaves):
                # The memory that C++ reads, where padded, sliced and misaligned.
                native = {leaf: memory[leaf].view for leaf in memory}
                with np.errstate(all='ignore'):
                    seconds = time_of_numpy(statement, native, options.seconds)
                out['numpy'] = min(seconds, out.get('numpy', 1e9))
    if copies:
        out['bytes'] = min(copies)
    return out


def in_child(function, seconds):
    """What function() returns, computed by a process of its own that may take so long."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            with os.fdopen(writer, 'w') as out:
                json.dump(function(), out)
            status = 0
        except Exception as error:  # of NumPy or of the generator: the parent prints it
            print('%s: %s' % (type(error).__name__, error), file=sys.stderr)
        finally:
            os._exit(status)
    os.close(writer)
    text, end = b'', time.monotonic() + seconds
    with os.fdopen(reader, 'rb') as pipe:
        while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            part = os.read(pipe.fileno(), 65536)
            if not part:
                break
            text += part
        else:
            os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if status != 0 or not text:
        return {'times': {}, 'wrong': 'no result: status %d' % status}
    return json.loads(text)


# ---- Compiling ----
class Compiler:
    """Compiles into `folder`, with what all statements include compiled before."""

    def __init__(self, folder, flags):
        self.folder = folder
        root = pathlib.Path(__file__).resolve().parents[2]
        self.command = [os.environ.get('CXX', 'g++'), '-std=c++17', '-fPIC', '-I%s/include' % root,
                        '-DMSHADOW_USE_CBLAS=0', *(flags or FLAGS)]
        (folder / 'speed.h').write_text(HEADER)
        self.run('-x', 'c++-header', str(folder / 'speed.h'), '-o', str(folder / 'speed.h.gch'))
        (folder / 'harness.cc').write_text(HARNESS)
        self.object('harness')
        (folder / 'empty.cc').write_text('')
        self.empty = min(self.object('empty')[0] for _ in range(3))

    def instructions(self, name):
        """Instructions that the compiler takes to check NAME.cc and instantiate its templates."""
        log = self.folder / (name + '.log')
        wrapper = 'valgrind,--tool=cachegrind,--cache-sim=no,--cachegrind-out-file=/dev/null'
        said = self.run('-wrapper', f'{wrapper},--log-file={log}', '-fsyntax-only',
                        str(self.folder / (name + '.cc')), seconds=20 * COMPILE_LIMIT)[1]
        count = re.search(r'I\s+refs:\s+([\d,]+)', log.read_text())
        if said or not count:
            sys.exit(said or log.read_text())
        return int(count.group(1).replace(',', ''))

    def run(self, *arguments, seconds=COMPILE_LIMIT):
        """User seconds and what the compiler said where it failed."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        with subprocess.Popen(self.command + list(arguments), stderr=subprocess.PIPE, text=True,
                              preexec_fn=limit) as process:
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime, said if status else ''

    def object(self, name):
        path = self.folder / name
        return self.run('-include', str(self.folder / 'speed.h'), '-c', str(path) + '.cc', '-o',
                        str(path) + '.o')

    def library(self, names):
        path = self.folder / ('lib%s.so' % names[0])
        objects = [str(self.folder / (name + '.o')) for name in ['harness'] + names]
        said = self.run('-shared', '-o', str(path), *objects)[1]
        if said:
            sys.exit(said)
        return path


def draw(rng, options):
    dtype = options.dtype or rng.choice(DTYPES)
    return SpeedStatement(rng, dtype, rng.choice(options.sizes))


def first_error(said):
    lines = [line for line in said.splitlines() if 'error' in line]
    return lines[0] if lines else said[-300:]


def compiled(compiler, statements, names):
    """(user seconds, error) of each; of several in one file the seconds are shares."""
    for statement, name in zip(statements, names):
        (compiler.folder / (name + '.cc')).write_text(statement.source(name))
    if len(names) > 1:
        joined = '\n'.join('#include "%s.cc"' % name for name in names)
        (compiler.folder / (names[0] + 's.cc')).write_text(joined)
        seconds, said = compiler.object(names[0] + 's')
        if not said:
            share = (seconds - compiler.empty) / len(names)
            return [(share, '')] * len(names), [names[0] + 's']
    out = [compiler.object(name) for name in names]
    return ([(max(0.0, seconds - compiler.empty), said) for seconds, said in out],
            [name for name, (_, said) in zip(names, out) if not said])


def survey(options):
    """Compiles and times statements; a record of each."""
    records, out = [], open(options.json, 'a') if options.json else None
    together = options.together
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(pathlib.Path(folder), options.flags)
        for first in range(0, options.statements, options.batch):
            last = min(first + options.batch, options.statements)
            batch = [draw(random.Random(1000003 * options.seed + i), options)
                     for i in range(first, last)]
            names, costs, objects = ['Statement%d' % i for i in range(first, last)], [], []
            for i in range(0, len(batch), together):
                part = compiled(compiler, batch[i:i + together], names[i:i + together])
                costs += part[0]
                objects += part[1]
            library = compiler.library(objects) if objects else None
            for statement, name, (seconds, said) in zip(batch, names, costs):
                record = {'name': '%d.%s' % (options.seed, name[9:]), 'text': statement.printed(),
                          'size': statement.size, 'dtype': statement.own_dtype,
                          'nodes': sum(n.count() for n, *_ in statement.assignments),
                          'moved': statement.bytes_moved(), 'compile': seconds,
                          'together': together}
                if said:
                    record.update(wrong=first_error(said), times={})
                else:
                    record.update(in_child(lambda s=statement, n=name: measure(
                        s, library, n, options), TIMEOUT))
                records.append(record)
                if out:
                    out.write(json.dumps(record) + '\n')
                    out.flush()
            for path in compiler.folder.glob('*Statement*'):
                path.unlink()
    return records


# ---- The sample of CI ----
SAMPLE = 50
SAMPLE_SEED = 2026
SAMPLE_FLAGS = ['-O0', '-DMSHADOW_DEBUG_KERNELS=1']


def check(options):
    """Compares the values of the sample with NumPy's, and counts instructions of the compiler.

    Instructions are those of the front end, which makes the instantiations that the back end
    compiles: one that multiplies shows, and so counts take seconds under valgrind, not minutes. The
    budget holds for the compiler in its first line; others are not judged.
    """
    options.isa, options.rounds, options.seconds, options.sizes = ['baseline'], 1, 0, [1000]
    statements = [draw(random.Random(1000003 * SAMPLE_SEED + i), options) for i in range(SAMPLE)]
    names = ['Statement%d' % i for i in range(SAMPLE)]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(pathlib.Path(folder), SAMPLE_FLAGS)
        program = HEADER + '\n'.join(s.source(n) for s, n in zip(statements, names))
        (compiler.folder / 'sample.cc').write_text(program)
        (compiler.folder / 'include.cc').write_text(HEADER)
        said = compiler.run('-c', str(compiler.folder / 'sample.cc'), '-o',
                            str(compiler.folder / 'sample.o'))[1]
        if said:
            sys.exit(said)
        library = compiler.library(['sample'])
        for statement, name in zip(statements, names):
            wrong = in_child(lambda s=statement, n=name: measure(s, library, n, options),
                             TIMEOUT)['wrong']
            if wrong:
                failures += 1
                print('%s: %s\n%s' % (name, wrong, statement.source(name)))
        print('%d statements, %d wrong' % (SAMPLE, failures))
        if not shutil.which('valgrind'):
            print('no valgrind: instructions are not counted')
            return failures
        version = subprocess.run([compiler.command[0], '-dumpfullversion'], check=True,
                                 capture_output=True, text=True).stdout.strip()
        counts = {'include': compiler.instructions('include')}
        counts['statement'] = (compiler.instructions('sample') - counts['include']) // SAMPLE
    return failures + judge(pathlib.Path(options.check), options.update, version, counts)


def judge(budget, update, version, counts):
    """How many counts are 5 % over the budget."""
    if update:
        lines = ['g++ %s' % version] + ['%d %s' % (n, name) for name, n in counts.items()]
        budget.write_text('\n'.join(lines) + '\n')
        return 0
    built, *lines = budget.read_text().splitlines()
    judged = built == 'g++ ' + version
    print('instructions of the compiler, g++ %s%s' % (
        version, '' if judged else ', not judged: the budget is that of ' + built))
    failures = 0
    for line in lines:
        most, name = line.split()
        change = 100 * (counts[name] / int(most) - 1)
        over = judged and change > 5
        print('%12d %12s %+6.1f%%  %s%s' % (counts[name], most, change, name,
                                            '  OVER BUDGET' if over else ''))
        failures += over
    if failures:
        print('seconds of each: test/fuzz/speed.py --seed %d --statements %d --sizes 1000; '
              'if it is meant: --check %s --update' % (SAMPLE_SEED, SAMPLE, budget))
    return failures


# ---- Reporting ----
def badness(record):
    """Above 1: slower than NumPy / 2, or a second to compile, or slower than twenty times the bytes
    and than its arithmetic: half a nanosecond for an addition, and as much for a call as 400."""
    times = list(record['times'].values()) or [0]
    terms = [record['compile'], 1e6 if record['wrong'] else 0]
    if 'numpy' in record:
        terms.append(min(times) / 2 / record['numpy'])  # which takes the machine's best set too
    if 'bytes' in record:
        terms.append(min(max(times) / 20 / record['bytes'],
                         max(times) / 5e-10 / (record['work'] + 400)))
    return max(terms)


def report(records, count):
    print('statement; ns an element; NumPy\'s time over ours; ours over the bytes\'; compile s')
    for record in sorted(records, key=badness, reverse=True)[:count]:
        print('\n%s: %s' % (record['name'], record['text']))
        if record['wrong']:
            print('  WRONG: ' + record['wrong'])
        for isa, seconds in record['times'].items():
            print('  %-8s %9.3f us %7.3f ns | numpy x %s | bytes x %5.1f | compile %.2f s' % (
                isa, 1e6 * seconds, 1e9 * seconds / record['size'],
                '%5.2f' % (record['numpy'] / seconds) if 'numpy' in record else '   - ',
                seconds / record['bytes'], record['compile']))
        if not record['times']:
            print('  not run | compile %.2f s' % record['compile'])
    bad = sum(badness(r) > 1 for r in records)
    print('\n%d statements, %d beyond a limit, %d wrong' % (
        len(records), bad, sum(bool(r['wrong']) for r in records)))


def numbers(text):
    return [int(float(n)) for n in text.split(',')]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--statements', type=int, default=50)
    parser.add_argument('--batch', type=int, default=25, help='statements that are linked together')
    parser.add_argument('--together', type=int, default=1,
                        help='statements of a file, which compile sooner, and each by its share')
    parser.add_argument('--isa', type=lambda text: text.split(','), default=list(ISAS))
    parser.add_argument('--sizes', type=numbers, default=list(SIZES))
    parser.add_argument('--dtype', default='')
    parser.add_argument('--seconds', type=float, default=0.01, help='for one time')
    parser.add_argument('--rounds', type=int, default=4)
    parser.add_argument('--json', default='', help='appends all records')
    parser.add_argument('--report', nargs='+', default=[], help='files of records to print')
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--check', default='', metavar='BUDGET', help='the sample of CI')
    parser.add_argument('--update', action='store_true', help='writes the budget')
    parser.add_argument('flags', nargs='*', help='of the compiler, after --')
    options = parser.parse_args()
    if options.check:
        return 1 if check(options) else 0
    if options.report:
        records = [json.loads(line) for file in options.report
                   for line in pathlib.Path(file).read_text(encoding='utf-8').splitlines()]
    else:
        records = survey(options)
    report(records, options.count)
    return 1 if any(r['wrong'] for r in records) else 0


if __name__ == '__main__':
    sys.exit(main())
