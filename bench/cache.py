#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What knowing the caches is worth: cache.py PERFPRED FOLDER STAGE... [-- OPTIONS OF THE SETUP]. To be run alone on the machine.

Stages, in any number and order:
  caches            the levels as they are for one thread (perfpred machine --caches)
  scenario          the caching study: QR, upper Cholesky and triangular inverse, calls timed in the algorithm and alone in every state of the
                    caches; errors of each estimate per call and of the total
  generate          models of the six routines: of all states of the caches into FOLDER/states.json, in context into FOLDER/context.json
  fit               smoothing, weights and warm kernels fitted to calls of all routines at --fit-sizes, kept in FOLDER/fitted.json
  table             the six at the sizes of --sizes: measured, and errors of warm, blended (default and fitted), context models and of windows
                    (replay, setup), with the cost of each
What was measured stays in FOLDER as JSON. OPTIONS go to every command, such as --threads 1 --env BLIS_ARCH_TYPE=0.
"""

import os
import shutil
import statistics
import sys

import machine as common
from machine import show

ROUTINES = {"dpotrf": 64, "dgetrf": 64, "dgeqrf": 32, "dtrtri": 64, "dlauum": 64, "dsygst": 64}
KINDS = ("warm", "blended", "fitted", "context", "replay", "setup")


def arguments():
    parser = common.parser(__doc__)
    parser.add_argument("stages", nargs="+", choices=["caches", "scenario", "generate", "fit", "table"])
    parser.add_argument("--scenario", default="dgeqrf-nx0,dpotrf-u,dtrtri", help="algorithms of the study")
    parser.add_argument("--scenario-size", type=int, default=1568)
    parser.add_argument("--scenario-block", type=int, default=32)
    parser.add_argument("--cache", help="sizes of the caches, as perfpred cache --cache has them; default: as stage caches finds them")
    parser.add_argument("--sizes", default="500,1000,1500,2000,2500")
    parser.add_argument("--fit-sizes", default="800:2000:1200", help="none of --sizes, as -n has them")
    parser.add_argument("--fit-block", type=int, default=64)
    parser.add_argument("--domain", default="24:2504", help="sizes of the models")
    parser.add_argument("--blocks", default="16:128", help="block sizes of the models")
    parser.add_argument("--routines", default=",".join(ROUTINES))
    parser.add_argument("--states", type=float, default=240.0, help="seconds for models of all states")
    parser.add_argument("--context", type=float, default=120.0, help="seconds for models in context")
    parser.add_argument("--reps", type=int, default=10, help="executions and samples of each call")
    parser.add_argument("--seconds", type=float, default=120.0, help="most for one study or execution")
    return common.parse(parser)


class Machine(common.Machine):
    def run(self, *words, setup=True):
        report, failure = self.ask(*words, setup=setup)
        return report if report else sys.exit(failure)

    def emulated(self):
        """Levels of the emulation: as given, else those that stage caches has found behind the first one."""
        given = self.options.cache
        if given is None and os.path.exists(self.path("caches.json")):
            given = ",".join(str(level["bytes"]) for level in self.kept("caches.json")["levels"][1:-1])
        return ["--cache", given] if given else []


def percent(value, signed=True):
    return common.percent(value, signed)


def caches(machine):
    report = machine.run("machine", "--caches")
    machine.keep("caches.json", report)
    rows = [["level", "KiB", "latency/ns", "GB/s"]]
    for i, level in enumerate(report["levels"]):
        name = f"{i + 1}" if level["bytes"] else "memory"
        size = f"{level['bytes'] / 1024:.0f}" if level["bytes"] else "-"
        rows.append([name, size, f"{1e9 * level['latency_s']:.2f}", f"{1e-9 * level['bandwidth_bytes_per_s']:.1f}"])
    show(rows)


def scenario(machine):
    options = machine.options
    for name in options.scenario.split(","):
        report = machine.run("timings", name, f"n={options.scenario_size}", f"b={options.scenario_block}", "--reps",
                             options.reps, "--budget", options.seconds, "--detail", *machine.emulated())
        machine.keep(f"scenario-{name}.json", report)
        print(f"{name} n={options.scenario_size} b={options.scenario_block}: {report['calls']} calls, {report['copies']} copies, "
              f"{1e3 * report['measured_s']:.1f} ms; caches of {report['level_bytes']} bytes; "
              f"fitted {report['fitted']}; {report['algorithm_wall_s']:.0f} s in the algorithm, {report['alone_wall_s']:.0f} s alone")
        rows = [["estimate", "mean", "total", "mean, copies too", "total, copies too"]]
        for error in report["errors"]:
            rows.append([error["estimate"], percent(error["mean_are"], False), percent(error["total_re"]),
                         percent(error["mean_are_with_copies"], False), percent(error["total_re_with_copies"])])
        show(rows)
        rows = [["kernel", "calls", "ms"] + [error["estimate"] for error in report["errors"]]]
        for kernel in report["kernels"]:
            rows.append([kernel["kernel"], str(kernel["calls"]), f"{1e3 * kernel['measured_s']:.2f}"] +
                        [percent(error["mean_are"], False) for error in kernel["errors"]])
        show(rows)


def generate(machine):
    options = machine.options
    common = ["--for", options.routines, "-n", options.domain, "-b", options.blocks, "--replace"]
    for name, more in (("states", ["--cache", "warm,in,outer,out", "--budget", options.states]),
                       ("context", ["--context", "--budget", options.context])):
        report = machine.run("generate", *common, "-o", machine.path(f"{name}.json"), *more)
        machine.keep(f"generate-{name}.json", report)
        print(f"{name}: {report['models']} models ({report['state_models']} of states), {report['samples']} samples, "
              f"{report['wall_s']:.0f} s, {100 * report['pass_rate']:.0f} % passed", flush=True)


def fit(machine):
    """Once for the machine: all routines together, each estimated with what the others make of the weights."""
    options = machine.options
    shutil.copyfile(machine.path("states.json"), machine.path("fitted.json"))
    report = machine.run("timings", options.routines, "-n", options.fit_sizes, f"b={options.fit_block}", "-m",
                         machine.path("fitted.json"), "--fit", "--keep", "--reps", options.reps, "--budget", options.seconds,
                         *machine.emulated())
    machine.keep("fit.json", report)
    rows = [["routine", "n"] + [f"{error['estimate']}{part}" for error in report["executions"][0]["errors"] for part in ("", ", total")]]
    for execution in report["executions"]:
        cells = [(error["mean_are"], error["total_re"]) for error in execution["errors"]]
        rows.append([execution["name"], str(execution["parameters"]["n"])] +
                    [text for mean, total in cells for text in (percent(mean, False), percent(total))])
    show(rows)
    print(report["fitted"], flush=True)


def predictions(machine, name, n, block, reading):
    point = [name, f"n={n}", f"b={block}"]
    states, emulated = ["-m", machine.path("states.json")], machine.emulated()
    found = {
        "warm": machine.run("predict", *point, *states, "--models", "warm", setup=False),
        "blended": machine.run("predict", *point, *states, "--models", "cache", *emulated, setup=False),
        "replay": machine.run("predict", *point, "--mode", "replay", *reading),
        "setup": machine.run("predict", *point, "--mode", "setup", *emulated, *reading),
    }
    if os.path.exists(machine.path("fitted.json")):
        found["fitted"] = machine.run("predict", *point, "-m", machine.path("fitted.json"), "--models", "cache", setup=False)
    if os.path.exists(machine.path("context.json")):
        found["context"] = machine.run("predict", *point, "-m", machine.path("context.json"), setup=False)
    return found


def table(machine):
    options = machine.options
    reading = ["--yardstick", machine.kept("states.json")["setups"][0]["yardstick_s"]]  # one state of the machine for all
    results = []
    rows = [["routine", "n", "ms", "noise"] + list(KINDS) + ["replay cost", "setup cost"]]
    for name in options.routines.split(","):
        for n in map(int, options.sizes.split(",")):
            block = ROUTINES[name]
            found = predictions(machine, name, n, block, reading)
            measured = machine.run("measure", name, f"n={n}", f"b={block}", "--reps", options.reps, "--budget", options.seconds, *reading)
            whole = measured["time_s"]["med"]
            errors = {kind: answer["time_s"]["med"] / whole - 1 for kind, answer in found.items()}
            costs = {kind: found[kind]["cost_s"] for kind in ("replay", "setup")}
            results.append({"routine": name, "n": n, "b": block, "measured_s": whole, "noise": measured["noise"],
                            "errors": errors, "cost_s": costs})
            rows.append([name, str(n), f"{1e3 * whole:.2f}", percent(measured["noise"], False)] +
                        [percent(errors.get(kind)) for kind in KINDS] + [f"{costs[kind]:.2f} s" for kind in costs])
            machine.keep("table.json", results)
    show(rows)
    rows = [["mean |error|"] + list(KINDS)]
    for name in options.routines.split(",") + ["all"]:
        chosen = [result["errors"] for result in results if name in (result["routine"], "all")]
        means = [[abs(errors[kind]) for errors in chosen if kind in errors] for kind in KINDS]
        rows.append([name] + [percent(statistics.mean(values), False) if values else "-" for values in means])
    show(rows)


def main():
    options = arguments()
    machine = Machine(options)
    stages = {"caches": caches, "scenario": scenario, "generate": generate, "fit": fit, "table": table}
    for stage in options.stages:
        print(f"--- {stage}", flush=True)
        stages[stage](machine)


if __name__ == "__main__":
    main()
