#!/usr/bin/env python3
"""Writes the files <family>.txt beside it: tensors of other layouts, results computed by PyTorch and scipy on the CPU.

usage: make.py [family...]

Needs torch, numpy and scipy and nothing of this project. README.md says which versions made the files there are.
"""
import importlib
import pathlib
import sys
import warnings

import torch

FAMILIES = ["construct", "elementwise", "reduce", "product", "shape", "embedding", "scipy", "quantized", "deviations"]


def main():
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    folder = pathlib.Path(__file__).parent
    sys.path[:0] = [str(folder), str(folder / "cases"), str(folder.parent / "golden")]
    for name in sys.argv[1:] or FAMILIES:
        family = importlib.import_module(f"{name}_layouts").family()
        text = family.text()
        (folder / f"{name}.txt").write_text(text)
        print(f"{name}: {len(family.names)} operators, {sum('=> ' in line for line in family.lines)} cases, "
              f"{len(text)} bytes; {family.by_dense} results by dense tensors; gradients by PyTorch's sparse functions: "
              f"{family.own_gradients}, {family.compared} of them compared with dense tensors")


if __name__ == "__main__":
    main()
