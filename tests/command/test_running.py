# SPDX-License-Identifier: BSD-3-Clause
"""perfpred run: an unmodified program on chosen libraries, with block sizes from a decision table."""

import glob
import os
import shutil
import signal
import subprocess
import sys

from harness import COMMAND, ROOT, folder, main, models, refuses, run

sys.path.insert(0, os.path.join(ROOT, "tests", "ilaenv"))
from tables import Routine, cpu_name, table  # noqa: E402

OVERRIDE = os.path.realpath(os.environ["PERFPRED_OVERRIDE"])
LAPACK = next(iter(glob.glob("/usr/lib/*/lapack/liblapack.so.3")), None)
BLAS = next(iter(glob.glob("/usr/lib/*/blas/libblas.so.3") + glob.glob("/usr/lib/*/blis-serial/libblis.so.4")), None)


def path(name):
    return os.path.join(folder(), name)


def decisions(name="lapack.table", **options):
    with open(path(name), "wb") as file:
        file.write(table([Routine("DPOTRF", "n1", [(None, 72)])], **options))
    return path(name)


def environment(**more):
    """Of this process, with a home and a cache that are empty."""
    dropped = ("LD_", "XDG_", "PERFPRED_TABLE", "PERFPRED_FORCE", "PERFPRED_VERBOSE", "PERFPRED_ILAENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    os.makedirs(path("home"), exist_ok=True)
    kept["HOME"] = path("home")
    kept.update(more)
    return {name: value for name, value in kept.items() if value is not None}


def start(*words, **more):
    return run("run", *words, env=environment(**more))


def variables(*words, **more):
    """The environment of a program that is run."""
    result = start(*words, "env", **more)
    assert result.code == 0, result.err
    return dict(line.split("=", 1) for line in result.out.splitlines() if "=" in line)


def test_exit_codes():
    """the exit code is the program's"""
    for code in (0, 1, 3, 255):
        assert start("--table", decisions(), "--", "sh", "-c", f"exit {code}").code == code
    done = subprocess.run([COMMAND, "run", "--table", decisions(), "--", "sh", "-c", "kill -9 $$"], env=environment(),
                          check=False)
    assert done.returncode == -signal.SIGKILL


def test_output():
    """nothing of ours is in the program's output; its input is its own"""
    line = "cat; echo err >&2"
    done = subprocess.run([COMMAND, "run", "--table", decisions(), "sh", "-c", line], input="in", capture_output=True,
                          text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "in", "err\n")


def test_words():
    """what stands behind the program belongs to it, empty words and options too"""
    for dashes in ((), ("--",)):
        result = start("--table", decisions(), *dashes, "printf", "%s|", "--help", "", "--", "-o", "n=1")
        assert (result.code, result.out) == (0, "--help||--|-o|n=1|")


def test_no_such_program():
    """a program that is not there or cannot be run is named"""
    for word, code in (("no-such-program", 127), (path("nowhere"), 127), (folder(), 126)):
        result = start("--table", decisions(), "--", word)
        assert (result.code, result.out) == (code, "") and result.err.count("\n") == 1, result.err
        assert f"'{word}' cannot be run" in result.err


def test_misuse():
    """a command line that makes no sense is refused"""
    refuses(2, "run", naming=["COMMAND"])
    refuses(2, "run", "--", naming=["COMMAND"])
    refuses(2, "run", "", naming=["empty word"])
    refuses(2, "run", "--json", "true", naming=["--json"])
    refuses(2, "run", "--tabel", "x", "true", naming=["did you mean '--table'"])
    refuses(2, "run", "--keep-libraries", "--blas", "x", "true", naming=["--keep-libraries"])
    refuses(2, "run", "--keep-libraries", "--preload-libraries", "true", naming=["--keep-libraries"])


def test_table():
    """the table is named by an absolute path"""
    decisions()
    assert variables("--table", path("lapack.table"))["PERFPRED_TABLE"] == os.path.realpath(path("lapack.table"))
    os.makedirs(path("data/perfpred"), exist_ok=True)
    shutil.copy(path("lapack.table"), path("data/perfpred/lapack.table"))
    assert variables(XDG_DATA_HOME=path("data"))["PERFPRED_TABLE"] == os.path.realpath(path("data/perfpred/lapack.table"))
    assert variables(PERFPRED_TABLE=path("lapack.table"))["PERFPRED_TABLE"].startswith("/")
    assert "PERFPRED_FORCE" not in variables("--table", path("lapack.table"))


def test_no_table():
    """without a table the program runs, and a note says so"""
    result = start("echo", "done")
    assert (result.code, result.out) == (0, "done\n")
    assert result.err.startswith("perfpred: note: no decision table") and result.err.count("\n") == 1


def test_bad_tables():
    """a table that would not be used is an error"""
    with open(path("damaged"), "wb") as file:
        file.write(table([Routine("DPOTRF", "n1", [(None, 72)])], checksum=7))
    for name, word in ((path("damaged"), "checksum"), (path("nowhere"), "nowhere"), (folder(), folder())):
        result = start("--table", name, "--", "true")
        assert result.code == 1 and word in result.err and result.err.count("\n") == 1, result.err
    os.makedirs(path("bad/perfpred"), exist_ok=True)
    shutil.copy(path("damaged"), path("bad/perfpred/lapack.table"))
    assert "checksum" in start("true", XDG_DATA_HOME=path("bad")).err


def test_other_cpu():
    """a table of another CPU is refused unless forced"""
    other, own = decisions("other", cpu="Another CPU 3000"), decisions("own", cpu=cpu_name())
    assert start("--table", own, "--", "true").code == 0
    result = start("--table", other, "--", "true")
    assert result.code == 1 and "Another CPU 3000" in result.err
    assert variables("--table", other, "--force")["PERFPRED_FORCE"] == "1"


def test_override_library():
    """the override comes first in the preloaded libraries, the others stay"""
    assert variables("--table", decisions())["LD_PRELOAD"] == OVERRIDE
    assert variables("--table", decisions(), LD_PRELOAD="libc.so.6")["LD_PRELOAD"] == OVERRIDE + ":libc.so.6"
    result = start("--table", decisions(), "true", PERFPRED_OVERRIDE=path("no.so"))
    assert result.code == 1 and "override library" in result.err and "no.so" in result.err
    os.makedirs(path("with blank"), exist_ok=True)
    shutil.copy(OVERRIDE, path("with blank/o.so"))
    assert "cannot be given a path" in start("true", PERFPRED_OVERRIDE=path("with blank/o.so")).err


def links(listed):
    first = listed["LD_LIBRARY_PATH"].split(":")[0]
    return first, {name: os.readlink(os.path.join(first, name)) for name in os.listdir(first)}


def test_libraries():
    """the usual names lead to the libraries chosen, in a folder that is made once"""
    if LAPACK is None or BLAS is None:
        return "reference LAPACK and a BLAS are not installed"
    words = ("--table", decisions(), "--blas", BLAS, "--lapack", LAPACK)
    first, found = links(variables(*words, LD_LIBRARY_PATH="/a:/b"))
    assert found["libblas.so.3"] == os.path.realpath(BLAS) and found["liblapack.so.3"] == os.path.realpath(LAPACK)
    assert first.startswith(path("home/.cache/perfpred/libraries-"))
    assert variables(*words, LD_LIBRARY_PATH="/a:/b")["LD_LIBRARY_PATH"] == first + ":/a:/b"
    assert links(variables(*words))[0] == first
    os.unlink(os.path.join(first, "libblas.so.3"))
    assert links(variables(*words))[1]["libblas.so.3"] == os.path.realpath(BLAS)
    os.unlink(os.path.join(first, "libblas.so.3"))
    os.symlink("/elsewhere", os.path.join(first, "libblas.so.3"))
    assert "libblas.so.3" in start(*words, "true").err
    os.unlink(os.path.join(first, "libblas.so.3"))
    return None


def test_preloaded_libraries():
    """with --preload-libraries they come last of what is preloaded"""
    if LAPACK is None or BLAS is None:
        return "reference LAPACK and a BLAS are not installed"
    words = ("--table", decisions(), "--blas", BLAS, "--lapack", LAPACK, "--preload-libraries")
    listed = variables(*words, LD_PRELOAD="libc.so.6")
    first = listed["LD_LIBRARY_PATH"]
    assert listed["LD_PRELOAD"] == f"{OVERRIDE}:libc.so.6:{first}/liblapack.so.3:{first}/libblas.so.3"
    line = 'LD_LIBRARY_PATH= exec "$0" dpotrf 300'
    assert "blocks 72 12\n" in start(*words, "sh", "-c", line, os.environ["ILAENV_HOST"]).out
    return None


def test_folders():
    """without a home the folder is one of the user's for temporary files; a folder of somebody else's is not used"""
    if LAPACK is None:
        return "reference LAPACK is not installed"
    words = ("--table", decisions(), "--lapack", LAPACK)
    os.makedirs(path("tmp"), exist_ok=True)
    assert links(variables(*words, HOME=None, TMPDIR=path("tmp")))[0].startswith(path(f"tmp/perfpred-{os.geteuid()}/"))
    assert links(variables(*words, XDG_CACHE_HOME=path("cache")))[0].startswith(path("cache/perfpred/"))
    os.makedirs(path("open/perfpred"), exist_ok=True)
    os.chmod(path("open/perfpred"), 0o777)
    assert links(variables(*words, XDG_CACHE_HOME=path("open"), TMPDIR=path("tmp")))[0].startswith(path("tmp/"))
    with open(path("file"), "w", encoding="ascii"):
        pass
    result = start(*words, "true", HOME=path("file"), TMPDIR=path("file"))
    assert result.code == 1 and "HOME, XDG_CACHE_HOME, TMPDIR" in result.err
    return None


def test_kept_libraries():
    """with --keep-libraries the program's libraries are its own"""
    listed = variables("--table", decisions(), "--keep-libraries")
    assert "LD_LIBRARY_PATH" not in listed and listed["LD_PRELOAD"] == OVERRIDE


def test_wrong_libraries():
    """a library that is none is named"""
    assert "BLAS library" in start("--blas", path("nowhere"), "true").err
    assert "LAPACK library" in start("--lapack", decisions(), "true").err


def test_decided_table():
    """a table that perfpred table decided is answered from, cell by cell"""
    if LAPACK is None or BLAS is None:
        return "reference LAPACK and a BLAS are not installed"
    made, stock = path("decided.table"), {"DPOTRF": 64, "DGETRF": 64}
    assert run("table", "-m", models("dpotrf", "dpotrf-u", "dgetrf"), "-o", made).code == 0
    words = ("--force", "--table", made, "--blas", BLAS, "--lapack", LAPACK, os.environ["ILAENV_HOST"], "ask", "1")
    answers = set()
    for entry in run("table", made, "--json").json()["routines"]:
        least = 1
        for cell in entry["rows"][0]["cells"]:
            most = cell["bound"] or 2 * least
            for n in {least, most}:
                asked = start(*words, entry["routine"], entry["options"] or " ", str(n), str(n), "-1", "-1")
                assert asked.out == f"{cell['nb'] or stock[entry['routine']]}\n", (entry["routine"], n, asked.out, cell)
                answers.add(asked.out)
            least = most + 1
    assert len(answers) > 1
    return None


def test_block_sizes():
    """a program that calls DPOTRF uses the block size of the table, on the libraries chosen"""
    if LAPACK is None or BLAS is None:
        return "reference LAPACK and a BLAS are not installed"
    words = ("--blas", BLAS, "--lapack", LAPACK, "--", os.environ["ILAENV_HOST"], "dpotrf", "300")
    result = start("--table", decisions(), *words)
    assert result.code == 0 and result.err == "" and "info 0\n" in result.out and "blocks 72 12\n" in result.out
    assert "blocks 64 44\n" in start(*words, PERFPRED_TABLE="").out
    return None


main(globals())
