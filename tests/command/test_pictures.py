# SPDX-License-Identifier: BSD-3-Clause
"""perfpred plot: what is drawn, and what happens without gnuplot."""

import json
import os
import shutil
import xml.etree.ElementTree

from harness import COMMAND, MEDIAN, close, expected_right_looking, folder, main, models, refuses, run

ALL = ("chol-l-1", "chol-l-2", "chol-l-3")


def target(name):
    return os.path.join(folder(), name)


def drawn(path):
    """The words of a picture; it has to be well-formed."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [" ".join("".join(text.itertext()).split()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def validation():
    """What validate would have saved, of a machine that is 3 % slower than predicted."""
    points = []
    for n in (256, 512, 768, 1000):
        for b in (64, 128):
            time = expected_right_looking(n, b)
            points.append({
                "name": "chol-l-3", "n": n, "b": b, "predicted_s": time, "measured_s": 1.03 * time, "are": 0.0291,
                "noise": 0.01, "flops": n * (n + 1) * (2 * n + 1) / 6,
                "measured_statistics_s": {"min": 1.02 * time, "max": 1.05 * time},
            })  # fmt: skip
    path = target("validation.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"points": points, "mean_are": 0.0291}, file)
    return path


def need_gnuplot():
    return None if shutil.which("gnuplot") else "no gnuplot"


def script_of(*words):
    """What gnuplot is told: its data by their names, and the whole text. A stand-in keeps it and draws nothing."""
    programs, told = target("keeping"), target("told")
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "gnuplot"), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ncat > '{told}'\necho '<svg/>'\n")
    os.chmod(file.name, 0o755)
    env = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    result = run("plot", *words, "-o", target("kept.svg"), env=env)
    assert result.code == 0 and result.err == "", result.err
    with open(told, encoding="utf-8") as file:
        text = file.read()
    data = {}
    for block in text.split("$")[1:]:
        name, is_data, rest = block.partition(" << EOD\n")
        if is_data:
            lines = rest.partition("EOD\n")[0].splitlines()
            data[name] = [[float(number) for number in line.split()] for line in lines]
    return data, text


def right_looking_parts(n, b):
    """Times and flops of the kernels of chol-l-3 on the made-up machine."""
    time, flops = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for i in range(0, n, b):
        w = min(b, n - i)
        r = n - i - w
        time[0] += 1e-6 + w**3 / 6e9
        flops[0] += w * (w + 1) * (2 * w + 1) / 6
        if r > 0:
            time[1] += 1e-6 + r * w * w / 20e9
            time[2] += 1e-6 + r * r * w / 40e9
            flops[1] += r * w * w
            flops[2] += r * (r + 1) * w
    return time, flops


def test_performance_data():
    """the curve over n is flops by time, minimum to maximum; the points are those of the validation"""
    data, text = script_of("performance", "chol-l-3", "-m", models(*ALL), "-n", "256:1024:256", "-b", "128", "--measured",
                           validation())
    assert [row[0] for row in data["predicted0"]] == [256, 512, 768, 1024]
    for n, low, med, high in data["predicted0"]:
        rate = 1e-9 * n * (n + 1) * (2 * n + 1) / 6 / expected_right_looking(int(n), 128)
        close(low, rate / 1.02, 3e-4)
        close(med, rate / MEDIAN, 3e-4)
        close(high, rate, 3e-4)
    assert [row[0] for row in data["measured0"]] == [256, 512, 768, 1000]
    for n, low, med, high in data["measured0"]:
        rate = 1e-9 * n * (n + 1) * (2 * n + 1) / 6 / expected_right_looking(int(n), 128)
        close(low, rate / 1.05, 1e-5)
        close(med, rate / 1.03, 1e-5)
        close(high, rate / 1.02, 1e-5)
    assert "set xlabel 'size n'" in text and "set ylabel 'Gflop/s'" in text


def test_one_point():
    """a single point is drawn as a point: a line would not be seen"""
    _, text = script_of("performance", "chol-l-3", "-m", models(*ALL), "-n", "512")
    assert "$predicted0 using 1:3:2:4 with yerrorbars" in text and "filledcurves" not in text
    data, text = script_of("block-size", "chol-l-3", "-m", models(*ALL), "n=512", "-b", "64")
    assert len(data["predicted"]) == 1 and "with yerrorbars" in text and "filledcurves" not in text
    data, text = script_of("kernels", "chol-l-3", "-m", models(*ALL), "-n", "512", "-b", "64")
    assert [row[0] for row in data["time"]] == [511.5, 512.5] and data["time"][0][1:] == data["time"][1][1:]
    assert "set xtics (512)" in text and "using 1:2 with points" in text
    data, _ = script_of("error-map", "chol-l-3", "-m", models(*ALL), "-n", "512", "-b", "64")
    assert [row[:6] for row in data["map"]] == [[512, 64, 508, 516, 60, 68]]
    if need_gnuplot():
        return need_gnuplot()
    for words in (["performance", "-n", "512"], ["kernels", "-n", "512"], ["error-map", "-n", "512", "-b", "64"]):
        result = run("plot", words[0], "chol-l-3", "-m", models(*ALL), *words[1:], "-o", target("one.svg"))
        assert result.code == 0, result.err
        drawn(target("one.svg"))
    return None


def test_block_size_data():
    """both best block sizes are where the curve and the points are lowest"""
    data, text = script_of("block-size", "chol-l-3", "-m", models(*ALL), "n=1000", "-b", "8:256:8", "--measured",
                           validation())
    assert [row[0] for row in data["predicted"]] == list(range(8, 257, 8))
    for b, low, med, high in data["predicted"]:
        time = 1e3 * expected_right_looking(1000, int(b))
        close(low, time, 3e-3)
        close(med, time * MEDIAN, 3e-3)
        close(high, time * 1.02, 3e-3)
    best = min(data["predicted"], key=lambda row: row[2])
    assert f"using ({best[0]:.0f}):({best[2]:.9g}) every ::0::0" in text
    best = min(data["measured"], key=lambda row: row[2])
    assert [row[0] for row in data["measured"]] == [64, 128]
    assert f"using ({best[0]:.0f}):({best[2]:.9g}) every ::0::0" in text and best[0] == 64


def test_kernels_data():
    """shares of the kernels are stacked up to 100 %, of the time and of the flops, over n and over b"""
    over_n = ("-n", "200:1000:200", "-b", "64"), [(n, (n, 64)) for n in range(200, 1001, 200)]
    over_b = ("-n", "1000", "-b", "32:256:32"), [(b, (1000, b)) for b in range(32, 257, 32)]
    for words, points in (over_n, over_b):
        data, text = script_of("kernels", "chol-l-3", "-m", models(*ALL), *words)
        for kernel in ("dpotrf2", "dtrsm", "dsyrk"):
            assert text.count(f"title '{kernel}'") == 3, text
        for i, (x, (n, b)) in enumerate(points):
            time, flops = right_looking_parts(n, b)
            for name, parts, relative in (("time", time, 3e-3), ("flops", flops, 2e-3)):
                row = data[name][i]
                assert row[:2] == [x, 0] and len(row) == 5, row
                close(row[2], 100 * parts[0] / sum(parts), relative)
                close(row[3], 100 * (parts[0] + parts[1]) / sum(parts), relative)
                close(row[4], 100)
            for rate, part, work in zip(data["rate"][i][1:], time, flops):
                close(rate, 1e-9 * work / part / MEDIAN, 1e-2)
    assert "set title 'Kernels of chol-l-3, n=1000'" in text and "set xlabel 'block size b'" in text


def test_kernels():
    """three panels of a picture of the kernels, marked where they are extrapolated"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("kernels.svg")
    result = run("plot", "kernels", "chol-l-3", "-m", models(*ALL), "-n", "512:2048:512", "--extrapolate", "-o", path,
                 "--json")
    assert result.json() == {"file": path, "picture": "kernels", "status": "extrapolated", "notes": ["extrapolated"]}
    words = drawn(path)
    for word in ("Kernels of chol-l-3, block size 64 (extrapolated)", "share of the time in %",
                 "share of the flops in %", "Gflop/s of each kernel"):
        assert words.count(word) == 1, words
    assert words.count("size n") == 3 and words.count("dsyrk") == 3
    return None


def test_map_data():
    """a map of errors has a cell around every point of the validation, with the sign of the error"""
    data, text = script_of("error-map", "--measured", validation())
    # halfway between the sizes 256, 512, 768, 1000 and the block sizes 64, 128
    bounds_n = {256: [128, 384], 512: [384, 640], 768: [640, 884], 1000: [884, 1116]}
    bounds_b = {64: [32, 96], 128: [96, 160]}
    assert [row[:2] for row in data["map"]] == [[n, b] for n in bounds_n for b in bounds_b]
    for n, b, *bounds, error in data["map"]:
        assert bounds == bounds_n[n] + bounds_b[b], (n, b, bounds)
        close(error, 100 * (1 / 1.03 - 1), 1e-5)
    assert "set cbrange [-2.91262:2.91262]" in text and "with labels" in text
    assert "Error of the prediction of chol-l-3" in text


def test_map_gaps_and_names():
    """a map of one of several algorithms; a missing point has no cell"""
    with open(validation(), encoding="utf-8") as file:
        saved = json.load(file)
    del saved["points"][3]
    saved["points"].append({**saved["points"][0], "name": "chol-l-1", "predicted_s": 2.0, "measured_s": 1.0})
    saved["points"].append({**saved["points"][0], "name": "lu-rec"})
    del saved["points"][-1]["b"]
    path = target("several.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(saved, file)
    data, _ = script_of("error-map", "chol-l-3", "--measured", path)
    assert len(data["map"]) == 7 and [512, 128] not in [row[:2] for row in data["map"]]
    data, _ = script_of("error-map", "chol-l-1", "--measured", path)
    assert data["map"] == [[256, 64, 252, 260, 60, 68, 100]]
    map_of = ("-o", target("x.svg"), "--measured", path)
    refuses(2, "plot", "error-map", *map_of, naming=["'chol-l-3'", "'chol-l-1'", "NAME"])
    refuses(1, "plot", "error-map", "lu-rec", *map_of, naming=["several.json", "'lu-rec'"])
    refuses(1, "plot", "error-map", "chol-l-2", *map_of, naming=["'chol-l-2'"])
    assert not os.path.exists(target("x.svg"))


def test_map_of_predictions():
    """where nothing is measured the map is of what the models expect of themselves, and says so"""
    with open(models(*ALL), encoding="utf-8") as file:
        changed = json.load(file)

    def set_errors(node):
        if isinstance(node, dict):
            if "coefficients" in node and "error" in node:
                node["error"] = 0.025
            node = list(node.values())
        for child in node if isinstance(node, list) else []:
            set_errors(child)

    set_errors(changed)
    path = target("errors.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(changed, file)
    here = ("error-map", "chol-l-3", "-m", path, "-n", "256:768:256", "-b", "64:128:64")
    data, text = script_of(*here)
    assert [row[:2] for row in data["map"]] == [[n, b] for n in (256, 512, 768) for b in (64, 128)]
    for row in data["map"]:
        close(row[-1], 2.5)
    assert "set title 'Errors that the models of chol-l-3 expect, not measured'" in text
    assert "set cbrange [0:2.5]" in text
    if need_gnuplot():
        return need_gnuplot()
    assert run("plot", *here, "-o", target("map.svg")).code == 0
    words = drawn(target("map.svg"))
    assert "expected error of the models in %" in words and words.count("2.5") >= 6, words
    return None


def test_performance():
    """performance of three algorithms over n, with measured points"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("performance.svg")
    result = run("plot", "performance", ",".join(ALL), "-m", models(*ALL), "-n", "64:1024:32", "--measured",
                 validation(), "-o", path)
    assert result.code == 0 and result.err == "", result.err
    words = drawn(path)
    for word in ("Performance, block size 64", "size n", "Gflop/s", "chol-l-1 predicted", "chol-l-3 measured"):
        assert word in words, words
    assert "chol-l-1 measured" not in words
    return None


def test_block_size():
    """run time over the block size, with its best one marked"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("block-size.svg")
    result = run("plot", "block-size", "chol-l-3", "-m", models(*ALL), "n=1000", "--measured", validation(), "-o",
                 path, "--json")
    assert result.json() == {"file": path, "picture": "block-size", "status": "inside", "notes": []}
    words = drawn(path)
    best = run("tune", "chol-l-3", "-m", models(*ALL), "n=1000", "--json").json()["b"]
    assert any(word.startswith(f"predicted best: b={best}, ") for word in words), words
    assert "Run time of chol-l-3, n=1000" in words and "measured" in words
    best = min((64, 128), key=lambda b: expected_right_looking(1000, b))
    time = 1e3 * 1.03 * expected_right_looking(1000, best)
    assert f"measured best: b={best}, {time:.3f} ms" in words, words
    return None


def test_marks():
    """a picture of forced or extrapolated predictions says so in its title"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("marked.svg")
    sizes = ("-n", "512:2048:512", "--extrapolate", "-o", path)
    result = run("plot", "performance", "chol-l-3", "-m", models(*ALL), *sizes)
    assert result.code == 0 and result.out == f"{path}\nstatus extrapolated\n", result.out
    assert "Performance, block size 64 (extrapolated)" in drawn(path), drawn(path)
    result = run("plot", "block-size", "chol-l-3", "-m", models(*ALL), "n=2048", "--extrapolate", "-o", path, "--json")
    assert result.json()["notes"] == ["extrapolated"]
    assert "Run time of chol-l-3, n=2048 (extrapolated)" in drawn(path), drawn(path)
    with open(models(*ALL), encoding="utf-8") as file:
        other = json.load(file)
    other["machine"]["cpu"] = "Abacus 2000"
    for setup in other.get("setups", [other.get("setup")]):
        setup["clock"] = "tsc"
    with open(target("other.json"), "w", encoding="utf-8") as file:
        json.dump(other, file)
    result = run("plot", "performance", "chol-l-3", "-m", target("other.json"), *sizes, "--force")
    assert result.out.endswith("\nstatus forced, other machine, extrapolated\n"), (result.out, result.err)
    assert "Performance, block size 64 (forced, other machine, extrapolated)" in drawn(path), drawn(path)
    with open(validation(), encoding="utf-8") as file:
        saved = json.load(file)
    saved["notes"] = ["forced"]
    with open(target("forced.json"), "w", encoding="utf-8") as file:
        json.dump(saved, file)
    assert run("plot", "error", "--measured", target("forced.json"), "-o", path).code == 0
    assert "Error of the prediction (forced)" in drawn(path), drawn(path)
    return None


def test_error():
    """errors of a saved validation over n"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("error.svg")
    assert run("plot", "error", "--measured", validation(), "-o", path).code == 0
    assert "absolute relative error in %" in drawn(path)
    return None


def test_permissions():
    """a picture has the usual permissions, and replaces an older one"""
    if need_gnuplot():
        return need_gnuplot()
    path = target("twice.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    assert run("plot", "error", "--measured", validation(), "-o", path).code == 0
    mask = os.umask(0)
    os.umask(mask)
    assert os.stat(path).st_mode & 0o777 == 0o666 & ~mask
    drawn(path)
    return None


def test_without_gnuplot():
    """without gnuplot: one line that says so, and nothing is written"""
    path = target("never.svg")
    result = run("plot", "error", "--measured", validation(), "-o", path, env={**os.environ, "PATH": folder()})
    assert result.code == 1 and "gnuplot is not installed" in result.err and result.err.count("\n") == 1
    assert not os.path.exists(path) and not [f for f in os.listdir(folder()) if f.startswith("never.svg")]
    assert os.path.isabs(COMMAND)


def test_failing_gnuplot():
    """a gnuplot that fails: its first line is passed on, the old picture stays"""
    programs = target("programs")
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "gnuplot"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho '' >&2\necho 'line 7: no such terminal' >&2\nexit 3\n")
    os.chmod(file.name, 0o755)
    path = target("kept.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    env = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    result = run("plot", "error", "--measured", validation(), "-o", path, env=env)
    assert result.code == 1 and "no such terminal" in result.err and result.err.count("\n") == 1, result.err
    with open(path, encoding="utf-8") as file:
        assert file.read() == "old"


def test_interrupt():
    """a signal while gnuplot draws: no temporary file is left, the old picture stays"""
    programs = target("interrupting")
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "gnuplot"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nkill -TERM "$PPID"\ncat > /dev/null\n')
    os.chmod(file.name, 0o755)
    path = target("interrupted.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    env = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    result = run("plot", "error", "--measured", validation(), "-o", path, env=env)
    assert result.code == -15 and "interrupted.svg is not written" in result.err, result
    assert [f for f in os.listdir(folder()) if f.startswith("interrupted.svg")] == ["interrupted.svg"]
    with open(path, encoding="utf-8") as file:
        assert file.read() == "old"


def test_targets():
    """targets that cannot be written"""
    measured = validation()
    refuses(1, "plot", "error", "--measured", measured, "-o", target("absent/x.svg"), naming=["absent/x.svg"])
    refuses(1, "plot", "error", "--measured", measured, "-o", folder(), naming=["not a regular file"])


def test_bad_validations():
    """files that are no saved validation"""
    path = target("bad.json")
    for text in ("", "{}", '{"points": []}', '{"points": [{"name": "x"}]}', "[1]", '{"points": [3]}', '{"points": 3}'):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        refuses(1, "plot", "error", "--measured", path, "-o", target("x.svg"), naming=["bad.json"])
    refuses(1, "plot", "performance", "chol-l-3", "-m", models(*ALL), "-n", "64:128:64", "-b", "32", "--measured",
            validation(), "-o", target("x.svg"), naming=["b=32"])
    assert not os.path.exists(target("x.svg"))


def test_wrong_picture():
    """wrong pictures and ranges"""
    refuses(2, "plot", "performnce", "-o", "x.svg", naming=["'performnce'", "did you mean 'performance'"])
    here = ["chol-l-3", "-m", models(*ALL), "-o", target("x.svg")]
    refuses(2, "plot", "performance", *here, naming=["-n"])
    refuses(2, "plot", "performance", *here, "-n", "64:1024:64", "-b", "32:64", naming=["-b"])
    refuses(1, "plot", "performance", *here, "-n", "64:100000:64")
    refuses(2, "plot", "block-size", *here, naming=["'n'"])
    refuses(2, "plot", "block-size", *here, "-n", "512", naming=["-n", "n=VALUE"])
    refuses(2, "plot", "kernels", *here, naming=["-n"])
    refuses(2, "plot", "kernels", *here, "-n", "64:512", naming=["-n LO:HI:STEP"])
    refuses(2, "plot", "kernels", *here, "-n", "64:512:64", "-b", "8:64:8", naming=["-b"])
    refuses(2, "plot", "kernels", *here, "-n", "512", "-b", "8:64", naming=["-b"])
    refuses(2, "plot", "kernels", *here, "-n", "512", "--measured", validation(), naming=["--measured"])
    refuses(1, "plot", "kernels", "chol-l-1,chol-l-3", *here[1:], "-n", "512", naming=["2 algorithms"])
    refuses(1, "plot", "kernels", *here, "-n", "64:100000:64")
    refuses(2, "plot", "error-map", *here, "-n", "64:512:64", naming=["-b LO:HI:STEP"])
    refuses(2, "plot", "error-map", *here, "-n", "1:20000:1", "-b", "8:64:8", naming=["10000"])
    refuses(2, "plot", "error-map", *here, "--measured", validation(), naming=["no -m"])
    saved = ("--measured", validation(), "-o", target("x.svg"))
    refuses(2, "plot", "error-map", *saved, "-n", "64:512:64", naming=["-n"])
    refuses(2, "plot", "error", *saved, "n=64", naming=["PARAMETER=VALUE"])
    refuses(2, "plot", "error-map", "-o", target("x.svg"), naming=["NAME"])
    assert not os.path.exists(target("x.svg"))
    refuses(1, "plot", "block-size", *here, "n=1000000")


main(globals())
