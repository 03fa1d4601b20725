#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scaling.cc measures, by torch.distributed with gloo: gloo.py RANKS [STEPS]."""
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

BATCH, ROUNDS = 256, 5


def network():
    torch.manual_seed(1)
    layer = lambda m, n: torch.nn.Linear(m, n, bias=False)
    relu = torch.nn.ReLU
    return torch.nn.Sequential(layer(784, 1024), relu(), layer(1024, 1024), relu(), layer(1024, 10))


def run(rank, ranks, steps):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    images, labels = torch.rand(BATCH, 784), torch.arange(BATCH) % 10
    own, shared = network(), DistributedDataParallel(network())
    loss = torch.nn.CrossEntropyLoss()

    def speed(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        start = time.perf_counter()
        for _ in range(steps):
            optimizer.zero_grad()
            loss(model(images), labels).backward()
            optimizer.step()
        return steps * BATCH / (time.perf_counter() - start)

    def total(value):
        all_ranks = torch.tensor([value], dtype=torch.float64)
        dist.all_reduce(all_ranks)
        return all_ranks.item()

    figures = []
    for _ in range(ROUNDS + 1):  # the first one warms up
        one = total(speed(own) if rank == 0 else 0.0)
        dist.barrier()
        figures.append((one, total(speed(own)), total(speed(shared))))
    one, each, together = (statistics.median(column) for column in zip(*figures[1:]))
    if rank == 0:
        print(f"{ranks} ranks of gloo: one alone {one:.0f} images/s, each on its own {each:.0f}, "
              f"together {together:.0f}\ntogether: {together / (ranks * one):.2f} of {ranks} times "
              f"one alone, {together / each:.2f} of each on its own")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000))
    count = int(sys.argv[1])
    torch.multiprocessing.spawn(
        run, args=(count, int(sys.argv[2]) if len(sys.argv) > 2 else 40), nprocs=count)
