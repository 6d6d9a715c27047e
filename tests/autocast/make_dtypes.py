#!/usr/bin/env python3
"""Writes dtypes.txt beside it: the dtypes that PyTorch's autocast gives to results, in bfloat16, on the CPU and on CUDA.

usage: make_dtypes.py

Needs torch and numpy, and no GPU: on CUDA the operators are called with fake tensors, which have a device, sizes and a
dtype, but no elements; they check less than kernels do. The operators and their arguments are the golden values' (tests/golden): of each operator that
returns new tensors, the first small case with float32 tensors, once as it is and once for each other variant with these
tensors in other dtypes. A line ends with the dtypes on the CPU and those on CUDA. `-`: PyTorch refuses the call, has no
fake form of it, or autocast changes nothing about it, and the CPU refuses it. Lines with nothing but `-` are left out.
"""
import pathlib
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

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


VARIANTS = [[torch.float32], [torch.bfloat16], [torch.float16], [torch.float64], [torch.int64],
            [torch.bfloat16, torch.float32], [torch.float32, torch.bfloat16]]


def on_cuda(x):
    if isinstance(x, torch.Tensor):
        return x.to("cuda")
    return [on_cuda(y) for y in x] if isinstance(x, (list, tuple)) else x


def dtypes_on_cpu(function, args, kwargs):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return [writer.NAMES[t.dtype] for t in tensors_of(function(*args, **kwargs))]


def dtypes_on_cuda(function, args, kwargs):
    def found(autocast):
        # torch.autocast asks for a GPU.
        torch.set_autocast_enabled("cuda", autocast)
        try:
            with FakeTensorMode(allow_non_fake_inputs=True):
                return [writer.NAMES[t.dtype] for t in tensors_of(function(*on_cuda(args), **on_cuda_values(kwargs)))]
        except Exception:
            return None
        finally:
            torch.set_autocast_enabled("cuda", False)

    torch.set_autocast_dtype("cuda", torch.bfloat16)
    dtypes = found(autocast=True)
    if dtypes == found(autocast=False):
        function(*args, **kwargs)
    return dtypes or []


def on_cuda_values(kwargs):
    return {k: torch.device("cuda") if k == "device" else on_cuda(v) for k, v in kwargs.items()}


def text_of_dtypes(find, *call):
    try:
        return " ".join(find(*call)) or "-"
    except Exception:
        return "-"


class Recorder(writer.Family):
    lines_made = {}

    def case(self, *args, **kwargs):
        super().case(*args, **kwargs)
        self.look(args, kwargs)

    def error(self, kind, *args, **kwargs):
        pass  # has no dtype

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
            found = [text_of_dtypes(find, self.function, wanted, named) for find in (dtypes_on_cpu, dtypes_on_cuda)]
            if found == ["-", "-"]:
                continue
            texts = [writer.text_of(a) for a in wanted] + [f"{k}={writer.text_of(v)}" for k, v in named.items()]
            lines.append("; ".join(texts) + " => " + " | ".join(found))
        self.lines_made[self.current] = lines


def check_policies():
    """That policies.txt names exactly the operators that this PyTorch registers."""
    with_own_kernels = {"_cudnn_rnn", "linalg_matrix_sqrth"}
    for where, key in (("cpu", "AutocastCPU"), ("cuda", "AutocastCUDA")):
        lines = [line.split() for line in (HERE / "policies.txt").read_text().splitlines()]
        listed = {name for words in lines if words[0] == where for name in words[2:]}
        registered = {name.removeprefix("aten::") for name in torch._C._dispatch_get_registrations_for_dispatch_key(key)
                      if name.startswith("aten::")}
        differ = (listed ^ registered) - (with_own_kernels if where == "cuda" else set())
        if differ:
            sys.exit(f"policies.txt: {where} differs from PyTorch {torch.__version__}: {', '.join(sorted(differ))}")


def main():
    check_policies()
    torch.set_num_threads(1)
    writer.Family = Recorder
    for name in make.FAMILIES:
        module = importlib.import_module(f"{name}_cases")
        module.Family = Recorder
        module.family()
    with (HERE / "dtypes.txt").open("w") as out:
        out.write(f"# Dtypes of results under autocast in bfloat16, on the CPU | on CUDA, of PyTorch {torch.__version__}.\n"
                  "# Made by make_dtypes.py: do not edit.\n")
        for name, lines in sorted(Recorder.lines_made.items()):
            out.write("".join([f"operator {name}\n", *(line + "\n" for line in dict.fromkeys(lines))]))
    print(f"{len(Recorder.lines_made)} operators")


if __name__ == "__main__":
    main()
