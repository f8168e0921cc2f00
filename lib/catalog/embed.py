# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C table of texts, and an index of the kernels in them: embed.py SYMBOL OUTPUT FILE..."""

import os
import re
import sys


def index(texts: list[bytes]) -> list[tuple[str, int, int, int]]:
    """Name, number of the text, offset of its block, entry of its family; in the order of names."""
    found = []
    for number, data in enumerate(texts):
        for block in re.finditer(rb"^kernel\s+([^\s({]*)(?:\{([^}]*)\})?([^\s(]*)\(", data, re.MULTILINE):
            before, heads, after = (part.decode() if part is not None else None for part in block.groups())
            for entry, head in enumerate([""] if heads is None else heads.split(",")):
                found.append((before + head.strip() + after, number, block.start(), entry))
    return sorted(found, key=lambda kernel: kernel[0].encode())


def main() -> None:
    symbol, output, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ['#include "catalog/catalog.h"', ""]
    entries, texts = [], []
    for number, name in enumerate(files):
        with open(name, "rb") as file:
            data = file.read()
        texts.append(data)
        lines.append(f"static const char text{number}[] = {{")
        for start in range(0, len(data), 24):
            lines.append("  " + ", ".join(str(byte) for byte in data[start : start + 24]) + ",")
        lines.append("  0};")
        entries.append(f'  {{"{os.path.basename(name)}", text{number}, {len(data)}}},')
    lines += [f"const struct ppi_catalog_text {symbol}[] = {{", *entries, "};"]
    lines.append(f"const size_t {symbol}_count = {len(files)};")
    kernels = index(texts)
    if kernels:
        lines.append(f"const struct ppi_catalog_entry {symbol}_index[] = {{")
        lines += [f'  {{"{name}", {number}, {offset}, {entry}}},' for name, number, offset, entry in kernels]
        lines += ["};", f"const size_t {symbol}_index_count = {len(kernels)};"]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main()
