# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C table of texts, and an index of the kernels or algorithms in them: embed.py SYMBOL OUTPUT FILE..."""

import os
import re
import sys

KERNEL = re.compile(rb"^kernel\s+([^\s({]*)(?:\{([^}]*)\})?([^\s(]*)\(", re.MULTILINE)
ALGORITHM = re.compile(r"^(?:algorithm|nest)\s+([^\s(]+)\(", re.MULTILINE)
OPERATION = re.compile(r"^\s*operation\s+(\S+)\s*$", re.MULTILINE)
LIST = re.compile(r"\{([^{}]*)\}")


def kernel_index(texts: list[bytes]) -> list[tuple[str, int, int, int]]:
    """Name, number of the text, offset of its block, entry of its family; in the order of names."""
    found = []
    for number, data in enumerate(texts):
        for block in KERNEL.finditer(data):
            before, heads, after = (part.decode() if part is not None else None for part in block.groups())
            for entry, head in enumerate([""] if heads is None else heads.split(",")):
                found.append((before + head.strip() + after, number, block.start(), entry))
    return sorted(found, key=lambda kernel: kernel[0].encode())


def entries(head: str) -> list[list[str]]:
    """What stands for the lists of a head: all combinations, the last list running fastest."""
    combinations: list[list[str]] = [[]]
    for text in LIST.findall(head):
        combinations = [chosen + [entry] for chosen in combinations for entry in text.split(",")]
    return combinations


def resolved(text: str, number: int, chosen: list[str]) -> str:
    """A text of a family's block for its entry of this number."""

    def stands_for(found: re.Match[str]) -> str:
        inner = found[1]
        if inner == "":
            return chosen[0]
        if len(chosen) > 1 and inner.isdigit():
            return chosen[int(inner) - 1]
        return inner.split(",")[number]

    return LIST.sub(stands_for, text)


def algorithm_index(texts: list[bytes]) -> list[tuple[str, str, int, int]]:
    """Name, operation, number of the text, place among the algorithms of the text; in the order of the texts."""
    found = []
    for number, data in enumerate(texts):
        text = data.decode()
        blocks = list(ALGORITHM.finditer(text))
        ends = [block.start() for block in blocks[1:]] + [len(text)]
        place = 0
        for block, end in zip(blocks, ends):
            stated = OPERATION.search(text, block.end(), end)
            for entry, chosen in enumerate(entries(block[1])):
                heads = iter(chosen)
                name = LIST.sub(lambda _, heads=heads: next(heads), block[1])
                found.append((name, resolved(stated[1], entry, chosen) if stated else "", number, place))
                place += 1
    return found


def index_lines(symbol: str, texts: list[bytes]) -> list[str]:
    """The tables of the index."""
    lines = []
    kernels, algorithms = kernel_index(texts), algorithm_index(texts)
    if kernels:
        lines.append(f"const struct ppi_catalog_entry {symbol}_index[] = {{")
        lines += [f'  {{"{name}", {number}, {offset}, {entry}}},' for name, number, offset, entry in kernels]
        lines += ["};", f"const size_t {symbol}_index_count = {len(kernels)};"]
    if algorithms:
        lines.append(f"const struct ppi_catalog_algorithm {symbol}_index[] = {{")
        lines += [f'  {{"{name}", "{operation}", {number}, {place}}},' for name, operation, number, place in algorithms]
        lines += ["};", f"const size_t {symbol}_index_count = {len(algorithms)};"]
        named = sorted(range(len(algorithms)), key=lambda place: algorithms[place][0].encode())
        lines.append(f"const size_t {symbol}_named[] = {{{', '.join(map(str, named))}}};")
    return lines


def main() -> None:
    symbol, output, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ['#include "catalog/catalog.h"', ""]
    table, texts = [], []
    for number, name in enumerate(files):
        with open(name, "rb") as file:
            data = file.read()
        texts.append(data)
        lines.append(f"static const char text{number}[] = {{")
        for start in range(0, len(data), 24):
            lines.append("  " + ", ".join(str(byte) for byte in data[start : start + 24]) + ",")
        lines.append("  0};")
        table.append(f'  {{"{os.path.basename(name)}", text{number}, {len(data)}}},')
    lines += [f"const struct ppi_catalog_text {symbol}[] = {{", *table, "};"]
    lines.append(f"const size_t {symbol}_count = {len(files)};")
    lines += index_lines(symbol, texts)
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main()
