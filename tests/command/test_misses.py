# SPDX-License-Identifier: BSD-3-Clause
"""perfpred misses: nests, C files and algorithms against numbers that are known, and what is refused."""

import csv
import json
import os

try:
    import jsonschema
except ImportError:
    jsonschema = None

from harness import ROOT, folder, main, refuses, run

AFFINE = os.path.join(ROOT, "tests", "affine")
NESTS = os.path.join(AFFINE, "polybench.nests")
KERNELS = os.path.join(AFFINE, "kernels.c")
with open(os.path.join(ROOT, "doc", "misses.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)


def report(*words):
    """A report, checked against its form; what is said twice in it agrees."""
    made = run("misses", "--json", *words).json()
    if jsonschema:
        jsonschema.Draft7Validator(SCHEMA).validate(made)
    for parts in [made["statements"], made["references"]] + ([made["calls"]] if "calls" in made else []):
        for key in ("accesses", "compulsory"):
            assert sum(part[key] for part in parts) == made[key], key
        for place, level in enumerate(made["levels"]):
            assert sum(part["capacity"][place] for part in parts) == level["capacity"]
    for call in made.get("calls", []):
        assert sum(operand["accesses"] for operand in call["operands"]) == call["accesses"]
    return made


def counts(made):
    return made["accesses"], made["compulsory"], [level["capacity"] for level in made["levels"]]


def write(name, text):
    path = os.path.join(folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def nest(name, *words):
    return report("-f", NESTS, name, *words)


def known(kernel, size):
    """Accesses, first touches and misses in caches of 4 and 32 KiB, as others counted them."""
    with open(os.path.join(AFFINE, "lru_misses_more_caches.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kernel"] == kernel and row["size"] == size]
    found = {int(row["cache_bytes"]): row for row in rows}
    some = found[4096]
    return int(some["accesses"]), int(some["compulsory"]), [int(found[size]["capacity"]) for size in (4096, 32768)]


def test_known_numbers():
    """nests of the text form, simulated and analysed"""
    for engine in ("simulate", "auto"):
        made = nest("gemm", "ni=60", "nj=70", "nk=80", "--cache", "4K,32K", "--engine", engine)
        assert counts(made) == known("gemm", "SMALL") and made["exact"] and not made["may"]
        made = nest("trisolv", "n=120", "--cache", "4096,32K", "--engine", engine)
        assert counts(made) == known("trisolv", "SMALL")


def same(region, name, *words, options=(), parameters=None):
    """A region of the C file counts as the nest does."""
    caches = ("--cache", "1K,4K,32K")
    read = report(KERNELS, "--region", region, *caches, *options, *(words if parameters is None else parameters))
    written = nest(name, *caches, *words)
    assert counts(read) == counts(written), (name, counts(read), counts(written))
    assert read["may"] == written["may"]
    return read


def test_c():
    """C with macros, includes, parameters and constants"""
    first = same(1, "cholesky", "n=40", parameters=())
    assert first["parameters"] == {} and first["name"] == "cholesky"
    assert counts(report(KERNELS, "--region", 1, "--cache", "4K,32K")) == known("cholesky", "MINI")
    assert first["statements"][0]["line"] == 16
    same(1, "cholesky", "n=33", options=("-DN=33",), parameters=())
    same(1, "cholesky", "n=30", options=("-D", "SIZES_ARE_PARAMETERS", "-DN=30"), parameters=("n=30",))
    same(2, "jacobi-2d", "tsteps=3", "n=30")
    assert same(3, "nussinov", "n=40")["may"]
    same(4, "durbin", "n=60")
    same(5, "gemm-tiled", "ni=20", "nj=25", "nk=30")


def test_steps_downwards():
    """a loop downwards by three, over a matrix that the C file has as a vector"""
    made = report(KERNELS, "--region", 6, "n=26", "--cache", "64K")
    inner = len(range(24, 0, -3))
    assert made["accesses"] == 24 * inner * 3
    touched = {("u", (26 * i + j + d) // 8) for i in range(1, 25) for j in range(24, 0, -3) for d in (0, 1)}
    touched |= {("p", (26 * i + j) // 8) for i in range(1, 25) for j in range(24, 0, -3)}
    assert made["compulsory"] == len(touched)


def test_preprocessed():
    """a file that ends in .i is taken as it is"""
    path = write("done.i", '# 7 "other.c"\ndouble x[16];\n#pragma scop\nfor (int i = 0; i < n; i++)\n  x[i] += 1;\n#pragma endscop\n')
    made = report(path, "n=16")
    assert made["accesses"] == 32 and made["compulsory"] == 2 and made["statements"][0]["line"] == 10


def test_algorithm():
    """an algorithm's calls, by operands"""
    made = report("chol-l-3", "n=32", "b=8", "--cache", "8K")
    assert [call["kernel"] for call in made["calls"]] == ["dpotrf2", "dtrsm", "dsyrk"]
    assert made["compulsory"] == 80 and made["levels"][0]["capacity"] == 0
    assert [operand["argument"] for operand in made["calls"][1]["operands"]] == ["a", "b"]
    assert made["kind"] == "algorithm" and made["parameters"] == {"n": 32, "b": 8}


def test_pieces_and_curve():
    """the parts of the analysis add up; the curve falls from all to first touches"""
    made = nest("trisolv", "n=100", "--curve", "--pieces")
    if made["engine"] == "analytic":
        references = {reference["site"]: reference for reference in made["references"]}
        for site, reference in references.items():
            pieces = sum(piece["accesses"] for piece in made["pieces"] if piece["site"] == site)
            assert pieces == reference["accesses"]
    values = [point["misses"] for point in made["curve"]]
    assert values == sorted(values, reverse=True) and values[-1] == made["compulsory"]
    assert made["curve"][0]["bytes"] == 64


def test_table():
    """for people"""
    text = run("misses", "-f", NESTS, "nussinov", "n=30", "--curve").out
    assert text.startswith("nussinov: ") and "32.0 KiB" in text and "Conditions that depend on data" in text
    assert "may" not in text.split("Conditions")[0].replace("may ", "")
    text = run("misses", "chol-l-3", "n=40", "b=10").out
    assert "dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i + w, i])" in text


def test_refusals():
    """one line that names the thing"""
    wrong = write("wrong.c", "double x[9];\nvoid f(int n) {\n#pragma scop\n  for (int i = 0; i < n; i++)\n    x[i * i] = 1;\n#pragma endscop\n}\n")
    refuses(1, "misses", wrong, "n=3", naming=["wrong.c:5:7", "i * i", "a product of counters"])
    refuses(1, "misses", write("none.c", "int x;\n"), naming=["none.c", "no region"])
    refuses(1, "misses", write("open.c", "#pragma scop\n"), naming=["open.c:1:", "endscop"])
    refuses(1, "misses", write("broken.c", '#include "nowhere.h"\n'), naming=["nowhere.h"])
    refuses(1, "misses", "/nowhere/x.c", naming=["/nowhere/x.c"])
    refuses(1, "misses", KERNELS, "--cc", "/nowhere/cc", naming=["/nowhere/cc"])
    refuses(1, "misses", KERNELS, naming=["kernels.c", "a second region of 6"])
    refuses(1, "misses", KERNELS, "--region", 7, naming=["found 6 regions"])
    refuses(2, "misses", "chol-l-3", "-DN=3", naming=["-D, -I and --cc are for C"])
    refuses(2, "misses", "chol-l-3", "--region", 2, naming=["--region is for C"])
    refuses(2, "misses", KERNELS, "--region", 2, "tsteps=3", naming=["'n'"])
    refuses(1, "misses", "nothing-like-it", naming=["nothing-like-it"])
    refuses(1, "misses", NESTS, naming=["expected one algorithm or nest"])
    refuses(1, "misses", "dsytrf", "n=10", "b=2", naming=["dlasyf", "no reference"])
    refuses(2, "misses", "chol-l-3", "n=10", "b=2", "--engine", "magic", naming=["magic", "simulate"])
    refuses(2, "misses", "chol-l-3", "n=10", "b=2", "--cache", "4K,,", naming=["--cache", "4K,,"])
    refuses(1, "misses", "chol-l-3", "n=10", "b=2", "--cache", "32", naming=["at least a line of 64 bytes"])
    refuses(2, "misses", naming=["misses"])


main(globals())
