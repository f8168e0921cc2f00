# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C table of texts: embed.py SYMBOL OUTPUT FILE..."""

import os
import sys


def main() -> None:
    symbol, output, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ['#include "catalog/catalog.h"', ""]
    entries = []
    for number, name in enumerate(files):
        with open(name, "rb") as file:
            data = file.read()
        lines.append(f"static const char text{number}[] = {{")
        for start in range(0, len(data), 24):
            lines.append("  " + ", ".join(str(byte) for byte in data[start : start + 24]) + ",")
        lines.append("  0};")
        entries.append(f'  {{"{os.path.basename(name)}", text{number}, {len(data)}}},')
    lines += [f"const struct ppi_catalog_text {symbol}[] = {{", *entries, "};"]
    lines.append(f"const size_t {symbol}_count = {len(files)};")
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main()
