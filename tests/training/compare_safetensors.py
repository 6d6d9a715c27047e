#!/usr/bin/env python3
"""Compares what topbit says of 20,000 damaged files with what the format's own reader says, the Python package
`safetensors` (0.8.0 when this was written), and reads with it what topbit writes.

usage: compare_safetensors.py <build>/bin/test_training [--count 20000] [--seed 1] [--keep FOLDER]

Ends with 77, "skipped", where the package is not installed. Fails for any difference that is none of those listed in
REASONS; how often each of these was met is printed.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

try:
    import safetensors
except ImportError:
    print("skipped: no package safetensors; pip install safetensors")
    sys.exit(77)

DTYPES = {"BOOL": ("bool", 1), "U8": ("uint8", 1), "I8": ("int8", 1), "I16": ("int16", 2), "I32": ("int32", 4),
          "I64": ("int64", 8), "F16": ("float16", 2), "BF16": ("bfloat16", 2), "F32": ("float32", 4),
          "F64": ("float64", 8)}
OTHER_DTYPES = ["U16", "U32", "U64", "C64", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "F6_E2M3"]

# What topbit refuses and the package takes; each is looked for in the file itself, not in topbit's message.
REASONS = {
    "blanks before the header": "the format's description wants '{' first",
    "a name is there twice": "the format's description forbids it; the package takes the last one",
    "a tensor described by a list, or a dtype by an object": "the format's description wants an object and a string",
    "a dtype that topbit lacks": "there is no tensor to load it to",
    "more than 8 dimensions": "topbit's tensors have no more",
    "sizes beside a 0 that no strides go with": "topbit's sizes and strides are of 63 bits",
    "a bool that is neither 0 nor 1": "a bool of topbit is one of these; the package does not look",
}


# --- what is compared: headers as trees, whose objects are lists of pairs, so that a name may be there twice


class Pairs(list):
    pass


def text_of(tree, choose):
    """JSON, written in one of its ways."""
    blank = choose.choice(["", "", "", " ", "\n", "\t", "\r "])
    if isinstance(tree, Pairs):
        return "{" + ("," + blank).join(text_of(k, choose) + ":" + blank + text_of(v, choose) for k, v in tree) + blank + "}"
    if isinstance(tree, list):
        return "[" + ("," + blank).join(text_of(v, choose) for v in tree) + "]"
    if isinstance(tree, Raw):
        return tree.text
    return json.dumps(tree, ensure_ascii=choose.random() < 0.3)


class Raw:
    """Text that stands where a value does."""

    def __init__(self, text):
        self.text = text


NUMBERS = ["-1", "-0", "0", "1", "2", "3", "7", "8", "9", "16", "1.0", "1e0", "1E+2", "0.5", "01", "1.", ".5", "+1", "1e999",
           "-1e999", "1e-999", "0e999", "1e308", "1e400", "4294967296", "2147418113", "2147549185", "4611686018427387904",
           "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
           "100000000000000000000000", "1" * 320, "1" * 308, "0x1", "NaN", "Infinity", "-", "1e", "1e+"]
VALUES = ["null", "true", "false", '""', '"F32"', '"x"', "[]", "{}", "[1]", "[[1]]", '{"a":1}', '{"F32":null}', "nul", "tru",
          '"\\ud800"', '"\\ud83d\\ude00"', '"\\udc00"', '"\\u00"', '"\\x"', '"\\/"', '"\t"', "'x'", "[1,]", '{"a":1,}', "[,]",
          '{"a"}', '{1:2}', "/**/1", "//\n1", "[" * 124 + "]" * 124, "[" * 125 + "]" * 125, "[" * 126 + "]" * 126]
NAMES = ["dtype", "shape", "data_offsets", "__metadata__", "x", "a.b", "", "more", "\u00e9", "\x7f", "\u202e", "\U0001f600",
         "\u0000", "\n"]
BYTES = [b"\0", b" ", b"\n", b"\xef\xbb\xbf", b"\xff", b"\xc0\x80", b"\xc2", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
         b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\x01", b"\x1f", b"\x7f", b"0", b"9", b"e9", b"-", b".", b"/*", b"#",
         b"\xc3\xa9", b"\xe2\x80\xa8"]


def tensor_of(choose, at):
    """The members of a tensor at a place, and the bytes it has."""
    name = choose.choice(list(DTYPES))
    if choose.random() < 0.03:
        name = choose.choice(OTHER_DTYPES)
    shape = [choose.choice([0, 1, 1, 2, 3]) for _ in range(choose.choice([0, 0, 1, 1, 2, 3, 4, 8] + [9] * (choose.random() < 0.1)))]
    size = DTYPES[name][1] if name in DTYPES else 1
    for s in shape:
        size *= s
    members = [("dtype", name), ("shape", shape), ("data_offsets", [at, at + size])]
    choose.shuffle(members)
    return Pairs(members), size


def whole_file(choose):
    """A header that is right, and the bytes behind it."""
    header, at = Pairs(), 0
    if choose.random() < 0.4:
        header.append(("__metadata__", Pairs([("format", "pt"), ("k\u00e9y", "")][: choose.randrange(3)])))
    for i in range(choose.choice([0, 1, 1, 2, 3, 5])):
        members, size = tensor_of(choose, at)
        header.append((choose.choice(NAMES) if choose.random() < 0.1 else "block.%d" % i, members))
        at += size
    choose.shuffle(header)
    return header, bytes(choose.choice([0, 1]) for _ in range(at))


def places(tree):
    """Every list there is, with an index into it."""
    found = []
    if isinstance(tree, list):
        for i, part in enumerate(tree):
            found.append((tree, i))
            found += places(part[1] if isinstance(tree, Pairs) else part)
    return found


def damage_tree(header, choose):
    found = places(header)
    if not found:
        header.append((choose.choice(NAMES), Raw(choose.choice(NUMBERS + VALUES))))
        return
    parent, i = choose.choice(found)
    new = Raw(choose.choice(NUMBERS)) if choose.random() < 0.6 else Raw(choose.choice(VALUES))
    way = choose.randrange(7)
    if isinstance(parent, Pairs):
        if way == 0:
            parent[i] = (choose.choice(NAMES), parent[i][1])
        elif way == 1:
            parent.append(parent[i])
        elif way == 2:
            parent.insert(i, (choose.choice(NAMES), new))
        elif way == 3:
            del parent[i]
        elif way == 4 and isinstance(parent[i][1], Pairs):
            order = {name: value for name, value in parent[i][1]}
            parent[i] = (parent[i][0], [order.get(n, 0) for n in ("dtype", "shape", "data_offsets")])
        else:
            parent[i] = (parent[i][0], new)
    elif way == 0:
        parent.insert(i, new)
    elif way == 1:
        del parent[i]
    elif way == 2 and isinstance(parent[i], int):
        parent[i] += choose.choice([-1, 1, 2, 4])
    else:
        parent[i] = new


def damage_text(text, choose):
    at = choose.randrange(len(text) + 1)
    way = choose.randrange(4)
    if way == 0:
        return text[:at] + choose.choice(BYTES) + text[at:]
    if way == 1:
        return text[:at] + choose.choice(BYTES) + text[at + 1 :]
    if way == 2:
        return text[:at] + text[at + choose.choice([1, 1, 2, 8]) :]
    return text[:at] + bytes([text[at % len(text)] ^ 1 << choose.randrange(8)]) + text[at + 1 :] if text else b"\x01"


def add_what_nobody_reads(header, choose):
    for name, said in header:
        if name != "__metadata__":
            said.insert(choose.randrange(len(said) + 1), (choose.choice(["more", "Shape", "", "\u00e9"]), Raw(choose.choice(VALUES[:12] + NUMBERS))))


def mutant(choose):
    header, elements = whole_file(choose)
    kind = choose.random()
    if kind < 0.15:
        add_what_nobody_reads(header, choose)
    elif kind < 0.55:
        for _ in range(choose.choice([1, 1, 1, 2, 3])):
            damage_tree(header, choose)
    text = text_of(header, choose).encode("utf-8", "surrogatepass")
    if choose.random() < 0.3:
        text += b" " * choose.randrange(9)
    if kind > 0.5 and kind < 0.9:
        for _ in range(choose.choice([1, 1, 2])):
            text = damage_text(text, choose)
    length = len(text)
    if kind > 0.97:
        length = choose.choice([0, 1, length - 1, length + 1, length + 8, 100_000_000, 100_000_001, 2**63, 2**64 - 1]) % 2**64
    if kind > 0.9 and kind <= 0.95:
        elements = elements[: choose.randrange(len(elements) + 1)] if choose.random() < 0.5 else elements + b"\1"
    if choose.random() < 0.02 and elements:
        at = choose.randrange(len(elements))
        elements = elements[:at] + b"\x02" + elements[at + 1 :]
    whole = struct.pack("<Q", length) + text + elements
    return whole[: choose.randrange(len(whole) + 1)] if kind > 0.95 and kind <= 0.97 else whole


# --- verdicts


def of_package(data):
    try:
        return sorted((name, t["dtype"], list(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(data))
    except safetensors.SafetensorError:
        return None


def of_topbit(line):
    if line.startswith("refused "):
        return None
    code = {name: code for code, (name, _) in DTYPES.items()}
    all = []
    for one in line.split()[1:]:
        name, dtype, sizes, data = one.split(":")
        all.append((bytes.fromhex(name).decode("utf-8"), code[dtype], [int(s) for s in sizes.split(",") if s], bytes.fromhex(data)))
    return sorted(all)


def reason_for(data, tensors):
    """Why topbit may refuse what the package takes."""
    text = data[8 : 8 + struct.unpack("<Q", data[:8])[0]]
    if text[:1] != b"{":
        return "blanks before the header"
    tree = json.loads(text, object_pairs_hook=Pairs)
    names = [name for name, _ in tree]
    if len(set(names)) != len(names):
        return "a name is there twice"
    for name, said in tree:
        if name == "__metadata__":
            continue
        if not isinstance(said, Pairs) or not all(isinstance(v, str) for k, v in said if k == "dtype"):
            return "a tensor described by a list, or a dtype by an object"
    for _, dtype, shape, elements in tensors:
        if dtype not in DTYPES:
            return "a dtype that topbit lacks"
        if len(shape) > 8:
            return "more than 8 dimensions"
        product = 1
        for size in shape:
            product *= max(size, 1)
        if product > (2**63 - 1) // 8 or any(size >= 2**63 for size in shape):
            return "sizes beside a 0 that no strides go with"
        if dtype == "BOOL" and any(b > 1 for b in elements):
            return "a bool that is neither 0 nor 1"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the files, which stay")
    options = parser.parse_args()
    choose = random.Random(options.seed)
    mutants = [mutant(choose) for _ in range(options.count)]

    with tempfile.TemporaryDirectory(prefix="topbit-compare-") as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        for i, data in enumerate(mutants):
            (folder / str(i)).write_bytes(data)
        subprocess.run([options.program, "[.compare]"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TOPBIT_COMPARED_FOLDER": str(folder)})
        lines = (folder / "verdicts").read_bytes().decode("utf-8").split("\n")[:-1]
        written = (folder / "written").read_bytes()
        written_verdict = (folder / "written verdict").read_text()

    wrong, taken, refused, reasons = 0, 0, 0, collections.Counter()
    if len(lines) != len(mutants):
        print(f"found {len(lines)} verdicts of {len(mutants)}; does a message have a line feed?")
        wrong += 1
    if of_package(written) is None or of_package(written) != of_topbit(written_verdict):
        print("found other tensors in what topbit wrote than it did")
        wrong += 1
    for i, (data, line) in enumerate(zip(mutants, lines)):
        package, topbit = of_package(data), of_topbit(line)
        taken += package is not None
        refused += package is None
        if package == topbit:
            continue
        reason = reason_for(data, package) if package is not None and topbit is None else None
        if reason is None:
            wrong += 1
            print(f"{i}: the package {'refuses' if package is None else 'takes'} it, topbit: {line[:200]}\n    {data[:400]!r}")
        reasons[reason] += 1
    print(f"{len(mutants)} files, seed {options.seed}, safetensors {safetensors.__version__}: {taken} taken by the package, {refused} refused")
    for reason, why in REASONS.items():
        print(f"  {reasons[reason]:5}  {reason}: {why}")
    print(f"  {wrong:5}  differences without a reason")
    return wrong != 0


sys.exit(main())
