# SPDX-License-Identifier: BSD-3-Clause
"""The override in programs that know nothing of it: what it answers, and that it does nothing else."""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "command"))
from harness import folder, main  # noqa: E402
from tables import Routine, cpu_name, table  # noqa: E402

HOST = os.environ["ILAENV_HOST"]
LINKED = os.environ["ILAENV_LINKED"]
OVERRIDE = os.environ["PERFPRED_OVERRIDE"]
LAPACK = next(iter(glob.glob("/usr/lib/*/lapack/liblapack.so.3")), None)
BLAS = next(iter(glob.glob("/usr/lib/*/blas/libblas.so.3") + glob.glob("/usr/lib/*/blis-serial/libblas.so.3")), None)
ROUTINES = [
    Routine("DGEHRD", "n1", [(None, 28, 2, 30)]),
    Routine("DGEQRF", "min12", [(None, 40, 2, 44)]),
    Routine("DGETRF", "min12", [(None, 56)]),
    Routine("DORGQR", "n2", [(None, 36, 2, 48)]),
    Routine("DORMLQ", "max123", [(None, 44)]),
    Routine("DORMQL", "max123", [(None, 52)]),
    Routine("DORMQR", "max123", [(None, 48)]),
    Routine("DPOTRF", "n1", [(100, 24), (None, 72)]),
    Routine("DSYTRD", "n1", [(None, 24, 2, 30)]),
    Routine("DSYTRF", "n1", [(None, 20)]),
]


class Done:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def word(self, key):
        return re.search(rf"^{key} (.*)$", self.out, re.M)[1]


def path(name, data=None):
    name = os.path.join(folder(), name)
    if data is not None:
        with open(name, "wb") as file:
            file.write(data)
    return name


def environment(preload=OVERRIDE, **more):
    names = ("PERFPRED_", "XDG_", "LD_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    kept["LD_LIBRARY_PATH"] = ":".join(os.path.dirname(library) for library in (LAPACK, BLAS))
    if preload:
        kept["LD_PRELOAD"] = preload
    kept.update(more)
    return {name: value for name, value in kept.items() if value is not None}


def host(*words, program=HOST, **more):
    command = [program, *map(str, words)]
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=120, check=False)
    return Done(done)


def asks(*words, **more):
    """The answer of a host that says nothing else."""
    done = host("ask", *words, **more)
    assert done.code == 0 and done.err == "", (words, done.code, done.err)
    return int(done.out)


POTRF = (1, "DPOTRF", "L", 300, -1, -1, -1)
STOCK, DECIDED = 64, 72


def good():
    return path("good", table(ROUTINES))


def test_answers():
    """a table answers for its routines, LAPACK's rules for the others"""
    assert asks(*POTRF, PERFPRED_TABLE=good()) == DECIDED
    assert asks(*POTRF, PERFPRED_TABLE=good(), preload=None) == STOCK
    assert asks(1, "DPOTRF", "L", 100, -1, -1, -1, PERFPRED_TABLE=good()) == 24
    assert asks(1, "SPOTRF", "L", 300, -1, -1, -1, PERFPRED_TABLE=good()) == STOCK
    assert asks(3, "DGEQRF", " ", 300, 300, -1, -1, PERFPRED_TABLE=good()) == 44
    assert asks(9, "DGELSD", " ", 0, 0, 0, 0, PERFPRED_TABLE=good()) == 25
    assert asks(18, "DPOTRF", " ", 1, 1, 1, 1, PERFPRED_TABLE=good()) == -1


def test_places():
    """the table is found in the user's folder for data"""
    os.makedirs(path("data/perfpred"), exist_ok=True)
    os.makedirs(path("home/.local/share/perfpred"), exist_ok=True)
    shutil.copy(good(), path("data/perfpred/lapack.table"))
    shutil.copy(good(), path("home/.local/share/perfpred/lapack.table"))
    assert asks(*POTRF, XDG_DATA_HOME=path("data"), HOME=None) == DECIDED
    assert asks(*POTRF, HOME=path("home")) == DECIDED
    assert asks(*POTRF, XDG_DATA_HOME="data", HOME=path("nowhere")) == STOCK
    assert asks(*POTRF, XDG_DATA_HOME="data", HOME=path("home")) == DECIDED
    assert asks(*POTRF, XDG_DATA_HOME=path("nowhere"), HOME=path("home")) == STOCK
    assert asks(*POTRF, HOME=None) == STOCK
    assert asks(*POTRF, HOME=path("home"), PERFPRED_TABLE="") == STOCK
    assert asks(*POTRF, HOME=path("home"), PERFPRED_TABLE=path("nowhere")) == STOCK


def test_hostile_files():
    """whatever else the table is, the answers are LAPACK's own, and nothing is said"""
    data = table(ROUTINES)
    files = {
        "empty": b"", "short": data[:600], "cut": data[:-1], "long": data + b"\0", "text": b"DPOTRF 72\n" * 100,
        "damaged": data[:700] + bytes([data[700] ^ 1]) + data[701:], "version": table(ROUTINES, version=3),
        "checksum": table(ROUTINES, checksum=1), "large": data + b"\0" * 70000,
        "order": table(sorted(ROUTINES, key=lambda r: r.name, reverse=True)),
    }
    for name, content in files.items():
        assert asks(*POTRF, PERFPRED_TABLE=path(name, content)) == STOCK, name
    os.mkfifo(path("fifo"))
    os.makedirs(path("directory"), exist_ok=True)
    os.symlink("loop", path("loop"))
    for name in (path("fifo"), path("directory"), path("loop"), "/dev/zero", "/dev/null", "/proc/self/mem", "/dev/tty",
                 path("good/below"), "x" * 5000, "relative"):
        assert asks(*POTRF, PERFPRED_TABLE=name) == STOCK, name
    with open(path("sparse"), "wb") as file:
        file.truncate(1 << 40)
    assert asks(*POTRF, PERFPRED_TABLE=path("sparse")) == STOCK


def test_unreadable():
    """a table that may not be read is no table"""
    if os.geteuid() == 0:
        return "root may read everything"
    os.chmod(path("closed", table(ROUTINES)), 0)
    assert asks(*POTRF, PERFPRED_TABLE=path("closed")) == STOCK
    return None


def test_limits():
    """without descriptors or memory the answers are LAPACK's own"""
    for what in ("descriptors", "memory"):
        assert host("starved", what, PERFPRED_TABLE=good()).out == "64\n", what


def test_other_cpu():
    """a table of another CPU is not used unless forced"""
    other, own = path("other", table(ROUTINES, cpu="Another CPU 3000")), path("own", table(ROUTINES, cpu=cpu_name()))
    assert asks(*POTRF, PERFPRED_TABLE=own) == DECIDED
    assert asks(*POTRF, PERFPRED_TABLE=other) == STOCK
    assert asks(*POTRF, PERFPRED_TABLE=other, PERFPRED_FORCE="1") == DECIDED
    for word in ("", "0", "yes", "11"):
        assert asks(*POTRF, PERFPRED_TABLE=other, PERFPRED_FORCE=word) == STOCK, word


BLOCKS = {
    # 300 columns: what is left over is the last block, of the remainder
    "dpotrf": {72, 300 % 72}, "dgetrf": {56, 300 % 56}, "dgeqrf": {40}, "dsytrf": {20}, "dgelsy": {48, 300 % 48},
    "dgelsd": {48, 300 % 48, 44, 299 % 44}, "dgesdd": {48, 300 % 48, 44, 299 % 44}, "dsyevd": {48, 299 % 48},
    "dsyevr": {48, 299 % 48}, "dgeev": {28}, "dgees": {28, 36}, "dggev": {40, 48, 300 % 48, 36},
}


def check_blocks(routine, n=300):
    plain, decided = host(routine, n, preload=None), host(routine, n, PERFPRED_TABLE=good())
    assert plain.code == decided.code == 0 and decided.err == "", decided.err
    assert plain.word("info") == decided.word("info") == "0"
    one, other = float(plain.word("result")), float(decided.word("result"))
    assert abs(one - other) <= 1e-9 * abs(one), (one, other)
    blocks = {int(word) for word in decided.word("blocks").split()}
    assert blocks == BLOCKS[routine], f"{blocks}, expected {BLOCKS[routine]}"
    assert {int(word) for word in plain.word("blocks").split()} != blocks


def test_dpotrf():
    """DPOTRF uses the block size of the table, with the same result"""
    check_blocks("dpotrf")


def test_dgetrf():
    """DGETRF uses the block size of the table, with the same result"""
    check_blocks("dgetrf")


def test_dgeqrf():
    """DGEQRF uses the block size and crossover of the table, with the same result"""
    check_blocks("dgeqrf")


def test_dsytrf():
    """DSYTRF uses the block size of the table, with the same result"""
    check_blocks("dsytrf")


def test_dgelsy():
    """DGELSY computes with the block size that the table has for DORMQR"""
    check_blocks("dgelsy")


def test_dgelsd():
    """DGELSD computes with the block sizes of the table"""
    check_blocks("dgelsd")


def test_dgesdd():
    """DGESDD computes with the block sizes of the table"""
    check_blocks("dgesdd")


def test_dsyevd():
    """DSYEVD computes with the block sizes of the table"""
    check_blocks("dsyevd")


def test_dsyevr():
    """DSYEVR has workspace for the block size of DORMQR"""
    check_blocks("dsyevr")


def test_dgeev():
    """DGEEV has workspace for the block size of DGEHRD"""
    check_blocks("dgeev")


def test_dgees():
    """DGEES has workspace for the block sizes of DGEHRD and DORGQR"""
    check_blocks("dgees")


def test_dggev():
    """DGGEV has workspace for the block sizes of DGEQRF, DORMQR and DORGQR"""
    check_blocks("dggev")


def test_log():
    """the log has a line for every question"""
    log = path("log")
    done = host("dpotrf", 300, PERFPRED_TABLE=good(), PERFPRED_ILAENV_LOG=log)
    assert done.code == 0 and done.err == ""
    with open(log, encoding="ascii") as file:
        assert file.read() == "1 DPOTRF L 300 -1 -1 -1 72 table\n"
    assert asks(7, "dsytrd_2stage with a long name", " ", 1, 2, 3, -4, PERFPRED_TABLE="", PERFPRED_ILAENV_LOG=log) == 1
    with open(log, encoding="ascii") as file:
        assert file.readlines()[1:] == ["7 DSYTRD_2STAGE?WI - 1 2 3 -4 1 stock\n"]


def test_log_that_cannot_be_written():
    """a log that cannot be written is no matter"""
    os.mkfifo(path("unread"))
    for name in (path("folder2/log"), folder(), path("unread"), "/dev/full", "x" * 5000, ""):
        assert asks(*POTRF, PERFPRED_TABLE=good(), PERFPRED_ILAENV_LOG=name) == DECIDED, name


def test_pipe_without_reader():
    """a log or standard error that nobody reads any more does not end the host"""
    reading, writing = os.pipe()
    os.close(reading)
    command = [HOST, "ask", *map(str, POTRF)]
    done = subprocess.run(command, env=environment(PERFPRED_TABLE=good(), PERFPRED_VERBOSE="1"), stderr=writing,
                          stdout=subprocess.PIPE, text=True, check=False, restore_signals=True)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, "72\n")


def test_verbose():
    """PERFPRED_VERBOSE tells every question once"""
    done = host("fork", *POTRF, PERFPRED_TABLE=good(), PERFPRED_VERBOSE="1")
    assert done.out == "72\n72\n"
    assert done.err.splitlines() == [
        f"perfpred: ilaenv: decision table '{good()}' is used",
        "perfpred: ilaenv 1 DPOTRF L 300 -1 -1 -1 = 72 (table)",
    ]
    done = host("ask", *POTRF, PERFPRED_TABLE=path("cut2", table(ROUTINES)[:-1]), PERFPRED_VERBOSE="1")
    assert "is not used: its length is not what its header says" in done.err and "= 64 (stock)" in done.err
    done = host("ask", *POTRF, PERFPRED_TABLE=path("nowhere"), PERFPRED_VERBOSE="1")
    assert "is not used: expected a readable file" in done.err
    assert host("ask", *POTRF, HOME=None, PERFPRED_VERBOSE="1").err.startswith("perfpred: ilaenv: decision table is not")
    assert host("ask", *POTRF, PERFPRED_VERBOSE="0").err == ""


def test_fork():
    """a child that is forked has the same answers"""
    assert host("fork", *POTRF, PERFPRED_TABLE=good()).out == "72\n72\n"


def test_private_lapack():
    """LAPACK that a host loads for itself asks the override"""
    log = path("private-log")
    done = host("private", LAPACK, 300, PERFPRED_TABLE=good(), PERFPRED_ILAENV_LOG=log)
    plain = host("private", LAPACK, 300, preload=None)
    assert done.word("info") == plain.word("info") == "0" and done.err == ""
    assert abs(float(done.word("result")) / float(plain.word("result")) - 1.0) < 1e-12
    with open(log, encoding="ascii") as file:
        assert file.read().count("1 DPOTRF L 300 -1 -1 -1 72 table\n") == 1


def test_linked_and_preloaded():
    """linked, preloaded, both, or twice: it answers (C10)"""
    copy = path("copy.so")
    shutil.copy(os.path.realpath(OVERRIDE), copy)
    for program, preload in ((LINKED, None), (LINKED, OVERRIDE), (HOST, f"{OVERRIDE}:{copy}"), (LINKED, copy),
                             (HOST, f"{OVERRIDE}:{OVERRIDE}")):
        assert asks(*POTRF, program=program, preload=preload, PERFPRED_TABLE=good()) == DECIDED, (program, preload)


def test_children():
    """in a tree of shells nothing changes but LAPACK's block sizes (C13)"""
    line = 'echo out; echo err >&2; sh -c "exit 7"; echo $?; env | grep -c LD_PRELOAD; exit 3'
    for more in ({"HOME": None}, {"PERFPRED_TABLE": path("nowhere")}, {"PERFPRED_TABLE": good()},
                 {"PERFPRED_TABLE": path("broken", b"PPTABLE1" * 200)}):
        done = subprocess.run(["sh", "-c", line], env=environment(**more), capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (3, "out\n7\n1\n", "err\n"), more


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library):
    return {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}


def test_exports():
    """exactly the names of ILAENV are exported"""
    wide = set(filter(None, os.environ["ILAENV_WIDE"].split(",")))
    assert exported(OVERRIDE) == {"ilaenv_"} | wide
    assert exported(os.environ["ILAENV_WITH_WIDE"]) == {"ilaenv_", "ilaenv_64_", "ilaenv64_"}


def test_needs():
    """the C library is all that it needs; it has no constructors and stays where it is"""
    dynamic = output("readelf", "-dW", OVERRIDE)
    assert re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic) == ["libc.so.6"], dynamic
    assert "[libperfpred-ilaenv.so.0]" in dynamic and "NODELETE" in dynamic and "TEXTREL" not in dynamic
    for kind in ("init_array", "fini_array"):
        match = re.search(rf"\.{kind}\s+\S+\s+\S+\s+\S+\s+(\S+)", output("readelf", "-SW", OVERRIDE))
        assert match is None or int(match[1], 16) <= 8, kind


def test_imports():
    """nothing that it calls allocates, locks or looks for other libraries"""
    imports = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", OVERRIDE).splitlines()}
    weak = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__cxa_finalize", "__gmon_start__"}
    wanted = {
        "__errno_location", "__stack_chk_fail", "close", "fstat", "getcwd", "memcmp", "memcpy", "memset", "mmap", "munmap",
        "open", "open64", "fstat64", "stat64", "mmap64", "pthread_sigmask", "read", "secure_getenv", "sigaddset",
        "sigemptyset", "sigismember", "sigpending", "sigtimedwait", "snprintf", "stat", "strchr", "strcmp", "strcspn",
        "strlen", "strncmp", "strnlen", "strspn", "uname", "write", "strcat", "strcpy",
    }
    imports = {name for name in imports if not re.fullmatch(r"__\w+_chk", name)}  # of hardened builds
    assert imports <= weak | wanted, imports - weak - wanted


def test_nothing_is_written():
    """no file appears or changes, none stays open"""
    home = path("quiet")
    os.makedirs(home)
    used = good()
    before = os.stat(used)
    line = '"$0" dpotrf 300 >/dev/null; ls -A; ls /proc/self/fd | wc -l'
    done = subprocess.run(["sh", "-c", line, HOST], env=environment(HOME=home, TMPDIR=home, PERFPRED_TABLE=used),
                          cwd=home, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["4"], ""), (done.stdout, done.stderr)
    after = os.stat(used)
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)


if LAPACK is None or BLAS is None:
    print("1..0 # SKIP reference LAPACK and a BLAS are not installed")
else:
    main(globals())
