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
MSHADOW_TEST_DEVICE may name, and needs GoogleTest: gpu/simulated_device.h runs the kernels of a GPU
on the host; with a GPU, CXX=nvcc and --device gpu/managed_device.h -- -x cu -arch=native -lcublas
run them there. Needs NumPy. Prints the statements that differ, with the declarations that make
them programs, and exits with 1 where there are any.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True  # nothing beside the sources
from generator import LARGEST, Statement, shape_text, size_of

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

SIZES = (1, 2, 3, 4, 6, 8, 12, 17, 40)


class ExactStatement(Statement):
    """A statement of small whole numbers, and the values of its targets after it."""

    def __init__(self, rng, dtype, has_dot):
        self.has_dot, self.values = has_dot, {}
        super().__init__(rng, dtype)

    def new(self, shape, dtype=None, below=None):
        leaf = super().new(shape, dtype, below)
        i = np.arange(1, size_of(shape) + 1, dtype=np.uint64)
        hashes = (i * 2654435761 + leaf.seed * 40503) & 0xffffffff
        self.values[leaf] = ((hashes >> 12) % 5).astype(np.float64).reshape(leaf.shape)
        return leaf

    def cast(self, v, dtype):
        del dtype
        return v.astype(np.float64)

    def fits(self, node):
        return np.abs(node.value(self.values)).max() <= LARGEST

    def shape(self):
        rank = self.rng.choice((1, 2, 2, 3, 4))
        shape = tuple(self.rng.choice(SIZES[:6]) for _ in range(rank - 1))
        # Rows longer than the buffers of runs, where there are few.
        long = (130, 600, 1100) if rank <= 2 and self.rng.random() < 0.2 else SIZES
        shape += (self.rng.choice(long),)
        # Now and then so many elements that threads share them.
        if rank == 2 and self.rng.random() < 0.05:
            shape = (self.rng.choice((150, 400)),) + shape[1:]
        return shape

    def make(self):
        self.values = {}
        super().make()
        if self.text is None:
            return
        after = {leaf: v.copy() for leaf, v in self.values.items()}
        self.run(after)
        self.expected = np.concatenate([after[leaf].reshape(-1) for leaf in self.targets])
        if np.abs(self.expected).max() > LARGEST:
            self.text = None

    def block(self):
        lines = ['auto %s = Make<%s>(%s, %d, %d);' % (leaf, leaf.dtype, shape_text(leaf.shape),
                                                      leaf.seed, leaf.pad) for leaf in self.leaves]
        lines += [self.text + ' ' + ' '.join('Emit(%s);' % leaf for leaf in self.targets)]
        return '  {\n    %s\n  }' % '\n    '.join(lines)


def check(seed, options, folder):
    """The number of statements of the program of that seed that are wrong."""
    rng = random.Random(seed)
    # No GPU has products of integers, the simulated one has none.
    has_dot = not options.device or ('simulated' not in options.device and
                                     options.dtype in ('float', 'double'))
    statements = [ExactStatement(rng, options.dtype, has_dot) for _ in range(options.statements)]
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
