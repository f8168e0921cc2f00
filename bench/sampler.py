#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well the sampler measures: sampler.py PERFPRED [RUNS]. To be run alone on the machine; takes a few minutes.

Prints a table: where the time of a generation run goes, what is left of an empty call, the
spread of a gated median over runs, idle and while both cores are loaded, and the drift over many repetitions.
"""

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile

PERFPRED = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
KERNEL = "set repetitions 100\ndsyrk(L, N, 500, 128, 1, 1)\n"  # 1 to 2 ms at some ten Gflop/s


def run(*words, text=""):
    done = subprocess.run([PERFPRED, *words], input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def report(text, *words):
    made = run("sample", "--json", *words, text=text)
    for call in made["calls"]:
        if call["status"] != "OK":
            sys.exit(call["error"])
    return made


def sample(text):
    return report(text)["calls"]


def reading():
    """The yardstick's best reading in a process of its own."""
    return report(KERNEL)["yardstick_s"]


def medians(runs, reference):
    """Medians for the runs' own best readings and for the common one, and how many were gated. One set of runs serves both."""
    own, common, gated = [], [], 0
    for _ in range(runs):
        made = report(KERNEL, "--yardstick", repr(reference))
        time = made["calls"][0]["time_s"]["med"]
        common.append(time)
        own.append(time * made["yardstick_s"] / made["yardstick_reference_s"])
        gated += made["calls"][0]["gated"]
    return own, common, gated


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def spin():
    while True:
        pass


def row(what, value, goal):
    print(f"{what:<58} {value:>22}   {goal}", flush=True)


def generation():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "models.json")
        made = run("generate", "--for", "chol-l-3", "-o", file, "-n", "8:1024", "-b", "8:256", "--budget", "60", "--json")
    wall = made["wall_s"]
    parts = ("timed_s", "spare_s", "rejected_s", "yardstick_s", "restore_s")
    own = wall - sum(made[part] for part in parts)
    counted = wall - made["rejected_s"] - made["yardstick_s"] - made["restore_s"]
    row("generation: overhead without the next three", f"{own / counted:.1%}", "<= 10 %")
    row("  samples that were rejected, share of all time", f"{made['rejected_s'] / wall:.1%}", "")
    row("  yardsticks", f"{made['yardstick_s'] / wall:.1%}", "")
    row("  operands laid out and restored", f"{made['restore_s'] / wall:.1%}", "")
    row("  calls that become no samples", f"{made['spare_s'] / wall:.1%}", "")
    row("  overhead if these count as well, not as calls", f"{(own + made['spare_s']) / counted:.1%}", "")
    row("  all", f"{wall:.1f} s", "")


def empty():
    calls = [sample("set repetitions 200\nddot(0)\n")[0] for _ in range(3)]
    times = [call["time_s"]["med"] for call in calls]
    row("a call that has nothing to do", f"{statistics.median(times) * 1e9:.1f} ns", "few ns more than the routine")


def repeatability():
    reference = reading()
    own, idle, gated = medians(RUNS, reference)
    row(f"median of {RUNS} runs, idle", f"{statistics.median(idle) * 1e3:.4f} ms", f"{gated} gated")
    row("  spread, (largest - smallest) / median", f"{spread(idle):.2%}", "<= 1.5 %")
    row("  spread, every run by its own best reading", f"{spread(own):.2%}", "")
    load = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count() or 2)]
    for process in load:
        process.start()
    _, busy, gated = medians(RUNS, reference)
    for process in load:
        process.terminate()
    row(f"median of {RUNS} runs, all cores loaded", f"{statistics.median(busy) * 1e3:.4f} ms", f"{gated} gated")
    row("  against idle", f"{statistics.median(busy) / statistics.median(idle) - 1:+.2%}", "within 3 %")


def drift():
    samples = sample("set repetitions 10000\ndpotrf2(L, 32)\n")[0]["samples"]
    clean = [time for time, passed in zip(samples["wall_s"], samples["passed"]) if passed]
    tenth = max(1, len(clean) // 10)
    first, last = statistics.median(clean[:tenth]), statistics.median(clean[-tenth:])
    row("10,000 repetitions in place: last tenth against first", f"{last / first - 1:+.2%}", "no drift")


generation()
empty()
repeatability()
drift()
