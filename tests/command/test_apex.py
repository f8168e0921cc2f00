# SPDX-License-Identifier: BSD-3-Clause
"""perfpred apex: on made-up points, by hand, and once on this machine."""

import json
import os
import shutil
import sys
import xml.etree.ElementTree

from harness import ROOT, close, folder, main, refuses, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

with open(os.path.join(ROOT, "doc", "apex.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

FAST = "random M=100000 L=8 alpha=0 C=4 I=10"
SLOW = "strided M=1000000 S=8 C=0"


def target(name):
    return os.path.join(folder(), name)


def write(name, content):
    path = target(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path


def point(text, time_s, flops, moved, clock_hz=1e9):
    cycles = time_s * clock_hz
    return {
        "run": text, "time_s": time_s, "noise": 0.0, "reps": 3, "gated": True, "aimed": False, "flops": flops,
        "flops_source": "modelled", "bytes": moved, "bytes_source": "modelled", "cycles_source": "modelled",
        "bytes_per_cycle": moved / cycles, "flops_per_cycle": flops / cycles, "flops_per_s": flops / time_s,
    }  # fmt: skip


def points(name, slow_s=1e-3, fast_s=1e-4):
    """A machine of 1 GHz: 8 bytes and 0.5 flops per cycle, or none and 12.5, unless it is slower."""
    return write(name, {
        "report": "apex points", "version": 1, "library": "0.1.0", "cpu": "Made-up 7", "instruction_set": "avx2",
        "threads": 1, "clock_hz": 1e9, "cache_bytes": 1048576, "line_bytes": 64, "clock_source": "given",
        "cache_source": "given", "counters_note": "",
        "points": [point(SLOW, slow_s, 5e5, 8e6), point(FAST, fast_s, 1.25e6, 0.0)],
    })  # fmt: skip


def check(report):
    if jsonschema:
        jsonschema.Draft7Validator(SCHEMA).validate(report)
    return report


SAMPLES = "time_s,flops,bytes\n3,1.5e9,2.4e10\n1,1.25e10,0\n"


def weigh():
    path = target("weights.json")
    report = run("apex", "weights", write("mix.csv", SAMPLES), "--points", points("points.json"), "-o", path, "--json")
    return path, check(report.json())


def test_weights():
    """weights are shares of the time, with the runs that stand for them"""
    _, report = weigh()
    first, second = report["rectangles"]
    close(first["weight"], 0.75)
    assert first["bytes_per_cycle"] == [8.0, 8.5] and first["flops_per_cycle"] == [0.5, 1.0], first
    assert first["representative"]["run"] == SLOW and second["representative"]["run"] == FAST
    close(second["weight"], 0.25)
    close(report["flops_per_s"], 1.4e10 / 4)
    assert report["coverage"]["covered"] == 1 and report["samples"] == 2


def test_cells_and_threshold():
    """rectangles are cut as they are asked to be, and light ones are left out"""
    mix, place = write("mix.csv", SAMPLES), points("points.json")
    report = run("apex", "weights", mix, "--points", place, "--cell", "3,2", "--threshold", "0.3", "--json").json()
    first, second = check(report)["rectangles"]
    assert first["bytes_per_cycle"] == [6.0, 9.0] and first["flops_per_cycle"] == [0.0, 2.0], first
    assert first["kept"] and not second["kept"] and second["representative"] is None
    close(report["coverage"]["represented"], 0.75)


def test_predict():
    """on the same machine the weighted sum of rates; on another one the work over its time"""
    weights, _ = weigh()
    here = check(run("apex", "predict", weights, "--json").json())
    sum_of_rates = 0.75 * 5e8 + 0.25 * 1.25e10
    close(here["flops_per_s"], sum_of_rates)
    close(here["sum_of_rates"]["error"], sum_of_rates / 3.5e9 - 1.0)
    assert here["same_machine"] is True
    elsewhere = points("elsewhere.json", 2e-3, 1e-4)  # memory at half the speed
    measured = write("measured.json", {"samples": [{"time_s": 7, "flops": 1.4e10, "bytes": 0}]})
    there = run("apex", "predict", weights, "--points", elsewhere, "--measured", measured, "--json").json()
    close(check(there)["flops_per_s"], sum_of_rates / (0.75 * 2 + 0.25))
    close(there["same_work"]["error"], sum_of_rates / 1.75 / 2e9 - 1.0)
    close(there["scaled_rate"]["flops_per_s"], 3.5e9 / 1.75)
    text = run("apex", "predict", weights, "--points", elsewhere).out
    assert "from its own rate" in text and "F / sum(w t_new / t_old)" in text, text
    close(there["sum_of_rates"]["flops_per_s"], 0.75 * 2.5e8 + 0.25 * 1.25e10)
    same = run("apex", "validate", weights, "--points", elsewhere, "--measured", measured, "--json").json()
    assert same == there


def test_tables():
    """what people read"""
    weights, _ = weigh()
    text = run("apex", "weights", target("mix.csv"), "--points", target("points.json")).out
    for word in ("Made-up 7", "75.00 %", "8 - 8.5", SLOW, "coverage     100.0 %", "represented  100.0 %"):
        assert word in text, f"{word!r} is not in {text!r}"
    text = run("apex", "predict", weights).out
    for word in ("same machine", "sum(w F)", "another one", "sum(w F_old) / sum(w t_new / t_old)", "measured"):
        assert word in text, f"{word!r} is not in {text!r}"


def test_plot():
    """the plane with points and rectangles"""
    if not shutil.which("gnuplot"):
        return "no gnuplot"
    weights, _ = weigh()
    path = target("plane.svg")
    for files in ([target("points.json")], [weights], [target("points.json"), weights]):
        result = run("apex", "plot", *files, "-o", path)
        assert result.code == 0 and result.out == path + "\n" and result.err == "", result.err
        root = xml.etree.ElementTree.parse(path).getroot()
        texts = [" ".join("".join(t.itertext()).split()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
        assert "flops per cycle" in texts and "bytes from memory per cycle" in texts, texts
        assert ("representatives" in texts) == (weights in files), texts
        assert ("random" in texts) == (files[0] != weights), texts
    refuses(1, "apex", "plot", weights, weights, "-o", path, naming=["at most one of each"])
    refuses(1, "apex", "plot", write("else.json", {}), "-o", path, naming=["expected what 'perfpred apex points'"])
    refuses(2, "apex", "plot", weights, naming=["-o FILE.svg"])


def test_hostile():
    """samples and reports that are spoilt are refused in one line"""
    place = points("points.json")
    for content, word in (
        ("", "empty"), ("time_s,flops,bytes\n1,nan,2\n", "expected a number"), ("time_s,flops,bytes\n1,-2,2\n", "-2"),
        ("time_s,flops,bytes\n1,2", "fields"), ("time_s,flops,bytes\n1,1e400,2\n", "1e400"), ("\0\0\0", "NUL"),
        ('{"samples": [', "bad.csv:1:"), ('{"samples": 3}', "samples"), ("a,b\n1,2\n", "time_s"),
        ("time_s,flops,bytes\n" + "1," * 5000, "fields"), ("time_s,call\n1,\"dgemm(\"\n", "bad.csv:2:3"),
    ):  # fmt: skip
        refuses(1, "apex", "weights", write("bad.csv", content), "--points", place, naming=["bad.csv", word])
    with open(place, encoding="utf-8") as file:
        text = file.read()
    mix = write("mix.csv", SAMPLES)
    for spoilt in (
        text[: len(text) // 2], text.replace('"clock_hz": 1000000000.0', '"clock_hz": -1'), text.replace("apex points", "x"),
        text.replace(SLOW, "strided M=1 S=8"), text.replace('"threads": 1', '"threads": 1e9'), "[]", "{}",
        text.replace('"time_s": 0.001', '"time_s": 0'), text.replace('"version": 1', '"version": 2'),
    ):  # fmt: skip
        assert spoilt != text
        refuses(1, "apex", "weights", mix, "--points", write("spoilt.json", spoilt), naming=["spoilt.json"])
    weights, _ = weigh()
    lacking = json.loads(text)
    del lacking["points"][0]
    refuses(1, "apex", "predict", weights, "--points", write("lacking.json", lacking), naming=["lacking.json", SLOW])


def test_usage():
    """words that are missing or wrong are named"""
    mix = write("mix.csv", SAMPLES)
    refuses(2, "apex", naming=["'apex' needs more"])
    refuses(2, "apex", "point", naming=["no 'point'", "points"])
    refuses(2, "apex", "weights", naming=["0 operands, expected 1 to 1"])
    refuses(2, "apex", "weights", mix, naming=["--points FILE"])
    refuses(2, "apex", "weights", mix, "--points", mix, "--cell", "1", naming=["--cell", "two numbers"])
    refuses(2, "apex", "validate", mix, naming=["--measured SAMPLES"])
    refuses(2, "apex", "points", mix, "--for", mix, naming=["RUNS or --for"])
    refuses(1, "apex", "weights", target("none.csv"), "--points", mix, naming=["none.csv", "No such file"])
    refuses(1, "apex", "points", "--for", write("empty.json", {}), naming=["empty.json", "no representatives"])


def test_points():
    """runs are made here, and are what weights and predictions are made of"""
    if "PERFPRED_WORKER" not in os.environ:
        return "there is no worker"
    runs = write("runs.txt", "# two of them\nstrided M=100000 S=8 C=1\nrandom M=5000 L=4 alpha=0.5 C=2 I=20\n")
    path = target("here.json")
    blas = ("--blas", os.environ["TINY_BLAS32"], "--lapack", os.environ["TINY_BLAS32"], "--reps", "2", "--gate", "off", "--cache", "65536")
    report = check(run("apex", "points", runs, *blas, "-o", path, "--json").json())
    first, second = report["points"]
    assert first["run"] == "strided M=100000 S=8 C=1" and second["run"] == "random M=5000 L=4 alpha=0.5 C=2 I=20"
    assert report["cache_source"] == "given" and report["clock_source"] == "measured"
    if first["flops_source"] == "modelled":
        assert first["flops"] == 12500 * 138 and second["flops"] == 80 * 266
    if first["bytes_source"] == "modelled":
        assert first["bytes"] == 12500 * 64 and second["bytes"] == 0  # 40000 bytes fit
    mix = write("own.json", {"samples": [{"time_s": 1.0, "flops": first["flops_per_s"], "bytes": 1e6}]})
    weights = target("own-weights.json")
    assert run("apex", "weights", mix, "--points", path, "-o", weights).code == 0
    there = run("apex", "validate", weights, "--measured", mix, *blas, "--isa", "sse2", "--json")
    if os.uname().machine == "x86_64":
        assert check(there.json())["new"]["instruction_set"] == "sse2"
    refuses(1, "apex", "points", runs, *blas, "--isa", "itanium", naming=["itanium"])
    refuses(1, "apex", "points", write("wrong.txt", "strided M=10 S=11\n"), *blas, naming=["1:1", "S is 11"])


# What a program of somebody else's does: a product of 3 x 4 and 4 x 2 through the symbols that are loaded.
PROGRAM = """
import ctypes, os
blas = ctypes.CDLL(None)
ints = [ctypes.byref(ctypes.c_int(n)) for n in (3, 2, 4)]
one, zero = ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
data = (ctypes.c_double * 100)()
for letter in (b"N", b"n"):
    blas.dgemm_(letter, b"N", *ints, one, data, ints[0], data, ints[2], zero, data, ints[0], 1, 1)
os.chdir("/")
"""


def test_record():
    """the calls of a program become samples"""
    if "PERFPRED_RECORDER" not in os.environ:
        return "the recorder cannot be preloaded here"
    path = target("recorded.csv")
    write("recorded.csv", "what was there before")
    env = {**os.environ, "LD_PRELOAD": os.environ["TINY_BLAS32"]}
    result = run("apex", "record", "-o", path, "--", sys.executable, "-c", PROGRAM, env=env)
    assert result.code == 0 and result.out == "" and result.err == "", result.err
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "time_s,call" and len(lines) == 3, lines
    for line in lines[1:]:
        seconds, _, call = line.partition(",")
        assert float(seconds) > 0 and call == '"dgemm(N,N,3,2,4,1,0)"', line
    report = check(run("apex", "weights", path, "--points", points("points.json"), "--json").json())
    assert report["samples"] == 2 and report["flops"] == 2 * 48
    assert run("apex", "record", "-o", path, "--", "false").code == 1
    assert run("apex", "record", "-o", path, "--", target("no-such-command")).code == 127
    refuses(1, "apex", "record", "-o", "/nowhere/at/all", "--", "true", naming=["/nowhere/at/all"])
    refuses(2, "apex", "record", "--", "true", naming=["-o FILE"])


def test_watch():
    """a running program is sampled where the machine has counters, and the reason is told where it has none"""
    if "PERFPRED_WORKER" not in os.environ:
        return "there is no worker"
    path = target("watched.csv")
    blas = ("--blas", os.environ["TINY_BLAS32"], "--lapack", os.environ["TINY_BLAS32"])
    result = run("apex", "watch", "-o", path, *blas, "--interval", "0.02", "--", "sleep", "0.1")
    if result.code == 0:
        with open(path, encoding="utf-8") as file:
            assert file.readline() == "time_s,flops,bytes,cycles\n"
    else:
        assert result.err.count("\n") == 1 and "process" in result.err, result.err
    refuses(1, "apex", "watch", "-o", path, *blas, "--pid", "2147483646", naming=["2147483646"])
    refuses(2, "apex", "watch", "-o", path, naming=["COMMAND or --pid"])
    refuses(2, "apex", "watch", "-o", path, "--events", "A,B", "--pid", "1", naming=["--events", "three events"])


main(globals())
