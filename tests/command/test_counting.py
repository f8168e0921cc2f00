# SPDX-License-Identifier: BSD-3-Clause
"""perfpred sample: events that are counted, by the worker and PAPI, with a library that says what it does."""

import json
import os
import shutil
import subprocess

from harness import COMMAND, folder, main

NONE = "this build counts no events: perfpred-hardware.so or PAPI is missing"


def sample(text, *words, worker=None):
    path = os.path.join(folder(), "counted.kernels")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "perfpred-text 1\n\nkernel dcounted(r: size, c: size, x: inout vector[r], info)\n  mul r*c\n"
                f"  library {os.environ.get('COUNTED', 'none')}\n  symbol counted_kernel_\nend\n"
            )
    environment = dict(os.environ)
    if worker:
        environment["PERFPRED_WORKER"] = worker
    return subprocess.run(
        [COMMAND, "sample", "--reps", "2", "--gate", "off", "-f", path, *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=240,
        env=environment,
    )


def calls_of(text, **options):
    done = sample(text, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["calls"]


def values(call):
    assert call["status"] == "OK", call
    return [counter["value"] for counter in call["counters"]]


def cannot():
    return None if "PERFPRED_WORKER" in os.environ and "COUNTED" in os.environ else "no worker, PAPI or libsde"


TEXT = """counters sde:::COUNTED::rows sde:::COUNTED::calls
dcounted(7, 3)
{ dcounted(2, 2); dcounted(3, 3) }
{omp dcounted(5, 1); { dcounted(6, 1); dcounted(1, 1) } }
set operands fresh
dcounted(1000000, 1)
counters
dcounted(9, 1)
"""


def test_counts_in_json():
    """what each call did, in JSON: alone, one after the other, side by side"""
    if cannot():
        return cannot()
    calls = calls_of(TEXT)
    assert [values(call) for call in calls[:4]] == [[7, 1], [5, 2], [12, 3], [1000000, 1]]
    assert calls[0]["counters"][0]["name"] == "sde:::COUNTED::rows"
    assert "counters" not in calls[4]
    assert not any("counters_note" in call for call in calls)
    return None


def test_counts_in_text():
    """what each call did, in text, by its line"""
    if cannot():
        return cannot()
    done = sample(TEXT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + 5 + 4, done.stdout
    assert lines[6] == "line 2: sde:::COUNTED::rows 7 sde:::COUNTED::calls 1", lines[6]
    assert lines[8] == "line 4: sde:::COUNTED::rows 12 sde:::COUNTED::calls 3", lines[8]
    return None


def test_more_events_than_fit():
    """sixty events, more than are counted at once, of one call"""
    if cannot():
        return cannot()
    names = " ".join(f"sde:::COUNTED::many{i}" for i in range(60))
    (call,) = calls_of(f"counters {names} sde:::COUNTED::rows\ndcounted(13, 1)\n")
    assert values(call) == [13] * 61, call
    return None


def test_a_name_that_no_library_has():
    """an event that no library has registered is null and has its reason, the others are counted"""
    if cannot():
        return cannot()
    (call,) = calls_of("counters sde:::COUNTED::rowz sde:::COUNTED::rows sde:::NOBODY::rows\ndcounted(13, 1)\n")
    assert values(call) == [None, 13, None]
    assert call["counters_note"] == (
        "sde:::COUNTED::rowz: no loaded library has registered it; "
        "sde:::NOBODY::rows: no loaded library has registered it"
    )
    return None


def test_a_name_that_nobody_knows():
    """an event that PAPI knows of no machine is an error with line and column, before anything is run"""
    if cannot():
        return cannot()
    done = sample("dcounted(5, 1)\n  counters PAPI_TOT_CYC PAPI_TOT_CICLES\ndcounted(5, 1)\n", "--json")
    assert done.returncode == 1 and done.stdout == "", done.stdout
    assert done.stderr == "perfpred: standard input:2:25: PAPI knows no event 'PAPI_TOT_CICLES'\n", done.stderr
    return None


def test_c30_hardware_or_not():
    """C30: whatever the machine has, times are there, and what cannot be counted is one note"""
    if cannot():
        return cannot()
    text = "counters PAPI_TOT_CYC PAPI_TOT_INS sde:::COUNTED::rows\ndcounted(5, 1)\ndcounted(6, 1)\n"
    calls = calls_of(text)
    for call, rows in zip(calls, [5, 6]):
        assert call["time_s"]["med"] > 0
        counts = values(call)
        assert counts[2] == rows
        assert (None in counts) == ("counters_note" in call), call
    notes = sample(text).stdout.count("\ncounters: ")
    assert notes == (1 if None in values(calls[0]) else 0), notes
    return None


def test_c30_no_counters():
    """C30: a worker that cannot count measures all the same, with one note for all calls"""
    if cannot():
        return cannot()
    worker = os.path.join(folder(), "perfpred-worker")
    shutil.copy(os.environ["PERFPRED_WORKER"], worker)
    text = "counters PAPI_TOT_CYC PAPI_NO_SUCH\ndcounted(5, 1)\n{ dcounted(5, 1); dcounted(5, 1) }\n"
    for call in calls_of(text, worker=worker):
        assert values(call) == [None, None] and call["time_s"]["med"] > 0
        assert call["counters_note"] == NONE
    lines = sample(text, worker=worker).stdout.splitlines()
    assert lines[-1] == f"counters: {NONE}" and lines[-2] == "line 3: PAPI_TOT_CYC - PAPI_NO_SUCH -", lines
    assert len(lines) == 3 + 2 + 1
    return None


main(globals())
