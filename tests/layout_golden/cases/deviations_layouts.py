"""Where topbit differs from PyTorch on purpose: PyTorch's answer, and the one that is wanted, with the reason."""
import torch

import writer
from layout_writer import LayoutFamily, densified, layout_text, pattern_of, rebuilt, with_elements
from quantized_layouts import codes_and_values
from samples import *
from writer import text_of


class Deviations(LayoutFamily):
    def because(self, name, reason, *args, wanted, torch_call=None, **kwargs):
        """`wanted`: a result, or "error <kind>"."""
        if name != getattr(self, "current", None):
            self.op(name)
        call = torch_call or self.function
        try:
            found = call(*[writer.copy_of(a) for a in args], **kwargs)
            found = found if isinstance(found, str) else layout_text(found)
        except Exception:
            found = "error"
        wanted = wanted if isinstance(wanted, str) else layout_text(wanted)
        if found.partition(" ")[0] == wanted.partition(" ")[0] == "error" or found == wanted:
            raise AssertionError(f"{name}: PyTorch agrees: {found}, {args}")
        self.lines.append(f"because {reason}")
        self.add(args, kwargs, f"{found} => {wanted}")


def parts(f):
    f.because("aten::sparse_coo_tensor.indices_size", "floating-point indices would be truncated", T([[0.5, 1.5]]),
              numbers(float32, 2), [3], wanted="error dtype", torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    # PyTorch checks if it is told to; without, reading memory that is not there is a matter of the next operator.
    f.because("aten::sparse_csr_tensor.crow_col_value_size", "checks are not an option: indices in range", T([0, 1, 2]), T([0, 9]),
              numbers(float32, 2), [2, 3], wanted="error index", torch_call=torch.sparse_csr_tensor)
    f.because("aten::sparse_csr_tensor.crow_col_value_size", "both index tensors have one dtype", T([0, 1, 2], int32), T([0, 1]),
              numbers(float32, 2), [2, 3], wanted="error dtype",
              torch_call=torch.sparse_csr_tensor)
    f.because("aten::coalesce", "float16 is summed in float32 and rounded once",
              coo([[0] * 3], T([2048.0, 1.0, 1.0], float16), [1], False), wanted=coo([[0]], T([2050.0], float16), [1], True))
    f.because("aten::sum", "duplicates of bools are one element", uncoalesced(boolean), wanted=T(2))
    f.because("aten::to_dense", "conversion with another dtype", coalesced(float32), float64,
              wanted=densified(coalesced(float64)), torch_call=lambda s, d: s.to_dense(d))
    f.because("aten::copy_", "a strided tensor takes the elements of a sparse one", quarters(3, 4), coalesced(float32),
              wanted=densified(coalesced(float32)))


def arithmetic(f):
    f.because("aten::zero_", "a matrix keeps its pattern", csr(float32), wanted=rebuilt(csr(float32), torch.zeros(4)))
    f.because("aten::add.Tensor", "sparse + dense is dense + sparse", coalesced(float32), quarters(3, 4),
              wanted=quarters(3, 4) + densified(coalesced(float32)))
    f.because("aten::add.Tensor", "the sum of bools is `or`", coalesced(boolean), coalesced(boolean), wanted=coalesced(boolean))
    f.because("aten::mean", "the mean of all elements, unspecified zeros included", coalesced(float32),
              wanted=densified(coalesced(float32)).mean())
    f.because("aten::amax", "unspecified zeros count", coo([[0]], T([-1.0]), [3], True), wanted=T(0.0), torch_call=torch.amax)
    f.because("aten::equal", "tensors with the same elements", coalesced(float32), coalesced(float32), wanted="True",
              torch_call=torch.equal)
    # Over specified elements, as torch.sparse.softmax does.
    f.because("aten::softmax.int", "one function for all layouts", coalesced(float32), 1,
              wanted=torch.sparse.softmax(coalesced(float32), 1))
    along = torch.where(pattern_of(csr(float32)), densified(csr(float32)), -inf).softmax(1)
    f.because("aten::softmax.int", "one function for all layouts", csr(float32), 1, wanted=with_elements(csr(float32), along))
    full = densified(coalesced(float32))
    f.because("aten::slice.Tensor", "a copy, since strides cannot say it", coalesced(float32), 0, 1, 3,
              wanted=full[1:3].to_sparse())
    f.because("aten::squeeze.dim", "as reshape would do it", coo([[0], [1]], T([2.0]), [1, 3], True), 0,
              wanted=coo([[1]], T([2.0]), [3], True))


def matrices(f):
    s = csr(int32)
    f.because("aten::mm", "products of all numbers", s, quarters(4, 3, dtype=int32), wanted=densified(s) @ quarters(4, 3, dtype=int32))
    f.because("aten::sum.dim_IntList", "the sums of rows are a dense vector", csr(float32), [1], wanted=densified(csr(float32)).sum(1))
    a, b = quarters(3, 2, seed=3), quarters(2, 4, seed=4)
    full = densified(coalesced(float32))
    f.because("aten::sparse_sampled_addmm", "COO too", coalesced(float32), a, b,
              wanted=with_elements(coalesced(float32), full + a @ b))
    f.because("aten::t", "one entry is in order, whatever its indices are", one(float32),
              wanted=coo([[2], [1]], numbers(float32, 1), [4, 3], True))


def quantized(f):
    name, quantize = "topbit::quantize_per_tensor", lambda d: lambda x, scale, zero_point, *_: codes_and_values(
        torch.quantize_per_tensor(x, scale, zero_point, d))
    f.because(name, "NaN becomes the zero point, whose value is 0", T([nan, 1.0]), 0.5, 7, 8, True,
              wanted="quantized{[7, 9] (int8) | [0, 1.0]}", torch_call=quantize(torch.qint8))
    f.because(name, "a scale of 0 has no inverse", T([1.0]), 0.0, 0, 8, True, wanted="error value", torch_call=quantize(torch.qint8))
    f.because(name, "a scale is positive", T([1.0]), -0.5, 0, 8, True, wanted="error value", torch_call=quantize(torch.qint8))
    f.because(name, "any floating-point tensor", T([1.0, 3.0], float64), 0.5, 0, 8, True,
              wanted="quantized{[2, 6] (int8) | [1, 3] (float64)}", torch_call=quantize(torch.qint8))
    f.because("aten::fake_quantize_per_tensor_affine", "NaN becomes the zero point, as in quantize_per_tensor", T([nan, 1.0]),
              0.5, 0, -128, 127, wanted=T([0.0, 1.0]))


def family():
    f = Deviations("Intended differences from PyTorch: its answer, then the one that is wanted.",
                   ((float32, 2e-6, 1e-6),))
    parts(f)
    arithmetic(f)
    matrices(f)
    quantized(f)
    return f
