"""Codes and values of quantized tensors, rounding for training with its gradients, ranges, products of int8 weights."""
import torch

from layout_writer import LayoutFamily
from samples import *
from writer import text_of


class Quantized(str):
    """The text of a quantized tensor: an argument of its parts, or what is asked of a result."""


def ties(scale, zero_point, low, high):
    """Every code's value, and every tie between two of them, with some beyond both ends."""
    steps = torch.arange(2 * (low - zero_point) - 4, 2 * (high - zero_point) + 5)
    return steps.to(float64) / 2 * scale


def codes_and_values(q):
    return f"quantized{{{text_of(q.int_repr())} | {text_of(q.dequantize())}}}"


def per_tensor(f):
    f.op("topbit::quantize_per_tensor", "exact")
    for signed, d, low, high in ((True, torch.qint8, -128, 127), (False, torch.quint8, 0, 255)):
        # Scales that are powers of two: ties are exact in float32.
        for scale, zero_point in ((0.5, 0 if signed else 128), (0.0625, 17), (2.0, low), (0.25, high)):
            x = ties(scale, zero_point, low, high).to(float32)
            f.add((x, scale, zero_point, 8, signed), {}, codes_and_values(torch.quantize_per_tensor(x, scale, zero_point, d)))
        for scale in (0.1, 0.037, 1.7):
            x = quarters(4, 8, most=60, seed=3) * 0.77
            f.add((x, scale, 3, 8, signed), {}, codes_and_values(torch.quantize_per_tensor(x, scale, 3, d)))
        x = T([inf, -inf, 1e30, -1e30, 0.0, -0.0])
        f.add((x, 0.5, 7, 8, signed), {}, codes_and_values(torch.quantize_per_tensor(x, 0.5, 7, d)))
        f.add((none(0, 3), 0.5, 7, 8, signed), {}, codes_and_values(torch.quantize_per_tensor(none(0, 3), 0.5, 7, d)))
    f.add((T([1.0]), 0.5, 128, 8, True), {}, "error value")
    f.add((T([1.0]), 0.5, -1, 8, False), {}, "error value")
    f.add((T([1]), 0.5, 0, 8, True), {}, "error dtype")


def per_channel(f):
    f.op("topbit::quantize_per_channel", "exact")
    for signed, d, points in ((True, torch.qint8, [0, -128, 127, 5]), (False, torch.quint8, [128, 0, 255, 5])):
        scales = T([0.5, 0.0625, 0.25, 1.0])
        for axis in (0, 1, -1):
            x = quarters(4, 4, most=200, seed=5) / 8
            q = torch.quantize_per_channel(x, scales.to(float64), T(points), axis % 2, d)
            f.add((x, scales, T(points, int32), axis, 8, signed), {}, codes_and_values(q))
        x = torch.stack([ties(0.5, 0, -6, 6)] * 4).to(float32)
        q = torch.quantize_per_channel(x, scales.to(float64), T(points), 0, d)
        f.add((x, scales, T(points, int32), 0, 8, signed), {}, codes_and_values(q))


def fake(f):
    def case(function, x, *args):
        leaf = x.clone().requires_grad_()
        out = function(leaf, *args)
        given = quarters(*x.shape, seed=2).to(out.dtype)
        (gradient,) = torch.autograd.grad(out, leaf, given)
        f.add((x, *args), {}, f"{text_of(out.detach())} => {text_of(given)} => {text_of(gradient)}")

    f.op("aten::fake_quantize_per_tensor_affine", "exact")
    function = torch.fake_quantize_per_tensor_affine
    for scale, zero_point, low, high in ((0.5, 0, -128, 127), (0.5, 128, 0, 255), (0.25, 3, 0, 15), (0.125, -2, -8, 7), (2.0, 0, -1, 1)):
        case(function, ties(scale, zero_point, max(low, -10), min(high, 20)).to(float32), scale, zero_point, low, high)
    case(function, T([inf, -inf, 0.0, -0.0, 1e30]), 0.5, 0, -128, 127)
    case(function, quarters(3, 4, most=60, seed=3) * 0.77, 0.1, 0, -128, 127)
    for d in (float16, bfloat16, float64):
        if d != bfloat16:  # PyTorch has no kernel for bfloat16
            case(function, ties(0.5, 0, -6, 6).to(d), 0.5, 0, -4, 3)
    f.op("aten::fake_quantize_per_channel_affine", "exact")
    function = torch.fake_quantize_per_channel_affine
    for axis in (0, 1):
        case(function, quarters(3, 3, most=40, seed=4), T([0.5, 0.25, 0.125]), T([0, 3, -2], int32), axis, -8, 7)
    case(function, torch.stack([ties(0.5, 0, -6, 6)] * 3).to(float32), T([0.5, 0.25, 1.0]), T([0, 1, -1], int32), 0, -4, 3)


def ranges(f):
    """Least and greatest element, and what PyTorch's observers make of them."""
    from torch.ao.quantization.observer import MinMaxObserver, MovingAverageMinMaxObserver, PerChannelMinMaxObserver
    tensors = [quarters(3, 5, seed=1), quarters(3, 5, seed=2) + 5, quarters(3, 5, seed=3) - 4, quarters(3, 5, seed=4) * 0.37,
               T([[0.0, 3.0]]), T([[-2.5, -1.0]])]
    for name, kind in (("min_max_observer", MinMaxObserver), ("moving_average_observer", MovingAverageMinMaxObserver),
                       ("channel_observer", PerChannelMinMaxObserver)):
        f.op(f"observer::{name}", within=((float32, 2e-7, 0), (float64, 2e-7, 0)))
        per_channel = kind is PerChannelMinMaxObserver
        for signed, d in ((True, torch.qint8), (False, torch.quint8)):
            for symmetric in (False, True):
                scheme = {(False, False): torch.per_tensor_affine, (False, True): torch.per_tensor_symmetric,
                          (True, False): torch.per_channel_affine, (True, True): torch.per_channel_symmetric}[per_channel, symmetric]
                for seen in [[t] for t in tensors] + ([tensors[:3]] if not per_channel else [tensors[:4]]):
                    observer = kind(dtype=d, qscheme=scheme)
                    for t in seen:
                        observer(t)
                    scale, zero_point = observer.calculate_qparams()
                    f.add((seen, signed, symmetric), {}, f"{text_of(scale.to(float64))}; {text_of(zero_point.to(int64))}")


def weight_text(w, scales, name, dtype, sizes=None):
    return f"quantized{{{name} | {text_of(w)} | {text_of(scales)} | None | {NAMES[dtype]} {list(sizes or w.shape)}}}"


def products(f):
    """Products with int8 weights: float64 says what is right."""
    w = quarters(4, 6, most=127 * 4, seed=9).round().clamp(-127, 127).to(torch.int8)
    rows, one_scale = T([0.5, 0.25, 0.125, 0.0625]), T(0.125)
    tolerances = ((float32, 3e-6, 3e-6), (float16, 4e-3, 1e-2), (bfloat16, 3e-2, 1e-1))

    def case(texts, out, gradients, dtype):
        """gradients(given): of the arguments that have one, in order."""
        given = quarters(*out.shape, seed=2, dtype=dtype)
        found = "; ".join(text_of(g.to(dtype)) for g in gradients(given.to(float64)))
        f.lines.append("; ".join(texts) + f" => {text_of(out.to(dtype))} => {text_of(given)} => {found}")

    def values_of(scales):
        return w.to(float64) * (scales.reshape(-1, 1) if scales.dim() else scales)

    def linear(x, scales, bias, name):
        values = values_of(scales)
        out = torch.nn.functional.linear(x.to(float64), values, None if bias is None else bias.to(float64))
        case([text_of(x), weight_text(w, scales, name, x.dtype)] + ([] if bias is None else [text_of(bias)]), out,
             lambda g: [g @ values] + ([] if bias is None else [g.reshape(-1, 4).sum(0)]), x.dtype)

    f.op("aten::linear", within=tolerances)
    for d in (float32, float16, bfloat16):
        for m in (1, 3):
            x = quarters(m, 6, seed=6, dtype=d)
            linear(x, rows, None, "per_channel axis=0 bits=8")
            linear(x, T([0.01, 0.02, 0.03, 0.04]), quarters(4, seed=8, dtype=d), "per_channel axis=0 bits=8")
        linear(x, one_scale, quarters(4, seed=8, dtype=d), "per_tensor bits=8")
    linear(quarters(2, 2, 6, seed=6), rows, None, "per_channel axis=0 bits=8")
    f.op("aten::mm", within=tolerances)
    for scales, name in ((rows, "per_channel axis=0 bits=8"), (one_scale, "per_tensor bits=8")):
        x, values = quarters(3, 4, seed=6), values_of(scales)
        case([text_of(x), weight_text(w, scales, name, float32)], x.to(float64) @ values, lambda g: [g @ values.t()], float32)
    f.op("aten::addmm", within=tolerances)
    x, start, values = quarters(3, 4, seed=6), quarters(3, 6, seed=7), values_of(rows)
    case([text_of(start), text_of(x), weight_text(w, rows, "per_channel axis=0 bits=8", float32)],
         start.to(float64) + x.to(float64) @ values, lambda g: [g, g @ values.t()], float32)
    f.op("aten::embedding", "exact")
    index = T([[3, 0], [1, 3]])
    for scales, name in ((rows, "per_channel axis=0 bits=8"), (one_scale, "per_tensor bits=8")):
        f.lines.append(f"{weight_text(w, scales, name, float32)}; {text_of(index)} => {text_of(values_of(scales)[index].to(float32))}")
    f.op("aten::linear", within=tolerances)
    # Two codes of 4 bits in a byte, the first in the low bits; 8 stands for 0.
    codes = torch.arange(4 * 6).reshape(4, 6) * 7 % 16
    packed = (codes[:, 0::2] + 16 * codes[:, 1::2]).to(uint8)
    scales = T([[0.5, 0.25, 1.0], [2.0, 0.125, 0.5], [0.5, 0.5, 0.5], [1.0, 0.25, 0.0625]])
    values = (codes - 8).to(float64) * scales.repeat_interleave(2, 1)
    x = quarters(3, 6, seed=6)
    case([text_of(x), weight_text(packed, scales, "per_group group=2 bits=4", float32, [4, 6])], x.to(float64) @ values.t(),
         lambda g: [g @ values], float32)


def family():
    f = LayoutFamily("Quantized tensors.")
    per_tensor(f)
    per_channel(f)
    fake(f)
    ranges(f)
    products(f)
    return f
