# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, and tensors of PyTorch where it is, go to mshadow and back without a copy.

dlpack_numpy.py LIBRARY: the shared library of dlpack_numpy.cc.
"""
import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])
for function in library.Double, library.DoubleNumber:
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_void_p]
for function in library.Give, library.GiveNumber:
    function.restype = ctypes.c_void_p
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


def doubled(x):
    """Lets mshadow double x, and returns where it found the elements."""
    capsule = x.__dlpack__()
    double = library.Double if x.ndim else library.DoubleNumber
    address = double(capsule_pointer(capsule, b'dltensor'))
    capsule_rename(capsule, b'used_dltensor')
    return address


class Given:
    """What the library gives, as Python's protocol wants it."""

    def __init__(self, give):
        self.give = give

    def __dlpack__(self, stream=None):
        return capsule_new(self.give(), b'dltensor', None)

    def __dlpack_device__(self):
        return 1, 0


def main():
    x = np.arange(12, dtype='f4').reshape(3, 4)
    assert doubled(x) == x.__array_interface__['data'][0]
    assert (x == 2 * np.arange(12).reshape(3, 4)).all()
    x = np.arange(12, dtype='f4').reshape(3, 4)
    part = x[::-2, 3:0:-1].T  # any strides
    assert doubled(part) == part.__array_interface__['data'][0]
    old = np.arange(12).reshape(3, 4)
    assert (x[::2, 1:] == 2 * old[::2, 1:]).all() and (x[1] == old[1]).all() and x[0, 0] == 0
    x = np.array(4, dtype='f4')
    assert doubled(x) == x.__array_interface__['data'][0] and x == 8
    y = np.from_dlpack(Given(library.GiveNumber))
    assert y.shape == () and y == 7
    y = np.from_dlpack(Given(library.Give))
    assert (y == np.arange(12).reshape(3, 4)).all() and library.Alive() == 1
    del y
    assert library.Alive() == 0
    try:
        import torch
    except ImportError:
        print('NumPy; PyTorch is not there')
        return
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    assert doubled(x) == x.data_ptr() and (x == 2 * torch.arange(12).reshape(3, 4)).all()
    y = torch.from_dlpack(Given(library.Give))
    assert (y == torch.arange(12).reshape(3, 4)).all() and library.Alive() == 1
    del y
    assert library.Alive() == 0
    print('NumPy and PyTorch')


main()
