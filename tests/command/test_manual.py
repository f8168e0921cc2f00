# SPDX-License-Identifier: BSD-3-Clause
"""The manual says what the command does: no option or key that is missing in it."""

import os
import re

from harness import ROOT, main, models, run

SUBCOMMANDS = "machine apex doctor kernels algorithms generate model predict cache rank table tune measure misses contract timings validate drift plot".split()


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def options(name):
    """The options that a subcommand's help lists."""
    lines = run(name, "--help").out.splitlines()
    return {match[1] for match in (re.match(r"  (--?[a-z]+) ", line + " ") for line in lines) if match}


def section(text, heading):
    """A part of a document, from its heading to the next of the same depth."""
    depth = heading.index(" ")
    start = text.index(heading + "\n")
    end = re.search(r"^#{1," + str(depth) + r"} ", text[start + len(heading) :], re.M)
    return text[start:] if end is None else text[start : start + len(heading) + end.start()]


def test_command_md():
    """doc/command.md explains every option of every subcommand"""
    text = read("doc/command.md")
    common = section(text, "## Options of several subcommands")
    for name in SUBCOMMANDS:
        own = section(text, f"### {name}")
        for option in options(name):
            assert f"`{option}" in own or f"`{option}" in common, f"{name} {option}"


def test_man_page():
    """the man page names every subcommand and option"""
    text = read("doc/perfpred.1").replace("\\-", "-")
    for name in SUBCOMMANDS:
        assert re.search(rf"^\.(SS|TP|B|BI).*\n?.*\b{name}\b", text, re.M), name
        for option in options(name):
            assert option in text, f"{name} {option}"


def keys_of(value):
    if isinstance(value, dict):
        return set(value) | set().union(*map(keys_of, value.values()), set())
    if isinstance(value, list):
        return set().union(*map(keys_of, value), set())
    return set()


def check_keys(heading, *words):
    text = section(read("doc/json.md"), heading)
    for key in keys_of(run(*words, "--json").json()):
        assert f"`{key}`" in text, f"{heading}: {key}"


def test_json_md():
    """doc/json.md explains every key that is printed"""
    file = models("chol-l-1", "chol-l-2", "chol-l-3")
    check_keys("## kernels", "kernels", "dtrsm")
    check_keys("## algorithms", "algorithms", "chol-l-3")
    check_keys("## predict", "predict", "chol-l-3", "-m", file, "n=1000", "b=128")
    check_keys("## cache", "cache", "chol-l-3", "n=1000", "b=128", "--cache", "1M", "-m", file)
    check_keys("## rank", "rank", "chol-l", "-m", file, "n=1000", "b=128")
    check_keys("## tune", "tune", "chol-l-3", "-m", file, "n=1000")
    check_keys("## tune", "tune", "chol-l-3,dgetrf", "-m", file, "-n", "500")
    check_keys("## model", "model", file)
    check_keys("## misses", "misses", "chol-l-3", "n=40", "b=16", "--curve", "--pieces")
    check_keys("## contract", "contract", "i,i->", "i=9", "--list")
    check_keys("## contract", "contract", "ai,i->a", "a=i=9", "--analyze", "i-daxpy", "--cache", "1M")
    check_keys("## contract", "contract", "i,i->", "i=9", "--emit", "c", "ddot")


def test_json_md_measured():
    """doc/json.md explains every key of measurements"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    file = models("chol-l-1", "chol-l-2", "chol-l-3")
    check_keys("## machine", "machine")
    check_keys("## doctor", "doctor", "--no-measure")
    check_keys("## measure", "measure", "chol-l-3", "n=32", "b=16", "--reps", "2")
    check_keys("## validate", "validate", "chol-l-3", "-m", file, "-n", "32", "-b", "16", "--reps", "2", "--kernels")
    return None


main(globals())
