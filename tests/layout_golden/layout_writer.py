"""Cases with tensors of other layouts, and the text they are written as. README.md describes the text.

PyTorch's sparse functions say what results are. Where they lack a dtype or a gradient, the same computation on dense
tensors says it, and where both exist they are compared, so neither is trusted alone.
"""
import torch

import writer
from writer import NAMES, text_of

COMPRESSED = {torch.sparse_csr: "csr", torch.sparse_csc: "csc"}


def is_sparse(x):
    return isinstance(x, torch.Tensor) and (x.layout == torch.sparse_coo or x.layout in COMPRESSED)


def parts_of(s):
    if s.layout == torch.sparse_coo:
        return s._indices(), s._values()
    if s.layout == torch.sparse_csr:
        return s.crow_indices(), s.col_indices(), s.values()
    return s.ccol_indices(), s.row_indices(), s.values()


def sorted_lines(compressed, plain, values):
    """Products of PyTorch's have the entries of a row in any order."""
    lines = torch.repeat_interleave(torch.arange(len(compressed) - 1), (compressed[1:] - compressed[:-1]).to(torch.int64))
    order = torch.argsort(lines * (int(plain.max()) + 1 if len(plain) else 1) + plain, stable=True)
    return compressed, plain[order], values[order]


def layout_text(x, flag=None):
    """Of any argument or result. `flag` replaces the word that says whether a COO tensor is coalesced."""
    if isinstance(x, (list, tuple)) and any(is_sparse(y) for y in x):
        return "[" + " & ".join(layout_text(y, flag) for y in x) + "]"
    if isinstance(x, torch.layout):
        return {torch.strided: "strided", torch.sparse_coo: "sparse_coo", torch.sparse_csr: "sparse_csr",
                torch.sparse_csc: "sparse_csc"}[x]
    if not is_sparse(x):
        return text_of(x)
    parts = parts_of(x) if x.layout == torch.sparse_coo or x.dim() != 2 else sorted_lines(*parts_of(x))
    parts = " | ".join(text_of(p) for p in parts)
    if x.layout in COMPRESSED:
        return f"{COMPRESSED[x.layout]}{{{parts} | {list(x.shape)}}}"
    flag = flag or ("coalesced" if x.is_coalesced() else "uncoalesced")
    return f"coo{{{parts} | {list(x.shape)} | {flag}}}"


def coo(indices, values, sizes, coalesced):
    s = torch.sparse_coo_tensor(indices, values, sizes, check_invariants=True)
    return s._coalesced_(coalesced)


def rebuilt(s, values):
    """The pattern of s with other values, which may require a gradient."""
    if s.layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(s._indices(), values, s.shape, is_coalesced=s.is_coalesced())
    compressed, plain, _ = parts_of(s)
    return torch.sparse_compressed_tensor(compressed, plain, values, s.shape, layout=s.layout)


def places_of(s):
    """One index tensor for each sparse dimension."""
    if s.layout == torch.sparse_coo:
        return tuple(s._indices())
    compressed, plain, _ = parts_of(s)
    major = torch.repeat_interleave(torch.arange(len(compressed) - 1), (compressed[1:] - compressed[:-1]).to(torch.int64))
    pair = (major, plain.to(torch.int64))
    return pair if s.layout == torch.sparse_csr else pair[::-1]


def densified(s, values=None):
    """s as a strided tensor by index arithmetic alone, differentiable in values. bool: any of the duplicates."""
    values = parts_of(s)[-1] if values is None else values
    if values.dtype == torch.bool:
        return densified(s, values.to(torch.int64)) != 0
    zeros = torch.zeros(s.shape, dtype=values.dtype)
    places = places_of(s)
    return zeros.index_put(places, values, accumulate=True) if places else zeros + values.sum(0)


def densified_all(x):
    if isinstance(x, (list, tuple)):
        return [densified_all(y) for y in x]
    return densified(x) if is_sparse(x) else x


def pattern_of(s):
    """The specified places of a tensor, as a strided tensor of bools."""
    return densified(s, torch.ones_like(parts_of(s)[-1], dtype=torch.bool))


def with_elements(s, dense):
    """The pattern of s, coalesced, with the elements of a strided tensor there."""
    s = s.coalesce() if s.layout == torch.sparse_coo else s
    return rebuilt(s, dense[places_of(s)].clone())


def sparse_of(dense, mask, layout):
    """The elements of a strided tensor where the mask is True, zeros included."""
    places = mask.nonzero().t()
    if layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(places, dense[tuple(places)], dense.shape, is_coalesced=True)
    pattern = mask.to_sparse(layout=layout)
    return rebuilt(pattern, dense[places_of(pattern)])


def union(a, b):
    return a | b


def intersection(a, b):
    return a & b


def product(a, b):
    return (a.to(torch.int64) @ b.to(torch.int64)) > 0


def has_gradient(x):
    return isinstance(x, torch.Tensor) and x.dtype.is_floating_point


def flat(xs):
    return [y for x in xs for y in (x if isinstance(x, (list, tuple)) and any(isinstance(z, torch.Tensor) for z in x) else [x])]


def near(a, b, dtype):
    relative = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 6e-3, torch.bfloat16: 4e-2}.get(dtype, 0)
    return torch.allclose(a.to(torch.float64), b.to(torch.float64), rtol=relative, atol=relative, equal_nan=True)


class LayoutFamily(writer.Family):
    """One file. op() begins an operator; case() and error() add to it."""

    def __init__(self, about, within=()):
        super().__init__(about, within)
        self.own_gradients = self.compared = self.by_dense = 0

    def op(self, name, *directives, within=()):
        self.names.add(name)
        self.current = name
        self.lines.append(f"operator {name}")
        self.lines.extend(directives)
        self.within(*within)
        packet, _, overload = name.partition("::")[2].partition(".")
        packet = getattr(torch.ops.aten, packet, None)
        self.function = getattr(packet, overload or "default", None) if packet is not None else None

    def add(self, args, kwargs, outcome):
        texts = [layout_text(a) for a in args] + [f"{k}={layout_text(v)}" for k, v in kwargs.items()]
        line = ("; ".join(texts) + " " if texts else "") + "=> " + outcome
        if (self.current, line) not in self.seen:
            self.seen.add((self.current, line))
            self.lines.append(line)

    def case(self, *args, torch_call=None, dense=None, kind="dense", gradient=False, flag=None, **kwargs):
        """torch_call(*args): PyTorch's sparse function; the operator itself unless given. dense(*args): the same on
        strided tensors. kind: "dense"; "pattern" where the result has that of the first sparse argument; or a function of
        the patterns of two. A gradient of the first result is asked for if `gradient`. flag: "sum" compares COO results coalesced."""
        call = torch_call or self.function
        result, why = None, "no such function"
        if call is not None:
            try:
                given = [writer.copy_of(a) for a in args]
                with torch.no_grad():
                    result = call(*given, **kwargs)
            except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError) as e:
                why = str(e).splitlines()[0]
        on_dense = None
        if dense is not None:
            try:
                on_dense = dense(*[densified_all(a) for a in args], **kwargs)
            except (RuntimeError, NotImplementedError) as e:
                dense, why = None, f"{why}; dense: {str(e).splitlines()[0]}"
        if result is None:
            if dense is None:
                kinds = [f"{NAMES[a.dtype]} {a.layout}" for a in args if isinstance(a, torch.Tensor)]
                print(f"{self.current}: no case of {kinds}: {why}")
                return
            self.by_dense += 1
            first = next(a for a in args if is_sparse(a))
            result = on_dense
            if kind == "pattern":
                result = with_elements(first, on_dense)
            elif kind != "dense":
                result = sparse_of(on_dense, kind(*[pattern_of(a) for a in args]), first.layout)
        elif on_dense is not None:
            found = densified(result) if is_sparse(result) else result
            wanted = on_dense if kind != "pattern" else densified(with_elements(next(a for a in args if is_sparse(a)), on_dense))
            if not near(found, wanted, found.dtype):
                print(f"{self.current}: PyTorch gives {found}, by dense tensors it is {wanted}, of {args} {kwargs}")
        results = list(result) if isinstance(result, tuple) else [result]
        outcome = "; ".join(layout_text(r, flag) for r in results)
        if gradient and all(not is_sparse(a) or has_gradient(a) for a in args):
            outcome += self.gradient_text(args, kwargs, results[0], call, dense, kind)
        self.add(args, kwargs, outcome)

    def gradient_text(self, args, kwargs, result, call, dense, kind):
        generator = torch.Generator().manual_seed(7)
        given = (torch.randint(-4, 5, result.shape, generator=generator).to(torch.float64) / 2).to(result.dtype)

        def by(function, sparse, dtype):
            leaves, made = [], []
            for a in args:
                several = isinstance(a, (list, tuple)) and any(isinstance(z, torch.Tensor) for z in a)
                news = []
                for b in a if several else [a]:
                    if has_gradient(b):
                        leaf = (parts_of(b)[-1] if is_sparse(b) else b).detach().clone().to(dtype or b.dtype).requires_grad_()
                        leaves.append(leaf)
                        b = (rebuilt(b, leaf) if sparse else densified(b, leaf)) if is_sparse(b) else leaf
                    news.append(b)
                made.append(news if several else news[0])
            out = function(*made, **kwargs)
            out = out[0] if isinstance(out, tuple) else out
            if is_sparse(out):
                out = out.to_dense()
            g = given.to(out.dtype)
            if not sparse and kind == "pattern":
                g = torch.where(pattern_of(next(a for a in args if is_sparse(a))), g, 0)
                out = torch.where(g != 0, out, 0)
            found = torch.autograd.grad(out, leaves, g, allow_unused=True)
            return [torch.zeros_like(l) if f is None else (f.to_dense() if is_sparse(f) else f) for l, f in zip(leaves, found)]

        own = None
        try:
            own = by(call, True, None)
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError):
            pass
        wanted = None if dense is None else [w.to(a.dtype) for w, a in
                                             zip(by(dense, False, torch.float64), filter(has_gradient, flat(args)))]
        if own is None and wanted is None:
            print(f"{self.current}: no gradient of {args}")
            return ""
        self.own_gradients += own is not None
        if own is not None and wanted is not None:
            self.compared += 1
            for o, w in zip(own, wanted):
                if o.shape != w.shape or not near(o, w, o.dtype):
                    print(f"{self.current}: PyTorch's gradient {o}, by dense tensors {w}, of {args} {kwargs}")
        chosen = own if wanted is None else wanted
        return " => " + text_of(given) + " => " + "; ".join(text_of(g) for g in chosen)

    def error(self, kind, *args, torch_call=None, **kwargs):
        """Arguments that PyTorch refuses. The kind, README.md's, is ours."""
        call = torch_call or self.function
        try:
            result = call(*[writer.copy_of(a) for a in args], **kwargs)
        except Exception:
            return self.add(args, kwargs, f"error {kind}")
        raise AssertionError(f"{self.current} {args} {kwargs} gave {result}, wanted an error")
