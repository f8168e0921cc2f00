#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One file with models for several threads and libraries: which of them answers. Speaks TAP."""
import copy
import json
import os

from harness import close, folder, main, models, refuses, run

ALL = ("chol-l-1", "chol-l-2", "chol-l-3")
POINT = ("n=1000", "b=128")
# threads, family, build id, how much faster than what the made-up machine needs
SETUPS = [(1, "blis", "aaaaaa01", 1.0), (4, "blis", "aaaaaa01", 2.0), (1, "openblas", "bbbbbb02", 0.5)]
PATHS = {"blis": "/opt/blis/libblis.so.4", "openblas": "/opt/openblas/libopenblas.so.0"}
_file = []


def three():
    """A file with the models of the made-up machine three times over, each setup with its own times."""
    if _file:
        return _file[0]
    with open(models(*ALL), encoding="utf-8") as file:
        content = json.load(file)
    setup, originals = content["setups"][0], content["models"]
    content["setups"], content["models"] = [], []
    for place, (threads, family, build, speed) in enumerate(SETUPS):
        own = copy.deepcopy(setup)
        own["blas"].update(family=family, path=PATHS[family], build_id=build)
        own["threads"] = threads
        content["setups"].append(own)
        for model in copy.deepcopy(originals):
            model["setup"] = place
            for piece in model["pieces"]:
                piece["floors"] = [value / speed for value in piece["floors"]]
                for values in piece["coefficients"].values():
                    values[:] = [value / speed for value in values]
            content["models"].append(model)
    _file.append(os.path.join(folder(), "three.json"))
    with open(_file[0], "w", encoding="utf-8") as file:
        json.dump(content, file)
    return _file[0]


def time_of(path, *choice):
    return run("predict", "chol-l-3", "-m", path, *POINT, "--json", *choice).json()["time_s"]["med"]


def test_chosen():
    """threads, library and number choose among the setups of a file, for every subcommand"""
    path, base = three(), time_of(models(*ALL))
    for choice, speed in (
        (("--setup", "1"), 1.0), (("--setup", "2"), 2.0), (("--setup", "3"), 0.5), (("--threads", "4"), 2.0),
        (("--blas", "openblas"), 0.5), (("--blas", "bbbbbb"), 0.5), (("--blas", PATHS["openblas"]), 0.5),
        (("--blas", "blis", "--threads", "1"), 1.0), (("--blas", "blis", "--threads", "4"), 2.0),
        (("--threads", "1", "--setup", "3"), 0.5),
    ):
        close(time_of(path, *choice), base / speed)
        best = run("rank", "chol-l", "-m", path, *POINT, "--json", *choice).json()["ranking"][0]["time_s"]
        assert best <= base / speed * (1 + 1e-6)
        tuned = run("tune", "chol-l-3", "-m", path, "n=1000", "--json", *choice).json()
        plain = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--json").json()
        assert tuned["b"] == plain["b"]
        close(tuned["time_s"], plain["time_s"] / speed)


def everywhere(path, *choice, naming):
    refuses(1, "predict", "chol-l-3", "-m", path, *POINT, *choice, naming=naming)
    refuses(1, "rank", "chol-l", "-m", path, *POINT, *choice, naming=naming)
    refuses(1, "tune", "chol-l-3", "-m", path, "n=1000", *choice, naming=naming)
    refuses(1, "validate", "chol-l-3", "-m", path, "-n", "64", *choice, naming=naming)


def test_ambiguous():
    """without a choice the setups are listed, with what tells them apart"""
    everywhere(three(), naming=[PATHS["blis"], PATHS["openblas"], "1 thread", "4 threads", "--threads", "--setup"])
    result = refuses(1, "predict", "chol-l-3", "-m", three(), *POINT, "--blas", "blis", naming=["1: ", "2: "])
    assert "3: " not in result.err and "openblas" not in result.err
    result = refuses(1, "predict", "chol-l-3", "-m", three(), *POINT, "--threads", "1", naming=["1: ", "3: "])
    assert "2: " not in result.err


def test_not_there():
    """a setup that the file has not is refused, and those it has are listed; --force takes one and says so"""
    path = three()
    refuses(1, "predict", "chol-l-3", "-m", path, *POINT, "--threads", "2", naming=["2 threads", "1: ", "2: ", "3: "])
    refuses(1, "predict", "chol-l-3", "-m", path, *POINT, "--setup", "4", naming=["4", "1: "])
    refuses(1, "predict", "chol-l-3", "-m", path, *POINT, "--blas", "mkl", naming=["mkl", PATHS["blis"]])
    refuses(1, "predict", "chol-l-3", "-m", path, *POINT, "--blas", "/opt/mkl/libmkl.so", "--threads", "4",
            naming=["/opt/mkl/libmkl.so", "--force"])
    refuses(2, "predict", "chol-l-3", "-m", path, *POINT, "--setup", "0", naming=["--setup"])
    answer = run("predict", "chol-l-3", "-m", path, *POINT, "--blas", "/opt/mkl/libmkl.so", "--threads", "4", "--force",
                 "--json").json()
    assert "forced" in answer["notes"], answer["notes"]
    close(answer["time_s"]["med"], time_of(path, "--setup", "2"))


def test_shown():
    """model lists the setups by their numbers, and those of the sub-models"""
    answer = run("model", three(), "--json").json()
    assert [setup["threads"] for setup in answer["setups"]] == [1, 4, 1]
    numbers = [model["setup"] for model in answer["models"]]
    assert sorted(set(numbers)) == [1, 2, 3] and numbers.count(1) == numbers.count(2) == numbers.count(3)
    lines = run("model", three()).out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("setup ")] == ["1", "2", "3"]


main(globals())
