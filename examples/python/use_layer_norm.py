# SPDX-License-Identifier: Apache-2.0
"""Layer normalisation in C++, called from NumPy and trained through by PyTorch."""
import sys

import layer_norm

try:
    import numpy as np
except ImportError:
    print('SKIPPED: no NumPy')
    sys.exit(77)

x = np.array([[1, 2, 3], [4, 6, 8]], dtype='float32')
gain, bias = np.ones(3, 'float32'), np.zeros(3, 'float32')
y = layer_norm.forward(x, gain, bias)
print(np.from_dlpack(y).round(2))  # NumPy's view of mshadow's memory

try:
    layer_norm.forward(x, gain, bias[:2])
except ValueError as error:
    print(error)

try:
    import torch
except ImportError:
    print('SKIPPED: no PyTorch')
    sys.exit()


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain, bias):
        ctx.save_for_backward(x, gain)
        return torch.from_dlpack(layer_norm.forward(x.detach(), gain.detach(), bias.detach()))

    @staticmethod
    def backward(ctx, dy):
        x, gain = ctx.saved_tensors
        dx, dgain, dbias = torch.empty_like(x), torch.empty_like(gain), torch.empty_like(gain)
        layer_norm.backward(dx, dgain, dbias, dy.contiguous(), x.detach(), gain.detach())
        return dx, dgain, dbias


inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True)
          for shape in ((4, 5), (5,), (5,))]
print('gradients are right:', torch.autograd.gradcheck(LayerNorm.apply, inputs))
