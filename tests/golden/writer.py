"""Cases and the text they are written as. README.md describes the text; PyTorch says what the results are."""
import functools
import math
import struct

import numpy
import torch

NAMES = {torch.bool: "bool", torch.uint8: "uint8", torch.int8: "int8", torch.int16: "int16", torch.int32: "int32",
         torch.int64: "int64", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32",
         torch.float64: "float64"}
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
INTEGERS = [torch.uint8] + SIGNED
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
ALL = [torch.bool] + INTEGERS + FLOATS


def bfloat16_of(x):
    """Rounds to nearest even, as topbit and PyTorch do; x is a float32."""
    if math.isnan(x) or math.isinf(x):
        return x
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


@functools.lru_cache(maxsize=None)
def float_text(x, dtype, sign=1.0):  # the sign tells the zeros apart, which are equal, in the cache
    """The shortest text that is read as this element; float16 and bfloat16 are read as a float32 and rounded."""
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    read = {torch.float64: float, torch.float32: numpy.float32,
            torch.float16: lambda s: numpy.float16(numpy.float32(s)),
            torch.bfloat16: lambda s: bfloat16_of(float(numpy.float32(s)))}[dtype]
    with numpy.errstate(over="ignore"):
        for digits in range(1, 18):
            text = format(x, f".{digits}g")
            if float(read(text)) == x:
                break
        else:
            raise AssertionError(x)
    mantissa, _, exponent = text.partition("e")
    return mantissa + ("e" + str(int(exponent)) if exponent else "")


def element_text(x, dtype):
    if dtype == torch.bool:
        return "True" if x else "False"
    return float_text(x, dtype, math.copysign(1, x)) if dtype.is_floating_point else str(x)


def tensor_text(t):
    if t.numel() == 0:
        return f"({NAMES[t.dtype]} {list(t.shape)})"

    def nested(x):
        return "[" + ", ".join(map(nested, x)) + "]" if isinstance(x, list) else element_text(x, t.dtype)
    text = nested(t.tolist())
    looks_float = any(c in text for c in ".einfa") and t.dtype not in (torch.bool,)
    plain = t.dtype in (torch.bool, torch.int64) or (t.dtype == torch.float32 and looks_float)
    return text if plain else f"{text} ({NAMES[t.dtype]})"


def text_of(x):
    if isinstance(x, torch.Tensor):
        return tensor_text(x)
    if isinstance(x, torch.dtype):
        return NAMES[x]
    if isinstance(x, str):
        return f"'{x}'"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(text_of, x)) + "]"
    if isinstance(x, float):
        text = float_text(x, torch.float64, math.copysign(1, x))
        return text if any(c in text for c in ".einfa") else text + ".0"
    assert x is None or isinstance(x, (bool, int)), x
    return str(x)


def copy_of(x):
    if isinstance(x, torch.Tensor):
        return x.clone()
    return [copy_of(y) for y in x] if isinstance(x, (list, tuple)) else x


def converted(x, dtype, other):
    """Tensors of a dtype, and the dtype itself, as another."""
    if isinstance(x, torch.Tensor):
        return x.to(other) if x.dtype == dtype else x
    if isinstance(x, (list, tuple)):
        return [converted(y, dtype, other) for y in x]
    return other if isinstance(x, torch.dtype) and x == dtype else x


class Family:
    """One file. op() begins an operator; case(), error() and sweep() add to it."""

    def __init__(self, about, within=()):
        self.names, self.seen = set(), set()
        self.lines = [f"# {about}", "# Made by make.py, described in README.md: do not edit."]
        self.within(*within)

    def within(self, *rules):
        """(dtype, relative, absolute), for what follows."""
        for dtype, relative, absolute in rules:
            self.lines.append(f"within {NAMES[dtype]} {relative:g} {absolute:g}")

    def op(self, name, *directives, within=()):
        self.names.add(name)
        self.current = name
        self.no_elements = "no elements" in directives
        self.first_result = "first result" in directives
        packet, _, overload = name.removeprefix("aten::").partition(".")
        self.function = getattr(getattr(torch.ops.aten, packet), overload or "default")
        self.lines.append(f"operator {name}")
        self.lines.extend(directives)
        self.within(*within)

    def add(self, args, kwargs, outcome):
        texts = [text_of(a) for a in args] + [f"{k}={text_of(v)}" for k, v in kwargs.items()]
        line = ("; ".join(texts) + " " if texts else "") + "=> " + outcome
        assert "; " not in "".join(texts) and "=> " not in "".join(texts), line
        if (self.current, line) not in self.seen:
            self.seen.add((self.current, line))
            self.lines.append(line)

    def call(self, args, kwargs):
        given = copy_of(args)
        result = self.function(*given, **{k: copy_of(v) for k, v in kwargs.items()})
        if result is None:  # what is written has the results
            written = [given[i] for i, a in enumerate(self.function._schema.arguments[:len(given)])
                       if a.alias_info is not None and a.alias_info.is_write]
            return [t for x in written for t in (x if isinstance(x, list) else [x])]
        # An operator of several results gives a tuple, one whose result is a list a list.
        results = list(result) if isinstance(result, tuple) else [result]
        results = results[:1] if self.first_result else results
        return [torch.zeros_like(r) for r in results] if self.no_elements else results

    def case(self, *args, **kwargs):
        self.add(args, kwargs, "; ".join(text_of(r) for r in self.call(args, kwargs)))

    def error(self, kind, *args, **kwargs):
        """Arguments that PyTorch refuses. The kind, README.md's, is ours: PyTorch has hardly any types of errors."""
        assert kind in ("shape", "dtype", "value", "index")
        try:
            result = self.call(args, kwargs)
        except Exception:
            return self.add(args, kwargs, f"error {kind}")
        raise AssertionError(f"{self.current} {args} {kwargs} gave {result}, wanted an error")

    def sweep(self, dtypes, make, **kwargs):
        """One case per dtype; make(dtype) gives the arguments. What PyTorch has no kernel for is no rule for others, so
        it is left out; what it refuses is an error about the dtype."""
        for dtype in dtypes:
            args = make(dtype)
            args = args if isinstance(args, tuple) else (args,)
            try:
                self.call(args, kwargs)
            except RuntimeError as e:
                if "not implemented for" not in str(e):
                    print(f"{self.current}: {NAMES[dtype]}: {str(e).splitlines()[0]}")
                    self.error("dtype", *args, **kwargs)
                continue
            self.case(*args, **kwargs)

    def every(self, make, wider=None, back=True, but=(), **kwargs):
        """One case per dtype, all of them: what PyTorch refuses, or has no kernel for, is an error about the dtype.

        `wider` is for operators that take more than PyTorch does: {dtype: another that PyTorch takes, and whose results
        are right, converted back where they have it}. `but` are dtypes that README.md names."""
        for dtype in ALL:
            args = make(dtype)
            args = args if isinstance(args, tuple) else (args,)
            if dtype in but:
                continue
            try:
                self.call(args, kwargs)
            except (RuntimeError, NotImplementedError):
                if dtype in (wider or {}):
                    self.case_of(args, kwargs, dtype, wider[dtype], back)
                else:
                    self.error("dtype", *args, **kwargs)
                continue
            self.case(*args, **kwargs)

    def every_option(self, *args, wider={}, **others):
        """The same of an operator that is told its result's dtype."""
        for dtype in ALL:
            kwargs = {**others, "dtype": dtype}
            try:
                self.case(*args, **kwargs)
            except (RuntimeError, NotImplementedError):
                if dtype in wider:
                    self.case_of(args, kwargs, dtype, wider[dtype], True)
                else:
                    self.error("dtype", *args, **kwargs)

    def case_of(self, args, kwargs, dtype, other, back):
        results = self.call([converted(a, dtype, other) for a in args],
                            {k: converted(v, dtype, other) for k, v in kwargs.items()})
        results = [converted(r, other, dtype) if back else r for r in results]
        self.add(args, kwargs, "; ".join(text_of(r) for r in results))

    def text(self):
        return "\n".join(self.lines) + "\n"
