# SPDX-License-Identifier: BSD-3-Clause
"""Writes the baseline of the interface: baseline.py LIBRARY. To be run in the commit that changes the interface."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def main(library):
    command = ["abidw", "--headers-dir", os.path.join(ROOT, "include"), "--drop-private-types", "--no-corpus-path"]
    command += ["--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", library]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with open(os.path.join(HERE, "perfpred.abi"), "w", encoding="utf-8") as file:
        # paths of sources and the kind of machine say nothing about the interface
        file.writelines(line + "\n" for line in text.splitlines())


main(sys.argv[1])
