# SPDX-License-Identifier: BSD-3-Clause
"""timings, machine --caches, generate --cache, predict --mode with a worker: shape and sense of the answers, never their times."""

import json
import os

from harness import ROOT, folder, main, models, refuses, run

NO_WORKER = None if "PERFPRED_WORKER" in os.environ else "built without the worker"
NAME, POINT = "chol-l-3", ("n=96", "b=32")
ESTIMATES = ["repeated", "in", "outer", "out", "initial", "split", "smoothed", "fitted"]


def manual(heading):
    with open(os.path.join(ROOT, "doc/json.md"), encoding="utf-8") as file:
        return file.read().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def explained(answer, heading):
    text = manual(heading)
    for key in answer:
        assert f"`{key}`" in text, key


def test_caches():
    """machine --caches tells levels in order and the curve"""
    if NO_WORKER:
        return NO_WORKER
    answer = run("machine", "--caches", "--budget", "0.05", "--json").json()
    levels, curve = answer["levels"], answer["curve"]
    assert 1 <= len(levels) <= 8 and levels[-1]["bytes"] == 0, levels
    sizes = [level["bytes"] for level in levels[:-1]]
    assert sizes == sorted(set(sizes)) and all(size > 0 for size in sizes), sizes
    assert all(0 < level["latency_s"] < 1e-3 for level in levels)
    assert [point["bytes"] for point in curve] == sorted({point["bytes"] for point in curve}) and curve
    explained(answer, "machine")
    text = run("machine", "--caches", "--budget", "0.05")
    assert text.code == 0 and "memory" in text.out and "latency/ns" in text.out, text.out
    return None


def test_timings():
    """timings compares every estimate with the calls in the algorithm"""
    if NO_WORKER:
        return NO_WORKER
    answer = run("timings", NAME, *POINT, "--reps", "2", "--budget", "5", "--detail", "--json").json()
    assert answer["calls"] == 9 and answer["empty"] == 2 and answer["copies"] == 0, answer["calls"]
    assert [error["estimate"] for error in answer["errors"]] == ESTIMATES
    assert all(error["mean_are"] >= 0 for error in answer["errors"])
    assert len(answer["list"]) == 7 and all(call["measured_s"] > 0 for call in answer["list"])
    assert [call["index"] for call in answer["list"]] == list(range(7))
    assert all(abs(sum(call["shares"]) - 1) < 1e-9 for call in answer["list"])
    assert [kernel["kernel"] for kernel in answer["kernels"]] == ["dpotrf2", "dtrsm", "dsyrk"]
    explained(answer, "timings")
    explained(answer["list"][0].keys() - {f"{name}_s" for name in ESTIMATES}, "timings")
    text = run("timings", NAME, *POINT, "--reps", "2", "--budget", "5", "--cache", "32K,1M")
    assert text.code == 0 and "fitted" in text.out and "dsyrk" in text.out and "32768, 1048576" in text.out, text.out
    return None


def test_replay():
    """predict --mode replay and setup need no models, and say what they cost"""
    if NO_WORKER:
        return NO_WORKER
    for mode in ("replay", "setup"):
        answer = run("predict", NAME, "n=128", "b=16", "--mode", mode, "--reps", "2", "--steps", "3", "--json").json()
        assert answer["mode"] == mode and answer["steps"] == 8 and answer["measured_steps"] == 3, answer
        assert (answer["touched_steps"] > 0) == (mode == "setup"), answer
        assert answer["time_s"]["med"] > 0 and answer["cost_s"] > 0 and 0 < answer["measured_share"] < 1, answer
        explained(answer, "predict")
    text = run("predict", NAME, "n=128", "b=16", "--mode", "replay", "--reps", "2", "--steps", "3")
    assert text.code == 0 and "3 of 8 steps" in text.out and "executions" in text.out, text.out
    return None


def test_states():
    """generate --cache puts models of all states side by side, with the measured caches"""
    if NO_WORKER:
        return NO_WORKER
    path = os.path.join(folder(), "states.json")
    answer = run("generate", "--for", NAME, "-o", path, "-n", "8:64", "-b", "8:32", "--budget", "3", "--set", "repetitions=2",
                 "--set", "minimum-width=64", "--cache", "warm,in,outer,out", "--json").json()
    assert answer["models"] == 11 and answer["state_models"] == 8 and answer["context_models"] == 0, answer
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    contexts = [model["context"] for model in content["models"]]
    assert {name: contexts.count(name) for name in contexts} == {"": 3, "cache:in": 2, "cache:outer": 3, "cache:out": 3}, "dpotrf2 reads nothing alone"
    assert content["machine"]["levels"][-1]["bytes"] == 0
    assert run("predict", NAME, "-m", path, "n=64", "b=16", "--json").json()["warm_calls"] == 10
    fitted = run("timings", NAME, "n=64", "b=16", "-m", path, "--fit", "--reps", "2", "--force", "--json").json()
    assert [error["estimate"] for error in fitted["errors"]] == ["warm", "in", "out", "blend", "fitted"]
    assert fitted["compared"] == 10 and fitted["fitted"]["alpha"] > 0, fitted
    explained(fitted, "timings")
    explained(fitted["fitted"], "timings")
    assert len(fitted["fitted"]["weights"]) == len(content["machine"]["levels"]) - 1 + (len(content["machine"]["levels"]) < 3), fitted
    several = run("timings", f"{NAME},chol-l-1", "-n", "24:40:16", "b=16", "-m", path, "--fit", "--keep", "--reps", "2", "--force", "--json").json()
    assert [(entry["name"], entry["parameters"]["n"]) for entry in several["executions"]] == [
        (NAME, 24), (NAME, 40), ("chol-l-1", 24), ("chol-l-1", 40)], several  # fmt: skip
    explained(several, "timings")
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)["machine"]["blending"]
    assert kept["weights"] == several["fitted"]["weights"], kept
    assert all(0.001 <= weight <= 1 for weight in kept["weights"]), kept
    assert kept.get("warm_kernels", "") == several["fitted"]["warm_kernels"], kept
    text = run("timings", NAME, "n=64", "b=16", "-m", path, "--reps", "2", "--force")
    assert text.code == 0 and "blended" in text.out, text.out + text.err
    return None


def test_refused():
    """what does not go together is refused before anything is measured"""
    path = models(NAME)
    refuses(2, "generate", "--for", NAME, "-o", "x.json", "--cache", "hot", naming=("--cache", "hot", "warm"))
    refuses(2, "generate", "--for", NAME, "-o", "x.json", "--cache", "in,in", naming=("--cache", "twice"))
    refuses(2, "generate", "--for", NAME, "-o", "x.json", "--cache", "in,", naming=("--cache", "expected"))
    refuses(2, "predict", NAME, *POINT, "--mode", "guess", naming=("--mode", "guess", "replay"))
    refuses(2, "predict", NAME, *POINT, "-m", path, "--mode", "replay", naming=("--mode", "-m"))
    refuses(2, "predict", NAME, *POINT, "-m", path, "--steps", "4", naming=("--steps", "--mode"))
    refuses(2, "predict", NAME, *POINT, "-m", path, "--reps", "4", naming=("--reps", "--mode"))
    refuses(2, "predict", NAME, *POINT, "--mode", "replay", "--steps", "1", naming=("--steps",))
    refuses(2, "predict", NAME, *POINT, "--mode", "replay", "--cache", "1M", naming=("--cache", "setup"))
    refuses(2, "predict", NAME, *POINT, "--mode", "setup", "--weights", "1,1", naming=("--mode setup", "--cache"))
    refuses(2, "timings", NAME, "b=32", "-n", "32:64:32", naming=("-n", "-m"))
    refuses(2, "timings", NAME, "b=32", "-n", "32:64", "-m", path, naming=("-n", "step"))
    refuses(2, "timings", NAME, *POINT, "-n", "32:64:32", "-m", path, naming=("-n", "parameter"))
    refuses(2, "machine", "--budget", "1", naming=("--budget", "--caches"))
    refuses(2, "timings", NAME, *POINT, "--fit", naming=("--fit", "-m"))
    refuses(2, "timings", NAME, *POINT, "-m", path, "--detail", naming=("--detail",))
    refuses(1, "timings", "chol-l", *POINT, naming=("chol-l", "one of them"))
    refuses(2, "timings", NAME, "n=96", "b=32", "k=3", naming=("k",))


main(globals())
