#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statements of random expressions, nested in one another, compared with NumPy.

The tests beside this folder ask every expression for what it says of itself; here expressions meet
that no test thought of. Elements are small whole numbers, so every result is exact.

  test/fuzz/statements.py [--seed N] [--programs N] [--statements N] [--dtype T] [--device HEADER]
                          [-- FLAG...]

Each program has its own seed, seed + 0, 1, ... and is compiled with $CXX (g++) and the FLAGs; the
default finds reads out of bounds. Other flags worth a run: -fopenmp -O2, for the loops of the
machine's instruction set (MSHADOW_ISA names another). --device takes a header of test/ that
MSHADOW_TEST_DEVICE may name: gpu/simulated_device.h runs the kernels of a GPU on the host, and
needs GoogleTest. Needs NumPy. Prints the statements that differ, with the declarations that make
them programs, and exits with 1 where there are any.
"""
import argparse
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

FLAGS = ('-O0 -g1 -fopenmp -DMSHADOW_DEBUG_KERNELS=1 -fsanitize=address,undefined '
         '-fno-sanitize=null,object-size,pointer-overflow -fno-sanitize-recover=all').split()

PROGRAM = r'''
#include <mshadow/tensor.h>
#ifdef MSHADOW_TEST_DEVICE
#include MSHADOW_TEST_DEVICE
using mshadow::testing::TestDevice;
using mshadow::testing::TestMemory;
using mshadow::testing::WaitForDevice;
int Failures() { return ::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed(); }
#else
using TestDevice = mshadow::cpu;
template <typename T>
using TestMemory = std::vector<T>;
void WaitForDevice() {}
int Failures() { return 0; }
#endif

#include <cstdio>
#include <deque>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;
using D = %(dtype)s;

struct Twice {
  template <typename T>
  MSHADOW_XINLINE static T Map(T a) {
    return a * T(2) + T(1);
  }
};

/// A tensor of whole numbers below 5, `pad` elements between its rows, anywhere in memory.
template <typename T, int dim>
Tensor<TestDevice, dim, T> Make(Shape<dim> shape, unsigned seed, int pad) {
  static std::deque<TestMemory<T>> store;
  const size_t cols = shape[dim - 1], stride = cols + pad;
  store.emplace_back(shape.Size() / cols * stride + 3);
  T* const first = store.back().data() + seed %% 4;
  for (size_t i = 0; i < shape.Size(); ++i) {
    const unsigned long long hash = ((i + 1) * 2654435761ull + seed * 40503ull) & 0xffffffffull;
    first[i / cols * stride + i %% cols] = static_cast<T>(static_cast<float>((hash >> 12) %% 5));
  }
  return Tensor<TestDevice, dim, T>(first, shape, stride, nullptr);
}

std::FILE* out;

template <int dim>
void Emit(Tensor<TestDevice, dim, D> t) {
  WaitForDevice();
  const size_t cols = t.shape_[dim - 1];
  for (size_t i = 0; i < t.shape_.Size(); ++i) {
    const double value = static_cast<double>(t.dptr_[i / cols * t.stride_ + i %% cols]);
    std::fwrite(&value, sizeof(value), 1, out);
  }
  std::fflush(out);
}

int main(int, char** argv) {
  out = std::fopen(argv[1], "wb");
%(body)s
  std::fclose(out);
  return Failures();
}
'''

LARGEST = 2.0**22  # sums of what is below are exact in float
SIZES = (1, 2, 3, 4, 6, 8, 12, 17, 40)
REDUCERS = {'sum': np.sum, 'maximum': np.max, 'minimum': np.min}


def shape_text(shape):
    return 'Shape%d(%s)' % (len(shape), ', '.join(map(str, shape)))


def replaced(shape, axis, size):
    return shape[:axis] + (size,) + shape[axis + 1:]


def windows(value, out_shape, size, stride, reduce):
    """reduce() of each window over the last axes, cut off at the end of the image."""
    n = len(size)
    out = np.zeros(out_shape)
    for at in itertools.product(*map(range, out_shape[-n:])):
        window = tuple(slice(i * s, i * s + k) for i, s, k in zip(at, stride, size))
        out[(...,) + at] = reduce(value[(...,) + window], axis=tuple(range(-n, 0)))
    return out


class Leaf:
    """A tensor of the program, and what is in it."""

    def __init__(self, name, shape, rng, dtype):
        self.name, self.shape, self.dtype = name, shape, dtype
        self.seed, self.pad = rng.randrange(1, 1000), rng.choice((0, 0, 1, 5))
        i = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64)
        hashes = (i * 2654435761 + self.seed * 40503) & 0xffffffff
        self.value = ((hashes >> 12) % 5).astype(np.float64).reshape(shape)

    def declaration(self):
        return 'auto %s = Make<%s>(%s, %d, %d);' % (self.name, self.dtype, shape_text(self.shape),
                                                    self.seed, self.pad)


OPERATIONS = []  # (least rank, most rank, method)


def operation(least=1, most=4):
    def register(method):
        OPERATIONS.append((least, most, method))
        return method
    return register


class Statement:
    """One statement: its text, its tensors and what they hold after it.

    An operation gets the shape of its result and how deep it may still nest; it returns the text of
    an expression and its value, or None where there is no such expression of that shape.
    """

    def __init__(self, rng, dtype, has_dot):
        self.rng, self.dtype, self.has_dot, self.leaves = rng, dtype, has_dot, []
        self.text, self.expected = None, []
        while self.text is None:
            self.leaves = []
            self.make()

    # ---- Operands ----
    def new(self, shape, dtype='D'):
        leaf = Leaf('t%d' % len(self.leaves), tuple(shape), self.rng, dtype)
        self.leaves.append(leaf)
        return leaf

    def leaf(self, shape, dtype='D'):
        leaf = self.new(shape, dtype)
        return leaf.name, leaf.value

    def expression(self, shape, depth):
        shape = tuple(shape)
        while depth > 0 and self.rng.random() > 0.08:
            least, most, method = self.rng.choice(OPERATIONS)
            made = method(self, shape, depth - 1) if least <= len(shape) <= most else None
            if made is not None:
                return made
        return self.leaf(shape)

    def reducer(self):
        return self.rng.choice(sorted(REDUCERS.items()))

    def is_real(self):
        return self.dtype in ('float', 'double')

    def window(self, choices):
        """Sizes and strides of windows."""
        return tuple([self.rng.choice(sizes) for _ in 'yx'] for sizes in (choices, (1, 2, 3)))

    # ---- Element by element ----
    @operation()
    def scalar(self, shape, depth):
        a, v = self.expression(shape, depth)
        c = self.rng.choice((1, 2, 3))
        return self.rng.choice((('(%s + %d.0f)' % (a, c), v + c), ('(%s * %d.0f)' % (a, c), v * c),
                                ('(%d.0f - %s)' % (c, a), c - v)))

    @operation()
    def binary(self, shape, depth):
        (a, v), (b, w) = self.expression(shape, depth), self.expression(shape, depth)
        return self.rng.choice((('(%s + %s)' % (a, b), v + w), ('(%s - %s)' % (a, b), v - w),
                                ('F<op::max>(%s, %s)' % (a, b), np.maximum(v, w))))

    @operation()
    def unary(self, shape, depth):
        a, v = self.expression(shape, depth)
        return self.rng.choice((('F<Twice>(%s)' % a, 2 * v + 1), ('F<op::abs>(%s)' % a, np.abs(v)),
                                ('clip(%s, -2.0f, 9.0f)' % a, np.clip(v, -2, 9))))

    @operation()
    def where(self, shape, depth):
        (c, u), (a, v), (b, w) = (self.expression(shape, depth) for _ in range(3))
        return 'where(%s, %s, %s)' % (c, a, b), np.where(u != 0, v, w)

    @operation()
    def tcast(self, shape, depth):
        del depth
        types = ('int32_t', 'uint8_t', 'double', 'half::half_t', 'int64_t')
        a, v = self.leaf(shape, self.rng.choice(types))
        return 'tcast<D>(%s)' % a, v

    # ---- The same elements elsewhere ----
    @operation()
    def reshape(self, shape, depth):
        sizes, rest = [], int(np.prod(shape))
        for _ in range(self.rng.randrange(4)):
            sizes.append(self.rng.choice([n for n in range(1, rest + 1) if rest % n == 0]))
            rest //= sizes[-1]
        sizes.append(rest)
        self.rng.shuffle(sizes)
        a, v = self.expression(sizes, depth)
        return 'reshape(%s, %s)' % (a, shape_text(shape)), v.reshape(shape)

    @operation(2)
    def swapaxis(self, shape, depth):
        j, i = sorted(self.rng.sample(range(len(shape)), 2))
        a, v = self.expression(replaced(replaced(shape, i, shape[j]), j, shape[i]), depth)
        return 'swapaxis<%d, %d>(%s)' % (i, j, a), np.swapaxes(v, i, j)

    @operation(2)
    def transpose(self, shape, depth):
        axes = self.rng.sample(range(len(shape)), len(shape))
        a, v = self.expression([shape[axes.index(i)] for i in range(len(shape))], depth)
        return 'transpose(%s, %s)' % (a, shape_text(axes)), np.transpose(v, axes)

    @operation(2, 2)
    def transposed(self, shape, depth):
        del depth
        a, v = self.leaf(shape[::-1])
        return '%s.T()' % a, v.T

    @operation(2)
    def mirror(self, shape, depth):
        a, v = self.expression(shape, depth)
        return 'mirror(%s)' % a, v[..., ::-1]

    @operation()
    def flip(self, shape, depth):
        del depth
        axis = self.rng.randrange(len(shape))
        a, v = self.leaf(shape)
        return 'flip(%s, %d)' % (a, axis), np.flip(v, axis)

    @operation()
    def roll(self, shape, depth):
        axis, shift = self.rng.randrange(len(shape)), self.rng.randrange(-9, 10)
        a, v = self.expression(shape, depth)
        return 'roll(%s, %d, %d)' % (a, shift, axis), np.roll(v, shift, axis)

    # ---- Parts, joined parts, repeated parts ----
    @operation(2)
    def crop(self, shape, depth):
        (y, x), (down, right) = [[self.rng.randrange(3) for _ in 'yx'] for _ in range(2)]
        h, w = shape[-2:]
        a, v = self.expression(shape[:-2] + (y + h + down, x + w + right), depth)
        return ('crop(%s, Shape2(%d, %d), %d, %d)' % (a, h, w, y, x),
                v[..., y:y + h, x:x + w])

    @operation(2)
    def unpad(self, shape, depth):
        (h, w), y, x = shape[-2:], self.rng.randrange(3), self.rng.randrange(3)
        a, v = self.expression(shape[:-2] + (h + 2 * y, w + 2 * x), depth)
        return 'unpad(%s, %d, %d)' % (a, y, x), v[..., y:y + h, x:x + w]

    @operation(2)
    def pad(self, shape, depth):
        y, x = (self.rng.randrange(min((n + 1) // 2, 5)) for n in shape[-2:])
        a, v = self.expression(shape[:-2] + (shape[-2] - 2 * y, shape[-1] - 2 * x), depth)
        return ('pad(%s, %d, %d)' % (a, y, x),
                np.pad(v, [(0, 0)] * (len(shape) - 2) + [(y, y), (x, x)]))

    @operation()
    def slice_of_axis(self, shape, depth):
        del depth
        axis, begin = self.rng.randrange(len(shape)), self.rng.randrange(3)
        end = begin + shape[axis]
        a, v = self.leaf(replaced(shape, axis, end + self.rng.randrange(2)))
        return 'slice<%d>(%s, %d, %d)' % (axis, a, begin, end), v.take(range(begin, end), axis)

    def box(self, shape):
        """Begin, end and step along every axis of a slice of that shape."""
        begin = [self.rng.randrange(2) for _ in shape]
        step = [self.rng.choice((1, 1, 2, 3)) for _ in shape]
        return begin, [b + (n - 1) * s + 1 for b, n, s in zip(begin, shape, step)], step

    @operation()
    def slice_of_box(self, shape, depth):
        del depth
        box = self.box(shape)
        a, v = self.leaf(box[1])
        return ('slice(%s, %s, %s, %s)' % ((a,) + tuple(map(shape_text, box))),
                v[tuple(slice(*bound) for bound in zip(*box))])

    @operation()
    def concat(self, shape, depth):
        del depth
        axis = self.rng.randrange(len(shape))
        if shape[axis] < 2:
            return None
        split = self.rng.randrange(1, shape[axis])
        a, v = self.leaf(replaced(shape, axis, split))
        b, w = self.leaf(replaced(shape, axis, shape[axis] - split))
        return 'concat<%d>(%s, %s)' % (axis, a, b), np.concatenate([v, w], axis)

    @operation()
    def broadcast(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a, v = self.expression(shape[axis:axis + 1], depth)
        aligned = v.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return ('broadcast<%d>(%s, %s)' % (axis, a, shape_text(shape)),
                np.broadcast_to(aligned, shape))

    @operation(2)
    def broadcast_with_axis(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a, v = self.expression(shape[:axis] + shape[axis + 1:], depth)
        return ('broadcast_with_axis(%s, %d, %d)' % (a, axis - 1, shape[axis]),
                np.repeat(np.expand_dims(v, axis), shape[axis], axis))

    @operation()
    def tile(self, shape, depth):
        reps = [self.rng.choice([r for r in (1, 2, 3) if n % r == 0]) for n in shape]
        a, v = self.expression([n // r for n, r in zip(shape, reps)], depth)
        return 'tile(%s, %s)' % (a, shape_text(reps)), np.tile(v, reps)

    @operation(2)
    def upsampling_nearest(self, shape, depth):
        scale = self.rng.choice((1, 2, 3))
        if shape[-1] % scale or shape[-2] % scale:
            return None
        a, v = self.expression(shape[:-2] + (shape[-2] // scale, shape[-1] // scale), depth)
        return 'upsampling_nearest(%s, %d)' % (a, scale), v.repeat(scale, -1).repeat(scale, -2)

    # ---- Along an axis ----
    @operation()
    def cumsum(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a, v = self.expression(shape, depth)
        return 'cumsum(%s, %d)' % (a, axis), np.cumsum(v, axis)

    @operation(1, 3)
    def reduce_with_axis(self, shape, depth):
        axis, size = self.rng.randrange(len(shape) + 1), self.rng.choice((1, 2, 5, 9))
        name, reduce = self.reducer()
        index = name != 'sum' and self.rng.random() < 0.4
        if index:
            reduce = {'maximum': np.argmax, 'minimum': np.argmin}[name]
        a, v = self.expression(shape[:axis] + (size,) + shape[axis:], depth)
        return ('reduce_with_axis<red::%s, %s>(%s, %d)' % (name, str(index).lower(), a, axis),
                reduce(v, axis=axis).astype(np.float64))

    # ---- By an index ----
    @operation(2, 2)
    def take(self, shape, depth):
        index, at = self.leaf(shape[:1])
        a, v = self.expression((self.rng.choice((5, 12)), shape[1]), depth)
        return 'take(%s, %s)' % (index, a), v[at.astype(int)]

    @operation(2, 2)
    def take_grad(self, shape, depth):
        if shape[0] < 5:
            return None
        n = self.rng.choice((1, 6, 30))
        index, at = self.leaf((n,))
        a, v = self.expression((n, shape[1]), depth)
        out = np.zeros(shape)
        np.add.at(out, at.astype(int), v)
        return 'take_grad(%s, %s, %d)' % (index, a, shape[0]), out

    @operation(2, 2)
    def one_hot(self, shape, depth):
        index, at = self.expression(shape[:1], depth)
        return ('tcast<D>(one_hot_encode(%s, %d))' % (index, shape[1]),
                (at[:, None] == np.arange(shape[1])).astype(np.float64))

    @operation(2, 2)
    def mask(self, shape, depth):
        index, at = self.leaf(shape[:1])
        a, v = self.expression(shape, depth)
        return 'mask(%s, %s)' % (index, a), v * at[:, None]

    @operation(1, 1)
    def mat_choose_row_element(self, shape, depth):
        index, at = self.leaf(shape)
        a, v = self.expression((shape[0], self.rng.choice((5, 8))), depth)
        return ('mat_choose_row_element(%s, %s)' % (a, index),
                v[np.arange(shape[0]), at.astype(int)])

    @operation(2, 2)
    def mat_fill_row_element(self, shape, depth):
        if shape[1] < 5:
            return None
        index, at = self.leaf(shape[:1])
        (a, v), (b, w) = self.expression(shape, depth), self.expression(shape[:1], depth)
        out = v.copy()
        out[np.arange(shape[0]), at.astype(int)] = w
        return 'mat_fill_row_element(%s, %s, %s)' % (a, b, index), out

    # ---- Windows ----
    @operation(2)
    def pool(self, shape, depth):
        size, stride = self.window((1, 2, 3, 5))
        # The last windows may be cut off.
        image = tuple((n - 1) * s + k - self.rng.choice((0, 0, k - 1))
                      for n, s, k in zip(shape[-2:], stride, size))
        if image[0] < size[0] or image[1] < size[1]:
            return None
        name, reduce = self.reducer()
        a, v = self.expression(shape[:-2] + image, depth)
        return ('pool<red::%s>(%s, %s, %d, %d, %d, %d)' %
                (name, a, shape_text(shape[-2:]), *size, *stride),
                windows(v, shape, size, stride, reduce))

    @operation(3)
    def pool3d(self, shape, depth):
        size = [self.rng.choice((1, 2, 3)) for _ in 'zyx']
        stride = [self.rng.choice((1, 2)) for _ in 'zyx']
        name, reduce = self.reducer()
        image = tuple((n - 1) * s + k for n, s, k in zip(shape[-3:], stride, size))
        a, v = self.expression(shape[:-3] + image, depth)
        return ('pool3d<red::%s>(%s, %s, %s)' % (name, a, shape_text(size), shape_text(stride)),
                windows(v, shape, size, stride, reduce))

    @operation(3)
    def chpool(self, shape, depth):
        channels = shape[-3]
        n = self.rng.choice([n for n in (1, 3, 5) if n <= channels])
        a, v = self.expression(shape, depth)
        out = np.stack([v[..., max(0, c - n // 2):c + n // 2 + 1, :, :].sum(axis=-3)
                        for c in range(channels)], axis=-3)
        return 'chpool<red::sum>(%s, %d)' % (a, n), out

    @operation(2)
    def unpool(self, shape, depth):
        size, stride = self.window((1, 2, 3))
        if shape[-2] < size[0] or shape[-1] < size[1]:
            return None
        pooled = shape[:-2] + tuple((n - k) // s + 1
                                    for n, k, s in zip(shape[-2:], size, stride))
        (a, v), (g, w) = self.expression(shape, depth), self.expression(pooled, depth)
        out = np.zeros(shape)
        for y, x in np.ndindex(*pooled[-2:]):
            at = (..., slice(y * stride[0], y * stride[0] + size[0]),
                  slice(x * stride[1], x * stride[1] + size[1]))
            most = v[at].max(axis=(-2, -1), keepdims=True)
            out[at] += (v[at] == most) * w[..., y:y + 1, x:x + 1]
        steps = '%d, %d, %d, %d' % (*size, *stride)
        return ('unpool<red::maximum>(%s, pool<red::maximum>(%s, %s), %s, %s)' %
                (a, a, steps, g, steps), out)

    def means(self):
        """Windows of 1, 2, 4, .. cells, cut off or not, so that shares of them are exact."""
        size, stride = self.window((1, 2, 4))
        return size, stride, [int(k == 2 and self.rng.random() < 0.5) for k in size]

    @staticmethod
    def each_mean(image, pooled, size, stride, pad):
        """(v, u), and what the window there has of the image."""
        for at in np.ndindex(*pooled):
            part = [slice(max(0, i * s - p), min(n, i * s - p + k))
                    for i, n, k, s, p in zip(at, image, size, stride, pad)]
            yield at, (..., *part), np.prod([b.stop - b.start for b in part])

    @operation(2)
    def avg_pool(self, shape, depth):
        size, stride, pad = self.means()
        image = tuple((n - 1) * s + k - 2 * p for n, k, s, p in zip(shape[-2:], size, stride, pad))
        if min(image) < 1:
            return None
        a, v = self.expression(shape[:-2] + image, depth)
        out = np.zeros(shape)
        for at, part, cells in self.each_mean(image, shape[-2:], size, stride, pad):
            mean = v[part].sum(axis=(-2, -1)) / cells
            out[(..., *at)] = 16 * (mean if self.is_real() else np.trunc(mean))
        return '(avg_pool(%s, %d, %d, %d, %d, %d, %d) * 16.0f)' % (a, *size, *stride, *pad), out

    @operation(2)
    def avg_unpool(self, shape, depth):
        size, stride, pad = self.means()
        pooled = tuple((n + 2 * p - k) // s + 1
                       for n, k, s, p in zip(shape[-2:], size, stride, pad))
        if not self.is_real() or any(n + p < k for n, k, p in zip(shape[-2:], size, pad)):
            return None
        g, w = self.expression(shape[:-2] + pooled, depth)
        out = np.zeros(shape)
        for at, part, cells in self.each_mean(shape[-2:], pooled, size, stride, pad):
            out[part] += 16 * w[(..., *at)][..., None, None] / cells
        return ('(avg_unpool(%s, %s, %d, %d, %d, %d, %d, %d) * 16.0f)' %
                (g, shape_text(shape[-2:]), *size, *stride, *pad), out)

    @operation(2)
    def resize(self, shape, depth):
        # Twice and half as many pixels: weights of a quarter, a half and three quarters.
        sizes = [self.rng.choice([n, 2 * n] + [n // 2] * (1 - n % 2)) for n in shape[-2:]]
        if not self.is_real():
            return None
        a, v = self.expression(shape[:-2] + tuple(sizes), depth)
        out = v
        for axis, (n, m) in zip((-2, -1), zip(sizes, shape[-2:])):
            at = (n / m - 1) / 2 + np.arange(m) * n / m
            low = np.floor(at)
            weight = (at - low).reshape((-1,) + (1,) * (-1 - axis))
            first, second = (np.clip(low + i, 0, n - 1).astype(int) for i in (0, 1))
            out = out.take(first, axis) * (1 - weight) + out.take(second, axis) * weight
        return '(resize(%s, %d, %d) * 16.0f)' % (a, *shape[-2:]), out * 16

    @operation(3)
    def ch_unpool(self, shape, depth):
        channels = shape[-3]
        n = self.rng.choice([n for n in (1, 3, 5) if n <= channels])
        (a, v), (g, w) = self.expression(shape, depth), self.expression(shape, depth)
        out = np.zeros(shape)
        for c in range(channels):
            part = (..., slice(max(0, c - n // 2), c + n // 2 + 1), slice(None), slice(None))
            most = v[part].max(axis=-3, keepdims=True)
            out[part] += (v[part] == most) * w[..., c:c + 1, :, :]
        return ('ch_unpool<red::maximum>(%s, chpool<red::maximum>(%s, %d), %s, %d)' % (a, a, n, g, n),
                out)

    @operation(2, 2)
    def unpack_patch2col(self, shape, depth):
        def divisor(n, most):
            return self.rng.choice([d for d in range(1, most + 1) if n % d == 0])
        ky = divisor(shape[0], 3)
        kx = divisor(shape[0] // ky, 3)
        images = divisor(shape[1], shape[1])
        rows = divisor(shape[1] // images, shape[1])
        cols, channels = shape[1] // images // rows, shape[0] // ky // kx
        step = self.rng.choice((1, 2))
        a, v = self.expression(
            (images, channels, (rows - 1) * step + ky, (cols - 1) * step + kx), depth)
        out = np.zeros((channels, ky, kx, images, rows, cols))
        for y, x in np.ndindex(ky, kx):
            part = v[:, :, y:y + (rows - 1) * step + 1:step, x:x + (cols - 1) * step + 1:step]
            out[:, y, x] = part.transpose(1, 0, 2, 3)
        return 'unpack_patch2col(%s, %d, %d, %d)' % (a, ky, kx, step), out.reshape(shape)

    @operation(4, 4)
    def pack_col2patch(self, shape, depth):
        images, channels, h, w = shape
        ky, kx, step = (self.rng.choice(n) for n in ((1, 2, 3), (1, 2, 3), (1, 2)))
        if h < ky or w < kx:
            return None
        rows, cols = (h - ky) // step + 1, (w - kx) // step + 1
        a, v = self.expression((channels * ky * kx, images * rows * cols), depth)
        v = v.reshape(channels, ky, kx, images, rows, cols)
        out = np.zeros(shape)
        for y, x, i, j in np.ndindex(ky, kx, rows, cols):
            out[:, :, i * step + y, j * step + x] += v[:, y, x, :, i, j].T
        return ('pack_col2patch(%s, %s, %d, %d, %d)' % (a, shape_text(shape), ky, kx, step), out)

    # ---- Products ----
    @operation(2, 2)
    def implicit_dot(self, shape, depth):
        n = self.rng.choice((1, 2, 7))
        (a, v), (b, w) = self.expression((shape[0], n), depth), self.expression((n, shape[1]), depth)
        if (np.abs(v) @ np.abs(w)).max() > LARGEST:
            return None
        return 'implicit_dot(%s, %s)' % (a, b), v @ w

    @operation()
    def complex_numbers(self, shape, depth):
        twice = replaced(shape, len(shape) - 1, 2 * shape[-1])
        (a, v), (b, w) = self.expression(twice, depth), self.expression(twice, depth)
        if np.abs(v).max() * np.abs(w).max() * 2 > LARGEST:
            return None
        product = (v[..., ::2] + 1j * v[..., 1::2]) * (w[..., ::2] + 1j * w[..., 1::2])
        number = self.rng.choice((('complex_mul_cc(%s, %s)' % (a, b), product),
                                  ('conj(complex_mul_cc(%s, %s))' % (a, b), product.conj())))
        return self.rng.choice((('complex_toreal(%s)' % number[0], number[1].real),
                                ('complex_sum_real_imag(%s)' % number[0],
                                 number[1].real + number[1].imag)))

    # ---- Where the expression goes ----
    def make(self):
        rank = self.rng.choice((1, 2, 2, 3, 4))
        shape = tuple(self.rng.choice(SIZES[:6]) for _ in range(rank - 1))
        # Rows longer than the buffers of runs, where there are few.
        long = (130, 600, 1100) if rank <= 2 and self.rng.random() < 0.2 else SIZES
        shape += (self.rng.choice(long),)
        # Now and then so many elements that threads share them.
        if rank == 2 and self.rng.random() < 0.05:
            shape = (self.rng.choice((150, 400)),) + shape[1:]
        if rank >= 2 and self.has_dot and self.rng.random() < 0.05:
            return self.to_product(shape[-3:])
        text, value = self.expression(shape, self.rng.choice((1, 2, 3, 3, 4)))
        if text == self.leaves[0].name or np.abs(value).max() > LARGEST:
            return
        saver = self.rng.choice(('=', '=', '+=', '-='))
        target = self.rng.choice((self.to_tensor, self.to_tensor, self.to_operand, self.to_slice,
                                  self.to_box, self.to_flip, self.to_concat, self.to_sums,
                                  self.to_fused))
        target(text, value, saver)

    def to_product(self, shape):
        (m, n), k = shape[-2:], self.rng.choice((1, 3, 20))
        left, right = (self.rng.random() < 0.5 for _ in 'ab')
        (a, v), (b, w) = (self.leaf(shape[:-2] + (size[::-1] if swapped else size))
                          for size, swapped in (((m, k), left), ((k, n), right)))
        v, w = (np.swapaxes(u, -2, -1) if swapped else u for u, swapped in ((v, left), (w, right)))
        if len(shape) == 3:
            text = 'batch_dot<%s, %s>(%s, %s)' % (str(left).lower(), str(right).lower(), a, b)
        else:
            text = 'dot(%s%s, %s%s)' % (a, '.T()' * left, b, '.T()' * right)
        scale = self.rng.choice(('', ' * 2.0f'))
        self.to_tensor(text + scale, v @ w * (2 if scale else 1), self.rng.choice(('=', '+=', '-=')))

    def save(self, target, text, saver, leaves, values):
        self.finish('%s %s %s' % (target, saver, text), leaves, values)

    def finish(self, text, leaves, values):
        self.text = '; '.join((text, *('Emit(%s)' % leaf.name for leaf in leaves), ''))
        self.expected = np.concatenate([v.reshape(-1) for v in values])

    @staticmethod
    def saved(saver, old, value):
        return {'=': value, '+=': old + value, '-=': old - value}[saver]

    def to_part(self, target, leaf, part, text, value, saver):
        after = leaf.value.copy()
        after[part] = self.saved(saver, after[part], value)
        self.save(target % leaf.name, text, saver, [leaf], [after])

    def to_tensor(self, text, value, saver):
        self.to_part('%s', self.new(value.shape), ..., text, value, saver)

    def to_operand(self, text, value, saver):
        own = [t for t in self.leaves if t.shape == value.shape and t.dtype == 'D']
        if own:
            self.to_part('%s', self.rng.choice(own), ..., text, value, saver)

    def to_slice(self, text, value, saver):
        axis, begin = self.rng.randrange(value.ndim), self.rng.randrange(3)
        end = begin + value.shape[axis]
        leaf = self.new(replaced(value.shape, axis, end + self.rng.randrange(3)))
        self.to_part('slice<%d>(%%s, %d, %d)' % (axis, begin, end), leaf,
                     (slice(None),) * axis + (slice(begin, end),), text, value, saver)

    def to_box(self, text, value, saver):
        box = self.box(value.shape)
        leaf = self.new([n + self.rng.randrange(2) for n in box[1]])
        self.to_part('slice(%%s, %s)' % ', '.join(map(shape_text, box)), leaf,
                     tuple(slice(*bound) for bound in zip(*box)), text, value, saver)

    def to_flip(self, text, value, saver):
        axis = self.rng.randrange(value.ndim)
        self.to_part('flip(%%s, %d)' % axis, self.new(value.shape),
                     (slice(None),) * axis + (slice(None, None, -1),), text, value, saver)

    def to_concat(self, text, value, saver):
        axis = self.rng.randrange(value.ndim)
        if value.shape[axis] < 2:
            return
        split = self.rng.randrange(1, value.shape[axis])
        parts = np.split(value, [split], axis)
        leaves = [self.new(part.shape) for part in parts]
        self.save('concat<%d>(%s, %s)' % (axis, *(leaf.name for leaf in leaves)), text, saver,
                  leaves, [self.saved(saver, t.value, v) for t, v in zip(leaves, parts)])

    def to_sums(self, text, value, saver):
        if value.ndim < 2:
            return
        axis = self.rng.randrange(value.ndim)
        sums = value.sum(axis=tuple(i for i in range(value.ndim) if i != axis))
        if np.abs(sums).max() > LARGEST:
            return
        self.to_part('%s', self.new(sums.shape), ...,
                     'sumall_except_dim<%d>(%s)' % (axis, text), sums, saver)

    def to_fused(self, text, value, saver):
        """The expression, and one that reads what it was assigned to."""
        own = [t for t in self.leaves if t.shape == value.shape and t.dtype == 'D']
        first = self.rng.choice(own + [self.new(value.shape)])
        second = self.rng.choice([t for t in own if t is not first] + [self.new(value.shape)])
        after = self.saved(saver, first.value, value)
        more, v = self.expression(value.shape, self.rng.choice((0, 1, 2)))
        read, w = self.rng.choice((('%s', after),
                                   ('flip(%%s, %d)' % (value.ndim - 1), after[..., ::-1])))
        if np.abs(v + w).max() > LARGEST:
            return
        saver2 = self.rng.choice(('=', '+=', '-='))
        statements = 'lazy(%s) %s %s, lazy(%s) %s %s + %s' % (
            first.name, saver, text, second.name, saver2, more, read % first.name)
        self.finish('Fuse(%s)' % statements, (first, second),
                    (after, self.saved(saver2, second.value, v + w)))

    def block(self):
        used = set(re.findall(r'\bt\d+\b', self.text))
        lines = [leaf.declaration() for leaf in self.leaves if leaf.name in used]
        return '  {\n    %s\n    %s\n  }' % ('\n    '.join(lines), self.text)


def check(seed, options, folder):
    """The number of statements of the program of that seed that are wrong."""
    rng = random.Random(seed)
    has_dot = 'simulated' not in options.device
    statements = [Statement(rng, options.dtype, has_dot) for _ in range(options.statements)]
    source, program, output = (folder / name for name in ('fuzz.cc', 'fuzz', 'fuzz.out'))
    source.write_text(PROGRAM % {'dtype': options.dtype,
                                 'body': '\n'.join(s.block() for s in statements)})
    root = pathlib.Path(__file__).resolve().parents[2]
    device = ['-I%s/test' % root, '-DMSHADOW_TEST_DEVICE="%s"' % options.device, '-lgtest']
    subprocess.run([os.environ.get('CXX', 'g++'), '-std=c++17', '-I%s/include' % root,
                    '-DMSHADOW_USE_CBLAS=0', *(options.flags or FLAGS), str(source), '-o',
                    str(program), *(device if options.device else [])], check=True)
    run = subprocess.run([str(program), str(output)], check=False)
    values = np.fromfile(output)
    wrong = 0
    for statement in statements:
        n = len(statement.expected)
        if len(values) < n:
            print('seed %d: exit code %d in\n%s' % (seed, run.returncode, statement.block()))
            return wrong + 1
        where = np.flatnonzero(values[:n] != statement.expected)
        if where.size:
            wrong += 1
            print('seed %d: %d of %d elements differ, the first at %d: %g instead of %g\n%s' %
                  (seed, where.size, n, where[0], values[where[0]], statement.expected[where[0]],
                   statement.block()))
        values = values[n:]
    if run.returncode != 0 and wrong == 0:
        print('seed %d: exit code %d' % (seed, run.returncode))
        return 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--programs', type=int, default=1)
    parser.add_argument('--statements', type=int, default=60)
    parser.add_argument('--dtype', default='float', help='float, double, int32_t or int64_t')
    parser.add_argument('--device', default='', help='a header: gpu/simulated_device.h')
    parser.add_argument('flags', nargs='*', help='of the compiler, behind --')
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.programs):
            wrong += check(seed, options, pathlib.Path(folder))
    print('%d statements, %d wrong' % (options.programs * options.statements, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
