# SPDX-License-Identifier: Apache-2.0
"""The module layer_norm beside NumPy, and PyTorch where it is: values, memory, errors, lifetimes."""
import gc
import sys
import threading
import weakref

import layer_norm

try:
    import numpy as np
except ImportError:
    print('SKIPPED: no NumPy')
    sys.exit(77)


def address(x):
    return x.__array_interface__['data'][0]


def normal(x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def operands(rows, columns, dtype):
    random = np.random.default_rng(rows)
    shapes = (rows, columns), (columns,), (columns,), (rows, columns)
    return [random.normal(size=shape).astype(dtype) for shape in shapes]


def gradients(x, gain, dy):
    g = dy * gain
    centred = g - g.mean(1, keepdims=True) - normal(x) * (g * normal(x)).mean(1, keepdims=True)
    return (centred / np.sqrt(x.var(1, keepdims=True) + 1e-5), (dy * normal(x)).sum(0), dy.sum(0))


def check_values():
    for dtype, tolerance in ('float32', 2e-5), ('float64', 1e-12):
        for rows, columns in (1, 2), (3, 5), (64, 257):
            x, gain, bias, dy = operands(rows, columns, dtype)
            y = np.from_dlpack(layer_norm.forward(x, gain, bias))
            assert y.dtype == dtype
            np.testing.assert_allclose(y, normal(x) * gain + bias, tolerance, tolerance)
            results = np.empty_like(x), np.empty_like(gain), np.empty_like(bias)
            addresses = [address(result) for result in results]
            layer_norm.backward(*results, dy, x, gain)
            assert addresses == [address(result) for result in results]
            for result, expected in zip(results, gradients(x, gain, dy)):
                np.testing.assert_allclose(result, expected, 20 * tolerance, 20 * tolerance)
    x, gain, bias, _ = operands(6, 8, 'float32')
    y = operands(6, 8, 'f4')[0]
    sums = np.from_dlpack(layer_norm.row_sums(y[::-2, 1::3].T))
    assert np.allclose(sums, y[::-2, 1::3].sum(0))  # any strides
    part = np.from_dlpack(layer_norm.forward(x[1::2, :5], gain[:5], bias[:5]))  # padded rows
    np.testing.assert_allclose(part, normal(x[1::2, :5]) * gain[:5] + bias[:5], 1e-4, 1e-5)


def check_memory():
    """What one side writes, the other side reads; nothing is copied on the way."""
    x, gain, bias, dy = operands(3, 4, 'float32')
    y = layer_norm.forward(x, gain, bias)
    seen = np.from_dlpack(y)
    assert address(seen) == address(np.from_dlpack(y))
    layer_norm.backward(y, gain, bias, dy, x, np.ones(4, 'float32'))  # y itself is an argument
    np.testing.assert_allclose(seen, gradients(x, 1, dy)[0], 1e-4, 1e-5)


def check_lifetimes():
    x, gain, bias, _ = operands(3, 4, 'float64')
    expected = normal(x) * gain + bias
    y = layer_norm.forward(x, gain, bias)
    dies = weakref.ref(x)
    del x
    gc.collect()
    assert dies() is None  # the call gave its arguments back
    seen = np.from_dlpack(y)
    del y
    gc.collect()
    np.testing.assert_allclose(seen, expected)  # the array keeps the result alive
    counts = [sys.getrefcount(gain)]
    for _ in range(100):
        for wrong in (gain, gain[:, None], [1.0]):
            message(layer_norm.forward, wrong, gain, bias)
    counts.append(sys.getrefcount(gain))
    assert counts[0] == counts[1], counts
    layer_norm.forward(seen.copy(), gain, bias).__dlpack__()  # a capsule that nobody takes over
    layer_norm.forward(seen.copy(), gain, bias).__dlpack__(max_version=(1, 0))


def message(function, *arguments):
    try:
        function(*arguments)
    except (layer_norm.Error, BufferError, RuntimeError) as error:
        assert '\n' not in str(error)
        return str(error)
    raise AssertionError('no error')


def check_errors():
    x, gain, bias, dy = operands(3, 4, 'float64')
    before = x.copy()
    forward, backward = layer_norm.forward, layer_norm.backward
    assert issubclass(layer_norm.Error, ValueError)
    assert message(forward, x.astype('int64'), gain, bias).endswith(
        'the elements are of type int64, not float32')
    assert message(forward, x, gain.astype('f4'), bias).endswith(
        'the elements are of type float64, not float32')
    assert message(forward, x[0], gain, bias).endswith('the tensor has rank 1, not 2')
    assert message(forward, x.T, gain, bias).endswith(
        'a tensor of shape (4,3) with strides (1,4) is none of rows at one distance; '
        'make it contiguous first, or take it as a View')
    assert 'strides (4,2)' in message(forward, x[:, ::2], gain[:2], bias[:2])
    assert 'strides (-4,1)' in message(forward, x[::-1], gain, bias)
    assert 'shape (3,)' in message(forward, x, gain, bias[:3])
    assert message(forward, [[1.0]], gain, bias) == (
        'an argument of type list has no __dlpack__; numpy.asarray makes an array of it')
    x.flags.writeable = False
    text = message(backward, x, gain, bias, dy, dy, gain)
    assert 'read-only' in text or 'readonly' in text
    try:
        np.testing.assert_allclose(np.from_dlpack(forward(x, gain, bias)), normal(x) * gain + bias)
    except BufferError:
        print('SKIPPED: this NumPy lends no read-only array')
    assert (x == before).all()
    try:
        forward(x)
        raise AssertionError('no error')
    except TypeError as error:
        assert 'Tensor[double, 2]' in str(error)


def check_threads():
    """Calls let go of Python's lock: others run beside them."""
    x, gain, bias, _ = operands(100, 50, 'float64')
    results = [None] * 8

    def work(i):
        for _ in range(20):
            results[i] = np.from_dlpack(layer_norm.forward(x, gain, bias))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, normal(x) * gain + bias)


def check_torch():
    try:
        import torch
    except ImportError:
        print('SKIPPED: no PyTorch')
        return
    arrays = operands(3, 5, 'float32')
    x, gain, bias, dy = [torch.from_numpy(array) for array in arrays]
    y = layer_norm.forward(x, gain, bias)
    seen = torch.from_dlpack(y)
    assert seen.data_ptr() == torch.from_dlpack(y).data_ptr() == address(np.from_dlpack(y))
    del y
    expected = torch.nn.functional.layer_norm(x, (5,), gain, bias)
    torch.testing.assert_close(seen, expected, rtol=1e-4, atol=1e-5)
    layer_norm.backward(seen, gain, bias, dy, x, torch.ones(5))  # writes to tensors of PyTorch
    torch.testing.assert_close(seen, torch.from_numpy(gradients(arrays[0], 1, arrays[3])[0]),
                               rtol=1e-4, atol=1e-5)
    assert 'require' in message(layer_norm.forward, x.requires_grad_(), gain, bias)


for check in (check_values, check_memory, check_lifetimes, check_errors, check_threads, check_torch):
    check()
print('layer_norm is right')
