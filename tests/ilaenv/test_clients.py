# SPDX-License-Identifier: BSD-3-Clause
"""Real programs under the override: same results, and the block sizes of the table in use. For scripts/test --long."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "command"))
from harness import COMMAND, main  # noqa: E402
from tables import Routine, table  # noqa: E402

OVERRIDE, TRACE = os.environ["PERFPRED_OVERRIDE"], os.environ["ILAENV_TRACE"]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients")
BLOCKS = {
    "DGEBRD": 20, "DGEHRD": 28, "DGELQF": 12, "DGEQRF": 40, "DGETRF": 56, "DGETRI": 88, "DORGLQ": 16, "DORGQR": 36,
    "DORMLQ": 44, "DORMQL": 52, "DORMQR": 48, "DPOTRF": 72, "DSYTRD": 24, "DTRTRI": 80,
}
CROSSOVERS = {"DGEBRD": 30, "DGEHRD": 30, "DGELQF": 44, "DGEQRF": 44, "DORGLQ": 44, "DORGQR": 44, "DSYTRD": 30}
SIZES = {"DPOTRF": "n1", "DGETRF": "min12", "DORMQR": "max123", "DORMLQ": "max123", "DORMQL": "max123"}
# where a routine's block size shows: in the argument of this place of this kernel inside of it
SHOWN = {
    "DPOTRF": ("dpotrf2", 1), "DGETRF": ("dgetrf2", 1), "DGEQRF": ("dlarfb", 6), "DGELQF": ("dlarfb", 6),
    "DORGQR": ("dlarfb", 6), "DORGLQ": ("dlarfb", 6), "DORMQR": ("dlarfb", 6), "DORMLQ": ("dlarfb", 6),
    "DORMQL": ("dlarfb", 6), "DSYTRD": ("dlatrd", 2), "DGEBRD": ("dlabrd", 2), "DGEHRD": ("dlahr2", 2),
    "DTRTRI": ("dtrti2", 2),
}


def routines():
    for name, block in BLOCKS.items():
        more = (2, CROSSOVERS[name]) if name in CROSSOVERS else ()
        yield Routine(name, SIZES.get(name, "n1"), [(None, block, *more)])


class Place:
    """A folder with a table, a log and a trace."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="perfpred-clients-")
        self.table, self.log, self.trace = (os.path.join(self.folder.name, name) for name in ("table", "log", "trace"))
        with open(self.table, "wb") as file:
            file.write(table(list(routines())))

    def run(self, command, tabled, preload=(), **more):
        environ = dict(os.environ, PERFPRED_TABLE=self.table if tabled else "", OMP_NUM_THREADS="1", **more)
        words = ["env", "LD_PRELOAD=" + ":".join(preload)] if preload else []
        done = subprocess.run([COMMAND, "run", "--", *words, *command], env=environ, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600, check=False)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-500:]}"
        return done.stdout


def values(text):
    found = {name: float(value) for name, value in re.findall(r"^(\w+) ([-+.\deE]+)$", text, re.M)}
    assert found, f"no values: {text[:300]!r}"
    return found


def compare(one, other):
    assert one.keys() == other.keys(), (one, other)
    for name, value in one.items():
        assert abs(value - other[name]) <= 1e-8 * max(1.0, abs(value)), (name, value, other[name])


def used(path):
    """Sizes of blocks by the routine that used them."""
    stack, found = [], {}
    with open(path, encoding="ascii") as file:
        for line in file:
            depth, name, words = re.match(r"(\d+) (\w+)\((.*)\)", line).groups()
            del stack[int(depth):]
            if stack:
                routine = stack[-1].upper()
                kernel, place = SHOWN.get(routine, (None, 0))
                if kernel == name:
                    found.setdefault(routine, set()).add(int(words.split(", ")[place]))
            stack.append(name)
    return found


def check(command, asked, libraries=()):
    """Results under the table are those without it, and the routines that were asked use the table's block sizes."""
    place = Place()
    plain = values(place.run(command, False))
    compare(plain, values(place.run(command, True, PERFPRED_ILAENV_LOG=place.log)))
    with open(place.log, encoding="ascii") as file:
        decided = {line.split()[1] for line in file if line.endswith(" table\n")}
    assert decided >= set(asked), f"not asked: {set(asked) - decided}"
    compare(plain, values(place.run(command, True, (TRACE, OVERRIDE, *libraries), PERFPRED_TRACE=place.trace)))
    blocks = used(place.trace)
    for name in set(asked) & SHOWN.keys():
        assert max(blocks.get(name, {0})) == BLOCKS[name], (name, blocks.get(name), BLOCKS[name])


def found(*command):
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def test_octave():
    """Octave: chol, lu, qr, inv, eig, svd"""
    if not found("octave-cli", "--version"):
        return "octave is not installed"
    check(["octave-cli", "--norc", "--quiet", os.path.join(HERE, "client.m")],
          ["DPOTRF", "DGETRF", "DGEQRF", "DORGQR", "DGETRI", "DSYTRD", "DGEHRD", "DGEBRD"])
    return None


def test_r():
    """R: chol, qr, solve, svd"""
    if not found("Rscript", "--version"):
        return "R is not installed"
    check(["Rscript", "--vanilla", os.path.join(HERE, "client.R")], ["DPOTRF", "DGETRF", "DGEQRF", "DGEBRD", "DORMQR"])
    return None


def test_numpy():
    """numpy: cholesky, solve, qr, svd, eigh, lstsq"""
    if not found("/usr/bin/python3", "-c", "import numpy"):
        return "numpy is not installed"
    # what it loads for itself alone is not seen by a trace; preloaded, it is
    check(["/usr/bin/python3", os.path.join(HERE, "client_numpy.py")],
          ["DPOTRF", "DGETRF", "DGEQRF", "DORGQR", "DGEBRD", "DSYTRD"], ("liblapack.so.3", "libblas.so.3"))
    return None


def test_scipy():
    """scipy: cho_factor, lu, lstsq by DGELSY, eigh, inv"""
    if not found("/usr/bin/python3", "-c", "import scipy.linalg"):
        return "scipy is not installed"
    check(["/usr/bin/python3", os.path.join(HERE, "client_scipy.py")],
          ["DPOTRF", "DGETRF", "DGETRI", "DORMQR", "DSYTRD", "DGEHRD"], ("liblapack.so.3", "libblas.so.3"))
    return None


if os.environ.get("ILAENV_CLIENTS"):
    main(globals())
else:
    print("1..0 # SKIP real programs run under scripts/test --long (ILAENV_CLIENTS)")
