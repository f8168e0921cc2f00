#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well contractions are foretold: contract.py PERFPRED FOLDER STAGE... [-- OPTIONS OF THE SETUP]. To be run alone on the machine.

Stages, in any number and order:
  ranges            the three contractions of Section 24 over ranges of sizes, with each number of --threads
  cases             the cases of tests/common/contractions.csv, a spread of them first; extents are scaled down where memory or time asks for it
  stages            error after each stage of the micro-benchmarks, in each mode, beside one set of executions
  long              contractions whose fastest algorithm takes about a second or more: what planning costs beside one run of it; and what predicting
                    algorithms of level 1 and 2 costs beside executing them
  compare           the pick beside what users do: transpose, product, transpose (--ttgt bench/ttgt); the first product found; numpy
  tables            nothing is measured: the tables of what FOLDER has
Every question is two commands: one predicts as users have it, for the pick and what planning costs; one predicts all algorithms (of large families:
those with the larger kernels), and executes the best predicted and some of the others beside it, for the errors. Answers stay in FOLDER as JSON and are not asked again: an interrupted run goes on. --minutes is kept, each stage has its share of what is left: what does not fit is
left out, and said. Tables are
in Markdown. OPTIONS go to every command, such as --env BLIS_ARCH_TYPE=0.
"""

import json
import math
import os
import random
import re
import subprocess
import sys
import time

import machine as common
from machine import mean, percent

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "tests", "command"))
import contractions  # noqa: E402

FIRST = "ai,ibc->abc"
SECOND = "iaj,ji->a"
THIRD = "ija,jbic->abc"
# Section 24's contractions; in the order in which they tell most, so that a short run has one of each
RANGES = [
    ("1", FIRST, {"i": 8}, "abc", (104, 200, 304, 400)),
    ("2", SECOND, {}, "aij", (104, 200, 304, 400)),
    ("3", THIRD, {"i": 8, "j": 8}, "abc", (56, 104, 152, 200)),
    ("1, square", FIRST, {}, "abci", (48, 80, 112, 144)),
    ("3, i = j = 32", THIRD, {"i": 32, "j": 32}, "abc", (48, 80, 112, 144)),
]
LIMITS = {"flops": 2e9, "bytes": 6e8}


def arguments():
    parser = common.parser(__doc__)
    parser.add_argument("stages", nargs="+", choices=["ranges", "cases", "stages", "long", "compare", "tables"])
    parser.add_argument("--minutes", type=float, default=20.0, help="wall time of the whole run")
    parser.add_argument("--threads", default="1,2", help="numbers of threads of stage ranges; the others have the first one")
    parser.add_argument("--blas", default="/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4", help="the BLAS of one thread")
    parser.add_argument("--blas-threads", default="/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4", help="that of several")
    parser.add_argument("--best", type=int, default=8, help="how many of the best predicted algorithms are measured")
    parser.add_argument("--others", type=int, default=8, help="and how many of the others, at random")
    parser.add_argument("--few", type=int, default=36, help="of a contraction with so many algorithms all are measured")
    parser.add_argument("--most", type=int, default=200, help="algorithms that are predicted at most; beyond, all with gemm, then gemv and ger")
    parser.add_argument("--seconds", type=float, default=10.0, help="most for the executions of one question")
    parser.add_argument("--planning", type=float, default=4.0, help="most for the predictions of all algorithms")
    parser.add_argument("--limit", type=float, default=1.0, help="algorithms that would run longer are not executed")
    parser.add_argument("--flops", type=float, default=LIMITS["flops"], help="extents are scaled down to so many")
    parser.add_argument("--bytes", type=float, default=LIMITS["bytes"], help="and to tensors of so many bytes together")
    parser.add_argument("--long-flops", type=float, default=1e11, help="stage long: extents are scaled down to so many")
    parser.add_argument("--long-bytes", type=float, default=5e9, help="stage long: and to tensors of so many bytes together")
    parser.add_argument("--reps", type=int, default=5, help="of each measured algorithm")
    parser.add_argument("--mode", help="of the predictions of ranges and cases; default: the command's")
    parser.add_argument("--csv", default=contractions.CASES)
    parser.add_argument("--only", help="cases whose name has this regular expression")
    parser.add_argument("--ttgt", help="bench/ttgt; default: beside PERFPRED's build folder, else that comparison is left out")
    parser.add_argument("--lapack", default="/usr/lib/x86_64-linux-gnu/lapack", help="folder of the reference LAPACK, for numpy")
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with numpy")
    options = common.parse(parser)
    options.deadline = time.monotonic() + 60.0 * options.minutes
    if options.ttgt is None:
        options.ttgt = os.path.join(os.path.dirname(os.path.dirname(options.perfpred)), "bench", "ttgt")
    return options


# --- Questions ------------------------------------------------------------------------------------------------------------


class Contraction(contractions.Contraction):
    def count(self):
        """How many algorithms each kernel has, the ones that do most at once first."""
        found = self.counts()
        return {name: found[name] for name in ("gemm", "gemv", "ger", "axpy", "dot")}

    def bytes(self, extents):
        return 8.0 * sum(math.prod(extents[index] for index in tensor) for tensor in (self.a, self.b, self.c))

    def scaled(self, extents, flops, most_bytes):
        """Extents and the factor: the largest of 1, 0.95, 0.9, ... within the limits. What is short stays as it is."""
        factor = 1.0
        while True:
            tried = {index: max(min(value, 8), round(factor * value)) for index, value in extents.items()}
            if (self.flops(tried) <= flops and self.bytes(tried) <= most_bytes) or factor < 0.05:
                return tried, factor
            factor = round(factor - 0.05, 2)

    def kernels(self, most):
        """Those that together have at most so many algorithms, the ones that do most at once first; at least one."""
        chosen, total = [], 0
        for name, count in self.count().items():
            if count and (not chosen or total + count <= most):
                chosen.append(name)
                total += count
        return chosen


class Bench(common.Machine):
    def __init__(self, options):
        super().__init__(options)
        self.left_out = []
        worker = os.path.join(os.path.dirname(os.path.dirname(options.perfpred)), "worker", "perfpred-worker")
        if os.path.exists(worker):  # PERFPRED lies in a build folder
            os.environ.setdefault("PERFPRED_WORKER", worker)

    def library(self, threads):
        return self.options.blas if threads == 1 else self.options.blas_threads

    def remaining(self):
        return self.options.deadline - time.monotonic()

    def asked(self, label, einsum, extents, threads, *more):
        """What the command says, asked once. None: no time is left, or it failed, which is said."""
        name = re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-") + ".json"
        if os.path.exists(self.path(name)):
            return self.kept(name)
        if self.remaining() < 2.0:
            self.left_out.append(label)
            return None
        words = ["contract", einsum, *(f"{index}={value}" for index, value in sorted(extents.items())),
                 "--blas", self.library(threads), "--threads", threads, *more]  # fmt: skip
        report, failure = self.ask(*words)
        if report is None:
            print(f"{label}: {failure}", flush=True)
            self.left_out.append(label)
            return None
        report["label"] = label
        self.keep(name, report)
        return report

    def executions(self, best=None, others=None):
        options = self.options
        words = ["--reps", options.reps, "--run-budget", min(options.seconds, max(1.0, self.remaining())), "--limit", options.limit]
        return words + (["--measure", best, "--others", others] if others else ["--measure", best] if best else ["--measure"])

    def question(self, label, einsum, extents, threads, *more):
        """Both answers as one."""
        options = self.options
        contraction = Contraction(einsum)
        few = sum(contraction.count().values()) <= options.few
        some = [] if few else ["--kernel", ",".join(contraction.kernels(options.most)), "--max", options.most]
        chosen = self.executions() if few else self.executions(options.best, options.others)
        plan = self.asked(f"{label} plan", einsum, extents, threads, *more)
        report = self.asked(f"{label} all", einsum, extents, threads, *more, *some, *chosen, "--complete", "--budget", options.planning)
        if plan is None or report is None:
            return None
        return {**report, "plan": plan, "threads": threads}


# --- What came out ------------------------------------------------------------------------------------------------------------


def both(report):
    return [one for one in report["algorithms"] if one.get("measured_s") and one.get("predicted_s")]


def kendall(points):
    """tau over pairs of algorithms whose measured times differ by more than both their noises, and how many pairs these are."""
    agree = disagree = 0
    for i, first in enumerate(points):
        for second in points[:i]:
            wide = 1.0 + max(0.02, (first.get("noise") or 0.0) + (second.get("noise") or 0.0))
            low, high = sorted((first, second), key=lambda one: one["measured_s"])
            if high["measured_s"] <= wide * low["measured_s"]:
                continue
            agree += low["predicted_s"] < high["predicted_s"]
            disagree += low["predicted_s"] > high["predicted_s"]
    pairs = agree + disagree
    return (agree - disagree) / pairs if pairs else None, pairs


def level(one):
    return 3 if one["kernel"].endswith("gemm") else 1 if one["kernel"].endswith(("dot", "dotu", "axpy")) else 2


def summary(report):
    """The figures of the goals for one question."""
    points = both(report)
    if not points:
        return None
    plan = report["plan"]
    names = {one["name"]: one for one in points}
    pick = names.get(plan["algorithms"][0]["name"]) or min(points, key=lambda one: one["predicted_s"])
    fastest = min(points, key=lambda one: one["measured_s"])
    tau, pairs = kendall(points)
    predicted = [one for one in report["algorithms"] if one.get("predicted_s")]
    cheap = [one["measured_s"] / one["cost_s"] for one in points if level(one) < 3 and one.get("cost_s")]
    return {
        "measured": len(points),
        "predicted": len(predicted),
        "error": mean(abs(one["predicted_s"] / one["measured_s"] - 1.0) for one in points),
        "noise": mean(one.get("noise") for one in points),
        "pick": pick["name"],
        "fastest": fastest["name"],
        "fastest_s": fastest["measured_s"],
        "loss": pick["measured_s"] / fastest["measured_s"] - 1.0,
        "tau": tau,
        "pairs": pairs,
        "per_algorithm_s": report["planning_s"] / max(1, len(predicted)),
        "planning_s": plan["planning_s"],
        "planning_ratio": plan["planning_s"] / fastest["measured_s"],
        "cheapest": max(cheap) if cheap else None,
    }


HEADS = ["", "sizes", "algorithms", "measured", "error", "noise", "pick", "fastest", "loss", "tau", "ms per algorithm", "planning / fastest",
         "largest run / prediction, level 1 and 2"]


def sizes(extents, factor=1.0):
    groups = {}
    for index, value in sorted(extents.items()):
        groups.setdefault(value, []).append(index)
    text = ", ".join(f"{'='.join(indices)}={value}" for value, indices in groups.items())
    return text + (f" (x {factor:.2g})" if factor < 1.0 else "")


def row(label, extents, factor, report):
    found = summary(report)
    if not found:
        return [label, sizes(extents, factor)] + ["-"] * (len(HEADS) - 2)
    return [
        label, sizes(extents, factor), f"{found['predicted']} of {report['count']['total']}", str(found["measured"]),
        percent(found["error"], digits=1), percent(found["noise"], digits=1), found["pick"],
        f"{found['fastest']}, {1e3 * found['fastest_s']:.3g} ms", percent(found["loss"], digits=1),
        "-" if found["tau"] is None else f"{found['tau']:.2f} ({found['pairs']})", f"{1e3 * found['per_algorithm_s']:.1f}",
        f"{found['planning_ratio']:.3g}", "-" if found["cheapest"] is None else f"{found['cheapest']:.3g}",
    ]  # fmt: skip


def goals(title, reports):
    """The figures that are aimed at, over all questions of a stage."""
    found = [one for one in map(summary, reports) if one]
    if not found:
        return
    losses = [one["loss"] for one in found]
    taus = [one["tau"] for one in found if one["tau"] is not None]
    long = [one["planning_ratio"] for one in found if one["fastest_s"] >= 1.0]
    cheap = [one["cheapest"] for one in found if one["cheapest"]]
    common.markdown([
        [f"{title}: {len(found)} questions", "goal", "found"],
        ["mean error of the predicted time", "10 %, or the noise", f"{percent(mean(one['error'] for one in found), digits=1)}; noise "
         f"{percent(mean(one['noise'] for one in found), digits=1)}; within either: "
         f"{sum(one['error'] <= max(0.10, one['noise'] or 0.0) for one in found)} of {len(found)}"],
        ["pick within 5 % of the fastest measured", "all", f"{sum(loss <= 0.05 for loss in losses)} of {len(losses)}, within that or the noise "
         f"{sum(one['loss'] <= max(0.05, one['noise'] or 0.0) for one in found)}; "
         f"mean loss {percent(mean(losses), digits=1)}, worst {percent(max(losses), digits=1)}"],
        ["Kendall tau of those that can be told apart", ">= 0.9", f"mean {mean(taus):.2f}, >= 0.9: {sum(tau >= 0.9 for tau in taus)} of {len(taus)}"],
        ["time per algorithm", "<= 10 ms", f"mean {1e3 * mean(one['per_algorithm_s'] for one in found):.1f} ms, "
         f"worst {1e3 * max(one['per_algorithm_s'] for one in found):.1f} ms"],
        ["planning / fastest run, of a second or more", "<= 5 %", percent(max(long), digits=1) if long else "none runs so long"],
        ["run / prediction, level 1 and 2", ">= 1000 for long ones", f"largest {max(cheap):.3g}" if cheap else "-"],
    ])  # fmt: skip


# --- Stages -------------------------------------------------------------------------------------------------------------------


def mode_words(options):
    return ["--mode", options.mode] if options.mode else []


def range_items(options):
    """Interleaved, so that a run that ends early has something of each."""
    threads = [int(word) for word in options.threads.split(",")]
    steps = max(len(values) for *_, values in RANGES)
    for place in (steps - 1, 1, 0, *range(2, steps - 1)):
        for count in threads:
            for name, einsum, fixed, varied, values in RANGES:
                if place < len(values) and (count == 1 or "32" in name or "square" in name or name == "1"):
                    yield name, einsum, {**fixed, **{index: values[place] for index in varied}}, count


def ranges(bench):
    reports, rows = [], []
    for name, einsum, full, threads in range_items(bench.options):
        extents, factor = Contraction(einsum).scaled(full, bench.options.flops, bench.options.bytes)
        label = f"range {name} {sizes(extents)} t{threads}"
        report = bench.question(label, einsum, extents, threads, *mode_words(bench.options))
        if report:
            reports.append(report)
            rows.append(row(f"{name} ({einsum})" + (f", {threads} threads" if threads > 1 else ""), extents, 1.0, report))
    if rows:
        common.markdown([HEADS, *sorted(rows, key=lambda cells: cells[0])])
        for threads in sorted({report["threads"] for report in reports}):
            goals(f"Section 24, {threads} thread{'s' if threads > 1 else ''}", [one for one in reports if one["threads"] == threads])


def read_cases(options):
    found = list(contractions.cases(options.csv))
    if options.only:
        found = [case for case in found if re.search(options.only, case[0])]
    # one of each family after the other, so that a run that ends early has seen all kinds
    families = {}
    for case in found:
        families.setdefault(re.match(r"[a-z]+(?:\d+(?=-))?", case[0]).group(0), []).append(case)
    queues = [random.Random(1).sample(cases, len(cases)) for cases in families.values()]
    return [queue[i] for i in range(max(map(len, queues), default=0)) for queue in queues if i < len(queue)]


def case_questions(bench):
    for name, einsum, extents in read_cases(bench.options):
        scaled, factor = Contraction(einsum).scaled(extents, bench.options.flops, bench.options.bytes)
        threads = int(bench.options.threads.split(",")[0])
        report = bench.question(f"case {name}", einsum, scaled, threads, *mode_words(bench.options))
        if report:
            yield name, einsum, scaled, factor, report


def cases(bench):
    reports, rows = [], []
    for name, einsum, extents, factor, report in case_questions(bench):
        reports.append(report)
        rows.append(row(f"{name} ({einsum})", extents, factor, report))
    if rows:
        common.markdown([HEADS, *sorted(rows)])
        goals("cases", reports)


def stages(bench):
    """As Sections 23.2 to 23.6 go on, and the other modes beside them."""
    rows = [["contraction", "mode", "stage", "compared", "mean error", "median", "largest", "tau", "loss", "predicted in"]]
    for title, einsum, extents, kernels in (
        (f"{FIRST}, i=8", FIRST, {"a": 304, "b": 304, "c": 304, "i": 8}, ["--kernel", "gemm,gemv,ger"]),
        (SECOND, SECOND, {"a": 304, "i": 304, "j": 304}, []),
        (f"{THIRD}, i=j=8", THIRD, {"a": 104, "b": 104, "c": 104, "i": 8, "j": 8}, ["--kernel", "gemm,gemv,ger"]),
    ):
        scaled, _ = Contraction(einsum).scaled(extents, bench.options.flops, bench.options.bytes)
        report = bench.asked(f"stages {title}", einsum, scaled, 1, "--stages", *kernels, *bench.executions(),
                             "--budget", bench.options.planning)  # fmt: skip
        for one in report["stages"] if report else []:
            rows.append([f"{title} (noise {percent(report['noise_floor'], digits=1)})", one["mode"], one["stage"], str(one["compared"]),
                         *(percent(one[key], digits=1) for key in ("mean_are", "median_are", "worst_are")),
                         "-" if one["tau"] is None else f"{one['tau']:.2f}", percent(one["loss"], digits=1), f"{one['planning_s']:.2f} s"])  # fmt: skip
    if len(rows) > 1:
        common.markdown(rows)


LONG = [("square", "ac,cb->ab", {"a": 3000, "b": 3000, "c": 3000}), ("1, square", FIRST, {"a": 300, "b": 300, "c": 300, "i": 1000}),
        ("3, i = j = 40", THIRD, {"a": 200, "b": 200, "c": 200, "i": 40, "j": 40})]  # fmt: skip
SLOW = [("1, i = 8", FIRST, {"a": 640, "b": 640, "c": 640, "i": 8}), ("3, i = j = 8", THIRD, {"a": 240, "b": 240, "c": 240, "i": 8, "j": 8})]


def long_items(options):
    """Our own ones, then of the cases those with the most flops to a byte."""
    yield from ((name, einsum, extents, 1.0) for name, einsum, extents in LONG)
    for name, einsum, extents in read_cases(options):
        scaled, factor = Contraction(einsum).scaled(extents, options.long_flops, options.long_bytes)
        if Contraction(einsum).flops(scaled) >= 0.4 * options.long_flops:
            yield name, einsum, scaled, factor


def long(bench):
    """What the planner is allowed, 5 % of the best predicted time, is for these its budget."""
    rows = [["", "sizes", "pick", "predicted", "one run", "planning", "planning / run", "calibration", "executing / predicting, level 1 and 2"]]
    for name, einsum, extents in SLOW:
        report = bench.asked(f"slow {name}", einsum, extents, 1, "--kernel", "dot,axpy,gemv,ger", "--no-copies", "--complete", "--measure", 1, "--others", 5,
                             "--reps", 1, "--run-budget", 60, "--limit", 60)  # fmt: skip
        found = [one for one in both(report) if one.get("cost_s")] if report else []
        for one in sorted(found, key=lambda one: one["measured_s"]):
            rows.append([f"{name} ({einsum})", sizes(extents), one["name"], f"{one['predicted_s']:.3g} s", f"{one['measured_s']:.3g} s",
                         f"{1e3 * one['cost_s']:.3g} ms", percent(one["cost_s"] / one["measured_s"]), "-", f"{one['measured_s'] / one['cost_s']:.0f}"])  # fmt: skip
    for name, einsum, extents, factor in long_items(bench.options):
        plan = bench.asked(f"long {name} plan", einsum, extents, 1, *mode_words(bench.options))
        run = bench.asked(f"long {name} run", einsum, extents, 1, *mode_words(bench.options), "--measure", 1, "--reps", 2)
        found = {one["name"]: one for one in both(run)} if run else {}
        pick = found.get(plan["algorithms"][0]["name"]) or next(iter(found.values()), None) if plan else None
        if pick:
            rows.append([f"{name} ({einsum})", sizes(extents, factor), pick["name"], f"{pick['predicted_s']:.3g} s", f"{pick['measured_s']:.3g} s",
                         f"{1e3 * plan['planning_s']:.0f} ms", percent(plan["planning_s"] / pick["measured_s"]),
                         f"{1e3 * plan['calibration_s']:.0f} ms", "-"])  # fmt: skip
    if len(rows) > 1:
        common.markdown(rows)


# --- What users do ------------------------------------------------------------------------------------------------------------

# Tensors in C order with the letters of each reversed are the same memory. Prints seconds, and which BLAS is loaded.
NUMPY = """
import json, sys, time
import numpy
einsum, extents, repetitions = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
left, c = einsum.split("->")
a, b = left.split(",")
a, b, c = a[::-1], b[::-1], c[::-1]
x, y = (numpy.random.rand(*(extents[i] for i in letters)) for letters in (a, b))
def by_einsum():
    return numpy.einsum(a + "," + b + "->" + c, x, y, optimize=True)
def by_tensordot():
    summed = [i for i in a if i in b and i not in c]
    made = numpy.tensordot(x, y, ([a.index(i) for i in summed], [b.index(i) for i in summed]))
    letters = [i for i in a + b if i not in summed]
    return numpy.ascontiguousarray(made.transpose([letters.index(i) for i in c]))
batch = any(i in b and i in c for i in a)
ways = {"einsum": by_einsum} if batch else {"einsum": by_einsum, "tensordot": by_tensordot}
found = {}
for name, way in ways.items():
    way()
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        way()
        times.append(time.perf_counter() - begin)
    found[name] = sorted(times)[len(times) // 2]
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "blis" in line or "blas" in line}
found["blas"] = sorted(path for path in loaded if path.startswith("/"))
print(json.dumps(found))
"""


def environment(bench, threads, blas):
    """The BLAS for a program that asks for libblas.so.3, with the variables that the measured one has."""
    made = {**os.environ, "OMP_NUM_THREADS": str(threads), "BLIS_NUM_THREADS": str(threads)}
    words = bench.options.setup
    made.update(words[i + 1].split("=", 1) for i, word in enumerate(words[:-1]) if word == "--env")
    # a LAPACK that brings no BLAS of its own
    made["LD_LIBRARY_PATH"] = os.path.dirname(blas) + ":" + bench.options.lapack
    return made


def by_numpy(bench, einsum, extents, blas):
    try:
        done = subprocess.run([bench.options.python, "-c", NUMPY, einsum, json.dumps(extents), str(bench.options.reps)],
                              capture_output=True, text=True, env=environment(bench, 1, blas), timeout=120, check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as reason:
        return None, str(reason)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else str(done.returncode)
    return json.loads(done.stdout), None


def emitted(bench, einsum, extents, name):
    """A library of the algorithm as the command prints it; None where there is no compiler or no cblas.h."""
    source, library = bench.path("emitted.c"), bench.path("emitted.so")
    command = [bench.options.perfpred, "contract", einsum, *(f"{index}={value}" for index, value in extents.items()), "--emit", "c", name, "-o", source]
    for words in (command, ["cc", "-O2", "-shared", "-fPIC", "-o", library, source]):
        if subprocess.run(words, capture_output=True, check=False).returncode != 0:
            return None
    return library


def by_hand(bench, einsum, extents, blas, name):
    """Transposing by hand and, in turn with it, the emitted C of the pick: one process, the same tensors, the same BLAS; both have packed memory that was
    allocated and touched before."""
    if not os.path.exists(bench.options.ttgt):
        return None, f"{bench.options.ttgt} is not built"
    words = ";".join(f"{index}={value}" for index, value in extents.items())
    library = emitted(bench, einsum, extents, name)
    done = subprocess.run([bench.options.ttgt, blas, einsum, words, str(bench.options.reps), *([library] if library else [])],
                          capture_output=True, text=True, env=environment(bench, 1, blas), check=False)  # fmt: skip
    if done.returncode != 0:
        return None, done.stderr.strip()
    found = json.loads(done.stdout)
    wide = abs(found["checksum"] - found.get("emitted_checksum", found["checksum"])) > 1e-9 * max(1.0, abs(found["checksum"]))
    return found, f"{einsum} {name}: the emitted C computes something else" if wide else None


def compare_items(options):
    own = [("1, i = 8", FIRST, {"a": 304, "b": 304, "c": 304, "i": 8}), ("2", SECOND, {"a": 304, "i": 304, "j": 304}),
           ("3, i = j = 8", THIRD, {"a": 152, "b": 152, "c": 152, "i": 8, "j": 8}),
           ("C24", "bgk,bkd->bgd", {"b": 64, "g": 8, "k": 4096, "d": 128})]  # fmt: skip
    for name, einsum, extents in own + read_cases(options):
        scaled, factor = Contraction(einsum).scaled(extents, options.flops, options.bytes)
        yield name, einsum, scaled, factor


def first_product(bench, label, einsum, extents):
    """The first algorithm with gemm of the list, without any prediction; where there is none, the first of the list."""
    counts = Contraction(einsum).count()
    kernel = next(name for name, count in counts.items() if count)
    report = bench.asked(f"{label} first", einsum, extents, 1, "--kernel", kernel, "--max", 1, "--complete", *bench.executions(1))
    return both(report)[0] if report and both(report) else None


def fused(bench, label, einsum, extents):
    """The pick where indices that run through memory as one are one."""
    report = bench.asked(f"{label} fused", einsum, extents, 1, "--fuse", *mode_words(bench.options), *bench.executions(1))
    return both(report)[0] if report and both(report) else None


def ratio(seconds, pick_s):
    return "-" if seconds is None else f"{seconds / pick_s:.2f}"


def compare(bench):
    rows = [["", "sizes", "pick", "ms", "its C", "pick with --fuse", "transposed by hand", "first of the list", "numpy einsum", "numpy tensordot"]]
    told, loaded = set(), set()
    for name, einsum, extents, factor in compare_items(bench.options):
        label = f"compare {name}"
        report = bench.asked(label, einsum, extents, 1, *mode_words(bench.options), *bench.executions(1))
        found = both(report) if report else []
        if not found:
            continue
        kept = f"{re.sub(r'[^A-Za-z0-9]+', '-', label)}-others.json"
        if os.path.exists(bench.path(kept)):
            others = bench.kept(kept)
        else:
            pick = min(found, key=lambda one: one["predicted_s"])
            hand, why = by_hand(bench, einsum, extents, bench.options.blas, pick["name"])
            numpy, reason = by_numpy(bench, einsum, extents, bench.options.blas)
            others = {"hand": hand, "numpy": numpy, "first": first_product(bench, label, einsum, extents),
                      "fused": fused(bench, label, einsum, extents), "skipped": [why, reason]}  # fmt: skip
            bench.keep(kept, others)
        told.update(reason for reason in others["skipped"] if reason)
        loaded.update((others["numpy"] or {}).get("blas", []), [(others["hand"] or {}).get("blas")] if others["hand"] else [])
        pick = min(found, key=lambda one: one["predicted_s"])
        pick_s, hand, numpy, first = pick["measured_s"], others["hand"] or {}, others["numpy"] or {}, others["first"] or {}
        c_s = hand.get("emitted_s") or pick_s
        rows.append([f"{name} ({einsum})", sizes(extents, factor), pick["name"], f"{1e3 * pick_s:.3g}", ratio(hand.get("emitted_s"), pick_s),
                     ratio((others.get("fused") or {}).get("measured_s"), pick_s) + (f" ({others['fused']['name']})" if others.get("fused") else ""),
                     ratio(hand.get("time_s"), c_s) + (f" ({hand['transposed'] or 'none'})" if hand else ""),
                     ratio(first.get("measured_s"), pick_s) + (f" ({first['name']})" if first else ""),
                     ratio(numpy.get("einsum"), c_s), ratio(numpy.get("tensordot"), c_s)])  # fmt: skip
    if len(rows) > 1:
        print("Times over that of the pick, by hand and of numpy over that of its C (timed in turn with the former, without regard to the state of the\n"
              "machine); in brackets what was transposed, and which algorithm came first.\n")
        common.markdown(rows)
        print(f"BLAS that answered: {', '.join(sorted(loaded)) or 'none'}.", flush=True)
    for reason in sorted(told):
        print(f"left out: {reason}", flush=True)


def main():
    options = arguments()
    bench = Bench(options)
    if "tables" in options.stages:
        options.deadline = time.monotonic()
        options.stages = ["ranges", "cases", "stages", "long", "compare"]
    known = {"ranges": ranges, "cases": cases, "stages": stages, "long": long, "compare": compare}
    end = options.deadline
    for place, stage in enumerate(options.stages):
        print(f"### {stage}\n", flush=True)
        # what an earlier one leaves over is shared by those behind it
        options.deadline = time.monotonic() + (end - time.monotonic()) / (len(options.stages) - place)
        known[stage](bench)
    if bench.left_out:
        print(f"left out for want of time, or failed: {len(bench.left_out)}: {', '.join(bench.left_out[:12])}"
              f"{' ...' if len(bench.left_out) > 12 else ''}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
