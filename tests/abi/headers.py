# SPDX-License-Identifier: BSD-3-Clause
"""Every public header compiles alone, as C99, C11 and C++11; the layout of the public structs is the released one."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "tests", "lint"))
from tap import Tap  # noqa: E402

# what people who are strict with their own code turn on: a header of somebody else's must not stop them
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wundef", "-pedantic", "-Werror", "-fsyntax-only"]
STANDARDS = {"c99": "c", "c11": "c", "c++11": "c++"}
COMPILERS = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}


def compile_text(compiler, language, standard, include, text):
    command = [compiler, f"-std={standard}", *WARNINGS, f"-I{include}", "-x", language, "-"]
    answer = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return answer.stderr.splitlines() if answer.returncode else []


def main(root):
    tap = Tap()
    include = os.path.join(root, "include")
    for header in sorted(os.listdir(os.path.join(include, "perfpred"))):
        text = f"#include <perfpred/{header}>\n#include <perfpred/{header}>\nextern int one;\n"
        for standard, language in STANDARDS.items():
            for compiler in COMPILERS[language]:
                name = f"{header} as {standard} with {compiler}"
                if shutil.which(compiler):
                    tap.case(name, compile_text(compiler, language, standard, include, text))
                else:
                    tap.skip(name, f"{compiler} is not installed")
    with open(os.path.join(root, "tests", "abi", "layout.c"), encoding="utf-8") as file:
        tap.case("layout of the public structs", compile_text("gcc", "c", "c11", include, file.read()))
    tap.finish()


main(sys.argv[1])
