#!/usr/bin/env python3
"""What torch.func takes for the problems of bench_transform, on one thread: JSON on standard output, in microseconds.

Run it beside `TOPBIT_NUM_THREADS=1 ./dev bench transform`, on an idle machine, and with
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=10000000000, so that memory stays with the process.
"""
import json
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("torch_func.py: found no torch in this Python, wanted one")
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from torch.nn.functional import cross_entropy, linear, softplus


def time_of(run, rounds=9):
    """The median time of one run, in microseconds: a round has as many runs as take about 20 ms."""
    run()
    begin = time.perf_counter()
    run()
    runs = max(1, int(0.02 / (time.perf_counter() - begin)))
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(runs):
            run()
        times.append((time.perf_counter() - begin) / runs * 1e6)
    return round(statistics.median(times), 1)


def linear_per_example():
    weight, x, target = torch.randn(128, 128), torch.randn(256, 128), torch.randn(256, 128)

    def loss(w, one, wanted):
        return (linear(one, w) - wanted).square().sum()

    of_examples = vmap(grad(loss), in_dims=(None, 0, 0))
    return lambda: of_examples(weight, x, target)


def digits_per_example():
    sizes = [(128, 64), (128,), (64, 128), (64,), (10, 64), (10,)]
    parameters = tuple(torch.randn(*s) for s in sizes)
    images, labels = torch.randn(256, 64), torch.randint(0, 10, (256,))

    def loss(p, image, label):
        first = torch.relu(linear(image, p[0], p[1]))
        second = torch.relu(linear(first, p[2], p[3]))
        return cross_entropy(linear(second, p[4], p[5]), label)

    of_examples = vmap(grad(loss), in_dims=(None, 0, 0))
    return lambda: of_examples(parameters, images, labels)


def main():
    torch.set_num_threads(1)
    w1, w2, w3, v = torch.randn(32, 16), torch.randn(32, 32), torch.randn(8, 32), torch.randn(16)

    def network(x):
        return linear(torch.tanh(linear(torch.tanh(linear(x, w1)), w2)), w3)

    data, signs, w = torch.randn(200, 10), torch.sign(torch.randn(200)), torch.randn(10)

    def logistic(at):
        return softplus(-(signs * (data @ at))).mean()

    cases = {
        "linear_per_example": linear_per_example(),
        "digits_per_example": digits_per_example(),
        "jacobian_mlp": lambda f=jacrev(network): f(v),
        "jacobian_mlp_forward": lambda f=jacfwd(network): f(v),
        "jvp_mlp": lambda: jvp(network, (v,), (v,)),
        "hessian_logistic": lambda f=hessian(logistic): f(w),
    }
    times = {"transform/" + name: time_of(run) for name, run in cases.items()}
    print(json.dumps({"torch": torch.__version__, "unit": "microseconds", "cases": times}, indent=2))


if __name__ == "__main__":
    main()
