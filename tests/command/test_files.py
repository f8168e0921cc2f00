#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Model files that several processes write, and generations that are killed, on a virtual clock. Speaks TAP."""
import json
import os
import signal
import subprocess

from harness import folder, main, refuses, run

NAMES = ("chol-l-1", "chol-l-2", "chol-l-3")


def start(path, *names, **environment):
    command = [os.environ["VIRTUAL_MODELS"], path, *names]
    return subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)


def finish(process):
    text = process.communicate(timeout=120)[1]
    return process.returncode, text


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def kernels(path):
    return {(model["kernel"], model["case"]) for model in read(path)["models"]}


def test_several_writers():
    """processes add to one file at once, some are killed: it is whole, and nothing is lost (C42)"""
    expected, path = set(), os.path.join(folder(), "shared.json")
    for name in NAMES:
        alone = os.path.join(folder(), name + ".json")
        assert finish(start(alone, name))[0] == 0
        expected |= kernels(alone)
    for rounds in range(4):
        killed = [start(path, name) for name in NAMES]
        writers = [start(path, name) for name in NAMES]
        killed[rounds % 3].kill()
        for process in writers:
            code, text = finish(process)
            assert code == 0, text
            assert "models" in read(path)
        for process in killed:
            process.kill()
            process.wait()
        assert kernels(path) == expected, expected - kernels(path)
        assert run("model", path).code == 0
    finish(start(path, NAMES[0]))
    left = [name for name in os.listdir(folder()) if name.startswith("shared") and name != "shared.json"]
    assert not left, left


def test_killed_and_resumed():
    """a generation that is killed goes on where it stopped, to the same models"""
    whole, path = os.path.join(folder(), "whole.json"), os.path.join(folder(), "resumed.json")
    assert finish(start(whole, NAMES[0], JOURNAL="1", SAMPLES="1"))[0] == 0
    assert not os.path.exists(whole + ".journal")
    previous = 0
    for after in ("600", "100", "400"):
        assert finish(start(path, NAMES[0], JOURNAL="1", SAMPLES="1", KILL_AFTER=after))[0] == -signal.SIGKILL
        assert not os.path.exists(path)
        size = os.path.getsize(path + ".journal")
        assert size >= previous
        previous = size
    with open(path + ".journal", "a", encoding="utf-8") as file:
        file.write('{"kernel": "dpot')  # a line that was being written
    code, text = finish(start(path, NAMES[0], JOURNAL="1", SAMPLES="1"))
    assert code == 0, text
    assert not os.path.exists(path + ".journal")
    one, two = read(whole), read(path)
    assert one["models"] == two["models"]

    def keyed(document):
        return sorted(json.dumps(sample, sort_keys=True) for sample in document["samples"])

    assert len(keyed(one)) == len(keyed(two)) > 0


def step_samples(lines):
    """times by what they are of; those of one call in the order in which they came"""
    found = {}
    for sample in lines:
        key = (sample["kernel"], sample["case"], sample["context"], *sample["step"], *sample["sizes"])
        found[key] = found.get(key, []) + sample["times_s"]
    return found


def test_killed_in_a_step():
    """samples of steps are in the journal, too: none that was written is lost, or taken a second time"""
    path = os.path.join(folder(), "steps.json")
    steps = {"JOURNAL": "1", "SAMPLES": "1", "CONTEXTS": "1"}
    before = {}
    for after in ("2500", "600"):
        assert finish(start(path, NAMES[1], KILL_AFTER=after, **steps))[0] == -signal.SIGKILL
        with open(path + ".journal", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file.read().splitlines()[1:]]
        now = step_samples(line for line in lines if "context" in line)
        assert now and all(now[key][: len(times)] == times for key, times in before.items())
        before = now
    code, text = finish(start(path, NAMES[1], **steps))
    assert code == 0, text
    assert not os.path.exists(path + ".journal")
    document = read(path)
    after = step_samples(document["step_samples"])
    assert all(after[key][: len(times)] == times for key, times in before.items())
    assert {model["context"] for model in document["models"]} == {sample["context"] for sample in document["step_samples"]}
    code, text = finish(start(path, NAMES[1], KNOWN="1", KILL_AFTER="1", **steps))  # dies if it measures
    assert code == 0, text
    again = read(path)
    assert again["step_samples"] == document["step_samples"] and again["models"] == document["models"]


def test_killed_while_saving():
    """a kill before the models are written loses no sample, one before the journal goes doubles none"""
    keep = {"JOURNAL": "1", "SAMPLES": "1"}
    whole = os.path.join(folder(), "unharmed.json")
    assert finish(start(whole, NAMES[0], **keep))[0] == 0
    expected = read(whole)
    for place in ("rename", "unlink"):
        path = os.path.join(folder(), f"killed-{place}.json")
        assert finish(start(path, NAMES[0], KILL_AT=place, **keep))[0] == -signal.SIGKILL
        assert os.path.exists(path + ".journal") and os.path.exists(path) == (place == "unlink")
        assert not os.path.exists(path) or read(path)["samples"] == expected["samples"]
        known = {"KNOWN": "1"} if os.path.exists(path) else {}
        code, text = finish(start(path, NAMES[0], **keep, **known))
        assert code == 0, text
        document = read(path)
        assert document["samples"] == expected["samples"] and document["models"] == expected["models"]
        left = [name for name in os.listdir(folder()) if name.startswith(os.path.basename(path))]
        assert left == [os.path.basename(path)], left


def test_foreign_journal():
    """a journal of another machine or setup is refused, with the way out"""
    path = os.path.join(folder(), "foreign.json")
    assert finish(start(path, NAMES[0], JOURNAL="1", KILL_AFTER="1000"))[0] == -signal.SIGKILL
    with open(path + ".journal", encoding="utf-8") as file:
        good = file.read()
    head = json.loads(good.splitlines()[0])
    for change in ("cpu", "threads", "library"):
        spoilt = json.loads(json.dumps(head))
        if change == "cpu":
            spoilt["machine"]["cpu"] = "Abacus 2000"
        else:
            spoilt["setup"][change] = 64 if change == "threads" else "9.9.9"
        with open(path + ".journal", "w", encoding="utf-8") as file:
            file.write(json.dumps(spoilt) + "\n" + "".join(line + "\n" for line in good.splitlines()[1:]))
        code, text = finish(start(path, NAMES[0], JOURNAL="1"))
        assert code == 1 and ".journal:1" in text and "delete it" in text, text
    assert finish(start(path, NAMES[0], JOURNAL="1", RESTART="1"))[0] == 0
    assert not os.path.exists(path + ".journal")


def test_kept_samples():
    """samples are kept where they are asked for, and survive what is added"""
    path = os.path.join(folder(), "samples.json")
    assert finish(start(path, NAMES[0]))[0] == 0
    assert "samples" not in read(path)
    assert finish(start(path, NAMES[0], SAMPLES="1"))[0] == 0
    count = len(read(path)["samples"])
    assert count > 0
    assert finish(start(path, NAMES[1]))[0] == 0
    document = read(path)
    assert len(document["samples"]) == count and len(document["setups"]) == 1


def test_refit():
    """models are fitted anew from their samples: the same with the same knobs, others with others; nothing is measured"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker, which solves the least squares"
    path, again = os.path.join(folder(), "kept.json"), os.path.join(folder(), "again.json")
    assert finish(start(path, NAMES[0], SAMPLES="1"))[0] == 0
    report = run("model", "refit", path, "-o", again, "--json").json()
    one, two = read(path), read(again)
    assert report["file"] == again and report["from"] == path and report["missing"] == report["kept"] == 0
    assert report["models"] == len(one["models"]) and report["samples"] == sum(m["samples"] for m in one["models"])
    assert one["samples"] == two["samples"] and one["setups"] == two["setups"] and one["options"] == two["options"]
    for a, b in zip(one["models"], two["models"]):  # another LAPACK may round otherwise
        assert {key: a[key] for key in a if key != "pieces"} == {key: b[key] for key in b if key != "pieces"}
        for old, new in zip(a["pieces"], b["pieces"]):
            size = max(map(abs, old["coefficients"]["med"]))
            for x, y in zip(old["coefficients"]["med"], new["coefficients"]["med"]):
                assert abs(x - y) <= 1e-9 * size
    report = run("model", "refit", path, "-o", again, "--set", "overfitting=0", "--set", "generator=adaptive",
                 "--json").json()
    assert report["missing"] > 0 and read(again)["options"]["generator"] == "adaptive"
    answer = run("model", again, "--json").json()
    assert answer["options"]["generator"] == "adaptive" and answer["options"]["overfitting"] == -1
    assert "generator    adaptive, 10 samples at each point" in run("model", again).out
    text = run("model", "refit", path, "-o", again, "--set", "overfitting=0").out
    assert "nothing was measured" in text and "missing" in text, text
    for words in (("rank", "chol-l"), ("predict", NAMES[0])):
        assert run(*words, "-m", again, "n=1000", "b=128").code == 0
    return None


def test_refit_refused():
    """what cannot be refitted is told"""
    path = os.path.join(folder(), "bare.json")
    assert finish(start(path, NAMES[0]))[0] == 0
    out = os.path.join(folder(), "never.json")
    refuses(2, "model", "refit", path, naming=["-o FILE"])
    refuses(2, "model", "refit", path, "-o", out, "--set", "generator=best", naming=["generator", "'best'"])
    refuses(2, "model", path, "-o", out, naming=["refit"])
    refuses(2, "model", path, "--set", "grid=cartesian", naming=["refit"])
    refuses(2, "model", path, "other.json", naming=["other.json"])
    refuses(2, "model", "refit", path, path, "-o", out, naming=["unexpected"])
    refuses(1, "model", "refit", out, "-o", out, naming=["never.json", "no such file"])
    refuses(1, "model", "refit", path, "-o", folder(), naming=["regular file"])
    if "PERFPRED_WORKER" in os.environ:
        refuses(1, "model", "refit", path, "-o", out, naming=["bare.json", "no raw samples", "--samples"])
    assert not os.path.exists(out)


main(globals())
