#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statements of benchmark_gpu_statements in PyTorch and CuPy, where these are installed.

    peers.py [--eager] [path of benchmark_gpu_statements]

Prints useful GB/s and Tflop/s of each as a Markdown table; with the path, mshadow's column and its
ratio to the best peer too. Bytes and operations are counted as the C++ program counts them.
--eager: without torch.compile and CuPy, which compile for minutes.
"""

import re
import statistics
import subprocess
import sys

N = 1 << 27  # elements of the large arrays


def torch_rows(eager):
    """Yields (statement, size, variant, seconds, work); nothing without PyTorch and a GPU."""
    try:
        import torch
    except ImportError:
        return
    if not torch.cuda.is_available():
        return
    functional = torch.nn.functional

    def seconds_of(run, calls):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / calls

    def seconds(run):
        """As the C++ program: several short calls between two events."""
        for _ in range(5):
            run()
        calls = max(1, int(2e-3 / seconds_of(run, 3)))
        return statistics.median(seconds_of(run, calls) for _ in range(21))

    def make(*shape, dtype=torch.float32):
        return torch.rand(shape, device="cuda", dtype=torch.float32).mul_(2).sub_(1).to(dtype)

    w, g = make(N), make(N)
    matrix, bias = w.view(-1, 1024), make(1024)
    images = w.view(128, 256, 64, 64)
    pooled, index = functional.max_pool2d(images, 2, return_indices=True)
    grad = torch.rand_like(pooled)
    ungrad = torch.ops.aten.max_pool2d_with_indices_backward
    small = make(32, 64, 56, 56)
    h, k = make(N, dtype=torch.float16), make(N, dtype=torch.float16)
    size = w.element_size() * N
    statements = [
        ("w -= 0.1f * (g + 0.01f * w)", "128M", 3 * size, lambda: w - 0.1 * (g + 0.01 * w)),
        ("o = F<sigmoid>(F<tanh>(w) + F<exp>(g))", "128M", 3 * size,
         lambda: torch.sigmoid(torch.tanh(w) + torch.exp(g))),
        ("o = a + broadcast<1>(bias, shape)", "131072x1024", 2 * size, lambda: matrix + bias),
        ("h = h * k + k (half)", "128M", 3 * size / 2, lambda: h * k + k),
        ("v = sum_rows(a)", "131072x1024", size, lambda: matrix.sum(0)),
        ("c = sumall_except_dim<0>(a)", "131072x1024", size, lambda: matrix.sum(1)),
        ("c = sumall_except_dim<1>(x)", "128x256x64x64", size, lambda: images.sum((0, 2, 3))),
        ("Softmax(o, a)", "131072x1024", 2 * size, lambda: torch.softmax(matrix, 1)),
        ("Softmax(o, a)", "4096x32768", 2 * size, lambda: torch.softmax(w.view(-1, 32768), 1)),
        ("Softmax(o, a)", "1024x131072", 2 * size, lambda: torch.softmax(w.view(-1, 131072), 1)),
        ("Softmax(o, a) (half)", "1024x131072", size,
         lambda: torch.softmax(h.view(-1, 131072), 1)),
        ("o = a.T()", "8192x16384", 2 * size, lambda: w.view(8192, 16384).t().contiguous()),
        ("o = cumsum(a, 0)", "131072x1024", 2 * size, lambda: matrix.cumsum(0)),
        ("o = cumsum(a, 1)", "131072x1024", 2 * size, lambda: matrix.cumsum(1)),
        ("p = pool<maximum>(x, 2, 2, 2)", "128x256x64x64", size * 1.25,
         lambda: functional.max_pool2d(images, 2)),
        ("d = unpool<maximum>(x, p, g, 2, 2, 2)", "128x256x64x64", size * 2.5,
         lambda: ungrad(grad, images, [2, 2], [2, 2], [0, 0], [1, 1], False, index)),
        ("c = unpack_patch2col(x, 3, 3, 1)", "32x64x56x56",
         4.0 * (small.numel() + 64 * 9 * 32 * 54 * 54), lambda: functional.unfold(small, 3)),
    ]

    def formula(x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True)

    for cols in (16, 64, 256, 1024, 4096, 32768, 65536):
        for name, source in (("", w), (" (half)", h)):
            x = source.view(-1, cols)
            gamma, beta = make(cols, dtype=x.dtype), make(cols, dtype=x.dtype)
            shape, moved = f"{N // cols}x{cols}{name}", 2.0 * x.element_size() * N
            statements += [
                ("p = exp(x - max<1>(x)) / sum<1>(exp(x - max<1>(x)))", shape, moved,
                 lambda x=x: formula(x)),
                ("y = gamma * (x - mean<1>(x)) / sqrt(var<1>(x) + 1e-5f) + beta", shape, moved,
                 lambda x=x, gamma=gamma, beta=beta:
                 functional.layer_norm(x, x.shape[1:], gamma, beta)),
                ("Softmax(o, a) beside formulas", shape, moved, lambda x=x: torch.softmax(x, 1)),
            ]
    for side in (1024, 4096, 8192):
        for name, dtype in (("float", torch.float32), ("bfloat16", torch.bfloat16)):
            a, b = make(side, side, dtype=dtype), make(side, side, dtype=dtype)
            statements.append((f"c = dot(a, b) ({name})", str(side), 2.0 * side**3,
                               lambda a=a, b=b: a @ b))
    half = N // 2
    x, y, o = w[:half], g[:half], torch.empty(half, device="cuda")
    c = (w[half:] > 0).float()
    b, d, e = make(half, dtype=torch.bfloat16), make(half, dtype=torch.bfloat16), h[:half]
    statements += [
        ("o = where(c, x, 0.1f * x)", "64M", 12.0 * half, lambda: torch.where(c != 0, x, 0.1 * x)),
        ("o = where(x > 0, exp(x), y)", "64M", 12.0 * half, lambda: torch.where(x > 0, x.exp(), y)),
        ("o = F<leaky relu of a user>(x)", "64M", 8.0 * half, lambda: functional.leaky_relu(x)),
        ("o = F<elu of a user>(x)", "64M", 8.0 * half, lambda: functional.elu(x)),
        ("h = h * k + k (bfloat16)", "64M", 6.0 * half, lambda: b * d + d),
        ("o = tcast<float>(h)", "64M", 6.0 * half, lambda: e.float()),
    ]
    table, out = x.view(-1, 8), o.view(-1, 8)
    for cols in (1, 2, 3, 4, 5, 7):
        statements.append(("o = F<exp>(a)", f"8M x {cols} of 8", 8.0 * half, lambda cols=cols:
                           torch.exp(table[:, :cols], out=out[:, :cols])))
    rows = half // 16
    for cols in (2, 3, 5, 16):
        a, few = x[:rows * cols].view(rows, cols), make(cols)
        shape, packed = f"4M x {cols}", 4.0 * rows * cols
        statements += [
            ("o = a + broadcast<1>(bias, shape)", shape, 2 * packed,
             lambda a=a, few=few: a + few),
            ("c = sumall_except_dim<0>(a)", shape, packed + 4 * rows, lambda a=a: a.sum(1)),
            ("c = reduce_with_axis<sum>(a, 1)", shape, packed + 4 * rows, lambda a=a: a.sum(1)),
            ("v = sum_rows(a)", shape, packed, lambda a=a: a.sum(0)),
            ("v = reduce_with_axis<sum>(a, 0)", shape, packed, lambda a=a: a.sum(0)),
            ("Softmax(o, a)", shape, 2 * packed, lambda a=a: torch.softmax(a, 1)),
        ]
    for cols in (4, 5):
        rows = half // 8
        a, shape, moved = x[:rows * cols].view(rows, cols), f"8M x {cols}", 4.0 * rows * (cols + 1)
        statements += [
            ("c = slice<1>(a, 1, 2)", shape, moved, lambda a=a: a[:, 1:2].contiguous()),
            ("c = slice<1>(a, 2, 3) + 0.5f * slice<1>(a, 0, 1)", shape, moved,
             lambda a=a: a[:, 2:3] + 0.5 * a[:, :1]),
            ("o = a.T()", shape, 8.0 * rows * cols, lambda a=a: a.t().contiguous()),
        ]
    wide = x.view(-1, 1024)
    statements += [
        ("c = reduce_with_axis<sum>(a, 1)", "65536x1024", 4.0 * half, lambda: wide.sum(1)),
        ("o = a - broadcast_keepdim(reduce_keepdim<maximum>(a, 1), 1, n)", "65536x1024",
         12.0 * half, lambda: wide - wide.amax(1, keepdim=True)),
        ("o = 2.0f * cumsum(a, 0)", "65536x1024", 20.0 * half, lambda: 2 * wide.cumsum(0)),
        ("c = reduce_except_dim<0, user's log-sum-exp>(a)", "65536x1024", 4.0 * half,
         lambda: wide.logsumexp(1)),
    ]
    for statement, shape, work, run in statements:
        yield statement, shape, "PyTorch", seconds(run), work
        if eager:
            continue
        try:
            compiled = torch.compile(run)
            compiled()
        except Exception as error:  # an unsupported platform, not a finding
            print(f"torch.compile: {statement}: {type(error).__name__}", file=sys.stderr)
            continue
        yield statement, shape, "torch.compile", seconds(compiled), work


def cupy_rows(eager):
    """The same for CuPy."""
    if eager:
        return
    try:
        import cupy
        from cupyx.profiler import benchmark
    except ImportError:
        return
    w, g = (cupy.random.uniform(-1, 1, N, dtype=cupy.float32) for _ in range(2))
    matrix, bias = w.reshape(-1, 1024), cupy.random.uniform(-1, 1, 1024, dtype=cupy.float32)

    @cupy.fuse()
    def update(w, g):
        return w - cupy.float32(0.1) * (g + cupy.float32(0.01) * w)

    statements = [
        ("w -= 0.1f * (g + 0.01f * w)", "128M", 3 * w.nbytes, lambda: update(w, g)),
        ("o = a + broadcast<1>(bias, shape)", "131072x1024", 2 * w.nbytes, lambda: matrix + bias),
        ("v = sum_rows(a)", "131072x1024", w.nbytes, lambda: matrix.sum(0)),
        ("c = sumall_except_dim<0>(a)", "131072x1024", w.nbytes, lambda: matrix.sum(1)),
        ("o = a.T()", "8192x16384", 2 * w.nbytes,
         lambda: cupy.ascontiguousarray(w.reshape(8192, 16384).T)),
    ]
    for statement, shape, work, run in statements:
        times = sorted(benchmark(run, n_repeat=21, n_warmup=3).gpu_times[0])
        yield statement, shape, "CuPy", float(times[len(times) // 2]), work


def own_rates(program):
    """{(statement, size): GB/s or Tflop/s} as the C++ program prints them."""
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rates = {}
    for line in text.splitlines():
        found = re.match(r"\| `(.*)` \| (.*?) \| \S+ us \| (\S+) (?:GB/s|Tflop/s) \|", line)
        if found:
            rates[found[1], found[2]] = float(found[3])
    return rates


def main():
    arguments = [a for a in sys.argv[1:] if a != "--eager"]
    eager = len(arguments) + 1 < len(sys.argv)
    own = own_rates(arguments[0]) if arguments else {}
    table = {}
    variants = []
    for rows in (torch_rows, cupy_rows):
        for statement, size, variant, seconds, work in rows(eager):
            scale = 1e-12 if "dot" in statement else 1e-9
            table.setdefault((statement, size), {})[variant] = work / seconds * scale
            if variant not in variants:
                variants.append(variant)
    if not table:
        sys.exit("peers.py: neither PyTorch nor CuPy with a CUDA device is installed")
    print("| statement | size | " + " | ".join(variants) + " | mshadow | ratio to the best |")
    print("|---|---" + "|--:" * (len(variants) + 2) + "|")
    for key, rates in table.items():
        ours = own.get(key)
        cells = [f"{rates[v]:.4g}" if v in rates else "" for v in variants]
        cells.append(f"{ours:.4g}" if ours else "")
        cells.append(f"{ours / max(rates.values()):.2f}" if ours else "")
        print(f"| `{key[0]}` | {key[1]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
