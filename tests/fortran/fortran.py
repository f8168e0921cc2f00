# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran binding: compiled as strict Fortran 2008 without a warning, linked with the library and run.

fortran.py ROOT LIBRARY_FOLDER CC..."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[1], "tests", "lint"))
from tap import Tap  # noqa: E402

FLAGS = ["-std=f2008", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-fimplicit-none", "-g"]


def run(command, folder):
    """Complaints about the command, and what it wrote."""
    env = {**os.environ, "TMPDIR": folder}
    answer = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if answer.returncode:
        return [" ".join(command), *answer.stdout.splitlines(), *answer.stderr.splitlines()], answer.stdout
    return [], answer.stdout


def build(root, library, compiler, folder):
    """Complaints about compiling and linking, name by name."""
    here = os.path.join(root, "tests", "fortran")
    common = os.path.join(root, "tests", "common")
    headers = [f"-I{os.path.join(root, 'include')}", f"-I{common}"]
    for source in (os.path.join(here, "reference.c"), os.path.join(common, "clockwork.c")):
        yield os.path.basename(source), [*compiler, "-std=c11", "-D_GNU_SOURCE", *headers, "-c", source]
    yield "the module", ["gfortran", *FLAGS, "-c", os.path.join(root, "bindings", "fortran", "perfpred.f90")]
    yield "a program that uses it", ["gfortran", *FLAGS, "-c", os.path.join(here, "use.f90")]
    objects = ["use.o", "perfpred.o", "reference.o", "clockwork.o"]
    yield "link", ["gfortran", *objects, f"-L{library}", f"-Wl,-rpath,{library}", "-lperfpred", "-lm", "-o", "use"]


def main(root, library, *compiler):
    tap = Tap()
    if not shutil.which("gfortran"):
        tap.skip("the Fortran binding", "gfortran is not installed")
        tap.finish()
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, command in build(root, library, compiler, folder):
            complaints, _ = run(command, folder)
            tap.case(name, complaints)
            if complaints:
                tap.finish()
        complaints, text = run([os.path.join(folder, "use"), os.path.join(folder, "models.json")], folder)
        lines = text.splitlines()
        for line in lines:
            if " - " in line:
                tap.case(line.split(" - ", 1)[1], [] if line.startswith("ok") else [line])
        whole = bool(lines) and lines[-1].startswith("1..")
        tap.case("the program ran to its end", complaints if complaints or whole else ["it broke off"])
    tap.finish()


main(*sys.argv[1:])
