# SPDX-License-Identifier: BSD-3-Clause
"""Real programs under the override: same results, and the block sizes of the table in use. For scripts/test --long."""

import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "command"))
from harness import COMMAND, main  # noqa: E402
from tables import Routine, table  # noqa: E402

TRACE = os.environ["ILAENV_TRACE"]
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

    def __init__(self, listed):
        self.folder = tempfile.TemporaryDirectory(prefix="perfpred-clients-")
        self.table, self.log, self.trace = (os.path.join(self.folder.name, name) for name in ("table", "log", "trace"))
        with open(self.table, "wb") as file:
            file.write(table(sorted(listed, key=lambda routine: routine.name)))

    def run(self, command, tabled, options=(), input="", **more):
        environ = dict(os.environ, PERFPRED_TABLE=self.table if tabled else "", OMP_NUM_THREADS="1", **more)
        done = subprocess.run([COMMAND, "run", *options, "--", *command], env=environ, input=input, capture_output=True,
                              text=True, timeout=1200, check=False)
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


def check(command, asked, options=()):
    """Results under the table are those without it, and the routines that were asked use the table's block sizes."""
    place = Place(routines())
    plain = values(place.run(command, False, options))
    compare(plain, values(place.run(command, True, options, PERFPRED_ILAENV_LOG=place.log)))
    with open(place.log, encoding="ascii") as file:
        decided = {line.split()[1] for line in file if line.endswith(" table\n")}
    assert decided >= set(asked), f"not asked: {set(asked) - decided}"
    # what a program loads for itself alone is not seen by a trace; preloaded, it is
    traced = {"LD_PRELOAD": TRACE, "PERFPRED_TRACE": place.trace}
    compare(plain, values(place.run(command, True, ("--preload-libraries",), **traced)))
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
    check(["Rscript", "--vanilla", os.path.join(HERE, "client.R")], ["DPOTRF", "DGETRF", "DGEBRD", "DORMQR"],
          ("--preload-libraries",))
    return None


def test_numpy():
    """numpy: cholesky, solve, qr, svd, eigh, lstsq"""
    if not found("/usr/bin/python3", "-c", "import numpy"):
        return "numpy is not installed"
    check(["/usr/bin/python3", os.path.join(HERE, "client_numpy.py")],
          ["DPOTRF", "DGETRF", "DGEQRF", "DORGQR", "DGEBRD", "DSYTRD"])
    return None


def test_scipy():
    """scipy: cho_factor, lu, lstsq by DGELSY, eigh, inv"""
    if not found("/usr/bin/python3", "-c", "import scipy.linalg"):
        return "scipy is not installed"
    check(["/usr/bin/python3", os.path.join(HERE, "client_scipy.py")],
          ["DPOTRF", "DGETRF", "DGETRI", "DORMQR", "DSYTRD", "DGEHRD"])
    return None


# --- LAPACK's own tests: small matrices, so that small blocks and early crossovers are what makes them blocked ---

SUITE = next(iter(glob.glob("/usr/lib/*/lapack/xlintstd")), "")
ORTHOGONAL = {"s": "OR", "d": "OR", "c": "UN", "z": "UN"}
# without xSYTRF: the programs size the workspace of SSYTRI2 and ZHETRI2, which ask as it does, by blocks of their own
SMALL = {
    "GEBRD": ("min12", 3, 2), "GEHRD": ("n1", 4, 1), "GELQF": ("min12", 3, 1), "GEQLF": ("min12", 5, 1),
    "GEQRF": ("min12", 6, 1), "GERQF": ("min12", 4, 1), "GETRF": ("min12", 7, None), "GETRI": ("n1", 5, None),
    "*GLQ": ("n2", 3, 1), "*GQL": ("n2", 3, 1), "*GQR": ("n2", 5, 1), "*GRQ": ("n2", 3, 1), "*MLQ": ("max123", 7, None),
    "*MQL": ("max123", 7, None), "*MQR": ("max123", 5, None), "*MRQ": ("max123", 3, None), "POTRF": ("n1", 5, None),
    "TRTRI": ("n1", 7, None), "LAUUM": ("n1", 3, None), "SYTRD": ("n1", 3, 2), "HETRD": ("n1", 3, 2),
    "SYGST": ("n1", 4, None), "HEGST": ("n1", 4, None),
}
EIGENVALUES = "nep sep se2 svd {}ec {}ed {}gg {}gd {}sb {}sg {}bb {}bal {}bak {}gbal {}gbak glm gqr gsv lse".split()


def small_routines(letter):
    for name, (size, block, crossover) in SMALL.items():
        name = letter.upper() + name.replace("*", ORTHOGONAL[letter])
        yield Routine(name, size, [(None, block, 0, crossover)])


def verdict(line):
    """One line without its numbers. Of thousands of tests a few miss their threshold by little, with LAPACK's block sizes, too."""
    failed = re.match(r"\s*(\w+)\b.*:\s*(\d+) out of\s+(\d+) tests failed", line)
    if failed and 1000 * int(failed[2]) <= int(failed[3]):
        return f"{failed[1]} passed the threshold"
    passed = re.match(r"\s*All tests for (\w+) .*passed the threshold", line)
    return f"{passed[1]} passed the threshold" if passed else re.sub(r"[-+.\d]+", "#", line).strip()


def verdicts(text):
    """What a program says of its tests."""
    lines = [verdict(line) for line in text.splitlines()]
    return [line for line in lines if re.search("pass|fail|error|illegal|INFO", line, re.I)]


def suite(program, inputs, letter):
    """A test program as it is, which answers ILAENV itself, and a copy without that function, for which the override answers.
    Some tests of error exits expect the block sizes of the former, so that the copy is compared with itself without a table."""
    folder = os.path.dirname(SUITE)
    with open(os.path.join(folder, program), "rb") as file:
        image = file.read()
    assert image.count(b"\0ilaenv_\0") == 1, "the program has no ILAENV of its own"

    def read(name):
        with open(os.path.join(folder, name + ".in"), encoding="ascii") as file:
            return file.read()

    place = Place(small_routines(letter))
    copy = os.path.join(place.folder.name, program)
    with open(copy, "wb") as file:
        file.write(image.replace(b"\0ilaenv_\0", b"\0ilaenw_\0"))
    os.chmod(copy, 0o755)
    decided = set()
    place.run([os.path.join(folder, program)], True, input=read(inputs[0]), PERFPRED_ILAENV_LOG=place.log)
    assert not os.path.exists(place.log), "the override was asked before the program's own ILAENV"
    for name in inputs:
        stock = place.run([copy], False, input=read(name))
        tabled = verdicts(place.run([copy], True, input=read(name), PERFPRED_ILAENV_LOG=place.log))
        assert verdicts(stock) == tabled, (name, list(set(verdicts(stock)) ^ set(tabled))[:5])
        assert re.search("passed|End of tests", stock), name
        if os.path.exists(place.log):
            with open(place.log, encoding="ascii") as file:
                decided |= {line.split()[1][1:] for line in file if line.endswith(" table\n")}
            os.unlink(place.log)
    return decided


def check_linear(letter):
    if not SUITE:
        return "liblapack-test is not installed"
    decided = suite(f"xlintst{letter}", [f"{letter}test"], letter)
    assert decided >= {"GETRF", "POTRF", "GEQRF", "GETRI", "TRTRI", "LAUUM"}, decided
    return None


def check_eigenvalues(letter):
    if not SUITE:
        return "liblapack-test is not installed"
    inputs = [name.format(letter) for name in EIGENVALUES]
    decided = suite(f"xeigtst{letter}", inputs, letter)
    assert decided >= {"GEHRD", "GEBRD", "GEQRF", f"{ORTHOGONAL[letter]}MQR"}, decided
    return None


def test_linear_s():
    """LAPACK's tests of linear equations, single precision"""
    return check_linear("s")


def test_linear_d():
    """LAPACK's tests of linear equations, double precision"""
    return check_linear("d")


def test_linear_c():
    """LAPACK's tests of linear equations, complex"""
    return check_linear("c")


def test_linear_z():
    """LAPACK's tests of linear equations, double complex"""
    return check_linear("z")


def test_eigenvalues_s():
    """LAPACK's tests of eigenvalues and singular values, single precision"""
    return check_eigenvalues("s")


def test_eigenvalues_d():
    """LAPACK's tests of eigenvalues and singular values, double precision"""
    return check_eigenvalues("d")


def test_eigenvalues_c():
    """LAPACK's tests of eigenvalues and singular values, complex"""
    return check_eigenvalues("c")


def test_eigenvalues_z():
    """LAPACK's tests of eigenvalues and singular values, double complex"""
    return check_eigenvalues("z")


if os.environ.get("ILAENV_CLIENTS"):
    main(globals())
else:
    print("1..0 # SKIP real programs run under scripts/test --long (ILAENV_CLIENTS)")
