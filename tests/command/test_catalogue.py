# SPDX-License-Identifier: BSD-3-Clause
"""perfpred kernels, perfpred algorithms."""

import os

from harness import folder, main, refuses, run

BLAS3 = "gemm symm syrk syr2k trmm trsm".split()

OWN = """perfpred-text 1
kernel dtriple(n: size, x: inout vector[n])
  about x := 3 x
  mul n
end
algorithm thrice(n, b)
  operation tripling
  about three times as much
  inout x: double vector[n]
  for i in 0:n by b as w
    dtriple(w, x[i])
  end
end
"""


def own():
    path = os.path.join(folder(), "own.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(OWN)
    return path


def test_kernels():
    """kernels lists the BLAS of all four types"""
    lines = [line.split()[0] for line in run("kernels").out.splitlines()[1:]]
    for letter in "sdcz":
        for name in BLAS3:
            assert letter + name in lines, letter + name
    assert lines == sorted(lines)


def test_kernels_json():
    """kernels --json: name and operation of each, the same kernels"""
    kernels = run("kernels", "--json").json()["kernels"]
    assert len(kernels) == len(run("kernels").out.splitlines()) - 1
    assert all(set(kernel) == {"name", "operation", "counts"} for kernel in kernels)


def test_kernel_counts():
    """kernels says which counts are approximate, in text and JSON, and what a kernel demands of its sizes"""
    counts = {kernel["name"]: kernel["counts"] for kernel in run("kernels", "--json").json()["kernels"]}
    assert counts["dsyev"] == counts["zgesdd"] == counts["chetrf"] == "approximate"
    assert counts["dgemm"] == counts["zgetrf"] == counts["dgeqrf"] == "exact"
    assert "\n  count approximate\n" in run("kernels", "dgesvd").out
    assert "count approximate" not in run("kernels", "dgetrf").out
    assert "\n  require m >= n\n  require n >= k\n" in run("kernels", "zungqr").out


def test_kernel_text():
    """kernels NAME prints a text that -f reads back under another name"""
    text = run("kernels", "dtrsm").out
    assert "kernel dtrsm(" in text
    assert run("kernels", "dtrsm", "--json").json()["kernels"][0]["text"] == text
    path = os.path.join(folder(), "copy.txt")
    with open(path, "w", encoding="utf-8") as file:
        body = text.replace("kernel dtrsm(", "kernel dtrsx(")
        file.write(body if body.startswith("perfpred-text") else "perfpred-text 1\n" + body)
    copy = run("kernels", "-f", path, "dtrsx")
    assert copy.code == 0, copy.err
    assert copy.out == text.replace("kernel dtrsm(", "kernel dtrsx(")


def test_algorithms():
    """algorithms lists the three Cholesky decompositions with their operation"""
    found = run("algorithms", "--json").json()["algorithms"]
    chol = {a["name"] for a in found if a["operation"] == "chol-l"}
    assert chol == {"chol-l-1", "chol-l-2", "chol-l-3"}, chol
    one = [a for a in found if a["name"] == "chol-l-3"][0]
    assert one["parameters"] == ["n", "b"]
    assert "right-looking" in one["about"]


def test_algorithm_text():
    """algorithms NAME prints its text, an operation's name those of all"""
    text = run("algorithms", "chol-l-3").out
    for word in ("algorithm chol-l-3(n, b)", "dpotrf2(", "dtrsm(R, L, T, N", "dsyrk("):
        assert word in text, word
    texts = run("algorithms", "chol-l").out
    assert texts.count("algorithm chol-l-") == 3
    path = os.path.join(folder(), "copies.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(texts.replace("algorithm chol-l-", "algorithm copy-l-"))
    assert run("algorithms", "-f", path, "copy-l-2").code == 0


def test_own_texts():
    """-f adds kernels and algorithms"""
    path = own()
    assert "dtriple" in run("kernels", "-f", path).out
    assert "tripling" in run("algorithms", "-f", path).out
    assert run("kernels").out.count("dtriple") == 0


def test_wrong_names():
    """wrong names are named, with the one that was meant"""
    refuses(1, "kernels", "dtrsn", naming=["'dtrsn'", "did you mean '"])
    refuses(1, "algorithms", "chol-l-33", naming=["'chol-l-33'", "did you mean 'chol-l-3'"])
    refuses(1, "algorithms", "zebra", naming=["'zebra'"])


def test_wrong_texts():
    """a text with an error is refused with file, line and column"""
    path = os.path.join(folder(), "wrong.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("perfpred-text 1\nalgorithm a(n)\n  dnothing(n)\nend\n")
    refuses(1, "algorithms", "-f", path, naming=[path, ":3:"])
    refuses(1, "algorithms", "-f", os.path.join(folder(), "absent.txt"), naming=["absent.txt"])
    with open(path, "w", encoding="utf-8") as file:
        file.write("")
    refuses(1, "algorithms", "-f", path, naming=[path])


main(globals())
