# SPDX-License-Identifier: BSD-3-Clause
"""Who may include what: the table in the file `modules`, one case per module and one per foreign header."""

import re
import sys

import sources
from tap import Tap

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
FOREIGN = ("jansson.h", "hwloc.h", "papi.h", "isl/")


def table(root):
    lines = [line.split("#")[0] for line in sources.read(root, "tests/lint/modules").splitlines()]
    rows = [line.partition(":") for line in lines if line.strip()]
    return {name.strip(): may.split() for name, _, may in rows}


def allowed(header, module, may):
    return any(header.startswith(m + "/") or header == m for m in [module, *may])


def check_module(root, module, may):
    """Complaints about the quoted includes of the files of one module."""
    for name in sources.listed(root, (".c", ".h")):
        if not name.startswith(f"lib/{module}/"):
            continue
        for kind, header in INCLUDE.findall(sources.read(root, name)):
            if kind == '"' and not allowed(header, module, may):
                yield f'{name}: includes "{header}", which the table does not allow {module}'


def check_outside(root, folder, allow, besides="/"):
    """src/ and examples/ know the public headers alone and their own files; src/ilaenv/ and src/record/ have rows of their own."""
    for name in sources.listed(root, (".c", ".h")):
        if not name.startswith(folder + "/") or name.startswith(besides):
            continue
        for kind, header in INCLUDE.findall(sources.read(root, name)):
            if kind == '"' and not allow(header):
                yield f'{name}: includes "{header}"'


def check_public(root):
    for name in sources.listed(root, (".h",)):
        if not name.startswith("include/"):
            continue
        for kind, header in INCLUDE.findall(sources.read(root, name)):
            if kind == '"' or ("/" in header and not header.startswith("perfpred/")):
                yield f"{name}: includes {header}; a public header includes <perfpred/...> and the C library's alone"


def components(names):
    """The component of a file: the library, the worker, the command, ..."""
    return {name: name.split("/")[0] for name in names}


def check_foreign(root, foreign):
    found = {}
    for name, component in components(sources.listed(root, (".c", ".h"))).items():
        if component in ("tests", "bench"):
            continue
        for _, header in INCLUDE.findall(sources.read(root, name)):
            if header == foreign or (foreign.endswith("/") and header.startswith(foreign)):
                found.setdefault(component, []).append(name)
    for component, names in found.items():
        if len(names) > 1 or names[0].endswith(".h"):
            yield f"{component}: {foreign} belongs into one source file, stands in {', '.join(names)}"


def main(root):
    tap = Tap()
    modules = table(root)
    folders = {name.split("/")[1] for name in sources.listed(root, (".c", ".h")) if re.match(r"lib/\w+/", name)}
    tap.case("every module has a row", (f"lib/{f}: no row" for f in sorted(folders - modules.keys())))
    for module, may in modules.items():
        tap.case(f"includes of lib/{module}", check_module(root, module, may))
    headers = {name.split("/", 1)[1] for name in sources.listed(root, (".h",)) if name.startswith("src/")}
    own = {name for name in headers if "/" not in name}
    override = {name.split("/")[1] for name in headers if name.startswith("ilaenv/")} | {"store/table_format.h", "store/table_place.h"}
    tap.case("includes of src", check_outside(root, "src", lambda header: header in own, besides=("src/ilaenv/", "src/record/")))
    # the program that prints its routines reads the catalogue, the library itself knows nothing of ours
    recorder = {"trace.h", "kernel/own.h", "kernel/registry.h"}
    tap.case("includes of src/record", check_outside(root, "src/record", lambda header: header in recorder))
    tap.case("includes of src/ilaenv", check_outside(root, "src/ilaenv", lambda header: header in override))
    tap.case("includes of examples", check_outside(root, "examples", lambda header: False))
    tap.case("includes of the public headers", check_public(root))
    for foreign in FOREIGN:
        tap.case(f"{foreign.rstrip('/')} in one source per component", check_foreign(root, foreign))
    tap.finish()


main(sys.argv[1])
