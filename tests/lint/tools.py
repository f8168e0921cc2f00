# SPDX-License-Identifier: BSD-3-Clause
"""clang-format, clang-tidy and cppcheck over the sources, one case per file (cppcheck: one); doxygen over the headers."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import sources
from tap import Tap


def run(command, root):
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return [] if answer.returncode == 0 else (answer.stdout + answer.stderr).splitlines()


def in_parallel(jobs):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: job(), jobs))


def check_format(tap, root):
    names = sources.listed(root, (".c", ".h", ".cc"))
    complaints = run(["clang-format", "--dry-run", "-Werror", *names], root)
    for name in names:
        tap.case(f"clang-format {name}", (line for line in complaints if line.startswith(name + ":")))


def compiled(build, root):
    """Sources of the project that the build compiles, relative to root; tests apart, whose macros clang-tidy misreads."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    paths = {os.path.realpath(os.path.join(e["directory"], e["file"])) for e in entries}
    names = {os.path.relpath(path, os.path.realpath(root)) for path in paths}
    return sorted(n for n in names if re.match(r"(lib|worker|src|examples)/", n))


# What clang-tidy says of a place: its path, as the build has it or from the root.
PLACE = re.compile(r"(\S+?):\d+:\d+: (?:warning|error)")
FILES = 12  # of one process, whose start takes as long as three of them


def tidy(build, root, names):
    """Complaints of each of these files; those of headers are the first one's."""
    # clang's analyzer takes twenty times as long as all other checks: it is for LINT_LONG
    checks = [] if os.environ.get("LINT_LONG") else ["--checks=-clang-analyzer-*"]
    complaints = {name: [] for name in names}
    name = names[0]
    for line in run(["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "--warnings-as-errors=*", *checks, "-p", build, *names], root):
        place = PLACE.match(line)
        if place:
            path = os.path.relpath(os.path.realpath(os.path.join(root, place.group(1))), os.path.realpath(root))
            name = path if path in complaints else names[0]
        # flags of gcc that clang has not are no matter
        if "warnings generated" not in line:
            complaints[name].append(line)
    return complaints


def check_tidy(tap, build, root):
    names = compiled(build, root)
    count = -(-len(names) // FILES)
    parts = [names[i::count] for i in range(count)]
    for complaints in in_parallel([lambda part=part: tidy(build, root, part) for part in parts]):
        for name, lines in complaints.items():
            tap.case(f"clang-tidy {name}", lines)


def check_cppcheck(tap, build, root):
    command = ["cppcheck", "--quiet", "--error-exitcode=1", "--enable=warning,performance,portability", "--inline-suppr"]
    command += ["--suppressions-list=tests/lint/cppcheck", "--std=c11", "-D__GNUC__", "-D_GNU_SOURCE"]
    command += ['-DPPI_VERSION=""', '-DPPI_WORKER_PATH=""', "-Iinclude", "-Ilib", "-j", str(os.cpu_count())]
    for component in ("lib", "worker", "src", "examples"):
        names = [name for name in compiled(build, root) if name.startswith(component + "/")]
        tap.case(f"cppcheck {component}", run(command + names, root) if names else [])


def check_doxygen(tap, root):
    with open(os.path.join(root, "doc", "Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    with tempfile.TemporaryDirectory() as folder:
        settings += f"OUTPUT_DIRECTORY = {folder}\nGENERATE_HTML = NO\nGENERATE_XML = YES\n"
        answer = subprocess.run(["doxygen", "-"], cwd=root, input=settings, capture_output=True, text=True, check=False)
    complaints = answer.stderr.splitlines()
    tap.case("doxygen without warnings", complaints or ([] if answer.returncode == 0 else ["doxygen failed"]))


def main(root, build, tool):
    tap = Tap()
    if not shutil.which(tool):
        tap.skip(tool, f"{tool} is not installed")
    elif tool == "clang-format":
        check_format(tap, root)
    elif tool == "clang-tidy":
        check_tidy(tap, build, root)
    elif tool == "doxygen":
        check_doxygen(tap, root)
    else:
        check_cppcheck(tap, build, root)
    tap.finish()


main(*sys.argv[1:4])
