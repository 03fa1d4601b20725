# SPDX-License-Identifier: Apache-2.0
"""Operations of random statements that formulas have: reductions by name, products, softmax,
convolutions, operands of lower rank. With those of generator.py they name every extension.

Each is a function of a Statement, as the methods of generator.py are. FORMULAS lists them.
"""
import numpy as np

from generator import Leaf, Node, shape_text, size_of, steps, windows

FORMULAS = []  # (least rank, most rank, function, weight)
FLOATS = ('float', 'double')


def formula(least=1, most=4, weight=1):
    def register(function):
        FORMULAS.append((least, most, function, weight))
        return function
    return register


def logsumexp(v, axis, keepdims):
    most = v.max(axis=axis, keepdims=True)
    sums = np.exp(v - most).sum(axis=axis, keepdims=True)
    out = np.log(sums) + most
    return out if keepdims else np.squeeze(out, axis)


# name: (function of an array, its axes and keepdims; cost of an element; kind of elements)
NAMED = {
    'sum': (lambda v, **k: np.sum(v, dtype=v.dtype, **k), 1, 'all'),
    'mean': (np.mean, 1, 'real'),
    'var': (np.var, 3, 'real'),
    'stddev': (np.std, 3, 'real'),
    'norm': (lambda v, **k: np.sqrt(np.sum(v * v, **k)), 2, 'real'),
    'max': (np.max, 1, 'all'),
    'min': (np.min, 1, 'all'),
    'any': (lambda v, **k: np.any(v, **k).astype(v.dtype), 1, 'jump'),
    'all': (lambda v, **k: np.all(v, **k).astype(v.dtype), 1, 'jump'),
    'logsumexp': (logsumexp, 12, 'bounded'),
}
USUAL = ('sum', 'sum', 'mean', 'mean', 'var', 'max', 'max', 'norm', 'logsumexp', 'stddev', 'min',
         'any', 'all')


def some_axes(s, rank):
    """Axes that a reduction leaves out, one or more but not all; the last ones by preference."""
    if s.rng.random() < 0.5:
        return tuple(range(s.rng.randrange(1, rank), rank))
    return tuple(sorted(s.rng.sample(range(rank), s.rng.randrange(1, rank))))


def named(s, a, axes, keepdims):
    """A reduction of `a` by name, as a node; None where it has not that element type."""
    name = s.rng.choice(USUAL)
    function, cost, kind = NAMED[name]
    if kind in ('real', 'bounded') and not s.is_real():
        return None
    s.discontinuous |= kind == 'jump'
    if kind == 'bounded':
        a = bounded(a)
    text = '%s<%s>(%s)' % (name, ', '.join(map(str, axes)), a)
    if name == 'sum' and not s.is_real():  # which gives 64 bits
        text = f'tcast<{s.dtype}>({text})'
    return Node(text, lambda v: function(v, axis=axes, keepdims=keepdims), a, cost=cost)


def bounded(a):
    return a if isinstance(a, Leaf) else Node(f'clip({a}, -8.0f, 3.0f)',
                                              lambda v: np.clip(v, -8, 3), a)


# ---- Reductions, and operands of lower rank ----
@formula(2, 4, weight=6)
def with_reduction(s, shape, depth):
    """a - mean<1>(b) and the like: what has fewer axes is repeated along those it lost."""
    a = s.expression(shape, depth)
    b = a if s.rng.random() < 0.6 else s.expression(shape, depth)
    r = named(s, b, some_axes(s, len(shape)), True)
    if r is None:
        return None
    kind = s.rng.choice('-*/<' if s.is_real() else '-*')
    if kind == '/':
        return Node(f'({a} / (abs({r}) + 1.0f))', lambda v, w: v / (np.abs(w) + 1), a, r)
    if kind == '<':
        s.discontinuous = True
        return Node(f'F<op::ge>({a}, {r})', lambda v, w: (v >= w).astype(v.dtype), a, r)
    return Node(f'({a} {kind} {r})', np.subtract if kind == '-' else np.multiply, a, r)


@formula(2, 4, weight=2)
def standardised(s, shape, depth):
    """Two reductions of one expression, over the same axes."""
    if not s.is_real():
        return None
    a, axes = s.expression(shape, depth), some_axes(s, len(shape))
    by = ', '.join(map(str, axes))

    def function(v):
        return (v - v.mean(axis=axes, keepdims=True)) / np.sqrt(
            v.var(axis=axes, keepdims=True) + v.dtype.type(0.5))
    return Node(f'(({a} - mean<{by}>({a})) / sqrt(var<{by}>({a}) + 0.5f))', function, a, cost=8)


@formula(1, 3, weight=2)
def reduced_by_name(s, shape, depth):
    """A reduction that is aligned at the last axes: a shape of its own makes it lose none."""
    axis = s.rng.randrange(len(shape) + 1)
    source = shape[:axis] + (s.rng.choice(s.reduced_sizes),) + shape[axis:]
    if s.is_large(source):
        return None
    r = named(s, s.expression(source, depth), (axis,), False)
    if r is None:
        return None
    return Node(f'reshape({r}, {shape_text(shape)})', lambda v: v, r)


@formula()
def with_value(s, shape, depth):
    """The value of a reduction of all elements is a scalar of the statement."""
    a, b = s.expression(shape, depth), s.expression(shape, min(depth, 1))
    if not s.is_real():
        return None
    name = s.rng.choice(('max', 'min', 'mean'))
    function = {'max': np.max, 'min': np.min, 'mean': np.mean}[name]
    return Node(f'({a} - {name}({b}))', lambda v, w: v - function(w), a, b)


@formula(1, 3)
def arg_extreme(s, shape, depth):
    if s.dtype not in FLOATS + ('int32_t', 'int64_t'):
        return None
    axis, name = s.rng.randrange(len(shape) + 1), s.rng.choice(('argmax', 'argmin'))
    source = shape[:axis] + (s.rng.choice(s.reduced_sizes),) + shape[axis:]
    if s.is_large(source):
        return None
    s.discontinuous = True
    a, where = s.expression(source, depth), getattr(np, name)
    if s.rng.random() < 0.5:
        text = f'{name}<{s.dtype}>({a}, {axis})'
    else:
        text = f'tcast<{s.dtype}>({name}<{axis}>({a}))'
    return Node(f'reshape({text}, {shape_text(shape)})',
                lambda v: where(v, axis=axis).astype(v.dtype), a)


@formula(2, 4)
def reduced_to_one(s, shape, depth):
    """Sums over all axes but one, added to each element along it."""
    a, b = s.expression(shape, depth), s.expression(shape, depth)
    axis = s.rng.randrange(len(shape))
    others = tuple(i for i in range(len(shape)) if i != axis)
    if s.rng.random() < 0.5:
        text, function = f'reduce_except_dim<{axis}, red::maximum>({b})', np.max
    else:
        text, function = f'sumall_except_dim<{axis}>({b})', NAMED['sum'][0]
    return Node(f'({a} - broadcast<{axis}>({text}, {shape_text(shape)}))',
                lambda v, w: v - function(w, axis=others, keepdims=True), a, b)


@formula(2, 4, weight=3)
def with_lower_rank(s, shape, depth):
    """A bias or a scale: the last axes of the others."""
    a = s.expression(shape, depth)
    b = s.new(shape[s.rng.randrange(1, len(shape)):])
    kind, function = s.rng.choice((('*', np.multiply), ('+', np.add), ('-', np.subtract)))
    return Node(f'({a} {kind} {b})', function, a, b)


# ---- Repeated ----
@formula()
def broadcast_scalar(s, shape, depth):
    a = s.expression((1,), min(depth, 1))
    return Node(f'broadcast_scalar({a}, {shape_text(shape)})',
                lambda v: np.broadcast_to(v, shape), a)


@formula(2, 4)
def broadcast_to(s, shape, depth):
    ones = some_axes(s, len(shape))
    a = s.expression([1 if i in ones else n for i, n in enumerate(shape)], depth)
    if s.rng.random() < 0.5:
        text = f'broadcast_to({a}, {shape_text(shape)})'
    else:
        axes, sizes = ('Axes{%d, {%s}}' % (len(ones), ', '.join(map(str, t)))
                       for t in (ones, [shape[i] for i in ones]))
        text = f'broadcast_multi_axes({a}, {axes}, {sizes})'
    return Node(text, lambda v: np.broadcast_to(v, shape), a)


@formula(2, 2)
def repmat(s, shape, depth):
    a = s.expression(shape[1:], depth)
    return Node(f'repmat({a}, {shape[0]})', lambda v: np.broadcast_to(v, shape), a)


@formula(1, 1)
def ranged(s, shape, depth):
    """Few different numbers, each repeated."""
    del depth
    count = s.rng.choice((2, 5, 8, 20))
    if shape[0] % count:
        return None
    repeat, dtype = shape[0] // count, s.dtype
    return Node(f'range({dtype}(0), {dtype}({count}), {dtype}(1), {repeat})',
                lambda: np.arange(count).repeat(repeat).astype(s.number_type(dtype)))


@formula(1, 3)
def column(s, shape, depth):
    width = s.rng.choice((1, 3, 5, 40))
    source = shape + (width,)
    if s.is_large(source):
        return None
    a, at = s.expression(source, min(depth, 1)), s.rng.randrange(width)
    return Node(f'Column({a}, {at})', lambda v: v[..., at], a)


@formula()
def transpose_indices(s, shape, depth):
    del depth
    axes = s.rng.sample(range(3), 3)
    source = (5, 4, 3)
    index = s.new(shape, 'int32_t', size_of(source))
    order = np.empty(size_of(source), int)
    order[np.arange(size_of(source)).reshape(source).transpose(axes).ravel()] = np.arange(60)
    return s.tcast_node(Node(
        f'transpose_indices({index}, {shape_text(source)}, {shape_text(axes)})',
        lambda v: order[v], index))


# ---- Products ----
@formula(2, 2, weight=3)
def dot(s, shape, depth):
    if s.dtype not in FLOATS + ('int32_t',):
        return None
    (m, n), k = shape, s.rng.choice((1, 3, 7, 20, 64))
    if s.is_large((max(m, n), k)) or m * n * k > 2**27:
        return None
    left, right = (s.rng.random() < 0.3 for _ in 'ab')
    a = s.new((k, m)) if left else s.expression((m, k), min(depth, 1))
    b = s.new((n, k)) if right else s.expression((k, n), min(depth, 1))
    text = 'dot(%s, %s)' % tuple(f'{u}.T()' if flip else u for u, flip in ((a, left), (b, right)))
    return Node(text, lambda v, w: (v.T if left else v) @ (w.T if right else w), a, b,
                cost=max(1, k // 4))


@formula(1, 1)
def dot_with_vector(s, shape, depth):
    if s.dtype not in FLOATS:
        return None
    k = s.rng.choice((3, 20, 100))
    if s.is_large((shape[0], k)):
        return None
    if s.rng.random() < 0.5:
        a, b = s.expression(shape + (k,), min(depth, 1)), s.new((k,))
    else:
        a, b = s.new((k,)), s.expression((k,) + shape, min(depth, 1))
    return Node(f'dot({a}, {b})', np.matmul, a, b, cost=k)


@formula(3, 3)
def batch_dot(s, shape, depth):
    if s.dtype not in FLOATS:
        return None
    (batch, m, n), k = shape, s.rng.choice((1, 3, 20))
    if s.is_large((batch, max(m, n), k)):
        return None
    a, b = s.expression((batch, m, k), min(depth, 1)), s.new((batch, k, n))
    return Node(f'batch_dot<false, false>({a}, {b})', np.matmul, a, b, cost=k)


@formula(1, 3, weight=2)
def einsum(s, shape, depth):
    if s.dtype not in FLOATS:
        return None
    k = s.rng.choice((2, 7, 20))
    if s.is_large(shape + (k,)):
        return None
    out = 'abc'[:len(shape)]
    first = s.rng.choice((out + 'k', 'k' + out))
    second = s.rng.choice({1: ('k', 'ka', 'ak'), 2: ('k', 'kb', 'bk', 'ak', 'abk'),
                           3: ('kc', 'akc', 'k', 'ck', 'abck')}[len(shape)])
    size = dict(zip(out, shape), k=k)
    shapes = [tuple(size[c] for c in term) for term in (first, second)]
    # A product whose operands have all the letters is one element by element.
    a, b = s.expression(shapes[0], min(depth, 1)), s.expression(shapes[1], min(depth, 1))
    text = f'{first},{second}->{out}'
    return Node(f'MSHADOW_EINSUM("{text}", ({a}), ({b}))', lambda v, w: np.einsum(text, v, w), a, b,
                cost=k)


@formula(4, 4, weight=2)
def conv2d(s, shape, depth):
    """conv2d, or its gradient by the images."""
    if s.dtype not in FLOATS:
        return None
    batch, outs, h, w = shape
    ins, k, stride = s.rng.choice((1, 3, 8)), s.rng.choice((1, 3)), s.rng.choice((1, 1, 2))
    pad = s.rng.choice((0, k // 2))
    if size_of(shape) * ins * k * k > 2**29:
        return None
    if s.rng.random() < 0.7:
        image = tuple((n - 1) * stride + k - 2 * pad for n in (h, w))
        if min(image) < 1 or s.is_large((batch, ins) + image):
            return None
        x, weights = s.expression((batch, ins) + image, min(depth, 1)), s.new((outs, ins, k, k))

        def function(v, u):
            v = np.pad(v, [(0, 0)] * 2 + [(pad, pad)] * 2)
            out = 0
            for y, c in np.ndindex(k, k):
                part = v[:, :, steps(y, h, stride), steps(c, w, stride)]
                out = out + u[:, :, y, c] @ part.reshape(batch, ins, h * w)
            return out.reshape(shape)
        return Node(f'conv2d({x}, {weights}, {stride}, {pad})', function, x, weights,
                    cost=ins * k * k)
    if min(h, w) + 2 * pad < k:
        return None
    oh, ow = ((n + 2 * pad - k) // stride + 1 for n in (h, w))
    if s.is_large((batch, ins, oh, ow)):
        return None
    dy, weights = s.expression((batch, ins, oh, ow), min(depth, 1)), s.new((ins, outs, k, k))

    def gradient(v, u):
        out = np.zeros((batch, outs, h + 2 * pad, w + 2 * pad), v.dtype)
        v = v.reshape(batch, ins, oh * ow)
        for y, c in np.ndindex(k, k):
            out[:, :, steps(y, oh, stride), steps(c, ow, stride)] += (
                u[:, :, y, c].T @ v).reshape(batch, outs, oh, ow)
        return out[:, :, pad:pad + h, pad:pad + w]
    return Node(f'conv2d_grad_x({dy}, {weights}, Shape2({h}, {w}), {stride}, {pad})', gradient, dy,
                weights, cost=ins * k * k)


# ---- Steps of networks ----
@formula(1, 4, weight=2)
def softmax(s, shape, depth):
    if not s.is_real():
        return None
    a, axis = s.expression(shape, depth), s.rng.randrange(len(shape))

    def function(v):
        e = np.exp(v - v.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def log_function(v):
        shifted = v - v.max(axis=axis, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    if s.rng.random() < 0.6:
        return Node(f'softmax<{axis}>({a})', function, a, cost=12)
    return Node(f'log_softmax<{axis}>({a})', log_function, a, cost=12)


@formula(1, 4)
def layer_norm(s, shape, depth):
    if not s.is_real():
        return None
    a, gamma, beta = s.expression(shape, depth), s.new(shape[-1:]), s.new(shape[-1:])

    def function(v, g, b):
        centred = v - v.mean(axis=-1, keepdims=True)
        return centred / np.sqrt(v.var(axis=-1, keepdims=True) + v.dtype.type(0.5)) * g + b
    return Node(f'layer_norm({a}, {gamma}, {beta}, 0.5)', function, a, gamma, beta, cost=8)


@formula(3, 4)
def unpool3d(s, shape, depth):
    size = [s.rng.choice((1, 2, 3)) for _ in 'zyx']
    stride = [s.rng.choice((1, 2)) for _ in 'zyx']
    if any(n < k for n, k in zip(shape[-3:], size)):
        return None
    pooled = shape[:-3] + tuple((n - k) // t + 1 for n, k, t in zip(shape[-3:], size, stride))
    a, g = s.expression(shape, min(depth, 1)), s.expression(pooled, min(depth, 1))

    def function(v, w):
        out, most = np.zeros(shape, v.dtype), windows(v, pooled, size, stride, 'maximum')
        for at in np.ndindex(*size):
            part = (..., *map(steps, at, pooled[-3:], stride))
            out[part] += (v[part] == most) * w
        return out
    s.discontinuous = True
    by = f'{shape_text(size)}, {shape_text(stride)}'
    return Node(f'unpool3d<red::maximum>({a}, pool3d<red::maximum>({a}, {by}), {g}, {by})',
                function, a, g, cost=size_of(size))


@formula()
def more_of_complex(s, shape, depth):
    """Products with real numbers, squares of absolute values."""
    twice = shape[:-1] + (2 * shape[-1],)
    if s.is_large(twice):
        return None
    a, kind = s.expression(twice, depth), s.rng.choice(('abs', 'rc', 'exchange'))
    if kind == 'abs':
        return Node(f'complex_abs_square({a})', lambda v: v[..., ::2]**2 + v[..., 1::2]**2, a)
    if kind == 'exchange':
        return Node(f'complex_toreal(complex_exchange({a}))', lambda v: v[..., 1::2], a)
    b = s.expression(shape, depth)
    return Node(f'complex_sum_real_imag(complex_mul_rc({b}, {a}))',
                lambda v, w: v * w[..., ::2] + v * w[..., 1::2], b, a)
