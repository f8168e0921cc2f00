# SPDX-License-Identifier: BSD-3-Clause
"""tune -n: a tuner's answers for many sizes, on a made-up machine whose times are known."""

from harness import MEDIAN, close, expected_right_looking, main, models, refuses, run, two_setups

ALL = ("chol-l-1", "chol-l-2", "chol-l-3")
START_S = 40e-6  # what the second thread costs at every step


def answers(*words):
    return run("tune", *words, "--json").json()["answers"]


def test_times():
    """every answer is the best of the candidates"""
    lines = answers("chol-l-3", "-m", models(*ALL), "-n", "104:1000:224")
    assert [line["parameters"]["n"] for line in lines] == [104, 328, 552, 776, 1000]
    for line in lines:
        times = {b: expected_right_looking(line["parameters"]["n"], b) * MEDIAN for b in range(8, 257, 8)}
        close(line["time_s"], min(times.values()), 1e-3)
        close(times[line["b"]], min(times.values()), 1e-3)
        assert line["routine"] == line["name"] == "chol-l-3" and line["threads"] == 1 and line["status"] == "inside"


def test_range():
    """candidates are those of -b"""
    lines = answers("chol-l-3", "-m", models(*ALL), "-n", "500:1000:250", "-b", "16:100:12")
    assert all(line["b"] in range(16, 101, 12) for line in lines), lines


def test_several_routines():
    """an operation has variants; a routine without models has lines without an answer"""
    lines = answers("chol-l,dgetrf,chol-l-1", "-m", models(*ALL), "-n", "200:600:200")
    assert [line["routine"] for line in lines] == ["chol-l"] * 3 + ["dgetrf"] * 3 + ["chol-l-1"] * 3
    for whole, one in zip(lines[:3], lines[6:]):
        assert whole["name"] in ALL and whole["time_s"] <= one["time_s"]
    for line in lines[3:6]:
        assert line["b"] is None and line["time_s"] is None and line["name"] == ""
        assert line["status"] == "no model for a kernel or case"


def test_beyond():
    """sizes beyond the models have no answer, and the others do"""
    lines = answers("chol-l-3", "-m", models(*ALL), "-n", "1000:5000:2000")
    assert [line["b"] is None for line in lines] == [False, True, True]
    assert lines[1]["status"] == "sizes outside the domain of the model"
    refuses(1, "tune", "chol-l-3", "-m", models(*ALL), "-n", "5000:6000:500", naming=["no answer"])
    refuses(1, "tune", "dgetrf", "-m", models(*ALL), "-n", "500:600:50", naming=["no answer"])


def test_threads():
    """C18, C21: the number of threads is chosen, or fixed, or limited"""
    path = two_setups(START_S, *ALL)
    chosen = [line["threads"] for line in answers("chol-l-3", "-m", path, "-n", "104:1000:896")]
    assert chosen == [1, 2], chosen
    for threads in (1, 2):
        lines = answers("chol-l-3", "-m", path, "-n", "104:1000:896", "--threads", str(threads))
        assert [line["threads"] for line in lines] == [threads] * 2
    assert [line["threads"] for line in answers("chol-l-3", "-m", path, "-n", "104:1000:896", "--threads", "1,2")] == [1, 2]


def test_table():
    """people get a line each"""
    lines = run("tune", "chol-l-3,dgetrf", "-m", models(*ALL), "-n", "200:600:200").out.splitlines()
    assert lines[0].split() == ["routine", "n", "algorithm", "threads", "b", "predicted"], lines[0]
    assert [line.split()[:2] for line in lines[1:]] == [
        [name, n] for name in ("chol-l-3", "dgetrf") for n in ("200", "400", "600")
    ]
    assert lines[1].split()[-1] in ("us", "ms") and lines[4].endswith("no model for a kernel or case")


def test_bad_input():
    """what cannot be meant is refused by its name"""
    here = ("-m", models(*ALL), "-n", "200:600:200")
    refuses(1, "tune", "chol-l4", *here, naming=["chol-l4", "chol-l-"])
    refuses(1, "tune", "chol-l-3,chol-l-3", *here, naming=["chol-l-3"])
    refuses(2, "tune", "chol-l-3,", *here, naming=["single commas"])
    refuses(2, "tune", "chol-l-3", *here, "n=100", naming=["'n'", "-n"])
    refuses(2, "tune", "chol-l-3", *here, "k=100", naming=["'k'", "chol-l-3"])
    refuses(2, "tune", "chol-l-3", "-n", "200:600:200", naming=["-m FILE"])
    refuses(2, "tune", "chol-l-3", "-m", models(*ALL), "-n", "600:200", naming=["-n"])
    refuses(1, "tune", "chol-l-3", *here, "--threads", "2", naming=["thread"])


main(globals())
