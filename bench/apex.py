#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well Apex-MAP foretells two programs: mod2am (dense matrix product, DGEMM) and mod2as (sparse matrix times vector).

apex.py PERFPRED MOD2AS [--folder F] [...]: PERFPRED is the command, MOD2AS bench/mod2as. To be run alone on the machine. What is
done is the paper's list of steps (doc/apex.md): both programs are measured on the machine of the weights; their rectangles get
weights, and runs that stand for them; both programs and those runs are measured on other setups of the machine, which play
other machines; predictions and measurements are compared. Prints a table; everything lies in the folder afterwards.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
DENSE = (500, 600, 800, 1000, 1200, 1400, 1700, 2000)
SPARSE = ("2000:0.05", "5000:0.02", "10000:0.01", "20000:0.01", "30000:0.01", "40000:0.005", "60000:0.003")


class Setup:
    """What plays a machine: a BLAS and its environment, an instruction set of Apex-MAP, threads."""

    def __init__(self, name, blas, environment, isa, threads):
        self.name, self.blas, self.isa, self.threads = name, blas, isa, threads
        self.environment = environment

    def command_words(self):
        words = ["--blas", self.blas, "--threads", self.threads]
        for name, value in self.environment.items():
            words += ["--env", f"{name}={value}"]
        return words


def fail(text):
    sys.exit(f"apex.py: {text}")


def run(words, **options):
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def dense(options, setup):
    """Seconds, flops and bytes of one product of each size."""
    text = "".join(f"dgemm(N, N, {n}, {n}, {n}, 1, 0)\n" for n in options.dense)
    words = [options.perfpred, "sample", "--json", "--reps", options.reps, *setup.command_words()]
    calls = json.loads(run(words, input=text))["calls"]
    sets = []
    for n, call in zip(options.dense, calls):
        if "time_s" not in call:
            fail(f"dgemm of {n}: {call['error']}")
        moved = 8 * 4 * n * n if 8 * 3 * n * n > options.cache else 0
        sets.append({"name": str(n), "time_s": call["time_s"]["med"], "flops": 2.0 * n**3, "bytes": moved})
    return sets


def sparse(options, setup, wide=False):
    environment = {
        **os.environ, "OMP_NUM_THREADS": str(setup.threads), "OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "true",
    }
    words = [options.mod2as, *(["-64"] if wide else []), *options.sparse]
    if setup.threads == 1:
        words = ["taskset", "-c", "0", *words]
    sets = []
    for line in run(words, env=environment).splitlines():
        told = json.loads(line)
        moved = told["bytes"] if told["bytes"] > options.cache else 0
        time_s = told["sample"]["calls"][0]["time_s"]["med"]
        sets.append({"name": f"{told['n']}:{told['fill']}", "time_s": time_s, "flops": told["flops"], "bytes": moved})
    return sets


def sparse_wide(options, setup):
    return sparse(options, setup, wide=True)


PROGRAMS = {"mod2am": dense, "mod2as": sparse, "mod2as-64": sparse_wide}


def write_samples(path, sets, calls):
    """Every data set is a sample: so many calls of it."""
    samples = [
        {"time_s": count * one["time_s"], "flops": count * one["flops"], "bytes": count * one["bytes"]}
        for one, count in zip(sets, calls)
    ]
    with open(path, "w") as file:
        json.dump({"samples": samples}, file)
        file.write("\n")


def rate(sets, calls):
    flops = sum(count * one["flops"] for one, count in zip(sets, calls))
    return flops / sum(count * one["time_s"] for one, count in zip(sets, calls))


def apex(options, *words):
    return json.loads(run([options.perfpred, "apex", *words, "--json"]))


def weigh(options, setup, program, sets):
    """Steps 1 to 3: every data set for one second; runs that aim at its rectangles; weights."""
    base = os.path.join(options.folder, program)
    calls = [1.0 / one["time_s"] for one in sets]
    write_samples(f"{base}.json", sets, calls)
    points = apex(
        options, "points", "--mix", f"{base}.json", "--cell", options.cells[program], "--cache", options.cache,
        "--max-runs", options.runs, "--reps", options.reps, "--isa", setup.isa, *setup.command_words(),
        *(["--blocks", options.blocks] if options.blocks else []), "-o", f"{base}-points.json",
    )  # fmt: skip
    weights = apex(
        options, "weights", f"{base}.json", "--points", f"{base}-points.json", "--cell", options.cells[program],
        "-o", f"{base}-weights.json",
    )  # fmt: skip
    same = apex(options, "predict", f"{base}-weights.json", "-o", f"{base}-same.json")
    run([options.perfpred, "apex", "plot", f"{base}-points.json", f"{base}-weights.json", "-o", f"{base}.svg"])
    return points, weights, same, calls


def mean_of(before, after):
    """Two measurements of the same data sets as one."""
    return [{**one, "time_s": (one["time_s"] + other["time_s"]) / 2} for one, other in zip(before, after)]


def ask_elsewhere(options, setup, program, calls):
    """Steps 4 to 6 on another setup. The program is measured before and after the runs that stand for it, which takes the drift of a shared
    machine out, as far as it is even. Returns the prediction, the measurement, and by how much the second one was slower than the first."""
    base = os.path.join(options.folder, program)
    there = f"{base}-{setup.name}"
    before = PROGRAMS[program](options, setup)
    apex(
        options, "points", "--for", f"{base}-weights.json", "--cache", options.cache, "--reps", options.reps,
        "--isa", setup.isa, *setup.command_words(), "-o", f"{there}-points.json",
    )  # fmt: skip
    after = PROGRAMS[program](options, setup)
    sets = mean_of(before, after)
    write_samples(f"{there}.json", sets, calls)
    prediction = apex(
        options, "predict", f"{base}-weights.json", "--points", f"{there}-points.json",
        "--measured", f"{there}.json", "-o", f"{there}-prediction.json",
    )  # fmt: skip
    return prediction, sets, rate(before, calls) / rate(after, calls) - 1


def show_first(program, points, weights, same, measured, drift):
    cover = weights["coverage"]
    print(
        f"{program}: {len(points['points'])} runs; {100 * cover['covered']:.1f} % of the time covered, "
        f"{100 * cover['covered_of_reachable']:.1f} % of what can be reached; clock {points['clock_hz'] / 1e9:.3f} GHz "
        f"({points['clock_source']}), cache {points['cache_bytes'] / 2**20:.0f} MiB ({points['cache_source']})"
    )
    for one in weights["rectangles"]:
        chosen = one["representative"]
        print(
            f"  {100 * one['weight']:5.1f} %  {one['bytes_per_cycle']} B/cycle  {one['flops_per_cycle']} flop/cycle  "
            f"{chosen['run'] if chosen else '-'}{'' if one['covered'] else ' (not covered)'}"
        )
    show(program, "the same", same, "sum_of_rates", measured, drift)


def show(program, machine, report, formula, measured, drift=None):
    predicted = report[formula]["flops_per_s"]
    told = "" if drift is None else f"   drift {100 * drift:+.1f} %"
    print(
        f"  {program:10} {machine:10} predicted {predicted / 1e9:8.3f}  measured {measured / 1e9:8.3f} Gflop/s  "
        f"{100 * (predicted - measured) / measured:+6.1f} %   {report[formula]['formula']}{told}"
    )


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("perfpred")
    parser.add_argument("mod2as")
    parser.add_argument("--folder", help="for samples, points, weights and pictures; default: a temporary one")
    parser.add_argument("--blas", default=f"{LIBRARIES}/blis-openmp/libblis.so.4", help="a BLIS with threads")
    parser.add_argument("--kinds", default="0,3", help="BLIS_ARCH_TYPE of AVX-512, of AVX2 (0.9: 0 skx, 3 haswell)")
    parser.add_argument("--cache", type=int, help="bytes of the outermost cache; default: measured")
    parser.add_argument("--runs", type=int, default=250, help="most runs of Apex-MAP for each program")
    parser.add_argument("--blocks", type=int, help="I of random runs; default: 64 to 4096")
    parser.add_argument("--reps", type=int, default=10)
    parser.add_argument("--cell-am", default="0.5,0.5")
    parser.add_argument("--cell-as", default="0.5,0.05")
    parser.add_argument("--dense", type=lambda text: [int(n) for n in text.split(",")], default=list(DENSE))
    parser.add_argument("--sparse", type=lambda text: text.split(","), default=list(SPARSE))
    parser.add_argument("--programs", default="mod2am,mod2as,mod2as-64")
    parser.add_argument("--machines", default="avx2,threads", help="other setups: avx2, threads")
    options = parser.parse_args()
    options.cells = {"mod2am": options.cell_am, "mod2as": options.cell_as, "mod2as-64": options.cell_as}
    options.folder = options.folder or tempfile.mkdtemp(prefix="apex-")
    os.makedirs(options.folder, exist_ok=True)
    if options.cache is None:  # of the levels the last one is memory
        options.cache = json.loads(run([options.perfpred, "machine", "--caches", "--json"]))["levels"][-2]["bytes"]
    return options


def main():
    options = parse()
    wide, narrow = ({"BLIS_ARCH_TYPE": kind} for kind in options.kinds.split(","))
    first = Setup("avx512", options.blas, wide, "avx512", 1)
    others = {
        "avx2": Setup("avx2", options.blas, narrow, "avx2", 1),
        "threads": Setup("threads", options.blas, wide, "avx512", 2),
    }
    print(f"folder {options.folder}")
    for program in options.programs.split(","):
        measure = PROGRAMS[program]
        sets = measure(options, first)
        points, weights, same, calls = weigh(options, first, program, sets)
        after = measure(options, first)
        drift = rate(sets, calls) / rate(after, calls) - 1
        show_first(program, points, weights, same, rate(mean_of(sets, after), calls), drift)
        for name in options.machines.split(","):
            prediction, there, drift = ask_elsewhere(options, others[name], program, calls)
            for formula in ("same_work", "scaled_rate"):
                show(program, name, prediction, formula, rate(there, calls), drift)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
