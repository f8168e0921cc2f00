# SPDX-License-Identifier: BSD-3-Clause
"""Facts about the texts of the tree: licence lines, no paths of one machine, no debris, spelling."""

import re
import shutil
import subprocess
import sys

import sources
from tap import Tap

LICENSED = (".c", ".h", ".py", ".sh", ".cc")
# folders where developers work; /tmp and /usr have good reasons to be named
MACHINE = re.compile(r"(?<![\w.$}/])/(?:work|root|farm)/[\w.]")
CONFLICT = re.compile(r"^(<{7}|>{7}) ", re.M)
BINARY = (".png", ".svg", ".pdf", ".gz", ".abi")


def check_licence(root):
    for name in sources.listed(root, LICENSED):
        head = sources.read(root, name).splitlines()[:2]
        if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in head):
            yield f"{name}: no SPDX line at the top"


def each_text(root):
    for name in sources.listed(root):
        if not name.endswith(BINARY):
            yield name, sources.read(root, name)


def check_paths(root):
    for name, text in each_text(root):
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE.search(line) and name != "tests/lint/texts.py":
                yield f"{name}:{number}: {line.strip()}"


def check_debris(root):
    for name, text in each_text(root):
        if CONFLICT.search(text):
            yield f"{name}: marks of a conflict"
        if text and not text.endswith("\n"):
            yield f"{name}: no line break at the end"
        if "\r" in text:
            yield f"{name}: carriage returns"
        for number, line in enumerate(text.splitlines(), 1):
            if line != line.rstrip():
                yield f"{name}:{number}: blanks at the end of the line"


def check_public_names(root):
    """What a public header defines begins with the library's prefix."""
    for name in sources.listed(root, (".h",)):
        if name.startswith("include/"):
            for macro in re.findall(r"^\s*#\s*define\s+(\w+)", sources.read(root, name), re.M):
                if not macro.startswith("PERFPRED_"):
                    yield f"{name}: macro {macro} without PERFPRED_"


def check_spelling(root):
    names = [name for name, _ in each_text(root)]
    command = ["codespell", "--ignore-words", "tests/lint/words", *names]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return (answer.stdout + answer.stderr).splitlines() if answer.returncode else []


def main(root):
    tap = Tap()
    tap.case("SPDX line in every source", check_licence(root))
    tap.case("no paths of one machine", check_paths(root))
    tap.case("clean text files", check_debris(root))
    tap.case("prefix of public macros", check_public_names(root))
    if shutil.which("codespell"):
        tap.case("codespell", check_spelling(root))
    else:
        tap.skip("codespell", "codespell is not installed")
    tap.finish()


main(sys.argv[1])
