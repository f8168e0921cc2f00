#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of a walk-through once more: record.py FILE.md, in `meson devenv -C BUILD` and alone on the machine.

In blocks between ``` lines that begin with `$ ` are run by sh, in their order and all in one new folder, and what they print takes the place of
what stood below them. A block after a line that ends in `NAME`: is written to that file. A command that fails ends it, and FILE stays as it is."""

import os
import re
import subprocess
import sys
import tempfile


def printed(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"record.py: {command}: exit {done.returncode}: {done.stderr.strip()}")
    return (done.stdout + done.stderr).splitlines()


def recorded(lines, folder):
    """The lines of a block, anew."""
    made = []
    for line in lines:
        if line.startswith("$ "):
            print(line, flush=True)
            made += [line, *printed(line[2:], folder)]
    return made


def walk(lines, folder):
    made, block, name = [], None, None
    for line in lines:
        if line.startswith("```") and block is None:
            block = []
        elif line.startswith("```"):
            if name:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("".join(text + "\n" for text in block))
            runs = any(text.startswith("$ ") for text in block)
            made += ["```", *(recorded(block, folder) if runs else block)]
            block, name = None, None
        elif block is not None:
            block.append(line)
            continue
        else:
            found = re.search(r"`([\w.-]+)`:$", line)
            name = found.group(1) if found else name if not line else None
        if block is None:
            made.append(line)
    return made


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        made = walk(lines, folder)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in made))


if __name__ == "__main__":
    main()
