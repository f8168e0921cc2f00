#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compute.py OBJDUMP LIBRARY: reads the machine code of compute(C) of Apex-MAP and of the peak, and counts operations, for each instruction set.

An iteration has to do 128: 64 products and 64 additions, none dropped, none shared between iterations. A call does 7 more: the sums of what
the eight rows came to. Speaks TAP.
"""

import re
import subprocess
import sys

LANES = {"zmm": 8, "ymm": 4, "xmm": 2}
# Functions of the peak, and what a step of theirs does: twelve sums, none of which another one can stand for.
PEAKS = {"avx512_d": 192, "avx2_d": 96, "sse2_d": 48}
FUNCTIONS = {"compute_avx512": "zmm", "compute_avx2": "ymm", "compute_pair": "xmm"}


def flops(instruction):
    """Operations on double precision numbers that an instruction does, and whether it is a packed one of how many lanes."""
    words = instruction.split(None, 1)
    if not words:
        return 0
    name = re.fullmatch(r"v?(?:(fn?m(?:add|sub)(?:132|213|231)?)|(add|sub|mul|div))(pd|sd)", words[0])
    if not name:
        return 0
    widths = [LANES[kind] for kind in re.findall(r"%?([xyz]mm)\d", words[1] if len(words) > 1 else "")]
    lanes = 1 if name.group(3) == "sd" else max(widths)
    return lanes * (2 if name.group(1) else 1)


def listing(objdump, library, function):
    """Addresses and instructions of a function; empty: there is none."""
    words = [objdump, "-d", "--no-show-raw-insn", f"--disassemble={function}", library]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s*([0-9a-f]+):\s+(.*?)\s*$", text, re.M)
    return [(int(address, 16), instruction) for address, instruction in found]


def loops(code):
    """Pairs of the first and the last address of each loop: jumps backwards."""
    found = []
    first = code[0][0]
    for address, instruction in code:
        jump = re.match(r"j\w+\s+([0-9a-f]+)\b", instruction)
        if jump and first <= int(jump.group(1), 16) <= address:
            found.append((int(jump.group(1), 16), address))
    return found


def check(code, width):
    """What is wrong; "": nothing."""
    found = loops(code)
    if len(found) != 1:
        return f"{len(found)} loops, expected 1"
    begin, end = found[0]
    inside = [instruction for address, instruction in code if begin <= address <= end]
    outside = [instruction for address, instruction in code if not begin <= address <= end]
    each, rest = sum(map(flops, inside)), sum(map(flops, outside))
    if each != 128:
        return f"{each} operations in an iteration, expected 128"
    if rest != 128 + 7:
        return f"{rest} operations beside the iterations, expected 128 of the first one and 7"
    narrow = [instruction for instruction in inside if flops(instruction) and width not in instruction]
    if narrow:
        return f"'{narrow[0]}' is not on {width}"
    return ""


def check_peak(code, expected):
    """What is wrong with the loop of a peak; "": nothing."""
    each = [sum(flops(text) for place, text in code if begin <= place <= end) for begin, end in loops(code)]
    largest = max(each, default=0)  # others add up the lanes; compilers may take two steps together
    return "" if largest and largest % expected == 0 else f"loops of {each} operations, expected one of {expected}"


# The counting itself: what known instructions do.
KNOWN = {
    "vfmadd231pd %zmm1,%zmm2,%zmm3": 16, "vfmadd132pd (%rax){1to8},%zmm2,%zmm3": 16, "vmulpd %ymm0,%ymm1,%ymm2": 4,
    "addpd  %xmm1,%xmm0": 2, "mulpd  0x10(%rsp),%xmm0": 2, "vaddsd %xmm1,%xmm0,%xmm0": 1, "addsd  %xmm1,%xmm0": 1,
    "vmovapd %zmm1,%zmm2": 0, "add    $0x1,%rax": 0, "vfnmadd213sd %xmm0,%xmm1,%xmm2": 2, "ret": 0,
    "vfmadd231ps %zmm1,%zmm2,%zmm3": 0,
}  # fmt: skip


def main():
    objdump, library = sys.argv[1:]
    print(f"1..{len(FUNCTIONS) + len(PEAKS) + 1}")
    wrong = [f"{text}: {flops(text)}, expected {count}" for text, count in KNOWN.items() if flops(text) != count]
    print("not ok" if wrong else "ok", "- operations of known instructions", "; ".join(wrong))
    for function, width in FUNCTIONS.items():
        code = listing(objdump, library, function)
        reason = check(code, width) if code else "not found"
        print("not ok" if reason else "ok", f"- {function} does 128 operations in an iteration", reason)
    for function, expected in PEAKS.items():
        code = listing(objdump, library, function)
        reason = check_peak(code, expected) if code else "not found"
        print("not ok" if reason else "ok", f"- the peak's {function} does {expected} operations in a step", reason)


main()
