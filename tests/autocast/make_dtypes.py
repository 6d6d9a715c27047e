#!/usr/bin/env python3
"""Writes dtypes.txt beside it: the dtypes that PyTorch's autocast gives to results on the CPU, in bfloat16.

usage: make_dtypes.py

Needs torch and numpy. The operators and their arguments are the golden values' (tests/golden): of each operator that
returns new tensors, the first small case with float32 tensors, once as it is and once with these tensors in another
dtype; `mixed` has the first of them in bfloat16. What PyTorch refuses is left out.
"""
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parent / "golden"
sys.dont_write_bytecode = True
sys.path[:0] = [str(GOLDEN), str(GOLDEN / "cases")]

import importlib

import make
import writer

MOST_ELEMENTS = 64


def tensors_of(x):
    if isinstance(x, torch.Tensor):
        return [x]
    return [t for y in x for t in tensors_of(y)] if isinstance(x, (list, tuple)) else []


def converted(x, types):
    """The float32 tensors as the next of these dtypes; the last one stands for all that follow."""
    if isinstance(x, torch.Tensor):
        if x.dtype != torch.float32:
            return x
        return x.to(types.pop(0) if len(types) > 1 else types[0])
    return [converted(y, types) for y in x] if isinstance(x, (list, tuple)) else x


VARIANTS = [[torch.float32], [torch.bfloat16], [torch.float64], [torch.int64], [torch.bfloat16, torch.float32]]


class Recorder(writer.Family):
    lines_made = {}

    def case(self, *args, **kwargs):
        super().case(*args, **kwargs)
        self.look(args, kwargs)

    def look(self, args, kwargs):
        schema = self.function._schema
        if self.current in self.lines_made or any(a.alias_info is not None and a.alias_info.is_write
                                                  for a in schema.arguments):
            return
        given = [t for a in list(args) + list(kwargs.values()) for t in tensors_of(a)]
        if not any(t.dtype == torch.float32 and t.numel() > 0 for t in given):
            return
        if sum(t.numel() for t in given) > MOST_ELEMENTS:
            return
        lines = []
        for types in VARIANTS:
            types = list(types)
            wanted = converted(list(args), types)
            named = {k: converted(v, types) for k, v in kwargs.items()}
            try:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    results = self.function(*wanted, **named)
            except Exception:
                continue
            found = [writer.NAMES[t.dtype] for t in tensors_of(results)]
            if not found:
                continue
            texts = [writer.text_of(a) for a in wanted] + [f"{k}={writer.text_of(v)}" for k, v in named.items()]
            lines.append("; ".join(texts) + " => " + " ".join(found))
        self.lines_made[self.current] = lines


def main():
    torch.set_num_threads(1)
    writer.Family = Recorder
    for name in make.FAMILIES:
        module = importlib.import_module(f"{name}_cases")
        module.Family = Recorder
        module.family()
    with (HERE / "dtypes.txt").open("w") as out:
        out.write(f"# Dtypes of results under autocast on the CPU in bfloat16, of PyTorch {torch.__version__}.\n"
                  "# Made by make_dtypes.py: do not edit.\n")
        for name, lines in sorted(Recorder.lines_made.items()):
            out.write("".join([f"operator {name}\n", *(line + "\n" for line in dict.fromkeys(lines))]))
    print(f"{len(Recorder.lines_made)} operators")


if __name__ == "__main__":
    main()
