# SPDX-License-Identifier: BSD-3-Clause
"""Decision tables, written from their description (doc/decision-table.md) and not by the library."""

import struct
import zlib
from dataclasses import dataclass, field

OPEN = 0xFFFFFFFF
SIZES = {"": 0, "n1": 1, "n2": 2, "n3": 3, "n4": 4, "min12": 5, "max12": 6, "max123": 7, "span23": 8}


@dataclass
class Routine:
    """Cells are (largest size, None for any; nb; nbmin, 0 for stock; nx, None for stock)."""

    name: str
    size: str
    cells: list = field(default_factory=list)
    options: str = ""

    def packed_cells(self):
        for bound, nb, *more in self.cells:
            nbmin, nx = (*more, 0, None)[:2] if more else (0, None)
            yield struct.pack("<IHHI", OPEN if bound is None else bound, nb, nbmin, OPEN if nx is None else nx)


def table(routines, version=1, checksum=None, cpu=""):
    head, rows, cells = [], [], []
    for routine in routines:
        packed = list(routine.packed_cells())
        head.append(struct.pack("<8s2sBBHH", routine.name.ljust(8).encode(), routine.options.encode(), 0,
                                SIZES[routine.size], len(rows), 1))
        rows.append(struct.pack("<IHH", OPEN, len(cells), len(packed)))
        cells += packed
    body = b"".join(head + rows + cells)

    def header(crc):
        counts = (640 + len(body), crc, len(head), len(rows), len(cells), 0, 0, 0, 0)
        return struct.pack("<8sI9I80s256s256s", b"PPTABLE1", version, *counts, cpu.encode(), b"", b"")

    return header(zlib.crc32(header(0) + body) if checksum is None else checksum) + body


def cpu_name():
    """The model name of this machine, as the library has it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines() if ":" in line)
    return next((value.strip() for key, value in fields.items() if key.strip() == "model name"), "")
