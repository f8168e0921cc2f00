# SPDX-License-Identifier: BSD-3-Clause
"""What nobody can mean, to the subcommands that answer from models: one line that says what is wrong, and nothing else."""

import os

from harness import folder, main, models, run

MODELS = models("chol-l-1", "chol-l-2", "chol-l-3")
NAME = {"predict": "chol-l-3", "rank": "chol-l", "tune": "chol-l-3", "validate": "chol-l-3"}
NOWHERE = ("--worker", "/nonexistent")  # nothing here is to get as far as measuring


def point(command, n="n=1000"):
    return {"validate": ("-n", "64:128:64", *NOWHERE), "tune": (n,)}.get(command, (n, "b=128"))


def hopeless(*words, naming=""):
    """No answer, no half of one, one line that ends."""
    result = run(*words)
    shown = [str(word)[:60] for word in words]
    assert result.code in (1, 2), (shown, result.code, result.err)
    assert result.out == "", (shown, result.out[:200])
    assert result.err.startswith("perfpred: ") and result.err.count("\n") == 1, (shown, result.err)
    assert len(result.err) < 1100 and naming in result.err, (shown, result.err)


def write(name, content):
    path = os.path.join(folder(), name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def everywhere(words, naming):
    """Each of the words behind a good command line."""
    for command, name in NAME.items():
        for word in words:
            word = word if isinstance(word, (list, tuple)) else (word,)
            hopeless(command, name, "-m", MODELS, *point(command), *word, naming=naming(word[0]))


def test_names():
    """names of algorithms that are none"""
    for name in ("", "x", "chol-l-9", "CHOL-L-3", "chol-l-3,", ",", "chol-l-3,,chol-l-1", "../chol", "\u00e9", "a" * 5000, "dtrsm", "-",
                 "dgemm(N,N)", "chol-l-3 ", "chol-l-3,dgetrf,sylv", "%s%n", "\n", "chol-l-3;chol-l-1"):
        for command in NAME:
            hopeless(command, name, "-m", MODELS, *point(command))


def test_sizes():
    """values of parameters that are none"""
    for value in ("0", "-1", "4611686018427387904", "1e9", "1000000000", "nan", "NaN", "inf", "", "5=6", "0x10", "1.5", " 1", "1 ",
                  "99999999999999999999", "9223372036854775807", "-9223372036854775808", "2147483648", "2000", "9" * 300, "1,2",
                  "8:64", "1000;", "\u0661"):
        for command in ("predict", "rank", "tune"):
            hopeless(command, NAME[command], "-m", MODELS, *point(command, f"n={value}"))
        hopeless("predict", NAME["predict"], "-m", MODELS, "n=1000", f"b={value}")


def test_parameters():
    """parameters that are none, missing ones, and two values of one"""
    for word in ("N=5", "m=5", "=5", "n", " n=5", "n =5", "x" * 70 + "=3", "nn=8"):
        for command in ("predict", "rank", "tune"):
            hopeless(command, NAME[command], "-m", MODELS, *point(command, word))
            hopeless(command, NAME[command], "-m", MODELS, *point(command), word)
    everywhere(("n=5", "n=1000", "m=1"), naming=lambda word: word[0])
    for command in ("predict", "rank", "tune"):
        hopeless(command, NAME[command], "-m", MODELS, "b=8", naming="b" if command == "tune" else "n=VALUE")
        hopeless(command, NAME[command], "-m", MODELS, naming="n=VALUE")


def test_files():
    """model files that are none"""
    with open(MODELS, "rb") as file:
        good = file.read()
    contents = {"empty": b"", "half": good[: len(good) // 2], "binary": bytes(range(256)) * 8, "zeros": bytes(100), "list": b"[]",
                "journal": b'{"format": "perfpred-journal", "version": 1}\n', "deep": b"[" * 100000, "elf": b"\x7fELF\x02\x01\x01",
                "twice": good + good, "latin": b'{"format": "\xe9"}'}
    paths = [write(name, content) for name, content in contents.items()]
    paths += ["", "/dev/null", folder(), os.path.join(folder(), "absent"), "/proc/self/mem"]
    if os.geteuid() != 0:
        paths.append(write("closed", good))
        os.chmod(paths[-1], 0)
    for command, name in NAME.items():
        for path in paths:
            hopeless(command, name, "-m", path, *point(command), naming=path[:200])
        hopeless(command, name, *point(command), naming="-m FILE")
        hopeless(command, name, "-m", "x" * 5000, *point(command), naming="x: cannot be read: File name too long")


def test_options():
    """options that are none, and values that they cannot have"""
    bad = write("nonsense.txt", b"nonsense")
    everywhere([("--threads", "0"), ("--threads", "x"), ("--threads", "5000"), ("--setup", "9"), ("--setup", "0"), ("--setup", "-1"),
                ("--setup", "1e9"), ("--ld", "0"), ("--ld", "-8"), ("--ld", "1e9"), ("--ld", "2147483648"), ("--blas", ""),
                ("--models", "x"), ("--models", ""), ("--models", "context"), ("--nonsense",), ("-x",), ("-m", MODELS),
                ("--set", "grid=1"), ("-o", "x"), ("--extrapolate=1",), ("--budget", "nan"), ("--reps", "0"), ("--gate", "nan")],
               naming=lambda word: "" if word in ("--setup", "--models") else word.split("=")[0])
    everywhere([("-f", "/nonexistent"), ("-f", folder()), ("-f", ""), ("-f", bad), ("--json", "--json=1")], naming=lambda word: "")
    for path in ("/nonexistent", folder(), MODELS, bad, write("object.json", b"{}"), ""):
        hopeless("rank", NAME["rank"], "-m", MODELS, *point("rank"), "--measured", path, naming=path)
    hopeless("rank", NAME["rank"], "-m", MODELS, *point("rank"), "--measured", folder(), naming="Is a directory")


def test_ranges():
    """ranges that are none"""
    wrong = ("8:4", "0:8", "8:64:0", "8:64:-8", "64:8:8", "8:1e9", "2147483648", "", "x", ":", "8:64:8:8", "-8:8", "nan",
             "1:99999999999", "8:64:99999999999", "5000", "2147483647", "1:65537:1", "1:2147483647:1")
    for value in wrong:
        hopeless("tune", NAME["tune"], "-m", MODELS, "n=1000", "-b", value)
        hopeless("validate", NAME["validate"], "-m", MODELS, *NOWHERE, "-n", "64:128:64", "-b", value)
        hopeless("validate", NAME["validate"], "-m", MODELS, *NOWHERE, "-n", value)
    hopeless("tune", NAME["tune"], "-m", MODELS, "n=1000", "-b", "300:400:8", naming="domain")
    hopeless("validate", NAME["validate"], "-m", MODELS, *NOWHERE, "-n", "8:64", naming="LO:HI:STEP")


main(globals())
