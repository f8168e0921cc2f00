# SPDX-License-Identifier: BSD-3-Clause
"""What the shared library exports and needs, and that its interface is the released one."""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "tests", "lint"))
from tap import Tap  # noqa: E402

BASELINE = "tests/abi/perfpred.abi"
PRIVATE = "tests/abi/private"
# the C library, the mathematical one, jansson, and the loader where the linker adds it
NEEDED = re.compile(r"libc\.so\.\d+|libm\.so\.\d+|libjansson\.so\.\d+|ld-linux.*")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library):
    symbols = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    return {symbol for symbol in symbols if not re.fullmatch(r"PERFPRED_\d+\.\d+", symbol)}


def mapped(root):
    with open(os.path.join(root, "lib/perfpred.map"), encoding="utf-8") as file:
        return set(re.findall(r"^\s*(\w+);", file.read(), re.M))


def declared(root):
    names = set()
    for path in glob.glob(os.path.join(root, "include/perfpred/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        names |= set(re.findall(r"PERFPRED_API\b[^;{]*?\b(perfpred_\w+)\s*\(", text))
    return names


def differences(one, other, left, right):
    yield from (f"{name}: in {left}, not in {right}" for name in sorted(one - other))
    yield from (f"{name}: in {right}, not in {left}" for name in sorted(other - one))


def check_interface(root, library):
    # no --headers-dir: abidiff would then take every type for a private one (see PRIVATE) and filter each change out
    command = ["abidiff", "--no-show-locs", "--suppressions", os.path.join(root, PRIVATE)]
    command += [os.path.join(root, BASELINE), library]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode == 0:
        return []
    # bit 0: abidiff failed; otherwise the interface differs, and the report says how
    return (answer.stdout + answer.stderr).splitlines() + ["renew with: python3 tests/abi/baseline.py LIBRARY"]


def main(root, library):
    tap = Tap()
    dynamic = output("readelf", "-dW", library)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    tap.case("exports what the version script lists", differences(exported(library), mapped(root), "library", "map"))
    tap.case("exports what the headers declare", differences(exported(library), declared(root), "library", "headers"))
    tap.case("needs libc, libm and jansson alone", [n for n in needed if not NEEDED.fullmatch(n)])
    tap.case("SONAME", [] if "[libperfpred.so.0]" in dynamic else [dynamic])
    tap.case("no text relocations", ["TEXTREL"] if "(TEXTREL)" in dynamic else [])
    stack = [line for line in output("readelf", "-lW", library).splitlines() if "GNU_STACK" in line]
    tap.case("no executable stack", [line for line in stack if "E" in line.split()[-2]])
    tap.case("no constructors", check_constructors(library))
    if shutil.which("abidiff"):
        tap.case("abidiff against the baseline", check_interface(root, library))
    else:
        tap.skip("abidiff against the baseline", "abidiff is not installed (package abigail-tools)")
    tap.finish()


def check_constructors(library):
    """The compiler's own frame_dummy and __do_global_dtors_aux are one pointer each; what tells CPUs apart has one more."""
    cpu = "__cpu_indicator_init" in output("nm", library)
    for line in output("readelf", "-SW", library).splitlines():
        match = re.search(r"\.(init_array|fini_array)\s+\S+\s+\S+\s+\S+\s+(\S+)", line)
        if match and int(match.group(2), 16) > (16 if cpu and match.group(1) == "init_array" else 8):
            yield line.strip()


main(*sys.argv[1:3])
