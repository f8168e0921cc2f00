#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Model files that several processes write, and generations that are killed, on a virtual clock. Speaks TAP."""
import json
import os
import signal
import subprocess

from harness import folder, main, run

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


main(globals())
