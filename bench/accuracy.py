#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well predictions hold: accuracy.py PERFPRED FOLDER STAGE... [-- OPTIONS OF THE SETUP]. To be run alone on the machine.

Stages, in any number and order:
  generate          models of LAPACK's six routines, of calls alone and in context, into FOLDER/models.json
  routines[=B]      the six at the sizes of --sizes: errors of both kinds of models beside the noise; B: not the default block size
  each[=B]          the same, but every routine has models of its own, made right before: what the machine drifts meanwhile stays small
  picks             Cholesky, inverse and Sylvester algorithms: is the predicted one among the fastest
  yields            block sizes: time of the best measured one over that of the predicted one, and of the default
  extrapolate       models to n = 1024 at n = 2048
  drift             the six at n = 1000, once more: how far these executions have drifted since the first time is what no model can foresee
What was measured stays in FOLDER as JSON. OPTIONS go to every command, such as --threads 2 --env BLIS_ARCH_TYPE=0.
"""

import json
import os
import sys
import time

import machine as common
from machine import mean, percent

ROUTINES = {"dpotrf": 64, "dgetrf": 64, "dgeqrf": 32, "dtrtri": 64, "dlauum": 64, "dsygst": 64}
FAMILIES = {  # operation: algorithms that are compared
    "chol-l": ["chol-l-1", "chol-l-2", "chol-l-3"],
    "trinv-l": [f"trinv-l-{k}" for k in range(1, 9)],
    "sylv-8": [f"sylv-{a}{b}" for x, y in ("mn", "nm") for a in (x + "1", x + "2") for b in (y + "1", y + "2")],
    "sylv": ["sylv"],  # all 64
}


def arguments():
    parser = common.parser(__doc__)
    parser.add_argument("stages", nargs="+")
    parser.add_argument("--sizes", default="56:2104:64")
    parser.add_argument("--domain", default="24:2112", help="sizes of the models")
    parser.add_argument("--blocks", default="16:256", help="block sizes of the models")
    parser.add_argument("--some", default="248:2040:256", help="sizes of picks and yields")
    parser.add_argument("--candidates", default="16:256:16", help="block sizes of yields")
    parser.add_argument("--routines", default=",".join(ROUTINES))
    parser.add_argument("--families", default="chol-l,trinv-l,sylv-8")
    parser.add_argument("--warm", type=float, default=120.0, help="seconds for models of calls alone")
    parser.add_argument("--context", type=float, default=180.0, help="seconds for those in context, 0: none")
    parser.add_argument("--reps", type=int, default=10, help="of each point of picks and yields")
    parser.add_argument("--seconds", type=float, default=60.0, help="budget of one validation")
    parser.add_argument("--patience", type=int, default=3, help="how often a validation in a loud minute is repeated")
    return common.parse(parser)


class Machine(common.Machine):
    def run(self, label, *words):
        """One command with --json; what it says is kept as LABEL.json."""
        report, failure = self.ask(*words)
        if report is None:
            print(f"{label}: {failure}", flush=True)
            return None
        self.keep(label + ".json", report)
        return report

    def generate(self, label, names, seconds, *more):
        """What was made; in a loud minute, once more."""
        for attempt in range(self.options.patience, -1, -1):
            made = self.once(label, names, seconds, *more)
            if not made or attempt == 0 or made["pass_rate"] >= 0.3:
                return
            print(f"{label}: the machine is busy, once more in 10 s", file=sys.stderr, flush=True)
            time.sleep(10)
            more = [*more, "--replace"] if "--replace" not in more else more

    def once(self, label, names, seconds, *more):
        made = self.run(label, "generate", "--for", names, "-n", self.options.domain, "-b", self.options.blocks,
                        "--budget", seconds, *more)
        if made:
            print(f"{label:<28} {made['wall_s']:7.1f} s  {len(made['models']) if isinstance(made['models'], list) else made['models']} models  "
                  f"{made['samples']} samples  passed {made['pass_rate']:.0%}  largest error {made['max_error']:.1%}", flush=True)
        return made

    def validate(self, label, names, models, sizes, blocks=None, *more):
        words = ["validate", names, "-m", self.path(models), "-n", sizes, "--budget", self.options.seconds, *more]
        if blocks:
            words += ["-b", blocks]
        for attempt in range(self.options.patience, -1, -1):
            made = self.run(label, *words)
            if not made or attempt == 0 or sum(not point["gated"] for point in made["points"]) <= 0.05 * len(made["points"]):
                return made
            print(f"{label}: the machine is busy, once more in 20 s", file=sys.stderr, flush=True)
            time.sleep(20)
        return None


def head():
    print(f"\n{'routine':<10}{'b':>5}{'points':>8}{'alone':>9}{'context':>9}{'noise':>8}{'gated':>7}   largest (context, n)", flush=True)


def routines(machine, block):
    head()
    for name in machine.options.routines.split(","):
        compare(machine, name, "models.json", block or ROUTINES[name])


def each(machine, block):
    head()
    for name in machine.options.routines.split(","):
        models = f"models-{name}.json"
        if not os.path.exists(machine.path(models)):
            generate(machine, name, models)
        compare(machine, name, models, block or ROUTINES[name])


def compare(machine, name, models, b):
    made = machine.validate(f"routine-{name}-{b}", name, models, machine.options.sizes, str(b))
    if made:
        points = made["points"]
        worst = max(points, key=lambda point: point["are"])
        context = made["mean_are"] if any(point["models"] != "warm" for point in points) else None
        warm = [point["re"] if point.get("warm_re") is None else point["warm_re"] for point in points]
        print(f"{name:<10}{b:>5}{len(points):>8}{percent(mean(map(abs, warm))):>9}{percent(context):>9}"
              f"{percent(made['noise_floor']):>8}{sum(point['gated'] for point in points):>7}   {worst['re']:+.1%} n={worst['n']}", flush=True)


def by_size(points):
    sizes = {}
    for point in points:
        sizes.setdefault(point["n"], []).append(point)
    return sizes


def square(machine, family, names, models):
    """Of two sizes only one can run over a range: one validation for each."""
    low, high, step = map(int, machine.options.some.split(":"))
    parts = []
    for n in range(low, high + 1, step):
        made = machine.validate(f"{family}-picks-{n}", names, models, str(n), "64", f"m={n}", "--reps", machine.options.reps)
        parts += [made] if made else []
    if not parts:
        return None
    return {"points": [point for made in parts for point in made["points"]], "mean_are": mean(made["mean_are"] for made in parts),
            "noise_floor": mean(made["noise_floor"] for made in parts)}


def picks(machine):
    for family in machine.options.families.split(","):
        names = ",".join(FAMILIES[family])
        models = f"{family}-models.json"
        if not os.path.exists(machine.path(models)):
            machine.generate(f"{family}-generate", names, machine.options.warm / 2, "-o", machine.path(models))
        made = square(machine, family, names, models) if family.startswith("sylv") else machine.validate(
            f"{family}-picks", names, models, machine.options.some, "64", "--reps", machine.options.reps)
        if not made:
            continue
        print(f"\n{family}: n, predicted fastest, measured fastest, time lost by the choice; mean error {percent(made['mean_are'])}, "
              f"noise {percent(made['noise_floor'])}")
        close = 0
        sizes = by_size(made["points"])
        for n, points in sizes.items():
            best = min(points, key=lambda point: point["measured_s"])
            pick = min(points, key=lambda point: point["predicted_s"])
            loss = pick["measured_s"] / best["measured_s"] - 1.0
            close += loss <= 0.02
            print(f"  {n:>5}  {pick['name']:<12} {best['name']:<12} {loss:6.2%}")
        print(f"  within 2 %: {close} of {len(sizes)}", flush=True)


def again(machine, name, n, first, second):
    """Times of two block sizes, measured side by side: the best of many measured ones was also a lucky one."""
    low, high = sorted((first, second))
    made = machine.validate(f"again-{name}-{n}", name, "models.json", str(n), f"{low}:{high}:{high - low}", "--reps", 2 * machine.options.reps)
    times = {point["b"]: point["measured_s"] for point in made["points"]} if made else {}
    return times.get(first), times.get(second)


def yields(machine):
    print(f"\n{'routine':<10}{'n':>6}{'tuned b':>9}{'best b':>8}{'yield':>9}{'of default':>12}{'noise':>8}", flush=True)
    tuned, usual = [], []
    for name in machine.options.routines.split(","):
        made = machine.validate(f"yield-{name}", name, "models.json", machine.options.some, machine.options.candidates,
                                "--reps", machine.options.reps)
        for n, points in by_size(made["points"] if made else []).items():
            best = min(points, key=lambda point: point["measured_s"])
            pick = min(points, key=lambda point: point["predicted_s"])
            default = [point for point in points if point["b"] == ROUTINES[name]]
            reached = 1.0
            if pick is not best:
                best_s, pick_s = again(machine, name, n, best["b"], pick["b"])
                reached = best_s / pick_s if best_s and pick_s else float("nan")
            tuned.append(reached)
            usual += [best["measured_s"] / point["measured_s"] for point in default]
            print(f"{name:<10}{n:>6}{pick['b']:>9}{best['b']:>8}{reached:>9.1%}"
                  f"{best['measured_s'] / default[0]['measured_s'] if default else float('nan'):>12.1%}"
                  f"{mean(point['noise'] for point in points):>8.1%}", flush=True)
    if tuned:
        print(f"mean / worst: tuned {mean(tuned):.1%} / {min(tuned):.1%}, default {mean(usual):.1%} / {min(usual):.1%}", flush=True)


def extrapolate(machine):
    names = machine.options.routines
    models = "small-models.json"
    if not os.path.exists(machine.path(models)):
        machine.options.domain = "24:1024"
        machine.generate("small-generate", names, machine.options.warm, "-o", machine.path(models))
    print(f"\n{'routine':<10}{'n':>6}{'error':>9}{'noise':>8}   models to 1024")
    for name in names.split(","):
        made = machine.validate(f"beyond-{name}", name, models, "2048", str(ROUTINES[name]), "--extrapolate")
        for point in made["points"] if made else []:
            print(f"{name:<10}{point['n']:>6}{point['re']:>+9.1%}{point['noise']:>8.1%}", flush=True)


def drift(machine):
    path = machine.path("drift.json")
    seen = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            seen = json.load(file)
    now = {}
    for name in machine.options.routines.split(","):
        words = [f"n={1000}", f"b={ROUTINES[name]}", "--reps", 20]
        if seen:
            words += ["--yardstick", repr(seen[0]["yardstick_s"])]
        made = machine.run(f"drift-{name}", "measure", name, *words)
        if made:
            now[name] = made["time_s"]["med"]
            now.setdefault("yardstick_s", made["yardstick_s"])
    seen.append(now)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(seen, file, indent=1)
    changes = [now[name] / seen[0][name] - 1.0 for name in now if name != "yardstick_s" and name in seen[0]]
    print(f"drift since the first time, by routine: {' '.join(f'{change:+.1%}' for change in changes)}", flush=True)


def generate(machine, names, models):
    file = machine.path(models)
    machine.generate(f"generate-alone-{models}", names, machine.options.warm, "-o", file)
    if machine.options.context > 0:
        machine.generate(f"generate-context-{models}", names, machine.options.context, "-o", file, "--context")


def main():
    options = arguments()
    machine = Machine(options)
    for stage in options.stages:
        name, _, value = stage.partition("=")
        if name == "generate":
            generate(machine, options.routines, "models.json")
        elif name == "routines":
            routines(machine, int(value) if value else None)
        elif name == "each":
            each(machine, int(value) if value else None)
        elif name == "picks":
            picks(machine)
        elif name == "yields":
            yields(machine)
        elif name == "extrapolate":
            extrapolate(machine)
        elif name == "drift":
            drift(machine)
        else:
            sys.exit(f"{stage}: expected generate, routines, each, picks, yields, extrapolate or drift")


main()
