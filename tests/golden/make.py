#!/usr/bin/env python3
"""Writes the golden files <family>.txt beside it: arguments chosen here, results computed by PyTorch on the CPU.

usage: make.py [family...]

Needs torch and numpy and nothing of this project. The same versions write the same files on the same kind of
processor: all inputs are listed or come from seeded generators, and PyTorch runs on one thread. README.md says what
made the files there are.
"""
import importlib
import pathlib
import sys

import torch

FAMILIES = ["unary", "activation", "binary", "compare", "create", "reduce", "scan", "linalg", "index", "sort", "norm",
            "loss", "window", "view", "random", "update", "dtype"]


def main():
    torch.set_num_threads(1)
    sys.dont_write_bytecode = True
    folder = pathlib.Path(__file__).parent
    sys.path[:0] = [str(folder), str(folder / "cases")]
    for name in sys.argv[1:] or FAMILIES:
        family = importlib.import_module(f"{name}_cases").family()
        (folder / f"{name}.txt").write_text(family.text())
        print(f"{name}: {len(family.names)} operators, {sum('=> ' in line for line in family.lines)} cases, "
              f"{len(family.text())} bytes")


if __name__ == "__main__":
    main()
