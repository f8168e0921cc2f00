# SPDX-License-Identifier: BSD-3-Clause
"""Running the command, and the machine that virtual_models.c makes up."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import traceback

COMMAND = os.environ["PERFPRED_COMMAND"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        assert self.code == 0, f"exit {self.code}: {self.err}"
        return json.loads(self.out)


def run(*words, **options):
    done = subprocess.run(
        [COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, **options
    )
    return Result(done.returncode, done.stdout, done.stderr)


def refuses(code, *words, naming=()):
    """One line on standard error, nothing on standard output, this exit code, these words in the line."""
    result = run(*words)
    assert result.code == code, f"exit {result.code}, expected {code}: {result.err!r}"
    assert result.out == "", f"standard output: {result.out!r}"
    assert result.err.startswith("perfpred: ") and result.err.count("\n") == 1, f"standard error: {result.err!r}"
    for word in naming:
        assert word in result.err, f"{word!r} is not in {result.err!r}"
    return result


_folder = None


def folder():
    """A folder for this test program, removed at its end."""
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="perfpred-command-")
    return _folder


_models = {}


def models(*names):
    """Path of models of the made-up machine."""
    if names not in _models:
        path = os.path.join(folder(), "models-" + "-".join(names) + ".json")
        subprocess.run([os.environ["VIRTUAL_MODELS"], path, *names], check=True, timeout=120)
        _models[names] = path
    return _models[names]


def expected_right_looking(n, b):
    """Time of chol-l-3 on the made-up machine: the sum over its calls, before repetitions are told apart."""
    total = 0.0
    for i in range(0, n, b):
        w = min(b, n - i)
        r = n - i - w
        total += 1e-6 + w**3 / 6e9
        if r > 0:
            total += 1e-6 + r * w * w / 20e9
            total += 1e-6 + r * r * w / 40e9
    return total


JITTER = [1.0 + 0.01 * (i % 3) for i in range(10)]
MEDIAN = statistics.median(JITTER)
MEAN = statistics.mean(JITTER)


def close(value, expected, relative=1e-6):
    assert abs(value - expected) <= relative * abs(expected), f"{value!r}, expected {expected!r}"


def two_setups(start_s, *names):
    """Models of the made-up machine for one thread, and for two: twice as fast but for a start at every step of chol-l-3."""
    with open(models(*names), encoding="utf-8") as file:
        content = json.load(file)
    content["setups"].append(dict(content["setups"][0], threads=2))
    for model in json.loads(json.dumps(content["models"])):
        model["setup"] = 1
        start = start_s if model["kernel"] == "dpotrf2" else 0.0
        for piece in model["pieces"]:
            piece["floors"] = [0.0] * 5
            for name, values in piece["coefficients"].items():
                piece["coefficients"][name] = [0.5 * value for value in values]
                piece["coefficients"][name][0] += 0.0 if name == "std" else start
        content["models"].append(model)
    path = os.path.join(folder(), "two-setups.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def main(namespace):
    """Runs every test_ function of a module as one TAP case; the first line of its text is its name."""
    count = failed = 0
    for key, function in list(namespace.items()):
        if not key.startswith("test_"):
            continue
        count += 1
        name = (function.__doc__ or key).splitlines()[0].rstrip(".")
        try:
            reason = function()
            print(f"ok {count} - {name}" + (f" # SKIP {reason}" if reason else ""))
        except Exception:  # an assertion or a surprise: both are a failed case
            failed += 1
            print(f"not ok {count} - {name}")
            for line in traceback.format_exc().splitlines()[-6:]:
                print(f"# {line}")
        sys.stdout.flush()
    print(f"1..{count}")
    if _folder is not None:
        shutil.rmtree(_folder)
    sys.exit(1 if failed else 0)
