# SPDX-License-Identifier: BSD-3-Clause
"""machine, generate, measure, validate with a worker: shape and sense of the answers, never their times."""

import json
import os
import re
import pty
import resource
import signal
import subprocess
import time

from harness import COMMAND, folder, main, models, refuses, run

SMALL = ("-n", "8:64", "-b", "8:32", "--budget", "5", "--set", "repetitions=3", "--set", "minimum-width=64")
NO_WORKER = None if "PERFPRED_WORKER" in os.environ else "built without the worker"
STATISTICS = ["min", "med", "max", "mean", "std"]


def ordered(statistics):
    assert list(statistics) == STATISTICS
    assert 0 < statistics["min"] <= statistics["med"] <= statistics["max"], statistics
    assert statistics["min"] <= statistics["mean"] <= statistics["max"] and statistics["std"] >= 0, statistics


def without_notes(text):
    """Standard error without what is said where the machine was busy, or changed its speed."""
    before, *notes = text.split("perfpred: note: ")
    for note in notes:
        assert ("passed the gate" in note or note.startswith("the same calls took ")) and note.count("\n") == 1, text
    return before


def test_machine():
    """machine describes CPU, caches, peak, bandwidth and BLAS"""
    if NO_WORKER:
        return NO_WORKER
    answer = run("machine", "--json").json()
    for key in ("cpu", "cores", "caches", "peak_flops_per_s", "bandwidth_bytes_per_s", "counters_available", "blas"):
        assert key in answer, key
    assert answer["cores"] >= 1 and answer["peak_flops_per_s"] > 1e8 and answer["bandwidth_bytes_per_s"] > 1e8
    assert os.path.exists(answer["blas"]["path"])
    counters = answer["counters"]
    assert list(counters) == ["available", "hardware", "names", "note"], counters
    if answer["counters_available"] is not None:
        presets = [name for name in counters["names"] if name.startswith("PAPI_")]
        assert len(presets) == answer["counters_available"], counters
        assert bool(presets) == (counters["note"] == ""), "one note where there are none"
    return None


def test_allowed_cpus():
    """machine tells on which CPUs the worker may run, also under taskset, and to which it keeps"""
    if NO_WORKER:
        return NO_WORKER
    allowed = sorted(os.sched_getaffinity(0))
    whole = run("machine", "--json").json()
    assert numbers(whole["cpus_allowed"]) == allowed
    assert whole["cpu_pinned"] in allowed
    last = allowed[-1]
    confined = run("machine", "--json", preexec_fn=lambda: os.sched_setaffinity(0, {last})).json()
    assert (confined["cpus_allowed"], confined["cpu_pinned"]) == (str(last), last)
    table = run("machine", preexec_fn=lambda: os.sched_setaffinity(0, {last})).out
    assert f"CPUs         {last} may be used; measured on CPU {last}\n" in table, table
    return None


def numbers(text):
    """Those of a list such as "0-3,8"."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [number for end in ends for number in range(end[0], end[-1] + 1)]


def test_machine_table():
    """machine prints it for people"""
    if NO_WORKER:
        return NO_WORKER
    result = run("machine")
    assert result.code == 0 and result.err == ""
    for head in ("CPU", "cores", "peak", "bandwidth", "BLAS", "LAPACK"):
        assert any(line.startswith(head) for line in result.out.splitlines()), head
    return None


def test_generate():
    """generate writes models that model, predict and validate take"""
    if NO_WORKER:
        return NO_WORKER
    path = os.path.join(folder(), "real.json")
    result = run("generate", "--for", "chol-l-3", "-o", path, *SMALL, "--json")
    answer = result.json()
    assert "\r" not in result.err and without_notes(result.err) == "", "no bar where standard error is no terminal"
    parts = ("timed_s", "rejected_s", "spare_s", "yardstick_s", "restore_s")
    for key in ("models", "samples", "measure_s", "wall_s", "max_error", "pass_rate", *parts):
        assert key in answer, key
    assert answer["timed_s"] > 0 and answer["yardstick_s"] > 0 and sum(answer[part] for part in parts) < answer["wall_s"]
    assert answer["models"] >= 3 and answer["samples"] > 0 and 0 <= answer["pass_rate"] <= 1
    assert run("model", path, "--json").json()["of_this_machine"] is True
    assert run("predict", "chol-l-3", "-m", path, "n=64", "b=16", "--json").json()["time_s"]["med"] > 0
    checked = run("validate", "chol-l-3", "-m", path, "-n", "32:64:16", "-b", "8:16:8", "--reps", "3", "--json").json()
    assert "forced" not in checked["notes"]
    reference_of_models(path, checked)
    with open(path, encoding="utf-8") as file:
        other = re.sub('"cpu": "[^"]*"', '"cpu": "another one"', file.read())
    with open(path + ".other", "w", encoding="utf-8") as file:
        file.write(other)
    words = ("validate", "chol-l-3", "-m", path + ".other", "-n", "32", "-b", "8", "--reps", "2", "--force")
    forced = run(*words, "--json").json()
    assert forced["status"] == "forced" and forced["yardstick_source"] == "run"
    assert "status forced" in run(*words).out
    points = checked["points"]
    assert [(p["n"], p["b"]) for p in points] == [(n, b) for n in (32, 48, 64) for b in (8, 16)]
    for point in points:
        ordered(point["measured_statistics_s"])
        relative = (point["predicted_s"] - point["measured_s"]) / point["measured_s"]
        assert abs(relative - point["re"]) < 1e-9 and abs(abs(relative) - point["are"]) < 1e-9
        assert point["ld"] >= point["n"] and point["ld"] % 8 == 0 and point["ld"] % 256 != 0
    ares = sorted(p["are"] for p in points)
    assert abs(checked["mean_are"] - sum(ares) / 6) < 1e-9
    assert abs(checked["median_are"] - (ares[2] + ares[3]) / 2) < 1e-9
    return None


def test_generate_in_context():
    """generate --context measures steps of the algorithm, and validate shows both kinds of models side by side"""
    if NO_WORKER:
        return NO_WORKER
    path = os.path.join(folder(), "context.json")
    made = run("generate", "--for", "dpotrf", "-o", path, *SMALL, "--context", "--json").json()
    assert made["context_models"] == 4 and made["models"] == 5, made  # and the unblocked call
    words = ("validate", "dpotrf", "-m", path, "-n", "32:64:32", "-b", "16", "--reps", "2")
    checked = run(*words, "--json").json()
    assert [point["models"] for point in checked["points"]] == ["context", "context"]
    assert "warm_mean_are" not in checked
    run("generate", "--for", "dpotrf", "-o", path, *SMALL)
    checked = run(*words, "--json").json()
    for point in checked["points"]:
        relative = (point["warm_s"] - point["measured_s"]) / point["measured_s"]
        assert point["models"] == "context" and abs(relative - point["warm_re"]) < 1e-9
    mean = sum(abs(point["warm_re"]) for point in checked["points"]) / 2
    assert abs(checked["warm_mean_are"] - mean) < 1e-9
    assert abs(checked["context_mean_are"] - checked["mean_are"]) < 1e-9
    assert "of calls alone (warm)" in run(*words).out
    assert "warm_s" not in run(*words, "--models", "warm", "--json").json()["points"][0]
    text = run("generate", "--for", "chain-3-1", "-o", path + ".chain", *SMALL, "--context").out
    assert "0 of the models" in text and "none of these has a loop" in text and "--cache" in text, text
    made = run("generate", "--for", "sylv-m2n1", "-o", path + ".sylvester", *SMALL, "--context", "--json").json()
    assert made["context_models"] == made["models"] == 3, made
    return None


def reference_of_models(path, checked):
    """Measured times are brought to the models' reading; one that is given wins."""
    with open(path, encoding="utf-8") as file:
        reading = json.load(file)["setups"][0]["yardstick_s"]
    assert reading > 0 and (checked["yardstick_source"], checked["yardstick_reference_s"]) == ("models", reading)
    words = ("validate", "chol-l-3", "-m", path, "-n", "32", "-b", "8", "--reps", "2")
    own = checked["yardstick_s"]
    given = run(*words, "--yardstick", 1.25 * own, "--json").json()
    assert given["yardstick_source"] == "option"
    assert abs(given["yardstick_reference_s"] - 1.25 * own) < 1e-12 * own
    assert "that of the models" in run(*words).out
    assert "as given" in run(*words, "--yardstick", 1.25 * own).out
    # a reading that cannot be of this machine is refused, and the line says whose it is
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    content["setups"][0]["yardstick_s"] = 100.0 * reading
    with open(path + ".slow", "w", encoding="utf-8") as file:
        json.dump(content, file)
    refuses(1, "validate", "chol-l-3", "-m", path + ".slow", *words[4:], naming=["the models' reading", "--yardstick"])


def test_measure():
    """measure executes an algorithm and checks what it computed"""
    if NO_WORKER:
        return NO_WORKER
    answer = run("measure", "chol-l-3", "n=96", "b=32", "--reps", "5", "--json").json()
    ordered(answer["time_s"])
    # How many samples pass the gate is the machine's doing; short of 2 there is no noise to state.
    assert answer["reps"] >= 1 and answer["disturbed"] >= 0
    assert answer["noise"] >= 0 if answer["reps"] > 1 else answer["noise"] is None
    assert answer["residual"] is None or answer["residual"] < 1e-12
    assert answer["ld"] >= 96
    assert answer["yardstick_source"] == "run" and answer["yardstick_reference_s"] == answer["yardstick_s"] > 0
    table = run("measure", "chol-l-3", "n=96", "b=32", "--reps", "5")
    assert table.code == 0 and re.search(r"samples +[0-9]+ kept", table.out), table.out
    return None


def test_validate_table():
    """validate prints a line for each point and the summary"""
    if NO_WORKER:
        return NO_WORKER
    result = run("validate", "chol-l-3", "-m", models("chol-l-3"), "-n", "32:64:32", "-b", "16", "--reps", "2")
    assert result.code == 0, result.err
    assert sum(line.startswith("chol-l-3") for line in result.out.splitlines()) == 2
    assert "absolute relative error: mean" in result.out and "noise floor" in result.out
    return None


def check_rows(rows, names):
    assert sorted(row["kernel"] for row in rows) == sorted(names), rows
    for row in rows:
        assert abs(row["re"] - (row["predicted_s"] / row["measured_s"] - 1)) < 1e-9
        assert row["predicted_s"] > 0 and row["measured_s"] > 0 and 0 <= row["error_share"] <= 1
    assert abs(sum(row["share"] for row in rows) - 1) < 1e-9
    assert abs(sum(row["error_share"] for row in rows) - 1) < 1e-9


def test_validate_kernels():
    """validate --kernels breaks the error of each point down, and that of all"""
    if NO_WORKER:
        return NO_WORKER
    kernels = ["dpotrf2", "dtrsm", "dsyrk"]
    words = ("validate", "chol-l-3", "-m", models("chol-l-3"), "-n", "32:64:32", "-b", "16", "--reps", "2", "--gate", "off")
    answer = run(*words, "--kernels", "--json").json()
    points = answer["points"]
    for point, calls in zip(points, ((2, 1, 1), (4, 3, 3))):
        check_rows(point["kernels"], kernels)
        assert [(row["kernel"], row["calls"]) for row in point["kernels"]] == list(zip(kernels, calls))
        assert abs(sum(row["predicted_s"] for row in point["kernels"]) / point["predicted_s"] - 1) < 1e-9
    check_rows(answer["kernels"], kernels)
    shares = [row["error_share"] for row in answer["kernels"]]
    assert shares == sorted(shares, reverse=True)
    for row in answer["kernels"]:
        parts = [part for point in points for part in point["kernels"] if part["kernel"] == row["kernel"]]
        assert row["calls"] == sum(part["calls"] for part in parts)
        assert abs(row["measured_s"] / sum(part["measured_s"] for part in parts) - 1) < 1e-9
    assert all("kernels" not in part for part in (run(*words, "--json").json(), points[0]["kernels"][0]))
    table = run(*words, "--kernels")
    assert table.code == 0 and table.err == "", table.err
    for head in ("chol-l-3 n=32 b=16  ", "chol-l-3 n=64 b=16  ", "all points  "):
        assert any(line.startswith(head) and "%" in line for line in table.out.splitlines()), head
    refuses(2, "measure", "chol-l-3", "n=32", "b=16", "--kernels", naming=["--kernels"])
    return None


def test_width_of_integers():
    """integers of 64 bits: found out, and passed to every kernel"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    for bits in (32, 64):
        library = os.environ[f"TINY_BLAS{bits}"]
        setup = ("--blas", library, "--lapack", library)
        assert run("machine", *setup, "--json").json()["ilp64"] is (bits == 64)
        result = run("measure", "chol-l-3", "n=40", "b=16", "--reps", "2", "--gate", "off", *setup, "--json").json()
        assert 0.0 <= result["residual"] < 1e-13, result["residual"]
    mixed = ("--blas", os.environ["TINY_BLAS64"], "--lapack", os.environ["TINY_BLAS32"])
    refuses(1, "measure", "chol-l-3", "n=40", "b=16", *mixed, naming=["tiny-blas32", "tiny-blas64"])
    return None


def test_out_of_domain():
    """what cannot be predicted is refused before anything is measured"""
    refuses(1, "validate", "chol-l-3", "-m", models("chol-l-3"), "-n", "64:6400:64", "--worker", "/nonexistent",
            naming=["chol-l-3"])


def ordinary():
    """Signals as a terminal leaves them, whatever the tests themselves were started with (nohup)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def long_generation(path, **options):
    """A generation that ends by itself after hours, once it measures: it has its journal then."""
    options.setdefault("preexec_fn", ordinary)
    words = ["generate", "--for", "chol-l", "-o", path, "--set", "repetitions=1000"]
    process = subprocess.Popen(
        [COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options
    )
    while process.poll() is None and not os.path.exists(path + ".journal"):
        time.sleep(0.05)
    return process


def interrupted(send, **options):
    """Starts a long generation, interrupts it, and checks that it ended as it should."""
    path = os.path.join(folder(), "interrupted.json")
    with long_generation(path, **options) as process:
        try:
            send(process)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()  # where it did not end, nothing would wait for it for hours
    assert process.returncode == 1, (process.returncode, err)
    assert out == "" and err.startswith("perfpred: interrupted") and err.count("\n") == 1, err
    left = [name for name in os.listdir(folder()) if name.startswith("interrupted")]
    assert left == ["interrupted.json.journal"], left  # what was measured, for the next run to go on from
    for name in left:
        os.remove(os.path.join(folder(), name))


def test_interrupt():
    """an interrupt ends generate with one line, and no result is written"""
    if NO_WORKER:
        return NO_WORKER
    interrupted(lambda process: process.send_signal(signal.SIGINT))
    return None


def test_interrupt_of_all():
    """so does one that reaches the worker too, as a terminal's does"""
    if NO_WORKER:
        return NO_WORKER
    interrupted(lambda process: os.killpg(process.pid, signal.SIGINT))
    return None


def test_other_interrupts():
    """a terminal that closes, a kill and a broken pipe do the same"""
    if NO_WORKER:
        return NO_WORKER
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        interrupted(lambda process, number=number: process.send_signal(number))
    return None


def test_nohup():
    """a signal that is ignored (nohup) stays so"""
    if NO_WORKER:
        return NO_WORKER

    def send(process):
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)

    interrupted(send, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    return None


def test_limit_on_files():
    """a journal that must not grow (ulimit -f) is an error with its name, and what is there of it is whole"""
    if NO_WORKER:
        return NO_WORKER
    path, most = os.path.join(folder(), "limited.json"), 1 << 16
    limit = (most, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    with long_generation(path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)) as process:
        out, err = process.communicate(timeout=200)
    assert process.returncode == 1 and out == "", (process.returncode, err)
    assert err.startswith("perfpred: " + path + ".journal: cannot be written: File too large"), err
    assert err.count("\n") == 1 and not os.path.exists(path)
    with open(path + ".journal", encoding="utf-8") as file:
        text = file.read()
    assert 0 < len(text) <= most and text.endswith("\n")
    for line in text.splitlines():
        json.loads(line)
    return None


def test_impostors():
    """what is no worker is named, with what was expected"""
    for name, script in (("silent", "exec sleep 60"), ("quick", "exit 0"), ("loud", "echo garbage >&4; exec sleep 60")):
        path = os.path.join(folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o700)
        for words in (("machine",), ("measure", "chol-l-3", "n=64", "b=16")):
            result = run(*words, "--worker", path, env={**os.environ, "PERFPRED_START_S": "1"})
            assert result.code == 1 and result.out == "" and result.err.count("\n") == 1, result.err
            assert path in result.err and "expected perfpred-worker of version" in result.err, result.err
    result = run("measure", "chol-l-3", "n=64", "b=16", "--worker", "/bin/true")
    assert result.code == 1 and "'/bin/true' exited with code 0" in result.err and "protocol" in result.err, result.err


def test_bar():
    """on a terminal generate draws a bar in one line, and takes it away"""
    if NO_WORKER:
        return NO_WORKER
    path = os.path.join(folder(), "bar.json")
    words = ["generate", "--for", "chol-l-3", "-o", path, *SMALL]
    master, slave = pty.openpty()
    with subprocess.Popen([COMMAND, *words], stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        os.close(slave)
        drawn = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            drawn += part
        out = process.stdout.read()
    os.close(master)
    assert process.returncode == 0 and "models" in out
    drawn = without_notes(drawn.decode())
    assert "\n" not in drawn, drawn
    lines = [line for line in drawn.split("\r") if line.strip()]
    assert lines and all(line.startswith("generate ") and " left" in line for line in lines), lines
    assert drawn.endswith("\r") and drawn[:-1].split("\r")[-1].strip() == "", drawn[-200:]
    return None


main(globals())
