# SPDX-License-Identifier: Apache-2.0
"""A file that the package safetensors wrote, read and written again by safetensors_files.cc, holds
the same tensors.

safetensors_files.py PROGRAM: exits with 77 where the package is missing.
"""
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print(f'skipped: {error}')
    sys.exit(77)

DTYPES = ['f4', 'f8', 'f2', 'u1', 'i4', 'i1', 'i8', '?', 'i2', 'u2', 'u4', 'u8']


def main():
    rng = np.random.default_rng(0)
    tensors = {f'layer.{d} "\u00e4"': rng.integers(0, 100, (3, 5)).astype(d) for d in DTYPES}
    tensors['empty'] = np.zeros((0, 4), 'f4')
    with tempfile.TemporaryDirectory() as folder:
        save_file(tensors, f'{folder}/in', metadata={'format': 'np'})
        subprocess.run([sys.argv[1], f'{folder}/in', f'{folder}/out'], check=True)
        again = load_file(f'{folder}/out')
        with safe_open(f'{folder}/out', framework='np') as file:
            assert file.metadata() == {'format': 'np'}
        assert sorted(again) == sorted(tensors)
        for name, x in tensors.items():
            assert again[name].dtype == x.dtype and again[name].shape == x.shape, name
            assert again[name].tobytes() == x.tobytes(), name
    print(f'{len(tensors)} tensors are the same')


main()
