#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an example and reports it as one test case: run.py NAME EXPECTED COMMAND...

EXPECTED is a regular expression that the output has to contain.
"""
import re
import subprocess
import sys

name, expected, command = sys.argv[1], sys.argv[2], sys.argv[3:]
done = subprocess.run(command, capture_output=True, text=True, timeout=240)
passed = done.returncode == 0 and re.search(expected, done.stdout) is not None
print("1..1")
print(f"{'ok' if passed else 'not ok'} 1 - example {name}")
for line in (done.stdout + done.stderr).splitlines():
    print(f"# {line}")
if not passed:
    print(f"# exit status {done.returncode}, expected 0 and output that matches {expected!r}")
