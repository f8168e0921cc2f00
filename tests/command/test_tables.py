# SPDX-License-Identifier: BSD-3-Clause
"""Decision tables on a made-up machine: table, and generate --for lapack."""

import os
import signal
import subprocess
import time

from harness import COMMAND, ROOT, folder, main, models, refuses, run

LU = ("dpotrf", "dpotrf-u", "dgetrf", "dgeqrf-nx")


def path(name):
    return os.path.join(folder(), name)


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content)
    return path(name)


def table():
    """Path of a table of the made-up machine."""
    made = path("made.table")
    if not os.path.exists(made):
        report = run("table", "-m", models(*LU), "-o", made, "--json").json()
        assert set(report) == {"file", "table", "routines"}
        assert [(entry["routine"], entry["options"]) for entry in report["routines"]] == [
            ("DGEQRF", ""),
            ("DGETRF", ""),
            ("DPOTRF", "L"),
            ("DPOTRF", "U"),
        ]
    return made


def cells(shown):
    """(routine, options) -> its cells, of a table without rows."""
    found = {}
    for entry in shown["routines"]:
        assert len(entry["rows"]) == 1
        found[entry["routine"], entry["options"]] = entry["rows"][0]["cells"]
    return found


def test_shown():
    """table FILE shows every cell, as text and as JSON"""
    shown = run("table", table(), "--json").json()
    assert shown["bytes"] == os.path.getsize(table())
    text = run("table", table())
    assert text.code == 0
    lines = [line for line in text.out.splitlines() if line.startswith(("DPOTRF", "DGETRF", "DGEQRF"))]
    assert len(lines) == sum(len(entry["rows"][0]["cells"]) for entry in shown["routines"])
    for entry in shown["routines"]:
        bounds = [cell["bound"] for cell in entry["rows"][0]["cells"]]
        assert bounds[-1] is None and bounds[:-1] == sorted(set(bounds[:-1])), bounds
        assert all((cell["nx"] is None) == (entry["routine"] != "DGEQRF") for cell in entry["rows"][0]["cells"])


def test_documented():
    """doc/json.md explains every key that is printed"""
    with open(os.path.join(ROOT, "doc", "json.md"), encoding="utf-8") as file:
        text = file.read()
    section = text[text.index("## table\n") :]
    shown = run("table", table(), "--json").json()
    keys = set(shown) | set(shown["routines"][0]) | set(shown["routines"][0]["rows"][0])
    for key in keys | set(shown["routines"][0]["rows"][0]["cells"][0]):
        assert f"`{key}`" in section, key


def test_decisions_are_good():
    """no other block size is faster by more than a tie where the table has one, by the models"""
    found = cells(run("table", table(), "--json").json())
    for name, key in (("dpotrf", ("DPOTRF", "L")), ("dgetrf", ("DGETRF", ""))):
        for cell in found[key]:
            n = cell["bound"] or 1000
            if n < 300:
                continue
            answer = run("tune", name, "-m", models(*LU), f"n={n}", "--json").json()
            times = {candidate["b"]: candidate["time_s"] for candidate in answer["candidates"]}
            assert times[cell["nb"]] <= 1.02 * answer["time_s"], (name, n, cell, answer["b"])


def test_c():
    """the C file compiles without a warning and has every answer of the table"""
    for compiler in ("cc", "gcc", "clang"):
        if subprocess.run(["which", compiler], capture_output=True, check=False).returncode == 0:
            check_c(compiler)


def check_c(compiler):
    shown = run("table", table(), "--json").json()
    code = run("table", table(), "--emit", "c-table", "--name", "mine")
    assert code.code == 0
    source = write("mine.c", code.out.encode())
    sizes = sorted(
        {0, 1, 2147483647, -1}
        | {cell["bound"] + more for found in cells(shown).values() for cell in found if cell["bound"] for more in (0, 1)}
    )
    calls = "".join(
        f'  for (id = 0; id < mine_ROUTINES; id++)\n    printf("%d %d %d %d\\n", id, mine_nb(id, {n}), mine_nbmin(id, {n}), mine_nx(id, {n}));\n'
        for n in sizes
    )
    test = write(
        "mine_test.c",
        f"""#include <stdio.h>
#include "mine.c"
int main(void) {{
  int id;
{calls}  printf("%d %d %d %d\\n", mine_routine("DGETRF"), mine_routine("DPOTRF"), mine_routine("DPOTR"), mine_routine(""));
  printf("%d %d %d\\n", mine_block_size("DGETRF", 100) == mine_nb(mine_DGETRF, 100), mine_block_size("x", 1), mine_DPOTRF_U);
  printf("%d %d %d\\n", mine_nb(-1, 5), mine_nb(mine_ROUTINES, 5), mine_nx(-1, 5));
  return 0;
}}
""".encode(),
    )
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wshadow", "-Wmissing-prototypes", "-pedantic", "-Werror"]
    subprocess.run([compiler, *flags, "-c", source, "-o", path("mine.o")], check=True, cwd=folder())
    subprocess.run([compiler, *flags, test, "-o", path("mine")], check=True, cwd=folder())
    lines = subprocess.run([path("mine")], capture_output=True, text=True, check=True).stdout.splitlines()
    expected = []
    for n in sizes:
        for number, entry in enumerate(shown["routines"]):
            cell = next(c for c in entry["rows"][0]["cells"] if c["bound"] is None or c["bound"] >= n)
            nx = -1 if cell["nx"] is None else cell["nx"]
            expected.append(f"{number} {cell['nb'] or 0} {cell['nbmin'] or 0} {nx}")
    assert lines[: len(expected)] == expected
    assert lines[len(expected) :] == ["1 2 -1 -1", "1 0 3", "0 0 -1"], lines[len(expected) :]


def test_c_file():
    """table -m writes C into a file, too"""
    made = path("other.c")
    assert run("table", "-m", models(*LU), "-o", made, "--emit", "c-table").code == 0
    with open(made, encoding="utf-8") as file:
        assert "int perfpred_lapack_block_size(const char *routine, int n)" in file.read()
    assert os.stat(made).st_mode & 0o044, "only its owner can read it"


def test_default_place():
    """without -o the table goes where the override looks for it, and its folder is made"""
    for variables, place in (
        ({"PERFPRED_TABLE": path("named.table")}, "named.table"),
        ({"PERFPRED_TABLE": "", "XDG_DATA_HOME": path("data")}, "data/perfpred/lapack.table"),
        ({"XDG_DATA_HOME": "relative", "HOME": path("home")}, "home/.local/share/perfpred/lapack.table"),
    ):
        environment = {key: value for key, value in os.environ.items() if key not in ("PERFPRED_TABLE", "XDG_DATA_HOME")}
        result = run("table", "-m", models(*LU), "--json", env={**environment, **variables})
        assert result.json()["table"] == path(place), result.out
        assert run("table", path(place)).code == 0
    environment = {key: value for key, value in os.environ.items() if key not in ("PERFPRED_TABLE", "XDG_DATA_HOME", "HOME")}
    result = run("table", "-m", models(*LU), env=environment)
    assert result.code == 1 and "HOME" in result.err, result.err


def test_range():
    """-n and -b bound what is looked at"""
    made = path("bounded.table")
    assert run("table", "-m", models(*LU), "-o", made, "-n", "200:400", "-b", "24:48:12", "--types", "d").code == 0
    for found in cells(run("table", made, "--json").json()).values():
        for cell in found:
            assert cell["nb"] in (1, 24, 36, 48, 32, 64), cell
            assert cell["bound"] is None or 200 <= cell["bound"] < 400, cell


def test_bad_tables():
    """what is no table is refused, in one line that names it"""
    with open(table(), "rb") as file:
        good = file.read()
    refuses(1, "table", path("missing"), naming=["missing", "expected a decision table"])
    refuses(1, "table", folder(), naming=[folder()])
    refuses(1, "table", write("empty.table", b""), naming=["too short"])
    refuses(1, "table", write("short.table", good[:-1]), naming=["length"])
    refuses(1, "table", write("long.table", good + b"x"), naming=["length"])
    refuses(1, "table", write("bad.table", good[:-1] + b"x"), naming=["checksum"])
    refuses(1, "table", models(*LU), naming=["not a decision table"])
    refuses(1, "table", write("large.table", bytes(1 << 20)), naming=["not a decision table"])


def test_bad_words():
    """command lines that make no sense"""
    file = models(*LU)
    refuses(2, "table", naming=["-m MODELS"])
    refuses(2, "table", table(), "-m", file, naming=["not both"])
    refuses(2, "table", table(), "-o", path("x"), naming=["-m MODELS"])
    refuses(2, "table", table(), "--types", "d", naming=["-m MODELS"])
    refuses(2, "table", table(), "--emit", "c", naming=["c-table"])
    refuses(2, "table", table(), "--emit", "c-table", "--json")
    refuses(2, "table", table(), "--name", "x", naming=["--emit"])
    refuses(1, "table", table(), "--emit", "c-table", "--name", "1x", naming=["1x"])
    for types in ("", "x", "dd", "d,", ",d", "d,,s"):
        refuses(2, "table", "-m", file, "-o", path("x"), "--types", types, naming=["--types"])
    refuses(2, "table", "-m", file, "-o", path("x"), "-n", "1:9:2", naming=["-n"])
    refuses(2, "table", "-m", file, "--emit", "c-table", naming=["file"])
    refuses(1, "table", "-m", file, "-o", path("x"), "--types", "s", naming=["none of the routines"])
    refuses(1, "table", "-m", file, "-o", path("x"), "-n", "5000:6000", naming=["5000"])
    refuses(1, "table", "-m", file, "-o", path("x"), "-b", "10000", naming=["block sizes"])
    refuses(1, "table", "-m", path("missing"), "-o", path("x"), naming=["missing"])
    refuses(1, "table", "-m", file, "-o", path("no/folder"), naming=["no/folder"])
    assert not os.path.exists(path("x"))
    refuses(2, "generate", "--for", "chol-l-3", "-o", path("x"), "--types", "d", naming=["--for lapack"])
    refuses(2, "generate", "--for", "chol-l-3", "-o", path("x"), "--table", "t", naming=["--for lapack"])
    refuses(2, "generate", "--for", "chol-l-3", "-o", path("x"), "--untested", naming=["--for lapack"])
    refuses(2, "generate", "--for", "lapack", naming=["-o FILE"])
    refuses(2, "generate", "--for", "lapack", "-o", path("x"), "--types", "q", naming=["--types"])
    refuses(2, "generate", "--for", "lapack", "-o", path("x"), "--emit", "c-table", naming=["file"])
    refuses(2, "generate", "--for", "lapack", "-o", path("x"), "--budget", "0", naming=["--budget"])
    refuses(1, "generate", "--for", "lapack", "-o", path("no/x"), "--table", path("t"), naming=["no/x"])
    refuses(1, "generate", "--for", "lapack", "-o", path("x"), "--table", path("no/t"), naming=["no/t"])


SMALL = ("-n", "16:160", "-b", "8:16", "--gate", "off")


def test_generate():
    """generate --for lapack writes models and table; what is there is not measured again"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    words = ["generate", "--for", "lapack", *SMALL, "--budget", "1", "-o", path("lapack.json"), "--table", path("lapack.table")]
    first = run(*words, "--json")
    report = first.json()
    promised = "file table routines models points samples disturbed measure_s wall_s max_error budget_exhausted "
    promised = (promised + "test_pieces tested given_up").split()
    assert set(report) == set(promised), set(report) ^ set(promised)
    assert report["models"] > 50 and report["samples"] > report["models"]
    assert {"DPOTRF", "DGETRF", "DGEQRF", "DORMQR", "DORMLQ", "DSYTRD"} <= {entry["routine"] for entry in report["routines"]}
    assert len(report["routines"]) == 30 and "no decision" not in first.err, first.err
    shown = run("table", path("lapack.table"), "--json").json()
    assert len(shown["routines"]) == len(report["routines"])
    before = os.stat(path("lapack.json")).st_mtime_ns
    again = run(*words, "--json")
    assert again.json()["samples"] == 0 and again.err.count("already") == 3, again.err
    assert os.stat(path("lapack.json")).st_mtime_ns == before
    assert report["test_pieces"] >= report["tested"] >= report["given_up"]
    untested = run(*words, "--untested", "--json").json()
    assert untested["test_pieces"] == untested["tested"] == 0
    code = run(*words[:-1], path("lapack.c"), "--untested", "--emit", "c-table", "--name", "lapack")
    assert code.code == 0, code.err
    with open(path("lapack.c"), encoding="utf-8") as file:
        assert "lapack_DPOTRF_U" in file.read()
    return None


def test_interrupt():
    """an interrupted generate --for lapack keeps what is done and leaves the old table"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    old = b"old"
    words = [COMMAND, "generate", "--for", "lapack", "-n", "16:400", "-b", "8:64", "--budget", "600", "--gate", "off"]
    words += ["-o", path("broken.json"), "--table", write("broken.table", old)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        journal, until = path("broken.json.journal"), time.monotonic() + 120
        while not os.path.exists(journal) and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=120)[1]
    assert process.returncode == 1 and "interrupted" in message and "goes on" in message, message
    with open(path("broken.table"), "rb") as file:
        assert file.read() == old
    assert os.path.exists(path("broken.json.journal"))
    return None


main(globals())
