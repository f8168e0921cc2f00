# SPDX-License-Identifier: BSD-3-Clause
"""perfpred drift and validate --drift. No test depends on a time: anchors that took a thousand times as long have drifted on any machine."""

import json
import os
import shutil

from harness import ROOT, close, folder, main, models, refuses, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

with open(os.path.join(ROOT, "doc", "drift.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

os.environ["ANCHORS"] = "1"  # of the made-up machine
QUICK = ("--reps", "4", "--gate", "off")


def changed(name, change):
    """Models of the made-up machine with their anchors changed, or (None) without."""
    with open(models("chol-l-1"), encoding="utf-8") as file:
        content = json.load(file)
    for model in content["models"]:
        if change is None:
            del model["anchors"]
        if change is not None:
            del model["anchors"][0]  # the larger ones take their time
            del model["anchors"][1:]
        for anchor in model.get("anchors", []):
            change(model, anchor)
    path = os.path.join(folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def slow():
    """Models of a machine that took a thousand times as long."""
    return changed("slow.json", lambda model, anchor: anchor.update(time_s=1e3 * anchor["time_s"]))


def without_worker():
    return None if "PERFPRED_WORKER" in os.environ else "built without the worker"


def test_anchors():
    """the anchors of the made-up machine are what its calls take"""
    with open(models("chol-l-1"), encoding="utf-8") as file:
        content = json.load(file)
    kernels = set()
    for model in content["models"]:
        kernels.add(model["kernel"])
        assert 2 <= len(model["anchors"]) <= 3
        for anchor in model["anchors"]:
            if model["kernel"] == "dpotrf2":
                close(anchor["time_s"], 1.01 * (1e-6 + anchor["sizes"][0] ** 3 / 6e9))
            assert anchor["gated"] and anchor["samples"] == 20
            assert all(lo <= size <= up for size, lo, up in
                       zip(anchor["sizes"], model["domain"]["lower"], model["domain"]["upper"]))  # fmt: skip
    assert kernels == {"dpotrf2", "dtrsm", "dsyrk"}


def test_verdict():
    """a machine that is a thousand times as fast is seen, for every kernel"""
    if without_worker():
        return without_worker()
    answer = run("drift", "-m", slow(), *QUICK, "--json").json()
    if jsonschema:
        jsonschema.Draft7Validator(SCHEMA).validate(answer)
    assert answer["verdict"] == "drifted" and answer["ratio"] < 0.5
    assert sorted(kernel["kernel"] for kernel in answer["kernels"]) == ["dpotrf2", "dsyrk", "dtrsm"]
    for kernel in answer["kernels"]:
        assert kernel["verdict"] == "drifted" and kernel["measured"] == kernel["anchors"]
        close(kernel["threshold"], 0.01 + 2 * kernel["noise"])
    for anchor in answer["anchors"]:
        close(anchor["ratio"], anchor["now_s"] / anchor["then_s"])
    return None


def test_apply():
    """scaled models go to a file of their own, which says so; the models' own file only when it is told"""
    if without_worker():
        return without_worker()
    here = slow()
    out = os.path.join(folder(), "scaled.json")
    answer = run("drift", "-m", here, *QUICK, "--apply", "-o", out, "--json").json()
    ratios = {kernel["kernel"]: kernel["ratio"] for kernel in answer["kernels"]}
    for model in run("model", out, "--json").json()["models"]:
        close(model["scale"], ratios[model["kernel"]])
        assert model["scaled_at"].endswith("Z") and model["scaled_from"].endswith("Z") and model["anchors"] > 0
    assert "scaled" in run("model", out).out and "scaled" not in run("model", here).out
    assert all(model["scale"] == 1 for model in run("model", here, "--json").json()["models"])
    refuses(1, "drift", "-m", here, *QUICK, "--apply", "-o", out, naming=[out, "--replace"])
    refuses(1, "drift", "-m", here, *QUICK, "--apply", "-o", here, naming=[here, "--replace"])
    copy = os.path.join(folder(), "copy.json")
    shutil.copy(here, copy)
    text = run("drift", "-m", copy, *QUICK, "--apply", "-o", copy, "--replace")
    assert text.code == 0 and "The models do not hold: 3 kernels of 3 are off" in text.out, text.err
    assert "scaled" in run("model", copy).out
    return None


def test_refused():
    """what cannot be done is refused in one line, before anything is measured"""
    old = changed("old.json", None)
    refuses(2, "drift", naming=["-m FILE"])
    refuses(1, "drift", "-m", old, naming=[old, "no anchors"])
    refuses(1, "validate", "chol-l-1", "-m", old, "-n", "32", "-b", "16", "--drift", naming=["no anchors"])
    refuses(2, "drift", "-m", slow(), "--apply", naming=["--apply", "-o FILE"])
    refuses(2, "drift", "-m", slow(), "-o", "x.json", naming=["--apply"])
    refuses(2, "drift", "-m", slow(), "--replace", naming=["--apply"])
    refuses(1, "drift", "-m", slow(), "--threads", "7", naming=["anchors"])
    refuses(1, "drift", "-m", slow(), "--setup", "2", naming=["anchors"])
    bad = changed("bad.json", lambda model, anchor: anchor.update(sizes=[8] * 5))
    refuses(1, "drift", "-m", bad, naming=["models[0].anchors[0].sizes"])
    bad = changed("bad.json", lambda model, anchor: anchor.update(time_s="long"))
    refuses(1, "drift", "-m", bad, naming=["models[0].anchors[0].time_s"])


def test_validate():
    """validate --drift has both errors, the plain one first"""
    if without_worker():
        return without_worker()
    words = ("validate", "chol-l-1", "-m", slow(), "-n", "32:64:32", "-b", "16", *QUICK, "--drift")
    answer = run(*words, "--json").json()
    for point in answer["points"]:
        close(point["are"], abs(point["predicted_s"] - point["measured_s"]) / point["measured_s"])
        close(point["drift_corrected_re"], point["drift_corrected_s"] / point["measured_s"] - 1)
        close(point["drift_corrected_are"], abs(point["drift_corrected_re"]))
        assert point["drift_corrected_s"] < 0.5 * point["predicted_s"]
    close(answer["drift_corrected_mean_are"], sum(p["drift_corrected_are"] for p in answer["points"]) / 2)
    assert answer["drift_readings"] == 2 and answer["drift_ratio"] < 0.5 and answer["drift_s"] > 0
    text = run(*words).out
    assert text.index("absolute relative error: mean") < text.index("with the machine's drift taken out: mean")
    with open(os.path.join(ROOT, "doc", "json.md"), encoding="utf-8") as file:
        manual = file.read()
    assert all(f"`{key}`" in manual for key in list(answer) + list(answer["points"][0]))
    return None


main(globals())
