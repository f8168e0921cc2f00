# SPDX-License-Identifier: BSD-3-Clause
"""The doctor: made-up programs and environments, and the libraries of this system. No figure is tested, only what is told. Speaks TAP."""

import glob
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

from harness import COMMAND, ROOT, folder, main, refuses, run

sys.path.insert(0, os.path.join(ROOT, "tests", "ilaenv"))
from tables import Routine, table  # noqa: E402

WORKER = "PERFPRED_WORKER" in os.environ
LINKED = os.environ["VIRTUAL_MODELS"]  # asks for liblapack.so.3, and calls it
KEYS = {"subject", "target", "worst", "library", "libraries", "findings"}
SEVERITIES = ["ok", "note", "warning", "problem"]


with open(os.path.join(ROOT, "doc", "doctor.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)


def without(*names, **more):
    """This environment without what would change the answer."""
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith(("OMP_", "OPENBLAS_", "BLIS_", "MKL_", "LD_")) and key not in names}
    variables.update(more)
    return variables


def report(*words, env=None):
    """A report, checked against its form."""
    made = run("doctor", "--json", *words, env=env or without()).json()
    assert set(made) == KEYS, set(made)
    if jsonschema:
        jsonschema.Draft7Validator(SCHEMA).validate(made)
    for finding in made["findings"]:
        for key in ("id", "severity", "title", "detail", "advice"):
            assert isinstance(finding[key], str), (finding["id"], key)
        assert finding["severity"] in SEVERITIES and finding["title"]
    worst = max((SEVERITIES.index(finding["severity"]) for finding in made["findings"]), default=0)
    assert made["worst"] == SEVERITIES[worst]
    return made


def finding(made, name):
    found = [entry for entry in made["findings"] if entry["id"] == name]
    assert len(found) <= 1 or name in ("missing-library", "lapack-alternative"), name
    return found[0] if found else None


def quiet(*words, env=None):
    return report("--no-measure", *words, env=env)


def library(pattern):
    return next(iter(glob.glob("/usr/lib/*/" + pattern)), None)


def write(name, content, mode=0o644):
    path = os.path.join(folder(), name)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    return path


def sanitized():
    """Is the build one of ASan?"""
    with open(COMMAND, "rb") as file:
        return b"__asan_init" in file.read()


def test_program():
    """a program: what it would load is found without running it"""
    made = quiet("--program", LINKED)
    assert made["subject"] == "program" and made["target"] == LINKED
    lapack = finding(made, "lapack")["found"]
    assert lapack["lapack"] and os.path.isabs(lapack["path"])
    listed = subprocess.run(["ldd", LINKED], capture_output=True, text=True, check=True, env=without()).stdout
    loaded = re.search(r"liblapack\.so\.3 => (\S+)", listed)[1]
    assert os.path.realpath(loaded) == lapack["path"]
    assert finding(made, "override")["active"] is False
    assert [entry["path"] for entry in made["libraries"]].count(lapack["path"]) == 1


def test_program_environment():
    """LD_LIBRARY_PATH and LD_PRELOAD decide as they do for the program"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    reference = library("lapack/liblapack.so.3")
    if reference is None:
        return "reference LAPACK is missing"
    where = os.path.dirname(reference)
    made = quiet("--program", LINKED, env=without(LD_LIBRARY_PATH=where))
    assert finding(made, "lapack")["found"]["path"] == os.path.realpath(reference)
    assert finding(made, "lapack")["found"]["family"] == "reference"
    assert finding(made, "lapack-alternative") is None
    override = os.environ["PERFPRED_OVERRIDE"]
    made = quiet("--program", LINKED, env=without(LD_LIBRARY_PATH=where, LD_PRELOAD=override))
    assert finding(made, "override")["active"] is True and finding(made, "override")["severity"] == "ok"


def test_two_libraries():
    """two libraries of BLAS in one process are told, the first one first"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    files = [library("lapack/liblapack.so.3"), library("blas/libblas.so.3")]
    blis = library("blis-serial/libblis.so.4")
    if None in files or blis is None:
        return "reference BLAS, reference LAPACK or BLIS is missing"
    where = ":".join(map(os.path.dirname, files))
    made = quiet("--program", LINKED, env=without(LD_LIBRARY_PATH=where, LD_PRELOAD=blis))
    two = finding(made, "two-blas")
    assert two["severity"] == "warning"
    assert [entry["family"] for entry in two["found"]][:2] == ["blis", "reference"]
    assert finding(made, "blas")["found"]["family"] == "blis"
    made = quiet("--program", LINKED, env=without(LD_LIBRARY_PATH=where))
    assert finding(made, "two-blas") is None
    assert finding(made, "reference-blas")["severity"] == "warning"


def test_missing_library():
    """a library that is not there is a problem, told with who asks for it"""
    with open(LINKED, "rb") as file:
        content = file.read()
    assert b"liblapack.so.3\0" in content
    path = write("lacks\xe9", content.replace(b"liblapack.so.3\0", b"liblapack.so.9\0"), 0o755)
    made = quiet("--program", path)
    missing = {entry["name"]: entry for entry in made["findings"] if entry["id"] == "missing-library"}
    assert missing["liblapack.so.9"]["severity"] == "problem" and "lacks" in missing["liblapack.so.9"]["by"]
    assert made["worst"] == "problem"


def test_programs_without():
    """programs without BLAS, scripts, programs found in PATH"""
    made = quiet("--program", "env")
    assert os.path.basename(made["target"]) == "env" and made["target"] != "env"
    assert finding(made, "blas")["found"] is None and finding(made, "blas")["severity"] == "note"
    assert finding(made, "not-measured") and finding(made, "threads") is None
    script = write("script", b"#!/usr/bin/env sh\nexit 0\n", 0o755)
    made = quiet("--program", script)
    assert finding(made, "script")["interpreter"] == "sh" and made["target"] == script


def test_hostile_programs():
    """files that are no programs are refused in one line; damaged ones as well"""
    refuses(1, "doctor", "--program", "/nowhere/program", naming=["/nowhere/program"])
    refuses(1, "doctor", "--program", folder(), naming=["expected"])
    refuses(1, "doctor", "--program", "/dev/zero", naming=["/dev/zero"])
    refuses(1, "doctor", "--program", write("empty", b""), naming=["empty", "expected"])
    refuses(1, "doctor", "--program", write("text", b"no program\n"), naming=["expected"])
    refuses(1, "doctor", "--program", write("new\nline", b"\x7fELF"), naming=["new line"])
    refuses(1, "doctor", "--program", write("lost", b"#!/nowhere/sh\n"), naming=["/nowhere/sh"])
    with open(LINKED, "rb") as file:
        content = file.read()
    refuses(1, "doctor", "--program", write("cut", content[:1000]), naming=["cut"])


def test_process():
    """a running process: its files, its environment"""
    with subprocess.Popen([COMMAND, "sample"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          env=without(OMP_NUM_THREADS="3", BLIS_ARCH_TYPE="0")) as child:
        try:
            made = quiet("--pid", child.pid)
        finally:
            child.stdin.close()
            child.wait()
    assert made["subject"] == "process" and made["target"].startswith(f"{child.pid} ")
    variables = {entry["name"]: entry["value"] for entry in finding(made, "environment")["variables"]}
    assert variables["OMP_NUM_THREADS"] == "3" and variables["BLIS_ARCH_TYPE"] == "0"
    refuses(1, "doctor", "--pid", child.pid, naming=["there is none"])


def test_threads():
    """threads: what the environment says, beside what may be used"""
    blis = library("blis-openmp/libblis.so.4")
    if blis is None:
        return "BLIS for OpenMP is missing"
    words = ("--blas", blis)
    for variables, count, source in (
        ({}, 1, "BLIS's default"), ({"OMP_NUM_THREADS": "2,1"}, 2, "OMP_NUM_THREADS"),
        ({"OMP_NUM_THREADS": "2", "BLIS_NUM_THREADS": "5000"}, 5000, "BLIS_NUM_THREADS"),
        ({"BLIS_NUM_THREADS": "2", "BLIS_JC_NT": "3", "BLIS_IC_NT": "2"}, 6, "BLIS_JC_NT"),
        ({"OMP_NUM_THREADS": "many"}, 1, "BLIS's default"), ({"OMP_NUM_THREADS": "-4"}, 1, "BLIS's default"),
    ):
        threads = finding(quiet(*words, env=without(**variables)), "threads")
        assert (threads["threads"], threads["threads_source"]) == (count, source), (variables, threads)
        assert threads["severity"] == ("warning" if count > threads["cpu_count"] else threads["severity"])
    arch = finding(quiet(*words, env=without(BLIS_ARCH_TYPE="haswell")), "blis-arch-type")
    assert arch["severity"] == "warning" and arch["value"] == "haswell"


def test_no_worker():
    """without a worker the files are told all the same, and nothing of the environment is needed"""
    made = report("--worker", "/nowhere/worker")
    assert finding(made, "worker")["severity"] == "problem" and finding(made, "worker")["status"] == "MISSING"
    assert finding(made, "kernels") is None and finding(made, "system-blas")
    done = subprocess.run([COMMAND, "doctor", "--json", "--no-measure"], env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_setup_asks():
    """which routines of reference LAPACK ask ILAENV: all that are tried, with the stock block sizes of LAPACK 3.11"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    if not WORKER:
        return "built without the worker"
    reference = library("lapack/liblapack.so.3")
    if reference is None:
        return "reference LAPACK is missing"
    made = quiet("--lapack", reference)
    asked = {entry["routine"]: entry for entry in finding(made, "ilaenv")["routines"]}
    assert len(asked) == 16 and all(entry["asks"] for entry in asked.values())
    for name, nb, nx in (("DPOTRF", 64, None), ("DGEQRF", 32, 128), ("DSYTRD", 32, 32), ("DGEHRD", 32, 128),
                         ("DORMQR", 32, None), ("DSYTRF", 64, None)):
        assert (asked[name]["nb_stock"], asked[name]["nx_stock"]) == (nb, nx), asked[name]
    assert finding(made, "ilaenv")["severity"] == "ok"
    if "3.11" in os.path.realpath(reference):
        assert finding(made, "lapack-version")["severity"] == "ok"


def test_setup_does_not_ask():
    """OpenBLAS's own decompositions do not ask, and its LAPACK is not the one of the catalogue"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    blas, lapack = library("openblas-serial/libblas.so.3"), library("openblas-serial/liblapack.so.3")
    if not WORKER or blas is None or lapack is None:
        return "the worker or OpenBLAS is missing"
    made = quiet("--blas", blas, "--lapack", lapack)
    asked = {entry["routine"]: entry["asks"] for entry in finding(made, "ilaenv")["routines"]}
    assert [name for name in asked if not asked[name]] == ["DPOTRF", "DGETRF", "DTRTRI", "DLAUUM"]
    assert finding(made, "lapack-version")["severity"] == "warning"
    assert finding(made, "kernels")["family"] == "openblas" and finding(made, "kernels")["kernels"]


def test_kernels():
    """kernels that the BLAS chose, by itself and by its variable"""
    blis = library("blis-serial/libblis.so.4")
    if not WORKER or blis is None:
        return "the worker or BLIS is missing"
    forced = finding(quiet("--blas", blis, env=without(BLIS_ARCH_TYPE="5")), "kernels")
    assert (forced["kernels"], forced["setting"]) == ("penryn", "BLIS_ARCH_TYPE")
    assert finding(quiet("--blas", blis, "--env", "BLIS_ARCH_TYPE=5"), "kernels")["kernels"] == "penryn"


def test_measured():
    """settings side by side: the form of it, and that each kernel set is there once"""
    blis = library("blis-serial/libblis.so.4")
    if not WORKER or blis is None:
        return "the worker or BLIS is missing"
    made = report("--blas", blis, "--budget", "3")
    dgemm, settings = finding(made, "dgemm"), finding(made, "settings")
    assert dgemm["n"] == 1000 and dgemm["threads"] == 1 and dgemm["flops_per_s"] > 0
    entries = settings["settings"]
    assert entries[0]["setting"] == ""
    assert all(re.fullmatch(r"BLIS_ARCH_TYPE=\d+", entry["setting"]) for entry in entries[1:])
    names = [entry["kernels"] for entry in entries if entry["kernels"]]
    assert len(names) == len(set(names))
    states = {"measured", "slower", "same", "refused", "crashed", "left out"}
    assert {entry["state"] for entry in entries} <= states


def test_table():
    """the decision table: absent, no table at all, named by option and by environment"""
    missing = finding(quiet("--table", "/nowhere/lapack.table"), "table")
    assert missing["severity"] == "note" and missing["present"] is False
    broken = write("broken.table", b"PPTABLE1 and nothing behind it")
    for made in (quiet("--table", broken), quiet(env=without(PERFPRED_TABLE=broken))):
        entry = finding(made, "table")
        assert entry["severity"] == "warning" and entry["path"] == broken and entry["valid"] is False


def test_command():
    """a command is run as it is, and what it loads is told"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    made = report("--no-measure", "--", LINKED, os.path.join(folder(), "asked.json"), "chol-l-1")
    assert made["subject"] == "run" and finding(made, "run")["processes"] >= 1
    assert finding(made, "lapack")["found"]["lapack"] and finding(made, "override")["active"]
    asked = finding(made, "questions")
    assert asked["asked"] == sum(entry["count"] for entry in asked["questions"]) > 0
    assert {"DGEQRF", "DORMQR"} <= {entry["routine"] for entry in asked["questions"]}  # it calls DGELSY
    assert os.path.exists(os.path.join(folder(), "asked.json"))


def test_effect():
    """a program under the override with a valid table: its block sizes beside the stock ones, and that they were given"""
    reference = library("lapack/liblapack.so.3")
    if "ILAENV_HOST" not in os.environ or reference is None:
        return "reference LAPACK is missing, or the build is a sanitizer's"
    cells = [(200, 24), (None, 72, 8, None)]
    path = write("doctor.table", table([Routine("DGETRF", "min12", [(None, 80)]), Routine("DPOTRF", "n1", cells, "L")]))
    env = without(PERFPRED_TABLE=path, LD_LIBRARY_PATH=os.path.dirname(reference))
    made = report("--no-measure", "--", os.environ["ILAENV_HOST"], "dpotrf", "300", env=env)
    entry = finding(made, "table")
    assert (entry["severity"], entry["path"], entry["valid"], entry["of_this_machine"]) == ("ok", path, True, True)
    covers = {(covered["routine"], covered["options"]): covered for covered in entry["covers"]}
    assert sorted(covers) == [("DGETRF", ""), ("DPOTRF", "L")]
    if WORKER:  # which has asked for the stock values
        assert all(covered["asks"] for covered in covers.values())
        told = {n["n"]: (n["nb"], n["nb_stock"]) for n in covers["DPOTRF", "L"]["effect"]}
        assert told == {100: (24, 64), 300: (72, 64), 1000: (72, 64), 3000: (72, 64)}, told
        assert [n["nb"] for n in covers["DGETRF", ""]["effect"]] == [80] * 4
    assert finding(made, "override")["active"] is True
    (asked,) = [e for e in finding(made, "questions")["questions"] if e["routine"] == "DPOTRF" and e["ispec"] == 1]
    assert (asked["sizes"][0], asked["answer"], asked["source"], asked["options"][:1]) == (300, 72, "table", "L"), asked
    assert finding(made, "questions")["answered_by_table"] == asked["count"] == 1
    return None


def test_counters():
    """whether events of the processor can be counted, as machine says, and a reason where they cannot"""
    if not WORKER:
        return "built without the worker"
    counters = run("machine", "--json").json()["counters"]
    entry = finding(quiet(), "counters")
    presets = [name for name in counters["names"] if name.startswith("PAPI_")]
    assert (entry["available"], entry["hardware"]) == (len(presets), counters["hardware"]), (entry, counters)
    assert entry["severity"] == ("ok" if presets else "note")
    assert presets or entry["detail"] == counters["note"] != "", (entry, counters)
    return None


def test_command_streams():
    """exit codes pass through, output stays where it was, the report is apart from it"""
    if sanitized():
        return "a sanitizer's libraries cannot be preloaded into programs without it"
    def doctor(*words):
        return run("doctor", "--no-measure", *words, env=without())

    done = doctor("--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert done.code == 7 and done.out == "out\n" and done.err.startswith("err\n") and "The run was seen" in done.err
    done = doctor("--json", "--", "sh", "-c", "echo out; exit 3")
    assert done.code == 3 and done.out.startswith("{") and done.out.count("\n") == 1 and done.err.startswith("out\n")
    assert doctor("--", "sh", "-c", "kill -9 $$").code == 137
    missing = doctor("--", "/nowhere/command")
    assert missing.code == 127 and missing.out == "" and "'/nowhere/command' cannot be run" in missing.err
    assert doctor("--", folder()).code == 126


def test_wrong_usage():
    """command lines that contradict themselves"""
    refuses(2, "doctor", "--program", "sh", "--pid", "1", naming=["--program", "--pid"])
    refuses(2, "doctor", "--program", "sh", "--", "sh", naming=["--program"])
    refuses(2, "doctor", "--pid", "0", naming=["--pid"])
    refuses(2, "doctor", "--pid", "x1", naming=["--pid"])
    refuses(2, "doctor", "--budget", "-1", naming=["--budget"])
    refuses(1, "doctor", "--blas", "/nowhere/libblas.so", naming=["/nowhere/libblas.so"])


def test_schema():
    """the schema is one, and refuses spoilt reports"""
    if jsonschema is None:
        return "the Debian package python3-jsonschema is missing"
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    good = quiet("--worker", "/nowhere/worker")
    for spoil in (lambda report: report.pop("worst"), lambda report: report.update(worst="bad"), lambda report: report.update(more=1),
                  lambda report: report["findings"][0].pop("found"), lambda report: report["findings"][0].update(severity="x"),
                  lambda report: report["findings"].append({"id": "threads"})):
        bad = json.loads(json.dumps(good))
        spoil(bad)
        assert not jsonschema.Draft7Validator(SCHEMA).is_valid(bad)


def test_documented():
    """doc/doctor.md explains every finding that the library knows"""
    with open(os.path.join(ROOT, "doc", "doctor.md"), encoding="utf-8") as file:
        text = file.read()
    for name in glob.glob(os.path.join(ROOT, "lib", "api", "doctor*.c")):
        with open(name, encoding="utf-8") as file:
            source = file.read()
        for match in re.findall(r'(?:ppi_finding_begin|tell_provider|tell_system)\([^"();]*"([a-z-]+)"', source):
            assert f"`{match}`" in text, match
        for pair in re.findall(r'\? "([a-z]+-[a-z]+)" : "([a-z]+-[a-z]+)"', source):
            assert all(f"`{match}`" in text for match in pair), pair


main(globals())
