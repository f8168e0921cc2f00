#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the schema of model files: a written file fits it, spoilt ones do not. Speaks TAP."""
import copy
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP the Debian package python3-jsonschema is missing")
    sys.exit(0)

sample = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout)
with open(sys.argv[2], encoding="utf-8") as file:
    schema = json.load(file)
validator = jsonschema.Draft7Validator(schema)


def spoilt(*changes):
    other = copy.deepcopy(sample)
    for path, value in changes:
        place = other
        for key in path[:-1]:
            place = place[key]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value
    return other


bad = [
    ("another version", (["version"], 3)),
    ("another format", (["format"], "x")),
    ("no setups", (["setups"], [])),
    ("a model without a setup", (["models", 0, "setup"], None)),
    ("no machine", (["machine"], None)),
    ("no models", (["models"], None)),
    ("a negative domain", (["models", 0, "domain", "lower"], [-8, 8])),
    ("a kernel that is no text", (["models", 0, "kernel"], 5)),
    ("no pieces", (["models", 0, "pieces"], [])),
    ("a degree above the limit", (["models", 0, "pieces", 0, "degrees"], [17, 1])),
    ("a statistic that is missing", (["models", 0, "pieces", 0, "coefficients", "med"], None)),
    ("a split that is both", (["models", 0, "splits", 0, "piece"], 0)),
    ("an unknown grid", (["options", "grid"], "hexagonal")),
    ("a seed that is no number", (["options", "seed"], "x")),
    ("an unknown generator", (["options", "generator"], "random")),
    ("a part without samples", (["samples", 0, "parts"], [0, 3])),
    ("a step without sizes", (["step_samples", 0, "step"], [])),
    ("a journal that is no text", (["journals"], [5])),
]

print(f"1..{2 + len(bad)}")
number = 0


def tell(good, what):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - schema::{what.replace(' ', '_')}")


try:
    jsonschema.Draft7Validator.check_schema(schema)
    tell(True, "is a schema")
except jsonschema.SchemaError as fault:
    tell(False, "is a schema")
    print("#", str(fault).splitlines()[0])
faults = list(validator.iter_errors(sample))
tell(not faults, "what is written fits")
for fault in faults[:5]:
    print("#", "/".join(map(str, fault.absolute_path)), fault.message[:200])
for what, change in bad:
    tell(not validator.is_valid(spoilt(change)), "rejects " + what)
