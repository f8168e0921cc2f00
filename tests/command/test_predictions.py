# SPDX-License-Identifier: BSD-3-Clause
"""predict, rank, tune, model on a made-up machine, whose times are known."""

import json
import math
import os
import subprocess

from harness import JITTER, MEAN, MEDIAN, close, expected_right_looking, folder, main, models, refuses, run, two_setups

STATISTICS = {"min", "med", "max", "mean", "std"}
ALL = ("chol-l-1", "chol-l-2", "chol-l-3")


def predict(n, b, *words):
    return run("predict", "chol-l-3", "-m", models(*ALL), f"n={n}", f"b={b}", "--json", *words).json()


def test_predict_keys():
    """predict --json holds what doc/json.md promises"""
    answer = predict(1000, 128)
    promised = set(
        "name parameters time_s flops flops_per_s efficiency data_bytes movement_bytes intensity_flops_per_byte "
        "bandwidth_bytes_per_s bound efficiency_bandwidth roofline_flops_per_s status notes calls model_error models "
        "context_calls warm_calls cache_calls kernels".split()
    )
    assert set(answer) == promised, set(answer) ^ promised
    for key in ("time_s", "flops_per_s", "efficiency", "bandwidth_bytes_per_s", "efficiency_bandwidth"):
        assert set(answer[key]) == STATISTICS, key
    assert answer["parameters"] == {"n": 1000, "b": 128}


def test_predict_time():
    """predicted times are the sums over the calls, statistic by statistic"""
    for n, b in ((1000, 128), (520, 64), (96, 32), (1024, 256)):
        total = expected_right_looking(n, b)
        time = predict(n, b)["time_s"]
        close(time["min"], total * min(JITTER), 2e-4)
        close(time["med"], total * MEDIAN, 2e-4)
        close(time["max"], total * max(JITTER), 2e-4)
        close(time["mean"], total * MEAN, 2e-4)


def test_predict_kernels():
    """predict splits time and work by kernels"""
    n, b = 1000, 128
    expected = {"dpotrf2": [0, 0.0], "dtrsm": [0, 0.0], "dsyrk": [0, 0.0]}
    for i in range(0, n, b):
        w = min(b, n - i)
        r = n - i - w
        calls = {"dpotrf2": 1e-6 + w**3 / 6e9}
        if r > 0:
            calls.update(dtrsm=1e-6 + r * w * w / 20e9, dsyrk=1e-6 + r * r * w / 40e9)
        for kernel, time in calls.items():
            expected[kernel][0] += 1
            expected[kernel][1] += time
    answer = predict(n, b)
    assert [entry["kernel"] for entry in answer["kernels"]] == list(expected)
    for entry in answer["kernels"]:
        calls, time = expected[entry["kernel"]]
        assert entry["calls"] == calls, entry
        close(entry["time_s"]["med"], time * MEDIAN, 2e-4)
        close(entry["share"], time / expected_right_looking(n, b), 2e-4)
    close(sum(entry["time_s"]["med"] for entry in answer["kernels"]), answer["time_s"]["med"])
    close(sum(entry["share"] for entry in answer["kernels"]), 1.0)
    assert answer["kernels"][1]["flops"] == sum((n - i - b) * b * b for i in range(0, 896, b))
    assert "kernels  dpotrf2 21.6 %, dtrsm 22.9 %, dsyrk 55.6 % of the time\n" in run(
        "predict", "chol-l-3", "-m", models(*ALL), "n=1000", "b=128"
    ).out


def test_leading_dimension():
    """predictions for operands of another kind of leading dimension than the models' are marked (C16)"""
    inside = predict(1000, 128)
    for ld, notes in ((1000, []), (4096, ["other leading dimension"]), (1001, ["other leading dimension"])):
        answer = predict(1000, 128, "--ld", ld)
        assert answer["notes"] == notes and answer["time_s"] == inside["time_s"], (ld, answer)
    here = ("-m", models(*ALL), "n=1000", "--ld", 2048)
    assert run("tune", "chol-l-3", *here, "--json").json()["status"] == "other leading dimension"
    ranking = run("rank", ",".join(ALL), *here, "b=128", "--json")
    assert all(entry["notes"] == ["other leading dimension"] for entry in ranking.json()["ranking"])
    short = ("predict", "chol-l-3", "-m", models(*ALL), "n=1000", "b=128", "--ld")
    refuses(1, *short, 999, naming=["leading dimension 999", "1000 rows of A"])
    refuses(2, *short, 0, naming=["--ld"])


def test_predict_rates():
    """performance, movement and intensity follow from time and size"""
    answer = predict(1000, 128)
    flops = 1000 * 1001 * 2001 / 6
    close(answer["flops"], flops)
    close(answer["flops_per_s"]["med"], flops / answer["time_s"]["med"])
    close(answer["flops_per_s"]["max"], flops / answer["time_s"]["min"])
    close(answer["intensity_flops_per_byte"], flops / answer["movement_bytes"])
    assert answer["calls"] == 24
    assert answer["status"] == "inside" and answer["notes"] == []


def test_predict_table():
    """predict prints the same numbers for people"""
    result = run("predict", "chol-l-3", "-m", models(*ALL), "n=1000", "b=128")
    assert result.code == 0 and result.err == ""
    total = expected_right_looking(1000, 128) * MEDIAN
    row = [line for line in result.out.splitlines() if line.startswith("time")][0].split()
    close(float(row[2]), total * 1e3, 1e-3)
    assert row[-1] == "ms"


def test_parameters():
    """parameters are checked by name and value"""
    file = models(*ALL)
    refuses(2, "predict", "chol-l-3", "-m", file, "n=1000", naming=["'b'"])
    refuses(2, "predict", "chol-l-3", "-m", file, "n=1000", "b=64", "k=3", naming=["'k'"])
    refuses(2, "predict", "chol-l-3", "-m", file, "n=1000", "b=64", "b=64", naming=["'b'", "twice"])
    for value in ("0", "-5"):
        refuses(1, "predict", "chol-l-3", "-m", file, f"n={value}", "b=64", naming=["'n'", value])
        refuses(1, "predict", "chol-l-3", "-m", file, "n=1000", f"b={value}", naming=["'b'", value])
    for value in ("", "abc", "1e3", "12x", "1.5", "0x10", "1k", " 8", "99999999999999999999"):
        refuses(2, "predict", "chol-l-3", "-m", file, f"n={value}", "b=64", naming=["'n'"])
    refuses(1, "predict", "chol-l", "-m", file, "n=1000", "b=64", naming=["'chol-l'", "rank"])


def with_defaults(*defaults):
    """The right-looking algorithm under other names, each with a default of b: their file."""
    text = run("algorithms", "chol-l-3").out.split("\n", 1)[1]
    path = os.path.join(folder(), "defaults.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("perfpred-text 1\n")
        for i, b in enumerate(defaults):
            file.write(text.replace("chol-l-3(n, b)", f"right-{i}(n, b = {b})"))
    return path


def test_defaults():
    """what a text proposes for a parameter counts where nothing is given; algorithms shows it"""
    file, texts = models(*ALL), with_defaults(128, 128, 64)
    answer = run("predict", "-f", texts, "right-0", "-m", file, "n=1000", "--json").json()
    assert answer["parameters"] == {"n": 1000, "b": 128}
    close(answer["time_s"]["med"], predict(1000, 128)["time_s"]["med"])
    answer = run("predict", "-f", texts, "right-0", "-m", file, "n=1000", "b=64", "--json").json()
    assert answer["parameters"]["b"] == 64
    refuses(2, "predict", "-f", texts, "right-0", "-m", file, "b=64", naming=["'n'"])
    shown = run("algorithms", "-f", texts, "right-2", "--json").json()["algorithms"][0]
    assert shown["defaults"] == {"b": 64} and shown["parameters"] == ["n", "b"]
    assert "algorithm right-2(n, b = 64)" in run("algorithms", "-f", texts, "right-2").out
    assert "n, b=64" in run("algorithms", "-f", texts).out
    refuses(2, "rank", "-f", texts, "right-0,right-1,right-2", "-m", file, "n=1000", naming=["'right-2'", "b=VALUE"])
    for names, words in (("right-0,right-1", []), ("right-0,right-1,right-2", ["b=32"])):
        ranking = run("rank", "-f", texts, names, "-m", file, "n=1000", *words, "--json").json()["ranking"]
        assert len({line["time_s"] for line in ranking}) == 1


def test_domain():
    """sizes above the domain are refused, or extrapolated and marked"""
    file = models(*ALL)
    refuses(1, "predict", "chol-l-3", "-m", file, "n=20000", "b=128", naming=["chol-l-3"])
    refuses(1, "predict", "chol-l-3", "-m", file, f"n={2**62}", "b=128")
    answer = predict(2048, 128, "--extrapolate")
    assert answer["status"] == "extrapolated" and "extrapolated" in answer["notes"]
    assert answer["time_s"]["med"] > predict(1024, 128)["time_s"]["med"]


def test_rank():
    """rank puts the algorithms in order of their predicted times"""
    answer = run("rank", "chol-l", "-m", models(*ALL), "n=1000", "b=128", "--json").json()
    ranking = answer["ranking"]
    assert {line["name"] for line in ranking} == set(ALL)
    times = [line["time_s"] for line in ranking]
    assert times == sorted(times)
    close(sum(line["likelihood"] for line in ranking), 1.0)
    assert ranking[0]["group"] == 0
    for line in ranking:
        own = run("predict", line["name"], "-m", models(*ALL), "n=1000", "b=128", "--json").json()
        close(line["time_s"], own["time_s"]["med"])
        assert set(line["statistics_s"]) == STATISTICS
    assert answer["unmodelled"] == []


def test_rank_table():
    """rank prints one line for each algorithm"""
    result = run("rank", "chol-l", "-m", models(*ALL), "n=1000", "b=128")
    lines = [line.split() for line in result.out.splitlines() if "chol-l-" in line]
    assert [line[0] for line in lines] == ["1", "2", "3"]
    assert {line[1] for line in lines} == set(ALL)


def test_rank_measured():
    """rank --measured takes the noise floor and the error of differences from a validation"""
    plain = run("rank", "chol-l", "-m", models(*ALL), "n=1000", "b=128", "--json").json()
    assert plain["noise"] is None and plain["difference_error"] is None
    first, second = plain["ranking"][:2]
    assert first["loss_s"] <= second["loss_s"] and second["group"] == 1
    apart = second["time_s"] / first["time_s"] - 1.0
    # predicted 1 s apart, measured 3 s apart on 10 s; and 2 s apart as predicted: sqrt((0.2^2 + 0^2) / 2)
    points = [("chol-l-1", 500, 20.0, 10.0), ("chol-l-3", 500, 21.0, 13.0)]
    points += [("chol-l-1", 600, 7.0, 7.0), ("chol-l-3", 600, 9.0, 9.0), ("trinv-l-1", 600, 1.0, 99.0)]
    names = ("name", "n", "predicted_s", "measured_s")
    content = {"points": [dict(zip(names, point), b=64, are=0.0) for point in points], "noise_floor": 0.25 * apart}
    path = os.path.join(folder(), "validated.json")

    def ranked(*words):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return run("rank", "chol-l", "-m", models(*ALL), "n=1000", "b=128", "--measured", path, *words)

    answer = ranked("--json").json()
    close(answer["noise"], 0.25 * apart)
    close(answer["difference_error"], math.sqrt(0.2**2 / 2.0))
    assert [line["group"] for line in answer["ranking"]][:2] == [0, 0]
    assert "error of a difference 14.14 %, from 2 pairs" in ranked().out
    content["points"] = content["points"][:1]  # no pair: the noise alone, above and below the difference
    assert ranked("--json").json()["ranking"][1]["group"] == 1
    content["noise_floor"] = 1.01 * apart
    assert ranked("--json").json()["ranking"][1]["group"] == 0
    content["points"] = []
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    words = ("rank", "chol-l", "-m", models(*ALL), "n=1000", "b=128", "--measured")
    refuses(1, *words, path, naming=["no points"])
    refuses(1, *words, path + ".missing", naming=[".missing"])


def test_rank_unmodelled():
    """rank leaves out what has no models, and says so"""
    file = models("chol-l-3")
    result = run("rank", "chol-l", "-m", file, "n=1000", "b=128", "--json")
    answer = result.json()
    left_out = set(ALL) - {line["name"] for line in answer["ranking"]}
    assert set(answer["unmodelled"]) == left_out and left_out
    assert result.err.count("\n") == 1 and all(name in result.err for name in left_out)
    refuses(1, "predict", "chol-l-2", "-m", file, "n=1000", "b=128", naming=["dgemm"])


def test_rank_one_operation():
    """rank and tune compare algorithms of one operation only, and name two that are not"""
    file = models(*ALL)
    named = ["'chol-l-3'", "'chol-l'", "'trinv-l-1'", "'trinv-l'", "one operation"]
    for names in ("chol-l-3,trinv-l-1", "chol-l-3,trinv-l"):
        refuses(1, "rank", names, "-m", file, "n=100", "b=8", naming=named)
        refuses(1, "tune", names, "-m", file, "n=100", naming=named)
    answer = run("rank", "chol-l-3,chol-l-1", "-m", file, "n=1000", "b=128", "--json").json()
    assert sorted(line["name"] for line in answer["ranking"]) == ["chol-l-1", "chol-l-3"]
    refuses(1, "predict", "chol-l-1,chol-l-2", "-m", file, "n=1000", "b=64", naming=["2 algorithms", "rank"])


def test_marks():
    """what was extrapolated says so, in every form of output"""
    file = models(*ALL)
    point = ("-m", file, "n=2048", "--extrapolate")
    assert "status   extrapolated" in run("predict", "chol-l-3", *point, "b=128").out
    rows = [line for line in run("rank", "chol-l", *point, "b=128").out.splitlines() if "chol-l-" in line]
    assert len(rows) == 3 and all(line.endswith("extrapolated") for line in rows), rows
    assert "status extrapolated\n" in run("tune", "chol-l-3", *point).out


def exhaustive(n, candidates):
    return min(candidates, key=lambda b: expected_right_looking(n, b))


def test_tune():
    """tune finds the minimum over all candidates"""
    for n in (200, 504, 1000):
        answer = run("tune", "chol-l-3", "-m", models(*ALL), f"n={n}", "--json").json()
        best = exhaustive(n, list(range(8, 257, 8)))
        close(expected_right_looking(n, answer["b"]), expected_right_looking(n, best), 1e-4)
        close(answer["time_s"], expected_right_looking(n, answer["b"]) * MEDIAN, 2e-4)
        close(answer["yield_default"], answer["time_s"] / (expected_right_looking(n, 64) * MEDIAN), 4e-4)
        assert answer["default_b"] == 64


def test_tune_default_of_a_routine():
    """the default beside the choice is what ILAENV gives to the routine: 32 for QR, where Cholesky has 64"""
    answer = run("tune", "dgeqrf", "-m", models("dgeqrf"), "n=500", "--json").json()
    assert answer["default_b"] == 32 and answer["b"] != 32
    (default,) = [candidate["time_s"] for candidate in answer["candidates"] if candidate["b"] == 32]
    close(answer["yield_default"], answer["time_s"] / default, 1e-9)
    assert answer["time_s"] < default and 0.0 < answer["expected_yield"] <= 1.0


def test_tune_range():
    """tune keeps to the candidates of -b"""
    answer = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "-b", "16:100:12", "--json").json()
    assert [c["b"] for c in answer["candidates"]] == list(range(16, 101, 12))
    assert answer["b"] in range(16, 101, 12)
    refuses(1, "tune", "chol-l-3", "-m", models(*ALL), "n=1000", "-b", "64:2048:64")
    refuses(2, "tune", "chol-l-3", "-m", models(*ALL), "n=1000", "b=64", naming=["-b"])


def test_tune_unblocked():
    """one step over everything is a candidate wherever the models reach it"""
    answer = run("tune", "chol-l-3", "-m", models(*ALL), "n=100", "-b", "8:16:8", "--json").json()
    assert answer["unblocked_b"] == 100
    close(answer["unblocked_s"], expected_right_looking(100, 100) * MEDIAN, 1e-3)
    assert run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--json").json()["unblocked_s"] is None


def test_tune_operation():
    """tune of an operation chooses the algorithm as well"""
    answer = run("tune", "chol-l", "-m", models(*ALL), "n=1000", "--json").json()
    assert {line["name"] for line in answer["algorithms"]} == set(ALL)
    fastest = min(answer["algorithms"], key=lambda line: line["time_s"])
    assert (answer["name"], answer["b"]) == (fastest["name"], fastest["b"])


START_S = 2e-4  # of two threads, at every step


def test_tune_threads():
    """C18, C21: tune chooses threads and block size together, within those that are named"""
    path = two_setups(START_S, *ALL)
    refuses(1, "tune", "chol-l-3", "-m", path, "n=1000", naming=["--threads"])
    chosen = []
    for n in (104, 200, 504, 1000):
        steps = {b: -(-n // b) for b in range(8, 257, 8)}
        times = {(1, b): expected_right_looking(n, b) * MEDIAN for b in steps}
        times.update({(2, b): 0.5 * times[1, b] + START_S * steps[b] for b in steps})
        for limit in (("1",), ("2",), ("2,1", "--json")):
            answer = run("tune", "chol-l-3", "-m", path, f"n={n}", "--threads", limit[0], "--json").json()
            allowed = {place: time for place, time in times.items() if str(place[0]) in limit[0]}
            if answer["b"] != answer["unblocked_b"]:
                close(answer["time_s"], min(allowed.values()), 1e-3)
            assert str(answer["threads"]) in limit[0]
        best = min(times, key=times.get)
        if answer["b"] != answer["unblocked_b"]:
            assert answer["threads"] == best[0], (n, answer["threads"], best)
        chosen.append(answer["threads"])
        assert 0.0 < answer["expected_yield"] <= 1.0
        assert sorted({line["threads"] for line in answer["algorithms"]}) == [1, 2]
    assert chosen[0] == 1 and chosen[-1] == 2, chosen
    table = run("tune", "chol-l-3", "-m", path, "n=1000", "--threads", "1,2").out
    assert " on 2 threads: best predicted time" in table and "is expected to yield" in table, table


def test_tune_threads_of_serial():
    """C22: where the models are of a serial BLAS the advice is one thread, and a note says what is left out"""
    result = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--threads", "1,2", "--json")
    assert result.json()["threads"] == 1
    assert result.err.count("\n") == 1 and "2 threads" in result.err
    refuses_all = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--threads", "2")
    assert refuses_all.code == 1 and refuses_all.out == "" and "no models for any" in refuses_all.err
    for value in ("", "0", "1,1", "1,", ",2", "a", "1.5", "5000", "1 2", ",".join(map(str, range(1, 18)))):
        refuses(2, "tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--threads", value, naming=["--threads"])


def test_tune_table():
    """tune prints the best value among its neighbours"""
    best = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--json").json()["b"]
    result = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000")
    assert f"b={best}:" in result.out
    marked = [line.split() for line in result.out.splitlines() if line.endswith("  best")]
    assert [line[0] for line in marked] == [str(best)], result.out


def test_model():
    """model shows setup and sub-models"""
    answer = run("model", models(*ALL), "--json").json()
    assert answer["of_this_machine"] is True
    assert answer["setups"][0]["clock"] == "virtual"
    kernels = {model["kernel"] for model in answer["models"]}
    assert kernels == {"dpotrf2", "dtrsm", "dsyrk", "dgemm"}, kernels
    for model in answer["models"]:
        assert len(model["lower"]) == len(model["upper"])
        assert all(0 < low < high for low, high in zip(model["lower"], model["upper"]))
        assert model["samples"] > 0 and model["pieces"] > 0
        assert model["error"] is None or model["error"] < 0.01 or math.isnan(model["error"])
    table = run("model", models(*ALL))
    assert table.code == 0
    rows = [line.split() for line in table.out.splitlines() if line.startswith(tuple(kernels))]
    assert len(rows) == len(answer["models"])
    # the smallest that holds 1024 rows, is a multiple of 8 and not of 256
    assert all(row[-2:] == ["1032", "1"] for row in rows), rows


def test_model_knobs():
    """model says in words how its models were made"""
    table = run("model", models(*ALL)).out
    assert "\ngenerator    published, 10 samples at each point\n" in table, table
    assert ("\nrefined      above an error of 1.00 %: the maximum over the points, of the minimum of a point's samples\n"
            in table), table


def test_one_and_many():
    """what is counted is one call or several calls"""
    path = os.path.join(folder(), "one.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("perfpred-text 1\n\nalgorithm one(n)\n  inout A: double spd triangle(L)[n]\n"
                   "  dpotrf2(L, n, A[0, 0])\nend\n")
    assert " in 1 kernel call\n" in run("predict", "one", "n=100", "-f", path, "-m", models(*ALL)).out
    assert " in 24 kernel calls\n" in run("predict", "chol-l-3", "n=1000", "b=128", "-m", models(*ALL)).out


def test_context():
    """models of calls in the steps of their algorithm are made, shown, taken, and left alone"""
    path = os.path.join(folder(), "context.json")
    subprocess.run([os.environ["VIRTUAL_MODELS"], path, "chol-l-3"], check=True, timeout=120,
                   env={**os.environ, "CONTEXTS": "1"})
    listed = run("model", path, "--json").json()["models"]
    assert [model["context"] for model in listed] == ["chol-l-3:0", "chol-l-3:1", "chol-l-3:2"]
    assert all(model["sizes"] == ["width", "rest"] for model in listed)
    assert "width 8:256 x rest 8:1016" in run("model", path).out
    words = ("chol-l-3", "-m", path, "n=1000", "b=128")
    answer = run("predict", *words, "--json").json()
    assert (answer["models"], answer["context_calls"], answer["warm_calls"]) == ("context", 22, 0)
    close(answer["time_s"]["med"], expected_right_looking(1000, 128) * MEDIAN, 5e-3)
    assert "models   context: 22 calls in the steps of the algorithm, 0 alone" in run("predict", *words).out
    refuses(1, "predict", *words, "--models", "warm", naming=["no model of dpotrf2(L)"])
    refuses(1, "predict", "chol-l-2", *words[1:], naming=["no model of dsyrk"])
    refuses(1, "predict", "chol-l-3", "-m", path, "n=1400", "b=128", naming=["in a step with", "rest"])
    refuses(2, "predict", *words, "--models", "sideways", naming=["'sideways'", "'auto', 'context', 'warm' or 'cache'"])
    # both kinds in one file
    subprocess.run([os.environ["VIRTUAL_MODELS"], path, "chol-l-3"], check=True, timeout=120)
    for kind in ("context", "warm"):
        assert run("predict", *words, "--models", kind, "--json").json()["models"] == kind
        assert f"\nmodels   {kind}: " in run("predict", *words, "--models", kind).out
    assert run("predict", *words, "--models", "auto", "--json").json()["models"] == "context"
    assert run("predict", "chol-l-2", *words[1:], "--json").code == 1


def test_context_demanded():
    """models in the algorithm that are demanded and not there are an error, with the way to have them"""
    for words in (("predict", "chol-l-3", "n=100", "b=16"), ("tune", "chol-l-3", "n=100"),
                  ("rank", "chol-l", "n=100", "b=16"), ("validate", "chol-l-3", "-n", "64")):
        refuses(1, *words, "-m", models(*ALL), "--models", "context",
                naming=["chol-l-3" if words[0] != "rank" else "chol-l-", "generate --context", "generate --cache"])
        if words[0] != "validate":
            assert run(*words, "-m", models(*ALL), "--models", "auto").code == 0
    answer = run("predict", "chol-l-3", "n=100", "b=16", "-m", models(*ALL), "--models", "auto", "--json").json()
    assert answer["models"] == "warm" and answer["context_calls"] == 0


def test_model_of_generic_blis():
    """model names the BLIS_ARCH_TYPE that suits the CPU where BLIS ran its plain C kernels"""
    with open(models(*ALL), encoding="utf-8") as file:
        content = json.load(file)
    for instructions, advice in (("avx512", "BLIS_ARCH_TYPE=0 "), ("avx2", "BLIS_ARCH_TYPE=3 "), ("neon", None)):
        content["machine"]["instruction_set"] = instructions
        content["setups"][0]["blas"].update(family="blis", kernels="generic")
        path = os.path.join(folder(), f"generic-{instructions}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        table = run("model", path).out
        assert "does not recognise this CPU" in table, table
        assert (advice in table) if advice else ("BLIS_ARCH_TYPE" not in table), table


main(globals())
