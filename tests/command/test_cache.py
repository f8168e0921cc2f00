# SPDX-License-Identifier: BSD-3-Clause
"""perfpred cache: residency worked by hand, times of a made-up machine blended by it."""

import json
import os
import subprocess

from harness import COMMAND, ROOT, close, folder, main, models, refuses, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

with open(os.path.join(ROOT, "doc", "cache.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

# 16 x 16 with leading dimension 16: line 2 j is the upper half of column j, line 2 j + 1 the lower one
HALVES = """perfpred-text 1
kernel duse(m: size, n: size, a: inout matrix[m, n], lda)
  mul m*n
end
algorithm halves(n)
  inout A: double matrix[n, n]
  duse(8, 2, A[0, 0])
  duse(n, 2, A[0, 2])
  duse(8, 4, A[0, 0])
  duse(n, 4, A[0, 0])
end
nest sum(n)
  double A[n]
  for i in 0:n
    read A[i]
  end
end
"""


def halves():
    path = os.path.join(folder(), "halves.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HALVES)
    return path


def report(*words):
    answer = run("cache", *words, "--json").json()
    if jsonschema and len(answer["calls"]) < 100:
        jsonschema.Draft7Validator(SCHEMA).validate(answer)
    return answer


def parts(call):
    return [(part["bytes"] // 64, part["distance_bytes"] and part["distance_bytes"] / 64)
            for part in call["operands"][0]["parts"]]  # fmt: skip


def test_by_hand():
    """lines and distances of a sequence of calls, worked by hand"""
    answer = report("halves", "n=16", "-f", halves(), "--cache", "320", "--residency", "split")
    assert answer["level_bytes"] == [320] and answer["buffer_bytes"] == 2048
    assert [parts(call) for call in answer["calls"]] == [
        [(2, None)],
        [(4, None)],
        [(2, 4), (2, 6)],  # what the call before touched; what the one before it did, behind 4 other lines
        [(4, 4), (2, 6), (2, None)],
    ]
    # a cache of 5 lines holds what is at most 5 lines deep
    assert [call["shares"] for call in answer["calls"]] == [[0, 1], [0, 1], [0.5, 0.5], [0.5, 0.5]]
    assert answer["shares"] == [6 / 18, 12 / 18]
    sums = report("halves", "n=16", "-f", halves(), "--cache", "384", "--residency", "split", "--distance", "sums")
    assert [parts(call) for call in sums["calls"]][3] == [(4, 4), (2, 8), (2, None)]
    assert sums["calls"][3]["shares"] == [0.5, 0.5]
    total = report("halves", "n=16", "-f", halves(), "--cache", "2K", "--residency", "split", "--first", "total")
    assert total["shares"] == [1, 0], "all of it is 32 lines"
    assert total["time_s"] is None and total["priced"] == 0 and total["status"] is None


def test_levels():
    """each of several caches holds what the nearer ones do not"""
    answer = report("halves", "n=16", "-f", halves(), "--cache", "256,384", "--residency", "split")
    assert answer["calls"][3]["shares"] == [0.5, 0.25, 0.25]


def test_qr_of_the_papers():
    """QR decomposition, n = 1568, b = 32: 1873 calls, and 48 subtractions that LAPACK has in-line"""
    answer = report("dgeqrf-nx0", "n=1568", "b=32", "--cache", "6M", "--first", "total", "--history", "1")
    calls = [call for call in answer["calls"] if call["kernel"] != "dgesub"]
    assert len(calls) == 1873 and len(answer["calls"]) == 1921
    assert [call["step"] for call in calls if call["kernel"] == "dgeqr2"] == list(range(1, 50))
    first = next(call for call in calls if call["call"] == "dgemm(N,T,1536,1536,32)")
    assert first["operands"][2]["shares"][1] > 0.99, "the trailing matrix is in memory"
    assert calls[-1]["operands"][0]["shares"][0] > 0.99, "the last steps are in the cache"


def state_models():
    """Models of the made-up machine in states: half the time in the cache, four times in memory."""
    path = os.path.join(folder(), "states.json")
    with open(models("chol-l-3"), encoding="utf-8") as file:
        content = json.load(file)
    for model in json.loads(json.dumps(content["models"])):
        for context, factor in (("cache:in", 0.5), ("cache:out", 4.0)):
            other = json.loads(json.dumps(model))
            other["context"] = context
            for piece in other["pieces"]:
                piece["floors"] = [factor * value for value in piece["floors"]]
                for values in piece["coefficients"].values():
                    values[:] = [factor * value for value in values]
            content["models"].append(other)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def test_blended_times():
    """times are blended by shares, and predictions are what they add up to"""
    path = state_models()
    answer = report("chol-l-3", "n=1000", "b=128", "-m", path, "--cache", "1M")
    assert answer["priced"] == answer["blended"] == len([call for call in answer["calls"] if not call["empty"]])
    close(answer["level_s"][0], answer["warm_s"] / 2)
    close(answer["level_s"][1], answer["warm_s"] * 4)
    for call in answer["calls"]:
        close(call["time_s"], sum(share * time for share, time in zip(call["shares"], call["level_s"])))
    close(answer["time_s"], sum(call["time_s"] for call in answer["calls"]))
    assert answer["level_s"][0] < answer["time_s"] < answer["level_s"][1]
    assert answer["status"] == "inside" and answer["notes"] == []
    beyond = report("chol-l-3", "n=3000", "b=128", "-m", path, "--cache", "1M", "--extrapolate")
    assert beyond["status"] == "extrapolated" and "extrapolated" in beyond["notes"]
    words = "chol-l-3", "n=1000", "b=128", "-m", path, "--models", "cache"
    prediction = run("predict", *words, "--cache", "1M", "--json").json()
    close(prediction["time_s"]["med"], answer["time_s"])
    assert prediction["models"] == "cache" and prediction["cache_calls"] == answer["priced"]
    close(sum(kernel["time_s"]["med"] for kernel in prediction["kernels"]), answer["time_s"])
    assert "blended" in run("predict", *words).out
    large = run("predict", *words, "--cache", "1G", "--first", "total", "--residency", "shared", "--json").json()
    close(large["time_s"]["med"], answer["level_s"][0])
    weighted = report("chol-l-3", "n=1000", "b=128", "-m", path, "--cache", "1M", "--weights", "1,0.25")
    assert weighted["weights"] == [1, 0.25] and weighted["warm_kernels"] == ""
    for call, plain in zip(weighted["calls"], answer["calls"]):
        if not call["empty"]:
            inside, outside = plain["shares"]
            times = inside * plain["level_s"][0] + 0.25 * outside * plain["level_s"][1] + 0.75 * outside * plain["warm_s"]
            close(call["time_s"], times)
    warm = run("predict", *words[:-1], "warm", "--json").json()
    close(warm["time_s"]["med"], answer["warm_s"])
    ranking = run("rank", *words, "--json").json()["ranking"]
    close(ranking[0]["time_s"], run("predict", *words, "--json").json()["time_s"]["med"])


def test_kept_fit():
    """a fit that is kept in the model file fills in what is left open"""
    path = os.path.join(folder(), "fitted.json")
    with open(state_models(), encoding="utf-8") as file:
        content = json.load(file)
    fit = {"level_bytes": [1048576], "alpha": 6.0, "beta": 3.0, "weights": [1.25, 0.75], "warm_kernels": "dtrsm,dpotrf2"}

    def write(**changes):
        content["machine"]["blending"] = dict(fit, **changes)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)

    write()
    words = "chol-l-3", "n=1000", "b=128", "-m", path
    answer = report(*words)
    assert {key: answer[key] for key in fit} == fit
    for call in answer["calls"]:
        if call["kernel"] in ("dtrsm", "dpotrf2") and not call["empty"]:
            close(call["time_s"], call["warm_s"])
    assert any(abs(call["time_s"] / call["warm_s"] - 1) > 0.1 for call in answer["calls"] if call["kernel"] == "dsyrk" and not call["empty"])
    write(warm_kernels="")
    answer = report(*words)
    given = report(*words, "--cache", "1M", "--alpha", "6", "--beta", "3", "--weights", "1.25,0.75")
    assert given == answer
    given = report(*words, "--warm-kernels", "dsyrk")
    assert given["warm_kernels"] == "dsyrk"
    for call in given["calls"]:
        if call["kernel"] == "dsyrk" and not call["empty"]:
            close(call["time_s"], call["warm_s"])
    other = report(*words, "--cache", "2M")
    assert other["alpha"] == 4 and other["weights"] == [1, 1], "it was not fitted for another cache"
    prediction = run("predict", *words, "--models", "cache", "--json").json()
    close(prediction["time_s"]["med"], answer["time_s"])
    write()
    assert run("model", path, "--json").json()["machine"]["blending"] == fit
    for changes in ({"alpha": 0}, {"beta": "x"}, {"weights": [1]}, {"weights": [1, 1, 1]}, {"level_bytes": []},
                    {"level_bytes": [0]}, {"level_bytes": [2048, 1024], "weights": [1, 1, 1]}, {"warm_kernels": 3},
                    {"warm_kernels": 600 * "k"}):  # fmt: skip
        write(**changes)
        refuses(1, "cache", *words, naming=["fitted.json", "blending"])


def test_models_of_one_state():
    """models of calls alone answer for all states"""
    answer = report("chol-l-3", "n=500", "b=128", "-m", models("chol-l-3"), "--cache", "1M")
    assert answer["blended"] == 0
    close(answer["time_s"], answer["warm_s"])


def test_scripts():
    """calls as a text for the sampler, with the caches set up"""
    words = "cache", "chol-l-3", "n=64", "b=16", "--cache", "4K"
    text = run(*words, "--calls", "2:2", "--script", "found").out
    lines = text.splitlines()
    assert lines[1] == "# call 2, step 1: dtrsm(R,L,T,N,48,16)", text
    assert "dtrsm(R, L, T, N, 48, 16, 1, a_2, 64, b_2, 64)" in lines, text
    whole = run(*words, "--calls", "2:2", "--script", "whole").out
    assert whole.count("dtrsm(R, ") == 2, whole
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    for setup in ("found", "block"):
        text = run(*words, "--script", setup, "--width", "8").out
        done = subprocess.run(
            [COMMAND, "sample", "--reps", "1", "--gate", "off", "--json"], input=text, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        calls = json.loads(done.stdout)["calls"]
        assert len(calls) == len([line for line in text.splitlines() if line.startswith("d") and "(" in line])
        assert all("error" not in call and call["time_s"]["med"] > 0 for call in calls), calls
    return None


def test_for_people():
    """tables of kernels and of calls"""
    lines = run("cache", "chol-l-3", "n=1000", "b=64", "--cache", "1M,32M").out.splitlines()
    assert "48 calls" in lines[0], lines[0]
    assert lines[2].split()[:2] == ["calls", "data"] and lines[2].split()[-1] == "memory", lines[2]
    assert [line.split()[0] for line in lines[3:7]] == ["dpotrf2", "dtrsm", "dsyrk", "all"], lines
    shown = run("cache", "chol-l-3", "n=1000", "b=64", "--cache", "1M", "--calls", "2:3").out.splitlines()
    assert shown[3].split()[:2] == ["2", "dtrsm(R,L,T,N,936,64)"], shown
    assert "inout b, 936 x 64" in shown[5], shown
    assert len(shown) == 3 + 3 + 3, shown
    timed = run("cache", "chol-l-3", "n=1000", "b=128", "-m", state_models(), "--cache", "1M").out
    assert "blended" in timed and "have models of several states" in timed


def test_bad_input():
    """what cannot be meant is refused"""
    chol = "cache", "chol-l-3", "n=64", "b=8"
    refuses(2, "cache")
    refuses(1, "cache", "chol-l-4", "n=64", naming=["chol-l-4"])
    refuses(2, "cache", "chol-l-3", "b=8", naming=["'n'"])
    refuses(2, *chol, "k=3", naming=["'k'"])
    refuses(1, "cache", "chol-l", "n=64", "b=8", naming=["3 algorithms"])
    for value in ("0", "-1", "1M,1M", "2M,1M", "1M,", ",", "1T", "M", "1.5M", "1,2,3,4,5", "9999999999999G"):
        refuses(2, *chol, "--cache", value, naming=["--cache"])
    refuses(1, *chol, "--cache", "63", naming=["at least a line"])
    refuses(2, *chol, "--line", "48", naming=["power of 2"])
    refuses(2, *chol, "--line", "4", naming=["--line"])
    refuses(2, *chol, "--residency", "none", naming=["smoothed", "shared"])
    refuses(2, *chol, "--distance", "miles", naming=["lines", "sums"])
    refuses(2, *chol, "--first", "never", naming=["cold", "repeated"])
    refuses(2, *chol, "--history", "0", naming=["--history"])
    refuses(2, *chol, "--alpha", "0", naming=["--alpha"])
    for value in ("0,1", "1,x", "", "1,1,1,1,1,1", "1,"):
        refuses(2, *chol, "--weights", value, naming=["--weights"])
    refuses(2, *chol, "--cache", "1M", "--weights", "1,1,1", naming=["one for memory"])
    for value in ("", "dgemm dtrsm", "dgemm,\"", 600 * "k"):
        refuses(2, *chol, "--warm-kernels", value, naming=["--warm-kernels"])
    refuses(2, *chol, "--models", "warm", naming=["--models"])
    refuses(1, *chol, "--residency", "shared", "--distance", "sums", naming=["sums"])
    refuses(1, *chol, "--calls", "100:200", naming=["--calls", "calls"])
    refuses(2, *chol, "--calls", "1:3:2", naming=["--calls"])
    refuses(2, *chol, "--script", "cold", naming=["found", "block"])
    refuses(2, *chol, "--script", "found", "--json", naming=["--json"])
    refuses(2, *chol, "--script", "block", "--width", "0", naming=["--width"])
    refuses(1, *chol, "--ld", "63", naming=["rows of A"])
    refuses(1, *chol, "-m", os.path.join(folder(), "none.json"), naming=["none.json"])
    refuses(1, "cache", "chol-l-3", "n=1000000000", "b=100000", naming=["cache lines"])
    refuses(1, "cache", "sum", "n=8", "-f", halves(), naming=["loop nest"])
    path = models("chol-l-3")
    refuses(2, "predict", "chol-l-3", "n=64", "b=8", "-m", path, "--cache", "1M", naming=["--models cache"])
    refuses(2, "predict", "chol-l-3", "n=64", "b=8", "-m", path, "--models", "cold", naming=["'cache'"])


if __name__ == "__main__":
    main(globals())
