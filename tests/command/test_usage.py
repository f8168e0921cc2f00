# SPDX-License-Identifier: BSD-3-Clause
"""The command line itself: what is understood, what is refused, where output goes."""

import os
import subprocess

from harness import COMMAND, main, refuses, run

SUBCOMMANDS = "machine kernels algorithms generate model predict rank tune measure validate plot".split()


def test_help():
    """help lists every subcommand"""
    for words in (["help"], ["--help"], ["-h"]):
        result = run(*words)
        assert result.code == 0 and result.err == ""
        for name in SUBCOMMANDS:
            assert f"\n  {name} " in result.out, name


def test_help_of_subcommands():
    """every subcommand has a help, by two ways"""
    for name in SUBCOMMANDS:
        first, second = run(name, "--help"), run("help", name)
        assert first.code == 0 and first.out.startswith(f"usage: perfpred {name} ")
        assert "--json" in first.out
        assert second.out == first.out


def test_help_beside_errors():
    """--help wins over operands that are missing"""
    assert run("predict", "--help").code == 0


def test_version():
    """--version prints one line"""
    result = run("--version")
    assert result.code == 0 and result.out.startswith("perfpred ") and result.out.count("\n") == 1
    result = run("--version", "please")
    assert result.code == 2 and result.out == "" and "'please'" in result.err


def test_nothing():
    """without a subcommand the usage goes to standard error"""
    result = run()
    assert result.code == 2 and result.out == "" and "usage: perfpred" in result.err


def test_wrong_subcommand():
    """a wrong subcommand is named, with the one that was meant"""
    refuses(2, "predcit", naming=["'predcit'", "did you mean 'predict'"])
    refuses(2, "help", "tun", naming=["did you mean 'tune'"])
    refuses(2, "--jsn", naming=["'--jsn'"])
    refuses(2, "", naming=["''"])


def test_wrong_option():
    """a wrong option is named, with the one that was meant"""
    refuses(2, "predict", "chol-l-3", "--jsno", naming=["'--jsno'", "did you mean '--json'"])
    refuses(2, "generate", "--buget", "3", naming=["'--buget'", "did you mean '--budget'"])
    refuses(2, "kernels", "-x", naming=["'-x'"])
    refuses(2, "kernels", "--reps", "3", naming=["'--reps'"])
    refuses(2, "generate", "--kernel", "dgemm", naming=["'--kernel'"])
    refuses(2, "generate", "--colour", naming=["'--colour'"])


def test_option_values():
    """values of options are read strictly"""
    measure = ["measure", "chol-l-3", "n=8", "b=8"]
    for option, values in {
        "--threads": ["0", "-1", "x", "1.5", "1k", "+1", " 1", "", "99999999999999999999"],
        "--reps": ["0", "ten", "1e3", "0x10"],
        "--ld": ["0", "8 ", "-8"],
        "--gate": ["0", "nan", "inf", "on", "1e99", ""],
        "--budget": ["0", "-3", "1e", "0x1p3", "nan", "5s"],
    }.items():
        for value in values:
            refuses(2, *measure, option, value, naming=[option])
            refuses(2, *measure, f"{option}={value}", naming=[option])


def test_ranges():
    """ranges are read strictly"""
    for value in ["", ":", "8:", ":8", "8:4", "0:8", "-8:8", "8:16:0", "8:16:-4", "8:16:4:2", "a:b", "8:1e3", "8,16",
                  "8:99999999999", "1" * 200]:
        refuses(2, "generate", "--for", "chol-l-3", "-o", "x", "-n", value, naming=["-n"])


def test_missing_words():
    """what is missing is named"""
    refuses(2, "predict", naming=["NAME"])
    refuses(2, "model", naming=["FILE"])
    refuses(2, "run", naming=["COMMAND"])
    refuses(2, "generate", "-o", "x", naming=["--for"])
    refuses(2, "generate", "--for", "chol-l-3", naming=["-o FILE"])
    refuses(2, "measure", "chol-l-3", "--reps", naming=["--reps"])
    refuses(2, "predict", "chol-l-3", "n=8", "b=8", naming=["-m FILE"])
    refuses(2, "validate", "chol-l-3", "-m", "x", naming=["-n LO:HI:STEP"])
    refuses(2, "validate", "chol-l-3", "-m", "x", "-n", "8:80", naming=["LO:HI:STEP"])
    refuses(2, "plot", "performance", "chol-l-3", naming=["-o FILE"])
    refuses(2, "plot", "performance", "-o", "x.svg", naming=["NAME"])
    refuses(2, "plot", "error", "-o", "x.svg", naming=["--measured"])
    refuses(2, "kernels", "-f", "", naming=["-f", "FILE"])


def test_surplus_words():
    """what is too much is named"""
    refuses(2, "predict", "a", "b", naming=["'b'"])
    refuses(2, "machine", "x", naming=["'x'"])
    refuses(2, "kernels", "dtrsm", "dgemm", naming=["'dgemm'"])
    refuses(2, "kernels", "--json=1", naming=["--json"])
    refuses(2, "predict", "a", "-m", "x", "-m", "y", naming=["-m", "twice"])
    refuses(2, "tune", "a", "-b", "8:64", "-b", "8:128", naming=["-b", "twice"])
    for option, value in (("--reps", "3"), ("--budget", "1"), ("--gate", "off"), ("--ld", "64"), ("--threads", "1")):
        refuses(2, "measure", "a", option, value, option, value, naming=[option, "twice"])


def test_repeated_assignments():
    """a second value for the same name is refused, not taken"""
    generate = ["generate", "--for", "chol-l-3", "-o", "x"]
    refuses(2, *generate, "--set", "grid=cartesian", "--set", "grid=chebyshev",
            naming=["--set", "'grid'", "twice", "grid=cartesian", "grid=chebyshev"])
    refuses(2, *generate, "--set", "seed=1", "--set=seed=1", naming=["'seed'", "twice"])
    refuses(2, "measure", "chol-l-3", "n=8", "b=8", "--env", "A=1", "--env", "A=2", naming=["--env", "'A'", "twice"])
    refuses(2, *generate, "--set", "grid=cartesian", "--set", "gridd=1", naming=["no knob 'gridd'"])


def test_suggestions():
    """a suggestion only where the words have something in common"""
    near = [("rnak", "rank"), ("tun", "tune"), ("machien", "machine"), ("validat", "validate")]
    for wrong, meant in near:
        refuses(2, wrong, naming=[f"did you mean '{meant}'"])
    for wrong in ("c", "xy", "ran-dom", "model-of-a-machine", "x" * 100):
        assert "did you mean" not in refuses(2, wrong).err, wrong
    assert "did you mean" not in refuses(2, "predict", "chol-l-3", "--reps", "3").err
    for wrong in ("c", "N", "nb"):
        assert "did you mean" not in refuses(2, "measure", "chol-l-3", "n=8", "b=8", f"{wrong}=3").err, wrong


def test_forms_of_options():
    """options may be written in one word or two, and end with --"""
    assert run("kernels", "--", "dtrsm").code == 0
    refuses(2, "measure", "chol-l-3", "-nx", naming=["'-n'"])
    refuses(2, "generate", "--for", "chol-l-3", "-o", "x", "-nx", naming=["-n", "'x'"])
    refuses(1, "kernels", "--", "--json", naming=["'--json'"])


def test_control_characters():
    """a name with line breaks still makes one line"""
    refuses(1, "kernels", "a\nb\x1b[31m", naming=["'a b"])


def shell(line):
    return subprocess.run(["sh", "-c", line, "sh", COMMAND], capture_output=True, text=True, timeout=60)


def test_full_disk():
    """output that cannot be written is a failure"""
    if not os.path.exists("/dev/full"):
        return "no /dev/full here"
    for words in ("help", "kernels", "algorithms --json", "--version"):
        done = shell(f'"$1" {words} >/dev/full')
        assert done.returncode == 1, words
        assert done.stderr.startswith("perfpred: standard output cannot be written") and done.stderr.count("\n") == 1
    return None


def test_closed_output():
    """a closed standard output is a failure"""
    done = shell('"$1" kernels >&-')
    assert done.returncode == 1 and done.stderr.startswith("perfpred: standard output cannot be written")


def test_closed_errors():
    """a closed standard error changes no exit code"""
    assert shell('"$1" kernels dtrsn 2>&- >/dev/null').returncode == 1
    assert shell('"$1" kernels dtrsm 2>&- >/dev/null').returncode == 0


main(globals())
