# SPDX-License-Identifier: Apache-2.0
"""Files that NumPy wrote, read and written again by numpy_files.cc, are the same arrays.

numpy_files.py PROGRAM: of every dtype, in both orders and with both orders of bytes.
"""
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = {0: 'f4', 1: 'f8', 2: 'f2', 3: 'u1', 4: 'i4', 5: 'i1', 6: 'i8', 7: '?', 8: 'i2', 9: 'u2',
          10: 'u4', 11: 'u8'}


def main():
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        arrays = {}
        for flag, dtype in DTYPES.items():
            for order in 'CF':
                for order_of_bytes in '<>':
                    x = rng.integers(0, 100, (3, 4, 5)).astype(dtype)
                    x = np.asarray(x.astype(x.dtype.newbyteorder(order_of_bytes)), order=order)
                    arrays[f'{flag}{order}{order_of_bytes}'] = x
        arrays['number'] = np.array(7, dtype='f4')
        for name, x in arrays.items():
            np.save(f'{folder}/{name}.npy', x)
        np.savez_compressed(f'{folder}/all.npz', **arrays)
        subprocess.run([sys.argv[1], folder], check=True)
        out = np.load(f'{folder}/all.out.npz')
        assert sorted(out.files) == sorted(arrays)
        for name, x in arrays.items():
            for y in (np.load(f'{folder}/{name}.out.npy'), out[name]):
                assert y.dtype == x.dtype.newbyteorder('='), (name, y.dtype)
                assert y.shape == x.shape and (y == x).all(), name
                assert y.tobytes() == x.astype(y.dtype).tobytes(), name
    print(f'{len(arrays)} arrays are the same')


main()
