#!/usr/bin/env python3
"""What PyTorch does on this machine's GPU, for bench_cuda --peers: JSON on standard output.

Every figure is the better of its settings: the step of the network with and without fused optimisers.
"""
import json
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("peers.py: found no torch in this Python, wanted one; bench_cuda runs without its figures")
if not torch.cuda.is_available():
    sys.exit("peers.py: this torch finds no CUDA device")


def wall(run, runs=200, rounds=7):
    times = []
    for round in range(rounds + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(runs):
            run()
        torch.cuda.synchronize()
        if round >= 2:
            times.append((time.perf_counter() - begin) / runs)
    return statistics.median(times)


def host(call, calls=500, rounds=21):
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls)
    torch.cuda.synchronize()
    return statistics.median(times)


def device(run, rounds=21):
    run()
    run()
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def network():
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64), torch.nn.ReLU(),
                               torch.nn.Linear(64, 10)).cuda()


def step_seconds(**options):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, **options)
    x, y = torch.randn(256, 64, device="cuda"), torch.randint(0, 10, (256,), device="cuda")
    loss = torch.nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(net(x), y).backward()
        optimizer.step()

    return wall(step)


def main():
    figures = {"framework": "PyTorch " + torch.__version__}
    figures["digits_step_seconds"] = min(step_seconds(), step_seconds(fused=True), step_seconds(foreach=False))
    a, b = torch.rand(8, device="cuda"), torch.rand(8, device="cuda")
    out = torch.empty(8, device="cuda")
    figures["host_add_given_seconds"] = host(lambda: torch.add(a, b, out=out))
    figures["host_add_seconds"] = host(lambda: torch.add(a, b))
    n = 1 << 28
    a, b = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    out = torch.empty_like(a)
    figures["add_bytes_per_second"] = 12 * n / device(lambda: torch.add(a, b, out=out))
    figures["exp_bytes_per_second"] = 8 * n / device(lambda: torch.exp(a, out=out))
    figures["sum_bytes_per_second"] = 4 * n / device(lambda: torch.sum(a))
    rows = a.view(-1, 1024)
    figures["softmax_bytes_per_second"] = 8 * n / device(lambda: torch.softmax(rows, -1))
    del a, b, out, rows
    m = 8192
    a, b = (torch.rand(m, m, device="cuda").mul_(2).sub_(1).bfloat16() for _ in range(2))
    figures["product_flops_per_second"] = 2 * m**3 / device(lambda: a @ b)
    del a, b
    q, k, v = (torch.rand(8, 16, 2048, 64, device="cuda").mul_(2).sub_(1).bfloat16() for _ in range(3))
    flops = 4 * 8 * 16 * 2048**2 * 64
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        attend = torch.nn.functional.scaled_dot_product_attention
        figures["attention_flops_per_second"] = flops / device(lambda: attend(q, k, v))
        figures["causal_attention_flops_per_second"] = flops / 2 / device(lambda: attend(q, k, v, is_causal=True))
    json.dump(figures, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
