# SPDX-License-Identifier: BSD-3-Clause
"""Contractions and their algorithms once more, from the rules of doc/contractions.md alone, to compare with."""

import csv
import itertools
import math
import os

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common", "contractions.csv")
KERNELS = ("dot", "axpy", "gemv", "ger", "gemm")


def cases(path=CASES):
    """Of each line: name, index string, extents."""
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            extents = dict(part.split("=") for part in row["dims"].split(";"))
            yield row["name"], row["einsum"], {name: int(value) for name, value in extents.items()}


class Contraction:
    def __init__(self, einsum):
        left, self.c = einsum.replace(" ", "").split("->")
        self.a, self.b = left.split(",")
        self.indices = sorted(set(self.a + self.b + self.c))
        self.contracted = [index for index in self.indices if index not in self.c]
        self.free_a = [index for index in self.indices if index not in self.b]
        self.free_b = [index for index in self.indices if index not in self.a]

    def counts(self):
        """How many algorithms each kernel has: choices of what it goes through, times orders of all other indices."""
        n, k, p, q = len(self.indices), len(self.contracted), len(self.free_a), len(self.free_b)
        ways = {"dot": (k, 1), "axpy": (p + q, 1), "gemv": (k * (p + q), 2), "ger": (p * q, 2), "gemm": (k * p * q, 3)}
        counts = {name: ways[name][0] * math.factorial(n - ways[name][1]) if ways[name][0] else 0 for name in KERNELS}
        return dict(counts, total=sum(counts.values()))

    def claims(self):
        """(kernel, indices it goes through), each once."""
        for k in self.contracted:
            yield "dot", (k,)
        for f in self.free_a + self.free_b:
            yield "axpy", (f,)
        for k, f in itertools.product(self.contracted, self.free_a + self.free_b):
            yield "gemv", (k, f)
        for f, g in itertools.product(self.free_a, self.free_b):
            yield "ger", (f, g)
        for k, f, g in itertools.product(self.contracted, self.free_a, self.free_b):
            yield "gemm", (k, f, g)

    def copies(self, claimed):
        """Tensors of which the kernel would see a matrix without unit stride."""
        slices = ([index for index in tensor if index in claimed] for tensor in (self.a, self.b, self.c))
        return [tensor for tensor, seen in zip((self.a, self.b, self.c), slices) if len(seen) == 2 and tensor[0] not in seen]

    def algorithms(self, letter="d"):
        """{name: number of copies}. An apostrophe stands behind the innermost loop that chooses what is copied."""
        found = {}
        for kernel, claimed in self.claims():
            copied = self.copies(claimed)
            for loops in itertools.permutations([index for index in self.indices if index not in claimed]):
                inside = [max(place for place, index in enumerate(loops) if index in tensor) for tensor in copied]
                text = "".join(index + "'" * inside.count(place) for place, index in enumerate(loops))
                found[f"{text}-{letter}{kernel}".lstrip("-")] = len(copied)
        return found

    def flops(self, extents):
        return 2.0 * math.prod(extents[index] for index in self.indices)


def reference(einsum, extents, a, b):
    """C by definition; tensors are flat, their first index fastest."""
    whole = Contraction(einsum)
    c = [0.0] * math.prod(extents[index] for index in whole.c)
    for values in itertools.product(*(range(extents[index]) for index in whole.indices)):
        at = dict(zip(whole.indices, values))
        c[_place(whole.c, at, extents)] += a[_place(whole.a, at, extents)] * b[_place(whole.b, at, extents)]
    return c


def _place(tensor, at, extents):
    place, stride = 0, 1
    for index in tensor:
        place += at[index] * stride
        stride *= extents[index]
    return place
