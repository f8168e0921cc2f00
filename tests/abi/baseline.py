# SPDX-License-Identifier: BSD-3-Clause
"""Writes the baseline of the interface: baseline.py LIBRARY. To be run in the commit that changes the interface."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def main(library):
    command = ["abidw", "--headers-dir", os.path.join(ROOT, "include"), "--drop-private-types"]
    command += ["--exported-interfaces-only", "--no-parameter-names", "--no-write-default-sizes", "--no-corpus-path"]
    command += ["--no-comp-dir-path", "--no-show-locs", "--no-elf-needed"]
    command += ["--suppressions", os.path.join(HERE, "private"), library]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with open(os.path.join(HERE, "perfpred.abi"), "w", encoding="utf-8") as file:
        # where a source was compiled says nothing about the interface
        file.write(re.sub(r"path='[^']*?((?:lib|include)/[^']*)'", r"path='\1'", text))


main(sys.argv[1])
