# SPDX-License-Identifier: BSD-3-Clause
"""perfpred sample: what it prints for the example, and for texts that are wrong."""

import json
import os
import subprocess
import tempfile

from harness import COMMAND, ROOT, main

EXAMPLE = os.path.join(ROOT, "examples", "sample_calls.txt")


def sample(text, *words):
    return subprocess.run([COMMAND, "sample", *words], input=text, capture_output=True, text=True, timeout=240)


def no_worker():
    return None if "PERFPRED_WORKER" in os.environ else "no worker"


def test_example_as_json():
    """the example as JSON: every call has its times, its samples, its lanes"""
    if no_worker():
        return no_worker()
    with open(EXAMPLE, encoding="utf-8") as file:
        done = sample(file.read(), "--json", "--reps", "3")
    assert done.returncode == 0, done.stderr
    calls = json.loads(done.stdout)["calls"]
    names = [call["call"].split("(")[0] for call in calls]
    assert names == ["dgemm", "dgemm", "dgemm", "{dpotrf2", "{omp dgemv", "ddot"], names
    for call in calls:
        assert call["status"] == "OK", call
        assert 0 < call["time_s"]["min"] <= call["time_s"]["med"] <= call["time_s"]["max"]
        assert call["first_s"] > 0 and call["reps"] >= 1
        samples = call["samples"]
        assert len({len(samples[key]) for key in samples}) == 1, "lists of one length"
        assert 0 <= call["disturbed_share"] <= 1
        assert call["disturbed"] == samples["passed"].count(False)
    assert [call["precondition"] for call in calls[:3]] == ["warm", "warm", "cold-flush"]
    assert calls[0]["flops"] == 2e6
    assert calls[3]["kind"] == "sequence" and len(calls[3]["lanes"][0]) == 3
    assert calls[4]["kind"] == "parallel" and calls[4]["threads"] == 2
    assert "stable" in calls[5] and "stable" not in calls[0]
    return None


def test_text():
    """one line for each call, and failures by their line"""
    if no_worker():
        return no_worker()
    done = sample("dgemm(N, N, 9, 9, 9, 1, 0)\n{ daxpy(7, 1); dscal(7, 1) }\n", "--reps", "2", "--gate", "off")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and "dgemm(N,N,9,9,9)" in lines[1] and "{daxpy(7); dscal(7)}" in lines[2], done.stdout
    return None


def test_kernels_of_the_user():
    """kernels from a shared library of the user's, under their own name and under another symbol"""
    if no_worker():
        return no_worker()
    library = os.environ["USERS_KERNEL"]
    own = f"kernel dtwice(n: size, x: inout vector[n], info)\n  mul n\n  library {library}\nend\n"
    other = f"kernel dother(n: size, x: inout vector[n], info)\n  library {library}\n  symbol always_fails\nend\n"
    absent = f"kernel dabsent(n: size, x: inout vector[n], info)\n  library {library}\n  symbol not_there\nend\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.kernels")
        with open(path, "w", encoding="utf-8") as file:
            file.write("perfpred-text 1\n\n" + own + "\n" + other + "\n" + absent)
        done = sample("dtwice(1000)\ndother(1000)\ndabsent(1000)\n", "--json", "--reps", "3", "-f", path)
    assert done.stdout, done.stderr
    twice, fails, missing = json.loads(done.stdout)["calls"]
    assert twice["status"] == "OK" and twice["flops"] == 1000 and twice["time_s"]["min"] > 0, twice
    assert fails["status"] == "NUMERIC" and "3" in fails["error"], fails
    assert missing["status"] != "OK" and "not_there" in missing["error"], missing
    return None


def test_counters():
    """counters that are not there are null with a note, or refused by their name"""
    if no_worker():
        return no_worker()
    done = sample("counters no_such_event\ndaxpy(5, 1)\n", "--json", "--reps", "2")
    if done.returncode == 1:  # a machine with counters knows all their names
        assert done.stderr == "perfpred: standard input:1:10: PAPI knows no event 'no_such_event'\n", done.stderr
        return None
    assert done.returncode == 0, done.stderr
    call = json.loads(done.stdout)["calls"][0]
    assert call["status"] == "OK"
    assert call["counters"] == [{"name": "no_such_event", "value": None}]
    assert call["counters_note"]
    return None


def test_wrong_text():
    """a wrong text is told with line and column, and nothing is run"""
    if no_worker():
        return no_worker()
    done = sample("daxpy(5, 1)\n  daxpy(5, 1, A, B)\n", "--json")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("perfpred: standard input:2:15: "), done.stderr
    return None


def test_nothing():
    """a text of no calls"""
    if no_worker():
        return no_worker()
    done = sample("# nothing\n", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["calls"] == []
    return None


main(globals())
