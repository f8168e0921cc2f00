# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks that run the command have in common: their command line, the command itself, a folder of what it said, tables."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def parser(text):
    """A command line that begins with PERFPRED FOLDER."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("perfpred")
    made.add_argument("folder")
    return made


def parse(made):
    """What stands behind -- are options of the setup, such as --threads 1 --env BLIS_ARCH_TYPE=0."""
    words, setup = sys.argv[1:], []
    if "--" in words:
        setup = words[words.index("--") + 1 :]
        words = words[: words.index("--")]
    options = made.parse_args(words)
    options.setup = setup
    return options


class Machine:
    """Runs the command and keeps what it says."""

    def __init__(self, options):
        self.options = options
        os.makedirs(options.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.options.folder, name)

    def ask(self, *words, setup=True):
        """What one command prints, with the time that it took as "command_s", or None and why it failed."""
        command = [self.options.perfpred, *map(str, words), "--json", *(self.options.setup if setup else [])]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, f"{' '.join(command)}: {done.stderr.strip() or done.returncode}"
        report = json.loads(done.stdout)
        report["command_s"] = time.monotonic() - begin
        return report, None

    def keep(self, name, report):
        """The file changes as a whole: an interrupted run leaves what was there."""
        with open(self.path(name + ".new"), "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        os.replace(self.path(name + ".new"), self.path(name))

    def kept(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)


def mean(values):
    """Of those that are there."""
    values = [value for value in values if value is not None]
    return statistics.mean(values) if values else float("nan")


def percent(value, signed=False, digits=2):
    return "-" if value is None or value != value else f"{100 * value:{'+' if signed else ''}.{digits}f} %"


def show(rows):
    """A table in plain text, its first column to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))))
    print(flush=True)


def markdown(rows):
    """A table in Markdown; the first row is its head."""
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows[1:]:
        print("| " + " | ".join(row) + " |")
    print(flush=True)
