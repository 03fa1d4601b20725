# SPDX-License-Identifier: Apache-2.0
"""Random statements: the C++ text of each, and the NumPy that computes the same.

statements.py compares their values, speed.py their times. An operation of Generator gets the shape
of its result and how deep it may still nest. It returns a Node, or None where no such expression
has that shape.
"""
import itertools
import math
import re

import numpy as np

LARGEST = 2.0**22  # sums of what is below are exact in float
NUMPY_TYPES = {'float': np.float32, 'double': np.float64, 'mshadow::half::half_t': np.float16,
               'int32_t': np.int32, 'int64_t': np.int64, 'uint8_t': np.uint8,
               'int8_t': np.int8, 'int16_t': np.int16}
REAL_TYPES = ('float', 'double', 'mshadow::half::half_t', 'bfloat::bf16_t')
REDUCERS = {'sum': np.add, 'maximum': np.maximum, 'minimum': np.minimum}


def size_of(shape):
    return math.prod(shape)


def shape_text(shape):
    return 'Shape%d(%s)' % (len(shape), ', '.join(map(str, shape)))


def replaced(shape, axis, size):
    return shape[:axis] + (size,) + shape[axis + 1:]


def steps(begin, count, step):
    return slice(begin, begin + (count - 1) * step + 1, step)


def whole(at):
    return at if at.dtype.kind == 'i' else at.astype(int)


def worst(dtype, name):
    """The number that is no maximum, minimum or sum of others."""
    if name == 'sum':
        return 0
    if dtype.kind == 'f':
        return -np.inf if name == 'maximum' else np.inf
    limits = np.iinfo(dtype)
    return limits.min if name == 'maximum' else limits.max


def reduced(name, v, axis):
    """Sums wrap in the type of the elements, as those of the library do."""
    return REDUCERS[name].reduce(v, axis=axis, dtype=v.dtype)


def windows(v, out_shape, size, stride, name):
    """Reductions of windows over the last axes, cut off at the end of the image."""
    n = len(size)
    missing = [max(0, (m - 1) * s + k - h)
               for m, s, k, h in zip(out_shape[-n:], stride, size, v.shape[-n:])]
    if any(missing):
        v = np.pad(v, [(0, 0)] * (v.ndim - n) + [(0, m) for m in missing],
                   constant_values=worst(v.dtype, name))
    out = None
    for at in itertools.product(*map(range, size)):
        part = v[(...,) + tuple(map(steps, at, out_shape[-n:], stride))]
        out = part.copy() if out is None else REDUCERS[name](out, part, out=out)
    return out


def complex_product(v, w):
    """Real and imaginary part."""
    (a, b), (c, d) = ((u[..., ::2], u[..., 1::2]) for u in (v, w))
    return a * c - b * d, a * d + b * c


class Node:
    """An expression: its text, and a function that computes it from its operands. `cost` is that of
    an element, 1 for an addition."""

    def __init__(self, text, function, *operands, cost=1):
        self.text, self.function, self.operands, self.cost = text, function, operands, cost

    def __str__(self):
        return self.text

    def value(self, arrays, seen=None):
        """What it is where `arrays` holds the leaves; `seen` gets every value and its cost."""
        out = self.function(*[a.value(arrays, seen) for a in self.operands])
        if seen is not None:
            seen.append((out, self.cost))
        return out

    def leaves(self):
        return [leaf for a in self.operands for leaf in a.leaves()]

    def count(self):
        return 1 + sum(a.count() for a in self.operands)


class Leaf(Node):
    """A tensor of the program: `below`, if not None, says that it holds indices less than that."""

    def __init__(self, name, shape, dtype, rng, below):
        super().__init__(name, None)
        self.name, self.shape, self.dtype, self.below = name, tuple(shape), dtype, below
        self.seed, self.pad = rng.randrange(1, 1000), rng.choice((0, 0, 1, 5))

    def value(self, arrays, seen=None):
        return arrays[self]

    def leaves(self):
        return [self]

    def count(self):
        return 0


OPERATIONS = []  # (least rank, most rank, method)


def operation(least=1, most=4, weight=1):
    """`weight`: how often it is drawn where times matter, as often as people write it."""
    def register(method):
        OPERATIONS.append((least, most, method, weight))
        return method
    return register


class Statement:
    """One statement: its text, its leaves, and run(arrays), which does the same to arrays.

    A generator derives from it and says what leaves hold, what shapes there are and which dtypes.
    """

    def __init__(self, rng, dtype):
        self.rng, self.dtype, self.leaves = rng, dtype, []
        self.text = None
        while self.text is None:
            self.leaves = []
            self.make()

    # What the two programs do differently. `exact`: values are small whole numbers.
    exact = True
    has_dot = True
    reduced_sizes = (1, 2, 5, 9)
    table_rows = (5, 12)
    depths = (1, 2, 3, 3, 4)
    largest_size = 2**62
    weighted = False
    of_expressions = False  # do parts and joined parts take expressions?
    operations = OPERATIONS

    def fits(self, node):
        """True if the value of that expression may be part of the statement."""
        raise NotImplementedError

    def cast(self, v, dtype):
        """The array as one of that element type."""
        raise NotImplementedError

    def shape(self):
        """The shape of the result."""
        raise NotImplementedError

    # ---- Operands ----
    def new(self, shape, dtype=None, below=None):
        leaf = Leaf('t%d' % len(self.leaves), shape, dtype or self.dtype, self.rng, below)
        self.leaves.append(leaf)
        return leaf

    def expression(self, shape, depth):
        shape = tuple(shape)
        tries = 0
        while depth > 0 and self.rng.random() > 0.08 and tries < 100:
            tries += 1
            weights = [weight for *_, weight in self.operations] if self.weighted else None
            least, most, method, _ = self.rng.choices(self.operations, weights)[0]
            if not least <= len(shape) <= most:
                continue
            made = method(self, shape, depth - 1)
            if made is not None:
                return made
        return self.new(shape)

    def operands(self, shape, depth, count):
        """Operands of an element-wise node: one has that shape, others may have its last axes."""
        made = [self.expression(shape, depth)]
        for _ in range(1, count):
            low = len(shape) > 1 and self.rng.random() < 0.2
            last = shape[self.rng.randrange(1, len(shape)):] if low else shape
            a = self.expression(last, depth)
            # What a reduction left would be repeated along the axis it lost, which is not known.
            made.append(self.new(last) if low and 'reduce_with_axis' in a.text else a)
        self.rng.shuffle(made)
        return made

    def part(self, shape, depth):
        """The operand of flips, slices and concat."""
        return self.expression(shape, depth) if self.of_expressions else self.new(shape)

    def index(self, shape, below):
        """Indices less than `below`, at least 5."""
        return self.new(shape, None if self.exact else 'int32_t', below)

    def is_real(self):
        return self.dtype in REAL_TYPES

    def is_large(self, shape):
        return size_of(shape) > self.largest_size

    def window(self, choices):
        """Sizes and strides of windows."""
        return tuple([self.rng.choice(sizes) for _ in 'yx'] for sizes in (choices, (1, 2, 3)))

    # ---- Element by element ----
    @operation(weight=4)
    def scalar(self, shape, depth):
        a, c = self.expression(shape, depth), self.rng.choice((1, 2, 3))
        return self.rng.choice((Node(f'({a} + {c}.0f)', lambda v: v + c, a),
                                Node(f'({a} * {c}.0f)', lambda v: v * c, a),
                                Node(f'({c}.0f - {a})', lambda v: c - v, a)))

    @operation(weight=8)
    def binary(self, shape, depth):
        a, b = self.operands(shape, depth, 2)
        return self.rng.choice((Node(f'({a} + {b})', np.add, a, b),
                                Node(f'({a} - {b})', np.subtract, a, b),
                                Node(f'F<op::max>({a}, {b})', np.maximum, a, b)))

    @operation(weight=3)
    def unary(self, shape, depth):
        a = self.expression(shape, depth)
        low = 0 if self.dtype == 'uint8_t' else -2
        return self.rng.choice((Node(f'F<Twice>({a})', lambda v: 2 * v + 1, a),
                                Node(f'F<op::abs>({a})', np.abs, a),
                                Node(f'clip({a}, -2.0f, 9.0f)', lambda v: np.clip(v, low, 9), a)))

    @operation(weight=3)
    def where(self, shape, depth):
        c, a, b = self.operands(shape, depth, 3)
        return Node(f'where({c}, {a}, {b})', lambda u, v, w: np.where(u != 0, v, w), c, a, b)

    @operation(weight=2)
    def tcast(self, shape, depth):
        del depth
        types = ('int32_t', 'uint8_t', 'double', 'mshadow::half::half_t', 'int64_t')
        a = self.new(shape, self.rng.choice(types))
        return self.tcast_node(a)

    def tcast_node(self, a):
        dtype = self.dtype
        return Node(f'tcast<{dtype}>({a})', lambda v: self.cast(v, dtype), a)

    # ---- The same elements elsewhere ----
    @operation()
    def reshape(self, shape, depth):
        sizes, rest = [], size_of(shape)
        for _ in range(self.rng.randrange(4)):
            divisors = [n for n in range(1, int(rest**0.5) + 1) if rest % n == 0]
            sizes.append(self.rng.choice(divisors + [rest // n for n in divisors]))
            rest //= sizes[-1]
        sizes.append(rest)
        self.rng.shuffle(sizes)
        a = self.expression(sizes, depth)
        return Node(f'reshape({a}, {shape_text(shape)})', lambda v: v.reshape(shape), a)

    @operation(2)
    def swapaxis(self, shape, depth):
        j, i = sorted(self.rng.sample(range(len(shape)), 2))
        a = self.expression(replaced(replaced(shape, i, shape[j]), j, shape[i]), depth)
        return Node(f'swapaxis<{i}, {j}>({a})', lambda v: np.swapaxes(v, i, j), a)

    @operation(2)
    def transpose(self, shape, depth):
        axes = self.rng.sample(range(len(shape)), len(shape))
        a = self.expression([shape[axes.index(i)] for i in range(len(shape))], depth)
        return Node(f'transpose({a}, {shape_text(axes)})', lambda v: np.transpose(v, axes), a)

    @operation(2, 2, weight=3)
    def transposed(self, shape, depth):
        del depth
        a = self.new(shape[::-1])
        return Node(f'{a}.T()', np.transpose, a)

    @operation(2)
    def mirror(self, shape, depth):
        a = self.expression(shape, depth)
        return Node(f'mirror({a})', lambda v: v[..., ::-1], a)

    @operation()
    def flip(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a = self.part(shape, depth)
        return Node(f'flip({a}, {axis})', lambda v: np.flip(v, axis), a)

    @operation()
    def roll(self, shape, depth):
        axis, shift = self.rng.randrange(len(shape)), self.rng.randrange(-9, 10)
        a = self.expression(shape, depth)
        return Node(f'roll({a}, {shift}, {axis})', lambda v: np.roll(v, shift, axis), a)

    # ---- Parts, joined parts, repeated parts ----
    @operation(2, weight=2)
    def crop(self, shape, depth):
        (y, x), (down, right) = [[self.rng.randrange(3) for _ in 'yx'] for _ in range(2)]
        h, w = shape[-2:]
        a = self.expression(shape[:-2] + (y + h + down, x + w + right), depth)
        return Node(f'crop({a}, Shape2({h}, {w}), {y}, {x})',
                    lambda v: v[..., y:y + h, x:x + w], a)

    @operation(2)
    def unpad(self, shape, depth):
        (h, w), y, x = shape[-2:], self.rng.randrange(3), self.rng.randrange(3)
        a = self.expression(shape[:-2] + (h + 2 * y, w + 2 * x), depth)
        return Node(f'unpad({a}, {y}, {x})', lambda v: v[..., y:y + h, x:x + w], a)

    @operation(2, weight=2)
    def pad(self, shape, depth):
        y, x = (self.rng.randrange(min((n + 1) // 2, 5)) for n in shape[-2:])
        a = self.expression(shape[:-2] + (shape[-2] - 2 * y, shape[-1] - 2 * x), depth)
        frame = [(0, 0)] * (len(shape) - 2) + [(y, y), (x, x)]
        return Node(f'pad({a}, {y}, {x})', lambda v: np.pad(v, frame), a)

    @operation(weight=3)
    def slice_of_axis(self, shape, depth):
        axis, begin = self.rng.randrange(len(shape)), self.rng.randrange(3)
        end = begin + shape[axis]
        a = self.part(replaced(shape, axis, end + self.rng.randrange(2)), depth)
        part = (slice(None),) * axis + (slice(begin, end),)
        return Node(f'slice<{axis}>({a}, {begin}, {end})', lambda v: v[part], a)

    def box(self, shape):
        """Begin, end and step along every axis of a slice of that shape."""
        begin = [self.rng.randrange(2) for _ in shape]
        step = [self.rng.choice((1, 1, 2, 3)) for _ in shape]
        return begin, [b + (n - 1) * s + 1 for b, n, s in zip(begin, shape, step)], step

    @operation(weight=2)
    def slice_of_box(self, shape, depth):
        box = self.box(shape)
        if self.is_large(box[1]):
            return None
        a, part = self.part(box[1], depth), tuple(slice(*bound) for bound in zip(*box))
        return Node('slice(%s, %s, %s, %s)' % (a, *map(shape_text, box)), lambda v: v[part], a)

    @operation(weight=2)
    def concat(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        if shape[axis] < 2:
            return None
        split = self.rng.randrange(1, shape[axis])
        a = self.part(replaced(shape, axis, split), depth)
        b = self.part(replaced(shape, axis, shape[axis] - split), depth)
        return Node(f'concat<{axis}>({a}, {b})', lambda v, w: np.concatenate([v, w], axis), a, b)

    @operation(weight=2)
    def broadcast(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a = self.expression(shape[axis:axis + 1], depth)
        aligned = [-1 if i == axis else 1 for i in range(len(shape))]
        return Node(f'broadcast<{axis}>({a}, {shape_text(shape)})',
                    lambda v: np.broadcast_to(v.reshape(aligned), shape), a)

    @operation(2)
    def broadcast_with_axis(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a = self.expression(shape[:axis] + shape[axis + 1:], depth)
        return Node(f'broadcast_with_axis({a}, {axis - 1}, {shape[axis]})',
                    lambda v: np.broadcast_to(np.expand_dims(v, axis), shape), a)

    @operation()
    def tile(self, shape, depth):
        reps = [self.rng.choice([r for r in (1, 2, 3) if n % r == 0]) for n in shape]
        a = self.expression([n // r for n, r in zip(shape, reps)], depth)
        return Node(f'tile({a}, {shape_text(reps)})', lambda v: np.tile(v, reps), a)

    @operation(2)
    def upsampling_nearest(self, shape, depth):
        scale = self.rng.choice((1, 2, 3))
        if shape[-1] % scale or shape[-2] % scale:
            return None
        a = self.expression(shape[:-2] + (shape[-2] // scale, shape[-1] // scale), depth)
        return Node(f'upsampling_nearest({a}, {scale})',
                    lambda v: v.repeat(scale, -1).repeat(scale, -2), a)

    # ---- Along an axis ----
    @operation()
    def cumsum(self, shape, depth):
        axis = self.rng.randrange(len(shape))
        a = self.expression(shape, depth)
        text = f'cumsum({a}, {axis})'
        if self.dtype not in REAL_TYPES:  # sums of integers have 64 bits
            text = f'tcast<{self.dtype}>({text})'
        return Node(text, lambda v: np.cumsum(v, axis, dtype=v.dtype), a)

    @operation(1, 3, weight=2)
    def reduce_with_axis(self, shape, depth):
        axis, size = self.rng.randrange(len(shape) + 1), self.rng.choice(self.reduced_sizes)
        name = self.rng.choice(sorted(REDUCERS))
        index = name != 'sum' and self.rng.random() < 0.4
        source = shape[:axis] + (size,) + shape[axis:]
        if self.is_large(source) or index and size > 200:
            return None
        a = self.expression(source, depth)
        where = {'maximum': np.argmax, 'minimum': np.argmin}.get(name)
        return Node(f'reduce_with_axis<red::{name}, {str(index).lower()}>({a}, {axis})',
                    lambda v: where(v, axis=axis).astype(v.dtype) if index
                    else reduced(name, v, axis), a)

    # ---- By an index ----
    @operation(2, 2)
    def take(self, shape, depth):
        rows = self.rng.choice(self.table_rows)
        index = self.index(shape[:1], rows)
        if self.is_large((rows, shape[1])):
            return None
        a = self.expression((rows, shape[1]), depth)
        return Node(f'take({index}, {a})', lambda at, v: v[whole(at)], index, a)

    @operation(2, 2)
    def take_grad(self, shape, depth):
        if shape[0] < 5:
            return None
        n = self.rng.choice((1, 6, 30) if self.exact else (6, 30, 2 * shape[0]))
        if self.is_large((n, shape[1])):
            return None
        index, a = self.index((n,), shape[0]), self.expression((n, shape[1]), depth)

        def function(at, v):
            out = np.zeros(shape, v.dtype)
            np.add.at(out, whole(at), v)
            return out
        return Node(f'take_grad({index}, {a}, {shape[0]})', function, index, a)

    @operation(2, 2)
    def one_hot(self, shape, depth):
        index = self.expression(shape[:1], depth) if self.exact else self.index(shape[:1], shape[1])
        hot = Node(f'one_hot_encode({index}, {shape[1]})',
                   lambda at: at[:, None] == np.arange(shape[1]), index)
        return self.tcast_node(hot)

    @operation(2, 2)
    def mask(self, shape, depth):
        index, a = self.new(shape[:1]), self.expression(shape, depth)
        return Node(f'mask({index}, {a})', lambda at, v: v * at[:, None], index, a)

    @operation(1, 1)
    def mat_choose_row_element(self, shape, depth):
        cols = self.rng.choice((5, 8))
        if self.is_large((shape[0], cols)):
            return None
        index, a = self.index(shape, cols), self.expression((shape[0], cols), depth)
        return Node(f'mat_choose_row_element({a}, {index})',
                    lambda v, at: v[np.arange(shape[0]), whole(at)], a, index)

    @operation(2, 2)
    def mat_fill_row_element(self, shape, depth):
        if shape[1] < 5:
            return None
        index = self.index(shape[:1], shape[1])
        a, b = self.expression(shape, depth), self.expression(shape[:1], depth)

        def function(v, w, at):
            out = v.copy()
            out[np.arange(shape[0]), whole(at)] = w
            return out
        return Node(f'mat_fill_row_element({a}, {b}, {index})', function, a, b, index)

    # ---- Windows ----
    @operation(2)
    def pool(self, shape, depth):
        size, stride = self.window((1, 2, 3, 5))
        # The last windows may be cut off.
        image = tuple((n - 1) * s + k - self.rng.choice((0, 0, k - 1))
                      for n, s, k in zip(shape[-2:], stride, size))
        if image[0] < size[0] or image[1] < size[1] or self.is_large(shape[:-2] + image):
            return None
        name, a = self.rng.choice(sorted(REDUCERS)), self.expression(shape[:-2] + image, depth)
        return Node('pool<red::%s>(%s, %s, %d, %d, %d, %d)' %
                    (name, a, shape_text(shape[-2:]), *size, *stride),
                    lambda v: windows(v, shape, size, stride, name), a)

    @operation(3)
    def pool3d(self, shape, depth):
        size = [self.rng.choice((1, 2, 3)) for _ in 'zyx']
        stride = [self.rng.choice((1, 2)) for _ in 'zyx']
        image = tuple((n - 1) * s + k for n, s, k in zip(shape[-3:], stride, size))
        if self.is_large(shape[:-3] + image):
            return None
        name, a = self.rng.choice(sorted(REDUCERS)), self.expression(shape[:-3] + image, depth)
        return Node(f'pool3d<red::{name}>({a}, {shape_text(size)}, {shape_text(stride)})',
                    lambda v: windows(v, shape, size, stride, name), a)

    @operation(3)
    def chpool(self, shape, depth):
        channels = shape[-3]
        n = self.rng.choice([n for n in (1, 3, 5) if n <= channels])
        a = self.expression(shape, depth)

        def function(v):
            out = v.copy()
            for i in range(1, min(n // 2 + 1, channels)):
                out[..., i:, :, :] += v[..., :-i, :, :]
                out[..., :-i, :, :] += v[..., i:, :, :]
            return out
        return Node(f'chpool<red::sum>({a}, {n})', function, a)

    @operation(2)
    def unpool(self, shape, depth):
        size, stride = self.window((1, 2, 3))
        if shape[-2] < size[0] or shape[-1] < size[1]:
            return None
        pooled = shape[:-2] + tuple((n - k) // s + 1
                                    for n, k, s in zip(shape[-2:], size, stride))
        a, g = self.expression(shape, depth), self.expression(pooled, depth)

        def function(v, w):
            out, most = np.zeros(shape, v.dtype), windows(v, pooled, size, stride, 'maximum')
            for at in np.ndindex(*size):
                part = (..., *map(steps, at, pooled[-2:], stride))
                out[part] += (v[part] == most) * w
            return out
        by = '%d, %d, %d, %d' % (*size, *stride)
        return Node(f'unpool<red::maximum>({a}, pool<red::maximum>({a}, {by}), {g}, {by})',
                    function, a, g)

    def means(self):
        """Windows of 1, 2, 4, .. cells, cut off or not, so that shares of them are exact."""
        size, stride = self.window((1, 2, 4))
        return size, stride, [int(k == 2 and self.rng.random() < 0.5) for k in size]

    @staticmethod
    def framed(v, pad):
        return np.pad(v, [(0, 0)] * (v.ndim - 2) + [(p, p) for p in pad]) if any(pad) else v

    def cells(self, image, pooled, size, stride, pad):
        """How many cells of each window lie in the image."""
        inside = self.framed(np.ones(image), pad)
        return windows(inside, tuple(pooled), size, stride, 'sum')

    @operation(2)
    def avg_pool(self, shape, depth):
        size, stride, pad = self.means()
        image = tuple((n - 1) * s + k - 2 * p for n, k, s, p in zip(shape[-2:], size, stride, pad))
        if min(image) < 1 or self.is_large(shape[:-2] + image):
            return None
        a, real = self.expression(shape[:-2] + image, depth), self.is_real()

        def function(v):
            sums = windows(self.framed(v, pad), shape, size, stride, 'sum')
            cells = self.cells(image, shape[-2:], size, stride, pad).astype(v.dtype)
            return 16 * (sums / cells if real else np.trunc(sums / cells).astype(v.dtype))
        return Node('(avg_pool(%s, %d, %d, %d, %d, %d, %d) * 16.0f)' % (a, *size, *stride, *pad),
                    function, a)

    @operation(2)
    def avg_unpool(self, shape, depth):
        size, stride, pad = self.means()
        pooled = tuple((n + 2 * p - k) // s + 1
                       for n, k, s, p in zip(shape[-2:], size, stride, pad))
        if not self.is_real() or any(n + p < k for n, k, p in zip(shape[-2:], size, pad)):
            return None
        g = self.expression(shape[:-2] + pooled, depth)

        def function(w):
            cells = self.cells(shape[-2:], pooled, size, stride, pad).astype(w.dtype)
            shares = 16 * w / cells
            framed = shape[:-2] + tuple(n + 2 * p for n, p in zip(shape[-2:], pad))
            out = np.zeros(framed, w.dtype)
            for at in np.ndindex(*size):
                out[(..., *map(steps, at, pooled, stride))] += shares
            return out[(..., *(slice(p, p + n) for p, n in zip(pad, shape[-2:])))]
        return Node('(avg_unpool(%s, %s, %d, %d, %d, %d, %d, %d) * 16.0f)' %
                    (g, shape_text(shape[-2:]), *size, *stride, *pad), function, g)

    @operation(2)
    def resize(self, shape, depth):
        # Twice and half as many pixels: weights of a quarter, a half and three quarters.
        sizes = [self.rng.choice([n, 2 * n] + [n // 2] * (1 - n % 2)) for n in shape[-2:]]
        if not self.is_real() or self.is_large(shape[:-2] + tuple(sizes)):
            return None
        a = self.expression(shape[:-2] + tuple(sizes), depth)

        def function(v):
            out = v
            for axis, (n, m) in zip((-2, -1), zip(sizes, shape[-2:])):
                at = (n / m - 1) / 2 + np.arange(m) * n / m
                low = np.floor(at)
                weight = (at - low).reshape((-1,) + (1,) * (-1 - axis)).astype(v.dtype)
                first, second = (np.clip(low + i, 0, n - 1).astype(int) for i in (0, 1))
                out = out.take(first, axis) * (1 - weight) + out.take(second, axis) * weight
            return out * 16
        return Node(f'(resize({a}, {shape[-2]}, {shape[-1]}) * 16.0f)', function, a)

    @operation(3)
    def ch_unpool(self, shape, depth):
        channels = shape[-3]
        n = self.rng.choice([n for n in (1, 3, 5) if n <= channels])
        a, g = self.expression(shape, depth), self.expression(shape, depth)

        def function(v, w):
            out = np.zeros(shape, v.dtype)
            for c in range(channels):
                part = (..., slice(max(0, c - n // 2), c + n // 2 + 1), slice(None), slice(None))
                most = v[part].max(axis=-3, keepdims=True)
                out[part] += (v[part] == most) * w[..., c:c + 1, :, :]
            return out
        return Node(f'ch_unpool<red::maximum>({a}, chpool<red::maximum>({a}, {n}), {g}, {n})',
                    function, a, g)

    @operation(2, 2)
    def unpack_patch2col(self, shape, depth):
        def divisor(n, most):
            return self.rng.choice([d for d in range(1, min(n, most) + 1) if n % d == 0])
        ky = divisor(shape[0], 3)
        kx = divisor(shape[0] // ky, 3)
        images = divisor(shape[1], 64 if not self.exact else shape[1])
        rows = divisor(shape[1] // images, 2000 if not self.exact else shape[1])
        cols, channels = shape[1] // images // rows, shape[0] // ky // kx
        step = self.rng.choice((1, 2))
        image = (images, channels, (rows - 1) * step + ky, (cols - 1) * step + kx)
        if self.is_large(image):
            return None
        a = self.expression(image, depth)

        def function(v):
            out = np.zeros((channels, ky, kx, images, rows, cols), v.dtype)
            for y, x in np.ndindex(ky, kx):
                part = v[:, :, steps(y, rows, step), steps(x, cols, step)]
                out[:, y, x] = part.transpose(1, 0, 2, 3)
            return out.reshape(shape)
        return Node(f'unpack_patch2col({a}, {ky}, {kx}, {step})', function, a)

    @operation(4, 4)
    def pack_col2patch(self, shape, depth):
        images, channels, h, w = shape
        ky, kx, step = (self.rng.choice(n) for n in ((1, 2, 3), (1, 2, 3), (1, 2)))
        if h < ky or w < kx:
            return None
        rows, cols = (h - ky) // step + 1, (w - kx) // step + 1
        if self.is_large((channels * ky * kx, images * rows * cols)):
            return None
        a = self.expression((channels * ky * kx, images * rows * cols), depth)

        def function(v):
            v, out = v.reshape(channels, ky, kx, images, rows, cols), np.zeros(shape, v.dtype)
            for y, x in np.ndindex(ky, kx):
                out[:, :, steps(y, rows, step), steps(x, cols, step)] += (
                    v[:, y, x].transpose(1, 0, 2, 3))
            return out
        return Node(f'pack_col2patch({a}, {shape_text(shape)}, {ky}, {kx}, {step})', function, a)

    # ---- Products ----
    @operation(2, 2)
    def implicit_dot(self, shape, depth):
        n = self.rng.choice((1, 2, 7))
        if self.is_large((n, max(shape))):
            return None
        a, b = self.expression((shape[0], n), depth), self.expression((n, shape[1]), depth)
        product = Node(f'implicit_dot({a}, {b})', np.matmul, a, b)
        sizes = Node('', lambda v, w: np.abs(v) @ np.abs(w), a, b)
        return product if self.fits(sizes) else None

    @operation()
    def complex_numbers(self, shape, depth):
        twice = replaced(shape, len(shape) - 1, 2 * shape[-1])
        if self.is_large(twice):
            return None
        a, b = self.expression(twice, depth), self.expression(twice, depth)
        if not self.fits(Node('', lambda v, w: np.abs(v).max() * np.abs(w).max() * 2, a, b)):
            return None
        product, both = f'complex_mul_cc({a}, {b})', np.add
        if self.rng.random() < 0.5:
            product, both = f'conj({product})', np.subtract
        return self.rng.choice((
            Node(f'complex_toreal({product})', lambda v, w: complex_product(v, w)[0], a, b),
            Node(f'complex_sum_real_imag({product})', lambda v, w: both(*complex_product(v, w)),
                 a, b)))

    # ---- Where the expression goes ----
    def make(self):
        shape = self.shape()
        if len(shape) >= 2 and self.has_dot and self.rng.random() < 0.05:
            return self.to_product(shape[-3:])
        a = self.expression(shape, self.rng.choice(self.depths))
        if isinstance(a, Leaf) or not self.fits(a):
            return
        saver = self.rng.choice(('=', '=', '+=', '-='))
        target = self.rng.choice((self.to_tensor, self.to_tensor, self.to_operand, self.to_slice,
                                  self.to_box, self.to_flip, self.to_concat, self.to_sums,
                                  self.to_fused))
        target(a, shape, saver)

    def to_product(self, shape):
        (m, n), k = shape[-2:], self.rng.choice((1, 3, 20))
        left, right = (self.rng.random() < 0.5 for _ in 'ab')
        a, b = (self.new(shape[:-2] + (size[::-1] if swapped else size))
                for size, swapped in (((m, k), left), ((k, n), right)))
        if len(shape) == 3:
            text = 'batch_dot<%s, %s>(%s, %s)' % (str(left).lower(), str(right).lower(), a, b)
        else:
            text = 'dot(%s%s, %s%s)' % (a, '.T()' * left, b, '.T()' * right)
        scale = self.rng.choice((1, 2))

        def function(v, w):
            v, w = (np.swapaxes(u, -2, -1) if swapped else u
                    for u, swapped in ((v, left), (w, right)))
            return v @ w * 2 if scale == 2 else v @ w
        self.to_tensor(Node(text + ' * 2.0f' * (scale - 1), function, a, b), shape,
                       self.rng.choice(('=', '+=', '-=')))

    def finish(self, text, *assignments):
        """`assignments`: (node, saver, places); each place is a leaf, the part of it that is
        written, and the part of the value that goes there."""
        self.text, self.assignments = text + ';', assignments
        self.targets = [leaf for _, _, places in assignments for leaf, _, _ in places]
        used = set(re.findall(r'\bt\d+\b', text))
        self.leaves = [leaf for leaf in self.leaves if leaf.name in used]

    def run(self, arrays, seen=None):
        """The statement by NumPy: arrays[leaf] becomes what the leaf holds after it."""
        for node, saver, places in self.assignments:
            value = node.value(arrays, seen)
            for leaf, part, of in places:
                new = value if of is ... else value[of]
                if saver == '+=':
                    arrays[leaf][part] += new
                elif saver == '-=':
                    arrays[leaf][part] -= new
                elif part is ... and new.flags.owndata:
                    arrays[leaf] = new
                else:
                    arrays[leaf][part] = new

    def to_part(self, target, leaf, part, a, saver):
        self.finish(f'{target} {saver} {a}', (a, saver, [(leaf, part, ...)]))

    def to_tensor(self, a, shape, saver):
        leaf = self.new(shape)
        self.to_part(leaf, leaf, ..., a, saver)

    def own(self, a, shape):
        """Tensors of the expression that may be its target too."""
        return [t for t in dict.fromkeys(a.leaves())
                if t.shape == shape and t.dtype == self.dtype and t.below is None]

    def to_operand(self, a, shape, saver):
        own = self.own(a, shape)
        if own:
            leaf = self.rng.choice(own)
            self.to_part(leaf, leaf, ..., a, saver)

    def to_slice(self, a, shape, saver):
        axis, begin = self.rng.randrange(len(shape)), self.rng.randrange(3)
        end = begin + shape[axis]
        leaf = self.new(replaced(shape, axis, end + self.rng.randrange(3)))
        self.to_part(f'slice<{axis}>({leaf}, {begin}, {end})', leaf,
                     (slice(None),) * axis + (slice(begin, end),), a, saver)

    def to_box(self, a, shape, saver):
        box = self.box(shape)
        if self.is_large(box[1]):
            return
        leaf = self.new([n + self.rng.randrange(2) for n in box[1]])
        self.to_part('slice(%s, %s, %s, %s)' % (leaf, *map(shape_text, box)), leaf,
                     tuple(slice(*bound) for bound in zip(*box)), a, saver)

    def to_flip(self, a, shape, saver):
        axis, leaf = self.rng.randrange(len(shape)), self.new(shape)
        self.to_part(f'flip({leaf}, {axis})', leaf,
                     (slice(None),) * axis + (slice(None, None, -1),), a, saver)

    def to_concat(self, a, shape, saver):
        axis = self.rng.randrange(len(shape))
        if shape[axis] < 2:
            return
        split = self.rng.randrange(1, shape[axis])
        leaves = [self.new(replaced(shape, axis, n)) for n in (split, shape[axis] - split)]
        parts = [(slice(None),) * axis + (part,) for part in (slice(split), slice(split, None))]
        self.finish('concat<%d>(%s, %s) %s %s' % (axis, *leaves, saver, a),
                    (a, saver, [(leaf, ..., part) for leaf, part in zip(leaves, parts)]))

    def to_sums(self, a, shape, saver):
        if len(shape) < 2:
            return
        axis = self.rng.randrange(len(shape))
        others = tuple(i for i in range(len(shape)) if i != axis)
        sums = Node(f'sumall_except_dim<{axis}>({a})', lambda v: reduced('sum', v, others), a)
        if self.fits(sums):
            leaf = self.new(shape[axis:axis + 1])
            self.to_part(leaf, leaf, ..., sums, saver)

    def to_fused(self, a, shape, saver):
        """The expression, and one that reads what it was assigned to."""
        own = self.own(a, shape)
        first = self.rng.choice(own + [self.new(shape)])
        second = self.rng.choice([t for t in own if t is not first] + [self.new(shape)])
        more = self.expression(shape, self.rng.choice((0, 1, 2)))
        read = self.rng.choice((first, Node(f'flip({first}, {len(shape) - 1})',
                                            lambda v: v[..., ::-1], first)))
        both = Node(f'{more} + {read}', np.add, more, read)
        if not self.fits(both):
            return
        saver2 = self.rng.choice(('=', '+=', '-='))
        self.finish(f'Fuse(lazy({first}) {saver} {a}, lazy({second}) {saver2} {both})',
                    (a, saver, [(first, ..., ...)]), (both, saver2, [(second, ..., ...)]))
