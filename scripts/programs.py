# SPDX-License-Identifier: BSD-3-Clause
"""Paths of the test programs of a build folder that belong to the suites named: programs.py FOLDER SUITE..."""

import json
import os
import subprocess
import sys

folder, *suites = sys.argv[1:]
text = subprocess.run(["meson", "introspect", "--tests", folder], capture_output=True, text=True, check=True).stdout
for test in json.loads(text):
    # a suite is written "project:suite"
    ours = {suite.rpartition(":")[2] for suite in test["suite"]} & set(suites)
    # scripts are run by an interpreter from outside the folder
    if ours and test["cmd"][0].startswith(os.path.realpath(folder) + os.sep):
        print(test["cmd"][0])
