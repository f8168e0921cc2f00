# SPDX-License-Identifier: BSD-3-Clause
"""perfpred plot: what is drawn, and what happens without gnuplot."""

import json
import os
import shutil
import xml.etree.ElementTree

from harness import COMMAND, expected_right_looking, folder, main, models, refuses, run

ALL = ("chol-l-1", "chol-l-2", "chol-l-3")


def target(name):
    return os.path.join(folder(), name)


def drawn(path):
    """The words of a picture; it has to be well-formed."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [" ".join("".join(text.itertext()).split()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def validation():
    """What validate would have saved, of a machine that is 3 % slower than predicted."""
    points = []
    for n in (256, 512, 768, 1000):
        for b in (64, 128):
            time = expected_right_looking(n, b)
            points.append({
                "name": "chol-l-3", "n": n, "b": b, "predicted_s": time, "measured_s": 1.03 * time, "are": 0.0291,
                "noise": 0.01, "flops": n * (n + 1) * (2 * n + 1) / 6,
                "measured_statistics_s": {"min": 1.02 * time, "max": 1.05 * time},
            })  # fmt: skip
    path = target("validation.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"points": points, "mean_are": 0.0291}, file)
    return path


def need_gnuplot():
    return None if shutil.which("gnuplot") else "no gnuplot"


def test_performance():
    """performance of three algorithms over n, with measured points"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("performance.svg")
    result = run("plot", "performance", ",".join(ALL), "-m", models(*ALL), "-n", "64:1024:32", "--measured",
                 validation(), "-o", path)
    assert result.code == 0 and result.err == "", result.err
    words = drawn(path)
    for word in ("Performance, block size 64", "size n", "Gflop/s", "chol-l-1 predicted", "chol-l-3 measured"):
        assert word in words, words
    assert "chol-l-1 measured" not in words
    return None


def test_block_size():
    """run time over the block size, with its best one marked"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("block-size.svg")
    result = run("plot", "block-size", "chol-l-3", "-m", models(*ALL), "n=1000", "--measured", validation(), "-o",
                 path, "--json")
    assert result.json() == {"file": path, "picture": "block-size", "status": "inside", "notes": []}
    words = drawn(path)
    best = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--json").json()["b"]
    assert any(word.startswith(f"best: b={best},") for word in words), words
    assert "Run time of chol-l-3, n=1000" in words and "measured" in words
    return None


def test_marks():
    """a picture of forced or extrapolated predictions says so in its title"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("marked.svg")
    sizes = ("-n", "512:2048:512", "--extrapolate", "-o", path)
    result = run("plot", "performance", "chol-l-3", "-m", models(*ALL), *sizes)
    assert result.code == 0 and result.out == f"{path}\nstatus extrapolated\n", result.out
    assert "Performance, block size 64 (extrapolated)" in drawn(path), drawn(path)
    result = run("plot", "block-size", "chol-l-3", "-m", models(*ALL), "n=2048", "--extrapolate", "-o", path, "--json")
    assert result.json()["notes"] == ["extrapolated"]
    assert "Run time of chol-l-3, n=2048 (extrapolated)" in drawn(path), drawn(path)
    with open(models(*ALL), encoding="utf-8") as file:
        other = json.load(file)
    other["machine"]["cpu"] = "Abacus 2000"
    for setup in other.get("setups", [other.get("setup")]):
        setup["clock"] = "tsc"
    with open(target("other.json"), "w", encoding="utf-8") as file:
        json.dump(other, file)
    result = run("plot", "performance", "chol-l-3", "-m", target("other.json"), *sizes, "--force")
    assert result.out.endswith("\nstatus forced, other machine, extrapolated\n"), (result.out, result.err)
    assert "Performance, block size 64 (forced, other machine, extrapolated)" in drawn(path), drawn(path)
    with open(validation(), encoding="utf-8") as file:
        saved = json.load(file)
    saved["notes"] = ["forced"]
    with open(target("forced.json"), "w", encoding="utf-8") as file:
        json.dump(saved, file)
    assert run("plot", "error", "--measured", target("forced.json"), "-o", path).code == 0
    assert "Error of the prediction (forced)" in drawn(path), drawn(path)
    return None


def test_error():
    """errors of a saved validation over n"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("error.svg")
    assert run("plot", "error", "--measured", validation(), "-o", path).code == 0
    assert "absolute relative error in %" in drawn(path)
    return None


def test_permissions():
    """a picture has the usual permissions, and replaces an older one"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("twice.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    assert run("plot", "error", "--measured", validation(), "-o", path).code == 0
    mask = os.umask(0)
    os.umask(mask)
    assert os.stat(path).st_mode & 0o777 == 0o666 & ~mask
    drawn(path)
    return None


def test_without_gnuplot():
    """without gnuplot: one line that says so, and nothing is written"""
    path = target("never.svg")
    result = run("plot", "error", "--measured", validation(), "-o", path, env={**os.environ, "PATH": folder()})
    assert result.code == 1 and "gnuplot is not installed" in result.err and result.err.count("\n") == 1
    assert not os.path.exists(path) and not [f for f in os.listdir(folder()) if f.startswith("never.svg")]
    assert os.path.isabs(COMMAND)


def test_failing_gnuplot():
    """a gnuplot that fails: its first line is passed on, the old picture stays"""
    programs = target("programs")
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "gnuplot"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho '' >&2\necho 'line 7: no such terminal' >&2\nexit 3\n")
    os.chmod(file.name, 0o755)
    path = target("kept.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    env = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    result = run("plot", "error", "--measured", validation(), "-o", path, env=env)
    assert result.code == 1 and "no such terminal" in result.err and result.err.count("\n") == 1, result.err
    with open(path, encoding="utf-8") as file:
        assert file.read() == "old"


def test_interrupt():
    """a signal while gnuplot draws: no temporary file is left, the old picture stays"""
    programs = target("interrupting")
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "gnuplot"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nkill -TERM "$PPID"\ncat > /dev/null\n')
    os.chmod(file.name, 0o755)
    path = target("interrupted.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    env = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    result = run("plot", "error", "--measured", validation(), "-o", path, env=env)
    assert result.code == -15 and "interrupted.svg is not written" in result.err, result
    assert [f for f in os.listdir(folder()) if f.startswith("interrupted.svg")] == ["interrupted.svg"]
    with open(path, encoding="utf-8") as file:
        assert file.read() == "old"


def test_targets():
    """targets that cannot be written"""
    measured = validation()
    refuses(1, "plot", "error", "--measured", measured, "-o", target("absent/x.svg"), naming=["absent/x.svg"])
    refuses(1, "plot", "error", "--measured", measured, "-o", folder(), naming=["not a regular file"])


def test_bad_validations():
    """files that are no saved validation"""
    path = target("bad.json")
    for text in ("", "{}", '{"points": []}', '{"points": [{"name": "x"}]}', "[1]", '{"points": [3]}', '{"points": 3}'):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        refuses(1, "plot", "error", "--measured", path, "-o", target("x.svg"), naming=["bad.json"])
    refuses(1, "plot", "performance", "chol-l-3", "-m", models(*ALL), "-n", "64:128:64", "-b", "32", "--measured",
            validation(), "-o", target("x.svg"), naming=["b=32"])
    assert not os.path.exists(target("x.svg"))


def test_wrong_picture():
    """wrong pictures and ranges"""
    refuses(2, "plot", "performnce", "-o", "x.svg", naming=["'performnce'", "did you mean 'performance'"])
    here = ["chol-l-3", "-m", models(*ALL), "-o", target("x.svg")]
    refuses(2, "plot", "performance", *here, naming=["-n"])
    refuses(2, "plot", "performance", *here, "-n", "64:1024:64", "-b", "32:64", naming=["-b"])
    refuses(1, "plot", "performance", *here, "-n", "64:100000:64")
    refuses(2, "plot", "block-size", *here, naming=["'n'"])
    refuses(1, "plot", "block-size", *here, "n=1000000")


main(globals())
